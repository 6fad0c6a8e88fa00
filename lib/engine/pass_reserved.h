#ifndef SKEDI_ENGINE_PASS_RESERVED_H
#define SKEDI_ENGINE_PASS_RESERVED_H

#include "base/arith.h"
#include "engine/state.h"

/* Starts that have a reservation on a node. */

/*
 * Starts on a node what was reserved there, oldest first, as far as there is
 * enough free and nothing else is in the way; up to decision `last`, and
 * `*started` counts tasks and gangs. SKED_OK, SKED_STOPPED (so many decisions,
 * or as many wait as may) or SKED_ERR_NOMEM; what was started stands.
 */
sked_status skedi_reservation_serve(sked_engine *e, uint32_t node,
                                    uint64_t last, uint64_t *started);

/* How much one pass starts on a node: `max_per_pass` by number, `pass_part_ppm`
 * by amount. By amount, a node has a row of what may still be started before
 * the pass stops there: a part of what was free, without what was started
 * since. */

/* A pass begins on a node, where there is a bound by amount. O((1 +
 * reservations of the node) * kinds). */
void skedi_turn_open(sked_engine *e, uint32_t node);

/* Has the pass started more on a node than the bound by amount? */
int skedi_turn_is_beyond(const sked_engine *e, uint32_t node);

/* How many tasks of an ask start on a node until that is so; at most `most`. */
uint64_t skedi_turn_left_by_amount(const sked_engine *e, uint32_t ask,
                                   uint32_t node, uint64_t most);

/* How many tasks of an ask may still start on a node after so many that the
 * pass has started there; the last may go beyond the bound by amount. The pass
 * is not over there. */
static inline uint64_t skedi_turn_left(const sked_engine *e, uint32_t ask,
                                       uint32_t node, uint64_t started)
{
    uint32_t most = e->opts.max_per_pass;
    uint64_t left = most ? most - started : UINT64_MAX;

    return e->opts.pass_part_ppm ? skedi_turn_left_by_amount(e, ask, node, left)
                                 : left;
}

/* Is the pass over on a node where it has started so many tasks (or gangs)? */
static inline int skedi_turn_is_over(const sked_engine *e, uint32_t node,
                                     uint64_t started)
{
    uint32_t most = e->opts.max_per_pass;

    if (most && started >= most) return 1;
    return e->opts.pass_part_ppm && skedi_turn_is_beyond(e, node);
}

/* So much more of a node is taken (by 1) or given back (by -1). While no pass
 * is on a node its row means nothing; it stays within the largest amount. */
static inline void skedi_turn_take(const sked_engine *e, uint32_t node,
                                   const int64_t *amounts, int by)
{
    if (!e->opts.pass_part_ppm) return;
    int64_t *left = engine_row_of(e, &e->node_turn, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        left[k] = skedi_i64_max(left[k] - amounts[k] * by, -SKED_AMOUNT_MAX);
        left[k] = skedi_i64_min(left[k], SKED_AMOUNT_MAX);
    }
}

#endif
