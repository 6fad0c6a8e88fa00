/* Histories: cancelled, short of threads, short of memory. */
#include "history_cases.h"

/* ---- Refusals ---- */

static void questions_can_be_cancelled(void **state)
{
    const sked_ratio p = {1, 1};
    sked_pctl_point point;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    w->host.cancel = 1;
    assert_status(SKED_ERR_CANCELLED, sked_history_pctl(w->history, NULL, 1, &p,
                                                        1, &point, NULL, NULL));
    w->host.cancel = 0;
    assert_ok(sked_history_pctl(w->history, NULL, 0, &p, 1, NULL, NULL, NULL));
}

/* Does half of what is asked, then a thread could not be had. */
static sked_status half_of_it(void *user, size_t n, sked_task_fn fn, void *arg)
{
    (void)user;
    for (size_t i = 0; i < n / 2; i++) fn(arg, i);
    return -1234;
}

/* A host whose threads fail half way through gets its code, and no change. */
static void threads_that_fail_change_nothing(void **state)
{
    enum { MANY = 300 };
    static sked_pctl_point point[MANY];
    static uint64_t first[MANY + 1];
    const sked_time start[] = {0, 0}, end[] = {5, 6};
    const int64_t amount[] = {1, 2};
    const uint32_t queue[] = {0, 1};
    const sked_ratio p = {1, 1};
    sked_history_input rows = intervals(2, start, end, amount);
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);
    sked_history_options opts = {.struct_size = sizeof opts, .queues = 2};
    const sked_pctl_input in = {.struct_size = sizeof in,
                                .first = first,
                                .threshold = &p,
                                .queues = MANY,
                                .thresholds = 1};

    rows.queue = queue;
    hooks.parallel = half_of_it;
    assert_ok(sked_history_new(NULL, &opts, &hooks, &w->history, NULL));
    assert_i64(sked_history_add(w->history, &rows, NULL, NULL), -1234);
    for (uint32_t q = 0; q < 2; q++) {
        sked_history_standing at;
        assert_ok(sked_history_get_standing(w->history, q, &at));
        assert_i64((int64_t)at.open, 0);
    }
    assert_ok(sked_history_check(w->history, NULL));
    assert_i64(sked_history_settle(w->history, 5, NULL), -1234);
    assert_i64(sked_history_pctl(w->history, NULL, 2, &p, 1, point, NULL, NULL),
               -1234);
    assert_i64(sked_pctl(&in, &hooks, point, NULL, NULL), -1234);
}

/* ---- Failures ---- */

/* What a history answers, as one number. */
static uint64_t answers(const sked_history *h)
{
    const sked_ratio p[] = {{1, 2}, {1, 1}};
    sked_pctl_point point[2 * 2];
    sked_pctl_queue total[2];
    uint64_t sum = 0;

    if (sked_history_pctl(h, NULL, 2, p, 2, point, total, NULL) != SKED_OK) {
        return UINT64_MAX;
    }
    for (int i = 0; i < 4; i++) {
        sum = sum * 31 + (uint64_t)point[i].amount;
        sum = sum * 31 + (uint64_t)point[i].covered.num;
    }
    return sum * 31 + (uint64_t)(total[0].vacant + total[1].vacant);
}

/* A call that fails answers as before. */
static sked_status add_or_nothing(sked_history *h, test_host *host,
                                  const sked_history_input *rows)
{
    const test_host told = *host;

    host->fail_at = host->fail_from = host->stop_at = host->cancel_at = 0;
    host->cancel = 0;
    uint64_t before = answers(h);
    host->fail_at = told.fail_at;
    host->fail_from = told.fail_from;
    host->stop_at = told.stop_at;
    host->cancel_at = told.cancel_at;
    host->checks = told.checks;
    host->cancel = told.cancel;
    sked_status rc = rows ? sked_history_add(h, rows, NULL, NULL)
                          : sked_history_settle(h, SKED_HISTORY_END, NULL);
    if (rc == SKED_OK) return rc;
    host->fail_at = host->fail_from = host->stop_at = host->cancel_at = 0;
    host->cancel = 0;
    assert_true(answers(h) == before);
    assert_ok(sked_history_check(h, NULL));
    return rc;
}

static sked_status whole_life(test_host *host, void *arg)
{
    static sked_time start[70000], end[70000];
    static int64_t amount[70000];
    static uint32_t queue[70000];
    sked_host hooks = test_host_hooks(host);
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_KEEP,
                                 .queues = 2};
    sked_history *h = NULL;
    size_t n = *(const size_t *)arg;

    for (size_t i = 0; i < n; i++) {
        start[i] = (sked_time)(n - i);
        end[i] = start[i] + 5 + (sked_time)(i % 7);
        amount[i] = (int64_t)(i % 11);
        queue[i] = n > 100 ? 0 : i % 2;
    }
    sked_history_input rows = intervals(n, start, end, amount);
    rows.queue = queue;
    rows.flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER;
    sked_status rc = sked_history_new(NULL, &opts, &hooks, &h, NULL);
    if (rc == SKED_OK) rc = add_or_nothing(h, host, &rows);
    if (rc == SKED_OK) rc = add_or_nothing(h, host, NULL);
    sked_history_free(h);
    return rc;
}

static void failures_change_nothing(void **state)
{
    size_t few = 40, many = 70000;

    (void)state;
    test_sweep(whole_life, &few, 0);
    test_sweep(whole_life, &many, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(questions_can_be_cancelled, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(threads_that_fail_change_nothing, setup,
                                        teardown),
        cmocka_unit_test(failures_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
