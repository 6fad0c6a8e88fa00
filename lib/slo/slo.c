/*
 * Repairs of workflows that fail.
 *
 * The lack of a run that missed its SLO is the number of needed instances, less
 * the number of held instances. Adding x instances repairs every run with a
 * lack of at most x. A workflow that must repair m runs therefore needs its
 * m-th smallest lack. All missed runs are sorted once by lack. A walk over the
 * sorted runs stops at the m-th run of a workflow: the lack of this run is the
 * workflow's answer.
 */
#include <sched/slo.h>

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "base/wide.h"

/* A checked input, with defaults filled in. */
typedef struct skedi_slo_call {
    sked_slo_input in;
    skedi_hooks hooks;
    int everything; /* no window was said */
} skedi_slo_call;

static inline int skedi_slo_in_window(const skedi_slo_call *call, uint32_t run)
{
    sked_time end = call->in.end[run];

    return call->everything || (end >= call->in.from && end < call->in.to);
}

static inline uint64_t skedi_slo_length(const sked_slo_input *in, uint32_t run)
{
    return (uint64_t)in->end[run] - (uint64_t)in->start[run];
}

static inline int skedi_slo_meets(const sked_slo_input *in, uint32_t run)
{
    return skedi_slo_length(in, run) <= (uint64_t)in->slo_ns[in->workflow[run]];
}

static inline uint32_t skedi_slo_tier_of(const sked_slo_input *in,
                                         uint32_t workflow)
{
    return in->tier ? in->tier[workflow] : 1;
}

/*
 * Counts runs that meet their SLO. A first pass over all data finds faults, so
 * a failed call has written nothing. The second pass only counts.
 */

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

/* Takes the input and the host. SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own. */
static sked_status slo_take(skedi_slo_call *call, const sked_slo_input *in,
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

/* Counts runs (X) and runs that meet their SLO (Y), by workflow, from 0. */
static void slo_tally(const skedi_slo_call *call, uint32_t *runs, uint32_t *met)
{
    const sked_slo_input *in = &call->in;

    for (uint32_t w = 0; w < in->workflows; w++) runs[w] = met[w] = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (!skedi_slo_in_window(call, i)) continue;
        runs[in->workflow[i]]++;
        met[in->workflow[i]] += (uint32_t)skedi_slo_meets(in, i);
    }
}

/* The least Y with which X runs succeed. */
static uint32_t slo_wanted(const skedi_slo_call *call, uint32_t runs)
{
    uint64_t parts = (uint64_t)call->in.success_ppm * runs; /* below 2^51 */

    return (uint32_t)((parts + SKED_PPM - 1) / SKED_PPM);
}

/* The enum sked_slo_outcome of a workflow with X runs; Y of the runs met the
 * SLO. */
static uint8_t slo_outcome(const skedi_slo_call *call, uint32_t runs,
                           uint32_t met)
{
    if (runs == 0) return SKED_SLO_IDLE;
    return met >= slo_wanted(call, runs) ? SKED_SLO_SUCCESSFUL
                                         : SKED_SLO_FAILED;
}

static void count_tiers(const skedi_slo_call *call,
                        const sked_slo_result *result)
{
    const sked_slo_input *in = &call->in;

    memset(result->tier, 0, SKED_MAX_TIERS * sizeof *result->tier);
    for (uint32_t w = 0; w < in->workflows; w++) {
        sked_slo_tier *tier = &result->tier[skedi_slo_tier_of(in, w) - 1];
        uint8_t outcome = slo_outcome(call, result->runs[w], result->met[w]);
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
    rc = slo_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    const char *missing = call.in.workflows > 0 && !out.runs  ? "result.runs"
                          : call.in.workflows > 0 && !out.met ? "result.met"
                                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    slo_tally(&call, out.runs, out.met);
    for (uint32_t w = 0; out.outcome && w < call.in.workflows; w++) {
        out.outcome[w] = slo_outcome(&call, out.runs[w], out.met[w]);
    }
    if (out.tier) count_tiers(&call, &out);
    return SKED_OK;
}

/*
 * Runs from their jobs. A first pass over all jobs finds faults, including sums
 * of work that overflow: if the sum over all jobs fits, the sum over the jobs
 * of a run also fits. The second pass only adds.
 */

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

/* A run starts as the empty span; a run that stays empty has no job. */
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
        if (start[r] > end[r]) start[r] = end[r] = 0; /* no job */
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
        (void)skedi_wide_add(&sum, in->work[i]); /* no overflow: the sum over
                                                  * all jobs fits */
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

enum { REPAIR_STEP = 65536 };

/* ceil or floor of work / (instance * time); both above 0. */
static skedi_u128 whole_instances(sked_wide work, int64_t instance,
                                  uint64_t time, int up)
{
    skedi_u128 rem;
    skedi_u128 by = skedi_u128_mul((uint64_t)instance, time);
    skedi_u128 all = skedi_wide_in(work);
    skedi_u128 x = skedi_u128_div_wide(all, by, &rem);
    int more = up && skedi_u128_cmp(rem, skedi_u128_of(0)) > 0;

    return skedi_u128_add(x, skedi_u128_of((uint64_t)more));
}

sked_status sked_slo_instances(sked_wide work, int64_t instance, int64_t slo_ns,
                               int64_t *instances, sked_error *err)
{
    if (!instances) return skedi_fail_null(err, "instances");
    if (instance < 1 || slo_ns < 1)
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "instance or slo_ns is below 1");
    skedi_u128 x = whole_instances(work, instance, (uint64_t)slo_ns, 1);
    if (skedi_u128_cmp(x, skedi_u128_of((uint64_t)SKED_AMOUNT_MAX)) > 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many instances");
    }
    *instances = (int64_t)skedi_u128_low(x);
    return SKED_OK;
}

