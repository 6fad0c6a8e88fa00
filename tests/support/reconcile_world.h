#ifndef TEST_RECONCILE_WORLD_H
#define TEST_RECONCILE_WORLD_H

/* Two engines on one history, of which one is told less. */
#include <sched/engine_reconcile.h>

#include "engine_fixture.h"
#include "size.h"
#include "words.h"

#include "engine/core/groups.h"
#include "engine/state.h"

enum { LEAVES = 6, KEYS = 24, ROWS = 4096, PLACES = 512, KINDS = 2 };

typedef struct truth {
    sked_event event[ROWS];
    sked_time moment[ROWS];
    int64_t task[ROWS];
    int64_t amounts[ROWS][KINDS];
    int32_t offsets[PLACES + 1];
    uint64_t places[ROWS];
    uint32_t n, lists;
    sked_events batch;
} truth;

typedef struct side {
    sked_engine *engine;
    uint64_t group[KEYS * KEYS]; /* by number of being started */
    int64_t count[KEYS * KEYS];
    size_t groups;
} side;

typedef struct twins {
    test_words words;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    sked_engine_options opts;
    sked_time now;
    uint64_t jobs, asks;
    int zoned; /* nodes have attributes, asks rules and tags */
    side one, other;
    truth truth;
    sked_engine_difference mend[ROWS];
} twins;

static inline uint64_t below(twins *t, uint64_t n)
{
    return test_below(&t->words, n);
}

/* ---- A tree whose orders remember nothing ---- */

static inline void plant(twins *t)
{
    static const int64_t orders[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR, SKED_ORDER_POLICY_FIFO,
        SKED_ORDER_POLICY_PRIORITY};
    static const char *const kinds[] = {"cpu", "memory"};
    sked_schema *schema;
    char name[] = "a";
    sked_queue_id up;

    assert_ok(sked_schema_new(kinds, NULL, KINDS, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &t->tree, NULL));
    sked_schema_free(schema);
    assert_ok(sked_tree_add(t->tree, sked_tree_root(t->tree), "up", &up, NULL));
    assert_ok(sked_tree_set(t->tree, up, SKED_QUEUE_ORDER, orders[below(t, 4)],
                            NULL));
    for (int i = 0; i < LEAVES; i++, name[0]++) {
        sked_queue_id at = i < 3 ? up : sked_tree_root(t->tree);
        assert_ok(sked_tree_add(t->tree, at, name, &t->leaf[i], NULL));
        assert_ok(sked_tree_set(t->tree, t->leaf[i], SKED_QUEUE_APPS,
                                (int64_t)below(t, 5), NULL));
        assert_ok(sked_tree_set(t->tree, t->leaf[i], SKED_QUEUE_WEIGHT,
                                1 + (int64_t)below(t, 3), NULL));
        if (below(t, 3) == 0) {
            const int64_t limit[] = {10 + (int64_t)below(t, 10), 40};
            assert_ok(sked_tree_set_vec(t->tree, t->leaf[i], SKED_QUEUE_LIMIT,
                                        limit, NULL));
        }
        if (below(t, 3) == 0) {
            assert_ok(sked_tree_set(t->tree, t->leaf[i], SKED_QUEUE_USER_LIMIT,
                                    300000, NULL));
        }
        if (below(t, 4) == 0) {
            assert_ok(sked_tree_set(t->tree, t->leaf[i], SKED_QUEUE_MAX_RUNNING,
                                    2, NULL));
        }
    }
    assert_ok(sked_tree_commit(t->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static inline void start(twins *t, side *s)
{
    *s = (side){0};
    assert_ok(sked_engine_new(t->tree, &t->opts, NULL, &s->engine, NULL));
}

/* ---- Events, to one side or to both ---- */

/* Row `v` of attributes is zone v, row `v` of rules asks for zone v. */
static const sked_rule_attribute zone_pairs[] = {{1, 1}, {1, 2}, {1, 3}};
static const sked_rule_term zone_terms[] = {
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 1},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 2},
    {.op = SKED_RULE_OP_EQUAL, .key = 1, .value = 3}};
static const int32_t zone_offsets[] = {0, 1, 2, 3};

static inline void know_zones(sked_events *batch)
{
    batch->attribute_offsets = batch->rule_offsets = zone_offsets;
    batch->attributes = zone_pairs;
    batch->rule_terms = zone_terms;
    batch->n_attributes = batch->n_rules = 3;
}

static inline sked_status tell(side *s, sked_event event,
                               const int64_t *amounts)
{
    static const int32_t offsets[] = {0, 2, 4};
    static const uint64_t places[] = {1, 3, 3, 2};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .place_offsets = offsets,
                         .places = places,
                         .n_places = 2};

    know_zones(&batch);
    return sked_engine_apply(s->engine, &batch, NULL, NULL);
}

