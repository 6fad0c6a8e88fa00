/*
 * Finds the place where one more task of a request costs least. Every place has
 * a floor, a lower bound of the cost of victims at the place. The place with
 * the least floor is searched first. Another place is searched only if its
 * floor is below the best cost.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "preempt/nodes.h"
#include "preempt/sketch.h"
#include "preempt/surplus.h"

/* Floors of all busy places for alike claims. A floor is a lower bound of the
 * cost of victims at the place. The floor stays a lower bound while lots are
 * taken, until a gang frees resources on other nodes too. */
typedef struct skedi_floors {
    int64_t *at;      /* by place */
    uint32_t request; /* the last alike request */
    uint32_t fresh;   /* 1: the floors are valid */
} skedi_floors;

enum { SKEDI_FLOORS = 32 /* sorts of claims known at once */ };

/* One request in service, and the known facts about its places. */
typedef struct skedi_placing {
    skedi_sketch *draft;
    skedi_nodes nodes;
    uint32_t request;
    uint32_t claim;      /* 1: from other queues; 0: from its leaf */
    uint32_t user_may;   /* the user may have one more task */
    uint32_t *served;    /* by request: tasks until now */
    uint8_t *bound_user; /* by user: has had tasks of others in the leaf
                            preempted, and therefore stays within the user's
                            share */

    skedi_floors floors[SKEDI_FLOORS]; /* the first: of all other requests */
    skedi_floors *own;                 /* of this request */
    uint32_t n_floors;
    uint32_t most_places; /* of any request; 1 at least */
    uint32_t oldest;      /* to be used again next */

    int64_t *picked;    /* by class of the queues: copies in the best choice */
    int64_t *added;     /* likewise: the request's task */
    skedi_chosen *pick; /* the best choice: lots and copies */
    uint32_t n_pick;
    int found;
    uint32_t at; /* place and node of the best choice */
    uint32_t node;
    int64_t best;  /* cost of the best choice */
    int64_t bound; /* no place costs less */

    size_t from;    /* first placement of the request */
    uint32_t *here; /* by node: tasks of the served gang over nodes; NULL: the
                       problem has no gangs over nodes */

    int all_proven;
    int missed; /* a claim was not served */
} skedi_placing;

/* The amounts of one task of the request. */
static inline const int64_t *skedi_placing_asked(const skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    return in->request_amount + (size_t)t->request * in->kinds;
}

/* The draft of a plan, and the writing of the plan for the caller. */

SKEDI_NO_TAIL_PADDING(sked_preempt_result, bound);
SKEDI_NO_TAIL_PADDING(sked_preempt_victim, cost);
SKEDI_NO_TAIL_PADDING(sked_preempt_placement, claim);

static int sketch_choose(skedi_sketch *d, skedi_chosen chosen)
{
    skedi_chosen *last = d->n ? &d->list[d->n - 1] : NULL;

    if (last && last->lot == chosen.lot && last->request == chosen.request &&
        last->rule == chosen.rule) {
        last->copies += chosen.copies;
        return 1;
    }
    if (!skedi_ensure(&d->scene->hooks.mem, (void **)&d->list, &d->cap,
                      d->n + 1, sizeof *d->list)) {
        return 0;
    }
    d->list[d->n++] = chosen;
    return 1;
}

/* Notes copies of a lot, or tasks of a request on a node. 0: no memory. */
static int sketch_place(skedi_sketch *d, sked_preempt_placement placement)
{
    sked_preempt_placement *last = d->n_placements
                                       ? &d->placements[d->n_placements - 1]
                                       : NULL;

    if (last && last->request == placement.request &&
        last->node == placement.node && last->claim == placement.claim) {
        last->count += placement.count;
        return 1;
    }
    if (!skedi_ensure(&d->scene->hooks.mem, (void **)&d->placements,
                      &d->placements_cap, d->n_placements + 1,
                      sizeof *d->placements)) {
        return 0;
    }
    d->placements[d->n_placements++] = placement;
    return 1;
}

sked_status skedi_plan_failed(sked_status rc, sked_error *err)
{
    return skedi_fail_stopped(err, rc);
}

