#include "ref_sim.h"

#include <sched/engine_place.h>

#include <stdlib.h>
#include <string.h>

typedef struct ref_run {
    sked_time end;
    uint64_t group;
    uint64_t job;
    uint64_t node;
    int64_t task;
    int64_t count;
    int gone;
} ref_run;

enum { KILLS = 1024 }; /* at one instant, at most */

typedef struct ref_kill {
    uint64_t group;
    int64_t count;
} ref_kill;

typedef struct ref_world {
    const ref_sim_input *in;
    ref_sim_output *out;
    sked_engine *engine;
    ref_run *runs;
    size_t n_runs, runs_cap;
    int64_t *left;  /* tasks of each job that have not ended */
    int *submitted; /* each job */
    int *failed;    /* each failure: begun, and over */
    uint32_t nodes; /* in all */
    int *up;        /* each node */
    sked_time now, busy, base;
    uint64_t started, killed;
    ref_kill kills[KILLS];
    size_t n_kills;
} ref_world;

static void must(int holds)
{
    if (!holds) abort();
}

static sked_time service_of(const ref_world *w)
{
    return w->now > w->busy ? w->now : w->busy;
}

static const sked_sim_nodes *model_of(const ref_world *w, uint32_t node)
{
    const sked_sim_nodes *model = w->in->nodes;

    while (node >= model->count) node -= model++->count;
    return model;
}

/* ---- Records ---- */

static void keep_record(ref_world *w, sked_decision record)
{
    ref_sim_output *o = w->out;

    if (o->n == o->cap) {
        o->cap = o->cap * 2 + 64;
        o->record = realloc(o->record, o->cap * sizeof *o->record);
        must(o->record != NULL);
    }
    record.sequence = o->n + 1;
    o->record[o->n++] = record;
}

static void keep_run(ref_world *w, const sked_decision *d)
{
    if (w->n_runs == w->runs_cap) {
        w->runs_cap = w->runs_cap * 2 + 64;
        w->runs = realloc(w->runs, w->runs_cap * sizeof *w->runs);
        must(w->runs != NULL);
    }
    w->runs[w->n_runs++] = (ref_run){
        .end = d->time + w->in->jobs.run_ns[d->job - 1],
        .group = d->group,
        .job = d->job,
        .node = d->node,
        .task = d->task,
        .count = d->count,
    };
    w->started += (uint64_t)d->count;
}

static void keep_kill(ref_world *w, const sked_decision *d)
{
    must(w->n_kills < KILLS);
    w->kills[w->n_kills++] = (ref_kill){d->group, d->count};
    w->killed += (uint64_t)d->count;
}

/* Takes what was decided. */
static void hear(ref_world *w)
{
    sked_decision d;
    size_t n;

    for (;;) {
        must(sked_engine_take(w->engine, &d, 1, &n, NULL) == SKED_OK);
        if (!n) return;
        keep_record(w, d);
        if (d.kind == SKED_DECISION_ALLOCATE) keep_run(w, &d);
        if (d.kind == SKED_DECISION_KILL) keep_kill(w, &d);
        if (d.kind != SKED_DECISION_LOST) continue;
        for (size_t i = 0; i < w->n_runs; i++) {
            if (w->runs[i].group == d.group) w->runs[i].gone = 1;
        }
    }
}

static void tell(ref_world *w, sked_event event, const int64_t *amounts)
{
    const sked_event_gang gang = {.per_node = w->in->opts.per_node};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = amounts != NULL,
                         .gangs = &gang};

    event.time = service_of(w);
    event.amount = amounts != NULL;
    must(sked_engine_apply(w->engine, &batch, NULL, NULL) == SKED_OK);
    hear(w);
}

/* ---- Preemption ---- */

/* Tasks with a kill order end at once, one order after the other. */
static void end_killed(ref_world *w)
{
    for (size_t k = 0; k < w->n_kills; k++) {
        ref_kill kill = w->kills[k];
        tell(w,
             (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                          .key = kill.group,
                          .count = kill.count},
             NULL);
        for (size_t i = 0; i < w->n_runs; i++) {
            ref_run *r = &w->runs[i];
            if (r->gone || r->group != kill.group) continue;
            r->count -= kill.count;
            r->gone = r->count == 0;
        }
    }
    w->n_kills = 0;
}

