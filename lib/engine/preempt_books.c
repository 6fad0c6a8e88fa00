/*
 * * A partition as a round plans with it.
 *
 * Tasks with kill orders, and tasks that end within the time of a victim,
 * count as gone: their queues do not use their amounts, their nodes have them
 * free, and the tasks are wanted again. Reservations of earlier rounds do not
 * count. The file also finds what is in the way of a step: limit trees, bounds
 * from the leaf up, then the node.
 *
 * Invariant: planning changes only the copy of the round; the engine's own
 * usage changes when the round acts.
 */
#include <string.h>

#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/exclusion.h"
#include "engine/shares.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/reservation.h"

/*
 * A partition as a round plans with it. Tasks that got kill orders, or of which
 * the host says that they end in the time that victims have, count as gone:
 * their queues do not use them any more, what they hold on nodes is free, and
 * they are wanted again like what is open. Reservations of the partition do not
 * count, since the round decides anew what is reserved.
 */

/* ---- Tasks with kill orders ---- */

/* Does a group end by itself within the time that victims have? */
static int preempt_ends_in_time(const sked_engine *e,
                                const engine_notice *notice)
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
           !(notice[i].group && preempt_ends_in_time(e, &notice[i]))) {
        i++;
    }
    return i < e->notices.n;
}

uint32_t skedi_round_going(const sked_engine *e, uint32_t group)
{
    const engine_notice *notice = skedi_notice_find(e, group);

    if (!notice) return 0;
    return preempt_ends_in_time(e, notice) ? group_at(e, group)->count
                                           : notice->dying;
}

static int64_t preempt_dying_tasks(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    return skedi_group_is_doomed(e, group) ? g->count
                                           : skedi_round_going(e, group);
}

/* How often what is dying of a group holds its shape. A bunch holds its node as
 * long as any group of it stays. */
static int64_t preempt_dying_times(const sked_engine *e, uint32_t group)
{
    const engine_group *own = group_at(e, group);
    int64_t times = skedi_group_times(own, preempt_dying_tasks(e, group));
    uint32_t i = own->hold && times > 0 ? node_at(e, own->node)->first_group
                                        : SKEDI_NONE;

    for (; i != SKEDI_NONE; i = group_at(e, i)->next) {
        if (group_at(e, i)->ask != own->ask) continue;
        if (preempt_dying_tasks(e, i) < group_at(e, i)->count) return 0;
    }
    return times;
}

/* Adds what such tasks hold, `by` times, to usage or free amounts. */
static void preempt_round_add_dying(const sked_engine *e, uint32_t group,
                                    int64_t *to, int by)
{
    int64_t dying = preempt_dying_times(e, group);
    const int64_t *task = skedi_group_task(e, group_at(e, group));

    for (uint32_t k = 0; dying && k < e->kinds; k++) {
        to[k] += task[k] * dying * by;
    }
}

