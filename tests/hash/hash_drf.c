/* DRF: keys of any size, orders, divided pools, and whole trees. */
#include <sched/sked.h>

#include "hash.h"

enum { N = 200, KINDS = 3 };

typedef struct sample {
    int64_t capacity[KINDS];
    int64_t usage[N * KINDS];
    int64_t demand[N * KINDS];
    int64_t most[N];
    uint32_t weight[N];
} sample;

static int64_t amount(uint64_t *state, unsigned bits)
{
    uint64_t shift = 64 - bits + hash_below(state, bits);
    uint64_t x = hash_random(state);

    return (int64_t)(x >> shift);
}

static sked_drf_input make(sample *s, uint64_t *state, unsigned bits)
{
    for (int k = 0; k < KINDS; k++) {
        s->capacity[k] = amount(state, bits);
    }
    for (int i = 0; i < N * KINDS; i++) {
        s->usage[i] = amount(state, bits);
        s->demand[i] = amount(state, bits / 2);
    }
    for (int i = 0; i < N; i++) {
        s->weight[i] = (uint32_t)amount(state, 32);
        s->most[i] = (int64_t)hash_below(state, 300);
    }
    return (sked_drf_input){.struct_size = sizeof(sked_drf_input),
                            .kinds = KINDS,
                            .n = N,
                            .capacity = s->capacity,
                            .usage = s->usage,
                            .demand = s->demand,
                            .weight = s->weight,
                            .most = s->most};
}

static uint64_t keys_and_order(uint64_t h, const sked_drf_input *rows)
{
    uint32_t order[N];
    sked_drf_standing at;

    HASH_MUST(sked_drf_order(rows, NULL, order, NULL) == SKED_OK);
    for (int i = 0; i < N; i++) {
        h = hash_add(h, order[i]);
        HASH_MUST(sked_drf_standing_once(rows->usage + i * KINDS,
                                         rows->capacity, KINDS, rows->weight[i],
                                         &at, NULL) == SKED_OK);
        h = hash_add(h, at.key);
        h = hash_add(h, (uint64_t)at.kind);
    }
    return h;
}

static uint64_t division(uint64_t h, sked_drf_input rows)
{
    int64_t pool[KINDS], tasks[N];

    for (int k = 0; k < KINDS; k++) pool[k] = rows.capacity[k];
    rows.usage = NULL;
    HASH_MUST(sked_drf_allocate(&rows, NULL, pool, tasks, NULL) == SKED_OK);
    h = hash_add_column(h, pool, KINDS);
    return hash_add_column(h, tasks, N);
}

/* Edits of a handle, its digest after every one. */
static uint64_t handle(uint64_t h, const sked_drf_input *rows, uint64_t *state)
{
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    sked_drf *drf;

    HASH_MUST(sked_drf_new(&opts, NULL, &drf, NULL) == SKED_OK);
    HASH_MUST(sked_drf_set_capacity(drf, rows->capacity, NULL) == SKED_OK);
    for (int i = 0; i < N; i++) {
        uint64_t key = 1 + hash_below(state, N);
        sked_status rc = sked_drf_insert(drf, key, rows->weight[i],
                                         rows->usage + i * KINDS, NULL, NULL);
        h = hash_add(h, (uint64_t)(int64_t)rc);
        if (hash_below(state, 4) == 0) {
            rc = sked_drf_remove(drf, sked_drf_next(drf), NULL);
            h = hash_add(h, (uint64_t)(int64_t)rc);
        }
        h = hash_add(h, sked_drf_next(drf));
    }
    h = hash_add(h, sked_drf_digest(drf));
    sked_drf_free(drf);
    return h;
}

static uint64_t tree(uint64_t h, const sked_drf_input *rows, uint64_t *state)
{
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    uint32_t parent[N] = {0}, picks[100];
    sked_hdrf_standing at;
    sked_hdrf *t;
    size_t n;

    for (uint32_t i = 1; i < N; i++) {
        parent[i] = (uint32_t)hash_below(state, 1 + i / 4);
    }
    HASH_MUST(sked_hdrf_new(parent, rows->weight, N, &opts, NULL, &t, NULL) ==
              SKED_OK);
    HASH_MUST(sked_hdrf_set_capacity(t, rows->capacity, NULL) == SKED_OK);
    for (uint32_t i = N - 50; i < N; i++) { /* leaves, by parent's bound */
        HASH_MUST(sked_hdrf_set_leaves(t, &i, NULL, rows->demand + i * KINDS,
                                       rows->most + i, 1, NULL) == SKED_OK);
    }
    HASH_MUST(sked_hdrf_run(t, picks, 100, &n, NULL) == SKED_OK);
    for (size_t i = 0; i < n; i++) h = hash_add(h, picks[i]);
    for (uint32_t i = 0; i < N; i++) {
        HASH_MUST(sked_hdrf_share(t, i, &at) == SKED_OK);
        h = hash_add(h, at.key);
    }
    h = hash_add(h, sked_hdrf_digest(t));
    sked_hdrf_free(t);
    return h;
}

uint64_t hash_drf(unsigned size);

uint64_t hash_drf(unsigned size)
{
    static sample s;
    uint64_t state = 4711, h = 0;

    for (unsigned run = 0; run < 30 * size; run++) {
        unsigned bits = 8 + run % 54;
        sked_drf_input rows = make(&s, &state, bits);
        h = keys_and_order(h, &rows);
        h = division(h, rows);
        h = handle(h, &rows, &state);
        h = tree(h, &rows, &state);
    }
    return h;
}
