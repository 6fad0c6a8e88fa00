#ifndef SKED_TIMELINE_H
#define SKED_TIMELINE_H

/*
 * A timeline: how much of each resource kind is free in one pool, moment by
 * moment. Hosts that keep their own queue plan with a timeline: reservations,
 * backfill, maintenance, start estimates.
 *
 * A span holds amounts from one moment until another. The free amounts of a
 * moment are the total less the amounts of all spans that hold at this moment:
 *
 *     free(t) = total - sum of the amounts of spans with from <= t < until
 *
 * Conservative backfill takes two calls a job:
 *
 *     sked_timeline_earliest(timeline, now, duration, amounts, &start, &err);
 *     sked_timeline_add(timeline, start, start + duration, amounts, &span,
 *                       &err);
 *
 * Moments lie between -2^62 and 2^62, both excluded, in nanoseconds or in any
 * other unit that the host uses everywhere. Amounts go from 0 to
 * SKED_AMOUNT_MAX and are exact. Spans may hold more than the total, for example
 * after the loss of a node. Free amounts are then below 0. docs/timeline.md has
 * the recipes.
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_timeline sked_timeline;

/* No span has this id. */
#define SKED_TIMELINE_NO_SPAN ((uint64_t)0)

/*
 * Creates a timeline without spans. `total` has one amount for each of the
 * `kinds` kinds, 1 to SKED_MAX_KINDS, and is copied. `host` may be NULL and is
 * copied. On success the caller owns `*timeline`; on failure `*timeline` is
 * NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`kinds`; an
 * amount: `err->kind`) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_timeline_new(const int64_t *total, uint32_t kinds,
                                       const sked_host *host,
                                       sked_timeline **timeline,
                                       sked_error *err);

/* Frees the timeline and its spans. NULL is allowed. */
SKED_API void sked_timeline_free(sked_timeline *timeline);

/*
 * Creates an equal timeline with a host of its own, for plans that may be
 * dropped. Spans keep their ids.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 * Cost: O(spans * kinds).
 */
SKED_TRY sked_status sked_timeline_copy(const sked_timeline *timeline,
                                        const sked_host *host,
                                        sked_timeline **copy, sked_error *err);

/*
 * Reserves memory for `spans` spans at a time. No later call allocates while
 * there are at most so many. Keeps all spans.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (above 2^30).
 * Memory: for many spans about 320 bytes each, and 140 for each further kind.
 */
SKED_TRY sked_status sked_timeline_reserve(sked_timeline *timeline,
                                           size_t spans, sked_error *err);

/*
 * Sets the total of all moments, one amount a kind. Spans stay. Capacity that
 * goes and comes back is a span instead.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`err->kind`). Never
 * allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_timeline_set_total(sked_timeline *timeline,
                                             const int64_t *total,
                                             sked_error *err);

/*
 * Adds a span: `amounts`, one a kind, are held from `from` on and before
 * `until`. With SKED_UNLIMITED as `until` the span never ends. If `until` is
 * `from`, the span holds at no moment. `*span` (may be NULL) names the span
 * until its removal. The call does not ask whether the amounts are free.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (a moment;
 * `until` before `from`; an amount: `err->kind`; all spans of one moment would
 * hold more than SKED_AMOUNT_MAX of `err->kind`; more than 2^30 spans).
 * Cost: O(log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_add(sked_timeline *timeline, sked_time from,
                                       sked_time until, const int64_t *amounts,
                                       uint64_t *span, sked_error *err);

/*
 * Removes a span, past or future, as if it had never been added. If a job ends
 * early, remove its span and add the part until its end.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no span has had this id)
 * or SKED_ERR_STALE (the span was removed before). Never allocates.
 * Cost: O(log spans * kinds), and the time to forget what searches have learned
 * of the gaps that become longer (see sked_timeline_earliest()).
 */
SKED_TRY sked_status sked_timeline_remove(sked_timeline *timeline,
                                          uint64_t span, sked_error *err);

/*
 * Finds the earliest moment from `now` on at which `amounts`, one a kind, are
 * free for `duration`. A duration of SKED_UNLIMITED means for ever; a duration
 * of 0 asks for one moment and acts as 1. `*start` is SKED_UNLIMITED if the
 * amounts are never free for so long. If `now` is SKED_NOW, the call asks the
 * host's clock.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now`; `duration`; an amount:
 * `err->kind`) or SKED_ERR_STATE (the host has no clock). Never allocates.
 * Cost: O(log spans * kinds) if few gaps before the answer are too short. The
 * timeline remembers which parts have no gap for these amounts and this
 * duration. Later calls pass these parts, also for larger amounts and longer
 * durations. The answer never depends on what the timeline remembers.
 */
