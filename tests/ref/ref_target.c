#include "ref_target.h"

#include <stdlib.h>
#include <string.h>

#include "ref_share.h"

typedef struct ref_targets {
    const sked_target_once_input *in;
    const sked_target_options *o;
    sked_target_result *out;
    sked_share_input q;
    size_t n;
    size_t kinds;
    int64_t *own;   /* guarantees as told, or by weight */
    int64_t *force; /* in force */
    int64_t *could; /* what leaves want, as far as it could run */
    int64_t *limit; /* that of queues; of leaves no more than could run */
} ref_targets;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t told(const ref_targets *t, const int64_t *column, size_t row,
                    size_t k, int64_t missing)
{
    return column ? column[row * t->kinds + k] : missing;
}

static int is_leaf(const ref_targets *t, size_t row)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->q.parent[i] == (int32_t)row) return 0;
    }
    return 1;
}

static int is_allowed(const ref_targets *t, size_t row)
{
    for (int32_t at = (int32_t)row; at >= 0; at = t->q.parent[at]) {
        if (t->in->preempt_from && !t->in->preempt_from[at]) return 0;
    }
    return 1;
}

static int64_t usage(const ref_targets *t, size_t row, size_t k)
{
    return told(t, t->q.usage, row, k, 0);
}

static int64_t wanted(const ref_targets *t, size_t row, size_t k)
{
    return most(usage(t, row, k), told(t, t->q.demand, row, k, 0));
}

static int64_t demand(const ref_targets *t, size_t row, size_t k)
{
    return t->could[row * t->kinds + k];
}

/* What a family's weights before a child, and up to it, are of what its
 * parent is guaranteed; the difference is its own. */
static void by_weight(ref_targets *t, size_t row, size_t k)
{
    int64_t sum = 0, before = 0, any = 0;
    size_t up = (size_t)t->q.parent[row];
    int64_t whole = t->own[up * t->kinds + k];

    for (size_t i = 1; i < t->n; i++) {
        if (t->q.parent[i] != (int32_t)up) continue;
        int64_t weight = t->q.weight ? t->q.weight[i] : 1;
        any |= told(t, t->q.guarantee, i, k, 0);
        sum += weight;
        before += i < row ? weight : 0;
    }
    if (any || sum == 0) return;
    int64_t upto = before + (t->q.weight ? t->q.weight[row] : 1);
    t->own[row * t->kinds + k] = whole * upto / sum - whole * before / sum;
}

static int64_t lifted(ref_targets *t, size_t row, size_t k)
{
    int64_t own = t->own[row * t->kinds + k], below = 0;
    int64_t borrow = told(t, t->q.borrow, row, k, SKED_UNLIMITED);
    int64_t limit = told(t, t->q.limit, row, k, SKED_UNLIMITED);
    int64_t cap = borrow == SKED_UNLIMITED ? limit : least(limit, own + borrow);

    for (size_t i = row + 1; i < t->n; i++) {
        if (t->q.parent[i] == (int32_t)row) below += lifted(t, i, k);
    }
    return least(cap, most(own, below));
}

static void guarantees(ref_targets *t, size_t k)
{
    for (size_t row = 0; row < t->n; row++) {
        t->own[row * t->kinds + k] = told(t, t->q.guarantee, row, k, 0);
    }
    if (t->o->flags & SKED_TARGET_FLAG_BY_WEIGHT) {
        t->own[k] = t->q.capacity[k];
        for (size_t row = 1; row < t->n; row++) by_weight(t, row, k);
    }
    t->force[k] = t->q.capacity[k];
    for (size_t row = 1; row < t->n; row++) {
        size_t up = (size_t)t->q.parent[row];
        int64_t whole = t->force[up * t->kinds + k], sum = 0;
        for (size_t i = 1; i < t->n; i++) {
            if (t->q.parent[i] == (int32_t)up) sum += lifted(t, i, k);
        }
        int64_t mine = lifted(t, row, k);
        t->force[row * t->kinds + k] = sum > whole ? mine * whole / sum : mine;
    }
}

