/*
 * Raises: the rest of a parent's box goes to the leaves below the parent (see
 * dominant.c for the boxes).
 *
 * A raise is three walks over the subtree. The first walk goes down and finds
 * the exhausted kinds. The second walk goes up from the leaves and finds the
 * direction in which each queue would grow. The third walk goes down again and
 * brings each family to the highest common level that fits into the parent's
 * amounts. Raises are repeated until no row grows. A kind that stops the raises
 * then blocks the queues that need the kind, and the other queues continue.
 */
#include "base/bits.h"
#include "share/dominant.h"

/* A dominant share of 1. Levels have 32 bits more: one step of the level is
 * then less than one unit of a share, even for the largest weight. */
#define WHOLE ((uint64_t)1 << 62)

enum { LEVEL_BITS = 32, TOP_LEVEL_BITS = 63 + LEVEL_BITS };

enum { MOST_RAISES = 64 };

/* ---- A raise: directions, from the leaves up ---- */

/* Marks the kinds in which the row, or a queue above the row, is at its cap. */
static void block_row(skedi_dominant *d, uint32_t row, uint32_t above)
{
    uint32_t blocked = above;

    for (uint32_t k = 0; k < d->kinds; k++) {
        int full = d->share[skedi_dominant_at(d, k, row)] >=
                   skedi_dominant_cap(d, k, row);
        if (full) blocked |= (uint32_t)1 << k;
    }
    d->blocked[row] = blocked;
}

/* Finds the open wants of an active leaf; all are 0 when a needed kind is
 * blocked. */
static void open_leaf(skedi_dominant *d, uint32_t row)
{
    int blocked = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        size_t at = skedi_dominant_at(d, k, row);
        d->open[at] = d->want[at] - d->share[at];
        blocked |= d->open[at] > 0 && (d->blocked[row] >> k & 1);
    }
    for (uint32_t k = 0; blocked && k < d->kinds; k++) {
        d->open[skedi_dominant_at(d, k, row)] = 0;
    }
}

/* Brings sums of up to 114 bits to 62, all by the same power of two. */
static void shrink(const skedi_dominant *d, const skedi_u128 *wide,
                   uint64_t *small)
{
    uint64_t high = 0, low = 0;
    unsigned bits = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        high |= skedi_u128_high(wide[k]);
        low |= skedi_u128_low(wide[k]);
    }
    if (high) {
        bits = 128 - skedi_clz64(high);
    } else if (low) {
        bits = 64 - skedi_clz64(low);
    }
    unsigned by = bits > 62 ? bits - 62 : 0;
    for (uint32_t k = 0; k < d->kinds; k++) {
        small[k] = skedi_u128_low(skedi_u128_shr(wide[k], by));
    }
}

/*
 * The rate of a row: the vector in the direction of `wide` whose dominant share
 * is 1; zero when the direction is.
 */
static void find_rate(skedi_dominant *d, uint32_t row, const skedi_u128 *wide)
{
    uint64_t way[SKED_MAX_KINDS], rest;
    uint32_t top = d->kinds;

    shrink(d, wide, way);
    for (uint32_t k = 0; k < d->kinds; k++) {
        if (way[k] == 0) continue;
        if (top == d->kinds ||
            skedi_cmp_mul(way[k], (uint64_t)d->told[top].capacity, way[top],
                          (uint64_t)d->told[k].capacity) > 0) {
            top = k;
        }
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        uint64_t rate = 0;
        if (top < d->kinds) {
            rate = skedi_muldiv(way[k], (uint64_t)d->told[top].capacity,
                                way[top], &rest);
        }
        d->rate[skedi_dominant_at(d, k, row)] = (int64_t)rate;
    }
}

static void direct_leaf(skedi_dominant *d, uint32_t row)
{
    skedi_u128 wide[SKED_MAX_KINDS];

    open_leaf(d, row);
    for (uint32_t k = 0; k < d->kinds; k++) {
        wide[k] = skedi_u128_of(
            (uint64_t)d->open[skedi_dominant_at(d, k, row)]);
    }
    find_rate(d, row, wide);
}

static void direct_parent(skedi_dominant *d, const skedi_family *f)
{
    skedi_u128 wide[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < d->kinds; k++) {
        skedi_u128 sum = skedi_u128_of(0);
        int64_t open = 0;
        size_t up = skedi_dominant_at(d, k, f->parent);
        for (uint32_t row = f->first; row < f->first + f->count; row++) {
            uint64_t rate = (uint64_t)d->rate[skedi_dominant_at(d, k, row)];
            sum = skedi_u128_add(
                sum, skedi_u128_mul(rate, skedi_dominant_weight(d, row)));
            open = skedi_amount_add(open,
                                    d->open[skedi_dominant_at(d, k, row)]);
        }
        wide[k] = sum;
        d->open[up] = skedi_i64_min(
            open, skedi_amount_sub(skedi_dominant_cap(d, k, f->parent),
                                   d->share[up]));
    }
    find_rate(d, f->parent, wide);
}

