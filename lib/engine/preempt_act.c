/*
 * * Acting on a plan: notices, kill orders and reservations.
 *
 * All memory is reserved first. Then notices, kill orders and reservations are
 * brought in line with the plan, with one decision for each change. The
 * victims of a step get their kill orders together, when the last of their
 * notices has run out. Lazy rounds wait until the ask would start on the node
 * at once.
 *
 * Invariant: a step whose victims are killed would start if only those victims
 * were gone.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/preempt.h"
#include "engine/reservation.h"
#include "round/state.h"

/*
 * Which victims get a kill order now. At the moment of its kill a step is asked
 * once more: would it start if only those victims were gone that are killed
 * now, and not those of steps that still wait? If not, its victims run on, as
 * theirs do.
 */

/* The books of all partitions, and in them only what ends now is gone. */
typedef struct due_books {
    round_state s;
    round_part *part;
} due_books;

static int preempt_open_books(due_books *b, sked_engine *e)
{
    b->s = (round_state){.e = e};
    b->part = skedi_round_reserve(e, e->parts, sizeof *b->part);
    if (!b->part || !skedi_books_open(&b->s, 0)) return 0;
    for (uint32_t p = 0; p < e->parts; p++) {
        b->part[p] = (round_part){.s = &b->s, .e = e, .partition = p};
        if (!skedi_books_open_part(&b->part[p]) ||
            !skedi_books_open_plans(&b->part[p])) {
            return 0;
        }
    }
    return 1;
}

static round_part *preempt_books_at(const due_books *b,
                                    const round_placement *placement)
{
    return &b->part[node_at(b->s.e, placement->node)->partition];
}

static void preempt_end_with_step(due_books *b,
                                  const round_placement *placement)
{
    const round_victim *v = b->s.e->preempt->victims.item;

    for (uint32_t i = 0; i < placement->victims; i++) {
        const round_victim *one = &v[placement->first + i];
        skedi_books_gone(preempt_books_at(b, placement), one->group,
                         one->count);
    }
}

/* Starts a step (of a gang over nodes one task) if it would, or if its victims
 * got kill orders before. */
static int preempt_start(due_books *b, const round_placement *placement)
{
    round_part *part = preempt_books_at(b, placement);
    plan_want want = skedi_placed_want(part, placement);

    if (!placement->made &&
        skedi_plan_block(part, &want, placement->node).what != BLOCK_NONE) {
        return 0;
    }
    skedi_plan_move(part, &want, placement->node, 1);
    return 1;
}

/* A step is due no longer, nor is what would start with it. */
static void preempt_put_off(round_placement *placement)
{
    while (placement->span == 0) placement--;
    for (uint32_t i = 0; i < placement->span; i++) placement[i].due = 0;
}

static uint32_t preempt_leaf_of(const sked_engine *e,
                                const round_placement *placement)
{
    return job_at(e, ask_at(e, placement->ask)->job)->row;
}

/* Does a step have a victim that is under notice already (1), or one that is
 * not (0)? */
static int preempt_has_victim(const sked_engine *e,
                              const round_placement *placement,
                              uint32_t noticed)
{
    const round_victim *v = e->preempt->victims.item;
    int any = 0;

    for (uint32_t i = 0; i < placement->victims; i++) {
        any |= v[placement->first + i].noticed == noticed;
    }
    return any;
}

/* Steps of a leaf that are planned anew are due no longer. 0: there are none. */
static int preempt_put_off_new(sked_engine *e, uint32_t leaf)
{
    int any = 0;

    for (size_t i = 0; i < e->preempt->placements.n; i++) {
        round_placement *placement = placement_at(e, i);
        if (!placement->due || preempt_leaf_of(e, placement) != leaf) continue;
        if (!preempt_has_victim(e, placement, 0)) continue;
        preempt_put_off(placement);
        any = 1;
    }
    return any;
}

/*
 * Goes through all steps once: 1: all that are due would start; 0: not all, of
 * which some are due no longer; -1: no memory. Where all victims of a step were
 * told already, others of its leaf that are planned anew wait in its place,
 * since they may have moved the bound of its user: else each round would
 * withdraw the notices of the last one.
 */
