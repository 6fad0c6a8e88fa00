/* Soft rules, places, racks and pools in a host's truth. */
#include <sched/engine_reconcile.h>

#include "engine_rules.h"

enum { MOST = 48, SECOND = 1000000000 };

/* Nodes 1 and 2, job 1 with ask 1 of two tasks; then rows of what they prefer. */
typedef struct soft_truth {
    sked_event rows[MOST];
    sked_time moments[MOST];
    uint32_t counts[6]; /* of tasks, by place */
    sked_events in;
    sked_engine_difference d[MOST];
    size_t n;
} soft_truth;

static const int64_t amounts[] = {10, 10, 1, 1, 0, 0};
/* Rules: zone is 2; zone is 3; none; at most one task with tag 7; none at all. */
static const sked_rule_term terms[] = {
    {.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 2},
    {.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 3},
    {.op = SKED_RULE_OP_AT_MOST, .key = 7, .value = 1},
    {.op = 99}};
static const int32_t term_offsets[] = {0, 1, 2, 2, 3, 4};
/* Lists: nodes 1 and 2; node 2; the other way round. */
static const uint64_t lists[] = {1, 2, 2, 2, 1};
static const int32_t list_offsets[] = {0, 2, 3, 5};

static sked_event *row(soft_truth *t, int32_t kind, uint64_t key,
                       uint32_t places)
{
    t->moments[t->in.n] = SKED_UNSET;
    t->rows[t->in.n] = (sked_event){.kind = kind, .key = key, .places = places};
    return &t->rows[t->in.n++];
}

static sked_event *soft_row(soft_truth *t, uint32_t rule, int64_t weight,
                            sked_time until)
{
    sked_event *event = row(t, SKED_EVENT_ASK_PREFER, 1, rule);

    event->count = weight;
    t->moments[t->in.n - 1] = until;
    return event;
}

static void soft_begin(engine_fixture *f, soft_truth *t)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    static const sked_engine_options opts = {.struct_size = sizeof opts,
                                             .node_delay_ns = SECOND,
                                             .rack_delay_ns = SECOND};

    engine_begin(f, &opts);
    *t = (soft_truth){.counts = {1, 1, 1, 1, 1, 1},
                      .in = {.struct_size = sizeof t->in,
                             .amounts = amounts,
                             .n_amounts = 3,
                             .place_offsets = list_offsets,
                             .places = lists,
                             .n_places = 3,
                             .rule_offsets = term_offsets,
                             .rule_terms = terms,
                             .n_rules = 5}};
    row(t, SKED_EVENT_NODE_UP, 1, 0)->amount = 1;
    row(t, SKED_EVENT_NODE_UP, 2, 0)->amount = 1;
    sked_event *job = row(t, SKED_EVENT_JOB_SUBMIT, 1, 0);
    job->queue = leaf;
    job->owner = 1;
    sked_event *ask = row(t, SKED_EVENT_ASK_ADD, 1, 0);
    ask->owner = 1;
    ask->count = 3;
    ask->amount = 2;
}

static sked_status compare(engine_fixture *f, soft_truth *t)
{
    t->in.events = t->rows;
    t->in.moments = t->moments;
    t->in.place_tasks = t->counts;
    return sked_engine_reconcile(f->engine, &t->in, t->d, MOST, &t->n, &f->err);
}

/* Applies what differs, after which nothing does; how much it was. */
static size_t mend(engine_fixture *f, soft_truth *t)
{
    assert_ok(compare(f, t));
    size_t n = t->n, stride = sizeof t->d[0];
    sked_events batch = t->in;
    batch.events = &t->d[0].event;
    batch.stride = (uint32_t)stride;
    batch.moments = &t->d[0].moment;
    batch.moment_stride = (uint32_t)stride;
    batch.n = n;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    assert_ok(compare(f, t));
    assert_int_equal(t->n, 0);
    return n;
}

/* How many tasks a heartbeat of a node starts. */
static size_t started(engine_fixture *f, uint64_t node)
{
    (void)engine_taken(f);
    return engine_beat(f, node);
}

