#ifndef SKEDI_ENGINE_ORDER_ACCOUNTS_H
#define SKEDI_ENGINE_ORDER_ACCOUNTS_H

#include "engine/budget.h"

#endif
