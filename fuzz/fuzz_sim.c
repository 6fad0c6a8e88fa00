/*
 * Any workload on any cluster: a run is refused for a reason, or what its
 * records say is possible. No node holds more than it has, every task runs at
 * once on one node and for its time, what was counted is what was told; the
 * engine is sound at the end; and where the slow twin takes such a run, it
 * decides the same.
 */
#include <sched/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/ref/ref_sim.h"
#include "input.h"
#include "sim/state.h"

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_sim.c:%d: %s does not hold\n", line, what);
    abort();
}

enum {
    JOBS = 24,
    TASKS = 6,
    LEAVES = 4,
    KINDS = 2,
    MODELS = 3,
    NODES = 9,
    RULES = 3
};

static const int64_t step = 250000000; /* times are multiples of it */

typedef struct case_of {
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    int limits; /* queues have some, which the twin does not know */
    sked_time submit[JOBS];
    int64_t run[JOBS];
    int64_t tasks[JOBS];
    int64_t amounts[JOBS * KINDS];
    sked_queue_id queue[JOBS];
    uint64_t user[JOBS];
    int32_t priority[JOBS];
    uint32_t partition[JOBS];
    int64_t has[MODELS * KINDS];
    sked_sim_nodes nodes[MODELS];
    sked_sim_failure failures[3];
    int32_t attribute_offsets[MODELS + 1];
    sked_rule_attribute attributes[2 * MODELS];
    uint32_t rule[JOBS];
    int32_t rule_offsets[RULES + 1];
    sked_rule_term terms[3 * RULES];
    int64_t values[3];
    ref_sim_input in;
} case_of;

/* ---- What is run ---- */

static void set(case_of *c, sked_queue_id queue, int32_t attribute,
                int64_t value)
{
    MUST(sked_tree_set(c->tree, queue, attribute, value, NULL) == SKED_OK);
}

/* The twin knows nothing of shares, which some orders go by. */
static void set_order(case_of *c, sked_queue_id queue, uint64_t what)
{
    int32_t order = (int32_t)(what % 7);

    set(c, queue, SKED_QUEUE_ORDER, order);
    c->limits |= order == SKED_ORDER_POLICY_UTILISATION ||
                 order == SKED_ORDER_POLICY_PRIORITY;
}

