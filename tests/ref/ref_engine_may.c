/* May an ask run on a node? Everything computed anew from what runs. */
#include "ref_engine_forms.h"
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "tree/attr.h"

static int64_t amount_in(const skedi_image *image, uint32_t index, uint32_t k,
                         uint32_t row, int64_t rest)
{
    const int64_t *at = skedi_image_amounts(image, index, k);

    return at ? at[row] : rest;
}

static int64_t part_in(const skedi_image *image, uint32_t index, uint32_t row)
{
    return image->number[index] ? image->number[index][row] : SKED_UNSET;
}

static int64_t ppm_of(int64_t base, int64_t ppm)
{
    uint64_t rem;

    return (int64_t)skedi_muldiv((uint64_t)base, (uint64_t)ppm,
                                 (uint64_t)SKED_PPM, &rem);
}

static void guarantees(const ref_engine *r, ref_books *b, uint32_t row,
                       uint32_t k)
{
    const skedi_image *image = b->image;
    int64_t ppm = part_in(image, SKEDI_AT_GUARANTEE_PPM, row);
    int64_t own = amount_in(image, SKEDI_AT_GUARANTEE, k, row, 0);

    if (row == 0) {
        b->said[k] = ppm == SKED_UNSET ? own : ppm_of(b->capacity[k], ppm);
        return;
    }
    uint32_t up = (uint32_t)image->parent[row];
    int64_t above = up ? b->said[up * r->kinds + k] : b->capacity[k];
    if (ppm != SKED_UNSET) own = ppm_of(above, ppm);
    b->said[row * r->kinds + k] = own;
}

/* The limit in the partition: an amount, or a part of what bounds above. */
static void limits(const ref_engine *r, ref_books *b, uint32_t row, uint32_t k)
{
    const skedi_image *image = b->image;
    int64_t ppm = part_in(image, SKEDI_AT_LIMIT_PPM, row);
    int64_t base = SKED_UNLIMITED, *at = &b->limit[row * r->kinds + k];

    *at = amount_in(image, SKEDI_AT_LIMIT, k, row, SKED_UNLIMITED);
    if (ppm == SKED_UNSET) return;
    for (int32_t up = image->parent[row]; up >= 0 && base == SKED_UNLIMITED;
         up = image->parent[up]) {
        base = b->limit[(uint32_t)up * r->kinds + k];
    }
    *at = ppm_of(skedi_i64_min(base, b->capacity[k]), ppm);
}

static void add_used(const ref_engine *r, ref_books *b)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER) continue;
        const ref_ask *a = &r->ask[g->ask];
        int here = r->node[g->node].partition == b->partition;
        int32_t row = (int32_t)skedi_image_row(b->image, r->job[a->job].queue);
        for (; row >= 0; row = b->image->parent[row]) {
            for (uint32_t k = 0; k < r->kinds; k++) {
                int64_t much = g->amount[k] * ref_engine_times(r, g);
                b->all[(uint32_t)row * r->kinds + k] += much;
                if (here) b->here[(uint32_t)row * r->kinds + k] += much;
            }
        }
    }
}

static void add_masters(const ref_engine *r, ref_books *b)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        if (g->state == REF_OVER || !(a->flags & SKED_ASK_MASTER) ||
            r->node[g->node].partition != b->partition) {
            continue;
        }
        uint32_t row = skedi_image_row(b->image, r->job[a->job].queue);
        for (uint32_t k = 0; k < r->kinds; k++) {
            b->led[row] |= g->amount[k] > 0;
            b->masters[row * r->kinds + k] += g->amount[k] *
                                              ref_engine_times(r, g);
        }
    }
}

/* A parent holds what its children do, each at least what is kept for it. */
static void add_booked(const ref_engine *r, ref_books *b)
{
    for (uint32_t row = b->image->n; row-- > 0;) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            size_t at = row * r->kinds + k;
            if (skedi_image_is_leaf(b->image, row))
                b->booked[at] += b->here[at];
            if (row == 0) continue;
            size_t up = (uint32_t)b->image->parent[row] * r->kinds + k;
            b->booked[up] += skedi_i64_max(b->booked[at], b->bounds.kept[at]);
        }
    }
}

