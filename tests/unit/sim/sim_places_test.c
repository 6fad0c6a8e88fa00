/* Jobs with data on nodes: where their tasks start, what elsewhere costs. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "sim_fixture.h"

enum { NODES = 4 };

/* One job of six tasks of 100 s: two have their data on node 0, four on node
 * 1. They wait 30 s for these; elsewhere they take 50 s longer. */
typedef struct data_of {
    int32_t offsets[SIM_WORLD_JOBS + 1];
    uint32_t place[2];
    uint32_t tasks[2];
    int64_t transfer[SIM_WORLD_JOBS];
} data_of;

static void with_data(sim_world *w, data_of *d)
{
    *d = (data_of){.offsets = {0, 2},
                   .place = {0, 1},
                   .tasks = {2, 4},
                   .transfer = {50 * SIM_SECOND}};
    w->nodes.count = NODES;
    static const sked_engine_options patient = {
        .struct_size = sizeof patient, .node_delay_ns = 30 * SIM_SECOND};
    w->opts.engine = &patient;
    sim_world_job(w, 0, 6, 100);
    w->jobs.place_offsets = d->offsets;
    w->jobs.place = d->place;
    w->jobs.place_tasks = d->tasks;
    w->jobs.transfer_ns = d->transfer;
}

/* Jobs behind the first have no data. */
static void more_jobs(sim_world *w, data_of *d)
{
    for (uint32_t j = 1; j < w->jobs.n; j++) d->offsets[j + 1] = d->offsets[j];
}

static int64_t tasks_on(const sim_story *s, int32_t kind, uint32_t job,
                        uint64_t node)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const sked_decision *d = &s->record[i].decision;
        if (d->kind != kind || s->record[i].job != job) continue;
        if (d->node == node + 1) n += d->count;
    }
    return n;
}

static void tasks_start_where_their_data_lie(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    data_of d;

    with_data(w, &d);
    sked_sim_result r = sim_run(w, &s);
    assert_i64((int64_t)r.local, 6);
    assert_i64((int64_t)r.transfers, 0);
    assert_i64(tasks_on(&s, SKED_DECISION_ALLOCATE, 0, 0), 2);
    assert_i64(tasks_on(&s, SKED_DECISION_ALLOCATE, 0, 1), 4);
    assert_true(r.end < 101 * SIM_SECOND);
    sim_story_drop(&s);
    sim_again(w);
    w->opts.engine = &(sked_engine_options){
        .struct_size = sizeof(sked_engine_options),
        .node_delay_ns = 0}; /* not waited for: node 0 takes all */
    r = sim_run(w, NULL);
    assert_i64((int64_t)r.local, 2);
    assert_i64((int64_t)r.transfers, 4);
    assert_i64(r.end, 150 * SIM_SECOND);
    sim_again(w);
    w->jobs.place_tasks = NULL; /* any number */
    r = sim_run(w, NULL);
    assert_i64((int64_t)r.local, 6);
    assert_i64(r.end, 100 * SIM_SECOND);
}

/* Node 1 is taken: what has its data there waits, one wait for each task that
 * starts elsewhere, and takes longer. */
