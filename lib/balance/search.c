/*
 * The local search (hill climbing) and the lower bounds of the objective.
 *
 * Steps of the search:
 *   1. Take the best single move, until no move lowers the objective.
 *   2. Take the first exchange of two workflows that lowers the objective.
 *   3. Go back to step 1. The search ends when no exchange helps, or after
 *      `max_tries` tries.
 *
 * A table (`with`) caches the score of each cluster after each workflow enters
 * or leaves the cluster. A move changes two clusters, and only the two columns
 * of these clusters are computed again.
 */
#include "balance/state.h"

/* The score of a cluster: the percentile, or the mean, of its utilisation. */

/* Selection ignores buckets of value 0, but idle time counts here. Every value
 * is therefore raised by 1 before the selection, and the answer lowered by 1.
 */
int64_t skedi_balance_percentile(skedi_balance *b, uint64_t need)
{
    skedi_units units = {b->length, b->value, (size_t)b->in.buckets};
    skedi_spot spot = {.need = need};
    int64_t peak = 0;

    for (size_t i = 0; i < units.n; i++) {
        if (b->value[i] > peak) peak = b->value[i];
    }
    if (need == b->window) return peak;
    skedi_units_sum sum = skedi_units_none();
    for (size_t i = 0; i < units.n; i++) b->value[i]++;
    for (size_t at = 0; at < units.n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&units, at);
        (void)!skedi_units_add(&sum, &block);
    }
    skedi_select(&units, &sum, &spot, 1, &b->memory);
    return (int64_t)spot.amount - 1;
}

static int64_t mean_of(const skedi_balance *b)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets; i++) {
        sum = skedi_u128_add(
            sum, skedi_u128_mul((uint64_t)b->value[i], (uint64_t)b->length[i]));
    }
    return (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
}

/* Writes the utilisation of each bucket to `value`: the largest over kinds. */
static void utilise(skedi_balance *b, skedi_balance_change change,
                    const int64_t *capacity)
{
    const int64_t *curve = b->curve + change.cluster * b->cells;
    const int64_t *more = NULL, *less = NULL;
    size_t kinds = b->in.kinds;

    if (change.more != SKEDI_NO_MOVER)
        more = b->in.usage + change.more * b->cells;
    if (change.less != SKEDI_NO_MOVER)
        less = b->in.usage + change.less * b->cells;
    for (size_t i = 0; i < b->in.buckets; i++) {
        int64_t most = 0;
        for (size_t k = 0; k < kinds; k++) {
            size_t cell = i * kinds + k;
            int64_t used = curve[cell];
            if (more) used += more[cell];
            if (less) used -= less[cell];
            most = skedi_i64_max(most, balance_part(used, capacity[k], 1));
        }
        b->value[i] = most;
    }
}

int64_t skedi_balance_score(skedi_balance *b, skedi_balance_change change)
{
    size_t row = (size_t)change.cluster * b->in.kinds;

    b->tries++;
    if (!b->weight) {
        utilise(b, change, b->in.capacity + row);
        return skedi_balance_percentile(b, b->need);
    }
    utilise(b, change, b->in.instance + row);
    return balance_weighted(mean_of(b), b->weight[change.cluster]);
}

int64_t skedi_balance_instances(skedi_balance *b, uint32_t cluster)
{
    const int64_t *instance = b->in.instance;
    skedi_units units = {b->length, b->value, (size_t)b->in.buckets};
    skedi_units_sum sum = skedi_units_none();
    skedi_spot spot = {0};
    uint64_t rem;

    if (!instance) return 0;
    utilise(b, (skedi_balance_change){cluster, SKEDI_NO_MOVER, SKEDI_NO_MOVER},
            instance + (size_t)cluster * b->in.kinds);
    for (size_t i = 0; i < units.n; i++) {
        b->value[i] = (b->value[i] + SKED_BALANCE_WHOLE - 1) /
                      SKED_BALANCE_WHOLE;
    }
    for (size_t at = 0; at < units.n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&units, at);
        (void)!skedi_units_add(&sum, &block);
    }
    if (sum.peak == 0) return 0;
    spot.need = skedi_muldiv(sum.all - sum.vacant,
                             (uint64_t)b->in.percentile_ppm, (uint64_t)SKED_PPM,
                             &rem);
    spot.need += rem > 0;
    skedi_select(&units, &sum, &spot, 1, &b->memory);
    return (int64_t)spot.amount;
}