/* ---- What could run ---- */

/* The least that a queue or one above it may hold. */
static int64_t bound(ref_targets *t, size_t leaf, size_t k)
{
    int imbalance = t->o->mode == SKED_TARGET_MODE_IMBALANCE;
    int64_t least_of_all = t->q.capacity[k];

    for (int32_t at = (int32_t)leaf; at >= 0; at = t->q.parent[at]) {
        size_t row = (size_t)at, i = row * t->kinds + k;
        int64_t own = imbalance ? t->force[i] : t->own[i];
        int64_t borrow = told(t, t->q.borrow, row, k, SKED_UNLIMITED);
        int64_t limit = told(t, t->q.limit, row, k, SKED_UNLIMITED);
        least_of_all = least(least_of_all, limit);
        if (borrow != SKED_UNLIMITED) {
            least_of_all = least(least_of_all, own + borrow);
        }
        if (!imbalance && t->q.weight && !t->q.weight[row]) {
            least_of_all = least(least_of_all, lifted(t, row, k));
        }
    }
    return least_of_all;
}

/* floor(of * least of left / open over all kinds with something open). */
static int64_t together(const ref_targets *t, const int64_t *open,
                        const int64_t *left, int64_t of)
{
    int64_t part = SKED_UNLIMITED;

    for (size_t j = 0; j < t->kinds; j++) {
        if (open[j] > 0) part = least(part, of * left[j] / open[j]);
    }
    return part;
}

static void fit(ref_targets *t, size_t row)
{
    int64_t open[SKED_MAX_KINDS], left[SKED_MAX_KINDS], used[SKED_MAX_KINDS];
    int any = 0;

    for (size_t k = 0; k < t->kinds; k++) {
        used[k] = usage(t, row, k);
        open[k] = wanted(t, row, k) - used[k];
        left[k] = most(0, bound(t, row, k) - used[k]);
        any |= open[k] > 0;
    }
    for (size_t k = 0; k < t->kinds; k++) {
        t->could[row * t->kinds + k] = used[k] +
                                       least(open[k],
                                             together(t, open, left, open[k]));
    }
    if (t->o->mode != SKED_TARGET_MODE_STARVATION) return;
    for (size_t k = 0; !any && k < t->kinds; k++) {
        left[k] += used[k];
        open[k] = used[k];
        used[k] = 0;
    }
    for (size_t k = 0; k < t->kinds; k++) {
        size_t i = row * t->kinds + k;
        int kept = told(t, t->q.lend, row, k, SKED_UNLIMITED) != SKED_UNLIMITED;
        int64_t grown = used[k] + together(t, open, left, open[k]);
        if (open[k] == 0) continue;
        t->limit[i] = least(t->limit[i], kept ? most(grown, t->own[i]) : grown);
    }
}

static void fits(ref_targets *t)
{
    for (size_t row = 0; row < t->n; row++) {
        for (size_t k = 0; k < t->kinds; k++) {
            size_t i = row * t->kinds + k;
            t->could[i] = wanted(t, row, k);
            t->limit[i] = told(t, t->q.limit, row, k, SKED_UNLIMITED);
        }
        if (is_leaf(t, row) && !(t->o->flags & SKED_TARGET_FLAG_BY_KIND)) {
            fit(t, row);
        }
    }
}

