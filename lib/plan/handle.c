/*
 * A plan: made by editing a copy of the tree, committing that, and comparing
 * the two. What it keeps is the comparison and the numbers behind it.
 */
#include "plan/handle.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "ledger/handle.h"
#include "tree/path_text.h"

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
        if (skedi_plan_is_cut(m, row)) rc = list_cut(m, row, err);
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
    if (rc == SKED_OK) rc = skedi_plan_edit(m, err);
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
