/*
 * P9: why a job waits. Each bound that an explanation has is worked out again
 * from the books, amounts included; those that bind are in the way, the first
 * of them is marked, and none that is in the way is left out.
 */
#include "host.h"

enum { MOST_BOUNDS = 512 };

/* One explanation as it is gone through. */
typedef struct why {
    host *h;
    int32_t job;
    int32_t ask; /* looked at now, or -1 */
    uint32_t part;
    int held;  /* the job as a whole is held */
    int bound; /* something before holds this ask */
} why;

static void untrue(const why *y, const sked_engine_bound *x, const char *what)
{
    host_broken(y->h, PROMISE_WHY,
                "round %u: job %d, ask %d: \"%s\" in queue %llu, kind %d, "
                "need %lld, bound %lld, binds %u: %s",
                y->h->rounds, y->job + 1, y->ask + 1,
                sked_reason_name(x->reason), (unsigned long long)x->queue,
                x->kind, (long long)x->need, (long long)x->bound, x->binds,
                what);
}

static int32_t row_of(const host *h, sked_queue_id id)
{
    for (uint32_t row = 0; row < h->w->rows; row++) {
        if (h->id[row] == id) return (int32_t)row;
    }
    return -1;
}

/* What is in the way is marked where nothing before it is. */
static void judge(why *y, const sked_engine_bound *x, int in_the_way)
{
    if ((x->binds != 0) != (in_the_way && !y->bound)) {
        untrue(y, x, in_the_way ? "it is in the way" : "it is not in the way");
    }
    y->bound |= in_the_way;
    if (x->binds || x->reason == SKED_REASON_NO_CLAIM) {
        y->h->explained[x->reason]++;
    }
}

/* ---- The job as a whole ---- */

static int64_t running(const host *h, int32_t row, int32_t user)
{
    const world *w = h->w;
    int64_t n = 0;

    for (uint32_t j = 0; j < w->jobs; j++) {
        if (!h->b.admitted[j] || h->b.cancelled[j]) continue;
        if (user >= 0 && w->job[j].user != (uint32_t)user) continue;
        n += row < 0 || books_above(&h->b, row, h->b.job_queue[j]);
    }
    return n;
}

static void why_running(why *y, const sked_engine_bound *x)
{
    const host *h = y->h;
    int waits = !h->b.admitted[y->job] && !h->b.cancelled[y->job];
    int of_user = x->reason == SKED_REASON_USER_RUNNING;
    int32_t row = of_user ? -1 : row_of(h, x->queue);
    int32_t user = of_user ? (int32_t)h->w->job[y->job].user : -1;
    int64_t n = running(h, row, user), most = h->w->options.max_user_running;

    if (!of_user) most = h->b.queue[row].number[SKED_QUEUE_MAX_RUNNING];
    if (most == SKED_UNSET) most = SKED_UNLIMITED;
    if (x->need != n + waits || x->bound != most) {
        untrue(y, x, "other jobs run");
    }
    judge(y, x, waits && n >= most);
}

static void why_elsewhere(why *y, const sked_engine_bound *x);

static void why_draining(why *y, const sked_engine_bound *x)
{
    if (x->ask) {
        why_elsewhere(y, x);
        return;
    }

    int32_t row = row_of(y->h, x->queue);

    if (!books_above(&y->h->b, row, y->h->b.job_queue[y->job])) {
        untrue(y, x, "no queue of its path");
    }
    judge(y, x, shares_drains(y->h->w, y->h->b.queue, row));
}

/* ---- Queues ---- */

/* What a step changes the books of a row on its path by. */
static int64_t step_at(const why *y, int32_t row, uint32_t k,
                       const int64_t held[WORLD_ROWS])
{
    const books *b = &y->h->b;
    int64_t more = books_lacks(b, y->ask, k);

    for (int32_t at = books_leaf(b, y->ask); at != row;
         at = b->w->queue[at].parent) {
        int64_t kept = b->shares[y->part].row[at].kept[k];
        int64_t before = held[at] > kept ? held[at] : kept;
        int64_t after = held[at] + more > kept ? held[at] + more : kept;
        more = after - before;
    }
    return more;
}

