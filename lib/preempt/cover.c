/*
 * Branch and bound for a covering problem (weighted multiset cover in several
 * kinds). Items are sorted by cost over covered amount, the best item first.
 * The search takes as many useful copies of each item as possible and goes on
 * to the next item. On the way back, the search takes one copy fewer. A branch
 * is cut if its lower bound is not below the best plan. A later item is taken
 * only after all copies of earlier alike items. Two greedy walks, made minimal,
 * give the first plans: a good plan exists whenever the work budget runs out.
 */
#include "preempt/cover.h"

#include <string.h>

#include "base/sort.h"

/*
 * A lower bound of the cost of covering the remaining need. For each kind
 * alone, and for all kinds added up, fractions of tasks cover the rest of the
 * need, the cheapest per unit first. Whole tasks that cover all kinds cost no
 * less than the largest of the sums.
 */

enum { WORTH_MIN = 64 /* fewer items are sorted by comparison */ };

/* The most that one copy can cover of kind `i`. */
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

/* The part that an amount is of the need of kind `i`, in millionths, rounded up
 * or to one more. The part of 0 is 0. */
static uint64_t of_need(const skedi_cover *c, uint32_t i, int64_t amount)
{
    int64_t part = skedi_i64_min(amount, c->need[i]);
    uint64_t rem;

    if (part <= 0) return 0;
    return 1 +
           skedi_muldiv((uint64_t)part, SKED_PPM, (uint64_t)c->need[i], &rem);
}

/* The same for one copy, all kinds together; at least 1. */
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

/* 0 if one lot may replace the other in every respect but place and surplus. */
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

/* Checks that one item may be taken in place of the other. Items of different
 * classes are not alike: other tasks of the class may need the surplus. */
static int items_are_alike(const skedi_cover *c, const skedi_item *a,
                           const skedi_item *b)
{
    return !a->lot->rows && !b->lot->rows && a->lot->class == b->lot->class &&
           a->lot->user_class == b->lot->user_class &&
           compare_alike(c, a, b) == 0;
}

/* The sign of cost over worth of `a` less cost over worth of `b`. */
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
 * Sorts items by cost over `worth`, ties by `exact`. A sort by floats comes
 * first, so the exact order has few items left to move.
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

/* Moves the items into the order of `order`; `order` is then used up. */
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

/* The amount of a kind that the item's queue may still cover in this bound. */
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

/* The amount of the rest that the item's copies cover, as fractions. */
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

/* The amount of all kinds together that the item's queue may still cover. */
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
 * All kinds added up, each in parts of its need. The value of a copy is rounded
 * up and the missing amount is rounded down. The sum therefore asks for no more
 * than every plan gives. The items stand in the order of this price.
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

enum {
    COVER_CHECK = 256 /* searched items between looks at the cancel flag */
};

/* ---- Memory ---- */

static size_t cheap_cells(const skedi_scene *s, uint32_t items)
{
    return (size_t)items * s->in.kinds + 1;
}

int skedi_cover_open(skedi_cover *c, skedi_scene *s, skedi_book *book,
                     uint32_t items)
{
    skedi_mem *mem = &s->hooks.mem;
    size_t n = items + (size_t)1, queues = (size_t)s->in.n_queues + (size_t)1;

    *c = (skedi_cover){
        .scene = s, .book = book, .cap = items, .limit = s->in.work};
    return (c->items = skedi_new(mem, n, sizeof *c->items)) &&
           (c->walk = skedi_new(mem, n, sizeof *c->walk)) &&
           (c->scratch = skedi_new(mem, n, sizeof *c->scratch)) &&
           (c->keyed = skedi_new(mem, n * 2, sizeof *c->keyed)) &&
           (c->cheap = skedi_new(mem, cheap_cells(s, items),
                                 sizeof *c->cheap)) &&
           (c->most = skedi_new(mem, cheap_cells(s, items), sizeof *c->most)) &&
           (c->left = skedi_new(mem, queues, sizeof *c->left)) &&
           (c->stamp = skedi_new(mem, queues, sizeof *c->stamp));
}

void skedi_cover_close(skedi_cover *c)
{
    skedi_mem *mem = &c->scene->hooks.mem;
    size_t n = c->cap + (size_t)1;
    size_t queues = (size_t)c->scene->in.n_queues + (size_t)1;

    skedi_free(mem, c->items, n, sizeof *c->items);
    skedi_free(mem, c->walk, n, sizeof *c->walk);
    skedi_free(mem, c->scratch, n, sizeof *c->scratch);
    skedi_free(mem, c->keyed, n * 2, sizeof *c->keyed);
    skedi_free(mem, c->cheap, cheap_cells(c->scene, c->cap), sizeof *c->cheap);
    skedi_free(mem, c->most, cheap_cells(c->scene, c->cap), sizeof *c->most);
    skedi_free(mem, c->left, queues, sizeof *c->left);
    skedi_free(mem, c->stamp, queues, sizeof *c->stamp);
}

