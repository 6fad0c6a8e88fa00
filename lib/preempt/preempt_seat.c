/*
 * Victims by request. First every claim, in order: each task goes where it
 * fits as it is, or else where the victims cost least. Then, where it is asked
 * for, what is left of each request takes from its own leaf. In the end what
 * turned out to be spare is let go.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "preempt/preempt_sketch.h"
#include "preempt/preempt_nodes.h"

enum { SEAT_CHECK = 1024 /* places between two looks at the cancel flag */ };

/* One request being served. */
typedef struct seating {
    skedi_sketch *draft;
    skedi_nodes nodes;
    skedi_chosen *pick; /* the best choice so far: lots and copies */
    uint32_t n_pick;
    uint32_t request;
    uint32_t claim; /* 1: from other queues; 0: from its leaf */
    uint32_t node;  /* of the best choice */
    int found;
    int64_t best;        /* its cost */
    int64_t bound;       /* no place costs less */
    uint32_t *served;    /* by request: tasks so far */
    uint8_t *bound_user; /* by user: has had others of the leaf preempted, and
                            so stays within the user's share */
    uint32_t user_may;   /* the request's user may have one more task */
    int all_proven;
    int missed; /* a claim was not served */
} seating;

static const int64_t *asked(const seating *t)
{
    const sked_preempt_problem *in = &t->draft->scene->in;

    return in->request_amount + (size_t)t->request * in->kinds;
}

static uint32_t count_of(const sked_preempt_problem *in, uint32_t request)
{
    return in->request_count ? in->request_count[request] : 1;
}

/* Nodes that the request names; 0: any will do. */
static uint32_t n_named(const seating *t)
{
    const sked_preempt_problem *in = &t->draft->scene->in;

    if (!in->place_offset) return 0;
    return in->place_offset[t->request + 1] - in->place_offset[t->request];
}

/* Places of the request: all nodes, or the busy ones, or those it names. */
static uint32_t n_places(const seating *t, int busy)
{
    if (n_named(t)) return n_named(t);
    return busy ? t->nodes.n_busy : t->nodes.n;
}

static uint32_t place_at(const seating *t, uint32_t i, int busy)
{
    const sked_preempt_problem *in = &t->draft->scene->in;

    if (n_named(t)) return in->place[in->place_offset[t->request] + i];
    return busy ? t->nodes.busy[i] : i;
}

/* How many more tasks may be served in this way. */
static uint32_t still_open(seating *t)
{
    const sked_preempt_problem *in = &t->draft->scene->in;
    uint32_t most = count_of(in, t->request) - t->served[t->request];

    if (most == 0) return 0;
    if (t->claim) return skedi_book_claims(&t->draft->book, t->request, most);
    if (!(in->flags & SKED_PREEMPT_BY_USER)) return most;
    t->user_may = skedi_book_user_claims(&t->draft->book, t->request, 1);
    if (!t->bound_user[in->request_user[t->request]]) return most;
    return skedi_book_user_claims(&t->draft->book, t->request, most);
}

/* Seats tasks on a node that has room for them. */
static sked_status seat(seating *t, uint32_t node, uint32_t count)
{
    skedi_sketch *d = t->draft;
    uint32_t kinds = d->scene->in.kinds;
    int64_t *free = t->nodes.free + (size_t)node * kinds;

    for (uint32_t k = 0; k < kinds; k++) free[k] -= asked(t)[k] * count;
    skedi_book_serve(&d->book, t->request, t->claim != 0, count);
    t->served[t->request] += count;
    sked_preempt_seat one = {
        .request = t->request, .node = node, .count = count, .claim = t->claim};
    return skedi_sketch_seat(d, one) ? SKED_OK : SKED_ERR_NOMEM;
}