static void a_restart_tells_soft_rules(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    (void)soft_row(&t, 1, 5, SKED_UNSET);
    (void)soft_row(&t, 2, 7, 50 * (sked_time)SECOND);
    (void)soft_row(&t, 0, 0, SKED_UNSET); /* none */
    (void)soft_row(&t, 3, 0, SKED_UNSET); /* a rule without terms is none */
    assert_int_equal(mend(f, &t), 4 + 2);
    assert_ok(in_zone(f, 1, 2));
    assert_ok(in_zone(f, 2, 3));
    assert_int_equal(started(f, 1), 0); /* the heavier one binds */
    assert_int_equal(started(f, 2), 1);
}

static void what_differs_in_soft_rules_is_told_anew(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    sked_event *one = soft_row(&t, 1, 5, SKED_UNSET);
    sked_event *two = soft_row(&t, 2, 7, 50 * (sked_time)SECOND);
    assert_int_equal(mend(f, &t), 4 + 2);
    one->count = 6; /* another weight */
    assert_int_equal(mend(f, &t), 1 + 2);
    assert_int_equal(t.d[0].how, SKED_ENGINE_DIFFERS_OTHER);
    t.moments[5] += 1; /* another moment */
    assert_int_equal(mend(f, &t), 1 + 2);
    two->places = 1; /* another rule */
    assert_int_equal(mend(f, &t), 1 + 2);
    one->count = two->count; /* of one weight the first goes first */
    assert_int_equal(mend(f, &t), 1 + 2);
    t.moments[4] = t.moments[5];
    t.moments[5] = SKED_UNSET;
    assert_int_equal(mend(f, &t), 1 + 2);
    two->places = 0; /* one less, one more */
    assert_int_equal(mend(f, &t), 1 + 1);
    two->places = 2;
    assert_int_equal(mend(f, &t), 1 + 2);
    t.in.n = 4; /* of what no row speaks nothing is compared */
    assert_int_equal(mend(f, &t), 0);
    (void)soft_row(&t, 0, 0, SKED_UNSET);
    assert_int_equal(mend(f, &t), 1); /* there are none */
    assert_int_equal(mend(f, &t), 0);
}

/* By the time of the differences the rule of the engine, or the row, is past. */
static void expired_rules_are_none(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    (void)soft_row(&t, 1, 5, SECOND);
    (void)soft_row(&t, 2, 5, SKED_UNSET);
    assert_int_equal(mend(f, &t), 4 + 2);
    t.rows[0].time = SECOND;
    assert_int_equal(mend(f, &t), 0);
    t.rows[0].time = 2 * (sked_time)SECOND;
    t.rows[5].places = 1;
    assert_int_equal(mend(f, &t), 1 + 1);
}

/* Rules change in turn: what there would be too much of goes first. */
static void rules_and_soft_rules_have_terms_enough_together(void **state)
{
    static sked_rule_term many[2 * SKED_MAX_RULE_TERMS];
    static const int32_t offsets[] = {0, 1000, 1024, 1025, 2025};
    engine_fixture *f = *state;
    soft_truth t;

    for (size_t i = 0; i < 2 * SKED_MAX_RULE_TERMS; i++) {
        many[i] = EQUAL_TO(ZONE, 2);
    }
    soft_begin(f, &t);
    t.in.rule_offsets = offsets;
    t.in.rule_terms = many;
    t.in.n_rules = 4;
    sked_event *rule = row(&t, SKED_EVENT_ASK_RULE, 1, 2);
    sked_event *soft = soft_row(&t, 1, 5, SKED_UNSET);
    assert_int_equal(mend(f, &t), 4 + 2);
    rule->places = 4;
    soft->places = 2;
    assert_int_equal(mend(f, &t), 3);
    (void)soft_row(&t, 3, 5, SKED_UNSET);
    assert_status(SKED_ERR_RANGE, compare(f, &t));
    assert_i64(f->err.row, 4);
}

