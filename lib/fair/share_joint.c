/*
 * The level of a family is guessed in doubles, kind by kind, and then found
 * exactly: the last whole level at which the kind still suffices. What is read
 * off at it does not depend on the guess.
 */
#include "fair/share_joint.h"

#include <sched/queue.h>

#include "fair/fill_paths.h"

enum { JOINT_COLUMNS = 9, JOINT_GUESSES = 40, JOINT_GUARD = 44 };

/* ---- Columns ---- */

static size_t joint_bytes(size_t rows, size_t kinds)
{
    return rows * kinds * JOINT_COLUMNS * sizeof(int64_t) +
           rows * (sizeof(uint64_t) + 2 * sizeof(uint32_t) + 1);
}

static void joint_lay_out(skedi_joint *j, size_t rows, size_t kinds)
{
    int64_t **columns[JOINT_COLUMNS] = {
        &j->cap,  &j->guarantee, &j->kept, &j->most,  &j->share,
        &j->part, &j->claim,     &j->top,  &j->floor,
    };
    int64_t *at = j->block;

    for (size_t i = 0; i < JOINT_COLUMNS; i++, at += rows * kinds) {
        *columns[i] = at;
    }
    j->key = (uint64_t *)(void *)at;
    j->contended = (uint32_t *)(void *)(j->key + rows);
    j->named = j->contended + rows;
    j->stays = (uint8_t *)(j->named + rows);
}

int skedi_joint_ensure(skedi_joint *j, skedi_mem *mem, size_t rows,
                       size_t kinds)
{
    size_t scratch = skedi_fill_scratch(rows), bytes = joint_bytes(rows, kinds);
    /* The scratch stands behind the columns, aligned like them. */
    size_t whole = (bytes + 63) / 64 * 64 + scratch;

    if (whole > j->bytes) {
        void *block = skedi_new(mem, whole, 1);
        if (!block) return 0;
        skedi_free(mem, j->block, j->bytes, 1);
        j->block = block;
        j->bytes = whole;
    }
    j->rows = (uint32_t)rows;
    j->kinds = (uint32_t)kinds;
    joint_lay_out(j, rows, kinds);
    j->work.scratch = (char *)j->block + (bytes + 63) / 64 * 64;
    return 1;
}

void skedi_joint_free(skedi_joint *j, skedi_mem *mem)
{
    skedi_free(mem, j->block, j->bytes, 1);
    *j = (skedi_joint){0};
}

/* ---- Bounds ---- */

static inline size_t joint_at(const skedi_joint *j, uint32_t k, uint32_t row)
{
    return (size_t)k * j->rows + row;
}

/* Largest amounts, floors and tops, from the leaves up. */
static void bound_rows(skedi_joint *j, uint32_t k)
{
    for (uint32_t row = j->rows; row-- > 0;) {
        size_t at = joint_at(j, k, row);
        uint32_t from = j->first_child[row], to = j->first_child[row + 1];
        int64_t sum = 0;
        for (uint32_t c = from; c < to; c++) {
            sum = skedi_amount_add(sum, j->top[joint_at(j, k, c)]);
        }
        if (from < to) j->most[at] = skedi_i64_min(j->cap[at], sum);
        int64_t most = j->most[at], kept = j->kept[at];
        j->top[at] = skedi_i64_max(most, kept);
        j->floor[at] = skedi_i64_max(skedi_i64_min(j->guarantee[at], most),
                                     kept);
    }
}

/* ---- One family ---- */

/* The children of a row, and what they share. */
typedef struct joint_family {
    skedi_joint *j;
    uint32_t parent;
    uint32_t from;
    uint32_t to;
    uint32_t contended;
} joint_family;

