/*
 * A count for each queue that has a rate, and the moment at which its second
 * began. Nothing happens when a second is over: what it let start is taken off
 * when the count is read. Only a queue that refused something is looked at
 * again by itself, at the first such moment (`rate_due`).
 */
#include "engine/order/rates.h"

#include "engine/queue.h"

#define RATE_SECOND INT64_C(1000000000)

int skedi_rates_said(const skedi_image *image)
{
    const int64_t *rate = image->number[SKEDI_AT_START_RATE];

    for (uint32_t row = 0; rate && row < image->n; row++) {
        if (rate[row] != SKED_UNLIMITED) return 1;
    }
    return 0;
}

void skedi_rates_fill(sked_engine *e, const skedi_image *image)
{
    for (uint32_t row = 0; e->rated && row < e->rows.n; row++) {
        e->rows.rate[row].most = image->number[SKEDI_AT_START_RATE][row];
    }
}

void skedi_rates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of)
{
    e->rate_due = INT64_MAX; /* nothing is struck yet */
    for (uint32_t row = 0; e->rated && old->rated && row < old->rows.n; row++) {
        uint32_t to = row_of ? row_of[row] : row;
        const engine_rate *was = &old->rows.rate[row];
        if (to == SKEDI_NO_ROW || was->most == SKED_UNLIMITED) continue;
        e->rows.rate[to].begin = was->begin;
        e->rows.rate[to].count = was->count;
    }
}

/* Takes off what the seconds that are over by now let start. */
static engine_rate rate_now(const sked_engine *e, uint32_t row)
{
    engine_rate r = e->rows.rate[row];

    if (r.most == SKED_UNLIMITED || r.count == 0) return r;
    uint64_t over = (uint64_t)e->now - (uint64_t)r.begin;
    over /= (uint64_t)RATE_SECOND;
    if (over > (uint64_t)(r.count / r.most)) {
        r.count = 0;
    } else { /* no overflow: not more than was counted, and not later than now */
        r.count -= (int64_t)over * r.most;
        r.begin += (int64_t)over * RATE_SECOND;
    }
    return r;
}

uint32_t skedi_rate_refusal(const sked_engine *e, uint32_t leaf)
{
    uint32_t refused = SKEDI_NONE;

    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = rate_now(e, row);
        if (r.count >= r.most) refused = row;
        if (row == 0) return refused;
    }
}

uint64_t skedi_rate_left(const sked_engine *e, uint32_t leaf)
{
    uint64_t left = UINT64_MAX;

    if (!e->rated) return left;
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = rate_now(e, row);
        uint64_t own = (uint64_t)skedi_i64_max(r.most - r.count, 0);
        if (own < left) left = own;
        if (row == 0) return left;
    }
}

sked_time skedi_rate_lapse(const sked_engine *e, uint32_t row)
{
    engine_rate r = rate_now(e, row);
    int64_t seconds = r.count / r.most;

    if (seconds == 0) return e->now;
    if (r.begin > INT64_MAX - seconds * RATE_SECOND) return INT64_MAX;
    return r.begin + seconds * RATE_SECOND;
}

void skedi_rates_count(sked_engine *e, uint32_t leaf, uint32_t count)
{
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = rate_now(e, row);
        if (r.most != SKED_UNLIMITED) {
            if (r.count == 0) r.begin = e->now;
            r.count += count;
            e->rows.rate[row] = r;
        }
        if (row == 0) return;
    }
}

void skedi_rates_strike(sked_engine *e, uint32_t row, uint32_t partition)
{
    skedi_books_strike(e, row, partition, ~SKEDI_MIXED_CLASSES);
    skedi_books_strike(e, row, partition, SKEDI_MIXED_CLASSES);
    e->rate_due = skedi_i64_min(e->rate_due, skedi_rate_lapse(e, row));
}

void skedi_rates_lift(sked_engine *e, sked_time now)
{
    sked_time before = e->now;

    e->rate_due = INT64_MAX;
    e->now = now;
    for (uint32_t row = 0; e->rated && row < e->rows.n; row++) {
        if (e->rows.rate[row].most == SKED_UNLIMITED) continue;
        sked_time due = skedi_rate_lapse(e, row);
        if (due > now) {
            e->rate_due = skedi_i64_min(e->rate_due, due);
        } else {
            skedi_head_open(e, row);
        }
    }
    e->now = before;
}
