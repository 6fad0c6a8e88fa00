#ifndef SKEDI_SHARE_HANDLE_H
#define SKEDI_SHARE_HANDLE_H

#include "share/dominant.h"
#include "base/marks.h"
#include "ledger/handle.h"

/* The rows of the results. */
typedef struct skedi_share_rows {
    skedi_share_shape_memory memory;
    skedi_share_shape shape;
    sked_queue_id *id;
    uint32_t *row_of; /* by slot */
    size_t cap;       /* rows in the memory */
    size_t slot_cap;
    uint32_t n_slots;
    uint32_t kinds;
    uint64_t shape_key;
} skedi_share_rows;

/* Shares by kind and row (k * rows + r), families' states by kind and family.
 */
typedef struct skedi_share_results {
    int64_t *share;
    skedi_family_state *state;
    size_t cells; /* cells in the memory */
    size_t states;
} skedi_share_results;

/* The pending work of a family, and its mark by the current call. */
typedef struct skedi_share_todo {
    uint32_t dirty;   /* kinds in which the family's children changed, a bit
                         each */
    uint32_t changed; /* changed rows of the family: 0, 1, or 2 for more */
    uint32_t undo;    /* the family's place among the replaced values of the
                         current call */
    uint32_t known;   /* row of the family with a valid share in the dirty kinds
                         too, if their totals hold; 0: none */
    uint64_t call;    /* the last call that touched the family */
} skedi_share_todo;

/* The state of a family before the current call. */
typedef struct skedi_share_undo {
    uint32_t family;
    uint32_t dirty;
    uint32_t refilled; /* kinds whose old shares and states are in the other
                          results */
    uint32_t known;
} skedi_share_undo;

enum { SKEDI_SHARE_LANES = 8 };

/*
 * A handle has two sets of rows and results: a set in force for readers, and a
 * set for the next computation. A computation by change works in the results in
 * force. The other results keep the replaced values until the computation ends.
 */
struct sked_share {
    skedi_hooks hooks;
    sked_share_options options;
    skedi_share_model model;
    int any;       /* something was computed */
    int must_full; /* values beside the shares are not reliable */
    int now_rows;  /* the set of each pair in force */
    int now_results;
    skedi_share_rows rows[2];
    skedi_share_results results[2];

    /* The inputs of the shares. */
    uint64_t tree_version;
    uint64_t tree_key;
    skedi_ledger_mark mark;
    int64_t capacity[SKED_MAX_KINDS];

    /* Inputs made from what is given. */
    uint8_t *row_state; /* of the instantaneous model */
    size_t state_cap;
    int64_t *resolved; /* guarantees, then limits, of trees with parts */
    size_t resolved_cap;

    skedi_family_memory memory[SKEDI_SHARE_LANES];
    size_t widest;
    uint32_t lanes;
    skedi_dominant dominant;

    /* Computing by change. */
    skedi_share_todo *todo;
    size_t todo_cap;
    skedi_share_undo *undo;
    size_t undo_cap;
    size_t n_undo;
    uint32_t *rise; /* with prefix rounding: by kind and row, beside windows */
    size_t rise_cap;
    skedi_marks up;   /* families to sum */
    skedi_marks down; /* families to fill, or whose children to look at */
    uint32_t *changed;
    size_t changed_cap;
    uint64_t call;

    sked_share_stats stats;
};

/* The inputs of a computation, as columns of every kind. */
typedef struct skedi_share_inputs {
    const skedi_image *image;
    const sked_ledger *ledger;
    const int64_t *capacity;
    skedi_share_told_columns told[SKED_MAX_KINDS];
} skedi_share_inputs;

static inline skedi_share_rows *skedi_share_rows_now(sked_share *share)
{
    return &share->rows[share->now_rows];
}

static inline const skedi_share_rows *
skedi_share_rows_seen(const sked_share *share)
{
    return &share->rows[share->now_rows];
}

static inline const skedi_share_results *
skedi_share_results_seen(const sked_share *share)
{
    return &share->results[share->now_results];
}

static inline int skedi_share_is_parted(const skedi_image *image)
{
    return image->number[SKEDI_AT_GUARANTEE_PPM] ||
           image->number[SKEDI_AT_LIMIT_PPM];
}

