#ifndef REF_LOCALITY_H
#define REF_LOCALITY_H

/*
 * Blocks to hosts by the plainest means: flows that grow by one path at a time,
 * and all placements there are. For small inputs only.
 */

#include <sched/locality.h>

enum { REF_BLOCKS = 64, REF_HOSTS = 16 };

/* When the j-th block of a host ends; SKED_UNLIMITED beyond its limit. */
int64_t ref_locality_end(const sked_locality_input *in, uint32_t h, uint32_t j);

/* Blocks that a host ends by then, of at most `blocks`. */
uint32_t ref_locality_fits(const sked_locality_input *in, uint32_t h,
                           int64_t load);

/* B less a largest flow: the fewest transfers for that load. */
uint64_t ref_locality_transfers(const sked_locality_input *in, int64_t load);

/* The least load by which all hosts end all blocks, up to `most`. */
int64_t ref_locality_floor(const sked_locality_input *in, int64_t most);

/* The least cost of putting every block somewhere with no load above `load`, by
 * one shortest path (Bellman and Ford) after the other; -1: it cannot be. */
int64_t ref_locality_cost(const sked_locality_input *in,
                          const sked_locality_plan_options *o);

/*
 * Over all placements: the fewest blocks elsewhere than in `present` among
 * those that are as good as any for every load. Unplaced blocks are on
 * SKED_LOCALITY_NO_HOST.
 */
uint64_t ref_locality_moves(const sked_locality_input *in,
                            const uint32_t *present);

/* Over all placements without transfers: the least largest sum of sizes. */
int64_t ref_locality_sized(const sked_locality_input *in, const int64_t *size);

#endif
