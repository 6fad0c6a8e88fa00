/* Rates: what each queue has counted, second by second. */
#include "ref_engine_may.h"

#include <string.h>

#include "tree/attr.h"

#define SECOND INT64_C(1000000000)

static int64_t rate_of(const skedi_image *image, uint32_t row)
{
    const int64_t *rate = image->number[SKEDI_AT_START_RATE];

    return rate ? rate[row] : SKED_UNLIMITED;
}

static ref_rate *find(const ref_engine *r, sked_queue_id queue)
{
    for (size_t i = 0; i < r->rates; i++) {
        if (r->rate[i].queue == queue) return &r->rate[i];
    }
    return NULL;
}

/* Lets seconds go by, one after the other, until nothing is counted. */
static ref_rate as_of(ref_rate rate, int64_t most, sked_time now)
{
    while (rate.count > 0 && now - rate.begin >= SECOND) {
        rate.begin += SECOND;
        rate.count = rate.count > most ? rate.count - most : 0;
    }
    return rate;
}

int ref_engine_rate_may(const ref_engine *r, const skedi_image *image,
                        uint32_t leaf)
{
    for (int32_t row = (int32_t)leaf; row >= 0; row = image->parent[row]) {
        int64_t most = rate_of(image, (uint32_t)row);
        const ref_rate *rate = find(r, image->id[row]);
        if (most == SKED_UNLIMITED || !rate) continue;
        if (as_of(*rate, most, r->now).count >= most) return 0;
    }
    return 1;
}

void ref_engine_rate_count(ref_engine *r, sked_queue_id leaf, int64_t count)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int32_t row = (int32_t)skedi_image_row(image, leaf);

    for (; row >= 0; row = image->parent[row]) {
        int64_t most = rate_of(image, (uint32_t)row);
        ref_rate *rate = find(r, image->id[row]);
        if (most == SKED_UNLIMITED) continue;
        if (!rate) {
            rate = MORE(r, rate, rates);
            rate->queue = image->id[row];
        }
        *rate = as_of(*rate, most, r->now);
        if (rate->count == 0) rate->begin = r->now;
        rate->count += count;
    }
}

void ref_engine_rates_commit(ref_engine *r)
{
    const skedi_image *image = skedi_tree_image(r->tree);

    for (size_t i = 0; i < r->rates; i++) {
        uint32_t row = skedi_image_row(image, r->rate[i].queue);
        if (row == SKEDI_NO_ROW || rate_of(image, row) == SKED_UNLIMITED) {
            r->rate[i].count = 0;
        }
    }
}
