/*
 * Clients of a sked_drf, many at a time: first all rows are checked, then all
 * are applied, then the tree is brought up to date: path by path when few
 * clients changed, as a whole when that is less work.
 */
#include <string.h>

#include "base/fail.h"
#include "drf/handle.h"

enum {
    DRF_ROWS_CHECKED = 4096, /* rows between two looks at the cancel flag */
    DRF_ROWS_BUILD = 8       /* this part of the clients: build anew */
};

/* Time to look whether the host wants this to stop? */
static sked_status rows_pause(const sked_drf *drf, size_t at, size_t n)
{
    if (at % DRF_ROWS_CHECKED != 0) return SKED_OK;
    return skedi_hooks_check(&drf->hooks, at, n);
}

static sked_status rows_stop(sked_status rc, sked_error *err)
{
    return skedi_fail_stopped(err, rc);
}

/* Are all slots taken? */
static sked_status rows_check(const sked_drf *drf, size_t n,
                              const uint32_t *slot, const void *column,
                              sked_error *err)
{
    const char *missing = !drf           ? "drf"
                          : n && !slot   ? "slot"
                          : n && !column ? "column"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (size_t i = 0; i < n; i++) {
        sked_status rc = rows_pause(drf, i, n);
        if (rc != SKED_OK) return rows_stop(rc, err);
        if (skedi_drf_has(drf, slot[i])) continue;
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "no client in the slot",
                          (skedi_fault){.row = (int64_t)i + 1, .got = slot[i]});
    }
    return SKED_OK;
}

/* Is building the tree anew less work than `n` paths? */
static int rows_are_many(const sked_drf *drf, size_t n)
{
    return n > drf->n / DRF_ROWS_BUILD;
}

/* Gives a player a key; with `whole` the tree is still to be built. */
static void player_reach(sked_drf *drf, uint32_t player, uint64_t key,
                         int whole)
{
    if (whole)
        drf->memory.order.key[player] = key;
    else
        skedi_drf_reach(drf, player, key);
}

/* Brings the keys of these clients into the tree. */
static void rows_reach(sked_drf *drf, size_t n, const uint32_t *slot)
{
    int whole = rows_are_many(drf, n);

    for (size_t i = 0; i < n; i++) {
        if (!skedi_drf_is_in(drf, slot[i])) continue;
        player_reach(drf, drf->memory.client[slot[i]].player,
                     skedi_drf_player_key(drf, slot[i]), whole);
    }
    if (whole) skedi_drf_build(drf);
}

/*
 * Forgets the clients of the first `n` rows, which are players but not in the
 * tree yet: slots and players are again as when there were `slots` slots.
 */
static void rows_uninsert(sked_drf *drf, size_t n, const uint64_t *key,
                          uint32_t slots)
{
    while (n-- > 0) {
        uint32_t slot = skedi_drf_index_find(drf, key[n]);
        skedi_drf_drop(drf, slot);
        drf->next_player--;
        drf->n_active--;
        if (slot < slots) continue;
        drf->free_slot = drf->memory.client[slot].player;
        drf->slots--;
    }
}

/* Why a row cannot be added, or SKED_OK. */
static sked_status row_refused(const sked_drf *drf, size_t at, size_t n,
                               const uint64_t *key, sked_error *err)
{
    skedi_fault fault = {.row = (int64_t)at + 1, .got = (int64_t)key[at]};
    sked_status rc = rows_pause(drf, at, n);

    if (rc != SKED_OK) return rows_stop(rc, err);
    if (key[at] == 0) return skedi_fail(err, SKED_ERR_ARG, "key is 0", fault);
    if (skedi_drf_index_find(drf, key[at]) != SKED_DRF_NONE) {
        return skedi_fail(err, SKED_ERR_EXISTS, "key is taken", fault);
    }
    return SKED_OK;
}

/* Enters all rows, or none. */
static sked_status rows_enter(sked_drf *drf, size_t n, const uint64_t *key,
                              const uint32_t *weight, const int64_t *usage,
                              sked_error *err)
{
    uint32_t slots = drf->slots;

    for (size_t i = 0; i < n; i++) {
        sked_status rc = row_refused(drf, i, n, key, err);
        if (rc != SKED_OK) {
            rows_uninsert(drf, i, key, slots);
            return rc;
        }
        skedi_drf_player_new(drf, key[i], weight ? weight[i] : 1,
                             usage ? usage + i * drf->kinds : NULL);
    }
    return SKED_OK;
}

sked_status sked_drf_insert_rows(sked_drf *drf, const uint64_t *key,
                                 const uint32_t *weight, const int64_t *usage,
                                 size_t n, uint32_t *slot, sked_error *err)
{
    sked_status rc = SKED_OK;

    const char *missing = !drf ? "drf" : n && !key ? "key" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (usage) {
        rc = skedi_amounts_in(usage, n, drf->kinds, "usage is out of range",
                              err);
    }
    if (rc != SKED_OK) return rc;
    if (!skedi_drf_memory_make(drf, n)) {
        return skedi_fail_memory(err);
    }
    rc = rows_enter(drf, n, key, weight, usage, err);
    if (rc != SKED_OK) return rc;
    int whole = rows_are_many(drf, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = skedi_drf_index_find(drf, key[i]);
        player_reach(drf, drf->memory.client[at].player,
                     skedi_drf_player_key(drf, at), whole);
        if (slot) slot[i] = at;
    }
    if (whole) skedi_drf_build(drf);
    return SKED_OK;
}

