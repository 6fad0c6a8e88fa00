#include "ref_share.h"

#include <stdlib.h>
#include <string.h>

#include "ref_fill.h"

typedef struct ref_tree {
    const sked_share_input *in;
    const sked_share_options *options;
    uint32_t kind;
    ref_queue *queue;
    int64_t *shares;
} ref_tree;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t said(const ref_tree *t, const int64_t *column, uint32_t row,
                    int64_t fallback)
{
    return column ? column[(size_t)row * t->in->kinds + t->kind] : fallback;
}

static int has_children(const ref_tree *t, uint32_t row)
{
    for (uint32_t i = 1; i < t->in->n; i++) {
        if (t->in->parent[i] == (int32_t)row) return 1;
    }
    return 0;
}

static int drains(const ref_tree *t, uint32_t row)
{
    return t->in->state && t->in->state[row] == SKED_STATE_DRAINING;
}

static int weighs_nothing(const ref_tree *t, uint32_t row)
{
    if (t->options->model == SKED_SHARE_MODEL_CAPACITY) {
        return t->queue[row].weight == 0 &&
               (t->options->flags & SKED_SHARE_FLAG_GUARANTEED_ONLY);
    }
    return t->in->weight && t->in->weight[row] == 0;
}

static int is_idle(const ref_tree *t, uint32_t row)
{
    int64_t sum = t->in->running ? t->in->running[row] : 0;

    for (uint32_t k = 0; k < t->in->kinds; k++) {
        size_t i = (size_t)row * t->in->kinds + k;
        if (t->in->usage && t->in->usage[i]) sum = 1;
        if (t->in->demand && t->in->demand[i]) sum = 1;
    }
    return sum == 0;
}

/* What a leaf wants; and what any queue uses, parents by their leaves. */
static int64_t leaf_want(const ref_tree *t, uint32_t row)
{
    int32_t model = t->options->model;

    if (model == SKED_SHARE_MODEL_INSTANTANEOUS && is_idle(t, row)) return 0;
    if (model == SKED_SHARE_MODEL_ENTITLEMENT ||
        model == SKED_SHARE_MODEL_CAPACITY ||
        (t->options->flags & SKED_SHARE_FLAG_BY_DEMAND)) {
        return said(t, t->in->demand, row, 0);
    }
    return SKED_UNLIMITED;
}

/* The rows of the table in <sched/share.h>, one after the other. */
static void find_bounds(ref_tree *t, uint32_t row)
{
    ref_queue *q = &t->queue[row];
    int64_t borrow = said(t, t->in->borrow, row, SKED_UNLIMITED);
    int64_t lend = said(t, t->in->lend, row, SKED_UNLIMITED);
    int64_t floors = 0, hards = 0, weights = 0;
    int leaf = !has_children(t, row);

    q->own = said(t, t->in->guarantee, row, 0);
    q->limit = said(t, t->in->limit, row, SKED_UNLIMITED);
    q->cap = least(q->limit, skedi_amount_add(q->own, borrow));
    q->want = leaf ? leaf_want(t, row) : 0;
    q->usage = leaf ? said(t, t->in->usage, row, 0) : 0;
    for (uint32_t i = row + 1; i < t->in->n; i++) {
        if (t->in->parent[i] != (int32_t)row) continue;
        q->want = skedi_amount_add(q->want, t->queue[i].ceiling);
        q->usage += t->queue[i].usage;
        floors = skedi_amount_add(floors, t->queue[i].floor);
        hards = skedi_amount_add(hards, t->queue[i].hard);
        weights = skedi_amount_add(weights, t->queue[i].weight);
    }
    floors = least(floors, SKED_AMOUNT_MAX);
    weights = least(weights, SKED_AMOUNT_MAX);

    q->kept = least(q->own, q->cap);
    q->kept = lend == SKED_UNLIMITED ? 0 : most(q->kept - lend, 0);
    if (drains(t, row)) q->kept = 0;
    q->ceiling = least(q->cap, q->want);
    if (drains(t, row)) q->ceiling = least(q->ceiling, q->usage);
    q->floor = least(q->own, q->ceiling);
    if (t->options->model == SKED_SHARE_MODEL_CAPACITY) {
        q->floor = least(q->floor, q->usage);
        if (leaf) q->floor = most(q->floor, said(t, t->in->held, row, 0));
    }
    q->floor = most(least(most(q->floor, floors), q->ceiling), q->kept);
    q->ceiling = most(q->ceiling, q->kept);
    q->weight = least(q->cap, most(q->own, weights));
    if (weighs_nothing(t, row)) q->ceiling = q->floor;
    q->hard = most(q->ceiling, leaf ? q->cap : least(q->cap, hards));
    if (drains(t, row) || weighs_nothing(t, row)) q->hard = q->ceiling;
}

