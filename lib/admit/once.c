/*
 * Admission to a queue. Rows are sorted by line and priority; the sort is
 * stable, so rows of equal priority (a level) stay in the order of arrival.
 * Each line is walked level by level until a gang stops it. Gangs that shrank
 * go to the end of their level, so each level is walked a second time for them.
 * The answer is worked out in memory of the call and written at the end.
 */
#include "admit/lines.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_admit_result, waiting);

enum {
    ADMIT_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_result, waiting),
    ADMIT_CHECK = 65536 /* rows between two looks at the cancel flag */
};

/* ---- One gang ---- */

static const int64_t *gang_need(const skedi_admit *w, uint32_t row)
{
    return w->in.need + (size_t)row * w->in.kinds;
}

/* The row of `held` with one sum (enum sked_admit_held). */
static int64_t *admit_held(skedi_admit *w, int sum)
{
    return w->held + (size_t)sum * w->in.kinds;
}

/* In every kind, are `held` (less `apart`, which the bound does not count) and
 * `need` together within the bound? */
static int admit_within(const skedi_admit *w, const int64_t *held,
                        const int64_t *apart, const int64_t *need,
                        const int64_t *bound)
{
    for (uint32_t k = 0; k < w->in.kinds; k++) {
        int64_t under = apart ? skedi_i64_max(held[k] - apart[k], 0) : held[k];
        if (under + need[k] > (bound ? bound[k] : 0)) return 0;
    }
    return 1;
}

/* Do the bounds let a gang in? */
static int admit_lets(skedi_admit *w, uint32_t row)
{
    const int64_t *need = gang_need(w, row);
    uint32_t kind = skedi_gang_kind(w, row);
    uint32_t tasks = w->in.tasks ? w->in.tasks[row] : 1;

    if (kind & SKED_ADMIT_GANG_REVOCABLE) {
        return admit_within(w, admit_held(w, SKED_ADMIT_HELD_REVOCABLE), NULL,
                            need, w->in.slack);
    }
    if (!admit_within(w, admit_held(w, SKED_ADMIT_HELD_ALL),
                      admit_held(w, SKED_ADMIT_HELD_REVOCABLE), need,
                      w->in.entitlement)) {
        return 0;
    }
    if ((kind & SKED_ADMIT_GANG_CONTROLLER) && tasks == 1 &&
        w->in.controllers &&
        !admit_within(w, admit_held(w, SKED_ADMIT_HELD_CONTROLLER), NULL, need,
                      w->in.controllers)) {
        return 0;
    }
    if (!(kind & SKED_ADMIT_GANG_FIXED) ||
        !(w->in.flags & SKED_ADMIT_FLAG_PREEMPTION)) {
        return 1;
    }
    return admit_within(w, admit_held(w, SKED_ADMIT_HELD_FIXED), NULL, need,
                        w->in.reservation);
}

/* The line of its own that a gang moves to, whichever bound kept it out;
 * SKED_ADMIT_LINE_ALL: it has none. */
static uint8_t own_line(const skedi_admit *w, uint32_t row)
{
    uint32_t kind = skedi_gang_kind(w, row);

    if ((kind & SKED_ADMIT_GANG_FIXED) &&
        (w->in.flags & SKED_ADMIT_FLAG_PREEMPTION)) {
        return SKED_ADMIT_LINE_FIXED;
    }
    if (kind & SKED_ADMIT_GANG_CONTROLLER) return SKED_ADMIT_LINE_CONTROLLER;
    return kind & SKED_ADMIT_GANG_REVOCABLE ? SKED_ADMIT_LINE_REVOCABLE
                                            : SKED_ADMIT_LINE_ALL;
}

/* Adds what a gang needs to what is held. */
static void hold_gang(skedi_admit *w, uint32_t row)
{
    const int64_t *need = gang_need(w, row);
    uint32_t kind = skedi_gang_kind(w, row);
    const int counts[SKED_ADMIT_HELD_SUMS] = {
        [SKED_ADMIT_HELD_ALL] = 1,
        [SKED_ADMIT_HELD_FIXED] = (kind & SKED_ADMIT_GANG_FIXED) != 0,
        [SKED_ADMIT_HELD_CONTROLLER] = (kind & SKED_ADMIT_GANG_CONTROLLER) != 0,
        [SKED_ADMIT_HELD_REVOCABLE] = (kind & SKED_ADMIT_GANG_REVOCABLE) != 0,
    };

    for (int h = 0; h < SKED_ADMIT_HELD_SUMS; h++) {
        for (uint32_t k = 0; counts[h] && k < w->in.kinds; k++) {
            admit_held(w, h)[k] += need[k];
        }
    }
}

