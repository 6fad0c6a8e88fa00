/* Routing by hand: the published examples, ties, ages, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"
#include "route/clusters.h"

enum { KINDS = 2 };

typedef struct world {
    test_host host;
    sked_route *router;
} world;

static int setup(void **state)
{
    static world w;

    w = (world){0};
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_route_free(w->router);
    return w->host.live == 0 ? 0 : -1;
}

static sked_route_options options_of(int32_t policy)
{
    return (sked_route_options){.struct_size = sizeof(sked_route_options),
                                .kinds = KINDS,
                                .policy = policy};
}

static sked_route_input clusters_of(uint32_t n, const int64_t *capacity,
                                    const int64_t *available)
{
    return (sked_route_input){.struct_size = sizeof(sked_route_input),
                              .n = n,
                              .capacity = capacity,
                              .available = available};
}

static sked_route_jobs jobs_of(uint32_t n, const int64_t *request)
{
    return (sked_route_jobs){
        .struct_size = sizeof(sked_route_jobs), .n = n, .request = request};
}

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

/* [LNK-8] The third: most in the queue this job runs in. */
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
 * room, until the weight is made small. */
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

static void make(world *w, int64_t max_age)
{
    const uint64_t id[] = {30, 10, 20};
    const sked_time time[] = {100, 200, 300};
    const int64_t capacity[] = {100, 100, 100, 100, 100, 100};
    const int64_t available[] = {10, 10, 10, 10, 9, 9};
    sked_host hooks = test_host_hooks(&w->host);
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_ABSOLUTE);
    sked_route_input s = clusters_of(3, capacity, available);

    opts.max_age_ns = max_age;
    s.id = id;
    s.time = time;
    assert_ok(sked_route_new(&opts, &hooks, &w->router, NULL));
    assert_ok(sked_route_replace(w->router, &s, NULL));
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

static void refused(const sked_route_input *s, sked_status why, int64_t row)
{
    const int64_t request[] = {1, 1};
    sked_route_jobs jobs = jobs_of(1, request);
    sked_route_options opts = options_of(SKED_ROUTE_POLICY_ABSOLUTE);
    sked_error err = {.code = SKED_OK};
    sked_route_answer a;

    assert_status(why, sked_route_once(s, &jobs, 0, &opts, NULL, &a, &err));
    assert_status(why, err.code);
    assert_i64(err.row, row);
}

static void a_bad_snapshot_is_refused_with_its_row(void **state)
{
    int64_t capacity[] = {10, 10, 10, 10}, available[] = {1, 1, 1, 1};
    int64_t in_queue[] = {1, 1, 1, 1}, shapes[] = {1, 1, 1, 1};
    uint64_t id[] = {5, 4, 5};
    uint32_t from[] = {0, 1, 2};
    const sked_route_input good = clusters_of(2, capacity, available);
    sked_route_input s = good;

    (void)state;
    capacity[2] = -1;
    refused(&s, SKED_ERR_RANGE, 1);
    capacity[2] = SKED_AMOUNT_MAX;
    refused(&s, SKED_ERR_RANGE, -1); /* the sum */
    capacity[2] = 10;
    available[3] = 11;
    refused(&s, SKED_ERR_RANGE, 1);
    available[3] = -SKED_AMOUNT_MAX - 1;
    refused(&s, SKED_ERR_RANGE, 1);
    available[3] = 1;
    s.in_queue = in_queue;
    refused(&s, SKED_ERR_ARG, -1); /* no number of queues */
    s.queues = 1;
    in_queue[1] = 12;
    refused(&s, SKED_ERR_RANGE, 0);
    in_queue[1] = -SKED_AMOUNT_MAX - 1;
    refused(&s, SKED_ERR_RANGE, 0);
    s.queues = SKED_MAX_QUEUES + 1;
    refused(&s, SKED_ERR_RANGE, -1);
    s = good;
    s.shape_from = from;
    refused(&s, SKED_ERR_ARG, -1);
    s.shapes = shapes;
    shapes[3] = -1;
    refused(&s, SKED_ERR_RANGE, 1);
    shapes[3] = 1;
    from[1] = 3;
    refused(&s, SKED_ERR_RANGE, 1);
    from[0] = 1;
    refused(&s, SKED_ERR_RANGE, 0);
    s = good;
    s.id = id;
    id[1] = 5;
    refused(&s, SKED_ERR_EXISTS, 1);
    id[1] = 0;
    refused(&s, SKED_ERR_RANGE, 1);
    id[1] = 4;
    s.n = 3; /* 5, 4, 5 */
    int64_t more[] = {1, 1, 1, 1, 1, 1};
    s.capacity = s.available = more;
    refused(&s, SKED_ERR_EXISTS, 2);
    s = good;
    s.reserved = 1;
    refused(&s, SKED_ERR_ARG, -1);
    s.reserved = 0;
    s.available = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    s.available = available;
    s.capacity = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    s.n = (uint32_t)INT32_MAX + 1;
    s.capacity = capacity;
    refused(&s, SKED_ERR_RANGE, -1);
    s.struct_size = 4;
    refused(&s, SKED_ERR_VERSION, -1);
    s = good;
    s.n = 0;
    refused(&s, SKED_OK, 0);
}

static void refused_job(world *w, const sked_route_jobs *jobs, sked_status why,
                        int64_t row)
{
    sked_error err = {.code = SKED_OK};
    sked_route_answer a[2];

    assert_status(why, sked_route_charge(w->router, jobs, 0, a, &err));
    assert_i64(err.row, row);
}

