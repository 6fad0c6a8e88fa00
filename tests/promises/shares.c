/* Bounds and guarantees of queues, from the tree and the capacity. */
#include "shares.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t set_amount(const world_queue *q, int32_t attribute, uint32_t k,
                          int64_t rest)
{
    int32_t at = attribute - SKED_QUEUE_GUARANTEE;

    return q->has[at] ? q->amount[at][k] : rest;
}

int shares_drains(const world *w, const world_queue *queue, int32_t row)
{
    for (; row >= 0; row = w->queue[row].parent) {
        if (queue[row].number[SKED_QUEUE_STATE] == SKED_STATE_DRAINING)
            return 1;
    }
    return 0;
}

static void resolve_said(shares *s, uint32_t row, uint32_t k)
{
    const world_queue *q = &s->queue[row];
    int64_t ppm = q->number[SKED_QUEUE_GUARANTEE_PPM];
    int64_t above = q->parent > 0 ? s->row[q->parent].said[k] : s->capacity[k];

    s->row[row].said[k] = ppm == SKED_UNSET
                              ? set_amount(q, SKED_QUEUE_GUARANTEE, k, 0)
                              : above * ppm / SKED_PPM;
}

static void resolve_limit(shares *s, uint32_t row, uint32_t k)
{
    const world_queue *q = &s->queue[row];
    int64_t ppm = q->number[SKED_QUEUE_LIMIT_PPM], base = s->capacity[k];
    int64_t borrow = set_amount(q, SKED_QUEUE_BORROW, k, SKED_UNLIMITED);
    shares_row *r = &s->row[row];

    r->limit[k] = set_amount(q, SKED_QUEUE_LIMIT, k, SKED_UNLIMITED);
    for (int32_t up = q->parent; ppm != SKED_UNSET && up >= 0;
         up = s->queue[up].parent) {
        if (s->row[up].limit[k] == SKED_UNLIMITED) continue;
        base = least(base, s->row[up].limit[k]);
        break;
    }
    if (ppm != SKED_UNSET) r->limit[k] = base * ppm / SKED_PPM;
    r->cap[k] = row == 0 ? least(r->limit[k], s->capacity[k]) : r->limit[k];
    if (row > 0 && borrow != SKED_UNLIMITED) {
        r->cap[k] = least(r->cap[k], r->said[k] + borrow);
    }
}

static int64_t sum_of(const shares *s, uint32_t row, uint32_t k, int kept)
{
    int64_t sum = 0;

    for (uint32_t c = row + 1; c < s->w->rows; c++) {
        if (s->queue[c].parent != (int32_t)row) continue;
        sum += kept ? s->row[c].kept[k] : s->row[c].force[k];
    }
    return sum;
}

/* Weight 0: the guarantee, and where there is none at all, nothing. */
static void bound_weightless(shares *s, uint32_t row)
{
    shares_row *r = &s->row[row];
    int any = 0;

    if (s->queue[row].number[SKED_QUEUE_WEIGHT] != 0) return;
    for (uint32_t k = 0; k < s->w->kinds; k++) any |= r->lifted[k] > 0;
    for (uint32_t k = 0; k < s->w->kinds; k++) {
        if (r->lifted[k] > 0 || !any) r->cap[k] = least(r->cap[k], r->force[k]);
    }
}

static void cut(shares *s, uint32_t row, uint32_t k, int kept)
{
    const shares_row *r = &s->row[row];
    int64_t sum = sum_of(s, row, k, kept),
            has = kept ? r->kept[k] : r->force[k];

    if (sum <= has) return;
    for (uint32_t c = row + 1; c < s->w->rows; c++) {
        if (s->queue[c].parent != (int32_t)row) continue;
        int64_t *at = kept ? &s->row[c].kept[k] : &s->row[c].force[k];
        *at = *at * has / sum;
    }
}

static void resolve_kept(shares *s, uint32_t k)
{
    int any = 0;

    for (uint32_t row = 0; row < s->w->rows; row++) {
        any |= s->queue[row].has[SKED_QUEUE_LEND - SKED_QUEUE_GUARANTEE];
    }
    for (uint32_t row = s->w->rows; any && row-- > 0;) {
        shares_row *r = &s->row[row];
        int64_t lend = set_amount(&s->queue[row], SKED_QUEUE_LEND, k,
                                  SKED_UNLIMITED);
        int64_t own = row == 0 || lend == SKED_UNLIMITED
                          ? 0
                          : most(0, least(r->said[k], r->cap[k]) - lend);
        r->kept[k] = least(r->cap[k], most(own, sum_of(s, row, k, 1)));
        r->kept[k] = least(r->kept[k], r->force[k]); /* never above that */
        if (shares_drains(s->w, s->queue, (int32_t)row)) r->kept[k] = 0;
    }
    for (uint32_t row = 0; any && row < s->w->rows; row++) cut(s, row, k, 1);
}

void shares_resolve(shares *s, const world *w, const world_queue *queue,
                    const int64_t *capacity)
{
    *s = (shares){.w = w, .queue = queue};
    memcpy(s->capacity, capacity, sizeof s->capacity);
    for (uint32_t row = 0; row < w->rows; row++) {
        for (uint32_t k = 0; k < w->kinds; k++) {
            resolve_said(s, row, k);
            resolve_limit(s, row, k);
        }
    }
    for (uint32_t row = w->rows; row-- > 0;) {
        shares_row *r = &s->row[row];
        for (uint32_t k = 0; k < w->kinds; k++) {
            int64_t own = row == 0 ? capacity[k] : r->said[k];
            r->force[k] = least(r->cap[k], most(own, sum_of(s, row, k, 0)));
            r->lifted[k] = r->force[k];
        }
    }
    for (uint32_t row = 0; row < w->rows; row++) {
        for (uint32_t k = 0; k < w->kinds; k++) cut(s, row, k, 0);
    }
    for (uint32_t k = 0; k < w->kinds; k++) resolve_kept(s, k);
    for (uint32_t row = 1; row < w->rows; row++) bound_weightless(s, row);
}

int64_t shares_bound(const shares *s, int32_t row, uint32_t k)
{
    const shares_row *r = &s->row[row];
    int whole = row > 0 || r->kept[k] > 0 || world_is_pooled(s->w, k);

    return whole ? r->cap[k] : r->limit[k];
}
