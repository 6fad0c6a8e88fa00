/* Tables and what is wrong with them, instances, jobs, SLAs, policies, secrets. */
#include "test.h"

#include <sched/life.h>

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "host.h"

enum { SEC = 1000000000 };

/* ---- A table of our own ---- */

typedef struct door {
    sked_life_name states[4];
    sked_life_name events[3];
    sked_life_edge edges[4];
    sked_life_name actions[2];
    sked_life_goal goals[2];
    sked_life_table table;
} door;

#define NAMED(text_, marks_)                                                   \
    (sked_life_name)                                                           \
    {                                                                          \
        .text = text_, .marks = marks_                                         \
    }

/* OPEN and SHUT by a user, LOCKED and back; BROKEN ends it. */
static door *make_door(door *d)
{
    memset(d, 0, sizeof *d);
    d->states[0] = NAMED("OPEN", SKED_LIFE_MARK_START);
    d->states[1] = NAMED("SHUT", 0);
    d->states[2] = NAMED("LOCKED", 0);
    d->states[3] = NAMED("BROKEN", SKED_LIFE_MARK_END | SKED_LIFE_MARK_MUTE);
    d->events[0] = NAMED("push", 0);
    d->events[1] = NAMED("turn", 0);
    d->events[2] = NAMED("hit", 0);
    d->edges[0] = (sked_life_edge){1, 0, 1, SKED_LIFE_CAUSE_USER, 0};
    d->edges[1] = (sked_life_edge){2, 1, 2, SKED_LIFE_CAUSE_USER, 0};
    d->edges[2] = (sked_life_edge){4, 1, SKED_LIFE_BEFORE, SKED_LIFE_CAUSE_USER,
                                   0};
    d->edges[3] = (sked_life_edge){7, 2, 3, SKED_LIFE_CAUSE_NODE, 0};
    d->actions[0] = NAMED("nothing", 0);
    d->actions[1] = NAMED("unlock", 0);
    d->goals[0] = (sked_life_goal){1, 4, 1, 0};
    d->goals[1] = (sked_life_goal){2, 4, 1, 0};
    d->table = (sked_life_table){.struct_size = sizeof d->table,
                                 .name = "door",
                                 .states = d->states,
                                 .n_states = 4,
                                 .events = d->events,
                                 .n_events = 3,
                                 .edges = d->edges,
                                 .n_edges = 4,
                                 .actions = d->actions,
                                 .n_actions = 2,
                                 .goals = d->goals,
                                 .n_goals = 2};
    return d;
}

static sked_status check(const door *d, sked_error *err)
{
    sked_life_fault faults[16];
    size_t n;

    return sked_life_check(&d->table, faults, 16, &n, err);
}

