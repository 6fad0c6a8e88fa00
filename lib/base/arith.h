#ifndef SKEDI_ARITH_H
#define SKEDI_ARITH_H

/*
 * Numbers wider than 64 bits, and checked ones: the only place that knows
 * whether the compiler has a 128-bit type. Everything here is exact.
 *
 * SKEDI_INT128 is 1 when the compiler's own type is used; the build can set it
 * to 0 to use pairs of 64-bit words, which give the same answers.
 */

#include <stdint.h>

#ifndef SKEDI_INT128
#ifdef __SIZEOF_INT128__
#define SKEDI_INT128 1
#else
#define SKEDI_INT128 0
#endif
#endif

#if SKEDI_INT128
#include "base/arith_native.h"
#else
#include "base/arith_pair.h"
#endif

#endif
