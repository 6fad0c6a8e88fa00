#ifndef SKED_TREE_TEXT_H
#define SKED_TREE_TEXT_H

/* Trees as text, and back. docs/tree-text.md has every key with an example. */

#include <sched/fault.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes the draft what `text` says: one queue a line, its path and then
 * `key=value` pairs, blanks between. '#' begins a comment, '\' takes the next
 * byte as it is, values with blanks stand in '"'. A line `kinds cpu=m memory=B`
 * may come first and must then agree with the tree's kinds. Parents come
 * before children. The root may be left out; a first line that is about it
 * gives it its name. docs/tree-text.md has every key with an example.
 *
 *     kinds cpu=m memory=B
 *     root
 *     root.ads  weight=3 guarantee="cpu=20,memory=40GiB" max_running=50
 *     root.ml   weight=1 limit=60% preempt_from=no order=fair
 *
 * Amounts as vectors (<sched/res.h>), durations as 30s (ns us ms s m h d),
 * ratios as 0.5 or 50%; a value that is not exact is none. Queues that the
 * draft has under the same path keep their ids; those that the text lacks are
 * gone from the draft; attributes it does not name are at their defaults.
 * `file` (may be NULL) is the name that faults are told with; it is copied.
 *
 * Every fault of the text is listed, up to `cap` of them in `faults` (may be
 * NULL when `cap` is 0); `*n` (may be NULL) is the number there are. They come
 * by line; SKED_FAULT_SYNTAX has the byte that has no place in `got`, -1 where
 * the line ends too early, and SKED_FAULT_DUPLICATE_QUEUE the first line in
 * `limit`. A text with any fault changes nothing. `length` is below 2^32 - 1.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM (always, once a tree with
 * SKED_HOST_FLAG_RESERVED_ONLY is reserved: reading needs memory of its own),
 * SKED_ERR_SYNTAX (`err` has the first fault's line and column),
 * SKED_ERR_SCHEMA (the kinds line differs: `err` names the kind),
 * SKED_ERR_STATE (confined), SKED_ERR_CANCELLED or a code of the host's own.
 * Cost: O(length + queues).
 */
SKED_TRY sked_status sked_tree_parse(sked_tree *tree, const char *text,
                                     size_t length, const char *file,
                                     sked_fault *faults, size_t cap, size_t *n,
                                     sked_error *err);

/*
 * The schema that a text's `kinds` line names, for sked_tree_new(). The caller
 * owns `*schema`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_NOT_FOUND (no such line) or SKED_ERR_SYNTAX.
 */
SKED_TRY sked_status sked_tree_parse_schema(const char *text, size_t length,
                                            const sked_host *host,
                                            sked_schema **schema,
                                            sked_error *err);

/*
 * Writes the last commit in the text form, kinds line first, each queue before
 * those below it, every attribute that is not at its default, in the order of
 * the enums of queue.h, users last by name. Reading it back gives an equal
 * tree, and writing that the same bytes. At most `cap` bytes with a NUL; `*n`
 * (may be NULL) is the length it needs without it.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small).
 * Never allocates. Cost: O(length).
 */
SKED_TRY sked_status sked_tree_format(const sked_tree *tree, char *text,
                                      size_t cap, size_t *n);

/* The line of the text that a queue came from; 0: from no text. Returns
 * SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. */
SKED_TRY sked_status sked_tree_line(const sked_tree *tree, sked_queue_id queue,
                                    uint32_t *line);

#ifdef __cplusplus
}
#endif

#endif
