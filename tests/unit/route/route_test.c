/* Routing by hand: the published examples, ties, ages, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "route/clusters.h"
#include "route_world.h"

static sked_route_answer once(const sked_route_input *s, int32_t policy,
                              const sked_route_jobs *jobs)
{
    sked_route_options opts = options_of(policy);
    sked_route_answer answer;

    assert_ok(sked_route_once(s, jobs, 0, &opts, NULL, &answer, NULL));
    return answer;
}

/*
 * [LNK-8] As published: A has 20 TB of 100 TB available, B 30 TB of 200 TB.
 * Absolute takes B; relative A (20 % of head room against 15 %).
 */
static void the_two_worked_examples(void **state)
{
    const int64_t tb = INT64_C(1000000000000);
    const int64_t capacity[] = {0, 100 * tb, 0, 200 * tb};
    const int64_t available[] = {0, 20 * tb, 0, 30 * tb};
    const int64_t request[] = {0, tb};
    sked_route_input s = clusters_of(2, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);

    (void)state;
    sked_route_answer a = once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs);
    assert_i64((int64_t)a.cluster, 2);
    assert_i64((int64_t)a.runner_up, 1);
    assert_i64(a.score.num, 30 * tb);
    assert_i64(a.score.den, 300 * tb);
    assert_i64(a.score.kind, 1);
    assert_i64(a.runner_score.num, 20 * tb);

    a = once(&s, SKED_ROUTE_POLICY_RELATIVE, &jobs);
    assert_i64((int64_t)a.cluster, 1);
    assert_i64(a.score.num, 20 * tb);
    assert_i64(a.score.den, 100 * tb);
    assert_i64(a.runner_score.den, 200 * tb);
}

/* [LNK-8] The third policy: most is available to the queue of the job. */
static void the_queue_decides_where_the_queue_is_asked(void **state)
{
    const int64_t capacity[] = {100, 100, 100, 100};
    const int64_t available[] = {90, 90, 10, 10};
    const int64_t in_queue[] = {5, 5, 40, 40, 9, 9, 10, 10};
    const int64_t request[] = {1, 1, 1, 1};
    const uint32_t queue[] = {0, 1};
    sked_route_input s = clusters_of(2, capacity, available);
    sked_route_jobs jobs = jobs_of(2, request);
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_QUEUE_ABSOLUTE);
    sked_route_answer a[2];

    (void)state;
    s.queues = 2;
    s.in_queue = in_queue;
    jobs.queue = queue;
    assert_ok(sked_route_once(&s, &jobs, 0, &opts, NULL, a, NULL));
    assert_i64((int64_t)a[0].cluster, 2);
    assert_i64((int64_t)a[1].cluster, 1);
    assert_i64(a[0].score.num, 9);
    assert_i64(a[0].score.den, 200);
}

/* Absolute less the cost: a fifth of the data missing outweighs a tenth more
 * that is available, until the weight is made small. */
static void data_that_is_not_there_costs(void **state)
{
    const int64_t capacity[] = {500, 500, 500, 500};
    const int64_t available[] = {300, 300, 200, 200};
    const int64_t request[] = {1, 1};
    const uint32_t missing[] = {200000, 0};
    sked_route_input s = clusters_of(2, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_LOCALITY);
    sked_route_answer a;

    (void)state;
    jobs.missing = missing;
    a = once(&s, SKED_ROUTE_POLICY_LOCALITY, &jobs);
    assert_i64((int64_t)a.cluster, 2);
    assert_i64(a.score.cost, 0);
    assert_i64(a.runner_score.cost, INT64_C(200000000000));
    opts.locality_weight_ppm = 500000; /* 0.3 - 0.1 = 0.2: equal, smaller id */
    assert_ok(sked_route_once(&s, &jobs, 0, &opts, NULL, &a, NULL));
    assert_i64((int64_t)a.cluster, 1);
    opts.locality_weight_ppm = 500001;
    assert_ok(sked_route_once(&s, &jobs, 0, &opts, NULL, &a, NULL));
    assert_i64((int64_t)a.cluster, 2);
    assert_i64((int64_t)once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs).cluster, 1);
}

