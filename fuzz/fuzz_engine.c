/*
 * Any stream of events leaves a sound engine, and what is refused changes
 * nothing.
 *
 * The bytes are a program over a fixed tree with limits, users and every order,
 * and trees of limits beside it: each op is one event, a pass, or a commit. After each of them every
 * invariant is checked.
 */
#include <sched/engine_admit.h>
#include <sched/engine_limits.h>
#include <sched/engine_place.h>
#include <sched/engine_reconcile.h>
#include <sched/tree_text.h>

#include <stdio.h>
#include <stdlib.h>

#include "fuzz_engine_rows.h"
#include "input.h"

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_engine.c:%d: %s does not hold\n", line, what);
    abort();
}

enum { LEAVES = 7, KEYS = 16, ACCOUNTS = 3 };

typedef struct stream {
    sked_engine *engine;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    sked_tree *limits[SKED_MAX_LIMIT_TREES]; /* NULL: not yet */
    sked_queue_id account[ACCOUNTS];         /* in each of them, root first */
    uint64_t group[KEYS];
    size_t groups;
    sked_time now;
} stream;

static void set(stream *s, sked_queue_id queue, int32_t attribute,
                int64_t value)
{
    MUST(sked_tree_set(s->tree, queue, attribute, value, NULL) == SKED_OK);
}

/* Seven families of one leaf and one more, one for each order. */
static void plant(stream *s)
{
    static const char *const kinds[] = {"cpu", "memory"};
    sked_schema *schema;
    char name[2] = {'a', 0};

    MUST(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, NULL, NULL, &s->tree, NULL) == SKED_OK);
    sked_schema_free(schema);
    for (int i = 0; i < LEAVES; i++, name[0]++) {
        sked_queue_id up = sked_tree_root(s->tree), other;
        MUST(sked_tree_add(s->tree, up, name, &up, NULL) == SKED_OK);
        MUST(sked_tree_add(s->tree, up, "x", &s->leaf[i], NULL) == SKED_OK);
        MUST(sked_tree_add(s->tree, up, "y", &other, NULL) == SKED_OK);
        set(s, up, SKED_QUEUE_ORDER, i);
        set(s, s->leaf[i], SKED_QUEUE_APPS, i % 5);
        if (i % 2) set(s, s->leaf[i], SKED_QUEUE_USER_LIMIT, 300000);
        if (i % 3 == 1) {
            set(s, up, SKED_QUEUE_GUARANTEE_PPM, 300000);
            set(s, s->leaf[i], SKED_QUEUE_GUARANTEE_PPM, 500000);
            set(s, s->leaf[i], SKED_QUEUE_USER_FACTOR, SKED_PPM);
        }
        if (i % 3 == 0) set(s, up, SKED_QUEUE_LIMIT_PPM, 600000);
        if (i % 3 == 1) set(s, up, SKED_QUEUE_MAX_RUNNING, 2);
        if (i % 4 == 2) set(s, up, SKED_QUEUE_START_RATE, 2);
    }
    MUST(sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
}

/* A tree of limits: a root, a queue and one below it. */
static sked_tree *plant_limits(stream *s)
{
    const sked_schema *schema = sked_tree_schema(s->tree);
    sked_tree *tree;

    MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    s->account[0] = sked_tree_root(tree);
    for (int i = 1; i < ACCOUNTS; i++) {
        MUST(sked_tree_add(tree, s->account[i - 1], "q", &s->account[i],
                           NULL) == SKED_OK);
    }
    return tree;
}

static void hear(stream *s)
{
    sked_decision d;
    size_t n;

    for (;;) {
        MUST(sked_engine_take(s->engine, &d, 1, &n, NULL) == SKED_OK);
        if (n == 0) return;
        if (d.kind == SKED_DECISION_ALLOCATE) {
            s->group[s->groups++ % KEYS] = d.group;
        }
    }
}

