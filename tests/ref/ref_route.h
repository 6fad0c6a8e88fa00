#ifndef REF_ROUTE_H
#define REF_ROUTE_H

/*
 * Routing as its header defines it: every pair of clusters compared, scores as
 * sums of fractions in numbers of 256 bits, nothing shared with the library.
 */

#include <sched/route.h>

/* The cluster of row `i` of the jobs, and the next best
 * (SKED_ROUTE_NO_CLUSTER). */
void ref_route(const sked_route_input *s, const sked_route_options *opts,
               const sked_route_jobs *jobs, uint32_t i, uint64_t answer[2]);

/* Can the cluster of row `c` ever hold one instance of row `i`? */
int ref_route_fits(const sked_route_input *s, uint32_t kinds,
                   const sked_route_jobs *jobs, uint32_t i, uint32_t c);

#endif
