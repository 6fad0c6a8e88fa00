#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

/*
 * Recorded workloads: the common CSV and the Standard Workload Format, read
 * exactly into columns of jobs.
 */

#include <stdint.h>

#include "names.h"
#include "rows.h"

/* The resource kinds of a workload, in this order. */
enum { WORKLOAD_CPU, WORKLOAD_MEMORY, WORKLOAD_GPU, WORKLOAD_KINDS };

/* The latest submission and the longest run of a job, in ns: 73 and 36 years.
 * Larger times may overflow sums. */
#define WORKLOAD_LATEST (INT64_C(1) << 61)
#define WORKLOAD_LONGEST (INT64_C(1) << 60)

typedef struct workload_job {
    int64_t submit;                 /* ns on the file's clock */
    int64_t run;                    /* ns that each task runs; above 0 */
    int64_t tasks;                  /* above 0 */
    int64_t amount[WORKLOAD_KINDS]; /* of one task: mcpu, bytes, mgpu */
    int64_t start;                  /* as recorded, or -1 */
    int64_t end;                    /* as recorded, or -1 */
    int64_t slo;                    /* ns that it should take, or -1 */
    uint32_t queue;                 /* numbers in the names below */
    uint32_t group;
    uint32_t user;
    uint32_t partition;
    uint32_t app; /* what is run again and again; "": not said */
    uint32_t id;
    int32_t priority;
    uint32_t tier;
    uint32_t row;      /* data lines count from 1 */
    uint32_t line;     /* of the file, for messages */
    uint32_t queue_at; /* columns in the line, or 0 */
    uint32_t group_at;
    uint32_t user_at;
    uint32_t tasks_at;
    uint32_t blocks; /* the file of its blocks in `files`, plus 1; 0: none */
    uint32_t blocks_at;
    uint32_t needs; /* its rule in `rules`, plus 1; 0: none */
    uint32_t needs_at;
} workload_job;

/* Why jobs were left out. */
enum {
    SKIPPED_NO_RUN_TIME,
    SKIPPED_ZERO_RUN_TIME,
    SKIPPED_NO_TASKS,
    SKIPPED_NO_SUBMIT,
    SKIPPED_REASONS
};

extern const char *const workload_skipped_name[SKIPPED_REASONS];

typedef struct workload {
    workload_job *jobs; /* by submission, then by line */
    uint32_t n;
    uint32_t cap;
    names queues;
    names groups;
    names users;
    names partitions;
    names apps;
    names ids;
    names files;   /* of blocks */
    names rules;   /* over attributes of nodes, as texts */
    names ignored; /* columns that were not understood */
    uint64_t skipped[SKIPPED_REASONS];
    int64_t max_procs; /* an SWF header's, or 0 */
    int64_t max_nodes;
} workload;

typedef struct workload_options {
    int64_t default_run; /* ns, or 0: jobs without a run time are left out */
    int64_t default_task[WORKLOAD_KINDS]; /* when no resource is said; all 0:
                                             one core */
} workload_options;

/*
 * Reads a workload: SWF if the name ends in ".swf", else the common CSV. "-" is
 * standard input; SWF is then known by its first byte, a ';'. 0: see the fault,
 * and `w` is empty.
 */
int workload_read(workload *w, const char *path,
                  const workload_options *options, input_fault *fault);

/* The same from memory, whose bytes are changed; `swf` says the form. */
int workload_parse(workload *w, input *in, int swf,
                   const workload_options *options, input_fault *fault);

void workload_free(workload *w);

/* The bundled workload as common CSV, with a NUL behind it; the caller frees
 * it. NULL: no memory. */
char *workload_bundled(size_t *length);

/* ---- For the two readers ---- */

/* Room for one more job, zeroed; NULL when there is no memory. */
workload_job *workload_add(workload *w);

int workload_parse_csv(workload *w, input *in, const workload_options *options,
                       input_fault *fault);
int workload_parse_swf(workload *w, input *in, const workload_options *options,
                       input_fault *fault);

#endif
