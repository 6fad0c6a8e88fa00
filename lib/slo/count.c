/*
 * Counting runs that meet their SLO. A first pass over everything finds what
 * is wrong, so that a call which fails has written nothing; the second only
 * counts.
 */
#include "slo/input.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_slo_input, to);
SKEDI_NO_TAIL_PADDING(sked_slo_result, tier);
_Static_assert(sizeof(sked_slo_tier) == 40, "sked_slo_tier is frozen");
_Static_assert(sizeof(sked_slo_repair) == 24, "sked_slo_repair is frozen");

enum {
    SLO_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_slo_input, to),
    SLO_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_slo_result, tier),
    SLO_STEP = 65536 /* rows between two looks at the host */
};

static const int64_t slo_success = 900000;

static sked_status slo_range(sked_error *err, const char *message, int64_t got,
                             int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, message,
                      (skedi_fault){.got = got, .limit = limit});
}

static sked_status slo_row(sked_error *err, const char *message, uint32_t row,
                           int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)row + 1, .got = got, .limit = limit});
}

static sked_status check_settings(sked_slo_input *in, sked_error *err)
{
    if (in->workflows > INT32_MAX || in->n > INT32_MAX) {
        return slo_range(
            err, "too many rows",
            (int64_t)(in->workflows > in->n ? in->workflows : in->n),
            INT32_MAX);
    }
    if (in->instance < 0 || in->instance > SKED_AMOUNT_MAX) {
        return slo_range(err, "no such instance", in->instance,
                         SKED_AMOUNT_MAX);
    }
    if (in->success_ppm < 0 || in->success_ppm > SKED_PPM) {
        return slo_range(err, "no such part of the runs", in->success_ppm,
                         SKED_PPM);
    }
    if (in->from > in->to) {
        return slo_range(err, "the window ends before it begins", in->from,
                         in->to);
    }
    if (in->instance == 0) in->instance = 1;
    if (in->success_ppm == 0) in->success_ppm = slo_success;
    return SKED_OK;
}

static sked_status check_columns(const sked_slo_input *in, sked_error *err)
{
    const char *missing = in->workflows > 0 && !in->slo_ns ? "input.slo_ns"
                          : in->n == 0                     ? NULL
                          : !in->workflow                  ? "input.workflow"
                          : !in->start                     ? "input.start"
                          : !in->end                       ? "input.end"
                                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    return SKED_OK;
}

static sked_status check_workflow(const sked_slo_input *in, uint32_t row,
                                  sked_error *err)
{
    uint32_t tier = skedi_slo_tier_of(in, row);

    if (in->slo_ns[row] < 1) {
        return slo_row(err, "workflow has an SLO below 1 ns", row,
                       in->slo_ns[row], 1);
    }
    if (tier < 1 || tier > SKED_MAX_TIERS) {
        return slo_row(err, "workflow has no such tier", row, tier,
                       SKED_MAX_TIERS);
    }
    return SKED_OK;
}

static sked_status check_run(const sked_slo_input *in, uint32_t row,
                             sked_error *err)
{
    if (in->workflow[row] >= in->workflows) {
        return slo_row(err, "run of no such workflow", row, in->workflow[row],
                       (int64_t)in->workflows);
    }
    if (in->end[row] < in->start[row]) {
        return slo_row(err, "run ends before it starts", row, in->end[row],
                       in->start[row]);
    }
    return SKED_OK;
}

static sked_status slo_check_rows(const skedi_slo_call *call, sked_error *err)
{
    const sked_slo_input *in = &call->in;
    uint64_t total = (uint64_t)in->workflows + in->n;
    sked_status rc = SKED_OK;

    for (uint64_t i = 0; i < total && rc == SKED_OK; i++) {
        if (i % SLO_STEP == 0) {
            rc = skedi_hooks_check(&call->hooks, i, total);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        rc = i < in->workflows
                 ? check_workflow(in, (uint32_t)i, err)
                 : check_run(in, (uint32_t)(i - in->workflows), err);
    }
    return rc;
}

sked_status skedi_slo_take(skedi_slo_call *call, const sked_slo_input *in,
                           const sked_host *host, sked_error *err)
{
    if (!in) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&call->in, sizeof call->in, in,
                                     SLO_INPUT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (call->in.flags) {
        return skedi_fail_flags(err, "input");
    }
    rc = skedi_hooks_in(&call->hooks, host, err);
    if (rc == SKED_OK) rc = check_settings(&call->in, err);
    if (rc == SKED_OK) rc = check_columns(&call->in, err);
    call->everything = call->in.from == 0 && call->in.to == 0;
    return rc == SKED_OK ? slo_check_rows(call, err) : rc;
}

void skedi_slo_tally(const skedi_slo_call *call, uint32_t *runs, uint32_t *met)
{
    const sked_slo_input *in = &call->in;

    for (uint32_t w = 0; w < in->workflows; w++) runs[w] = met[w] = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (!skedi_slo_in_window(call, i)) continue;
        runs[in->workflow[i]]++;
        met[in->workflow[i]] += (uint32_t)skedi_slo_meets(in, i);
    }
}

uint32_t skedi_slo_wanted(const skedi_slo_call *call, uint32_t runs)
{
    uint64_t parts = (uint64_t)call->in.success_ppm * runs; /* below 2^51 */

    return (uint32_t)((parts + SKED_PPM - 1) / SKED_PPM);
}

uint8_t skedi_slo_outcome(const skedi_slo_call *call, uint32_t runs,
                          uint32_t met)
{
    if (runs == 0) return SKED_SLO_IDLE;
    return met >= skedi_slo_wanted(call, runs) ? SKED_SLO_SUCCESSFUL
                                               : SKED_SLO_FAILED;
}

static void count_tiers(const skedi_slo_call *call,
                        const sked_slo_result *result)
{
    const sked_slo_input *in = &call->in;

    memset(result->tier, 0, SKED_MAX_TIERS * sizeof *result->tier);
    for (uint32_t w = 0; w < in->workflows; w++) {
        sked_slo_tier *tier = &result->tier[skedi_slo_tier_of(in, w) - 1];
        uint8_t outcome = skedi_slo_outcome(call, result->runs[w],
                                            result->met[w]);
        tier->workflows += outcome != SKED_SLO_IDLE;
        tier->successful += outcome == SKED_SLO_SUCCESSFUL;
        tier->idle += outcome == SKED_SLO_IDLE;
        tier->runs += result->runs[w];
        tier->met += result->met[w];
    }
}

sked_status sked_slo_count(const sked_slo_input *input, const sked_host *host,
                           sked_slo_result *result, sked_error *err)
{
    skedi_slo_call call;
    sked_slo_result out;

    if (!result) return skedi_fail_null(err, "result");
    sked_status rc = skedi_struct_in(&out, sizeof out, result, SLO_RESULT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "result");
    }
    rc = skedi_slo_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    const char *missing = call.in.workflows > 0 && !out.runs  ? "result.runs"
                          : call.in.workflows > 0 && !out.met ? "result.met"
                                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    skedi_slo_tally(&call, out.runs, out.met);
    for (uint32_t w = 0; out.outcome && w < call.in.workflows; w++) {
        out.outcome[w] = skedi_slo_outcome(&call, out.runs[w], out.met[w]);
    }
    if (out.tier) count_tiers(&call, &out);
    return SKED_OK;
}
