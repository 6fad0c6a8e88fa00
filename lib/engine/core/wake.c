/* When a node is of use to an ask that waits for its places. */
#include "engine/core/wake.h"

#include "engine/core/open.h"
#include "engine/core/refusal.h"

/* `from` plus `wait`, saturated at INT64_MAX. */
static sked_time time_after(sked_time from, uint64_t wait)
{
    uint64_t left = (uint64_t)INT64_MAX - (uint64_t)from;
    return wait >= left ? INT64_MAX : (sked_time)((uint64_t)from + wait);
}

/* The node wakes by the least time and the least node events over all asks that
 * wait, each by itself: so maybe too early, never too late. */
void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    engine_node *n = node_at(e, node);
    engine_wait wait = skedi_place_wait(e, a, node);
    engine_waiting w = skedi_ask_waiting(e, a);
    uint64_t passed = skedi_ask_beats(e, a) - w.beats;
    uint64_t beats = wait.beats > passed ? wait.beats - passed : 0;

    if (wait.never) return;
    n->wake_time = skedi_i64_min(n->wake_time, time_after(w.since, wait.time));
    if (e->stats.heartbeats + beats < n->wake_beats) {
        n->wake_beats = e->stats.heartbeats + beats;
    }
}
