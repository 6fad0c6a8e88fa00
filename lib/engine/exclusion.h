#ifndef SKEDI_ENGINE_EXCLUSION_H
#define SKEDI_ENGINE_EXCLUSION_H

/*
 * Exclusions of nodes, parked asks, and the ordered list of reasons not to
 * start.
 */

#include "base/random.h"
#include "engine/state.h"

/*
 * What an ask does not take, since the host refused it or nothing is large
 * enough: pairs of an ask and a node, sets of nodes, and asks that stand in no
 * line at all. An ask that is parked has no entries, so no pass looks at it,
 * and it is no demand. What may stand in line again is put there after the
 * event, as far as memory allows; the rest before the next.
 */

static inline engine_ban *ban_at(const sked_engine *e, uint32_t ban)
{
    return (engine_ban *)e->bans.item + ban;
}

/* Does an ask belong in the lines of its leaf? */
static inline int skedi_ask_stands(const sked_engine *e, const engine_ask *a)
{
    if (a->open == 0 || job_at(e, a->job)->state != JOB_RUNNING) return 0;
    return extra_of(e, a)->refusals == SKEDI_NONE ||
           ban_at(e, extra_of(e, a)->refusals)->parked == 0;
}

/* Why it does not (PARK_*), as far as that is a ban. */
static inline uint32_t skedi_parked_by(const sked_engine *e,
                                       const engine_ask *a)
{
    return extra_of(e, a)->refusals == SKEDI_NONE
               ? 0
               : ban_at(e, extra_of(e, a)->refusals)->parked;
}

/* Are there nodes that the host refused an ask, or that it or its job excludes?
 */
static inline int skedi_ask_avoids(const sked_engine *e, const engine_ask *a)
{
    uint32_t of_job = job_at(e, a->job)->ban;

    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    return ban_at(e, extra_of(e, a)->refusals)->pairs > 0 ||
           ban_at(e, extra_of(e, a)->refusals)->n_excluded > 0 ||
           (of_job != SKEDI_NONE && ban_at(e, of_job)->n_excluded > 0);
}

/* What a node, by its key or its number, adds to the sum of a ban. */
static inline uint64_t skedi_ban_part(uint64_t node)
{
    return skedi_random_split(&node);
}

/* Forgets the pair that the link `at` of its ask's ban names. */
void skedi_pair_forget(sked_engine *e, engine_ban *ban, uint32_t *at);

/* Forgets the pairs of an ask that hold no longer, or (`all`) all of them. 1:
 * there were some. */
int skedi_pairs_purge(sked_engine *e, uint32_t ask, int all);

/* Memory for so many more bans. 0: no memory. */
int skedi_ban_reserve(sked_engine *e, uint64_t more);

/* The ban of an ask, a job or a node, made when there is none; memory was
 * reserved. */
engine_ban *skedi_ban_of_ask(sked_engine *e, uint32_t ask);
engine_ban *skedi_ban_of_job(sked_engine *e, uint32_t job);

/* Forgets a ban whose owner goes; frees all bans. */
void skedi_ban_drop(sked_engine *e, uint32_t ban);
void skedi_bans_free(sked_engine *e);

/* Takes an ask out of the lines for one more reason (PARK_*); or drops a
 * reason. Without any reason it is to be put into line (PARK_READY). Memory for
 * its ban was reserved. */
void skedi_ask_park(sked_engine *e, uint32_t ask, uint32_t why);
void skedi_ask_unpark(sked_engine *e, uint32_t ask, uint32_t why);

/* The same for all asks of a job that the host refused. */
void skedi_job_bar(sked_engine *e, uint32_t job, sked_time until);
void skedi_job_unbar(sked_engine *e, uint32_t job);

/* A node takes nothing at all, or something again. */
void skedi_node_bar(sked_engine *e, uint32_t node, sked_time until);
void skedi_node_unbar(sked_engine *e, uint32_t node);

/* When the bar of an ask lapses; SKED_UNSET: by change. */
void skedi_ban_time(sked_engine *e, uint32_t ban, sked_time until);

