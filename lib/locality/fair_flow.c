/*
 * Blocking flows between queues and hosts. An arc from a queue is a block that
 * waits, to a host of its replicas; one from a host is a block that runs there,
 * to another host of its replicas or, to wait instead, to its queue. A path
 * from a queue that lacks blocks to a host with a free slot makes one more
 * block local and leaves every queue on it with as many as before.
 *
 * Blocks that move in a phase come to the head of their new list, which its
 * search has passed: they never lead to the next level, so nothing is missed.
 */
#include "locality/fair.h"

enum { FAIR_UNSEEN = -1, FAIR_CLOSED = -2 };

void skedi_fair_link(skedi_fair *w, uint32_t block, uint32_t node)
{
    uint32_t after = w->first[node];

    w->prev[block] = 0;
    w->next[block] = after;
    if (after) w->prev[after - 1] = block + 1;
    w->first[node] = block + 1;
}

static void fair_unlink(skedi_fair *w, uint32_t block, uint32_t node)
{
    uint32_t before = w->prev[block], after = w->next[block];

    if (before) {
        w->next[before - 1] = after;
    } else {
        w->first[node] = after;
    }
    if (after) w->prev[after - 1] = before;
}

/* Where a block of a node's list may go by position `k` of its row, behind the
 * end of which its queue stands; `nodes`: nowhere. */
static uint32_t arc_end(const skedi_fair *w, uint32_t block, uint32_t k)
{
    const skedi_fair_blocks *in = w->in;

    if (k == in->replicas) return fair_queue_of(in, block);
    uint32_t h = in->replica[(size_t)block * in->replicas + k];
    return h == SKED_LOCALITY_NO_HOST ? w->nodes : in->queues + h;
}

static int has_free_slot(const skedi_fair *w, uint32_t node)
{
    return node >= w->in->queues && w->left[node] > 0;
}

/* ---- Levels ---- */

static int see_arcs(skedi_fair *w, uint32_t node, uint32_t *reached)
{
    int slot = 0;

    for (uint32_t i = w->first[node]; i; i = w->next[i - 1]) {
        for (uint32_t k = 0; k <= w->in->replicas; k++) {
            uint32_t to = arc_end(w, i - 1, k);
            if (to == w->nodes || w->level[to] != FAIR_UNSEEN) continue;
            w->level[to] = w->level[node] + 1;
            w->found[(*reached)++] = to;
            slot |= has_free_slot(w, to);
        }
    }
    return slot;
}

int skedi_fair_search(skedi_fair *w, int whole, uint32_t *reached)
{
    uint32_t n = 0, level_end;
    int slot = 0;

    for (uint32_t v = 0; v < w->nodes; v++) {
        w->level[v] = FAIR_UNSEEN;
        w->at[v] = w->first[v];
        w->arc[v] = 0;
        if (v >= w->in->queues || w->left[v] == 0) continue;
        w->level[v] = 0;
        w->found[n++] = v;
    }
    level_end = n;
    for (uint32_t i = 0; i < n && n < w->nodes; i++) {
        if (i == level_end) {
            if (slot && !whole) break;
            level_end = n;
        }
        slot |= see_arcs(w, w->found[i], &n);
    }
    *reached = n;
    return slot;
}

/* ---- Paths ---- */

/* The end of the next arc that leads one level on; `nodes`: none is left. */
static uint32_t next_fair_arc(skedi_fair *w, uint32_t node)
{
    for (uint32_t i = w->at[node]; i; i = w->next[i - 1]) {
        w->at[node] = i;
        for (uint32_t k = w->arc[node]; k <= w->in->replicas; k++) {
            uint32_t to = arc_end(w, i - 1, k);
            w->arc[node] = k;
            if (to == w->nodes || w->level[to] != w->level[node] + 1) continue;
            return to;
        }
        w->arc[node] = 0;
    }
    w->at[node] = 0;
    return w->nodes;
}

/* Moves a block along each of `n` steps of the path, the last one first. */
static void push_fair_path(skedi_fair *w, uint32_t n, uint32_t end)
{
    w->left[w->path[0]]--;
    w->left[end]--;
    for (uint32_t to = end; n > 0; n--) {
        uint32_t from = w->path[n - 1], block = w->at[from] - 1;
        w->at[from] = w->next[block];
        w->arc[from] = 0;
        fair_unlink(w, block, from);
        skedi_fair_link(w, block, to);
        w->where[block] = to < w->in->queues ? SKED_LOCALITY_NO_HOST
                                             : to - w->in->queues;
        to = from;
    }
}

/* One more local block for a queue, if there is a path. */
static void push_from_queue(skedi_fair *w, uint32_t queue)
{
    uint32_t n = 0, v = queue;

    for (;;) {
        if (has_free_slot(w, v)) {
            push_fair_path(w, n, v);
            return;
        }
        uint32_t to = next_fair_arc(w, v);
        if (to != w->nodes) {
            w->path[n++] = v;
            v = to;
            continue;
        }
        w->level[v] = FAIR_CLOSED;
        if (n == 0) return;
        v = w->path[--n];
    }
}

sked_status skedi_fair_flow(skedi_fair *w, uint32_t phases, uint32_t *used)
{
    sked_status rc = SKED_OK;
    uint32_t reached;

    *used = 0;
    while (rc == SKED_OK && skedi_fair_search(w, 0, &reached)) {
        for (uint32_t q = 0; q < w->in->queues; q++) {
            while (w->left[q] && w->level[q] == 0) push_from_queue(w, q);
        }
        if (++*used == phases) break;
        rc = skedi_hooks_check(w->hooks, *used, *used + 1);
    }
    return rc;
}
