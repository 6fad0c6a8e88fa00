/* A sked_drf from creation to end, and the operations on all clients. */
#include "drf/handle.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/versioned.h"

/*
 * The memory of a sked_drf: a block of arrays for a number of clients, and the
 * index of clients by the host's key. Larger arrays replace the whole block.
 * The index is an open hash table of slots. Every run of occupied places is
 * without gaps: a removal closes its gap.
 */

enum { DRF_CAP_MIN = 8 };

static void drf_memory_release(skedi_drf_memory *memory, skedi_mem *mem)
{
    skedi_free(mem, memory->client, memory->cap, sizeof *memory->client);
    skedi_free(mem, memory->usage, (size_t)memory->cap * memory->kinds,
               sizeof *memory->usage);
    skedi_free(mem, memory->slot_of, memory->players, sizeof *memory->slot_of);
    skedi_free(mem, memory->order.key, memory->players,
               sizeof *memory->order.key);
    skedi_free(mem, memory->order.node, memory->order.blocks,
               2 * sizeof *memory->order.node);
    skedi_free(mem, memory->index, memory->index_size, sizeof *memory->index);
    skedi_free(mem, memory->scratch, 2 * (size_t)memory->cap,
               sizeof *memory->scratch);
    *memory = (skedi_drf_memory){0};
}

/* Half as many players again as the number of clients: see drf_renumber(). */
static int memory_fill_in(skedi_drf_memory *memory, uint32_t cap,
                          uint32_t kinds, skedi_mem *mem)
{
    uint32_t blocks = skedi_winner_blocks(cap + cap / 2);

    *memory = (skedi_drf_memory){
        .cap = cap,
        .players = blocks * SKEDI_WINNER_BLOCK,
        .index_size = (uint32_t)skedi_ceil_pow2(2 * (uint64_t)cap),
        .kinds = kinds,
        .order = {.blocks = blocks},
    };
    if (kinds > SIZE_MAX / cap) return 0;
    return (memory->client = skedi_new(mem, cap, sizeof *memory->client)) &&
           (memory->usage = skedi_new(mem, (size_t)cap * kinds,
                                      sizeof *memory->usage)) &&
           (memory->slot_of = skedi_new(mem, memory->players,
                                        sizeof *memory->slot_of)) &&
           (memory->order.key = skedi_new(mem, memory->players,
                                          sizeof *memory->order.key)) &&
           (memory->order.node = skedi_new(mem, blocks,
                                           2 * sizeof *memory->order.node)) &&
           (memory->index = skedi_new(mem, memory->index_size,
                                      sizeof *memory->index)) &&
           (memory->scratch = skedi_new(mem, 2 * (size_t)cap,
                                        sizeof *memory->scratch));
}

static uint32_t index_start(const skedi_drf_memory *memory, uint64_t id)
{
    id ^= id >> 33;
    id *= UINT64_C(0xff51afd7ed558ccd);
    id ^= id >> 29;
    return (uint32_t)(id & (memory->index_size - 1));
}

