#ifndef SKEDI_ORDER_HANDLE_H
#define SKEDI_ORDER_HANDLE_H

/* An order over a tree, from inside. */

#include "base/hooks.h"
#include "order/sort.h"
#include "ledger/handle.h"

struct sked_order {
    skedi_hooks hooks;
    uint32_t flags;
    skedi_random random;
    skedi_order_sorting sorting;
};

/* A view after its checks. */
typedef struct skedi_order_sight {
    const skedi_image *image;
    const sked_ledger *ledger;
    const int64_t *capacity;
    const uint8_t *eligible;
    const int64_t *share;
} skedi_order_sight;

/* Takes a caller's view. */
sked_status skedi_order_look(const sked_order_input *view,
                             skedi_order_sight *sight, sked_error *err);

/* Checks the shares needed by row `parent` to order its children. */
sked_status skedi_order_shares_in(const sked_order *order,
                                  const skedi_order_sight *sight,
                                  uint32_t parent, sked_error *err);

/* Writes the eligible children of row `parent` with their keys to
 * order->sorting. The caller draws the keys of `random`. */
void skedi_order_gather(sked_order *order, const skedi_order_sight *sight,
                        uint32_t parent);

#endif
