/*
 * What work costs, by the engine's own counters: queues and asks looked at.
 * An allocation costs the depth, not what else is there; a node event that can
 * do nothing costs nothing.
 */
#include "engine_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static void beat(engine_fixture *f, uint64_t node)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    while (engine_taken(f) > 0) continue;
}

/* Queues looked at for each task that `node` takes at once. */
static double queues_a_task(engine_fixture *f, uint64_t node)
{
    sked_engine_stats before = engine_stats_of(f);

    beat(f, node);
    sked_engine_stats after = engine_stats_of(f);
    uint64_t tasks = after.allocated - before.allocated;
    assert_true(tasks > 0);
    return (double)(after.queues_visited - before.queues_visited) /
           (double)tasks;
}

/* A parent with `n` leaves; every one of them or only one has work for each of
 * the first `partitions`. */
static void family_with_work(engine_fixture *f, unsigned n, unsigned busy,
                             uint32_t partitions)
{
    sked_queue_id *leaf = calloc(n, sizeof *leaf);
    sked_queue_id up = engine_queue(f, f->root, "up");
    char name[16];

    assert_non_null(leaf);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "q%u", i);
        leaf[i] = engine_queue(f, up, name);
    }
    engine_begin(f, NULL);
    for (uint32_t p = 0; p < partitions; p++) {
        engine_add_node(f, p + 1, p, 40, 40);
        beat(f, p + 1); /* what a new capacity costs is not the matter here */
    }
    for (unsigned i = 0; i < busy; i++) {
        engine_add_job(f, i + 1, leaf[i * (n / busy)], 0);
        for (uint32_t p = 0; p < partitions; p++) {
            assert_ok(engine_say(f,
                                 (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                              .key = 1000 * (p + 1) + i,
                                              .owner = i + 1,
                                              .count = 100,
                                              .partition = p,
                                              .amount = 1},
                                 1, 1));
        }
    }
    free(leaf);
}

/* [LNK-2] Depth 3: two steps down and as many up for each task, whether there
 * is one queue or ten thousand idle ones beside it. */
static void idle_queues_cost_nothing(void **state)
{
    engine_fixture *f = *state;

    family_with_work(f, 10000, 1, 1);
    assert_true(queues_a_task(f, 1) <= 8);
}

static void one_queue_costs_its_depth(void **state)
{
    engine_fixture *f = *state;

    family_with_work(f, 1, 1, 1);
    assert_true(queues_a_task(f, 1) <= 8);
}

static void many_busy_queues_cost_the_same(void **state)
{
    engine_fixture *f = *state;

    family_with_work(f, 40, 40, 1);
    assert_true(queues_a_task(f, 1) <= 8);
}

/* [LNK-2] What waits for another partition is not looked at: a task costs what
 * it costs with one partition, and so do the asks looked at. */
static void two_partitions_cost_what_one_costs(void **state)
{
    engine_fixture *f = *state;

    family_with_work(f, 40, 40, 2);
    double first = queues_a_task(f, 1);
    sked_engine_stats before = engine_stats_of(f);
    double second = queues_a_task(f, 2);
    sked_engine_stats after = engine_stats_of(f);

    assert_true(first <= 8 && second == first);
    /* And one look at the last that fits no longer. */
    assert_i64((int64_t)(after.asks_visited - before.asks_visited), 41);
}

/* Takes what a node event started and ends all of it. */
static void churn(engine_fixture *f, uint64_t node)
{
    uint64_t group[64];
    size_t n = 0, got;

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    while ((got = engine_taken(f)) > 0) {
        for (size_t i = 0; i < got && n < 64; i++) {
            if (f->last[i].kind != SKED_DECISION_ALLOCATE) continue;
            assert_i64(f->last[i].count, 1);
            group[n++] = f->last[i].group;
        }
    }
    for (size_t i = 0; i < n; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[i], 1));
    }
}

/* Queues and asks looked at for each task, over some rounds in which every
 * task started ends before the next, in so many busy partitions in turn. */
static double looks_a_task(uint32_t partitions)
{
    void *state;
    (void)engine_setup(&state);
    engine_fixture *f = state;

    family_with_work(f, 40, 40, partitions);
    for (uint32_t p = 0; p < partitions; p++) churn(f, p + 1);
    sked_engine_stats before = engine_stats_of(f);
    for (int round = 0; round < 50; round++) {
        for (uint32_t p = 0; p < partitions; p++) churn(f, p + 1);
    }
    sked_engine_stats after = engine_stats_of(f);
    uint64_t tasks = after.allocated - before.allocated;
    uint64_t looks = after.queues_visited - before.queues_visited +
                     after.asks_visited - before.asks_visited;
    assert_i64((int64_t)tasks, 50 * 40 * (int64_t)partitions);
    (void)engine_teardown(&state);
    return (double)looks / (double)tasks;
}