static int preempt_try_all(sked_engine *e)
{
    due_books books;
    size_t n = e->preempt->placements.n;
    int all = 1;

    if (!preempt_open_books(&books, e)) return -1;
    for (size_t i = 0; i < n; i++) {
        if (placement_at(e, i)->due)
            preempt_end_with_step(&books, placement_at(e, i));
    }
    for (size_t i = 0; i < n; i++) {
        round_placement *placement = placement_at(e, i);
        if (!placement->due || preempt_start(&books, placement)) continue;
        int noticed = preempt_has_victim(e, placement, 1) &&
                      !preempt_has_victim(e, placement, 0);
        if (noticed && preempt_put_off_new(e, preempt_leaf_of(e, placement)))
            return 0;
        preempt_put_off(placement);
        all = 0;
    }
    return all;
}

/* Goes on until all that are due would start. 0: no memory. */
static int preempt_settle_due(sked_engine *e)
{
    struct engine_preempt *own = e->preempt;
    skedi_arena_mark here = skedi_arena_here(&own->arena);
    uint32_t any = 0;
    int all = 0;

    for (size_t i = 0; i < own->placements.n; i++) {
        const round_placement *placement = placement_at(e, i);
        any |= placement->due && placement->victims;
    }
    while (any && all == 0) {
        all = preempt_try_all(e);
        skedi_arena_rewind(&own->arena, here);
    }
    return all >= 0;
}

/* Steps that are due, and would not start with only those victims gone that get
 * kill orders now, are due no longer. 0: no memory. */
static int preempt_round_due(sked_engine *e)
{
    return e->preempt->lazy || e->preempt->watches || preempt_settle_due(e);
}

/* Gives up steps that would not start with all victims of the round gone: by a
 * bound that has moved since they were planned. 0: no memory. */
static int preempt_round_sift(sked_engine *e)
{
    size_t n = e->preempt->placements.n, left = 0;

    for (size_t i = 0; i < n; i++) placement_at(e, i)->due = 1;
    if (!preempt_settle_due(e)) return 0;
    for (size_t i = 0; i < n; i++) {
        const round_placement placement = *placement_at(e, i);
        if (placement.due) *placement_at(e, left++) = placement;
    }
    e->preempt->placements.n = left;
    return 1;
}

/*
 * Carries out what a round planned. All memory is reserved first; then notices,
 * kill orders and reservations are brought in line with the plan, and a
 * decision is written for every change. The victims of one step get their kill
 * orders together, when the last of their notices has run out; until then those
 * that are due wait.
 */

/* ---- Victims ---- */

/* Groups of which the round wants tasks, each once. */
typedef struct round_wanted {
    uint64_t *key;
    uint32_t *count;
    uint32_t *held;  /* of these, not to be stopped yet */
    uint32_t *due;   /* tasks whose notices have run out */
    int32_t *reason; /* of the first step that wants them */
    uint64_t *ask;   /* likewise: the key of its ask */
    uint32_t *place; /* by group: its place above plus one, or 0 */
    size_t n;
} round_wanted;

static const round_victim *preempt_victim_at(const sked_engine *e, size_t i)
{
    return (const round_victim *)e->preempt->victims.item + i;
}

/* Tasks of a group that may be stopped: their time is over, or they have
 * none. */
static uint32_t preempt_due_tasks(const sked_engine *e, uint64_t name)
{
    const skedi_round_list *list = &e->preempt->round->list;
    uint32_t sum = 0;

    if (e->preempt->untold) return UINT32_MAX;
    for (size_t i = skedi_round_find(list, name);
         i < list->n && list->item[i].seen.key == name; i++) {
        const sked_round_mark *mark = &list->item[i].seen;
        if (mark->deadline <= e->now) sum += mark->count;
    }
    return sum;
}

static int preempt_gather_reserve(sked_engine *e, round_wanted *w)
{
    size_t most = e->preempt->victims.n;

    w->key = skedi_round_reserve(e, most, sizeof *w->key);
    w->count = skedi_round_reserve(e, most, sizeof *w->count);
    w->held = skedi_round_reserve(e, most, sizeof *w->held);
    w->due = skedi_round_reserve(e, most, sizeof *w->due);
    w->reason = skedi_round_reserve(e, most, sizeof *w->reason);
    w->ask = skedi_round_reserve(e, most, sizeof *w->ask);
    w->place = skedi_round_reserve(e, e->groups.n, sizeof *w->place);
    return w->key && w->count && w->held && w->due && w->reason && w->ask &&
           w->place;
}

