/*
 * From the rows of one commit to those of another: the next rows are laid out
 * beside the ones that hold, leaves bring their cells along by id, parents add
 * up anew, and only then do the two change places.
 */
#include "base/fail.h"
#include "ledger/handle.h"

/* The leaf that the next rows have under this id, or SKEDI_NO_ROW. What has
 * the id and is another queue gets nothing: the leaf then has nothing. */
static uint32_t next_leaf(const skedi_ledger_plan *next, sked_queue_id id)
{
    uint32_t row = skedi_ledger_find(next, id);

    return row != SKEDI_NO_ROW && next->rows[row].leaf ? row : SKEDI_NO_ROW;
}

static int has_anything(const sked_ledger *ledger, uint32_t row)
{
    const skedi_ledger_plan *live = &ledger->live;
    size_t columns = (size_t)3 * ledger->kinds + 1;
    int64_t any = 0;

    for (size_t c = 0; c < columns; c++)
        any |= live->cells[c * live->cap + row];
    return any != 0;
}

/* Has the tree another queue under the id of a leaf that has something? Then
 * it is neither the ledger's tree nor a copy of it. */
static sked_status check_lineage(const sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *live = &ledger->live, *next = &ledger->next;

    for (uint32_t r = 1; r < live->n; r++) {
        const skedi_ledger_row *row = &live->rows[r];
        uint32_t to = skedi_ledger_find(next, row->id);
        if (to == SKEDI_NO_ROW || next->rows[to].birth == row->birth) continue;
        if (!row->leaf || !has_anything(ledger, r)) continue;
        return skedi_fail(err, SKED_ERR_STATE,
                          "the tree is neither the ledger's nor a copy of it",
                          (skedi_fault){.queue = row->id});
    }
    return SKED_OK;
}

/* Takes every leaf's cells along. */
static sked_status carry(sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *live = &ledger->live, *next = &ledger->next;
    size_t columns = (size_t)3 * ledger->kinds + 1;

    for (uint32_t r = 0; r < live->n; r++) {
        if (!live->rows[r].leaf) continue;
        uint32_t to = next_leaf(next, live->rows[r].id);
        if (to == SKEDI_NO_ROW) {
            if (!skedi_ledger_is_busy(ledger, r)) continue;
            return skedi_fail(err, SKED_ERR_STATE,
                              "a busy queue is gone or became a parent",
                              (skedi_fault){.queue = live->rows[r].id});
        }
        for (size_t c = 0; c < columns; c++) {
            next->cells[c * next->cap + to] = live->cells[c * live->cap + r];
        }
    }
    return SKED_OK;
}

/* The leaves are among those of before, so no sum is larger than it was. */
static void add_up_next(const sked_ledger *ledger)
{
    const skedi_ledger_plan *next = &ledger->next;
    size_t columns = (size_t)3 * ledger->kinds + 1;

    for (size_t c = 0; c < columns; c++) {
        (void)skedi_ledger_roll(next, next->cells + c * next->cap);
    }
}

static sked_status follow_rows(sked_ledger *ledger, const skedi_image *image,
                               sked_error *err)
{
    if (!skedi_ledger_plan_make(ledger, &ledger->next, &ledger->hooks.mem,
                                image->n, image->n_slots)) {
        return skedi_fail_memory(err);
    }
    skedi_ledger_plan_fill(ledger, &ledger->next, image);
    sked_status rc = check_lineage(ledger, err);
    if (rc == SKED_OK) rc = carry(ledger, err);
    if (rc != SKED_OK) return rc;

    add_up_next(ledger);
    skedi_ledger_plan held = ledger->live;
    ledger->live = ledger->next;
    ledger->next = held;
    skedi_ledger_note_all(ledger, image->shape_key);
    return SKED_OK;
}

sked_status sked_ledger_follow(sked_ledger *ledger, const sked_tree *tree,
                               sked_error *err)
{
    sked_status rc = SKED_OK;

    const char *missing = !ledger ? "ledger" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    const skedi_image *image = skedi_tree_image(tree);
    if (!skedi_ledger_follows(ledger, image)) {
        rc = sked_schema_same(&ledger->schema, sked_tree_schema(tree), err);
        if (rc == SKED_OK) rc = follow_rows(ledger, image, err);
    }
    if (rc != SKED_OK) return rc;
    ledger->version = image->version;
    ledger->shape = image->shape;
    ledger->shape_key = image->shape_key;
    return SKED_OK;
}
