/* Runs of the simulator by hand: what happens when, and what is measured. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "sim_fixture.h"

static void assert_record(const sim_story *s, size_t i, int32_t kind,
                          int64_t ms, uint64_t job, int64_t count)
{
    assert_true(i < s->n);
    const sked_decision *d = &s->record[i].decision;
    assert_i64(d->kind, kind);
    assert_i64(d->time, ms * 1000000);
    assert_i64((int64_t)d->job, (int64_t)job);
    assert_i64(d->count, count);
    assert_i64((int64_t)d->sequence, (int64_t)i + 1);
}

/* ---- What happens when ---- */

static void tasks_start_with_a_node_event_and_run_their_time(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    sim_world_job(w, 0, 12, 5); /* ten fit at once */
    w->submit[0] = 300;
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)s.n, 5);
    assert_i64(s.record[0].decision.kind, SKED_DECISION_ADMIT);
    assert_i64(s.record[1].decision.kind, SKED_DECISION_ALLOCATE);
    assert_i64(s.record[1].decision.count, 10);
    assert_i64(s.record[1].decision.time, 300);
    assert_i64(s.record[2].decision.kind, SKED_SIM_KIND_FINISH);
    assert_i64(s.record[2].decision.time, 300 + 5 * SIM_SECOND);
    assert_i64(s.record[3].decision.task, 10);
    assert_i64(s.record[3].decision.count, 2);
    assert_i64(r.end, 300 + 10 * SIM_SECOND);
    assert_i64((int64_t)r.jobs_finished, 1);
    assert_i64((int64_t)r.tasks_finished, 12);
    assert_i64((int64_t)r.delay.n, 1);
    assert_i64(r.delay.max, 0);
    sim_story_drop(&s);
}

static void a_period_of_nothing_answers_at_every_instant(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    w->opts.heartbeat_ns = 0;
    sim_world_job(w, 0, 10, 5);
    sim_world_job(w, 1, 1, 1);
    sked_sim_result r = sim_run(w, &s);
    assert_record(&s, 1, SKED_DECISION_ALLOCATE, 0, 1, 10);
    assert_record(&s, 4, SKED_DECISION_ALLOCATE, 5000, 2, 1);
    assert_i64((int64_t)r.heartbeats_skipped, 0);
    assert_i64(r.delay.max, 4 * SIM_SECOND);
    assert_i64(r.delay.p50, 0);
    assert_i64(r.delay.mean, 2 * SIM_SECOND);
    sim_story_drop(&s);
}

static void node_events_are_spread_over_the_period(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    w->nodes.count = 4;
    sim_world_job(w, 0, 40, 10);
    sim_run(w, &s);
    for (size_t i = 0; i < 4; i++) {
        assert_record(&s, i + 1, SKED_DECISION_ALLOCATE, (int64_t)i * 250, 1,
                      10);
        assert_i64((int64_t)s.record[i + 1].decision.node, (int64_t)i + 1);
    }
    sim_story_drop(&s);
}

static void a_gang_starts_whole_on_one_node_or_waits(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    w->opts.flags = SKED_SIM_FLAG_GANG;
    sim_world_job(w, 0, 6, 5);
    sim_world_job(w, 0, 7, 5);
    sim_world_job(w, 0, 11, 5); /* no node will ever hold it */
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.rejected, 1);
    assert_i64((int64_t)r.jobs_finished, 2);
    assert_i64(r.delay.max, 5 * SIM_SECOND);
    sim_story_drop(&s);
}

static void what_no_node_can_ever_hold_is_rejected(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    uint32_t i = sim_world_job(w, 0, 1, 5);

    w->partition[i] = 1;
    w->partition[sim_world_job(w, 1, 1, 5)] = 3000;
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.rejected, 2);
    assert_i64((int64_t)s.n, 2);
    assert_record(&s, 0, SKED_DECISION_REJECT, 0, 1, 0);
    assert_i64(s.record[0].decision.reason, SKED_REASON_NEVER_NODE);
    assert_i64((int64_t)r.delay.n, 0);
    assert_i64(r.delay.p95, -1);
    sim_story_drop(&s);

    sim_again(w);
    w->partition[0] = w->partition[1] = SKED_ANY_PARTITION;
    w->nodes.count = 0;
    assert_i64((int64_t)sim_run(w, NULL).rejected, 2);
}

