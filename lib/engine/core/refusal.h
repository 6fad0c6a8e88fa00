#ifndef SKEDI_ENGINE_CORE_REFUSAL_H
#define SKEDI_ENGINE_CORE_REFUSAL_H

/* May an ask run on a node, and if not, why? */

#include "engine/state.h"

/* How long an ask waits before it takes a node: what must have passed of both
 * time and node events. */
typedef struct engine_wait {
    uint64_t time;
    uint64_t beats;
    int never; /* 1: it never takes it */
} engine_wait;

engine_wait skedi_place_wait(const sked_engine *e, const engine_ask *ask,
                             uint32_t node);

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
int32_t skedi_ban_reason(const sked_engine *e, const engine_ask *ask,
                         uint32_t node);
int skedi_ask_is_banned(const sked_engine *e, const engine_ask *ask,
                        uint32_t node);

/* Does the host refuse an ask a node, or does the ask or its job exclude it?
 * `*until` is when that lapses by itself (INT64_MAX: never); `*changes` 1: it
 * lapses when the node or the ask changes. */
int skedi_ask_refuses(const sked_engine *e, uint32_t ask, uint32_t node,
                      sked_time *until, int *changes);

/* Is a node one of those that the ask or its job does not take? */
int skedi_ask_excludes(const sked_engine *e, uint32_t ask, uint32_t node);

#endif
