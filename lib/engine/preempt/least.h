#ifndef SKEDI_ENGINE_LEAST_H
#define SKEDI_ENGINE_LEAST_H

/*
 * The least that is to run of a job, by the host's word. However a plan comes
 * about, what it takes of a group goes through here, so that no round leaves
 * fewer tasks that run and are not told to end.
 */

#include "engine/preempt/rounds.h"

/* SKED_EVENT_JOB_LEAST. */
sked_status skedi_job_least(sked_engine *e, const sked_event *event,
                            sked_error *err);

/* Before anything is planned. 0: no memory. */
int skedi_least_open(round_state *s);

/* How many tasks of the job of a group may still be taken. */
int64_t skedi_least_left(const round_state *s, uint32_t group);

/* So many tasks of a group are to end, or (negative) stay after all. */
void skedi_least_take(round_state *s, uint32_t group, int64_t count);

#endif
