#ifndef SKEDI_BASE_MARKS_H
#define SKEDI_BASE_MARKS_H

/*
 * A bitmap set of numbers that can be walked in order, in both directions: a
 * bit for each number, and a summary bit for each word that is not 0.
 */

#include "base/bits.h"
#include "base/mem.h"

#define SKEDI_MARKS_END UINT32_MAX

typedef struct skedi_marks {
    uint64_t *word;
    uint64_t *summary;
    size_t cap; /* numbers that fit into memory */
} skedi_marks;

static inline size_t skedi_marks_words(size_t n)
{
    return n / 64 + 1;
}

/* Reserves memory for numbers up to `cap` and keeps the set. Returns 0 without
 * memory; the set is then unchanged. */
int skedi_marks_reserve(skedi_mem *mem, skedi_marks *marks, size_t cap);

void skedi_marks_free(skedi_mem *mem, skedi_marks *marks);

static inline void skedi_marks_add(skedi_marks *marks, uint32_t i)
{
    marks->word[i / 64] |= (uint64_t)1 << i % 64;
    marks->summary[i / 4096] |= (uint64_t)1 << i / 64 % 64;
}

static inline void skedi_marks_drop(skedi_marks *marks, uint32_t i)
{
    uint64_t *word = &marks->word[i / 64];

    *word &= ~((uint64_t)1 << i % 64);
    if (*word == 0) marks->summary[i / 4096] &= ~((uint64_t)1 << i / 64 % 64);
}

/* The least number of the set at or above `from`, which is at most `cap`.
 * SKEDI_MARKS_END: none. */
uint32_t skedi_marks_from(const skedi_marks *marks, uint32_t from);

/* The least number in the set, or SKEDI_MARKS_END. */
static inline uint32_t skedi_marks_first(const skedi_marks *marks)
{
    return skedi_marks_from(marks, 0);
}

/* The greatest number in the set, or SKEDI_MARKS_END. */
static inline uint32_t skedi_marks_last(const skedi_marks *marks)
{
    for (size_t s = skedi_marks_words(marks->cap / 64); s-- > 0;) {
        if (marks->summary[s] == 0) continue;
        uint32_t w = (uint32_t)s * 64 + 63 - skedi_clz64(marks->summary[s]);
        return w * 64 + 63 - skedi_clz64(marks->word[w]);
    }
    return SKEDI_MARKS_END;
}

#endif