static void any_partition_takes_the_first_node_event(void **state)
{
    sim_world *w = *state;

    w->nodes.partition = 5;
    w->partition[sim_world_job(w, 0, 1, 5)] = SKED_ANY_PARTITION;
    assert_i64((int64_t)sim_run(w, NULL).jobs_finished, 1);
}

static void nothing_to_do_is_a_run_too(void **state)
{
    sim_world *w = *state;
    sked_sim_result r = sim_run(w, NULL);

    assert_i64((int64_t)r.decisions, 0);
    assert_i64((int64_t)r.jobs, 0);
    assert_i64(r.delay.p50, -1);
}

/* ---- Failures of nodes ---- */

static void tasks_of_a_node_that_fails_run_again(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    sked_sim_failure failure = {2 * SIM_SECOND, 4 * SIM_SECOND, 0, 0};
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_wide work[2];
    int64_t peak[2];

    sim_world_job(w, 0, 1, 5);
    assert_ok(sim_make(w, &failure, 1));
    sked_sim_result r = sim_run(w, &s);
    assert_record(&s, 1, SKED_DECISION_ALLOCATE, 0, 1, 1);
    assert_record(&s, 2, SKED_DECISION_LOST, 2000, 1, 1);
    assert_record(&s, 3, SKED_DECISION_ALLOCATE, 4000, 1, 1);
    assert_record(&s, 4, SKED_SIM_KIND_FINISH, 9000, 1, 1);
    assert_i64((int64_t)s.n, 5);
    assert_i64(r.delay.max, 0); /* to the first start */
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[0], &q, peak, work, NULL));
    assert_i64((int64_t)work[0].low,
               5 * SIM_SECOND); /* only what was finished */
    assert_i64(peak[0], 1);
    sim_story_drop(&s);
}

static void a_node_may_stay_away(void **state)
{
    sim_world *w = *state;
    sked_sim_failure failures[4] = {
        {2 * SIM_SECOND, 0, 1, 0},
        {2 * SIM_SECOND, 0, 0, 0}, /* the same node twice: once */
        {3 * SIM_SECOND, 0, 0, 0},
        {1 * SIM_SECOND, 9 * SIM_SECOND, 1, 0},
    };

    w->nodes.count = 2;
    sim_world_job(w, 0, 20, 5);
    assert_ok(sim_make(w, failures, 4));
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.jobs_finished, 1);
    assert_i64(r.end, 19500000000); /* on the node that came back */
}

/* ---- Multipliers ---- */

static uint64_t copies_at(sim_world *w, int64_t ppm, uint8_t *seen)
{
    sim_story s = {0};

    sim_again(w);
    w->opts.multiplier_ppm = ppm;
    sked_sim_result r = sim_run(w, &s);
    memset(seen, 0, SIM_WORLD_JOBS);
    for (size_t i = 0; i < s.n; i++) {
        if (s.record[i].decision.kind != SKED_DECISION_ADMIT) continue;
        assert_i64(s.record[i].copy, seen[s.record[i].job]);
        seen[s.record[i].job]++;
    }
    sim_story_drop(&s);
    return r.jobs;
}

static void more_includes_less(void **state)
{
    sim_world *w = *state;
    uint8_t some[SIM_WORLD_JOBS], more[SIM_WORLD_JOBS], all[SIM_WORLD_JOBS];

    for (int i = 0; i < SIM_WORLD_JOBS; i++) sim_world_job(w, i, 1, 5);
    uint64_t at15 = copies_at(w, 1500000, some);
    uint64_t at16 = copies_at(w, 1600000, more);
    assert_true(at15 > SIM_WORLD_JOBS && at16 >= at15);
    assert_i64((int64_t)copies_at(w, 3000000, all), 3 * SIM_WORLD_JOBS);
    for (int i = 0; i < SIM_WORLD_JOBS; i++) {
        assert_true(some[i] <= more[i] && more[i] <= 2 && all[i] == 3);
    }
    assert_i64((int64_t)copies_at(w, 0, all), SIM_WORLD_JOBS);
    assert_true(copies_at(w, 500000, all) < SIM_WORLD_JOBS);
    w->opts.seed = 4;
    assert_true(copies_at(w, 1500000, all) >= SIM_WORLD_JOBS);
    assert_memory_not_equal(all, some, sizeof all);
}

