#ifndef TEST_CLUSTER_H
#define TEST_CLUSTER_H

/*
 * A tree from a file, what its queues have and want, and their shares: enough
 * to say an example in a few lines. Queues go by their paths. Several clusters
 * may stand on one tree, as partitions do.
 */

#include <sched/share.h>

typedef struct test_cluster {
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    const int64_t *capacity; /* one amount a kind */
} test_cluster;

/* The tree in a file of the project, committed; it has no fault, nor anything
 * worth a warning. The caller frees it. */
sked_tree *test_tree_of(const char *path);

sked_queue_id test_queue(const sked_tree *tree, const char *path);

/* `options` may be NULL. */
test_cluster test_cluster_of(sked_tree *tree, const int64_t *capacity,
                             const sked_share_options *options);

/* Frees all but the tree. */
void test_cluster_free(test_cluster *c);

/* What a leaf wants (SKED_LEDGER_DEMAND) or has, one amount a kind. */
void test_cluster_set(test_cluster *c, int32_t column, const char *path,
                      const int64_t *amounts);

/* The share of a queue in one kind, brought up to date. */
int64_t test_cluster_share(test_cluster *c, const char *path, size_t kind);

#endif