static void hold_round(ref_world *w)
{
    int64_t period = w->in->opts.round_every_ns;

    if (!w->in->opts.preempt || (w->now - w->base) % period) return;
    tell(w, (sked_event){.kind = SKED_EVENT_ROUND}, NULL);
    end_killed(w);
}

/* What is reserved until now is given up before anything else happens. */
static void let_lapse(ref_world *w)
{
    const sked_event tick = {.kind = SKED_EVENT_TICK, .time = w->now};
    const sked_events batch = {
        .struct_size = sizeof batch, .events = &tick, .n = 1};
    size_t n = w->out->n;

    must(sked_engine_apply(w->engine, &batch, NULL, NULL) == SKED_OK);
    hear(w);
    if (w->out->n > n) tell(w, tick, NULL); /* and while the host works */
}

/* ---- Rules ---- */

/* Says what a node is, or by which rule an ask goes. */
static void tell_row(ref_world *w, int32_t kind, uint64_t key, uint32_t row)
{
    const ref_sim_input *in = w->in;
    sked_event event = {.kind = kind, .key = key, .places = row};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .attribute_offsets = in->attribute_offsets,
                         .attributes = in->attributes,
                         .n_attributes = in->attribute_offsets ? in->n_nodes
                                                               : 0,
                         .rule_offsets = in->jobs.rule_offsets,
                         .rule_terms = in->jobs.rule_terms,
                         .n_rules = in->jobs.n_rules,
                         .rule_values = in->jobs.rule_values,
                         .n_rule_values = in->jobs.n_rule_values};

    event.time = service_of(w);
    must(sked_engine_apply(w->engine, &batch, NULL, NULL) == SKED_OK);
    hear(w);
}

/* ---- What happens ---- */

static void end_run(ref_world *w, ref_run *r)
{
    uint32_t i = (uint32_t)r->job - 1;

    r->gone = 1;
    keep_record(
        w, (sked_decision){
               .time = w->now,
               .kind = SKED_SIM_KIND_FINISH,
               .job = r->job,
               .ask = r->job,
               .node = r->node,
               .group = r->group,
               .task = r->task,
               .count = r->count,
               .queue = w->in->jobs.queue[i],
               .kind_at = -1,
               .partition = model_of(w, (uint32_t)r->node - 1)->partition});
    tell(w,
         (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                      .key = r->group,
                      .count = r->count},
         NULL);
    w->left[i] -= r->count;
    if (w->left[i]) return;
    tell(w, (sked_event){.kind = SKED_EVENT_JOB_FINISH, .key = r->job}, NULL);
}

static void end_due(ref_world *w)
{
    for (size_t i = 0; i < w->n_runs; i++) {
        if (!w->runs[i].gone && w->runs[i].end == w->now) {
            end_run(w, &w->runs[i]);
        }
    }
}

static void change_node(ref_world *w, uint32_t node, int up)
{
    const sked_sim_nodes *model = model_of(w, node);
    sked_event event = {.kind = up ? SKED_EVENT_NODE_UP : SKED_EVENT_NODE_DOWN,
                        .key = node + 1,
                        .partition = model->partition};

    if (w->up[node] == up) return;
    w->up[node] = up;
    tell(w, event, up ? model->amounts : NULL);
    if (!up || !w->in->attribute_offsets) return;
    tell_row(w, SKED_EVENT_NODE_ATTRIBUTES, node + 1,
             (uint32_t)(model - w->in->nodes) + 1);
}

/* The first failure, or return, that is due and did not happen: a node that
 * comes back stands behind those that came back before. 0: none is. */
static int fail_next(ref_world *w)
{
    const sked_sim_failure *f = w->in->failures;
    sked_time at = INT64_MAX;
    size_t next = 0;

    for (size_t i = 0; i < w->in->n_failures; i++) {
        sked_time due = w->failed[i] ? f[i].until : f[i].at;
        if (w->failed[i] == 2 || due > w->now || due >= at) continue;
        at = due;
        next = i;
    }
    if (at == INT64_MAX) return 0;
    int up = w->failed[next];
    w->failed[next] = up || !f[next].until ? 2 : 1;
    change_node(w, f[next].node, up);
    return 1;
}

