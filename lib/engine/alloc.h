#ifndef SKEDI_ENGINE_ALLOC_H
#define SKEDI_ENGINE_ALLOC_H

/* Groups of running tasks: start, charge, end. */

#include "engine/queue.h"
#include "engine/state.h"

/* Which groups are proposals, and which have kill orders with their jobs. */

/* Is the host still to say whether a group was started? */
static inline int skedi_group_is_proposal(const sked_engine *e, uint32_t group)
{
    uint32_t state = group_at(e, group)->state;

    return state == GROUP_PROPOSED || state == GROUP_REVOKED;
}

/* Has a group a kill order since its job or its gang is over? */
static inline int skedi_group_is_doomed(const sked_engine *e, uint32_t group)
{
    return group_at(e, group)->state >= GROUP_KILLED;
}

/* The first doomed group (of SKEDI_NONE), or the one after a doomed group;
 * SKEDI_NONE: there is none. A walk over all of them takes O(their number), and
 * O(proposals) where some are proposals. */
uint32_t skedi_group_next_doomed(const sked_engine *e, uint32_t group);

/* The host carried a proposal out: no deadline any more. */
void skedi_group_hold(sked_engine *e, uint32_t group);

/* Tasks that hold resources: groups, their numbers, the books behind them. */

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

/* What follows for asks from what happened, after the event. */

/* Writes kill orders for what is left of gangs that fall, and puts asks that
 * may run again back into their lines. SKED_OK or SKED_ERR_NOMEM, after which
 * it can be called again. */
sked_status skedi_asks_settle(sked_engine *e);

/* Gangs over nodes that end together (SKED_ASK_TOGETHER) when too few of their
 * tasks are left. */

/* What is known of few groups only, in a record for each: up to when their work
 * is safe, kill orders of rounds, when they end by themselves, what they cost
 * as victims. (Notices that tasks get before a kill order are sked_round's.) */

typedef struct engine_notice {
    uint64_t group; /* its name */
    sked_time saved;
    sked_time ends; /* all of it, as the host says; SKED_UNSET: not known */
    uint32_t dying; /* of its last tasks, with kill orders of a round */
    int32_t cost;   /* of one task as a victim, by the host; -1: none said */
} engine_notice;

/* Memory for `more` further ones. 0: no memory. */
int skedi_notice_reserve(sked_engine *e, uint64_t more);

/* The record of a group; NULL: it has none. The same, made where there is none:
 * memory was reserved. */
engine_notice *skedi_notice_find(const sked_engine *e, uint32_t group);
engine_notice *skedi_notice_take(sked_engine *e, uint32_t group);

/* How many of a group's last tasks got kill orders; what the host says that
 * one costs, or -1; the moment up to which its work is safe. */
uint32_t skedi_group_dying(const sked_engine *e, uint32_t group);
int32_t skedi_group_cost(const sked_engine *e, uint32_t group);
sked_time skedi_group_saved(const sked_engine *e, uint32_t group);

/* What released tasks still hold of their nodes: they are over for their jobs,
 * users and queues, but have not left their nodes. */

/* Memory for the remains of so many more groups. 0: no memory. */
int skedi_remains_reserve(sked_engine *e, uint64_t more);

/* How many released tasks of the group with this name hold something still. */
uint32_t skedi_remains_of(const sked_engine *e, uint64_t name);

/* Forgets all that remains on a node, which is lost. */
void skedi_remains_drop(sked_engine *e, uint32_t node);

/* Adds what released tasks hold on a node to `amounts`. */
void skedi_remains_sum(const sked_engine *e, uint32_t node, int64_t *amounts);

/* Nodes that change under tasks that have them to themselves. */

/* A node is to have another capacity: may the tasks that have the node to
 * themselves hold that? SKED_OK, and memory was reserved; SKED_ERR_RANGE or
 * SKED_ERR_NOMEM. */
sked_status skedi_exclusive_may_grow(sked_engine *e, uint32_t node,
                                     const int64_t *capacity, sked_error *err);

/* The node has it: the tasks hold all of it from now on, also those that were
 * released and that the node has not ended. */
void skedi_exclusive_grow(sked_engine *e, uint32_t node);

/* Sums over all nodes, which must stay amounts whatever starts later. */

/* What tasks hold of a kind: those that run or are proposed, and on nodes those
 * that were released, too. */
static inline int64_t skedi_all_held(const sked_engine *e, uint32_t kind)
{
    return skedi_row_used(e, 0, kind) + e->released[kind];
}

/*
 * What tasks may come to hold of a kind that lies on nodes: what they hold, and
 * `held` more, and what nodes have free, where what is reserved counts as free
 * and a node with less than nothing as 0. `node` (SKEDI_NONE: one to come) has
 * `free` more of it free, or less. Neither is more than SKED_AMOUNT_MAX. At
 * most SKED_AMOUNT_MAX + 1. O(nodes + what is reserved).
 */
int64_t skedi_most_held(const sked_engine *e, uint32_t kind, int64_t held,
                        uint32_t node, int64_t free);

#endif
