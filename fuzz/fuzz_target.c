/*
 * Whatever tree, amounts, settings and clocks there are: a call refuses them,
 * or nobody gives and claims of one kind, nothing taken brings a queue below
 * what it keeps, no claim passes a share, and budgets hold.
 */
#include <sched/target.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { ROWS = 20, KINDS = 2, CELLS = ROWS * KINDS };

#define MUST(cond) ((cond) ? (void)0 : abort())

typedef struct world {
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int32_t priority[ROWS];
    uint8_t state[ROWS];
    uint8_t from[ROWS];
    int64_t timeout[ROWS];
    int64_t threshold[ROWS];
    sked_time since[ROWS];
    uint32_t rounds[ROWS];
    int64_t guarantee[CELLS];
    int64_t limit[CELLS];
    int64_t borrow[CELLS];
    int64_t lend[CELLS];
    int64_t usage[CELLS];
    int64_t demand[CELLS];
    int64_t capacity[KINDS];
    int64_t share[CELLS];
    int64_t keep[CELLS];
    int64_t take[CELLS];
    int64_t owed[CELLS];
    int64_t need[KINDS];
    int64_t budget[KINDS];
} world;

static int64_t amount(fuzz_input *in, int unbounded)
{
    uint64_t shape = fuzz_u64(in, 1);

    if (shape < 160) return (int64_t)shape;
    if (shape < 200) return (int64_t)fuzz_u64(in, 4);
    if (shape < 220) return (int64_t)(fuzz_u64(in, 8) >> 2);
    if (shape < 250) return unbounded ? SKED_UNLIMITED : 0;
    return (int64_t)fuzz_u64(in, 8); /* often none at all */
}

static void draw(int64_t *cells, size_t n, fuzz_input *in, int unbounded)
{
    for (size_t i = 0; i < n; i++) cells[i] = amount(in, unbounded);
}

static void draw_rows(world *w, uint32_t n, fuzz_input *in)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = fuzz_u64(in, 2);
        w->parent[i] = i ? (int32_t)(x % (i + (x >> 12 == 15))) : -1;
        w->weight[i] = (uint32_t)(x >> 4 & 7);
        w->priority[i] = (int32_t)(x >> 7 & 1);
        w->state[i] = (x >> 8 & 7) == 7;
        w->from[i] = (x >> 11 & 7) > 0;
        w->timeout[i] = amount(in, 1);
        w->threshold[i] = (int64_t)fuzz_u64(in, 1) * 4000;
        w->since[i] = fuzz_u64(in, 1) ? (int64_t)fuzz_u64(in, 1) : SKED_UNSET;
        w->rounds[i] = (uint32_t)fuzz_u64(in, 1);
    }
}

static sked_target_options options_of(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (sked_target_options){
        .struct_size = sizeof(sked_target_options),
        .flags = (uint32_t)(x >> 2 & 15),
        .mode = (int32_t)(x & 3),
        .scope = (int32_t)(x >> 5 & 1),
        .kind = (uint32_t)(x >> 6 & 1),
        .ignored_ppm = (int64_t)fuzz_u64(in, 2) * 20 - 1,
        .factor_ppm = (int64_t)fuzz_u64(in, 1) * 4000,
        .per_round_ppm = (int64_t)fuzz_u64(in, 1) * 4000 - 1,
    };
}

/* Leaves' demand counts as at least their usage: so does the check. */
static void must_hold(const world *w, uint32_t n)
{
    int64_t sum[KINDS] = {0};

    for (size_t i = 0; i < (size_t)n * KINDS; i++) {
        MUST(w->take[i] >= 0 && w->owed[i] >= 0);
        MUST(w->take[i] == 0 || w->owed[i] == 0);
        MUST(w->keep[i] >= w->share[i]);
        if (w->take[i]) MUST(w->keep[i] == w->share[i]);
        if (w->take[i]) MUST(w->usage[i] - w->take[i] >= w->keep[i]);
        if (w->owed[i]) MUST(w->usage[i] + w->owed[i] <= w->share[i]);
        sum[i % KINDS] += w->take[i];
    }
    for (size_t k = 0; k < KINDS; k++) {
        MUST(sum[k] <= w->budget[k]);
        MUST(w->need[k] >= 0 && w->need[k] <= sum[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    fuzz_input in = {data, data + size};
    sked_target_options options = options_of(&in);
    uint32_t n = 1 + (uint32_t)fuzz_u64(&in, 1) % ROWS;
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = KINDS,
                               .n = n,
                               .parent = w.parent,
                               .weight = w.weight,
                               .priority = w.priority,
                               .guarantee = w.guarantee,
                               .limit = w.limit,
                               .borrow = w.borrow,
                               .lend = w.lend,
                               .demand = w.demand,
                               .usage = w.usage,
                               .state = w.state,
                               .capacity = w.capacity};
    sked_target_once_input arrays = {.struct_size = sizeof arrays,
                                     .now = (sked_time)fuzz_u64(&in, 1),
                                     .queues = &queues,
                                     .preempt_from = w.from,
                                     .min_timeout_ns = w.timeout,
                                     .fair_timeout_ns = w.timeout,
                                     .fair_threshold_ppm = w.threshold,
                                     .min_since = w.since,
                                     .fair_since = w.since,
                                     .rounds = w.rounds};
    sked_target_result to = {.struct_size = sizeof to,
                             .share = w.share,
                             .keep = w.keep,
                             .take = w.take,
                             .owed = w.owed,
                             .need = w.need,
                             .budget = w.budget};

    draw_rows(&w, n, &in);
    draw(w.usage, (size_t)n * KINDS, &in, 0);
    draw(w.demand, (size_t)n * KINDS, &in, 0);
    draw(w.guarantee, (size_t)n * KINDS, &in, 0);
    draw(w.capacity, KINDS, &in, 0);
    draw(w.limit, (size_t)n * KINDS, &in, 1);
    draw(w.borrow, (size_t)n * KINDS, &in, 1);
    draw(w.lend, (size_t)n * KINDS, &in, 1);
    if (sked_target_once(&arrays, &options, NULL, &to, NULL) == SKED_OK) {
        must_hold(&w, n);
    }
    return 0;
}
