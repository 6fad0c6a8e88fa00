#ifndef TEST_ENGINE_PREDICATE_H
#define TEST_ENGINE_PREDICATE_H

/* An engine whose host has predicates of its own, and counts what it is
 * asked. */
#include "engine_gangs.h"

enum { PREDICATES = 32, JUDGED = 128, OWN_CODE = -1500 };

/* The term that asks the host for a predicate. */
#define HOST_SAYS(key_)                                                        \
    ((sked_rule_term){.op = SKED_RULE_OP_HOST, .key = (key_)})

typedef struct judging {
    int32_t answer[PREDICATES][JUDGED]; /* by node */
    size_t asked;
    size_t fail_at; /* 1: the next question is answered with `code` */
    sked_status code;
    void (*seen)(engine_fixture *f); /* called at each question */
    engine_fixture *f;
} judging;

static judging judged;

static inline sked_status judge_node(void *user, uint64_t predicate,
                                     uint64_t node, int32_t *answer)
{
    assert_ptr_equal(user, &judged.f->host);
    judged.asked++;
    if (judged.seen) judged.seen(judged.f);
    if (judged.fail_at && --judged.fail_at == 0) return judged.code;
    *answer = judged.answer[predicate][node];
    return SKED_OK;
}

/* Everything is allowed everywhere at first. */
static inline void begin_judged(engine_fixture *f,
                                const sked_engine_options *opts)
{
    sked_host host = test_host_hooks(&f->host);

    judged = (judging){.f = f};
    for (size_t p = 0; p < PREDICATES; p++) {
        for (size_t n = 0; n < JUDGED; n++) {
            judged.answer[p][n] = SKED_RULE_ANSWER_YES;
        }
    }
    host.judge = judge_node;
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, opts, &host, &f->engine, NULL));
}

/* A predicate is allowed on one node of nodes 1 to n alone. */
static inline void only_on(uint64_t predicate, uint64_t node, uint64_t n)
{
    for (uint64_t i = 1; i <= n; i++) {
        judged.answer[predicate][i] = i == node ? SKED_RULE_ANSWER_YES
                                                : SKED_RULE_ANSWER_NO;
    }
}

static inline sked_status go_by_host(engine_fixture *f, uint64_t ask,
                                     uint64_t predicate)
{
    return go_by(f, ask, &HOST_SAYS(predicate), 1);
}

/* So many questions were asked since this was called last. */
static inline void asked_since(size_t n)
{
    assert_int_equal(judged.asked, n);
    judged.asked = 0;
}

#endif
