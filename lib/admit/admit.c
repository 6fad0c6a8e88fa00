/*
 * Admission to a queue. Rows are sorted by line and priority. The sort is
 * stable, so rows of equal priority (a level) stay in the order of arrival.
 * Each line is walked level by level until a gang stops the line. Gangs that
 * shrank go to the end of their level, so a second walk of each level handles
 * these gangs. The answer is computed in temporary memory and written at the
 * end.
 */
#include <sched/admit.h>

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"

/* Parts of amounts, and steps. */

/* Checks the range of a user's part and of the factor. */
static inline int skedi_admit_is_part(int64_t part_ppm, int64_t factor_ppm)
{
    const int64_t most = INT64_C(1000) * SKED_PPM;

    return part_ppm >= 0 && part_ppm <= most &&
           (factor_ppm == SKED_UNLIMITED ||
            (factor_ppm >= 0 && factor_ppm <= most));
}

/* a * num / den, at most SKED_AMOUNT_MAX; `up`: rounds up. */
static inline uint64_t skedi_admit_part(uint64_t a, uint64_t num, uint64_t den,
                                        int up)
{
    uint64_t rest, most = (uint64_t)SKED_AMOUNT_MAX;

    if (skedi_cmp_mul(a, num, most, den) >= 0) return most;
    uint64_t part = skedi_muldiv(a, num, den, &rest);
    return part + (uint64_t)(up && rest > 0);
}

/* The nearest multiple of `step`: at least `amount` with `up`, else at most. */
static inline uint64_t skedi_admit_stepped(uint64_t amount, uint64_t step,
                                           int up)
{
    uint64_t rest = amount % step;

    if (rest == 0) return amount;
    return up ? amount - rest + step : amount - rest;
}

enum { SKEDI_ADMIT_LINES = 4 };

/* The state of a leaf during a walk of the leaf's lines. */
typedef struct skedi_admit {
    sked_admit_input in;
    skedi_hooks hooks;
    int64_t held[SKED_ADMIT_HELD_SUMS * SKED_MAX_KINDS]; /* sum by sum */
    skedi_keyed *items;                                  /* by line and level */
    skedi_keyed *scratch;
    uint32_t *moved; /* rows moved to the end of a level, in order of moves;
                      * some rows twice */
    uint32_t *last;  /* by row: 1 + last place in `moved`, or 0 */
    uint32_t *order; /* admitted rows, in order of admission */
    uint8_t *outcome;
    uint8_t *line;
    uint32_t n_moved;
    uint32_t admitted;
    uint32_t looked;
} skedi_admit;

static inline uint32_t skedi_gang_kind(const skedi_admit *w, uint32_t row)
{
    return w->in.kind ? w->in.kind[row] : 0;
}

/* The number of applications that a leaf and a user may have. */

SKEDI_NO_TAIL_PADDING(sked_admit_apps_input, factor_ppm);
SKEDI_NO_TAIL_PADDING(sked_admit_apps_result, user);

enum {
    ADMIT_APPS_V1 = SKEDI_SIZE_THROUGH(sked_admit_apps_input, factor_ppm),
    ADMIT_APPS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_apps_result, user)
};

static int is_app_number(int64_t n)
{
    return n >= 0 && n <= SKED_AMOUNT_MAX;
}

static sked_status app_bounds_said(sked_admit_apps_input *in,
                                   const sked_admit_apps_input *input,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_APPS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->reserved) return skedi_fail_reserved(err, "input");
    if (!skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "part_ppm or factor_ppm is out of range");
    }
    int is_set = in->leaf != SKED_UNSET;
    if (is_set ? !is_app_number(in->leaf) : !is_app_number(in->total)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                is_set ? "leaf is out of range"
                                       : "total is out of range");
    }
    if (!is_set && (in->part.num < 0 || in->part.den <= 0 ||
                    in->part.num > in->part.den)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "part is out of range");
    }
    return SKED_OK;
}

