#ifndef SKEDI_ENGINE_CORE_NOTICES_H
#define SKEDI_ENGINE_CORE_NOTICES_H

#include "engine/alloc.h"

#endif
