/* P9: what is decided is decided for the reason that it names. */
#include "host.h"

/* ---- Victims: for one of those that something is reserved for there ---- */

static int is_over_keep(const host *h, uint32_t part, int32_t leaf)
{
    const books *b = &h->b;

    if (!claims_are_known(h)) return 1;
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t has = b->use[part][leaf][k] - books_going(b, part, leaf, k);
        if (has > claims_keep(h, part, leaf, k) - claims_keep_off(h)) return 1;
    }
    return 0;
}

/* The highest queue but the root that is above both. */
static int32_t shared_above(const world *w, int32_t one, int32_t other)
{
    while (w->queue[one].parent > 0) one = w->queue[one].parent;
    while (w->queue[other].parent > 0) other = w->queue[other].parent;
    return one == other ? one : 0;
}

/* What was told to end before this round is gone. */
static void gone_before(const books *b, fits_gone *gone)
{
    *gone = (fits_gone){{{0}}, {{{0}}}};
    for (uint32_t i = 0; i < b->groups; i++) {
        const books_group *g = &b->group[i];
        if (g->count == 0) continue;
        fits_go(gone, g,
                books_ends_soon(b, g)   ? g->count
                : g->before < g->ending ? g->before
                                        : g->ending);
    }
}

/* Does anything else want to start below a queue? It may come first, as things
 * are. */
static int others_want(const books *b, int32_t ask, uint32_t part, int32_t top)
{
    for (int32_t a = 0; a < (int32_t)b->w->asks; a++) {
        if (a == ask || !books_in_line(b, a, part)) continue;
        if (books_above(b, top, books_leaf(b, a))) return 1;
    }
    return 0;
}

/* Without victims a bound that both have above them would not hold all that is
 * open of the ask. */
static int shares_a_bound(const host *h, const host_told *t, int32_t ask)
{
    const books *b = &h->b;
    int32_t top = shared_above(h->w, t->leaf, books_leaf(b, ask));
    fits_gone gone;

    if (top == 0) return 0;
    if (others_want(b, ask, h->b.part[t->node], top)) return 1;
    gone_before(b, &gone);
    int gang = world_is_gang(&h->w->ask[ask]);
    int64_t steps = gang ? 1 : b->open[ask];
    return !fits_up_to(b, ask, t->node, steps, &gone, 1, top);
}

static int is_above_part(const host *h, const host_told *t)
{
    const books *b = &h->b;
    uint32_t part = h->b.part[t->node], user = books_user(b, t->ask);

    if (!claims_are_known(h)) return 1;
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t keep = claims_keep(h, part, t->leaf, k);
        int64_t has = books_user_holds(b, part, t->leaf, user, k);
        double own = books_user_part(b, part, t->leaf, user, k, keep);
        if ((double)has > own - (double)claims_keep_off(h)) return 1;
    }
    return 0;
}

static int is_cause(const host *h, const host_told *t, int32_t ask)
{
    const books *b = &h->b;
    const world *w = h->w;
    uint32_t part = b->part[t->node];
    int inside = books_leaf(b, ask) == t->leaf;
    int32_t mine = b->job_priority[w->ask[ask].job];
    int32_t its = b->job_priority[w->ask[t->ask].job];
    int one_user = books_user(b, ask) == books_user(b, t->ask) ||
                   !books_looks_at_users(b, t->leaf);

    switch (t->reason) {
    case SKED_REASON_PREEMPTED:
        return !inside && is_over_keep(h, part, t->leaf);
    case SKED_REASON_PREEMPTED_LIMIT:
        return !inside && is_over_keep(h, part, t->leaf) &&
               shares_a_bound(h, t, ask);
    case SKED_REASON_PREEMPTED_USER:
        return w->flags & SKED_PREEMPT_FLAG_BY_USER && inside && !one_user &&
               is_above_part(h, t);
    case SKED_REASON_PREEMPTED_PRIORITY:
        if (w->flags & SKED_PREEMPT_FLAG_BY_USER && !one_user) return 0;
        if (w->job[w->ask[ask].job].flags & SKED_JOB_REVOCABLE &&
            !(w->job[w->ask[t->ask].job].flags & SKED_JOB_REVOCABLE)) {
            return 0;
        }
        return w->flags & SKED_PREEMPT_FLAG_BY_PRIORITY && inside && mine > its;
    default: return 0;
    }
}

