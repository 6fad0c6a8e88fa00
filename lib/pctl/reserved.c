/*
 * The cheapest number to reserve. One more costs `price` for the whole window
 * and saves the time for which more is used; so it pays for as long as that
 * time is more than price * window, and the answer is a percentile of the
 * window.
 */
#include "pctl/reserved.h"

#include "base/fail.h"

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
