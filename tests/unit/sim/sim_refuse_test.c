/* Runs of the simulator: stopped, many at once, refused, short of memory. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "sim_fixture.h"

/* ---- Stopping ---- */

static void a_run_that_is_stopped_keeps_what_happened(void **state)
{
    sim_world *w = *state;
    sim_story s = {0}, part = {.stop_at = 1};
    sked_sim_result all, some = {.struct_size = sizeof some};

    for (int i = 0; i < 60; i++) sim_world_job(w, i, 500, 5);
    all = sim_run(w, &s);
    assert_true(s.n > 4096); /* the watcher saw more than one piece */
    sim_again(w);
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_STOPPED,
                  sked_sim_run(w->sim, sim_story_watch, &part, &w->err));
    assert_true(part.n < s.n);
    assert_memory_equal(part.record, s.record, part.n * sizeof *s.record);
    assert_ok(sked_sim_get_result(w->sim, &some, NULL));
    assert_i64((int64_t)some.decisions, (int64_t)part.n);
    assert_true(some.digest != all.digest);
    sim_story_drop(&part);
    sim_story_drop(&s);
}

static sked_status fail_watch(void *user, const sked_sim_record *record,
                              size_t n)
{
    (void)record;
    (void)n;
    return *(sked_status *)user;
}

static void what_the_watcher_says_at_the_end_counts(void **state)
{
    sim_world *w = *state;
    sked_status said = -1500; /* a code of the host's own */

    sim_world_job(w, 0, 1, 5);
    assert_ok(sim_make(w, NULL, 0));
    assert_i64(sked_sim_run(w->sim, fail_watch, &said, NULL), -1500);
    sim_again(w);
    assert_ok(sim_make(w, NULL, 0));
    said = SKED_ERR_CANCELLED;
    assert_status(SKED_STOPPED, sked_sim_run(w->sim, fail_watch, &said, NULL));
}

static void progress_can_stop_a_run(void **state)
{
    sim_world *w = *state;
    sked_sim_result r = {.struct_size = sizeof r};

    for (int i = 0; i < 60; i++) sim_world_job(w, i, 1000, 5);
    assert_ok(sim_make(w, NULL, 0));
    w->host.stop_at = w->host.checks + 3;
    w->host.stop_with = SKED_STOPPED;
    assert_status(SKED_STOPPED, sked_sim_run(w->sim, NULL, NULL, &w->err));
    assert_ok(sked_sim_get_result(w->sim, &r, NULL));
    assert_true(r.tasks_finished < 60000 && r.tasks_finished > 0);
}

/* ---- Many runs ---- */

static void answers_do_not_depend_on_threads(void **state)
{
    sim_world *w = *state;
    uint64_t digest[2][6];

    for (int i = 0; i < 40; i++) {
        w->queue[sim_world_job(w, i / 4, 1 + i % 7, 3)] = w->leaf[i % 4];
    }
    for (uint32_t threads = 1; threads <= 2; threads++) {
        sked_host host = {.struct_size = sizeof host};
        sked_sim *sims[6];
        sked_status said[6];
        host.threads = threads;
        for (int i = 0; i < 6; i++) {
            w->opts.multiplier_ppm = 1000000 + i * 200000;
            assert_ok(sked_sim_new(
                &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                  .tree = w->tree,
                                  .jobs = &w->jobs,
                                  .nodes = &w->nodes,
                                  .n_nodes = 1},
                &w->opts, NULL, &sims[i], NULL));
        }
        assert_ok(sked_sim_run_all(sims, 6, &host, said, NULL));
        for (int i = 0; i < 6; i++) {
            sked_sim_result r = {.struct_size = sizeof r};
            assert_ok(said[i]);
            assert_ok(sked_sim_get_result(sims[i], &r, NULL));
            digest[threads - 1][i] = r.digest;
            sked_sim_free(sims[i]);
        }
    }
    assert_memory_equal(digest[0], digest[1], sizeof digest[0]);
    assert_true(digest[0][0] != digest[0][5]);
}

/* ---- Refusals ---- */

static void assert_refused(sim_world *w, sked_status want, int64_t row)
{
    assert_status(want, sim_make(w, NULL, 0));
    assert_null(w->sim);
    assert_i64(w->err.code, want);
    assert_i64(w->err.row, row);
}

