/* Lazy rounds in the engine: victims run until their room is really taken. */
#include "engine/state.h"
#include "engine_fixture.h"

enum { SECOND = 1000000000 };

typedef struct scene {
    sked_queue_id up, a, b; /* half of everything each, below `up` */
    sked_target_options targets;
    sked_round_options rounds;
    sked_engine_preempt_options preempt;
} scene;

static scene begin(engine_fixture *f, const sked_engine_options *opts)
{
    scene s = {
        .targets = {.struct_size = sizeof s.targets,
                    .ignored_ppm = -1,
                    .factor_ppm = 1000000,
                    .per_round_ppm = -1},
        .rounds = {.struct_size = sizeof s.rounds,
                   .flags = SKED_ROUND_FLAG_LAZY,
                   .grace_ns = 15 * (int64_t)SECOND},
        .preempt = {.struct_size = sizeof s.preempt,
                    .keep_for_ns = 1000 * (int64_t)SECOND},
    };

    s.up = engine_queue(f, f->root, "up");
    engine_set(f, s.up, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    s.a = engine_queue(f, s.up, "a");
    s.b = engine_queue(f, s.up, "b");
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_begin(f, opts);
    return s;
}

static void preempt_on(engine_fixture *f, scene *s)
{
    s->preempt.targets = &s->targets;
    s->preempt.rounds = &s->rounds;
    assert_ok(sked_engine_preempt(f->engine, &s->preempt, &f->err));
}

/* A node of 10 cpu full of job 1's two asks, the first with two tasks, in `a`;
 * job 2 of `b` wants `more`. */
static void fill(engine_fixture *f, const scene *s, int64_t more)
{
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = SECOND;
    assert_ok(engine_add_ask(f, 3, 1, 8, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    if (more) assert_ok(engine_add_ask(f, 2, 2, more, 1, 1));
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

static const sked_decision *said(const engine_fixture *f, int32_t kind)
{
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind == kind) return &f->last[i];
    }
    fail_msg("nothing of kind %d was said", kind);
    return NULL;
}

/* A round never ends anybody. */
static size_t hold(engine_fixture *f, int64_t seconds)
{
    f->now = seconds * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
    size_t n = engine_taken(f);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 0);
    return n;
}

static size_t beat(engine_fixture *f, uint64_t node)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    assert_ok(sked_engine_check(f->engine, NULL));
    return engine_taken(f);
}

/* Tells and offers: rounds at 3 s and, after the grace, at 18 s. */
static uint64_t offer(engine_fixture *f, uint64_t tasks)
{
    (void)hold(f, 3);
    assert_int_equal(count_said(f, SKED_DECISION_NOTIFY), tasks);
    uint64_t group = said(f, SKED_DECISION_NOTIFY)->group;
    assert_int_equal(hold(f, 18), 0);
    return group;
}

static void victims_end_when_what_they_free_is_claimed(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 8);
    uint64_t group = offer(f, 5);
    for (int64_t t = 21; t < 60; t += 3) assert_int_equal(hold(f, t), 0);
    assert_true(beat(f, 1) > 0);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 5);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 0);
    assert_int_equal(said(f, SKED_DECISION_KILL)->group, group);
    assert_int_equal(said(f, SKED_DECISION_KILL)->reason,
                     SKED_REASON_PREEMPTED);
    assert_int_equal(beat(f, 1), 0); /* they are on their way */
    assert_int_equal(hold(f, 63), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 5));
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 5);
    assert_int_equal(said(f, SKED_DECISION_ALLOCATE)->reason, SKED_REASON_HELD);
    for (int64_t t = 66; t < 90; t += 3) assert_int_equal(hold(f, t), 0);
}

/* What ends by itself is room enough, and nobody is stopped. */
static void room_that_comes_free_saves_the_victims(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    engine_add_node(f, 2, 0, 2, 20);
    engine_add_job(f, 7, s.a, 1);
    assert_ok(engine_add_ask(f, 7, 7, 2, 1, 1));
    (void)beat(f, 2);
    uint64_t other = said(f, SKED_DECISION_ALLOCATE)->group;
    fill(f, &s, 1);
    (void)offer(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, other, 1));
    (void)beat(f, 2);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 1);
    assert_int_equal(beat(f, 1), 0); /* whose room nobody takes any more */
    (void)hold(f, 21);
    assert_int_equal(count_said(f, SKED_DECISION_WITHDRAW), 1);
    assert_int_equal(said(f, SKED_DECISION_WITHDRAW)->reason,
                     SKED_REASON_NEED_GONE);
    assert_int_equal(beat(f, 1), 0);
}

