#include "ref_locality_fair.h"

#include <string.h>

enum { REF_NODES = 64 };

static int capacity[REF_NODES][REF_NODES];
static int seen[REF_NODES];

/* One more unit from `node` to `sink`. */
static int grow(int node, int sink, int nodes)
{
    if (node == sink) return 1;
    seen[node] = 1;
    for (int to = 0; to < nodes; to++) {
        if (capacity[node][to] == 0 || seen[to]) continue;
        if (!grow(to, sink, nodes)) continue;
        capacity[node][to]--;
        capacity[to][node]++;
        return 1;
    }
    return 0;
}

uint64_t ref_locality_fair(const sked_locality_fair_input *in, int apart)
{
    int queues = (int)in->queues, blocks = (int)in->blocks;
    int source = queues + blocks + (int)in->hosts, sink = source + 1;
    int taken[REF_NODES] = {0};
    uint64_t local = 0;

    memset(capacity, 0, sizeof capacity);
    for (int q = 0; q < queues; q++) capacity[source][q] = (int)in->share[q];
    for (uint32_t h = 0; h < in->hosts; h++) {
        capacity[queues + blocks + (int)h][sink] = in->slots ? (int)in->slots[h]
                                                             : 1;
    }
    for (int b = 0; b < blocks; b++) {
        uint32_t q = in->queue ? in->queue[b] : 0;
        if (apart && taken[q] == (int)in->share[q]) continue;
        taken[q]++;
        capacity[q][queues + b] = 1;
        for (uint32_t k = 0; k < in->replicas; k++) {
            uint32_t h = in->replica[(uint32_t)b * in->replicas + k];
            if (h == SKED_LOCALITY_NO_HOST) continue;
            capacity[queues + b][queues + blocks + (int)h] = 1;
        }
    }
    for (;;) {
        memset(seen, 0, sizeof seen);
        if (!grow(source, sink, sink + 1)) return local;
        local++;
    }
}
