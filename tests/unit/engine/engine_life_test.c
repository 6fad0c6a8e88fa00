/*
 * The tables of docs/design/life-cycles.md, cell by cell: each state of a
 * node, a job, an ask and a group is made, each event is told, and what follows
 * is written down as the table has it: the answer, the decisions, how many
 * tasks' resources came free, how many tasks are open besides, and the state
 * after it where that is another.
 *
 *     SKED_LIFE_PRINT=1 unit_engine_life_test     prints the tables as they are
 */
#include <stdlib.h>

#include "engine_life.h"

#include "engine/exclusion.h"
#include "engine/alloc.h"
#include "files.h"

/* ---- What there is ---- */

static const char *state_of_node(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t node = skedi_keymap_get(&e->node_of, 1);

    if (node == SKEDI_NONE) return "unknown";
    return node_at(e, node)->state == NODE_OPEN     ? "open"
           : node_at(e, node)->state == NODE_BARRED ? "refused"
                                                    : "draining";
}

static const char *state_of_pool(const life *l)
{
    const sked_engine *e = l->f->engine;
    int64_t used[2], has = e->parts > 0 ? e->capacity[1] : 0;

    assert_ok(sked_engine_usage(e, l->f->root, SKED_ANY_PARTITION, used, NULL));
    if (used[1] > has) return "overdrawn";
    if (has == 0) return "empty";
    if (used[1] == has) return "used up";
    return used[1] > 0 ? "in use" : "free";
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
    uint32_t parked = skedi_parked_by(e, a);
    if (parked & (PARK_NODE | PARK_LIMIT)) return "parked";
    if (parked & (PARK_ASK | PARK_JOB)) return "refused";
    if (a->open > 0) return a->first_group != SKEDI_NONE ? "partly" : "open";
    return a->first_group != SKEDI_NONE ? "started" : "kept";
}

static const char *state_of_group(const life *l)
{
    const sked_engine *e = l->f->engine;
    uint32_t group = skedi_group_find(e, l->group);

    if (group == SKEDI_NONE) {
        return skedi_remains_of(e, l->group) > 0 ? "released" : "gone";
    }
    int closed = ask_at(e, group_at(e, group)->ask)->closed;
    switch (group_at(e, group)->state) {
    case GROUP_PROPOSED: return closed ? "proposed, ask gone" : "proposed";
    case GROUP_HELD:
        if (skedi_group_dying(e, group) > 0) return "told to end";
        if (l->noticed) return "under notice";
        return closed ? "held, ask gone" : "held";
    case GROUP_KILLED: return "killed";
    default: return "revoked";
    }
}

/* ---- The tables ---- */

enum { MOST = 24, CELL = 160 };

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
    {"pool",
     state_of_pool,
     {{"empty", "node_up job_submit ask_wait"},
      {"free", "node_up pool_10 job_submit ask_add"},
      {"in use", "node_up pool_10 job_submit ask_add heartbeat confirm"},
      {"used up", "node_up pool_4 job_submit ask_add heartbeat confirm"},
      {"overdrawn",
       "node_up pool_4 job_submit ask_add heartbeat confirm pool_2"}},
     {"pool_0", "pool_2", "pool_4", "pool_10", "heartbeat", "another_ask",
      "finish_1", "finish_all", "node_down"}},
    {"node",
     state_of_node,
     {{"unknown", ""},
      {"open", "node_up job_submit ask_add heartbeat confirm"},
      {"draining", "node_up job_submit ask_add heartbeat confirm node_drain"},
      {"refused", "node_up job_submit ask_add heartbeat refuse_node"}},
     {"node_up", "node_change", "node_drain", "node_resume", "node_down",
      "heartbeat", "node_move", "node_attributes", "allow_node"}},
    {"job",
     state_of_job,
     {{"unknown", ""},
      {"waiting", "full node_up job_submit ask_add"},
      {"idle", "node_up job_submit ask_add"},
      {"proposed", "node_up job_submit ask_add heartbeat"},
      {"working", "node_up job_submit ask_add heartbeat confirm"},
      {"ending", "node_up job_submit ask_add heartbeat confirm job_cancel"}},
     {"job_submit", "job_update", "job_cancel", "job_finish", "another_ask",
      "job_least", "job_exclude", "allow_job"}},
    {"ask",
     state_of_ask,
     {{"unknown", "node_up job_submit"},
      {"open", "node_up job_submit ask_add"},
      {"partly", "node_up job_submit ask_add heartbeat confirm lost_1"},
      {"started", "node_up job_submit ask_add heartbeat confirm"},
      {"kept", "node_up job_submit ask_keep heartbeat confirm finish_all"},
      {"withdrawn",
       "node_up job_submit ask_add heartbeat confirm ask_withdraw"},
      {"parked", "node_up job_submit ask_large"},
      {"refused", "node_up job_submit ask_add heartbeat refuse_ask"}},
     {"ask_add", "ask_change_0", "ask_change_6", "ask_withdraw", "job_cancel",
      "heartbeat", "node_change_20", "allow_ask", "running_1", "ask_rule",
      "ask_prefer", "ask_tags", "ask_exclude", "ask_places", "ask_racks"}},
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
      {"under notice",
       "node_up job_submit ask_add heartbeat confirm rival round"},
      {"told to end",
       "node_up job_submit ask_add heartbeat confirm rival round later_round"},
      {"released",
       "node_up job_submit ask_keep heartbeat confirm released_all"},
      {"gone", "node_up job_submit ask_keep heartbeat finish_all"}},
     {"confirm",      "refuse",    "finish_1",    "finish_all", "fail_1",
      "lost_1",       "lost_all",  "killed_1",    "killed_all", "released_1",
      "released_all", "saved",     "resize",      "ends",       "cost",
      "deadline",     "round",     "later_round", "node_down",  "ask_withdraw",
      "job_cancel",   "job_finish"}},
};

