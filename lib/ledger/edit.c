/*
 * Edits of a ledger. All numbers are from 0 to SKED_AMOUNT_MAX, and a parent
 * has at least as much as any child. If the root's sum is in range, every sum
 * is therefore in range. A call first changes leaves, row by row, and notes the
 * changes. When a row is refused, the call subtracts the noted changes again.
 * When the root's sum is in range, the call adds to the ancestors, which cannot
 * fail.
 */
#include <string.h>

#include "base/arith.h"
#include "base/decay.h"
#include "base/fail.h"
#include "ledger/handle.h"

/* A call of set or add. */
typedef struct ledger_edit {
    sked_ledger *ledger;
    int32_t column;
    uint32_t kinds; /* of the column */
    int adds;       /* 1: sked_ledger_add(); 0: sked_ledger_set() */
    const sked_queue_id *queues;
    const int64_t *amounts;
    int64_t *change; /* what was added, n x kinds */
    sked_error *err;
} ledger_edit;

static sked_status edit_fault(const ledger_edit *edit, sked_status code,
                              const char *message, size_t i)
{
    return skedi_fail(
        edit->err, code, message,
        (skedi_fault){.queue = edit->queues[i], .row = (int64_t)i + 1});
}

static sked_status amount_fault(const ledger_edit *edit, size_t i, uint32_t k,
                                const char *message)
{
    return skedi_fail(edit->err, SKED_ERR_RANGE, message,
                      (skedi_fault){.queue = edit->queues[i],
                                    .row = (int64_t)i + 1,
                                    .kind = (int32_t)k + 1,
                                    .got = edit->amounts[i * edit->kinds + k],
                                    .limit = SKED_AMOUNT_MAX});
}

/* The change to `held`; returns 0 if the result is no amount. */
static int change_of(const ledger_edit *edit, int64_t held, int64_t amount,
                     int64_t *change)
{
    int64_t least = edit->adds ? -held : 0;
    int64_t most = edit->adds ? SKED_AMOUNT_MAX - held : SKED_AMOUNT_MAX;

    if (amount < least || amount > most) return 0;
    *change = edit->adds ? amount : amount - held;
    return 1;
}

static void take_back(const ledger_edit *edit, uint32_t row, size_t i,
                      uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) {
        skedi_ledger_cells(edit->ledger, &edit->ledger->live, edit->column,
                           k)[row] -= edit->change[i * edit->kinds + k];
    }
}

/* Changes a leaf, wholly or not at all. */
static sked_status edit_leaf(const ledger_edit *edit, size_t i)
{
    sked_ledger *ledger = edit->ledger;
    uint32_t row = skedi_ledger_row_of(ledger, edit->queues[i]);

    if (row == SKEDI_NO_ROW) {
        return edit_fault(edit, SKED_ERR_STALE, "no such queue", i);
    }
    if (ledger->live.slots[(uint32_t)edit->queues[i]].parent ==
        SKEDI_LEDGER_INNER) {
        return edit_fault(edit, SKED_ERR_ARG, "queue is a parent", i);
    }
    for (uint32_t k = 0; k < edit->kinds; k++) {
        size_t at = i * edit->kinds + k;
        int64_t *cell = skedi_ledger_cells(ledger, &ledger->live, edit->column,
                                           k) +
                        row;
        if (!change_of(edit, *cell, edit->amounts[at], &edit->change[at])) {
            take_back(edit, row, i, k);
            return amount_fault(edit, i, k, "amount is out of range");
        }
        *cell += edit->change[at];
    }
    return SKED_OK;
}

static sked_status edit_leaves(const ledger_edit *edit, size_t n, size_t *done)
{
    sked_status rc = SKED_OK;

    for (*done = 0; rc == SKED_OK && *done < n; (*done)++) {
        rc = edit_leaf(edit, *done);
        if (rc != SKED_OK) break;
    }
    return rc;
}

/* Checks that the root's sum remains an amount. */
static sked_status edit_sums(const ledger_edit *edit, const int64_t *before,
                             size_t n)
{
    for (uint32_t k = 0; k < edit->kinds; k++) {
        skedi_i128 sum = skedi_i128_of(before[k]);
        for (size_t i = 0; i < n; i++) {
            int64_t change = edit->change[i * edit->kinds + k];
            sum = skedi_i128_add(sum, skedi_i128_of(change));
        }
        if (skedi_i128_cmp(sum, skedi_i128_of(SKED_AMOUNT_MAX)) > 0) {
            return amount_fault(edit, n - 1, k, "sum is out of range");
        }
    }
    return SKED_OK;
}

