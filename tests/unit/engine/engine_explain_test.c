/* What binds an ask is named first, with true amounts of nodes, users and masters. */
#include <string.h>

#include "engine_fixture.h"

/* ---- Why ---- */

/* The reason that binds first for a job's ask (0: the job as a whole). */
static sked_engine_bound binding(engine_fixture *f, uint64_t job)
{
    sked_engine_bound bounds[64], untouched;
    size_t n = 0;

    sked_status rc = sked_engine_explain_job(f->engine, job, bounds, 0, &n);
    assert_status(n > 0 ? SKED_ERR_RANGE : SKED_OK, rc);
    assert_true(n <= 64);
    if (n == 0) return (sked_engine_bound){0};
    size_t all = n;
    memset(bounds, 7, sizeof bounds);
    memset(&untouched, 7, sizeof untouched);
    assert_status(SKED_ERR_RANGE,
                  sked_engine_explain_job(f->engine, job, bounds, all - 1, &n));
    assert_true(n == all);
    assert_memory_equal(bounds, &untouched, sizeof untouched);
    assert_ok(sked_engine_explain_job(f->engine, job, bounds, 64, &n));
    for (size_t i = 0; i < n; i++) {
        assert_true(bounds[i].bound < SKED_UNLIMITED);
    }
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].binds) return bounds[i];
    }
    return (sked_engine_bound){0};
}

static void explanations_name_what_binds_first(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id up = engine_queue(f, f->root, "up");
    sked_queue_id leaf = engine_queue(f, up, "leaf");
    sked_queue_id few = engine_queue(f, f->root, "few");
    const int64_t limit[] = {8, SKED_UNLIMITED};
    sked_engine_options o = {.struct_size = sizeof o, .max_user_running = 2};

    assert_ok(sked_tree_set_vec(f->tree, up, SKED_QUEUE_LIMIT, limit, NULL));
    engine_set(f, few, SKED_QUEUE_MAX_RUNNING, 1);
    engine_begin(f, &o);
    engine_add_node(f, 1, 0, 20, 20);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    sked_engine_bound b = binding(f, 1);
    assert_int_equal(b.reason, SKED_REASON_BEHIND);

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    b = binding(f, 1);
    assert_int_equal(b.reason, SKED_REASON_QUEUE_LIMIT);
    assert_true(b.queue == up && b.ask == 2 && b.kind == 0);
    assert_i64(b.need, 9);
    assert_i64(b.bound, 8);

    engine_add_job(f, 2, few, 2);
    engine_add_job(f, 3, few, 3);
    b = binding(f, 3);
    assert_int_equal(b.reason, SKED_REASON_MAX_RUNNING);
    assert_true(b.queue == few);
    assert_i64(b.need, 2);
    engine_add_job(f, 4, leaf, 1);
    engine_add_job(f, 5, leaf, 1);
    assert_int_equal(binding(f, 5).reason, SKED_REASON_USER_RUNNING);

    assert_ok(engine_add_ask(f, 3, 2, 1, 15, 1));
    b = binding(f, 2);
    assert_int_equal(b.reason, SKED_REASON_NO_NODE);
    assert_int_equal(b.kind, 0);
    assert_i64(b.need, 15);
    assert_i64(b.bound, 12); /* eight of 20 are used */
    sked_event change = {.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};
    assert_ok(engine_say(f, change, 14, 14));
    b = binding(f, 2);
    assert_int_equal(b.reason, SKED_REASON_NEVER_NODE);
    assert_i64(b.need, 15);
    assert_i64(b.bound, 14);
    assert_ok(engine_say(f, change, 40, 40));
    assert_int_equal(binding(f, 2).reason, SKED_REASON_BEHIND);
    engine_set(f, few, SKED_QUEUE_STATE, SKED_STATE_DRAINING);
    engine_begin(f, NULL);
    assert_int_equal(binding(f, 2).reason, SKED_REASON_DRAINING);
    assert_true(binding(f, 2).queue == few);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_i64((int64_t)engine_stats_of(f).allocated, 8);
}

static void explanations_name_users_places_and_refusals(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_options o = {
        .struct_size = sizeof o, .confirm_within_ns = 100, .node_delay_ns = 50};
    const int32_t offsets[] = {0, 1};
    const uint64_t places[] = {9};
    const int64_t one[] = {1, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 7,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .places = 1,
                      .partition = SKED_ANY_PARTITION};
    sked_events b = {.struct_size = sizeof b,
                     .events = &ask,
                     .n = 1,
                     .amounts = one,
                     .n_amounts = 1,
                     .place_offsets = offsets,
                     .places = places,
                     .n_places = 1};

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 500000);
    engine_begin(f, &o);
    engine_add_node(f, 1, 0, 20, 20);
    engine_add_job(f, 1, leaf, 1);
    (void)engine_taken(f);
    assert_ok(sked_engine_apply(f->engine, &b, NULL, NULL));
    assert_int_equal(binding(f, 1).reason, SKED_REASON_LOCALITY);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 7));

    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, f->last[0].group));
    assert_int_equal(binding(f, 1).reason, SKED_REASON_REFUSED);
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 10));
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 2, 2, 1, 30, 1));
    assert_int_equal(binding(f, 2).reason, 0); /* rejected: nothing open */
}

