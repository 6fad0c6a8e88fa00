/*
 * Minimum-cost flow by the primal-dual method. Shortest distances from the
 * waiting blocks (Dijkstra) give potentials, under which the arcs of shortest
 * paths have reduced cost 0. Along these arcs blocks are pushed by blocking
 * flows, level by level; then distances are computed again. Potentials advance
 * by the distance of a node or of the sink, whichever is less.
 */
#include "locality/transport.h"

#include <string.h>

/* A path that is looked for: a block that wants to enter a node. */
struct skedi_transport_frame {
    uint32_t node;
    uint32_t block;
};

typedef struct skedi_transport_frame path_frame;

enum { NOT_REACHED = -1 };

static const int64_t unreachable = INT64_MAX;

int skedi_transport_reserve(skedi_transport *t)
{
    skedi_mem *mem = &t->hooks->mem;
    size_t blocks = t->in->blocks, nodes = t->nodes, n = (size_t)t->hosts + 1;

    return (t->low = skedi_new(mem, n, sizeof *t->low)) &&
           (t->high = skedi_new(mem, n, sizeof *t->high)) &&
           (t->load = skedi_new(mem, n, sizeof *t->load)) &&
           (t->first = skedi_new(mem, n, sizeof *t->first)) &&
           (t->where = skedi_new(mem, blocks, sizeof *t->where)) &&
           (t->next = skedi_new(mem, blocks, sizeof *t->next)) &&
           (t->prev = skedi_new(mem, blocks, sizeof *t->prev)) &&
           (t->waiting = skedi_new(mem, blocks, sizeof *t->waiting)) &&
           (t->potential = skedi_new(mem, nodes, sizeof *t->potential)) &&
           (t->distance = skedi_new(mem, nodes, sizeof *t->distance)) &&
           (t->depth = skedi_new(mem, nodes, sizeof *t->depth)) &&
           (t->at = skedi_new(mem, nodes, sizeof *t->at)) &&
           (t->at_option = skedi_new(mem, nodes, sizeof *t->at_option)) &&
           (t->queue = skedi_new(mem, nodes, sizeof *t->queue)) &&
           (t->path = skedi_new(mem, nodes, sizeof *t->path)) &&
           (t->rack_first = skedi_new(mem, (size_t)t->racks + 2,
                                      sizeof *t->rack_first)) &&
           (t->member = skedi_new(mem, n, sizeof *t->member)) &&
           skedi_heap_reserve(&t->heap, nodes, mem);
}

void skedi_transport_drop(skedi_transport *t)
{
    skedi_mem *mem = &t->hooks->mem;
    size_t blocks = t->in->blocks, nodes = t->nodes, n = (size_t)t->hosts + 1;

    skedi_free(mem, t->low, n, sizeof *t->low);
    skedi_free(mem, t->high, n, sizeof *t->high);
    skedi_free(mem, t->load, n, sizeof *t->load);
    skedi_free(mem, t->first, n, sizeof *t->first);
    skedi_free(mem, t->where, blocks, sizeof *t->where);
    skedi_free(mem, t->next, blocks, sizeof *t->next);
    skedi_free(mem, t->prev, blocks, sizeof *t->prev);
    skedi_free(mem, t->waiting, blocks, sizeof *t->waiting);
    skedi_free(mem, t->potential, nodes, sizeof *t->potential);
    skedi_free(mem, t->distance, nodes, sizeof *t->distance);
    skedi_free(mem, t->depth, nodes, sizeof *t->depth);
    skedi_free(mem, t->at, nodes, sizeof *t->at);
    skedi_free(mem, t->at_option, nodes, sizeof *t->at_option);
    skedi_free(mem, t->queue, nodes, sizeof *t->queue);
    skedi_free(mem, t->path, nodes, sizeof *t->path);
    skedi_free(mem, t->rack_first, (size_t)t->racks + 2, sizeof *t->rack_first);
    skedi_free(mem, t->member, n, sizeof *t->member);
    skedi_heap_free(&t->heap, mem);
}

/* ---- Blocks of a host ---- */

static void enter_list(skedi_transport *t, uint32_t b, uint32_t h)
{
    uint32_t next = t->first[h];

    t->where[b] = h;
    t->next[b] = next;
    t->prev[b] = 0;
    if (next) t->prev[next - 1] = b + 1;
    t->first[h] = b + 1;
}

static void leave_list(skedi_transport *t, uint32_t b)
{
    uint32_t next = t->next[b], prev = t->prev[b];

    if (next) t->prev[next - 1] = prev;
    if (prev) {
        t->next[prev - 1] = next;
    } else {
        t->first[t->where[b]] = next;
    }
}

