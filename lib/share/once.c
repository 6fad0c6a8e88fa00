/*
 * Shares of a tree given as arrays.
 *
 * Rows are laid out breadth first, as a commit lays out rows. Siblings stand
 * side by side in their given order. Each kind in turn is then copied into
 * columns, computed and written out.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "share/dominant.h"

SKEDI_NO_TAIL_PADDING(sked_share_input, held);

enum { SHARE_ARRAYS_V1 = SKEDI_SIZE_THROUGH(sked_share_input, capacity) };

enum {
    ONCE_GUARANTEE,
    ONCE_LIMIT,
    ONCE_BORROW,
    ONCE_LEND,
    ONCE_DEMAND,
    ONCE_USAGE,
    ONCE_HELD,
    ONCE_COLUMNS
};

/* Everything a call acquires. */
typedef struct once {
    skedi_hooks hooks;
    sked_share_input in;
    sked_share_options options;
    skedi_share_model model;
    skedi_share_shape_memory shape_memory;
    skedi_share_shape shape;
    skedi_family_memory memory;
    skedi_family_state *state;
    uint32_t *given;    /* by row as laid out: the row of the caller */
    uint32_t *children; /* rows of the caller, by parent */
    int32_t *parent;    /* as laid out */
    uint32_t *weight;
    int32_t *priority;
    uint8_t *row_state;
    int64_t *share;      /* kinds x n, by kind */
    int64_t *columns;    /* ONCE_COLUMNS x n; dominant: for each kind */
    size_t column_kinds; /* kinds in the memory of `columns` */
} once;

static void once_free(once *o)
{
    skedi_mem *mem = &o->hooks.mem;
    size_t n = (size_t)o->in.n;
    size_t kinds = o->in.kinds;

    skedi_share_shape_free(&o->shape_memory, mem);
    skedi_family_memory_free(&o->memory, mem);
    skedi_free(mem, o->state, n, sizeof *o->state);
    skedi_free(mem, o->given, n, sizeof *o->given);
    skedi_free(mem, o->children, n, sizeof *o->children);
    skedi_free(mem, o->parent, n, sizeof *o->parent);
    skedi_free(mem, o->weight, n, sizeof *o->weight);
    skedi_free(mem, o->priority, n, sizeof *o->priority);
    skedi_free(mem, o->row_state, n, sizeof *o->row_state);
    skedi_free(mem, o->share, kinds * n, sizeof *o->share);
    skedi_free(mem, o->columns, o->column_kinds * ONCE_COLUMNS * n,
               sizeof *o->columns);
}

static int once_reserve(once *o)
{
    skedi_mem *mem = &o->hooks.mem;
    size_t n = (size_t)o->in.n;
    int dominant = o->options.scope == SKED_SHARE_SCOPE_DOMINANT;

    o->column_kinds = dominant ? o->in.kinds : 1;
    return skedi_share_shape_ensure(&o->shape_memory, mem, n) &&
           (o->state = skedi_new(mem, n, sizeof *o->state)) &&
           (o->given = skedi_new(mem, n, sizeof *o->given)) &&
           (o->children = skedi_new(mem, n, sizeof *o->children)) &&
           (o->parent = skedi_new(mem, n, sizeof *o->parent)) &&
           (o->weight = skedi_new(mem, n, sizeof *o->weight)) &&
           (o->priority = skedi_new(mem, n, sizeof *o->priority)) &&
           (o->row_state = skedi_new(mem, n, sizeof *o->row_state)) &&
           (o->share = skedi_new(mem, o->in.kinds * n, sizeof *o->share)) &&
           (o->columns = skedi_new(mem, o->column_kinds * ONCE_COLUMNS * n,
                                   sizeof *o->columns));
}

/* ---- What the caller gave ---- */

static sked_status once_take(once *o, const sked_share_input *in,
                             const sked_share_options *opts, sked_error *err)
{
    sked_status rc = skedi_struct_in(&o->in, sizeof o->in, in, SHARE_ARRAYS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = skedi_share_options_in(&o->options, &o->model, opts, err);
    if (rc == SKED_OK) rc = skedi_share_check_arrays(&o->in, err);
    if (rc != SKED_OK) return rc;
    int one_kind = o->options.scope == SKED_SHARE_SCOPE_ONE_KIND;
    if (one_kind && o->options.kind >= o->in.kinds) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such kind");
    }
    return SKED_OK;
}

/* ---- Laying out ---- */

/* Lists the children of every row in their order. The children of `row` end at
 * end[row] and begin at the end of the children of the row before. */
static void list_children(const sked_share_input *in, uint32_t *end,
                          uint32_t *children)
{
    uint32_t n = (uint32_t)in->n, sum = 0;

    for (uint32_t row = 0; row < n; row++) end[row] = 0;
    for (uint32_t row = 1; row < n; row++) end[in->parent[row]]++;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t count = end[row];
        end[row] = sum;
        sum += count;
    }
    for (uint32_t row = 1; row < n; row++) {
        children[end[in->parent[row]]++] = row;
    }
}

