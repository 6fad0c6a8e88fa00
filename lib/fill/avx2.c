/*
 * The loops of fill/portable.c, four rows at a time, for x86-64 processors with
 * AVX2. AVX2 has no conversions between 64-bit integers and doubles. The
 * conversions here use the bits of 2^52 + x. Quotas from 2^49 on are left to
 * the plain loop.
 */
#include "fill/paths.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

typedef struct quads {
    __m256i lo;
    __m256i hi;
    __m256i weight;
} quads;

AVX2 static inline __m256i quads_set(int64_t x)
{
    return _mm256_set1_epi64x(x);
}

AVX2 static inline __m256i quads_min(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

AVX2 static inline __m256i quads_max(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

/* x from 0 to 2^63 - 1, in halves; rounded once. */
AVX2 static inline __m256d quads_double(__m256i x)
{
    const __m256i magic_low = _mm256_set1_epi64x(0x4330000000000000); /* 2^52 */
    const __m256i magic_high = _mm256_set1_epi64x(
        0x4530000000000000); /* 2^84 */
    const __m256d both = _mm256_set1_pd(19342813118337666422669312.0);
    __m256i low = _mm256_blend_epi32(x, magic_low, 0xaa);
    __m256i high = _mm256_or_si256(_mm256_srli_epi64(x, 32), magic_high);
    __m256d top = _mm256_sub_pd(_mm256_castsi256_pd(high), both);

    return _mm256_add_pd(top, _mm256_castsi256_pd(low));
}

/* x below 2^32. */
AVX2 static inline __m256d quads_small(__m256i x)
{
    const __m256d magic = _mm256_set1_pd(4503599627370496.0);

    x = _mm256_or_si256(x, _mm256_castpd_si256(magic));
    return _mm256_sub_pd(_mm256_castsi256_pd(x), magic);
}

/* x from 0 to 2^51, with an error of at most one. */
AVX2 static inline __m256i quads_integer(__m256d x)
{
    const __m256d magic = _mm256_set1_pd(4503599627370496.0);

    x = _mm256_add_pd(x, magic);
    return _mm256_xor_si256(_mm256_castpd_si256(x), _mm256_castpd_si256(magic));
}

/* The mask of the existing rows among the four from `i` on: all ones in a lane.
 */
AVX2 static inline __m256i quads_there(size_t n, size_t i)
{
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);

    return _mm256_cmpgt_epi64(quads_set((int64_t)(n - i)), lane);
}

/* Reads four amounts, or the last amounts. A masked access costs several times
 * more. */
AVX2 static inline __m256i quads_read(const int64_t *column, size_t n, size_t i)
{
    const __m256i *at = (const __m256i *)(const void *)(column + i);

    if (n - i >= 4) return _mm256_loadu_si256(at);
    return _mm256_maskload_epi64((const long long *)(const void *)at,
                                 quads_there(n, i));
}

AVX2 static inline void quads_write(int64_t *column, size_t n, size_t i,
                                    __m256i x)
{
    __m256i *at = (__m256i *)(void *)(column + i);

    if (n - i >= 4) {
        _mm256_storeu_si256(at, x);
    } else {
        _mm256_maskstore_epi64((long long *)(void *)at, quads_there(n, i), x);
    }
}

AVX2 static inline __m256i quads_weights(const uint32_t *weight, size_t n,
                                         size_t i)
{
    uint32_t last[4] = {0, 0, 0, 0};
    const void *at = weight + i;

    if (n - i < 4) {
        for (size_t k = 0; k < n - i; k++) last[k] = weight[i + k];
        at = last;
    }
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(at));
}

AVX2 static inline quads quads_load(const skedi_fill_in *in, size_t i)
{
    const __m256i zero = _mm256_setzero_si256();
    quads v;

    v.hi = quads_read(in->hi, in->n, i);
    v.lo = in->lo ? quads_read(in->lo, in->n, i) : zero;
    v.weight = in->weight ? quads_weights(in->weight, in->n, i) : quads_set(1);
    v.lo = quads_min(v.lo, v.hi);
    __m256i idle = _mm256_cmpeq_epi64(v.weight, zero);
    v.hi = _mm256_blendv_epi8(v.hi, v.lo, idle);
    return v;
}

