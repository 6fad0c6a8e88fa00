#ifndef TEST_RECONCILE_WORLD_H
#define TEST_RECONCILE_WORLD_H

/*
 * Two engines on one history, of which one is told less. What an engine was told
 * of attributes, rules, tags and the like its host writes down, as a host does
 * that has to tell it again.
 */
#include <sched/engine_limits.h>
#include <sched/engine_reconcile.h>

#include "engine_fixture.h"
#include "size.h"
#include "words.h"

#include "engine/alloc.h"
#include "engine/state.h"

enum {
    LEAVES = 6,
    KEYS = 24,
    ROWS = 4096,
    PLACES = 2048,
    KINDS = 3,
    NODES = 8,  /* keys are below this */
    NAMED = 512 /* keys of jobs and asks are below this */
};

/* What a world draws of; what was drawn of all that, and was so. */
enum {
    HAS_TRAITS = 1,
    HAS_PLACES = 2,
    HAS_GANGS = 4,
    HAS_CHARGES = 8,
    HAS_FLAGS = 16,
    HAS_SAID = 32,
    HAS_LEAST = 64,
    HAS_POOLS = 128,
    HAS_SIZES = 256,
    HAS_REST = 512, /* what no truth holds */
    HAS_ALL = 1023
};

enum met {
    MET_ATTRIBUTES,
    MET_RULE,
    MET_SOFT,
    MET_TAGS,
    MET_PLACES,
    MET_RACKS,
    MET_STRICT,
    MET_COUNTED,
    MET_GANG,
    MET_SPREAD,
    MET_EXCLUSIVE,
    MET_CHARGE,
    MET_JOB_FLAGS,
    MET_ASK_FLAGS,
    MET_PRIORITY,
    MET_ENDS,
    MET_COST,
    MET_LEAST,
    MET_POOL,
    MET_SIZE,
    MET_REFUSAL,
    MET_EXCLUSION,
    MET_RELEASED,
    MET_CANCEL,
    MET_WAITS,
    MET_DRAINS,
    METS
};

/* An event with what stands beside it. */
typedef struct said {
    sked_event event;
    int64_t amounts[KINDS];
    sked_event_gang gang;
    sked_event_charge charge;
    sked_time moment;
    int counted; /* 1: places have numbers of tasks */
} said;

typedef struct preference {
    uint32_t rule;
    int64_t weight;
    sked_time until;
} preference;

typedef struct side {
    sked_engine *engine;
    uint64_t group[KEYS * KEYS]; /* by number of being started */
    int64_t count[KEYS * KEYS];
    size_t groups;
    /* What it was told, by key. */
    uint32_t attributes[NODES];
    uint32_t rule[NAMED];
    uint32_t tags[NAMED];
    preference soft[NAMED][SKED_MAX_ASK_PREFERENCES];
    uint32_t n_soft[NAMED];
    sked_event_charge charge[NAMED];
    int64_t pool[2];
    uint32_t met; /* a bit for each of METS */
} side;

typedef struct truth {
    sked_event event[ROWS];
    sked_time moment[ROWS];
    int64_t task[ROWS];
    int64_t amounts[ROWS][KINDS];
    sked_event_gang gang[ROWS];
    sked_event_charge charge[ROWS];
    int32_t offsets[PLACES + 1];
    uint64_t places[ROWS];
    uint32_t place_tasks[ROWS];
    uint32_t n, lists;
    sked_events batch;
} truth;

typedef struct twins {
    test_words words;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    sked_tree *limits[SKED_MAX_LIMIT_TREES];
    sked_queue_id limited[SKED_MAX_LIMIT_TREES][2]; /* a queue, one below it */
    sked_engine_options opts;
    sked_time now;
    uint64_t jobs, asks;
    uint32_t has;
    side one, other;
    truth truth;
    sked_engine_difference mend[ROWS];
} twins;

static inline uint64_t below(twins *t, uint64_t n)
{
    return test_below(&t->words, n);
}

static inline int may(const twins *t, uint32_t what)
{
    return (t->has & what) != 0;
}

/* ---- A tree whose orders remember nothing ---- */

