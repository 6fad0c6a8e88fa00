/*
 * Which steps (a task, or a whole gang) want victims in a round, and in which
 * order. A step is a claim when its queue is due and stays within its claim
 * with it. After all claims, steps without a place may take victims inside
 * their own leaf, where its rules allow. A step that could not start even with
 * its victims gone takes none (plan.c).
 */
#include <string.h>

#include "base/sort.h"
#include "engine/core/reservations.h"
#include "engine/core/refusal.h"
#include "engine/order/books.h"
#include "engine/order/keys.h"
#include "engine/order/line.h"
#include "engine/order/accounts.h"
#include "engine/order/sets.h"
#include "engine/order/trees.h"
#include "engine/preempt/where.h"

/* So many asks of a queue are served in a round and partition by each policy;
 * those that are alike and follow each other count as one. */
enum { ROUND_ASKS = 64 };

/* ---- What asks ---- */

static int is_gang(const engine_ask *a)
{
    return (a->flags & SKED_ASK_GANG) != 0;
}

/* Steps of an ask that have no place yet. */
static int64_t steps_left(const round_part *part, uint32_t ask)
{
    const engine_ask *a = ask_at(part->e, ask);
    int64_t left = a->open - part->s->planned[ask];

    return is_gang(a) ? left >= a->open && a->open > 0 : left;
}

/* Does a step stay within a bound? */
static int fits_bound(const sked_engine *e, const int64_t *used,
                      const int64_t *step, const int64_t *bound)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] > 0 && used[k] + step[k] > bound[k]) return 0;
    }
    return 1;
}

static int user_within(const round_part *part, const plan_want *want,
                       const int64_t *bound)
{
    size_t at = (size_t)want->account * part->e->kinds;

    return !part->account_keep || want->account == SKEDI_NONE ||
           fits_bound(part->e, part->account_used + at, want->step, bound + at);
}

static uint32_t kinds_needed(const sked_engine *e, const int64_t *step)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

int skedi_plan_within(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    size_t at = (size_t)want->leaf * e->kinds;

    switch (want->rule) {
    case PLAN_CLAIM:
        return fits_bound(e, part->held + at, want->step,
                          part->by->claim + at) &&
               user_within(part, want, part->by->account_claim);
    case PLAN_USER: return user_within(part, want, part->account_share);
    default: return 1;
    }
}

/* May it ask now, by its rule? */
static int may_ask(const round_part *part, const plan_want *want)
{
    uint32_t kinds = kinds_needed(part->e, want->step);

    if (!kinds) return 0; /* it needs nothing */
    if (want->rule == PLAN_CLAIM && !(kinds & part->by->named[want->leaf])) {
        return 0;
    }
    return skedi_plan_within(part, want);
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

static alike alike_of(const round_part *part, const plan_want *want)
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

static int same_alike(const alike *a, const alike *b)
{
    return a->shape == b->shape && a->account == b->account &&
           a->priority == b->priority && a->terms == b->terms &&
           a->charged[0] == b->charged[0] && a->charged[1] == b->charged[1];
}

static uint32_t alike_slot(const alike_set *set, const alike *x)
{
    uint64_t hash = x->shape * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ x->account) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (uint32_t)x->priority) * UINT64_C(0x94d049bb133111eb);
    hash = (hash ^ x->charged[0]) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ x->charged[1]) * UINT64_C(0x94d049bb133111eb);
    uint32_t at = (uint32_t)((hash ^ x->terms) >> 32) & (set->cap - 1);
    while (set->slot[at].terms && !same_alike(&set->slot[at], x)) {
        at = (at + 1) & (set->cap - 1);
    }
    return at;
}

static int set_has(const alike_set *set, alike x)
{
    return set->cap && set->slot[alike_slot(set, &x)].terms;
}

