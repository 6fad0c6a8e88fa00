/*
 * Gangs over nodes that claim. All that one lacks is planned task by task, each
 * on the cheapest node by then, and all of it is given up where one task finds
 * none: so a round reserves nodes for a whole gang or for nothing of it. What it
 * reserved is decided in one order, and fits beside all else that is reserved,
 * so no two gangs wait for each other. Its user, which may pass its bound by the
 * last step, is asked once, for all of it.
 */
#include "engine/core/gangs.h"

#include "engine/core/notices.h"
#include "engine/core/refusal.h"
#include "engine/core/reservations.h"
#include "engine/core/same.h"
#include "engine/core/share.h"
#include "engine/order/accounts.h"
#include "engine/order/domains.h"
#include "engine/order/shapes.h"
#include "engine/preempt/where.h"

/* A task of a gang, after its user was asked. */
static plan_want task_of_gang(const round_part *part, uint32_t ask,
                              uint32_t account)
{
    plan_want want = skedi_plan_want(part, ask, account, PLAN_CLAIM);

    want.follows = 1;
    return want;
}

/* Gives up what was planned from a place on. */
static void give_up_from(round_part *part, size_t from)
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
static void join_from(round_part *part, size_t from)
{
    size_t n = part->e->preempt->placements.n;

    for (size_t i = from; i < n; i++) placement_at(part->e, i)->span = 0;
    placement_at(part->e, from)->span = (uint32_t)(n - from);
    part->gangs++;
}

/* ---- Looking for nodes ---- */

/* Plans a step of a gang on the cheapest node. 1; 0: there is none; -1: no
 * memory. */
static int plan_step(plan_search *s, plan_want *want)
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
static int plan_beside(plan_search *s, uint32_t ask, uint32_t account,
                       int64_t *left)
{
    const sked_engine *e = s->part->e;
    int64_t each = extra_of(e, ask_at(e, ask))->each, over = *left % each;
    int64_t n = 0;
    int found = 1;

    s->beside = 1;
    for (s->live = 0; n < *left && found > 0; n += found) {
        plan_want want = task_of_gang(s->part, ask, account);
        skedi_plan_one(s->part, &want);
        found = plan_step(s, &want);
    }
    s->beside = 0;
    if (found < 0) return -1;
    if (n < over) return 0;
    n = over + (n - over) / each * each;
    give_up_from(s->part, s->from + (size_t)n);
    *left -= n;
    return 1;
}

/* Plans every task that a gang lacks. 1; 0: there are too few nodes, and nothing
 * is planned; -1: no memory. */
static int plan_all_tasks(plan_search *s, uint32_t ask, uint32_t account)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, ask);
    int64_t left = a->open;
    int found = 1;

    if (extra_of(e, a)->each > 0 && a->first_group != SKEDI_NONE) {
        found = plan_beside(s, ask, account, &left);
    }
    for (s->live = 0; left > 0 && found > 0;) {
        plan_want want = task_of_gang(s->part, ask, account);
        left -= want.tasks;
        found = plan_step(s, &want);
    }
    if (found == 0) give_up_from(s->part, s->from);
    return found;
}

/* The same on nodes that share a value, for each value until there is one. */
static int plan_on_values(plan_search *s, uint32_t ask, uint32_t account)
{
    const sked_engine *e = s->part->e;
    const engine_domain_key *all = skedi_domains_of(e, s->same).only;
    int found = 0;

    for (uint32_t i = 0; i < all->n && found == 0; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != s->part->partition) continue;
        if (!skedi_same_has(e, ask, s->same, d->value)) continue;
        s->value = d->value;
        found = plan_all_tasks(s, ask, account);
    }
    return found;
}

/* Does all that is planned from a place on start by its turn, as things are? */
static int starts_by_turn(const round_part *part, uint32_t ask,
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
static void leave_to_turn(round_part *part, size_t from)
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
static int goes_up_in_nodes(const sked_engine *e, const engine_ask *a)
{
    uint32_t each = extra_of(e, a)->each;

    return each == 0 || a->first_group != SKEDI_NONE || a->open % each == 0;
}

int skedi_gang_may_claim(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, ask);

    return skedi_gang_in_rounds(e, ask) && a->open > 0 &&
           part->s->planned[ask] == 0 && !(a->flags & SKED_ASK_MASTER) &&
           part->gangs < e->preempt->opts.gangs && goes_up_in_nodes(e, a) &&
           !skedi_gang_is_ending(e, ask);
}

int skedi_plan_gang(plan_search *s, uint32_t ask, uint32_t account, int *any)
{
    round_part *part = s->part;
    sked_engine *e = part->e;

    s->from = e->preempt->placements.n;
    s->same = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    int found = s->same ? plan_on_values(s, ask, account)
                        : plan_all_tasks(s, ask, account);
    s->same = 0;
    if (found == 0 && skedi_same_is_soft(e, ask)) {
        found = plan_all_tasks(s, ask, account);
    }
    s->live = 0;
    if (found < 0) return 0;
    *any = found;
    if (!found) return 1;
    if (starts_by_turn(part, ask, account, s->from))
        leave_to_turn(part, s->from);
    else
        join_from(part, s->from);
    return 1;
}

/* ---- What others got kill orders for ---- */

/* Is all that a gang lacks reserved in a partition, and does every node still
 * take it? */
static int is_reserved_whole(const round_part *part, uint32_t ask)
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
static int keep_reserved(round_part *part, const engine_reservation *k)
{
    sked_engine *e = part->e;
    uint32_t account = skedi_account_of_ask(e, k->ask, part->partition);
    plan_want want = task_of_gang(part, k->ask, account);

    if (skedi_gang_there(e, k->ask, k->node) > 0) skedi_plan_one(part, &want);
    for (int64_t left = k->count; left > 0; left -= want.tasks) {
        if (skedi_plan_block(part, &want, k->node).what != BLOCK_NONE) return 0;
        e->preempt->best.n = 0;
        if (!skedi_plan_take(part, &want, k->node)) return -1;
        placement_at(e, e->preempt->placements.n - 1)->made = 1;
    }
    return 1;
}

int skedi_gang_keep(round_part *part, uint32_t ask)
{
    sked_engine *e = part->e;
    size_t from = e->preempt->placements.n;
    int kept = 1;

    if (part->s->planned[ask] > 0 || !is_reserved_whole(part, ask)) return 1;
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE && kept == 1;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        if (k->ask == ask) kept = keep_reserved(part, k);
    }
    if (kept < 0) return 0;
    if (kept) {
        join_from(part, from);
    } else {
        give_up_from(part, from);
    }
    return 1;
}
