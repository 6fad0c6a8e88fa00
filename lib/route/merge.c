/*
 * New figures are merged with the old ones into rows of their own, sorted by
 * id, and put in place of them when nothing can fail any more.
 */
#include "route/clusters.h"

#include <string.h>

#include "base/fail.h"
#include "base/sort.h"

/* ---- The rows ---- */

/* Bytes of a cluster's row for all queues; never 0, which would free. */
static size_t queue_row(const skedi_clusters *c, uint32_t kinds)
{
    return (c->queues ? (size_t)c->queues * kinds : 1) * sizeof *c->in_queue;
}

void skedi_clusters_release(skedi_clusters *c, uint32_t kinds, skedi_mem *mem)
{
    size_t row = kinds * sizeof(int64_t);

    skedi_free(mem, c->id, c->n, sizeof *c->id);
    skedi_free(mem, c->time, c->n, sizeof *c->time);
    skedi_free(mem, c->capacity, c->n, row);
    skedi_free(mem, c->available, c->n, row);
    skedi_free(mem, c->in_queue, c->n, queue_row(c, kinds));
    skedi_free(mem, c->shape_from, (size_t)c->n + 1, sizeof *c->shape_from);
    skedi_free(mem, c->shapes, c->n_shapes, row);
    *c = (skedi_clusters){0};
}

static int clusters_reserve(skedi_clusters *c, uint32_t kinds, skedi_mem *mem)
{
    size_t row = kinds * sizeof(int64_t), from = (size_t)c->n + 1;

    return (c->id = skedi_new(mem, c->n, sizeof *c->id)) &&
           (c->time = skedi_new(mem, c->n, sizeof *c->time)) &&
           (c->capacity = skedi_new(mem, c->n, row)) &&
           (c->available = skedi_new(mem, c->n, row)) &&
           (c->in_queue = skedi_new(mem, c->n, queue_row(c, kinds))) &&
           (c->shape_from = skedi_new(mem, from, sizeof *c->shape_from)) &&
           (c->shapes = skedi_new(mem, c->n_shapes, row));
}

/* The view of what the router owns; its options stay. */
static skedi_route_view view_of(const sked_route *router,
                                const skedi_clusters *c)
{
    uint32_t kinds = router->view.kinds;

    return (skedi_route_view){
        .n = c->n,
        .kinds = kinds,
        .queues = c->queues,
        .id = c->id,
        .time = c->time,
        .capacity = c->capacity,
        .available = c->available,
        .in_queue = c->queues ? c->in_queue : c->available,
        .queue_step = c->queues ? (size_t)c->n * kinds : 0,
        .cluster_step = kinds,
        .shape_from = c->shaped ? c->shape_from : NULL,
        .shapes = c->shapes,
        .opts = router->view.opts,
    };
}

/* ---- Merging ---- */

/* Where each cluster of the next rows comes from. */
typedef struct route_merge {
    const sked_route_input *in;
    const skedi_clusters *old;
    uint32_t kinds;
    uint32_t n;
    uint32_t cap;
    uint64_t gone;       /* an id that is left out; SKED_ROUTE_NO_CLUSTER:
                            none */
    skedi_keyed *source; /* index: row; tag 1: of the snapshot */
} route_merge;

static uint32_t shapes_of(const uint32_t *from, uint32_t row)
{
    return from ? from[row + 1] - from[row] : 1;
}

/* All rows of both by id, new ones before old ones. Returns how many. */
static uint32_t sort_rows(route_merge *m)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < m->in->n; i++) {
        uint64_t id = m->in->id ? m->in->id[i] : (uint64_t)i + 1;
        m->source[all++] = (skedi_keyed){id, i, 1};
    }
    for (uint32_t i = 0; i < m->old->n; i++) {
        if (m->old->id[i] == m->gone) continue;
        m->source[all++] = (skedi_keyed){m->old->id[i], i, 0};
    }
    skedi_sort_keys(m->source, m->source + m->cap, all);
    return all;
}

/* Each id once, the new one of both. SKED_ERR_EXISTS: the snapshot has one
 * twice, of which the first row to repeat another is named. */
static sked_status merge_rows(route_merge *m, sked_error *err)
{
    uint32_t all = sort_rows(m), kept = 0, twice = UINT32_MAX;

    for (uint32_t i = 0; i < all; i++) {
        skedi_keyed from = m->source[i];
        if (!kept || m->source[kept - 1].key != from.key) {
            m->source[kept++] = from;
        } else if (from.tag && from.index < twice) {
            twice = from.index;
        }
    }
    m->n = kept;
    return twice == UINT32_MAX
               ? SKED_OK
               : skedi_route_id_twice(m->in->id[twice], twice, err);
}

static uint32_t count_shapes(const route_merge *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        skedi_keyed from = m->source[i];
        n += shapes_of(from.tag ? m->in->shape_from : m->old->shape_from,
                       from.index);
    }
    return n;
}

