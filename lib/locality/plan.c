/*
 * Turns the exact placement into the wanted placement. Either blocks that end
 * too late are transferred at least cost, or as many blocks as possible stay on
 * their hosts of a plan in force. Both starts cost nothing; only the remaining
 * blocks need routes.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "locality/transport.h"

/*
 * Minimum-cost flow by the primal-dual method. Shortest distances from the
 * waiting blocks (Dijkstra) give potentials. Under the potentials, the arcs of
 * shortest paths have reduced cost 0. Blocking flows push blocks along the arcs
 * of cost 0, level by level. Distances are then computed again. Potentials
 * advance by the distance of a node or of the sink, whichever is less.
 */

/* One step of a path under search: a block that wants to enter a node. */
struct skedi_transport_frame {
    uint32_t node;
    uint32_t block;
};

typedef struct skedi_transport_frame path_frame;

enum { NOT_REACHED = -1 };

static const int64_t unreachable = INT64_MAX;

static int transport_reserve(skedi_transport *t)
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

/* Puts a block on a host at the start, if the host holds less than `low`. */
static void transport_start(skedi_transport *t, uint32_t block, uint32_t host)
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

/* The cost of one more place on a host; negative: no place is left. */
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

/* Relaxes the arcs of a block of cost `cost`, from a node with the given
 * distance and potential. */
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

/* Reaches the nodes to which a block's options lead at no cost. */
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

/* Finds the next block on a host that leads to the next level, and its node. */
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

/* Moves every block of a path to its new host, the last block first. */
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

/* Pushes a path for a block that enters a node. Returns 1 if a path exists. */
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

/* Finds the option that gives a waiting block a host: 0: no option does. */
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

/*
 * Gives every waiting block a host at least cost; each host first gets `low`
 * blocks. The start costs nothing, and the places are enough. Returns SKED_OK,
 * or the status of a stopped call.
 */
static sked_status transport_run(skedi_transport *t)
{
    sked_status rc = SKED_OK;
    uint64_t all = t->n_waiting;

    while (rc == SKED_OK && t->n_waiting > 0 && find_distances(t)) {
        while (find_levels(t)) push_flow(t);
        rc = skedi_hooks_check(t->hooks, all - t->n_waiting, all);
    }
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_locality_plan_options, beyond);
SKEDI_NO_TAIL_PADDING(sked_locality_plan_result, cost);

enum {
    PLAN_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_plan_options, beyond),
    PLAN_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_plan_result, cost)
};

static const skedi_transport_option no_option = {UINT32_MAX, 0};

/* ---- Transfers ---- */

static uint32_t rack_of(const skedi_transport *t, uint32_t h)
{
    return t->rack ? t->rack[h] : 0;
}

/* A replica's host, a replica's rack, anywhere. */
static skedi_transport_option transfer_option(const skedi_transport *t,
                                              uint32_t b, uint32_t i)
{
    const uint32_t width = t->in->replicas;
    const uint32_t *row = t->in->replica + (size_t)b * width;

    if (i == 2 * width) {
        return (skedi_transport_option){t->nodes - 1, t->beyond};
    }
    uint32_t h = row[i < width ? i : i - width];
    if (h == SKED_LOCALITY_NO_HOST) return no_option;
    if (i < width) return (skedi_transport_option){h, 0};
    return (skedi_transport_option){t->hosts + 1 + rack_of(t, h), t->in_rack};
}

static int64_t transfer_cost(const skedi_transport *t, uint32_t b, uint32_t h)
{
    const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
    int64_t cost = t->beyond;

    for (uint32_t k = 0; k < t->in->replicas; k++) {
        if (row[k] == h) return 0;
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        if (rack_of(t, row[k]) == rack_of(t, h)) cost = t->in_rack;
    }
    return cost;
}

/* Lists hosts by rack, and lets each host hold the blocks that end by the load.
 */
static void lay_out_racks(skedi_transport *t, const skedi_slots *slots,
                          int64_t load)
{
    uint32_t *first = t->rack_first;

    for (uint32_t h = 0; h < t->hosts; h++) {
        t->low[h] = t->high[h] = skedi_slots_by(slots, h, load);
        first[rack_of(t, h) + 2]++;
    }
    for (uint32_t r = 0; r < t->racks; r++) first[r + 2] += first[r + 1];
    for (uint32_t h = 0; h < t->hosts; h++) {
        t->member[first[rack_of(t, h) + 1]++] = h;
    }
}

