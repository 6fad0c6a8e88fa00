#ifndef WORKLOAD_DECIMAL_H
#define WORKLOAD_DECIMAL_H

/* Decimal numbers in text as whole counts of a small unit, exactly. */

#include <stddef.h>
#include <stdint.h>

enum {
    DECIMAL_OK = 0,
    DECIMAL_EMPTY,  /* no text at all */
    DECIMAL_SYNTAX, /* not a number */
    DECIMAL_NEGATIVE,
    DECIMAL_TOO_LARGE /* more than 2^62 units */
};

enum { DECIMAL_NEAREST /* halves up */, DECIMAL_UP };

/*
 * Reads `length` bytes such as "12", "0.5", "1.25e3" as a count of 10^-scale:
 * scale 9 makes nanoseconds of seconds. Blanks around the number are allowed.
 * A negative zero is zero; other negative numbers are told apart, so that each
 * column can say what they mean. Returns DECIMAL_*.
 */
int decimal_read(const char *text, size_t length, int scale, int rounding,
                 int64_t *units);

/* The meaning of a DECIMAL_* code, as the end of a sentence. */
const char *decimal_fault(int code);

#endif
