/*
 * Routing beside the published rule written plainly: for every cluster the
 * least of what is available over what there is, in doubles, the largest wins.
 * One decision over 100 clusters of 1,000 queues.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdlib.h>

enum { CLUSTERS = 100, KINDS = 4, JOBS = 1024 };

typedef struct route_world {
    sked_route_options opts;
    sked_route_input snapshot;
    sked_route_jobs jobs;
    sked_route *router;
    int64_t *capacity;
    int64_t *available;
    int64_t *in_queue;
    int64_t *request;
    uint32_t *queue;
    uint32_t *missing;
    sked_route_answer *answers;
    uint64_t *theirs;
    double total[KINDS];
} route_world;

static void must(sked_status rc)
{
    if (rc == SKED_OK) return;
    abort();
}

static void make_clusters(route_world *w, uint64_t *state, uint32_t queues)
{
    for (size_t i = 0; i < CLUSTERS * KINDS; i++) {
        w->capacity[i] = 1000000 + (int64_t)bench_below(state, 9000000);
        w->available[i] = (int64_t)bench_below(state,
                                               (uint64_t)w->capacity[i] + 1);
        w->total[i % KINDS] += (double)w->capacity[i];
    }
    for (size_t i = 0; i < CLUSTERS * (size_t)queues * KINDS; i++) {
        size_t cluster = i / KINDS / queues, k = i % KINDS;
        w->in_queue[i] = (int64_t)bench_below(
            state, (uint64_t)w->capacity[cluster * KINDS + k] + 1);
    }
}

static void make_world(route_world *w, uint32_t queues, int32_t policy)
{
    uint64_t state = 5;
    size_t cells = (size_t)CLUSTERS * KINDS;

    w->capacity = bench_new(cells, sizeof *w->capacity);
    w->available = bench_new(cells, sizeof *w->available);
    w->in_queue = bench_new(cells * queues, sizeof *w->in_queue);
    w->request = bench_new(JOBS * KINDS, sizeof *w->request);
    w->queue = bench_new(JOBS, sizeof *w->queue);
    w->missing = bench_new((size_t)JOBS * CLUSTERS, sizeof *w->missing);
    w->answers = bench_new(JOBS, sizeof *w->answers);
    w->theirs = bench_new(JOBS, sizeof *w->theirs);
    make_clusters(w, &state, queues);
    for (size_t i = 0; i < JOBS; i++) {
        w->queue[i] = (uint32_t)bench_below(&state, queues);
        for (size_t k = 0; k < KINDS; k++) {
            w->request[i * KINDS + k] = 1 + (int64_t)bench_below(&state, 99);
        }
    }
    for (size_t i = 0; i < (size_t)JOBS * CLUSTERS; i++) {
        w->missing[i] = (uint32_t)bench_below(&state, 1000001);
    }
    w->opts = (sked_route_options){
        .struct_size = sizeof w->opts, .kinds = KINDS, .policy = policy};
    w->snapshot = (sked_route_input){.struct_size = sizeof w->snapshot,
                                     .n = CLUSTERS,
                                     .queues = queues,
                                     .capacity = w->capacity,
                                     .available = w->available,
                                     .in_queue = w->in_queue};
    w->jobs = (sked_route_jobs){.struct_size = sizeof w->jobs,
                                .n = JOBS,
                                .request = w->request,
                                .queue = w->queue,
                                .missing = w->missing};
    must(sked_route_new(&w->opts, NULL, &w->router, NULL));
    must(sked_route_replace(w->router, &w->snapshot, NULL));
}

static void drop_world(route_world *w)
{
    sked_route_free(w->router);
    free(w->capacity);
    free(w->available);
    free(w->in_queue);
    free(w->request);
    free(w->queue);
    free(w->missing);
    free(w->answers);
    free(w->theirs);
}

static void ours(void *arg)
{
    route_world *w = arg;

    must(sked_route_decide(w->router, &w->jobs, 0, w->answers, NULL));
}

/* What a cluster is worth to a job, as published. */
static double worth(const route_world *w, size_t job, size_t cluster)
{
    const int64_t *capacity = w->capacity + cluster * KINDS;
    const int64_t *available = w->available + cluster * KINDS;
    double least = 1e300;

    if (w->opts.policy == SKED_ROUTE_POLICY_QUEUE_ABSOLUTE) {
        size_t row = cluster * w->snapshot.queues + w->queue[job];
        available = w->in_queue + row * KINDS;
    }
    for (size_t k = 0; k < KINDS; k++) {
        int64_t asked = w->request[job * KINDS + k];
        if (asked == 0) continue;
        if (asked > capacity[k]) return -1e300;
        double of = w->opts.policy == SKED_ROUTE_POLICY_RELATIVE
                        ? (double)capacity[k]
                        : w->total[k];
        double part = (double)available[k] / of;
        if (part < least) least = part;
    }
    if (w->opts.policy == SKED_ROUTE_POLICY_LOCALITY) {
        least -= w->missing[job * CLUSTERS + cluster] / 1e6;
    }
    return least;
}

