/*
 * Orders that remember, over a tree. What is remembered stands by slot with
 * the queue it belongs to, and the parent it was earned under: a queue that
 * finds another one or another parent there finds nothing. So no commit needs
 * to be followed, and a queue of another tree is a new one.
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
    skedi_free(&mem, order->memory, order->slots, sizeof *order->memory);
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

static int ensure_memory(sked_order *order, size_t slots)
{
    return skedi_ensure(&order->hooks.mem, (void **)&order->memory,
                        &order->slots, slots, sizeof *order->memory);
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
    if (!ensure_memory(made, order->slots)) {
        order_drop(made);
        return skedi_fail_memory(err);
    }
    made->flags = order->flags;
    memcpy(made->random.s, order->random.s, sizeof made->random.s);
    if (order->slots > 0) {
        memcpy(made->memory, order->memory,
               order->slots * sizeof *made->memory);
    }
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
    int ok = ensure_memory(order, SKEDI_SLOTS_A_QUEUE * queues) &&
             skedi_order_sorting_make(&order->sorting, &order->hooks.mem,
                                      queues);
    sked_status rc = ok ? SKED_OK : skedi_fail_memory(err);
    return skedi_hooks_seal(&order->hooks, rc);
}

skedi_order_memory skedi_order_recall(const sked_order *order,
                                      skedi_order_place place)
{
    uint32_t slot = (uint32_t)place.id;
    skedi_order_memory found = {.of = place};

    if (slot >= order->slots ||
        !skedi_order_same_queue(order->memory[slot].of, place)) {
        return found;
    }
    found = order->memory[slot];
    if (!skedi_order_same_parent(found.of, place)) {
        found.tag = (sked_order_key){0};
    }
    found.of = place;
    return found;
}

int skedi_order_memory_ensure(sked_order *order, sked_queue_id id)
{
    return ensure_memory(order, (size_t)(uint32_t)id + 1);
}

skedi_order_memory *skedi_order_remember(sked_order *order,
                                         skedi_order_place place)
{
    uint32_t slot = (uint32_t)place.id;

    order->memory[slot] = skedi_order_recall(order, place);
    return &order->memory[slot];
}

sked_status sked_order_tag(const sked_order *order, sked_queue_id queue,
                           sked_order_key *tag)
{
    uint32_t slot = (uint32_t)queue;

    if (!order || !tag) return SKED_ERR_ARG;
    *tag = (sked_order_key){0};
    if (slot < order->slots && order->memory[slot].of.id == queue) {
        *tag = order->memory[slot].tag;
    }
    return SKED_OK;
}

static int says_nothing(const skedi_order_memory *memory)
{
    return !(memory->tag.high | memory->tag.low | memory->level.high |
             memory->level.low);
}

/* What is wrong with a place in memory that says something; NULL: nothing. */
static const char *memory_fault(const skedi_order_memory *memory, size_t slot)
{
    const skedi_order_place *of = &memory->of;

    if (of->id == SKED_NO_QUEUE || (uint32_t)of->id != slot)
        return "a memory stands with another queue";
    if (of->parent == of->id) return "a queue is its own parent";
    if (of->parent == SKED_NO_QUEUE && of->parent_birth)
        return "the parent of the root was born";
    return NULL;
}

sked_status sked_order_check(const sked_order *order, sked_error *err)
{
    if (!order) return skedi_fail_null(err, "order");
    const char *what = NULL;
    size_t at = 0;

    if (order->flags & ~SKEDI_ORDER_FLAGS) what = "unknown flags";
    if (order->sorting.n > order->sorting.cap)
        what = "a pass beyond its memory";
    for (size_t i = 0; i < order->slots && !what; i++) {
        if (says_nothing(&order->memory[i])) continue;
        what = memory_fault(&order->memory[i], i);
        at = i + 1;
    }
    if (!what) return SKED_OK;
    return skedi_fail(err, SKED_ERR_INTERNAL, what,
                      (skedi_fault){.row = (int64_t)at});
}

uint64_t sked_order_digest(const sked_order *order)
{
    skedi_hash hash;

    if (!order) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, order->flags);
    for (size_t i = 0; i < 4; i++) skedi_hash_u64(&hash, order->random.s[i]);
    for (size_t i = 0; i < order->slots; i++) {
        const skedi_order_memory *memory = &order->memory[i];
        if (says_nothing(memory)) continue;
        skedi_hash_u64(&hash, memory->of.id);
        skedi_hash_u64(&hash, memory->of.parent);
        skedi_hash_u64(&hash, memory->tag.high);
        skedi_hash_u64(&hash, memory->tag.low);
        skedi_hash_u64(&hash, memory->level.high);
        skedi_hash_u64(&hash, memory->level.low);
    }
    return skedi_hash_end(&hash);
}
