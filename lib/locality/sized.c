/*
 * Blocks of unequal size on equal hosts: two starts, single moves until none
 * helps, and a lower bound from the proof of the placement of equal blocks,
 * whose sets of hosts hold what is nowhere else.
 */
#include "locality/handle.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_sized_result, unplaced);

enum {
    SIZED_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_sized_result, unplaced)
};

typedef struct sized_work {
    const skedi_blocks *in;
    const int64_t *size;
    skedi_hooks *hooks;
    uint8_t *choice[2];
    int64_t *sum; /* by host */
    skedi_keyed *key;
    skedi_keyed *scratch;
    size_t keys; /* as many as blocks or hosts */
} sized_work;

static int reserve_sized(sized_work *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t blocks = w->in->blocks, hosts = w->in->hosts;

    w->keys = blocks > hosts ? blocks : hosts;
    return (w->choice[0] = skedi_new(mem, blocks, 1)) &&
           (w->choice[1] = skedi_new(mem, blocks, 1)) &&
           (w->sum = skedi_new(mem, hosts, sizeof *w->sum)) &&
           (w->key = skedi_new(mem, w->keys, sizeof *w->key)) &&
           (w->scratch = skedi_new(mem, w->keys, sizeof *w->scratch));
}

static void drop_sized(sized_work *w)
{
    skedi_mem *mem = &w->hooks->mem;

    skedi_free(mem, w->choice[0], w->in->blocks, 1);
    skedi_free(mem, w->choice[1], w->in->blocks, 1);
    skedi_free(mem, w->sum, w->in->hosts, sizeof *w->sum);
    skedi_free(mem, w->key, w->keys, sizeof *w->key);
    skedi_free(mem, w->scratch, w->keys, sizeof *w->scratch);
}

/* ---- Starts ---- */

/* Where a sum is least among a block's replicas; SKED_LOCALITY_NO_REPLICA:
 * none. */
static uint8_t least_replica(const sized_work *w, uint32_t b)
{
    const uint32_t *row = w->in->replica + (size_t)b * w->in->replicas;
    uint8_t best = SKED_LOCALITY_NO_REPLICA;

    for (uint32_t k = 0; k < w->in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        if (best == SKED_LOCALITY_NO_REPLICA ||
            w->sum[row[k]] < w->sum[row[best]]) {
            best = (uint8_t)k;
        }
    }
    return best;
}

/* The largest first, equal ones by number, each where least is. */
static void start_by_size(sized_work *w, uint8_t *choice)
{
    const uint32_t blocks = w->in->blocks;

    memset(w->sum, 0, w->in->hosts * sizeof *w->sum);
    for (uint32_t b = 0; b < blocks; b++) {
        w->key[b] = (skedi_keyed){~(uint64_t)w->size[b], b, 0};
    }
    skedi_sort_keys(w->key, w->scratch, blocks);
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t b = w->key[i].index;
        choice[b] = least_replica(w, b);
        if (choice[b] == SKED_LOCALITY_NO_REPLICA) continue;
        const uint32_t *row = w->in->replica + (size_t)b * w->in->replicas;
        w->sum[row[choice[b]]] += w->size[b];
    }
}

static void add_sums(sized_work *w, const uint8_t *choice)
{
    memset(w->sum, 0, w->in->hosts * sizeof *w->sum);
    for (uint32_t b = 0; b < w->in->blocks; b++) {
        if (choice[b] == SKED_LOCALITY_NO_REPLICA) continue;
        const uint32_t *row = w->in->replica + (size_t)b * w->in->replicas;
        w->sum[row[choice[b]]] += w->size[b];
    }
}

/* ---- Moves ---- */

static uint64_t sweep_sizes(sized_work *w, uint8_t *choice)
{
    uint64_t moved = 0;

    for (uint32_t b = 0; b < w->in->blocks; b++) {
        const uint32_t *row = w->in->replica + (size_t)b * w->in->replicas;
        uint8_t k = least_replica(w, b);
        if (k == SKED_LOCALITY_NO_REPLICA) continue;
        uint32_t from = row[choice[b]], to = row[k];
        if (w->size[b] >= w->sum[from] - w->sum[to]) continue;
        w->sum[from] -= w->size[b];
        w->sum[to] += w->size[b];
        choice[b] = k;
        moved++;
    }
    return moved;
}

