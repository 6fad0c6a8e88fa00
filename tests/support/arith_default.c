/* The arithmetic this machine's library uses, even in a build with pairs. */
#undef SKEDI_INT128
#include "arith_ops_body.h"

const arith_ops arith_default = ARITH_OPS;
