/*
 * One policy: the clusters run in stretches from look to look; at each, the
 * router is told what they have, then the jobs submitted until the next one
 * are routed, each withdrawn from all clusters but its own.
 */
#include <stdlib.h>
#include <string.h>

#include "route.h"

enum { ROUTE_BURST = 256 };

typedef struct route_state {
    const route_plan *plan;
    const route_options *o;
    route_result *result;
    sked_route *router;
    sked_sim *sim[ROUTE_CLUSTERS];
    int64_t *capacity;  /* cluster x kind */
    int64_t *available; /* cluster x kind */
    int64_t *in_queue;  /* cluster x queue x kind */
    sked_error err;
} route_state;

static const int64_t minute = INT64_C(60000000000);

/* ---- Setting up ---- */

static sked_status make_sim(route_state *s, uint32_t c)
{
    const route_plan *plan = s->plan;
    sked_sim_jobs jobs = {.struct_size = sizeof jobs,
                          .n = plan->n,
                          .submit = plan->submit,
                          .run_ns = plan->run,
                          .tasks = plan->tasks,
                          .amounts = plan->amounts,
                          .queue = plan->queue,
                          .user = plan->user};
    sked_sim_nodes nodes = {.count = plan->cluster[c].nodes,
                            .amounts = plan->cluster[c].node};
    sked_sim_options opts = {.struct_size = sizeof opts,
                             .flags = SKED_SIM_FLAG_NO_SHARES |
                                      (s->o->gang ? SKED_SIM_FLAG_GANG : 0),
                             .heartbeat_ns = s->o->heartbeat};

    return sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                          .tree = plan->tree,
                                          .jobs = &jobs,
                                          .nodes = &nodes,
                                          .n_nodes = 1},
                        &opts, NULL, &s->sim[c], &s->err);
}

static sked_status make_router(route_state *s)
{
    sked_route_options opts = {.struct_size = sizeof opts,
                               .kinds = WORKLOAD_KINDS,
                               .policy = s->result->policy,
                               .max_age_ns = s->o->poll ? s->o->poll : minute};
    size_t cells = (size_t)s->plan->n_clusters * WORKLOAD_KINDS;

    s->capacity = calloc(cells, sizeof *s->capacity);
    s->available = calloc(cells, sizeof *s->available);
    s->in_queue = calloc(cells * s->plan->n_queues, sizeof *s->in_queue);
    s->result->delay = calloc(s->plan->n, sizeof *s->result->delay);
    s->result->where = calloc(s->plan->n, sizeof *s->result->where);
    if (!s->capacity || !s->available || !s->in_queue || !s->result->delay ||
        !s->result->where) {
        return SKED_ERR_NOMEM;
    }
    for (size_t i = 0; i < cells; i++) {
        s->capacity[i] = s->plan->cluster[i / WORKLOAD_KINDS]
                             .capacity[i % WORKLOAD_KINDS];
    }
    return sked_route_new(&opts, NULL, &s->router, &s->err);
}

/* ---- A look ---- */

/* The free amounts of a queue out of `whole`; below zero if more work waits. */
static sked_status look_at(const route_state *s, uint32_t c,
                           sked_queue_id queue, const int64_t *whole,
                           int64_t *left)
{
    int64_t usage[WORKLOAD_KINDS], waits[WORKLOAD_KINDS] = {0};
    sked_status rc = sked_sim_usage(s->sim[c], queue, usage,
                                    s->o->no_backlog ? NULL : waits, NULL);

    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        left[k] = whole[k] - usage[k] - waits[k];
    }
    return rc;
}

/* All clusters at `now`. A queue's own part is an equal one. */
static sked_status look(route_state *s, sked_time now)
{
    const route_plan *plan = s->plan;
    sked_time times[ROUTE_CLUSTERS];
    sked_status rc = SKED_OK;

    for (uint32_t c = 0; rc == SKED_OK && c < plan->n_clusters; c++) {
        const int64_t *whole = plan->cluster[c].capacity;
        int64_t part[WORKLOAD_KINDS];
        times[c] = now;
        rc = sked_sim_run_until(s->sim[c], now, NULL, NULL, &s->err);
        for (int k = 0; k < WORKLOAD_KINDS; k++) {
            part[k] = whole[k] / plan->n_queues;
        }
        if (rc == SKED_OK) {
            rc = look_at(s, c, sked_tree_root(plan->tree), whole,
                         s->available + c * WORKLOAD_KINDS);
        }
        for (uint32_t q = 0; rc == SKED_OK && q < plan->n_queues; q++) {
            size_t cell = ((size_t)c * plan->n_queues + q) * WORKLOAD_KINDS;
            rc = look_at(s, c, plan->leaf[q], part, s->in_queue + cell);
        }
    }
    if (rc != SKED_OK) return rc;
    sked_route_input seen = {.struct_size = sizeof seen,
                             .n = plan->n_clusters,
                             .queues = plan->n_queues,
                             .time = times,
                             .capacity = s->capacity,
                             .available = s->available,
                             .in_queue = s->in_queue};
    uint32_t from[ROUTE_CLUSTERS + 1];
    int64_t nodes[ROUTE_CLUSTERS * WORKLOAD_KINDS];
    for (uint32_t c = 0; c <= plan->n_clusters; c++) from[c] = c;
    for (uint32_t c = 0; c < plan->n_clusters; c++) {
        memcpy(nodes + c * WORKLOAD_KINDS, plan->cluster[c].node,
               sizeof plan->cluster[c].node);
    }
    seen.shape_from = from;
    seen.shapes = nodes;
    return sked_route_replace(s->router, &seen, &s->err);
}

/* ---- Sending ---- */

