/*
 * Laws of the filling over random families, on every path that this machine
 * runs, against the definitions in ref_fill.c.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "fill/solve.h"
#include "ref_fill.h"
#include "size.h"
#include "words.h"

enum { MOST_ROWS = 270000 };

typedef struct family {
    int64_t lo[MOST_ROWS];
    int64_t hi[MOST_ROWS];
    uint32_t weight[MOST_ROWS];
    int64_t wide[MOST_ROWS];
    int64_t want[MOST_ROWS]; /* the twin's shares */
    int64_t got[MOST_ROWS];
    int64_t first[MOST_ROWS]; /* the plain path's shares */
    skedi_fill_in in;
    int64_t total;
    test_words words;
    skedi_fill_work work;
} family;

static int setup(void **state)
{
    family *f = calloc(1, sizeof *f);

    if (!f) return -1;
    f->work.scratch = malloc(skedi_fill_scratch(MOST_ROWS));
    f->words.state = 20240601;
    *state = f;
    return f->work.scratch ? 0 : -1;
}

static int teardown(void **state)
{
    family *f = *state;

    free(f->work.scratch);
    free(f);
    return 0;
}

/* ---- families ---- */

/* Shapes of amounts and of weights; each family draws one of each. */
static int64_t draw_amount(test_words *w, unsigned shape)
{
    uint64_t top = (uint64_t)SKED_AMOUNT_MAX;

    switch (shape) {
    case 0: return 0;
    case 1: return (int64_t)test_below(w, 5);
    case 2: return (int64_t)test_below(w, 1000);
    case 3: return (int64_t)test_below(w, UINT64_C(1) << 40);
    case 4: return (int64_t)(UINT64_C(1) << test_below(w, 63)); /* geometric */
    case 5: return (int64_t)(top - test_below(w, 3));
    case 6: return (int64_t)(test_rough(w) % (top + 1));
    default: return 7; /* all alike */
    }
}

static uint32_t draw_weight(test_words *w, unsigned shape)
{
    switch (shape) {
    case 0: return 1;
    case 1: return 1 + (uint32_t)test_below(w, 4);
    case 2: return (uint32_t)test_below(w, 3);
    case 3: return (uint32_t)test_word(w);
    case 4: return UINT32_MAX - (uint32_t)test_below(w, 2);
    case 5: return test_below(w, 40) == 0 ? UINT32_MAX : 1; /* a giant */
    case 6: return 1000 + (uint32_t)test_below(w, 64000);
    default: return (uint32_t)(UINT64_C(1) << test_below(w, 32));
    }
}

static void draw_rows(family *f, size_t n)
{
    test_words *w = &f->words;
    unsigned lo_shape = (unsigned)test_below(w, 10);
    unsigned hi_shape = (unsigned)test_below(w, 9);
    unsigned weight_shape = (unsigned)test_below(w, 9);

    for (size_t i = 0; i < n; i++) {
        f->lo[i] = lo_shape < 8 ? draw_amount(w, lo_shape) : 0;
        f->hi[i] = hi_shape < 8 ? draw_amount(w, hi_shape) : SKED_UNLIMITED;
        if (test_below(w, 3) && f->lo[i] > f->hi[i]) f->lo[i] = f->hi[i] / 2;
        f->weight[i] = draw_weight(w, weight_shape);
    }
    f->in = (skedi_fill_in){
        .lo = lo_shape == 9 ? NULL : f->lo,
        .hi = f->hi,
        .weight = weight_shape == 8 ? NULL : f->weight,
        .n = n,
    };
}

static uint64_t capped_add(uint64_t a, uint64_t b)
{
    uint64_t top = (uint64_t)SKED_AMOUNT_MAX;

    return b > top - a ? top : a + b;
}

/* A total that is likely to matter: between the sums, and near them. */
static void draw_total(family *f)
{
    test_words *w = &f->words;
    uint64_t lo = 0, hi = 0, top = (uint64_t)SKED_AMOUNT_MAX;

    for (size_t i = 0; i < f->in.n; i++) {
        uint64_t h = (uint64_t)f->hi[i], l = f->in.lo ? (uint64_t)f->lo[i] : 0;
        hi = h > top ? top : capped_add(hi, h);
        lo = capped_add(lo, l < h ? l : h);
    }
    uint64_t span = hi > lo ? hi - lo : 1;
    switch (test_below(w, 8)) {
    case 0: f->total = (int64_t)(test_rough(w) % (top + 1)); break;
    case 1:
        f->total = (int64_t)(lo - test_below(w, lo < 4 ? lo + 1 : 4));
        break;
    case 2:
        f->total = (int64_t)(hi - test_below(w, hi < 4 ? hi + 1 : 4));
        break;
    case 3:
        f->total = (int64_t)(lo + test_below(w, span < 50 ? span : 50));
        break;
    case 4: f->total = (int64_t)(lo ? test_below(w, lo) : 0); break;
    default: f->total = (int64_t)(lo + test_below(w, span)); break;
    }
}

/* ---- one family, all paths, all roundings ---- */