/* What is read beside an event, of hosts that find a cluster at work. */
static void beside(const stream *s, fuzz_input *in, sked_event *e,
                   sked_time *moment, int64_t *task)
{
    uint64_t what = fuzz_u64(in, 1);

    if (what & 1) *moment = s->now + (sked_time)(fuzz_u64(in, 1) % 64) - 32;
    if (what & 2) *task = (int64_t)(fuzz_u64(in, 1) % 32);
    if (what & 4) e->flags |= SKED_ASK_WAIT;
    if (e->kind == SKED_EVENT_TASK_REFUSE || e->kind == SKED_EVENT_ALLOW) {
        e->flags = (uint32_t)(what >> 3) % 16 | (e->flags & SKED_TASK_ALL);
    }
    if (e->kind == SKED_EVENT_ALLOW && e->flags == 0) e->key = 0;
}

/* Where a job is charged: mostly in queues that are there. */
static sked_event_charge charge_of(const stream *s, const sked_event *e,
                                   uint32_t how)
{
    sked_event_charge charge = {SKED_NO_QUEUE, SKED_NO_QUEUE};

    if (e->kind != SKED_EVENT_JOB_SUBMIT && how < 250) return charge;
    if (how & 1) charge.first = s->account[how / 8 % ACCOUNTS];
    if (how & 2) charge.second = s->account[how / 32 % ACCOUNTS];
    return charge;
}

/* Is the key of an event the name of a group? */
static int is_of_group(int32_t kind)
{
    return kind == SKED_EVENT_TASK_RESIZE ||
           (kind >= SKED_EVENT_TASK_CONFIRM && kind < SKED_EVENT_NODE_RESUME) ||
           (kind >= SKED_EVENT_TASK_RELEASED && kind <= SKED_EVENT_TASK_COST);
}

/* One of the first `kinds` events; those from RUNNING on with what is beside
 * them. */
