/*
 * Computes the shares of a tree in these steps:
 *   1. Bounds (`most`, `top`), from the leaves up.
 *   2. First shares and parts, from the root down, by weight and guarantee.
 *   3. A filling, then shares and parts from the root down. Repeat while parts
 *      or contended kinds change, at most JOINT_FILLINGS times.
 *   4. Claims: the guaranteed part of each share, from the root down.
 *
 * The repetition is necessary because a filling needs the parts and the
 * contended kinds, and both depend on the shares. Each filling uses the values
 * of the previous round.
 */
#include "share/joint.h"

#include <sched/queue.h>

#include "fill/paths.h"
#include "share/filling.h"

enum { JOINT_COLUMNS = 10, JOINT_FILLINGS = 4 };

/* Rounding: an amount that lacks 2^-16 of a unit and 2^-50 of itself counts as
 * the unit, because the filling rounds at each event. */
enum { JOINT_SLACK = -16, JOINT_SLACK_PART = -50 };

static inline size_t joint_at(const skedi_joint *j, uint32_t k, uint32_t row)
{
    return (size_t)k * j->rows + row;
}

static int joint_is_parent(const skedi_joint *j, uint32_t row)
{
    return j->first_child[row] < j->first_child[row + 1];
}

/* ---- Columns ---- */

static size_t joint_aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t joint_bytes(size_t rows, size_t kinds, size_t profiles)
{
    return joint_aligned(
        rows * kinds *
            (JOINT_COLUMNS * sizeof(int64_t) + 2 * sizeof(skedi_real)) +
        profiles * sizeof(skedi_joint_profile) +
        (5 * rows + 1) * sizeof(uint32_t));
}

static void joint_lay_out(skedi_joint *j)
{
    size_t rows = j->rows, columns = rows * j->kinds;
    int64_t **column[JOINT_COLUMNS] = {
        &j->cap,  &j->guarantee, &j->kept, &j->most,  &j->share,
        &j->part, &j->claim,     &j->top,  &j->floor, &j->peak,
    };
    int64_t *at = j->block;

    for (size_t i = 0; i < JOINT_COLUMNS; i++, at += columns) *column[i] = at;
    j->held = (skedi_real *)(void *)at;
    j->profile = (skedi_joint_profile *)(void *)(j->held + 2 * columns);
    j->contended = (uint32_t *)(void *)(j->profile + j->profiles);
    j->named = j->contended + rows;
    j->ever = j->named + rows;
    j->always = j->ever + rows;
    j->first_profile = j->always + rows;
}

int skedi_joint_ensure(skedi_joint *j, skedi_mem *mem, size_t rows,
                       size_t kinds, size_t profiles)
{
    size_t own = joint_bytes(rows, kinds, profiles);
    size_t scratch = joint_aligned(skedi_fill_scratch(rows));
    size_t whole = own + scratch + skedi_filling_bytes(rows, kinds, profiles);

    if (whole > j->bytes) {
        void *block = skedi_new(mem, whole, 1);
        if (!block) return 0;
        skedi_free(mem, j->block, j->bytes, 1);
        j->block = block;
        j->bytes = whole;
    }
    j->rows = (uint32_t)rows;
    j->kinds = (uint32_t)kinds;
    j->profiles = (uint32_t)profiles;
    joint_lay_out(j);
    j->work.scratch = (char *)j->block + own;
    j->filling = (char *)j->block + own + scratch;
    return 1;
}

void skedi_joint_free(skedi_joint *j, skedi_mem *mem)
{
    skedi_free(mem, j->block, j->bytes, 1);
    *j = (skedi_joint){0};
}

/* ---- Bounds ---- */

static int64_t joint_sum_tops(const skedi_joint *j, uint32_t row, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1]; c++) {
        sum = skedi_amount_add(sum, j->top[joint_at(j, k, c)]);
    }
    return sum;
}

