/*
 * Shares computed from changes.
 *
 * Trees and ledgers keep journals of changed rows. From the changed rows up,
 * families are summed again as long as sums change. From the root down, a
 * family is filled again if its children or its total changed. An update covers
 * the whole tree. A query covers only the path to one queue, and leaves marks
 * for a later update.
 *
 * A call works on the results in force. The other results keep every replaced
 * value. If the host stops the call, the replaced values are put back.
 */
#include <string.h>

#include "base/fail.h"
#include "share/undo.h"

/* ---- From changes up ---- */

static void note_row(skedi_catch_up *c, uint32_t row, uint32_t many)
{
    uint32_t family = c->rows->shape.member[row];
    uint32_t below = c->rows->shape.family[row];

    for (uint32_t k = 0; below != SKEDI_NO_FAMILY && k < c->rows->kinds; k++) {
        skedi_family_parent(&c->kind[k], below);
    }
    if (family == SKEDI_NO_FAMILY) return;
    skedi_share_todo *todo = &c->share->todo[family];
    (void)skedi_undo_note(c, family);
    todo->changed = todo->changed || many ? 2 : 1;
    skedi_marks_add(&c->share->up, family);
}

/* Notes every row above, whose own usage changed too. */
static void note_above(skedi_catch_up *c, uint32_t row)
{
    const skedi_share_shape *shape = &c->rows->shape;

    while (shape->member[row] != SKEDI_NO_FAMILY) {
        row = shape->families[shape->member[row]].parent;
        note_row(c, row, 0);
    }
}

/* Notes whether a queue is idle. Returns 1 if the answer changed. */
static int note_activity(skedi_catch_up *c, uint32_t row)
{
    const skedi_share_inputs *in = c->in;
    int idle = skedi_share_is_idle(in->ledger, in->image, row);
    int draining = in->image->state[row] == SKED_STATE_DRAINING;
    uint8_t before = c->share->row_state[row];
    uint8_t state = (uint8_t)((idle ? SKEDI_ROW_IDLE : 0) |
                              (draining ? SKEDI_ROW_DRAINING : 0));

    c->share->row_state[row] = state;
    return state != before;
}

static void note_changes(skedi_catch_up *c)
{
    sked_share *share = c->share;
    int by_activity = share->model.model == SKED_SHARE_MODEL_INSTANTANEOUS;
    int by_usage = share->model.model == SKED_SHARE_MODEL_CAPACITY ||
                   c->in->image->number[SKEDI_AT_STATE];

    /* How much is used or asked for is then of no account. */
    int only_activity = by_activity && !by_usage && !share->model.by_demand;

    for (uint32_t i = 0; i < c->n_tree + c->n_ledger; i++) {
        uint32_t row = share->changed[i];
        int differs = by_activity && note_activity(c, row);
        if (only_activity && !differs && i >= c->n_tree) continue;
        note_row(c, row, i < c->n_tree);
        if (by_usage) note_above(c, row);
    }
}

/* Can the sums tell every change of a single row? */
static int sums_tell(const skedi_share_model *model,
                     const skedi_share_sums *sums)
{
    return sums->lo <= SKED_AMOUNT_MAX && sums->want <= SKED_AMOUNT_MAX &&
           (!model->anticipate || sums->hard <= SKED_AMOUNT_MAX) &&
           sums->weight < SKED_AMOUNT_MAX;
}

/* Sums a family again. The family is due for filling in the kinds in which any
 * bound or sum changed. */
static void sum_again(skedi_catch_up *c, uint32_t family)
{
    sked_share *share = c->share;
    skedi_share_todo *todo = &share->todo[family];
    int above = 0;

    (void)skedi_undo_note(c, family);
    for (uint32_t k = 0; k < c->rows->kinds; k++) {
        skedi_share_kind *kind = &c->kind[k];
        skedi_fill_window_shut(&kind->state[family].window);
        int differ = skedi_family_sum(kind, &share->memory[0], family);
        const skedi_share_sums *sums = &kind->state[family].sums;
        int same = !differ && todo->changed == 1 &&
                   sums_tell(kind->model, sums);
        if (!same) todo->dirty |= (uint32_t)1 << k;
        above |= differ;
    }
    todo->changed = 0;
    if (todo->dirty) skedi_share_touch(share, family, 0);
    if (above) note_row(c, c->rows->shape.families[family].parent, 0);
}