static void find_contended(joint_family *f)
{
    const skedi_joint *j = f->j;

    for (uint32_t k = 0; k < j->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t c = f->from; c < f->to; c++) {
            sum = skedi_amount_add(sum, j->top[joint_at(j, k, c)]);
        }
        if (sum > j->share[joint_at(j, k, f->parent)]) {
            f->contended |= UINT32_C(1) << k;
        }
    }
    j->contended[f->parent] = f->contended;
}

/* Fills one kind by weight, between what `lo` and `hi` say; rounded down. */
static void fill_by_weight(skedi_joint *j, const joint_family *f, uint32_t k,
                           const int64_t *lo, const int64_t *hi, int64_t total,
                           int64_t *to)
{
    size_t at = joint_at(j, k, f->from);
    const skedi_fill_in in = {
        .lo = lo + at,
        .hi = hi + at,
        .weight = j->weight + f->from,
        .n = f->to - f->from,
    };
    skedi_fill_level level;

    skedi_fill_solve(&j->work, &in, total, NULL, &level);
    for (size_t i = 0; i < in.n; i++) {
        skedi_fill_row row = skedi_fill_row_at(&in, i);
        uint64_t whole = row.hi;
        skedi_u128 rest;
        if (level.outcome == SKED_FILL_OK) {
            (void)skedi_fill_quota(&row, &level, &whole, &rest);
        }
        to[at + i] = (int64_t)whole;
    }
}

/* A parent whose own floor could not be used may have less than its children's:
 * they are cut in one ratio. */
static void cut_floors(const joint_family *f, uint32_t k)
{
    const skedi_joint *j = f->j;
    int64_t has = j->share[joint_at(j, k, f->parent)];
    uint64_t sum = 0, rem;

    for (uint32_t c = f->from; c < f->to; c++) {
        sum += (uint64_t)j->floor[joint_at(j, k, c)];
    }
    for (uint32_t c = f->from; sum > (uint64_t)has && c < f->to; c++) {
        int64_t *floor = &j->floor[joint_at(j, k, c)];
        *floor = (int64_t)skedi_muldiv((uint64_t)*floor, (uint64_t)has, sum,
                                       &rem);
    }
}

static void find_parts(joint_family *f)
{
    skedi_joint *j = f->j;

    for (uint32_t k = 0; k < j->kinds; k++) {
        cut_floors(f, k);
        fill_by_weight(j, f, k, j->floor, j->top,
                       j->share[joint_at(j, k, f->parent)], j->part);
    }
}

/* ---- Floors ---- */

/* A floor no larger than what can be used beside the parts of other kinds. */
static int64_t usable_floor(const joint_family *f, uint32_t row, uint32_t k)
{
    const skedi_joint *j = f->j;
    size_t at = joint_at(j, k, row);
    int64_t floor = j->floor[at];
    int64_t kept = skedi_i64_min(j->kept[at], floor);

    for (uint32_t i = 0; i < j->kinds; i++) {
        size_t other = joint_at(j, i, row);
        if (i == k || !(f->contended >> i & 1)) continue;
        if (floor <= kept || j->part[other] >= j->most[other]) continue;
        floor = skedi_i64_min(floor, j->beside(j->ctx, row, k, i,
                                               j->part[other]));
    }
    return skedi_i64_max(floor, kept);
}

/* A part of what a row would like at most. */
typedef struct joint_ratio {
    uint64_t num;
    uint64_t den;
} joint_ratio;

static int ratio_below(joint_ratio a, joint_ratio b)
{
    return skedi_cmp_mul(a.num, b.den, b.num, a.den) < 0;
}

/* The part at which it has the largest of its floors, if its parts of all kinds
 * go so far. */
static joint_ratio ratio_of_floors(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    joint_ratio most = {0, 1};

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1) || j->most[at] == 0) continue;
        joint_ratio own = {(uint64_t)j->floor[at], (uint64_t)j->most[at]};
        if (ratio_below(most, own)) most = own;
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1) || j->most[at] == 0) continue;
        joint_ratio own = {(uint64_t)j->part[at], (uint64_t)j->most[at]};
        if (ratio_below(own, most)) most = own;
    }
    return most;
}

