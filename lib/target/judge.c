/*
 * Decides for each leaf whether the leaf gives or claims, and the amounts of
 * this round.
 *
 * Each leaf is judged against the shares. The given amounts are then eased kind
 * by kind, cut to the budget, and compared with the owed amounts. Cuts in one
 * ratio use cumulative rounding: running sums are rounded down. Whole units
 * then add up to the budget exactly, each within a unit of the exact part.
 */
#include "target/state.h"

/* The columns at the row of a leaf. */
typedef struct target_leaf {
    size_t row;
    const int64_t *demand;
    const int64_t *bound; /* the amount kept if the leaf gives */
    const int64_t *usage; /* NULL: none */
    const int64_t *share;
    int64_t *claim;
    int64_t *excess;
    int64_t *keep;
    int64_t *owed;
} target_leaf;

static target_leaf leaf_at(const skedi_targets *t, size_t row)
{
    size_t at = row * t->kinds;
    const int64_t *usage = t->queues.usage;

    return (target_leaf){
        .row = row,
        .demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND) + at,
        .bound = skedi_targets_column(t, SKEDI_TARGET_BOUNDS) + at,
        .usage = usage ? usage + at : NULL,
        .share = skedi_targets_column(t, SKEDI_TARGET_SHARES) + at,
        .claim = skedi_targets_column(t, SKEDI_TARGET_CLAIMS) + at,
        .excess = skedi_targets_column(t, SKEDI_TARGET_EXCESSES) + at,
        .keep = skedi_targets_column(t, SKEDI_TARGET_KEEPS) + at,
        .owed = skedi_targets_column(t, SKEDI_TARGET_OWES) + at,
    };
}

static int64_t leaf_usage(const target_leaf *q, size_t k)
{
    return q->usage ? q->usage[k] : 0;
}

/* floor(amount * ppm / 10^6), for ppm <= 10^6. */
static int64_t judged_part_of(int64_t amount, int64_t ppm)
{
    uint64_t rest;

    return (int64_t)skedi_muldiv((uint64_t)ppm, (uint64_t)amount,
                                 (uint64_t)SKED_PPM, &rest);
}

/* The same, rounded up. */
static int64_t judged_part_up(int64_t amount, int64_t ppm)
{
    uint64_t rest;
    uint64_t part = skedi_muldiv((uint64_t)ppm, (uint64_t)amount,
                                 (uint64_t)SKED_PPM, &rest);

    return (int64_t)(part + (rest > 0));
}

/* ---- Giving ---- */

/* Checks for a kind with a usage above the bound. The bound is the amount kept
 * if the leaf gives. `*within`: the usage is above the bound in no kind, but
 * above the share in some kind. `*within` is possible only with a caller's own
 * bounds. */
static int find_excess(const skedi_targets *t, target_leaf *q, int *within)
{
    int any = 0, over = 0;

    for (size_t k = 0; k < t->kinds; k++) {
        q->excess[k] = skedi_amount_sub(leaf_usage(q, k), q->bound[k]);
        any |= q->excess[k] > 0;
        over |= leaf_usage(q, k) > q->share[k];
    }
    *within = over && !any;
    return any;
}

/* Checks that the leaf is within the dead zone above the guarantee (or share),
 * in every kind with a usage above the bound. Within the dead zone, the leaf
 * gives nothing. Outside, the leaf gives all amounts above the bound, of every
 * kind. A caller's keeps include their dead zone. */
static int is_within_dead_zone(const skedi_targets *t, const target_leaf *q)
{
    const int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE) +
                           q->row * t->kinds;
    int imbalance = t->options.mode == SKED_TARGET_MODE_IMBALANCE;

    for (size_t k = 0; !t->in.share && k < t->kinds; k++) {
        int64_t base = imbalance ? force[k] : q->share[k];
        if (q->excess[k] > 0 &&
            skedi_cmp_mul((uint64_t)leaf_usage(q, k), (uint64_t)SKED_PPM,
                          (uint64_t)base,
                          (uint64_t)(SKED_PPM + t->options.ignored_ppm)) > 0) {
            return 0;
        }
    }
    return !t->in.share;
}

