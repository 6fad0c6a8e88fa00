#ifndef SKED_TESTING_DIVISIONS_H
#define SKED_TESTING_DIVISIONS_H

/*
 * The property of a division among siblings, included by <sched/sked_test.h>.
 *
 * The exact share of a claim is a fraction. All exact shares of a family have
 * one denominator, which is the sum of the weights that still rise at the level
 * where the total is used up. Every comparison multiplies two 64-bit numbers,
 * and no number is rounded.
 */

#include <sched/sked_test.h>

/* ---- 128 bits ---- */

typedef struct sked_test_u128 {
    uint64_t high, low;
} sked_test_u128;

static sked_test_u128 sked_test_mul(uint64_t a, uint64_t b)
{
    uint64_t al = a & UINT32_MAX, ah = a >> 32;
    uint64_t bl = b & UINT32_MAX, bh = b >> 32;
    uint64_t low = al * bl, m = ah * bl + (low >> 32);
    uint64_t n = al * bh + (m & UINT32_MAX);
    sked_test_u128 x = {ah * bh + (m >> 32) + (n >> 32),
                        n << 32 | (low & UINT32_MAX)};

    return x;
}

static sked_test_u128 sked_test_add(sked_test_u128 a, sked_test_u128 b)
{
    sked_test_u128 x = {a.high + b.high, a.low + b.low};

    x.high += x.low < b.low;
    return x;
}

static int sked_test_cmp(sked_test_u128 a, sked_test_u128 b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

/* The sign of a * b - c * d. */
static int sked_test_cmp_mul(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return sked_test_cmp(sked_test_mul(a, b), sked_test_mul(c, d));
}

/* ---- Exact shares ---- */

static int64_t sked_test_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The most that a claim can take. */
static int64_t sked_test_cap(const sked_test_claim *c)
{
    return sked_test_least(c->limit, c->demand);
}

/* The least that a claim gets. */
static int64_t sked_test_floor(const sked_test_claim *c)
{
    return sked_test_least(c->guarantee, sked_test_cap(c));
}

/* The most that a claim is given. */
static int64_t sked_test_top(const sked_test_claim *c)
{
    return c->weight ? sked_test_cap(c) : sked_test_floor(c);
}

/* Exact shares: exact[i] / denominator. */
typedef struct sked_test_exact {
    int over;    /* the guarantees alone are more than the total */
    int is_full; /* every claim has its top */
    uint64_t denominator;
    int64_t given; /* sum of the exact shares */
    sked_test_u128 exact[SKED_TEST_MOST_CLAIMS];
} sked_test_exact;

/* A level at which a claim begins to rise, or stops. */
typedef struct sked_test_bend {
    int64_t at; /* over the weight */
    uint32_t weight;
    int is_top;
    int64_t floor, top;
} sked_test_bend;

static int sked_test_by_level(const void *x, const void *y)
{
    const sked_test_bend *a = (const sked_test_bend *)x;
    const sked_test_bend *b = (const sked_test_bend *)y;
    int sign = sked_test_cmp_mul((uint64_t)a->at, b->weight, (uint64_t)b->at,
                                 a->weight);

    return sign ? sign : a->is_top - b->is_top;
}

static size_t sked_test_bends(const sked_test_claim *claims, size_t n,
                              sked_test_bend *bend)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        const sked_test_claim *c = &claims[i];
        if (c->weight == 0) continue;
        for (int is_top = 0; is_top < 2; is_top++) {
            bend[m].at = is_top ? sked_test_top(c) : sked_test_floor(c);
            bend[m].weight = c->weight;
            bend[m].is_top = is_top;
            bend[m].floor = sked_test_floor(c);
            bend[m++].top = sked_test_top(c);
        }
    }
    qsort(bend, m, sizeof *bend, sked_test_by_level);
    return m;
}

/* The level up / down at which the total is used up: between two bends the sum
 * of all shares is a line. */
