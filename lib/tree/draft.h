#ifndef SKEDI_TREE_DRAFT_H
#define SKEDI_TREE_DRAFT_H

/*
 * What edits touch: queues in slots, linked to parents and siblings, and a
 * column for every attribute that is set in any queue. Slot 0 is the root.
 *
 * A slot that the last commit shows is not given away before the next one, so
 * that a discard can put everything back in place.
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
    SKEDI_SLOT_SEEN = 8     /* by a walk; cleared when it ends */
};

/* What was touched since the last commit: a bit for each attribute, numbers
 * first, then amounts, then all that is text. */
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
    uint32_t touched; /* SKEDI_TOUCH_*; not 0: in the list of touched slots */
    uint32_t touched_next;
    uint8_t depth;
    uint8_t flags; /* SKEDI_SLOT_* */
    uint8_t padding[6];
} skedi_slot;

/* A value for each slot (amounts: `kinds` values, slot by slot), or nothing
 * while it is at rest everywhere. */
typedef struct skedi_column {
    int64_t *at;
    size_t cap; /* slots */
} skedi_column;

typedef struct skedi_draft {
    skedi_slot *slot;
    size_t cap; /* slots there is memory for, in every column */
    uint32_t kinds;
    uint32_t n_slots; /* in use or free */
    uint32_t n;       /* live ones */
    uint32_t free;    /* the next free slot */
    uint32_t touched; /* first of the list */
    uint32_t n_touched;
    uint32_t reshaped;   /* a queue came, went or moved */
    uint32_t used;       /* attributes that were ever set, as bits */
    skedi_text file;     /* name of the text it came from */
    uint64_t text_bytes; /* of all that live slots name */
    uint64_t key;        /* stands for the history of edits */
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

/* An integer attribute as it is stored (attr.h: at rest or set). */
static inline int64_t skedi_draft_number(const skedi_draft *draft,
                                         uint32_t index, uint32_t slot)
{
    const int64_t *at = draft->number[index].at;

    return at ? at[slot] : skedi_attr_rest(skedi_attr_at(index));
}

/* The amounts of a slot, or NULL: at rest in every slot. */
static inline const int64_t *skedi_draft_amounts(const skedi_draft *draft,
                                                 uint32_t index, uint32_t slot)
{
    const int64_t *at = draft->amount[index].at;

    return at ? at + (size_t)slot * draft->kinds : NULL;
}

/* Mixes one number into a history. */
static inline uint64_t skedi_key_mix(uint64_t key, uint64_t x)
{
    key = (key ^ x) * UINT64_C(0x9fb21c651e98df25);
    return key ^ key >> 29;
}

/* Memory for `cap` slots in all. 0: no memory, nothing changed that shows. */
int skedi_draft_ensure(skedi_draft *draft, skedi_mem *mem, size_t cap);

/* Makes an attribute's column be there. 0: no memory. */
int skedi_draft_number_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index);
int skedi_draft_amount_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index);

/* Takes a slot for which there is memory: no links, every attribute at rest. */
uint32_t skedi_draft_take(skedi_draft *draft);

/* Gives back a slot that is linked to nothing: its id is stale from now on. */
void skedi_draft_give(skedi_draft *draft, uint32_t slot);

/* Puts a slot last below `parent`; takes it from where it is. */
void skedi_draft_link(skedi_draft *draft, uint32_t slot, uint32_t parent);
void skedi_draft_unlink(skedi_draft *draft, uint32_t slot);

/* Remembers that `what` (SKEDI_TOUCH_*) of a slot changed. */
void skedi_draft_touch(skedi_draft *draft, uint32_t slot, uint32_t what);

/* Forgets what was touched. */
void skedi_draft_untouch(skedi_draft *draft);

/* The slot after `slot`, parents first, inside `top`; SKEDI_NO_SLOT: no more.
 * Passing over the children of `slot` when `over` is set. */
uint32_t skedi_draft_next(const skedi_draft *draft, uint32_t top, uint32_t slot,
                          int over);

/* A copy with memory of its own. 0: no memory, `into` is empty. */
int skedi_draft_copy(skedi_draft *into, skedi_mem *mem,
                     const skedi_draft *from);

void skedi_draft_free(skedi_draft *draft, skedi_mem *mem);

#endif
