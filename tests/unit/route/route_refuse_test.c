/* What a router refuses, and which row it names. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "route/clusters.h"
#include "route_world.h"

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
    s.available = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    s.available = available;
    s.capacity = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    s.reserved = 1;
    refused(&s, SKED_ERR_ARG, -1);
    s.reserved = 0;
    s.n = (uint32_t)INT32_MAX + 1;
    s.capacity = capacity;
    refused(&s, SKED_ERR_RANGE, -1);
    s.struct_size = 4;
    refused(&s, SKED_ERR_VERSION, -1);
    s = good;
    s.n = 0;
    refused(&s, SKED_OK, 0);
}

/* A router finds an id that is there twice by sorting: many that do not ascend
 * cost it no more than others. */
static void ids_that_descend_are_checked_by_sorting(void **state)
{
    enum { MANY = 400000 };
    static uint64_t id[MANY];
    static int64_t amount[KINDS * MANY];
    sked_route_input s = clusters_of(MANY, amount, amount);
    world *w = *state;
    sked_error err = {.code = SKED_OK};

    make(w, 0);
    for (uint32_t i = 0; i < MANY; i++) id[i] = 2 * (uint64_t)MANY - i;
    s.id = id;
    assert_ok(sked_route_replace(w->router, &s, NULL));
    uint64_t before = sked_route_digest(w->router);
    id[MANY - 1] = id[7];
    id[MANY - 3] = id[MANY / 2];
    assert_status(SKED_ERR_EXISTS, sked_route_replace(w->router, &s, &err));
    assert_i64(err.row, MANY - 3);
    assert_status(SKED_ERR_EXISTS, sked_route_update(w->router, &s, &err));
    assert_i64(err.row, MANY - 3);
    assert_true(sked_route_digest(w->router) == before);
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
    request[1] = 10; /* 9 are available */
    request[3] = SKED_AMOUNT_MAX;
    refused_job(w, &jobs, SKED_ERR_RANGE, 1); /* more than can be charged */
    request[1] = 1;
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
    jobs.queue = queue; /* not read: queues have what there is */
    refused_job(w, &jobs, SKED_OK, 0);
    jobs.request = NULL;
    refused_job(w, &jobs, SKED_ERR_ARG, -1);
    jobs.n = (uint32_t)INT32_MAX + 1;
    jobs.request = request;
    refused_job(w, &jobs, SKED_ERR_RANGE, -1);
    jobs.struct_size = 3;
    refused_job(w, &jobs, SKED_ERR_VERSION, -1);
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
    assert_status(SKED_ERR_RANGE, sked_route_stripe(part, SIZE_MAX / 2 + 2, 1,
                                                    NULL, part, NULL, NULL));
    assert_ok(sked_route_stripe(NULL, 0, 3, NULL, NULL, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        route_case(a_bad_snapshot_is_refused_with_its_row),
        route_case(ids_that_descend_are_checked_by_sorting),
        route_case(a_bad_job_is_refused_with_its_row),
        route_case(options_are_checked),
        route_case(null_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