static void sked_test_level(int64_t total, const sked_test_claim *claims,
                            size_t n, uint64_t *up, uint64_t *down)
{
    sked_test_bend bend[2 * SKED_TEST_MOST_CLAIMS];
    size_t m = sked_test_bends(claims, n, bend);
    int64_t fixed = 0; /* shares that do not rise */
    uint64_t rising = 0;

    for (size_t i = 0; i < n; i++) fixed += sked_test_floor(&claims[i]);
    for (size_t i = 0; i < m; i++) {
        const sked_test_bend *b = &bend[i];
        uint64_t left = (uint64_t)(total - fixed);
        if (sked_test_cmp_mul(rising, (uint64_t)b->at, left, b->weight) >= 0) {
            *up = rising ? left : (uint64_t)b->at;
            *down = rising ? rising : b->weight;
            return;
        }
        if (b->is_top) {
            fixed += b->top;
            rising -= b->weight;
        } else {
            fixed -= b->floor;
            rising += b->weight;
        }
    }
    *up = (uint64_t)(total - fixed);
    *down = rising ? rising : 1;
}

/* a or b, the one wanted: the larger or the smaller. */
static sked_test_u128 sked_test_bound(sked_test_u128 a, sked_test_u128 b,
                                      int sign)
{
    return sked_test_cmp(a, b) * sign > 0 ? a : b;
}

/* Fills the exact shares. */
static void sked_test_solve(int64_t total, const sked_test_claim *claims,
                            size_t n, sked_test_exact *x)
{
    sked_test_u128 tops = {0, 0};
    uint64_t floors = 0, level = 0;

    for (size_t i = 0; i < n; i++) {
        tops = sked_test_add(
            tops, sked_test_mul((uint64_t)sked_test_top(&claims[i]), 1));
        floors += (uint64_t)sked_test_floor(&claims[i]);
    }
    x->over = floors > (uint64_t)total;
    x->is_full = tops.high == 0 && tops.low <= (uint64_t)total;
    x->given = x->is_full ? (int64_t)tops.low : total;
    x->denominator = x->over ? floors : 1;
    if (!x->over && !x->is_full) {
        sked_test_level(total, claims, n, &level, &x->denominator);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t floor = (uint64_t)sked_test_floor(&claims[i]);
        uint64_t top = (uint64_t)sked_test_top(&claims[i]);
        if (x->over) {
            x->exact[i] = sked_test_mul((uint64_t)total, floor);
        } else if (x->is_full) {
            x->exact[i] = sked_test_mul(top, 1);
        } else {
            x->exact[i] = sked_test_bound(
                sked_test_mul(level, claims[i].weight),
                sked_test_mul(floor, x->denominator), 1);
            x->exact[i] = sked_test_bound(
                x->exact[i], sked_test_mul(top, x->denominator), -1);
        }
    }
}

/* The exact share without its fraction. */
static int64_t sked_test_down(const sked_test_exact *x, size_t i, int64_t most)
{
    int64_t low = 0, high = sked_test_least(most, x->given);

    while (low < high) {
        int64_t middle = high - (high - low) / 2;
        if (sked_test_cmp(sked_test_mul((uint64_t)middle, x->denominator),
                          x->exact[i]) <= 0) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* exact[i] - units * denominator. */
static sked_test_u128 sked_test_fraction(const sked_test_exact *x, size_t i,
                                         int64_t units)
{
    sked_test_u128 whole = sked_test_mul((uint64_t)units, x->denominator);
    sked_test_u128 rest = {x->exact[i].high - whole.high,
                           x->exact[i].low - whole.low};

    rest.high -= x->exact[i].low < whole.low;
    return rest;
}

void sked_test_largest_remainder(int64_t total, const sked_test_claim *claims,
                                 size_t n, int64_t *units)
{
    sked_test_exact x;
    int given[SKED_TEST_MOST_CLAIMS] = {0};

    sked_test_solve(total, claims, n, &x);
    int64_t left = x.given;
    for (size_t i = 0; i < n; i++) {
        units[i] = sked_test_down(&x, i, sked_test_top(&claims[i]));
        left -= units[i];
    }
    for (; left > 0; left--) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            if (given[i]) continue;
            if (best == n ||
                sked_test_cmp(sked_test_fraction(&x, i, units[i]),
                              sked_test_fraction(&x, best, units[best])) > 0) {
                best = i;
            }
        }
        if (best == n) return;
        given[best] = 1;
        units[best]++;
    }
}

/* Each next unit goes to the least (units + 1/2) / weight. All roundings together
 * move the level by n / 2 units at most, so the start is low enough. */