/* ---- memory (share/reserve.c) ---- */

/* The sizes of a computation: `queues` rows with `families` families, `widest`
 * children at most in a family. The functions below take the memory and leave
 * the rows and results in force unchanged. 0: no memory. */
typedef struct skedi_share_size {
    size_t queues;
    size_t slots;
    size_t families;
    size_t widest;
    size_t kinds;
    int parted;
} skedi_share_size;

int skedi_share_make_all(sked_share *share, const skedi_share_size *size);
int skedi_share_make_undo(sked_share *share);
int skedi_share_make_rows(sked_share *share, const skedi_share_size *size);
int skedi_share_memory_make(sked_share *share, const skedi_share_size *size);
void skedi_share_memory_drop(sked_share *share);

/* ---- inputs (share/inputs.c) ---- */

/* Is the row a leaf with nothing used, wanted or running? */
int skedi_share_is_idle(const sked_ledger *ledger, const skedi_image *image,
                        uint32_t row);

/* The arguments of a call. */
typedef struct skedi_share_given {
    const sked_tree *tree;
    const sked_ledger *ledger;
    const int64_t *capacity;
} skedi_share_given;

/* Checks the arguments and fills in all of `in` but the columns. Returns
 * SKED_OK, or the status of sked_share_compute() for bad arguments. */
sked_status skedi_share_take(const sked_share *share,
                             const skedi_share_given *given,
                             skedi_share_inputs *in, sked_error *err);

/* Fills in the columns of one kind, or of every kind, for the model of `share`.
 */
void skedi_share_inputs_of_kind(const sked_share *share, skedi_share_inputs *in,
                                uint32_t kind);
void skedi_share_inputs_of(const sked_share *share, skedi_share_inputs *in);

/* One kind of a computation, over given rows and results. */
skedi_share_kind skedi_share_kind_of(const sked_share *share,
                                     const skedi_share_inputs *in,
                                     const skedi_share_rows *rows,
                                     const skedi_share_results *results,
                                     uint32_t kind);

/* ---- reading (share.c) ---- */

/* Writes the shares of one row, an amount a kind. */
void skedi_share_write(const sked_share *share, uint32_t row, int64_t *amounts);

/* May a whole column of `kind` be read into `cap` entries? */
sked_status skedi_share_ask(const sked_share *share, uint32_t kind, size_t cap,
                            size_t *n);

/* ---- computing ---- */

/* Everything anew (share/compute.c). */
sked_status skedi_share_full(sked_share *share, const sked_tree *tree,
                             skedi_share_inputs *in, sked_error *err);

/* Ends a computation: counts the computation and tells the host. */
void skedi_share_done(sked_share *share, const skedi_share_inputs *in,
                      const skedi_share_progress *progress, int full);

/*
 * Applies a few changes of leaves' demands, and computes the share of `row`
 * (share/quick.c). Families off the path to `row` are marked for later. Returns
 * 0 and changes no state when quick.c does not handle the changes.
 */
int skedi_share_quick(sked_share *share, skedi_share_inputs *in, uint32_t row);

/* Marks a family as due in `kinds` because its children changed. */
static inline void skedi_share_touch(sked_share *share, uint32_t family,
                                     uint32_t kinds)
{
    share->todo[family].dirty |= kinds;
    share->todo[family].known = 0;
    skedi_marks_add(&share->down, family);
}

/* The kinds in which a family was filled for an outdated total, a bit each. The
 * second function adds the kinds in which the children changed since the
 * filling. */
uint32_t skedi_share_moved(const sked_share *share, uint32_t family);
uint32_t skedi_share_stale(const sked_share *share, uint32_t family);

/* Checks that the fillings of all families above a row are up to date. */
int skedi_share_is_current(const sked_share *share, uint32_t row);

/* Checks that the filling of a family is up to date. */
int skedi_share_is_filled(const sked_share *share, uint32_t family);

/* Checks that every filling is up to date. */
static inline int skedi_share_is_complete(const sked_share *share)
{
    return share->any && skedi_marks_first(&share->down) == SKEDI_MARKS_END;
}

#endif