static void why_limit(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t k = (uint32_t)x->kind;
    int32_t row = row_of(y->h, x->queue);
    int64_t held[WORLD_ROWS], all = 0, step = books_lacks(b, y->ask, k);
    int64_t cap = shares_bound(&b->shares[y->part], row, k);
    int64_t ceiling = books_ceiling(b, row, k);

    books_held(b, y->part, k, held);
    for (uint32_t p = 0; p < b->w->parts; p++) {
        all += b->use[p][row][k] + books_reserved(b, p, row, k, -1, -1);
    }
    int64_t more = step_at(y, row, k, held), use = b->use[y->part][row][k];
    int64_t here = more > 0 ? held[row] + more : use + step;
    int whole = ceiling - (all + step) <= cap - here;
    if (step == 0 || x->bound != (whole ? ceiling : cap) ||
        x->need != (whole ? all + step : here)) {
        untrue(y, x, "other amounts");
    }
    judge(y, x,
          all + step > ceiling || use + step > cap ||
              (more > 0 && held[row] + more > cap));
}

/* What starts somewhere is no longer wanted elsewhere: there shares are those
 * of before it. */
static int shares_are_known(const host *h)
{
    return claims_are_known(h) && (host_is_still(h) || h->last < 0);
}

/* ---- Masters and users ---- */

static void why_masters(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    int64_t holds = 0, paid = 0; /* the books know of the whole room */
    uint32_t k = (uint32_t)x->kind;
    int32_t leaf = books_leaf(b, y->ask);

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (!(b->w->ask[a].flags & SKED_ASK_MASTER)) continue;
        if (books_leaf(b, (int32_t)a) != leaf) continue;
        for (uint32_t n = 0; n < b->w->nodes; n++) {
            if (b->part[n] != y->part) continue;
            holds += b->run[n][a] * b->w->ask[a].amount[k] + b->extra[n][a][k];
            if (!b->paid[n][a]) continue;
            paid += b->reserved[n][a] * b->w->ask[a].amount[k];
        }
    }
    holds += books_lacks(b, y->ask, k);
    if (!(b->w->ask[y->ask].flags & SKED_ASK_MASTER) ||
        b->queue[leaf].number[SKED_QUEUE_AM_SHARE] == SKED_UNSET ||
        x->need < holds || x->need > holds + paid) {
        untrue(y, x, "masters hold other amounts");
    }
    if (shares_are_known(y->h)) {
        int64_t bound = masters_bound(b, y->part, leaf, k);
        int64_t off = x->bound > bound ? x->bound - bound : bound - x->bound;
        if (off > CLAIM_OFF) untrue(y, x, "masters may hold another amount");
    }
    judge(y, x, x->need > x->bound);
}

/* The most that others were told to end for a user to have: it counts as its
 * own. Of a room the books know that there is some, and the whole. */
static int64_t paid_for_user(const why *y, int32_t leaf, uint32_t user,
                             uint32_t k)
{
    const books *b = &y->h->b;
    int64_t sum = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (b->part[n] != y->part || !b->paid[n][a]) continue;
            if (books_leaf(b, (int32_t)a) != leaf) continue;
            if (books_user(b, (int32_t)a) != user) continue;
            sum += b->reserved[n][a] * b->w->ask[a].amount[k];
        }
    }
    return sum;
}

static void why_user(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    int32_t leaf = books_leaf(b, y->ask);
    uint32_t k = (uint32_t)x->kind, user = books_user(b, y->ask);
    int64_t holds = books_user_holds(b, y->part, leaf, user, k);
    int64_t most = books_user_limit(b, y->part, leaf, user, k);
    int64_t counts = x->need - books_lacks(b, y->ask, k);

    if (k != books_dominant(b, y->part, leaf) || x->bound != most ||
        counts < holds || counts > holds + paid_for_user(y, leaf, user, k)) {
        untrue(y, x, "the user has, or may have, another amount");
    }
    judge(y, x, most != SKED_UNLIMITED && counts >= most);
}

/* ---- Nodes ---- */

/* The root by itself bounds nothing that nodes do not, unless something is kept
 * for some queue. */
static int32_t highest_bound(const why *y)
{
    const shares *s = &y->h->b.shares[y->part];
    int32_t row = books_leaf(&y->h->b, y->ask);

    for (uint32_t k = 0; k < s->w->kinds; k++) {
        if (s->row[0].kept[k] > 0 || world_is_pooled(s->w, k)) return 0;
    }
    while (s->w->queue[row].parent > 0) row = s->w->queue[row].parent;
    return row;
}

typedef struct why_nodes {
    int open, large,
        roomy; /* nodes that take work, can hold it, have it free */
    int takes; /* of the latter: that would take it */
    int waits; /* that it may not take, or not yet */
    int refused;
    uint32_t lacks, kind; /* of the nearest: kinds, the first of them */
    int64_t most;         /* that one of these has of it */
} why_nodes;

/* Where everything changes the books do not know what is kept. */
static int kept_is_known(const why *y)
{
    return y->h->w->mode != WORLD_CHANGES && books_are_sure(&y->h->b);
}

