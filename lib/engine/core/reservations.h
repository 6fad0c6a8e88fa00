#ifndef SKEDI_ENGINE_CORE_RESERVATIONS_H
#define SKEDI_ENGINE_CORE_RESERVATIONS_H

#include "engine/reservation.h"

#endif
