/*
 * Any family, by every path: shares add up, keep to their bounds, and are the
 * same bytes whichever way they were found and whatever level was kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill/solve.h"
#include "input.h"

enum { ROWS = 200 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_fill.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct fill_rows {
    int64_t lo[ROWS];
    int64_t hi[ROWS];
    uint32_t weight[ROWS];
    int64_t wide[ROWS];
    skedi_fill_in in;
    int64_t total;
} fill_rows;

/* An amount of so many bytes, 0 to 2^62. */
static int64_t read_amount(fuzz_input *in, unsigned bytes)
{
    uint64_t x = fuzz_u64(in, bytes);

    return (int64_t)(x % ((uint64_t)SKED_AMOUNT_MAX + 1));
}

static void read_rows(fill_rows *rows, fuzz_input *in)
{
    unsigned shape = (unsigned)fuzz_u64(in, 1);
    unsigned bytes = 1 + (shape & 7);
    size_t n = 0, times = 1 + (size_t)fuzz_u64(in, 1) % 8;

    rows->total = read_amount(in, 8);
    while (fuzz_more(in) && n + times <= ROWS) {
        int64_t lo = shape & 8 ? read_amount(in, bytes) : 0;
        int64_t hi = read_amount(in, bytes);
        uint32_t weight = (uint32_t)fuzz_u64(in, shape & 16 ? 4 : 1);
        for (size_t k = 0; k < times; k++, n++) { /* ties */
            rows->lo[n] = lo;
            rows->hi[n] = shape & 32 ? SKED_UNLIMITED : hi;
            rows->weight[n] = weight;
            rows->wide[n] = hi;
        }
    }
    rows->in = (skedi_fill_in){
        .lo = shape & 8 ? rows->lo : NULL,
        .hi = rows->hi,
        .weight = shape & 64 ? NULL : rows->weight,
        .wide = shape & 64 && shape & 128 ? rows->wide : NULL,
        .n = n,
    };
}

static void check_shares(const fill_rows *rows, const skedi_fill_level *level,
                         const int64_t *share)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < rows->in.n; i++) {
        int64_t hi = rows->hi[i], lo = rows->in.lo ? rows->lo[i] : 0;
        MUST(share[i] >= 0 && share[i] <= hi);
        MUST(level->outcome == SKED_FILL_OUTCOME_OVERCOMMIT ||
             share[i] >= (lo < hi ? lo : hi));
        sum += (uint64_t)share[i];
    }
    MUST(sum == (uint64_t)level->total);
    MUST(level->total + level->leftover == rows->total);
}

static void same_everywhere(const fill_rows *rows, void *scratch,
                            int32_t rounding)
{
    int64_t first[ROWS] = {0}, share[ROWS] = {0};
    skedi_fill_level plain = {.outcome = SKED_FILL_OUTCOME_SATURATED},
                     level = {.outcome = SKED_FILL_OUTCOME_SATURATED};

    for (int32_t path = SKEDI_FILL_PLAIN; path < SKEDI_FILL_PATHS; path++) {
        skedi_fill_work work = {.scratch = scratch, .path = path};
        int is_first = path == SKEDI_FILL_PLAIN;
        if (!skedi_fill_has(path)) continue;
        skedi_fill_solve(&work, &rows->in, rows->total, &level, &level);
        skedi_fill_emit(&work, &rows->in, &level, rounding, share);
        check_shares(rows, &level, share);
        if (is_first) {
            plain = level;
            memcpy(first, share, sizeof share);
        }
        MUST(level.num == plain.num);
        MUST(skedi_u128_cmp(level.den, plain.den) == 0);
        MUST(memcmp(first, share, sizeof share) == 0);
        level.num += path == SKEDI_FILL_PORTABLE; /* a level a bit off */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fill_rows rows;
    fuzz_input in = {data, data + size};
    void *scratch = malloc(skedi_fill_scratch(ROWS));

    read_rows(&rows, &in);
    for (int32_t rounding = 0; rounding < 3; rounding++) {
        same_everywhere(&rows, scratch, rounding);
    }
    free(scratch);
    return 0;
}
