/* Checks a caller's arrays before a computation uses them. */
#include "base/fail.h"
#include "share/setup.h"

static sked_status row_fails(sked_error *err, sked_status code,
                             const char *message, size_t row)
{
    return skedi_fail(err, code, message,
                      (skedi_fault){.row = (int64_t)row + 1});
}

static sked_status check_shape(const sked_share_input *in, sked_error *err)
{
    const char *missing = !in->parent     ? "input.parent"
                          : !in->capacity ? "input.capacity"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->n == 0 || in->n > SKED_MAX_QUEUES || in->kinds == 0 ||
        in->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too few or too many rows or kinds");
    }
    for (size_t row = 0; row < in->n; row++) {
        int64_t up = in->parent[row];
        if (row == 0 ? up != -1 : up < 0 || up >= (int64_t)row) {
            return row_fails(err, SKED_ERR_ARG, "parents come first", row);
        }
        if (in->state && in->state[row] > SKED_STATE_DRAINING) {
            return row_fails(err, SKED_ERR_ARG, "no such state", row);
        }
    }
    return SKED_OK;
}

/* Checks one column: every amount is 0 to SKED_AMOUNT_MAX, or SKED_UNLIMITED if
 * the column may be unbounded. */
static sked_status check_column(const sked_share_input *in,
                                const int64_t *column, int bounded,
                                sked_error *err)
{
    for (size_t i = 0; column && i < (size_t)in->n * in->kinds; i++) {
        int fits = column[i] >= 0 && column[i] <= SKED_AMOUNT_MAX;
        if (fits || (!bounded && column[i] == SKED_UNLIMITED)) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){
                              .row = (int64_t)(i / in->kinds) + 1,
                              .kind = (int32_t)(i % in->kinds) + 1,
                              .got = column[i],
                              .limit = SKED_AMOUNT_MAX,
                          });
    }
    return SKED_OK;
}

static sked_status check_amounts(const sked_share_input *in, sked_error *err)
{
    const int64_t *unbounded[] = {in->limit, in->borrow, in->lend};
    sked_status rc = check_column(in, in->guarantee, 1, err);

    for (size_t i = 0; i < 3 && rc == SKED_OK; i++) {
        rc = check_column(in, unbounded[i], 0, err);
    }
    for (size_t k = 0; k < in->kinds && rc == SKED_OK; k++) {
        if (in->capacity[k] >= 0 && in->capacity[k] <= SKED_AMOUNT_MAX) {
            continue;
        }
        rc = skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                        (skedi_fault){.kind = (int32_t)k + 1,
                                      .got = in->capacity[k],
                                      .limit = SKED_AMOUNT_MAX});
    }
    return rc;
}

sked_status skedi_share_check_arrays(const sked_share_input *in,
                                     sked_error *err)
{
    sked_status rc = check_shape(in, err);

    return rc == SKED_OK ? check_amounts(in, err) : rc;
}