/* What a node has: free now, but for what is kept there, or in all. */
enum { HAS_NOW, HAS_UNKEPT, HAS_EVER };

static int64_t node_has(const why *y, uint32_t n, uint32_t k, int what)
{
    const books *b = &y->h->b;
    int64_t kept = what == HAS_NOW ? books_held_on(b, n, k, -1) : 0;

    return what == HAS_EVER ? b->capacity[n][k] : b->free[n][k] - kept;
}

static void see_node(const why *y, uint32_t n, int what, why_nodes *see)
{
    const books *b = &y->h->b;
    uint32_t lacks = 0, kind = 0;
    int64_t there[WORLD_KINDS];

    for (uint32_t k = b->w->kinds; k-- > 0;) {
        there[k] = node_has(y, n, k, what);
        if (books_lacks(b, y->ask, k) == 0 || world_is_pooled(b->w, k))
            continue;
        if (books_lacks(b, y->ask, k) <= there[k]) continue;
        lacks++;
        kind = k;
    }
    if (what == HAS_EVER) see->large += lacks == 0;
    if (what != HAS_EVER) see->roomy += lacks == 0;
    if (lacks == 0) return;
    if (see->lacks == 0 || lacks < see->lacks ||
        (lacks == see->lacks && kind < see->kind)) {
        see->lacks = lacks;
        see->kind = kind;
        see->most = there[kind];
    } else if (lacks == see->lacks && kind == see->kind &&
               there[kind] > see->most) {
        see->most = there[kind];
    }
}

static int takes_work(const books *b, uint32_t n)
{
    return b->node_open[n] && b->now >= b->node_barred[n];
}

/* Nodes that would hold a task, were they empty and did they take work: that
 * drain, that the host refused for everything, and that do take work. */
typedef struct why_large {
    int64_t draining, barred, work;
    int64_t tasks; /* of a gang over nodes, that those that take work hold */
    int64_t most;  /* that all of them hold */
    int64_t unbounded; /* and would if one held any number */
} why_large;

static why_large see_large(const why *y)
{
    const books *b = &y->h->b;
    why_large see = {0};

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int64_t all = books_node_holds(b, y->ask, n, INT32_MAX);
        int64_t per_node = b->w->ask[y->ask].per_node;
        int64_t tasks = per_node && per_node < all ? per_node : all;
        if (!b->node_up[n] || b->part[n] != y->part || tasks == 0) continue;
        if (!books_takes(b, y->ask, n)) continue;
        see.most += tasks;
        see.unbounded += all;
        if (takes_work(b, n)) {
            see.work++;
            see.tasks += tasks;
        } else if (b->node_open[n]) {
            see.barred++;
        } else {
            see.draining++;
        }
    }
    return see;
}

/* It would start on nodes that take nothing now, and on no others. */
static int is_elsewhere(const why *y, int32_t reason)
{
    const why_large see = see_large(y);
    int spread = (y->h->w->ask[y->ask].flags & SKED_ASK_SPREAD) != 0;
    int64_t step = spread ? y->h->b.open[y->ask] : 1;
    int none = spread ? see.tasks < step && see.most >= step : see.work == 0;

    if (!none) return 0;
    if (reason == SKED_REASON_DRAINING) return see.draining > 0;
    return see.draining == 0 && see.barred > 0;
}

static void why_elsewhere(why *y, const sked_engine_bound *x)
{
    const why_large see = see_large(y);

    if (!is_elsewhere(y, SKED_REASON_DRAINING) || x->need != 1 ||
        x->bound != see.draining) {
        untrue(y, x, "other nodes drain");
    }
    judge(y, x, 1);
}

static why_nodes look_at_nodes(const why *y, int what)
{
    const books *b = &y->h->b;
    why_nodes see = {0};

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        int roomy = see.roomy;
        if (!b->node_up[n] || b->part[n] != y->part) continue;
        if (what != HAS_EVER && !takes_work(b, n)) continue;
        if (!books_takes(b, y->ask, n)) continue;
        see.open++;
        see_node(y, n, what, &see);
        if (what == HAS_EVER || see.roomy == roomy) continue;
        see.refused += b->refused[n][y->ask];
        see.waits += books_listed(b, y->ask, n) <= 0;
        see.takes += books_listed(b, y->ask, n) >= 0 &&
                     fits_up_to(b, y->ask, (int32_t)n, 1, NULL, 0,
                                highest_bound(y));
    }
    return see;
}

