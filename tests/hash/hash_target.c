/* Targets of preemption of random trees, in every dialect. */
#include <sched/target.h>

#include "hash.h"

enum { ROWS = 24, KINDS = 2, CELLS = ROWS * KINDS };

typedef struct drawn {
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int32_t priority[ROWS];
    uint8_t from[ROWS];
    int64_t min_timeout[ROWS];
    int64_t threshold[ROWS];
    sked_time since[ROWS];
    uint32_t rounds[ROWS];
    uint32_t reasons[ROWS];
    int64_t guarantee[CELLS];
    int64_t limit[CELLS];
    int64_t usage[CELLS];
    int64_t demand[CELLS];
    int64_t capacity[KINDS];
    int64_t found[6][CELLS];
    int64_t total[3][KINDS];
} drawn;

static void draw_amounts(int64_t *cells, uint64_t *random, uint64_t bits)
{
    for (unsigned i = 0; i < CELLS; i++) {
        uint64_t x = hash_random(random);
        cells[i] = x % 3 ? (int64_t)(x >> (64 - bits)) : 0;
    }
}

static void draw_rows(drawn *d, uint64_t *random)
{
    d->parent[0] = -1;
    for (unsigned i = 0; i < ROWS; i++) {
        uint64_t up = hash_below(random, i ? i : 1);
        uint64_t x = hash_random(random);
        if (i) d->parent[i] = (int32_t)up;
        d->weight[i] = (uint32_t)(x & 7);
        d->priority[i] = (int32_t)(x >> 8 & 3);
        d->from[i] = (x >> 16 & 7) > 0;
        d->min_timeout[i] = (int64_t)(x >> 24 & 15);
        d->threshold[i] = (int64_t)(x >> 32) % (SKED_PPM + 1);
        d->since[i] = x >> 20 & 1 ? (int64_t)(x >> 28 & 15) : SKED_UNSET;
        d->rounds[i] = (uint32_t)(x >> 40 & 7);
    }
}

static void draw_all(drawn *d, uint64_t *random)
{
    uint64_t bits = 3 + hash_below(random, 50);

    draw_rows(d, random);
    draw_amounts(d->guarantee, random, bits > 5 ? bits - 3 : 2);
    draw_amounts(d->limit, random, bits + 2);
    draw_amounts(d->usage, random, bits);
    draw_amounts(d->demand, random, bits + 1);
    for (unsigned k = 0; k < KINDS; k++) {
        d->capacity[k] = (int64_t)(hash_random(random) >> (64 - bits)) * 6;
    }
}

static sked_target_options draw_options(uint64_t *random)
{
    uint64_t x = hash_random(random);
    sked_target_options o = {.struct_size = sizeof o};

    o.mode = (int32_t)(x % 3);
    if (o.mode == SKED_TARGET_MODE_IMBALANCE) o.flags = (uint32_t)(x >> 4 & 7);
    if (o.mode == SKED_TARGET_MODE_STARVATION) o.scope = (int32_t)(x >> 8 & 1);
    o.ignored_ppm = (int64_t)(x >> 16 & 0xfffff) - 1;
    o.factor_ppm = (int64_t)(x >> 36 & 0x7ffff);
    o.per_round_ppm = (int64_t)(x >> 44 & 0x7ffff) - 1;
    return o;
}

static uint64_t add_found(uint64_t h, const drawn *d)
{
    for (unsigned c = 0; c < 6; c++) h = hash_add_column(h, d->found[c], CELLS);
    for (unsigned c = 0; c < 3; c++) h = hash_add_column(h, d->total[c], KINDS);
    h = hash_add_column(h, d->since, ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        h = hash_add(h, d->reasons[i]);
        h = hash_add(h, d->rounds[i]);
    }
    return h;
}

static uint64_t add_round(uint64_t h, drawn *d, uint64_t *random)
{
    sked_target_options options = draw_options(random);
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = KINDS,
                               .n = ROWS,
                               .parent = d->parent,
                               .weight = d->weight,
                               .priority = d->priority,
                               .guarantee = d->guarantee,
                               .limit = d->limit,
                               .usage = d->usage,
                               .demand = d->demand,
                               .capacity = d->capacity};
    sked_target_once_input in = {.struct_size = sizeof in,
                                 .now = 16,
                                 .queues = &queues,
                                 .preempt_from = d->from,
                                 .min_timeout_ns = d->min_timeout,
                                 .fair_timeout_ns = d->min_timeout,
                                 .fair_threshold_ppm = d->threshold,
                                 .min_since = d->since,
                                 .fair_since = d->since,
                                 .rounds = d->rounds};
    sked_target_result to = {.struct_size = sizeof to,
                             .share = d->found[0],
                             .excess = d->found[1],
                             .keep = d->found[2],
                             .take = d->found[3],
                             .owed = d->found[4],
                             .first = d->found[5],
                             .reasons = d->reasons,
                             .min_since = d->since,
                             .rounds = d->rounds,
                             .need = d->total[0],
                             .budget = d->total[1],
                             .free = d->total[2]};

    HASH_MUST(sked_target_once(&in, &options, NULL, &to, NULL) == SKED_OK);
    return add_found(h, d);
}

uint64_t hash_target(unsigned size);

uint64_t hash_target(unsigned size)
{
    static drawn d;
    uint64_t random = 21, h = 0;

    for (unsigned i = 0; i < 400 * size; i++) {
        draw_all(&d, &random);
        h = add_round(h, &d, &random);
    }
    return h;
}
