#ifndef SKEDI_ENGINE_CORE_FORMING_H
#define SKEDI_ENGINE_CORE_FORMING_H

#include "engine/reservation.h"

#endif
