/* What a row may have, and what a family has together. */
#include "share/dominant.h"

int64_t skedi_dominant_told(const int64_t *column, uint32_t row, int64_t rest)
{
    return column ? column[row] : rest;
}

int64_t skedi_dominant_cap(const skedi_dominant *d, uint32_t k, uint32_t row)
{
    const skedi_share_told_columns *c = &d->told[k];
    skedi_share_told told = {
        .guarantee = skedi_dominant_told(c->guarantee, row, 0),
        .limit = skedi_dominant_told(c->limit, row, SKED_UNLIMITED),
        .borrow = skedi_dominant_told(c->borrow, row, SKED_UNLIMITED),
    };
    int64_t cap = skedi_share_cap(&told);
    int draining = c->state && (c->state[row] & SKEDI_ROW_DRAINING);

    return draining ? skedi_i64_min(cap, skedi_dominant_told(c->usage, row, 0))
                    : cap;
}

void skedi_dominant_sum(skedi_dominant *d, const skedi_family *f)
{
    for (uint32_t k = 0; k < d->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < f->count; i++) {
            sum += d->share[skedi_dominant_at(d, k, f->first + i)];
        }
        d->share[skedi_dominant_at(d, k, f->parent)] = sum;
    }
}
