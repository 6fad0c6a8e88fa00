#ifndef SKEDI_ENGINE_GANG_FIT_H
#define SKEDI_ENGINE_GANG_FIT_H

#include "engine/state.h"
#include "engine/touch.h"

/*
 * How many tasks of a gang over nodes fit each node, and the nodes of each
 * partition together, so that a gang for which there is too little is turned
 * away at once. A fit is what tasks of gangs have alike, whatever the size of
 * the gangs. Nodes whose amounts changed are listed, and counted anew when the
 * sums are asked for.
 */

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

/* How many tasks fit into amounts; at most `most`. */
uint32_t skedi_fit_times(const sked_engine *e, const int64_t *task,
                         const int64_t *amounts, uint32_t most);

/* What a gang takes: so many tasks, at most `per_node` on one; with `each`,
 * where nothing of it runs, so many on one, or none. */
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

/* The same of the gangs of a shape; yes of a shape that is no gang over nodes.
 */
int skedi_shape_may_fit(const sked_engine *e, uint32_t shape,
                        uint32_t partition, uint32_t each);

/* A gang was turned away that needs `wanted` tasks to fit: the partition
 * changes once as many do. */
void skedi_fit_turn_away(sked_engine *e, uint32_t shape, uint32_t partition,
                         uint64_t wanted);

/* Memory for so many more fits; for the nodes that there is memory for; for a
 * partition of the grid that is being made. 0: no memory. */
int skedi_fit_reserve(sked_engine *e, uint64_t more);
int skedi_fits_node_reserve(sked_engine *e);
int skedi_fits_partition_reserve(sked_engine *e, engine_partition *part);

/* How a gang over nodes starts, whatever its size. */
typedef struct engine_gang {
    uint64_t same;     /* attribute of which its nodes share a value, or 0 */
    uint32_t per_node; /* at most so many on one node; 0: it is no such gang */
} engine_gang;

/* The fit of such tasks, made when it is new: O(nodes). Counts one use. Memory
 * was reserved, and the attribute is in use (domains.h). The second call takes
 * one use off. */
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
