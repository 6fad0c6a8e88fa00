/*
 * P4: what a queue claims for could start, and stays within its claim. C and K
 * (docs/design/promises.md) from the checker's own shares.
 */
#include "host.h"

static int64_t inherited(const books *b, int32_t row, int32_t attribute)
{
    for (; row >= 0; row = b->w->queue[row].parent) {
        int64_t own = b->queue[row].number[attribute];
        if (own != SKED_UNSET) return own;
    }
    return SKED_UNLIMITED;
}

int64_t claims_due(const books *b, int32_t leaf)
{
    return inherited(b, leaf, SKED_QUEUE_PREEMPT_MIN_TIMEOUT);
}

/* Is there an order above that leads to no share? */
static int is_below_other_order(const books *b, int32_t leaf)
{
    for (int32_t row = b->w->queue[leaf].parent; row >= 0;
         row = b->w->queue[row].parent) {
        int64_t order = b->queue[row].number[SKED_QUEUE_ORDER];
        if (order == SKED_ORDER_POLICY_FIFO ||
            order == SKED_ORDER_POLICY_RANDOM ||
            order == SKED_ORDER_POLICY_PRIORITY) {
            return 1;
        }
    }
    return 0;
}

int claims_are_known(const host *h)
{
    uint32_t flags = 0;

    for (uint32_t p = 0; p < h->w->parts; p++) {
        if (h->b.shares[p].loose) return 0;
    }
    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        flags |= world_policy(h->w, i)->flags;
    }
    return h->sharp &&
           !(flags & (SKED_TARGET_FLAG_PRIORITY | SKED_TARGET_FLAG_BY_WEIGHT));
}

static int64_t dead_zone(const sked_target_options *t)
{
    if (t->ignored_ppm < 0) return 0;
    return t->ignored_ppm == 0 && t->mode == SKED_TARGET_MODE_IMBALANCE
               ? 100000
               : t->ignored_ppm;
}

static int64_t widened(int64_t amount, int64_t ppm)
{
    return amount + (amount * ppm + SKED_PPM - 1) / SKED_PPM;
}

int64_t claims_keep_off(const host *h)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        int64_t own = widened(CLAIM_OFF, dead_zone(world_policy(h->w, i)));
        most = own > most ? own : most;
    }
    return most;
}

/* What one policy lets a leaf keep. */
static int64_t keep_by(const sked_target_options *t, const shares_row *r,
                       uint32_t k)
{
    if (t->mode != SKED_TARGET_MODE_IMBALANCE) {
        return widened(r->share[k], dead_zone(t));
    }
    int64_t wide = widened(r->force[k], dead_zone(t));
    return wide > r->share[k] ? wide : r->share[k];
}

int64_t claims_keep(const host *h, uint32_t part, int32_t leaf, uint32_t k)
{
    const shares_row *r = &h->b.shares[part].row[leaf];
    int64_t most = 0;

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        int64_t own = keep_by(world_policy(h->w, i), r, k);
        most = own > most ? own : most;
    }
    return most;
}

int claims_whole_share(const host *h, const sked_target_options *t,
                       int32_t leaf)
{
    int whole = t->mode == SKED_TARGET_MODE_ENTITLEMENT ||
                t->flags & SKED_TARGET_FLAG_BALANCE;

    return whole && !is_below_other_order(&h->b, leaf);
}

int64_t claims_bound(const host *h, const sked_target_options *t, uint32_t part,
                     int32_t leaf, uint32_t k)
{
    const shares_row *r = &h->b.shares[part].row[leaf];
    int64_t most = r->claim[k] < r->share[k] ? r->claim[k] : r->share[k];

    return claims_whole_share(h, t, leaf) ? r->share[k] : most;
}

/* What a parent is off by in one kind shows in the others below. */
static int64_t off_below(const host *h, int32_t leaf)
{
    return CLAIM_OFF * books_depth(&h->b, leaf);
}

int claims_reach(const host *h, uint32_t part, int32_t leaf, uint32_t k,
                 int64_t bound)
{
    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        int64_t own = claims_bound(h, world_policy(h->w, i), part, leaf, k);
        int64_t off = bound > own ? bound - own : own - bound;
        if (off <= off_below(h, leaf)) return 1;
    }
    return 0;
}

int claims_hold(const host *h, uint32_t part, int32_t ask)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        const sked_target_options *t = world_policy(h->w, i);
        uint32_t k = 0;
        for (; k < h->w->kinds; k++) {
            int64_t step = books_lacks(b, ask, k);
            int64_t most = claims_bound(h, t, part, leaf, k);
            int64_t has = b->use[part][leaf][k] + step;
            if (step > 0 && has > most - off_below(h, leaf)) break;
        }
        if (k == h->w->kinds) return 1;
    }
    return 0;
}

/* By starvation a part of the share is claimed after the fair time-out, where
 * the orders above lead to one. */
static int64_t most_claimed(const host *h, const sked_target_options *t,
                            uint32_t part, int32_t leaf, uint32_t k)
{
    int64_t timeout = inherited(&h->b, leaf, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT);
    int64_t share = h->b.shares[part].row[leaf].share[k];

    if (t->mode == SKED_TARGET_MODE_STARVATION && timeout != SKED_UNLIMITED &&
        !is_below_other_order(&h->b, leaf)) {
        return share;
    }
    return claims_bound(h, t, part, leaf, k);
}

