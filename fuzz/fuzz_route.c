/*
 * Any snapshots and jobs: what is refused changes nothing, the handle answers
 * as the plain arrays do, and what is charged is what was routed.
 *
 * The bytes give options first, then a program of snapshots, removals, routing
 * and charging.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { CLUSTERS = 4, QUEUES = 2, KINDS = 2, JOBS = 3 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_route.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct figures {
    uint64_t id[CLUSTERS];
    sked_time time[CLUSTERS];
    int64_t capacity[CLUSTERS * KINDS];
    int64_t available[CLUSTERS * KINDS];
    int64_t in_queue[CLUSTERS * QUEUES * KINDS];
    uint32_t from[CLUSTERS + 1];
    int64_t shapes[CLUSTERS * KINDS];
    int64_t request[JOBS * KINDS];
    int64_t instances[JOBS];
    uint32_t queue[JOBS];
    uint32_t missing[JOBS * CLUSTERS];
    sked_route_input snapshot;
    sked_route_jobs jobs;
} figures;

/* Small, or anything at all. */
static int64_t any_number(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    if (x < 250) return (int64_t)(x % 50) - 2;
    return (int64_t)fuzz_u64(in, 8);
}

static void any_column(fuzz_input *in, int64_t *column, size_t n)
{
    for (size_t i = 0; i < n; i++) column[i] = any_number(in);
}

static void any_snapshot(fuzz_input *in, figures *f)
{
    uint64_t flags = fuzz_u64(in, 1);
    uint32_t n = (uint32_t)(flags & 3) + 1;

    for (uint32_t i = 0; i < n; i++) {
        f->id[i] = fuzz_u64(in, 1) % 6;
        f->time[i] = any_number(in);
        f->from[i + 1] = f->from[i] + (fuzz_u64(in, 1) & 1);
    }
    any_column(in, f->capacity, (size_t)n * KINDS);
    any_column(in, f->available, (size_t)n * KINDS);
    any_column(in, f->in_queue, (size_t)n * QUEUES * KINDS);
    any_column(in, f->shapes, (size_t)n * KINDS);
    f->snapshot = (sked_route_input){
        .struct_size = sizeof f->snapshot,
        .n = n,
        .queues = QUEUES,
        .id = flags & 4 ? f->id : NULL,
        .time = flags & 8 ? f->time : NULL,
        .capacity = f->capacity,
        .available = flags & 16 ? f->available : f->capacity,
        .in_queue = flags & 32 ? f->in_queue : NULL,
        .shape_from = flags & 64 ? f->from : NULL,
        .shapes = f->shapes,
    };
}

static void any_jobs(fuzz_input *in, figures *f, size_t clusters)
{
    uint64_t flags = fuzz_u64(in, 1);

    any_column(in, f->request, (size_t)JOBS * KINDS);
    any_column(in, f->instances, JOBS);
    for (size_t i = 0; i < JOBS; i++)
        f->queue[i] = (uint32_t)(fuzz_u64(in, 1) % 3);
    for (size_t i = 0; i < JOBS * clusters; i++) {
        f->missing[i] = (uint32_t)(fuzz_u64(in, 1) * 4000);
    }
    f->jobs = (sked_route_jobs){
        .struct_size = sizeof f->jobs,
        .n = (uint32_t)(flags & 3),
        .request = f->request,
        .instances = flags & 4 ? f->instances : NULL,
        .queue = flags & 8 ? f->queue : NULL,
        .missing = flags & 16 ? f->missing : NULL,
    };
}

static size_t count(const sked_route *router)
{
    uint64_t ids[64];
    size_t n;

    MUST(sked_route_clusters(router, ids, 64, &n) == SKED_OK);
    for (size_t i = 1; i < n; i++) MUST(ids[i - 1] < ids[i]);
    return n;
}

/* A handle with this snapshot alone says what the arrays say. */
static void both_tiers(const sked_route_options *opts, const figures *f)
{
    sked_route_answer plain[JOBS], held[JOBS];
    sked_route *router;
    sked_status rc = sked_route_once(&f->snapshot, &f->jobs, 0, opts, NULL,
                                     plain, NULL);

    if (f->snapshot.id || rc < 0) return; /* other order of `missing` */
    MUST(sked_route_new(opts, NULL, &router, NULL) == SKED_OK);
    MUST(sked_route_replace(router, &f->snapshot, NULL) == SKED_OK);
    MUST(sked_route_decide(router, &f->jobs, 0, held, NULL) == rc);
    MUST(memcmp(plain, held, (size_t)f->jobs.n * sizeof *held) == 0);
    sked_route_free(router);
}

static void charge(sked_route *router, const figures *f)
{
    sked_route_answer first[JOBS], answers[JOBS];
    uint64_t before = sked_route_digest(router);
    int64_t had[KINDS], has[KINDS];
    sked_status said = sked_route_decide(router, &f->jobs, 0, first, NULL);
    uint64_t to = said >= 0 && f->jobs.n ? first[0].cluster
                                         : SKED_ROUTE_NO_CLUSTER;

    if (to != SKED_ROUTE_NO_CLUSTER) {
        MUST(sked_route_available(router, to, had) == SKED_OK);
    }
    sked_status rc = sked_route_charge(router, &f->jobs, 0, answers, NULL);
    if (rc < 0) {
        MUST(sked_route_digest(router) == before);
        return;
    }
    if (to == SKED_ROUTE_NO_CLUSTER) return;
    MUST(memcmp(first, answers, sizeof *first) == 0);
    MUST(sked_route_available(router, to, has) == SKED_OK);
    for (int k = 0; k < KINDS; k++) MUST(has[k] <= had[k]);
    MUST(sked_route_check(router, NULL) == SKED_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    sked_route_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    sked_route *router;

    opts.policy = (int32_t)(fuzz_u64(&in, 1) % 4);
    opts.max_age_ns = (int64_t)fuzz_u64(&in, 1);
    opts.locality_weight_ppm = (int64_t)(fuzz_u64(&in, 2) * 15000);
    MUST(sked_route_new(&opts, NULL, &router, NULL) == SKED_OK);
    while (fuzz_more(&in)) {
        figures f = {0};
        uint64_t op = fuzz_u64(&in, 1) % 4;
        uint64_t before = sked_route_digest(router);
        sked_status rc = SKED_OK;
        any_snapshot(&in, &f);
        if (op == 0) rc = sked_route_replace(router, &f.snapshot, NULL);
        if (op == 1) rc = sked_route_update(router, &f.snapshot, NULL);
        if (op == 2) rc = sked_route_remove(router, f.id[0], NULL);
        if (rc < 0) MUST(sked_route_digest(router) == before);
        MUST(sked_route_check(router, NULL) == SKED_OK);
        any_jobs(&in, &f, (size_t)f.snapshot.n);
        both_tiers(&opts, &f);
        any_jobs(&in, &f, 0);
        if (count(router) <= CLUSTERS) charge(router, &f);
    }
    sked_route_free(router);
    return 0;
}
