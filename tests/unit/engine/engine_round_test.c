/* Rounds of preemption in the engine: what worlds against the slow twin found,
 * each fault by itself. */
#include "engine_scene.h"

/* A request for nothing is none; it once made every round fail. */
static void an_ask_for_nothing_asks_no_round(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        10, 10));
    assert_ok(engine_add_ask(f, 3, 2, 2, 0, 0));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, 2);
}

static void submit(engine_fixture *f, uint64_t job, sked_queue_id queue,
                   int32_t priority)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = job,
                                      .queue = queue,
                                      .owner = 1,
                                      .priority = priority},
                         0, 0));
}

/* One task of the first ask gets in as a claim; then the second ask; then
 * another of the first by its priority. The room of the last alone was kept. */
static void placements_by_two_rules_are_one_reservation(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    submit(f, 1, s.a, 0);
    submit(f, 2, s.b, 0);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    submit(f, 3, s.b, 5);
    assert_ok(engine_add_ask(f, 3, 3, 2, 2, 1));
    assert_ok(engine_add_ask(f, 4, 3, 1, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 3);
    (void)scene_hold(f, 6); /* and stay so */
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 0);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
}

/* Room that victims made is not lost with a word about the node. */
static void a_node_that_changes_keeps_its_rooms(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        10, 90));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 2);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                     SKED_REASON_HELD);
}

/* A pass that may start one task leaves the rest of a room to the next. */
static void a_reservation_is_used_pass_by_pass(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .max_per_pass = 1};

    engine_begin(f, &opts);
    scene s = scene_begin(f);
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_job(f, 1, s.a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    for (int i = 0; i < 4; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind != SKED_DECISION_KILL) continue;
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[i].group, 1));
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        (void)engine_taken(f);
        assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                         SKED_REASON_HELD);
    }
}

/* Each start begins an ask's wait for its place anew; where others were told to
 * end for it, it waits no more. */
static void what_others_ended_for_waits_for_no_other_place(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .node_delay_ns = 60 * (int64_t)SECOND};
    const uint64_t elsewhere = 7;
    const int32_t offsets[] = {0, 1};
    const int64_t one[] = {1, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 3,
                      .owner = 2,
                      .count = 2,
                      .amount = 1,
                      .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = one,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = &elsewhere,
                               .n_places = 1};

    engine_begin(f, &opts);
    scene s = scene_begin(f);
    s.rounds.grace_ns = -1;
    s.preempt.keep_for_ns = 900 * (int64_t)SECOND;
    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    ask.time = f->now;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_int_equal(scene_hold(f, 10), 0); /* no node would have it yet */
    (void)scene_hold(f, 62);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 2);
    for (int i = 0; i < 2; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    (void)engine_taken(f); /* a start begins the wait anew, but not for it */
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 2);
}

/* Less memory makes the second job the one that has more of what there is: a
 * round knows it, also before any node has been filled again. */
static void a_round_goes_by_the_capacity_there_is(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.b, SKED_QUEUE_APPS, SKED_APPS_FAIR);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 12, 120);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    engine_add_job(f, 3, s.b, 3);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 0));
    assert_ok(engine_add_ask(f, 2, 2, 1, 2, 1));
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_add_ask(f, 4, 2, 3, 1, 0));
    assert_ok(engine_add_ask(f, 5, 3, 3, 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        12, 8));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, 4);
}

/* A queue that drains gets nothing new, not even what was kept for it. */
static void a_draining_queue_reserves_nothing(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    engine_set(f, s.b, SKED_QUEUE_STATE, SKED_STATE_DRAINING);
    engine_begin(f, NULL);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 0);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_said(f, SKED_DECISION_WITHDRAW)->ask, 2);
}

/* Three of a gang of four start anew, all at once. Another ask has what its own
 * victim left as soon as that is free, and takes nothing from the gang. */
static void the_rest_of_a_gang_starts_at_once(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    const sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                             .key = 2,
                             .owner = 2,
                             .count = 4,
                             .flags = SKED_ASK_GANG,
                             .amount = 1};

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    engine_add_node(f, 2, 0, 4, 100);
    assert_ok(engine_say(f, gang, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    (void)engine_taken(f);
    uint64_t group = scene_said(f, SKED_DECISION_ALLOCATE)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_ok(engine_add_ask(f, 3, 2, 1, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->count, 3);
    group = scene_said(f, SKED_DECISION_KILL)->group;
    for (int i = 0; i < 4; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 4);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->count, 1);
    int64_t free[2];
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 0); /* the gang has the other three */
}

