/*
 * The timeline of two queues that share a cluster half and half, with
 * preemption and without [CAP-16]: App1 of Q1 has the whole cluster when App2
 * of Q2 comes at T1; it ends at T2, App2 at T3. And the question that a reader
 * asked: is App2 always done sooner?
 */
#include "sim_world.h"
#include "test.h"

#include <sched/sked.h>

#include <string.h>

enum { SLOTS = 10, GRACE = 15 };

typedef struct timeline {
    int64_t q1_half; /* when Q1 holds no more than its half, in s */
    int64_t t2;
    int64_t t3;
    sked_sim_result result;
    uint64_t lost; /* cpu seconds */
} timeline;

typedef struct watched {
    int64_t held[2];
    timeline *line;
} watched;

static sked_status watch(void *user, const sked_sim_record *record, size_t n)
{
    watched *w = user;

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &record[i].decision;
        int64_t at = d->time / SIM_SECOND;
        uint32_t app = record[i].job;
        if (d->kind == SKED_DECISION_ALLOCATE) w->held[app] += d->count;
        if (d->kind == SKED_DECISION_KILL) w->held[app] -= d->count;
        if (d->kind == SKED_SIM_KIND_FINISH) {
            w->held[app] -= d->count;
            *(app ? &w->line->t3 : &w->line->t2) = at;
        }
        if (w->line->q1_half == 0 && at > 0 && w->held[0] <= SLOTS / 2 &&
            w->held[1] == SLOTS / 2) {
            w->line->q1_half = at;
        }
    }
    return SKED_OK;
}

/* App1 has `tasks` tasks, App2 as many as there are slots; both run `run`
 * seconds a task. */
static timeline play(int preempt, int64_t tasks, int64_t run, int64_t t1)
{
    static sim_world w;
    timeline line = {0};
    watched seen = {{0}, &line};
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .ignored_ppm = -1,
                                   .factor_ppm = 1000000,
                                   .per_round_ppm = -1};
    sked_engine_preempt_options p = {.struct_size = sizeof p,
                                     .targets = &targets};
    sked_wide lost[SIM_WORLD_KINDS];

    sim_world_make(&w);
    for (int q = 0; q < 2; q++) {
        assert_ok(sked_tree_set(w.tree, w.leaf[q], SKED_QUEUE_GUARANTEE_PPM,
                                500000, NULL));
    }
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        w.submit[i] = i ? t1 * SIM_SECOND : 0;
        w.run[i] = run * SIM_SECOND;
        w.tasks[i] = i ? SLOTS : tasks;
        w.amounts[i * SIM_WORLD_KINDS] = 1;
        w.amounts[i * SIM_WORLD_KINDS + 1] = 1;
        w.queue[i] = w.leaf[i];
    }
    w.jobs.n = 2;
    if (preempt) w.opts.preempt = &p;
    assert_ok(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w.tree,
                                       .jobs = &w.jobs,
                                       .nodes = &w.nodes,
                                       .n_nodes = 1},
                     &w.opts, NULL, &w.sim, NULL));
    assert_ok(sked_sim_run(w.sim, watch, &seen, NULL));
    line.result.struct_size = sizeof line.result;
    assert_ok(sked_sim_get_result(w.sim, &line.result, NULL));
    assert_ok(sked_sim_lost_work(w.sim, lost, NULL));
    line.lost = lost[0].low / (uint64_t)SIM_SECOND;
    sim_world_drop(&w);
    return line;
}

/* Tasks of ten minutes, twice as many as there are slots: App2 waits until the
 * first half of App1 is done, or takes its half at once. */
static void both_hold_half_soon_after_the_second_came(void **state)
{
    timeline off = play(0, 2 * SLOTS, 600, 60),
             on = play(1, 2 * SLOTS, 600, 60);

    (void)state;
    assert_int_equal(off.result.killed, 0);
    assert_true(off.q1_half >= 600); /* when the first tasks end */
    assert_in_range(on.q1_half, 60 + GRACE, 60 + GRACE + 3 + 3 + 1);
    assert_int_equal(on.result.killed, SLOTS / 2);
    assert_true(on.t3 <= off.t3); /* App2 ends no later */
    assert_true(on.t2 >= off.t2); /* App1 pays */
    /* Five tasks had run for some 78 s. */
    assert_in_range(on.lost, 5 * 75, 5 * 82);
}

/* T3' < T3 holds when App1's tasks are long against the grace; with short ones
 * nothing is killed, for they end by themselves before it. */
static void short_tasks_give_way_by_themselves(void **state)
{
    timeline off = play(0, 20 * SLOTS, 10, 33),
             on = play(1, 20 * SLOTS, 10, 33);

    (void)state;
    assert_int_equal(on.result.killed, 0);
    assert_int_equal(on.t2, off.t2);
    assert_int_equal(on.t3, off.t3);
}

/* And with tasks a little longer than grace and rounds, work is lost for
 * nothing much: App2 is not the last, so it gains what App1 loses. */
static void the_gain_is_the_wait_that_is_spared(void **state)
{
    (void)state;
    for (int64_t run = 60; run <= 960; run *= 2) {
        timeline off = play(0, 4 * SLOTS, run, 5),
                 on = play(1, 4 * SLOTS, run, 5);
        assert_true(on.t3 <= off.t3);
        assert_true(off.t3 - on.t3 <= run); /* never more than one task */
        assert_true(on.t2 >= off.t2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_hold_half_soon_after_the_second_came),
        cmocka_unit_test(short_tasks_give_way_by_themselves),
        cmocka_unit_test(the_gain_is_the_wait_that_is_spared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
