/*
 * A partition as preemption sees it. Tasks that were told to end count as gone:
 * their queues do not use them any more, their room is free, and they are wanted
 * again like what is open.
 */
#include "engine/rounds.h"

#include <string.h>

#include "base/fail.h"
#include "engine/groups.h"
#include "engine/kept.h"
#include "engine/notices.h"

/* ---- Books ---- */

void skedi_round_add_dying(const sked_engine *e, uint32_t group, int64_t *to,
                           int by)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    int64_t dying = skedi_group_is_doomed(e, group)
                        ? g->count
                        : skedi_group_dying(e, group);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);

    for (uint32_t k = 0; dying && k < e->kinds; k++)
        to[k] += task[k] * dying * by;
}

/* The same out of the usage of its queue, or (with the rows of seats) of its
 * user, where that is of its partition. */
static void leave_out(const sked_engine *e, uint32_t partition, uint32_t group,
                      const uint32_t *seat_row, int64_t *usage)
{
    const engine_group *g = group_at(e, group);
    uint32_t row = job_at(e, ask_at(e, g->ask)->job)->row;

    if (node_at(e, g->node)->partition != partition) return;
    if (seat_row) row = g->seat == SKEDI_NONE ? 0 : seat_row[g->seat];
    if (seat_row && row == 0) return;
    skedi_round_add_dying(e, group, usage + (size_t)row * e->kinds, -1);
}

static void leave_out_dying(const sked_engine *e, uint32_t partition,
                            const uint32_t *seat_row, int64_t *usage)
{
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = notice[i].dying ? skedi_group_find(e, notice[i].group)
                                     : SKEDI_NONE;
        if (g == SKEDI_NONE || skedi_group_is_doomed(e, g)) continue;
        leave_out(e, partition, g, seat_row, usage);
    }
    for (uint32_t g = e->first_killed; g != SKEDI_NONE;
         g = group_at(e, g)->kill_next) {
        leave_out(e, partition, g, seat_row, usage);
    }
}

/* Of all queues; parents' are left as they are. */
static int64_t *used_by_row(sked_engine *e, uint32_t partition)
{
    int64_t *usage = skedi_round_room(e, (uint64_t)e->rows.n * e->kinds,
                                      sizeof *usage);

    for (uint32_t row = 0; usage && row < e->rows.n; row++) {
        memcpy(usage + (size_t)row * e->kinds,
               cell_row(e, e->cell_used, cell_of(e, row, partition)),
               e->kinds * sizeof *usage);
    }
    return usage;
}

int64_t *skedi_round_usage(sked_engine *e, uint32_t partition)
{
    int64_t *usage = used_by_row(e, partition);

    if (usage) leave_out_dying(e, partition, NULL, usage);
    return usage;
}

int64_t *skedi_round_demand(sked_engine *e, uint32_t partition)
{
    int64_t *rows = used_by_row(e, partition);

    return rows && skedi_wanted_add(e, partition, rows) ? rows : NULL;
}

/* In these kinds nobody gives below what is to be kept. They do not change by
 * ending tasks that are wanted again, so nobody will claim what was given. */
uint32_t skedi_round_lacking(const sked_engine *e, uint32_t partition,
                             const int64_t *demand)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t row = 0; row < e->rows.n; row++) {
            if (!row_is_leaf(e, row)) continue;
            sum = skedi_amount_add(sum, demand[(size_t)row * e->kinds + k]);
        }
        if (sum > e->capacity[(size_t)partition * e->kinds + k]) {
            kinds |= UINT32_C(1) << k;
        }
    }
    return kinds;
}

/* ---- Nodes ---- */

/* What is free on nodes or will be: also what is kept, since this round decides
 * anew for whom. */