static void theirs(void *arg)
{
    route_world *w = arg;

    for (size_t i = 0; i < JOBS; i++) {
        double best = -1e300;
        for (size_t c = 0; c < CLUSTERS; c++) {
            double mine = worth(w, i, c);
            if (mine <= best) continue;
            best = mine;
            w->theirs[i] = c + 1;
        }
    }
}

static void one_policy(bench *b, size_t queues, int32_t policy,
                       const char *name)
{
    route_world w = {0};
    int same = 1;

    make_world(&w, (uint32_t)queues, policy);
    bench_compare(b,
                  &(bench_row){.variant = name,
                               .n = queues,
                               .unit = BENCH_US,
                               .metric = "us per decision, 100 clusters",
                               .budget = 2,
                               .reference = "the rule in doubles"},
                  &(bench_job){.run = ours, .arg = &w, .ops = JOBS},
                  &(bench_job){.run = theirs, .arg = &w, .ops = JOBS});
    ours(&w);
    theirs(&w);
    for (size_t i = 0; i < JOBS; i++) {
        same &= w.answers[i].cluster == w.theirs[i];
    }
    bench_must(b, same, "doubles find our cluster where nothing is close");
    drop_world(&w);
}

/* All clusters alike: nothing but exact comparisons. */
static void all_alike(bench *b, size_t queues)
{
    route_world w = {0};

    make_world(&w, (uint32_t)queues, SKED_ROUTE_POLICY_RELATIVE);
    for (size_t i = 0; i < CLUSTERS * KINDS; i++) {
        w.capacity[i] = 3000000 * (1 + (int64_t)(i / KINDS));
        w.available[i] = w.capacity[i] / 3;
    }
    w.snapshot.in_queue = NULL;
    must(sked_route_replace(w.router, &w.snapshot, NULL));
    bench_compare(b,
                  &(bench_row){.variant = "relative, all equal",
                               .n = queues,
                               .unit = BENCH_US,
                               .metric = "us per decision, 100 clusters",
                               .budget = 0,
                               .reference = "the rule in doubles"},
                  &(bench_job){.run = ours, .arg = &w, .ops = JOBS},
                  &(bench_job){.run = theirs, .arg = &w, .ops = JOBS});
    ours(&w);
    bench_must(b, w.answers[0].cluster == 1, "equal scores: the smaller id");
    drop_world(&w);
}

static void route(bench *b, size_t queues)
{
    one_policy(b, queues, SKED_ROUTE_POLICY_ABSOLUTE, "absolute");
    one_policy(b, queues, SKED_ROUTE_POLICY_RELATIVE, "relative");
    one_policy(b, queues, SKED_ROUTE_POLICY_QUEUE_ABSOLUTE, "queue-absolute");
    one_policy(b, queues, SKED_ROUTE_POLICY_LOCALITY, "locality-aware");
    all_alike(b, queues);
}

const bench_entry bench_route[] = {
    {"route", "a cluster for a job, 100 clusters x n queues", route, 1000, 0,
     0},
    {0}};