static void shares(ref_targets *t, int quick)
{
    const int32_t models[] = {SKED_SHARE_MODEL_CAPACITY,
                              SKED_SHARE_MODEL_INSTANTANEOUS,
                              SKED_SHARE_MODEL_ENTITLEMENT};
    size_t cells = t->n * t->kinds;
    int64_t *want = calloc(cells, sizeof *want);
    int64_t *held = calloc(cells, sizeof *held);
    sked_share_input q = t->q;
    sked_share_options options = {
        .struct_size = sizeof options,
        .flags = t->o->flags & SKED_TARGET_FLAG_PRIORITY ? SKED_SHARE_FLAG_BANDS
                                                         : 0,
        .model = models[t->o->mode],
        .scope = t->o->scope,
        .kind = t->o->kind,
    };

    for (size_t i = 0; i < cells; i++) {
        size_t row = i / t->kinds, k = i % t->kinds;
        if (!is_leaf(t, row)) continue;
        int grows = t->o->mode != SKED_TARGET_MODE_IMBALANCE ||
                    (t->o->flags & SKED_TARGET_FLAG_BALANCE &&
                     is_allowed(t, row));
        want[i] = demand(t, row, k);
        if (!grows)
            want[i] = least(want[i], most(usage(t, row, k), t->force[i]));
        if (!is_allowed(t, row)) held[i] = usage(t, row, k);
    }
    q.guarantee = t->o->mode == SKED_TARGET_MODE_IMBALANCE ? t->force : t->own;
    q.limit = t->limit;
    q.demand = want;
    q.held = held;
    if (!quick) {
        ref_share(&q, &options, t->out->share);
    } else if (sked_share_once(&q, &options, NULL, t->out->share, NULL) !=
               SKED_OK) {
        abort();
    }
    free(want);
    free(held);
}

/* ---- One leaf ---- */

static int64_t claim(const ref_targets *t, size_t row, size_t k)
{
    return least(t->out->share[row * t->kinds + k], demand(t, row, k));
}

static int64_t min_claim(const ref_targets *t, size_t row, size_t k)
{
    return least(t->force[row * t->kinds + k], claim(t, row, k));
}

static int64_t fair_claim(const ref_targets *t, size_t row, size_t k)
{
    int64_t ppm = t->in->fair_threshold_ppm ? t->in->fair_threshold_ppm[row]
                                            : SKED_PPM / 2;

    return least(t->out->share[row * t->kinds + k] * ppm / SKED_PPM,
                 claim(t, row, k));
}

static int counts(const ref_targets *t, size_t k)
{
    return t->o->scope != SKED_SHARE_SCOPE_ONE_KIND || k == t->o->kind;
}

static int passed(const ref_targets *t, sked_time since, const int64_t *timeout,
                  size_t row)
{
    return since != SKED_UNSET && timeout && timeout[row] != SKED_UNLIMITED &&
           most(t->in->now - since, 0) >= timeout[row];
}

static void giving(ref_targets *t, size_t row)
{
    const int64_t *base = t->o->mode == SKED_TARGET_MODE_IMBALANCE
                              ? t->force
                              : t->out->share;
    int over = 0, beyond = 0;
    uint32_t why = 0, before = t->in->rounds ? t->in->rounds[row] : 0;

    for (size_t k = 0; k < t->kinds; k++) {
        size_t i = row * t->kinds + k;
        int64_t used = usage(t, row, k);
        t->out->excess[i] = most(used - t->out->share[i], 0);
        if (t->out->excess[i] == 0) continue;
        over = 1;
        beyond |= used * SKED_PPM > base[i] * (SKED_PPM + t->o->ignored_ppm);
    }
    t->out->rounds[row] = over ? before + 1 : 0;
    if (over && !is_allowed(t, row)) why |= SKED_TARGET_REASON_SPARED;
    if (over && !beyond) why |= SKED_TARGET_REASON_WITHIN;
    if (over && t->o->mode == SKED_TARGET_MODE_ENTITLEMENT &&
        t->out->rounds[row] < t->o->cycles) {
        why |= SKED_TARGET_REASON_EARLY;
    }
    for (size_t k = 0; k < t->kinds; k++) {
        size_t i = row * t->kinds + k;
        int64_t all = most(t->out->share[i], usage(t, row, k));
        t->out->keep[i] = over && !why         ? t->out->share[i]
                          : is_allowed(t, row) ? all
                                               : SKED_UNLIMITED;
    }
    if (over) t->out->reasons[row] |= SKED_TARGET_REASON_OVER | why;
}

