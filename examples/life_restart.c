/*
 * A worker fails again and again; each restart waits twice as long, up to an
 * hour. The node is lost later, and a lost node counts as no failure. A job
 * that must end is started three times again.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t second = INT64_C(1000000000);

/* Reports one end and prints what follows. The host remembers the failures. */
static uint32_t ends(sked_life_instance *instance, uint32_t state, uint32_t end,
                     const sked_life_restart_options *options)
{
    sked_life_restart_result next = {0};

    instance->state = state;
    if (sked_life_restart(instance, end, options, &next, NULL) != SKED_OK) {
        exit(1);
    }
    instance->failures = next.failures;
    printf("  %-9s %u failures, ",
           state == SKED_LIFE_TASK_LOST ? "lost:" : "failed:", next.failures);
    if (next.again) {
        printf("again in %" PRId64 " s\n", next.delay_ns / second);
    } else {
        puts("not again");
    }
    return next.again;
}

int main(void)
{
    sked_life_restart_options options = {.struct_size = sizeof options,
                                         .type = SKED_LIFE_TYPE_STATELESS};
    sked_life_instance worker = {
        .version = 1, .desired = 1, .goal = SKED_LIFE_TASK_RUNNING};
    sked_life_instance job = {
        .version = 1, .desired = 1, .goal = SKED_LIFE_TASK_SUCCEEDED};

    puts("a service");
    for (int i = 0; i < 9; i++) {
        ends(&worker, SKED_LIFE_TASK_FAILED, SKED_LIFE_END_PLAIN, &options);
    }
    ends(&worker, SKED_LIFE_TASK_LOST, SKED_LIFE_END_PLAIN, &options);
    puts("a batch job, started again at most 3 times");
    options.type = SKED_LIFE_TYPE_BATCH;
    options.max_failures = 3;
    while (ends(&job, SKED_LIFE_TASK_FAILED, SKED_LIFE_END_PLAIN, &options)) {
    }
    return 0;
}
