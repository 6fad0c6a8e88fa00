#ifndef SKEDI_ENGINE_ORDER_TREES_H
#define SKEDI_ENGINE_ORDER_TREES_H

#include "engine/budget.h"

#endif
