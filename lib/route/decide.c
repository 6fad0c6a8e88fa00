/*
 * Jobs to clusters: through a handle, with or without charging what was
 * routed, and on a caller's own columns. A call that is stopped gives back
 * what it charged; what a call could charge at most is known before it begins,
 * so that no amount ever leaves its range and giving back is exact.
 */
#include "route/clusters.h"

#include <string.h>

#include "base/fail.h"

enum { JOBS_PER_CHECK = 64 };

static int64_t instances_of(const sked_route_jobs *jobs, uint32_t i)
{
    return jobs->instances ? jobs->instances[i] : 1;
}

/* Changes what is available, and notes it where it is the least of its kind. */
static void change_available(sked_route *router, size_t kind,
                             int64_t *available, int64_t by)
{
    *available += by;
    router->lowest[kind] = skedi_i64_min(router->lowest[kind], *available);
}

/* Takes a job off its cluster (`sign` -1), or gives it back. */
static void charge_job(sked_route *router, const sked_route_jobs *jobs,
                       uint32_t i, uint32_t row, int64_t sign)
{
    skedi_clusters *c = &router->clusters;
    size_t kinds = router->view.kinds, queue = jobs->queue ? jobs->queue[i] : 0;
    const int64_t *request = jobs->request + i * kinds;
    int64_t times = sign * instances_of(jobs, i);

    for (size_t k = 0; k < kinds; k++) {
        int64_t all = times * request[k];
        change_available(router, k, &c->available[row * kinds + k], all);
        if (c->queues) {
            size_t cell = (queue * c->n + row) * kinds + k;
            change_available(router, k, &c->in_queue[cell], all);
        }
    }
}

/* What all jobs come to, if one cluster gets them all, must leave amounts in
 * their range. */
static sked_status check_charges(const sked_route *router,
                                 const sked_route_jobs *jobs, sked_error *err)
{
    size_t kinds = router->view.kinds;

    for (size_t k = 0; k < kinds; k++) {
        int64_t lowest = router->lowest[k];
        for (uint32_t i = 0; i < jobs->n; i++) {
            lowest -= instances_of(jobs, i) * jobs->request[i * kinds + k];
            if (lowest >= -SKED_AMOUNT_MAX) continue;
            return skedi_fail(
                err, SKED_ERR_RANGE, "more than can be charged",
                (skedi_fault){.row = (int64_t)i + 1, .kind = (int32_t)k + 1});
        }
    }
    return SKED_OK;
}

static void uncharge(sked_route *router, const sked_route_jobs *jobs,
                     const sked_route_answer *answers, uint32_t n)
{
    const skedi_clusters *c = &router->clusters;

    while (n-- > 0) {
        uint32_t row = 0;
        if (answers[n].cluster == SKED_ROUTE_NO_CLUSTER) continue;
        while (c->id[row] != answers[n].cluster) row++;
        charge_job(router, jobs, n, row, 1);
    }
}

/* Every job; charged on `charged`, unless that is NULL. */
static sked_status route_jobs(const sked_route *router, sked_route *charged,
                              sked_time now, const sked_route_jobs *jobs,
                              sked_route_answer *answers, sked_error *err)
{
    sked_status rc = SKED_OK, said = SKED_OK;

    for (uint32_t i = 0; i < jobs->n; i++) {
        uint32_t row;
        if (i % JOBS_PER_CHECK == 0) {
            said = skedi_hooks_check(&router->hooks, i, jobs->n);
        }
        if (said != SKED_OK) {
            if (charged) uncharge(charged, jobs, answers, i);
            return skedi_fail_stopped(err, said);
        }
        answers[i] = skedi_route_pick(&router->view, now, jobs, i, &row);
        if (answers[i].stale) rc = SKED_STALE;
        if (charged && answers[i].cluster != SKED_ROUTE_NO_CLUSTER) {
            charge_job(charged, jobs, i, row, -1);
        }
    }
    return rc;
}