void skedi_transport_start(skedi_transport *t, uint32_t block, uint32_t host)
{
    if (host <= t->hosts && t->load[host] < t->low[host]) {
        t->load[host]++;
        enter_list(t, block, host);
        return;
    }
    t->where[block] = UINT32_MAX;
    t->waiting[t->n_waiting++] = block;
}

/* ---- Arcs ---- */

static int is_host(const skedi_transport *t, uint32_t node)
{
    return node <= t->hosts;
}

/* Hosts of a rack, or all, as [from, to) of `member`. */
static void members_of(const skedi_transport *t, uint32_t node, uint32_t *from,
                       uint32_t *to)
{
    uint32_t rack = node - t->hosts - 1;

    *from = rack < t->racks ? t->rack_first[rack] : 0;
    *to = rack < t->racks ? t->rack_first[rack + 1] : t->hosts;
}

/* What one more place on a host costs; negative: there is none. */
static int64_t place_cost(const skedi_transport *t, uint32_t h)
{
    if (t->load[h] < t->low[h]) return 0;
    return t->load[h] < t->high[h] ? t->extra : -1;
}

/* ---- Distances ---- */

static void come_closer(skedi_transport *t, uint32_t node, int64_t distance)
{
    if (distance >= t->distance[node]) return;
    t->distance[node] = distance;
    skedi_heap_set(&t->heap, node, (uint64_t)distance);
}

/* Relaxes the arcs of a block that costs `cost`, from a node of that distance
 * and potential. */
static void relax_block(skedi_transport *t, uint32_t b, int64_t from)
{
    for (uint32_t i = 0; i < t->options; i++) {
        skedi_transport_option o = t->option(t, b, i);
        if (o.node == UINT32_MAX) continue;
        come_closer(t, o.node, from + o.cost - t->potential[o.node]);
    }
}

static void relax_node(skedi_transport *t, uint32_t v)
{
    int64_t from = t->distance[v] + t->potential[v];
    uint32_t i, end;

    if (is_host(t, v)) {
        for (uint32_t b = t->first[v]; b; b = t->next[b - 1]) {
            relax_block(t, b - 1, from - t->cost(t, b - 1, v));
        }
        return;
    }
    for (members_of(t, v, &i, &end); i < end; i++) {
        uint32_t h = t->member[i];
        come_closer(t, h, from - t->potential[h]);
    }
}

/* Dijkstra up to the nearest place; 0: no place can be reached. */
static int find_distances(skedi_transport *t)
{
    int64_t best = unreachable;
    const skedi_heap_item *top;

    for (uint32_t v = 0; v < t->nodes; v++) t->distance[v] = unreachable;
    skedi_heap_clear(&t->heap);
    for (uint32_t i = 0; i < t->n_waiting; i++) {
        relax_block(t, t->waiting[i], 0);
    }
    while ((top = skedi_heap_top(&t->heap)) && (int64_t)top->key < best) {
        uint32_t v = top->id;
        skedi_heap_remove(&t->heap, v);
        int64_t place = is_host(t, v) ? place_cost(t, v) : -1;
        if (place >= 0) {
            place += t->distance[v] + t->potential[v] - t->target;
            if (place < best) best = place;
        }
        relax_node(t, v);
    }
    if (best == unreachable) return 0;
    for (uint32_t v = 0; v < t->nodes; v++) {
        t->potential[v] += t->distance[v] < best ? t->distance[v] : best;
    }
    t->target += best;
    return 1;
}

/* ---- Levels ---- */

static int is_goal(const skedi_transport *t, uint32_t v)
{
    if (!is_host(t, v)) return 0;
    int64_t place = place_cost(t, v);
    return place >= 0 && t->potential[v] + place == t->target;
}

static uint32_t reach_node(skedi_transport *t, uint32_t v, int32_t depth,
                           uint32_t n)
{
    if (t->depth[v] >= 0) return n;
    t->depth[v] = depth;
    t->queue[n] = v;
    return n + 1;
}

/* Nodes that a block's options lead to at no cost. */
static uint32_t reach_by_block(skedi_transport *t, uint32_t b, int64_t from,
                               int32_t depth, uint32_t n)
{
    for (uint32_t i = 0; i < t->options; i++) {
        skedi_transport_option o = t->option(t, b, i);
        if (o.node == UINT32_MAX) continue;
        if (from + o.cost != t->potential[o.node]) continue;
        n = reach_node(t, o.node, depth, n);
    }
    return n;
}

static uint32_t reach_from(skedi_transport *t, uint32_t v, uint32_t n)
{
    int32_t depth = t->depth[v] + 1;
    int64_t from = t->potential[v];
    uint32_t i, end;

    if (is_host(t, v)) {
        for (uint32_t b = t->first[v]; b; b = t->next[b - 1]) {
            n = reach_by_block(t, b - 1, from - t->cost(t, b - 1, v), depth, n);
        }
        return n;
    }
    for (members_of(t, v, &i, &end); i < end; i++) {
        uint32_t h = t->member[i];
        if (t->potential[h] == from) n = reach_node(t, h, depth, n);
    }
    return n;
}