static void a_bad_job_is_refused_with_its_row(void **state)
{
    int64_t request[] = {1, 1, 1, 1}, instances[] = {1, 1};
    uint32_t queue[] = {0, 1}, missing[] = {0, 0, 0, 0, 0, 1000001};
    const sked_route_jobs good = jobs_of(2, request);
    sked_route_jobs jobs = good;
    world *w = *state;

    make(w, 0);
    request[3] = -1;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1);
    request[3] = SKED_AMOUNT_MAX;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1); /* more than can be charged */
    request[3] = 2;
    jobs.instances = instances;
    instances[1] = SKED_AMOUNT_MAX;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1);
    instances[1] = -1;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1);
    instances[1] = INT64_MAX;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1);
    jobs = good;
    jobs.missing = missing;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1);
    jobs = good;
    jobs.queue = queue; /* nobody reads it: queues have what there is */
    refused_job(w, &jobs, SKED_OK, 0);
    jobs.request = NULL;
    refused_job(w, &jobs, SKED_ERR_ARG, -1);
    jobs.n = (uint32_t)INT32_MAX + 1;
    jobs.request = request;
    refused_job(w, &jobs, SKED_ERR_RANGE, -1);
    jobs.struct_size = 3;
    refused_job(w, &jobs, SKED_ERR_VERSION, -1);
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
    s.queues = 1;
    assert_status(SKED_ERR_STATE, sked_route_update(w->router, &s, NULL));
    s.in_queue = NULL;
    assert_status(SKED_ERR_STATE, sked_route_update(w->router, &s, NULL));
    assert_ok(sked_route_remove(w->router, 1, NULL));
    assert_ok(sked_route_update(w->router, &s, NULL));
}

static void options_are_checked(void **state)
{
    sked_route_options good = options_of(0), opts = good;
    sked_route *router;

    (void)state;
    opts.flags = 1;
    assert_status(SKED_ERR_ARG, sked_route_new(&opts, NULL, &router, NULL));
    opts = good;
    opts.policy = 4;
    assert_status(SKED_ERR_ARG, sked_route_new(&opts, NULL, &router, NULL));
    opts.policy = -1;
    assert_status(SKED_ERR_ARG, sked_route_new(&opts, NULL, &router, NULL));
    opts = good;
    opts.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, sked_route_new(&opts, NULL, &router, NULL));
    opts = good;
    opts.max_age_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_route_new(&opts, NULL, &router, NULL));
    opts = good;
    opts.locality_weight_ppm = -1;
    assert_status(SKED_ERR_RANGE, sked_route_new(&opts, NULL, &router, NULL));
    opts.locality_weight_ppm = 1000000001;
    assert_status(SKED_ERR_RANGE, sked_route_new(&opts, NULL, &router, NULL));
    opts.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_route_new(&opts, NULL, &router, NULL));
    assert_null(router);
    assert_ok(sked_route_new(NULL, NULL, &router, NULL));
    sked_route_free(router);
    sked_route_free(NULL);
}

static void null_is_refused(void **state)
{
    const sked_route_input s = clusters_of(0, NULL, NULL);
    const sked_route_jobs jobs = jobs_of(0, NULL);
    world *w = *state;
    sked_route_answer a;
    uint32_t part[1];
    uint64_t id;
    size_t n;

    make(w, 0);
    sked_route *r = w->router;
    assert_status(SKED_ERR_ARG, sked_route_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_route_replace(NULL, &s, NULL));
    assert_status(SKED_ERR_ARG, sked_route_replace(r, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_route_update(NULL, &s, NULL));
    assert_status(SKED_ERR_ARG, sked_route_update(r, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_route_remove(NULL, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_route_decide(NULL, &jobs, 0, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_route_decide(r, NULL, 0, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_route_decide(r, &jobs, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_route_charge(NULL, &jobs, 0, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_route_charge(r, NULL, 0, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_route_charge(r, &jobs, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_route_clusters(NULL, &id, 1, &n));
    assert_status(SKED_ERR_ARG, sked_route_clusters(r, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_route_clusters(r, &id, 1, NULL));
    assert_status(SKED_ERR_RANGE, sked_route_clusters(r, &id, 1, &n));
    assert_i64((int64_t)n, 3);
    assert_status(SKED_ERR_ARG, sked_route_available(NULL, 1, &a.age_ns));
    assert_status(SKED_ERR_ARG, sked_route_available(r, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_route_once(NULL, &jobs, 0, NULL, NULL, &a, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_route_once(&s, NULL, 0, NULL, NULL, &a, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_route_once(&s, &jobs, 0, NULL, NULL, NULL, NULL));
    assert_true(sked_route_digest(NULL) == 0);
    assert_status(SKED_ERR_ARG,
                  sked_route_stripe(NULL, 1, 1, NULL, part, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_route_stripe(part, 1, 1, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_route_stripe(part, 1, 0, NULL, part, NULL, NULL));
    assert_ok(sked_route_stripe(NULL, 0, 3, NULL, NULL, NULL, NULL));
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
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(the_two_worked_examples),
        CASE(the_queue_decides_where_the_queue_is_asked),
        CASE(data_that_is_not_there_costs),
        CASE(only_what_can_ever_hold_it_is_eligible),
        CASE(kinds_not_asked_for_are_ignored),
        CASE(a_unit_in_2_to_the_60_decides),
        CASE(ties_go_to_the_smaller_id),
        CASE(old_figures_still_answer),
        CASE(a_silent_cluster_keeps_its_figures),
        CASE(a_burst_does_not_pile_up),
        CASE(a_stopped_burst_is_given_back),
        CASE(a_bad_snapshot_is_refused_with_its_row),
        CASE(a_bad_job_is_refused_with_its_row),
        CASE(queues_are_counted),
        CASE(options_are_checked),
        CASE(null_is_refused),
        CASE(a_striped_cluster_keeps_its_racks),
        CASE(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
