/* Rounds find the plan of a gang over nodes again while its victims have notice. */
#include "engine_gangs.h"
#include "engine_scene.h"

enum { OTHER = 1, GIVES = 2, GANG = 3 }; /* jobs, and their asks */

static sked_queue_id queue_of(engine_fixture *f, sked_queue_id up,
                              const char *name, int64_t guarantee)
{
    sked_queue_id id = engine_queue(f, up, name);
    const int64_t amount[] = {guarantee, 0};

    assert_ok(
        sked_tree_set_vec(f->tree, id, SKED_QUEUE_GUARANTEE, amount, NULL));
    return id;
}

/* 4 of 7 cpu of node 1 are another's; 8 of 16 of node 2 are of a queue that keeps
 * 7, below a limit of 16 that it shares with the gang's. */
static scene begin(engine_fixture *f)
{
    scene s = {
        .targets = {.struct_size = sizeof s.targets,
                    .ignored_ppm = -1,
                    .factor_ppm = 1000000,
                    .per_round_ppm = -1},
        .rounds = {.struct_size = sizeof s.rounds,
                   .grace_ns = 9 * (int64_t)SECOND},
        .preempt = {.struct_size = sizeof s.preempt, .gangs = 1},
    };
    const int64_t limit[] = {16, SKED_UNLIMITED};
    sked_queue_id other = engine_queue(f, f->root, "other");
    sked_queue_id up = queue_of(f, f->root, "up", 16);
    sked_queue_id gives = queue_of(f, up, "gives", 7);
    sked_queue_id gang = queue_of(f, up, "gang", 9);

    assert_ok(sked_tree_set_vec(f->tree, up, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 7, 100);
    engine_add_job(f, OTHER, other, OTHER);
    assert_ok(engine_add_ask(f, OTHER, OTHER, 1, 4, 0));
    (void)engine_beat(f, 1);
    engine_add_node(f, 2, 0, 16, 100);
    engine_add_job(f, GIVES, gives, GIVES);
    assert_ok(engine_add_ask(f, GIVES, GIVES, 2, 4, 0));
    (void)engine_beat(f, 2);
    engine_add_job(f, GANG, gang, GANG);
    return s;
}

/* Of three tasks of 3 cpu, two on one node at most. With two on node 2 there is
 * none for the third: what makes way for it below the limit runs there. */
static void it_is_found_again(void **state)
{
    engine_fixture *f = *state;
    const int64_t amounts[] = {3, 0};
    const sked_event_gang gang = {.per_node = 2};
    const sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                              .key = GANG,
                              .owner = GANG,
                              .count = 3,
                              .amount = 1,
                              .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};

    (void)begin(f);
    assert_ok(
        sked_engine_apply(f->engine,
                          &(sked_events){.struct_size = sizeof(sked_events),
                                         .events = &event,
                                         .n = 1,
                                         .amounts = amounts,
                                         .n_amounts = 1,
                                         .gangs = &gang},
                          NULL, &f->err));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 1);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 3);
    assert_int_equal(scene_hold(f, 6), 0);
    assert_int_equal(scene_hold(f, 9), 0);
    (void)scene_hold(f, 12);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED,
                         scene_said(f, SKED_DECISION_KILL)->group, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, GANG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(it_is_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
