/*
 * Nodes: they come, change, drain and go; and rankings of nodes for placing.
 *
 * A ranking is a treap: a search tree by value that is a heap by a number
 * which each node draws, so the depth is O(log nodes) as a rule. Tasks on a
 * node that goes are reported as lost.
 *
 * Invariants: the capacity of a partition is the sum over its nodes; a node is
 * in at most one partition, so all partitions share one array of each ranking.
 */
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/rules.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/nodes.h"
#include "engine/filter.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/soft_rules.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

/* Events of nodes: they come, change, drain and go. The tasks that ran on a
 * node which goes are reported as lost. */

static uint32_t node_find_node(const sked_engine *e, uint64_t key,
                               sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, key);

    if (node == SKEDI_NONE) {
        (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    return node;
}

/* Adds a node's capacity to its partition, or takes it away. */
static void node_count_node(sked_engine *e, uint32_t node, int by)
{
    engine_partition *p = &e->partition[node_at(e, node)->partition];
    int64_t *sum = e->capacity + (size_t)node_at(e, node)->partition * e->kinds;
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (!kind_is_pooled(e, k)) sum[k] += own[k] * by;
    }
    p->dirty = 1;
    p->changes++;
    e->recounts++;
    skedi_watch_node(e, node);
}

/* Would sums over all nodes stay amounts, had `node` (SKEDI_NONE: a new one)
 * this capacity? These are what nodes have, and what may come to be held, which
 * is more where nodes shrank under their tasks; the latter is added up only
 * where it is near the largest amount. */
static int node_sums_are_amounts(const sked_engine *e, uint32_t node,
                                 const int64_t *capacity, sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t all = 0, most = SKED_AMOUNT_MAX, more = capacity[k];
        if (kind_is_pooled(e, k)) continue;
        for (uint32_t p = 0; p < e->parts; p++) {
            all += e->capacity[(size_t)p * e->kinds + k];
        }
        if (node != SKEDI_NONE) {
            more -= engine_row_of(e, &e->node_capacity, node)[k];
            all -= engine_row_of(e, &e->node_capacity, node)[k];
        }
        int is_far = capacity[k] <= most / 2 - all &&
                     skedi_all_held(e, k) <= most / 2;
        if (capacity[k] <= most - all &&
            (is_far || skedi_most_held(e, k, 0, node, more) <= most)) {
            continue;
        }
        (void)skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                         (skedi_fault){.got = capacity[k],
                                       .limit = most - all,
                                       .kind = (int32_t)k + 1});
        return 0;
    }
    return 1;
}

static int node_reserve(sked_engine *e, uint32_t partition)
{
    skedi_mem *mem = &e->hooks.mem;

    return skedi_partition_reserve(e, partition) &&
           skedi_pool_reserve(&e->nodes, mem, 1) &&
           skedi_amounts_reserve(e, &e->node_capacity, &e->nodes) &&
           skedi_amounts_reserve(e, &e->node_free, &e->nodes) &&
           skedi_heap_reserve(&e->wakes, e->nodes.cap, mem) &&
           skedi_sets_node_reserve(e) && skedi_fits_node_reserve(e) &&
           skedi_keymap_reserve(&e->node_of, mem, e->node_of.n + 1);
}

