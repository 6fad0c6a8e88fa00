/*
 * Clients of a sked_drf, one at a time: each call checks, changes one row,
 * computes one key and walks one path of the tree.
 */
#include <string.h>

#include "base/fail.h"
#include "drf/handle.h"

void skedi_drf_rekey(sked_drf *drf, uint32_t slot)
{
    skedi_drf_client *client = &drf->memory.client[slot];

    drf->work.keys++;
    client->key = skedi_drf_key(drf->scale, skedi_drf_row(drf, slot),
                                drf->kinds, client->weight, client->inverse);
}

void skedi_drf_reach(sked_drf *drf, uint32_t player, uint64_t key)
{
    drf->work.levels += skedi_winner_set(&drf->memory.order, player, key);
}

/* A new key for a client, and its path if it is in the tree. */
static void client_changed(sked_drf *drf, uint32_t slot)
{
    skedi_drf_rekey(drf, slot);
    if (skedi_drf_is_in(drf, slot)) {
        skedi_drf_reach(drf, drf->memory.client[slot].player,
                        skedi_drf_player_key(drf, slot));
    }
}

static uint32_t take_slot(sked_drf *drf)
{
    uint32_t slot = drf->free_slot;

    if (slot == SKED_DRF_NONE) return drf->slots++;
    drf->free_slot = drf->memory.client[slot].player;
    return slot;
}

uint32_t skedi_drf_player_new(sked_drf *drf, uint64_t id, uint32_t weight,
                              const int64_t *usage)
{
    if (drf->next_player == drf->memory.players) skedi_drf_renumber(drf);

    uint32_t slot = take_slot(drf);
    drf->memory.client[slot] = (skedi_drf_client){
        .id = id,
        .inverse = skedi_drf_inverse(weight),
        .weight = weight,
        .player = drf->next_player++,
    };
    drf->memory.slot_of[drf->memory.client[slot].player] = slot;
    int64_t *row = skedi_drf_row(drf, slot);
    if (usage)
        memcpy(row, usage, drf->kinds * sizeof *row);
    else
        memset(row, 0, drf->kinds * sizeof *row);
    skedi_drf_index_add(drf, id, slot);
    skedi_drf_rekey(drf, slot);
    drf->n++;
    drf->n_active++;
    return slot;
}

static sked_status bad_insert(sked_drf *drf, uint64_t key, const int64_t *usage,
                              sked_error *err)
{
    if (key == 0) return skedi_fail_plain(err, SKED_ERR_ARG, "key is 0");
    if (skedi_drf_index_find(drf, key) != SKED_DRF_NONE) {
        return skedi_fail(err, SKED_ERR_EXISTS, "key is taken",
                          (skedi_fault){.got = (int64_t)key});
    }
    if (!usage) return SKED_OK;
    return skedi_amounts_in(usage, 1, drf->kinds, "usage is out of range", err);
}

/* Half as many again, or what is needed. 0: no memory. */
int skedi_drf_memory_make(sked_drf *drf, size_t more)
{
    uint64_t want = drf->n + (uint64_t)more;
    uint64_t grown = drf->memory.cap + (uint64_t)drf->memory.cap / 2;

    if (want <= drf->memory.cap) return 1;
    if (want > SKEDI_DRF_MAX_CLIENTS) return 0;
    if (grown > SKEDI_DRF_MAX_CLIENTS) grown = SKEDI_DRF_MAX_CLIENTS;
    return skedi_drf_grow(drf, (uint32_t)(want > grown ? want : grown));
}

sked_status sked_drf_insert(sked_drf *drf, uint64_t key, uint32_t weight,
                            const int64_t *usage, uint32_t *slot,
                            sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");
    sked_status rc = bad_insert(drf, key, usage, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_drf_memory_make(drf, 1)) {
        return skedi_fail_memory(err);
    }
    uint32_t at = skedi_drf_player_new(drf, key, weight, usage);
    skedi_drf_reach(drf, drf->memory.client[at].player,
                    skedi_drf_player_key(drf, at));
    if (slot) *slot = at;
    return SKED_OK;
}

/* NULL handle or free slot: the failure to return, else SKED_OK. */
static sked_status bad_slot(const sked_drf *drf, uint32_t slot, sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");
    if (skedi_drf_has(drf, slot)) return SKED_OK;
    return skedi_fail(err, SKED_ERR_NOT_FOUND, "no client in the slot",
                      (skedi_fault){.got = slot});
}

