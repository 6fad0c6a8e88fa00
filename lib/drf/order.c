/*
 * DRF on plain arrays: the order of rows, the share of a row, and the rows with
 * a justified complaint. Keys are those of the handle.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "drf/handle.h"
#include "drf/key.h"
#include "drf/rows_in.h"

/*
 * Many clients of a sked_drf at a time. A call first checks all rows, then
 * applies all rows, then updates the tree. If few clients changed, the update
 * goes path by path; otherwise the whole tree is built again.
 */

enum {
    DRF_ROWS_CHECKED = 4096, /* rows between two looks at the cancel flag */
    DRF_ROWS_BUILD = 8       /* this part of the clients: build anew */
};

/* Asks the host at intervals whether to continue. */
static sked_status rows_pause(const sked_drf *drf, size_t at, size_t n)
{
    if (at % DRF_ROWS_CHECKED != 0) return SKED_OK;
    return skedi_hooks_check(&drf->hooks, at, n);
}

static sked_status rows_stop(sked_status rc, sked_error *err)
{
    return skedi_fail_stopped(err, rc);
}

/* Checks that every slot has a client. */
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

/* True if building the whole tree is less work than `n` paths. */
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

/* Brings the clients' keys into the tree. */
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
 * Forgets the clients of the first `n` rows. The clients are players but not in
 * the tree yet. Slots and players become as they were with `slots` slots.
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

    /* The second mention of a slot finds no client. The call then restores the
     * marked clients, and no client is gone. */
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

SKEDI_NO_TAIL_PADDING(sked_drf_input, least);

enum { DRF_ROWS_V1 = SKEDI_SIZE_THROUGH(sked_drf_input, least) };

static sked_status rows_counts(const sked_drf_input *rows, sked_error *err)
{
    if (rows->reserved) return skedi_fail_reserved(err, "input");
    if (rows->flags || rows->kinds == 0 || !rows->capacity) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "input has no capacity, no kinds or flags");
    }
    if (rows->kinds > SKED_MAX_KINDS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many kinds",
            (skedi_fault){.got = rows->kinds, .limit = SKED_MAX_KINDS});
    }
    if (rows->n > INT32_MAX || rows->n > SIZE_MAX / 8 / rows->kinds) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many rows",
            (skedi_fault){.got = (int64_t)rows->n, .limit = INT32_MAX});
    }
    return SKED_OK;
}

/* Tasks from 0 on, SKED_UNLIMITED included. */
static sked_status tasks_in(const int64_t *tasks, uint64_t n, sked_error *err)
{
    for (uint32_t i = 0; tasks && i < n; i++) {
        if (tasks[i] >= 0) continue;
        return skedi_fail(
            err, SKED_ERR_RANGE, "number of tasks is negative",
            (skedi_fault){.row = (int64_t)i + 1, .got = tasks[i]});
    }
    return SKED_OK;
}

static sked_status rows_amounts(const sked_drf_input *rows, unsigned reads,
                                sked_error *err)
{
    sked_status rc = skedi_amounts_in(rows->capacity, 1, rows->kinds,
                                      "capacity is out of range", err);

    if (rc == SKED_OK && (reads & SKEDI_READS_USAGE) && rows->usage) {
        rc = skedi_amounts_in(rows->usage, (size_t)rows->n, rows->kinds,
                              "usage is out of range", err);
    }
    if (rc == SKED_OK && (reads & SKEDI_READS_DEMAND)) {
        rc = skedi_amounts_in(rows->demand, (size_t)rows->n, rows->kinds,
                              "demand is out of range", err);
    }
    if (rc == SKED_OK && (reads & SKEDI_READS_TASKS)) {
        rc = tasks_in(rows->most, rows->n, err);
        if (rc == SKED_OK) rc = tasks_in(rows->least, rows->n, err);
    }
    return rc;
}

sked_status skedi_drf_rows_in(sked_drf_input *rows, const sked_drf_input *given,
                              unsigned reads, sked_error *err)
{
    if (!given) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(rows, sizeof *rows, given, DRF_ROWS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = rows_counts(rows, err);
    if (rc != SKED_OK) return rc;
    if ((reads & SKEDI_READS_DEMAND) && rows->n && !rows->demand) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "input has no demand");
    }
    return rows_amounts(rows, reads, err);
}

/* Keys and indices of all rows, in order of index. */
static sked_status rows_keys(const sked_drf_input *rows, skedi_keyed *items,
                             const skedi_hooks *hooks)
{
    skedi_drf_scale scale[SKED_MAX_KINDS];
    int64_t none[SKED_MAX_KINDS] = {0};

    for (uint32_t k = 0; k < rows->kinds; k++) {
        scale[k] = skedi_drf_scale_of(rows->capacity[k]);
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        sked_status rc = skedi_drf_pause(hooks, i, rows->n);
        if (rc != SKED_OK) return rc;
        const int64_t *usage = rows->usage
                                   ? rows->usage + (size_t)i * rows->kinds
                                   : none;
        uint32_t weight = skedi_drf_weight(rows, i);
        items[i] = (skedi_keyed){
            .key = skedi_drf_key(scale, usage, rows->kinds, weight,
                                 skedi_drf_inverse(weight)),
            .index = i,
        };
    }
    return SKED_OK;
}

