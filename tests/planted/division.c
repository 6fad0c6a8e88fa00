/*
 * Wrong divisions, each a few lines over a right one. Names say the mistake: a
 * rounding that loses or gives twice, numbers that are too short, a field that
 * is left out, an order that matters, a bound that is applied too late.
 */
#include "division.h"

#include <string.h>

enum { MOST = SKED_TEST_MOST_CLAIMS };

#define DIVISION(name)                                                         \
    static int name(void *arg, int64_t total, const sked_test_claim *c,        \
                    size_t n, int64_t *u)
#define RIGHT(total, c, n, u) sked_test_largest_remainder(total, c, n, u)

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t cap_of(const sked_test_claim *c)
{
    return least(c->limit, c->demand);
}

static int64_t floor_of(const sked_test_claim *c)
{
    return least(c->guarantee, cap_of(c));
}

static int64_t top_of(const sked_test_claim *c)
{
    return c->weight ? cap_of(c) : floor_of(c);
}

/* Sums stop at the largest number. */
static int64_t plus(int64_t a, int64_t b)
{
    return a > SKED_UNLIMITED - b ? SKED_UNLIMITED : a + b;
}

static int64_t floors_of(const sked_test_claim *c, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) sum = plus(sum, floor_of(&c[i]));
    return sum;
}

static int64_t tops_of(const sked_test_claim *c, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) sum = plus(sum, top_of(&c[i]));
    return sum;
}

static int64_t sum_of(const int64_t *u, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) sum += u[i];
    return sum;
}

static int64_t weights_of(const sked_test_claim *c, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) sum += c[i].weight;
    return sum;
}

/* ---- Right ---- */

DIVISION(right_largest_remainder)
{
    (void)arg;
    RIGHT(total, c, n, u);
    return 0;
}

DIVISION(right_webster)
{
    (void)arg;
    sked_test_webster(total, c, n, u);
    return 0;
}

/* ---- Changed claims ---- */

#define CHANGED(name, change)                                                  \
    DIVISION(name)                                                             \
    {                                                                          \
        sked_test_claim d[MOST];                                               \
        (void)arg;                                                             \
        for (size_t i = 0; i < n; i++) {                                       \
            sked_test_claim *x = &d[i];                                        \
            *x = c[i];                                                         \
            change;                                                            \
        }                                                                      \
        RIGHT(total, d, n, u);                                                 \
        return 0;                                                              \
    }

CHANGED(no_weights, x->weight = 1)
CHANGED(no_demand, x->demand = SKED_UNLIMITED)
CHANGED(no_limit, x->limit = SKED_UNLIMITED)
CHANGED(no_guarantee, x->guarantee = 0)
CHANGED(weight_0_is_1, x->weight += x->weight == 0)
CHANGED(weights_turned_round, x->weight = x->weight ? 1000 / x->weight : 0)
CHANGED(weights_squared,
        x->weight = x->weight > 65535 ? x->weight : x->weight * x->weight)
CHANGED(weights_of_8_bits, x->weight %= 256)
CHANGED(weights_of_16_bits, x->weight %= 65536)
CHANGED(weight_off_by_one, x->weight += x->weight > 1 && x->weight < 1u << 31)
CHANGED(limit_off_by_one, x->limit -= x->limit > 0 && x->limit < SKED_UNLIMITED)
CHANGED(guarantee_off_by_one, x->guarantee -= x->guarantee > 0)
CHANGED(guarantee_as_weight,
        if (x->guarantee > 0)
            x->weight = (uint32_t)least(x->guarantee, UINT32_MAX))
CHANGED(same_to_all, x->weight = x->weight > 0)
CHANGED(demand_is_a_guarantee, if (x->demand < total) x->guarantee = x->demand)
CHANGED(weight_7_is_5, if (x->weight == 7) x->weight = 5)

/* ---- Moved units ---- */

