/*
 * Editing a copy of the tree into what the jobs ask for.
 *
 * First the planned queues that are there are found. Then what no job names
 * goes, unless something holds it, and what is missing is added, parents first.
 * Then leaves get their settings, and weights go up: a parent weighs what its
 * children will weigh, those included that only stay. A change within the dead
 * band is not made, and the queue counts with the weight that it keeps: so a
 * part of the tree in which nothing moves leaves its parents alone too.
 */
#include "plan/handle.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "ledger/handle.h"

enum {
    NAME_BYTES = 256, /* of a name on the stack; longer ones get memory */
    QUEUE_STEP = 4096
};

/* ---- Finding and adding ---- */

static sked_status add_named(skedi_plan_making *m, const skedi_plan_node *node,
                             sked_queue_id parent, sked_queue_id *id,
                             sked_error *err)
{
    skedi_mem *mem = &m->leaves.hooks.mem;
    char small[NAME_BYTES];
    size_t size = (size_t)node->length + 1;
    char *name = size <= NAME_BYTES ? small : skedi_new(mem, size, 1);

    if (!name) return skedi_fail_memory(err);
    memcpy(name, node->name, node->length);
    name[node->length] = 0;
    sked_status rc = sked_tree_add(m->target, parent, name, id, err);
    if (name != small) skedi_free(mem, name, size, 1);
    return rc;
}

static void find_queues(skedi_plan_making *m)
{
    for (uint32_t i = 0; i < m->leaves.n; i++) {
        const skedi_plan_node *node = &m->leaves.node[i];
        uint32_t up = node->parent ? m->queue[node->parent - 1].row : m->below;
        skedi_piece piece = {node->name, node->length, 0};
        uint32_t row = SKEDI_NO_ROW;
        if (up != SKEDI_NO_ROW) row = skedi_image_child(m->tree, up, piece);
        m->queue[i].row = row;
        if (row == SKEDI_NO_ROW) continue;
        m->queue[i].id = skedi_tree_image(m->tree)->id[row];
        m->node_of[row] = i + 1;
    }
}

static sked_status add_queues(skedi_plan_making *m, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < m->leaves.n && rc == SKED_OK; i++) {
        const skedi_plan_node *node = &m->leaves.node[i];
        sked_queue_id parent = node->parent
                                   ? m->queue[node->parent - 1].id
                                   : skedi_tree_image(m->tree)->id[m->below];
        if (i % QUEUE_STEP == 0) {
            rc = skedi_hooks_check(&m->leaves.hooks, i, m->leaves.n);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        if (m->queue[i].row != SKEDI_NO_ROW) continue;
        rc = add_named(m, node, parent, &m->queue[i].id, err);
    }
    return rc;
}

/* ---- What stays ---- */

static int busy_row(const skedi_plan_making *m, uint32_t row)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    return m->in.ledger && skedi_image_is_leaf(image, row) &&
           skedi_ledger_is_busy(m->in.ledger, row);
}

/* Children come after parents, so a walk from the last row back sees whether
 * anything below stays. */
static void find_stays(skedi_plan_making *m)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    m->stays[m->below] = 1;
    for (uint32_t row = m->rows; row-- > 1;) {
        m->stays[row] |= m->node_of[row] != 0 || busy_row(m, row) ||
                         (m->in.used && m->in.used[row]) ||
                         (m->in.flags & SKED_PLAN_FLAG_KEEP_IDLE) != 0;
        if (m->stays[row]) m->stays[image->parent[row]] = 1;
    }
    m->stays[0] = 1;
}

/* What is outside the plan's part stays, whatever it is. */
static void keep_outside(skedi_plan_making *m)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    m->stays[0] = m->below != 0;
    for (uint32_t row = 1; row < m->rows; row++) {
        m->stays[row] = row != m->below && m->stays[image->parent[row]];
    }
}

int skedi_plan_is_cut(const skedi_plan_making *m, uint32_t row)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    return row > 0 && !m->stays[row] && m->stays[image->parent[row]];
}

