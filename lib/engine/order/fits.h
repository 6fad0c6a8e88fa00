#ifndef SKEDI_ENGINE_ORDER_FITS_H
#define SKEDI_ENGINE_ORDER_FITS_H

#include "engine/gang_fit.h"

#endif
