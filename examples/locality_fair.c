/*
 * Two queues read blocks on three hosts, two blocks each at once. Planned
 * together, all blocks that run are read where a replica lies; if each queue
 * takes its first blocks, some must be transferred.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>

enum { BLOCKS = 6, HOSTS = 3, QUEUES = 2 };

static int plan(const sked_locality_fair_input *input, uint32_t method,
                const char *name)
{
    sked_locality_fair_options options = {.struct_size = sizeof options,
                                          .method = method};
    uint32_t host[BLOCKS];
    uint8_t queue_cut[QUEUES], host_cut[HOSTS];
    sked_locality_fair_result result = {.struct_size = sizeof result,
                                        .host = host,
                                        .queue_cut = queue_cut,
                                        .host_cut = host_cut};

    if (sked_locality_fair(input, &options, NULL, &result, NULL) != SKED_OK) {
        return 1;
    }
    printf("%s: %" PRIu64 " local, %" PRIu64 " transferred, at most %" PRIu64
           " could be local\n",
           name, result.local, result.transfers, result.bound);
    for (int b = 0; b < BLOCKS; b++) {
        printf("  block %d of queue %u ", b, input->queue[b]);
        if (host[b] == SKED_LOCALITY_NO_HOST) {
            puts("waits");
        } else {
            printf("on host %u\n", host[b]);
        }
    }
    return 0;
}

int main(void)
{
    const uint32_t replica[BLOCKS] = {0, 0, 1, 0, 0, 2};
    const uint32_t queue[BLOCKS] = {0, 0, 0, 1, 1, 1};
    const uint32_t share[QUEUES] = {2, 2}, slots[HOSTS] = {2, 1, 1};
    sked_locality_fair_input input = {.struct_size = sizeof input,
                                      .blocks = BLOCKS,
                                      .hosts = HOSTS,
                                      .queues = QUEUES,
                                      .replicas = 1,
                                      .replica = replica,
                                      .queue = queue,
                                      .share = share,
                                      .slots = slots};

    return plan(&input, SKED_LOCALITY_FAIR_JOINT, "together") ||
           plan(&input, SKED_LOCALITY_FAIR_APART, "apart");
}
