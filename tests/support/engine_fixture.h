#ifndef TEST_ENGINE_FIXTURE_H
#define TEST_ENGINE_FIXTURE_H

#include "test.h"

#include <sched/engine_preempt.h>

#include <string.h>

#include "host.h"

/*
 * An engine over cpu and memory on a strict host, and short words for events.
 * Teardown checks every invariant and proves that no byte is left.
 */
typedef struct engine_fixture {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id root;
    sked_time now;
    sked_error err;
    sked_decision last[64]; /* what was decided since engine_taken() */
} engine_fixture;

static inline int engine_setup(void **state)
{
    static engine_fixture f;
    const char *const kinds[] = {"cpu", "memory"};

    f = (engine_fixture){0};
    sked_host host = test_host_hooks(&f.host);
    assert_ok(sked_schema_new(kinds, NULL, 2, NULL, &f.schema, NULL));
    assert_ok(sked_tree_new(f.schema, NULL, &host, &f.tree, NULL));
    f.root = sked_tree_root(f.tree);
    *state = &f;
    return 0;
}

static inline int engine_teardown(void **state)
{
    engine_fixture *f = *state;

    if (f->engine) assert_ok(sked_engine_check(f->engine, NULL));
    sked_engine_free(f->engine);
    sked_tree_free(f->tree);
    sked_schema_free(f->schema);
    assert_int_equal(f->host.live, 0);
    return 0;
}

#define engine_case(f)                                                         \
    cmocka_unit_test_setup_teardown(f, engine_setup, engine_teardown)

static inline sked_queue_id engine_queue(engine_fixture *f, sked_queue_id up,
                                         const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(f->tree, up, name, &id, NULL));
    return id;
}

static inline void engine_set(engine_fixture *f, sked_queue_id queue,
                              int32_t attribute, int64_t value)
{
    assert_ok(sked_tree_set(f->tree, queue, attribute, value, NULL));
}

/* Commits the tree and begins, or goes on, with it. */
static inline void engine_begin(engine_fixture *f,
                                const sked_engine_options *opts)
{
    sked_host host = test_host_hooks(&f->host);

    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    if (f->engine) {
        assert_ok(sked_engine_commit(f->engine, f->tree, f->now, NULL));
        return;
    }
    assert_ok(sked_engine_new(f->tree, opts, &host, &f->engine, NULL));
}

/* One event, with amounts of both kinds. */
static inline sked_status engine_say(engine_fixture *f, sked_event event,
                                     int64_t cpu, int64_t memory)
{
    const int64_t amounts[] = {cpu, memory};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};

    event.time = f->now;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static inline sked_status engine_tell(engine_fixture *f, int32_t kind,
                                      uint64_t key)
{
    return engine_say(f, (sked_event){.kind = kind, .key = key}, 0, 0);
}

static inline void engine_add_node(engine_fixture *f, uint64_t key,
                                   uint32_t partition, int64_t cpu,
                                   int64_t memory)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_NODE_UP,
                                      .key = key,
                                      .partition = partition,
                                      .amount = 1},
                         cpu, memory));
}

static inline void engine_add_job(engine_fixture *f, uint64_t key,
                                  sked_queue_id queue, uint64_t user)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = key,
                                      .queue = queue,
                                      .owner = user},
                         0, 0));
}

/* Begins with one leaf, node 1 and in the leaf job 1 of `user`. */
static inline sked_queue_id engine_alone(engine_fixture *f,
                                         const sked_engine_options *opts,
                                         int64_t cpu, int64_t memory,
                                         uint64_t user)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, opts);
    engine_add_node(f, 1, 0, cpu, memory);
    engine_add_job(f, 1, leaf, user);
    return leaf;
}

static inline sked_status engine_add_ask(engine_fixture *f, uint64_t key,
                                         uint64_t job, int64_t count,
                                         int64_t cpu, int64_t memory)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = job,
                                   .count = count,
                                   .amount = 1},
                      cpu, memory);
}

static inline sked_status engine_end(engine_fixture *f, int32_t kind,
                                     uint64_t group, int64_t count)
{
    return engine_say(
        f, (sked_event){.kind = kind, .key = group, .count = count}, 0, 0);
}

/* Takes what was decided: how many; the first 64 are in f->last. */
static inline size_t engine_taken(engine_fixture *f)
{
    size_t n;

    memset(f->last, 0, sizeof f->last);
    assert_ok(sked_engine_take(f->engine, f->last, 64, &n, NULL));
    return n;
}

/* A heartbeat of one node and a look at the books: how many decisions. */
static inline size_t engine_beat(engine_fixture *f, uint64_t node)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    assert_ok(sked_engine_check(f->engine, NULL));
    return engine_taken(f);
}

static inline sked_engine_stats engine_stats_of(const engine_fixture *f)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};

    assert_ok(sked_engine_get_stats(f->engine, &stats));
    return stats;
}

#endif