static void hand_out_plan(const skedi_transport *t,
                          sked_locality_plan_result *result)
{
    uint64_t n[3] = {0};

    for (uint32_t b = 0; b < t->in->blocks; b++) {
        const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
        uint32_t h = t->where[b];
        int kind = 2;
        for (uint32_t k = 0; k < t->in->replicas && kind; k++) {
            if (row[k] == h) kind = 0;
            if (kind && row[k] != SKED_LOCALITY_NO_HOST &&
                rack_of(t, row[k]) == rack_of(t, h)) {
                kind = 1;
            }
        }
        n[kind]++;
        result->host[b] = h;
    }
    skedi_u128 cost = skedi_u128_add(skedi_u128_mul(n[1], (uint64_t)t->in_rack),
                                     skedi_u128_mul(n[2], (uint64_t)t->beyond));
    result->local = n[0];
    result->in_rack = n[1];
    result->beyond = n[2];
    result->cost = (sked_wide){skedi_u128_high(cost), skedi_u128_low(cost)};
}

static sked_status run_plan(skedi_transport *t, const sked_locality *l,
                            int64_t load)
{
    if (!transport_reserve(t)) return SKED_ERR_NOMEM;
    lay_out_racks(t, &l->slots, load);
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        uint8_t k = l->choice[b];
        const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
        transport_start(t, b,
                        k == SKED_LOCALITY_NO_REPLICA ? UINT32_MAX : row[k]);
    }
    return transport_run(t);
}

/* ---- As little change as can be ---- */

static int64_t lowest_level(const skedi_transport *t, const uint32_t *row)
{
    int64_t lowest = SKEDI_NEVER;

    for (uint32_t k = 0; k < t->in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        lowest = skedi_i64_min(lowest, t->level[row[k]]);
    }
    return lowest;
}

/* The replicas of the lowest level, by the proof; no host, if the level is the
 * highest. */
static skedi_transport_option stay_option(const skedi_transport *t, uint32_t b,
                                          uint32_t i)
{
    const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
    int64_t lowest = lowest_level(t, row);

    if (i == t->in->replicas) {
        if (lowest < SKEDI_NEVER - 2) return no_option;
        return (skedi_transport_option){t->hosts,
                                        t->present[b] != SKED_LOCALITY_NO_HOST};
    }
    if (row[i] == SKED_LOCALITY_NO_HOST || t->level[row[i]] > lowest)
        return no_option;
    return (skedi_transport_option){row[i], row[i] != t->present[b]};
}

static int64_t stay_cost(const skedi_transport *t, uint32_t b, uint32_t h)
{
    return h == t->hosts ? t->present[b] != SKED_LOCALITY_NO_HOST
                         : h != t->present[b];
}

/* The hosts where a block stays at no cost. */
static uint32_t stay_at(const skedi_transport *t, uint32_t b)
{
    for (uint32_t i = 0; i < t->options; i++) {
        skedi_transport_option o = stay_option(t, b, i);
        if (o.node != UINT32_MAX && o.cost == 0) return o.node;
    }
    return UINT32_MAX;
}

sked_status skedi_loc_stay(skedi_transport *t, const skedi_slots *slots,
                           uint32_t unplaced)
{
    t->hosts = t->in->hosts;
    t->nodes = t->hosts + 1;
    t->options = t->in->replicas + 1;
    t->option = stay_option;
    t->cost = stay_cost;
    t->extra = (int64_t)t->in->blocks + 1;
    if (!transport_reserve(t)) return SKED_ERR_NOMEM;
    for (uint32_t h = 0; h < t->hosts; h++) {
        int64_t p = t->level[h];
        t->low[h] = skedi_slots_by(slots, h, p);
        t->high[h] = skedi_slots_by(slots, h,
                                    p >= SKEDI_NEVER - 1 ? SKEDI_NEVER : p + 1);
    }
    t->low[t->hosts] = t->high[t->hosts] = unplaced;
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        transport_start(t, b, stay_at(t, b));
    }
    return transport_run(t);
}

/* The position of a host in a block's row. */
static uint8_t position_of(const skedi_blocks *in, uint32_t b, uint32_t h)
{
    const uint32_t *row = in->replica + (size_t)b * in->replicas;
    uint32_t k = 0;

    if (h == in->hosts) return SKED_LOCALITY_NO_REPLICA;
    while (row[k] != h) k++;
    return (uint8_t)k;
}

