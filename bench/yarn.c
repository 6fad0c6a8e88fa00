#include "yarn.h"

#include <stdlib.h>
#include <string.h>

/* A child among its siblings. */
typedef struct yarn_child {
    const double *used;
    const double *capacity;
    double weight;
    uint32_t who;
} yarn_child;

static double dominant(const yarn_child *c)
{
    double most = 0;

    for (int k = 0; k < YARN_KINDS; k++) {
        double share = c->used[k] / (c->capacity[k] * c->weight);
        if (share > most) most = share;
    }
    return most;
}

static int by_dominant(const void *a, const void *b)
{
    const yarn_child *x = a, *y = b;
    double m = dominant(x), n = dominant(y);

    if (m != n) return m < n ? -1 : 1;
    return x->who < y->who ? -1 : 1;
}

static uint32_t sort_children(const yarn_world *w, const yarn_queue *q,
                              uint32_t part, yarn_child *order)
{
    for (uint32_t i = 0; i < q->n; i++) {
        const yarn_queue *child = &w->queue[q->first + i];
        order[i] = (yarn_child){child->used[part], w->capacity[part],
                                child->weight, q->first + i};
    }
    qsort(order, q->n, sizeof *order, by_dominant);
    return q->n;
}

/* An application among those of its leaf. */
typedef struct yarn_turn {
    uint64_t submitted;
    uint32_t app;
} yarn_turn;

static int by_submission(const void *a, const void *b)
{
    const yarn_turn *x = a, *y = b;

    return (x->submitted > y->submitted) - (x->submitted < y->submitted);
}

static double *held_by(const yarn_world *w, uint32_t leaf, uint32_t part,
                       uint32_t user)
{
    size_t account = ((size_t)(leaf - w->first_leaf) * YARN_PARTS + part) *
                         YARN_USERS +
                     user;

    return w->held + account * YARN_KINDS;
}

/* Is a user at its limit: the even part of what the leaf uses of its dominant
 * kind, and one unit, but no less than the least part? */
static int user_is_full(const yarn_world *w, uint32_t leaf, uint32_t part,
                        uint32_t user)
{
    const yarn_queue *q = &w->queue[leaf];
    uint32_t active = 0, lead = 0;
    int there[YARN_USERS] = {0};

    for (uint32_t i = 0; i < q->n; i++) {
        const yarn_app *a = &w->app[q->first + i];
        if (a->partition == part && !there[a->user]++) active++;
    }
    for (uint32_t k = 1; k < YARN_KINDS; k++) {
        if (q->used[part][k] / w->capacity[part][k] >
            q->used[part][lead] / w->capacity[part][lead]) {
            lead = k;
        }
    }
    double all = q->used[part][lead] + 1, even = all / active;
    double least = all * w->user_limit;
    double has = held_by(w, leaf, part, user)[lead];
    return has >= even && has >= least;
}

static int app_runs(const yarn_world *w, uint32_t leaf, uint32_t app,
                    uint32_t node)
{
    const yarn_app *a = &w->app[app];
    const double *free = w->free + (size_t)node * YARN_KINDS;

    if (a->partition != node % YARN_PARTS) return 0;
    for (int k = 0; k < YARN_KINDS; k++) {
        if (free[k] < a->task[k]) return 0;
    }
    return !user_is_full(w, leaf, a->partition, a->user);
}

static void start_app(yarn_world *w, uint32_t leaf, uint32_t app, uint32_t node)
{
    const yarn_app *a = &w->app[app];
    double *held = held_by(w, leaf, a->partition, a->user);

    for (int k = 0; k < YARN_KINDS; k++) {
        w->free[(size_t)node * YARN_KINDS + (size_t)k] -= a->task[k];
        held[k] += a->task[k];
        for (uint32_t q = leaf;; q = w->queue[q].parent) {
            w->queue[q].used[a->partition][k] += a->task[k];
            if (q == 0) break;
        }
    }
    if (w->starts) w->starts[w->started] = (yarn_start){app, node};
    w->started++;
}

static int assign_leaf(yarn_world *w, uint32_t leaf, uint32_t node)
{
    const yarn_queue *q = &w->queue[leaf];
    yarn_turn order[YARN_FAN];

    for (uint32_t i = 0; i < q->n; i++) {
        order[i] = (yarn_turn){w->app[q->first + i].submitted, q->first + i};
    }
    qsort(order, q->n, sizeof *order, by_submission);
    for (uint32_t i = 0; i < q->n; i++) {
        if (!app_runs(w, leaf, order[i].app, node)) continue;
        start_app(w, leaf, order[i].app, node);
        return 1;
    }
    return 0;
}

/* As deep as the tree: four levels. */
static int assign_below(yarn_world *w, uint32_t at, uint32_t node)
{
    const yarn_queue *q = &w->queue[at];
    yarn_child order[YARN_FAN];

    if (at >= w->first_leaf) return assign_leaf(w, at, node);
    uint32_t n = sort_children(w, q, node % YARN_PARTS, order);
    for (uint32_t i = 0; i < n; i++) {
        if (assign_below(w, order[i].who, node)) return 1;
    }
    return 0;
}

void yarn_node_event(yarn_world *w, uint32_t node)
{
    while (assign_below(w, 0, node)) continue;
}

void yarn_empty(yarn_world *w, const int64_t *amounts)
{
    uint32_t leaves = w->n_queues - w->first_leaf;

    memset(w->capacity, 0, sizeof w->capacity);
    for (uint32_t n = 0; n < w->n_nodes; n++) {
        for (int k = 0; k < YARN_KINDS; k++) {
            w->free[(size_t)n * YARN_KINDS + (size_t)k] = (double)amounts[k];
            w->capacity[n % YARN_PARTS][k] += (double)amounts[k];
        }
    }
    for (uint32_t q = 0; q < w->n_queues; q++) {
        memset(w->queue[q].used, 0, sizeof w->queue[q].used);
    }
    memset(w->held, 0,
           (size_t)leaves * YARN_PARTS * YARN_USERS * YARN_KINDS *
               sizeof(double));
    w->started = 0;
}