/* The memory of a call: columns by workflow, and the missed runs. */
typedef struct repair_memory {
    uint32_t *runs;
    uint32_t *met;
    uint32_t *seen;  /* missed runs passed by the walk */
    int64_t *extra;  /* -1: not known */
    uint32_t *order; /* workflows to list */
    uint32_t *spare;
    skedi_keyed *missed; /* key: lack of the run; tag: workflow */
    skedi_keyed *moved;
    size_t n_missed;
    size_t n_order;
} repair_memory;

static int repair_reserve(repair_memory *r, size_t workflows, size_t missed,
                          skedi_mem *mem)
{
    return (r->seen = skedi_new(mem, workflows, sizeof *r->seen)) &&
           (r->extra = skedi_new(mem, workflows, sizeof *r->extra)) &&
           (r->order = skedi_new(mem, workflows, sizeof *r->order)) &&
           (r->spare = skedi_new(mem, workflows, sizeof *r->spare)) &&
           (r->missed = skedi_new(mem, missed, sizeof *r->missed)) &&
           (r->moved = skedi_new(mem, missed, sizeof *r->moved));
}

static void repair_release(repair_memory *r, size_t workflows, skedi_mem *mem)
{
    skedi_free(mem, r->runs, workflows, sizeof *r->runs);
    skedi_free(mem, r->met, workflows, sizeof *r->met);
    skedi_free(mem, r->seen, workflows, sizeof *r->seen);
    skedi_free(mem, r->extra, workflows, sizeof *r->extra);
    skedi_free(mem, r->order, workflows, sizeof *r->order);
    skedi_free(mem, r->spare, workflows, sizeof *r->spare);
    skedi_free(mem, r->missed, r->n_missed, sizeof *r->missed);
    skedi_free(mem, r->moved, r->n_missed, sizeof *r->moved);
}

static int to_repair(const skedi_slo_call *call, const repair_memory *r,
                     uint32_t tier, uint32_t workflow)
{
    return skedi_slo_tier_of(&call->in, workflow) == tier &&
           slo_outcome(call, r->runs[workflow], r->met[workflow]) ==
               SKED_SLO_FAILED;
}

/* True if `missed` lists the run. */
static int is_missed(const skedi_slo_call *call, const repair_memory *r,
                     uint32_t tier, uint32_t run)
{
    return call->in.work && skedi_slo_in_window(call, run) &&
           !skedi_slo_meets(&call->in, run) &&
           to_repair(call, r, tier, call->in.workflow[run]);
}

/* The lack of a missed run: needed less held instances. */
static sked_status lacked_by(const sked_slo_input *in, uint32_t run,
                             uint64_t *lacked, sked_error *err)
{
    sked_wide work = in->work[run];
    int64_t needed;
    sked_status rc = sked_slo_instances(
        work, in->instance, in->slo_ns[in->workflow[run]], &needed, err);

    if (rc != SKED_OK) {
        return skedi_fail(err, rc, "run needs too many instances",
                          (skedi_fault){.row = (int64_t)run + 1});
    }
    skedi_u128 held = whole_instances(work, in->instance,
                                      skedi_slo_length(in, run), 0);
    *lacked = (uint64_t)needed - skedi_u128_low(held); /* held <= needed */
    return SKED_OK;
}

