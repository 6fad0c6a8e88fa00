/* Copies and checks a host, and calls the host's hooks. */
#include "base/hooks.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_host, log_level);
SKEDI_NO_TAIL_PADDING(sked_trace, c);

enum {
    HOST_V1 = SKEDI_SIZE_THROUGH(sked_host, log_level),
    LOG_TEXT = 200 /* bytes of text in a log line */
};

/* The cancel flag is a plain int32_t, because C++ and older C lack C11
 * atomics. */
#if defined(__GNUC__)
#define SKEDI_LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#else
#define SKEDI_LOAD_RELAXED(at) (*(const volatile int32_t *)(at))
#endif

sked_status skedi_hooks_in(skedi_hooks *hooks, const sked_host *host,
                           sked_error *err)
{
    *hooks = (skedi_hooks){0};
    sked_status rc = skedi_struct_in(&hooks->host, sizeof hooks->host, host,
                                     HOST_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "host");
    }
    if (hooks->host.flags & ~(uint32_t)SKED_HOST_FLAG_RESERVED_ONLY) {
        return skedi_fail_flags(err, "host");
    }
    if (!hooks->host.log_level) hooks->host.log_level = SKED_LOG_WARNING;
    hooks->mem = skedi_mem_of(&hooks->host);
    return SKED_OK;
}

void skedi_hooks_done(sked_host host)
{
    if (host.user_free) host.user_free(host.user);
}

void skedi_hooks_open(skedi_hooks *hooks)
{
    hooks->mem.was_sealed = hooks->mem.sealed;
    hooks->mem.sealed = 0;
}

sked_status skedi_hooks_seal(skedi_hooks *hooks, sked_status rc)
{
    int wanted = (hooks->host.flags & SKED_HOST_FLAG_RESERVED_ONLY) != 0;

    hooks->mem.sealed = wanted && (rc == SKED_OK || hooks->mem.was_sealed);
    return rc;
}

sked_status skedi_hooks_stop(sked_status said)
{
    int own = said >= -1999 && said <= -1000;

    return own ? said : SKED_ERR_CANCELLED;
}

static int is_set(const int32_t *flag)
{
    return flag && SKEDI_LOAD_RELAXED(flag) != 0;
}

sked_status skedi_hooks_check(const skedi_hooks *hooks, uint64_t done,
                              uint64_t total)
{
    const sked_host *host = &hooks->host;

    if (is_set(host->cancel)) return SKED_ERR_CANCELLED;
    if (!host->progress) return SKED_OK;
    if (total < done) total = done; /* more work than estimated */
    sked_status said = host->progress(host->user, done, total);
    return said == SKED_OK ? SKED_OK : skedi_hooks_stop(said);
}

sked_status skedi_hooks_now(const skedi_hooks *hooks, sked_time *now,
                            sked_error *err)
{
    if (*now != SKED_NOW) return SKED_OK;
    if (!hooks->host.clock) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "host has no clock");
    }
    *now = hooks->host.clock(hooks->host.user);
    return SKED_OK;
}

void skedi_hooks_log(const skedi_hooks *hooks, uint32_t level, const char *text,
                     const int64_t *number)
{
    const sked_host *host = &hooks->host;
    char line[LOG_TEXT + 32];
    skedi_writer w = {line, sizeof line, 0};

    if (!host->log || level > host->log_level) return;
    size_t length = strlen(text);
    skedi_write_bytes(&w, text, length < LOG_TEXT ? length : LOG_TEXT);
    if (number) {
        skedi_write_char(&w, ' ');
        skedi_write_i64(&w, *number);
    }
    (void)skedi_write_end(&w); /* the line holds both parts */
    host->log(host->user, (int32_t)level, line);
}

void skedi_hooks_trace(const skedi_hooks *hooks, sked_trace record)
{
    if (!hooks->host.trace) return;
    record.struct_size = sizeof record;
    hooks->host.trace(hooks->host.user, &record);
}
