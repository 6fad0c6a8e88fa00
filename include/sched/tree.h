#ifndef SKED_TREE_H
#define SKED_TREE_H

/*
 * The tree of queues: how much of each resource every queue may use. [PEL-7]
 * [PEL-8] [CAP-1]
 *
 * The smallest use:
 *
 *     sked_tree_new(schema, NULL, NULL, &tree, &err);
 *     sked_tree_add(tree, sked_tree_root(tree), "batch", &batch, &err);
 *     sked_tree_set(tree, batch, SKED_QUEUE_WEIGHT, 2, &err);
 *     sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, &err);
 *
 * A tree is edited, then committed, then read. Edits touch only the draft;
 * sked_tree_commit() checks the draft as a whole and publishes it, or leaves
 * the previous tree in force. Calls that take `const sked_tree *` see the last
 * commit, unless their name says draft.
 *
 * Jobs are in leaves; a parent only divides what it has among its children. All
 * settings of a queue are attributes, which queue.h lists. Trees are written
 * and read as text by tree_text.h; fault.h lists what can be wrong with a
 * draft.
 *
 * Rows: a commit numbers the queues breadth first, so that siblings stand side
 * by side, parents come before children, and row 0 is the root. Columns of
 * ledgers and shares follow these rows. Siblings stand in the order of adding;
 * a queue that was moved goes last.
 */

#include <sched/host.h>
#include <sched/queue.h>
#include <sched/res.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_tree sked_tree;

/* How large a tree may grow; a field that is 0 asks for the default. */
typedef struct sked_tree_options {
    uint32_t struct_size;
    uint32_t flags;      /* 0 */
    uint32_t max_depth;  /* levels, root included; 0: SKED_MAX_DEPTH */
    uint32_t max_queues; /* root included; 0: SKED_MAX_QUEUES */
} sked_tree_options;

/* ---- Life ---- */

/*
 * Creates a tree over the kinds of `schema`. It has only its root, which is
 * named "root" and committed already. `schema` is copied; `host` and `options` may
 * be NULL and are copied. The caller owns `*tree`; on failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (options
 * beyond the library's limits) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_tree_new(const sked_schema *schema,
                                   const sked_tree_options *options,
                                   const sked_host *host, sked_tree **tree,
                                   sked_error *err);

/* Frees the tree and every queue in it. NULL is allowed. */
SKED_API void sked_tree_free(sked_tree *tree);

/*
 * Makes a tree equal to `tree` (draft and commit) with a host of its own. The
 * caller owns `*copy`. Ids that were given out so far name the same queues in
 * both trees, whatever is done to them later; by this sked_diff_new() sees
 * moves, and sked_engine_commit() and sked_ledger_follow() keep what belongs to
 * a queue. Ids given out later belong to one tree only.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 * Cost: O(queues).
 */
SKED_TRY sked_status sked_tree_copy(const sked_tree *tree,
                                    const sked_host *host, sked_tree **copy,
                                    sked_error *err);

/*
 * Reserves memory for `queues` queues and `text` bytes of names, labels and
 * users, in the draft and in two commits, so that edits and commits within that
 * size never allocate. A name or label takes its bytes and one more, and takes
 * them again each time that it is set before the next commit. When a user is
 * set, the leaf's whole list of users is written again, each with its name's
 * bytes and eight more. With SKED_HOST_FLAG_RESERVED_ONLY no other memory is
 * ever asked for.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE. Cost:
 * O(queues + text).
 */
SKED_TRY sked_status sked_tree_reserve(sked_tree *tree, size_t queues,
                                       size_t text, sked_error *err);

/* The kinds it was created with; borrowed, valid as long as the tree is. */
SKED_API const sked_schema *sked_tree_schema(const sked_tree *tree);

/* ---- Edits: they touch the draft only ---- */

/*
 * Adds a queue below `parent`, last among its siblings, with every attribute
 * at its default. `name` is copied; it is not empty, and new among its
 * siblings. `id` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (too deep, too
 * many), SKED_ERR_EXISTS, SKED_ERR_STALE or SKED_ERR_STATE (outside the part
 * the tree is confined to). Cost: O(1) expected.
 */
SKED_TRY sked_status sked_tree_add(sked_tree *tree, sked_queue_id parent,
                                   const char *name, sked_queue_id *id,
                                   sked_error *err);

