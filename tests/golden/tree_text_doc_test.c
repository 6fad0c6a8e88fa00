/*
 * docs/tree-text.md, block by block. A block of a tree is taken without a
 * fault, or has exactly those that the block of faults behind it tells.
 */
#include <sched/tree_text.h>

#include "files.h"
#include "forest.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char fence[] = "```";

/* The next block of that sort: its text, with a NUL for the closing fence, or
 * NULL. `*at` moves behind it. */
static char *next_block(char **at, const char *sort)
{
    char *from = strstr(*at, fence);

    if (!from || strncmp(from + 3, sort, strlen(sort)) != 0) return NULL;
    from = strchr(from, '\n') + 1;
    char *to = strstr(from, fence);
    assert_non_null(to);
    *to = 0;
    *at = to + 3;
    return from;
}

static void add_fault(char *said, const sked_tree *tree,
                      const sked_fault *fault)
{
    size_t n = strlen(said), length;

    assert_ok(sked_fault_format(tree, fault, said + n, 4096 - n, &length));
    memcpy(said + n + length, "\n", 2);
}

/* Every fault of reading the text, else of the draft that it makes. */
static void tell_faults(sked_tree *tree, const char *text, char *said)
{
    sked_fault faults[32];
    size_t n = 0;

    *said = 0;
    sked_status rc = sked_tree_parse(tree, text, strlen(text), "queues.txt",
                                     faults, 32, &n, NULL);
    if (rc == SKED_OK) assert_ok(sked_tree_faults(tree, faults, 32, &n));
    if (rc == SKED_OK) assert_ok(sked_tree_commit(tree, 0, NULL));
    for (size_t i = 0; i < n; i++) add_fault(said, tree, &faults[i]);
}

static void every_example_holds(void **state)
{
    size_t length, blocks = 0, refused = 0;
    char *doc = test_file("docs/tree-text.md", &length), *at = doc, *text;
    static char said[4096];
    (void)state;

    while ((text = next_block(&at, "tree\n"))) {
        sked_tree *tree = forest_tree(NULL, NULL);
        char *want = strncmp(at, "\n```faults\n", 11) == 0
                         ? next_block(&at, "faults\n")
                         : NULL;
        tell_faults(tree, text, said);
        if (strcmp(said, want ? want : "") != 0) {
            fail_msg("%s\nhas the faults\n%s", text, said);
        }
        blocks++;
        refused += want != NULL;
        sked_tree_free(tree);
    }
    assert_null(strstr(at, fence)); /* no block was passed over */
    assert_in_range(refused, 3, blocks - 10);
    free(doc);
}

static void every_key_has_an_example(void **state)
{
    static const char *const keys[] = {
        "weight",
        "order",
        "fair_kind",
        "apps",
        "max_running",
        "user_limit",
        "user_weight.alice",
        "user_factor",
        "start_rate",
        "priority",
        "tier",
        "preempt_from",
        "preempt_min_timeout",
        "preempt_fair_timeout",
        "preempt_fair_threshold",
        "am_share",
        "guarantee",
        "limit",
        "borrow",
        "lend",
        "label",
        "state",
    };
    size_t length;
    char *doc = test_file("docs/tree-text.md", &length);
    const char *part = strstr(doc, "## Keys");
    (void)state;

    assert_non_null(part);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char said[40] = " ";
        strcat(strcat(said, keys[i]), "=");
        if (!strstr(part, said)) fail_msg("no example of %s", keys[i]);
    }
    free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_holds),
        cmocka_unit_test(every_key_has_an_example),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
