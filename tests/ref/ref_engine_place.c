/* Placing job by job: every node is looked at for every ask, each time. */
#include "ref_engine_forms.h"
#include "ref_engine_may.h"

#include <stdlib.h>

#include "ref_wide.h"

typedef struct placing {
    const sked_engine_place_options *options;
    uint32_t partition;
    uint64_t *started; /* by node */
} placing;

static int is_open_node(const ref_engine *r, size_t node, uint32_t partition)
{
    const ref_node *n = &r->node[node];

    return !n->gone && !n->drains && !n->barred && n->partition == partition;
}

/* Nodes of the partition on which something may start yet. */
static size_t nodes_with_turns(const ref_engine *r, const placing *p,
                               size_t *nodes)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nodes; i++) {
        if (!is_open_node(r, i, p->partition)) continue;
        if (ref_engine_turn_over(r, p->started[i])) continue;
        nodes[n++] = i;
    }
    return n;
}

static const int64_t *least_of_ask(const ref_ask *a)
{
    return a->per_node ? a->task : a->step;
}

static uint32_t mode_of(const placing *p, const ref_ask *a)
{
    if (a->flags & SKED_ASK_PLACE_FIRST) return SKED_ENGINE_PLACE_MODE_FIRST;
    if (a->flags & SKED_ASK_PLACE_PACK) return SKED_ENGINE_PLACE_MODE_PACK;
    if (a->flags & SKED_ASK_PLACE_SPREAD) return SKED_ENGINE_PLACE_MODE_SPREAD;
    if (a->flags & SKED_ASK_PLACE_SCORE) return SKED_ENGINE_PLACE_MODE_SCORE;
    if (a->flags & SKED_ASK_PLACE_FRAGMENT) {
        return SKED_ENGINE_PLACE_MODE_FRAGMENT;
    }
    return p->options->mode ? p->options->mode : SKED_ENGINE_PLACE_MODE_FIRST;
}

/* The largest part of the capacity, ppm rounded up; the kind in `*lead`. */
static int64_t part_taken(const ref_engine *r, const ref_books *b,
                          const int64_t *step, uint32_t *lead)
{
    uint32_t best = 0;

    while (best + 1 < r->kinds && ref_engine_pooled(r, best)) best++;
    for (uint32_t k = best + 1; k < r->kinds; k++) {
        if (ref_engine_pooled(r, k)) continue;
        ref_wide x = ref_wide_mul(ref_wide_of((uint64_t)step[k]),
                                  (uint64_t)b->capacity[best]);
        ref_wide y = ref_wide_mul(ref_wide_of((uint64_t)step[best]),
                                  (uint64_t)b->capacity[k]);
        if (ref_wide_cmp(x, y) > 0) best = k;
    }
    *lead = best;
    if (step[best] >= b->capacity[best]) return SKED_PPM;
    for (int64_t ppm = 0;; ppm++) {
        ref_wide x = ref_wide_mul(ref_wide_of((uint64_t)step[best]),
                                  (uint64_t)SKED_PPM);
        ref_wide y = ref_wide_mul(ref_wide_of((uint64_t)ppm),
                                  (uint64_t)b->capacity[best]);
        if (ref_wide_cmp(y, x) >= 0) return ppm;
    }
}

/* How often amounts hold a step, up to 1,024. */
static int64_t often(const ref_engine *r, const int64_t *step,
                     const int64_t *amounts)
{
    int64_t n = 0;

    for (; n < 1024; n++) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            if (step[k] == 0) continue;
            if (amounts[k] < 0 || amounts[k] / step[k] <= n) return n;
        }
    }
    return n;
}

static int64_t loss_of(const ref_engine *r, const ref_books *b,
                       const ref_ask *a, size_t node)
{
    int64_t free[REF_KINDS], left[REF_KINDS], loss = 0;
    uint32_t lead;

    ref_engine_open_on(r, node, free);
    for (uint32_t k = 0; k < r->kinds; k++) {
        left[k] = free[k] - least_of_ask(a)[k];
    }
    for (size_t i = 0; i < r->asks; i++) {
        const int64_t *step = least_of_ask(&r->ask[i]);
        if (!ref_engine_in_line(r, &r->ask[i], b->partition)) continue;
        if (!ref_engine_takes(r, i, node)) continue;
        int64_t lost = often(r, step, free) - often(r, step, left);
        if (lost > 0) loss += lost * part_taken(r, b, step, &lead);
    }
    return loss;
}