/* The place of an id in the index, or the empty place for the id. */
static uint32_t index_place(const skedi_drf_memory *memory, uint64_t id)
{
    uint32_t mask = memory->index_size - 1;
    uint32_t at = index_start(memory, id);

    while (memory->index[at] != SKED_DRF_NONE &&
           memory->client[memory->index[at]].id != id) {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t skedi_drf_index_find(const sked_drf *drf, uint64_t id)
{
    return drf->memory.index[index_place(&drf->memory, id)];
}

static void drf_index_add(sked_drf *drf, uint64_t id, uint32_t slot)
{
    drf->memory.index[index_place(&drf->memory, id)] = slot;
}

void skedi_drf_index_drop(sked_drf *drf, uint64_t id)
{
    skedi_drf_memory *memory = &drf->memory;
    uint32_t mask = memory->index_size - 1;
    uint32_t gap = index_place(memory, id);

    for (uint32_t at = gap;;) {
        at = (at + 1) & mask;
        uint32_t slot = memory->index[at];
        if (slot == SKED_DRF_NONE) break;
        uint32_t start = index_start(memory, memory->client[slot].id);
        if (((at - start) & mask) < ((at - gap) & mask)) continue;
        memory->index[gap] = slot; /* the run began before the gap */
        gap = at;
    }
    memory->index[gap] = SKED_DRF_NONE;
}

/* Numbers clients as players of `to`, from 0 on; `to` may be `from`. */
static uint32_t number_all(skedi_drf_memory *to, const skedi_drf_memory *from,
                           uint32_t players)
{
    uint32_t next = 0;

    for (uint32_t player = 0; player < players; player++) {
        uint32_t slot = from->slot_of[player];
        if (slot == SKED_DRF_NONE) continue;
        uint64_t key = from->order.key[player];
        to->client[slot].player = next;
        to->slot_of[next] = slot;
        to->order.key[next] = key;
        next++;
    }
    for (uint32_t player = next; player < to->players; player++) {
        to->slot_of[player] = SKED_DRF_NONE;
        to->order.key[player] = SKEDI_WINNER_OUT;
    }
    return next;
}

/* Numbers all clients from 0 on, in their order. */
static void drf_renumber(sked_drf *drf)
{
    drf->next_player = number_all(&drf->memory, &drf->memory, drf->next_player);
    drf->work.moves++;
    skedi_drf_build(drf);
}

/* Copies the contents of the old memory into the new one, and takes over the
 * new memory. */
static void memory_move(sked_drf *drf, skedi_drf_memory *next)
{
    const skedi_drf_memory *old = &drf->memory;

    memset(next->index, 0xff, next->index_size * sizeof *next->index);
    if (old->cap) {
        memcpy(next->client, old->client, drf->slots * sizeof *next->client);
        memcpy(next->usage, old->usage,
               (size_t)drf->slots * drf->kinds * sizeof *next->usage);
    }
    drf->next_player = number_all(next, old, drf->next_player);

    skedi_drf_memory held = drf->memory;
    drf->memory = *next;
    *next = held;
    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        uint64_t id = drf->memory.client[slot].id;
        if (id) drf_index_add(drf, id, slot);
    }
    skedi_drf_build(drf);
}

/* Replaces the memory by a block for `cap` clients. 0: no memory, nothing
 * changed. */
static int drf_grow(sked_drf *drf, uint32_t cap)
{
    skedi_mem *mem = &drf->hooks.mem;
    skedi_drf_memory next;

    if (cap < DRF_CAP_MIN) cap = DRF_CAP_MIN;
    int there = memory_fill_in(&next, cap, drf->kinds, mem);
    if (there) memory_move(drf, &next);
    drf_memory_release(&next, mem); /* old block, or half of the new block */
    return there;
}

void skedi_drf_build(sked_drf *drf)
{
    drf->work.builds++;
    skedi_winner_build(&drf->memory.order);
}

/*
 * Single clients of a sked_drf: each call checks, changes a row, computes a key
 * and updates a path of the tree.
 */

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

/* Computes a client's new key; if the client is in the tree, updates the
 * path. */
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
    if (drf->next_player == drf->memory.players) drf_renumber(drf);

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
    drf_index_add(drf, id, slot);
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

/* Grows by half, or to the needed size. 0: no memory. */
int skedi_drf_memory_make(sked_drf *drf, size_t more)
{
    uint64_t want = drf->n + (uint64_t)more;
    uint64_t grown = drf->memory.cap + (uint64_t)drf->memory.cap / 2;

    if (want <= drf->memory.cap) return 1;
    if (want > SKEDI_DRF_MAX_CLIENTS) return 0;
    if (grown > SKEDI_DRF_MAX_CLIENTS) grown = SKEDI_DRF_MAX_CLIENTS;
    return drf_grow(drf, (uint32_t)(want > grown ? want : grown));
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

/* Reads of a sked_drf: the next client, the whole order, a client, or all
 * clients. */

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

/* The fault of the client in `slot`; NULL: no fault. */
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

SKEDI_NO_TAIL_PADDING(sked_drf_options, clients);
SKEDI_NO_TAIL_PADDING(sked_drf_standing, kind);

enum { DRF_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_drf_options, clients) };

static sked_status drf_too_many(sked_error *err, uint32_t clients)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, "too many clients",
        (skedi_fault){.got = clients, .limit = SKEDI_DRF_MAX_CLIENTS});
}

