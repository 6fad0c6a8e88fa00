/*
 * Bounds follow from the tree and a partition's capacity. Shares follow from
 * what leaves want as well, and are made anew as a whole by the first pass that
 * finds that changed: so they do not depend on passes that decide nothing.
 */
#include "engine/order/shares.h"

#include "base/bits.h"
#include "engine/order/books.h"
#include "engine/order/wants.h"

/* ---- Bounds ---- */

static int64_t *bound_at(const sked_engine *e, int64_t *column, uint32_t row,
                         uint32_t partition, uint32_t k)
{
    return &column[cell_of(e, row, partition) * e->kinds + k];
}

/* The most a row may hold by itself; the root no more than there is. */
static int64_t cap_of(const sked_engine *e, uint32_t row, uint32_t partition,
                      uint32_t k)
{
    int64_t cap = *bound_at(e, e->cell_limit, row, partition, k);

    if (row > 0) return cap;
    return skedi_i64_min(cap, e->capacity[(size_t)partition * e->kinds + k]);
}

static int64_t bound_of_children(const sked_engine *e, int64_t *column,
                                 uint32_t row, uint32_t partition, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t c = e->rows.first_child[row];
         c < e->rows.first_child[row + 1]; c++) {
        sum = skedi_amount_add(sum, *bound_at(e, column, c, partition, k));
    }
    return sum;
}

/* Cuts what children have in one ratio where it adds up to more than their
 * parent has. */
static void cut_family(sked_engine *e, int64_t *column, uint32_t row,
                       uint32_t partition, uint32_t k)
{
    uint32_t from = e->rows.first_child[row], to = e->rows.first_child[row + 1];
    int64_t whole = *bound_at(e, column, row, partition, k);
    skedi_u128 sum = skedi_u128_of(0), rest;

    for (uint32_t c = from; c < to; c++) {
        uint64_t own = (uint64_t)*bound_at(e, column, c, partition, k);
        sum = skedi_u128_add(sum, skedi_u128_of(own));
    }
    if (skedi_u128_cmp(sum, skedi_u128_of((uint64_t)whole)) <= 0) return;
    for (uint32_t c = from; c < to; c++) {
        int64_t *own = bound_at(e, column, c, partition, k);
        skedi_u128 product = skedi_u128_mul((uint64_t)*own, (uint64_t)whole);
        *own = (int64_t)skedi_u128_low(
            skedi_u128_div_wide(product, sum, &rest));
    }
}

/* Guarantees in force: lifted by the children's, cut where they are too many.
 */
static void resolve_force(sked_engine *e, uint32_t partition, uint32_t k)
{
    for (uint32_t row = e->rows.n; row-- > 0;) {
        int64_t own = *bound_at(e, e->cell_promised, row, partition, k);
        int64_t sum = bound_of_children(e, e->cell_force, row, partition, k);
        *bound_at(e, e->cell_force, row, partition, k) = skedi_i64_min(
            cap_of(e, row, partition, k), skedi_i64_max(own, sum));
    }
    *bound_at(e, e->cell_force, 0, partition, k) = cap_of(e, 0, partition, k);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        cut_family(e, e->cell_force, row, partition, k);
    }
}

/* What is kept free for queues: what they do not lend of their guarantees. */
static void resolve_kept(sked_engine *e, uint32_t partition, uint32_t k)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *lend = skedi_image_amounts(image, SKEDI_AT_LEND, k);

    for (uint32_t row = e->rows.n; row-- > 0;) {
        int64_t own = *bound_at(e, e->cell_promised, row, partition, k);
        int64_t cap = cap_of(e, row, partition, k);
        int64_t lent = lend ? lend[row] : SKED_UNLIMITED;
        own = skedi_i64_min(own, cap);
        own = lent < own ? own - lent : 0;
        own = skedi_i64_max(
            own, bound_of_children(e, e->cell_kept, row, partition, k));
        own = skedi_i64_min(own,
                            *bound_at(e, e->cell_force, row, partition, k));
        *bound_at(e, e->cell_kept, row, partition,
                  k) = e->rows.closed[row] ? 0 : own;
        e->lends |= own > 0;
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        cut_family(e, e->cell_kept, row, partition, k);
    }
}

/* A queue of weight 0 has what it is guaranteed; in kinds of which nothing is,
 * nothing, unless something is guaranteed of another. */
static void resolve_weightless(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 1; row < e->rows.n; row++) {
        int64_t any = 0;
        if (e->rows.weight[row] > 0) continue;
        for (uint32_t k = 0; e->shared && k < e->kinds; k++) {
            any |= *bound_at(e, e->cell_force, row, partition, k);
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t own = e->shared
                              ? *bound_at(e, e->cell_force, row, partition, k)
                              : 0;
            int64_t *cap = bound_at(e, e->cell_limit, row, partition, k);
            if (own > 0 || !any) *cap = skedi_i64_min(*cap, own);
        }
    }
}

