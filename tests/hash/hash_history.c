/* Histories from records in all forms, percentiles of their units, reserves. */
#include <sched/history.h>

#include <stdlib.h>

#include "hash.h"

enum { QUEUES = 4, KINDS = 2, ROWS = 60, UNITS = 4000, MANY = 40000 };

typedef struct records {
    uint32_t queue[ROWS];
    sked_time start[ROWS];
    sked_time end[ROWS];
    int64_t length[ROWS];
    int64_t amount[ROWS * KINDS];
} records;

static void draw(records *r, sked_time at, uint64_t *random)
{
    for (int i = 0; i < ROWS; i++) {
        uint64_t bits = hash_below(random, 40);
        r->queue[i] = (uint32_t)hash_below(random, QUEUES);
        r->start[i] = at + (sked_time)hash_below(random, 1000);
        r->length[i] = (int64_t)(hash_random(random) >> (63 - bits));
        r->end[i] = r->start[i] + r->length[i];
        for (int k = 0; k < KINDS; k++) {
            bits = hash_below(random, 50);
            r->amount[i * KINDS + k] = (int64_t)(hash_random(random) >>
                                                 (63 - bits));
        }
    }
}

static uint64_t add_wide(uint64_t h, sked_wide x)
{
    h = hash_add(h, x.high);
    return hash_add(h, x.low);
}

static uint64_t add_point(uint64_t h, const sked_pctl_point *p)
{
    h = hash_add_column(h, &p->amount, 1);
    h = hash_add_column(h, &p->lower, 1);
    h = hash_add_column(h, &p->higher, 1);
    h = hash_add_column(h, &p->covered.num, 1);
    h = hash_add_column(h, &p->covered.den, 1);
    return add_wide(h, p->waste);
}

static uint64_t add_queue(uint64_t h, const sked_history *history, uint32_t q)
{
    static int64_t length[UNITS], amount[UNITS * KINDS];
    const sked_ratio p[] = {{1, 2}, {95, 100}, {1, 1}};
    sked_pctl_point point[3];
    sked_pctl_queue total;
    sked_pctl_reserved_result plan;
    sked_wide work[KINDS], led[KINDS];
    size_t n = 0;

    HASH_MUST(sked_history_units(history, q, length, amount, UNITS, &n, NULL) ==
              SKED_OK);
    h = hash_add_column(h, length, n);
    h = hash_add_column(h, amount, n * KINDS);
    HASH_MUST(sked_history_pctl(history, &q, 1, p, 3, point, &total, NULL) ==
              SKED_OK);
    for (int j = 0; j < 3; j++) h = add_point(h, &point[j]);
    h = add_wide(h, total.usage);
    HASH_MUST(sked_history_work(history, q, work, led) == SKED_OK);
    for (int k = 0; k < KINDS; k++) {
        h = add_wide(h, work[k]);
        h = add_wide(h, led[k]);
    }
    HASH_MUST(sked_history_reserved(history, q, 0, (sked_ratio){3, 10}, &plan,
                                    NULL) == SKED_OK);
    h = add_wide(h, plan.cheapest.cost);
    return hash_add_column(h, &plan.cheapest.amount, 1);
}

static uint64_t add_history(uint64_t h, uint64_t *random)
{
    static records r;
    const int64_t instance[KINDS] = {16000, (int64_t)61 << 30};
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_KEEP,
                                 .queues = QUEUES,
                                 .kinds = KINDS};
    sked_history *history;
    sked_time at = 0;

    opts.parts = (uint32_t)hash_below(random, 1000);
    HASH_MUST(sked_history_new(instance, &opts, NULL, &history, NULL) ==
              SKED_OK);
    for (int batch = 0; batch < 4; batch++) {
        sked_history_input rows = {.struct_size = sizeof rows,
                                   .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
                                   .n = ROWS,
                                   .queue = r.queue,
                                   .start = r.start,
                                   .end = r.end,
                                   .length = r.length,
                                   .amount = r.amount};
        rows.form = (int32_t)hash_below(random, 3);
        draw(&r, at, random);
        HASH_MUST(sked_history_add(history, &rows, NULL, NULL) == SKED_OK);
        HASH_MUST(sked_history_settle(history, SKED_HISTORY_END, NULL) ==
                  SKED_OK);
        for (uint32_t q = 0; q < QUEUES; q++) {
            sked_history_standing s;
            HASH_MUST(sked_history_get_standing(history, q, &s) == SKED_OK);
            if (s.clock > at) at = s.clock;
            h = add_queue(h, history, q);
        }
        HASH_MUST(sked_history_settle(history, at, NULL) == SKED_OK);
    }
    HASH_MUST(sked_history_forget(history, at / 2, NULL) == SKED_OK);
    for (uint32_t q = 0; q < QUEUES; q++) h = add_queue(h, history, q);
    sked_history_free(history);
    return h;
}

/* One queue that is large enough for a sample. */
static uint64_t add_large(uint64_t h, uint64_t *random)
{
    static int64_t length[MANY], amount[MANY];
    const sked_ratio p[] = {{1, 3}, {9, 10}};
    sked_pctl_input in = {.struct_size = sizeof in,
                          .flags = SKED_PCTL_FLAG_USAGE,
                          .n = MANY,
                          .length = length,
                          .amount = amount,
                          .threshold = p,
                          .queues = 1,
                          .thresholds = 2};
    sked_pctl_point point[2];
    uint64_t width = hash_below(random, 60);

    for (int i = 0; i < MANY; i++) {
        length[i] = (int64_t)hash_below(random, 5000);
        amount[i] = (int64_t)(hash_random(random) >> (63 - width));
    }
    HASH_MUST(sked_pctl(&in, NULL, point, NULL, NULL) == SKED_OK);
    h = add_point(h, &point[0]);
    return add_point(h, &point[1]);
}

uint64_t hash_history(unsigned size);

uint64_t hash_history(unsigned size)
{
    uint64_t random = 17, h = 0;

    for (unsigned i = 0; i < 40 * size; i++) h = add_history(h, &random);
    for (unsigned i = 0; i < 10 * size; i++) h = add_large(h, &random);
    return h;
}