static void preempt_gather_victim(sked_engine *e, round_wanted *w, uint32_t ask,
                                  const round_victim *v)
{
    if (!w->place[v->group]) {
        w->key[w->n] = skedi_group_name(e, v->group);
        w->due[w->n] = preempt_due_tasks(e, w->key[w->n]);
        w->reason[w->n] = v->reason;
        w->ask[w->n] = ask_at(e, ask)->key;
        w->place[v->group] = (uint32_t)++w->n;
    }
    w->count[w->place[v->group] - 1] += v->count;
}

static int preempt_gather_victims(sked_engine *e, round_wanted *w)
{
    if (e->preempt->victims.n == 0) return 1;
    if (!preempt_gather_reserve(e, w)) return 0;
    for (size_t s = 0; s < e->preempt->placements.n; s++) {
        const round_placement *placement = placement_at(e, s);
        for (uint32_t i = 0; i < placement->victims; i++) {
            preempt_gather_victim(e, w, placement->ask,
                                  preempt_victim_at(e, placement->first + i));
        }
    }
    return 1;
}

/* Takes the victims of a step out of those that are due; how many were. */
static uint32_t preempt_count_due(const sked_engine *e, round_wanted *w,
                                  const round_placement *placement)
{
    uint32_t i = 0;

    for (; i < placement->victims; i++) {
        const round_victim *v = preempt_victim_at(e, placement->first + i);
        uint32_t *due = &w->due[w->place[v->group] - 1];
        if (*due < v->count) break;
        *due -= v->count;
    }
    return i;
}

/* The first so many victims of a step are not due after all. */
static void preempt_uncount_due(const sked_engine *e, round_wanted *w,
                                const round_placement *placement, uint32_t due)
{
    for (uint32_t i = 0; i < due; i++) {
        const round_victim *v = preempt_victim_at(e, placement->first + i);
        w->due[w->place[v->group] - 1] += v->count;
    }
}

/* 1: the victims of a step, and of all that starts with it, are due, and are
 * taken out of those that are; 0: not all of them are. */
static uint32_t preempt_span_is_due(const sked_engine *e, round_wanted *w,
                                    const round_placement *first)
{
    uint32_t i = 0, due = 0;

    for (; i < first->span; i++) {
        due = preempt_count_due(e, w, &first[i]);
        if (due < first[i].victims) break;
    }
    if (i == first->span) return 1;
    preempt_uncount_due(e, w, &first[i], due);
    while (i-- > 0) preempt_uncount_due(e, w, &first[i], first[i].victims);
    return 0;
}

/* Which steps have all their victims due. */
static void preempt_find_due(const sked_engine *e, round_wanted *w)
{
    round_placement *all = e->preempt->placements.item;

    for (size_t s = 0, n = e->preempt->placements.n; s < n; s += all[s].span) {
        uint32_t due = preempt_span_is_due(e, w, &all[s]);
        for (uint32_t i = 0; i < all[s].span; i++) all[s + i].due = due;
    }
}

/* The others have to wait, and their victims with them. */
static void preempt_hold_early(const sked_engine *e, round_wanted *w)
{
    for (size_t s = 0; s < e->preempt->placements.n; s++) {
        const round_placement *placement = placement_at(e, s);
        for (uint32_t i = 0; i < placement->victims && !placement->due; i++) {
            const round_victim *v = preempt_victim_at(e, placement->first + i);
            w->held[w->place[v->group] - 1] += v->count;
        }
    }
}

/* The victims of the round, and which of them have to wait. 0: no memory. */
static int preempt_decide_due(sked_engine *e, round_wanted *w)
{
    if (!preempt_round_sift(e) || !preempt_gather_victims(e, w)) return 0;
    preempt_find_due(e, w);
    if (!skedi_started_hold(e) || !preempt_round_due(e)) return 0;
    preempt_hold_early(e, w);
    return 1;
}

/* What was decided of one group so far in this round. */
typedef struct round_said {
    uint64_t key;
    uint32_t let_off;
    const round_wanted *wanted; /* NULL: all is for this reason and ask */
    int32_t reason;
    uint64_t ask;
} round_said;

/* Why tasks of a group are to end, and for which ask. */
static void preempt_find_cause(round_said *said, uint32_t group)
{
    if (!said->wanted) return;
    uint32_t at = said->wanted->place[group] - 1;
    said->reason = said->wanted->reason[at];
    said->ask = said->wanted->ask[at];
}

/*
 * Decides about tasks of a group, which stand by number: those that stay, then
 * those under notice, the latest notice first, then those with a kill order.
 * `behind` of the group's tasks stand behind these.
 */