static int gate(const ref_targets *t)
{
    for (size_t k = 0; k < t->kinds; k++) {
        int64_t sum = 0;
        for (size_t row = 0; row < t->n; row++) {
            if (is_leaf(t, row)) sum += usage(t, row, k);
        }
        if (sum * SKED_PPM > t->q.capacity[k] * t->o->utilisation_ppm) return 1;
    }
    return t->o->utilisation_ppm < 0;
}

static void claiming(ref_targets *t, size_t row)
{
    int below = 0, claims = 0, by_min = 0, by_fair = 0;
    int starves = t->o->mode == SKED_TARGET_MODE_STARVATION;

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t used = usage(t, row, k);
        below |= used < claim(t, row, k);
        if (!counts(t, k)) continue;
        by_min |= used < min_claim(t, row, k);
        by_fair |= used < fair_claim(t, row, k);
    }
    sked_time min_was = t->in->min_since ? t->in->min_since[row] : SKED_UNSET;
    sked_time fair_was = t->in->fair_since ? t->in->fair_since[row]
                                           : SKED_UNSET;
    t->out->min_since[row] = !by_min                 ? SKED_UNSET
                             : min_was == SKED_UNSET ? t->in->now
                                                     : min_was;
    t->out->fair_since[row] = !by_fair                 ? SKED_UNSET
                              : fair_was == SKED_UNSET ? t->in->now
                                                       : fair_was;
    int min_due = passed(t, t->out->min_since[row], t->in->min_timeout_ns, row);
    int fair_due = passed(t, t->out->fair_since[row], t->in->fair_timeout_ns,
                          row);
    for (size_t k = 0; k < t->kinds; k++) {
        int64_t may = claim(t, row, k);
        if (starves) {
            may = most(min_due ? min_claim(t, row, k) : 0,
                       fair_due ? fair_claim(t, row, k) : 0);
            if (!counts(t, k) || !gate(t)) may = 0;
        }
        t->out->owed[row * t->kinds + k] = most(may - usage(t, row, k), 0);
        claims |= may > usage(t, row, k);
    }
    if (below) t->out->reasons[row] |= SKED_TARGET_REASON_BELOW;
    if (claims) t->out->reasons[row] |= SKED_TARGET_REASON_CLAIMS;
    if (!below || !starves) return;
    if (!gate(t)) {
        t->out->reasons[row] |= SKED_TARGET_REASON_IDLE;
    } else if (!claims && (by_min || by_fair)) {
        t->out->reasons[row] |= SKED_TARGET_REASON_WAITS;
    }
}

/* ---- All ---- */

static int64_t ceil_part(int64_t amount, int64_t ppm)
{
    return (amount * ppm + SKED_PPM - 1) / SKED_PPM;
}

static void cut(const ref_targets *t, const int64_t *from, int64_t *to,
                size_t k, int64_t whole)
{
    int64_t sum = 0, before = 0;

    for (size_t row = 0; row < t->n; row++) sum += from[row * t->kinds + k];
    for (size_t row = 0; row < t->n; row++) {
        size_t i = row * t->kinds + k;
        int64_t was = whole * before / (sum ? sum : 1), part = from[i];
        before += part;
        to[i] = whole * before / (sum ? sum : 1) - was;
    }
}

/* What a leaf needs of a kind of what it is owed: its tasks hold all kinds. */
static int64_t needed(const ref_targets *t, size_t row, size_t k)
{
    const int64_t *owed = t->out->owed + row * t->kinds;
    int64_t open[SKED_MAX_KINDS];

    if (t->o->flags & SKED_TARGET_FLAG_BY_KIND) return owed[k];
    for (size_t j = 0; j < t->kinds; j++) {
        open[j] = counts(t, j) ? wanted(t, row, j) - usage(t, row, j) : 0;
    }
    return open[k] > 0 ? least(owed[k], together(t, open, owed, open[k])) : 0;
}