static void a_host_brings_its_own(void **state)
{
    door d;
    sked_life_at at = {1, 0};
    sked_life_step step;
    sked_error err;
    uint32_t action, edges[4];
    size_t n;
    (void)state;

    make_door(&d);
    assert_ok(check(&d, NULL));
    assert_ok(
        sked_life_next(&d.table, &at, 1, SKED_LIFE_CAUSE_USER, &step, NULL));
    assert_int_equal(step.at.state, 2);
    assert_int_equal(step.at.before, 1);
    assert_int_equal(step.edge, 1);
    at = step.at;
    assert_ok(
        sked_life_next(&d.table, &at, 1, SKED_LIFE_CAUSE_USER, &step, NULL));
    assert_int_equal(step.at.state, 1); /* back */
    assert_int_equal(step.at.before, 2);
    at = (sked_life_at){0, SKED_LIFE_NONE};
    assert_status(
        SKED_ERR_STATE,
        sked_life_next(&d.table, &at, 1, SKED_LIFE_CAUSE_USER, &step, &err));
    assert_string_equal(err.message,
                        "OPEN: turn is not legal; legal are push, hit");
    assert_status(
        SKED_ERR_STATE,
        sked_life_next(&d.table, &at, 2, SKED_LIFE_CAUSE_USER, &step, &err));
    assert_string_equal(err.message, "OPEN: hit is for node, not for user");
    uint32_t was = d.edges[3].event; /* of a table that was not checked */
    d.edges[3].event = (uint32_t)d.table.n_events;
    assert_status(
        SKED_ERR_STATE,
        sked_life_next(&d.table, &at, 1, SKED_LIFE_CAUSE_USER, &step, &err));
    assert_string_equal(err.message, "OPEN: turn is not legal; legal are push");
    d.edges[3].event = was;
    d.edges[3].causes |= SKED_LIFE_CAUSE_TIMER;
    assert_status(
        SKED_ERR_STATE,
        sked_life_next(&d.table, &at, 2, SKED_LIFE_CAUSE_JOBS, &step, &err));
    assert_string_equal(err.message,
                        "OPEN: hit is for node, timer, not for jobs");
    at.state = 3;
    assert_ok(
        sked_life_next(&d.table, &at, 0, SKED_LIFE_CAUSE_USER, &step, NULL));
    assert_int_equal(step.outcome, SKED_LIFE_OUTCOME_IGNORED);
    assert_int_equal(step.edge, SKED_LIFE_NONE);
    assert_ok(sked_life_act(&d.table, 0, 2, &action, NULL));
    assert_int_equal(action, 1);
    assert_ok(sked_life_act(&d.table, 0, 1, &action, NULL));
    assert_int_equal(action, 0);
    assert_ok(
        sked_life_legal(&d.table, 0, SKED_LIFE_CAUSE_ALL, edges, 4, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(edges[1], 3);
    assert_status(
        SKED_ERR_RANGE,
        sked_life_legal(&d.table, 0, SKED_LIFE_CAUSE_ALL, edges, 1, &n, NULL));
    assert_int_equal(n, 2);
    assert_ok(sked_life_way(&d.table, 0, 3, edges, NULL));
    assert_int_equal(edges[0], 3);
    assert_status(SKED_ERR_STATE, sked_life_way(&d.table, 0, 2, edges, &err));
    assert_string_equal(err.message,
                        "OPEN never becomes LOCKED; it goes to SHUT, BROKEN");
}

/* ---- Tables that cannot be read: the list and the row are named ---- */

#define REFUSED(code, words, row_)                                             \
    do {                                                                       \
        sked_error err_ = {.row = -7};                                         \
        assert_status(code, check(&d, &err_));                                 \
        assert_string_equal(err_.message, words);                              \
        assert_i64(err_.row, row_);                                            \
        make_door(&d);                                                         \
    } while (0)

static void bad_rows_are_named(void **state)
{
    door d;
    (void)state;

    make_door(&d);
    d.states[2].text[0] = '-';
    REFUSED(SKED_ERR_ARG, "states[2]: not a name", 2);
    d.states[2].text[0] = 0;
    REFUSED(SKED_ERR_ARG, "states[2]: not a name", 2);
    memset(d.events[1].text, 'x', sizeof d.events[1].text);
    REFUSED(SKED_ERR_ARG, "events[1]: not a name", 1);
    d.states[1] = d.states[0];
    REFUSED(SKED_ERR_EXISTS, "states[1]: name is taken", 1);
    d.states[1].marks = 16;
    REFUSED(SKED_ERR_RANGE, "states[1]: unknown marks", 1);
    d.events[0].marks = 1;
    REFUSED(SKED_ERR_RANGE, "events[0]: unknown marks", 0);
    d.actions[1].reserved = 1;
    REFUSED(SKED_ERR_RANGE, "actions[1]: unknown marks", 1);
    d.edges[3].from = 16;
    REFUSED(SKED_ERR_RANGE, "edges[3]: no such state", 3);
    d.edges[3].from = 0;
    REFUSED(SKED_ERR_RANGE, "edges[3]: no such state", 3);
    d.edges[1].event = 3;
    REFUSED(SKED_ERR_RANGE, "edges[1]: no such event", 1);
    d.edges[1].next = 4;
    REFUSED(SKED_ERR_RANGE, "edges[1]: no such next state", 1);
    d.edges[1].causes = 64;
    REFUSED(SKED_ERR_RANGE, "edges[1]: no such cause", 1);
    d.edges[1].causes = 0;
    REFUSED(SKED_ERR_RANGE, "edges[1]: no such cause", 1);
    d.edges[1].marks = 4;
    REFUSED(SKED_ERR_RANGE, "edges[1]: unknown marks", 1);
    d.edges[3].causes = SKED_LIFE_CAUSE_USER;
    d.edges[3].event = 1;
    REFUSED(SKED_ERR_EXISTS, "edges[3]: an edge for this is there", 3);
    d.goals[0].states = 0;
    REFUSED(SKED_ERR_RANGE, "goals[0]: no such state", 0);
    d.goals[0].goals = 16;
    REFUSED(SKED_ERR_RANGE, "goals[0]: no such state", 0);
    d.goals[1].action = 2;
    REFUSED(SKED_ERR_RANGE, "goals[1]: no such action", 1);
    d.goals[1].goals = 3;
    REFUSED(SKED_ERR_EXISTS, "goals[1]: a row for this is there", 1);
    d.table.name = "";
    REFUSED(SKED_ERR_ARG, "table has no name", -1);
    d.table.name = NULL;
    REFUSED(SKED_ERR_ARG, "table has no name", -1);
    d.table.n_states = 65;
    REFUSED(SKED_ERR_RANGE, "states", -1);
    d.table.edges = NULL;
    REFUSED(SKED_ERR_ARG, "a list is NULL", -1);
    d.table.n_events = 0;
    REFUSED(SKED_ERR_RANGE, "no states or no events", -1);
    d.table.struct_size = 3;
    REFUSED(SKED_ERR_VERSION, "table of another version", -1);
}

/* ---- Tables that lead nowhere ---- */

static void faults_of_behaviour(void **state)
{
    door d;
    sked_life_fault faults[16];
    sked_error err;
    size_t n;
    (void)state;

    make_door(&d);
    d.states[0].marks = 0;
    REFUSED(SKED_ERR_INVALID, "no state is a start", -1);
    d.table.n_edges = 3; /* never broken: no end can be reached */
    assert_status(SKED_ERR_INVALID,
                  sked_life_check(&d.table, faults, 16, &n, &err));
    assert_string_equal(err.message, "states[BROKEN]: cannot be reached");
    assert_int_equal(err.row, 3);
    assert_int_equal(n, 4);
    assert_int_equal(faults[1].code, SKED_LIFE_FAULT_TRAP);
    assert_int_equal(faults[3].state, 2);
    assert_status(SKED_ERR_RANGE,
                  sked_life_check(&d.table, faults, 3, &n, &err));
    assert_int_equal(n, 4);
    make_door(&d);
    d.edges[3].from = 1;
    d.edges[1].next = 1; /* SHUT is not left */
    d.edges[2].from = 1;
    REFUSED(SKED_ERR_INVALID, "states[LOCKED]: cannot be reached", 2);
    d.edges[3].from = 3;
    d.edges[2].from = 1; /* LOCKED is not left */
    REFUSED(SKED_ERR_INVALID, "states[LOCKED]: nothing leads out of it", 2);
    for (int i = 1; i < 3; i++) d.edges[i].causes = SKED_LIFE_CAUSE_JOBS;
    REFUSED(SKED_ERR_INVALID, "states[SHUT]: is on a cycle without progress",
            1);
    for (int i = 1; i < 3; i++) d.edges[i].causes = SKED_LIFE_CAUSE_JOBS;
    d.edges[2].marks = SKED_LIFE_EDGE_COUNTED;
    assert_ok(check(&d, NULL));
    make_door(&d);
    d.states[3].marks |= SKED_LIFE_MARK_UNUSED;
    REFUSED(SKED_ERR_INVALID, "states[BROKEN]: is used", 3);
}

static void what_is_here_is_sound(void **state)
{
    sked_life_fault faults[4];
    size_t n;
    (void)state;

    for (uint32_t w = SKED_LIFE_TABLE_QUEUED; w <= SKED_LIFE_TABLE_GROUP; w++) {
        const sked_life_table *t = sked_life_table_of(w);
        assert_non_null(t);
        assert_ok(sked_life_check(t, faults, 4, &n, NULL));
        assert_int_equal(n, 0);
    }
    assert_null(sked_life_table_of(0));
    assert_null(sked_life_table_of(8));
}

/* docs/life.md has every diagram as the tables are. */
static void diagrams_are_those_of_the_docs(void **state)
{
    char text[16384];
    size_t n, length;
    char *page = test_file("docs/life.md", &length);
    (void)state;

    assert_non_null(page);
    for (uint32_t w = SKED_LIFE_TABLE_QUEUED; w <= SKED_LIFE_TABLE_GROUP; w++) {
        const sked_life_table *t = sked_life_table_of(w);
        assert_status(SKED_ERR_RANGE, sked_life_format(t, NULL, 0, &n, NULL));
        assert_status(SKED_ERR_RANGE,
                      sked_life_format(t, text, n, &length, NULL));
        assert_ok(sked_life_format(t, text, n + 1, &length, NULL));
        assert_int_equal(length, strlen(text));
        if (!strstr(page, text)) fail_msg("docs/life.md lacks:\n%s", text);
    }
    free(page);
}

static void calls_on_tables_refuse_nonsense(void **state)
{
    door d;
    sked_life_at at = {0, SKED_LIFE_NONE};
    sked_life_step step;
    sked_error err;
    uint32_t x;
    size_t n;
    (void)state;

    make_door(&d);
    const sked_life_table *t = &d.table;
    assert_status(SKED_ERR_ARG, sked_life_next(NULL, &at, 0, 1, &step, NULL));
    assert_status(SKED_ERR_ARG, sked_life_next(t, NULL, 0, 1, &step, NULL));
    assert_status(SKED_ERR_ARG, sked_life_next(t, &at, 0, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 3, 1, &step, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 0, 3, &step, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 0, 64, &step, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 0, 0, &step, NULL));
    at.state = 2; /* back, and it was nowhere */
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 1, 1, &step, &err));
    assert_string_equal(err.message, "edges: leads nowhere");
    assert_int_equal(err.row, 2);
    at.state = 4;
    assert_status(SKED_ERR_RANGE, sked_life_next(t, &at, 0, 1, &step, NULL));
    assert_status(SKED_ERR_ARG, sked_life_legal(NULL, 0, 1, &x, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_legal(t, 0, 1, &x, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_life_legal(t, 0, 1, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_legal(t, 4, 1, &x, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_way(NULL, 0, 1, &x, NULL));
    assert_status(SKED_ERR_ARG, sked_life_way(t, 0, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_way(t, 0, 4, &x, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_way(t, 4, 0, &x, NULL));
    assert_ok(sked_life_way(t, 1, 1, &x, NULL));
    assert_int_equal(x, SKED_LIFE_NONE);
    assert_status(SKED_ERR_ARG, sked_life_act(NULL, 0, 0, &x, NULL));
    assert_status(SKED_ERR_ARG, sked_life_act(t, 0, 0, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_act(t, 4, 0, &x, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_act(t, 0, 4, &x, NULL));
    assert_status(SKED_ERR_ARG, sked_life_check(t, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_life_check(t, NULL, 1, &n, NULL));
    d.table.n_edges = 0;
    assert_status(SKED_ERR_RANGE, sked_life_check(t, NULL, 0, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_format(NULL, NULL, 0, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_format(t, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_life_format(t, NULL, 1, &n, NULL));
}

/* Names without an end, and more of them than a message holds. */
static void messages_are_cut(void **state)
{
    static sked_life_name names[64];
    static sked_life_edge edges[63];
    sked_life_table t = {.struct_size = sizeof t,
                         .name = "wide",
                         .states = names,
                         .n_states = 64,
                         .events = names,
                         .n_events = 64,
                         .edges = edges,
                         .n_edges = 63};
    sked_life_at at = {0, SKED_LIFE_NONE};
    sked_life_step step;
    sked_error err;
    (void)state;

    for (uint32_t i = 0; i < 64; i++) {
        memset(names[i].text, 'a' + (int)(i % 26), sizeof names[i].text);
        if (i < 63) edges[i] = (sked_life_edge){1, i, i, 1, 0};
    }
    edges[5].event = 100; /* a row that cannot be: passed over */
    assert_status(SKED_ERR_STATE, sked_life_next(&t, &at, 63, 1, &step, &err));
    assert_int_equal(strlen(err.message), 191);
    assert_string_equal(err.message + 188, "...");
}

/* ---- Instances ---- */

static sked_life_instance running(void)
{
    return (sked_life_instance){.version = 3,
                                .desired = 3,
                                .run = 2,
                                .desired_run = 2,
                                .state = SKED_LIFE_TASK_RUNNING,
                                .goal = SKED_LIFE_TASK_RUNNING,
                                .health = SKED_LIFE_HEALTH_HEALTHY};
}

static void writes_are_checked(void **state)
{
    sked_life_instance now = running(), next = running();
    sked_error err;
    (void)state;

    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_KILLING;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_PENDING;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, &err));
    assert_string_equal(err.message,
                        "RUNNING never becomes PENDING; it goes to STARTING, "
                        "SUCCEEDED, FAILED, KILLED, LOST, KILLING");
    next.run = 3;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_INITIALIZED;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.run = 1;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next = running();
    next.desired_run = 1;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next = running();
    now.goal = SKED_LIFE_TASK_DELETED;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, &err));
    assert_string_equal(err.message,
                        "the goal DELETED stays, but for another version");
    next.desired = 4;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_replace(NULL, &next, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_replace(&now, NULL, NULL));
    next.told = 2;
    assert_status(SKED_ERR_RANGE, sked_life_may_replace(&now, &next, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_replace(&next, &now, NULL));
}

static void no_such_instance_can_be(void **state)
{
    sked_life_instance bad[7];
    uint32_t action;
    (void)state;

    for (int i = 0; i < 7; i++) bad[i] = running();
    bad[0].state = SKED_LIFE_TASK_STATES;
    bad[1].goal = SKED_LIFE_TASK_STATES;
    bad[2].health = 4;
    bad[3].ended = 5;
    bad[4].beside = 4;
    bad[5].told = 2;
    bad[6].reserved = 1;
    for (int i = 0; i < 7; i++) {
        assert_status(SKED_ERR_RANGE,
                      sked_life_task_action(&bad[i], NULL, &action, NULL));
    }
}

static uint32_t act(sked_life_instance i, const sked_life_act_options *o)
{
    uint32_t action = 99;

    assert_ok(sked_life_task_action(&i, o, &action, NULL));
    return action;
}

static void actions_by_version_run_and_time(void **state)
{
    sked_life_instance i = running();
    sked_life_act_options o = {.struct_size = sizeof o, .now = 100};
    uint32_t action;
    (void)state;

    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i.desired = 4;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.state = SKED_LIFE_TASK_FAILED;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_INITIALIZE);
    i.goal = SKED_LIFE_TASK_KILLED; /* is to end anyway */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i = running();
    i.goal = SKED_LIFE_TASK_SUCCEEDED;
    i.desired = 4; /* a batch task keeps its version, */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i.desired_run = 3; /* and begins anew once it was preempted */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.goal = SKED_LIFE_TASK_PREEMPTING;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.state = SKED_LIFE_TASK_UNKNOWN;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_RELOAD);
    i = running();
    i.goal = SKED_LIFE_TASK_UNKNOWN;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_RELOAD);

    i = running();
    i.state = SKED_LIFE_TASK_LAUNCHED;
    i.since = 50;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_CHECK_LAUNCH);
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING); /* 180 minutes */
    o.launch_ns = 50;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_INITIALIZE);
    o.launch_ns = 51;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    o.launch_ns = 50;
    i.state = SKED_LIFE_TASK_STARTING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_INITIALIZE);
    o.type = SKED_LIFE_TYPE_STATELESS; /* may take its time to start */
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    i.state = SKED_LIFE_TASK_KILLING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    o.kill_ns = 50;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_SHUT_DOWN);
    i.since = INT64_MAX;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    i.state = SKED_LIFE_TASK_RUNNING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    o.type = 5;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.type = 0;
    o.kill_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.kill_ns = 0;
    o.launch_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_life_task_action(&i, &o, &action, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_task_action(NULL, NULL, &action, NULL));
    assert_status(SKED_ERR_ARG, sked_life_task_action(&i, NULL, NULL, NULL));
}

static void availability_by_all_that_counts(void **state)
{
    sked_life_instance i = running();
    (void)state;

    assert_int_equal(sked_life_availability_of(NULL),
                     SKED_LIFE_AVAILABILITY_INVALID);
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_AVAILABLE);
    i.health = SKED_LIFE_HEALTH_DISABLED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_AVAILABLE);
    i.health = SKED_LIFE_HEALTH_UNHEALTHY;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i = running();
    i.state = SKED_LIFE_TASK_STARTING;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i = running();
    i.run = 1;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.ended = SKED_LIFE_ENDED_UPDATE;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i.ended = SKED_LIFE_ENDED_OTHER;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i = running();
    i.desired = 9;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.goal = SKED_LIFE_TASK_KILLED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.goal = SKED_LIFE_TASK_DELETED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_INVALID);
    i = running();
    i.goal = SKED_LIFE_TASK_SUCCEEDED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
}

