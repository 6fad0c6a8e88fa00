#ifndef SKEDI_ENGINE_ORDER_SHAPES_H
#define SKEDI_ENGINE_ORDER_SHAPES_H

#include "engine/pending.h"

#endif
