/* Shares by joint demand: bounds, demand, levels. */
#include "ref_joint.h"

#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"
#include "ref_joint_fill.h"
#include "share/joint.h"
#include "tree/attr.h"

void ref_joint_open(ref_joint *j, const skedi_image *image, uint32_t kinds)
{
    size_t n = (size_t)image->n * kinds;
    int64_t **columns[] = {&j->cap,  &j->force, &j->lifted, &j->kept,
                           &j->hi,   &j->top,   &j->bottom, &j->share,
                           &j->part, &j->claim};

    memset(j, 0, sizeof *j);
    j->image = image;
    j->kinds = kinds;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i] = calloc(n, sizeof **columns[i]);
        if (!*columns[i]) abort();
    }
    j->hot = calloc(2 * (size_t)image->n, sizeof *j->hot);
    if (!j->hot) abort();
    j->named = j->hot + image->n;
}

void ref_joint_close(ref_joint *j)
{
    int64_t *columns[] = {j->cap, j->force,  j->lifted, j->kept, j->hi,
                          j->top, j->bottom, j->share,  j->part, j->claim};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
    free(j->hot);
    memset(j, 0, sizeof *j);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static size_t at(const ref_joint *j, uint32_t row, uint32_t k)
{
    return (size_t)row * j->kinds + k;
}

/* The sum of a column over the children of a row. */
static ref_wide sum_below(const ref_joint *j, const int64_t *column,
                          uint32_t row, uint32_t k)
{
    ref_wide sum = ref_wide_of(0);

    for (uint32_t c = j->image->first_child[row];
         c < j->image->first_child[row + 1]; c++) {
        sum = ref_wide_add(sum, ref_wide_of((uint64_t)column[at(j, c, k)]));
    }
    return sum;
}

static int64_t below(const ref_joint *j, const int64_t *column, uint32_t row,
                     uint32_t k)
{
    return ref_joint_amount(sum_below(j, column, row, k));
}

/* What is too much among the children of a row is cut in one ratio. */
static void cut_below(const ref_joint *j, int64_t *column, uint32_t row,
                      uint32_t k)
{
    ref_wide sum = sum_below(j, column, row, k);
    int64_t has = column[at(j, row, k)];

    if (ref_wide_cmp(sum, ref_wide_of((uint64_t)has)) <= 0) return;
    for (uint32_t c = j->image->first_child[row];
         c < j->image->first_child[row + 1]; c++) {
        column[at(j, c, k)] = ref_joint_ratio(column[at(j, c, k)], has, sum);
    }
}

/* ---- Bounds ---- */

static int64_t said_of(const ref_joint *j, uint32_t attribute, uint32_t row,
                       uint32_t k)
{
    const int64_t *said = j->image->amount[attribute];

    return said ? said[(size_t)k * j->image->n + row] : SKED_UNLIMITED;
}

static void caps(ref_joint *j, uint32_t row, uint32_t k)
{
    int64_t borrow = said_of(j, SKEDI_AT_BORROW, row, k);
    int64_t cap = j->limit[at(j, row, k)];

    if (row == 0) cap = least(cap, j->total[k]);
    if (row > 0 && borrow != SKED_UNLIMITED) {
        cap = least(cap, j->said[at(j, row, k)] + borrow);
    }
    j->cap[at(j, row, k)] = cap;
}

static void forces(ref_joint *j)
{
    for (uint32_t row = j->image->n; row-- > 0;) {
        for (uint32_t k = 0; k < j->kinds; k++) {
            int64_t own = most(j->said[at(j, row, k)],
                               below(j, j->force, row, k));
            own = least(j->cap[at(j, row, k)], own);
            j->force[at(j, row, k)] = j->lifted[at(j, row, k)] = own;
            if (row == 0) j->force[k] = j->cap[k];
        }
    }
    for (uint32_t row = 0; row < j->image->n; row++) {
        for (uint32_t k = 0; k < j->kinds; k++) cut_below(j, j->force, row, k);
    }
}

/* It, or a queue above, takes nothing new. */
static int drains(const ref_joint *j, uint32_t row)
{
    for (int32_t up = (int32_t)row; up >= 0; up = j->image->parent[up]) {
        if (j->image->state[up] == SKED_STATE_DRAINING) return 1;
    }
    return 0;
}

static void keeps(ref_joint *j)
{
    for (uint32_t row = j->image->n; row-- > 0;) {
        for (uint32_t k = 0; k < j->kinds; k++) {
            int64_t lend = said_of(j, SKEDI_AT_LEND, row, k);
            int64_t has = least(j->said[at(j, row, k)], j->cap[at(j, row, k)]);
            int64_t own = lend == SKED_UNLIMITED ? 0 : most(has - lend, 0);
            own = least(most(own, below(j, j->kept, row, k)),
                        j->cap[at(j, row, k)]);
            j->kept[at(j, row, k)] = drains(j, row)
                                         ? 0
                                         : least(j->force[at(j, row, k)], own);
        }
    }
    for (uint32_t row = 0; row < j->image->n; row++) {
        for (uint32_t k = 0; k < j->kinds; k++) {
            cut_below(j, j->kept, row, k);
        }
    }
}

/* Weight 0: at most the guarantee in force, in kinds that had one before cuts. */
static void weightless(ref_joint *j, uint32_t row)
{
    int any = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        any |= j->lifted[at(j, row, k)] > 0;
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        if (any && j->lifted[at(j, row, k)] == 0) continue;
        j->cap[at(j, row, k)] = least(j->cap[at(j, row, k)],
                                      j->force[at(j, row, k)]);
    }
}

