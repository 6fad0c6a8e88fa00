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

static int64_t inherited(const books *b, int32_t row, int32_t attribute)
{
    for (; row >= 0; row = b->w->queue[row].parent) {
        int64_t own = b->queue[row].number[attribute];
        if (own != SKED_UNSET) return own;
    }
    return SKED_UNLIMITED;
}

/* ---- What a leaf keeps ---- */

static int64_t keep_of(const host *h, uint32_t part, int32_t leaf, uint32_t k)
{
    const sked_target_options *t = &h->w->targets;
    const shares_row *r = &h->b.shares[part].row[leaf];
    int64_t ppm = t->ignored_ppm < 0 ? 0 : t->ignored_ppm;

    if (t->mode != SKED_TARGET_MODE_IMBALANCE) {
        return r->share[k] + (r->share[k] * ppm + SKED_PPM - 1) / SKED_PPM +
               OFF;
    }
    if (t->ignored_ppm == 0) ppm = 100000;
    int64_t wide = r->force[k] + (r->force[k] * ppm + SKED_PPM - 1) / SKED_PPM;
    return (wide > r->share[k] ? wide : r->share[k]) + OFF;
}

static int64_t runs_in(const books *b, uint32_t part, uint32_t ask)
{
    int64_t n = 0;

    for (uint32_t node = 0; node < b->w->nodes; node++) {
        if (b->w->node[node].partition == part) n += b->run[node][ask];
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

    for (uint32_t k = 0; k < w->kinds; k++) left[k] = keep_of(h, part, leaf, k);
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
    const sked_target_options *t = &w->targets;

    return !w->preempts || w->rounds.flags & SKED_ROUND_FLAG_OBSERVE ||
           t->flags &
               (SKED_TARGET_FLAG_PRIORITY | SKED_TARGET_FLAG_BY_WEIGHT) ||
           t->per_round_ppm != -1 || t->factor_ppm != SKED_PPM;
}

static int enough_is_used(const host *h, uint32_t part)
{
    const sked_target_options *t = &h->w->targets;
    int64_t ppm = t->utilisation_ppm == 0 ? 800000 : t->utilisation_ppm;

    if (t->mode != SKED_TARGET_MODE_STARVATION || ppm < 0) return 1;
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t has = h->b.shares[part].capacity[k];
        if (h->b.use[part][0][k] > has * ppm / SKED_PPM + OFF) return 1;
    }
    return 0;
}

/* With one step more it is still within what is guaranteed to it. */
static int is_claim(const host *h, uint32_t part, int32_t ask)
{
    const books *b = &h->b;
    int32_t leaf = books_leaf(b, ask);
    const shares_row *r = &b->shares[part].row[leaf];
    int any = 0;

    if (h->w->targets.mode == SKED_TARGET_MODE_STARVATION &&
        inherited(b, leaf, SKED_QUEUE_PREEMPT_MIN_TIMEOUT) == SKED_UNLIMITED) {
        return 0;
    }
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t step = books_step(b, ask, k), least = r->share[k] - OFF;
        if (step == 0) continue;
        if (r->force[k] == 0 && h->w->queue[leaf].parent != 0) return 0;
        if (r->force[k] > 0 && r->force[k] < least) least = r->force[k];
        any |= r->force[k] > 0;
        if (b->use[part][leaf][k] + books_reserved(b, part, leaf, k, -1, -1) +
                step >
            least) {
            return 0;
        }
    }
    return any;
}

/* Users of one leaf are owners of their own where the flag says so. */
static int shares_leaf(const host *h, int32_t ask)
{
    const world *w = h->w;
    uint32_t user = w->job[w->ask[ask].job].user;

    for (uint32_t a = 0; a < w->asks; a++) {
        if (books_leaf(&h->b, (int32_t)a) != books_leaf(&h->b, ask)) continue;
        if (w->job[w->ask[a].job].user != user) return 1;
    }
    return 0;
}

static int could_claim(const host *h, int32_t ask, uint32_t part)
{
    const books *b = &h->b;
    const world_ask *a = &h->w->ask[ask];
    int32_t leaf = books_leaf(b, ask);
    const int64_t *number = b->queue[leaf].number;

    if (!books_in_line(b, ask, part) || a->places) return 0;
    if (a->flags & (SKED_ASK_GANG | SKED_ASK_MASTER)) return 0;
    if (number[SKED_QUEUE_USER_LIMIT] != SKED_UNSET) return 0;
    if (h->w->flags & SKED_PREEMPT_FLAG_BY_USER && shares_leaf(h, ask))
        return 0;
    return !shares_drains(h->w, b->queue, leaf) && is_claim(h, part, ask);
}

static void check_claim(host *h, int32_t ask, uint32_t part,
                        int64_t surplus[WORLD_ROWS][WORLD_ASKS])
{
    const books *b = &h->b;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        fits_gone gone = {{{0}}};
        if (!b->node_open[n] || h->w->node[n].partition != part) continue;
        for (uint32_t a = 0; a < h->w->asks; a++) {
            int32_t leaf = books_leaf(b, (int32_t)a);
            int64_t most = surplus[leaf][a];
            if (leaf == books_leaf(b, ask)) continue;
            gone.tasks[n][a] = b->run[n][a] < most ? b->run[n][a] : most;
        }
        if (!fits(b, ask, (int32_t)n, 1, &gone, 1)) continue;
        host_broken(h, PROMISE_STARVES,
                    "at rest: ask %d of queue %d, within its guarantee, waits, "
                    "and would run on node %u without what others have there "
                    "beyond what they keep",
                    ask + 1, books_leaf(b, ask), n + 1);
        return;
    }
}

void check_rest(host *h)
{
    const world *w = h->w;

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
    for (uint32_t p = 0; p < w->parts; p++) {
        int64_t surplus[WORLD_ROWS][WORLD_ASKS] = {{0}};
        for (uint32_t row = 1; row < w->rows; row++) {
            int32_t leaf = (int32_t)row;
            if (!world_is_leaf(w, row) || !gives(&h->b, leaf)) continue;
            if (is_open_order(&h->b, p, leaf)) continue;
            surplus_of(h, p, leaf, surplus[row]);
        }
        for (uint32_t a = 0; a < w->asks && enough_is_used(h, p); a++) {
            if (could_claim(h, (int32_t)a, p))
                check_claim(h, (int32_t)a, p, surplus);
        }
    }
}
