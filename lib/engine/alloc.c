/*
 * Groups: tasks of one ask that run on one node.
 *
 * A group is proposed, held (running), killed (a kill order is given) or
 * revoked. This file alone starts and ends groups and charges node, queues,
 * user and limit trees for them.
 *
 * Invariants: a group is in the list of its node and in that of its ask,
 * newest first; a proposal is in the list of deadlines; a group with a kill
 * order for its job is in the list of ending groups.
 */

#include "base/assert.h"
#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/work.h"
#include "engine/pass.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/nodes.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/ask.h"
#include "engine/store.h"
#include "engine/watch.h"

/*
 * Two lists with the same links: proposals, and groups that are none and have
 * kill orders with their jobs. A proposal that has one stays where it is.
 */

/* Makes a new group a proposal, which the host is to confirm. Proposals wait in order of making, which is that of their deadlines. */
static void alloc_group_propose(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    g->state = GROUP_PROPOSED;
    g->later = SKEDI_NONE;
    g->sooner = e->last_proposed;
    if (g->sooner == SKEDI_NONE)
        e->first_proposed = group;
    else
        group_at(e, g->sooner)->later = group;
    e->last_proposed = group;
}

static void alloc_end_proposal(sked_engine *e, const engine_group *g)
{
    e->revoked -= g->state == GROUP_REVOKED;
    if (g->sooner == SKEDI_NONE)
        e->first_proposed = g->later;
    else
        group_at(e, g->sooner)->later = g->later;
    if (g->later == SKEDI_NONE)
        e->last_proposed = g->sooner;
    else
        group_at(e, g->later)->sooner = g->sooner;
}

static void alloc_list_killed(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    g->state = GROUP_KILLED;
    g->sooner = SKEDI_NONE;
    g->later = e->first_killed;
    if (g->later != SKEDI_NONE) group_at(e, g->later)->sooner = group;
    e->first_killed = group;
}

static void alloc_unlist_killed(sked_engine *e, const engine_group *g)
{
    if (g->sooner == SKEDI_NONE)
        e->first_killed = g->later;
    else
        group_at(e, g->sooner)->later = g->later;
    if (g->later != SKEDI_NONE) group_at(e, g->later)->sooner = g->sooner;
}

/* Takes a group that goes off the list of proposals, or of killed groups. */
static void alloc_group_unlist(sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (skedi_group_is_proposal(e, group)) alloc_end_proposal(e, g);
    if (g->state == GROUP_KILLED) alloc_unlist_killed(e, g);
}

uint32_t skedi_group_next_doomed(const sked_engine *e, uint32_t group)
{
    int in_killed = group == SKEDI_NONE ||
                    group_at(e, group)->state == GROUP_KILLED;
    uint32_t next = group == SKEDI_NONE ? e->first_killed
                                        : group_at(e, group)->later;

    if (in_killed && next != SKEDI_NONE) return next;
    if (e->revoked == 0) return SKEDI_NONE;
    if (in_killed) next = e->first_proposed;
    while (next != SKEDI_NONE && group_at(e, next)->state != GROUP_REVOKED) {
        next = group_at(e, next)->later;
    }
    return next;
}

void skedi_group_hold(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);
    int revoked = g->state == GROUP_REVOKED;

    alloc_end_proposal(e, g);
    g->state = GROUP_HELD;
    if (revoked) alloc_list_killed(e, group);
    job_at(e, ask_at(e, g->ask)->job)->held++;
}

/* A group gets a kill order, since its job or its gang is over: a proposal
 * becomes revoked, any other group killed. */
static void alloc_group_doom(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    if (g->state == GROUP_PROPOSED) {
        g->state = GROUP_REVOKED;
        e->revoked++;
    } else {
        alloc_list_killed(e, group);
    }
}

/* Memory for the ban by which such a gang is parked was reserved when the gang
 * was added. */

/* Has an ask groups with a kill order (`doomed` 1), or without one (0)? */
static int alloc_gang_has(const sked_engine *e, uint32_t ask, int doomed)
{
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE &&
           (group_at(e, g)->state >= GROUP_KILLED) != doomed) {
        g = group_at(e, g)->ask_next;
    }
    return g != SKEDI_NONE;
}

/* Tasks of an ask are open again. A gang that ends together, and of which too
 * few tasks are left by that, leaves its lines; after the event its other tasks
 * get kill orders (settle.h). O(groups of the ask). */