/* Times two parts, rounded down once. */
static int64_t apps_of_user(const sked_admit_apps_input *in, int64_t leaf)
{
    uint64_t ppm = (uint64_t)SKED_PPM;

    if (in->factor_ppm == SKED_UNLIMITED) return leaf;
    skedi_u128 times = skedi_u128_mul((uint64_t)in->part_ppm,
                                      (uint64_t)in->factor_ppm);
    return (int64_t)skedi_admit_part((uint64_t)leaf, skedi_u128_low(times),
                                     ppm * ppm, 0);
}

sked_status sked_admit_apps(const sked_admit_apps_input *input,
                            sked_admit_apps_result *result, sked_error *err)
{
    sked_admit_apps_input in;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_APPS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = app_bounds_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    int64_t leaf = in.leaf;
    if (leaf == SKED_UNSET) {
        leaf = (int64_t)skedi_admit_part((uint64_t)in.total,
                                         (uint64_t)in.part.num,
                                         (uint64_t)in.part.den, 0);
    }
    result->reserved = 0;
    result->leaf = leaf;
    result->user = skedi_i64_min(leaf, apps_of_user(&in, leaf));
    return SKED_OK;
}

/* The checks of a leaf's input for admission. */

SKEDI_NO_TAIL_PADDING(sked_admit_input, state);

enum { ADMIT_QUEUE_V1 = SKEDI_SIZE_THROUGH(sked_admit_input, state) };

