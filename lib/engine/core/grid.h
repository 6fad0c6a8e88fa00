#ifndef SKEDI_ENGINE_CORE_GRID_H
#define SKEDI_ENGINE_CORE_GRID_H

#include "engine/queue.h"

#endif
