/*
 * Learns from past runs: a multiplier for each task, and the error of the times
 * with these multipliers. Also draws noise to test plans, and finds widths over
 * nodes.
 */
#include <string.h>

#include "base/arith.h"
#include "base/decay.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "base/wide.h"
#include "batch/chance.h"
#include "batch/state.h"

/*
 * Chance without floating point. A logarithm is found bit by bit: squaring a
 * number in [1, 2) doubles its logarithm, and whether it passes 2 is the next
 * bit. Normal numbers come by the polar method of Marsaglia, exponentials from
 * the table of base/decay.
 */

enum { POLAR_DRAWS = 64, LARGEST_POWER = 6 };

static const uint64_t ln_2 = UINT64_C(2977044471);   /* ln 2 * 2^32 */
static const uint64_t log2_e = UINT64_C(6196328018); /* log2 e * 2^32 */

/* log2(x) in units of 2^-32, rounded down; x is not 0. */
static uint64_t chance_log2(uint64_t x)
{
    unsigned shift = skedi_clz64(x);
    uint64_t log = 63 - shift;

    x <<= shift; /* in units of 2^-63, from 1 to 2 */
    for (int bit = 0; bit < SKEDI_CHANCE_WHOLE; bit++) {
        skedi_u128 square = skedi_u128_mul(x, x);
        uint64_t high = skedi_u128_high(square);
        log = log << 1 | high >> 63;
        x = high >> 63 ? high : high << 1 | skedi_u128_low(square) >> 63;
    }
    return log;
}

static uint64_t natural(uint64_t log)
{
    return skedi_u128_low(skedi_u128_shr(skedi_u128_mul(log, ln_2), 32));
}

/* -ln(x / 2^places) in units of 2^-32; x is not above 2^places. */
static uint64_t minus_ln(uint64_t x, unsigned places)
{
    return natural(((uint64_t)places << SKEDI_CHANCE_WHOLE) - chance_log2(x));
}

/* |ln(a / b)| in units of 2^-32; neither is 0. */
static uint64_t chance_apart(uint64_t a, uint64_t b)
{
    uint64_t one = chance_log2(a), two = chance_log2(b);

    return natural(one > two ? one - two : two - one);
}

int skedi_chance_accepts(skedi_random *random, int64_t worse,
                         int64_t temperature)
{
    if (worse <= 0) return 1;
    /* worse / temperature < -ln(u), u uniform */
    uint64_t u = skedi_random_next(random) | 1;
    return skedi_cmp_mul((uint64_t)worse, (uint64_t)1 << 32,
                         (uint64_t)temperature, minus_ln(u, 64)) < 0;
}

/* floor(sqrt(x)) */
static uint32_t chance_root(uint64_t x)
{
    uint32_t root = 0;

    for (uint32_t bit = (uint32_t)1 << 31; bit; bit >>= 1) {
        uint64_t more = (uint64_t)root | bit;
        if (more * more <= x) root |= bit;
    }
    return root;
}

/* A normal number in units of 2^-28. */
static int64_t normal(skedi_random *random)
{
    for (int i = 0; i < POLAR_DRAWS; i++) {
        uint64_t bits = skedi_random_next(random), rem;
        int64_t a = (int64_t)(bits >> 32) - ((int64_t)1 << 31);
        int64_t b = (int64_t)(bits & UINT32_MAX) - ((int64_t)1 << 31);
        uint64_t square = (uint64_t)(a * a);
        uint64_t s = square + (uint64_t)(b * b);
        if (s == 0 || s > (uint64_t)1 << 62) continue;
        uint64_t part = skedi_muldiv(square, (uint64_t)1 << 30, s, &rem);
        /* part * -2 ln(s), 30 and 26 places */
        int64_t root = chance_root(part * (minus_ln(s, 62) >> 5));
        return a < 0 ? -root : root;
    }
    return 0; /* of a host whose numbers are not random */
}

