#ifndef SKEDI_ENGINE_ORDER_STANDING_H
#define SKEDI_ENGINE_ORDER_STANDING_H

#include "engine/queue.h"

#endif
