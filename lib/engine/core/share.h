#ifndef SKEDI_ENGINE_CORE_SHARE_H
#define SKEDI_ENGINE_CORE_SHARE_H

#include "engine/gang.h"

#endif
