#ifndef SKEDI_SIM_RUN_H
#define SKEDI_SIM_RUN_H

#include "sim/state.h"

/* ---- What ends when (sim/end.c) ---- */

/* The jobs are known. 0: no memory. */
int skedi_ends_begin(sked_sim *sim);
void skedi_ends_free(sked_sim *sim);

/* Memory for two more. 0: no memory. */
int skedi_ends_reserve(sked_sim *sim);

/* `end` must not be earlier than the ends already in its line. */
void skedi_ends_push(sked_sim *sim, sim_end end);
sim_end skedi_ends_pop(sked_sim *sim);

/* When the next task ends; INT64_MAX while none runs. */
static inline sked_time skedi_ends_next(const sked_sim *sim)
{
    return sim->n_ends ? sim->firsts[0].at : INT64_MAX;
}

/* ---- Where data lie (sim/places.c) ---- */

/* Takes the places of all jobs; the nodes are known. */
sked_status skedi_places_take(sked_sim *sim, const sked_sim_jobs *jobs,
                              sked_error *err);
void skedi_places_free(sked_sim *sim);

/* The list of a job's places for its ask; 0: the job has no list. */
int skedi_places_list(const sked_sim *sim, uint32_t job, sked_events *batch,
                      int32_t offsets[2]);

/* Notes that `count` tasks of a job start on a node; returns how many have no
 * data there. The next call notes tasks that are open again. */
int64_t skedi_places_start(sked_sim *sim, uint32_t job, uint32_t node,
                           int64_t count);
void skedi_places_undo(sked_sim *sim, uint32_t job, uint32_t node,
                       int64_t count);

/* The transfer time of a task of a job; ns. */
int64_t skedi_places_transfer(const sked_sim *sim, uint32_t job);

/* True if a node becomes useful to an ask after the ask has waited longer;
 * notes the time. */
int skedi_places_wait(sked_sim *sim, uint32_t node);

/* ---- Allowed nodes of jobs (sim/rules.c) ---- */

/* Copies the rules of jobs and the attributes of nodes; the nodes are known. */
sked_status skedi_rules_take(sked_sim *sim, const sked_sim_input *in,
                             sked_error *err);
void skedi_rules_free(sked_sim *sim);

/* Sends the engine the attributes of a node that came up, and the rule of a job
 * whose ask was already sent. */
sked_status skedi_rules_node_up(sked_sim *sim, uint32_t node, sked_error *err);
sked_status skedi_rules_ask(sked_sim *sim, uint32_t job, sked_error *err);

static inline int skedi_rules_has(const sked_sim *sim, uint32_t job)
{
    return sim->rule && sim->rule[sim->jobs[job].given];
}

/* True if the job's rule takes the nodes of a group. */
int skedi_rules_takes(const sked_sim *sim, uint32_t job, size_t group);

/* ---- The engine (sim/run.c) ---- */

/* Takes the engine's decisions into the books of the run. */
sked_status skedi_sim_hear(sked_sim *sim);

/* Applies events to the engine at the time when the host handles the events,
 * and takes the decisions. `amounts` (or NULL) is the only row that the events
 * may name. */
sked_status skedi_sim_tell_batch(sked_sim *sim, sked_event *events, size_t n,
                                 const sked_events *batch, sked_error *err);
sked_status skedi_sim_tell(sked_sim *sim, sked_event *events, size_t n,
                           const int64_t *amounts, sked_error *err);

/* ---- What comes next (sim/beat.c) ---- */

/* The time of the next change that is no node event; INT64_MAX: none. */
sked_time skedi_sim_next(const sked_sim *sim);

/* True if a change other than a node event is to come: task ends, node changes,
 * submissions. */
static inline int skedi_sim_is_ahead(const sked_sim *sim)
{
    return sim->n_ends || sim->next_job < sim->n_jobs ||
           sim->next_change < sim->n_changes;
}

/* ---- Preemption (sim/beat.c) ---- */

/* Holds a round that is due now. */
sked_status skedi_round_now(sked_sim *sim, sked_error *err);

/* ---- What is over by itself (sim/beat.c) ---- */

/* Lets the engine see an expiry that is due now, before any other change. */
sked_status skedi_lapses_now(sked_sim *sim, sked_error *err);

/* ---- Node events (sim/beat.c) ---- */

/* Goes on to the first node event at or after `now`. */
void skedi_beat_skip(sked_sim *sim);

/* Sends the node events that may decide something, up to (not at) `until` and
 * the next instant with another change. Decisions may move that instant. */
sked_status skedi_beat_until(sked_sim *sim, sked_time until, sked_error *err);

/* Without a period: sends an event of every node that may decide something now;
 * or lets each ask find its node. */
sked_status skedi_beat_all(sked_sim *sim, sked_error *err);
sked_status skedi_beat_place(sked_sim *sim, sked_error *err);

/* ---- Below the guarantee (sim/measure.c) ---- */

int skedi_below_reserve(sked_sim *sim);
void skedi_below_free(sked_sim *sim);

/* ---- Queues with their fair share (sim/measure.c) ---- */

/* All queues must be judged again. */
void skedi_judge_all(sked_sim *sim);

/* All figures count up to `measured`. */
void skedi_judge_end(sked_sim *sim);

/* ---- Measures (sim/measure.c) ---- */

/* Advances time to `to`; adds the time to the queues with their fair share. */
sked_status skedi_measure_time(sked_sim *sim, sked_time to, sked_error *err);

/* Takes the samples of every queue at each sampling instant before `to`
 * (sim/read.c). */
sked_status skedi_measure_sample(sked_sim *sim, sked_time to);

/* A record is made: books of the ledger, peaks, work, digest, watcher. */
sked_status skedi_measure_record(sked_sim *sim, const sked_decision *decision);
sked_status skedi_measure_flush(sked_sim *sim);

/* Adds the demand of a submitted job. */
sked_status skedi_measure_demand(sked_sim *sim, uint32_t job);

/* Percentiles of the delays, queue by queue: when the run is over. */
void skedi_measure_delays(sked_sim *sim);

#endif
