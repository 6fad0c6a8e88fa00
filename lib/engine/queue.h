#ifndef SKEDI_ENGINE_QUEUE_H
#define SKEDI_ENGINE_QUEUE_H

#include "engine/state.h"

/* Usage and order of queues in partitions, and the arrays that hold both. */

/*
 * Keys, masks and books of cells. None of these calls can fail.
 *
 * Order `random`: for each task or gang that is started, the children are in
 * an order drawn from the seed, the partition and the tasks started so far.
 *
 * Before its parent's order, a child goes that is below its guarantee
 * (standing.h).
 */

/* The classes that a cell offers to its parent: open classes that fit into its
 * head room. */
static inline uint64_t skedi_cell_offer(const sked_engine *e, size_t cell,
                                        uint32_t row)
{
    const engine_cell *c = &e->cells[cell];

    return e->rows.closed[row] ? 0 : skedi_tourney_all(&c->turn) & ~c->full;
}

/* Recomputes the key of a cell, which is not the root's, and updates its
 * parent's tournament. */
void skedi_cell_play(sked_engine *e, uint32_t row, uint32_t partition);

/* Finds anew the kind of which a leaf uses most, by which its users are
 * measured. */
void skedi_cell_renew_lead(sked_engine *e, uint32_t leaf, uint32_t partition);

/* Carries what is open below a cell, and not struck, up to its parent and so
 * on, as far as that changes anything. */
void skedi_cell_show(sked_engine *e, uint32_t row, uint32_t partition);

/* Adds amounts (signed) to the books of a leaf's path in one partition, and
 * climbs. Where something is given `back`, head rooms open again. */
void skedi_books_charge(sked_engine *e, uint32_t leaf, uint32_t partition,
                        const int64_t *delta, int back);

/* Reserves amounts (signed) for asks of a leaf: on the whole path they count as
 * held when head room is asked for. */
void skedi_books_reserve(sked_engine *e, uint32_t leaf, uint32_t partition,
                         const int64_t *delta);

/* Masters of a leaf hold more (signed), where that is bounded. */
void skedi_books_masters(sked_engine *e, uint32_t leaf, uint32_t partition,
                         const int64_t *delta);

/* What counts as held by a cell where head room is asked for. */
static inline const int64_t *skedi_booked(const sked_engine *e, size_t cell)
{
    const int64_t *at = e->shared ? e->cell_booked : e->cell_used;

    return at + cell * e->kinds;
}

/*
 * One level of a step (or of what is given back) on its way up: `delta` is what
 * the row's books change by, one amount a kind, and becomes what its parent's
 * do, which counts at least what is kept for the row.
 */
void skedi_books_climb(const sked_engine *e, size_t cell, int64_t *delta);

/* What a queue uses of a kind in all partitions together. O(partitions). */
int64_t skedi_row_used(const sked_engine *e, uint32_t row, uint32_t k);

/* Head room may hold again what it did not, in every partition. */
void skedi_head_open(sked_engine *e, uint32_t row);

/* Notes that the head room of a row does not hold a class in a partition, until
 * something is given back there. Shapes of a mixed class differ: of those
 * it is only noted that one was turned away. */
void skedi_books_strike(sked_engine *e, uint32_t row, uint32_t partition,
                        uint64_t class);

/* Forgets that for classes of which nothing is open, so that other shapes can
 * take their bits. O(rows). */
void skedi_books_unstrike(sked_engine *e, uint32_t partition, uint64_t classes);

/* Everything of a partition whose capacity changed: limits, guarantees, keys,
 * tournaments. O(rows + entries). */
void skedi_partition_refresh(sked_engine *e, uint32_t partition);

/* The keys of the children of a row in a partition. */
typedef struct engine_family {
    const sked_order_key *first; /* of the first child */
    size_t step;                 /* from child to child */
} engine_family;

static inline engine_family skedi_family_of(const sked_engine *e, uint32_t row,
                                            uint32_t partition)
{
    uint32_t first = e->rows.first_child[row];

    return (engine_family){&e->cell_order[cell_of(e, first, partition)],
                           e->parts};
}

/* Is the child in place `a` of an engine_family ahead of the one in `b`? */
int skedi_child_before(const void *family, uint32_t a, uint32_t b);

/* The first child of a row, by its order, that offers a class of `fit`;
 * SKEDI_NO_PLACE. */
uint32_t skedi_family_search(const sked_engine *e, uint32_t row,
                             uint32_t partition, uint64_t fit);

/* The same; most often that is the first of all children. */
static inline uint32_t skedi_family_first(const sked_engine *e, uint32_t row,
                                          uint32_t partition, uint64_t fit)
{
    const skedi_tourney *t = &e->cells[cell_of(e, row, partition)].turn;
    uint32_t top = skedi_tourney_top(t);

    if (top != SKEDI_NO_PLACE && (skedi_tourney_mask(t, top) & fit)) return top;
    return skedi_family_search(e, row, partition, fit);
}

