/*
 * The invariants, computed anew from jobs, asks and groups, and held against
 * the books.
 */
#include <sched/engine.h>

#include "engine/api/check.h"

#include "base/fail.h"
#include "engine/reservation.h"
#include "engine/exclusion.h"
#include "engine/alloc.h"
#include "engine/queue.h"
#include "engine/nodes.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"

/* Each open number of an ask in one range, and the groups of each node its
 * own. */
static sked_status check_ask_books(const sked_engine *e, sked_error *err)
{
    const engine_range *ranges = e->ranges.item;
    uint32_t extras = 0;

    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        int64_t behind = 0;
        if (!a->live) continue;
        int64_t all = extra_of(e, a)->behind;
        uint32_t last = SKEDI_NONE;
        extras += a->extra != SKEDI_NONE;
        for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
             r = ranges[r].next) {
            if (ranges[r].count <= 0)
                return skedi_engine_broken(err, "an empty range", i);
            behind += ranges[r].count;
            last = r;
        }
        if (behind != all || (a->open > 0 ? a->open <= all : all > 0) ||
            (last != SKEDI_NONE && last != extra_of(e, a)->last))
            return skedi_engine_broken(err, "open tasks of an ask", i);
        int over = a->closed || !(a->flags & SKED_ASK_KEEP);
        if (over && a->open == 0 && a->first_group == SKEDI_NONE) {
            return skedi_engine_broken(err, "an ask that is over", i);
        }
        if (skedi_ask_stands(e, a) != (a->first_entry != SKEDI_NONE)) {
            return skedi_engine_broken(err, "entries of an ask", i);
        }
    }
    if (extras == e->extras.live) return SKED_OK;
    return skedi_engine_broken(err, "extras of asks", extras);
}

/* Each job's list has its asks, and no others; each knows both neighbours. */
static sked_status check_ask_lists(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0;

    for (uint32_t j = 0; j < e->jobs.n; j++) {
        uint32_t before = SKEDI_NONE;
        if (job_at(e, j)->state == JOB_FREE_SLOT) continue;
        for (uint32_t a = job_at(e, j)->first_ask; a != SKEDI_NONE;
             before = a, a = ask_at(e, a)->next) {
            if (ask_at(e, a)->job != j || ask_at(e, a)->prev != before) {
                return skedi_engine_broken(err, "asks of a job", j);
            }
            listed++;
        }
    }
    if (listed == e->asks.live) return SKED_OK;
    return skedi_engine_broken(err, "lists of asks", e->asks.live);
}

static sked_status check_node_books(const sked_engine *e, sked_error *err)
{
    int64_t released[SKED_MAX_KINDS] = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const int64_t *capacity = engine_row_of(e, &e->node_capacity, n);
        const int64_t *free = engine_row_of(e, &e->node_free, n);
        int64_t remains[SKED_MAX_KINDS] = {0};
        skedi_remains_sum(e, n, remains);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t used = 0;
            for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
                 g = group_at(e, g)->next) {
                const engine_group *group = group_at(e, g);
                used += skedi_group_task(e, group)[k] *
                        skedi_group_times(group, group->count);
            }
            used += skedi_reservation_of(e, n, k) + remains[k];
            released[k] += remains[k];
            if (capacity[k] - used != free[k]) {
                return skedi_engine_broken(err, "free amounts of a node", n);
            }
        }
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (released[k] == e->released[k]) continue;
        return skedi_engine_broken(err, "what released tasks hold", k);
    }
    return SKED_OK;
}

/* Parents hold what their children hold, cell by cell and in all. */
static sked_status check_queue_books(const sked_engine *e, sked_error *err)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t first = e->rows.first_child[row];
        uint32_t end = e->rows.first_child[row + 1];
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t used = skedi_row_used(e, row, k), below = 0;
            for (uint32_t c = first; c < end; c++) {
                below += skedi_row_used(e, c, k);
            }
            if (e->rows.used[(size_t)row * e->kinds + k] !=
                (e->rows.wide[row] ? used : 0)) {
                return skedi_engine_broken(err, "usage of a queue", row);
            }
            if (first < end && below != used) {
                return skedi_engine_broken(err, "usage of a parent", row);
            }
        }
    }
    return SKED_OK;
}

/* Each leaf's usage is that of its jobs. */
static sked_status check_job_books(const sked_engine *e, sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t jobs = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            if (job_at(e, i)->state == JOB_FREE_SLOT) continue;
            jobs += engine_row_of(e, &e->job_used, i)[k];
        }
        if (jobs != skedi_row_used(e, 0, k))
            return skedi_engine_broken(err, "usage of jobs", k);
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        int64_t running = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            const engine_job *job = job_at(e, i);
            if (job->state != JOB_RUNNING) continue;
            uint32_t at = job->row;
            while (at > row) at = (uint32_t)e->rows.parent[at];
            running += at == row;
        }
        if (running != e->rows.running[row]) {
            return skedi_engine_broken(err, "running applications of a queue",
                                       row);
        }
    }
    return SKED_OK;
}

