/*
 * Makes the tree that gives leaves what they need: a copy of the tree in force,
 * to which the plan is applied; then the leaf for all other jobs is added, and
 * guarantees are set.
 */
#include <string.h>

#include "advise/handle.h"
#include "base/arith.h"
#include "base/fail.h"
#include "tree/handle.h"

/* What a call needs besides the advice's own. */
typedef struct targeting {
    sked_advice *a;
    const sked_tree *tree;
    const sked_advice_input *in;
    skedi_plan_leaves s;
    sked_queue_id *id; /* by node */
    uint32_t *row;     /* by node */
    int64_t *sum;      /* node x kinds: guarantees */
    uint8_t *used;     /* by row of the tree */
} targeting;

static uint32_t below_row(const sked_tree *tree, sked_queue_id below)
{
    if (below == SKED_NO_QUEUE) return 0;
    return skedi_image_row(skedi_tree_image(tree), below);
}

void skedi_advise_find(const sked_tree *tree, sked_queue_id below,
                       const skedi_plan_leaves *s, sked_queue_id *id,
                       uint32_t *row)
{
    const skedi_image *image = skedi_tree_image(tree);

    for (uint32_t i = 0; i < s->n; i++) {
        const skedi_plan_node *node = &s->node[i];
        uint32_t up = node->parent ? row[node->parent - 1]
                                   : below_row(tree, below);
        skedi_piece piece = {node->name, node->length, 0};
        row[i] = SKEDI_NO_ROW;
        if (up != SKEDI_NO_ROW) row[i] = skedi_image_child(tree, up, piece);
        id[i] = row[i] == SKEDI_NO_ROW ? SKED_NO_QUEUE : image->id[row[i]];
    }
}

/* ---- The plan ---- */

/* The leaf for all others is used, whatever the jobs say. */
static sked_status mark_used(targeting *t, sked_error *err)
{
    uint32_t rows = skedi_tree_image(t->tree)->n, row = SKEDI_NO_ROW;
    uint32_t below = below_row(t->tree, t->in->below);

    t->used = skedi_new(&t->a->hooks.mem, rows, sizeof *t->used);
    if (!t->used) {
        return skedi_fail_memory(err);
    }
    if (t->in->used) memcpy(t->used, t->in->used, rows);
    if (below != SKEDI_NO_ROW) {
        row = skedi_image_child(t->tree, below, skedi_piece_of(t->in->other));
    }
    if (row != SKEDI_NO_ROW) t->used[row] = 1;
    return SKED_OK;
}

static sked_status apply_plan(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    sked_plan_input plan = {.struct_size = sizeof plan,
                            .leaves = a->leaves,
                            .below = t->in->below,
                            .dead_band_ppm = t->in->dead_band_ppm,
                            .jobs = t->in->jobs,
                            .allocation = a->allocation,
                            .max_running = a->max_running,
                            .used = t->used,
                            .ledger = t->in->ledger};
    sked_status rc = sked_plan_new(t->tree, &plan, &a->host, &a->plan, err);

    if (rc == SKED_OK) rc = sked_plan_apply(a->plan, a->target, NULL, err);
    if (rc != SKED_OK) return rc;
    return sked_tree_commit(a->target, SKED_TREE_COMMIT_LENIENT, err);
}

static sked_status add_other(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    const skedi_image *image = skedi_tree_image(a->target);
    uint32_t below = below_row(a->target, t->in->below);
    uint32_t row = skedi_image_child(a->target, below,
                                     skedi_piece_of(t->in->other));

    if (row != SKEDI_NO_ROW) {
        a->other = image->id[row];
        return SKED_OK;
    }
    return sked_tree_add(a->target, image->id[below], t->in->other, &a->other,
                         err);
}

/* ---- Guarantees ---- */

