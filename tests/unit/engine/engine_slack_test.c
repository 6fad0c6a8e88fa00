/* What tasks do not use of their limits goes to revocable tasks. */
#include "engine_scene.h"

#include <sched/res.h>

enum { CPU, MEMORY, SLACK, KINDS };

static int slack_setup(void **state)
{
    static engine_fixture f;
    const char *const kinds[] = {"cpu", "memory", "slack_cpu"};

    f = (engine_fixture){0};
    sked_host host = test_host_hooks(&f.host);
    assert_ok(sked_schema_new(kinds, NULL, KINDS, NULL, &f.schema, NULL));
    assert_ok(sked_tree_new(f.schema, NULL, &host, &f.tree, NULL));
    f.root = sked_tree_root(f.tree);
    *state = &f;
    return 0;
}

static void say_of(engine_fixture *f, sked_event event, int64_t cpu,
                   int64_t memory, int64_t slack)
{
    const int64_t amounts[KINDS] = {cpu, memory, slack};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};

    event.time = f->now;
    event.amount = 1;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* The tasks of a node, whose limits add up to `limit`, use so much: what is left
 * of their limits is its slack. */
static void tell_use(engine_fixture *f, int64_t limit, int64_t use)
{
    int64_t slack;

    sked_vec_excess(&limit, &use, 1, &slack);
    say_of(f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1}, 10, 10,
           slack);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
}

static void ask_for(engine_fixture *f, uint64_t job, int64_t count, int64_t cpu,
                    int64_t memory, int64_t slack)
{
    say_of(f,
           (sked_event){.kind = SKED_EVENT_ASK_ADD,
                        .key = job,
                        .owner = job,
                        .count = count,
                        .flags = slack ? SKED_ASK_WAIT : 0},
           cpu, memory, slack);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
}

/* [PEL-2] A node of 10 cores whose tasks have limits of 8 and use 5: 3 cores of
 * slack go to revocable tasks. Use rises to 7: nothing more starts, and who
 * claims memory next has it from revocable tasks. */
static void what_is_not_used_goes_to_revocable_tasks(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    int64_t used[KINDS], free[KINDS];

    scene_preempt(f, &s);
    say_of(f, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1}, 10, 10, 0);
    scene_work(f, 1, s.a, 0, 0, 0);
    scene_work(f, 2, s.a, SKED_JOB_REVOCABLE, 1, 0);
    ask_for(f, 1, 2, 4, 3, 0); /* limits of 8 */
    ask_for(f, 2, 5, 0, 1, 1); /* no core of its own */
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 1);
    tell_use(f, 8, 5);
    (void)engine_taken(f);
    assert_i64(scene_said(f, SKED_DECISION_ALLOCATE)->count, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->job, 2);
    uint64_t group = scene_said(f, SKED_DECISION_ALLOCATE)->group;
    assert_ok(sked_engine_usage(f->engine, s.a, 0, used, NULL));
    assert_i64(used[CPU], 8);
    assert_i64(used[SLACK], 3);

    tell_use(f, 8, 7); /* use rises */
    assert_i64((int64_t)engine_stats_of(f).nodes_over, 1);
    assert_int_equal(engine_taken(f), 0);
    say_of(
        f,
        (sked_event){
            .kind = SKED_EVENT_JOB_SUBMIT, .key = 3, .queue = s.b, .owner = 3},
        0, 0, 0);
    ask_for(f, 3, 1, 2, 3, 0); /* 2 cores are free, and 1 of memory */
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 0);
    assert_true(scene_hold(f, 3) > 0);
    assert_i64(scene_told(f, 2), 2);
    assert_i64(scene_told(f, 1), 0);
    assert_true(scene_hold(f, 18) > 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 3);
    assert_i64((int64_t)engine_stats_of(f).nodes_over, 0);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[SLACK], 0);
    for (int64_t t = 21; t < 60; t += 3) assert_int_equal(scene_hold(f, t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_is_not_used_goes_to_revocable_tasks, slack_setup,
            engine_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