/* `traits` are its attributes, in memory of the engine's. */
static void node_add_node(sked_engine *e, const sked_event *event,
                          const int64_t *amounts, engine_traits traits)
{
    uint32_t node = skedi_pool_take(&e->nodes);

    *node_at(e, node) = (engine_node){
        .key = event->key,
        .rack = event->owner,
        .partition = event->partition,
        .first_group = SKEDI_NONE,
        .first_reservation = SKEDI_NONE,
        .first_remains = SKEDI_NONE,
        .ban = SKEDI_NONE,
        .epoch = ++e->epochs,
        .arrival = ++e->comings,
        .state = NODE_OPEN,
        .next = SKEDI_NONE,
        .prev = e->last_node,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t own = kind_is_pooled(e, k) ? SKEDI_NODE_HAS_ALL : amounts[k];
        engine_row_of(e, &e->node_capacity, node)[k] = own;
        engine_row_of(e, &e->node_free, node)[k] = own;
    }
    if (e->last_node == SKEDI_NONE)
        e->first_node = node;
    else
        node_at(e, e->last_node)->next = node;
    e->last_node = node;
    skedi_keymap_put(&e->node_of, event->key, node);
    e->partition[event->partition].nodes++;
    e->stats.nodes++;
    if (traits.n) e->rules.traits[node] = traits;
    skedi_sets_see_node(e, node);
    skedi_soft_see_node(e, node, 1);
    if (traits.n) skedi_domains_join(e, node);
    skedi_fits_see_node(e, node);
    skedi_ranks_touch(e, node);
    node_count_node(e, node, 1);
    skedi_partition_stir_all(e); /* lists of places may name it anywhere */
    skedi_bans_see_node(e, node);
}

/* The amounts that a node has, or (`pooled` 1) a partition of kinds that lie on
 * no node; 0 of all other kinds. SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE. */
static sked_status node_amounts_there(const sked_engine *e,
                                      const sked_events *batch,
                                      const sked_event *event, int pooled,
                                      const int64_t **amounts, sked_error *err)
{
    sked_status rc = skedi_event_amounts(e, batch, event, amounts, err);

    for (uint32_t k = 0; rc == SKED_OK && k < e->kinds; k++) {
        if ((*amounts)[k] == 0 || kind_is_pooled(e, k) == pooled) continue;
        rc = skedi_fail(
            err, SKED_ERR_RANGE,
            pooled ? "the kind lies on nodes" : "the kind lies on no node",
            (skedi_fault){.got = (*amounts)[k], .kind = (int32_t)k + 1});
    }
    return rc;
}

/* Would what partitions have of a kind that lies on no node, and what is used
 * of it, stay amounts? SKED_OK or SKED_ERR_RANGE. */
static sked_status node_pools_are_amounts(const sked_engine *e,
                                          uint32_t partition,
                                          const int64_t *amounts,
                                          sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = SKED_AMOUNT_MAX - skedi_row_used(e, 0, k);
        for (uint32_t p = 0; p < e->parts; p++) {
            if (p == partition) continue;
            most -= e->capacity[(size_t)p * e->kinds + k];
        }
        if (!kind_is_pooled(e, k) || amounts[k] <= most) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                          (skedi_fault){.got = amounts[k],
                                        .limit = most,
                                        .kind = (int32_t)k + 1});
    }
    return SKED_OK;
}

sked_status skedi_pool_event(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    uint32_t p = event->partition;
    const int64_t *amounts;
    sked_status rc = node_amounts_there(e, batch, event, 1, &amounts, err);

    if (rc != SKED_OK) return rc;
    if (p >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    rc = node_pools_are_amounts(e, p, amounts, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_partition_reserve(e, p)) return skedi_fail_memory(err);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (!kind_is_pooled(e, k)) continue;
        e->capacity[(size_t)p * e->kinds + k] = amounts[k];
    }
    e->partition[p].dirty = 1;
    e->partition[p].changes++;
    e->recounts++;
    e->epochs++; /* a round looks at it, too */
    return SKED_OK;
}