/* What lacks, on the nodes that come nearest. */
static void explained_nodes_have_amounts(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, 10, 3, 0);

    (void)leaf;
    engine_add_node(f, 2, 0, 2, 20);
    engine_add_node(f, 3, 0, 4, 4);
    engine_add_node(f, 4, 0, 7, 30);
    engine_add_node(f, 5, 1, 100, 100); /* of another partition */
    assert_ok(engine_add_ask(f, 1, 1, 1, 7, 20));
    sked_event small = {.kind = SKED_EVENT_NODE_CHANGE, .key = 4, .amount = 1};
    assert_ok(engine_say(f, small, 6, 30));
    sked_engine_bound b = binding(f, 1);
    assert_int_equal(b.reason, SKED_REASON_NEVER_NODE);
    assert_int_equal(b.kind, 0); /* nodes 2 and 4 lack that alone */
    assert_i64(b.need, 7);
    assert_i64(b.bound, 6);

    assert_ok(engine_add_ask(f, 2, 1, 1, 0, 0)); /* takes nothing */
    for (uint64_t i = 1; i <= 4; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, i));
    }
    sked_engine_bound bounds[16];
    size_t n;
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    int seen = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t reason = bounds[i].reason;
        if (reason == SKED_REASON_NEVER_NODE) {
            seen |= 1;
            assert_true(bounds[i].ask == 1 && bounds[i].kind == 0);
            assert_i64(bounds[i].need, 7);
            assert_i64(bounds[i].bound, 6); /* nodes that drain count */
        } else if (reason == SKED_REASON_DRAINING && bounds[i].ask) {
            seen |= 2;
            assert_true(bounds[i].ask == 2 && bounds[i].kind == -1);
            assert_i64(bounds[i].need, 1);
            assert_i64(bounds[i].bound, 4);
        }
    }
    assert_int_equal(seen, 3);
}

/* With tasks of 4, a user that holds 8 would hold 12. */
static void explained_users_need_a_whole_task(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 16, 16);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 10, 4, 1));
    assert_ok(engine_add_ask(f, 2, 2, 10, 4, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    sked_engine_bound bounds[16];
    size_t n;
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    int seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].reason != SKED_REASON_USER_LIMIT) continue;
        seen++;
        assert_int_equal(bounds[i].kind, 0);
        assert_i64(bounds[i].need, 12);
        assert_i64(bounds[i].bound, 9); /* half of what is used and one */
    }
    assert_int_equal(seen, 1);
}

static void explained_user_limits_have_amounts(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 9, 20);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1)); /* five and four */
    sked_engine_bound b = binding(f, 1);
    assert_int_equal(b.reason, SKED_REASON_USER_LIMIT);
    assert_i64(b.need, 6);
    assert_i64(b.bound, 5);
    assert_int_equal(b.kind, 0);
    assert_int_equal(binding(f, 2).reason, SKED_REASON_NO_NODE);
}

/* What a queue keeps for itself holds none of its own tasks back, though others
 * hold more than is left since a node went: the node does. */
static void what_is_kept_is_no_limit_to_its_queue(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");
    const int64_t guarantee[] = {6, 0}, lend[] = {0, 0};

    assert_ok(
        sked_tree_set_vec(f->tree, a, SKED_QUEUE_GUARANTEE, guarantee, NULL));
    assert_ok(sked_tree_set_vec(f->tree, a, SKED_QUEUE_LEND, lend, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 6, 10);
    engine_add_node(f, 2, 0, 6, 10);
    engine_add_job(f, 1, a, 1);
    engine_add_job(f, 2, b, 1);
    assert_ok(engine_add_ask(f, 2, 2, 6, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1)); /* all of b */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 6);
    sked_engine_bound held = binding(f, 1);
    assert_int_equal(held.reason, SKED_REASON_QUEUE_LIMIT);
    assert_i64(held.need, 7); /* what runs, not what is kept: 12 */
    assert_i64(held.bound, 6);
    engine_add_node(f, 3, 0, 1, 0); /* memory is what it lacks now */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 3));
    held = binding(f, 1);
    assert_int_equal(held.reason, SKED_REASON_NO_NODE);
    assert_int_equal(held.kind, 0);
}