static sked_status cut_rows(skedi_plan_making *m, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(m->tree);
    sked_status rc = SKED_OK;

    keep_outside(m);
    find_stays(m);
    for (uint32_t row = 1; row < m->rows && rc == SKED_OK; row++) {
        if (!skedi_plan_is_cut(m, row)) continue;
        rc = sked_tree_remove(m->target, image->id[row], NULL,
                              SKED_TREE_REMOVE_REFUSE, err);
    }
    return rc;
}

static int becomes_parent(const skedi_plan_making *m, uint32_t row)
{
    uint32_t node = m->node_of[row];

    if (row == m->below) return m->leaves.n > 0;
    return node && m->leaves.node[node - 1].leaf == SKED_PLAN_NO_LEAF;
}

/* Jobs live in leaves: a planned leaf keeps nothing below it, and what becomes
 * a parent runs nothing. */
static sked_status plan_check_shape(const skedi_plan_making *m, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    for (uint32_t row = 0; row < m->rows; row++) {
        uint32_t up = row ? m->node_of[image->parent[row]] : 0;
        if (up && m->leaves.node[up - 1].leaf != SKED_PLAN_NO_LEAF &&
            m->stays[row]) {
            return skedi_fail(err, SKED_ERR_STATE,
                              "leaf has queues below that stay",
                              (skedi_fault){.queue = m->queue[up - 1].id});
        }
        if (becomes_parent(m, row) && busy_row(m, row)) {
            return skedi_fail(err, SKED_ERR_STATE,
                              "busy leaf would get queues below",
                              (skedi_fault){.queue = image->id[row]});
        }
    }
    return SKED_OK;
}

/* ---- Settings ---- */

/* Is a change too small to be made? */
static int within_band(const skedi_plan_making *m, int64_t before,
                       int64_t after)
{
    int64_t dead_band = m->in.dead_band_ppm;
    uint64_t by = (uint64_t)(before < after ? after - before : before - after);

    if (before == after) return 1;
    if (dead_band <= 0 || before == 0 || before == SKED_UNLIMITED ||
        after == SKED_UNLIMITED) {
        return 0;
    }
    return skedi_cmp_mul(by, (uint64_t)SKED_PPM, (uint64_t)before,
                         (uint64_t)dead_band) < 0;
}

/* What holds: `after`, or `before` when the change is within the band. */
static int64_t settle_value(skedi_plan_making *m, skedi_plan_queue *queue,
                            int64_t before, int64_t after, uint32_t bit)
{
    if (within_band(m, before, after)) {
        if (before != after && !queue->held) m->plan->held++;
        queue->held |= before != after;
        return before;
    }
    queue->changed |= bit;
    return after;
}

static int64_t effective_of(const skedi_plan_making *m,
                            const skedi_plan_queue *queue, int32_t attribute)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    return skedi_image_effective(image, (uint32_t)attribute - 1, queue->row);
}

/* What the queue itself was told; an ancestor may overrule it. */
static int64_t own_of(const skedi_plan_making *m, const skedi_plan_queue *queue,
                      int32_t attribute)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    return skedi_image_number(image, (uint32_t)attribute - 1, queue->row);
}

/* One attribute that must be as said, if anything is said. */
static sked_status set_exactly(skedi_plan_making *m, skedi_plan_queue *queue,
                               int32_t attribute, int64_t value, uint32_t bit,
                               sked_error *err)
{
    if (value == SKED_UNSET) return SKED_OK;
    if (queue->row != SKEDI_NO_ROW &&
        (effective_of(m, queue, attribute) == value ||
         own_of(m, queue, attribute) == value)) {
        return SKED_OK;
    }
    queue->changed |= bit;
    return sked_tree_set(m->target, queue->id, attribute, value, err);
}

static sked_status set_tier(skedi_plan_making *m, uint32_t i, sked_error *err)
{
    const skedi_plan_node *node = &m->leaves.node[i];
    const sked_plan_tier *tier = &m->leaves.setting[node->tier - 1];
    skedi_plan_queue *queue = &m->queue[i];
    sked_status rc = set_exactly(m, queue, SKED_QUEUE_TIER, node->tier,
                                 SKED_PLAN_CHANGED_TIER, err);

    if (rc == SKED_OK) {
        rc = set_exactly(m, queue, SKED_QUEUE_PREEMPT_FROM, tier->preempt_from,
                         SKED_PLAN_CHANGED_PREEMPTION, err);
    }
    if (rc == SKED_OK) {
        rc = set_exactly(m, queue, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT,
                         tier->preempt_fair_timeout_ns,
                         SKED_PLAN_CHANGED_PREEMPTION, err);
    }
    if (rc != SKED_OK) return rc;
    return set_exactly(m, queue, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD,
                       tier->preempt_fair_threshold_ppm,
                       SKED_PLAN_CHANGED_PREEMPTION, err);
}

