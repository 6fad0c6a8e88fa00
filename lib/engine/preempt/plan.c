/*
 * The plan for one step on one node: its victims. Bounds are asked from the
 * lowest queue up, the node last. Where one is in the way, the cheapest
 * possible victim is taken that holds some of what is lacking there, until
 * nothing is in the way; then needless victims stay after all, the dearest
 * first. What is revocable costs less than anything else, so other tasks end
 * only where that is not enough. In the end all possible victims may be taken,
 * so a plan is found if there is one.
 */
#include "engine/core/groups.h"
#include "engine/preempt/owners.h"
#include "engine/preempt/started.h"

/* ---- Taking and putting back ---- */

static uint32_t leaf_of_class(const round_part *part, uint32_t class)
{
    const victim_classes *classes = &part->e->preempt->classes;

    return victim_class_at(classes, class)->cell / part->e->parts;
}

static const int64_t *task_of_class(const round_part *part, uint32_t class)
{
    const sked_engine *e = part->e;

    return engine_row_of(e, &e->shape_task,
                         victim_class_at(&e->preempt->classes, class)->shape);
}

/* The same of a pick that is one group. */
static void move_group(round_part *part, const plan_pick *pick, int64_t count,
                       uint32_t node)
{
    skedi_least_take(part->s, pick->group, count);
    skedi_books_gone(part, pick->group, count);
    if (pick->marked && part->marks) {
        part->marks[node] = (uint32_t)(part->marks[node] - count);
    }
}

/* So many tasks of a pick go, or (negative) stay after all. */
static void move_pick(round_part *part, plan_pick *pick, int64_t count,
                      uint32_t node)
{
    const sked_engine *e = part->e;
    const int64_t *task = task_of_class(part, pick->class);
    uint32_t leaf = leaf_of_class(part, pick->class);

    pick->count = (uint32_t)(pick->count + count);
    part->live[pick->class] -= count;
    int64_t units = pick->gang ? (count > 0) - (count < 0) : count;
    part->spare[part->rank[pick->class]] -= units;
    part->above[part->rank[pick->class]] -= units;
    if (pick->wide) {
        skedi_unit_move(part, pick, count > 0 ? 1 : -1);
    } else {
        move_group(part, pick, count, node);
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (part->took)
            part->took[(size_t)leaf * e->kinds + k] += task[k] * count;
        if (!pick->marked) part->told[k] += task[k] * count;
    }
}

static void put_back(round_part *part, uint32_t node)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].count)
            move_pick(part, &pick[i], -(int64_t)pick[i].count, node);
    }
}

/* ---- Choosing victims ---- */

/* So many tasks of a pick bring what is lacking; 0: it holds none of it. */
static int64_t tasks_lacking(const round_part *part, const plan_block *block,
                             const plan_pick *pick)
{
    const int64_t *task = task_of_class(part, pick->class);
    int64_t most = 0;

    for (uint32_t k = 0; k < part->e->kinds; k++) {
        if (block->lack[k] <= 0 || task[k] == 0) continue;
        most = skedi_i64_max(most, (block->lack[k] - 1) / task[k] + 1);
    }
    return block->what == BLOCK_USER && most > 0 ? 1 : most;
}

/* Does a pick help against what is in the way? */
static int helps(const round_part *part, const plan_want *want,
                 const plan_block *block, const plan_pick *pick)
{
    const sked_engine *e = part->e;

    switch (block->what) {
    case BLOCK_ROW:
        return row_is_within(e, leaf_of_class(part, pick->class), block->row);
    case BLOCK_USER: return group_at(e, pick->group)->account == want->account;
    case BLOCK_MASTERS:
        return leaf_of_class(part, pick->class) == want->leaf &&
               victim_class_at(&e->preempt->classes, pick->class)->terms &
                   CLASS_MASTER;
    default: return 1;
    }
}