/* ---- Where it ends ---- */

static void until_ends_the_run(void **state)
{
    sim_world *w = *state;
    sked_sim_queue q = {.struct_size = sizeof q};

    sim_world_job(w, 0, 10, 100);
    sim_world_job(w, 50, 10, 100);
    w->opts.until_ns = 70 * SIM_SECOND;
    w->opts.sample_every_ns = 10 * SIM_SECOND;
    sked_sim_result r = sim_run(w, NULL);
    size_t n;
    assert_i64((int64_t)r.jobs_finished, 0);
    assert_status(SKED_ERR_RANGE, sked_sim_samples(w->sim, w->leaf[0], 0, NULL,
                                                   NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 7);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, NULL, NULL));
    assert_i64(q.fair_ns + q.starved_ns, 70 * SIM_SECOND);
    /* At 50 s it wants 20 of 10 and has all there are. */
    assert_i64(q.starved_ns, 0);
}

static void samples_show_usage_and_share(void **state)
{
    sim_world *w = *state;
    int64_t usage[8], share[8];
    size_t n;

    sim_world_job(w, 0, 4, 5);
    w->queue[sim_world_job(w, 0, 10, 5)] = w->leaf[1];
    w->opts.sample_every_ns = 2 * SIM_SECOND;
    sim_run(w, NULL);
    assert_ok(
        sked_sim_samples(w->sim, w->leaf[0], 0, usage, share, 8, &n, NULL));
    assert_i64((int64_t)n, 5);
    assert_i64(share[0], 5); /* whatever it wants */
    assert_i64(share[1], 5);
    assert_i64(usage[1], 4);
    assert_i64(usage[3], 0);
    assert_ok(
        sked_sim_samples(w->sim, w->leaf[1], 0, usage, NULL, 8, &n, NULL));
    assert_i64(usage[1], 6);
    assert_i64(usage[3], 4);
    assert_status(SKED_ERR_RANGE, sked_sim_samples(w->sim, w->leaf[1], 0, usage,
                                                   NULL, 4, &n, NULL));
    assert_i64((int64_t)n, 5);
    assert_status(SKED_ERR_STALE,
                  sked_sim_samples(w->sim, 12345, 0, usage, NULL, 8, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_samples(w->sim, w->leaf[1], 2, usage,
                                                 NULL, 8, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_samples(w->sim, w->leaf[1], UINT32_MAX,
                                                 usage, NULL, 8, &n, NULL));
}

static void samples_show_what_waits(void **state)
{
    sim_world *w = *state;
    int64_t pending[8];
    size_t n;

    sim_world_job(w, 0, 4, 5);
    w->queue[sim_world_job(w, 0, 10, 5)] = w->leaf[1];
    w->opts.sample_every_ns = 2 * SIM_SECOND;
    sim_run(w, NULL);
    assert_ok(sked_sim_pending(w->sim, w->leaf[1], 0, pending, 8, &n, NULL));
    assert_i64((int64_t)n, 5);
    assert_i64(pending[1], 4); /* of 10 tasks 6 run */
    assert_i64(pending[3], 0);
    assert_ok(sked_sim_pending(w->sim, w->leaf[0], 0, pending, 8, &n, NULL));
    assert_i64(pending[1], 0); /* 4 of a share of 5, and wants no more */
    assert_status(SKED_ERR_RANGE, sked_sim_pending(w->sim, w->leaf[1], 0,
                                                   pending, 4, &n, NULL));
    assert_i64((int64_t)n, 5);
    assert_status(SKED_ERR_RANGE,
                  sked_sim_pending(w->sim, w->leaf[1], 0, NULL, 0, &n, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_sim_pending(w->sim, 12345, 0, pending, 8, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_pending(w->sim, w->leaf[1], 2, pending,
                                                 8, &n, NULL));
    sked_sim_free(w->sim);
    w->sim = NULL;
    w->opts.flags = SKED_SIM_FLAG_NO_SHARES;
    sim_run(w, NULL);
    assert_ok(sked_sim_pending(w->sim, w->leaf[1], 0, pending, 8, &n, NULL));
    assert_i64(pending[1], 0);
}

static void too_many_samples_are_thinned(void **state)
{
    sim_world *w = *state;
    sked_sim_result r = {.struct_size = sizeof r};
    int64_t usage[8], share[8];
    size_t n;

    sim_world_job(w, 0, 4, 5);
    w->queue[sim_world_job(w, 0, 10, 5)] = w->leaf[1];
    w->opts.sample_every_ns = 1;
    w->opts.max_samples = 5;
    sim_run(w, NULL);
    assert_ok(
        sked_sim_samples(w->sim, w->leaf[0], 0, usage, share, 8, &n, NULL));
    assert_ok(sked_sim_get_result(w->sim, &r, NULL));
    assert_true(n >= 3 && n <= 5);
    assert_true(r.sample_every_ns * (int64_t)n >= 9 * SIM_SECOND);
    assert_true(r.sample_every_ns < 4 * SIM_SECOND);
    assert_i64(share[0], 5);
    assert_i64(usage[1], 4);
    assert_i64(usage[n - 1], 0);
}

static void a_queue_with_less_than_its_share_is_starved(void **state)
{
    sim_world *w = *state;
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_wide work[2];

    sim_world_job(w, 0, 10, 100);
    w->queue[sim_world_job(w, 10, 10, 10)] = w->leaf[1];
    sim_run(w, NULL);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[1], &q, NULL, work, NULL));
    assert_i64(q.starved_ns, 90 * SIM_SECOND);
    assert_i64(q.fair_ns, 10 * SIM_SECOND);
    assert_i64(q.delay.p99, 90 * SIM_SECOND);
    assert_i64((int64_t)work[0].low, 100 * SIM_SECOND);
    assert_i64((int64_t)work[0].high, 0);
    assert_ok(sked_sim_get_queue(w->sim, sked_tree_root(w->tree), &q, NULL,
                                 work, NULL));
    assert_i64((int64_t)q.jobs, 2);
    assert_i64((int64_t)work[0].low, 1100 * SIM_SECOND);

    sim_again(w);
    w->opts.flags = SKED_SIM_FLAG_NO_SHARES;
    w->opts.sample_every_ns = SIM_SECOND;
    sim_run(w, NULL);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[1], &q, NULL, work, NULL));
    assert_i64(q.starved_ns + q.fair_ns, 0);
    assert_i64((int64_t)work[0].low, 100 * SIM_SECOND);
}

