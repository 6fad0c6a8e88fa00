#ifndef SKED_DIFF_H
#define SKED_DIFF_H

/*
 * What changes between two trees, as data: to review, to print, to apply in
 * one edit. [MON-6]
 */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_diff sked_diff;

enum sked_diff_op {
    SKED_DIFF_ADD = 1,    /* `path` appears; its attributes follow as SETs */
    SKED_DIFF_REMOVE = 2, /* `path` goes, with all below it */
    /* `path` becomes `after`: below another parent, where it is the last, or
     * under another name in its place. When both are the same it moves to be
     * the last of its siblings. */
    SKED_DIFF_MOVE = 3,
    SKED_DIFF_SET = 4 /* attribute `key` of `path`: `before` to `after` */
};

/* One change. Texts are borrowed from the diff and never NULL; values are in
 * the text form but for quotes and escapes, "" for a default. Paths are those
 * that hold when the turn of the change comes. */
typedef struct sked_diff_change {
    uint32_t struct_size;
    int32_t op; /* enum sked_diff_op */
    const char *path;
    const char *key;
    const char *before;
    const char *after;
} sked_diff_change;

/*
 * Lists what turns the last commit of `from` into that of `to`. Queues are the
 * same when one history made them: one tree was copied from the other, or both
 * from a third, since when neither removed them. What is left is the same when
 * paths agree, whatever the ids are; only a copy lets a move be seen as one.
 *
 * In an order in which they can be applied one by one: moves, additions,
 * attributes, removals. Moves that need an addition come after it; a queue
 * whose name is needed before it goes, goes then, or first steps aside under
 * the name with `~1` behind it (or the next free number), as one of two that
 * swap their names does.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED, SKED_ERR_SCHEMA or a code of the host's own. The caller
 * owns `*diff`, which is NULL on failure. Cost: O(queues kinds).
 */
SKED_TRY sked_status sked_diff_new(const sked_tree *from, const sked_tree *to,
                                   const sked_host *host, sked_diff **diff,
                                   sked_error *err);

/* Frees the diff. NULL is allowed. */
SKED_API void sked_diff_free(sked_diff *diff);

/* Changes in it; 0: the trees say the same. */
SKED_API size_t sked_diff_count(const sked_diff *diff);

/*
 * Fills `change` (its struct_size set by the caller) with the i-th change.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no i-th change) or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_diff_get(const sked_diff *diff, size_t i,
                                   sked_diff_change *change);

/*
 * Writes the diff, one change a line: "+ path", "- path", "> path to", "~ path
 * key: before -> after", where `default` stands for no value. At most `cap`
 * bytes with a NUL; `*n` (may be NULL) is the length it needs without it.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small).
 */
SKED_TRY sked_status sked_diff_format(const sked_diff *diff, char *text,
                                      size_t cap, size_t *n);

/*
 * Applies the diff to the draft of `tree`, all of it or nothing. Each change
 * must find what it says it changes: the path, and the value before. Limits of
 * depth and number need only hold in the end.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS, SKED_ERR_NOT_FOUND (a path that is not there),
 * SKED_ERR_CANCELLED, SKED_ERR_SCHEMA, SKED_ERR_STATE (another value before;
 * busy in `ledger`, which may be NULL; confined) or a code of the host's own:
 * `err->row` is the change. Cost: O(queues + changes depth).
 */
SKED_TRY sked_status sked_diff_apply(const sked_diff *diff, sked_tree *tree,
                                     const struct sked_ledger *ledger,
                                     sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
