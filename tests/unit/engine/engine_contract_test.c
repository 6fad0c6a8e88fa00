/* Contracts read from an engine: what a job is asked to free, and credit. */
#include "engine_fixture.h"

enum { SECOND = 1000000000 };

typedef struct scene {
    sked_queue_id a, b; /* half of everything each */
    sked_engine_notice notice[8];
    int64_t amounts[2];
    size_t n;
} scene;

/* Two nodes of 10 cpu, full of job 1 in `a`: ask 1 on node 1, ask 3 on node
 * 2; job 2 of `b` has nothing yet. */
static scene begin(engine_fixture *f, uint32_t flags)
{
    scene s = {0};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = 1000000,
                                         .per_round_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .flags = flags,
                                       .grace_ns = 15 * (int64_t)SECOND};
    const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .rounds = &rounds};

    s.a = engine_queue(f, f->root, "a");
    s.b = engine_queue(f, f->root, "b");
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_begin(f, NULL);
    assert_ok(sked_engine_preempt(f->engine, &preempt, &f->err));
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    for (uint64_t node = 1; node <= 2; node++) {
        engine_add_node(f, node, 0, 10, 100);
        assert_ok(engine_add_ask(f, 2 * node - 1, 1, 10, 1, 2));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
        f->now += SECOND;
    }
    (void)engine_taken(f);
    return s;
}

static void read_contract(engine_fixture *f, scene *s, int32_t contract)
{
    assert_ok(sked_engine_contract(f->engine, 1, contract, s->amounts,
                                   s->notice, 8, &s->n));
}

static void hold(engine_fixture *f, int64_t seconds)
{
    f->now = seconds * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
    (void)engine_taken(f);
}

static uint64_t count_said(const engine_fixture *f, int32_t kind)
{
    uint64_t n = 0;

    for (size_t i = 0; i < 64; i++) {
        n += f->last[i].kind == kind ? (uint64_t)f->last[i].count : 0;
    }
    return n;
}

static void a_contract_says_how_much_and_what_would_go(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);

    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_true(s.n == 0 && s.amounts[0] == 0 && s.amounts[1] == 0);
    assert_ok(engine_add_ask(f, 2, 2, 4, 1, 2));
    hold(f, 3);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.n, 1);
    assert_true(s.amounts[0] == 4 && s.amounts[1] == 8);
    assert_int_equal(s.notice[0].count, 4);
    assert_int_equal(s.notice[0].deadline, 18 * (int64_t)SECOND);
    assert_int_equal(s.notice[0].reserved, 0);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_NOTIFY) continue;
        assert_true(d->group == s.notice[0].group);
        assert_true(d->task == s.notice[0].task);
        assert_true(d->ask == s.notice[0].ask && d->node == s.notice[0].node);
        assert_true(d->partition == s.notice[0].partition);
    }
    read_contract(f, &s, SKED_ROUND_CONTRACT_STRICT);
    assert_int_equal(s.n, 0);
}

/* The tasks of its other group, on the other node, do as well. */
static void other_tasks_that_end_are_credited(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);

    assert_ok(engine_add_ask(f, 2, 2, 4, 1, 2));
    hold(f, 3);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    uint64_t told = s.notice[0].node;
    hold(f, 4);
    sked_engine_stats before = engine_stats_of(f);
    const uint64_t other = told == 1 ? 2 : 1;
    /* Names of groups go up from 1 in the order of starting. */
    const uint64_t name = other << 32 | other;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, name, 3));
    assert_true(engine_stats_of(f).running_tasks == before.running_tasks - 3);
    hold(f, 5);
    assert_int_equal(count_said(f, SKED_DECISION_WITHDRAW), 3);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.amounts[0], 1);
    assert_int_equal(s.notice[0].deadline, 18 * (int64_t)SECOND);
    hold(f, 18);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 1);
}

static void what_was_told_to_end_is_strict(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);

    assert_ok(engine_add_ask(f, 2, 2, 4, 1, 2));
    hold(f, 3);
    hold(f, 18);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.n, 0);
    read_contract(f, &s, SKED_ROUND_CONTRACT_STRICT);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.notice[0].task, f->last[0].task);
    assert_int_equal(s.notice[0].count, 4);
    assert_true(s.notice[0].deadline == SKED_UNSET);
    assert_true(s.amounts[0] == 4 && s.amounts[1] == 8);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, s.notice[0].group, 4));
    read_contract(f, &s, SKED_ROUND_CONTRACT_STRICT);
    assert_int_equal(s.n, 0);
}