/* The number of rows of a lot in a plan. */
static uint32_t lot_width(const skedi_lot *lot)
{
    return lot->rows ? lot->rows : 1;
}

static void count_rows(const skedi_sketch *d, sked_preempt_result *plan)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < d->n; i++) {
        if (d->list[i].copies == 0) continue;
        rows += lot_width(&d->scene->lots[d->list[i].lot]);
    }
    plan->n_victims = (uint32_t)rows;
    plan->n_placements = (uint32_t)d->n_placements;
}

/* Writes one row of a lot; a gang has a single copy. */
static void write_victim(const skedi_sketch *d, const skedi_chosen *c,
                         uint32_t row, sked_preempt_victim *v)
{
    const sked_preempt_input *in = &d->scene->in;
    const skedi_lot *lot = &d->scene->lots[c->lot];
    uint32_t count = lot->rows ? skedi_row_count(in, row) : c->copies;

    *v = (sked_preempt_victim){.row = row,
                               .count = count,
                               .request = c->request,
                               .reason = c->rule,
                               .cost = skedi_row_cost(in, row) * count};
}

static void write_victims(const skedi_sketch *d, sked_preempt_result *plan)
{
    uint32_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        const skedi_chosen *c = &d->list[i];
        const skedi_lot *lot = &d->scene->lots[c->lot];
        for (uint32_t r = 0; c->copies > 0 && r < lot_width(lot); r++) {
            sked_preempt_victim *v = &plan->victims[n++];
            write_victim(d, c, skedi_lot_row(d->scene, lot, r), v);
            plan->tasks += v->count;
            plan->cost += v->cost;
        }
    }
}

/* Usage after all victims and placements. */
static void write_after(const skedi_sketch *d, sked_preempt_result *plan)
{
    const sked_preempt_input *in = &d->scene->in;

    memcpy(plan->after, in->usage,
           (size_t)in->n_queues * in->kinds * sizeof *plan->after);
    for (size_t i = 0; i < d->n; i++) {
        const skedi_lot *lot = &d->scene->lots[d->list[i].lot];
        int64_t *after = plan->after + (size_t)lot->queue * in->kinds;
        for (uint32_t k = 0; k < in->kinds; k++) {
            after[k] = skedi_amount_sub(after[k],
                                        lot->amount[k] * d->list[i].copies);
        }
    }
    for (size_t i = 0; i < d->n_placements; i++) {
        uint32_t r = d->placements[i].request;
        int64_t *after = plan->after + (size_t)in->request_queue[r] * in->kinds;
        for (uint32_t k = 0; k < in->kinds; k++) {
            int64_t one = in->request_amount[(size_t)r * in->kinds + k];
            after[k] = skedi_amount_add(after[k], one * d->placements[i].count);
        }
    }
}

/* With a need: the amounts that count for the need. With requests: all amounts
 * of the victims. */
static void write_covered(const skedi_sketch *d, sked_preempt_result *plan)
{
    const sked_preempt_input *in = &d->scene->in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t sum = 0;
        for (size_t i = 0; in->n_requests && i < d->n; i++) {
            const skedi_lot *lot = &d->scene->lots[d->list[i].lot];
            sum = skedi_amount_add(sum, lot->amount[k] * d->list[i].copies);
        }
        for (size_t q = 0; !in->n_requests && q < in->n_queues; q++) {
            size_t at = q * in->kinds + k;
            sum = skedi_amount_add(
                sum, skedi_i64_min(d->book.taken[at], skedi_take_of(in, at)));
        }
        plan->covered[k] = in->n_requests ? sum
                                          : skedi_i64_min(sum, in->need[k]);
    }
}