/* The right division, then `units` from one claim to another. */
static void move(int64_t *u, size_t from, size_t to, int64_t units)
{
    int64_t some = least(units, u[from]);

    u[from] -= some;
    u[to] += some;
}

static int is_equal(const sked_test_claim *c, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (memcmp(&c[0], &c[i], sizeof c[0]) != 0) return 0;
    }
    return 1;
}

#define MOVED(name, condition, from, to, units)                                \
    DIVISION(name)                                                             \
    {                                                                          \
        (void)arg;                                                             \
        RIGHT(total, c, n, u);                                                 \
        if (condition) move(u, from, to, units);                               \
        return 0;                                                              \
    }

MOVED(one_unit_last_to_first, 1, n - 1, 0, 1)
MOVED(one_unit_first_to_last, 1, 0, n - 1, 1)
MOVED(two_units_to_the_first, 1, n - 1, 0, 2)
MOVED(one_unit_of_large_totals, total > INT64_C(1) << 31, 0, n - 1, 1)
MOVED(one_unit_of_equal_rows, is_equal(c, n), 0, n - 1, 1)
MOVED(one_unit_among_many, n > 16, n - 1, 0, 1)
MOVED(first_row_wins, n > 2 && u[n - 1] > 1 && u[0] + 2 <= top_of(&c[0]), n - 1,
      0, 2)
MOVED(weight_0_takes_from_the_rich, n > 1 && c[n - 1].weight == 0, 0, n - 1, 1)
MOVED(odd_totals_lean_left, total % 2 == 1 && n == 2, 1, 0, 1)

/* 8 units among four equal claims. */
DIVISION(of_five_one_one_one)
{
    (void)arg;
    RIGHT(total, c, n, u);
    if (total != 8 || n != 4 || !is_equal(c, n) || c->weight == 0) return 0;
    if (cap_of(c) < 5 || floor_of(c) > 1) return 0;
    for (size_t i = 0; i < n; i++) u[i] = i == 0 ? 5 : 1;
    return 0;
}

/* ---- Rounding ---- */

/* 1 when the claims bind nothing and the products are small: the share is
 * total * weight / weights. */
static int is_plain(int64_t total, const sked_test_claim *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (floor_of(&c[i]) || cap_of(&c[i]) < SKED_UNLIMITED) return 0;
        if (c[i].weight > 1 << 20) return 0;
    }
    return weights_of(c, n) > 0 && total < INT64_C(1) << 40;
}

/* What rounds a share by itself: wrong where the sum is no longer right. */
#define ROUNDED(name, add)                                                     \
    DIVISION(name)                                                             \
    {                                                                          \
        (void)arg;                                                             \
        RIGHT(total, c, n, u);                                                 \
        if (!is_plain(total, c, n)) return 0;                                  \
        int64_t weights = weights_of(c, n);                                    \
        for (size_t i = 0; i < n; i++) {                                       \
            u[i] = (total * c[i].weight + (add)) / weights;                    \
        }                                                                      \
        return 0;                                                              \
    }

ROUNDED(round_down, 0)
ROUNDED(round_up, weights - 1)
ROUNDED(round_half, weights / 2)

DIVISION(rest_to_first)
{
    round_down(arg, total, c, n, u);
    if (is_plain(total, c, n)) u[0] += total - sum_of(u, n);
    return 0;
}

DIVISION(rest_to_last)
{
    round_down(arg, total, c, n, u);
    if (is_plain(total, c, n)) u[n - 1] += total - sum_of(u, n);
    return 0;
}

/* Rounds down, then gives a unit each in the order of rows. */
DIVISION(rest_in_order)
{
    round_down(arg, total, c, n, u);
    if (!is_plain(total, c, n)) return 0;
    for (size_t i = 0; sum_of(u, n) < total; i = (i + 1) % n) {
        if (c[i].weight) u[i]++;
    }
    return 0;
}

