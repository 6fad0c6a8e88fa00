#ifndef SKEDI_LEDGER_HANDLE_H
#define SKEDI_LEDGER_HANDLE_H

/*
 * A ledger from inside: plain columns over the rows of an image, and a journal
 * of the leaves that changed.
 */

#include <sched/ledger.h>

#include "base/hooks.h"
#include "tree/image.h"
#include "res/schema.h"

/* What a row is. */
typedef struct skedi_ledger_row {
    sked_queue_id id;
    uint64_t birth;  /* with the id: which queue it is (image.h) */
    uint32_t parent; /* SKEDI_NO_ROW: the root */
    uint32_t leaf;
} skedi_ledger_row;

/*
 * What is needed of a queue at first, in one piece of memory: a change of one
 * leaf among a million then waits for its memory once, and once for its cells.
 */
typedef struct skedi_ledger_slot {
    uint32_t generation; /* upper half of the id */
    uint32_t row;        /* SKEDI_NO_ROW: not in these rows */
    uint32_t parent;     /* of a leaf; SKEDI_LEDGER_INNER: it is none */
    uint32_t latest;     /* journal entry that last named it, low bits */
} skedi_ledger_slot;

#define SKEDI_LEDGER_INNER (SKEDI_NO_ROW - 1)

/*
 * Rows and their cells. Column c of kind k begins at cell
 * ((c - 1) * kinds + k) * cap; SKED_LEDGER_RUNNING, the last, has one kind.
 */
typedef struct skedi_ledger_plan {
    skedi_ledger_row *rows;
    int64_t *cells;
    skedi_ledger_slot *slots;
    size_t cap; /* rows there is memory for */
    size_t slot_cap;
    uint32_t n;
    uint32_t n_slots;
} skedi_ledger_plan;

/*
 * A state of a ledger's journal: how many entries, and a number that stands
 * for what they and all before them said. Two ledgers with the same mark have
 * the same history, be they copies or made alike.
 */
typedef struct skedi_ledger_mark {
    uint64_t sequence;
    uint64_t chain;
} skedi_ledger_mark;

/* What one call did to one leaf. */
typedef struct skedi_ledger_said {
    int32_t column;
    uint32_t kinds; /* that changed, a bit each; running applications: 1 */
    int64_t change; /* of the only such kind, if it is one */
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
    int timed; /* is `time` set? */
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
    skedi_ledger_mark oldest; /* entries before it are not told apart */
};

/* Kinds of a column: 1 for SKED_LEDGER_RUNNING. 0: no such column. */
static inline uint32_t skedi_ledger_kinds(const sked_ledger *ledger,
                                          int32_t column)
{
    if (column < SKED_LEDGER_USAGE || column > SKED_LEDGER_RUNNING) return 0;
    return column == SKED_LEDGER_RUNNING ? 1 : ledger->kinds;
}

/* The cells of one kind of a column, by row. */
static inline int64_t *skedi_ledger_cells(const sked_ledger *ledger,
                                          const skedi_ledger_plan *plan,
                                          int32_t column, uint32_t kind)
{
    size_t index = (size_t)(column - 1) * ledger->kinds + kind;

    return plan->cells + index * plan->cap;
}

/* The same, to be read, in the rows that hold. */
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

/* Has it the rows of this image? */
static inline int skedi_ledger_follows(const sked_ledger *ledger,
                                       const skedi_image *image)
{
    return ledger->shape_key == image->shape_key &&
           ledger->live.n == image->n && ledger->kinds == image->kinds;
}

/* Usage, demand or something running in the row, itself or below? */
int skedi_ledger_is_busy(const sked_ledger *ledger, uint32_t row);

/* Where the journal stands: to be given back to the next call. */
static inline skedi_ledger_mark skedi_ledger_now(const sked_ledger *ledger)
{
    return ledger->now;
}

/*
 * The leaves whose usage, demand or number of running applications changed
 * since `mark`, each row once. 1 when `rows` has all `*n` of them; 0 when they
 * are too many, no longer known, or the mark is another ledger's: then read
 * everything. O(changes since).
 */
int skedi_ledger_changes_since(const sked_ledger *ledger,
                               skedi_ledger_mark mark, uint32_t *rows,
                               size_t cap, size_t *n);

/* How many entries the journal has had since `mark`: they are numbered from
 * mark.sequence on. SKEDI_LEDGER_LOST where they cannot be told. O(1). */
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

/* One entry: the queue in a slot, what happened to it, and a number that
 * stands for all of that. */
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