static void alloc_gang_lost(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (!(a->flags & SKED_ASK_TOGETHER) || skedi_gang_has_least(e, a)) return;
    if (alloc_gang_has(e, ask, 0)) skedi_ask_park(e, ask, PARK_FALLS);
}

/* A group of the ask has ended. After the last that had a kill order, the ask
 * may stand in line again. O(groups of the ask). */
static void alloc_gang_ended(sked_engine *e, uint32_t ask)
{
    int falls = (skedi_parked_by(e, ask_at(e, ask)) & PARK_ENDS) != 0;

    if (falls && !alloc_gang_has(e, ask, 1)) {
        skedi_ask_unpark(e, ask, PARK_ENDS);
    }
}

/* A map from groups to what only few of them have. */

int skedi_notice_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->notices, &e->hooks.mem, more) &&
           skedi_keymap_reserve(&e->notice_of, &e->hooks.mem,
                                e->notice_of.n + (size_t)more);
}

engine_notice *skedi_notice_find(const sked_engine *e, uint32_t group)
{
    if (!e->notices.live) return NULL;
    uint32_t at = skedi_keymap_get(&e->notice_of, skedi_group_name(e, group));
    return at == SKEDI_NONE ? NULL : (engine_notice *)e->notices.item + at;
}

engine_notice *skedi_notice_take(sked_engine *e, uint32_t group)
{
    engine_notice *n = skedi_notice_find(e, group);

    if (n) return n;
    uint32_t at = skedi_pool_take(&e->notices);
    n = (engine_notice *)e->notices.item + at;
    *n = (engine_notice){.group = skedi_group_name(e, group),
                         .saved = group_at(e, group)->deadline_from,
                         .ends = SKED_UNSET,
                         .cost = -1};
    skedi_keymap_put(&e->notice_of, n->group, at);
    return n;
}

/* Ends the last `count` tasks of a group; the record goes with the last task.
 * Returns how many tasks had no kill order of a round. */
static uint32_t alloc_notice_end(sked_engine *e, uint32_t group, uint32_t count)
{
    engine_notice *n = skedi_notice_find(e, group);

    if (!n) return count;
    uint32_t told = n->dying < count ? n->dying : count;
    n->dying -= told;
    if (group_at(e, group)->count > 0) return count - told;
    skedi_keymap_remove(&e->notice_of, n->group);
    skedi_pool_give(&e->notices,
                    (uint32_t)(n - (engine_notice *)e->notices.item));
    return count - told;
}

uint32_t skedi_group_dying(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->dying : 0;
}

int32_t skedi_group_cost(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->cost : -1;
}

sked_time skedi_group_saved(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->saved : group_at(e, group)->deadline_from;
}

/*
 * A group is on the list of its node and on that of its ask, both with the
 * newest first. While it is proposed it is also on the list of proposals, in
 * the order of deadlines; once it is held and has a kill order because its job
 * or its gang is over, on the list of such groups.
 */

static inline void alloc_link_group(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);
    engine_node *n = node_at(e, g->node);
    engine_ask *a = ask_at(e, g->ask);

    g->next = n->first_group;
    g->prev = SKEDI_NONE;
    if (g->next != SKEDI_NONE) group_at(e, g->next)->prev = group;
    if (n->first_group == SKEDI_NONE && e->aside_alone) e->aside_alone = 2;
    n->first_group = group;
    g->ask_next = a->first_group;
    g->ask_prev = SKEDI_NONE;
    if (g->ask_next != SKEDI_NONE) group_at(e, g->ask_next)->ask_prev = group;
    a->first_group = group;
    job_at(e, a->job)->groups++;
    e->stats.groups++;
}

static void alloc_unlink_group(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    SKEDI_ASSERT(job_at(e, ask_at(e, g->ask)->job)->groups > 0);
    SKEDI_ASSERT(group == (g->ask_prev == SKEDI_NONE
                               ? ask_at(e, g->ask)->first_group
                               : group_at(e, g->ask_prev)->ask_next));
    SKEDI_ASSERT(group == (g->prev == SKEDI_NONE
                               ? node_at(e, g->node)->first_group
                               : group_at(e, g->prev)->next));
    if (g->prev == SKEDI_NONE)
        node_at(e, g->node)->first_group = g->next;
    else
        group_at(e, g->prev)->next = g->next;
    if (g->next != SKEDI_NONE) group_at(e, g->next)->prev = g->prev;
    if (g->ask_prev == SKEDI_NONE) {
        ask_at(e, g->ask)->first_group = g->ask_next;
    } else {
        group_at(e, g->ask_prev)->ask_next = g->ask_next;
    }
    if (g->ask_next != SKEDI_NONE) {
        group_at(e, g->ask_next)->ask_prev = g->ask_prev;
    }
    job_at(e, ask_at(e, g->ask)->job)->groups--;
    e->stats.groups--;
}