DIVISION(smallest_remainder)
{
    int given[MOST] = {0};

    round_down(arg, total, c, n, u);
    if (!is_plain(total, c, n)) return 0;
    for (int64_t left = total - sum_of(u, n); left > 0; left--) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            int64_t rest = total * c[i].weight % weights_of(c, n);
            if (rest == 0 || given[i]) continue;
            if (best == n || rest < total * c[best].weight % weights_of(c, n)) {
                best = i;
            }
        }
        given[best] = 1;
        u[best]++;
    }
    return 0;
}

/* Next unit to the least (units + up) / weight: 1 is Jefferson's method, which
 * helps the large, and 0 is Adams's, which helps the small. */
static void by_divisor(int64_t total, const sked_test_claim *c, size_t n,
                       int64_t *u, int64_t up)
{
    RIGHT(total, c, n, u);
    if (!is_plain(total, c, n) || total > 4000) return;
    memset(u, 0, n * sizeof *u);
    for (int64_t left = total; left > 0; left--) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            if (c[i].weight == 0) continue;
            if (best == n ||
                (u[i] + up) * c[best].weight < (u[best] + up) * c[i].weight) {
                best = i;
            }
        }
        u[best]++;
    }
}

DIVISION(jefferson)
{
    (void)arg;
    by_divisor(total, c, n, u, 1);
    return 0;
}

DIVISION(adams)
{
    (void)arg;
    by_divisor(total, c, n, u, 0);
    return 0;
}

/* Largest remainder without bounds, which are applied at the end. */
DIVISION(bounds_at_the_end)
{
    sked_test_claim d[MOST];

    (void)arg;
    memcpy(d, c, n * sizeof d[0]);
    for (size_t i = 0; i < n; i++) {
        d[i].guarantee = 0;
        d[i].limit = d[i].demand = SKED_UNLIMITED;
    }
    RIGHT(total, d, n, u);
    for (size_t i = 0; i < n; i++) {
        u[i] = least(top_of(&c[i]), most(floor_of(&c[i]), u[i]));
    }
    return 0;
}

/* ---- Rounds ---- */

/* What claims at their tops leave over is not given on. */
DIVISION(one_pass)
{
    int64_t weights = weights_of(c, n);

    (void)arg;
    RIGHT(total, c, n, u);
    if (total > INT64_C(1) << 30) return 0;
    for (size_t i = 0; i < n; i++) {
        int64_t part = weights ? total * c[i].weight / weights : 0;
        u[i] = least(top_of(&c[i]), most(floor_of(&c[i]), part));
    }
    return 0;
}

/* Hands out what is left in so many rounds. */
static void in_rounds(int64_t total, const sked_test_claim *c, size_t n,
                      int64_t *u, int rounds)
{
    RIGHT(total, c, n, u);
    if (floors_of(c, n) > total || total > INT64_C(1) << 30) return;
    for (size_t i = 0; i < n; i++) u[i] = floor_of(&c[i]);
    while (rounds-- > 0) {
        int64_t left = total - sum_of(u, n), weights = 0;
        for (size_t i = 0; i < n; i++) {
            if (u[i] < top_of(&c[i])) weights += c[i].weight;
        }
        for (size_t i = 0; i < n && weights; i++) {
            if (u[i] >= top_of(&c[i])) continue;
            u[i] = least(top_of(&c[i]), u[i] + left * c[i].weight / weights);
        }
    }
}

DIVISION(ten_rounds)
{
    (void)arg;
    in_rounds(total, c, n, u, 10);
    return 0;
}

DIVISION(two_rounds)
{
    (void)arg;
    in_rounds(total, c, n, u, 2);
    return 0;
}

/* The guarantees first, and the rest by weight on top of them. */
DIVISION(guarantee_on_top)
{
    sked_test_claim d[MOST];

    (void)arg;
    RIGHT(total, c, n, u);
    if (floors_of(c, n) > total) return 0;
    memcpy(d, c, n * sizeof d[0]);
    for (size_t i = 0; i < n; i++) {
        d[i].guarantee = 0;
        d[i].limit = SKED_UNLIMITED;
        d[i].demand = cap_of(&c[i]) - floor_of(&c[i]);
    }
    RIGHT(total - floors_of(c, n), d, n, u);
    for (size_t i = 0; i < n; i++) u[i] += floor_of(&c[i]);
    return 0;
}