static void elsewhere_is_waited_and_paid_for(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_wide work[SIM_WORLD_KINDS];
    data_of d;

    for (int by_period = 0; by_period < 2; by_period++) {
        with_data(w, &d);
        w->opts.heartbeat_ns = by_period ? SIM_SECOND : 0;
        uint32_t job = sim_world_job(w, 0, 2, 1000);
        w->amounts[2 * job] = 10; /* whole nodes */
        w->priority[job] = 1;
        more_jobs(w, &d);
        w->submit[0] = 2 * SIM_SECOND;
        d.place[0] = 3;
        sked_sim_result r = sim_run(w, &s);
        assert_i64((int64_t)r.local, 2);
        assert_i64((int64_t)r.transfers, 4);
        int64_t due = 32, longer = 0; /* one every 30 s */
        for (size_t i = 0; i < s.n; i++) {
            const sked_sim_record *x = &s.record[i];
            if (x->job != 0) continue;
            if (x->decision.kind == SKED_DECISION_ALLOCATE &&
                x->decision.time > 3 * SIM_SECOND) {
                int64_t after = x->decision.time - due * SIM_SECOND;
                assert_true(after >= 0 && after <= by_period * SIM_SECOND);
                assert_i64((int64_t)x->decision.node, by_period ? 4 : 3);
                due += 30;
            }
            if (x->decision.kind != SKED_SIM_KIND_FINISH) continue;
            longer += x->decision.detail == 50 * SIM_SECOND;
        }
        assert_i64(due, 32 + 4 * 30);
        assert_i64(longer, 4);
        assert_ok(sked_sim_get_queue(w->sim, w->leaf[0], &q, NULL, work, NULL));
        assert_i64((int64_t)work[0].low,
                   (20 * 1000 + 2 * 100 + 4 * 150) * SIM_SECOND);
        sim_story_drop(&s);
        sim_teardown(state);
        sim_setup(state);
        s = (sim_story){0};
    }
}

/* Each copy has data of its own; what a node loses has its data there still. */
static void copies_and_losses_count_for_themselves(void **state)
{
    sim_world *w = *state;
    sked_sim_failure down = {
        .at = 40 * SIM_SECOND, .until = 45 * SIM_SECOND, .node = 1};
    data_of d;

    with_data(w, &d);
    w->opts.multiplier_ppm = 2 * SKED_PPM;
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.local, 12);
    sim_again(w);
    w->opts.multiplier_ppm = 0;
    assert_ok(sim_make(w, &down, 1));
    r = sim_run(w, NULL);
    assert_i64((int64_t)r.local, 10); /* four of them twice */
    assert_i64((int64_t)r.transfers, 0);
    assert_true(r.end > 145 * SIM_SECOND && r.end < 147 * SIM_SECOND);
}

static void refused(sim_world *w, sked_status why)
{
    assert_status(why, sim_make(w, NULL, 0));
    assert_null(w->sim);
}

static void bad_places_are_refused(void **state)
{
    sim_world *w = *state;
    data_of d, good;

    with_data(w, &d);
    good = d;
    d.place[1] = NODES;
    refused(w, SKED_ERR_RANGE);
    d.place[1] = 0; /* twice */
    refused(w, SKED_ERR_RANGE);
    d = good;
    d.tasks[0] = INT32_MAX;
    refused(w, SKED_ERR_RANGE);
    d = good;
    d.transfer[0] = -1;
    refused(w, SKED_ERR_RANGE);
    d.transfer[0] = INT64_MAX;
    refused(w, SKED_ERR_RANGE);
    d = good;
    d.offsets[0] = 1;
    refused(w, SKED_ERR_ARG);
    d.offsets[0] = 0;
    d.offsets[1] = -1;
    refused(w, SKED_ERR_ARG);
    d = good;
    w->jobs.place = NULL;
    refused(w, SKED_ERR_ARG);
    w->jobs.place = d.place;
    w->opts.flags = SKED_SIM_FLAG_GANG;
    refused(w, SKED_ERR_ARG);
    w->opts.flags = 0;
    w->jobs.transfer_ns = NULL; /* costs nothing */
    assert_ok(sim_make(w, NULL, 0));
}

static sked_status places_life(test_host *host, void *arg)
{
    static sim_world w;
    static data_of d;

    (void)arg;
    w = (sim_world){0};
    sked_host hooks = test_host_hooks(host);
    assert_ok(sim_world_try(&w)); /* of a host of its own */
    with_data(&w, &d);
    sked_status rc = sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = w.tree,
                          .jobs = &w.jobs,
                          .nodes = &w.nodes,
                          .n_nodes = 1},
        &w.opts, &hooks, &w.sim, &w.err);
    if (rc == SKED_OK) rc = sked_sim_run(w.sim, NULL, NULL, &w.err);
    sim_world_drop(&w);
    return rc == SKED_STOPPED ? SKED_ERR_CANCELLED : rc;
}

static void making_it_survives_every_failure(void **state)
{
    (void)state;
    test_sweep(places_life, NULL, 0);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)

