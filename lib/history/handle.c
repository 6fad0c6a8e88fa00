/* A history from creation to its end. */
#include "base/versioned.h"
#include "history/state.h"

SKEDI_NO_TAIL_PADDING(sked_history_options, to);

enum { HISTORY_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_history_options, to) };

static sked_status window_in(const sked_history_options *opts, sked_error *err)
{
    if (!(opts->flags & SKED_HISTORY_FLAG_WINDOW)) {
        if (opts->from == 0 && opts->to == 0) return SKED_OK;
        return skedi_fail_plain(err, SKED_ERR_ARG, "window without its flag");
    }
    if (opts->from > -SKED_AMOUNT_MAX && opts->from < opts->to &&
        opts->to < SKED_AMOUNT_MAX) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "window is empty or out of range",
                      (skedi_fault){.got = opts->from, .limit = opts->to});
}

static sked_status history_options_in(sked_history_options *opts,
                                      const sked_history_options *given,
                                      sked_error *err)
{
    const uint32_t flags = SKED_HISTORY_FLAG_WINDOW | SKED_HISTORY_FLAG_KEEP;
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given,
                                     HISTORY_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (opts->flags & ~flags) {
        return skedi_fail_flags(err, "options");
    }
    if (opts->queues > SKED_MAX_QUEUES || opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too many queues or kinds");
    }
    if (opts->queues == 0) opts->queues = 1;
    if (opts->kinds == 0) opts->kinds = 1;
    return window_in(opts, err);
}

static void history_release(sked_history *history, skedi_mem *mem)
{
    size_t size = skedi_history_row_size(history);
    size_t rows = (size_t)history->queues * history->kinds;

    for (uint32_t i = 0; history->queue && i < history->queues; i++) {
        skedi_history_queue *q = &history->queue[i];
        skedi_free(mem, q->open, q->open_cap, size);
        skedi_free(mem, q->unit, q->unit_cap, size);
        skedi_curve_free(&q->curve, mem);
    }
    skedi_free(mem, history->queue, history->queues, sizeof *history->queue);
    skedi_free(mem, history->said, rows, sizeof *history->said);
    skedi_free(mem, history->held, rows, sizeof *history->held);
    skedi_free(mem, history->work, rows, sizeof *history->work);
    skedi_free(mem, history->work_leader, rows, sizeof *history->work_leader);
    skedi_free(mem, history, 1, sizeof *history);
}

static int columns_reserve(sked_history *history, skedi_mem *mem)
{
    size_t rows = (size_t)history->queues * history->kinds;

    return (history->queue = skedi_new(mem, history->queues,
                                       sizeof *history->queue)) &&
           (history->said = skedi_new(mem, rows, sizeof *history->said)) &&
           (history->held = skedi_new(mem, rows, sizeof *history->held)) &&
           (history->work = skedi_new(mem, rows, sizeof *history->work)) &&
           (history->work_leader = skedi_new(mem, rows,
                                             sizeof *history->work_leader));
}

static void history_fill(sked_history *history,
                         const sked_history_options *opts)
{
    int windowed = (opts->flags & SKED_HISTORY_FLAG_WINDOW) != 0;

    history->from = windowed ? opts->from : INT64_MIN;
    history->to = windowed ? opts->to : INT64_MAX;
    for (uint32_t i = 0; windowed && i < history->queues; i++) {
        history->queue[i].began = 1;
        history->queue[i].clock = opts->from;
    }
}

sked_status sked_history_new(const int64_t *instance,
                             const sked_history_options *options,
                             const sked_host *host, sked_history **history,
                             sked_error *err)
{
    sked_history_options want;
    skedi_measure measure;
    skedi_hooks hooks;

    if (!history) {
        return skedi_fail_null(err, "history");
    }
    *history = NULL;
    sked_status rc = history_options_in(&want, options, err);
    if (rc == SKED_OK) {
        rc = skedi_measure_in(&measure, instance, want.kinds, want.kind,
                              want.parts, err);
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_history *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->measure = measure;
    made->flags = want.flags;
    made->queues = want.queues;
    made->kinds = want.kinds;
    if (!columns_reserve(made, &hooks.mem)) {
        history_release(made, &hooks.mem);
        return skedi_fail_memory(err);
    }
    history_fill(made, &want);
    made->hooks = hooks;
    *history = made;
    return SKED_OK;
}

void sked_history_free(sked_history *history)
{
    if (!history) return;
    sked_host host = history->hooks.host;
    skedi_mem mem = history->hooks.mem;
    history_release(history, &mem);
    skedi_hooks_done(host);
}
