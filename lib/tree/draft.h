#ifndef SKEDI_TREE_DRAFT_H
#define SKEDI_TREE_DRAFT_H

/*
 * The draft, which edits change. Each queue is a slot, linked to its parent and
 * siblings. Each attribute that any queue sets has a column. Slot 0 is the
 * root.
 *
 * A slot that the last commit shows is not reused before the next commit. A
 * discard can therefore restore every queue in its slot.
 */

#include "base/mem.h"
#include "tree/attr.h"
#include "tree/names.h"
#include "tree/texts.h"

#define SKEDI_NO_SLOT UINT32_MAX

enum {
    SKEDI_SLOT_LIVE = 1,    /* in the draft */
    SKEDI_SLOT_SHOWN = 2,   /* in the last commit */
    SKEDI_SLOT_REKEYED = 4, /* shown with another name or parent */
    SKEDI_SLOT_SEEN = 8     /* seen by a walk; cleared when the walk ends */
};

/* The attributes touched since the last commit. Each attribute is a bit:
 * numbers first, then amounts, then a single bit for all texts. */
#define SKEDI_TOUCH_NUMBER(i) ((uint32_t)1 << (i))
#define SKEDI_TOUCH_AMOUNT(i) ((uint32_t)1 << (SKEDI_NUMBERS + (i)))
#define SKEDI_TOUCH_TEXT ((uint32_t)1 << (SKEDI_NUMBERS + SKEDI_AMOUNTS))

typedef struct skedi_slot {
    uint64_t birth; /* the draft's key when it was added */
    uint32_t generation;
    uint32_t parent;
    uint32_t first; /* children */
    uint32_t last;
    uint32_t next; /* sibling; for a free slot, the next free one */
    uint32_t prev;
    uint32_t n_children;
    uint32_t hash; /* of parent and name */
    skedi_text name;
    skedi_text label;
    skedi_text users; /* weights of users (users.h) */
    uint32_t line;
    uint32_t touched; /* SKEDI_TOUCH_*; not 0: slot is in the touched list */
    uint32_t touched_next;
    uint8_t depth;
    uint8_t flags; /* SKEDI_SLOT_* */
    uint8_t padding[6];
} skedi_slot;

/* A column: a value for each slot, or `kinds` amounts for each slot. A column
 * at rest in every slot has no array. */
typedef struct skedi_column {
    int64_t *at;
    size_t cap; /* slots */
} skedi_column;

typedef struct skedi_draft {
    skedi_slot *slot;
    size_t cap; /* slots that fit into memory, in every column */
    uint32_t kinds;
    uint32_t n_slots; /* in use or free */
    uint32_t n;       /* live slots */
    uint32_t free;    /* the next free slot */
    uint32_t touched; /* first of the list */
    uint32_t n_touched;
    uint32_t reshaped;   /* a queue came, went or moved */
    uint32_t used;       /* bits of the attributes ever set */
    skedi_text file;     /* name of the text that was read */
    uint64_t text_bytes; /* bytes of the texts of live slots */
    uint64_t key;        /* a hash of the history of edits */
    skedi_names names;
    skedi_column number[SKEDI_NUMBERS];
    skedi_column amount[SKEDI_AMOUNTS];
} skedi_draft;

static inline sked_queue_id skedi_slot_id(const skedi_draft *draft,
                                          uint32_t slot)
{
    return (uint64_t)draft->slot[slot].generation << 32 | slot;
}

/* The slot of a queue in the draft, or SKEDI_NO_SLOT. */
uint32_t skedi_draft_slot(const skedi_draft *draft, sked_queue_id id);

/* An integer attribute as stored (attr.h: at rest or set). */
static inline int64_t skedi_draft_number(const skedi_draft *draft,
                                         uint32_t index, uint32_t slot)
{
    const int64_t *at = draft->number[index].at;

    return at ? at[slot] : skedi_attr_rest(skedi_attr_at(index));
}

/* The amounts of a slot, or NULL if the column is at rest in every slot. */
static inline const int64_t *skedi_draft_amounts(const skedi_draft *draft,
                                                 uint32_t index, uint32_t slot)
{
    const int64_t *at = draft->amount[index].at;

    return at ? at + (size_t)slot * draft->kinds : NULL;
}

/* Mixes a number into a history. */
static inline uint64_t skedi_key_mix(uint64_t key, uint64_t x)
{
    key = (key ^ x) * UINT64_C(0x9fb21c651e98df25);
    return key ^ key >> 29;
}

/* Reserves memory for `cap` slots in all. Returns 0 without memory; the visible
 * state of the draft is then unchanged. */
int skedi_draft_ensure(skedi_draft *draft, skedi_mem *mem, size_t cap);

/* Allocates an attribute's column if missing. Returns 0 without memory. */
int skedi_draft_number_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index);
int skedi_draft_amount_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index);

/* Takes a slot; the caller has reserved the memory. The slot has no links, and
 * every attribute is at rest. */
uint32_t skedi_draft_take(skedi_draft *draft);

/* Frees a slot without links. The id of the slot becomes stale. */
void skedi_draft_give(skedi_draft *draft, uint32_t slot);

/* skedi_draft_link() appends a slot to the children of `parent`.
 * skedi_draft_unlink() removes a slot from its siblings. */
void skedi_draft_link(skedi_draft *draft, uint32_t slot, uint32_t parent);
void skedi_draft_unlink(skedi_draft *draft, uint32_t slot);

/* Remembers that `what` (SKEDI_TOUCH_*) of a slot changed. */
void skedi_draft_touch(skedi_draft *draft, uint32_t slot, uint32_t what);

/* Clears the list of touched slots. */
void skedi_draft_untouch(skedi_draft *draft);

/* The slot after `slot` in a preorder walk of `top`; SKEDI_NO_SLOT: none. If
 * `over` is set, the walk skips the children of `slot`. */
uint32_t skedi_draft_next(const skedi_draft *draft, uint32_t top, uint32_t slot,
                          int over);

/* Copies a draft into memory of its own. Returns 0 without memory; `into` is
 * then unchanged. */
int skedi_draft_copy(skedi_draft *into, skedi_mem *mem,
                     const skedi_draft *from);

void skedi_draft_free(skedi_draft *draft, skedi_mem *mem);

#endif
