/* Shared by the two readers: columns of jobs, and their order. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

const char *const workload_skipped_name[SKIPPED_REASONS] = {
    "unknown run time", "zero run time", "no tasks", "no submission"};

workload_job *workload_add(workload *w)
{
    if (w->n == w->cap) {
        uint32_t cap = w->cap ? w->cap * 2 : 1024;
        workload_job *jobs = realloc(w->jobs, cap * sizeof *jobs);
        if (!jobs) return NULL;
        w->jobs = jobs;
        w->cap = cap;
    }
    workload_job *job = &w->jobs[w->n++];
    memset(job, 0, sizeof *job);
    return job;
}

static int before(const workload_job *a, const workload_job *b)
{
    if (a->submit != b->submit) return a->submit < b->submit;
    return a->row < b->row;
}

/* Merges the sorted runs [from, mid) and [mid, to). */
static void merge(const workload_job *jobs, workload_job *out, size_t from,
                  size_t mid, size_t to)
{
    size_t a = from, b = mid;

    for (size_t k = from; k < to; k++) {
        int left = a < mid && (b == to || !before(&jobs[b], &jobs[a]));
        out[k] = left ? jobs[a++] : jobs[b++];
    }
}

static int sort_jobs(workload *w)
{
    size_t n = w->n;
    workload_job *spare = malloc((n ? n : 1) * sizeof *spare);

    if (!spare) return 0;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t mid = at + width < n ? at + width : n;
            size_t to = at + 2 * width < n ? at + 2 * width : n;
            merge(w->jobs, spare, at, mid, to);
        }
        workload_job *held = w->jobs;
        w->jobs = spare;
        spare = held;
        w->cap = w->n;
    }
    free(spare);
    return 1;
}

int workload_parse(workload *w, input *in, int swf,
                   const workload_options *options, input_fault *fault)
{
    *w = (workload){0};
    int ok = swf ? workload_parse_swf(w, in, options, fault)
                 : workload_parse_csv(w, in, options, fault);

    if (ok && !sort_jobs(w)) {
        ok = input_fail(fault, 0, 0, "does not fit in memory");
    }
    if (!ok) workload_free(w);
    return ok;
}

static int ends_in(const char *path, const char *tail)
{
    size_t n = strlen(path), m = strlen(tail);

    return n >= m && strcmp(path + n - m, tail) == 0;
}

int workload_read(workload *w, const char *path,
                  const workload_options *options, input_fault *fault)
{
    input in;

    *w = (workload){0};
    if (!input_read(&in, path, fault)) return 0;
    int swf = ends_in(path, ".swf") || (!strcmp(path, "-") && *in.bytes == ';');
    int ok = workload_parse(w, &in, swf, options, fault);
    input_free(&in);
    return ok;
}

void workload_free(workload *w)
{
    free(w->jobs);
    names_free(&w->queues);
    names_free(&w->groups);
    names_free(&w->users);
    names_free(&w->partitions);
    names_free(&w->apps);
    names_free(&w->ids);
    names_free(&w->files);
    names_free(&w->rules);
    names_free(&w->ignored);
    *w = (workload){0};
}
