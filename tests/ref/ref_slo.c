#include "ref_slo.h"

#include "ref_wide.h"

static int counts(const sked_slo_input *in, uint32_t run, uint32_t workflow)
{
    int all = in->from == 0 && in->to == 0;

    return in->workflow[run] == workflow &&
           (all || (in->from <= in->end[run] && in->end[run] < in->to));
}

static uint64_t took(const sked_slo_input *in, uint32_t run)
{
    return (uint64_t)in->end[run] - (uint64_t)in->start[run];
}

static int in_time(const sked_slo_input *in, uint32_t run)
{
    return took(in, run) <= (uint64_t)in->slo_ns[in->workflow[run]];
}

/* Y / X >= threshold, as a product. */
static int enough(const sked_slo_input *in, uint32_t runs, uint32_t met)
{
    uint64_t part = in->success_ppm ? (uint64_t)in->success_ppm : 900000;

    return met * UINT64_C(1000000) >= part * runs;
}

void ref_slo_runs(const sked_slo_input *in, uint32_t workflow, uint32_t *runs,
                  uint32_t *met)
{
    *runs = *met = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (!counts(in, i, workflow)) continue;
        ++*runs;
        if (in_time(in, i)) ++*met;
    }
}

int ref_slo_outcome(const sked_slo_input *in, uint32_t workflow)
{
    uint32_t runs, met;

    ref_slo_runs(in, workflow, &runs, &met);
    if (runs == 0) return SKED_SLO_IDLE;
    return enough(in, runs, met) ? SKED_SLO_SUCCESSFUL : SKED_SLO_FAILED;
}

/* work / (instance * time) and what is left of it. */
static ref_wide instances(const sked_slo_input *in, uint32_t run, uint64_t time,
                          int *rest)
{
    sked_wide work = in->work[run];
    uint64_t instance = in->instance ? (uint64_t)in->instance : 1;
    ref_wide all = ref_wide_add(ref_wide_shift(ref_wide_of(work.high), 64),
                                ref_wide_of(work.low));
    ref_wide by = ref_wide_mul(ref_wide_of(instance), time);

    *rest = ref_wide_cmp(ref_wide_mod(all, by), ref_wide_of(0)) > 0;
    return ref_wide_div(all, by);
}

int64_t ref_slo_needs(const sked_slo_input *in, uint32_t run)
{
    int rest;
    uint64_t slo = (uint64_t)in->slo_ns[in->workflow[run]];
    ref_wide whole = instances(in, run, slo, &rest);

    return (int64_t)ref_wide_word(whole, 0) + rest;
}

static int64_t holds(const sked_slo_input *in, uint32_t run)
{
    int rest;

    return (int64_t)ref_wide_word(instances(in, run, took(in, run), &rest), 0);
}

/* Would the workflow be successful if all its runs had `extra` more? */
static int repaired(const sked_slo_input *in, uint32_t workflow, int64_t extra)
{
    uint32_t runs = 0, met = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        if (!counts(in, i, workflow)) continue;
        runs++;
        if (in_time(in, i) || holds(in, i) + extra >= ref_slo_needs(in, i)) {
            met++;
        }
    }
    return enough(in, runs, met);
}

int64_t ref_slo_extra(const sked_slo_input *in, uint32_t workflow)
{
    int64_t extra = 0;

    while (!repaired(in, workflow, extra)) extra++;
    return extra;
}
