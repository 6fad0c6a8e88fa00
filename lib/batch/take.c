/*
 * Copies and checks a batch: every number is checked, so that slots times all
 * times fit in 56 bits and no later sum can overflow.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "batch/state.h"

SKEDI_NO_TAIL_PADDING(sked_batch_input, table);
SKEDI_NO_TAIL_PADDING(sked_batch_options, noise_ppm);

enum {
    BATCH_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_batch_input, table),
    BATCH_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_batch_options, noise_ppm),
    TRIES_A_CHECK = 64
};

static const int64_t factor_most = INT64_C(1000000000);
static const uint64_t default_edges[SKED_MAX_BATCH_LABELS - 1] = {
    (uint64_t)1 << 28, (uint64_t)1 << 31, (uint64_t)1 << 33, (uint64_t)1 << 35};

/* ---- Memory ---- */

int skedi_batch_plan_take(skedi_batch *b, skedi_batch_plan *plan)
{
    plan->order = skedi_batch_take(b, b->n, sizeof *plan->order);
    plan->width = skedi_batch_take(b, b->n, sizeof *plan->width);
    plan->time = skedi_batch_take(b, b->n, sizeof *plan->time);
    plan->overtake = 0;
    return plan->order && plan->width && plan->time;
}

void skedi_batch_plan_copy(const skedi_batch *b, skedi_batch_plan *to,
                           const skedi_batch_plan *from)
{
    memcpy(to->order, from->order, b->n * sizeof *to->order);
    memcpy(to->width, from->width, b->n * sizeof *to->width);
    memcpy(to->time, from->time, b->n * sizeof *to->time);
    to->overtake = from->overtake;
}

void skedi_batch_drop(skedi_batch *b)
{
    skedi_arena_free(&b->arena, &b->hooks.mem);
}

sked_status skedi_batch_tried(skedi_batch *b)
{
    if (++b->tries % TRIES_A_CHECK) return SKED_OK;
    return skedi_hooks_check(&b->hooks, b->tries,
                             b->tries > b->tries_most ? b->tries
                                                      : b->tries_most);
}

/* ---- How long a task takes ---- */

void skedi_batch_widen(const skedi_batch *b, skedi_batch_plan *plan, uint32_t j,
                       uint32_t width)
{
    plan->width[j] = width;
    plan->time[j] = skedi_batch_ticks(b, j, width, SKED_PPM);
}

/* ---- Checks ---- */

sked_status skedi_batch_options_in(sked_batch_options *o,
                                   const sked_batch_options *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(o, sizeof *o, given, BATCH_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (!o->method) o->method = SKED_BATCH_METHOD_BEST;
    if (!o->replan_tries) o->replan_tries = 100;
    if (!o->clusters) o->clusters = 5;
    if (!o->window) o->window = 10;
    if (!o->tail) o->tail = SKED_BATCH_TAIL_DRAIN;
    if (!o->theta_ppm) o->theta_ppm = SKED_PPM / 2;
    if (!o->sigma_ppm) o->sigma_ppm = 3 * SKED_PPM;
    if (!o->tau_ppm) o->tau_ppm = 15 * SKED_PPM;
    if (!o->max_tries) {
        int searches = o->method == SKED_BATCH_METHOD_BEST ||
                       o->method > SKED_BATCH_METHOD_ADAPT;
        o->max_tries = searches ? 20000 : 2000;
    }
    if (o->method > SKED_BATCH_METHOD_AUTO || o->tail > SKED_BATCH_TAIL_KNEE ||
        o->clusters > SKED_MAX_BATCH_CLUSTERS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "method, tail or clusters is out of range");
    }
    if (o->theta_ppm < 1 || o->theta_ppm > SKED_PPM || o->sigma_ppm < 1 ||
        o->sigma_ppm > SKED_PPM * SKED_PPM || o->tau_ppm < 1 ||
        o->tau_ppm > SKED_PPM * SKED_PPM || o->eta_ppm < 0 ||
        o->eta_ppm > SKED_PPM || o->noise_ppm < 0 || o->noise_ppm > SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "a ratio is out of range");
    }
    return SKED_OK;
}

static sked_status sizes_in(sked_batch_input *in, sked_error *err)
{
    if (in->flags) return skedi_fail_flags(err, "input");
    if (!in->bytes && !in->blocks) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no bytes and no blocks");
    }
    if (!in->nodes) in->nodes = 1;
    if (!in->block_bytes) in->block_bytes = (uint64_t)1 << 27;
    if (!in->edges) in->edges = default_edges;
    if (in->tasks < 1 || in->tasks > SKED_MAX_BATCH_TASKS || in->slots < 1 ||
        in->slots > SKED_MAX_BATCH_SLOTS || in->nodes > in->slots ||
        in->block_bytes > (uint64_t)SKED_AMOUNT_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "tasks, slots, nodes or block_bytes is out of "
                                "range");
    }
    if (in->start < 0 || in->start > SKED_MAX_BATCH_WORK || in->block < 0 ||
        in->block > SKED_MAX_BATCH_WORK || in->slot < 0 ||
        in->slot > SKED_MAX_BATCH_WORK / SKED_MAX_BATCH_SLOTS ||
        (in->block == 0 && !in->table)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "start, block or slot is out of range");
    }
    return SKED_OK;
}