/* Breadth first along arcs without cost. 1: a place was reached. */
static int find_levels(skedi_transport *t)
{
    uint32_t n = 0;
    int found = 0;

    for (uint32_t v = 0; v < t->nodes; v++) {
        t->depth[v] = NOT_REACHED;
        t->at_option[v] = 0;
        t->at[v] = 0;
        if (is_host(t, v)) {
            t->at[v] = t->first[v];
        } else {
            uint32_t end;
            members_of(t, v, &t->at[v], &end);
        }
    }
    for (uint32_t i = 0; i < t->n_waiting; i++) {
        n = reach_by_block(t, t->waiting[i], 0, 0, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        found |= is_goal(t, t->queue[i]);
        n = reach_from(t, t->queue[i], n);
    }
    return found;
}

/* ---- Paths ---- */

/* The next block on a host that can go one level on, and where to. */
static int next_from_host(skedi_transport *t, uint32_t v, path_frame *out)
{
    for (uint32_t b; (b = t->at[v]) != 0; t->at[v] = t->next[b - 1]) {
        int64_t from = t->potential[v] - t->cost(t, b - 1, v);
        for (; t->at_option[v] < t->options; t->at_option[v]++) {
            skedi_transport_option o = t->option(t, b - 1, t->at_option[v]);
            if (o.node == UINT32_MAX || t->depth[o.node] != t->depth[v] + 1 ||
                from + o.cost != t->potential[o.node]) {
                continue;
            }
            *out = (path_frame){o.node, b - 1};
            return 1;
        }
        t->at_option[v] = 0;
    }
    return 0;
}

static int next_from_rack(skedi_transport *t, path_frame now, path_frame *out)
{
    uint32_t from, end;

    members_of(t, now.node, &from, &end);
    for (; t->at[now.node] < end; t->at[now.node]++) {
        uint32_t h = t->member[t->at[now.node]];
        if (t->depth[h] != t->depth[now.node] + 1 ||
            t->potential[h] != t->potential[now.node]) {
            continue;
        }
        *out = (path_frame){h, now.block};
        return 1;
    }
    return 0;
}

/* Every block of a path enters its host, the last one first. */
static void push_frames(skedi_transport *t, uint32_t n)
{
    t->load[t->path[n - 1].node]++;
    while (n-- > 0) {
        path_frame f = t->path[n];
        if (!is_host(t, f.node)) continue;
        uint32_t old = t->where[f.block];
        if (old != UINT32_MAX) {
            t->at[old] = t->next[f.block];
            t->at_option[old] = 0;
            leave_list(t, f.block);
        }
        enter_list(t, f.block, f.node);
    }
}

/* A path for a block that enters a node: 1 if there is one. */
static int push_block(skedi_transport *t, uint32_t block, uint32_t node)
{
    uint32_t n = 0;

    t->path[n++] = (path_frame){node, block};
    while (n > 0) {
        path_frame now = t->path[n - 1];
        if (is_goal(t, now.node)) {
            push_frames(t, n);
            return 1;
        }
        int on = is_host(t, now.node) ? next_from_host(t, now.node, &t->path[n])
                                      : next_from_rack(t, now, &t->path[n]);
        if (on) {
            n++;
        } else {
            t->depth[now.node] = NOT_REACHED;
            n--;
        }
    }
    return 0;
}

/* By which of its options a waiting block gets a host: 0 if by none. */
static int push_waiting(skedi_transport *t, uint32_t b)
{
    for (uint32_t i = 0; i < t->options; i++) {
        skedi_transport_option o = t->option(t, b, i);
        if (o.node == UINT32_MAX || t->depth[o.node] != 0) continue;
        if (o.cost != t->potential[o.node]) continue;
        if (push_block(t, b, o.node)) return 1;
    }
    return 0;
}

static void push_flow(skedi_transport *t)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < t->n_waiting; i++) {
        uint32_t b = t->waiting[i];
        if (!push_waiting(t, b)) t->waiting[left++] = b;
    }
    t->n_waiting = left;
}

sked_status skedi_transport_run(skedi_transport *t)
{
    sked_status rc = SKED_OK;
    uint64_t all = t->n_waiting;

    while (rc == SKED_OK && t->n_waiting > 0 && find_distances(t)) {
        while (find_levels(t)) push_flow(t);
        rc = skedi_hooks_check(t->hooks, all - t->n_waiting, all);
    }
    return rc;
}
