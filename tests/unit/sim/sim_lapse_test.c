/* What is over by itself while nothing else happens: a second of a start rate, the
 * time for which a gang over nodes forms, and what rounds of preemption wait for. */
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

/* On three nodes of ten: job 0 has one for long, the gang of job 1 needs all of
 * them, and what is free is reserved for it; job 2 would take one. */
static void with_a_gang_that_waits(sim_world *w, int64_t form_for)
{
    static sked_engine_options forms;

    forms = (sked_engine_options){.struct_size = sizeof forms,
                                  .form_nodes = 2,
                                  .form_for_ns = form_for * SIM_SECOND};
    w->opts.engine = &forms;
    w->opts.flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
    w->nodes.count = 3;
    w->amounts[2 * sim_world_job(w, 0, 1, 1000)] = 10;
    w->amounts[2 * sim_world_job(w, 1, 3, 10)] = 10;
    w->amounts[2 * sim_world_job(w, 2, 1, 10)] = 10;
}

/* How long job 2 waited, in seconds. */
static int64_t delay_of_third(sim_world *w)
{
    int64_t delays[SIM_WORLD_JOBS];
    size_t n;

    (void)sim_run(w, NULL);
    assert_ok(sked_sim_delays(w->sim, delays, SIM_WORLD_JOBS, &n, NULL));
    sim_again(w);
    return delays[2] / SIM_SECOND;
}

static void others_start_when_a_gang_has_formed_for_long(void **state)
{
    sim_world *w = *state;

    with_a_gang_that_waits(w, 20);
    w->opts.heartbeat_ns = 0;
    assert_i64(delay_of_third(w), 19); /* at 21, 20 after the gang came */
    w->opts.place = SKED_ENGINE_PLACE_MODE_FIRST;
    assert_i64(delay_of_third(w), 19);
    w->opts.place = 0;
    w->opts.heartbeat_ns = SIM_SECOND;
    assert_i64(delay_of_third(w), 19);
    w->opts.cost_look_ns = 1;
    assert_i64(delay_of_third(w), 19);
}

/* Of two nodes one fails for good, and a gang needs both: nothing else happens. */
static void a_gang_that_can_never_start_is_no_run_without_end(void **state)
{
    const sked_sim_failure failure = {3 * SIM_SECOND, 0, 1, 0};
    sim_world *w = *state;

    for (int64_t form_for = 0; form_for <= 20; form_for += 20) {
        w->jobs.n = 0;
        with_a_gang_that_waits(w, form_for);
        w->jobs.n = 2;
        w->tasks[0] = w->tasks[1] = 2;
        w->run[0] = 5 * SIM_SECOND; /* one of its tasks is lost */
        w->amounts[0] = 4;
        w->nodes.count = 2;
        w->opts.cost_look_ns = 1;
        assert_ok(sim_make(w, &failure, 1));
        w->host.stop_at = w->host.checks + 100; /* rather than for ever */
        w->host.stop_with = SKED_STOPPED;
        sked_sim_result r = sim_run(w, NULL);
        assert_i64((int64_t)r.tasks_finished, 2);
        w->host.stop_at = 0;
        sim_again(w);
    }
}

/* Node events come behind the round of their instant: what they start runs until the
 * next one, though it is surplus at once. */
