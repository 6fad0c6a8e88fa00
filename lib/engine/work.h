#ifndef SKEDI_ENGINE_WORK_H
#define SKEDI_ENGINE_WORK_H

/* Jobs and asks: events of the host, open tasks, preferred nodes. */

#include "engine/pending.h"
#include "engine/reservation.h"
#include "engine/state.h"

/* Events of asks, nodes and tasks. Each returns SKED_OK, or why the event is
 * refused; then nothing changed. */

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

/*
 * Jobs and their admission. A job that waits stands in its leaf's list; every
 * row knows the best job that could be admitted below it, so the next one is
 * found from the root down.
 */

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

/* Open tasks of asks: their numbers, the end of an ask, and of its job. */

/* Opens new tasks of an ask, after those that are open (negative: takes those
 * with the highest numbers away) and keeps its job's books; entries follow.
 * Memory was reserved. O(1), or when some go O(ranges log numbers). */
void skedi_ask_open(sked_engine *e, uint32_t ask, int64_t by);

/* Memory to open tasks of an ask again: a range, entries, the shape of what is
 * left of a gang. 0: no memory. */
int skedi_ask_reserve(sked_engine *e, uint32_t ask);

/* Closes an ask: nothing of it is open from now on. It is freed when nothing of
 * it runs. */
void skedi_ask_close(sked_engine *e, uint32_t ask);

/* The number of the first open task; there is one. How many open numbers follow
 * each other from there; into how many such runs all open numbers fall. */
static inline int64_t skedi_ask_first(const sked_engine *e, uint32_t ask)
{
    return ask_at(e, ask)->first;
}
int64_t skedi_ask_run(const sked_engine *e, uint32_t ask);
uint64_t skedi_ask_ranges(const sked_engine *e, uint32_t ask);

/* How many numbers a range has; `*range` becomes the next range. */
int64_t skedi_range_pass(const sked_engine *e, uint32_t *range);

/* The first `count` open tasks, whose numbers follow each other, start in a
 * partition and are open no more. The ask's wait for a place begins anew. */
void skedi_ask_take(sked_engine *e, uint32_t ask, int64_t count,
                    uint32_t partition);

/*
 * Finds numbers for tasks that run already: from `task` on where that is said;
 * else a run of open numbers that is long enough, or new numbers. `taken` of
 * the open tasks are then open no more: those that have these numbers, or with
 * new numbers as many open ones, if there are, those with the highest numbers.
 * 0: the numbers that were said are neither open nor all new.
 */
#define CLAIM_NEW SKEDI_NONE         /* numbers that no task had */
#define CLAIM_FIRST (SKEDI_NONE - 1) /* those that its first is one of */

typedef struct engine_claim {
    int64_t task;
    int64_t taken;
    uint32_t at; /* CLAIM_*, else the range they are in */
} engine_claim;

int skedi_ask_claims(const sked_engine *e, uint32_t ask, int64_t task,
                     int64_t count, engine_claim *claim);

/* Takes these numbers; the books of what is open follow (`but`: as of
 * skedi_wants_open()). Memory for a range was reserved. */
void skedi_ask_claim(sked_engine *e, uint32_t ask, const engine_claim *claim,
                     int64_t count, uint32_t but);

/* Opens tasks again, in front of all others. Of a gang, all that it lacks then
 * is its step from now on. Memory was reserved. */
void skedi_ask_give(sked_engine *e, uint32_t ask, int64_t from, int64_t count);

/* What a gang over nodes lacks by now is its step from now on. Memory for a
 * shape, entries, and a want in each partition, was reserved. */
void skedi_ask_reform(sked_engine *e, uint32_t ask);

/* How many groups an ask has. O(groups). */
uint32_t skedi_ask_groups(const sked_engine *e, uint32_t ask);

/* Frees an ask of which nothing is open, proposed or running, unless it has
 * SKED_ASK_KEEP and was not closed. */
void skedi_ask_settle(sked_engine *e, uint32_t ask);

/* Frees a job that has ended and of which no group is left. */
void skedi_job_settle(sked_engine *e, uint32_t job);

/* Nodes and racks that asks would like. */

/* Checks the counts of tasks by place of an ask with these flags. SKED_OK,
 * SKED_ERR_ARG or SKED_ERR_RANGE. */
sked_status skedi_ask_check_places(const sked_events *batch,
                                   const sked_event *event, uint32_t flags,
                                   sked_error *err);

#endif