/* Adds the usage of a workflow to a cluster (`sign` 1), or subtracts it (-1).
 */
static void add_curve(skedi_balance *b, uint32_t cluster, uint32_t workflow,
                      int64_t sign)
{
    int64_t *curve = b->curve + cluster * b->cells;
    const int64_t *usage = b->in.usage + workflow * b->cells;

    for (size_t i = 0; i < b->cells; i++) curve[i] += sign * usage[i];
}

sked_balance_objective skedi_balance_after(const skedi_balance *b,
                                           const uint32_t at[2],
                                           const int64_t score[2], int64_t cost)
{
    sked_balance_objective after = b->objective;

    after.sum += cost;
    for (int i = 0; i < 2; i++) {
        after.sum += score[i] - b->score[at[i]];
        after.excess += balance_excess(b, score[i]) -
                        balance_excess(b, b->score[at[i]]);
    }
    return after;
}

void skedi_balance_move(skedi_balance *b, uint32_t workflow, uint32_t to,
                        int64_t from_score, int64_t to_score)
{
    uint32_t from = b->where[workflow], home = b->in.home[workflow];
    const uint32_t at[2] = {from, to};
    const int64_t score[2] = {from_score, to_score};
    int64_t cost = balance_cost(b, workflow, to) -
                   balance_cost(b, workflow, from);

    b->objective = skedi_balance_after(b, at, score, cost);
    b->score[from] = from_score;
    b->score[to] = to_score;
    add_curve(b, from, workflow, -1);
    add_curve(b, to, workflow, 1);
    b->where[workflow] = to;
    b->moved += (from == home) - (uint32_t)(to == home);
}

/*
 * Lower bounds that hold for every placement of the workflows.
 *
 * Weight of a bucket. The weight of a workflow is its utilisation of one kind,
 * or the mean over all kinds, in the allowed cluster where this is least. The
 * weights of all workflows and of the fixed usage add up to the weight of the
 * bucket. In this bucket, the utilisations of all clusters add up to at least
 * this weight.
 *
 * Percentiles. Each of C clusters stays within its percentile p for the part p
 * of the window. All clusters do so together for at least 1 - C * (1 - p) of
 * the window. During this time the sum of the scores is at least the weight of
 * the bucket. The percentile of the weights at 1 - C * (1 - p) is therefore a
 * bound of the sum.
 *
 * Means. Each bucket takes the kind (or the mean over kinds) with the largest
 * weight. The mean of these weights over the window is a bound of the sum.
 *
 * Workflows that cannot move. The score of a cluster is at least its score with
 * only the fixed usage and the workflows that can never leave.
 */

/* The weight of a row of usage in a cluster, rounded down. `kind` is a kind, or
 * `kinds` for the mean over all kinds. */
static int64_t weigh(const skedi_balance *b, const int64_t *used,
                     uint32_t cluster, size_t kind)
{
    const int64_t *of = b->weight ? b->in.instance : b->in.capacity;
    size_t kinds = b->in.kinds;
    int64_t part = 0;

    of += cluster * kinds;
    if (kind < kinds) {
        part = balance_part(used[kind], of[kind], 0);
    } else {
        for (size_t k = 0; k < kinds; k++) {
            part += balance_part(used[k], of[k], 0);
        }
        part /= (int64_t)kinds;
    }
    return b->weight ? balance_weighted(part, b->weight[cluster]) : part;
}

/* The smallest cap of a score over all clusters: SKED_BALANCE_MOST, times the
 * weight of the cluster if clusters have weights. */
