#ifndef SKEDI_ENGINE_CORE_SAME_H
#define SKEDI_ENGINE_CORE_SAME_H

#include "engine/gang.h"

#endif