int64_t skedi_times_in_round(const round_part *part, uint32_t class, int marked)
{
    const sked_engine *e = part->e;
    const int64_t *task = task_of_class(part, class);
    uint32_t leaf = leaf_of_class(part, class);
    int64_t times = INT64_MAX;

    if (!part->by->take) return times;
    for (uint32_t k = 0; k < e->kinds; k++) {
        size_t at = (size_t)leaf * e->kinds + k;
        if (task[k] == 0) continue;
        if (part->gave[leaf] && part->excess[at] > 0) {
            int64_t take = skedi_i64_max(part->by->take[at] - part->took[at],
                                         0);
            int64_t more = marked && take % task[k] > 0; /* it was told */
            times = skedi_i64_min(times, take / task[k] + more);
        }
        if (part->spent && !marked) {
            int64_t left = skedi_i64_max(part->by->budget[k] - part->told[k],
                                         0);
            times = skedi_i64_min(times, left / task[k]);
        }
    }
    return times;
}

/* How many tasks of a pick are to go next; 0: none. `any`: what is not surplus
 * too. */
static int64_t next_tasks(const round_part *part, const plan_want *want,
                          const plan_block *block, const plan_pick *pick,
                          int any)
{
    int64_t least = pick->wide ? skedi_least_of_gang(part->s, pick->group)
                               : skedi_least_left(part->s, pick->group);
    int64_t left = skedi_i64_min((int64_t)pick->most - pick->count, least);
    int64_t spare = any ? INT64_MAX : skedi_spare_for(part, want, pick->class);

    if (left <= 0 || spare <= 0 || !helps(part, want, block, pick)) return 0;
    int64_t n = tasks_lacking(part, block, pick);
    int64_t fits = skedi_times_in_round(part, pick->class, pick->marked);
    if (pick->gang) {
        int whole = n > 0 && fits >= pick->most && left >= pick->most;
        return whole ? (int64_t)pick->most : 0;
    }
    return skedi_i64_min(skedi_i64_min(n, left), skedi_i64_min(spare, fits));
}

/* What all that is taken costs. Revocable tasks count for nothing beside others
 * that are not under notice yet. */
static int64_t cost_of_picks(const round_part *part)
{
    const round_list *picks = &part->e->preempt->picks;
    const plan_pick *pick = picks->item;
    int64_t cost[2] = {0, 0};
    int last = 0;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].count == 0) continue;
        cost[pick[i].last] += pick[i].wide ? pick[i].cost
                                           : pick[i].cost * pick[i].count;
        last |= pick[i].last && !pick[i].marked;
    }
    return skedi_cost_beside(part->revocable, last, cost[last]);
}

/* Takes tasks until nothing is in the way. `any`: what is not surplus too. 0:
 * it cannot. */
static int take_some(round_part *part, const plan_want *want, uint32_t node,
                     int any)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (;;) {
        plan_block block = skedi_plan_block(part, want, node);
        int64_t n = 0;
        size_t i = 0;
        if (block.what == BLOCK_NONE) return 1;
        for (; i < picks->n && n == 0; i += n == 0) {
            n = next_tasks(part, want, &block, &pick[i], any);
        }
        if (n == 0) return 0;
        move_pick(part, &pick[i], n, node);
    }
}

/* Those that can be spared stay, the dearest first. */
static void spare_some(round_part *part, const plan_want *want, uint32_t node)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (size_t i = picks->n; i-- > 0;) {
        while (pick[i].count > 0) {
            int64_t n = pick[i].gang ? (int64_t)pick[i].count : 1;
            move_pick(part, &pick[i], -n, node);
            if (skedi_plan_block(part, want, node).what != BLOCK_NONE) {
                move_pick(part, &pick[i], n, node);
                break;
            }
        }
    }
}

static int note_best_picks(round_part *part)
{
    struct engine_preempt *own = part->e->preempt;
    const plan_pick *pick = own->picks.item;

    own->best.n = 0;
    for (size_t i = 0; i < own->picks.n; i++) {
        if (pick[i].count == 0) continue;
        plan_pick *to = skedi_round_push(part->e, &own->best, sizeof *to);
        if (!to) return 0;
        *to = pick[i];
    }
    return 1;
}

int64_t skedi_plan_on(round_part *part, const plan_want *want, uint32_t node,
                      int64_t below)
{
    round_list *picks = &part->e->preempt->picks;
    int64_t found = -1;

    if (!skedi_list_picks(part, want, node)) return -3;
    int ok = take_some(part, want, node, 0);
    if (ok == 0 && want->rule == PLAN_PRIORITY) {
        ok = take_some(part, want, node, 1);
    }
    if (ok == 1) {
        spare_some(part, want, node);
        if (want->rule != PLAN_PRIORITY || skedi_protects(part, want, picks)) {
            int64_t cost = cost_of_picks(part);
            found = cost < below ? cost : -2;
        }
    }
    if (found >= 0 && !note_best_picks(part)) found = -3;
    put_back(part, node);
    return found;
}