static int64_t least_most(const skedi_balance *b)
{
    int64_t least = SKED_BALANCE_MOST;

    for (uint32_t c = 0; b->weight && c < b->in.clusters; c++) {
        least = skedi_i64_min(
            least, balance_weighted(SKED_BALANCE_MOST, b->weight[c]));
    }
    return least;
}

/* The weight of a bucket. The sum stops at the smallest cap: a cluster at its
 * cap has at least this score, and without such a cluster no cap matters. */
static int64_t bucket_weight(const skedi_balance *b, size_t bucket, size_t kind)
{
    size_t row = bucket * b->in.kinds;
    int64_t sum = 0, most = least_most(b);

    for (uint32_t c = 0; b->in.fixed && c < b->in.clusters; c++) {
        sum += weigh(b, b->in.fixed + c * b->cells + row, c, kind);
    }
    for (uint32_t w = 0; w < b->in.workflows; w++) {
        int64_t least = INT64_MAX;
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (!balance_may(b, w, c)) continue;
            least = skedi_i64_min(
                least, weigh(b, b->in.usage + w * b->cells + row, c, kind));
        }
        sum += least;
        if (sum >= most) return most;
    }
    return skedi_i64_min(sum, most);
}

/* The least time during which all clusters stay within their percentiles
 * together; 0 if the percentiles promise no common time. */
static uint64_t common_part(const skedi_balance *b)
{
    uint64_t beyond = b->window - b->need;

    if (beyond == 0) return b->window;
    if (beyond >= b->window / b->in.clusters) return 0;
    return b->window - beyond * b->in.clusters;
}

/* The largest bound by percentiles: over each kind, and the mean over kinds. */
static sked_status bound_by_kind(skedi_balance *b, int64_t *best)
{
    uint64_t part = common_part(b);
    sked_status rc = SKED_OK;

    for (size_t k = 0; part > 0 && k <= b->in.kinds; k++) {
        for (size_t i = 0; i < b->in.buckets && rc == SKED_OK; i++) {
            rc = skedi_hooks_check(&b->hooks, i, b->in.buckets);
            b->value[i] = bucket_weight(b, i, k);
        }
        if (rc != SKED_OK) return rc;
        *best = skedi_i64_max(*best, skedi_balance_percentile(b, part));
    }
    return rc;
}

/* The bound by means: each bucket takes its largest weight. */
static sked_status bound_by_bucket(skedi_balance *b, int64_t *best)
{
    skedi_u128 sum = skedi_u128_of(0);
    sked_status rc = SKED_OK;
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets && rc == SKED_OK; i++) {
        int64_t most = 0;
        rc = skedi_hooks_check(&b->hooks, i, b->in.buckets);
        for (size_t k = 0; k <= b->in.kinds; k++) {
            most = skedi_i64_max(most, bucket_weight(b, i, k));
        }
        sum = skedi_u128_add(
            sum, skedi_u128_mul((uint64_t)most, (uint64_t)b->length[i]));
    }
    *best = (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
    /* Every score is rounded down twice: the mean, then the product with the
     * weight. The bound must allow for both. */
    for (uint32_t c = 0; c < b->in.clusters; c++) {
        *best -= b->weight[c] / SKED_BALANCE_WHOLE + 2;
    }
    *best = skedi_i64_max(0, *best);
    return rc;
}

static int can_leave(const skedi_balance *b, uint32_t workflow)
{
    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (c != b->in.home[workflow] && balance_may(b, workflow, c)) return 1;
    }
    return 0;
}

/* The score of a cluster without the workflows that can leave. The second pass
 * restores the curve. `b->score` of the cluster is overwritten. */