/* It waits for the first kind, and has no use for all of the other that it is
 * guaranteed: with its guarantee of the first it is not below. */
static void below_its_guarantee_is_below_in_all_that_is_wanted(void **state)
{
    static const int64_t own[] = {4, 10}, most[] = {10, 20};
    sim_world *w = *state;
    sked_sim_queue q = {.struct_size = sizeof q};

    assert_ok(sked_tree_set_vec(w->tree, w->leaf[1], SKED_QUEUE_GUARANTEE, own,
                                NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    w->nodes.amounts = most;
    sim_world_job(w, 0, 10, 100);
    uint32_t job = sim_world_job(w, 10, 12, 20);
    w->queue[job] = w->leaf[1];
    w->amounts[job * SIM_WORLD_KINDS + 1] = 1;
    sim_run(w, NULL);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[1], &q, NULL, NULL, NULL));
    assert_i64(q.below_guarantee_ns, 90 * SIM_SECOND);
    assert_ok(sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, NULL, NULL));
    assert_i64(q.below_guarantee_ns, 0);
}

/* ---- A host that takes its time ---- */

static void a_busy_host_decides_later(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};

    w->opts.cost_event_ns = 1000;
    w->opts.cost_task_ns = 3 * SIM_SECOND; /* 30 s for ten tasks */
    sim_world_job(w, 0, 10, 100);
    sim_world_job(w, 1, 1, 1);
    w->amounts[2] = 0;
    w->amounts[3] = 1;
    sim_run(w, &s);
    assert_record(&s, 1, SKED_DECISION_ALLOCATE, 0, 1, 10);
    /* Submitted and answered when the host is free again. */
    assert_i64(s.record[2].decision.time, 30 * SIM_SECOND + 1000);
    assert_i64(s.record[3].decision.kind, SKED_DECISION_ALLOCATE);
    assert_i64(s.record[3].decision.time, 30 * SIM_SECOND + 1000);
    sim_story_drop(&s);
}

