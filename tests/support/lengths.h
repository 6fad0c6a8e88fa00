#ifndef SKED_LENGTHS_H
#define SKED_LENGTHS_H

/* Lengths that no array has: what calls with them must refuse unread. */
#include "test.h"

#include <sched/base.h>

/* No memory is there: whoever reads a column ends the test. */
static const void *nowhere(void)
{
    return (const void *)(uintptr_t)64;
}

#define OF(type) .struct_size = sizeof(type)

static uint8_t somewhere[4096];

/* One call of the library, with a length. */
typedef sked_status length_call(uint64_t length, sked_error *err);

static void must_refuse_lengths(length_call *const *calls, size_t n)
{
    static const uint64_t lengths[] = {UINT64_C(1) << 31,
                                       (UINT64_C(1) << 32) + 1, UINT64_MAX};

    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < 3; i++) {
            sked_error err = {0};
            sked_status rc = calls[c](lengths[i], &err);
            if (rc != SKED_ERR_RANGE || err.code != SKED_ERR_RANGE) {
                fail_msg("call %zu, length %zu: %d", c, i, rc);
            }
        }
    }
}

#endif
