#ifndef SKEDI_PREEMPT_COVER_H
#define SKEDI_PREEMPT_COVER_H

#include "base/sort.h"
#include "preempt/scene.h"

/*
 * The search for victims: covers `need` kind by kind with copies of items, at
 * least cost, as the book allows. The search serves the whole need of a round,
 * and the lack of one task on one node.
 */

/* A lot that the search may take. */
typedef struct skedi_item {
    skedi_lot *lot;
    const int64_t *gift; /* the amounts that one copy gives, one a kind */
    uint64_t worth;      /* divisor of the cost in sorting */
    uint64_t score;      /* the part of the need in one copy, in millionths */
    uint32_t rule;       /* enum sked_preempt_reason */
    uint32_t index;      /* place in the order */
    uint32_t chosen;     /* copies */
    uint32_t most;       /* copies wanted and allowed */
    uint32_t best;       /* copies in the best plan */
    uint32_t alike;      /* alike to the item before */
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
    int64_t *left;      /* by queue: the amount still allowed, in a bound */
    uint64_t *stamp;    /* by queue: the bound of `left` */
    uint64_t bounds;

    uint32_t kinds; /* number of kinds to cover */
    uint32_t kind[SKED_MAX_KINDS];
    uint32_t n_cheap[SKED_MAX_KINDS];
    int64_t need[SKED_MAX_KINDS]; /* by place in `kind` */
    int64_t got[SKED_MAX_KINDS];

    int64_t cost;  /* of the chosen copies */
    int64_t best;  /* the search looks only for a lower cost */
    int64_t bound; /* no choice costs less; -1: no cover exists */
    int found;
    int in_order; /* the found copies were taken in the order of the lots */
    int proven;   /* no better choice exists */
    uint64_t steps;
    uint64_t limit;
} skedi_cover;

/* Reserves memory for `items` items. Returns 0 if memory is short; the caller
 * closes the cover in any case. */
int skedi_cover_open(skedi_cover *cover, skedi_scene *scene, skedi_book *book,
                     uint32_t items);
void skedi_cover_close(skedi_cover *cover);

/* Begins anew, without items; need by kind. */
void skedi_cover_start(skedi_cover *cover, const int64_t *need);
void skedi_cover_add(skedi_cover *cover, skedi_lot *lot, const int64_t *gift,
                     uint32_t rule);

/*
 * Looks for a choice that costs less than `best`. `found`: the items have the
 * choice in their `best`, and cover->best is its cost. The book takes no
 * copies.
 */
sked_status skedi_cover_solve(skedi_cover *cover, int64_t best);

/*
 * The items as a plan lists them: in their order, or (with
 * SKED_PREEMPT_FLAG_OVERSHOOT, if it makes a difference) as they were taken.
 */
const skedi_item *skedi_cover_listed(const skedi_cover *cover, uint32_t i);

/*
 * The plain walk: takes every item that covers part of the need, in order,
 * until the need is covered. The items have the result in their `chosen`, and
 * the book has taken the copies. `all`: takes every item with a kind of the
 * first need, as other systems do. Returns 1 if the need is covered.
 */
int skedi_cover_walk(skedi_cover *cover, const uint32_t *order, int all);

/* Gives back what is chosen. */
void skedi_cover_undo(skedi_cover *cover);

/* ---- preempt/cover.c ---- */

/* Orders the items for search, walk and bounds. */
void skedi_cover_order(skedi_cover *cover);

/* The least cost of the rest of the need with items from `first` on; -1: no
 * cover exists. */
int64_t skedi_cover_bound(skedi_cover *cover, uint32_t first);

#endif
