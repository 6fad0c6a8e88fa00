#ifndef SKEDI_ENGINE_CORE_REFUSAL_H
#define SKEDI_ENGINE_CORE_REFUSAL_H

#include "engine/exclusion.h"

#endif