sked_status skedi_sketch_write(skedi_sketch *d, sked_preempt_result *plan,
                               sked_error *err)
{
    count_rows(d, plan);
    if (plan->n_victims > plan->victims_cap ||
        plan->n_placements > plan->placements_cap) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "the plan has more rows");
    }
    plan->tasks = plan->served = 0;
    plan->cost = 0;
    write_victims(d, plan);
    for (size_t i = 0; i < d->n_placements; i++) {
        plan->placements[i] = d->placements[i];
        plan->served += d->placements[i].count;
    }
    if (plan->after) write_after(d, plan);
    if (plan->covered) write_covered(d, plan);
    plan->outcome = d->outcome;
    plan->steps = d->cover.steps;
    plan->bound = d->bound;
    return SKED_OK;
}

/*
 * Victims by need: one search over all lots. If no choice covers the whole
 * need, the plain walk's cover becomes the need, and is covered at least cost.
 */

static void add_lots(skedi_sketch *d, const int64_t *need)
{
    skedi_scene *s = d->scene;

    skedi_cover_start(&d->cover, need);
    for (uint32_t i = 0; i < s->n_lots; i++) {
        skedi_cover_add(&d->cover, &s->lots[i], s->lots[i].amount,
                        SKED_PREEMPT_REASON_OVER);
    }
}

/* The amounts that the walk covers, by kind. The walk must be in force. */
static void covered_by_walk(const skedi_cover *c, int64_t *need)
{
    for (uint32_t k = 0; k < c->scene->in.kinds; k++) need[k] = 0;
    for (uint32_t i = 0; i < c->kinds; i++) {
        need[c->kind[i]] = skedi_i64_min(c->need[i], c->got[i]);
    }
}

static sked_status note_item(skedi_sketch *d, const skedi_item *item,
                             uint32_t copies)
{
    skedi_chosen chosen = {.lot = (uint32_t)(item->lot - d->scene->lots),
                           .copies = copies,
                           .request = SKED_NO_ROW,
                           .rule = item->rule};

    if (copies == 0) return SKED_OK;
    return sketch_choose(d, chosen) ? SKED_OK : SKED_ERR_NOMEM;
}

/* Notes the items in their order; the book then has the copies of the plan. */
static sked_status note_best(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && i < c->n; i++) {
        const skedi_item *item = skedi_cover_listed(c, i);
        skedi_book_take(&d->book, item->lot, item->rule, item->best);
        rc = note_item(d, item, item->best);
    }
    d->bound = c->proven ? c->best : c->bound;
    return rc;
}

static sked_status plan_plain(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    int64_t need[SKED_MAX_KINDS];
    sked_status rc = SKED_OK;

    d->outcome = skedi_cover_walk(c, NULL, 1) ? SKED_PREEMPT_OUTCOME_COVERED
                                              : SKED_PREEMPT_OUTCOME_PARTLY;
    for (uint32_t i = 0; rc == SKED_OK && i < c->n; i++) {
        rc = note_item(d, &c->items[i], c->items[i].chosen);
    }
    covered_by_walk(c, need);
    int64_t cost = c->cost;
    skedi_cover_undo(c);
    add_lots(d, need);
    skedi_cover_order(c);
    d->bound = skedi_i64_min(cost, skedi_cover_bound(c, 0));
    for (size_t i = 0; i < d->n; i++) {
        skedi_book_take(&d->book, &d->scene->lots[d->list[i].lot],
                        d->list[i].rule, d->list[i].copies);
    }
    return rc;
}

static sked_status need_planned(skedi_sketch *d)
{
    skedi_cover *c = &d->cover;
    int64_t need[SKED_MAX_KINDS];

    c->up_to_take = 1;
    add_lots(d, d->scene->in.need);
    if (d->scene->in.flags & SKED_PREEMPT_FLAG_PLAIN) return plan_plain(d);
    sked_status rc = skedi_cover_solve(c, INT64_MAX);
    if (rc != SKED_OK) return rc;
    d->outcome = SKED_PREEMPT_OUTCOME_COVERED;
    if (!c->found) {
        d->outcome = c->proven ? SKED_PREEMPT_OUTCOME_PARTLY
                               : SKED_PREEMPT_OUTCOME_SEARCHED;
        (void)skedi_cover_walk(c, c->walk, 0);
        covered_by_walk(c, need);
        skedi_cover_undo(c);
        add_lots(d, need);
        c->limit = c->steps + d->scene->in.work / 4;
        rc = skedi_cover_solve(c, INT64_MAX);
        if (rc != SKED_OK) return rc;
    }
    return note_best(d);
}

