/* One sum for what comes: nodes that come or change, tasks that are adopted or
 * hold other amounts, and tasks that hold all of a node that grows. */
#include "engine/alloc.h"

#include "engine/reservation.h"

/* The sum of two amounts; of what is none SKED_AMOUNT_MAX + 1. */
static int64_t amount_or_more(int64_t sum, int64_t more)
{
    return more > SKED_AMOUNT_MAX - sum ? SKED_AMOUNT_MAX + 1 : sum + more;
}

int64_t skedi_most_held(const sked_engine *e, uint32_t kind, int64_t held,
                        uint32_t node, int64_t free)
{
    int64_t sum = amount_or_more(skedi_all_held(e, kind), held);

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t here = engine_row_of(e, &e->node_free, n)[kind] +
                       skedi_reservation_of(e, n, kind);
        if (n == node) here += free;
        if (here > 0) sum = amount_or_more(sum, here);
    }
    return node == SKEDI_NONE ? amount_or_more(sum, free) : sum;
}
