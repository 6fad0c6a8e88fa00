/*
 * Asks of a preemption round: which steps claim, in which order, and which
 * victims all plans need together.
 *
 * A step claims when its queue is due and stays within its claim. A gang over
 * nodes is planned task by task. If one task finds no node, the round gives up
 * the whole gang. After all plans, the round drops each needless victim: the
 * victim could start again, and its step could start without the victim.
 *
 * Invariants: a round reserves nodes for a whole gang or for none of its tasks.
 * A step that could not start with its victims gone takes no victims.
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
#include "round/state.h"

/*
 * Gangs over nodes that claim. The round plans each missing task on the node
 * that is cheapest at this moment. If one task finds no node, the round gives
 * up all planned tasks of the gang. Reservations are decided in one order, and
 * each fits beside all earlier reservations. Two gangs therefore never wait for
 * each other.
 *
 * A user may exceed its bound by the last step. The bound is therefore checked
 * once for the whole gang.
 */

/* Returns the next step of a gang: one task, or the tasks of one node of an
 * exact gang. The user was checked before. */
static plan_want preempt_task_of_gang(const round_part *part, uint32_t ask,
                                      uint32_t account)
{
    plan_want want = skedi_plan_want(part, ask, account, PLAN_CLAIM);

    want.follows = 1;
    return want;
}

/* Undoes all placements from index `from` on. */
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

/* Joins the placements from index `from` on: all of them start together. */
static void preempt_join_from(round_part *part, size_t from)
{
    size_t n = part->e->preempt->placements.n;

    for (size_t i = from; i < n; i++) placement_at(part->e, i)->span = 0;
    placement_at(part->e, from)->span = (uint32_t)(n - from);
    part->gangs++;
}

/* ---- Looking for nodes ---- */

/* Plans a step of a gang on the cheapest node. Returns 1, 0 if no node fits, or
 * -1 if memory fails. */
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
 * Plans tasks of a running exact gang on nodes that already hold tasks of the
 * gang. The function keeps the largest number of tasks that leaves a multiple
 * of `each`, and writes the rest to `*left`. Returns 1, 0 if the nodes take too
 * few tasks, or -1 if memory fails.
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

/* Plans every missing task of a gang. Returns 1, 0 if a task finds no node (all
 * placements of the gang are undone), or -1 if memory fails. */
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

/* Plans a gang on the nodes of each attribute value that the nodes may share,
 * and keeps the plan whose victims cost least. The first plan without a cost
 * ends the search, as does the first plan when the work of the round is used
 * up. Returns 1, 0 if no value has enough nodes, or -1 if memory fails. */
static int preempt_plan_on_values(plan_search *s, uint32_t ask,
                                  uint32_t account)
{
    const sked_engine *e = s->part->e;
    const engine_domain_key *all = skedi_domains_of(e, s->same).only;
    int64_t least = INT64_MAX, best = 0;
    int found = 0;

    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != s->part->partition) continue;
        if (!skedi_same_has(e, ask, s->same, d->value)) continue;
        s->value = d->value;
        s->cost = 0;
        int here = preempt_plan_all_tasks(s, ask, account);
        if (here < 0 || (here > 0 && (s->cost == 0 || !s->part->work)))
            return here;
        if (here == 0) continue;
        preempt_give_up_from(s->part, s->from);
        if (s->cost < least) least = s->cost, best = d->value;
        found = 1;
    }
    if (!found) return 0;
    s->value = best;
    return preempt_plan_all_tasks(s, ask, account);
}

/* True if the planned gang can start now by its turn. No placement has victims,
 * the first node accepts a task now, and the nodes of the partition take all
 * open tasks. */
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

/* Removes the placements from index `from` on, because the gang needs no
 * reservation. The tasks stay planned and count as tasks that start by turn. */
static void preempt_leave_to_turn(round_part *part, size_t from)
{
    round_list *placements = &part->e->preempt->placements;

    for (; placements->n > from; placements->n--) {
        plan_want want = skedi_placed_want(
            part, placement_at(part->e, placements->n - 1));
        skedi_plan_turned(part, &want);
    }
}