static void preempt_decide_tasks(sked_engine *e, uint32_t group, int32_t what,
                                 int32_t reason,
                                 const sked_round_action *action,
                                 uint32_t behind)
{
    if (action->flags & SKED_ROUND_MARK_FLAG_OBSERVED)
        reason = SKED_REASON_OBSERVED;
    skedi_group_decide(e, group, what, reason);
    sked_decision *d = skedi_out_last(e);
    d->task += d->count - behind - action->count;
    d->count = action->count;
    d->detail = action->deadline;
}

static void preempt_decide_end(sked_engine *e, uint32_t group, int32_t what,
                               round_said *said,
                               const sked_round_action *action, uint32_t behind)
{
    preempt_find_cause(said, group);
    preempt_decide_tasks(e, group, what, said->reason, action, behind);
    skedi_out_last(e)->serves = said->ask;
}

/* Carries out one action. Marks are those after the round, and those with a
 * kill order count among them; tasks whose notice is withdrawn stood in front
 * of all of these, in the order of the actions. */
static void preempt_act_on(sked_engine *e, const sked_round_action *action,
                           round_said *said)
{
    uint32_t group = skedi_group_find(e, action->key);

    if (group == SKEDI_NONE) return;
    uint32_t dying = skedi_group_dying(e, group);
    uint32_t marked = sked_round_mark_count(e->preempt->round, action->key);
    if (said->key != action->key) {
        said->key = action->key;
        said->let_off = 0;
    }
    switch (action->what) {
    case SKED_ROUND_ORDER_NOTIFY:
        preempt_decide_end(e, group, SKED_DECISION_NOTIFY, said, action,
                           dying + marked - action->count);
        break;
    case SKED_ROUND_ORDER_WITHDRAW:
        if (e->preempt->untold) break; /* of no notice that it had */
        preempt_decide_tasks(e, group, SKED_DECISION_WITHDRAW,
                             SKED_REASON_NEED_GONE, action,
                             dying + marked + said->let_off);
        said->let_off += action->count;
        break;
    case SKED_ROUND_ORDER_OFFER: /* its node may have something to do */
        node_at(e, group_at(e, group)->node)->seen = 0;
        break;
    case SKED_ROUND_ORDER_KILL:
        preempt_decide_end(e, group, SKED_DECISION_KILL, said, action, dying);
        skedi_notice_take(e, group)->dying += action->count;
        (void)!sked_round_end(e->preempt->round, &action->key, &action->count,
                              1, NULL); /* it is ours to count */
        break;
    }
}

/* Gives kill orders to `count` tasks that are offered, for an ask; memory for
 * the decision and the notice was reserved. SKED_OK; SKED_ERR_NOMEM or what a
 * hook said: nothing changed. */
static sked_status preempt_round_claim(sked_engine *e, uint32_t group,
                                       uint32_t count, int32_t reason,
                                       uint32_t ask)
{
    sked_round *round = e->preempt->round;
    uint64_t name = skedi_group_name(e, group);
    sked_round_action action;
    round_said said = {.reason = reason, .ask = ask_at(e, ask)->key};
    size_t n;

    sked_status rc = sked_round_claim(round, &name, &count, 1, e->now, NULL);
    if (rc != SKED_OK) return rc;
    skedi_out_close(e);
    (void)!sked_round_take(round, &action, 1, &n, NULL);
    preempt_act_on(e, &action, &said);
    skedi_out_close(e);
    return SKED_OK;
}

/* ---- Reservations ---- */

/* The reservation for an ask on a node; SKEDI_NONE: there is none. */
static uint32_t preempt_reservation_for(const sked_engine *e, uint32_t ask,
                                        uint32_t node)
{
    uint32_t i = node_at(e, node)->first_reservation;

    while (i != SKEDI_NONE && reservation_at(e, i)->ask != ask) {
        i = reservation_at(e, i)->next;
    }
    return i;
}

/* What is to be reserved for an ask on a node: all its steps there together. */
typedef struct round_reservations {
    int64_t *tasks; /* by placement: of the first, for all; else 0 */
    int64_t *made;  /* of these: for which nothing more has to end */
    int64_t *paid;  /* of these: for which others get kill orders now */
} round_reservations;

/* For which steps do others get kill orders now? All of a gang over nodes, if
 * they are for some of it. */
