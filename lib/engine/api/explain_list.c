/* What queues hold and may hold, as an explanation says it. */
#include "engine/api/explain_list.h"

#include "engine/core/refusal.h"
#include "engine/order/books.h"

void skedi_explain_add(explain_list *list, sked_engine_bound bound, int binds)
{
    bound.binds = binds && !list->bound;
    list->bound |= binds;
    if (list->n < list->cap) list->at[list->n] = bound;
    list->n++;
}

void skedi_explain_delta(const sked_engine *e, const engine_ask *a,
                         uint32_t row, uint32_t partition, const int64_t *step,
                         int64_t *delta)
{
    uint32_t at = job_at(e, a->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (; at != row; at = (uint32_t)e->rows.parent[at]) {
        skedi_books_climb(e, cell_of(e, at, partition), delta);
    }
}

explain_line skedi_explain_limit(const sked_engine *e, uint32_t row,
                                 uint32_t partition, uint32_t k, int64_t step,
                                 int64_t delta)
{
    size_t at = (size_t)row * e->kinds + k, cell = cell_of(e, row, partition);
    int64_t all = skedi_amount_add(skedi_row_used(e, row, k),
                                   e->rows.reserved[at]);
    int64_t here = delta > 0 ? skedi_amount_add(skedi_booked(e, cell)[k], delta)
                             : skedi_amount_add(
                                   cell_row(e, e->cell_used, cell)[k], step);
    explain_line whole = {skedi_amount_add(all, step), e->rows.ceiling[at]};
    explain_line local = {here, cell_row(e, e->cell_limit, cell)[k]};

    /* No overflow: neither is negative. */
    return whole.bound - whole.need <= local.bound - local.need ? whole : local;
}

void skedi_explain_all_of(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *all,
                          explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row, k = 0;
    int64_t delta[SKED_MAX_KINDS], need;
    int32_t reason = skedi_exclusive_bound(e, ask, partition, all, &row, &k);
    explain_line line;

    if (reason == SKED_REASON_ORDER) return;
    if (reason == SKED_REASON_MASTERS) {
        row = job_at(e, a->job)->row;
        (void)skedi_masters_against(e, ask, partition, all, &k, &need);
        line = (explain_line){need, skedi_masters_bound(e, row, partition, k)};
    } else {
        skedi_explain_delta(e, a, row, partition, all, delta);
        line = skedi_explain_limit(e, row, partition, k, all[k], delta[k]);
    }
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = reason,
                                          .kind = (int32_t)k,
                                          .ask = a->key,
                                          .queue = e->rows.id[row],
                                          .need = line.need,
                                          .bound = line.bound,
                                          .partition = partition},
                      1);
}