sked_status skedi_plan_need(skedi_sketch *d, sked_error *err)
{
    sked_status rc = need_planned(d);

    return rc == SKED_OK ? rc : skedi_plan_failed(rc, err);
}

enum { PLACE_CHECK = 1024 /* places between two looks at the cancel flag */ };

/* The number of nodes that the request names; 0: any node. */
static uint32_t n_named(const skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    if (!in->place_offset) return 0;
    return in->place_offset[t->request + 1] - in->place_offset[t->request];
}

static uint32_t placing_places(const skedi_placing *t, int busy)
{
    uint32_t named = n_named(t);

    if (named) return named;
    return busy ? t->nodes.n_busy : t->nodes.n;
}

/* A place of the request: a named node, or any node. `busy`: only nodes with
 * lots. */
static uint32_t placing_place(const skedi_placing *t, uint32_t i, int busy)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    if (n_named(t)) return in->place[in->place_offset[t->request] + i];
    return busy ? t->nodes.busy[i] : i;
}

/* The number of tasks, up to `most`, that the node may still take. A gang over
 * nodes has a limit for each node. */
static uint32_t placing_left(const skedi_placing *t, uint32_t node,
                             uint32_t most)
{
    uint32_t most_there = skedi_per_node(&t->draft->scene->in, t->request);

    if (most_there == 0) return most;
    uint32_t left = most_there - t->here[node];
    return left < most ? left : most;
}

/* The rule that lets the request take the lot; 0: none. */
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

/* Fills the search with the lots that may be taken on a node. 0: all lots
 * together are not enough. */
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
    return skedi_i64_max(cost, lot->cost); /* at least one copy goes */
}

/* A lower bound of the cost of freeing `lack` of a kind on a node, as if all
 * tasks on the node might be taken. INT64_MAX: all tasks together are not
 * enough. */
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

/* The floor of a node for one task of `amount`: the largest bound over all
 * kinds. INT64_MAX: all tasks on the node are not enough. */
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

/* Computes the floors of all places, unless the floors are still valid. */
static void find_floors(skedi_placing *t, uint32_t places)
{
    skedi_floors *own = t->own;

    for (uint32_t i = 0; !own->fresh && i < places; i++) {
        own->at[i] = floor_for(t, placing_place(t, i, 1),
                               skedi_placing_asked(t));
    }
    own->fresh = 1;
}

/* Checks that two claims find the same victims everywhere at the same cost. */
static int are_alike(const skedi_placing *t, const skedi_floors *f)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    uint32_t a = f->request, b = t->request;
    size_t bytes = in->kinds * sizeof(int64_t);

    return in->request_queue[a] == in->request_queue[b] &&
           memcmp(in->request_amount + (size_t)a * in->kinds,
                  skedi_placing_asked(t), bytes) == 0;
}

/* Finds floors for the request: the floors of an alike request, or empty
 * floors. 0: no memory. */
static int placing_recall(skedi_placing *t)
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

/* Updates the floors after free resources or lots changed on the node of the
 * `at`-th busy place, and with `elsewhere` on other nodes too. */
static void placing_stir(skedi_placing *t, uint32_t at, int elsewhere)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    uint32_t node = placing_place(t, at, 1);
    int named = n_named(t) > 0;

    for (uint32_t i = 0; i < t->n_floors; i++) {
        skedi_floors *f = &t->floors[i];
        /* A request with named places has its own numbers for places. */
        if (elsewhere || named != (f == t->own && named)) f->fresh = 0;
        if (!f->fresh) continue;
        f->at[at] = floor_for(
            t, node, in->request_amount + (size_t)f->request * in->kinds);
    }
}

/* Notes the choice just found as the best: with `plain` the choice of the walk,
 * otherwise the choice of the search. */