int64_t skedi_chance_factor(skedi_random *random, int64_t noise_ppm)
{
    uint64_t rem, s = (uint64_t)noise_ppm;
    uint64_t whole = (uint64_t)SKED_PPM * (uint64_t)SKED_PPM;
    int64_t drift = (int64_t)skedi_muldiv(s * s, (uint64_t)1 << 27, whole,
                                          &rem);
    int64_t x = normal(random) * noise_ppm / SKED_PPM - drift; /* 28 places */
    const int64_t most = (int64_t)LARGEST_POWER << 32;
    int64_t power = (int64_t)skedi_u128_low(
        skedi_u128_shr(skedi_u128_mul((uint64_t)(x < 0 ? -x : x), log2_e), 28));

    power = skedi_i64_min(power, most);
    uint64_t below = (uint64_t)(x < 0 ? most + power : most - power);
    skedi_decay decay = {.halvings = below >> 32, .fraction = (uint32_t)below};
    uint64_t scaled = skedi_decay_of(decay, (uint64_t)SKED_PPM
                                                << (LARGEST_POWER + 16));
    return (int64_t)((scaled + ((uint64_t)1 << 15)) >> 16);
}

SKEDI_NO_TAIL_PADDING(sked_batch_history, ticks);

enum {
    BATCH_HISTORY_V1 = SKEDI_SIZE_THROUGH(sked_batch_history, ticks),
    PLACES = 16 /* of logarithms that are squared */
};

static const int64_t learned_most = INT64_C(1000000000);

/* ---- Checks ---- */

static sked_status history_in(sked_batch_history *h,
                              const sked_batch_history *given, sked_error *err)
{
    if (!given) return skedi_fail_null(err, "history");
    sked_status rc = skedi_struct_in(h, sizeof *h, given, BATCH_HISTORY_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "history");
    if (h->reserved) return skedi_fail_reserved(err, "history");
    const char *missing = h->n == 0   ? NULL
                          : !h->task  ? "history.task"
                          : !h->slots ? "history.slots"
                          : !h->ticks ? "history.ticks"
                                      : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (h->n > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "more than 2^20 past runs");
    }
    return SKED_OK;
}