void sked_test_webster(int64_t total, const sked_test_claim *claims, size_t n,
                       int64_t *units)
{
    sked_test_exact x;
    uint64_t weight[SKED_TEST_MOST_CLAIMS];
    int64_t most[SKED_TEST_MOST_CLAIMS];

    sked_test_solve(total, claims, n, &x);
    int64_t left = x.given;
    for (size_t i = 0; i < n; i++) {
        int64_t floor = sked_test_floor(&claims[i]);
        int64_t top = sked_test_top(&claims[i]);
        weight[i] = x.over ? (uint64_t)floor : claims[i].weight;
        most[i] = x.over ? floor : top;
        units[i] = sked_test_down(&x, i, most[i]);
        if (!x.is_full) units[i] -= (int64_t)n / 2 + 2;
        if (units[i] < (x.over ? 0 : floor)) units[i] = x.over ? 0 : floor;
        left -= units[i];
    }
    for (; left > 0; left--) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            if (weight[i] == 0 || units[i] >= most[i]) continue;
            if (best == n ||
                sked_test_cmp_mul(2 * (uint64_t)units[i] + 1, weight[best],
                                  2 * (uint64_t)units[best] + 1,
                                  weight[i]) < 0) {
                best = i;
            }
        }
        if (best == n) return;
        units[best]++;
    }
}

/* ---- Invariants of one division ---- */

/* What every check reads. */
typedef struct sked_test_given {
    int64_t total;
    const sked_test_claim *claims;
    size_t n;
    const int64_t *units;
    sked_test_exact x;
} sked_test_given;

static const char *sked_test_check_sums(const sked_test_given *g)
{
    sked_test_u128 sum = {0, 0};
    int wants = 0;

    for (size_t i = 0; i < g->n; i++) {
        const sked_test_claim *c = &g->claims[i];
        if (g->units[i] < 0 || g->units[i] > sked_test_cap(c)) {
            return "within_bounds";
        }
        if (!g->x.over && g->units[i] < sked_test_floor(c)) {
            return "within_bounds";
        }
        wants |= c->weight && g->units[i] < sked_test_cap(c);
        sum = sked_test_add(sum, sked_test_mul((uint64_t)g->units[i], 1));
    }
    if (sum.high != 0 || sum.low != (uint64_t)g->x.given) return "adds_up";
    return wants && g->x.given != g->total ? "wastes_nothing" : NULL;
}

/* Each is less than a unit from the exact share (the quota rule), or the
 * division is Webster's, which leaves the quota in rare families. */
static const char *sked_test_check_quota(const sked_test_given *g)
{
    int64_t webster[SKED_TEST_MOST_CLAIMS];
    int far = 0;

    for (size_t i = 0; i < g->n; i++) {
        uint64_t units = (uint64_t)g->units[i];
        sked_test_u128 above = sked_test_mul(units + 1, g->x.denominator);
        far |= sked_test_cmp(above, g->x.exact[i]) <= 0;
        if (units == 0) continue;
        sked_test_u128 below = sked_test_mul(units - 1, g->x.denominator);
        far |= sked_test_cmp(below, g->x.exact[i]) >= 0;
    }
    if (!far) return NULL;
    sked_test_webster(g->total, g->claims, g->n, webster);
    return memcmp(webster, g->units, g->n * sizeof webster[0]) == 0
               ? NULL
               : "within_one_unit";
}

/* Would both be nearer to their exact shares after a unit goes from i to j? */
static int sked_test_is_nearer(const sked_test_given *g, size_t i, size_t j)
{
    uint64_t q = g->x.denominator;
    sked_test_u128 a = sked_test_mul((uint64_t)g->units[i], q);
    sked_test_u128 b = sked_test_mul((uint64_t)g->units[j] + 1, q);

    return sked_test_cmp(sked_test_add(a, g->x.exact[j]),
                         sked_test_add(b, g->x.exact[i])) > 0;
}

/* No unit could go from one claim to another so that both are nearer to their
 * exact shares and to each other for their weights. */
static const char *sked_test_check_moves(const sked_test_given *g)
{
    int more[SKED_TEST_MOST_CLAIMS], less[SKED_TEST_MOST_CLAIMS];

    if (g->x.over) return NULL;
    for (size_t i = 0; i < g->n; i++) {
        const sked_test_claim *c = &g->claims[i];
        int sign = sked_test_cmp(
            sked_test_mul((uint64_t)g->units[i], g->x.denominator),
            g->x.exact[i]);
        more[i] = c->weight && sign > 0 && g->units[i] > sked_test_floor(c);
        less[i] = c->weight && sign < 0 && g->units[i] < sked_test_top(c);
    }
    for (size_t i = 0; i < g->n; i++) {
        for (size_t j = 0; more[i] && j < g->n; j++) {
            if (!less[j] || !sked_test_is_nearer(g, i, j)) continue;
            if (sked_test_cmp_mul(
                    2 * (uint64_t)g->units[i] - 1, g->claims[j].weight,
                    2 * (uint64_t)g->units[j] + 1, g->claims[i].weight) > 0) {
                return "no_better_move";
            }
        }
    }
    return NULL;
}

