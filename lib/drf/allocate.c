/*
 * Dividing a pool by the DRF loop. Live clients sit in a winner tree by their
 * keys; a decision takes the least, and gives it a task or finds that its task
 * does not fit, which is for good. Runs of such steps alternate with jumps
 * (drf/jump.c). Where jumps bring few decisions, runs become longer, so that
 * the whole never costs more than a small multiple of the plain loop; where
 * they leave more than half of every kind, they become exact, so that after
 * each, or each few, a kind has halved or a client has left, and the number of
 * tasks does not matter.
 */
#include <string.h>

#include "base/fail.h"
#include "drf/batch.h"

enum { BATCH_RUN_MIN = 64, BATCH_RUN_LONGER = 64, BATCH_STALLS = 4 };

/* Does one more task of client i fit? One that asks for nothing never does. */
static int task_fits(const skedi_drf_batch *b, uint32_t i)
{
    const int64_t *demand = skedi_batch_demand(b, i);
    int64_t asks = 0, over = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        asks |= demand[k];
        over |= b->pool[k] - demand[k];
    }
    return asks != 0 && over >= 0 && skedi_batch_left(b, i) > 0;
}

/* Keeps those alive that can get a task. */
static void batch_filter(skedi_drf_batch *b)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < b->n_live; j++) {
        b->live[n] = b->live[j];
        n += (uint32_t)task_fits(b, b->live[j]);
    }
    b->n_live = n;
}

static void batch_enter(skedi_drf_batch *b)
{
    b->order.blocks = skedi_winner_blocks(b->n_live);
    for (uint32_t j = 0; j < b->order.blocks * SKEDI_WINNER_BLOCK; j++) {
        b->order.key[j] = j < b->n_live ? skedi_batch_key(b, b->live[j])
                                        : SKEDI_WINNER_OUT;
    }
    skedi_winner_build(&b->order);
}

/* How many tasks of client i fit, with `most` at the most. */
static int64_t tasks_fit_up_to(const skedi_drf_batch *b, uint32_t i,
                               int64_t most)
{
    const int64_t *demand = skedi_batch_demand(b, i);

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        if (demand[k] == 0) continue;
        most = skedi_i64_min(most, b->pool[k] / demand[k]);
    }
    return most;
}

/*
 * One decision for the client in front, which fits. Where that leaves the key
 * as it was, as with large weights, `all` asks for all decisions that do: no
 * other client comes between them.
 */
static void batch_place(skedi_drf_batch *b, uint32_t player, int all)
{
    uint32_t i = b->live[player];
    uint64_t was = b->order.key[player];

    skedi_batch_give(b, i, 1);
    uint64_t key = skedi_batch_key(b, i);
    if (key == was && all) {
        int64_t alike = key < SKEDI_DRF_TOP ? skedi_batch_below(b, i, key + 1)
                                            : skedi_batch_left(b, i);
        skedi_batch_give(b, i, tasks_fit_up_to(b, i, alike));
        key = skedi_batch_key(b, i);
    }
    skedi_winner_set(&b->order, player, key);
}

/*
 * The loop itself, at most `most` steps of it; a step is a decision or a
 * client that leaves. `order` (may be NULL) gets the clients of decisions.
 * `*ended` says that no client is left.
 */
static sked_status batch_run(skedi_drf_batch *b, uint64_t most, uint32_t *order,
                             int *ended)
{
    const skedi_winner *first = &b->order.node[1];

    *ended = b->n_live == 0;
    if (*ended) return SKED_OK;
    batch_enter(b);
    for (uint64_t done = 0; done < most;) {
        sked_status rc = skedi_batch_pause(b, 1);
        if (rc != SKED_OK) return rc;
        *ended = first->key == SKEDI_WINNER_OUT;
        if (*ended) return SKED_OK;
        uint32_t player = first->player, i = b->live[player];
        if (task_fits(b, i)) {
            batch_place(b, player, order == NULL);
            if (order) order[done] = i;
            done++;
            continue;
        }
        skedi_winner_set(&b->order, player, SKEDI_WINNER_OUT);
        done += order == NULL;
    }
    return SKED_OK;
}