/* ---- Jobs ---- */

static uint32_t job_state(const sked_life_job_input *in)
{
    uint32_t state = 99;

    assert_ok(sked_life_job_state(in, &state, NULL));
    return state;
}

static void states_of_jobs(void **state)
{
    sked_life_job_input in = {.struct_size = sizeof in,
                              .type = SKED_LIFE_TYPE_STATELESS,
                              .state = SKED_LIFE_JOB_RUNNING,
                              .goal = SKED_LIFE_JOB_KILLED,
                              .instances = 4};
    uint32_t s;
    (void)state;

    in.tasks[SKED_LIFE_TASK_KILLED] = 1;
    in.tasks[SKED_LIFE_TASK_LOST] = 2;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.tasks[SKED_LIFE_TASK_RUNNING] = 1;
    in.instances = 5;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.created = 1; /* there were five once */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_RUNNING);
    in.created = 0;
    in.instances = 3; /* more than there are to be */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.goal = SKED_LIFE_JOB_RUNNING;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.type = SKED_LIFE_TYPE_BATCH;
    in.goal = SKED_LIFE_JOB_SUCCEEDED;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.instances = 4;
    in.tasks[SKED_LIFE_TASK_RUNNING] = 0;
    in.tasks[SKED_LIFE_TASK_PENDING] = 1;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.tasks[SKED_LIFE_TASK_PENDING] = 0;
    in.tasks[SKED_LIFE_TASK_KILLED] = 2;
    in.controller = SKED_LIFE_TASK_RUNNING; /* went on after the others */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.controller = SKED_LIFE_TASK_SUCCEEDED;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_SUCCEEDED);
    in.controller = SKED_LIFE_TASK_LOST;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_FAILED);

    in.tasks[SKED_LIFE_TASK_KILLED] = 1;
    in.tasks[SKED_LIFE_TASK_RUNNING] = 1;
    in.state = SKED_LIFE_JOB_KILLING; /* until the last has ended */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLING);

    assert_status(SKED_ERR_ARG, sked_life_job_state(NULL, &s, NULL));
    assert_status(SKED_ERR_ARG, sked_life_job_state(&in, NULL, NULL));
    sked_error err;
    in.tasks[3] = UINT64_C(1) << 32;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, &err));
    assert_int_equal(err.row, 3);
    in.tasks[3] = 0;
    in.instances = UINT64_C(1) << 32;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
    uint32_t *const fields[] = {&in.type, &in.state, &in.goal, &in.controller,
                                &in.created};
    in.instances = 4;
    for (size_t i = 0; i < 5; i++) {
        uint32_t was = *fields[i];
        *fields[i] = 99;
        assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
        *fields[i] = was;
    }
    in.type = 0;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_life_job_state(&in, &s, NULL));
    assert_status(SKED_ERR_VERSION, sked_life_job_action(&in, &s, NULL));
}