/* What a child has before its family rises: floors that can be used, and of
 * each kind as much as goes with them. */
static void set_floors(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    int64_t floor[SKED_MAX_KINDS];
    uint64_t rem;

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        floor[k] = f->contended >> k & 1 ? usable_floor(f, row, k) : j->top[at];
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        j->floor[joint_at(j, k, row)] = floor[k];
    }
    joint_ratio with = ratio_of_floors(f, row);
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1)) continue;
        int64_t goes = (int64_t)skedi_muldiv((uint64_t)j->most[at], with.num,
                                             with.den, &rem);
        j->floor[at] = skedi_i64_max(j->floor[at], goes);
    }
}

/* ---- Keys ---- */

static const uint64_t joint_key_most = UINT64_C(1) << 63;

/* floor(2^62 * num / den), as far as keys go. */
static uint64_t joint_part(int64_t num, int64_t den)
{
    uint64_t rem;

    if (num == 0) return 0;
    if (num / 2 >= den) return joint_key_most;
    skedi_u128 scaled = skedi_u128_shl(skedi_u128_of((uint64_t)num), 62);
    return skedi_u128_low(skedi_u128_div(scaled, (uint64_t)den, &rem));
}

/* The largest part of what `of` says, over some kinds. */
static uint64_t largest_part(const skedi_joint *j, uint32_t row,
                             const int64_t *of, uint32_t kinds)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(kinds >> k & 1)) continue;
        uint64_t part = joint_part(j->most[at], of[at]);
        most = part > most ? part : most;
    }
    return most;
}

static uint64_t dominant_part(const skedi_joint *j, uint32_t row)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        uint64_t part = joint_part(j->most[joint_at(j, k, row)],
                                   j->capacity[k]);
        most = part > most ? part : most;
    }
    return most / j->weight[row];
}