/* Calls for every group of which tasks got kill orders, or end in time. */
static void preempt_each_dying(const sked_engine *e, void *to,
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

static uint32_t preempt_group_row(const sked_engine *e, uint32_t group)
{
    return job_at(e, ask_at(e, group_at(e, group)->ask)->job)->row;
}

/* ---- All partitions ---- */

/* Adds an amount to the wide rows of a path. */
static void preempt_add_wide(const sked_engine *e, int64_t *wide, uint32_t leaf,
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

static void preempt_narrow_by_dying(const sked_engine *e, void *wide,
                                    uint32_t group)
{
    int64_t sum[SKED_MAX_KINDS] = {0};

    preempt_round_add_dying(e, group, sum, 1);
    preempt_add_wide(e, wide, preempt_group_row(e, group), sum, -1);
}

/* ---- What is to run on of a job ---- */

static int preempt_open_least(round_state *s)
{
    if (!s->e->leasts) return 1;
    s->left = skedi_round_reserve(s->e, s->e->jobs.n, sizeof *s->left);
    return s->left != NULL;
}

/* Proposed tasks count for the least, as running ones do: the host may be
 * starting them. */
static int preempt_counts_for_least(const engine_group *group)
{
    return group->state == GROUP_HELD || group->state == GROUP_PROPOSED;
}

/* Tasks of a job that run or are proposed and got no kill orders, beyond the
 * least. */
static int64_t preempt_more_than_least(const sked_engine *e,
                                       const engine_job *job)
{
    int64_t n = 0;

    for (uint32_t a = job->first_ask; a != SKEDI_NONE; a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            if (!preempt_counts_for_least(group_at(e, g))) continue;
            n += (int64_t)group_at(e, g)->count - skedi_round_going(e, g);
        }
    }
    return skedi_i64_max(n - job->least, 0);
}

/* How many tasks of a job may still be taken; INT64_MAX: all. */
static int64_t preempt_left_of_job(const round_state *s, uint32_t job)
{
    const sked_engine *e = s->e;

    if (!s->left || job_at(e, job)->least == 0) return INT64_MAX;
    if (s->left[job] == 0) {
        s->left[job] = preempt_more_than_least(e, job_at(e, job)) + 1;
    }
    return s->left[job] - 1;
}

int64_t skedi_least_left(const round_state *s, uint32_t group)
{
    const sked_engine *e = s->e;

    if (!preempt_counts_for_least(group_at(e, group))) return INT64_MAX;
    return preempt_left_of_job(s, ask_at(e, group_at(e, group)->ask)->job);
}

int64_t skedi_least_of_gang(const round_state *s, uint32_t group)
{
    const sked_engine *e = s->e;
    int64_t run = 0;

    for (uint32_t g = group; g != SKEDI_NONE; g = group_at(e, g)->ask_next) {
        if (!preempt_counts_for_least(group_at(e, g))) continue;
        run += group_at(e, g)->count;
    }
    int64_t left = preempt_left_of_job(s,
                                       ask_at(e, group_at(e, group)->ask)->job);
    return run <= left ? INT64_MAX : 0;
}

void skedi_least_take(round_state *s, uint32_t group, int64_t count)
{
    uint32_t job = ask_at(s->e, group_at(s->e, group)->ask)->job;

    s->taken[group] = (uint32_t)(s->taken[group] + count);
    if (!s->left || s->left[job] == 0) return;
    if (!preempt_counts_for_least(group_at(s->e, group))) return;
    s->left[job] -= count;
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
static int preempt_open_trees(round_state *s)
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
static void preempt_note_paid(round_state *s, uint32_t partition, int by)
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
        preempt_add_wide(e, s->wide, job_at(e, job)->row, amount, by);
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
    if (!s->wide || !s->planned || !s->taken || !preempt_open_trees(s))
        return 0;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds;
        for (uint32_t k = 0; e->rows.wide[row] && k < e->kinds; k++) {
            s->wide[at + k] = e->rows.used[at + k];
        }
    }
    preempt_each_dying(e, s->wide, preempt_narrow_by_dying);
    if (paid) preempt_note_paid(s, SKED_ANY_PARTITION, 1);
    return preempt_open_least(s);
}

void skedi_books_forget_paid(round_part *part)
{
    preempt_note_paid(part->s, part->partition, -1);
}

/* ---- One partition ---- */