static void jobs_that_start_again(void **state)
{
    sked_life_job_input in = {.struct_size = sizeof in,
                              .type = SKED_LIFE_TYPE_STATELESS,
                              .state = SKED_LIFE_JOB_KILLED,
                              .goal = SKED_LIFE_JOB_RUNNING,
                              .goal_version = 1};
    uint32_t action;
    (void)state;

    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_START_TASKS);
    in.state = SKED_LIFE_JOB_INITIALIZED;
    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_CREATE);
    in.version = 1;
    in.state = SKED_LIFE_JOB_RUNNING;
    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_NOTHING);
}

static void natures_are_of_four_types(void **state)
{
    sked_life_nature n = {.struct_size = sizeof n};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_life_nature_of(1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_nature_of(0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_nature_of(5, &n, NULL));
    n.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_life_nature_of(1, &n, NULL));
}

/* ---- SLA ---- */

/* An update, preemption and maintenance take turns in all orders: together they
 * never break it. [PEL-3] */
static void all_who_stop_keep_one_count(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .type = SKED_LIFE_TYPE_STATELESS,
                         .preemptible = 1,
                         .least_running = 6,
                         .most_unavailable = 3};
    (void)state;

    for (uint32_t order = 0; order < 81; order++) {
        sked_life_stats c = {10, 0, 0};
        uint64_t may, stopped = 0;
        for (uint32_t turn = 0, left = order; turn < 4; turn++, left /= 3) {
            uint32_t who = SKED_LIFE_STOPPER_UPDATE + left % 3;
            assert_ok(sked_life_may_stop(&sla, &c, who, &may, NULL));
            sked_status rc = sked_life_stop(&sla, who, 2, &c, NULL);
            assert_int_equal(rc == SKED_OK, may >= 2);
            stopped += rc == SKED_OK ? 2 : 0;
            if (rc != SKED_OK && may) {
                assert_ok(sked_life_stop(&sla, who, may, &c, NULL));
                stopped += may;
            }
            assert_true(c.available >= 6 && c.unavailable <= 3);
        }
        assert_int_equal(stopped, 3);
        assert_int_equal(c.available + c.unavailable, 10);
    }
}

