/*
 * Explains why shares have their values, and checks their soundness.
 *
 * A computation keeps no reasons. The bound that binds a row follows from the
 * row's share and bounds. Both functions make the bounds again from the inputs.
 */
#include "base/fail.h"
#include "share/handle.h"

/* ---- The binding bound ---- */

/* Returns the bound of a row at its ceiling. */
static uint8_t ceiling_of(const skedi_share_kind *kind, uint32_t row,
                          int64_t share)
{
    skedi_share_told told = skedi_share_told_at(kind, row);
    skedi_share_sums sums = skedi_share_sums_at(kind, row);
    int leaf = kind->shape->family[row] == SKEDI_NO_FAMILY;
    int64_t cap = skedi_share_cap(&told);
    int64_t own = skedi_i64_min(told.guarantee, cap);
    int64_t want = told.state & SKEDI_ROW_IDLE ? 0 : sums.want;
    int64_t top = skedi_i64_min(cap, want);
    int draining = (told.state & SKEDI_ROW_DRAINING) != 0;

    if (skedi_share_kept(&told, own) == share && share > top) {
        return SKED_BOUND_LEND;
    }
    if (told.state & SKEDI_ROW_IDLE) return SKED_BOUND_IDLE;
    if (draining && told.usage <= top) return SKED_BOUND_IDLE;
    if (share < cap || share == want) {
        return leaf ? SKED_BOUND_DEMAND : SKED_BOUND_CHILDREN;
    }
    return told.limit > cap ? SKED_BOUND_BORROW : SKED_BOUND_LIMIT;
}

/* Returns the bound of a row at its floor. */
static uint8_t floor_of(const skedi_share_kind *kind, uint32_t row,
                        int64_t share)
{
    skedi_share_told told = skedi_share_told_at(kind, row);
    int64_t own = skedi_i64_min(told.guarantee, skedi_share_cap(&told));
    int capacity = kind->model->model == SKED_SHARE_MODEL_CAPACITY;
    int64_t used = capacity ? skedi_i64_min(own, told.usage) : own;

    return share > used && share == skedi_share_kept(&told, own)
               ? SKED_BOUND_LEND
               : SKED_BOUND_GUARANTEE;
}

static uint8_t bound_of(const skedi_share_kind *kind, uint32_t row)
{
    uint32_t family = kind->shape->member[row];
    const skedi_family_state *around = family == SKEDI_NO_FAMILY
                                           ? NULL
                                           : &kind->state[family];
    skedi_share_row bounds = skedi_share_row_at(kind, row);
    int64_t share = kind->share[row];
    uint32_t weight = kind->told->weight[row];

    if (around && !kind->even && around->sums.lo > around->total) {
        return SKED_BOUND_TOTAL;
    }
    if (skedi_share_is_pinned(kind->model, weight, bounds.weight) &&
        (around || share == bounds.hi)) {
        return SKED_BOUND_WEIGHT;
    }
    if (share == bounds.hi || share == bounds.hard) {
        return ceiling_of(kind, row, share);
    }
    if (around && share == bounds.lo && share > 0) {
        return floor_of(kind, row, share);
    }
    return SKED_BOUND_NONE;
}

/* Checks the tree and the ledger: the shares must come from both. */
static int is_from(const sked_share *share, const skedi_image *image,
                   const sked_ledger *ledger)
{
    skedi_ledger_mark now = skedi_ledger_now(ledger);

    return !share->must_full && image->key == share->tree_key &&
           skedi_ledger_follows(ledger, image) &&
           now.sequence == share->mark.sequence &&
           now.chain == share->mark.chain;
}

sked_status sked_share_bounds(const sked_share *share, const sked_tree *tree,
                              const sked_ledger *ledger, uint32_t kind,
                              uint8_t *by_row, size_t cap, size_t *n,
                              sked_error *err)
{
    skedi_share_inputs in;

    if (!tree) return skedi_fail_null(err, "tree");
    if (!ledger) return skedi_fail_null(err, "ledger");
    sked_status rc = skedi_share_ask(share, kind, cap, n);
    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    if (!by_row || share->options.scope == SKED_SHARE_SCOPE_DOMINANT) {
        return skedi_fail_read(err, SKED_ERR_ARG);
    }
    in.image = skedi_tree_image(tree);
    in.ledger = ledger;
    in.capacity = share->capacity;
    if (!is_from(share, in.image, ledger))
        return skedi_fail_read(err, SKED_ERR_STATE);
    skedi_share_inputs_of(share, &in);
    skedi_share_kind k = skedi_share_kind_of(
        share, &in, skedi_share_rows_seen(share),
        skedi_share_results_seen(share), kind);
    for (uint32_t row = 0; row < *n; row++) by_row[row] = bound_of(&k, row);
    return SKED_OK;
}

/* ---- Soundness ---- */

static sked_status share_broken(sked_error *err, const char *what,
                                const skedi_share_rows *rows, uint32_t row,
                                uint32_t kind)
{
    return skedi_fail(err, SKED_ERR_INTERNAL, what,
                      (skedi_fault){.queue = rows->id[row],
                                    .row = (int64_t)row + 1,
                                    .kind = (int32_t)kind + 1});
}

static sked_status check_shares(const sked_share *share, uint32_t kind,
                                uint32_t family, sked_error *err)
{
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    const skedi_share_results *results = skedi_share_results_seen(share);
    const skedi_family *f = &rows->shape.families[family];
    const int64_t *cells = results->share + (size_t)kind * rows->shape.n;
    size_t at = (size_t)kind * rows->shape.n_families + family;
    int64_t left = cells[f->parent];
    int even = share->options.scope == SKED_SHARE_SCOPE_ONE_KIND &&
               share->options.kind != kind;
    int dominant = share->options.scope == SKED_SHARE_SCOPE_DOMINANT;

    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        if (cells[row] < 0 || cells[row] > left) {
            return share_broken(err, "children have more than their parent",
                                rows, row, kind);
        }
        if (!even) left -= cells[row];
    }
    if (dominant && left) {
        return share_broken(err, "a parent has more than its children", rows,
                            f->parent, kind);
    }
    if (dominant || even) return SKED_OK;
    const skedi_family_state *state = &results->state[at];
    if (state->level.outcome != SKED_FILL_OUTCOME_SATURATED && left) {
        return share_broken(err, "a level that leaves something over", rows,
                            f->parent, kind);
    }
    return SKED_OK;
}

static sked_status check_ids(const skedi_share_rows *rows, sked_error *err)
{
    for (uint32_t row = 0; row < rows->shape.n; row++) {
        uint32_t slot = (uint32_t)rows->id[row];
        if (slot >= rows->n_slots || rows->row_of[slot] != row) {
            return share_broken(err, "an id that leads elsewhere", rows, row,
                                0);
        }
    }
    return SKED_OK;
}

sked_status sked_share_check(const sked_share *share, sked_error *err)
{
    if (!share) return skedi_fail_null(err, "share");
    if (!share->any) return SKED_OK;
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    const skedi_share_shape *shape = &rows->shape;
    sked_status rc = check_ids(rows, err);

    for (uint32_t i = 0; i < shape->n_families && rc == SKED_OK; i++) {
        if (!skedi_share_is_filled(share, i)) continue;
        for (uint32_t k = 0; k < rows->kinds && rc == SKED_OK; k++) {
            rc = check_shares(share, k, i, err);
        }
    }
    return rc;
}