int skedi_round_free(sked_engine *e, round_part *part)
{
    int64_t *free = skedi_round_room(e, (uint64_t)part->in.n_nodes * e->kinds,
                                     sizeof *free);

    part->in.free = free;
    for (uint32_t i = 0; free && i < part->in.n_nodes; i++) {
        uint32_t node = part->node[i];
        int64_t *to = free + (size_t)i * e->kinds;
        memcpy(to, engine_row_of(e, &e->node_free, node),
               e->kinds * sizeof *to);
        for (uint32_t k = 0; k < e->kinds; k++) {
            to[k] += skedi_kept_of(e, node, k);
        }
        for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            skedi_round_add_dying(e, g, to, 1);
        }
        for (uint32_t k = 0; k < e->kinds; k++) to[k] = skedi_i64_max(to[k], 0);
    }
    return free != NULL;
}

/* ---- Users ---- */

/* Numbers the seats of a partition, those of a leaf side by side; row 0 is for
 * leaves that do not look at users. `from` has the first row of each queue. */
static uint32_t number_seats(const sked_engine *e, round_part *part,
                             uint32_t *from)
{
    uint32_t n = 1;

    for (uint32_t i = 0; i < e->seats.n; i++) {
        const engine_seat *s = seat_at(e, i);
        if (!s->name || s->cell % e->parts != part->partition) continue;
        from[s->cell / e->parts]++;
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t seats = from[row];
        from[row] = n;
        n += seats;
    }
    for (uint32_t i = 0; i < e->seats.n; i++) {
        const engine_seat *s = seat_at(e, i);
        if (!s->name || s->cell % e->parts != part->partition) continue;
        part->seat_row[i] = from[s->cell / e->parts]++;
    }
    return n;
}

/* Columns of users. */
typedef struct round_users {
    uint32_t *from; /* by queue: the row after its last */
    uint32_t *weight;
    int64_t *usage, *demand, *share, *keep;
} round_users;

static int users_room(sked_engine *e, round_users *u, uint32_t n)
{
    uint64_t cells = (uint64_t)n * e->kinds;

    u->weight = skedi_round_room(e, n, sizeof *u->weight);
    u->usage = skedi_round_room(e, cells, sizeof *u->usage);
    u->demand = skedi_round_room(e, cells, sizeof *u->demand);
    u->share = skedi_round_room(e, cells, sizeof *u->share);
    u->keep = skedi_round_room(e, cells, sizeof *u->keep);
    return u->weight && u->usage && u->demand && u->share && u->keep;
}

/* What users of a leaf may hold of what it is entitled to, or has. */
static sked_status share_leaf(const sked_engine *e, const round_part *part,
                              round_users *u, uint32_t row, sked_error *err)
{
    int64_t total[SKED_MAX_KINDS];
    uint32_t first = row ? u->from[row - 1] : 1;
    size_t at = (size_t)row * e->kinds, to = (size_t)first * e->kinds;

    if (first == u->from[row]) return SKED_OK;
    for (uint32_t k = 0; k < e->kinds; k++) {
        total[k] = skedi_i64_max(part->in.share[at + k],
                                 part->in.usage[at + k]);
    }
    const sked_target_users in = {
        .struct_size = sizeof in,
        .kinds = e->kinds,
        .n = u->from[row] - first,
        .limit = e->rows.user_limit[row],
        .total = total,
        .weight = u->weight + first,
        .usage = u->usage + to,
        .demand = u->demand + to,
    };
    return sked_target_of_users(&in, u->share + to, u->keep + to, err);
}

/* What users hold and want besides. */
static void want_users(const sked_engine *e, const round_part *part,
                       round_users *u, uint32_t n)
{
    memcpy(u->demand, u->usage, (size_t)n * e->kinds * sizeof *u->demand);
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->seat == SKEDI_NONE) continue;
        uint32_t row = part->seat_row[x->seat];
        const engine_ask *a = ask_at(e, x->ask);
        const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
        int64_t *to = u->demand + (size_t)row * e->kinds;
        for (uint32_t k = 0; row && k < e->kinds; k++) {
            to[k] = skedi_amount_add(to[k], task[k] * a->open);
        }
    }
}

