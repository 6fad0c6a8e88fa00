#ifndef SKEDI_ENGINE_PROBE_H
#define SKEDI_ENGINE_PROBE_H

#include <sched/engine.h>

/*
 * What the simulator asks of an engine beside the public calls: so much, and
 * nothing of its structs, is what the rest of the library may know of it.
 * Nodes are named by their keys, groups by what decisions call them.
 */

/* ---- Events ---- */

/* Does sked_engine_apply() of one row of a batch that was checked. SKED_ERR_FULL:
 * the row was not applied, because decisions wait. `*stands` is 1 when the row
 * was applied; a failure then comes from what follows from it. */
sked_status skedi_engine_event(sked_engine *e, const sked_events *batch,
                               const sked_event *event, int *stands,
                               sked_error *err);

/* Are there decisions that the host did not take? */
int skedi_probe_has_decided(const sked_engine *e);

/* The counters themselves. */
const sked_engine_stats *skedi_probe_stats(const sked_engine *e);

/* ---- Nodes ---- */

/* What may start on a node now, one amount a kind: what is free, with what is
 * reserved there; all of it where victims end only when they have to. A row of
 * the engine's, or `sum`; NULL: there is no such node. */
const int64_t *skedi_probe_free(const sked_engine *e, uint64_t node,
                                int64_t *sum);

/* Does the next pass over a node look at asks again, though nothing has changed
 * since the last? 0: there is no such node. */
int skedi_probe_looks_again(const sked_engine *e, uint64_t node);

/* When a pass over a node may find an ask that has waited long enough for it;
 * INT64_MAX: none waits, or there is no such node. */
sked_time skedi_probe_wake(const sked_engine *e, uint64_t node);

/* ---- Tasks ---- */

/* How many tasks of a group run; 0: it is over. */
uint32_t skedi_probe_tasks(const sked_engine *e, uint64_t group);

/* Since when they do; the group is not over. */
sked_time skedi_probe_since(const sked_engine *e, uint64_t group);

/* ---- Queues ---- */

/* What a partition offers its nodes: steps of open asks, by classes. */
typedef struct skedi_probe_offer {
    uint64_t classes;     /* a bit each */
    uint64_t changes;     /* moves when something may have become possible */
    const int64_t *least; /* that a step takes, by class; one amount a kind */
} skedi_probe_offer;

/* 0: there is no such partition, or nothing is open. */
int skedi_probe_offer_of(sked_engine *e, uint32_t partition,
                         skedi_probe_offer *offer);

/* What one step of a class takes at least. */
static inline const int64_t *skedi_probe_step(const skedi_probe_offer *offer,
                                              uint32_t kinds, unsigned class)
{
    return offer->least + (size_t) class * kinds;
}

/* Makes everything of a partition by its capacity, as a pass would. */
void skedi_probe_refresh(sked_engine *e, uint32_t partition);

/* Do the limits on a queue's path hold a step, nothing being used? */
int skedi_probe_limits_hold(const sked_engine *e, uint32_t row,
                            uint32_t partition, const int64_t *step);

/* What a queue uses in a partition, and what is guaranteed to it there. 0:
 * there is no such partition. */
int skedi_probe_usage(const sked_engine *e, uint32_t row, uint32_t partition,
                      const int64_t **used, const int64_t **guaranteed);

/* When a queue that its start rate kept from starting may start something
 * again; INT64_MAX: none is kept. */
sked_time skedi_probe_rates_until(const sked_engine *e);

/* ---- Gangs that form ---- */

/* The first moment later than `after` at which such a gang has formed for as long
 * as it may, or one may form again; INT64_MAX: there is none. */
sked_time skedi_probe_forms_until(const sked_engine *e, sked_time after);

/* ---- Preemption ---- */

/* Can a round decide anything that the last one did not, or move what later ones
 * go by? 0: there is no preemption. */
int skedi_probe_round_is_due(const sked_engine *e);

/* The node of each reservation; `*at` is 0 at first. 0: there are no more. */
int skedi_probe_reserved(const sked_engine *e, uint32_t *at, uint64_t *node);

/* Is anything reserved on a node by rounds? 0: there is no such node. */
int skedi_probe_is_reserved(const sked_engine *e, uint64_t node);

/* When the next reservation ends; INT64_MAX: there is none. */
sked_time skedi_probe_reserved_until(const sked_engine *e);

#endif