static sked_status factors_in(const sked_batch_input *in, uint32_t j,
                              sked_error *err)
{
    const int64_t *own = in->multiplier_ppm, *real = in->actual_ppm;

    if (own && (own[j] < 1 || own[j] > factor_most)) {
        return skedi_batch_row_fault(err, "multiplier_ppm is out of range", j,
                                     own[j]);
    }
    if (real && (real[j] < 1 || real[j] > factor_most)) {
        return skedi_batch_row_fault(err, "actual_ppm is out of range", j,
                                     real[j]);
    }
    return SKED_OK;
}

/* Bytes, blocks and label of one task. */
static sked_status task_in(skedi_batch *b, uint32_t j, sked_error *err)
{
    const sked_batch_input *in = &b->in;
    const uint64_t most = (uint64_t)SKED_AMOUNT_MAX;
    uint64_t bytes = in->bytes ? in->bytes[j] : 0, blocks = 1;

    if (bytes > most)
        return skedi_batch_row_fault(err, "bytes above the limit", j, -1);
    if (in->blocks) {
        blocks = in->blocks[j];
    } else if (bytes) {
        blocks = (bytes - 1) / in->block_bytes + 1;
    }
    if (blocks < 1 ||
        blocks > (uint64_t)SKED_MAX_BATCH_BLOCKS - b->all_blocks) {
        return skedi_batch_row_fault(err, "blocks is out of range", j, -1);
    }
    if (!in->bytes) {
        bytes = blocks <= most / in->block_bytes ? blocks * in->block_bytes
                                                 : most;
    }
    if (in->label && in->label[j] >= SKED_MAX_BATCH_LABELS) {
        return skedi_batch_row_fault(err, "label is out of range", j,
                                     in->label[j]);
    }
    if (in->label) b->label[j] = in->label[j];
    for (int i = 0; !in->label && i < SKED_MAX_BATCH_LABELS - 1; i++) {
        if (bytes >= in->edges[i]) b->label[j] = (uint8_t)(i + 1);
    }
    b->bytes[j] = bytes;
    b->blocks[j] = blocks;
    b->all_blocks += blocks;
    return factors_in(in, j, err);
}

/* The longest time of a task, believed or actual; with the model an upper bound
 * of it. */
static int64_t longest_of(const skedi_batch *b, uint32_t j)
{
    int64_t real = b->in.actual_ppm ? b->in.actual_ppm[j] : SKED_PPM;
    int64_t longest = 0;
    uint32_t widths = b->in.table ? b->slots : 1;

    for (uint32_t k = 1; k <= widths; k++) {
        if (b->in.table && b->in.table[(size_t)j * b->slots + k - 1] < 1) {
            return 0;
        }
        longest = skedi_i64_max(longest, skedi_batch_ticks(b, j, k, SKED_PPM));
        longest = skedi_i64_max(longest, skedi_batch_ticks(b, j, k, real));
    }
    if (b->in.table) return longest;
    return longest + b->in.slot * (int64_t)(b->slots - 1);
}

static sked_status batch_times_in(const skedi_batch *b, sked_error *err)
{
    int64_t left = SKED_MAX_BATCH_WORK / (int64_t)b->slots;

    for (uint32_t j = 0; j < b->n; j++) {
        int64_t longest = longest_of(b, j);
        if (longest < 1)
            return skedi_batch_row_fault(err, "table: a time below 1", j, 0);
        if (longest > left) {
            return skedi_batch_row_fault(
                err, "times above the limit: use coarser ticks", j, longest);
        }
        left -= longest;
    }
    return SKED_OK;
}

static int columns_take(skedi_batch *b)
{
    b->bytes = skedi_batch_take(b, b->n, sizeof *b->bytes);
    b->blocks = skedi_batch_take(b, b->n, sizeof *b->blocks);
    b->label = skedi_batch_take(b, b->n, sizeof *b->label);
    b->scratch = skedi_batch_take(b, b->n, sizeof *b->scratch);
    b->first = skedi_batch_take(b, (size_t)b->n + 1, sizeof *b->first);
    return b->bytes && b->blocks && b->label && b->scratch && b->first;
}

sked_status skedi_batch_in(skedi_batch *b, const sked_batch_input *input,
                           int which, const sked_host *host, sked_error *err)
{
    memset(b, 0, sizeof *b);
    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&b->in, sizeof b->in, input,
                                     BATCH_INPUT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    rc = sizes_in(&b->in, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&b->hooks, host, err);
    if (rc != SKED_OK) return rc;
    b->n = (uint32_t)b->in.tasks;
    b->slots = b->in.slots;
    if (which == SKEDI_BATCH_REAL) b->real = b->in.actual_ppm;
    if (!columns_take(b)) {
        rc = skedi_fail_memory(err);
    }
    for (uint32_t j = 0; j < b->n && rc == SKED_OK; j++) {
        rc = task_in(b, j, err);
    }
    if (rc == SKED_OK) rc = batch_times_in(b, err);
    if (rc == SKED_OK) rc = skedi_batch_list_widths(b, err);
    if (rc != SKED_OK) skedi_batch_drop(b);
    return rc;
}

/*
 * The published methods that need no search. Widths are exact: sums of two
 * fractions with different denominators are rounded by comparing their
 * fractional parts in whole numbers.
 */

/* Weights by label in halves: for the density, and for tau. */
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

/* Takes a task from the head, then tasks from the tail until the weights reach
 * sigma. */
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
    rest = tau % two + (uint64_t)SKED_PPM; /* plus the half that rounds */
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
