#ifndef SKEDI_ENGINE_CORE_GROUPS_H
#define SKEDI_ENGINE_CORE_GROUPS_H

#include "engine/alloc.h"

#endif