sked_status skedi_node_up(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err)
{
    engine_traits traits = {0};
    const int64_t *amounts;
    sked_status rc = node_amounts_there(e, batch, event, 0, &amounts, err);

    if (rc != SKED_OK) return rc;
    if (!event->key) return skedi_fail_plain(err, SKED_ERR_ARG, "no key");
    if (event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    if (skedi_keymap_get(&e->node_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "node key is taken");
    }
    if (!node_sums_are_amounts(e, SKEDI_NONE, amounts, err))
        return SKED_ERR_RANGE;
    if (event->places && !skedi_sets_start(e)) return skedi_fail_memory(err);
    rc = skedi_event_attributes(e, batch, event, &traits.at, &traits.n, err);
    if (rc != SKED_OK) return rc;
    if (!node_reserve(e, event->partition) ||
        !skedi_domains_reserve(e, SKEDI_NONE, traits.at, traits.n)) {
        skedi_free(&e->hooks.mem, traits.at, (size_t)traits.n,
                   sizeof *traits.at);
        return skedi_fail_memory(err);
    }
    node_add_node(e, event, amounts, traits);
    return SKED_OK;
}

sked_status skedi_node_change(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err)
{
    uint32_t node = node_find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    const int64_t *amounts;
    sked_status rc = node_amounts_there(e, batch, event, 0, &amounts, err);
    if (rc != SKED_OK) return rc;
    engine_node *n = node_at(e, node);
    int64_t *own = engine_row_of(e, &e->node_capacity, node);
    if (!node_sums_are_amounts(e, node, amounts, err)) return SKED_ERR_RANGE;
    rc = skedi_exclusive_may_grow(e, node, amounts, err);
    if (rc != SKED_OK) return rc;
    engine_forming_part *forms = skedi_forming_on(e, node);
    node_count_node(e, node, -1);
    if (forms) skedi_forming_give(e, forms, 1);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (kind_is_pooled(e, k)) continue;
        engine_row_of(e, &e->node_free, node)[k] += amounts[k] - own[k];
        own[k] = amounts[k];
    }
    if (forms) skedi_forming_give(e, forms, 0); /* all that it has now */
    node_count_node(e, node, 1);
    skedi_exclusive_grow(e, node);
    skedi_node_touch(e, node);
    n->epoch = ++e->epochs;
    n->seen = 0;
    skedi_ban_changed(e, n->ban);
    skedi_bans_see_node(e, node);
    return SKED_OK;
}

/* Memory for all that runs on a node in another partition. SKED_OK,
 * SKED_ERR_NOMEM, or why the host stopped it. */
static sked_status node_move_reserve(sked_engine *e, uint32_t node,
                                     uint32_t partition)
{
    uint64_t groups = 0;

    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        sked_status rc = skedi_pace_look(e);
        if (rc != SKED_OK) return rc;
        groups++;
    }
    int ok = skedi_partition_reserve(e, partition) &&
             skedi_account_reserve(e, groups) &&
             skedi_wants_reserve(e, groups) &&
             skedi_domains_reserve_again(e, node);
    return ok ? SKED_OK : SKED_ERR_NOMEM;
}

/* Takes a node and what runs there out of the books of its partition (`by` -1),
 * or puts both into them (1). */
static void node_enter_partition(sked_engine *e, uint32_t node, int by)
{
    engine_node *n = node_at(e, node);

    if (by < 0) skedi_domains_leave(e, node);
    skedi_soft_see_node(e, node, by);
    if (by > 0) skedi_domains_join(e, node);
    skedi_node_rebook(e, node, by);
    node_count_node(e, node, by);
    e->partition[n->partition].nodes += (uint32_t)by;
}

sked_status skedi_node_move(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t node = node_find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    engine_node *n = node_at(e, node);
    uint32_t state = n->state;
    if (n->partition == event->partition) return SKED_OK;
    sked_status rc = node_move_reserve(e, node, event->partition);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "the node stays");
    skedi_reservation_clear(e, node);
    n->state = NODE_DRAINING; /* there it counts nothing any more */
    skedi_node_touch(e, node);
    skedi_fits_refresh(e);
    node_enter_partition(e, node, -1);
    n->partition = event->partition;
    n->state = state;
    n->refusers = (engine_refusers){0};
    n->epoch = ++e->epochs;
    n->seen = 0;
    node_enter_partition(e, node, 1);
    skedi_node_touch(e, node);
    skedi_partition_stir_all(e);
    skedi_bans_see_node(e, node);
    return SKED_OK;
}