/* Job 2 asks for a task on a node that is not there. */
static void ask_elsewhere(engine_fixture *f, uint32_t flags)
{
    const uint64_t place = 77;
    const int32_t offsets[] = {0, 1};
    const int64_t amounts[] = {1, 1};
    const sked_event ask = {.time = f->now,
                            .kind = SKED_EVENT_ASK_ADD,
                            .key = 9,
                            .owner = 2,
                            .count = 1,
                            .flags = flags,
                            .amount = 1,
                            .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = &place,
                               .n_places = 1};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    (void)engine_taken(f);
}

/* Job 2's ask would like a node that is not there, and waits two node events
 * before it takes another one. */
static void nobody_ends_for_an_ask_that_still_waits(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .node_misses = 2};
    scene s = begin(f, &opts);

    preempt_on(f, &s);
    fill(f, &s, 0);
    ask_elsewhere(f, 0);
    (void)offer(f, 1);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 0);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 1);
}

/* One that insists on a node that is not there has nobody told at all. */
static void nobody_is_told_for_an_ask_that_never_comes(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 0);
    ask_elsewhere(f, SKED_ASK_STRICT);
    assert_int_equal(hold(f, 3), 0);
    for (int64_t t = 6; t < 60; t += 3) {
        assert_int_equal(hold(f, t), 0);
        assert_int_equal(beat(f, 1), 0);
    }
}

/* The parent is full of what the victims use: that counts as given back. */
static void a_full_parent_takes_what_its_victims_free(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {10, 100};
    scene s = begin(f, NULL);

    assert_ok(sked_tree_set_vec(f->tree, s.up, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    preempt_on(f, &s);
    fill(f, &s, 3);
    uint64_t group = offer(f, 3);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 0);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 1);
}

/* A limit that was lowered meanwhile, with no victim below it, lets nobody
 * in, so nobody ends. */
static void nobody_ends_for_an_ask_beyond_a_limit(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {0, 1};
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 3);
    (void)offer(f, 3);
    assert_ok(sked_tree_set_vec(f->tree, s.b, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    assert_int_equal(beat(f, 1), 0);
    (void)hold(f, 21);
    assert_int_equal(count_said(f, SKED_DECISION_WITHDRAW), 6); /* and rooms */
}

/* A user at the limit of users has to wait, so nothing is reserved for it and
 * no victim gets a kill order. */
static void users_at_their_limit_reserve_nothing(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    engine_set(f, s.b, SKED_QUEUE_USER_LIMIT, 200000);
    engine_begin(f, NULL);
    s.targets.flags = SKED_TARGET_FLAG_BALANCE;
    preempt_on(f, &s);
    engine_add_node(f, 2, 0, 2, 20);
    engine_add_job(f, 8, s.b, 2);
    engine_add_job(f, 9, s.b, 3);
    assert_ok(engine_add_ask(f, 8, 8, 1, 1, 1));
    assert_ok(engine_add_ask(f, 9, 9, 1, 1, 1));
    (void)beat(f, 2);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 2);
    fill(f, &s, 5);
    (void)hold(f, 3);
    uint64_t told = count_said(f, SKED_DECISION_NOTIFY);
    assert_true(told > 0 && told < 5);
    uint64_t group = said(f, SKED_DECISION_NOTIFY)->group;
    (void)hold(f, 18);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), told);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, (int64_t)told));
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), told);
}

/* Victims of the same user, by priority: what they give back is the user's. */
static void inside_a_leaf_the_user_takes_what_victims_free(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    engine_set(f, s.a, SKED_QUEUE_USER_LIMIT, 1000000);
    engine_begin(f, NULL);
    s.preempt.flags = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    preempt_on(f, &s);
    fill(f, &s, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = 5,
                                      .queue = s.a,
                                      .owner = 1,
                                      .priority = 9},
                         0, 0));
    assert_ok(engine_add_ask(f, 5, 5, 2, 1, 1));
    (void)engine_taken(f);
    (void)hold(f, 3);
    (void)hold(f, 18);
    size_t ended = 0;
    for (int i = 0; i < 4; i++) {
        (void)beat(f, 1);
        if (!count_said(f, SKED_DECISION_KILL)) continue;
        ended += count_said(f, SKED_DECISION_KILL);
        const sked_decision killed = *said(f, SKED_DECISION_KILL);
        assert_ok(
            engine_end(f, SKED_EVENT_TASK_KILLED, killed.group, killed.count));
        (void)beat(f, 1);
        assert_int_equal(said(f, SKED_DECISION_ALLOCATE)->ask, 5);
    }
    assert_true(ended <= 2);
}

