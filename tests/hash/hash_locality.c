/* Blocks to hosts: random inputs of all shapes, equal hosts and unequal ones,
 * one that is read by slices, one of classes, and a placement in force. */
#include <sched/sked.h>

#include <stdlib.h>

#include "hash.h"

enum { BLOCKS = 400, HOSTS = 12, REPLICAS = 3, LARGE = 270000, CHAIN = 70000 };

typedef struct locality_sample {
    sked_locality_input in;
    uint32_t replica[BLOCKS * REPLICAS];
    int64_t ticks[HOSTS];
    int64_t committed[HOSTS];
    uint32_t cores[HOSTS];
    uint32_t limit[HOSTS];
    uint32_t rack[HOSTS];
    uint32_t present[BLOCKS];
    int64_t size[BLOCKS];
} locality_sample;

/* Hosts with a low number are drawn more often; a few replicas are lost. */
static void draw_replicas(uint32_t *replica, uint32_t n, uint32_t hosts,
                          uint64_t *state)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)hash_below(state, hosts);
        if (hash_below(state, 2)) h = h * h / hosts;
        replica[i] = hash_below(state, 40) ? h : SKED_LOCALITY_NO_HOST;
    }
}

static void draw_sample(locality_sample *s, uint64_t *state)
{
    s->in = (sked_locality_input){.struct_size = sizeof s->in,
                                  .blocks = 1 +
                                            (uint32_t)hash_below(state, BLOCKS),
                                  .hosts = HOSTS,
                                  .replicas = REPLICAS,
                                  .replica = s->replica};
    draw_replicas(s->replica, BLOCKS * REPLICAS, HOSTS, state);
    for (int h = 0; h < HOSTS; h++) {
        s->ticks[h] = 1 + (int64_t)hash_below(state, 1000000);
        s->committed[h] = (int64_t)hash_below(state, 10000000);
        s->cores[h] = 1 + (uint32_t)hash_below(state, 4);
        s->limit[h] = 20 + (uint32_t)hash_below(state, 100);
        s->rack[h] = (uint32_t)hash_below(state, 4);
    }
    for (int b = 0; b < BLOCKS; b++) {
        s->present[b] = (uint32_t)hash_below(state, HOSTS);
        s->size[b] = 1 + (int64_t)hash_below(state, 1000);
    }
    if (hash_below(state, 2)) {
        s->in.ticks = s->ticks;
        s->in.committed = s->committed;
        s->in.cores = s->cores;
        if (hash_below(state, 2)) s->in.limit = s->limit;
    }
}

static uint64_t add_bytes(uint64_t h, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) h = hash_add(h, bytes[i]);
    return h;
}

static uint64_t add_points(uint64_t h, const sked_locality *l, uint32_t method)
{
    sked_locality_search_options o = {
        .struct_size = sizeof o, .method = method, .compute = 7, .transfer = 3};
    sked_locality_search_result r = {.struct_size = sizeof r};

    if (sked_locality_search(l, &o, &r, NULL) != SKED_OK) return h;
    h = hash_add(h, (uint64_t)r.point.load);
    h = hash_add(h, r.point.transfers);
    return hash_add(hash_add(h, r.looks), r.cost.low);
}

static uint64_t add_plans(uint64_t h, const locality_sample *s,
                          const sked_locality *l)
{
    uint32_t where[BLOCKS];
    uint8_t choice[BLOCKS];
    uint64_t moved;
    sked_locality_plan_options o = {.struct_size = sizeof o,
                                    .load = sked_locality_floor(l),
                                    .rack = s->rack,
                                    .in_rack = 5,
                                    .beyond = 8};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};
    sked_locality_sized_result z = {.struct_size = sizeof z, .choice = choice};

    if (o.load != SKED_UNLIMITED) {
        HASH_MUST(sked_locality_plan(l, &s->in, &o, NULL, &r, NULL) == SKED_OK);
        for (uint32_t b = 0; b < s->in.blocks; b++) h = hash_add(h, where[b]);
        h = hash_add(hash_add(h, r.cost.low), r.in_rack);
    }
    HASH_MUST(sked_locality_restore(l, &s->in, s->present, NULL, choice, &moved,
                                    NULL) == SKED_OK);
    h = hash_add(add_bytes(h, choice, (uint32_t)s->in.blocks), moved);
    if (sked_locality_sized(l, &s->in, s->size, NULL, &z, NULL) != SKED_OK) {
        return h;
    }
    h = add_bytes(h, choice, (uint32_t)s->in.blocks);
    return hash_add(hash_add(h, z.most), z.bound);
}