static void op_event(stream *s, fuzz_input *in, int32_t kinds)
{
    static const int32_t offsets[] = {0, 0, 1, 3};
    static const uint64_t places[] = {1, 2, 3};
    static const uint32_t place_tasks[] = {2, 1, 3};
    sked_rule_attribute attributes[3] = {{1, 1}, {1, 2}, {2, 0}};
    sked_rule_term terms[3] = {{0}};
    static const int64_t values[] = {0, 1, 2};
    int64_t amounts[4];
    sked_event e = {.kind = (int32_t)fuzz_u64(in, 1) % kinds};
    sked_time moment = SKED_UNSET;
    int64_t task = SKED_UNSET;

    uint64_t by = fuzz_u64(in, 1);
    s->now += by < 250 ? (sked_time)by - 8 : INT64_C(1000000000);
    e.time = s->now;
    e.key = fuzz_u64(in, 1) % KEYS;
    if (is_of_group(e.kind)) e.key = s->group[e.key];
    e.owner = fuzz_u64(in, 1) % KEYS;
    e.queue = s->leaf[fuzz_u64(in, 1) % LEAVES];
    if (e.kind == SKED_EVENT_JOB_UPDATE && e.owner % 2) e.queue = 0;
    e.count = (int64_t)fuzz_u64(in, 1);
    e.partition = (uint32_t)fuzz_u64(in, 1) % 5;
    if (e.partition == 4) e.partition = SKED_ANY_PARTITION;
    e.priority = (int32_t)(fuzz_u64(in, 1) % 4);
    uint32_t flags = (uint32_t)fuzz_u64(in, 1);
    e.flags = flags % 8 | (flags & SKED_ASK_KEEP);
    sked_event_gang gang = {.per_node = flags >> 5}; /* of other use */
    if (flags & 8) gang.at_once = (uint32_t)e.count / 2;
    gang.same = flags >> 1 & 1;
    if (e.kind == SKED_EVENT_ASK_ADD && flags & 16) {
        e.flags |= SKED_ASK_SPREAD;
        if (e.priority == 3) e.flags |= SKED_ASK_TOGETHER;
        if (gang.same && e.count % 2) e.flags |= SKED_ASK_PREFER_SAME;
    }
    if (e.kind == SKED_EVENT_JOB_SUBMIT)
        e.flags = job_flags(flags, (uint32_t)e.count);
    if (e.kind == SKED_EVENT_ASK_ADD && e.priority == 1 && flags & 2) {
        e.flags |= SKED_ASK_EXCLUSIVE; /* gangs with any per_node, often 1 */
        if (flags & 32) gang.per_node = 1;
    }
    if (flags & 32) make_exact(&e, &gang);
    sked_event_charge charge = charge_of(s, &e, flags);
    int ends = (e.kind >= SKED_EVENT_TASK_FINISH &&
                e.kind <= SKED_EVENT_TASK_LOST) ||
               e.kind == SKED_EVENT_TASK_KILLED ||
               e.kind == SKED_EVENT_TASK_SAVED;
    if (ends && flags < 240) e.flags = 0; /* there are none */
    if (e.kind == SKED_EVENT_ASK_ADD && flags >> 5 > 2) {
        e.flags |= (uint32_t)SKED_ASK_PLACE_FIRST << ((flags >> 5) - 3);
    }
    if (e.kind >= SKED_EVENT_TASK_CONFIRM && e.kind <= SKED_EVENT_TASK_KILLED &&
        flags & 8) {
        e.flags |= SKED_TASK_ALL;
        e.key = e.owner;
        e.count = 0;
    }
    if (e.kind >= SKED_EVENT_TASK_ENDS && e.kind <= SKED_EVENT_TASK_COST) {
        e.flags = flags & SKED_TASK_ON_NODE;
        if (e.flags) e.key = (uint64_t)e.count % KEYS;
    }
    e.amount = (uint32_t)(fuzz_u64(in, 1) % 4);
    e.places = (uint32_t)(fuzz_u64(in, 1) % 5);
    for (int i = 0; i < 4; i++) amounts[i] = (int64_t)fuzz_u64(in, 1) % 32;
    if (kinds > SKED_EVENT_TASK_RUNNING) beside(s, in, &e, &moment, &task);
    if (e.kind > SKED_EVENT_JOB_LEAST) what_nodes_are(in, attributes, terms);
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &e,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 2,
                         .attribute_offsets = offsets,
                         .attributes = attributes,
                         .n_attributes = 3,
                         .rule_offsets = offsets,
                         .rule_terms = terms,
                         .n_rules = 3,
                         .rule_values = values,
                         .n_rule_values = 3,
                         .place_offsets = offsets,
                         .places = places,
                         .n_places = 3,
                         .moments = &moment,
                         .tasks = &task,
                         .gangs = &gang,
                         .charges = &charge,
                         .place_tasks = flags & 128 ? place_tasks : NULL};
    sked_error err = {.code = SKED_OK};
    uint64_t done;
    sked_event tick = {.kind = SKED_EVENT_TICK, .time = e.time};
    sked_events due = batch;
    due.moments = due.tasks = NULL;
    due.events = &tick;
    MUST(sked_engine_apply(s->engine, &due, NULL, NULL) == SKED_OK);
    hear(s);
    uint64_t before = sked_engine_state_digest(s->engine);
    sked_status rc = sked_engine_apply(s->engine, &batch, &done, &err);
    MUST(rc == err.code && done == (rc == SKED_OK));
    if (rc != SKED_OK) MUST(sked_engine_state_digest(s->engine) == before);
}

/* A tree of its own with the text of ours, in which `spent` ids are used up. */
static sked_tree *read_again(const stream *s, uint64_t spent)
{
    static char text[1 << 16];
    char name[2] = {'0', 0};
    sked_tree *tree;
    size_t n;

    MUST(sked_tree_format(s->tree, text, sizeof text, &n) == SKED_OK);
    MUST(sked_tree_new(sked_tree_schema(s->tree), NULL, NULL, &tree, NULL) ==
         SKED_OK);
    for (; spent > 0; spent--, name[0]++) {
        MUST(sked_tree_add(tree, sked_tree_root(tree), name, NULL, NULL) ==
             SKED_OK);
    }
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_parse(tree, text, n, NULL, NULL, 0, NULL, NULL) == SKED_OK);
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    return tree;
}

/* The engine takes it over: every leaf has what it had, under its new id. */
static void go_over(stream *s, uint64_t spent)
{
    sked_tree *next = read_again(s, spent);
    char path[] = "root.a.x";
    int64_t before[LEAVES][2], now[2];

    for (int i = 0; i < LEAVES; i++) {
        MUST(sked_engine_usage(s->engine, s->leaf[i], SKED_ANY_PARTITION,
                               before[i], NULL) == SKED_OK);
    }
    MUST(sked_engine_commit(s->engine, next, s->now, NULL) == SKED_OK);
    sked_tree_free(s->tree);
    s->tree = next;
    for (int i = 0; i < LEAVES; i++, path[5]++) {
        MUST(sked_tree_find(next, path, &s->leaf[i], NULL) == SKED_OK);
        MUST(sked_engine_usage(s->engine, s->leaf[i], SKED_ANY_PARTITION, now,
                               NULL) == SKED_OK);
        MUST(now[0] == before[i][0] && now[1] == before[i][1]);
    }
}