void skedi_group_kill(sked_engine *e, uint32_t group, int32_t reason)
{
    skedi_watch_end(e, group);
    alloc_group_doom(e, group);
    skedi_group_decide(e, group, SKED_DECISION_KILL, reason);
}

/* Adds to what the books of a group's user and path hold. */
static void alloc_move_books(sked_engine *e, const engine_group *g,
                             const int64_t *delta, int back)
{
    const engine_ask *a = ask_at(e, g->ask);
    uint32_t partition = node_at(e, g->node)->partition;
    uint32_t row = job_at(e, a->job)->row;

    if (g->account != SKEDI_NONE) skedi_account_charge(e, g->account, delta);
    if (a->flags & SKED_ASK_MASTER) {
        skedi_books_masters(e, row, partition, delta);
    }
    skedi_books_charge(e, row, partition, delta, back);
    if (g->account != SKEDI_NONE) {
        skedi_accounts_wake(e, (uint32_t)cell_of(e, row, partition));
    }
}

/* What `times` times a group's shape takes; negative: gives back. */
static inline void alloc_shapes_take(const sked_engine *e,
                                     const engine_group *g, int64_t times,
                                     int64_t *delta)
{
    const int64_t *task = skedi_group_task(e, g);

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = task[k] * times;
}

/* The cell in which a group's leaf counts it. */
static uint32_t alloc_cell_of_group(const sked_engine *e, const engine_group *g)
{
    uint32_t row = job_at(e, ask_at(e, g->ask)->job)->row;

    return (uint32_t)cell_of(e, row, node_at(e, g->node)->partition);
}

/* Books `count` tasks, which hold the group's shape so many times, on node,
 * job, user and path. */
static void alloc_book_tasks(sked_engine *e, const engine_group *g,
                             int64_t count, int64_t times)
{
    uint32_t job = ask_at(e, g->ask)->job;
    int64_t *free = engine_row_of(e, &e->node_free, g->node);
    int64_t *used = engine_row_of(e, &e->job_used, job);
    int64_t delta[SKED_MAX_KINDS];

    alloc_shapes_take(e, g, times, delta);
    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= delta[k];
        used[k] += delta[k];
    }
    skedi_watch_node(e, g->node);
    if (skedi_tags_used(e)) skedi_work_count(e, g->ask, g->node, count);
    skedi_node_touch(e, g->node);
    job_at(e, job)->running += count;
    SKEDI_ASSERT(job_at(e, job)->running >= 0);
    e->stats.running_tasks += (uint64_t)count;
    skedi_entries_reshare(e, job);
    skedi_gate_moved(e, job, delta, 1);
    alloc_move_books(e, g, delta, times < 0);
    if (job_at(e, job)->charge == SKEDI_NONE) return;
    skedi_trees_charge(e, job, delta, times < 0);
}

/* The group of the last decision, if these tasks may be added to it; else NULL.
 */
static engine_group *alloc_group_to_extend(sked_engine *e, uint32_t ask,
                                           uint32_t node, int64_t task)
{
    const sked_decision *last = skedi_out_last(e);

    if (!last) return NULL;
    engine_group *g = group_at(e, skedi_group_find(e, last->group));
    int goes_on = g->ask == ask && g->node == node &&
                  g->task + g->count == task && g->count < INT32_MAX;
    return goes_on ? g : NULL;
}

/* Until when the host has to confirm what is decided now; 0: it need not. */
static int64_t alloc_confirm_until(const sked_engine *e)
{
    int64_t most = INT64_MAX - skedi_i64_max(e->now, 0);

    if (e->opts.confirm_within_ns == 0) return 0;
    return e->now + skedi_i64_min(e->opts.confirm_within_ns, most);
}

static void alloc_decide_start(sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *ask = ask_at(e, g->ask);
    const engine_job *job = job_at(e, ask->job);
    const engine_node *node = node_at(e, g->node);

    (void)skedi_out_add(e, (sked_decision){
                               .kind = SKED_DECISION_ALLOCATE,
                               .reason = SKED_REASON_ORDER,
                               .job = job->key,
                               .ask = ask->key,
                               .node = node->key,
                               .group = skedi_group_name(e, group),
                               .task = g->task,
                               .queue = job->queue,
                               .detail = alloc_confirm_until(e),
                               .kind_at = -1,
                               .partition = node->partition,
                           });
}

