/*
 * A lower bound of the cost of covering what is still needed. For each kind
 * alone, and for all kinds added up, the rest of the need is covered by
 * fractions of tasks, the cheapest per unit first. Whole tasks that cover all
 * kinds cost no less than the largest of these sums.
 */
#include "preempt/cover.h"

#include <string.h>

#include "base/sort.h"

enum { WORTH_MIN = 64 /* fewer items are put in order by comparing */ };

/* What one copy can cover of kind `i` at most. */
static int64_t most_of(const skedi_cover *c, const skedi_item *item, uint32_t i)
{
    return c->most[(size_t)item->index * c->kinds + i];
}

static void find_most(skedi_cover *c, const skedi_item *item)
{
    const sked_preempt_input *in = &c->scene->in;
    size_t queue = (size_t)item->lot->queue * in->kinds;

    for (uint32_t i = 0; i < c->kinds; i++) {
        uint32_t k = c->kind[i];
        int64_t most = item->gift[k];
        if (c->up_to_take) {
            most = skedi_i64_min(most, skedi_take_of(in, queue + k));
        }
        c->most[(size_t)item->index * c->kinds + i] = most;
    }
}

/* Which part an amount is of the need of kind `i`, in millionths, rounded up or
 * to one more; of 0, 0. */
static uint64_t of_need(const skedi_cover *c, uint32_t i, int64_t amount)
{
    int64_t part = skedi_i64_min(amount, c->need[i]);
    uint64_t rem;

    if (part <= 0) return 0;
    return 1 +
           skedi_muldiv((uint64_t)part, SKED_PPM, (uint64_t)c->need[i], &rem);
}

/* The same for one copy, all kinds together; 1 at least. */
static uint64_t score_of(const skedi_cover *c, const skedi_item *item)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < c->kinds; i++) {
        sum += of_need(c, i, most_of(c, item, i));
    }
    return sum ? sum : 1;
}

static int compare_gifts(const skedi_cover *c, const skedi_item *a,
                         const skedi_item *b)
{
    const sked_preempt_input *in = &c->scene->in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        if (a->gift[k] != b->gift[k]) return a->gift[k] > b->gift[k] ? -1 : 1;
        if (a->lot->amount[k] != b->lot->amount[k]) {
            return a->lot->amount[k] > b->lot->amount[k] ? -1 : 1;
        }
    }
    return 0;
}

/* 0 when one may stand for the other in every respect but its place, and in what
 * is surplus. */
static int compare_owners(const skedi_cover *c, const skedi_lot *a,
                          const skedi_lot *b)
{
    const sked_preempt_input *in = &c->scene->in;

    if (a->queue != b->queue) return a->queue < b->queue ? -1 : 1;
    if (a->user != b->user) return a->user < b->user ? -1 : 1;
    if (in->job_budget && a->job != b->job) return a->job < b->job ? -1 : 1;
    if (a->tasks != b->tasks) return a->tasks < b->tasks ? -1 : 1;
    return (a->marked > b->marked) - (a->marked < b->marked);
}

static int compare_alike(const skedi_cover *c, const skedi_item *a,
                         const skedi_item *b)
{
    if (a->rule != b->rule) return a->rule < b->rule ? -1 : 1;
    if (a->lot->cost != b->lot->cost)
        return a->lot->cost < b->lot->cost ? -1 : 1;
    int gifts = compare_gifts(c, a, b);
    return gifts ? gifts : compare_owners(c, a->lot, b->lot);
}

/* May one be taken wherever the other is? In another class it may not: other tasks
 * of that may need what is surplus of it. */
static int items_are_alike(const skedi_cover *c, const skedi_item *a,
                           const skedi_item *b)
{
    return !a->lot->rows && !b->lot->rows && a->lot->class == b->lot->class &&
           a->lot->user_class == b->lot->user_class &&
           compare_alike(c, a, b) == 0;
}