/* ---- Going by a plan ---- */

static int32_t reason_for_pick(const plan_want *want, const round_part *part,
                               const plan_pick *pick)
{
    uint32_t leaf = leaf_of_class(part, pick->class);

    if (want->rule == PLAN_USER) return SKED_REASON_PREEMPTED_USER;
    if (want->rule == PLAN_PRIORITY) return SKED_REASON_PREEMPTED_PRIORITY;
    int inward = want->inner != SKEDI_NONE && want->inner > 0;
    return inward && row_is_within(part->e, leaf, want->inner)
               ? SKED_REASON_PREEMPTED_LIMIT
               : SKED_REASON_PREEMPTED;
}

void skedi_plan_book(round_part *part, const plan_want *want, int64_t by)
{
    uint32_t kinds = part->e->kinds;
    size_t leaf = (size_t)want->leaf * kinds,
           account = (size_t)want->account * kinds;

    skedi_books_plan(part, want->leaf, want->account, want->step, by);
    skedi_books_plan_trees(part->s, ask_at(part->e, want->ask)->job, want->step,
                           by);
    for (uint32_t k = 0; k < kinds; k++) {
        int64_t amount = want->step[k] * by;
        part->leaf_new[leaf + k] += amount;
        if (want->account != SKEDI_NONE)
            part->account_new[account + k] += amount;
        if (want->master) part->masters[leaf + k] += amount;
    }
}

void skedi_plan_move(round_part *part, const plan_want *want, uint32_t node,
                     int64_t by)
{
    int64_t *free = skedi_books_free(part, node);

    skedi_plan_book(part, want, by);
    for (uint32_t k = 0; k < part->e->kinds; k++) free[k] -= want->step[k] * by;
    part->s->planned[want->ask] += want->tasks * by;
}

void skedi_plan_turned(round_part *part, const plan_want *want)
{
    uint32_t kinds = part->e->kinds;
    size_t leaf = (size_t)want->leaf * kinds,
           account = (size_t)want->account * kinds;

    for (uint32_t k = 0; k < kinds; k++) {
        part->leaf_turn[leaf + k] += want->step[k];
        if (want->account != SKEDI_NONE)
            part->account_turn[account + k] += want->step[k];
    }
}

void skedi_plan_turn(round_part *part, const plan_want *want, uint32_t node)
{
    skedi_plan_move(part, want, node, 1);
    skedi_plan_turned(part, want);
}

void skedi_plan_undo(round_part *part, const round_placement *placed)
{
    const sked_engine *e = part->e;
    const round_victim *v = e->preempt->victims.item;

    for (uint32_t i = 0; i < placed->victims; i++) {
        const round_victim *one = &v[placed->first + i];
        uint32_t class = skedi_victim_class_of(&e->preempt->classes,
                                               one->group);
        const victim_class *of = victim_class_at(&e->preempt->classes, class);
        if (one->span == 0) continue;
        plan_pick pick = {.group = one->group,
                          .class = class,
                          .gang = skedi_victim_class_is_gang(e, of) != 0,
                          .marked = one->noticed != 0,
                          .wide = of->gang != 0};
        for (uint32_t j = 0; j < one->span; j++) {
            pick.count += (uint32_t)skedi_group_times(group_at(e, one[j].group),
                                                      one[j].count);
        }
        move_pick(part, &pick, -(int64_t)pick.count, placed->node);
        part->gave[leaf_of_class(part, class)]--;
        part->spent -= !pick.marked;
    }
}

void skedi_plan_gone(round_part *part, uint32_t node)
{
    round_list *best = &part->e->preempt->best;
    plan_pick *pick = best->item;

    for (size_t i = 0; i < best->n; i++) {
        int64_t count = pick[i].count;
        pick[i].count = 0;
        move_pick(part, &pick[i], count, node);
        if (!part->gave) continue;
        part->gave[leaf_of_class(part, pick[i].class)]++;
        part->spent += !pick[i].marked;
    }
}

/* What victims leave a row beyond what their step takes there stays booked.
 * Where rounds only observe and reserve nothing, the step counts in rows off
 * its path too. */