/* Places are waited for by events of nodes, of which there are none where tasks
 * find nodes. */
static void places_are_not_for_tasks_that_find_nodes(void **state)
{
    sim_world *w = *state;
    data_of d;

    with_data(w, &d);
    w->opts.place = 1;
    w->opts.heartbeat_ns = 0;
    assert_status(SKED_ERR_ARG, sim_make(w, NULL, 0));
}

/* Of nodes with racks of their own the second group's is no rack of the first. */
static void racks_of_many_nodes_are_their_own(void **state)
{
    enum { MANY = 65537 };
    sim_world *w = *state;
    const int32_t offsets[] = {0, 1};
    const uint32_t place[] = {MANY};
    const int64_t small[] = {1, 1};
    const sked_engine_options patient = {.struct_size = sizeof patient,
                                         .node_delay_ns = 5 * SIM_SECOND,
                                         .rack_delay_ns = 30 * SIM_SECOND};
    const sked_sim_nodes nodes[] = {
        {.count = MANY, .racks = MANY, .amounts = w->node},
        {.count = 1, .racks = 1, .amounts = small},
    };
    const sked_sim_input in = {.struct_size = sizeof in,
                               .tree = w->tree,
                               .jobs = &w->jobs,
                               .nodes = nodes,
                               .n_nodes = 2};

    w->amounts[2 * sim_world_job(w, 0, 1, 100)] = 2; /* for the large ones */
    w->jobs.place_offsets = offsets;
    w->jobs.place = place;
    w->opts.engine = &patient;
    w->opts.heartbeat_ns = 0;
    assert_ok(sked_sim_new(&in, &w->opts, NULL, &w->sim, &w->err));
    assert_i64(sim_run(w, NULL).delay.max, 35 * SIM_SECOND);
}

/* One task, with its data on node 0, where nothing ends for it. Once it has waited for
 * that, what runs on node 1 does. */
static void rounds_are_held_when_a_wait_is_over(void **state)
{
    static const sked_round_options at_once = {.struct_size = sizeof at_once,
                                               .grace_ns = -1};
    static const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .rounds = &at_once};
    const int64_t guarantee[SIM_WORLD_KINDS] = {10, 100};
    int64_t delays[SIM_WORLD_JOBS];
    sim_world *w = *state;
    data_of d;
    size_t n;

    assert_ok(sked_tree_set_vec(w->tree, w->leaf[1], SKED_QUEUE_GUARANTEE,
                                guarantee, NULL));
    assert_ok(
        sked_tree_set(w->tree, w->leaf[0], SKED_QUEUE_PREEMPT_FROM, 0, NULL));
    assert_ok(sked_tree_commit(w->tree, 0, NULL));
    with_data(w, &d);
    w->opts.preempt = &preempt;
    w->nodes.count = 2;
    d.offsets[1] = 1;
    w->submit[0] = SIM_SECOND;
    w->tasks[0] = 1;
    w->amounts[0] = 10;
    w->queue[0] = w->leaf[1];
    for (int i = 0; i < 2; i++) { /* one on each node */
        uint32_t job = sim_world_job(w, 0, 1, 1000);
        w->amounts[(size_t)2 * job] = 10;
        w->queue[job] = w->leaf[2 * i];
    }
    more_jobs(w, &d);
    sked_sim_result r = sim_run(w, NULL);
    assert_i64((int64_t)r.killed, 1);
    assert_ok(sked_sim_delays(w->sim, delays, SIM_WORLD_JOBS, &n, NULL));
    assert_i64(delays[2] / SIM_SECOND, 32); /* by submission: the round at 33 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(tasks_start_where_their_data_lie),
        IN_WORLD(elsewhere_is_waited_and_paid_for),
        IN_WORLD(copies_and_losses_count_for_themselves),
        IN_WORLD(bad_places_are_refused),
        IN_WORLD(places_are_not_for_tasks_that_find_nodes),
        cmocka_unit_test(making_it_survives_every_failure),
        IN_WORLD(racks_of_many_nodes_are_their_own),
        IN_WORLD(rounds_are_held_when_a_wait_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
