#ifndef REF_LOCALITY_FAIR_H
#define REF_LOCALITY_FAIR_H

/* Locality under fairness as its header defines it: one graph with a node for
 * every queue, block and host, and a flow that grows by one path at a time. */

#include <sched/locality_fair.h>

/* The most blocks that can be local with every queue at what it wants. With
 * `apart`, only the first blocks of each queue may run. */
uint64_t ref_locality_fair(const sked_locality_fair_input *in, int apart);

#endif
