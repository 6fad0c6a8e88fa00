/* Who is next on a node: of all that may run, by the orders. */
#include "ref_engine_forms.h"
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/random.h"
#include "ref_wide.h"

enum { SIBLINGS = 4096 };

int ref_engine_runs_below(const ref_engine *r, const ref_job *job, uint32_t row)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int32_t at = (int32_t)skedi_image_row(image, job->queue);

    while (at > (int32_t)row) at = image->parent[at];
    return at == (int32_t)row;
}

/* Asks that may run on the node, beside those that are marked; how many. */
static size_t mark_open(const ref_engine *r, const ref_books *b, size_t node,
                        uint8_t *may)
{
    int64_t free[REF_KINDS];
    size_t n = 0;

    ref_engine_open_on(r, node, free);
    for (size_t i = 0; i < r->asks; i++) {
        if (!may[i]) may[i] = (uint8_t)ref_engine_may_run(r, b, i, node, free);
        n += may[i];
    }
    return n;
}

/* The child that chance puts first for this start. */
static uint32_t by_chance(const ref_engine *r, const ref_books *b, uint32_t row)
{
    uint32_t best = UINT32_MAX;
    uint64_t least = 0;

    for (uint32_t c = b->image->first_child[row];
         c < b->image->first_child[row + 1]; c++) {
        uint64_t state = r->opts.seed ^ r->started ^
                         (uint64_t)b->partition << 48;
        uint64_t mixed = skedi_random_split(&state) ^ b->image->id[c];
        uint64_t chance = skedi_random_split(&mixed);
        if (!b->open[c] || (best != UINT32_MAX && chance >= least)) continue;
        best = c;
        least = chance;
    }
    return best;
}

static int is_open(const ref_books *b, uint32_t row)
{
    return b->open[row];
}

/* ---- Stage 0: who is below its guarantee ---- */

static uint32_t contended(const ref_engine *r, const ref_books *b, uint32_t up)
{
    const ref_joint *made = &r->shares[b->partition].made;

    return made->image ? made->hot[up] : 0;
}

/* What is guaranteed of a kind and can be used. */
static int64_t owed(const ref_engine *r, const ref_books *b, uint32_t row,
                    uint32_t k)
{
    const ref_joint *made = &r->shares[b->partition].made;
    size_t at = row * r->kinds + k;

    return made->image ? skedi_i64_min(b->bounds.force[at], made->share[at])
                       : 0;
}

/* Does a step put a child of its path into stage 0? All of the step is added to
 * what is booked, whatever is kept below. */
static int owes_step(const ref_engine *r, const ref_books *b, uint32_t child,
                     const ref_ask *a)
{
    const int64_t *share = r->shares[b->partition].made.share;
    uint32_t hot = contended(r, b, (uint32_t)b->image->parent[child]);
    int below = 0;

    for (uint32_t k = 0; k < r->kinds; k++) {
        size_t at = child * r->kinds + k;
        if (!(hot >> k & 1) || a->step[k] == 0) continue;
        if (b->booked[at] + a->step[k] > share[at]) return 0;
        below |= b->booked[at] < owed(r, b, child, k);
    }
    return below;
}

/* floor(2^62 * used / of), or the most there is. */
static ref_wide part_of(int64_t used, int64_t of)
{
    if (used == 0 && of == 0) return ref_wide_of(0);
    if (of == 0) return ref_wide_shift(ref_wide_of(1), 200);
    return ref_wide_div(ref_wide_shift(ref_wide_of((uint64_t)used), 62),
                        ref_wide_of((uint64_t)of));
}

static ref_wide stage_key(const ref_engine *r, const ref_books *b, uint32_t row)
{
    uint32_t hot = contended(r, b, (uint32_t)b->image->parent[row]);
    ref_wide best = part_of(1, 0);

    for (uint32_t k = 0; k < r->kinds; k++) {
        size_t at = row * r->kinds + k;
        if (!(hot >> k & 1) || b->booked[at] >= owed(r, b, row, k)) continue;
        ref_wide x = part_of(b->booked[at], b->bounds.force[at]);
        if (ref_wide_cmp(x, best) < 0) best = x;
    }
    return best;
}

/* The child of `row` on the path of an ask; SIZE_MAX: it is not below. */
static uint32_t child_above(const ref_engine *r, const ref_books *b,
                            uint32_t row, size_t ask)
{
    int32_t at = (int32_t)skedi_image_row(b->image,
                                          r->job[r->ask[ask].job].queue);

    while (at > 0 && b->image->parent[at] != (int32_t)row) {
        at = b->image->parent[at];
    }
    return at > 0 ? (uint32_t)at : UINT32_MAX;
}