static sked_status sum_changes(skedi_catch_up *c)
{
    const skedi_share_shape *shape = &c->rows->shape;
    sked_status rc = SKED_OK;
    uint32_t family;

    note_changes(c);
    while (rc == SKED_OK &&
           (family = skedi_marks_last(&c->share->up)) != SKEDI_MARKS_END) {
        skedi_marks_drop(&c->share->up, family);
        sum_again(c, family);
        rc = skedi_share_step(&c->progress, shape->families[family].count);
    }
    for (uint32_t k = 0; k < c->rows->kinds; k++) {
        c->kind[k].share[0] = skedi_share_of_root(&c->kind[k]);
    }
    return rc;
}

/* ---- From the root down ---- */

int skedi_share_is_filled(const sked_share *share, uint32_t family)
{
    const skedi_share_shape *shape = &skedi_share_rows_seen(share)->shape;

    if (skedi_share_is_complete(share)) return 1;
    return !skedi_share_stale(share, family) &&
           skedi_share_is_current(share, shape->families[family].parent);
}

/* Fills a family in the kinds that are due. */
static sked_status fill_again(skedi_catch_up *c, uint32_t family,
                              uint32_t stale)
{
    sked_share *share = c->share;
    uint32_t count = c->rows->shape.families[family].count;
    skedi_share_undo *undo = skedi_undo_note(c, family);
    sked_status rc = SKED_OK;

    for (uint32_t k = 0; k < c->rows->kinds; k++) {
        if (!(stale >> k & 1)) continue;
        if (!(undo->refilled >> k & 1)) {
            skedi_undo_copy(c, family, k, share->now_results);
        }
        undo->refilled |= (uint32_t)1 << k;
        skedi_family_refill(&c->kind[k], &share->memory[0], family);
        c->progress.families++;
        c->progress.queues += count;
    }
    share->todo[family].dirty = 0;
    share->todo[family].known = 0;
    rc = skedi_share_step(&c->progress, count);
    return rc;
}

/* Marks the due families of a family's children. */
static void look_below(skedi_catch_up *c, uint32_t family)
{
    const skedi_share_shape *shape = &c->rows->shape;
    const skedi_family *f = &shape->families[family];

    for (uint32_t i = 0; f->mixed && i < f->count; i++) {
        uint32_t below = shape->family[f->first + i];
        if (below == SKEDI_NO_FAMILY || !skedi_share_stale(c->share, below))
            continue;
        (void)skedi_undo_note(c, below);
        skedi_marks_add(&c->share->down, below);
    }
}

static sked_status fill_all(skedi_catch_up *c)
{
    sked_status rc = SKED_OK;
    uint32_t family;

    if (c->rows->shape.n_families && skedi_share_stale(c->share, 0)) {
        skedi_marks_add(&c->share->down, 0);
        (void)skedi_undo_note(c, 0);
    }
    while (rc == SKED_OK &&
           (family = skedi_marks_first(&c->share->down)) != SKEDI_MARKS_END) {
        uint32_t stale = skedi_share_stale(c->share, family);
        (void)skedi_undo_note(c, family);
        if (stale) rc = fill_again(c, family, stale);
        skedi_marks_drop(&c->share->down, family);
        look_below(c, family);
    }
    return rc;
}

/* Fills what stands between the root and `row`; the rest is marked. */
static sked_status fill_path(skedi_catch_up *c, uint32_t row)
{
    const skedi_share_shape *shape = &c->rows->shape;
    uint32_t path[SKED_MAX_DEPTH], n = 0;
    sked_status rc = SKED_OK;

    for (uint32_t at = row; shape->member[at] != SKEDI_NO_FAMILY;) {
        path[n] = shape->member[at];
        at = shape->families[path[n++]].parent;
    }
    while (n-- > 0 && rc == SKED_OK) {
        uint32_t stale = skedi_share_stale(c->share, path[n]);
        if (!stale) continue;
        rc = fill_again(c, path[n], stale);
        if (shape->families[path[n]].mixed) {
            skedi_marks_add(&c->share->down, path[n]);
        } else {
            skedi_marks_drop(&c->share->down, path[n]);
        }
    }
    if (shape->n_families && skedi_share_stale(c->share, 0)) {
        (void)skedi_undo_note(c, 0);
        skedi_marks_add(&c->share->down, 0);
    }
    return rc;
}

/* ---- The calls ---- */