AVX2 static double quads_total(__m256d x)
{
    double lanes[4];

    _mm256_storeu_pd(lanes, x);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

AVX2 static uint64_t quads_sum(__m256i x)
{
    uint64_t lanes[4];

    _mm256_storeu_si256((__m256i *)(void *)lanes, x);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

AVX2 static void use_avx2(const skedi_fill_in *in, double x, double *used,
                          double *slope)
{
    const __m256d level = _mm256_set1_pd(x);
    __m256d sum = _mm256_setzero_pd(), rising = sum;

    for (size_t i = 0; i < in->n; i += 4) {
        quads v = quads_load(in, i);
        __m256d lo = quads_double(v.lo), hi = quads_double(v.hi);
        __m256d weight = quads_small(v.weight);
        __m256d at = _mm256_mul_pd(weight, level);
        __m256d rises = _mm256_and_pd(_mm256_cmp_pd(at, lo, _CMP_GE_OQ),
                                      _mm256_cmp_pd(at, hi, _CMP_LT_OQ));
        at = _mm256_max_pd(_mm256_min_pd(at, hi), lo);
        sum = _mm256_add_pd(sum, at);
        rising = _mm256_add_pd(rising, _mm256_and_pd(rises, weight));
    }
    *used += quads_total(sum);
    *slope += quads_total(rising);
}

/* Sums modulo 2^64 and of the high halves: together the exact sum. */
typedef struct quad_sum {
    __m256i all;
    __m256i high;
} quad_sum;

AVX2 static inline void quad_sum_add(quad_sum *sum, __m256i x)
{
    sum->all = _mm256_add_epi64(sum->all, x);
    sum->high = _mm256_add_epi64(sum->high, _mm256_srli_epi64(x, 32));
}

AVX2 static inline void quad_sum_take(const quad_sum *sum, uint64_t halves[2])
{
    uint64_t high = quads_sum(sum->high);

    halves[0] += quads_sum(sum->all) - (high << 32);
    halves[1] += high;
}

AVX2 static void sort_avx2(const skedi_fill_in *in,
                           const skedi_fill_bracket *bracket,
                           skedi_fill_tally *tally)
{
    const __m256d to_low = _mm256_set1_pd(bracket->low);
    const __m256d to_high = _mm256_set1_pd(bracket->high);
    const __m256i zero = _mm256_setzero_si256();
    quad_sum fixed = {zero, zero}, los = fixed, his = fixed;
    __m256i slope = zero;

    for (size_t i = 0; i < in->n; i += 4) {
        quads v = quads_load(in, i);
        __m256d lo = quads_double(v.lo), hi = quads_double(v.hi);
        __m256d weight = quads_small(v.weight);
        __m256d low = _mm256_mul_pd(weight, to_low);
        __m256d high = _mm256_mul_pd(weight, to_high);

        __m256d pinned = _mm256_castsi256_pd(_mm256_cmpeq_epi64(v.lo, v.hi));
        __m256d no_lo = _mm256_castsi256_pd(_mm256_cmpeq_epi64(v.lo, zero));
        __m256d top = _mm256_or_pd(pinned, _mm256_cmp_pd(hi, low, _CMP_LT_OQ));
        __m256d bottom = _mm256_cmp_pd(lo, high, _CMP_GT_OQ);
        __m256d over = _mm256_or_pd(no_lo, _mm256_cmp_pd(lo, low, _CMP_LT_OQ));
        __m256d rises = _mm256_and_pd(over,
                                      _mm256_cmp_pd(hi, high, _CMP_GT_OQ));
        __m256d ends = _mm256_or_pd(top, bottom);
        rises = _mm256_andnot_pd(ends, rises);
        int sure = _mm256_movemask_pd(_mm256_or_pd(ends, rises));

        __m256i up = _mm256_castpd_si256(rises);
        __m256i held = _mm256_blendv_epi8(v.lo, v.hi, _mm256_castpd_si256(top));
        quad_sum_add(&fixed, _mm256_andnot_si256(up, held));
        quad_sum_add(&his, v.hi);
        if (in->lo) quad_sum_add(&los, v.lo);
        slope = _mm256_add_epi64(slope, _mm256_and_si256(up, v.weight));
        if (sure != 0xf) {
            skedi_fill_undecided(in, i, 0xf & ~(unsigned)sure, tally);
        }
    }
    quad_sum_take(&fixed, tally->fixed);
    quad_sum_take(&los, tally->lo);
    quad_sum_take(&his, tally->hi);
    tally->slope += quads_sum(slope);
}

/* a * b modulo 2^64, for a below 2^32. */
AVX2 static inline __m256i quads_scale(__m256i a, __m256i b)
{
    __m256i high = _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32));

    return _mm256_add_epi64(_mm256_mul_epu32(a, b),
                            _mm256_slli_epi64(high, 32));
}

/* a * b modulo 2^64. */
AVX2 static inline __m256i quads_mul(__m256i a, __m256i b)
{
    __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), b);

    return _mm256_add_epi64(quads_scale(a, b), _mm256_slli_epi64(high, 32));
}

/* The guessed quota, but no more than the cap plus 8. */
AVX2 static inline __m256d quads_guess(const skedi_fill_cut *cut,
                                       const quads *v)
{
    __m256d x = _mm256_mul_pd(quads_small(v->weight),
                              _mm256_set1_pd(cut->level));

    return _mm256_min_pd(x,
                         _mm256_add_pd(quads_double(v->hi), _mm256_set1_pd(8)));
}

