/* Shares that are brought up to date over a tree and its copies, and over a
 * ledger and its copies: those of the copy that is given. */
#include "test.h"

#include <sched/share.h>

enum { COPY_KINDS = 3 };

/* A root with the leaves x and y, which want half of all. */
typedef struct copies {
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share; /* brought up to date, call after call */
    sked_share *anew;  /* computed anew */
    sked_queue_id x, y;
} copies;

static const int64_t all_there_is[COPY_KINDS] = {100, 100, 100};

static int open_copies(void **state)
{
    static const char *const names[COPY_KINDS] = {"cpu", "memory", "gpu"};
    static copies c;
    sked_schema *schema;

    assert_ok(sked_schema_new(names, NULL, COPY_KINDS, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &c.tree, NULL));
    sked_schema_free(schema);
    sked_queue_id root = sked_tree_root(c.tree);
    assert_ok(sked_tree_add(c.tree, root, "x", &c.x, NULL));
    assert_ok(sked_tree_add(c.tree, root, "y", &c.y, NULL));
    assert_ok(sked_tree_commit(c.tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_new(c.tree, NULL, NULL, &c.ledger, NULL));
    assert_ok(sked_share_new(NULL, NULL, &c.share, NULL));
    assert_ok(sked_share_new(NULL, NULL, &c.anew, NULL));
    *state = &c;
    return 0;
}

static int close_copies(void **state)
{
    copies *c = *state;

    sked_share_free(c->share);
    sked_share_free(c->anew);
    sked_ledger_free(c->ledger);
    sked_tree_free(c->tree);
    return 0;
}

/* What is brought up to date is what is computed anew. */
static void same_as_anew(copies *c, const sked_tree *tree,
                         const sked_ledger *ledger)
{
    int64_t followed[COPY_KINDS], computed[COPY_KINDS];

    assert_ok(sked_share_update(c->share, tree, ledger, all_there_is, NULL));
    assert_ok(sked_share_compute(c->anew, tree, ledger, all_there_is, NULL));
    assert_ok(sked_share_get(c->share, c->x, followed, NULL));
    assert_ok(sked_share_get(c->anew, c->x, computed, NULL));
    for (int k = 0; k < COPY_KINDS; k++) assert_i64(followed[k], computed[k]);
}

static void limit_x(copies *c, sked_tree *tree, int64_t cpu, int64_t memory)
{
    const int64_t limit[COPY_KINDS] = {cpu, memory, 50};

    assert_ok(sked_tree_set_vec(tree, c->x, SKED_QUEUE_LIMIT, limit, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
}

static void copies_of_a_tree_with_other_amounts_are_told_apart(void **state)
{
    copies *c = *state;
    const int64_t half[COPY_KINDS] = {50, 50, 50};
    sked_tree *copy;

    limit_x(c, c->tree, 2, 7);
    assert_ok(sked_tree_copy(c->tree, NULL, &copy, NULL));
    limit_x(c, c->tree, 3, 7); /* 3 of kind 0 */
    limit_x(c, copy, 2, 2);    /* 2 of kind 1 */
    assert_ok(
        sked_ledger_set(c->ledger, SKED_LEDGER_DEMAND, &c->x, half, 1, NULL));
    same_as_anew(c, c->tree, c->ledger);
    same_as_anew(c, copy, c->ledger);
    same_as_anew(c, c->tree, c->ledger);
    sked_tree_free(copy);
}

/* 7 used of kind 0 here, 4 wanted of it there. */
static void copies_of_a_ledger_with_another_change_are_told_apart(void **state)
{
    copies *c = *state;
    const int64_t used[COPY_KINDS] = {7, 0, 0}, wanted[COPY_KINDS] = {4, 0, 0};
    sked_ledger *copy;

    assert_ok(sked_ledger_copy(c->ledger, NULL, &copy, NULL));
    assert_ok(
        sked_ledger_add(c->ledger, SKED_LEDGER_USAGE, &c->x, used, 1, NULL));
    assert_ok(
        sked_ledger_add(copy, SKED_LEDGER_DEMAND, &c->x, wanted, 1, NULL));
    same_as_anew(c, c->tree, c->ledger);
    same_as_anew(c, c->tree, copy);
    same_as_anew(c, c->tree, c->ledger);
    sked_ledger_free(copy);
}

/* The same numbers, as usage of kind 2 here and as demand of kind 1 there. */
static void copies_of_a_ledger_with_another_column_are_told_apart(void **state)
{
    copies *c = *state;
    const int64_t by_row[] = {0, 9, 0};
    sked_ledger *copy;

    assert_ok(sked_ledger_copy(c->ledger, NULL, &copy, NULL));
    assert_ok(
        sked_ledger_put(c->ledger, SKED_LEDGER_USAGE, 2, by_row, 3, NULL));
    assert_ok(sked_ledger_put(copy, SKED_LEDGER_DEMAND, 1, by_row, 3, NULL));
    same_as_anew(c, c->tree, c->ledger);
    same_as_anew(c, c->tree, copy);
    same_as_anew(c, c->tree, c->ledger);
    sked_ledger_free(copy);
}

#define WITH_COPIES(test)                                                      \
    cmocka_unit_test_setup_teardown(test, open_copies, close_copies)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_COPIES(copies_of_a_tree_with_other_amounts_are_told_apart),
        WITH_COPIES(copies_of_a_ledger_with_another_change_are_told_apart),
        WITH_COPIES(copies_of_a_ledger_with_another_column_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
