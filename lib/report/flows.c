/*
 * Workflows now against before: both are sorted by key, and walked once side
 * by side.
 */
#include <sched/report.h>

#include <string.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_report_compare_input, slo_ns);
_Static_assert(sizeof(sked_report_tier) == 40, "sked_report_tier is frozen");

enum { FLOWS_V1 = SKEDI_SIZE_THROUGH(sked_report_compare_input, slo_ns) };

/* One side: its columns, and its rows by key. */
typedef struct flow_side {
    sked_report_compare_input in;
    skedi_keyed *by_key;
} flow_side;

static sked_status take_side(flow_side *side,
                             const sked_report_compare_input *flows,
                             const char *name, const char *key, sked_error *err)
{
    sked_status rc = skedi_struct_in(&side->in, sizeof side->in, flows,
                                     FLOWS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, name);
    }
    if (side->in.reserved) {
        return skedi_fail_reserved(err, name);
    }
    if (side->in.n > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many workflows",
            (skedi_fault){.got = (int64_t)side->in.n, .limit = INT32_MAX});
    }
    if (side->in.n > 0 && !side->in.key) return skedi_fail_null(err, key);
    for (uint32_t i = 0; side->in.tier && i < side->in.n; i++) {
        if (side->in.tier[i] >= 1 && side->in.tier[i] <= SKED_MAX_TIERS) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE, "workflow of no such tier",
                          (skedi_fault){.row = (int64_t)i + 1,
                                        .got = side->in.tier[i],
                                        .limit = SKED_MAX_TIERS});
    }
    return SKED_OK;
}

/* Sorts a side by key; no key may stand twice. */
static sked_status sort_side(flow_side *side, skedi_keyed *scratch,
                             sked_error *err)
{
    for (uint32_t i = 0; i < side->in.n; i++) {
        side->by_key[i] = (skedi_keyed){side->in.key[i], i, 0};
    }
    skedi_sort_keys(side->by_key, scratch, (size_t)side->in.n);
    for (uint32_t i = 1; i < side->in.n; i++) {
        if (side->by_key[i].key != side->by_key[i - 1].key) continue;
        return skedi_fail(
            err, SKED_ERR_EXISTS, "workflow stands twice",
            (skedi_fault){.row = (int64_t)side->by_key[i].index + 1});
    }
    return SKED_OK;
}

static uint32_t flow_tier(const flow_side *side, uint32_t i)
{
    return side->in.tier ? side->in.tier[side->by_key[i].index] : 1;
}

static int64_t flow_slo(const flow_side *side, uint32_t i)
{
    return side->in.slo_ns ? side->in.slo_ns[side->by_key[i].index] : 0;
}

/* How the i-th of now differs from the j-th of before. */
static uint8_t flow_change(const flow_side *now, uint32_t i,
                           const flow_side *before, uint32_t j)
{
    uint8_t change = 0;

    if (j == before->in.n || before->by_key[j].key != now->by_key[i].key) {
        return SKED_REPORT_FLOW_NEW;
    }
    if (flow_tier(now, i) != flow_tier(before, j))
        change |= SKED_REPORT_FLOW_RETIERED;
    if (flow_slo(now, i) != flow_slo(before, j)) change |= SKED_REPORT_FLOW_SLO;
    return change;
}

static void count_flow(sked_report_tier *tier, uint8_t change)
{
    tier->workflows++;
    tier->added += (change & SKED_REPORT_FLOW_NEW) != 0;
    tier->retiered += (change & SKED_REPORT_FLOW_RETIERED) != 0;
    tier->slo += (change & SKED_REPORT_FLOW_SLO) != 0;
}

static void compare_sides(const flow_side *now, const flow_side *before,
                          uint8_t *change, sked_report_tier *tier)
{
    uint32_t j = 0;

    memset(tier, 0, SKED_MAX_TIERS * sizeof *tier);
    for (uint32_t i = 0; i <= now->in.n; i++) {
        while (j < before->in.n &&
               (i == now->in.n || before->by_key[j].key < now->by_key[i].key)) {
            tier[flow_tier(before, j++) - 1].gone++;
        }
        if (i == now->in.n) break;
        uint8_t is = flow_change(now, i, before, j);
        count_flow(&tier[flow_tier(now, i) - 1], is);
        if (change) change[now->by_key[i].index] = is;
        j += is != SKED_REPORT_FLOW_NEW;
    }
}

sked_status sked_report_compare(const sked_report_compare_input *input,
                                const sked_report_compare_input *before,
                                const sked_host *host, uint8_t *change,
                                sked_report_tier *tier, sked_error *err)
{
    flow_side a = {{0}, NULL}, b = {{0}, NULL};
    sked_report_tier counts[SKED_MAX_TIERS];
    skedi_hooks hooks;

    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = take_side(&a, input, "input", "input.key", err);
    if (rc == SKED_OK && before) {
        rc = take_side(&b, before, "before", "before.key", err);
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    size_t n = (size_t)(a.in.n > b.in.n ? a.in.n : b.in.n);
    skedi_keyed *scratch = skedi_new(&hooks.mem, n, sizeof *scratch);
    a.by_key = skedi_new(&hooks.mem, (size_t)a.in.n, sizeof *a.by_key);
    b.by_key = skedi_new(&hooks.mem, (size_t)b.in.n, sizeof *b.by_key);
    rc = skedi_hooks_check(&hooks, 0, 1);
    if (!scratch || !a.by_key || !b.by_key) rc = SKED_ERR_NOMEM;
    if (rc != SKED_OK) {
        (void)skedi_fail_stopped(err, rc);
    }
    if (rc == SKED_OK) rc = sort_side(&a, scratch, err);
    if (rc == SKED_OK) rc = sort_side(&b, scratch, err);
    if (rc == SKED_OK) {
        compare_sides(&a, &b, change, counts);
        if (tier) memcpy(tier, counts, sizeof counts);
    }
    skedi_free(&hooks.mem, b.by_key, (size_t)b.in.n, sizeof *b.by_key);
    skedi_free(&hooks.mem, a.by_key, (size_t)a.in.n, sizeof *a.by_key);
    skedi_free(&hooks.mem, scratch, n, sizeof *scratch);
    return rc;
}
