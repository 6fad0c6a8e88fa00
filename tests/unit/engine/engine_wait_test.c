/* Asks that wait for nodes or limits instead of being rejected. */
#include "engine_fixture.h"
#include "engine/state.h"

/* ---- Waiting ---- */

static sked_status wait_for(engine_fixture *f, uint64_t key, int64_t count,
                            int64_t cpu, uint32_t flags)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = 1,
                                   .count = count,
                                   .amount = 1,
                                   .flags = SKED_ASK_WAIT | flags},
                      cpu, 1);
}

static sked_engine_bound why(engine_fixture *f, uint64_t job)
{
    sked_engine_bound b[32];
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, job, b, 32, &n));
    for (size_t i = 0; i < n; i++) {
        if (b[i].binds) return b[i];
    }
    return (sked_engine_bound){0};
}

static void an_ask_waits_for_a_node(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 4, 100, 1);
    (void)engine_taken(f);
    assert_ok(wait_for(f, 1, 2, 6, 0));
    assert_ok(wait_for(f, 2, 3, 3, SKED_ASK_GANG));
    assert_int_equal(engine_taken(f), 0); /* not rejected */
    assert_i64((int64_t)engine_stats_of(f).asks, 2);
    sked_engine_bound b = why(f, 1);
    assert_int_equal(b.reason, SKED_REASON_NEVER_NODE);
    assert_int_equal(b.kind, 0);
    assert_i64(b.need, 9);
    assert_i64(b.bound, 4);
    uint64_t before = engine_stats_of(f).asks_visited;
    for (uint64_t n = 2; n < 9; n++) {
        engine_add_node(f, n, 1, 20, 20); /* of another partition */
        assert_int_equal(engine_beat(f, 1), 0);
    }
    assert_i64((int64_t)engine_stats_of(f).asks_visited, (int64_t)before);
    engine_add_node(f, 9, 0, 7, 100);
    assert_int_equal(engine_beat(f, 9), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        9, 100));
    assert_int_equal(engine_beat(f, 1), 1); /* one of six leaves no nine */
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[0].group, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 3);
}

static void a_node_that_drains_is_there(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 8, 100, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 1, 8, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_int_equal(engine_beat(f, 1), 1);
}

static void an_ask_waits_for_a_limit(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id wide = engine_queue(f, f->root, "wide");
    int64_t limit[] = {2, SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_job(f, 1, leaf, 1);
    (void)engine_taken(f);
    assert_ok(wait_for(f, 1, 1, 3, 0));
    assert_ok(wait_for(f, 2, 1, 9, 0)); /* no node either */
    sked_engine_bound b = why(f, 1);
    assert_int_equal(b.reason, SKED_REASON_NEVER_LIMIT);
    assert_i64((int64_t)b.queue, (int64_t)leaf);
    assert_i64(b.bound, 2);
    assert_int_equal(engine_beat(f, 1), 0);
    limit[0] = 4;
    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
    /* In another queue there is no limit; then a node comes. */
    sked_event move = {.kind = SKED_EVENT_JOB_UPDATE, .key = 1, .queue = wide};
    assert_ok(engine_say(f, move, 0, 0));
    assert_int_equal(why(f, 1).reason, SKED_REASON_NEVER_NODE);
    engine_add_node(f, 2, 0, 9, 9);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
}

static void an_engine_may_let_all_wait(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o,
                             .flags = SKED_ENGINE_FLAG_WAIT};
    sked_engine *engine;

    (void)engine_alone(f, &o, 4, 100, 1);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 1, 6, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    o.flags = 2;
    assert_status(SKED_ERR_ARG,
                  sked_engine_new(f->tree, &o, NULL, &engine, NULL));
}

/* What waits is no demand: shares go by what can run. */
static void what_waits_holds_no_guarantee_back(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");

    engine_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_set(f, b, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_job(f, 1, a, 1);
    engine_add_job(f, 2, b, 1);
    assert_ok(wait_for(f, 1, 1, 6, 0));
    assert_ok(engine_add_ask(f, 2, 2, 6, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 4);
}

/* A waiting job's ask that was parked stands in line when the job is let run,
 * or does not. */
static void jobs_that_wait_have_asks_that_wait(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(wait_for(f, 1, 1, 6, 0));
    assert_ok(wait_for(f, 2, 1, 9, 0));
    engine_add_node(f, 2, 0, 8, 100);
    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 1);
    engine_begin(f, NULL);
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(an_ask_waits_for_a_node),
        engine_case(a_node_that_drains_is_there),
        engine_case(an_ask_waits_for_a_limit),
        engine_case(an_engine_may_let_all_wait),
        engine_case(what_waits_holds_no_guarantee_back),
        engine_case(jobs_that_wait_have_asks_that_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
