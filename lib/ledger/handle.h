#ifndef SKEDI_LEDGER_HANDLE_H
#define SKEDI_LEDGER_HANDLE_H

/*
 * A ledger from inside: plain columns over the rows of an image, and a journal
 * of the changed leaves.
 */

#include <sched/ledger.h>

#include "base/hooks.h"
#include "tree/image.h"
#include "res/schema.h"

/* The identity of a row. */
typedef struct skedi_ledger_row {
    sked_queue_id id;
    uint64_t birth;  /* with the id, identifies the queue (image.h) */
    uint32_t parent; /* SKEDI_NO_ROW: the root */
    uint32_t leaf;
} skedi_ledger_row;

/*
 * The data that a change of a leaf needs first, in one piece of memory. A
 * change among a million leaves then waits for this memory once, and for the
 * cells once.
 */
typedef struct skedi_ledger_slot {
    uint32_t generation; /* upper half of the id */
    uint32_t row;        /* SKEDI_NO_ROW: no row now */
    uint32_t parent;     /* parent of a leaf; SKEDI_LEDGER_INNER: no leaf */
    uint32_t latest;     /* low bits of the last journal entry for the slot */
} skedi_ledger_slot;

#define SKEDI_LEDGER_INNER (SKEDI_NO_ROW - 1)

/*
 * Rows and their cells. The first cell of kind k in column c is ((c - 1) *
 * kinds + k) * cap; SKED_LEDGER_RUNNING, the last column, has one kind.
 */
typedef struct skedi_ledger_plan {
    skedi_ledger_row *rows;
    int64_t *cells;
    skedi_ledger_slot *slots;
    size_t cap; /* rows that the memory can hold */
    size_t slot_cap;
    uint32_t n;
    uint32_t n_slots;
} skedi_ledger_plan;

/*
 * A state of a ledger's journal: the number of entries, and a hash over all
 * entries. Two ledgers with the same mark have the same history; one may be a
 * copy, or both had the same changes.
 */
typedef struct skedi_ledger_mark {
    uint64_t sequence;
    uint64_t chain;
} skedi_ledger_mark;

/* The change that a call made to a leaf. */
typedef struct skedi_ledger_said {
    int32_t column;
    uint32_t kinds; /* changed kinds, a bit each; running: 1 */
    int64_t change; /* the change, if only one kind changed */
} skedi_ledger_said;

typedef struct skedi_ledger_entry {
    uint64_t chain; /* after the entry */
    uint32_t row;
    uint32_t slot;
    skedi_ledger_said said;
} skedi_ledger_entry;

struct sked_ledger {
    skedi_hooks hooks;
    sked_schema schema;
    uint32_t kinds;
    int timed; /* 1: `time` is set */
    sked_time time;
    int64_t half_life;

    skedi_ledger_plan live;
    skedi_ledger_plan next; /* what a new image is laid out in */
    uint64_t version;
    uint64_t shape;
    uint64_t shape_key;

    int64_t *scratch; /* changes of a call with many rows */
    size_t scratch_cap;

    skedi_ledger_entry *journal; /* of entry e: journal[e & mask] */
    uint64_t mask;
    skedi_ledger_mark now;
    skedi_ledger_mark oldest; /* earlier entries are lost */
};

/* Kinds of a column: 1 for SKED_LEDGER_RUNNING. 0: unknown column. */
static inline uint32_t skedi_ledger_kinds(const sked_ledger *ledger,
                                          int32_t column)
{
    if (column < SKED_LEDGER_USAGE || column > SKED_LEDGER_RUNNING) return 0;
    return column == SKED_LEDGER_RUNNING ? 1 : ledger->kinds;
}

/* The cells of a kind of a column, by row. */
static inline int64_t *skedi_ledger_cells(const sked_ledger *ledger,
                                          const skedi_ledger_plan *plan,
                                          int32_t column, uint32_t kind)
{
    size_t index = (size_t)(column - 1) * ledger->kinds + kind;

    return plan->cells + index * plan->cap;
}

/* The same cells of the present rows, read-only. */
static inline const int64_t *skedi_ledger_column(const sked_ledger *ledger,
                                                 int32_t column, uint32_t kind)
{
    return skedi_ledger_cells(ledger, &ledger->live, column, kind);
}

static inline uint32_t skedi_ledger_find(const skedi_ledger_plan *plan,
                                         sked_queue_id id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= plan->n_slots) return SKEDI_NO_ROW;
    const skedi_ledger_slot *at = &plan->slots[slot];
    return at->generation == (uint32_t)(id >> 32) ? at->row : SKEDI_NO_ROW;
}

/* The row of a queue, or SKEDI_NO_ROW. O(1). */
static inline uint32_t skedi_ledger_row_of(const sked_ledger *ledger,
                                           sked_queue_id id)
{
    return skedi_ledger_find(&ledger->live, id);
}

/* True if the ledger has the rows of this image. */
static inline int skedi_ledger_follows(const sked_ledger *ledger,
                                       const skedi_image *image)
{
    return ledger->shape_key == image->shape_key &&
           ledger->live.n == image->n && ledger->kinds == image->kinds;
}

/* True if the row or a row below has usage, demand or running applications. */
int skedi_ledger_is_busy(const sked_ledger *ledger, uint32_t row);

/* The mark of the journal's present state, for the next call. */
static inline skedi_ledger_mark skedi_ledger_now(const sked_ledger *ledger)
{
    return ledger->now;
}

/*
 * The leaves whose usage, demand or number of running applications changed
 * since `mark`, each row once. Returns 1 if `rows` has all `*n` rows. Returns 0
 * if the rows are too many or no longer known, or if the mark belongs to
 * another ledger; the caller then reads everything. O(changes since).
 */
int skedi_ledger_changes_since(const sked_ledger *ledger,
                               skedi_ledger_mark mark, uint32_t *rows,
                               size_t cap, size_t *n);

/* The number of journal entries since `mark`; the first has the number
 * mark.sequence. SKEDI_LEDGER_LOST: unknown. O(1). */
#define SKEDI_LEDGER_LOST UINT64_MAX
uint64_t skedi_ledger_entries_since(const sked_ledger *ledger,
                                    skedi_ledger_mark mark);

static inline const skedi_ledger_entry *
skedi_ledger_entry_at(const sked_ledger *ledger, uint64_t number)
{
    return &ledger->journal[number & ledger->mask];
}

/* ---- between the files of the ledger ---- */

/* Adds leaves up to their ancestors in a column of `n` cells whose leaves are
 * set. SKEDI_NO_ROW, or a row whose sum is too large. */
uint32_t skedi_ledger_roll(const skedi_ledger_plan *plan, int64_t *cells);

/* Adds an entry: the queue in a slot, the queue's change, and a hash of the
 * change. */
void skedi_ledger_note(sked_ledger *ledger, uint32_t slot,
                       skedi_ledger_said said, uint64_t says);

/* Everything may have changed: nothing before this can be told apart. */
void skedi_ledger_note_all(sked_ledger *ledger, uint64_t says);

/* `x` stirred into `chain`. */
static inline uint64_t skedi_ledger_stir(uint64_t chain, uint64_t x)
{
    chain = (chain ^ x) * UINT64_C(0x9fb21c651e98df25);
    return chain ^ chain >> 29;
}

#endif
