/*
 * Timing. Ours and the reference run in turn, so that a machine that slows
 * down slows both; medians of many short runs, so that one disturbed run
 * changes nothing. Instructions are counted where the kernel allows it.
 */
#define _GNU_SOURCE /* syscall(), clock_gettime() */

#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/perf_event.h>) /* musl's folders lack it */
#define COUNTS_INSTRUCTIONS 1
#endif
#endif

#ifdef COUNTS_INSTRUCTIONS
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int bench_counter_open(void)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof attr;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static double count_now(int counter)
{
    uint64_t count = 0;

    if (counter < 0) return -1;
    if (read(counter, &count, sizeof count) != sizeof count) return -1;
    return (double)count;
}
#else
int bench_counter_open(void)
{
    return -1;
}

static double count_now(int counter)
{
    (void)counter;
    return -1;
}
#endif

enum { MAX_RUNS = 1000, MIN_RUNS = 3 };

typedef struct series {
    double ns[MAX_RUNS];
    int n;
    double spent;        /* nanoseconds, `before` included */
    double instructions; /* of the run that needed fewest, or -1 */
} series;

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_once(const bench_job *job, int counter, series *s)
{
    double began = now_ns();
    if (job->before) job->before(job->arg);

    double count = count_now(counter);
    double from = now_ns();
    job->run(job->arg);
    double to = now_ns();
    double used = count_now(counter) - count;

    s->ns[s->n++] = to - from;
    s->spent += to - began;
    if (count < 0) return;
    if (s->instructions < 0 || used < s->instructions) s->instructions = used;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bench_time summary(series *s, double ops)
{
    bench_time t = {0, -1};

    qsort(s->ns, (size_t)s->n, sizeof *s->ns, by_value);
    t.ns = s->ns[s->n / 2] / ops;
    if (s->instructions >= 0) t.instructions = s->instructions / ops;
    return t;
}

static int wants_more(const bench *b, const series *s)
{
    if (s->n == MAX_RUNS) return 0;
    if (s->spent >= b->seconds * 1e9 * 4) return 0; /* slow: few runs must do */
    return s->n < MIN_RUNS || s->spent < b->seconds * 1e9;
}

/* Not measured, unless it took all the time there is. */
static void warm_up(const bench *b, const bench_job *job, series *s)
{
    *s = (series){.instructions = -1};
    run_once(job, b->counter, s);
    if (wants_more(b, s)) *s = (series){.instructions = -1};
}

void bench_time_pair(const bench *b, const bench_job *ours,
                     const bench_job *theirs, bench_time out[2])
{
    const bench_job *job[2] = {ours, theirs};
    series *s = bench_new(2, sizeof *s);

    for (int i = 0; i < 2; i++) {
        if (job[i]) warm_up(b, job[i], &s[i]);
    }
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < 2; i++) {
            if (!job[i] || !wants_more(b, &s[i])) continue;
            run_once(job[i], b->counter, &s[i]);
            more = 1;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (job[i]) out[i] = summary(&s[i], job[i]->ops);
    }
    free(s);
}
