/* P4, P8: at rest no claim is left that ending surplus could serve. */
#include "host.h"

#include <string.h>

/* One unit, which the checker's shares may be off. */
enum { OFF = 1 };

static int gives(const books *b, int32_t row)
{
    for (; row >= 0; row = b->w->queue[row].parent) {
        if (b->queue[row].number[SKED_QUEUE_PREEMPT_FROM] == 0) return 0;
    }
    return 1;
}

/* ---- What a leaf keeps ---- */

static int64_t runs_in(const books *b, uint32_t part, uint32_t ask)
{
    int64_t n = 0;

    for (uint32_t node = 0; node < b->w->nodes; node++) {
        if (b->part[node] == part) n += b->run[node][ask];
    }
    return n;
}

/* Does `a` stand before `c` in what a leaf keeps? Equal: 0. */
static int stands_before(const world *w, uint32_t a, uint32_t c)
{
    const world_job *x = &w->job[w->ask[a].job], *y = &w->job[w->ask[c].job];
    int fixed = (x->flags & SKED_JOB_FIXED) != 0;
    int other = (y->flags & SKED_JOB_FIXED) != 0;

    if (fixed != other) return fixed;
    if ((x->flags ^ y->flags) & SKED_JOB_REVOCABLE) {
        return (y->flags & SKED_JOB_REVOCABLE) != 0;
    }
    return x->priority > y->priority;
}

/* Classes stand in an order that the rules leave open: what is surplus is not
 * certain. */
static int is_open_order(const books *b, uint32_t part, int32_t leaf)
{
    const world *w = b->w;

    for (uint32_t a = 0; a < w->asks; a++) {
        if (books_leaf(b, (int32_t)a) != leaf || !runs_in(b, part, a)) continue;
        if (w->ask[a].flags & SKED_ASK_GANG || w->ask[a].priority) return 1;
        for (uint32_t c = 0; c < a; c++) {
            if (books_leaf(b, (int32_t)c) != leaf || !runs_in(b, part, c)) {
                continue;
            }
            if (w->job[w->ask[a].job].user != w->job[w->ask[c].job].user) {
                return 1;
            }
            if (!stands_before(w, a, c) && !stands_before(w, c, a)) return 1;
        }
    }
    return 0;
}

/* How many tasks of each ask of a leaf are beyond what it keeps. */
static void surplus_of(const host *h, uint32_t part, int32_t leaf,
                       int64_t surplus[WORLD_ASKS])
{
    const world *w = h->w;
    int64_t left[WORLD_KINDS];
    uint32_t done = 0;

    for (uint32_t k = 0; k < w->kinds; k++) {
        left[k] = claims_keep(h, part, leaf, k) + OFF;
    }
    for (;;) {
        uint32_t best = WORLD_ASKS;
        for (uint32_t a = 0; a < w->asks; a++) {
            if (done >> a & 1 || books_leaf(&h->b, (int32_t)a) != leaf)
                continue;
            if (best == WORLD_ASKS || stands_before(w, a, best)) best = a;
        }
        if (best == WORLD_ASKS) return;
        done |= 1u << best;
        int64_t runs = runs_in(&h->b, part, best), keeps = runs;
        int fixed = (w->job[w->ask[best].job].flags & SKED_JOB_FIXED) != 0;
        for (uint32_t k = 0; k < w->kinds && !fixed; k++) {
            int64_t each = w->ask[best].amount[k];
            int64_t room = left[k] > 0 ? left[k] : 0;
            if (each > 0 && room / each < keeps) keeps = room / each;
        }
        for (uint32_t k = 0; k < w->kinds; k++) {
            left[k] -= keeps * w->ask[best].amount[k];
        }
        surplus[best] = runs - keeps;
    }
}

/* ---- Claims ---- */

/* Settings under which a claim may wait for good reason, or which the checker
 * does not follow. */
static int is_set_apart(const host *h)
{
    const world *w = h->w;

    return !w->preempts || w->rounds.flags & SKED_ROUND_FLAG_OBSERVE ||
           !claims_are_known(h);
}

static int enough_is_used(const host *h, const sked_target_options *t,
                          uint32_t part)
{
    int64_t ppm = t->utilisation_ppm == 0 ? 800000 : t->utilisation_ppm;

    if (t->mode != SKED_TARGET_MODE_STARVATION || ppm < 0) return 1;
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t has = h->b.shares[part].capacity[k];
        if (h->b.use[part][0][k] > has * ppm / SKED_PPM + OFF) return 1;
    }
    return 0;
}

