/*
 * The loops of fill/portable.c, eight rows at a time, for x86-64 processors
 * with AVX-512. The comparisons, guard bands and corrections are the same. A
 * mask loads the last rows: a missing row reads as all zeros and adds nothing.
 */
#include "fill/paths.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX512                                                                 \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,popcnt")))

typedef struct lanes {
    __m512i lo;
    __m512i hi;
    __m512i weight;
    __mmask8 pinned;
} lanes;

/* The mask of the existing rows among the eight from `i` on. */
AVX512 static inline __mmask8 lanes_mask(size_t n, size_t i)
{
    return (__mmask8)(n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
}

AVX512 static inline lanes lanes_load(const skedi_fill_in *in, size_t i)
{
    __mmask8 mask = lanes_mask(in->n, i);
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    lanes v;

    v.hi = _mm512_maskz_loadu_epi64(mask, in->hi + i);
    v.lo = in->lo ? _mm512_maskz_loadu_epi64(mask, in->lo + i) : zero;
    v.weight = in->weight ? _mm512_cvtepu32_epi64(
                                _mm256_maskz_loadu_epi32(mask, in->weight + i))
                          : one;
    v.lo = _mm512_min_epi64(v.lo, v.hi);
    __mmask8 idle = _mm512_cmpeq_epi64_mask(v.weight, zero);
    v.hi = _mm512_mask_mov_epi64(v.hi, idle, v.lo);
    v.pinned = _mm512_cmpeq_epi64_mask(v.hi, v.lo);
    return v;
}

/* The sum of the lanes modulo 2^64. The compiler's own function adds signed
 * numbers. */
AVX512 static inline uint64_t lanes_sum(__m512i x)
{
    uint64_t lane[8], sum = 0;

    _mm512_storeu_si512(lane, x);
    for (int k = 0; k < 8; k++) sum += lane[k];
    return sum;
}

AVX512 static void use_avx512(const skedi_fill_in *in, double x, double *used,
                              double *slope)
{
    const __m512d level = _mm512_set1_pd(x);
    __m512d sum = _mm512_setzero_pd(), rising = sum;

    for (size_t i = 0; i < in->n; i += 8) {
        lanes v = lanes_load(in, i);
        __m512d lo = _mm512_cvtepi64_pd(v.lo), hi = _mm512_cvtepi64_pd(v.hi);
        __m512d weight = _mm512_cvtepi64_pd(v.weight);
        __m512d at = _mm512_mul_pd(weight, level);
        __mmask8 rises = _mm512_cmp_pd_mask(at, lo, _CMP_GE_OQ);
        rises = _mm512_mask_cmp_pd_mask(rises, at, hi, _CMP_LT_OQ);
        at = _mm512_max_pd(_mm512_min_pd(at, hi), lo);
        sum = _mm512_add_pd(sum, at);
        rising = _mm512_mask_add_pd(rising, rises, rising, weight);
    }
    *used += _mm512_reduce_add_pd(sum);
    *slope += _mm512_reduce_add_pd(rising);
}

/* Sums modulo 2^64 and of the high halves: together the exact sum. */
typedef struct lane_sum {
    __m512i all;
    __m512i high;
} lane_sum;

AVX512 static inline void lane_sum_add(lane_sum *sum, __m512i x)
{
    sum->all = _mm512_add_epi64(sum->all, x);
    sum->high = _mm512_add_epi64(sum->high, _mm512_srli_epi64(x, 32));
}

AVX512 static inline void lane_sum_take(const lane_sum *sum, uint64_t halves[2])
{
    uint64_t all = lanes_sum(sum->all);
    uint64_t high = lanes_sum(sum->high);

    halves[0] += all - (high << 32);
    halves[1] += high;
}

AVX512 static void sort_avx512(const skedi_fill_in *in,
                               const skedi_fill_bracket *bracket,
                               skedi_fill_tally *tally)
{
    const __m512d to_low = _mm512_set1_pd(bracket->low);
    const __m512d to_high = _mm512_set1_pd(bracket->high);
    const __m512i zero = _mm512_setzero_si512();
    lane_sum fixed = {zero, zero}, los = fixed, his = fixed;
    __m512i slope = zero;

    for (size_t i = 0; i < in->n; i += 8) {
        lanes v = lanes_load(in, i);
        __m512d lo = _mm512_cvtepi64_pd(v.lo), hi = _mm512_cvtepi64_pd(v.hi);
        __m512d weight = _mm512_cvtepi64_pd(v.weight);
        __m512d low = _mm512_mul_pd(weight, to_low);
        __m512d high = _mm512_mul_pd(weight, to_high);

        unsigned top = _mm512_cmp_pd_mask(hi, low, _CMP_LT_OQ) | v.pinned;
        unsigned bottom = _mm512_cmp_pd_mask(lo, high, _CMP_GT_OQ) & ~top;
        unsigned under = _mm512_cmp_pd_mask(hi, high, _CMP_GT_OQ);
        unsigned over = _mm512_cmp_pd_mask(lo, low, _CMP_LT_OQ) |
                        _mm512_cmpeq_epi64_mask(v.lo, zero);
        unsigned rises = under & over & ~(top | bottom);
        unsigned rest = 0xff & ~(top | bottom | rises);

        __m512i held = _mm512_mask_mov_epi64(v.lo, (__mmask8)top, v.hi);
        held = _mm512_maskz_mov_epi64((__mmask8)~rises, held);
        lane_sum_add(&fixed, held);
        lane_sum_add(&his, v.hi);
        if (in->lo) lane_sum_add(&los, v.lo);
        slope = _mm512_mask_add_epi64(slope, (__mmask8)rises, slope, v.weight);
        if (rest) skedi_fill_undecided(in, i, rest, tally);
    }
    lane_sum_take(&fixed, tally->fixed);
    lane_sum_take(&los, tally->lo);
    lane_sum_take(&his, tally->hi);
    tally->slope += lanes_sum(slope);
}

typedef struct lane_cut {
    __m512i num;
    __m512i den;
    __m512d level;
    __m512d inverse;
    __m512i cut;
    __m512i base;
    __m512i slope;
} lane_cut;

AVX512 static inline lane_cut lane_cut_of(const skedi_fill_cut *cut)
{
    return (lane_cut){
        .num = _mm512_set1_epi64((int64_t)cut->num),
        .den = _mm512_set1_epi64((int64_t)cut->den),
        .level = _mm512_set1_pd(cut->level),
        .inverse = _mm512_set1_pd(cut->inverse),
        .cut = _mm512_set1_epi64(cut->cut),
        .base = _mm512_set1_epi64(cut->base),
        .slope = _mm512_set1_epi64(cut->slope),
    };
}

/* The quota of x = weight * num / den and its remainder, 0 <= rem < den. */
AVX512 static inline __m512i lanes_quota(const lane_cut *cut, __m512d x,
                                         __m512i weight, __m512i *rem)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    __m512i q = _mm512_cvttpd_epi64(x);
    __m512i r = _mm512_sub_epi64(_mm512_mullo_epi64(weight, cut->num),
                                 _mm512_mullo_epi64(q, cut->den));
    __m512i by = _mm512_cvttpd_epi64(
        _mm512_mul_pd(_mm512_cvtepi64_pd(r), cut->inverse));

    q = _mm512_add_epi64(q, by);
    r = _mm512_sub_epi64(r, _mm512_mullo_epi64(by, cut->den));
    __mmask8 under = _mm512_cmplt_epi64_mask(r, zero);
    q = _mm512_mask_sub_epi64(q, under, q, one);
    r = _mm512_mask_add_epi64(r, under, r, cut->den);
    __mmask8 over = _mm512_cmpge_epi64_mask(r, cut->den);
    q = _mm512_mask_add_epi64(q, over, q, one);
    *rem = _mm512_mask_sub_epi64(r, over, r, cut->den);
    return q;
}