static sked_status admit_amounts(const skedi_admit *w, const int64_t *amounts,
                                 size_t rows, sked_error *err)
{
    size_t kinds = w->in.kinds;

    for (size_t i = 0; amounts && i < rows * kinds; i++) {
        if (amounts[i] >= 0 && amounts[i] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = (int64_t)(i / kinds) + 1,
                                        .kind = (int32_t)(i % kinds) + 1,
                                        .got = amounts[i],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* Checks a bound of the leaf (not of a gang), or NULL. */
static sked_status admit_bound(const skedi_admit *w, const int64_t *bound,
                               sked_error *err)
{
    for (uint32_t k = 0; bound && k < w->in.kinds; k++) {
        int fits = bound[k] >= 0 && bound[k] <= SKED_AMOUNT_MAX;
        if (fits || bound[k] == SKED_UNLIMITED) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "bound is out of range",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = bound[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* Checks that the needs of all gangs plus the largest held sum is an amount. */
static sked_status admit_sums(const skedi_admit *w, sked_error *err)
{
    for (uint32_t k = 0; k < w->in.kinds; k++) {
        int64_t sum = 0;
        for (int h = 0; w->in.held && h < SKED_ADMIT_HELD_SUMS; h++) {
            sum = skedi_i64_max(sum, w->in.held[(size_t)h * w->in.kinds + k]);
        }
        for (uint32_t i = 0; i < w->in.n; i++) {
            sum = skedi_amount_add(sum,
                                   w->in.need[(size_t)i * w->in.kinds + k]);
        }
        if (sum <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "gangs add up to too much",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = sum,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status admit_gangs(const skedi_admit *w, sked_error *err)
{
    for (uint32_t i = 0; i < w->in.n; i++) {
        if (skedi_gang_kind(w, i) <=
                (SKED_ADMIT_GANG_FIXED | SKED_ADMIT_GANG_CONTROLLER |
                 SKED_ADMIT_GANG_REVOCABLE) &&
            (!w->in.line || w->in.line[i] < SKEDI_ADMIT_LINES) &&
            (!w->in.state || w->in.state[i] <= SKED_ADMIT_STATE_EMPTY)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_ARG, "no such kind, line or state",
                          (skedi_fault){.row = i + INT64_C(1)});
    }
    return SKED_OK;
}

/* Copies the caller's input, and checks all fields. */
static sked_status admit_said(skedi_admit *w, const sked_admit_input *queue,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(&w->in, sizeof w->in, queue,
                                     ADMIT_QUEUE_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if ((w->in.flags & ~(uint32_t)SKED_ADMIT_FLAG_PREEMPTION) ||
        (w->in.n > 0 && !w->in.need)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no needs, or flags");
    }
    if (w->in.kinds == 0 || w->in.kinds > SKED_MAX_KINDS ||
        w->in.n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    rc = admit_gangs(w, err);
    const int64_t *bounds[] = {w->in.entitlement, w->in.slack,
                               w->in.reservation, w->in.controllers};
    for (size_t i = 0; i < 4 && rc == SKED_OK; i++) {
        rc = admit_bound(w, bounds[i], err);
    }
    if (rc == SKED_OK) {
        rc = admit_amounts(w, w->in.held, SKED_ADMIT_HELD_SUMS, err);
    }
    if (rc == SKED_OK) {
        rc = admit_amounts(w, w->in.need, (size_t)w->in.n, err);
    }
    return rc == SKED_OK ? admit_sums(w, err) : rc;
}

/* The amounts that the masters of a leaf's applications may hold, in total and
 * for a user. */

SKEDI_NO_TAIL_PADDING(sked_admit_masters_input, weight);
SKEDI_NO_TAIL_PADDING(sked_admit_masters_result, user);

enum {
    ADMIT_MASTERS_V1 = SKEDI_SIZE_THROUGH(sked_admit_masters_input, weight),
    ADMIT_MASTERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_masters_result,
                                                 user)
};

/* ---- Checks ---- */

static sked_status masters_amounts(const int64_t *amounts, uint32_t kinds,
                                   int64_t least, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        if (amounts[k] >= least && amounts[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = amounts[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status masters_said(sked_admit_masters_input *in,
                                const sked_admit_masters_input *input,
                                sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_MASTERS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->kinds == 0 || in->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "kinds is out of range");
    }
    if (in->share_ppm < 0 || in->share_ppm > SKED_PPM ||
        !skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(
            err, SKED_ERR_RANGE,
            "share_ppm, part_ppm or factor_ppm is out of range");
    }
    rc = masters_amounts(in->guarantee, in->kinds, 0, err);
    if (rc == SKED_OK) rc = masters_amounts(in->limit, in->kinds, 0, err);
    return rc == SKED_OK ? masters_amounts(in->step, in->kinds, 1, err) : rc;
}

/* ---- The bounds ---- */

/* A fraction of an amount, at most 1. */
typedef struct masters_part {
    uint64_t num;
    uint64_t den; /* below 2^32 */
} masters_part;

/* The fraction of a user, by the user's weight. */
static masters_part part_of_user(const sked_admit_masters_input *in)
{
    uint64_t active = in->active ? in->active : 1, ppm = (uint64_t)SKED_PPM;
    uint64_t least = (uint64_t)in->part_ppm;
    masters_part part = {1, active};

    if (least * active > ppm) part = (masters_part){least, ppm};
    part.num *= in->weight;
    return part.num >= part.den ? (masters_part){1, 1} : part;
}

/*
 * amount * share_ppm * part * factor_ppm, rounded up, at most SKED_AMOUNT_MAX.
 * The product without the factor is below 2^114. The code divides this product
 * by all denominators, and then multiplies quotient and rest by the factor.
 */
static uint64_t masters_of(uint64_t amount, uint64_t share, masters_part part,
                           uint64_t factor)
{
    uint64_t most = (uint64_t)SKED_AMOUNT_MAX, ppm = (uint64_t)SKED_PPM;
    uint64_t a, b, c;
    skedi_u128 all = skedi_u128_mul(amount, share * part.num);

    skedi_u128 whole = skedi_u128_div(all, ppm * ppm, &a);
    whole = skedi_u128_div(whole, part.den, &b);
    /* The rest is b * ppm^2 + a, of part.den * ppm^2. */
    skedi_u128 more = skedi_u128_add(
        skedi_u128_mul(b, factor),
        skedi_u128_div(skedi_u128_mul(a, factor), ppm * ppm, &a));
    more = skedi_u128_div(more, part.den, &c);
    uint64_t times = skedi_u128_low(whole); /* at most amount / ppm */
    if (skedi_cmp_mul(times, factor, most, 1) >= 0) return most;
    uint64_t sum = times * factor + skedi_u128_low(more) +
                   (uint64_t)(a > 0 || c > 0);
    return sum < most ? sum : most;
}

static int64_t masters_stepped(uint64_t amount, const int64_t *step, uint32_t k)
{
    uint64_t up = skedi_admit_stepped(amount, step ? (uint64_t)step[k] : 1, 1);

    return skedi_i64_min((int64_t)up, SKED_AMOUNT_MAX);
}

/* True if the limit is at least the guarantee in every kind. */
static int limit_counts(const sked_admit_masters_input *in)
{
    int holds = in->limit != NULL;

    for (uint32_t k = 0; holds && in->guarantee && k < in->kinds; k++) {
        holds = in->guarantee[k] <= in->limit[k];
    }
    return holds;
}

sked_status sked_admit_masters(const sked_admit_masters_input *input,
                               sked_admit_masters_result *result,
                               sked_error *err)
{
    sked_admit_masters_input in;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_MASTERS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = masters_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    const int64_t *leaf = limit_counts(&in) ? in.limit : in.guarantee;
    const masters_part all = {1, 1}, own = part_of_user(&in);
    result->reserved = 0;
    for (uint32_t k = 0; k < in.kinds; k++) {
        uint64_t has = leaf ? (uint64_t)leaf[k] : 0;
        uint64_t sure = in.guarantee ? (uint64_t)in.guarantee[k] : 0;
        uint64_t share = (uint64_t)in.share_ppm;
        int64_t most = masters_stepped(
            masters_of(has, share, all, (uint64_t)SKED_PPM), in.step, k);
        int64_t user = most;
        if (in.factor_ppm != SKED_UNLIMITED) {
            user = masters_stepped(
                masters_of(sure, share, own, (uint64_t)in.factor_ppm), in.step,
                k);
        }
        if (result->leaf) result->leaf[k] = most;
        if (result->user) result->user[k] = skedi_i64_min(user, most);
    }
    return SKED_OK;
}

/* The amounts that users of a leaf may have, by the number of active users. */

SKEDI_NO_TAIL_PADDING(sked_admit_users_input, weight);
SKEDI_NO_TAIL_PADDING(sked_admit_users_result, may);

enum {
    ADMIT_USERS_V1 = SKEDI_SIZE_THROUGH(sked_admit_users_input, weight),
    ADMIT_USERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_users_result, may)
};

/* ---- Checks ---- */

/* `row` counts from 1; 0: of the leaf. */
static sked_status users_range(int64_t got, int64_t limit, size_t row,
                               uint32_t kind, sked_error *err)
{
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row,
                                    .kind = (int32_t)kind + 1,
                                    .got = got,
                                    .limit = limit});
}

/* Checks amounts of the leaf, or NULL; the amount `none` is no bound. */
static sked_status users_leaf(const int64_t *amounts, uint32_t kinds,
                              int64_t least, int64_t none, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        int64_t a = amounts[k];
        if (a == none || (a >= least && a <= SKED_AMOUNT_MAX)) continue;
        return users_range(a, SKED_AMOUNT_MAX, 0, k, err);
    }
    return SKED_OK;
}

/* Checks amounts of users; the sum over users must also be an amount. */
static sked_status users_column(const sked_admit_users_input *in,
                                const int64_t *amounts, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < in->kinds; k++) {
        int64_t left = SKED_AMOUNT_MAX;
        for (size_t i = 0; i < in->n; i++) {
            int64_t a = amounts[i * in->kinds + k];
            if (a < 0 || a > left) return users_range(a, left, i + 1, k, err);
            left -= a;
        }
    }
    return SKED_OK;
}

static sked_status users_said(sked_admit_users_input *in,
                              const sked_admit_users_input *input,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_USERS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->kinds == 0 || in->kinds > SKED_MAX_KINDS || in->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    if (!skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "part_ppm or factor_ppm is out of range");
    }
    rc = users_leaf(in->guarantee, in->kinds, 0, 0, err);
    if (rc == SKED_OK) rc = users_leaf(in->step, in->kinds, 1, 1, err);
    if (rc == SKED_OK) {
        rc = users_leaf(in->limit, in->kinds, 0, SKED_UNLIMITED, err);
    }
    if (rc == SKED_OK) rc = users_column(in, in->used, err);
    return rc == SKED_OK ? users_column(in, in->wanted, err) : rc;
}

/* ---- The bounds ---- */

/* The numbers of a kind of a leaf. No number is above 2^63. */
typedef struct users_kind {
    uint64_t step;
    uint64_t part[2]; /* by weight, of weight 1: of all, of active users */
    uint64_t least;   /* part_ppm of the divided amount */
    uint64_t most;    /* SKED_AMOUNT_MAX: as good as no bound */
} users_kind;

static int user_is_active(const sked_admit_users_input *in, size_t user)
{
    int64_t any = 0;

    for (uint32_t k = 0; in->wanted && k < in->kinds; k++) {
        any |= in->wanted[user * in->kinds + k];
    }
    return any != 0;
}

static uint64_t users_weight(const sked_admit_users_input *in, size_t user)
{
    return in->weight ? in->weight[user] : 1;
}

static uint64_t users_most(const sked_admit_users_input *in, uint32_t k,
                           uint64_t step, uint64_t whole)
{
    if (in->factor_ppm != SKED_UNLIMITED && in->guarantee &&
        in->guarantee[k] > 0) {
        return skedi_admit_part(whole, (uint64_t)in->factor_ppm,
                                (uint64_t)SKED_PPM, 0);
    }
    if (!in->limit || in->limit[k] == SKED_UNLIMITED) {
        return (uint64_t)SKED_AMOUNT_MAX;
    }
    return skedi_admit_stepped((uint64_t)in->limit[k], step, 0);
}

/* Sums over all users, and over active users. */
typedef struct users_sums {
    uint64_t used[2][SKED_MAX_KINDS];
    uint64_t weight[2];
} users_sums;

static void users_add(const sked_admit_users_input *in, users_sums *sums)
{
    for (size_t i = 0; i < in->n; i++) {
        for (int a = 0; a <= user_is_active(in, i); a++) {
            sums->weight[a] += users_weight(in, i);
            for (uint32_t k = 0; in->used && k < in->kinds; k++) {
                sums->used[a][k] += (uint64_t)in->used[i * in->kinds + k];
            }
        }
    }
}

static users_kind users_of_kind(const sked_admit_users_input *in,
                                const users_sums *sums, uint32_t k)
{
    uint64_t step = in->step ? (uint64_t)in->step[k] : 1, whole = step;

    if (in->guarantee && (uint64_t)in->guarantee[k] > whole) {
        whole = (uint64_t)in->guarantee[k];
    }
    uint64_t all = sums->used[0][k],
             of[2] = {all + step, sums->used[1][k] + step};
    if (all < whole) of[0] = whole;
    users_kind u = {.step = step,
                    .least = skedi_admit_part(of[0], (uint64_t)in->part_ppm,
                                              (uint64_t)SKED_PPM, 1),
                    .most = users_most(in, k, step, whole)};
    for (int a = 0; a < 2; a++) {
        if (sums->weight[a] == 0) continue;
        u.part[a] = skedi_admit_part(of[a], 1, sums->weight[a], 1);
    }
    return u;
}

static int64_t user_bound(const users_kind *u, int active, uint64_t weight)
{
    uint64_t bound = u->part[active] > u->least ? u->part[active] : u->least;

    if (bound > u->most) bound = u->most;
    bound = skedi_admit_part(skedi_admit_stepped(bound, u->step, 1), weight, 1,
                             0);
    return (int64_t)skedi_admit_stepped(bound, u->step, 0);
}

static void users_write(const sked_admit_users_input *in, size_t user,
                        const users_kind *u, sked_admit_users_result *result)
{
    int active = user_is_active(in, user), may = active;

    for (uint32_t k = 0; k < in->kinds; k++) {
        size_t at = user * in->kinds + k;
        int64_t used = in->used ? in->used[at] : 0;
        int64_t wanted = in->wanted ? in->wanted[at] : 0;
        int64_t bound = user_bound(&u[k], active, users_weight(in, user));
        int64_t left = skedi_i64_max(bound - used, 0);
        if (wanted > 0 && used > bound) may = 0;
        if (result->bound) result->bound[at] = bound;
        if (result->wanted) result->wanted[at] = skedi_i64_min(wanted, left);
    }
    if (result->may) result->may[user] = (uint8_t)may;
}

sked_status sked_admit_users(const sked_admit_users_input *input,
                             sked_admit_users_result *result, sked_error *err)
{
    sked_admit_users_input in;
    users_sums sums = {{{0}}, {0}};
    users_kind kinds[SKED_MAX_KINDS];

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_USERS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = users_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    users_add(&in, &sums);
    for (uint32_t k = 0; k < in.kinds; k++) {
        kinds[k] = users_of_kind(&in, &sums, k);
    }
    result->reserved = 0;
    for (size_t i = 0; i < in.n; i++) users_write(&in, i, kinds, result);
    return SKED_OK;
}

SKEDI_NO_TAIL_PADDING(sked_admit_result, waiting);

enum {
    ADMIT_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_result, waiting),
    ADMIT_CHECK = 65536 /* rows between two looks at the cancel flag */
};

/* ---- A gang ---- */

static const int64_t *gang_need(const skedi_admit *w, uint32_t row)
{
    return w->in.need + (size_t)row * w->in.kinds;
}

/* The row of `held` with the sum `sum` (enum sked_admit_held). */
static int64_t *admit_held(skedi_admit *w, int sum)
{
    return w->held + (size_t)sum * w->in.kinds;
}

/* True if `held` and `need` together are within the bound in every kind; the
 * bound does not count the part `apart` of `held`. */
static int admit_within(const skedi_admit *w, const int64_t *held,
                        const int64_t *apart, const int64_t *need,
                        const int64_t *bound)
{
    for (uint32_t k = 0; k < w->in.kinds; k++) {
        int64_t under = apart ? skedi_i64_max(held[k] - apart[k], 0) : held[k];
        if (under + need[k] > (bound ? bound[k] : 0)) return 0;
    }
    return 1;
}

/* True if the bounds admit a gang. */
static int admit_lets(skedi_admit *w, uint32_t row)
{
    const int64_t *need = gang_need(w, row);
    uint32_t kind = skedi_gang_kind(w, row);
    uint32_t tasks = w->in.tasks ? w->in.tasks[row] : 1;

    if (kind & SKED_ADMIT_GANG_REVOCABLE) {
        return admit_within(w, admit_held(w, SKED_ADMIT_HELD_REVOCABLE), NULL,
                            need, w->in.slack);
    }
    if (!admit_within(w, admit_held(w, SKED_ADMIT_HELD_ALL),
                      admit_held(w, SKED_ADMIT_HELD_REVOCABLE), need,
                      w->in.entitlement)) {
        return 0;
    }
    if ((kind & SKED_ADMIT_GANG_CONTROLLER) && tasks == 1 &&
        w->in.controllers &&
        !admit_within(w, admit_held(w, SKED_ADMIT_HELD_CONTROLLER), NULL, need,
                      w->in.controllers)) {
        return 0;
    }
    if (!(kind & SKED_ADMIT_GANG_FIXED) ||
        !(w->in.flags & SKED_ADMIT_FLAG_PREEMPTION)) {
        return 1;
    }
    return admit_within(w, admit_held(w, SKED_ADMIT_HELD_FIXED), NULL, need,
                        w->in.reservation);
}

/* The special line of a gang, whichever bound kept the gang out;
 * SKED_ADMIT_LINE_ALL: none. */
static uint8_t own_line(const skedi_admit *w, uint32_t row)
{
    uint32_t kind = skedi_gang_kind(w, row);

    if ((kind & SKED_ADMIT_GANG_FIXED) &&
        (w->in.flags & SKED_ADMIT_FLAG_PREEMPTION)) {
        return SKED_ADMIT_LINE_FIXED;
    }
    if (kind & SKED_ADMIT_GANG_CONTROLLER) return SKED_ADMIT_LINE_CONTROLLER;
    return kind & SKED_ADMIT_GANG_REVOCABLE ? SKED_ADMIT_LINE_REVOCABLE
                                            : SKED_ADMIT_LINE_ALL;
}

/* Adds the need of a gang to the held sums. */
static void hold_gang(skedi_admit *w, uint32_t row)
{
    const int64_t *need = gang_need(w, row);
    uint32_t kind = skedi_gang_kind(w, row);
    const int counts[SKED_ADMIT_HELD_SUMS] = {
        [SKED_ADMIT_HELD_ALL] = 1,
        [SKED_ADMIT_HELD_FIXED] = (kind & SKED_ADMIT_GANG_FIXED) != 0,
        [SKED_ADMIT_HELD_CONTROLLER] = (kind & SKED_ADMIT_GANG_CONTROLLER) != 0,
        [SKED_ADMIT_HELD_REVOCABLE] = (kind & SKED_ADMIT_GANG_REVOCABLE) != 0,
    };

    for (int h = 0; h < SKED_ADMIT_HELD_SUMS; h++) {
        for (uint32_t k = 0; counts[h] && k < w->in.kinds; k++) {
            admit_held(w, h)[k] += need[k];
        }
    }
}

static void move_last(skedi_admit *w, uint32_t row)
{
    w->moved[w->n_moved++] = row;
    w->last[row] = w->n_moved;
}

/* Tries to admit the first gang of a line; 0: the gang stops its line. */
static int look_at(skedi_admit *w, uint32_t row)
{
    uint8_t own = own_line(w, row);

    if (admit_lets(w, row)) {
        hold_gang(w, row);
        w->outcome[row] = SKED_ADMIT_OUTCOME_IN;
        w->order[w->admitted++] = row;
        return 1;
    }
    if (w->line[row] != SKED_ADMIT_LINE_ALL || own == SKED_ADMIT_LINE_ALL) {
        w->outcome[row] = SKED_ADMIT_OUTCOME_FULL;
        return 0;
    }
    w->outcome[row] = SKED_ADMIT_OUTCOME_MOVED;
    w->line[row] = own;
    move_last(w, row);
    return 1;
}

/* Moves a gang that shrank to the end of its level, and drops an empty gang. 0:
 * the gang is sound, or was handled before. */
static int settle_state(skedi_admit *w, uint32_t row)
{
    uint8_t state = w->in.state ? w->in.state[row] : SKED_ADMIT_STATE_SOUND;

    if (state == SKED_ADMIT_STATE_SOUND || w->outcome[row]) return 0;
    w->outcome[row] = state == SKED_ADMIT_STATE_EMPTY ? SKED_ADMIT_OUTCOME_GONE
                                                      : SKED_ADMIT_OUTCOME_LAST;
    if (state == SKED_ADMIT_STATE_SHRUNK) move_last(w, row);
    return 1;
}

/* ---- Lines ---- */

/* Walks the items of a level. 0: a gang stopped the line, or `most` gangs were
 * passed. */
static int walk_level(skedi_admit *w, uint32_t from, uint32_t to)
{
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = from; i < to; i++) {
            uint32_t row = w->items[i].index;
            if (again && w->outcome[row] != SKED_ADMIT_OUTCOME_LAST) continue;
            if (w->in.most && w->looked == w->in.most) return 0;
            if (!settle_state(w, row) && !look_at(w, row)) return 0;
            w->looked++;
        }
    }
    return 1;
}

static sked_status walk_line(skedi_admit *w, uint32_t from, uint32_t end)
{
    uint32_t to, done = ADMIT_CHECK;

    for (; from < end; from = to) {
        for (to = from + 1; to < end; to++) {
            if (w->items[to].key != w->items[from].key) break;
        }
        if (done >= ADMIT_CHECK) {
            sked_status rc = skedi_hooks_check(&w->hooks, from, w->in.n);
            if (rc != SKED_OK) return rc;
            done = 0;
        }
        done += to - from;
        if (!walk_level(w, from, to)) break;
    }
    return SKED_OK;
}

/* Lines in the order of walking, in each the highest priority first. */
static uint64_t line_key(const skedi_admit *w, uint32_t row)
{
    static const uint8_t turn[SKEDI_ADMIT_LINES] = {3, 0, 1, 2};
    int32_t priority = w->in.priority ? w->in.priority[row] : 0;

    return (uint64_t)turn[w->line[row]] << 32 |
           (uint32_t)(INT32_MAX - (int64_t)priority);
}

static sked_status walk_lines(skedi_admit *w)
{
    uint32_t from = 0, n = (uint32_t)w->in.n;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < n; i++) {
        w->line[i] = w->in.line ? w->in.line[i] : SKED_ADMIT_LINE_ALL;
        w->items[i] = (skedi_keyed){.key = line_key(w, i), .index = i};
    }
    skedi_sort_keys(w->items, w->scratch, n);
    for (uint64_t turn = 0; turn < SKEDI_ADMIT_LINES && rc == SKED_OK; turn++) {
        uint32_t end = from;
        while (end < n && w->items[end].key >> 32 == turn) end++;
        rc = walk_line(w, from, end);
        from = end;
    }
    return rc;
}

/* ---- The call ---- */

static int admit_reserve(skedi_admit *w)
{
    skedi_mem *mem = &w->hooks.mem;
    size_t n = (size_t)w->in.n + 1;

    return (w->items = skedi_new(mem, n, sizeof *w->items)) &&
           (w->scratch = skedi_new(mem, n, sizeof *w->scratch)) &&
           (w->moved = skedi_new(mem, 2 * n, sizeof *w->moved)) &&
           (w->last = skedi_new(mem, n, sizeof *w->last)) &&
           (w->order = skedi_new(mem, n, sizeof *w->order)) &&
           (w->outcome = skedi_new(mem, n, 1)) &&
           (w->line = skedi_new(mem, n, 1));
}

static void admit_drop(skedi_admit *w)
{
    skedi_mem *mem = &w->hooks.mem;
    size_t n = (size_t)w->in.n + 1;

    skedi_free(mem, w->items, n, sizeof *w->items);
    skedi_free(mem, w->scratch, n, sizeof *w->scratch);
    skedi_free(mem, w->moved, 2 * n, sizeof *w->moved);
    skedi_free(mem, w->last, n, sizeof *w->last);
    skedi_free(mem, w->order, n, sizeof *w->order);
    skedi_free(mem, w->outcome, n, 1);
    skedi_free(mem, w->line, n, 1);
}

/* Writes the rows after the admitted rows: waiting rows in their places, then
 * rows that moved to the end of a level, then dropped rows. */
static void admit_write_order(skedi_admit *w, sked_admit_result *result)
{
    uint32_t n = w->admitted;

    for (uint32_t i = 0; i < w->in.n; i++) {
        int stands = w->outcome[i] == SKED_ADMIT_OUTCOME_WAITS ||
                     w->outcome[i] == SKED_ADMIT_OUTCOME_FULL;
        if (stands && w->last[i] == 0) w->order[n++] = i;
    }
    for (uint32_t i = 0; i < w->n_moved; i++) {
        uint32_t row = w->moved[i];
        int in = w->outcome[row] == SKED_ADMIT_OUTCOME_IN;
        if (w->last[row] == i + 1 && !in) w->order[n++] = row;
    }
    result->admitted = w->admitted;
    result->waiting = n - w->admitted;
    for (uint32_t i = 0; i < w->in.n; i++) {
        if (w->outcome[i] == SKED_ADMIT_OUTCOME_GONE) w->order[n++] = i;
    }
}

static void admit_write(skedi_admit *w, sked_admit_result *result)
{
    size_t n = (size_t)w->in.n, kinds = w->in.kinds;

    admit_write_order(w, result);
    result->reserved = 0;
    if (result->outcome && n) memcpy(result->outcome, w->outcome, n);
    if (result->line && n) memcpy(result->line, w->line, n);
    if (result->order && n) {
        memcpy(result->order, w->order, n * sizeof *w->order);
    }
    if (!result->held) return;
    memcpy(result->held, w->held,
           SKED_ADMIT_HELD_SUMS * kinds * sizeof *w->held);
}

sked_status sked_admit(const sked_admit_input *input, const sked_host *host,
                       sked_admit_result *result, sked_error *err)
{
    skedi_admit w = {.n_moved = 0};
    size_t held;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, ADMIT_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = skedi_hooks_in(&w.hooks, host, err);
    if (rc == SKED_OK) rc = admit_said(&w, input, err);
    if (rc != SKED_OK) return rc;
    held = SKED_ADMIT_HELD_SUMS * (size_t)w.in.kinds * sizeof *w.held;
    if (w.in.held) memcpy(w.held, w.in.held, held);
    if (!admit_reserve(&w)) {
        rc = skedi_fail_memory(err);
    } else if ((rc = walk_lines(&w)) == SKED_OK) {
        admit_write(&w, result);
    } else {
        (void)skedi_fail_stopped(err, rc);
    }
    admit_drop(&w);
    return rc;
}
