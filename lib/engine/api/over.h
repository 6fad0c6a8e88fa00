#ifndef SKEDI_ENGINE_API_OVER_H
#define SKEDI_ENGINE_API_OVER_H

/* Counts the nodes that have less than their tasks hold, and the queues that
 * use more than a limit. O((nodes + queues * partitions) * kinds). */

#include "engine/state.h"

void skedi_count_over(const sked_engine *e, sked_engine_stats *stats);

#endif