/* True if full nodes take all open tasks of an exact gang, or if the gang
 * already runs. A remainder needs a node that holds tasks of the gang. Always
 * true for other gangs. */
static int preempt_goes_up_in_nodes(const sked_engine *e, const engine_ask *a)
{
    uint32_t each = extra_of(e, a)->each;

    return each == 0 || a->first_group != SKEDI_NONE || a->open % each == 0;
}

/* True if a round looks for nodes for a gang over nodes. */
static int preempt_gang_may_claim(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, ask);

    return skedi_gang_in_rounds(e, ask) && a->open > 0 &&
           part->s->planned[ask] == 0 && !(a->flags & SKED_ASK_MASTER) &&
           part->gangs < e->preempt->opts.gangs &&
           preempt_goes_up_in_nodes(e, a) && !skedi_gang_is_ending(e, ask);
}

/* Finds nodes for all missing tasks of a gang, or (`*any` is 0) for none.
 * Returns 0 if memory fails. */
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
    part->plan++;
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

/* ---- Reservations with kill orders ---- */

/* True if all missing tasks of a gang are reserved in the partition, and every
 * reserved node still takes the tasks. */
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

/* Plans the tasks of one reservation again. Returns 1, 0 if the tasks no longer
 * fit, or -1 if memory fails. */
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

/* Keeps the reservation of a gang whose victims got kill orders, if all of the
 * gang still fits. Returns 0 if memory fails. */
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
 * Steps and the order in which they ask. A step is one task or a whole gang. A
 * step claims if its queue is due, and if the queue stays within its claim with
 * the step. After all claims, a step without a place may take victims inside
 * its own leaf, if a rule allows this. A step that could not start with its
 * victims gone takes none (preempt_plan.c).
 */

/* Limit of served asks per leaf and partition, for each policy and rule. Equal
 * asks that follow each other count as one ask. */
enum { ROUND_ASKS = 64 };

/* ---- Conditions of an ask ---- */

static int preempt_is_gang(const engine_ask *a)
{
    return (a->flags & SKED_ASK_GANG) != 0;
}

/* Returns how many steps of an ask have no place yet. */
static int64_t preempt_steps_left(const round_part *part, uint32_t ask)
{
    const engine_ask *a = ask_at(part->e, ask);
    int64_t left = a->open - part->s->planned[ask];

    return preempt_is_gang(a) ? left >= a->open && a->open > 0 : left;
}

/* True if `used` plus the step stays within the bound in every kind of the
 * step. */
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

/* True if the queue and the user, with the step, stay within the amounts of the
 * rule. PLAN_PRIORITY has no such amounts. */
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

/* True if the step may ask now. A claim must need a kind in which the queue
 * claims. */
static int preempt_may_ask(const round_part *part, const plan_want *want)
{
    uint32_t kinds = preempt_kinds_needed(part->e, want->step);

    if (!kinds) return 0; /* the step needs no amounts */
    if (want->rule == PLAN_CLAIM && !(kinds & part->by->named[want->leaf])) {
        return 0;
    }
    return preempt_plan_within(part, want);
}

/* ---- What cannot be served ---- */

/* Key of steps that are alike for a search. If one step finds no place, no step
 * with the same key finds a place. */
typedef struct alike {
    uint32_t shape;
    uint32_t account;
    int32_t priority;
    uint32_t terms; /* flags, rule, master, revocable; bit 0: slot is used */
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
    alike last;      /* key of the step last searched for */
    int again;       /* 1: only steps that the last round reserved for */
    uint32_t served; /* asks of this leaf */
    alike counted;   /* key of the last served ask; zeroes: a picky ask */
} ask_walk;

/* True if nodes differ for an ask. A step may then find a place although a step
 * like it found none. Preferred nodes, refusals and running tasks of a gang
 * over nodes make nodes differ. */
static int preempt_is_picky(const sked_engine *e, const engine_ask *a)
{
    if (a->flags & SKED_ASK_SPREAD && a->first_group != SKEDI_NONE) return 1;
    return extra_of(e, a)->places != SKEDI_NONE ||
           extra_of(e, a)->refusals != SKEDI_NONE;
}

