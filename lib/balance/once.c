/*
 * Rebalancing (sked_balance) and splitting of a cluster (sked_balance_split).
 *
 * The search finds the target cluster of each workflow. Rebalancing then lists
 * the moves from home to target greedily: each move gains the most of the moves
 * that are left.
 */
#include <string.h>

#include "balance/state.h"
#include "base/fail.h"
#include "base/versioned.h"

/*
 * Input. Every number is checked. All usage of a kind in a bucket must add up
 * to an amount. No curve can then overflow, wherever the workflows are.
 */

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

/* A column of `n` rows of `width` numbers, each from `least` to `most`. */
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

/* Checks that the usage of each kind in each bucket adds up to an amount. */
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

/* Fills in the lengths, the window and the time of the percentile. Returns 0 if
 * the lengths add up to more than INT64_MAX. */
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

enum { RESULT_V1 = SKEDI_SIZE_THROUGH(sked_balance_result, utilisation) };

/* ---- Moves ---- */

/* One of the moves that are left: the objective and both scores after it. */
typedef struct balance_step {
    sked_balance_objective after;
    int64_t score[2];
    uint32_t workflow;
} balance_step;

static balance_step step_of_move(skedi_balance *b, uint32_t w, uint32_t to)
{
    const uint32_t at[2] = {b->where[w], to};
    balance_step step = {.workflow = w};

    step.score[0] = skedi_balance_score(
        b, (skedi_balance_change){at[0], SKEDI_NO_MOVER, w});
    step.score[1] = skedi_balance_score(
        b, (skedi_balance_change){to, w, SKEDI_NO_MOVER});
    step.after = skedi_balance_after(
        b, at, step.score, balance_cost(b, w, to) - balance_cost(b, w, at[0]));
    return step;
}

/* Finds the move that gains most. At least one move must be left. */
static sked_status best_step(skedi_balance *b, const uint32_t *target,
                             balance_step *best)
{
    sked_status rc = SKED_OK;

    best->workflow = SKEDI_NO_MOVER;
    for (uint32_t w = 0; w < b->in.workflows && rc == SKED_OK; w++) {
        if (target[w] == b->where[w]) continue;
        balance_step step = step_of_move(b, w, target[w]);
        if (best->workflow == SKEDI_NO_MOVER ||
            balance_is_less(step.after, best->after)) {
            *best = step;
        }
        rc = skedi_hooks_check(&b->hooks, w, b->in.workflows);
    }
    return rc;
}

static sked_balance_move take_step(skedi_balance *b, const uint32_t *target,
                                   const balance_step *step)
{
    uint32_t w = step->workflow, from = b->where[w], to = target[w];
    sked_balance_objective before = b->objective;

    skedi_balance_move(b, w, to, step->score[0], step->score[1]);
    return (sked_balance_move){
        .workflow = w,
        .from = from,
        .to = to,
        .gain = {before.excess - b->objective.excess,
                 before.sum - b->objective.sum},
        .from_utilisation = b->score[from],
        .to_utilisation = b->score[to],
        .from_allocation = skedi_balance_instances(b, from),
        .to_allocation = skedi_balance_instances(b, to),
    };
}

/* ---- A call ---- */

static sked_status balance_find(skedi_balance_found *f)
{
    skedi_balance *b = &f->b;
    size_t n = (size_t)b->in.workflows;

    f->before = b->objective;
    sked_status rc = skedi_balance_bound(b, &f->bound);
    if (rc == SKED_OK) rc = skedi_balance_search(b, &f->complete);
    if (rc != SKED_OK) return rc;
    f->tries = b->tries;
    f->n_moves = b->moved;
    f->target = skedi_new(&b->hooks.mem, n, sizeof *f->target);
    if (!f->target) return SKED_ERR_NOMEM;
    if (n) memcpy(f->target, b->where, n * sizeof *f->target);
    return SKED_OK;
}

/* Moves every workflow home, then carries out and records the moves. */
static sked_status list_moves(skedi_balance_found *f)
{
    skedi_balance *b = &f->b;
    balance_step step = {.workflow = SKEDI_NO_MOVER};
    sked_status rc = SKED_OK;

    f->moves = skedi_new(&b->hooks.mem, f->n_moves, sizeof *f->moves);
    if (!f->moves) return SKED_ERR_NOMEM;
    for (uint32_t w = 0; w < b->in.workflows; w++) {
        if (b->where[w] == b->in.home[w]) continue;
        step = step_of_move(b, w, b->in.home[w]);
        skedi_balance_move(b, w, b->in.home[w], step.score[0], step.score[1]);
    }
    for (uint32_t i = 0; i < f->n_moves && rc == SKED_OK; i++) {
        rc = best_step(b, f->target, &step);
        if (rc == SKED_OK) f->moves[i] = take_step(b, f->target, &step);
    }
    return rc;
}

static void balance_hand_out(const skedi_balance_found *f,
                             sked_balance_result *result)
{
    const skedi_balance *b = &f->b;
    uint32_t *cluster = result->cluster;
    int64_t *utilisation = result->utilisation;

    if (b->in.workflows) {
        memcpy(cluster, f->target, (size_t)b->in.workflows * sizeof *cluster);
    }
    if (utilisation) {
        memcpy(utilisation, b->score,
               (size_t)b->in.clusters * sizeof *utilisation);
    }
    result->moves = f->n_moves;
    result->complete = f->complete;
    result->tries = f->tries;
    result->before = f->before;
    result->after = b->objective;
    result->bound = f->bound;
}

/* Frees the findings of a call. The caller frees the findings after a failure
 * too. */
