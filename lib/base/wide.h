#ifndef SKEDI_WIDE_H
#define SKEDI_WIDE_H

/* 128-bit sums of amount times duration: conversion between the public struct
 * and the internal type. */

#include "base/arith.h"

static inline sked_wide skedi_wide_of(skedi_u128 x)
{
    sked_wide wide = {skedi_u128_high(x), skedi_u128_low(x)};

    return wide;
}

static inline skedi_u128 skedi_wide_in(sked_wide wide)
{
    return skedi_u128_make(wide.high, wide.low);
}

/* Adds to a sum, modulo 2^128. Returns 0 on overflow. */
static inline int skedi_wide_add(skedi_u128 *sum, sked_wide more)
{
    skedi_u128 x = skedi_wide_in(more);

    *sum = skedi_u128_add(*sum, x);
    return skedi_u128_cmp(*sum, x) >= 0;
}

#endif
