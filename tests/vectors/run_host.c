/* What a host takes: an engine with hosts as nodes, one job, one ask; nodes that
 * send events in order. */
#include <sched/engine_place.h>

#include <stdio.h>
#include <string.h>

#include "case.h"

enum { KINDS = 8, MOST_TASKS = 64, PAIRS = 8 };

typedef struct host_scene {
    vec_case *c;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    sked_status rc;
    sked_events batch; /* what stands beside the next event */
} host_scene;

static void tell(host_scene *s, sked_event event)
{
    sked_error err;

    s->batch.struct_size = sizeof s->batch;
    s->batch.events = &event;
    s->batch.n = 1;
    if (s->rc == SKED_OK) {
        s->rc = sked_engine_apply(s->engine, &s->batch, NULL, &err);
        if (s->rc != SKED_OK) (void)vec_fail(s->c, err.message);
    }
    s->batch = (sked_events){0};
}

/* An engine with a job, over so many kinds. */
static void begin_scene(host_scene *s, vec_case *c, uint32_t kinds)
{
    static const char *const names[KINDS] = {"a", "b", "c", "d",
                                             "e", "f", "g", "h"};

    *s = (host_scene){.c = c};
    s->rc = sked_schema_new(names, NULL, kinds, NULL, &s->schema, NULL);
    if (s->rc == SKED_OK) {
        s->rc = sked_tree_new(s->schema, NULL, NULL, &s->tree, NULL);
    }
    if (s->rc == SKED_OK) {
        s->rc = sked_tree_add(s->tree, sked_tree_root(s->tree), "q", &s->leaf,
                              NULL);
    }
    if (s->rc == SKED_OK) {
        s->rc = sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL);
    }
    if (s->rc == SKED_OK) {
        s->rc = sked_engine_new(s->tree, NULL, NULL, &s->engine, NULL);
    }
    tell(s, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                         .key = 1,
                         .owner = 1,
                         .queue = s->leaf});
}

/* What was got, or why it failed, against the field `want`. */
static int end_scene(host_scene *s, const int64_t *got, size_t n)
{
    int said = s->rc == SKED_OK ? vec_judge(s->c, "want", got, n)
                                : vec_fail(s->c, sked_status_name(s->rc));

    sked_engine_free(s->engine);
    sked_tree_free(s->tree);
    sked_schema_free(s->schema);
    return said;
}

static void add_host(host_scene *s, uint64_t key, uint64_t rack,
                     const int64_t *capacity)
{
    s->batch.amounts = capacity;
    s->batch.n_amounts = 1;
    tell(s, (sked_event){.kind = SKED_EVENT_NODE_UP,
                         .key = key,
                         .owner = rack,
                         .amount = 1});
}

static void add_ask(host_scene *s, const int64_t *task, int64_t count)
{
    s->batch.amounts = task;
    s->batch.n_amounts = 1;
    tell(s, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                         .key = 1,
                         .owner = 1,
                         .count = count,
                         .amount = 1,
                         .flags = SKED_ASK_WAIT | SKED_ASK_KEEP});
}

/* A host's event; which tasks it starts, each by its host in `where`. */
static int64_t visit(host_scene *s, uint64_t key, int64_t host, int64_t *where)
{
    sked_decision d;
    int64_t started = 0;
    size_t n;

    tell(s, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = key});
    while (s->rc == SKED_OK) {
        s->rc = sked_engine_take(s->engine, &d, 1, &n, NULL);
        if (s->rc != SKED_OK || n == 0) return started;
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        started += d.count;
        for (int64_t i = 0; where && i < d.count; i++) where[d.task + i] = host;
    }
    return started;
}

/* The rule of an ask, and what its host is. */
static void add_rule(host_scene *s)
{
    sked_rule_attribute node[PAIRS];
    sked_rule_term terms[PAIRS];
    size_t n = 0, m = 0;
    const int64_t *pairs = vec_numbers(s->c, "node", &n);
    const int64_t *at = vec_numbers(s->c, "terms", &m);
    int32_t of_node[] = {0, (int32_t)n / 2}, of_rule[] = {0, (int32_t)m / 5};

    for (size_t i = 0; i < n / 2; i++) {
        node[i] = (sked_rule_attribute){(uint64_t)pairs[2 * i],
                                        pairs[2 * i + 1]};
    }
    for (size_t i = 0; i < m / 5; i++, at += 5) {
        terms[i] = (sked_rule_term){.key = (uint64_t)at[0],
                                    .value = at[1],
                                    .op = (uint32_t)at[2],
                                    .n = (uint32_t)at[3],
                                    .first = (uint32_t)at[4]};
    }
    s->batch.attribute_offsets = of_node;
    s->batch.attributes = node;
    s->batch.n_attributes = 1;
    tell(s, (sked_event){
                .kind = SKED_EVENT_NODE_ATTRIBUTES, .key = 1, .places = 1});
    s->batch.rule_offsets = of_rule;
    s->batch.rule_terms = terms;
    s->batch.n_rules = 1;
    tell(s, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1});
}

/* Why the ask waits: the bound that binds. */
static int64_t why_not(host_scene *s)
{
    sked_engine_bound bounds[16];
    size_t n = 0;

    if (s->rc == SKED_OK) {
        s->rc = sked_engine_explain_job(s->engine, 1, bounds, 16, &n);
    }
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].binds) return bounds[i].reason;
    }
    return 0;
}