/* A claim that wants more has no less for its weight than another beyond its
 * guarantee, to a unit on both sides. */
static const char *sked_test_check_envy(const sked_test_given *g)
{
    if (g->x.over) return NULL;
    for (size_t i = 0; i < g->n; i++) {
        const sked_test_claim *c = &g->claims[i];
        if (!c->weight || g->units[i] >= sked_test_cap(c)) continue;
        for (size_t j = 0; j < g->n; j++) {
            const sked_test_claim *d = &g->claims[j];
            if (!d->weight || g->units[j] <= sked_test_floor(d)) continue;
            if (sked_test_cmp_mul((uint64_t)g->units[i] + 1, d->weight,
                                  (uint64_t)g->units[j] - 1, c->weight) < 0) {
                return "nobody_envies";
            }
        }
    }
    return NULL;
}

const char *sked_test_units(int64_t total, const sked_test_claim *claims,
                            size_t n, const int64_t *units, uint32_t flags)
{
    int64_t same[SKED_TEST_MOST_CLAIMS];
    sked_test_given g;

    g.total = total;
    g.claims = claims;
    g.n = n;
    g.units = units;
    sked_test_solve(total, claims, n, &g.x);
    const char *broken = sked_test_check_sums(&g);
    if (!broken) broken = sked_test_check_quota(&g);
    if (!broken) broken = sked_test_check_moves(&g);
    if (!broken) broken = sked_test_check_envy(&g);
    if (!broken && (flags & SKED_TEST_LARGEST_REMAINDER)) {
        sked_test_largest_remainder(total, claims, n, same);
        if (memcmp(same, units, n * sizeof same[0]) != 0) {
            broken = "equals_largest_remainder";
        }
    }
    if (!broken && (flags & SKED_TEST_WEBSTER)) {
        sked_test_webster(total, claims, n, same);
        if (memcmp(same, units, n * sizeof same[0]) != 0) {
            broken = "equals_webster";
        }
    }
    return broken;
}

/* ---- Invariants of several divisions ---- */

/* A family, a changed copy, and what both get. */
typedef struct sked_test_pair {
    const sked_test_division_subject *subject;
    int64_t total;
    const sked_test_claim *claims;
    size_t n;
    int over;
    int64_t before[SKED_TEST_MOST_CLAIMS];
    int64_t after[SKED_TEST_MOST_CLAIMS];
    sked_test_claim changed[SKED_TEST_MOST_CLAIMS];
} sked_test_pair;

/* A division may not change its input, and has its own copy of it. */
static int sked_test_share(const sked_test_pair *p, int64_t total,
                           const sked_test_claim *claims, int64_t *units)
{
    memset(units, 0xff, p->n * sizeof *units);
    return p->subject->share(p->subject->arg, total, claims, p->n, units);
}

static void sked_test_same_claims(sked_test_pair *p)
{
    memcpy(p->changed, p->claims, p->n * sizeof p->changed[0]);
}

static const char *sked_test_check_again(sked_test_pair *p)
{
    sked_test_same_claims(p);
    if (sked_test_share(p, p->total, p->changed, p->after)) {
        return "division_runs";
    }
    if (memcmp(p->changed, p->claims, p->n * sizeof p->changed[0]) != 0 ||
        memcmp(p->after, p->before, p->n * sizeof p->after[0]) != 0) {
        return "same_again";
    }
    return NULL;
}

static const char *sked_test_check_order(sked_test_pair *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->changed[i] = p->claims[p->n - 1 - i];
    }
    if (sked_test_share(p, p->total, p->changed, p->after)) {
        return "division_runs";
    }
    for (size_t i = 0; i < p->n; i++) {
        int64_t there = p->after[p->n - 1 - i];
        if (there < p->before[i] - 1 || there > p->before[i] + 1) {
            return "order_of_rows";
        }
    }
    return NULL;
}

