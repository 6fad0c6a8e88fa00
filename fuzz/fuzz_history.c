/*
 * Any records in any order leave a history sound, what is refused changes
 * nothing, and its percentiles are those of its units on plain arrays.
 *
 * The bytes give the options first, then a program of calls.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 2, QUEUES = 3, ROWS = 8, UNITS = 4096 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_history.c:%d: %s does not hold\n", line, what);
    abort();
}

/* Small ones, and now and then any. */
static int64_t any_number(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 248 ? x % 64 : fuzz_u64(in, 8));
}

static sked_history *make(fuzz_input *in, int64_t *instance)
{
    sked_history_options opts = {
        .struct_size = sizeof opts,
        .flags = SKED_HISTORY_FLAG_KEEP | (uint32_t)(fuzz_u64(in, 1) & 1),
        .queues = QUEUES,
        .kinds = KINDS,
        .kind = (uint32_t)(fuzz_u64(in, 1) % KINDS),
        .parts = (uint32_t)(fuzz_u64(in, 1) % 5),
    };
    sked_history *history;

    if (opts.flags & SKED_HISTORY_FLAG_WINDOW) {
        opts.from = any_number(in);
        opts.to = any_number(in);
    }
    for (int k = 0; k < KINDS; k++) instance[k] = any_number(in);
    sked_status rc = sked_history_new(opts.parts ? instance : NULL, &opts, NULL,
                                      &history, NULL);
    if (rc == SKED_OK) return history;
    MUST(rc == SKED_ERR_RANGE && !history);
    return NULL;
}

/* What is to stay as it is when a call is refused. */
typedef struct state {
    sked_history_standing at[QUEUES];
    sked_pctl_queue total[QUEUES];
    sked_pctl_point point[QUEUES];
} state;

static void take_state(const sked_history *h, state *s)
{
    const sked_ratio p = {2, 3};

    memset(s, 0, sizeof *s);
    for (uint32_t q = 0; q < QUEUES; q++) {
        MUST(sked_history_get_standing(h, q, &s->at[q]) == SKED_OK);
    }
    MUST(sked_history_pctl(h, NULL, QUEUES, &p, 1, s->point, s->total, NULL) ==
         SKED_OK);
}

static sked_status add(sked_history *h, fuzz_input *in)
{
    uint32_t queue[ROWS];
    int64_t start[ROWS], end[ROWS], length[ROWS], amount[ROWS * KINDS];
    sked_history_input rows = {
        .struct_size = sizeof rows,
        .flags = (uint32_t)(fuzz_u64(in, 1) & 1),
        .form = (int32_t)(fuzz_u64(in, 1) % 3),
        .n = fuzz_u64(in, 1) % (ROWS + 1),
        .queue = queue,
        .start = start,
        .end = end,
        .length = length,
        .amount = amount,
    };

    for (size_t i = 0; i < rows.n; i++) {
        queue[i] = (uint32_t)(fuzz_u64(in, 1) % (QUEUES * 16)) / 15;
        start[i] = any_number(in);
        length[i] = any_number(in);
        end[i] = (int64_t)((uint64_t)start[i] + (uint64_t)length[i]);
        for (int k = 0; k < KINDS; k++)
            amount[i * KINDS + (size_t)k] = any_number(in);
    }
    return sked_history_add(h, &rows, NULL, NULL);
}

static void step(sked_history *h, fuzz_input *in)
{
    state before, after;
    sked_status rc;

    take_state(h, &before);
    switch (fuzz_u64(in, 1) % 8) {
    case 0: rc = sked_history_settle(h, any_number(in), NULL); break;
    case 1: rc = sked_history_settle(h, SKED_HISTORY_END, NULL); break;
    case 2: rc = sked_history_forget(h, any_number(in), NULL); break;
    default: rc = add(h, in);
    }
    MUST(sked_history_check(h, NULL) == SKED_OK);
    if (rc == SKED_OK) return;
    take_state(h, &after);
    MUST(memcmp(&before, &after, sizeof before) == 0);
}

/* A queue's units as instances (or its kind), on plain arrays. */
static void compare(const sked_history *h, uint32_t q, const int64_t *instance,
                    uint32_t parts, uint32_t kind)
{
    static int64_t length[UNITS], vec[UNITS * KINDS], amount[UNITS];
    const sked_ratio p[] = {{1, 1}, {1, 2}, {99, 100}};
    sked_pctl_input in = {.struct_size = sizeof in,
                          .flags = SKED_PCTL_FLAG_USAGE,
                          .length = length,
                          .amount = amount,
                          .threshold = p,
                          .queues = 1,
                          .thresholds = 3};
    sked_pctl_point got[3], want[3];
    sked_pctl_queue total, want_total;
    size_t n;

    if (sked_history_units(h, q, length, vec, UNITS, &n, NULL) != SKED_OK)
        return;
    in.n = n;
    for (size_t i = 0; i < n; i++) amount[i] = vec[i * KINDS + kind];
    if (parts) {
        MUST(sked_pctl_instances(instance, KINDS, parts, vec, n, amount, NULL,
                                 NULL) == SKED_OK);
    }
    MUST(sked_pctl(&in, NULL, want, &want_total, NULL) == SKED_OK);
    MUST(sked_history_pctl(h, &q, 1, p, 3, got, &total, NULL) == SKED_OK);
    MUST(memcmp(got, want, sizeof got) == 0);
    MUST(memcmp(&total, &want_total, sizeof total) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    int64_t instance[KINDS];
    sked_history *h = make(&in, instance);

    if (!h) return 0;
    while (fuzz_more(&in)) step(h, &in);
    for (uint32_t q = 0; q < QUEUES; q++) {
        uint32_t kind = size > 1 ? data[1] % KINDS : 0;
        uint32_t parts = size > 2 ? data[2] % 5 : 0;
        compare(h, q, instance, parts, kind);
    }
    sked_history_free(h);
    return 0;
}