static void hold_row(round_part *part, const plan_want *want, uint32_t row)
{
    const sked_engine *e = part->e;
    const round_list *best = &e->preempt->best;
    const plan_pick *pick = best->item;
    int on_path = e->preempt->watches || row_is_within(e, want->leaf, row);
    int64_t more[SKED_MAX_KINDS] = {0};

    for (size_t i = 0; i < best->n; i++) {
        const int64_t *task = task_of_class(part, pick[i].class);
        if (!row_is_within(e, leaf_of_class(part, pick[i].class), row))
            continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            more[k] += task[k] * pick[i].count;
        }
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t takes = on_path ? want->step[k] : 0;
        more[k] = skedi_i64_max(more[k] - takes, 0);
    }
    skedi_books_hold(part, row, more);
}

/* Is a row above a victim before this one? */
static int row_was_held(const round_part *part, size_t n, uint32_t row)
{
    const plan_pick *pick = part->e->preempt->best.item;

    for (size_t i = 0; i < n; i++) {
        if (row_is_within(part->e, leaf_of_class(part, pick[i].class), row)) {
            return 1;
        }
    }
    return 0;
}

/* In lazy rounds a victim may run on: what victims leave beyond the need of
 * their step, on the node and in queues, is not there for others. */
static void hold_excess(round_part *part, const plan_want *want, uint32_t node)
{
    const sked_engine *e = part->e;
    const round_list *best = &e->preempt->best;
    const plan_pick *pick = best->item;
    int64_t *free = skedi_books_free(part, node);

    for (uint32_t k = 0; best->n > 0 && k < e->kinds; k++) {
        int64_t sum = 0;
        for (size_t i = 0; i < best->n; i++) {
            sum += task_of_class(part, pick[i].class)[k] * pick[i].count;
        }
        free[k] -= skedi_i64_max(sum - want->step[k], 0);
    }
    for (size_t i = 0; i < best->n; i++) {
        uint32_t row = leaf_of_class(part, pick[i].class);
        while (!row_was_held(part, i, row)) {
            hold_row(part, want, row);
            if (row == 0) break;
            row = (uint32_t)e->rows.parent[row];
        }
    }
}

/* Notes the victims of a pick: of a gang over nodes all its groups. 0: no
 * memory. */
static int note_victims(round_part *part, const plan_want *want,
                        const plan_pick *pick)
{
    sked_engine *e = part->e;
    uint32_t g = pick->group, span = 1;

    part->freed += pick->wide;
    for (uint32_t i = g; pick->wide && i != SKEDI_NONE;
         i = group_at(e, i)->ask_next) {
        span += i != g;
    }
    for (uint32_t left = span; left > 0; left--) {
        round_victim *v = skedi_round_push(e, &e->preempt->victims, sizeof *v);
        if (!v) return 0;
        *v = (round_victim){.group = g,
                            .count = pick->wide ? group_at(e, g)->count
                                                : pick->count,
                            .reason = reason_for_pick(want, part, pick),
                            .rule = want->rule,
                            .noticed = pick->marked,
                            .span = left == span ? span : 0};
        if (pick->wide) skedi_node_fix(part, group_at(e, g)->node);
        g = group_at(e, g)->ask_next;
    }
    return 1;
}

int skedi_plan_take(round_part *part, const plan_want *want, uint32_t node)
{
    sked_engine *e = part->e;
    struct engine_preempt *own = e->preempt;
    const plan_pick *pick = own->best.item;
    round_placement *placed = skedi_round_push(e, &own->placements,
                                               sizeof *placed);

    if (!placed) return 0;
    *placed = (round_placement){
        .ask = want->ask,
        .node = node,
        .count = want->tasks,
        .first = (uint32_t)own->victims.n,
        .span = 1,
        .waits = (uint32_t)skedi_started_waits(part, want)};
    for (size_t i = 0; i < own->best.n; i++) {
        if (!note_victims(part, want, &pick[i])) return 0;
    }
    placed->victims = (uint32_t)own->victims.n - placed->first;
    /* What they leave over is there for the steps that are planned next. */
    if (placed->victims > 0) skedi_node_fix(part, node);
    skedi_plan_gone(part, node);
    skedi_plan_move(part, want, node, 1);
    if (own->lazy) hold_excess(part, want, node);
    return 1;
}