/* The key of a queue among the children of `up`, from its books. */
sked_order_key skedi_cell_key(const sked_engine *e, uint32_t row, uint32_t up,
                              uint32_t partition);

/* The key that orders a child by chance in this walk. */
uint64_t skedi_chance_of(const sked_engine *e, uint32_t row,
                         uint32_t partition);

/* Notes that something may have become possible in a partition, so that passes
 * look at its nodes again; in all partitions. */
static inline void skedi_partition_stir(sked_engine *e, uint32_t partition)
{
    e->partition[partition].changes++;
}

static inline void skedi_partition_stir_all(sked_engine *e)
{
    for (uint32_t p = 0; p < e->parts; p++) skedi_partition_stir(e, p);
}

/* Weights of queues that the host says in place of the tree's. */

sked_status skedi_queue_weight(sked_engine *e, const sked_event *event,
                               sked_error *err);

/* Has the host said another weight of a queue than the tree? `*tree` is the
 * tree's. */
int skedi_weight_differs(const sked_engine *e, uint32_t row, uint32_t *tree);

/* Takes over what was said of queues of `old` into a new grid, before its keys
 * are made. `row_of`: the rows that they have there; NULL: the same. */
void skedi_weights_carry(sked_engine *e, const sked_engine *old,
                         const uint32_t *row_of);

/* Do weights and their sums follow from the tree and what was said? For tests.
 */
int skedi_weights_are_sound(const sked_engine *e);

/*
 * The derived half of an engine: queues in rows, rows x partitions in cells.
 * It is made as a whole, when an engine begins, when it takes over another
 * tree, and when a partition with a higher number turns up.
 */

/*
 * Makes the grid for `tree` (which becomes the engine's own) and `parts`
 * partitions, and books into it everything that is there. `row_of` has for each
 * row so far the one in `tree` (SKEDI_NO_ROW: gone); NULL: rows stay. Every
 * job's row must become a leaf of `tree`. 0: no memory, or too many cells;
 * nothing changed, and `tree` is still the caller's.
 */
int skedi_grid_build(sked_engine *e, sked_tree *tree, const uint32_t *row_of,
                     uint32_t parts);

/* Do places go by shares? Is what masters hold bounded somewhere? */

/* Frees the grid (not the tree). */
void skedi_grid_free(sked_engine *e);

/* Keys and bits of entries, made from what an engine knows and nothing else. */

/* Is entry `a` ahead of `b` in their leaf's order? The same for sorting
 * (base/sort.h), of two that differ; `engine` is the engine. */
int skedi_entry_before(const sked_engine *e, uint32_t a, uint32_t b);
int skedi_entry_compare(const void *engine, uint32_t a, uint32_t b);

/* An entry's key by its leaf's order. */
uint64_t skedi_entry_key(const sked_engine *e, uint32_t entry);

/* The bit of its class, by which an entry is found: 0 while its user is at the
 * limit, or a tree of limits keeps its ask out. */
uint64_t skedi_entry_mask(const sked_engine *e, uint32_t entry);

/* The kind of which `used` is the largest part of what a partition has. */
uint32_t skedi_lead_of(const sked_engine *e, uint32_t partition,
                       const int64_t *used);

/* The same of what a cell uses. */
uint32_t skedi_cell_lead(const sked_engine *e, uint32_t cell);

/*
 * Guarantee first. In a family in which something is guaranteed, those children
 * go before all others that are below their guarantee in a contended kind, with
 * steps that need such a kind and stay within their share in every contended
 * kind that they need. They stand in a tournament of their own: the least held
 * over guaranteed first.
 */

/* Is a step of a shape one by which a child goes before the others? */
int skedi_standing_has(const sked_engine *e, uint32_t row, uint32_t partition,
                       uint32_t shape);

/* The key of a child among those below their guarantee, from its books. */
sked_order_key skedi_standing_key(const sked_engine *e, uint32_t row,
                                  uint32_t partition);

/* Which is ahead among the children of a row that are below their guarantee. */
typedef struct engine_standings {
    const engine_standing *first; /* of the first child */
    size_t step;                  /* from child to child */
} engine_standings;

static inline engine_standings
skedi_standings_of(const sked_engine *e, uint32_t row, uint32_t partition)
{
    uint32_t first = e->rows.first_child[row];

    return (engine_standings){&e->cell_standing[cell_of(e, first, partition)],
                              e->parts};
}

int skedi_standing_before(const void *family, uint32_t a, uint32_t b);

#endif
