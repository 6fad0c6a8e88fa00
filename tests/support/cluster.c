#include "cluster.h"

#include <sched/tree_text.h>

#include <stdlib.h>

#include "files.h"
#include "test.h"

sked_tree *test_tree_of(const char *path)
{
    sked_schema *schema = NULL;
    sked_tree *tree = NULL;
    sked_error err = {0};
    size_t length, n = 0;
    char *text = test_file(path, &length);

    assert_ok(sked_tree_parse_schema(text, length, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    sked_schema_free(schema);
    sked_status rc = sked_tree_parse(tree, text, length, path, NULL, 0, &n,
                                     &err);
    if (rc != SKED_OK) {
        fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.message);
    }
    assert_ok(sked_tree_faults(tree, NULL, 0, &n));
    assert_int_equal(n, 0);
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    free(text);
    return tree;
}

sked_queue_id test_queue(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(tree, path, &id, NULL));
    return id;
}

test_cluster test_cluster_of(sked_tree *tree, const int64_t *capacity,
                             const sked_share_options *options)
{
    test_cluster c = {.tree = tree, .capacity = capacity};

    assert_ok(sked_ledger_new(tree, NULL, NULL, &c.ledger, NULL));
    assert_ok(sked_share_new(options, NULL, &c.share, NULL));
    return c;
}

void test_cluster_free(test_cluster *c)
{
    sked_share_free(c->share);
    sked_ledger_free(c->ledger);
}

void test_cluster_set(test_cluster *c, int32_t column, const char *path,
                      const int64_t *amounts)
{
    sked_queue_id queue = test_queue(c->tree, path);

    assert_ok(sked_ledger_set(c->ledger, column, &queue, amounts, 1, NULL));
}

int64_t test_cluster_share(test_cluster *c, const char *path, size_t kind)
{
    int64_t amounts[SKED_MAX_KINDS];
    sked_queue_id queue = test_queue(c->tree, path);

    assert_ok(
        sked_share_update(c->share, c->tree, c->ledger, c->capacity, NULL));
    assert_ok(sked_share_get(c->share, queue, amounts, NULL));
    return amounts[kind];
}
