/* P3: what starts keeps every bound. */
#include "host.h"

static void check_node(host *h, int32_t ask, int32_t node, int paid)
{
    int takes = paid ? books_takes_paid(&h->b, ask, (uint32_t)node)
                     : books_takes(&h->b, ask, (uint32_t)node);

    if (!h->b.node_open[node] || !fits_node(&h->b, ask, node, 1, NULL, 0)) {
        host_broken(h, PROMISE_NODE, "round %u: ask %d on node %d", h->rounds,
                    ask + 1, node + 1);
    }
    if (!takes || books_listed(&h->b, ask, (uint32_t)node) < 0) {
        host_broken(h, PROMISE_NODE,
                    "round %u: ask %d on node %d, which its rules or its list "
                    "do not take",
                    h->rounds, ask + 1, node + 1);
    }
    if (h->now < h->b.ask_barred[ask] ||
        h->now < h->b.job_barred[h->w->ask[ask].job] ||
        h->now < h->b.node_barred[node]) {
        host_broken(h, PROMISE_NODE,
                    "round %u: ask %d on node %d, which the host refused",
                    h->rounds, ask + 1, node + 1);
    }
    uint32_t named = h->w->ask[ask].partition;
    if (named != SKED_ANY_PARTITION && named != h->b.part[node]) {
        host_broken(h, PROMISE_NODE,
                    "round %u: ask %d on node %d of another partition",
                    h->rounds, ask + 1, node + 1);
    }
}

static void check_limits(host *h, int32_t ask, int32_t node)
{
    const world *w = h->w;
    uint32_t part = h->b.part[node];
    int32_t leaf = books_leaf(&h->b, ask);

    for (int32_t row = leaf; row >= 0; row = w->queue[row].parent) {
        for (uint32_t k = 0; k < w->kinds; k++) {
            int64_t step = books_start_step(&h->b, ask, node, k);
            int64_t use = h->b.use[part][row][k] + step;
            int64_t most = shares_bound(&h->b.shares[part], row, k);
            if (step == 0 || use <= most) continue;
            host_broken(h, PROMISE_LIMIT,
                        "round %u: ask %d lifts queue %d to %lld of kind %u, "
                        "of at most %lld",
                        h->rounds, ask + 1, row, (long long)use, k,
                        (long long)most);
            return;
        }
    }
    if (!fits_bounds(&h->b, ask, node, 1, NULL, 0)) {
        host_broken(h, PROMISE_KEPT,
                    "round %u: ask %d on node %d takes what is kept for "
                    "others, or passes a limit over all partitions",
                    h->rounds, ask + 1, node + 1);
    }
}

/* ---- Masters ---- */

/* What a leaf could have beyond its share: what no share takes, at each queue
 * from it up. */
static int64_t left_of(const shares *s, int32_t leaf, uint32_t k)
{
    int64_t left = SKED_AMOUNT_MAX, beside = 0;

    for (int32_t row = leaf; row >= 0; row = s->queue[row].parent) {
        int64_t cap = s->row[row].cap[k];
        int64_t own = (cap < SKED_AMOUNT_MAX ? cap : SKED_AMOUNT_MAX) -
                      s->row[row].share[k];
        int64_t taken = 0;
        for (uint32_t c = (uint32_t)row + 1; c < s->w->rows; c++) {
            if (s->queue[c].parent == row) taken += s->row[c].share[k];
        }
        if (row != leaf) beside += s->row[row].share[k] - taken;
        if (own + beside < left) left = own + beside;
    }
    return left;
}

int64_t masters_bound(const books *b, uint32_t part, int32_t leaf, uint32_t k)
{
    const shares *s = &b->shares[part];
    int64_t most = b->queue[leaf].number[SKED_QUEUE_AM_SHARE];
    int64_t base = s->row[leaf].share[k] + left_of(s, leaf, k);

    return (base * most + SKED_PPM - 1) / SKED_PPM;
}

static void check_masters(host *h, int32_t ask, int32_t node)
{
    const world *w = h->w;
    uint32_t part = h->b.part[node];
    int32_t leaf = books_leaf(&h->b, ask);
    int64_t most = h->b.queue[leaf].number[SKED_QUEUE_AM_SHARE], masters = 0;
    int64_t use[WORLD_KINDS] = {0};

    if (!(w->ask[ask].flags & SKED_ASK_MASTER) || most == SKED_UNSET) return;
    if (!h->sharp) return;
    for (uint32_t a = 0; a < w->asks; a++) {
        if (!(w->ask[a].flags & SKED_ASK_MASTER)) continue;
        if (books_leaf(&h->b, (int32_t)a) != leaf) continue;
        for (uint32_t n = 0; n < w->nodes; n++) {
            if (h->b.part[n] != part) continue;
            masters += h->b.run[n][a];
            for (uint32_t k = 0; k < w->kinds; k++) {
                use[k] += h->b.run[n][a] * w->ask[a].amount[k] +
                          h->b.extra[n][a][k];
            }
        }
    }
    h->checked |= 1u << PROMISE_MASTERS;
    for (uint32_t k = 0; k < w->kinds && masters > 0; k++) {
        int64_t step = books_start_step(&h->b, ask, node, k);
        int64_t bound = masters_bound(&h->b, part, leaf, k) + 1;
        if (step == 0 || use[k] + step <= bound) continue;
        host_broken(h, PROMISE_MASTERS,
                    "round %u: masters of queue %d have %lld of kind %u, of "
                    "at most %lld",
                    h->rounds, leaf, (long long)(use[k] + step), k,
                    (long long)bound);
    }
}

/* ---- Users ---- */

