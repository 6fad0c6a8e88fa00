/*
 * A partition as a round plans with it. Tasks that got kill orders, or of which
 * the host says that they end in the time that victims have, count as gone:
 * their queues do not use them any more, what they hold on nodes is free, and
 * they are wanted again like what is open. Reservations of the partition do not
 * count, since the round decides anew what is reserved.
 */
#include <string.h>

#include "engine/core/groups.h"
#include "engine/core/remains.h"
#include "engine/core/reservations.h"
#include "engine/core/notices.h"
#include "engine/order/accounts.h"
#include "engine/order/trees.h"
#include "engine/preempt/rounds.h"

/* ---- Tasks with kill orders ---- */

/* Does a group end by itself within the time that victims have? */
static int ends_in_time(const sked_engine *e, const engine_notice *notice)
{
    return notice->ends != SKED_UNSET && notice->ends >= e->now &&
           (uint64_t)notice->ends - (uint64_t)e->now <=
               (uint64_t)e->preempt->grace;
}

int skedi_round_awaits(const sked_engine *e)
{
    const engine_notice *notice = e->notices.item;
    uint32_t i = 0;

    while (i < e->notices.n &&
           !(notice[i].group && ends_in_time(e, &notice[i]))) {
        i++;
    }
    return i < e->notices.n;
}

uint32_t skedi_round_going(const sked_engine *e, uint32_t group)
{
    const engine_notice *notice = skedi_notice_find(e, group);

    if (!notice) return 0;
    return ends_in_time(e, notice) ? group_at(e, group)->count : notice->dying;
}

static int64_t dying_tasks(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    return skedi_group_is_doomed(e, group) ? g->count
                                           : skedi_round_going(e, group);
}

/* How often what is dying of a group holds its shape. A bunch holds its node as
 * long as any group of it stays. */
static int64_t dying_times(const sked_engine *e, uint32_t group)
{
    const engine_group *own = group_at(e, group);
    int64_t times = skedi_group_times(own, dying_tasks(e, group));
    uint32_t i = own->hold && times > 0 ? node_at(e, own->node)->first_group
                                        : SKEDI_NONE;

    for (; i != SKEDI_NONE; i = group_at(e, i)->next) {
        if (group_at(e, i)->ask != own->ask) continue;
        if (dying_tasks(e, i) < group_at(e, i)->count) return 0;
    }
    return times;
}

void skedi_round_add_dying(const sked_engine *e, uint32_t group, int64_t *to,
                           int by)
{
    int64_t dying = dying_times(e, group);
    const int64_t *task = skedi_group_task(e, group_at(e, group));

    for (uint32_t k = 0; dying && k < e->kinds; k++) {
        to[k] += task[k] * dying * by;
    }
}

/* Calls for every group of which tasks got kill orders, or end in time. */
static void each_dying(const sked_engine *e, void *to,
                       void (*call)(const sked_engine *e, void *to,
                                    uint32_t group))
{
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = skedi_group_find(e, notice[i].group);
        if (g == SKEDI_NONE || skedi_group_is_doomed(e, g)) continue;
        if (!skedi_round_going(e, g)) continue;
        call(e, to, g);
    }
    for (uint32_t g = skedi_group_next_doomed(e, SKEDI_NONE); g != SKEDI_NONE;
         g = skedi_group_next_doomed(e, g)) {
        call(e, to, g);
    }
}

static uint32_t group_row(const sked_engine *e, uint32_t group)
{
    return job_at(e, ask_at(e, group_at(e, group)->ask)->job)->row;
}

/* ---- All partitions ---- */

/* Adds an amount to the wide rows of a path. */
static void add_wide(const sked_engine *e, int64_t *wide, uint32_t leaf,
                     const int64_t *amount, int64_t times)
{
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        int64_t *to = wide + (size_t)row * e->kinds;
        for (uint32_t k = 0; e->rows.wide[row] && k < e->kinds; k++) {
            to[k] += amount[k] * times;
        }
        if (row == 0) return;
    }
}

static void narrow_by_dying(const sked_engine *e, void *wide, uint32_t group)
{
    int64_t sum[SKED_MAX_KINDS] = {0};

    skedi_round_add_dying(e, group, sum, 1);
    add_wide(e, wide, group_row(e, group), sum, -1);
}

