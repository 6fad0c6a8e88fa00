/*
 * The tables of docs/engine.md, "Life cycles", cell by cell: each state of a
 * node, a job, an ask and a group is made, each event is told, and what follows
 * is written down as the table has it: the answer, the decisions, how many
 * tasks' resources came free, how many tasks are open besides, and the state
 * after it where that is another.
 *
 *     SKED_LIFE_PRINT=1 unit_engine_life_test     prints the tables as they are
 */
#include "engine_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/core/groups.h"
#include "files.h"

/* ---- What is done: words, one blank between them ---- */

enum { TASKS = 4, DEADLINE = 10 };

typedef struct life {
    engine_fixture *f;
    sked_queue_id leaf;
    uint64_t group;
} life;

static sked_event event_of(const life *l, const char *word)
{
    static const struct {
        const char *word;
        int32_t kind;
        int64_t count;
    } words[] = {
        {"node_up", SKED_EVENT_NODE_UP, 0},
        {"node_change", SKED_EVENT_NODE_CHANGE, 0},
        {"node_drain", SKED_EVENT_NODE_DRAIN, 0},
        {"node_resume", SKED_EVENT_NODE_RESUME, 0},
        {"node_down", SKED_EVENT_NODE_DOWN, 0},
        {"heartbeat", SKED_EVENT_HEARTBEAT, 0},
        {"job_submit", SKED_EVENT_JOB_SUBMIT, 0},
        {"job_update", SKED_EVENT_JOB_UPDATE, 0},
        {"job_cancel", SKED_EVENT_JOB_CANCEL, 0},
        {"job_finish", SKED_EVENT_JOB_FINISH, 0},
        {"ask_add", SKED_EVENT_ASK_ADD, TASKS},
        {"another_ask", SKED_EVENT_ASK_ADD, 1},
        {"ask_change_0", SKED_EVENT_ASK_CHANGE, 0},
        {"ask_change_6", SKED_EVENT_ASK_CHANGE, 6},
        {"ask_withdraw", SKED_EVENT_ASK_WITHDRAW, 0},
        {"confirm", SKED_EVENT_TASK_CONFIRM, 0},
        {"refuse", SKED_EVENT_TASK_REFUSE, 0},
        {"finish_1", SKED_EVENT_TASK_FINISH, 1},
        {"finish_all", SKED_EVENT_TASK_FINISH, TASKS},
        {"fail_1", SKED_EVENT_TASK_FAIL, 1},
        {"lost_1", SKED_EVENT_TASK_LOST, 1},
        {"lost_all", SKED_EVENT_TASK_LOST, TASKS},
        {"killed_1", SKED_EVENT_TASK_KILLED, 1},
        {"killed_all", SKED_EVENT_TASK_KILLED, TASKS},
        {"released_1", SKED_EVENT_TASK_RELEASED, 1},
        {"released_all", SKED_EVENT_TASK_RELEASED, TASKS},
        {"saved", SKED_EVENT_TASK_SAVED, 0},
        {"deadline", SKED_EVENT_TICK, 0},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, word) != 0) continue;
        int32_t kind = words[i].kind;
        int task = (kind >= SKED_EVENT_TASK_CONFIRM &&
                    kind <= SKED_EVENT_TASK_FINISH + 2) ||
                   kind == SKED_EVENT_TASK_KILLED ||
                   kind == SKED_EVENT_TASK_RELEASED ||
                   kind == SKED_EVENT_TASK_SAVED;
        sked_event e = {.kind = kind,
                        .key = task ? l->group : 1,
                        .owner = 1,
                        .count = words[i].count,
                        .amount = 1,
                        .priority = kind == SKED_EVENT_JOB_UPDATE};
        if (kind == SKED_EVENT_JOB_SUBMIT) e.queue = l->leaf;
        if (strcmp(word, "another_ask") == 0) e.key = 2;
        return e;
    }
    fail_msg("no event is called %s", word);
    return (sked_event){0};
}

static sked_status tell(life *l, const char *word)
{
    sked_event e = event_of(l, word);
    int node = e.kind == SKED_EVENT_NODE_UP || e.kind == SKED_EVENT_NODE_CHANGE;

    if (e.kind == SKED_EVENT_TICK) l->f->now += DEADLINE;
    return engine_say(l->f, e, node ? 10 : 1, node ? 10 : 1);
}

static size_t hear(life *l)
{
    size_t n = engine_taken(l->f);

    for (size_t i = 0; i < n; i++) {
        if (l->f->last[i].kind == SKED_DECISION_ALLOCATE && !l->group) {
            l->group = l->f->last[i].group;
        }
    }
    return n;
}