static sked_status set_running(skedi_plan_making *m, uint32_t i,
                               sked_error *err)
{
    skedi_plan_queue *queue = &m->queue[i];
    uint32_t leaf = m->leaves.node[i].leaf;

    if (queue->row != SKEDI_NO_ROW) {
        queue->running_before = effective_of(m, queue, SKED_QUEUE_MAX_RUNNING);
        queue->running_after = queue->running_before;
    } else {
        queue->running_after = SKED_UNLIMITED;
    }
    if (leaf == SKED_PLAN_NO_LEAF || !m->in.max_running) return SKED_OK;
    int64_t before = queue->running_before;
    int64_t after = settle_value(m, queue, before, m->in.max_running[leaf],
                                 SKED_PLAN_CHANGED_MAX_RUNNING);
    queue->running_after = after;
    if (before == after) return SKED_OK;
    return sked_tree_set(m->target, queue->id, SKED_QUEUE_MAX_RUNNING, after,
                         err);
}

static sked_status set_weight(skedi_plan_making *m, uint32_t i, sked_error *err)
{
    skedi_plan_queue *queue = &m->queue[i];
    const skedi_plan_node *node = &m->leaves.node[i];
    int64_t wanted = queue->sum;

    if (node->leaf != SKED_PLAN_NO_LEAF) {
        wanted = skedi_i64_max(1, m->in.allocation[node->leaf]);
    }
    if (wanted > UINT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "weights add up to too much",
                          (skedi_fault){.queue = queue->id,
                                        .row = (int64_t)node->first + 1,
                                        .got = wanted,
                                        .limit = UINT32_MAX});
    }
    if (queue->row != SKEDI_NO_ROW) {
        queue->before = effective_of(m, queue, SKED_QUEUE_WEIGHT);
    }
    queue->after = settle_value(m, queue, queue->before, wanted,
                                SKED_PLAN_CHANGED_WEIGHT);
    if (queue->after == queue->before) return SKED_OK;
    return sked_tree_set(m->target, queue->id, SKED_QUEUE_WEIGHT, queue->after,
                         err);
}

/* Weights of queues that are not planned but stay beside planned ones. */
static void add_bystanders(skedi_plan_making *m)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    for (uint32_t row = 1; row < m->rows; row++) {
        uint32_t up = m->node_of[image->parent[row]];
        if (!up || m->node_of[row] || !m->stays[row]) continue;
        m->queue[up - 1].sum += skedi_image_effective(image, SKEDI_AT_WEIGHT,
                                                      row);
    }
}

/* Children come after parents: a walk back has their sums ready. */
static sked_status set_queues(skedi_plan_making *m, sked_error *err)
{
    sked_status rc = SKED_OK;

    add_bystanders(m);
    for (uint32_t i = m->leaves.n; i-- > 0 && rc == SKED_OK;) {
        const skedi_plan_node *node = &m->leaves.node[i];
        skedi_plan_queue *queue = &m->queue[i];
        if (node->leaf != SKED_PLAN_NO_LEAF) {
            queue->allocation = m->in.allocation[node->leaf];
            rc = set_tier(m, i, err);
        }
        if (rc == SKED_OK) rc = set_running(m, i, err);
        if (rc == SKED_OK) rc = set_weight(m, i, err);
        if (rc != SKED_OK || node->parent == 0) continue;
        m->queue[node->parent - 1].sum += queue->after;
        m->queue[node->parent - 1].allocation += queue->allocation;
    }
    return rc;
}

sked_status skedi_plan_edit(skedi_plan_making *m, sked_error *err)
{
    find_queues(m);
    sked_status rc = cut_rows(m, err);

    if (rc == SKED_OK) rc = plan_check_shape(m, err);
    if (rc == SKED_OK) rc = add_queues(m, err);
    return rc == SKED_OK ? set_queues(m, err) : rc;
}