/* Computes `most` and `top`, from the leaves up. */
static void joint_bounds(skedi_joint *j)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        for (uint32_t row = j->rows; row-- > 0;) {
            size_t at = joint_at(j, k, row);
            if (joint_is_parent(j, row)) {
                j->most[at] = skedi_i64_min(j->cap[at],
                                            joint_sum_tops(j, row, k));
            }
            j->top[at] = skedi_i64_max(j->most[at], j->kept[at]);
        }
    }
}

/* ---- Profiles ---- */

static int joint_profile_order(const skedi_joint *j,
                               const skedi_joint_profile *a,
                               const skedi_joint_profile *b)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        if (a->task[k] != b->task[k]) return a->task[k] < b->task[k] ? -1 : 1;
    }
    return 0;
}

/* Restores a max-heap after a change at place `at`. */
static void joint_sift(const skedi_joint *j, skedi_joint_profile *heap,
                       uint32_t at, uint32_t n)
{
    skedi_joint_profile own = heap[at];

    for (uint32_t c = 2 * at + 1; c < n; c = 2 * at + 1) {
        if (c + 1 < n && joint_profile_order(j, &heap[c], &heap[c + 1]) < 0) {
            c++;
        }
        if (joint_profile_order(j, &own, &heap[c]) >= 0) break;
        heap[at] = heap[c];
        at = c;
    }
    heap[at] = own;
}

static void joint_sort(const skedi_joint *j, skedi_joint_profile *list,
                       uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;) joint_sift(j, list, i, n);
    for (uint32_t i = n; i-- > 1;) {
        skedi_joint_profile last = list[i];
        list[i] = list[0];
        list[0] = last;
        joint_sift(j, list, 0, i);
    }
}

/* Sorts the profiles of each leaf and merges profiles with equal amounts. The
 * result therefore does not depend on the order of the caller. */
static void joint_merge_profiles(skedi_joint *j)
{
    uint32_t n = 0, from = 0;

    for (uint32_t row = 0; row < j->rows; row++) {
        uint32_t to = j->first_profile[row + 1], first = n;
        joint_sort(j, j->profile + from, to - from);
        j->first_profile[row] = n;
        for (uint32_t i = from; i < to; i++) {
            skedi_joint_profile *last = &j->profile[n - (n > first)];
            if (n > first &&
                joint_profile_order(j, last, &j->profile[i]) == 0) {
                last->tasks = skedi_amount_add(last->tasks,
                                               j->profile[i].tasks);
            } else {
                j->profile[n++] = j->profile[i];
            }
        }
        from = to;
    }
    j->first_profile[j->rows] = j->profiles = n;
}

/* ---- Parts ---- */

/* Divides `total` of one kind among the children by weight, each between its
 * floor and `hi`, rounded down. */
