/* Formats a violated invariant. */
#include "base/fail.h"
#include "engine/api/check.h"

sked_status skedi_engine_broken(sked_error *err, const char *what, int64_t got)
{
    return skedi_fail(err, SKED_ERR_INTERNAL, what, (skedi_fault){.got = got});
}