sked_status skedi_node_drain(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t node = node_find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    node_at(e, node)->state = NODE_DRAINING;
    skedi_node_touch(e, node);
    skedi_reservation_clear(e, node);
    return SKED_OK;
}

sked_status skedi_node_resume(sked_engine *e, const sked_event *event,
                              sked_error *err)
{
    uint32_t node = node_find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    skedi_ban_changed(e, node_at(e, node)->ban);
    node_at(e, node)->state = skedi_node_is_barred(e, node) ? NODE_BARRED
                                                            : NODE_OPEN;
    node_at(e, node)->seen = 0;
    skedi_node_touch(e, node);
    return SKED_OK;
}

/* What comes back when a node is lost. */
typedef struct node_loss {
    uint64_t groups;
    uint64_t entries;   /* of asks that will be open again */
    uint64_t accounted; /* of them in leaves that look at users */
    uint64_t gangs;     /* of which tasks are lost */
} node_loss;

/* Counts a node's groups and reserves memory for the asks among them that will
 * be open again. SKED_OK, SKED_ERR_NOMEM or why the host stopped it. */
static sked_status node_expect_asks(sked_engine *e, uint32_t node,
                                    node_loss *loss)
{
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        engine_ask *a = ask_at(e, group_at(e, g)->ask);
        sked_status rc = skedi_pace_look(e);
        if (rc != SKED_OK) return rc;
        loss->groups++;
        loss->gangs += (a->flags & SKED_ASK_GANG) != 0 && !a->shrinks;
        a->shrinks = (a->flags & SKED_ASK_GANG) != 0;
        if (a->expected || a->closed || a->open > 0) continue;
        a->expected = 1;
        uint64_t before = loss->entries;
        if (!skedi_entries_expect(e, group_at(e, g)->ask, &loss->entries)) {
            return SKED_ERR_NOMEM;
        }
        int accounted = e->rows.by_user[job_at(e, a->job)->row];
        if (accounted) loss->accounted += loss->entries - before;
    }
    return SKED_OK;
}

static void node_forget_expected(sked_engine *e, uint32_t node)
{
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        engine_ask *a = ask_at(e, group_at(e, g)->ask);
        a->shrinks = 0;
        if (!a->expected) continue;
        a->expected = 0;
        skedi_entries_expected(e, group_at(e, g)->ask);
    }
}

/* Memory to tell of every group of a node and to open its tasks again. SKED_OK,
 * SKED_ERR_NOMEM or why the host stopped it. */
static sked_status node_loss_reserve(sked_engine *e, uint32_t node)
{
    node_loss loss = {0};
    sked_status rc = node_expect_asks(e, node, &loss);

    node_forget_expected(e, node);
    if (rc != SKED_OK) return rc;
    int ok = skedi_ranges_reserve(e, loss.groups) &&
             skedi_entry_rows_reserve(e, loss.entries) &&
             skedi_wants_reserve(e, loss.entries + loss.groups +
                                        loss.groups * e->parts) &&
             skedi_account_reserve(e, loss.accounted) &&
             (loss.gangs == 0 || skedi_shape_reserve(e, loss.gangs + 1)) &&
             skedi_out_reserve(e, (size_t)loss.groups);
    return ok ? SKED_OK : SKED_ERR_NOMEM;
}

