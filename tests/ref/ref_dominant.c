/*
 * SKED_SHARE_SCOPE_DOMINANT step by step as <sched/share.h> says it. Rows stay
 * in the caller's order; whatever depends on depth looks it up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "ref_share.h"

enum { KINDS = SKED_MAX_KINDS };

typedef struct vector {
    int64_t k[KINDS];
} vector;

typedef struct dom {
    const sked_share_input *in;
    uint32_t n;
    uint32_t kinds;
    uint32_t *depth;
    uint32_t *children;
    uint32_t *leaves;  /* at and below that want something */
    uint32_t *blocked; /* kinds */
    vector *cap;
    vector *want;
    vector *has;
    vector *open;
    vector *rate;
    vector *box;
    vector *free;
} dom;

static int64_t entry(const dom *d, const int64_t *column, uint32_t row,
                     uint32_t k, int64_t rest)
{
    return column ? column[(size_t)row * d->kinds + k] : rest;
}

static int is_leaf(const dom *d, uint32_t row)
{
    return d->children[row] == 0;
}

static uint64_t weight_of(const dom *d, uint32_t row)
{
    return d->in->weight ? d->in->weight[row] : 1;
}

static int64_t scaled(int64_t x, int64_t num, int64_t den)
{
    uint64_t rest;

    return (int64_t)skedi_muldiv((uint64_t)x, (uint64_t)num, (uint64_t)den,
                                 &rest);
}

/* The largest vector along `v` within `most`. */
static vector within(const dom *d, vector v, vector most)
{
    vector best = v;
    int found = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        if (v.k[k] == 0 || most.k[k] >= v.k[k]) continue;
        vector scaled_v = {{0}};
        int least = 1;
        for (uint32_t i = 0; i < d->kinds; i++) {
            scaled_v.k[i] = scaled(v.k[i], most.k[k], v.k[k]);
        }
        /* Is most/v of this kind the least of all, the first of equals? */
        for (uint32_t i = 0; i < d->kinds; i++) {
            if (v.k[i] == 0) continue;
            int order = skedi_cmp_mul((uint64_t)most.k[i], (uint64_t)v.k[k],
                                      (uint64_t)most.k[k], (uint64_t)v.k[i]);
            if (order < 0 || (order == 0 && i < k)) least = 0;
        }
        if (least) {
            best = scaled_v;
            found++;
        }
    }
    return found ? best : v;
}

/* ---- Wants and boxes ---- */

static int64_t use_of(const dom *d, uint32_t row, uint32_t k)
{
    int64_t sum = is_leaf(d, row) ? entry(d, d->in->usage, row, k, 0) : 0;

    for (uint32_t i = row + 1; i < d->n; i++) {
        if (d->in->parent[i] == (int32_t)row) sum += use_of(d, i, k);
    }
    return sum;
}

static void find_cap(dom *d, uint32_t row)
{
    int drains = d->in->state && d->in->state[row] == SKED_STATE_DRAINING;

    for (uint32_t k = 0; k < d->kinds; k++) {
        int64_t limit = entry(d, d->in->limit, row, k, SKED_UNLIMITED);
        int64_t over = skedi_amount_add(
            entry(d, d->in->guarantee, row, k, 0),
            entry(d, d->in->borrow, row, k, SKED_UNLIMITED));
        int64_t cap = skedi_i64_min(limit, over);
        if (drains) cap = skedi_i64_min(cap, use_of(d, row, k));
        d->cap[row].k[k] = cap;
    }
}

static int has_weight(const dom *d, uint32_t row)
{
    int weighs = 1;

    for (int64_t up = row; up > 0; up = d->in->parent[up]) {
        weighs &= weight_of(d, (uint32_t)up) > 0;
    }
    return weighs;
}

static void find_leaf_want(dom *d, uint32_t row)
{
    vector v = {{0}};
    int any = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        v.k[k] = entry(d, d->in->demand, row, k, 0);
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        if (v.k[k] > 0 && d->in->capacity[k] == 0) return;
    }
    if (!has_weight(d, row)) return;
    d->want[row] = within(d, v, d->cap[row]);
    for (uint32_t k = 0; k < d->kinds; k++) any |= d->want[row].k[k] > 0;
    for (int64_t up = row; any && up >= 0; up = d->in->parent[up]) {
        d->leaves[up]++;
    }
}