enum sked_tree_remove_mode {
    SKED_TREE_REMOVE_REFUSE = 0, /* a busy queue below: SKED_ERR_STATE */
    SKED_TREE_REMOVE_DRAIN = 1   /* idle ones go, busy ones begin to drain */
};

struct sked_ledger; /* <sched/ledger.h> */

/*
 * Removes `queue` and all below it. A queue is busy when `ledger` shows usage,
 * demand or running applications in it; where `ledger` is NULL, none is busy.
 * With SKED_TREE_REMOVE_DRAIN, a queue that is busy, or has a busy queue below
 * it, stays and is set to SKED_STATE_DRAINING: remove it again when it is idle.
 *
 * Returns SKED_OK, SKED_STOPPED (some drain), SKED_ERR_ARG (the root; unknown
 * mode), SKED_ERR_NOMEM (the first queue ever to drain), SKED_ERR_STALE or
 * SKED_ERR_STATE (busy, or the ledger is of another tree: `err` names the
 * queue; confined). Cost: O(queues below).
 */
SKED_TRY sked_status sked_tree_remove(sked_tree *tree, sked_queue_id queue,
                                      const struct sked_ledger *ledger,
                                      int32_t mode, sked_error *err);

/*
 * Moves `queue`, with all below it, to be the last child of `parent`.
 *
 * Returns SKED_OK, SKED_ERR_ARG (the root; into itself), SKED_ERR_RANGE (too
 * deep), SKED_ERR_EXISTS, SKED_ERR_STALE or SKED_ERR_STATE (confined).
 * Cost: O(queues below).
 */
SKED_TRY sked_status sked_tree_move(sked_tree *tree, sked_queue_id queue,
                                    sked_queue_id parent, sked_error *err);

/*
 * Renames `queue`; the root too can be renamed.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_EXISTS,
 * SKED_ERR_STALE or SKED_ERR_STATE (confined). Cost: O(1) expected.
 */
SKED_TRY sked_status sked_tree_rename(sked_tree *tree, sked_queue_id queue,
                                      const char *name, sked_error *err);

/*
 * Sets an integer attribute (one of enum sked_queue_attribute below 32).
 * SKED_UNSET puts the default back. So does the default value itself, except
 * for inherited attributes and parts (_PPM), where a value that is set differs
 * from none.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such attribute), SKED_ERR_NOMEM (an
 * attribute that no queue had yet), SKED_ERR_RANGE (not a value it takes),
 * SKED_ERR_STALE or SKED_ERR_STATE (confined). Cost: O(1).
 */
SKED_TRY sked_status sked_tree_set(sked_tree *tree, sked_queue_id queue,
                                   int32_t attribute, int64_t value,
                                   sked_error *err);

/*
 * Sets an attribute with one amount a kind. `amounts` NULL puts the default
 * back. SKED_UNLIMITED is allowed except in a guarantee.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_STALE or SKED_ERR_STATE (confined). Cost: O(kinds).
 */
SKED_TRY sked_status sked_tree_set_vec(sked_tree *tree, sked_queue_id queue,
                                       int32_t attribute,
                                       const int64_t *amounts, sked_error *err);

/*
 * Sets a text attribute; the text is copied. NULL or "" puts the default back.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_STALE or
 * SKED_ERR_STATE (confined).
 */
SKED_TRY sked_status sked_tree_set_text(sked_tree *tree, sked_queue_id queue,
                                        int32_t attribute, const char *text,
                                        sked_error *err);

/*
 * Sets the weight of one user among the users of a leaf; users without a weight
 * weigh 1. SKED_UNSET takes the user's weight away. [user_weight.NAME; 0 to
 * 2^32-1] [CAP-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_STALE or SKED_ERR_STATE (confined). Cost: O(users named here).
 */
SKED_TRY sked_status sked_tree_set_user_weight(sked_tree *tree,
                                               sked_queue_id queue,
                                               const char *user, int64_t weight,
                                               sked_error *err);

/*
 * Sets one integer attribute of `n` queues at once; all or nothing, and
 * `err->row` names the row at fault.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_STALE or SKED_ERR_STATE, as sked_tree_set(). Cost: O(n).
 */
SKED_TRY sked_status sked_tree_set_column(sked_tree *tree, int32_t attribute,
                                          const sked_queue_id *queues,
                                          const int64_t *values, size_t n,
                                          sked_error *err);

