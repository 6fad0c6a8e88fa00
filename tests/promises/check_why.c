/*
 * P9: why a job waits. Each bound that an explanation has is worked out again
 * from the books, amounts included; those that bind are in the way, the first
 * of them is marked, and none that is in the way is left out.
 */
#include "check_why.h"

enum { MOST_BOUNDS = 512 };

void why_untrue(const why *y, const sked_engine_bound *x, const char *what)
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
void why_judge(why *y, const sked_engine_bound *x, int in_the_way)
{
    if ((x->binds != 0) != (in_the_way && !y->bound)) {
        why_untrue(y, x,
                   in_the_way ? "it is in the way" : "it is not in the way");
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
        why_untrue(y, x, "other jobs run");
    }
    why_judge(y, x, waits && n >= most);
}

static void why_draining(why *y, const sked_engine_bound *x)
{
    if (x->ask) {
        why_elsewhere(y, x);
        return;
    }

    int32_t row = row_of(y->h, x->queue);

    if (!books_above(&y->h->b, row, y->h->b.job_queue[y->job])) {
        why_untrue(y, x, "no queue of its path");
    }
    why_judge(y, x, shares_drains(y->h->w, y->h->b.queue, row));
}

/* ---- Queues ---- */

/* What a step changes the books of a row on its path by. */
static int64_t step_at(const why *y, int32_t row, uint32_t k, int64_t more,
                       const int64_t held[WORLD_ROWS])
{
    const books *b = &y->h->b;

    for (int32_t at = books_leaf(b, y->ask); at != row;
         at = b->w->queue[at].parent) {
        int64_t kept = b->shares[y->part].row[at].kept[k];
        int64_t before = held[at] > kept ? held[at] : kept;
        int64_t after = held[at] + more > kept ? held[at] + more : kept;
        more = after - before;
    }
    return more;
}

/* Are those the amounts of a row with so much more, and is that too much? */
static int is_limit_of(const why *y, const sked_engine_bound *x, int64_t step,
                       int *in_the_way)
{
    const books *b = &y->h->b;
    uint32_t k = (uint32_t)x->kind;
    int32_t row = row_of(y->h, x->queue);
    int64_t held[WORLD_ROWS], all = 0;
    int64_t cap = shares_bound(&b->shares[y->part], row, k);
    int64_t ceiling = books_ceiling(b, row, k);

    books_held(b, y->part, k, held);
    for (uint32_t p = 0; p < b->w->parts; p++) {
        all += b->use[p][row][k] + books_reserved(b, p, row, k, -1, -1);
    }
    int64_t more = step_at(y, row, k, step, held);
    int64_t use = b->use[y->part][row][k] +
                  books_reserved(b, y->part, row, k, -1, -1);
    int64_t here = more > 0 ? held[row] + more : use + step;
    int whole = ceiling - (all + step) <= cap - here;
    *in_the_way = all + step > ceiling || use + step > cap ||
                  (more > 0 && held[row] + more > cap);
    return step > 0 && x->bound == (whole ? ceiling : cap) &&
           x->need == (whole ? all + step : here);
}

static void why_limit(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t k = (uint32_t)x->kind;
    int in_the_way;
    int is = is_limit_of(y, x, books_lacks(b, y->ask, k), &in_the_way);

    for (uint32_t way = 0; way < why_ways(y) && !is; way++) {
        is = is_limit_of(y, x, why_whole(y, k, way), &in_the_way);
    }
    if (!is) why_untrue(y, x, "other amounts");
    why_judge(y, x, in_the_way);
}

/* What starts somewhere is no longer wanted elsewhere: there shares are those
 * of before it. */
static int shares_are_known(const host *h)
{
    return claims_are_known(h) && (host_is_still(h) || h->last < 0);
}

/* ---- Masters and users ---- */

/* Returns 1 if `need` is what masters hold with the step. An exclusive ask may
 * add whole nodes instead. */
static int masters_hold(const why *y, uint32_t k, int64_t need, int64_t holds,
                        int64_t paid)
{
    int64_t step = books_lacks(&y->h->b, y->ask, k);

    for (uint32_t way = 0;; way++) {
        int64_t least = holds + step;
        if (need >= least && need <= least + paid) return 1;
        if (way == why_ways(y)) return 0;
        step = why_whole(y, k, way);
    }
}

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
    if (!(b->w->ask[y->ask].flags & SKED_ASK_MASTER) ||
        b->queue[leaf].number[SKED_QUEUE_AM_SHARE] == SKED_UNSET ||
        !masters_hold(y, k, x->need, holds, paid)) {
        why_untrue(y, x, "masters hold other amounts");
    }
    if (shares_are_known(y->h)) {
        int64_t bound = masters_bound(b, y->part, leaf, k);
        int64_t off = x->bound > bound ? x->bound - bound : bound - x->bound;
        if (off > CLAIM_OFF)
            why_untrue(y, x, "masters may hold another amount");
    }
    why_judge(y, x, x->need > x->bound);
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
        why_untrue(y, x, "the user has, or may have, another amount");
    }
    why_judge(y, x, most != SKED_UNLIMITED && counts >= most);
}

/* It waits to be possible at all. */
static void why_limit_never(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    uint32_t k = (uint32_t)x->kind;
    int waits = (b->w->ask[y->ask].flags & SKED_ASK_WAIT) != 0;

    if (!waits || x->need != books_lacks(b, y->ask, k) ||
        x->bound != books_ceiling(b, row_of(y->h, x->queue), k)) {
        why_untrue(y, x, "it could never start otherwise");
    }
    why_judge(y, x, x->need > x->bound);
}

