#include <sched/engine.h>

#include "hash.h"

/* A cluster of a few nodes and queues, and a host that says anything. */
typedef struct engine_host {
    sked_engine *engine;
    sked_queue_id leaf[6];
    uint64_t group[64];
    int64_t left[64];
    uint64_t state;
    uint64_t jobs;
    uint64_t asks;
    uint64_t groups;
    sked_time now;
} engine_host;

static sked_tree *small_tree(engine_host *h)
{
    static const char *const kinds[] = {"cpu", "memory"};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id up[2];

    HASH_MUST(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL) == SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    sked_schema_free(schema);
    for (int i = 0; i < 2; i++) {
        HASH_MUST(sked_tree_add(tree, sked_tree_root(tree), names[i], &up[i],
                                NULL) == SKED_OK);
        int64_t order = (int64_t)hash_below(&h->state, 7);
        HASH_MUST(sked_tree_set(tree, up[i], SKED_QUEUE_ORDER, order, NULL) ==
                  SKED_OK);
    }
    for (int i = 0; i < 6; i++) {
        HASH_MUST(sked_tree_add(tree, up[i % 2], names[i], &h->leaf[i], NULL) ==
                  SKED_OK);
        int64_t apps = (int64_t)hash_below(&h->state, 5);
        int64_t user = (int64_t)hash_below(&h->state, SKED_PPM);
        int64_t weight = (int64_t)hash_below(&h->state, 9);
        HASH_MUST(sked_tree_set(tree, h->leaf[i], SKED_QUEUE_APPS, apps,
                                NULL) == SKED_OK);
        HASH_MUST(sked_tree_set(tree, h->leaf[i], SKED_QUEUE_USER_LIMIT, user,
                                NULL) == SKED_OK);
        HASH_MUST(sked_tree_set(tree, h->leaf[i], SKED_QUEUE_WEIGHT, weight,
                                NULL) == SKED_OK);
    }
    HASH_MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
              SKED_OK);
    return tree;
}

static uint64_t say_something(engine_host *h)
{
    static const int32_t kinds[] = {
        SKED_EVENT_HEARTBEAT,    SKED_EVENT_HEARTBEAT,   SKED_EVENT_HEARTBEAT,
        SKED_EVENT_JOB_SUBMIT,   SKED_EVENT_ASK_ADD,     SKED_EVENT_ASK_ADD,
        SKED_EVENT_TASK_CONFIRM, SKED_EVENT_TASK_REFUSE, SKED_EVENT_TASK_FINISH,
        SKED_EVENT_TASK_FINISH,  SKED_EVENT_TASK_LOST,   SKED_EVENT_NODE_UP,
        SKED_EVENT_NODE_DOWN,    SKED_EVENT_JOB_CANCEL,  SKED_EVENT_ASK_CHANGE};
    sked_event e = {.amount = 1};
    int64_t amounts[2];

    e.kind = kinds[hash_below(&h->state, 15)];
    h->now += (sked_time)hash_below(&h->state, 4);
    e.time = h->now;
    e.key = 1 + hash_below(&h->state, 6);
    e.partition = (uint32_t)hash_below(&h->state, 2);
    e.count = 1 + (int64_t)hash_below(&h->state, 8);
    e.priority = (int32_t)hash_below(&h->state, 3);
    e.queue = h->leaf[hash_below(&h->state, 6)];
    e.owner = hash_below(&h->state, 4);
    amounts[0] = (int64_t)hash_below(&h->state, 5);
    amounts[1] = (int64_t)hash_below(&h->state, 5);
    if (e.kind == SKED_EVENT_NODE_UP) amounts[0] = amounts[1] = 30;
    if (e.kind == SKED_EVENT_JOB_SUBMIT) e.key = ++h->jobs;
    if (e.kind == SKED_EVENT_ASK_ADD) {
        e.key = ++h->asks;
        e.owner = 1 + hash_below(&h->state, h->jobs + 1);
        e.flags = (uint32_t)hash_below(&h->state, 4) == 0 ? SKED_ASK_GANG : 0;
    }
    if (e.kind >= SKED_EVENT_TASK_CONFIRM) {
        uint64_t at = hash_below(&h->state, 64);
        e.key = h->group[at];
        e.count = h->left[at];
    }
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &e,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};
    sked_status rc = sked_engine_apply(h->engine, &batch, NULL, NULL);
    return (uint64_t)(int64_t)rc;
}

static void hear_everything(engine_host *h)
{
    sked_decision d[16];
    size_t n;

    do {
        HASH_MUST(sked_engine_take(h->engine, d, 16, &n, NULL) == SKED_OK);
        for (size_t i = 0; i < n; i++) {
            if (d[i].kind != SKED_DECISION_ALLOCATE) continue;
            h->group[h->groups % 64] = d[i].group;
            h->left[h->groups++ % 64] = d[i].count;
        }
    } while (n > 0);
}

uint64_t hash_engine(unsigned size);

uint64_t hash_engine(unsigned size)
{
    uint64_t sum = 0, seeds = 16;

    for (unsigned i = 0; i < 12 * size; i++) {
        engine_host h = {.state = hash_random(&seeds)};
        sked_tree *tree = small_tree(&h);
        sked_engine_options o = {.struct_size = sizeof o, .seed = i};
        o.confirm_within_ns = (int64_t)hash_below(&h.state, 2) * 20;
        HASH_MUST(sked_engine_new(tree, &o, NULL, &h.engine, NULL) == SKED_OK);
        for (unsigned n = 0; n < 600; n++) {
            sum = hash_add(sum, say_something(&h));
            hear_everything(&h);
        }
        HASH_MUST(sked_engine_check(h.engine, NULL) == SKED_OK);
        sum = hash_add(sum, sked_engine_digest(h.engine));
        sum = hash_add(sum, sked_engine_state_digest(h.engine));
        sked_engine_free(h.engine);
        sked_tree_free(tree);
    }
    return sum;
}
