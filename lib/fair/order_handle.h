#ifndef SKEDI_ORDER_HANDLE_H
#define SKEDI_ORDER_HANDLE_H

/* An order over a tree, from inside. */

#include "base/hooks.h"
#include "fair/order_sort.h"
#include "queue/ledger.h"

/* What is remembered of a queue. */
typedef struct skedi_order_memory {
    sked_queue_id id; /* whose it is: slots are used again */
    sked_queue_id parent;
    sked_order_key tag;   /* among its siblings */
    sked_order_key level; /* of its children */
} skedi_order_memory;

struct sked_order {
    skedi_hooks hooks;
    uint32_t flags;
    skedi_random random;
    skedi_order_memory *memory; /* by slot */
    size_t slots;
    skedi_order_room room;
};

/* What a queue remembers, read only: all zero when that is nothing. */
skedi_order_memory skedi_order_recall(const sked_order *order, sked_queue_id id,
                                      sked_queue_id parent);

/* Room to remember a queue; 0: no memory. */
int skedi_order_memory_ensure(sked_order *order, sked_queue_id id);

/* The same, to be written, where there is room. */
skedi_order_memory *skedi_order_remember(sked_order *order, sked_queue_id id,
                                         sked_queue_id parent);

/* A view that was looked at. */
typedef struct skedi_order_sight {
    const skedi_image *image;
    const sked_ledger *ledger;
    const int64_t *capacity;
    const uint8_t *eligible;
} skedi_order_sight;

/* Takes a caller's view; with `ledger` off it need not have one. */
sked_status skedi_order_look(const sked_order_view *view, int ledger,
                             skedi_order_sight *sight, sked_error *err);

/* Lists the eligible children of row `parent` with their keys in order->room,
 * those of `random` still to be drawn. */
void skedi_order_gather(sked_order *order, const skedi_order_sight *sight,
                        uint32_t parent);

#endif