static sked_status send_job(route_state *s, uint32_t job, uint64_t cluster)
{
    uint32_t here = (uint32_t)cluster - 1, n = s->plan->n_clusters;
    sked_status rc = SKED_OK;

    if (cluster == SKED_ROUTE_NO_CLUSTER) here = n;
    s->result->where[job] = here;
    for (uint32_t c = 0; rc == SKED_OK && c < n; c++) {
        if (c != here) rc = sked_sim_withdraw(s->sim[c], job, NULL);
    }
    if (here == n) {
        s->result->nowhere++;
        return rc;
    }
    s->result->jobs[here]++;
    s->result->remote += s->plan->missing[(size_t)job * n + here] > 0;
    return rc;
}

/* Jobs `from` to `to`, all submitted before the next look. */
static sked_status send_burst(route_state *s, uint32_t from, uint32_t to)
{
    const route_plan *plan = s->plan;
    sked_route_answer answers[ROUTE_BURST];
    size_t row = (size_t)from * WORKLOAD_KINDS;
    sked_time now = plan->submit[from];
    sked_route_jobs jobs = {.struct_size = sizeof jobs,
                            .n = to - from,
                            .request = plan->request + row,
                            .instances = plan->instances + from,
                            .queue = plan->queue_number + from,
                            .missing = plan->missing +
                                       (size_t)from * plan->n_clusters};
    sked_status rc = s->o->no_charge ? sked_route_decide(s->router, &jobs, now,
                                                         answers, &s->err)
                                     : sked_route_charge(s->router, &jobs, now,
                                                         answers, &s->err);

    for (uint32_t i = 0; rc >= 0 && i < jobs.n; i++) {
        rc = send_job(s, from + i, answers[i].cluster);
    }
    return rc < 0 ? rc : SKED_OK;
}

/* The last look that is not after `at`. */
static sked_time look_before(const route_state *s, sked_time at)
{
    sked_time first = s->plan->submit[0];

    if (s->o->poll == 0) return at;
    return first + (at - first) / s->o->poll * s->o->poll;
}

static sked_status send_all(route_state *s)
{
    const route_plan *plan = s->plan;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0, to; rc == SKED_OK && i < plan->n; i = to) {
        sked_time seen = look_before(s, plan->submit[i]);
        if (i == 0 || look_before(s, plan->submit[i - 1]) != seen) {
            rc = look(s, seen);
        }
        for (to = i + 1; to < plan->n && to - i < ROUTE_BURST; to++) {
            if (look_before(s, plan->submit[to]) != seen) break;
        }
        if (rc == SKED_OK) rc = send_burst(s, i, to);
    }
    return rc;
}

/* ---- What came of it ---- */

static sked_status take_cluster(route_state *s, uint32_t c, int64_t *delay)
{
    sked_sim_result total = {.struct_size = sizeof total};
    route_result *r = s->result;
    size_t n;
    sked_status rc = sked_sim_run(s->sim[c], NULL, NULL, &s->err);

    if (rc == SKED_OK) rc = sked_sim_get_result(s->sim[c], &total, NULL);
    if (rc == SKED_OK)
        rc = sked_sim_delays(s->sim[c], delay, s->plan->n, &n, NULL);
    if (rc != SKED_OK) return rc;
    r->digest = (r->digest ^ total.digest) * UINT64_C(0x100000001b3);
    if (total.end > r->end) r->end = total.end;
    for (uint32_t i = 0; i < s->plan->n; i++) {
        if (r->where[i] == c) r->delay[i] = delay[i];
        if (r->where[i] == s->plan->n_clusters) r->delay[i] = -1;
    }
    return SKED_OK;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Nearest rank over all jobs that started. */
static void sum_up(const route_plan *plan, route_result *r, int64_t *sorted)
{
    size_t n = 0;
    double sum = 0;

    for (uint32_t i = 0; i < plan->n; i++) {
        if (r->delay[i] < 0) continue;
        sorted[n++] = r->delay[i];
        sum += (double)r->delay[i];
    }
    if (!n) return;
    qsort(sorted, n, sizeof *sorted, by_size);
    r->all = (sked_sim_delay){.p50 = sorted[(n * 50 + 99) / 100 - 1],
                              .p95 = sorted[(n * 95 + 99) / 100 - 1],
                              .p99 = sorted[(n * 99 + 99) / 100 - 1],
                              .max = sorted[n - 1],
                              .mean = (int64_t)(sum / (double)n),
                              .n = n};
}

int route_run(const route_plan *plan, const route_options *o,
              route_result *result, input_fault *fault)
{
    route_state s = {.plan = plan, .o = o, .result = result};
    int64_t *delay = calloc(plan->n, sizeof *delay);
    sked_status rc = delay ? make_router(&s) : SKED_ERR_NOMEM;

    for (uint32_t c = 0; rc == SKED_OK && c < plan->n_clusters; c++) {
        rc = make_sim(&s, c);
    }
    if (rc == SKED_OK) rc = send_all(&s);
    for (uint32_t c = 0; rc == SKED_OK && c < plan->n_clusters; c++) {
        rc = take_cluster(&s, c, delay);
    }
    if (rc == SKED_OK) sum_up(plan, result, delay);
    for (uint32_t c = 0; c < plan->n_clusters; c++) sked_sim_free(s.sim[c]);
    sked_route_free(s.router);
    free(s.capacity);
    free(s.available);
    free(s.in_queue);
    free(delay);
    if (rc == SKED_OK) return 1;
    return input_fail(fault, 0, 0, "%s: %s", sked_status_name(rc),
                      s.err.message);
}

void route_result_free(route_result *result)
{
    free(result->delay);
    free(result->where);
}
