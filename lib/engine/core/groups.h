#ifndef SKEDI_ENGINE_CORE_GROUPS_H
#define SKEDI_ENGINE_CORE_GROUPS_H

/* Tasks that hold resources: groups, their numbers, the books behind them. */

#include "engine/core/states.h"

/* A group's name for the host, and back: SKEDI_NONE when it is gone. */
static inline uint64_t skedi_group_name(const sked_engine *e, uint32_t group)
{
    uint32_t generation = group_at(e, group)->generation;

    return (uint64_t)generation << 32 | (group + 1);
}

static inline uint32_t skedi_group_find(const sked_engine *e, uint64_t name)
{
    uint32_t group = (uint32_t)name - 1;

    if (group >= e->groups.n) return SKEDI_NONE;
    const engine_group *g = group_at(e, group);
    int same = g->state != GROUP_FREE_SLOT && g->generation == name >> 32;
    return same ? group : SKEDI_NONE;
}

/*
 * Starts `count` tasks of an ask on a node: takes their numbers, books them,
 * and decides so, in the decision before where it is of the same ask and node
 * and the numbers go on. `account` is the user's there, or SKEDI_NONE where the
 * leaf does not look at users. Memory was reserved (group, decision).
 */
void skedi_group_start(sked_engine *e, uint32_t ask, uint32_t account,
                       uint32_t node, uint32_t count, int32_t reason);

/* The two halves of that: moves the tags of order `deficit` on an ask's path by
 * one step of it, where there are any; and starts `count` tasks in one group.
 */
void skedi_group_tag(sked_engine *e, uint32_t ask, uint32_t partition);
static inline void skedi_group_charge(sked_engine *e, uint32_t ask,
                                      uint32_t partition)
{
    if (e->rows.tagged) skedi_group_tag(e, ask, partition);
}
void skedi_group_place(sked_engine *e, uint32_t ask, uint32_t account,
                       uint32_t node, uint32_t count, int32_t reason);

/* The shape of what a group's tasks hold. */
static inline uint32_t skedi_group_shape(const sked_engine *e,
                                         const engine_group *g)
{
    return g->shape == SKEDI_NONE ? ask_at(e, g->ask)->shape : g->shape;
}

/* What a task of a group holds. */
static inline const int64_t *skedi_group_task(const sked_engine *e,
                                              const engine_group *g)
{
    return engine_row_of(e, &e->shape_task, skedi_group_shape(e, g));
}

/* Makes a group like this one, of tasks that run already, books it and decides
 * so. Memory was reserved, for an account too. */
void skedi_group_adopt(sked_engine *e, const engine_group *like);

/* A group's tasks hold `task` each from now on. Memory for a shape and a want
 * was reserved. */
void skedi_group_resize(sked_engine *e, uint32_t group, const int64_t *task);

/*
 * Ends the last `count` tasks of a group: what they held is free; `again` opens
 * the tasks anew (memory for a range and for entries was reserved). A node
 * whose free amounts only come back (undo), or are taken again at once
 * (released), is as it was: what it refused stays refused.
 */
enum { GROUP_OVER, GROUP_AGAIN, GROUP_UNDO, GROUP_RELEASED };
void skedi_group_end(sked_engine *e, uint32_t group, uint32_t count, int how);

/* Gives a group a kill order, since its job or its gang is over; memory was
 * reserved. A proposal still ends when the host refuses it or at its
 * deadline. */
void skedi_group_kill(sked_engine *e, uint32_t group, int32_t reason);

/* Takes a job's running tasks out of the books of its leaf (-1), or puts them
 * in (1). O(what it runs). */
void skedi_groups_rebook(sked_engine *e, uint32_t job, int by);

/* The same for what runs on a node: -1 before it changes its partition, then 1.
 */
void skedi_node_rebook(sked_engine *e, uint32_t node, int by);

/* Undoes proposals whose deadline has passed by `now`, each at its deadline,
 * and says so. SKED_OK, SKED_ERR_NOMEM or why the host stopped it, after which
 * it can be called again. */
sked_status skedi_groups_expire(sked_engine *e, sked_time now);

/* Decides `what` about a whole group. Memory was reserved. */
void skedi_group_decide(sked_engine *e, uint32_t group, int32_t what,
                        int32_t reason);

#endif