/* Notes the rows in `mask`. The store always writes eight words; only the words
 * of noted rows count. */
AVX512 static inline void note_rows(skedi_fill_cut *cut, __m512i rows,
                                    __mmask8 mask, __mmask8 up)
{
    const __m512i served = _mm512_set1_epi64(SKEDI_FILL_SERVED);
    __m512i notes = _mm512_mask_or_epi64(rows, up, rows, served);
    __m256i words = _mm512_cvtepi64_epi32(
        _mm512_maskz_compress_epi64(mask, notes));

    _mm256_storeu_si256((__m256i *)(void *)(cut->rows + cut->m), words);
    cut->m += (size_t)__builtin_popcount(mask);
}

/* Selects the rows in `edge` whose unit at the edge lies between their bounds.
 */
AVX512 static inline __mmask8 lanes_inside(const lane_cut *cut, const lanes *v,
                                           __mmask8 edge, __m512i q,
                                           __m512i near)
{
    __mmask8 inside = _mm512_mask_cmpge_epi64_mask(edge, q, v->lo);
    inside = _mm512_mask_cmplt_epi64_mask(inside, q, v->hi);

    return inside | _mm512_mask_cmpge_epi64_mask(edge, near, cut->den);
}

AVX512 static uint64_t round_avx512(const skedi_fill_in *in,
                                    skedi_fill_cut *cut, int64_t *share)
{
    const lane_cut c = lane_cut_of(cut);
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    const __m512d band = _mm512_set1_pd(1.000000000001);
    const __m512d two = _mm512_set1_pd(2);
    const __m512i eight = _mm512_set1_epi64(8);
    __m512i sum = zero, rows = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);

    for (size_t i = 0; i < in->n; i += 8) {
        __mmask8 mask = lanes_mask(in->n, i);
        lanes v = lanes_load(in, i);
        __m512d x = _mm512_mul_pd(_mm512_cvtepi64_pd(v.weight), c.level);
        __m512d cap = _mm512_fmadd_pd(_mm512_cvtepi64_pd(v.hi), band, two);
        __mmask8 below = _mm512_mask_cmp_pd_mask(mask, x, cap, _CMP_LE_OQ);

        __m512i rem, q = lanes_quota(&c, x, v.weight, &rem);
        __m512i off = _mm512_sub_epi64(_mm512_add_epi64(rem, rem), c.cut);
        __m512i near = _mm512_mul_epu32(v.weight, c.slope);
        near = _mm512_add_epi64(near, c.base);
        __mmask8 edge = _mm512_mask_cmple_epi64_mask(
            below & (__mmask8)~v.pinned, _mm512_abs_epi64(off), near);
        __mmask8 up = _mm512_cmpge_epi64_mask(off, zero);
        note_rows(cut, rows, lanes_inside(&c, &v, edge, q, near), up);
        rows = _mm512_add_epi64(rows, eight);
        q = _mm512_mask_add_epi64(q, up, q, one);
        q = _mm512_max_epi64(_mm512_min_epi64(q, v.hi), v.lo);
        q = _mm512_mask_mov_epi64(v.hi, below, q);
        _mm512_mask_storeu_epi64(share + i, mask, q);
        sum = _mm512_add_epi64(sum, q);
    }
    return lanes_sum(sum);
}

const skedi_fill_kernel *skedi_fill_kernel_avx512(void)
{
    static const skedi_fill_kernel kernel = {use_avx512, sort_avx512,
                                             round_avx512};
    int has = __builtin_cpu_supports("avx512f") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512bw");

    return has ? &kernel : NULL;
}

#else

const skedi_fill_kernel *skedi_fill_kernel_avx512(void)
{
    return NULL;
}

#endif
