/*
 * Passes over time units, a block at a time. The bits set in any number of a
 * block bound the sums. If all lengths are below 2^53, the sum of a block
 * cannot overflow. If the largest amount and length have few enough bits,
 * products are added in 64 bits.
 */
#include "pctl/units.h"

#include "base/fail.h"

/* Bits of a length that rule out plain sums. */
#define UNITS_LONG (~(uint64_t)0 << 53)

/* Adds the lengths of a block one by one, because some are long. 0:
 * overflow. */
static int add_long(skedi_units_sum *sum, const skedi_units *block)
{
    for (size_t i = 0; i < block->n; i++) {
        uint64_t length = (uint64_t)block->length[i];
        sum->all += length;
        if (sum->all > INT64_MAX) return 0;
        if (block->amount[i] == 0) sum->vacant += length;
    }
    return 1;
}

/* The least and the largest amount in use, where some lengths are 0. */
static void add_range(skedi_units_sum *sum, const skedi_units *block)
{
    for (size_t i = 0; i < block->n; i++) {
        uint64_t a = (uint64_t)block->amount[i];
        if (a == 0 || block->length[i] == 0) continue;
        if (a > sum->peak) sum->peak = a;
        if (a < sum->least) sum->least = a;
    }
}

int skedi_units_add(skedi_units_sum *sum, const skedi_units *block)
{
    const int64_t *length = block->length, *amount = block->amount;
    uint64_t lengths = 0, amounts = 0, zero = 0, all = 0, used = 0;
    uint64_t least = UINT64_MAX, peak = 0; /* least amount less 1: 0 wraps to
                                            * the end */

    for (size_t i = 0; i < block->n; i++) {
        uint64_t l = (uint64_t)length[i], a = (uint64_t)amount[i];
        lengths |= l;
        amounts |= a;
        zero |= l - 1;
        all += l;
        used += a ? l : 0;
        peak = a > peak ? a : peak;
        least = a - 1 < least ? a - 1 : least;
    }
    if ((lengths | amounts) >> 63 || peak > (uint64_t)SKED_AMOUNT_MAX) return 0;
    if (zero >> 63) {
        add_range(sum, block);
    } else if (peak > 0) {
        sum->peak = peak > sum->peak ? peak : sum->peak;
        sum->least = least + 1 < sum->least ? least + 1 : sum->least;
    }
    if (lengths & UNITS_LONG) return add_long(sum, block);
    sum->all += all;
    sum->vacant += all - used;
    return sum->all <= INT64_MAX;
}

sked_status skedi_units_fault(const skedi_units *units, uint64_t row,
                              sked_error *err)
{
    uint64_t all = 0;
    size_t i = 0;
    const char *what = "lengths add up to more than 2^63 - 1";
    skedi_fault fault = {.limit = INT64_MAX};

    for (; i + 1 < units->n; i++) {
        uint64_t a = (uint64_t)units->amount[i];
        all += (uint64_t)units->length[i];
        if (units->length[i] < 0 || all > INT64_MAX ||
            a > (uint64_t)SKED_AMOUNT_MAX) {
            break;
        }
    }
    fault.got = units->length[i];
    if (units->length[i] < 0) {
        what = "length is negative";
        fault.limit = 0;
    }
    if ((uint64_t)units->amount[i] > (uint64_t)SKED_AMOUNT_MAX) {
        what = "amount is out of range";
        fault.got = units->amount[i];
        fault.limit = SKED_AMOUNT_MAX;
    }
    fault.row = (int64_t)(row + i) + 1;
    return skedi_fail(err, SKED_ERR_RANGE, what, fault);
}

static unsigned width_of(uint64_t bits)
{
    return bits ? 64 - skedi_clz64(bits) : 0;
}

static skedi_u128 block_usage(const skedi_units *u, uint64_t most)
{
    uint64_t lengths = 0, amounts = 0, sum = 0;
    skedi_u128 wide = skedi_u128_of(0);

    for (size_t i = 0; i < u->n; i++) {
        lengths |= (uint64_t)u->length[i];
        amounts |= (uint64_t)u->amount[i];
    }
    if (width_of(lengths) + width_of(amounts) + 10 <= 64) {
        for (size_t i = 0; i < u->n; i++) {
            uint64_t a = (uint64_t)u->amount[i];
            sum += (a <= most ? a : 0) * (uint64_t)u->length[i];
        }
        return skedi_u128_of(sum);
    }
    for (size_t i = 0; i < u->n; i++) {
        uint64_t a = (uint64_t)u->amount[i];
        a = a <= most ? a : 0;
        wide = skedi_u128_add(wide, skedi_u128_mul(a, (uint64_t)u->length[i]));
    }
    return wide;
}

skedi_u128 skedi_units_usage(const skedi_units *units, uint64_t most)
{
    skedi_u128 sum = skedi_u128_of(0);

    for (size_t at = 0; at < units->n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(units, at);
        sum = skedi_u128_add(sum, block_usage(&block, most));
    }
    return sum;
}
