/*
 * Any calls leave a timeline valid, what is refused changes nothing, answers
 * hold against the spans, and one call plans as the handle does.
 */
#include <sched/timeline.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 2, SPANS = 512 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_timeline.c:%d: %s does not hold\n", line, what);
    abort();
}

/* Small ones, and now and then any. */
static int64_t any_number(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 244 ? x % 100 : fuzz_u64(in, 8));
}

typedef struct world {
    sked_timeline *line;
    int64_t total[KINDS];
    uint64_t span[SPANS]; /* ids, removed ones too */
    size_t n;
} world;

/* The most that is held at a moment of which kind is a sum over all spans. */
static int64_t held_at(const world *w, int64_t time, uint32_t k)
{
    int64_t sum = 0, from, until, amounts[KINDS];

    for (size_t i = 0; i < w->n; i++) {
        if (sked_timeline_span(w->line, w->span[i], &from, &until, amounts) !=
            SKED_OK) {
            continue;
        }
        int ends = until != SKED_UNLIMITED;
        if (from <= time && (!ends || time < until)) sum += amounts[k];
    }
    return sum;
}

static void add(world *w, fuzz_input *in)
{
    int64_t from = any_number(in), length = any_number(in), amounts[KINDS];
    int64_t until = (int64_t)((uint64_t)from + (uint64_t)length);
    uint64_t before = sked_timeline_digest(w->line), span = 0;

    for (int k = 0; k < KINDS; k++) amounts[k] = any_number(in);
    if (w->n == SPANS) return;
    if (length == 99) until = SKED_UNLIMITED;
    sked_status rc = sked_timeline_add(w->line, from, until, amounts, &span,
                                       NULL);
    if (rc == SKED_OK) {
        w->span[w->n++] = span;
    } else {
        MUST(rc == SKED_ERR_RANGE);
        MUST(sked_timeline_digest(w->line) == before);
    }
}

static void ask(world *w, fuzz_input *in)
{
    int64_t now = any_number(in), duration = any_number(in), amounts[KINDS];
    int64_t start = -1, least[KINDS];

    for (int k = 0; k < KINDS; k++) amounts[k] = any_number(in);
    sked_status rc = sked_timeline_earliest(w->line, now, duration, amounts,
                                            &start, NULL);
    if (rc != SKED_OK) {
        MUST(start == -1);
        return;
    }
    MUST(start >= now);
    if (start == SKED_UNLIMITED) return;
    if (duration == 0) duration = 1;
    const int64_t end = (int64_t)1 << 62;
    int64_t until = SKED_UNLIMITED;
    if (duration < end && start < end - duration) until = start + duration;
    rc = sked_timeline_least(w->line, start, until, least, NULL);
    MUST(rc == SKED_OK);
    for (int k = 0; k < KINDS; k++) {
        MUST(until == SKED_UNLIMITED || least[k] >= amounts[k]);
        MUST(w->total[k] - held_at(w, start, (uint32_t)k) >= amounts[k]);
    }
    /* The moment before the start does not do. */
    if (start == now) return;
    rc = sked_timeline_least(w->line, start - 1, start, least, NULL);
    MUST(rc == SKED_OK);
    MUST(least[0] < amounts[0] || least[1] < amounts[1]);
}

static void step(world *w, fuzz_input *in)
{
    sked_timeline *copy;
    size_t n;

    switch (fuzz_u64(in, 1) % 8) {
    case 0:
    case 1:
        n = (size_t)fuzz_u64(in, 1);
        if (w->n > 0) {
            sked_status rc = sked_timeline_remove(w->line, w->span[n % w->n],
                                                  NULL);
            MUST(rc == SKED_OK || rc == SKED_ERR_STALE);
        }
        break;
    case 2:
    case 3: ask(w, in); break;
    case 4:
        MUST(sked_timeline_copy(w->line, NULL, &copy, NULL) == SKED_OK);
        MUST(sked_timeline_digest(copy) == sked_timeline_digest(w->line));
        sked_timeline_free(w->line);
        w->line = copy;
        break;
    default: add(w, in);
    }
}

/* Requests planned in one call are those planned one by one. */
static void plan(fuzz_input *in)
{
    enum { ROWS = 16 };
    int64_t total[KINDS], durations[ROWS], amounts[ROWS * KINDS], ready[ROWS];
    int64_t starts[ROWS], start;
    sked_timeline *line;
    size_t n = (size_t)(fuzz_u64(in, 1) % (ROWS + 1));

    for (int k = 0; k < KINDS; k++) total[k] = any_number(in) & 1023;
    for (size_t i = 0; i < n; i++) {
        durations[i] = any_number(in);
        ready[i] = any_number(in);
        for (size_t k = 0; k < KINDS; k++) {
            amounts[i * KINDS + k] = any_number(in);
        }
    }
    const sked_timeline_input input = {.struct_size = sizeof input,
                                       .kinds = KINDS,
                                       .n = n,
                                       .total = total,
                                       .ready = ready,
                                       .durations = durations,
                                       .amounts = amounts};
    if (sked_timeline_once(&input, NULL, starts, NULL) != SKED_OK) return;
    MUST(sked_timeline_new(total, KINDS, NULL, &line, NULL) == SKED_OK);
    for (size_t i = 0; i < n; i++) {
        int64_t length = durations[i] > 0 ? durations[i] : 1;
        const int64_t *row = amounts + i * KINDS;
        MUST(sked_timeline_earliest(line, ready[i], durations[i], row, &start,
                                    NULL) == SKED_OK);
        MUST(start == starts[i]);
        if (start == SKED_UNLIMITED) continue;
        int64_t until = length == SKED_UNLIMITED ? length : start + length;
        MUST(sked_timeline_add(line, start, until, row, NULL, NULL) == SKED_OK);
    }
    sked_timeline_free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    world w = {.n = 0};

    plan(&in);
    for (int k = 0; k < KINDS; k++) w.total[k] = any_number(&in);
    sked_status rc = sked_timeline_new(w.total, KINDS, NULL, &w.line, NULL);
    if (rc != SKED_OK) {
        MUST(rc == SKED_ERR_RANGE && !w.line);
        return 0;
    }
    for (int i = 1; fuzz_more(&in); i++) {
        step(&w, &in);
        if (i % 32 == 0) MUST(sked_timeline_check(w.line, NULL) == SKED_OK);
    }
    MUST(sked_timeline_check(w.line, NULL) == SKED_OK);
    sked_timeline_free(w.line);
    return 0;
}
