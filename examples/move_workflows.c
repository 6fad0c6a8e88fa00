/*
 * Moves of workflows, on plain arrays. Three clusters have 100 cores each, and
 * cluster 0 is too full. The program prints the moves, then a split into types
 * of instance, then the places of workflows after the loss of zone 0.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLUSTERS = 3, WORKFLOWS = 4, KINDS = 2 };

static const char *const name[WORKFLOWS] = {"reports", "search", "ads", "logs"};
static const int64_t capacity[] = {100, 400, 100, 400, 100, 400};
static const int64_t instance[] = {8, 16, 8, 32, 8, 64};
static const int64_t usage[] = {60, 100, 50, 60, 20, 160, 10, 20};
static const uint32_t home[] = {0, 0, 1, 2}, zone[] = {0, 0, 1};
static const uint32_t tier[] = {1, 2, 2, 3};

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

static void balance(const sked_balance_input *input)
{
    sked_balance_move move[WORKFLOWS];
    uint32_t cluster[WORKFLOWS];
    sked_balance_result result = {.struct_size = sizeof result,
                                  .cluster = cluster};

    must(sked_balance(input, NULL, &result, move, WORKFLOWS, NULL));
    for (uint32_t i = 0; i < result.moves; i++) {
        printf("%s: cluster %u -> %u\n", name[move[i].workflow], move[i].from,
               move[i].to);
    }
    printf("above the ceiling: %" PRId64 " %% -> %" PRId64 " %%\n",
           result.before.excess / 10000000, result.after.excess / 10000000);
}

static void split(const sked_balance_input *input)
{
    uint32_t part[WORKFLOWS];
    int64_t instances[CLUSTERS];
    sked_balance_result result = {.struct_size = sizeof result,
                                  .cluster = part};

    must(sked_balance_split(input, NULL, &result, instances, NULL, NULL));
    for (int w = 0; w < WORKFLOWS; w++) {
        printf("%s: instances of %" PRId64 " units of memory\n", name[w],
               instance[part[w] * KINDS + 1]);
    }
}

static void evacuate(const sked_balance_input *input)
{
    static sked_balance_evacuation tiers[SKED_MAX_TIERS];
    uint32_t cluster[WORKFLOWS];

    must(sked_balance_evacuate(input, 0, NULL, cluster, tiers, NULL));
    for (int w = 0; w < WORKFLOWS; w++) {
        if (cluster[w] == home[w]) continue;
        printf("%s (tier %u): ", name[w], tier[w]);
        if (cluster[w] == SKED_BALANCE_NOWHERE) {
            puts("no place");
        } else {
            printf("cluster %u\n", cluster[w]);
        }
    }
}

int main(void)
{
    sked_balance_input input = {.struct_size = sizeof input,
                                .kinds = KINDS,
                                .clusters = CLUSTERS,
                                .workflows = WORKFLOWS,
                                .capacity = capacity,
                                .instance = instance,
                                .zone = zone,
                                .usage = usage,
                                .tier = tier,
                                .home = home};

    puts("balance");
    balance(&input);
    puts("split");
    split(&input);
    puts("zone 0 is lost");
    evacuate(&input);
    return 0;
}