/* Nodes, how many tasks have their data there, and whether it takes others. */
static void places_are_compared_by_their_rows(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    sked_event *places = row(&t, SKED_EVENT_ASK_PLACES, 1, 2);
    assert_int_equal(mend(f, &t), 4 + 1);
    assert_int_equal(started(f, 1), 0);
    t.counts[2] = 2;
    assert_int_equal(mend(f, &t), 1);
    assert_int_equal(t.d[0].how, SKED_ENGINE_DIFFERS_OTHER);
    t.counts[2] = INT32_MAX;
    assert_int_equal(mend(f, &t), 1);
    places->places = 1;
    assert_int_equal(mend(f, &t), 1);
    places->places = 3;
    assert_int_equal(mend(f, &t), 1);
    places->flags = SKED_ASK_STRICT;
    assert_int_equal(mend(f, &t), 1);
    t.rows[3].flags = SKED_ASK_STRICT; /* the row of places says it */
    assert_int_equal(mend(f, &t), 0);
    places->flags = 0;
    assert_int_equal(mend(f, &t), 1);
    places->places = 0;
    assert_int_equal(mend(f, &t), 1);
    assert_int_equal(started(f, 1), 1);
}

/* A task that is adopted counts at its place; the row says what is left. */
static void places_are_told_after_what_runs(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    (void)row(&t, SKED_EVENT_ASK_PLACES, 1, 1);
    t.counts[0] = 2;
    assert_int_equal(mend(f, &t), 4 + 1);
    sked_event *runs = row(&t, SKED_EVENT_TASK_RUNNING, 1, 0);
    runs->owner = 1;
    runs->count = 1;
    assert_int_equal(mend(f, &t), 2);
    assert_int_equal(started(f, 2), 1);
    t.counts[0] = 0;
    t.counts[1] = 0;
    runs = row(&t, SKED_EVENT_TASK_RUNNING, 2, 0);
    runs->owner = 1;
    runs->count = 1;
    assert_int_equal(mend(f, &t), 1);
}

static void racks_are_compared_by_their_rows(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    t.rows[0].owner = 1; /* its rack */
    t.rows[3].places = 2;
    sked_event *racks = row(&t, SKED_EVENT_ASK_RACKS, 1, 0);
    assert_int_equal(mend(f, &t), 4); /* it has none */
    racks->places = 1;
    assert_int_equal(mend(f, &t), 1);
    t.counts[1] = 5;
    assert_int_equal(mend(f, &t), 1);
    racks->places = 2;
    assert_int_equal(mend(f, &t), 1);
    t.in.n--; /* of what no row speaks nothing is compared */
    assert_int_equal(mend(f, &t), 0);
}

/* What is withdrawn, or told anew, has its rows not, or anew. */
static void what_is_withdrawn_prefers_nothing(void **state)
{
    engine_fixture *f = *state;
    soft_truth t;

    soft_begin(f, &t);
    (void)soft_row(&t, 1, 5, SKED_UNSET);
    (void)row(&t, SKED_EVENT_ASK_PLACES, 1, 1);
    (void)row(&t, SKED_EVENT_ASK_RACKS, 1, 1);
    assert_int_equal(mend(f, &t), 4 + 3);
    t.rows[3].priority = 4;
    assert_int_equal(mend(f, &t), 2 + 3);
    (void)row(&t, SKED_EVENT_ASK_WITHDRAW, 1, 0);
    assert_int_equal(mend(f, &t), 1);
}

