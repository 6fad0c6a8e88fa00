#ifndef PLANTED_DIVISION_H
#define PLANTED_DIVISION_H

#include <sched/sked_test.h>

/* A division and the name of its mistake; "right..." has none. */
typedef struct planted_division {
    const char *name;
    sked_test_share_fn share;
} planted_division;

extern const planted_division planted_divisions[];
extern const size_t planted_divisions_n;

#endif
