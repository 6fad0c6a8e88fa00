/*
 * Exponential decay in integers. Let elapsed / half_life = n + t / 2^32. The
 * amount is multiplied by 2^(-2^-k) for each set bit k of t, from the top, and
 * shifted right by n. The 32 factors are 64-bit constants, rounded down, and
 * every product is rounded down. The error is below 33 units of 2^-64 of the
 * amount, plus the rounding to whole units after each factor. The result is
 * equal on every machine.
 */
#include "base/decay.h"

#include "base/arith.h"

/* floor(2^(64 - 2^-k)) for k = 1 to 32; tests/unit/base/decay_test.c derives
 * them anew by square roots. */
static const uint64_t decay_factor[32] = {
    UINT64_C(0xb504f333f9de6484), UINT64_C(0xd744fccad69d6af4),
    UINT64_C(0xeac0c6e7dd24392e), UINT64_C(0xf5257d152486cc2c),
    UINT64_C(0xfa83b2db722a033a), UINT64_C(0xfd3e0c0cf486c174),
    UINT64_C(0xfe9e115c7b8f884b), UINT64_C(0xff4ecb59511ec8a5),
    UINT64_C(0xffa756521c8daed1), UINT64_C(0xffd3a751c0f7e10b),
    UINT64_C(0xffe9d2b2f7db2755), UINT64_C(0xfff4e91bff1b8c3d),
    UINT64_C(0xfffa747ea0040664), UINT64_C(0xfffd3a3b7814eb53),
    UINT64_C(0xfffe9d1cc60ddab1), UINT64_C(0xffff4e8e25879bfa),
    UINT64_C(0xffffa7470363f451), UINT64_C(0xffffd3a37dda0313),
    UINT64_C(0xffffe9d1bdf703ae), UINT64_C(0xfffff4e8debe025e),
    UINT64_C(0xfffffa746f4fa150), UINT64_C(0xfffffd3a37a3f8b0),
    UINT64_C(0xfffffe9d1bd1065a), UINT64_C(0xffffff4e8de845ad),
    UINT64_C(0xffffffa746f41376), UINT64_C(0xffffffd3a37a05e3),
    UINT64_C(0xffffffe9d1bd01fb), UINT64_C(0xfffffff4e8de80c0),
    UINT64_C(0xfffffffa746f4050), UINT64_C(0xfffffffd3a37a024),
    UINT64_C(0xfffffffe9d1bd011), UINT64_C(0xffffffff4e8de808),
};

skedi_decay skedi_decay_over(int64_t elapsed, int64_t half_life)
{
    uint64_t half = (uint64_t)half_life, unused;
    uint64_t rest = (uint64_t)elapsed % half;
    skedi_decay decay = {
        .halvings = (uint64_t)elapsed / half,
        .fraction = (uint32_t)skedi_muldiv(rest, (uint64_t)1 << 32, half,
                                           &unused),
    };

    return decay;
}

uint64_t skedi_decay_of(skedi_decay decay, uint64_t amount)
{
    if (decay.halvings > 63) return 0;
    for (uint32_t left = decay.fraction; left != 0;) {
        unsigned k = skedi_clz64(left) - 32; /* bit 31 is 2^-1 */
        amount = skedi_u128_high(skedi_u128_mul(amount, decay_factor[k]));
        left -= (uint32_t)1 << (31 - k);
    }
    return amount >> decay.halvings;
}
