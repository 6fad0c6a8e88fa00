/* Fills a caller's sked_error: the code, the message, and the numbers that
 * locate the failure. */
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

/* ---- Faults in one wording ---- */

enum wording {
    SAYS_NULL,
    SAYS_VERSION,
    SAYS_FLAGS,
    SAYS_RESERVED,
    SAYS_MEMORY,
    SAYS_CAP,
    SAYS_HOST_STOPPED,
    SAYS_ARGUMENT,
    SAYS_STALE,
    SAYS_STATE,
    SAYS_NOT_FOUND
};

/* The code and the text of each wording. The parameter's name, if any, precedes
 * the text. A stopped call returns the code that the host gave, not the code
 * here. */
static const struct {
    sked_status code;
    const char *words;
} wordings[] = {
    [SAYS_NULL] = {SKED_ERR_ARG, " is NULL"},
    [SAYS_VERSION] = {SKED_ERR_VERSION, " has an unknown struct_size"},
    [SAYS_FLAGS] = {SKED_ERR_ARG, " has unknown flags"},
    [SAYS_RESERVED] = {SKED_ERR_ARG, ".reserved is not 0"},
    [SAYS_MEMORY] = {SKED_ERR_NOMEM, "no memory"},
    [SAYS_CAP] = {SKED_ERR_RANGE, "cap is too small"},
    [SAYS_HOST_STOPPED] = {SKED_ERR_CANCELLED, "stopped by the host"},
    [SAYS_ARGUMENT] = {SKED_ERR_ARG, "an argument is NULL or out of range"},
    [SAYS_STALE] = {SKED_ERR_STALE, "the id names nothing that is there"},
    [SAYS_STATE] = {SKED_ERR_STATE, "there is no such answer yet"},
    [SAYS_NOT_FOUND] = {SKED_ERR_NOT_FOUND, "there is no such thing"},
};

static sked_status fail_says(sked_error *err, enum wording which,
                             const char *parameter)
{
    const size_t most = sizeof err->message - 1;
    char words[sizeof err->message] = {0};
    size_t n = strlen(parameter), more = strlen(wordings[which].words);

    if (n > most - more) n = most - more;
    memcpy(words, parameter, n);
    memcpy(words + n, wordings[which].words, more);
    return skedi_fail_plain(err, wordings[which].code, words);
}

sked_status skedi_fail_null(sked_error *err, const char *parameter)
{
    return fail_says(err, SAYS_NULL, parameter);
}

sked_status skedi_fail_version(sked_error *err, const char *parameter)
{
    return fail_says(err, SAYS_VERSION, parameter);
}

sked_status skedi_fail_flags(sked_error *err, const char *parameter)
{
    return fail_says(err, SAYS_FLAGS, parameter);
}

sked_status skedi_fail_reserved(sked_error *err, const char *parameter)
{
    return fail_says(err, SAYS_RESERVED, parameter);
}

sked_status skedi_fail_memory(sked_error *err)
{
    return fail_says(err, SAYS_MEMORY, "");
}

sked_status skedi_fail_cap(sked_error *err, uint64_t there, size_t cap)
{
    sked_status code = fail_says(err, SAYS_CAP, "");

    if (err) err->got = (int64_t)there;
    if (err) err->limit = (int64_t)cap;
    return code;
}

sked_status skedi_fail_stopped(sked_error *err, sked_status code)
{
    if (code == SKED_ERR_NOMEM) return skedi_fail_memory(err);
    return skedi_fail_plain(err, code, wordings[SAYS_HOST_STOPPED].words);
}

sked_status skedi_fail_read(sked_error *err, sked_status rc)
{
    switch (rc) {
    case SKED_OK: return rc;
    case SKED_ERR_ARG: return fail_says(err, SAYS_ARGUMENT, "");
    case SKED_ERR_RANGE: return fail_says(err, SAYS_CAP, "");
    case SKED_ERR_STALE: return fail_says(err, SAYS_STALE, "");
    case SKED_ERR_STATE: return fail_says(err, SAYS_STATE, "");
    case SKED_ERR_VERSION: return fail_says(err, SAYS_VERSION, "the struct");
    default: return skedi_fail_plain(err, rc, wordings[SAYS_NOT_FOUND].words);
    }
}
