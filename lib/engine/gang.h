#ifndef SKEDI_ENGINE_GANG_H
#define SKEDI_ENGINE_GANG_H

/* Gangs: whether enough tasks of an ask can start at once, and on which nodes. */

#include <sched/event.h>

#include "engine/reservation.h"
#include "engine/pending.h"
#include "engine/state.h"

/* Gangs over nodes of which each node takes so many tasks or none
 * (SKED_ASK_EXACT). */

/* How nodes share what such a gang lacks. */
typedef struct engine_exact {
    uint64_t key; /* only nodes with this value of the attribute; 0: any */
    int64_t value;
    int64_t made;  /* tasks that go to nodes that have some of it */
    int64_t whole; /* nodes without any that take `each` tasks */
    int64_t part;  /* tasks of one node more, which takes fewer; 0: none */
} engine_exact;

/* Do nodes of a partition take `tasks` of a gang now, and how? `exact` has the
 * attribute when called, and the rest after it. Yes of a gang that is not
 * exact. O(nodes + groups there). */
int skedi_exact_forms(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int64_t tasks, engine_exact *exact);

/* How many of the `may` tasks that could start on a node start there; takes
 * them off `exact`. */
int64_t skedi_exact_share(const sked_engine *e, uint32_t ask, uint32_t node,
                          int64_t may, engine_exact *exact);

/* For which gangs over nodes something may be reserved while they form, and on
 * which nodes. */

/* For which gang over nodes amounts are reserved while it forms: the first in
 * order that cannot start. */

static inline int skedi_forming_is_on(const sked_engine *e)
{
    return e->opts.form_nodes > 0;
}

/* Nothing is reserved any more for a gang that stands in no line, or whose time
 * is over. */
void skedi_forming_look_at(sked_engine *e, uint32_t partition);

/* A walk over a node (SKEDI_NONE: all of the partition) begins: what is
 * reserved there is free for what comes before the gang. */
void skedi_forming_begin_walk(sked_engine *e, uint32_t partition,
                              uint32_t node);

/* The turn of a gang has come on a node: can all that it lacks start now? As
 * skedi_gang_forms(), and where it cannot, something may be reserved for it, or
 * for the first gang that could not start in this walk. Memory was reserved. */
int skedi_forming_forms(sked_engine *e, uint32_t ask, uint32_t node,
                        int *again);

/* A gang has started: nothing is reserved for it any more, in any partition. */
void skedi_forming_started(sked_engine *e, uint32_t ask);

/* The walk has ended; `cut`: before everything had its turn. */
void skedi_forming_end_walk(sked_engine *e, uint32_t partition, uint32_t node,
                            int cut);

/* A number that is another one, but for chance, when other amounts are reserved
 * in a partition, or for another gang. 0 where nothing is ever reserved.
 * O(parts). */
uint64_t skedi_forming_mark(const sked_engine *e, uint32_t partition);

/* The functions above where the engine reserves for gangs that form at all. */
static inline void skedi_forming_look(sked_engine *e, uint32_t partition)
{
    if (skedi_forming_is_on(e)) skedi_forming_look_at(e, partition);
}

static inline void skedi_forming_begin(sked_engine *e, uint32_t partition,
                                       uint32_t node)
{
    if (skedi_forming_is_on(e)) skedi_forming_begin_walk(e, partition, node);
}

static inline void skedi_forming_end(sked_engine *e, uint32_t partition,
                                     uint32_t node, int cut)
{
    if (skedi_forming_is_on(e)) skedi_forming_end_walk(e, partition, node, cut);
}

/* Gangs over nodes (SKED_ASK_SPREAD): all that one lacks at once. */

/* How many tasks of a gang the nodes of a partition take now, all of them
 * together; never from the counts of fits, which may be old. O(nodes), with
 * `same` for each value. */
uint64_t skedi_gang_space(const sked_engine *e, uint32_t ask,
                          uint32_t partition);

/*
 * Can all that a gang lacks start now, by what the nodes have free? Where it
 * cannot, its partition changes once it may; or `*again` is 1 where nothing
 * tells when, so that every pass is to ask again. Counts of fits must be fresh.
 * O(1), or O(nodes) where the gang does not take all nodes.
 */
int skedi_gang_forms(sked_engine *e, uint32_t ask, uint32_t partition,
                     int *again);

/* Compares the tasks that nodes of the partition hold with the tasks of a gang of
 * this shape. 1: enough fit. 0: too few fit, and the partition notes the number
 * that is needed, so that it changes once enough fit. O(1). */
int skedi_gang_class_try(sked_engine *e, uint32_t shape, uint32_t partition);

/* May a gang that grows start one task more on a node that has enough free? */
int skedi_gang_grows_on(const sked_engine *e, uint32_t ask, uint32_t node);

/* May so many tasks of a gang start on a node that is reserved for them, beside
 * tasks of it that run? No where more than `per_node` would run there, of an
 * exact gang also where fewer would on a node that has none, and where the node
 * does not share their value of `same`. Yes where none runs. O(its groups + groups there). */
int skedi_gang_joins(const sked_engine *e, uint32_t ask, uint32_t node,
                     int64_t count);

/* Have tasks of it a kill order of a round, and not ended yet? Then nothing of
 * it starts. O(its groups). */
int skedi_gang_is_ending(const sked_engine *e, uint32_t ask);

/* Starts so many tasks of a gang on a node, in a group for each run of numbers;
 * what it has waited for places counts for all of it. Memory was reserved. */
void skedi_gang_fill(sked_engine *e, uint32_t ask, uint32_t account,
                     uint32_t node, int64_t count, int32_t reason);

/* Starts all that a gang lacks, for which skedi_gang_forms() said yes. SKED_OK,
 * or SKED_ERR_NOMEM, and nothing changed. O(nodes + nodes taken * what a start
 * costs). */
sked_status skedi_gang_start(sked_engine *e, uint32_t ask, uint32_t account,
                             uint32_t partition);

/* How many tasks of a gang over nodes one node takes. */

/* How many tasks of an ask are on a node. O(groups there). */
int64_t skedi_gang_there(const sked_engine *e, uint32_t ask, uint32_t node);

/* How many of the `fit` tasks that fit a node an ask may start there, by what
 * it refuses, its places, `per_node` and SKED_ASK_EXCLUSIVE. */
int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit);

/* Has a node this value of an attribute? O(log attributes of the node). */
int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value);

/* How many tasks of a gang could start on a node now: 0 where the node is of
 * another partition or takes no work. */
int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition);

/* The nodes of one value of an attribute that a gang over nodes may take. */

/* Does a gang only prefer nodes that share a value? */
static inline int skedi_same_is_soft(const sked_engine *e, uint32_t ask)
{
    return (ask_at(e, ask)->flags & SKED_ASK_PREFER_SAME) != 0;
}

/* Have all nodes on which a gang has groups this value? Yes where it has none.
 */
int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value);

/* Does a node share a value of `same` with all nodes on which a gang has groups
 * (or just have one, where it has none)? Yes where the gang need not share any.
 */
int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node);

/* Do all nodes that are reserved for a gang, and those on which it has groups,
 * share a value of `same`? Yes where it need not share any. O(values of a node *
 * reservations). */
int skedi_same_reserved(const sked_engine *e, uint32_t ask);

/* The same without any scratch. O(nodes^2 * values of a node). */
int skedi_same_look(const sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value);

/* How many tasks the nodes of a value take now. O(nodes * values). */
uint64_t skedi_same_on(const sked_engine *e, uint32_t ask, uint32_t partition,
                       int64_t value);

#endif