/* Makes a state: events, and words of its own. */
static void make(life *l, const char *words)
{
    char word[32];

    for (int n = 0; sscanf(words, " %31s%n", word, &n) == 1; words += n) {
        if (strcmp(word, "full") == 0) { /* no job may run */
            engine_set(l->f, l->leaf, SKED_QUEUE_MAX_RUNNING, 0);
            engine_begin(l->f, NULL);
            continue;
        }
        if (strcmp(word, "ask_keep") == 0) {
            sked_event e = event_of(l, "ask_add");
            e.flags = SKED_ASK_KEEP;
            assert_ok(engine_say(l->f, e, 1, 1));
        } else {
            assert_ok(tell(l, word));
        }
        (void)hear(l);
    }
}

/* ---- What there is ---- */

static const char *state_of_node(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t node = skedi_keymap_get(&e->node_of, 1);

    if (node == SKEDI_NONE) return "unknown";
    return node_at(e, node)->state == NODE_OPEN ? "open" : "draining";
}

static const char *state_of_job(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t job = skedi_keymap_get(&e->job_of, 1);

    if (job == SKEDI_NONE) return "unknown";
    const engine_job *j = job_at(e, job);
    if (j->state == JOB_WAITING) return "waiting";
    if (j->state == JOB_ENDED) return "ending";
    return j->held > 0 ? "working" : j->groups > 0 ? "proposed" : "idle";
}

static const char *state_of_ask(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t ask = skedi_keymap_get(&e->ask_of, 1);

    if (ask == SKEDI_NONE) return "unknown";
    const engine_ask *a = ask_at(e, ask);
    if (a->closed) return "withdrawn";
    if (a->open > 0) return a->first_group != SKEDI_NONE ? "partly" : "open";
    return a->first_group != SKEDI_NONE ? "started" : "kept";
}

static const char *state_of_group(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t group = skedi_group_find(e, l->group);

    if (group == SKEDI_NONE) return "gone";
    int closed = ask_at(e, group_at(e, group)->ask)->closed;
    switch (group_at(e, group)->state) {
    case GROUP_PROPOSED: return closed ? "proposed, ask gone" : "proposed";
    case GROUP_HELD: return closed ? "held, ask gone" : "held";
    case GROUP_KILLED: return "killed";
    default: return "revoked";
    }
}

/* ---- The tables ---- */

enum { MOST = 18, CELL = 160 };

typedef struct life_table {
    const char *thing; /* the first heading of the document's table */
    const char *(*state)(const life *l);
    struct {
        const char *name;
        const char *made; /* by these words */
    } states[MOST];
    const char *events[MOST];
} life_table;

static const life_table tables[] = {
    {"node",
     state_of_node,
     {{"unknown", ""},
      {"open", "node_up job_submit ask_add heartbeat confirm"},
      {"draining", "node_up job_submit ask_add heartbeat confirm node_drain"}},
     {"node_up", "node_change", "node_drain", "node_resume", "node_down",
      "heartbeat"}},
    {"job",
     state_of_job,
     {{"unknown", ""},
      {"waiting", "full node_up job_submit ask_add"},
      {"idle", "node_up job_submit ask_add"},
      {"proposed", "node_up job_submit ask_add heartbeat"},
      {"working", "node_up job_submit ask_add heartbeat confirm"},
      {"ending", "node_up job_submit ask_add heartbeat confirm job_cancel"}},
     {"job_submit", "job_update", "job_cancel", "job_finish", "another_ask"}},
    {"ask",
     state_of_ask,
     {{"unknown", "node_up job_submit"},
      {"open", "node_up job_submit ask_add"},
      {"partly", "node_up job_submit ask_add heartbeat confirm lost_1"},
      {"started", "node_up job_submit ask_add heartbeat confirm"},
      {"kept", "node_up job_submit ask_keep heartbeat confirm finish_all"},
      {"withdrawn",
       "node_up job_submit ask_add heartbeat confirm ask_withdraw"}},
     {"ask_add", "ask_change_0", "ask_change_6", "ask_withdraw", "job_cancel"}},
    {"group",
     state_of_group,
     {{"proposed", "node_up job_submit ask_add heartbeat"},
      {"held", "node_up job_submit ask_add heartbeat confirm"},
      {"proposed, ask gone",
       "node_up job_submit ask_add heartbeat ask_withdraw"},
      {"held, ask gone",
       "node_up job_submit ask_add heartbeat confirm ask_withdraw"},
      {"revoked", "node_up job_submit ask_add heartbeat job_cancel"},
      {"killed", "node_up job_submit ask_add heartbeat confirm job_cancel"},
      {"gone", "node_up job_submit ask_keep heartbeat finish_all"}},
     {"confirm", "refuse", "finish_1", "finish_all", "fail_1", "lost_1",
      "lost_all", "killed_1", "killed_all", "released_1", "released_all",
      "saved", "deadline", "node_down", "ask_withdraw", "job_cancel",
      "job_finish"}},
};

