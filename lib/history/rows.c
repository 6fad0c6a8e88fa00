/* Is what is said to a history sound, row by row? */
#include "base/versioned.h"
#include "history/state.h"

SKEDI_NO_TAIL_PADDING(sked_history_input, amount);

enum {
    HISTORY_ROWS_V1 = SKEDI_SIZE_THROUGH(sked_history_input, amount),
    ROWS_ROUND = 1 << 18 /* records between two looks at the flag */
};

sked_status skedi_history_rows_in(sked_history_input *rows,
                                  const sked_history_input *given,
                                  sked_error *err)
{
    sked_status rc = skedi_struct_in(rows, sizeof *rows, given,
                                     HISTORY_ROWS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (rows->flags & ~(uint32_t)SKED_HISTORY_INPUT_FLAG_ANY_ORDER) {
        return skedi_fail_flags(err, "input");
    }
    if (rows->reserved) return skedi_fail_reserved(err, "input");
    if (rows->form < SKED_HISTORY_FORM_INTERVALS ||
        rows->form > SKED_HISTORY_FORM_UNITS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such form");
    }
    int timed = rows->form != SKED_HISTORY_FORM_UNITS;
    int ends = rows->form == SKED_HISTORY_FORM_INTERVALS;
    const char *missing = !rows->n                  ? NULL
                          : !rows->amount           ? "input.amount"
                          : timed && !rows->start   ? "input.start"
                          : ends && !rows->end      ? "input.end"
                          : !timed && !rows->length ? "input.length"
                                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (rows->n <= INT32_MAX) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "too many records");
}

/* The times of a record, by its form. */
static const char *times_fault(const sked_history_input *rows, size_t i,
                               int64_t *got)
{
    if (rows->form == SKED_HISTORY_FORM_UNITS) {
        *got = rows->length[i];
        return *got < 0 ? "length is negative" : NULL;
    }
    *got = rows->start[i];
    if (!skedi_history_is_time(*got)) return "time is out of range";
    if (rows->form == SKED_HISTORY_FORM_CHANGES) return NULL;
    *got = rows->end[i];
    if (!skedi_history_is_time(*got)) return "time is out of range";
    return *got < rows->start[i] ? "ends before it starts" : NULL;
}

static sked_status record_in(const sked_history *history,
                             const sked_history_input *rows, size_t i,
                             sked_error *err)
{
    skedi_fault fault = {.row = (int64_t)i + 1};
    const int64_t *vec = rows->amount + i * history->kinds;

    if (rows->queue && rows->queue[i] >= history->queues) {
        fault.got = rows->queue[i];
        fault.limit = (int64_t)history->queues - 1;
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such queue", fault);
    }
    const char *what = times_fault(rows, i, &fault.got);
    if (what) return skedi_fail(err, SKED_ERR_RANGE, what, fault);
    for (uint32_t k = 0; k < history->kinds; k++) {
        if (vec[k] >= 0 && vec[k] <= SKED_AMOUNT_MAX) continue;
        fault.got = vec[k];
        fault.limit = SKED_AMOUNT_MAX;
        fault.kind = (int32_t)k + 1;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range", fault);
    }
    return SKED_OK;
}

sked_status skedi_history_records_in(const sked_history *history,
                                     const sked_history_input *rows, size_t n,
                                     sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        sked_status rc = SKED_OK;
        if (i % ROWS_ROUND == 0) {
            rc = skedi_hooks_check(&history->hooks, i, n);
            if (rc != SKED_OK) {
                return skedi_fail_stopped(err, rc);
            }
        }
        rc = record_in(history, rows, i, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}
