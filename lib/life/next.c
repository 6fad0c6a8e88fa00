/* What may follow: one edge of a table, or why there is none, in words that say
 * what would be legal. */
#include "life/life.h"

#include <string.h>

#include "base/versioned.h"

enum {
    LIFE_TABLE_V1 = sizeof(sked_life_table),
    LIFE_WORDS = 192 /* of a message */
};

_Static_assert(sizeof(sked_life_name) == 32, "frozen");
_Static_assert(sizeof(sked_life_edge) == 24, "frozen");
_Static_assert(sizeof(sked_life_goal) == 24, "frozen");
_Static_assert(sizeof(sked_life_step) == 16, "frozen");

/* ---- Tables that come in ---- */

static int is_list(const void *rows, uint64_t n, uint64_t most)
{
    return n <= most && (rows || n == 0);
}

sked_status skedi_life_table_in(sked_life_table *table,
                                const sked_life_table *theirs, sked_error *err)
{
    if (!theirs) return skedi_fail_null(err, "table");
    if (skedi_struct_in(table, sizeof *table, theirs, LIFE_TABLE_V1)) {
        return skedi_fail_version(err, "table");
    }
    const struct {
        const void *rows;
        uint64_t n, most;
        const char *what;
    } lists[] = {
        {table->states, table->n_states, SKED_MAX_LIFE_STATES, "states"},
        {table->events, table->n_events, SKED_MAX_LIFE_EVENTS, "events"},
        {table->edges, table->n_edges, SKED_MAX_LIFE_EDGES, "edges"},
        {table->actions, table->n_actions, SKED_MAX_LIFE_ACTIONS, "actions"},
        {table->goals, table->n_goals, SKED_MAX_LIFE_GOALS, "goals"},
    };
    for (size_t i = 0; i < LIFE_COUNT(lists); i++) {
        if (is_list(lists[i].rows, lists[i].n, lists[i].most)) continue;
        if (lists[i].n <= lists[i].most) {
            return skedi_fail_null(err, lists[i].what);
        }
        return skedi_fail(err, SKED_ERR_RANGE, lists[i].what,
                          (skedi_fault){.limit = (int64_t)lists[i].most});
    }
    if (!table->n_states || !table->n_events) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no states or no events");
    }
    return SKED_OK;
}

/* ---- Words ---- */

void skedi_life_write_name(skedi_writer *w, const sked_life_name *name)
{
    const char *end = memchr(name->text, 0, sizeof name->text);

    skedi_write_bytes(w, name->text,
                      end ? (size_t)(end - name->text) : sizeof name->text);
}

sked_status skedi_life_fail(sked_error *err, sked_status code, skedi_writer *w,
                            skedi_fault fault)
{
    if (skedi_write_end(w) != SKED_OK) { /* too long: say so */
        memcpy(w->text + w->cap - 4, "...", 4);
    }
    return skedi_fail(err, code, w->text, fault);
}

static void write_causes(skedi_writer *w, uint32_t causes)
{
    static const char *const words[] = {"user",      "jobs", "queues",
                                        "placement", "node", "timer"};
    const char *between = "";

    for (uint32_t i = 0; i < LIFE_COUNT(words); i++) {
        if (!(causes & 1u << i)) continue;
        skedi_write_text(w, between);
        skedi_write_text(w, words[i]);
        between = ", ";
    }
}

/* "RUNNING: place is not legal; legal are succeed, fail" */
static sked_status say_illegal(const sked_life_table *t, uint32_t state,
                               uint32_t event, sked_error *err)
{
    char text[LIFE_WORDS];
    skedi_writer w = {text, sizeof text, 0};
    const char *between = "; legal are ";

    skedi_life_write_name(&w, &t->states[state]);
    skedi_write_text(&w, ": ");
    skedi_life_write_name(&w, &t->events[event]);
    skedi_write_text(&w, " is not legal");
    for (uint64_t i = 0; i < t->n_edges; i++) {
        const sked_life_edge *e = &t->edges[i];
        if (!(e->from & SKED_LIFE_BIT(state)) || e->event >= t->n_events) {
            continue;
        }
        skedi_write_text(&w, between);
        skedi_life_write_name(&w, &t->events[e->event]);
        between = ", ";
    }
    return skedi_life_fail(err, SKED_ERR_STATE, &w,
                           (skedi_fault){.got = event});
}

