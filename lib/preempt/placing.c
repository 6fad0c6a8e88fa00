/*
 * Victims by request. First every claim, in order: each task goes where it
 * fits as it is, or else where the victims cost least. Then, where it is asked
 * for, what is left of each request takes from its own leaf. In the end what
 * turned out to be spare is let go.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "preempt/placing.h"

static uint32_t count_of(const sked_preempt_input *in, uint32_t request)
{
    return in->request_count ? in->request_count[request] : 1;
}

/* How many more tasks may be served in this way. */
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
    return skedi_sketch_place(d, one) ? SKED_OK : SKED_ERR_NOMEM;
}

/* Placements what fits as it is; `*left` is how many tasks remain. */
static sked_status place_in_free(skedi_placing *t, uint32_t *left)
{
    uint32_t places = skedi_placing_places(t, 0);
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && *left > 0 && i < places; i++) {
        uint32_t node = skedi_placing_place(t, i, 0);
        uint32_t fit = skedi_nodes_fit(&t->nodes, node, skedi_placing_asked(t),
                                       *left);
        if (fit > 0) fit = skedi_placing_left(t, node, fit);
        if (fit == 0) continue;
        rc = placement(t, node, fit);
        *left -= fit;
    }
    return rc;
}

/* The victims that were found go, and the task gets its placement. */
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
        if (!skedi_sketch_choose(d, t->pick[i])) return SKED_ERR_NOMEM;
    }
    d->bound += t->bound;
    sked_status rc = placement(t, t->node, 1);
    skedi_placing_stir(t, t->at, elsewhere);
    return rc;
}

/* After victims have gone: where may more tasks fit as it is? */
static sked_status place_beside(skedi_placing *t, uint32_t *left)
{
    if (!t->own->fresh) return place_in_free(t, left);
    uint32_t most = skedi_placing_left(t, t->node, *left);
    uint32_t fit = skedi_nodes_fit(&t->nodes, t->node, skedi_placing_asked(t),
                                   most);
    *left -= fit;
    return fit ? placement(t, t->node, fit) : SKED_OK;
}

/* Serves a request task by task, as far as there are places. */
static sked_status serve_tasks(skedi_placing *t)
{
    uint32_t left = still_open(t);
    sked_status rc = place_in_free(t, &left);

    if (left > 0 && !skedi_placing_recall(t)) return SKED_ERR_NOMEM;
    while (rc == SKED_OK && left > 0) {
        (void)still_open(t); /* what was placed counts for its user */
        rc = skedi_placing_find(t);
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

/* What was done for the request being served, and what its queue and user had
 * been served before. */
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

/* Undoes all that was done for the request since then. */
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

/* Serves all of a gang over nodes, as a claim, or nothing of it. */
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
    t->all_proven = 0; /* other nodes for its first tasks were not tried */
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

/* ---- All of them ---- */

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

/* Lets go of victims that no placement needs. */
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

/* Of any request; 1 at least. */
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