static void what_an_sla_lets_go(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla};
    sked_life_stats c = {5, 1, 0};
    sked_error err;
    uint64_t n;
    (void)state;

    assert_ok(
        sked_life_may_stop(NULL, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 5);
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 0); /* not preemptible */
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_MAINTENANCE, &n, NULL));
    assert_int_equal(n, 5);
    sla.preemptible = 1;
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 5);
    sla.type = SKED_LIFE_TYPE_STATEFUL; /* never, whatever is said */
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 0);
    sla.most_unavailable = 1;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 0);
    sla.most_unavailable = 3;
    sla.least_running = 4;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 1);
    sla.least_running = 6;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_STATE,
                  sked_life_stop(&sla, SKED_LIFE_STOPPER_UPDATE, 1, &c, &err));
    assert_i64(err.got, 1);
    assert_i64(err.limit, 0);
    assert_int_equal(c.available, 5);
    assert_status(SKED_ERR_ARG, sked_life_may_stop(&sla, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_stop(&sla, &c, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_stop(&sla, &c, 0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_stop(&sla, &c, 4, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_stop(&sla, 4, 1, &c, NULL));
    uint32_t *const fields[] = {&sla.type, &sla.preemptible, &sla.revocable,
                                &sla.reserved};
    for (size_t i = 0; i < 4; i++) {
        uint32_t was = *fields[i];
        *fields[i] = 5;
        assert_status(SKED_ERR_RANGE,
                      sked_life_may_stop(&sla, &c, 1, &n, NULL));
        *fields[i] = was;
    }
    sla.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_life_may_stop(&sla, &c, 1, &n, NULL));
    assert_int_equal(sked_life_gang_of(&sla, 3), 1);
}

static void instances_are_counted(void **state)
{
    sked_life_instance i[5];
    sked_life_stats c;
    (void)state;

    for (int k = 0; k < 5; k++) i[k] = running();
    i[1].told = 1;
    i[2].goal = SKED_LIFE_TASK_KILLED;
    i[3].goal = SKED_LIFE_TASK_DELETED;
    i[4].state = SKED_LIFE_TASK_STARTING;
    assert_ok(sked_life_count(i, 5, &c, NULL));
    assert_int_equal(c.available, 1);
    assert_int_equal(c.unavailable, 2);
    assert_int_equal(c.killed, 1);
    assert_ok(sked_life_count(NULL, 0, &c, NULL));
    assert_status(SKED_ERR_ARG, sked_life_count(NULL, 1, &c, NULL));
    assert_status(SKED_ERR_ARG, sked_life_count(i, 1, NULL, NULL));
}

static void gangs_stand_first(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla, .least_running = 3};
    (void)state;

    assert_int_equal(sked_life_gang_of(&sla, 5), 3);
    assert_int_equal(sked_life_gang_of(&sla, 2), 2);
    assert_int_equal(sked_life_gang_of(&sla, 0), 0);
    assert_int_equal(sked_life_gang_of(NULL, 5), 1);
    sla.revocable = 1;
    assert_int_equal(sked_life_gang_of(&sla, 5), 1);
    sla.revocable = 0;
    sla.type = SKED_LIFE_TYPE_STATELESS;
    assert_int_equal(sked_life_gang_of(&sla, 5), 1);
}

/* ---- Policies ---- */

static void delays_double(void **state)
{
    (void)state;
    assert_i64(sked_life_backoff(0, 30, 3600), 0);
    assert_i64(sked_life_backoff(4, 30, 3600), 240);
    assert_i64(sked_life_backoff(UINT32_MAX, 30, 3600), 3600);
    assert_i64(sked_life_backoff(UINT32_MAX, 0, 3600), 0);
    assert_i64(sked_life_backoff(90, INT64_MAX / 3, INT64_MAX), INT64_MAX);
    assert_i64(sked_life_backoff(2, -5, 10), 0);
    assert_i64(sked_life_backoff(2, 5, -10), 0);
}

static sked_life_restart_result ended(uint32_t goal, uint32_t state,
                                      uint32_t failures, uint32_t end,
                                      sked_life_restart_options o)
{
    sked_life_instance i = running();
    sked_life_restart_result r;

    i.goal = goal;
    i.state = state;
    i.failures = failures;
    o.struct_size = sizeof o;
    assert_ok(sked_life_restart(&i, end, &o, &r, NULL));
    return r;
}

#define SUCCEEDS SKED_LIFE_TASK_SUCCEEDED
#define RUNS SKED_LIFE_TASK_RUNNING
#define FAILED SKED_LIFE_TASK_FAILED
#define KILLED SKED_LIFE_TASK_KILLED
#define LOST SKED_LIFE_TASK_LOST

/* [PEL-15] */
static void restarts_follow_the_policy(void **state)
{
    const sked_life_restart_options batch = {.max_failures = 2};
    const sked_life_restart_options web = {.type = SKED_LIFE_TYPE_STATELESS};
    const sked_life_restart_options daemon = {.type = SKED_LIFE_TYPE_DAEMON};
    const sked_life_restart_options never = {.again = SKED_LIFE_AGAIN_NEVER};
    const sked_life_restart_options failed = {.type = SKED_LIFE_TYPE_STATEFUL,
                                              .again = SKED_LIFE_AGAIN_FAILED};
    sked_life_restart_options end = {.max_failures = 9, .end_preempted = 1};
    sked_life_restart_result r;
    (void)state;

    r = ended(SUCCEEDS, FAILED, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 1);
    assert_i64(r.delay_ns, 30 * (int64_t)SEC);
    r = ended(SUCCEEDS, FAILED, 2, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 3);
    assert_i64(r.delay_ns, 0);
    r = ended(SUCCEEDS, FAILED, 3, SKED_LIFE_END_SYSTEM, batch);
    assert_int_equal(r.again, 1); /* four of the system's */
    r = ended(SUCCEEDS, FAILED, 4, SKED_LIFE_END_SYSTEM, batch);
    assert_int_equal(r.again, 0);
    r = ended(SUCCEEDS, LOST, 1, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 1); /* no fault of its own */
    r = ended(SUCCEEDS, KILLED, 1, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.failures, 2);
    /* Preempted: again through admission, however often. */
    r = ended(SUCCEEDS, KILLED, 7, SKED_LIFE_END_PREEMPTED, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 7);
    r = ended(SUCCEEDS, KILLED, 0, SKED_LIFE_END_PREEMPTED, end);
    assert_int_equal(r.again, 0);
    r = ended(SUCCEEDS, SUCCEEDS, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 0);
    r = ended(KILLED, KILLED, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 0);

    r = ended(RUNS, SUCCEEDS, 1, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 2); /* it was not to end */
    assert_i64(r.delay_ns, 60 * (int64_t)SEC);
    r = ended(RUNS, FAILED, 1000, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.again, 1);
    assert_i64(r.delay_ns, 3600 * (int64_t)SEC);
    r = ended(RUNS, FAILED, UINT32_MAX, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.failures, UINT32_MAX);
    r = ended(RUNS, LOST, 0, SKED_LIFE_END_PLAIN, daemon);
    assert_int_equal(r.again, 0); /* lost with its node */
    r = ended(RUNS, FAILED, 0, SKED_LIFE_END_PLAIN, daemon);
    assert_int_equal(r.again, 1);
    r = ended(RUNS, FAILED, 0, SKED_LIFE_END_PLAIN, never);
    assert_int_equal(r.again, 0);
    r = ended(RUNS, SUCCEEDS, 0, SKED_LIFE_END_PLAIN, failed);
    assert_int_equal(r.again, 0);

    sked_life_instance i = running();
    i.state = FAILED;
    i.desired = 4; /* another version is on its way: nothing counts */
    assert_ok(sked_life_restart(&i, 0, NULL, &r, NULL));
    assert_int_equal(r.failures, 0);
}

static void restarts_refuse_nonsense(void **state)
{
    sked_life_restart_options o = {.struct_size = sizeof o};
    sked_life_restart_result r;
    sked_life_instance i = running();
    (void)state;

    assert_status(SKED_ERR_STATE, sked_life_restart(&i, 0, &o, &r, NULL));
    i.state = SKED_LIFE_TASK_DELETED;
    assert_status(SKED_ERR_STATE, sked_life_restart(&i, 0, &o, &r, NULL));
    i.state = FAILED;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 3, &o, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_restart(NULL, 0, &o, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_restart(&i, 0, &o, NULL, NULL));
    o.type = 5;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .again = 4};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o,
                                    .end_preempted = 2};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .first_ns = -1};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .most_ns = -1};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o.struct_size = 2;
    assert_status(SKED_ERR_VERSION, sked_life_restart(&i, 0, &o, &r, NULL));
    i.told = 7;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, NULL, &r, NULL));
}

