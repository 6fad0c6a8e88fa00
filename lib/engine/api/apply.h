#ifndef SKEDI_ENGINE_API_APPLY_H
#define SKEDI_ENGINE_API_APPLY_H

/* What an event, a commit and a new engine share. */

#include "engine/state.h"

/* A copy of a tree with our memory; the host's user stays ours alone. */
sked_status skedi_engine_own_tree(const sked_engine *e, const sked_tree *tree,
                                  sked_tree **copy, sked_error *err);

/* Moves the clock on; a time before it is counted as late. */
void skedi_engine_advance(sked_engine *e, sked_time now);

/* May it be `now`? SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_engine_time(const sked_engine *e, sked_time now,
                              sked_error *err);

/* Does what is due by `now` before anything new. */
sked_status skedi_engine_catch_up(sked_engine *e, sked_time now,
                                  sked_error *err);

/* What became of a call: `rc`, or why what it did was cut short, which `err` is
 * told. */
sked_status skedi_engine_take_cut(sked_engine *e, sked_status rc,
                                  sked_error *err);

#endif
