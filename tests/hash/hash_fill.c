/* Levels and shares of random families: every form, rounding and bound. */
#include "hash.h"

#include <sched/sked.h>

enum { MOST = 1200 };

static int64_t amount(uint64_t *state, uint64_t shape)
{
    uint64_t x = hash_random(state);

    switch (shape) {
    case 0: return 0;
    case 1: return (int64_t)(x % 7);
    case 2: return (int64_t)(x % 100000);
    case 3: return (int64_t)(x >> 24);
    default: return (int64_t)(x >> 2);
    }
}

static uint32_t weight(uint64_t *state, uint64_t shape)
{
    uint64_t x = hash_random(state);

    switch (shape) {
    case 0: return (uint32_t)(x % 3);
    case 1: return (uint32_t)(1 + x % 1000);
    default: return (uint32_t)x;
    }
}

typedef struct hash_family {
    int64_t lo[MOST];
    int64_t limit[MOST];
    int64_t demand[MOST];
    uint32_t weight[MOST];
    int64_t wide[MOST];
    int64_t share[MOST];
    uint8_t bound[MOST];
    sked_fill_input in;
} hash_family;

static void draw_family(hash_family *f, uint64_t *state)
{
    uint64_t n = hash_below(state, 40);
    uint64_t large = hash_below(state, 40);
    uint64_t lo = hash_below(state, 5);
    uint64_t limit = hash_below(state, 5);
    uint64_t demand = hash_below(state, 5);
    uint64_t shape = hash_below(state, 3);
    uint64_t wide = hash_below(state, 8);
    uint64_t total = hash_random(state);
    uint64_t cut = 2 + hash_below(state, 50);

    if (large == 0) n = MOST - n;
    for (uint64_t i = 0; i < n; i++) {
        f->lo[i] = amount(state, lo) / 4;
        f->limit[i] = amount(state, limit);
        f->demand[i] = amount(state, demand);
        f->weight[i] = weight(state, shape);
        f->wide[i] = amount(state, 4);
    }
    f->in = (sked_fill_input){
        .struct_size = sizeof f->in,
        .total = (int64_t)(total >> cut),
        .n = n,
        .guarantee = f->lo,
        .limit = limit ? f->limit : NULL,
        .demand = demand ? f->demand : NULL,
        .weight = wide ? f->weight : NULL,
        .amount_weight = wide ? NULL : f->wide,
    };
}

static uint64_t add_filling(uint64_t h, hash_family *f, int32_t form,
                            int32_t rounding)
{
    sked_fill_options opts = {.struct_size = sizeof opts,
                              .flags = (uint32_t)form *
                                       SKED_FILL_FLAG_ANTICIPATE,
                              .form = form,
                              .rounding = rounding};
    sked_fill_result result = {
        .struct_size = sizeof result, .share = f->share, .bound = f->bound};

    HASH_MUST(sked_fill(&f->in, &opts, NULL, &result, NULL) == SKED_OK);
    h = hash_add(h, (uint64_t)result.outcome);
    h = hash_add(h, (uint64_t)result.leftover);
    h = hash_add(h, (uint64_t)result.level.num);
    h = hash_add(h, (uint64_t)result.level.den);
    h = hash_add_column(h, f->share, (size_t)f->in.n);
    for (uint64_t i = 0; i < f->in.n; i++) h = hash_add(h, f->bound[i]);
    return h;
}

static uint64_t add_time(uint64_t h, hash_family *f, uint64_t *state)
{
    int64_t k = (int64_t)hash_below(state, 10000000);

    HASH_MUST(sked_fill_time_weights(f->weight, f->demand, (size_t)f->in.n,
                                     f->in.total, k, f->share,
                                     NULL) == SKED_OK);
    return hash_add_column(h, f->share, (size_t)f->in.n);
}

uint64_t hash_fill(unsigned size);

uint64_t hash_fill(unsigned size)
{
    static hash_family f;
    uint64_t state = 31, h = 0;

    for (unsigned i = 0; i < size * 300; i++) {
        draw_family(&f, &state);
        for (int32_t k = 0; k < 6; k++) h = add_filling(h, &f, k / 3, k % 3);
        h = add_time(h, &f, &state);
    }
    return h;
}