static void pools_are_compared_by_their_rows(void **state)
{
    static const int64_t pools[] = {10, 0, 1, 0, 0, 5, 0, 7, 0, 0};
    engine_fixture *f = *state;
    static const sked_engine_options pooled = {.struct_size = sizeof pooled,
                                               .pooled = 2};
    soft_truth t;

    soft_begin(f, &t);
    sked_engine_free(f->engine);
    assert_ok(sked_engine_new(f->tree, &pooled, NULL, &f->engine, NULL));
    t.in.amounts = pools;
    t.in.n_amounts = 5;
    sked_event *pool = row(&t, SKED_EVENT_POOL, 0, 0);
    pool->amount = 3;
    assert_int_equal(mend(f, &t), 4 + 1);
    pool->amount = 4;
    assert_int_equal(mend(f, &t), 1);
    pool = row(&t, SKED_EVENT_POOL, 0, 0);
    pool->amount = 5;
    pool->partition = 3; /* which has nothing anyway */
    assert_int_equal(mend(f, &t), 0);
    pool->amount = 3;
    assert_int_equal(mend(f, &t), 1);
    pool->partition = 0;
    assert_status(SKED_ERR_EXISTS, compare(f, &t));
    assert_i64(f->err.row, 4);
    pool->partition = SKED_MAX_PARTITIONS;
    assert_status(SKED_ERR_RANGE, compare(f, &t));
    assert_i64(f->err.row, 5);
    pool->partition = 1;
    pool->amount = 1;
    assert_status(SKED_ERR_RANGE, compare(f, &t));
    assert_int_equal(f->err.kind, 0);
    pool->amount = 9;
    assert_status(SKED_ERR_ARG, compare(f, &t));
    assert_i64(f->err.row, 5);
}

static void truths_that_are_none(void **state)
{
    static const struct {
        sked_status rc;
        int32_t kind;
        uint64_t key;
        uint32_t places, flags;
        int64_t count;
    } bad[] = {{SKED_ERR_NOT_FOUND, SKED_EVENT_ASK_PREFER, 2, 1, 0, 0},
               {SKED_ERR_ARG, SKED_EVENT_ASK_PREFER, 1, 6, 0, 0},
               {SKED_ERR_ARG, SKED_EVENT_ASK_PREFER, 1, 5, 0, 0},
               {SKED_ERR_RANGE, SKED_EVENT_ASK_PREFER, 1, 1, 0, -1},
               {SKED_ERR_RANGE, SKED_EVENT_ASK_PREFER, 1, 1, 0, 2147483648},
               {SKED_ERR_ARG, SKED_EVENT_ASK_PLACES, 1, 4, 0, 0},
               {SKED_ERR_ARG, SKED_EVENT_ASK_PLACES, 1, 1, SKED_ASK_GANG, 0},
               {SKED_ERR_ARG, SKED_EVENT_ASK_RACKS, 1, 1, SKED_ASK_STRICT, 0},
               {SKED_ERR_NOT_FOUND, SKED_EVENT_ASK_RACKS, 9, 1, 0, 0}};
    engine_fixture *f = *state;
    soft_truth t, more;

    soft_begin(f, &t);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        more = t;
        sked_event *event = row(&more, bad[i].kind, bad[i].key, bad[i].places);
        event->flags = bad[i].flags;
        event->count = bad[i].count;
        assert_status(bad[i].rc, compare(f, &more));
        assert_i64(f->err.row, 4);
    }
    more = t;
    (void)row(&more, SKED_EVENT_ASK_PLACES, 1, 1);
    (void)row(&more, SKED_EVENT_ASK_PLACES, 1, 1);
    assert_status(SKED_ERR_EXISTS, compare(f, &more));
    more.in.n--;
    more.counts[0] = UINT32_MAX;
    assert_status(SKED_ERR_RANGE, compare(f, &more));
    assert_i64(f->err.row, 4);
    more = t;
    for (int i = 0; i <= SKED_MAX_ASK_PREFERENCES; i++) {
        assert_ok(compare(f, &more));
        (void)soft_row(&more, 1, 5, SKED_UNSET);
    }
    assert_status(SKED_ERR_RANGE, compare(f, &more));
    more = t;
    (void)soft_row(&more, 4, 5, SKED_UNSET);
    more.rows[3].flags = SKED_ASK_GANG | SKED_ASK_SPREAD;
    assert_status(SKED_ERR_STATE, compare(f, &more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_restart_tells_soft_rules),
        engine_case(what_differs_in_soft_rules_is_told_anew),
        engine_case(expired_rules_are_none),
        engine_case(rules_and_soft_rules_have_terms_enough_together),
        engine_case(places_are_compared_by_their_rows),
        engine_case(places_are_told_after_what_runs),
        engine_case(racks_are_compared_by_their_rows),
        engine_case(what_is_withdrawn_prefers_nothing),
        engine_case(pools_are_compared_by_their_rows),
        engine_case(truths_that_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