static void same_level(const skedi_fill_level *got,
                       const skedi_fill_level *want)
{
    assert_i64(got->outcome, want->outcome);
    assert_i64(got->total, want->total);
    assert_i64(got->leftover, want->leftover);
    assert_i64((int64_t)got->num, (int64_t)want->num);
    assert_int_equal(skedi_u128_cmp(got->den, want->den), 0);
}

static void same_shares(const family *f, const int64_t *want, const char *what)
{
    for (size_t i = 0; i < f->in.n; i++) {
        if (f->got[i] != want[i]) {
            fail_msg("%s: row %zu of %zu has %lld, not %lld", what, i, f->in.n,
                     (long long)f->got[i], (long long)want[i]);
        }
    }
}

/* Unit by unit where that is quick, else by the rule it must obey. */
static void check_webster(family *f, const skedi_fill_level *level)
{
    uint64_t units = (uint64_t)level->total;

    assert_true(level->outcome == SKED_FILL_OUTCOME_SATURATED ||
                ref_fill_is_webster(&f->in, level, f->got));
    for (size_t i = 0; i < f->in.n; i++) {
        if (f->in.lo && level->outcome == SKED_FILL_OUTCOME_OK) {
            units -= (uint64_t)(f->lo[i] < f->hi[i] ? f->lo[i] : f->hi[i]);
        }
    }
    if (level->outcome == SKED_FILL_OUTCOME_SATURATED || units > 1000 ||
        units * f->in.n > 4000) {
        return;
    }
    ref_fill_webster(&f->in, level, f->want);
    same_shares(f, f->want, "webster");
}

static void check_path(family *f, int32_t path, const skedi_fill_level *level,
                       const skedi_fill_level *warm)
{
    skedi_fill_level got;

    f->work.path = path;
    skedi_fill_solve(&f->work, &f->in, f->total, warm, &got);
    same_level(&got, level);
    skedi_fill_emit(&f->work, &f->in, &got, SKED_APPORTION_WEBSTER, f->got);
    if (path == SKEDI_FILL_PLAIN) {
        check_webster(f, level);
        memcpy(f->first, f->got, f->in.n * sizeof *f->got);
    } else {
        same_shares(f, f->first, "another path");
    }
    skedi_fill_emit(&f->work, &f->in, &got, SKED_APPORTION_LARGEST, f->got);
    ref_fill_largest(&f->in, level, f->want);
    same_shares(f, f->want, "largest remainder");
    skedi_fill_emit(&f->work, &f->in, &got, SKED_APPORTION_PREFIX, f->got);
    ref_fill_prefix(&f->in, level, f->want);
    same_shares(f, f->want, "prefix");
}

/* A level that is near, far, or nonsense: none may change the answer. */
static skedi_fill_level draw_warm(test_words *w, const skedi_fill_level *level)
{
    skedi_fill_level warm = *level;

    switch (test_below(w, 4)) {
    case 0: break;
    case 1: warm.num += warm.num / 1000 + 1; break;
    case 2: warm.num = test_rough(w) >> 1; break;
    default: warm.outcome = SKED_FILL_OUTCOME_SATURATED; break;
    }
    return warm;
}

static void check_all(family *f)
{
    skedi_fill_level level;

    ref_fill_level(&f->in, f->total, &level);
    for (int32_t path = SKEDI_FILL_PLAIN; path < SKEDI_FILL_PATHS; path++) {
        skedi_fill_level warm = draw_warm(&f->words, &level);
        if (!skedi_fill_has(path)) continue;
        check_path(f, path, &level, NULL);
        check_path(f, path, &level, &warm);
    }
}

static void small_families_equal_the_definitions(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(30000, 600000); k++) {
        draw_rows(f, test_below(&f->words, 10));
        draw_total(f);
        check_all(f);
    }
}

static void wide_weights_equal_the_definitions(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(20000, 400000); k++) {
        unsigned shape = (unsigned)test_below(&f->words, 8);
        draw_rows(f, test_below(&f->words, 10));
        draw_total(f);
        for (size_t i = 0; i < f->in.n; i++) {
            f->wide[i] = draw_amount(&f->words, shape);
        }
        f->in.weight = NULL;
        f->in.wide = f->wide;
        check_all(f);
    }
}

static void middling_families_equal_the_definitions(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(600, 12000); k++) {
        draw_rows(f, 10 + test_below(&f->words, 300));
        draw_total(f);
        check_all(f);
    }
}

/* Either side of every size at which a path changes its ways. */
static void sizes_around_every_threshold_agree(void **state)
{
    static const size_t edges[] = {8,   16,   32,   64,   256,
                                   512, 1024, 4096, 8192, 65536};
    family *f = *state;

    for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++) {
        size_t times = edges[k] < 5000 ? test_size(3, 60) : 1;
        for (size_t j = 0; j < 3 * times; j++) {
            draw_rows(f, edges[k] - 1 + j % 3);
            draw_total(f);
            check_all(f);
        }
    }
    for (size_t j = 0; j < test_size(1, 10); j++) {
        draw_rows(f, 131070 + j % 5);
        draw_total(f);
        check_all(f);
    }
}

