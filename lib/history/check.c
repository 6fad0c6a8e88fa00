/* Every invariant of a history, from what it holds. */
#include "history/state.h"

static int heap_is_sound(const sked_history *history,
                         const skedi_history_queue *q)
{
    size_t width = history->kinds + 1;

    for (size_t i = 1; i < q->n_open; i++) {
        if (q->open[i * width] < q->open[(i - 1) / 2 * width]) return 0;
    }
    return q->n_open == 0 || q->open[0] > q->clock;
}

/* What is held is what was said and all that is open. */
static int held_is_sound(const sked_history *history, uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1;

    for (size_t k = 0; k < kinds; k++) {
        int64_t sum = history->said[queue * kinds + k];
        for (size_t i = 0; i < q->n_open; i++)
            sum += q->open[i * width + k + 1];
        if (sum != history->held[queue * kinds + k]) return 0;
    }
    return 1;
}

/* Sums of kept units, against those that went along. */
static int units_are_sound(const sked_history *history, uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1;
    uint64_t all = 0;
    skedi_u128 work = skedi_u128_of(0);

    if (!(history->flags & SKED_HISTORY_FLAG_KEEP)) return q->n_units == 0;
    for (size_t i = 0; i < q->n_units; i++) {
        const int64_t *unit = q->unit + (q->first_unit + i) * width;
        if (unit[0] <= 0) return 0;
        all += (uint64_t)unit[0];
        work = skedi_u128_add(
            work, skedi_u128_mul((uint64_t)unit[1], (uint64_t)unit[0]));
    }
    return all == skedi_curve_sum(&q->curve) + q->vacant &&
           skedi_u128_cmp(work, history->work[queue * kinds]) == 0;
}

sked_status sked_history_check(const sked_history *history, sked_error *err)
{
    if (!history) {
        return skedi_fail_null(err, "history");
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        const skedi_history_queue *q = &history->queue[i];
        const char *what = NULL;
        if (!skedi_curve_are_sound(&q->curve)) what = "amounts";
        if (!heap_is_sound(history, q)) what = "open intervals";
        if (!held_is_sound(history, i)) what = "what is held";
        if (!units_are_sound(history, i)) what = "units";
        if (q->mark != 0) what = "mark of a call";
        if (!what) continue;
        return skedi_fail(err, SKED_ERR_INTERNAL, what,
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}
