/* The fallback for compilers without 128-bit integers or bit scans. */
#undef SKEDI_INT128
#define SKEDI_INT128 0
#define SKEDI_BIT_BUILTINS 0
#include "arith_ops_body.h"

const arith_ops arith_pairs = ARITH_OPS;