/* Did some kind of what was left become half of it, or less? */
static int pool_halved(const skedi_drf_batch *b, const int64_t *before)
{
    int halved = 0;

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        halved |= b->pool[k] < before[k] && b->pool[k] <= before[k] / 2;
    }
    return halved;
}

/* A jump; `*stalls` is how many in a row halved nothing. */
static sked_status batch_jump(skedi_drf_batch *b, unsigned *stalls,
                              uint64_t *gave)
{
    int64_t before[SKED_MAX_KINDS];

    memcpy(before, b->pool, sizeof before);
    sked_status rc = skedi_batch_pause(b, b->n_live);
    if (rc != SKED_OK) return rc;
    if (*stalls < BATCH_STALLS)
        *gave = skedi_batch_jump_guessed(b);
    else
        rc = skedi_batch_jump_searched(b, gave);
    *stalls += *stalls < BATCH_STALLS;
    if (pool_halved(b, before)) *stalls = 0;
    return rc;
}

/* Jumps and runs in turn until no client is left. */
static sked_status batch_all(skedi_drf_batch *b)
{
    unsigned stalls = 0;
    uint64_t run = 0;

    for (int ended = 0; !ended;) {
        uint64_t gave;
        batch_filter(b);
        if (b->n_live == 0) return SKED_OK;
        sked_status rc = batch_jump(b, &stalls, &gave);
        if (rc != SKED_OK) return rc;
        uint64_t least = b->n_live > BATCH_RUN_MIN ? b->n_live : BATCH_RUN_MIN;
        run = gave > b->n_live || run < least ? least : 2 * run;
        if (run > BATCH_RUN_LONGER * least) run = BATCH_RUN_LONGER * least;
        batch_filter(b);
        rc = batch_run(b, run, NULL, &ended);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

static void batch_release(skedi_drf_batch *b)
{
    skedi_mem *mem = &b->hooks.mem;
    size_t n = (size_t)b->rows.n, kinds = b->rows.kinds;

    skedi_free(mem, b->usage, n * kinds, sizeof *b->usage);
    skedi_free(mem, b->given, n, sizeof *b->given);
    skedi_free(mem, b->inverse, n, sizeof *b->inverse);
    skedi_free(mem, b->count, n, sizeof *b->count);
    skedi_free(mem, b->live, n, sizeof *b->live);
    skedi_free(mem, b->order.key, b->blocks,
               SKEDI_WINNER_BLOCK * sizeof *b->order.key);
    skedi_free(mem, b->order.node, b->blocks, 2 * sizeof *b->order.node);
    skedi_free(mem, b->guess, n * kinds, 3 * sizeof *b->guess);
}

static int batch_reserve(skedi_drf_batch *b)
{
    skedi_mem *mem = &b->hooks.mem;
    size_t n = (size_t)b->rows.n, kinds = b->rows.kinds;

    b->blocks = skedi_winner_blocks((uint32_t)b->rows.n);
    return (b->usage = skedi_new(mem, n * kinds, sizeof *b->usage)) &&
           (b->given = skedi_new(mem, n, sizeof *b->given)) &&
           (b->inverse = skedi_new(mem, n, sizeof *b->inverse)) &&
           (b->count = skedi_new(mem, n, sizeof *b->count)) &&
           (b->live = skedi_new(mem, n, sizeof *b->live)) &&
           (b->order.key = skedi_new(
                mem, b->blocks, SKEDI_WINNER_BLOCK * sizeof *b->order.key)) &&
           (b->order.node = skedi_new(mem, b->blocks,
                                      2 * sizeof *b->order.node)) &&
           (b->guess = skedi_new(mem, n * kinds, 3 * sizeof *b->guess));
}

static void batch_fill(skedi_drf_batch *b, const int64_t *pool)
{
    const sked_drf_input *rows = &b->rows;
    size_t cells = (size_t)rows->n * rows->kinds;

    memcpy(b->pool, pool, rows->kinds * sizeof *pool);
    if (rows->usage) memcpy(b->usage, rows->usage, cells * sizeof *b->usage);
    for (uint32_t k = 0; k < rows->kinds; k++) {
        b->scale[k] = skedi_drf_scale_of(rows->capacity[k]);
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        b->live[i] = i;
        b->inverse[i] = skedi_drf_inverse(skedi_drf_weight(rows, i));
    }
    b->n_live = (uint32_t)rows->n;
}

/* Within the capacity, and no usage can grow beyond an amount. */
static sked_status pool_in(const sked_drf_input *rows, const int64_t *pool,
                           sked_error *err)
{
    for (uint32_t k = 0; k < rows->kinds; k++) {
        if (pool[k] >= 0 && pool[k] <= rows->capacity[k]) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "pool is not within the capacity",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = pool[k],
                                        .limit = rows->capacity[k]});
    }
    for (size_t i = 0; rows->usage && i < (size_t)rows->n * rows->kinds; i++) {
        uint32_t k = (uint32_t)(i % rows->kinds);
        if (rows->usage[i] <= SKED_AMOUNT_MAX - pool[k]) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "usage and pool exceed an amount",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .row = (int64_t)(i / rows->kinds) + 1,
                                        .got = rows->usage[i],
                                        .limit = SKED_AMOUNT_MAX - pool[k]});
    }
    return SKED_OK;
}

