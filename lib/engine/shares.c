/*
 * Bounds follow from the tree and a partition's capacity. Shares also follow
 * from the demand of leaves. The first pass after a change of demand brings
 * shares up to date, and a pass that decides nothing does not affect shares.
 */
#include "engine/shares.h"

#include "base/bits.h"
#include "engine/queue.h"
#include "engine/wants.h"

/* ---- Bounds ---- */

static int64_t *shares_bound_at(const sked_engine *e, int64_t *column,
                                uint32_t row, uint32_t partition, uint32_t k)
{
    return &column[cell_of(e, row, partition) * e->kinds + k];
}

/* The cap of a row. The cap of the root is at most the capacity. */
static int64_t shares_cap_of(const sked_engine *e, uint32_t row,
                             uint32_t partition, uint32_t k)
{
    int64_t cap = *shares_bound_at(e, e->cell_limit, row, partition, k);

    if (row > 0) return cap;
    return skedi_i64_min(cap, e->capacity[(size_t)partition * e->kinds + k]);
}

static int64_t shares_bound_of_children(const sked_engine *e, int64_t *column,
                                        uint32_t row, uint32_t partition,
                                        uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t c = e->rows.first_child[row];
         c < e->rows.first_child[row + 1]; c++) {
        sum = skedi_amount_add(sum,
                               *shares_bound_at(e, column, c, partition, k));
    }
    return sum;
}

/* Cuts what children have in one ratio where it adds up to more than their
 * parent has. */
static void shares_cut_family(sked_engine *e, int64_t *column, uint32_t row,
                              uint32_t partition, uint32_t k)
{
    uint32_t from = e->rows.first_child[row], to = e->rows.first_child[row + 1];
    int64_t whole = *shares_bound_at(e, column, row, partition, k);
    skedi_u128 sum = skedi_u128_of(0), rest;

    for (uint32_t c = from; c < to; c++) {
        uint64_t own = (uint64_t)*shares_bound_at(e, column, c, partition, k);
        sum = skedi_u128_add(sum, skedi_u128_of(own));
    }
    if (skedi_u128_cmp(sum, skedi_u128_of((uint64_t)whole)) <= 0) return;
    for (uint32_t c = from; c < to; c++) {
        int64_t *own = shares_bound_at(e, column, c, partition, k);
        skedi_u128 product = skedi_u128_mul((uint64_t)*own, (uint64_t)whole);
        *own = (int64_t)skedi_u128_low(
            skedi_u128_div_wide(product, sum, &rest));
    }
}

/* Guarantees in force: lifted by the children's, cut where they are too many.
 * A kind stays promised whatever a cut leaves of its guarantee. */
static void shares_resolve_force(sked_engine *e, uint32_t partition, uint32_t k)
{
    for (uint32_t row = e->rows.n; row-- > 0;) {
        int64_t own = *shares_bound_at(e, e->cell_promised, row, partition, k);
        int64_t sum = shares_bound_of_children(e, e->cell_force, row, partition,
                                               k);
        own = skedi_i64_min(shares_cap_of(e, row, partition, k),
                            skedi_i64_max(own, sum));
        *shares_bound_at(e, e->cell_force, row, partition, k) = own;
        if (own > 0) e->rows.promised[row] |= UINT32_C(1) << k;
    }
    *shares_bound_at(e, e->cell_force, 0, partition,
                     k) = shares_cap_of(e, 0, partition, k);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        shares_cut_family(e, e->cell_force, row, partition, k);
    }
}

