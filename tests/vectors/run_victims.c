/* Victims: the plain walk of others, and what the library would do instead. */
#include <sched/preempt.h>

#include <stdio.h>
#include <stdlib.h>

#include "case.h"

/* What a call hands over and gets back. */
typedef struct victims {
    sked_preempt_input in;
    sked_preempt_result plan;
    uint32_t *queue;
    uint8_t *state;
} victims;

static void victims_of(vec_case *c, victims *v)
{
    size_t n, cells, kinds = (size_t)vec_number(c, "kinds", 1);
    const int64_t *queue = vec_numbers(c, "queue", &n);
    const int64_t *fixed = vec_numbers(c, "fixed", &n);
    const int64_t *usage = vec_numbers(c, "usage", &cells);

    v->queue = vec_room(n, sizeof *v->queue);
    v->state = vec_room(n, sizeof *v->state);
    for (size_t i = 0; i < n; i++) {
        v->queue[i] = (uint32_t)queue[i];
        v->state[i] = fixed[i] ? SKED_PREEMPT_CANDIDATE_FIXED : 0;
    }
    v->in = (sked_preempt_input){
        .struct_size = sizeof v->in,
        .flags = (uint32_t)vec_number(c, "flags", 0),
        .kinds = (uint32_t)kinds,
        .n_queues = (uint32_t)(cells / kinds),
        .n = (uint32_t)n,
        .usage = usage,
        .keep = vec_room(cells, sizeof(int64_t)),
        .take = vec_numbers(c, "take", &cells),
        .need = vec_numbers(c, "need", &cells),
        .budget = vec_numbers(c, "budget", &cells),
        .queue = v->queue,
        .amount = vec_numbers(c, "amount", &cells),
        .state = v->state,
    };
    v->plan = (sked_preempt_result){
        .struct_size = sizeof v->plan,
        .victims = vec_room(n, sizeof(sked_preempt_victim)),
        .victims_cap = (uint32_t)n,
    };
}

static void victims_drop(victims *v)
{
    free((void *)(uintptr_t)v->in.keep);
    free(v->plan.victims);
    free(v->queue);
    free(v->state);
}

static int planned(vec_case *c, victims *v)
{
    sked_error err;
    sked_status rc = sked_preempt_select(&v->in, NULL, &v->plan, &err);

    if (rc == SKED_OK) {
        rc = sked_preempt_verify(&v->in, &v->plan, NULL, &err);
    }
    if (rc == SKED_OK) return 1;
    snprintf(c->why, sizeof c->why, "%s: %s", sked_status_name(rc),
             err.message);
    return 0;
}

/* Of how many victims does each entry speak? Without entries: the rows. */
static size_t count_entries(vec_case *c, const victims *v, int64_t *got)
{
    size_t n, entries;
    const int64_t *app = vec_numbers(c, "app", &n);
    const int64_t *node = vec_numbers(c, "node", &n);
    const int64_t *entry_app = vec_numbers(c, "entry_app", &entries);
    const int64_t *entry_node = vec_numbers(c, "entry_node", &entries);

    for (uint32_t i = 0; i < v->plan.n_victims; i++) {
        uint32_t row = v->plan.victims[i].row;
        if (!entry_app) got[i] = row;
        for (size_t e = 0; entry_app && e < entries; e++) {
            got[e] += entry_app[e] == app[row] &&
                      (entry_node[e] < 0 || entry_node[e] == node[row]);
        }
    }
    return entry_app ? entries : v->plan.n_victims;
}

/* The library's own plan covers as much with no more tasks. */
static int own_plan_is_no_larger(vec_case *c, victims *v)
{
    uint64_t tasks = v->plan.tasks;
    uint32_t outcome = v->plan.outcome;

    v->in.flags = 0;
    if (!planned(c, v)) return 0;
    if (v->plan.tasks <= tasks || outcome != SKED_PREEMPT_OUTCOME_COVERED)
        return 1;
    snprintf(c->why, sizeof c->why, "own plan takes %llu, not %llu",
             (unsigned long long)v->plan.tasks, (unsigned long long)tasks);
    return 0;
}