/* ---- A raise: levels, from the root down ---- */

/* The dominant share of what a row has. */
static uint64_t standing(const skedi_dominant *d, uint32_t row)
{
    uint64_t most = 0, rest;

    for (uint32_t k = 0; k < d->kinds; k++) {
        uint64_t capacity = (uint64_t)d->told[k].capacity;
        if (capacity == 0) continue;
        uint64_t has = (uint64_t)d->share[skedi_dominant_at(d, k, row)];
        uint64_t part = skedi_muldiv(has, WHOLE, capacity, &rest);
        if (part > most) most = part;
    }
    return most;
}

/* The distance of a row below the level: at most one whole. */
static uint64_t way_up(uint64_t weight, skedi_u128 level, uint64_t standing)
{
    skedi_u128 high = skedi_u128_shr(skedi_u128_scale(level, weight),
                                     LEVEL_BITS);

    if (skedi_u128_cmp(high, skedi_u128_of(standing)) <= 0) return 0;
    high = skedi_u128_sub(high, skedi_u128_of(standing));
    if (skedi_u128_cmp(high, skedi_u128_of(WHOLE)) > 0) return WHOLE;
    return skedi_u128_low(high);
}

/* The amount of a kind that a row gets when its dominant share rises by `far`.
 */
static int64_t raised_by(const skedi_dominant *d, uint32_t k, uint32_t row,
                         uint64_t far)
{
    size_t at = skedi_dominant_at(d, k, row);
    skedi_u128 more = skedi_u128_mul((uint64_t)d->rate[at], far);

    return skedi_i64_min(d->open[at],
                         (int64_t)skedi_u128_low(skedi_u128_shr(more, 62)));
}

/* The kinds in which the children would take more at `level` than the parent
 * can spare. While the function runs, kind 0's cell of a child's `spare` holds
 * the child's dominant share. */
static uint32_t overflow_at(const skedi_dominant *d, const skedi_family *f,
                            skedi_u128 level)
{
    int64_t left[SKED_MAX_KINDS];
    uint32_t over = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        left[k] = d->spare[skedi_dominant_at(d, k, f->parent)];
    }
    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        uint64_t far = way_up(skedi_dominant_weight(d, row), level,
                              (uint64_t)d->spare[skedi_dominant_at(d, 0, row)]);
        for (uint32_t k = 0; far && k < d->kinds; k++) {
            if (over >> k & 1) continue;
            left[k] -= raised_by(d, k, row, far);
            if (left[k] < 0) over |= (uint32_t)1 << k;
        }
    }
    return over;
}

/* Finds the highest level that fits, by binary search. `tight` gets the kinds
 * in which one step more would take too much. */
static skedi_u128 find_raise(const skedi_dominant *d, const skedi_family *f,
                             uint32_t *tight)
{
    skedi_u128 one = skedi_u128_of(1), level = skedi_u128_of(0);

    *tight = 0;
    for (unsigned bit = TOP_LEVEL_BITS + 1; bit-- > 0;) {
        skedi_u128 next = skedi_u128_add(level, skedi_u128_shl(one, bit));
        uint32_t over = overflow_at(d, f, next);
        if (over) {
            *tight = over;
        } else {
            level = next;
        }
    }
    return level;
}

/* Raises one family: leaves get more, and parents get more to spare for their
 * children. Returns 1 if a leaf gets more. */
static int raise_family(skedi_dominant *d, const skedi_family *f,
                        uint32_t *tight)
{
    int moved = 0;

    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        d->spare[skedi_dominant_at(d, 0, row)] = (int64_t)standing(d, row);
    }
    skedi_u128 level = find_raise(d, f, tight);
    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        uint64_t far = way_up(skedi_dominant_weight(d, row), level,
                              (uint64_t)d->spare[skedi_dominant_at(d, 0, row)]);
        for (uint32_t k = 0; k < d->kinds; k++) {
            int64_t more = raised_by(d, k, row, far);
            if (skedi_dominant_leaf(d, row)) {
                d->share[skedi_dominant_at(d, k, row)] += more;
                moved |= more > 0;
            } else {
                d->spare[skedi_dominant_at(d, k, row)] = more;
            }
        }
    }
    return moved;
}

/* ---- Sweeps over a subtree ---- */