static int64_t score_of(const placing *p, uint64_t key)
{
    for (uint64_t i = 0; i < p->options->n; i++) {
        if (p->options->nodes[i] == key) return p->options->scores[i];
    }
    return 0;
}

/* What is least on the node that is taken. */
static int64_t cost_of(const ref_engine *r, const placing *p,
                       const ref_books *b, const ref_ask *a, size_t node)
{
    int64_t free[REF_KINDS];
    uint32_t lead;

    ref_engine_open_on(r, node, free);
    (void)part_taken(r, b, least_of_ask(a), &lead);
    switch (mode_of(p, a)) {
    case SKED_ENGINE_PLACE_MODE_PACK: return free[lead];
    case SKED_ENGINE_PLACE_MODE_SPREAD: return -free[lead];
    case SKED_ENGINE_PLACE_MODE_FRAGMENT: return loss_of(r, b, a, node);
    case SKED_ENGINE_PLACE_MODE_SCORE: return -score_of(p, r->node[node].key);
    }
    return 0;
}

/* The best node of those with a turn, of `n`. */
static size_t best_node(const ref_engine *r, const placing *p, size_t ask,
                        const size_t *nodes, size_t n)
{
    const ref_ask *a = &r->ask[ask];
    ref_books b = ref_books_open(r, p->partition);
    size_t best = SIZE_MAX;
    int64_t least = 0, nearest = 3;

    for (size_t i = 0; i < n; i++) {
        int64_t free[REF_KINDS];
        ref_engine_open_on(r, nodes[i], free);
        if (!ref_engine_may_run(r, &b, ask, nodes[i], free)) continue;
        int64_t far = ref_engine_distance(r, a, &r->node[nodes[i]]);
        int64_t cost = cost_of(r, p, &b, a, nodes[i]);
        if (far > nearest || (far == nearest && cost >= least)) continue;
        best = nodes[i];
        nearest = far;
        least = cost;
    }
    ref_books_close(&b);
    return best;
}

static int has_node(const ref_engine *r, uint32_t partition)
{
    for (size_t i = 0; i < r->nodes; i++) {
        if (!r->node[i].gone && r->node[i].partition == partition) return 1;
    }
    return 0;
}

/* 1: it was cut short. */
static int place_asks(ref_engine *r, placing *p, uint64_t most, size_t *nodes)
{
    size_t first = r->groups;

    for (;;) {
        size_t n = nodes_with_turns(r, p, nodes);
        size_t ask = n ? ref_engine_pick(r, nodes, n) : SIZE_MAX;
        if (ask == SIZE_MAX) return 0;
        int gang = ref_engine_lacks(&r->ask[ask]) > 0;
        if (gang && r->opts.form_nodes > 0 &&
            !ref_forming_turn(r, ask, p->partition, SIZE_MAX)) {
            continue;
        }
        if (ref_engine_is_full(r) || r->n_out >= most) return 1;
        size_t node = best_node(r, p, ask, nodes, n);
        int same = r->groups > first && r->group[r->groups - 1].node == node;
        size_t bare = ref_forming_bare(r);
        ref_engine_start(r, ask, node, same ? first : r->groups);
        if (gang) first = r->groups; /* nothing goes on from its groups */
        if (gang) ref_forming_started(r, ask);
        ref_forming_look_again(r, bare);
        p->started[node]++;
    }
}

static int place_partition(ref_engine *r, placing *p, uint64_t most,
                           size_t *nodes)
{
    if (!has_node(r, p->partition)) return 0;
    ref_engine_shares(r, p->partition);
    ref_forming_begin(r, p->partition, SIZE_MAX);
    int cut = place_asks(r, p, most, nodes);
    ref_forming_end(r, p->partition, SIZE_MAX, cut);
    return cut;
}

sked_status ref_engine_place(ref_engine *r,
                             const sked_engine_place_options *options,
                             sked_time now, uint64_t budget)
{
    placing p = {.options = options};
    uint64_t most = budget ? r->n_out : UINT64_MAX;
    int cut = 0;

    if (ref_engine_advance(r, now) != SKED_OK) return SKED_ERR_RANGE;
    if (budget) most = r->n_out + budget;
    size_t *nodes = calloc(r->nodes + 1, sizeof *nodes);
    p.started = calloc(r->nodes + 1, sizeof *p.started);
    if (!nodes || !p.started) abort();
    for (; !cut && p.partition < REF_PARTS; p.partition++) {
        cut = place_partition(r, &p, most, nodes);
    }
    free(nodes);
    free(p.started);
    ref_engine_look_at_wants(r);
    return cut ? SKED_STOPPED : SKED_OK;
}