/* Kinds of which a family above wants more than it has, surely. */
static uint32_t contended_above(const host *h, uint32_t part, int32_t leaf)
{
    uint32_t kinds = 0;

    for (int32_t row = h->w->queue[leaf].parent; row >= 0;
         row = h->w->queue[row].parent) {
        const shares_row *r = &h->b.shares[part].row[row];
        for (uint32_t k = 0; k < h->w->kinds; k++) {
            if (r->wanted[k] > r->share[k] + (int64_t)h->w->rows) {
                kinds |= 1u << k;
            }
        }
    }
    return kinds;
}

/* With one step more it is within its claim by a policy, and names it. */
static int is_claim_by(const host *h, const sked_target_options *t,
                       uint32_t part, int32_t ask)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);
    uint32_t named = b->shares[part].row[leaf].named, kinds = 0;

    if (t->mode == SKED_TARGET_MODE_STARVATION &&
        claims_due(b, leaf) == SKED_UNLIMITED) {
        return 0;
    }
    if (claims_whole_share(h, t, leaf)) named |= contended_above(h, part, leaf);
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t step = books_step(b, ask, k);
        int64_t has = b->use[part][leaf][k] +
                      books_reserved(b, part, leaf, k, -1, -1);
        if (step == 0) continue;
        kinds |= 1u << k;
        if (has + step > claims_bound(h, t, part, leaf, k) - CLAIM_OFF)
            return 0;
    }
    return (kinds & named) != 0;
}

/* The policies by which it is a claim, as bits. */
static uint32_t policies_for(const host *h, uint32_t part, int32_t ask)
{
    uint32_t by = 0;

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        const sked_target_options *t = world_policy(h->w, i);
        if (enough_is_used(h, t, part) && is_claim_by(h, t, part, ask)) {
            by |= 1u << i;
        }
    }
    return by;
}

/* Users of one leaf are owners of their own where the flag says so. */
static int shares_leaf(const host *h, int32_t ask)
{
    int32_t leaf = books_leaf(&h->b, ask);

    if (!(h->w->flags & SKED_PREEMPT_FLAG_BY_USER)) return 0;
    if (!books_looks_at_users(&h->b, leaf)) return 0;
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        if (books_leaf(&h->b, a) != leaf) continue;
        if (books_user(&h->b, a) != books_user(&h->b, ask)) return 1;
    }
    return 0;
}

/* A bound inside the leaf, which no victim of another leaf moves, holds it. */
static int is_held_inside(const host *h, int32_t ask, uint32_t part)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);
    uint32_t user = books_user(b, ask);
    const world_ask *a = &h->w->ask[ask];

    if (a->flags & SKED_ASK_MASTER &&
        b->queue[leaf].number[SKED_QUEUE_AM_SHARE] != SKED_UNSET) {
        return 1;
    }
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        if (books_user_holds(b, part, leaf, user, k) >=
            books_user_limit(b, part, leaf, user, k) - OFF) {
            return 1;
        }
    }
    return world_is_gang(a) && b->open[ask] != a->count;
}

static int could_claim(const host *h, int32_t ask, uint32_t part)
{
    const books *b = &h->b;

    if (!books_in_line(b, ask, part) || shares_leaf(h, ask)) return 0;
    if (h->w->job[h->w->ask[ask].job].flags & SKED_JOB_YIELDS) return 0;
    if (h->w->ask[ask].flags & SKED_ASK_SPREAD) return 0; /* by turn alone */
    if (world_is_alone(&h->w->ask[ask])) return 0; /* it claims nothing */
    if (shares_drains(h->w, b->queue, books_leaf(b, ask))) return 0;
    return !is_held_inside(h, ask, part) && policies_for(h, part, ask);
}

/* Does it claim more than what is guaranteed to its queue? Or so nearly that
 * rounding decides. */
static int is_beyond(const host *h, int32_t ask, uint32_t part)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);

    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t step = books_step(b, ask, k);
        int64_t has = b->use[part][leaf][k] +
                      books_reserved(b, part, leaf, k, -1, -1);
        int64_t claim = b->shares[part].row[leaf].claim[k];
        if (step > 0 && has + step > claim - CLAIM_OFF) return 1;
    }
    return 0;
}

/* A node on which it would run without what others have there beyond what they
 * keep; -1. Beyond its guarantee it takes no task of which a part is kept: of
 * each ask one may be. */