/* Kept amounts: the part of a guarantee that the queue does not lend. */
static void shares_resolve_kept(sked_engine *e, uint32_t partition, uint32_t k)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *lend = skedi_image_amounts(image, SKEDI_AT_LEND, k);

    for (uint32_t row = e->rows.n; row-- > 0;) {
        int64_t own = *shares_bound_at(e, e->cell_promised, row, partition, k);
        int64_t cap = shares_cap_of(e, row, partition, k);
        int64_t lent = lend ? lend[row] : SKED_UNLIMITED;
        own = skedi_i64_min(own, cap);
        own = lent < own ? own - lent : 0;
        own = skedi_i64_max(
            own, shares_bound_of_children(e, e->cell_kept, row, partition, k));
        own = skedi_i64_min(
            own, *shares_bound_at(e, e->cell_force, row, partition, k));
        *shares_bound_at(e, e->cell_kept, row, partition,
                         k) = e->rows.closed[row] ? 0 : own;
        e->lends |= own > 0;
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        shares_cut_family(e, e->cell_kept, row, partition, k);
    }
}

/* A queue of weight 0 holds at most its guarantee in force, in kinds of which a
 * guarantee is said. A queue with no guarantee at all holds nothing. */
static void shares_resolve_weightless(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 1; row < e->rows.n; row++) {
        uint32_t said = e->rows.promised[row];
        if (e->rows.weight[row] > 0) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t own = e->shared ? *shares_bound_at(e, e->cell_force, row,
                                                       partition, k)
                                    : 0;
            int64_t *cap = shares_bound_at(e, e->cell_limit, row, partition, k);
            if (said == 0 || said >> k & 1) *cap = skedi_i64_min(*cap, own);
        }
    }
}

/* Adds up the held amounts of parents from their children. */
static void shares_rebook_parents(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = e->rows.n; row-- > 0;) {
        if (row_is_leaf(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t sum = 0;
            for (uint32_t c = e->rows.first_child[row];
                 c < e->rows.first_child[row + 1]; c++) {
                sum += skedi_i64_max(
                    *shares_bound_at(e, e->cell_booked, c, partition, k),
                    *shares_bound_at(e, e->cell_kept, c, partition, k));
            }
            *shares_bound_at(e, e->cell_booked, row, partition, k) = sum;
        }
    }
}

void skedi_shares_resolve(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) e->rows.promised[row] = 0;
    for (uint32_t k = 0; e->shared && k < e->kinds; k++) {
        shares_resolve_force(e, partition, k);
        shares_resolve_kept(e, partition, k);
    }
    shares_resolve_weightless(e, partition);
    if (e->shared) shares_rebook_parents(e, partition);
    /* What is kept free is kept of what there is. */
    for (uint32_t k = 0; e->lends && k < e->kinds; k++) {
        int64_t *limit = shares_bound_at(e, e->cell_limit, 0, partition, k);
        int64_t kept = *shares_bound_at(e, e->cell_kept, 0, partition, k);
        if (kept > 0) *limit = shares_cap_of(e, 0, partition, k);
    }
}

/* ---- What leaves want ---- */

static size_t shares_joint_place(const sked_engine *e, uint32_t k, uint32_t row)
{
    return (size_t)k * e->rows.n + row;
}

static int64_t shares_amount_of_tasks(int64_t task, int64_t tasks)
{
    int64_t product;
    int fits = skedi_i64_mul(task, tasks, &product) &&
               product <= SKED_AMOUNT_MAX;

    return fits ? product : SKED_UNLIMITED;
}

