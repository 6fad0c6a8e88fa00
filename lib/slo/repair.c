/*
 * What it takes to make a workflow successful.
 *
 * A run that missed its SLO lacked the instances it needed less those it held.
 * Adding x instances repairs every run that lacked at most x, so a workflow
 * that must repair m runs needs the m-th smallest number that its runs lacked.
 * All runs that missed are sorted once by what they lacked; in a walk over
 * them, the m-th run of a workflow is the workflow's answer.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "base/wide.h"
#include "slo/input.h"

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

/* The memory of one call: columns by workflow, and the runs that missed. */
typedef struct repair_memory {
    uint32_t *runs;
    uint32_t *met;
    uint32_t *seen;  /* missed runs passed so far */
    int64_t *extra;  /* -1: not known */
    uint32_t *order; /* workflows to list */
    uint32_t *spare;
    skedi_keyed *missed; /* what each lacked, and its workflow as the tag */
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
           skedi_slo_outcome(call, r->runs[workflow], r->met[workflow]) ==
               SKED_SLO_FAILED;
}

/* Is this run one that `missed` lists? */
static int is_missed(const skedi_slo_call *call, const repair_memory *r,
                     uint32_t tier, uint32_t run)
{
    return call->in.work && skedi_slo_in_window(call, run) &&
           !skedi_slo_meets(&call->in, run) &&
           to_repair(call, r, tier, call->in.workflow[run]);
}

/* What a run that missed lacked: needed less held. */
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
    *lacked = (uint64_t)needed - skedi_u128_low(held); /* it held no more */
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
    return skedi_slo_wanted(call, r->runs[workflow]) - r->met[workflow];
}

/* The missing-th smallest that a workflow's runs lacked. */
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
    skedi_slo_tally(call, r->runs, r->met);
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
    sked_status rc = skedi_slo_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = find_repairs(&call, &memory, tier, err);
    if (rc == SKED_OK) {
        give_repairs(&call, &memory, repairs, cap);
        *n = memory.n_order;
    }
    repair_release(&memory, (size_t)call.in.workflows, &call.hooks.mem);
    return rc;
}
