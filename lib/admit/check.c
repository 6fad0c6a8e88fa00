/* What may be wrong with a leaf that is handed in for admission. */
#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "admit/lines.h"

SKEDI_NO_TAIL_PADDING(sked_admit_input, state);

enum { ADMIT_QUEUE_V1 = SKEDI_SIZE_THROUGH(sked_admit_input, state) };

static sked_status admit_amounts(const skedi_admit *w, const int64_t *amounts,
                                 size_t rows, sked_error *err)
{
    size_t kinds = w->in.kinds;

    for (size_t i = 0; amounts && i < rows * kinds; i++) {
        if (amounts[i] >= 0 && amounts[i] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = (int64_t)(i / kinds) + 1,
                                        .kind = (int32_t)(i % kinds) + 1,
                                        .got = amounts[i],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* A bound of the leaf, which is of no gang; or NULL. */
static sked_status admit_bound(const skedi_admit *w, const int64_t *bound,
                               sked_error *err)
{
    for (uint32_t k = 0; bound && k < w->in.kinds; k++) {
        int fits = bound[k] >= 0 && bound[k] <= SKED_AMOUNT_MAX;
        if (fits || bound[k] == SKED_UNLIMITED) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "bound is out of range",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = bound[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* Do all gangs together with what is held stay amounts? */
static sked_status admit_sums(const skedi_admit *w, sked_error *err)
{
    for (uint32_t k = 0; k < w->in.kinds; k++) {
        int64_t sum = 0;
        for (int h = 0; w->in.held && h < SKED_ADMIT_HELD_SUMS; h++) {
            sum = skedi_i64_max(sum, w->in.held[(size_t)h * w->in.kinds + k]);
        }
        for (uint32_t i = 0; i < w->in.n; i++) {
            sum = skedi_amount_add(sum,
                                   w->in.need[(size_t)i * w->in.kinds + k]);
        }
        if (sum <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "gangs add up to too much",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = sum,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status admit_gangs(const skedi_admit *w, sked_error *err)
{
    for (uint32_t i = 0; i < w->in.n; i++) {
        if (skedi_gang_kind(w, i) <=
                (SKED_ADMIT_GANG_FIXED | SKED_ADMIT_GANG_CONTROLLER |
                 SKED_ADMIT_GANG_REVOCABLE) &&
            (!w->in.line || w->in.line[i] < SKEDI_ADMIT_LINES) &&
            (!w->in.state || w->in.state[i] <= SKED_ADMIT_STATE_EMPTY)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_ARG, "no such kind, line or state",
                          (skedi_fault){.row = i + INT64_C(1)});
    }
    return SKED_OK;
}

sked_status skedi_admit_said(skedi_admit *w, const sked_admit_input *queue,
                             sked_error *err)
{
    sked_status rc = skedi_struct_in(&w->in, sizeof w->in, queue,
                                     ADMIT_QUEUE_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if ((w->in.flags & ~(uint32_t)SKED_ADMIT_FLAG_PREEMPTION) ||
        (w->in.n > 0 && !w->in.need)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no needs, or flags");
    }
    if (w->in.kinds == 0 || w->in.kinds > SKED_MAX_KINDS ||
        w->in.n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    rc = admit_gangs(w, err);
    const int64_t *bounds[] = {w->in.entitlement, w->in.slack,
                               w->in.reservation, w->in.controllers};
    for (size_t i = 0; i < 4 && rc == SKED_OK; i++) {
        rc = admit_bound(w, bounds[i], err);
    }
    if (rc == SKED_OK) {
        rc = admit_amounts(w, w->in.held, SKED_ADMIT_HELD_SUMS, err);
    }
    if (rc == SKED_OK) {
        rc = admit_amounts(w, w->in.need, (size_t)w->in.n, err);
    }
    return rc == SKED_OK ? admit_sums(w, err) : rc;
}
