/* Dominant resource fairness: standings, levels, picks, and over a tree. */
#define _POSIX_C_SOURCE 200809L
#include <sched/drf_arrays.h>
#include <sched/hdrf.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MAX_PICKS = 100000 };

typedef struct users {
    sked_drf_input rows;
    uint32_t *weight;
    int64_t *most;
    int64_t *pool;
} users;

static users users_of(vec_case *c)
{
    users u = {{.struct_size = sizeof u.rows}, NULL, NULL, NULL};
    size_t n, kinds, m;
    const int64_t *weight = vec_numbers(c, "weight", &n);
    const int64_t *most = vec_numbers(c, "most", &n);

    u.rows.n = (uint32_t)n;
    u.rows.capacity = vec_numbers(c, "capacity", &kinds);
    u.rows.kinds = (uint32_t)kinds;
    u.rows.demand = vec_numbers(c, "demand", &m);
    u.rows.least = vec_numbers(c, "least", &m);
    u.weight = vec_room(n, sizeof *u.weight);
    u.most = vec_room(n, sizeof *u.most);
    for (size_t i = 0; i < n; i++) {
        u.weight[i] = (uint32_t)weight[i];
        u.most[i] = most[i] < 0 ? SKED_UNLIMITED : most[i];
    }
    u.rows.weight = u.weight;
    u.rows.most = u.most;
    u.pool = vec_room(kinds, sizeof *u.pool);
    memcpy(u.pool, u.rows.capacity, kinds * sizeof *u.pool);
    return u;
}

static void users_free(users *u)
{
    free(u->weight);
    free(u->most);
    free(u->pool);
}

static int said(vec_case *c, sked_status rc)
{
    snprintf(c->why, sizeof c->why, "%s", sked_status_name(rc));
    return CASE_FAILED;
}

static int run_standing(vec_case *c)
{
    size_t kinds, n;
    const int64_t *capacity = vec_numbers(c, "capacity", &kinds);
    const int64_t *usage = vec_numbers(c, "usage", &n);
    const int64_t *want = vec_numbers(c, "ratio", &n);
    sked_drf_standing got;
    sked_status rc = sked_drf_standing_once(
        usage, capacity, (uint32_t)kinds, (uint32_t)vec_number(c, "weight", 1),
        &got, NULL);

    if (rc != SKED_OK) return said(c, rc);
    sked_ratio exact = {.num = want[0], .den = want[1]};
    int64_t facts[3] = {got.share.den == 0, 0, got.kind};
    if (got.share.den != 0)
        facts[1] = sked_ratio_compare(got.share, exact) == 0;
    int64_t wish[3] = {vec_number(c, "infinite", 0),
                       !vec_number(c, "infinite", 0),
                       vec_number(c, "dominant", -1)};
    return vec_differ(c, "infinite, ratio, kind", facts, wish, 3) ? CASE_FAILED
                                                                  : CASE_PASSED;
}

/* Reals: within 1e-9 of the field, relatively. */
static int near_field(vec_case *c, const char *name, const double *got,
                      size_t n)
{
    const char *at = vec_text(c, name);

    for (size_t i = 0; i < n; i++) {
        double want = strtod(at, NULL);
        if (fabs(got[i] - want) > 1e-9 * fmax(1, fabs(want))) {
            snprintf(c->why, sizeof c->why, "%s[%zu] is %.12g, not %.12g", name,
                     i, got[i], want);
            return 0;
        }
        at = strchr(at, ',');
        if (at) at++;
    }
    return 1;
}

static int run_level(vec_case *c)
{
    users u = users_of(c);
    double *tasks = vec_room(u.rows.n, sizeof *tasks);
    double *left = vec_room(u.rows.kinds, sizeof *left);
    sked_status rc = sked_drf_level(&u.rows, NULL, tasks, left, NULL);
    int out = CASE_FAILED;

    if (rc != SKED_OK) {
        (void)said(c, rc);
    } else if (near_field(c, "tasks", tasks, u.rows.n) &&
               near_field(c, "remaining", left, u.rows.kinds)) {
        out = CASE_PASSED;
    }
    free(tasks);
    free(left);
    users_free(&u);
    return out;
}

/* The order of picks, and the same division found at once. */
static int run_picks(vec_case *c)
{
    users u = users_of(c);
    uint32_t *pick = vec_room(MAX_PICKS, sizeof *pick);
    int64_t *wide = vec_room(MAX_PICKS, sizeof *wide);
    int64_t *tasks = vec_room(u.rows.n, sizeof *tasks);
    int64_t *pool = vec_room(u.rows.kinds, sizeof *pool);
    size_t n = 0;
    int out = CASE_FAILED;

    memcpy(pool, u.pool, u.rows.kinds * sizeof *pool);
    sked_status rc = sked_drf_picks(&u.rows, NULL, u.pool, pick, MAX_PICKS, &n,
                                    NULL);
    if (rc == SKED_OK) {
        rc = sked_drf_allocate(&u.rows, NULL, pool, tasks, NULL);
    }
    for (size_t i = 0; i < n; i++) wide[i] = pick[i];
    if (rc != SKED_OK) {
        (void)said(c, rc);
    } else if (vec_judge(c, "order", wide, n) == CASE_PASSED &&
               vec_judge(c, "tasks", tasks, u.rows.n) == CASE_PASSED &&
               vec_judge(c, "remaining", pool, u.rows.kinds) == CASE_PASSED) {
        out = vec_judge(c, "remaining", u.pool, u.rows.kinds);
    }
    free(pick);
    free(wide);
    free(tasks);
    free(pool);
    users_free(&u);
    return out;
}

