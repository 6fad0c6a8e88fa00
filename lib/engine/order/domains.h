#ifndef SKEDI_ENGINE_ORDER_DOMAINS_H
#define SKEDI_ENGINE_ORDER_DOMAINS_H

#include "engine/domains.h"

#endif
