/*
 * * Which steps claim in a round, in which order, and what all plans need
 * together.
 *
 * A step claims when its queue is due and stays within its claim. A gang over
 * nodes is planned task by task and given up as a whole if one task finds no
 * node. After all plans, a victim is dropped if it could start again beside
 * everything that is planned.
 *
 * Invariants: a round reserves nodes for a whole gang or for none of its
 * tasks. A step that could not start with its victims gone takes no victims.
 */
#include <string.h>

#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/filter.h"
#include "engine/gang.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/queue.h"
#include "engine/reservation.h"

/*
 * Gangs over nodes that claim. All that one lacks is planned task by task, each
 * on the cheapest node by then, and all of it is given up where one task finds
 * none: so a round reserves nodes for a whole gang or for nothing of it. What it
 * reserved is decided in one order, and fits beside all else that is reserved,
 * so no two gangs wait for each other. Its user, which may pass its bound by the
 * last step, is asked once, for all of it.
 */

/* A task of a gang, after its user was asked. */
static plan_want preempt_task_of_gang(const round_part *part, uint32_t ask,
                                      uint32_t account)
{
    plan_want want = skedi_plan_want(part, ask, account, PLAN_CLAIM);

    want.follows = 1;
    return want;
}

/* Gives up what was planned from a place on. */
static void preempt_give_up_from(round_part *part, size_t from)
{
    round_list *placements = &part->e->preempt->placements;

    while (placements->n > from) {
        const round_placement *last = placement_at(part->e, placements->n - 1);
        plan_want want = skedi_placed_want(part, last);
        skedi_plan_undo(part, last);
        skedi_plan_move(part, &want, last->node, -1);
        part->e->preempt->victims.n = last->first;
        placements->n--;
    }
}

/* What was planned from a place on starts together. */
static void preempt_join_from(round_part *part, size_t from)
{
    size_t n = part->e->preempt->placements.n;

    for (size_t i = from; i < n; i++) placement_at(part->e, i)->span = 0;
    placement_at(part->e, from)->span = (uint32_t)(n - from);
    part->gangs++;
}

/* ---- Looking for nodes ---- */

/* Plans a step of a gang on the cheapest node. 1; 0: there is none; -1: no
 * memory. */
static int preempt_plan_step(plan_search *s, plan_want *want)
{
    uint32_t node;
    int costs;

    if (!skedi_search(s, want, &node, &costs)) return -1;
    if (node == SKEDI_NONE) return 0;
    if (!costs) s->part->e->preempt->best.n = 0;
    return skedi_plan_take(s->part, want, node) ? 1 : -1;
}

/*
 * Of an exact gang that runs in part, plans tasks on nodes that have some of
 * it: as many as make the rest a multiple of what a node takes, and beyond
 * that all of which the same is true (core/exact.c). The rest goes to `*left`.
 * 1; 0: there are too few; -1: no memory.
 */
static int preempt_plan_beside(plan_search *s, uint32_t ask, uint32_t account,
                               int64_t *left)
{
    const sked_engine *e = s->part->e;
    int64_t each = extra_of(e, ask_at(e, ask))->each, over = *left % each;
    int64_t n = 0;
    int found = 1;

    s->beside = 1;
    for (s->live = 0; n < *left && found > 0; n += found) {
        plan_want want = preempt_task_of_gang(s->part, ask, account);
        skedi_plan_one(s->part, &want);
        found = preempt_plan_step(s, &want);
    }
    s->beside = 0;
    if (found < 0) return -1;
    if (n < over) return 0;
    n = over + (n - over) / each * each;
    preempt_give_up_from(s->part, s->from + (size_t)n);
    *left -= n;
    return 1;
}

/* Plans every task that a gang lacks. 1; 0: there are too few nodes, and nothing
 * is planned; -1: no memory. */
static int preempt_plan_all_tasks(plan_search *s, uint32_t ask,
                                  uint32_t account)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, ask);
    int64_t left = a->open;
    int found = 1;

    if (extra_of(e, a)->each > 0 && a->first_group != SKEDI_NONE) {
        found = preempt_plan_beside(s, ask, account, &left);
    }
    for (s->live = 0; left > 0 && found > 0;) {
        plan_want want = preempt_task_of_gang(s->part, ask, account);
        left -= want.tasks;
        found = preempt_plan_step(s, &want);
    }
    if (found == 0) preempt_give_up_from(s->part, s->from);
    return found;
}

