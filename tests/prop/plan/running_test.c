/* Applications that run at once against every instant looked at. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "ref_running.h"
#include "size.h"
#include "words.h"

enum { APPS = 24, QUEUES = 3 };

typedef struct running_world {
    sked_plan_running_input in;
    uint32_t queue[APPS];
    sked_time start[APPS];
    sked_time end[APPS];
} running_world;

static void some_apps(running_world *s, test_words *w)
{
    *s = (running_world){
        .in = {.struct_size = sizeof s->in,
               .queues = 1 + (uint32_t)test_below(w, QUEUES),
               .n = (uint32_t)test_below(w, APPS + 1),
               .from = 1 + (sked_time)test_below(w, 30),
               .part_ppm = (int64_t)test_below(w, 1000001),
               .head_room_ppm = (int64_t)test_below(w, 3000000)}};
    s->in.to = s->in.from + 1 + (sked_time)test_below(w, 40);
    if (test_below(w, 3) == 0) s->in.part_ppm = s->in.head_room_ppm = 0;
    for (uint32_t i = 0; i < s->in.n; i++) {
        s->queue[i] = (uint32_t)test_below(w, s->in.queues + 1);
        if (s->queue[i] == s->in.queues) s->queue[i] = SKED_PLAN_NO_LEAF;
        s->start[i] = (sked_time)test_below(w, 80) - 5;
        s->end[i] = s->start[i] + (sked_time)test_below(w, 20);
    }
    s->in.queue = test_below(w, 5) ? s->queue : NULL;
    s->in.start = s->start;
    s->in.end = s->end;
}

/* [MON-5] */
static void numbers_are_those_of_every_instant(void **state)
{
    test_words w = {60};
    running_world s;
    (void)state;

    for (size_t i = 0; i < test_size(1000, 20000); i++) {
        int64_t max_running[QUEUES];
        some_apps(&s, &w);
        assert_ok(sked_plan_running(&s.in, NULL, max_running, NULL));
        for (uint32_t q = 0; q < s.in.queues; q++) {
            assert_i64(max_running[q], ref_running(&s.in, q));
        }
    }
}

/* Without a window all of time counts. */
static void no_window_is_all_of_time(void **state)
{
    test_words w = {61};
    running_world s;
    (void)state;

    for (size_t i = 0; i < 300; i++) {
        int64_t wide[QUEUES], all[QUEUES];
        some_apps(&s, &w);
        s.in.from = -100;
        s.in.to = 500;
        assert_ok(sked_plan_running(&s.in, NULL, wide, NULL));
        s.in.from = s.in.to = 0;
        assert_ok(sked_plan_running(&s.in, NULL, all, NULL));
        assert_memory_equal(wide, all, s.in.queues * sizeof *all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_every_instant),
        cmocka_unit_test(no_window_is_all_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
