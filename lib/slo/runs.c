/*
 * Runs from their jobs. A pass over all jobs finds what is wrong, work that
 * does not fit included: where the sum over all jobs fits, that over the jobs
 * of one run does. The second pass only folds.
 */
#include <sched/slo.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "base/wide.h"

SKEDI_NO_TAIL_PADDING(sked_slo_runs_input, work);

enum {
    SLO_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_slo_runs_input, work),
    FOLD_STEP = 65536 /* jobs between two looks at the host */
};

static sked_status fold_fault(sked_error *err, const char *message,
                              uint32_t job, int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)job + 1, .got = got, .limit = limit});
}

static sked_status fold_check(const sked_slo_runs_input *in, uint32_t i,
                              skedi_u128 *sum, sked_error *err)
{
    if (in->run[i] >= in->runs) {
        return fold_fault(err, "job of no such run", i, in->run[i],
                          (int64_t)in->runs);
    }
    if (in->end[i] < in->submit[i]) {
        return fold_fault(err, "job ends before its submission", i, in->end[i],
                          in->submit[i]);
    }
    if (in->work && !skedi_wide_add(sum, in->work[i])) {
        return fold_fault(err, "work adds up to too much", i, 0, 0);
    }
    return SKED_OK;
}

static sked_status fold_check_all(const sked_slo_runs_input *in,
                                  const skedi_hooks *hooks, sked_error *err)
{
    skedi_u128 sum = skedi_u128_of(0);
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < in->n && rc == SKED_OK; i++) {
        if (i % FOLD_STEP == 0) {
            rc = skedi_hooks_check(hooks, i, in->n);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        rc = fold_check(in, i, &sum, err);
    }
    return rc;
}

static sked_status fold_take(sked_slo_runs_input *to,
                             const sked_slo_runs_input *in, sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, in, SLO_JOBS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    const char *missing = to->n == 0    ? NULL
                          : !to->run    ? "input.run"
                          : !to->submit ? "input.submit"
                          : !to->end    ? "input.end"
                                        : NULL;
    if (to->flags) return skedi_fail_flags(err, "input");
    if (missing) return skedi_fail_null(err, missing);
    if (to->runs > INT32_MAX || to->n > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many rows",
            (skedi_fault){.got = (int64_t)to->n, .limit = INT32_MAX});
    }
    return SKED_OK;
}

/* A run begins as the empty span, and one that stays so has no job. */
static void fold_runs(const sked_slo_runs_input *in, sked_time *start,
                      sked_time *end)
{
    for (uint32_t r = 0; r < in->runs; r++) {
        start[r] = INT64_MAX;
        end[r] = INT64_MIN;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t r = in->run[i];
        start[r] = skedi_i64_min(start[r], in->submit[i]);
        end[r] = skedi_i64_max(end[r], in->end[i]);
    }
    for (uint32_t r = 0; r < in->runs; r++) {
        if (start[r] > end[r]) start[r] = end[r] = 0; /* it has no job */
    }
}

static void fold_sums(const sked_slo_runs_input *in, sked_wide *work,
                      uint32_t *jobs)
{
    for (uint32_t r = 0; r < in->runs; r++) {
        if (work) work[r] = (sked_wide){0, 0};
        if (jobs) jobs[r] = 0;
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (jobs) jobs[in->run[i]]++;
        if (!work || !in->work) continue;
        skedi_u128 sum = skedi_wide_in(work[in->run[i]]);
        (void)skedi_wide_add(&sum, in->work[i]); /* it fits: all of it does */
        work[in->run[i]] = skedi_wide_of(sum);
    }
}

sked_status sked_slo_runs(const sked_slo_runs_input *input,
                          const sked_host *host, sked_time *start,
                          sked_time *end, sked_wide *work, uint32_t *jobs,
                          sked_error *err)
{
    sked_slo_runs_input taken;
    skedi_hooks hooks;

    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = fold_take(&taken, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    const char *missing = taken.runs > 0 && !start ? "start"
                          : taken.runs > 0 && !end ? "end"
                                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = fold_check_all(&taken, &hooks, err);
    if (rc != SKED_OK) return rc;
    fold_runs(&taken, start, end);
    fold_sums(&taken, work, jobs);
    return SKED_OK;
}
