#ifndef SKEDI_HOOKS_H
#define SKEDI_HOOKS_H

#include "base/mem.h"

/* A handle's copy of its host. The host is checked once, when the copy is
 * made. */
typedef struct skedi_hooks {
    sked_host host;
    skedi_mem mem;
} skedi_hooks;

/* The allocator and the memory limit of a host; NULL: the C library's
 * allocator. */
skedi_mem skedi_mem_of(const sked_host *host);

/* Copies and checks a caller's host, which may be NULL. Returns SKED_OK,
 * _ERR_ARG or _ERR_VERSION. */
sked_status skedi_hooks_in(skedi_hooks *hooks, const sked_host *host,
                           sked_error *err);

/* The last step of a handle's _free: calls the host's user_free. The parameter
 * is a copy, because the hooks were freed with the handle. */
void skedi_hooks_done(sked_host host);

/*
 * Enclose the body of a handle's _reserve: open, allocate, then
 *
 *     return skedi_hooks_seal(&handle->hooks, rc);
 *
 * skedi_hooks_seal() returns `rc`. With SKED_HOST_FLAG_RESERVED_ONLY, the first
 * successful reserve seals the memory; each later reserve opens the memory
 * again.
 */
void skedi_hooks_open(skedi_hooks *hooks);
sked_status skedi_hooks_seal(skedi_hooks *hooks, sked_status rc);

/* The status of a call whose hook returned `said`, not 0: the host's own codes
 * (-1999 to -1000) stay, and every other code becomes SKED_ERR_CANCELLED. */
sked_status skedi_hooks_stop(sked_status said);

/* Asks whether the host cancels the call. Returns SKED_OK, or the status to
 * return. */
sked_status skedi_hooks_check(const skedi_hooks *hooks, uint64_t done,
                              uint64_t total);

/* Replaces SKED_NOW by the time of the host's clock; other times stay. Returns
 * SKED_OK, or SKED_ERR_STATE with `err` if the host has no clock. */
sked_status skedi_hooks_now(const skedi_hooks *hooks, sked_time *now,
                            sked_error *err);

/* Logs a line: up to 200 bytes of text, then a number if `number` is not
 * NULL. */
void skedi_hooks_log(const skedi_hooks *hooks, uint32_t level, const char *text,
                     const int64_t *number);

void skedi_hooks_trace(const skedi_hooks *hooks, sked_trace record);

#endif