static void a_round_comes_before_node_events(void **state)
{
    static const sked_round_options at_once = {.struct_size = sizeof at_once,
                                               .grace_ns = -1};
    static const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .rounds = &at_once};
    const int64_t guarantee[SIM_WORLD_KINDS] = {10, 100};
    int64_t delays[SIM_WORLD_JOBS];
    sim_world *w = *state;
    size_t n;

    assert_ok(sked_tree_set_vec(w->tree, w->leaf[1], SKED_QUEUE_GUARANTEE,
                                guarantee, NULL));
    assert_ok(sked_tree_set(w->tree, w->leaf[0], SKED_QUEUE_PRIORITY, 1, NULL));
    assert_ok(sked_tree_set(w->tree, sked_tree_root(w->tree), SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_PRIORITY, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    w->opts.preempt = &preempt;
    (void)sim_world_job(w, 0, 10, 1000);
    w->queue[sim_world_job(w, 0, 1, 10)] = w->leaf[1];
    w->amounts[2] = 10;
    for (int period = 0; period <= 1; period++) {
        w->opts.heartbeat_ns = period * SIM_SECOND;
        (void)sim_run(w, NULL);
        assert_ok(sked_sim_delays(w->sim, delays, SIM_WORLD_JOBS, &n, NULL));
        assert_i64(delays[1], 3 * SIM_SECOND);
        sim_again(w);
    }
}

/* What would have ended soon is killed, and nothing else is ahead: the next event of
 * the node is awaited all the same. */
static void a_kill_is_no_end_of_a_run(void **state)
{
    static const sked_round_options at_once = {.struct_size = sizeof at_once,
                                               .grace_ns = -1};
    static const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt,
        .flags = SKED_PREEMPT_FLAG_BY_PRIORITY,
        .keep_for_ns = 100 * SIM_SECOND,
        .rounds = &at_once};
    const int64_t limit[SIM_WORLD_KINDS] = {10, 100};
    sim_world *w = *state;
    int64_t tasks;

    assert_ok(
        sked_tree_set_vec(w->tree, w->leaf[0], SKED_QUEUE_LIMIT, limit, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    w->opts.preempt = &preempt;
    w->opts.heartbeat_ns = 10 * SIM_SECOND;
    w->opts.round_every_ns = 31 * SIM_SECOND;
    w->nodes.count = 2; /* the limit allows for one of them */
    w->amounts[2 * sim_world_job(w, 0, 1, 36)] = 10;
    w->priority[sim_world_job(w, 1, 1, 5)] = 1;
    w->amounts[2] = 10; /* at 40, and then the other one anew */
    (void)last_end(w, &tasks);
    assert_i64(tasks, 2);
}

/* The second leaf is below its fair share and below its guarantee. By the first it
 * may claim too little for its task, by the second, later, enough. */
static void a_queue_that_claims_may_claim_more_later(void **state)
{
    static const sked_target_options starving = {
        .struct_size = sizeof starving, .mode = SKED_TARGET_MODE_STARVATION};
    static const sked_round_options at_once = {.struct_size = sizeof at_once,
                                               .grace_ns = -1};
    static const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt,
        .targets = &starving,
        .rounds = &at_once};
    const int64_t guarantee[SIM_WORLD_KINDS] = {5, 50};
    int64_t delays[SIM_WORLD_JOBS];
    sim_world *w = *state;
    size_t n;

    assert_ok(sked_tree_set_vec(w->tree, w->leaf[1], SKED_QUEUE_GUARANTEE,
                                guarantee, NULL));
    assert_ok(sked_tree_set(w->tree, w->leaf[1],
                            SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, 5 * SIM_SECOND,
                            NULL));
    assert_ok(sked_tree_set(w->tree, w->leaf[1], SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                            30 * SIM_SECOND, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    w->opts.preempt = &preempt;
    w->amounts[2 * sim_world_job(w, 0, 5, 1000)] = 2;
    w->queue[sim_world_job(w, 1, 1, 10)] = w->leaf[1];
    w->amounts[2] = 4;
    (void)sim_run(w, NULL);
    assert_ok(sked_sim_delays(w->sim, delays, SIM_WORLD_JOBS, &n, NULL));
    assert_i64(delays[1], 32 * SIM_SECOND); /* the round at 3 began the clock */
}

int main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_start_rate_lets_tasks_start_while_others_run),
        IN_WORLD(a_start_rate_lets_tasks_start_where_nothing_runs),
        IN_WORLD(a_second_that_is_over_is_no_end_of_a_run),
        IN_WORLD(others_start_when_a_gang_has_formed_for_long),
        IN_WORLD(a_gang_that_can_never_start_is_no_run_without_end),
        IN_WORLD(a_round_comes_before_node_events),
        IN_WORLD(a_kill_is_no_end_of_a_run),
        IN_WORLD(a_queue_that_claims_may_claim_more_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