static uint64_t add_methods(uint64_t h, const locality_sample *s)
{
    for (uint32_t method = 0; method < 3; method++) {
        sked_locality_options o = {.struct_size = sizeof o, .method = method};
        sked_locality *l = NULL;
        HASH_MUST(sked_locality_new(&s->in, &o, NULL, &l, NULL) == SKED_OK);
        h = add_bytes(h, sked_locality_choice(l), (uint32_t)s->in.blocks);
        for (uint32_t m = 0; m < 3; m++) h = add_points(h, l, m);
        h = hash_add(h, (uint64_t)sked_locality_load(l, 5));
        if (method == SKED_LOCALITY_METHOD_EXACT) {
            h = hash_add_column(h, sked_locality_levels(l), HOSTS);
            h = add_plans(h, s, l);
        }
        sked_locality_free(l);
    }
    return h;
}

static uint64_t add_live(uint64_t h, const locality_sample *s)
{
    sked_locality_live *live = NULL;
    sked_locality_move move[BLOCKS];
    uint32_t block;
    size_t n;

    HASH_MUST(sked_locality_live_new(HOSTS, REPLICAS, NULL, &live, NULL) ==
              SKED_OK);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        HASH_MUST(sked_locality_live_add(live, s->replica + b * REPLICAS,
                                         REPLICAS, &block, NULL) == SKED_OK);
        if (sked_locality_live_host(live, b / 2) == SKED_LOCALITY_NO_HOST)
            continue;
        if (b % 3 < 2) continue;
        HASH_MUST(sked_locality_live_remove(live, b / 2, NULL) == SKED_OK);
    }
    HASH_MUST(sked_locality_live_down(live, 1, NULL) == SKED_OK);
    HASH_MUST(sked_locality_live_take(live, move, BLOCKS, &n, NULL) == SKED_OK);
    for (size_t i = 0; i < n; i++) {
        h = hash_add(hash_add(h, move[i].block), move[i].to);
    }
    sked_locality_live_free(live);
    return h;
}

static uint64_t add_large(uint64_t h, uint64_t *state)
{
    uint32_t *replica = malloc(LARGE * REPLICAS * sizeof *replica);
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = LARGE,
                              .hosts = 100,
                              .replicas = REPLICAS,
                              .replica = replica};
    sked_locality *l = NULL;

    HASH_MUST(replica != NULL);
    for (uint32_t i = 0; i < LARGE * REPLICAS; i++) {
        replica[i] = (uint32_t)(hash_random(state) >> 32) % 100;
    }
    HASH_MUST(sked_locality_new(&in, NULL, NULL, &l, NULL) == SKED_OK);
    h = add_bytes(h, sked_locality_choice(l), LARGE);
    sked_locality_free(l);
    free(replica);
    return h;
}

/* A chain of hosts with most blocks on the first: rows that are alike. */
static uint64_t add_chain(uint64_t h, uint64_t *state)
{
    uint32_t *replica = malloc(CHAIN * 2 * sizeof *replica);
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = CHAIN,
                              .hosts = 101,
                              .replicas = 2,
                              .replica = replica};
    sked_locality *l = NULL;

    HASH_MUST(replica != NULL);
    for (uint32_t b = 0; b < CHAIN; b++) {
        replica[2 * b] = (uint32_t)hash_below(state,
                                              hash_below(state, 100) + 1);
        replica[2 * b + 1] = replica[2 * b] + 1;
    }
    HASH_MUST(sked_locality_new(&in, NULL, NULL, &l, NULL) == SKED_OK);
    h = add_bytes(h, sked_locality_choice(l), CHAIN);
    h = hash_add_column(h, sked_locality_levels(l), 101);
    sked_locality_free(l);
    free(replica);
    return h;
}

uint64_t hash_locality(unsigned size);

uint64_t hash_locality(unsigned size)
{
    static locality_sample s;
    uint64_t state = 14, h = 0;

    for (unsigned life = 0; life < 60 * size; life++) {
        draw_sample(&s, &state);
        h = add_methods(h, &s);
        if (life % 4 == 0) h = add_live(h, &s);
    }
    h = add_large(h, &state);
    return add_chain(h, &state);
}