/*
 * The same for an attribute with amounts: `amounts` is n x kinds, row by row.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_STALE or SKED_ERR_STATE, as sked_tree_set_vec(). Cost: O(n kinds).
 */
SKED_TRY sked_status sked_tree_set_column_vec(sked_tree *tree,
                                              int32_t attribute,
                                              const sked_queue_id *queues,
                                              const int64_t *amounts, size_t n,
                                              sked_error *err);

/*
 * Confines later edits to queues below `queue`, so that a tenant can manage a
 * subtree; the attributes of `queue` itself cannot be changed then. It holds
 * until this is called again; the root lifts it. [PEL-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. Cost: O(1).
 */
SKED_TRY sked_status sked_tree_confine(sked_tree *tree, sked_queue_id queue,
                                       sked_error *err);

/* Forgets every edit since the last commit. Never allocates. Ids given out by
 * those edits become stale. Returns SKED_OK or SKED_ERR_ARG. O(queues). */
SKED_TRY sked_status sked_tree_discard(sked_tree *tree, sked_error *err);

/* ---- Commit ---- */

enum sked_tree_commit_mode {
    SKED_TREE_COMMIT_LENIENT = 0,
    SKED_TREE_COMMIT_STRICT = 1
};

/*
 * Publishes the draft. SKED_TREE_COMMIT_STRICT refuses a draft that has a fault
 * of severity error. SKED_TREE_COMMIT_LENIENT publishes it, and contradictions
 * are resolved by these rules: a limit beats a guarantee; where children are
 * guaranteed more than their parent, the parent's guarantee is lifted as far as
 * its limit goes, and beyond that the children's are cut in one ratio. Both
 * modes lift the guarantee of a parent that states none: that is no error, but
 * a note among the faults (SKED_FAULT_GUARANTEE_LIFTED).
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_INVALID (`err` has
 * the first fault, sked_tree_faults() all of them), SKED_ERR_CANCELLED or a
 * code of the host's own. Cost: O(attributes changed) when no queue came, went
 * or moved since the last commit (a strict one also looks at the siblings of
 * queues whose guarantee changed, and at everything after a lenient one), else
 * O(queues kinds).
 */
SKED_TRY sked_status sked_tree_commit(sked_tree *tree, int32_t mode,
                                      sked_error *err);

/* ---- Reads: the last commit ---- */

/* The root's id; valid as long as the tree is. */
SKED_API sked_queue_id sked_tree_root(const sked_tree *tree);

/* How many commits there were. Two commits have the same rows only if no queue
 * was added, removed or moved between them: see sked_tree_shape(). */
SKED_API uint64_t sked_tree_version(const sked_tree *tree);

/* How many of the commits changed rows. */
SKED_API uint64_t sked_tree_shape(const sked_tree *tree);

/* Queues in the tree, root included. */
SKED_API size_t sked_tree_count(const sked_tree *tree);

/*
 * The ids of all queues, by row. Like every call below that fills an array:
 * writes at most `cap` entries, `*n` is always the number there are, and
 * SKED_ERR_RANGE says that `cap` was too small (nothing else was written).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE. Never allocates.
 */
SKED_TRY sked_status sked_tree_ids(const sked_tree *tree, sked_queue_id *ids,
                                   size_t cap, size_t *n);

/* The ids of the leaves, by row. Returns as sked_tree_ids(). */
SKED_TRY sked_status sked_tree_leaves(const sked_tree *tree, sked_queue_id *ids,
                                      size_t cap, size_t *n);

/* The ids of one queue's children, in order. Returns as sked_tree_ids(), and
 * SKED_ERR_STALE. */
SKED_TRY sked_status sked_tree_children(const sked_tree *tree,
                                        sked_queue_id queue, sked_queue_id *ids,
                                        size_t cap, size_t *n);

/*
 * The shape as columns by row: row of the parent (-1: root), row of the first
 * child (-1: none), number of children. Any of the three may be NULL.
 *
 * Returns as sked_tree_ids().
 */
SKED_TRY sked_status sked_tree_rows(const sked_tree *tree, int32_t *parent,
                                    int32_t *first_child, int32_t *children,
                                    size_t cap, size_t *n);

