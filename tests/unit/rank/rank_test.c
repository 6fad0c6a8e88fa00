/* Orders of candidates one by one: each key, presets, what is refused. */
#include "test.h"

#include <sched/rank.h>

#include <string.h>

#include "host.h"

static sked_status rank_of(const sked_rank_input *in, uint32_t *positions)
{
    return sked_rank_order(in, 0, NULL, positions, NULL);
}

/* The order of three by one key. */
static void assert_first(sked_rank_input in, int32_t key, const char *want)
{
    uint32_t got[3];
    char text[4] = "";

    in.struct_size = sizeof in;
    in.n = 3;
    in.n_keys = 1;
    in.keys = &key;
    assert_ok(rank_of(&in, got));
    for (size_t i = 0; i < 3; i++) text[i] = (char)('a' + got[i]);
    assert_string_equal(text, want);
}

static void every_key_orders_candidates(void **state)
{
    const uint8_t pending[] = {SKED_RANK_STATE_RUNNING, SKED_RANK_STATE_PLACING,
                               SKED_RANK_STATE_PENDING};
    const uint8_t yes[] = {0, 1, 2};
    const int32_t priority[] = {5, -1, 0};
    const sked_time times[] = {10, 30, 20}, unset[] = {30, SKED_UNSET, 20};
    const int64_t numbers[] = {7, -7, 0};
    const uint32_t restarts[] = {2, 0, 1};
    (void)state;

    assert_first((sked_rank_input){.state = pending}, SKED_RANK_KEY_STATE,
                 "cba");
    assert_first((sked_rank_input){.preemptible = yes},
                 SKED_RANK_KEY_PREEMPTIBLE, "bca");
    assert_first((sked_rank_input){.priority = priority},
                 SKED_RANK_KEY_PRIORITY, "bca");
    assert_first((sked_rank_input){.started = times}, SKED_RANK_KEY_RUN_TIME,
                 "bca");
    assert_first((sked_rank_input){.started = unset}, SKED_RANK_KEY_RUN_TIME,
                 "bac");
    assert_first((sked_rank_input){.restart_cost = numbers},
                 SKED_RANK_KEY_RESTART_COST, "bca");
    assert_first((sked_rank_input){.restarts = restarts},
                 SKED_RANK_KEY_RESTARTS, "bca");
    assert_first((sked_rank_input){.master = yes}, SKED_RANK_KEY_MASTER, "abc");
    assert_first((sked_rank_input){.submitted = times}, SKED_RANK_KEY_NEWEST,
                 "bca");
    assert_first((sked_rank_input){.host = numbers}, SKED_RANK_KEY_HOST, "bca");
    assert_first((sked_rank_input){0}, SKED_RANK_KEY_HOST, "abc");
}

static void checkpointed_work_is_not_lost(void **state)
{
    const sked_time started[] = {10, 30, 20};
    const sked_time saved[] = {40, SKED_UNSET, 15};
    (void)state;

    assert_first((sked_rank_input){.started = started}, SKED_RANK_KEY_LOST_WORK,
                 "bca");
    assert_first((sked_rank_input){.started = started, .checkpoint = saved},
                 SKED_RANK_KEY_LOST_WORK, "abc");
    assert_first((sked_rank_input){.checkpoint = saved},
                 SKED_RANK_KEY_LOST_WORK, "bac");
}

static void the_lowest_priority_goes_first(void **state)
{
    const int32_t priority[] = {1, 0, 1, 0};
    const sked_time started[] = {5, 5, 9, 9};
    const uint8_t running[] = {2, 2, 2, 2};
    int32_t keys[3];
    uint32_t got[4];
    size_t n = 0;
    sked_rank_input in = {.struct_size = sizeof in,
                          .n = 4,
                          .keys = keys,
                          .state = running,
                          .priority = priority,
                          .started = started};
    (void)state;

    assert_ok(sked_rank_preset(SKED_RANK_PRESET_PELOTON, keys, 3, &n, NULL));
    in.n_keys = (uint32_t)n;
    assert_ok(rank_of(&in, got));
    assert_i64(got[0], 3);
    assert_i64(got[1], 1);
    assert_i64(got[2], 2);
    assert_i64(got[3], 0);
}

