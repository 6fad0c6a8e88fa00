/* What each call of engine.h answers, and why jobs wait. */
#include "engine_fixture.h"

/* ---- Codes ---- */

static void new_says_what_it_cannot_take(void **state)
{
    engine_fixture *f = *state;
    sked_engine *e = NULL;
    sked_engine_options o = {.struct_size = sizeof o};
    sked_host host = {.struct_size = 3};

    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_new(NULL, NULL, NULL, &e, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_new(f->tree, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_engine_new(f->tree, NULL, &host, &e, NULL));
    o.flags = 2;
    assert_status(SKED_ERR_ARG, sked_engine_new(f->tree, &o, NULL, &e, NULL));
    o.flags = 0;
    o.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_engine_new(f->tree, &o, NULL, &e, NULL));
    o.reserved = 0;
    int64_t *times[] = {&o.confirm_within_ns, &o.node_delay_ns,
                        &o.rack_delay_ns};
    for (size_t i = 0; i < 3; i++) {
        *times[i] = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_engine_new(f->tree, &o, NULL, &e, NULL));
        *times[i] = SKED_AMOUNT_MAX + 1;
        assert_status(SKED_ERR_RANGE,
                      sked_engine_new(f->tree, &o, NULL, &e, NULL));
        *times[i] = 0;
    }
    o.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_engine_new(f->tree, &o, NULL, &e, NULL));
    assert_null(e);
    sked_engine_free(NULL);
}

