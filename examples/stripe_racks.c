/* Ten machines of three racks, dealt out over three parts of a cluster. Each
 * rack with three machines or more has machines in every part. */
#include <sched/sked.h>

#include <stdio.h>

enum { MACHINES = 10, PARTS = 3 };

int main(void)
{
    const uint32_t rack[MACHINES] = {1, 1, 1, 1, 1, 2, 2, 2, 3, 3};
    uint32_t part[MACHINES], reach[PARTS];

    if (sked_route_stripe(rack, MACHINES, PARTS, NULL, part, reach, NULL) !=
        SKED_OK) {
        return 1;
    }
    for (uint32_t p = 0; p < PARTS; p++) {
        printf("part %u:", p);
        for (int i = 0; i < MACHINES; i++) {
            if (part[i] == p) printf(" %d (rack %u)", i, rack[i]);
        }
        printf("; %u of %d machines within its racks\n", reach[p], MACHINES);
    }
    return 0;
}