sked_status skedi_node_down(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t node = node_find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = node_loss_reserve(e, node);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "the node stays");
    engine_node *n = node_at(e, node);
    n->state = NODE_DRAINING;
    skedi_node_touch(e, node);
    skedi_reservation_clear(e, node);
    while (n->first_group != SKEDI_NONE) {
        uint32_t group = n->first_group;
        skedi_pace_work(e);
        skedi_group_decide(e, group, SKED_DECISION_LOST, SKED_REASON_NODE_LOST);
        skedi_group_end(e, group, group_at(e, group)->count, GROUP_AGAIN);
    }
    skedi_remains_drop(e, node);
    skedi_fits_refresh(e); /* it counts nothing any more */
    node_count_node(e, node, -1);
    e->partition[n->partition].nodes--;
    e->stats.nodes--;
    if (n->prev == SKEDI_NONE)
        e->first_node = n->next;
    else
        node_at(e, n->prev)->next = n->next;
    if (n->next == SKEDI_NONE)
        e->last_node = n->prev;
    else
        node_at(e, n->next)->prev = n->prev;
    if (n->ban != SKEDI_NONE) skedi_ban_drop(e, n->ban);
    skedi_soft_see_node(e, node, -1);
    skedi_sets_lose_node(e, node);
    if (e->resume_node == node) e->resume_node = SKEDI_NONE;
    skedi_heap_remove(&e->wakes, node);
    skedi_keymap_remove(&e->node_of, n->key);
    skedi_pool_give(&e->nodes, node);
    return SKED_OK;
}

/*
 * Each ranking is a treap: a search tree by value that is a heap by a number
 * which a node has by chance, so that its depth is O(log nodes) as a rule. A
 * node is in one partition, so the trees of all partitions share one array.
 */

/* ---- One ranking ---- */

static int64_t *node_most_at(const sked_engine *e, const engine_ranking *r,
                             uint32_t node)
{
    return r->most + (size_t)node * e->kinds;
}

static int node_comes_sooner(const engine_rank *a, const engine_rank *b)
{
    if (a->value != b->value) return a->value < b->value;
    return a->arrival < b->arrival;
}

