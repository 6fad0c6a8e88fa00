#ifndef SKEDI_ENGINE_CORE_ASKS_H
#define SKEDI_ENGINE_CORE_ASKS_H

/* Events of asks, nodes and tasks. Each returns SKED_OK, or why the event is
 * refused; then nothing changed. */

#include "engine/pending.h"

sked_status skedi_ask_add(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err);
sked_status skedi_ask_change(sked_engine *e, const sked_event *event,
                             sked_error *err);
sked_status skedi_ask_places(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err);
sked_status skedi_ask_withdraw(sked_engine *e, const sked_event *event,
                               sked_error *err);

sked_status skedi_pool_event(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err);
sked_status skedi_node_up(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err);
sked_status skedi_node_change(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err);
sked_status skedi_node_move(sked_engine *e, const sked_event *event,
                            sked_error *err);
sked_status skedi_node_drain(sked_engine *e, const sked_event *event,
                             sked_error *err);
sked_status skedi_node_resume(sked_engine *e, const sked_event *event,
                              sked_error *err);
sked_status skedi_node_down(sked_engine *e, const sked_event *event,
                            sked_error *err);

sked_status skedi_task_confirm(sked_engine *e, const sked_events *batch,
                               const sked_event *event, sked_error *err);
/* The ask that an event with SKED_TASK_ALL names. SKED_OK, SKED_ERR_NOT_FOUND
 * or (a count is said) SKED_ERR_RANGE. */
sked_status skedi_task_ask(const sked_engine *e, const sked_event *event,
                           uint32_t *ask, sked_error *err);

/* Memory to end all groups of an ask and open their tasks again. 0: no memory.
 */
int skedi_task_reserve(sked_engine *e, uint32_t ask);

/* When tasks end, or what they cost as victims, as the host says. */
sked_status skedi_task_say(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err);
sked_status skedi_task_event(sked_engine *e, const sked_event *event,
                             sked_error *err);

/* Tasks that run already (adopt.c). */
sked_status skedi_task_running(sked_engine *e, const sked_events *batch,
                               const sked_event *event, sked_error *err);

sked_status skedi_task_resize(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err);

/* Would an ask that is added be refused whatever the engine has, but for its
 * amounts? SKED_OK, SKED_ERR_ARG, SKED_ERR_EXISTS or SKED_ERR_RANGE. */
sked_status skedi_ask_check(const sked_events *batch, const sked_event *event,
                            sked_error *err);

/* The least count that an ask may be added with: 0 where it has SKED_ASK_KEEP
 * and is no gang, whose count never grows; else 1. */
int64_t skedi_ask_least(const sked_event *event);

/* The ask of this key that was not withdrawn, or SKEDI_NONE: `err` says so. */
uint32_t skedi_ask_find(const sked_engine *e, uint64_t key, sked_error *err);

/* The amounts of an event's row, checked: SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_RANGE. */
sked_status skedi_event_amounts(const sked_engine *e, const sked_events *batch,
                                const sked_event *event,
                                const int64_t **amounts, sked_error *err);

/* Memory for partition numbers up to this one. 0: no memory. */
int skedi_partition_reserve(sked_engine *e, uint32_t partition);

#endif