static void placement_is_tried_in_cycles(void **state)
{
    sked_life_tries t = {0};
    sked_life_placing_result r;
    const int64_t minutes[] = {10, 15, 20, 10, 15, 20, 10, 15, 20};
    (void)state;

    for (int i = 0; i < 9; i++) {
        assert_ok(sked_life_placing_begin(SKED_LIFE_TASK_PLACING, NULL, &t, &r,
                                          NULL));
        assert_i64(r.timeout_ns, minutes[i] * 60 * SEC);
        assert_int_equal(r.cycle_over, i % 3 == 2);
        assert_int_equal(r.all_over, i == 8);
    }
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_LAUNCHING, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 20 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PREEMPTING, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_RESERVED, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 30 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_READY, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 0);
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_RESERVED, NULL, &t, &r, NULL));
    assert_int_equal(t.attempt + t.cycle, 0);
    assert_ok(sked_life_placing_timeout(SKED_LIFE_TASK_LAUNCHING, NULL, &t, &r,
                                        NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_ok(sked_life_placing_timeout(SKED_LIFE_TASK_PREEMPTING, NULL, &t, &r,
                                        NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_RUNNING);
}

static void a_node_is_reserved_in_the_end(void **state)
{
    sked_life_placing_options o = {.struct_size = sizeof o,
                                   .attempts = 2,
                                   .cycles = 2,
                                   .reserve = 1,
                                   .placing_ns = 10};
    sked_life_tries t = {2, 0};
    sked_life_placing_result r;
    (void)state;

    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    assert_int_equal(r.reserve, 0);
    t.cycle = 1;
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_int_equal(r.reserve, 1);
    t.attempt = 1; /* in the middle of a cycle */
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_int_equal(r.reserve, 0);
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PENDING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    o.attempts = 0; /* all alike, and none is the last */
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10);
    assert_int_equal(r.cycle_over + r.all_over, 0);
}

static void placement_without_end_or_back_off(void **state)
{
    sked_life_placing_options o = {.struct_size = sizeof o,
                                   .attempts = 2,
                                   .plain = 1,
                                   .placing_ns = 10,
                                   .backoff_ns = INT64_MAX};
    sked_life_tries t = {1, UINT32_MAX};
    sked_life_placing_result r;
    (void)state;

    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10); /* no more with each attempt */
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    o.plain = 0;
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(t.cycle, UINT32_MAX);
    t.attempt = 1;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, INT64_MAX);
    o.attempts = 4;
    t.attempt = 3;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, INT64_MAX);
    o.placing_ns = 0;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 0); /* never */

    assert_status(SKED_ERR_STATE, sked_life_placing_timeout(
                                      SKED_LIFE_TASK_READY, &o, &t, &r, NULL));
    assert_status(SKED_ERR_STATE, sked_life_placing_return(
                                      SKED_LIFE_TASK_PLACED, &o, &t, &r, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_begin(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_timeout(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_return(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_placing_begin(4, &o, NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_placing_begin(4, &o, &t, NULL, NULL));
    int64_t *const times[] = {&o.placing_ns, &o.backoff_ns, &o.launching_ns,
                              &o.preempting_ns, &o.reserved_ns};
    for (size_t i = 0; i < 5; i++) {
        *times[i] = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_life_placing_begin(4, &o, &t, &r, NULL));
        *times[i] = 0;
    }
    uint32_t *const flags[] = {&o.reserve, &o.plain, &o.reserved};
    for (size_t i = 0; i < 3; i++) {
        *flags[i] = 2;
        assert_status(SKED_ERR_RANGE,
                      sked_life_placing_begin(4, &o, &t, &r, NULL));
        *flags[i] = 0;
    }
    o.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_life_placing_begin(4, &o, &t, &r, NULL));
}

static void nodes_on_which_things_fail_go_out(void **state)
{
    const sked_life_node_options o = {.struct_size = sizeof o,
                                      .failures = 3,
                                      .within_ns = 100,
                                      .first_ns = 50,
                                      .most_ns = 120};
    sked_life_record r = {0};
    sked_life_nodes nodes = {10, 0};
    (void)state;

    for (int i = 0; i < 2; i++) {
        assert_ok(sked_life_node_fail(&r, i, &o, &nodes, NULL));
    }
    assert_ok(sked_life_node_fail(&r, 101, &o, &nodes, NULL));
    assert_int_equal(r.failures, 1); /* the first two are too long ago */
    assert_ok(sked_life_node_fail(&r, 102, &o, &nodes, NULL));
    assert_false(sked_life_node_is_out(&r, 102, &nodes));
    assert_ok(sked_life_node_fail(&r, 103, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 103, &nodes));
    assert_int_equal(nodes.out, 1);
    sked_life_node_succeed(&r); /* of what ended late: does not help */
    assert_ok(sked_life_node_fail(&r, 110, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 152, &nodes));
    assert_false(sked_life_node_is_out(&r, 153, &nodes));
    assert_int_equal(nodes.out, 0);
    /* One more failure is enough, and it is out for longer. */
    assert_ok(sked_life_node_fail(&r, 160, &o, &nodes, NULL));
    assert_i64(r.until, 260);
    assert_ok(sked_life_node_fail(&r, 260, &o, &nodes, NULL));
    assert_i64(r.until, 380); /* at most 120 */
    assert_false(sked_life_node_is_out(&r, 400, NULL));
    sked_life_node_succeed(&r);
    assert_int_equal(r.times, 0);
    nodes.out = 1; /* a tenth of all: the cause must be another */
    for (int i = 0; i < 9; i++) {
        assert_ok(sked_life_node_fail(&r, 500, &o, &nodes, NULL));
    }
    assert_false(sked_life_node_is_out(&r, 500, &nodes));
    nodes = (sked_life_nodes){5, 0}; /* one always may */
    assert_ok(sked_life_node_fail(&r, 500, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 500, &nodes));
    sked_life_node_succeed(NULL);
    assert_false(sked_life_node_is_out(NULL, 0, &nodes));
}

static void quarantine_refuses_nonsense(void **state)
{
    sked_life_node_options o = {.struct_size = sizeof o};
    sked_life_record r = {0};
    sked_life_nodes nodes = {10, 0};
    (void)state;

    for (int i = 0; i < 5; i++) { /* by default */
        assert_false(sked_life_node_is_out(&r, i, &nodes));
        assert_ok(sked_life_node_fail(&r, i, NULL, &nodes, NULL));
    }
    assert_true(sked_life_node_is_out(&r, 5, &nodes));
    assert_status(SKED_ERR_ARG, sked_life_node_fail(NULL, 0, &o, &nodes, NULL));
    assert_status(SKED_ERR_ARG, sked_life_node_fail(&r, 0, &o, NULL, NULL));
    int64_t *const fields[] = {&o.within_ns, &o.first_ns, &o.most_ns,
                               &o.nodes_ppm};
    for (size_t i = 0; i < 4; i++) {
        *fields[i] = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_life_node_fail(&r, 0, &o, &nodes, NULL));
        *fields[i] = 0;
    }
    o.nodes_ppm = SKED_PPM + 1;
    assert_status(SKED_ERR_RANGE, sked_life_node_fail(&r, 0, &o, &nodes, NULL));
    o.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_life_node_fail(&r, 0, &o, &nodes, NULL));
}

