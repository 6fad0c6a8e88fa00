/*
 * The plan for one step: its node and its victims. A step is one task or a
 * whole gang.
 *
 * The search tries nodes without victims first, then nodes in the order of a
 * lower bound of their cost. The search ends as soon as no node can be cheaper.
 * On a node, the bounds are checked from the leaf up, the node last. While a
 * bound blocks the step, the plan takes the cheapest possible victim that holds
 * a lacking amount. The plan then drops needless victims, the most expensive
 * first.
 *
 * Invariant: with the victims of a plan gone, every bound allows the step.
 */
#include <string.h>

#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/exclusion.h"
#include "engine/filter.h"
#include "engine/gang.h"
#include "engine/preempt.h"
#include "engine/reservation.h"
#include "engine/work.h"

/*
 * The possible victims of a step on a node: groups that its rule allows, the
 * cheapest first.
 */

/* True unless the ask is revocable and the class is not. A revocable ask does
 * not preempt other work of its leaf. */
static int preempt_is_no_less_revocable(const sked_engine *e,
                                        const victim_class *class, uint32_t ask)
{
    uint32_t own = skedi_victim_terms(e, ask_at(e, ask));

    return !(own & CLASS_REVOCABLE & ~class->terms);
}

/* True if the rule of a step allows tasks of a class as victims. The caller
 * checks the surplus. */
static int preempt_victim_class_may_go(const round_part *part,
                                       const plan_want *want,
                                       const victim_class *class)
{
    const sked_engine *e = part->e;
    uint32_t row = class->cell / e->parts;

    if (class->cell % e->parts != part->partition) return 0;
    switch (want->rule) {
    case PLAN_CLAIM:
        return row != want->leaf && part->by->reasons[row] & ROUND_GIVING;
    case PLAN_USER:
        return row == want->leaf && part->allowed[row] &&
               class->account != want->account;
    default:
        return row == want->leaf && part->allowed[row] &&
               class->priority < want->priority &&
               preempt_is_no_less_revocable(e, class, want->ask) &&
               (!part->account_keep || class->account == want->account);
    }
}

/* Returns the cost of one task of a group, on the scale of the round
 * (skedi_cost_beside). */
static int64_t preempt_next_cost(const round_part *part, uint32_t class,
                                 uint32_t group)
{
    victim_class *of = victim_class_at(&part->e->preempt->classes, class);
    int last = !(of->terms & CLASS_REVOCABLE);

    return skedi_cost_beside(part->revocable, last,
                             skedi_victim_class_cost(part->e, of, group));
}

/* Returns how many tasks of a group may be victims of a step. */
static uint32_t preempt_tasks_that_may(const round_part *part, uint32_t group)
{
    const sked_engine *e = part->e;
    uint32_t gone = skedi_round_going(e, group) + part->s->taken[group];
    uint32_t count = group_at(e, group)->count;

    return count - (gone < count ? gone : count);
}

static int preempt_add_pick(round_part *part, plan_pick pick)
{
    plan_pick *to = skedi_round_push(part->e, &part->e->preempt->picks,
                                     sizeof *to);

    if (to) *to = pick;
    return to != NULL;
}

/* Adds a gang over nodes once, even if many of its groups are on the node. */
static int preempt_add_unit(round_part *part, uint32_t class)
{
    const round_list *picks = &part->e->preempt->picks;
    const plan_pick *pick = picks->item;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].class == class) return 1;
    }
    return part->live[class] == 0 ||
           preempt_add_pick(part, skedi_unit_pick(part, class));
}

/* Adds the picks of a group. Tasks under notice cost nothing more, and get a
 * pick of their own. */
