/*
 * Limits that keep sums within 64 bits. Two moments differ by less than 2^63.
 * Spans of a moment hold at most 2^62, so two held amounts differ by at most
 * 2^62, while a span is added or removed by at most 2^63.
 */
#include "timeline/rules.h"

static const int64_t moment_end = (int64_t)1 << 62;

sked_status skedi_timeline_moment_in(int64_t moment, int64_t row,
                                     sked_error *err)
{
    if (moment > -moment_end && moment < moment_end) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_RANGE, "moment is out of range",
        (skedi_fault){.row = row,
                      .got = moment,
                      .limit = moment < 0 ? -moment_end + 1 : moment_end - 1});
}

sked_status skedi_timeline_range_in(int64_t from, int64_t until, int64_t row,
                                    sked_error *err)
{
    sked_status rc = skedi_timeline_moment_in(from, row, err);

    if (rc == SKED_OK && until != SKED_UNLIMITED) {
        rc = skedi_timeline_moment_in(until, row, err);
    }
    if (rc != SKED_OK || until >= from) return rc;
    return skedi_fail(err, SKED_ERR_RANGE, "until is before from",
                      (skedi_fault){.row = row, .got = until, .limit = from});
}

sked_status skedi_timeline_duration_in(int64_t duration, int64_t row,
                                       sked_error *err)
{
    if (duration >= 0) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "duration is negative",
                      (skedi_fault){.row = row, .got = duration});
}

sked_status skedi_timeline_kinds_in(uint32_t kinds, sked_error *err)
{
    if (kinds > 0 && kinds <= SKED_MAX_KINDS) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "kinds is out of range",
                      (skedi_fault){.got = kinds, .limit = SKED_MAX_KINDS});
}

sked_status skedi_timeline_amounts_in(const int64_t *amounts, uint32_t kinds,
                                      int64_t row, sked_error *err)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (amounts[k] >= 0 && amounts[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = row,
                                        .kind = (int32_t)k + 1,
                                        .got = amounts[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}
