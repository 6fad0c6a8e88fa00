/* Runs in stretches: cut anywhere, they are the same runs; jobs sent elsewhere
 * on the way leave no trace. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "base/random.h"
#include "sim_fixture.h"
#include "size.h"

static sked_sim_result end(sim_world *w)
{
    sked_sim_result r = sim_run(w, NULL);

    sim_again(w);
    return r;
}

static void until(sim_world *w, int64_t second)
{
    assert_ok(
        sked_sim_run_until(w->sim, second * SIM_SECOND, NULL, NULL, &w->err));
}

static int64_t used(sim_world *w, int64_t *pending)
{
    int64_t usage[SIM_WORLD_KINDS], wants[SIM_WORLD_KINDS];

    assert_ok(
        sked_sim_usage(w->sim, sked_tree_root(w->tree), usage, wants, NULL));
    *pending = wants[0];
    return usage[0];
}

static void a_stretch_ends_before_its_instant(void **state)
{
    sim_world *w = *state;
    int64_t pending;

    w->opts.heartbeat_ns = 0;
    sim_world_job(w, 0, 12, 5); /* ten fit at once */
    assert_ok(sim_make(w, NULL, 0));
    until(w, 0);
    assert_i64(used(w, &pending), 0);
    assert_i64(pending, 0);
    until(w, 1);
    assert_i64(used(w, &pending), 10);
    assert_i64(pending, 2);
    until(w, 5);
    assert_i64(used(w, &pending), 10);
    until(w, 6);
    assert_i64(used(w, &pending), 2);
    assert_i64(pending, 0);
    until(w, 1000);
    assert_i64(used(w, &pending), 0);
    sked_sim_result r = end(w);
    assert_i64((int64_t)r.tasks_finished, 12);
}

static void a_stretch_ends_before_node_events_behind_it(void **state)
{
    sim_world *w = *state;
    int64_t pending;

    w->opts.heartbeat_ns = 10 * SIM_SECOND;
    w->opts.until_ns = 100 * SIM_SECOND;
    w->nodes.count = 2; /* which send events at 0 and 5, and so on */
    sim_world_job(w, 0, 12, 200);
    assert_ok(sim_make(w, NULL, 0));
    until(w, 5);
    assert_i64(used(w, &pending), 10);
    assert_i64(pending, 2);
    until(w, 6);
    assert_i64(used(w, &pending), 12);
    assert_i64((int64_t)end(w).tasks_finished, 0);
}

static void random_world(sim_world *w, skedi_random *rng)
{
    uint32_t n = 5 + (uint32_t)skedi_random_below(rng, 30);

    sim_world_drop(w);
    *w = (sim_world){0};
    sim_world_make(w);
    w->opts.heartbeat_ns = skedi_random_below(rng, 2) ? SIM_SECOND : 0;
    w->nodes.count = 1 + (uint32_t)skedi_random_below(rng, 3);
    if (skedi_random_below(rng, 3) == 0) w->opts.until_ns = 40 * SIM_SECOND;
    for (uint32_t i = 0; i < n; i++) {
        int64_t at = (int64_t)skedi_random_below(rng, 60);
        int64_t tasks = 1 + (int64_t)skedi_random_below(rng, 12);
        int64_t run = 1 + (int64_t)skedi_random_below(rng, 20);
        (void)sim_world_job(w, at, tasks, run);
    }
}

static void how_a_run_is_cut_changes_nothing(void **state)
{
    sim_world *w = *state;
    skedi_random rng;

    skedi_random_seed(&rng, 1, NULL);
    for (size_t life = 0; life < test_size(60, 600); life++) {
        random_world(w, &rng);
        assert_ok(sim_make(w, NULL, 0));
        sked_sim_result whole = end(w);
        assert_ok(sim_make(w, NULL, 0));
        for (int64_t at = 0; at < 90;
             at += 1 + (int64_t)skedi_random_below(&rng, 9)) {
            until(w, at);
        }
        sked_sim_result cut = end(w);
        assert_memory_equal(&cut, &whole, sizeof whole);
    }
}

/* The same as never given, when the clock starts with another. */
static void what_is_withdrawn_was_never_there(void **state)
{
    sim_world *w = *state;
    skedi_random rng;

    skedi_random_seed(&rng, 2, NULL);
    for (size_t life = 0; life < test_size(60, 600); life++) {
        random_world(w, &rng);
        uint32_t gone = (uint32_t)w->jobs.n - 1;
        w->opts.multiplier_ppm = 2 * SKED_PPM; /* copies go along */
        w->submit[0] = 0;
        assert_ok(sim_make(w, NULL, 0));
        until(w, w->submit[gone] / SIM_SECOND);
        assert_ok(sked_sim_withdraw(w->sim, gone, NULL));
        assert_status(SKED_ERR_NOT_FOUND,
                      sked_sim_withdraw(w->sim, gone, NULL));
        sked_sim_result with = end(w);
        w->jobs.n--;
        assert_ok(sim_make(w, NULL, 0));
        sked_sim_result without = end(w);
        assert_i64((int64_t)with.jobs, (int64_t)without.jobs);
        assert_i64((int64_t)with.tasks_finished,
                   (int64_t)without.tasks_finished);
        assert_i64(with.end, without.end);
        assert_i64(with.last_submit, without.last_submit);
        assert_memory_equal(&with.delay, &without.delay, sizeof with.delay);
    }
}

static void stretches_refuse_what_runs_refuse(void **state)
{
    sim_world *w = *state;
    int64_t usage[SIM_WORLD_KINDS];
    sked_queue_id root = sked_tree_root(w->tree);

    sim_world_job(w, 1, 1, 1);
    assert_ok(sim_make(w, NULL, 0));
    assert_status(SKED_ERR_STATE,
                  sked_sim_usage(w->sim, root, usage, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_usage(w->sim, root, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_usage(NULL, root, usage, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_withdraw(NULL, 0, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_sim_withdraw(w->sim, 5, NULL));
    assert_status(SKED_ERR_ARG, sked_sim_run_until(NULL, 0, NULL, NULL, NULL));
    until(w, 3);
    assert_status(SKED_ERR_NOT_FOUND, sked_sim_withdraw(w->sim, 0, NULL));
    assert_ok(sked_sim_usage(w->sim, root, usage, NULL, NULL));
    assert_ok(sked_sim_run(w->sim, NULL, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_sim_withdraw(w->sim, 0, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_sim_run_until(w->sim, 9, NULL, NULL, NULL));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_stretch_ends_before_its_instant),
        CASE(a_stretch_ends_before_node_events_behind_it),
        CASE(how_a_run_is_cut_changes_nothing),
        CASE(what_is_withdrawn_was_never_there),
        CASE(stretches_refuse_what_runs_refuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