static int preempt_add_group(round_part *part, uint32_t group)
{
    sked_engine *e = part->e;
    victim_classes *classes = &e->preempt->classes;
    if (victim_class_at(classes, skedi_victim_class_of(classes, group))->gang) {
        return preempt_add_unit(part, skedi_victim_class_of(classes, group));
    }
    uint32_t most = preempt_tasks_that_may(part, group), marked = 0;

    if (most == 0) return 1;
    plan_pick pick = {.group = group,
                      .class = skedi_victim_class_of(classes, group)};
    victim_class *class = victim_class_at(classes, pick.class);
    pick.gang = skedi_victim_class_is_gang(e, class) != 0;
    pick.last = !(class->terms & CLASS_REVOCABLE);
    if (skedi_round_marks(e) > 0) {
        uint32_t said = sked_round_mark_count(e->preempt->round,
                                              skedi_group_name(e, group));
        uint32_t gone = part->s->taken[group];
        uint32_t left = said - (said < gone ? said : gone);
        marked = left < most ? left : most;
        if (pick.gang && marked > 0) marked = most;
    }
    pick.most = marked;
    pick.marked = 1;
    if (marked > 0 && !preempt_add_pick(part, pick)) return 0;
    pick.most = most - marked;
    pick.marked = 0;
    pick.cost = skedi_victim_class_cost(e, class, group);
    return pick.most == 0 || preempt_add_pick(part, pick);
}

static int preempt_sort_reserve(sked_engine *e)
{
    struct engine_preempt *own = e->preempt;
    skedi_mem *mem = &e->hooks.mem;
    size_t n = own->picks.n;

    return skedi_ensure(mem, &own->keyed.item, &own->keyed.cap, 2 * n,
                        sizeof(skedi_keyed)) &&
           skedi_ensure(mem, &own->sorted.item, &own->sorted.cap, n,
                        sizeof(plan_pick));
}

/* Sorts the picks: tasks under notice first, then revocable tasks, then by
 * cost. Among equals, the newest group of the node comes first. */
static int preempt_sort_picks(round_part *part)
{
    struct engine_preempt *own = part->e->preempt;
    size_t n = own->picks.n;

    if (n == 0) return 1;
    if (!preempt_sort_reserve(part->e)) return 0;
    skedi_keyed *order = own->keyed.item;
    const plan_pick *pick = own->picks.item;
    plan_pick *to = own->sorted.item;
    for (size_t i = 0; i < n; i++) {
        int last = pick[i].last && !pick[i].marked;
        int64_t cost = skedi_cost_beside(part->revocable, last, pick[i].cost);
        order[i] = (skedi_keyed){(uint64_t)cost << 1 | !pick[i].marked,
                                 (uint32_t)i, 0};
    }
    skedi_sort_keys(order, order + n, n);
    for (size_t i = 0; i < n; i++) to[i] = pick[order[i].index];
    round_list held = own->picks;
    own->picks = own->sorted;
    own->picks.n = n;
    own->sorted = held;
    return 1;
}

/* Lists the possible victims of a step on a node, the cheapest first. 0: no
 * memory. */
static int preempt_list_picks(round_part *part, const plan_want *want,
                              uint32_t node)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;

    e->preempt->picks.n = 0;
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (!classes->place[g].class) continue;
        if (!preempt_victim_class_may_go(
                part, want,
                victim_class_at(classes, skedi_victim_class_of(classes, g))))
            continue;
        if (!preempt_add_group(part, g)) return 0;
    }
    return preempt_sort_picks(part);
}

/*
 * The victims of one step on one node.
 *   1. skedi_plan_block() finds the first bound that blocks the step: queues
 *      from the lowest up, the node last.
 *   2. The plan takes the cheapest possible victim that holds a lacking amount.
 *   3. Both steps repeat until no bound blocks the step.
 *   4. Needless victims are put back, the most expensive first.
 * Revocable tasks cost less than all other tasks. Other tasks end only if
 * revocable tasks do not suffice. The plan may take all possible victims, so a
 * plan is found if any plan exists.
 */

/* ---- Taking and putting back ---- */

static uint32_t preempt_leaf_of_class(const round_part *part, uint32_t class)
{
    const victim_classes *classes = &part->e->preempt->classes;

    return victim_class_at(classes, class)->cell / part->e->parts;
}

static const int64_t *preempt_task_of_class(const round_part *part,
                                            uint32_t class)
{
    const sked_engine *e = part->e;

    return engine_row_of(e, &e->shape_task,
                         victim_class_at(&e->preempt->classes, class)->shape);
}

/* Updates the round for a pick that is one group. */
static void preempt_move_group(round_part *part, const plan_pick *pick,
                               int64_t count, uint32_t node)
{
    skedi_least_take(part->s, pick->group, count);
    skedi_books_gone(part, pick->group, count);
    if (pick->marked && part->marks) {
        part->marks[node] = (uint32_t)(part->marks[node] - count);
    }
}