sked_status sked_drf_order(const sked_drf_input *input, const sked_host *host,
                           uint32_t *order, sked_error *err)
{
    sked_drf_input own;
    skedi_hooks hooks;

    sked_status rc = skedi_drf_rows_in(&own, input, SKEDI_READS_USAGE, err);
    if (rc != SKED_OK) return rc;
    const char *missing = own.n && !order ? "order" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    skedi_keyed *items = skedi_new(&hooks.mem, (size_t)own.n,
                                   2 * sizeof *items);
    if (!items) return skedi_fail_memory(err);
    rc = rows_keys(&own, items, &hooks);
    if (rc == SKED_OK) {
        skedi_sort_keys(items, items + own.n, (size_t)own.n);
        for (uint32_t i = 0; i < own.n; i++) order[i] = items[i].index;
    }
    skedi_free(&hooks.mem, items, (size_t)own.n, 2 * sizeof *items);
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(err, rc);
}

sked_status sked_drf_standing_once(const int64_t *usage,
                                   const int64_t *capacity, uint32_t kinds,
                                   uint32_t weight, sked_drf_standing *standing,
                                   sked_error *err)
{
    const char *missing = !usage      ? "usage"
                          : !capacity ? "capacity"
                          : !standing ? "standing"
                                      : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (kinds == 0) return skedi_fail_plain(err, SKED_ERR_ARG, "kinds is 0");
    if (kinds > SKED_MAX_KINDS)
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many kinds");
    sked_status rc = skedi_amounts_in(usage, 1, kinds, "usage is out of range",
                                      err);
    if (rc == SKED_OK)
        rc = skedi_amounts_in(capacity, 1, kinds, "capacity is out of range",
                              err);
    if (rc != SKED_OK) return rc;

    *standing = skedi_drf_standing(usage, capacity, kinds, weight);
    return SKED_OK;
}

/* The kinds with no free amount. */
static uint32_t full_kinds(const sked_drf_input *rows)
{
    uint32_t full = 0;

    for (uint32_t k = 0; k < rows->kinds; k++) {
        skedi_u128 used = skedi_u128_of(0);
        for (uint32_t i = 0; rows->usage && i < rows->n; i++) {
            uint64_t mine = (uint64_t)rows->usage[(size_t)i * rows->kinds + k];
            used = skedi_u128_add(used, skedi_u128_of(mine));
        }
        uint64_t capacity = (uint64_t)rows->capacity[k];
        int over = skedi_u128_cmp(used, skedi_u128_of(capacity)) >= 0;
        full |= (uint32_t)over << k;
    }
    return full;
}

/* True if client i has its whole demand. */
static int has_all(const sked_drf_input *rows, uint32_t i, const int64_t *usage)
{
    const int64_t *demand = rows->demand + (size_t)i * rows->kinds;
    uint64_t most = (uint64_t)(rows->most ? rows->most[i] : SKED_UNLIMITED);

    for (uint32_t k = 0; k < rows->kinds; k++) {
        if (demand[k] == 0) continue;
        if (most == (uint64_t)SKED_UNLIMITED) return 0;
        if (skedi_cmp_mul((uint64_t)demand[k], most, (uint64_t)usage[k], 1) > 0)
            return 0;
    }
    return 1;
}

/* True if client i has its part by weight of a full kind that the client
 * needs. */
static int has_part(const sked_drf_input *rows, uint32_t i,
                    const int64_t *usage, uint32_t full, uint64_t weights)
{
    const int64_t *demand = rows->demand + (size_t)i * rows->kinds;

    for (uint32_t k = 0; k < rows->kinds; k++) {
        if (demand[k] == 0 || !(full >> k & 1)) continue;
        if (skedi_cmp_mul((uint64_t)usage[k], weights,
                          (uint64_t)rows->capacity[k],
                          skedi_drf_weight(rows, i)) >= 0) {
            return 1;
        }
    }
    return 0;
}

/* Counts the clients with a complaint; writes their indices to `clients`,
 * unless `clients` is NULL. */
static size_t list_complaints(const sked_drf_input *rows, uint32_t full,
                              uint32_t *clients)
{
    static const int64_t none[SKED_MAX_KINDS];
    uint64_t weights = 0;
    size_t n = 0;

    full |= full_kinds(rows);
    for (uint32_t i = 0; i < rows->n; i++) weights += skedi_drf_weight(rows, i);
    for (uint32_t i = 0; i < rows->n; i++) {
        const int64_t *usage = rows->usage
                                   ? rows->usage + (size_t)i * rows->kinds
                                   : none;
        if (has_all(rows, i, usage)) continue;
        if (has_part(rows, i, usage, full, weights)) continue;
        if (clients) clients[n] = i;
        n++;
    }
    return n;
}

sked_status sked_drf_complaints(const sked_drf_input *input, uint32_t full,
                                uint32_t *clients, size_t cap, size_t *n,
                                sked_error *err)
{
    enum { READS = SKEDI_READS_USAGE | SKEDI_READS_DEMAND | SKEDI_READS_TASKS };
    sked_drf_input own;

    const char *missing = !n ? "n" : cap && !clients ? "clients" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_drf_rows_in(&own, input, READS, err);
    if (rc != SKED_OK) return rc;

    *n = list_complaints(&own, full, NULL);
    if (cap < *n) return skedi_fail_cap(err, *n, cap);
    (void)list_complaints(&own, full, clients);
    return SKED_OK;
}
