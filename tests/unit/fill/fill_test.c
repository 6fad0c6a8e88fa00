#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "fill/solve.h"
#include "host.h"

enum { ROWS = 3 };

typedef struct world {
    int64_t share[ROWS];
    uint8_t bound[ROWS];
    sked_fill_result result;
    sked_fill_options opts;
    sked_error err;
} world;

static int setup(void **state)
{
    static world w;

    memset(&w, 0, sizeof w);
    w.result.struct_size = sizeof w.result;
    w.result.share = w.share;
    w.result.bound = w.bound;
    w.opts.struct_size = sizeof w.opts;
    *state = &w;
    return 0;
}

static sked_fill_input input(int64_t total, uint64_t n)
{
    return (sked_fill_input){
        .struct_size = sizeof(sked_fill_input), .total = total, .n = n};
}

static void assert_shares(const world *w, int64_t a, int64_t b, int64_t c)
{
    assert_i64(w->share[0], a);
    assert_i64(w->share[1], b);
    assert_i64(w->share[2], c);
}

/* [MON-10] A child gets its weight over the sum of weights. */
static void weights_divide_the_total(void **state)
{
    world *w = *state;
    const uint32_t weight[ROWS] = {3, 2, 1};
    sked_fill_input in = input(600, ROWS);

    in.weight = weight;
    assert_ok(sked_fill(&in, NULL, NULL, &w->result, NULL));

    assert_shares(w, 300, 200, 100);
    assert_i64(w->result.outcome, SKED_FILL_OUTCOME_OK);
    assert_i64(w->result.level.num, 600);
    assert_i64(w->result.level.den, 6);
    assert_i64(w->bound[0], SKED_BOUND_NONE);
}

/* [MON-13] [CAP-2] What one does not use goes to the others, up to a limit. */
static void idle_capacity_is_used_by_others(void **state)
{
    world *w = *state;
    const int64_t guarantee[ROWS] = {100, 100, 100};
    const int64_t limit[ROWS] = {300, 130, 300};
    const int64_t demand[ROWS] = {0, 300, 300};
    sked_fill_input in = input(300, ROWS);

    in.guarantee = guarantee;
    in.limit = limit;
    in.demand = demand;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));

    assert_shares(w, 0, 130, 170);
    assert_i64(w->bound[0], SKED_BOUND_DEMAND);
    assert_i64(w->bound[1], SKED_BOUND_LIMIT);
    assert_i64(w->bound[2], SKED_BOUND_NONE);
}

/* [PEL-8] [PEL-9] [PEL-10] The example of Peloton's user guide, before and
 * after the first queue's demand grows. */
static void entitlement_follows_demand(void **state)
{
    world *w = *state;
    const int64_t reservation[ROWS] = {20, 20, 20};
    const int64_t limit[ROWS] = {100, 100, 100};
    int64_t demand[ROWS] = {10, 80, 80};
    sked_fill_input in = input(100, ROWS);

    in.guarantee = reservation;
    in.limit = limit;
    in.demand = demand;
    w->opts.form = SKED_FILL_FORM_OVER_GUARANTEE;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 10, 45, 45);

    demand[0] = 50;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 34, 33, 33);
}

static void the_forms_differ_where_guarantees_do(void **state)
{
    world *w = *state;
    const int64_t guarantee[ROWS] = {60, 0, 0};
    sked_fill_input in = input(120, ROWS);

    in.guarantee = guarantee;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 60, 30, 30);
    assert_i64(w->bound[0], SKED_BOUND_GUARANTEE);

    w->opts.form = SKED_FILL_FORM_OVER_GUARANTEE;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 80, 20, 20);
}

static void each_rounding_does_what_it_says(void **state)
{
    world *w = *state;
    const uint32_t weight[ROWS] = {6, 1, 1};
    sked_fill_input in = input(5, ROWS);

    in.weight = weight; /* exact: 15/4, 5/8, 5/8 */
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 3, 1, 1); /* a fourth unit has the key 7/6, theirs 1 */
    w->opts.rounding = SKED_APPORTION_LARGEST;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 4, 1, 0);
    w->opts.rounding = SKED_APPORTION_PREFIX;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 3, 1, 1);
}

static void too_many_guarantees_are_cut_alike(void **state)
{
    world *w = *state;
    const int64_t guarantee[ROWS] = {100, 50, 50};
    sked_fill_input in = input(100, ROWS);

    in.guarantee = guarantee;
    for (int32_t form = 0; form < 2; form++) {
        w->opts.form = form;
        assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
        assert_shares(w, 50, 25, 25);
        assert_i64(w->result.outcome, SKED_FILL_OUTCOME_OVERCOMMIT);
        assert_i64(w->bound[1], SKED_BOUND_TOTAL);
    }
}

