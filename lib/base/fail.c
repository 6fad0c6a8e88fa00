/* Errors filled in, for a caller who asked for them: the code, its words, and
 * the numbers that say where. */
#include "base/fail.h"

#include <string.h>

_Static_assert(sizeof(sked_error) == 256, "sked_error is frozen");
_Static_assert(offsetof(sked_error, message) == 64, "sked_error is frozen");

sked_status skedi_fail(sked_error *err, sked_status code, const char *message,
                       skedi_fault fault)
{
    if (!err) return code;

    *err = (sked_error){
        .code = code,
        .kind = fault.kind - 1,
        .queue = fault.queue,
        .got = fault.got,
        .limit = fault.limit,
        .row = fault.row - 1,
        .line = fault.line,
        .column = fault.column,
    };
    size_t len = strlen(message);
    if (len >= sizeof err->message) len = sizeof err->message - 1;
    memcpy(err->message, message, len);
    return code;
}

sked_status skedi_fail_plain(sked_error *err, sked_status code,
                             const char *message)
{
    return skedi_fail(err, code, message, (skedi_fault){0});
}

sked_status skedi_fail_read(sked_error *err, sked_status rc)
{
    switch (rc) {
    case SKED_OK: return rc;
    case SKED_ERR_ARG:
        return skedi_fail_plain(err, rc, "an argument is NULL or out of range");
    case SKED_ERR_RANGE: return skedi_fail_plain(err, rc, "cap is too small");
    case SKED_ERR_STALE:
        return skedi_fail_plain(err, rc, "the id names nothing that is there");
    case SKED_ERR_STATE:
        return skedi_fail_plain(err, rc, "there is no such answer yet");
    case SKED_ERR_VERSION:
        return skedi_fail_plain(err, rc, "struct_size is of no known struct");
    default: return skedi_fail_plain(err, rc, "there is no such thing");
    }
}
