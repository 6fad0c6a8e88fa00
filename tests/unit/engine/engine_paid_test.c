/* Reservations whose victims got kill orders ("paid"), beside others on the
 * same node: each task of a claim starts 19 seconds after it was asked for. */
#include "engine_scene.h"

enum { SERVED_AFTER = 19 };

/* A node of 10 cpu, 9 of them used by tasks of queue `b`. Queue `x` has a
 * guarantee of 2, queue `y` of 1. Job 1 is of `b`, job 2 of `x`, job 3 of
 * `y`. */
static void paid_begin(engine_fixture *f)
{
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .ignored_ppm = -1,
                                   .factor_ppm = 1000000,
                                   .per_round_ppm = -1};
    sked_engine_preempt_options preempt = {.struct_size = sizeof preempt,
                                           .targets = &targets};
    sked_queue_id x = engine_queue(f, f->root, "x");
    sked_queue_id y = engine_queue(f, f->root, "y");
    sked_queue_id b = engine_queue(f, f->root, "b");

    engine_set(f, x, SKED_QUEUE_GUARANTEE_PPM, 200000);
    engine_set(f, y, SKED_QUEUE_GUARANTEE_PPM, 100000);
    engine_set(f, b, SKED_QUEUE_GUARANTEE_PPM, 400000);
    engine_begin(f, NULL);
    assert_ok(sked_engine_preempt(f->engine, &preempt, &f->err));
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, b, 1);
    engine_add_job(f, 2, x, 2);
    engine_add_job(f, 3, y, 3);
}

static void paid_fill(engine_fixture *f, int64_t tasks)
{
    assert_ok(engine_add_ask(f, 1, 1, tasks, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
}

/* What a host does with decisions: it ends killed tasks a second later. */
typedef struct paid_host {
    uint64_t group[8];
    int64_t count[8];
    uint32_t killed;
    int started[3]; /* asks 2 and 3: 1: a task has started */
} paid_host;

static void paid_hear(engine_fixture *f, paid_host *h)
{
    (void)engine_taken(f);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind == SKED_DECISION_KILL) {
            assert_true(h->killed < 8);
            h->group[h->killed] = d->group;
            h->count[h->killed++] = d->count;
        }
        if (d->kind != SKED_DECISION_ALLOCATE) continue;
        if (d->ask == 2 || d->ask == 3) h->started[d->ask - 1] = 1;
    }
}

/* One second: kills end, a round every third second, a heartbeat. */
static void paid_second(engine_fixture *f, paid_host *h, int64_t second)
{
    paid_host before = *h;

    f->now = (second + 1) * (int64_t)SECOND;
    h->killed = 0;
    for (uint32_t i = 0; i < before.killed; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, before.group[i],
                             before.count[i]));
    }
    if (second % 3 == 0) {
        assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
        paid_hear(f, h);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    paid_hear(f, h);
}

/* x waits for the free unit and one victim. y asks just before the victim gets
 * its kill order, and has a victim of its own. */
static void a_paid_task_keeps_the_free_amount_of_its_plan(void **state)
{
    engine_fixture *f = *state;
    paid_host h = {0};

    paid_begin(f);
    paid_fill(f, 9);
    f->now = SECOND;
    assert_ok(engine_add_ask(f, 2, 2, 1, 2, 1));
    for (int64_t s = 1; s <= SERVED_AFTER; s++) {
        assert_false(h.started[1]);
        if (s == 17) assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
        paid_second(f, &h, s);
    }
    assert_true(h.started[1]);
}

/* x and y wait for one task each. x asks for one task more just before both
 * victims get their kill orders. */
static void a_new_task_takes_no_victim_of_another_queue(void **state)
{
    engine_fixture *f = *state;
    paid_host h = {0};

    paid_begin(f);
    paid_fill(f, 10);
    f->now = SECOND;
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 1));
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
    for (int64_t s = 1; s <= SERVED_AFTER; s++) {
        assert_false(h.started[2]);
        if (s == 17) {
            assert_ok(engine_say(f,
                                 (sked_event){.kind = SKED_EVENT_ASK_CHANGE,
                                              .key = 2,
                                              .count = 2},
                                 0, 0));
        }
        paid_second(f, &h, s);
    }
    assert_true(h.started[1] && h.started[2]);
}

/* x waits for the free unit and one victim. y asks for one more task every few
 * seconds, behind x. */
static void a_waiting_task_keeps_free_amounts_from_tasks_behind_it(void **state)
{
    engine_fixture *f = *state;

    for (int64_t period = 1; period <= 13; period++) {
        uint64_t key = 100;
        paid_host h = {0};
        if (period > 1) {
            assert_int_equal(engine_teardown(state), 0);
            assert_int_equal(engine_setup(state), 0);
            f = *state;
        }
        paid_begin(f);
        paid_fill(f, 9);
        f->now = SECOND;
        assert_ok(engine_add_ask(f, 2, 2, 1, 2, 1));
        for (int64_t s = 1; s <= SERVED_AFTER; s++) {
            assert_false(h.started[1]);
            if (s % period == 0)
                assert_ok(engine_add_ask(f, key++, 3, 1, 1, 1));
            paid_second(f, &h, s);
        }
        assert_true(h.started[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_paid_task_keeps_the_free_amount_of_its_plan),
        engine_case(a_new_task_takes_no_victim_of_another_queue),
        engine_case(a_waiting_task_keeps_free_amounts_from_tasks_behind_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
