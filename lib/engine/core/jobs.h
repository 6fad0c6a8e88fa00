#ifndef SKEDI_ENGINE_CORE_JOBS_H
#define SKEDI_ENGINE_CORE_JOBS_H

/*
 * Jobs and their admission. A job that waits stands in its leaf's list; every
 * row knows the best job that could be admitted below it, so the next one is
 * found from the root down.
 */

#include "engine/state.h"

/* The row of a queue, which is a leaf. SKED_OK, SKED_ERR_STALE or SKED_ERR_ARG.
 */
sked_status skedi_job_leaf(const sked_engine *e, sked_queue_id queue,
                           uint32_t *row, sked_error *err);

/* Has a job that is submitted a key, a user and flags that there are? SKED_OK or
 * SKED_ERR_ARG. */
sked_status skedi_job_check(const sked_event *event, sked_error *err);

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
void skedi_job_admit(sked_engine *e, uint32_t job, int32_t reason);

/* All that ran of a running job was killed: it waits to be admitted anew; its
 * reservations are given up. Memory was reserved (skedi_wait_reserve()). */
void skedi_job_readmit(sked_engine *e, uint32_t job);

/* Admits waiting jobs as far as the bounds let them, the best first, until as
 * many decisions wait as may. SKED_OK, or SKED_ERR_NOMEM, after which it can be
 * called again. */
sked_status skedi_jobs_admit_all(sked_engine *e);
static inline sked_status skedi_jobs_admit(sked_engine *e)
{
    if (e->rows.best[0] == SKEDI_NONE && !e->gates) return SKED_OK;
    return skedi_jobs_admit_all(e);
}

/* Memory for so many more waiting jobs in a leaf. 0: no memory. */
int skedi_wait_reserve(sked_engine *e, uint32_t row, uint32_t more);

/* Puts a waiting job into its leaf's list, for which memory was reserved; takes
 * it out. */
void skedi_wait_join(sked_engine *e, uint32_t job);
void skedi_wait_leave(sked_engine *e, uint32_t job);

/* Puts a new job, which has no asks yet, into its leaf's list; or lets it run
 * at once where no other job waits and bounds allow it, or where it was
 * `admitted` before. Memory was reserved, for that decision too. */
void skedi_wait_begin(sked_engine *e, uint32_t job, int admitted);

/* A waiting job's place in the order changed, or whether its user and its trees
 * of limits let it run. */
void skedi_wait_show(sked_engine *e, uint32_t job);

/* Counts one running job more (1) or less (-1): in every queue on its path, for
 * its user, and in trees of limits. */
void skedi_job_count(sked_engine *e, uint32_t job, int by);

/* Looks again at the lines of leaves that admit by classes where something
 * changed; gives a leaf another gate (NULL: none). */
void skedi_gate_put(sked_engine *e, uint32_t row, engine_gate *gate);

/* Memory for one more user. 0: no memory. */
int skedi_user_reserve(sked_engine *e);

/* A number for a user's key, made when it is new; memory was reserved. */
uint32_t skedi_user_take(sked_engine *e, uint64_t key);

/* Frees a user's name, if it has one. */
void skedi_user_unname(sked_engine *e, uint32_t user);

/* Gives a user a name (NULL or "": none); its weight follows. 0: no memory. */
int skedi_user_name(sked_engine *e, uint64_t key, const char *name);

/* Are the waiting jobs of a row in order? For tests. */
int skedi_wait_is_sound(const sked_engine *e, uint32_t row);

#endif
