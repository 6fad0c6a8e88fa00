#ifndef SKEDI_ENGINE_API_CHECK_H
#define SKEDI_ENGINE_API_CHECK_H

#include "engine/check.h"

#endif
