/* What must always hold of a ledger, and what it comes down to as a number. */
#include "base/fail.h"
#include "base/hash.h"
#include "ledger/handle.h"

static sked_status ledger_broken(const sked_ledger *ledger, uint32_t row,
                                 const char *invariant, sked_error *err)
{
    return skedi_fail(err, SKED_ERR_INTERNAL, invariant,
                      (skedi_fault){.queue = ledger->live.rows[row].id,
                                    .row = (int64_t)row + 1});
}

static sked_status ledger_rows_sound(const sked_ledger *ledger, sked_error *err)
{
    const skedi_ledger_plan *plan = &ledger->live;

    for (uint32_t r = 0; r < plan->n; r++) {
        uint32_t up = plan->rows[r].parent;
        if (skedi_ledger_find(plan, plan->rows[r].id) != r) {
            return ledger_broken(ledger, r, "an id does not lead to its row",
                                 err);
        }
        if ((r == 0) != (up == SKEDI_NO_ROW) || (r > 0 && up >= r)) {
            return ledger_broken(ledger, r, "a parent does not come first",
                                 err);
        }
        if (r > 0 && plan->rows[up].leaf) {
            return ledger_broken(ledger, up, "a leaf has children", err);
        }
    }
    return SKED_OK;
}

/* Cells in range; every parent's less its children's is nothing. */
static sked_status ledger_cells_sound(const sked_ledger *ledger,
                                      const int64_t *cells, sked_error *err)
{
    const skedi_ledger_plan *plan = &ledger->live;
    uint32_t begin = 1; /* siblings stand side by side, families in order */

    for (uint32_t r = 0; r < plan->n; r++) {
        int64_t left = cells[r];
        if (left < 0 || left > SKED_AMOUNT_MAX) {
            return ledger_broken(ledger, r, "amount is out of range", err);
        }
        if (plan->rows[r].leaf) continue;
        while (begin < plan->n && plan->rows[begin].parent == r) {
            left -= cells[begin++];
        }
        if (left != 0) return ledger_broken(ledger, r, "a sum is wrong", err);
    }
    return SKED_OK;
}

sked_status sked_ledger_check(const sked_ledger *ledger, sked_error *err)
{
    if (!ledger) return skedi_fail_null(err, "ledger");
    size_t columns = (size_t)3 * ledger->kinds + 1;
    sked_status rc = ledger_rows_sound(ledger, err);

    for (size_t c = 0; rc == SKED_OK && c < columns; c++) {
        rc = ledger_cells_sound(ledger,
                                ledger->live.cells + c * ledger->live.cap, err);
    }
    return rc;
}

uint64_t sked_ledger_digest(const sked_ledger *ledger)
{
    skedi_hash hash;

    if (!ledger) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, ledger->kinds);
    skedi_hash_u64(&hash, (uint64_t)ledger->half_life);
    skedi_hash_u32(&hash, (uint32_t)ledger->timed);
    skedi_hash_u64(&hash, (uint64_t)ledger->time);
    for (uint32_t r = 0; r < ledger->live.n; r++) {
        skedi_hash_u64(&hash, ledger->live.rows[r].id);
        for (size_t c = 0; c < (size_t)3 * ledger->kinds + 1; c++) {
            int64_t cell = ledger->live.cells[c * ledger->live.cap + r];
            skedi_hash_u64(&hash, (uint64_t)cell);
        }
    }
    return skedi_hash_end(&hash);
}