static const char *word_of(int32_t decision)
{
    static const char *const words[] = {
        "",     "admit",    "reject", "allocate", "reserve", "notify",
        "kill", "withdraw", "expire", "requeue",  "lost"};

    return words[decision];
}

/* Adds to a cell, whose length it returns. */
static size_t add(char *cell, size_t at, const char *what, int64_t n)
{
    at += (size_t)snprintf(cell + at, CELL - at, "%s", what);
    if (n == 0) return at;
    return at + (size_t)snprintf(cell + at, CELL - at, " %d", (int)n);
}

/* What an event did: its answer, decisions, and what is free and open. */
static void write_down(life *l, const char *word, char *cell)
{
    sked_engine_stats before = engine_stats_of(l->f);
    uint64_t digest = sked_engine_state_digest(l->f->engine);
    sked_status rc = tell(l, word);
    const char *name = sked_status_name(rc);

    if (rc != SKED_OK) { /* and it changed nothing */
        assert_true(digest == sked_engine_state_digest(l->f->engine));
    }
    name += strncmp(name, "SKED_ERR_", 9) == 0 ? 9 : 5;
    size_t at = add(cell, 0, name, 0), n = hear(l);
    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &l->f->last[i];
        at = add(cell, at, ", ", 0);
        at = add(cell, at, word_of(d->kind), d->count);
    }
    sked_engine_stats after = engine_stats_of(l->f);
    int64_t frees = (int64_t)(before.running_tasks - after.running_tasks);
    int64_t opens = (int64_t)(after.open_tasks - before.open_tasks);
    if (frees > 0) at = add(cell, at, ", frees", frees);
    if (opens > 0) (void)add(cell, at, ", opens", opens);
}

/* Writes what follows from an event in a state, as the table has it. */
static void follow(const life_table *t, size_t state, size_t event, char *cell)
{
    void *fixture;
    uint32_t pooled = t->state == state_of_pool ? 2 : 0; /* memory */
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = DEADLINE,
                             .pooled = pooled};
    (void)engine_setup(&fixture);
    life l = {.f = fixture, .pooled = pooled};

    l.leaf = engine_queue(l.f, l.f->root, "leaf");
    l.rival = engine_queue(l.f, l.f->root, "rival");
    engine_begin(l.f, &o);
    make(&l, t->states[state].made);
    assert_string_equal(t->state(&l), t->states[state].name);
    write_down(&l, t->events[event], cell);
    if (strcmp(t->state(&l), t->states[state].name) != 0) {
        size_t at = add(cell, strlen(cell), "; ", 0);
        (void)add(cell, at, t->state(&l), 0);
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
    char *text = test_file("docs/design/life-cycles.md", &length);
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