static void options_are_checked(void **state)
{
    sim_world *w = *state;
    const sked_sim_options good = w->opts;
    int64_t *spans[] = {&w->opts.heartbeat_ns,    &w->opts.until_ns,
                        &w->opts.sample_every_ns, &w->opts.cost_event_ns,
                        &w->opts.cost_task_ns,    &w->opts.cost_look_ns,
                        &w->opts.multiplier_ppm};

    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        *spans[i] = -1;
        assert_refused(w, SKED_ERR_RANGE, -1);
        *spans[i] = SKED_AMOUNT_MAX;
        assert_refused(w, SKED_ERR_RANGE, -1);
        w->opts = good;
    }
    w->opts.per_node = 1; /* of no gang over nodes */
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts.flags = SKED_SIM_FLAG_SPREAD; /* of no gang */
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts.flags |= SKED_SIM_FLAG_GANG;
    w->opts.flags |= SKED_SIM_FLAG_EXACT; /* of how many? */
    w->opts.per_node = 0;
    assert_refused(w, SKED_ERR_ARG, -1);
    (void)sim_world_job(w, 0, 3, 1); /* no multiple */
    w->opts.per_node = 7;
    assert_refused(w, SKED_ERR_ARG, 0);
    w->opts.flags &= ~(uint32_t)SKED_SIM_FLAG_EXACT;
    w->opts.per_node = (uint32_t)INT32_MAX + 1;
    assert_refused(w, SKED_ERR_RANGE, -1);
    w->opts = good;
    w->opts.place = 1; /* beside heartbeats */
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts.heartbeat_ns = 0;
    w->opts.place = 5; /* by score */
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts = good;
    w->opts.reserved = 1;
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts = good;
    w->opts.engine = &(sked_engine_options){
        .struct_size = sizeof(sked_engine_options), .pooled = 1};
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts = good;
    w->opts.flags = SKED_SIM_FLAG_EXACT;
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts.flags = 16;
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts = good;
    w->opts.engine = &(sked_engine_options){
        .struct_size = sizeof(sked_engine_options), .confirm_within_ns = 1};
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts = good;
    w->opts.engine = &(sked_engine_options){
        .struct_size = sizeof(sked_engine_options), .flags = 1};
    assert_refused(w, SKED_ERR_ARG, -1);
    w->opts.struct_size = 3;
    assert_refused(w, SKED_ERR_VERSION, -1);
}

static void jobs_are_checked(void **state)
{
    sim_world *w = *state;

    sim_world_job(w, 0, 1, 1);
    uint32_t i = sim_world_job(w, 0, 1, 1);
    w->submit[i] = -1;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->submit[i] = SKED_AMOUNT_MAX;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->submit[i] = 0;
    w->run[i] = 0;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->run[i] = SKED_AMOUNT_MAX;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->run[i] = 1;
    w->tasks[i] = 0;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->tasks[i] = INT64_C(1) << 31;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->tasks[i] = 2;
    w->amounts[3] = SKED_AMOUNT_MAX;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->amounts[3] = -1;
    assert_refused(w, SKED_ERR_RANGE, 1);
    assert_i64(w->err.kind, 1);
    w->amounts[3] = 0;
    w->queue[i] = 77777;
    assert_refused(w, SKED_ERR_STALE, 1);
    w->queue[i] = sked_tree_root(w->tree);
    assert_refused(w, SKED_ERR_STALE, 1); /* not a leaf */
    w->queue[i] = w->leaf[0];
    w->user[i] = UINT64_MAX;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->user[i] = 1;
    w->partition[i] = SKED_MAX_PARTITIONS;
    assert_refused(w, SKED_ERR_RANGE, 1);
    w->jobs.run_ns = NULL;
    assert_refused(w, SKED_ERR_ARG, -1);
    w->jobs.struct_size = 1;
    assert_refused(w, SKED_ERR_VERSION, -1);
}

static void nodes_are_checked(void **state)
{
    sim_world *w = *state;

    w->node[1] = -1;
    assert_refused(w, SKED_ERR_RANGE, 0);
    w->node[1] = SKED_AMOUNT_MAX;
    w->nodes.count = 2;
    assert_refused(w, SKED_ERR_RANGE, 0);
    w->node[1] = 1;
    w->nodes.count = UINT32_MAX;
    assert_refused(w, SKED_ERR_RANGE, 0);
    w->nodes.count = 1;
    w->nodes.partition = SKED_MAX_PARTITIONS;
    assert_refused(w, SKED_ERR_RANGE, 0);
    w->nodes.partition = 0;
    w->nodes.reserved = 1;
    assert_refused(w, SKED_ERR_ARG, 0);
    w->nodes.reserved = 0;
    w->nodes.amounts = NULL;
    assert_refused(w, SKED_ERR_ARG, 0);
}