static void fail_due(ref_world *w)
{
    while (fail_next(w)) continue;
}

static void submit(ref_world *w, uint32_t i)
{
    const sked_sim_jobs *jobs = &w->in->jobs;
    uint32_t flags = w->in->opts.flags;

    w->submitted[i] = 1;
    if (!ref_sim_fits(w->in, i, 1)) {
        w->left[i] = 0;
        keep_record(w, (sked_decision){.time = service_of(w),
                                       .kind = SKED_DECISION_REJECT,
                                       .reason = ref_sim_fits(w->in, i, 0)
                                                     ? SKED_REASON_RULE
                                                     : SKED_REASON_NEVER_NODE,
                                       .job = i + 1,
                                       .ask = i + 1,
                                       .queue = jobs->queue[i],
                                       .kind_at = -1,
                                       .partition = jobs->partition[i]});
        return;
    }
    tell(w,
         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                      .key = i + 1,
                      .owner = jobs->user[i],
                      .queue = jobs->queue[i],
                      .priority = jobs->priority[i]},
         NULL);
    tell(w,
         (sked_event){
             .kind = SKED_EVENT_ASK_ADD,
             .key = i + 1,
             .owner = i + 1,
             .count = jobs->tasks[i],
             .partition = jobs->partition[i],
             .flags = (flags & SKED_SIM_FLAG_GANG ? SKED_ASK_GANG : 0) |
                      (flags & SKED_SIM_FLAG_SPREAD ? SKED_ASK_SPREAD : 0) |
                      (flags & SKED_SIM_FLAG_EXACT ? SKED_ASK_EXACT : 0)},
         jobs->amounts + (size_t)i * w->in->kinds);
    const ref_sim_output *o = w->out;
    if (!jobs->rule || !jobs->rule[i]) return;
    if (o->n && o->record[o->n - 1].kind == SKED_DECISION_REJECT &&
        o->record[o->n - 1].job == i + 1) {
        return;
    }
    tell_row(w, SKED_EVENT_ASK_RULE, i + 1, jobs->rule[i]);
}

static void submit_due(ref_world *w)
{
    for (uint32_t i = 0; i < w->in->jobs.n; i++) {
        if (!w->submitted[i] && w->in->jobs.submit[i] == w->now) submit(w, i);
    }
}

static uint64_t looks_of(const ref_world *w)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};

    must(sked_engine_get_stats(w->engine, &stats) == SKED_OK);
    return stats.asks_visited;
}

static void place_all(ref_world *w)
{
    const sked_sim_options *o = &w->in->opts;
    const sked_engine_place_options how = {.struct_size = sizeof how,
                                           .mode = o->place};
    uint64_t before;

    do {
        before = w->killed;
        must(sked_engine_place(w->engine, service_of(w), 0, &how, NULL) ==
             SKED_OK);
        hear(w);
        end_killed(w);
    } while (w->killed > before);
    w->busy = service_of(w);
}

static void beat(ref_world *w, uint32_t node)
{
    const sked_sim_options *o = &w->in->opts;
    uint64_t before = w->started, looks = looks_of(w);

    w->out->beats++;
    if (w->up[node]) {
        tell(w, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = node + 1},
             NULL);
        end_killed(w);
    }
    w->busy = service_of(w) + o->cost_event_ns +
              (int64_t)(w->started - before) * o->cost_task_ns +
              (int64_t)(looks_of(w) - looks) * o->cost_look_ns;
}

static sked_time sooner(sked_time a, sked_time b, sked_time after)
{
    return b >= after && b < a ? b : a;
}