/* The child in stage 0 that goes first, of those that are open; then only the
 * steps that put it there may go on. */
static uint32_t first_owed(const ref_engine *r, const ref_books *b,
                           uint32_t row, uint8_t *may)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < r->asks; i++) {
        uint32_t c = may[i] ? child_above(r, b, row, i) : UINT32_MAX;
        if (c == UINT32_MAX || !is_open(b, c)) continue;
        if (!owes_step(r, b, c, &r->ask[i])) continue;
        int order = best == UINT32_MAX ? -1
                                       : ref_wide_cmp(stage_key(r, b, c),
                                                      stage_key(r, b, best));
        if (order < 0 || (order == 0 && c < best)) best = c;
    }
    for (size_t i = 0; best != UINT32_MAX && i < r->asks; i++) {
        may[i] = (uint8_t)(may[i] && child_above(r, b, row, i) == best &&
                           owes_step(r, b, best, &r->ask[i]));
    }
    return best;
}

/* ---- The parent's order ---- */

static uint32_t by_library(ref_engine *r, const ref_books *b, uint32_t row,
                           int32_t order)
{
    const skedi_image *image = b->image;
    uint32_t first = image->first_child[row];
    uint32_t n = image->first_child[row + 1] - first;
    static uint32_t positions[SIBLINGS];
    size_t found;

    if (n > SIBLINGS) abort();
    sked_order_children_input in = {
        .struct_size = sizeof in,
        .order = order,
        .kind = image->fair_kind[row],
        .kinds = r->kinds,
        .n = n,
        .eligible = b->open + first,
        .weight = image->weight + first,
        .usage = b->here + first * r->kinds,
        .capacity = b->capacity,
    };
    if (sked_order_children(&in, NULL, positions, NULL, &found, NULL) !=
            SKED_OK ||
        found == 0) {
        abort();
    }
    return first + positions[0];
}

/* The largest part that is used of what is guaranteed, or of the part of the
 * family's share. */
static ref_wide used_part(const ref_engine *r, const ref_books *b, uint32_t row,
                          int guaranteed)
{
    const ref_joint *made = &r->shares[b->partition].made;
    uint32_t hot = contended(r, b, (uint32_t)b->image->parent[row]);
    const int64_t *of = b->bounds.force + row * r->kinds;
    ref_wide most = ref_wide_of(0);
    uint32_t kinds = 0;

    for (uint32_t k = 0; guaranteed && k < r->kinds; k++) {
        if (of[k] > 0) kinds |= hot & UINT32_C(1) << k;
    }
    if (!kinds) {
        of = made->part + row * r->kinds;
        kinds = hot ? hot : UINT32_MAX;
    }
    for (uint32_t k = 0; k < r->kinds; k++) {
        ref_wide x = part_of(b->here[row * r->kinds + k], of[k]);
        if (kinds >> k & 1 && ref_wide_cmp(x, most) > 0) most = x;
    }
    return most;
}

static uint32_t by_part(ref_engine *r, const ref_books *b, uint32_t row,
                        int guaranteed)
{
    const skedi_image *image = b->image;
    uint32_t best = UINT32_MAX;

    if (!r->shares[b->partition].made.image) {
        return by_library(r, b, row, SKED_ORDER_POLICY_DRF);
    }
    for (uint32_t c = image->first_child[row]; c < image->first_child[row + 1];
         c++) {
        if (!is_open(b, c)) continue;
        if (best == UINT32_MAX ||
            ref_wide_cmp(used_part(r, b, c, guaranteed),
                         used_part(r, b, best, guaranteed)) < 0) {
            best = c;
        }
    }
    return best;
}

/* Of children with unlike priorities only the highest stay open. */
static void keep_highest(ref_books *b, uint32_t row)
{
    const skedi_image *image = b->image;
    int32_t highest = INT32_MIN;

    for (uint32_t c = image->first_child[row]; c < image->first_child[row + 1];
         c++) {
        if (b->open[c] && image->priority[c] > highest) {
            highest = image->priority[c];
        }
    }
    for (uint32_t c = image->first_child[row]; c < image->first_child[row + 1];
         c++) {
        if (image->priority[c] < highest) b->open[c] = 0;
    }
}