/* Takes the tasks of a group that end out of the books of its partition. */
static void preempt_leave_out(const sked_engine *e, void *to, uint32_t group)
{
    round_part *part = to;
    const engine_group *g = group_at(e, group);
    uint32_t row = preempt_group_row(e, group);

    if (node_at(e, g->node)->partition != part->partition) return;
    preempt_round_add_dying(e, group, part->held + (size_t)row * e->kinds, -1);
    if (ask_at(e, g->ask)->flags & SKED_ASK_MASTER) {
        preempt_round_add_dying(e, group,
                                part->masters + (size_t)row * e->kinds, -1);
    }
    if (g->account == SKEDI_NONE) return;
    preempt_round_add_dying(
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
static void preempt_hold_parents(round_part *part)
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

static void preempt_open_leaves(round_part *part)
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
    preempt_open_leaves(part);
    if (accounts > 0) {
        memcpy(part->account_used, e->account_used.at,
               (size_t)accounts * sizeof *part->account_used);
    }
    preempt_each_dying(e, part, preempt_leave_out);
    preempt_hold_parents(part);
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
    preempt_add_wide(e, part->s->wide, leaf, amount, times);
    if (account == SKEDI_NONE) return;
    int64_t *own = part->account_used + (size_t)account * e->kinds;
    for (uint32_t k = 0; k < e->kinds; k++) own[k] += amount[k] * times;
}

int64_t *skedi_books_free(round_part *part, uint32_t node)
{
    const sked_engine *e = part->e;
    int64_t *free = part->free + (size_t)node * e->kinds;

    if (part->known[node]) return free;
    part->known[node] = 1;
    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] = engine_row_of(e, &e->node_free, node)[k] +
                  skedi_reservation_of(e, node, k);
    }
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        preempt_round_add_dying(e, g, free, 1);
    }
    skedi_remains_sum(e, node, free);
    return free;
}

/* Users of the leaf that ask for nothing will, once tasks of theirs end. */
static void preempt_move_coming(round_part *part, uint32_t leaf,
                                uint32_t account, int64_t count)
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
    preempt_move_coming(part, leaf, g->account, count);
    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] += task[k] * times;
        if (a->flags & SKED_ASK_MASTER) {
            part->masters[(size_t)leaf * e->kinds + k] -= task[k] * times;
        }
    }
}

/* What is in the way of a step: the trees of limits, bounds from the lowest up,
 * the node last. */

static int preempt_note_lack(const sked_engine *e, const int64_t *have,
                             const int64_t *bound, const int64_t *more,
                             int64_t *lack)
{
    int any = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (more[k] == 0 || bound[k] == SKED_UNLIMITED) continue;
        int64_t over = have[k] + more[k] - bound[k];
        if (over <= 0) continue;
        lack[k] = skedi_i64_max(lack[k], over);
        any = 1;
    }
    return any;
}

/* The lowest queue on the path whose bounds the step would pass. */
static int preempt_block_of_rows(const round_part *part, const plan_want *want,
                                 plan_block *block)
{
    const sked_engine *e = part->e;
    int64_t more[SKED_MAX_KINDS];

    memcpy(more, want->step, e->kinds * sizeof *more);
    for (uint32_t row = want->leaf;; row = (uint32_t)e->rows.parent[row]) {
        size_t at = (size_t)row * e->kinds;
        size_t cell = cell_of(e, row, part->partition);
        const int64_t *held = part->held + at;
        const int64_t *kept = cell_row(e, e->cell_kept, cell);
        int any = preempt_note_lack(e, held, cell_row(e, e->cell_limit, cell),
                                    more, block->lack);
        /* What runs may be more than what is booked allows for (refusal.c). */
        if (e->lends) {
            any |= preempt_note_lack(e, part->bare + at,
                                     cell_row(e, e->cell_limit, cell),
                                     want->step, block->lack);
        }
        if (e->rows.wide[row]) {
            any |= preempt_note_lack(e, part->s->wide + at,
                                     e->rows.ceiling + at, want->step,
                                     block->lack);
        }
        if (any) {
            block->what = BLOCK_ROW;
            block->row = row;
            return 1;
        }
        if (row == 0) return 0;
        for (uint32_t k = 0; k < e->kinds; k++) {
            more[k] = skedi_i64_max(held[k] + more[k], kept[k]) -
                      skedi_i64_max(held[k], kept[k]);
        }
    }
}

/* The bound of a user moves with what the leaf uses, so it is asked twice: with
 * all that is planned for others, and before any of that has started. */