/* A queue's row. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. O(1). */
SKED_TRY sked_status sked_tree_row(const sked_tree *tree, sked_queue_id queue,
                                   size_t *row);

/* A queue's parent; SKED_NO_QUEUE for the root. Returns as sked_tree_row(). */
SKED_TRY sked_status sked_tree_parent(const sked_tree *tree,
                                      sked_queue_id queue,
                                      sked_queue_id *parent);

/*
 * Finds a queue by its path: names joined by '.', beginning with the root's; a
 * byte behind '\' stands for itself.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_SYNTAX or SKED_ERR_NOT_FOUND (`err`
 * has the deepest queue that there is). Cost: O(length) expected.
 */
SKED_TRY sked_status sked_tree_find(const sked_tree *tree, const char *path,
                                    sked_queue_id *queue, sked_error *err);

/* The same in the draft. */
SKED_TRY sked_status sked_tree_find_draft(const sked_tree *tree,
                                          const char *path,
                                          sked_queue_id *queue,
                                          sked_error *err);

/*
 * Writes a queue's path as it stands at the beginning of a line of the text
 * form: with '\' before each '.', '\', blank, '=', '"', '#' and control byte of
 * a name. At most `cap` bytes with a NUL; `*n` is the length without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small) or
 * SKED_ERR_STALE. Cost: O(length).
 */
SKED_TRY sked_status sked_tree_path(const sked_tree *tree, sked_queue_id queue,
                                    char *path, size_t cap, size_t *n);

/* A queue's own name; borrowed until the next commit. NULL when stale. */
SKED_API const char *sked_tree_name(const sked_tree *tree, sked_queue_id queue);

/*
 * An integer attribute as it was set (SKED_UNSET: at its default).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. Cost: O(1).
 */
SKED_TRY sked_status sked_tree_get(const sked_tree *tree, sked_queue_id queue,
                                   int32_t attribute, int64_t *value);

/*
 * The value that holds: what was set, or inherited, or the default.
 *
 * Returns as sked_tree_get(). Cost: O(depth).
 */
SKED_TRY sked_status sked_tree_effective(const sked_tree *tree,
                                         sked_queue_id queue, int32_t attribute,
                                         int64_t *value);

/* An attribute's amounts, one a kind. Returns as sked_tree_get(). */
SKED_TRY sked_status sked_tree_get_vec(const sked_tree *tree,
                                       sked_queue_id queue, int32_t attribute,
                                       int64_t *amounts);

/* A text attribute, "" by default; borrowed until the next commit. NULL when
 * the id is stale or there is no such attribute. */
SKED_API const char *sked_tree_get_text(const sked_tree *tree,
                                        sked_queue_id queue, int32_t attribute);

/* A user's weight in a leaf: 1 unless set. Returns as sked_tree_get(). */
SKED_TRY sked_status sked_tree_user_weight(const sked_tree *tree,
                                           sked_queue_id queue,
                                           const char *user, int64_t *weight);

/* The value of one integer attribute that holds (sked_tree_effective()), of
 * every queue, by row. Returns as sked_tree_ids(). Cost: O(queues). */
SKED_TRY sked_status sked_tree_column(const sked_tree *tree, int32_t attribute,
                                      int64_t *by_row, size_t cap, size_t *n);

/*
 * One kind of an attribute with amounts, of every queue, by row. `capacity` is
 * what the root has of that kind: where a guarantee or limit is a part, the
 * amount it comes to is written, rounded down, parents first.
 *
 * Returns as sked_tree_ids(). Cost: O(queues), and O(queues * levels) of limits
 * where some are parts and many levels have none.
 */
SKED_TRY sked_status sked_tree_column_vec(const sked_tree *tree,
                                          int32_t attribute, uint32_t kind,
                                          int64_t capacity, int64_t *by_row,
                                          size_t cap, size_t *n);

/* ---- Invariants ---- */

/*
 * Walks draft and commit and verifies every invariant they rely on. For tests,
 * fuzzers and bug reports; a sound build never fails it.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the broken
 * invariant in `err`. Cost: O(queues).
 */
SKED_TRY sked_status sked_tree_check(const sked_tree *tree, sked_error *err);

/* A hash of draft and commit: equal, on every machine, for trees that agree in
 * every queue, id, order and attribute. Cost: O(queues * kinds). */
SKED_API uint64_t sked_tree_digest(const sked_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