/* ---- Filling ---- */

/* Children that are filled together: columns for ref_fill.h. */
typedef struct ref_family {
    uint32_t *row;
    int64_t *lo;
    int64_t *hi;
    int64_t *part;
    uint32_t *weight;
    int64_t *wide;
    size_t n;
} ref_family;

static int64_t *share_at(const ref_tree *t, uint32_t row)
{
    return &t->shares[(size_t)row * t->in->kinds + t->kind];
}

static void apportion(const ref_tree *t, const skedi_fill_in *in, int64_t total,
                      int64_t *part)
{
    skedi_fill_level level;

    ref_fill_level(in, total, &level);
    if (t->options->rounding == SKED_APPORTION_LARGEST) {
        ref_fill_largest(in, &level, part);
    } else if (t->options->rounding == SKED_APPORTION_PREFIX) {
        ref_fill_prefix(in, &level, part);
    } else {
        ref_fill_webster(in, &level, part);
    }
}

/* Adds a filling of `left` up to f->hi to the shares; what remains of it. */
static int64_t add_filling(const ref_tree *t, ref_family *f, int even,
                           int64_t left)
{
    skedi_fill_in in = {.hi = f->hi, .n = f->n};

    if (!even && t->options->model == SKED_SHARE_MODEL_CAPACITY) {
        in.wide = f->wide;
    } else if (!even) {
        in.weight = f->weight;
    }
    apportion(t, &in, left, f->part);
    for (size_t i = 0; i < f->n; i++) {
        *share_at(t, f->row[i]) += f->part[i];
        left -= f->part[i];
    }
    return left;
}

/* What children could still take, up to ceiling or cap; those with or without
 * a guarantee only when `even` says so. */
static void open_rooms(const ref_tree *t, ref_family *f, int hard, int even)
{
    for (size_t i = 0; i < f->n; i++) {
        const ref_queue *q = &t->queue[f->row[i]];
        int64_t top = hard ? q->hard : q->ceiling;
        f->hi[i] = skedi_amount_sub(top, *share_at(t, f->row[i]));
        f->weight[i] = t->in->weight ? t->in->weight[f->row[i]] : 1;
        f->wide[i] = q->weight;
        if (even && q->weight) f->hi[i] = 0;
    }
}

static int has_even_pass(const ref_tree *t)
{
    return t->options->model == SKED_SHARE_MODEL_CAPACITY &&
           !(t->options->flags & SKED_SHARE_FLAG_GUARANTEED_ONLY);
}

static int64_t fill_up(const ref_tree *t, ref_family *f, int hard, int64_t left)
{
    for (int even = 0; even <= has_even_pass(t); even++) {
        open_rooms(t, f, hard, even);
        left = add_filling(t, f, even, left);
    }
    return left;
}

/* Ratio models: floors are a bound, not a base. */
static int64_t fill_ratio(const ref_tree *t, ref_family *f, int64_t left)
{
    skedi_fill_in in = {.lo = f->lo, .hi = f->hi, .n = f->n};

    open_rooms(t, f, 0, 0);
    for (size_t i = 0; i < f->n; i++) {
        f->lo[i] = t->queue[f->row[i]].floor;
        f->hi[i] = t->queue[f->row[i]].ceiling;
        left += f->lo[i];
    }
    if (t->options->model == SKED_SHARE_MODEL_CAPACITY) {
        in.wide = f->wide;
    } else {
        in.weight = f->weight;
    }
    apportion(t, &in, left, f->part);
    for (size_t i = 0; i < f->n; i++) {
        *share_at(t, f->row[i]) = f->part[i];
        left -= f->part[i];
    }
    if (has_even_pass(t)) {
        open_rooms(t, f, 0, 1);
        left = add_filling(t, f, 1, left);
    }
    return left;
}

static int32_t priority_of(const ref_tree *t, uint32_t row)
{
    int counts = t->in->priority && (t->options->flags & SKED_SHARE_FLAG_BANDS);

    return counts ? t->in->priority[row] : 0;
}

