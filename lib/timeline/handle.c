/* A timeline from creation to its end. */
#include <string.h>

#include "base/hash.h"
#include "timeline/handle.h"
#include "timeline/held.h"
#include "timeline/rules.h"
#include "timeline/walk.h"

/* ---- The table of spans ---- */

static size_t span_width(const sked_timeline *t)
{
    return SKEDI_SPAN_AMOUNTS + (size_t)t->kinds;
}

static int64_t *span_row(const sked_timeline *t, uint32_t slot)
{
    SKEDI_ASSERT(slot < t->n_slots);
    return t->rows + slot * span_width(t);
}

static uint64_t span_id(uint32_t slot, const int64_t *row)
{
    return (uint64_t)row[SKEDI_SPAN_GENERATION] << 32 | slot;
}

static int span_is_there(const int64_t *row)
{
    return row[SKEDI_SPAN_GENERATION] % 2 != 0;
}

static int span_reserve(sked_timeline *t, size_t slots)
{
    return skedi_ensure(&t->hooks.mem, (void **)&t->rows, &t->cap, slots,
                        span_width(t) * sizeof *t->rows);
}

/* The row of a span's id. NULL: `*rc` says why. */
static int64_t *span_find(const sked_timeline *t, uint64_t id, sked_status *rc)
{
    uint32_t slot = (uint32_t)id;
    int64_t generation = (int64_t)(id >> 32);

    *rc = SKED_ERR_NOT_FOUND;
    if (slot >= t->n_slots || generation % 2 == 0) return NULL;
    int64_t *row = span_row(t, slot);
    if (generation > row[SKEDI_SPAN_GENERATION]) return NULL;
    *rc = generation < row[SKEDI_SPAN_GENERATION] ? SKED_ERR_STALE : SKED_OK;
    return *rc == SKED_OK ? row : NULL;
}

/* Takes a slot, with memory reserved. */
static uint32_t span_take(sked_timeline *t)
{
    uint32_t slot = t->free;

    if (slot == SKEDI_SPAN_NO_SLOT) {
        slot = t->n_slots++;
        span_row(t, slot)[SKEDI_SPAN_GENERATION] = 0;
    } else {
        t->free = (uint32_t)span_row(t, slot)[SKEDI_SPAN_FROM];
    }
    span_row(t, slot)[SKEDI_SPAN_GENERATION]++;
    t->n++;
    return slot;
}

static void span_give(sked_timeline *t, uint32_t slot)
{
    int64_t *row = span_row(t, slot);

    row[SKEDI_SPAN_GENERATION]++;
    t->n--;
    if (row[SKEDI_SPAN_GENERATION] >= UINT32_MAX) return;
    row[SKEDI_SPAN_FROM] = t->free;
    t->free = slot;
}

/* ---- Creation, memory ---- */

static void timeline_drop(sked_timeline *t)
{
    skedi_mem mem = t->hooks.mem;

    skedi_steps_drop(&t->steps, &mem);
    skedi_free(&mem, t->rows, t->cap, span_width(t) * sizeof *t->rows);
    skedi_free(&mem, t, 1, sizeof *t);
}

/* A handle without tree and table. NULL: no memory. */
static sked_timeline *timeline_make(skedi_hooks hooks, const int64_t *total,
                                    uint32_t kinds)
{
    sked_timeline *t = skedi_new(&hooks.mem, 1, sizeof *t);

    if (!t) return NULL;
    t->hooks = hooks;
    t->kinds = kinds;
    t->free = SKEDI_SPAN_NO_SLOT;
    memcpy(t->total, total, kinds * sizeof *total);
    return t;
}