/* Takes `count` tasks of a pick, or puts back -`count` tasks. */
static void preempt_move_pick(round_part *part, plan_pick *pick, int64_t count,
                              uint32_t node)
{
    const sked_engine *e = part->e;
    const int64_t *task = preempt_task_of_class(part, pick->class);
    uint32_t leaf = preempt_leaf_of_class(part, pick->class);

    pick->count = (uint32_t)(pick->count + count);
    part->live[pick->class] -= count;
    int64_t units = pick->gang ? (count > 0) - (count < 0) : count;
    part->spare[part->rank[pick->class]] -= units;
    part->above[part->rank[pick->class]] -= units;
    if (pick->wide) {
        skedi_unit_move(part, pick, count > 0 ? 1 : -1);
    } else {
        preempt_move_group(part, pick, count, node);
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (part->took)
            part->took[(size_t)leaf * e->kinds + k] += task[k] * count;
        if (!pick->marked) part->told[k] += task[k] * count;
    }
}

static void preempt_put_back(round_part *part, uint32_t node)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].count)
            preempt_move_pick(part, &pick[i], -(int64_t)pick[i].count, node);
    }
}

/* ---- Choosing victims ---- */

/* Returns how many tasks of a pick cover the lacking amounts, or 0 if a task
 * holds no lacking kind. For the bound of a user, the result is at most 1. */
static int64_t preempt_tasks_lacking(const round_part *part,
                                     const plan_block *block,
                                     const plan_pick *pick)
{
    const int64_t *task = preempt_task_of_class(part, pick->class);
    int64_t most = 0;

    for (uint32_t k = 0; k < part->e->kinds; k++) {
        if (block->lack[k] <= 0 || task[k] == 0) continue;
        most = skedi_i64_max(most, (block->lack[k] - 1) / task[k] + 1);
    }
    return block->what == BLOCK_USER && most > 0 ? 1 : most;
}

/* True if the end of a pick lowers the usage under the blocking bound. */
static int preempt_helps(const round_part *part, const plan_want *want,
                         const plan_block *block, const plan_pick *pick)
{
    const sked_engine *e = part->e;

    switch (block->what) {
    case BLOCK_ROW:
        return row_is_within(e, preempt_leaf_of_class(part, pick->class),
                             block->row);
    case BLOCK_USER: return group_at(e, pick->group)->account == want->account;
    case BLOCK_MASTERS:
        return preempt_leaf_of_class(part, pick->class) == want->leaf &&
               victim_class_at(&e->preempt->classes, pick->class)->terms &
                   CLASS_MASTER;
    default: return 1;
    }
}

/* Returns how many tasks of a class the limits of the round still allow. The
 * first plan that takes from a queue ignores the limit of the queue. The first
 * plan that takes tasks without notice ignores the budget of the round. All
 * steps of a gang over nodes are one plan. */
static int64_t preempt_times_in_round(const round_part *part, uint32_t class,
                                      int marked)
{
    const sked_engine *e = part->e;
    const int64_t *task = preempt_task_of_class(part, class);
    uint32_t leaf = preempt_leaf_of_class(part, class);
    int64_t times = INT64_MAX;

    if (!part->by->take) return times;
    for (uint32_t k = 0; k < e->kinds; k++) {
        size_t at = (size_t)leaf * e->kinds + k;
        if (task[k] == 0) continue;
        if (part->gave[leaf] && part->gave_to[leaf] != part->plan &&
            part->excess[at] > 0) {
            int64_t take = skedi_i64_max(part->by->take[at] - part->took[at],
                                         0);
            int64_t more = marked && take % task[k] > 0; /* under notice */
            times = skedi_i64_min(times, take / task[k] + more);
        }
        if (part->spent && part->spent_on != part->plan && !marked) {
            int64_t left = skedi_i64_max(part->by->budget[k] - part->told[k],
                                         0);
            times = skedi_i64_min(times, left / task[k]);
        }
    }
    return times;
}

/* Returns how many tasks of a pick to take next; 0: none. If `any` is set,
 * protected tasks may be taken too. */
