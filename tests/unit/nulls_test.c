/* A handle or a result that is NULL is named, in one wording; a read without a
 * code has nothing to say of none. */
#include <string.h>

#include <sched/sked.h>

#include "test.h"

static char place[64]; /* for what is not looked at */

#define NAMES(words, call)                                                     \
    do {                                                                       \
        err = (sked_error){0};                                                 \
        assert_status(SKED_ERR_ARG, call);                                     \
        assert_string_equal(err.message, words);                               \
    } while (0)

static void what_is_null_is_named(void **state)
{
    void *some = place;
    sked_error err;
    size_t n;
    (void)state;

    NAMES("engine is NULL", sked_engine_take(NULL, some, 1, &n, &err));
    NAMES("n is NULL", sked_engine_take(some, some, 1, NULL, &err));
    NAMES("decisions is NULL", sked_engine_take(some, NULL, 1, &n, &err));
    NAMES("engine is NULL", sked_engine_name_user(NULL, 1, "u", &err));
    NAMES("no user has this key",
          sked_engine_name_user(some, UINT64_MAX, "u", &err));
    NAMES("drf is NULL", sked_drf_list(NULL, some, 1, &n, &err));
    NAMES("slots is NULL", sked_drf_list(some, NULL, 1, &n, &err));
    NAMES("round is NULL", sked_round_take(NULL, some, 1, &n, &err));
    NAMES("actions is NULL", sked_round_take(some, NULL, 1, &n, &err));
    NAMES("history is NULL",
          sked_history_units(NULL, 0, some, some, 1, &n, &err));
    NAMES("amount is NULL",
          sked_history_units(some, 0, some, NULL, 1, &n, &err));
    NAMES("share is NULL", sked_share_get(NULL, 1, some, &err));
    NAMES("amounts is NULL", sked_share_get(some, 1, NULL, &err));
    NAMES("level is NULL", sked_share_level(some, 1, 0, NULL, &err));
    NAMES("ledger is NULL",
          sked_share_bounds(some, some, NULL, 0, some, 1, &n, &err));
    NAMES("sim is NULL", sked_sim_get_result(NULL, some, &err));
    NAMES("result is NULL", sked_sim_get_result(some, NULL, &err));
    NAMES("work is NULL", sked_sim_lost_work(some, NULL, &err));
    NAMES("usage is NULL", sked_sim_usage(some, 1, NULL, NULL, &err));
    NAMES("input is NULL", sked_preempt_select(NULL, NULL, some, &err));
    NAMES("text is NULL", sked_amount_parse("m", NULL, 0, 0, some, &err));
    NAMES("unit is none of m, B, 1",
          sked_amount_parse("x", "1", 1, 0, some, &err));
    NAMES("no such rounding", sked_amount_parse("m", "1", 1, 9, some, &err));
}

static void no_placement_answers_nothing(void **state)
{
    (void)state;

    assert_null(sked_locality_choice(NULL));
    assert_null(sked_locality_host_blocks(NULL));
    assert_null(sked_locality_levels(NULL));
    assert_true(sked_locality_unplaced(NULL) == 0);
    assert_i64(sked_locality_floor(NULL), 0);
    assert_i64(sked_locality_least_load(NULL), 0);
    assert_true(sked_locality_transfers(NULL, 1) == 0);
    assert_i64(sked_locality_load(NULL, 1), 0);
    assert_true(sked_locality_live_host(NULL, 0) == SKED_LOCALITY_NO_HOST);
    assert_null(sked_locality_live_loads(NULL));
    assert_true(sked_locality_live_least_load(NULL) == 0);
    assert_true(sked_locality_live_transfers(NULL, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_null_is_named),
        cmocka_unit_test(no_placement_answers_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
