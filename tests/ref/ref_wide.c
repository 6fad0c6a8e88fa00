#include "ref_wide.h"

ref_wide ref_wide_of(uint64_t x)
{
    return (ref_wide){{(uint32_t)x, (uint32_t)(x >> 32)}};
}

ref_wide ref_wide_add(ref_wide a, ref_wide b)
{
    uint64_t carry = 0;

    for (unsigned i = 0; i < 8; i++) {
        carry += (uint64_t)a.digit[i] + b.digit[i];
        a.digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static ref_wide times_digit(ref_wide a, uint32_t b)
{
    uint64_t carry = 0;

    for (unsigned i = 0; i < 8; i++) {
        carry += (uint64_t)a.digit[i] * b;
        a.digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

ref_wide ref_wide_shift(ref_wide a, unsigned bits)
{
    for (; bits >= 32; bits -= 32) {
        for (unsigned i = 7; i > 0; i--) a.digit[i] = a.digit[i - 1];
        a.digit[0] = 0;
    }
    for (; bits > 0; bits--) a = ref_wide_add(a, a);
    return a;
}

ref_wide ref_wide_mul(ref_wide a, uint64_t b)
{
    ref_wide upper = times_digit(a, (uint32_t)(b >> 32));

    return ref_wide_add(times_digit(a, (uint32_t)b), ref_wide_shift(upper, 32));
}

int ref_wide_cmp(ref_wide a, ref_wide b)
{
    for (unsigned i = 8; i-- > 0;) {
        if (a.digit[i] != b.digit[i]) return a.digit[i] < b.digit[i] ? -1 : 1;
    }
    return 0;
}

ref_wide ref_wide_minus(ref_wide a, ref_wide b)
{
    uint64_t borrow = 0;

    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = (uint64_t)a.digit[i] - b.digit[i] - borrow;
        a.digit[i] = (uint32_t)x;
        borrow = x >> 63;
    }
    return a;
}

/* Both small enough for one digit of 64 bits to be left. */
static ref_wide divide_short(ref_wide a, uint64_t b, ref_wide *rem)
{
    ref_wide quotient = {{0}};
    uint64_t left = 0;

    for (unsigned i = 128; i-- > 0;) {
        left = left << 1 | (a.digit[i / 32] >> i % 32 & 1);
        if (left < b) continue;
        left -= b;
        quotient.digit[i / 32] |= UINT32_C(1) << i % 32;
    }
    *rem = ref_wide_of(left);
    return quotient;
}

static ref_wide divide(ref_wide a, ref_wide b, ref_wide *rem)
{
    const ref_wide all = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};

    if (ref_wide_cmp(a, all) <= 0 &&
        ref_wide_cmp(b, ref_wide_of(UINT64_MAX / 2)) <= 0) {
        return divide_short(a, ref_wide_word(b, 0), rem);
    }
    ref_wide quotient = {{0}};

    unsigned bits = 256;

    *rem = quotient;
    while (bits > 0 && a.digit[bits / 32 - 1] == 0) bits -= 32;
    for (unsigned i = bits; i-- > 0;) {
        *rem = ref_wide_shift(*rem, 1);
        rem->digit[0] |= a.digit[i / 32] >> i % 32 & 1;
        quotient = ref_wide_shift(quotient, 1);
        if (ref_wide_cmp(*rem, b) < 0) continue;
        *rem = ref_wide_minus(*rem, b);
        quotient.digit[0] |= 1;
    }
    return quotient;
}

ref_wide ref_wide_div(ref_wide a, ref_wide b)
{
    ref_wide rem;

    return divide(a, b, &rem);
}

ref_wide ref_wide_mod(ref_wide a, ref_wide b)
{
    ref_wide rem;

    (void)divide(a, b, &rem);
    return rem;
}

uint64_t ref_wide_word(ref_wide a, unsigned word)
{
    return a.digit[2 * word] | (uint64_t)a.digit[2 * word + 1] << 32;
}