static void move_last(skedi_admit *w, uint32_t row)
{
    w->moved[w->n_moved++] = row;
    w->last[row] = w->n_moved;
}

/* Looks at a gang that is first; 0: it stops its line. */
static int look_at(skedi_admit *w, uint32_t row)
{
    uint8_t own = own_line(w, row);

    if (admit_lets(w, row)) {
        hold_gang(w, row);
        w->outcome[row] = SKED_ADMIT_OUTCOME_IN;
        w->order[w->admitted++] = row;
        return 1;
    }
    if (w->line[row] != SKED_ADMIT_LINE_ALL || own == SKED_ADMIT_LINE_ALL) {
        w->outcome[row] = SKED_ADMIT_OUTCOME_FULL;
        return 0;
    }
    w->outcome[row] = SKED_ADMIT_OUTCOME_MOVED;
    w->line[row] = own;
    move_last(w, row);
    return 1;
}

/* A gang that shrank goes to the end of its level, an empty one is dropped. 0:
 * it is neither, or was dealt with before. */
static int settle_state(skedi_admit *w, uint32_t row)
{
    uint8_t state = w->in.state ? w->in.state[row] : SKED_ADMIT_STATE_SOUND;

    if (state == SKED_ADMIT_STATE_SOUND || w->outcome[row]) return 0;
    w->outcome[row] = state == SKED_ADMIT_STATE_EMPTY ? SKED_ADMIT_OUTCOME_GONE
                                                      : SKED_ADMIT_OUTCOME_LAST;
    if (state == SKED_ADMIT_STATE_SHRUNK) move_last(w, row);
    return 1;
}

/* ---- Lines ---- */

/* Walks the items of one level. 0: a gang stopped the line, or `most` gangs
 * were passed. */
static int walk_level(skedi_admit *w, uint32_t from, uint32_t to)
{
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = from; i < to; i++) {
            uint32_t row = w->items[i].index;
            if (again && w->outcome[row] != SKED_ADMIT_OUTCOME_LAST) continue;
            if (w->in.most && w->looked == w->in.most) return 0;
            if (!settle_state(w, row) && !look_at(w, row)) return 0;
            w->looked++;
        }
    }
    return 1;
}

static sked_status walk_line(skedi_admit *w, uint32_t from, uint32_t end)
{
    uint32_t to, done = ADMIT_CHECK;

    for (; from < end; from = to) {
        for (to = from + 1; to < end; to++) {
            if (w->items[to].key != w->items[from].key) break;
        }
        if (done >= ADMIT_CHECK) {
            sked_status rc = skedi_hooks_check(&w->hooks, from, w->in.n);
            if (rc != SKED_OK) return rc;
            done = 0;
        }
        done += to - from;
        if (!walk_level(w, from, to)) break;
    }
    return SKED_OK;
}

/* Lines in the order of walking, in each the highest priority first. */
static uint64_t line_key(const skedi_admit *w, uint32_t row)
{
    static const uint8_t turn[SKEDI_ADMIT_LINES] = {3, 0, 1, 2};
    int32_t priority = w->in.priority ? w->in.priority[row] : 0;

    return (uint64_t)turn[w->line[row]] << 32 |
           (uint32_t)(INT32_MAX - (int64_t)priority);
}

static sked_status walk_lines(skedi_admit *w)
{
    uint32_t from = 0, n = (uint32_t)w->in.n;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < n; i++) {
        w->line[i] = w->in.line ? w->in.line[i] : SKED_ADMIT_LINE_ALL;
        w->items[i] = (skedi_keyed){.key = line_key(w, i), .index = i};
    }
    skedi_sort_keys(w->items, w->scratch, n);
    for (uint64_t turn = 0; turn < SKEDI_ADMIT_LINES && rc == SKED_OK; turn++) {
        uint32_t end = from;
        while (end < n && w->items[end].key >> 32 == turn) end++;
        rc = walk_line(w, from, end);
        from = end;
    }
    return rc;
}