/* [LNK-2] The gate: two busy partitions cost, per task, within a tenth of what
 * one costs; so do eight. */
static void busy_partitions_cost_within_a_tenth_of_one(void **state)
{
    (void)state;
    double one = looks_a_task(1), two = looks_a_task(2), more = looks_a_task(8);

    printf("looks a task: %.2f with 1 partition, %.2f with 2, %.2f with 8\n",
           one, two, more);
    assert_true(one > 1);
    assert_true(two <= 1.1 * one);
    assert_true(more <= 1.1 * one);
}

/* A family in order `random` draws among those with work alone. */
static void chance_passes_idle_queues_by(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id last = SKED_NO_QUEUE;
    char name[16];

    for (unsigned i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof name, "q%u", i);
        last = engine_queue(f, f->root, name);
    }
    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_RANDOM);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 40, 40);
    beat(f, 1);
    engine_add_job(f, 1, last, 0);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    assert_true(queues_a_task(f, 1) <= 6);
}

/* Nodes without room, and nodes with room for which nothing new came, answer
 * without a look at any queue. */
static void fruitless_events_are_not_repeated(void **state)
{
    engine_fixture *f = *state;

    family_with_work(f, 40, 40, 1);
    engine_add_node(f, 9, 0, 0, 40);
    beat(f, 1);
    beat(f, 9);
    beat(f, 1);
    sked_engine_stats before = engine_stats_of(f);
    for (int i = 0; i < 1000; i++) beat(f, i % 2 ? 1 : 9);
    sked_engine_stats after = engine_stats_of(f);

    assert_i64((int64_t)(after.idle - before.idle), 1000);
    assert_i64((int64_t)(after.queues_visited - before.queues_visited), 0);
    assert_i64((int64_t)(after.asks_visited - before.asks_visited), 0);
}

/* A head of line that its queue's limit blocks is looked at once; others go
 * by, and it comes again when something is given back there. */
static void a_blocked_head_is_looked_at_once(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {10, SKED_UNLIMITED};
    sked_queue_id tight = engine_queue(f, f->root, "tight");
    sked_queue_id wide = engine_queue(f, f->root, "wide");

    assert_ok(sked_tree_set_vec(f->tree, tight, SKED_QUEUE_LIMIT, limit, NULL));
    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_FIFO);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, tight, 0);
    engine_add_job(f, 2, wide, 0);
    assert_ok(engine_add_ask(f, 1, 1, 5, 10, 1)); /* one of them fits */
    beat(f, 1);
    uint64_t looked = engine_stats_of(f).asks_visited;
    assert_i64((int64_t)looked, 2);

    for (uint64_t i = 0; i < 20; i++) {
        assert_ok(engine_add_ask(f, 10 + i, 2, 1, 1, 1));
        beat(f, 1);
    }
    assert_i64((int64_t)(engine_stats_of(f).asks_visited - looked), 20);
    assert_i64((int64_t)engine_stats_of(f).allocated, 21);
}

/* The wait for a node of a list, too: once for each node, until its time. */
static void a_wait_for_places_is_looked_at_when_it_is_over(void **state)
{
    engine_fixture *f = *state;
    const int32_t offsets[] = {0, 1};
    const uint64_t places[] = {77};
    const int64_t amounts[] = {1, 1};
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .node_delay_ns = 1000};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 3,
                      .amount = 1,
                      .places = 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &ask,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .place_offsets = offsets,
                         .places = places,
                         .n_places = 1};

    (void)engine_alone(f, &opts, 100, 100, 0);
    ask.time = f->now;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, NULL));
    for (f->now = 1; f->now < 1000; f->now++) beat(f, 1);
    assert_i64((int64_t)engine_stats_of(f).asks_visited, 1);
    assert_i64((int64_t)engine_stats_of(f).allocated, 0);
    beat(f, 1);
    assert_i64((int64_t)engine_stats_of(f).allocated, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(idle_queues_cost_nothing),
        engine_case(one_queue_costs_its_depth),
        engine_case(many_busy_queues_cost_the_same),
        engine_case(two_partitions_cost_what_one_costs),
        cmocka_unit_test(busy_partitions_cost_within_a_tenth_of_one),
        engine_case(chance_passes_idle_queues_by),
        engine_case(fruitless_events_are_not_repeated),
        engine_case(a_blocked_head_is_looked_at_once),
        engine_case(a_wait_for_places_is_looked_at_when_it_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