/* The same on nodes that share a value, for each value until there is one. */
static int preempt_plan_on_values(plan_search *s, uint32_t ask,
                                  uint32_t account)
{
    const sked_engine *e = s->part->e;
    const engine_domain_key *all = skedi_domains_of(e, s->same).only;
    int found = 0;

    for (uint32_t i = 0; i < all->n && found == 0; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != s->part->partition) continue;
        if (!skedi_same_has(e, ask, s->same, d->value)) continue;
        s->value = d->value;
        found = preempt_plan_all_tasks(s, ask, account);
    }
    return found;
}

/* Does all that is planned from a place on start by its turn, as things are? */
static int preempt_starts_by_turn(const round_part *part, uint32_t ask,
                                  uint32_t account, size_t from)
{
    const sked_engine *e = part->e;
    uint32_t row;

    for (size_t i = from; i < e->preempt->placements.n; i++) {
        if (placement_at(e, i)->victims > 0) return 0;
    }
    int32_t reason = skedi_refusal_at(e, ask, account,
                                      placement_at(e, from)->node, &row);
    return reason == SKED_REASON_ORDER &&
           skedi_gang_space(e, ask, part->partition) >=
               (uint64_t)ask_at(e, ask)->open;
}

/* Then nothing is reserved for it. */
static void preempt_leave_to_turn(round_part *part, size_t from)
{
    round_list *placements = &part->e->preempt->placements;

    for (; placements->n > from; placements->n--) {
        plan_want want = skedi_placed_want(
            part, placement_at(part->e, placements->n - 1));
        skedi_plan_turned(part, &want);
    }
}

/* Do nodes take as many of an exact gang as each is to take? With nothing of it
 * elsewhere, what is left over has no node that others of it are on. */
static int preempt_goes_up_in_nodes(const sked_engine *e, const engine_ask *a)
{
    uint32_t each = extra_of(e, a)->each;

    return each == 0 || a->first_group != SKEDI_NONE || a->open % each == 0;
}

/* Does a round look for nodes for a gang over nodes? */
static int preempt_gang_may_claim(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, ask);

    return skedi_gang_in_rounds(e, ask) && a->open > 0 &&
           part->s->planned[ask] == 0 && !(a->flags & SKED_ASK_MASTER) &&
           part->gangs < e->preempt->opts.gangs &&
           preempt_goes_up_in_nodes(e, a) && !skedi_gang_is_ending(e, ask);
}

/* Finds nodes for all that a gang lacks, or (`*any` 0) for nothing of it. 0: no
 * memory. */
static int preempt_plan_gang(plan_search *s, uint32_t ask, uint32_t account,
                             int *any)
{
    round_part *part = s->part;
    sked_engine *e = part->e;

    s->from = e->preempt->placements.n;
    s->same = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    int found = s->same ? preempt_plan_on_values(s, ask, account)
                        : preempt_plan_all_tasks(s, ask, account);
    s->same = 0;
    if (found == 0 && skedi_same_is_soft(e, ask)) {
        found = preempt_plan_all_tasks(s, ask, account);
    }
    s->live = 0;
    if (found < 0) return 0;
    *any = found;
    if (!found) return 1;
    if (preempt_starts_by_turn(part, ask, account, s->from))
        preempt_leave_to_turn(part, s->from);
    else
        preempt_join_from(part, s->from);
    return 1;
}

/* ---- What others got kill orders for ---- */

/* Is all that a gang lacks reserved in a partition, and does every node still
 * take it? */
static int preempt_is_reserved_whole(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    int64_t left = ask_at(e, ask)->open;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        if (k->ask != ask) continue;
        if (node_at(e, k->node)->partition != part->partition) return 0;
        if (!skedi_place_paid(e, ask, k->node)) return 0;
        if (!skedi_gang_joins(e, ask, k->node, k->count)) return 0;
        left -= k->count;
    }
    return left == 0 && skedi_same_reserved(e, ask);
}

/* Plans what one reservation is for, where it still fits. 1; 0: it does not; -1:
 * no memory. */
static int preempt_keep_reserved(round_part *part, const engine_reservation *k)
{
    sked_engine *e = part->e;
    uint32_t account = skedi_account_of_ask(e, k->ask, part->partition);
    plan_want want = preempt_task_of_gang(part, k->ask, account);

    if (skedi_gang_there(e, k->ask, k->node) > 0) skedi_plan_one(part, &want);
    for (int64_t left = k->count; left > 0; left -= want.tasks) {
        if (skedi_plan_block(part, &want, k->node).what != BLOCK_NONE) return 0;
        e->preempt->best.n = 0;
        if (!skedi_plan_take(part, &want, k->node)) return -1;
        placement_at(e, e->preempt->placements.n - 1)->made = 1;
    }
    return 1;
}