static void failures_are_checked(void **state)
{
    static const sked_sim_failure bad[] = {
        {1, 0, 1, 0},
        {1, 0, 0, 1},
        {-1, 0, 0, 0},
        {5, 5, 0, 0},
        {1, -1, 0, 0},
        {SKED_AMOUNT_MAX, 0, 0, 0},
        {1, SKED_AMOUNT_MAX, 0, 0},
    };
    sim_world *w = *state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(SKED_ERR_RANGE, sim_make(w, &bad[i], 1));
        assert_i64(w->err.row, 0);
    }
}

static void an_input_that_is_not_one_is_refused(void **state)
{
    sim_world *w = *state;
    sked_sim_input good = {
        .struct_size = sizeof good, .tree = w->tree, .jobs = &w->jobs};
    sked_sim_input in;

    in = good;
    in.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_sim_new(&in, NULL, NULL, &w->sim, &w->err));
    in = good;
    in.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_sim_new(&in, NULL, NULL, &w->sim, &w->err));
    assert_string_equal("input.reserved is not 0", w->err.message);
    sked_sim_nodes nodes = {.count = 1};
    in = good;
    in.nodes = &nodes;
    in.n_nodes = (uint64_t)1 << 32;
    assert_status(SKED_ERR_RANGE,
                  sked_sim_new(&in, NULL, NULL, &w->sim, &w->err));
    sked_sim_failure failure = {.node = 0};
    in = good;
    in.failures = &failure;
    in.n_failures = (uint64_t)1 << 32;
    assert_status(SKED_ERR_RANGE,
                  sked_sim_new(&in, NULL, NULL, &w->sim, &w->err));
    assert_null(w->sim);
}