/* "RUNNING: preempt is for queues, not for user" */
static sked_status say_cause(const sked_life_table *t, uint32_t state,
                             const sked_life_edge *edge, uint32_t cause,
                             sked_error *err)
{
    char text[LIFE_WORDS];
    skedi_writer w = {text, sizeof text, 0};

    skedi_life_write_name(&w, &t->states[state]);
    skedi_write_text(&w, ": ");
    skedi_life_write_name(&w, &t->events[edge->event]);
    skedi_write_text(&w, " is for ");
    write_causes(&w, edge->causes);
    skedi_write_text(&w, ", not for ");
    write_causes(&w, cause);
    return skedi_life_fail(err, SKED_ERR_STATE, &w,
                           (skedi_fault){.got = cause, .limit = edge->causes});
}

/* ---- Moves ---- */

static int is_one_cause(uint32_t cause)
{
    return cause && !(cause & (cause - 1)) && cause <= SKED_LIFE_CAUSE_ALL;
}

/* The row of the edge for this, or n_edges; `*near` is one for another cause. */
static uint64_t find_edge(const sked_life_table *t, uint32_t state,
                          uint32_t event, uint32_t causes, uint64_t *near)
{
    *near = t->n_edges;
    for (uint64_t i = 0; i < t->n_edges; i++) {
        const sked_life_edge *e = &t->edges[i];
        if (e->event != event || !(e->from & SKED_LIFE_BIT(state))) continue;
        if (e->causes & causes) return i;
        *near = i;
    }
    return t->n_edges;
}

/* Where an edge leads from here, or SKED_LIFE_NONE. */
static uint32_t next_of(const sked_life_table *t, const sked_life_edge *edge,
                        const sked_life_at *at)
{
    uint32_t next = edge->next == SKED_LIFE_BEFORE ? at->before : edge->next;

    return next < t->n_states ? next : SKED_LIFE_NONE;
}

static void make_step(const sked_life_at *at, uint32_t next, uint64_t edge,
                      sked_life_step *step)
{
    sked_life_step taken = {
        .at = *at, .outcome = SKED_LIFE_OUTCOME_STAYED, .edge = (uint32_t)edge};

    if (next != at->state) {
        taken.at = (sked_life_at){next, at->state};
        taken.outcome = SKED_LIFE_OUTCOME_MOVED;
    }
    *step = taken;
}