/* What the host refused without a moment lapses, since its owner changed. */
void skedi_ban_changed(sked_engine *e, uint32_t ban);

/* Does the host refuse a node for everything? Then it stays barred when it
 * resumes. */
static inline int skedi_node_is_barred(const sked_engine *e, uint32_t node)
{
    uint32_t ban = node_at(e, node)->ban;

    return ban != SKEDI_NONE && ban_at(e, ban)->barred;
}

/* A node came or changed; the limits above the asks of a job, or (SKEDI_NONE)
 * above all asks, may have changed: asks that wait for either are looked at. */
void skedi_bans_see_node(sked_engine *e, uint32_t node);
void skedi_bans_see_limits(sked_engine *e, uint32_t job);

/* Tasks of an ask run that were open: nodes and limits may hold the rest of a gang
 * over nodes that waits for either. */
void skedi_bans_see_rest(sked_engine *e, uint32_t ask);

/* Ends what the host refused until a moment that has come by `now`. */
void skedi_bans_lapse(sked_engine *e, sked_time now);

/* Puts the ask of a ban that says READY into line. SKED_OK or SKED_ERR_NOMEM,
 * after which it can be called again. */
sked_status skedi_ban_settle(sked_engine *e, uint32_t ban);

/* Is all of it as it should be? For tests. */
int skedi_ban_is_sound(const sked_engine *e, uint32_t ban);

/*
 * Asks that refuse nodes: the host refused the pair, or the node is excluded.
 * They have classes apart from asks of the same shape that refuse none; which
 * of these follows from the nodes, so that asks that refuse the same nodes are
 * together. A node remembers the classes of which every ask refuses it, and a
 * pass passes them by at no cost. What came into line since is asked once.
 */

/* So many classes at most are there for asks of one shape that refuse nodes. */
enum { SKEDI_REFUSER_BUCKETS = 8 };

/* Puts an ask into the class that follows from what it refuses and its shape.
 */
void skedi_refusers_follow(sked_engine *e, uint32_t ask);

/*
 * Which of these classes refuse a node? Each ask that was not asked before is
 * asked (`asks_visited`). The node is to be looked at again when the first of
 * their refusals lapses. `*moved` 1: some ask whose refusals had lapsed has
 * another class now, so that this is to be asked again, which costs little.
 */
uint64_t skedi_refusers_of(sked_engine *e, uint32_t node, uint64_t among,
                           int *moved);

/* Is what a node remembers so? For tests. */
int skedi_refusers_are_sound(const sked_engine *e, uint32_t node);

/* May an ask run on a node, and if not, why? */

/* How long an ask waits before it takes a node. */
typedef struct engine_wait {
    uint64_t time; /* ns */
    int never;     /* 1: the ask never takes the node */
} engine_wait;

/* How much an ask would like a node: 0, it is a place of its list with tasks
 * left (or there is no list); 1, it is in such a rack; 2, neither. */
uint32_t skedi_place_distance(const sked_engine *e, const engine_ask *ask,
                              uint32_t node);

/* What keeps an ask from running on a node now: SKED_REASON_ORDER when
 * nothing does. `row` is the queue that binds, of the engine's tree or of the
 * tree of limits that the reason names. */
int32_t skedi_ask_refusal(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t *row);

/* The name of a pair of an ask and a node in the map of refusals. */
static inline uint64_t skedi_pair_name(uint32_t ask, uint32_t node)
{
    return (uint64_t)ask << 32 | ((uint64_t)node + 1);
}

/* Until when the host refused a pair; INT64_MAX: by no moment. */
sked_time skedi_refused_until(const sked_engine *e, uint32_t ask,
                              uint32_t node);

/* Is the moment still to come, or are ask and node still as they were when the
 * host refused? */
int skedi_refusal_holds(const sked_engine *e, const engine_ask *ask,
                        const engine_refusal *refusal);

/* How many tasks of an ask may start on a node before one of its places there
 * is used up; INT64_MAX: none is counted. O(its places). */
int64_t skedi_place_left(const sked_engine *e, uint32_t ask, uint32_t node);

/* So many tasks of an ask with places (or of any ask) start on a node, or
 * (negative) are open again: the counts of its places there follow. */
