#ifndef SKEDI_ENGINE_ORDER_PREDICATES_H
#define SKEDI_ENGINE_ORDER_PREDICATES_H

#include "engine/domains.h"

#endif