static void why_claim(why *y, const sked_engine_bound *x)
{
    const host *h = y->h;
    int32_t leaf = books_leaf(&h->b, y->ask);
    int yields = (h->w->job[y->job].flags & SKED_JOB_YIELDS) != 0;
    uint32_t k = yields ? 0 : (uint32_t)x->kind;
    int64_t has = h->b.use[y->part][leaf][k] + books_lacks(&h->b, y->ask, k);

    why_judge(y, x, 0);
    if (yields != (x->kind < 0))
        why_untrue(y, x, "it is not the job's own will");
    if (yields) return;
    if (!h->w->preempts || x->need != has || has <= x->bound) {
        why_untrue(y, x, "it would not be more than that");
    }
    if (!shares_are_known(h)) return;
    if (h->b.shares[y->part].row[leaf].top[k] == 0) {
        /* All that is open waits to be possible. */
        if (x->bound != 0) why_untrue(y, x, "it may claim nothing");
        return;
    }
    if (!claims_reach(h, y->part, leaf, k, x->bound)) {
        why_untrue(y, x, "it may claim another amount");
    }
    if (claims_hold(h, y->part, y->ask)) {
        why_untrue(y, x, "a policy lets it claim all of that");
    }
}

/* Something is reserved for a gang while it forms: for itself, or in the way of
 * another. One that has left its line meanwhile has it until nodes are looked at
 * again. */
static void why_forming(why *y, const sked_engine_bound *x)
{
    const world *w = y->h->w;
    int own = x->queue == SKED_NO_QUEUE;
    uint64_t gang = own ? (uint64_t)y->ask : (uint64_t)x->need - 1;
    int64_t open = books_gang_step(&y->h->b, y->ask);
    int64_t most = own ? open : (int64_t)w->options.form_nodes;

    why_judge(y, x, 0);
    y->h->explained[x->reason]++;
    if (gang >= w->asks || !(w->ask[gang].flags & SKED_ASK_SPREAD)) {
        why_untrue(y, x, "no gang forms");
    }
    if (x->bound < 1 || x->bound > most || (own && x->need != open)) {
        why_untrue(y, x, "other amounts");
    }
}

/* ---- Weights ---- */

static int64_t weight_of_tree(const books *b, int32_t row)
{
    return b->tree_weight[row] == SKED_UNSET ? 1 : b->tree_weight[row];
}

static void why_weight(why *y, const sked_engine_bound *x)
{
    const books *b = &y->h->b;
    int32_t row = row_of(y->h, x->queue);

    why_judge(y, x, 0);
    y->h->explained[x->reason]++;
    if (row < 1 || x->ask || x->need != b->said_weight[row] ||
        x->bound != weight_of_tree(b, row)) {
        why_untrue(y, x, "it has another weight");
    }
    if (row >= 1) y->weighed |= 1u << row;
}

/* Of which queues above a job's tasks is it to be told? */
static uint32_t weighed_above(const books *b, uint32_t job)
{
    uint32_t rows = 0;

    for (int32_t row = b->job_queue[job]; row > 0;
         row = b->w->queue[row].parent) {
        int64_t said = b->said_weight[row];
        if (said && said != weight_of_tree(b, row)) rows |= 1u << row;
    }
    return rows;
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
    return (!why_kept_is_known(y) || !nodes) &&
           (reason == SKED_REASON_QUEUE_LIMIT ||
            reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_MASTERS ||
            reason == SKED_REASON_NO_NODE || reason == SKED_REASON_BEHIND ||
            reason == SKED_REASON_GANG || reason == SKED_REASON_REFUSED ||
            reason == SKED_REASON_TREE_1_LIMIT ||
            reason == SKED_REASON_TREE_2_LIMIT ||
            reason == SKED_REASON_EXCLUSIVE || reason == SKED_REASON_NO_CLAIM);
}

static void why_one(why *y, const sked_engine_bound *x)
{
    if (is_unknown(y, x->reason)) {
        why_judge(y, x, x->binds != 0);
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
    case SKED_REASON_TREE_1_RUNNING:
    case SKED_REASON_TREE_2_RUNNING: why_tree_running(y, x); break;
    case SKED_REASON_TREE_1_LIMIT:
    case SKED_REASON_TREE_2_LIMIT: why_tree_limit(y, x); break;
    case SKED_REASON_EXCLUSIVE: why_alone(y, x); break;
    case SKED_REASON_FORMING: why_forming(y, x); break;
    case SKED_REASON_WEIGHT: why_weight(y, x); break;
    case SKED_REASON_NEVER_NODE:
    case SKED_REASON_BEHIND:
    case SKED_REASON_GANG:
        (y->h->w->ask[y->ask].flags & SKED_ASK_SPREAD ? why_gang : why_node)(y,
                                                                             x);
        break;
    default: why_untrue(y, x, "no reason to wait"); break;
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
            if (y.ask >= 0 && !y.bound)
                why_untrue(&y, &x[i - 1], "nothing binds");
            if (y.ask < 0) y.held = y.bound;
            y.ask = ask;
            y.part = x[i].partition;
            y.bound = y.held;
        }
        if (ask >= 0 && (h->w->ask[ask].job != y.job || h->b.open[ask] == 0)) {
            why_untrue(&y, &x[i], "nothing of this ask is open");
        }
        why_one(&y, &x[i]);
    }
    if (y.weighed != weighed_above(&h->b, j)) {
        host_broken(h, PROMISE_WHY,
                    "round %u: job %u: of weights %x is told, not of %x",
                    h->rounds, j + 1, y.weighed, weighed_above(&h->b, j));
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