/* Lays out the rows breadth first; 0: the tree is too deep. `weight`,
 * `priority` and `row_state` lend their memory before they are filled. */
static int lay_out_rows(once *o)
{
    uint32_t *end = o->weight, *children = o->children, tail = 1;
    uint8_t *depth = o->row_state;

    list_children(&o->in, end, children);
    o->given[0] = 0;
    o->parent[0] = -1;
    depth[0] = 1;
    for (uint32_t at = 0; at < o->in.n; at++) {
        uint32_t row = o->given[at];
        for (uint32_t i = row ? end[row - 1] : 0; i < end[row]; i++) {
            if (depth[at] == SKED_MAX_DEPTH) return 0;
            o->given[tail] = children[i];
            o->parent[tail] = (int32_t)at;
            depth[tail++] = (uint8_t)(depth[at] + 1);
        }
    }
    return 1;
}

static int is_leaf(const once *o, uint32_t at)
{
    return o->shape.family[at] == SKEDI_NO_FAMILY;
}

static int any_amount(const once *o, const int64_t *column, uint32_t row)
{
    const int64_t *amounts = column ? column + (size_t)row * o->in.kinds : NULL;
    int any = 0;

    for (uint32_t k = 0; amounts && k < o->in.kinds; k++) any |= amounts[k] > 0;
    return any;
}

static uint8_t state_of(const once *o, uint32_t at)
{
    const sked_share_input *in = &o->in;
    uint32_t row = o->given[at];
    int draining = in->state && in->state[row] == SKED_STATE_DRAINING;
    int active = !is_leaf(o, at) || any_amount(o, in->demand, row) ||
                 any_amount(o, in->usage, row) ||
                 (in->running && in->running[row] > 0);
    int idle = !active && o->model.model == SKED_SHARE_MODEL_INSTANTANEOUS;

    return (uint8_t)((draining ? SKEDI_ROW_DRAINING : 0) |
                     (idle ? SKEDI_ROW_IDLE : 0));
}

static void lay_out_settings(once *o)
{
    const sked_share_input *in = &o->in;

    for (uint32_t at = 0; at < in->n; at++) {
        uint32_t row = o->given[at];
        o->weight[at] = in->weight ? in->weight[row] : 1;
        o->priority[at] = in->priority ? in->priority[row] : 0;
        o->row_state[at] = state_of(o, at);
    }
}

/* Lays out one kind of one column; NULL stays NULL. */
static const int64_t *lay_out_amounts(once *o, const int64_t *from,
                                      uint32_t kind, int64_t *to)
{
    for (uint32_t at = 0; from && at < o->in.n; at++) {
        to[at] = from[(size_t)o->given[at] * o->in.kinds + kind];
    }
    return from ? to : NULL;
}

/* Takes the values of the leaves, and checks the values. A parent's own value
 * is not read; a parent begins at 0. */
static sked_status take_leaves(const once *o, uint32_t kind, int64_t *to,
                               sked_error *err)
{
    for (uint32_t at = 0; at < o->in.n; at++) {
        if (!is_leaf(o, at)) to[at] = 0;
        if (to[at] >= 0 && to[at] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){
                              .row = o->given[at] + INT64_C(1),
                              .kind = (int32_t)kind + 1,
                              .got = to[at],
                              .limit = SKED_AMOUNT_MAX,
                          });
    }
    return SKED_OK;
}

/* The same, parents at nothing. */
static sked_status lay_out_leaves(once *o, const int64_t *from, uint32_t kind,
                                  int64_t *to, sked_error *err)
{
    (void)lay_out_amounts(o, from, kind, to);
    return take_leaves(o, kind, to, err);
}

/* The same, with sums for parents. */
static sked_status lay_out_sums(once *o, const int64_t *from, uint32_t kind,
                                int64_t *to, sked_error *err)
{
    sked_status rc = lay_out_leaves(o, from, kind, to, err);
    for (uint32_t at = (uint32_t)o->in.n - 1; rc == SKED_OK && at > 0; at--) {
        int64_t *up = &to[o->parent[at]];
        *up = skedi_amount_add(*up, to[at]);
        if (*up <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "a sum is too large",
                          (skedi_fault){
                              .row = o->given[o->parent[at]] + INT64_C(1),
                              .kind = (int32_t)kind + 1,
                          });
    }
    return rc;
}

