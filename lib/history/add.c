/*
 * Records into a history. They are sorted into the queues that they name; each
 * of these is swept in copies, in parallel; when all went well there is memory
 * made in the queues, and only then do they take over what came of it.
 */
#include <string.h>

#include "base/par.h"
#include "base/versioned.h"
#include "history/state.h"

SKEDI_NO_TAIL_PADDING(sked_history_stats, outside);

enum { HISTORY_ROUND = 1 << 18 /* records between two looks at the flag */ };

/* A call, and what it takes for its time. */
typedef struct history_call {
    sked_history *history;
    sked_history_input rows;
    sked_time until;
    size_t n; /* records */

    skedi_sweep *sweep; /* of each queue that is touched */
    size_t n_sweeps;
    uint32_t *row;    /* records by queue */
    skedi_keyed *key; /* records or units, to be sorted; two of each */
    size_t n_keys;
    int64_t *memory; /* of all sweeps */
    size_t n_memory;
    skedi_lengths *list;
    size_t n_units;
    size_t from; /* of the round that runs */
} history_call;

/* ---- Records by queue ---- */

static uint32_t queue_of(const history_call *call, size_t i)
{
    return call->rows.queue ? call->rows.queue[i] : 0;
}

/* Counts the records of each queue that is named, in sweeps by first record.
 * Without records every queue is touched. */
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

/* Each sweep's copies of its queue, and memory for its units. */
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
    skedi_sweep_run(&call->sweep[t], hooks);
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

    skedi_sweep_list(s, call->key + first, call->key + call->n_units + first);
}

/* Does all sweeps, some at a time; a large one is done by the caller. */
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

/* The refused record that stands first in the call, if there is one. */
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

/* ---- What comes of them ---- */

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
        if (skedi_history_reserve(call->history, &call->sweep[t])) continue;
        return skedi_fail_memory(err);
    }
    for (size_t t = 0; t < call->n_sweeps; t++) {
        skedi_history_take(call->history, &call->sweep[t]);
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
    sked_status rc = skedi_history_rows_in(&call.rows, input, err);
    if (rc != SKED_OK) return rc;
    call.n = (size_t)call.rows.n;
    rc = skedi_history_records_in(history, &call.rows, call.n, err);
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