static void null_is_refused(void **state)
{
    sim_world *w = *state;
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim_queue q = {.struct_size = sizeof q};
    int64_t x;
    size_t n;
    sked_status said;

    assert_status(
        SKED_ERR_ARG,
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .jobs = &w->jobs},
                     NULL, NULL, &w->sim, NULL));
    assert_status(
        SKED_ERR_ARG,
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w->tree},
                     NULL, NULL, &w->sim, NULL));
    assert_status(
        SKED_ERR_ARG,
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w->tree,
                                       .jobs = &w->jobs,
                                       .n_nodes = 1},
                     NULL, NULL, &w->sim, NULL));
    assert_status(
        SKED_ERR_ARG,
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w->tree,
                                       .jobs = &w->jobs,
                                       .n_failures = 1},
                     NULL, NULL, &w->sim, NULL));
    assert_status(
        SKED_ERR_ARG,
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w->tree,
                                       .jobs = &w->jobs},
                     NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_run(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_run_all(NULL, 1, NULL, &said, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_run_all(&w->sim, 1, NULL, NULL, NULL));
    sked_host host = {.struct_size = 2};
    assert_status(SKED_ERR_VERSION,
                  sked_sim_run_all(NULL, 0, &host, NULL, NULL));
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_ARG, sked_sim_get_result(NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_get_result(w->sim, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_sim_get_queue(NULL, 1, &q, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_sim_get_queue(w->sim, 1, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_sim_samples(NULL, 1, 0, NULL, NULL, 0, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_sim_samples(w->sim, 1, 0, NULL, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_delays(NULL, &x, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_delays(w->sim, &x, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_delays(w->sim, NULL, 1, &n, NULL));
    sked_sim_free(NULL);
}

static void results_come_after_the_run(void **state)
{
    sim_world *w = *state;
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim_queue q = {.struct_size = sizeof q};
    int64_t delay[2];
    size_t n;

    sim_world_job(w, 0, 1, 1);
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_STATE, sked_sim_get_result(w->sim, &r, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_sim_samples(w->sim, w->leaf[0], 0, NULL,
                                                   NULL, 0, &n, NULL));
    assert_status(SKED_ERR_STATE, sked_sim_delays(w->sim, delay, 2, &n, NULL));
    sim_run(w, NULL);
    assert_status(SKED_ERR_STATE, sked_sim_run(w->sim, NULL, NULL, &w->err));
    r.struct_size = 3;
    assert_status(SKED_ERR_VERSION, sked_sim_get_result(w->sim, &r, NULL));
    q.struct_size = 5000;
    assert_status(SKED_ERR_VERSION,
                  sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, NULL, NULL));
    q.struct_size = sizeof q;
    assert_status(SKED_ERR_STALE,
                  sked_sim_get_queue(w->sim, 999, &q, NULL, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_sim_delays(w->sim, delay, 0, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_ok(sked_sim_delays(w->sim, delay, 2, &n, NULL));
    assert_i64(delay[0], 0);
}

/* Node events come rarely: a room that was made waits no longer than it may. */
static void reservations_are_given_up_at_their_time(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .flags = SKED_TARGET_FLAG_BY_WEIGHT,
                                   .ignored_ppm = -1,
                                   .factor_ppm = 1000000,
                                   .per_round_ppm = -1};
    sked_round_options rounds = {.struct_size = sizeof rounds, .grace_ns = -1};
    sked_engine_preempt_options preempt = {.struct_size = sizeof preempt,
                                           .keep_for_ns = SIM_SECOND,
                                           .targets = &targets,
                                           .rounds = &rounds};
    sked_time made = -1, gone = -1;

    sim_world_job(w, 0, 20, 500);
    w->queue[sim_world_job(w, 1, 3, 5)] = w->leaf[1];
    w->opts.heartbeat_ns = 40 * SIM_SECOND;
    w->opts.round_every_ns = 7 * SIM_SECOND;
    w->opts.until_ns = 100 * SIM_SECOND;
    w->opts.preempt = &preempt;
    sim_run(w, &s);
    for (size_t i = 0; i < s.n; i++) {
        const sked_decision *d = &s.record[i].decision;
        if (d->kind == SKED_DECISION_RESERVE && made < 0) made = d->time;
        if (d->kind == SKED_DECISION_WITHDRAW && gone < 0) gone = d->time;
    }
    assert_true(made >= 0);
    assert_i64(gone, made + SIM_SECOND);
    sim_story_drop(&s);
}

/* ---- Memory ---- */

static sked_status life(test_host *h, void *arg)
{
    static sim_world w;
    sked_sim_failure failure = {3 * SIM_SECOND, 4 * SIM_SECOND, 0, 0};

    w = (sim_world){0};
    sked_host hooks = test_host_hooks(h);
    assert_ok(sim_world_try(&w)); /* of a host of its own */
    sim_world_job(&w, 0, 20, 5);
    w.queue[sim_world_job(&w, 1, 3, 5)] = w.leaf[1];
    w.opts.sample_every_ns = SIM_SECOND;
    w.opts.preempt = arg;
    w.opts.round_every_ns = SIM_SECOND;
    sked_status rc = sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = w.tree,
                          .jobs = &w.jobs,
                          .nodes = &w.nodes,
                          .n_nodes = 1,
                          .failures = &failure,
                          .n_failures = 1},
        &w.opts, &hooks, &w.sim, &w.err);
    if (rc != SKED_OK) assert_i64(w.err.code, rc);
    if (rc == SKED_OK) rc = sked_sim_run(w.sim, NULL, NULL, &w.err);
    sked_sim_result r = {.struct_size = sizeof r};
    if (rc == SKED_OK && arg) {
        assert_ok(sked_sim_get_result(w.sim, &r, NULL));
        assert_true(r.killed > 0);
    }
    sim_world_drop(&w);
    return rc == SKED_STOPPED ? SKED_ERR_CANCELLED : rc;
}

static void every_failure_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
}

static void preemption_that_fails_is_reported_too(void **state)
{
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .flags = SKED_TARGET_FLAG_BY_WEIGHT,
                                   .ignored_ppm = -1,
                                   .factor_ppm = 1000000,
                                   .per_round_ppm = -1};
    sked_round_options rounds = {.struct_size = sizeof rounds, .grace_ns = -1};
    sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .rounds = &rounds};

    (void)state;
    test_sweep(life, &preempt, 0);
}

int main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_run_that_is_stopped_keeps_what_happened),
        IN_WORLD(what_the_watcher_says_at_the_end_counts),
        IN_WORLD(progress_can_stop_a_run),
        IN_WORLD(answers_do_not_depend_on_threads),
        IN_WORLD(options_are_checked),
        IN_WORLD(jobs_are_checked),
        IN_WORLD(nodes_are_checked),
        IN_WORLD(failures_are_checked),
        IN_WORLD(an_input_that_is_not_one_is_refused),
        IN_WORLD(null_is_refused),
        IN_WORLD(results_come_after_the_run),
        IN_WORLD(reservations_are_given_up_at_their_time),
        cmocka_unit_test(every_failure_is_reported_and_leaves_nothing),
        cmocka_unit_test(preemption_that_fails_is_reported_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
