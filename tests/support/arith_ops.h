#ifndef TEST_ARITH_OPS_H
#define TEST_ARITH_OPS_H

#include <stdint.h>

/* 128 bits as a test holds them, whatever the library uses inside. */
typedef struct two_words {
    uint64_t high;
    uint64_t low;
} two_words;

typedef struct wide_quotient {
    two_words quotient;
    two_words rem;
} wide_quotient;

/* One build of base/arith.h behind pointers, so that two can be compared. */
typedef struct arith_ops {
    int native; /* over the compiler's own 128-bit type */
    two_words (*mul)(uint64_t a, uint64_t b);
    two_words (*scale)(two_words a, uint64_t b);
    two_words (*add)(two_words a, two_words b);
    two_words (*sub)(two_words a, two_words b);
    two_words (*shl)(two_words a, unsigned by);
    two_words (*shr)(two_words a, unsigned by);
    int (*cmp)(two_words a, two_words b);
    wide_quotient (*div)(two_words a, uint64_t b);
    wide_quotient (*div_wide)(two_words a, two_words b);

    two_words (*i_of)(int64_t a);
    two_words (*i_add)(two_words a, two_words b);
    two_words (*i_sub)(two_words a, two_words b);
    two_words (*i_scale)(two_words a, int64_t b);
    two_words (*i_negate)(two_words a);
    two_words (*i_magnitude)(two_words a);
    int (*i_sign)(two_words a);
    int (*i_cmp)(two_words a, two_words b);
    int64_t (*i_low)(two_words a);

    uint64_t (*muldiv)(uint64_t n, uint64_t num, uint64_t den, uint64_t *rem);
    int (*cmp_mul)(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
    int (*cmp_mul3)(const uint64_t a[3], const uint64_t b[3]);
    void (*mul_192)(two_words a, uint64_t b, uint64_t out[3]);
    void (*add_192)(const uint64_t a[3], const uint64_t b[3], uint64_t out[3]);
    void (*sub_192)(const uint64_t a[3], const uint64_t b[3], uint64_t out[3]);
    int (*checked_mul)(int64_t a, int64_t b, int64_t *out);
    unsigned (*clz)(uint64_t x);
    unsigned (*ctz)(uint64_t x);
} arith_ops;

extern const arith_ops arith_default; /* what this machine's library uses */
extern const arith_ops arith_pairs;   /* pairs of words, plain bit scans */

#endif
