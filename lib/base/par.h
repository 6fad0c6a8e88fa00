#ifndef SKEDI_PAR_H
#define SKEDI_PAR_H

#include "base/hooks.h"

/*
 * Runs fn(arg, i) for every i below `n` and returns when all are done: by the
 * host's `parallel` hook, else on our own threads when the host allows more
 * than one, else here. Items must not touch what another one writes, so the
 * outcome is the same whichever it is. A thread that cannot be had is done
 * without. Never allocates.
 *
 * Returns SKED_OK; or, when the host's hook refuses, what that makes of the
 * call (hooks.h), with any part of the items done.
 */
sked_status skedi_par_for(const skedi_hooks *hooks, size_t n, sked_task_fn fn,
                          void *arg);

#endif
