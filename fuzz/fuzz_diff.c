/*
 * Two trees made by a program of edits, the second from a copy of the first
 * where the program says so. The diff leads from one to the other and back; a
 * diff applied to a third tree is applied as a whole or not at all.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { QUEUES = 40, EDITS = 60 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_diff.c:%d: %s does not hold\n", line, what);
    abort();
}

static sked_queue_id pick(const sked_tree *tree, fuzz_input *in)
{
    sked_queue_id ids[QUEUES];
    size_t n;

    MUST(sked_tree_ids(tree, ids, QUEUES, &n) == SKED_OK);
    return ids[fuzz_u64(in, 1) % n];
}

static void commit(sked_tree *tree)
{
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_check(tree, NULL) == SKED_OK);
}

/* One edit, whose refusal is as good as its success. */
static void edit(sked_tree *tree, fuzz_input *in)
{
    sked_queue_id q = pick(tree, in);
    uint64_t what = fuzz_u64(in, 1);
    char name[2] = {(char)('a' + what / 8 % 4), 0};
    sked_status rc;

    switch (what % 8) {
    case 0:
    case 1: rc = sked_tree_add(tree, q, name, NULL, NULL); break;
    case 2: rc = sked_tree_move(tree, q, pick(tree, in), NULL); break;
    case 3: rc = sked_tree_rename(tree, q, name, NULL); break;
    case 4:
        rc = sked_tree_remove(tree, q, NULL, SKED_TREE_REMOVE_REFUSE, NULL);
        break;
    case 5:
        rc = sked_tree_set_user_weight(tree, q, name,
                                       (int64_t)fuzz_u64(in, 1) % 3, NULL);
        break;
    default:
        rc = sked_tree_set(tree, q, (int32_t)(what / 8 % 16) + 1,
                           (int64_t)fuzz_u64(in, 2), NULL);
    }
    MUST(rc != SKED_ERR_INTERNAL);
}

/* Edits until the program commits; the tree stays small. */
static void edit_on(sked_tree *tree, fuzz_input *in)
{
    for (int i = 0; i < EDITS && fuzz_u64(in, 1) % 8 != 7; i++) {
        edit(tree, in);
        if (fuzz_u64(in, 1) % 4 == 0) commit(tree);
    }
    commit(tree);
}

static sked_tree *copy_of(const sked_tree *tree)
{
    sked_tree *copy;

    MUST(sked_tree_copy(tree, NULL, &copy, NULL) == SKED_OK);
    return copy;
}

static char *written(const sked_tree *tree)
{
    size_t n;

    MUST(sked_tree_format(tree, NULL, 0, &n) == SKED_ERR_RANGE);
    char *text = malloc(n + 1);
    MUST(text && sked_tree_format(tree, text, n + 1, &n) == SKED_OK);
    return text;
}

static int says_the_same(const sked_tree *a, const sked_tree *b)
{
    char *text = written(a), *other = written(b);
    int same = strcmp(text, other) == 0;

    free(text);
    free(other);
    return same;
}

static void check_pair(const sked_tree *from, const sked_tree *to,
                       const sked_tree *third)
{
    sked_tree *got = copy_of(from), *other = copy_of(third);
    sked_diff *diff, *rest;

    MUST(sked_diff_new(from, to, NULL, &diff, NULL) == SKED_OK);
    MUST(sked_diff_apply(diff, got, NULL, NULL) == SKED_OK);
    commit(got);
    MUST(says_the_same(got, to));
    /* The same edit in two copies gives the same id, so even now a queue may
     * be another's twin. Then the way is longer, but leads there as well. */
    MUST(sked_diff_new(got, to, NULL, &rest, NULL) == SKED_OK);
    MUST(sked_diff_apply(rest, got, NULL, NULL) == SKED_OK);
    commit(got);
    MUST(says_the_same(got, to));

    uint64_t before = sked_tree_digest(other);
    if (sked_diff_apply(diff, other, NULL, NULL) != SKED_OK) {
        MUST(sked_tree_digest(other) == before);
    }
    commit(other);
    sked_diff_free(rest);
    sked_diff_free(diff);
    sked_tree_free(got);
    sked_tree_free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"cpu", "memory"};
    fuzz_input in = {data, data + size};
    sked_schema *schema;
    sked_tree_options opts = {.struct_size = sizeof opts,
                              .max_depth = 4 + (uint32_t)fuzz_u64(&in, 1) % 4,
                              .max_queues = QUEUES};
    sked_tree *a, *b, *c;

    MUST(sked_schema_new(names, NULL, 2, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, &opts, NULL, &a, NULL) == SKED_OK);
    edit_on(a, &in);
    if (fuzz_u64(&in, 1) % 4 == 0) {
        MUST(sked_tree_new(schema, &opts, NULL, &b, NULL) == SKED_OK);
    } else {
        b = copy_of(a);
    }
    edit_on(b, &in);
    c = copy_of(a);
    edit_on(c, &in);
    check_pair(a, b, c);
    check_pair(b, c, a);
    sked_tree_free(a);
    sked_tree_free(b);
    sked_tree_free(c);
    sked_schema_free(schema);
    return 0;
}