/* What is reserved for a gang, for which others got kill orders, stays so if
 * all of it does. 0: no memory. */
static int preempt_gang_keep(round_part *part, uint32_t ask)
{
    sked_engine *e = part->e;
    size_t from = e->preempt->placements.n;
    int kept = 1;

    if (part->s->planned[ask] > 0 || !preempt_is_reserved_whole(part, ask))
        return 1;
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE && kept == 1;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        if (k->ask == ask) kept = preempt_keep_reserved(part, k);
    }
    if (kept < 0) return 0;
    if (kept) {
        preempt_join_from(part, from);
    } else {
        preempt_give_up_from(part, from);
    }
    return 1;
}

/*
 * Which steps (a task, or a whole gang) want victims in a round, and in which
 * order. A step is a claim when its queue is due and stays within its claim
 * with it. After all claims, steps without a place may take victims inside
 * their own leaf, where its rules allow. A step that could not start even with
 * its victims gone takes none (plan.c).
 */

/* So many asks of a queue are served in a round and partition by each policy;
 * those that are alike and follow each other count as one. */
enum { ROUND_ASKS = 64 };

/* ---- What asks ---- */

static int preempt_is_gang(const engine_ask *a)
{
    return (a->flags & SKED_ASK_GANG) != 0;
}

/* Steps of an ask that have no place yet. */
static int64_t preempt_steps_left(const round_part *part, uint32_t ask)
{
    const engine_ask *a = ask_at(part->e, ask);
    int64_t left = a->open - part->s->planned[ask];

    return preempt_is_gang(a) ? left >= a->open && a->open > 0 : left;
}

/* Does a step stay within a bound? */
static int preempt_fits_bound(const sked_engine *e, const int64_t *used,
                              const int64_t *step, const int64_t *bound)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] > 0 && used[k] + step[k] > bound[k]) return 0;
    }
    return 1;
}

static int preempt_user_within(const round_part *part, const plan_want *want,
                               const int64_t *bound)
{
    size_t at = (size_t)want->account * part->e->kinds;

    return !part->account_keep || want->account == SKEDI_NONE ||
           preempt_fits_bound(part->e, part->account_used + at, want->step,
                              bound + at);
}

static uint32_t preempt_kinds_needed(const sked_engine *e, const int64_t *step)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* With the step, are its queue and its user within what its rule allows? */
static int preempt_plan_within(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    size_t at = (size_t)want->leaf * e->kinds;

    switch (want->rule) {
    case PLAN_CLAIM:
        return preempt_fits_bound(e, part->held + at, want->step,
                                  part->by->claim + at) &&
               preempt_user_within(part, want, part->by->account_claim);
    case PLAN_USER: return preempt_user_within(part, want, part->account_share);
    default: return 1;
    }
}

/* May it ask now, by its rule? */
static int preempt_may_ask(const round_part *part, const plan_want *want)
{
    uint32_t kinds = preempt_kinds_needed(part->e, want->step);

    if (!kinds) return 0; /* it needs nothing */
    if (want->rule == PLAN_CLAIM && !(kinds & part->by->named[want->leaf])) {
        return 0;
    }
    return preempt_plan_within(part, want);
}

/* ---- What cannot be served ---- */

/* Steps that are alike: where one finds no place, none of them does. */
typedef struct alike {
    uint32_t shape;
    uint32_t account;
    int32_t priority;
    uint32_t terms; /* rule, master, revocable, and 1 for one that is listed */
    uint32_t charged[SKED_MAX_LIMIT_TREES]; /* rows, or SKEDI_NONE */
} alike;

typedef struct alike_set {
    alike *slot;
    uint32_t cap; /* a power of two, or 0 */
    uint32_t n;
} alike_set;

static alike preempt_alike_of(const round_part *part, const plan_want *want)
{
    const engine_ask *a = ask_at(part->e, want->ask);
    const engine_charge *charge = skedi_charge_of(part->e, a->job);
    int inside = want->rule != PLAN_CLAIM;
    uint32_t revocable = skedi_victim_terms(part->e, a) & CLASS_REVOCABLE;

    return (alike){a->shape,
                   want->account,
                   inside ? want->priority : 0,
                   (a->flags & (SKED_ASK_PREFER_SAME | SKED_ASK_EXACT)) |
                       (inside ? revocable << 2 : 0) | want->rule << 2 |
                       (uint32_t)want->master << 1 | 1,
                   {skedi_charge_row(charge, 0), skedi_charge_row(charge, 1)}};
}