static int64_t stripped_score(skedi_balance *b, uint32_t cluster)
{
    int64_t *curve = b->curve + cluster * b->cells;
    skedi_balance_change as_is = {cluster, SKEDI_NO_MOVER, SKEDI_NO_MOVER};

    for (int sign = -1; sign <= 1; sign += 2) {
        for (uint32_t w = 0; w < b->in.workflows; w++) {
            const int64_t *usage = b->in.usage + w * b->cells;
            if (b->where[w] != cluster || !can_leave(b, w)) continue;
            for (size_t i = 0; i < b->cells; i++) curve[i] += sign * usage[i];
        }
        if (sign < 0) b->score[cluster] = skedi_balance_score(b, as_is);
    }
    return b->score[cluster];
}

static int64_t least_costs(const skedi_balance *b)
{
    int64_t sum = 0;

    for (uint32_t w = 0; b->in.cost && w < b->in.workflows; w++) {
        int64_t least = INT64_MAX;
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (!balance_may(b, w, c)) continue;
            least = skedi_i64_min(least, balance_cost(b, w, c));
        }
        sum += least;
    }
    return sum;
}

sked_status skedi_balance_bound(skedi_balance *b, sked_balance_objective *bound)
{
    int64_t whole = 0, stuck = 0, stuck_excess = 0;
    sked_status rc = b->weight ? bound_by_bucket(b, &whole)
                               : bound_by_kind(b, &whole);

    for (uint32_t c = 0; rc == SKED_OK && c < b->in.clusters; c++) {
        int64_t had = b->score[c], score = stripped_score(b, c);
        b->score[c] = had;
        stuck += score;
        stuck_excess += balance_excess(b, score);
    }
    int64_t most = b->ceiling * (int64_t)b->in.clusters;
    if (b->weight) most = INT64_MAX;
    bound->excess = skedi_i64_max(stuck_excess,
                                  whole > most ? whole - most : 0);
    bound->sum = skedi_i64_max(stuck, whole) + least_costs(b);
    return rc;
}

typedef struct balance_walk {
    skedi_balance *b;
    int64_t *with; /* workflow x cluster: the cluster's score after the workflow
                      enters it, or leaves it if it is there */
    uint64_t ask;  /* number of tries at which to call the host again */
    sked_status rc;
} balance_walk;

static int go_on(balance_walk *w)
{
    skedi_balance *b = w->b;

    /* An exchange counts two tries and can skip the exact number. */
    if (b->tries >= w->ask) {
        w->ask = b->tries + SKEDI_TRIES_A_CHECK;
        w->rc = skedi_hooks_check(&b->hooks, b->tries, b->in.max_tries);
    }
    return w->rc == SKED_OK;
}

/* Computes one entry of the table: the score of `cluster` after the workflow
 * enters or leaves. Skips clusters that the workflow may not use. */
static void refresh(balance_walk *w, uint32_t workflow, uint32_t cluster)
{
    skedi_balance *b = w->b;
    int there = b->where[workflow] == cluster;
    skedi_balance_change change = {cluster, there ? SKEDI_NO_MOVER : workflow,
                                   there ? workflow : SKEDI_NO_MOVER};

    if (!go_on(w) || !balance_may(b, workflow, cluster)) return;
    w->with[(size_t)workflow * b->in.clusters + cluster] = skedi_balance_score(
        b, change);
}

static void refresh_all(balance_walk *w)
{
    for (uint32_t i = 0; i < w->b->in.workflows; i++) {
        for (uint32_t c = 0; c < w->b->in.clusters; c++) refresh(w, i, c);
    }
}

static void refresh_two(balance_walk *w, const uint32_t at[2])
{
    for (uint32_t i = 0; i < w->b->in.workflows; i++) {
        refresh(w, i, at[0]);
        refresh(w, i, at[1]);
    }
}

static sked_balance_objective after_move(const balance_walk *w, uint32_t i,
                                         uint32_t to)
{
    const skedi_balance *b = w->b;
    const int64_t *with = w->with + (size_t)i * b->in.clusters;
    const uint32_t at[2] = {b->where[i], to};
    const int64_t score[2] = {with[at[0]], with[to]};

    return skedi_balance_after(
        b, at, score, balance_cost(b, i, to) - balance_cost(b, i, at[0]));
}

