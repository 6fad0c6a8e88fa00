/*
 * One round over a tree. The settings and the amounts of the queues are laid
 * out as arrays, with the clocks of the partition in the tree's rows. The round
 * works in its own memory. The findings and clocks replace the last results
 * only after the round has succeeded.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "target/handle.h"
#include "tree/image.h"
#include "ledger/handle.h"

SKEDI_NO_TAIL_PADDING(sked_target_input, keep);

enum { TARGET_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_target_input, running) };

/* Columns of amounts, row by row. */
enum {
    ROUND_GUARANTEE,
    ROUND_LIMIT,
    ROUND_BORROW,
    ROUND_LEND,
    ROUND_USAGE,
    ROUND_DEMAND,
    ROUND_COLUMNS
};

/* Columns of numbers, one a row. */
enum {
    ROUND_FROM,
    ROUND_MIN_TIMEOUT,
    ROUND_FAIR_TIMEOUT,
    ROUND_THRESHOLD,
    ROUND_RUNNING,
    ROUND_SCRATCH,
    ROUND_NUMBERS
};

/* The memory of a round. */
typedef struct round_memory {
    sked_target *target;
    sked_target_input in;
    const skedi_image *image;
    size_t n;
    size_t kinds;
    int64_t *amounts; /* ROUND_COLUMNS x n x kinds */
    int64_t *numbers; /* ROUND_NUMBERS x n */
    uint8_t *from;
    skedi_target_clocks clocks;
    skedi_target_clocks *grown; /* clocks of more partitions than before */
    size_t partitions;
    skedi_targets found;
} round_memory;

static int round_memory_make(round_memory *r)
{
    skedi_mem *mem = &r->target->hooks.mem;

    if (r->in.partition >= r->target->partitions) {
        r->partitions = r->in.partition + (size_t)1;
        r->grown = skedi_new(mem, r->partitions, sizeof *r->grown);
        if (!r->grown) return 0;
    }
    return (r->amounts = skedi_new(mem, r->n * r->kinds * ROUND_COLUMNS,
                                   sizeof *r->amounts)) &&
           (r->numbers = skedi_new(mem, r->n * ROUND_NUMBERS,
                                   sizeof *r->numbers)) &&
           (r->from = skedi_new(mem, r->n, sizeof *r->from)) &&
           skedi_target_clocks_make(&r->clocks, mem, r->n);
}

static void round_memory_free(round_memory *r)
{
    skedi_mem *mem = &r->target->hooks.mem;

    skedi_free(mem, r->amounts, r->n * r->kinds * ROUND_COLUMNS,
               sizeof *r->amounts);
    skedi_free(mem, r->numbers, r->n * ROUND_NUMBERS, sizeof *r->numbers);
    skedi_free(mem, r->from, r->n, sizeof *r->from);
    skedi_free(mem, r->grown, r->partitions, sizeof *r->grown);
    skedi_target_clocks_free(&r->clocks, mem);
    skedi_targets_free(&r->found);
}

/* ---- The caller's input ---- */

