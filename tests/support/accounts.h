#ifndef TEST_ACCOUNTS_H
#define TEST_ACCOUNTS_H

/* A flat tree of limits, each of which holds a few tasks. */

#include <sched/engine_limits.h>

#include "test.h"
#include "words.h"

enum { ACCOUNTS = 4, ACCOUNT_KINDS = 3 };

typedef struct test_accounts {
    sked_tree *tree; /* NULL: there is none */
    uint32_t kinds;
    sked_queue_id id[ACCOUNTS];
    int64_t most[ACCOUNTS][ACCOUNT_KINDS];
} test_accounts;

/* Makes one, limit tree 2 of an engine. */
static inline void accounts_plant(test_accounts *a, const sked_schema *schema,
                                  uint32_t kinds, test_words *words,
                                  sked_engine *engine)
{
    char name[2] = {'a', 0};

    a->kinds = kinds;
    assert_ok(sked_tree_new(schema, NULL, NULL, &a->tree, NULL));
    for (size_t i = 0; i < ACCOUNTS; i++, name[0]++) {
        assert_ok(sked_tree_add(a->tree, sked_tree_root(a->tree), name,
                                &a->id[i], NULL));
        for (uint32_t k = 0; k < kinds; k++) {
            a->most[i][k] = test_below(words, 3)
                                ? 3 + (int64_t)test_below(words, 31)
                                : SKED_UNLIMITED;
        }
        assert_ok(sked_tree_set_vec(a->tree, a->id[i], SKED_QUEUE_LIMIT,
                                    a->most[i], NULL));
    }
    assert_ok(sked_tree_commit(a->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_engine_commit_limits(engine, 2, a->tree, 0, NULL));
}

/* Does an account (from 1; 0: none) hold a task beside all that is charged? */
static inline int accounts_hold(const test_accounts *a,
                                const sked_engine *engine, uint32_t account,
                                const int64_t *task)
{
    int64_t used[ACCOUNT_KINDS];
    int holds = 1;

    if (account-- == 0) return 1;
    assert_ok(sked_engine_limits_usage(engine, 2, a->id[account], used, NULL));
    for (uint32_t k = 0; k < a->kinds; k++) {
        holds &= task[k] == 0 || used[k] + task[k] <= a->most[account][k];
    }
    return holds;
}

#endif
