/*
 * Any sequence of edits leaves a sound tree. The bytes are a program of edits,
 * commits, discards and copies. Whatever it is: every invariant holds after
 * every op, a failure explains itself and changes nothing, a strict commit
 * refuses exactly the drafts with an error, a discard undoes exactly what came
 * since the commit, and a copy is equal.
 */
#include <sched/ledger.h>
#include <sched/sked.h>
#include <sched/tree_text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 2, MAX_QUEUES = 48, FAULTS = 4096 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_tree.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct machine {
    fuzz_input in;
    sked_tree *tree;
    sked_queue_id ids[MAX_QUEUES]; /* given out; some of them stale */
    uint64_t committed;            /* digest after the last commit */
} machine;

static sked_queue_id pick(machine *m)
{
    return m->ids[fuzz_u64(&m->in, 1) % MAX_QUEUES];
}

/* One to three bytes, dots and backslashes among them. */
static const char *name(machine *m, char *text)
{
    static const char letters[] = "ab.\\ \"#=";
    uint64_t x = fuzz_u64(&m->in, 2);

    for (int i = 0; i < 3; i++, x >>= 4) {
        text[i] = letters[x & 7];
        if (x & 8) text[i] = 0;
    }
    text[3] = 0;
    return text;
}

static int64_t number(machine *m)
{
    uint64_t shape = fuzz_u64(&m->in, 1);

    switch (shape & 7) {
    case 0: return SKED_UNSET;
    case 1: return SKED_UNLIMITED;
    case 2: return (int64_t)fuzz_u64(&m->in, 8);
    case 3: return (int64_t)(shape >> 3) * 50000;
    default: return (int64_t)(shape >> 3);
    }
}

static sked_status op_add(machine *m, sked_error *err)
{
    size_t at = (size_t)fuzz_u64(&m->in, 1) % MAX_QUEUES;
    sked_queue_id parent = pick(m);
    char text[4];

    return sked_tree_add(m->tree, parent, name(m, text), &m->ids[at], err);
}

static sked_status op_move(machine *m, sked_error *err)
{
    sked_queue_id queue = pick(m);

    return sked_tree_move(m->tree, queue, pick(m), err);
}

static sked_status op_rename(machine *m, sked_error *err)
{
    sked_queue_id queue = pick(m);
    char text[4];

    return sked_tree_rename(m->tree, queue, name(m, text), err);
}

static sked_status op_remove(machine *m, sked_error *err)
{
    return sked_tree_remove(m->tree, pick(m), NULL, SKED_TREE_REMOVE_DRAIN,
                            err);
}

static sked_status op_set(machine *m, sked_error *err)
{
    int32_t attribute = (int32_t)(fuzz_u64(&m->in, 1) % 20);
    sked_queue_id queue = pick(m);

    return sked_tree_set(m->tree, queue, attribute, number(m), err);
}

static sked_status op_set_vec(machine *m, sked_error *err)
{
    int32_t attribute = 31 + (int32_t)(fuzz_u64(&m->in, 1) % 6);
    sked_queue_id queue = pick(m);
    int64_t amounts[KINDS];

    for (int k = 0; k < KINDS; k++) amounts[k] = number(m);
    return sked_tree_set_vec(m->tree, queue, attribute, amounts, err);
}

static sked_status op_text(machine *m, sked_error *err)
{
    sked_queue_id queue = pick(m);
    char text[4];

    return sked_tree_set_text(m->tree, queue, SKED_QUEUE_LABEL, name(m, text),
                              err);
}

static sked_status op_user(machine *m, sked_error *err)
{
    sked_queue_id queue = pick(m);
    char text[4];

    (void)name(m, text);
    return sked_tree_set_user_weight(m->tree, queue, text, number(m), err);
}

static sked_status op_confine(machine *m, sked_error *err)
{
    sked_queue_id queue = fuzz_u64(&m->in, 1) & 1 ? pick(m) : m->ids[0];

    return sked_tree_confine(m->tree, queue, err);
}

static int errors_of(const sked_tree *tree)
{
    static sked_fault faults[FAULTS];
    size_t n;
    int errors = 0;

    MUST(sked_tree_faults(tree, faults, FAULTS, &n) == SKED_OK);
    for (size_t i = 0; i < n && i < FAULTS; i++) {
        errors += faults[i].severity == SKED_SEVERITY_ERROR;
    }
    return errors;
}

static sked_status op_commit(machine *m, sked_error *err)
{
    int32_t mode = fuzz_u64(&m->in, 1) & 1;
    int errors = errors_of(m->tree);
    sked_status rc = sked_tree_commit(m->tree, mode, err);

    MUST((rc == SKED_ERR_INVALID) == (mode && errors));
    if (rc == SKED_OK) m->committed = sked_tree_digest(m->tree);
    return rc;
}

static sked_status op_discard(machine *m, sked_error *err)
{
    (void)err;
    MUST(sked_tree_discard(m->tree, NULL) == SKED_OK);
    MUST(sked_tree_digest(m->tree) == m->committed);
    return SKED_OK;
}

static sked_status op_copy(machine *m, sked_error *err)
{
    sked_tree *copy;
    sked_status rc = sked_tree_copy(m->tree, NULL, &copy, err);

    if (rc != SKED_OK) return rc;
    MUST(sked_tree_digest(copy) == sked_tree_digest(m->tree));
    sked_tree_free(m->tree);
    m->tree = copy;
    return SKED_OK;
}

/* Every committed path leads back to its queue. */
static void check_paths(const sked_tree *tree)
{
    sked_queue_id ids[MAX_QUEUES], found;
    char path[512];
    size_t n, length;

    MUST(sked_tree_ids(tree, ids, MAX_QUEUES, &n) == SKED_OK);
    for (size_t i = 0; i < n; i++) {
        MUST(sked_tree_path(tree, ids[i], path, sizeof path, &length) ==
             SKED_OK);
        MUST(strlen(path) == length);
        MUST(sked_tree_find(tree, path, &found, NULL) == SKED_OK);
        MUST(found == ids[i]);
    }
}

typedef sked_status (*op_fn)(machine *m, sked_error *err);

static void step(machine *m)
{
    static const op_fn ops[] = {op_add,    op_add,  op_move,    op_rename,
                                op_remove, op_set,  op_set_vec, op_text,
                                op_user,   op_set,  op_confine, op_commit,
                                op_commit, op_copy, op_discard, op_add};
    uint64_t before = sked_tree_digest(m->tree);
    sked_error err = {.code = SKED_OK};
    sked_status rc = ops[fuzz_u64(&m->in, 1) & 15](m, &err);

    MUST(rc == err.code);
    MUST(rc == SKED_OK || sked_tree_digest(m->tree) == before);
    MUST(sked_tree_check(m->tree, NULL) == SKED_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[KINDS] = {"cpu", "memory"};
    machine m = {.in = {data, data + size}};
    sked_schema *schema;
    sked_tree_options opts = {
        .struct_size = sizeof opts,
        .max_depth = 2 + (uint32_t)(fuzz_u64(&m.in, 1) & 7),
        .max_queues = MAX_QUEUES,
    };

    MUST(sked_schema_new(kinds, NULL, KINDS, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, &opts, NULL, &m.tree, NULL) == SKED_OK);
    for (int i = 0; i < MAX_QUEUES; i++) m.ids[i] = sked_tree_root(m.tree);
    m.committed = sked_tree_digest(m.tree);

    while (fuzz_more(&m.in)) step(&m);
    check_paths(m.tree);
    sked_tree_free(m.tree);
    sked_schema_free(schema);
    return 0;
}