/* Makes a group without tasks, and a decision about it. */
static engine_group *alloc_make_group(sked_engine *e, uint32_t ask,
                                      uint32_t account, uint32_t node,
                                      int64_t task)
{
    SKEDI_ASSERT(node_at(e, node)->state != NODE_FREE_SLOT);
    uint32_t group = skedi_pool_take(&e->groups);
    engine_group *g = group_at(e, group);

    *g = (engine_group){
        .task = task,
        .deadline_from = e->now,
        .ask = ask,
        .node = node,
        .generation = ++e->generations,
        .state = GROUP_HELD,
        .account = account,
        .shape = SKEDI_NONE,
        .hold = skedi_ask_is_exclusive(ask_at(e, ask))
                    ? skedi_bunch_hold(e, ask, node)
                    : HOLD_EACH,
    };
    alloc_link_group(e, group);
    if (skedi_ask_is_exclusive(ask_at(e, ask))) {
        g->shape = skedi_exclusive_shape(e, ask, node);
    }
    if (account != SKEDI_NONE) account_at(e, account)->groups++;
    if (e->opts.confirm_within_ns > 0)
        alloc_group_propose(e, group);
    else
        job_at(e, ask_at(e, ask)->job)->held++;
    skedi_watch_begin(e, group);
    alloc_decide_start(e, group);
    return g;
}

/* Tasks of a group that were wanted by the shape of their ask are wanted by
 * what they hold. */
static void alloc_want_as_held(sked_engine *e, const engine_group *g,
                               uint32_t count)
{
    uint32_t cell = alloc_cell_of_group(e, g);

    skedi_want_move(e, cell, ask_at(e, g->ask)->shape, -(int64_t)count);
    skedi_want_move(e, cell, g->shape, skedi_group_times(g, count));
}

void skedi_group_start(sked_engine *e, uint32_t ask, uint32_t account,
                       uint32_t node, uint32_t count, int32_t reason)
{
    int64_t task = skedi_ask_first(e, ask);
    engine_group *g = alloc_group_to_extend(e, ask, node, task);

    if (!g) g = alloc_make_group(e, ask, account, node, task);
    g->count += count;
    int64_t times = skedi_group_times(g, count);
    if (skedi_ask_is_exclusive(ask_at(e, ask))) alloc_want_as_held(e, g, count);
    skedi_watch_tasks(e, (uint32_t)(g - group_at(e, 0)), times);
    if (e->watch && reason == SKED_REASON_ORDER) {
        e->watch->tasks_began(e, ask, node, count);
    }
    skedi_out_last(e)->count += count;
    skedi_out_last(e)->reason = reason;
    e->stats.allocated += count;
    if (e->rated)
        skedi_rates_count(e, job_at(e, ask_at(e, ask)->job)->row, count);
    alloc_book_tasks(e, g, count, times);
    skedi_place_count(e, ask, node, count);
    skedi_ask_take(e, ask, count, node_at(e, node)->partition);
}

/* Counts a group in its user's account, where its leaf looks at users. */
static void alloc_join_account(sked_engine *e, engine_group *g)
{
    const engine_job *job = job_at(e, ask_at(e, g->ask)->job);
    uint32_t partition = node_at(e, g->node)->partition;

    g->account = SKEDI_NONE;
    if (!e->rows.by_user[job->row]) return;
    g->account = skedi_account_take(
        e, (uint32_t)cell_of(e, job->row, partition), job->user);
    account_at(e, g->account)->groups++;
}

void skedi_group_adopt(sked_engine *e, const engine_group *like)
{
    uint32_t group = skedi_pool_take(&e->groups), ask = like->ask;
    engine_group *g = group_at(e, group);

    *g = *like;
    g->generation = ++e->generations;
    g->state = GROUP_HELD;
    alloc_link_group(e, group);
    alloc_join_account(e, g);
    job_at(e, ask_at(e, ask)->job)->held++;
    if (g->deadline_from == e->now)
        skedi_watch_begin(e, group);
    else
        skedi_watch_groups(e); /* others may have begun since */
    e->stats.adopted += g->count;
    skedi_group_decide(e, group, SKED_DECISION_ALLOCATE, SKED_REASON_ADOPTED);
    if (g->hold) skedi_bunch_join(e, g);
    alloc_book_tasks(e, g, g->count, skedi_group_times(g, g->count));
    skedi_place_count(e, ask, g->node, g->count);
}

