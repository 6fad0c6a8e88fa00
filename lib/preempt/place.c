/*
 * Finds the place where one more task of a request costs least. Every place has
 * a floor, a lower bound of what victims there cost. The place with the least
 * floor is searched first, and another only if its floor is below the best cost
 * found so far.
 */
#include "preempt/placing.h"
#include "preempt/surplus.h"

#include <string.h>

enum { PLACE_CHECK = 1024 /* places between two looks at the cancel flag */ };

/* How many nodes the request names; 0: it takes any. */
static uint32_t n_named(const skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    if (!in->place_offset) return 0;
    return in->place_offset[t->request + 1] - in->place_offset[t->request];
}

uint32_t skedi_placing_places(const skedi_placing *t, int busy)
{
    uint32_t named = n_named(t);

    if (named) return named;
    return busy ? t->nodes.n_busy : t->nodes.n;
}

uint32_t skedi_placing_place(const skedi_placing *t, uint32_t i, int busy)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    if (n_named(t)) return in->place[in->place_offset[t->request] + i];
    return busy ? t->nodes.busy[i] : i;
}

uint32_t skedi_placing_left(const skedi_placing *t, uint32_t node,
                            uint32_t most)
{
    uint32_t most_there = skedi_per_node(&t->draft->scene->in, t->request);

    if (most_there == 0) return most;
    uint32_t left = most_there - t->here[node];
    return left < most ? left : most;
}

/* The rule by which the request may take the lot; 0: there is none. */
static uint32_t rule_for(const skedi_placing *t, const skedi_lot *lot)
{
    const skedi_scene *s = t->draft->scene;

    if (!t->claim) {
        uint32_t rule = skedi_rule_inside(&s->in, t->request, lot);
        return rule == SKED_PREEMPT_REASON_USER && !t->user_may ? 0 : rule;
    }
    if (lot->queue == s->in.request_queue[t->request]) return 0;
    return s->gives[lot->queue] ? SKED_PREEMPT_REASON_OVER : 0;
}

static int gives_any(const skedi_cover *c, const int64_t *gift)
{
    for (uint32_t i = 0; i < c->kinds; i++) {
        if (gift[c->kind[i]] > 0) return 1;
    }
    return 0;
}

/* Fills the search with what may be taken on a node. 0: it cannot be enough. */
static int gather_items(skedi_placing *t, uint32_t node)
{
    skedi_scene *s = t->draft->scene;
    skedi_cover *c = &t->draft->cover;
    const int64_t *free = t->nodes.free + (size_t)node * s->in.kinds;
    int64_t lack[SKED_MAX_KINDS], sum[SKED_MAX_KINDS] = {0};

    for (uint32_t k = 0; k < s->in.kinds; k++)
        lack[k] = skedi_placing_asked(t)[k] - free[k];
    skedi_cover_start(c, lack);
    for (uint32_t i = t->nodes.first[node]; i < t->nodes.first[node + 1]; i++) {
        const skedi_holding *h = &t->nodes.holding[i];
        skedi_lot *lot = &s->lots[h->lot];
        uint32_t rule = gives_any(c, h->gift) ? rule_for(t, lot) : 0;
        uint32_t left = rule ? skedi_book_most(&t->draft->book, lot, rule) : 0;
        if (left == 0) continue;
        skedi_cover_add(c, lot, h->gift, rule);
        for (uint32_t k = 0; k < c->kinds; k++) {
            sum[k] += h->gift[c->kind[k]] * left;
        }
    }
    for (uint32_t k = 0; k < c->kinds; k++) {
        if (sum[k] < c->need[k]) return 0;
    }
    return 1;
}

/* A lower bound of the cost of freeing `lack` of a kind by copies of a lot. */
static int64_t price_of(const skedi_lot *lot, int64_t gift, int64_t lack)
{
    int64_t part = skedi_i64_min(lack, gift), cost;
    uint64_t rem;
    uint64_t each = skedi_muldiv((uint64_t)lot->cost, (uint64_t)part,
                                 (uint64_t)gift, &rem);

    if (!skedi_i64_mul((int64_t)each, lack / part, &cost)) return INT64_MAX;
    return skedi_i64_max(cost, lot->cost); /* at least one copy is taken */
}

/* A lower bound of the cost of freeing `lack` of a kind on a node, as if all
 * tasks there might be taken; INT64_MAX when all of them are not enough. */
static int64_t floor_of_kind(const skedi_placing *t, uint32_t node, uint32_t k,
                             int64_t lack)
{
    const skedi_scene *s = t->draft->scene;
    int64_t sum = 0, best = INT64_MAX;

    for (uint32_t i = t->nodes.first[node]; i < t->nodes.first[node + 1]; i++) {
        const skedi_holding *h = &t->nodes.holding[i];
        const skedi_lot *lot = &s->lots[h->lot];
        if (h->gift[k] == 0 || lot->copies == lot->taken) continue;
        sum += h->gift[k] * (lot->copies - lot->taken);
        best = skedi_i64_min(best, price_of(lot, h->gift[k], lack));
    }
    return sum < lack ? INT64_MAX : best;
}

