#ifndef TEST_WORDS_H
#define TEST_WORDS_H

#include <stdint.h>

/* Random words for tests, apart from the library's own generator. */
typedef struct test_words {
    uint64_t state;
} test_words;

static inline uint64_t test_word(test_words *w)
{
    uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 to n - 1; the slight bias does not matter to a test. */
static inline uint64_t test_below(test_words *w, uint64_t n)
{
    return test_word(w) % n;
}

/* Of any length from 0 to 64 bits, often all ones or nearly a power of two. */
static inline uint64_t test_rough(test_words *w)
{
    uint64_t word = test_word(w), shape = test_word(w);
    unsigned bits = (unsigned)(shape % 65);
    uint64_t mask = bits == 0 ? 0 : UINT64_MAX >> (64 - bits);

    switch (shape >> 32 & 7) {
    case 0: return mask;
    case 1: return mask + 1;
    case 2: return mask - 1;
    default: return word & mask;
    }
}

#endif