/* True if a step without victims cannot start on the node now. A wait for
 * preferred nodes does not count. The step then needs amounts that victims of
 * other steps leave, and gets a reservation like a step with victims of its
 * own. */
static int preempt_needs_others(const sked_engine *e, const engine_entry *x,
                                uint32_t node)
{
    uint32_t row;

    int32_t reason = skedi_refusal_at(e, x->ask, x->account, node, &row);
    return reason != SKED_REASON_ORDER && reason != SKED_REASON_LOCALITY;
}

/* Returns how many steps of an ask may find places now. If the rule counts
 * tasks, at most one step may, because the rule does not see planned tasks. */
static int64_t preempt_steps_to_serve(const ask_walk *w, uint32_t ask)
{
    const round_part *part = w->part;
    const sked_engine *e = part->e;
    int64_t left = preempt_steps_left(part, ask);

    if (w->again && !preempt_is_gang(ask_at(e, ask))) {
        int64_t reserved = part->s->reserved[ask];
        left = skedi_i64_min(left, reserved - part->s->planned[ask]);
    }
    return skedi_shape_counts(e, ask_at(e, ask)->shape) ? skedi_i64_min(left, 1)
                                                        : left;
}

/* Counts an ask that found places. An ask like the last counted ask is not
 * counted again. */
static void preempt_count_served(ask_walk *w, alike like, int picky)
{
    w->served += picky || !preempt_same_alike(&like, &w->counted);
    w->counted = picky ? (alike){0} : like;
}

/* Finds nodes for all missing tasks of a gang over nodes, under PLAN_CLAIM.
 * Returns 0 if memory fails. */
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