static void balance_drop_found(skedi_balance_found *f)
{
    skedi_mem *mem = &f->b.hooks.mem;

    skedi_free(mem, f->moves, f->n_moves, sizeof *f->moves);
    skedi_free(mem, f->target, (size_t)f->b.in.workflows, sizeof *f->target);
    skedi_balance_drop(&f->b);
}

/* Checks that the result has the column `cluster` and a known size. */
static sked_status balance_result_in(const sked_balance_input *in,
                                     const sked_balance_result *result,
                                     sked_error *err)
{
    const char *missing = !result                             ? "result"
                          : in->workflows && !result->cluster ? "result.cluster"
                                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, RESULT_V1);
    return rc == SKED_OK ? rc : skedi_fail_version(err, "result");
}

sked_status sked_balance(const sked_balance_input *input, const sked_host *host,
                         sked_balance_result *result, sked_balance_move *moves,
                         size_t cap, sked_error *err)
{
    skedi_balance_found f = {.complete = 0};
    sked_balance_input taken;
    sked_status rc = skedi_balance_take(&taken, input, err);

    if (rc == SKED_OK) rc = balance_result_in(&taken, result, err);
    if (rc == SKED_OK) rc = skedi_balance_in(&f.b, &taken, host, NULL, err);
    if (rc != SKED_OK) return rc;
    rc = balance_find(&f);
    if (rc == SKED_OK && moves && f.n_moves <= cap) rc = list_moves(&f);
    if (rc != SKED_OK) {
        (void)skedi_fail_stopped(err, rc);
    } else if (moves && f.n_moves > cap) {
        rc = skedi_fail(err, SKED_ERR_RANGE, "more moves than `cap`",
                        (skedi_fault){.got = f.n_moves, .limit = (int64_t)cap});
    } else {
        if (f.moves) memcpy(moves, f.moves, f.n_moves * sizeof *moves);
        balance_hand_out(&f, result);
    }
    balance_drop_found(&f);
    return rc;
}

/*
 * Splitting a cluster uses the same search with another score. The score of a
 * part is its mean number of instances in use, times the weight of an instance.
 * The workflows use the same amounts in every part. The smallest sum of scores
 * therefore strands the least capacity.
 */

/* Computes the weight of an instance of each part: its share of the capacity
 * that is split, added up over all kinds. */
static void weigh_parts(const sked_balance_input *in, int64_t *weight)
{
    for (uint32_t c = 0; c < in->clusters; c++) {
        weight[c] = 0;
        for (uint32_t k = 0; k < in->kinds; k++) {
            size_t at = (size_t)c * in->kinds + k;
            if (in->capacity[at] <= 0) continue;
            weight[c] += balance_part(in->instance[at], in->capacity[at], 1);
        }
        weight[c] = skedi_i64_min(weight[c], SKED_BALANCE_MOST);
    }
}

/* The stranded amount of one kind in one bucket: the instances in use have this
 * amount, and no workflow uses it. */
static uint64_t idle_of(const int64_t *used, const int64_t *instance,
                        uint32_t kinds, uint32_t kind)
{
    int64_t most = 0;
    uint64_t rem;

    for (uint32_t k = 0; k < kinds; k++) {
        most = skedi_i64_max(most, balance_part(used[k], instance[k], 1));
    }
    skedi_u128 has = skedi_u128_div(
        skedi_u128_mul((uint64_t)most, (uint64_t)instance[kind]),
        SKED_BALANCE_WHOLE, &rem);
    skedi_u128 busy = skedi_u128_of((uint64_t)used[kind]);
    if (skedi_u128_cmp(has, busy) <= 0) return 0;
    has = skedi_u128_sub(has, busy);
    if (skedi_u128_high(has) == 0 &&
        skedi_u128_low(has) < (uint64_t)SKED_AMOUNT_MAX) {
        return skedi_u128_low(has);
    }
    return (uint64_t)SKED_AMOUNT_MAX;
}

/* The mean stranded amount of one kind over the window, rounded down. */
static int64_t part_stranded(const skedi_balance *b, uint32_t part,
                             uint32_t kind)
{
    const int64_t *curve = b->curve + part * b->cells;
    const int64_t *instance = b->in.instance + (size_t)part * b->in.kinds;
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets; i++) {
        uint64_t idle = idle_of(curve + i * b->in.kinds, instance, b->in.kinds,
                                kind);
        sum = skedi_u128_add(sum, skedi_u128_mul(idle, (uint64_t)b->length[i]));
    }
    return (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
}

static void tell_parts(skedi_balance *b, int64_t *instances, int64_t *stranded)
{
    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (instances) instances[c] = skedi_balance_instances(b, c);
        for (uint32_t k = 0; stranded && k < b->in.kinds; k++) {
            stranded[c * (size_t)b->in.kinds + k] = part_stranded(b, c, k);
        }
    }
}

sked_status sked_balance_split(const sked_balance_input *input,
                               const sked_host *host,
                               sked_balance_result *result, int64_t *instances,
                               int64_t *stranded, sked_error *err)
{
    int64_t weight[SKED_MAX_CLUSTERS];
    skedi_balance_found f = {.complete = 0};
    sked_balance_input taken;
    sked_status rc = skedi_balance_take(&taken, input, err);

    if (rc == SKED_OK) rc = balance_result_in(&taken, result, err);
    if (rc != SKED_OK) return rc;
    if (!taken.instance || taken.fixed) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "instances and nothing fixed are needed");
    }
    weigh_parts(&taken, weight);
    rc = skedi_balance_in(&f.b, &taken, host, weight, err);
    if (rc != SKED_OK) return rc;
    rc = balance_find(&f);
    if (rc == SKED_OK) {
        balance_hand_out(&f, result);
        tell_parts(&f.b, instances, stranded);
    } else {
        (void)skedi_fail_stopped(err, rc);
    }
    balance_drop_found(&f);
    return rc;
}