static void no_handle_is_an_argument_too(void **state)
{
    engine_fixture *f = *state;
    sked_events batch = {.struct_size = sizeof batch};
    sked_engine_stats stats = {.struct_size = 8};
    sked_engine_bound bound;
    int64_t amounts[2];
    size_t n;

    engine_begin(f, NULL);
    sked_engine *e = f->engine;
    assert_status(SKED_ERR_ARG, sked_engine_apply(NULL, &batch, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_apply(e, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_commit(NULL, f->tree, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_commit(e, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_pass(NULL, 0, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_name_user(NULL, 1, "a", NULL));
    assert_status(SKED_ERR_ARG, sked_engine_name_user(e, UINT64_MAX, "", NULL));
    assert_status(SKED_ERR_ARG, sked_engine_take(NULL, NULL, 0, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_take(e, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_take(e, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_get_stats(NULL, &stats));
    assert_status(SKED_ERR_ARG, sked_engine_get_stats(e, NULL));
    assert_status(SKED_ERR_VERSION, sked_engine_get_stats(e, &stats));
    stats.struct_size = 5000;
    assert_status(SKED_ERR_VERSION, sked_engine_get_stats(e, &stats));
    assert_status(SKED_ERR_ARG,
                  sked_engine_usage(NULL, f->root, 0, amounts, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_usage(e, f->root, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_usage(e, f->root, 1, amounts, NULL));
    assert_status(SKED_ERR_STALE, sked_engine_usage(e, 7, 0, amounts, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_node_free(NULL, 1, amounts));
    assert_status(SKED_ERR_ARG, sked_engine_node_free(e, 1, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_engine_node_free(e, 1, amounts));
    assert_status(SKED_ERR_ARG,
                  sked_engine_explain_job(NULL, 1, &bound, 1, &n));
    assert_status(SKED_ERR_ARG, sked_engine_explain_job(e, 1, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_engine_explain_job(e, 1, &bound, 1, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_engine_explain_job(e, 1, &bound, 1, &n));
    assert_status(SKED_ERR_ARG, sked_engine_check(NULL, NULL));
    assert_true(sked_engine_digest(NULL) == 0);
    assert_true(sked_engine_state_digest(NULL) == 0);
}

static void a_batch_must_be_whole(void **state)
{
    engine_fixture *f = *state;
    sked_event events[2] = {{.kind = SKED_EVENT_TICK},
                            {.kind = SKED_EVENT_TICK}};
    const int32_t back[] = {0, 2, 1}, below[] = {-1, 0, 0};
    const uint64_t places[2] = {1, 2};
    uint64_t done = 9;

    engine_begin(f, NULL);
    sked_events b = {.struct_size = sizeof b, .events = events, .n = 2};
    sked_events bad = b;
    bad.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_engine_apply(f->engine, &bad, &done, NULL));
    assert_i64((int64_t)done, 0);
    bad = b;
    bad.events = NULL;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad = b;
    bad.n_amounts = 1;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad = b;
    bad.n_places = 2;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad.place_offsets = back;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad.places = places;
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &bad, NULL, &f->err));
    assert_i64(f->err.row, 1);
    bad.place_offsets = below;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad = b;
    bad.stride = 32;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad.stride = 68;
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &bad, NULL, NULL));
    bad.stride = 64;
    assert_ok(sked_engine_apply(f->engine, &bad, &done, NULL));
    assert_i64((int64_t)done, 2);
}

/* Rows before the bad one stand, and the bad one says which it is. */
static void a_bad_row_stops_the_call(void **state)
{
    engine_fixture *f = *state;
    sked_event events[3] = {{.kind = SKED_EVENT_TICK, .time = 5},
                            {.kind = 99, .time = 1000},
                            {.kind = SKED_EVENT_TICK}};
    sked_events b = {.struct_size = sizeof b, .events = events, .n = 3};
    uint64_t done = 9;

    engine_begin(f, NULL);
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &b, &done, &f->err));
    assert_i64((int64_t)done, 1);
    assert_i64(f->err.row, 1);
    assert_status(SKED_ERR_ARG, f->err.code);

    /* The clock of a row that never was did not move. */
    events[1].kind = SKED_EVENT_TICK;
    events[1].time = 6;
    assert_ok(sked_engine_apply(f->engine, &b, &done, NULL));
    assert_i64((int64_t)engine_stats_of(f).late_events, 1);
}

static void nodes_answer(void **state)
{
    engine_fixture *f = *state;
    sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1};
    int64_t free[2];

    engine_begin(f, NULL);
    assert_ok(engine_say(f, up, 10, 20));
    assert_status(SKED_ERR_EXISTS, engine_say(f, up, 10, 20));
    up.key = 0;
    assert_status(SKED_ERR_ARG, engine_say(f, up, 10, 20));
    up.key = 2;
    up.partition = SKED_MAX_PARTITIONS;
    assert_status(SKED_ERR_RANGE, engine_say(f, up, 10, 20));
    up.partition = 3;
    assert_status(SKED_ERR_RANGE, engine_say(f, up, -1, 20));
    assert_status(SKED_ERR_RANGE, engine_say(f, up, 1, SKED_AMOUNT_MAX + 1));
    assert_status(SKED_ERR_RANGE, engine_say(f, up, SKED_AMOUNT_MAX, 0));
    assert_i64(f->err.kind, 0);
    up.amount = 0;
    assert_status(SKED_ERR_ARG, engine_say(f, up, 1, 1));
    up.amount = 2;
    assert_status(SKED_ERR_ARG, engine_say(f, up, 1, 1));
    up.amount = 1;
    assert_ok(engine_say(f, up, SKED_AMOUNT_MAX - 10, 0));

    up.kind = SKED_EVENT_NODE_CHANGE;
    assert_status(SKED_ERR_RANGE, engine_say(f, up, SKED_AMOUNT_MAX - 9, 0));
    assert_status(SKED_ERR_RANGE, engine_say(f, up, -1, 0));
    assert_ok(engine_say(f, up, 5, 0));
    assert_ok(sked_engine_node_free(f->engine, 2, free));
    assert_i64(free[0], 5);
    const int32_t kinds[] = {SKED_EVENT_NODE_CHANGE, SKED_EVENT_NODE_DRAIN,
                             SKED_EVENT_NODE_DOWN, SKED_EVENT_HEARTBEAT};
    for (size_t i = 0; i < 4; i++) {
        assert_status(SKED_ERR_NOT_FOUND, engine_tell(f, kinds[i], 77));
        assert_i64(f->err.row, 0);
    }
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
}

/* What shrank nodes still hold and what others have free may come to be more
 * than can be counted: then the other is refused, and no sooner. */
static void sums_of_what_may_be_used_are_amounts(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event change = {.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};
    sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = 2, .amount = 1};

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, SKED_AMOUNT_MAX, 0);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, SKED_AMOUNT_MAX, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_say(f, change, 0, 0));
    assert_status(SKED_ERR_RANGE, engine_say(f, up, 1, 0));
    assert_ok(engine_say(f, up, 0, 0));
    change.key = 2;
    assert_status(SKED_ERR_RANGE, engine_say(f, change, 1, 0));
    change.key = 1;
    assert_ok(engine_say(f, change, SKED_AMOUNT_MAX, 0));
}

static void jobs_answer(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT, .queue = leaf};

    engine_begin(f, NULL);
    assert_status(SKED_ERR_ARG, engine_say(f, job, 0, 0));
    job.key = 1;
    job.owner = UINT64_MAX;
    assert_status(SKED_ERR_ARG, engine_say(f, job, 0, 0));
    job.owner = 0;
    job.flags = 2;
    assert_status(SKED_ERR_ARG, engine_say(f, job, 0, 0));
    job.flags = SKED_JOB_RETRY;
    job.queue = f->root;
    assert_status(SKED_ERR_ARG, engine_say(f, job, 0, 0));
    assert_true(f->err.queue == f->root);
    job.queue = leaf + 17;
    assert_status(SKED_ERR_STALE, engine_say(f, job, 0, 0));
    job.queue = leaf;
    assert_ok(engine_say(f, job, 0, 0));
    assert_status(SKED_ERR_EXISTS, engine_say(f, job, 0, 0));
    job.kind = SKED_EVENT_JOB_UPDATE;
    job.queue = leaf + 17;
    assert_status(SKED_ERR_STALE, engine_say(f, job, 0, 0));
    job.queue = f->root;
    assert_status(SKED_ERR_ARG, engine_say(f, job, 0, 0));
    const int32_t kinds[] = {SKED_EVENT_JOB_UPDATE, SKED_EVENT_JOB_CANCEL,
                             SKED_EVENT_JOB_FINISH};
    for (size_t i = 0; i < 3; i++) {
        assert_status(SKED_ERR_NOT_FOUND, engine_tell(f, kinds[i], 8));
    }
}

static void asks_answer(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event ask = {
        .kind = SKED_EVENT_ASK_ADD, .owner = 1, .amount = 1, .count = 1};

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    assert_status(SKED_ERR_ARG, engine_say(f, ask, 1, 1));
    ask.key = 1;
    ask.flags = 1;
    assert_status(SKED_ERR_ARG, engine_say(f, ask, 1, 1));
    ask.flags = 0;
    ask.count = 0;
    assert_status(SKED_ERR_RANGE, engine_say(f, ask, 1, 1));
    ask.count = INT64_C(1) << 31;
    assert_status(SKED_ERR_RANGE, engine_say(f, ask, 1, 1));
    ask.count = 2;
    ask.partition = SKED_MAX_PARTITIONS;
    assert_status(SKED_ERR_RANGE, engine_say(f, ask, 1, 1));
    ask.partition = 0;
    ask.places = 1;
    assert_status(SKED_ERR_ARG, engine_say(f, ask, 1, 1));
    ask.places = 0;
    ask.owner = 2;
    assert_status(SKED_ERR_NOT_FOUND, engine_say(f, ask, 1, 1));
    ask.owner = 1;
    ask.amount = 9;
    assert_status(SKED_ERR_ARG, engine_say(f, ask, 1, 1));
    ask.amount = 1;
    assert_status(SKED_ERR_RANGE, engine_say(f, ask, 1, -1));
    assert_status(SKED_ERR_RANGE, engine_say(f, ask, 1, SKED_AMOUNT_MAX));
    assert_ok(engine_say(f, ask, 1, SKED_AMOUNT_MAX / 4));
    assert_status(SKED_ERR_EXISTS, engine_say(f, ask, 1, 1));

    sked_event change = {.kind = SKED_EVENT_ASK_CHANGE, .key = 1, .count = -1};
    assert_status(SKED_ERR_RANGE, engine_say(f, change, 0, 0));
    change.count = INT64_C(1) << 31;
    assert_status(SKED_ERR_RANGE, engine_say(f, change, 0, 0));
    change.count = 5;
    assert_status(SKED_ERR_RANGE, engine_say(f, change, 0, 0));
    change.count = 4;
    assert_ok(engine_say(f, change, 0, 0));
    change.key = 2;
    assert_status(SKED_ERR_NOT_FOUND, engine_say(f, change, 0, 0));
    assert_status(SKED_ERR_NOT_FOUND,
                  engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    ask.key = 2;
    ask.flags = SKED_ASK_GANG;
    assert_ok(engine_say(f, ask, 1, 0));
    assert_status(SKED_ERR_STATE, engine_say(f, change, 0, 0));
}

static void tasks_answer(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 10};

    (void)engine_alone(f, &o, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    uint64_t group = f->last[0].group;
    assert_i64(f->last[0].count, 3);
    assert_i64(f->last[0].detail, 10);
    assert_status(SKED_ERR_RANGE,
                  engine_end(f, SKED_EVENT_TASK_FINISH, group, 4));
    assert_status(SKED_ERR_RANGE,
                  engine_end(f, SKED_EVENT_TASK_FINISH, group, 0));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
    assert_status(SKED_ERR_STATE, engine_tell(f, SKED_EVENT_JOB_FINISH, 1));
    assert_status(SKED_ERR_STATE,
                  engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
    assert_status(SKED_ERR_STATE,
                  engine_tell(f, SKED_EVENT_TASK_REFUSE, group));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 3));
    const int32_t kinds[] = {SKED_EVENT_TASK_CONFIRM, SKED_EVENT_TASK_REFUSE,
                             SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FAIL,
                             SKED_EVENT_TASK_LOST};
    for (size_t i = 0; i < 5; i++) {
        assert_status(SKED_ERR_STALE, engine_end(f, kinds[i], group, 1));
        assert_status(SKED_ERR_STALE, engine_end(f, kinds[i], 0, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_JOB_FINISH, 1));
}

static void a_commit_keeps_jobs_in_leaves(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const char *const one[] = {"cpu"};
    sked_schema *schema;
    sked_tree *other;
    sked_error err;

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    engine_queue(f, leaf, "below");
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, f->tree, 0, &err));
    assert_true(err.queue == leaf);
    assert_ok(
        sked_tree_remove(f->tree, leaf, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, f->tree, 0, NULL));

    assert_ok(sked_schema_new(one, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &other, NULL));
    assert_ok(sked_tree_commit(other, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_SCHEMA,
                  sked_engine_commit(f->engine, other, 0, NULL));
    sked_tree_free(other);
    sked_schema_free(schema);
}

/* ---- Stopping ---- */

static void full_decisions_stop_and_none_is_lost(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 2};
    sked_queue_id leaf = engine_alone(f, &o, 10, 10, 0);
    engine_add_job(f, 2, leaf, 0);
    assert_status(SKED_STOPPED, engine_tell(f, SKED_EVENT_TICK, 0));
    assert_status(SKED_STOPPED, engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_int_equal(engine_taken(f), 2);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    engine_add_job(f, 3, leaf, 0);
    engine_set(f, f->root, SKED_QUEUE_MAX_RUNNING, 3);
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* one admitted, one started */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    assert_i64((int64_t)engine_stats_of(f).allocated, 3);
}

/* Jobs that could not be admitted for want of room are, at the next call. */
static void admission_goes_on_when_there_is_room(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 2};

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_begin(f, &o);
    for (uint64_t i = 1; i <= 5; i++) engine_add_job(f, i, leaf, 0);
    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 5);
    engine_begin(f, NULL);
    assert_int_equal(engine_taken(f), 2);
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 2);
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_int_equal(engine_taken(f), 1);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 0);
}