static void keep_pick(skedi_placing *t, uint32_t at, int plain)
{
    const skedi_cover *c = &t->draft->cover;

    t->n_pick = 0;
    t->at = at;
    t->node = placing_place(t, at, 1);
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

    if (!placing_left(t, placing_place(t, at, 1), 1)) return;
    if (!gather_items(t, placing_place(t, at, 1))) return;
    if (skedi_cover_walk(c, NULL, 1)) keep_pick(t, at, 1);
    skedi_cover_undo(c);
}

/* The cost below which victims at a place become the best choice. At a place
 * that the request prefers, the same cost is enough. */
static int64_t cost_below(const skedi_placing *t, uint32_t at)
{
    return t->found && at < t->at ? t->best + 1 : t->best;
}

/* Finds the next place from `at` on that could be better than the best place;
 * `places`: none. This test excludes most places. */
static uint32_t next_worth(const skedi_placing *t, uint32_t at, uint32_t places)
{
    const int64_t *floor = t->own->at;

    while (at < places && floor[at] >= cost_below(t, at)) at++;
    return at;
}

/* Searches one place for victims that are better than the best choice. */
static sked_status try_place(skedi_placing *t, uint32_t at)
{
    skedi_cover *c = &t->draft->cover;
    int64_t below = cost_below(t, at);

    if (t->own->at[at] >= below) return SKED_OK; /* the likely place */
    if (!placing_left(t, placing_place(t, at, 1), 1)) {
        return SKED_OK; /* keep the floor, which other requests share */
    }
    if (!gather_items(t, placing_place(t, at, 1))) {
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

/* The place with the least floor, a good place to begin. */
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
    uint32_t places = placing_places(t, 1);
    sked_status rc = SKED_OK;

    t->found = 0;
    t->best = t->bound = INT64_MAX;
    if (places > 0) {
        rc = plain ? find_first(t, places) : find_cheapest(t, places);
    }
    t->bound = plain ? 0 : skedi_i64_min(t->bound, t->best);
    return rc;
}

/* Checks that the counts of the leaf's protected tasks are no less than before,
 * with the new task and without its victims (preempt.h). Earlier placements
 * count. */
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

/* Finds a place. Inside a leaf, the first attempt takes surplus only, the
 * second attempt protected tasks too. The victims of either attempt go only if
 * the leaf protects no less afterwards. Earlier placements in the leaf may have
 * changed the surplus. */
static sked_status placing_find(skedi_placing *t)
{
    skedi_book *b = &t->draft->book;
    int inside = !t->claim &&
                 t->draft->scene->in.flags & SKED_PREEMPT_FLAG_BY_PRIORITY;

    b->sparing = inside;
    sked_status rc = find_place(t);
    b->sparing = 0;
    if (rc != SKED_OK || !inside) return rc;
    if (t->found && still_protects(t)) return SKED_OK;
    t->own->fresh = 0; /* the floors hold for surplus only */
    rc = find_place(t);
    if (rc == SKED_OK && t->found && !still_protects(t)) t->found = 0;
    t->own->fresh = 0;
    return rc;
}

/*
 * Victims by request. The first pass serves every claim, in order: each task
 * goes to a node with enough free resources, or else to the node with the
 * cheapest victims. The second pass, if requested, lets the rest of each
 * request take from its own leaf. At the end, spare victims are let go.
 */

static uint32_t count_of(const sked_preempt_input *in, uint32_t request)
{
    return in->request_count ? in->request_count[request] : 1;
}

/* The number of tasks that may still be served in the current pass. */
static uint32_t still_open(skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    uint32_t most = count_of(in, t->request) - t->served[t->request];

    if (most == 0) return 0;
    if (t->claim) return skedi_book_claims(&t->draft->book, t->request, most);
    if (!(in->flags & SKED_PREEMPT_FLAG_BY_USER)) return most;
    t->user_may = skedi_book_user_claims(&t->draft->book, t->request, 1);
    if (!t->bound_user[in->request_user[t->request]]) return most;
    return skedi_book_user_claims(&t->draft->book, t->request, most);
}

/* Places tasks on a node where they fit. */
static sked_status placement(skedi_placing *t, uint32_t node, uint32_t count)
{
    skedi_sketch *d = t->draft;
    uint32_t kinds = d->scene->in.kinds;
    int64_t *free = t->nodes.free + (size_t)node * kinds;

    for (uint32_t k = 0; k < kinds; k++) {
        free[k] -= skedi_placing_asked(t)[k] * count;
    }
    skedi_book_serve(&d->book, t->request, t->claim != 0, count);
    t->served[t->request] += count;
    if (t->here) t->here[node] += count;
    sked_preempt_placement one = {
        .request = t->request, .node = node, .count = count, .claim = t->claim};
    return sketch_place(d, one) ? SKED_OK : SKED_ERR_NOMEM;
}

/* Places tasks into free resources; `*left` is the number of remaining tasks.
 */
static sked_status place_in_free(skedi_placing *t, uint32_t *left)
{
    uint32_t places = placing_places(t, 0);
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && *left > 0 && i < places; i++) {
        uint32_t node = placing_place(t, i, 0);
        uint32_t fit = skedi_nodes_fit(&t->nodes, node, skedi_placing_asked(t),
                                       *left);
        if (fit > 0) fit = placing_left(t, node, fit);
        if (fit == 0) continue;
        rc = placement(t, node, fit);
        *left -= fit;
    }
    return rc;
}