/* Takes everything in and makes ready; on failure nothing is held. */
static sked_status batch_start(skedi_drf_batch *b, const sked_host *host,
                               const sked_drf_input *rows, const int64_t *pool,
                               sked_error *err)
{
    enum { READS = SKEDI_READS_USAGE | SKEDI_READS_DEMAND | SKEDI_READS_TASKS };

    *b = (skedi_drf_batch){0};
    sked_status rc = skedi_drf_rows_in(&b->rows, rows, READS, err);
    if (rc != SKED_OK) return rc;
    if (!pool) return skedi_fail_null(err, "pool");
    rc = pool_in(&b->rows, pool, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_hooks_in(&b->hooks, host, err);
    if (rc != SKED_OK) return rc;
    if (!batch_reserve(b)) {
        batch_release(b);
        return skedi_fail_memory(err);
    }
    batch_fill(b, pool);
    return SKED_OK;
}

sked_status sked_drf_allocate(const sked_drf_input *input,
                              const sked_host *host, int64_t *pool,
                              int64_t *tasks, sked_error *err)
{
    skedi_drf_batch b;

    sked_status rc = batch_start(&b, host, input, pool, err);
    if (rc != SKED_OK) return rc;
    if (!tasks && b.rows.n) {
        rc = skedi_fail_null(err, "tasks");
    } else {
        rc = batch_all(&b);
        if (rc != SKED_OK) rc = skedi_fail_stopped(err, rc);
    }
    if (rc == SKED_OK) {
        memcpy(pool, b.pool, b.rows.kinds * sizeof *pool);
        if (b.rows.n) memcpy(tasks, b.given, (size_t)b.rows.n * sizeof *tasks);
    }
    batch_release(&b);
    return rc;
}

sked_status sked_drf_picks(const sked_drf_input *input, const sked_host *host,
                           int64_t *pool, uint32_t *order, size_t cap,
                           size_t *n, sked_error *err)
{
    skedi_drf_batch b;
    int ended;

    const char *missing = !n ? "n" : cap && !order ? "order" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = batch_start(&b, host, input, pool, err);
    if (rc != SKED_OK) return rc;

    rc = batch_run(&b, cap, order, &ended);
    if (rc == SKED_OK) {
        memcpy(pool, b.pool, b.rows.kinds * sizeof *pool);
        *n = (size_t)b.decisions;
    }
    batch_release(&b);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}