/* A number by chance, the same on every machine. */
static uint64_t node_rank_chance(uint32_t node)
{
    uint64_t x = ((uint64_t)node + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 31;
}

static void node_sum_rank(const sked_engine *e, engine_ranking *r,
                          uint32_t node)
{
    const uint32_t below[2] = {r->node[node].left, r->node[node].right};
    int64_t *most = node_most_at(e, r, node);

    memcpy(most, engine_row_of(e, &e->node_free, node),
           e->kinds * sizeof *most);
    for (int i = 0; i < 2; i++) {
        if (below[i] == SKEDI_NONE) continue;
        const int64_t *theirs = node_most_at(e, r, below[i]);
        for (uint32_t k = 0; k < e->kinds; k++) {
            most[k] = skedi_i64_max(most[k], theirs[k]);
        }
    }
}

/* Cuts a tree into what comes before a node and what comes after it. */
static void node_split_ranks(const sked_engine *e, engine_ranking *r,
                             uint32_t root, uint32_t node, uint32_t *left,
                             uint32_t *right)
{
    if (root == SKEDI_NONE) {
        *left = *right = SKEDI_NONE;
        return;
    }
    engine_rank *top = &r->node[root];
    if (node_comes_sooner(top, &r->node[node])) {
        node_split_ranks(e, r, top->right, node, &top->right, right);
        *left = root;
    } else {
        node_split_ranks(e, r, top->left, node, left, &top->left);
        *right = root;
    }
    node_sum_rank(e, r, root);
}

static uint32_t node_join_ranks(const sked_engine *e, engine_ranking *r,
                                uint32_t left, uint32_t right)
{
    if (left == SKEDI_NONE) return right;
    if (right == SKEDI_NONE) return left;
    if (node_rank_chance(left) > node_rank_chance(right)) {
        uint32_t rest = r->node[left].right;
        r->node[left].right = node_join_ranks(e, r, rest, right);
        node_sum_rank(e, r, left);
        return left;
    }
    uint32_t rest = r->node[right].left;
    r->node[right].left = node_join_ranks(e, r, left, rest);
    node_sum_rank(e, r, right);
    return right;
}

static uint32_t node_insert_rank(const sked_engine *e, engine_ranking *r,
                                 uint32_t root, uint32_t node)
{
    engine_rank *own = &r->node[node];

    if (root == SKEDI_NONE || node_rank_chance(node) > node_rank_chance(root)) {
        node_split_ranks(e, r, root, node, &own->left, &own->right);
        root = node;
    } else {
        engine_rank *top = &r->node[root];
        uint32_t *down = node_comes_sooner(own, top) ? &top->left : &top->right;
        *down = node_insert_rank(e, r, *down, node);
    }
    node_sum_rank(e, r, root);
    return root;
}

static uint32_t node_remove_rank(const sked_engine *e, engine_ranking *r,
                                 uint32_t root, uint32_t node)
{
    engine_rank *top = &r->node[root];

    if (root == node) return node_join_ranks(e, r, top->left, top->right);
    uint32_t *down = node_comes_sooner(&r->node[node], top) ? &top->left
                                                            : &top->right;
    *down = node_remove_rank(e, r, *down, node);
    node_sum_rank(e, r, root);
    return root;
}

static int64_t node_value(const sked_engine *e, const engine_ranking *r,
                          uint32_t node)
{
    const int64_t *free = engine_row_of(e, &e->node_free, node);

    if (r->by == ENGINE_RANK_LEAST) return free[r->kind];
    if (r->by == ENGINE_RANK_MOST) return -free[r->kind];
    return r->by == ENGINE_RANK_SCORE ? ~e->ranks.score[node] : 0;
}

static void node_rank_enter(const sked_engine *e, engine_ranking *r,
                            uint32_t node)
{
    SKEDI_ASSERT(node < r->cap);
    const engine_node *n = node_at(e, node);

    if (n->state != NODE_OPEN) return;
    uint32_t *root = &r->root[n->partition];
    r->node[node] = (engine_rank){.value = node_value(e, r, node),
                                  .arrival = n->arrival,
                                  .partition = n->partition};
    *root = node_insert_rank(e, r, *root, node);
}

static void node_rank_leave(const sked_engine *e, engine_ranking *r,
                            uint32_t node)
{
    uint32_t partition = r->node[node].partition;

    if (partition == SKEDI_NONE) return;
    r->root[partition] = node_remove_rank(e, r, r->root[partition], node);
    r->node[node].partition = SKEDI_NONE;
}

static void node_order_nodes(const sked_engine *e, engine_ranking *r)
{
    for (size_t p = 0; p < r->parts; p++) r->root[p] = SKEDI_NONE;
    for (size_t n = 0; n < r->cap; n++) r->node[n].partition = SKEDI_NONE;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        node_rank_enter(e, r, n);
    }
}

/* ---- All of them ---- */

static void node_ranking_free(sked_engine *e, engine_ranking *r)
{
    skedi_mem *mem = &e->hooks.mem;

    skedi_free(mem, r->node, r->cap, sizeof *r->node);
    skedi_free(mem, r->most, r->cap * e->kinds, sizeof *r->most);
    skedi_free(mem, r->root, r->parts, sizeof *r->root);
    *r = (engine_ranking){.by = r->by, .kind = r->kind};
}

/* Makes a ranking anew, with memory for as many nodes and partitions as there
 * may be. 0: no memory. */
static int node_ranking_make(sked_engine *e, engine_ranking *r)
{
    skedi_mem *mem = &e->hooks.mem;
    size_t cap = e->ranks.cap;

    node_ranking_free(e, r);
    r->node = skedi_new(mem, cap, sizeof *r->node);
    r->most = r->node ? skedi_new(mem, cap * e->kinds, sizeof *r->most) : NULL;
    r->root = r->most ? skedi_new(mem, e->parts, sizeof *r->root) : NULL;
    if (!r->root) {
        skedi_free(mem, r->most, cap * e->kinds, sizeof *r->most);
        skedi_free(mem, r->node, cap, sizeof *r->node);
        r->node = NULL;
        r->most = NULL;
        return 0;
    }
    r->cap = cap;
    r->parts = e->parts;
    node_order_nodes(e, r);
    return 1;
}

