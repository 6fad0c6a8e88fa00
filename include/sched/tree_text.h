#ifndef SKED_TREE_TEXT_H
#define SKED_TREE_TEXT_H

/*
 * Trees as text, and back. docs/tree-text.md has every key with an example.
 *
 * The smallest use, a changed configuration into the draft:
 *
 *     sked_tree_parse(tree, text, length, "queues.txt", NULL, 0, NULL, &err);
 *     sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, &err);
 */

#include <sched/fault.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a text into the draft, which becomes what the text says. A line is a
 * queue: its path, then `key=value` pairs, with blanks between. '#' begins a
 * comment, a byte behind '\' stands for itself, and values with blanks stand in
 * '"'. A line `kinds cpu=m memory=B` may come first and must then agree with
 * the tree's kinds. Parents come before children. The root's line may be left
 * out; if present, the line comes first and names the root.
 * docs/tree-text.md has every key with an example.
 *
 *     kinds cpu=m memory=B
 *     root
 *     root.ads  weight=3 guarantee="cpu=20,memory=40GiB" max_running=50
 *     root.ml   weight=1 limit=60% preempt_from=no order=fair
 *
 * Amounts are vectors (<sched/res.h>), durations as 30s (ns us ms s m h d),
 * ratios as 0.5 or 50%; a value that is not a whole number of its smallest unit
 * is a fault. Queues that the draft has under the same path keep their ids;
 * queues that the text does not have are removed from the draft; attributes
 * that it does not set are at their defaults. `file` (may be NULL) is the file
 * name in the words of faults; it is copied.
 *
 * Every fault of the text is listed, up to `cap` of them in `faults` (may be
 * NULL when `cap` is 0); `*n` (may be NULL) is the number there are. They come
 * by line. `got` of SKED_FAULT_SYNTAX is the byte that may not stand there, -1
 * where the line ends too early; `limit` of SKED_FAULT_DUPLICATE_QUEUE is the
 * line where the queue comes first. A text with any fault changes nothing.
 * `length` is below 2^32 - 1.
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
 * Writes the last commit in the text form: the kinds line first, then each
 * queue before those below it, with every attribute that is not at its default,
 * in the order of the enums of queue.h, and last its users by name. Reading it
 * gives an equal tree, and writing that tree gives the same bytes. Writes at
 * most `cap` bytes with a NUL; `*n` (may be NULL) is the length it needs
 * without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small).
 * Never allocates. Cost: O(length).
 */
SKED_TRY sked_status sked_tree_format(const sked_tree *tree, char *text,
                                      size_t cap, size_t *n);

/* The line of the text that a queue was read from; 0: it was read from none.
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. Cost: O(1). */
SKED_TRY sked_status sked_tree_line(const sked_tree *tree, sked_queue_id queue,
                                    uint32_t *line);

#ifdef __cplusplus
}
#endif

#endif