/* The sum of weights that rise crosses 2^50, where vector rounding ends. */
static void denominators_around_two_to_the_fifty_agree(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(2, 40); k++) {
        size_t n = 0;
        uint64_t sum = 0, want = (UINT64_C(1) << 50) - 2 + 4 * (k % 2);
        for (; sum < want; n++) {
            uint64_t left = want - sum;
            f->weight[n] = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
            sum += f->weight[n];
            f->lo[n] = 0;
            f->hi[n] = SKED_AMOUNT_MAX;
        }
        assert_true(n < MOST_ROWS);
        f->in = (skedi_fill_in){.hi = f->hi, .weight = f->weight, .n = n};
        f->total = SKED_AMOUNT_MAX - (int64_t)test_below(&f->words, 1000);
        check_all(f);
    }
}

/* ---- laws ---- */

static void shares_of(family *f, int64_t total, int32_t rounding, int64_t *out)
{
    skedi_fill_level level;

    f->work.path = SKEDI_FILL_BEST;
    skedi_fill_solve(&f->work, &f->in, total, NULL, &level);
    skedi_fill_emit(&f->work, &f->in, &level, rounding, out);
}

/* Webster: no row loses when there is more, nor by a larger own weight. */
static void more_never_hurts(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(4000, 80000); k++) {
        draw_rows(f, 1 + test_below(&f->words, 40));
        draw_total(f);
        if (f->total == SKED_AMOUNT_MAX) continue;
        shares_of(f, f->total, SKED_APPORTION_WEBSTER, f->want);
        shares_of(f, f->total + 1, SKED_APPORTION_WEBSTER, f->got);
        for (size_t i = 0; i < f->in.n; i++) {
            assert_true(f->got[i] >= f->want[i]);
        }
        size_t i = test_below(&f->words, f->in.n);
        if (!f->in.weight || f->weight[i] == UINT32_MAX) continue;
        f->weight[i]++;
        shares_of(f, f->total, SKED_APPORTION_WEBSTER, f->got);
        assert_true(f->got[i] >= f->want[i]);
    }
}

/* Weights mean only their ratio. */
static void scaled_weights_change_nothing(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(2000, 40000); k++) {
        draw_rows(f, 1 + test_below(&f->words, 40));
        draw_total(f);
        for (size_t i = 0; i < f->in.n; i++) f->weight[i] %= 60000;
        for (int32_t rounding = 0; rounding < 3; rounding++) {
            shares_of(f, f->total, rounding, f->want);
            for (size_t i = 0; i < f->in.n; i++) f->weight[i] *= 65536 / 4;
            shares_of(f, f->total, rounding, f->got);
            for (size_t i = 0; i < f->in.n; i++) f->weight[i] /= 65536 / 4;
            same_shares(f, f->want, "scaled");
        }
    }
}

/* In another order all get the same, give or take ties of one unit. */
static void order_decides_ties_only(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(2000, 40000); k++) {
        size_t n = 1 + test_below(&f->words, 40);
        draw_rows(f, n);
        draw_total(f);
        shares_of(f, f->total, SKED_APPORTION_WEBSTER, f->want);
        for (size_t i = 0, j = n - 1; i < j; i++, j--) {
            int64_t lo = f->lo[i], hi = f->hi[i];
            uint32_t weight = f->weight[i];
            f->lo[i] = f->lo[j];
            f->hi[i] = f->hi[j];
            f->weight[i] = f->weight[j];
            f->lo[j] = lo;
            f->hi[j] = hi;
            f->weight[j] = weight;
        }
        shares_of(f, f->total, SKED_APPORTION_WEBSTER, f->got);
        for (size_t i = 0; i < n; i++) {
            int64_t off = f->got[n - 1 - i] - f->want[i];
            assert_true(off >= -1 && off <= 1);
        }
    }
}

/* Idle rows change no other row's share. */
static void a_row_that_may_have_nothing_changes_nothing(void **state)
{
    family *f = *state;

    for (size_t k = 0; k < test_size(2000, 40000); k++) {
        size_t n = 1 + test_below(&f->words, 40);
        draw_rows(f, n);
        draw_total(f);
        f->lo[n] = 5;
        f->hi[n] = 0;
        f->weight[n] = UINT32_MAX;
        for (int32_t rounding = 0; rounding < 3; rounding++) {
            shares_of(f, f->total, rounding, f->want);
            f->in.n = n + 1;
            shares_of(f, f->total, rounding, f->got);
            f->in.n = n;
            assert_i64(f->got[n], 0);
            same_shares(f, f->want, "idle");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_families_equal_the_definitions),
        cmocka_unit_test(wide_weights_equal_the_definitions),
        cmocka_unit_test(middling_families_equal_the_definitions),
        cmocka_unit_test(sizes_around_every_threshold_agree),
        cmocka_unit_test(denominators_around_two_to_the_fifty_agree),
        cmocka_unit_test(more_never_hurts),
        cmocka_unit_test(scaled_weights_change_nothing),
        cmocka_unit_test(order_decides_ties_only),
        cmocka_unit_test(a_row_that_may_have_nothing_changes_nothing),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