static int preempt_user_blocks(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    size_t leaf = (size_t)want->leaf * e->kinds;
    size_t account = (size_t)want->account * e->kinds;
    int64_t sure[SKED_MAX_KINDS];

    if (want->account == SKEDI_NONE) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        sure[k] = part->held[leaf + k] - part->leaf_new[leaf + k] +
                  part->account_new[account + k];
    }
    engine_without then = {part->held + leaf, part->account_used + account,
                           part->coming[want->leaf]};
    if (skedi_account_would_fill(e, want->account, &then)) return 1;
    then.used = sure;
    return skedi_account_would_fill(e, want->account, &then);
}

/* Masters hold as much of a leaf as they may, and some do. */
static int preempt_masters_block(const round_part *part, const plan_want *want,
                                 int64_t *lack)
{
    const sked_engine *e = part->e;
    const int64_t *held = part->masters + (size_t)want->leaf * e->kinds;
    int64_t some = 0;
    int any = 0;

    if (!want->master || !e->mastered) return 0;
    if (e->rows.am_share[want->leaf] == SKED_UNLIMITED) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) some |= held[k];
    for (uint32_t k = 0; some && k < e->kinds; k++) {
        int64_t bound = skedi_masters_bound(e, want->leaf, part->partition, k);
        if (want->step[k] == 0 || held[k] + want->step[k] <= bound) continue;
        lack[k] = held[k] + want->step[k] - bound;
        any = 1;
    }
    return any;
}

/* Does a limit of another tree not hold the step beside what is used there and
 * planned? */
static int preempt_tree_blocks(const round_part *part, const plan_want *want)
{
    uint32_t job = ask_at(part->e, want->ask)->job;

    if (want->charged || !part->s->charged) return 0;
    return skedi_trees_bound(part->e, job, want->step, part->s->charged).tree !=
           SKEDI_NONE;
}

plan_block skedi_plan_block(round_part *part, const plan_want *want,
                            uint32_t node)
{
    const sked_engine *e = part->e;
    plan_block block = {BLOCK_NONE, want->leaf, {0}};

    if (preempt_tree_blocks(part, want)) {
        block.what = BLOCK_TREE;
        return block;
    }
    if (preempt_block_of_rows(part, want, &block)) return block;
    if (!want->follows && preempt_user_blocks(part, want)) {
        block.what = BLOCK_USER;
        memcpy(block.lack, want->step, e->kinds * sizeof *block.lack);
        return block;
    }
    if (preempt_masters_block(part, want, block.lack)) {
        block.what = BLOCK_MASTERS;
        return block;
    }
    if (node == SKEDI_NONE) return block;
    const int64_t *free = skedi_books_free(part, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (want->step[k] <= free[k] || want->step[k] == 0) continue;
        block.lack[k] = want->step[k] - free[k];
        block.what = BLOCK_NODE;
        block.row = 0;
    }
    return block;
}

plan_want skedi_plan_want(const round_part *part, uint32_t ask,
                          uint32_t account, uint32_t rule)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t each = extra_of(e, a)->each; /* go to one node together */

    return (plan_want){
        .ask = ask,
        .leaf = job->row,
        .account = account,
        .rule = rule,
        .tasks = each                    ? each
                 : skedi_ask_is_whole(a) ? (uint32_t)a->open
                                         : 1,
        .inner = SKEDI_NONE,
        .priority = job->priority,
        .master = (a->flags & SKED_ASK_MASTER) != 0,
        .step = each ? e->preempt->units + (size_t)a->shape * e->kinds
                     : skedi_shape_part(e, a->shape),
    };
}

void skedi_plan_one(const round_part *part, plan_want *want)
{
    want->tasks = 1;
    want->step = skedi_shape_part(part->e, ask_at(part->e, want->ask)->shape);
}

plan_want skedi_placed_want(const round_part *part,
                            const round_placement *placement)
{
    const sked_engine *e = part->e;
    uint32_t ask = placement->ask;
    uint32_t user = skedi_account_of_ask(e, ask, part->partition);
    plan_want want = skedi_plan_want(part, ask, user, PLAN_CLAIM);

    want.follows = placement->span == 0;
    if (placement->count < extra_of(e, ask_at(e, ask))->each) {
        skedi_plan_one(part, &want);
    }
    return want;
}