void skedi_place_follow(sked_engine *e, const engine_ask *ask, uint32_t node,
                        int64_t count);
static inline void skedi_place_count(sked_engine *e, uint32_t ask,
                                     uint32_t node, int64_t count)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->places == SKEDI_NONE) return;
    skedi_place_follow(e, a, node, count);
}

/* Would an ask take a node that has enough free? Asks its rule, its places and
 * waits for them, and what the host refused or the ask excludes. */
int skedi_place_allows(const sked_engine *e, uint32_t ask, uint32_t node);

/* The same, however long it waits for its places. */
int skedi_place_may(const sked_engine *e, uint32_t ask, uint32_t node);

/* The same for a step for which others got kill orders there: its soft rules
 * were asked before that, and are not asked again. */
int skedi_place_paid(const sked_engine *e, uint32_t ask, uint32_t node);

/* The queue on a leaf's path, from the root down, whose head room does not hold
 * a step in this partition; SKEDI_NONE. `kind` is where. */
uint32_t skedi_limit_against(const sked_engine *e, uint32_t leaf,
                             uint32_t partition, const int64_t *step,
                             uint32_t *kind);

/* What masters of a leaf may hold of a kind in a partition; one may always
 * run. */
int64_t skedi_masters_bound(const sked_engine *e, uint32_t leaf,
                            uint32_t partition, uint32_t kind);

/* The reason that names a tree of limits. */
static inline int32_t skedi_tree_reason(uint32_t tree)
{
    return SKED_REASON_TREE_1_LIMIT + (int32_t)tree;
}

/* Which tree of limits a reason names, SKEDI_NONE: none. */
static inline uint32_t skedi_reason_tree(int32_t reason)
{
    uint32_t tree = (uint32_t)reason - SKED_REASON_TREE_1_LIMIT;

    return tree < SKED_MAX_LIMIT_TREES ? tree : SKEDI_NONE;
}

/* Does the bound of masters keep a step of an ask from starting? `kind` is
 * where; `need` is what masters would hold of it. */
int skedi_masters_refuse(const sked_engine *e, uint32_t ask, uint32_t partition,
                         uint32_t *kind, int64_t *need);

/* The same of other amounts than its step. */
int skedi_masters_against(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *step,
                          uint32_t *kind, int64_t *need);

/*
 * Which bound does not hold so much of an ask in a partition: of a queue on its
 * path (SKED_REASON_QUEUE_LIMIT), of a tree of limits (skedi_tree_reason()),
 * both with the queue in `*row`, or of masters (SKED_REASON_MASTERS)? The kind
 * is in `*kind`; SKED_REASON_ORDER: none.
 */
int32_t skedi_exclusive_bound(const sked_engine *e, uint32_t ask,
                              uint32_t partition, const int64_t *amount,
                              uint32_t *row, uint32_t *kind);

/* May a task have a node to itself: is it empty, and do bounds hold all of it?
 * Of a gang over nodes that is to start, bounds are asked for all its nodes
 * together, not here. Yes of every other ask. */
int skedi_exclusive_takes(const sked_engine *e, uint32_t ask, uint32_t node);

/* skedi_ask_refusal() where the account of the ask's user in this partition is
 * known, or SKEDI_NONE where none can be at its limit. */
int32_t skedi_refusal_at(const sked_engine *e, uint32_t ask, uint32_t account,
                         uint32_t node, uint32_t *row);

/* The lowest queue from a row up that can never hold a step, or SKEDI_NONE. */
uint32_t skedi_never_under_limit(const sked_engine *e, uint32_t row,
                                 const int64_t *step);

/* Why its ban keeps an ask that has one from a node; SKED_REASON_ORDER: it does
 * not. Does the ban of any ask, if it has one, keep it from a node? */

/* Is a node one of those that the ask or its job does not take? */
int skedi_ask_excludes(const sked_engine *e, uint32_t ask, uint32_t node);

/* When a pass over a node is to look again, for an ask that waits. */

/* A pass over a node found an ask that waits for other places: the node is to
 * be looked at again when the ask may take it. */
void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node);

#endif
