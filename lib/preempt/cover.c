/*
 * Branch and bound for a covering problem (weighted multiset cover in several
 * kinds). Items are sorted by cost over what they cover, the best first. The
 * search takes as many copies of each item as are of use, goes on to the next,
 * and on its way back takes one copy fewer. A branch is cut when its lower
 * bound is not below the best plan so far; and of items that are alike, a later
 * one is taken only when all copies of the earlier are. Two greedy walks, made
 * minimal, give the first plans, so that there is a good one whenever the work
 * budget runs out.
 */
#include "preempt/cover.h"

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

/* What of kind `i` that queue may still cover. */
static int64_t open_part(const skedi_cover *c, const skedi_item *item,
                         uint32_t i)
{
    if (!c->up_to_take) return INT64_MAX;
    size_t at = (size_t)item->lot->queue * c->scene->in.kinds + c->kind[i];
    return skedi_i64_max(0,
                         skedi_take_of(&c->scene->in, at) - c->book->taken[at]);
}

/* What `copies` more of an item would cover of kind `i`. */
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

/* Copies of `each` that it takes to reach `rest`. */
static int64_t copies_for(int64_t rest, int64_t each)
{
    return (rest - 1) / each + 1;
}

/* Copies of an item until more of it would cover nothing. */
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

/* The same for the walk of others: any kind of the need counts, covered or
 * not, until all is covered or the queue has given its take. */
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

/* Copies that are wanted and allowed. */
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

/* Copies of an item that can be spared with all still covered. */
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
            if (over >= c->book->taken[at]) continue; /* it needs none */
        }
        most = skedi_i64_min(most, over / gift);
    }
    return most;
}

/* Lets go of what can be spared, the worst first. What is needed when its turn
 * comes is needed of fewer, too, so that one pass leaves nothing to spare. */
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

/* Takes the next item's copies, unless no better plan lies that way. */
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
    /* One that is passed over has fewer than it might, for the next one like it. */
    item->most = after_fewer ? 1 : cover_copies_of(c, item, 0);
    choose(c, item, after_fewer ? 0 : item->most);
    return 1;
}

/* One copy fewer of the last item that has any. */
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

/* What costs nothing may still be spare in the best choice. */
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