static sked_status round_fits(const round_memory *r, sked_error *err)
{
    const sked_ledger *ledger = r->in.ledger;

    if (r->in.partition >= SKED_MAX_TARGET_PARTITIONS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "no such partition",
            (skedi_fault){.got = r->in.partition,
                          .limit = SKED_MAX_TARGET_PARTITIONS - 1});
    }
    if (!ledger) return SKED_OK;
    if (ledger->kinds != r->image->kinds) {
        return sked_schema_same(sked_tree_schema(r->in.tree), &ledger->schema,
                                err);
    }
    if (!skedi_ledger_follows(ledger, r->image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    return SKED_OK;
}

static sked_status round_in(round_memory *r, const sked_target_input *in,
                            sked_error *err)
{
    sked_status rc = skedi_struct_in(&r->in, sizeof r->in, in, TARGET_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    const char *missing = !r->in.tree                     ? "input.tree"
                          : !r->in.capacity               ? "input.capacity"
                          : !r->in.ledger && !r->in.usage ? "input.ledger"
                                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    r->image = skedi_tree_image(r->in.tree);
    r->n = r->image->n;
    r->kinds = r->image->kinds;
    return round_fits(r, err);
}

static int64_t *round_numbers(const round_memory *r, int which)
{
    return r->numbers + (size_t)which * r->n;
}

/* Copies one kind of a column to its place among the rows. */
static void spread(const round_memory *r, int column, size_t k,
                   const int64_t *by_row)
{
    size_t at = (size_t)column * r->n * r->kinds + k;

    for (size_t row = 0; row < r->n; row++, at += r->kinds) {
        r->amounts[at] = by_row[row];
    }
}

/* Fails only for a bad capacity; the round checks the capacity here. */
static sked_status read_settings(const round_memory *r, sked_error *err)
{
    static const int32_t attribute[] = {SKED_QUEUE_GUARANTEE, SKED_QUEUE_LIMIT,
                                        SKED_QUEUE_BORROW, SKED_QUEUE_LEND};
    int64_t *by_row = round_numbers(r, ROUND_SCRATCH);
    size_t n;

    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t capacity = r->in.capacity[k];
        if (capacity < 0 || capacity > SKED_AMOUNT_MAX) {
            return skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                              (skedi_fault){.kind = (int32_t)k + 1,
                                            .got = capacity,
                                            .limit = SKED_AMOUNT_MAX});
        }
        for (int column = ROUND_GUARANTEE; !r->in.share && column <= ROUND_LEND;
             column++) {
            (void)!sked_tree_column_vec(r->in.tree, attribute[column], k,
                                        capacity, by_row, r->n, &n);
            spread(r, column, k, by_row);
        }
    }
    return SKED_OK;
}

static void read_numbers(const round_memory *r)
{
    static const int32_t attribute[] = {
        SKED_QUEUE_PREEMPT_FROM, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
        SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD};
    const int64_t *from = round_numbers(r, ROUND_FROM);
    size_t n;

    for (int i = ROUND_FROM; i <= ROUND_THRESHOLD; i++) {
        (void)!sked_tree_column(r->in.tree, attribute[i], round_numbers(r, i),
                                r->n, &n);
    }
    for (size_t row = 0; row < r->n; row++) r->from[row] = from[row] != 0;
}

static void read_ledger(const round_memory *r)
{
    const sked_ledger *ledger = r->in.ledger;

    if (!ledger) return;
    for (size_t k = 0; k < r->kinds; k++) {
        uint32_t kind = (uint32_t)k;
        spread(r, ROUND_USAGE, k,
               skedi_ledger_column(ledger, SKED_LEDGER_USAGE, kind));
        spread(r, ROUND_DEMAND, k,
               skedi_ledger_column(ledger, SKED_LEDGER_DEMAND, kind));
    }
    memcpy(round_numbers(r, ROUND_RUNNING),
           skedi_ledger_column(ledger, SKED_LEDGER_RUNNING, 0),
           r->n * sizeof(int64_t));
}

/* ---- Clocks ---- */

static skedi_target_clocks *clocks_now(const round_memory *r)
{
    int known = r->in.partition < r->target->partitions;

    return known ? &r->target->clocks[r->in.partition] : NULL;
}

/* Takes the clocks of every queue that still exists, into its present row. */
static void take_clocks(round_memory *r)
{
    const skedi_target_clocks *old = clocks_now(r);
    skedi_target_clocks *c = &r->clocks;

    memcpy(c->id, r->image->id, r->n * sizeof *c->id);
    memcpy(c->birth, r->image->birth, r->n * sizeof *c->birth);
    for (size_t row = 0; row < r->n; row++) {
        c->min_since[row] = c->fair_since[row] = SKED_UNSET;
    }
    for (size_t i = 0; old && i < old->n; i++) {
        uint32_t row = skedi_image_same(r->image, old->id[i], old->birth[i]);
        if (row == SKEDI_NO_ROW) continue;
        c->min_since[row] = old->min_since[i];
        c->fair_since[row] = old->fair_since[i];
        c->rounds[row] = old->rounds[i];
    }
}

static sked_time comes_later(const skedi_target_clocks *old, sked_time now)
{
    return old && old->n > 0 && old->now > now ? old->now : now;
}