/* The reasons why a leaf above its bound gives nothing; 0: none. */
static uint32_t why_not(const skedi_targets *t, const target_leaf *q)
{
    int early = t->options.mode == SKED_TARGET_MODE_ENTITLEMENT &&
                t->rounds[q->row] < t->options.cycles;

    return (t->allowed[q->row] ? 0u : SKED_TARGET_REASON_SPARED) |
           (is_within_dead_zone(t, q) ? SKED_TARGET_REASON_WITHIN : 0u) |
           (early ? SKED_TARGET_REASON_EARLY : 0u);
}

static void judge_giving(skedi_targets *t, target_leaf *q)
{
    int within, over = find_excess(t, q, &within), gives = 0;
    uint32_t rounds = t->in.rounds ? t->in.rounds[q->row] : 0;

    t->rounds[q->row] = over ? rounds + (rounds < UINT32_MAX) : 0;
    if (within)
        t->reasons[q->row] |= SKED_TARGET_REASON_OVER |
                              SKED_TARGET_REASON_WITHIN;
    if (over) {
        uint32_t why = why_not(t, q);
        t->reasons[q->row] |= SKED_TARGET_REASON_OVER | why;
        gives = !why;
    }
    for (size_t k = 0; t->allowed[q->row] && k < t->kinds; k++) {
        q->keep[k] = gives ? q->bound[k]
                           : skedi_i64_max(q->bound[k], leaf_usage(q, k));
    }
}

/* ---- Claiming ---- */

/* The amount of a kind for the leaf's claim, at most the demand. */
static int64_t min_claim(const target_leaf *q, size_t k)
{
    return skedi_i64_min(q->claim[k], q->demand[k]);
}

/* The part of the share below which a leaf's fair time-out runs. */
static int64_t fair_part(const skedi_targets *t, const target_leaf *q, size_t k)
{
    const int64_t *ppm = t->in.fair_threshold_ppm;

    return judged_part_of(q->share[k], ppm ? ppm[q->row] : SKED_PPM / 2);
}

/* A clock: the time since which `holds` is true; SKED_UNSET if false now. */
static sked_time since_when(const skedi_targets *t, int holds,
                            const sked_time *before, size_t row)
{
    if (!holds) return SKED_UNSET;
    return before && before[row] != SKED_UNSET ? before[row] : t->in.now;
}

static int has_passed(const skedi_targets *t, sked_time since,
                      const int64_t *timeout, size_t row)
{
    if (since == SKED_UNSET || !timeout || timeout[row] == SKED_UNLIMITED) {
        return 0;
    }
    uint64_t passed = t->in.now > since ? (uint64_t)t->in.now - (uint64_t)since
                                        : 0;
    return passed >= (uint64_t)timeout[row];
}

static int is_running(const skedi_targets *t, sked_time since,
                      const int64_t *timeout, size_t row)
{
    return since != SKED_UNSET && timeout && timeout[row] != SKED_UNLIMITED &&
           !has_passed(t, since, timeout, row);
}

/* Moves both clocks of a leaf. */
static void move_clocks(skedi_targets *t, const target_leaf *q)
{
    const int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE) +
                           q->row * t->kinds;
    int below_min = 0, below_fair = 0;

    for (size_t k = 0; k < t->kinds; k++) {
        if (!skedi_targets_owes_kind(t, k)) continue;
        below_min |= leaf_usage(q, k) <
                     skedi_i64_min(force[k], min_claim(q, k));
        below_fair |= leaf_usage(q, k) <
                      skedi_i64_min(fair_part(t, q, k), q->demand[k]);
    }
    t->min_since[q->row] = since_when(t, below_min, t->in.min_since, q->row);
    t->fair_since[q->row] = since_when(t, below_fair, t->in.fair_since, q->row);
}

/* Computes the owed amounts up to the claim. Returns 1 if any amount is owed.
 */
static int owe(const skedi_targets *t, const target_leaf *q)
{
    int any = 0;

    for (size_t k = 0; k < t->kinds; k++) {
        q->owed[k] = 0;
        if (!skedi_targets_owes_kind(t, k)) continue;
        q->owed[k] = skedi_i64_max(min_claim(q, k) - leaf_usage(q, k), 0);
        any |= q->owed[k] > 0;
    }
    return any;
}

/* The claim of the leaf by the passed time-outs, within the keep. In a kind
 * that is never owed, the claim is the keep. */
