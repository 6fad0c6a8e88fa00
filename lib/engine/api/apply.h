#ifndef SKEDI_ENGINE_API_APPLY_H
#define SKEDI_ENGINE_API_APPLY_H

/* Events one by one, for hosts inside the library. */

#include "engine/state.h"

/* A copy of a tree with our memory; the host's user stays ours alone. */
sked_status skedi_engine_own_tree(const sked_engine *e, const sked_tree *tree,
                                  sked_tree **copy, sked_error *err);

/* As sked_engine_apply() of one row of a batch that was checked: SKED_STOPPED
 * when it was not applied, since decisions wait. Does it stand (`*stands`), a
 * failure is one of what follows from it. */
sked_status skedi_engine_event(sked_engine *e, const sked_events *batch,
                               const sked_event *event, int *stands,
                               sked_error *err);

/* Moves the clock on; a time before it is counted as late. */
void skedi_engine_advance(sked_engine *e, sked_time now);

/* May it be `now`? SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_engine_time(const sked_engine *e, sked_time now,
                              sked_error *err);

#endif
