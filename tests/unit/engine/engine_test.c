/* What each call of engine.h answers, and why jobs wait. */
#include <stdio.h>

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
    o.pooled = 1u << 31;
    assert_status(SKED_ERR_ARG, sked_engine_new(f->tree, &o, NULL, &e, NULL));
    o.pooled = 0;
    const struct {
        int64_t *number;
        int64_t most;
        const char *name;
    } numbers[] = {
        {&o.confirm_within_ns, SKED_AMOUNT_MAX, "confirm_within_ns"},
        {&o.node_delay_ns, SKED_AMOUNT_MAX, "node_delay_ns"},
        {&o.rack_delay_ns, SKED_AMOUNT_MAX, "rack_delay_ns"},
        {&o.form_for_ns, SKED_AMOUNT_MAX, "form_for_ns"},
    };
    for (size_t i = 0; i < 4; i++) {
        char words[64];
        sked_error err;

        snprintf(words, sizeof words, "options.%s is out of range",
                 numbers[i].name);
        *numbers[i].number = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_engine_new(f->tree, &o, NULL, &e, &err));
        assert_string_equal(err.message, words);
        *numbers[i].number = numbers[i].most + 1;
        assert_status(SKED_ERR_RANGE,
                      sked_engine_new(f->tree, &o, NULL, &e, &err));
        assert_string_equal(err.message, words);
        assert_i64(err.got, numbers[i].most + 1);
        assert_i64(err.limit, numbers[i].most);
        *numbers[i].number = 0;
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
    batch.events = &(sked_event){.kind = SKED_EVENT_TICK};
    batch.n = (uint64_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_engine_apply(e, &batch, NULL, &f->err));
    assert_string_equal(f->err.message, "too many rows");
    batch.n = 0;
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
    assert_string_equal(f->err.message, "no user has this key");
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

/* A tier says who is admitted first, before priority and submission; it is no
 * share and no order. */
static void better_tiers_are_admitted_first(void **state)
{
    engine_fixture *f = *state;
    const char *const names[] = {"none", "second", "first"};
    sked_queue_id queue[3];

    for (int i = 0; i < 3; i++) {
        queue[i] = engine_queue(f, f->root, names[i]);
        if (i) engine_set(f, queue[i], SKED_QUEUE_TIER, 3 - i);
    }
    engine_set(f, f->root, SKED_QUEUE_MAX_RUNNING, 1);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    for (uint64_t i = 0; i < 6; i++) { /* jobs 1 to 6, the best tier last */
        engine_add_job(f, i + 1, queue[i / 2], 1);
        assert_ok(engine_add_ask(f, i + 1, i + 1, 1, 1, 1));
    }
    (void)engine_taken(f); /* that jobs are admitted is said, too */
    static const uint64_t in_order[] = {1, 5, 6, 3, 4, 2};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(engine_beat(f, 1), 1);
        assert_i64((int64_t)f->last[0].ask, (int64_t)in_order[i]);
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[0].group, 1));
        assert_ok(engine_tell(f, SKED_EVENT_JOB_FINISH, in_order[i]));
        (void)engine_taken(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(better_tiers_are_admitted_first),
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
        engine_case(usage_counts_what_is_open_besides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