static void preempt_find_paid(const sked_engine *e, uint8_t *pays)
{
    size_t n = e->preempt->placements.n;

    for (size_t i = 0; i < n; i += placement_at(e, i)->span) {
        const round_placement *first = placement_at(e, i);
        uint8_t any = 0;
        for (uint32_t j = 0; j < first->span; j++) any |= first[j].victims > 0;
        for (uint32_t j = 0; j < first->span; j++) {
            pays[i + j] = any && first->due && !e->preempt->lazy;
        }
    }
}

static int preempt_sum_reservations(sked_engine *e, round_reservations *planned)
{
    size_t n = e->preempt->placements.n;
    skedi_keyed *order = skedi_round_reserve(e, n, 2 * sizeof *order);

    planned->tasks = skedi_round_reserve(e, n, sizeof *planned->tasks);
    planned->made = skedi_round_reserve(e, n, sizeof *planned->made);
    planned->paid = skedi_round_reserve(e, n, sizeof *planned->paid);
    uint8_t *pays = skedi_round_reserve(e, n, sizeof *pays);
    if (!order || !planned->tasks || !planned->made || !planned->paid ||
        !pays) {
        return 0;
    }
    preempt_find_paid(e, pays);
    for (size_t i = 0; i < n; i++) {
        const round_placement *placement = placement_at(e, i);
        order[i] = (skedi_keyed){.key = (uint64_t)placement->ask << 32 |
                                        placement->node,
                                 .index = (uint32_t)i};
    }
    skedi_sort_keys(order, order + n, n);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (order[i].key != order[first].key) first = i;
        const round_placement *placement = placement_at(e, order[i].index);
        planned->tasks[order[first].index] += placement->count;
        if (!placement->victims)
            planned->made[order[first].index] += placement->count;
        if (!pays[order[i].index]) continue;
        planned->paid[order[first].index] += placement->count;
    }
    return 1;
}

/* Notes a victim of a reservation; several steps may want tasks of one group.
 */
static void preempt_note_maker(sked_engine *e, uint32_t reserved,
                               const round_victim *v)
{
    round_list *pairs = &e->preempt->pairs;
    round_pair *pair = pairs->item;
    uint64_t name = skedi_group_name(e, v->group);
    uint32_t first = reservation_at(e, reserved)->makers, i = first;

    while (i != SKEDI_NONE &&
           (pair[i].group != name || pair[i].rule != v->rule)) {
        i = pair[i].next;
    }
    if (i != SKEDI_NONE) {
        pair[i].count += v->count;
        return;
    }
    pair[pairs->n] = (round_pair){name, v->count, v->reason, first, v->rule};
    reservation_at(e, reserved)->makers = (uint32_t)pairs->n++;
}

/* Lazy rounds: notes which victims a reservation is made of, so that they end
 * when it is claimed. */
static void preempt_note_makers(sked_engine *e,
                                const round_placement *placement)
{
    uint32_t reserved = preempt_reservation_for(e, placement->ask,
                                                placement->node);

    if (!e->preempt->lazy || reserved == SKEDI_NONE) return;
    node_at(e, placement->node)->seen = 0; /* others may make it now */
    for (uint32_t i = 0; i < placement->victims; i++) {
        preempt_note_maker(e, reserved,
                           preempt_victim_at(e, placement->first + i));
    }
}

/* Reserves for tasks of an ask on a node, or goes on doing so; for so many
 * more of them others get kill orders. */
static uint32_t preempt_reserve_step(sked_engine *e,
                                     const round_placement *placement,
                                     int64_t count, int64_t paid)
{
    uint32_t reserved = preempt_reservation_for(e, placement->ask,
                                                placement->node);
    sked_time until = e->now + e->preempt->keep_for;

    if (reserved != SKEDI_NONE) paid += reservation_at(e, reserved)->paid;
    if (reserved != SKEDI_NONE && reservation_at(e, reserved)->count == count) {
        skedi_reservation_renew(e, reserved, until);
    } else {
        if (reserved != SKEDI_NONE) skedi_reservation_drop(e, reserved);
        skedi_reservation_add(e, placement->ask, placement->node,
                              (uint32_t)count, until);
        reserved = preempt_reservation_for(e, placement->ask, placement->node);
    }
    skedi_reservation_pay(e, reserved, (uint32_t)skedi_i64_min(paid, count));
    return reserved;
}

static void preempt_reserve_planned(sked_engine *e,
                                    const round_reservations *planned)
{
    size_t n = e->preempt->placements.n;

    for (size_t i = 0; i < n; i++) {
        if (!planned->tasks[i]) continue;
        uint32_t reserved = preempt_reserve_step(
            e, placement_at(e, i), planned->tasks[i], planned->paid[i]);
        reservation_at(e, reserved)->made = (uint32_t)planned->made[i];
    }
    for (size_t i = 0; i < n; i++) preempt_note_makers(e, placement_at(e, i));
}

