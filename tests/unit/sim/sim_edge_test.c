/* Runs at the edge: of sizes, of sums, of shapes, and with columns left out. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "sim_fixture.h"

/* ---- Columns ---- */

static void columns_left_out_mean_what_is_said(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    sim_world_job(w, 0, 1, 1);
    w->jobs.tasks = NULL;
    w->jobs.user = NULL;
    w->jobs.priority = NULL;
    w->jobs.partition = NULL;
    w->jobs.stream = NULL;
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.tasks, 1);
    assert_i64((int64_t)r.tasks_finished, 1);
    sim_story_drop(&s);
}

static void every_column_that_must_be_is_asked_for(void **state)
{
    sim_world *w = *state;

    sim_world_job(w, 0, 1, 1);
    const sked_sim_jobs good = w->jobs;
    w->jobs.submit = NULL;
    assert_status(SKED_ERR_ARG, sim_make(w, NULL, 0));
    w->jobs = good;
    w->jobs.amounts = NULL;
    assert_status(SKED_ERR_ARG, sim_make(w, NULL, 0));
    w->jobs = good;
    w->jobs.queue = NULL;
    assert_status(SKED_ERR_ARG, sim_make(w, NULL, 0));
    w->jobs = good;
    w->amounts[0] = SKED_AMOUNT_MAX;
    w->tasks[0] = 2; /* 2^63 overflows, 2^62 and more is none either */
    assert_status(SKED_ERR_RANGE, sim_make(w, NULL, 0));
    w->amounts[0] = SKED_AMOUNT_MAX / 2 + 1;
    assert_status(SKED_ERR_RANGE, sim_make(w, NULL, 0));
    w->amounts[0] = SKED_AMOUNT_MAX / 2;
    assert_ok(sim_make(w, NULL, 0));
}

/* One stream, one draw: its jobs are copied together, or none is. */
static void copies_are_drawn_by_stream(void **state)
{
    sim_world *w = *state;
    uint64_t stream[32];

    for (uint32_t i = 0; i < 32; i++) stream[sim_world_job(w, 0, 1, 1)] = 7;
    w->jobs.stream = stream;
    w->opts.multiplier_ppm = 1500000;
    sked_sim_result r = sim_run(w, NULL);
    assert_true(r.jobs == 32 || r.jobs == 64);
}

