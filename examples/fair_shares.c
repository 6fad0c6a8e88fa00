/* A queue tree in text, the demand of the leaves, and the fair share of each
 * queue with the bound that limits the share. */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static const char text[] = "kinds cpu=m memory=B\n"
                           "root\n"
                           "root.ads      weight=3 guarantee=\"cpu=20\"\n"
                           "root.ads.web  weight=2\n"
                           "root.ads.etl  weight=1 limit=\"cpu=12\"\n"
                           "root.ml       weight=1 guarantee=\"cpu=10\"\n";

/* In milli-cores and bytes. */
static const struct {
    const char *path;
    int64_t amounts[2];
} wants[] = {
    {"root.ads.web", {15000, 1000}},
    {"root.ads.etl", {40000, 9000}},
    {"root.ml", {90000, 4000}},
};

/* By SKED_BOUND_*. */
static const char *const words[] = {
    "its part", "guarantee", "limit",       "demand", "weight 0",
    "total",    "borrow",    "kept for it", "idle",   "its children",
};

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

static void say_wants(const sked_tree *tree, sked_ledger *ledger)
{
    sked_error err = {.message = ""};
    sked_queue_id queue;

    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        must(sked_tree_find(tree, wants[i].path, &queue, &err), &err);
        must(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, &queue,
                             wants[i].amounts, 1, &err),
             &err);
    }
}

static void print_shares(const sked_tree *tree, const sked_ledger *ledger,
                         const sked_share *share)
{
    sked_error err = {.message = ""};
    sked_queue_id ids[MOST];
    int64_t amounts[2];
    uint8_t bounds[MOST];
    char path[64];
    size_t n, length;

    must(sked_tree_ids(tree, ids, MOST, &n), &err);
    must(sked_share_bounds(share, tree, ledger, 0, bounds, MOST, &n, NULL),
         &err);
    printf("%-14s %10s %8s  %s\n", "queue", "cpu (m)", "memory", "bound");
    for (size_t i = 0; i < n; i++) {
        must(sked_tree_path(tree, ids[i], path, sizeof path, &length), &err);
        must(sked_share_get(share, ids[i], amounts, NULL), &err);
        printf("%-14s %10lld %8lld  %s\n", path, (long long)amounts[0],
               (long long)amounts[1], words[bounds[i]]);
    }
}

int main(void)
{
    const int64_t capacity[] = {100000, 12000};
    sked_error err = {.message = ""};
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;

    must(sked_tree_parse_schema(text, strlen(text), NULL, &schema, &err), &err);
    must(sked_tree_new(schema, NULL, NULL, &tree, &err), &err);
    must(sked_tree_parse(tree, text, strlen(text), NULL, NULL, 0, NULL, &err),
         &err);
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, &err), &err);
    must(sked_ledger_new(tree, NULL, NULL, &ledger, &err), &err);
    say_wants(tree, ledger);
    must(sked_share_new(NULL, NULL, &share, &err), &err);
    must(sked_share_compute(share, tree, ledger, capacity, &err), &err);
    print_shares(tree, ledger, share);
    sked_share_free(share);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