/* Takes the victims of the best choice, and places the task. */
static sked_status take_pick(skedi_placing *t)
{
    skedi_sketch *d = t->draft;
    int elsewhere = 0;

    for (uint32_t i = 0; i < t->n_pick; i++) {
        skedi_lot *lot = &d->scene->lots[t->pick[i].lot];
        skedi_book_take(&d->book, lot, t->pick[i].rule, t->pick[i].copies);
        skedi_nodes_free(&t->nodes, lot, t->pick[i].copies);
        elsewhere |= lot->rows != 0;
        if (t->pick[i].rule == SKED_PREEMPT_REASON_USER) {
            t->bound_user[d->scene->in.request_user[t->request]] = 1;
        }
        if (!sketch_choose(d, t->pick[i])) return SKED_ERR_NOMEM;
    }
    d->bound += t->bound;
    sked_status rc = placement(t, t->node, 1);
    placing_stir(t, t->at, elsewhere);
    return rc;
}

/* Places more tasks into free resources after victims have gone. */
static sked_status place_beside(skedi_placing *t, uint32_t *left)
{
    if (!t->own->fresh) return place_in_free(t, left);
    uint32_t most = placing_left(t, t->node, *left);
    uint32_t fit = skedi_nodes_fit(&t->nodes, t->node, skedi_placing_asked(t),
                                   most);
    *left -= fit;
    return fit ? placement(t, t->node, fit) : SKED_OK;
}

/* Serves a request task by task, as long as places are left. */
static sked_status serve_tasks(skedi_placing *t)
{
    uint32_t left = still_open(t);
    sked_status rc = place_in_free(t, &left);

    if (left > 0 && !placing_recall(t)) return SKED_ERR_NOMEM;
    while (rc == SKED_OK && left > 0) {
        (void)still_open(t); /* a placed task counts for its user */
        rc = placing_find(t);
        if (rc != SKED_OK) break;
        if (!t->found) {
            t->missed |= t->claim != 0;
            break;
        }
        rc = take_pick(t);
        left = still_open(t);
        if (rc == SKED_OK && left > 0) rc = place_beside(t, &left);
    }
    return rc;
}

/* ---- Gangs over nodes ---- */

/* The state before the service of a request: the chosen lots, and the amounts
 * served to the request's queue and user. */
typedef struct whole_mark {
    size_t chosen;
    int64_t bound;
    int64_t alike; /* tasks of the request's class */
    int64_t served[SKED_MAX_KINDS], user_served[SKED_MAX_KINDS];
} whole_mark;

/* Copies what the queue and the user of the request were served, to a mark or
 * back. */
