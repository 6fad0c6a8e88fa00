/*
 * A plan edits a copy of the tree, commits the copy, and compares the two
 * trees. A plan keeps the comparison and the numbers behind the comparison.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "ledger/handle.h"
#include "plan/leaves.h"
#include "tree/handle.h"
#include "tree/path_text.h"

/* A change; the path is a position in the plan's bytes. */
typedef struct skedi_plan_record {
    sked_plan_change change; /* `path` unset */
    size_t path;
} skedi_plan_record;

struct sked_plan {
    skedi_hooks hooks;
    sked_diff *diff;
    skedi_plan_record *record;
    size_t cap;
    size_t n;
    size_t held; /* queues with a change within the dead band */
    char *bytes; /* paths, each with a NUL */
    size_t bytes_cap;
    size_t bytes_used;
};

/* How a planned queue stands: before in the tree, after in the target. */
typedef struct skedi_plan_queue {
    sked_queue_id id; /* in the tree; a new queue: in the target */
    uint32_t row;     /* in the tree; SKEDI_NO_ROW: new queue */
    uint32_t changed; /* SKED_PLAN_CHANGED_* bits */
    uint32_t held;    /* 1: a change is within the dead band */
    int64_t before;   /* weight; 0: new queue */
    int64_t after;    /* weight in the target */
    int64_t sum;      /* weights of the children in the target */
    int64_t running_before;
    int64_t running_after;
    int64_t allocation; /* of all leaves below */
} skedi_plan_queue;

/* The temporary data of making a plan. */
typedef struct skedi_plan_making {
    sked_plan_input in;
    sked_plan *plan;
    sked_host host; /* for handles inside the plan: without user_free */
    const sked_tree *tree;
    sked_tree *target; /* a copy, edited and committed */
    skedi_plan_leaves leaves;
    skedi_plan_queue *queue; /* by node of `leaves` */
    uint32_t *node_of;       /* by row of the tree: node + 1, 0: not planned */
    uint8_t *stays;          /* by row of the tree */
    uint32_t rows;
    uint32_t below; /* row of the queue that the plan owns */
} skedi_plan_making;

/*
 * Edits a copy of the tree into the queues that the jobs ask for.
 *
 * The plan first finds its queues in the tree. The plan removes queues that no
 * job names, unless a reason keeps the queue, and adds missing queues, parents
 * first. Leaves get their settings, and weights are summed upwards: the weight
 * of a parent is the sum of its children's weights, including children that
 * only stay. A change within the dead band is not made, and the queue counts
 * with its present weight. A part of the tree without changes therefore leaves
 * the weights of its parents unchanged, too.
 */

enum {
    NAME_BYTES = 256, /* a name on the stack; longer: memory */
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

/* Children come after parents, so a walk from the last row back knows if any
 * queue below stays. */
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

/* Every queue outside the plan's part stays. */
static void keep_outside(skedi_plan_making *m)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    m->stays[0] = m->below != 0;
    for (uint32_t row = 1; row < m->rows; row++) {
        m->stays[row] = row != m->below && m->stays[image->parent[row]];
    }
}

/* True if the row goes and its parent stays: the top of a removed part. */
static int plan_is_cut(const skedi_plan_making *m, uint32_t row)
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
        if (!plan_is_cut(m, row)) continue;
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

/* Jobs run only in leaves: a planned leaf keeps no queue below, and a leaf that
 * becomes a parent must be idle. */
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

/* True if a change is too small to be made. */
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

/* The new value: `after`, or `before` if the change is within the band. */
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

/* The queue's own setting; an ancestor may overrule the setting. */
static int64_t own_of(const skedi_plan_making *m, const skedi_plan_queue *queue,
                      int32_t attribute)
{
    const skedi_image *image = skedi_tree_image(m->tree);

    return skedi_image_number(image, (uint32_t)attribute - 1, queue->row);
}

/* Sets an attribute to the exact value, unless the value is SKED_UNSET. */
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

/* Adds the weights of queues that stay beside planned queues. */
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

/* Edits the target to the queues of the jobs, and notes the queues' numbers. */
static sked_status plan_edit(skedi_plan_making *m, sked_error *err)
{
    find_queues(m);
    sked_status rc = cut_rows(m, err);

    if (rc == SKED_OK) rc = plan_check_shape(m, err);
    if (rc == SKED_OK) rc = add_queues(m, err);
    return rc == SKED_OK ? set_queues(m, err) : rc;
}

SKEDI_NO_TAIL_PADDING(sked_plan_change, running_after);

enum {
    PLAN_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_plan_input, ledger),
    PLAN_CHANGE_V1 = SKEDI_SIZE_THROUGH(sked_plan_change, running_after)
};

static const int64_t plan_dead_band = 50000;

/* ---- The list of changes ---- */