/* ---- What is to run on of a job ---- */

static int open_least(round_state *s)
{
    if (!s->e->leasts) return 1;
    s->left = skedi_round_reserve(s->e, s->e->jobs.n, sizeof *s->left);
    return s->left != NULL;
}

/* Tasks of a job that run and got no kill orders, beyond the least. */
static int64_t more_than_least(const sked_engine *e, const engine_job *job)
{
    int64_t n = 0;

    for (uint32_t a = job->first_ask; a != SKEDI_NONE; a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            if (group_at(e, g)->state != GROUP_HELD) continue;
            n += (int64_t)group_at(e, g)->count - skedi_round_going(e, g);
        }
    }
    return skedi_i64_max(n - job->least, 0);
}

/* How many tasks of a job that run may still be taken; INT64_MAX: all. */
static int64_t left_of_job(const round_state *s, uint32_t job)
{
    const sked_engine *e = s->e;

    if (!s->left || job_at(e, job)->least == 0) return INT64_MAX;
    if (s->left[job] == 0) {
        s->left[job] = more_than_least(e, job_at(e, job)) + 1;
    }
    return s->left[job] - 1;
}

int64_t skedi_least_left(const round_state *s, uint32_t group)
{
    const sked_engine *e = s->e;

    if (group_at(e, group)->state != GROUP_HELD) return INT64_MAX;
    return left_of_job(s, ask_at(e, group_at(e, group)->ask)->job);
}

int64_t skedi_least_of_gang(const round_state *s, uint32_t group)
{
    const sked_engine *e = s->e;
    int64_t run = 0;

    for (uint32_t g = group; g != SKEDI_NONE; g = group_at(e, g)->ask_next) {
        if (group_at(e, g)->state == GROUP_HELD) run += group_at(e, g)->count;
    }
    int64_t left = left_of_job(s, ask_at(e, group_at(e, group)->ask)->job);
    return run <= left ? INT64_MAX : 0;
}

void skedi_least_take(round_state *s, uint32_t group, int64_t count)
{
    uint32_t job = ask_at(s->e, group_at(s->e, group)->ask)->job;

    s->taken[group] = (uint32_t)(s->taken[group] + count);
    if (!s->left || s->left[job] == 0) return;
    if (group_at(s->e, group)->state == GROUP_HELD) s->left[job] -= count;
}

/* ---- Opening ---- */

void skedi_books_plan_trees(const round_state *s, uint32_t job,
                            const int64_t *amount, int64_t times)
{
    const sked_engine *e = s->e;
    const engine_charge *charge = skedi_charge_of(e, job);
    int64_t *rows = s->charged;

    if (!charge) return;
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = charge->row[i];
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            int64_t *to = skedi_tree_amounts(e, rows, row);
            for (uint32_t k = 0; k < e->kinds; k++) to[k] += amount[k] * times;
        }
        rows += (size_t)t->n * e->kinds;
    }
}

/* Books of what is planned in the trees of limits. 0: no memory. */
static int open_trees(round_state *s)
{
    const engine_limits *t = s->e->trees.at;
    uint64_t rows = (uint64_t)t[0].n + t[1].n;

    if (s->e->trees.charges.live == 0) return 1;
    s->charged = skedi_round_reserve(s->e, rows * s->e->kinds,
                                     sizeof *s->charged);
    return s->charged != NULL;
}

/* Reservations that others got kill orders for count, or (by -1) no longer:
 * those of one partition, or of all. */
static void note_paid(round_state *s, uint32_t partition, int by)
{
    const sked_engine *e = s->e;
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        if (partition != SKED_ANY_PARTITION &&
            node_at(e, reserved->node)->partition != partition) {
            continue;
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            amount[k] = skedi_reservation_paid(e, i, k);
        }
        uint32_t job = ask_at(e, reserved->ask)->job;
        add_wide(e, s->wide, job_at(e, job)->row, amount, by);
        skedi_books_plan_trees(s, job, amount, by);
        s->planned[reserved->ask] += (int64_t)reserved->paid * by;
    }
}

