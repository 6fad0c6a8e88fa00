/* A router's life: figures in, what it knows out. */
#include "route/clusters.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"

sked_status sked_route_replace(sked_route *router,
                               const sked_route_input *input, sked_error *err)
{
    const skedi_clusters none = {0};
    sked_route_input in;

    const char *missing = !router ? "router" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_snapshot_in(&in, input, router->view.kinds, err);
    return rc == SKED_OK ? skedi_router_merge(router, &in, &none,
                                              SKED_ROUTE_NO_CLUSTER, err)
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

/* How many clusters a snapshot leaves as they are. An id that is there twice
 * counts twice, and is refused when the two are merged. */
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
    return skedi_router_merge(router, &in, &router->clusters,
                              SKED_ROUTE_NO_CLUSTER, err);
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
    skedi_clusters_release(&router->clusters, router->view.kinds, &last.mem);
    skedi_free(&last.mem, router, 1, sizeof *router);
    skedi_hooks_done(last.host);
}

sked_status sked_route_remove(sked_route *router, uint64_t id, sked_error *err)
{
    if (!router) return skedi_fail_null(err, "router");
    const skedi_clusters *c = &router->clusters;
    const sked_route_input nothing = {
        .queues = c->queues,
        .in_queue = c->queues ? c->in_queue : NULL, /* says that there are */
    };
    if (row_of_id(c, id) == c->n)
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such cluster");
    return skedi_router_merge(router, &nothing, c, id, err);
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