sked_status sked_timeline_new(const int64_t *total, uint32_t kinds,
                              const sked_host *host, sked_timeline **timeline,
                              sked_error *err)
{
    skedi_hooks hooks;

    if (!timeline) return skedi_fail_null(err, "timeline");
    *timeline = NULL;
    if (!total) return skedi_fail_null(err, "total");
    sked_status rc = skedi_timeline_kinds_in(kinds, err);
    if (rc == SKED_OK) rc = skedi_timeline_amounts_in(total, kinds, 0, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_timeline *made = timeline_make(hooks, total, kinds);
    if (!made) return skedi_fail_memory(err);
    if (!skedi_steps_make(&made->steps, &made->hooks.mem, kinds)) {
        timeline_drop(made);
        return skedi_fail_memory(err);
    }
    *timeline = made;
    return SKED_OK;
}

void sked_timeline_free(sked_timeline *timeline)
{
    if (!timeline) return;
    sked_host host = timeline->hooks.host;
    timeline_drop(timeline);
    skedi_hooks_done(host);
}

static int timeline_fill(sked_timeline *to, const sked_timeline *from)
{
    if (!skedi_steps_copy(&to->steps, &to->hooks.mem, &from->steps)) return 0;
    if (!span_reserve(to, from->n_slots)) return 0;
    to->n_slots = from->n_slots;
    to->n = from->n;
    to->free = from->free;
    if (from->n_slots > 0) {
        memcpy(to->rows, from->rows,
               from->n_slots * span_width(from) * sizeof *from->rows);
    }
    return 1;
}

sked_status sked_timeline_copy(const sked_timeline *timeline,
                               const sked_host *host, sked_timeline **copy,
                               sked_error *err)
{
    skedi_hooks hooks;

    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!timeline) return skedi_fail_null(err, "timeline");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_timeline *made = timeline_make(hooks, timeline->total,
                                        timeline->kinds);
    if (!made) return skedi_fail_memory(err);
    if (!timeline_fill(made, timeline)) {
        timeline_drop(made);
        return skedi_fail_memory(err);
    }
    *copy = made;
    return SKED_OK;
}

sked_status sked_timeline_reserve(sked_timeline *timeline, size_t spans,
                                  sked_error *err)
{
    sked_status rc = SKED_OK;

    if (!timeline) return skedi_fail_null(err, "timeline");
    if (spans > SKEDI_TIMELINE_MOST) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many spans",
            (skedi_fault){.got = (int64_t)spans, .limit = SKEDI_TIMELINE_MOST});
    }
    skedi_hooks_open(&timeline->hooks);
    if (!span_reserve(timeline, spans) ||
        !skedi_steps_reserve(&timeline->steps, &timeline->hooks.mem,
                             1 + 2 * spans)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_hooks_seal(&timeline->hooks, rc);
}

sked_status sked_timeline_set_total(sked_timeline *timeline,
                                    const int64_t *total, sked_error *err)
{
    if (!timeline) return skedi_fail_null(err, "timeline");
    if (!total) return skedi_fail_null(err, "total");
    sked_status rc = skedi_timeline_amounts_in(total, timeline->kinds, 0, err);
    if (rc != SKED_OK) return rc;
    memcpy(timeline->total, total, timeline->kinds * sizeof *total);
    return SKED_OK;
}

/* ---- Spans ---- */

sked_status sked_timeline_add(sked_timeline *timeline, sked_time from,
                              sked_time until, const int64_t *amounts,
                              uint64_t *span, sked_error *err)
{
    sked_timeline *t = timeline;

    if (!t) return skedi_fail_null(err, "timeline");
    if (!amounts) return skedi_fail_null(err, "amounts");
    sked_status rc = skedi_timeline_range_in(from, until, 0, err);
    if (rc == SKED_OK)
        rc = skedi_timeline_amounts_in(amounts, t->kinds, 0, err);
    if (rc != SKED_OK) return rc;
    if (t->n == SKEDI_TIMELINE_MOST) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many spans",
                          (skedi_fault){.got = (int64_t)t->n + 1,
                                        .limit = SKEDI_TIMELINE_MOST});
    }
    if (t->free == SKEDI_SPAN_NO_SLOT &&
        !span_reserve(t, (size_t)t->n_slots + 1)) {
        return skedi_fail_memory(err);
    }
    rc = skedi_held_add(&t->steps, &t->hooks.mem, from, until, amounts, 0, err);
    if (rc != SKED_OK) return rc;

    uint32_t slot = span_take(t);
    int64_t *row = span_row(t, slot);
    row[SKEDI_SPAN_FROM] = from;
    row[SKEDI_SPAN_UNTIL] = until;
    memcpy(row + SKEDI_SPAN_AMOUNTS, amounts, t->kinds * sizeof *amounts);
    if (span) *span = span_id(slot, row);
    return SKED_OK;
}

sked_status sked_timeline_remove(sked_timeline *timeline, uint64_t span,
                                 sked_error *err)
{
    sked_status rc;

    if (!timeline) return skedi_fail_null(err, "timeline");
    int64_t *row = span_find(timeline, span, &rc);
    if (!row) {
        return skedi_fail_plain(err, rc,
                                rc == SKED_ERR_STALE
                                    ? "the span was removed before"
                                    : "no span has had this id");
    }
    skedi_held_remove(&timeline->steps, row[SKEDI_SPAN_FROM],
                      row[SKEDI_SPAN_UNTIL], row + SKEDI_SPAN_AMOUNTS);
    span_give(timeline, (uint32_t)span);
    return SKED_OK;
}

