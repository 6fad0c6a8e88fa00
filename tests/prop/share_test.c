/*
 * Laws of shares over random trees: the one-shot function gives what the
 * definitions give, and what the theory promises holds.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ref_share.h"
#include "share_world.h"
#include "size.h"

enum { MOST = SHARE_WORLD_ROWS * SHARE_WORLD_KINDS };

typedef struct bench_of_laws {
    share_world w;
    test_words words;
    int64_t got[MOST];
    int64_t want[MOST];
} laws;

static int setup(void **state)
{
    laws *l = calloc(1, sizeof *l);

    if (!l) return -1;
    l->words.state = 20261121;
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void compute(laws *l, int64_t *shares)
{
    assert_ok(sked_share_once(&l->w.in, &l->w.options, NULL, shares, NULL));
}

static void assert_like_twin(laws *l, size_t instance)
{
    size_t n = (size_t)l->w.in.n * l->w.in.kinds;

    compute(l, l->got);
    ref_share(&l->w.in, &l->w.options, l->want);
    for (size_t i = 0; i < n; i++) {
        if (l->got[i] == l->want[i]) continue;
        fail_msg("instance %zu (model %d, flags %u, rounding %d), row %zu: "
                 "%lld, not %lld",
                 instance, (int)l->w.options.model, l->w.options.flags,
                 (int)l->w.options.rounding, i / l->w.in.kinds,
                 (long long)l->got[i], (long long)l->want[i]);
    }
}

static void small_trees_are_shared_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(6000, 300000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = (int64_t)test_below(&l->words, 200) + 1;
        uint32_t rows = i % 3 ? 12 : SHARE_WORLD_ROWS;
        share_world_draw(&l->w, &l->words, rows, top, (int32_t)(i % 4 == 0));
        assert_like_twin(l, i);
    }
}

/* Unit by unit is out of reach here: the other two ways of rounding. */
static void large_amounts_are_shared_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(6000, 300000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = INT64_C(1) << (20 + test_below(&l->words, 36));
        share_world_draw(&l->w, &l->words, 20, top, 0);
        l->w.options.rounding = 1 + (int32_t)(i % 2);
        assert_like_twin(l, i);
    }
}

static void dominant_shares_are_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(400, 20000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = INT64_C(1) << test_below(&l->words, 56);
        share_world_draw(&l->w, &l->words, i % 8 ? 10 : 30, top,
                         SKED_SCOPE_DOMINANT);
        assert_like_twin(l, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_are_shared_as_defined),
        cmocka_unit_test(large_amounts_are_shared_as_defined),
        cmocka_unit_test(dominant_shares_are_as_defined),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
