#ifndef SKEDI_PREEMPT_COVER_H
#define SKEDI_PREEMPT_COVER_H

#include "base/sort.h"
#include "preempt/scene.h"

/*
 * The search for victims: cover `need` kind by kind with copies of items, at
 * least cost, as the book allows. Used for the whole need of a round, and for
 * what one task lacks on one node.
 */

/* A lot that may be taken here. */
typedef struct skedi_item {
    skedi_lot *lot;
    const int64_t *gift; /* what one copy gives here, one a kind */
    uint64_t worth;      /* what its cost is divided by, while sorting */
    uint64_t score;      /* what one copy is of the need, in millionths */
    uint32_t rule;       /* enum sked_preempt_reason */
    uint32_t index;      /* its place in the order */
    uint32_t chosen;     /* copies */
    uint32_t most;       /* copies that were wanted and allowed */
    uint32_t best;       /* copies in the best plan so far */
    uint32_t alike;      /* as the item before it */
} skedi_item;

typedef struct skedi_cover {
    skedi_scene *scene;
    skedi_book *book;
    skedi_item *items;
    uint32_t n;
    uint32_t cap;    /* for items */
    int up_to_take;  /* a queue covers no more than its take */
    uint32_t *walk;  /* items in their order */
    uint32_t *cheap; /* for each kind to cover: items, cheapest first */
    uint32_t *scratch;
    skedi_keyed *keyed; /* twice as long */
    int64_t *most;      /* by item and kind: what a copy covers at most */
    int64_t *left;      /* by queue: what it may still cover, in a bound */
    uint64_t *stamp;    /* by queue: the bound that `left` is of */
    uint64_t bounds;

    uint32_t kinds; /* that are to be covered */
    uint32_t kind[SKED_MAX_KINDS];
    uint32_t n_cheap[SKED_MAX_KINDS];
    int64_t need[SKED_MAX_KINDS]; /* by place in `kind` */
    int64_t got[SKED_MAX_KINDS];

    int64_t cost;  /* of what is chosen */
    int64_t best;  /* only what costs less is looked for */
    int64_t bound; /* nothing costs less; -1: it cannot be covered */
    int found;
    int in_order; /* what was found was taken in the order of the lots */
    int proven;   /* there is nothing better */
    uint64_t steps;
    uint64_t limit;
} skedi_cover;

/* Memory for `items` items; 0: none, close it all the same. */
int skedi_cover_open(skedi_cover *cover, skedi_scene *scene, skedi_book *book,
                     uint32_t items);
void skedi_cover_close(skedi_cover *cover);

/* Begins anew, without items; need by kind. */
void skedi_cover_start(skedi_cover *cover, const int64_t *need);
void skedi_cover_add(skedi_cover *cover, skedi_lot *lot, const int64_t *gift,
                     uint32_t rule);

/*
 * Looks for a choice that costs less than `best`. `found`: items have it in
 * their `best`, and cover->best is its cost. Nothing is taken in the book.
 */
sked_status skedi_cover_solve(skedi_cover *cover, int64_t best);

/*
 * The items as a plan lists them: in their order, or (with
 * SKED_PREEMPT_FLAG_OVERSHOOT, where it matters) as they were taken.
 */
const skedi_item *skedi_cover_listed(const skedi_cover *cover, uint32_t i);

/*
 * The plain walk: what covers part of the need is taken as it comes, until it
 * is covered. Items have it in their `chosen`, and it is taken in the book.
 * `all`: whatever holds a kind that was needed at first, as others do.
 * Returns 1 when the need is covered.
 */
int skedi_cover_walk(skedi_cover *cover, const uint32_t *order, int all);

/* Gives back what is chosen. */
void skedi_cover_undo(skedi_cover *cover);

/* ---- preempt/cover.c ---- */

/* Orders the items for search, walk and bounds. */
void skedi_cover_order(skedi_cover *cover);

/* What the rest of the need costs at least with items from `first` on; -1: it
 * cannot be covered. */
int64_t skedi_cover_bound(skedi_cover *cover, uint32_t first);

#endif
