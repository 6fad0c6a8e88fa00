#ifndef SKEDI_ENGINE_CORE_REMAINS_H
#define SKEDI_ENGINE_CORE_REMAINS_H

#include "engine/alloc.h"

#endif