uint32_t skedi_drf_drop(sked_drf *drf, uint32_t slot)
{
    skedi_drf_client *client = &drf->memory.client[slot];
    uint32_t player = client->player;

    drf->n_active -= (uint32_t)skedi_drf_is_in(drf, slot);
    drf->n--;
    skedi_drf_index_drop(drf, client->id);
    drf->memory.slot_of[player] = SKED_DRF_NONE;
    *client = (skedi_drf_client){.player = drf->free_slot};
    drf->free_slot = slot;
    return player;
}

sked_status sked_drf_remove(sked_drf *drf, uint32_t slot, sked_error *err)
{
    sked_status rc = bad_slot(drf, slot, err);
    if (rc != SKED_OK) return rc;

    skedi_drf_reach(drf, skedi_drf_drop(drf, slot), SKEDI_WINNER_OUT);
    return SKED_OK;
}

sked_status sked_drf_update(sked_drf *drf, uint32_t slot, const int64_t *usage,
                            sked_error *err)
{
    sked_status rc = bad_slot(drf, slot, err);
    if (rc != SKED_OK) return rc;
    if (!usage) return skedi_fail_null(err, "usage");
    rc = skedi_amounts_in(usage, 1, drf->kinds, "usage is out of range", err);
    if (rc != SKED_OK) return rc;
    memcpy(skedi_drf_row(drf, slot), usage, drf->kinds * sizeof *usage);
    client_changed(drf, slot);
    return SKED_OK;
}

uint32_t skedi_drf_charge_row(sked_drf *drf, uint32_t slot,
                              const int64_t *delta)
{
    int64_t *row = skedi_drf_row(drf, slot);
    int64_t sum[SKED_MAX_KINDS];
    int bad = 0;

    for (uint32_t k = 0; k < drf->kinds; k++) {
        bad |= !skedi_i64_add(row[k], delta[k], &sum[k]);
        bad |= (uint64_t)sum[k] > (uint64_t)SKED_AMOUNT_MAX;
        if (bad) return k;
    }
    memcpy(row, sum, drf->kinds * sizeof *row);
    return drf->kinds;
}

sked_status skedi_drf_charge_fail(const sked_drf *drf, uint32_t slot,
                                  const int64_t *delta, uint32_t kind,
                                  size_t at, sked_error *err)
{
    return skedi_fail(err, SKED_ERR_RANGE, "usage would be out of range",
                      (skedi_fault){.kind = (int32_t)kind + 1,
                                    .row = (int64_t)at + 1,
                                    .got = delta[kind],
                                    .limit = skedi_drf_row(drf, slot)[kind]});
}

sked_status sked_drf_charge(sked_drf *drf, uint32_t slot, const int64_t *delta,
                            sked_error *err)
{
    sked_status rc = bad_slot(drf, slot, err);
    if (rc != SKED_OK) return rc;
    if (!delta) return skedi_fail_null(err, "delta");
    uint32_t bad = skedi_drf_charge_row(drf, slot, delta);
    if (bad < drf->kinds) {
        return skedi_drf_charge_fail(drf, slot, delta, bad, 0, err);
    }
    client_changed(drf, slot);
    return SKED_OK;
}

void skedi_drf_reweigh(sked_drf *drf, uint32_t slot, uint32_t weight)
{
    skedi_drf_client *client = &drf->memory.client[slot];

    client->weight = weight;
    client->inverse = skedi_drf_inverse(weight);
    skedi_drf_rekey(drf, slot);
}

sked_status sked_drf_set_weight(sked_drf *drf, uint32_t slot, uint32_t weight,
                                sked_error *err)
{
    sked_status rc = bad_slot(drf, slot, err);
    if (rc != SKED_OK) return rc;

    skedi_drf_reweigh(drf, slot, weight);
    if (skedi_drf_is_in(drf, slot)) {
        skedi_drf_reach(drf, drf->memory.client[slot].player,
                        skedi_drf_player_key(drf, slot));
    }
    return SKED_OK;
}

sked_status sked_drf_activate(sked_drf *drf, uint32_t slot, int active,
                              sked_error *err)
{
    sked_status rc = bad_slot(drf, slot, err);
    if (rc != SKED_OK) return rc;

    int was = skedi_drf_is_in(drf, slot);
    if (was == !!active) return SKED_OK;
    drf->n_active += active ? 1 : UINT32_MAX;
    skedi_drf_reach(drf, drf->memory.client[slot].player,
                    active ? skedi_drf_player_key(drf, slot)
                           : SKEDI_WINNER_OUT);
    return SKED_OK;
}