/* Puts nodes that came, changed or went since in order in all rankings. 0: no
 * memory. */
static int node_ranks_refresh(sked_engine *e)
{
    engine_rankings *ranks = &e->ranks;

    for (size_t i = 0; i < ranks->n; i++) {
        engine_ranking *r = &ranks->all[i];
        int small = r->cap < ranks->cap || r->parts < e->parts;
        if (small && !node_ranking_make(e, r)) return 0;
        if (!small && ranks->stale) node_order_nodes(e, r);
    }
    while (ranks->first != SKEDI_NONE) {
        uint32_t node = ranks->first, next = ranks->moved[node] - 1;
        ranks->first = next == node ? SKEDI_NONE : next;
        ranks->moved[node] = 0;
        for (size_t i = 0; !ranks->stale && i < ranks->n; i++) {
            node_rank_leave(e, &ranks->all[i], node);
            node_rank_enter(e, &ranks->all[i], node);
        }
    }
    ranks->stale = 0;
    return 1;
}

int skedi_ranks_open(sked_engine *e)
{
    engine_rankings *r = &e->ranks;
    skedi_mem *mem = &e->hooks.mem;
    size_t cap = e->nodes.cap;

    if (r->n == 0) { /* nothing was kept of what moved */
        r->first = SKEDI_NONE;
        if (r->cap > 0) memset(r->moved, 0, r->cap * sizeof *r->moved);
    }
    if (cap > r->cap) {
        uint32_t *moved = skedi_new(mem, cap, sizeof *moved);
        int64_t *score = moved ? skedi_new(mem, cap, sizeof *score) : NULL;
        uint64_t *started = score ? skedi_new(mem, cap, sizeof *started) : NULL;
        if (!started) {
            skedi_free(mem, score, cap, sizeof *score);
            skedi_free(mem, moved, cap, sizeof *moved);
            return 0;
        }
        skedi_free(mem, r->moved, r->cap, sizeof *moved);
        skedi_free(mem, r->score, r->cap, sizeof *score);
        skedi_free(mem, r->started, r->cap, sizeof *started);
        r->moved = moved;
        r->score = score;
        r->started = started;
        r->cap = cap;
        r->first = SKEDI_NONE;
        r->stale = 1;
    }
    if (r->cap == 0) return 1;
    memset(r->score, 0, r->cap * sizeof *r->score);
    memset(r->started, 0, r->cap * sizeof *r->started);
    return 1;
}

void skedi_ranks_close(sked_engine *e)
{
    engine_rankings *r = &e->ranks;

    for (size_t i = 0; i < r->n; i++) {
        if (r->all[i].by != ENGINE_RANK_SCORE) continue;
        node_ranking_free(e, &r->all[i]);
        r->all[i] = r->all[--r->n];
        return;
    }
}

uint32_t skedi_ranks_find(sked_engine *e, uint32_t by, uint32_t kind)
{
    engine_rankings *r = &e->ranks;
    void *grown = r->all;

    if (by == ENGINE_RANK_ARRIVAL || by == ENGINE_RANK_SCORE) kind = 0;
    if (!node_ranks_refresh(e)) return SKEDI_NONE;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->all[i].by == by && r->all[i].kind == kind) return i;
    }
    if (!skedi_ensure(&e->hooks.mem, &grown, &r->all_cap, r->n + 1,
                      sizeof *r->all)) {
        return SKEDI_NONE;
    }
    r->all = grown;
    r->all[r->n] = (engine_ranking){.by = by, .kind = kind};
    if (!node_ranking_make(e, &r->all[r->n])) return SKEDI_NONE;
    return (uint32_t)r->n++;
}

