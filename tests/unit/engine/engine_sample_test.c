/* Placing by a sample of the nodes. */
#include <sched/engine_place.h>

#include "engine_fixture.h"

enum { FIRST = 1, PACK, SPREAD };

/* The node on which the i-th decision starts something. */
static uint64_t sampled_node(const engine_fixture *f, size_t i)
{
    assert_int_equal(f->last[i].kind, SKED_DECISION_ALLOCATE);
    return f->last[i].node;
}

/* So many nodes with 4 cpu, one ask of so many tasks of one cpu: the nodes that
 * have some of it, a bit each. */
static uint64_t nodes_of_sample(engine_fixture *f, uint32_t sample,
                                uint32_t mode, int64_t tasks)
{
    const sked_engine_place_options o = {
        .struct_size = sizeof o, .mode = mode, .sample = sample};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    uint64_t nodes = 0;

    engine_begin(f, &(sked_engine_options){
                        .struct_size = sizeof(sked_engine_options), .seed = 3});
    for (uint64_t key = 1; key <= 16; key++) engine_add_node(f, key, 0, 4, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = tasks,
                                      .amount = 1},
                         1, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, &o, &f->err));
    assert_ok(sked_engine_check(f->engine, NULL));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) {
        nodes |= (uint64_t)1 << sampled_node(f, i);
        tasks -= f->last[i].count;
    }
    assert_i64(tasks, 0);
    return nodes;
}

/* Each task draws anew; where all are looked at it is as without a sample. */
static void each_task_has_a_sample(void **state)
{
    engine_fixture *f = *state;

    uint64_t nodes = nodes_of_sample(f, 1, FIRST, 4);
    assert_true((nodes & (nodes - 1)) != 0); /* more than one */
}

/* Also where a task follows another on the same node. */
static void alike_tasks_start_one_by_one(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_place_options o = {
        .struct_size = sizeof o, .mode = PACK, .sample = 1};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int64_t on[3] = {0};

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_node(f, 2, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = 60,
                                      .amount = 1},
                         1, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, &f->err));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) on[sampled_node(f, i)] += f->last[i].count;
    assert_i64(on[1] + on[2], 60);
    assert_true(on[1] >= 15 && on[2] >= 15);
}

static void a_sample_of_all_is_exact(void **state)
{
    engine_fixture *f = *state;

    assert_true(nodes_of_sample(f, 16, FIRST, 6) == 6);
}

static void a_large_sample_is_all(void **state)
{
    engine_fixture *f = *state;

    assert_true(nodes_of_sample(f, UINT32_MAX, PACK, 6) == 6);
}

/* What fits is started, however few nodes are drawn. */
static void a_sample_starts_no_less(void **state)
{
    engine_fixture *f = *state;

    assert_true(nodes_of_sample(f, 1, SPREAD, 64) == 0x1fffe);
}

/* Of those that hold a task one is drawn: here there is but one. */
static void small_nodes_are_in_no_sample(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_place_options o = {
        .struct_size = sizeof o, .mode = PACK, .sample = 1};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    for (uint64_t key = 1; key <= 4; key++) {
        engine_add_node(f, key, 0, key == 3 ? 8 : 4, 100);
    }
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = 1,
                                      .amount = 1},
                         8, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, &f->err));
    assert_int_equal(engine_taken(f), 1);
    assert_true(sampled_node(f, 0) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(each_task_has_a_sample),
        engine_case(alike_tasks_start_one_by_one),
        engine_case(a_sample_of_all_is_exact),
        engine_case(a_large_sample_is_all),
        engine_case(a_sample_starts_no_less),
        engine_case(small_nodes_are_in_no_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
