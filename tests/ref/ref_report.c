#include "ref_report.h"

#include <string.h>

#include "ref_wide.h"

static ref_wide wide(sked_wide x)
{
    return ref_wide_add(ref_wide_shift(ref_wide_of(x.high), 64),
                        ref_wide_of(x.low));
}

static sked_wide narrow(ref_wide x)
{
    sked_wide out = {ref_wide_word(x, 1), ref_wide_word(x, 0)};

    return out;
}

static ref_wide product(uint64_t a, uint64_t b, uint64_t c)
{
    return ref_wide_mul(ref_wide_mul(ref_wide_of(a), b), c);
}

/* Usage of a row (0: the total) and a column (0: instances). */
static ref_wide used_by(const sked_report_input *in, uint32_t row, uint32_t c)
{
    ref_wide sum = ref_wide_of(0);

    for (uint32_t q = 0; q < in->queues; q++) {
        if (row && in->tier[q] != row) continue;
        sked_wide more = c ? in->usage[q * in->kinds + c - 1] : in->used[q];
        sum = ref_wide_add(sum, wide(more));
    }
    return sum;
}

static uint64_t instances_of(const sked_report_input *in, uint32_t row)
{
    uint64_t sum = 0;

    if (row == 0) return (uint64_t)in->instances;
    for (uint32_t q = 0; q < in->queues; q++) {
        if (in->tier[q] == row) sum += (uint64_t)in->allocation[q];
    }
    return sum;
}

static uint64_t each(const sked_report_input *in, uint32_t c)
{
    return c ? (uint64_t)in->instance[c - 1] : 1;
}

static int64_t ratio(ref_wide used, ref_wide capacity)
{
    if (ref_wide_cmp(capacity, ref_wide_of(0)) == 0) return -1;
    ref_wide twice = ref_wide_add(ref_wide_mul(used, 2000000), capacity);
    ref_wide ppm = ref_wide_div(twice, ref_wide_mul(capacity, 2));
    ref_wide whole = ref_wide_div(used, capacity);
    uint64_t most = (uint64_t)SKED_AMOUNT_MAX / 1000000;
    if (ref_wide_cmp(whole, ref_wide_of(most)) >= 0) return SKED_UNLIMITED;
    return (int64_t)ref_wide_word(ppm, 0);
}

/* used(a) / has(a) against used(b) / has(b). */
static int more(ref_wide a, uint64_t has_a, ref_wide b, uint64_t has_b)
{
    return ref_wide_cmp(ref_wide_mul(a, has_b), ref_wide_mul(b, has_a));
}

static int32_t dominant(const sked_report_input *in)
{
    int32_t best = -1;

    for (uint32_t k = 0; k < in->kinds; k++) {
        ref_wide used = used_by(in, 0, k + 1);
        if (ref_wide_cmp(used, ref_wide_of(0)) == 0) continue;
        if (best < 0 ||
            more(used, each(in, k + 1), used_by(in, 0, (uint32_t)best + 1),
                 each(in, (uint32_t)best + 1)) > 0) {
            best = (int32_t)k;
        }
    }
    return best;
}

static int64_t stranded(const sked_report_input *in, uint32_t k, int32_t by)
{
    if (by < 0) return 0;
    uint32_t d = (uint32_t)by;
    ref_wide along = ref_wide_mul(used_by(in, 0, d + 1), each(in, k + 1));
    ref_wide own = ref_wide_mul(used_by(in, 0, k + 1), each(in, d + 1));
    ref_wide whole = product(each(in, d + 1), (uint64_t)in->window_ns, 1);
    ref_wide idle = ref_wide_div(ref_wide_minus(along, own), whole);
    return (int64_t)ref_wide_word(idle, 0);
}

static uint32_t disorder(const sked_report_input *in)
{
    for (uint32_t a = 1; a <= in->tiers; a++) {
        ref_wide used = used_by(in, a, 0);
        uint32_t b = a + 1;
        if (!instances_of(in, a) || !ref_wide_cmp(used, ref_wide_of(0))) {
            continue;
        }
        while (b <= in->tiers &&
               (!instances_of(in, b) ||
                !ref_wide_cmp(used_by(in, b, 0), ref_wide_of(0)))) {
            b++;
        }
        if (b <= in->tiers && more(used, instances_of(in, a), used_by(in, b, 0),
                                   instances_of(in, b)) > 0) {
            return a;
        }
    }
    return 0;
}