static void presets_are_listed(void **state)
{
    int32_t keys[SKED_RANK_KEY_HOST];
    const size_t many[] = {8, 5, 2, 3};
    size_t n;
    (void)state;

    for (int32_t p = SKED_RANK_PRESET_OWN; p <= SKED_RANK_PRESET_PELOTON; p++) {
        assert_status(SKED_ERR_RANGE, sked_rank_preset(p, NULL, 0, &n, NULL));
        assert_i64((int64_t)n, (int64_t)many[p]);
        assert_ok(sked_rank_preset(p, keys, SKED_RANK_KEY_HOST, &n, NULL));
    }
    assert_i64(keys[0], SKED_RANK_KEY_STATE);
    assert_i64(keys[1], SKED_RANK_KEY_PRIORITY);
    assert_i64(keys[2], SKED_RANK_KEY_RUN_TIME);
    assert_status(SKED_ERR_ARG, sked_rank_preset(-1, keys, 9, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_rank_preset(4, keys, 9, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_rank_preset(0, keys, 9, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_rank_preset(0, NULL, 9, &n, NULL));
}

static void no_keys_is_our_own_order(void **state)
{
    const uint8_t state_of[] = {2, 0}, master[] = {0, 0};
    const int32_t priority[] = {0, 9};
    uint32_t got[2];
    sked_rank_input in = {.struct_size = sizeof in,
                          .n = 2,
                          .state = state_of,
                          .master = master,
                          .priority = priority};
    (void)state;

    assert_ok(rank_of(&in, got));
    assert_i64(got[0], 1);
    assert_i64(got[1], 0);
}

static void columns_that_are_no_order_are_refused(void **state)
{
    int32_t keys[] = {SKED_RANK_KEY_STATE, SKED_RANK_KEY_STATE};
    uint32_t got[1] = {77};
    sked_error err;
    sked_rank_input in = {
        .struct_size = sizeof in, .n = 1, .n_keys = 2, .keys = keys};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_rank_order(&in, 0, NULL, got, &err));
    assert_i64(err.row, 1);
    for (int32_t wrong = -1; wrong < 12; wrong += 12) {
        keys[1] = wrong;
        assert_status(SKED_ERR_ARG, sked_rank_order(&in, 0, NULL, got, &err));
        assert_i64(err.got, wrong);
    }
    keys[1] = 0;
    assert_status(SKED_ERR_ARG, rank_of(&in, got));
    keys[1] = SKED_RANK_KEY_HOST;
    assert_status(SKED_ERR_ARG, rank_of(&in, NULL));
    assert_status(SKED_ERR_ARG, rank_of(NULL, got));
    in.keys = NULL;
    assert_status(SKED_ERR_ARG, rank_of(&in, got));
    in.n_keys = 0;
    in.flags = 1;
    assert_status(SKED_ERR_ARG, rank_of(&in, got));
    in.flags = 0;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, rank_of(&in, got));
    const sked_host odd = {.struct_size = 4};
    assert_status(SKED_ERR_VERSION, sked_rank_order(&in, 0, &odd, got, &err));
    in.n = 0;
    assert_ok(rank_of(&in, got));
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, rank_of(&in, got));
    assert_i64(got[0], 77);
}

/* ---- Memory, cancelling ---- */

static sked_status rank_scenario(test_host *h, void *arg)
{
    static int64_t host[200000];
    static sked_time started[200000];
    const int32_t keys[] = {SKED_RANK_KEY_HOST, SKED_RANK_KEY_RUN_TIME};
    uint32_t got[10] = {9};
    sked_host hooks = test_host_hooks(h);
    sked_rank_input in = {.struct_size = sizeof in,
                          .n = 200000,
                          .n_keys = 2,
                          .keys = keys,
                          .started = started,
                          .host = host};
    (void)arg;

    for (int64_t i = 0; i < 200000; i++) {
        host[i] = -i % 5;
        started[i] = i * INT64_C(1234567890123);
    }
    sked_status rc = sked_rank_order(&in, 10, &hooks, got, NULL);
    assert_i64(got[0], rc == SKED_OK ? 199999 : 9);
    if (rc != SKED_OK) return rc;
    in.n = 9;
    rc = sked_rank_order(&in, 10, &hooks, got, NULL);
    assert_i64(got[0], rc == SKED_OK ? 4 : 199999);
    return rc;
}

static void a_call_that_fails_writes_nothing(void **state)
{
    (void)state;
    test_sweep(rank_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_orders_candidates),
        cmocka_unit_test(checkpointed_work_is_not_lost),
        cmocka_unit_test(the_lowest_priority_goes_first),
        cmocka_unit_test(presets_are_listed),
        cmocka_unit_test(no_keys_is_our_own_order),
        cmocka_unit_test(columns_that_are_no_order_are_refused),
        cmocka_unit_test(a_call_that_fails_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
