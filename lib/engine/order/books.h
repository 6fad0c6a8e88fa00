#ifndef SKEDI_ENGINE_ORDER_BOOKS_H
#define SKEDI_ENGINE_ORDER_BOOKS_H

#include "engine/queue.h"

#endif