/* used against so many ppm of the capacity. */
static int beyond(const sked_report_input *in, int64_t ppm)
{
    return ref_wide_cmp(ref_wide_mul(used_by(in, 0, 0), 1000000),
                        product((uint64_t)in->instances,
                                (uint64_t)in->window_ns, (uint64_t)ppm));
}

static void act(const sked_report_input *in, sked_report_result *r)
{
    int64_t target = in->target_ppm ? in->target_ppm : 700000;
    int64_t band = in->band_ppm ? in->band_ppm : 100000;
    int64_t patience = in->patience ? in->patience : 1;
    int above = beyond(in, target + band) > 0;
    int below = target > band && beyond(in, target - band) < 0;
    ref_wide each_has = product((uint64_t)in->window_ns, (uint64_t)target, 1);
    ref_wide used = ref_wide_mul(used_by(in, 0, 0), 1000000);

    r->needed = (int64_t)ref_wide_word(ref_wide_div(used, each_has), 0);
    r->needed += ref_wide_cmp(ref_wide_mod(used, each_has), ref_wide_of(0)) > 0;
    if (r->needed < 1) r->needed = 1;
    r->streak = above   ? (in->streak > 0 ? in->streak + 1 : 1)
                : below ? (in->streak < 0 ? in->streak - 1 : -1)
                        : 0;
    r->by = 0;
    r->action = SKED_REPORT_ACTION_KEEP;
    r->reason = SKED_REPORT_REASON_WITHIN;
    if (!above && !below) return;
    r->reason = SKED_REPORT_REASON_WAITING;
    if ((above ? r->streak : -r->streak) < patience) return;
    r->reason = SKED_REPORT_REASON_LEAST;
    if (r->needed == in->instances) return;
    r->reason = above ? SKED_REPORT_REASON_ABOVE : SKED_REPORT_REASON_BELOW;
    r->action = above ? SKED_REPORT_ACTION_GROW : SKED_REPORT_ACTION_SHRINK;
    r->by = above ? r->needed - in->instances : in->instances - r->needed;
}

void ref_report(const sked_report_input *in, sked_report_result *r)
{
    for (uint32_t row = 0; row <= in->tiers; row++) {
        for (uint32_t c = 0; c <= in->kinds; c++) {
            uint32_t at = row * (in->kinds + 1) + c;
            ref_wide used = used_by(in, row, c);
            ref_wide has = product(instances_of(in, row), each(in, c),
                                   (uint64_t)in->window_ns);
            r->used[at] = narrow(used);
            r->capacity[at] = narrow(has);
            r->ratio_ppm[at] = ratio(used, has);
        }
    }
    r->dominant = dominant(in);
    for (uint32_t k = 0; k < in->kinds; k++) {
        r->stranded[k] = stranded(in, k, r->dominant);
    }
    r->disorder = disorder(in);
    act(in, r);
}

static const uint32_t nowhere = UINT32_MAX;

static uint32_t find(const sked_report_compare_input *in, uint64_t key)
{
    for (uint32_t i = 0; in && i < in->n; i++) {
        if (in->key[i] == key) return i;
    }
    return nowhere;
}

static uint32_t tier_of(const sked_report_compare_input *in, uint32_t i)
{
    return in->tier ? in->tier[i] : 1;
}

static int64_t slo_of(const sked_report_compare_input *in, uint32_t i)
{
    return in->slo_ns ? in->slo_ns[i] : 0;
}

void ref_report_compare(const sked_report_compare_input *now,
                        const sked_report_compare_input *before,
                        uint8_t *change, sked_report_tier *tier)
{
    memset(tier, 0, SKED_MAX_TIERS * sizeof *tier);
    for (uint32_t i = 0; i < now->n; i++) {
        uint32_t j = find(before, now->key[i]);
        sked_report_tier *t = &tier[tier_of(now, i) - 1];
        int fresh = j == nowhere;
        int retiered = !fresh && tier_of(now, i) != tier_of(before, j);
        int slo = !fresh && slo_of(now, i) != slo_of(before, j);
        t->workflows++;
        t->added += (uint64_t)fresh;
        t->retiered += (uint64_t)retiered;
        t->slo += (uint64_t)slo;
        change[i] = (uint8_t)(fresh * SKED_REPORT_FLOW_NEW +
                              retiered * SKED_REPORT_FLOW_RETIERED +
                              slo * SKED_REPORT_FLOW_SLO);
    }
    for (uint32_t j = 0; before && j < before->n; j++) {
        if (find(now, before->key[j]) != nowhere) continue;
        tier[tier_of(before, j) - 1].gone++;
    }
}
