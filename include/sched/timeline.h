#ifndef SKED_TIMELINE_H
#define SKED_TIMELINE_H

/*
 * A timeline: how much of each resource kind is free, moment by moment, in one
 * pool. Hosts with books of their own plan with a timeline: reservations,
 * backfill, maintenance, start estimates.
 *
 * A span holds amounts from one moment until another. The free amounts of a
 * moment are the total less the spans that hold at this moment:
 *
 *     free(t) = total - sum of amounts of spans with from <= t < until
 *
 * free(t) is a step function. The timeline keeps its steps in a balanced tree,
 * each part of the tree with the most and the least that is held in the part.
 * Conservative backfill takes two calls a job:
 *
 *     sked_timeline_earliest(line, now, job.bound_ns, job.amounts, &start, &err);
 *     sked_timeline_add(line, start, start + job.bound_ns, job.amounts, &span,
 *                       &err);
 *
 * Moments lie between -2^62 and 2^62, both excluded, in nanoseconds (or in any
 * other unit, if the host uses one unit everywhere). Amounts go from 0 to
 * SKED_AMOUNT_MAX, exactly. Spans may hold more than the total, for example
 * when a node is lost; free amounts are then below 0. docs/timeline.md has the
 * recipes.
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_timeline sked_timeline;

/* No span: ids are not 0. */
#define SKED_TIMELINE_NO_SPAN ((uint64_t)0)

enum sked_timeline_flag {
    /* sked_timeline_add() rejects a span that takes more than is free. */
    SKED_TIMELINE_FLAG_STRICT = 1
};

/* How to build a timeline; a field that is 0 asks for the default. */
typedef struct sked_timeline_options {
    uint32_t struct_size;
    uint32_t flags; /* enum sked_timeline_flag, or 0 */
    uint32_t spans; /* for which memory is reserved at once; 0: none */
    uint32_t depth; /* read by sked_timeline_once() alone: requests that get a
                       later start. 1: EASY backfill; 0: all, conservative */
} sked_timeline_options;

/*
 * Creates a timeline without spans. `total` has one amount for each of the
 * `kinds` kinds, 1 to SKED_MAX_KINDS, and is copied. `options` and `host` may
 * be NULL and are copied. On success the caller owns `*timeline`; on failure
 * `*timeline` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (kinds, an
 * amount: `err->kind`, spans above 2^30) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_timeline_new(const int64_t *total, uint32_t kinds,
                                       const sked_timeline_options *options,
                                       const sked_host *host,
                                       sked_timeline **timeline,
                                       sked_error *err);

/* Frees the timeline and its spans. NULL is allowed. */
SKED_API void sked_timeline_free(sked_timeline *timeline);

/*
 * A timeline equal to `timeline`, span ids included, with a host of its own:
 * for plans that may be dropped.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 * Cost: O(spans * kinds).
 */
SKED_TRY sked_status sked_timeline_copy(const sked_timeline *timeline,
                                        const sked_host *host,
                                        sked_timeline **copy, sked_error *err);

/*
 * Reserves memory for `spans` spans at a time, so that no later call allocates
 * while there are no more. Keeps all spans.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (above 2^30).
 * Memory: about 200 bytes a span, and 100 for each further kind.
 */
SKED_TRY sked_status sked_timeline_reserve(sked_timeline *timeline,
                                           size_t spans, sked_error *err);

/*
 * Sets the total, one amount a kind, for all moments. Spans stay. For capacity
 * that goes and comes back, add spans instead.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`err->kind`). Never
 * allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_timeline_set_total(sked_timeline *timeline,
                                             const int64_t *total,
                                             sked_error *err);

/*
 * Holds `amounts`, one a kind, from the moment `from` on and until the moment
 * `until`, which is excluded; SKED_UNLIMITED: for ever. If `until` is `from`,
 * the span holds nothing. `*span` (may be NULL) names the span until its
 * removal.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (a moment, an
 * amount: `err->kind`; `until` before `from`; the spans of one moment would
 * hold more than SKED_AMOUNT_MAX; with SKED_TIMELINE_FLAG_STRICT, more than is
 * free: `err->limit`). Cost: O(log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_add(sked_timeline *timeline, sked_time from,
                                       sked_time until, const int64_t *amounts,
                                       uint64_t *span, sked_error *err);

/*
 * Removes a span, past or future, as if it had never been. To end a span early,
 * remove the span and add its first part.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no span has had this id)
 * or SKED_ERR_STALE (the span is removed already). Never allocates.
 * Cost: O(log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_remove(sked_timeline *timeline,
                                          uint64_t span, sked_error *err);

/*
 * The earliest moment from `now` on at which `amounts`, one a kind, are free
 * for `duration_ns`; SKED_UNLIMITED: for ever. Duration 0 asks for one moment
 * and acts as duration 1. `*start` is SKED_UNLIMITED if the amounts are never
 * free for so long. If `now` is SKED_NOW, the host's clock is asked.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now`, duration, an amount:
 * `err->kind`) or SKED_ERR_STATE (no clock). Never allocates.
 * Cost: O(log spans * kinds), and at most as much for each gap before the
 * answer that holds the amounts but is too short, and for each part of the tree
 * where some kind is free but not all at one moment.
 */
