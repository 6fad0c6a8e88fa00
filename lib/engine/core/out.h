#ifndef SKEDI_ENGINE_CORE_OUT_H
#define SKEDI_ENGINE_CORE_OUT_H

#include "engine/decision.h"

#endif