static int64_t preempt_next_tasks(const round_part *part, const plan_want *want,
                                  const plan_block *block,
                                  const plan_pick *pick, int any)
{
    int64_t least = pick->wide ? skedi_least_of_gang(part->s, pick->group)
                               : skedi_least_left(part->s, pick->group);
    int64_t left = skedi_i64_min((int64_t)pick->most - pick->count, least);
    int64_t spare = any ? INT64_MAX : skedi_spare_for(part, want, pick->class);

    if (left <= 0 || spare <= 0 || !preempt_helps(part, want, block, pick))
        return 0;
    int64_t n = preempt_tasks_lacking(part, block, pick);
    int64_t fits = preempt_times_in_round(part, pick->class, pick->marked);
    if (pick->gang) {
        int whole = n > 0 && fits >= pick->most && left >= pick->most;
        return whole ? (int64_t)pick->most : 0;
    }
    return skedi_i64_min(skedi_i64_min(n, left), skedi_i64_min(spare, fits));
}

/* Returns the cost of all taken tasks. Revocable tasks count 0 if the plan also
 * takes other tasks that are not under notice yet. */
static int64_t preempt_cost_of_picks(const round_part *part)
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

/* Takes tasks until no bound blocks the step. If `any` is set, protected tasks
 * may be taken too. 0: a bound still blocks the step. */
static int preempt_take_some(round_part *part, const plan_want *want,
                             uint32_t node, int any)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (;;) {
        plan_block block = skedi_plan_block(part, want, node);
        int64_t n = 0;
        size_t i = 0;
        if (block.what == BLOCK_NONE) return 1;
        for (; i < picks->n && n == 0; i += n == 0) {
            n = preempt_next_tasks(part, want, &block, &pick[i], any);
        }
        if (n == 0) return 0;
        preempt_move_pick(part, &pick[i], n, node);
    }
}

/* Puts back victims that the step does not need, the most expensive first. */
static void preempt_spare_some(round_part *part, const plan_want *want,
                               uint32_t node)
{
    round_list *picks = &part->e->preempt->picks;
    plan_pick *pick = picks->item;

    for (size_t i = picks->n; i-- > 0;) {
        while (pick[i].count > 0) {
            int64_t n = pick[i].gang ? (int64_t)pick[i].count : 1;
            preempt_move_pick(part, &pick[i], -n, node);
            if (skedi_plan_block(part, want, node).what != BLOCK_NONE) {
                preempt_move_pick(part, &pick[i], n, node);
                break;
            }
        }
    }
}

static int preempt_note_best_picks(round_part *part)
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

    if (!preempt_list_picks(part, want, node)) return -3;
    int ok = preempt_take_some(part, want, node, 0);
    if (ok == 0 && want->rule == PLAN_PRIORITY) {
        ok = preempt_take_some(part, want, node, 1);
    }
    if (ok == 1) {
        preempt_spare_some(part, want, node);
        if (want->rule != PLAN_PRIORITY || skedi_protects(part, want, picks)) {
            int64_t cost = preempt_cost_of_picks(part);
            found = cost < below ? cost : -2;
        }
    }
    if (found >= 0 && !preempt_note_best_picks(part)) found = -3;
    preempt_put_back(part, node);
    return found;
}

/* ---- Applying a plan ---- */

static int32_t preempt_reason_for_pick(const plan_want *want,
                                       const round_part *part,
                                       const plan_pick *pick)
{
    uint32_t leaf = preempt_leaf_of_class(part, pick->class);

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
        preempt_move_pick(part, &pick, -(int64_t)pick.count, placed->node);
        part->gave[preempt_leaf_of_class(part, class)]--;
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
        preempt_move_pick(part, &pick[i], count, node);
        if (!part->gave) continue;
        uint32_t leaf = preempt_leaf_of_class(part, pick[i].class);
        if (!part->gave[leaf]++) part->gave_to[leaf] = part->plan;
        if (pick[i].marked) continue;
        if (!part->spent++) part->spent_on = part->plan;
    }
}

/* Adds the victims of a pick to the list of the round. A gang over nodes adds
 * all its groups. 0: no memory. */
static int preempt_note_victims(round_part *part, const plan_want *want,
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
                            .reason = preempt_reason_for_pick(want, part, pick),
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
        if (!preempt_note_victims(part, want, &pick[i])) return 0;
    }
    placed->victims = (uint32_t)own->victims.n - placed->first;
    /* The victims may free more than the step needs, for later steps. */
    if (placed->victims > 0) skedi_node_fix(part, node);
    skedi_plan_gone(part, node);
    skedi_plan_move(part, want, node, 1);
    part->plan += !want->follows;
    return 1;
}

