/*
 * Any bytes as the text of a tree. A text that is refused changes nothing and
 * has its faults inside it, each of which can be told; one that is taken is
 * written as a text that reads back as the same tree, ids included, and is
 * written as the same bytes; and another tree that reads it says the same.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS = 8, KINDS = 3 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_tree_text.c:%d: %s does not hold\n", line, what);
    abort();
}

static sked_tree *tree_over(const sked_schema *schema)
{
    sked_tree *tree;

    MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    return tree;
}

static char *written(const sked_tree *tree, size_t *n)
{
    MUST(sked_tree_format(tree, NULL, 0, n) == SKED_ERR_RANGE);
    char *text = malloc(*n + 1);
    MUST(text && sked_tree_format(tree, text, *n + 1, n) == SKED_OK);
    MUST(strlen(text) == *n);
    return text;
}

/* Is there such a place in the text, or right behind one of its lines? */
static int is_inside(const char *text, size_t n, const sked_fault *fault)
{
    size_t at = 0, end;

    for (uint32_t line = 1; line < fault->line; line++) {
        const char *feed = memchr(text + at, '\n', n - at);
        if (!feed) return 0;
        at = (size_t)(feed - text) + 1;
    }
    const char *feed = memchr(text + at, '\n', n - at);
    end = feed ? (size_t)(feed - text) : n;
    return fault->column >= 1 && fault->column <= end - at + 1;
}

static void check_refusal(const sked_tree *tree, const char *text, size_t size,
                          const sked_fault *faults, size_t n)
{
    char said[512];
    size_t length;

    MUST(n > 0);
    for (size_t i = 0; i < n && i < FAULTS; i++) {
        MUST(is_inside(text, size, &faults[i]));
        MUST(sked_fault_format(tree, &faults[i], said, sizeof said, &length) !=
             SKED_ERR_ARG);
        MUST(length > 0);
    }
}

/* The draft is committed whatever faults it has, and written again. */
static void check_taken(sked_tree *tree, const sked_schema *schema)
{
    size_t n, m;

    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_check(tree, NULL) == SKED_OK);
    uint64_t digest = sked_tree_digest(tree);
    char *text = written(tree, &n);
    MUST(sked_tree_parse(tree, text, n, NULL, NULL, 0, NULL, NULL) == SKED_OK);
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_digest(tree) == digest);

    sked_tree *other = tree_over(schema);
    MUST(sked_tree_parse(other, text, n, NULL, NULL, 0, NULL, NULL) == SKED_OK);
    MUST(sked_tree_commit(other, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_check(other, NULL) == SKED_OK);
    char *again = written(other, &m);
    MUST(n == m && memcmp(text, again, n) == 0);
    free(text);
    free(again);
    sked_tree_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char start[] = "root.a weight=2\nroot.b label=x\nroot.a.c\n";
    static const char *const names[KINDS] = {"cpu", "memory", "gpu"};
    static const char *const units[KINDS] = {"m", "B", "1"};
    const char *text = (const char *)data;
    sked_schema *schema = NULL, *own = NULL;
    sked_fault faults[FAULTS];
    sked_error err = {.code = SKED_OK};
    size_t n = 0;

    if (sked_tree_parse_schema(text, size, NULL, &own, NULL) == SKED_OK) {
        schema = own;
    } else {
        MUST(sked_schema_new(names, units, KINDS, NULL, &schema, NULL) ==
             SKED_OK);
    }
    sked_tree *tree = tree_over(schema);
    MUST(sked_tree_parse(tree, start, sizeof start - 1, "first", NULL, 0, NULL,
                         NULL) == SKED_OK);
    uint64_t before = sked_tree_digest(tree);
    sked_status rc = sked_tree_parse(tree, text, size, "second", faults, FAULTS,
                                     &n, &err);
    MUST(rc == err.code);
    if (rc == SKED_OK) {
        check_taken(tree, schema);
    } else {
        MUST(sked_tree_digest(tree) == before);
        if (rc == SKED_ERR_SYNTAX) check_refusal(tree, text, size, faults, n);
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
