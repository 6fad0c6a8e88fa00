/*
 * Sums follow every entry, until one is above SKED_AMOUNT_MAX, where it counts
 * as SKED_UNLIMITED. From then on each round adds all of them up anew, until
 * all are amounts again.
 */
#include "engine/preempt/wanted.h"

#include "engine/preempt/rounds.h"

void skedi_wanted_free(engine_wanted *w, skedi_mem *mem, uint32_t kinds)
{
    skedi_free(mem, w->sum, w->cells * kinds, sizeof *w->sum);
    *w = (engine_wanted){0};
}

/* Adds what `by` tasks of an ask hold. 0: some sum is no amount any more. */
static int move_sum(const sked_engine *e, const engine_ask *a, int64_t by,
                    int64_t *sum)
{
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int fits = 1;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (by < 0) {
            sum[k] += task[k] * by;
        } else {
            sum[k] = skedi_amount_add(sum[k], task[k] * by);
        }
        fits &= sum[k] <= SKED_AMOUNT_MAX;
    }
    return fits;
}

void skedi_wanted_move(sked_engine *e, uint32_t ask, int64_t by)
{
    if (!e->preempt->wanted.ready) return;
    engine_wanted *w = &e->preempt->wanted;
    const engine_ask *a = ask_at(e, ask);

    for (uint32_t x = a->first_entry; x != SKEDI_NONE; x = entry_next(e, x)) {
        int64_t *sum = w->sum + (size_t)entry_at(e, x)->cell * e->kinds;
        w->ready &= move_sum(e, a, by, sum);
    }
}

/* All of it anew. 0: no memory. */
static int add_up_wanted(sked_engine *e)
{
    size_t cells = (size_t)e->rows.n * e->parts;

    engine_wanted *w = &e->preempt->wanted;

    skedi_wanted_free(w, &e->hooks.mem, e->kinds);
    w->sum = skedi_new(&e->hooks.mem, cells * e->kinds, sizeof *w->sum);
    if (!w->sum) return 0;
    w->cells = cells;
    w->ready = 1;
    int fits = 1;
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live) continue;
        const engine_ask *a = ask_at(e, x->ask);
        fits &= move_sum(e, a, a->open, w->sum + (size_t)x->cell * e->kinds);
    }
    w->ready = fits;
    return 1;
}

int skedi_wanted_add(sked_engine *e, uint32_t partition, int64_t *rows)
{
    const engine_wanted *w = &e->preempt->wanted;

    if (!w->ready && !add_up_wanted(e)) return 0;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, partition);
        if (!e->cells[cell].open || !row_is_leaf(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t *to = &rows[(size_t)row * e->kinds + k];
            *to = skedi_amount_add(*to, w->sum[cell * e->kinds + k]);
        }
    }
    return 1;
}
