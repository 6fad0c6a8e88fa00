/* Locality under fairness: random waves, planned jointly and apart, to the end
 * and for a few flows. */
#include <sched/sked.h>

#include "hash.h"

enum { BLOCKS = 300, HOSTS = 15, QUEUES = 6, REPLICAS = 3 };

typedef struct fair_sample {
    sked_locality_fair_input in;
    uint32_t replica[BLOCKS * REPLICAS];
    uint32_t queue[BLOCKS];
    uint32_t share[QUEUES];
    uint32_t slots[HOSTS];
} fair_sample;

static void draw_wave(fair_sample *s, uint64_t *state)
{
    s->in = (sked_locality_fair_input){.struct_size = sizeof s->in,
                                       .blocks = BLOCKS,
                                       .hosts = HOSTS,
                                       .queues = QUEUES,
                                       .replicas = REPLICAS,
                                       .replica = s->replica,
                                       .queue = s->queue,
                                       .share = s->share,
                                       .slots = s->slots};
    for (int i = 0; i < BLOCKS * REPLICAS; i++) {
        uint32_t h = (uint32_t)hash_below(state, HOSTS);
        s->replica[i] = hash_below(state, 2) ? h * h / HOSTS : h;
    }
    for (int b = 0; b < BLOCKS; b++) {
        s->queue[b] = (uint32_t)hash_below(state, QUEUES);
    }
    for (int h = 0; h < HOSTS; h++) {
        s->slots[h] = 8 + (uint32_t)hash_below(state, 9);
    }
    for (int q = 0; q < QUEUES; q++) {
        s->share[q] = (uint32_t)hash_below(state, 21);
    }
}

uint64_t hash_locality_fair(unsigned size);

uint64_t hash_locality_fair(unsigned size)
{
    static fair_sample s;
    uint32_t host[BLOCKS];
    uint8_t queue_cut[QUEUES], host_cut[HOSTS];
    uint64_t state = 16, h = 0;

    for (unsigned life = 0; life < 60 * size; life++) {
        draw_wave(&s, &state);
        for (uint32_t i = 0; i < 4; i++) {
            sked_locality_fair_options o = {
                .struct_size = sizeof o, .method = i % 2, .phases = i / 2};
            sked_locality_fair_result r = {.struct_size = sizeof r,
                                           .host = host,
                                           .queue_cut = queue_cut,
                                           .host_cut = host_cut};
            HASH_MUST(sked_locality_fair(&s.in, &o, NULL, &r, NULL) == SKED_OK);
            for (int b = 0; b < BLOCKS; b++) h = hash_add(h, host[b]);
            h = hash_add(hash_add(h, r.local), r.bound);
            for (int k = 0; k < HOSTS; k++) h = hash_add(h, host_cut[k]);
        }
    }
    return h;
}
