#ifndef TEST_TREE_PROGRAM_H
#define TEST_TREE_PROGRAM_H

/* Programs of edits on a tree and its twin, drawn at random. */
#include <sched/tree.h>

#include "host.h"
#include "test.h"
#include "words.h"

#include "tree/image.h"
#include "ref_tree.h"
#include "size.h"

typedef struct program {
    test_words words;
    sked_tree *tree;
    ref_tree twin;
    sked_queue_id known[4 * REF_QUEUES]; /* ids ever given out */
    size_t n_known;
    uint64_t version; /* that `weights` was read at, step by step */
    int64_t weights[REF_QUEUES];
} program;

static inline sked_queue_id some_id(program *p)
{
    ref_list *list = &p->twin.draft;

    switch (test_below(&p->words, 12)) {
    case 0: return p->known[test_below(&p->words, p->n_known)];
    case 1: return test_rough(&p->words);
    default: return list->queue[test_below(&p->words, list->n)].id;
    }
}

static inline const char *some_name(program *p)
{
    static const char *const names[] = {"a",  "b",    "c.d", "e\\",  "root",
                                        "f ", "\"g#", "h=i", "name", ""};

    return names[test_below(&p->words, 10)];
}

static inline int64_t some_amount(program *p)
{
    switch (test_below(&p->words, 8)) {
    case 0: return SKED_AMOUNT_MAX;
    case 1: return SKED_UNLIMITED;
    case 2: return (int64_t)test_rough(&p->words);
    case 3: return 0;
    default: return (int64_t)test_below(&p->words, 40);
    }
}

static inline int64_t some_value(program *p)
{
    switch (test_below(&p->words, 8)) {
    case 0: return SKED_UNLIMITED;
    case 1: return SKED_UNSET;
    case 2: return (int64_t)test_rough(&p->words);
    case 3: return (int64_t)test_below(&p->words, 11) * 100000;
    default: return (int64_t)test_below(&p->words, 3);
    }
}

/* Statuses agree; a failure changed nothing and explains itself. */
static inline int agreed(program *p, sked_status want, sked_status got,
                         uint64_t before, const sked_error *err)
{
    assert_status(want, got);
    if (got == SKED_OK) return 1;
    assert_int_equal(err->code, got);
    assert_true(sked_tree_digest(p->tree) == before);
    return 0;
}

static inline void op_add(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id parent = some_id(p), id = 0;
    const char *name = some_name(p);
    sked_error err;

    sked_status want = ref_add(&p->twin, parent, name);
    sked_status got = sked_tree_add(p->tree, parent, name, &id, &err);
    if (!agreed(p, want, got, before, &err)) return;
    for (size_t i = 0; i < p->n_known; i++) assert_true(p->known[i] != id);
    ref_added(&p->twin, id);
    p->known[p->n_known++ % (4 * REF_QUEUES)] = id;
    if (p->n_known == 4 * REF_QUEUES) p->n_known = REF_QUEUES;
}

static inline void op_move(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id queue = some_id(p), parent = some_id(p);
    sked_error err;

    sked_status want = ref_move(&p->twin, queue, parent);
    (void)agreed(p, want, sked_tree_move(p->tree, queue, parent, &err), before,
                 &err);
}

static inline void op_rename(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id queue = some_id(p);
    const char *name = some_name(p);
    sked_error err;

    sked_status want = ref_rename(&p->twin, queue, name);
    (void)agreed(p, want, sked_tree_rename(p->tree, queue, name, &err), before,
                 &err);
}

static inline void op_remove(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id queue = some_id(p);
    sked_error err;

    sked_status want = ref_remove(&p->twin, queue);
    (void)agreed(
        p, want,
        sked_tree_remove(p->tree, queue, NULL, SKED_TREE_REMOVE_REFUSE, &err),
        before, &err);
}

static inline void op_set(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    int32_t attribute = (int32_t)test_below(&p->words, REF_NUMBERS + 2);
    sked_queue_id queue = some_id(p);
    int64_t value = some_value(p);
    sked_error err;

    sked_status want = ref_set(&p->twin, queue, attribute, value);
    (void)agreed(p, want, sked_tree_set(p->tree, queue, attribute, value, &err),
                 before, &err);
}

static inline void op_set_vec(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    int32_t attribute = (int32_t)(SKED_QUEUE_GUARANTEE - 1 +
                                  (int)test_below(&p->words, 6));
    sked_queue_id queue = some_id(p);
    int64_t amounts[REF_KINDS];
    sked_error err;

    for (size_t k = 0; k < REF_KINDS; k++) amounts[k] = some_amount(p);
    const int64_t *given = test_below(&p->words, 6) ? amounts : NULL;
    sked_status want = ref_set_vec(&p->twin, queue, attribute, given);
    (void)agreed(p, want,
                 sked_tree_set_vec(p->tree, queue, attribute, given, &err),
                 before, &err);
}

static inline void op_texts(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id queue = some_id(p);
    size_t user = test_below(&p->words, REF_USERS);
    char name[] = {'u', (char)('0' + user), 0};
    const char *label = some_name(p);
    int64_t weight = some_value(p);
    sked_error err;

    if (test_below(&p->words, 2)) {
        sked_status want = ref_label(&p->twin, queue, label);
        (void)agreed(
            p, want,
            sked_tree_set_text(p->tree, queue, SKED_QUEUE_LABEL, label, &err),
            before, &err);
        return;
    }
    sked_status want = ref_user(&p->twin, queue, user, weight);
    (void)agreed(p, want,
                 sked_tree_set_user_weight(p->tree, queue, name, weight, &err),
                 before, &err);
}

static inline void op_confine(program *p)
{
    sked_queue_id root = sked_tree_root(p->tree);
    sked_queue_id id = test_below(&p->words, 3) ? root : some_id(p);
    sked_status want = ref_find(&p->twin.draft, id) ? SKED_OK : SKED_ERR_STALE;

    assert_status(want, sked_tree_confine(p->tree, id, NULL));
    if (want == SKED_OK) p->twin.confined = id;
}

/* Columns of one queue, set as columns: good ones as one by one. */
static inline void op_columns(program *p)
{
    uint64_t before = sked_tree_digest(p->tree);
    sked_queue_id ids[3] = {some_id(p), some_id(p), some_id(p)};
    int64_t values[3] = {some_value(p), some_value(p), some_value(p)};
    int32_t attribute = (int32_t)(1 + test_below(&p->words, REF_NUMBERS));
    static ref_tree held;
    sked_status want = SKED_OK;
    sked_error err;
    size_t i;

    held = p->twin;
    for (i = 0; i < 3 && want == SKED_OK; i++) {
        want = ref_set(&p->twin, ids[i], attribute, values[i]);
    }
    if (want != SKED_OK) p->twin = held;
    sked_status got = sked_tree_set_column(p->tree, attribute, ids, values, 3,
                                           &err);
    if (!agreed(p, want, got, before, &err)) {
        assert_i64(err.row, (int64_t)i - 1);
    }
}

#endif