int skedi_books_open(round_state *s, int paid)
{
    sked_engine *e = s->e;
    size_t cells = (size_t)e->rows.n * e->kinds;

    s->wide = skedi_round_reserve(e, cells, sizeof *s->wide);
    s->planned = skedi_round_reserve(e, e->asks.n, sizeof *s->planned);
    s->taken = skedi_round_reserve(e, e->groups.n, sizeof *s->taken);
    if (!s->wide || !s->planned || !s->taken || !open_trees(s)) return 0;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds;
        for (uint32_t k = 0; e->rows.wide[row] && k < e->kinds; k++) {
            s->wide[at + k] = e->rows.used[at + k];
        }
    }
    each_dying(e, s->wide, narrow_by_dying);
    if (paid) note_paid(s, SKED_ANY_PARTITION, 1);
    return open_least(s);
}

void skedi_books_forget_paid(round_part *part)
{
    note_paid(part->s, part->partition, -1);
}

/* ---- One partition ---- */

/* Takes the tasks of a group that end out of the books of its partition. */
static void leave_out(const sked_engine *e, void *to, uint32_t group)
{
    round_part *part = to;
    const engine_group *g = group_at(e, group);
    uint32_t row = group_row(e, group);

    if (node_at(e, g->node)->partition != part->partition) return;
    skedi_round_add_dying(e, group, part->held + (size_t)row * e->kinds, -1);
    if (ask_at(e, g->ask)->flags & SKED_ASK_MASTER) {
        skedi_round_add_dying(e, group, part->masters + (size_t)row * e->kinds,
                              -1);
    }
    if (g->account == SKEDI_NONE) return;
    skedi_round_add_dying(
        e, group, part->account_used + (size_t)g->account * e->kinds, -1);
    if (g->state >= GROUP_KILLED || skedi_group_dying(e, group) == 0 ||
        account_at(e, g->account)->entries > 0) {
        return;
    }
    if (part->comes[g->account]++ == 0) {
        part->coming[row] += account_at(e, g->account)->weight;
    }
}

/* What counts as held of a parent, from its children. */
static void hold_parents(round_part *part)
{
    const sked_engine *e = part->e;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        int64_t *held = part->held + (size_t)row * e->kinds;
        if (row_is_leaf(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) held[k] = 0;
    }
    memcpy(part->bare, part->held,
           (size_t)e->rows.n * e->kinds * sizeof *part->bare);
    for (uint32_t row = e->rows.n; row-- > 1;) {
        size_t at = (size_t)row * e->kinds;
        size_t above = (size_t)e->rows.parent[row] * e->kinds;
        int64_t *up = part->held + above;
        const int64_t *kept = cell_row(e, e->cell_kept,
                                       cell_of(e, row, part->partition));
        for (uint32_t k = 0; k < e->kinds; k++) {
            part->bare[above + k] += part->bare[at + k];
            up[k] = skedi_amount_add(
                up[k], skedi_i64_max(part->held[at + k], kept[k]));
        }
    }
}

static void open_leaves(round_part *part)
{
    const sked_engine *e = part->e;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, part->partition);
        size_t at = (size_t)row * e->kinds, bytes = e->kinds * sizeof(int64_t);
        memcpy(part->held + at, cell_row(e, e->cell_used, cell), bytes);
        if (!e->mastered) continue;
        memcpy(part->masters + at, cell_row(e, e->cell_masters, cell), bytes);
    }
}

int skedi_books_open_part(round_part *part)
{
    sked_engine *e = part->e;
    uint64_t rows = (uint64_t)e->rows.n * e->kinds;
    uint64_t accounts = (uint64_t)e->accounts.n * e->kinds;

    part->held = skedi_round_reserve(e, rows, sizeof *part->held);
    part->bare = skedi_round_reserve(e, rows, sizeof *part->bare);
    part->masters = skedi_round_reserve(e, rows, sizeof *part->masters);
    part->coming = skedi_round_reserve(e, e->rows.n, sizeof *part->coming);
    part->comes = skedi_round_reserve(e, e->accounts.n, sizeof *part->comes);
    part->account_used = skedi_round_reserve(e, accounts,
                                             sizeof *part->account_used);
    if (!part->held || !part->bare || !part->masters || !part->coming ||
        !part->comes || !part->account_used) {
        return 0;
    }
    open_leaves(part);
    if (accounts > 0) {
        memcpy(part->account_used, e->account_used.at,
               (size_t)accounts * sizeof *part->account_used);
    }
    each_dying(e, part, leave_out);
    hold_parents(part);
    return 1;
}