/* What parents count as held, from what their children do. */
static void rebook_parents(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = e->rows.n; row-- > 0;) {
        if (row_is_leaf(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t sum = 0;
            for (uint32_t c = e->rows.first_child[row];
                 c < e->rows.first_child[row + 1]; c++) {
                sum += skedi_i64_max(
                    *bound_at(e, e->cell_booked, c, partition, k),
                    *bound_at(e, e->cell_kept, c, partition, k));
            }
            *bound_at(e, e->cell_booked, row, partition, k) = sum;
        }
    }
}

void skedi_shares_resolve(sked_engine *e, uint32_t partition)
{
    for (uint32_t k = 0; e->shared && k < e->kinds; k++) {
        resolve_force(e, partition, k);
        resolve_kept(e, partition, k);
    }
    resolve_weightless(e, partition);
    if (e->shared) rebook_parents(e, partition);
    /* What is kept free is kept of what there is. */
    for (uint32_t k = 0; e->lends && k < e->kinds; k++) {
        int64_t *limit = bound_at(e, e->cell_limit, 0, partition, k);
        int64_t kept = *bound_at(e, e->cell_kept, 0, partition, k);
        if (kept > 0) *limit = cap_of(e, 0, partition, k);
    }
}

/* ---- What leaves want ---- */

static size_t joint_place(const sked_engine *e, uint32_t k, uint32_t row)
{
    return (size_t)k * e->rows.n + row;
}

/* Whose wants are looked at while shares are made. */
typedef struct shares_of {
    const sked_engine *e;
    uint32_t partition;
} shares_of;

static int64_t amount_of_tasks(int64_t task, int64_t tasks)
{
    int64_t product;
    int fits = skedi_i64_mul(task, tasks, &product) &&
               product <= SKED_AMOUNT_MAX;

    return fits ? product : SKED_UNLIMITED;
}

/* What the tasks of a leaf that run and are open hold together. */
static void add_up_wants(const sked_engine *e, uint32_t first, int64_t *sum)
{
    for (uint32_t k = 0; k < e->kinds; k++) sum[k] = 0;
    for (uint32_t w = first; w != SKEDI_NONE; w = want_at(e, w)->next) {
        const int64_t *task = engine_row_of(e, &e->shape_task,
                                            want_at(e, w)->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t all = amount_of_tasks(task[k], want_at(e, w)->tasks);
            sum[k] = skedi_amount_add(sum[k], all);
        }
    }
}

/* What tasks could use of kind `k` within a bound on kind `j`: `free` of it by
 * tasks that need nothing of `j`, and num / den of the bound at most by all
 * others. */
typedef struct shares_beside {
    uint32_t k;
    uint32_t j;
    uint64_t num;
    uint64_t den;
    int64_t free;
} shares_beside;

static void add_beside(const sked_engine *e, uint32_t first, shares_beside *b)
{
    for (uint32_t w = first; w != SKEDI_NONE; w = want_at(e, w)->next) {
        const int64_t *task = engine_row_of(e, &e->shape_task,
                                            want_at(e, w)->shape);
        uint64_t own = (uint64_t)task[b->k], other = (uint64_t)task[b->j];
        if (other == 0) {
            int64_t all = amount_of_tasks(task[b->k], want_at(e, w)->tasks);
            b->free = skedi_amount_add(b->free, all);
        } else if (skedi_cmp_mul(own, b->den, b->num, other) > 0) {
            b->num = own;
            b->den = other;
        }
    }
}

static int64_t within_bound(const shares_beside *b, int64_t bound)
{
    uint64_t rem;

    if (skedi_cmp_mul((uint64_t)bound, b->num, b->den,
                      (uint64_t)SKED_AMOUNT_MAX) > 0) {
        return SKED_UNLIMITED;
    }
    return skedi_amount_add(
        b->free, (int64_t)skedi_muldiv((uint64_t)bound, b->num, b->den, &rem));
}

/* Of all that is wanted below a row: its descendants stand level by level. */
static int64_t most_beside(const void *ctx, uint32_t row, uint32_t k,
                           uint32_t j, int64_t bound)
{
    const shares_of *of = ctx;
    const sked_engine *e = of->e;
    shares_beside b = {.k = k, .j = j, .den = 1};

    for (uint32_t from = row, to = row + 1; from < to;) {
        for (uint32_t r = from; r < to; r++) {
            if (!row_is_leaf(e, r)) continue;
            add_beside(e, e->cells[cell_of(e, r, of->partition)].first_want,
                       &b);
        }
        from = e->rows.first_child[from];
        to = e->rows.first_child[to];
    }
    return within_bound(&b, bound);
}

