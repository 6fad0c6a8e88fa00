/* What is over by itself while nothing else happens: a second of a start rate. */
#include "test.h"

#include <sched/engine_place.h>

#include "sim_fixture.h"

/* One task may start in a second in the first leaf. */
static void one_a_second(sim_world *w)
{
    assert_ok(
        sked_tree_set(w->tree, w->leaf[0], SKED_QUEUE_START_RATE, 1, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
}

/* The end of the last task of a run, in seconds, and how many have ended. */
static int64_t last_end(sim_world *w, int64_t *tasks)
{
    sked_sim_result r = sim_run(w, NULL);

    sim_again(w);
    *tasks = (int64_t)r.tasks_finished;
    return r.end / SIM_SECOND;
}

static void a_start_rate_lets_tasks_start_while_others_run(void **state)
{
    sim_world *w = *state;
    int64_t tasks;

    one_a_second(w);
    sim_world_job(w, 0, 3, 100); /* they start at 0, 1 and 2 */
    assert_i64(last_end(w, &tasks), 102);
    w->opts.heartbeat_ns = 0;
    assert_i64(last_end(w, &tasks), 102);
    w->opts.place = SKED_ENGINE_PLACE_MODE_FIRST;
    assert_i64(last_end(w, &tasks), 102);
    assert_i64(tasks, 3);
}

static void a_start_rate_lets_tasks_start_where_nothing_runs(void **state)
{
    sim_world *w = *state;
    int64_t tasks;

    one_a_second(w);
    w->opts.heartbeat_ns = 0;
    w->run[sim_world_job(w, 0, 1, 1)] = SIM_SECOND / 10;
    sim_world_job(w, 0, 1, 1);
    assert_i64(last_end(w, &tasks), 2);
    assert_i64(tasks, 2);
    w->opts.heartbeat_ns = SIM_SECOND / 4;
    assert_i64(last_end(w, &tasks), 2);
    assert_i64(tasks, 2);
}

static void a_second_that_is_over_is_no_end_of_a_run(void **state)
{
    sim_world *w = *state;
    int64_t tasks;

    one_a_second(w);
    w->opts.until_ns = 2 * SIM_SECOND + 1;
    sim_world_job(w, 0, 9, 2);
    assert_i64(last_end(w, &tasks), 2);
    assert_i64(tasks, 1);
}

int main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_start_rate_lets_tasks_start_while_others_run),
        IN_WORLD(a_start_rate_lets_tasks_start_where_nothing_runs),
        IN_WORLD(a_second_that_is_over_is_no_end_of_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