/* Adds up the amounts of all running and pending tasks of a leaf. */
static void shares_add_up_wants(const sked_engine *e, uint32_t first,
                                int64_t *sum)
{
    for (uint32_t k = 0; k < e->kinds; k++) sum[k] = 0;
    for (uint32_t w = first; w != SKEDI_NONE; w = want_at(e, w)->next) {
        const int64_t *task = engine_row_of(e, &e->shape_task,
                                            want_at(e, w)->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t all = shares_amount_of_tasks(task[k], want_at(e, w)->tasks);
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

static void shares_add_beside(const sked_engine *e, uint32_t first,
                              shares_beside *b)
{
    for (uint32_t w = first; w != SKEDI_NONE; w = want_at(e, w)->next) {
        const int64_t *task = engine_row_of(e, &e->shape_task,
                                            want_at(e, w)->shape);
        uint64_t own = (uint64_t)task[b->k], other = (uint64_t)task[b->j];
        if (other == 0) {
            int64_t all = shares_amount_of_tasks(task[b->k],
                                                 want_at(e, w)->tasks);
            b->free = skedi_amount_add(b->free, all);
        } else if (skedi_cmp_mul(own, b->den, b->num, other) > 0) {
            b->num = own;
            b->den = other;
        }
    }
}

static int64_t shares_within_bound(const shares_beside *b, int64_t bound)
{
    uint64_t rem;

    if (skedi_cmp_mul((uint64_t)bound, b->num, b->den,
                      (uint64_t)SKED_AMOUNT_MAX) > 0) {
        return SKED_UNLIMITED;
    }
    return skedi_amount_add(
        b->free, (int64_t)skedi_muldiv((uint64_t)bound, b->num, b->den, &rem));
}

/* The largest amount of kind `k` within a bound on kind `j`, for a leaf. */
static int64_t shares_most_beside(const sked_engine *e, uint32_t first,
                                  uint32_t k, uint32_t j, int64_t bound)
{
    shares_beside b = {.k = k, .j = j, .den = 1};

    shares_add_beside(e, first, &b);
    return shares_within_bound(&b, bound);
}

/* The least bound of a row's path, kind by kind. */
static void shares_find_reach(const sked_engine *e, uint32_t row,
                              uint32_t partition, int64_t *reach)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        reach[k] = shares_cap_of(e, row, partition, k);
    }
    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        for (uint32_t k = 0; k < e->kinds; k++) {
            reach[k] = skedi_i64_min(reach[k],
                                     shares_cap_of(e, row, partition, k));
        }
    }
}

/* The largest amounts that a leaf's tasks could hold within the bounds of its
 * path, each kind jointly with every other. */
static void shares_most_of_leaf(const sked_engine *e, uint32_t row,
                                uint32_t partition, int64_t *most)
{
    uint32_t first = e->cells[cell_of(e, row, partition)].first_want;
    int64_t sum[SKED_MAX_KINDS], reach[SKED_MAX_KINDS];

    shares_add_up_wants(e, first, sum);
    shares_find_reach(e, row, partition, reach);
    for (uint32_t k = 0; k < e->kinds; k++) {
        most[k] = skedi_i64_min(sum[k], reach[k]);
        for (uint32_t j = 0; sum[k] > 0 && j < e->kinds; j++) {
            if (j == k || sum[j] <= reach[j]) continue;
            most[k] = skedi_i64_min(
                most[k], shares_most_beside(e, first, k, j, reach[j]));
        }
    }
}

/* The profiles of all leaves. */
static void shares_set_profiles(sked_engine *e, uint32_t partition)
{
    skedi_joint *j = &e->joint;
    uint32_t n = 0;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t w = e->cells[cell_of(e, row, partition)].first_want;
        j->first_profile[row] = n;
        if (!row_is_leaf(e, row)) continue;
        for (; w != SKEDI_NONE; w = want_at(e, w)->next) {
            j->profile[n++] = (skedi_joint_profile){
                .task = engine_row_of(e, &e->shape_task, want_at(e, w)->shape),
                .tasks = want_at(e, w)->tasks,
            };
        }
    }
    j->first_profile[e->rows.n] = j->profiles = n;
}

/* Bounds and demand into the columns of the computation. */
static void shares_set_bounds(sked_engine *e, uint32_t partition)
{
    skedi_joint *j = &e->joint;
    int64_t most[SKED_MAX_KINDS];

    for (uint32_t row = 0; row < e->rows.n; row++) {
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t to = shares_joint_place(e, k, row);
            j->cap[to] = shares_cap_of(e, row, partition, k);
            j->guarantee[to] = *shares_bound_at(e, e->cell_force, row,
                                                partition, k);
            j->kept[to] = *shares_bound_at(e, e->cell_kept, row, partition, k);
        }
        if (!row_is_leaf(e, row)) continue;
        shares_most_of_leaf(e, row, partition, most);
        for (uint32_t k = 0; k < e->kinds; k++) {
            j->most[shares_joint_place(e, k, row)] = most[k];
        }
    }
}

