/* How long a search for victims may take, and calls that are cut short. */
#include "host.h"
#include "preempt_round.h"
#include "test.h"

enum { MOST = 500 };

/* One queue that keeps nothing, and the tasks it runs. */
typedef struct one_queue {
    int64_t usage, keep, need;
    int64_t amount[MOST], cost[MOST];
    uint32_t queue[MOST];
    sked_preempt_victim victims[MOST];
    sked_preempt_result plan;
    sked_preempt_input in;
} one_queue;

static void make_queue(one_queue *q, uint32_t n, int64_t usage, int64_t need)
{
    *q = (one_queue){.usage = usage, .need = need};
    q->plan = (sked_preempt_result){.struct_size = sizeof q->plan,
                                    .victims = q->victims,
                                    .victims_cap = MOST};
    q->in = (sked_preempt_input){.struct_size = sizeof q->in,
                                 .kinds = 1,
                                 .n_queues = 1,
                                 .n = n,
                                 .usage = &q->usage,
                                 .keep = &q->keep,
                                 .need = &q->need,
                                 .queue = q->queue,
                                 .amount = q->amount,
                                 .cost = q->cost};
}

/* Sizes that nearly add up: a search that takes its time. */
static void make_hard(one_queue *q, uint64_t work)
{
    make_queue(q, 24, 100000, 50001);
    q->in.work = work;
    for (int64_t i = 0; i < 24; i++) {
        q->amount[i] = 4000 + i * 37 % 29;
        q->cost[i] = 4000 + i * 37 % 31;
    }
}

static void queue_plan_holds(one_queue *q)
{
    assert_ok(sked_preempt_select(&q->in, NULL, &q->plan, NULL));
    assert_ok(sked_preempt_verify(&q->in, &q->plan, NULL, NULL));
}

static void little_work_leaves_a_gap_that_is_said(void **state)
{
    static one_queue q;
    (void)state;

    make_hard(&q, 1);
    queue_plan_holds(&q);
    int64_t first = q.plan.cost;
    assert_true(q.plan.bound < q.plan.cost);
    q.in.work = 200000000;
    assert_ok(sked_preempt_select(&q.in, NULL, &q.plan, NULL));
    assert_i64(q.plan.bound, q.plan.cost);
    assert_true(q.plan.cost <= first);
}

/* Of many alike in size the cheapest go, whatever order they come in. */
/* Of tasks that are alike it does not matter which go, however many there are: it
 * is the sorts that make work. */
static void alike_tasks_are_little_work(void **state)
{
    static one_queue q;
    (void)state;

    make_hard(&q, 500000);
    for (int64_t i = 0; i < 24; i++) {
        q.amount[i] = 4000 + i / 6 * 37 % 29;
        q.cost[i] = 4000 + i / 6 * 37 % 31;
    }
    queue_plan_holds(&q);
    assert_i64(q.plan.bound, q.plan.cost);
    assert_true(q.plan.steps < 200000);
}

static void the_cheapest_of_many_go(void **state)
{
    enum { NEED = 123 };
    static one_queue q;
    (void)state;

    make_queue(&q, MOST, MOST, NEED);
    for (int64_t i = 0; i < MOST; i++) {
        q.amount[i] = 1;
        q.cost[i] = i * 211 % MOST; /* each number once */
    }
    queue_plan_holds(&q);
    assert_i64((int64_t)q.plan.n_victims, NEED);
    assert_i64(q.plan.cost, NEED * (NEED - 1) / 2);
    assert_i64(q.plan.bound, q.plan.cost);
}

/* Requests of more sizes than places are remembered for. */
static void requests_of_many_sizes_are_served(void **state)
{
    enum { SIZES = 40, WORKERS = 80 };
    int64_t usage[2] = {64 * WORKERS, 0}, share[2] = {0, 64 * WORKERS};
    int64_t amount[WORKERS], request_amount[SIZES];
    uint32_t queue[WORKERS] = {0}, node[WORKERS], request_queue[SIZES];
    sked_preempt_victim victims[WORKERS];
    sked_preempt_placement placements[WORKERS];
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = WORKERS,
                                .placements_cap = WORKERS};
    sked_preempt_input in = {.struct_size = sizeof in,
                             .kinds = 1,
                             .n_queues = 2,
                             .n_nodes = WORKERS,
                             .n_requests = SIZES,
                             .n = WORKERS,
                             .usage = usage,
                             .share = share,
                             .queue = queue,
                             .amount = amount,
                             .node = node,
                             .request_queue = request_queue,
                             .request_amount = request_amount};
    (void)state;

    for (uint32_t i = 0; i < WORKERS; i++) {
        amount[i] = 64;
        node[i] = i;
    }
    for (uint32_t r = 0; r < SIZES; r++) {
        request_queue[r] = 1;
        request_amount[r] = 64 - (int64_t)r;
    }
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
    assert_i64((int64_t)plan.served, SIZES);
    assert_i64(plan.cost, plan.bound);
    for (uint32_t r = 0; r < SIZES; r++) request_amount[r] = 64 - r % 7;
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
    assert_i64((int64_t)plan.served, SIZES);
}