static uint32_t first_child_of(ref_engine *r, ref_books *b, uint32_t row,
                               uint8_t *may)
{
    int32_t order = b->image->order[row];

    memset(b->open, 0, b->image->n);
    for (size_t i = 0; i < r->asks; i++) {
        uint32_t c = may[i] ? child_above(r, b, row, i) : UINT32_MAX;
        if (c != UINT32_MAX) b->open[c] = 1;
    }
    if (order == SKED_ORDER_POLICY_PRIORITY) keep_highest(b, row);
    uint32_t child = first_owed(r, b, row, may);
    if (child != UINT32_MAX) return child;
    if (order == SKED_ORDER_POLICY_RANDOM) return by_chance(r, b, row);
    if (order == SKED_ORDER_POLICY_SHARE) return by_part(r, b, row, 0);
    if (order == SKED_ORDER_POLICY_UTILISATION ||
        order == SKED_ORDER_POLICY_PRIORITY) {
        return by_part(r, b, row, 1);
    }
    return by_library(r, b, row, order);
}

static int64_t *rows_of(size_t n, uint32_t kinds)
{
    int64_t *rows = calloc(n * kinds + 1, sizeof *rows);

    if (!rows) abort();
    return rows;
}

static void job_amounts(const ref_engine *r, int64_t *used, int64_t *open)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        for (uint32_t k = 0; g->state != REF_OVER && k < r->kinds; k++) {
            used[a->job * r->kinds + k] += g->amount[k] *
                                           ref_engine_times(r, g);
        }
    }
    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        for (uint32_t k = 0; k < r->kinds; k++) {
            open[a->job * r->kinds + k] += a->task[k] * ref_engine_open(a);
        }
    }
}

/* Jobs of a leaf with asks that `may` has, in its order, of all jobs. */
static void jobs_in_order(const ref_engine *r, const ref_books *b, uint32_t row,
                          const uint8_t *may, uint32_t *index)
{
    size_t n = r->jobs, found;
    int64_t *used = rows_of(n, r->kinds), *open = rows_of(n, r->kinds);
    int64_t *users = rows_of(n, r->kinds), *sent = rows_of(n, 1);
    uint8_t *eligible = calloc(n, 1);
    uint32_t *user = calloc(n, sizeof *user), *weight = calloc(n, 4);
    int32_t *priority = calloc(n, 4);

    if (!eligible || !user || !weight || !priority) abort();
    job_amounts(r, used, open);
    for (size_t i = 0; i < n; i++) {
        const ref_job *job = &r->job[i];
        sent[i] = job->submitted;
        priority[i] = job->priority;
        user[i] = (uint32_t)i; /* each job has its user's usage beside it */
        weight[i] = (uint32_t)ref_engine_user_weight(r, job->user,
                                                     b->image->id[row]);
    }
    for (size_t i = 0; i < r->asks; i++) {
        size_t j = r->ask[i].job;
        if (!may[i] || r->job[j].queue != b->image->id[row]) continue;
        eligible[j] = 1;
        ref_engine_user_used(r, r->job[j].user, r->job[j].queue, b->partition,
                             users + j * r->kinds);
    }
    sked_order_apps_input in = {
        .struct_size = sizeof in,
        .order = b->image->apps[row],
        .kinds = r->kinds,
        .n = (uint32_t)n,
        .users = (uint32_t)n,
        .eligible = eligible,
        .submitted = sent,
        .priority = priority,
        .usage = used,
        .pending = open,
        .user = user,
        .user_usage = users,
        .user_weight = weight,
        .capacity = b->capacity,
    };
    if (sked_order_apps(&in, NULL, index, NULL, &found, NULL) != SKED_OK) {
        abort();
    }
    void *rooms[] = {used, open, users, sent, eligible, user, weight, priority};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
}

/* The job of a leaf whose turn it is, of those with an ask that may run. */
static size_t first_job(const ref_engine *r, const ref_books *b, uint32_t row,
                        const uint8_t *may)
{
    uint32_t *index = calloc(r->jobs, sizeof *index);

    if (!index) abort();
    jobs_in_order(r, b, row, may, index);
    size_t job = index[0];
    free(index);
    return job;
}

size_t ref_engine_pick(ref_engine *r, const size_t *nodes, size_t n)
{
    ref_books b = ref_books_open(r, r->node[nodes[0]].partition);
    uint8_t *may = calloc(r->asks + 1, 1);
    size_t best = SIZE_MAX, open = 0;
    uint32_t row = 0;

    if (!may) abort();
    for (size_t i = 0; i < n; i++) open = mark_open(r, &b, nodes[i], may);
    if (open > 0) {
        while (!skedi_image_is_leaf(b.image, row)) {
            row = first_child_of(r, &b, row, may);
        }
        size_t job = first_job(r, &b, row, may);
        for (size_t i = 0; i < r->asks; i++) {
            if (!may[i] || r->ask[i].job != job) continue;
            if (best == SIZE_MAX ||
                r->ask[i].priority > r->ask[best].priority) {
                best = i;
            }
        }
    }
    ref_books_close(&b);
    free(may);
    return best;
}