void skedi_cover_start(skedi_cover *c, const int64_t *need)
{
    c->n = c->kinds = 0;
    c->cost = 0;
    for (uint32_t k = 0; k < c->scene->in.kinds; k++) {
        if (need[k] <= 0) continue;
        c->kind[c->kinds] = k;
        c->need[c->kinds] = need[k];
        c->got[c->kinds++] = 0;
    }
}

void skedi_cover_add(skedi_cover *c, skedi_lot *lot, const int64_t *gift,
                     uint32_t rule)
{
    c->items[c->n] = (skedi_item){
        .lot = lot, .gift = gift, .rule = rule, .index = c->n};
    c->n++;
}

/* ---- Taking and giving back ---- */

/* The amount of kind `i` that the item's queue may still cover. */
static int64_t open_part(const skedi_cover *c, const skedi_item *item,
                         uint32_t i)
{
    if (!c->up_to_take) return INT64_MAX;
    size_t at = (size_t)item->lot->queue * c->scene->in.kinds + c->kind[i];
    return skedi_i64_max(0,
                         skedi_take_of(&c->scene->in, at) - c->book->taken[at]);
}

/* The amount of kind `i` that `copies` more of an item would cover. */
static int64_t gain_of(const skedi_cover *c, const skedi_item *item, uint32_t i,
                       uint32_t copies)
{
    return skedi_i64_min(item->gift[c->kind[i]] * copies,
                         open_part(c, item, i));
}

static void choose(skedi_cover *c, skedi_item *item, uint32_t copies)
{
    if (copies == 0) return;
    for (uint32_t i = 0; i < c->kinds; i++) {
        c->got[i] += gain_of(c, item, i, copies);
    }
    skedi_book_take(c->book, item->lot, item->rule, copies);
    item->chosen += copies;
    c->cost += item->lot->cost * copies;
}

static void unchoose(skedi_cover *c, skedi_item *item, uint32_t copies)
{
    if (copies == 0) return;
    skedi_book_give_back(c->book, item->lot, item->rule, copies);
    for (uint32_t i = 0; i < c->kinds; i++) {
        c->got[i] -= gain_of(c, item, i, copies);
    }
    item->chosen -= copies;
    c->cost -= item->lot->cost * copies;
}

const skedi_item *skedi_cover_listed(const skedi_cover *c, uint32_t i)
{
    int over = (c->scene->in.flags & SKED_PREEMPT_FLAG_OVERSHOOT) != 0;

    return &c->items[c->in_order || !over ? c->walk[i] : i];
}

void skedi_cover_undo(skedi_cover *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        unchoose(c, &c->items[i], c->items[i].chosen);
    }
}

static int is_covered(const skedi_cover *c)
{
    for (uint32_t i = 0; i < c->kinds; i++) {
        if (c->got[i] < c->need[i]) return 0;
    }
    return 1;
}

/* The copies of `each` needed to reach `rest`. */
static int64_t copies_for(int64_t rest, int64_t each)
{
    return (rest - 1) / each + 1;
}

/* The copies of an item until a further copy would cover nothing. */
static int64_t useful_copies(const skedi_cover *c, const skedi_item *item)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < c->kinds; i++) {
        int64_t gift = item->gift[c->kind[i]];
        int64_t rest = skedi_i64_min(c->need[i] - c->got[i],
                                     open_part(c, item, i));
        if (gift == 0 || rest <= 0) continue;
        most = skedi_i64_max(most, copies_for(rest, gift));
    }
    return most;
}

/* The same for the walk of other systems: any kind of the need counts, covered
 * or not. The walk ends when all kinds are covered or the queue has given its
 * take. */
static int64_t plain_copies(const skedi_cover *c, const skedi_item *item)
{
    int64_t cover = 0, through = 0;
    int holds = 0;

    for (uint32_t i = 0; i < c->kinds; i++) {
        int64_t gift = item->gift[c->kind[i]];
        int64_t rest = c->need[i] - c->got[i], open = open_part(c, item, i);
        holds |= gift > 0;
        if (rest > 0) {
            int64_t copies = gift ? copies_for(rest, gift) : INT64_MAX;
            cover = skedi_i64_max(cover, copies);
        }
        if (open > 0) {
            int64_t copies = gift ? copies_for(open, gift) : INT64_MAX;
            through = skedi_i64_max(through, copies);
        }
    }
    return holds ? skedi_i64_min(cover, through) : 0;
}

/* The number of copies that are wanted and allowed. */
static uint32_t cover_copies_of(const skedi_cover *c, const skedi_item *item,
                                int all)
{
    int64_t most = all ? plain_copies(c, item) : useful_copies(c, item);

    if (most == 0) return 0;
    uint32_t cap = skedi_book_most(c->book, item->lot, item->rule);
    return most < cap ? (uint32_t)most : cap;
}