static sked_status read_users(sked_engine *e, round_part *part, sked_error *err)
{
    round_users u = {0};

    part->seat_row = skedi_round_room(e, e->seats.n, sizeof *part->seat_row);
    u.from = skedi_round_room(e, e->rows.n, sizeof *u.from);
    if (!part->seat_row || !u.from) return SKED_ERR_NOMEM;
    if (!(part->in.flags & SKED_PREEMPT_BY_USER)) return SKED_OK;
    uint32_t n = number_seats(e, part, u.from);
    if (!users_room(e, &u, n)) return SKED_ERR_NOMEM;
    for (uint32_t k = 0; k < e->kinds; k++) {
        u.share[k] = u.keep[k] = SKED_UNLIMITED;
    }
    for (uint32_t i = 0; i < e->seats.n; i++) {
        uint32_t row = part->seat_row[i];
        if (row == 0) continue;
        u.weight[row] = seat_at(e, i)->weight;
        memcpy(u.usage + (size_t)row * e->kinds,
               engine_row_of(e, &e->seat_used, i), e->kinds * sizeof *u.usage);
    }
    want_users(e, part, &u, n);
    leave_out_dying(e, part->partition, part->seat_row, u.usage);
    sked_status rc = SKED_OK;
    for (uint32_t row = 0; row < e->rows.n && rc == SKED_OK; row++) {
        rc = share_leaf(e, part, &u, row, err);
    }
    part->in.n_users = n;
    part->in.user_usage = u.usage;
    part->in.user_share = u.share;
    part->in.user_keep = u.keep;
    return rc;
}

/* ---- All of it ---- */

/* The bound of the round, as amounts. */
static void read_budget(const sked_engine *e, round_part *part)
{
    const int64_t *budget = sked_target_total(e->preempt->target,
                                              SKED_TARGET_BUDGET, NULL);

    for (uint32_t k = 0; k < e->kinds; k++) {
        part->budget[k] = skedi_i64_min(budget[k], SKED_AMOUNT_MAX);
    }
    part->in.budget = part->budget;
}

/* Does something ask that may run in any of several partitions? */
static int asks_for_any(const sked_engine *e)
{
    for (uint32_t i = 0; e->parts > 1 && i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (a->live && a->open > 0 && a->partition == SKED_ANY_PARTITION) {
            return 1;
        }
    }
    return 0;
}

/* Is it worth reading who gives what, and where? It is for rooms that are kept,
 * even where nobody gives any more; and for room that is free here, so that
 * nobody goes elsewhere for what has it. */
static int may_come_to_something(const sked_engine *e, const round_part *part)
{
    uint32_t both = SKED_TARGET_CLAIMS | SKED_TARGET_GIVES, seen = 0;

    if (part->in.flags & (SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY)) {
        return 1;
    }
    if (e->first_kept != SKEDI_NONE) seen |= SKED_TARGET_GIVES;
    for (uint32_t row = 0; row < e->rows.n; row++) seen |= part->reasons[row];
    if (seen & SKED_TARGET_CLAIMS && asks_for_any(e)) return 1;
    return (seen & both) == both;
}

sked_status skedi_round_read(round_state *s, round_part *part, int *any,
                             sked_error *err)
{
    sked_engine *e = s->e;
    const sked_target *target = e->preempt->target;

    part->reasons = sked_target_reasons(target, NULL);
    part->in = (sked_preempt_problem){
        .struct_size = sizeof part->in,
        .usage = part->in.usage,
        .asked = part->lacking,
        .flags = e->preempt->opts.flags,
        .kinds = e->kinds,
        .n_queues = e->rows.n,
        .work = e->preempt->opts.work,
        .share = sked_target_view(target, SKED_TARGET_SHARE, NULL),
        .keep = sked_target_view(target, SKED_TARGET_KEEP, NULL),
        .take = sked_target_view(target, SKED_TARGET_TAKE, NULL),
        .need = sked_target_total(target, SKED_TARGET_NEED, NULL),
    };
    if (!may_come_to_something(e, part)) return SKED_OK;
    read_budget(e, part);
    sked_status rc = read_users(e, part, err);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "no room for users");
    if (!skedi_round_asks(s, part)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for requests");
    }
    *any = part->in.n_requests > 0;
    return SKED_OK;
}