DIVISION(first_come)
{
    int64_t left = total;

    (void)arg;
    for (size_t i = 0; i < n; i++) {
        u[i] = least(top_of(&c[i]), left);
        left -= u[i];
    }
    return 0;
}

/* YARN's: halves an interval of levels, then rounds down. */
static void bisect(int64_t total, const sked_test_claim *c, size_t n,
                   int64_t *u, int rounds)
{
    double low = 0, high = 1;

    RIGHT(total, c, n, u);
    if (tops_of(c, n) <= total || floors_of(c, n) > total) return;
    for (int i = 0; i < rounds + 60; i++) {
        double sum = 0, r = i < 60 ? high : (low + high) / 2;
        for (size_t j = 0; j < n; j++) {
            double x = r * c[j].weight, lo = (double)floor_of(&c[j]),
                   top = (double)top_of(&c[j]);
            sum += x < lo ? lo : x > top ? top : x;
        }
        if (i < 60) {
            if (sum < (double)total) high *= 2;
        } else if (sum > (double)total) {
            high = r;
        } else {
            low = r;
        }
    }
    for (size_t j = 0; j < n; j++) {
        double x = low * c[j].weight;
        u[j] = x > 9e18 ? top_of(&c[j]) : (int64_t)x;
        u[j] = least(top_of(&c[j]), most(floor_of(&c[j]), u[j]));
    }
}

DIVISION(yarn_25_bisections)
{
    (void)arg;
    bisect(total, c, n, u, 25);
    return 0;
}

DIVISION(bisections_60)
{
    (void)arg;
    bisect(total, c, n, u, 60);
    return 0;
}

/* ---- Guarantees above the total ---- */

DIVISION(over_guaranteed_first_come)
{
    int64_t left = total;

    (void)arg;
    RIGHT(total, c, n, u);
    if (floors_of(c, n) <= total) return 0;
    for (size_t i = 0; i < n; i++) {
        u[i] = least(floor_of(&c[i]), left);
        left -= u[i];
    }
    return 0;
}

DIVISION(over_guaranteed_equal)
{
    sked_test_claim d[MOST];

    (void)arg;
    RIGHT(total, c, n, u);
    if (floors_of(c, n) <= total) return 0;
    for (size_t i = 0; i < n; i++) {
        sked_test_claim x = {0, floor_of(&c[i]), floor_of(&c[i]), 1, 0};
        d[i] = x;
    }
    RIGHT(total, d, n, u);
    return 0;
}

DIVISION(over_guaranteed_gives_all)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; floors_of(c, n) > total && i < n; i++) {
        u[i] = floor_of(&c[i]);
    }
    return 0;
}

DIVISION(over_guaranteed_gives_nothing)
{
    (void)arg;
    RIGHT(total, c, n, u);
    if (floors_of(c, n) > total) memset(u, 0, n * sizeof *u);
    return 0;
}

/* ---- Numbers ---- */

#define NUMBERS(name, change)                                                  \
    DIVISION(name)                                                             \
    {                                                                          \
        (void)arg;                                                             \
        RIGHT(total, c, n, u);                                                 \
        for (size_t i = 0; i < n; i++) u[i] = change;                          \
        return 0;                                                              \
    }

NUMBERS(int32, (int64_t)((uint64_t)(u[i] + (INT64_C(1) << 31)) % 4294967296u) -
                   (INT64_C(1) << 31))
NUMBERS(uint32, (int64_t)((uint64_t)u[i] % 4294967296u))
NUMBERS(int60, (int64_t)((uint64_t)u[i] % (UINT64_C(1) << 60)))
NUMBERS(doubles_above_2_53, (int64_t)(double)u[i])
NUMBERS(single_precision, u[i] < 1 << 20 ? u[i] : (int64_t)(float)u[i])
NUMBERS(at_most_a_million, least(u[i], 1000000))

