#define _GNU_SOURCE /* pthread_setattr_default_np */

#include "test.h"

#include <pthread.h>

#include <sched/sked.h>

#include "base/par.h"

enum { ITEMS = 1000 };

static void square(void *arg, size_t i)
{
    uint64_t *out = arg;

    out[i] += (uint64_t)i * i + 1;
}

static void check_once_each(const uint64_t *out, size_t n)
{
    for (size_t i = 0; i < ITEMS; i++) {
        assert_true(out[i] == (i < n ? (uint64_t)i * i + 1 : 0));
    }
}

static sked_status run(sked_host host, size_t n, uint64_t *out)
{
    skedi_hooks hooks;

    host.struct_size = sizeof host;
    assert_ok(skedi_hooks_in(&hooks, &host, NULL));
    return skedi_par_for(&hooks, n, square, out);
}

static void every_item_is_done_once_on_any_number_of_threads(void **state)
{
    static const uint32_t threads[] = {0, 1, 2, 3, 7, 64, 65, 1000};
    static const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, ITEMS};
    (void)state;

    for (int t = 0; t < 8; t++) {
        for (int s = 0; s < 8; s++) {
            uint64_t out[ITEMS] = {0};
            assert_ok(run((sked_host){.threads = threads[t]}, sizes[s], out));
            check_once_each(out, sizes[s]);
        }
    }
}

static sked_status backwards(void *user, size_t n, sked_task_fn fn, void *arg)
{
    sked_status said = *(sked_status *)user;

    for (size_t i = n; said == SKED_OK && i-- > 0;) fn(arg, i);
    return said;
}

static void a_host_runs_the_items_itself(void **state)
{
    uint64_t out[ITEMS] = {0};
    sked_status said = SKED_OK;
    sked_host host = {.user = &said, .parallel = backwards};
    (void)state;

    assert_ok(run(host, ITEMS, out));
    check_once_each(out, ITEMS);
    out[0] = 0;
    assert_ok(run(host, 1, out));
    check_once_each(out, ITEMS);
}

static void a_refusal_of_the_host_stops_the_call(void **state)
{
    uint64_t out[ITEMS] = {0};
    sked_status said = SKED_ERR_NOMEM;
    sked_host host = {.user = &said, .parallel = backwards};
    (void)state;

    assert_status(SKED_ERR_CANCELLED, run(host, 9, out));
    said = -1500;
    assert_int_equal(run(host, 9, out), -1500);
    check_once_each(out, 0);
}

#if defined(__GLIBC__) && SIZE_MAX > UINT32_MAX

/* Makes every new thread ask for a stack of that size. */
static void ask_for_stacks(size_t size)
{
    pthread_attr_t attr;

    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, size), 0);
    assert_int_equal(pthread_setattr_default_np(&attr), 0);
    assert_int_equal(pthread_attr_destroy(&attr), 0);
}

static void threads_that_cannot_be_had_are_done_without(void **state)
{
    uint64_t out[ITEMS] = {0};
    pthread_attr_t usual;
    size_t size;
    (void)state;

    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    assert_int_equal(pthread_attr_getstacksize(&usual, &size), 0);
    ask_for_stacks(SIZE_MAX / 65536 * 57344); /* no machine has it */
    assert_ok(run((sked_host){.threads = 4}, ITEMS, out));
    ask_for_stacks(size);
    assert_int_equal(pthread_attr_destroy(&usual), 0);
    check_once_each(out, ITEMS);
}

#else

static void threads_that_cannot_be_had_are_done_without(void **state)
{
    (void)state;
    skip(); /* nothing here makes pthread_create fail on demand */
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_on_any_number_of_threads),
        cmocka_unit_test(a_host_runs_the_items_itself),
        cmocka_unit_test(a_refusal_of_the_host_stops_the_call),
        cmocka_unit_test(threads_that_cannot_be_had_are_done_without),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
