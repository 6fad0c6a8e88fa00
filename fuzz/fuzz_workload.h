#ifndef FUZZ_WORKLOAD_H
#define FUZZ_WORKLOAD_H

/*
 * What the readers of workloads promise of any bytes: either a fault with a
 * reason, and nothing is left; or jobs in order, each within its limits, whose
 * names are there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/workload/workload.h"

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_workload.h:%d: %s does not hold\n", line, what);
    abort();
}

static void must_be_sound(const workload *w, uint32_t i)
{
    const int64_t most = (int64_t)1 << 62;
    const workload_job *job = &w->jobs[i];

    MUST(job->submit >= 0 && job->submit <= WORKLOAD_LATEST);
    MUST(job->run > 0 && job->run <= WORKLOAD_LONGEST);
    MUST(job->tasks > 0 && job->tasks <= most);
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        MUST(job->amount[k] >= 0 && job->amount[k] <= most);
    }
    MUST(job->queue < w->queues.n && job->group < w->groups.n);
    MUST(job->user < w->users.n && job->partition < w->partitions.n);
    MUST(job->id < w->ids.n && job->tier < 256 && job->line > 0);
    if (i == 0) return;
    const workload_job *last = &w->jobs[i - 1];
    MUST(last->submit < job->submit ||
         (last->submit == job->submit && last->row < job->row));
}

static void try_bytes(const uint8_t *data, size_t size, int swf)
{
    input in = {malloc(size + 1), size};
    workload_options options = {.default_run = 1000000000};
    input_fault fault = {{0}, 0, 0, {0}};
    workload w;

    MUST(in.bytes != NULL);
    if (size) memcpy(in.bytes, data, size);
    in.bytes[size] = 0;
    if (workload_parse(&w, &in, swf, &options, &fault)) {
        MUST(fault.reason[0] == 0);
        for (uint32_t i = 0; i < w.n; i++) must_be_sound(&w, i);
    } else {
        MUST(fault.reason[0] != 0 && w.n == 0 && w.jobs == NULL);
    }
    workload_free(&w);
    input_free(&in);
}

#endif
