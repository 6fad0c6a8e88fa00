/* Secrets by job and task, and failures of memory with them. */
#include "life_cases.h"

/* ---- Secrets ---- */

static void secrets_are_by_job_and_task(void **state)
{
    sked_life_secrets *s = NULL;
    uint64_t got[3];
    (void)state;

    assert_ok(sked_life_secrets_new(NULL, &s, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 0, 3, got, NULL));
    assert_int_equal(got[0] + got[1] + got[2], 0);
    assert_ok(sked_life_secrets_set(s, 1, SKED_LIFE_EVERY_TASK, 7, NULL));
    assert_ok(sked_life_secrets_set(s, 1, 1, 8, NULL));
    assert_ok(sked_life_secrets_set(s, 2, 1, 9, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 0, 3, got, NULL));
    assert_int_equal(got[0], 7);
    assert_int_equal(got[1], 8);
    assert_int_equal(got[2], 7);
    assert_ok(sked_life_secrets_set(s, 1, 1, 5, NULL)); /* another */
    assert_ok(sked_life_secrets_launch(s, 1, 1, 1, got, NULL));
    assert_int_equal(got[0], 5);
    assert_ok(sked_life_secrets_set(s, 1, 1, 0, NULL)); /* none */
    assert_ok(sked_life_secrets_set(s, 1, 6, 0, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 1, 1, got, NULL));
    assert_int_equal(got[0], 7);
    sked_life_secrets_forget(s, 1);
    assert_ok(sked_life_secrets_launch(s, 1, 0, 1, got, NULL));
    assert_int_equal(got[0], 0);
    assert_ok(sked_life_secrets_set(s, 3, 1, 4, NULL)); /* in its place */
    assert_ok(sked_life_secrets_launch(s, 2, 1, 1, got, NULL));
    assert_int_equal(got[0], 9);
    assert_status(SKED_ERR_ARG, sked_life_secrets_new(NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_life_secrets_set(NULL, 1, 1, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_secrets_launch(NULL, 1, 1, 1, got, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_secrets_launch(s, 1, 1, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_secrets_launch(s, 1, UINT64_MAX, 1, got, NULL));
    sked_life_secrets_forget(NULL, 1);
    sked_life_secrets_free(s);
    sked_life_secrets_free(NULL);
    sked_host bad = {.struct_size = 1};
    assert_status(SKED_ERR_VERSION, sked_life_secrets_new(&bad, &s, NULL));
}

static sked_status keep_secrets(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_life_secrets *s = NULL;
    sked_status rc = sked_life_secrets_new(&host, &s, NULL);
    uint64_t got;
    (void)arg;

    for (uint64_t job = 1; rc == SKED_OK && job <= 40; job++) {
        rc = sked_life_secrets_set(s, job, 0, job + 7, NULL);
        for (uint64_t k = 1; k <= job; k++) { /* all or nothing */
            assert_ok(sked_life_secrets_launch(s, k, 0, 1, &got, NULL));
            int is_in = k < job || rc == SKED_OK;
            assert_int_equal(got, is_in ? k + 7 : 0);
        }
    }
    size_t made = s != NULL;
    assert_int_equal(h->released, 0);
    sked_life_secrets_free(s);
    assert_int_equal(h->released, made);
    return rc;
}

static void secrets_survive_every_failure(void **state)
{
    (void)state;
    test_sweep(keep_secrets, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_by_job_and_task),
        cmocka_unit_test(secrets_survive_every_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
