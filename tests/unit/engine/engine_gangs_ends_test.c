/* Events that are said of all groups of an ask at once. */
#include "engine_gangs.h"

static sked_status say_all(engine_fixture *f, int32_t kind, uint64_t ask,
                           uint32_t flags)
{
    return engine_say(
        f,
        (sked_event){.kind = kind, .key = ask, .flags = flags | SKED_TASK_ALL},
        1, 1);
}

/* A gang of 6 over three nodes, proposed where hosts confirm. */
static void gang_of_six(engine_fixture *f, int64_t confirm_within)
{
    static const gang_part parts[] = {{1, 0, 2}, {2, 2, 2}, {3, 4, 2}};
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = confirm_within};

    nodes_of_four(f, &opts, 3);
    assert_ok(add_gang(f, 1, 6, 2));
    starts_parts(f, 2, 1, parts, 3);
}

static void frees(engine_fixture *f, int64_t cpu)
{
    int64_t free[2];

    for (uint64_t node = 1; node <= 3; node++) {
        assert_ok(sked_engine_node_free(f->engine, node, free));
        assert_i64(free[0], cpu);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void a_gang_is_confirmed_and_ends_at_once(void **state)
{
    engine_fixture *f = *state;

    gang_of_six(f, 100);
    assert_ok(say_all(f, SKED_EVENT_TASK_CONFIRM, 1, 0));
    f->now += 200; /* nothing is undone at the deadline */
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 0);
    frees(f, 2);
    assert_status(SKED_ERR_STATE, say_all(f, SKED_EVENT_TASK_CONFIRM, 1, 0));
    assert_ok(say_all(f, SKED_EVENT_TASK_FINISH, 1, 0));
    assert_int_equal(engine_taken(f), 0);
    frees(f, 4);
    assert_status(SKED_ERR_NOT_FOUND, say_all(f, SKED_EVENT_TASK_FINISH, 1, 0));
}

static void a_gang_is_refused_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    static const gang_part again[] = {{4, 0, 2}, {5, 2, 2}, {6, 4, 2}};

    gang_of_six(f, 100);
    assert_ok(say_all(f, SKED_EVENT_TASK_REFUSE, 1, 0));
    frees(f, 4);
    starts_no_part(f, 1); /* the host would have none of them there */
    for (uint64_t n = 4; n <= 6; n++) engine_add_node(f, n, 0, 4, 100);
    starts_parts(f, 4, 1, again, 3);
    assert_ok(say_all(f, SKED_EVENT_TASK_REFUSE, 1, SKED_REFUSE_ASK));
    starts_no_part(f, 4);
    assert_status(SKED_ERR_STATE, say_all(f, SKED_EVENT_TASK_REFUSE, 1, 0));
}

static void lost_members_are_one_gang_again(void **state)
{
    engine_fixture *f = *state;
    static const gang_part again[] = {{1, 0, 2}, {2, 2, 2}, {3, 4, 2}};

    gang_of_six(f, 0);
    assert_ok(say_all(f, SKED_EVENT_TASK_LOST, 1, 0));
    assert_int_equal(engine_taken(f), 3);
    for (int i = 0; i < 3; i++) { /* the newest first */
        assert_int_equal(f->last[i].kind, SKED_DECISION_REQUEUE);
        assert_i64(f->last[i].task, 4 - 2 * i);
        assert_i64(f->last[i].count, 2);
    }
    frees(f, 4);
    starts_parts(f, 2, 1, again, 3);
    assert_ok(say_all(f, SKED_EVENT_TASK_FAIL, 1, 0)); /* not to be retried */
    assert_int_equal(engine_taken(f), 0);
    frees(f, 4);
}

static void killed_are_those_that_were_told(void **state)
{
    engine_fixture *f = *state;

    gang_of_six(f, 0);
    assert_status(SKED_ERR_STATE, say_all(f, SKED_EVENT_TASK_KILLED, 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_int_equal(engine_taken(f), 3);
    frees(f, 2);
    assert_ok(say_all(f, SKED_EVENT_TASK_KILLED, 1, 0));
    frees(f, 4);
}

static void bad_events_change_nothing(void **state)
{
    engine_fixture *f = *state;
    sked_event event = {.kind = SKED_EVENT_TASK_FINISH,
                        .key = 1,
                        .count = 6,
                        .flags = SKED_TASK_ALL};

    gang_of_six(f, 100);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, engine_say(f, event, 1, 1));
    event.kind = SKED_EVENT_TASK_REFUSE;
    assert_status(SKED_ERR_RANGE, engine_say(f, event, 1, 1));
    assert_status(SKED_ERR_NOT_FOUND, say_all(f, SKED_EVENT_TASK_REFUSE, 2, 0));
    assert_status(SKED_ERR_NOT_FOUND,
                  say_all(f, SKED_EVENT_TASK_CONFIRM, 2, 0));
    assert_status(SKED_ERR_ARG,
                  say_all(f, SKED_EVENT_TASK_REFUSE, 1, SKED_REFUSE_SOME));
    assert_status(SKED_ERR_ARG, say_all(f, SKED_EVENT_TASK_REFUSE, 1,
                                        SKED_REFUSE_ASK | SKED_REFUSE_JOB));
    assert_status(SKED_ERR_ARG,
                  say_all(f, SKED_EVENT_TASK_CONFIRM, 1, SKED_CONFIRM_ACTUAL));
    assert_status(SKED_ERR_ARG, /* that one is of a group */
                  say_all(f, SKED_EVENT_TASK_SAVED, 1, 0));
    const sked_time past = f->now - 1;
    event.count = 0;
    event.time = f->now;
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .moments = &past};
    assert_status(SKED_ERR_RANGE,
                  sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_true(sked_engine_state_digest(f->engine) == before);
}

/* Each event, with memory lacking everywhere in turn: all or nothing. */
static void lacking_memory_ends_none(void **state)
{
    static const int32_t kinds[] = {SKED_EVENT_TASK_LOST,
                                    SKED_EVENT_TASK_REFUSE};
    engine_fixture *f = *state;

    nodes_of_four(
        f,
        &(sked_engine_options){.struct_size = sizeof(sked_engine_options),
                               .confirm_within_ns = 100},
        1);
    for (uint64_t n = 2; n < 60; n++) engine_add_node(f, n, 0, 1, 1);
    for (uint64_t i = 0; i < 2; i++) {
        assert_ok(add_gang(f, 1 + i, 28, 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_int_equal(engine_taken(f), 28);
        for (size_t g = 0; g < 28; g += 2) { /* numbers with gaps */
            assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[g].group,
                                 f->last[g].count));
        }
        uint64_t before = sked_engine_state_digest(f->engine);
        sked_status rc = SKED_ERR_NOMEM;
        for (size_t k = 1; rc != SKED_OK; k++) {
            f->host.requests = 0;
            f->host.fail_at = k;
            rc = say_all(f, kinds[i], 1 + i, 0);
            f->host.fail_at = 0;
            assert_true(rc == SKED_OK || rc == SKED_ERR_NOMEM);
            assert_true(rc == SKED_OK ||
                        sked_engine_state_digest(f->engine) == before);
            assert_ok(sked_engine_check(f->engine, NULL));
        }
        (void)engine_taken(f);
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1 + i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_gang_is_confirmed_and_ends_at_once),
        engine_case(a_gang_is_refused_as_a_whole),
        engine_case(lost_members_are_one_gang_again),
        engine_case(killed_are_those_that_were_told),
        engine_case(bad_events_change_nothing),
        engine_case(lacking_memory_ends_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