/* ---- The call ---- */

static int admit_reserve(skedi_admit *w)
{
    skedi_mem *mem = &w->hooks.mem;
    size_t n = (size_t)w->in.n + 1;

    return (w->items = skedi_new(mem, n, sizeof *w->items)) &&
           (w->scratch = skedi_new(mem, n, sizeof *w->scratch)) &&
           (w->moved = skedi_new(mem, 2 * n, sizeof *w->moved)) &&
           (w->last = skedi_new(mem, n, sizeof *w->last)) &&
           (w->order = skedi_new(mem, n, sizeof *w->order)) &&
           (w->outcome = skedi_new(mem, n, 1)) &&
           (w->line = skedi_new(mem, n, 1));
}

static void admit_drop(skedi_admit *w)
{
    skedi_mem *mem = &w->hooks.mem;
    size_t n = (size_t)w->in.n + 1;

    skedi_free(mem, w->items, n, sizeof *w->items);
    skedi_free(mem, w->scratch, n, sizeof *w->scratch);
    skedi_free(mem, w->moved, 2 * n, sizeof *w->moved);
    skedi_free(mem, w->last, n, sizeof *w->last);
    skedi_free(mem, w->order, n, sizeof *w->order);
    skedi_free(mem, w->outcome, n, 1);
    skedi_free(mem, w->line, n, 1);
}

/* After the rows that were admitted: those that wait where they stood, those
 * that moved to the end of a level, and those that were dropped. */
static void admit_write_order(skedi_admit *w, sked_admit_result *result)
{
    uint32_t n = w->admitted;

    for (uint32_t i = 0; i < w->in.n; i++) {
        int stands = w->outcome[i] == SKED_ADMIT_OUTCOME_WAITS ||
                     w->outcome[i] == SKED_ADMIT_OUTCOME_FULL;
        if (stands && w->last[i] == 0) w->order[n++] = i;
    }
    for (uint32_t i = 0; i < w->n_moved; i++) {
        uint32_t row = w->moved[i];
        int in = w->outcome[row] == SKED_ADMIT_OUTCOME_IN;
        if (w->last[row] == i + 1 && !in) w->order[n++] = row;
    }
    result->admitted = w->admitted;
    result->waiting = n - w->admitted;
    for (uint32_t i = 0; i < w->in.n; i++) {
        if (w->outcome[i] == SKED_ADMIT_OUTCOME_GONE) w->order[n++] = i;
    }
}

static void admit_write(skedi_admit *w, sked_admit_result *result)
{
    size_t n = (size_t)w->in.n, kinds = w->in.kinds;

    admit_write_order(w, result);
    result->reserved = 0;
    if (result->outcome && n) memcpy(result->outcome, w->outcome, n);
    if (result->line && n) memcpy(result->line, w->line, n);
    if (result->order && n) {
        memcpy(result->order, w->order, n * sizeof *w->order);
    }
    if (!result->held) return;
    memcpy(result->held, w->held,
           SKED_ADMIT_HELD_SUMS * kinds * sizeof *w->held);
}

sked_status sked_admit(const sked_admit_input *input, const sked_host *host,
                       sked_admit_result *result, sked_error *err)
{
    skedi_admit w = {.n_moved = 0};
    size_t held;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, ADMIT_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = skedi_hooks_in(&w.hooks, host, err);
    if (rc == SKED_OK) rc = skedi_admit_said(&w, input, err);
    if (rc != SKED_OK) return rc;
    held = SKED_ADMIT_HELD_SUMS * (size_t)w.in.kinds * sizeof *w.held;
    if (w.in.held) memcpy(w.held, w.in.held, held);
    if (!admit_reserve(&w)) {
        rc = skedi_fail_memory(err);
    } else if ((rc = walk_lines(&w)) == SKED_OK) {
        admit_write(&w, result);
    } else {
        (void)skedi_fail_stopped(err, rc);
    }
    admit_drop(&w);
    return rc;
}