/* Gives up reservations that nothing is planned for. */
static void preempt_void_others(sked_engine *e)
{
    e->preempt->pairs.n = 0;
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        reservation_at(e, i)->wanted = 0;
        reservation_at(e, i)->makers = SKEDI_NONE;
    }
    for (size_t i = 0; i < e->preempt->placements.n; i++) {
        const round_placement *placement = placement_at(e, i);
        uint32_t reserved = preempt_reservation_for(e, placement->ask,
                                                    placement->node);
        if (reserved != SKEDI_NONE) reservation_at(e, reserved)->wanted = 1;
    }
    for (uint32_t i = e->first_reservation, next; i != SKEDI_NONE; i = next) {
        next = reservation_at(e, i)->later;
        if (!reservation_at(e, i)->wanted) skedi_reservation_void(e, i);
    }
}

/* ---- Both ---- */

static int preempt_act_reserve(sked_engine *e, size_t wanted)
{
    struct engine_preempt *own = e->preempt;
    uint64_t placements = own->placements.n;
    uint64_t said = 2 * wanted + skedi_round_marks(e) + e->reservations.live +
                    placements;

    if (own->lazy &&
        !skedi_ensure(&e->hooks.mem, &own->pairs.item, &own->pairs.cap,
                      own->victims.n, sizeof(round_pair))) {
        return 0;
    }
    return said <= SIZE_MAX / 2 && skedi_out_reserve(e, (size_t)said) &&
           skedi_reservation_reserve(e, placements) &&
           skedi_notice_reserve(e, wanted);
}

sked_status skedi_round_act(round_state *s, sked_error *err)
{
    sked_engine *e = s->e;
    round_wanted wanted = {0};
    round_reservations planned;
    sked_round_action actions[64];
    round_said said = {.wanted = &wanted};
    size_t n = 64;

    if (!preempt_decide_due(e, &wanted) ||
        !preempt_sum_reservations(e, &planned) ||
        !preempt_act_reserve(e, wanted.n)) {
        return skedi_fail_memory(err);
    }
    const sked_round_input in = {
        .struct_size = sizeof in,
        .n = (uint32_t)wanted.n,
        .key = wanted.key,
        .count = wanted.count,
        .held = wanted.held,
    };
    sked_status rc = sked_round_update(e->preempt->round, &in, e->now, err);
    if (rc != SKED_OK) return rc;
    skedi_out_close(e);
    while (n == 64) {
        (void)!sked_round_take(e->preempt->round, actions, 64, &n, err);
        for (size_t i = 0; i < n; i++) preempt_act_on(e, &actions[i], &said);
    }
    if (e->preempt->watches) return SKED_OK;
    preempt_void_others(e);
    preempt_reserve_planned(e, &planned);
    return SKED_OK;
}

/*
 * Lazy rounds: victims that are due run on until the ask for which what they
 * hold is reserved would really start on their node, had it that. Only then do
 * they get kill orders, those of a step together; the ask has it as soon as the
 * host says that they did.
 *
 * What a round asks is asked again, of those that it chose: is the step still
 * within what its queue may claim, are they surplus still, by what their queues
 * kept in the last round, and would the step start without them? What is on its
 * way counts as there, so the same need ends no task twice. After a commit
 * nothing gets a kill order before the next round.
 */

/* A reservation, step by step (of one task, or a whole gang). */
typedef struct lazy_reservation {
    round_state s;
    round_part part;
    engine_reservation *reserved;
    plan_want want;
} lazy_reservation;

static round_pair *preempt_pair_at(const sked_engine *e, uint32_t i)
{
    return (round_pair *)e->preempt->pairs.item + i;
}

/* Is any of the victims offered? */
static int preempt_is_offered(const sked_engine *e,
                              const engine_reservation *reserved)
{
    for (uint32_t i = reserved->makers; i != SKEDI_NONE;
         i = preempt_pair_at(e, i)->next) {
        const round_pair *pair = preempt_pair_at(e, i);
        if (pair->count &&
            sked_round_offer_count(e->preempt->round, pair->group)) {
            return 1;
        }
    }
    return 0;
}

/* How far queues claim by a policy and which give by it, as the last round had
 * it. 0: no memory. */
