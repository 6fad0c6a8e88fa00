/* What a sweep brings goes into its queue: memory first, then the rest. */
#include <string.h>

#include "history/state.h"

/* Memory for kept units; those that were forgotten give theirs back first. */
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

int skedi_history_reserve(sked_history *history, const skedi_sweep *s)
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

/* Appends a unit, or makes the last one longer. */
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

void skedi_history_take(sked_history *history, const skedi_sweep *s)
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