static const char *word_of(int32_t decision)
{
    static const char *const words[] = {
        "",     "admit",    "reject", "allocate", "reserve", "notify",
        "kill", "withdraw", "expire", "requeue",  "lost"};

    return words[decision];
}

/* Writes what follows from an event in a state, as the table has it. */
static void follow(const life_table *t, size_t state, size_t event, char *cell)
{
    void *fixture;
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = DEADLINE};
    (void)engine_setup(&fixture);
    life l = {.f = fixture};
    size_t at = 0;

    l.leaf = engine_queue(l.f, l.f->root, "leaf");
    engine_begin(l.f, &o);
    make(&l, t->states[state].made);
    assert_string_equal(t->state(&l), t->states[state].name);
    sked_engine_stats before = engine_stats_of(l.f);
    uint64_t digest = sked_engine_state_digest(l.f->engine);
    sked_status rc = tell(&l, t->events[event]);
    if (rc != SKED_OK) { /* and it changed nothing */
        assert_true(digest == sked_engine_state_digest(l.f->engine));
    }
    const char *name = sked_status_name(rc);
    name += strncmp(name, "SKED_ERR_", 9) == 0 ? 9 : 5;
    at += (size_t)snprintf(cell, CELL, "%s", name);
    size_t n = hear(&l);
    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &l.f->last[i];
        at += (size_t)snprintf(cell + at, CELL - at, ", %s", word_of(d->kind));
        if (d->count == 0) continue;
        at += (size_t)snprintf(cell + at, CELL - at, " %d", (int)d->count);
    }
    sked_engine_stats after = engine_stats_of(l.f);
    int64_t frees = (int64_t)(before.running_tasks - after.running_tasks);
    int64_t opens = (int64_t)(after.open_tasks - before.open_tasks);
    if (frees > 0) {
        at += (size_t)snprintf(cell + at, CELL - at, ", frees %d", (int)frees);
    }
    if (opens > 0) {
        at += (size_t)snprintf(cell + at, CELL - at, ", opens %d", (int)opens);
    }
    if (strcmp(t->state(&l), t->states[state].name) != 0) {
        (void)snprintf(cell + at, CELL - at, "; %s", t->state(&l));
    }
    assert_ok(sked_engine_check(l.f->engine, NULL));
    (void)engine_teardown(&fixture);
}

static void print_table(const life_table *t)
{
    char cell[CELL];

    printf("| %s |", t->thing);
    for (size_t s = 0; t->states[s].name; s++)
        printf(" %s |", t->states[s].name);
    printf("\n|---|");
    for (size_t s = 0; t->states[s].name; s++) printf("---|");
    for (size_t e = 0; t->events[e]; e++) {
        printf("\n| %s |", t->events[e]);
        for (size_t s = 0; t->states[s].name; s++) {
            follow(t, s, e, cell);
            printf(" %s |", cell);
        }
    }
    printf("\n\n");
}

/* The next cell of a row of the document, without blanks around it. */
static const char *next_cell(const char *row, char *cell)
{
    const char *end = strchr(row + 1, '|'), *from = row + 1;

    assert_non_null(end);
    while (*from == ' ') from++;
    size_t length = (size_t)(end - from);
    while (length > 0 && from[length - 1] == ' ') length--;
    assert_true(length < CELL);
    memcpy(cell, from, length);
    cell[length] = 0;
    return end;
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');

    assert_non_null(end);
    return end + 1;
}

/* Each row and column of the table is in the document, and nothing else. */
static void assert_documented(const char *text, const life_table *t)
{
    char want[CELL], got[CELL], heading[CELL];

    (void)snprintf(heading, sizeof heading, "\n| %s |", t->thing);
    const char *row = strstr(text, heading);
    assert_non_null(row);
    const char *at = next_cell(++row, want);
    for (size_t s = 0; t->states[s].name; s++) {
        at = next_cell(at, want);
        assert_string_equal(want, t->states[s].name);
    }
    assert_true(at[1] == '\n');
    row = next_line(next_line(row)); /* the rule below the headings */
    for (size_t e = 0; t->events[e]; e++, row = next_line(row)) {
        at = next_cell(row, want);
        assert_string_equal(want, t->events[e]);
        for (size_t s = 0; t->states[s].name; s++) {
            at = next_cell(at, want);
            follow(t, s, e, got);
            if (strcmp(want, got) == 0) continue;
            fail_msg("%s %s, then %s: \"%s\", the document has \"%s\"",
                     t->thing, t->states[s].name, t->events[e], got, want);
        }
        assert_true(at[1] == '\n');
    }
    assert_true(*row != '|');
}

static void each_cell_of_the_tables_is_so(void **state)
{
    size_t length;
    char *text = test_file("docs/engine.md", &length);
    (void)state;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (getenv("SKED_LIFE_PRINT"))
            print_table(&tables[i]);
        else
            assert_documented(text, &tables[i]);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cell_of_the_tables_is_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
