#ifndef SKEDI_ENGINE_CHECK_H
#define SKEDI_ENGINE_CHECK_H

/*
 * Checks of invariants, in the order in which sked_engine_check() runs them.
 */

#include "engine/state.h"

/* Parts of sked_engine_check(). */

/* SKED_ERR_INTERNAL, and what broke where. */
sked_status skedi_engine_broken(sked_error *err, const char *what, int64_t got);

/* Limit trees: charges and blocked asks. */
sked_status skedi_check_trees(const sked_engine *e, sked_error *err);

#endif
