#include "ref_victims.h"

enum { KINDS = REF_VICTIMS_KINDS };

/* The kinds that are lacking on a node when the tasks of a set are gone, a bit
 * each. */
static uint32_t lacking(const ref_victims *w, uint32_t node, uint32_t set)
{
    uint32_t kinds = 0;

    for (int k = 0; k < KINDS; k++) {
        int64_t there = w->node[node].size[k];
        for (uint32_t i = 0; i < w->tasks; i++) {
            int goes = w->task[i].ends || (set >> i & 1);
            if (w->task[i].node == node && !goes) there -= w->task[i].amount[k];
        }
        if (there < w->step[k]) kinds |= 1U << k;
    }
    return kinds;
}

int ref_victims_fits(const ref_victims *w, uint32_t node, uint32_t set)
{
    return lacking(w, node, set) == 0;
}

/* The cheapest task of a node that holds some of these kinds, is not in the set
 * and does not end; the number of tasks: there is none. */
static uint32_t next_victim(const ref_victims *w, uint32_t node, uint32_t set,
                            uint32_t kinds)
{
    uint32_t best = w->tasks;

    for (uint32_t i = 0; i < w->tasks; i++) {
        const ref_victims_task *t = &w->task[i];
        int holds = 0;
        for (int k = 0; k < KINDS; k++) {
            holds |= (kinds >> k & 1) && t->amount[k] > 0;
        }
        if (t->node != node || t->ends || (set >> i & 1) || !holds) continue;
        if (best == w->tasks || t->cost < w->task[best].cost) best = i;
    }
    return best;
}

/* The set without those that need not go. */
static uint32_t without_spare(const ref_victims *w, uint32_t node, uint32_t set)
{
    uint32_t asked = 0;

    for (;;) {
        uint32_t dearest = w->tasks;
        for (uint32_t i = 0; i < w->tasks; i++) {
            if (!((set & ~asked) >> i & 1)) continue;
            if (dearest == w->tasks || w->task[i].cost > w->task[dearest].cost)
                dearest = i;
        }
        if (dearest == w->tasks) return set;
        uint32_t less = set & ~(UINT32_C(1) << dearest);
        asked |= UINT32_C(1) << dearest;
        if (ref_victims_fits(w, node, less)) set = less;
    }
}

int64_t ref_victims_cost(const ref_victims *w, uint32_t node)
{
    uint32_t set = 0, kinds;
    int64_t cost = 0;

    if (!w->node[node].taken) return -1;
    while ((kinds = lacking(w, node, set)) != 0) {
        uint32_t next = next_victim(w, node, set, kinds);
        if (next == w->tasks) return -1;
        set |= UINT32_C(1) << next;
    }
    set = without_spare(w, node, set);
    for (uint32_t i = 0; i < w->tasks; i++) {
        if (set >> i & 1) cost += w->task[i].cost;
    }
    return cost;
}

int64_t ref_victims_least(const ref_victims *w)
{
    int64_t best = -1;

    for (uint32_t n = 0; n < w->nodes; n++) {
        int64_t cost = ref_victims_cost(w, n);
        if (cost >= 0 && (best < 0 || cost < best)) best = cost;
    }
    return best;
}