/* What leaves of the first tiers are guaranteed, added up to their parents. */
static sked_status sum_guarantees(targeting *t, sked_error *err)
{
    size_t kinds = t->in->kinds;

    for (uint32_t i = t->s.n; i-- > 0;) {
        const skedi_plan_node *node = &t->s.node[i];
        int64_t *sum = t->sum + i * kinds;
        int leaf = node->leaf != SKED_PLAN_NO_LEAF;
        for (size_t k = 0; k < kinds; k++) {
            int64_t own = 0;
            if (leaf && node->tier <= t->in->guaranteed_tiers &&
                !skedi_i64_mul(t->a->allocation[node->leaf], t->in->instance[k],
                               &own)) {
                own = SKED_UNLIMITED;
            }
            sum[k] = skedi_amount_add(sum[k], own);
            if (sum[k] == SKED_UNLIMITED) {
                return skedi_fail(err, SKED_ERR_RANGE,
                                  "guarantees are more than amounts can be",
                                  (skedi_fault){.kind = (int32_t)k + 1});
            }
            if (!node->parent) continue;
            int64_t *up = t->sum + (node->parent - 1) * kinds;
            up[k] = skedi_amount_add(up[k], sum[k]);
        }
    }
    return SKED_OK;
}

static int is_nothing(const int64_t *amounts, size_t kinds)
{
    for (size_t k = 0; k < kinds; k++) {
        if (amounts[k]) return 0;
    }
    return 1;
}

static sked_status set_guarantees(targeting *t, sked_error *err)
{
    sked_status rc = SKED_OK;
    size_t kinds = t->in->kinds;

    if (!t->in->guaranteed_tiers || t->a->sum.outcome != SKED_TIERS_OK) {
        return SKED_OK;
    }
    rc = sum_guarantees(t, err);
    for (uint32_t i = 0; rc == SKED_OK && i < t->s.n; i++) {
        const int64_t *sum = t->sum + i * kinds;
        rc = sked_tree_set_vec(t->a->target, t->id[i], SKED_QUEUE_GUARANTEE,
                               is_nothing(sum, kinds) ? NULL : sum, err);
    }
    return rc;
}

/* ---- Together ---- */

static sked_status targeting_reserve(targeting *t, sked_error *err)
{
    skedi_mem *mem = &t->a->hooks.mem;
    sked_status rc = skedi_plan_leaves_build(&t->s, t->in->jobs, &t->a->host,
                                             err);

    if (rc != SKED_OK) return rc;
    t->id = skedi_new(mem, t->s.n, sizeof *t->id);
    t->row = skedi_new(mem, t->s.n, sizeof *t->row);
    t->sum = skedi_new(mem, t->s.n, t->in->kinds * sizeof *t->sum);
    if (t->id && t->row && t->sum) return mark_used(t, err);
    return skedi_fail_memory(err);
}

static void targeting_release(targeting *t)
{
    skedi_mem *mem = &t->a->hooks.mem;

    skedi_free(mem, t->id, t->s.n, sizeof *t->id);
    skedi_free(mem, t->row, t->s.n, sizeof *t->row);
    skedi_free(mem, t->sum, t->s.n, t->in->kinds * sizeof *t->sum);
    skedi_free(mem, t->used, skedi_tree_image(t->tree)->n, sizeof *t->used);
    skedi_plan_leaves_release(&t->s);
}

/* Makes all changes to the copy. */
static sked_status edit_target(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    sked_status rc = targeting_reserve(t, err);

    if (rc == SKED_OK) rc = apply_plan(t, err);
    if (rc == SKED_OK) rc = add_other(t, err);
    if (rc == SKED_OK) {
        skedi_advise_find(a->target, a->below, &t->s, t->id, t->row);
        for (uint32_t i = 0; i < t->s.n; i++) {
            if (t->s.node[i].leaf == SKED_PLAN_NO_LEAF) continue;
            a->queue[t->s.node[i].leaf] = t->id[i];
        }
        rc = set_guarantees(t, err);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_commit(a->target, SKED_TREE_COMMIT_LENIENT, err);
    }
    targeting_release(t);
    return rc;
}

sked_status skedi_advise_target(sked_advice *a, const sked_tree *tree,
                                const sked_advice_input *in, sked_error *err)
{
    targeting t = {.a = a, .tree = tree, .in = in};
    sked_status rc = sked_tree_copy(tree, &a->host, &a->target, err);

    a->below = in->below;
    if (rc == SKED_OK) rc = sked_tree_discard(a->target, err);
    if (rc == SKED_OK && a->chosen) rc = edit_target(&t, err);
    if (rc != SKED_OK) return rc;
    return sked_diff_new(tree, a->target, &a->host, &a->diff, err);
}
