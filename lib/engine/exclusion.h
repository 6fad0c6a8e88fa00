#ifndef SKEDI_ENGINE_EXCLUSION_H
#define SKEDI_ENGINE_EXCLUSION_H

/*
 * Exclusions of nodes, parked asks, and the ordered list of reasons not to
 * start.
 */

#include "base/random.h"
#include "engine/state.h"

/*
 * A ban records what an ask does not take: nodes that the host refused for the
 * ask, and excluded nodes. A ban can park its ask, for example while no node is
 * large enough. A parked ask has no entries. No pass looks at a parked ask, and
 * the ask adds nothing to demand. The engine puts a ready ask into line after the
 * event, or before the next event if memory was short.
 */

static inline engine_ban *ban_at(const sked_engine *e, uint32_t ban)
{
    return (engine_ban *)e->bans.item + ban;
}

/* True if an ask belongs in the lines of its leaf. */
static inline int skedi_ask_stands(const sked_engine *e, const engine_ask *a)
{
    if (a->open == 0 || job_at(e, a->job)->state != JOB_RUNNING) return 0;
    return extra_of(e, a)->refusals == SKEDI_NONE ||
           ban_at(e, extra_of(e, a)->refusals)->parked == 0;
}

/* The reasons of the ban to park an ask (PARK_*), or 0. */
static inline uint32_t skedi_parked_by(const sked_engine *e,
                                       const engine_ask *a)
{
    return extra_of(e, a)->refusals == SKEDI_NONE
               ? 0
               : ban_at(e, extra_of(e, a)->refusals)->parked;
}

/* True if the host refused a node for an ask, or if the ask or its job excludes
 * a node. */
static inline int skedi_ask_avoids(const sked_engine *e, const engine_ask *a)
{
    uint32_t of_job = job_at(e, a->job)->ban;

    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    return ban_at(e, extra_of(e, a)->refusals)->pairs > 0 ||
           ban_at(e, extra_of(e, a)->refusals)->n_excluded > 0 ||
           (of_job != SKEDI_NONE && ban_at(e, of_job)->n_excluded > 0);
}

/* The term of a node in the sum of a ban. `node` is a key or a number. */
static inline uint64_t skedi_ban_part(uint64_t node)
{
    return skedi_random_split(&node);
}

/* Removes the pair at the link `at` from the ban of an ask. */
void skedi_pair_forget(sked_engine *e, engine_ban *ban, uint32_t *at);

/* Removes the pairs of an ask that have lapsed, or all pairs if `all` is set.
 * Returns 1 if a pair was removed. */
int skedi_pairs_purge(sked_engine *e, uint32_t ask, int all);

/* Reserves memory for `more` bans. 0: no memory. */
int skedi_ban_reserve(sked_engine *e, uint64_t more);

/* Returns the ban of an ask or a job, and makes a ban if none exists. The caller
 * has reserved memory. */
engine_ban *skedi_ban_of_ask(sked_engine *e, uint32_t ask);
engine_ban *skedi_ban_of_job(sked_engine *e, uint32_t job);

/* Drop a ban whose owner ends, and free all bans. */
void skedi_ban_drop(sked_engine *e, uint32_t ban);
void skedi_bans_free(sked_engine *e);

/* Park adds a reason (PARK_*) and takes the ask out of the lines. Unpark drops a
 * reason; an ask without reasons becomes ready for the lines (PARK_READY). The
 * caller has reserved memory for the ban. */
void skedi_ask_park(sked_engine *e, uint32_t ask, uint32_t why);
void skedi_ask_unpark(sked_engine *e, uint32_t ask, uint32_t why);

/* Park or unpark all asks of a job that the host refused. */
void skedi_job_bar(sked_engine *e, uint32_t job, sked_time until);
void skedi_job_unbar(sked_engine *e, uint32_t job);

/* Close a node for all asks, or open the node again. */
void skedi_node_bar(sked_engine *e, uint32_t node, sked_time until);
void skedi_node_unbar(sked_engine *e, uint32_t node);

/* Sets the moment at which the bar of a ban lapses. SKED_UNSET: a change of the
 * owner ends the bar. */
void skedi_ban_time(sked_engine *e, uint32_t ban, sked_time until);

