/*
 * A sweep over one queue's records in the order of time. What the queue holds
 * is a vector: the sum of the last change and of all open intervals, which are
 * in a heap by their ends. Time goes from one end or start to the next; each
 * step that has a length is a unit, and is joined with the unit before when the
 * vector is the same.
 *
 * The sweep works on copies, so every fault is found before anything of the
 * history has changed.
 */
#include <string.h>

#include "history/state.h"

enum { SWEEP_ROUND = 1 << 16 /* records between two looks at the flag */ };

/* ---- The heap of open intervals ---- */

static void swap_rows(int64_t *a, int64_t *b, size_t width)
{
    for (size_t k = 0; k < width; k++) {
        int64_t held = a[k];
        a[k] = b[k];
        b[k] = held;
    }
}

static void open_push(skedi_sweep *s, sked_time end, const int64_t *vec)
{
    size_t width = s->history->kinds + 1, at = s->n_open++;
    int64_t *row = s->open + at * width;

    row[0] = end;
    memcpy(row + 1, vec, (width - 1) * sizeof *vec);
    while (at > 0 && s->open[(at - 1) / 2 * width] > s->open[at * width]) {
        swap_rows(s->open + at * width, s->open + (at - 1) / 2 * width, width);
        at = (at - 1) / 2;
    }
}

/* Takes the interval that ends first out of the heap and of what is held. */
static void open_pop(skedi_sweep *s)
{
    size_t width = s->history->kinds + 1, at = 0, n = --s->n_open;
    int64_t *top = s->open;

    for (size_t k = 1; k < width; k++) s->held[k - 1] -= top[k];
    if (n > 0) memcpy(top, s->open + n * width, width * sizeof *top);
    for (;;) {
        size_t kid = 2 * at + 1;
        if (kid >= n) return;
        if (kid + 1 < n && s->open[(kid + 1) * width] < s->open[kid * width]) {
            kid++;
        }
        if (s->open[kid * width] >= s->open[at * width]) return;
        swap_rows(s->open + at * width, s->open + kid * width, width);
        at = kid;
    }
}

/* ---- Time ---- */

/* Adds the unit from the clock to `time`. */
static void step_to(skedi_sweep *s, sked_time time)
{
    size_t kinds = s->history->kinds;
    size_t last = s->n_units ? s->n_units - 1 : 0;
    int64_t *unit = s->unit + last * (kinds + 1);

    if (time <= s->clock) return;
    if (s->n_units > 0 &&
        memcmp(unit + 1, s->held, kinds * sizeof *unit) == 0) {
        unit[0] += time - s->clock;
    } else {
        unit = s->unit + s->n_units++ * (kinds + 1);
        unit[0] = time - s->clock;
        memcpy(unit + 1, s->held, kinds * sizeof *unit);
    }
    s->clock = time;
}

/* Closes all intervals that end up to `time`, which lies in the window. */
static void go_to(skedi_sweep *s, sked_time time)
{
    while (s->n_open > 0 && s->open[0] <= time) {
        step_to(s, s->open[0]);
        open_pop(s);
    }
    step_to(s, time);
}

/* Sweeps to the end of the last interval, and to the end of the window. */
static void go_to_end(skedi_sweep *s)
{
    while (s->n_open > 0) go_to(s, s->open[0]);
    if (s->began && s->history->to != INT64_MAX) go_to(s, s->history->to);
}

static sked_time in_window(const skedi_sweep *s, sked_time time)
{
    if (time < s->history->from) return s->history->from;
    return time > s->history->to ? s->history->to : time;
}

static void sweep_begin(skedi_sweep *s, sked_time time)
{
    if (s->began) return;
    s->began = 1;
    s->clock = time;
}

/* ---- Records ---- */

static int sweep_refuse(skedi_sweep *s, sked_status rc, size_t row,
                        const char *what, skedi_fault fault)
{
    fault.row = (int64_t)row + 1;
    s->fault = fault;
    s->what = what;
    s->rc = rc;
    return 0;
}

/* Adds a vector to what is held; nothing, if a sum would be too large. */
static int hold_more(skedi_sweep *s, const int64_t *vec, size_t row)
{
    size_t kinds = s->history->kinds;

    for (size_t k = 0; k < kinds; k++) {
        skedi_fault fault = {.kind = (int32_t)k + 1,
                             .got = vec[k],
                             .limit = SKED_AMOUNT_MAX - s->held[k]};
        if (vec[k] <= fault.limit) continue;
        return sweep_refuse(s, SKED_ERR_RANGE, row,
                            "queue holds more than 2^62 units", fault);
    }
    for (size_t k = 0; k < kinds; k++) s->held[k] += vec[k];
    return 1;
}

