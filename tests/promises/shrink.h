#ifndef PROMISES_SHRINK_H
#define PROMISES_SHRINK_H

#include "host.h"

/* Makes a world smaller while it breaks the same promise: fewer queues, asks,
 * nodes, attributes, options. At most so many runs. */
void world_shrink(world *w, int promise, uint32_t most_rounds, uint32_t runs);

#endif