sked_status sked_timeline_span(const sked_timeline *timeline, uint64_t span,
                               sked_time *from, sked_time *until,
                               int64_t *amounts)
{
    sked_status rc;

    if (!timeline) return SKED_ERR_ARG;
    const int64_t *row = span_find(timeline, span, &rc);
    if (!row) return rc;
    if (from) *from = row[SKEDI_SPAN_FROM];
    if (until) *until = row[SKEDI_SPAN_UNTIL];
    if (amounts) {
        memcpy(amounts, row + SKEDI_SPAN_AMOUNTS,
               timeline->kinds * sizeof *amounts);
    }
    return SKED_OK;
}

size_t sked_timeline_spans(const sked_timeline *timeline)
{
    return timeline ? timeline->n : 0;
}

uint32_t sked_timeline_kinds(const sked_timeline *timeline)
{
    return timeline ? timeline->kinds : 0;
}

/* ---- Answers ---- */

sked_status sked_timeline_earliest(sked_timeline *timeline, sked_time now,
                                   int64_t duration, const int64_t *amounts,
                                   sked_time *start, sked_error *err)
{
    skedi_need need;

    if (!timeline) return skedi_fail_null(err, "timeline");
    if (!amounts) return skedi_fail_null(err, "amounts");
    if (!start) return skedi_fail_null(err, "start");
    sked_status rc = skedi_hooks_now(&timeline->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_timeline_moment_in(now, 0, err);
    if (rc == SKED_OK) rc = skedi_timeline_duration_in(duration, 0, err);
    if (rc == SKED_OK) {
        rc = skedi_timeline_amounts_in(amounts, timeline->kinds, 0, err);
    }
    if (rc != SKED_OK) return rc;
    skedi_need_set(&need, timeline->kinds, timeline->total, amounts, duration);
    *start = skedi_steps_earliest(&timeline->steps, now, &need);
    return SKED_OK;
}

sked_status sked_timeline_least(const sked_timeline *timeline, sked_time from,
                                sked_time until, int64_t *amounts,
                                sked_error *err)
{
    int64_t most[SKED_MAX_KINDS];

    if (!timeline) return skedi_fail_null(err, "timeline");
    if (!amounts) return skedi_fail_null(err, "amounts");
    sked_status rc = skedi_timeline_range_in(from, until, 0, err);
    if (rc != SKED_OK) return rc;
    skedi_walk_most(&timeline->steps, from, until, most);
    for (uint32_t k = 0; k < timeline->kinds; k++) {
        amounts[k] = timeline->total[k] - most[k];
    }
    return SKED_OK;
}

/* Steps until `until`, each told from the one before. Writes up to `cap`. */
static size_t timeline_list_steps(const sked_timeline *t, sked_time from,
                                  sked_time until, sked_time *times,
                                  int64_t *amounts, size_t cap)
{
    skedi_walk w;
    int64_t last[SKED_MAX_KINDS];
    size_t n = 0, bytes = t->kinds * sizeof *last;
    sked_time time = from;

    skedi_walk_seek(&w, &t->steps, from);
    do {
        if (n > 0) time = skedi_walk_time(&w);
        if (n > 0 && time >= until) break;
        if (n > 0 && memcmp(last, w.used, bytes) == 0) continue;
        memcpy(last, w.used, bytes);
        for (uint32_t k = 0; n < cap && k < t->kinds; k++) {
            amounts[n * t->kinds + k] = t->total[k] - w.used[k];
        }
        if (n < cap) times[n] = time;
        n++;
    } while (skedi_walk_next(&w));
    return n;
}

sked_status sked_timeline_steps(const sked_timeline *timeline, sked_time from,
                                sked_time until, sked_time *times,
                                int64_t *amounts, size_t cap, size_t *n,
                                sked_error *err)
{
    if (!timeline) return skedi_fail_null(err, "timeline");
    if (cap && !times) return skedi_fail_null(err, "times");
    if (cap && !amounts) return skedi_fail_null(err, "amounts");
    if (!n) return skedi_fail_null(err, "n");
    sked_status rc = skedi_timeline_range_in(from, until, 0, err);
    if (rc != SKED_OK) return rc;
    *n = timeline_list_steps(timeline, from, until, NULL, NULL, 0);
    if (*n > cap) return skedi_fail_cap(err, *n, cap);
    (void)timeline_list_steps(timeline, from, until, times, amounts, cap);
    return SKED_OK;
}

/* ---- Digest, check ---- */

uint64_t sked_timeline_digest(const sked_timeline *timeline)
{
    skedi_hash hash;

    if (!timeline) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, timeline->kinds);
    for (uint32_t k = 0; k < timeline->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)timeline->total[k]);
    }
    for (uint32_t slot = 0; slot < timeline->n_slots; slot++) {
        const int64_t *row = span_row(timeline, slot);
        if (!span_is_there(row)) continue;
        skedi_hash_u32(&hash, slot);
        for (size_t i = 0; i < span_width(timeline); i++) {
            skedi_hash_u64(&hash, (uint64_t)row[i]);
        }
    }
    return skedi_hash_end(&hash);
}

