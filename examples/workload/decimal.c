/*
 * A number is a list of digits and the position of the point. A scale moves the
 * point: digits before the point are kept, and digits after the point only
 * round. The value is therefore exact for any length of the fraction and any
 * exponent.
 */
#include "decimal.h"

#include <string.h>

enum { MAX_EXPONENT = 100000 };

typedef struct number {
    const char *digits; /* at most one point among the digits */
    size_t length;
    long point; /* digits before the point, after the exponent */
    int negative;
} number;

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*length)--;
    }
    while (*length && strchr(" \t", (*text)[*length - 1])) (*length)--;
}

/* The exponent behind an 'e', cut at what no number of ours can need. */
static int read_exponent(const char *text, size_t length, long *exponent)
{
    size_t i = 0;
    int negative = 0;
    long value = 0;

    if (i < length && (text[i] == '+' || text[i] == '-')) {
        negative = text[i++] == '-';
    }
    if (i == length) return 0;
    for (; i < length; i++) {
        if (!is_digit(text[i])) return 0;
        if (value < MAX_EXPONENT) value = value * 10 + (text[i] - '0');
    }
    *exponent = negative ? -value : value;
    return 1;
}

static int split(const char *text, size_t length, number *n)
{
    size_t i = 0, digits = 0;
    int seen_point = 0;
    long exponent = 0;

    *n = (number){0};
    if (i < length && (text[i] == '+' || text[i] == '-')) {
        n->negative = text[i++] == '-';
    }
    n->digits = text + i;
    for (; i < length && (is_digit(text[i]) || text[i] == '.'); i++) {
        if (text[i] == '.') {
            if (seen_point) return 0;
            seen_point = 1;
        } else {
            digits++;
            n->point += !seen_point;
        }
    }
    n->length = (size_t)(text + i - n->digits);
    if (digits == 0) return 0;
    if (i < length && (text[i] == 'e' || text[i] == 'E')) {
        if (!read_exponent(text + i + 1, length - i - 1, &exponent)) return 0;
        i = length;
    }
    n->point += exponent;
    return i == length;
}

/* Appends a digit; 0 when the count would pass 2^62. */
static int push_digit(uint64_t *value, unsigned digit)
{
    const uint64_t most = (uint64_t)1 << 62;

    if (*value > (most - digit) / 10) return 0;
    *value = *value * 10 + digit;
    return 1;
}

/* The rounding by the digits after the unit: 0 or 1. */
static unsigned round_rest(const char *at, const char *end, int rounding,
                           long gap)
{
    unsigned up = 0;

    if (rounding == DECIMAL_NEAREST) {
        while (at < end && *at == '.') at++;
        return gap == 0 && at < end && *at >= '5';
    }
    for (; at < end; at++) up |= is_digit(*at) && *at != '0';
    return up;
}

static int count_units(const number *n, int scale, int rounding, int64_t *units)
{
    const char *at = n->digits, *end = n->digits + n->length;
    long keep = n->point + scale; /* number of digits of whole units */
    uint64_t value = 0;

    for (; keep > 0 && at < end; at++) {
        if (*at == '.') continue;
        if (!push_digit(&value, (unsigned)(*at - '0'))) {
            return DECIMAL_TOO_LARGE;
        }
        keep--;
    }
    unsigned up = keep <= 0 ? round_rest(at, end, rounding, keep) : 0;
    for (; keep > 0 && value > 0; keep--) {
        if (!push_digit(&value, 0)) return DECIMAL_TOO_LARGE;
    }
    if (value + up > (uint64_t)1 << 62) return DECIMAL_TOO_LARGE;
    *units = (int64_t)(value + up);
    return DECIMAL_OK;
}

static int is_zero(const number *n)
{
    for (size_t i = 0; i < n->length; i++) {
        if (is_digit(n->digits[i]) && n->digits[i] != '0') return 0;
    }
    return 1;
}

int decimal_read(const char *text, size_t length, int scale, int rounding,
                 int64_t *units)
{
    number n;

    trim(&text, &length);
    if (length == 0) return DECIMAL_EMPTY;
    if (!split(text, length, &n)) return DECIMAL_SYNTAX;
    if (is_zero(&n)) {
        *units = 0;
        return DECIMAL_OK;
    }
    if (n.negative) return DECIMAL_NEGATIVE;
    return count_units(&n, scale, rounding, units);
}

const char *decimal_fault(int code)
{
    switch (code) {
    case DECIMAL_EMPTY: return "is empty";
    case DECIMAL_SYNTAX: return "is not a number";
    case DECIMAL_NEGATIVE: return "is negative";
    case DECIMAL_TOO_LARGE: return "is larger than 2^62 units";
    }
    return "is fine";
}
