#ifndef TEST_ROUTE_WORLD_H
#define TEST_ROUTE_WORLD_H

/* Clusters, queues and jobs for a router. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "route/clusters.h"

enum { KINDS = 2 };

typedef struct world {
    test_host host;
    sked_route *router;
} world;

static inline int setup(void **state)
{
    static world w;

    w = (world){0};
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_route_free(w->router);
    return w->host.live == 0 ? 0 : -1;
}

static inline sked_route_options options_of(int32_t policy)
{
    return (sked_route_options){.struct_size = sizeof(sked_route_options),
                                .kinds = KINDS,
                                .policy = policy};
}

static inline sked_route_input clusters_of(uint32_t n, const int64_t *capacity,
                                           const int64_t *available)
{
    return (sked_route_input){.struct_size = sizeof(sked_route_input),
                              .n = n,
                              .capacity = capacity,
                              .available = available};
}

static inline sked_route_jobs jobs_of(uint32_t n, const int64_t *request)
{
    return (sked_route_jobs){
        .struct_size = sizeof(sked_route_jobs), .n = n, .request = request};
}

static inline void make(world *w, int64_t max_age)
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

static inline void refused_job(world *w, const sked_route_jobs *jobs,
                               sked_status why, int64_t row)
{
    sked_error err = {.code = SKED_OK};
    sked_route_answer a[2];

    assert_status(why, sked_route_charge(w->router, jobs, 0, a, &err));
    assert_i64(err.row, row);
}

#define route_case(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
