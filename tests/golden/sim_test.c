/*
 * The knee of the published table [LNK-6]: 95th percentile of the delay of
 * applications against the multiplier of the load, with a scheduler that takes
 * its time. A cluster that is never short of room, so that all delay is the
 * host's; a day made short, with its peak in the middle.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdio.h>

enum {
    KNEE_JOBS = 2400,
    KNEE_NODES = 72, /* a hundredth */
    KNEE_STEPS = 6,
    KNEE_DAY = 14400 /* seconds */
};

static const sked_time second = 1000000000;

typedef struct knee_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[3];
    sked_time submit[KNEE_JOBS];
    int64_t run[KNEE_JOBS];
    int64_t tasks[KNEE_JOBS];
    int64_t amounts[KNEE_JOBS];
    sked_queue_id queue[KNEE_JOBS];
    sked_sim_jobs jobs;
} knee_world;

static uint64_t next_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) +
             UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* The sum of two dice is a day with a peak at noon. */
static void make_day(knee_world *w)
{
    static const char *const name[3] = {"a", "b", "c"};
    uint64_t state = 7152;

    assert_ok(sked_schema_parse("cpu=m", 5, NULL, &w->schema, NULL));
    assert_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, NULL));
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_tree_add(w->tree, sked_tree_root(w->tree), name[i],
                                &w->leaf[i], NULL));
    }
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    for (int i = 0; i < KNEE_JOBS; i++) {
        w->submit[i] = (int64_t)(next_word(&state) % (KNEE_DAY / 2) +
                                 next_word(&state) % (KNEE_DAY / 2)) *
                       second;
        w->run[i] = (20 + (int64_t)(next_word(&state) % 100)) * second;
        w->tasks[i] = 1 + (int64_t)(next_word(&state) % 20);
        if (next_word(&state) % 20 == 0) w->tasks[i] *= 10;
        w->amounts[i] = 1;
        w->queue[i] = w->leaf[next_word(&state) % 3];
    }
    w->jobs = (sked_sim_jobs){.struct_size = sizeof w->jobs,
                              .n = KNEE_JOBS,
                              .submit = w->submit,
                              .run_ns = w->run,
                              .tasks = w->tasks,
                              .amounts = w->amounts,
                              .queue = w->queue};
}

/* Milliseconds. */
static int64_t p95_at(const knee_world *w, int64_t multiplier)
{
    int64_t node = 100;
    sked_sim_nodes nodes = {.count = KNEE_NODES, .amounts = &node};
    sked_sim_options opts = {.struct_size = sizeof opts,
                             .flags = SKED_SIM_FLAG_NO_SHARES,
                             .heartbeat_ns = second,
                             .multiplier_ppm = multiplier,
                             .cost_event_ns = 2000000,
                             .cost_task_ns = 120000000,
                             .cost_look_ns = 10000000};
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim *sim;

    assert_ok(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = w->tree,
                                       .jobs = &w->jobs,
                                       .nodes = &nodes,
                                       .n_nodes = 1},
                     &opts, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, NULL, NULL, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    assert_i64((int64_t)r.jobs_finished, (int64_t)r.jobs);
    sked_sim_free(sim);
    return r.delay.p95 / 1000000;
}

static void a_slow_scheduler_has_the_published_knee(void **state)
{
    static const int64_t multiplier[KNEE_STEPS] = {1000000, 1500000, 1600000,
                                                   1700000, 1800000, 1900000};
    static const int64_t published[KNEE_STEPS] = {4633,  8769,  10278,
                                                  19653, 22815, 43029};
    static knee_world w;
    int64_t p95[KNEE_STEPS];
    (void)state;

    make_day(&w);
    printf("multiplier  published p95  here p95 (min)\n");
    for (int i = 0; i < KNEE_STEPS; i++) {
        p95[i] = p95_at(&w, multiplier[i]);
        printf("%10.1f  %13.3f  %8.3f\n", (double)multiplier[i] / 1e6,
               (double)published[i] / 1e3, (double)p95[i] / 60e3);
        if (i > 0) assert_true(p95[i] > p95[i - 1]);
    }
    /* Minutes a step of 0.1: before the knee, and beyond it. */
    int64_t before = (p95[1] - p95[0]) / 5, beyond = (p95[5] - p95[2]) / 3;
    assert_true(beyond > 4 * before);
    sked_tree_free(w.tree);
    sked_schema_free(w.schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_scheduler_has_the_published_knee),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