/* What a row could have beyond its share, of what nothing wants: what its
 * parent could have beyond its own, and what its family leaves of the parent's
 * share, both within its cap. Uses the column of tops, which nothing needs any
 * more. */
static void shares_find_left(const sked_engine *e, uint32_t k)
{
    const skedi_joint *j = &e->joint;
    size_t root = shares_joint_place(e, k, 0);

    j->top[root] = j->cap[root] - j->share[root];
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = shares_joint_place(e, k, row);
        int64_t left = j->top[at] + j->share[at];
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            left -= j->share[shares_joint_place(e, k, c)];
        }
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            size_t to = shares_joint_place(e, k, c);
            j->top[to] = skedi_i64_min(left, j->cap[to] - j->share[to]);
        }
    }
}

/* The base of `am_share`, for each queue and kind. */
static void shares_find_bases(sked_engine *e, uint32_t partition)
{
    const skedi_joint *j = &e->joint;

    for (uint32_t k = 0; k < e->kinds; k++) {
        shares_find_left(e, k);
        for (uint32_t row = 0; row < e->rows.n; row++) {
            size_t from = shares_joint_place(e, k, row);
            *shares_bound_at(e, e->cell_base, row, partition,
                             k) = j->share[from] + j->top[from];
        }
    }
    skedi_partition_stir(e, partition);
}

/* A parent's demand before its own cap counts. */
static int64_t shares_sum_of_tops(const sked_engine *e, uint32_t row,
                                  uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t c = e->rows.first_child[row];
         c < e->rows.first_child[row + 1]; c++) {
        sum = skedi_amount_add(sum, e->joint.top[shares_joint_place(e, k, c)]);
    }
    return sum;
}

static void shares_take_answers(sked_engine *e, uint32_t partition)
{
    const skedi_joint *j = &e->joint;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        engine_cell *cell = &e->cells[cell_of(e, row, partition)];
        cell->contended = j->contended[row];
        cell->named = j->named[row];
        cell->ever = j->ever[row];
        cell->always = j->always[row];
        cell->stale = 0;
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t from = shares_joint_place(e, k, row);
            *shares_bound_at(e, e->cell_share, row, partition,
                             k) = j->share[from];
            *shares_bound_at(e, e->cell_part, row, partition,
                             k) = j->part[from];
            *shares_bound_at(e, e->cell_claim, row, partition,
                             k) = j->claim[from];
            *shares_bound_at(e, e->cell_peak, row, partition,
                             k) = j->peak[from];
            *shares_bound_at(e, e->cell_most, row, partition,
                             k) = row_is_leaf(e, row)
                                      ? j->most[from]
                                      : shares_sum_of_tops(e, row, k);
        }
    }
    e->partition[partition].first_stale = 0;
}

/* The profile with the amounts of a shape, among those of a leaf. */
static const skedi_joint_profile *
shares_profile_of(const sked_engine *e, uint32_t row, uint32_t shape)
{
    const skedi_joint *j = &e->joint;
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    uint32_t low = j->first_profile[row], high = j->first_profile[row + 1];

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2, k = 0;
        const int64_t *other = j->profile[middle].task;
        while (k < e->kinds && other[k] == task[k]) k++;
        if (k == e->kinds || other[k] < task[k])
            low = middle;
        else
            high = middle;
    }
    return &j->profile[low];
}

/* Records how many tasks of each shape leave the shares unchanged. */
static void shares_take_profiles(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t w = e->cells[cell_of(e, row, partition)].first_want;
        for (; w != SKEDI_NONE; w = want_at(e, w)->next) {
            engine_want *want = want_at(e, w);
            const skedi_joint_profile *p = shares_profile_of(e, row,
                                                             want->shape);
            int free = !p->whole && p->tasks == want->tasks;
            want->made = free ? WANT_FREE : WANT_BINDS;
            want->reached = p->reached;
        }
    }
}

