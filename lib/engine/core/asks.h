#ifndef SKEDI_ENGINE_CORE_ASKS_H
#define SKEDI_ENGINE_CORE_ASKS_H

#include "engine/work.h"

#endif