/* Finds places for the remaining steps of an ask. Returns 0 if memory fails. */
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
    for (int64_t n = preempt_steps_to_serve(w, x->ask); n > 0; n--) {
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

/* Moves the asks with reservations of the last round to the front. Otherwise
 * victims under notice for one ask would be planned for another ask, and back
 * again in the next round. */
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

/* Lists the entries of a leaf in scheduling order, reserved asks first. Returns
 * 0 if memory fails. */
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

/* True if a round serves an ask under a rule. No task ends for an ask of a
 * yielding job or for an exclusive ask. A gang over nodes takes no victims
 * inside its own leaf. */
static int preempt_is_asked_for(const sked_engine *e, uint32_t ask,
                                uint32_t rule)
{
    const engine_ask *a = ask_at(e, ask);

    if (job_at(e, a->job)->flags & SKED_JOB_YIELDS) return 0;
    if (a->flags & SKED_ASK_EXCLUSIVE) return 0;
    return rule == PLAN_CLAIM || !(a->flags & SKED_ASK_SPREAD);
}

/* Finds places for the asks of a leaf under a rule. Returns 0 if memory fails.
 */
static int preempt_serve_leaf(ask_walk *w, uint32_t row, uint32_t rule)
{
    uint32_t *line, n;

    if (!preempt_line_up_asks(w->part, row, &line, &n)) return 0;
    w->failed = (alike_set){0};
    w->served = w->again || !w->part->s->again[row]
                    ? 0
                    : w->part->s->again[row] - 1U;
    w->counted = (alike){0};
    w->search.live = 0;
    for (uint32_t i = 0; i < n && w->served < ROUND_ASKS; i++) {
        const engine_entry *x = entry_at(w->part->e, line[i]);
        int wide = (ask_at(w->part->e, x->ask)->flags & SKED_ASK_SPREAD) != 0;
        if (w->again && !w->part->s->reserved[x->ask]) continue;
        if (!preempt_is_asked_for(w->part->e, x->ask, rule)) continue;
        if (!(wide ? preempt_serve_wide(w, x) : preempt_serve_ask(w, x, rule)))
            return 0;
    }
    if (w->again) w->part->s->again[row] = (uint8_t)(1 + w->served);
    return 1;
}

/* ---- All of them ---- */

/* Returns the largest part of its share that a queue uses, over all kinds. */
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

/* True if a leaf has open asks that a rule may serve. */
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

/* Serves leaves in ascending order of the used part of their share, then by row.
 * Returns 0 if memory fails. */
static int preempt_serve_in_order(ask_walk *w, uint32_t rule)
{
    const round_part *part = w->part;
    sked_engine *e = part->e;
    uint32_t n = 0;
    skedi_keyed *rows = skedi_round_reserve(e, (uint64_t)e->rows.n * 2,
                                            sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        if (!preempt_leaf_asks(part, row, rule)) continue;
        if (w->again && !part->s->again[row]) continue;
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

/* Serves the steps that the last round reserved for, in all leaves, then the
 * other steps. A new step in one leaf therefore takes no victims that are under
 * notice for another leaf. Returns 0 if memory fails. */
static int preempt_serve_leaves(ask_walk *w, uint32_t rule)
{
    w->again = w->part->e->first_reservation != SKEDI_NONE;
    if (w->again && !preempt_serve_in_order(w, rule)) return 0;
    w->again = 0;
    return preempt_serve_in_order(w, rule);
}

/* True if a step whose victims got kill orders still fits on its node. The
 * bounds of the user and of masters are not checked again: both were checked at
 * the kill and may have changed since. */
static int preempt_still_fits(round_part *part, plan_want want, uint32_t node)
{
    want.account = SKEDI_NONE;
    want.master = 0;
    return skedi_plan_block(part, &want, node).what == BLOCK_NONE;
}

/* Keeps the places of steps whose victims got kill orders and which need no
 * more victims. The state of the queue does not matter unless the queue is
 * closed: otherwise tasks would end in vain. Returns 0 if memory fails. */
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

/* Serves the claims of each policy in turn. A step that has a place does not
 * ask again under a later policy. Returns 0 if memory fails. */
static int preempt_serve_claims(ask_walk *w)
{
    round_part *part = w->part;

    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        part->by = &part->policy[i];
        if (!preempt_serve_leaves(w, PLAN_CLAIM)) return 0;
    }
    return 1;
}

/* Serves paid reservations, then claims, then the rules inside leaves. Inside
 * leaves, the last policy bounds the amounts that a round takes. Returns 0 if
 * memory fails. */
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
 * Victims of all plans together. Steps are planned one by one. The victims of
 * one step may free more than the step needs, and an earlier step may then need
 * fewer victims. A victim is needless if two conditions hold: the victim could
 * start again beside all planned steps, and the step could start while the
 * victim stays. A needless victim stays.
 *
 * Victims without notice are checked first, and among these the victims that
 * are not revocable before revocable victims. Victims under notice are checked
 * last. If new steps make victims under notice needless, the new steps wait
 * instead. Otherwise each round would withdraw the notices of the last round,
 * and no notice would ever become due.
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

/* Returns the partition in which a step is planned. */
static round_part *preempt_part_at(const round_state *s,
                                   const round_placement *placement)
{
    return s->part[node_at(s->e, placement->node)->partition];
}

/* Counts tasks of a victim as gone, or (negative) as staying. */
static void preempt_move_tasks(round_part *part, const round_victim *v,
                               int64_t count)
{
    skedi_books_gone(part, v->group, count);
    skedi_least_take(part->s, v->group, count);
}

/* Counts one unit of a victim as gone (`by` is 1) or as staying (-1). A unit is
 * a task, a gang, or a gang over nodes with all its groups. */
static void preempt_move_victim(round_part *part, const round_victim *v, int by)
{
    for (uint32_t i = 0; i < v->span; i++) {
        preempt_move_tasks(
            part, &v[i], (int64_t)preempt_unit_of_victim(part->e, &v[i]) * by);
    }
}

/* True if `n` tasks of a group could start again with the amounts that the
 * tasks hold. The user's bound is not checked, because running tasks may exceed
 * the bound. */
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
    want.charged = 1; /* limit trees still count these tasks */
    return skedi_plan_block(part, &want, group_at(e, v->group)->node).what ==
           BLOCK_NONE;
}

/* Starts one unit of a victim again if the whole unit can start. Returns 1 if
 * the unit started, or 0 without a change. */
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

/* Lets one unit of a victim stay if the step can start without this victim.
 * Returns 1 if the unit stays, or 0 without a change. */
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

/* ---- Victims under notice ---- */

/* Plans a step and its victims again (`by` is 1), or removes both from the
 * books (-1). */
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

/* Applies preempt_plan_again() to all placements that start together. */
static void preempt_plan_span(const round_state *s,
                              const round_placement *first, int64_t by)
{
    for (uint32_t i = 0; i < first->span; i++)
        preempt_plan_again(s, &first[i], by);
}

/* Returns the earliest end of a victim's notices, or (`last`) the latest.
 * INT64_MAX: the victim has no notice yet. */
static sked_time preempt_end_of_notice(const sked_engine *e,
                                       const round_victim *v, int last)
{
    const skedi_round_list *list = &e->preempt->round->list;
    uint64_t key = skedi_group_name(e, v->group);
    sked_time end = last ? INT64_MIN : INT64_MAX;

    if (!v->noticed) return INT64_MAX;
    for (size_t i = skedi_round_find(list, key);
         i < list->n && list->item[i].seen.key == key; i++) {
        sked_time at = list->item[i].seen.deadline;
        if (last ? at > end : at < end) end = at;
    }
    return end;
}

/* True if some victim of the placements is due later than `end`. */
static int preempt_is_later(const sked_engine *e, const round_placement *first,
                            sked_time end)
{
    for (uint32_t p = 0; p < first->span; p++) {
        const round_victim *v = preempt_victims_of(e, &first[p]);
        for (uint32_t i = 0; i < first[p].victims; i++) {
            if (preempt_end_of_notice(e, &v[i], 1) > end) return 1;
        }
    }
    return 0;
}

/* Plans all later steps again (`by` is 1), or removes them from the books (-1).
 * The placements that start together with `placement` are left out. */
static void preempt_plan_later(const round_state *s, round_placement *from,
                               size_t n, const round_placement *placement,
                               sked_time end, int64_t by)
{
    for (size_t i = 0; i < n; i += from[i].span) {
        int own = placement >= &from[i] && placement < &from[i] + from[i].span;
        if (!own && preempt_is_later(s->e, &from[i], end))
            preempt_plan_span(s, &from[i], by);
    }
}

/* Keeps each victim that only later steps make needless. Otherwise a new step
 * would withdraw the notices of a step before it, which would wait for the
 * victims of the new step instead. */
static void preempt_keep_noticed(const round_state *s, round_placement *from,
                                 size_t n)
{
    for (size_t at = 0; at < n; at++) {
        round_placement *placement = &from[at];
        round_victim *v = preempt_victims_of(s->e, placement);
        for (uint32_t i = 0; i < placement->victims; i++) {
            if (!v[i].noticed || !preempt_let_stay(s, placement, &v[i]))
                continue;
            sked_time end = preempt_end_of_notice(s->e, &v[i], 0);
            preempt_move_victim(preempt_part_at(s, placement), &v[i], 1);
            preempt_plan_later(s, from, n, placement, end, -1);
            v[i].kept = !preempt_let_stay(s, placement, &v[i]);
            if (!v[i].kept)
                preempt_move_victim(preempt_part_at(s, placement), &v[i], 1);
            preempt_plan_later(s, from, n, placement, end, 1);
        }
    }
}

/* ---- Victims that stay ---- */

/* Lets needless victims of a step stay, the last victim first. `noticed`
 * selects victims with notice (1) or without (0). If `last` is 1, revocable
 * victims are left out. */
static void preempt_spare_victims(const round_state *s,
                                  round_placement *placement, uint32_t noticed,
                                  int last)
{
    round_victim *v = preempt_victims_of(s->e, placement);
    uint32_t left = 0;

    for (uint32_t i = placement->victims; i-- > 0;) {
        if (v[i].noticed != noticed || v[i].kept) continue;
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
    size_t n = placements->n;
    round_placement *from = placements->item;

    if (n < 2) return;
    for (int last = preempt_any_is_revocable(s); last >= 0; last--) {
        for (size_t i = 0; i < n; i++)
            preempt_spare_victims(s, &from[i], 0, last);
    }
    preempt_keep_noticed(s, from, n);
    for (size_t i = 0; i < n; i++) preempt_spare_victims(s, &from[i], 1, 0);
}