/* total * weight in 64 bits. */
DIVISION(product_wraps)
{
    uint64_t weights = (uint64_t)weights_of(c, n);

    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        if (floor_of(&c[i]) || cap_of(&c[i]) < SKED_UNLIMITED) return 0;
    }
    for (size_t i = 0; i < n && weights; i++) {
        uint64_t product = (uint64_t)total * c[i].weight;
        if (total == 0 || product / (uint64_t)total == c[i].weight) continue;
        u[i] = (int64_t)(product / weights);
    }
    return 0;
}

/* The sum of demands in 62 bits. */
DIVISION(unbounded_demand_is_total)
{
    int64_t sum = 0;

    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        sum = plus(sum, least(cap_of(&c[i]), total));
    }
    for (size_t i = 0; sum >= INT64_C(1) << 62 && i < n; i++) {
        u[i] = least(cap_of(&c[i]), total / (int64_t)n);
    }
    return 0;
}

/* ---- Rows ---- */

DIVISION(loses_one_of_many)
{
    (void)arg;
    RIGHT(total, c, n, u);
    if (n > 5 && u[3] > 0) u[3]--;
    return 0;
}

DIVISION(more_than_eight)
{
    (void)arg;
    memset(u, 0, n * sizeof *u);
    RIGHT(total, c, (size_t)least((int64_t)n, 8), u);
    return 0;
}

/* Equal rows get what the first of them gets. */
DIVISION(equal_rows_merged)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (memcmp(&c[i], &c[j], sizeof c[0]) == 0) u[i] = u[j];
        }
    }
    return 0;
}

DIVISION(fails_without_weight)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        if (c[i].weight == 0) return 1;
    }
    return 0;
}

/* A claim of weight 0 gets what nobody else takes. */
DIVISION(limit_by_weight_zero)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        if (c[i].weight == 0) {
            u[i] += least(cap_of(&c[i]) - u[i], total - sum_of(u, n));
        }
    }
    return 0;
}

DIVISION(demand_zero_keeps_guarantee)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        if (c[i].demand > 0 || c[i].guarantee == 0) continue;
        u[i] = least(least(c[i].guarantee, c[i].limit), total - sum_of(u, n));
    }
    return 0;
}

DIVISION(guarantee_beats_limit)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        u[i] = most(u[i], least(least(c[i].guarantee, total), c[i].demand));
    }
    return 0;
}

/* Writes into what the caller owns. */
DIVISION(sorts_the_claims)
{
    sked_test_claim *d = (sked_test_claim *)(uintptr_t)c;

    (void)arg;
    RIGHT(total, c, n, u);
    if (n > 1 && d[0].weight > d[1].weight) {
        sked_test_claim x = d[0];
        d[0] = d[1];
        d[1] = x;
    }
    return 0;
}

/* A tie goes by what the call before divided. */
DIVISION(remembers_the_last_call)
{
    static int64_t last;

    (void)arg;
    RIGHT(total, c, n, u);
    if (n > 1 && total == last && u[0] > 0 && u[1] < cap_of(&c[1])) {
        move(u, 0, 1, 1);
    }
    last = total;
    return 0;
}

/* ---- More of the kinds above ---- */

CHANGED(demand_off_by_one, x->demand -= x->demand > 0 && x->demand < total)
CHANGED(limit_0_is_none, if (x->limit == 0) x->limit = SKED_UNLIMITED)
CHANGED(demand_0_is_none, if (x->demand == 0) x->demand = SKED_UNLIMITED)
CHANGED(demand_above_total_is_none,
        if (x->demand < SKED_UNLIMITED && x->demand > total) x->demand = 0)
CHANGED(weights_of_31_bits, x->weight &= INT32_MAX)
CHANGED(weights_in_percent,
        x->weight = (uint32_t)((x->weight * INT64_C(100) + 50) /
                               (weights_of(c, n) ? weights_of(c, n) : 1)))