/* Sets every leaf of the tree as the case says. */
static sked_status set_leaves(vec_case *c, sked_hdrf *tree, size_t n,
                              size_t kinds)
{
    size_t m;
    const int64_t *leaf = vec_numbers(c, "leaf", &m);
    const int64_t *usage = vec_numbers(c, "usage", &m);
    const int64_t *demand = vec_numbers(c, "demand", &m);
    const int64_t *most = vec_numbers(c, "most", &m);
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        uint32_t node = (uint32_t)i;
        int64_t pending = most[i] < 0 ? SKED_UNLIMITED : most[i];
        if (!leaf[i]) continue;
        rc = sked_hdrf_set_leaves(tree, &node, usage + i * kinds,
                                  demand + i * kinds, &pending, 1, NULL);
    }
    return rc;
}

/* Compares what every leaf uses in the end. */
static int judge_usage(vec_case *c, sked_hdrf *tree, size_t n, size_t kinds)
{
    size_t m;
    const int64_t *leaf = vec_numbers(c, "leaf", &m);
    int64_t *usage = vec_room(n * kinds, sizeof *usage);
    int out;

    for (size_t i = 0; i < n; i++) {
        int64_t pending;
        if (!leaf[i]) continue;
        if (sked_hdrf_usage(tree, (uint32_t)i, usage + i * kinds, &pending)) {
            usage[i * kinds] = -2;
        }
    }
    out = vec_judge(c, "final", usage, n * kinds);
    free(usage);
    return out;
}

/* Blocks every leaf whose next task does not fit into what is free. */
static sked_status block_leaves(vec_case *c, sked_hdrf *tree, size_t n,
                                size_t kinds, const int64_t *room)
{
    size_t m;
    const int64_t *leaf = vec_numbers(c, "leaf", &m);
    const int64_t *demand = vec_numbers(c, "demand", &m);
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        int fits = 1;
        for (size_t k = 0; k < kinds; k++) {
            fits = fits && demand[i * kinds + k] <= room[k];
        }
        if (leaf[i] && !fits) rc = sked_hdrf_block(tree, (uint32_t)i, 1, NULL);
    }
    return rc;
}

/* Goes on until nothing fits; a leaf is blocked as soon as its next task does
 * not. `*first`: the leaf that was served first, -1 for none. */
static sked_status run_blocked(vec_case *c, sked_hdrf *tree, size_t n,
                               size_t kinds, int64_t *room, int64_t *first)
{
    size_t m;
    const int64_t *demand = vec_numbers(c, "demand", &m);
    sked_status rc = block_leaves(c, tree, n, kinds, room);

    *first = -1;
    for (int picks = 0; rc == SKED_OK && picks < MAX_PICKS; picks++) {
        uint32_t next = sked_hdrf_next(tree);
        if (next == SKED_HDRF_NONE) break;
        if (*first < 0) *first = next;
        rc = sked_hdrf_allocate(tree, next, 1, NULL);
        for (size_t k = 0; k < kinds; k++) {
            room[k] -= demand[next * kinds + k];
        }
        if (rc == SKED_OK) rc = block_leaves(c, tree, n, kinds, room);
    }
    return rc;
}

static int run_tree(vec_case *c, sked_hdrf *tree, size_t n, size_t kinds)
{
    size_t m;
    int64_t first = -1, *room = vec_room(kinds, sizeof *room);
    const int64_t *capacity = vec_numbers(c, "capacity", &m);
    const int64_t *leaf = vec_numbers(c, "leaf", &m);
    const int64_t *usage = vec_numbers(c, "usage", &m);
    sked_status rc = set_leaves(c, tree, n, kinds);

    for (size_t k = 0; k < kinds; k++) {
        room[k] = capacity[k];
        for (size_t i = 0; i < n; i++) {
            if (leaf[i]) room[k] -= usage[i * kinds + k];
        }
    }
    if (rc == SKED_OK) rc = run_blocked(c, tree, n, kinds, room, &first);
    free(room);
    if (rc != SKED_OK) return said(c, rc);
    if (vec_judge(c, "first", &first, 1) != CASE_PASSED) return CASE_FAILED;
    return judge_usage(c, tree, n, kinds);
}

static int run_hdrf(vec_case *c)
{
    size_t n, kinds;
    const int64_t *parent = vec_numbers(c, "parent", &n);
    const int64_t *weight = vec_numbers(c, "weight", &n);
    const int64_t *capacity = vec_numbers(c, "capacity", &kinds);
    uint32_t *up = vec_room(n, sizeof *up), *w = vec_room(n, sizeof *w);
    sked_hdrf_options opts = {.struct_size = sizeof opts,
                              .kinds = (uint32_t)kinds};
    sked_hdrf *tree = NULL;

    for (size_t i = 0; i < n; i++) {
        up[i] = parent[i] < 0 ? SKED_HDRF_NONE : (uint32_t)parent[i];
        w[i] = (uint32_t)weight[i];
    }
    sked_status rc = sked_hdrf_new(up, w, n, &opts, NULL, &tree, NULL);
    if (rc == SKED_OK) rc = sked_hdrf_set_capacity(tree, capacity, NULL);
    int out = rc == SKED_OK ? run_tree(c, tree, n, kinds) : said(c, rc);
    sked_hdrf_free(tree);
    free(up);
    free(w);
    return out;
}

const vec_runner vec_run_drf[] = {
    {"standing", run_standing}, {"level", run_level}, {"picks", run_picks},
    {"hdrf", run_hdrf},         {NULL, NULL},
};
