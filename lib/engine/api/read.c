/* Reading an engine: counts, books, and why a job waits. */
#include <sched/engine.h>
#include <sched/life.h>

#include <string.h>

#include "base/versioned.h"
#include "engine/api/over.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/queue.h"
#include "engine/budget.h"
#include "engine/preempt/rounds.h"

SKEDI_NO_TAIL_PADDING(sked_engine_stats, form_nodes);
SKEDI_NO_TAIL_PADDING(sked_engine_bound, binds);

enum { ENGINE_STATS_V1 = SKEDI_SIZE_THROUGH(sked_engine_stats, bytes) };

sked_status sked_engine_get_stats(const sked_engine *engine,
                                  sked_engine_stats *stats)
{
    if (!engine || !stats) return SKED_ERR_ARG;
    uint32_t theirs = stats->struct_size;
    sked_status rc = skedi_struct_out(theirs, ENGINE_STATS_V1);
    if (rc != SKED_OK) return rc;

    sked_engine_stats now = engine->stats;
    now.struct_size = (uint32_t)skedi_i64_min(theirs, sizeof now);
    now.bytes = engine->hooks.mem.live;
    now.form_nodes = engine->forms.n;
    if (theirs > ENGINE_STATS_V1) skedi_count_over(engine, &now);
    memcpy(stats, &now, now.struct_size);
    return SKED_OK;
}

sked_status sked_engine_task_state(const sked_engine *engine, uint64_t group,
                                   uint32_t *state)
{
    static const uint8_t states[] = {
        SKED_LIFE_STARTED_GONE, SKED_LIFE_STARTED_PROPOSED,
        SKED_LIFE_STARTED_HELD, SKED_LIFE_STARTED_KILLED,
        SKED_LIFE_STARTED_REVOKED};

    if (!engine || !state) return SKED_ERR_ARG;
    uint32_t row = skedi_group_find(engine, group);
    *state = states[row == SKEDI_NONE ? (uint32_t)GROUP_FREE_SLOT
                                      : group_at(engine, row)->state];
    return SKED_OK;
}

static void add_open(const sked_engine *e, uint32_t row, uint32_t partition,
                     int64_t *pending)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        if (partition != SKED_ANY_PARTITION && a->partition != partition) {
            continue;
        }
        uint32_t at = job_at(e, a->job)->row;
        while (at != row && at != 0) at = (uint32_t)e->rows.parent[at];
        if (at != row) continue;
        const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            pending[k] = skedi_amount_add(pending[k], task[k] * a->open);
        }
    }
}

sked_status sked_engine_usage(const sked_engine *engine, sked_queue_id queue,
                              uint32_t partition, int64_t *usage,
                              int64_t *pending)
{
    if (!engine || !usage) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_image(engine->tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    int all = partition == SKED_ANY_PARTITION;
    if (!all && partition >= engine->parts) return SKED_ERR_ARG;

    for (uint32_t k = 0; k < engine->kinds; k++) {
        usage[k] = all ? skedi_row_used(engine, row, k)
                       : cell_row(engine, engine->cell_used,
                                  cell_of(engine, row, partition))[k];
    }
    if (!pending) return SKED_OK;
    memset(pending, 0, engine->kinds * sizeof *pending);
    add_open(engine, row, partition, pending);
    return SKED_OK;
}

sked_status sked_engine_node_free(const sked_engine *engine, uint64_t node,
                                  int64_t *amounts)
{
    if (!engine || !amounts) return SKED_ERR_ARG;
    uint32_t at = skedi_keymap_get(&engine->node_of, node);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    const int64_t *free = engine_row_of(engine, &engine->node_free, at);
    for (uint32_t k = 0; k < engine->kinds; k++) {
        amounts[k] = free[k] + skedi_reservation_of(engine, at, k);
        if (kind_is_pooled(engine, k)) amounts[k] = 0;
    }
    return SKED_OK;
}

const char *sked_reason_name(int32_t reason)
{
    switch (reason) {
    case SKED_REASON_NONE: return "";
    case SKED_REASON_ORDER: return "its turn";
    case SKED_REASON_NO_NODE: return "no node has so much free";
    case SKED_REASON_NEVER_NODE: return "no node is large enough";
    case SKED_REASON_QUEUE_LIMIT: return "limit of a queue";
    case SKED_REASON_NEVER_LIMIT: return "larger than the limit of a queue";
    case SKED_REASON_USER_LIMIT: return "limit of the user";
    case SKED_REASON_MAX_RUNNING: return "running applications of a queue";
    case SKED_REASON_USER_RUNNING: return "running applications of the user";
    case SKED_REASON_LOCALITY: return "waits for a node of its list";
    case SKED_REASON_REFUSED: return "the host refused this node";
    case SKED_REASON_DRAINING: return "takes nothing new";
    case SKED_REASON_NODE_LOST: return "the node was lost";
    case SKED_REASON_UNCONFIRMED: return "not confirmed in time";
    case SKED_REASON_CANCELLED: return "cancelled";
    case SKED_REASON_NOT_ADMITTED: return "not admitted yet";
    case SKED_REASON_BEHIND: return "others come first";
    case SKED_REASON_HELD: return "it was reserved for the ask";
    case SKED_REASON_PREEMPTED: return "a queue below its share needs it";
    case SKED_REASON_NEED_GONE: return "no longer needed";
    case SKED_REASON_MASTERS: return "what masters of the leaf may hold";
    case SKED_REASON_PREEMPTED_USER: return "above its user's share";
    case SKED_REASON_PREEMPTED_PRIORITY: return "matters less than what waits";
    case SKED_REASON_PREEMPTED_LIMIT:
        return "below the same limit as a queue below its share";
    case SKED_REASON_NO_CLAIM: return "more than its queue may claim";
    case SKED_REASON_ADOPTED: return "it ran already";
    case SKED_REASON_EXCLUDED: return "the ask does not take this node";
    case SKED_REASON_RULE: return "its rule does not take this node";
    case SKED_REASON_RATE: return "starts of a queue in this second";
    case SKED_REASON_FORMING: return "reserved for a gang that forms";
    case SKED_REASON_WEIGHT: return "its queue has a weight of the host's";
    case SKED_REASON_CLASS: return "what jobs of its class may have";
    case SKED_REASON_GANG: return "all of a gang over nodes at once";
    case SKED_REASON_EXCLUSIVE: return "a node to itself";
    case SKED_REASON_TREE_1_LIMIT: return "limit of a queue of limit tree 1";
    case SKED_REASON_TREE_2_LIMIT: return "limit of a queue of limit tree 2";
    case SKED_REASON_TREE_1_RUNNING:
        return "running jobs of a queue of limit tree 1";
    case SKED_REASON_TREE_2_RUNNING:
        return "running jobs of a queue of limit tree 2";
    case SKED_REASON_OBSERVED: return "a queue below its share would need it";
    }
    return "unknown";
}