static void op_commit(stream *s, fuzz_input *in)
{
    sked_queue_id leaf = s->leaf[fuzz_u64(in, 1) % LEAVES];
    uint64_t how = fuzz_u64(in, 1);
    int64_t value = (int64_t)how % 5;

    set(s, leaf, SKED_QUEUE_APPS, value);
    set(s, leaf, SKED_QUEUE_WEIGHT, value);
    set(s, leaf, SKED_QUEUE_STATE,
        value == 4 ? SKED_STATE_DRAINING : SKED_UNSET);
    MUST(sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_engine_commit(s->engine, s->tree, s->now, NULL) == SKED_OK);
    if (how / 5 % 2) go_over(s, how / 10);
}

/* A leaf admits by classes, by bounds that may be none. */
static void op_admit(stream *s, fuzz_input *in)
{
    int64_t bounds[4][2];
    sked_engine_admit_options opts = {.struct_size = sizeof opts,
                                      .entitlement = bounds[0],
                                      .slack = bounds[1],
                                      .reservation = bounds[2],
                                      .controllers = bounds[3]};
    uint64_t how = fuzz_u64(in, 1);

    opts.flags = (uint32_t)how % 4;
    for (int b = 0; b < 8; b++) {
        bounds[b / 2][b % 2] = (int64_t)fuzz_u64(in, 1) - 1;
    }
    sked_status rc = sked_engine_admit(s->engine, s->leaf[how / 4 % LEAVES],
                                       s->now, how < 200 ? &opts : NULL, NULL);
    MUST(rc == SKED_OK || rc == SKED_ERR_ARG || rc == SKED_ERR_RANGE);
}

/* A queue of a tree of limits gets bounds; the tree comes the first time. */
static void op_limits(stream *s, fuzz_input *in)
{
    uint64_t how = fuzz_u64(in, 1);
    sked_tree **tree = &s->limits[how % SKED_MAX_LIMIT_TREES];
    int64_t amounts[] = {(int64_t)fuzz_u64(in, 1) % 64, SKED_UNLIMITED};

    if (!*tree) *tree = plant_limits(s);
    sked_queue_id queue = s->account[how / 2 % ACCOUNTS];
    MUST(sked_tree_set_vec(*tree, queue, SKED_QUEUE_LIMIT, amounts, NULL) ==
         SKED_OK);
    MUST(sked_tree_set(*tree, queue, SKED_QUEUE_MAX_RUNNING,
                       (int64_t)how / 6 % 8, NULL) == SKED_OK);
    MUST(sked_tree_commit(*tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_engine_commit_limits(s->engine,
                                   1 + (uint32_t)(how % SKED_MAX_LIMIT_TREES),
                                   *tree, s->now, NULL) == SKED_OK);
}

/* What differs is told without a change; where the engine takes what would mend
 * it, no difference is left. */
static void op_reconcile(stream *s, fuzz_input *in)
{
    enum { ROWS = 24, MOST = 512 };
    static const int64_t amounts[] = {4, 8};
    static const int32_t offsets[] = {0, 2};
    static const uint64_t places[] = {1, 2};
    static const int32_t rule_offsets[] = {0, 1};
    static const sked_rule_attribute attributes[] = {{1, 1}, {1, 2}};
    static const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1}};
    static sked_engine_difference mend[MOST];
    sked_event rows[ROWS];
    sked_events truth = {
        .struct_size = sizeof truth,
        .events = rows,
        .n = draw_truth(s->leaf, LEAVES, s->now, in, rows, ROWS),
        .amounts = amounts,
        .n_amounts = 1,
        .place_offsets = offsets,
        .places = places,
        .n_places = 1,
        .attribute_offsets = offsets,
        .attributes = attributes,
        .n_attributes = 1,
        .rule_offsets = rule_offsets,
        .rule_terms = terms,
        .n_rules = 1};
    sked_error err = {.code = SKED_OK};
    size_t n = 0;

    uint64_t before = sked_engine_state_digest(s->engine);
    sked_status rc = sked_engine_reconcile(s->engine, &truth, mend, MOST, &n,
                                           &err);
    MUST(rc == err.code && sked_engine_state_digest(s->engine) == before);
    for (size_t i = 0; rc == SKED_OK && i < n && i < MOST; i++) {
        sked_events one = truth;
        one.events = &mend[i].event;
        one.n = 1;
        one.moments = &mend[i].moment;
        one.tasks = &mend[i].task;
        rc = sked_engine_apply(s->engine, &one, NULL, NULL);
        hear(s);
    }
    if (rc != SKED_OK || n > MOST) return;
    rc = sked_engine_reconcile(s->engine, &truth, mend, MOST, &n, NULL);
    MUST(rc == SKED_OK);
}