/* Adds to a parent and all its ancestors. Between two rows of a call a sum may
 * wrap; after the last row the sum is exact. */
static void climb(const skedi_ledger_plan *plan, int64_t *cells, uint32_t up,
                  int64_t change)
{
    for (; up != SKEDI_NO_ROW; up = plan->rows[up].parent) {
        cells[up] = (int64_t)((uint64_t)cells[up] + (uint64_t)change);
    }
}

/* Carries a row's changes up, and into the journal. */
static void edit_climb(const ledger_edit *edit, size_t i)
{
    sked_ledger *ledger = edit->ledger;
    uint32_t slot = (uint32_t)edit->queues[i];
    uint64_t says = skedi_ledger_stir(0, (uint64_t)edit->column);
    skedi_ledger_said said = {.column = edit->column};

    for (uint32_t k = 0; k < edit->kinds; k++) {
        int64_t change = edit->change[i * edit->kinds + k];
        says = skedi_ledger_stir(says, (uint64_t)change);
        if (change == 0) continue;
        said.kinds |= (uint32_t)1 << k;
        said.change = change;
        climb(&ledger->live,
              skedi_ledger_cells(ledger, &ledger->live, edit->column, k),
              ledger->live.slots[slot].parent, change);
    }
    if (said.kinds && edit->column != SKED_LEDGER_HISTORY) {
        skedi_ledger_note(ledger, slot, said, says);
    }
}

static sked_status edit_rows(const ledger_edit *edit, size_t n)
{
    const sked_ledger *ledger = edit->ledger;
    int64_t before[SKED_MAX_KINDS];
    size_t done;

    for (uint32_t k = 0; k < edit->kinds; k++) {
        before[k] = skedi_ledger_column(ledger, edit->column, k)[0];
    }
    sked_status rc = edit_leaves(edit, n, &done);
    if (rc == SKED_OK && n > 0) rc = edit_sums(edit, before, n);
    for (size_t i = done; rc != SKED_OK && i-- > 0;) {
        uint32_t row = skedi_ledger_row_of(ledger, edit->queues[i]);
        take_back(edit, row, i, edit->kinds);
    }
    for (size_t i = 0; rc == SKED_OK && i < n; i++) edit_climb(edit, i);
    return rc;
}

/* Reserves memory for the noted changes (the stack suffices for one row), and
 * applies the rows. */
static sked_status edit_all(ledger_edit *edit, size_t n)
{
    sked_ledger *ledger = edit->ledger;
    int64_t few[SKED_MAX_KINDS];

    edit->change = few;
    if (n > 1) {
        if (n > INT32_MAX) {
            return skedi_fail_plain(edit->err, SKED_ERR_RANGE, "too many rows");
        }
        if (n > SIZE_MAX / edit->kinds ||
            !skedi_ensure(&ledger->hooks.mem, (void **)&ledger->scratch,
                          &ledger->scratch_cap, n * edit->kinds,
                          sizeof *ledger->scratch)) {
            return skedi_fail_memory(edit->err);
        }
        edit->change = ledger->scratch;
    }
    return edit_rows(edit, n);
}

static sked_status edit_start(ledger_edit edit, size_t n)
{
    const char *missing = !edit.ledger             ? "ledger"
                          : n > 0 && !edit.queues  ? "queues"
                          : n > 0 && !edit.amounts ? "amounts"
                                                   : NULL;
    if (missing) return skedi_fail_null(edit.err, missing);
    edit.kinds = skedi_ledger_kinds(edit.ledger, edit.column);
    if (edit.kinds == 0) {
        return skedi_fail(edit.err, SKED_ERR_ARG, "no such column",
                          (skedi_fault){.got = edit.column});
    }
    return edit_all(&edit, n);
}

sked_status sked_ledger_set(sked_ledger *ledger, int32_t column,
                            const sked_queue_id *queues, const int64_t *amounts,
                            size_t n, sked_error *err)
{
    return edit_start((ledger_edit){.ledger = ledger,
                                    .column = column,
                                    .queues = queues,
                                    .amounts = amounts,
                                    .err = err},
                      n);
}

sked_status sked_ledger_add(sked_ledger *ledger, int32_t column,
                            const sked_queue_id *queues, const int64_t *amounts,
                            size_t n, sked_error *err)
{
    return edit_start((ledger_edit){.ledger = ledger,
                                    .column = column,
                                    .adds = 1,
                                    .queues = queues,
                                    .amounts = amounts,
                                    .err = err},
                      n);
}

