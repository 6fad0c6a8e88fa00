/*
 * The inputs of a computation. Most columns are the columns of the tree's image
 * and of the ledger. A share handle adds only idle marks of leaves, and
 * guarantees and limits that the tree has in ppm.
 */
#include "base/fail.h"
#include "share/handle.h"

int skedi_share_is_idle(const sked_ledger *ledger, const skedi_image *image,
                        uint32_t row)
{
    return skedi_image_is_leaf(image, row) &&
           !skedi_ledger_is_busy(ledger, row);
}

/* One column of the tree in one kind. Values in ppm are resolved to amounts. */
static const int64_t *amounts_of(const sked_share *share,
                                 const skedi_image *image, uint32_t index,
                                 uint32_t kind)
{
    size_t n = image->n;

    if (!skedi_share_is_parted(image) || index > SKEDI_AT_LIMIT) {
        return skedi_image_amounts(image, index, kind);
    }
    return share->resolved + ((size_t)index * image->kinds + kind) * n;
}

void skedi_share_inputs_of_kind(const sked_share *share, skedi_share_inputs *in,
                                uint32_t k)
{
    const skedi_image *image = in->image;
    const uint8_t *state = share->model.model == SKED_SHARE_MODEL_INSTANTANEOUS
                               ? share->row_state
                           : image->number[SKEDI_AT_STATE] ? image->state
                                                           : NULL;

    in->told[k] = (skedi_share_told_columns){
        .guarantee = amounts_of(share, image, SKEDI_AT_GUARANTEE, k),
        .limit = amounts_of(share, image, SKEDI_AT_LIMIT, k),
        .borrow = amounts_of(share, image, SKEDI_AT_BORROW, k),
        .lend = amounts_of(share, image, SKEDI_AT_LEND, k),
        .demand = skedi_ledger_column(in->ledger, SKED_LEDGER_DEMAND, k),
        .usage = skedi_ledger_column(in->ledger, SKED_LEDGER_USAGE, k),
        .weight = image->weight,
        .priority = image->priority,
        .state = state,
        .capacity = in->capacity[k],
        .drains = image->number[SKEDI_AT_STATE] != NULL,
    };
}

void skedi_share_inputs_of(const sked_share *share, skedi_share_inputs *in)
{
    for (uint32_t k = 0; k < in->image->kinds; k++) {
        skedi_share_inputs_of_kind(share, in, k);
    }
}

skedi_share_kind skedi_share_kind_of(const sked_share *share,
                                     const skedi_share_inputs *in,
                                     const skedi_share_rows *rows,
                                     const skedi_share_results *results,
                                     uint32_t kind)
{
    const skedi_share_shape *shape = &rows->shape;
    int one_kind = share->options.scope == SKED_SHARE_SCOPE_ONE_KIND;
    size_t at = (size_t)kind * shape->n_families;

    return (skedi_share_kind){
        .shape = shape,
        .model = &share->model,
        .told = &in->told[kind],
        .state = results->state ? results->state + at : NULL,
        .share = results->share + (size_t)kind * shape->n,
        .rise = share->rise ? share->rise + (size_t)kind * shape->n : NULL,
        .rounding = share->options.rounding,
        .even = one_kind && share->options.kind != kind,
    };
}

static sked_status check_capacity(const int64_t *capacity, uint32_t kinds,
                                  sked_error *err)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (capacity[k] >= 0 && capacity[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = capacity[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

sked_status skedi_share_take(const sked_share *share,
                             const skedi_share_given *given,
                             skedi_share_inputs *in, sked_error *err)
{
    const char *missing = !share             ? "share"
                          : !given->tree     ? "tree"
                          : !given->ledger   ? "ledger"
                          : !given->capacity ? "capacity"
                                             : NULL;
    if (missing) return skedi_fail_null(err, missing);
    in->image = skedi_tree_image(given->tree);
    in->ledger = given->ledger;
    in->capacity = given->capacity;
    if (in->ledger->kinds != in->image->kinds) {
        return sked_schema_same(sked_tree_schema(given->tree),
                                &in->ledger->schema, err);
    }
    if (!skedi_ledger_follows(in->ledger, in->image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    if (share->options.scope == SKED_SHARE_SCOPE_ONE_KIND &&
        share->options.kind >= in->image->kinds) {
        return skedi_fail(err, SKED_ERR_RANGE, "no such kind",
                          (skedi_fault){.got = share->options.kind,
                                        .limit = in->image->kinds - 1});
    }
    return check_capacity(in->capacity, in->image->kinds, err);
}