/* [LNK-10] No node of the first is large enough, whatever it has in all. */
static void only_what_can_ever_hold_it_is_eligible(void **state)
{
    const int64_t capacity[] = {1000, 1000, 100, 100, 10, 10};
    const int64_t available[] = {900, 900, -5, -5, 10, 10};
    const uint32_t from[] = {0, 2, 3, 4};
    const int64_t shapes[] = {40, 10, 10, 40, 20, 20, 10, 10};
    const int64_t request[] = {20, 20};
    sked_route_input s = clusters_of(3, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);

    (void)state;
    s.shape_from = from;
    s.shapes = shapes;
    sked_route_answer a = once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs);
    assert_i64((int64_t)a.cluster, 2);
    assert_i64(a.eligible, 1);
    assert_i64((int64_t)a.runner_up, (int64_t)SKED_ROUTE_NO_CLUSTER);
    assert_i64(a.runner_score.den, 0);
    s.n = 1;
    a = once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs);
    assert_i64((int64_t)a.cluster, (int64_t)SKED_ROUTE_NO_CLUSTER);
    assert_i64(a.eligible, 0);
}

static void kinds_not_asked_for_are_ignored(void **state)
{
    const int64_t capacity[] = {100, 100, 100, 0};
    const int64_t available[] = {50, -100, 49, 0};
    const int64_t request[] = {1, 0, 0, 0};
    sked_route_input s = clusters_of(2, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);

    (void)state;
    assert_i64((int64_t)once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs).cluster, 1);
    jobs = jobs_of(1, request + 2); /* nothing at all: the smaller id */
    sked_route_answer a = once(&s, SKED_ROUTE_POLICY_RELATIVE, &jobs);
    assert_i64((int64_t)a.cluster, 1);
    assert_i64(a.score.kind, -1);
    assert_i64(a.score.den, 1);
}

/* Fractions that doubles cannot tell apart. */
static void a_unit_in_2_to_the_60_decides(void **state)
{
    const int64_t big = (int64_t)1 << 60;
    const int64_t capacity[] = {big, 0, big - 1, 0};
    const int64_t available[] = {big / 2, 0, big / 2, 0};
    const int64_t request[] = {1, 0};
    sked_route_input s = clusters_of(2, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);

    (void)state;
    assert_i64((int64_t)once(&s, SKED_ROUTE_POLICY_RELATIVE, &jobs).cluster, 2);
    assert_i64((int64_t)once(&s, SKED_ROUTE_POLICY_ABSOLUTE, &jobs).cluster, 1);
}

static void ties_go_to_the_smaller_id(void **state)
{
    const int64_t request[] = {1, 1};
    sked_route_jobs jobs = jobs_of(1, request);
    world *w = *state;
    sked_route_answer a;

    make(w, 0);
    assert_ok(sked_route_decide(w->router, &jobs, 0, &a, NULL));
    assert_i64((int64_t)a.cluster, 10);
    assert_i64((int64_t)a.runner_up, 30);
}

/* [LNK-9] The answer and the news that it is old. */
static void old_figures_still_answer(void **state)
{
    const int64_t request[] = {1, 1};
    sked_route_jobs jobs = jobs_of(1, request);
    world *w = *state;
    sked_route_answer a;

    make(w, 150);
    assert_ok(sked_route_decide(w->router, &jobs, 250, &a, NULL));
    assert_i64(a.age_ns, 50);
    assert_status(SKED_STALE,
                  sked_route_decide(w->router, &jobs, 251, &a, NULL));
    assert_i64((int64_t)a.cluster, 10);
    assert_i64(a.stale, 1);
    assert_status(SKED_STALE,
                  sked_route_decide(w->router, &jobs, INT64_MAX, &a, NULL));
    assert_i64(a.stale, 3);
    assert_ok(sked_route_decide(w->router, &jobs, INT64_MIN + 1, &a, NULL));
}