/* Largest free amounts of blocks of nodes. A block is VACANT_NODES successive
 * node numbers, of any partitions. */

void skedi_vacant_free(engine_vacant *v, skedi_mem *mem, uint32_t kinds)
{
    skedi_free(mem, v->most, v->blocks * kinds, sizeof *v->most);
    skedi_free(mem, v->moved, v->blocks, 1);
    *v = (engine_vacant){0};
}

/* Reserves memory for the blocks of all nodes. If blocks are added, all blocks
 * are counted again. 0: no memory. */
static int preempt_vacant_reserve(sked_engine *e)
{
    size_t blocks = (e->nodes.cap + VACANT_NODES - 1) / VACANT_NODES;

    engine_vacant *v = &e->preempt->vacant;

    if (blocks <= v->blocks) return 1;
    skedi_vacant_free(v, &e->hooks.mem, e->kinds);
    v->most = skedi_new(&e->hooks.mem, blocks * e->kinds, sizeof *v->most);
    v->moved = skedi_new(&e->hooks.mem, blocks, 1);
    v->blocks = blocks;
    if (v->most && v->moved) {
        memset(v->moved, 1, blocks);
        return 1;
    }
    skedi_vacant_free(v, &e->hooks.mem, e->kinds);
    return 0;
}

static void preempt_count_block(const sked_engine *e, size_t block,
                                int64_t *most)
{
    size_t from = block * VACANT_NODES, to = from + VACANT_NODES;

    if (to > e->nodes.n) to = e->nodes.n;
    for (uint32_t k = 0; k < e->kinds; k++) most[k] = INT64_MIN;
    for (size_t node = from; node < to; node++) {
        const int64_t *free = engine_row_of(e, &e->node_free, node);
        for (uint32_t k = 0; k < e->kinds; k++) {
            most[k] = skedi_i64_max(most[k], free[k]);
        }
    }
}

int skedi_vacant_ready(sked_engine *e)
{
    engine_vacant *v = &e->preempt->vacant;

    if (!preempt_vacant_reserve(e)) return 0;
    for (size_t b = 0; b < v->blocks; b++) {
        if (!v->moved[b]) continue;
        preempt_count_block(e, b, v->most + b * e->kinds);
        v->moved[b] = 0;
    }
    return 1;
}

/* True if `amount` may fit on a node of a block that is ready. False is exact:
 * no node of the block has enough free. */
static int preempt_vacant_may(const sked_engine *e, size_t block,
                              const int64_t *amount)
{
    return skedi_amounts_fit(e, amount,
                             e->preempt->vacant.most + block * e->kinds);
}

/*
 * The search for the node of a step. A node without victims is taken first.
 * Otherwise nodes are tried in the order of a lower bound of the plan's cost:
 *   - a plan costs at least as much as the cheapest victim on the node;
 *   - after a try, a plan for an identical step costs no less than before.
 * The search ends when the best plan costs no more than the next bound. A
 * victim class is a list, and the search reads the list from the cheapest
 * victim on (preempt.h). Expensive victims are read only if needed.
 */

/* True if the rule, the places and the exclusions of an ask allow a node. */
static int preempt_lets_in(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->places == SKEDI_NONE &&
        extra_of(e, a)->refusals == SKEDI_NONE) {
        return skedi_shape_takes(e, a->shape, node);
    }
    return skedi_place_allows(e, ask, node);
}

static int preempt_takes_work(const round_part *part, uint32_t node)
{
    const engine_node *n = node_at(part->e, node);

    return n->state == NODE_OPEN && n->partition == part->partition;
}

/* ---- Nodes with earlier decisions ---- */

static void preempt_fix_group(round_part *part, uint64_t name)
{
    uint32_t group = skedi_group_find(part->e, name);

    if (group != SKEDI_NONE) {
        skedi_node_fix(part, group_at(part->e, group)->node);
    }
}

/* Lists the nodes of released tasks. The amounts of these tasks will be free.
 */