static int run_victims(vec_case *c)
{
    victims v;
    size_t n, entries;

    (void)vec_numbers(c, "queue", &n);
    (void)vec_numbers(c, "entry_app", &entries);
    victims_of(c, &v);
    int64_t *got = vec_room(n + entries + 1, sizeof *got);
    int said = CASE_FAILED;
    if (planned(c, &v)) {
        size_t found = count_entries(c, &v, got);
        said = vec_judge(c, "want", got, found);
        if (said != CASE_FAILED && !own_plan_is_no_larger(c, &v)) {
            said = CASE_FAILED;
        }
    }
    free(got);
    victims_drop(&v);
    return said;
}

/* ---- On nodes ---- */

static uint32_t *narrow_column(vec_case *c, const char *name)
{
    size_t n;
    const int64_t *wide = vec_numbers(c, name, &n);
    uint32_t *out = vec_room(n, sizeof *out);

    for (size_t i = 0; i < n; i++) out[i] = (uint32_t)wide[i];
    return out;
}

/* Victims by node, tasks that are left of the greedy one, tasks served. */
static void count_placements(vec_case *c, const victims *v, int64_t *got)
{
    uint32_t nodes = (uint32_t)v->in.n_nodes;
    uint32_t greedy = (uint32_t)vec_number(c, "greedy", 0);

    for (uint32_t i = 0; i < v->in.n; i++) got[nodes] += v->queue[i] == greedy;
    for (uint32_t i = 0; i < v->plan.n_victims; i++) {
        uint32_t row = v->plan.victims[i].row;
        got[v->in.node[row]]++;
        got[nodes] -= v->queue[row] == greedy;
    }
    got[nodes + 1] = (int64_t)v->plan.served;
}

static int run_placements(vec_case *c)
{
    victims v;
    size_t free_cells, requests, cells;
    uint32_t *node = narrow_column(c, "node");
    uint32_t *request_queue = narrow_column(c, "request_queue");
    uint32_t *request_count = narrow_column(c, "request_count");
    uint32_t *place = narrow_column(c, "place");
    uint32_t *place_offset = narrow_column(c, "place_offset");

    victims_of(c, &v);
    free((void *)(uintptr_t)v.in.keep);
    v.in.keep = vec_numbers(c, "keep", &cells);
    v.in.share = vec_numbers(c, "share", &cells);
    v.in.cost = vec_numbers(c, "cost", &cells);
    v.in.free = vec_numbers(c, "free", &free_cells);
    v.in.n_nodes = (uint32_t)(free_cells / v.in.kinds);
    v.in.node = node;
    v.in.request_amount = vec_numbers(c, "request_amount", &requests);
    v.in.n_requests = (uint32_t)(requests / v.in.kinds);
    v.in.request_queue = request_queue;
    v.in.request_count = request_count;
    v.in.place = place;
    v.in.place_offset = place_offset;
    v.plan.placements = vec_room(v.in.n + free_cells,
                                 sizeof(sked_preempt_placement));
    v.plan.placements_cap = (uint32_t)(v.in.n + free_cells);
    int64_t *got = vec_room(v.in.n_nodes + (size_t)2, sizeof *got);
    int said = CASE_FAILED;
    if (planned(c, &v)) {
        count_placements(c, &v, got);
        said = vec_judge(c, "want", got, v.in.n_nodes + (size_t)2);
    }
    free(got);
    free(node);
    free(request_queue);
    free(request_count);
    free(place);
    free(place_offset);
    free(v.plan.placements);
    v.in.keep = NULL;
    victims_drop(&v);
    return said;
}

const vec_runner vec_run_victims[] = {
    {"victims", run_victims},
    {"placements", run_placements},
    {NULL, NULL},
};
