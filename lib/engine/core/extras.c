/* An ask has at most one record of extras, from when it first needs one until
 * it ends. */
#include "engine/core/extras.h"

#include "engine/store.h"

int skedi_ask_rows_reserve(sked_engine *e, uint64_t more)
{
    if (!skedi_pool_reserve(&e->asks, &e->hooks.mem, more)) return 0;
    if (!e->delays || e->waiting_cap >= e->asks.cap) return 1;
    engine_waiting *grown = skedi_grow(
        &e->hooks.mem, e->waiting, e->waiting_cap, e->asks.cap, sizeof *grown);
    if (!grown) return 0;
    e->waiting = grown;
    e->waiting_cap = e->asks.cap;
    return 1;
}

/* No more than all asks have, and one that is being made. */
int skedi_extras_reserve(sked_engine *e, uint64_t more)
{
    uint64_t left = (uint64_t)e->asks.live + 1 - e->extras.live;

    return skedi_pool_reserve(&e->extras, &e->hooks.mem,
                              more < left ? more : left);
}

int skedi_ranges_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->ranges, &e->hooks.mem, more) &&
           skedi_extras_reserve(e, more);
}

engine_extra *skedi_extra_take(sked_engine *e, uint32_t ask)
{
    engine_ask *a = ask_at(e, ask);

    if (a->extra == SKEDI_NONE) {
        a->extra = skedi_pool_take(&e->extras);
        *extra_at(e, a->extra) = (engine_extra){
            .ranges = SKEDI_NONE,
            .places = SKEDI_NONE,
            .refusals = SKEDI_NONE,
            .shape = SKEDI_NONE,
        };
    }
    return extra_at(e, a->extra);
}