/* Ends refusals without a moment, because the owner of the ban changed. */
void skedi_ban_changed(sked_engine *e, uint32_t ban);

/* True if the host refused a node for all asks. Such a node stays barred when the
 * node resumes. */
static inline int skedi_node_is_barred(const sked_engine *e, uint32_t node)
{
    uint32_t ban = node_at(e, node)->ban;

    return ban != SKEDI_NONE && ban_at(e, ban)->barred;
}

/* Look again at parked asks that wait for a node or for a limit. A node came or
 * changed, or limits above the asks of a job changed (SKEDI_NONE: of all jobs). */
void skedi_bans_see_node(sked_engine *e, uint32_t node);
void skedi_bans_see_limits(sked_engine *e, uint32_t job);

/* Looks again at a gang over nodes after some of its open tasks started. Nodes
 * and limits may hold the rest of the gang. */
void skedi_bans_see_rest(sked_engine *e, uint32_t ask);

/* Ends the refusals whose moment is not after `now`. */
void skedi_bans_lapse(sked_engine *e, sked_time now);

/* Puts the ask of a ready ban into line. Returns SKED_OK or SKED_ERR_NOMEM. The
 * call may be repeated after SKED_ERR_NOMEM. */
sked_status skedi_ban_settle(sked_engine *e, uint32_t ban);

/* True if the data of a ban is consistent. For tests. */
int skedi_ban_is_sound(const sked_engine *e, uint32_t ban);

/*
 * Classes of asks that avoid nodes. An ask avoids a node if the host refused the
 * pair or if the node is excluded. Asks that avoid nodes have classes of their
 * own, apart from other asks of the same shape. The avoided nodes determine the
 * class, so asks with the same avoided nodes share a class. A node remembers the
 * classes in which every ask avoids the node, and a pass skips these classes at
 * no cost. A new ask is asked once.
 */

/* The most classes of asks that avoid nodes, for one shape. */
enum { SKEDI_REFUSER_BUCKETS = 8 };

/* Puts an ask into the class of its shape and its avoided nodes. */
void skedi_refusers_follow(sked_engine *e, uint32_t ask);

/*
 * Returns the classes, out of `among`, in which every ask avoids a node. New asks
 * are asked once and counted in `asks_visited`. The node is due again when the
 * first refusal of these asks lapses. `*moved` is 1 if an ask whose refusals had
 * lapsed changed its class. The caller then repeats the call at little cost.
 */
uint64_t skedi_refusers_of(sked_engine *e, uint32_t node, uint64_t among,
                           int *moved);

/* True if the classes that a node remembers are right. For tests. */
int skedi_refusers_are_sound(const sked_engine *e, uint32_t node);

/* ---- Reasons not to start on a node ---- */

/* How long an ask waits before it takes a node. */
typedef struct engine_wait {
    uint64_t time; /* ns */
    int never;     /* 1: the ask never takes the node */
} engine_wait;

/* The distance of a node from the places of an ask. 0: the node is a listed place
 * with tasks left, or the ask has no list. 1: the rack of the node is such a
 * place. 2: neither. */
uint32_t skedi_place_distance(const sked_engine *e, const engine_ask *ask,
                              uint32_t node);

/* Returns the reason why an ask cannot run on a node now, or SKED_REASON_ORDER.
 * `row` is the queue that binds, in the engine's tree or in the tree of limits
 * that the reason names. */
int32_t skedi_ask_refusal(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t *row);

/* The name of a pair of an ask and a node in the map of refusals. */
static inline uint64_t skedi_pair_name(uint32_t ask, uint32_t node)
{
    return (uint64_t)ask << 32 | ((uint64_t)node + 1);
}

/* The moment until which the host refused a pair; INT64_MAX: no moment. */
sked_time skedi_refused_until(const sked_engine *e, uint32_t ask,
                              uint32_t node);

/* True if a refusal holds. With a moment: the moment is still to come, and the
 * node has not come anew. Without a moment: ask and node have not changed since
 * the refusal. */
int skedi_refusal_holds(const sked_engine *e, const engine_ask *ask,
                        const engine_refusal *refusal);

/* The number of tasks of an ask that may start on a node before a place of the
 * ask is used up; INT64_MAX: no place counts tasks. O(places of the ask). */
