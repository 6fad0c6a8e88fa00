#ifndef SKEDI_ENGINE_ORDER_FITS_H
#define SKEDI_ENGINE_ORDER_FITS_H

/*
 * How many tasks of a gang over nodes each node takes, and the nodes of each
 * partition together: so that a gang for which there is too little is turned away at
 * once. Counted for tasks that are alike, whatever the size of their gangs.
 * Nodes whose amounts changed are listed, and counted anew when the sums are
 * asked for.
 */

#include "engine/state.h"

/* The free amounts of a node, its state, or what rules say of it has changed.
 * */
static inline void skedi_fits_touch(sked_engine *e, uint32_t node)
{
    engine_node *n = node_at(e, node);
    uint32_t first = e->fits.moved;

    if (e->fits.pool.live == 0 || n->moved) return;
    n->moved = (first == SKEDI_NONE ? node : first) + 1;
    e->fits.moved = node;
}

/* A node was added. */
void skedi_fits_see_node(sked_engine *e, uint32_t node);

/* Counts anew on the nodes that were touched. Where some gang may start now for
 * which there was too little, the partition says that something changed.
 * O(nodes touched * fits * kinds). */
void skedi_fits_count(sked_engine *e);

static inline void skedi_fits_refresh(sked_engine *e)
{
    if (e->fits.moved != SKEDI_NONE) skedi_fits_count(e);
}

/* How many tasks of a shape the nodes of a partition take together, as counted
 * last. */
static inline uint64_t skedi_fit_sum(const sked_engine *e, uint32_t shape,
                                     uint32_t partition)
{
    return e->partition[partition].fit_sum[shape_at(e, shape)->fit];
}

/* How many of them one node takes. */
static inline uint32_t skedi_fit_on(const sked_engine *e, uint32_t shape,
                                    uint32_t node)
{
    size_t at = (size_t)node * e->fits.width + shape_at(e, shape)->fit;

    return e->fits.on[at];
}

/* How often amounts hold a task, at most so often. */
uint32_t skedi_fit_times(const sked_engine *e, const int64_t *task,
                         const int64_t *amounts, uint32_t most);

/* What a gang takes: so many tasks, at most `per_node` on one; with `each`, where
 * nothing of it runs, so many on one, or none. */
typedef struct engine_spread {
    const int64_t *task;
    int64_t tasks;
    uint32_t per_node;
    uint32_t each;
} engine_spread;

/* Could nodes of a partition (or of any one) take it if they were empty? Yes
 * while there are none. O(nodes), for any partition times partitions. */
int skedi_fit_may(const sked_engine *e, const engine_spread *gang,
                  uint32_t partition);

/* The same of a shape; yes of a step on one node, which is no such gang. */
int skedi_shape_may_fit(const sked_engine *e, uint32_t shape,
                        uint32_t partition, uint32_t each);

/* So many did not do: the partition changes once it takes as many. */
void skedi_fit_turn_away(sked_engine *e, uint32_t shape, uint32_t partition,
                         uint64_t wanted);

/* Memory for so many more fits; for the nodes that there is memory for; for a
 * partition of the grid that is being made. 0: no memory. */
int skedi_fit_reserve(sked_engine *e, uint64_t more);
int skedi_fits_node_reserve(sked_engine *e);
int skedi_fits_partition_reserve(sked_engine *e, engine_partition *part);

/* Of what sort a gang over nodes is, whatever its size: so many on one node (0:
 * it is no such gang), and the attribute of which they share a value, or 0. */
typedef struct engine_gang {
    uint64_t same;
    uint32_t per_node;
} engine_gang;

/* The fit of a shape, made when it is new: O(nodes). Memory was reserved, and the
 * attribute is in use (domains.h). */
uint32_t skedi_fit_take(sked_engine *e, const int64_t *task, uint32_t set,
                        engine_gang gang);
void skedi_fit_give(sked_engine *e, uint32_t fit);

/* Computes all sums again after the grid was rebuilt. */
void skedi_fits_sum(sked_engine *e);

void skedi_fits_start(sked_engine *e);
void skedi_fits_free(sked_engine *e);
void skedi_fits_partition_free(sked_engine *e, engine_partition *part);

/* Is every count right? For tests. */
int skedi_fits_are_sound(const sked_engine *e);

#endif