static void joint_fill_family(skedi_joint *j, uint32_t parent, uint32_t k,
                              const int64_t *hi, int64_t total, int64_t *to)
{
    uint32_t from = j->first_child[parent];
    size_t at = joint_at(j, k, from);
    const skedi_fill_in in = {
        .lo = j->floor + at,
        .hi = hi + at,
        .weight = j->weight + from,
        .n = j->first_child[parent + 1] - from,
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

/* Computes the floors of a kind: the larger of the kept amount and the wanted
 * part of the guarantee. If the sum exceeds the share of the parent, all floors
 * are scaled down by one ratio. */
static void joint_floors(skedi_joint *j, uint32_t parent, uint32_t k)
{
    int64_t has = j->share[joint_at(j, k, parent)];
    uint32_t from = j->first_child[parent], to = j->first_child[parent + 1];
    uint64_t sum = 0, rem;

    for (uint32_t c = from; c < to; c++) {
        size_t at = joint_at(j, k, c);
        j->floor[at] = skedi_i64_max(
            skedi_i64_min(j->guarantee[at], j->most[at]), j->kept[at]);
        sum += (uint64_t)j->floor[at];
    }
    for (uint32_t c = from; sum > (uint64_t)has && c < to; c++) {
        int64_t *floor = &j->floor[joint_at(j, k, c)];
        *floor = (int64_t)skedi_muldiv((uint64_t)*floor, (uint64_t)has, sum,
                                       &rem);
    }
}

/* Computes the parts and the contended kinds of a family from the share of the
 * parent. Returns 1 if a value has changed. */
static int joint_family_parts(skedi_joint *j, uint32_t parent)
{
    uint32_t from = j->first_child[parent], to = j->first_child[parent + 1];
    uint32_t contended = 0;
    int changed = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        int64_t has = j->share[joint_at(j, k, parent)];
        if (joint_sum_tops(j, parent, k) > has) contended |= UINT32_C(1) << k;
        joint_floors(j, parent, k);
        /* Scratch: the column `claim` is computed only in the last step. */
        joint_fill_family(j, parent, k, j->top, has, j->claim);
        for (uint32_t c = from; c < to; c++) {
            size_t at = joint_at(j, k, c);
            changed |= j->part[at] != j->claim[at];
            j->part[at] = j->claim[at];
        }
    }
    changed |= j->contended[parent] != contended;
    j->contended[parent] = contended;
    j->ever[parent] |= contended;
    j->always[parent] &= contended;
    return changed;
}

/* ---- Shares ---- */

static int64_t joint_filled(const skedi_joint *j, uint32_t row, uint32_t k)
{
    skedi_real held = j->held[(size_t)row * j->kinds * 2 + k];
    size_t at = joint_at(j, k, row);
    skedi_real part = skedi_real_mul(held, skedi_real_power(JOINT_SLACK_PART));

    held = skedi_real_add(held, part);
    held = skedi_real_add(held, skedi_real_power(JOINT_SLACK));
    return skedi_i64_max(skedi_real_floor(held, j->top[at]), j->kept[at]);
}

/* Computes the shares of a family. In a contended kind the share is the filled
 * amount, or the part before the first filling. */
static void joint_family_shares(skedi_joint *j, uint32_t parent, int filled)
{
    uint32_t from = j->first_child[parent], to = j->first_child[parent + 1];

    for (uint32_t k = 0; k < j->kinds; k++) {
        int contended = j->contended[parent] >> k & 1;
        int64_t left = j->share[joint_at(j, k, parent)];
        for (uint32_t c = from; c < to; c++) {
            left -= j->kept[joint_at(j, k, c)];
        }
        for (uint32_t c = from; c < to; c++) {
            size_t at = joint_at(j, k, c);
            int64_t share = j->top[at], kept = j->kept[at];
            if (contended) {
                share = filled ? joint_filled(j, c, k) : j->part[at];
                /* Rounding up at one child takes nothing kept from another. */
                share = kept + skedi_i64_min(skedi_i64_max(share - kept, 0),
                                             skedi_i64_max(left, 0));
            }
            left -= share - kept;
            j->share[at] = share;
            j->peak[at] = skedi_i64_max(j->peak[at],
                                        skedi_i64_max(j->part[at], share));
        }
    }
}

/* Computes shares and parts from the root down. Returns 1 if parts or contended
 * kinds have changed. If fillings depend on parts (`apart`), the shares of a
 * filling go by the contended kinds of that filling, and all parts follow after
 * all shares. Else one filling serves all, and contended kinds come first. */
static int joint_shares(skedi_joint *j, int filled, int apart)
{
    int changed = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t root = joint_at(j, k, 0);
        j->share[root] = skedi_i64_min(j->cap[root], j->most[root]);
        j->part[root] = j->peak[root] = j->share[root];
    }
    for (uint32_t row = 0; row < j->rows; row++) {
        if (!joint_is_parent(j, row)) continue;
        if (!apart) changed |= joint_family_parts(j, row);
        joint_family_shares(j, row, filled);
    }
    for (uint32_t row = 0; apart && row < j->rows; row++) {
        if (joint_is_parent(j, row)) changed |= joint_family_parts(j, row);
    }
    return changed;
}

/* True if a kind is contended in some family. */
static int joint_is_contended(const skedi_joint *j)
{
    uint32_t kinds = 0;

    for (uint32_t row = 0; row < j->rows; row++) kinds |= j->contended[row];
    return kinds != 0;
}

/* True if the filling uses parts: by order policy, or for guarantees in several
 * kinds. Without parts, one filling is enough. */
