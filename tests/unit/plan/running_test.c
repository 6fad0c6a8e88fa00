/* What a number of applications at once is made of, and what is refused. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"

enum { APPS = 4, QUEUES = 2 };

typedef struct running_fixture {
    test_host host;
    uint32_t queue[APPS];
    sked_time start[APPS];
    sked_time end[APPS];
    int64_t most[QUEUES];
    sked_plan_running_input in;
    sked_error err;
} running_fixture;

/* Queue 0: one for 8 of 10, two for 2 of 10; queue 1: never any. */
static int setup(void **state)
{
    static running_fixture f;

    f = (running_fixture){.queue = {0, 0, SKED_PLAN_NO_LEAF, SKED_PLAN_NO_LEAF},
                          .start = {0, 4, 0, 0},
                          .end = {10, 6, 9, 9},
                          .most = {77, 77}};
    f.in = (sked_plan_running_input){.struct_size = sizeof f.in,
                                     .queues = QUEUES,
                                     .n = APPS,
                                     .queue = f.queue,
                                     .start = f.start,
                                     .end = f.end};
    *state = &f;
    return 0;
}

static sked_status running(running_fixture *f)
{
    const sked_host hooks = test_host_hooks(&f->host);

    return sked_plan_running(&f->in, &hooks, f->most, &f->err);
}

static void must_refuse(running_fixture *f, sked_status why, int64_t row)
{
    assert_status(why, running(f));
    assert_status(why, f->err.code);
    assert_i64(f->err.row, row);
    assert_i64(f->most[0], 77);
    assert_i64((int64_t)f->host.live, 0);
}

/* [MON-5] The peak with a quarter of head room, and at least one. */
static void the_peak_has_head_room(void **state)
{
    running_fixture *f = *state;

    assert_ok(running(f));
    assert_i64(f->most[0], 3); /* 2.5 */
    assert_i64(f->most[1], 1);
    f->in.part_ppm = 800000;
    assert_ok(running(f));
    assert_i64(f->most[0], 2); /* 1.25 */
    f->in.part_ppm = 800001;
    f->in.head_room_ppm = 1000000000;
    assert_ok(running(f));
    assert_i64(f->most[0], 2000);
    f->in.head_room_ppm = 1;
    assert_ok(running(f));
    assert_i64(f->most[0], 1);
}

static void bad_applications_are_named(void **state)
{
    running_fixture *f = *state;

    f->queue[2] = QUEUES;
    must_refuse(f, SKED_ERR_NOT_FOUND, 2);
    f->queue[2] = 0;
    f->end[3] = -1;
    must_refuse(f, SKED_ERR_RANGE, 3);
}

static void bad_settings_are_refused(void **state)
{
    running_fixture *f = *state;
    const sked_plan_running_input good = f->in;
    sked_host old = {.struct_size = 1};

    f->in.flags = 1;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.struct_size = 1;
    must_refuse(f, SKED_ERR_VERSION, -1);
    f->in = good, f->in.n = UINT32_MAX;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.queues = SKED_MAX_QUEUES;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.start = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.part_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.head_room_ppm = 1000000001;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.end = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.part_ppm = SKED_PPM + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.head_room_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.from = 2, f->in.to = 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good;
    assert_status(SKED_ERR_VERSION,
                  sked_plan_running(&f->in, &old, f->most, NULL));
    assert_status(SKED_ERR_ARG, sked_plan_running(NULL, NULL, f->most, NULL));
    assert_status(SKED_ERR_ARG, sked_plan_running(&f->in, NULL, NULL, NULL));
}

static void nothing_at_all_is_no_fault(void **state)
{
    running_fixture *f = *state;

    f->in.n = 0;
    assert_ok(running(f));
    assert_i64(f->most[0], 1);
    f->in.queues = 0;
    assert_ok(running(f));
}

static sked_status once(test_host *h, void *arg)
{
    running_fixture *f = arg;
    const sked_host hooks = test_host_hooks(h);

    return sked_plan_running(&f->in, &hooks, f->most, NULL);
}

static void every_allocation_may_fail(void **state)
{
    test_sweep(once, *state, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        TEST(the_peak_has_head_room),    TEST(bad_applications_are_named),
        TEST(bad_settings_are_refused),  TEST(nothing_at_all_is_no_fault),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