/* Ends that. */
static void alloc_leave_account(sked_engine *e, const engine_group *g)
{
    if (g->account == SKEDI_NONE) return;
    account_at(e, g->account)->groups--;
    skedi_account_drop_if_idle(e, g->account);
}

static void alloc_forget_group(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);
    uint32_t ask = g->ask, job = ask_at(e, ask)->job;

    if (!skedi_group_is_proposal(e, group)) job_at(e, job)->held--;
    alloc_group_unlist(e, group);
    skedi_watch_end(e, group);
    alloc_leave_account(e, g);
    if (g->shape != SKEDI_NONE) skedi_shape_give(e, g->shape);
    alloc_unlink_group(e, group);
    skedi_pool_give(&e->groups, group);
    alloc_gang_ended(e, ask);
    skedi_ask_settle(e, ask);
    skedi_job_settle(e, job);
}

/* Books that a group holds `delta` more, all its tasks together. */
static void alloc_book_more(sked_engine *e, const engine_group *g,
                            const int64_t *delta)
{
    uint32_t job = ask_at(e, g->ask)->job;
    int64_t *free = engine_row_of(e, &e->node_free, g->node);
    int64_t *used = engine_row_of(e, &e->job_used, job);
    int back = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= delta[k];
        used[k] += delta[k];
        back |= delta[k] < 0;
    }
    skedi_watch_node(e, g->node);
    skedi_node_touch(e, g->node);
    if (back) {
        node_at(e, g->node)->epoch = ++e->epochs;
        node_at(e, g->node)->seen = 0;
    }
    skedi_entries_reshare(e, job);
    skedi_gate_moved(e, job, delta, 1);
    alloc_move_books(e, g, delta, back);
    if (job_at(e, job)->charge == SKEDI_NONE) return;
    skedi_trees_charge(e, job, delta, back);
}

void skedi_group_resize(sked_engine *e, uint32_t group, const int64_t *task)
{
    engine_group *g = group_at(e, group);
    int gang = skedi_ask_is_whole(ask_at(e, g->ask));
    uint32_t cell = alloc_cell_of_group(e, g), before = g->shape;
    const int64_t *old = skedi_group_task(e, g);
    int64_t delta[SKED_MAX_KINDS], times = skedi_group_times(g, g->count);

    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = (task[k] - old[k]) * times;
    }
    skedi_want_move(e, cell, skedi_group_shape(e, g), -times);
    skedi_watch_groups(e);
    g->shape = skedi_shape_take(e, task, gang ? g->count : 1, SKEDI_NONE,
                                (engine_gang){0});
    if (before != SKEDI_NONE) skedi_shape_give(e, before);
    skedi_want_move(e, cell, g->shape, times);
    alloc_book_more(e, g, delta);
}

/* May other nodes take open tasks of an ask once a group of it is gone, since they
 * go by where tasks of it run: those of a gang whose nodes share a value, or of
 * an exact one? */
static int alloc_leaves_nodes(const sked_engine *e, const engine_ask *ask)
{
    return ask->flags & SKED_ASK_SPREAD && ask->open > 0 &&
           (skedi_shape_gang(e, ask->shape).same || extra_of(e, ask)->each > 0);
}

void skedi_group_end(sked_engine *e, uint32_t group, uint32_t count, int how)
{
    engine_group *g = group_at(e, group);
    engine_node *node = node_at(e, g->node);
    engine_ask *a = ask_at(e, g->ask);
    int again = (how == GROUP_AGAIN || how == GROUP_UNDO) && !a->closed;
    int64_t times = skedi_group_times(g, count);

    if (g->hold && times > 0 && skedi_bunch_pass(e, group)) times = 0;
    g->count -= count;
    skedi_watch_tasks(e, group, -times);
    uint32_t untold = e->notices.live ? alloc_notice_end(e, group, count)
                                      : count;
    if (e->watch && untold > 0) e->watch->tasks_ended(e, group, untold);
    if (how == GROUP_OVER || how == GROUP_AGAIN) node->epoch = ++e->epochs;
    node->seen = 0;
    alloc_book_tasks(e, g, -(int64_t)count, -times);
    skedi_want_move(e, alloc_cell_of_group(e, g), skedi_group_shape(e, g),
                    -times);
    if (g->hold && times > 0) skedi_bunch_leave(e, g);
    if (again) {
        skedi_place_count(e, g->ask, g->node, -(int64_t)count);
        skedi_ask_give(e, g->ask, g->task + g->count, count);
    }
    uint32_t ask = g->ask;
    if (g->count == 0) {
        int frees = alloc_leaves_nodes(e, a);
        alloc_forget_group(e, group);
        if (frees) skedi_partition_stir_all(e);
    }
    if (again) alloc_gang_lost(e, ask);
}

