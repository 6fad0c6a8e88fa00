/* Checks whether a table is well formed and whether its states lead to an end.
 * A set of states is a word of 64 bits, so the checks need only the stack. */
#include "life/life.h"

#include <string.h>

#include "base/bits.h"

/* ---- Is a table well formed? ---- */

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static int is_life_name(const sked_life_name *name)
{
    size_t n = 0;

    while (n < sizeof name->text && is_word(name->text[n])) n++;
    return n > 0 && n < sizeof name->text && !name->text[n];
}

/* For example "edges[3]: no such event"; the error also has the row. */
static sked_status fail_row(sked_error *err, sked_status code, const char *list,
                            uint64_t row, const char *what)
{
    char text[96];
    skedi_writer w = {text, sizeof text, 0};

    skedi_write_text(&w, list);
    skedi_write_char(&w, '[');
    skedi_write_u64(&w, row);
    skedi_write_text(&w, "]: ");
    skedi_write_text(&w, what);
    return skedi_life_fail(err, code, &w,
                           (skedi_fault){.row = (int64_t)row + 1});
}

static sked_status read_names(const sked_life_name *names, uint64_t n,
                              uint32_t marks, const char *list, sked_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        if (!is_life_name(&names[i])) {
            return fail_row(err, SKED_ERR_ARG, list, i, "not a name");
        }
        if (names[i].marks & ~marks || names[i].reserved) {
            return fail_row(err, SKED_ERR_RANGE, list, i, "unknown marks");
        }
        for (uint64_t j = 0; j < i; j++) {
            if (strcmp(names[i].text, names[j].text) != 0) continue;
            return fail_row(err, SKED_ERR_EXISTS, list, i, "name is taken");
        }
    }
    return SKED_OK;
}

/* The set of all states of a table. */
static uint64_t all_states(const sked_life_table *t)
{
    return UINT64_MAX >> (SKED_MAX_LIFE_STATES - t->n_states);
}

static const char *edge_fault(const sked_life_table *t, const sked_life_edge *e)
{
    uint32_t marks = SKED_LIFE_EDGE_COUNTED | SKED_LIFE_EDGE_FORCED;

    if (!e->from || e->from & ~all_states(t)) return "no such state";
    if (e->event >= t->n_events) return "no such event";
    if (e->next >= t->n_states && e->next != SKED_LIFE_BEFORE) {
        return "no such next state";
    }
    if (!e->causes || e->causes & ~(uint32_t)SKED_LIFE_CAUSE_ALL) {
        return "no such cause";
    }
    return e->marks & ~marks ? "unknown marks" : NULL;
}

static sked_status read_edges(const sked_life_table *t, sked_error *err)
{
    for (uint64_t i = 0; i < t->n_edges; i++) {
        const sked_life_edge *e = &t->edges[i];
        const char *fault = edge_fault(t, e);
        if (fault) return fail_row(err, SKED_ERR_RANGE, "edges", i, fault);
        for (uint64_t j = 0; j < i; j++) {
            const sked_life_edge *f = &t->edges[j];
            if (e->event == f->event && e->from & f->from &&
                e->causes & f->causes) {
                return fail_row(err, SKED_ERR_EXISTS, "edges", i,
                                "an edge for this is there");
            }
        }
    }
    return SKED_OK;
}

static sked_status read_goals(const sked_life_table *t, sked_error *err)
{
    uint64_t none = ~all_states(t);

    for (uint64_t i = 0; i < t->n_goals; i++) {
        const sked_life_goal *g = &t->goals[i];
        if (!g->goals || !g->states || g->goals & none || g->states & none) {
            return fail_row(err, SKED_ERR_RANGE, "goals", i, "no such state");
        }
        if (g->action >= t->n_actions || g->reserved) {
            return fail_row(err, SKED_ERR_RANGE, "goals", i, "no such action");
        }
        for (uint64_t j = 0; j < i; j++) {
            if (g->goals & t->goals[j].goals &&
                g->states & t->goals[j].states) {
                return fail_row(err, SKED_ERR_EXISTS, "goals", i,
                                "a row for this is there");
            }
        }
    }
    return SKED_OK;
}

static int is_title(const char *name)
{
    size_t n = 0;

    while (name && n < SKED_MAX_LIFE_NAME && is_word(name[n])) n++;
    return n > 0 && n < SKED_MAX_LIFE_NAME && !name[n];
}