/* The families of a subtree, level by level: from[i] to to[i]. */
typedef struct subtree {
    uint32_t from[SKED_MAX_DEPTH];
    uint32_t to[SKED_MAX_DEPTH];
    uint32_t levels;
} subtree;

/* The first family whose parent is at `row` or after. */
static uint32_t family_from(const skedi_share_shape *shape, uint32_t row)
{
    uint32_t low = 0, high = shape->n_families;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (shape->families[middle].parent < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static subtree subtree_of(const skedi_share_shape *shape, uint32_t family)
{
    subtree s = {.levels = 0};
    uint32_t from = family, to = family + 1;

    while (from < to) {
        const skedi_family *last = &shape->families[to - 1];
        uint32_t row = shape->families[from].first;
        s.from[s.levels] = from;
        s.to[s.levels++] = to;
        from = family_from(shape, row);
        to = family_from(shape, last->first + last->count);
    }
    return s;
}

static void block_rows(skedi_dominant *d, const skedi_family *f)
{
    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        block_row(d, row, d->blocked[f->parent]);
    }
}

static void direct_family(skedi_dominant *d, const skedi_family *f)
{
    for (uint32_t row = f->first; row < f->first + f->count; row++) {
        if (skedi_dominant_leaf(d, row)) direct_leaf(d, row);
    }
    direct_parent(d, f);
}

/* Raises the subtree once. Returns 1 if a row grew. `tight` gets the kinds that
 * stop the level of the top family. */
static int raise_subtree(skedi_dominant *d, const subtree *s, uint32_t *tight)
{
    const skedi_family *families = d->shape->families;
    uint32_t inner;
    int moved = 0;

    for (uint32_t l = 0; l < s->levels; l++) {
        for (uint32_t i = s->from[l]; i < s->to[l]; i++) {
            block_rows(d, &families[i]);
        }
    }
    for (uint32_t l = s->levels; l-- > 0;) {
        for (uint32_t i = s->from[l]; i < s->to[l]; i++) {
            direct_family(d, &families[i]);
        }
    }
    for (uint32_t k = 0; k < d->kinds; k++) {
        size_t at = skedi_dominant_at(d, k, families[s->from[0]].parent);
        d->spare[at] = d->box[at] - d->share[at];
    }
    moved = raise_family(d, &families[s->from[0]], tight);
    for (uint32_t l = 1; l < s->levels; l++) {
        for (uint32_t i = s->from[l]; i < s->to[l]; i++) {
            moved |= raise_family(d, &families[i], &inner);
        }
    }
    for (uint32_t l = s->levels; l-- > 0;) {
        for (uint32_t i = s->from[l]; i < s->to[l]; i++) {
            skedi_dominant_sum(d, &families[i]);
        }
    }
    return moved;
}

static sked_status step_subtree(skedi_dominant *d, const subtree *s)
{
    const skedi_family *families = d->shape->families;
    sked_status rc = SKED_OK;

    for (uint32_t l = 0; l < s->levels && rc == SKED_OK; l++) {
        const skedi_family *last = &families[s->to[l] - 1];
        uint32_t rows = last->first + last->count - families[s->from[l]].first;
        rc = skedi_share_step(d->progress, rows);
        d->progress->queues += rows;
        d->progress->families += s->to[l] - s->from[l];
    }
    return rc;
}

/* The tight kinds with at most one unit left for each leaf. */
static uint32_t run_out(const skedi_dominant *d, uint32_t row, uint32_t tight)
{
    uint32_t out = 0;

    for (uint32_t k = 0; k < d->kinds; k++) {
        int64_t left = d->box[skedi_dominant_at(d, k, row)] -
                       d->share[skedi_dominant_at(d, k, row)];
        if (left <= (int64_t)d->leaves[row]) out |= (uint32_t)1 << k;
    }
    return out & tight;
}

sked_status skedi_dominant_raise(skedi_dominant *d, uint32_t family)
{
    uint32_t top = d->shape->families[family].parent;
    uint32_t blocked = 0, tight = 0, raises = 0;
    subtree s = subtree_of(d->shape, family);
    sked_status rc = SKED_OK;
    int moved;

    if (d->leaves[top] == 0) return SKED_OK;
    skedi_dominant_sum(d, &d->shape->families[family]); /* raised below it */
    do {
        d->blocked[top] = blocked;
        moved = raise_subtree(d, &s, &tight);
        int give_up = !moved || ++raises >= MOST_RAISES;
        blocked |= give_up ? tight : run_out(d, top, tight);
        rc = step_subtree(d, &s);
        moved &= !give_up; /* caps further down may let a unit by each time */
    } while (rc == SKED_OK && (moved || tight));
    return rc;
}
