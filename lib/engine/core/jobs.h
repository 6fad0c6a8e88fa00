#ifndef SKEDI_ENGINE_CORE_JOBS_H
#define SKEDI_ENGINE_CORE_JOBS_H

/*
 * Jobs and their admission. A job that waits stands in its leaf's list; every
 * row knows the best job that could be admitted below it, so the next one is
 * found from the root down.
 */

#include "engine/state.h"

sked_status skedi_job_submit(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err);
sked_status skedi_job_update(sked_engine *e, const sked_event *event,
                             sked_error *err);
sked_status skedi_job_least(sked_engine *e, const sked_event *event,
                            sked_error *err);
sked_status skedi_job_cancel(sked_engine *e, const sked_event *event,
                             sked_error *err);
sked_status skedi_job_finish(sked_engine *e, const sked_event *event,
                             sked_error *err);

/* Lets a waiting job run at once, past every bound. Memory was reserved. */
int skedi_admit_reserve(sked_engine *e, uint32_t job);
void skedi_job_admit(sked_engine *e, uint32_t job, int32_t reason);

/* All that ran of a running job was killed: it waits to be admitted anew; its
 * reservations are given up. Memory was reserved (skedi_wait_reserve()). */
void skedi_job_readmit(sked_engine *e, uint32_t job);

/* Admits what counts allow, best first, while decisions may be kept. SKED_OK
 * or SKED_ERR_NOMEM; it goes on where it was when it is called again. */
sked_status skedi_jobs_admit_all(sked_engine *e);
static inline sked_status skedi_jobs_admit(sked_engine *e)
{
    if (e->rows.best[0] == SKEDI_NONE && !e->gates) return SKED_OK;
    return skedi_jobs_admit_all(e);
}

/* Puts a waiting job into its leaf's list (memory for so many more was
 * reserved), and takes it out. */
int skedi_wait_reserve(sked_engine *e, uint32_t row, uint32_t more);
void skedi_wait_join(sked_engine *e, uint32_t job);

/* The same for a new job, without asks; or lets it run at once where no job
 * else waits and it would be admitted next, or was admitted before (memory for
 * that decision was reserved as well). */
void skedi_wait_begin(sked_engine *e, uint32_t job, int admitted);
void skedi_wait_leave(sked_engine *e, uint32_t job);

/* A waiting job's place in the order changed, or whether its user may run. */
void skedi_wait_show(sked_engine *e, uint32_t job);

/* One running application more (1) or less (-1), at every level and for the
 * user. */
void skedi_job_count(sked_engine *e, uint32_t job, int by);

/* Looks again at leaves that admit by classes where something changed; gives a
 * leaf another gate (NULL: none). */
void skedi_gates_settle(sked_engine *e);
void skedi_gate_put(sked_engine *e, uint32_t row, engine_gate *gate);

/* Makes the best of a row and of those above anew. */
void skedi_wait_climb(sked_engine *e, uint32_t row);

/* Memory for one more user. 0: no memory. */
int skedi_user_reserve(sked_engine *e);

/* A number for a user's key, made when it is new; memory was reserved. */
uint32_t skedi_user_take(sked_engine *e, uint64_t key);
void skedi_user_unname(sked_engine *e, uint32_t user);

/* Calls a user so; what it weighs follows. 0: no memory. */
int skedi_user_name(sked_engine *e, uint64_t key, const char *name);

/* Are the waiting jobs of a row in order? For tests. */
int skedi_wait_is_sound(const sked_engine *e, uint32_t row);

/* Which waiting job is ahead. */
int skedi_job_before(const sked_engine *e, uint32_t a, uint32_t b);

#endif
