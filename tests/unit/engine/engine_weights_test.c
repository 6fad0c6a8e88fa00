/*
 * Weights that the host says: past usage as a term of orders and shares, behind
 * guarantees, until it says another or the tree's.
 */
#include "engine_fixture.h"

#include <sched/fill.h>

typedef struct two_queues {
    sked_queue_id a, b;
} two_queues;

static sked_status weigh(engine_fixture *f, sked_queue_id queue, int64_t weight)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_QUEUE_WEIGHT,
                                   .queue = queue,
                                   .count = weight},
                      0, 0);
}

/* Queues a and b of weight 10 on a node of 12 cpu, each with 12 tasks open. What a
 * is guaranteed of cpu, in an order of the root. */
static two_queues begin_with(engine_fixture *f, const sked_engine_options *o,
                             int64_t guarantee, int64_t order)
{
    two_queues q = {engine_queue(f, f->root, "a"),
                    engine_queue(f, f->root, "b")};
    const int64_t amounts[] = {guarantee, 0};

    engine_set(f, q.a, SKED_QUEUE_WEIGHT, 10);
    engine_set(f, q.b, SKED_QUEUE_WEIGHT, 10);
    engine_set(f, f->root, SKED_QUEUE_ORDER, order);
    assert_ok(
        sked_tree_set_vec(f->tree, q.a, SKED_QUEUE_GUARANTEE, amounts, NULL));
    engine_begin(f, o);
    engine_add_node(f, 1, 0, 12, 100);
    engine_add_job(f, 1, q.a, 1);
    engine_add_job(f, 2, q.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 12, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 12, 1, 1));
    (void)engine_taken(f);
    return q;
}

static two_queues begin(engine_fixture *f, int64_t guarantee, int64_t order)
{
    return begin_with(f, NULL, guarantee, order);
}

/* What a queue holds of cpu once the node is full. */
static int64_t held(engine_fixture *f, sked_queue_id queue)
{
    int64_t usage[2];

    (void)engine_beat(f, 1);
    assert_ok(sked_engine_usage(f->engine, queue, 0, usage, NULL));
    return usage[0];
}

static void past_usage_counts_in_each_order(void **state)
{
    static const int64_t orders[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR,
        SKED_ORDER_POLICY_UTILISATION, SKED_ORDER_POLICY_SHARE};

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        engine_fixture *f = *state;
        const uint32_t weight[] = {10, 10};
        const int64_t usage[] = {300,
                                 100}; /* decayed: a used three times b's */
        int64_t corrected[2];

        two_queues q = begin(f, 0, orders[i]);
        assert_ok(sked_fill_time_weights(weight, usage, 2, 400, 1000000,
                                         corrected, NULL));
        assert_i64(corrected[1], 3 * corrected[0]); /* 1/4 and 3/4 */
        assert_ok(weigh(f, q.a, 1));
        assert_ok(weigh(f, q.b, corrected[1] / corrected[0]));
        assert_i64(held(f, q.a), 3);
        assert_int_equal(engine_teardown(state), 0);
        assert_int_equal(engine_setup(state), 0);
    }
}

static void guarantees_go_first(void **state)
{
    engine_fixture *f = *state;
    two_queues q = begin(f, 8, SKED_ORDER_POLICY_DRF);

    assert_ok(weigh(f, q.a, 1));
    assert_ok(weigh(f, q.b, UINT32_MAX));
    assert_i64(held(f, q.a), 8);
}

static void another_weight_or_the_trees_may_be_said(void **state)
{
    engine_fixture *f = *state;
    two_queues q = begin(f, 0, SKED_ORDER_POLICY_DRF);
    uint64_t before = sked_engine_state_digest(f->engine);

    assert_ok(weigh(f, q.a, 30));
    assert_true(sked_engine_state_digest(f->engine) != before);
    assert_ok(weigh(f, q.a, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(weigh(f, q.a, 30));
    engine_begin(f, NULL); /* a commit keeps it */
    assert_i64(held(f, q.a), 9);

    /* With weight 0 in the tree nothing is kept of it. */
    engine_set(f, q.a, SKED_QUEUE_WEIGHT, 0);
    engine_begin(f, NULL);
    engine_set(f, q.a, SKED_QUEUE_WEIGHT, 10);
    engine_begin(f, NULL);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    engine_add_node(f, 1, 0, 12, 100);
    assert_i64(held(f, q.a), 6);
}

static void what_is_no_weight_is_refused(void **state)
{
    engine_fixture *f = *state;
    two_queues q = begin(f, 0, SKED_ORDER_POLICY_DRF);
    sked_queue_id c = engine_queue(f, f->root, "c");

    engine_set(f, c, SKED_QUEUE_WEIGHT, 0);
    engine_begin(f, NULL);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STALE, weigh(f, 12345, 1));
    assert_status(SKED_ERR_STATE, weigh(f, f->root, 1));
    assert_status(SKED_ERR_STATE, weigh(f, c, 1));
    assert_status(SKED_ERR_RANGE, weigh(f, q.a, -1));
    assert_status(SKED_ERR_RANGE, weigh(f, q.a, (int64_t)UINT32_MAX + 1));
    assert_i64(f->err.limit, UINT32_MAX);
    assert_true(sked_engine_state_digest(f->engine) == before);
}

static void shares_are_made_anew_for_it(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_per_pass = 1};
    two_queues q = begin_with(f, &o, 0, SKED_ORDER_POLICY_SHARE);

    for (int i = 0; i < 6; i++) assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(weigh(f, q.a, 30)); /* a has 3, b has 3; nothing else changed */
    for (int64_t i = 4; i <= 9; i++) assert_i64(held(f, q.a), i);
}

/* What a job of a queue is told of weights: how many lines; the first of them. */
static size_t told_weights(engine_fixture *f, uint64_t job,
                           sked_engine_bound *first)
{
    sked_engine_bound bounds[32];
    size_t n, lines = 0;

    assert_ok(sked_engine_explain_job(f->engine, job, bounds, 32, &n));
    while (n-- > 0) {
        if (bounds[n].reason != SKED_REASON_WEIGHT) continue;
        assert_int_equal(bounds[n].binds, 0);
        assert_i64((int64_t)bounds[n].ask, 0);
        *first = bounds[n];
        lines++;
    }
    return lines;
}

static void explanations_name_it(void **state)
{
    engine_fixture *f = *state;
    two_queues q = begin(f, 0, SKED_ORDER_POLICY_DRF);
    sked_engine_bound line;

    assert_int_equal(told_weights(f, 1, &line), 0);
    assert_ok(weigh(f, q.a, 30));
    assert_int_equal(told_weights(f, 1, &line), 1);
    assert_true(line.queue == q.a);
    assert_i64(line.need, 30);
    assert_i64(line.bound, 10);
    assert_int_equal(told_weights(f, 2, &line), 0); /* not on its path */
    assert_ok(weigh(f, q.a, 10));                   /* as the tree has it */
    assert_int_equal(told_weights(f, 1, &line), 0);
    assert_ok(weigh(f, q.a, 30));
    assert_ok(weigh(f, q.a, 0));
    assert_int_equal(told_weights(f, 1, &line), 0);
    assert_string_equal(sked_reason_name(SKED_REASON_WEIGHT),
                        "its queue has a weight of the host's");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(past_usage_counts_in_each_order),
        engine_case(guarantees_go_first),
        engine_case(another_weight_or_the_trees_may_be_said),
        engine_case(what_is_no_weight_is_refused),
        engine_case(shares_are_made_anew_for_it),
        engine_case(explanations_name_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