/* The children of `parent` in the highest band below `below`; 0: none. */
static int next_band(const ref_tree *t, ref_family *f, int64_t parent,
                     int64_t *below)
{
    int64_t best = INT64_MIN;

    f->n = 0;
    for (uint32_t i = 1; i < t->in->n; i++) {
        if (t->in->parent[i] != parent) continue;
        int64_t p = priority_of(t, i);
        if (p >= *below || p < best) continue;
        if (p > best) f->n = 0;
        best = p;
        f->row[f->n++] = i;
    }
    *below = best;
    return f->n > 0;
}

static void share_family(const ref_tree *t, ref_family *f, uint32_t parent)
{
    int64_t total = *share_at(t, parent), below = INT64_MAX;
    skedi_u128 floors = skedi_u128_of(0);

    f->n = 0;
    for (uint32_t i = 1; i < t->in->n; i++) {
        if (t->in->parent[i] != (int32_t)parent) continue;
        f->row[f->n] = i;
        f->lo[f->n++] = t->queue[i].floor;
        floors = skedi_u128_add(floors,
                                skedi_u128_of((uint64_t)t->queue[i].floor));
        *share_at(t, i) = t->queue[i].floor;
    }
    if (skedi_u128_cmp(floors, skedi_u128_of((uint64_t)total)) > 0) {
        skedi_fill_in in = {.lo = f->lo, .hi = f->lo, .n = f->n};
        apportion(t, &in, total, f->part);
        for (size_t i = 0; i < f->n; i++) *share_at(t, f->row[i]) = f->part[i];
        return;
    }
    int64_t left = total - (int64_t)skedi_u128_low(floors);
    while (next_band(t, f, parent, &below)) {
        left = t->options->model == SKED_SHARE_MODEL_ENTITLEMENT
                   ? fill_up(t, f, 0, left)
                   : fill_ratio(t, f, left);
    }
    if (!(t->options->flags & SKED_SHARE_FLAG_ANTICIPATE)) return;
    below = INT64_MAX;
    while (next_band(t, f, parent, &below)) left = fill_up(t, f, 1, left);
}

/* ---- Trees ---- */

static ref_tree tree_of(const sked_share_input *in,
                        const sked_share_options *options, uint32_t kind)
{
    ref_tree t = {.in = in, .options = options, .kind = kind};

    t.queue = calloc(in->n, sizeof *t.queue);
    for (uint32_t i = (uint32_t)in->n; i > 0; i--) find_bounds(&t, i - 1);
    return t;
}

void ref_share_queues(const sked_share_input *in,
                      const sked_share_options *options, uint32_t kind,
                      ref_queue *queues)
{
    ref_tree t = tree_of(in, options, kind);

    for (uint32_t i = 0; i < in->n; i++) {
        queues[i] = t.queue[i];
        queues[i].leaf = !has_children(&t, i);
        queues[i].drains = drains(&t, i);
        queues[i].idle = queues[i].leaf && is_idle(&t, i) &&
                         options->model == SKED_SHARE_MODEL_INSTANTANEOUS;
        queues[i].pinned = weighs_nothing(&t, i);
    }
    free(t.queue);
}

static void share_kind(const ref_tree *t)
{
    size_t n = t->in->n;
    const ref_queue *root = &t->queue[0];
    int shared = t->options->scope != SKED_SHARE_SCOPE_ONE_KIND ||
                 t->options->kind == t->kind;
    int ahead = (t->options->flags & SKED_SHARE_FLAG_ANTICIPATE) != 0;
    ref_family f = {
        calloc(n, sizeof *f.row),
        calloc(n, sizeof *f.lo),
        calloc(n, sizeof *f.hi),
        calloc(n, sizeof *f.part),
        calloc(n, sizeof *f.weight),
        calloc(n, sizeof *f.wide),
        0,
    };

    *share_at(t, 0) = least(t->in->capacity[t->kind],
                            ahead ? root->hard : root->ceiling);
    for (uint32_t i = 0; i < n && shared; i++) {
        if (has_children(t, i)) share_family(t, &f, i);
    }
    for (uint32_t i = 1; i < n && !shared; i++) {
        *share_at(t, i) = least(*share_at(t, (uint32_t)t->in->parent[i]),
                                t->queue[i].ceiling);
    }
    free(f.row);
    free(f.lo);
    free(f.hi);
    free(f.part);
    free(f.weight);
    free(f.wide);
}

void ref_share(const sked_share_input *in, const sked_share_options *options,
               int64_t *shares)
{
    if (options->scope == SKED_SHARE_SCOPE_DOMINANT) {
        ref_dominant(in, shares);
        return;
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        ref_tree t = tree_of(in, options, k);
        t.shares = shares;
        share_kind(&t);
        free(t.queue);
    }
}