/* 3 * 2^62 does not fit the level's two words; the shares are exact. */
static void huge_guarantees_are_cut_exactly(void **state)
{
    world *w = *state;
    const int64_t most = SKED_AMOUNT_MAX;
    const int64_t guarantee[ROWS] = {most, most, most};
    sked_fill_input in = input(most, ROWS);

    in.guarantee = guarantee;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, most / 3 + 1, most / 3, most / 3);
    assert_i64(w->result.level.den, 0);
}

static void what_no_queue_may_take_is_reported(void **state)
{
    world *w = *state;
    const int64_t demand[ROWS] = {10, 20, 30};
    sked_fill_input in = input(100, ROWS);

    in.demand = demand;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 10, 20, 30);
    assert_i64(w->result.outcome, SKED_FILL_OUTCOME_SATURATED);
    assert_i64(w->result.leftover, 40);
    assert_i64(w->result.level.den, 0);
    assert_i64(w->bound[2], SKED_BOUND_DEMAND);
}

static void what_is_left_is_anticipated_up_to_the_limit(void **state)
{
    world *w = *state;
    const int64_t demand[ROWS] = {10, 20, 30}, limit[ROWS] = {15, 100, 100};
    sked_fill_input in = input(100, ROWS);

    in.demand = demand;
    in.limit = limit;
    w->opts.flags = SKED_FILL_FLAG_ANTICIPATE;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 15, 38, 47);
    assert_i64(w->result.outcome, SKED_FILL_OUTCOME_SATURATED);
    assert_i64(w->result.leftover, 0);
}

static void weight_zero_is_the_guarantee_and_no_more(void **state)
{
    world *w = *state;
    const int64_t guarantee[ROWS] = {7, 0, 0};
    const uint32_t weight[ROWS] = {0, 1, 1};
    sked_fill_input in = input(107, ROWS);

    in.guarantee = guarantee;
    in.weight = weight;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 7, 50, 50);
    assert_i64(w->bound[0], SKED_BOUND_WEIGHT);
}

static void amounts_may_be_weights(void **state)
{
    world *w = *state;
    const int64_t weight[ROWS] = {SKED_AMOUNT_MAX, SKED_AMOUNT_MAX / 2, 0};
    sked_fill_input in = input(SKED_AMOUNT_MAX, ROWS);

    in.amount_weight = weight;
    assert_ok(sked_fill(&in, &w->opts, NULL, &w->result, NULL));
    assert_shares(w, 3074457345618258603, 1537228672809129301, 0);
}

static void no_rows_leave_the_whole_total(void **state)
{
    world *w = *state;
    sked_fill_input in = input(5, 0);

    w->result.share = NULL;
    w->result.bound = NULL;
    assert_ok(sked_fill(&in, NULL, NULL, &w->result, NULL));
    assert_i64(w->result.outcome, SKED_FILL_OUTCOME_SATURATED);
    assert_i64(w->result.leftover, 5);
}

/* ---- what is refused ---- */

static void assert_refused(world *w, const sked_fill_input *in,
                           sked_status code, int64_t row, const char *message)
{
    w->share[0] = 77;
    assert_status(code, sked_fill(in, &w->opts, NULL, &w->result, &w->err));
    assert_status(code, w->err.code);
    assert_i64(w->err.row, row);
    assert_string_equal(w->err.message, message);
    assert_i64(w->share[0], 77);
    memset(&w->err, 0, sizeof w->err);
}

static void numbers_out_of_range_are_named(void **state)
{
    world *w = *state;
    const int64_t bad[ROWS] = {1, SKED_AMOUNT_MAX + 1, 1};
    const int64_t negative[ROWS] = {1, 1, -1};
    sked_fill_input in = input(SKED_AMOUNT_MAX + 1, ROWS);

    assert_refused(w, &in, SKED_ERR_RANGE, -1, "total is out of range");
    in = input(-1, ROWS);
    assert_refused(w, &in, SKED_ERR_RANGE, -1, "total is out of range");
    in = input(1, (uint64_t)INT32_MAX + 1);
    assert_refused(w, &in, SKED_ERR_RANGE, -1, "too many rows");
    in = input(1, ROWS);
    in.guarantee = bad;
    assert_refused(w, &in, SKED_ERR_RANGE, 1, "guarantee is out of range");
    in = input(1, ROWS);
    in.limit = negative;
    assert_refused(w, &in, SKED_ERR_RANGE, 2, "limit is out of range");
    in = input(1, ROWS);
    in.demand = bad;
    assert_refused(w, &in, SKED_ERR_RANGE, 1, "demand is out of range");
    in = input(1, ROWS);
    in.amount_weight = negative;
    assert_refused(w, &in, SKED_ERR_RANGE, 2, "weight is out of range");
}