static sked_status preempt_scenario(test_host *h, void *arg)
{
    static const int32_t keys[] = {SKED_RANK_KEY_PRIORITY};
    static const int32_t priority[14] = {3, 1, 2};
    uint32_t gangs[14] = {1, 1};
    sked_host hooks = test_host_hooks(h);
    sked_rank_input rank = {.struct_size = sizeof rank,
                            .n = 14,
                            .n_keys = 1,
                            .keys = keys,
                            .priority = priority};
    int requests = *(int *)arg;
    preempt_round w;

    if (requests) {
        preempt_by_request(&w);
        w.request_count[0] = 2;
    } else {
        preempt_by_need(&w);
    }
    w.in.rank = &rank;
    w.in.gang = gangs;
    sked_status rc = sked_preempt_select(&w.in, &hooks, &w.plan, NULL);
    if (rc != SKED_OK) {
        assert_i64((int64_t)w.plan.n_victims, 0);
        assert_i64(w.victims[0].count, 0);
        return rc;
    }
    return sked_preempt_verify(&w.in, &w.plan, &hooks, NULL);
}

/* Three tasks of one unit; one of the two of high priority is surplus, and the one of
 * low priority is, too. Two are to go, and the first two are of a job that may lose
 * one: so the dear one goes with that of low priority, in whose place the first may
 * not go. */
static void tasks_of_other_priority_do_not_stand_for_each_other(void **state)
{
    const int64_t usage[2] = {3, 0}, share[2] = {0, 9}, keep[2] = {1, 9};
    const int64_t amount[3] = {1, 1, 1}, cost[3] = {1, 1, 2}, asked = 2;
    const int64_t budget[2] = {1, 1};
    const uint32_t queue[3] = {0}, job[3] = {0, 0, 1}, asks = 1;
    const int32_t priority[3] = {5, 0, 5};
    sked_preempt_victim victims[3];
    sked_preempt_placement placements[1];
    sked_preempt_input in = {.struct_size = sizeof in,
                             .kinds = 1,
                             .n_queues = 2,
                             .n_jobs = 2,
                             .n_requests = 1,
                             .n = 3,
                             .usage = usage,
                             .share = share,
                             .keep = keep,
                             .queue = queue,
                             .amount = amount,
                             .cost = cost,
                             .job = job,
                             .priority = priority,
                             .request_queue = &asks,
                             .request_amount = &asked};
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = 3,
                                .placements_cap = 1};
    (void)state;

    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_i64(plan.cost, 1 + 1);
    in.job_budget = budget;
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_i64(plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64((int64_t)plan.served, 1);
    assert_i64(plan.cost, 1 + 2);
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
}

/* A search that goes on for some time, and is stopped. */
static sked_status search_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    static one_queue q;
    (void)arg;

    make_hard(&q, 20000);
    sked_status rc = sked_preempt_select(&q.in, &hooks, &q.plan, NULL);
    if (rc == SKED_OK) assert_true(h->checks > 1);
    if (rc != SKED_OK) assert_i64(q.victims[0].count, 0);
    return rc;
}

static void a_call_that_fails_writes_nothing(void **state)
{
    int requests = 0;
    (void)state;

    test_sweep(preempt_scenario, &requests, 0);
    requests = 1;
    test_sweep(preempt_scenario, &requests, 0);
    test_sweep(search_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_work_leaves_a_gap_that_is_said),
        cmocka_unit_test(alike_tasks_are_little_work),
        cmocka_unit_test(the_cheapest_of_many_go),
        cmocka_unit_test(requests_of_many_sizes_are_served),
        cmocka_unit_test(tasks_of_other_priority_do_not_stand_for_each_other),
        cmocka_unit_test(a_call_that_fails_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