static void hand_out_stay(const skedi_transport *t, uint8_t *choice,
                          uint64_t *moved)
{
    *moved = 0;
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        choice[b] = position_of(t->in, b, t->where[b]);
        *moved += (uint64_t)stay_cost(t, b, t->where[b]);
    }
}

/* ---- The calls ---- */

static sked_status check_racks(const sked_locality_plan_options *o,
                               uint32_t hosts, sked_error *err)
{
    for (uint32_t h = 0; o->rack && h < hosts; h++) {
        if (o->rack[h] < hosts) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "rack is not below hosts",
                          (skedi_fault){.row = (int64_t)h + 1,
                                        .got = o->rack[h],
                                        .limit = hosts});
    }
    return SKED_OK;
}

static sked_status take_plan(sked_locality_plan_options *o,
                             const sked_locality_plan_options *given,
                             const sked_locality_plan_result *result,
                             const sked_locality *l, sked_error *err)
{
    const char *missing = !given                       ? "options"
                          : !result                    ? "result"
                          : l->blocks && !result->host ? "result.host"
                                                       : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(o, sizeof *o, given, PLAN_OPTIONS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    rc = skedi_struct_out(result->struct_size, PLAN_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    if (o->flags) {
        return skedi_fail_flags(err, "options");
    }
    if (o->in_rack < 0 || o->beyond < o->in_rack ||
        o->beyond > SKED_MAX_LOCALITY_COST) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "costs are not 0 <= in_rack <= beyond <= 2^56",
            (skedi_fault){.got = o->beyond, .limit = SKED_MAX_LOCALITY_COST});
    }
    if (l->floor == SKED_UNLIMITED) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "limits leave fewer places than blocks");
    }
    if (o->load < l->floor) {
        return skedi_fail(err, SKED_ERR_RANGE, "load is below the floor",
                          (skedi_fault){.got = o->load, .limit = l->floor});
    }
    return check_racks(o, l->hosts, err);
}

sked_status sked_locality_plan(const sked_locality *locality,
                               const sked_locality_input *input,
                               const sked_locality_plan_options *options,
                               const sked_host *host,
                               sked_locality_plan_result *result,
                               sked_error *err)
{
    skedi_blocks in;
    sked_locality_plan_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take_match(locality, input, host, &in, &hooks,
                                          err);

    if (rc == SKED_OK) rc = take_plan(&o, options, result, locality, err);
    if (rc != SKED_OK) return rc;
    skedi_transport t = {.in = &in, .hooks = &hooks, .hosts = in.hosts};
    t.rack = o.rack;
    t.racks = o.rack ? in.hosts : 1;
    t.nodes = in.hosts + 1 + t.racks + 1;
    t.options = 2 * in.replicas + 1;
    t.option = transfer_option;
    t.cost = transfer_cost;
    t.in_rack = o.in_rack;
    t.beyond = o.beyond;
    rc = run_plan(&t, locality, o.load);
    if (rc == SKED_OK) {
        hand_out_plan(&t, result);
    } else {
        (void)skedi_loc_stopped(rc, err);
    }
    skedi_transport_drop(&t);
    return rc;
}

sked_status sked_locality_restore(const sked_locality *locality,
                                  const sked_locality_input *input,
                                  const uint32_t *present,
                                  const sked_host *host, uint8_t *choice,
                                  uint64_t *moved, sked_error *err)
{
    skedi_blocks in;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take_match(locality, input, host, &in, &hooks,
                                          err);

    if (rc != SKED_OK) return rc;
    const char *missing = in.blocks && !present  ? "present"
                          : in.blocks && !choice ? "choice"
                          : !moved               ? "moved"
                                                 : NULL;
    if (missing) return skedi_fail_null(err, missing);
    skedi_transport t = {.in = &in,
                         .hooks = &hooks,
                         .level = locality->level,
                         .present = present};
    rc = skedi_loc_stay(&t, &locality->slots, locality->count[in.hosts]);
    if (rc == SKED_OK) {
        hand_out_stay(&t, choice, moved);
    } else {
        (void)skedi_loc_stopped(rc, err);
    }
    skedi_transport_drop(&t);
    return rc;
}