static void a_host_that_cannot_keep_up_falls_behind(void **state)
{
    sim_world *w = *state;

    w->opts.cost_event_ns = 2 * SIM_SECOND; /* of each second */
    sim_world_job(w, 0, 1, 1);
    sim_world_job(w, 100, 1, 1);
    assert_i64(sim_run(w, NULL).delay.max, 100 * SIM_SECOND);
    sim_again(w);
    w->opts.cost_event_ns = SIM_SECOND / 2;
    assert_i64(sim_run(w, NULL).delay.max, 0);
    sim_again(w);
    w->opts.cost_look_ns = SKED_AMOUNT_MAX / 4;
    w->opts.cost_task_ns = SKED_AMOUNT_MAX / 4;
    assert_ok(sim_make(w, NULL, 0));
    assert_ok(sked_sim_run(w->sim, NULL, NULL, NULL));
    sim_again(w);
    w->tasks[0] = 4; /* for ever is out of range */
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_RANGE, sked_sim_run(w->sim, NULL, NULL, &w->err));
    assert_i64(w->err.code, SKED_ERR_RANGE);
}

static void a_rate_is_low_when_something_could_have_started(void **state)
{
    sim_world *w = *state;

    w->opts.heartbeat_ns = 90 * SIM_SECOND;
    sim_world_job(w, 0, 1, 200);
    sim_world_job(w, 10, 1, 1);  /* 80 s until the node's event */
    sim_world_job(w, 130, 1, 1); /* 50 s */
    assert_i64(sim_run(w, NULL).low_rate, 80 * SIM_SECOND);
    sim_again(w);
    w->opts.heartbeat_ns = SIM_SECOND;
    assert_i64(sim_run(w, NULL).low_rate, 0);
}

int main(void)
{
#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
    const struct CMUnitTest tests[] = {
        IN_WORLD(tasks_start_with_a_node_event_and_run_their_time),
        IN_WORLD(a_period_of_nothing_answers_at_every_instant),
        IN_WORLD(node_events_are_spread_over_the_period),
        IN_WORLD(a_gang_starts_whole_on_one_node_or_waits),
        IN_WORLD(what_no_node_can_ever_hold_is_rejected),
        IN_WORLD(any_partition_takes_the_first_node_event),
        IN_WORLD(nothing_to_do_is_a_run_too),
        IN_WORLD(tasks_of_a_node_that_fails_run_again),
        IN_WORLD(a_node_may_stay_away),
        IN_WORLD(more_includes_less),
        IN_WORLD(until_ends_the_run),
        IN_WORLD(samples_show_usage_and_share),
        IN_WORLD(samples_show_what_waits),
        IN_WORLD(too_many_samples_are_thinned),
        IN_WORLD(a_queue_with_less_than_its_share_is_starved),
        IN_WORLD(below_its_guarantee_is_below_in_all_that_is_wanted),
        IN_WORLD(a_busy_host_decides_later),
        IN_WORLD(a_host_that_cannot_keep_up_falls_behind),
        IN_WORLD(a_rate_is_low_when_something_could_have_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
