/* A single instance: legal moves, the next action, availability. */
#include <string.h>

#include "base/versioned.h"
#include "life/life.h"

/* Finds the edge of a table for an event; without an edge, the error says which
 * events would be legal. */

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

/* The row of the edge for an event, or n_edges; `*near` is an edge for another
 * cause. */
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

/* The target of an edge from this state, or SKED_LIFE_NONE. */
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

/* The names of events and actions, in the order of their numbers. */

const sked_life_name skedi_life_events[SKED_LIFE_EVENT_EVENTS] = {
    LIFE_NAME("enqueue", 0),    LIFE_NAME("admit", 0),
    LIFE_NAME("dequeue", 0),    LIFE_NAME("reserve", 0),
    LIFE_NAME("place", 0),      LIFE_NAME("return", 0),
    LIFE_NAME("requeue", 0),    LIFE_NAME("launch", 0),
    LIFE_NAME("launched", 0),   LIFE_NAME("start", 0),
    LIFE_NAME("run", 0),        LIFE_NAME("succeed", 0),
    LIFE_NAME("fail", 0),       LIFE_NAME("lose", 0),
    LIFE_NAME("preempt", 0),    LIFE_NAME("kill", 0),
    LIFE_NAME("killed", 0),     LIFE_NAME("timeout", 0),
    LIFE_NAME("cycle_over", 0), LIFE_NAME("recover", 0),
    LIFE_NAME("new_run", 0),    LIFE_NAME("delete", 0),
    LIFE_NAME("created", 0),    LIFE_NAME("stopped", 0),
    LIFE_NAME("pause", 0),      LIFE_NAME("resume", 0),
    LIFE_NAME("abort", 0),      LIFE_NAME("done", 0),
    LIFE_NAME("too_many", 0),   LIFE_NAME("roll_back", 0),
    LIFE_NAME("drain", 0),      LIFE_NAME("drained", 0),
    LIFE_NAME("down", 0),       LIFE_NAME("up", 0),
    LIFE_NAME("quarantine", 0), LIFE_NAME("match", 0),
    LIFE_NAME("hold", 0),       LIFE_NAME("release", 0),
    LIFE_NAME("confirm", 0),    LIFE_NAME("refuse", 0),
    LIFE_NAME("end", 0),
};

const sked_life_name skedi_life_actions[SKED_LIFE_ACTION_ACTIONS] = {
    LIFE_NAME("nothing", 0),      LIFE_NAME("start", 0),
    LIFE_NAME("stop", 0),         LIFE_NAME("check_launch", 0),
    LIFE_NAME("restart", 0),      LIFE_NAME("retry", 0),
    LIFE_NAME("shut_down", 0),    LIFE_NAME("initialize", 0),
    LIFE_NAME("delete", 0),       LIFE_NAME("reload", 0),
    LIFE_NAME("invalid", 0),      LIFE_NAME("create", 0),
    LIFE_NAME("start_tasks", 0),  LIFE_NAME("kill", 0),
    LIFE_NAME("kill_untrack", 0), LIFE_NAME("kill_delete", 0),
    LIFE_NAME("untrack", 0),      LIFE_NAME("recover", 0),
    LIFE_NAME("run", 0),          LIFE_NAME("complete", 0),
    LIFE_NAME("clear", 0),        LIFE_NAME("note", 0),
};

_Static_assert(sizeof(sked_life_instance) == 72, "frozen");
SKEDI_NO_TAIL_PADDING(sked_life_act_options, kill_ns);

enum { LIFE_ACT_V1 = SKEDI_SIZE_THROUGH(sked_life_act_options, kill_ns) };

/* A launch and a kill that take longer are lost: 180 minutes. */
static const int64_t life_patience = INT64_C(10800) * 1000000000;

sked_status skedi_life_instance_in(const sked_life_instance *instance,
                                   int64_t row, sked_error *err)
{
    const sked_life_instance *i = instance;

    if (i->state < SKED_LIFE_TASK_STATES && i->goal < SKED_LIFE_TASK_STATES &&
        i->health <= SKED_LIFE_HEALTH_UNHEALTHY &&
        i->ended <= SKED_LIFE_ENDED_OTHER &&
        i->beside <= SKED_LIFE_BESIDE_FAILED && i->told <= 1 && !i->reserved) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "no such instance can be",
                      (skedi_fault){.row = row});
}

/* ---- Writes ---- */

/* Why the runs or the goal forbid it; NULL: they do not. */
static const char *bad_write(const sked_life_instance *now,
                             const sked_life_instance *next)
{
    if (now->goal == SKED_LIFE_TASK_DELETED && next->goal != now->goal &&
        next->desired == now->desired) {
        return "the goal DELETED stays, but for another version";
    }
    if (next->run < now->run) return "the run falls";
    if (next->desired_run < now->desired_run) return "the desired run falls";
    if (next->run > now->run && next->state != SKED_LIFE_TASK_INITIALIZED) {
        return "another run begins INITIALIZED";
    }
    return NULL;
}

