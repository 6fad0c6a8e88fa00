/* A manager with its own queue and EASY backfill. The first job without room
 * has a reservation; a later job starts if the reservation keeps its start.
 * Jobs end before the limits of their users. Times are minutes, the pool has 8
 * CPUs. */
#include <sched/timeline.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 6, WAITS = 0, RUNS, DONE };

static struct job {
    const char *name;
    int64_t cpus, limit, takes, end; /* end: if running */
    uint64_t span, state;
} job[JOBS] = {
    {"mesh", 5, 60, 40, 0, 0, WAITS}, {"flow", 8, 90, 80, 0, 0, WAITS},
    {"plot", 2, 30, 10, 0, 0, WAITS}, {"post", 3, 90, 90, 0, 0, WAITS},
    {"test", 1, 45, 20, 0, 0, WAITS}, {"pack", 2, 20, 20, 0, 0, WAITS}};

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

static void start_job(sked_timeline *line, struct job *j, int64_t now)
{
    must(
        sked_timeline_add(line, now, now + j->limit, &j->cpus, &j->span, NULL));
    j->state = RUNS;
    j->end = now + j->takes;
    printf("%3" PRId64 ": %s starts on %" PRId64 " CPUs\n", now, j->name,
           j->cpus);
}

/* One pass over the queue. The reservation ends with the pass. */
static void schedule(sked_timeline *line, int64_t now)
{
    uint64_t reserved = SKED_TIMELINE_NO_SPAN;

    for (struct job *j = job; j < job + JOBS; j++) {
        int64_t start;
        if (j->state != WAITS) continue;
        must(sked_timeline_earliest(line, now, j->limit, &j->cpus, &start,
                                    NULL));
        if (start == now) {
            start_job(line, j, now);
        } else if (!reserved) {
            must(sked_timeline_add(line, start, start + j->limit, &j->cpus,
                                   &reserved, NULL));
            printf("%3" PRId64 ": %s is first in the queue, starts by %" PRId64
                   "\n",
                   now, j->name, start);
        }
    }
    if (reserved) must(sked_timeline_remove(line, reserved, NULL));
}

int main(void)
{
    const int64_t cpus = 8;
    sked_timeline *line;

    must(sked_timeline_new(&cpus, 1, NULL, &line, NULL));
    schedule(line, 0);
    for (;;) {
        struct job *next = NULL;
        for (struct job *j = job; j < job + JOBS; j++) {
            if (j->state == RUNS && (!next || j->end < next->end)) next = j;
        }
        if (!next) break;
        printf("%3" PRId64 ": %s ends\n", next->end, next->name);
        must(sked_timeline_remove(line, next->span, NULL));
        next->state = DONE;
        schedule(line, next->end);
    }
    sked_timeline_free(line);
    return 0;
}