/* Puts the path of a row into the plan's bytes. */
static sked_status put_path(sked_plan *plan, const sked_tree *tree,
                            uint32_t row, size_t *at)
{
    skedi_writer w = {0};
    void *bytes = plan->bytes;

    skedi_write_image_path(&w, tree, row);
    size_t length = w.n;
    if (!skedi_ensure(&plan->hooks.mem, &bytes, &plan->bytes_cap,
                      plan->bytes_used + length + 1, 1)) {
        return SKED_ERR_NOMEM;
    }
    plan->bytes = bytes;
    *at = plan->bytes_used;
    w = (skedi_writer){plan->bytes + *at, length + 1, 0};
    skedi_write_image_path(&w, tree, row);
    plan->bytes_used += length + 1;
    return skedi_write_end(&w);
}

static sked_status put_change(sked_plan *plan, const sked_tree *tree,
                              uint32_t row, sked_plan_change change,
                              sked_error *err)
{
    void *record = plan->record;
    size_t path;
    sked_status rc = put_path(plan, tree, row, &path);

    if (rc == SKED_OK && !skedi_ensure(&plan->hooks.mem, &record, &plan->cap,
                                       plan->n + 1, sizeof *plan->record)) {
        rc = SKED_ERR_NOMEM;
    }
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }
    plan->record = record;
    plan->record[plan->n++] = (skedi_plan_record){change, path};
    return SKED_OK;
}

static sked_status list_planned(skedi_plan_making *m, uint32_t i,
                                sked_error *err)
{
    const skedi_plan_node *node = &m->leaves.node[i];
    const skedi_plan_queue *queue = &m->queue[i];
    int added = queue->row == SKEDI_NO_ROW;
    int leaf = node->leaf != SKED_PLAN_NO_LEAF;
    const uint32_t all = SKED_PLAN_CHANGED_WEIGHT |
                         SKED_PLAN_CHANGED_MAX_RUNNING |
                         SKED_PLAN_CHANGED_TIER | SKED_PLAN_CHANGED_PREEMPTION;

    if (!added && !queue->changed) return SKED_OK;
    uint32_t row = skedi_image_row(skedi_tree_image(m->target), queue->id);
    return put_change(m->plan, m->target, row,
                      (sked_plan_change){
                          .op = added ? SKED_PLAN_OP_ADD : SKED_PLAN_OP_SET,
                          .queue = added ? SKED_NO_QUEUE : queue->id,
                          .leaf = node->leaf,
                          .tier = leaf ? node->tier : 0,
                          .changed = added ? all : queue->changed,
                          .jobs = node->jobs,
                          .allocation = queue->allocation,
                          .weight_before = queue->before,
                          .weight_after = queue->after,
                          .running_before = queue->running_before,
                          .running_after = queue->running_after,
                      },
                      err);
}

static sked_status list_cut(skedi_plan_making *m, uint32_t row, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(m->tree);
    sked_plan_change change = {
        .op = SKED_PLAN_OP_REMOVE,
        .queue = image->id[row],
        .leaf = SKED_PLAN_NO_LEAF,
        .weight_before = skedi_image_effective(image, SKEDI_AT_WEIGHT, row),
        .running_before = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                                row)};

    return put_change(m->plan, m->tree, row, change, err);
}

static sked_status list_changes(skedi_plan_making *m, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < m->leaves.n && rc == SKED_OK; i++) {
        rc = list_planned(m, i, err);
    }
    for (uint32_t row = 0; row < m->rows && rc == SKED_OK; row++) {
        if (plan_is_cut(m, row)) rc = list_cut(m, row, err);
    }
    return rc;
}

/* ---- What comes in ---- */

static sked_status plan_take(skedi_plan_making *m, const sked_plan_input *in,
                             sked_error *err)
{
    sked_status rc = skedi_struct_in(&m->in, sizeof m->in, in, PLAN_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (m->in.flags & ~(uint32_t)SKED_PLAN_FLAG_KEEP_IDLE) {
        return skedi_fail_flags(err, "input");
    }
    const skedi_image *image = skedi_tree_image(m->tree);
    m->rows = image->n;
    if (m->in.below != SKED_NO_QUEUE) {
        m->below = skedi_image_row(image, m->in.below);
    }
    if (m->below == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue",
                          (skedi_fault){.queue = m->in.below});
    }
    if (m->in.ledger && !skedi_ledger_follows(m->in.ledger, image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    if (m->in.dead_band_ppm == 0) m->in.dead_band_ppm = plan_dead_band;
    return SKED_OK;
}

static sked_status leaf_fault(sked_error *err, const char *message,
                              uint32_t leaf, int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)leaf + 1, .got = got, .limit = limit});
}

static sked_status check_leaves(const skedi_plan_making *m, sked_error *err)
{
    const sked_plan_input *in = &m->in;

    if (in->leaves != m->leaves.leaves) {
        return skedi_fail(err, SKED_ERR_ARG, "not as many leaves",
                          (skedi_fault){.got = (int64_t)in->leaves,
                                        .limit = m->leaves.leaves});
    }
    const char *missing = in->leaves > 0 && !in->allocation ? "input.allocation"
                                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (uint32_t i = 0; i < in->leaves; i++) {
        int64_t has = in->allocation[i];
        int64_t running = in->max_running ? in->max_running[i] : 1;
        if (has < 0 || has > UINT32_MAX) {
            return leaf_fault(err, "leaf has no such allocation", i, has,
                              UINT32_MAX);
        }
        if (running < 1 || (running > INT32_MAX && running != SKED_UNLIMITED)) {
            return leaf_fault(err, "leaf runs no such number", i, running,
                              INT32_MAX);
        }
    }
    return SKED_OK;
}