static void a_pass_goes_on_where_it_stopped(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    for (uint64_t i = 1; i <= 4; i++) engine_add_node(f, i, 0, 1, 1);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    (void)engine_taken(f);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 0, 1, NULL));
        assert_int_equal(engine_taken(f), 1);
        assert_true(f->last[0].node == i);
    }
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 4)); /* where it stopped */
    assert_ok(sked_engine_pass(f->engine, 0, 1, NULL));
    assert_int_equal(engine_taken(f), 0);
}

/* One start for each node event, and a pass goes to every node. */
static void starts_in_a_pass_have_a_bound(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_per_pass = 1};

    (void)engine_alone(f, &o, 9, 9, 0);
    engine_add_node(f, 2, 0, 9, 9);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_int_equal(engine_taken(f), 2);
    assert_true(f->last[0].node == 1 && f->last[1].node == 2);
}

/* A long pass asks whether it is to go on; what it decided stands. */
static void a_long_heartbeat_can_be_cancelled(void **state)
{
    engine_fixture *f = *state;
    sked_event beat = {.kind = SKED_EVENT_HEARTBEAT, .key = 1};
    sked_events b = {.struct_size = sizeof b, .events = &beat, .n = 1};
    uint64_t done;

    (void)engine_alone(f, NULL, 100000, 100000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 20000, 1, 1));
    f->host.cancel_at = f->host.checks + 2;
    assert_status(SKED_ERR_CANCELLED,
                  sked_engine_apply(f->engine, &b, &done, NULL));
    assert_i64((int64_t)done, 1);
    assert_true(engine_stats_of(f).allocated == 4095);
    f->host.cancel_at = 0;
    f->host.cancel = 0;
    assert_ok(sked_engine_apply(f->engine, &b, &done, NULL));
    assert_true(engine_stats_of(f).allocated == 20000);
}

