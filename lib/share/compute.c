/*
 * Everything anew: into the pair of rows and results that is not in force, by
 * kinds, which share nothing; then the pairs change places.
 */
#include <string.h>

#include "base/fail.h"
#include "base/par.h"
#include "share/handle.h"

/* ---- Before ---- */

static skedi_share_size image_size(const skedi_image *image)
{
    skedi_share_size size = {
        .queues = image->n,
        .slots = image->n_slots,
        .families = image->n - image->n_leaves,
        .widest = 1,
        .kinds = image->kinds,
        .parted = skedi_share_is_parted(image),
    };

    for (uint32_t row = 0; row < image->n; row++) {
        size_t children = skedi_image_children(image, row);
        if (children > size.widest) size.widest = children;
    }
    return size;
}

static int rows_hold(const skedi_share_rows *rows, const skedi_image *image)
{
    return rows->shape_key == image->shape_key && rows->shape.n == image->n &&
           rows->kinds == image->kinds;
}

static void lay_out_image(skedi_share_rows *rows, const skedi_image *image)
{
    rows->shape = skedi_share_shape_of(&rows->memory, image->parent, image->n);
    rows->shape_key = image->shape_key;
    rows->kinds = image->kinds;
    rows->n_slots = image->n_slots;
    memcpy(rows->id, image->id, image->n * sizeof *rows->id);
    memcpy(rows->row_of, image->row_of, image->n_slots * sizeof *rows->row_of);
}

/* First guesses for the levels: those of last time. */
static void take_levels(sked_share *share, const skedi_share_rows *rows,
                        int same_rows)
{
    const skedi_share_results *old = &share->results[share->now_results];
    skedi_share_results *next = &share->results[!share->now_results];
    size_t n = (size_t)rows->shape.n_families * rows->kinds;

    if (share->options.scope == SKED_SHARE_SCOPE_DOMINANT) return;
    for (size_t i = 0; i < n; i++) {
        skedi_fill_window_shut(&next->state[i].window);
        next->state[i].level =
            same_rows
                ? old->state[i].level
                : (skedi_fill_level){.outcome = SKED_FILL_OUTCOME_SATURATED};
    }
}

static void make_inputs(sked_share *share, skedi_share_inputs *in)
{
    const skedi_image *image = in->image;
    size_t n = image->n, kinds = image->kinds;
    int by_activity = share->model.model == SKED_SHARE_MODEL_INSTANTANEOUS;

    for (uint32_t row = 0; by_activity && row < n; row++) {
        int idle = skedi_share_is_idle(in->ledger, image, row);
        int draining = image->state[row] == SKED_STATE_DRAINING;
        share->row_state[row] = (uint8_t)((idle ? SKEDI_ROW_IDLE : 0) |
                                          (draining ? SKEDI_ROW_DRAINING : 0));
    }
    for (uint32_t k = 0; skedi_share_is_parted(image) && k < kinds; k++) {
        int64_t *to = share->resolved + k * n;
        skedi_image_resolve(image, SKEDI_AT_GUARANTEE, k, in->capacity[k], to);
        skedi_image_resolve(image, SKEDI_AT_LIMIT, k, in->capacity[k],
                            to + kinds * n);
    }
    skedi_share_inputs_of(share, in);
}

/* ---- The kinds ---- */

typedef struct full_run {
    sked_share *share;
    const skedi_share_inputs *in;
    const skedi_share_rows *rows;
    skedi_hooks quiet; /* for several threads: looks at the flag alone */
    skedi_share_progress progress[SKEDI_SHARE_LANES];
    sked_status rc[SKEDI_SHARE_LANES];
    uint32_t lanes;
} full_run;

/* Every kind of one lane. */
static void run_lane(void *arg, size_t lane)
{
    full_run *run = arg;
    sked_share *share = run->share;
    const skedi_share_results *next = &share->results[!share->now_results];

    for (uint32_t k = (uint32_t)lane; k < run->rows->kinds; k += run->lanes) {
        skedi_share_kind kind = skedi_share_kind_of(share, run->in, run->rows,
                                                    next, k);
        if (run->rc[lane] != SKED_OK) return;
        run->rc[lane] = skedi_share_whole(&kind, &share->memory[lane],
                                          &run->progress[lane]);
    }
}