/* Each partition of an ask by itself; nodes elsewhere, or that take nothing,
 * do not count. */
static void explanations_keep_to_the_partitions_of_an_ask(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .partition = 1};
    sked_engine_bound bound[8];
    size_t n;

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 9, 9);
    engine_add_node(f, 2, 1, 5, 5);
    engine_add_node(f, 3, 1, 9, 9);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f, ask, 4, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    ask.key = 2;
    assert_ok(engine_say(f, ask, 2, 0));
    assert_ok(sked_engine_explain_job(f->engine, 1, bound, 8, &n));
    assert_i64(bound[n - 1].reason, SKED_REASON_NO_NODE);
    assert_i64(bound[n - 1].partition, 1);
    assert_i64((int64_t)bound[n - 1].ask, 2);
    for (size_t i = 0; i < n; i++) assert_true(bound[i].ask != 1);
    ask.key = 3;
    ask.partition = SKED_ANY_PARTITION;
    assert_ok(engine_say(f, ask, 2, 0));
    assert_ok(sked_engine_explain_job(f->engine, 1, bound, 8, &n));
    for (size_t i = 0, seen = 0; i < n; i++) {
        if (bound[i].ask != 3) continue;
        assert_i64(bound[i].partition, (int64_t)seen);
        assert_i64(bound[i].reason,
                   seen++ ? SKED_REASON_NO_NODE : SKED_REASON_BEHIND);
    }
}

/* Nor is there a line of partitions without nodes, however many there is memory
 * for; in the first there is while there is no node at all. */
static void explanations_keep_to_partitions_with_nodes(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                            .key = 1,
                            .owner = 1,
                            .count = 1,
                            .amount = 1,
                            .flags = SKED_ASK_WAIT,
                            .partition = SKED_ANY_PARTITION};
    const sked_engine_reserve_input sizes = {.struct_size = sizeof sizes,
                                             .partitions = 9};
    const uint32_t partitions[] = {0, 1, 3};
    sked_engine_bound bound[16];
    size_t n = 0, seen = 0;

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f, ask, 20, 0));
    assert_ok(sked_engine_reserve(f->engine, &sizes, NULL));
    assert_ok(sked_engine_explain_job(f->engine, 1, bound, 16, &n));
    assert_i64((int64_t)bound[n - 1].ask, 1);
    assert_i64(bound[n - 1].partition, 0);
    for (uint64_t i = 0; i < 3; i++) {
        engine_add_node(f, 1 + i, partitions[i], 9, 9);
    }
    assert_ok(sked_engine_explain_job(f->engine, 1, bound, 16, &n));
    for (size_t i = 0; i < n; i++) {
        if (bound[i].ask == 0 || !bound[i].binds) continue;
        assert_true(seen < 3);
        assert_i64(bound[i].partition, partitions[seen++]);
    }
    assert_int_equal(seen, 3);
}

/* Half of 8 is for masters: two of 2, and the third waits for one of them. */
static void masters_wait_for_masters(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 3,
                      .amount = 1,
                      .flags = SKED_ASK_MASTER};

    engine_set(f, leaf, SKED_QUEUE_AM_SHARE, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 8, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f, ask, 2, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 2);
    sked_engine_bound b = binding(f, 1);
    assert_int_equal(b.reason, SKED_REASON_MASTERS);
    assert_int_equal(b.kind, 0);
    assert_i64(b.need, 6);
    assert_i64(b.bound, 4);
    assert_i64((int64_t)b.ask, 1);
    assert_true(b.queue == leaf);
}

static void reasons_have_words(void **state)
{
    (void)state;
    for (int32_t r = SKED_REASON_ORDER; r <= SKED_REASON_CLASS; r++) {
        if (r > SKED_REASON_RULE && r < SKED_REASON_GANG) continue;
        assert_true(strlen(sked_reason_name(r)) > 5);
        assert_string_not_equal(sked_reason_name(r), "unknown");
    }
    assert_string_equal(sked_reason_name(SKED_REASON_NONE), "");
    assert_string_equal(sked_reason_name(99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(explanations_name_what_binds_first),
        engine_case(explanations_name_users_places_and_refusals),
        engine_case(explained_nodes_have_amounts),
        engine_case(explained_users_need_a_whole_task),
        engine_case(explained_user_limits_have_amounts),
        engine_case(what_is_kept_is_no_limit_to_its_queue),
        engine_case(explanations_keep_to_the_partitions_of_an_ask),
        engine_case(explanations_keep_to_partitions_with_nodes),
        engine_case(masters_wait_for_masters),
        engine_case(reasons_have_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