static void arguments_that_contradict_are_refused(void **state)
{
    world *w = *state;
    const int64_t wide[ROWS] = {1, 1, 1};
    const uint32_t weight[ROWS] = {1, 1, 1};
    sked_fill_input in = input(1, ROWS);

    in.weight = weight;
    in.amount_weight = wide;
    assert_refused(w, &in, SKED_ERR_ARG, -1, "two weight columns");
    in = input(1, ROWS);
    in.flags = 1;
    assert_refused(w, &in, SKED_ERR_ARG, -1, "input has unknown flags");
    in = input(1, ROWS);
    w->opts.flags = 2;
    assert_refused(w, &in, SKED_ERR_ARG, -1, "options has unknown flags");
    w->opts.flags = 0;
    w->opts.form = 2;
    assert_refused(w, &in, SKED_ERR_ARG, -1, "form is unknown");
    w->opts.form = 0;
    w->opts.rounding = 3;
    assert_refused(w, &in, SKED_ERR_ARG, -1, "rounding is unknown");
}

static void missing_pieces_are_refused(void **state)
{
    world *w = *state;
    sked_fill_input in = input(1, ROWS);
    sked_host host = {.struct_size = 1};

    assert_status(SKED_ERR_ARG, sked_fill(NULL, NULL, NULL, &w->result, NULL));
    assert_status(SKED_ERR_ARG, sked_fill(&in, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_fill(&in, NULL, &host, &w->result, NULL));
    w->result.struct_size = 8;
    assert_refused(w, &in, SKED_ERR_VERSION, -1,
                   "result has an unknown struct_size");
    w->result.struct_size = sizeof w->result;
    in.struct_size = 8;
    assert_refused(w, &in, SKED_ERR_VERSION, -1,
                   "input has an unknown struct_size");
    in.struct_size = sizeof in;
    w->result.share = NULL;
    assert_status(SKED_ERR_ARG, sked_fill(&in, NULL, NULL, &w->result, NULL));
}

static sked_status one_filling(test_host *h, void *arg)
{
    int64_t share[ROWS] = {7, 7, 7};
    const int64_t demand[ROWS] = {1, 2, 3};
    sked_host hooks = test_host_hooks(h);
    sked_fill_input in = input(10, ROWS);
    sked_fill_options opts = {.struct_size = sizeof opts,
                              .flags = SKED_FILL_FLAG_ANTICIPATE};
    sked_fill_result result = {.struct_size = sizeof result, .share = share};

    (void)arg;
    in.demand = demand;
    sked_status rc = sked_fill(&in, &opts, &hooks, &result, NULL);
    assert_int_equal(share[0] == 7, rc != SKED_OK);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(one_filling, NULL, 0);
}

/* ---- weights that remember ---- */

static void past_use_lowers_a_weight(void **state)
{
    const uint32_t weight[ROWS] = {1, 1, 1};
    const int64_t usage[ROWS] = {7, 2, 1};
    int64_t out[ROWS];

    (void)state; /* 1/3 + 4 (1/3 - use): below zero, 13/15, 19/15 */
    assert_ok(
        sked_fill_time_weights(weight, usage, ROWS, 10, 4000000, out, NULL));
    assert_i64(out[0], 0);
    assert_i64(out[1] * 19, out[2] * 13);
    assert_true(out[1] > 0);
}

static void without_history_weights_keep_their_ratio(void **state)
{
    const uint32_t weight[ROWS] = {5, 10, 0};
    const int64_t usage[ROWS] = {0, 0, 0};
    int64_t out[ROWS];

    (void)state;
    assert_ok(
        sked_fill_time_weights(weight, usage, ROWS, 0, 1000000, out, NULL));
    assert_i64(out[0], 5);
    assert_i64(out[1], 10);
    assert_i64(out[2], 0);
    assert_ok(sked_fill_time_weights(NULL, usage, ROWS, 9, 0, out, NULL));
    assert_i64(out[0], out[2]);
}

/* The widest numbers are cut to 62 bits, and none above zero falls to 0. */
static void the_largest_numbers_keep_their_order(void **state)
{
    const uint32_t weight[ROWS] = {UINT32_MAX, 1, UINT32_MAX};
    const int64_t usage[ROWS] = {0, 0, SKED_AMOUNT_MAX};
    int64_t out[ROWS];

    (void)state;
    assert_ok(sked_fill_time_weights(weight, usage, ROWS, SKED_AMOUNT_MAX,
                                     INT64_C(1000000000000), out, NULL));
    assert_true(out[0] >= INT64_C(1) << 61 && out[0] <= SKED_AMOUNT_MAX);
    assert_true(out[1] >= 1 && out[1] < out[0]);
    assert_i64(out[2], 0);
}

static void time_weights_refuse_what_is_out_of_range(void **state)
{
    int64_t usage[1] = {-1}, out[1] = {5};

    (void)state;
    assert_status(SKED_ERR_ARG,
                  sked_fill_time_weights(NULL, NULL, 1, 1, 1, out, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_fill_time_weights(NULL, usage, 1, 1, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_fill_time_weights(NULL, usage, 1, 1, 1, out, NULL));
    usage[0] = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_fill_time_weights(NULL, usage, 1, -1, 1, out, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_fill_time_weights(NULL, usage, 1, 1, -1, out, NULL));
    assert_i64(out[0], 5);
    assert_ok(sked_fill_time_weights(NULL, NULL, 0, 1, 1, NULL, NULL));
}

/* ---- work ---- */

static uint64_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 24;
}

/* Wrong guesses cost time and change no answer, so only counts of work show
 * whether guessing still helps. */
static void a_large_family_takes_few_passes(void **state)
{
    enum { N = 100000 };
    int64_t *hi = malloc(N * sizeof *hi), *share = malloc(N * sizeof *share);
    uint32_t *weight = malloc(N * sizeof *weight);
    uint64_t random = 5;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        hi[i] = (int64_t)(next_word(&random) >> 10);
        weight[i] = 1 + (uint32_t)(next_word(&random) % 60000);
    }
    skedi_fill_in in = {.hi = hi, .weight = weight, .n = N};
    for (int32_t path = SKEDI_FILL_PORTABLE; path < SKEDI_FILL_PATHS; path++) {
        skedi_fill_work work = {.path = path};
        skedi_fill_level level;
        if (!skedi_fill_has(path)) continue;
        work.scratch = malloc(skedi_fill_scratch(N));
        skedi_fill_solve(&work, &in, INT64_C(1) << 44, NULL, &level);
        assert_i64(level.outcome, SKED_FILL_OUTCOME_OK);
        assert_i64((int64_t)work.stats.passes, 1);
        assert_true(work.stats.guess_steps < N);
        assert_true(work.stats.undecided < N / 4);
        assert_true(work.stats.select_steps < N);

        skedi_fill_solve(&work, &in, INT64_C(1) << 44, &level, &level);
        assert_i64((int64_t)work.stats.passes, 2);
        assert_true(work.stats.guess_steps < N);
        assert_i64((int64_t)work.stats.retries, 0);

        skedi_fill_emit(&work, &in, &level, SKED_APPORTION_WEBSTER, share);
        assert_true(work.stats.repaired < 1000);
        assert_true(work.stats.candidates < 4000);
        assert_i64((int64_t)work.stats.wide_repairs, 0);
        free(work.scratch);
    }
    free(hi);
    free(share);
    free(weight);
}

/* Scratch that would not fit the address space is never asked for. */
static void scratch_does_not_wrap(void **state)
{
    (void)state;
    assert_true(skedi_fill_scratch(1000) >= 48000);
    assert_int_equal(skedi_fill_scratch(SIZE_MAX / 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(weights_divide_the_total, setup),
        cmocka_unit_test_setup(idle_capacity_is_used_by_others, setup),
        cmocka_unit_test_setup(entitlement_follows_demand, setup),
        cmocka_unit_test_setup(the_forms_differ_where_guarantees_do, setup),
        cmocka_unit_test_setup(each_rounding_does_what_it_says, setup),
        cmocka_unit_test_setup(too_many_guarantees_are_cut_alike, setup),
        cmocka_unit_test_setup(huge_guarantees_are_cut_exactly, setup),
        cmocka_unit_test_setup(what_no_queue_may_take_is_reported, setup),
        cmocka_unit_test_setup(what_is_left_is_anticipated_up_to_the_limit,
                               setup),
        cmocka_unit_test_setup(weight_zero_is_the_guarantee_and_no_more, setup),
        cmocka_unit_test_setup(amounts_may_be_weights, setup),
        cmocka_unit_test_setup(no_rows_leave_the_whole_total, setup),
        cmocka_unit_test_setup(numbers_out_of_range_are_named, setup),
        cmocka_unit_test_setup(arguments_that_contradict_are_refused, setup),
        cmocka_unit_test_setup(missing_pieces_are_refused, setup),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(past_use_lowers_a_weight),
        cmocka_unit_test(without_history_weights_keep_their_ratio),
        cmocka_unit_test(the_largest_numbers_keep_their_order),
        cmocka_unit_test(time_weights_refuse_what_is_out_of_range),
        cmocka_unit_test(a_large_family_takes_few_passes),
        cmocka_unit_test(scratch_does_not_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