/* Copies name the job that they are copies of; rows go by submission. */
static void replayed_jobs_are_those_given(void **state)
{
    sim_world *w = *state;
    uint32_t given[6];
    size_t n;

    sim_world_job(w, 5, 1, 1);
    sim_world_job(w, 3, 1, 1);
    w->opts.multiplier_ppm = 3 * SKED_PPM;
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_STATE, sked_sim_rows(w->sim, given, 6, &n, NULL));
    sim_run(w, NULL);
    assert_status(SKED_ERR_ARG, sked_sim_rows(NULL, given, 6, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_rows(w->sim, NULL, 6, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_rows(w->sim, given, 6, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_sim_rows(w->sim, given, 5, &n, NULL));
    assert_int_equal(n, 6);
    assert_ok(sked_sim_rows(w->sim, given, 6, &n, NULL));
    for (size_t i = 0; i < 6; i++) assert_int_equal(given[i], i < 3);
}

static void the_engines_own_seed_stands(void **state)
{
    sim_world *w = *state;
    uint64_t digest[2];

    for (uint32_t i = 0; i < 30; i++) {
        w->queue[sim_world_job(w, 0, 3, 4)] = w->leaf[i % SIM_WORLD_LEAVES];
    }
    assert_ok(sked_tree_set(w->tree, sked_tree_root(w->tree), SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_RANDOM, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    for (int i = 0; i < 2; i++) {
        w->opts.seed = (uint64_t)i; /* with 0 the engine's would be 0 too */
        w->opts.engine = &(sked_engine_options){
            .struct_size = sizeof(sked_engine_options), .seed = 5};
        digest[i] = sim_run(w, NULL).digest;
        sked_sim_free(w->sim);
        w->sim = NULL;
    }
    assert_true(digest[0] == digest[1]);
    w->opts.engine = &(sked_engine_options){
        .struct_size = sizeof(sked_engine_options), .seed = 0};
    assert_true(sim_run(w, NULL).digest != digest[0]);
}

static void results_fit_callers_of_another_age(void **state)
{
    sim_world *w = *state;
    struct {
        sked_sim_result result;
        uint64_t beyond;
    } r = {.result = {.struct_size = sizeof r}, .beyond = 77};
    int64_t usage[4];
    size_t n;

    w->opts.sample_every_ns = SIM_SECOND;
    sim_world_job(w, 0, 1, 2);
    sim_run(w, NULL);
    assert_ok(sked_sim_get_result(w->sim, &r.result, NULL));
    assert_i64(r.result.struct_size, sizeof r.result);
    assert_true(r.beyond == 77);
    assert_status(SKED_ERR_RANGE, sked_sim_samples(w->sim, w->leaf[0], 0, NULL,
                                                   usage, 0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_sim_samples(w->sim, w->leaf[0], 0, usage,
                                                   NULL, 0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_sim_samples(w->sim, w->leaf[0], 0, NULL,
                                                   NULL, 0, &n, NULL));
    assert_true(n > 0);
}

/* ---- Sizes ---- */

static void too_many_are_refused(void **state)
{
    enum { MANY = 2200000 };
    sim_world *w = *state;
    sked_sim_failure one = {1, 0, 0, 0};
    int64_t *ones = malloc(MANY * SIM_WORLD_KINDS * sizeof *ones);
    sked_queue_id *queue = malloc(MANY * sizeof *queue);

    assert_non_null(ones);
    assert_non_null(queue);
    for (size_t i = 0; i < (size_t)MANY * SIM_WORLD_KINDS; i++) ones[i] = 1;
    for (size_t i = 0; i < MANY; i++) queue[i] = w->leaf[0];
    w->jobs = (sked_sim_jobs){.struct_size = sizeof w->jobs,
                              .n = MANY,
                              .submit = ones,
                              .run_ns = ones,
                              .amounts = ones,
                              .queue = queue};
    w->opts.multiplier_ppm = 1000 * SKED_PPM;
    assert_status(SKED_ERR_RANGE, sim_make(w, NULL, 0));
    assert_string_equal(w->err.message, "too many jobs");
    free(queue);
    free(ones);
    w->jobs.n = 0;
    assert_status(SKED_ERR_RANGE, sim_make(w, &one, INT32_MAX));
    assert_string_equal(w->err.message, "too many failures");
}

static void capacities_add_up_to_an_amount(void **state)
{
    sim_world *w = *state;

    w->node[0] = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE, sim_make(w, NULL, 0));
    w->node[0] = SKED_AMOUNT_MAX / 2 + 1;
    w->nodes.count = 2;
    assert_status(SKED_ERR_RANGE, sim_make(w, NULL, 0));
    w->node[0] = SKED_AMOUNT_MAX / 2;
    assert_ok(sim_make(w, NULL, 0));
}

/* ---- Sums ---- */

static void fails_with_range(sim_world *w)
{
    sked_sim_result r = {.struct_size = sizeof r};

    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_RANGE, sked_sim_run(w->sim, NULL, NULL, &w->err));
    assert_i64(w->err.code, SKED_ERR_RANGE);
    assert_ok(sked_sim_get_result(w->sim, &r, NULL)); /* what happened so far */
    sked_sim_free(w->sim);
    w->sim = NULL;
}

/* What a queue wants at once must be an amount where shares are compared. */
static void demand_beyond_amounts_ends_the_run(void **state)
{
    sim_world *w = *state;

    w->node[1] = SKED_AMOUNT_MAX;
    for (int i = 0; i < 3; i++) {
        uint32_t job = sim_world_job(w, 0, 1, 5);
        w->amounts[job * SIM_WORLD_KINDS + 1] = SKED_AMOUNT_MAX / 3 * 2;
    }
    w->submit[1] = w->submit[2] = 2 * SIM_SECOND; /* 2^62 is passed here */
    fails_with_range(w);
    w->submit[1] = w->submit[2] = 0; /* 2^63, before the ledger hears of it */
    w->tasks[1] = w->tasks[2] = 1;
    w->amounts[3] = w->amounts[5] = SKED_AMOUNT_MAX;
    fails_with_range(w);
    w->opts.flags = SKED_SIM_FLAG_NO_SHARES;
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.jobs_finished, 3);
}

/* A host that is slower than time is long stays busy to its end. */
static void costs_end_where_time_does(void **state)
{
    sim_world *w = *state;

    w->opts.cost_event_ns = SKED_AMOUNT_MAX / 4;
    w->opts.cost_task_ns = SKED_AMOUNT_MAX / 4;
    sim_world_job(w, 0, 10, 5);
    sim_world_job(w, 100, 1, 5);
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_RANGE, sked_sim_run(w->sim, NULL, NULL, &w->err));
}

/* ---- Queues ---- */

static void a_limit_below_one_task_rejects(void **state)
{
    static const int64_t limit[] = {2, SKED_UNLIMITED};
    sim_world *w = *state;
    sim_story s = {0};

    assert_ok(
        sked_tree_set_vec(w->tree, w->leaf[1], SKED_QUEUE_LIMIT, limit, NULL));
    assert_ok(
        sked_tree_set(w->tree, w->leaf[2], SKED_QUEUE_LIMIT_PPM, 100000, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t job = sim_world_job(w, 0, 1, 1);
        w->queue[job] = w->leaf[i];
        w->amounts[job * SIM_WORLD_KINDS] = 3;
    }
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.rejected, 2);
    for (size_t i = 0, seen = 0; i < s.n; i++) {
        if (s.record[i].decision.kind != SKED_DECISION_REJECT) continue;
        assert_i64(s.record[i].decision.reason, SKED_REASON_NEVER_LIMIT);
        assert_i64((int64_t)s.record[i].job, (int64_t)++seen);
    }
    sim_story_drop(&s);
}

/* Leaves on two levels: delays of the deep ones count on every level. */
static void delays_count_on_every_level(void **state)
{
    sim_world *w = *state;
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_queue_id deep;

    assert_ok(sked_tree_add(w->tree, w->leaf[1], "deep", &deep, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    sim_world_job(w, 0, 10, 5);
    w->queue[sim_world_job(w, 1, 10, 5)] = deep;
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.delay.n, 2);
    assert_i64(r.delay.max, 4 * SIM_SECOND);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, NULL, NULL));
    assert_i64((int64_t)q.delay.n, 1);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[1], &q, NULL, NULL, NULL));
    assert_i64((int64_t)q.delay.n, 1);
    assert_ok(sked_sim_get_queue(w->sim, deep, &q, NULL, NULL, NULL));
    assert_i64((int64_t)q.delay.n, 1);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[2], &q, NULL, NULL, NULL));
    assert_i64((int64_t)q.delay.n, 0);
    assert_i64(q.delay.p50, -1);
}

