/* Bounds from the leaves up, shares from the root down, family by family; then
 * what of them is guaranteed. */
#include "share/joint.h"

#include "fill/paths.h"
#include "share/joint_family.h"

enum { JOINT_COLUMNS = 9 };

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

/* Largest amounts, floors and tops, from the leaves up. */
static void joint_bounds(skedi_joint *j, uint32_t k)
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

/* Fills one kind by weight up to what `hi` says, at least the floors; rounded
 * down. */
static void fill_by_weight(const joint_family *f, uint32_t k, const int64_t *hi,
                           int64_t total, int64_t *to)
{
    skedi_joint *j = f->j;
    size_t at = joint_at(j, k, f->from);
    const skedi_fill_in in = {
        .lo = j->floor + at,
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
        if (level.outcome == SKED_FILL_OUTCOME_OK) {
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
        fill_by_weight(f, k, j->top, j->share[joint_at(j, k, f->parent)],
                       j->part);
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
        j->key[c] = f.contended ? skedi_joint_key(&f, c) : 1;
        j->stays[c] = 0;
    }
    if (f.contended) {
        skedi_joint_floors(&f);
        skedi_joint_raise(&f);
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
        fill_by_weight(&f, k, j->share, j->claim[joint_at(j, k, parent)],
                       j->claim);
    }
}

void skedi_joint_compute(skedi_joint *j)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t root = joint_at(j, k, 0);
        joint_bounds(j, k);
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
