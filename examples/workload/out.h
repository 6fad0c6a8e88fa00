#ifndef WORKLOAD_OUT_H
#define WORKLOAD_OUT_H

/* Output files that appear whole or not at all. */

#include "rows.h"

/* A file that appears whole or not at all. */
typedef struct out_file {
    FILE *file;       /* NULL: none */
    const char *path; /* "-": standard output */
    char *beside; /* where it is written until it is whole; NULL: in place */
} out_file;

/* `path` may be NULL: no file. */
int out_open(out_file *out, const char *path, input_fault *fault);

/* Is everything written? The file is still beside. */
int out_finish(out_file *out, input_fault *fault);

/* Renames what was finished, and removes what is not `good`. */
int out_close(out_file *out, int good, input_fault *fault);

#endif