static sked_status drf_options_in(sked_drf_options *opts,
                                  const sked_drf_options *given,
                                  sked_error *err)
{
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given, DRF_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (opts->flags) {
        return skedi_fail_flags(err, "options");
    }
    if (opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many kinds",
            (skedi_fault){.got = opts->kinds, .limit = SKED_MAX_KINDS});
    }
    if (opts->clients > SKEDI_DRF_MAX_CLIENTS)
        return drf_too_many(err, opts->clients);
    if (opts->kinds == 0) opts->kinds = 1;
    return SKED_OK;
}

/* Creates an empty handle without arrays; `hooks` supply the memory. */
static sked_drf *drf_make(skedi_hooks *hooks, uint32_t kinds)
{
    sked_drf *drf = skedi_new(&hooks->mem, 1, sizeof *drf);

    if (!drf) return NULL;
    drf->hooks = *hooks;
    drf->kinds = kinds;
    drf->free_slot = SKED_DRF_NONE;
    for (uint32_t k = 0; k < kinds; k++) drf->scale[k] = skedi_drf_scale_of(0);
    return drf;
}

static void drf_destroy(sked_drf *drf)
{
    skedi_mem mem = drf->hooks.mem;

    drf_memory_release(&drf->memory, &mem);
    skedi_free(&mem, drf, 1, sizeof *drf);
}

sked_status sked_drf_new(const sked_drf_options *options, const sked_host *host,
                         sked_drf **drf, sked_error *err)
{
    sked_drf_options want;
    skedi_hooks hooks;

    if (!drf) return skedi_fail_null(err, "drf");
    *drf = NULL;
    sked_status rc = drf_options_in(&want, options, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_drf *made = drf_make(&hooks, want.kinds);
    if (made && drf_grow(made, want.clients)) {
        *drf = made;
        return SKED_OK;
    }
    if (made) drf_destroy(made);
    return skedi_fail_memory(err);
}

void sked_drf_free(sked_drf *drf)
{
    if (!drf) return;
    sked_host host = drf->hooks.host;
    drf_destroy(drf);
    skedi_hooks_done(host);
}

sked_status sked_drf_reserve(sked_drf *drf, uint32_t clients, sked_error *err)
{
    if (!drf) return skedi_fail_null(err, "drf");
    if (clients > SKEDI_DRF_MAX_CLIENTS) return drf_too_many(err, clients);

    sked_status rc = SKED_OK;
    skedi_hooks_open(&drf->hooks);
    if (clients > drf->memory.cap && !drf_grow(drf, clients)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_hooks_seal(&drf->hooks, rc);
}

sked_status sked_drf_set_capacity(sked_drf *drf, const int64_t *capacity,
                                  sked_error *err)
{
    const char *missing = !drf ? "drf" : !capacity ? "capacity" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_amounts_in(capacity, 1, drf->kinds,
                                      "capacity is out of range", err);
    if (rc != SKED_OK) return rc;
    for (uint32_t k = 0; k < drf->kinds; k++) {
        drf->capacity[k] = capacity[k];
        drf->scale[k] = skedi_drf_scale_of(capacity[k]);
    }
    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        if (!skedi_drf_has(drf, slot)) continue;
        skedi_drf_rekey(drf, slot);
        if (!skedi_drf_is_in(drf, slot)) continue;
        *skedi_drf_held_key(drf, slot) = skedi_drf_player_key(drf, slot);
    }
    skedi_drf_build(drf);
    return SKED_OK;
}
