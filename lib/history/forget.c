/*
 * The sliding window. Units without gaps reach from the oldest time to the
 * clock, so the oldest unit begins where the lengths of all say.
 */
#include "history/state.h"

/* Takes `length` off the oldest unit, from all that was added up. */
static void forget_length(sked_history *history, uint32_t queue, int64_t length)
{
    size_t kinds = history->kinds;
    skedi_history_queue *q = &history->queue[queue];
    int64_t *unit = q->unit + q->first_unit * (kinds + 1);
    uint32_t leader = skedi_measure_leader(&history->measure, unit + 1);
    uint64_t amount = skedi_measure_of(&history->measure, unit + 1, leader);
    skedi_u128 *work = history->work + queue * kinds;
    skedi_u128 *led = history->work_leader + queue * kinds;

    for (size_t k = 0; k < kinds; k++) {
        skedi_u128 less = skedi_u128_mul((uint64_t)unit[k + 1],
                                         (uint64_t)length);
        work[k] = skedi_u128_sub(work[k], less);
        if (k == leader) led[k] = skedi_u128_sub(led[k], less);
    }
    if (amount > 0)
        skedi_curve_take(&q->curve, amount, (uint64_t)length);
    else
        q->vacant -= (uint64_t)length;
    unit[0] -= length;
    if (unit[0] > 0) return;
    q->first_unit++;
    q->n_units--;
}

static void forget_before(sked_history *history, uint32_t queue, sked_time time)
{
    skedi_history_queue *q = &history->queue[queue];
    uint64_t all = skedi_curve_sum(&q->curve) + q->vacant;
    sked_time oldest = q->clock - (int64_t)all;

    while (q->n_units > 0 && oldest < time) {
        int64_t length = q->unit[q->first_unit * (history->kinds + 1)];
        if (length > time - oldest) length = time - oldest;
        forget_length(history, queue, length);
        oldest += length;
    }
}

sked_status sked_history_forget(sked_history *history, sked_time time,
                                sked_error *err)
{
    if (!history) {
        return skedi_fail_null(err, "history");
    }
    if (!(history->flags & SKED_HISTORY_FLAG_KEEP)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "units are not kept");
    }
    if (time <= -SKED_AMOUNT_MAX || time >= SKED_AMOUNT_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "time is out of range",
                          (skedi_fault){.got = time});
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        const skedi_history_queue *q = &history->queue[i];
        if (!q->began || q->clock >= time) continue;
        return skedi_fail(err, SKED_ERR_STATE, "not settled up to there",
                          (skedi_fault){.row = (int64_t)i + 1,
                                        .got = time,
                                        .limit = q->clock});
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        forget_before(history, i, time);
    }
    if (time > history->from) history->from = time;
    return SKED_OK;
}