/* Copies the leaves' numbers to `cells`, with 0 for all other rows, and hashes
 * the numbers into `*says`. */
static sked_status put_leaves(const sked_ledger *ledger, const int64_t *by_row,
                              int64_t *cells, uint64_t *says, sked_error *err)
{
    const skedi_ledger_plan *plan = &ledger->live;

    for (uint32_t r = 0; r < plan->n; r++) {
        cells[r] = 0;
        if (!plan->rows[r].leaf) continue;
        cells[r] = by_row[r];
        *says = skedi_ledger_stir(*says, (uint64_t)by_row[r]);
        if (cells[r] >= 0 && cells[r] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.queue = plan->rows[r].id,
                                        .row = (int64_t)r + 1,
                                        .got = by_row[r],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status put_column(sked_ledger *ledger, int64_t *cells,
                              const int64_t *by_row, uint64_t *says,
                              sked_error *err)
{
    size_t n = ledger->live.n;

    if (!skedi_ensure(&ledger->hooks.mem, (void **)&ledger->scratch,
                      &ledger->scratch_cap, n, sizeof *ledger->scratch)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = put_leaves(ledger, by_row, ledger->scratch, says, err);
    if (rc != SKED_OK) return rc;
    uint32_t row = skedi_ledger_roll(&ledger->live, ledger->scratch);
    if (row != SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_RANGE, "sum is out of range",
                          (skedi_fault){.queue = ledger->live.rows[row].id,
                                        .row = (int64_t)row + 1,
                                        .limit = SKED_AMOUNT_MAX});
    }
    memcpy(cells, ledger->scratch, n * sizeof *cells);
    return SKED_OK;
}

sked_status sked_ledger_put(sked_ledger *ledger, int32_t column, uint32_t kind,
                            const int64_t *by_row, size_t n, sked_error *err)
{
    const char *missing = !ledger ? "ledger" : !by_row ? "by_row" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (kind >= skedi_ledger_kinds(ledger, column)) {
        return skedi_fail(err, SKED_ERR_ARG, "no such column or kind",
                          (skedi_fault){.got = column});
    }
    if (n != ledger->live.n) {
        return skedi_fail(
            err, SKED_ERR_ARG, "not one number a row",
            (skedi_fault){.got = (int64_t)n, .limit = ledger->live.n});
    }
    uint64_t says = skedi_ledger_stir(0, (uint64_t)column);
    int64_t *cells = skedi_ledger_cells(ledger, &ledger->live, column, kind);
    says = skedi_ledger_stir(says, kind);
    sked_status rc = put_column(ledger, cells, by_row, &says, err);
    if (rc == SKED_OK && column != SKED_LEDGER_HISTORY) {
        skedi_ledger_note_all(ledger, says);
    }
    return rc;
}

/* Decays the leaves and adds up the sums again; no sum grows. */
static void decay_kind(sked_ledger *ledger, uint32_t kind, skedi_decay by)
{
    const skedi_ledger_plan *plan = &ledger->live;
    int64_t *cells = skedi_ledger_cells(ledger, plan, SKED_LEDGER_HISTORY,
                                        kind);

    for (uint32_t r = 0; r < plan->n; r++) {
        if (!plan->rows[r].leaf) continue;
        cells[r] = (int64_t)skedi_decay_of(by, (uint64_t)cells[r]);
    }
    (void)skedi_ledger_roll(plan, cells);
}

/* A decay step covers at most INT64_MAX ns; times can be further apart. */
static void decay_all(sked_ledger *ledger, uint64_t elapsed)
{
    while (elapsed > 0) {
        int64_t step = elapsed > INT64_MAX ? INT64_MAX : (int64_t)elapsed;
        skedi_decay by = skedi_decay_over(step, ledger->half_life);
        for (uint32_t k = 0; k < ledger->kinds; k++) decay_kind(ledger, k, by);
        elapsed -= (uint64_t)step;
    }
}

sked_status sked_ledger_decay(sked_ledger *ledger, sked_time now,
                              sked_error *err)
{
    if (!ledger) return skedi_fail_null(err, "ledger");
    sked_status rc = skedi_hooks_now(&ledger->hooks, &now, err);
    if (rc != SKED_OK) return rc;
    if (ledger->timed && now <= ledger->time) return SKED_OK;
    if (ledger->timed && ledger->half_life > 0) {
        decay_all(ledger, (uint64_t)now - (uint64_t)ledger->time);
    }
    ledger->timed = 1;
    ledger->time = now;
    return SKED_OK;
}
