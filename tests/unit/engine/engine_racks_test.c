/* Nodes and racks that an ask would like, said anew; counts by rack. */
#include "engine_fixture.h"

enum { DELAY = 5000 };

/* Nodes 1 and 2 in rack 1, 3 and 4 in rack 2, 5 in none, of five tasks each; an
 * ask of twenty. Waits of 5 us for nodes, as long again for racks. */
static void two_racks(engine_fixture *f)
{
    static const uint64_t rack[] = {1, 1, 2, 2, 0};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_options o = {.struct_size = sizeof o,
                             .node_delay_ns = DELAY,
                             .rack_delay_ns = DELAY};

    engine_begin(f, &o);
    for (uint64_t n = 1; n <= 5; n++) {
        sked_event node = {.kind = SKED_EVENT_NODE_UP,
                           .key = n,
                           .owner = rack[n - 1],
                           .amount = 1};
        assert_ok(engine_say(f, node, 5, 5));
    }
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 7, 1, 20, 1, 1));
    (void)engine_taken(f);
}

/* An ask would like so many places; `tasks` NULL: they are not counted. */
static sked_status like(engine_fixture *f, int32_t kind, uint32_t flags,
                        const uint64_t *keys, const uint32_t *tasks, int32_t n)
{
    const int32_t offsets[] = {0, n};
    sked_event event = {.kind = kind,
                        .time = f->now,
                        .key = 7,
                        .flags = flags,
                        .places = n > 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = keys,
                               .n_places = n > 0,
                               .place_tasks = tasks};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static void nodes(engine_fixture *f, uint64_t key, uint32_t tasks)
{
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, &key, &tasks, 1));
}

static void racks(engine_fixture *f, uint64_t key, uint32_t tasks)
{
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, &key, &tasks, 1));
}

/* Tasks that a node's event starts. */
static int64_t beats(engine_fixture *f, uint64_t node)
{
    int64_t tasks = 0;

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) {
        if (f->last[i].kind == SKED_DECISION_ALLOCATE) {
            tasks += f->last[i].count;
        }
    }
    return tasks;
}

/* Two on node 1, three in its rack, one on node 3, the rest anywhere. */
static void counts_go_down_together(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, (uint64_t[]){1, 3},
                   (uint32_t[]){2, 1}, 2));
    racks(f, 1, 3);
    assert_i64(beats(f, 2), 0);
    assert_i64(beats(f, 1), 2); /* off the rack's count, too */
    assert_i64(beats(f, 4), 0);
    assert_i64(beats(f, 3), 1); /* in a rack that was not named */
    assert_i64(beats(f, 4), 0);
    assert_i64(beats(f, 2), 5); /* one in the rack at once, then anywhere */
    assert_i64(beats(f, 5), 5);
}

/* A rack that is used up by other nodes takes the named node along. */
static void a_rack_used_up_is_used_up_for_its_nodes(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    nodes(f, 1, 4);
    racks(f, 1, 1);
    f->now = DELAY;
    assert_i64(beats(f, 2), 1);
    assert_i64(beats(f, 1), 0);
    f->now += 2 * DELAY - 1;
    assert_i64(beats(f, 1), 0);
    f->now++;
    assert_i64(beats(f, 1), 1); /* as any node */
}

/* A task of the rack that is lost leaves its count to any node there, at the next
 * event of that node. */
static void a_rack_has_tasks_left_again(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    nodes(f, 1, 4);
    racks(f, 1, 1);
    f->now = DELAY;
    assert_i64(beats(f, 2), 1);
    uint64_t group = f->last[0].group;
    assert_i64(beats(f, 1), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_i64(beats(f, 1), 1);
}

/* Without a node that has tasks left a named rack is taken at once. */
static void racks_wait_for_nodes_only(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    racks(f, 2, 2);
    assert_i64(beats(f, 1), 0);
    assert_i64(beats(f, 4), 2 + 3); /* then anywhere */
    racks(f, 2, 1);
    f->now += DELAY - 1;
    assert_i64(beats(f, 5), 0);
    f->now++;
    assert_i64(beats(f, 5), 1);
}

static void strict_by_rack_or_by_node(void **state)
{
    engine_fixture *f = *state;
    const uint64_t one[] = {1}, two[] = {2};

    two_racks(f);
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, SKED_ASK_STRICT, one, NULL, 1));
    f->now = 100 * DELAY;
    assert_i64(beats(f, 2), 0);
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, two, (uint32_t[]){3}, 1));
    assert_i64(beats(f, 2), 0);
    assert_i64(beats(f, 5), 0);
    assert_i64(beats(f, 4), 1); /* its wait begins anew with each */
    f->now += DELAY;
    assert_i64(beats(f, 3), 1);
    assert_i64(beats(f, 1), 5); /* of a rack without a count of its own */
    f->now += DELAY;
    assert_i64(beats(f, 3), 1);
    f->now += 100 * DELAY;
    assert_i64(beats(f, 3), 0); /* used up */
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, one, NULL, 1));
    assert_i64(beats(f, 3), 1); /* strict no longer */
}

