/* What runs, what is free, what was decided: sums over the lists. */
#include "ref_engine_forms.h"
#include "ref_engine.h"
#include "ref_engine_alone.h"

#include <stdlib.h>
#include <string.h>

void *ref_engine_more(void *items, size_t *n, size_t size)
{
    char *moved = realloc(items, (*n + 1) * size);

    if (!moved) abort();
    memset(moved + *n * size, 0, size);
    ++*n;
    return moved;
}

void ref_engine_name_partition(ref_engine *r, uint32_t partition)
{
    if (partition < r->parts) return;
    r->parts = partition + 1;
    for (int p = 0; p < REF_PARTS; p++) r->shares[p].changed = 1;
}

int64_t ref_engine_open(const ref_ask *ask)
{
    int64_t open = 0;

    for (size_t i = 0; i < ask->n_ranges; i++) open += ask->ranges[i].count;
    return open;
}

int ref_engine_is_full(const ref_engine *r)
{
    return r->n_out - r->taken >= r->opts.max_untaken;
}

sked_decision *ref_engine_decide(ref_engine *r, sked_decision d)
{
    sked_decision *at = MORE(r, out, n_out);

    *at = d;
    at->sequence = r->n_out;
    at->time = r->now;
    return at;
}

void ref_engine_capacity(const ref_engine *r, uint32_t partition,
                         int64_t *capacity)
{
    memset(capacity, 0, r->kinds * sizeof *capacity);
    for (size_t i = 0; i < r->nodes; i++) {
        if (r->node[i].gone || r->node[i].partition != partition) continue;
        for (uint32_t k = 0; k < r->kinds; k++) {
            if (ref_engine_pooled(r, k)) continue;
            capacity[k] += r->node[i].capacity[k];
        }
    }
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (ref_engine_pooled(r, k)) capacity[k] = r->pool[partition][k];
    }
}

void ref_engine_free_on(const ref_engine *r, size_t node, int64_t *amounts)
{
    memcpy(amounts, r->node[node].capacity, r->kinds * sizeof *amounts);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != node) continue;
        for (uint32_t k = 0; k < r->kinds; k++) {
            amounts[k] -= g->amount[k] * ref_engine_times(r, g);
        }
    }
    for (size_t i = 0; i < r->remains; i++) {
        const ref_remains *left = &r->remain[i];
        for (uint32_t k = 0; left->node == node && k < r->kinds; k++) {
            amounts[k] -= left->amount[k] * ref_engine_left(r, left);
        }
    }
}

void ref_engine_held(const ref_engine *r, int64_t *held)
{
    ref_engine_usage(r, 0, SKED_ANY_PARTITION, held);
    for (size_t i = 0; i < r->remains; i++) {
        const ref_remains *left = &r->remain[i];
        for (uint32_t k = 0; left->count > 0 && k < r->kinds; k++) {
            held[k] += left->amount[k] * ref_engine_left(r, left);
        }
    }
}

void ref_engine_open_on(const ref_engine *r, size_t node, int64_t *amounts)
{
    ref_engine_free_on(r, node, amounts);
    const ref_node *own = &r->node[node];
    const ref_ask *forms = r->asks ? &r->ask[r->forming[own->formed_in].ask]
                                   : NULL;
    for (uint32_t k = 0; own->formed > 0 && k < r->kinds; k++) {
        int all = ref_engine_alone(forms);
        if (own->formed_given) continue;
        amounts[k] -= all ? own->capacity[k] : forms->task[k] * own->formed;
    }
}

void ref_engine_usage(const ref_engine *r, uint32_t row, uint32_t partition,
                      int64_t *usage)
{
    memset(usage, 0, r->kinds * sizeof *usage);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        if (g->state == REF_OVER ||
            (partition != SKED_ANY_PARTITION &&
             r->node[g->node].partition != partition) ||
            !ref_engine_runs_below(r, &r->job[a->job], row)) {
            continue;
        }
        for (uint32_t k = 0; k < r->kinds; k++) {
            usage[k] += g->amount[k] * ref_engine_times(r, g);
        }
    }
}
