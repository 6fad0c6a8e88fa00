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
#include <string.h>

#include "engine/core/groups.h"
#include "engine/core/reservations.h"
#include "engine/core/notices.h"
#include "engine/core/out.h"
#include "engine/core/refusal.h"
#include "engine/core/wake.h"
#include "engine/order/accounts.h"
#include "engine/preempt/owners.h"

/* A reservation, step by step (of one task, or a whole gang). */
typedef struct lazy_reservation {
    round_state s;
    round_part part;
    engine_reservation *reserved;
    plan_want want;
} lazy_reservation;

static round_pair *pair_at(const sked_engine *e, uint32_t i)
{
    return (round_pair *)e->preempt->pairs.item + i;
}

/* Is any of the victims offered? */
static int is_offered(const sked_engine *e, const engine_reservation *reserved)
{
    for (uint32_t i = reserved->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        const round_pair *pair = pair_at(e, i);
        if (pair->count &&
            sked_round_offer_count(e->preempt->round, pair->group)) {
            return 1;
        }
    }
    return 0;
}

/* How far queues claim by a policy and which give by it, as the last round had
 * it. 0: no memory. */
static int open_policy(round_part *part, uint32_t policy)
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
static int open_owners(round_part *part)
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
        if (!open_policy(part, i)) return 0;
    }
    return 1;
}

/* A step of a reservation. */
static plan_want step_reserved(const sked_engine *e,
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
static void count_made(lazy_reservation *l)
{
    const sked_engine *e = l->part.e;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        int gang = (ask_at(e, k->ask)->flags & SKED_ASK_GANG) != 0;
        if (k == l->reserved || k->made == 0) continue;
        if (node_at(e, k->node)->partition != l->part.partition) continue;
        plan_want want = step_reserved(e, k);
        skedi_plan_book(&l->part, &want, gang ? 1 : (int64_t)k->made);
    }
}

static int open_reserve(lazy_reservation *l, sked_engine *e)
{
    l->s.e = e;
    l->part = (round_part){
        .s = &l->s,
        .e = e,
        .partition = node_at(e, l->reserved->node)->partition,
        .lazy = 1,
    };
    l->want = step_reserved(e, l->reserved);
    if (!skedi_books_open(&l->s, 0) || !skedi_books_open_part(&l->part) ||
        !skedi_books_open_plans(&l->part) || !open_owners(&l->part) ||
        !skedi_round_users(&l->part) || !skedi_round_spare(&l->part)) {
        return 0;
    }
    count_made(l);
    return 1;
}

/* Do victims make way for the next step by a rule? -1: none yet; -3: no
 * memory. */
static int64_t try_rule(lazy_reservation *l, uint32_t rule)
{
    l->want.rule = rule;
    if (!skedi_plan_within(&l->part, &l->want)) return -1;
    return skedi_plan_on(&l->part, &l->want, l->reserved->node, INT64_MAX);
}

/* By which policy and rule victims make way for the next step; -1: by none yet;
 * -3: no memory. */
static int64_t find_victims(lazy_reservation *l)
{
    int64_t cost = -1;

    for (uint32_t i = 0; cost == -1 && i < l->part.e->preempt->policies; i++) {
        l->part.by = &l->part.policy[i];
        cost = try_rule(l, PLAN_CLAIM);
    }
    if (cost == -1) cost = try_rule(l, PLAN_USER);
    return cost == -1 ? try_rule(l, PLAN_PRIORITY) : cost;
}

/* The pair of a group by the rule of the step; there is one. */
static round_pair *pair_of(lazy_reservation *l, uint64_t group)
{
    uint32_t i = l->reserved->makers;

    while (pair_at(l->part.e, i)->group != group ||
           pair_at(l->part.e, i)->rule != l->want.rule) {
        i = pair_at(l->part.e, i)->next;
    }
    return pair_at(l->part.e, i);
}

/* Gives kill orders to the victims of a step, all of them together. */
static sked_status end_victims(lazy_reservation *l, uint64_t last)
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
        round_pair *pair = pair_of(l, skedi_group_name(e, pick[i].group));
        sked_status rc = skedi_round_claim(e, pick[i].group, pick[i].count,
                                           pair->reason, l->reserved->ask);
        if (rc != SKED_OK) return rc;
        pair->count -= pick[i].count;
    }
    return SKED_OK;
}

/* Others got kill orders for one step more. */
static void pay_for(lazy_reservation *l)
{
    sked_engine *e = l->part.e;
    uint32_t paid = l->reserved->paid + l->want.tasks;

    skedi_reservation_pay(e, (uint32_t)(l->reserved - reservation_at(e, 0)),
                          paid < l->reserved->count ? paid
                                                    : l->reserved->count);
}

/* Serves the steps of a reservation until one would not start. */
static sked_status serve_steps(lazy_reservation *l, uint64_t last)
{
    sked_engine *e = l->part.e;
    uint32_t tasks = 0;

    while (tasks + l->want.tasks <= l->reserved->count) {
        if (find_victims(l) < 0) break;
        sked_status rc = end_victims(l, last);
        if (rc != SKED_OK) return rc;
        tasks += l->want.tasks;
        if (l->reserved->made < tasks) l->reserved->made = tasks;
        if (e->preempt->best.n > 0) pay_for(l);
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
    if (!is_offered(e, l.reserved)) return SKED_OK;
    skedi_arena_mark here = skedi_arena_here(&e->preempt->arena);
    sked_status rc = open_reserve(&l, e) ? serve_steps(&l, last)
                                         : SKED_ERR_NOMEM;
    skedi_arena_rewind(&e->preempt->arena, here);
    return rc;
}