static void claim_by_clocks(const skedi_targets *t, const target_leaf *q)
{
    int by_min = has_passed(t, t->min_since[q->row], t->in.min_timeout_ns,
                            q->row);
    int by_fair = has_passed(t, t->fair_since[q->row], t->in.fair_timeout_ns,
                             q->row);

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t fair = by_fair ? fair_part(t, q, k) : 0;
        int64_t own = by_min ? q->claim[k] : 0;
        if (!t->open || (!by_min && !by_fair)) {
            q->claim[k] = 0;
        } else if (!skedi_targets_owes_kind(t, k)) {
            q->claim[k] = q->bound[k];
        } else {
            q->claim[k] = skedi_i64_min(skedi_i64_max(own, fair), q->bound[k]);
        }
    }
}

/* Checks that the leaf wants more and has less than the share of some kind. */
static int is_below(const skedi_targets *t, const target_leaf *q)
{
    int below = 0;

    for (size_t k = 0; k < t->kinds; k++) {
        below |= leaf_usage(q, k) < skedi_i64_min(q->share[k], q->demand[k]);
    }
    return below;
}

static void judge_claims(skedi_targets *t, target_leaf *q)
{
    int below = is_below(t, q), claims = owe(t, q);
    uint32_t why = 0;

    move_clocks(t, q);
    if (t->options.mode == SKED_TARGET_MODE_STARVATION) {
        int clocks = t->min_since[q->row] != SKED_UNSET ||
                     t->fair_since[q->row] != SKED_UNSET;
        claim_by_clocks(t, q);
        claims = owe(t, q);
        t->ticks |= is_running(t, t->min_since[q->row], t->in.min_timeout_ns,
                               q->row) ||
                    is_running(t, t->fair_since[q->row], t->in.fair_timeout_ns,
                               q->row);
        if (!claims && clocks) why = SKED_TARGET_REASON_WAITS;
        if (!t->open) why = SKED_TARGET_REASON_IDLE;
    }
    if (below) t->reasons[q->row] |= SKED_TARGET_REASON_BELOW | why;
    if (claims) t->reasons[q->row] |= SKED_TARGET_REASON_CLAIMS;
    skedi_targets_need(t, q->row, q->owed);
    for (size_t k = 0; !claims && k < t->kinds; k++) q->claim[k] = 0;
}

/* ---- All leaves ---- */

/* The sum of a column in one kind, over leaves. Usage sums up to an amount. */
static int64_t sum_of(const skedi_targets *t, const int64_t *column, size_t k)
{
    int64_t sum = 0;

    for (size_t row = 0; column && row < t->n; row++) {
        if (t->leaf[row]) {
            sum = skedi_amount_add(sum, column[row * t->kinds + k]);
        }
    }
    return sum;
}

static void find_free(skedi_targets *t)
{
    const sked_target_options *o = &t->options;

    t->open = o->utilisation_ppm < 0;
    for (size_t k = 0; k < t->kinds; k++) {
        int64_t capacity = t->queues.capacity[k];
        int64_t used = sum_of(t, t->queues.usage, k);
        t->free[k] = skedi_i64_max(capacity - used, 0);
        if (o->utilisation_ppm < 0) continue;
        t->open |= skedi_cmp_mul((uint64_t)used, (uint64_t)SKED_PPM,
                                 (uint64_t)capacity,
                                 (uint64_t)o->utilisation_ppm) > 0;
    }
}

/* The amount of a kind that a row would give in this round without the budget.
 */
static int64_t eased_part(const skedi_targets *t, size_t row, size_t k)
{
    int64_t keep = skedi_targets_column(t,
                                        SKEDI_TARGET_KEEPS)[row * t->kinds + k];
    int64_t used = skedi_targets_told(t, t->queues.usage, row, k, 0);

    if (!t->leaf[row]) return 0;
    return judged_part_up(skedi_amount_sub(used, keep), t->options.factor_ppm);
}

/* Eases the gifts of all leaves; returns the sum. */
static int64_t ease(skedi_targets *t, size_t k)
{
    int64_t *take = skedi_targets_column(t, SKEDI_TARGET_TAKES) + k;
    int64_t sum = 0;

    for (size_t row = 0; row < t->n; row++) {
        take[row * t->kinds] = eased_part(t, row, k);
        sum += take[row * t->kinds];
    }
    return sum;
}

