/* What readers of a tree reserve for so many queues is enough, however often
 * texts with other queues are read between two commits. */
#include "test.h"

#include <sched/order.h>
#include <sched/share.h>
#include <sched/tree_text.h>

#include <string.h>

#include "host.h"

enum { QUEUES = 20, TEXTS = 5 };

/* A ledger, an order and shares that may ask for no more memory. */
typedef struct readers {
    test_host host;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_order *order;
    sked_share *share;
} readers;

/* Reads a text with a root and other queues for each letter. */
static void read_queues(sked_tree *tree, char letter)
{
    static const char line[] = "root.a00\n";
    char text[sizeof line * QUEUES] = "root order=random\n";
    size_t n = strlen(text);

    for (int i = 1; i < QUEUES; i++) {
        memcpy(text + n, line, sizeof line);
        text[n + 5] = letter;
        text[n + 6] = (char)('0' + i / 10);
        text[n + 7] = (char)('0' + i % 10);
        n += sizeof line - 1;
    }
    assert_ok(sked_tree_parse(tree, text, n, NULL, NULL, 0, NULL, NULL));
}

static int open_readers(void **state)
{
    static readers r;
    sked_schema *schema;

    r = (readers){0};
    sked_host hooks = test_host_hooks(&r.host);
    hooks.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_schema_parse("cpu", 3, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &r.tree, NULL));
    sked_schema_free(schema);
    read_queues(r.tree, 'a');
    assert_ok(sked_tree_commit(r.tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_new(r.tree, NULL, &hooks, &r.ledger, NULL));
    assert_ok(sked_ledger_reserve(r.ledger, QUEUES, NULL));
    assert_ok(sked_order_new(NULL, &hooks, &r.order, NULL));
    assert_ok(sked_order_reserve(r.order, QUEUES, NULL));
    assert_ok(sked_share_new(NULL, &hooks, &r.share, NULL));
    assert_ok(sked_share_reserve(r.share, QUEUES, 1, NULL));
    *state = &r;
    return 0;
}

static int close_readers(void **state)
{
    readers *r = *state;

    sked_share_free(r->share);
    sked_order_free(r->order);
    sked_ledger_free(r->ledger);
    sked_tree_free(r->tree);
    return r->host.live == 0 ? 0 : -1;
}

/* All three look at the last commit. */
static void look(readers *r)
{
    const int64_t capacity = 100;
    const sked_order_input in = {.struct_size = sizeof in,
                                 .tree = r->tree,
                                 .ledger = r->ledger,
                                 .capacity = &capacity};
    sked_queue_id ids[QUEUES];
    size_t n;

    assert_ok(sked_ledger_follow(r->ledger, r->tree, NULL));
    assert_ok(sked_share_update(r->share, r->tree, r->ledger, &capacity, NULL));
    assert_ok(sked_order_list(r->order, &in, sked_tree_root(r->tree), ids,
                              QUEUES, &n, NULL));
}

static void texts_between_commits_take_no_memory(void **state)
{
    readers *r = *state;

    for (int texts = 1; texts <= TEXTS; texts++) {
        for (int i = 0; i < texts; i++) read_queues(r->tree, (char)('b' + i));
        assert_ok(sked_tree_commit(r->tree, SKED_TREE_COMMIT_STRICT, NULL));
        r->host.trap = 1;
        look(r);
        r->host.trap = 0;
        read_queues(r->tree, 'a');
        assert_ok(sked_tree_commit(r->tree, SKED_TREE_COMMIT_STRICT, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_between_commits_take_no_memory,
                                        open_readers, close_readers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