/* The floor of a node for one task of `amount`: the largest of the bounds of
 * each kind. INT64_MAX when all tasks there are not enough. */
static int64_t floor_for(const skedi_placing *t, uint32_t node,
                         const int64_t *amount)
{
    const skedi_scene *s = t->draft->scene;
    const int64_t *free = t->nodes.free + (size_t)node * s->in.kinds;
    int64_t most = 0;

    for (uint32_t k = 0; k < s->in.kinds && most < INT64_MAX; k++) {
        int64_t lack = amount[k] - free[k];
        if (lack <= 0) continue;
        most = skedi_i64_max(most, floor_of_kind(t, node, k, lack));
    }
    return most;
}

/* Computes the floors of all places, unless they are still valid. */
static void find_floors(skedi_placing *t, uint32_t places)
{
    skedi_floors *own = t->own;

    for (uint32_t i = 0; !own->fresh && i < places; i++) {
        own->at[i] = floor_for(t, skedi_placing_place(t, i, 1),
                               skedi_placing_asked(t));
    }
    own->fresh = 1;
}

/* Do two claims find the same victims everywhere at the same cost? */
static int are_alike(const skedi_placing *t, const skedi_floors *f)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    uint32_t a = f->request, b = t->request;
    size_t bytes = in->kinds * sizeof(int64_t);

    return in->request_queue[a] == in->request_queue[b] &&
           memcmp(in->request_amount + (size_t)a * in->kinds,
                  skedi_placing_asked(t), bytes) == 0;
}

int skedi_placing_recall(skedi_placing *t)
{
    skedi_mem *mem = &t->draft->scene->hooks.mem;
    uint32_t i = t->claim && n_named(t) == 0;

    while (i > 0 && i < t->n_floors && !are_alike(t, &t->floors[i])) i++;
    if (i == SKEDI_FLOORS) {
        i = t->oldest;
        t->oldest = i + 1 < SKEDI_FLOORS ? i + 1 : 1;
        t->floors[i].fresh = 0;
    }
    t->own = &t->floors[i];
    if (i == 0) t->own->fresh = 0;
    if (i >= t->n_floors) t->n_floors = i + 1;
    t->own->request = t->request;
    if (!t->own->at)
        t->own->at = skedi_new(mem, t->most_places, sizeof(int64_t));
    return t->own->at != NULL;
}

void skedi_placing_stir(skedi_placing *t, uint32_t at, int elsewhere)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    uint32_t node = skedi_placing_place(t, at, 1);
    int named = n_named(t) > 0;

    for (uint32_t i = 0; i < t->n_floors; i++) {
        skedi_floors *f = &t->floors[i];
        /* A request that names its places has its own numbers for them. */
        if (elsewhere || named != (f == t->own && named)) f->fresh = 0;
        if (!f->fresh) continue;
        f->at[at] = floor_for(
            t, node, in->request_amount + (size_t)f->request * in->kinds);
    }
}

/* Notes the choice just found as the best: with `plain` that of the walk, else
 * that of the search. */
static void keep_pick(skedi_placing *t, uint32_t at, int plain)
{
    const skedi_cover *c = &t->draft->cover;

    t->n_pick = 0;
    t->at = at;
    t->node = skedi_placing_place(t, at, 1);
    t->found = 1;
    t->best = plain ? c->cost : c->best;
    for (uint32_t i = 0; i < c->n; i++) {
        const skedi_item *item = plain ? &c->items[i]
                                       : skedi_cover_listed(c, i);
        uint32_t copies = plain ? item->chosen : item->best;
        if (copies == 0) continue;
        t->pick[t->n_pick++] = (skedi_chosen){
            (uint32_t)(item->lot - t->draft->scene->lots), copies, t->request,
            item->rule};
    }
}

/* The first place where the plain walk frees enough. */
static void try_plain(skedi_placing *t, uint32_t at)
{
    skedi_cover *c = &t->draft->cover;

    if (!skedi_placing_left(t, skedi_placing_place(t, at, 1), 1)) return;
    if (!gather_items(t, skedi_placing_place(t, at, 1))) return;
    if (skedi_cover_walk(c, NULL, 1)) keep_pick(t, at, 1);
    skedi_cover_undo(c);
}

/* The cost below which victims at a place are the best so far. Where the
 * request prefers the place, the same cost is enough. */
static int64_t cost_below(const skedi_placing *t, uint32_t at)
{
    return t->found && at < t->at ? t->best + 1 : t->best;
}

/* The next place from `at` on that could be better than the best so far;
 * `places` if there is none. Most places are ruled out here. */
static uint32_t next_worth(const skedi_placing *t, uint32_t at, uint32_t places)
{
    const int64_t *floor = t->own->at;

    while (at < places && floor[at] >= cost_below(t, at)) at++;
    return at;
}