/* A number for a moment. Sums of changes times such numbers are equal, modulo
 * 2^64, for the tree and for the spans. */
static uint64_t timeline_check_mark(int64_t time)
{
    uint64_t x = (uint64_t)time * UINT64_C(0x9e3779b97f4a7c15) + 1;

    x ^= x >> 31;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* Sums over all ends of spans: changes by kind, and how many ends. */
static uint64_t timeline_check_spans(const sked_timeline *t, uint64_t *sum)
{
    uint64_t ends = 0;

    for (uint32_t slot = 0; slot < t->n_slots; slot++) {
        const int64_t *row = span_row(t, slot);
        int64_t from = row[SKEDI_SPAN_FROM], until = row[SKEDI_SPAN_UNTIL];
        if (!span_is_there(row) || from == until) continue;
        int ends_ever = until != SKED_UNLIMITED;
        uint64_t mark = timeline_check_mark(from);
        if (ends_ever) mark -= timeline_check_mark(until);
        for (uint32_t k = 0; k < t->kinds; k++) {
            sum[k] += mark * (uint64_t)row[SKEDI_SPAN_AMOUNTS + k];
        }
        ends += 1 + (uint64_t)ends_ever;
    }
    return ends;
}

/* The same over the entries of the tree; the first one is the sentinel. */
static uint64_t timeline_check_entries(const sked_timeline *t, uint64_t *sum)
{
    uint64_t ends = 0;
    int64_t before[SKED_MAX_KINDS] = {0};
    skedi_walk w;

    skedi_walk_seek(&w, &t->steps, INT64_MIN);
    while (skedi_walk_next(&w)) {
        uint64_t mark = timeline_check_mark(skedi_walk_time(&w));
        for (uint32_t k = 0; k < t->kinds; k++) {
            sum[k] += mark * ((uint64_t)w.used[k] - (uint64_t)before[k]);
            before[k] = w.used[k];
        }
        ends += skedi_leaf_refs(&t->steps,
                                skedi_leaf(&t->steps, w.block[0]))[w.at[0]];
    }
    return ends;
}

static const char *timeline_check_table(const sked_timeline *t)
{
    uint64_t of_spans[SKED_MAX_KINDS] = {0}, of_tree[SKED_MAX_KINDS] = {0};
    uint32_t n = 0, free = 0;

    for (uint32_t slot = 0; slot < t->n_slots; slot++) {
        n += (uint32_t)span_is_there(span_row(t, slot));
    }
    if (n != t->n) return "the number of spans is wrong";
    for (uint32_t at = t->free; at != SKEDI_SPAN_NO_SLOT && free <= t->n_slots;
         free++) {
        if (at >= t->n_slots || span_is_there(span_row(t, at))) {
            return "a free slot has a span";
        }
        at = (uint32_t)span_row(t, at)[SKEDI_SPAN_FROM];
    }
    if (free > t->n_slots - n) return "a free slot is there twice";
    if (timeline_check_spans(t, of_spans) !=
        timeline_check_entries(t, of_tree)) {
        return "an end of a span is missing";
    }
    if (memcmp(of_spans, of_tree, sizeof of_spans) != 0) {
        return "the steps are not those of the spans";
    }
    return NULL;
}

sked_status sked_timeline_check(const sked_timeline *timeline, sked_error *err)
{
    if (!timeline) return skedi_fail_null(err, "timeline");
    const char *fault = skedi_steps_fault(&timeline->steps);
    if (!fault) fault = timeline_check_table(timeline);
    if (!fault) fault = skedi_steps_gaps_fault(&timeline->steps);
    return fault ? skedi_fail_plain(err, SKED_ERR_INTERNAL, fault) : SKED_OK;
}
