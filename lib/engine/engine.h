#ifndef SKEDI_ENGINE_ENGINE_H
#define SKEDI_ENGINE_ENGINE_H

/* Events, one call at a time, and the decision log. */

#include "base/fail.h"
#include "engine/state.h"

/* What an event, a commit and a new engine share. */

/* A copy of a tree with our memory; the host's user stays ours alone. */
sked_status skedi_engine_own_tree(const sked_engine *e, const sked_tree *tree,
                                  sked_tree **copy, sked_error *err);

/* Moves the clock on; a time before it is counted as late. */
void skedi_engine_advance(sked_engine *e, sked_time now);

/* May it be `now`? SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_engine_time(const sked_engine *e, sked_time now,
                              sked_error *err);

/* Lines for the host's `log`: decisions, rows that were refused. */

/* A line for each decision since the last call. Nothing where no line is
 * wanted. */
void skedi_log_decisions(sked_engine *e);

/* A line for each setting of preemption, with the tree as it is, under which the
 * number of kills has no bound that follows from the claims. */
void skedi_log_notes(const sked_engine *e);

/* Does the host want lines of this level? */
static inline int skedi_log_wants(const sked_engine *e, uint32_t level)
{
    return e->hooks.host.log && level <= e->hooks.host.log_level;
}

/* Counts the nodes that have less than their tasks hold, and the queues that
 * use more than a limit. O((nodes + queues * partitions) * kinds). */

void skedi_count_over(const sked_engine *e, sked_engine_stats *stats);

/*
 * One call at a time: what a hook of an engine asks of the same engine while a
 * call of it runs is refused, where it would change the engine.
 */

static inline sked_status skedi_busy_enter(sked_engine *e, sked_error *err)
{
    if (e->busy) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "a hook called back into its engine");
    }
    e->busy = 1;
    return SKED_OK;
}

/* Returns `rc`. */
static inline sked_status skedi_busy_leave(sked_engine *e, sked_status rc)
{
    e->busy = 0;
    return rc;
}

#endif
