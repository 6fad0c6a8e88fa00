#ifndef REF_WIDE_H
#define REF_WIDE_H

#include <stdint.h>

/*
 * Whole numbers of 256 bits, as slowly as they are taught in school: digit by
 * digit, bit by bit. For twins that must not share arithmetic with the
 * library. Results must fit.
 */
typedef struct ref_wide {
    uint32_t digit[8]; /* least first */
} ref_wide;

ref_wide ref_wide_of(uint64_t x);
ref_wide ref_wide_add(ref_wide a, ref_wide b);
ref_wide ref_wide_minus(ref_wide a, ref_wide b);
ref_wide ref_wide_mul(ref_wide a, uint64_t b);
ref_wide ref_wide_shift(ref_wide a, unsigned bits); /* left */
int ref_wide_cmp(ref_wide a, ref_wide b);

/* floor(a / b), and what is left; b is not 0. */
ref_wide ref_wide_div(ref_wide a, ref_wide b);
ref_wide ref_wide_mod(ref_wide a, ref_wide b);

/* 64 bits from bit 64 * word on. */
uint64_t ref_wide_word(ref_wide a, unsigned word);

#endif