static int joint_needs_parts(const skedi_joint *j)
{
    int needs = 0;

    for (uint32_t row = 0; row < j->rows && !needs; row++) {
        needs = joint_is_parent(j, row) &&
                (j->order[row] == SKED_ORDER_POLICY_SHARE ||
                 j->order[row] == SKED_ORDER_POLICY_UTILISATION);
        for (uint32_t k = 0; row > 0 && j->kinds > 1 && k < j->kinds; k++) {
            needs |= j->guarantee[joint_at(j, k, row)] > 0;
        }
    }
    return needs;
}

/* ---- Claims ---- */

static uint32_t joint_guaranteed_kinds(const skedi_joint *j, uint32_t row)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        if (j->guarantee[joint_at(j, k, row)] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

static void joint_name_family(skedi_joint *j, uint32_t parent)
{
    uint32_t from = j->first_child[parent], to = j->first_child[parent + 1];

    for (uint32_t c = from; c < to; c++)
        j->named[c] = joint_guaranteed_kinds(j, c) | j->named[parent];
}

/* Computes the claim of a child of the root. With a guarantee in some kinds,
 * the shares of the other kinds are guaranteed too. */
static void joint_claim_first(skedi_joint *j, uint32_t row)
{
    uint32_t kinds = joint_guaranteed_kinds(j, row);

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        int open = kinds != 0 && !(kinds >> k & 1);
        j->claim[at] = open ? j->share[at]
                            : skedi_i64_min(j->guarantee[at], j->share[at]);
    }
}

/* Divides the claim of a parent among the children by weight, from the
 * guarantees up to the shares. Overwrites `floor`, no longer needed. */
static void joint_claim_below(skedi_joint *j, uint32_t parent)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        for (uint32_t c = j->first_child[parent];
             c < j->first_child[parent + 1]; c++) {
            size_t at = joint_at(j, k, c);
            j->floor[at] = skedi_i64_min(j->guarantee[at], j->share[at]);
        }
        joint_fill_family(j, parent, k, j->share,
                          j->claim[joint_at(j, k, parent)], j->claim);
    }
}

/* Clears the results before the first filling. */
static void joint_open(skedi_joint *j)
{
    for (uint32_t row = 0; row < j->rows; row++) {
        j->contended[row] = j->ever[row] = 0;
        j->always[row] = UINT32_MAX;
        for (uint32_t k = 0; k < j->kinds; k++)
            j->peak[joint_at(j, k, row)] = 0;
    }
    for (uint32_t i = 0; i < j->profiles; i++) {
        j->profile[i].reached = j->profile[i].whole = 0;
    }
}

static void joint_fill(skedi_joint *j)
{
    skedi_filling_run(j, j->filling);
    for (uint32_t i = 0; i < j->profiles; i++) {
        skedi_joint_profile *p = &j->profile[i];
        int64_t reached = skedi_real_floor(p->end, INT64_MAX - 1) + 1;
        p->reached = skedi_i64_max(p->reached, reached);
    }
}

void skedi_joint_compute(skedi_joint *j)
{
    joint_merge_profiles(j);
    joint_open(j);
    joint_bounds(j);
    (void)joint_shares(j, 0, 0);
    j->filled = joint_is_contended(j);
    if (j->filled) {
        int apart = joint_needs_parts(j), changed = 1;
        int fillings = apart ? JOINT_FILLINGS : 1;
        while (changed && fillings-- > 0) {
            joint_fill(j);
            changed = joint_shares(j, 1, apart);
        }
        /* Without a fixed point, the last parts still fit into each parent. */
        if (changed && apart) (void)joint_shares(j, 1, 0);
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t root = joint_at(j, k, 0);
        j->claim[root] = j->share[root];
    }
    j->named[0] = 0;
    for (uint32_t row = 0; row < j->rows; row++) {
        if (!joint_is_parent(j, row)) continue;
        joint_name_family(j, row);
        for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1];
             c++) {
            if (row == 0) joint_claim_first(j, c);
        }
        if (row > 0) joint_claim_below(j, row);
    }
}
