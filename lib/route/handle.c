/* The life of a router: snapshots in, the merged clusters out. */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "route/clusters.h"

/*
 * Checks of a caller's input before any decision or change. After the checks no
 * sum overflows, and every divisor in use is above zero.
 */

SKEDI_NO_TAIL_PADDING(sked_route_options, locality_weight_ppm);
SKEDI_NO_TAIL_PADDING(sked_route_input, shapes);
SKEDI_NO_TAIL_PADDING(sked_route_jobs, missing);
SKEDI_NO_TAIL_PADDING(sked_route_answer, stale);
SKEDI_NO_TAIL_PADDING(sked_route_score, reserved);

enum {
    ROUTE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_route_options,
                                          locality_weight_ppm),
    SNAPSHOT_V1 = SKEDI_SIZE_THROUGH(sked_route_input, shapes),
    ROUTE_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_route_jobs, missing),
    WEIGHT_MOST = 1000000000
};

sked_status skedi_route_options_in(sked_route_options *to,
                                   const sked_route_options *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, ROUTE_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (to->flags) return skedi_fail_flags(err, "options");
    if (to->policy < SKED_ROUTE_POLICY_ABSOLUTE ||
        to->policy > SKED_ROUTE_POLICY_LOCALITY) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such policy");
    }
    if (to->kinds > SKED_MAX_KINDS || to->max_age_ns < 0 ||
        to->locality_weight_ppm < 0 || to->locality_weight_ppm > WEIGHT_MOST) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "option is out of range");
    }
    if (to->kinds == 0) to->kinds = 1;
    if (to->locality_weight_ppm == 0) to->locality_weight_ppm = SKED_PPM;
    return SKED_OK;
}

static sked_status bad_amount(sked_error *err, uint32_t row, uint32_t kind,
                              int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row + 1,
                                    .kind = (int32_t)kind + 1,
                                    .got = got,
                                    .limit = limit});
}

/* Checks a row of capacities and a row of available amounts. */
static sked_status check_rows(const sked_route_input *s, uint32_t kinds,
                              uint32_t i, sked_error *err)
{
    const int64_t *capacity = s->capacity + (size_t)i * kinds;
    const int64_t *available = s->available + (size_t)i * kinds;
    size_t cells = s->in_queue ? (size_t)s->queues * kinds : 0;

    for (uint32_t k = 0; k < kinds; k++) {
        if (capacity[k] < 0 || capacity[k] > SKED_AMOUNT_MAX) {
            return bad_amount(err, i, k, capacity[k], SKED_AMOUNT_MAX);
        }
        if (available[k] < -SKED_AMOUNT_MAX || available[k] > capacity[k]) {
            return bad_amount(err, i, k, available[k], capacity[k]);
        }
    }
    for (size_t at = 0; at < cells; at++) {
        int64_t x = s->in_queue[i * cells + at];
        uint32_t k = (uint32_t)(at % kinds);
        if (x < -SKED_AMOUNT_MAX || x > capacity[k]) {
            return bad_amount(err, i, k, x, capacity[k]);
        }
    }
    return SKED_OK;
}