/* The sign of cost over worth of one, less that of the other. */
static int compare_worth(const skedi_item *a, const skedi_item *b)
{
    return skedi_cmp_mul((uint64_t)a->lot->cost, b->worth,
                         (uint64_t)b->lot->cost, a->worth);
}

static int by_score(const void *ctx, uint32_t x, uint32_t y)
{
    const skedi_cover *c = ctx;
    const skedi_item *a = &c->items[x], *b = &c->items[y];
    int worth = compare_worth(a, b);

    if (worth == 0) worth = compare_alike(c, a, b);
    return worth ? worth : (a->index > b->index) - (a->index < b->index);
}

static int by_price(const void *ctx, uint32_t x, uint32_t y)
{
    const skedi_cover *c = ctx;
    int worth = compare_worth(&c->items[x], &c->items[y]);

    return worth ? worth : x < y ? -1 : 1;
}

/*
 * Sorts items by cost over `worth`, ties by `exact`. Floats put them where they
 * nearly belong, so that the exact order has little left to move.
 */
static void sort_by_worth(skedi_cover *c, uint32_t *items, uint32_t n,
                          skedi_compare exact, const void *ctx)
{
    skedi_keyed *keyed = c->keyed;

    if (n >= WORTH_MIN) {
        for (uint32_t i = 0; i < n; i++) {
            const skedi_item *item = &c->items[items[i]];
            double key = (double)item->lot->cost / (double)item->worth;
            keyed[i].index = items[i];
            memcpy(&keyed[i].key, &key, sizeof key);
        }
        skedi_sort_keys(keyed, keyed + n, n);
        for (uint32_t i = 0; i < n; i++) items[i] = keyed[i].index;
    }
    skedi_sort(items, c->scratch, n, exact, ctx);
}

/* Items change places so that they stand as `order` says; `order` is then
 * used up. */
static void stand_in_order(skedi_cover *c, uint32_t *order)
{
    for (uint32_t i = 0; i < c->n; i++) {
        skedi_item held = c->items[i];
        uint32_t at = i;
        while (order[at] != i) {
            uint32_t from = order[at];
            c->items[at] = c->items[from];
            order[at] = at;
            at = from;
        }
        c->items[at] = held;
        order[at] = at;
    }
}

static void list_cheap(skedi_cover *c, uint32_t i)
{
    uint32_t *cheap = c->cheap + (size_t)i * c->cap, n = 0;

    for (uint32_t at = 0; at < c->n; at++) {
        c->items[at].worth = (uint64_t)most_of(c, &c->items[at], i);
        if (c->items[at].worth > 0) cheap[n++] = at;
    }
    sort_by_worth(c, cheap, n, by_price, c);
    c->n_cheap[i] = n;
}

void skedi_cover_order(skedi_cover *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        c->walk[i] = i;
        find_most(c, &c->items[i]);
        c->items[i].score = score_of(c, &c->items[i]);
        c->items[i].worth = c->items[i].score;
    }
    sort_by_worth(c, c->walk, c->n, by_score, c);
    stand_in_order(c, c->walk);
    for (uint32_t i = 0; i < c->n; i++) {
        skedi_item *item = &c->items[i];
        c->walk[item->index] = i;
        item->alike = i > 0 && items_are_alike(c, item - 1, item);
    }
    for (uint32_t i = 0; i < c->kinds; i++) list_cheap(c, i);
}

/* What of a kind the item's queue may still cover, in this bound. */
static int64_t *left_of(skedi_cover *c, const skedi_item *item, uint32_t kind)
{
    uint32_t q = item->lot->queue;

    if (c->stamp[q] != c->bounds) {
        size_t at = (size_t)q * c->scene->in.kinds + kind;
        int64_t take = skedi_take_of(&c->scene->in, at);
        c->stamp[q] = c->bounds;
        c->left[q] = skedi_i64_max(0, take - c->book->taken[at]);
    }
    return &c->left[q];
}

