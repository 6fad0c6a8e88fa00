#ifndef REF_TIMELINE_H
#define REF_TIMELINE_H

/*
 * A timeline as its header defines it: a list of spans, and an array of steps. A
 * span changes each of its steps. A search tries each step in order.
 */

#include <stddef.h>

#include <sched/timeline.h>

enum {
    REF_TIMELINE_KINDS = 3,
    REF_TIMELINE_SPANS = 4096,
    REF_TIMELINE_STEPS = 32768
};

typedef struct ref_span {
    int64_t from;
    int64_t until;
    int64_t amounts[REF_TIMELINE_KINDS];
} ref_span;

typedef struct ref_timeline {
    uint32_t kinds;
    size_t n;
    int64_t total[REF_TIMELINE_KINDS];
    ref_span span[REF_TIMELINE_SPANS];
    /* The steps, by moment; the first one begins at INT64_MIN. A step stays
     * when its span goes. */
    size_t steps;
    int64_t time[REF_TIMELINE_STEPS];
    int64_t held[REF_TIMELINE_STEPS][REF_TIMELINE_KINDS];
} ref_timeline;

/* No spans, no kinds yet. */
void ref_timeline_start(ref_timeline *line);

/* Appends a span. 0: a moment would have more than SKED_AMOUNT_MAX held. */
int ref_timeline_add(ref_timeline *line, int64_t from, int64_t until,
                     const int64_t *amounts);

/* Removes span `i`; the last one takes its place. */
void ref_timeline_remove(ref_timeline *line, size_t i);

int64_t ref_timeline_earliest(const ref_timeline *line, int64_t now,
                              int64_t duration, const int64_t *amounts);
void ref_timeline_least(const ref_timeline *line, int64_t from, int64_t until,
                        int64_t *amounts);

/* The steps of a range; returns how many. */
size_t ref_timeline_steps(const ref_timeline *line, int64_t from, int64_t until,
                          int64_t *times, int64_t *amounts);

/* The start of one request after another, as sked_timeline_once() plans; the
 * spans of `line` grow by the requests. Returns the number of requests planned
 * before one that the call refuses. */
size_t ref_timeline_plan(ref_timeline *line, const sked_timeline_input *input,
                         int64_t *starts);

#endif
