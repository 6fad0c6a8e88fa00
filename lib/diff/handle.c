/*
 * The handle of a diff: a list of records and one heap of bytes that their
 * texts stand in. It keeps nothing of the trees it was made from.
 */
#include "diff/plan.h"
#include "tree/path_text.h"

#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_diff_change, after);

enum { CHANGE_V1 = SKEDI_SIZE_THROUGH(sked_diff_change, after) };

static sked_status plan_reserve(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    size_t n = plan->now->n;
    void *bytes = NULL;

    plan->node_cap = n + plan->old->n;
    plan->node = skedi_new(mem, plan->node_cap, sizeof *plan->node);
    plan->node_of = skedi_new(mem, n, sizeof *plan->node_of);
    plan->step = skedi_new(mem, n, sizeof *plan->step);
    plan->waits = skedi_new(mem, n, sizeof *plan->waits);
    int ok = plan->node && plan->node_of && plan->step && plan->waits &&
             skedi_names_ensure(&plan->names, mem, plan->node_cap) &&
             skedi_ensure(mem, &bytes, &plan->diff->bytes_cap, 64, 1);
    plan->diff->bytes = bytes;
    plan->diff->bytes_used = 1; /* the empty text */
    return ok ? SKED_OK : SKED_ERR_NOMEM;
}

static void plan_free(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    size_t n = plan->now->n;

    skedi_free(mem, plan->node, plan->node_cap, sizeof *plan->node);
    skedi_free(mem, plan->node_of, n, sizeof *plan->node_of);
    skedi_free(mem, plan->step, n, sizeof *plan->step);
    skedi_free(mem, plan->waits, n, sizeof *plan->waits);
    skedi_names_free(&plan->names, mem);
    skedi_arena_free(&plan->arena, mem);
}

static sked_status plan_run(skedi_diff_plan *plan)
{
    plan->rc = plan_reserve(plan);
    if (plan->rc == SKED_OK) skedi_diff_match(plan);
    if (plan->rc == SKED_OK) skedi_diff_shape(plan);
    if (plan->rc == SKED_OK) skedi_diff_set(plan);
    if (plan->rc == SKED_OK) skedi_diff_remove(plan);
    return plan->rc;
}

static void diff_release(sked_diff *diff)
{
    skedi_mem mem = diff->hooks.mem;

    skedi_free(&mem, diff->record, diff->cap, sizeof *diff->record);
    skedi_free(&mem, diff->bytes, diff->bytes_cap, 1);
    skedi_free(&mem, diff, 1, sizeof *diff);
}

/* A diff without records, over the kinds of `tree`. */
static sked_status diff_start(const sked_tree *tree, const sked_host *host,
                              sked_diff **made, sked_error *err)
{
    skedi_hooks hooks;

    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_diff *diff = skedi_new(&hooks.mem, 1, sizeof *diff);
    if (!diff) return skedi_fail_memory(err);
    diff->hooks = hooks;
    skedi_schema_take(&diff->schema, &tree->schema);
    *made = diff;
    return SKED_OK;
}

sked_status sked_diff_new(const sked_tree *from, const sked_tree *to,
                          const sked_host *host, sked_diff **diff,
                          sked_error *err)
{
    skedi_diff_plan plan = {.from = from, .to = to};

    if (diff) *diff = NULL;
    const char *missing = !from ? "from" : !to ? "to" : !diff ? "diff" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sked_schema_same(&from->schema, &to->schema, err);
    if (rc == SKED_OK) rc = diff_start(from, host, &plan.diff, err);
    if (rc != SKED_OK) return rc;

    plan.old = skedi_tree_live(from);
    plan.now = skedi_tree_live(to);
    rc = plan_run(&plan);
    plan_free(&plan);
    if (rc == SKED_OK) {
        *diff = plan.diff;
        return SKED_OK;
    }
    diff_release(plan.diff);
    return skedi_fail_stopped(err, rc);
}

void sked_diff_free(sked_diff *diff)
{
    if (!diff) return;
    sked_host host = diff->hooks.host;
    diff_release(diff);
    skedi_hooks_done(host);
}

size_t sked_diff_count(const sked_diff *diff)
{
    return diff ? diff->n : 0;
}

sked_status sked_diff_get(const sked_diff *diff, size_t i,
                          sked_diff_change *change)
{
    if (!diff || !change) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(change->struct_size, CHANGE_V1);
    if (rc != SKED_OK) return rc;
    if (i >= diff->n) return SKED_ERR_RANGE;

    const skedi_diff_record *record = &diff->record[i];
    change->op = record->op;
    change->path = diff->bytes + record->path;
    change->key = diff->bytes + record->key;
    change->before = diff->bytes + record->before;
    change->after = diff->bytes + record->after;
    return SKED_OK;
}
