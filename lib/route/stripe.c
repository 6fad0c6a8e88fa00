/*
 * Splitting a cluster rack by rack: with the machines in the order of their
 * racks, every part takes each parts-th one. Machines of a rack are then next
 * to each other, so no part gets two more of them than another.
 */
#include <sched/route.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"

enum { STRIPE_PARTS = 65536 };

/* Adds a rack of `n` machines, the first of which went to part `first`, to
 * the parts that have one of them. */
static void rack_reached(uint32_t *reach, uint32_t parts, uint32_t first,
                         uint32_t n)
{
    for (uint32_t p = 0; p < parts && p < n; p++) {
        reach[(first + p) % parts] += n;
    }
}

static void deal_out(const skedi_keyed *order, uint32_t n, uint32_t parts,
                     uint32_t *part, uint32_t *reach)
{
    uint32_t from = 0;

    for (uint32_t p = 0; reach && p < parts; p++) reach[p] = 0;
    for (uint32_t i = 0; i < n; i++) {
        part[order[i].index] = i % parts;
        if (i + 1 < n && order[i + 1].key == order[i].key) continue;
        if (reach) rack_reached(reach, parts, from % parts, i + 1 - from);
        from = i + 1;
    }
}

sked_status sked_route_stripe(const uint32_t *rack, size_t n, uint32_t parts,
                              const sked_host *host, uint32_t *part,
                              uint32_t *reach, sked_error *err)
{
    skedi_hooks hooks;

    const char *missing = n && !rack ? "rack" : n && !part ? "part" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (parts < 1 || parts > STRIPE_PARTS || n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many, or no parts");
    }
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    skedi_keyed *order = skedi_new(&hooks.mem, n, 2 * sizeof *order);
    if (!order) return skedi_fail_memory(err);
    for (uint32_t i = 0; i < n; i++) order[i] = (skedi_keyed){rack[i], i, 0};
    skedi_sort_keys(order, order + n, n);
    deal_out(order, (uint32_t)n, parts, part, reach);
    skedi_free(&hooks.mem, order, n, 2 * sizeof *order);
    return SKED_OK;
}