static sked_status check_shapes(const sked_route_input *s, uint32_t kinds,
                                sked_error *err)
{
    const uint32_t *from = s->shape_from;

    if (!from) return SKED_OK;
    const char *missing = from[s->n] > 0 && !s->shapes ? "input.shapes" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (uint32_t i = 0; i < s->n; i++) {
        if (from[0] == 0 && from[i] <= from[i + 1]) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "offsets of shapes go down",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    for (uint32_t i = 0; i < s->n; i++) {
        for (size_t at = (size_t)from[i] * kinds;
             at < (size_t)from[i + 1] * kinds; at++) {
            if (s->shapes[at] >= 0 && s->shapes[at] <= SKED_AMOUNT_MAX)
                continue;
            return bad_amount(err, i, (uint32_t)(at % kinds), s->shapes[at],
                              SKED_AMOUNT_MAX);
        }
    }
    return SKED_OK;
}

static sked_status check_route_ids(const sked_route_input *s, sked_error *err)
{
    for (uint32_t i = 0; s->id && i < s->n; i++) {
        if (s->id[i] != SKED_ROUTE_NO_CLUSTER) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "an id is 0",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* The fault of a repeated id: SKED_ERR_EXISTS; the fault names the row. */
static sked_status route_id_twice(uint64_t id, uint32_t row, sked_error *err)
{
    return skedi_fail(
        err, SKED_ERR_EXISTS, "an id is there twice",
        (skedi_fault){.row = (int64_t)row + 1, .got = (int64_t)id});
}

/* An id above all earlier ids needs no comparison. */
sked_status skedi_route_ids_once(const sked_route_input *s, sked_error *err)
{
    uint64_t highest = 0;

    for (uint32_t i = 0; s->id && i < s->n; i++) {
        uint32_t j = s->id[i] > highest ? i : 0;
        if (j == i) highest = s->id[i];
        while (j < i && s->id[j] != s->id[i]) j++;
        if (j < i) return route_id_twice(s->id[i], i, err);
    }
    return SKED_OK;
}

sked_status skedi_snapshot_in(sked_route_input *to,
                              const sked_route_input *given, uint32_t kinds,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, SNAPSHOT_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (to->reserved) return skedi_fail_reserved(err, "input");
    const char *missing = to->n == 0       ? NULL
                          : !to->capacity  ? "input.capacity"
                          : !to->available ? "input.available"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (to->in_queue && to->queues == 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no queues");
    }
    if (to->n > INT32_MAX || to->queues > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    rc = check_route_ids(to, err);
    for (uint32_t i = 0; i < to->n && rc == SKED_OK; i++) {
        rc = check_rows(to, kinds, i, err);
    }
    return rc == SKED_OK ? check_shapes(to, kinds, err) : rc;
}

static sked_status check_route_job(const sked_route_jobs *jobs,
                                   const skedi_route_view *v, uint32_t i,
                                   sked_error *err)
{
    const int64_t *request = jobs->request + (size_t)i * v->kinds;
    int64_t times = jobs->instances ? jobs->instances[i] : 1, all;
    skedi_fault fault = {.row = (int64_t)i + 1, .got = times};

    if (times < 0 || times > SKED_AMOUNT_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "instances is out of range",
                          fault);
    }
    for (uint32_t k = 0; k < v->kinds; k++) {
        if (request[k] >= 0 && request[k] <= SKED_AMOUNT_MAX &&
            skedi_i64_mul(request[k], times, &all) && all <= SKED_AMOUNT_MAX) {
            continue;
        }
        return bad_amount(err, i, k, request[k], SKED_AMOUNT_MAX);
    }
    if (v->queue_step && jobs->queue && jobs->queue[i] >= v->queues) {
        fault.got = jobs->queue[i];
        fault.limit = v->queues;
        return skedi_fail(err, SKED_ERR_RANGE, "no such queue", fault);
    }
    for (uint32_t c = 0; jobs->missing && c < v->n; c++) {
        fault.got = jobs->missing[(size_t)i * v->n + c];
        if (fault.got <= SKED_PPM) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "more is missing than there is",
                          fault);
    }
    return SKED_OK;
}

sked_status skedi_route_jobs_in(sked_route_jobs *to, const skedi_route_view *v,
                                const sked_route_jobs *given, sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, ROUTE_JOBS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "jobs");
    if (to->reserved) return skedi_fail_reserved(err, "jobs");
    const char *missing = to->n && !to->request ? "jobs.request" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (to->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    for (uint32_t i = 0; i < to->n && rc == SKED_OK; i++) {
        rc = check_route_job(to, v, i, err);
    }
    return rc;
}

int skedi_route_totals(skedi_route_view *v, uint32_t *kind)
{
    for (uint32_t k = 0; k < v->kinds; k++) {
        int64_t sum = 0, least = SKED_UNLIMITED;
        for (uint32_t i = 0; i < v->n && sum != SKED_UNLIMITED; i++) {
            int64_t capacity = v->capacity[(size_t)i * v->kinds + k];
            sum = skedi_amount_add(sum, capacity);
            least = skedi_i64_min(least, capacity);
        }
        *kind = k;
        if (sum == SKED_UNLIMITED) return 0;
        v->total[k] = sum;
        v->smallest[k] = least;
        v->inverse[k] = sum > 0 ? 1.0 / (double)sum : 0.0;
    }
    return 1;
}

/*
 * A merge builds the new rows from new and old figures, sorted by id. The new
 * rows replace the old rows when nothing can fail any more.
 */

/* ---- The rows ---- */

/* Bytes of a cluster's row for all queues; at least 1, because a size of 0
 * would free the memory. */
static size_t queue_row(const skedi_clusters *c, uint32_t kinds)
{
    return (c->queues ? (size_t)c->queues * kinds : 1) * sizeof *c->in_queue;
}

static void clusters_release(skedi_clusters *c, uint32_t kinds, skedi_mem *mem)
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

/* The view of the router's clusters, with the present options. */
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

/* The sources of the clusters in the next rows. */
typedef struct route_merge {
    const sked_route_input *in;
    const skedi_clusters *old;
    uint32_t kinds;
    uint32_t n;
    uint32_t cap;
    uint64_t gone;       /* the removed id; SKED_ROUTE_NO_CLUSTER: none */
    skedi_keyed *source; /* index: row; tag 1: of the snapshot */
} route_merge;

static uint32_t shapes_of(const uint32_t *from, uint32_t row)
{
    return from ? from[row + 1] - from[row] : 1;
}

/* Sorts new and old rows by id, new rows first; returns the number of rows. */
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

/* Keeps one row for each id: the new row, if both exist. SKED_ERR_EXISTS: the
 * snapshot repeats an id; the error names the first repeating row. */
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
    return twice == UINT32_MAX ? SKED_OK
                               : route_id_twice(m->in->id[twice], twice, err);
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

/* Notes the least available amount of each kind, over clusters and their
 * queues. */
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

/* Replaces the old rows by the merged rows, or fails. */
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
    clusters_release(&next, kinds, mem);
    return rc;
}

/* Replaces the clusters of the router: `old` with the snapshot's clusters and
 * without `gone` (SKED_ROUTE_NO_CLUSTER: none). */
static sked_status router_merge(sked_route *router, const sked_route_input *in,
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

sked_status sked_route_replace(sked_route *router,
                               const sked_route_input *input, sked_error *err)
{
    const skedi_clusters none = {0};
    sked_route_input in;

    const char *missing = !router ? "router" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_snapshot_in(&in, input, router->view.kinds, err);
    return rc == SKED_OK
               ? router_merge(router, &in, &none, SKED_ROUTE_NO_CLUSTER, err)
               : rc;
}

/* The row of an id, or the number of rows. */
static uint32_t row_of_id(const skedi_clusters *c, uint64_t id)
{
    uint32_t low = 0, high = c->n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (c->id[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->n && c->id[low] == id ? low : c->n;
}

/* The number of clusters that a snapshot does not name. A repeated id counts
 * twice here; the merge refuses the repetition. */
static uint32_t count_staying(const skedi_clusters *c,
                              const sked_route_input *in)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        uint64_t id = in->id ? in->id[i] : (uint64_t)i + 1;
        known += row_of_id(c, id) < c->n;
    }
    return known < c->n ? c->n - known : 0;
}

sked_status sked_route_update(sked_route *router, const sked_route_input *input,
                              sked_error *err)
{
    sked_route_input in;

    const char *missing = !router ? "router" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_snapshot_in(&in, input, router->view.kinds, err);
    if (rc != SKED_OK) return rc;
    const skedi_clusters *c = &router->clusters;
    uint32_t queues = in.in_queue ? (uint32_t)in.queues : 0;
    if (in.n > INT32_MAX - c->n) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many clusters");
    }
    if (queues != c->queues && count_staying(c, &in)) {
        return skedi_fail(err, SKED_ERR_STATE, "the others have other queues",
                          (skedi_fault){.got = queues, .limit = c->queues});
    }
    return router_merge(router, &in, &router->clusters, SKED_ROUTE_NO_CLUSTER,
                        err);
}

/* ---- Life and reads ---- */

sked_status sked_route_new(const sked_route_options *options,
                           const sked_host *host, sked_route **router,
                           sked_error *err)
{
    sked_route_options taken;
    skedi_hooks hooks;

    if (!router) return skedi_fail_null(err, "router");
    *router = NULL;
    sked_status rc = skedi_route_options_in(&taken, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_route *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->hooks = hooks;
    made->view.kinds = taken.kinds;
    made->view.opts = taken;
    *router = made;
    return SKED_OK;
}

void sked_route_free(sked_route *router)
{
    if (!router) return;
    skedi_hooks last = router->hooks;
    clusters_release(&router->clusters, router->view.kinds, &last.mem);
    skedi_free(&last.mem, router, 1, sizeof *router);
    skedi_hooks_done(last.host);
}

sked_status sked_route_remove(sked_route *router, uint64_t id, sked_error *err)
{
    if (!router) return skedi_fail_null(err, "router");
    const skedi_clusters *c = &router->clusters;
    const sked_route_input nothing = {
        .queues = c->queues,
        .in_queue = c->queues ? c->in_queue : NULL, /* not NULL: the input has
                                                     * queues */
    };
    if (row_of_id(c, id) == c->n)
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such cluster");
    return router_merge(router, &nothing, c, id, err);
}

sked_status sked_route_clusters(const sked_route *router, uint64_t *ids,
                                size_t cap, size_t *n)
{
    if (!router || !n || (cap && !ids)) return SKED_ERR_ARG;
    *n = router->clusters.n;
    if (*n > cap) return SKED_ERR_RANGE;
    if (*n) memcpy(ids, router->clusters.id, *n * sizeof *ids);
    return SKED_OK;
}

sked_status sked_route_available(const sked_route *router, uint64_t id,
                                 int64_t *available)
{
    if (!router || !available) return SKED_ERR_ARG;
    uint32_t row = row_of_id(&router->clusters, id);
    size_t kinds = router->view.kinds;
    if (row == router->clusters.n) return SKED_ERR_NOT_FOUND;
    memcpy(available, router->clusters.available + row * kinds,
           kinds * sizeof *available);
    return SKED_OK;
}

static void hash_column(skedi_hash *hash, const int64_t *column, size_t n)
{
    for (size_t i = 0; i < n; i++) skedi_hash_u64(hash, (uint64_t)column[i]);
}

uint64_t sked_route_digest(const sked_route *router)
{
    const skedi_clusters *c;
    skedi_hash hash;

    if (!router) return 0;
    c = &router->clusters;
    size_t cells = (size_t)c->n * router->view.kinds;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, c->n);
    skedi_hash_u32(&hash, c->queues);
    skedi_hash_u32(&hash, router->view.kinds);
    skedi_hash_u32(&hash, (uint32_t)router->view.opts.policy);
    skedi_hash_u64(&hash, (uint64_t)router->view.opts.max_age_ns);
    skedi_hash_u64(&hash, (uint64_t)router->view.opts.locality_weight_ppm);
    for (uint32_t i = 0; i < c->n; i++) {
        skedi_hash_u64(&hash, c->id[i]);
        skedi_hash_u64(&hash, (uint64_t)c->time[i]);
        skedi_hash_u32(&hash, c->shape_from[i + 1]);
    }
    hash_column(&hash, c->capacity, cells);
    hash_column(&hash, c->available, cells);
    hash_column(&hash, c->in_queue, cells * c->queues);
    hash_column(&hash, c->shapes, (size_t)c->n_shapes * router->view.kinds);
    return skedi_hash_end(&hash);
}