static int preempt_open_policy(round_part *part, uint32_t policy)
{
    sked_engine *e = part->e;
    size_t first = (size_t)part->partition * e->preempt->policies + policy;
    const int64_t *claims = e->preempt->claims.item;
    const uint8_t *givers = e->preempt->givers.item;
    uint64_t cells = (uint64_t)e->rows.n * e->kinds;
    int64_t *claim = skedi_round_reserve(e, cells, sizeof *claim);
    uint32_t *reasons = skedi_round_reserve(e, e->rows.n, sizeof *reasons);

    if (!claim || !reasons) return 0;
    memcpy(claim, claims + first * cells, (size_t)cells * sizeof *claim);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        reasons[row] = givers[first * e->rows.n + row] & ROUND_GIVES
                           ? SKED_TARGET_REASON_GIVES
                           : 0;
    }
    part->policy[policy].claim = claim;
    part->policy[policy].reasons = reasons;
    return 1;
}

/* The same for all policies, what queues keep, and which may be preempted at
 * all. 0: no memory. */
static int preempt_open_owners(round_part *part)
{
    sked_engine *e = part->e;
    const int64_t *keeps = e->preempt->keeps.item;
    const uint8_t *givers = e->preempt->givers.item;
    uint64_t cells = (uint64_t)e->rows.n * e->kinds;
    uint32_t n = e->preempt->policies;
    int64_t *keep = skedi_round_reserve(e, cells, sizeof *keep);
    int64_t *share = skedi_round_reserve(e, cells, sizeof *share);
    uint8_t *allowed = skedi_round_reserve(e, e->rows.n, 1);

    part->policy = skedi_round_reserve(e, n, sizeof *part->policy);
    if (!keep || !share || !allowed || !part->policy) return 0;
    memcpy(keep, keeps + part->partition * cells, (size_t)cells * sizeof *keep);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds, bytes = e->kinds * sizeof *share;
        size_t cell = cell_of(e, row, part->partition);
        memcpy(share + at, cell_row(e, e->cell_share, cell), bytes);
        cell = (size_t)part->partition * n * e->rows.n + row;
        allowed[row] = (givers[cell] & ROUND_ALLOWED) != 0;
    }
    part->keep = keep;
    part->share = share;
    part->allowed = allowed;
    part->by = part->policy;
    for (uint32_t i = 0; i < n; i++) {
        if (!preempt_open_policy(part, i)) return 0;
    }
    return 1;
}

/* A step of a reservation. */
static plan_want preempt_step_reserved(const sked_engine *e,
                                       const engine_reservation *reserved)
{
    const engine_ask *a = ask_at(e, reserved->ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t partition = node_at(e, reserved->node)->partition;

    return (plan_want){
        .ask = reserved->ask,
        .leaf = job->row,
        .account = skedi_account_of_ask(e, reserved->ask, partition),
        .tasks = a->flags & SKED_ASK_GANG ? (uint32_t)a->open : 1,
        .inner = SKEDI_NONE,
        .priority = job->priority,
        .master = (a->flags & SKED_ASK_MASTER) != 0,
        .step = engine_row_of(e, &e->shape_step, a->shape),
        .only = reserved->makers,
    };
}

/* Steps on other nodes whose victims got kill orders count as started. */
static void preempt_count_made(lazy_reservation *l)
{
    const sked_engine *e = l->part.e;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        int gang = (ask_at(e, k->ask)->flags & SKED_ASK_GANG) != 0;
        if (k == l->reserved || k->made == 0) continue;
        if (node_at(e, k->node)->partition != l->part.partition) continue;
        plan_want want = preempt_step_reserved(e, k);
        skedi_plan_book(&l->part, &want, gang ? 1 : (int64_t)k->made);
    }
}

static int preempt_open_reserve(lazy_reservation *l, sked_engine *e)
{
    l->s.e = e;
    l->part = (round_part){
        .s = &l->s,
        .e = e,
        .partition = node_at(e, l->reserved->node)->partition,
        .lazy = 1,
    };
    l->want = preempt_step_reserved(e, l->reserved);
    if (!skedi_books_open(&l->s, 0) || !skedi_books_open_part(&l->part) ||
        !skedi_books_open_plans(&l->part) || !preempt_open_owners(&l->part) ||
        !skedi_round_users(&l->part) || !skedi_round_spare(&l->part)) {
        return 0;
    }
    preempt_count_made(l);
    return 1;
}

/* Do victims make way for the next step by a rule? -1: none yet; -3: no
 * memory. */