/* ---- Making ---- */

static sked_status making_reserve(skedi_plan_making *m, sked_error *err)
{
    skedi_mem *mem = &m->leaves.hooks.mem;

    m->queue = skedi_new(mem, m->leaves.n, sizeof *m->queue);
    m->node_of = skedi_new(mem, m->rows, sizeof *m->node_of);
    m->stays = skedi_new(mem, m->rows, sizeof *m->stays);
    if (m->queue && m->node_of && m->stays) return SKED_OK;
    return skedi_fail_memory(err);
}

static void making_release(skedi_plan_making *m)
{
    skedi_mem *mem = &m->leaves.hooks.mem;

    sked_tree_free(m->target);
    skedi_free(mem, m->queue, m->leaves.n, sizeof *m->queue);
    skedi_free(mem, m->node_of, m->rows, sizeof *m->node_of);
    skedi_free(mem, m->stays, m->rows, sizeof *m->stays);
    skedi_plan_leaves_release(&m->leaves);
}

static sked_status make_target(skedi_plan_making *m, sked_error *err)
{
    sked_status rc = sked_tree_copy(m->tree, &m->host, &m->target, err);

    if (rc == SKED_OK) rc = sked_tree_discard(m->target, err);
    if (rc == SKED_OK) rc = plan_edit(m, err);
    if (rc == SKED_OK) {
        rc = sked_tree_commit(m->target, SKED_TREE_COMMIT_LENIENT, err);
    }
    return rc;
}

static sked_status plan_make(skedi_plan_making *m, sked_error *err)
{
    sked_status rc = skedi_plan_leaves_build(&m->leaves, m->in.jobs, &m->host,
                                             err);

    if (rc == SKED_OK) rc = check_leaves(m, err);
    if (rc == SKED_OK) rc = making_reserve(m, err);
    if (rc == SKED_OK) rc = make_target(m, err);
    if (rc == SKED_OK) {
        rc = sked_diff_new(m->tree, m->target, &m->host, &m->plan->diff, err);
    }
    if (rc == SKED_OK) rc = list_changes(m, err);
    making_release(m);
    return rc;
}

static void plan_release(sked_plan *plan)
{
    skedi_mem mem = plan->hooks.mem;

    sked_diff_free(plan->diff);
    skedi_free(&mem, plan->record, plan->cap, sizeof *plan->record);
    skedi_free(&mem, plan->bytes, plan->bytes_cap, 1);
    skedi_free(&mem, plan, 1, sizeof *plan);
}

sked_status sked_plan_new(const sked_tree *tree, const sked_plan_input *input,
                          const sked_host *host, sked_plan **plan,
                          sked_error *err)
{
    skedi_plan_making m = {.tree = tree};
    skedi_hooks hooks;

    if (plan) *plan = NULL;
    const char *missing = !tree    ? "tree"
                          : !input ? "input"
                          : !plan  ? "plan"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = plan_take(&m, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    m.host = hooks.host;
    m.host.user_free = NULL;
    m.plan = skedi_new(&hooks.mem, 1, sizeof *m.plan);
    if (!m.plan) {
        return skedi_fail_memory(err);
    }
    m.plan->hooks = hooks;
    rc = plan_make(&m, err);
    if (rc == SKED_OK) {
        *plan = m.plan;
    } else {
        plan_release(m.plan);
    }
    return rc;
}

void sked_plan_free(sked_plan *plan)
{
    if (!plan) return;
    sked_host host = plan->hooks.host;
    plan_release(plan);
    skedi_hooks_done(host);
}

size_t sked_plan_count(const sked_plan *plan)
{
    return plan ? plan->n : 0;
}

size_t sked_plan_skipped(const sked_plan *plan)
{
    return plan ? plan->held : 0;
}

sked_status sked_plan_get(const sked_plan *plan, size_t i,
                          sked_plan_change *change)
{
    if (!plan || !change) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(change->struct_size, PLAN_CHANGE_V1);
    if (rc != SKED_OK) return rc;
    if (i >= plan->n) return SKED_ERR_RANGE;
    sked_plan_change found = plan->record[i].change;
    found.struct_size = change->struct_size;
    found.path = plan->bytes + plan->record[i].path;
    size_t theirs = found.struct_size;
    memcpy(change, &found, theirs < sizeof found ? theirs : sizeof found);
    return SKED_OK;
}

const sked_diff *sked_plan_diff(const sked_plan *plan)
{
    return plan ? plan->diff : NULL;
}

sked_status sked_plan_apply(const sked_plan *plan, sked_tree *tree,
                            const sked_ledger *ledger, sked_error *err)
{
    if (!plan) return skedi_fail_null(err, "plan");
    return sked_diff_apply(plan->diff, tree, ledger, err);
}