static int64_t largest_sum(const sized_work *w)
{
    int64_t most = 0;

    for (uint32_t h = 0; h < w->in->hosts; h++) {
        most = skedi_i64_max(most, w->sum[h]);
    }
    return most;
}

/* Until no move helps. */
static sked_status improve_sizes(sized_work *w, uint8_t *choice, int64_t *most)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && sweep_sizes(w, choice)) {
        rc = skedi_hooks_check(w->hooks, 0, w->in->blocks);
    }
    *most = largest_sum(w);
    return rc;
}

/* ---- The bound ---- */

/* `sum` is that of the exact placement. Hosts from the highest level down:
 * those of one level and all above hold what has replicas nowhere else. */
static int64_t bound_sizes(sized_work *w, const int64_t *level)
{
    const uint32_t hosts = w->in->hosts;
    int64_t bound = 0, sum = 0;

    for (uint32_t b = 0; b < w->in->blocks; b++) {
        if (w->choice[0][b] == SKED_LOCALITY_NO_REPLICA) continue;
        bound = skedi_i64_max(bound, w->size[b]);
    }
    for (uint32_t h = 0; h < hosts; h++) {
        w->key[h] = (skedi_keyed){~(uint64_t)level[h], h, 0};
    }
    skedi_sort_keys(w->key, w->scratch, hosts);
    for (uint32_t i = 0; i < hosts; i++) {
        sum += w->sum[w->key[i].index];
        if (i + 1 < hosts && w->key[i].key == w->key[i + 1].key) continue;
        bound = skedi_i64_max(bound, sum / (i + 1) + (sum % (i + 1) > 0));
    }
    return bound;
}

/* ---- The call ---- */

static sked_status solve_sized(sized_work *w, const sked_locality *l,
                               sked_locality_sized_result *result)
{
    int64_t most[2];

    if (!reserve_sized(w)) return SKED_ERR_NOMEM;
    memcpy(w->choice[0], l->choice, w->in->blocks);
    add_sums(w, w->choice[0]);
    int64_t bound = bound_sizes(w, l->level);
    sked_status rc = improve_sizes(w, w->choice[0], &most[0]);
    if (rc != SKED_OK) return rc;
    start_by_size(w, w->choice[1]);
    rc = improve_sizes(w, w->choice[1], &most[1]);
    if (rc != SKED_OK) return rc;
    int better = most[1] < most[0];
    if (w->in->blocks) {
        memcpy(result->choice, w->choice[better], w->in->blocks);
    }
    result->most = (uint64_t)most[better];
    result->bound = (uint64_t)bound;
    result->unplaced = sked_locality_unplaced(l);
    return SKED_OK;
}

static sked_status check_sizes_of(const sked_locality *l, const int64_t *size,
                                  const sked_locality_sized_result *result,
                                  sked_error *err)
{
    const char *missing = !result                        ? "result"
                          : l->blocks && !size           ? "size"
                          : l->blocks && !result->choice ? "result.choice"
                                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, SIZED_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    if (!l->slots.equal) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "hosts are not equal");
    }
    int64_t sum = 0;
    for (uint32_t b = 0; b < l->blocks; b++) {
        if (size[b] >= 0) sum = skedi_amount_add(sum, size[b]);
        if (size[b] >= 0 && sum != SKED_UNLIMITED) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "sizes are below 0 or add up to more than 2^62",
                          (skedi_fault){.row = (int64_t)b + 1,
                                        .got = size[b],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

sked_status sked_locality_sized(const sked_locality *locality,
                                const sked_locality_input *input,
                                const int64_t *size, const sked_host *host,
                                sked_locality_sized_result *result,
                                sked_error *err)
{
    skedi_blocks in;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take_match(locality, input, host, &in, &hooks,
                                          err);

    if (rc == SKED_OK) rc = check_sizes_of(locality, size, result, err);
    if (rc != SKED_OK) return rc;
    sized_work w = {.in = &in, .size = size, .hooks = &hooks};
    rc = solve_sized(&w, locality, result);
    drop_sized(&w);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}