/* ---- Walks ---- */

int skedi_cover_walk(skedi_cover *c, const uint32_t *order, int all)
{
    for (uint32_t i = 0; i < c->n && !is_covered(c); i++) {
        skedi_item *item = &c->items[order ? order[i] : i];
        choose(c, item, cover_copies_of(c, item, all));
    }
    return is_covered(c);
}

/* The copies of an item that can be spared with all kinds still covered. */
static int64_t spare_copies(const skedi_cover *c, const skedi_item *item)
{
    int64_t most = item->chosen;

    for (uint32_t i = 0; i < c->kinds; i++) {
        int64_t gift = item->gift[c->kind[i]];
        int64_t over = c->got[i] - c->need[i];
        if (gift == 0) continue;
        if (c->up_to_take) {
            size_t at = (size_t)item->lot->queue * c->scene->in.kinds +
                        c->kind[i];
            int64_t take = skedi_take_of(&c->scene->in, at);
            over += skedi_i64_max(0, c->book->taken[at] - take);
            if (over >= c->book->taken[at]) continue; /* no copy is needed */
        }
        most = skedi_i64_min(most, over / gift);
    }
    return most;
}

/* Lets spare copies go, the worst item first. A copy that is needed at its turn
 * is still needed when fewer copies remain. One pass therefore leaves no spare
 * copy. */
static void let_go(skedi_cover *c)
{
    for (uint32_t i = c->n; i-- > 0;) {
        skedi_item *item = &c->items[i];
        if (item->chosen == 0) continue;
        unchoose(c, item, (uint32_t)spare_copies(c, item));
    }
}

static void keep_best(skedi_cover *c, int in_order)
{
    if (c->cost >= c->best) return;
    c->in_order = in_order;
    c->best = c->cost;
    c->found = 1;
    for (uint32_t i = 0; i < c->n; i++) c->items[i].best = c->items[i].chosen;
}

static void try_walk(skedi_cover *c, const uint32_t *order)
{
    if (skedi_cover_walk(c, order, 0)) {
        let_go(c);
        keep_best(c, order != NULL);
    }
    skedi_cover_undo(c);
}

/* ---- Search ---- */

/* Takes the next item's copies, unless the bound excludes a better plan. */
static int go_deeper(skedi_cover *c, uint32_t *depth)
{
    if (is_covered(c)) {
        keep_best(c, 0);
        return 0;
    }
    if (*depth == c->n) return 0;
    int64_t rest = skedi_cover_bound(c, *depth);
    if (rest < 0 || rest >= c->best - c->cost) return 0;
    skedi_item *item = &c->items[(*depth)++];
    int after_fewer = item->alike && item[-1].chosen < item[-1].most;
    /* A skipped item has fewer copies than possible, so the next alike item is
     * skipped too. */
    item->most = after_fewer ? 1 : cover_copies_of(c, item, 0);
    choose(c, item, after_fewer ? 0 : item->most);
    return 1;
}

/* Takes one copy fewer of the last item with any copy. */
static int go_back(skedi_cover *c, uint32_t *depth)
{
    for (; *depth > 0; (*depth)--) {
        skedi_item *item = &c->items[*depth - 1];
        if (item->chosen == 0) continue;
        unchoose(c, item, 1);
        return 1;
    }
    return 0;
}

static sked_status search(skedi_cover *c)
{
    uint32_t depth = 0, turns = 0;
    sked_status rc = SKED_OK;

    while (c->steps < c->limit && c->best > c->bound) {
        if (++turns % COVER_CHECK == 0) {
            rc = skedi_hooks_check(&c->scene->hooks, c->steps, c->limit);
            if (rc != SKED_OK) break;
        }
        c->steps++;
        if (go_deeper(c, &depth) || go_back(c, &depth)) continue;
        c->proven = 1;
        break;
    }
    c->proven |= c->best <= c->bound;
    skedi_cover_undo(c);
    return rc;
}

/* Lets spare copies of the best choice go. Copies without cost may be spare. */
static void spare_of_best(skedi_cover *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        choose(c, &c->items[i], c->items[i].best);
    }
    let_go(c);
    for (uint32_t i = 0; i < c->n; i++) c->items[i].best = c->items[i].chosen;
    c->best = c->cost;
    skedi_cover_undo(c);
}

sked_status skedi_cover_solve(skedi_cover *c, int64_t best)
{
    c->found = c->proven = 0;
    c->best = best;
    skedi_cover_order(c);
    c->bound = skedi_cover_bound(c, 0);
    c->proven = c->bound < 0 || c->bound >= best;
    if (c->proven) return SKED_OK;
    try_walk(c, c->walk);
    try_walk(c, NULL);
    sked_status rc = search(c);
    if (rc == SKED_OK && c->found) spare_of_best(c);
    return rc;
}
