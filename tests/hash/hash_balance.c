/* Balancing, splitting, evacuating: random problems of all shapes. */
#include <sched/sked.h>

#include "hash.h"

enum { CLUSTERS = 4, WORKFLOWS = 12, BUCKETS = 6, KINDS = 2 };

typedef struct sample {
    int64_t length[BUCKETS];
    int64_t capacity[CLUSTERS * KINDS];
    int64_t instance[CLUSTERS * KINDS];
    int64_t usage[WORKFLOWS * BUCKETS * KINDS];
    int64_t cost[WORKFLOWS * CLUSTERS];
    uint32_t zone[CLUSTERS];
    uint32_t tier[WORKFLOWS];
    uint32_t home[WORKFLOWS];
} sample;

static int64_t up_to(uint64_t *state, int64_t most)
{
    return (int64_t)hash_below(state, (uint64_t)most + 1);
}

static sked_balance_input make(sample *s, uint64_t *state, int64_t big)
{
    for (int i = 0; i < BUCKETS; i++) s->length[i] = 1 + up_to(state, 8);
    for (int i = 0; i < CLUSTERS * KINDS; i++) {
        s->capacity[i] = big + up_to(state, big);
        s->instance[i] = 1 + up_to(state, big / 10);
    }
    for (int i = 0; i < WORKFLOWS * BUCKETS * KINDS; i++) {
        s->usage[i] = up_to(state, big / 2);
    }
    for (int i = 0; i < WORKFLOWS * CLUSTERS; i++) {
        s->cost[i] = up_to(state, 50000000);
    }
    for (int i = 0; i < CLUSTERS; i++) {
        s->zone[i] = (uint32_t)hash_below(state, 2);
    }
    for (int i = 0; i < WORKFLOWS; i++) {
        s->tier[i] = 1 + (uint32_t)hash_below(state, 3);
        s->home[i] = (uint32_t)hash_below(state, CLUSTERS);
    }
    return (sked_balance_input){.struct_size = sizeof(sked_balance_input),
                                .kinds = KINDS,
                                .buckets = BUCKETS,
                                .clusters = CLUSTERS,
                                .workflows = WORKFLOWS,
                                .percentile_ppm = 950000,
                                .max_tries = 3000,
                                .length = s->length,
                                .capacity = s->capacity,
                                .instance = s->instance,
                                .zone = s->zone,
                                .usage = s->usage,
                                .tier = s->tier,
                                .home = s->home,
                                .cost = s->cost};
}

static uint64_t add_result(uint64_t h, const sked_balance_result *r)
{
    h = hash_add(h, r->moves);
    h = hash_add(h, r->tries);
    h = hash_add(h, (uint64_t)r->after.excess);
    h = hash_add(h, (uint64_t)r->after.sum);
    h = hash_add(h, (uint64_t)r->bound.excess);
    h = hash_add(h, (uint64_t)r->bound.sum);
    for (int w = 0; w < WORKFLOWS; w++) h = hash_add(h, r->cluster[w]);
    return h;
}

static uint64_t add_moves(uint64_t h, const sked_balance_move *move, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        h = hash_add(h, move[i].workflow);
        h = hash_add(h, (uint64_t)move[i].gain.sum);
        h = hash_add(h, (uint64_t)move[i].from_utilisation);
        h = hash_add(h, (uint64_t)move[i].to_allocation);
    }
    return h;
}

uint64_t hash_balance(unsigned size);

uint64_t hash_balance(unsigned size)
{
    uint64_t state = 12, h = 0;
    sample s;

    for (unsigned life = 0; life < 40 * size; life++) {
        uint32_t cluster[WORKFLOWS];
        int64_t instances[CLUSTERS], stranded[CLUSTERS * KINDS];
        sked_balance_move moves[WORKFLOWS];
        sked_balance_evacuation tiers[SKED_MAX_TIERS];
        int64_t big = life % 2 ? (int64_t)1 << 50 : 1000;
        sked_balance_input in = make(&s, &state, big);
        sked_balance_result r = {.struct_size = sizeof r, .cluster = cluster};
        HASH_MUST(sked_balance(&in, NULL, &r, moves, WORKFLOWS, NULL) ==
                  SKED_OK);
        h = add_moves(add_result(h, &r), moves, r.moves);
        HASH_MUST(sked_balance_split(&in, NULL, &r, instances, stranded,
                                     NULL) == SKED_OK);
        h = hash_add_column(add_result(h, &r), instances, CLUSTERS);
        h = hash_add_column(h, stranded, (size_t)CLUSTERS * KINDS);
        HASH_MUST(sked_balance_evacuate(&in, 1, NULL, cluster, tiers, NULL) ==
                  SKED_OK);
        for (int w = 0; w < WORKFLOWS; w++) h = hash_add(h, cluster[w]);
        for (int t = 0; t < 3; t++) h = hash_add(h, tiers[t].most);
    }
    return h;
}