static inline void plant_leaf(twins *t, sked_queue_id leaf)
{
    const struct {
        int32_t attribute;
        int64_t value;
        uint64_t in;
    } some[] = {{SKED_QUEUE_APPS, (int64_t)below(t, 5), 1},
                {SKED_QUEUE_WEIGHT, 1 + (int64_t)below(t, 3), 1},
                {SKED_QUEUE_USER_LIMIT, 300000, 3},
                {SKED_QUEUE_MAX_RUNNING, 2, 4}};

    for (int i = 0; i < 4; i++) {
        if (below(t, some[i].in)) continue;
        assert_ok(sked_tree_set(t->tree, leaf, some[i].attribute, some[i].value,
                                NULL));
    }
    if (below(t, 3) == 0) {
        const int64_t limit[] = {10 + (int64_t)below(t, 10), 40, 40};
        assert_ok(
            sked_tree_set_vec(t->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    }
}

static inline void plant_limits(twins *t, const sked_schema *schema)
{
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const int64_t limit[] = {8 + (int64_t)below(t, 8), 30, 30};
        sked_queue_id *q = t->limited[i];
        assert_ok(sked_tree_new(schema, NULL, NULL, &t->limits[i], NULL));
        sked_tree *tree = t->limits[i];
        assert_ok(sked_tree_add(tree, sked_tree_root(tree), "a", q, NULL));
        assert_ok(sked_tree_add(tree, q[0], "b", q + 1, NULL));
        assert_ok(sked_tree_set_vec(tree, q[below(t, 2)], SKED_QUEUE_LIMIT,
                                    limit, NULL));
        assert_ok(sked_tree_set(tree, q[1], SKED_QUEUE_MAX_RUNNING,
                                1 + (int64_t)below(t, 4), NULL));
        assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    }
}

static inline void plant(twins *t)
{
    static const int64_t orders[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR, SKED_ORDER_POLICY_FIFO,
        SKED_ORDER_POLICY_PRIORITY};
    static const char *const kinds[] = {"cpu", "memory", "licence"};
    sked_schema *schema;
    char name[] = "a";
    sked_queue_id up;

    assert_ok(sked_schema_new(kinds, NULL, KINDS, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &t->tree, NULL));
    assert_ok(sked_tree_add(t->tree, sked_tree_root(t->tree), "up", &up, NULL));
    assert_ok(sked_tree_set(t->tree, up, SKED_QUEUE_ORDER, orders[below(t, 4)],
                            NULL));
    for (int i = 0; i < LEAVES; i++, name[0]++) {
        sked_queue_id at = i < 3 ? up : sked_tree_root(t->tree);
        assert_ok(sked_tree_add(t->tree, at, name, &t->leaf[i], NULL));
        plant_leaf(t, t->leaf[i]);
    }
    assert_ok(sked_tree_commit(t->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    plant_limits(t, schema);
    sked_schema_free(schema);
}

static inline void start(twins *t, side *s)
{
    memset(s, 0, sizeof *s);
    assert_ok(sked_engine_new(t->tree, &t->opts, NULL, &s->engine, NULL));
    for (uint32_t i = 0; may(t, HAS_CHARGES) && i < SKED_MAX_LIMIT_TREES; i++) {
        assert_ok(sked_engine_commit_limits(s->engine, i + 1, t->limits[i],
                                            t->now, NULL));
    }
}

static inline void uproot(twins *t)
{
    sked_tree_free(t->tree);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) sked_tree_free(t->limits[i]);
}

/* ---- Rows that events name ---- */

/* Rows 4 and 5 are the same attributes in another order, row 6 has one twice. */
static const sked_rule_attribute known_pairs[] = {
    {1, 1}, {1, 2}, {1, 3}, {1, 1}, {2, 7}, {2, 7},
    {1, 1}, {1, 1}, {1, 1}, {2, 7}, {2, 8}};
static const int32_t known_pair_offsets[] = {0, 1, 2, 3, 5, 7, 10, 11};
enum { ATTRIBUTE_ROWS = 7 };

/* Each rule differs from another in one field of one term, in a value, or by a
 * term more. */
static const sked_rule_term known_terms[] = {
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 2},
    {.op = SKED_RULE_OP_NOT, .key = 1, .value = 1},
    {.op = SKED_RULE_OP_EQUAL, .key = 2, .value = 1},
    {.op = SKED_RULE_OP_IN, .key = 1, .n = 2, .first = 0},
    {.op = SKED_RULE_OP_IN, .key = 1, .n = 2, .first = 2},
    {.op = SKED_RULE_OP_IN, .key = 1, .n = 1, .first = 2},
    {.op = SKED_RULE_OP_EXISTS, .key = 1},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1}, /* row 9: or */
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 2},
    {.op = SKED_RULE_OP_OR, .n = 2},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1}, /* row 10: and */
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 2},
    {.op = SKED_RULE_OP_AND, .n = 2},
    {.op = SKED_RULE_OP_AT_MOST,
     .key = 1,
     .value = 2}, /* rows 11 to 13: work */
    {.op = SKED_RULE_OP_AT_MOST, .key = 1, .value = 2, .n = 1, .first = 0},
    {.op = SKED_RULE_OP_AT_MOST, .key = 3, .value = 2},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1}, /* row 14: a term more */
    {.op = SKED_RULE_OP_EXISTS, .key = 1}};
