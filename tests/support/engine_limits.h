#ifndef TEST_ENGINE_LIMITS_H
#define TEST_ENGINE_LIMITS_H

/* An engine with two trees of limits beside its own. */
#include <sched/engine_limits.h>

#include "engine_fixture.h"

/* Job keys are those of their asks. */
typedef struct limits_trees {
    engine_fixture *f;
    sked_queue_id leaf;
    sked_tree *tree[SKED_MAX_LIMIT_TREES];
    sked_queue_id account; /* of tree 1, below the root */
    sked_queue_id service; /* of tree 2, likewise */
} limits_trees;

static inline void limits_bound(limits_trees *t, int tree, sked_queue_id queue,
                                int64_t cpu)
{
    int64_t amounts[] = {cpu, SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(t->tree[tree], queue, SKED_QUEUE_LIMIT, amounts,
                                NULL));
    assert_ok(sked_tree_commit(t->tree[tree], SKED_TREE_COMMIT_STRICT, NULL));
}

static inline sked_status limits_commit(limits_trees *t, uint32_t which)
{
    engine_fixture *f = t->f;
    sked_status rc = sked_engine_commit_limits(
        f->engine, which, t->tree[which - 1], f->now, &f->err);

    assert_ok(sked_engine_check(f->engine, NULL));
    return rc;
}

/* Two nodes of 10 cpu in partitions of their own, and trees without limits. */
static inline limits_trees limits_begin(engine_fixture *f)
{
    limits_trees t = {.f = f, .leaf = engine_queue(f, f->root, "leaf")};
    static const char *const name[] = {"account", "service"};
    sked_queue_id *queue[] = {&t.account, &t.service};

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_node(f, 2, 1, 10, 10);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        assert_ok(sked_tree_new(f->schema, NULL, NULL, &t.tree[i], NULL));
        assert_ok(sked_tree_add(t.tree[i], sked_tree_root(t.tree[i]), name[i],
                                queue[i], NULL));
        assert_ok(sked_tree_commit(t.tree[i], SKED_TREE_COMMIT_STRICT, NULL));
        assert_ok(limits_commit(&t, (uint32_t)i + 1));
    }
    return t;
}

static inline void limits_end(limits_trees *t)
{
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) sked_tree_free(t->tree[i]);
}

static inline sked_status limits_submit(limits_trees *t, uint64_t key,
                                        sked_queue_id first,
                                        sked_queue_id second)
{
    sked_event event = {.kind = SKED_EVENT_JOB_SUBMIT,
                        .key = key,
                        .queue = t->leaf,
                        .time = t->f->now};
    const sked_event_charge charge = {first, second};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .charges = &charge};

    return sked_engine_apply(t->f->engine, &batch, NULL, &t->f->err);
}

/* An ask for any partition, of a job of its own. */
static inline void limits_ask(limits_trees *t, uint64_t key, int64_t count,
                              int64_t cpu, uint32_t flags)
{
    assert_ok(engine_say(t->f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = key,
                                      .owner = key,
                                      .count = count,
                                      .partition = SKED_ANY_PARTITION,
                                      .flags = flags,
                                      .amount = 1},
                         cpu, 0));
}

/* Tasks that a pass starts. */
static inline int64_t limits_pass(limits_trees *t)
{
    engine_fixture *f = t->f;
    int64_t n = 0;

    while (engine_taken(f) > 0) continue;
    assert_ok(sked_engine_pass(f->engine, f->now, 0, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    size_t said = engine_taken(f);
    for (size_t i = 0; i < said; i++) {
        if (f->last[i].kind == SKED_DECISION_ALLOCATE) n += f->last[i].count;
    }
    return n;
}

static inline int64_t limits_charged(const limits_trees *t, uint32_t which,
                                     sked_queue_id queue, int64_t *running)
{
    int64_t usage[2];

    assert_ok(
        sked_engine_limits_usage(t->f->engine, which, queue, usage, running));
    return usage[0];
}

/* What binds of a job; SKED_REASON_NONE: nothing. */
static inline sked_engine_bound limits_binds(const limits_trees *t,
                                             uint64_t job)
{
    sked_engine_bound bounds[64], none = {0};
    size_t n;

    assert_ok(sked_engine_explain_job(t->f->engine, job, bounds, 64, &n));
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].binds) return bounds[i];
    }
    return none;
}

#endif
