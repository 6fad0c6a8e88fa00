/*
 * The published methods that need no search. Widths are exact: sums of two
 * fractions with different denominators are rounded by comparing their
 * fractional parts in whole numbers.
 */
#include "batch/state.h"

#include "base/sort.h"

/* Weights by label in halves: what fills up density, and what tau counts. */
static const int64_t density[SKED_MAX_BATCH_LABELS] = {1, 2, 4, 6, 8};
static const int64_t plain_weight[SKED_MAX_BATCH_LABELS] = {0, 2, 4, 6, 8};

static int more_bytes_first(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *bytes = ctx;

    return (bytes[a] < bytes[b]) - (bytes[a] > bytes[b]);
}

static int less_bytes_first(const void *ctx, uint32_t a, uint32_t b)
{
    return more_bytes_first(ctx, b, a);
}

static void by_row(const skedi_batch *b, uint32_t *order)
{
    for (uint32_t j = 0; j < b->n; j++) order[j] = j;
}

static uint32_t whole_slots(const skedi_batch *b, uint64_t width)
{
    if (width < 1) return 1;
    return width < b->slots ? (uint32_t)width : b->slots;
}

void skedi_batch_multi(const skedi_batch *b, const sked_batch_options *options,
                       skedi_batch_plan *plan)
{
    uint64_t width = (uint64_t)b->slots * options->clusters / b->n;

    by_row(b, plan->order);
    skedi_sort(plan->order, b->scratch, b->n, less_bytes_first, b->bytes);
    for (uint32_t j = 0; j < b->n; j++) {
        skedi_batch_widen(b, plan, j, whole_slots(b, width));
    }
    plan->overtake = 0;
}

void skedi_batch_greedy(const skedi_batch *b, skedi_batch_plan *plan)
{
    by_row(b, plan->order);
    skedi_sort(plan->order, b->scratch, b->n, more_bytes_first, b->bytes);
    uint64_t largest = b->bytes[plan->order[0]], rem;
    if (largest == 0) largest = 1;
    for (uint32_t j = 0; j < b->n; j++) {
        /* slots / 2 * bytes / largest + 1 / 2 */
        skedi_u128 halves = skedi_u128_add(
            skedi_u128_mul(b->slots, b->bytes[j]), skedi_u128_of(largest));
        skedi_u128 width = skedi_u128_div(halves, 2 * largest, &rem);
        skedi_batch_widen(b, plan, j, whole_slots(b, skedi_u128_low(width)));
    }
    plan->overtake = 0;
}

/* ---- Data-driven ---- */

static int more_blocks_first(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *blocks = ctx;

    return (blocks[a] < blocks[b]) - (blocks[a] > blocks[b]);
}

/* One from the head, then from the tail until the weights reach sigma. */
static void head_and_tail(const skedi_batch *b, int64_t sigma_ppm,
                          uint32_t *order, uint32_t *sorted)
{
    uint32_t head = 0, tail = b->n, n = 0;

    by_row(b, order);
    skedi_sort(order, b->scratch, b->n, more_blocks_first, b->blocks);
    for (uint32_t j = 0; j < b->n; j++) sorted[j] = order[j];
    while (head < tail) {
        int64_t halves = 0;
        order[n++] = sorted[head++];
        while (head < tail && halves * (SKED_PPM / 2) < sigma_ppm) {
            uint32_t j = sorted[--tail];
            halves += density[b->label[j]];
            order[n++] = j;
        }
    }
}

/* Tasks whose mean number of blocks is blocks / tasks. */
typedef struct mean_blocks {
    uint64_t blocks;
    uint64_t tasks;
} mean_blocks;

/*
 * blocks / mean * slots / nodes + tau * halves / 2, to the nearest: the two
 * whole parts, and 1 or 2 more as the fractions and a half come to.
 */
static uint64_t scored_width(const skedi_batch *b, uint64_t blocks,
                             mean_blocks mean, int64_t tau_halves)
{
    uint64_t den = mean.blocks * b->in.nodes, part, rest;
    const uint64_t two = 2 * (uint64_t)SKED_PPM;
    skedi_u128 scaled = skedi_u128_mul(blocks, mean.tasks * b->slots);
    uint64_t width = skedi_u128_low(skedi_u128_div(scaled, den, &part));
    uint64_t tau = (uint64_t)tau_halves;

    width += tau / two;
    rest = tau % two + (uint64_t)SKED_PPM; /* with the half that rounds */
    skedi_u128 sum = skedi_u128_add(skedi_u128_mul(rest, den),
                                    skedi_u128_mul(part, two));
    skedi_u128 one = skedi_u128_mul(two, den);
    width += skedi_u128_cmp(sum, one) >= 0;
    return width + (skedi_u128_cmp(sum, skedi_u128_shl(one, 1)) >= 0);
}

static void give_window(const skedi_batch *b, const sked_batch_options *o,
                        skedi_batch_plan *plan, uint32_t from, uint32_t to)
{
    int is_simple = o->method == SKED_BATCH_METHOD_SIMPLE;
    const int64_t *weight = is_simple ? plain_weight : density;
    mean_blocks mean = {0, to - from};
    uint64_t sigma = (uint64_t)o->sigma_ppm;
    uint64_t cap = (2 * (uint64_t)b->slots * (uint64_t)SKED_PPM + sigma) /
                   (2 * sigma);

    for (uint32_t i = from; i < to; i++) {
        mean.blocks += b->blocks[plan->order[i]];
    }
    for (uint32_t i = from; i < to; i++) {
        uint32_t j = plan->order[i];
        uint64_t width = scored_width(b, b->blocks[j], mean,
                                      o->tau_ppm * weight[b->label[j]]);
        if (width > cap) width = cap;
        if (is_simple && width > b->blocks[j]) width = b->blocks[j];
        skedi_batch_widen(b, plan, j, whole_slots(b, width));
    }
}

void skedi_batch_data_driven(const skedi_batch *b, const sked_batch_options *o,
                             skedi_batch_plan *plan)
{
    uint32_t window = o->method == SKED_BATCH_METHOD_SIMPLE ? b->n : o->window;

    /* plan->width is free until the windows are given theirs. */
    head_and_tail(b, o->sigma_ppm, plan->order, plan->width);
    for (uint32_t from = 0; from < b->n;) {
        uint32_t to = b->n - from > window ? from + window : b->n;
        give_window(b, o, plan, from, to);
        from = to;
    }
    plan->overtake = 0;
}
