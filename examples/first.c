#include <sched/sked.h>

#include <stdio.h>

int main(void)
{
    /* 100 cores; three teams, 20 guaranteed to each, all of one weight. */
    const int64_t guarantee[] = {20, 20, 20}, demand[] = {10, 80, 80};
    int64_t share[3];
    sked_fill_input in = {.struct_size = sizeof in,
                          .total = 100,
                          .n = 3,
                          .guarantee = guarantee,
                          .demand = demand};
    sked_fill_result out = {.struct_size = sizeof out, .share = share};
    sked_error err;

    if (sked_fill(&in, NULL, NULL, &out, &err) != SKED_OK) {
        fprintf(stderr, "row %lld: %s\n", (long long)err.row, err.message);
        return 1;
    }
    printf("%lld %lld %lld\n", (long long)share[0], (long long)share[1],
           (long long)share[2]); /* 10 45 45 */
    return share[1] == 45 ? 0 : 1;
}