sked_status sked_drf_remove_rows(sked_drf *drf, const uint32_t *slot, size_t n,
                                 sked_error *err)
{
    sked_status rc = rows_check(drf, n, slot, slot, err);
    if (rc != SKED_OK) return rc;

    /* A slot named twice has lost its client when it comes again: then what
     * was marked is put back, and no client is gone. */
    for (size_t i = 0; i < n; i++) {
        skedi_drf_client *client = &drf->memory.client[slot[i]];
        if (drf->memory.slot_of[client->player] != SKED_DRF_NONE) {
            drf->memory.slot_of[client->player] = SKED_DRF_NONE;
            continue;
        }
        for (size_t k = 0; k < i; k++) {
            drf->memory.slot_of[drf->memory.client[slot[k]].player] = slot[k];
        }
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "client is removed twice",
                          (skedi_fault){.row = (int64_t)i + 1, .got = slot[i]});
    }
    int whole = rows_are_many(drf, n);
    for (size_t i = 0; i < n; i++) {
        player_reach(drf, skedi_drf_drop(drf, slot[i]), SKEDI_WINNER_OUT,
                     whole);
    }
    if (whole) skedi_drf_build(drf);
    return SKED_OK;
}

sked_status sked_drf_update_rows(sked_drf *drf, const uint32_t *slot,
                                 const int64_t *usage, size_t n,
                                 sked_error *err)
{
    sked_status rc = rows_check(drf, n, slot, usage, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_amounts_in(usage, n, drf->kinds, "usage is out of range", err);
    if (rc != SKED_OK) return rc;

    for (size_t i = 0; i < n; i++) {
        memcpy(skedi_drf_row(drf, slot[i]), usage + i * drf->kinds,
               drf->kinds * sizeof *usage);
    }
    for (size_t i = 0; i < n; i++) skedi_drf_rekey(drf, slot[i]);
    rows_reach(drf, n, slot);
    return SKED_OK;
}

/* Takes the deltas of the first `n` rows back. */
static void rows_uncharge(sked_drf *drf, size_t n, const uint32_t *slot,
                          const int64_t *delta)
{
    while (n-- > 0) {
        int64_t *row = skedi_drf_row(drf, slot[n]);
        for (uint32_t k = 0; k < drf->kinds; k++) {
            row[k] -= delta[n * drf->kinds + k];
        }
    }
}

sked_status sked_drf_charge_rows(sked_drf *drf, const uint32_t *slot,
                                 const int64_t *delta, size_t n,
                                 sked_error *err)
{
    sked_status rc = rows_check(drf, n, slot, delta, err);
    if (rc != SKED_OK) return rc;

    for (size_t i = 0; i < n; i++) {
        const int64_t *row = delta + i * drf->kinds;
        uint32_t bad = skedi_drf_charge_row(drf, slot[i], row);
        if (bad == drf->kinds) continue;
        rows_uncharge(drf, i, slot, delta);
        return skedi_drf_charge_fail(drf, slot[i], row, bad, i, err);
    }
    for (size_t i = 0; i < n; i++) skedi_drf_rekey(drf, slot[i]);
    rows_reach(drf, n, slot);
    return SKED_OK;
}

sked_status sked_drf_set_weight_rows(sked_drf *drf, const uint32_t *slot,
                                     const uint32_t *weight, size_t n,
                                     sked_error *err)
{
    sked_status rc = rows_check(drf, n, slot, weight, err);
    if (rc != SKED_OK) return rc;

    for (size_t i = 0; i < n; i++) skedi_drf_reweigh(drf, slot[i], weight[i]);
    rows_reach(drf, n, slot);
    return SKED_OK;
}

sked_status sked_drf_activate_rows(sked_drf *drf, const uint32_t *slot,
                                   const uint8_t *active, size_t n,
                                   sked_error *err)
{
    sked_status rc = rows_check(drf, n, slot, active, err);
    if (rc != SKED_OK) return rc;

    int whole = rows_are_many(drf, n);
    for (size_t i = 0; i < n; i++) {
        int was = skedi_drf_is_in(drf, slot[i]);
        if (was == !!active[i]) continue;
        drf->n_active += active[i] ? 1 : UINT32_MAX;
        player_reach(drf, drf->memory.client[slot[i]].player,
                     active[i] ? skedi_drf_player_key(drf, slot[i])
                               : SKEDI_WINNER_OUT,
                     whole);
    }
    if (whole) skedi_drf_build(drf);
    return SKED_OK;
}