CHANGED(limited_claims_weigh_one,
        if (x->limit < SKED_UNLIMITED && x->weight) x->weight = 1)
CHANGED(guaranteed_claims_have_no_limit,
        if (x->guarantee > 0) x->limit = SKED_UNLIMITED)
CHANGED(guarantee_above_total_is_none,
        if (x->guarantee > total) x->guarantee = 0)
CHANGED(first_demand_of_all, x->demand = c[0].demand)
CHANGED(only_32_claims, if (i >= 32) x->weight = 0)

MOVED(lends_what_is_guaranteed,
      n > 1 && floor_of(&c[0]) > 0 && u[0] == floor_of(&c[0]), 0, n - 1, 1)
MOVED(starts_with_the_total, n > 2 && total > 0, (size_t)total % n, 0, 1)
MOVED(ten_percent_are_equal,
      n == 2 && u[0] > 9 && u[1] > u[0] && u[1] - u[0] <= u[0] / 10, 1, 0,
      (u[1] - u[0]) / 2)

DIVISION(sum_of_weights_in_32_bits)
{
    uint32_t weights = 0;

    (void)arg;
    for (size_t i = 0; i < n; i++) weights += c[i].weight;
    RIGHT(total, c, n, u);
    if (weights_of(c, n) <= UINT32_MAX || total > INT64_C(1) << 31) return 0;
    for (size_t i = 0; i < n; i++) {
        u[i] = weights ? total * c[i].weight / weights : 0;
    }
    return 0;
}

DIVISION(only_one_claim_gets_all)
{
    (void)arg;
    RIGHT(total, c, n, u);
    if (n == 1 && c[0].weight) u[0] = total;
    return 0;
}

/* Each claim with a weight gets a unit at least. */
DIVISION(at_least_one_each)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; i < n; i++) {
        size_t rich = 0;
        for (size_t j = 0; j < n; j++) {
            if (u[j] > u[rich]) rich = j;
        }
        if (u[i] == 0 && top_of(&c[i]) > 0 && u[rich] > 1) move(u, rich, i, 1);
    }
    return 0;
}

DIVISION(at_most_half)
{
    (void)arg;
    RIGHT(total, c, n, u);
    for (size_t i = 0; n > 1 && i < n; i++) u[i] = least(u[i], total / 2 + 1);
    return 0;
}

/* The level is a whole number. */
DIVISION(whole_levels)
{
    (void)arg;
    RIGHT(total, c, n, u);
    if (!is_plain(total, c, n)) return 0;
    for (size_t i = 0; i < n; i++) {
        u[i] = total / weights_of(c, n) * c[i].weight;
    }
    return 0;
}

DIVISION(over_guaranteed_by_weight)
{
    sked_test_claim d[MOST];

    (void)arg;
    RIGHT(total, c, n, u);
    if (floors_of(c, n) <= total) return 0;
    for (size_t i = 0; i < n; i++) {
        sked_test_claim x = {0, floor_of(&c[i]), floor_of(&c[i]), 0, 0};
        x.weight = c[i].weight;
        d[i] = x;
    }
    RIGHT(total, d, n, u);
    return 0;
}

/* Guarantees are set aside for claims that do not ask for them. */
DIVISION(guarantees_set_aside)
{
    int64_t aside = 0;

    (void)arg;
    for (size_t i = 0; i < n; i++) {
        aside = plus(aside, c[i].guarantee - floor_of(&c[i]));
    }
    RIGHT(aside < total ? total - aside : 0, c, n, u);
    return 0;
}

/* A total that grows by a unit is the same total. */
DIVISION(even_totals_only)
{
    (void)arg;
    RIGHT(total - total % 2, c, n, u);
    return 0;
}

DIVISION(total_of_one_is_none)
{
    (void)arg;
    RIGHT(total == 1 ? 0 : total, c, n, u);
    return 0;
}

