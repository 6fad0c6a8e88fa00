/*
 * Adds records to a history. A call sorts the records into queues and sweeps
 * each queue in a copy, in parallel. When all sweeps succeed, the call reserves
 * memory in the queues. The queues take over the results last.
 */
#include <string.h>

#include "base/par.h"
#include "base/versioned.h"
#include "history/state.h"

/* Checks the records, row by row. */

SKEDI_NO_TAIL_PADDING(sked_history_input, amount);

enum {
    HISTORY_ROWS_V1 = SKEDI_SIZE_THROUGH(sked_history_input, amount),
    ROWS_ROUND = 1 << 18 /* records between two looks at the flag */
};

static sked_status history_rows_in(sked_history_input *rows,
                                   const sked_history_input *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(rows, sizeof *rows, given,
                                     HISTORY_ROWS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (rows->flags & ~(uint32_t)SKED_HISTORY_INPUT_FLAG_ANY_ORDER) {
        return skedi_fail_flags(err, "input");
    }
    if (rows->reserved) return skedi_fail_reserved(err, "input");
    if (rows->form < SKED_HISTORY_FORM_INTERVALS ||
        rows->form > SKED_HISTORY_FORM_UNITS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such form");
    }
    int timed = rows->form != SKED_HISTORY_FORM_UNITS;
    int ends = rows->form == SKED_HISTORY_FORM_INTERVALS;
    const char *missing = !rows->n                  ? NULL
                          : !rows->amount           ? "input.amount"
                          : timed && !rows->start   ? "input.start"
                          : ends && !rows->end      ? "input.end"
                          : !timed && !rows->length ? "input.length"
                                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (rows->n <= INT32_MAX) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "too many records");
}

/* The times of a record, by the form of the record. */
static const char *times_fault(const sked_history_input *rows, size_t i,
                               int64_t *got)
{
    if (rows->form == SKED_HISTORY_FORM_UNITS) {
        *got = rows->length[i];
        return *got < 0 ? "length is negative" : NULL;
    }
    *got = rows->start[i];
    if (!skedi_history_is_time(*got)) return "time is out of range";
    if (rows->form == SKED_HISTORY_FORM_CHANGES) return NULL;
    *got = rows->end[i];
    if (!skedi_history_is_time(*got)) return "time is out of range";
    return *got < rows->start[i] ? "ends before it starts" : NULL;
}

static sked_status record_in(const sked_history *history,
                             const sked_history_input *rows, size_t i,
                             sked_error *err)
{
    skedi_fault fault = {.row = (int64_t)i + 1};
    const int64_t *vec = rows->amount + i * history->kinds;

    if (rows->queue && rows->queue[i] >= history->queues) {
        fault.got = rows->queue[i];
        fault.limit = (int64_t)history->queues - 1;
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such queue", fault);
    }
    const char *what = times_fault(rows, i, &fault.got);
    if (what) return skedi_fail(err, SKED_ERR_RANGE, what, fault);
    for (uint32_t k = 0; k < history->kinds; k++) {
        if (vec[k] >= 0 && vec[k] <= SKED_AMOUNT_MAX) continue;
        fault.got = vec[k];
        fault.limit = SKED_AMOUNT_MAX;
        fault.kind = (int32_t)k + 1;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range", fault);
    }
    return SKED_OK;
}

/* Takes a caller's columns, checked: then each of the first `n` records. As
 * sked_history_add() says. */