ref_books ref_books_open(const ref_engine *r, uint32_t partition)
{
    ref_books b = {.image = skedi_tree_image(r->tree), .partition = partition};
    size_t n = (size_t)b.image->n * r->kinds;

    b.here = calloc(6 * n, sizeof *b.here);
    b.all = b.here + n;
    b.said = b.all + n;
    b.limit = b.said + n;
    b.booked = b.limit + n;
    b.masters = b.booked + n;
    b.open = calloc(2 * (size_t)b.image->n, 1);
    if (!b.here || !b.open) abort();
    b.led = b.open + b.image->n;
    ref_engine_capacity(r, partition, b.capacity);
    for (uint32_t row = 0; row < b.image->n; row++) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            guarantees(r, &b, row, k);
            limits(r, &b, row, k);
        }
    }
    ref_joint_open(&b.bounds, b.image, r->kinds);
    memcpy(b.bounds.total, b.capacity, sizeof b.capacity);
    b.bounds.said = b.said;
    b.bounds.limit = b.limit;
    ref_joint_bounds(&b.bounds);
    add_used(r, &b);
    add_masters(r, &b);
    add_booked(r, &b);
    return b;
}

void ref_books_close(ref_books *b)
{
    ref_joint_close(&b->bounds);
    free(b->here);
    free(b->open);
}

/* What a step of a leaf makes of what is booked of a queue on its path. */
static void booked_after(const ref_engine *r, const ref_books *b, uint32_t leaf,
                         uint32_t row, const int64_t *step, int64_t *booked)
{
    int64_t delta[REF_KINDS];

    memcpy(delta, step, r->kinds * sizeof *delta);
    for (uint32_t at = leaf;; at = (uint32_t)b->image->parent[at]) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            int64_t had = b->booked[at * r->kinds + k];
            int64_t kept = b->bounds.kept[at * r->kinds + k];
            booked[k] = had + delta[k];
            delta[k] = skedi_i64_max(booked[k], kept) -
                       skedi_i64_max(had, kept);
        }
        if (at == row) return;
    }
}

/* The limit over all partitions together: what is said in amounts. */
static int64_t ceiling_of(const ref_books *b, uint32_t row, uint32_t kind)
{
    const skedi_image *image = b->image;
    int64_t own = amount_in(image, SKEDI_AT_LIMIT, kind, row, SKED_UNLIMITED);
    int64_t borrow = amount_in(image, SKEDI_AT_BORROW, kind, row,
                               SKED_UNLIMITED);

    if (row == 0 || borrow == SKED_UNLIMITED ||
        part_in(image, SKEDI_AT_GUARANTEE_PPM, row) != SKED_UNSET) {
        return own;
    }
    return skedi_i64_min(
        own, borrow + amount_in(image, SKEDI_AT_GUARANTEE, kind, row, 0));
}

/* ---- May it run? ---- */

/* What may be booked of a queue. The root has what its nodes have, whatever
 * they have less by now, unless something is kept of it. */
static int64_t head_of(const ref_engine *r, const ref_books *b, uint32_t row,
                       uint32_t k)
{
    int kept = 0;

    for (uint32_t c = 0; c < b->image->n; c++) {
        kept |= b->bounds.kept[c * r->kinds + k] > 0;
    }
    if (row == 0 && !kept && !ref_engine_pooled(r, k)) return b->limit[k];
    return b->bounds.cap[row * r->kinds + k];
}

/* Would a kind of a step pass a bound of a queue, of which so much would be
 * booked after it? What is booked may be more than there is by now: of that,
 * what is kept for the step itself may still be used. */
static int passes(const ref_engine *r, const ref_books *b, uint32_t row,
                  uint32_t k, int64_t step, int64_t after)
{
    size_t at = row * r->kinds + k;
    int64_t head = head_of(r, b, row, k);

    if (b->here[at] + step > head) return 1;
    if (after > b->booked[at] && after > head) return 1;
    return b->all[at] + step > ceiling_of(b, row, k);
}

static int below_limits(const ref_engine *r, const ref_books *b,
                        const ref_ask *a, const int64_t *step)
{
    const skedi_image *image = b->image;
    uint32_t leaf = skedi_image_row(image, r->job[a->job].queue);

    for (int32_t row = (int32_t)leaf; row >= 0; row = image->parent[row]) {
        uint32_t at = (uint32_t)row;
        int64_t after[REF_KINDS];
        if (image->state[at] == SKED_STATE_DRAINING) return 0;
        booked_after(r, b, leaf, at, step, after);
        for (uint32_t k = 0; k < r->kinds; k++) {
            if (step[k] > 0 && passes(r, b, at, k, step[k], after[k])) {
                return 0;
            }
        }
    }
    return 1;
}