/* Seats what fits as it is; `*left` is how many tasks remain. */
static sked_status seat_in_free(seating *t, uint32_t *left)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && *left > 0 && i < n_places(t, 0);
         i++) {
        uint32_t node = place_at(t, i, 0);
        uint32_t fit = skedi_nodes_fit(&t->nodes, node, asked(t), *left);
        if (fit == 0) continue;
        rc = seat(t, node, fit);
        *left -= fit;
    }
    return rc;
}

/* By which rule the request may take the lot; 0: by none. */
static uint32_t rule_for(const seating *t, const skedi_lot *lot)
{
    const skedi_scene *s = t->draft->scene;

    if (!t->claim) {
        uint32_t rule = skedi_rule_inside(&s->in, t->request, lot);
        return rule == SKED_VICTIM_USER && !t->user_may ? 0 : rule;
    }
    if (lot->queue == s->in.request_queue[t->request]) return 0;
    return s->gives[lot->queue] ? SKED_VICTIM_OVER : 0;
}

static int gives_any(const skedi_cover *c, const int64_t *gift)
{
    for (uint32_t i = 0; i < c->kinds; i++) {
        if (gift[c->kind[i]] > 0) return 1;
    }
    return 0;
}

/* Puts what may go on a node into the search; 0 when it cannot be enough. */
static int gather_items(seating *t, uint32_t node)
{
    skedi_scene *s = t->draft->scene;
    skedi_cover *c = &t->draft->cover;
    const int64_t *free = t->nodes.free + (size_t)node * s->in.kinds;
    int64_t lack[SKED_MAX_KINDS], sum[SKED_MAX_KINDS] = {0};

    for (uint32_t k = 0; k < s->in.kinds; k++) lack[k] = asked(t)[k] - free[k];
    skedi_cover_start(c, lack);
    for (uint32_t i = t->nodes.first[node]; i < t->nodes.first[node + 1]; i++) {
        const skedi_holding *h = &t->nodes.holding[i];
        skedi_lot *lot = &s->lots[h->lot];
        uint32_t rule = gives_any(c, h->gift) ? rule_for(t, lot) : 0;
        uint32_t room = rule ? skedi_book_room(&t->draft->book, lot, rule) : 0;
        if (room == 0) continue;
        skedi_cover_add(c, lot, h->gift, rule);
        for (uint32_t k = 0; k < c->kinds; k++) {
            sum[k] += h->gift[c->kind[k]] * room;
        }
    }
    for (uint32_t k = 0; k < c->kinds; k++) {
        if (sum[k] < c->need[k]) return 0;
    }
    return 1;
}

