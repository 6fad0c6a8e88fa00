/*
 * Many decisions of the DRF loop at once. Tasks of a client are alike, so its
 * key never falls as it gets more of them; until the task of some client does
 * not fit, the loop therefore serves exactly the pairs (key with k tasks,
 * client) below some level, and any level at which all of them fit together is
 * safe to jump to: what fits in total fits in any order.
 *
 * A level is guessed in doubles: with weight w, capacity R, usage u and demand
 * d, client i has about (level * w * R - u) / d tasks there, the least over
 * kinds. False position finds the level that takes a little less than what is
 * free. Then the tasks of each client below that level are counted in integers,
 * and added up exactly; if they do not fit after all, the level is lowered. A
 * bad guess costs time and changes no answer.
 *
 * The guess cannot see that tasks are whole: a client whose next task lies at a
 * higher level seems to take half a task, and where a kind is scarce these
 * halves together leave nothing to the others, however far these could go. So
 * where guesses bring little, the highest level at which all fits is searched
 * for in integers. Above it some task of that very level does not fit: a client
 * leaves before each has had one more turn, and so there are no more such
 * searches than clients.
 */
#include "drf/batch.h"

enum { GUESS_STEPS = 48, LEVEL_NEAR = 13, LEVEL_STEP = 4 };

/* What a guess reads: a client's count is slope * level - offset, the least
 * over kinds; `pool` is what is free. */
typedef struct guess_columns {
    double *slope;
    double *offset;
    double *demand;
    double pool[SKED_MAX_KINDS];
} guess_columns;

static guess_columns columns_of(const skedi_drf_batch *b)
{
    size_t size = (size_t)b->rows.n * b->rows.kinds;

    return (guess_columns){.slope = b->guess,
                           .offset = b->guess + size,
                           .demand = b->guess + 2 * size};
}

/* Fills the columns. A demand of 0 gives a slope so steep that it bounds a
 * count only where the usage alone is above the level. */
static guess_columns guess_fill(const skedi_drf_batch *b)
{
    guess_columns g = columns_of(b);
    size_t at = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        double capacity = (double)b->rows.capacity[k];
        g.pool[k] = (double)b->pool[k];
        for (uint32_t j = 0; j < b->n_live; j++, at++) {
            uint32_t i = b->live[j];
            double demand = (double)skedi_batch_demand(b, i)[k];
            double per = demand > 0 ? 1 / demand : 1e18;
            g.slope[at] = capacity * skedi_drf_weight(&b->rows, i) * per;
            g.offset[at] = (double)skedi_batch_usage(b, i)[k] * per - 0.5;
            g.demand[at] = demand;
        }
    }
    return g;
}

typedef struct guess_sums {
    double part;  /* the largest part that is taken of what is free of a kind */
    double count; /* of all tasks */
} guess_sums;

/* What all clients together would take at a level. */
static guess_sums guess_at(const skedi_drf_batch *b, const guess_columns *g,
                           double level)
{
    double sum[SKED_MAX_KINDS] = {0};
    guess_sums all = {0, 0};
    uint32_t n = b->n_live;

    for (uint32_t j = 0; j < n; j++) {
        double count = (double)skedi_batch_left(b, b->live[j]);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            size_t at = (size_t)k * n + j;
            double mine = level * g->slope[at] - g->offset[at];
            count = mine < count ? mine : count;
        }
        count = count > 0 ? count : 0;
        all.count += count;
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            sum[k] += count * g->demand[(size_t)k * n + j];
        }
    }
    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (sum[k] <= all.part * g->pool[k]) continue;
        all.part = sum[k] / g->pool[k];
    }
    return all;
}

/* A level at which one client alone would take all there is. */
static double guess_top(const skedi_drf_batch *b)
{
    double top = 0;

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint32_t i = b->live[j];
        double weight = skedi_drf_weight(&b->rows, i);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            double usage = (double)skedi_batch_usage(b, i)[k];
            double all = weight * (double)b->rows.capacity[k];
            if (all <= 0) continue;
            double level = (usage + (double)b->pool[k]) / all;
            top = level > top ? level : top;
        }
    }
    return top;
}

/* The part of what is free that a guess aims at: 1, less a sixteenth of a task
 * for each client. */
static double guess_aim(const skedi_drf_batch *b, double count)
{
    double spare = b->n_live / (16 * count);

    if (!(spare < 0.5)) return 0.5;
    return 1 - (spare > 1e-9 ? spare : 1e-9);
}

typedef struct guess_bracket {
    double low, high;    /* levels: too little, too much */
    double below, above; /* by how much, as false position weighs it */
    int side;            /* which of them moved last */
} guess_bracket;

/* Narrows the bracket; an end that stays gets less weight (Illinois). */
static void bracket_narrow(guess_bracket *at, double level, double off)
{
    if (off < 0) {
        at->low = level;
        at->below = -off;
        if (at->side < 0) at->above /= 2;
        at->side = -1;
    } else {
        at->high = level;
        at->above = off;
        if (at->side > 0) at->below /= 2;
        at->side = 1;
    }
}