static inline sked_event draw_task(twins *t, const side *s, size_t *at)
{
    static const int32_t kinds[] = {
        SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FAIL,
        SKED_EVENT_TASK_LOST, SKED_EVENT_TASK_CONFIRM};
    sked_event e = {.kind = kinds[below(t, 5)]};

    *at = s->groups ? (size_t)below(t, s->groups) : 0;
    e.count = s->groups ? 1 + (int64_t)below(t, 3) : 1;
    return e;
}

static inline uint64_t name_of(const side *s, size_t at)
{
    return at < s->groups ? s->group[at] : 0;
}

/* What a node is, or what an ask prefers. */
static inline void draw_trait(twins *t, sked_event *e)
{
    static const int32_t traits[] = {
        SKED_EVENT_NODE_ATTRIBUTES, SKED_EVENT_NODE_ATTRIBUTES,
        SKED_EVENT_ASK_RULE,        SKED_EVENT_ASK_TAGS,
        SKED_EVENT_ASK_PREFER,      SKED_EVENT_ASK_PLACES,
        SKED_EVENT_ASK_RACKS};

    e->kind = traits[below(t, 7)];
    int lists = e->kind == SKED_EVENT_ASK_TAGS ||
                e->kind == SKED_EVENT_ASK_PLACES ||
                e->kind == SKED_EVENT_ASK_RACKS;
    if (e->kind != traits[0]) e->key = 1 + below(t, t->asks + 1);
    e->places = (uint32_t)below(t, lists ? 3 : 4);
    if (e->kind == SKED_EVENT_ASK_PREFER) e->count = (int64_t)below(t, 3);
}

static inline sked_event draw_event(twins *t, int64_t *amounts)
{
    sked_event e = {.amount = 1, .count = 1 + (int64_t)below(t, 5)};
    uint64_t what = below(t, 20);

    amounts[0] = (int64_t)below(t, 4);
    amounts[1] = (int64_t)below(t, 4);
    e.key = 1 + below(t, 5);
    if (t->zoned && below(t, 8) == 0) {
        draw_trait(t, &e);
    } else if (what < 8) {
        e.kind = SKED_EVENT_HEARTBEAT;
    } else if (what < 10) {
        static const int32_t kinds[] = {
            SKED_EVENT_NODE_UP,    SKED_EVENT_NODE_UP,
            SKED_EVENT_NODE_DOWN,  SKED_EVENT_NODE_CHANGE,
            SKED_EVENT_NODE_DRAIN, SKED_EVENT_NODE_RESUME};
        e.kind = kinds[below(t, 6)];
        e.partition = (uint32_t)(e.key % 2);
        e.owner = e.key / 2;
        amounts[0] = amounts[1] = 6 + (int64_t)below(t, 8);
    } else if (what < 12) {
        e.kind = SKED_EVENT_JOB_SUBMIT;
        e.key = ++t->jobs;
        e.owner = below(t, 3);
        e.queue = t->leaf[below(t, LEAVES)];
        e.priority = (int32_t)below(t, 3);
        e.flags = below(t, 2) ? SKED_JOB_RETRY : 0;
    } else if (what < 16) {
        e.kind = SKED_EVENT_ASK_ADD;
        e.key = ++t->asks;
        e.owner = 1 + below(t, t->jobs + 1);
        e.partition = (uint32_t)below(t, 2);
        if (below(t, 3) == 0) e.partition = SKED_ANY_PARTITION;
        e.priority = (int32_t)below(t, 2);
        if (below(t, 5) == 0) { /* every step fits every node */
            e.flags |= SKED_ASK_GANG;
            e.count = 1 + e.count % 2;
        }
        if (below(t, 2) == 0) e.flags |= SKED_ASK_WAIT;
        if (below(t, 6) == 0) e.places = 1;
    } else if (what < 18) {
        e.kind = below(t, 3) ? SKED_EVENT_ASK_CHANGE : SKED_EVENT_ASK_WITHDRAW;
        e.key = 1 + below(t, t->asks + 1);
    } else {
        e.kind = below(t, 2) ? SKED_EVENT_JOB_UPDATE : SKED_EVENT_JOB_FINISH;
        e.key = 1 + below(t, t->jobs + 1);
        e.priority = (int32_t)below(t, 3);
        if (below(t, 2)) e.queue = t->leaf[below(t, LEAVES)];
    }
    return e;
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

/* One event to one engine alone. */
static inline void live(twins *t, side *s)
{
    int64_t amounts[KINDS];
    size_t at = 0;
    sked_event e = draw_event(t, amounts);

    if (below(t, 3) == 0) e = draw_task(t, s, &at);
    if (e.kind >= SKED_EVENT_TASK_CONFIRM && e.kind <= SKED_EVENT_TASK_LOST) {
        e.key = name_of(s, at);
    }
    t->now += 1 + (sked_time)below(t, 3); /* no two jobs at one moment */
    e.time = t->now;
    (void)!tell(s, e, amounts);
    (void)hear(s, NULL, 0);
}

#endif
