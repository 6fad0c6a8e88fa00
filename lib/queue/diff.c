/*
 * The handle of a diff: a list of records and one heap of bytes that their
 * texts stand in. It keeps nothing of the trees it was made from.
 */
#include "queue/diff_plan.h"
#include "queue/path_text.h"

#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_change, after);

enum { DIFF_CHECK = 4096, CHANGE_V1 = SKEDI_SIZE_THROUGH(sked_change, after) };

skedi_writer skedi_diff_text_start(const sked_diff *diff)
{
    skedi_writer w = {diff->bytes + diff->bytes_used,
                      diff->bytes_cap - diff->bytes_used, 0};

    return w;
}

int skedi_diff_text_end(sked_diff *diff, const skedi_writer *w, size_t *at,
                        sked_status *rc)
{
    void *bytes = diff->bytes;
    size_t used = diff->bytes_used;

    if (w->n == 0) { /* the empty text is there */
        *at = 0;
        return 1;
    }
    if (w->n < w->cap) {
        diff->bytes[used + w->n] = 0;
        diff->bytes_used += w->n + 1;
        *at = used;
        return 1;
    }
    if (!skedi_ensure(&diff->hooks.mem, &bytes, &diff->bytes_cap,
                      used + w->n + 1, 1)) {
        *rc = SKED_ERR_NOMEM;
        return 1;
    }
    diff->bytes = bytes;
    return 0;
}

/* Names from `node` up to the root, then down again into the text. */
static void write_node_path(skedi_writer *w, const skedi_diff_plan *plan,
                            uint32_t node)
{
    uint32_t above[4 * SKED_MAX_DEPTH]; /* deeper than any step can go */
    size_t n = 0;

    for (; node != 0; node = plan->node[node].parent) above[n++] = node;
    skedi_write_name(w, plan->node[0].name, 1);
    while (n-- > 0) {
        skedi_write_char(w, '.');
        skedi_write_name(w, plan->node[above[n]].name, 1);
    }
}

size_t skedi_diff_path(skedi_diff_plan *plan, uint32_t node, const char *name)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = skedi_diff_text_start(plan->diff);
        write_node_path(&w, plan, node);
        if (name) skedi_write_char(&w, '.');
        if (name) skedi_write_name(&w, name, 1);
    } while (plan->rc == SKED_OK &&
             !skedi_diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

void skedi_diff_emit(skedi_diff_plan *plan, skedi_diff_record record)
{
    sked_diff *diff = plan->diff;
    void *records = diff->record;

    if (plan->rc != SKED_OK) return;
    if (!skedi_ensure(&diff->hooks.mem, &records, &diff->cap, diff->n + 1,
                      sizeof record)) {
        plan->rc = SKED_ERR_NOMEM;
        return;
    }
    diff->record = records;
    diff->record[diff->n++] = record;
}

void skedi_diff_check(skedi_diff_plan *plan)
{
    /* Three passes over the new rows, one over the old, one for attributes. */
    uint64_t total = 4 * (uint64_t)plan->now->n + plan->old->n;

    if (++plan->steps % DIFF_CHECK != 0) return;
    plan->rc = skedi_hooks_check(&plan->diff->hooks, plan->steps, total);
}

static sked_status plan_room(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    size_t n = plan->now->n;
    void *bytes = NULL;

    plan->node_cap = n + plan->old->n;
    plan->node = skedi_new(mem, plan->node_cap, sizeof *plan->node);
    plan->node_of = skedi_new(mem, n, sizeof *plan->node_of);
    plan->step = skedi_new(mem, n, sizeof *plan->step);
    plan->waits = skedi_new(mem, n, sizeof *plan->waits);
    int room = plan->node && plan->node_of && plan->step && plan->waits &&
               skedi_names_ensure(&plan->names, mem, plan->node_cap) &&
               skedi_ensure(mem, &bytes, &plan->diff->bytes_cap, 64, 1);
    plan->diff->bytes = bytes;
    plan->diff->bytes_used = 1; /* the empty text */
    return room ? SKED_OK : SKED_ERR_NOMEM;
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
    plan->rc = plan_room(plan);
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
    if (!diff)
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for a diff");
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
    if (!from || !to || !diff) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "an argument is NULL");
    }
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
    return skedi_fail_plain(err, rc,
                            rc == SKED_ERR_NOMEM ? "no room for a diff"
                                                 : "comparing was cancelled");
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

sked_status sked_diff_get(const sked_diff *diff, size_t i, sked_change *change)
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