static void give_box(dom *d, uint32_t row)
{
    int64_t up = d->in->parent[row];
    uint64_t all = 0;

    for (uint32_t i = 1; i < d->n; i++) {
        if (d->in->parent[i] == up && d->leaves[i]) all += weight_of(d, i);
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        int64_t part = d->in->capacity[k];
        if (row && d->leaves[row]) {
            part = scaled(d->box[up].k[k], (int64_t)weight_of(d, row),
                          (int64_t)all);
        }
        part = skedi_i64_min(part, d->cap[row].k[k]);
        d->box[row].k[k] = row == 0 || d->leaves[row] ? part : 0;
    }
    if (is_leaf(d, row)) d->has[row] = within(d, d->want[row], d->box[row]);
}

static void sum_up(dom *d)
{
    for (uint32_t row = 0; row < d->n; row++) {
        if (!is_leaf(d, row)) d->has[row] = (vector){{0}};
    }
    for (uint32_t row = d->n - 1; row > 0; row--) {
        for (uint32_t k = 0; k < d->kinds; k++) {
            d->has[d->in->parent[row]].k[k] += d->has[row].k[k];
        }
    }
}

/* ---- Raises ---- */

static int is_below(const dom *d, uint32_t row, uint32_t top)
{
    int64_t up = row;

    while (up > (int64_t)top) up = d->in->parent[up];
    return up == (int64_t)top && row != top;
}

/* The vector along `way` with a dominant share of one. */
static vector whole_share(const dom *d, const skedi_u128 *way)
{
    unsigned by = 0;
    uint64_t small[KINDS];
    vector rate = {{0}};

    for (uint32_t k = 0; k < d->kinds; k++) {
        while (skedi_u128_high(skedi_u128_shr(way[k], by)) ||
               skedi_u128_low(skedi_u128_shr(way[k], by)) >> 62) {
            by++;
        }
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        small[k] = skedi_u128_low(skedi_u128_shr(way[k], by));
    }
    for (uint32_t top = 0; top < d->kinds; top++) {
        int dominant = small[top] > 0;
        for (uint32_t k = 0; k < d->kinds; k++) {
            int order = skedi_cmp_mul(small[k], (uint64_t)d->in->capacity[top],
                                      small[top], (uint64_t)d->in->capacity[k]);
            if (order > 0 || (order == 0 && small[k] && k < top)) dominant = 0;
        }
        if (!dominant) continue;
        for (uint32_t k = 0; k < d->kinds; k++) {
            rate.k[k] = scaled((int64_t)small[k], d->in->capacity[top],
                               (int64_t)small[top]);
        }
        return rate;
    }
    return rate;
}

static void direct(dom *d, uint32_t row)
{
    skedi_u128 way[KINDS];
    int stuck = 0;

    d->open[row] = (vector){{0}};
    for (uint32_t k = 0; k < d->kinds; k++) {
        int64_t *open = &d->open[row].k[k];
        way[k] = skedi_u128_of(0);
        if (is_leaf(d, row)) {
            *open = d->want[row].k[k] - d->has[row].k[k];
            stuck |= *open > 0 && (d->blocked[row] >> k & 1);
            continue;
        }
        for (uint32_t i = row + 1; i < d->n; i++) {
            if (d->in->parent[i] != (int32_t)row) continue;
            skedi_u128 more = skedi_u128_mul((uint64_t)d->rate[i].k[k],
                                             weight_of(d, i));
            way[k] = skedi_u128_add(way[k], more);
            *open = skedi_amount_add(*open, d->open[i].k[k]);
        }
        *open = skedi_i64_min(
            *open, skedi_amount_sub(d->cap[row].k[k], d->has[row].k[k]));
    }
    for (uint32_t k = 0; k < d->kinds && is_leaf(d, row); k++) {
        if (stuck) d->open[row].k[k] = 0;
        way[k] = skedi_u128_of((uint64_t)d->open[row].k[k]);
    }
    d->rate[row] = whole_share(d, way);
}