/* Below the limit before it starts; it may end above. */
static void check_user(host *h, int32_t ask, int32_t node)
{
    const books *b = &h->b;
    uint32_t part = h->b.part[node], user = books_user(b, ask);
    int32_t leaf = books_leaf(b, ask);
    uint32_t k = books_dominant(b, part, leaf);
    int64_t most = books_user_limit(b, part, leaf, user, k);
    int64_t own = books_user_holds(b, part, leaf, user, k);

    if (most == SKED_UNLIMITED) return;
    h->checked |= UINT32_C(1) << PROMISE_USER;
    if (own < most) return;
    host_broken(h, PROMISE_USER,
                "round %u: ask %d: its user has %lld of kind %u in queue %d, "
                "of at most %lld",
                h->rounds, ask + 1, (long long)own, k, leaf, (long long)most);
}

/* ---- All ---- */

void check_admit(host *h, uint32_t job)
{
    const world *w = h->w;

    check_trees_admit(h, job);
    for (int32_t row = h->b.job_queue[job]; row >= 0;
         row = w->queue[row].parent) {
        int64_t most = h->b.queue[row].number[SKED_QUEUE_MAX_RUNNING], n = 0;
        for (uint32_t j = 0; j < w->jobs; j++) {
            n += h->b.admitted[j] && !h->b.cancelled[j] &&
                 books_above(&h->b, row, h->b.job_queue[j]);
        }
        if (most == SKED_UNSET || h->adopting) continue;
        h->checked |= 1u << PROMISE_RUNNING;
        if (n <= most) continue;
        host_broken(h, PROMISE_RUNNING, "round %u: %lld jobs run in queue %d",
                    h->rounds, (long long)n, row);
    }
}

/* Where all of an exact gang starts, each node has just as many of it. */
static void check_exact(host *h, int32_t ask)
{
    const world_ask *a = &h->w->ask[ask];
    int64_t sum = 0, uneven = 0;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        int64_t run = h->b.run[n][ask];
        if (run > 0 && !(h->spread[ask] >> n & 1)) return;
        uneven += run > 0 && run != a->per_node;
        sum += run;
    }
    if (sum != a->count || uneven == 0) return;
    host_broken(
        h, PROMISE_NODE,
        "round %u: of ask %d, a gang over nodes, %lld nodes have not %u",
        h->rounds, ask + 1, (long long)uneven, a->per_node);
}

/* All nodes that it runs on share a zone; of one that would rather have such, where
 * nodes of a zone were enough for what has started. */
static void check_same(host *h, int32_t ask)
{
    uint32_t zones = 0;

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        int counts = world_is_bound(&h->w->ask[ask])
                         ? h->b.run[n][ask] > 0
                         : h->enough[ask] && h->whole[ask] >> n & 1;
        if (counts) zones |= h->b.zone[n];
    }
    if ((zones & (zones - 1)) == 0) return;
    host_broken(h, PROMISE_NODE,
                "round %u: ask %d, a gang over nodes, runs in zones %x",
                h->rounds, ask + 1, zones);
}

/* A gang over nodes starts as a whole, in one partition, and on no node more of
 * it than may run there. */
void check_spread(host *h, int32_t ask)
{
    const world_ask *a = &h->w->ask[ask];
    uint32_t parts = 0;

    if (books_gang_lacks(&h->b, ask) > 0) {
        host_broken(h, PROMISE_NODE,
                    "round %u: %lld of ask %d, a gang over nodes, stay open",
                    h->rounds, (long long)books_gang_lacks(&h->b, ask),
                    ask + 1);
    }
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        if (h->whole[ask] >> n & 1) parts |= 1u << h->b.part[n];
        if (a->per_node == 0 || h->b.run[n][ask] <= a->per_node) continue;
        host_broken(h, PROMISE_NODE,
                    "round %u: %lld of ask %d, a gang over nodes, on node %u",
                    h->rounds, (long long)h->b.run[n][ask], ask + 1, n + 1);
    }
    if (a->same) check_same(h, ask);
    if (a->flags & SKED_ASK_EXACT) check_exact(h, ask);
    if ((parts & (parts - 1)) == 0) return;
    host_broken(h, PROMISE_NODE,
                "round %u: ask %d, a gang over nodes, starts in partitions %x",
                h->rounds, ask + 1, parts);
}

/* What others were told to end for was within the bounds of its user and of
 * masters at that time, and its soft rules took the node; the rest of a gang over
 * nodes is within its user's. */
void check_start(host *h, int32_t ask, int32_t node, int held, int paid)
{
    int rest = h->whole[ask] != 0 && books_is_wide(&h->b, ask);

    h->checked |= 1u << PROMISE_NODE | 1u << PROMISE_LIMIT | 1u << PROMISE_KEPT;
    check_node(h, ask, node, paid);
    check_limits(h, ask, node);
    check_trees(h, ask, node);
    if (!paid) check_masters(h, ask, node);
    if (!paid && !rest) check_user(h, ask, node);
    if (shares_drains(h->w, h->b.queue, books_leaf(&h->b, ask))) {
        host_broken(h, PROMISE_LIMIT,
                    "round %u: ask %d starts in queue %d, "
                    "which drains",
                    h->rounds, ask + 1, books_leaf(&h->b, ask));
    }
    if (h->w->ask[ask].flags & SKED_ASK_TOGETHER &&
        books_gang_ends(&h->b, ask)) {
        host_broken(h, PROMISE_NODE,
                    "round %u: ask %d starts while others of it end", h->rounds,
                    ask + 1);
    }
    if (h->sharp && !held) check_guarantee(h, ask, node);
}
