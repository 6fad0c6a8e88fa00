/*
 * Percentile allocation of any columns: refused with a row, or the smallest
 * amount that covers each threshold, as counting through all units shows.
 */
#include <sched/pctl.h>

#include <stdio.h>
#include <stdlib.h>

#include "input.h"

enum { MOST = 3000, THRESHOLDS = 3 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_pctl.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct columns {
    int64_t length[MOST];
    int64_t amount[MOST];
    size_t n;
} columns;

/* Every unit of some bytes, repeated, so that short inputs make long
 * columns. */
static void draw(fuzz_input *in, columns *c)
{
    unsigned wide = (unsigned)fuzz_u64(in, 1) % 9;
    size_t times = 1 + (size_t)fuzz_u64(in, 1);

    for (c->n = 0; c->n < MOST && fuzz_more(in);) {
        int64_t amount = (int64_t)fuzz_u64(in, wide);
        int64_t length = (int64_t)fuzz_u64(in, 1);
        if (length == 255) length = (int64_t)fuzz_u64(in, 8);
        for (size_t i = 0; i < times && c->n < MOST; i++) {
            c->amount[c->n] = amount + (amount > 0 && amount < SKED_AMOUNT_MAX
                                            ? (int64_t)(i % 7)
                                            : 0);
            c->length[c->n++] = length;
        }
    }
}

/* Lengths in use at amounts up to `most`. */
static int64_t upto(const columns *c, int64_t most)
{
    int64_t sum = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->amount[i] > 0 && c->amount[i] <= most) sum += c->length[i];
    }
    return sum;
}

static void check(const columns *c, sked_ratio p, const sked_pctl_point *x,
                  const sked_pctl_queue *total)
{
    int64_t in_use = total->in_use, below = upto(c, x->amount - 1);

    MUST(x->covered.num == upto(c, x->amount));
    MUST(x->covered.den == (in_use ? in_use : 1));
    if (in_use == 0) {
        MUST(x->amount == 0);
        return;
    }
    /* The least length that is enough, without a wide product. */
    int64_t rest = in_use % p.den * p.num;
    int64_t need = in_use / p.den * p.num + (rest + p.den - 1) / p.den;
    MUST(x->covered.num >= need);
    MUST(below < need);
    MUST(x->lower < x->amount);
    MUST(!x->higher || x->higher > x->amount);
    MUST(upto(c, x->lower) == below);
    MUST((x->higher == 0) == (x->covered.num == in_use));
    if (x->higher) MUST(upto(c, x->higher - 1) == x->covered.num);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static columns c;
    fuzz_input bytes = {data, data + size};
    sked_ratio p[THRESHOLDS] = {{1, 1}, {1, 2}, {1, 1}};
    sked_pctl_point point[THRESHOLDS];
    sked_pctl_queue total;
    sked_error err;

    p[2].den = 1 + (int64_t)fuzz_u64(&bytes, 1);
    p[2].num = 1 + (int64_t)(fuzz_u64(&bytes, 1) % (uint64_t)p[2].den);
    draw(&bytes, &c);
    sked_pctl_input in = {.struct_size = sizeof in,
                          .flags = SKED_PCTL_FLAG_USAGE,
                          .n = c.n,
                          .length = c.length,
                          .amount = c.amount,
                          .threshold = p,
                          .queues = 1,
                          .thresholds = THRESHOLDS};
    sked_status rc = sked_pctl(&in, NULL, point, &total, &err);
    if (rc != SKED_OK) {
        MUST(rc == SKED_ERR_RANGE && err.row >= 0 && err.row < (int64_t)c.n);
        return 0;
    }
    for (int j = 0; j < THRESHOLDS; j++) check(&c, p[j], &point[j], &total);
    return 0;
}