SKED_TRY sked_status sked_timeline_earliest(const sked_timeline *timeline,
                                            sked_time now, int64_t duration_ns,
                                            const int64_t *amounts,
                                            sked_time *start, sked_error *err);

/*
 * The least amounts that are free from `from` on and until `until`, one a kind;
 * SKED_UNLIMITED: for ever. If `until` is `from`, the free amounts of that
 * moment. Kinds are independent: two kinds may have their least amounts at
 * different moments.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (a moment, or `until` before
 * `from`). Never allocates. Cost: O(log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_least(const sked_timeline *timeline,
                                         sked_time from, sked_time until,
                                         int64_t *amounts, sked_error *err);

/*
 * The steps of free amounts from `from` on and until `until` (SKED_UNLIMITED:
 * to the last one): step i begins at times[i] and has amounts[i * kinds + k]
 * free of kind k, until the next step begins. The first step begins at `from`,
 * and neighbours differ. Writes at most `cap` steps; `*n` is always how many
 * there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (a moment; `until` before
 * `from`; `cap` too small: nothing but `*n` is written). Never allocates.
 * Cost: O(log spans * kinds + spans in between * kinds).
 */
SKED_TRY sked_status sked_timeline_steps(const sked_timeline *timeline,
                                         sked_time from, sked_time until,
                                         sked_time *times, int64_t *amounts,
                                         size_t cap, size_t *n,
                                         sked_error *err);

/*
 * Says from when until when a span holds which amounts, one a kind. Each of the
 * three results may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or SKED_ERR_STALE.
 * Cost: O(kinds).
 */
SKED_TRY sked_status sked_timeline_span(const sked_timeline *timeline,
                                        uint64_t span, sked_time *from,
                                        sked_time *until, int64_t *amounts);

/* How many spans there are; 0 for NULL. */
SKED_API size_t sked_timeline_spans(const sked_timeline *timeline);

/* How many kinds there are; 0 for NULL. */
SKED_API uint32_t sked_timeline_kinds(const sked_timeline *timeline);

/*
 * A digest (XXH64) of the total and of all spans with their ids. Two timelines
 * with the same digest answer alike. Cost: O(spans * kinds).
 */
SKED_API uint64_t sked_timeline_digest(const sked_timeline *timeline);

/*
 * Verifies every invariant of the tree and of its spans.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the broken invariant
 * in `err`. Cost: O(spans * log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_check(const sked_timeline *timeline,
                                         sked_error *err);

/*
 * Spans that hold already, and requests in order, as columns. Amounts are row
 * after row, one a kind.
 */
typedef struct sked_timeline_input {
    uint32_t struct_size;
    uint32_t flags;    /* 0 */
    uint32_t kinds;    /* 1 to SKED_MAX_KINDS */
    uint32_t reserved; /* 0 */
    uint64_t n_spans;  /* up to 2^30 */
    uint64_t n;        /* requests; up to 2^30 with the spans */
    const int64_t *total;
    const sked_time *from;      /* n_spans */
    const sked_time *until;     /* n_spans; SKED_UNLIMITED: for ever */
    const int64_t *held;        /* n_spans x kinds */
    const sked_time *ready;     /* n: no start before; NULL: 0 each */
    const int64_t *duration_ns; /* n; SKED_UNLIMITED: for ever */
    const int64_t *amounts;     /* n x kinds */
} sked_timeline_input;

/*
 * Plans the requests on one pool without a handle. In order, each request gets
 * the earliest start at which its amounts are free for its duration, beside the
 * spans and the requests before it, and holds the amounts then. No request
 * delays an earlier one: conservative backfill.
 *
 * With `options->depth` above 0 only so many requests get a start after their
 * `ready`; each further request starts at its `ready` or waits. If all are
 * ready at one moment, depth 1 is EASY backfill: the first request that does not
 * fit has a start, and others start now if they do not delay this start.
 *
 * `start` receives n moments: SKED_UNLIMITED if the request never fits, and
 * SKED_UNSET if the request waits without a start. `options` and `host` may be
 * NULL; `host` provides the memory to work in. On failure nothing is written.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`err->row` and
 * `err->kind` say where; the spans of one moment hold more than
 * SKED_AMOUNT_MAX), SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own
 * code. Cost: that of sked_timeline_add() a span, and that of
 * sked_timeline_earliest() and sked_timeline_add() a request.
 */
SKED_TRY sked_status sked_timeline_once(const sked_timeline_input *input,
                                        const sked_timeline_options *options,
                                        const sked_host *host, sked_time *start,
                                        sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
