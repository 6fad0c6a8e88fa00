#ifndef SKEDI_ENGINE_CORE_REFUSE_H
#define SKEDI_ENGINE_CORE_REFUSE_H

/* What hosts refuse, allow and exclude. Each call returns SKED_OK, or why the
 * event is refused; then nothing changed. */

#include "engine/state.h"

sked_status skedi_task_refuse(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err);
sked_status skedi_allow(sked_engine *e, const sked_event *event,
                        sked_error *err);
sked_status skedi_exclude(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err);

#endif