static void why_node(why *y, const sked_engine_bound *x)
{
    int never = x->reason == SKED_REASON_NEVER_NODE, is;
    int now = x->reason == SKED_REASON_LOCALITY && !kept_is_known(y)
                  ? HAS_UNKEPT
                  : HAS_NOW;
    why_nodes see = look_at_nodes(y, never ? HAS_EVER : now);
    switch (x->reason) {
    case SKED_REASON_NEVER_NODE: is = see.large == 0; break;
    case SKED_REASON_NO_NODE: is = see.roomy == 0 && see_large(y).work > 0; break;
    case SKED_REASON_LOCALITY: is = see.waits > 0; break;
    case SKED_REASON_REFUSED:
        is = see.refused > 0 || is_elsewhere(y, x->reason);
        break;
    default:
        is = y->bound ? see.roomy > 0 : see.takes > 0;
        /* Nothing comes before it when nothing moves any more. */
        if (!y->bound && y->h->at_rest) is = 0;
        break;
    }
    if (!is) untrue(y, x, "it is not so");
    if (never || x->reason == SKED_REASON_NO_NODE) {
        int same = !see.lacks ||
                   (x->kind == (int32_t)see.kind && x->bound == see.most);
        if (!same) untrue(y, x, "another kind is lacking");
    }
    judge(y, x, 1);
}

/* Why a gang over nodes that no nodes ever hold cannot start, or NULL. */
static const char *gang_never_untrue(const why *y, const why_large *see,
                                     const sked_engine_bound *x)
{
    int64_t open = y->h->b.open[y->ask];
    const world_ask *a = &y->h->w->ask[y->ask];

    if (see->most >= open || see->unbounded >= open) return "nodes hold it";
    if (see->most > 0) {
        return x->need == open && x->bound == see->most ? NULL
                                                        : "they hold others";
    }
    return x->kind < 0 || x->need == a->amount[x->kind] ? NULL
                                                        : "it needs another";
}

/* Of a gang over nodes: how many of it nodes take together, now or ever. */
static void why_gang(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    const why_large see = see_large(y);
    int64_t open = b->open[y->ask];
    int never = x->reason == SKED_REASON_NEVER_NODE;
    int small = see.most < open && see.unbounded >= open; /* on one node */
    int ever = books_gang_ends(b, y->ask) || see.tasks >= open || small;
    const char *wrong = never ? gang_never_untrue(y, &see, x)
                              : books_gang_untrue(b, y->ask, x);

    if (never && books_gang_ends(b, y->ask)) wrong = "some of it ends";
    if (x->reason == SKED_REASON_GANG && !ever) wrong = "it never starts there";
    if (x->reason == SKED_REASON_BEHIND && !y->bound && y->h->at_rest) {
        wrong = "nothing moves any more";
    }
    if (wrong) untrue(y, x, wrong);
    judge(y, x, 1);
}

/* The host refused it there, or all nodes that would hold it. */
static void why_refused(why *y, const sked_engine_bound *x)
{
    if (is_elsewhere(y, SKED_REASON_REFUSED))
        judge(y, x, 1);
    else
        why_node(y, x);
}

/* How many nodes that take work its rules take. */
static void why_rule(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    const why_large see = see_large(y);
    int64_t taken = 0, open = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) {
        open += takes_work(b, n) && b->part[n] == y->part;
        taken += takes_work(b, n) && b->part[n] == y->part &&
                 books_takes(b, y->ask, n);
    }
    if (!books_is_ruled(b, y->ask) || x->need != 1 || x->bound != taken) {
        untrue(y, x, "its rules take other nodes");
    }
    judge(y, x, open > 0 && taken == 0 && !see.draining && !see.barred);
}

/* It waits to be possible at all. */
static void why_limit_never(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t k = (uint32_t)x->kind;
    int waits = (b->w->ask[y->ask].flags & SKED_ASK_WAIT) != 0;

    if (!waits || x->need != books_lacks(b, y->ask, k) ||
        x->bound != books_ceiling(b, row_of(y->h, x->queue), k)) {
        untrue(y, x, "it could never start otherwise");
    }
    judge(y, x, x->need > x->bound);
}

static void why_claim(why *y, const sked_engine_bound *x)
{
    const host *h = y->h;
    int32_t leaf = books_leaf(&h->b, y->ask);
    int yields = (h->w->job[y->job].flags & SKED_JOB_YIELDS) != 0;
    uint32_t k = yields ? 0 : (uint32_t)x->kind;
    int64_t has = h->b.use[y->part][leaf][k] + books_lacks(&h->b, y->ask, k);

    judge(y, x, 0);
    if (yields != (x->kind < 0)) untrue(y, x, "it is not the job's own will");
    if (yields) return;
    if (!h->w->preempts || x->need != has || has <= x->bound) {
        untrue(y, x, "it would not be more than that");
    }
    if (shares_are_known(h)) {
        int64_t bound = claims_bound(h, y->part, leaf, k);
        int64_t off = x->bound > bound ? x->bound - bound : bound - x->bound;
        /* What a parent is off by in one kind shows in the others below. */
        if (off > CLAIM_OFF * books_depth(&h->b, leaf)) {
            untrue(y, x, "it may claim another amount");
        }
    }
}