/* How much of the rest the item's copies cover, as fractions. */
static int64_t part_of_rest(skedi_cover *c, const skedi_item *item, uint32_t i,
                            int64_t rest)
{
    int64_t copies = item->lot->copies - item->lot->taken;
    int64_t part = copies * most_of(c, item, i);

    if (c->up_to_take) {
        int64_t *left = left_of(c, item, c->kind[i]);
        part = skedi_i64_min(part, *left);
        *left -= skedi_i64_min(part, rest);
    }
    return skedi_i64_min(part, rest);
}

static int64_t bound_of_kind(skedi_cover *c, uint32_t i, uint32_t first)
{
    const uint32_t *cheap = c->cheap + (size_t)i * c->cap;
    int64_t rest = c->need[i] - c->got[i], cost = 0;

    c->bounds++;
    for (uint32_t at = 0; rest > 0 && at < c->n_cheap[i]; at++) {
        c->steps++;
        if (cheap[at] < first) continue;
        const skedi_item *item = &c->items[cheap[at]];
        int64_t part = part_of_rest(c, item, i, rest);
        uint64_t left_over;
        rest -= part;
        cost += (int64_t)skedi_muldiv((uint64_t)part, (uint64_t)item->lot->cost,
                                      (uint64_t)most_of(c, item, i),
                                      &left_over);
        if (rest == 0 && left_over > 0) cost++; /* costs are whole */
    }
    return rest > 0 ? -1 : cost;
}

/* What the item's queue may still cover, of all kinds together. */
static int64_t *left_together(skedi_cover *c, const skedi_item *item)
{
    uint32_t q = item->lot->queue;
    size_t at = (size_t)q * c->scene->in.kinds;

    if (c->stamp[q] == c->bounds) return &c->left[q];
    c->stamp[q] = c->bounds;
    c->left[q] = 0;
    for (uint32_t i = 0; i < c->kinds; i++) {
        int64_t take = skedi_take_of(&c->scene->in, at + c->kind[i]);
        int64_t open = take - c->book->taken[at + c->kind[i]];
        c->left[q] += (int64_t)of_need(c, i, open);
    }
    return &c->left[q];
}

/*
 * All kinds added up, each in parts of its need: what a copy counts for is
 * rounded up and what is missing down, so that the sum asks for no more than
 * every plan gives. The items stand in the order of just this price.
 */
static int64_t bound_together(skedi_cover *c, uint32_t first)
{
    int64_t rest = 0, cost = 0;

    for (uint32_t i = 0; i < c->kinds; i++) {
        int64_t open = c->need[i] - c->got[i];
        if (open > 0) rest += (int64_t)of_need(c, i, open) - 1;
    }
    c->bounds++;
    for (uint32_t at = first; rest > 0 && at < c->n; at++) {
        const skedi_item *item = &c->items[at];
        int64_t copies = item->lot->copies - item->lot->taken;
        int64_t part = copies * (int64_t)item->score;
        uint64_t left_over;
        c->steps++;
        if (c->up_to_take) {
            int64_t *left = left_together(c, item);
            part = skedi_i64_min(part, *left);
            *left -= skedi_i64_min(part, rest);
        }
        part = skedi_i64_min(part, rest);
        rest -= part;
        cost += (int64_t)skedi_muldiv((uint64_t)part, (uint64_t)item->lot->cost,
                                      item->score, &left_over);
        if (rest == 0 && left_over > 0) cost++;
    }
    return rest > 0 ? -1 : cost;
}

int64_t skedi_cover_bound(skedi_cover *c, uint32_t first)
{
    int64_t most = c->kinds > 1 ? bound_together(c, first) : 0;

    for (uint32_t i = 0; i < c->kinds && most >= 0; i++) {
        if (c->got[i] >= c->need[i]) continue;
        int64_t cost = bound_of_kind(c, i, first);
        most = cost < 0 ? -1 : skedi_i64_max(most, cost);
    }
    return most;
}