static sked_status list_missed(const skedi_slo_call *call, repair_memory *r,
                               uint32_t tier, sked_error *err)
{
    size_t n = 0;

    for (uint32_t i = 0; i < call->in.n; i++) {
        if (!is_missed(call, r, tier, i)) continue;
        skedi_keyed *at = &r->missed[n++];
        at->index = i;
        at->tag = call->in.workflow[i];
        sked_status rc = lacked_by(&call->in, i, &at->key, err);
        if (rc != SKED_OK) return rc;
        if (n % REPAIR_STEP != 0) continue;
        rc = skedi_hooks_check(&call->hooks, n, r->n_missed);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    }
    return SKED_OK;
}

static uint32_t missing_of(const skedi_slo_call *call, const repair_memory *r,
                           uint32_t workflow)
{
    return slo_wanted(call, r->runs[workflow]) - r->met[workflow];
}

/* Finds the lack of each workflow's missing-th run. */
static void find_extras(const skedi_slo_call *call, repair_memory *r)
{
    for (size_t i = 0; i < r->n_missed; i++) {
        uint32_t w = r->missed[i].tag;
        if (++r->seen[w] == missing_of(call, r, w)) {
            r->extra[w] = (int64_t)r->missed[i].key;
        }
    }
}

typedef struct repair_order {
    const skedi_slo_call *call;
    const repair_memory *memory;
} repair_order;

static int cheaper_repair(const void *ctx, uint32_t a, uint32_t b)
{
    const repair_order *by = ctx;
    int64_t left = by->memory->extra[a], right = by->memory->extra[b];
    uint32_t fewer = missing_of(by->call, by->memory, a);
    uint32_t than = missing_of(by->call, by->memory, b);

    if (left != right) return left < right ? -1 : 1;
    return (fewer > than) - (fewer < than);
}

static void order_repairs(const skedi_slo_call *call, repair_memory *r,
                          uint32_t tier)
{
    const repair_order by = {call, r};

    for (uint32_t w = 0; w < call->in.workflows; w++) {
        if (!to_repair(call, r, tier, w)) continue;
        if (!call->in.work) r->extra[w] = -1;
        r->order[r->n_order++] = w;
    }
    skedi_sort(r->order, r->spare, r->n_order, cheaper_repair, &by);
}

/* Works out the answer in the memory of the call. */
static sked_status find_repairs(skedi_slo_call *call, repair_memory *r,
                                uint32_t tier, sked_error *err)
{
    skedi_mem *mem = &call->hooks.mem;
    size_t n = (size_t)call->in.workflows;

    if (!(r->runs = skedi_new(mem, n, sizeof *r->runs)) ||
        !(r->met = skedi_new(mem, n, sizeof *r->met))) {
        return skedi_fail_memory(err);
    }
    slo_tally(call, r->runs, r->met);
    for (uint32_t i = 0; i < call->in.n; i++) {
        r->n_missed += (size_t)is_missed(call, r, tier, i);
    }
    if (!repair_reserve(r, n, r->n_missed, mem)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = list_missed(call, r, tier, err);
    if (rc != SKED_OK) return rc;
    skedi_sort_keys(r->missed, r->moved, r->n_missed);
    find_extras(call, r);
    order_repairs(call, r, tier);
    return SKED_OK;
}

static void give_repairs(const skedi_slo_call *call, const repair_memory *r,
                         sked_slo_repair *repairs, size_t cap)
{
    for (size_t i = 0; i < r->n_order && i < cap; i++) {
        uint32_t w = r->order[i];
        repairs[i] = (sked_slo_repair){
            .workflow = w,
            .runs = r->runs[w],
            .met = r->met[w],
            .missing = missing_of(call, r, w),
            .extra = r->extra[w],
        };
    }
}

sked_status sked_slo_repairs(const sked_slo_input *input, uint32_t tier,
                             const sked_host *host, sked_slo_repair *repairs,
                             size_t cap, size_t *n, sked_error *err)
{
    skedi_slo_call call;
    repair_memory memory = {0};

    const char *missing = !n ? "n" : cap > 0 && !repairs ? "repairs" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (tier < 1 || tier > SKED_MAX_TIERS) {
        return skedi_fail(err, SKED_ERR_ARG, "no such tier",
                          (skedi_fault){.got = tier, .limit = SKED_MAX_TIERS});
    }
    sked_status rc = slo_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = find_repairs(&call, &memory, tier, err);
    if (rc == SKED_OK) {
        give_repairs(&call, &memory, repairs, cap);
        *n = memory.n_order;
    }
    repair_release(&memory, (size_t)call.in.workflows, &call.hooks.mem);
    return rc;
}