static void shares_compute(sked_engine *e, uint32_t partition)
{
    engine_partition *part = &e->partition[partition];
    skedi_joint *j = &e->joint;

    (void)skedi_joint_ensure(j, &e->hooks.mem, e->rows.n, e->kinds,
                             e->wants.live);
    j->first_child = e->rows.first_child;
    j->order = e->rows.order;
    j->fair_kind = e->rows.fair_kind;
    j->weight = e->rows.weight;
    j->capacity = e->capacity + (size_t)partition * e->kinds;
    shares_set_bounds(e, partition);
    shares_set_profiles(e, partition);
    skedi_joint_compute(j);
    shares_take_answers(e, partition);
    shares_take_profiles(e, partition);
    if (e->mastered) shares_find_bases(e, partition);
    part->moved = 0;
    part->fresh = 1;
    part->filled = (uint32_t)j->filled;
    for (uint32_t row = e->rows.n; row-- > 1;) {
        skedi_cell_play(e, row, partition);
    }
}

/* ---- Changes that change little ---- */

/* Demand of a row in a kind, on its way up. */
typedef struct demand_change {
    sked_engine *e;
    uint32_t partition;
    uint32_t k;
    uint32_t row;
    int64_t was; /* its top */
    int64_t is;
} demand_change;

static int64_t *shares_change_at(const demand_change *d, int64_t *column,
                                 uint32_t row)
{
    return shares_bound_at(d->e, column, row, d->partition, d->k);
}

static const engine_cell *shares_change_cell(const demand_change *d,
                                             uint32_t row)
{
    return &d->e->cells[cell_of(d->e, row, d->partition)];
}

/* Sets the demand of a row. Returns 0 if more than the top changes. */
static int shares_change_top(demand_change *d, int64_t most)
{
    const sked_engine *e = d->e;
    int64_t *own = shares_change_at(d, e->cell_most, d->row);
    int64_t cap = shares_cap_of(e, d->row, d->partition, d->k);
    int64_t kept = *shares_change_at(d, e->cell_kept, d->row);
    int64_t force = *shares_change_at(d, e->cell_force, d->row);

    if (*own >= SKED_AMOUNT_MAX || most >= SKED_AMOUNT_MAX) return 0;
    d->was = skedi_i64_min(*own, cap);
    d->is = skedi_i64_min(most, cap);
    *own = most;
    if (d->was == d->is) return 1;
    return kept <= d->was && kept <= d->is &&
           (d->row == 0 || /* no family compares the guarantee of the root */
            skedi_i64_min(force, d->was) == skedi_i64_min(force, d->is));
}

/* A kind that was contended all the way: shares stay as they are while the
 * top is above all that the row was given. */
static int shares_change_contended(const demand_change *d, uint32_t up)
{
    const sked_engine *e = d->e;
    int64_t peak = *shares_change_at(d, e->cell_peak, d->row);
    int64_t sum = *shares_change_at(d, e->cell_most, up) - d->was + d->is;

    return d->was > peak && d->is > peak &&
           sum > *shares_change_at(d, e->cell_peak, up);
}

/* Updates the claim of a row whose share equals its top. */
static int shares_change_claim(const demand_change *d, uint32_t up)
{
    const sked_engine *e = d->e;
    int64_t *claim = shares_change_at(d, e->cell_claim, d->row);
    size_t at = cell_of(e, d->row, d->partition) * e->kinds;
    int64_t any = 0;

    if (up > 0) {
        return *shares_change_at(d, e->cell_claim, up) == 0 ||
               (*claim < d->was && *claim < d->is);
    }
    for (uint32_t k = 0; k < e->kinds; k++) any |= e->cell_force[at + k];
    if (!any || e->cell_force[at + d->k] > 0) return 1;
    *claim = d->is;
    return row_is_leaf(e, d->row);
}