/* The ask could start here, were there what it needs. */
static int may_start(const books *b, int32_t ask, int32_t node)
{
    return books_in_line(b, ask, b->part[node]) &&
           !shares_drains(b->w, b->queue, books_leaf(b, ask)) &&
           (b->paid[node][ask] ? books_takes_paid(b, ask, (uint32_t)node)
                               : books_takes(b, ask, (uint32_t)node)) &&
           books_listed(b, ask, (uint32_t)node) >= 0 &&
           !world_is_elastic(&b->w->ask[ask]) &&
           (b->w->gangs || !(b->w->ask[ask].flags & SKED_ASK_SPREAD));
}

/* The usage of the leaf with all its reservations, without the tasks of the leaf
 * that end. */
static int64_t has_reserved(const host *h, int32_t ask, uint32_t part,
                            uint32_t k)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);

    return b->use[part][leaf][k] - books_leaving(b, part, leaf, k) +
           books_reserved(b, part, leaf, k, -1, -1);
}

/* Is the leaf with that within what a policy lets it claim, in one kind? */
static int kind_within(const host *h, const sked_target_options *t, int32_t ask,
                       uint32_t part, uint32_t k)
{
    int32_t leaf = books_leaf(&h->b, ask);

    return books_step(&h->b, ask, k) == 0 ||
           has_reserved(h, ask, part, k) <=
               most_claimed(h, t, part, leaf, k) + CLAIM_OFF;
}

static int is_within(const host *h, const sked_target_options *t, int32_t ask,
                     uint32_t part)
{
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        if (!kind_within(h, t, ask, part, k)) return 0;
    }
    return 1;
}

/* Is something reserved for another ask of its leaf? By another policy it may
 * have other kinds. */
static int has_company(const host *h, int32_t ask)
{
    const books *b = &h->b;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
            if (a == ask || b->reserved[n][a] == 0) continue;
            if (books_leaf(b, a) == books_leaf(b, ask)) return 1;
        }
    }
    return 0;
}

/* The leaf is within its claim: by one policy in all kinds; where several asks
 * of it are served, in each kind by some policy. */
static int is_within_claim(const host *h, int32_t ask, int32_t node)
{
    const world *w = h->w;
    uint32_t part = h->b.part[node], kinds = 0;

    for (uint32_t i = 0; i < world_policies(w); i++) {
        const sked_target_options *t = world_policy(w, i);
        if (is_within(h, t, ask, part)) return 1;
        for (uint32_t k = 0; k < w->kinds; k++) {
            if (kind_within(h, t, ask, part, k)) kinds |= 1u << k;
        }
    }
    return has_company(h, ask) && kinds + 1 == 1u << w->kinds;
}

/* What was told on a node in this round was told for claims alone. A group is
 * told once, for the first that wants it: so nothing else may be kept there. */
static int told_for_claims(const host *h, int32_t node)
{
    int any = 0, asks = 0;

    for (uint32_t a = 0; a < h->w->asks; a++) {
        asks += h->b.reserved[node][a] > 0;
    }
    if (asks > 1) return 0;
    for (uint32_t i = 0; i < h->n_told; i++) {
        const host_told *t = &h->told[i];
        if (t->node != node || t->kind == SKED_DECISION_WITHDRAW) continue;
        if (t->reason != SKED_REASON_PREEMPTED &&
            t->reason != SKED_REASON_PREEMPTED_LIMIT) {
            return 0;
        }
        any = 1;
    }
    return any;
}

/* Then more may be kept for an ask than it claims. */
static int takes_inside(const world *w)
{
    return (w->flags &
            (SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY)) != 0;
}

/* All nodes that are kept for a gang, or run some of it, share a zone. */
static int is_in_one_zone(const books *b, int32_t ask)
{
    uint32_t zones = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        if (b->reserved[n][ask] + b->run[n][ask] > 0) zones |= b->zone[n];
    }
    return (zones & (zones - 1)) == 0 || !world_is_bound(&b->w->ask[ask]);
}

void check_claimed(host *h, int32_t node)
{
    const books *b = &h->b;

    if (!b->node_open[node]) return;
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        if (b->reserved[node][a] == 0) continue;
        h->checked |= UINT32_C(1) << PROMISE_CLAIM;
        if (!may_start(b, a, node) || !is_in_one_zone(b, a)) {
            host_broken(h, PROMISE_CLAIM,
                        "round %u: node %d is kept for ask %d, which may not "
                        "start there whatever is free",
                        h->rounds, node + 1, a + 1);
        }
        if (!claims_are_known(h) || takes_inside(h->w)) continue;
        if (!told_for_claims(h, node) || is_within_claim(h, a, node)) continue;
        host_broken(h, PROMISE_CLAIM,
                    "round %u: tasks are told on node %d for ask %d of queue "
                    "%d, which has more than it may claim",
                    h->rounds, node + 1, a + 1, books_leaf(b, a));
    }
}

/* What has been told for the steps a node is kept for is enough for them. */
void check_enough(host *h, const fits_gone *gone)
{
    const books *b = &h->b;

    if (!books_are_sure(b)) return;
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        for (uint32_t a = 0; a < h->w->asks; a++) {
            int gang = world_is_gang(&h->w->ask[a]);
            int64_t steps = gang ? b->reserved[n][a] > 0 : b->reserved[n][a];
            if (steps == 0 || !b->node_open[n]) continue;
            h->checked |= UINT32_C(1) << PROMISE_PLAN;
            if (fits(b, (int32_t)a, (int32_t)n, steps, gone, 1)) continue;
            host_broken(h, PROMISE_PLAN,
                        "round %u: node %u is kept for %lld of ask %u, which "
                        "would not fit with all that was told gone",
                        h->rounds, n + 1, (long long)steps, a + 1);
        }
    }
}