static const int64_t known_values[] = {1, 2, 1, 3};
static const int32_t known_rule_offsets[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                             8, 11, 14, 15, 16, 17, 19};
enum { RULE_ROWS = 14 };

static const uint64_t known_lists[] = {1, 3, 3, 2, 2, 4, 1, 5};
static const uint32_t known_tasks[] = {2, 1,         INT32_MAX, 1,
                                       0, INT32_MAX, INT32_MAX, INT32_MAX};
static const int32_t known_list_offsets[] = {0, 2, 4, 5, 8};
enum { LIST_ROWS = 4 };

static inline void know_rules(sked_events *batch)
{
    batch->attribute_offsets = known_pair_offsets;
    batch->attributes = known_pairs;
    batch->n_attributes = ATTRIBUTE_ROWS;
    batch->rule_offsets = known_rule_offsets;
    batch->rule_terms = known_terms;
    batch->n_rules = RULE_ROWS;
    batch->rule_values = known_values;
    batch->n_rule_values = sizeof known_values / sizeof *known_values;
}

/* ---- Events, to one side or to both ---- */

static inline uint32_t bit_of(enum met what, uint64_t there)
{
    return there ? UINT32_C(1) << what : 0;
}

/* What was met by an event that was applied. */
static inline uint32_t met_by(const said *s)
{
    const sked_event *e = &s->event;
    uint32_t more = SKED_ASK_TOGETHER | SKED_ASK_PREFER_SAME | SKED_ASK_MASTER;

    switch (e->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES: return bit_of(MET_ATTRIBUTES, e->places);
    case SKED_EVENT_ASK_RULE: return bit_of(MET_RULE, e->places);
    case SKED_EVENT_ASK_PREFER: return bit_of(MET_SOFT, e->places);
    case SKED_EVENT_ASK_TAGS: return bit_of(MET_TAGS, e->places);
    case SKED_EVENT_ASK_PLACES:
        return bit_of(MET_PLACES, e->places) |
               bit_of(MET_COUNTED, s->counted != 0);
    case SKED_EVENT_ASK_RACKS: return bit_of(MET_RACKS, e->places);
    case SKED_EVENT_ASK_ADD:
        return bit_of(MET_STRICT, e->flags & SKED_ASK_STRICT) |
               bit_of(MET_PLACES, e->places) |
               bit_of(MET_COUNTED, e->places && s->counted) |
               bit_of(MET_GANG,
                      (e->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) ==
                          SKED_ASK_GANG) |
               bit_of(MET_SPREAD, e->flags & SKED_ASK_SPREAD) |
               bit_of(MET_EXCLUSIVE, e->flags & SKED_ASK_EXCLUSIVE) |
               bit_of(MET_ASK_FLAGS, e->flags & more) |
               bit_of(MET_PRIORITY, e->priority != 0);
    case SKED_EVENT_JOB_SUBMIT:
        return bit_of(MET_CHARGE, s->charge.first || s->charge.second) |
               bit_of(MET_JOB_FLAGS, e->flags & ~(uint32_t)SKED_JOB_RETRY);
    case SKED_EVENT_TASK_ENDS: return bit_of(MET_ENDS, 1);
    case SKED_EVENT_TASK_COST: return bit_of(MET_COST, 1);
    case SKED_EVENT_JOB_LEAST: return bit_of(MET_LEAST, e->count > 0);
    case SKED_EVENT_POOL: return bit_of(MET_POOL, 1);
    case SKED_EVENT_TASK_RESIZE: return bit_of(MET_SIZE, 1);
    case SKED_EVENT_TASK_REFUSE: return bit_of(MET_REFUSAL, 1);
    case SKED_EVENT_ASK_EXCLUDE:
    case SKED_EVENT_JOB_EXCLUDE: return bit_of(MET_EXCLUSION, e->places);
    case SKED_EVENT_TASK_RELEASED: return bit_of(MET_RELEASED, 1);
    case SKED_EVENT_JOB_CANCEL: return bit_of(MET_CANCEL, 1);
    case SKED_EVENT_NODE_DRAIN: return bit_of(MET_DRAINS, 1);
    default: return 0;
    }
}