/* ---- Secrets ---- */

static void secrets_are_by_job_and_task(void **state)
{
    sked_life_secrets *s = NULL;
    uint64_t got[3];
    (void)state;

    assert_ok(sked_life_secrets_new(NULL, &s, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 0, 3, got, NULL));
    assert_int_equal(got[0] + got[1] + got[2], 0);
    assert_ok(sked_life_secrets_set(s, 1, SKED_LIFE_EVERY_TASK, 7, NULL));
    assert_ok(sked_life_secrets_set(s, 1, 1, 8, NULL));
    assert_ok(sked_life_secrets_set(s, 2, 1, 9, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 0, 3, got, NULL));
    assert_int_equal(got[0], 7);
    assert_int_equal(got[1], 8);
    assert_int_equal(got[2], 7);
    assert_ok(sked_life_secrets_set(s, 1, 1, 5, NULL)); /* another */
    assert_ok(sked_life_secrets_launch(s, 1, 1, 1, got, NULL));
    assert_int_equal(got[0], 5);
    assert_ok(sked_life_secrets_set(s, 1, 1, 0, NULL)); /* none */
    assert_ok(sked_life_secrets_set(s, 1, 6, 0, NULL));
    assert_ok(sked_life_secrets_launch(s, 1, 1, 1, got, NULL));
    assert_int_equal(got[0], 7);
    sked_life_secrets_forget(s, 1);
    assert_ok(sked_life_secrets_launch(s, 1, 0, 1, got, NULL));
    assert_int_equal(got[0], 0);
    assert_ok(sked_life_secrets_set(s, 3, 1, 4, NULL)); /* in its place */
    assert_ok(sked_life_secrets_launch(s, 2, 1, 1, got, NULL));
    assert_int_equal(got[0], 9);
    assert_status(SKED_ERR_ARG, sked_life_secrets_new(NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_life_secrets_set(NULL, 1, 1, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_secrets_launch(NULL, 1, 1, 1, got, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_secrets_launch(s, 1, 1, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_secrets_launch(s, 1, UINT64_MAX, 1, got, NULL));
    sked_life_secrets_forget(NULL, 1);
    sked_life_secrets_free(s);
    sked_life_secrets_free(NULL);
    sked_host bad = {.struct_size = 1};
    assert_status(SKED_ERR_VERSION, sked_life_secrets_new(&bad, &s, NULL));
}

static sked_status keep_secrets(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_life_secrets *s = NULL;
    sked_status rc = sked_life_secrets_new(&host, &s, NULL);
    uint64_t got;
    (void)arg;

    for (uint64_t job = 1; rc == SKED_OK && job <= 40; job++) {
        rc = sked_life_secrets_set(s, job, 0, job + 7, NULL);
        for (uint64_t k = 1; k <= job; k++) { /* all or nothing */
            assert_ok(sked_life_secrets_launch(s, k, 0, 1, &got, NULL));
            int is_in = k < job || rc == SKED_OK;
            assert_int_equal(got, is_in ? k + 7 : 0);
        }
    }
    sked_life_secrets_free(s);
    return rc;
}

static void secrets_survive_every_failure(void **state)
{
    (void)state;
    test_sweep(keep_secrets, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_brings_its_own),
        cmocka_unit_test(bad_rows_are_named),
        cmocka_unit_test(faults_of_behaviour),
        cmocka_unit_test(what_is_here_is_sound),
        cmocka_unit_test(diagrams_are_those_of_the_docs),
        cmocka_unit_test(calls_on_tables_refuse_nonsense),
        cmocka_unit_test(messages_are_cut),
        cmocka_unit_test(writes_are_checked),
        cmocka_unit_test(no_such_instance_can_be),
        cmocka_unit_test(actions_by_version_run_and_time),
        cmocka_unit_test(availability_by_all_that_counts),
        cmocka_unit_test(states_of_jobs),
        cmocka_unit_test(jobs_that_start_again),
        cmocka_unit_test(natures_are_of_four_types),
        cmocka_unit_test(all_who_stop_keep_one_count),
        cmocka_unit_test(what_an_sla_lets_go),
        cmocka_unit_test(instances_are_counted),
        cmocka_unit_test(gangs_stand_first),
        cmocka_unit_test(delays_double),
        cmocka_unit_test(restarts_follow_the_policy),
        cmocka_unit_test(restarts_refuse_nonsense),
        cmocka_unit_test(placement_is_tried_in_cycles),
        cmocka_unit_test(a_node_is_reserved_in_the_end),
        cmocka_unit_test(placement_without_end_or_back_off),
        cmocka_unit_test(nodes_on_which_things_fail_go_out),
        cmocka_unit_test(quarantine_refuses_nonsense),
        cmocka_unit_test(secrets_are_by_job_and_task),
        cmocka_unit_test(secrets_survive_every_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