static void preempt_fix_remains(round_part *part)
{
    const engine_remains *remains = part->e->remains.item;

    for (uint32_t i = 0; i < part->e->remains.n; i++) {
        if (remains[i].group) skedi_node_fix(part, remains[i].node);
    }
}

int skedi_search_fixed(round_part *part)
{
    sked_engine *e = part->e;
    size_t n = skedi_round_marks(e);
    sked_round_mark *marks = skedi_round_reserve(e, n, sizeof *marks);
    const engine_notice *notice = e->notices.item;

    part->fixed = skedi_round_reserve(e, e->nodes.n, sizeof *part->fixed);
    part->marks = skedi_round_reserve(e, e->nodes.n, sizeof *part->marks);
    part->listed = skedi_round_reserve(e, e->nodes.n, 1);
    if (!marks || !part->listed || !part->fixed || !part->marks) return 0;
    (void)!sked_round_marks(e->preempt->round, marks, n, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t group = skedi_group_find(e, marks[i].key);
        preempt_fix_group(part, marks[i].key);
        if (group == SKEDI_NONE) continue;
        part->marks[group_at(e, group)->node] += marks[i].count;
    }
    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = skedi_group_find(e, notice[i].group);
        if (g == SKEDI_NONE || !skedi_round_going(e, g)) continue;
        preempt_fix_group(part, notice[i].group);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        skedi_node_fix(part, reservation_at(e, i)->node);
    }
    for (uint32_t g = skedi_group_next_doomed(e, SKEDI_NONE); g != SKEDI_NONE;
         g = skedi_group_next_doomed(e, g)) {
        skedi_node_fix(part, group_at(e, g)->node);
    }
    preempt_fix_remains(part);
    return 1;
}

/* ---- Start of a search ---- */

/* True if victims of a queue can help: no queue's bound blocks the step, or the
 * queue is within the blocked queue. */
static int preempt_is_inside(const sked_engine *e, const plan_want *want,
                             uint32_t row)
{
    return want->inner == SKEDI_NONE || row_is_within(e, row, want->inner);
}

/* True if a class has possible victims left, within the limits of the round. */
static int preempt_has_more(const plan_search *s, uint32_t class)
{
    const round_part *part = s->part;

    return (s->want.rule == PLAN_PRIORITY ||
            skedi_spare_for(part, &s->want, class) > 0) &&
           preempt_times_in_round(part, class, 0) > 0;
}

/* Puts the classes with possible victims into a heap, by the cost of the next
 * victim of each class. 0: no memory. */
static int preempt_heap_classes(plan_search *s)
{
    sked_engine *e = s->part->e;
    victim_classes *classes = &e->preempt->classes;
    skedi_heap *heap = &e->preempt->heap;

    if (!s->next_class) {
        s->next_class = skedi_round_reserve(e, classes->pool.n,
                                            sizeof *s->next_class);
        s->seen = skedi_round_reserve(e, e->nodes.n, sizeof *s->seen);
    }
    if (!s->next_class || !s->seen ||
        !skedi_heap_reserve(heap, classes->pool.n, &e->hooks.mem) ||
        !skedi_heap_reserve(&e->preempt->nodes, e->nodes.n, &e->hooks.mem)) {
        return 0;
    }
    skedi_heap_clear(heap);
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        victim_class *class = victim_class_at(classes, i);
        if (!class->name ||
            !preempt_victim_class_may_go(s->part, &s->want, class))
            continue;
        if (!preempt_is_inside(e, &s->want, class->cell / e->parts)) continue;
        if (!preempt_has_more(s, i)) continue;
        s->next_class[i] = class->last;
        skedi_heap_set(heap, i,
                       (uint64_t)preempt_next_cost(s->part, i, class->last));
    }
    return 1;
}

/* Adds a node to the heap of nodes to try, unless this search has seen the node
 * already. `least` is a lower bound of the plan's cost. */
static void preempt_see_node(plan_search *s, uint32_t node, int64_t least)
{
    if (s->seen[node] == s->turn || !preempt_takes_work(s->part, node)) return;
    s->seen[node] = s->turn;
    skedi_heap_set(&s->part->e->preempt->nodes, node, (uint64_t)least);
}

