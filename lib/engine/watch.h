#ifndef SKEDI_ENGINE_WATCH_H
#define SKEDI_ENGINE_WATCH_H

/*
 * Observers: functions that an engine calls while it changes. Preemption
 * registers them while it is on (engine/preempt.c). The callers do not know
 * preemption. An observer can neither fail nor change the engine.
 */

#include "engine/state.h"

typedef struct engine_watch {
    /* The free amounts of a node changed, or the node came up or went down. */
    void (*node_moved)(sked_engine *e, uint32_t node);
    /* A group started to run, or its work is safe up to now; it ended, or
     * group_began() follows with new terms; it holds its shape `by` times
     * more, or fewer. */
    void (*group_began)(sked_engine *e, uint32_t group);
    void (*group_ended)(sked_engine *e, uint32_t group);
    void (*group_moved)(sked_engine *e, uint32_t group, int64_t by);
    /* `count` tasks of an ask start on a node in their normal order. */
    void (*tasks_began)(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count);
    /* `count` tasks of a group ended without a kill order of a round. */
    void (*tasks_ended)(sked_engine *e, uint32_t group, uint32_t count);
    /* The amounts, the priority or the start of groups changed at once, without
     * a call for each group. */
    void (*groups_changed)(sked_engine *e);
    /* `by` more tasks of an ask are open, and the ask has entries. */
    void (*ask_moved)(sked_engine *e, uint32_t ask, int64_t by);
    /* The least of a job's tasks that are to run has changed, or when a group
     * ends or what it costs: so that a round may decide something else. */
    void (*least_changed)(sked_engine *e);
    /* Queues or partitions have changed. */
    void (*queues_changed)(sked_engine *e);
} engine_watch;

static inline void skedi_watch_node(sked_engine *e, uint32_t node)
{
    if (e->watch) e->watch->node_moved(e, node);
}

static inline void skedi_watch_begin(sked_engine *e, uint32_t group)
{
    if (e->watch) e->watch->group_began(e, group);
}

static inline void skedi_watch_end(sked_engine *e, uint32_t group)
{
    if (e->watch) e->watch->group_ended(e, group);
}

static inline void skedi_watch_tasks(sked_engine *e, uint32_t group, int64_t by)
{
    if (e->watch) e->watch->group_moved(e, group, by);
}

static inline void skedi_watch_least(sked_engine *e)
{
    if (e->watch) e->watch->least_changed(e);
}

static inline void skedi_watch_groups(sked_engine *e)
{
    if (e->watch) e->watch->groups_changed(e);
}

static inline void skedi_watch_ask(sked_engine *e, uint32_t ask, int64_t by)
{
    if (e->watch) e->watch->ask_moved(e, ask, by);
}

#endif