static int preempt_same_alike(const alike *a, const alike *b)
{
    return a->shape == b->shape && a->account == b->account &&
           a->priority == b->priority && a->terms == b->terms &&
           a->charged[0] == b->charged[0] && a->charged[1] == b->charged[1];
}

static uint32_t preempt_alike_slot(const alike_set *set, const alike *x)
{
    uint64_t hash = x->shape * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ x->account) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (uint32_t)x->priority) * UINT64_C(0x94d049bb133111eb);
    hash = (hash ^ x->charged[0]) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ x->charged[1]) * UINT64_C(0x94d049bb133111eb);
    uint32_t at = (uint32_t)((hash ^ x->terms) >> 32) & (set->cap - 1);
    while (set->slot[at].terms && !preempt_same_alike(&set->slot[at], x)) {
        at = (at + 1) & (set->cap - 1);
    }
    return at;
}

static int preempt_set_has(const alike_set *set, alike x)
{
    return set->cap && set->slot[preempt_alike_slot(set, &x)].terms;
}

static int preempt_set_add(sked_engine *e, alike_set *set, alike x)
{
    if (2 * set->n >= set->cap) {
        alike_set more = {.cap = set->cap ? set->cap * 2 : 16, .n = set->n};
        more.slot = skedi_round_reserve(e, more.cap, sizeof *more.slot);
        if (!more.slot) return 0;
        for (uint32_t i = 0; i < set->cap; i++) {
            if (!set->slot[i].terms) continue;
            more.slot[preempt_alike_slot(&more, &set->slot[i])] = set->slot[i];
        }
        *set = more;
    }
    set->slot[preempt_alike_slot(set, &x)] = x;
    set->n++;
    return 1;
}

/* ---- One ask ---- */

typedef struct ask_walk {
    round_part *part;
    plan_search search;
    alike_set failed;
    alike last;      /* what the search was for */
    uint32_t served; /* asks of this leaf */
    alike counted;   /* the last of them; zeroes: one with its own places */
} ask_walk;

/* Do nodes differ for an ask, so that a step like one that found no place may
 * find one? Of a gang over nodes that runs in part they do. */
static int preempt_is_picky(const sked_engine *e, const engine_ask *a)
{
    if (a->flags & SKED_ASK_SPREAD && a->first_group != SKEDI_NONE) return 1;
    return extra_of(e, a)->places != SKEDI_NONE ||
           extra_of(e, a)->refusals != SKEDI_NONE;
}

/* Tells whether a step needs amounts that victims of other steps leave. Such a
 * step gets a reservation like a step with victims of its own. */
static int preempt_needs_others(const sked_engine *e, const engine_entry *x,
                                uint32_t node)
{
    uint32_t row;

    int32_t reason = skedi_refusal_at(e, x->ask, x->account, node, &row);
    return reason != SKED_REASON_ORDER && reason != SKED_REASON_LOCALITY;
}

/* How many steps of an ask find places in one round at most: of one whose rule
 * counts tasks one, since what a round plans is not counted yet. */
static int64_t preempt_steps_to_serve(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    int64_t left = preempt_steps_left(part, ask);

    return skedi_shape_counts(e, ask_at(e, ask)->shape) ? skedi_i64_min(left, 1)
                                                        : left;
}

/* An ask has found places. */
static void preempt_count_served(ask_walk *w, alike like, int picky)
{
    w->served += picky || !preempt_same_alike(&like, &w->counted);
    w->counted = picky ? (alike){0} : like;
}

/* Finds nodes for all that a gang over nodes lacks, for a claim. 0: no memory.
 */
static int preempt_serve_wide(ask_walk *w, const engine_entry *x)
{
    round_part *part = w->part;
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, x->ask);
    int any = 0;

    if (!preempt_gang_may_claim(part, x->ask)) return 1;
    plan_want whole = skedi_plan_want(part, x->ask, x->account, PLAN_CLAIM);
    alike like = preempt_alike_of(part, &whole);
    if (!preempt_is_picky(part->e, a) && preempt_set_has(&w->failed, like))
        return 1;
    w->last = (alike){0};
    whole.step = engine_row_of(e, &e->shape_step, a->shape);
    int user = skedi_plan_block(part, &whole, SKEDI_NONE).what > BLOCK_ROW;
    if (!user && preempt_may_ask(part, &whole) &&
        !preempt_plan_gang(&w->search, x->ask, x->account, &any)) {
        return 0;
    }
    w->served += (uint32_t)any;
    w->counted = (alike){0};
    return any || preempt_is_picky(part->e, a) ||
           preempt_set_add(part->e, &w->failed, like);
}