static int set_add(sked_engine *e, alike_set *set, alike x)
{
    if (2 * set->n >= set->cap) {
        alike_set more = {.cap = set->cap ? set->cap * 2 : 16, .n = set->n};
        more.slot = skedi_round_reserve(e, more.cap, sizeof *more.slot);
        if (!more.slot) return 0;
        for (uint32_t i = 0; i < set->cap; i++) {
            if (!set->slot[i].terms) continue;
            more.slot[alike_slot(&more, &set->slot[i])] = set->slot[i];
        }
        *set = more;
    }
    set->slot[alike_slot(set, &x)] = x;
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
static int is_picky(const sked_engine *e, const engine_ask *a)
{
    if (a->flags & SKED_ASK_SPREAD && a->first_group != SKEDI_NONE) return 1;
    return extra_of(e, a)->places != SKEDI_NONE ||
           extra_of(e, a)->refusals != SKEDI_NONE;
}

/* Does a step need what victims of other steps leave? Then it gets a
 * reservation like a step with victims of its own; but not in lazy rounds,
 * where a reservation waits for its own victims only. */
static int needs_others(const sked_engine *e, const engine_entry *x,
                        uint32_t node)
{
    uint32_t row;

    if (e->preempt->lazy) return 0;
    int32_t reason = skedi_refusal_at(e, x->ask, x->account, node, &row);
    return reason != SKED_REASON_ORDER && reason != SKED_REASON_LOCALITY;
}

/* How many steps of an ask find places in one round at most: of one whose rule
 * counts tasks one, since what a round plans is not counted yet. */
static int64_t steps_to_serve(const round_part *part, uint32_t ask)
{
    const sked_engine *e = part->e;
    int64_t left = steps_left(part, ask);

    return skedi_shape_counts(e, ask_at(e, ask)->shape) ? skedi_i64_min(left, 1)
                                                        : left;
}

/* An ask has found places. */
static void count_served(ask_walk *w, alike like, int picky)
{
    w->served += picky || !same_alike(&like, &w->counted);
    w->counted = picky ? (alike){0} : like;
}

/* Finds nodes for all that a gang over nodes lacks, for a claim. 0: no memory.
 */
static int serve_wide(ask_walk *w, const engine_entry *x)
{
    round_part *part = w->part;
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, x->ask);
    int any = 0;

    if (!skedi_gang_may_claim(part, x->ask)) return 1;
    plan_want whole = skedi_plan_want(part, x->ask, x->account, PLAN_CLAIM);
    alike like = alike_of(part, &whole);
    if (!is_picky(part->e, a) && set_has(&w->failed, like)) return 1;
    w->last = (alike){0};
    whole.step = engine_row_of(e, &e->shape_step, a->shape);
    int user = skedi_plan_block(part, &whole, SKEDI_NONE).what > BLOCK_ROW;
    if (!user && may_ask(part, &whole) &&
        !skedi_plan_gang(&w->search, x->ask, x->account, &any)) {
        return 0;
    }
    w->served += (uint32_t)any;
    w->counted = (alike){0};
    return any || is_picky(part->e, a) || set_add(part->e, &w->failed, like);
}

/* Finds places for what an ask has left. 0: no memory. */
static int serve_ask(ask_walk *w, const engine_entry *x, uint32_t rule)
{
    round_part *part = w->part;
    plan_want want = skedi_plan_want(part, x->ask, x->account, rule);
    alike like = alike_of(part, &want);
    int picky = is_picky(part->e, ask_at(part->e, x->ask)), any = 0, costs;

    if (!picky && set_has(&w->failed, like)) return 1;
    if (picky || !same_alike(&like, &w->last)) w->search.live = 0;
    w->last = picky ? (alike){0} : like;
    for (int64_t n = steps_to_serve(part, x->ask); n > 0; n--) {
        uint32_t node = SKEDI_NONE;
        if (may_ask(part, &want) &&
            !skedi_search(&w->search, &want, &node, &costs)) {
            return 0;
        }
        if (node == SKEDI_NONE) {
            if (any) count_served(w, like, picky);
            return picky || set_add(part->e, &w->failed, like);
        }
        any = 1;
        if (!costs) part->e->preempt->best.n = 0;
        if (!costs && !needs_others(part->e, x, node)) {
            skedi_plan_turn(part, &want, node);
        } else if (!skedi_plan_take(part, &want, node)) {
            return 0;
        }
    }
    if (any) count_served(w, like, picky);
    return 1;
}

/* ---- One leaf ---- */

/* Asks that the last round reserved for go first: else victims that got notice
 * for one of them would go for another, and back, round after round. */
static void put_reserved_first(const round_part *part, uint32_t *line,
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
static int line_up_asks(const round_part *part, uint32_t row, uint32_t **line,
                        uint32_t *n)
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
    put_reserved_first(part, own, scratch, *n);
    return 1;
}