static uint64_t standing_of(const dom *d, uint32_t row)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        if (d->in->capacity[k] == 0) continue;
        uint64_t part = (uint64_t)scaled(d->has[row].k[k], INT64_C(1) << 62,
                                         d->in->capacity[k]);
        if (part > most) most = part;
    }
    return most;
}

static vector gain_at(const dom *d, uint32_t row, skedi_u128 level)
{
    skedi_u128 to = skedi_u128_shr(skedi_u128_scale(level, weight_of(d, row)),
                                   32);
    skedi_u128 from = skedi_u128_of(standing_of(d, row));
    uint64_t whole = UINT64_C(1) << 62, far = 0;
    vector gain = {{0}};

    if (skedi_u128_cmp(to, from) > 0) {
        skedi_u128 way = skedi_u128_sub(to, from);
        int high = skedi_u128_cmp(way, skedi_u128_of(whole)) > 0;
        far = high ? whole : skedi_u128_low(way);
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        skedi_u128 more = skedi_u128_mul((uint64_t)d->rate[row].k[k], far);
        gain.k[k] = skedi_i64_min(
            d->open[row].k[k],
            (int64_t)skedi_u128_low(skedi_u128_shr(more, 62)));
    }
    return gain;
}

static uint32_t kinds_over(const dom *d, uint32_t parent, skedi_u128 level)
{
    uint32_t over = 0;

    vector left = d->free[parent];

    for (uint32_t i = parent + 1; i < d->n; i++) {
        if (d->in->parent[i] != (int32_t)parent) continue;
        vector gain = gain_at(d, i, level);
        for (uint32_t k = 0; k < d->kinds; k++) {
            if (gain.k[k] > left.k[k]) over |= UINT32_C(1) << k;
            left.k[k] -= skedi_i64_min(left.k[k], gain.k[k]);
        }
    }
    return over;
}

/* Bisection between levels that fit and that do not; the highest is 2^96 - 1.
 */