/* Finds places for what an ask has left. 0: no memory. */
static int preempt_serve_ask(ask_walk *w, const engine_entry *x, uint32_t rule)
{
    round_part *part = w->part;
    plan_want want = skedi_plan_want(part, x->ask, x->account, rule);
    alike like = preempt_alike_of(part, &want);
    int picky = preempt_is_picky(part->e, ask_at(part->e, x->ask)), any = 0,
        costs;

    if (!picky && preempt_set_has(&w->failed, like)) return 1;
    if (picky || !preempt_same_alike(&like, &w->last)) w->search.live = 0;
    w->last = picky ? (alike){0} : like;
    for (int64_t n = preempt_steps_to_serve(part, x->ask); n > 0; n--) {
        uint32_t node = SKEDI_NONE;
        if (preempt_may_ask(part, &want) &&
            !skedi_search(&w->search, &want, &node, &costs)) {
            return 0;
        }
        if (node == SKEDI_NONE) {
            if (any) preempt_count_served(w, like, picky);
            return picky || preempt_set_add(part->e, &w->failed, like);
        }
        any = 1;
        if (!costs) part->e->preempt->best.n = 0;
        if (!costs && !preempt_needs_others(part->e, x, node)) {
            skedi_plan_turn(part, &want, node);
        } else if (!skedi_plan_take(part, &want, node)) {
            return 0;
        }
    }
    if (any) preempt_count_served(w, like, picky);
    return 1;
}

/* ---- One leaf ---- */

/* Asks that the last round reserved for go first: else victims that got notice
 * for one of them would go for another, and back, round after round. */
static void preempt_put_reserved_first(const round_part *part, uint32_t *line,
                                       uint32_t *scratch, uint32_t n)
{
    const sked_engine *e = part->e;
    uint32_t first = 0, last = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (part->s->reserved[entry_at(e, line[i])->ask])
            line[first++] = line[i];
        else
            scratch[last++] = line[i];
    }
    for (uint32_t i = 0; i < last; i++) line[first + i] = scratch[i];
}

/* The asks of a leaf in its order. 0: no memory. */
static int preempt_line_up_asks(const round_part *part, uint32_t row,
                                uint32_t **line, uint32_t *n)
{
    sked_engine *e = part->e;
    const engine_cell *cell = &e->cells[cell_of(e, row, part->partition)];
    uint32_t *own = skedi_round_reserve(e, cell->open, sizeof *own);
    uint32_t *scratch = skedi_round_reserve(e, cell->open, sizeof *scratch);

    *line = own;
    *n = 0;
    if (!own || !scratch) return 0;
    for (uint32_t p = 0; p < cell->entries; p++) {
        if (skedi_line_has(cell, p)) own[(*n)++] = cell->entry[p];
    }
    if (!cell->steady) skedi_sort(own, scratch, *n, skedi_entry_compare, e);
    preempt_put_reserved_first(part, own, scratch, *n);
    return 1;
}

/* Does a round look at an ask by a rule? Nothing ends for one of a job that
 * yields, nor for one that is to have a node to itself; for a gang over nodes
 * nothing of its own leaf. */
static int preempt_is_asked_for(const sked_engine *e, uint32_t ask,
                                uint32_t rule)
{
    const engine_ask *a = ask_at(e, ask);

    if (job_at(e, a->job)->flags & SKED_JOB_YIELDS) return 0;
    if (a->flags & SKED_ASK_EXCLUSIVE) return 0;
    return rule == PLAN_CLAIM || !(a->flags & SKED_ASK_SPREAD);
}

/* Finds places for the asks of a leaf, by a rule. 0: no memory. */
static int preempt_serve_leaf(ask_walk *w, uint32_t row, uint32_t rule)
{
    uint32_t *line, n;

    if (!preempt_line_up_asks(w->part, row, &line, &n)) return 0;
    w->failed = (alike_set){0};
    w->served = 0;
    w->counted = (alike){0};
    w->search.live = 0;
    for (uint32_t i = 0; i < n && w->served < ROUND_ASKS; i++) {
        const engine_entry *x = entry_at(w->part->e, line[i]);
        int wide = (ask_at(w->part->e, x->ask)->flags & SKED_ASK_SPREAD) != 0;
        if (!preempt_is_asked_for(w->part->e, x->ask, rule)) continue;
        if (!(wide ? preempt_serve_wide(w, x) : preempt_serve_ask(w, x, rule)))
            return 0;
    }
    return 1;
}