/* Groups on the lists of their node and their ask, proposals in order. */
static sked_status check_lists(const sked_engine *e, sked_error *err)
{
    uint64_t on_nodes = 0, on_asks = 0, proposed = 0, listed = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            on_nodes += group_at(e, g)->node == n;
            proposed += (uint64_t)skedi_group_is_proposal(e, g);
        }
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        uint32_t own = 0;
        if (!ask_at(e, i)->live) continue;
        for (uint32_t g = ask_at(e, i)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            own += group_at(e, g)->ask == i;
        }
        on_asks += own;
    }
    for (uint32_t g = e->first_proposed; g != SKEDI_NONE;
         g = group_at(e, g)->later) {
        uint32_t later = group_at(e, g)->later;
        listed++;
        if (later != SKEDI_NONE &&
            group_at(e, later)->deadline_from < group_at(e, g)->deadline_from) {
            return skedi_engine_broken(err, "order of proposals", g);
        }
    }
    if (on_nodes != e->groups.live || on_asks != e->groups.live ||
        proposed != listed) {
        return skedi_engine_broken(err, "lists of groups", e->groups.live);
    }
    return SKED_OK;
}

/* Each ban belongs to what it says; those that wait for something are
 * listed. */
static sked_status check_bans(const sked_engine *e, sked_error *err)
{
    uint32_t listed = 0, ready = 0;

    for (uint32_t i = 0; i < e->bans.n; i++) {
        const engine_ban *b = ban_at(e, i);
        if (b->what == BAN_FREE_SLOT) continue;
        if (!skedi_ban_is_sound(e, i)) {
            return skedi_engine_broken(err, "what is refused", i);
        }
        listed += b->listed;
        ready += (b->parked & (PARK_READY | PARK_FALLS)) != 0;
    }
    if (!skedi_weights_are_sound(e)) {
        return skedi_engine_broken(err, "weights of queues", 0);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (skedi_refusers_are_sound(e, n)) continue;
        return skedi_engine_broken(err, "classes that refuse a node", n);
    }
    for (uint32_t i = e->first_parked; i != SKEDI_NONE;
         i = ban_at(e, i)->next) {
        listed -= ban_at(e, i)->listed;
    }
    if (listed == 0 && ready == e->ready) return SKED_OK;
    return skedi_engine_broken(err, "asks that wait to stand in line", listed);
}

/* What the counters say, and that every key leads to its thing. */
static sked_status check_counts(const sked_engine *e, sked_error *err)
{
    uint64_t jobs = 0, waiting = 0, asks = 0, open = 0, running = 0;

    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        jobs++;
        waiting += job->state == JOB_WAITING;
        running += (uint64_t)job->running;
        if (skedi_keymap_get(&e->job_of, job->key) != i) {
            return skedi_engine_broken(err, "key of a job", i);
        }
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live) continue;
        asks += a->open > 0;
        open += (uint64_t)a->open;
        if (skedi_keymap_get(&e->ask_of, a->key) != i) {
            return skedi_engine_broken(err, "key of an ask", i);
        }
    }
    int same = jobs == e->stats.jobs && waiting == e->stats.jobs_waiting &&
               asks == e->stats.asks && open == e->stats.open_tasks &&
               running == e->stats.running_tasks &&
               e->stats.nodes == e->nodes.live &&
               e->stats.groups == e->groups.live;
    return same ? SKED_OK : skedi_engine_broken(err, "counters", 0);
}

sked_status sked_engine_check(const sked_engine *engine, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");

    sked_status rc = check_ask_books(engine, err);
    if (rc == SKED_OK) rc = check_ask_lists(engine, err);
    if (rc == SKED_OK) rc = check_node_books(engine, err);
    if (rc == SKED_OK) rc = check_queue_books(engine, err);
    if (rc == SKED_OK) rc = check_job_books(engine, err);
    if (rc == SKED_OK) rc = check_lists(engine, err);
    if (rc == SKED_OK) rc = check_counts(engine, err);
    if (rc == SKED_OK) rc = check_bans(engine, err);
    if (rc == SKED_OK && !skedi_fits_are_sound(engine)) {
        rc = skedi_engine_broken(err, "tasks that nodes take", 0);
    }
    if (rc == SKED_OK && !skedi_ranks_are_sound(engine)) {
        rc = skedi_engine_broken(err, "orders of nodes", 0);
    }
    if (rc == SKED_OK && !skedi_sets_are_sound(engine)) {
        rc = skedi_engine_broken(err, "nodes of a rule", 0);
    }
    if (rc == SKED_OK && !skedi_soft_is_sound(engine)) {
        rc = skedi_engine_broken(err, "soft rules", 0);
    }
    if (rc == SKED_OK && !skedi_forming_is_sound(engine)) {
        rc = skedi_engine_broken(err, "reserved for gangs that form", 0);
    }
    if (rc == SKED_OK) rc = skedi_check_work(engine, err);
    if (rc == SKED_OK) rc = skedi_check_lines(engine, err);
    if (rc == SKED_OK) rc = skedi_check_users(engine, err);
    if (rc == SKED_OK) rc = skedi_check_shares(engine, err);
    if (rc == SKED_OK) rc = skedi_check_trees(engine, err);
    if (rc == SKED_OK) rc = skedi_check_rounds(engine, err);
    return rc;
}