/* The next instant from `after` on; INT64_MAX: none. */
static sked_time next_after(const ref_world *w, sked_time after)
{
    sked_time at = INT64_MAX;

    for (size_t i = 0; i < w->n_runs; i++) {
        /* The end of tasks that are lost is an instant, too. */
        at = sooner(at, w->runs[i].end, after);
    }
    for (uint32_t i = 0; i < w->in->jobs.n; i++) {
        at = sooner(at, w->in->jobs.submit[i], after);
    }
    for (size_t i = 0; i < w->in->n_failures; i++) {
        at = sooner(at, w->in->failures[i].at, after);
        if (w->in->failures[i].until) {
            at = sooner(at, w->in->failures[i].until, after);
        }
    }
    if (!w->in->opts.preempt || after > w->base + w->in->rounds_for) return at;
    int64_t every = w->in->opts.round_every_ns;
    sked_time rest = (after - w->base) % every;
    return sooner(at, rest ? after + every - rest : after, after);
}

static void happen(ref_world *w)
{
    w->out->beats_ahead = w->out->beats;
    if (w->in->opts.preempt) let_lapse(w);
    end_due(w);
    fail_due(w);
    submit_due(w);
    hold_round(w);
}

/* The event of each node; again where others got kill orders for it. */
static void beat_all(ref_world *w)
{
    for (uint32_t i = 0; i < w->nodes;) {
        uint64_t before = w->killed;
        beat(w, i);
        i += w->killed == before;
    }
}

static void every_instant(ref_world *w)
{
    while (w->now != INT64_MAX) {
        happen(w);
        if (w->in->opts.place)
            place_all(w);
        else
            beat_all(w);
        w->now = next_after(w, w->now + 1);
    }
}

static void every_beat(ref_world *w)
{
    sked_time cycle = w->now, next = w->now, period = w->in->opts.heartbeat_ns;
    sked_time busy = w->now; /* until then something happened */

    for (;; cycle += period) {
        for (uint32_t i = 0; i < w->nodes; i++) {
            sked_time at = cycle + period / w->nodes * i +
                           period % w->nodes * i / w->nodes;
            uint64_t before = w->started;
            for (; next <= at; next = next_after(w, next + 1)) {
                w->now = next;
                happen(w);
            }
            if (next == INT64_MAX && at - busy > period + w->in->patience) {
                return;
            }
            w->now = at;
            beat(w, i);
            next = next_after(w, at + 1);
            if (w->started > before || next != INT64_MAX) busy = at;
        }
    }
}

void ref_sim(const ref_sim_input *in, ref_sim_output *out)
{
    ref_world w = {.in = in, .out = out, .now = INT64_MAX};

    for (size_t m = 0; m < in->n_nodes; m++) w.nodes += in->nodes[m].count;
    w.left = calloc((size_t)(in->jobs.n + 1), sizeof *w.left);
    w.submitted = calloc((size_t)(in->jobs.n + 1), sizeof *w.submitted);
    w.failed = calloc(in->n_failures + 1, sizeof *w.failed);
    w.up = calloc(w.nodes + 1, sizeof *w.up);
    must(w.left && w.submitted && w.failed && w.up);
    sked_engine_options engine = {0};
    if (in->opts.engine) engine = *in->opts.engine;
    engine.struct_size = sizeof engine;
    if (!engine.seed) engine.seed = in->opts.seed;
    must(sked_engine_new(in->tree, &engine, NULL, &w.engine, NULL) == SKED_OK);
    for (uint32_t i = 0; i < in->jobs.n; i++) {
        w.left[i] = in->jobs.tasks[i];
        if (in->jobs.submit[i] < w.now) w.now = in->jobs.submit[i];
    }
    if (in->jobs.n == 0) w.now = 0;
    w.base = w.now;
    if (in->opts.preempt)
        must(sked_engine_preempt(w.engine, in->opts.preempt, NULL) == SKED_OK);
    for (uint32_t i = 0; i < w.nodes; i++) change_node(&w, i, 1);
    if (in->opts.heartbeat_ns)
        every_beat(&w);
    else
        every_instant(&w);
    for (uint32_t i = 0; i < in->jobs.n; i++) out->unfinished += w.left[i] > 0;
    sked_engine_free(w.engine);
    free(w.runs);
    free(w.left);
    free(w.submitted);
    free(w.failed);
    free(w.up);
}