void skedi_ranks_free(sked_engine *e)
{
    engine_rankings *r = &e->ranks;
    skedi_mem *mem = &e->hooks.mem;

    for (size_t i = 0; i < r->n; i++) node_ranking_free(e, &r->all[i]);
    skedi_free(mem, r->all, r->all_cap, sizeof *r->all);
    skedi_free(mem, r->moved, r->cap, sizeof *r->moved);
    skedi_free(mem, r->score, r->cap, sizeof *r->score);
    skedi_free(mem, r->started, r->cap, sizeof *r->started);
}

/* ---- Looking ---- */

typedef struct rank_search {
    const sked_engine *e;
    const engine_ranking *r;
    const int64_t *need;
    engine_rank from; /* it comes after this */
} rank_search;

static uint32_t node_search_ranks(const rank_search *s, uint32_t root)
{
    while (root != SKEDI_NONE &&
           skedi_amounts_fit(s->e, s->need, node_most_at(s->e, s->r, root))) {
        const engine_rank *top = &s->r->node[root];
        if (node_comes_sooner(&s->from, top)) {
            uint32_t found = node_search_ranks(s, top->left);
            if (found != SKEDI_NONE) return found;
            if (skedi_amounts_fit(
                    s->e, s->need,
                    engine_row_of(s->e, &s->e->node_free, root))) {
                return root;
            }
        }
        root = top->right;
    }
    return SKEDI_NONE;
}

uint32_t skedi_ranks_next(const sked_engine *e, uint32_t ranking,
                          uint32_t partition, const int64_t *need,
                          uint32_t last)
{
    const engine_ranking *r = &e->ranks.all[ranking];
    rank_search s = {.e = e, .r = r, .need = need};

    s.from.value = INT64_MIN;
    if (r->by == ENGINE_RANK_LEAST && need[r->kind] > 0) {
        s.from.value = need[r->kind];
    }
    if (last != SKEDI_NONE) s.from = r->node[last];
    return node_search_ranks(&s, r->root[partition]);
}

/* ---- Whether that is so ---- */

/* Counts the nodes of a tree; SIZE_MAX where something is wrong. `last` is the
 * one before, SKEDI_NONE: none yet. */
static size_t node_count_ranks(const sked_engine *e, const engine_ranking *r,
                               uint32_t partition, uint32_t root,
                               uint32_t *last)
{
    if (root == SKEDI_NONE) return 0;
    const engine_rank *own = &r->node[root];
    size_t left = node_count_ranks(e, r, partition, own->left, last);
    int wrong = own->partition != partition ||
                own->value != node_value(e, r, root) ||
                (*last != SKEDI_NONE &&
                 !node_comes_sooner(&r->node[*last], own));
    *last = root;
    size_t right = node_count_ranks(e, r, partition, own->right, last);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = engine_row_of(e, &e->node_free, root)[k];
        if (own->left != SKEDI_NONE) {
            most = skedi_i64_max(most, node_most_at(e, r, own->left)[k]);
        }
        if (own->right != SKEDI_NONE) {
            most = skedi_i64_max(most, node_most_at(e, r, own->right)[k]);
        }
        wrong |= node_most_at(e, r, root)[k] != most;
    }
    return wrong || left == SIZE_MAX || right == SIZE_MAX ? SIZE_MAX
                                                          : left + right + 1;
}

int skedi_ranks_are_sound(const sked_engine *e)
{
    const engine_rankings *ranks = &e->ranks;

    if (ranks->n == 0 || ranks->stale || ranks->first != SKEDI_NONE) return 1;
    for (size_t i = 0; i < ranks->n; i++) {
        const engine_ranking *r = &ranks->all[i];
        size_t open = 0, found = 0;
        if (r->cap < e->nodes.n) return 1;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            open += node_at(e, n)->state == NODE_OPEN;
        }
        for (uint32_t p = 0; p < r->parts; p++) {
            uint32_t last = SKEDI_NONE;
            size_t n = node_count_ranks(e, r, p, r->root[p], &last);
            if (n == SIZE_MAX) return 0;
            found += n;
        }
        if (found != open) return 0;
    }
    return 1;
}
