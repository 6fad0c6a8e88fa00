/* Reserved or on demand, from arrays. */
#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "pctl/select.h"
#include "pctl/reserved.h"

SKEDI_NO_TAIL_PADDING(sked_pctl_reserved_cost, cost);
SKEDI_NO_TAIL_PADDING(sked_pctl_reserved_result, window);

enum { RESERVE_ROUND = 1 << 20 /* units between two looks at the flag */ };

typedef struct reserve_call {
    skedi_units units;
    skedi_units_sum sum;
    skedi_select_memory *memory;
    skedi_hooks hooks;
} reserve_call;

static uint64_t units_at(const void *from, uint64_t need)
{
    const reserve_call *call = from;
    skedi_spot spot = {.need = need};

    skedi_select(&call->units, &call->sum, &spot, 1, call->memory);
    return spot.amount;
}

static uint64_t units_upto(const void *from, uint64_t most)
{
    const reserve_call *call = from;
    uint64_t sum = 0;

    for (size_t i = 0; i < call->units.n; i++) {
        uint64_t a = (uint64_t)call->units.amount[i];
        sum += a && a <= most ? (uint64_t)call->units.length[i] : 0;
    }
    return sum;
}

static skedi_u128 units_usage_upto(const void *from, uint64_t most)
{
    const reserve_call *call = from;

    return skedi_units_usage(&call->units, most);
}

static sked_status sum_call(reserve_call *call, sked_error *err)
{
    call->sum = skedi_units_none();
    for (size_t at = 0; at < call->units.n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&call->units, at);
        sked_status rc = SKED_OK;
        if (at % RESERVE_ROUND == 0) {
            rc = skedi_hooks_check(&call->hooks, at, call->units.n);
        }
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
        if (!skedi_units_add(&call->sum, &block)) {
            return skedi_units_fault(&call->units, 0, err);
        }
    }
    return SKED_OK;
}

static sked_status plan_units(reserve_call *call, int64_t window,
                              sked_ratio price, sked_pctl_reserved_result *plan,
                              sked_error *err)
{
    sked_status rc = sum_call(call, err);

    if (rc != SKED_OK) return rc;
    skedi_reserve r = {
        .in_use = call->sum.all - call->sum.vacant,
        .all = call->sum.all,
        .peak = call->sum.peak,
        .usage = skedi_units_usage(&call->units, UINT64_MAX),
        .at = units_at,
        .upto = units_upto,
        .usage_upto = units_usage_upto,
        .from = call,
    };
    rc = skedi_reserve_in(&r, &window, price, err);
    if (rc == SKED_OK) skedi_reserve_plan(&r, window, price, plan);
    return rc;
}

sked_status sked_pctl_reserved(const int64_t *length, const int64_t *amount,
                               size_t n, int64_t window, sked_ratio price,
                               const sked_host *host,
                               sked_pctl_reserved_result *plan, sked_error *err)
{
    reserve_call call = {.units = {length, amount, n}};

    const char *missing = !plan          ? "plan"
                          : n && !length ? "length"
                          : n && !amount ? "amount"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&call.hooks, host, err);
    if (rc != SKED_OK) return rc;
    skedi_mem *mem = &call.hooks.mem;
    call.memory = skedi_new(mem, 1, sizeof *call.memory);
    if (call.memory &&
        skedi_select_reserve(call.memory, skedi_select_cap(n), mem)) {
        rc = plan_units(&call, window, price, plan, err);
    } else {
        rc = skedi_fail_memory(err);
    }
    if (call.memory) skedi_select_free(call.memory, mem);
    skedi_free(mem, call.memory, 1, sizeof *call.memory);
    return rc;
}
