#ifndef WORKLOAD_WIDE_H
#define WORKLOAD_WIDE_H

/* Work, amount times time, added up over any trace: 192 bits as three words. */

#include <stdint.h>

typedef struct wide {
    uint64_t word[3]; /* the lowest first */
} wide;

enum { WIDE_TEXT = 60 }; /* bytes that hold any of them in decimal */

wide wide_of(uint64_t low, uint64_t high);

/* Below 2^192 by the limits of amounts, times and rows; else the high bits
 * are lost. */
wide wide_times(wide a, uint64_t by);
wide wide_sum(wide a, wide b);

/* a / by, rounded up; `by` is not 0. */
wide wide_divide_up(wide a, uint64_t by);

/* -1, 0 or 1, as a is less than, equal to or more than b. */
int wide_compare(wide a, wide b);

/* In decimal, with a NUL. Returns `text`. */
char *wide_text(wide a, char *text);

#endif