/* Between `low` and everything: false position, now and then the middle. */
static double guess_level(const skedi_drf_batch *b, const guess_columns *g,
                          double low)
{
    guess_bracket at = {low, guess_top(b), 1, 1, 0};
    double level = at.high;

    for (int step = 1; step <= GUESS_STEPS; step++) {
        guess_sums sums = guess_at(b, g, level);
        double slack = (1 - guess_aim(b, sums.count)) / 2;
        double off = sums.part - (1 - 3 * slack);
        if (off < slack && -off < slack) return level;
        bracket_narrow(&at, level, off);
        double cut = step % 4 ? at.below / (at.below + at.above) : 0.5;
        level = at.low + (at.high - at.low) * cut;
    }
    return at.low;
}

/* The largest usage whose part of the capacity is below level / weight. */
static uint64_t usage_below(skedi_u128 weighted, uint64_t capacity)
{
    skedi_u192 product = skedi_u192_mul(weighted, capacity);
    skedi_u192 one = {skedi_u128_of(0), 1};

    product = skedi_u192_sub(product, one);
    if (skedi_u128_high(product.high) || skedi_u128_low(product.high) >> 61) {
        return (uint64_t)SKED_UNLIMITED;
    }
    return skedi_u128_low(product.high) << 2 | product.low >> 62;
}

int64_t skedi_batch_below(const skedi_drf_batch *b, uint32_t i, uint64_t level)
{
    const int64_t *usage = skedi_batch_usage(b, i);
    const int64_t *demand = skedi_batch_demand(b, i);
    uint32_t weight = skedi_drf_weight(&b->rows, i);
    skedi_u128 weighted = skedi_u128_mul(level, weight);
    int64_t count = skedi_batch_left(b, i);

    if (weight == 0 || level == 0) return 0;
    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (demand[k] == 0 && usage[k] == 0) continue;
        uint64_t capacity = (uint64_t)b->rows.capacity[k];
        if (capacity == 0) return 0; /* used: the key is infinite */
        uint64_t most = usage_below(weighted, capacity);
        if ((uint64_t)usage[k] > most) return 0;
        if (demand[k] == 0) continue;
        uint64_t mine = (most - (uint64_t)usage[k]) / (uint64_t)demand[k] + 1;
        if (mine < (uint64_t)count) count = (int64_t)mine;
    }
    return count;
}

/* Counts all below `level`; 0 when they do not fit into the pool. */
static int counts_fit(const skedi_drf_batch *b, uint64_t level)
{
    uint64_t sum[SKED_MAX_KINDS] = {0};

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint32_t i = b->live[j];
        const int64_t *demand = skedi_batch_demand(b, i);
        b->count[j] = skedi_batch_below(b, i, level);
        for (uint32_t k = 0; k < b->rows.kinds; k++) {
            uint64_t left = (uint64_t)b->pool[k] - sum[k];
            skedi_u128 need = skedi_u128_mul((uint64_t)b->count[j],
                                             (uint64_t)demand[k]);
            if (skedi_u128_cmp(need, skedi_u128_of(left)) > 0) return 0;
            sum[k] += skedi_u128_low(need);
        }
    }
    return 1;
}

/* Starts the tasks that were counted; how many. */
static uint64_t give_counts(skedi_drf_batch *b)
{
    uint64_t before = b->decisions;

    for (uint32_t j = 0; j < b->n_live; j++) {
        skedi_batch_give(b, b->live[j], b->count[j]);
    }
    return b->decisions - before;
}

/* The least key of any client: no decision lies below it. */
static uint64_t batch_base(const skedi_drf_batch *b)
{
    uint64_t least = SKEDI_WINNER_OUT;

    for (uint32_t j = 0; j < b->n_live; j++) {
        uint64_t key = skedi_batch_key(b, b->live[j]);
        least = key < least ? key : least;
    }
    return least;
}

uint64_t skedi_batch_jump_guessed(skedi_drf_batch *b)
{
    uint64_t base = batch_base(b);

    if (base >= SKEDI_DRF_TOP) return 0;
    guess_columns g = guess_fill(b);
    double guess = guess_level(b, &g, (double)base * 0x1p-62) * 0x1p62;
    uint64_t level = guess < 0x1p63 ? (uint64_t)guess : (uint64_t)1 << 63;
    uint64_t span = level > base ? level - base : 0;

    /* A guess a little too high is lowered a little, a bad one by halves. */
    for (unsigned by = LEVEL_NEAR; span > 0; by -= by > 1 ? LEVEL_STEP : 0) {
        if (counts_fit(b, base + span)) return give_counts(b);
        span -= (span >> by) + 1;
    }
    return 0;
}

sked_status skedi_batch_jump_searched(skedi_drf_batch *b, uint64_t *gave)
{
    uint64_t fits = batch_base(b), over = SKEDI_DRF_TOP;
    uint64_t level = over;

    *gave = 0;
    if (fits >= over) return SKED_OK;
    while (fits < over) {
        sked_status rc = skedi_batch_pause(b, b->n_live);
        if (rc != SKED_OK) return rc;
        if (counts_fit(b, level))
            fits = level;
        else
            over = level - 1;
        level = over - (over - fits) / 2;
    }
    if (counts_fit(b, fits)) *gave = give_counts(b);
    return SKED_OK;
}