static int32_t node_for(const host *h, int32_t ask, uint32_t part,
                        rest_surplus surplus)
{
    const books *b = &h->b;
    int64_t begun = is_beyond(h, ask, part);

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        fits_gone gone = {{{0}}, {{{0}}}};
        if (!b->node_open[n] || h->b.part[n] != part) continue;
        if (books_listed(b, ask, n) <= 0 || !books_takes(b, ask, n)) continue;
        for (uint32_t a = 0; a < h->w->asks; a++) {
            int32_t leaf = books_leaf(b, (int32_t)a);
            int64_t most = surplus[leaf][a] - begun;
            if (leaf == books_leaf(b, ask) || most <= 0) continue;
            gone.tasks[n][a] = b->run[n][a] < most ? b->run[n][a] : most;
        }
        if (fits_surely(b, ask, (int32_t)n, &gone)) return (int32_t)n;
    }
    return -1;
}

void rest_surplus_of(const host *h, uint32_t part, rest_surplus surplus)
{
    memset(surplus, 0, sizeof(rest_surplus));
    for (uint32_t row = 1; row < h->w->rows; row++) {
        int32_t leaf = (int32_t)row;
        if (!world_is_leaf(h->w, row) || !gives(&h->b, leaf)) continue;
        if (is_open_order(&h->b, part, leaf)) continue;
        surplus_of(h, part, leaf, surplus[row]);
    }
}

/* Does it wait only for what may be reserved for a gang that forms? Rounds look at
 * what is free without that, and have nothing end for what fits there. */
static int waits_for_forming(const host *h, int32_t ask, uint32_t part)
{
    const books *b = &h->b;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        int64_t formed = 0;
        if (!b->node_open[n] || b->part[n] != part) continue;
        for (uint32_t k = 0; k < h->w->kinds; k++) {
            formed += books_formed(b, n, k, ask);
        }
        if (formed > 0 && fits(b, ask, (int32_t)n, 1, NULL, 1)) return 1;
    }
    return 0;
}

/* Calls for each ask of a partition that waits with a claim that surplus would
 * serve; `node` is where. */
static void each_unserved(host *h, uint32_t part,
                          void (*say)(host *h, int32_t ask, int32_t node))
{
    rest_surplus surplus;

    rest_surplus_of(h, part, surplus);
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        int32_t node = could_claim(h, a, part) ? node_for(h, a, part, surplus)
                                               : -1;
        if (node >= 0 && !waits_for_forming(h, a, part)) say(h, a, node);
    }
}

static void say_starves(host *h, int32_t ask, int32_t node)
{
    host_broken(h, PROMISE_STARVES,
                "at rest: ask %d of queue %d, within its claim, waits, and "
                "would run on node %d without what others have there beyond "
                "what they keep",
                ask + 1, books_leaf(&h->b, ask), node + 1);
}

/* P7: no more tasks ended than claims were served, times the victims of the largest
 * plan. Where the host says of tasks when they end, or tells of other amounts than
 * asks say, or edits the tree while victims are to end, a plan may come to nothing
 * (P6), so nothing is counted there. */
static void check_bound(host *h)
{
    if (h->unsure || h->ended_now <= h->served_now * h->plan_most) return;
    host_broken(h, PROMISE_ENDLESS,
                "at rest: %llu tasks were killed for %llu that started, with "
                "plans of %llu at most",
                (unsigned long long)h->ended_now,
                (unsigned long long)h->served_now,
                (unsigned long long)h->plan_most);
}

void check_rest(host *h)
{
    const world *w = h->w;

    check_bound(h);
    books_renew(&h->b);
    for (uint32_t n = 0; n < w->nodes; n++) {
        for (uint32_t a = 0; a < w->asks; a++) {
            if (h->b.reserved[n][a] == 0) continue;
            host_broken(h, PROMISE_IDLE,
                        "at rest: node %u is kept for ask %u, which never "
                        "starts",
                        n + 1, a + 1);
        }
    }
    if (w->preempts) h->checked |= 1u << PROMISE_IDLE;
    if (is_set_apart(h)) return;
    h->checked |= 1u << PROMISE_STARVES;
    for (uint32_t p = 0; p < w->parts; p++) each_unserved(h, p, say_starves);
}

/* ---- In time ---- */

