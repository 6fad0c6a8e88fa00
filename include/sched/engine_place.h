#ifndef SKED_ENGINE_PLACE_H
#define SKED_ENGINE_PLACE_H

/*
 * Finding a node for each ask, where heartbeats and sked_engine_pass() find
 * asks for each node: for hosts that know all their nodes at once, and care
 * where tasks run.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Which node a task (or gang) takes, of those where it may run now. Among
 * equal nodes, the node that was added first wins. The leading kind is the one of
 * which the task takes the largest part of the partition's capacity.
 */
enum sked_engine_place_mode {
    SKED_ENGINE_PLACE_MODE_FIRST = 1,  /* the one that was added first */
    SKED_ENGINE_PLACE_MODE_PACK = 2,   /* the one with least left of the leading
                                          kind */
    SKED_ENGINE_PLACE_MODE_SPREAD = 3, /* the one with most left of it */
    /* The one where other work loses least: for each ask that is open in the
     * partition and whose rule takes the node, the number of its tasks (or
     * gangs) that fit the node now and would not fit then, of up to 1,024 that
     * fit now, times the largest part of the partition that one takes, in ppm,
     * rounded up. So large nodes stay free for large tasks. */
    SKED_ENGINE_PLACE_MODE_FRAGMENT = 4,
    SKED_ENGINE_PLACE_MODE_SCORE = 5 /* the one with the host's highest score */
};

typedef struct sked_engine_place_options {
    uint32_t struct_size;
    uint32_t mode; /* enum sked_engine_place_mode, of asks that do not say; 0:
                      FIRST */
    /* The host's scores in this call; nodes not listed have 0. */
    const uint64_t *nodes; /* keys, each once */
    const int64_t *scores;
    uint64_t n;
} sked_engine_place_options;

/*
 * Places open asks, partition by partition: of all that may run on some node of
 * it, the first in order starts one task (or gang) on the node that its mode
 * says, then again, until nothing more may run. Orders, guarantees, limits,
 * rules, refusals, waits for places, reservations and the bounds on decisions
 * are those of a heartbeat (engine.h): each decision is one that a heartbeat of
 * that node could have made. What a node is reserved for starts there first.
 * Listed nodes and racks go before the mode: an ask takes a node of its list
 * where one takes it now, else one of its racks. `max_per_pass` bounds what one
 * call starts on one node. A gang over nodes fills nodes as a heartbeat would.
 *
 * Makes at most `budget` decisions (0: no bound), of a gang over nodes all.
 * `options` NULL: the defaults.
 *
 * Returns SKED_OK, SKED_STOPPED (the budget is used up, or `max_untaken`
 * decisions wait), SKED_ERR_ARG (a mode; a column is NULL), SKED_ERR_EXISTS (a
 * node is listed twice), SKED_ERR_NOT_FOUND (a node is not known; `err->row` is
 * its row), SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too far ahead),
 * SKED_ERR_STATE (called by a hook), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a
 * code of the host's own. What was decided before an error stands. Cost: that
 * of a heartbeat for each decision, and O(log nodes) on average to find a node,
 * beside the nodes with enough free that the ask's rule, places or the host's
 * word exclude. FRAGMENT, and asks with lists of places: O(nodes with enough
 * free) times the amounts that open asks differ in.
 * The first call, and one with scores: O(nodes log nodes).
 */
SKED_TRY sked_status sked_engine_place(sked_engine *engine, sked_time now,
                                       uint64_t budget,
                                       const sked_engine_place_options *options,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