void ref_joint_bounds(ref_joint *j)
{
    for (uint32_t row = 0; row < j->image->n; row++) {
        for (uint32_t k = 0; k < j->kinds; k++) caps(j, row, k);
    }
    forces(j);
    keeps(j);
    for (uint32_t row = 1; row < j->image->n; row++) {
        if (j->image->weight[row] == 0) weightless(j, row);
    }
}

/* ---- Demand ---- */

static int is_below(const ref_joint *j, uint32_t leaf, uint32_t row)
{
    int32_t at_row = (int32_t)leaf;

    while (at_row > (int32_t)row) at_row = j->image->parent[at_row];
    return at_row == (int32_t)row;
}

/* All of kind k that is wanted below a row. */
static ref_wide wanted(const ref_joint *j, uint32_t row, uint32_t k)
{
    ref_wide all = ref_wide_of(0);

    for (size_t i = 0; i < j->wants; i++) {
        if (!is_below(j, j->want[i].row, row)) continue;
        all = ref_wide_add(all, ref_joint_times(&j->want[i], k));
    }
    return all;
}

/* The most of kind k that goes with so much of kind `by`: what needs none of
 * that, and the shape with the most of k for it. */
static int64_t beside(const ref_joint *j, uint32_t row, uint32_t k, uint32_t by,
                      int64_t bound)
{
    const ref_want *best = NULL;
    ref_wide all = ref_wide_of(0);

    for (size_t i = 0; i < j->wants; i++) {
        const ref_want *w = &j->want[i];
        if (!is_below(j, w->row, row)) continue;
        if (w->task[by] == 0) all = ref_wide_add(all, ref_joint_times(w, k));
        if (w->task[by] == 0) continue;
        if (!best || ref_joint_better(w->task, best->task, k, by)) best = w;
    }
    if (best) {
        all = ref_wide_add(all, ref_joint_beside(best->task, k, by, bound));
    }
    return ref_joint_amount(all);
}

static void leaf_demand(ref_joint *j, uint32_t row)
{
    int64_t bound[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < j->kinds; k++) {
        bound[k] = SKED_UNLIMITED;
        for (int32_t up = (int32_t)row; up >= 0; up = j->image->parent[up]) {
            bound[k] = least(bound[k], j->cap[at(j, (uint32_t)up, k)]);
        }
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        int64_t hi = least(ref_joint_amount(wanted(j, row, k)), bound[k]);
        for (uint32_t by = 0; by < j->kinds; by++) {
            if (by == k || ref_joint_amount(wanted(j, row, by)) <= bound[by]) {
                continue;
            }
            hi = least(hi, beside(j, row, k, by, bound[by]));
        }
        j->hi[at(j, row, k)] = hi;
    }
}

static void demands(ref_joint *j)
{
    for (uint32_t row = j->image->n; row-- > 0;) {
        int leaf = skedi_image_is_leaf(j->image, row);
        if (leaf) leaf_demand(j, row);
        for (uint32_t k = 0; k < j->kinds; k++) {
            size_t i = at(j, row, k);
            if (!leaf) j->hi[i] = least(j->cap[i], below(j, j->top, row, k));
            j->top[i] = most(j->hi[i], j->kept[i]);
            j->bottom[i] = most(least(j->force[i], j->hi[i]), j->kept[i]);
        }
    }
}

/* ---- Families ---- */