/* [LNK-9] A snapshot without a cluster: it keeps what it had. */
static void a_silent_cluster_keeps_its_figures(void **state)
{
    const uint64_t id[] = {10};
    const int64_t capacity[] = {100, 100}, available[] = {1, 1};
    const int64_t request[] = {1, 1};
    sked_route_input s = clusters_of(1, capacity, available);
    sked_route_jobs jobs = jobs_of(1, request);
    world *w = *state;
    sked_route_answer a;
    int64_t left[KINDS];

    make(w, 0);
    s.id = id;
    assert_ok(sked_route_update(w->router, &s, NULL));
    assert_ok(sked_route_decide(w->router, &jobs, 0, &a, NULL));
    assert_i64((int64_t)a.cluster, 30);
    assert_i64(a.eligible, 3);
    assert_ok(sked_route_remove(w->router, 30, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_route_remove(w->router, 30, NULL));
    assert_ok(sked_route_decide(w->router, &jobs, 0, &a, NULL));
    assert_i64((int64_t)a.cluster, 20);
    assert_i64(a.score.den, 200);
    assert_ok(sked_route_replace(w->router, &s, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_route_available(w->router, 20, left));
}

/* A burst spreads once it is charged. */
static void a_burst_does_not_pile_up(void **state)
{
    const int64_t request[] = {2, 1, 2, 1, 2, 1, 2, 1};
    const int64_t instances[] = {1, 1, 1, 1};
    sked_route_jobs jobs = jobs_of(4, request);
    world *w = *state;
    sked_route_answer a[4];
    int64_t left[KINDS];

    make(w, 0);
    jobs.instances = instances;
    assert_ok(sked_route_decide(w->router, &jobs, 0, a, NULL));
    for (int i = 0; i < 4; i++) assert_i64((int64_t)a[i].cluster, 10);
    assert_ok(sked_route_charge(w->router, &jobs, 0, a, NULL));
    assert_i64((int64_t)a[0].cluster, 10);
    assert_i64((int64_t)a[1].cluster, 30);
    assert_i64((int64_t)a[2].cluster, 20);
    assert_i64((int64_t)a[3].cluster, 10);
    assert_ok(sked_route_available(w->router, 10, left));
    assert_i64(left[0], 6);
    assert_i64(left[1], 8);
}

static void a_stopped_burst_is_given_back(void **state)
{
    enum { MANY = 200 };
    int64_t request[MANY * KINDS] = {0};
    sked_route_jobs jobs = jobs_of(MANY, request);
    world *w = *state;
    sked_route_answer a[MANY];

    for (int i = 0; i < MANY; i++) {
        request[2 * i] = i % 3 ? 1 : 500; /* some fit nowhere */
        request[2 * i + 1] = 1;
    }
    make(w, 0);
    uint64_t before = sked_route_digest(w->router);
    w->host.checks = 0;
    w->host.stop_at = 3;
    w->host.stop_with = -1234;
    assert_i64(sked_route_charge(w->router, &jobs, 0, a, NULL), -1234);
    assert_true(sked_route_digest(w->router) == before);
    w->host.stop_at = 0;
    assert_ok(sked_route_charge(w->router, &jobs, 0, a, NULL));
    assert_true(sked_route_digest(w->router) != before);
}

static sked_status charged(world *w, uint32_t n, int64_t cpu)
{
    const int64_t request[] = {cpu, 1, cpu, 1, cpu, 1};
    sked_route_jobs jobs = jobs_of(n, request);
    sked_route_answer a[3];

    return sked_route_charge(w->router, &jobs, 0, a, NULL);
}

/* How much can be charged follows from what is available, whatever was charged
 * elsewhere or nowhere. */
static void what_can_be_charged_is_what_is_available(void **state)
{
    const int64_t most = SKED_AMOUNT_MAX;
    const int64_t capacity[] = {most, 10}, small[] = {10, 10, 10, 10};
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_ABSOLUTE);
    sked_route_input s = clusters_of(1, capacity, capacity);
    sked_host hooks;
    world *w = *state;

    hooks = test_host_hooks(&w->host);
    assert_ok(sked_route_new(&opts, &hooks, &w->router, NULL));
    assert_ok(sked_route_replace(w->router, &s, NULL));
    assert_ok(charged(w, 3, most / 2)); /* from most to half below 0 */
    assert_ok(charged(w, 1, most / 2));
    assert_status(SKED_ERR_RANGE, charged(w, 1, 1));
    assert_ok(sked_route_check(w->router, NULL));

    s = clusters_of(2, small, small);
    assert_ok(sked_route_replace(w->router, &s, NULL));
    assert_ok(charged(w, 2, most / 2)); /* no cluster can ever hold them */
    assert_ok(charged(w, 1, 1));
    assert_ok(sked_route_check(w->router, NULL));
}

static void a_broken_router_is_found(void **state)
{
    const int64_t capacity[] = {10, 10, 20, 20}, available[] = {9, 9, 20, 20};
    const int64_t in_queue[] = {1, 1, 2, 2, 3, 3, 4, 4};
    sked_route_input s = clusters_of(2, capacity, available);
    world *w = *state;
    sked_error err;

    make(w, 0);
    assert_ok(sked_route_check(w->router, NULL));
    s.queues = 2;
    s.in_queue = in_queue;
    assert_ok(sked_route_replace(w->router, &s, NULL));
    assert_ok(sked_route_check(w->router, NULL));
    skedi_clusters *c = &w->router->clusters;
    skedi_route_view *v = &w->router->view;
    int64_t *const numbers[] = {
        &c->capacity[0], &c->available[3],      &c->in_queue[7], &v->total[1],
        &v->smallest[0], &w->router->lowest[0], &c->available[0]};
    const int64_t bad[] = {-1, 21, -SKED_AMOUNT_MAX - 1, 31, 9, 5, -1};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t was = *numbers[i];
        *numbers[i] = bad[i];
        assert_status(SKED_ERR_INTERNAL, sked_route_check(w->router, &err));
        *numbers[i] = was;
        assert_ok(sked_route_check(w->router, NULL));
    }
    c->id[0] = 2;
    assert_status(SKED_ERR_INTERNAL, sked_route_check(w->router, &err));
    assert_i64(err.row, 1);
    c->id[0] = 0;
    assert_status(SKED_ERR_INTERNAL, sked_route_check(w->router, &err));
    c->id[0] = 1;
    uint32_t *const words[] = {&c->shape_from[0], &c->shape_from[1],
                               &c->shape_from[2], &c->n_shapes, &v->n};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *words[i] += 5;
        assert_status(SKED_ERR_INTERNAL, sked_route_check(w->router, &err));
        *words[i] -= 5;
    }
    c->capacity[0] = c->capacity[2] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_INTERNAL, sked_route_check(w->router, &err));
    c->capacity[0] = 10, c->capacity[2] = 20;
    assert_ok(sked_route_check(w->router, NULL));
    assert_status(SKED_ERR_ARG, sked_route_check(NULL, &err));
}