/* ---- Refusals, gangs, names ---- */

/* Two asks that a node may not have are not proposed in turns for ever. */
static void refusing_one_does_not_bring_the_other_back(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    (void)engine_alone(f, &o, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    uint64_t second = f->last[1].group;
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, f->last[0].group));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, second));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 0);

    /* Another node in the same place is another node. */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    engine_add_node(f, 1, 0, 10, 10);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
}

static void a_gang_comes_back_only_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 4,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};

    (void)engine_alone(f, NULL, 7, 10, 0);
    (void)engine_taken(f);
    assert_ok(engine_say(f, gang, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 4);
    uint64_t group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REQUEUE);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 3);
}

static void what_never_fits_is_rejected(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {5, 5};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    engine_add_job(f, 1, leaf, 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 1, 6, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 5, 1));
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 1)); /* the key is free again */
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_LIMIT);
    assert_true(f->last[0].queue == leaf);
    assert_int_equal(f->last[1].reason, SKED_REASON_NEVER_NODE);
    assert_int_equal(f->last[1].kind, SKED_DECISION_REJECT);
}

/* [CAP-17] A user of weight 3 holds three times what one of weight 1 holds. */
static void users_weigh_what_the_tree_says(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int64_t held[3] = {0};

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 1);
    assert_ok(sked_tree_set_user_weight(f->tree, leaf, "ann", 3, NULL));
    engine_begin(f, NULL);
    assert_ok(sked_engine_name_user(f->engine, 1, "bob", NULL));
    assert_ok(sked_engine_name_user(f->engine, 1, "ann", NULL));
    engine_add_node(f, 1, 0, 40, 40);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 100, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) held[f->last[i].ask] += f->last[i].count;
    assert_i64(held[1], 30);
    assert_i64(held[2], 10);

    assert_ok(sked_engine_name_user(f->engine, 1, "", NULL));
    assert_ok(sked_engine_name_user(f->engine, 2, NULL, NULL));
}

