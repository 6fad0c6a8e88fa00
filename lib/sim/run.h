#ifndef SKEDI_SIM_RUN_H
#define SKEDI_SIM_RUN_H

#include "sim/state.h"

/* ---- What ends when (sim/end.c) ---- */

/* The jobs are known. 0: no memory. */
int skedi_ends_begin(sked_sim *sim);
void skedi_ends_free(sked_sim *sim);

/* Memory for two more. 0: no memory. */
int skedi_ends_reserve(sked_sim *sim);

/* No earlier than what was put into its line before. */
void skedi_ends_push(sked_sim *sim, sim_end end);
sim_end skedi_ends_pop(sked_sim *sim);

/* When the next task ends; INT64_MAX while none runs. */
static inline sked_time skedi_ends_next(const sked_sim *sim)
{
    return sim->n_ends ? sim->firsts[0].at : INT64_MAX;
}

/* ---- The cluster (sim/handle.c) ---- */

/* ---- Where data lie (sim/places.c) ---- */

/* Takes the places of all jobs; the nodes are known. */
sked_status skedi_places_take(sked_sim *sim, const sked_sim_jobs *jobs,
                              sked_error *err);
void skedi_places_free(sked_sim *sim);

/* The list of a job's places for its ask; 0: it has none. */
int skedi_places_list(const sked_sim *sim, uint32_t job, sked_events *batch,
                      int32_t offsets[2]);

/* So many tasks of a job start on a node: how many of them have no data there.
 * And of tasks that are open again. */
int64_t skedi_places_start(sked_sim *sim, uint32_t job, uint32_t node,
                           int64_t count);
void skedi_places_undo(sked_sim *sim, uint32_t job, uint32_t node,
                       int64_t count);

/* What a transfer takes a task of a job; ns. */
int64_t skedi_places_transfer(const sked_sim *sim, uint32_t job);

/* Will a node be of use to an ask when it has waited long enough? Notes
 * when. */
int skedi_places_wait(sked_sim *sim, uint32_t node);

/* ---- Which nodes jobs may run on (sim/rules.c) ---- */

/* Takes the rules of jobs and the attributes of nodes, which are known. */
sked_status skedi_rules_take(sked_sim *sim, const sked_sim_input *in,
                             sked_error *err);
void skedi_rules_free(sked_sim *sim);

/* Sends the engine the attributes of a node that came up; and the rule of a
 * job, whose ask it was sent before. */
sked_status skedi_rules_node_up(sked_sim *sim, uint32_t node, sked_error *err);
sked_status skedi_rules_ask(sked_sim *sim, uint32_t job, sked_error *err);

static inline int skedi_rules_has(const sked_sim *sim, uint32_t job)
{
    return sim->rule && sim->rule[sim->jobs[job].given];
}

/* Does the job's rule take the nodes of a group? */
int skedi_rules_takes(const sked_sim *sim, uint32_t job, size_t group);

/* ---- The engine (sim/run.c) ---- */

/* Takes what the engine decided into the books of the run. */
sked_status skedi_sim_hear(sked_sim *sim);

/* Applies events to the engine, at the time when the host gets to them, and
 * takes its decisions. `amounts` (or NULL) is the one row that they may name.
 */
sked_status skedi_sim_tell_batch(sked_sim *sim, sked_event *events, size_t n,
                                 const sked_events *batch, sked_error *err);
sked_status skedi_sim_tell(sked_sim *sim, sked_event *events, size_t n,
                           const int64_t *amounts, sked_error *err);

/* ---- What comes next (sim/beat.c) ---- */

/* When the next thing happens that is no node event; INT64_MAX: none does. */
sked_time skedi_sim_next(const sked_sim *sim);

/* Is something to come that is no node event: tasks end, nodes change, jobs are
 * submitted? */
static inline int skedi_sim_is_ahead(const sked_sim *sim)
{
    return sim->n_ends || sim->next_job < sim->n_jobs ||
           sim->next_change < sim->n_changes;
}

/* ---- Preemption (sim/beat.c) ---- */

/* Holds it, if it is now. */
sked_status skedi_round_now(sked_sim *sim, sked_error *err);

/* ---- What is over by itself (sim/beat.c) ---- */

/* When something is over next; has the engine see it then, before anything else
 * happens. INT64_MAX: nothing is that anything waits for. */
sked_status skedi_lapses_now(sked_sim *sim, sked_error *err);

/* ---- Node events (sim/beat.c) ---- */

/* Goes on to the first node event that is not before `now`. */
void skedi_beat_skip(sked_sim *sim);

/* Node events that may decide something, up to (not at) the next instant at which
 * something else happens, as they make it come sooner or later, and `until`. */
sked_status skedi_beat_until(sked_sim *sim, sked_time until, sked_error *err);

/* With no period: every node that may decide something, now; or each ask finds
 * its node. */
sked_status skedi_beat_all(sked_sim *sim, sked_error *err);
sked_status skedi_beat_place(sked_sim *sim, sked_error *err);

/* ---- Below the guarantee (sim/measure.c) ---- */

int skedi_below_reserve(sked_sim *sim);
void skedi_below_free(sked_sim *sim);

/* So many tasks of a job are open more, or fewer. */

/* ---- Which queues have their share (sim/measure.c) ---- */

/* Something of a queue moved, and of those above it; or of all. */
void skedi_judge_all(sked_sim *sim);

/* All figures count up to `measured`. */
void skedi_judge_end(sked_sim *sim);

/* ---- What can never run (sim/run.c) ---- */

/* ---- Measures (sim/measure.c) ---- */

/* Time goes on to `to`: counts for which queues have their fair share. */
sked_status skedi_measure_time(sked_sim *sim, sked_time to, sked_error *err);

/* Notes of every queue what is sampled at each such instant before `to`
 * (sim/read.c). */
sked_status skedi_measure_sample(sked_sim *sim, sked_time to);

/* A record is made: books of the ledger, peaks, work, digest, watcher. */
sked_status skedi_measure_record(sked_sim *sim, const sked_decision *decision);
sked_status skedi_measure_flush(sked_sim *sim);

/* Adds the demand of a job that is submitted. */
sked_status skedi_measure_demand(sked_sim *sim, uint32_t job);

/* Percentiles of the delays, queue by queue: when the run is over. */
void skedi_measure_delays(sked_sim *sim);

#endif