/*
 * The quota and its remainder, 0 <= rem < den, of rows below their caps. For a
 * row above its cap, the quota is some value above the cap. The error of the
 * guess is less than two.
 */
AVX2 static inline __m256i quads_quota(const skedi_fill_cut *cut,
                                       const quads *v, __m256d x, __m256i *rem)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i den = quads_set((int64_t)cut->den);
    __m256i q = quads_integer(x);
    __m256i r = quads_scale(v->weight, quads_set((int64_t)cut->num));

    r = _mm256_sub_epi64(r, quads_mul(q, den));
    for (int k = 0; k < 2; k++) {
        __m256i under = _mm256_cmpgt_epi64(zero, r);
        q = _mm256_add_epi64(q, under);
        r = _mm256_add_epi64(r, _mm256_and_si256(under, den));
    }
    for (int k = 0; k < 2; k++) {
        __m256i within = _mm256_cmpgt_epi64(den, r);
        q = _mm256_add_epi64(q, _mm256_andnot_si256(within, quads_set(1)));
        r = _mm256_sub_epi64(r, _mm256_andnot_si256(within, den));
    }
    *rem = r;
    return q;
}

/* Notes the rows of the lanes in `mask`, with the sign of `off`. */
static void note_quads(skedi_fill_cut *cut, size_t from, int mask, int up)
{
    uint32_t *rows = cut->rows;
    size_t m = cut->m;

    for (int k = 0; k < 4; k++) {
        uint32_t served = (uint32_t)(up >> k & 1) << 31;
        rows[m] = (uint32_t)(from + (size_t)k) | served;
        m += (size_t)(mask >> k & 1);
    }
    cut->m = m;
}

AVX2 static inline int quads_mask(__m256i x)
{
    return _mm256_movemask_pd(_mm256_castsi256_pd(x));
}

/* Rounds four rows, or the last rows, in plain C; their sum is in the first
 * lane. */
AVX2 static __m256i round_few(const skedi_fill_in *in, size_t from,
                              skedi_fill_cut *cut, int64_t *share)
{
    skedi_fill_in few = *in;

    if (few.n - from > 4) few.n = from + 4;
    uint64_t sum = skedi_fill_round_rows(&few, from, cut, share);
    return _mm256_setr_epi64x((int64_t)sum, 0, 0, 0);
}

AVX2 static uint64_t round_avx2(const skedi_fill_in *in, skedi_fill_cut *cut,
                                int64_t *share)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i den = quads_set((int64_t)cut->den);
    const __m256d large = _mm256_set1_pd(562949953421312.0); /* 2^49 */
    const skedi_fill_cut fixed = *cut; /* a copy that no store can change */
    __m256i sum = zero;

    for (size_t i = 0; i < in->n; i += 4) {
        quads v = quads_load(in, i);
        int there = in->n - i >= 4 ? 15 : (1 << (in->n - i)) - 1;
        __m256d x = quads_guess(&fixed, &v);
        if (_mm256_movemask_pd(_mm256_cmp_pd(x, large, _CMP_GE_OQ))) {
            sum = _mm256_add_epi64(sum, round_few(in, i, cut, share));
            continue;
        }
        __m256i rem, q = quads_quota(&fixed, &v, x, &rem);
        __m256i off = _mm256_sub_epi64(_mm256_add_epi64(rem, rem),
                                       quads_set(fixed.cut));
        __m256i near = _mm256_mul_epu32(v.weight, quads_set(fixed.slope));
        near = _mm256_add_epi64(near, quads_set(fixed.base));

        __m256i down = _mm256_cmpgt_epi64(zero, off);
        __m256i size = _mm256_sub_epi64(_mm256_xor_si256(off, down), down);
        __m256i far = _mm256_cmpgt_epi64(size, near);
        __m256i few = _mm256_cmpgt_epi64(den, near);
        __m256i outside = _mm256_or_si256(_mm256_cmpgt_epi64(v.lo, q),
                                          _mm256_cmpgt_epi64(q, v.hi));
        outside = _mm256_or_si256(outside, _mm256_cmpeq_epi64(q, v.hi));
        far = _mm256_or_si256(far, _mm256_and_si256(few, outside));
        int edge = ~quads_mask(far) & there;
        if (edge) note_quads(cut, i, edge, ~quads_mask(down));

        q = _mm256_add_epi64(q, _mm256_andnot_si256(down, quads_set(1)));
        q = quads_max(quads_min(q, v.hi), v.lo);
        quads_write(share, in->n, i, q);
        sum = _mm256_add_epi64(sum, q);
    }
    return quads_sum(sum);
}

const skedi_fill_kernel *skedi_fill_kernel_avx2(void)
{
    static const skedi_fill_kernel kernel = {use_avx2, sort_avx2, round_avx2};

    return __builtin_cpu_supports("avx2") ? &kernel : NULL;
}

#else

const skedi_fill_kernel *skedi_fill_kernel_avx2(void)
{
    return NULL;
}

#endif