/* Adds the nodes that a strict ask lists. */
static void preempt_see_places(plan_search *s)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);

    for (uint32_t i = extra_of(e, a)->places; i != SKEDI_NONE;
         i = place_at(e, i)->next) {
        uint32_t node = skedi_keymap_get(&e->node_of, place_at(e, i)->key);
        if (node != SKEDI_NONE) preempt_see_node(s, node, 0);
    }
}

/* True if the ask runs on its listed nodes only. An ask with racks does not. */
static int preempt_is_strict(const plan_search *s)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);
    uint32_t p = extra_of(e, a)->places;

    while (p != SKEDI_NONE && !place_at(e, p)->rack) p = place_at(e, p)->next;
    return p == SKEDI_NONE && (a->flags & SKED_ASK_STRICT) != 0;
}

/* Adds the nodes to try before the search reads any victim: the listed nodes of
 * a strict ask, else the nodes with tasks under notice. */
static void preempt_see_first(plan_search *s)
{
    const sked_engine *e = s->part->e;

    if (preempt_is_strict(s)) {
        preempt_see_places(s);
        skedi_heap_clear(&e->preempt->heap);
        return;
    }
    for (uint32_t i = 0; i < s->part->n_fixed; i++) { /* at a cost of 0 */
        uint32_t node = s->part->fixed[i];
        if (s->part->marks[node] > 0) preempt_see_node(s, node, 0);
    }
}

static int preempt_begin_search(plan_search *s, const plan_want *want)
{
    s->want = *want;
    s->block = s->fixed = 0;
    s->freed = s->part->freed;
    s->live = 1;
    if (!preempt_heap_classes(s)) return 0;
    s->turn++;
    skedi_heap_clear(&s->part->e->preempt->nodes);
    preempt_see_first(s);
    return 1;
}

/* True if one more task of a gang over nodes may be planned on a node. True for
 * any other ask. */
static int preempt_takes_more(const plan_search *s, uint32_t node)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);
    const round_placement *placed = e->preempt->placements.item;
    int64_t more = 1;

    if (!(a->flags & SKED_ASK_SPREAD)) return 1;
    if (s->same && !skedi_node_has(e, node, s->same, s->value)) return 0;
    if (skedi_shape_per_node(e, a->shape) == INT32_MAX) return 1;
    for (size_t i = s->from; i < e->preempt->placements.n; i++) {
        more += placed[i].node == node;
    }
    if (extra_of(e, a)->each > 0 && !s->beside) {
        /* One step has all tasks of a node. */
        return more == 1 && skedi_gang_there(e, s->want.ask, node) == 0;
    }
    if (s->beside && skedi_gang_there(e, s->want.ask, node) == 0) return 0;
    return skedi_gang_allowed(e, s->want.ask, node, more) == more;
}

/* ---- Without victims ---- */

static int preempt_fits_on(plan_search *s, const plan_want *want, uint32_t node)
{
    const sked_engine *e = s->part->e;

    if (!preempt_takes_work(s->part, node) ||
        !preempt_lets_in(e, want->ask, node) || !preempt_takes_more(s, node)) {
        return 0;
    }
    const int64_t *free = skedi_books_free(s->part, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (want->step[k] > 0 && want->step[k] > free[k]) return 0;
    }
    return 1;
}

/* Returns a node with enough free amounts for a step, or SKEDI_NONE. Free
 * amounts only shrink, so an identical step continues at the last node found.
 *
 * Tasks of a gang over nodes read all nodes in one order, without regard to
 * reservations. The nodes of the first tasks decide whether the last task finds
 * a node. The next round must find the same nodes again. */
static uint32_t preempt_find_vacant(plan_search *s, const plan_want *want)
{
    const sked_engine *e = s->part->e;

    for (; !want->follows && s->fixed < s->part->n_fixed; s->fixed++) {
        uint32_t node = s->part->fixed[s->fixed];
        if (preempt_fits_on(s, want, node)) return node;
    }
    for (; (size_t)s->block * VACANT_NODES < s->part->n_nodes; s->block++) {
        int may = want->follows || preempt_vacant_may(e, s->block, want->step);
        if (!may) continue;
        for (uint32_t i = 0; i < VACANT_NODES; i++) {
            uint32_t node = s->block * VACANT_NODES + i;
            if (node >= s->part->n_nodes) break;
            if (preempt_fits_on(s, want, node)) return node;
        }
    }
    return SKEDI_NONE;
}