static int64_t rounded_up(int64_t a, uint64_t num, uint64_t den)
{
    uint64_t rem, floor = skedi_muldiv((uint64_t)a, num, den, &rem);

    return (int64_t)(floor + (rem > 0));
}

/* What a queue could have of a kind besides its share. */
static int64_t left_of(const ref_joint *made, uint32_t row, uint32_t k)
{
    const skedi_image *image = made->image;
    size_t at = row * made->kinds + k;
    int64_t own = made->cap[at] - made->share[at];

    if (row == 0) return own;
    uint32_t up = (uint32_t)image->parent[row];
    int64_t left = left_of(made, up, k) + made->share[up * made->kinds + k];
    for (uint32_t c = image->first_child[up]; c < image->first_child[up + 1];
         c++) {
        left -= made->share[c * made->kinds + k];
    }
    return skedi_i64_min(own, left);
}

/* Masters of a leaf hold no more than their part of what it may have. */
static int masters_may(const ref_engine *r, const ref_books *b,
                       const ref_ask *a, const int64_t *step)
{
    uint32_t leaf = skedi_image_row(b->image, r->job[a->job].queue);
    const int64_t *part = b->image->number[SKEDI_AT_AM_SHARE];
    const ref_joint *made = &r->shares[b->partition].made;

    if (!(a->flags & SKED_ASK_MASTER) || !part ||
        part[leaf] == SKED_UNLIMITED || !b->led[leaf] || !made->image) {
        return 1;
    }
    for (uint32_t k = 0; k < r->kinds; k++) {
        size_t at = leaf * r->kinds + k;
        if (step[k] == 0) continue;
        int64_t base = skedi_i64_max(made->share[at] + left_of(made, leaf, k),
                                     0);
        if (b->masters[at] + step[k] >
            rounded_up(base, (uint64_t)part[leaf], (uint64_t)SKED_PPM)) {
            return 0;
        }
    }
    return 1;
}

uint64_t ref_engine_user_weight(const ref_engine *r, uint64_t user,
                                sked_queue_id queue)
{
    int64_t weight = 1;

    for (size_t i = 0; i < r->users; i++) {
        if (r->user[i].key != user || !r->user[i].name[0]) continue;
        if (sked_tree_user_weight(r->tree, queue, r->user[i].name, &weight) !=
            SKED_OK) {
            abort();
        }
    }
    return (uint64_t)weight;
}

void ref_engine_user_used(const ref_engine *r, uint64_t user,
                          sked_queue_id queue, uint32_t partition,
                          int64_t *used)
{
    memset(used, 0, r->kinds * sizeof *used);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        const ref_job *job = &r->job[a->job];
        if (g->state == REF_OVER || job->user != user || job->queue != queue ||
            r->node[g->node].partition != partition) {
            continue;
        }
        for (uint32_t k = 0; k < r->kinds; k++)
            used[k] += g->amount[k] * ref_engine_times(r, g);
    }
}

/* An ask in the lines of a partition. */
int ref_engine_in_line(const ref_engine *r, const ref_ask *a,
                       uint32_t partition)
{
    int out = a->no_node || a->no_limit || a->barred || a->falls ||
              r->job[a->job].barred;

    return !out && !a->forgotten && r->job[a->job].state == REF_RUNS &&
           ref_engine_open(a) > 0 &&
           (a->partition == partition || a->partition == SKED_ANY_PARTITION);
}

/* The weights of the users of a leaf with open asks, each counted once. */
static uint64_t weights_in_line(const ref_engine *r, sked_queue_id queue,
                                uint32_t partition)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->asks; i++) {
        const ref_job *job = &r->job[r->ask[i].job];
        int first = job->queue == queue &&
                    ref_engine_in_line(r, &r->ask[i], partition);
        for (size_t j = 0; first && j < i; j++) {
            const ref_job *other = &r->job[r->ask[j].job];
            first = other->queue != queue || other->user != job->user ||
                    !ref_engine_in_line(r, &r->ask[j], partition);
        }
        if (first) sum += ref_engine_user_weight(r, job->user, queue);
    }
    return sum;
}

