/*
 * Acting on a plan: notices, kill orders and reservations.
 *
 * All memory is reserved first. Then notices, kill orders and reservations are
 * brought in line with the plan, with one decision for each change. The
 * victims of a step get their kill orders together, when the last of their
 * notices has run out.
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
    return e->preempt->watches || preempt_settle_due(e);
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
    const round_wanted *wanted;
} round_said;

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
    uint32_t at = said->wanted->place[group] - 1;

    preempt_decide_tasks(e, group, what, said->wanted->reason[at], action,
                         behind);
    skedi_out_last(e)->serves = said->wanted->ask[at];
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
    case SKED_ROUND_ORDER_KILL:
        preempt_decide_end(e, group, SKED_DECISION_KILL, said, action, dying);
        skedi_notice_take(e, group)->dying += action->count;
        (void)!sked_round_end(e->preempt->round, &action->key, &action->count,
                              1, NULL); /* it is ours to count */
        break;
    }
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
            pays[i + j] = any && first->due;
        }
    }
}

static int preempt_sum_reservations(sked_engine *e, round_reservations *planned)
{
    size_t n = e->preempt->placements.n;
    skedi_keyed *order = skedi_round_reserve(e, n, 2 * sizeof *order);

    planned->tasks = skedi_round_reserve(e, n, sizeof *planned->tasks);
    planned->paid = skedi_round_reserve(e, n, sizeof *planned->paid);
    uint8_t *pays = skedi_round_reserve(e, n, sizeof *pays);
    if (!order || !planned->tasks || !planned->paid || !pays) return 0;
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
        if (!pays[order[i].index]) continue;
        planned->paid[order[first].index] += placement->count;
    }
    return 1;
}

/* Reserves for tasks of an ask on a node, or goes on doing so; for so many
 * more of them others get kill orders. */
static void preempt_reserve_step(sked_engine *e,
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
}

static void preempt_reserve_planned(sked_engine *e,
                                    const round_reservations *planned)
{
    size_t n = e->preempt->placements.n;

    for (size_t i = 0; i < n; i++) {
        if (!planned->tasks[i]) continue;
        preempt_reserve_step(e, placement_at(e, i), planned->tasks[i],
                             planned->paid[i]);
    }
}

/* Gives up reservations that nothing is planned for. */
static void preempt_void_others(sked_engine *e)
{
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        reservation_at(e, i)->wanted = 0;
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