/* The largest amounts that a leaf's tasks could hold within the bounds of its
 * path, each kind jointly with every other. */
static void most_of_leaf(sked_engine *e, uint32_t row, uint32_t partition,
                         const int64_t *reach)
{
    const shares_of of = {e, partition};
    int64_t sum[SKED_MAX_KINDS];

    add_up_wants(e, e->cells[cell_of(e, row, partition)].first_want, sum);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = skedi_i64_min(sum[k], reach[joint_place(e, k, row)]);
        for (uint32_t j = 0; sum[k] > 0 && j < e->kinds; j++) {
            int64_t bound = reach[joint_place(e, j, row)];
            if (j == k || sum[j] <= bound) continue;
            most = skedi_i64_min(most, most_beside(&of, row, k, j, bound));
        }
        e->joint.most[joint_place(e, k, row)] = most;
    }
}

/* Bounds into the columns of the computation; in its shares, for the time
 * being, the least bound of each path. */
static void set_bounds(sked_engine *e, uint32_t partition)
{
    skedi_joint *j = &e->joint;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t to = joint_place(e, k, row);
            j->cap[to] = cap_of(e, row, partition, k);
            j->guarantee[to] = *bound_at(e, e->cell_force, row, partition, k);
            j->kept[to] = *bound_at(e, e->cell_kept, row, partition, k);
            j->share[to] = j->cap[to];
            if (row == 0) continue;
            uint32_t up = (uint32_t)e->rows.parent[row];
            j->share[to] = skedi_i64_min(j->cap[to],
                                         j->share[joint_place(e, k, up)]);
        }
    }
}

/* What a row could have beyond its share, of what nothing wants: what its
 * parent could have beyond its own, and what its family leaves of the parent's
 * share, both within its cap. Uses the column of tops, which nothing needs any
 * more. */
static void find_left(const sked_engine *e, uint32_t k)
{
    const skedi_joint *j = &e->joint;
    size_t root = joint_place(e, k, 0);

    j->top[root] = j->cap[root] - j->share[root];
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = joint_place(e, k, row);
        int64_t left = j->top[at] + j->share[at];
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            left -= j->share[joint_place(e, k, c)];
        }
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            size_t to = joint_place(e, k, c);
            j->top[to] = skedi_i64_min(left, j->cap[to] - j->share[to]);
        }
    }
}

/* What the part that masters may hold is a part of. */
static void find_bases(sked_engine *e, uint32_t partition)
{
    const skedi_joint *j = &e->joint;

    for (uint32_t k = 0; k < e->kinds; k++) {
        find_left(e, k);
        for (uint32_t row = 0; row < e->rows.n; row++) {
            size_t from = joint_place(e, k, row);
            *bound_at(e, e->cell_base, row, partition, k) = j->share[from] +
                                                            j->top[from];
        }
    }
    skedi_partition_stir(e, partition);
}

static void take_answers(sked_engine *e, uint32_t partition)
{
    const skedi_joint *j = &e->joint;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        engine_cell *cell = &e->cells[cell_of(e, row, partition)];
        cell->contended = j->contended[row];
        cell->named = j->named[row];
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t from = joint_place(e, k, row);
            *bound_at(e, e->cell_share, row, partition, k) = j->share[from];
            *bound_at(e, e->cell_part, row, partition, k) = j->part[from];
            *bound_at(e, e->cell_claim, row, partition, k) = j->claim[from];
        }
    }
}

void skedi_shares_renew(sked_engine *e, uint32_t partition)
{
    engine_partition *part = &e->partition[partition];
    const shares_of of = {e, partition};
    skedi_joint *j = &e->joint;

    (void)skedi_joint_ensure(j, &e->hooks.mem, e->rows.n, e->kinds);
    j->first_child = e->rows.first_child;
    j->order = e->rows.order;
    j->fair_kind = e->rows.fair_kind;
    j->weight = e->rows.weight;
    j->capacity = e->capacity + (size_t)partition * e->kinds;
    set_bounds(e, partition);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        if (row_is_leaf(e, row)) most_of_leaf(e, row, partition, j->share);
    }
    j->beside = most_beside;
    j->ctx = &of;
    skedi_joint_compute(j);
    take_answers(e, partition);
    if (e->mastered) find_bases(e, partition);
    part->moved = 0;
    part->fresh = 1;
    for (uint32_t row = e->rows.n; row-- > 1;) {
        skedi_cell_play(e, row, partition);
    }
}

void skedi_shares_refresh(sked_engine *e, uint32_t partition)
{
    const engine_partition *part = &e->partition[partition];

    if (!e->placed || (part->fresh && !part->moved)) return;
    skedi_shares_renew(e, partition);
}