/* ---- All of them ---- */

/* The part of its share that a queue uses, of the kind it uses most of. */
static uint64_t preempt_part_of_share_used(const round_part *part, uint32_t row)
{
    const sked_engine *e = part->e;
    skedi_drf_scale scale[SKED_MAX_KINDS];
    size_t at = (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        scale[k] = skedi_drf_scale_of(part->share[at + k]);
    }
    return skedi_order_share(scale, part->held + at, e->kinds, 1);
}

/* Does a leaf have asks that a rule may serve? */
static int preempt_leaf_asks(const round_part *part, uint32_t row,
                             uint32_t rule)
{
    const sked_engine *e = part->e;
    const engine_cell *cell = &e->cells[cell_of(e, row, part->partition)];

    if (!row_is_leaf(e, row) || cell->open == 0 || e->rows.closed[row]) {
        return 0;
    }
    return rule != PLAN_CLAIM ||
           part->by->reasons[row] & SKED_TARGET_REASON_CLAIMS;
}

/* Serves leaves: the one that uses the least part of its share first, then by
 * row. 0: no memory. */
static int preempt_serve_leaves(ask_walk *w, uint32_t rule)
{
    const round_part *part = w->part;
    sked_engine *e = part->e;
    uint32_t n = 0;
    skedi_keyed *rows = skedi_round_reserve(e, (uint64_t)e->rows.n * 2,
                                            sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        if (!preempt_leaf_asks(part, row, rule)) continue;
        rows[n] = (skedi_keyed){preempt_part_of_share_used(part, row), n, row};
        n++;
    }
    if (!rows) return 0;
    skedi_sort_keys(rows, rows + e->rows.n, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!preempt_serve_leaf(w, rows[i].tag, rule)) return 0;
    }
    return 1;
}

/* Does a step still fit for which victims got a kill order? The bounds of its
 * user and of masters were asked at the kill, and may have moved since. */
static int preempt_still_fits(round_part *part, plan_want want, uint32_t node)
{
    want.account = SKEDI_NONE;
    want.master = 0;
    return skedi_plan_block(part, &want, node).what == BLOCK_NONE;
}

/* Steps for which victims got a kill order, and which need no others, keep
 * their places whatever else has become of their queues: so no task has ended
 * in vain. 0: no memory. */
static int preempt_keep_made(round_part *part)
{
    sked_engine *e = part->e;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        if (node_at(e, k->node)->partition != part->partition) continue;
        if (e->rows.closed[job_at(e, ask_at(e, k->ask)->job)->row] ||
            !skedi_place_paid(e, k->ask, k->node)) {
            continue;
        }
        if (ask_at(e, k->ask)->flags & SKED_ASK_SPREAD) {
            if (k->paid > 0 && !preempt_gang_keep(part, k->ask)) return 0;
            continue;
        }
        uint32_t account = skedi_account_of_ask(e, k->ask, part->partition);
        plan_want want = skedi_plan_want(part, k->ask, account, PLAN_CLAIM);
        int64_t most = k->paid / skedi_i64_max(want.tasks, 1);
        int64_t left = preempt_steps_left(part, k->ask);
        for (int64_t n = skedi_i64_min(most, left); n > 0; n--) {
            if (!preempt_still_fits(part, want, k->node)) break;
            e->preempt->best.n = 0;
            if (!skedi_plan_take(part, &want, k->node)) return 0;
            round_placement *all = e->preempt->placements.item;
            all[e->preempt->placements.n - 1].made = 1;
        }
    }
    return 1;
}

/* What claims by a policy, policy by policy: what has a place by then does not
 * ask again. 0: no memory. */
static int preempt_serve_claims(ask_walk *w)
{
    round_part *part = w->part;

    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        part->by = &part->policy[i];
        if (!preempt_serve_leaves(w, PLAN_CLAIM)) return 0;
    }
    return 1;
}

/* Inside leaves the last policy bounds what is taken. */
static int preempt_serve_rules(ask_walk *w)
{
    uint32_t flags = w->part->e->preempt->opts.flags;

    if (!preempt_keep_made(w->part) || !preempt_serve_claims(w)) return 0;
    if (flags & SKED_PREEMPT_FLAG_BY_USER && w->part->account_keep &&
        !preempt_serve_leaves(w, PLAN_USER)) {
        return 0;
    }
    return !(flags & SKED_PREEMPT_FLAG_BY_PRIORITY) ||
           preempt_serve_leaves(w, PLAN_PRIORITY);
}

