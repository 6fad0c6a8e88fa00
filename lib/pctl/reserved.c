/*
 * The cheapest number to reserve. One more costs `price` for the whole window
 * and saves the time for which more is used; so it pays for as long as that
 * time is more than price * window, and the answer is a percentile of the
 * window.
 */
#include "pctl/reserved.h"

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "pctl/select.h"

sked_status skedi_reserve_in(const skedi_reserve *r, int64_t *window,
                             sked_ratio price, sked_error *err)
{
    skedi_fault fault = {.got = price.num, .limit = price.den};

    if (price.num <= 0 || price.num > price.den) {
        return skedi_fail(err, SKED_ERR_RANGE, "price is out of range", fault);
    }
    if (*window == 0) *window = (int64_t)r->all;
    fault.got = *window;
    fault.limit = (int64_t)r->all;
    if (*window >= 0 && (uint64_t)*window >= r->all) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "window is shorter than the units",
                      fault);
}

/* x * num / den rounded up; num <= den. */
static skedi_u128 reserve_part_of(skedi_u128 x, sked_ratio p)
{
    uint64_t num = (uint64_t)p.num, den = (uint64_t)p.den, rem;
    skedi_u128 high = skedi_u128_mul(skedi_u128_high(x), num);
    skedi_u128 low = skedi_u128_mul(skedi_u128_low(x), num);

    /* 192 bits in two steps: what the first leaves goes into the second. */
    high = skedi_u128_add(high, skedi_u128_of(skedi_u128_high(low)));
    uint64_t whole = skedi_u128_low(skedi_u128_div(high, den, &rem));
    low = skedi_u128_make(rem, skedi_u128_low(low));
    uint64_t rest = skedi_u128_low(skedi_u128_div(low, den, &rem));
    return skedi_u128_add(skedi_u128_make(whole, rest), skedi_u128_of(rem > 0));
}

static sked_pctl_reserved_cost reserve_cost_of(const skedi_reserve *r,
                                               int64_t window, sked_ratio price,
                                               uint64_t amount)
{
    uint64_t beyond = r->in_use - r->upto(r->from, amount);
    skedi_u128 reserved = skedi_u128_mul(amount, (uint64_t)window);
    skedi_u128 above = skedi_u128_sub(r->usage, r->usage_upto(r->from, amount));
    skedi_u128 demand = skedi_u128_sub(above, skedi_u128_mul(amount, beyond));

    return (sked_pctl_reserved_cost){
        .amount = (int64_t)amount,
        .reserved_amount = skedi_wide_of(reserved),
        .demand = skedi_wide_of(demand),
        .cost = skedi_wide_of(
            skedi_u128_add(reserve_part_of(reserved, price), demand)),
    };
}

void skedi_reserve_plan(const skedi_reserve *r, int64_t window,
                        sked_ratio price, sked_pctl_reserved_result *plan)
{
    uint64_t rem, amount = 0;
    uint64_t may = skedi_muldiv((uint64_t)window, (uint64_t)price.num,
                                (uint64_t)price.den, &rem);

    if (r->in_use > may) amount = r->at(r->from, r->in_use - may);
    *plan = (sked_pctl_reserved_result){
        .cheapest = reserve_cost_of(r, window, price, amount),
        .peak = reserve_cost_of(r, window, price, r->peak),
        .none = reserve_cost_of(r, window, price, 0),
        .exceeded = (int64_t)(r->in_use - r->upto(r->from, amount)),
        .window = window,
    };
}

/* Reserved or on demand, from arrays. */

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
