#ifndef SKEDI_ENGINE_CORE_EXTRAS_H
#define SKEDI_ENGINE_CORE_EXTRAS_H

#include "engine/reservation.h"

#endif