/* Cuts a column with the sum `sum` in one ratio to the sum `whole`. */
static void cut_column(const skedi_targets *t, const int64_t *from, int64_t *to,
                       int64_t whole, int64_t sum)
{
    uint64_t before = 0, given = 0, rest;

    for (size_t row = 0; row < t->n; row++) {
        size_t at = row * t->kinds;
        before += (uint64_t)from[at];
        uint64_t upto = skedi_muldiv((uint64_t)whole, before, (uint64_t)sum,
                                     &rest);
        to[at] = (int64_t)(upto - given);
        given = upto;
    }
}

static void mark_cut(skedi_targets *t, size_t k)
{
    const int64_t *take = skedi_targets_column(t, SKEDI_TARGET_TAKES) + k;

    for (size_t row = 0; row < t->n; row++) {
        if (take[row * t->kinds] < eased_part(t, row, k)) {
            t->reasons[row] |= SKED_TARGET_REASON_CUT;
        }
    }
}

static void total_kind(skedi_targets *t, size_t k)
{
    int64_t *take = skedi_targets_column(t, SKEDI_TARGET_TAKES) + k;
    int64_t sum = ease(t, k);
    int64_t part = t->options.per_round_ppm;

    t->budget[k] = part < 0 ? SKED_UNLIMITED
                            : judged_part_up(t->queues.capacity[k], part);
    if (sum > t->budget[k]) {
        cut_column(t, take, take, t->budget[k], sum);
        mark_cut(t, k);
        sum = t->budget[k];
    }
    int64_t missing = skedi_amount_sub(t->need[k], t->free[k]);
    t->need[k] = skedi_i64_min(sum, missing);
}

/* Finds the part of the excess that brings other leaves up to their guarantees.
 */
static void split_stages(skedi_targets *t, size_t k)
{
    const int64_t *excess = skedi_targets_column(t, SKEDI_TARGET_EXCESSES);
    int64_t *first = skedi_targets_column(t, SKEDI_TARGET_FIRSTS) + k;
    const int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE) + k;
    int64_t sum = sum_of(t, excess, k), missing = 0;

    for (size_t row = 0; row < t->n; row++) {
        if (!t->leaf[row]) continue;
        target_leaf q = leaf_at(t, row);
        int64_t due = skedi_i64_min(
            skedi_i64_min(force[row * t->kinds], q.share[k]), q.demand[k]);
        missing = skedi_amount_add(missing,
                                   skedi_amount_sub(due, leaf_usage(&q, k)));
    }
    missing = skedi_i64_min(skedi_amount_sub(missing, t->free[k]), sum);
    if (missing > 0) cut_column(t, excess + k, first, missing, sum);
}

static void note_givers(skedi_targets *t)
{
    const int64_t *take = skedi_targets_column(t, SKEDI_TARGET_TAKES);

    for (size_t i = 0; i < t->n * t->kinds; i++) {
        if (take[i] > 0) t->reasons[i / t->kinds] |= SKED_TARGET_REASON_GIVES;
    }
}

sked_status skedi_targets_judge(skedi_targets *t)
{
    int64_t *keep = skedi_targets_column(t, SKEDI_TARGET_KEEPS);
    int64_t *owed = skedi_targets_column(t, SKEDI_TARGET_OWES);
    sked_status rc = SKED_OK;

    find_free(t);
    for (size_t k = 0; k < t->kinds; k++) t->need[k] = 0;
    for (size_t i = 0; i < t->n * t->kinds; i++) {
        keep[i] = SKED_UNLIMITED;
        owed[i] = 0;
    }
    for (size_t row = 0; row < t->n && rc == SKED_OK; row++) {
        if (row % SKEDI_TARGET_LOOK == 0) {
            rc = skedi_hooks_check(t->hooks, row, t->n);
        }
        t->min_since[row] = t->fair_since[row] = SKED_UNSET;
        if (!t->leaf[row]) continue;
        target_leaf q = leaf_at(t, row);
        judge_giving(t, &q);
        judge_claims(t, &q);
    }
    for (size_t k = 0; k < t->kinds && rc == SKED_OK; k++) {
        rc = skedi_hooks_check(t->hooks, k, t->kinds);
        total_kind(t, k);
        split_stages(t, k);
    }
    note_givers(t);
    return rc;
}