/* Lists the changed rows. Returns 0 if the changes are unknown. */
static int find_changes(skedi_catch_up *c, const sked_tree *tree)
{
    sked_share *share = c->share;
    const skedi_share_inputs *in = c->in;
    const skedi_image *image = in->image;
    size_t bytes = image->kinds * sizeof *share->capacity;
    size_t n = 0, more = 0;

    if (!share->any || share->must_full ||
        c->rows->shape_key != image->shape_key ||
        c->rows->shape.n != image->n || c->rows->kinds != image->kinds) {
        return 0;
    }
    int moved = memcmp(share->capacity, in->capacity, bytes) != 0;
    if (image->key != share->tree_key &&
        (!skedi_tree_follows(tree, share->tree_version, share->tree_key) ||
         !skedi_tree_changes_since(tree, share->tree_version, share->changed,
                                   share->changed_cap, &n))) {
        return 0;
    }
    if (!skedi_ledger_changes_since(in->ledger, share->mark, share->changed + n,
                                    share->changed_cap - n, &more)) {
        return 0;
    }
    c->n_tree = (uint32_t)n;
    c->n_ledger = (uint32_t)more;
    if (share->options.scope == SKED_SHARE_SCOPE_DOMINANT) {
        return !moved && n + more == 0;
    }
    return !skedi_share_is_parted(image) || (!moved && n == 0);
}

static void begin(skedi_catch_up *c)
{
    sked_share *share = c->share;
    uint32_t kinds = c->rows->kinds;

    share->call++;
    share->n_undo = 0;
    c->was_complete = skedi_share_is_complete(share);
    c->progress.hooks = &share->hooks;
    c->progress.total = UINT64_C(2) * c->rows->shape.n * kinds;
    for (uint32_t k = 0; k < kinds; k++) {
        c->kind[k] = skedi_share_kind_of(share, c->in, c->rows,
                                         skedi_share_results_seen(share), k);
        c->root[k] = c->kind[k].share[0];
    }
}

/* Brings up to date everything, or what `row` depends on. */
static sked_status bring_up(sked_share *share, const sked_tree *tree,
                            skedi_share_inputs *in, uint32_t row,
                            sked_error *err)
{
    skedi_catch_up c;

    c.share = share;
    c.in = in;
    c.rows = skedi_share_rows_seen(share);
    if (!find_changes(&c, tree)) return skedi_share_full(share, tree, in, err);
    if (!skedi_share_make_undo(share)) {
        return skedi_fail_memory(err);
    }
    c.progress = (skedi_share_progress){.hooks = &share->hooks};
    if (share->options.scope != SKED_SHARE_SCOPE_DOMINANT) {
        skedi_share_inputs_of(share, in);
        begin(&c);
        sked_status rc = sum_changes(&c);
        if (rc == SKED_OK) {
            rc = row == SKEDI_NO_ROW ? fill_all(&c) : fill_path(&c, row);
        }
        if (rc != SKED_OK) {
            skedi_undo_all(&c);
            return skedi_fail_stopped(err, rc);
        }
    }
    skedi_share_done(share, in, &c.progress, 0);
    return SKED_OK;
}

sked_status sked_share_update(sked_share *share, const sked_tree *tree,
                              const sked_ledger *ledger,
                              const int64_t *capacity, sked_error *err)
{
    skedi_share_inputs in;
    skedi_share_given given = {tree, ledger, capacity};
    sked_status rc = skedi_share_take(share, &given, &in, err);

    if (rc != SKED_OK) return rc;
    return bring_up(share, tree, &in, SKEDI_NO_ROW, err);
}

sked_status sked_share_query(sked_share *share, const sked_tree *tree,
                             const sked_ledger *ledger, const int64_t *capacity,
                             sked_queue_id queue, int64_t *amounts,
                             sked_error *err)
{
    skedi_share_inputs in;
    skedi_share_given given = {tree, ledger, capacity};
    sked_status rc = skedi_share_take(share, &given, &in, err);

    if (rc != SKED_OK) return rc;
    if (!amounts) {
        return skedi_fail_null(err, "amounts");
    }
    uint32_t row = skedi_image_row(in.image, queue);
    if (row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "the queue is gone",
                          (skedi_fault){.queue = queue});
    }
    if (!skedi_share_quick(share, &in, row)) {
        rc = bring_up(share, tree, &in, row, err);
    }
    if (rc == SKED_OK) skedi_share_write(share, row, amounts);
    return rc;
}
