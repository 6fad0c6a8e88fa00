/*
 * Progressive filling of weighted dominant shares over a tree.
 *
 * <sched/share.h> has the definition. The filling has four steps:
 *   1. Every queue gets a box: its weight's part of its parent's box in every
 *      kind, wanted or not. Leaves take from their boxes as much as fits. Boxes
 *      of siblings never overlap, so no queue can take a sibling's sure part.
 *   2. Deepest parents first, the rest of a parent's box is raised among its
 *      leaves. A raise is one sweep over the subtree. The sweep brings the
 *      children of each parent to the highest common level of dominant share
 *      that fits. Raises are repeated until no row grows.
 *   3. A kind that stops the raises then blocks the queues that need the kind.
 *      The other queues continue.
 *   4. Single units go to leaves in row order.
 *
 * The amounts of a row only grow. Sums never exceed boxes or caps.
 */
#include "share/dominant.h"

#include <string.h>

enum { DOMINANT_COLUMNS = 5 };

static size_t dominant_bytes(size_t rows, size_t kinds)
{
    return rows * kinds * DOMINANT_COLUMNS * sizeof(int64_t) +
           2 * rows * sizeof(uint32_t);
}

static void dominant_lay_out(skedi_dominant *d, size_t rows, size_t kinds)
{
    int64_t **columns[DOMINANT_COLUMNS] = {
        &d->want, &d->open, &d->rate, &d->box, &d->spare,
    };
    int64_t *at = d->block;

    for (size_t i = 0; i < DOMINANT_COLUMNS; i++, at += rows * kinds) {
        *columns[i] = at;
    }
    d->blocked = (uint32_t *)(void *)at;
    d->leaves = d->blocked + rows;
}

int skedi_dominant_ensure(skedi_dominant *d, skedi_mem *mem, size_t rows,
                          size_t kinds)
{
    size_t bytes = dominant_bytes(rows, kinds);

    if (bytes > d->bytes) {
        void *block = skedi_new(mem, bytes, 1);
        if (!block) return 0;
        skedi_free(mem, d->block, d->bytes, 1);
        d->block = block;
        d->bytes = bytes;
    }
    dominant_lay_out(d, rows, kinds);
    return 1;
}

void skedi_dominant_free(skedi_dominant *d, skedi_mem *mem)
{
    skedi_free(mem, d->block, d->bytes, 1);
    *d = (skedi_dominant){0};
}

/* ---- Wants ---- */

/* The wanted kind in which `part` is the smallest fraction of `whole`. */
static uint32_t tightest(const skedi_dominant *d, const int64_t *part,
                         const int64_t *whole)
{
    uint32_t best = d->kinds;

    for (uint32_t k = 0; k < d->kinds; k++) {
        if (whole[k] == 0) continue;
        if (best == d->kinds ||
            skedi_cmp_mul((uint64_t)part[k], (uint64_t)whole[best],
                          (uint64_t)part[best], (uint64_t)whole[k]) < 0) {
            best = k;
        }
    }
    return best;
}

/* Scales `whole` to the largest vector of the same proportions that fits into
 * `part`. */
static void scale_to_fit(const skedi_dominant *d, const int64_t *part,
                         int64_t *whole)
{
    uint32_t k = tightest(d, part, whole);
    uint64_t rest;

    if (k == d->kinds || part[k] >= whole[k]) return;
    uint64_t num = (uint64_t)part[k], den = (uint64_t)whole[k];
    for (uint32_t i = 0; i < d->kinds; i++) {
        whole[i] = (int64_t)skedi_muldiv((uint64_t)whole[i], num, den, &rest);
    }
}

static void find_want(skedi_dominant *d, uint32_t row)
{
    int64_t want[SKED_MAX_KINDS] = {0}, cap[SKED_MAX_KINDS] = {0};
    int barred = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        want[k] = skedi_dominant_told(d->told[k].demand, row, 0);
        cap[k] = skedi_dominant_cap(d, k, row);
        barred |= want[k] > 0 && d->told[k].capacity == 0;
    }
    scale_to_fit(d, cap, want);
    for (uint32_t k = 0; k < d->kinds; k++) {
        d->want[skedi_dominant_at(d, k, row)] = barred ? 0 : want[k];
    }
}

/* Finds the wants of leaves with no weight 0 on their path. Counts below each
 * row the leaves with a want. While the function runs, `blocked` marks the rows
 * with a weight 0 on their path. */