/* ---- Why ---- */

/* The reason that binds first for a job's ask (0: the job as a whole). */
static sked_engine_bound binding(engine_fixture *f, uint64_t job)
{
    sked_engine_bound bounds[64];
    size_t n = 0;

    assert_status(SKED_ERR_RANGE,
                  sked_engine_explain_job(f->engine, job, bounds, 0, &n));
    assert_true(n > 0 && n <= 64);
    assert_ok(sked_engine_explain_job(f->engine, job, bounds, 64, &n));
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
        if (bounds[i].reason != SKED_REASON_NEVER_NODE) continue;
        seen |= bounds[i].ask == 1 ? 1 : 2;
        assert_int_equal(bounds[i].kind, bounds[i].ask == 1 ? 0 : -1);
        assert_i64(bounds[i].need, bounds[i].ask == 1 ? 7 : 0);
        assert_i64(bounds[i].bound, 0);
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

/* One node that an ask names more is another state. */
static void places_are_part_of_the_state(void **state)
{
    engine_fixture *f = *state;
    uint64_t digest[2];
    const uint64_t places[] = {1, 2};
    const int64_t amounts[] = {1, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .places = 1};

    for (int32_t i = 0; i < 2; i++) {
        const int32_t offsets[] = {0, 1 + i};
        const sked_events batch = {.struct_size = sizeof batch,
                                   .events = &ask,
                                   .n = 1,
                                   .amounts = amounts,
                                   .n_amounts = 1,
                                   .place_offsets = offsets,
                                   .places = places,
                                   .n_places = 1};
        if (i > 0) {
            assert_int_equal(engine_teardown(state), 0);
            assert_int_equal(engine_setup(state), 0);
        }
        (void)engine_alone(f, NULL, 10, 10, 1);
        assert_ok(sked_engine_apply(f->engine, &batch, NULL, NULL));
        digest[i] = sked_engine_state_digest(f->engine);
    }
    assert_true(digest[0] != digest[1]);
}

/* Users at their limit go on when there is more to divide: half of what the
 * leaf is guaranteed each. */
static void users_wake_when_capacity_comes(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 100000);
    engine_set(f, leaf, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 100)); /* waits, and weighs */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 5);
    engine_add_node(f, 2, 0, 30, 100);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_stats_of(f).running_tasks, 20);
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
    for (int32_t r = SKED_REASON_ORDER; r <= SKED_REASON_RULE; r++) {
        assert_true(strlen(sked_reason_name(r)) > 5);
        assert_string_not_equal(sked_reason_name(r), "unknown");
    }
    assert_string_equal(sked_reason_name(SKED_REASON_NONE), "");
    assert_string_equal(sked_reason_name(99), "unknown");
}

