/*
 * An order over a tree: flags, the generator of order `random`, and the memory
 * of a pass. No queue has a state here, so an order follows no commit and
 * serves any tree.
 */
#include "base/fail.h"
#include "base/hash.h"
#include "base/versioned.h"
#include "order/handle.h"

#include <string.h>

SKEDI_NO_TAIL_PADDING(sked_order_options, seed);

enum { ORDER_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_order_options, seed) };

static void order_drop(sked_order *order)
{
    skedi_mem mem = order->hooks.mem;

    skedi_order_sorting_drop(&order->sorting, &mem);
    skedi_free(&mem, order, 1, sizeof *order);
}

sked_status sked_order_new(const sked_order_options *options,
                           const sked_host *host, sked_order **order,
                           sked_error *err)
{
    sked_order_options own;
    skedi_hooks hooks;

    if (!order) return skedi_fail_null(err, "order");
    *order = NULL;
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_struct_in(&own, sizeof own, options, ORDER_OPTIONS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (own.flags & ~SKEDI_ORDER_FLAGS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "options have other flags");
    }
    sked_order *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) {
        return skedi_fail_memory(err);
    }
    made->hooks = hooks;
    made->flags = own.flags;
    skedi_random_seed(&made->random, own.seed, &made->hooks.host);
    *order = made;
    return SKED_OK;
}

void sked_order_free(sked_order *order)
{
    if (!order) return;
    sked_host host = order->hooks.host;
    order_drop(order);
    skedi_hooks_done(host);
}

sked_status sked_order_copy(const sked_order *order, const sked_host *host,
                            sked_order **copy, sked_error *err)
{
    sked_order *made;

    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!order) return skedi_fail_null(err, "order");
    sked_status rc = sked_order_new(NULL, host, &made, err);
    if (rc != SKED_OK) return rc;
    made->flags = order->flags;
    memcpy(made->random.s, order->random.s, sizeof made->random.s);
    *copy = made;
    return SKED_OK;
}

sked_status sked_order_reserve(sked_order *order, size_t queues,
                               sked_error *err)
{
    if (!order) return skedi_fail_null(err, "order");
    if (queues > SKED_MAX_QUEUES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "more queues than a tree holds",
            (skedi_fault){.got = (int64_t)queues, .limit = SKED_MAX_QUEUES});
    }
    skedi_hooks_open(&order->hooks);
    int ok = skedi_order_sorting_make(&order->sorting, &order->hooks.mem,
                                      queues);
    sked_status rc = ok ? SKED_OK : skedi_fail_memory(err);
    return skedi_hooks_seal(&order->hooks, rc);
}

sked_status sked_order_check(const sked_order *order, sked_error *err)
{
    if (!order) return skedi_fail_null(err, "order");
    const char *what = NULL;

    if (order->flags & ~SKEDI_ORDER_FLAGS) what = "unknown flags";
    if (order->sorting.n > order->sorting.cap)
        what = "a pass beyond its memory";
    return what ? skedi_fail_plain(err, SKED_ERR_INTERNAL, what) : SKED_OK;
}

uint64_t sked_order_digest(const sked_order *order)
{
    skedi_hash hash;

    if (!order) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, order->flags);
    for (size_t i = 0; i < 4; i++) skedi_hash_u64(&hash, order->random.s[i]);
    return skedi_hash_end(&hash);
}
