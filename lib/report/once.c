/* The daily report: what comes in, and sums of usage by tier and kind. */
#include "report/rate.h"

#include "base/fail.h"
#include "base/versioned.h"
#include "base/wide.h"

SKEDI_NO_TAIL_PADDING(sked_report_input, patience);
SKEDI_NO_TAIL_PADDING(sked_report_result, stranded);

enum {
    REPORT_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_report_input, patience),
    REPORT_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_report_result, stranded),
    REPORT_STEP = 16384 /* queues between two looks at the host */
};

static sked_status report_range(sked_error *err, const char *message,
                                int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, message,
                      (skedi_fault){.got = got, .limit = limit});
}

static sked_status take_report_sizes(const sked_report_input *in,
                                     sked_error *err)
{
    if (in->flags) {
        return skedi_fail_flags(err, "input");
    }
    if (in->kinds < 1 || in->kinds > SKED_MAX_KINDS || in->tiers < 1 ||
        in->tiers > SKED_MAX_TIERS || in->queues > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such number of kinds, tiers or queues");
    }
    int any = in->queues > 0;
    const char *missing = !in->instance            ? "input.instance"
                          : any && !in->tier       ? "input.tier"
                          : any && !in->allocation ? "input.allocation"
                          : any && !in->used       ? "input.used"
                          : any && !in->usage      ? "input.usage"
                                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->window_ns < 1 || in->window_ns > SKED_AMOUNT_MAX) {
        return report_range(err, "no such window", in->window_ns,
                            SKED_AMOUNT_MAX);
    }
    return SKED_OK;
}

static sked_status take_target(sked_report_input *in, sked_error *err)
{
    if (in->target_ppm < 0 || in->target_ppm > SKED_PPM) {
        return report_range(err, "no such target", in->target_ppm, SKED_PPM);
    }
    if (in->band_ppm < 0 || in->band_ppm > SKED_PPM) {
        return report_range(err, "no such band", in->band_ppm, SKED_PPM);
    }
    if (in->patience < 0 || in->patience > INT32_MAX) {
        return report_range(err, "no such patience", in->patience, INT32_MAX);
    }
    if (in->target_ppm == 0) in->target_ppm = 700000;
    if (in->band_ppm == 0) in->band_ppm = 100000;
    if (in->patience == 0) in->patience = 1;
    return SKED_OK;
}

static sked_status take_instance(const sked_report_input *in, sked_error *err)
{
    if (in->instances < 1 || in->instances > SKED_AMOUNT_MAX) {
        return report_range(err, "no such number of instances", in->instances,
                            SKED_AMOUNT_MAX);
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t has = in->instance[k];
        if (has >= 0 && has <= SKED_AMOUNT_MAX / in->instances) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "cluster has no such amount",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = has,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* ---- Sums ---- */

static sked_status queue_fault(sked_error *err, const char *message,
                               uint32_t queue, int32_t kind)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)queue + 1, .kind = kind + 1});
}

/* The total's sum holds every tier's, so only it is looked at. */
static sked_status report_add_column(skedi_report *r, uint32_t queue,
                                     int32_t kind, sked_wide more,
                                     sked_error *err)
{
    uint32_t column = (uint32_t)(kind + 1);
    int lacks = kind >= 0 && r->in.instance[kind] == 0;

    if (lacks && (more.high | more.low) != 0) {
        return queue_fault(err, "instances do not have what is used", queue,
                           kind);
    }
    (void)skedi_wide_add(&r->used[r->in.tier[queue]][column], more);
    if (!skedi_wide_add(&r->used[0][column], more)) {
        return queue_fault(err, "usage adds up to too much", queue, kind);
    }
    return SKED_OK;
}

static sked_status report_add_queue(skedi_report *r, uint32_t queue,
                                    sked_error *err)
{
    const sked_report_input *in = &r->in;
    uint32_t tier = in->tier[queue];
    const sked_wide *usage = in->usage + (size_t)queue * in->kinds;

    if (tier < 1 || tier > in->tiers) {
        return queue_fault(err, "queue of no such tier", queue, -1);
    }
    int64_t has = in->allocation[queue];
    int64_t sum = skedi_amount_add(r->has[tier], has);
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (has >= 0 && sum != SKED_UNLIMITED &&
            sum <= SKED_AMOUNT_MAX / skedi_i64_max(1, in->instance[k])) {
            continue;
        }
        return queue_fault(err, "allocations add up to too much", queue, -1);
    }
    r->has[tier] = sum;
    sked_status rc = report_add_column(r, queue, -1, in->used[queue], err);
    for (uint32_t k = 0; k < in->kinds && rc == SKED_OK; k++) {
        rc = report_add_column(r, queue, (int32_t)k, usage[k], err);
    }
    return rc;
}

static sked_status add_queues_up(skedi_report *r, sked_error *err)
{
    sked_status rc = SKED_OK;

    r->has[0] = r->in.instances;
    for (uint32_t i = 0; i < r->in.queues && rc == SKED_OK; i++) {
        if (i % REPORT_STEP == 0) {
            rc = skedi_hooks_check(&r->hooks, i, r->in.queues);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        rc = report_add_queue(r, i, err);
    }
    return rc;
}

/* ---- What goes out ---- */

static void give_tables(const skedi_report *r, const sked_report_result *out)
{
    uint32_t columns = r->in.kinds + 1;

    for (uint32_t row = 0; row <= r->in.tiers; row++) {
        for (uint32_t c = 0; c < columns; c++) {
            size_t at = (size_t)row * columns + c;
            skedi_u128 capacity = skedi_report_capacity(r, row, c);
            if (out->used) out->used[at] = skedi_wide_of(r->used[row][c]);
            if (out->capacity) out->capacity[at] = skedi_wide_of(capacity);
            if (!out->ratio_ppm) continue;
            out->ratio_ppm[at] = skedi_report_ratio(r->used[row][c], capacity);
        }
    }
}

static sked_status report_take(skedi_report *r, const sked_report_input *in,
                               const sked_host *host, sked_error *err)
{
    sked_status rc = skedi_struct_in(&r->in, sizeof r->in, in, REPORT_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = take_report_sizes(&r->in, err);
    if (rc == SKED_OK) rc = take_target(&r->in, err);
    if (rc == SKED_OK) rc = take_instance(&r->in, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&r->hooks, host, err);
    return rc == SKED_OK ? add_queues_up(r, err) : rc;
}

sked_status sked_report(const sked_report_input *input, const sked_host *host,
                        sked_report_result *result, sked_error *err)
{
    skedi_report r = {0};

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, REPORT_RESULT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "result");
    }
    rc = report_take(&r, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_report_act(&r, result);
    if (rc != SKED_OK) {
        return skedi_fail_plain(err, rc, "needs more instances than there are");
    }
    result->dominant = skedi_report_strand(&r, result->stranded);
    result->disorder = skedi_report_disorder(&r);
    give_tables(&r, result);
    return SKED_OK;
}