sked_status skedi_life_table_read(sked_life_table *table,
                                  const sked_life_table *theirs,
                                  sked_error *err)
{
    const uint32_t marks = SKED_LIFE_MARK_START | SKED_LIFE_MARK_END |
                           SKED_LIFE_MARK_MUTE | SKED_LIFE_MARK_UNUSED;
    sked_life_table *t = table;
    sked_status rc = skedi_life_table_in(t, theirs, err);

    if (rc == SKED_OK && (t->reserved || !is_title(t->name))) {
        rc = skedi_fail_plain(err, SKED_ERR_ARG, "table has no name");
    }
    if (rc == SKED_OK) {
        rc = read_names(t->states, t->n_states, marks, "states", err);
    }
    if (rc == SKED_OK) {
        rc = read_names(t->events, t->n_events, 0, "events", err);
    }
    if (rc == SKED_OK) {
        rc = read_names(t->actions, t->n_actions, 0, "actions", err);
    }
    if (rc == SKED_OK) rc = read_edges(t, err);
    if (rc == SKED_OK) rc = read_goals(t, err);
    return rc;
}

/* ---- Do the states lead to an end? ---- */

/* For each state, the targets of its edges (`any`), and the targets of edges
 * that are not counted and need no cause from outside (`idle`). */
typedef struct life_graph {
    const sked_life_table *t;
    uint64_t any[SKED_MAX_LIFE_STATES];
    uint64_t idle[SKED_MAX_LIFE_STATES];
    uint64_t marked[4]; /* by bit of enum sked_life_mark */
    uint64_t touched;
} life_graph;

/* All states from which an edge leads to `state`. */
static uint64_t before_of(const sked_life_table *t, uint32_t state)
{
    uint64_t set = 0;

    for (uint64_t i = 0; i < t->n_edges; i++) {
        if (t->edges[i].next == state) set |= t->edges[i].from;
    }
    return set;
}

static void add_edge(life_graph *g, const sked_life_edge *e)
{
    const uint32_t outside = SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_NODE;
    int idle = (e->causes & ~outside) && !(e->marks & SKED_LIFE_EDGE_COUNTED);

    g->touched |= e->from;
    if (e->next != SKED_LIFE_BEFORE) g->touched |= SKED_LIFE_BIT(e->next);
    for (uint64_t left = e->from; left; left &= left - 1) {
        uint32_t s = skedi_ctz64(left);
        uint64_t to = e->next == SKED_LIFE_BEFORE ? before_of(g->t, s)
                                                  : SKED_LIFE_BIT(e->next);
        to &= ~SKED_LIFE_BIT(s); /* to stay is no way out */
        g->any[s] |= to;
        if (idle) g->idle[s] |= to;
    }
}

static void make_graph(life_graph *g, const sked_life_table *t)
{
    *g = (life_graph){.t = t};
    for (uint64_t i = 0; i < t->n_edges; i++) add_edge(g, &t->edges[i]);
    for (uint32_t s = 0; s < t->n_states; s++) {
        for (uint32_t bit = 0; bit < 4; bit++) {
            if (t->states[s].marks & 1u << bit) {
                g->marked[bit] |= SKED_LIFE_BIT(s);
            }
        }
    }
}

/* The states of a set, and all states that `next` reaches from them. */
static uint64_t reach_along(const uint64_t *next, uint64_t from)
{
    uint64_t set = from, todo = from;

    while (todo) {
        uint64_t found = next[skedi_ctz64(todo)] & ~set;
        set |= found;
        todo = (todo & (todo - 1)) | found;
    }
    return set;
}

enum { LIFE_STARTS, LIFE_ENDS, LIFE_MUTES, LIFE_UNUSEDS };

/* The set of states that have the fault `code`. */
static uint64_t faulty(const life_graph *g, uint32_t code)
{
    uint64_t all = all_states(g->t) & ~g->marked[LIFE_UNUSEDS], set = 0;
    uint64_t ends = g->marked[LIFE_ENDS];

    if (code == SKED_LIFE_FAULT_UNUSED) {
        return g->marked[LIFE_UNUSEDS] & g->touched;
    }
    if (code == SKED_LIFE_FAULT_UNREACHABLE) {
        return all & ~reach_along(g->any, g->marked[LIFE_STARTS]);
    }
    for (uint64_t left = all; left; left &= left - 1) {
        uint32_t s = skedi_ctz64(left);
        uint64_t me = SKED_LIFE_BIT(s);
        int dead = !g->any[s] && !(ends & me);
        int bad = code == SKED_LIFE_FAULT_DEAD_END ? dead
                  : code == SKED_LIFE_FAULT_TRAP
                      ? ends && !dead && !(reach_along(g->any, me) & ends)
                      : (reach_along(g->idle, g->idle[s]) & me) != 0;
        if (bad) set |= me;
    }
    return set;
}

static sked_status first_fault(const sked_life_table *t,
                               const sked_life_fault *fault, sked_error *err)
{
    static const char *const words[] = {
        "no state is a start",
        "states[%]: cannot be reached",
        "states[%]: nothing leads out of it",
        "states[%]: no end can be reached",
        "states[%]: is on a cycle without progress",
        "states[%]: is used",
    };
    char text[128];
    skedi_writer w = {text, sizeof text, 0};
    const char *p = words[fault->code - 1];

    for (; *p && *p != '%'; p++) skedi_write_char(&w, *p);
    if (*p) {
        skedi_life_write_name(&w, &t->states[fault->state]);
        skedi_write_text(&w, p + 1);
    }
    int64_t row = fault->state == SKED_LIFE_NONE ? 0 : fault->state + 1;
    return skedi_life_fail(err, SKED_ERR_INVALID, &w,
                           (skedi_fault){.row = row, .got = fault->code});
}