static void queues_are_counted(void **state)
{
    const int64_t capacity[] = {10, 10}, in_queue[] = {1, 1, 2, 2};
    const int64_t request[] = {1, 1};
    const uint32_t queue[] = {2};
    sked_route_input s = clusters_of(1, capacity, in_queue);
    sked_route_jobs jobs = jobs_of(1, request);
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_QUEUE_ABSOLUTE);
    sked_host hooks;
    world *w = *state;

    hooks = test_host_hooks(&w->host);
    assert_ok(sked_route_new(&opts, &hooks, &w->router, NULL));
    s.queues = 2;
    s.in_queue = in_queue;
    assert_ok(sked_route_update(w->router, &s, NULL));
    jobs.queue = queue;
    refused_job(w, &jobs, SKED_ERR_RANGE, 0);
    const int64_t huge[] = {SKED_AMOUNT_MAX, 10};
    const uint64_t second[] = {2};
    sked_route_input more = s;
    more.capacity = huge;
    more.id = second;
    uint64_t before = sked_route_digest(w->router);
    assert_status(SKED_ERR_RANGE, sked_route_update(w->router, &more, NULL));
    assert_true(sked_route_digest(w->router) == before);
    uint32_t known = w->router->clusters.n;
    w->router->clusters.n = INT32_MAX; /* as many as there may ever be */
    assert_status(SKED_ERR_RANGE, sked_route_update(w->router, &s, NULL));
    w->router->clusters.n = known;
    more.capacity = capacity;
    assert_ok(sked_route_update(w->router, &more, NULL));
    s.queues = 1;
    assert_status(SKED_ERR_STATE, sked_route_update(w->router, &s, NULL));
    s.in_queue = NULL;
    assert_status(SKED_ERR_STATE, sked_route_update(w->router, &s, NULL));
    assert_ok(sked_route_remove(w->router, 2, NULL));
    assert_ok(sked_route_update(w->router, &s, NULL)); /* none stays */
    s.in_queue = in_queue;
    assert_ok(sked_route_update(w->router, &s, NULL));
    assert_ok(sked_route_check(w->router, NULL));
    s.n = 0;
    s.queues = 2;
    assert_status(SKED_ERR_STATE, sked_route_update(w->router, &s, NULL));
}