void skedi_group_decide(sked_engine *e, uint32_t group, int32_t what,
                        int32_t reason)
{
    const engine_group *g = group_at(e, group);
    sked_decision d = skedi_out_about(e, g->ask, g->node);

    d.kind = what;
    d.reason = reason;
    d.group = skedi_group_name(e, group);
    d.task = g->task;
    d.count = g->count;
    (void)skedi_out_add(e, d);
}

/* Takes what a group holds out of the books of its user and path (`by` -1), or
 * puts it into them (1). */
static void alloc_rebook_group(sked_engine *e, engine_group *g, int by)
{
    int64_t delta[SKED_MAX_KINDS], times = skedi_group_times(g, g->count) * by;

    skedi_pace_work(e);
    alloc_shapes_take(e, g, times, delta);
    if (by > 0) alloc_join_account(e, g);
    alloc_move_books(e, g, delta, by < 0);
    skedi_want_move(e, alloc_cell_of_group(e, g), skedi_group_shape(e, g),
                    times);
    if (by < 0) alloc_leave_account(e, g);
}

void skedi_groups_rebook(sked_engine *e, uint32_t job, int by)
{
    skedi_watch_groups(e);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t i = ask_at(e, a)->first_group; i != SKEDI_NONE;
             i = group_at(e, i)->ask_next) {
            alloc_rebook_group(e, group_at(e, i), by);
        }
    }
}

void skedi_node_rebook(sked_engine *e, uint32_t node, int by)
{
    skedi_watch_groups(e);
    for (uint32_t i = node_at(e, node)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->next) {
        alloc_rebook_group(e, group_at(e, i), by);
    }
}

/* Groups that the host has not confirmed yet, and their deadlines. */

sked_status skedi_groups_expire(sked_engine *e, sked_time now)
{
    while (e->first_proposed != SKEDI_NONE) {
        uint32_t group = e->first_proposed;
        engine_group *g = group_at(e, group);
        uint64_t waited = (uint64_t)now - (uint64_t)g->deadline_from;
        if (now < g->deadline_from ||
            waited < (uint64_t)e->opts.confirm_within_ns) {
            break;
        }
        sked_status rc = skedi_pace_look(e);
        if (rc != SKED_OK) return rc;
        if (!skedi_out_reserve(e, 1) || !skedi_ask_reserve(e, g->ask)) {
            return SKED_ERR_NOMEM;
        }
        e->now = skedi_i64_max(e->now,
                               g->deadline_from + e->opts.confirm_within_ns);
        skedi_group_decide(e, group, SKED_DECISION_EXPIRE,
                           SKED_REASON_UNCONFIRMED);
        skedi_group_end(e, group, g->count, GROUP_UNDO);
    }
    return SKED_OK;
}

/* Settles parked asks after an event, the one that was parked last first: kill
 * orders for what is left of a gang that falls, then a return to the lines. */

/* Gives kill orders to what is left of a gang that falls. SKED_OK, or
 * SKED_ERR_NOMEM, and nothing changed. */
static sked_status alloc_end_rest(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t group = a->closed ? SKEDI_NONE : a->first_group;

    if (!skedi_out_reserve(e, skedi_ask_groups(e, ask))) return SKED_ERR_NOMEM;
    for (; group != SKEDI_NONE; group = group_at(e, group)->ask_next) {
        skedi_pace_work(e);
        if (skedi_group_is_doomed(e, group)) continue;
        skedi_group_kill(e, group, SKED_REASON_GANG);
    }
    if (alloc_gang_has(e, ask, 1)) skedi_ask_park(e, ask, PARK_ENDS);
    skedi_ask_unpark(e, ask, PARK_FALLS);
    return SKED_OK;
}

sked_status skedi_asks_settle(sked_engine *e)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = e->first_parked, next;
         rc == SKED_OK && e->ready > 0 && i != SKEDI_NONE; i = next) {
        const engine_ban *ban = ban_at(e, i);
        next = ban->next;
        skedi_pace_work(e);
        if (ban->parked & PARK_FALLS) rc = alloc_end_rest(e, ban->owner);
        if (rc == SKED_OK && ban->parked == PARK_READY) {
            rc = skedi_ban_settle(e, i);
        }
    }
    return rc;
}
