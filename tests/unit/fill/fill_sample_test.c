/* Guesses rest on samples: one that misleads costs time and nothing else. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "fill/solve.h"
#include "fill/guess.h"

enum { ROWS = 1024, SAMPLED = ROWS / 4 };

static void largest_by(int32_t path, const skedi_fill_in *in, int64_t total,
                       int64_t *share, uint64_t *repairs)
{
    skedi_fill_work work = {.path = path};
    skedi_fill_level level;

    work.scratch = malloc(skedi_fill_scratch(ROWS));
    assert_non_null(work.scratch);
    skedi_fill_solve(&work, in, total, NULL, &level);
    assert_i64(level.outcome, SKED_FILL_OUTCOME_OK);
    skedi_fill_emit(&work, in, &level, SKED_APPORTION_LARGEST, share);
    *repairs = work.stats.wide_repairs;
    free(work.scratch);
}

/* Rows of the sample have remainders about 0.42, the others about 0.10: too
 * few units lie where the sample says that the last ones do. */
static void a_sample_unlike_the_rest_changes_nothing(void **state)
{
    uint32_t weight[ROWS];
    int64_t plain[ROWS], share[ROWS], hi[ROWS], total = 0;
    uint64_t repairs;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) weight[i] = 1100 + i % 3;
    for (size_t k = 0; k < SAMPLED; k++) {
        weight[skedi_fill_spread(ROWS, SAMPLED, k)] = 1400 + (uint32_t)k % 50;
    }
    for (size_t i = 0; i < ROWS; i++) {
        total += weight[i];
        hi[i] = SKED_AMOUNT_MAX;
    }
    total /= 1000;
    const skedi_fill_in in = {.hi = hi, .weight = weight, .n = ROWS};
    largest_by(SKEDI_FILL_PLAIN, &in, total, plain, &repairs);
    for (int32_t path = SKEDI_FILL_PORTABLE; path < SKEDI_FILL_PATHS; path++) {
        if (!skedi_fill_has(path)) continue;
        memset(share, 0, sizeof share);
        largest_by(path, &in, total, share, &repairs);
        assert_i64((int64_t)repairs, 1);
        assert_memory_equal(share, plain, sizeof share);
    }
}

static void there_is_no_path_beyond_the_last(void **state)
{
    (void)state;
    assert_false(skedi_fill_has(SKEDI_FILL_PATHS));
    assert_true(skedi_fill_has(SKEDI_FILL_BEST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_unlike_the_rest_changes_nothing),
        cmocka_unit_test(there_is_no_path_beyond_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
