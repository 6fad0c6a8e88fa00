/* The table of arith_ops.h over whichever arithmetic the includer chose. */
#include "arith_ops.h"

#include "base/arith.h"

static skedi_u128 in(two_words x)
{
    return skedi_u128_make(x.high, x.low);
}

static two_words out(skedi_u128 x)
{
    return (two_words){skedi_u128_high(x), skedi_u128_low(x)};
}

/* Signed values travel as two's complement, built from what must fit. */
static skedi_i128 signed_in(two_words x)
{
    if (x.high >> 63 == 0) return skedi_i128_of_u128(in(x));
    skedi_u128 below = skedi_u128_make(~x.high, ~x.low); /* -x - 1 */
    return skedi_i128_sub(skedi_i128_negate(skedi_i128_of_u128(below)),
                          skedi_i128_of(1));
}

static two_words signed_out(skedi_i128 x)
{
    two_words size = out(skedi_i128_magnitude(x));

    if (skedi_i128_sign(x) >= 0) return size;
    size.low = 0 - size.low;
    size.high = ~size.high + (size.low == 0);
    return size;
}

static two_words op_mul(uint64_t a, uint64_t b)
{
    return out(skedi_u128_mul(a, b));
}

static two_words op_scale(two_words a, uint64_t b)
{
    return out(skedi_u128_scale(in(a), b));
}

static two_words op_add(two_words a, two_words b)
{
    return out(skedi_u128_add(in(a), in(b)));
}

static two_words op_sub(two_words a, two_words b)
{
    return out(skedi_u128_sub(in(a), in(b)));
}

static two_words op_shl(two_words a, unsigned by)
{
    return out(skedi_u128_shl(in(a), by));
}

static two_words op_shr(two_words a, unsigned by)
{
    return out(skedi_u128_shr(in(a), by));
}

static int op_cmp(two_words a, two_words b)
{
    return skedi_u128_cmp(in(a), in(b));
}

static wide_quotient op_div(two_words a, uint64_t b)
{
    wide_quotient x = {0};

    x.quotient = out(skedi_u128_div(in(a), b, &x.rem.low));
    return x;
}

static wide_quotient op_div_wide(two_words a, two_words b)
{
    wide_quotient x;
    skedi_u128 rem;

    x.quotient = out(skedi_u128_div_wide(in(a), in(b), &rem));
    x.rem = out(rem);
    return x;
}

static two_words op_i_of(int64_t a)
{
    return signed_out(skedi_i128_of(a));
}

static two_words op_i_add(two_words a, two_words b)
{
    return signed_out(skedi_i128_add(signed_in(a), signed_in(b)));
}

static two_words op_i_sub(two_words a, two_words b)
{
    return signed_out(skedi_i128_sub(signed_in(a), signed_in(b)));
}

static two_words op_i_scale(two_words a, int64_t b)
{
    return signed_out(skedi_i128_scale(signed_in(a), b));
}

static two_words op_i_negate(two_words a)
{
    return signed_out(skedi_i128_negate(signed_in(a)));
}

static two_words op_i_magnitude(two_words a)
{
    return out(skedi_i128_magnitude(signed_in(a)));
}

static int op_i_sign(two_words a)
{
    return skedi_i128_sign(signed_in(a));
}

static int op_i_cmp(two_words a, two_words b)
{
    return skedi_i128_cmp(signed_in(a), signed_in(b));
}

static int64_t op_i_low(two_words a)
{
    return skedi_i128_low(signed_in(a));
}

static uint64_t op_muldiv(uint64_t n, uint64_t num, uint64_t den, uint64_t *rem)
{
    return skedi_muldiv(n, num, den, rem);
}

static int op_cmp_mul(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return skedi_cmp_mul(a, b, c, d);
}

static int op_cmp_mul3(const uint64_t a[3], const uint64_t b[3])
{
    return skedi_cmp_mul3(a, b);
}

static skedi_u192 in_192(const uint64_t x[3])
{
    return (skedi_u192){skedi_u128_make(x[0], x[1]), x[2]};
}

static void out_192(skedi_u192 x, uint64_t words[3])
{
    words[0] = skedi_u128_high(x.high);
    words[1] = skedi_u128_low(x.high);
    words[2] = x.low;
}

static void op_mul_192(two_words a, uint64_t b, uint64_t words[3])
{
    out_192(skedi_u192_mul(in(a), b), words);
}

static void op_add_192(const uint64_t a[3], const uint64_t b[3],
                       uint64_t words[3])
{
    out_192(skedi_u192_add(in_192(a), in_192(b)), words);
}

static void op_sub_192(const uint64_t a[3], const uint64_t b[3],
                       uint64_t words[3])
{
    out_192(skedi_u192_sub(in_192(a), in_192(b)), words);
}

static int op_checked_mul(int64_t a, int64_t b, int64_t *product)
{
    return skedi_i64_mul(a, b, product);
}

static unsigned op_clz(uint64_t x)
{
    return skedi_clz64(x);
}

static unsigned op_ctz(uint64_t x)
{
    return skedi_ctz64(x);
}

#define ARITH_OPS                                                              \
    {                                                                          \
        .native = SKEDI_INT128, .mul = op_mul, .scale = op_scale,              \
        .add = op_add, .sub = op_sub, .shl = op_shl, .shr = op_shr,            \
        .cmp = op_cmp, .div = op_div, .div_wide = op_div_wide,                 \
        .i_of = op_i_of, .i_add = op_i_add, .i_sub = op_i_sub,                 \
        .i_scale = op_i_scale, .i_negate = op_i_negate,                        \
        .i_magnitude = op_i_magnitude, .i_sign = op_i_sign, .i_cmp = op_i_cmp, \
        .i_low = op_i_low, .muldiv = op_muldiv, .cmp_mul = op_cmp_mul,         \
        .cmp_mul3 = op_cmp_mul3, .mul_192 = op_mul_192, .add_192 = op_add_192, \
        .sub_192 = op_sub_192, .checked_mul = op_checked_mul, .clz = op_clz,   \
        .ctz = op_ctz,                                                         \
    }