SKED_TRY sked_status sked_timeline_earliest(sked_timeline *timeline,
                                            sked_time now, int64_t duration,
                                            const int64_t *amounts,
                                            sked_time *start, sked_error *err);

/*
 * Writes the least free amounts from `from` on and before `until`, one a kind.
 * With SKED_UNLIMITED as `until` the range never ends. If `until` is `from`,
 * the call writes the free amounts of this moment. Two kinds may have their
 * least amounts at different moments.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (a moment; `until` before
 * `from`). Never allocates. Cost: O(log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_least(const sked_timeline *timeline,
                                         sked_time from, sked_time until,
                                         int64_t *amounts, sked_error *err);

/*
 * Writes the steps of the free amounts from `from` on and before `until`
 * (SKED_UNLIMITED: to the last step). Step i begins at times[i], ends where step
 * i + 1 begins, and has amounts[i * kinds + k] free of kind k. The first step
 * begins at `from`. Two steps in a row differ. If `until` is `from`, the call
 * writes one step. `cap` counts steps. `*n` is always the number of steps.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (a moment; `until` before
 * `from`; more steps than `cap`: only `*n` is written). Never allocates.
 * Cost: O(log spans * kinds + spans in the range * kinds).
 */
SKED_TRY sked_status sked_timeline_steps(const sked_timeline *timeline,
                                         sked_time from, sked_time until,
                                         sked_time *times, int64_t *amounts,
                                         size_t cap, size_t *n,
                                         sked_error *err);

/*
 * Reads a span: the moments `*from` and `*until` (SKED_UNLIMITED: never), and
 * its amounts, one a kind. Each of the three results may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or SKED_ERR_STALE.
 * Cost: O(kinds).
 */
SKED_TRY sked_status sked_timeline_span(const sked_timeline *timeline,
                                        uint64_t span, sked_time *from,
                                        sked_time *until, int64_t *amounts);

/* Returns the number of spans; 0 for NULL. */
SKED_API size_t sked_timeline_spans(const sked_timeline *timeline);

/* Returns the number of kinds; 0 for NULL. */
SKED_API uint32_t sked_timeline_kinds(const sked_timeline *timeline);

/*
 * Returns a digest (XXH64) of the total and of all spans with their ids; 0 for
 * NULL. Cost: O(spans * kinds).
 */
SKED_API uint64_t sked_timeline_digest(const sked_timeline *timeline);

/*
 * Verifies every invariant of the timeline, also what it remembers of gaps.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the broken invariant
 * in `err`. Cost: O(spans * log spans * kinds).
 */
SKED_TRY sked_status sked_timeline_check(const sked_timeline *timeline,
                                         sked_error *err);

/*
 * Spans that hold already, and requests in order, as columns. Amounts are rows
 * of one amount a kind.
 */
typedef struct sked_timeline_input {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    uint32_t kinds;   /* 1 to SKED_MAX_KINDS */
    uint32_t depth;   /* how many requests may get a later start; 0: all */
    uint64_t n_spans; /* with `n` at most 2^30 */
    uint64_t n;       /* requests */
    const int64_t *total;
    const sked_time *from;    /* n_spans */
    const sked_time *until;   /* n_spans; SKED_UNLIMITED: never */
    const int64_t *held;      /* n_spans rows */
    const sked_time *ready;   /* n: no start before; NULL: 0 each */
    const int64_t *durations; /* n; SKED_UNLIMITED: for ever; 0 acts as 1 */
    const int64_t *amounts;   /* n rows */
} sked_timeline_input;

/*
 * Plans requests in one pool without a handle. In order, each request gets the
 * earliest start from its `ready` on at which its amounts are free for its
 * duration, and holds them from then on. Spans and requests before it hold
 * theirs. No request delays a request before it: conservative backfill.
 *
 * With `depth` above 0 only the first `depth` requests that cannot start at
 * `ready` get a later start. Each further request starts at its `ready` or
 * gets no start. If all are ready at the same moment, depth 1 is EASY
 * backfill: one request gets a later start, and others start now if they do not
 * delay it.
 *
 * `starts` receives n moments: SKED_UNLIMITED if the request never fits, and
 * SKED_UNSET if it gets no start because of `depth`. `host` may be NULL; it
 * provides the memory to work in. On failure nothing is written.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a count; a
 * value of `err->row`; spans of one moment hold more than SKED_AMOUNT_MAX; a
 * start plus its duration reaches 2^62), SKED_ERR_VERSION, SKED_ERR_CANCELLED
 * or the host's own code. Cost: sked_timeline_add() for each span, and
 * sked_timeline_earliest() with sked_timeline_add() for each request.
 */
SKED_TRY sked_status sked_timeline_once(const sked_timeline_input *input,
                                        const sked_host *host,
                                        sked_time *starts, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