int skedi_books_open_plans(round_part *part)
{
    sked_engine *e = part->e;

    part->n_nodes = e->nodes.n;
    part->leaf_new = skedi_round_reserve(e, (uint64_t)e->rows.n * e->kinds,
                                         sizeof *part->leaf_new);
    part->account_new = skedi_round_reserve(
        e, (uint64_t)e->accounts.n * e->kinds, sizeof *part->account_new);
    part->leaf_turn = skedi_round_reserve(e, (uint64_t)e->rows.n * e->kinds,
                                          sizeof *part->leaf_turn);
    part->account_turn = skedi_round_reserve(
        e, (uint64_t)e->accounts.n * e->kinds, sizeof *part->account_turn);
    part->free = skedi_round_reserve(e, (uint64_t)e->nodes.n * e->kinds,
                                     sizeof *part->free);
    part->known = skedi_round_reserve(e, e->nodes.n, 1);
    return part->leaf_new && part->account_new && part->leaf_turn &&
           part->account_turn && part->free && part->known;
}

void skedi_books_plan(round_part *part, uint32_t leaf, uint32_t account,
                      const int64_t *amount, int64_t times)
{
    const sked_engine *e = part->e;
    int64_t more[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) more[k] = amount[k] * times;
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        int64_t *held = part->held + (size_t)row * e->kinds;
        const int64_t *kept = cell_row(e, e->cell_kept,
                                       cell_of(e, row, part->partition));
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t before = skedi_i64_max(held[k], kept[k]);
            held[k] += more[k];
            part->bare[(size_t)row * e->kinds + k] += amount[k] * times;
            more[k] = skedi_i64_max(held[k], kept[k]) - before;
        }
        if (row == 0) break;
    }
    add_wide(e, part->s->wide, leaf, amount, times);
    if (account == SKEDI_NONE) return;
    int64_t *own = part->account_used + (size_t)account * e->kinds;
    for (uint32_t k = 0; k < e->kinds; k++) own[k] += amount[k] * times;
}

void skedi_books_hold(round_part *part, uint32_t row, const int64_t *amount)
{
    const sked_engine *e = part->e;
    size_t at = (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        part->held[at + k] += amount[k];
        part->bare[at + k] += amount[k];
        if (e->rows.wide[row]) part->s->wide[at + k] += amount[k];
    }
}

int64_t *skedi_books_free(round_part *part, uint32_t node)
{
    const sked_engine *e = part->e;
    int64_t *free = part->free + (size_t)node * e->kinds;

    if (part->known[node]) return free;
    part->known[node] = 1;
    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] = engine_row_of(e, &e->node_free, node)[k] +
                  (part->lazy ? 0 : skedi_reservation_of(e, node, k));
    }
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        skedi_round_add_dying(e, g, free, 1);
    }
    skedi_remains_sum(e, node, free);
    return free;
}

/* Users of the leaf that ask for nothing will, once tasks of theirs end. */
static void move_coming(round_part *part, uint32_t leaf, uint32_t account,
                        int64_t count)
{
    const sked_engine *e = part->e;

    if (account == SKEDI_NONE || account_at(e, account)->entries > 0) return;
    uint64_t weight = account_at(e, account)->weight;
    uint32_t before = part->comes[account];
    part->comes[account] = (uint32_t)(before + count);
    if (before == 0) part->coming[leaf] += weight;
    if (part->comes[account] == 0) part->coming[leaf] -= weight;
}

void skedi_books_gone(round_part *part, uint32_t group, int64_t count)
{
    const sked_engine *e = part->e;
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const int64_t *task = skedi_group_task(e, g);
    uint32_t leaf = job_at(e, a->job)->row;
    int64_t *free = skedi_books_free(part, g->node);
    int64_t times = count > 0 ? skedi_group_times(g, count)
                              : -skedi_group_times(g, -count);

    skedi_books_plan(part, leaf, g->account, task, -times);
    move_coming(part, leaf, g->account, count);
    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] += task[k] * times;
        if (a->flags & SKED_ASK_MASTER) {
            part->masters[(size_t)leaf * e->kinds + k] -= task[k] * times;
        }
    }
}
