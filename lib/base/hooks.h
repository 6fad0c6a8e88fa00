#ifndef SKEDI_HOOKS_H
#define SKEDI_HOOKS_H

#include "base/mem.h"

/* A handle's copy of its host, checked once, so that no call tests again. */
typedef struct skedi_hooks {
    sked_host host;
    skedi_mem mem;
} skedi_hooks;

/* The allocator half of a host (NULL: the C library's), with its limit. */
skedi_mem skedi_mem_of(const sked_host *host);

/* Takes a caller's host, NULL included. SKED_OK, _ERR_ARG or _ERR_VERSION. */
sked_status skedi_hooks_in(skedi_hooks *hooks, const sked_host *host,
                           sked_error *err);

/* The last act of a handle's _free: gives `user` back. Takes a copy, since the
 * hooks live in the handle that is gone. */
void skedi_hooks_done(sked_host host);

/*
 * Around the body of a handle's _reserve: open, take what is needed, then
 *
 *     return skedi_hooks_seal(&handle->hooks, rc);
 *
 * which returns `rc`. With SKED_HOST_FLAG_RESERVED_ONLY the first reserve that
 * went well shuts the memory until the next one opens it.
 */
void skedi_hooks_open(skedi_hooks *hooks);
sked_status skedi_hooks_seal(skedi_hooks *hooks, sked_status rc);

/* What a hook's non-zero answer makes of a call: the host's own code as it is,
 * SKED_ERR_CANCELLED for every other. */
sked_status skedi_hooks_stop(sked_status said);

/* Has the host cancelled? SKED_OK, or the status to return. */
sked_status skedi_hooks_check(const skedi_hooks *hooks, uint64_t done,
                              uint64_t total);

/* Puts the host's clock in place of SKED_NOW; other times stay. SKED_OK, or
 * SKED_ERR_STATE with `err` when there is no clock. */
sked_status skedi_hooks_now(const skedi_hooks *hooks, sked_time *now,
                            sked_error *err);

/* A log line: up to 200 bytes of text, then a number if `number` is not
 * NULL. */
void skedi_hooks_log(const skedi_hooks *hooks, uint32_t level, const char *text,
                     const int64_t *number);

void skedi_hooks_trace(const skedi_hooks *hooks, sked_trace record);

#endif