/* Contended kinds in which a row has a floor. */
static uint32_t floored(const joint_family *f, uint32_t row)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < f->j->kinds; k++) {
        if (f->j->floor[joint_at(f->j, k, row)] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds & f->contended;
}

/* The key of a child at its `most`, by its parent's order. */
static uint64_t key_at_most(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    uint32_t fair = j->fair_kind[f->parent], kinds = 0;
    uint64_t key = 0;

    if (j->weight[row] == 0) return 0;
    switch (j->order[f->parent]) {
    case SKED_ORDER_FAIR:
        key = joint_part(j->most[joint_at(j, fair, row)], j->capacity[fair]) /
              j->weight[row];
        if (j->most[joint_at(j, fair, row)] == 0) key = dominant_part(j, row);
        break;
    case SKED_ORDER_UTILISATION: kinds = floored(f, row); /* fallthrough */
    case SKED_ORDER_SHARE:
        key = largest_part(j, row, kinds ? j->floor : j->part,
                           kinds ? kinds : f->contended);
        break;
    default: key = dominant_part(j, row);
    }
    return key ? key : 1;
}

/* ---- Levels ---- */

/* What a row has of a kind at a level. */
static inline int64_t joint_amount(const skedi_joint *j, size_t at,
                                   uint32_t row, uint64_t level)
{
    uint64_t key = j->key[row], rem;
    int64_t amount = j->most[at];

    if (key == 0) return j->floor[at];
    if (level < key) {
        amount = (int64_t)skedi_muldiv((uint64_t)amount, level, key, &rem);
    }
    return skedi_i64_max(amount, j->floor[at]);
}

/* Does what the family has of a kind suffice at a level? */
static int level_fits(const joint_family *f, uint32_t k, uint64_t level)
{
    const skedi_joint *j = f->j;
    int64_t left = j->share[joint_at(j, k, f->parent)];

    for (uint32_t c = f->from; c < f->to; c++) {
        size_t at = joint_at(j, k, c);
        left -= j->stays[c] ? j->share[at] : joint_amount(j, at, c, level);
        if (left < 0) return 0;
    }
    return 1;
}

/* What is used of a kind at a level, and what the next unit of it takes, about;
 * in doubles. */
static double guess_used(const joint_family *f, uint32_t k, double level,
                         double *slope)
{
    const skedi_joint *j = f->j;
    double used = 0;

    *slope = 0;
    for (uint32_t c = f->from; c < f->to; c++) {
        size_t at = joint_at(j, k, c);
        double most = (double)j->most[at], key = (double)j->key[c];
        double least = (double)j->floor[at];
        if (j->stays[c] || j->key[c] == 0) {
            used += (double)(j->stays[c] ? j->share[at] : j->floor[at]);
            continue;
        }
        double amount = level < key ? most / key * level : most;
        if (level < key && amount >= least) *slope += most / key;
        used += amount > least ? amount : least;
    }
    return used;
}

/* About the level at which a kind is used up, between two. */
static uint64_t guess_level(const joint_family *f, uint32_t k, uint64_t from,
                            uint64_t to)
{
    double has = (double)f->j->share[joint_at(f->j, k, f->parent)];
    double low = (double)from, high = (double)to, at = low, slope;

    for (int i = 0; i < JOINT_GUESSES && low < high; i++) {
        double used = guess_used(f, k, at, &slope);
        if (used <= has)
            low = at;
        else
            high = at;
        double next = slope > 0 ? at + (has - used) / slope : high;
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        if (next == at) break;
        at = next;
    }
    return at < (double)to ? (uint64_t)at : to;
}

/* The last level up to `to` at which a kind suffices; it does at `from`. */
static uint64_t last_level(const joint_family *f, uint32_t k, uint64_t from,
                           uint64_t to)
{
    if (level_fits(f, k, to)) return to;
    uint64_t guess = guess_level(f, k, from, to);
    uint64_t step = (guess >> JOINT_GUARD) + 1;
    uint64_t low = guess, high = to;

    for (; low > from && !level_fits(f, k, low); step *= 2) {
        high = low;
        low = low - from > step ? low - step : from;
    }
    for (step = (guess >> JOINT_GUARD) + 1; high - low > step; step *= 2) {
        if (!level_fits(f, k, low + step)) {
            high = low + step;
            break;
        }
        low += step;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (level_fits(f, k, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Rising ---- */

/* The largest key of those who still rise; 0: there is none. */
static uint64_t highest_key(const joint_family *f)
{
    uint64_t most = 0;

    for (uint32_t c = f->from; c < f->to; c++) {
        if (!f->j->stays[c] && f->j->key[c] > most) most = f->j->key[c];
    }
    return most;
}

static void settle_row(const joint_family *f, uint32_t c, uint64_t level)
{
    skedi_joint *j = f->j;

    j->stays[c] = 1;
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, c);
        j->share[at] = joint_amount(j, at, c, level);
    }
}

/* Settles those who need more of what has run out at a level; how many. */
static uint32_t settle_short(const joint_family *f, uint64_t level,
                             uint32_t gone)
{
    const skedi_joint *j = f->j;
    uint32_t n = 0;

    for (uint32_t c = f->from; c < f->to; c++) {
        int more = 0;
        for (uint32_t k = 0; !j->stays[c] && k < j->kinds; k++) {
            size_t at = joint_at(j, k, c);
            if (!(gone >> k & 1)) continue;
            more |= joint_amount(j, at, c, level) <
                    joint_amount(j, at, c, j->key[c]);
        }
        if (more) settle_row(f, c, level);
        n += (uint32_t)more;
    }
    return n;
}

/* Contended kinds that do not suffice at a level. */
static uint32_t gone_at(const joint_family *f, uint64_t level)
{
    uint32_t gone = 0;

    for (uint32_t k = 0; k < f->j->kinds; k++) {
        if (!(f->contended >> k & 1) || level_fits(f, k, level)) continue;
        gone |= UINT32_C(1) << k;
    }
    return gone;
}

/* Raises a family until its kinds have run out or every child has the most. */
static void raise_family(const joint_family *f)
{
    uint64_t level = 0, top;
    uint32_t settled = 1;

    while (settled && level < (top = highest_key(f))) {
        uint64_t last = top;
        for (uint32_t k = 0; k < f->j->kinds; k++) {
            if (f->contended >> k & 1) last = last_level(f, k, level, last);
        }
        level = last;
        settled = level < top ? settle_short(f, level, gone_at(f, level + 1))
                              : 0;
    }
    for (uint32_t c = f->from; c < f->to; c++) {
        if (!f->j->stays[c]) settle_row(f, c, level);
    }
}

static void share_family(skedi_joint *j, uint32_t parent)
{
    joint_family f = {
        .j = j,
        .parent = parent,
        .from = j->first_child[parent],
        .to = j->first_child[parent + 1],
    };

    find_contended(&f);
    find_parts(&f);
    for (uint32_t c = f.from; c < f.to; c++) {
        j->key[c] = f.contended ? key_at_most(&f, c) : 1;
        j->stays[c] = 0;
        if (f.contended) set_floors(&f, c);
    }
    if (f.contended) {
        raise_family(&f);
        return;
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        for (uint32_t c = f.from; c < f.to; c++) {
            size_t at = joint_at(j, k, c);
            j->share[at] = j->top[at];
        }
    }
}

/* ---- Claims ---- */

static uint32_t guaranteed_kinds(const skedi_joint *j, uint32_t row)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        if (j->guarantee[joint_at(j, k, row)] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

static void name_family(skedi_joint *j, uint32_t parent)
{
    uint32_t from = j->first_child[parent], to = j->first_child[parent + 1];
    uint32_t any = 0;

    for (uint32_t c = from; c < to; c++) any |= guaranteed_kinds(j, c);
    for (uint32_t c = from; c < to; c++) {
        j->named[c] = guaranteed_kinds(j, c) | (j->named[parent] & ~any);
    }
}

/* What of their shares is guaranteed to the children of the root. */
static void claim_first(skedi_joint *j, uint32_t row)
{
    uint32_t kinds = guaranteed_kinds(j, row);

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        int open = kinds != 0 && !(kinds >> k & 1);
        j->claim[at] = open ? j->share[at]
                            : skedi_i64_min(j->guarantee[at], j->share[at]);
    }
}

/* And to those below: what their parent's is, shared likewise. The floors
 * stand in `floor`, which nothing needs any more. */
static void claim_below(skedi_joint *j, uint32_t parent)
{
    joint_family f = {
        .j = j,
        .parent = parent,
        .from = j->first_child[parent],
        .to = j->first_child[parent + 1],
    };

    for (uint32_t k = 0; k < j->kinds; k++) {
        for (uint32_t c = f.from; c < f.to; c++) {
            size_t at = joint_at(j, k, c);
            j->floor[at] = skedi_i64_min(j->guarantee[at], j->share[at]);
        }
        fill_by_weight(j, &f, k, j->floor, j->share,
                       j->claim[joint_at(j, k, parent)], j->claim);
    }
}

void skedi_joint_compute(skedi_joint *j)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t root = joint_at(j, k, 0);
        bound_rows(j, k);
        j->share[root] = skedi_i64_min(j->cap[root], j->most[root]);
        j->part[root] = j->claim[root] = j->share[root];
    }
    j->contended[0] = j->named[0] = 0;
    for (uint32_t row = 0; row < j->rows; row++) {
        j->contended[row] = 0;
        if (j->first_child[row] == j->first_child[row + 1]) continue;
        share_family(j, row);
        name_family(j, row);
        for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1];
             c++) {
            if (row == 0) claim_first(j, c);
        }
        if (row > 0) claim_below(j, row);
    }
}