sked_status sked_life_may_replace(const sked_life_instance *now,
                                  const sked_life_instance *next,
                                  sked_error *err)
{
    uint32_t edge;

    const char *missing = !now ? "now" : !next ? "next" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_life_instance_in(now, 0, err);
    if (rc == SKED_OK) rc = skedi_life_instance_in(next, 0, err);
    if (rc != SKED_OK) return rc;
    const char *bad = bad_write(now, next);
    if (bad) return skedi_fail_plain(err, SKED_ERR_STATE, bad);
    if (next->run > now->run) return SKED_OK;
    return sked_life_way(&skedi_life_task, now->state, next->state, &edge, err);
}

/* ---- Actions ---- */

static sked_status act_options(sked_life_act_options *o,
                               const sked_life_act_options *theirs,
                               sked_error *err)
{
    if (skedi_struct_in(o, sizeof *o, theirs, LIFE_ACT_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (o->type > SKED_LIFE_TYPE_DAEMON || o->launch_ns < 0 || o->kill_ns < 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such type, or a time below 0");
    }
    if (!o->type) o->type = SKED_LIFE_TYPE_BATCH;
    if (!o->launch_ns) o->launch_ns = life_patience;
    if (!o->kill_ns) o->kill_ns = life_patience;
    return SKED_OK;
}

/* The action that is due for a launch or a kill. */
static uint32_t act_by_time(const sked_life_instance *i, uint32_t action,
                            const sked_life_act_options *o)
{
    if (action == SKED_LIFE_ACTION_CHECK_LAUNCH) {
        int counts = i->state == SKED_LIFE_TASK_LAUNCHED ||
                     o->type == SKED_LIFE_TYPE_BATCH;
        return counts && skedi_life_later(i->since, o->launch_ns) <= o->now
                   ? SKED_LIFE_ACTION_INITIALIZE
                   : SKED_LIFE_ACTION_NOTHING;
    }
    if (action == SKED_LIFE_ACTION_SHUT_DOWN &&
        skedi_life_later(i->since, o->kill_ns) > o->now) {
        return SKED_LIFE_ACTION_NOTHING;
    }
    return action;
}

/* True if another version or run must replace the instance. */
static int is_behind(const sked_life_instance *i)
{
    int over = i->goal == SKED_LIFE_TASK_PREEMPTING ||
               skedi_life_has_ended(i->goal);

    if (i->version != i->desired && !over) return 1;
    return i->run != i->desired_run &&
           (!over || i->goal == SKED_LIFE_TASK_SUCCEEDED);
}

sked_status sked_life_task_action(const sked_life_instance *instance,
                                  const sked_life_act_options *options,
                                  uint32_t *action, sked_error *err)
{
    sked_life_act_options o;

    const char *missing = !instance ? "instance" : !action ? "action" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_life_instance_in(instance, 0, err);
    if (rc == SKED_OK) rc = act_options(&o, options, err);
    if (rc != SKED_OK) return rc;
    if (!instance->state || !instance->goal) {
        *action = SKED_LIFE_ACTION_RELOAD;
    } else if (is_behind(instance)) {
        *action = skedi_life_has_ended(instance->state)
                      ? SKED_LIFE_ACTION_INITIALIZE
                      : SKED_LIFE_ACTION_STOP;
    } else {
        rc = sked_life_act(&skedi_life_task, instance->goal, instance->state,
                           action, err);
        if (options) *action = act_by_time(instance, *action, &o);
    }
    return rc;
}

/* ---- Availability ---- */

uint32_t sked_life_availability_of(const sked_life_instance *instance)
{
    const sked_life_instance *i = instance;

    if (!i || i->goal == SKED_LIFE_TASK_DELETED)
        return SKED_LIFE_AVAILABILITY_INVALID;
    if (i->goal == SKED_LIFE_TASK_KILLED) return SKED_LIFE_AVAILABILITY_KILLED;
    if (i->ended) {
        return i->ended < SKED_LIFE_ENDED_OTHER
                   ? SKED_LIFE_AVAILABILITY_UNAVAILABLE
                   : SKED_LIFE_AVAILABILITY_KILLED;
    }
    if (i->run != i->desired_run || i->version != i->desired) {
        return SKED_LIFE_AVAILABILITY_KILLED;
    }
    int healthy = i->health == SKED_LIFE_HEALTH_DISABLED ||
                  i->health == SKED_LIFE_HEALTH_HEALTHY;
    return healthy && i->state == SKED_LIFE_TASK_RUNNING &&
                   i->goal == SKED_LIFE_TASK_RUNNING
               ? SKED_LIFE_AVAILABILITY_AVAILABLE
               : SKED_LIFE_AVAILABILITY_UNAVAILABLE;
}