/* Every job says why it does not run, which changes nothing. */
static void op_explain(stream *s)
{
    sked_engine_bound bounds[32];
    uint64_t before = sked_engine_state_digest(s->engine);
    size_t n;

    for (uint64_t job = 0; job < KEYS; job++) {
        sked_status rc = sked_engine_explain_job(s->engine, job, bounds, 32,
                                                 &n);
        MUST(rc == SKED_OK || rc == SKED_ERR_NOT_FOUND);
    }
    MUST(sked_engine_state_digest(s->engine) == before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Asks are placed, with scores of some nodes, which may be unknown. */
static void op_place(stream *s, fuzz_input *in)
{
    uint64_t nodes[2] = {fuzz_u64(in, 1) % KEYS, fuzz_u64(in, 1) % KEYS};
    int64_t scores[2] = {INT64_MAX, (int64_t)fuzz_u64(in, 1) - 128};
    uint64_t how = fuzz_u64(in, 1);
    sked_engine_place_options opts = {.struct_size = sizeof opts,
                                      .mode = (uint32_t)how % 8,
                                      .nodes = nodes,
                                      .scores = scores,
                                      .n = how / 8 % 3};

    sked_status rc = sked_engine_place(s->engine, s->now, how / 32, &opts,
                                       NULL);
    MUST(rc == SKED_OK || rc == SKED_STOPPED || rc == SKED_ERR_ARG ||
         rc == SKED_ERR_EXISTS || rc == SKED_ERR_NOT_FOUND);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    stream s = {0};
    sked_engine_options opts = {
        .struct_size = sizeof opts,
        .seed = 1,
        .confirm_within_ns = (int64_t)(fuzz_u64(&in, 1) % 3) * 20,
    };
    uint64_t delay = fuzz_u64(&in, 1), bound = fuzz_u64(&in, 1);

    set_delays(&opts, delay, bound);
    opts.max_user_running = (uint32_t)(bound % 4);
    if (fuzz_more(&in) && *in.at >= 224) opts.pooled = 2;
    plant(&s);
    const sked_host host = {.struct_size = sizeof host, .user = &s};
    MUST(sked_engine_new(s.tree, &opts, &host, &s.engine, NULL) == SKED_OK);
    while (fuzz_more(&in)) {
        uint64_t kind = fuzz_u64(&in, 1), what = kind % 16;
        if (what == 0)
            op_commit(&s, &in);
        else if (what == 1 && kind >= 208)
            op_admit(&s, &in);
        else if (what == 1 && kind >= 128)
            op_place(&s, &in);
        else if (what == 1 && kind >= 64)
            op_limits(&s, &in);
        else if (kind == 17)
            op_reconcile(&s, &in);
        else if (kind == 33)
            op_explain(&s);
        else if (what == 15)
            op_event(&s, &in, SKED_EVENT_QUEUE_WEIGHT + 1);
        else if (what > 12)
            op_event(&s, &in, SKED_EVENT_TASK_RESIZE + 1);
        else if (what > 1)
            op_event(&s, &in, SKED_EVENT_NODE_RESUME + 1);
        else
            MUST(sked_engine_pass(s.engine, s.now, 0, NULL) == SKED_OK);
        hear(&s);
        MUST(sked_engine_check(s.engine, NULL) == SKED_OK);
    }
    sked_engine_free(s.engine);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) sked_tree_free(s.limits[i]);
    sked_tree_free(s.tree);
    return 0;
}