static void usage_counts_what_is_open_besides(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id other = engine_queue(f, f->root, "other");
    sked_event any = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 9,
                      .owner = 1,
                      .count = 2,
                      .amount = 1,
                      .partition = SKED_ANY_PARTITION};
    int64_t usage[2], pending[2];

    engine_begin(f, NULL);
    engine_add_node(f, 1, 1, 3, 30);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 2));
    assert_ok(engine_say(f, any, 10, 10));
    assert_int_equal(engine_taken(f), 2); /* ADMIT, REJECT */
    assert_ok(engine_say(f, any, 3, 3));
    assert_ok(sked_engine_usage(f->engine, f->root, 0, usage, pending));
    assert_i64(pending[1], 10);
    assert_ok(
        sked_engine_usage(f->engine, leaf, SKED_ANY_PARTITION, usage, pending));
    assert_i64(pending[1], 16);
    assert_ok(sked_engine_usage(f->engine, other, 1, usage, pending));
    assert_i64(pending[1], 0);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(sked_engine_usage(f->engine, leaf, 1, usage, pending));
    assert_i64(usage[0], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(new_says_what_it_cannot_take),
        engine_case(no_handle_is_an_argument_too),
        engine_case(a_batch_must_be_whole),
        engine_case(a_bad_row_stops_the_call),
        engine_case(nodes_answer),
        engine_case(sums_of_what_may_be_used_are_amounts),
        engine_case(jobs_answer),
        engine_case(asks_answer),
        engine_case(tasks_answer),
        engine_case(a_commit_keeps_jobs_in_leaves),
        engine_case(full_decisions_stop_and_none_is_lost),
        engine_case(admission_goes_on_when_there_is_room),
        engine_case(a_pass_goes_on_where_it_stopped),
        engine_case(starts_in_a_pass_have_a_bound),
        engine_case(a_long_heartbeat_can_be_cancelled),
        engine_case(refusing_one_does_not_bring_the_other_back),
        engine_case(a_gang_comes_back_only_as_a_whole),
        engine_case(what_never_fits_is_rejected),
        engine_case(users_weigh_what_the_tree_says),
        engine_case(explanations_name_what_binds_first),
        engine_case(explanations_name_users_places_and_refusals),
        engine_case(explained_nodes_have_amounts),
        engine_case(explained_users_need_a_whole_task),
        engine_case(explained_user_limits_have_amounts),
        engine_case(what_is_kept_is_no_limit_to_its_queue),
        engine_case(users_wake_when_capacity_comes),
        engine_case(places_are_part_of_the_state),
        engine_case(explanations_keep_to_the_partitions_of_an_ask),
        engine_case(masters_wait_for_masters),
        engine_case(reasons_have_words),
        engine_case(usage_counts_what_is_open_besides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
