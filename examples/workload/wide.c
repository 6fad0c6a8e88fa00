/* Long multiplication and division in halves of words: used a few times a
 * run, and easy to follow. */
#include "wide.h"

#include <string.h>

wide wide_of(uint64_t low, uint64_t high)
{
    return (wide){{low, high, 0}};
}

wide wide_sum(wide a, wide b)
{
    wide sum;
    uint64_t carry = 0;

    for (int i = 0; i < 3; i++) {
        uint64_t part = a.word[i] + carry;
        carry = part < carry;
        sum.word[i] = part + b.word[i];
        carry += sum.word[i] < part;
    }
    return sum;
}

/* The product of two words, `*high` above the result. */
static uint64_t product(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
    uint64_t low = a0 * b1 + (uint32_t)mid;

    *high = a1 * b1 + (mid >> 32) + (low >> 32);
    return low << 32 | (uint32_t)(a0 * b0);
}

wide wide_times(wide a, uint64_t by)
{
    wide all = {{0, 0, 0}}, part = {{0, 0, 0}};

    for (int i = 0; i < 3; i++) {
        uint64_t high;
        part = (wide){{0, 0, 0}};
        part.word[i] = product(a.word[i], by, &high);
        if (i < 2) part.word[i + 1] = high;
        all = wide_sum(all, part);
    }
    return all;
}

/* a / by in place; the remainder. A bit at a time. */
static uint64_t divide(wide *a, uint64_t by)
{
    uint64_t rem = 0;
    wide q = {{0, 0, 0}};

    for (int bit = 191; bit >= 0; bit--) {
        uint64_t top = rem >> 63;
        rem = rem << 1 | (a->word[bit / 64] >> (bit % 64) & 1);
        if (!top && rem < by) continue;
        rem -= by;
        q.word[bit / 64] |= (uint64_t)1 << (bit % 64);
    }
    *a = q;
    return rem;
}

wide wide_divide_up(wide a, uint64_t by)
{
    uint64_t rem = divide(&a, by);

    return rem ? wide_sum(a, wide_of(1, 0)) : a;
}

int wide_compare(wide a, wide b)
{
    for (int i = 2; i >= 0; i--) {
        if (a.word[i] != b.word[i]) return a.word[i] < b.word[i] ? -1 : 1;
    }
    return 0;
}

char *wide_text(wide a, char *text)
{
    char digits[WIDE_TEXT];
    size_t n = sizeof digits;

    digits[--n] = 0;
    do {
        digits[--n] = (char)('0' + divide(&a, 10));
    } while (a.word[0] || a.word[1] || a.word[2]);
    memcpy(text, digits + n, sizeof digits - n);
    return text;
}
