/* Checks the promises of a round afterwards. */
#include "base/fail.h"
#include "target/handle.h"

/* The results of a queue in a kind. */
typedef struct target_cell {
    int64_t share;
    int64_t excess;
    int64_t keep;
    int64_t take;
    int64_t owed;
    int64_t first;
    int64_t claim;
    int64_t bound;
} target_cell;

/* Reads a cell. A caller's share of a parent is not checked. */
static target_cell cell_at(const skedi_targets *t, size_t i)
{
    int leaf = t->leaf[i / t->kinds];

    return (target_cell){
        .share = leaf ? skedi_targets_column(t, SKEDI_TARGET_SHARES)[i] : 0,
        .excess = skedi_targets_column(t, SKEDI_TARGET_EXCESSES)[i],
        .keep = skedi_targets_column(t, SKEDI_TARGET_KEEPS)[i],
        .take = skedi_targets_column(t, SKEDI_TARGET_TAKES)[i],
        .owed = skedi_targets_column(t, SKEDI_TARGET_OWES)[i],
        .first = skedi_targets_column(t, SKEDI_TARGET_FIRSTS)[i],
        .claim = skedi_targets_column(t, SKEDI_TARGET_CLAIMS)[i],
        .bound = skedi_targets_column(t, SKEDI_TARGET_BOUNDS)[i],
    };
}

/* NULL: sound. */
static const char *cell_fault(const target_cell *c, uint32_t reasons)
{
    if (c->share < 0 || c->owed < 0) return "less than nothing";
    if (c->take < 0 || c->take > c->excess) return "more taken than is over";
    if (c->first < 0 || c->first > c->excess) return "a stage beyond the whole";
    if (c->keep < c->bound) return "keeps less than its own";
    if (c->claim < 0 || c->claim > c->bound) return "claims beyond its own";
    if (c->owed > 0 && c->excess > 0) return "gives and claims of one kind";
    if (c->take > 0 && c->keep != c->bound) {
        return "gives although it keeps all";
    }
    if (c->take > 0 && !(reasons & SKED_TARGET_REASON_GIVES))
        return "gives unsaid";
    if (c->owed > 0 && !(reasons & SKED_TARGET_REASON_CLAIMS))
        return "claims unsaid";
    return NULL;
}

static sked_status kind_sound(const skedi_targets *t, size_t k, sked_error *err)
{
    const char *fault = NULL;
    int64_t sum = 0;
    size_t row = 0;

    for (; row < t->n && !fault; row++) {
        target_cell cell = cell_at(t, row * t->kinds + k);
        fault = cell_fault(&cell, t->reasons[row]);
        sum = skedi_amount_add(sum, cell.take);
    }
    if (!fault && sum > t->budget[k]) fault = "more taken than the budget";
    if (!fault && (t->need[k] < 0 || t->need[k] > sum)) {
        fault = "a need that takes do not cover";
    }
    if (!fault) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_INTERNAL, fault,
        (skedi_fault){.row = (int64_t)row, .kind = (int32_t)k + 1});
}

sked_status sked_target_check(const sked_target *target, sked_error *err)
{
    sked_status rc = SKED_OK;

    if (!target) return skedi_fail_null(err, "target");
    for (size_t k = 0; rc == SKED_OK && k < target->last.kinds; k++) {
        rc = kind_sound(&target->last, k, err);
    }
    return rc;
}