static int64_t preempt_try_rule(lazy_reservation *l, uint32_t rule)
{
    l->want.rule = rule;
    if (!skedi_plan_within(&l->part, &l->want)) return -1;
    return skedi_plan_on(&l->part, &l->want, l->reserved->node, INT64_MAX);
}

/* By which policy and rule victims make way for the next step; -1: by none yet;
 * -3: no memory. */
static int64_t preempt_find_victims(lazy_reservation *l)
{
    int64_t cost = -1;

    for (uint32_t i = 0; cost == -1 && i < l->part.e->preempt->policies; i++) {
        l->part.by = &l->part.policy[i];
        cost = preempt_try_rule(l, PLAN_CLAIM);
    }
    if (cost == -1) cost = preempt_try_rule(l, PLAN_USER);
    return cost == -1 ? preempt_try_rule(l, PLAN_PRIORITY) : cost;
}

/* The pair of a group by the rule of the step; there is one. */
static round_pair *preempt_pair_of(lazy_reservation *l, uint64_t group)
{
    uint32_t i = l->reserved->makers;

    while (preempt_pair_at(l->part.e, i)->group != group ||
           preempt_pair_at(l->part.e, i)->rule != l->want.rule) {
        i = preempt_pair_at(l->part.e, i)->next;
    }
    return preempt_pair_at(l->part.e, i);
}

/* Gives kill orders to the victims of a step, all of them together. */
static sked_status preempt_end_victims(lazy_reservation *l, uint64_t last)
{
    sked_engine *e = l->part.e;
    const round_list *best = &e->preempt->best;
    const plan_pick *pick = best->item;

    if (best->n == 0) return SKED_OK;
    if (skedi_out_full(e) || e->stats.decisions >= last) return SKED_STOPPED;
    if (!skedi_out_reserve(e, best->n) || !skedi_notice_reserve(e, best->n)) {
        return SKED_ERR_NOMEM;
    }
    for (size_t i = 0; i < best->n; i++) {
        round_pair *pair = preempt_pair_of(l,
                                           skedi_group_name(e, pick[i].group));
        sked_status rc = preempt_round_claim(e, pick[i].group, pick[i].count,
                                             pair->reason, l->reserved->ask);
        if (rc != SKED_OK) return rc;
        pair->count -= pick[i].count;
    }
    return SKED_OK;
}

/* Others got kill orders for one step more. */
static void preempt_pay_for(lazy_reservation *l)
{
    sked_engine *e = l->part.e;
    uint32_t paid = l->reserved->paid + l->want.tasks;

    skedi_reservation_pay(e, (uint32_t)(l->reserved - reservation_at(e, 0)),
                          paid < l->reserved->count ? paid
                                                    : l->reserved->count);
}

/* Serves the steps of a reservation until one would not start. */
static sked_status preempt_serve_steps(lazy_reservation *l, uint64_t last)
{
    sked_engine *e = l->part.e;
    uint32_t tasks = 0;

    while (tasks + l->want.tasks <= l->reserved->count) {
        if (preempt_find_victims(l) < 0) break;
        sked_status rc = preempt_end_victims(l, last);
        if (rc != SKED_OK) return rc;
        tasks += l->want.tasks;
        if (l->reserved->made < tasks) l->reserved->made = tasks;
        if (e->preempt->best.n > 0) preempt_pay_for(l);
        skedi_plan_gone(&l->part, l->reserved->node);
        skedi_plan_move(&l->part, &l->want, l->reserved->node, 1);
    }
    return SKED_OK;
}

sked_status skedi_lazy_serve(sked_engine *e, uint32_t reserved, uint64_t last)
{
    lazy_reservation l = {.reserved = reservation_at(e, reserved)};
    size_t part = node_at(e, l.reserved->node)->partition;

    if (part * e->rows.n >= e->preempt->keeps.n) return SKED_OK;
    if (!skedi_place_allows(e, l.reserved->ask, l.reserved->node)) {
        skedi_walk_wake(e, l.reserved->ask, l.reserved->node);
        return SKED_OK;
    }
    if (!preempt_is_offered(e, l.reserved)) return SKED_OK;
    skedi_arena_mark here = skedi_arena_here(&e->preempt->arena);
    sked_status rc = preempt_open_reserve(&l, e) ? preempt_serve_steps(&l, last)
                                                 : SKED_ERR_NOMEM;
    skedi_arena_rewind(&e->preempt->arena, here);
    return rc;
}
