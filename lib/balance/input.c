/*
 * Taking a problem in: every number checked, all usage of a kind in a bucket
 * known to add up to an amount, so that no curve can overflow wherever the
 * workflows are.
 */
#include "balance/state.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_balance_input, cost);
SKEDI_NO_TAIL_PADDING(sked_balance_result, utilisation);
SKEDI_NO_TAIL_PADDING(sked_balance_move, to_allocation);

enum { BALANCE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_balance_input, cost) };

static const int64_t cost_most = INT64_C(1000000000000);

/* ---- Checks ---- */

sked_status skedi_balance_take(sked_balance_input *in,
                               const sked_balance_input *given, sked_error *err)
{
    if (!given) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(in, sizeof *in, given, BALANCE_INPUT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->flags) return skedi_fail_flags(err, "input");
    const char *missing = !in->capacity                 ? "input.capacity"
                          : in->workflows && !in->usage ? "input.usage"
                          : in->workflows && !in->home  ? "input.home"
                                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!in->kinds) in->kinds = 1;
    if (!in->buckets) in->buckets = 1;
    if (!in->percentile_ppm) in->percentile_ppm = SKED_PPM;
    if (!in->ceiling_ppm) in->ceiling_ppm = SKED_PPM;
    if (!in->max_tries) in->max_tries = (uint64_t)SKED_PPM;
    if (in->kinds > SKED_MAX_KINDS || in->buckets > SKED_MAX_QUEUES ||
        in->workflows > SKED_MAX_QUEUES || in->clusters == 0 ||
        in->clusters > SKED_MAX_CLUSTERS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many, or none");
    }
    if (in->percentile_ppm < 1 || in->percentile_ppm > SKED_PPM ||
        in->ceiling_ppm < 1 || in->ceiling_ppm > SKED_BALANCE_WHOLE) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "ratio is out of range");
    }
    return SKED_OK;
}

/* A column of numbers within bounds, `n` rows of `width`. */
typedef struct bounded_column {
    const int64_t *column;
    size_t n;
    size_t width;
    int64_t least;
    int64_t most;
} bounded_column;

static sked_status check_bounded(bounded_column c, sked_error *err)
{
    for (size_t i = 0; c.column && i < c.n * c.width; i++) {
        if (c.column[i] >= c.least && c.column[i] <= c.most) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "a number is out of range",
                          (skedi_fault){.row = (int64_t)(i / c.width) + 1,
                                        .got = c.column[i],
                                        .limit = c.most});
    }
    return SKED_OK;
}

static sked_status check_numbers(const skedi_balance *b, sked_error *err)
{
    const sked_balance_input *in = &b->in;
    const bounded_column columns[] = {
        {in->capacity, (size_t)in->clusters, in->kinds, 0, SKED_AMOUNT_MAX},
        {in->instance, (size_t)in->clusters, in->kinds, 0, SKED_AMOUNT_MAX},
        {in->fixed, (size_t)in->clusters, b->cells, 0, SKED_AMOUNT_MAX},
        {in->usage, (size_t)in->workflows, b->cells, 0, SKED_AMOUNT_MAX},
        {in->cost, (size_t)in->workflows, (size_t)in->clusters, 0, cost_most},
        {in->length, (size_t)in->buckets, 1, 1, INT64_MAX},
    };
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (rc == SKED_OK) rc = check_bounded(columns[i], err);
    }
    for (uint32_t w = 0; rc == SKED_OK && w < in->workflows; w++) {
        skedi_fault fault = {.row = (int64_t)w + 1};
        int bad_tier = in->tier &&
                       (in->tier[w] < 1 || in->tier[w] > SKED_MAX_TIERS);
        if (in->home[w] < in->clusters && !bad_tier) continue;
        rc = skedi_fail(err, SKED_ERR_RANGE, "no such home or tier", fault);
    }
    return rc;
}

/* Everything of a kind in a bucket must be an amount. */
static sked_status check_sums(const skedi_balance *b, sked_error *err)
{
    const sked_balance_input *in = &b->in;

    for (size_t cell = 0; cell < b->cells; cell++) {
        int64_t sum = 0;
        for (size_t c = 0; in->fixed && c < in->clusters; c++) {
            sum = skedi_amount_add(sum, in->fixed[c * b->cells + cell]);
        }
        for (size_t w = 0; w < in->workflows; w++) {
            sum = skedi_amount_add(sum, in->usage[w * b->cells + cell]);
        }
        if (sum != SKED_UNLIMITED) continue;
        return skedi_fail(
            err, SKED_ERR_RANGE, "usage adds up to too much",
            (skedi_fault){.kind = (int32_t)(cell % in->kinds) + 1});
    }
    return SKED_OK;
}