static sked_status past_runs_in(const skedi_batch *b,
                                const sked_batch_history *h, sked_error *err)
{
    for (uint64_t i = 0; i < h->n; i++) {
        if (h->task[i] < b->n && h->slots[i] >= 1 && h->slots[i] <= b->slots &&
            h->ticks[i] >= 1 &&
            h->ticks[i] <= SKED_MAX_BATCH_WORK / SKED_MAX_BATCH_SLOTS) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE,
                          "history: task, slots or ticks is out of range",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* ---- Learning ---- */

/* The duration of a task's runs, over the expected duration. */
typedef struct past_task {
    sked_wide took;
    sked_wide base;
    uint64_t runs;
} past_task;

static void add_run(const skedi_batch *b, past_task *past, uint32_t width,
                    uint32_t j, int64_t ticks)
{
    int64_t fixed = b->in.start + b->in.slot * (int64_t)(width - 1);
    skedi_u128 base = skedi_u128_mul((uint64_t)b->in.block,
                                     (b->blocks[j] - 1) / width + 1);

    if (b->in.table) {
        fixed = 0;
        base = skedi_u128_of(
            (uint64_t)b->in.table[(size_t)j * b->slots + width - 1]);
    }
    ticks = skedi_i64_max(ticks - fixed, 0);
    past->took = skedi_wide_of(skedi_u128_add(skedi_wide_in(past->took),
                                              skedi_u128_of((uint64_t)ticks)));
    past->base = skedi_wide_of(skedi_u128_add(skedi_wide_in(past->base), base));
    past->runs++;
}

static int64_t learned(const past_task *past)
{
    skedi_u128 base = skedi_wide_in(past->base), rem;

    if (past->runs == 0) return SKED_PPM;
    skedi_u128 half = skedi_u128_shr(base, 1);
    skedi_u128 most = skedi_u128_scale(base, (uint64_t)learned_most);
    skedi_u128 scaled = skedi_u128_scale(skedi_wide_in(past->took),
                                         (uint64_t)SKED_PPM);
    if (skedi_u128_cmp(scaled, most) >= 0) return learned_most;
    skedi_u128 ratio = skedi_u128_div_wide(skedi_u128_add(scaled, half), base,
                                           &rem);
    return skedi_i64_max((int64_t)skedi_u128_low(ratio), 1);
}

/* The standard deviation of logarithms, in ppm. */
static int64_t learned_noise(const skedi_batch *b, const sked_batch_history *h,
                             const past_task *past, const int64_t *multiplier)
{
    uint64_t sum = 0, free = h->n;

    for (uint32_t j = 0; j < b->n; j++) free -= past[j].runs > 0;
    for (uint64_t i = 0; i < h->n; i++) {
        uint32_t j = h->task[i];
        int64_t believed = skedi_batch_ticks(b, j, h->slots[i], multiplier[j]);
        uint64_t apart = chance_apart((uint64_t)h->ticks[i],
                                      (uint64_t)believed) >>
                         (SKEDI_CHANCE_WHOLE - PLACES);
        sum += apart * apart;
    }
    if (free == 0) return 0;
    uint64_t root = chance_root(sum / free);
    int64_t noise = (int64_t)(root * (uint64_t)SKED_PPM >> PLACES);
    return skedi_i64_min(noise, SKED_PPM);
}

sked_status sked_batch_learn(const sked_batch_input *input,
                             const sked_batch_history *history,
                             const sked_host *host, int64_t *multiplier_ppm,
                             int64_t *noise_ppm, sked_error *err)
{
    skedi_batch b;
    sked_batch_history h;

    if (!multiplier_ppm) {
        return skedi_fail_null(err, "multiplier_ppm");
    }
    sked_status rc = history_in(&h, history, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_batch_in(&b, input, SKEDI_BATCH_BELIEVED, host, err);
    if (rc != SKED_OK) return rc;
    b.in.multiplier_ppm = NULL;
    rc = past_runs_in(&b, &h, err);
    past_task *past = skedi_batch_take(&b, b.n, sizeof *past);
    if (rc == SKED_OK && !past) {
        rc = skedi_fail_memory(err);
    }
    for (uint64_t i = 0; i < h.n && rc == SKED_OK; i++) {
        add_run(&b, &past[h.task[i]], h.slots[i], h.task[i], h.ticks[i]);
    }
    for (uint32_t j = 0; j < b.n && rc == SKED_OK; j++) {
        multiplier_ppm[j] = learned(&past[j]);
    }
    if (rc == SKED_OK && noise_ppm) {
        *noise_ppm = learned_noise(&b, &h, past, multiplier_ppm);
    }
    skedi_batch_drop(&b);
    return rc;
}

/* ---- Noise and nodes ---- */

sked_status sked_batch_noise(int64_t noise_ppm, uint64_t seed, size_t n,
                             int64_t *factor_ppm, sked_error *err)
{
    skedi_random random;

    const char *missing = n && !factor_ppm ? "factor_ppm" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (noise_ppm < 0 || noise_ppm > SKED_PPM) {
        return skedi_fail(err, SKED_ERR_RANGE, "noise_ppm is out of range",
                          (skedi_fault){.got = noise_ppm, .limit = SKED_PPM});
    }
    skedi_random_seed(&random, seed, NULL);
    for (size_t i = 0; i < n; i++) {
        factor_ppm[i] = skedi_chance_factor(&random, noise_ppm);
    }
    return SKED_OK;
}

sked_status sked_batch_spread(uint32_t width, uint32_t nodes,
                              uint32_t *per_node, sked_error *err)
{
    if (nodes < 1) return skedi_fail_plain(err, SKED_ERR_RANGE, "no node");
    if (!per_node) {
        return skedi_fail_null(err, "per_node");
    }
    for (uint32_t i = 0; i < nodes; i++) {
        per_node[i] = width / nodes + (i < width % nodes);
    }
    return SKED_OK;
}
