#ifndef SKEDI_ENGINE_API_CHECK_H
#define SKEDI_ENGINE_API_CHECK_H

/* Parts of sked_engine_check(). */

#include "engine/state.h"

/* SKED_ERR_INTERNAL, and what broke where. */
sked_status skedi_engine_broken(sked_error *err, const char *what, int64_t got);

/* Lines of leaves, families of parents, classes. */
sked_status skedi_check_lines(const sked_engine *e, sked_error *err);

/* Users: accounts, running jobs, jobs that wait. */
sked_status skedi_check_users(const sked_engine *e, sked_error *err);

/* Tallies of tasks by tag, and where they are counted. */
sked_status skedi_check_work(const sked_engine *e, sked_error *err);

/* Trees of limits: what is charged there, and what they keep out. */
sked_status skedi_check_trees(const sked_engine *e, sked_error *err);

/* What an engine that preempts keeps up. */
sked_status skedi_check_rounds(const sked_engine *e, sked_error *err);

/* Books of head room, what leaves want, and which children are below a
 * guarantee. */
sked_status skedi_check_shares(const sked_engine *e, sked_error *err);

#endif
