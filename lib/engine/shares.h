#ifndef SKEDI_ENGINE_SHARES_H
#define SKEDI_ENGINE_SHARES_H

/*
 * What queues of a partition may have, which placement, claims and victims all
 * go by: one set of numbers for each cell and kind (docs/engine.md, *Shares*).
 *
 *   cell_limit    the most it may hold by itself: limit, borrow limit, weight
 *                 0; the root's is at most the capacity
 *   cell_force    its guarantee in force: lifted by its children's, cut where a
 *                 family's add up to more than its parent's
 *   cell_kept     what is kept free for it (`lend`)
 *   cell_booked   what counts as held: of a leaf what it uses and what is
 *                 reserved for its asks; of a parent the sum over its children
 *                 of what each holds, at least what is kept for it
 *   cell_share    its share S, by demand
 *   cell_part     its part of its parent's share by weight and guarantee alone
 *   cell_claim    the part of S that is guaranteed to it, by itself or by what
 *                 its parents are guaranteed
 *
 * The first three follow from tree and capacity, the last three from demand as
 * well; cell_booked is a book.
 */

#include "engine/state.h"

/* Limits, guarantees in force and what is kept, from the tree and capacity. */
void skedi_shares_resolve(sked_engine *e, uint32_t partition);

/* Shares, parts and claims of a partition by what its leaves want now. Never
 * fails. A change of demand that binds no share costs O(shapes of the leaf +
 * depth kinds), every other one a filling of the tree (share/filling.h). */
void skedi_shares_renew(sked_engine *e, uint32_t partition);

/* The same where the orders go by shares. */
void skedi_shares_refresh(sked_engine *e, uint32_t partition);

/* Kinds that are contended in the family of a parent: its children together
 * want more than it has. A bit each. */
static inline uint32_t skedi_contended(const sked_engine *e, uint32_t parent,
                                       uint32_t partition)
{
    return e->cells[cell_of(e, parent, partition)].contended;
}

/* Kinds in which something is guaranteed to a queue, by itself or by what its
 * parents are guaranteed. A bit each. */
static inline uint32_t skedi_named(const sked_engine *e, uint32_t row,
                                   uint32_t partition)
{
    return e->cells[cell_of(e, row, partition)].named;
}

#endif