/* Keeps the choice just found; chosen copies when `plain`, else best ones. */
static void keep_pick(seating *t, uint32_t node, int plain)
{
    const skedi_cover *c = &t->draft->cover;

    t->n_pick = 0;
    t->node = node;
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

/* Looks for victims on one node that cost less than the best so far. */
static sked_status try_place(seating *t, uint32_t node)
{
    skedi_cover *c = &t->draft->cover;

    if (!gather_items(t, node)) return SKED_OK;
    if (t->draft->scene->in.flags & SKED_PREEMPT_PLAIN) {
        if (skedi_cover_walk(c, NULL, 1)) keep_pick(t, node, 1);
        skedi_cover_undo(c);
        return SKED_OK;
    }
    sked_status rc = skedi_cover_solve(c, t->best);
    if (rc != SKED_OK) return rc;
    if (!c->proven) {
        t->all_proven = 0;
        t->bound = skedi_i64_min(t->bound, c->bound);
    }
    if (c->found) keep_pick(t, node, 0);
    return SKED_OK;
}

/* The place of least cost for one more task. */
static sked_status find_place(seating *t)
{
    const skedi_scene *s = t->draft->scene;
    int plain = (s->in.flags & SKED_PREEMPT_PLAIN) != 0;
    sked_status rc = SKED_OK;

    t->found = 0;
    t->best = t->bound = INT64_MAX;
    for (uint32_t i = 0; rc == SKED_OK && i < n_places(t, 1); i++) {
        if (i % SEAT_CHECK == 0) {
            rc = skedi_hooks_check(&s->hooks, t->request, s->in.n_requests);
        }
        if (rc == SKED_OK) rc = try_place(t, place_at(t, i, 1));
        if (t->found && (plain || t->best == 0)) break;
    }
    t->bound = plain ? 0 : skedi_i64_min(t->bound, t->best);
    return rc;
}

/* The victims that were found go, and the task gets its seat. */
static sked_status take_pick(seating *t)
{
    skedi_sketch *d = t->draft;

    for (uint32_t i = 0; i < t->n_pick; i++) {
        skedi_lot *lot = &d->scene->lots[t->pick[i].lot];
        skedi_book_take(&d->book, lot, t->pick[i].rule, t->pick[i].copies);
        skedi_nodes_free(&t->nodes, lot, t->pick[i].copies);
        if (t->pick[i].rule == SKED_VICTIM_USER) {
            t->bound_user[d->scene->in.request_user[t->request]] = 1;
        }
        if (!skedi_sketch_choose(d, t->pick[i])) return SKED_ERR_NOMEM;
    }
    d->bound += t->bound;
    return seat(t, t->node, 1);
}

static sked_status serve_request(seating *t)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK) {
        uint32_t open = still_open(t), left = open;
        rc = seat_in_free(t, &left);
        if (rc != SKED_OK || left == 0) break;
        (void)still_open(t); /* what was seated counts for its user */
        rc = find_place(t);
        if (rc != SKED_OK) break;
        if (!t->found) {
            t->missed |= t->claim != 0;
            break;
        }
        rc = take_pick(t);
    }
    return rc;
}

/* Chosen lots, the most costly first, then those that matter most. */
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

/* What all seats can do without is let go. */
static sked_status let_spare_go(seating *t)
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

static sked_status serve_all(seating *t)
{
    const sked_preempt_problem *in = &t->draft->scene->in;
    int inner = (in->flags &
                 (SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY)) != 0;
    sked_status rc = SKED_OK;

    for (uint32_t pass = 0; pass <= (uint32_t)inner; pass++) {
        t->claim = pass == 0;
        for (uint32_t r = 0; rc == SKED_OK && r < in->n_requests; r++) {
            t->request = r;
            rc = serve_request(t);
        }
    }
    if (rc != SKED_OK || (in->flags & SKED_PREEMPT_PLAIN)) return rc;
    return let_spare_go(t);
}

sked_status skedi_plan_requests(skedi_sketch *d, sked_error *err)
{
    skedi_scene *s = d->scene;
    skedi_mem *mem = &s->hooks.mem;
    size_t requests = s->in.n_requests, rows = s->n_rows + (size_t)1;
    size_t users = s->in.n_users + (size_t)1;
    seating t = {.draft = d, .all_proven = 1};
    sked_status rc = skedi_nodes_open(&t.nodes, s, err);

    t.served = skedi_new(mem, requests, sizeof *t.served);
    t.pick = skedi_new(mem, rows, sizeof *t.pick);
    t.bound_user = skedi_new(mem, users, 1);
    if (rc == SKED_OK) {
        rc = t.served && t.pick && t.bound_user ? serve_all(&t)
                                                : SKED_ERR_NOMEM;
        if (rc != SKED_OK) rc = skedi_plan_failed(rc, err);
    }
    d->outcome = !t.missed      ? SKED_PREEMPT_COVERED
                 : t.all_proven ? SKED_PREEMPT_PARTLY
                                : SKED_PREEMPT_SEARCHED;
    skedi_free(mem, t.served, requests, sizeof *t.served);
    skedi_free(mem, t.pick, rows, sizeof *t.pick);
    skedi_free(mem, t.bound_user, users, 1);
    skedi_nodes_close(&t.nodes);
    return rc;
}