/* ---- All ---- */

/* Bounds are those of the last look at a node of the partition: there may be
 * none any more. */
static int is_unknown(const why *y, int32_t reason)
{
    int nodes = 0;

    for (uint32_t n = 0; n < y->h->w->nodes; n++) {
        nodes |= y->h->b.node_up[n] && y->h->b.part[n] == y->part;
    }
    return (!kept_is_known(y) || !nodes) &&
           (reason == SKED_REASON_QUEUE_LIMIT ||
            reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_MASTERS ||
            reason == SKED_REASON_NO_NODE || reason == SKED_REASON_BEHIND ||
            reason == SKED_REASON_GANG || reason == SKED_REASON_REFUSED ||
            reason == SKED_REASON_NO_CLAIM);
}

static void why_one(why *y, const sked_engine_bound *x)
{
    if (is_unknown(y, x->reason)) {
        judge(y, x, x->binds != 0);
        return;
    }
    switch (x->reason) {
    case SKED_REASON_DRAINING: why_draining(y, x); break;
    case SKED_REASON_MAX_RUNNING:
    case SKED_REASON_USER_RUNNING: why_running(y, x); break;
    case SKED_REASON_QUEUE_LIMIT: why_limit(y, x); break;
    case SKED_REASON_MASTERS: why_masters(y, x); break;
    case SKED_REASON_USER_LIMIT: why_user(y, x); break;
    case SKED_REASON_NO_CLAIM: why_claim(y, x); break;
    case SKED_REASON_NEVER_LIMIT: why_limit_never(y, x); break;
    case SKED_REASON_RULE: why_rule(y, x); break;
    case SKED_REASON_NO_NODE:
    case SKED_REASON_LOCALITY: why_node(y, x); break;
    case SKED_REASON_REFUSED: why_refused(y, x); break;
    case SKED_REASON_NEVER_NODE:
    case SKED_REASON_BEHIND:
    case SKED_REASON_GANG:
        (y->h->w->ask[y->ask].flags & SKED_ASK_SPREAD ? why_gang : why_node)(y,
                                                                             x);
        break;
    default: untrue(y, x, "no reason to wait"); break;
    }
}

/* Is a gang what it was? One of which a part is over is smaller. */
static int is_whole(const host *h, int32_t ask)
{
    return !world_is_gang(&h->w->ask[ask]) ||
           h->w->ask[ask].flags & SKED_ASK_SPREAD ||
           h->b.open[ask] == h->w->ask[ask].count;
}

static void why_job(host *h, uint32_t j, const sked_engine_bound *x, size_t n)
{
    why y = {.h = h, .job = (int32_t)j, .ask = -1};

    for (size_t i = 0; i < n; i++) {
        int32_t ask = (int32_t)x[i].ask - 1;
        if (ask >= 0 && !is_whole(h, ask)) continue;
        if (ask >= 0 && (ask != y.ask || x[i].partition != y.part)) {
            if (y.ask >= 0 && !y.bound) untrue(&y, &x[i - 1], "nothing binds");
            if (y.ask < 0) y.held = y.bound;
            y.ask = ask;
            y.part = x[i].partition;
            y.bound = y.held;
        }
        if (ask >= 0 && (h->w->ask[ask].job != y.job || h->b.open[ask] == 0)) {
            untrue(&y, &x[i], "nothing of this ask is open");
        }
        why_one(&y, &x[i]);
    }
}

void check_why(host *h)
{
    static sked_engine_bound bounds[MOST_BOUNDS];
    size_t n;

    if (h->failed) return;
    for (uint32_t j = 0; j < h->w->jobs; j++) {
        sked_status rc = sked_engine_explain_job(h->engine, j + 1, bounds,
                                                 MOST_BOUNDS, &n);
        if (rc == SKED_ERR_NOT_FOUND) continue;
        h->checked |= UINT32_C(1) << PROMISE_WHY;
        if (rc != SKED_OK) {
            host_broken(h, PROMISE_CALLS, "explain: %s", sked_status_name(rc));
            return;
        }
        why_job(h, j, bounds, n);
    }
}