/* Writes the faults that fit, and counts all faults. */
static size_t list_faults(const life_graph *g, sked_life_fault *faults,
                          size_t cap)
{
    size_t n = 0;

    if (!g->marked[LIFE_STARTS]) {
        if (cap) {
            faults[0] = (sked_life_fault){SKED_LIFE_FAULT_NO_START,
                                          SKED_LIFE_NONE};
        }
        n = 1;
    }
    for (uint32_t code = SKED_LIFE_FAULT_UNREACHABLE;
         code <= SKED_LIFE_FAULT_UNUSED; code++) {
        for (uint64_t left = faulty(g, code); left; left &= left - 1) {
            sked_life_fault fault = {code, skedi_ctz64(left)};
            if (n < cap) faults[n] = fault;
            n++;
        }
    }
    return n;
}

sked_status sked_life_check(const sked_life_table *table,
                            sked_life_fault *faults, size_t cap, size_t *n,
                            sked_error *err)
{
    sked_life_table t;
    life_graph g;
    sked_life_fault first;
    sked_status rc = skedi_life_table_read(&t, table, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !n ? "n" : cap && !faults ? "faults" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    make_graph(&g, &t);
    *n = list_faults(&g, NULL, 0);
    if (*n > cap) {
        return skedi_fail_cap(err, *n, cap);
    }
    list_faults(&g, faults, cap);
    if (!*n) return SKED_OK;
    list_faults(&g, &first, 1);
    return first_fault(&t, &first, err);
}

/* ---- As a diagram ---- */

static void draw_state(skedi_writer *w, const sked_life_name *state)
{
    const char *shape = state->marks & SKED_LIFE_MARK_END ? "doublecircle"
                                                          : "ellipse";

    if (state->marks & SKED_LIFE_MARK_UNUSED) return;
    skedi_write_text(w, "  ");
    skedi_life_write_name(w, state);
    skedi_write_text(w, " [shape=");
    skedi_write_text(w, shape);
    if (state->marks & SKED_LIFE_MARK_START) {
        skedi_write_text(w, ", penwidth=2");
    }
    skedi_write_text(w, "];\n");
}

static void draw_arrow(skedi_writer *w, const sked_life_table *t,
                       const sked_life_edge *e, uint32_t from, uint32_t next)
{
    skedi_write_text(w, "  ");
    skedi_life_write_name(w, &t->states[from]);
    skedi_write_text(w, " -> ");
    skedi_life_write_name(w, &t->states[next]);
    skedi_write_text(w, " [label=\"");
    skedi_life_write_name(w, &t->events[e->event]);
    skedi_write_text(w, e->causes == SKED_LIFE_CAUSE_TIMER
                            ? "\", style=dashed];\n"
                            : "\"];\n");
}

static void draw_edge(skedi_writer *w, const sked_life_table *t,
                      const sked_life_edge *e)
{
    for (uint64_t left = e->from; left; left &= left - 1) {
        uint32_t from = skedi_ctz64(left);
        uint64_t to = e->next == SKED_LIFE_BEFORE
                          ? before_of(t, from) & ~SKED_LIFE_BIT(from)
                          : SKED_LIFE_BIT(e->next);
        for (; to; to &= to - 1) draw_arrow(w, t, e, from, skedi_ctz64(to));
    }
}

/* Writes the diagram into `cap` bytes; returns the length of the diagram. */
static size_t draw_table(const sked_life_table *t, char *text, size_t cap)
{
    skedi_writer w = {text, cap, 0};

    skedi_write_text(&w, "digraph ");
    skedi_write_text(&w, t->name);
    skedi_write_text(&w, " {\n");
    for (uint64_t i = 0; i < t->n_states; i++) draw_state(&w, &t->states[i]);
    for (uint64_t i = 0; i < t->n_edges; i++) draw_edge(&w, t, &t->edges[i]);
    skedi_write_text(&w, "}\n");
    if (w.n < cap) text[w.n] = 0;
    return w.n;
}

sked_status sked_life_format(const sked_life_table *table, char *text,
                             size_t cap, size_t *n, sked_error *err)
{
    sked_life_table t;
    sked_status rc = skedi_life_table_read(&t, table, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !n ? "n" : cap && !text ? "text" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    *n = draw_table(&t, NULL, 0);
    if (*n >= cap) {
        return skedi_fail_cap(err, *n, cap);
    }
    draw_table(&t, text, cap);
    return SKED_OK;
}