sked_status skedi_round_asks(round_part *part)
{
    ask_walk w = {.part = part, .search = {.part = part}};

    return preempt_serve_rules(&w) ? SKED_OK : SKED_ERR_NOMEM;
}

/*
 * Steps are planned one by one, and the victims of one may leave more than it
 * needs, so that another step, planned before, needs fewer. A victim is
 * needless, and stays, if it could start again beside all that is planned, and
 * its step without it.
 *
 * Victims without notice are asked first, of these what is not revocable before
 * what is; victims that are under notice already are asked last. Where steps
 * planned anew would make such victims needless, these steps wait instead: else
 * each round would withdraw the notices of the last one, and none would ever be
 * due.
 */

static round_victim *preempt_victims_of(const sked_engine *e,
                                        const round_placement *placement)
{
    round_victim *all = e->preempt->victims.item;

    return all ? all + placement->first : NULL;
}

static const victim_class *preempt_class_of_victim(const sked_engine *e,
                                                   const round_victim *v)
{
    const victim_classes *classes = &e->preempt->classes;

    return victim_class_at(classes, skedi_victim_class_of(classes, v->group));
}

static uint32_t preempt_unit_of_victim(const sked_engine *e,
                                       const round_victim *v)
{
    return skedi_victim_class_is_gang(e, preempt_class_of_victim(e, v))
               ? v->count
               : 1;
}

/* The partition that a step is planned in. */
static round_part *preempt_part_at(const round_state *s,
                                   const round_placement *placement)
{
    return s->part[node_at(s->e, placement->node)->partition];
}

/* So many tasks of a victim are gone after all, or (negative) stay. */
static void preempt_move_tasks(round_part *part, const round_victim *v,
                               int64_t count)
{
    skedi_books_gone(part, v->group, count);
    skedi_least_take(part->s, v->group, count);
}

/* A task of a victim, a gang, or a gang over nodes with all its groups, is gone
 * after all (1), or stays (-1). */
static void preempt_move_victim(round_part *part, const round_victim *v, int by)
{
    for (uint32_t i = 0; i < v->span; i++) {
        preempt_move_tasks(
            part, &v[i], (int64_t)preempt_unit_of_victim(part->e, &v[i]) * by);
    }
}

/* Would so many tasks of a group start again, with what they hold? Its user's
 * bound is not asked, since what ran may be beyond it. */
static int preempt_tasks_start(round_part *part, const round_victim *v,
                               uint32_t n)
{
    const sked_engine *e = part->e;
    uint32_t ask = group_at(e, v->group)->ask;
    const int64_t *task = skedi_group_task(e, group_at(e, v->group));
    plan_want want = skedi_plan_want(part, ask, SKEDI_NONE, PLAN_CLAIM);
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) amount[k] = task[k] * n;
    want.step = amount;
    want.charged = 1; /* it never went from the trees of limits */
    return skedi_plan_block(part, &want, group_at(e, v->group)->node).what ==
           BLOCK_NONE;
}

/* Has a victim start again where all of it would. */
static int preempt_starts_again(round_part *part, const round_victim *v)
{
    uint32_t i = 0;

    for (; i < v->span; i++) {
        uint32_t n = preempt_unit_of_victim(part->e, &v[i]);
        if (!preempt_tasks_start(part, &v[i], n)) break;
        preempt_move_tasks(part, &v[i], -(int64_t)n);
    }
    if (i == v->span) return 1;
    while (i-- > 0) {
        preempt_move_tasks(part, &v[i], preempt_unit_of_victim(part->e, &v[i]));
    }
    return 0;
}

/* Lets one task (or gang) of a victim stay if its step needs it no more. 1: it
 * stays. */
static int preempt_let_stay(const round_state *s,
                            const round_placement *placement,
                            const round_victim *v)
{
    round_part *part = preempt_part_at(s, placement);
    plan_want step = skedi_placed_want(part, placement);

    if (v->span == 0 || !preempt_starts_again(part, v)) return 0;
    skedi_plan_move(part, &step, placement->node, -1);
    int starts = skedi_plan_block(part, &step, placement->node).what ==
                 BLOCK_NONE;
    skedi_plan_move(part, &step, placement->node, 1);
    if (!starts) preempt_move_victim(part, v, 1);
    return starts;
}

/* ---- Steps that wait ---- */