static void find_wants(skedi_dominant *d)
{
    const skedi_share_shape *shape = d->shape;

    d->blocked[0] = 0;
    for (uint32_t row = 0; row < shape->n; row++) {
        if (row) {
            d->blocked[row] = d->blocked[skedi_dominant_parent(d, row)] ||
                              skedi_dominant_weight(d, row) == 0;
        }
        if (skedi_dominant_leaf(d, row) && !d->blocked[row]) find_want(d, row);
    }
    for (uint32_t row = shape->n; row-- > 0;) {
        for (uint32_t k = 0; k < d->kinds; k++) {
            if (d->want[skedi_dominant_at(d, k, row)]) d->leaves[row] = 1;
        }
    }
    for (uint32_t row = shape->n - 1; row > 0; row--) {
        d->leaves[skedi_dominant_parent(d, row)] += d->leaves[row];
    }
}

/* ---- Boxes ---- */

static void take_box(skedi_dominant *d, uint32_t row)
{
    int64_t box[SKED_MAX_KINDS] = {0}, take[SKED_MAX_KINDS] = {0};

    for (uint32_t k = 0; k < d->kinds; k++) {
        box[k] = d->box[skedi_dominant_at(d, k, row)];
        take[k] = d->want[skedi_dominant_at(d, k, row)];
    }
    scale_to_fit(d, box, take);
    for (uint32_t k = 0; k < d->kinds; k++)
        d->share[skedi_dominant_at(d, k, row)] = take[k];
}

static void split_box(skedi_dominant *d, const skedi_family *f)
{
    uint64_t weights = 0, rest;

    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        if (d->leaves[row]) weights += skedi_dominant_weight(d, row);
    }
    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        uint64_t weight = d->leaves[row] ? skedi_dominant_weight(d, row) : 0;
        for (uint32_t k = 0; weight && k < d->kinds; k++) {
            uint64_t all = (uint64_t)d->box[skedi_dominant_at(d, k, f->parent)];
            int64_t part = (int64_t)skedi_muldiv(all, weight, weights, &rest);
            d->box[skedi_dominant_at(d, k, row)] = skedi_i64_min(
                part, skedi_dominant_cap(d, k, row));
        }
        if (weight && skedi_dominant_leaf(d, row)) take_box(d, row);
    }
}

static void give_boxes(skedi_dominant *d)
{
    const skedi_share_shape *shape = d->shape;

    for (uint32_t k = 0; k < d->kinds; k++) {
        d->box[skedi_dominant_at(d, k, 0)] = skedi_i64_min(
            d->told[k].capacity, skedi_dominant_cap(d, k, 0));
    }
    if (shape->n_families == 0 && d->leaves[0]) take_box(d, 0);
    for (uint32_t i = 0; i < shape->n_families; i++) {
        split_box(d, &shape->families[i]);
    }
    for (uint32_t i = shape->n_families; i > 0; i--) {
        skedi_dominant_sum(d, &shape->families[i - 1]);
    }
}

/* ---- The last units ---- */

/* Finds the amounts that every row from `row` to the root can spare. */
static void find_spare(const skedi_dominant *d, uint32_t row, int64_t *spare)
{
    for (uint32_t k = 0; k < d->kinds; k++) {
        spare[k] = d->box[skedi_dominant_at(d, k, 0)] -
                   d->share[skedi_dominant_at(d, k, 0)];
    }
    for (; row; row = skedi_dominant_parent(d, row)) {
        for (uint32_t k = 0; k < d->kinds; k++) {
            int64_t left = skedi_dominant_cap(d, k, row) -
                           d->share[skedi_dominant_at(d, k, row)];
            spare[k] = skedi_i64_min(spare[k], left);
        }
    }
}

static void give_last_units(skedi_dominant *d, uint32_t leaf)
{
    int64_t spare[SKED_MAX_KINDS] = {0}, more[SKED_MAX_KINDS] = {0}, any = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        size_t at = skedi_dominant_at(d, k, leaf);
        more[k] = d->want[at] - d->share[at];
        any |= more[k];
    }
    if (any == 0) return;
    find_spare(d, leaf, spare);
    scale_to_fit(d, spare, more);
    for (uint32_t row = leaf;; row = skedi_dominant_parent(d, row)) {
        for (uint32_t k = 0; k < d->kinds; k++) {
            d->share[skedi_dominant_at(d, k, row)] += more[k];
        }
        if (row == 0) return;
    }
}

sked_status skedi_dominant_compute(skedi_dominant *d)
{
    const skedi_share_shape *shape = d->shape;
    sked_status rc = SKED_OK;

    memset(d->share, 0, (size_t)d->kinds * shape->n * sizeof *d->share);
    memset(d->block, 0, dominant_bytes(shape->n, d->kinds));
    find_wants(d);
    give_boxes(d);
    for (uint32_t i = shape->n_families; i > 0 && rc == SKED_OK; i--) {
        rc = skedi_dominant_raise(d, i - 1);
    }
    for (uint32_t row = 0; row < shape->n && rc == SKED_OK; row++) {
        if (skedi_dominant_leaf(d, row)) give_last_units(d, row);
    }
    return rc;
}