/* Largest remainder may take a unit away when the total grows (the Alabama
 * paradox), but no more than one. */
static const char *sked_test_check_total(sked_test_pair *p)
{
    if (p->over) return NULL;
    if (sked_test_share(p, p->total + 1, p->claims, p->after)) {
        return "division_runs";
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->after[i] < p->before[i] - 1) {
            return "hardly_falls_with_the_total";
        }
    }
    return NULL;
}

static const char *sked_test_check_scale(sked_test_pair *p)
{
    sked_test_same_claims(p);
    for (size_t i = 0; i < p->n; i++) {
        if (p->changed[i].weight > UINT32_MAX / 7) return NULL;
        p->changed[i].weight *= 7;
    }
    if (sked_test_share(p, p->total, p->changed, p->after)) {
        return "division_runs";
    }
    return memcmp(p->after, p->before, p->n * sizeof p->after[0]) == 0
               ? NULL
               : "scale_of_weights";
}

/* The first claims ask for one unit more, then weigh twice as much. */
static const char *sked_test_check_more(sked_test_pair *p)
{
    sked_test_exact x;

    for (size_t i = 0; i < p->n && i < 3 && !p->over; i++) {
        sked_test_same_claims(p);
        if (p->claims[i].demand <= p->total) {
            p->changed[i].demand++;
            sked_test_solve(p->total, p->changed, p->n, &x);
            if (!x.over && sked_test_share(p, p->total, p->changed, p->after)) {
                return "division_runs";
            }
            if (!x.over && p->after[i] < p->before[i]) {
                return "wanting_more_gets_no_less";
            }
            sked_test_same_claims(p);
        }
        if (p->claims[i].weight == 0 || p->claims[i].weight >> 31) continue;
        p->changed[i].weight *= 2;
        if (sked_test_share(p, p->total, p->changed, p->after)) {
            return "division_runs";
        }
        if (p->after[i] < p->before[i] - 1) {
            return "weighing_more_gets_no_less";
        }
    }
    return NULL;
}

const char *sked_test_family(const sked_test_division_subject *subject,
                             int64_t total, const sked_test_claim *claims,
                             size_t n)
{
    sked_test_pair p;
    sked_test_exact x;

    p.subject = subject;
    p.total = total;
    p.claims = claims;
    p.n = n;
    sked_test_solve(total, claims, n, &x);
    p.over = x.over;
    sked_test_same_claims(&p);
    if (sked_test_share(&p, total, p.changed, p.before)) {
        return "division_runs";
    }
    const char *broken = sked_test_units(total, claims, n, p.before,
                                         subject->flags);
    if (!broken) broken = sked_test_check_again(&p);
    if (!broken) broken = sked_test_check_order(&p);
    if (!broken) broken = sked_test_check_more(&p);
    if (!broken) broken = sked_test_check_total(&p);
    if (!broken) broken = sked_test_check_scale(&p);
    return broken;
}

/* ---- Drawing families ---- */

/* How a family is drawn. */
typedef struct sked_test_taste {
    int64_t most;
    int is_hostile;
    int is_large; /* more than eight claims: sums stay below 2^63 */
} sked_test_taste;

static int64_t sked_test_amount(sked_test_choices *c, const sked_test_taste *t,
                                int largest)
{
    static const int64_t edges[] = {INT64_C(1) << 31, INT64_C(1) << 32,
                                    INT64_C(1) << 53, INT64_C(1) << 60,
                                    INT64_C(1) << 61};
    if (t->is_hostile && sked_test_choose(c, 1)) {
        int64_t edge = sked_test_pick(c, edges,
                                      t->is_large ? 3 : (size_t)largest);
        return edge + (int64_t)sked_test_choose(c, 6) - 3;
    }
    return (int64_t)sked_test_choose(c, (uint64_t)t->most);
}

static sked_test_claim sked_test_draw_claim(sked_test_choices *c,
                                            const sked_test_taste *t)
{
    static const int64_t weights[] = {1, 1, 1, 2, 3, 5, 7, 0};
    sked_test_claim claim = {0, SKED_UNLIMITED, SKED_UNLIMITED, 1, 0};
    uint64_t how = sked_test_choose(c, 9);

    claim.weight = (uint32_t)sked_test_pick(c, weights, 8);
    if (how == 1) claim.weight = (uint32_t)sked_test_choose(c, 1000);
    if (how == 2 && t->is_hostile) claim.weight = UINT32_MAX;
    if (sked_test_choose(c, 9) >= 7) {
        claim.guarantee = sked_test_amount(c, t, 4);
    }
    if (sked_test_choose(c, 9) >= 7) claim.limit = sked_test_amount(c, t, 5);
    how = sked_test_choose(c, 19);
    if (how >= 10) claim.demand = sked_test_amount(c, t, 5);
    if (how == 9) claim.demand = 0;
    return claim;
}