/* Carries out the move that lowers the objective most. Returns 0 if no move
 * lowers the objective. */
static int move_best(balance_walk *w)
{
    skedi_balance *b = w->b;
    sked_balance_objective best = b->objective;
    uint32_t who = SKEDI_NO_MOVER, at[2] = {0, 0};

    for (uint32_t i = 0; i < b->in.workflows; i++) {
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (c == b->where[i] || !balance_may(b, i, c)) continue;
            if (!balance_fits(b, i, c)) continue;
            sked_balance_objective after = after_move(w, i, c);
            if (!balance_is_less(after, best)) continue;
            best = after;
            who = i;
            at[0] = b->where[i];
            at[1] = c;
        }
    }
    if (who == SKEDI_NO_MOVER) return 0;
    const int64_t *with = w->with + (size_t)who * b->in.clusters;
    skedi_balance_move(b, who, at[1], with[at[0]], with[at[1]]);
    refresh_two(w, at);
    return 1;
}

/* True if each workflow may go to the cluster of the other, and the limit of
 * moves allows the exchange. */
static int may_exchange(const skedi_balance *b, uint32_t i, uint32_t j)
{
    uint32_t at = b->where[i], to = b->where[j];
    uint32_t moved = b->moved;

    if (at == to || !balance_may(b, i, to) || !balance_may(b, j, at)) return 0;
    moved += (at == b->in.home[i]) - (uint32_t)(to == b->in.home[i]);
    moved += (to == b->in.home[j]) - (uint32_t)(at == b->in.home[j]);
    return !b->in.max_moves || moved <= b->in.max_moves;
}

/* Exchanges two workflows if the exchange lowers the objective. Returns 1 if
 * the workflows were exchanged. */
static int try_exchange(balance_walk *w, uint32_t i, uint32_t j)
{
    skedi_balance *b = w->b;
    const uint32_t at[2] = {b->where[i], b->where[j]};
    int64_t cost = balance_cost(b, i, at[1]) + balance_cost(b, j, at[0]) -
                   balance_cost(b, i, at[0]) - balance_cost(b, j, at[1]);
    const int64_t score[2] = {
        skedi_balance_score(b, (skedi_balance_change){at[0], j, i}),
        skedi_balance_score(b, (skedi_balance_change){at[1], i, j})};

    if (!balance_is_less(skedi_balance_after(b, at, score, cost),
                         b->objective)) {
        return 0;
    }
    const int64_t *with = w->with + (size_t)i * b->in.clusters;
    skedi_balance_move(b, i, at[1], with[at[0]], with[at[1]]);
    skedi_balance_move(b, j, at[0], score[1], score[0]);
    refresh_two(w, at);
    return 1;
}

static int exchange_first(balance_walk *w)
{
    skedi_balance *b = w->b;

    for (uint32_t i = 0; i < b->in.workflows; i++) {
        for (uint32_t j = i + 1; j < b->in.workflows; j++) {
            if (!may_exchange(b, i, j)) continue;
            if (!go_on(w) || b->tries >= b->in.max_tries) return 0;
            if (try_exchange(w, i, j)) return 1;
        }
    }
    return 0;
}

sked_status skedi_balance_search(skedi_balance *b, uint32_t *complete)
{
    size_t row = (size_t)b->in.clusters * sizeof(int64_t);
    balance_walk w = {.b = b, .rc = SKED_OK};

    w.with = skedi_new(&b->hooks.mem, (size_t)b->in.workflows, row);
    if (!w.with) return SKED_ERR_NOMEM;
    refresh_all(&w);
    while (w.rc == SKED_OK && b->tries < b->in.max_tries) {
        if (!move_best(&w) && !exchange_first(&w)) break;
    }
    *complete = b->tries < b->in.max_tries;
    skedi_free(&b->hooks.mem, w.with, (size_t)b->in.workflows, row);
    return w.rc;
}