/* Rounds within which a policy takes up a claim that nothing else comes before. */
static uint32_t rounds_by(const host *h, const sked_target_options *t,
                          int32_t ask)
{
    int64_t timeout = claims_due(&h->b, books_leaf(&h->b, ask));
    uint32_t due = 2;

    if (t->mode == SKED_TARGET_MODE_ENTITLEMENT) due += t->cycles;
    if (t->mode == SKED_TARGET_MODE_STARVATION && timeout != SKED_UNLIMITED) {
        due += (uint32_t)(timeout / WORLD_STEP);
    }
    return due;
}

/* The first of the policies by which it is a claim. */
static uint32_t rounds_due(const host *h, int32_t ask, uint32_t part)
{
    uint32_t by = policies_for(h, part, ask), least = UINT32_MAX;

    for (uint32_t i = 0; i < world_policies(h->w); i++) {
        uint32_t due = rounds_by(h, world_policy(h->w, i), ask);
        if (by >> i & 1 && due < least) least = due;
    }
    return least;
}

static void say_owed(host *h, int32_t ask, int32_t node)
{
    h->owed[ask]++;
    if (h->owed[ask] <= rounds_due(h, ask, h->b.part[node])) return;
    host_broken(h, PROMISE_TIME,
                "round %u: ask %d of queue %d, within its claim, has waited "
                "for %u rounds in which nothing was on its way, and would run "
                "on node %d",
                h->rounds, ask + 1, books_leaf(&h->b, ask), h->owed[ask],
                node + 1);
}

/* Something was told to end, or is reserved: claims are being served. */
static int is_on_its_way(const books *b)
{
    int any = books_await(b);

    for (uint32_t i = 0; i < b->groups; i++) {
        const books_group *g = &b->group[i];
        any |= g->count > 0 && g->noticed + g->ending > 0;
    }
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        for (uint32_t a = 0; a < b->w->asks; a++) any |= b->reserved[n][a] > 0;
    }
    return any;
}

/* Rounds in which something has to start while a claim waits that surplus would
 * serve: what is told has its notice, what was told some rounds to end, and another
 * claim may be taken up before it. */
static uint32_t rounds_to_start(const host *h, int32_t ask, uint32_t part)
{
    uint32_t grace = (uint32_t)(h->w->rounds.grace_ns / WORLD_STEP) + 1;

    return rounds_due(h, ask, part) + 2 * grace + HOST_QUIET;
}

static void say_stuck(host *h, int32_t ask, int32_t node)
{
    if (++h->stuck[ask] <= rounds_to_start(h, ask, h->b.part[node])) return;
    host_broken(h, PROMISE_TIME,
                "round %u: ask %d of queue %d, within its claim, has waited "
                "for %u rounds in which nothing started, and would run on node "
                "%d",
                h->rounds, ask + 1, books_leaf(&h->b, ask), h->stuck[ask],
                node + 1);
}

/* Whatever is on its way, it comes to a start in the time of a plan: that it is
 * told or kept again and again serves nothing. */
static void check_progress(host *h)
{
    uint32_t before[WORLD_ASKS];

    if (h->started != h->starts || books_await(&h->b) ||
        h->rounds <= HOST_COMMITS) {
        memset(h->stuck, 0, sizeof h->stuck);
        h->started = h->starts;
        return;
    }
    memcpy(before, h->stuck, sizeof before);
    for (uint32_t p = 0; p < h->w->parts; p++) each_unserved(h, p, say_stuck);
    for (uint32_t a = 0; a < h->w->asks; a++) {
        if (h->stuck[a] == before[a]) h->stuck[a] = 0;
    }
}

void check_time(host *h)
{
    uint32_t before[WORLD_ASKS];

    h->unsure |= books_await(&h->b) || books_are_odd(&h->b);
    if (h->w->mode == WORLD_STAYS && !is_set_apart(h)) check_progress(h);
    if (h->w->mode != WORLD_STAYS || is_set_apart(h)) return;
    if (is_on_its_way(&h->b) || h->moved || h->rounds <= HOST_COMMITS) {
        memset(h->owed, 0, sizeof h->owed);
        return;
    }
    h->checked |= 1u << PROMISE_TIME;
    memcpy(before, h->owed, sizeof before);
    for (uint32_t p = 0; p < h->w->parts; p++) each_unserved(h, p, say_owed);
    for (uint32_t a = 0; a < h->w->asks; a++) {
        if (h->owed[a] == before[a]) h->owed[a] = 0;
    }
}