/* [LNK-11] Four racks of four, split in two: everything stays in the rack. */
static void a_striped_cluster_keeps_its_racks(void **state)
{
    uint32_t rack[16], part[16], reach[2];

    (void)state;
    for (uint32_t i = 0; i < 16; i++) rack[i] = i / 4;
    assert_ok(sked_route_stripe(rack, 16, 2, NULL, part, reach, NULL));
    assert_i64(reach[0], 16);
    assert_i64(reach[1], 16);
    for (uint32_t i = 0; i < 16; i++) rack[i] = i; /* nothing to stripe */
    assert_ok(sked_route_stripe(rack, 16, 2, NULL, part, reach, NULL));
    assert_i64(reach[0], 8);
}

/* What replaces, adds and removes leaves the old figures when it fails. */
static sked_status life(test_host *host, void *arg)
{
    const uint64_t id[] = {3, 1};
    const int64_t capacity[] = {10, 10, 20, 20}, in_queue[8] = {0};
    const int64_t request[] = {1, 1};
    const uint32_t rack[] = {1, 2};
    sked_host hooks = test_host_hooks(host);
    sked_route_input s = clusters_of(2, capacity, capacity), one;
    sked_route_jobs jobs = jobs_of(1, request);
    sked_route_answer a;
    uint32_t part[2];
    sked_route *router;
    sked_status rc = sked_route_new(NULL, &hooks, &router, NULL);

    (void)arg;
    if (rc != SKED_OK) return rc;
    s.id = id;
    s.queues = 2;
    s.in_queue = in_queue;
    one = s;
    one.n = 1;
    uint64_t before = sked_route_digest(router);
    rc = sked_route_replace(router, &s, NULL);
    if (rc == SKED_OK) {
        before = sked_route_digest(router);
        rc = sked_route_update(router, &one, NULL);
        assert_true(sked_route_digest(router) == before);
    }
    if (rc == SKED_OK) rc = sked_route_remove(router, 1, NULL);
    if (rc != SKED_OK) {
        assert_true(sked_route_digest(router) == before);
    } else {
        rc = sked_route_charge(router, &jobs, 0, &a, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_route_stripe(rack, 2, 2, &hooks, part, NULL, NULL);
    }
    sked_route_free(router);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        route_case(the_two_worked_examples),
        route_case(the_queue_decides_where_the_queue_is_asked),
        route_case(data_that_is_not_there_costs),
        route_case(only_what_can_ever_hold_it_is_eligible),
        route_case(kinds_not_asked_for_are_ignored),
        route_case(a_unit_in_2_to_the_60_decides),
        route_case(ties_go_to_the_smaller_id),
        route_case(old_figures_still_answer),
        route_case(a_silent_cluster_keeps_its_figures),
        route_case(a_burst_does_not_pile_up),
        route_case(a_stopped_burst_is_given_back),
        route_case(what_can_be_charged_is_what_is_available),
        route_case(a_broken_router_is_found),
        route_case(queues_are_counted),
        route_case(a_striped_cluster_keeps_its_racks),
        route_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
