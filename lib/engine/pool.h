#ifndef SKEDI_ENGINE_POOL_H
#define SKEDI_ENGINE_POOL_H

#include "engine/store.h"

#endif
