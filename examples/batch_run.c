/*
 * A batch of four tasks on eight slots, carried out step by step: the host
 * starts what the library says and reports what ends. One task takes twice as
 * long as believed; with DYNAMIC the rest is planned anew.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 4, SLOTS = 8 };

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

/* Starts what is to start at `now`; `end` is when each task will end. */
static void start(sked_batch_run *run, const sked_batch_input *input,
                  int64_t now, int64_t *end)
{
    sked_batch_start starts[TASKS];
    size_t n;

    must(sked_batch_run_next(run, now, starts, TASKS, &n, NULL));
    for (size_t i = 0; i < n; i++) {
        uint32_t task = starts[i].task;
        int64_t takes = input->table[task * SLOTS + starts[i].slots - 1];
        end[task] = now + takes * (task == 1 ? 2 : 1);
        printf("%4" PRId64 ": task %u starts on %u slots\n", now, task,
               starts[i].slots);
    }
}

int main(void)
{
    static int64_t table[TASKS * SLOTS];
    const uint64_t bytes[TASKS] = {8, 4, 4, 2}, blocks[TASKS] = {8, 4, 4, 2};
    int64_t end[TASKS] = {0}, now = 0;
    sked_batch_input input = {.struct_size = sizeof input,
                              .tasks = TASKS,
                              .slots = SLOTS,
                              .bytes = bytes,
                              .blocks = blocks,
                              .table = table};
    sked_batch_options options = {.struct_size = sizeof options,
                                  .method = SKED_BATCH_METHOD_DYNAMIC};
    sked_batch_run_stats stats = {.struct_size = sizeof stats};
    sked_batch_run *run;

    for (int t = 0; t < TASKS; t++) {
        for (int64_t width = 1; width <= SLOTS; width++) {
            int64_t waves = ((int64_t)blocks[t] + width - 1) / width;
            table[t * SLOTS + width - 1] = 5 + 10 * waves;
        }
    }
    must(sked_batch_run_new(&input, &options, NULL, &run, NULL));
    for (;;) {
        start(run, &input, now, end);
        must(sked_batch_run_get_stats(run, &stats, NULL));
        if (stats.running == 0) break;
        int first = -1;
        for (int t = 0; t < TASKS; t++) {
            if (end[t] && (first < 0 || end[t] < end[first])) first = t;
        }
        if (first < 0) return 1;
        now = end[first];
        end[first] = 0; /* reported */
        printf("%4" PRId64 ": task %d ends\n", now, first);
        must(sked_batch_run_finish(run, (uint32_t)first, now, NULL));
    }
    printf("done at %" PRId64 "; expected %" PRId64 ", at best %" PRId64 "\n",
           now, stats.expected, stats.bound);
    sked_batch_run_free(run);
    return 0;
}