static void plant(case_of *c, fuzz_input *in)
{
    static const char *const kinds[] = {"cpu", "memory"};
    char name[2] = {'a', 0};

    MUST(sked_schema_new(kinds, NULL, KINDS, NULL, &c->schema, NULL) ==
         SKED_OK);
    MUST(sked_tree_new(c->schema, NULL, NULL, &c->tree, NULL) == SKED_OK);
    sked_queue_id up = sked_tree_root(c->tree);
    set_order(c, up, fuzz_u64(in, 1));
    for (int i = 0; i < LEAVES; i++, name[0]++) {
        uint64_t what = fuzz_u64(in, 1);
        if (i == 2) {
            MUST(sked_tree_add(c->tree, up, "up", &up, NULL) == SKED_OK);
            set_order(c, up, what);
        }
        MUST(sked_tree_add(c->tree, up, name, &c->leaf[i], NULL) == SKED_OK);
        set(c, c->leaf[i], SKED_QUEUE_APPS, (int64_t)(what % 5));
        set(c, c->leaf[i], SKED_QUEUE_WEIGHT, (int64_t)(what % 3));
        c->limits |= what % 3 == 0; /* it may have what it is guaranteed */
        if (what & 8) set(c, c->leaf[i], SKED_QUEUE_USER_LIMIT, 300000);
        if (what & 16) set(c, c->leaf[i], SKED_QUEUE_MAX_RUNNING, what % 4);
        if (what >= 224) {
            set(c, c->leaf[i], SKED_QUEUE_LIMIT_PPM, 400000);
            c->limits = 1;
        }
    }
    MUST(sked_tree_commit(c->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
}

/* Small as a rule; 255 brings any number. */
static int64_t draw(fuzz_input *in, uint64_t below)
{
    uint64_t x = fuzz_u64(in, 1);

    return x == 255 ? (int64_t)fuzz_u64(in, 8) : (int64_t)(x % below);
}

/* From none to so many times `unit`, or any number. */
static int64_t draw_times(fuzz_input *in, uint64_t below, int64_t unit)
{
    int64_t x = draw(in, below);

    return x >= 0 && x < (int64_t)below ? x * unit : x;
}

/* At least once. */
static int64_t draw_some(fuzz_input *in, uint64_t most, int64_t unit)
{
    int64_t x = draw(in, most);

    return x >= 0 && x < (int64_t)most ? (x + 1) * unit : x;
}

static void draw_jobs(case_of *c, fuzz_input *in)
{
    uint32_t n = (uint32_t)(fuzz_u64(in, 1) % (JOBS + 1));
    sked_time now = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t ahead = draw(in, 24);
        int steady = ahead >= 0 && ahead < 24;
        now += steady ? ahead * step : 0;
        c->submit[i] = steady ? now : ahead;
        c->run[i] = draw_some(in, 60, step);
        c->tasks[i] = draw_some(in, TASKS, 1);
        c->amounts[i * KINDS] = draw(in, 5);
        c->amounts[i * KINDS + 1] = draw(in, 8);
        uint64_t who = fuzz_u64(in, 1);
        c->queue[i] = c->leaf[who % LEAVES];
        c->user[i] = who / LEAVES % 3;
        c->priority[i] = (int32_t)(who / 16 % 3);
        c->partition[i] = (uint32_t)draw(in, 6) % 5;
        if (c->partition[i] > 2) c->partition[i] = 0;
        if (who >= 224) c->partition[i] = SKED_ANY_PARTITION;
    }
    c->in.jobs = (sked_sim_jobs){.struct_size = sizeof c->in.jobs,
                                 .n = n,
                                 .submit = c->submit,
                                 .run_ns = c->run,
                                 .tasks = c->tasks,
                                 .amounts = c->amounts,
                                 .queue = c->queue,
                                 .user = c->user,
                                 .priority = c->priority,
                                 .partition = c->partition};
}

static void draw_nodes(case_of *c, fuzz_input *in)
{
    c->in.nodes = c->nodes;
    c->in.n_nodes = fuzz_u64(in, 1) % (MODELS + 1);
    for (size_t i = 0; i < c->in.n_nodes; i++) {
        c->has[i * KINDS] = draw(in, 12);
        c->has[i * KINDS + 1] = draw(in, 24);
        c->nodes[i] = (sked_sim_nodes){
            .count = 1 + (uint32_t)fuzz_u64(in, 1) % (NODES / MODELS),
            .partition = (uint32_t)fuzz_u64(in, 1) % 3,
            .amounts = c->has + i * KINDS};
    }
    c->in.failures = c->failures;
    c->in.n_failures = fuzz_u64(in, 1) % 4;
    for (size_t i = 0; i < c->in.n_failures; i++) { /* each of its own node */
        int64_t at = draw_times(in, 80, step), until = draw_times(in, 60, step);
        int back = at >= 0 && at < 80 * step && until > 0 && until < 60 * step;
        c->failures[i] = (sked_sim_failure){
            .at = at, .until = back ? at + until : until, .node = (uint32_t)i};
    }
}

/* Rules of three terms at most, which may be none, and what nodes are; drawn
 * last, so that shorter inputs say nothing of either. */
static void draw_rules(case_of *c, fuzz_input *in)
{
    uint64_t what = fuzz_u64(in, 1);
    int32_t n = 0;

    if (!(what & 1)) return;
    for (size_t g = 0; g < c->in.n_nodes; g++) {
        uint64_t own = fuzz_u64(in, 1);
        for (uint64_t k = 0; k < own % 3; k++) {
            c->attributes[n++] = (sked_rule_attribute){
                1 + (own >> (2 + k)) % 2, (int64_t)((own >> (4 + k)) % 3)};
        }
        c->attribute_offsets[g + 1] = n;
    }
    c->in.attribute_offsets = c->attribute_offsets;
    c->in.attributes = c->attributes;
    n = 0;
    for (int r = 0; r < RULES; r++) {
        uint64_t terms = fuzz_u64(in, 1) % 4;
        for (uint64_t t = 0; t < terms; t++) {
            uint64_t op = fuzz_u64(in, 1), more = fuzz_u64(in, 1);
            c->terms[n++] = (sked_rule_term){.op = (uint32_t)(op % 13),
                                             .n = op / 13 % 4,
                                             .key = more % 3,
                                             .value = (int64_t)(more / 3 % 4),
                                             .first = (uint32_t)(more / 64)};
        }
        c->rule_offsets[r + 1] = n;
    }
    for (int i = 0; i < 3; i++) c->values[i] = draw(in, 3);
    for (uint32_t i = 0; i < c->in.jobs.n; i++) {
        c->rule[i] = (uint32_t)draw(in, RULES + 1);
    }
    c->in.jobs.rule = c->rule;
    c->in.jobs.rule_offsets = c->rule_offsets;
    c->in.jobs.rule_terms = c->terms;
    c->in.jobs.n_rules = RULES;
    c->in.jobs.rule_values = c->values;
    c->in.jobs.n_rule_values = 3;
}

static void draw_options(case_of *c, fuzz_input *in)
{
    static const int64_t period[] = {0, 250000000, 1000000000, 1000000007};
    uint64_t what = fuzz_u64(in, 1), more = fuzz_u64(in, 1);

    c->in.kinds = KINDS;
    c->in.tree = c->tree;
    static sked_engine_options engine;
    engine = (sked_engine_options){.struct_size = sizeof engine,
                                   .max_per_pass = (uint32_t)(what / 16 % 3),
                                   .max_user_running = (uint32_t)(what / 64)};
    c->in.opts = (sked_sim_options){.struct_size = sizeof c->in.opts,
                                    .seed = fuzz_u64(in, 1),
                                    .heartbeat_ns = period[what % 4],
                                    .flags = (uint32_t)(what / 4 % 4),
                                    .engine = &engine};
    if (more % 4 == 1) c->in.opts.multiplier_ppm = draw_times(in, 250, 10000);
    if (more % 4 == 2) c->in.opts.until_ns = draw_times(in, 250, step);
    if (more & 4) c->in.opts.sample_every_ns = step * 8;
    if (more & 4) c->in.opts.max_samples = 8;
    if (more & 16) { /* refused where the jobs are no gangs */
        c->in.opts.flags |= SKED_SIM_FLAG_SPREAD;
        c->in.opts.per_node = (uint32_t)(more / 32 % 4);
        if (more & 128) c->in.opts.flags |= SKED_SIM_FLAG_EXACT;
    }
    if ((more & 8) && c->in.opts.heartbeat_ns) {
        c->in.opts.cost_event_ns = draw_times(in, 200, 100000);
        c->in.opts.cost_task_ns = draw_times(in, 200, 1000000);
        c->in.opts.cost_look_ns = draw_times(in, 200, 200000);
    }
}

/* ---- What its records say ---- */

typedef struct running {
    uint64_t group;
    int64_t count;
    uint64_t job;
    uint64_t node;
    sked_time end;
} running;

typedef struct story {
    const case_of *c;
    sked_decision *record;
    size_t n, cap;
    sked_time last;
    running runs[JOBS * TASKS * 4 + 1];
    size_t n_runs;
    int64_t used[NODES][KINDS];
    uint64_t ended, rejected;
    uint32_t given[JOBS * 4];
} story;

static const sked_sim_nodes *model_of(const case_of *c, uint64_t node)
{
    const sked_sim_nodes *model = c->nodes;

    for (node--; node >= model->count; model++) node -= model->count;
    return model;
}

static void hold(story *s, const sked_sim_record *r, int64_t tasks)
{
    int64_t *used = s->used[r->decision.node - 1];
    const sked_sim_nodes *model = model_of(s->c, r->decision.node);

    for (int k = 0; k < KINDS; k++) {
        used[k] += s->c->amounts[r->job * KINDS + (uint32_t)k] * tasks;
        MUST(used[k] >= 0 && used[k] <= model->amounts[k]);
    }
    MUST(model->partition == r->decision.partition);
}

static void see_start(story *s, const sked_sim_record *r)
{
    const sked_decision *d = &r->decision;
    uint32_t asked = s->c->partition[r->job];

    MUST(asked == SKED_ANY_PARTITION || asked == d->partition);
    MUST(ref_sim_takes(&s->c->in, r->job,
                       (size_t)(model_of(s->c, d->node) - s->c->nodes)));
    MUST(d->task >= 0 && d->task + d->count <= s->c->tasks[r->job]);
    MUST(d->time >= s->c->submit[r->job]);
    uint32_t flags = s->c->in.opts.flags;
    uint32_t most = s->c->in.opts.per_node;
    if (flags & SKED_SIM_FLAG_SPREAD) {
        MUST(d->reason == SKED_REASON_GANG);
        MUST(most == 0 || d->count <= most);
    } else if (flags & SKED_SIM_FLAG_GANG) {
        MUST(d->count == s->c->tasks[r->job]);
    }
    MUST(s->n_runs < sizeof s->runs / sizeof *s->runs);
    s->runs[s->n_runs++] = (running){d->group, d->count, d->job, d->node,
                                     d->time + s->c->run[r->job]};
    hold(s, r, d->count);
}

/* The group of a record, which runs; it is over when no task of it is left. */
static void see_end(story *s, const sked_sim_record *r)
{
    const sked_decision *d = &r->decision;
    size_t i = 0;

    while (i < s->n_runs && s->runs[i].group != d->group) i++;
    MUST(i < s->n_runs);
    running *run = &s->runs[i];
    MUST(run->job == d->job && run->node == d->node);
    MUST(run->count >= d->count);
    if (d->kind == SKED_SIM_KIND_FINISH) {
        MUST(run->end == d->time);
        s->ended += (uint64_t)d->count;
    }
    run->count -= d->count;
    if (run->count == 0) *run = s->runs[--s->n_runs];
    hold(s, r, -d->count);
}

static void keep(story *s, const sked_decision *d)
{
    if (s->n == s->cap) {
        s->cap = s->cap * 2 + 64;
        s->record = realloc(s->record, s->cap * sizeof *s->record);
        MUST(s->record != NULL);
    }
    s->record[s->n++] = *d;
}

static sked_status watch(void *user, const sked_sim_record *record, size_t n)
{
    story *s = user;

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &record[i].decision;
        MUST(d->sequence == s->n + 1);
        MUST(d->queue == s->c->queue[record[i].job]);
        if (d->kind == SKED_DECISION_ALLOCATE) see_start(s, &record[i]);
        if (d->kind == SKED_SIM_KIND_FINISH) see_end(s, &record[i]);
        if (d->kind == SKED_DECISION_LOST) see_end(s, &record[i]);
        s->rejected += d->kind == SKED_DECISION_REJECT;
        keep(s, d);
    }
    return SKED_OK;
}