/* One task and one host: does it start there, and if not, why? */
static int run_host(vec_case *c)
{
    size_t kinds = 0, n = 0;
    const int64_t *capacity = vec_numbers(c, "capacity", &kinds);
    const int64_t *task = vec_numbers(c, "task", &n);
    int64_t got[2] = {0, 0};
    host_scene s;

    begin_scene(&s, c, (uint32_t)kinds);
    add_host(&s, 1, 0, capacity);
    add_ask(&s, task, 1);
    add_rule(&s);
    if (vec_number(c, "busy", 0)) {
        tell(&s, (sked_event){.kind = SKED_EVENT_NODE_DRAIN, .key = 1});
    }
    got[0] = visit(&s, 1, 0, NULL);
    if (got[0] == 0) got[1] = why_not(&s);
    return end_scene(&s, got, 2);
}

/* Alike tasks and hosts in order: the host of each, -1: none. */
static int run_hosts(vec_case *c)
{
    size_t kinds = 0, n = 0;
    const int64_t *task = vec_numbers(c, "task", &kinds);
    const int64_t *capacity = vec_numbers(c, "capacity", &n);
    int64_t count = vec_number(c, "count", 0), where[MOST_TASKS];
    host_scene s;

    for (size_t i = 0; i < MOST_TASKS; i++) where[i] = -1;
    begin_scene(&s, c, (uint32_t)kinds);
    add_ask(&s, task, count);
    for (size_t i = 0; i < n / kinds; i++) {
        add_host(&s, i + 1, 0, capacity + i * kinds);
    }
    for (size_t i = 0; i < n / kinds; i++) {
        (void)visit(&s, i + 1, (int64_t)i, where);
    }
    return end_scene(&s, where, (size_t)count);
}

/* Tasks are given nodes by the scores of the case: the host of each, in the order
 * of decisions. How many were. */
static size_t place_by_score(host_scene *s, int64_t *hosts)
{
    size_t n = 0, found = 0, taken;
    const int64_t *scores = vec_numbers(s->c, "score", &n);
    uint64_t keys[MOST_TASKS];
    sked_engine_place_options how = {.struct_size = sizeof how,
                                     .mode = SKED_ENGINE_PLACE_MODE_SCORE,
                                     .nodes = keys,
                                     .scores = scores,
                                     .n = n};
    sked_decision d;

    for (size_t i = 0; i < n; i++) keys[i] = i + 1;
    if (s->rc == SKED_OK) {
        s->rc = sked_engine_place(s->engine, 0, 0, &how, NULL);
    }
    while (s->rc == SKED_OK) {
        s->rc = sked_engine_take(s->engine, &d, 1, &taken, NULL);
        if (s->rc != SKED_OK || taken == 0) return found;
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        for (int64_t i = 0; i < d.count && found < MOST_TASKS; i++) {
            hosts[found++] = (int64_t)d.node - 1;
        }
    }
    return found;
}

/* One task, and hosts with scores: which is it given, -1: none? */
static int run_scored_host(vec_case *c)
{
    size_t kinds = 0, n = 0;
    const int64_t *task = vec_numbers(c, "task", &kinds);
    const int64_t *capacity = vec_numbers(c, "capacity", &n);
    int64_t hosts[MOST_TASKS] = {-1};
    host_scene s;

    begin_scene(&s, c, (uint32_t)kinds);
    for (size_t i = 0; i < n / kinds; i++) {
        add_host(&s, i + 1, 0, capacity + i * kinds);
    }
    add_ask(&s, task, 1);
    (void)place_by_score(&s, hosts);
    return end_scene(&s, hosts, 1);
}

/* A task for each host that takes work: the scores of hosts in the order in which
 * they are given one. */
static int run_host_order(vec_case *c)
{
    size_t n = 0, m = 0;
    const int64_t *scores = vec_numbers(c, "score", &n);
    const int64_t *drained = vec_numbers(c, "drained", &m);
    const int64_t amount = 1;
    int64_t hosts[MOST_TASKS];
    host_scene s;

    begin_scene(&s, c, 1);
    for (size_t i = 0; i < m; i++) {
        add_host(&s, i + 1, 0, &amount);
        if (!drained[i]) continue;
        tell(&s, (sked_event){.kind = SKED_EVENT_NODE_DRAIN, .key = i + 1});
    }
    add_ask(&s, &amount, (int64_t)n);
    size_t found = place_by_score(&s, hosts);
    for (size_t i = 0; i < found; i++) hosts[i] = scores[hosts[i]];
    return end_scene(&s, hosts, found);
}

/* One task that would like nodes 1 and 2 and their rack: by hosts that ask one
 * after the other, which gets it? */
static int run_visits(vec_case *c)
{
    static const uint64_t nodes[] = {1, 2}, racks[] = {9};
    static const int32_t two[] = {0, 2}, one[] = {0, 1};
    size_t n = 0;
    const int64_t *order = vec_numbers(c, "order", &n);
    const int64_t amount = 1;
    int64_t got[MOST_TASKS];
    host_scene s;

    begin_scene(&s, c, 1);
    for (uint64_t key = 1; key <= 4; key++) {
        add_host(&s, key, key < 4 ? 9 : 0, &amount);
    }
    add_ask(&s, &amount, 1);
    s.batch.place_offsets = two;
    s.batch.places = nodes;
    s.batch.n_places = 1;
    tell(&s,
         (sked_event){.kind = SKED_EVENT_ASK_PLACES, .key = 1, .places = 1});
    s.batch.place_offsets = one;
    s.batch.places = racks;
    s.batch.n_places = 1;
    tell(&s, (sked_event){.kind = SKED_EVENT_ASK_RACKS, .key = 1, .places = 1});
    for (size_t i = 0; i < n; i++) {
        got[i] = visit(&s, (uint64_t)order[i], 0, NULL);
    }
    return end_scene(&s, got, n);
}

const vec_runner vec_run_host[] = {
    {"host", run_host},
    {"hosts", run_hosts},
    {"scored_host", run_scored_host},
    {"host_order", run_host_order},
    {"visits", run_visits},
    {NULL, NULL},
};