/* A step and its victims are planned again, or (-1) no longer. */
static void preempt_plan_again(const round_state *s,
                               const round_placement *placement, int64_t by)
{
    round_part *part = preempt_part_at(s, placement);
    const round_victim *v = preempt_victims_of(s->e, placement);
    plan_want step = skedi_placed_want(part, placement);

    for (uint32_t i = 0; i < placement->victims; i++) {
        preempt_move_tasks(part, &v[i], by * v[i].count);
    }
    skedi_plan_move(part, &step, placement->node, by);
}

/* The same of all that starts with a step. */
static void preempt_plan_span(const round_state *s,
                              const round_placement *first, int64_t by)
{
    for (uint32_t i = 0; i < first->span; i++)
        preempt_plan_again(s, &first[i], by);
}

static int preempt_is_new(const sked_engine *e, const round_placement *first)
{
    for (uint32_t p = 0; p < first->span; p++) {
        const round_victim *v = preempt_victims_of(e, &first[p]);
        for (uint32_t i = 0; i < first[p].victims; i++) {
            if (!v[i].noticed) return 1;
        }
    }
    return 0;
}

/* Does a step start with the one that stands first? */
static int preempt_starts_within(const round_placement *first,
                                 const round_placement *placement)
{
    return placement >= first && placement < first + first->span;
}

/* A victim under notice is needless: of the steps planned anew, the last one
 * without which the victim is needed waits. */
static void preempt_make_wait(const round_state *s, round_placement *from,
                              size_t n, const round_placement *placement,
                              const round_victim *v)
{
    for (size_t i = n; i-- > 0;) {
        if (from[i].count == 0 || preempt_starts_within(&from[i], placement) ||
            !preempt_is_new(s->e, &from[i])) {
            continue;
        }
        preempt_plan_span(s, &from[i], -1);
        if (!preempt_let_stay(s, placement, v)) {
            for (uint32_t at = 0; at < from[i].span; at++) {
                from[i + at].count = 0;
            }
            return;
        }
        preempt_move_victim(preempt_part_at(s, placement), v, 1);
        preempt_plan_span(s, &from[i], 1);
    }
}

static void preempt_wait_for_noticed(const round_state *s,
                                     round_placement *from, size_t n)
{
    for (size_t at = 0; at < n; at++) {
        round_placement *placement = &from[at];
        const round_victim *v = preempt_victims_of(s->e, placement);
        for (uint32_t i = 0; i < placement->victims && placement->count; i++) {
            if (!v[i].noticed || !preempt_let_stay(s, placement, &v[i]))
                continue;
            preempt_move_victim(preempt_part_at(s, placement), &v[i], 1);
            preempt_make_wait(s, from, n, placement, &v[i]);
        }
    }
}

/* ---- Victims that stay ---- */

/* Victims of a step that are under notice, or are not, stay where they are
 * needless, the last first. `last`: only what is not revocable. */
static void preempt_spare_victims(const round_state *s,
                                  round_placement *placement, uint32_t noticed,
                                  int last)
{
    round_victim *v = preempt_victims_of(s->e, placement);
    uint32_t left = 0;

    for (uint32_t i = placement->victims; i-- > 0;) {
        if (v[i].noticed != noticed) continue;
        if (last &&
            preempt_class_of_victim(s->e, &v[i])->terms & CLASS_REVOCABLE) {
            continue;
        }
        while (v[i].count > 0 && preempt_let_stay(s, placement, &v[i])) {
            for (uint32_t at = v[i].span; at-- > 0;) {
                v[i + at].count -= preempt_unit_of_victim(s->e, &v[i + at]);
            }
        }
    }
    for (uint32_t i = 0; i < placement->victims; i++) {
        if (v[i].count > 0) v[left++] = v[i];
    }
    placement->victims = left;
}

static int preempt_any_is_revocable(const round_state *s)
{
    int any = 0;

    for (uint32_t p = 0; p < s->e->parts; p++) {
        any |= s->part[p] && s->part[p]->revocable;
    }
    return any;
}

void skedi_plan_together(const round_state *s)
{
    round_list *placements = &s->e->preempt->placements;
    size_t n = placements->n, left = 0;
    round_placement *from = placements->item;

    if (n < 2) return;
    for (int last = preempt_any_is_revocable(s); last >= 0; last--) {
        for (size_t i = 0; i < n; i++)
            preempt_spare_victims(s, &from[i], 0, last);
    }
    preempt_wait_for_noticed(s, from, n);
    for (size_t i = 0; i < n; i++) {
        if (from[i].count == 0) continue;
        preempt_spare_victims(s, &from[i], 1, 0);
        from[left++] = from[i];
    }
    placements->n = left;
}