/* ---- With victims ---- */

/* Adds the node of the cheapest victim left, and moves its class to the next
 * victim. */
static void preempt_see_next(plan_search *s)
{
    sked_engine *e = s->part->e;
    victim_classes *classes = &e->preempt->classes;
    skedi_heap *heap = &e->preempt->heap;
    uint32_t class = skedi_heap_top(heap)->id, group = s->next_class[class];
    int64_t cost = (int64_t)skedi_heap_top(heap)->key;
    uint32_t before = classes->place[group].before;
    int more = preempt_has_more(s, class);

    s->next_class[class] = before;
    if (before == SKEDI_NONE || !more) {
        skedi_heap_remove(heap, class);
    } else {
        skedi_heap_set(heap, class,
                       (uint64_t)preempt_next_cost(s->part, class, before));
    }
    if (more) preempt_see_node(s, group_at(e, group)->node, cost);
}

static int64_t preempt_least_in_heap(const skedi_heap *heap)
{
    return heap->n > 0 ? (int64_t)heap->item[0].key : INT64_MAX;
}

/* Tries the node with the smallest bound. `*best` gets the best node so far,
 * and `*least` gets its cost. A node whose plan is not cheaper returns to the
 * heap. Its new bound is the cost of the best plan at the time. A former best
 * node returns with its own cost. 0: no memory. */
static int preempt_try_next(plan_search *s, const plan_want *want,
                            uint32_t *best, int64_t *least)
{
    skedi_heap *nodes = &s->part->e->preempt->nodes;
    uint32_t node = skedi_heap_top(nodes)->id;
    int64_t cost = -1;

    skedi_heap_remove(nodes, node);
    if (preempt_lets_in(s->part->e, want->ask, node) &&
        preempt_takes_more(s, node)) {
        cost = skedi_plan_on(s->part, want, node, *least);
    }
    if (s->part->work > 0) s->part->work--;
    if (cost == -3) return 0;
    if (cost == -2) skedi_heap_set(nodes, node, (uint64_t)*least);
    if (cost < 0) return 1;
    if (*best != SKEDI_NONE) skedi_heap_set(nodes, *best, (uint64_t)*least);
    *best = node;
    *least = cost;
    return 1;
}

/* Tries nodes until no other node can be cheaper than the best. If the work of
 * the round is used up, the search ends as soon as a plan is found. 0: no
 * memory. */
static int preempt_search_cheapest(plan_search *s, const plan_want *want,
                                   uint32_t *best)
{
    const sked_engine *e = s->part->e;
    int64_t least = INT64_MAX;

    for (;;) {
        int64_t node = preempt_least_in_heap(&e->preempt->nodes);
        int64_t class = preempt_least_in_heap(&e->preempt->heap);
        int found = *best != SKEDI_NONE;
        if (node == INT64_MAX && class == INT64_MAX) break;
        if (found && (least <= skedi_i64_min(node, class) || !s->part->work)) {
            break;
        }
        if (node > class) {
            preempt_see_next(s);
        } else if (!preempt_try_next(s, want, best, &least)) {
            return 0;
        }
    }
    /* The cost of a second step on the best node is not known. */
    if (*best != SKEDI_NONE) {
        skedi_heap_set(&e->preempt->nodes, *best, 0);
        s->cost = skedi_amount_add(s->cost, least);
    }
    return 1;
}

int skedi_search(plan_search *s, plan_want *want, uint32_t *node, int *costs)
{
    plan_block block = skedi_plan_block(s->part, want, SKEDI_NONE);

    *node = SKEDI_NONE;
    *costs = 0;
    want->inner = block.what == BLOCK_ROW ? block.row : SKEDI_NONE;
    /* Only PLAN_PRIORITY has victims for a bound of a user or of masters. */
    if (block.what > BLOCK_ROW && want->rule != PLAN_PRIORITY) return 1;
    if (!s->live || want->inner != s->want.inner ||
        s->freed != s->part->freed) {
        if (!preempt_begin_search(s, want)) return 0;
    }
    if (block.what == BLOCK_NONE) *node = preempt_find_vacant(s, want);
    if (*node != SKEDI_NONE) return 1;
    *costs = 1;
    return preempt_search_cheapest(s, want, node);
}