static sked_status run_kinds(full_run *run, uint64_t total)
{
    sked_share *share = run->share;
    sked_status rc = SKED_OK;

    run->lanes = share->lanes < run->rows->kinds ? share->lanes
                                                 : run->rows->kinds;
    run->quiet = share->hooks;
    run->quiet.host.progress = NULL;
    for (uint32_t i = 0; i < run->lanes; i++) {
        run->progress[i] = (skedi_share_progress){
            .hooks = run->lanes > 1 ? &run->quiet : &share->hooks,
            .total = total,
        };
    }
    if (run->lanes > 1) rc = skedi_hooks_check(&share->hooks, 0, total);
    if (rc == SKED_OK) {
        rc = run->lanes > 1
                 ? skedi_par_for(&share->hooks, run->lanes, run_lane, run)
                 : (run_lane(run, 0), SKED_OK);
    }
    for (uint32_t i = 0; i < run->lanes && rc == SKED_OK; i++) rc = run->rc[i];
    for (uint32_t i = 1; i < run->lanes; i++) {
        run->progress[0].families += run->progress[i].families;
        run->progress[0].queues += run->progress[i].queues;
    }
    return rc;
}

static sked_status run_dominant(full_run *run, uint64_t total)
{
    sked_share *share = run->share;
    skedi_dominant *d = &share->dominant;

    run->progress[0] = (skedi_share_progress){
        .hooks = &share->hooks,
        .total = total,
    };
    d->shape = &run->rows->shape;
    d->told = run->in->told;
    d->share = share->results[!share->now_results].share;
    d->kinds = run->rows->kinds;
    d->progress = &run->progress[0];
    return skedi_dominant_compute(d);
}

/* ---- After ---- */

static void clear_todo(sked_share *share, uint32_t families)
{
    uint32_t i;

    while ((i = skedi_marks_first(&share->down)) != SKEDI_MARKS_END) {
        skedi_marks_drop(&share->down, i);
    }
    if (families) memset(share->todo, 0, families * sizeof *share->todo);
}

void skedi_share_done(sked_share *share, const skedi_share_inputs *in,
                      const skedi_share_progress *progress, int full)
{
    sked_share_stats *stats = &share->stats;

    share->any = 1;
    share->must_full = 0;
    share->tree_version = in->image->version;
    share->tree_key = in->image->key;
    share->mark = skedi_ledger_now(in->ledger);
    memcpy(share->capacity, in->capacity,
           in->image->kinds * sizeof *share->capacity);
    stats->computed++;
    stats->full += full != 0;
    stats->families += progress->families;
    stats->queues += progress->queues;
    skedi_hooks_trace(&share->hooks, (sked_trace){
                                         .what = SKED_TRACE_SHARE,
                                         .queue = in->image->id[0],
                                         .a = (int64_t)in->image->version,
                                         .b = (int64_t)progress->queues,
                                         .c = full != 0,
                                     });
}

static sked_status full_prepare(sked_share *share, const skedi_image *image,
                                int same_rows, sked_error *err)
{
    skedi_share_size size = image_size(image);

    if ((!same_rows && !skedi_share_make_rows(share, &size)) ||
        !skedi_share_memory_make(share, &size)) {
        return skedi_fail_memory(err);
    }
    if (!same_rows) lay_out_image(&share->rows[!share->now_rows], image);
    return SKED_OK;
}

sked_status skedi_share_full(sked_share *share, const sked_tree *tree,
                             skedi_share_inputs *in, sked_error *err)
{
    int same_rows = share->any &&
                    rows_hold(skedi_share_rows_now(share), in->image);
    sked_status rc = sked_schema_same(sked_tree_schema(tree),
                                      &in->ledger->schema, err);

    if (rc == SKED_OK) rc = full_prepare(share, in->image, same_rows, err);
    if (rc != SKED_OK) return rc;
    full_run run = {.share = share, .in = in};
    uint64_t total = UINT64_C(2) * in->image->n * in->image->kinds;
    run.rows = &share->rows[same_rows ? share->now_rows : !share->now_rows];
    share->must_full = 1; /* until done: inputs and marks are half new */
    make_inputs(share, in);
    take_levels(share, run.rows, same_rows);
    rc = share->options.scope == SKED_SHARE_SCOPE_DOMINANT
             ? run_dominant(&run, total)
             : run_kinds(&run, total);
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }

    share->now_results = !share->now_results;
    if (!same_rows) share->now_rows = !share->now_rows;
    clear_todo(share, run.rows->shape.n_families);
    skedi_share_done(share, in, &run.progress[0], 1);
    return SKED_OK;
}

sked_status sked_share_compute(sked_share *share, const sked_tree *tree,
                               const sked_ledger *ledger,
                               const int64_t *capacity, sked_error *err)
{
    skedi_share_inputs in;
    skedi_share_given given = {tree, ledger, capacity};
    sked_status rc = skedi_share_take(share, &given, &in, err);

    return rc == SKED_OK ? skedi_share_full(share, tree, &in, err) : rc;
}