static sked_status lay_out_kind(once *o, uint32_t kind,
                                skedi_share_told_columns *told, sked_error *err)
{
    const sked_share_input *in = &o->in;
    size_t n = (size_t)in->n;
    size_t slot = o->column_kinds > 1 ? kind : 0;
    int64_t *to = o->columns + slot * ONCE_COLUMNS * n;
    int64_t *demand = to + ONCE_DEMAND * n, *usage = to + ONCE_USAGE * n;
    int64_t *held = to + ONCE_HELD * n;
    int states = in->state || o->model.model == SKED_SHARE_MODEL_INSTANTANEOUS;
    sked_status rc = SKED_OK;

    if (in->demand) rc = lay_out_sums(o, in->demand, kind, demand, err);
    if (in->usage && rc == SKED_OK) {
        rc = lay_out_sums(o, in->usage, kind, usage, err);
    }
    if (in->held && rc == SKED_OK) {
        rc = lay_out_leaves(o, in->held, kind, held, err);
    }
    *told = (skedi_share_told_columns){
        .guarantee = lay_out_amounts(o, in->guarantee, kind,
                                     to + ONCE_GUARANTEE * n),
        .limit = lay_out_amounts(o, in->limit, kind, to + ONCE_LIMIT * n),
        .borrow = lay_out_amounts(o, in->borrow, kind, to + ONCE_BORROW * n),
        .lend = lay_out_amounts(o, in->lend, kind, to + ONCE_LEND * n),
        .demand = in->demand ? demand : NULL,
        .usage = in->usage ? usage : NULL,
        .held = in->held ? held : NULL,
        .weight = o->weight,
        .priority = in->priority ? o->priority : NULL,
        .state = states ? o->row_state : NULL,
        .capacity = in->capacity[kind],
        .drains = in->state != NULL,
    };
    return rc;
}

/* ---- The call ---- */

static sked_status once_kinds(once *o, skedi_share_progress *progress,
                              sked_error *err)
{
    size_t n = (size_t)o->in.n;
    sked_status rc = SKED_OK;

    for (uint32_t k = 0; k < o->in.kinds && rc == SKED_OK; k++) {
        skedi_share_told_columns told;
        skedi_share_kind kind = {
            .shape = &o->shape,
            .model = &o->model,
            .told = &told,
            .state = o->state,
            .share = o->share + k * n,
            .rounding = o->options.rounding,
            .even = o->options.scope == SKED_SHARE_SCOPE_ONE_KIND &&
                    k != o->options.kind,
        };
        rc = lay_out_kind(o, k, &told, err);
        if (rc != SKED_OK) return rc;
        rc = skedi_share_whole(&kind, &o->memory, progress);
        if (rc != SKED_OK) {
            rc = skedi_fail_stopped(err, rc);
        }
    }
    return rc;
}

static sked_status once_dominant(once *o, skedi_share_progress *progress,
                                 sked_error *err)
{
    skedi_share_told_columns told[SKED_MAX_KINDS];
    skedi_dominant d = {
        .shape = &o->shape,
        .told = told,
        .share = o->share,
        .kinds = o->in.kinds,
        .progress = progress,
    };
    sked_status rc = SKED_OK;

    for (uint32_t k = 0; k < o->in.kinds && rc == SKED_OK; k++) {
        rc = lay_out_kind(o, k, &told[k], err);
    }
    if (rc != SKED_OK) return rc;
    if (!skedi_dominant_ensure(&d, &o->hooks.mem, (size_t)o->in.n,
                               o->in.kinds)) {
        return skedi_fail_memory(err);
    }
    rc = skedi_dominant_compute(&d);
    skedi_dominant_free(&d, &o->hooks.mem);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}

static sked_status once_compute(once *o, sked_error *err)
{
    skedi_share_progress progress = {
        .hooks = &o->hooks,
        .total = UINT64_C(2) * o->in.n * o->in.kinds,
    };

    if (!once_reserve(o)) {
        return skedi_fail_memory(err);
    }
    if (!lay_out_rows(o)) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many levels",
                          (skedi_fault){.limit = SKED_MAX_DEPTH});
    }
    o->shape = skedi_share_shape_of(&o->shape_memory, o->parent,
                                    (size_t)o->in.n);
    lay_out_settings(o);
    if (!skedi_family_memory_make(&o->memory, &o->hooks.mem, o->shape.widest)) {
        return skedi_fail_memory(err);
    }
    return o->options.scope == SKED_SHARE_SCOPE_DOMINANT
               ? once_dominant(o, &progress, err)
               : once_kinds(o, &progress, err);
}

static void once_write(const once *o, int64_t *shares)
{
    size_t n = (size_t)o->in.n, kinds = o->in.kinds;

    for (size_t at = 0; at < n; at++) {
        int64_t *to = shares + o->given[at] * kinds;
        for (size_t k = 0; k < kinds; k++) to[k] = o->share[k * n + at];
    }
}

sked_status sked_share_once(const sked_share_input *input,
                            const sked_share_options *options,
                            const sked_host *host, int64_t *shares,
                            sked_error *err)
{
    once o = {0};
    sked_status rc = SKED_OK;

    const char *missing = !input ? "input" : !shares ? "shares" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_hooks_in(&o.hooks, host, err);
    if (rc == SKED_OK) rc = once_take(&o, input, options, err);
    if (rc == SKED_OK) {
        rc = once_compute(&o, err);
        if (rc == SKED_OK) once_write(&o, shares);
        once_free(&o);
    }
    return rc;
}
