/* Tasks that have a node to themselves: what they hold, and whether they may. */
#include "ref_engine_forms.h"
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include <string.h>

#include "base/arith.h"

int ref_engine_alone(const ref_ask *a)
{
    return (a->flags & SKED_ASK_EXCLUSIVE) != 0;
}

int ref_engine_is_empty(const ref_engine *r, size_t node)
{
    for (size_t i = 0; i < r->groups; i++) {
        if (r->group[i].state != REF_OVER && r->group[i].node == node) return 0;
    }
    for (size_t i = 0; i < r->remains; i++) {
        if (r->remain[i].count > 0 && r->remain[i].node == node) return 0;
    }
    return r->node[node].formed == 0 || r->node[node].formed_given;
}

void ref_engine_all_of(const ref_engine *r, const ref_ask *a, size_t node,
                       int64_t *amount)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        amount[k] = ref_engine_pooled(r, k) ? a->task[k]
                                            : r->node[node].capacity[k];
    }
}

int ref_engine_bunched(const ref_ask *a)
{
    return ref_engine_alone(a) && a->per_node > 1;
}

int64_t ref_engine_times(const ref_engine *r, const ref_group *g)
{
    if (!ref_engine_bunched(&r->ask[g->ask])) return g->count;
    for (const ref_group *o = r->group; o < g; o++) { /* the first for all */
        if (o->state != REF_OVER && o->ask == g->ask && o->node == g->node) {
            return 0;
        }
    }
    return g->count > 0;
}

int64_t ref_engine_left(const ref_engine *r, const ref_remains *left)
{
    if (!ref_engine_bunched(&r->ask[left->ask])) return left->count;
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state != REF_OVER && g->count > 0 && g->ask == left->ask &&
            g->node == left->node) {
            return 0;
        }
    }
    for (const ref_remains *o = r->remain; o < left; o++) {
        if (o->count > 0 && o->ask == left->ask && o->node == left->node) {
            return 0;
        }
    }
    return left->count > 0;
}

void ref_engine_holds_all(ref_engine *r, ref_group *g)
{
    const ref_ask *a = &r->ask[g->ask];

    if (!ref_engine_alone(a)) return;
    ref_engine_all_of(r, a, g->node, g->amount);
    for (size_t i = 0; ref_engine_bunched(a) && i < r->remains; i++) {
        ref_remains *left = &r->remain[i]; /* of which it is one */
        if (left->ask != g->ask || left->node != g->node) continue;
        memcpy(left->amount, g->amount, sizeof left->amount);
    }
    g->own = 1;
    g->gang = 0;
    r->shares[r->node[g->node].partition].moved = 1;
}

/* So many of a node's tasks have it to themselves. */
static int64_t alone_on(const ref_engine *r, size_t node)
{
    int64_t n = 0;

    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != node) continue;
        if (ref_engine_alone(&r->ask[g->ask])) n += ref_engine_times(r, g);
    }
    for (size_t i = 0; i < r->remains; i++) {
        const ref_remains *left = &r->remain[i];
        if (left->count == 0 || left->node != node) continue;
        if (ref_engine_alone(&r->ask[left->ask])) n += ref_engine_left(r, left);
    }
    return n;
}

int ref_engine_may_grow(const ref_engine *r, size_t node,
                        const int64_t *capacity)
{
    int64_t used[REF_KINDS], free[REF_KINDS], n = alone_on(r, node);

    ref_engine_held(r, used);
    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t more = capacity[k] - r->node[node].capacity[k];
        if (n == 0 || ref_engine_pooled(r, k) || more <= 0) continue;
        if (more > (SKED_AMOUNT_MAX - used[k]) / n) return 0;
        uint64_t sum = (uint64_t)(used[k] + more * n);
        for (size_t i = 0; i < r->nodes; i++) {
            if (r->node[i].gone) continue;
            ref_engine_free_on(r, i, free);
            if (i == node) free[k] += more - more * n;
            sum += (uint64_t)skedi_i64_max(free[k], 0);
        }
        if (sum > (uint64_t)SKED_AMOUNT_MAX) return 0;
    }
    return 1;
}

void ref_engine_grow(ref_engine *r, size_t node)
{
    for (size_t i = 0; i < r->groups; i++) {
        ref_group *g = &r->group[i];
        if (g->state != REF_OVER && g->node == node) ref_engine_holds_all(r, g);
    }
    for (size_t i = 0; i < r->remains; i++) { /* have not left it, either */
        ref_remains *left = &r->remain[i];
        const ref_ask *a = &r->ask[left->ask];
        if (left->count == 0 || left->node != node) continue;
        for (uint32_t k = 0; ref_engine_alone(a) && k < r->kinds; k++) {
            if (ref_engine_pooled(r, k)) continue; /* held nothing of it */
            left->amount[k] = r->node[node].capacity[k];
        }
    }
}

const int64_t *ref_engine_step(const ref_engine *r, size_t ask, size_t node,
                               uint32_t partition, int64_t *all)
{
    const ref_ask *a = &r->ask[ask];

    if (!ref_engine_alone(a)) return a->step;
    if (ref_engine_lacks(a) == 0) {
        ref_engine_all_of(r, a, node, all);
        return all;
    }
    if (r->opts.form_nodes > 0) return a->step; /* its turn asks for the rest */
    /* Where it does not form, nothing is to be held. */
    return ref_engine_forms(r, ask, partition)
               ? ref_engine_all_at_once(r, ask, partition, all)
               : a->step;
}