/* Contended kinds and parts of a family whose parent has its share. */
static void part_family(ref_joint *j, uint32_t row)
{
    const skedi_image *image = j->image;
    ref_family f = {.kinds = j->kinds,
                    .n = image->first_child[row + 1] - image->first_child[row],
                    .total = j->share + at(j, row, 0),
                    .weight = image->weight + image->first_child[row],
                    .top = j->top + at(j, image->first_child[row], 0)};
    size_t first = at(j, image->first_child[row], 0);

    ref_family_open(&f, j->bottom + first);
    for (uint32_t k = 0; k < j->kinds; k++) {
        if (ref_wide_cmp(sum_below(j, j->top, row, k),
                         ref_wide_of((uint64_t)f.total[k])) > 0) {
            j->hot[row] |= UINT32_C(1) << k;
        }
        ref_family_fill(&f, k, j->part + first);
    }
    ref_family_close(&f);
}

/* What may be claimed as guaranteed, below a row. */
static void claim_family(ref_joint *j, uint32_t row)
{
    const skedi_image *image = j->image;
    uint32_t first = image->first_child[row];
    ref_family f = {.kinds = j->kinds,
                    .n = image->first_child[row + 1] - first,
                    .total = j->claim + at(j, row, 0),
                    .weight = image->weight + first,
                    .top = j->share + at(j, first, 0)};
    int64_t *floors = calloc((size_t)f.n * j->kinds, sizeof *floors);

    if (!floors) abort();
    for (uint32_t i = 0; i < f.n * j->kinds; i++) {
        floors[i] = least(j->force[at(j, first, 0) + i], f.top[i]);
    }
    ref_family_open(&f, floors);
    for (uint32_t k = 0; k < j->kinds; k++) {
        ref_family_fill(&f, k, j->claim + at(j, first, 0));
    }
    ref_family_close(&f);
    free(floors);
}

/* Of a child of the root. */
static void claim_first(ref_joint *j, uint32_t row)
{
    int any = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        any |= j->lifted[at(j, row, k)] > 0;
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t i = at(j, row, k);
        j->claim[i] = any && j->force[i] == 0 ? j->share[i]
                                              : least(j->force[i], j->share[i]);
    }
}

static void name_family(ref_joint *j, uint32_t row)
{
    for (uint32_t k = 0; k < j->kinds; k++) {
        uint32_t bit = UINT32_C(1) << k;
        int above = (j->named[row] & bit) != 0;
        for (uint32_t c = j->image->first_child[row];
             c < j->image->first_child[row + 1]; c++) {
            if (above || j->force[at(j, c, k)] > 0) j->named[c] |= bit;
        }
    }
}

/* ---- The filling ---- */

/* The library's filling: tests/promises judges it by a filling of its own. Here
 * the question is when shares are made and from what. */
static void fill(ref_joint *j, const ref_want *want, size_t n)
{
    const skedi_image *image = j->image;
    skedi_mem mem = skedi_mem_of(NULL);
    skedi_joint made = {0};
    uint32_t profiles = 0;

    if (!skedi_joint_ensure(&made, &mem, image->n, j->kinds, n)) abort();
    made.first_child = image->first_child;
    made.order = image->order;
    made.fair_kind = image->fair_kind;
    made.weight = image->weight;
    made.capacity = j->total;
    for (uint32_t row = 0; row < image->n; row++) {
        made.first_profile[row] = profiles;
        for (size_t i = 0; i < n; i++) {
            if (want[i].row != row) continue;
            made.profile[profiles++] = (skedi_joint_profile){
                .task = want[i].task, .tasks = want[i].count};
        }
        for (uint32_t k = 0; k < j->kinds; k++) {
            size_t to = (size_t)k * image->n + row;
            made.cap[to] = j->cap[at(j, row, k)];
            made.guarantee[to] = j->force[at(j, row, k)];
            made.kept[to] = j->kept[at(j, row, k)];
            made.most[to] = j->hi[at(j, row, k)];
        }
    }
    made.first_profile[image->n] = profiles;
    skedi_joint_compute(&made);
    for (uint32_t row = 0; row < image->n; row++) {
        for (uint32_t k = 0; k < j->kinds; k++) {
            j->share[at(j, row, k)] = made.share[(size_t)k * image->n + row];
        }
    }
    skedi_joint_free(&made, &mem);
}

void ref_joint_shares(ref_joint *j, const ref_want *want, size_t n)
{
    const skedi_image *image = j->image;

    memset(j->hot, 0, 2 * (size_t)image->n * sizeof *j->hot);
    j->want = want;
    j->wants = n;
    demands(j);
    fill(j, want, n);
    for (uint32_t row = 0; row < image->n; row++) {
        if (skedi_image_is_leaf(image, row)) continue;
        part_family(j, row);
        for (uint32_t c = image->first_child[0];
             row == 0 && c < image->first_child[1]; c++) {
            claim_first(j, c);
        }
        if (row > 0) claim_family(j, row);
        name_family(j, row);
    }
    j->want = NULL;
}