static inline void write_down_soft(side *s, const said *w)
{
    uint64_t ask = w->event.key;

    if (!w->event.places) {
        s->n_soft[ask] = 0;
        return;
    }
    uint32_t n = 0; /* what has expired makes room */
    for (uint32_t i = 0; i < s->n_soft[ask]; i++) {
        preference one = s->soft[ask][i];
        if (one.until != SKED_UNSET && one.until <= w->event.time) continue;
        s->soft[ask][n++] = one;
    }
    assert_true(n < SKED_MAX_ASK_PREFERENCES);
    s->soft[ask][n] = (preference){w->event.places, w->event.count, w->moment};
    s->n_soft[ask] = n + 1;
}

/* What the host has to know of an event that was applied. */
static inline void write_down(side *s, const said *w)
{
    const sked_event *e = &w->event;

    s->met |= met_by(w);
    switch (e->kind) {
    case SKED_EVENT_NODE_UP: s->attributes[e->key] = 0; break;
    case SKED_EVENT_NODE_ATTRIBUTES: s->attributes[e->key] = e->places; break;
    case SKED_EVENT_JOB_SUBMIT: s->charge[e->key] = w->charge; break;
    case SKED_EVENT_ASK_ADD:
        s->rule[e->key] = s->tags[e->key] = s->n_soft[e->key] = 0;
        break;
    case SKED_EVENT_ASK_RULE: s->rule[e->key] = e->places; break;
    case SKED_EVENT_ASK_TAGS: s->tags[e->key] = e->places; break;
    case SKED_EVENT_ASK_PREFER: write_down_soft(s, w); break;
    case SKED_EVENT_POOL: s->pool[e->partition] = w->amounts[KINDS - 1]; break;
    default: break;
    }
}

static inline sked_status tell(side *s, const said *w)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &w->event,
                         .n = 1,
                         .amounts = w->amounts,
                         .n_amounts = 1,
                         .place_offsets = known_list_offsets,
                         .places = known_lists,
                         .n_places = LIST_ROWS,
                         .moments = &w->moment,
                         .gangs = &w->gang,
                         .charges = &w->charge};

    if (w->counted) batch.place_tasks = known_tasks;
    know_rules(&batch);
    sked_status rc = sked_engine_apply(s->engine, &batch, NULL, NULL);
    if (rc == SKED_OK) write_down(s, w);
    return rc;
}

static inline void hear_one(side *s, const sked_decision *d)
{
    if (d->kind != SKED_DECISION_ALLOCATE || s->groups == KEYS * KEYS) return;
    s->group[s->groups] = d->group;
    s->count[s->groups++] = d->count;
}

static inline size_t hear(side *s, sked_decision *into, size_t most)
{
    size_t n, all = 0;

    for (;;) {
        sked_decision d;
        assert_ok(sked_engine_take(s->engine, &d, 1, &n, NULL));
        if (n == 0) return all;
        hear_one(s, &d);
        if (all < most) into[all] = d;
        all++;
    }
}

#endif