/* The last change becomes `vec`; NULL: nothing. */
static int say(skedi_sweep *s, const int64_t *vec, size_t row)
{
    size_t kinds = s->history->kinds;

    for (size_t k = 0; k < kinds; k++) s->held[k] -= s->said[k];
    memset(s->said, 0, kinds * sizeof *s->said);
    if (!vec) return 1;
    if (!hold_more(s, vec, row)) return 0;
    memcpy(s->said, vec, kinds * sizeof *s->said);
    return 1;
}

static int take_interval(skedi_sweep *s, size_t row, const int64_t *vec)
{
    sked_time start = s->rows->start[row], end = s->rows->end[row];
    sked_time from = in_window(s, start), to = in_window(s, end);

    if (start == end) {
        s->empty++;
        return 1;
    }
    if (from >= to) {
        s->outside++;
        return 1;
    }
    sweep_begin(s, from);
    go_to(s, from);
    if (!hold_more(s, vec, row)) return 0;
    open_push(s, to, vec);
    return 1;
}

static int take_change(skedi_sweep *s, size_t row, const int64_t *vec)
{
    sked_time time = s->rows->start[row];

    if (time >= s->history->to) {
        s->outside++;
        return 1;
    }
    sweep_begin(s, in_window(s, time));
    go_to(s, in_window(s, time));
    return say(s, vec, row);
}

static int take_unit(skedi_sweep *s, size_t row, const int64_t *vec)
{
    int64_t length = s->rows->length[row];
    skedi_fault fault = {.got = length, .limit = SKED_AMOUNT_MAX - 1};

    sweep_begin(s, in_window(s, 0));
    if (length == 0) {
        s->empty++;
        return 1;
    }
    if (s->clock >= s->history->to) {
        s->outside++;
        return 1;
    }
    if (s->clock > 0) fault.limit -= s->clock;
    if (length > fault.limit) {
        return sweep_refuse(s, SKED_ERR_RANGE, row, "time is out of range",
                            fault);
    }
    if (!say(s, vec, row)) return 0;
    go_to(s, in_window(s, s->clock + length));
    return say(s, NULL, row);
}

/* Records must not start before the one before, nor before the clock. */
static int sweep_in_order(skedi_sweep *s, size_t i)
{
    const sked_time *start = s->rows->start;
    sked_time now, before;

    if (s->rows->form == SKED_HISTORY_FORM_UNITS) return 1;
    now = start[s->row[i]];
    before = i > 0 ? start[s->row[i - 1]] : now;
    skedi_fault fault = {.got = now, .limit = before};
    if (now < before) {
        return sweep_refuse(s, SKED_ERR_STATE, s->row[i],
                            "starts before the record before it", fault);
    }
    const skedi_history_queue *q = &s->history->queue[s->queue];
    fault.limit = q->clock;
    if (!q->began || in_window(s, now) >= q->clock) return 1;
    return sweep_refuse(s, SKED_ERR_STATE, s->row[i],
                        "starts before what is settled", fault);
}

static int take_record(skedi_sweep *s, size_t i)
{
    size_t row = s->row[i], kinds = s->history->kinds;
    const int64_t *vec = s->rows->amount + row * kinds;
    int32_t lacks = skedi_measure_lacks(&s->history->measure, vec);
    skedi_fault fault = {.kind = lacks + 1};

    if (!sweep_in_order(s, i)) return 0;
    if (lacks >= 0) {
        fault.got = vec[lacks];
        return sweep_refuse(s, SKED_ERR_RANGE, row,
                            "the instance has nothing of this kind", fault);
    }
    switch (s->rows->form) {
    case SKED_HISTORY_FORM_INTERVALS: return take_interval(s, row, vec);
    case SKED_HISTORY_FORM_CHANGES: return take_change(s, row, vec);
    default: return take_unit(s, row, vec);
    }
}

void skedi_sweep_run(skedi_sweep *s, const skedi_hooks *hooks)
{
    for (size_t i = 0; i < s->n; i++) {
        if (hooks && i % SWEEP_ROUND == 0 && i > 0) {
            s->rc = skedi_hooks_check(hooks, i, s->n);
            if (s->rc != SKED_OK) return;
        }
        if (!take_record(s, i)) return;
    }
    if (s->until == SKED_HISTORY_END)
        go_to_end(s);
    else if (s->began && s->until > s->clock)
        go_to(s, in_window(s, s->until));
}