static void copy_row(int64_t *to, const int64_t *from, size_t n)
{
    if (n) memcpy(to, from, n * sizeof *to);
}

/* Row `i` of the next clusters, from the snapshot's row `at`. */
static void take_new(const route_merge *m, skedi_clusters *c, uint32_t i,
                     uint32_t at)
{
    const sked_route_input *in = m->in;
    size_t kinds = m->kinds, to = i * kinds, from = at * kinds;
    uint32_t n = shapes_of(in->shape_from, at);

    c->time[i] = in->time ? in->time[at] : 0;
    copy_row(c->capacity + to, in->capacity + from, kinds);
    copy_row(c->available + to, in->available + from, kinds);
    for (size_t q = 0; q < c->queues; q++) {
        copy_row(c->in_queue + (q * c->n + i) * kinds,
                 in->in_queue + (at * (size_t)c->queues + q) * kinds, kinds);
    }
    copy_row(c->shapes + c->shape_from[i] * kinds,
             in->shape_from ? in->shapes + in->shape_from[at] * kinds
                            : in->capacity + from,
             n * kinds);
    c->shape_from[i + 1] = c->shape_from[i] + n;
}

static void keep_old(const route_merge *m, skedi_clusters *c, uint32_t i,
                     uint32_t at)
{
    const skedi_clusters *old = m->old;
    size_t kinds = m->kinds, to = i * kinds, from = at * kinds;
    uint32_t n = shapes_of(old->shape_from, at);

    c->time[i] = old->time[at];
    copy_row(c->capacity + to, old->capacity + from, kinds);
    copy_row(c->available + to, old->available + from, kinds);
    for (size_t q = 0; q < c->queues; q++) {
        copy_row(c->in_queue + (q * c->n + i) * kinds,
                 old->in_queue + (q * old->n + at) * kinds, kinds);
    }
    copy_row(c->shapes + c->shape_from[i] * kinds,
             old->shapes + old->shape_from[at] * kinds, n * kinds);
    c->shape_from[i + 1] = c->shape_from[i] + n;
}

static void merge_fill(const route_merge *m, skedi_clusters *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        skedi_keyed from = m->source[i];
        c->id[i] = from.key;
        if (from.tag)
            take_new(m, c, i, from.index);
        else
            keep_old(m, c, i, from.index);
    }
}

/* The least that is available of each kind, to a cluster or to a queue there. */
static void note_lowest(sked_route *router)
{
    const skedi_clusters *c = &router->clusters;
    size_t kinds = router->view.kinds, cells = c->n * kinds;

    for (size_t k = 0; k < kinds; k++) {
        router->lowest[k] = c->n ? SKED_AMOUNT_MAX : 0;
    }
    for (size_t at = 0; at < cells * (1 + (size_t)c->queues); at++) {
        int64_t x = at < cells ? c->available[at] : c->in_queue[at - cells];
        if (x < router->lowest[at % kinds]) router->lowest[at % kinds] = x;
    }
}

/* Puts the merged rows in place of the old ones, or fails. */
static sked_status merge_into(sked_route *router, route_merge *m,
                              sked_error *err)
{
    skedi_mem *mem = &router->hooks.mem;
    uint32_t kinds = router->view.kinds, bad = 0;
    skedi_clusters next = {.queues = m->in->in_queue ? (uint32_t)m->in->queues
                                                     : 0};
    sked_status rc = merge_rows(m, err);

    if (rc != SKED_OK) return rc;
    next.n = m->n;
    next.n_shapes = count_shapes(m);
    next.shaped = m->in->shape_from || m->old->shaped;
    if (!clusters_reserve(&next, kinds, mem)) {
        rc = skedi_fail_memory(err);
    } else {
        merge_fill(m, &next);
        skedi_route_view view = view_of(router, &next);
        if (skedi_route_totals(&view, &bad)) {
            skedi_clusters held = router->clusters;
            router->view = view;
            router->clusters = next;
            next = held;
            note_lowest(router);
        } else {
            rc = skedi_fail(err, SKED_ERR_RANGE, "the clusters add up to more",
                            (skedi_fault){.kind = (int32_t)bad + 1,
                                          .limit = SKED_AMOUNT_MAX});
        }
    }
    skedi_clusters_release(&next, kinds, mem);
    return rc;
}

sked_status skedi_router_merge(sked_route *router, const sked_route_input *in,
                               const skedi_clusters *old, uint64_t gone,
                               sked_error *err)
{
    skedi_mem *mem = &router->hooks.mem;
    route_merge m = {
        .in = in, .old = old, .kinds = router->view.kinds, .gone = gone};

    m.cap = (uint32_t)in->n + old->n;
    m.source = skedi_new(mem, m.cap, 2 * sizeof *m.source);
    if (!m.source) return skedi_fail_memory(err);
    sked_status rc = merge_into(router, &m, err);
    skedi_free(mem, m.source, m.cap, 2 * sizeof *m.source);
    return rc;
}