/* Makes rows equal, leaves weights alone, or puts the total just below the
 * guarantees. */
static void sked_test_special(sked_test_choices *c, sked_test_claim *claims,
                              size_t n, int64_t *total)
{
    uint64_t how = sked_test_choose(c, 11);
    int64_t floors = 0;

    for (size_t i = 0; i < n; i++) {
        if (how == 1 || how == 2) claims[i] = claims[0];
        if (how == 3 && i > 1) claims[i] = claims[sked_test_choose(c, 1)];
        if (how >= 4 && how <= 6) {
            claims[i].guarantee = 0;
            claims[i].limit = claims[i].demand = SKED_UNLIMITED;
        }
        floors += sked_test_floor(&claims[i]);
    }
    if (how == 7 || how == 8) {
        int64_t less = (int64_t)sked_test_choose(c, 3);
        *total = floors > less ? floors - less : 0;
    }
    if (*total > (INT64_C(1) << 62) - 3) *total = (INT64_C(1) << 62) - 3;
}

/* How many claims from `at` on are equal. */
static size_t sked_test_equal(const sked_test_claim *claims, size_t n,
                              size_t at)
{
    size_t end = at + 1;

    while (end < n &&
           memcmp(&claims[end], &claims[at], sizeof claims[0]) == 0) {
        end++;
    }
    return end - at;
}

/* The size of a family: equal neighbours are one row of the story. */
static size_t sked_test_rows(const sked_test_claim *claims, size_t n)
{
    size_t rows = 0;

    for (size_t i = 0; i < n; i += sked_test_equal(claims, n, i)) rows++;
    return rows;
}

static void sked_test_tell_family(sked_test_story *story, int64_t total,
                                  const sked_test_claim *claims, size_t n)
{
    size_t many = 0;

    sked_test_say(story, "broken invariant: %s", story->invariant);
    sked_test_say(story, "    total %lld", (long long)total);
    for (size_t i = 0; i < n; i += many) {
        const sked_test_claim *c = &claims[i];
        many = sked_test_equal(claims, n, i);
        sked_test_say(
            story,
            "    claims %u to %u: weight %lu, guarantee %lld, limit %lld, "
            "demand %lld",
            (unsigned)i, (unsigned)(i + many - 1), (unsigned long)c->weight,
            (long long)c->guarantee,
            c->limit == SKED_UNLIMITED ? -1LL : (long long)c->limit,
            c->demand == SKED_UNLIMITED ? -1LL : (long long)c->demand);
    }
    sked_test_say(story, "    (-1: unlimited)");
}

size_t sked_test_draw_family(sked_test_choices *c, int64_t *total,
                             sked_test_claim *claims)
{
    static const int64_t mosts[] = {4, 12, 100, 1000};
    sked_test_taste t;
    size_t n = 0;

    t.most = sked_test_pick(c, mosts, 4);
    t.is_hostile = sked_test_choose(c, 3) == 3;
    t.is_large = sked_test_choose(c, 15) == 15;
    *total = sked_test_amount(c, &t, 5);
    *total *= 1 + (int64_t)sked_test_choose(c, 2) / 2;
    while (n < (t.is_large ? SKED_TEST_MOST_CLAIMS : 7) &&
           (sked_test_more(c, t.is_large ? 30 : 4) || n == 0)) {
        claims[n++] = sked_test_draw_claim(c, &t);
    }
    sked_test_special(c, claims, n, total);
    return n;
}

void sked_test_division(void *arg, sked_test_choices *c, sked_test_story *story)
{
    const sked_test_division_subject
        *subject = (const sked_test_division_subject *)arg;
    sked_test_claim claims[SKED_TEST_MOST_CLAIMS];
    int64_t total;
    size_t n = sked_test_draw_family(c, &total, claims);

    story->size = sked_test_rows(claims, n);
    story->invariant = sked_test_family(subject, total, claims, n);
    if (story->invariant) sked_test_tell_family(story, total, claims, n);
}

#endif