/* What is said anew is counted anew; the ask keeps its place in line. */
static void places_are_said_anew(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(engine_add_ask(f, 8, 1, 9, 1, 1));
    nodes(f, 3, 2);
    assert_i64(beats(f, 1), 5);
    assert_i64((int64_t)f->last[0].ask, 8);
    nodes(f, 2, 1);
    assert_i64(beats(f, 2), 5);
    assert_i64((int64_t)f->last[0].ask, 7); /* still before ask 8 */
    uint64_t group = f->last[0].group;
    assert_i64(f->last[0].count, 5); /* one at its place, the rest anywhere */
    nodes(f, 2, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 5));
    assert_i64(beats(f, 3), 4); /* of ask 8: these would like to be back */
    assert_i64(beats(f, 2), 5);
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, NULL, NULL, 0));
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, NULL, NULL, 0));
    assert_i64(beats(f, 3), 1);
}

static void what_is_wrong_with_places(void **state)
{
    engine_fixture *f = *state;
    const uint64_t one[] = {1};
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 9,
                       .owner = 1,
                       .count = 2,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};

    two_racks(f);
    nodes(f, 1, 3);
    racks(f, 1, 3);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_ARG,
                  like(f, SKED_EVENT_ASK_PLACES, SKED_ASK_GANG, one, NULL, 1));
    assert_status(SKED_ERR_ARG,
                  like(f, SKED_EVENT_ASK_RACKS, SKED_ASK_STRICT, one, NULL, 1));
    assert_status(SKED_ERR_RANGE, like(f, SKED_EVENT_ASK_RACKS, 0, one,
                                       (uint32_t[]){UINT32_MAX}, 1));
    sked_event lone = {.kind = SKED_EVENT_ASK_PLACES, .key = 7, .places = 5};
    assert_status(SKED_ERR_ARG, engine_say(f, lone, 1, 1));
    lone = (sked_event){.kind = SKED_EVENT_ASK_RACKS, .key = 6};
    assert_status(SKED_ERR_NOT_FOUND, engine_say(f, lone, 1, 1));
    assert_true(before == sked_engine_state_digest(f->engine));
    nodes(f, 1, 3); /* racks stay */
    assert_true(before == sked_engine_state_digest(f->engine));
    racks(f, 2, 3);
    assert_true(before != sked_engine_state_digest(f->engine));
    racks(f, 1, 3);
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, NULL, NULL, 0));
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, one, (uint32_t[]){3}, 1));
    uint64_t node = sked_engine_state_digest(f->engine);
    assert_ok(like(f, SKED_EVENT_ASK_PLACES, 0, NULL, NULL, 0));
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, one, (uint32_t[]){3}, 1));
    assert_true(node != sked_engine_state_digest(f->engine));
    assert_ok(engine_say(f, gang, 1, 1));
    sked_event of_gang = {
        .kind = SKED_EVENT_ASK_PLACES, .key = 9, .time = f->now, .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &of_gang,
                               .n = 1,
                               .place_offsets = (int32_t[]){0, 1},
                               .places = one,
                               .n_places = 1,
                               .place_tasks = (uint32_t[]){3}};
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

static void memory_for_places_may_end(void **state)
{
    engine_fixture *f = *state;
    uint64_t keys[64];

    two_racks(f);
    for (uint64_t i = 0; i < 64; i++) keys[i] = i + 1;
    uint64_t before = sked_engine_state_digest(f->engine);
    f->host.fail_at = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM,
                  like(f, SKED_EVENT_ASK_RACKS, 0, keys, NULL, 64));
    f->host.fail_at = 0;
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(like(f, SKED_EVENT_ASK_RACKS, 0, keys, NULL, 64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(counts_go_down_together),
        engine_case(a_rack_used_up_is_used_up_for_its_nodes),
        engine_case(a_rack_has_tasks_left_again),
        engine_case(racks_wait_for_nodes_only),
        engine_case(strict_by_rack_or_by_node),
        engine_case(places_are_said_anew),
        engine_case(what_is_wrong_with_places),
        engine_case(memory_for_places_may_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