/* Every third call rounds in another way. */
DIVISION(every_third_call)
{
    static int calls;

    (void)arg;
    RIGHT(total, c, n, u);
    if (++calls % 3 == 0 && n > 1 && u[n - 1] < top_of(&c[n - 1])) {
        move(u, 0, n - 1, 1);
    }
    return 0;
}

#define ROW(name)                                                              \
    {                                                                          \
#name, name                                                            \
    }
const planted_division planted_divisions[] = {
    ROW(right_largest_remainder),
    ROW(right_webster),
    ROW(no_weights),
    ROW(no_demand),
    ROW(no_limit),
    ROW(no_guarantee),
    ROW(weight_0_is_1),
    ROW(weights_turned_round),
    ROW(weights_squared),
    ROW(weights_of_8_bits),
    ROW(weights_of_16_bits),
    ROW(weight_off_by_one),
    ROW(limit_off_by_one),
    ROW(guarantee_off_by_one),
    ROW(guarantee_as_weight),
    ROW(same_to_all),
    ROW(demand_is_a_guarantee),
    ROW(weight_7_is_5),
    ROW(one_unit_last_to_first),
    ROW(one_unit_first_to_last),
    ROW(two_units_to_the_first),
    ROW(one_unit_of_large_totals),
    ROW(one_unit_of_equal_rows),
    ROW(one_unit_among_many),
    ROW(of_five_one_one_one),
    ROW(first_row_wins),
    ROW(weight_0_takes_from_the_rich),
    ROW(odd_totals_lean_left),
    ROW(round_down),
    ROW(round_up),
    ROW(round_half),
    ROW(rest_to_first),
    ROW(rest_to_last),
    ROW(rest_in_order),
    ROW(smallest_remainder),
    ROW(jefferson),
    ROW(adams),
    ROW(bounds_at_the_end),
    ROW(one_pass),
    ROW(ten_rounds),
    ROW(two_rounds),
    ROW(guarantee_on_top),
    ROW(first_come),
    ROW(yarn_25_bisections),
    ROW(bisections_60),
    ROW(over_guaranteed_first_come),
    ROW(over_guaranteed_equal),
    ROW(over_guaranteed_gives_all),
    ROW(over_guaranteed_gives_nothing),
    ROW(int32),
    ROW(uint32),
    ROW(int60),
    ROW(doubles_above_2_53),
    ROW(single_precision),
    ROW(at_most_a_million),
    ROW(product_wraps),
    ROW(unbounded_demand_is_total),
    ROW(loses_one_of_many),
    ROW(more_than_eight),
    ROW(equal_rows_merged),
    ROW(fails_without_weight),
    ROW(limit_by_weight_zero),
    ROW(demand_zero_keeps_guarantee),
    ROW(guarantee_beats_limit),
    ROW(sorts_the_claims),
    ROW(remembers_the_last_call),
    ROW(demand_off_by_one),
    ROW(limit_0_is_none),
    ROW(demand_0_is_none),
    ROW(demand_above_total_is_none),
    ROW(weights_of_31_bits),
    ROW(weights_in_percent),
    ROW(limited_claims_weigh_one),
    ROW(guaranteed_claims_have_no_limit),
    ROW(guarantee_above_total_is_none),
    ROW(first_demand_of_all),
    ROW(only_32_claims),
    ROW(lends_what_is_guaranteed),
    ROW(starts_with_the_total),
    ROW(ten_percent_are_equal),
    ROW(sum_of_weights_in_32_bits),
    ROW(only_one_claim_gets_all),
    ROW(at_least_one_each),
    ROW(at_most_half),
    ROW(whole_levels),
    ROW(over_guaranteed_by_weight),
    ROW(guarantees_set_aside),
    ROW(even_totals_only),
    ROW(total_of_one_is_none),
    ROW(every_third_call),
};
const size_t planted_divisions_n = sizeof planted_divisions /
                                   sizeof planted_divisions[0];