static uint32_t raise_children(dom *d, uint32_t parent, int *moved)
{
    skedi_u128 one = skedi_u128_of(1), low = skedi_u128_of(0);
    skedi_u128 high = skedi_u128_shl(one, 96);

    while (skedi_u128_cmp(skedi_u128_sub(high, low), one) > 0) {
        skedi_u128 middle = skedi_u128_add(
            low, skedi_u128_shr(skedi_u128_sub(high, low), 1));
        if (kinds_over(d, parent, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    int end = skedi_u128_cmp(high, skedi_u128_shl(one, 96)) == 0;
    uint32_t tight = end ? 0 : kinds_over(d, parent, high);
    for (uint32_t i = parent + 1; i < d->n; i++) {
        if (d->in->parent[i] != (int32_t)parent) continue;
        vector gain = gain_at(d, i, low);
        d->free[i] = gain;
        for (uint32_t k = 0; k < d->kinds && is_leaf(d, i); k++) {
            d->has[i].k[k] += gain.k[k];
            *moved |= gain.k[k] > 0;
        }
    }
    return tight;
}

static uint32_t raise_once(dom *d, uint32_t top, int *moved)
{
    for (uint32_t i = top + 1; i < d->n; i++) {
        if (!is_below(d, i, top)) continue;
        d->blocked[i] = d->blocked[d->in->parent[i]];
        for (uint32_t k = 0; k < d->kinds; k++) {
            int full = d->has[i].k[k] >= d->cap[i].k[k];
            if (full) d->blocked[i] |= UINT32_C(1) << k;
        }
    }
    for (uint32_t i = d->n; i-- > top;) {
        if (i == top || is_below(d, i, top)) direct(d, i);
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        d->free[top].k[k] = d->box[top].k[k] - d->has[top].k[k];
    }
    uint32_t tight = raise_children(d, top, moved);
    for (uint32_t i = top + 1; i < d->n; i++) {
        if (is_below(d, i, top) && !is_leaf(d, i)) {
            (void)raise_children(d, i, moved);
        }
    }
    sum_up(d);
    return tight;
}

static void raise_box(dom *d, uint32_t top)
{
    uint32_t blocked = 0;

    for (int raises = 1;; raises++) {
        int moved = 0;
        d->blocked[top] = blocked;
        uint32_t tight = raise_once(d, top, &moved);
        if ((!moved || raises >= 64) && !tight) return;
        for (uint32_t k = 0; k < d->kinds; k++) {
            int64_t left = d->box[top].k[k] - d->has[top].k[k];
            int out = !moved || raises >= 64 || left <= (int64_t)d->leaves[top];
            if (out) blocked |= tight & UINT32_C(1) << k;
        }
    }
}

static void give_rest(dom *d, uint32_t leaf)
{
    vector left = d->box[0], more;

    for (uint32_t k = 0; k < d->kinds; k++) {
        left.k[k] -= d->has[0].k[k];
        more.k[k] = d->want[leaf].k[k] - d->has[leaf].k[k];
        for (int64_t up = leaf; up > 0; up = d->in->parent[up]) {
            left.k[k] = skedi_i64_min(left.k[k],
                                      d->cap[up].k[k] - d->has[up].k[k]);
        }
    }
    more = within(d, more, left);
    for (uint32_t k = 0; k < d->kinds; k++) d->has[leaf].k[k] += more.k[k];
    if (d->n > 1) sum_up(d);
}

/* ---- All of it ---- */

static uint32_t deepest(const dom *d)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        if (d->depth[i] > most) most = d->depth[i];
    }
    return most;
}

/* Leaves in the order of rows laid out breadth first. */
static void give_rests(dom *d)
{
    uint32_t *queue = calloc(d->n, sizeof *queue), tail = 1;

    for (uint32_t at = 0; at < d->n; at++) {
        for (uint32_t i = queue[at] + 1; i < d->n; i++) {
            if (d->in->parent[i] == (int32_t)queue[at]) queue[tail++] = i;
        }
        if (is_leaf(d, queue[at])) give_rest(d, queue[at]);
    }
    free(queue);
}

static void compute(dom *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        d->depth[i] = i ? d->depth[d->in->parent[i]] + 1 : 0;
        find_cap(d, i);
    }
    for (uint32_t i = 0; i < d->n; i++) {
        if (is_leaf(d, i)) find_leaf_want(d, i);
    }
    for (uint32_t i = 0; i < d->n; i++) give_box(d, i);
    if (d->n > 1) sum_up(d);
    for (uint32_t depth = deepest(d) + 1; depth-- > 0;) {
        for (uint32_t i = 0; i < d->n; i++) {
            int tops = d->depth[i] == depth && !is_leaf(d, i) && d->leaves[i];
            if (tops) raise_box(d, i);
        }
    }
    give_rests(d);
}

void ref_dominant(const sked_share_input *in, int64_t *shares)
{
    uint32_t n = (uint32_t)in->n;
    dom d = {.in = in, .n = n, .kinds = in->kinds};

    d.depth = calloc(n, sizeof *d.depth);
    d.children = calloc(n, sizeof *d.children);
    for (uint32_t i = 1; i < n; i++) d.children[in->parent[i]]++;
    d.leaves = calloc(n, sizeof *d.leaves);
    d.blocked = calloc(n, sizeof *d.blocked);
    vector *all = calloc(7 * (size_t)n, sizeof *all);
    d.cap = all;
    d.want = all + n;
    d.has = all + 2 * (size_t)n;
    d.open = all + 3 * (size_t)n;
    d.rate = all + 4 * (size_t)n;
    d.box = all + 5 * (size_t)n;
    d.free = all + 6 * (size_t)n;
    compute(&d);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(shares + (size_t)i * in->kinds, d.has[i].k,
               in->kinds * sizeof *shares);
    }
    free(d.depth);
    free(d.children);
    free(d.leaves);
    free(d.blocked);
    free(all);
}
