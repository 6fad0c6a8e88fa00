/* Tables of lives: read, checked, told as diagrams; and what is refused. */
#include "life_cases.h"

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
    REFUSED(SKED_ERR_ARG, "edges is NULL", -1);
    d.table.n_events = 0;
    REFUSED(SKED_ERR_RANGE, "no states or no events", -1);
    d.table.struct_size = 3;
    REFUSED(SKED_ERR_VERSION, "table has an unknown struct_size", -1);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
