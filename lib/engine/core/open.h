#ifndef SKEDI_ENGINE_CORE_OPEN_H
#define SKEDI_ENGINE_CORE_OPEN_H

#include "engine/work.h"

#endif
