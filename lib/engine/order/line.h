#ifndef SKEDI_ENGINE_ORDER_LINE_H
#define SKEDI_ENGINE_ORDER_LINE_H

#include "engine/pending.h"

#endif