int64_t skedi_place_left(const sked_engine *e, uint32_t ask, uint32_t node);

/* Update the counts of the places of an ask after `count` tasks started on a
 * node, or became open again (negative). The first function needs an ask with
 * places. */
void skedi_place_follow(sked_engine *e, const engine_ask *ask, uint32_t node,
                        int64_t count);
static inline void skedi_place_count(sked_engine *e, uint32_t ask,
                                     uint32_t node, int64_t count)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->places == SKEDI_NONE) return;
    skedi_place_follow(e, a, node, count);
}

/* True if an ask takes a node with enough free amounts. The rule of the ask, its
 * places with their waits, refusals and exclusions decide. */
int skedi_place_allows(const sked_engine *e, uint32_t ask, uint32_t node);

/* As skedi_place_allows(), without the waits for places. */
int skedi_place_may(const sked_engine *e, uint32_t ask, uint32_t node);

/* As skedi_place_allows(), for a step with kill orders on the node. Soft rules
 * were asked before the kill orders and are not asked again. */
int skedi_place_paid(const sked_engine *e, uint32_t ask, uint32_t node);

/* Returns the first queue on the path of a leaf, from the root down, whose limit
 * leaves less than a step in a partition, or SKEDI_NONE. `kind` is the kind. */
uint32_t skedi_limit_against(const sked_engine *e, uint32_t leaf,
                             uint32_t partition, const int64_t *step,
                             uint32_t *kind);

/* The amount of a kind that masters of a leaf may hold in a partition. One master
 * may always run. */
int64_t skedi_masters_bound(const sked_engine *e, uint32_t leaf,
                            uint32_t partition, uint32_t kind);

/* The reason that names a tree of limits. */
static inline int32_t skedi_tree_reason(uint32_t tree)
{
    return SKED_REASON_TREE_1_LIMIT + (int32_t)tree;
}

/* The tree of limits that a reason names, or SKEDI_NONE. */
static inline uint32_t skedi_reason_tree(int32_t reason)
{
    uint32_t tree = (uint32_t)reason - SKED_REASON_TREE_1_LIMIT;

    return tree < SKED_MAX_LIMIT_TREES ? tree : SKEDI_NONE;
}

/* True if the bound of masters stops a step of an ask. `kind` is the kind that
 * binds, and `need` is the amount that masters would hold. */
int skedi_masters_refuse(const sked_engine *e, uint32_t ask, uint32_t partition,
                         uint32_t *kind, int64_t *need);

/* As skedi_masters_refuse(), for the amounts in `step`. */
int skedi_masters_against(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *step,
                          uint32_t *kind, int64_t *need);

/*
 * Returns the bound that is less than an amount of an ask in a partition: a limit
 * on the path (SKED_REASON_QUEUE_LIMIT), a tree of limits (skedi_tree_reason()) or
 * the bound of masters (SKED_REASON_MASTERS). SKED_REASON_ORDER: no bound. `*row`
 * is the queue of the first two, and `*kind` is the kind.
 */
int32_t skedi_exclusive_bound(const sked_engine *e, uint32_t ask,
                              uint32_t partition, const int64_t *amount,
                              uint32_t *row, uint32_t *kind);

/* True if a task may have a node to itself. The node must be empty, and bounds
 * must hold the whole node. Bounds of a gang over nodes are checked elsewhere, for
 * all nodes of the gang together. Always true for asks that share nodes. */
int skedi_exclusive_takes(const sked_engine *e, uint32_t ask, uint32_t node);

/* As skedi_ask_refusal(), with the account of the user in the partition.
 * SKEDI_NONE: no account can be at its limit. */
int32_t skedi_refusal_at(const sked_engine *e, uint32_t ask, uint32_t account,
                         uint32_t node, uint32_t *row);

/* Returns the lowest queue from a row up that can never hold a step, or
 * SKEDI_NONE. */
uint32_t skedi_never_under_limit(const sked_engine *e, uint32_t row,
                                 const int64_t *step);

/* True if an ask or its job excludes a node. */
int skedi_ask_excludes(const sked_engine *e, uint32_t ask, uint32_t node);

/* Schedules a node for the moment when an ask that waits for other places may
 * take the node. */
void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node);

#endif