/* Nodes have racks, which events of nodes that come back name again. */
static void racks_are_told(void **state)
{
    sim_world *w = *state;
    sked_sim_failure failure = {2 * SIM_SECOND, 3 * SIM_SECOND, 1, 0};

    w->nodes.count = 4;
    w->nodes.racks = 2;
    sim_world_job(w, 0, 40, 5);
    assert_ok(sim_make(w, &failure, 1));
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.tasks_finished, 40);
    assert_i64(r.end, 8250000000); /* the second of four phases */
}

/* Three nodes of 10 in one partition, one in another. */
static void a_gang_takes_as_many_nodes_as_it_needs(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    const sked_sim_nodes nodes[2] = {
        {.count = 3, .amounts = w->node},
        {.count = 1, .partition = 1, .amounts = w->node}};
    const sked_sim_input in = {.struct_size = sizeof in,
                               .tree = w->tree,
                               .jobs = &w->jobs,
                               .nodes = nodes,
                               .n_nodes = 2};

    w->opts.flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
    w->opts.per_node = 9;
    w->opts.heartbeat_ns = 0;
    sim_world_job(w, 0, 27, 5);
    sim_world_job(w, 0, 5, 5);  /* 3 are left free: it waits */
    sim_world_job(w, 0, 28, 5); /* no partition ever has enough */
    w->partition[sim_world_job(w, 1, 9, 5)] = 1;
    w->partition[sim_world_job(w, 1, 10, 5)] = SKED_ANY_PARTITION;
    assert_ok(sked_sim_new(&in, &w->opts, NULL, &w->sim, NULL));
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.rejected, 1);
    assert_i64((int64_t)r.jobs_finished, 4);
    assert_i64(r.delay.max, 5 * SIM_SECOND);
    int started = 0;
    for (size_t i = 0; i < s.n; i++) {
        const sked_decision *d = &s.record[i].decision;
        if (d->kind != SKED_DECISION_ALLOCATE || d->job != 1) continue;
        assert_i64(d->count, 9);
        assert_i64((int64_t)d->node, ++started);
        assert_i64(d->reason, SKED_REASON_GANG);
        assert_i64(d->time, 0);
    }
    assert_int_equal(started, 3);
    sim_story_drop(&s);
}

/* ---- Many runs ---- */

static sked_status no_threads(void *user, size_t n, sked_task_fn fn, void *arg)
{
    (void)user;
    (void)n;
    (void)fn;
    (void)arg;
    return -1234;
}

static void what_stopped_many_runs_is_told(void **state)
{
    sim_world *w = *state;
    const sked_host host = {.struct_size = sizeof host, .parallel = no_threads};
    sked_status said[2];
    sked_error err = {0};

    sim_world_job(w, 0, 1, 1);
    assert_ok(sim_make(w, NULL, 0));
    sked_sim *sims[2] = {w->sim, w->sim}; /* of which none is run */
    assert_i64(sked_sim_run_all(sims, 2, &host, said, &err), -1234);
    assert_i64(err.code, -1234);
    assert_string_equal(err.message, "stopped by the host");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
        IN_WORLD(columns_left_out_mean_what_is_said),
        IN_WORLD(every_column_that_must_be_is_asked_for),
        IN_WORLD(copies_are_drawn_by_stream),
        IN_WORLD(replayed_jobs_are_those_given),
        IN_WORLD(the_engines_own_seed_stands),
        IN_WORLD(results_fit_callers_of_another_age),
        IN_WORLD(too_many_are_refused),
        IN_WORLD(capacities_add_up_to_an_amount),
        IN_WORLD(demand_beyond_amounts_ends_the_run),
        IN_WORLD(costs_end_where_time_does),
        IN_WORLD(a_limit_below_one_task_rejects),
        IN_WORLD(delays_count_on_every_level),
        IN_WORLD(racks_are_told),
        IN_WORLD(a_gang_takes_as_many_nodes_as_it_needs),
        IN_WORLD(what_stopped_many_runs_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
