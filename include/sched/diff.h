#ifndef SKED_DIFF_H
#define SKED_DIFF_H

/*
 * The changes between two trees, as data to review, print and apply in one
 * edit. [MON-6] The smallest use:
 *
 *     sked_diff_new(from, to, NULL, &diff, &err);
 *     sked_diff_format(diff, text, sizeof text, NULL);
 *     sked_diff_apply(diff, tree, NULL, &err);
 */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_diff sked_diff;

enum sked_diff_op {
    SKED_DIFF_ADD = 1,    /* `path` is added; its attributes follow as SETs */
    SKED_DIFF_REMOVE = 2, /* `path` is removed, with all queues below */
    /* `path` becomes `after`: the queue moves below another parent, as the last
     * child, or gets another name in its place. With equal paths the queue
     * becomes the last of its siblings. */
    SKED_DIFF_MOVE = 3,
    SKED_DIFF_SET = 4 /* attribute `key` of `path`: `before` to `after` */
};

/* One change. Texts are borrowed from the diff and never NULL. Values are in
 * the text form, without quotes and escapes; "" is a default. Paths are valid
 * at the moment at which the change is applied in turn. */
typedef struct sked_diff_change {
    uint32_t struct_size;
    int32_t op; /* enum sked_diff_op */
    const char *path;
    const char *key;
    const char *before;
    const char *after;
} sked_diff_change;

/*
 * Lists the changes that turn the last commit of `from` into the last commit of
 * `to`. Two queues are the same if they have one history: one tree was copied
 * from the other, or both from a third, and neither tree has removed the queue
 * since. Other queues are the same if their paths are equal, whatever their
 * ids. Moves are therefore visible only between copies.
 *
 * The changes can be applied one by one, in order: moves, additions,
 * attributes, removals. A move that needs an addition comes after the addition.
 * If a queue blocks a name, and is to be removed with all that was below it in
 * `from`, the removal comes before the use of the name. Otherwise the blocking
 * queue gets a temporary name: its own name with `~1` (or the next free number)
 * appended. Examples are one of two queues that swap their names, and a removed
 * queue with a child that moved out.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED, SKED_ERR_SCHEMA or a code of the host's own. The caller
 * owns `*diff`; on failure `*diff` is NULL. Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_diff_new(const sked_tree *from, const sked_tree *to,
                                   const sked_host *host, sked_diff **diff,
                                   sked_error *err);

/* Frees the diff. NULL is allowed. */
SKED_API void sked_diff_free(sked_diff *diff);

/* The number of changes; 0: the trees agree. */
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
 * key: before -> after". `default` stands for no value. The call writes at most
 * `cap` bytes with a NUL; `*n` (may be NULL) is the needed length without the
 * NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small).
 */
SKED_TRY sked_status sked_diff_format(const sked_diff *diff, char *text,
                                      size_t cap, size_t *n);

/*
 * Applies the diff to the draft of `tree`: all changes or none. The tree must
 * have the start of each change: its path, and its value `before`. Limits of
 * depth and number of queues need to hold only after the last change.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS, SKED_ERR_NOT_FOUND (no such path), SKED_ERR_CANCELLED,
 * SKED_ERR_SCHEMA, SKED_ERR_STATE (another value before; busy in `ledger`,
 * which may be NULL; confined) or a code of the host's own: `err->row` is the
 * change. Cost: O(queues + changes depth).
 */
SKED_TRY sked_status sked_diff_apply(const sked_diff *diff, sked_tree *tree,
                                     const struct sked_ledger *ledger,
                                     sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