/* Does a round look at an ask by a rule? Nothing ends for one of a job that
 * yields, nor for one that is to have a node to itself; for a gang over nodes
 * nothing of its own leaf. */
static int is_asked_for(const sked_engine *e, uint32_t ask, uint32_t rule)
{
    const engine_ask *a = ask_at(e, ask);

    if (job_at(e, a->job)->flags & SKED_JOB_YIELDS) return 0;
    if (a->flags & SKED_ASK_EXCLUSIVE) return 0;
    return rule == PLAN_CLAIM || !(a->flags & SKED_ASK_SPREAD);
}

/* Finds places for the asks of a leaf, by a rule. 0: no memory. */
static int serve_leaf(ask_walk *w, uint32_t row, uint32_t rule)
{
    uint32_t *line, n;

    if (!line_up_asks(w->part, row, &line, &n)) return 0;
    w->failed = (alike_set){0};
    w->served = 0;
    w->counted = (alike){0};
    w->search.live = 0;
    for (uint32_t i = 0; i < n && w->served < ROUND_ASKS; i++) {
        const engine_entry *x = entry_at(w->part->e, line[i]);
        int wide = (ask_at(w->part->e, x->ask)->flags & SKED_ASK_SPREAD) != 0;
        if (!is_asked_for(w->part->e, x->ask, rule)) continue;
        if (!(wide ? serve_wide(w, x) : serve_ask(w, x, rule))) return 0;
    }
    return 1;
}

/* ---- All of them ---- */

/* The part of its share that a queue uses, of the kind it uses most of. */
static uint64_t part_of_share_used(const round_part *part, uint32_t row)
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
static int leaf_asks(const round_part *part, uint32_t row, uint32_t rule)
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
static int serve_leaves(ask_walk *w, uint32_t rule)
{
    const round_part *part = w->part;
    sked_engine *e = part->e;
    uint32_t n = 0;
    skedi_keyed *rows = skedi_round_reserve(e, (uint64_t)e->rows.n * 2,
                                            sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        if (!leaf_asks(part, row, rule)) continue;
        rows[n] = (skedi_keyed){part_of_share_used(part, row), n, row};
        n++;
    }
    if (!rows) return 0;
    skedi_sort_keys(rows, rows + e->rows.n, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!serve_leaf(w, rows[i].tag, rule)) return 0;
    }
    return 1;
}

/* Does a step still fit for which victims got a kill order? The bounds of its
 * user and of masters were asked at the kill, and may have moved since. */
static int still_fits(round_part *part, plan_want want, uint32_t node)
{
    want.account = SKEDI_NONE;
    want.master = 0;
    return skedi_plan_block(part, &want, node).what == BLOCK_NONE;
}

/* Steps for which victims got a kill order, and which need no others, keep
 * their places whatever else has become of their queues: so no task has ended
 * in vain. 0: no memory. */
static int keep_made(round_part *part)
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
            if (k->paid > 0 && !skedi_gang_keep(part, k->ask)) return 0;
            continue;
        }
        uint32_t account = skedi_account_of_ask(e, k->ask, part->partition);
        plan_want want = skedi_plan_want(part, k->ask, account, PLAN_CLAIM);
        int64_t most = k->paid / skedi_i64_max(want.tasks, 1);
        int64_t left = steps_left(part, k->ask);
        for (int64_t n = skedi_i64_min(most, left); n > 0; n--) {
            if (!still_fits(part, want, k->node)) break;
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
static int serve_claims(ask_walk *w)
{
    round_part *part = w->part;

    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        part->by = &part->policy[i];
        if (!serve_leaves(w, PLAN_CLAIM)) return 0;
    }
    return 1;
}

/* Inside leaves the last policy bounds what is taken. */
static int serve_rules(ask_walk *w)
{
    uint32_t flags = w->part->e->preempt->opts.flags;

    if (!keep_made(w->part) || !serve_claims(w)) return 0;
    if (flags & SKED_PREEMPT_FLAG_BY_USER && w->part->account_keep &&
        !serve_leaves(w, PLAN_USER)) {
        return 0;
    }
    return !(flags & SKED_PREEMPT_FLAG_BY_PRIORITY) ||
           serve_leaves(w, PLAN_PRIORITY);
}

sked_status skedi_round_asks(round_part *part)
{
    ask_walk w = {.part = part, .search = {.part = part}};

    return serve_rules(&w) ? SKED_OK : SKED_ERR_NOMEM;
}
