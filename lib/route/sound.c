/* Every invariant of a router, from what it holds. */
#include "base/fail.h"
#include "route/clusters.h"

/* Between the least amount and what the cluster has of the kind? */
static int stays_within(int64_t x, int64_t capacity)
{
    return x >= -SKED_AMOUNT_MAX && x <= capacity;
}

/* Of one cluster: what it has, what is available, in all and by queue. */
static const char *cluster_fault(const sked_route *router, uint32_t row)
{
    const skedi_clusters *c = &router->clusters;
    size_t kinds = router->view.kinds;

    if (c->id[row] == SKED_ROUTE_NO_CLUSTER) return "an id is 0";
    if (row > 0 && c->id[row - 1] >= c->id[row]) return "ids do not ascend";
    if (c->shape_from[row] > c->shape_from[row + 1])
        return "offsets of shapes go down";
    for (size_t k = 0; k < kinds; k++) {
        int64_t capacity = c->capacity[row * kinds + k];
        if (capacity < 0 || capacity > SKED_AMOUNT_MAX)
            return "a capacity is out of range";
        for (size_t q = 0; q <= c->queues; q++) {
            int64_t x = q == 0
                            ? c->available[row * kinds + k]
                            : c->in_queue[((q - 1) * c->n + row) * kinds + k];
            if (!stays_within(x, capacity))
                return "what is available is out of range";
            if (x < router->lowest[k]) return "less is available than is noted";
        }
    }
    return NULL;
}

/* Of all of them together. */
static const char *totals_fault(const sked_route *router)
{
    skedi_route_view anew = router->view;
    uint32_t bad = 0;

    if (!skedi_route_totals(&anew, &bad))
        return "capacities add up to too much";
    for (uint32_t k = 0; k < anew.kinds; k++) {
        if (anew.total[k] != router->view.total[k] ||
            anew.smallest[k] != router->view.smallest[k]) {
            return "a sum of capacities is wrong";
        }
    }
    return NULL;
}

sked_status sked_route_check(const sked_route *router, sked_error *err)
{
    if (!router) return skedi_fail_null(err, "router");
    const skedi_clusters *c = &router->clusters;
    const char *what = NULL;
    uint32_t row = 0;

    if (c->n != router->view.n) what = "the view is of other clusters";
    while (!what && row < c->n) what = cluster_fault(router, row++);
    if (!what && c->n) {
        row = 0;
        what = totals_fault(router);
        if (c->shape_from[0] || c->shape_from[c->n] != c->n_shapes)
            what = "shapes are not all of clusters";
    }
    if (!what) return SKED_OK;
    return skedi_fail(err, SKED_ERR_INTERNAL, what,
                      (skedi_fault){.row = (int64_t)row});
}