/* Notices of different ages on one group speak of different tasks. */
static void notices_do_not_overlap(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);

    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 2));
    hold(f, 3);
    assert_ok(engine_add_ask(f, 5, 2, 3, 1, 2));
    hold(f, 6);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.amounts[0], 5);
    for (size_t i = 1; i < s.n; i++) {
        const sked_engine_notice *was = &s.notice[i - 1], *is = &s.notice[i];
        if (was->group != is->group) continue;
        assert_true(is->task + is->count == was->task);
        assert_true(is->deadline > was->deadline);
    }
    hold(f, 18);
    read_contract(f, &s, SKED_ROUND_CONTRACT_STRICT);
    assert_int_equal(s.amounts[0], 2);
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.amounts[0], 3);
}

/* [CAP-5] From the queue's amount to the applications' to their tasks: two
 * jobs of the queue that gives, and what they are asked for in all is what the
 * round told. */
static void what_jobs_are_asked_for_adds_up_to_the_round(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);
    int64_t asked = 0;
    uint64_t tasks = 0;

    engine_add_job(f, 7, s.a, 7);
    engine_add_node(f, 3, 0, 4, 40);
    assert_ok(engine_add_ask(f, 70, 7, 4, 1, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 3));
    assert_ok(engine_add_ask(f, 2, 2, 12, 1, 2));
    (void)engine_taken(f);
    hold(f, 3);
    const uint64_t jobs[] = {1, 7};
    for (size_t j = 0; j < 2; j++) {
        assert_ok(sked_engine_contract(f->engine, jobs[j],
                                       SKED_ROUND_CONTRACT_NEGOTIABLE,
                                       s.amounts, s.notice, 8, &s.n));
        assert_true(s.n > 0);
        asked += s.amounts[0];
        for (size_t i = 0; i < s.n; i++) tasks += (uint64_t)s.notice[i].count;
    }
    assert_int_equal(count_said(f, SKED_DECISION_NOTIFY), 12);
    assert_int_equal(tasks, 12);
    assert_int_equal(asked, 12);
}

static void odd_reads_are_refused(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, 0);
    int64_t amounts[2] = {-7, -7};
    sked_engine_notice notice;
    size_t n = 9;

    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 2));
    hold(f, 3);
    assert_status(SKED_ERR_RANGE,
                  sked_engine_contract(f->engine, 1,
                                       SKED_ROUND_CONTRACT_NEGOTIABLE, amounts,
                                       NULL, 0, &n));
    assert_true(n == 1 && amounts[0] == -7);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_engine_contract(f->engine, 99,
                                       SKED_ROUND_CONTRACT_NEGOTIABLE, amounts,
                                       &notice, 1, &n));
    assert_status(SKED_ERR_ARG, sked_engine_contract(f->engine, 1, 3, amounts,
                                                     &notice, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_engine_contract(f->engine, 1, SKED_ROUND_CONTRACT_STRICT,
                                       amounts, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_engine_contract(f->engine, 1, SKED_ROUND_CONTRACT_STRICT,
                                       amounts, &notice, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_contract(NULL, 1, SKED_ROUND_CONTRACT_STRICT,
                                       amounts, &notice, 1, &n));
    assert_ok(sked_engine_contract(f->engine, 2, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                   NULL, NULL, 0, &n));
    assert_int_equal(n, 0);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    hold(f, 6);
    assert_ok(sked_engine_preempt(f->engine, NULL, NULL));
    read_contract(f, &s, SKED_ROUND_CONTRACT_NEGOTIABLE);
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_contract_says_how_much_and_what_would_go),
        engine_case(other_tasks_that_end_are_credited),
        engine_case(what_was_told_to_end_is_strict),
        engine_case(notices_do_not_overlap),
        engine_case(what_jobs_are_asked_for_adds_up_to_the_round),
        engine_case(odd_reads_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