/* Searches one place for victims that are better than the best so far. */
static sked_status try_place(skedi_placing *t, uint32_t at)
{
    skedi_cover *c = &t->draft->cover;
    int64_t below = cost_below(t, at);

    if (t->own->at[at] >= below) return SKED_OK; /* the likely one */
    if (!skedi_placing_left(t, skedi_placing_place(t, at, 1), 1)) {
        return SKED_OK; /* its floor is that of others, too */
    }
    if (!gather_items(t, skedi_placing_place(t, at, 1))) {
        t->own->at[at] = INT64_MAX;
        return SKED_OK;
    }
    sked_status rc = skedi_cover_solve(c, below);
    if (rc != SKED_OK) return rc;
    if (!c->proven) {
        t->all_proven = 0;
        t->bound = skedi_i64_min(t->bound, c->bound);
    }
    int64_t floor = c->proven ? (c->found ? c->best : below) : c->bound;
    if (c->bound < 0) floor = INT64_MAX;
    t->own->at[at] = skedi_i64_max(t->own->at[at], floor);
    if (c->found) keep_pick(t, at, 0);
    return SKED_OK;
}

/* The place with the least floor, a good one to begin with. */
static uint32_t place_likely(const skedi_placing *t, uint32_t places)
{
    const int64_t *floor = t->own->at;
    uint32_t best = 0;

    for (uint32_t i = 1; i < places; i++) {
        if (floor[i] < floor[best]) best = i;
    }
    return best;
}

static sked_status may_go_on(const skedi_placing *t)
{
    const skedi_scene *s = t->draft->scene;

    return skedi_hooks_check(&s->hooks, t->request, s->in.n_requests);
}

/* The first place where the plain walk frees enough. */
static sked_status find_first(skedi_placing *t, uint32_t places)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && !t->found && i < places; i++) {
        if (i % PLACE_CHECK == 0) rc = may_go_on(t);
        if (rc == SKED_OK) try_plain(t, i);
    }
    return rc;
}

/* The place of least cost. */
static sked_status find_cheapest(skedi_placing *t, uint32_t places)
{
    find_floors(t, places);
    sked_status rc = may_go_on(t);
    if (rc == SKED_OK) rc = try_place(t, place_likely(t, places));
    uint32_t i = next_worth(t, 0, places);
    for (uint32_t n = 1; rc == SKED_OK && i < places; n++) {
        if (n % PLACE_CHECK == 0) rc = may_go_on(t);
        if (rc == SKED_OK && (!t->found || i != t->at)) rc = try_place(t, i);
        i = next_worth(t, i + 1, places);
    }
    return rc;
}

static sked_status find_place(skedi_placing *t)
{
    int plain = (t->draft->scene->in.flags & SKED_PREEMPT_FLAG_PLAIN) != 0;
    uint32_t places = skedi_placing_places(t, 1);
    sked_status rc = SKED_OK;

    t->found = 0;
    t->best = t->bound = INT64_MAX;
    if (places > 0) {
        rc = plain ? find_first(t, places) : find_cheapest(t, places);
    }
    t->bound = plain ? 0 : skedi_i64_min(t->bound, t->best);
    return rc;
}

/* With the task that was placed and without its victims, are the counts of the
 * leaf's protected tasks no less than before (preempt.h)? What was placed there
 * before counts. */
static int still_protects(skedi_placing *t)
{
    const skedi_scene *s = t->draft->scene;
    const skedi_book *b = &t->draft->book;
    const skedi_surplus_change change = {b->class_taken, b->class_served,
                                         t->picked, t->added};
    const uint32_t *class = s->queue_surplus.of_request;
    int any = 0;

    for (uint32_t i = 0; i < t->n_pick; i++) {
        any |= t->pick[i].rule == SKED_PREEMPT_REASON_PRIORITY;
        t->picked[s->lots[t->pick[i].lot].class] += t->pick[i].copies;
    }
    t->added[class[t->request]] = 1;
    int ok = !any || skedi_surplus_protects(s, &change,
                                            s->in.request_queue[t->request]);
    t->added[class[t->request]] = 0;
    for (uint32_t i = 0; i < t->n_pick; i++) {
        t->picked[s->lots[t->pick[i].lot].class] = 0;
    }
    return ok;
}

/* Finds a place. Inside a leaf, surplus alone is tried first; then protected
 * tasks too. Either goes only if what is protected does not become less: what
 * was placed in the leaf before may have changed what is. */
sked_status skedi_placing_find(skedi_placing *t)
{
    skedi_book *b = &t->draft->book;
    int inside = !t->claim &&
                 t->draft->scene->in.flags & SKED_PREEMPT_FLAG_BY_PRIORITY;

    b->sparing = inside;
    sked_status rc = find_place(t);
    b->sparing = 0;
    if (rc != SKED_OK || !inside) return rc;
    if (t->found && still_protects(t)) return SKED_OK;
    t->own->fresh = 0; /* they were those of surplus alone */
    rc = find_place(t);
    if (rc == SKED_OK && t->found && !still_protects(t)) t->found = 0;
    t->own->fresh = 0;
    return rc;
}