/* An ask for any partition has room in one where nobody is above its share:
 * nobody is told to end for it in the other. */
static void room_that_is_free_elsewhere_is_counted(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 10,
                      .partition = 1,
                      .amount = 1};

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_node(f, 2, 1, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_say(f, ask, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    ask = (sked_event){.kind = SKED_EVENT_ASK_ADD,
                       .key = 2,
                       .owner = 2,
                       .count = 4,
                       .partition = SKED_ANY_PARTITION,
                       .amount = 1};
    assert_ok(engine_say(f, ask, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_hold(f, 3), 0);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 4);
}

/* What is undone at its deadline counts: where that is more than the pass may
 * decide, it starts nothing. */
static void a_pass_keeps_to_its_budget_whatever_was_due(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 10};

    engine_begin(f, &opts);
    scene s = scene_begin(f);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    for (uint64_t ask = 1; ask <= 3; ask++) {
        assert_ok(engine_add_ask(f, ask, 1, 1, 1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 20, 2, NULL));
    assert_int_equal(engine_taken(f), 3);
    assert_int_equal(scene_count(f, SKED_DECISION_EXPIRE), 3);
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 20, 2, NULL));
    assert_int_equal(engine_taken(f), 2);
}

/* Users of one queue, who share it by weight: what was told to end is not held
 * against its user again. The queue keeps a tenth more than its guarantee,
 * which the user who holds it keeps a half of. */
static void a_user_gives_back_once(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_USER_LIMIT, 500000);
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_begin(f, NULL);
    s.preempt.flags = SKED_PREEMPT_FLAG_BY_USER;
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    engine_add_job(f, 2, s.a, 2);
    assert_ok(engine_add_ask(f, 2, 2, 3, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    engine_add_job(f, 3, s.a, 3);
    assert_ok(engine_add_ask(f, 3, 3, 5, 1, 1));
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3); /* four are left */
    (void)scene_hold(f, 9);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
}

/* Where masters hold all that masters may, a master of a lower priority makes
 * way for one of a higher, and no other task would help. */
static void a_master_makes_way_for_a_master(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .flags = SKED_ASK_MASTER};

    engine_set(f, s.a, SKED_QUEUE_AM_SHARE, 300000);
    engine_begin(f, NULL);
    s.preempt.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    submit(f, 1, s.a, 0);
    submit(f, 2, s.a, 0);
    submit(f, 3, s.a, 5);
    assert_ok(engine_say(f, ask, 3, 3));
    assert_ok(engine_add_ask(f, 2, 2, 4, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    ask.key = ask.owner = 3;
    assert_ok(engine_say(f, ask, 3, 3)); /* 3 are free */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 3 + 2);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->job, 1);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->reason,
                     SKED_REASON_PREEMPTED_PRIORITY);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, 3);
}

/* While a partition has no nodes nothing is guaranteed there, and no queue is
 * below that: time-outs begin anew. */
static void time_outs_begin_anew_with_the_first_node(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.targets.mode = SKED_TARGET_MODE_STARVATION;
    s.targets.utilisation_ppm = -1;
    engine_set(f, s.b, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 10 * (int64_t)SECOND);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    assert_int_equal(scene_hold(f, 2), 0); /* it is below from here on */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    (void)engine_taken(f);
    for (int64_t at = 4; at < 90; at += 5) {
        assert_int_equal(scene_hold(f, at), 0);
    }
    engine_add_node(f, 1, 0, 10, 100);
    assert_int_equal(engine_beat(f, 1), 1); /* all for `a` again */
    assert_ok(engine_add_ask(f, 3, 2, 5, 1, 1));
    (void)scene_hold(f, 91);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    (void)scene_hold(f, 101);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(an_ask_for_nothing_asks_no_round),
        engine_case(placements_by_two_rules_are_one_reservation),
        engine_case(a_node_that_changes_keeps_its_rooms),
        engine_case(a_reservation_is_used_pass_by_pass),
        engine_case(what_others_ended_for_waits_for_no_other_place),
        engine_case(a_round_goes_by_the_capacity_there_is),
        engine_case(a_draining_queue_reserves_nothing),
        engine_case(the_rest_of_a_gang_starts_at_once),
        engine_case(room_that_is_free_elsewhere_is_counted),
        engine_case(a_pass_keeps_to_its_budget_whatever_was_due),
        engine_case(a_user_gives_back_once),
        engine_case(a_master_makes_way_for_a_master),
        engine_case(time_outs_begin_anew_with_the_first_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