/* What the user of a job may hold of a kind, the one its leaf uses most of. */
static int64_t user_limit(const ref_engine *r, const ref_books *b,
                          const ref_job *job, uint32_t *kind)
{
    uint32_t row = skedi_image_row(b->image, job->queue), lead = 0;
    int64_t most = SKED_UNLIMITED;
    int64_t limit = skedi_image_effective(
        b->image, SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT, row);
    int64_t factor = skedi_image_effective(
        b->image, SKED_QUEUE_USER_FACTOR - SKED_QUEUE_WEIGHT, row);
    uint64_t weights = weights_in_line(r, job->queue, b->partition);
    const int64_t *used = b->here + row * r->kinds;

    for (uint32_t k = 1; k < r->kinds; k++) {
        uint64_t x = (uint64_t)used[k], y = (uint64_t)used[lead];
        int more = y == 0 ? x > 0
                          : x > 0 &&
                                skedi_cmp_mul(x, (uint64_t)b->capacity[lead], y,
                                              (uint64_t)b->capacity[k]) > 0;
        if (more) lead = k;
    }
    *kind = lead;
    int64_t said = b->said[row * r->kinds + lead];
    if (factor != SKED_UNLIMITED && said > 0 &&
        skedi_cmp_mul((uint64_t)said, (uint64_t)factor,
                      (uint64_t)SKED_AMOUNT_MAX, (uint64_t)SKED_PPM) <= 0) {
        most = rounded_up(said, (uint64_t)factor, (uint64_t)SKED_PPM);
    }
    if (limit >= SKED_PPM || weights == 0) return most;
    int64_t base = skedi_i64_max(used[lead] + 1, said);
    int64_t part = rounded_up(
        base, ref_engine_user_weight(r, job->user, job->queue), weights);
    int64_t least = rounded_up(base, (uint64_t)limit, (uint64_t)SKED_PPM);
    return skedi_i64_min(most, skedi_i64_max(part, least));
}

static int user_may(const ref_engine *r, const ref_books *b, const ref_job *job)
{
    int64_t own[REF_KINDS];
    uint32_t kind;
    int64_t limit = user_limit(r, b, job, &kind);

    if (limit == SKED_UNLIMITED) return 1;
    ref_engine_user_used(r, job->user, job->queue, b->partition, own);
    return own[kind] < limit;
}

int ref_engine_lets(const ref_engine *r, size_t ask, size_t node)
{
    if (ref_engine_alone(&r->ask[ask]) && !ref_engine_is_empty(r, node)) {
        return 0;
    }
    return ref_engine_takes(r, ask, node) &&
           !ref_engine_refused(r, ask, node) &&
           ref_engine_place_is_right(r, &r->ask[ask], &r->node[node]);
}

int ref_engine_may_come(const ref_engine *r, size_t ask, size_t node)
{
    const ref_node *n = &r->node[node];
    ref_ask old = r->ask[ask];

    if (n->gone || n->drains || n->barred) return 0;
    if (!ref_engine_takes(r, ask, node) || ref_engine_refused(r, ask, node)) {
        return 0;
    }
    old.since = r->now + 1; /* the longest wait that there is */
    return ref_engine_place_is_right(r, &old, n);
}

int ref_engine_bounds_hold(const ref_engine *r, size_t ask, uint32_t partition,
                           const int64_t *amounts)
{
    const ref_ask *a = &r->ask[ask];
    ref_books b = ref_books_open(r, partition);
    int hold = below_limits(r, &b, a, amounts) &&
               ref_engine_trees_hold(r, a, amounts) &&
               masters_may(r, &b, a, amounts);

    ref_books_close(&b);
    return hold;
}

int ref_engine_may_run(const ref_engine *r, const ref_books *b, size_t ask,
                       size_t node, const int64_t *free)
{
    const ref_ask *a = &r->ask[ask];

    if (!ref_engine_in_line(r, a, b->partition)) return 0;
    const int64_t *least = a->per_node ? a->task : a->step;
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (least[k] > 0 && least[k] > free[k]) return 0;
    }
    uint32_t leaf = skedi_image_row(b->image, r->job[a->job].queue);
    int64_t all[REF_KINDS];
    const int64_t *step = ref_engine_step(r, ask, node, b->partition, all);
    return ref_engine_rate_may(r, b->image, leaf) &&
           below_limits(r, b, a, step) && ref_engine_trees_hold(r, a, step) &&
           user_may(r, b, &r->job[a->job]) && masters_may(r, b, a, step) &&
           ref_engine_lets(r, ask, node) &&
           (ref_engine_lacks(a) == 0 ? ref_engine_grows_on(r, ask, node)
            : r->opts.form_nodes > 0 ? !a->passed
                                     : ref_engine_forms(r, ask, b->partition));
}