static sked_status history_records_in(const sked_history *history,
                                      const sked_history_input *rows, size_t n,
                                      sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        sked_status rc = SKED_OK;
        if (i % ROWS_ROUND == 0) {
            rc = skedi_hooks_check(&history->hooks, i, n);
            if (rc != SKED_OK) {
                return skedi_fail_stopped(err, rc);
            }
        }
        rc = record_in(history, rows, i, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

/* ---- A sweep's result goes into its queue, after memory is reserved ---- */

/* Reserves memory for kept units; reuses the memory of forgotten units
 * first. */
static int units_reserve(sked_history *history, skedi_history_queue *q,
                         size_t more)
{
    size_t size = skedi_history_row_size(history);
    void *unit = q->unit;

    if (!(history->flags & SKED_HISTORY_FLAG_KEEP)) return 1;
    if (q->first_unit > q->n_units) {
        memmove(q->unit, q->unit + q->first_unit * (history->kinds + 1),
                q->n_units * size);
        q->first_unit = 0;
    }
    int done = skedi_ensure(&history->hooks.mem, &unit, &q->unit_cap,
                            q->first_unit + q->n_units + more, size);
    q->unit = unit;
    return done;
}

/* Memory in the queue for what a sweep brings. 0: no memory, nothing
 * changed. */
static int history_reserve(sked_history *history, const skedi_sweep *s)
{
    skedi_history_queue *q = &history->queue[s->queue];
    skedi_mem *mem = &history->hooks.mem;
    void *open = q->open;
    int done = skedi_ensure(mem, &open, &q->open_cap, s->n_open,
                            skedi_history_row_size(history));

    q->open = open;
    return done && units_reserve(history, q, s->n_units) &&
           skedi_curve_reserve(&q->curve, s->n_fresh, mem);
}

/* Appends a unit, or extends the last unit. */
static void keep_unit(const sked_history *history, skedi_history_queue *q,
                      const int64_t *unit)
{
    size_t width = history->kinds + 1, size = skedi_history_row_size(history);
    int64_t *end = q->unit + (q->first_unit + q->n_units) * width;

    if (q->n_units > 0 &&
        memcmp(end - width + 1, unit + 1, size - sizeof *unit) == 0) {
        *(end - width) += unit[0];
        return;
    }
    memcpy(end, unit, size);
    q->n_units++;
}

static void add_work(sked_history *history, uint32_t queue, const int64_t *unit)
{
    size_t kinds = history->kinds;
    skedi_u128 *work = history->work + queue * kinds;
    skedi_u128 *led = history->work_leader + queue * kinds;
    uint32_t leader = skedi_measure_leader(&history->measure, unit + 1);

    for (size_t k = 0; k < kinds; k++) {
        skedi_u128 more = skedi_u128_mul((uint64_t)unit[k + 1],
                                         (uint64_t)unit[0]);
        work[k] = skedi_u128_add(work[k], more);
        if (k == leader) led[k] = skedi_u128_add(led[k], more);
    }
}

/* Takes over the results of a sweep. */
static void history_take(sked_history *history, const skedi_sweep *s)
{
    size_t kinds = history->kinds, width = kinds + 1;
    skedi_history_queue *q = &history->queue[s->queue];
    uint64_t used = 0, all = 0;

    if (s->n_open > 0) {
        memcpy(q->open, s->open, s->n_open * skedi_history_row_size(history));
    }
    memcpy(history->said + s->queue * kinds, s->said, kinds * sizeof *s->said);
    memcpy(history->held + s->queue * kinds, s->held, kinds * sizeof *s->held);
    q->n_open = s->n_open;
    q->clock = s->clock;
    q->began = s->began;
    for (size_t i = 0; i < s->n_units; i++) {
        const int64_t *unit = s->unit + i * width;
        all += (uint64_t)unit[0];
        add_work(history, s->queue, unit);
        if (history->flags & SKED_HISTORY_FLAG_KEEP)
            keep_unit(history, q, unit);
    }
    for (size_t i = 0; i < s->n_list; i++) {
        used += s->list[i].length;
        skedi_curve_add(&q->curve, s->list[i].amount, s->list[i].length);
    }
    q->vacant += all - used;
}

/* A sweep's units by amount: sorted, equal amounts joined. */

static size_t keys_of(const skedi_sweep *s, skedi_keyed *key)
{
    const skedi_measure *m = &s->history->measure;
    size_t width = s->history->kinds + 1, n = 0;

    for (size_t i = 0; i < s->n_units; i++) {
        const int64_t *vec = s->unit + i * width + 1;
        uint64_t amount = skedi_measure_of(m, vec,
                                           skedi_measure_leader(m, vec));
        if (amount == 0) continue;
        key[n++] = (skedi_keyed){.key = amount, .index = (uint32_t)i};
    }
    return n;
}

/* Fills `list` from the units; `key` and `spare` have as much memory as
 * `list`. */
static void sweep_list(skedi_sweep *s, skedi_keyed *key, skedi_keyed *spare)
{
    const skedi_history_queue *q = &s->history->queue[s->queue];
    size_t width = s->history->kinds + 1, n = keys_of(s, key);

    skedi_sort_keys(key, spare, n);
    s->n_list = s->n_fresh = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t length = (uint64_t)s->unit[key[i].index * width];
        if (s->n_list > 0 && s->list[s->n_list - 1].amount == key[i].key) {
            s->list[s->n_list - 1].length += length;
            continue;
        }
        s->list[s->n_list++] = (skedi_lengths){key[i].key, length};
        s->n_fresh += !skedi_curve_has(&q->curve, key[i].key);
    }
}

/*
 * A sweep goes over a queue's records in the order of time. The queue holds a
 * vector: the sum of the last change and of all open intervals. A heap holds
 * the open intervals by end. Time goes from one end or start to the next. Each
 * step with a length is a unit; a unit with the same vector as the last unit
 * extends the last unit.
 *
 * The sweep works on copies, so every fault is found before the history
 * changes.
 */

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

/* Removes the interval that ends first from the heap and from the held
 * vector. */
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

/* Closes all intervals that end up to `time`; `time` lies in the window. */
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

/* A record must not start before the previous record, nor before the clock. */
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

/* Sweeps all records; `rc`, `what` and `fault` describe a refused record.
 * `hooks` is NULL except on the caller's thread. */
static void sweep_run(skedi_sweep *s, const skedi_hooks *hooks)
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

SKEDI_NO_TAIL_PADDING(sked_history_stats, outside);

enum { HISTORY_ROUND = 1 << 18 /* records between two looks at the flag */ };

/* A call with its temporary memory. */
typedef struct history_call {
    sked_history *history;
    sked_history_input rows;
    sked_time until;
    size_t n; /* records */

    skedi_sweep *sweep; /* by named queue */
    size_t n_sweeps;
    uint32_t *row;    /* records by queue */
    skedi_keyed *key; /* records or units, to be sorted; two of each */
    size_t n_keys;
    int64_t *memory; /* of all sweeps */
    size_t n_memory;
    skedi_lengths *list;
    size_t n_units;
    size_t from; /* first sweep of the present round */
} history_call;

/* ---- Records by queue ---- */

static uint32_t queue_of(const history_call *call, size_t i)
{
    return call->rows.queue ? call->rows.queue[i] : 0;
}

/* Counts the records of each named queue; sweeps are in order of first record.
 * A call without records sweeps every queue. */
static void count_records(history_call *call)
{
    sked_history *history = call->history;

    for (size_t i = 0; i < call->n; i++) {
        skedi_history_queue *q = &history->queue[queue_of(call, i)];
        if (q->mark == 0) {
            q->mark = (uint32_t)++call->n_sweeps;
            call->sweep[q->mark - 1] = (skedi_sweep){
                .queue = queue_of(call, i)};
        }
        call->sweep[q->mark - 1].n++;
    }
}

static void deal_records(history_call *call)
{
    uint32_t *row = call->row;

    for (size_t t = 0; t < call->n_sweeps; t++) {
        skedi_sweep *s = &call->sweep[t];
        s->row = row;
        row += s->n;
        s->n = 0;
    }
    for (size_t i = 0; i < call->n; i++) {
        uint32_t mark = call->history->queue[queue_of(call, i)].mark;
        skedi_sweep *s = &call->sweep[mark - 1];
        call->row[(size_t)(s->row - call->row) + s->n++] = (uint32_t)i;
    }
    for (size_t t = 0; t < call->n_sweeps; t++) {
        call->history->queue[call->sweep[t].queue].mark = 0;
    }
}

static int sweeps_reserve(history_call *call)
{
    skedi_mem *mem = &call->history->hooks.mem;
    size_t queues = call->history->queues;
    size_t most = call->n && call->n < queues ? call->n : queues;

    call->sweep = skedi_new(mem, most, sizeof *call->sweep);
    call->row = skedi_new(mem, call->n, sizeof *call->row);
    if (!call->sweep || !call->row) return 0;
    if (call->n == 0) {
        call->n_sweeps = queues;
        for (uint32_t q = 0; q < queues; q++) call->sweep[q].queue = q;
        return 1;
    }
    count_records(call);
    deal_records(call);
    return 1;
}

/* ---- Sweeps ---- */

/* Reserves each sweep's copy of its queue, and memory for units. */
static int memory_for_sweeps(history_call *call)
{
    const sked_history *history = call->history;
    size_t kinds = history->kinds, width = kinds + 1;

    for (size_t t = 0; t < call->n_sweeps; t++) {
        const skedi_sweep *s = &call->sweep[t];
        size_t n_open = history->queue[s->queue].n_open;
        size_t rows = n_open + s->n + skedi_sweep_most(s->n, n_open);
        call->n_memory += rows * width + 2 * kinds;
    }
    call->memory = skedi_new(&call->history->hooks.mem, call->n_memory,
                             sizeof *call->memory);
    return call->memory != NULL;
}

static void copy_queue(const history_call *call, skedi_sweep *s,
                       int64_t *memory)
{
    const sked_history *history = call->history;
    const skedi_history_queue *q = &history->queue[s->queue];
    size_t kinds = history->kinds, width = kinds + 1;

    s->history = history;
    s->rows = &call->rows;
    s->until = call->until;
    s->clock = q->clock;
    s->began = q->began;
    s->n_open = q->n_open;
    s->said = memory;
    s->held = memory + kinds;
    s->open = s->held + kinds;
    s->unit = s->open + (q->n_open + s->n) * width;
    memcpy(s->said, history->said + s->queue * kinds, kinds * sizeof *memory);
    memcpy(s->held, history->held + s->queue * kinds, kinds * sizeof *memory);
    if (q->n_open > 0) {
        memcpy(s->open, q->open, q->n_open * width * sizeof *memory);
    }
}

static void copy_queues(history_call *call)
{
    size_t kinds = call->history->kinds, width = kinds + 1;
    int64_t *memory = call->memory;

    for (size_t t = 0; t < call->n_sweeps; t++) {
        skedi_sweep *s = &call->sweep[t];
        copy_queue(call, s, memory);
        size_t rows = s->n_open + s->n + skedi_sweep_most(s->n, s->n_open);
        memory += rows * width + 2 * kinds;
    }
}

/* Puts a sweep's records in order of time. */
static void sort_records(const history_call *call, skedi_sweep *s)
{
    size_t first = (size_t)(s->row - call->row);
    skedi_keyed *key = call->key + first, *spare = key + call->n;
    uint32_t *row = call->row + first;

    for (size_t i = 0; i < s->n; i++) {
        key[i].key = skedi_key_signed(call->rows.start[row[i]]);
        key[i].index = row[i];
    }
    skedi_sort_keys(key, spare, s->n);
    for (size_t i = 0; i < s->n; i++) row[i] = key[i].index;
}

static void sweep_one(const history_call *call, size_t t,
                      const skedi_hooks *hooks)
{
    if (call->key) sort_records(call, &call->sweep[t]);
    sweep_run(&call->sweep[t], hooks);
}

static void sweep_task(void *arg, size_t i)
{
    const history_call *call = arg;

    sweep_one(call, call->from + i, NULL);
}

static void list_task(void *arg, size_t i)
{
    const history_call *call = arg;
    skedi_sweep *s = &call->sweep[call->from + i];
    size_t first = (size_t)(s->list - call->list);

    sweep_list(s, call->key + first, call->key + call->n_units + first);
}

/* Runs all sweeps, some in parallel; the caller's thread runs a large sweep
 * alone. */
static sked_status do_rounds(history_call *call, sked_task_fn task, int large)
{
    const skedi_hooks *hooks = &call->history->hooks;
    sked_status rc = SKED_OK;

    for (size_t to = 0; rc == SKED_OK && to < call->n_sweeps;) {
        size_t work = 0;
        call->from = to;
        while (to < call->n_sweeps && work < HISTORY_ROUND) {
            work += 1 + call->sweep[to].n + call->sweep[to].n_open;
            to++;
        }
        rc = skedi_hooks_check(hooks, call->from, call->n_sweeps);
        if (rc != SKED_OK) return rc;
        if (large && to - call->from == 1) {
            sweep_one(call, call->from, hooks);
            rc = call->sweep[call->from].what ? SKED_OK
                                              : call->sweep[call->from].rc;
        } else {
            rc = skedi_par_for(hooks, to - call->from, task, call);
        }
    }
    return rc;
}

/* The refused record that comes first in the call, if any. */
static sked_status refusal(const history_call *call, sked_error *err)
{
    const skedi_sweep *first = NULL;

    for (size_t t = 0; t < call->n_sweeps; t++) {
        const skedi_sweep *s = &call->sweep[t];
        if (s->rc == SKED_OK) continue;
        if (!first || s->fault.row < first->fault.row) first = s;
    }
    if (!first) return SKED_OK;
    return skedi_fail(err, first->rc, first->what, first->fault);
}

static sked_status sweep_all(history_call *call, sked_error *err)
{
    skedi_mem *mem = &call->history->hooks.mem;

    if (call->rows.flags & SKED_HISTORY_INPUT_FLAG_ANY_ORDER &&
        call->rows.form != SKED_HISTORY_FORM_UNITS) {
        call->n_keys = 2 * call->n;
        call->key = skedi_new(mem, call->n_keys, sizeof *call->key);
        if (!call->key) {
            return skedi_fail_memory(err);
        }
    }
    sked_status rc = do_rounds(call, sweep_task, 1);
    skedi_free(mem, call->key, call->n_keys, sizeof *call->key);
    call->key = NULL;
    if (rc == SKED_OK) return refusal(call, err);
    return skedi_fail_stopped(err, rc);
}

/* ---- Results ---- */

static sked_status list_all(history_call *call, sked_error *err)
{
    skedi_mem *mem = &call->history->hooks.mem;

    for (size_t t = 0; t < call->n_sweeps; t++) {
        call->n_units += call->sweep[t].n_units;
    }
    call->n_keys = 2 * call->n_units;
    call->list = skedi_new(mem, call->n_units, sizeof *call->list);
    call->key = skedi_new(mem, call->n_keys, sizeof *call->key);
    if (!call->list || !call->key) {
        return skedi_fail_memory(err);
    }
    skedi_lengths *list = call->list;
    for (size_t t = 0; t < call->n_sweeps; t++) {
        call->sweep[t].list = list;
        list += call->sweep[t].n_units;
    }
    sked_status rc = do_rounds(call, list_task, 0);
    if (rc == SKED_OK) return SKED_OK;
    return skedi_fail_stopped(err, rc);
}

static sked_status take_all(history_call *call, sked_history_stats *counts,
                            sked_error *err)
{
    sked_history_stats sum = {0, 0};

    for (size_t t = 0; t < call->n_sweeps; t++) {
        if (history_reserve(call->history, &call->sweep[t])) continue;
        return skedi_fail_memory(err);
    }
    for (size_t t = 0; t < call->n_sweeps; t++) {
        history_take(call->history, &call->sweep[t]);
        sum.empty += call->sweep[t].empty;
        sum.outside += call->sweep[t].outside;
    }
    if (counts) *counts = sum;
    return SKED_OK;
}

static void call_free(history_call *call)
{
    skedi_mem *mem = &call->history->hooks.mem;
    size_t queues = call->history->queues;
    size_t most = call->n && call->n < queues ? call->n : queues;

    skedi_free(mem, call->sweep, most, sizeof *call->sweep);
    skedi_free(mem, call->row, call->n, sizeof *call->row);
    skedi_free(mem, call->key, call->n_keys, sizeof *call->key);
    skedi_free(mem, call->memory, call->n_memory, sizeof *call->memory);
    skedi_free(mem, call->list, call->n_units, sizeof *call->list);
}

static sked_status call_run(history_call *call, sked_history_stats *counts,
                            sked_error *err)
{
    sked_status rc;

    if (!sweeps_reserve(call) || !memory_for_sweeps(call)) {
        rc = skedi_fail_memory(err);
    } else {
        copy_queues(call);
        rc = sweep_all(call, err);
        if (rc == SKED_OK) rc = list_all(call, err);
        if (rc == SKED_OK) rc = take_all(call, counts, err);
    }
    call_free(call);
    return rc;
}

sked_status sked_history_add(sked_history *history,
                             const sked_history_input *input,
                             sked_history_stats *counts, sked_error *err)
{
    history_call call = {.history = history, .until = INT64_MIN};

    const char *missing = !history ? "history" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = history_rows_in(&call.rows, input, err);
    if (rc != SKED_OK) return rc;
    call.n = (size_t)call.rows.n;
    rc = history_records_in(history, &call.rows, call.n, err);
    if (rc != SKED_OK) return rc;
    if (call.n > 0) return call_run(&call, counts, err);
    if (counts) *counts = (sked_history_stats){0, 0};
    return SKED_OK;
}

sked_status sked_history_settle(sked_history *history, sked_time time,
                                sked_error *err)
{
    history_call call = {.history = history, .until = time};

    if (!history) {
        return skedi_fail_null(err, "history");
    }
    if (time == SKED_HISTORY_END || skedi_history_is_time(time)) {
        return call_run(&call, NULL, err);
    }
    return skedi_fail(err, SKED_ERR_RANGE, "time is out of range",
                      (skedi_fault){.got = time});
}