sked_status sked_life_next(const sked_life_table *table, const sked_life_at *at,
                           uint32_t event, uint32_t cause, sked_life_step *step,
                           sked_error *err)
{
    sked_life_table t;
    uint64_t near;
    sked_status rc = skedi_life_table_in(&t, table, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !at ? "at" : !step ? "step" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (at->state >= t.n_states || event >= t.n_events ||
        !is_one_cause(cause)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such state, event or cause");
    }
    uint64_t edge = find_edge(&t, at->state, event, cause, &near);
    if (edge < t.n_edges) {
        uint32_t next = next_of(&t, &t.edges[edge], at);
        if (next == SKED_LIFE_NONE) {
            return skedi_fail(err, SKED_ERR_RANGE, "edges: leads nowhere",
                              (skedi_fault){.row = (int64_t)edge + 1});
        }
        make_step(at, next, edge, step);
        return SKED_OK;
    }
    if (t.states[at->state].marks & SKED_LIFE_MARK_MUTE) {
        *step = (sked_life_step){*at, SKED_LIFE_OUTCOME_IGNORED,
                                 SKED_LIFE_NONE};
        return SKED_OK;
    }
    if (near == t.n_edges) return say_illegal(&t, at->state, event, err);
    return say_cause(&t, at->state, &t.edges[near], cause, err);
}

void skedi_life_move(const sked_life_table *table, sked_life_at *at,
                     uint32_t event, uint32_t cause)
{
    uint64_t near, edge = find_edge(table, at->state, event, cause, &near);
    sked_life_step step;

    if (edge == table->n_edges) return;
    make_step(at, next_of(table, &table->edges[edge], at), edge, &step);
    *at = step.at;
}

/* ---- What would be legal ---- */

sked_status sked_life_legal(const sked_life_table *table, uint32_t state,
                            uint32_t causes, uint32_t *edges, size_t cap,
                            size_t *n, sked_error *err)
{
    sked_life_table t;
    size_t found = 0;
    sked_status rc = skedi_life_table_in(&t, table, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !n ? "n" : cap && !edges ? "edges" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (state >= t.n_states) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such state");
    }
    for (int write = 0; write < 2; write++) {
        found = 0;
        for (uint64_t i = 0; i < t.n_edges; i++) {
            const sked_life_edge *e = &t.edges[i];
            if (!(e->from & SKED_LIFE_BIT(state))) continue;
            if (!(e->causes & causes)) continue;
            if (write) edges[found] = (uint32_t)i;
            found++;
        }
        if (found > cap) break;
    }
    *n = found;
    if (found <= cap) return SKED_OK;
    return skedi_fail_cap(err, found, cap);
}

sked_status sked_life_way(const sked_life_table *table, uint32_t state,
                          uint32_t to, uint32_t *edge, sked_error *err)
{
    sked_life_table t;
    char text[LIFE_WORDS];
    skedi_writer w = {text, sizeof text, 0};
    const char *between = " it goes to ";
    sked_status rc = skedi_life_table_in(&t, table, err);

    if (rc != SKED_OK) return rc;
    if (!edge) return skedi_fail_null(err, "edge");
    if (state >= t.n_states || to >= t.n_states) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such state");
    }
    skedi_life_write_name(&w, &t.states[state]);
    skedi_write_text(&w, " never becomes ");
    skedi_life_write_name(&w, &t.states[to]);
    skedi_write_text(&w, ";");
    for (uint64_t i = 0; i < t.n_edges && state != to; i++) {
        const sked_life_edge *e = &t.edges[i];
        if (!(e->from & SKED_LIFE_BIT(state)) || e->next >= t.n_states ||
            e->next == state || e->marks & SKED_LIFE_EDGE_FORCED) {
            continue;
        }
        if (e->next == to) {
            *edge = (uint32_t)i;
            return SKED_OK;
        }
        skedi_write_text(&w, between);
        skedi_life_write_name(&w, &t.states[e->next]);
        between = ", ";
    }
    if (state != to) {
        return skedi_life_fail(err, SKED_ERR_STATE, &w,
                               (skedi_fault){.got = to});
    }
    *edge = SKED_LIFE_NONE;
    return SKED_OK;
}

sked_status sked_life_act(const sked_life_table *table, uint32_t goal,
                          uint32_t state, uint32_t *action, sked_error *err)
{
    sked_life_table t;
    sked_status rc = skedi_life_table_in(&t, table, err);

    if (rc != SKED_OK) return rc;
    if (!action) return skedi_fail_null(err, "action");
    if (state >= t.n_states || goal >= t.n_states) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such state or goal");
    }
    *action = SKED_LIFE_ACTION_NOTHING;
    for (uint64_t i = 0; i < t.n_goals; i++) {
        const sked_life_goal *g = &t.goals[i];
        if (!(g->goals & SKED_LIFE_BIT(goal))) continue;
        if (g->states & SKED_LIFE_BIT(state)) *action = g->action;
    }
    return SKED_OK;
}
