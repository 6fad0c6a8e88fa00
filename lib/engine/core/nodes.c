/* Events of nodes: they come, change, drain and go. The tasks that ran on a
 * node which goes are reported as lost. */
#include "base/fail.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/decision.h"
#include "engine/core/rules.h"
#include "engine/queue.h"
#include "engine/domains.h"
#include "engine/pending.h"
#include "engine/budget.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"
#include "engine/order/wants.h"
#include "engine/order/ranks.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "engine/watch.h"

static uint32_t find_node(const sked_engine *e, uint64_t key, sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, key);

    if (node == SKEDI_NONE) {
        (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    return node;
}

/* Adds a node's capacity to its partition, or takes it away. */
static void count_node(sked_engine *e, uint32_t node, int by)
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
static int sums_are_amounts(const sked_engine *e, uint32_t node,
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
           (!e->opts.pass_part_ppm ||
            skedi_amounts_reserve(e, &e->node_turn, &e->nodes)) &&
           skedi_sets_node_reserve(e) && skedi_fits_node_reserve(e) &&
           skedi_keymap_reserve(&e->node_of, mem, e->node_of.n + 1);
}

/* `traits` are its attributes, in memory of the engine's. */
static void add_node(sked_engine *e, const sked_event *event,
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
    skedi_sets_see_node(e, node, 1);
    skedi_soft_see_node(e, node, 1);
    if (traits.n) skedi_domains_join(e, node);
    skedi_fits_see_node(e, node);
    skedi_ranks_touch(e, node);
    count_node(e, node, 1);
    skedi_partition_stir_all(e); /* lists of places may name it anywhere */
    skedi_bans_see_node(e, node);
}

/* The amounts that a node has, or (`pooled` 1) a partition of kinds that lie on
 * no node; 0 of all other kinds. SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE. */
static sked_status amounts_there(const sked_engine *e, const sked_events *batch,
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
static sked_status pools_are_amounts(const sked_engine *e, uint32_t partition,
                                     const int64_t *amounts, sked_error *err)
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
    sked_status rc = amounts_there(e, batch, event, 1, &amounts, err);

    if (rc != SKED_OK) return rc;
    if (p >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    rc = pools_are_amounts(e, p, amounts, err);
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
    sked_status rc = amounts_there(e, batch, event, 0, &amounts, err);

    if (rc != SKED_OK) return rc;
    if (!event->key) return skedi_fail_plain(err, SKED_ERR_ARG, "no key");
    if (event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    if (skedi_keymap_get(&e->node_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "node key is taken");
    }
    if (!sums_are_amounts(e, SKEDI_NONE, amounts, err)) return SKED_ERR_RANGE;
    if (event->places && !skedi_sets_start(e)) return skedi_fail_memory(err);
    rc = skedi_event_attributes(e, batch, event, &traits.at, &traits.n, err);
    if (rc != SKED_OK) return rc;
    if (!node_reserve(e, event->partition) ||
        !skedi_domains_reserve(e, SKEDI_NONE, traits.at, traits.n)) {
        rc = SKED_ERR_NOMEM;
    }
    if (rc == SKED_OK) rc = skedi_predicates_ask(e, event->key);
    if (rc != SKED_OK) {
        skedi_free(&e->hooks.mem, traits.at, (size_t)traits.n,
                   sizeof *traits.at);
        return skedi_predicates_fail(err, rc);
    }
    add_node(e, event, amounts, traits);
    return SKED_OK;
}

/* Takes over what the host answered about a node that stays where it is. */
static void renew_version(sked_engine *e, uint32_t node)
{
    if (skedi_predicates_none(e)) return;
    skedi_soft_see_node(e, node, -1);
    skedi_sets_see_node(e, node, 0);
    skedi_soft_see_node(e, node, 1);
}

sked_status skedi_node_change(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err)
{
    uint32_t node = find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    const int64_t *amounts;
    sked_status rc = amounts_there(e, batch, event, 0, &amounts, err);
    if (rc != SKED_OK) return rc;
    engine_node *n = node_at(e, node);
    int64_t *own = engine_row_of(e, &e->node_capacity, node);
    if (!sums_are_amounts(e, node, amounts, err)) return SKED_ERR_RANGE;
    rc = skedi_exclusive_may_grow(e, node, amounts, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_predicates_ask(e, event->key);
    if (rc != SKED_OK) return skedi_predicates_fail(err, rc);
    engine_forming_part *forms = skedi_forming_on(e, node);
    count_node(e, node, -1);
    if (forms) skedi_forming_give(e, forms, 1);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (kind_is_pooled(e, k)) continue;
        engine_row_of(e, &e->node_free, node)[k] += amounts[k] - own[k];
        own[k] = amounts[k];
    }
    if (forms) skedi_forming_give(e, forms, 0); /* all that it has now */
    count_node(e, node, 1);
    skedi_exclusive_grow(e, node);
    renew_version(e, node);
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
static void enter_partition(sked_engine *e, uint32_t node, int by)
{
    engine_node *n = node_at(e, node);

    if (by < 0) skedi_domains_leave(e, node);
    skedi_soft_see_node(e, node, by);
    if (by > 0) skedi_domains_join(e, node);
    skedi_node_rebook(e, node, by);
    count_node(e, node, by);
    e->partition[n->partition].nodes += (uint32_t)by;
}

sked_status skedi_node_move(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t node = find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    engine_node *n = node_at(e, node);
    uint32_t state = n->state;
    if (n->partition == event->partition) return SKED_OK;
    sked_status rc = node_move_reserve(e, node, event->partition);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "the node stays");
    rc = skedi_predicates_ask(e, event->key);
    if (rc != SKED_OK) return skedi_predicates_fail(err, rc);
    skedi_reservation_clear(e, node);
    n->state = NODE_DRAINING; /* there it counts nothing any more */
    skedi_node_touch(e, node);
    skedi_fits_refresh(e);
    enter_partition(e, node, -1);
    n->partition = event->partition;
    n->state = state;
    n->refusers = (engine_refusers){0};
    n->epoch = ++e->epochs;
    n->seen = 0;
    if (!skedi_predicates_none(e)) skedi_sets_see_node(e, node, 0);
    enter_partition(e, node, 1);
    skedi_node_touch(e, node);
    skedi_partition_stir_all(e);
    skedi_bans_see_node(e, node);
    return SKED_OK;
}

sked_status skedi_node_drain(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t node = find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    node_at(e, node)->state = NODE_DRAINING;
    skedi_node_touch(e, node);
    skedi_reservation_clear(e, node);
    return SKED_OK;
}

sked_status skedi_node_resume(sked_engine *e, const sked_event *event,
                              sked_error *err)
{
    uint32_t node = find_node(e, event->key, err);

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
static sked_status expect_asks(sked_engine *e, uint32_t node, node_loss *loss)
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

static void forget_expected(sked_engine *e, uint32_t node)
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
static sked_status loss_reserve(sked_engine *e, uint32_t node)
{
    node_loss loss = {0};
    sked_status rc = expect_asks(e, node, &loss);

    forget_expected(e, node);
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
    uint32_t node = find_node(e, event->key, err);

    if (node == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = loss_reserve(e, node);
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
    count_node(e, node, -1);
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
    skedi_keymap_remove(&e->node_of, n->key);
    skedi_pool_give(&e->nodes, node);
    return SKED_OK;
}
