/* A timeline from its definition. */
#include "ref_timeline.h"

#include <string.h>

/* The last step that begins by `time`. */
static size_t step_of(const ref_timeline *line, int64_t time)
{
    size_t at = 0;

    while (at + 1 < line->steps && line->time[at + 1] <= time) at++;
    return at;
}

/* The step that begins at `time`; made if there is none. */
static size_t step_at(ref_timeline *line, int64_t time)
{
    size_t at = step_of(line, time), after = line->steps - at - 1;

    if (line->time[at] == time) return at;
    memmove(&line->time[at + 2], &line->time[at + 1],
            after * sizeof *line->time);
    memmove(&line->held[at + 2], &line->held[at + 1],
            after * sizeof *line->held);
    memcpy(&line->held[at + 1], &line->held[at], sizeof *line->held);
    line->time[at + 1] = time;
    line->steps++;
    return at + 1;
}

/* Adds a span's amounts to each of its steps, or takes them away. */
static void change_steps(ref_timeline *line, const ref_span *span, int sign)
{
    if (span->from == span->until) return;
    size_t from = step_at(line, span->from), until = line->steps;

    if (span->until != SKED_UNLIMITED) until = step_at(line, span->until);
    for (size_t i = from; i < until; i++) {
        for (uint32_t k = 0; k < line->kinds; k++) {
            line->held[i][k] += sign * span->amounts[k];
        }
    }
}

void ref_timeline_least(const ref_timeline *line, int64_t from, int64_t until,
                        int64_t *amounts)
{
    for (uint32_t k = 0; k < line->kinds; k++) {
        amounts[k] = INT64_MAX;
        for (size_t i = step_of(line, from); i < line->steps; i++) {
            int64_t left = line->total[k] - line->held[i][k];
            if (line->time[i] > from && line->time[i] >= until &&
                until != SKED_UNLIMITED) {
                break;
            }
            if (left < amounts[k]) amounts[k] = left;
        }
    }
}

void ref_timeline_start(ref_timeline *line)
{
    memset(line, 0, sizeof *line);
    line->steps = 1;
    line->time[0] = INT64_MIN;
}

int ref_timeline_add(ref_timeline *line, int64_t from, int64_t until,
                     const int64_t *amounts)
{
    int64_t left[REF_TIMELINE_KINDS];
    ref_span *span = &line->span[line->n];

    ref_timeline_least(line, from, until, left);
    for (uint32_t k = 0; from < until && k < line->kinds; k++) {
        if (line->total[k] - left[k] > SKED_AMOUNT_MAX - amounts[k]) return 0;
    }
    *span = (ref_span){.from = from, .until = until};
    memcpy(span->amounts, amounts, line->kinds * sizeof *amounts);
    line->n++;
    change_steps(line, span, 1);
    return 1;
}

void ref_timeline_remove(ref_timeline *line, size_t i)
{
    change_steps(line, &line->span[i], -1);
    line->span[i] = line->span[--line->n];
}

/* Are the amounts free for the duration from `start` on, in step `at`? */
static int fits_at(const ref_timeline *line, size_t at, int64_t start,
                   int64_t duration, const int64_t *amounts)
{
    for (size_t i = at; i < line->steps; i++) {
        int64_t time = line->time[i];
        if (time > start && duration != SKED_UNLIMITED &&
            (uint64_t)time - (uint64_t)start >= (uint64_t)duration) {
            return 1;
        }
        for (uint32_t k = 0; k < line->kinds; k++) {
            if (line->total[k] - line->held[i][k] < amounts[k]) return 0;
        }
    }
    return 1;
}

int64_t ref_timeline_earliest(const ref_timeline *line, int64_t now,
                              int64_t duration, const int64_t *amounts)
{
    if (duration == 0) duration = 1;
    for (size_t i = step_of(line, now); i < line->steps; i++) {
        int64_t time = line->time[i] > now ? line->time[i] : now;
        if (fits_at(line, i, time, duration, amounts)) return time;
    }
    return SKED_UNLIMITED;
}

size_t ref_timeline_steps(const ref_timeline *line, int64_t from, int64_t until,
                          int64_t *times, int64_t *amounts)
{
    size_t n = 0;
    uint32_t kinds = line->kinds;

    for (size_t i = step_of(line, from); i < line->steps; i++) {
        int64_t time = line->time[i] > from ? line->time[i] : from;
        int64_t *row = amounts + n * kinds;
        if (n > 0 && until != SKED_UNLIMITED && time >= until) break;
        for (uint32_t k = 0; k < kinds; k++) {
            row[k] = line->total[k] - line->held[i][k];
        }
        if (n > 0 && memcmp(row, row - kinds, kinds * sizeof *row) == 0) {
            continue;
        }
        times[n++] = time;
    }
    return n;
}

size_t ref_timeline_plan(ref_timeline *line, const sked_timeline_input *input,
                         int64_t *starts)
{
    const int64_t end = (int64_t)1 << 62;
    uint32_t later = 0;

    for (size_t i = 0; i < input->n; i++) {
        const int64_t *amounts = input->amounts + i * line->kinds;
        int64_t ready = input->ready ? input->ready[i] : 0;
        int64_t duration = input->durations[i], until = SKED_UNLIMITED;
        starts[i] = ref_timeline_earliest(line, ready, duration, amounts);
        if (starts[i] == SKED_UNLIMITED) continue;
        if (starts[i] > ready && input->depth > 0 && later >= input->depth) {
            starts[i] = SKED_UNSET;
            continue;
        }
        later += starts[i] > ready;
        if (duration == 0) duration = 1;
        if (duration != SKED_UNLIMITED) {
            if (duration >= end && starts[i] >= 0) return i;
            until = (int64_t)((uint64_t)starts[i] + (uint64_t)duration);
            if (until >= end || until <= -end) return i;
        }
        if (!ref_timeline_add(line, starts[i], until, amounts)) return i;
    }
    return input->n;
}
