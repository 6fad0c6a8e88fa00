#ifndef SKEDI_PAR_H
#define SKEDI_PAR_H

#include "base/hooks.h"

/*
 * Runs fn(arg, i) for every i below `n` and returns when all calls are done.
 * The calls run in the host's `parallel` hook if set. Without the hook, the
 * calls run on threads of the library if the host allows more than one thread,
 * and otherwise on the calling thread. An item must not touch memory that
 * another item writes; the result is then the same in each case. If a thread
 * cannot be started, the calling thread does its work. Never allocates.
 *
 * Returns SKED_OK. If the host's hook refuses, returns the status from
 * skedi_hooks_stop() (hooks.h); any part of the items may then be done.
 */
sked_status skedi_par_for(const skedi_hooks *hooks, size_t n, sked_task_fn fn,
                          void *arg);

#endif