static void copy_served(skedi_placing *t, whole_mark *mark, int back)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    skedi_book *b = &t->draft->book;
    const uint32_t *class = t->draft->scene->queue_surplus.of_request;
    size_t bytes = in->kinds * sizeof(int64_t);
    int64_t *queue = b->served +
                     (size_t)in->request_queue[t->request] * in->kinds;

    memcpy(back ? queue : mark->served, back ? mark->served : queue, bytes);
    if (class && back) b->class_served[class[t->request]] = mark->alike;
    if (class) mark->alike = b->class_served[class[t->request]];
    if (!in->request_user || !in->user_usage) return;
    int64_t *user = b->user_served +
                    (size_t)in->request_user[t->request] * in->kinds;
    memcpy(back ? user : mark->user_served, back ? mark->user_served : user,
           bytes);
}

/* No node has tasks of the request any more, as far as `here` says. */
static void forget_nodes(skedi_placing *t)
{
    const skedi_sketch *d = t->draft;

    for (size_t i = t->from; t->here && i < d->n_placements; i++) {
        t->here[d->placements[i].node] = 0;
    }
}

/* Undoes all work for the request since the mark. */
static void undo_whole(skedi_placing *t, whole_mark *mark)
{
    skedi_sketch *d = t->draft;
    uint32_t kinds = d->scene->in.kinds;

    while (d->n > mark->chosen) {
        const skedi_chosen *c = &d->list[--d->n];
        skedi_lot *lot = &d->scene->lots[c->lot];
        skedi_book_give_back(&d->book, lot, c->rule, c->copies);
        skedi_nodes_hold(&t->nodes, lot, c->copies);
    }
    forget_nodes(t);
    while (d->n_placements > t->from) {
        const sked_preempt_placement *p = &d->placements[--d->n_placements];
        int64_t *free = t->nodes.free + (size_t)p->node * kinds;
        for (uint32_t k = 0; k < kinds; k++) {
            free[k] += skedi_placing_asked(t)[k] * p->count;
        }
    }
    copy_served(t, mark, 1);
    d->bound = mark->bound;
    t->served[t->request] = 0;
    for (uint32_t i = 0; i < t->n_floors; i++) t->floors[i].fresh = 0;
}

/* Serves a whole gang over nodes as a claim, or no task of the gang. */
static sked_status serve_whole(skedi_placing *t)
{
    skedi_sketch *d = t->draft;
    uint32_t count = count_of(&d->scene->in, t->request);
    whole_mark mark = {.chosen = d->n, .bound = d->bound};

    if (!t->claim || still_open(t) < count) return SKED_OK;
    copy_served(t, &mark, 0);
    sked_status rc = serve_tasks(t);
    if (rc != SKED_OK || t->served[t->request] == count) return rc;
    undo_whole(t, &mark);
    t->all_proven = 0; /* other nodes for the first tasks were not tried */
    return SKED_OK;
}

static sked_status serve_request(skedi_placing *t)
{
    int whole = skedi_per_node(&t->draft->scene->in, t->request) > 0;

    t->from = t->draft->n_placements;
    sked_status rc = whole ? serve_whole(t) : serve_tasks(t);
    forget_nodes(t);
    return rc;
}

/* ---- All requests ---- */

/* Orders chosen lots by cost, most costly first, then by importance, most
 * important first. */
static int dearer(const void *ctx, uint32_t x, uint32_t y)
{
    const skedi_sketch *d = ctx;
    const skedi_chosen *a = &d->list[x], *b = &d->list[y];
    int64_t cost_a = d->scene->lots[a->lot].cost;
    int64_t cost_b = d->scene->lots[b->lot].cost;

    if (cost_a != cost_b) return cost_a > cost_b ? -1 : 1;
    if (a->lot != b->lot) return a->lot > b->lot ? -1 : 1;
    return x > y ? -1 : 1;
}