static void gangs_end_and_start_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    s.rounds.grace_ns = -1;
    preempt_on(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .owner = 1,
                      .count = 2,
                      .flags = SKED_ASK_GANG,
                      .amount = 1};
    for (ask.key = 1; ask.key <= 5; ask.key++) {
        assert_ok(engine_say(f, ask, 1, 1));
    }
    (void)beat(f, 1);
    ask.key = 9;
    ask.owner = 2;
    ask.count = 4;
    assert_ok(engine_say(f, ask, 1, 1));
    (void)engine_taken(f);
    (void)hold(f, 3);
    assert_int_equal(count_said(f, SKED_DECISION_NOTIFY), 0);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 4);
    sked_decision killed[2] = {f->last[0], f->last[1]};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(killed[i].count, 2);
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, killed[i].group, 2));
        (void)beat(f, 1);
        assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), i ? 4 : 0);
    }
}

/* The offered group shrinks before its room is taken: the rest goes. */
static void what_ends_before_is_not_told_to_end(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 4);
    uint64_t group = offer(f, 4);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 2);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 2);
}

static void a_pass_that_ends_early_goes_on(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);
    uint64_t ended = 0;

    preempt_on(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    for (uint64_t i = 1; i <= 10; i++) { /* a group each */
        assert_ok(engine_add_ask(f, i, 1, 1, 1, 1));
        (void)beat(f, 1);
    }
    assert_ok(engine_add_ask(f, 99, 2, 1, 3, 3));
    (void)hold(f, 3);
    (void)hold(f, 18);
    /* Those who make way for one task end together. */
    assert_ok(sked_engine_pass(f->engine, f->now, 1, NULL));
    assert_int_equal(engine_taken(f), 3);
    ended += count_said(f, SKED_DECISION_KILL);
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(ended, 3);
    assert_ok(sked_engine_pass(f->engine, f->now, 1, NULL));
    assert_int_equal(engine_taken(f), 0);
}

/* Two asks have room on one node; a pass ends with the first task of the first,
 * and what is kept for the other stays kept. */
static void a_pass_that_ends_early_keeps_what_comes_after(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);
    int64_t free[2];

    preempt_on(f, &s);
    fill(f, &s, 2);
    assert_ok(engine_add_ask(f, 4, 2, 2, 1, 2));
    uint64_t group = offer(f, 4);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 4);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 4));
    (void)engine_taken(f);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 4);
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, f->now, 1, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal((int64_t)f->last[0].ask, 2);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    (void)engine_taken(f);
    assert_int_equal(count_said(f, SKED_DECISION_ALLOCATE), 3);
    assert_int_equal(said(f, SKED_DECISION_ALLOCATE)->reason, SKED_REASON_HELD);
}

/* Decisions that nobody takes fill their ring, so that the first victim finds
 * no room to be told in: nothing is told, and the next heartbeat does it. */
static void a_heartbeat_without_memory_is_made_up_for(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 5);
    (void)offer(f, 5);
    for (uint64_t job = 100;
         f->engine->out_next - f->engine->out_from < f->engine->out_cap;
         job++) {
        engine_add_job(f, job, s.a, 1);
    }
    f->host.requests = 0;
    f->host.fail_at = 1;
    assert_status(SKED_ERR_NOMEM, engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->host.fail_at = 0;
    assert_ok(sked_engine_check(f->engine, NULL));
    while (engine_taken(f) == 64)
        assert_int_equal(count_said(f, SKED_DECISION_KILL), 0);
    (void)beat(f, 1);
    assert_int_equal(count_said(f, SKED_DECISION_KILL), 5);
}

static void the_state_knows_the_victims(void **state)
{
    engine_fixture *f = *state;
    scene s = begin(f, NULL);

    preempt_on(f, &s);
    fill(f, &s, 2);
    uint64_t before = sked_engine_state_digest(f->engine);
    (void)offer(f, 2);
    assert_true(before != sked_engine_state_digest(f->engine));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    (void)engine_taken(f);
    (void)hold(f, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(victims_end_when_what_they_free_is_claimed),
        engine_case(room_that_comes_free_saves_the_victims),
        engine_case(nobody_ends_for_an_ask_that_still_waits),
        engine_case(nobody_is_told_for_an_ask_that_never_comes),
        engine_case(a_full_parent_takes_what_its_victims_free),
        engine_case(nobody_ends_for_an_ask_beyond_a_limit),
        engine_case(users_at_their_limit_reserve_nothing),
        engine_case(inside_a_leaf_the_user_takes_what_victims_free),
        engine_case(gangs_end_and_start_as_a_whole),
        engine_case(what_ends_before_is_not_told_to_end),
        engine_case(a_pass_that_ends_early_goes_on),
        engine_case(a_pass_that_ends_early_keeps_what_comes_after),
        engine_case(a_heartbeat_without_memory_is_made_up_for),
        engine_case(the_state_knows_the_victims),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