static void totals(ref_targets *t, size_t k)
{
    sked_target_result *out = t->out;
    int64_t taken = 0, owed = 0, used = 0, over = 0, lacking = 0;
    int64_t *eased = calloc(t->n * t->kinds, sizeof *eased);

    for (size_t row = 0; row < t->n; row++) {
        size_t i = row * t->kinds + k;
        if (!is_leaf(t, row)) continue;
        eased[i] = ceil_part(most(0, usage(t, row, k) - out->keep[i]),
                             t->o->factor_ppm);
        taken += eased[i];
        owed += needed(t, row, k);
        used += usage(t, row, k);
        over += out->excess[i];
        lacking += most(min_claim(t, row, k) - usage(t, row, k), 0);
    }
    out->free[k] = most(t->q.capacity[k] - used, 0);
    out->budget[k] = t->o->per_round_ppm < 0
                         ? SKED_UNLIMITED
                         : ceil_part(t->q.capacity[k], t->o->per_round_ppm);
    cut(t, eased, out->take, k, least(taken, out->budget[k]));
    for (size_t row = 0; row < t->n; row++) {
        size_t i = row * t->kinds + k;
        if (out->take[i] < eased[i])
            out->reasons[row] |= SKED_TARGET_REASON_CUT;
        if (out->take[i] > 0) out->reasons[row] |= SKED_TARGET_REASON_GIVES;
    }
    out->need[k] = least(least(taken, out->budget[k]),
                         most(owed - out->free[k], 0));
    cut(t, out->excess, out->first, k,
        least(over, most(lacking - out->free[k], 0)));
    free(eased);
}

void ref_target(const sked_target_once_input *in, const sked_target_options *o,
                int quick, sked_target_result *result)
{
    ref_targets t = {.in = in, .o = o, .out = result, .q = *in->queues};

    t.n = t.q.n;
    t.kinds = t.q.kinds;
    t.own = calloc(t.n * t.kinds, sizeof *t.own);
    t.force = calloc(t.n * t.kinds, sizeof *t.force);
    t.could = calloc(t.n * t.kinds, sizeof *t.could);
    t.limit = calloc(t.n * t.kinds, sizeof *t.limit);
    for (size_t k = 0; k < t.kinds; k++) guarantees(&t, k);
    fits(&t);
    shares(&t, quick);
    for (size_t i = 0; i < t.n * t.kinds; i++) {
        result->excess[i] = result->owed[i] = 0;
        result->keep[i] = SKED_UNLIMITED;
    }
    for (size_t row = 0; row < t.n; row++) {
        result->reasons[row] = result->rounds[row] = 0;
        result->min_since[row] = result->fair_since[row] = SKED_UNSET;
        if (!is_leaf(&t, row)) continue;
        giving(&t, row);
        claiming(&t, row);
    }
    for (size_t k = 0; k < t.kinds; k++) totals(&t, k);
    free(t.own);
    free(t.force);
    free(t.could);
    free(t.limit);
}

sked_target_options ref_target_options(sked_target_options o)
{
    int imbalance = o.mode == SKED_TARGET_MODE_IMBALANCE;

    if (o.ignored_ppm == 0 && imbalance) o.ignored_ppm = 100000;
    if (o.ignored_ppm < 0) o.ignored_ppm = 0;
    if (o.factor_ppm == 0) o.factor_ppm = imbalance ? 200000 : SKED_PPM;
    if (o.per_round_ppm == 0) o.per_round_ppm = imbalance ? 100000 : -1;
    if (o.utilisation_ppm == 0) o.utilisation_ppm = 800000;
    if (o.cycles == 0) o.cycles = 5;
    return o;
}
