/*
 * How many applications run at once is a history like any other: each holds
 * one from its start to its end, and the number for a queue is a percentile of
 * that.
 */
#include <sched/history.h>
#include <sched/plan.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_plan_running_input, head_room_ppm);

enum {
    RUNNING_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_plan_running_input,
                                          head_room_ppm)
};

static const int64_t head_room_most = 1000000000;

/* What one call works with. */
typedef struct running_call {
    sked_plan_running_input in;
    skedi_hooks hooks;
    sked_host host; /* for the history: without user_free */
    sked_history *history;
    uint32_t *queue; /* by application; those that do not count: one behind */
    int64_t *one;    /* what each holds */
    sked_pctl_point *point;
} running_call;

static sked_status running_range(sked_error *err, const char *message,
                                 int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, message,
                      (skedi_fault){.got = got, .limit = limit});
}

static sked_status running_check(sked_plan_running_input *in, sked_error *err)
{
    if (in->flags) {
        return skedi_fail_flags(err, "input");
    }
    if (in->n > INT32_MAX || in->queues >= SKED_MAX_QUEUES) {
        return running_range(err, "too many applications or queues",
                             (int64_t)in->n, INT32_MAX);
    }
    const char *missing = in->n > 0 && !in->start ? "input.start"
                          : in->n > 0 && !in->end ? "input.end"
                                                  : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->part_ppm < 0 || in->part_ppm > SKED_PPM) {
        return running_range(err, "no such part of the time", in->part_ppm,
                             SKED_PPM);
    }
    if (in->head_room_ppm < 0 || in->head_room_ppm > head_room_most) {
        return running_range(err, "no such head room", in->head_room_ppm,
                             head_room_most);
    }
    if (in->part_ppm == 0) in->part_ppm = SKED_PPM;
    if (in->head_room_ppm == 0) in->head_room_ppm = 1250000;
    return SKED_OK;
}

static sked_status running_take(running_call *call,
                                const sked_plan_running_input *in,
                                const sked_host *host, sked_error *err)
{
    sked_status rc = skedi_struct_in(&call->in, sizeof call->in, in,
                                     RUNNING_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = running_check(&call->in, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&call->hooks, host, err);
    call->host = call->hooks.host;
    call->host.user_free = NULL;
    return rc;
}

static sked_status running_reserve(running_call *call, sked_error *err)
{
    skedi_mem *mem = &call->hooks.mem;

    call->queue = skedi_new(mem, (size_t)call->in.n, sizeof *call->queue);
    call->one = skedi_new(mem, (size_t)call->in.n, sizeof *call->one);
    call->point = skedi_new(mem, (size_t)call->in.queues, sizeof *call->point);
    if (call->queue && call->one && call->point) return SKED_OK;
    return skedi_fail_memory(err);
}

static sked_status running_fill(running_call *call, sked_error *err)
{
    const sked_plan_running_input *in = &call->in;

    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t queue = in->queue ? in->queue[i] : 0;
        if (queue >= in->queues && queue != SKED_PLAN_NO_LEAF) {
            return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such queue",
                              (skedi_fault){.row = (int64_t)i + 1,
                                            .got = queue,
                                            .limit = (int64_t)in->queues});
        }
        call->queue[i] = queue == SKED_PLAN_NO_LEAF ? (uint32_t)in->queues
                                                    : queue;
        call->one[i] = 1;
    }
    return SKED_OK;
}

static sked_status running_settle(running_call *call, sked_error *err)
{
    const sked_plan_running_input *in = &call->in;
    int window = in->from != 0 || in->to != 0;
    const sked_history_options opts = {
        .struct_size = sizeof opts,
        .flags = window ? SKED_HISTORY_FLAG_WINDOW : 0,
        .queues = (uint32_t)in->queues + 1,
        .from = in->from,
        .to = in->to,
    };
    const sked_history_input rows = {
        .struct_size = sizeof rows,
        .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
        .form = SKED_HISTORY_FORM_INTERVALS,
        .n = in->n,
        .queue = call->queue,
        .start = in->start,
        .end = in->end,
        .amount = call->one,
    };
    sked_status rc = sked_history_new(NULL, &opts, &call->host, &call->history,
                                      err);

    if (rc == SKED_OK) rc = sked_history_add(call->history, &rows, NULL, err);
    if (rc != SKED_OK) return rc;
    return sked_history_settle(call->history, SKED_HISTORY_END, err);
}

/* ceil(amount * head room), from 1 to what a queue may be told. */
static int64_t with_head_room(int64_t amount, int64_t head_room)
{
    uint64_t rem;
    uint64_t n = skedi_muldiv((uint64_t)amount, (uint64_t)head_room,
                              (uint64_t)SKED_PPM, &rem);

    n += rem > 0;
    if (n < 1) return 1;
    return n < INT32_MAX ? (int64_t)n : INT32_MAX;
}

static sked_status running_find(running_call *call, int64_t *max_running,
                                sked_error *err)
{
    const sked_plan_running_input *in = &call->in;
    const sked_ratio part = {in->part_ppm, SKED_PPM};
    sked_status rc = running_reserve(call, err);

    if (rc == SKED_OK) rc = running_fill(call, err);
    if (rc == SKED_OK) rc = running_settle(call, err);
    if (rc == SKED_OK && in->queues > 0) {
        rc = sked_history_pctl(call->history, NULL, (size_t)in->queues, &part,
                               1, call->point, NULL, err);
    }
    for (uint32_t q = 0; rc == SKED_OK && q < in->queues; q++) {
        max_running[q] = with_head_room(call->point[q].amount,
                                        in->head_room_ppm);
    }
    return rc;
}

static void running_release(running_call *call)
{
    skedi_mem *mem = &call->hooks.mem;

    sked_history_free(call->history);
    skedi_free(mem, call->queue, (size_t)call->in.n, sizeof *call->queue);
    skedi_free(mem, call->one, (size_t)call->in.n, sizeof *call->one);
    skedi_free(mem, call->point, (size_t)call->in.queues, sizeof *call->point);
}

sked_status sked_plan_running(const sked_plan_running_input *input,
                              const sked_host *host, int64_t *max_running,
                              sked_error *err)
{
    running_call call = {.history = NULL};

    const char *missing = !input         ? "input"
                          : !max_running ? "max_running"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = running_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = running_find(&call, max_running, err);
    running_release(&call);
    return rc;
}