/* Takes the jobs of a call, and the time where the host left it out. */
static sked_status decide_in(const sked_route *router,
                             const sked_route_jobs *jobs,
                             const sked_route_answer *answers, sked_time *now,
                             sked_route_jobs *in, sked_error *err)
{
    const char *missing = !router    ? "router"
                          : !jobs    ? "jobs"
                          : !answers ? "answers"
                                     : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_now(&router->hooks, now, err);
    if (rc == SKED_OK) rc = skedi_route_jobs_in(in, &router->view, jobs, err);
    return rc;
}

sked_status sked_route_decide(const sked_route *router,
                              const sked_route_jobs *jobs, sked_time now,
                              sked_route_answer *answers, sked_error *err)
{
    sked_route_jobs in;

    sked_status rc = decide_in(router, jobs, answers, &now, &in, err);
    if (rc == SKED_OK) rc = route_jobs(router, NULL, now, &in, answers, err);
    return rc;
}

sked_status sked_route_charge(sked_route *router, const sked_route_jobs *jobs,
                              sked_time now, sked_route_answer *answers,
                              sked_error *err)
{
    int64_t lowest[SKED_MAX_KINDS];
    sked_route_jobs in;
    sked_status rc = decide_in(router, jobs, answers, &now, &in, err);

    if (rc == SKED_OK) rc = check_charges(router, &in, err);
    if (rc != SKED_OK) return rc;
    memcpy(lowest, router->lowest, sizeof lowest);
    rc = route_jobs(router, router, now, &in, answers, err);
    if (rc < 0) memcpy(router->lowest, lowest, sizeof lowest);
    return rc;
}

/* The caller's columns as they are, once they are known to be sound. */
static skedi_route_view view_of_snapshot(const sked_route_input *in,
                                         const sked_route_options *opts)
{
    size_t kinds = opts->kinds;

    return (skedi_route_view){
        .n = (uint32_t)in->n,
        .kinds = opts->kinds,
        .queues = in->in_queue ? (uint32_t)in->queues : 0,
        .id = in->id,
        .time = in->time,
        .capacity = in->capacity,
        .available = in->available,
        .in_queue = in->in_queue ? in->in_queue : in->available,
        .queue_step = in->in_queue ? kinds : 0,
        .cluster_step = in->in_queue ? (size_t)in->queues * kinds : kinds,
        .shape_from = in->shape_from,
        .shapes = in->shapes,
        .opts = *opts,
    };
}

sked_status sked_route_once(const sked_route_input *input,
                            const sked_route_jobs *jobs, sked_time now,
                            const sked_route_options *options,
                            const sked_host *host, sked_route_answer *answers,
                            sked_error *err)
{
    sked_route_options taken;
    sked_route_input in;
    sked_route_jobs asked;
    uint32_t bad = 0;
    skedi_hooks hooks;

    const char *missing = !input     ? "input"
                          : !jobs    ? "jobs"
                          : !answers ? "answers"
                                     : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_hooks_now(&hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_route_options_in(&taken, options, err);
    if (rc == SKED_OK) rc = skedi_snapshot_in(&in, input, taken.kinds, err);
    if (rc == SKED_OK) rc = skedi_route_ids_once(&in, err);
    if (rc != SKED_OK) return rc;
    skedi_route_view view = view_of_snapshot(&in, &taken);
    if (!skedi_route_totals(&view, &bad)) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "the clusters add up to more",
            (skedi_fault){.kind = (int32_t)bad + 1, .limit = SKED_AMOUNT_MAX});
    }
    rc = skedi_route_jobs_in(&asked, &view, jobs, err);
    if (rc != SKED_OK) return rc;
    for (uint32_t i = 0; i < asked.n; i++) {
        uint32_t row;
        answers[i] = skedi_route_pick(&view, now, &asked, i, &row);
        if (answers[i].stale) rc = SKED_STALE;
    }
    return rc;
}
