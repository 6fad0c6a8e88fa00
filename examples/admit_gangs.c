/*
 * A leaf admits waiting gangs. The entitlement of the leaf is 100 cores, the
 * reservation 40 cores, the slack for revocable gangs 30 cores. Preemption may
 * not end a fixed gang, so fixed gangs stay within the reservation.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { GANGS = 6 };

static const char *const name[GANGS] = {"train",  "serve", "batch",
                                        "serve2", "spare", "late"};
static const char *const outcome_name[] = {
    "waits",           "is admitted", "stops its line", "moves to its own line",
    "goes to the end", "is dropped"};

int main(void)
{
    const int64_t entitlement[] = {100}, reservation[] = {40}, slack[] = {30};
    const int64_t held[SKED_ADMIT_HELD_SUMS] = {20, 10, 0, 5};
    const int64_t need[GANGS] = {50, 25, 20, 10, 20, 40};
    const int32_t priority[GANGS] = {5, 9, 0, 8, 0, 0};
    const uint8_t kind[GANGS] = {0,
                                 SKED_ADMIT_GANG_FIXED,
                                 0,
                                 SKED_ADMIT_GANG_FIXED,
                                 SKED_ADMIT_GANG_REVOCABLE,
                                 0};
    uint8_t outcome[GANGS];
    uint32_t order[GANGS];
    int64_t after[SKED_ADMIT_HELD_SUMS];
    sked_admit_input input = {.struct_size = sizeof input,
                              .flags = SKED_ADMIT_FLAG_PREEMPTION,
                              .kinds = 1,
                              .n = GANGS,
                              .entitlement = entitlement,
                              .reservation = reservation,
                              .slack = slack,
                              .held = held,
                              .need = need,
                              .priority = priority,
                              .kind = kind};
    sked_admit_result result = {.struct_size = sizeof result,
                                .outcome = outcome,
                                .order = order,
                                .held = after};

    if (sked_admit(&input, NULL, &result, NULL) != SKED_OK) return 1;
    for (int i = 0; i < GANGS; i++) {
        printf("%-7s %" PRId64 " cores, priority %d: %s\n", name[i], need[i],
               (int)priority[i], outcome_name[outcome[i]]);
    }
    printf("admitted, in order:");
    for (uint32_t i = 0; i < result.admitted; i++) {
        printf(" %s", name[order[i]]);
    }
    printf("\nheld: %" PRId64 " in all, %" PRId64 " fixed, %" PRId64
           " revocable\n",
           after[SKED_ADMIT_HELD_ALL], after[SKED_ADMIT_HELD_FIXED],
           after[SKED_ADMIT_HELD_REVOCABLE]);
    return 0;
}