/* One task is open, it is reserved for, and nothing else: then the limit is
 * named if and only if it is in the way. */
static void check_sole(host *h, const host_told *t, int32_t ask)
{
    const books *b = &h->b;
    int64_t tasks = 0;
    int limit = t->reason == SKED_REASON_PREEMPTED_LIMIT;

    if (!limit && t->reason != SKED_REASON_PREEMPTED) return;
    for (uint32_t a = 0; a < h->w->asks; a++) {
        tasks += b->admitted[h->w->ask[a].job] ? b->open[a] : 0;
    }
    if (tasks != 1 || !h->in_round) return;
    if (shares_a_bound(h, t, ask) == limit) return;
    host_broken(h, PROMISE_REASON,
                "round %u: ask %d is told on node %d for ask %d (%s), where a "
                "limit that both are below is %sin the way",
                h->rounds, t->ask + 1, t->node + 1, ask + 1,
                sked_reason_name(t->reason), limit ? "not " : "");
}

/* Of a gang over nodes it may be true on any of its nodes. */
static int is_cause_somewhere(const host *h, host_told t)
{
    int any = 0, asks = 0;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        t.node = (int32_t)n;
        if (h->b.run[n][t.ask] == 0) continue;
        for (uint32_t a = 0; a < h->w->asks; a++) {
            if (h->b.reserved[n][a] == 0) continue;
            asks++;
            any |= is_cause(h, &t, (int32_t)a);
        }
    }
    return any || asks == 0;
}

static void check_cause(host *h, const host_told *t)
{
    int wide = (h->w->ask[t->ask].flags & SKED_ASK_SPREAD) != 0;
    uint32_t asks = 0;
    int any = wide && is_cause_somewhere(h, *t);

    for (uint32_t a = 0; a < h->w->asks; a++) {
        if (h->b.reserved[t->node][a] == 0) continue;
        asks++;
        if (wide) continue;
        any |= is_cause(h, t, (int32_t)a);
        check_sole(h, t, (int32_t)a);
    }
    if (asks == 0) return; /* which check_victim() looks at */
    h->checked |= UINT32_C(1) << PROMISE_REASON;
    if (any) return;
    host_broken(h, PROMISE_REASON,
                "round %u: ask %d of queue %d is told on node %d: \"%s\" is "
                "true of nothing that is reserved there",
                h->rounds, t->ask + 1, t->leaf, t->node + 1,
                sked_reason_name(t->reason));
}

void check_causes(host *h)
{
    if (h->w->mode == WORLD_CHANGES) return; /* what is kept is not told */
    for (uint32_t i = 0; i < h->n_told; i++) {
        const host_told *t = &h->told[i];
        if (t->kind == SKED_DECISION_WITHDRAW) continue;
        if (h->b.node_open[t->node]) check_cause(h, t);
    }
}

/* ---- Everything else is judged as it is heard ---- */

/* Its own reason, where there can be but one. */
static int32_t reason_of_kind(const host *h, int32_t kind)
{
    int observes = (h->w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) != 0;

    switch (kind) {
    case SKED_DECISION_ADMIT:
        return h->adopting ? SKED_REASON_ADOPTED : SKED_REASON_ORDER;
    case SKED_DECISION_RESERVE: return SKED_REASON_PREEMPTED;
    case SKED_DECISION_WITHDRAW:
        return observes ? SKED_REASON_OBSERVED : SKED_REASON_NEED_GONE;
    case SKED_DECISION_EXPIRE: return SKED_REASON_UNCONFIRMED;
    case SKED_DECISION_LOST: return SKED_REASON_NODE_LOST;
    default: return -1;
    }
}