/* ---- Memory ---- */

void skedi_balance_drop(skedi_balance *b)
{
    skedi_mem *mem = &b->hooks.mem;

    skedi_free(mem, b->length, (size_t)b->in.buckets, sizeof *b->length);
    skedi_free(mem, b->value, (size_t)b->in.buckets, sizeof *b->value);
    skedi_free(mem, b->curve, (size_t)b->in.clusters,
               b->cells * sizeof *b->curve);
    skedi_free(mem, b->where, (size_t)b->in.workflows, sizeof *b->where);
    skedi_free(mem, b->score, (size_t)b->in.clusters, sizeof *b->score);
    skedi_select_free(&b->memory, mem);
}

static int balance_reserve(skedi_balance *b)
{
    skedi_mem *mem = &b->hooks.mem;
    size_t n = (size_t)b->in.buckets, clusters = (size_t)b->in.clusters;

    return (b->length = skedi_new(mem, n, sizeof *b->length)) &&
           (b->value = skedi_new(mem, n, sizeof *b->value)) &&
           (b->curve = skedi_new(mem, clusters, b->cells * sizeof *b->curve)) &&
           (b->where = skedi_new(mem, (size_t)b->in.workflows,
                                 sizeof *b->where)) &&
           (b->score = skedi_new(mem, clusters, sizeof *b->score)) &&
           skedi_select_reserve(&b->memory, skedi_select_cap(n), mem);
}

/* ---- The state at home ---- */

/* 0: the lengths pass what the window can hold. */
static int take_lengths(skedi_balance *b)
{
    uint64_t rem;

    for (uint32_t i = 0; i < b->in.buckets; i++) {
        b->length[i] = b->in.length ? b->in.length[i] : 1;
        if ((uint64_t)b->length[i] > (uint64_t)INT64_MAX - b->window) return 0;
        b->window += (uint64_t)b->length[i];
    }
    b->need = skedi_muldiv(b->window, (uint64_t)b->in.percentile_ppm,
                           (uint64_t)SKED_PPM, &rem);
    b->need += rem > 0;
    return 1;
}

static void go_home(skedi_balance *b)
{
    const sked_balance_input *in = &b->in;

    if (in->fixed) {
        memcpy(b->curve, in->fixed,
               (size_t)in->clusters * b->cells * sizeof *b->curve);
    }
    for (uint32_t w = 0; w < in->workflows; w++) {
        int64_t *to = b->curve + in->home[w] * b->cells;
        const int64_t *usage = in->usage + w * b->cells;
        for (size_t i = 0; i < b->cells; i++) to[i] += usage[i];
        b->where[w] = in->home[w];
        b->objective.sum += balance_cost(b, w, in->home[w]);
    }
    for (uint32_t c = 0; c < in->clusters; c++) {
        b->score[c] = skedi_balance_score(
            b, (skedi_balance_change){c, SKEDI_NO_MOVER, SKEDI_NO_MOVER});
        b->objective.sum += b->score[c];
        b->objective.excess += balance_excess(b, b->score[c]);
    }
}

sked_status skedi_balance_in(skedi_balance *b, const sked_balance_input *in,
                             const sked_host *host, const int64_t *weight,
                             sked_error *err)
{
    *b = (skedi_balance){.in = *in, .weight = weight};
    b->cells = (size_t)b->in.buckets * b->in.kinds;
    b->ceiling = b->in.ceiling_ppm * (SKED_BALANCE_WHOLE / SKED_PPM);
    sked_status rc = check_numbers(b, err);
    if (rc == SKED_OK) rc = check_sums(b, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&b->hooks, host, err);
    if (rc != SKED_OK) return rc;
    if (!balance_reserve(b)) {
        rc = skedi_fail_memory(err);
    } else if (!take_lengths(b)) {
        rc = skedi_fail_plain(err, SKED_ERR_RANGE, "lengths add up to more");
    } else {
        go_home(b);
    }
    if (rc != SKED_OK) skedi_balance_drop(b);
    return rc;
}
