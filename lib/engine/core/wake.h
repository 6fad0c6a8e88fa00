#ifndef SKEDI_ENGINE_CORE_WAKE_H
#define SKEDI_ENGINE_CORE_WAKE_H

#include "engine/exclusion.h"

#endif
