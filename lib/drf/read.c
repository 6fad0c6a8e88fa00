/* Reading a sked_drf: the next client, the whole order, one client, or all. */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "drf/handle.h"

uint32_t sked_drf_next(const sked_drf *drf)
{
    if (!drf) return SKED_DRF_NONE;
    const skedi_winner *best = &drf->memory.order.node[1];
    if (best->key == SKEDI_WINNER_OUT) return SKED_DRF_NONE;
    return drf->memory.slot_of[best->player];
}

static void trace_pick(const sked_drf *drf, uint32_t slot)
{
    const skedi_drf_client *client = &drf->memory.client[slot];

    skedi_hooks_trace(&drf->hooks, (sked_trace){
                                       .what = SKED_TRACE_PICK,
                                       .queue = client->id,
                                       .a = (int64_t)client->key,
                                       .b = (int64_t)drf->n_active,
                                   });
}

sked_status sked_drf_pop(sked_drf *drf, uint32_t *slots, size_t cap, size_t *n,
                         sked_error *err)
{
    const char *missing = !drf            ? "drf"
                          : !n            ? "n"
                          : cap && !slots ? "slots"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);

    for (*n = 0; *n < cap && drf->n_active > 0; ++*n) {
        slots[*n] = sked_drf_next(drf);
        skedi_drf_reach(drf, drf->memory.order.node[1].player,
                        SKEDI_WINNER_OUT);
        drf->n_active--;
        trace_pick(drf, slots[*n]);
    }
    return SKED_OK;
}

sked_status sked_drf_list(sked_drf *drf, uint32_t *slots, size_t cap, size_t *n,
                          sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");
    if (!n) return skedi_fail_null(err, "n");
    if (cap && !slots) return skedi_fail_null(err, "slots");
    *n = drf->n_active;
    if (cap < *n) return skedi_fail_read(err, SKED_ERR_RANGE);

    const uint64_t *key = drf->memory.order.key;
    skedi_keyed *items = drf->memory.scratch;
    size_t at = 0;
    for (uint32_t i = 0; i < drf->next_player; i++) {
        items[at] = (skedi_keyed){.key = key[i],
                                  .index = drf->memory.slot_of[i]};
        at += key[i] != SKEDI_WINNER_OUT;
    }
    skedi_sort_keys(items, items + drf->memory.cap, at);
    for (size_t i = 0; i < at; i++) slots[i] = items[i].index;
    return SKED_OK;
}

uint32_t sked_drf_clients(const sked_drf *drf)
{
    return drf ? drf->n : 0;
}

uint32_t sked_drf_active(const sked_drf *drf)
{
    return drf ? drf->n_active : 0;
}

int sked_drf_is_active(const sked_drf *drf, uint32_t slot)
{
    return drf && skedi_drf_has(drf, slot) && skedi_drf_is_in(drf, slot);
}

uint32_t sked_drf_slot(const sked_drf *drf, uint64_t key)
{
    return drf && key ? skedi_drf_index_find(drf, key) : SKED_DRF_NONE;
}

uint64_t sked_drf_key(const sked_drf *drf, uint32_t slot)
{
    return drf && skedi_drf_has(drf, slot) ? drf->memory.client[slot].id : 0;
}

sked_status sked_drf_share(const sked_drf *drf, uint32_t slot,
                           sked_drf_standing *standing)
{
    if (!drf || !standing) return SKED_ERR_ARG;
    if (!skedi_drf_has(drf, slot)) return SKED_ERR_NOT_FOUND;

    *standing = skedi_drf_standing(skedi_drf_row(drf, slot), drf->capacity,
                                   drf->kinds, drf->memory.client[slot].weight);
    return SKED_OK;
}

sked_status sked_drf_usage(const sked_drf *drf, uint32_t slot, int64_t *usage)
{
    if (!drf || !usage) return SKED_ERR_ARG;
    if (!skedi_drf_has(drf, slot)) return SKED_ERR_NOT_FOUND;

    memcpy(usage, skedi_drf_row(drf, slot), drf->kinds * sizeof *usage);
    return SKED_OK;
}

static void hash_row(skedi_hash *hash, const int64_t *row, uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) {
        skedi_hash_u64(hash, (uint64_t)row[k]);
    }
}

uint64_t sked_drf_digest(const sked_drf *drf)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 0);
    if (!drf) return skedi_hash_end(&hash);
    skedi_hash_u32(&hash, drf->kinds);
    skedi_hash_u32(&hash, drf->n);
    hash_row(&hash, drf->capacity, drf->kinds);
    for (uint32_t player = 0; player < drf->next_player; player++) {
        uint32_t slot = drf->memory.slot_of[player];
        if (slot == SKED_DRF_NONE) continue;
        skedi_hash_u64(&hash, drf->memory.client[slot].id);
        skedi_hash_u32(&hash, drf->memory.client[slot].weight);
        skedi_hash_u32(&hash, (uint32_t)skedi_drf_is_in(drf, slot));
        hash_row(&hash, skedi_drf_row(drf, slot), drf->kinds);
    }
    return skedi_hash_end(&hash);
}

/* What is wrong with the client in `slot`, or NULL. */
static const char *client_fault(const sked_drf *drf, uint32_t slot)
{
    const skedi_drf_client *client = &drf->memory.client[slot];
    sked_drf_standing now = skedi_drf_standing(
        skedi_drf_row(drf, slot), drf->capacity, drf->kinds, client->weight);
    uint64_t held = *skedi_drf_held_key(drf, slot);

    if (client->key != now.key) return "a key is not that of the usage";
    if (client->player >= drf->next_player ||
        drf->memory.slot_of[client->player] != slot) {
        return "a client and its player do not know each other";
    }
    if (held != SKEDI_WINNER_OUT && held != skedi_drf_player_key(drf, slot)) {
        return "a player has another key than its client";
    }
    if (skedi_drf_index_find(drf, client->id) != slot) {
        return "a client is not found by its key";
    }
    return NULL;
}

static const char *clients_fault(const sked_drf *drf)
{
    uint32_t n = 0, active = 0;

    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        if (!skedi_drf_has(drf, slot)) continue;
        const char *fault = client_fault(drf, slot);
        if (fault) return fault;
        n++;
        active += (uint32_t)skedi_drf_is_in(drf, slot);
    }
    if (n != drf->n || active != drf->n_active) return "a count is wrong";
    for (uint32_t slot = drf->free_slot; slot != SKED_DRF_NONE; n++) {
        if (slot >= drf->slots || n > drf->slots) return "free slots go astray";
        slot = drf->memory.client[slot].player;
    }
    return n == drf->slots ? NULL : "a free slot is lost";
}

sked_status sked_drf_check(const sked_drf *drf, sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");

    const char *fault = clients_fault(drf);
    if (!fault && !skedi_winner_sound(&drf->memory.order)) {
        fault = "a node of the order is not the better of its two";
    }
    if (!fault) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_INTERNAL, fault);
}