/* Replaces the last results by the findings of the round. */
static void keep_round(round_memory *r)
{
    sked_target *target = r->target;
    skedi_target_clocks *c = &r->clocks;
    skedi_targets last = target->last;

    memcpy(c->min_since, r->found.min_since, r->n * sizeof *c->min_since);
    memcpy(c->fair_since, r->found.fair_since, r->n * sizeof *c->fair_since);
    memcpy(c->rounds, r->found.rounds, r->n * sizeof *c->rounds);
    c->now = r->found.in.now;
    if (r->grown) {
        skedi_target_clocks *old = target->clocks;
        size_t partitions = target->partitions;
        for (size_t i = 0; i < partitions; i++) r->grown[i] = old[i];
        target->clocks = r->grown;
        target->partitions = r->partitions;
        r->grown = old;
        r->partitions = partitions;
    }
    skedi_target_clocks held = target->clocks[r->in.partition];
    target->clocks[r->in.partition] = *c;
    *c = held;
    target->last = r->found;
    target->last.in = (sked_target_once_input){0}; /* borrowed for the round */
    target->last.queues = (sked_share_input){0};
    r->found = last;
}

/* ---- The round ---- */

static sked_share_input round_queues(const round_memory *r)
{
    size_t cells = r->n * r->kinds;
    const sked_target_input *in = &r->in;
    const int64_t *amounts = r->amounts;
    int told = in->ledger != NULL, computes = in->share == NULL;

    return (sked_share_input){
        .struct_size = sizeof(sked_share_input),
        .kinds = (uint32_t)r->kinds,
        .n = (uint32_t)r->n,
        .parent = r->image->parent,
        .weight = r->image->weight,
        .priority = r->image->priority,
        .guarantee = computes ? amounts + ROUND_GUARANTEE * cells : NULL,
        .limit = computes ? amounts + ROUND_LIMIT * cells : NULL,
        .borrow = computes ? amounts + ROUND_BORROW * cells : NULL,
        .lend = computes ? amounts + ROUND_LEND * cells : NULL,
        .demand = told ? amounts + ROUND_DEMAND * cells : in->demand,
        .usage = told ? amounts + ROUND_USAGE * cells : in->usage,
        .running = told ? round_numbers(r, ROUND_RUNNING) : in->running,
        .state = r->image->state,
        .capacity = in->capacity,
    };
}

static sked_status round_compute(round_memory *r, sked_time now,
                                 sked_error *err)
{
    sked_share_input queues = round_queues(r);
    sked_target_once_input in = {
        .struct_size = sizeof in,
        .now = comes_later(clocks_now(r), now),
        .queues = &queues,
        .preempt_from = r->from,
        .min_timeout_ns = round_numbers(r, ROUND_MIN_TIMEOUT),
        .fair_timeout_ns = round_numbers(r, ROUND_FAIR_TIMEOUT),
        .fair_threshold_ppm = round_numbers(r, ROUND_THRESHOLD),
        .min_since = r->clocks.min_since,
        .fair_since = r->clocks.fair_since,
        .rounds = r->clocks.rounds,
        .share = r->in.share,
        .claim = r->in.claim,
        .keep = r->in.keep,
    };
    sked_status rc = read_settings(r, err);

    if (rc != SKED_OK) return rc;
    read_numbers(r);
    read_ledger(r);
    take_clocks(r);
    rc = skedi_targets_round(&r->found, &in, err);
    if (rc == SKED_OK) keep_round(r);
    return rc;
}

sked_status sked_target_compute(sked_target *target,
                                const sked_target_input *input, sked_time now,
                                sked_error *err)
{
    round_memory r = {.target = target};

    const char *missing = !target ? "target" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    r.found.hooks = &target->hooks;
    r.found.options = target->options;
    sked_status rc = skedi_hooks_now(&target->hooks, &now, err);
    if (rc == SKED_OK) rc = round_in(&r, input, err);
    if (rc != SKED_OK) return rc;
    rc = round_memory_make(&r) ? round_compute(&r, now, err)
                               : skedi_fail_memory(err);
    round_memory_free(&r);
    return rc;
}
