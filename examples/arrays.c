/* Shares of a small tree on plain arrays: a single call, no handle. */
#include <sched/sked.h>

#include <stdio.h>

enum { QUEUES = 6 };

int main(void)
{
    const char *name[QUEUES] = {"company", "ads",       "research",
                                "ads.web", "ads.batch", "research.gpu"};
    const int32_t parent[QUEUES] = {-1, 0, 0, 1, 1, 2};
    const uint32_t weight[QUEUES] = {1, 3, 1, 2, 1, 1};
    const int64_t guarantee[QUEUES] = {0, 40, 20, 30, 0, 0};
    const int64_t demand[QUEUES] = {0, 0, 0, 25, 90, 60};
    const int64_t capacity[1] = {120};
    int64_t share[QUEUES];
    sked_error err;
    sked_share_input in = {
        .struct_size = sizeof in,
        .kinds = 1,
        .n = QUEUES,
        .parent = parent,
        .weight = weight,
        .guarantee = guarantee,
        .demand = demand,
        .capacity = capacity,
    };

    if (sked_share_once(&in, NULL, NULL, share, &err) != SKED_OK) {
        fprintf(stderr, "row %lld: %s\n", (long long)err.row, err.message);
        return 1;
    }
    for (int i = 0; i < QUEUES; i++) {
        printf("%-14s %4lld of %lld wanted\n", name[i], (long long)share[i],
               (long long)demand[i]);
    }
    return share[3] == 25 ? 0 : 1;
}
