#ifndef TEST_ENGINE_PLAIN_H
#define TEST_ENGINE_PLAIN_H

/* An engine that preempts, made from the text of a tree, and told of one event
 * after the other. */

#include <sched/sked.h>

#include <string.h>

#include "engine_fixture.h"

typedef struct plain_engine {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    const int64_t *amounts; /* that events name */
    uint64_t n_amounts;
    sked_time now;
} plain_engine;

static inline void plain_begin(plain_engine *p, const char *kinds,
                               const char *text,
                               const sked_engine_preempt_options *how)
{
    sked_error err;

    assert_ok(sked_schema_parse(kinds, strlen(kinds), NULL, &p->schema, &err));
    assert_ok(sked_tree_new(p->schema, NULL, NULL, &p->tree, &err));
    assert_ok(sked_tree_parse(p->tree, text, strlen(text), NULL, NULL, 0, NULL,
                              &err));
    assert_ok(sked_tree_commit(p->tree, SKED_TREE_COMMIT_LENIENT, &err));
    assert_ok(sked_engine_new(p->tree, NULL, NULL, &p->engine, &err));
    assert_ok(sked_engine_preempt(p->engine, how, &err));
}

static inline void plain_end(plain_engine *p)
{
    assert_ok(sked_engine_check(p->engine, NULL));
    sked_engine_free(p->engine);
    sked_tree_free(p->tree);
    sked_schema_free(p->schema);
}

static inline void plain_say(plain_engine *p, sked_event event)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = p->amounts,
                               .n_amounts = p->n_amounts};

    event.time = p->now;
    assert_ok(sked_engine_apply(p->engine, &batch, NULL, NULL));
}

#endif
