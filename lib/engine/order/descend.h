#ifndef SKEDI_ENGINE_ORDER_DESCEND_H
#define SKEDI_ENGINE_ORDER_DESCEND_H

/*
 * The same walk down the tree where entries of the last class are in play,
 * which differ from each other: one by one, and back again where a leaf turns
 * out to have none by which a queue above it goes first.
 */

#include "engine/state.h"

/* The first entry of those with a class in `fit`; there is one. */
uint32_t skedi_descend(sked_engine *e, uint32_t partition, uint64_t fit);

#endif