/* Gives back victims that no placement needs. */
static sked_status let_spare_go(skedi_placing *t)
{
    skedi_sketch *d = t->draft;
    skedi_mem *mem = &d->scene->hooks.mem;
    size_t n = d->n;
    uint32_t *order = skedi_new(mem, n * 2 + 1, sizeof *order);

    if (!order) return SKED_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    skedi_sort(order, order + n, n, dearer, d);
    for (size_t i = 0; i < n; i++) {
        skedi_chosen *c = &d->list[order[i]];
        skedi_lot *lot = &d->scene->lots[c->lot];
        uint32_t spare = skedi_nodes_spare(&t->nodes, lot, c->copies);
        if (spare == 0) continue;
        skedi_nodes_hold(&t->nodes, lot, spare);
        skedi_book_give_back(&d->book, lot, c->rule, spare);
        c->copies -= spare;
    }
    skedi_free(mem, order, n * 2 + 1, sizeof *order);
    return SKED_OK;
}

static sked_status serve_all(skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;
    int inner = (in->flags & (SKED_PREEMPT_FLAG_BY_USER |
                              SKED_PREEMPT_FLAG_BY_PRIORITY)) != 0;
    sked_status rc = SKED_OK;

    for (uint32_t pass = 0; pass <= (uint32_t)inner; pass++) {
        t->claim = pass == 0;
        for (uint32_t r = 0; rc == SKED_OK && r < in->n_requests; r++) {
            t->request = r;
            rc = serve_request(t);
        }
    }
    if (rc != SKED_OK || (in->flags & SKED_PREEMPT_FLAG_PLAIN)) return rc;
    return let_spare_go(t);
}

/* The most places of any request; at least 1. */
static size_t most_places(const sked_preempt_input *in)
{
    size_t most = in->n_nodes ? (size_t)in->n_nodes : 1;

    for (uint32_t r = 0; in->place_offset && r < in->n_requests; r++) {
        size_t places = in->place_offset[r + 1] - in->place_offset[r];
        if (places > most) most = places;
    }
    return most;
}

sked_status skedi_plan_requests(skedi_sketch *d, sked_error *err)
{
    skedi_scene *s = d->scene;
    skedi_mem *mem = &s->hooks.mem;
    size_t requests = (size_t)s->in.n_requests, rows = s->n_rows + (size_t)1;
    size_t users = (size_t)s->in.n_users + (size_t)1,
           places = most_places(&s->in),
           classes = s->queue_surplus.n + (size_t)1,
           gangs = s->in.request_per_node ? (size_t)s->in.n_nodes : 0;
    skedi_placing t = {.draft = d, .all_proven = 1, .n_floors = 1, .oldest = 1};
    sked_status rc = skedi_nodes_open(&t.nodes, s, err);

    t.served = skedi_new(mem, requests, sizeof *t.served);
    t.pick = skedi_new(mem, rows, sizeof *t.pick);
    t.picked = skedi_new(mem, classes, sizeof *t.picked);
    t.added = skedi_new(mem, classes, sizeof *t.added);
    t.here = gangs ? skedi_new(mem, gangs, sizeof *t.here) : NULL;
    t.bound_user = skedi_new(mem, users, 1);
    t.most_places = (uint32_t)places;
    if (rc == SKED_OK) {
        int ok = t.served && t.pick && t.picked && t.added && t.bound_user &&
                 (!gangs || t.here);
        rc = ok ? serve_all(&t) : SKED_ERR_NOMEM;
        if (rc != SKED_OK) rc = skedi_plan_failed(rc, err);
    }
    d->outcome = !t.missed      ? SKED_PREEMPT_OUTCOME_COVERED
                 : t.all_proven ? SKED_PREEMPT_OUTCOME_PARTLY
                                : SKED_PREEMPT_OUTCOME_SEARCHED;
    skedi_free(mem, t.served, requests, sizeof *t.served);
    skedi_free(mem, t.pick, rows, sizeof *t.pick);
    skedi_free(mem, t.picked, classes, sizeof *t.picked);
    skedi_free(mem, t.added, classes, sizeof *t.added);
    skedi_free(mem, t.here, gangs, sizeof *t.here);
    skedi_free(mem, t.bound_user, users, 1);
    for (uint32_t i = 0; i < SKEDI_FLOORS; i++) {
        skedi_free(mem, t.floors[i].at, places, sizeof *t.floors[i].at);
    }
    skedi_nodes_close(&t.nodes);
    return rc;
}
