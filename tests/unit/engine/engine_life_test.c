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

#include "engine/core/bans.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/core/remains.h"
#include "files.h"

/* ---- What is done: words, one blank between them ---- */

enum { TASKS = 4, DEADLINE = 10 };

typedef struct life {
    engine_fixture *f;
    sked_queue_id leaf;
    sked_queue_id
        rival; /* a queue that is guaranteed the node, once it is told */
    uint64_t group;
    int noticed; /* a round gave the group notice */
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
        {"node_change_20", SKED_EVENT_NODE_CHANGE, 0},
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
        {"node_move", SKED_EVENT_NODE_MOVE, 0},
        {"node_attributes", SKED_EVENT_NODE_ATTRIBUTES, 0},
        {"allow_node", SKED_EVENT_ALLOW, 0},
        {"allow_ask", SKED_EVENT_ALLOW, 0},
        {"allow_job", SKED_EVENT_ALLOW, 0},
        {"refuse_node", SKED_EVENT_TASK_REFUSE, 0},
        {"refuse_ask", SKED_EVENT_TASK_REFUSE, 0},
        {"refuse_job", SKED_EVENT_TASK_REFUSE, 0},
        {"job_least", SKED_EVENT_JOB_LEAST, 1},
        {"job_exclude", SKED_EVENT_JOB_EXCLUDE, 0},
        {"running_1", SKED_EVENT_TASK_RUNNING, 1},
        {"ask_rule", SKED_EVENT_ASK_RULE, 0},
        {"ask_tags", SKED_EVENT_ASK_TAGS, 0},
        {"ask_exclude", SKED_EVENT_ASK_EXCLUDE, 0},
        {"ask_places", SKED_EVENT_ASK_PLACES, 0},
        {"ask_racks", SKED_EVENT_ASK_RACKS, 0},
        {"ask_prefer", SKED_EVENT_ASK_PREFER, 1},
        {"resize", SKED_EVENT_TASK_RESIZE, 0},
        {"ends", SKED_EVENT_TASK_ENDS, 0},
        {"cost", SKED_EVENT_TASK_COST, 1},
        {"round", SKED_EVENT_ROUND, 0},
        {"later_round", SKED_EVENT_ROUND, 0},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, word) != 0) continue;
        int32_t kind = words[i].kind;
        int task = (kind >= SKED_EVENT_TASK_CONFIRM &&
                    kind <= SKED_EVENT_TASK_FINISH + 2) ||
                   kind == SKED_EVENT_TASK_KILLED ||
                   kind == SKED_EVENT_TASK_RELEASED ||
                   kind == SKED_EVENT_TASK_SAVED ||
                   kind == SKED_EVENT_TASK_RESIZE ||
                   kind == SKED_EVENT_TASK_ENDS || kind == SKED_EVENT_TASK_COST;
        sked_event e = {.kind = kind,
                        .key = task ? l->group : 1,
                        .owner = 1,
                        .count = words[i].count,
                        .amount = 1,
                        .priority = kind == SKED_EVENT_JOB_UPDATE};
        if (kind == SKED_EVENT_JOB_SUBMIT) e.queue = l->leaf;
        if (strcmp(word, "another_ask") == 0) e.key = 2;
        if (kind == SKED_EVENT_NODE_MOVE) e.partition = 1;
        const char *scope = strstr(word, "_node")  ? "node"
                            : strstr(word, "_ask") ? "ask"
                                                   : "job";
        if (strncmp(word, "allow", 5) == 0 ||
            strncmp(word, "refuse_", 7) == 0) {
            e.flags = strcmp(scope, "node") == 0  ? SKED_REFUSE_NODE
                      : strcmp(scope, "ask") == 0 ? SKED_REFUSE_ASK
                                                  : SKED_REFUSE_JOB;
        }
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
    if (strcmp(word, "later_round") == 0) l->f->now += 2 * DEADLINE;
    int64_t amount = strcmp(word, "node_change_20") == 0 ? 20 : node ? 10 : 1;
    return engine_say(l->f, e, amount, amount);
}

static size_t hear(life *l)
{
    size_t n = engine_taken(l->f);

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &l->f->last[i];
        if (d->kind == SKED_DECISION_ALLOCATE && !l->group) l->group = d->group;
        if (d->kind == SKED_DECISION_NOTIFY) l->noticed = 1;
        if (d->kind == SKED_DECISION_WITHDRAW) l->noticed = 0;
    }
    return n;
}

/* Another queue is guaranteed the node, and asks for all of it: rounds give
 * notice, and kill when that has run out. */
static void begin_rival(life *l)
{
    const int64_t all[] = {10, 10};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1,
                                         .ignored_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = DEADLINE};
    const sked_engine_preempt_options p = {
        .struct_size = sizeof p, .targets = &targets, .rounds = &rounds};
    sked_event job = {
        .kind = SKED_EVENT_JOB_SUBMIT, .key = 9, .owner = 9, .queue = l->rival};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 9,
                      .owner = 9,
                      .count = 1,
                      .amount = 1};

    assert_ok(sked_tree_set_vec(l->f->tree, l->rival, SKED_QUEUE_GUARANTEE, all,
                                NULL));
    engine_begin(l->f, NULL);
    assert_ok(sked_engine_preempt(l->f->engine, &p, NULL));
    assert_ok(engine_say(l->f, job, 0, 0));
    assert_ok(engine_say(l->f, ask, 10, 10));
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
        if (strcmp(word, "rival") == 0) {
            begin_rival(l);
        } else if (strcmp(word, "ask_large") == 0) { /* than the node */
            sked_event e = event_of(l, "ask_add");
            e.flags = SKED_ASK_WAIT;
            assert_ok(engine_say(l->f, e, 11, 1));
        } else if (strcmp(word, "ask_keep") == 0) {
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
    return node_at(e, node)->state == NODE_OPEN     ? "open"
           : node_at(e, node)->state == NODE_BARRED ? "refused"
                                                    : "draining";
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
    l.rival = engine_queue(l.f, l.f->root, "rival");
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
