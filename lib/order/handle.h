#ifndef SKEDI_ORDER_HANDLE_H
#define SKEDI_ORDER_HANDLE_H

/* An order over a tree, from inside. */

#include "base/hooks.h"
#include "order/sort.h"
#include "ledger/handle.h"

/* A queue and its parent, which is SKED_NO_QUEUE above the root; each by id and
 * birth (tree/image.h). */
typedef struct skedi_order_place {
    sked_queue_id id;
    uint64_t birth;
    sked_queue_id parent;
    uint64_t parent_birth;
} skedi_order_place;

static inline skedi_order_place skedi_order_place_of(const skedi_image *image,
                                                     uint32_t row)
{
    skedi_order_place place = {.id = image->id[row],
                               .birth = image->birth[row]};

    if (row == 0) return place;
    place.parent = image->id[image->parent[row]];
    place.parent_birth = image->birth[image->parent[row]];
    return place;
}

static inline int skedi_order_same_queue(skedi_order_place a,
                                         skedi_order_place b)
{
    return a.id == b.id && a.birth == b.birth;
}

static inline int skedi_order_same_parent(skedi_order_place a,
                                          skedi_order_place b)
{
    return a.parent == b.parent && a.parent_birth == b.parent_birth;
}

/* What is remembered of a queue. */
typedef struct skedi_order_memory {
    skedi_order_place of; /* whose it is: slots are used again */
    sked_order_key tag;   /* among its siblings */
    sked_order_key level; /* of its children */
} skedi_order_memory;

struct sked_order {
    skedi_hooks hooks;
    uint32_t flags;
    skedi_random random;
    skedi_order_memory *memory; /* by slot */
    size_t slots;
    skedi_order_sorting sorting;
};

/* What a queue remembers, read only: all zero when that is nothing. */
skedi_order_memory skedi_order_recall(const sked_order *order,
                                      skedi_order_place place);

/* Memory to remember a queue; 0: no memory. */
int skedi_order_memory_ensure(sked_order *order, sked_queue_id id);

/* The same, to be written, where there is memory. */
skedi_order_memory *skedi_order_remember(sked_order *order,
                                         skedi_order_place place);

/* A view that was looked at. */
typedef struct skedi_order_sight {
    const skedi_image *image;
    const sked_ledger *ledger;
    const int64_t *capacity;
    const uint8_t *eligible;
    const int64_t *share;
} skedi_order_sight;

/* Takes a caller's view; with `ledger` off it need not have one. */
sked_status skedi_order_look(const sked_order_input *view, int ledger,
                             skedi_order_sight *sight, sked_error *err);

/* Are the shares there and sound that row `parent` orders its children by? */
sked_status skedi_order_shares_in(const sked_order *order,
                                  const skedi_order_sight *sight,
                                  uint32_t parent, sked_error *err);

/* Lists the eligible children of row `parent` with their keys in
 * order->sorting, those of `random` still to be drawn. Returns the least key of
 * the order alone. */
sked_order_key skedi_order_gather(sked_order *order,
                                  const skedi_order_sight *sight,
                                  uint32_t parent);

#endif