static int reject_is_true(const books *b, const sked_decision *d)
{
    int32_t ask = (int32_t)d->ask - 1;

    if (d->reason == SKED_REASON_NEVER_LIMIT)
        return books_never_fits_limit(b, ask);
    return d->reason == SKED_REASON_NEVER_NODE &&
           books_never_fits_node(b, ask) && !books_never_fits_limit(b, ask);
}

/* A proposal that the host did not confirm, for as long as it may take. */
static int expiry_is_true(const host *h, const books_group *g)
{
    return g && !g->confirmed && h->w->options.confirm_within_ns > 0 &&
           h->now - g->since >= h->w->options.confirm_within_ns;
}

static int told_is_true(const host *h, const sked_decision *d,
                        const books_group *g)
{
    int observes = (h->w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    int over = g && h->b.cancelled[h->w->ask[g->ask].job];

    if (d->reason == SKED_REASON_CANCELLED) {
        return d->kind == SKED_DECISION_KILL && over;
    }
    if (d->reason == SKED_REASON_GANG) {
        return d->kind == SKED_DECISION_KILL && g &&
               h->w->ask[g->ask].flags & SKED_ASK_TOGETHER &&
               books_gang_lacks(&h->b, g->ask) > 0;
    }
    if (d->reason == SKED_REASON_OBSERVED) return observes;
    return !observes && d->reason != SKED_REASON_NEED_GONE;
}

static int decision_is_true(host *h, const sked_decision *d)
{
    const books_group *g = books_find(&h->b, d->group);
    int32_t only = reason_of_kind(h, d->kind);

    if (only >= 0 && d->reason != only) return 0;
    switch (d->kind) {
    case SKED_DECISION_REJECT: return reject_is_true(&h->b, d);
    case SKED_DECISION_ALLOCATE:
        if (books_is_wide(&h->b, (int32_t)d->ask - 1)) {
            return d->reason == SKED_REASON_GANG ||
                   (h->w->gangs && d->reason == SKED_REASON_HELD &&
                    (h->w->mode == WORLD_CHANGES ||
                     h->b.reserved[d->node - 1][d->ask - 1] >= d->count));
        }
        if (d->reason == SKED_REASON_ADOPTED) return h->adopting;
        if (d->reason == SKED_REASON_ORDER) return 1;
        return d->reason == SKED_REASON_HELD &&
               (h->w->mode == WORLD_CHANGES || /* what is kept is not told */
                h->b.reserved[d->node - 1][d->ask - 1] > 0);
    case SKED_DECISION_RESERVE:
        return !(h->w->job[d->job - 1].flags & SKED_JOB_YIELDS) &&
               !world_is_alone(&h->w->ask[d->ask - 1]) &&
               !world_is_elastic(&h->w->ask[d->ask - 1]);
    case SKED_DECISION_LOST: return !h->b.node_up[d->node - 1];
    case SKED_DECISION_EXPIRE: return expiry_is_true(h, g);
    case SKED_DECISION_REQUEUE:
        if (h->together) return d->reason == SKED_REASON_GANG;
        return d->reason ==
               (h->killed ? SKED_REASON_PREEMPTED : SKED_REASON_NONE);
    case SKED_DECISION_NOTIFY:
    case SKED_DECISION_KILL: return told_is_true(h, d, g);
    default: return 1;
    }
}

void check_decision(host *h, const sked_decision *d)
{
    if (d->reason >= 0 && d->reason < HOST_REASONS) h->decided[d->reason]++;
    h->checked |= UINT32_C(1) << PROMISE_REASON;
    if (decision_is_true(h, d)) return;
    host_broken(h, PROMISE_REASON,
                "round %u: decision %d about job %llu, ask %llu, node %llu: "
                "\"%s\" is not true",
                h->rounds, d->kind, (unsigned long long)d->job,
                (unsigned long long)d->ask, (unsigned long long)d->node,
                sked_reason_name(d->reason));
}