/* Does the filling compare the children of a row by what they could use? It
 * does so by parts where no kind is contended among them, but in some kind
 * elsewhere. */
static int shares_key_goes_by_top(const demand_change *d, uint32_t up)
{
    int32_t order = d->e->rows.order[up];

    return d->e->partition[d->partition].filled &&
           shares_change_cell(d, up)->always == 0 &&
           (order == SKED_ORDER_POLICY_SHARE ||
            order == SKED_ORDER_POLICY_UTILISATION);
}

/* Handles a kind that was never contended: the share equals the top. */
static int shares_change_plentiful(const demand_change *d, uint32_t up)
{
    sked_engine *e = d->e;
    int64_t sum = *shares_change_at(d, e->cell_most, up) - d->was + d->is;
    int64_t *share = shares_change_at(d, e->cell_share, d->row);

    if (e->mastered || *share != d->was || shares_key_goes_by_top(d, up) ||
        sum > shares_cap_of(e, up, d->partition, d->k) ||
        !shares_change_claim(d, up)) {
        return 0;
    }
    *share = d->is;
    *shares_change_at(d, e->cell_part, d->row) = d->is;
    *shares_change_at(d, e->cell_peak, d->row) = d->is;
    skedi_cell_play(e, d->row, d->partition);
    return 1;
}

/* Applies a change of a leaf's demand. Returns 0 if shares must be computed. */
static int shares_change_demand(demand_change *d, int64_t most)
{
    sked_engine *e = d->e;
    uint32_t bit = UINT32_C(1) << d->k;

    for (;;) {
        if (!shares_change_top(d, most)) return 0;
        if (d->was == d->is) return 1;
        if (d->row == 0) break;
        uint32_t up = (uint32_t)e->rows.parent[d->row];
        const engine_cell *family = shares_change_cell(d, up);
        if (family->always & bit) {
            if (!shares_change_contended(d, up)) return 0;
        } else if (family->ever & bit || !shares_change_plentiful(d, up)) {
            return 0;
        }
        most = *shares_change_at(d, e->cell_most, up) - d->was + d->is;
        d->row = up;
    }
    if (shares_change_cell(d, 0)->ever & bit) return 0;
    *shares_change_at(d, e->cell_share, 0) = d->is;
    *shares_change_at(d, e->cell_part, 0) = d->is;
    *shares_change_at(d, e->cell_peak, 0) = d->is;
    *shares_change_at(d, e->cell_claim, 0) = d->is;
    return 1;
}

/* Applies the demand of a leaf. Returns 0 if shares must be computed. */
static int shares_change_leaf(sked_engine *e, uint32_t row, uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    int64_t most[SKED_MAX_KINDS];

    for (uint32_t w = e->cells[cell].first_want; w != SKEDI_NONE;
         w = want_at(e, w)->next) {
        const engine_want *want = want_at(e, w);
        if (want->made != WANT_FREE || want->tasks < want->reached) {
            return 0;
        }
    }
    shares_most_of_leaf(e, row, partition, most);
    for (uint32_t k = 0; k < e->kinds; k++) {
        demand_change d = {.e = e, .partition = partition, .k = k, .row = row};
        if (most[k] == e->cell_most[cell * e->kinds + k]) continue;
        if (!shares_change_demand(&d, most[k])) return 0;
    }
    return 1;
}

void skedi_shares_renew(sked_engine *e, uint32_t partition)
{
    engine_partition *part = &e->partition[partition];
    int small = part->fresh != 0;

    if (part->fresh && !part->moved) return;
    while (small && part->first_stale) {
        engine_cell *cell = &e->cells[part->first_stale - 1];
        small = shares_change_leaf(e, (part->first_stale - 1) / e->parts,
                                   partition);
        part->first_stale = cell->next_stale;
        cell->stale = 0;
    }
    part->moved = 0;
    if (!small) shares_compute(e, partition);
}

void skedi_shares_refresh(sked_engine *e, uint32_t partition)
{
    if (e->placed) skedi_shares_renew(e, partition);
}
