#ifndef SKEDI_ENGINE_CORE_GANGS_H
#define SKEDI_ENGINE_CORE_GANGS_H

#include "engine/gang.h"

#endif
