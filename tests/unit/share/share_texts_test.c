/* Texts of a tree cost shares nothing, also where a commit tidies them up. */
#include "test.h"

#include <sched/share.h>

#include <string.h>

enum { LABELS = 200, LABEL = 500 };

static void many_labels_cost_no_family(void **state)
{
    const int64_t capacity = 100;
    sked_share_stats before = {.struct_size = sizeof before}, after = before;
    char label[LABEL] = {0};
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_queue_id leaf;
    (void)state;

    assert_ok(sked_schema_parse("cpu", 3, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    assert_ok(sked_tree_add(tree, sked_tree_root(tree), "leaf", &leaf, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
    assert_ok(sked_share_new(NULL, NULL, &share, NULL));
    assert_ok(sked_share_update(share, tree, ledger, &capacity, NULL));
    assert_ok(sked_share_get_stats(share, &before));
    memset(label, 'x', LABEL - 1);
    for (int i = 0; i < LABELS; i++) {
        label[0] = (char)('a' + i % 26);
        assert_ok(
            sked_tree_set_text(tree, leaf, SKED_QUEUE_LABEL, label, NULL));
        assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
        assert_ok(sked_share_update(share, tree, ledger, &capacity, NULL));
        assert_string_equal(sked_tree_get_text(tree, leaf, SKED_QUEUE_LABEL),
                            label);
        assert_ok(sked_tree_check(tree, NULL));
    }
    assert_ok(sked_share_get_stats(share, &after));
    assert_i64((int64_t)after.families, (int64_t)before.families);
    assert_i64((int64_t)after.full, 1);
    sked_share_free(share);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    sked_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_labels_cost_no_family),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