/* Does the twin take such a run: each job once, to its end? */
static int has_twin(const case_of *c)
{
    const sked_sim_options *o = &c->in.opts;

    for (uint32_t i = 0; i < c->in.jobs.n; i++) {
        if (c->submit[i] > JOBS * 24 * step || c->run[i] > 60 * step) return 0;
        if (i > 0 && c->submit[i] < c->submit[i - 1]) return 0;
    }
    for (size_t i = 0; i < c->in.n_failures; i++) {
        if (c->failures[i].until > 400 * step) return 0;
        if (c->failures[i].at > 400 * step) return 0;
    }
    return !c->limits && !o->until_ns && !o->multiplier_ppm && c->in.n_nodes &&
           o->cost_event_ns < step && o->cost_task_ns < step &&
           o->cost_look_ns < step;
}

static void compare(const case_of *c, const story *s)
{
    ref_sim_output want = {0};

    ref_sim(&c->in, &want);
    MUST(want.n == s->n);
    for (size_t i = 0; i < s->n; i++) {
        MUST(memcmp(&want.record[i], &s->record[i], sizeof *s->record) == 0);
    }
    free(want.record);
}

static void see_all(const case_of *c, const sked_sim *sim, const story *s)
{
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim_queue q = {.struct_size = sizeof q};

    MUST(sked_sim_get_result(sim, &r, NULL) == SKED_OK);
    MUST(sked_sim_get_queue(sim, sked_tree_root(c->tree), &q, NULL, NULL,
                            NULL) == SKED_OK);
    MUST(r.tasks_finished == s->ended && r.decisions == s->n);
    MUST(r.rejected == s->rejected);
    MUST(r.jobs_finished + r.rejected <= r.jobs);
    MUST(q.jobs == r.jobs && q.delay.n <= r.jobs);
    MUST(q.delay.p50 <= q.delay.p95 && q.delay.p99 <= q.delay.max);
    MUST(c->in.opts.until_ns || s->n_runs == 0);
    MUST(sked_engine_check(sim->engine, NULL) == SKED_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    static story s;
    case_of c = {0};
    sked_error err = {.code = SKED_OK};
    sked_sim *sim;

    plant(&c, &in);
    draw_nodes(&c, &in);
    draw_options(&c, &in);
    draw_jobs(&c, &in);
    draw_rules(&c, &in);
    s = (story){.c = &c};
    sked_status rc = sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = c.tree,
                          .jobs = &c.in.jobs,
                          .nodes = c.nodes,
                          .n_nodes = c.in.n_nodes,
                          .failures = c.failures,
                          .n_failures = c.in.n_failures,
                          .attribute_offsets = c.in.attribute_offsets,
                          .attributes = c.in.attributes},
        &c.in.opts, NULL, &sim, &err);
    MUST(rc == err.code && (rc == SKED_OK) == (sim != NULL));
    if (rc == SKED_OK) {
        rc = sked_sim_run(sim, watch, &s, &err);
        MUST(rc == SKED_OK || rc == SKED_ERR_RANGE); /* times, sums too large */
        if (rc == SKED_OK) see_all(&c, sim, &s);
        if (rc == SKED_OK && has_twin(&c)) compare(&c, &s);
    }
    sked_sim_free(sim);
    sked_tree_free(c.tree);
    sked_schema_free(c.schema);
    free(s.record);
    return 0;
}
