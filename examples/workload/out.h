#ifndef WORKLOAD_OUT_H
#define WORKLOAD_OUT_H

/* Output files that appear whole or not at all, and standard output. */

#include "rows.h"

/* A file that appears whole or not at all. */
typedef struct out_file {
    FILE *file;       /* NULL: none */
    const char *path; /* "-": standard output */
    char *beside; /* where it is written until it is whole; NULL: in place */
} out_file;

/* What a program reads and writes, by name; NULL: no file. */
typedef struct out_paths {
    const char *in[2];
    const char *out[4];
} out_paths;

/* Do both name one file, which is there or would be made? */
int out_is_same(const char *a, const char *b);

/* The name of a file that would be written twice, or over what is read ("-" is
 * two streams); NULL: none. */
const char *out_clash(const out_paths *paths, const char **why);

/* `path` may be NULL: no file. */
int out_open(out_file *out, const char *path, input_fault *fault);

/* Is everything written? The file is still beside. */
int out_finish(out_file *out, input_fault *fault);

/* Renames what was finished, and removes what is not `good`. */
int out_close(out_file *out, int good, input_fault *fault);

/* Is all of standard output written? */
int out_printed(input_fault *fault);

#endif
