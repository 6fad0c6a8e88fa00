#ifndef SKED_ENGINE_PLACE_H
#define SKED_ENGINE_PLACE_H

/*
 * Placement by task: the engine looks for the best node of each ask. Heartbeats
 * and sked_engine_pass() look for the best ask of each node instead. Placement
 * by task suits hosts that know all nodes at once.
 *
 * The smallest use:
 *
 *     sked_engine_place_options o = {.struct_size = sizeof o,
 *                                    .mode = SKED_ENGINE_PLACE_MODE_PACK};
 *     sked_engine_place(engine, now, 0, &o, &err);
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The node for a task (or gang), among the nodes where it may run now. Among
 * equal nodes, the node that was added first wins. The leading kind of a task is
 * the kind with the largest part of the partition's capacity.
 */
enum sked_engine_place_mode {
    SKED_ENGINE_PLACE_MODE_FIRST = 1,  /* the first added node */
    SKED_ENGINE_PLACE_MODE_PACK = 2,   /* least left of the leading kind */
    SKED_ENGINE_PLACE_MODE_SPREAD = 3, /* most left of the leading kind */
    /* The node where other work loses least. The loss is a sum over the asks
     * that are open in the partition and whose rule takes the node. Each ask adds
     * a number of tasks (or gangs) times the largest part of the partition that
     * one task takes, in ppm, rounded up. The number counts tasks that fit the
     * node now, up to 1,024, and would not fit after the start. Large nodes stay
     * free for large tasks. */
    SKED_ENGINE_PLACE_MODE_FRAGMENT = 4,
    SKED_ENGINE_PLACE_MODE_SCORE = 5 /* the highest score of the host */
};

typedef struct sked_engine_place_options {
    uint32_t struct_size;
    uint32_t mode; /* enum sked_engine_place_mode, for asks without a mode; 0:
                      FIRST */
    /* Scores of the host for one call; other nodes have score 0. */
    const uint64_t *nodes; /* keys, each once */
    const int64_t *scores;
    uint64_t n;
} sked_engine_place_options;

/*
 * Places open asks, partition by partition. The first ask in order that may run
 * on some node starts one task (or gang) on the node of its mode. The call
 * repeats the step until no ask may run. Orders, guarantees, limits, rules,
 * rejected proposals, waits for places, reservations and the bounds on decisions
 * are the same as for a heartbeat (engine.h). A heartbeat of the chosen node
 * could make each decision too. Reserved tasks start first on a node. Listed
 * nodes and racks precede the mode: an ask takes a listed node if one is free
 * for the ask, else a node of a listed rack. `max_per_pass` bounds the starts of
 * one call on one node. A gang over nodes fills nodes as in a heartbeat.
 *
 * Makes at most `budget` decisions (0: no bound); a gang over nodes is decided
 * as a whole. `options` NULL: the defaults.
 *
 * Returns SKED_OK, SKED_STOPPED (the budget is used up, or `max_untaken`
 * decisions wait), SKED_ERR_ARG (a mode; a column is NULL), SKED_ERR_EXISTS (a
 * node is listed twice), SKED_ERR_NOT_FOUND (a node is not known; `err->row` is
 * the row), SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too far ahead),
 * SKED_ERR_STATE (called by a hook), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a
 * code of the host. Decisions before an error remain.
 *
 * Cost: a heartbeat for each decision, and O(log nodes) on average to find a
 * node. Each node with enough free amounts that a rule, a place or the host
 * excludes adds O(1). FRAGMENT and lists of places: O(nodes with enough free
 * amounts) times the number of different amounts in open asks. The first call
 * and a call with scores: O(nodes log nodes).
 */
SKED_TRY sked_status sked_engine_place(sked_engine *engine, sked_time now,
                                       uint64_t budget,
                                       const sked_engine_place_options *options,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
