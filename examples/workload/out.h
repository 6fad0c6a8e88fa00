#ifndef WORKLOAD_OUT_H
#define WORKLOAD_OUT_H

/* Output files that appear complete or not at all, and standard output. */

#include "rows.h"

/* A file that appears complete or not at all. */
typedef struct out_file {
    FILE *file;       /* NULL: none */
    const char *path; /* "-": standard output */
    char *beside; /* temporary name until complete; NULL: no temporary file */
} out_file;

/* The files that a program reads and writes, by name; NULL: no file. */
typedef struct out_paths {
    const char *in[2];
    const char *out[4];
} out_paths;

/* True if both names mean the same existing or future file. */
int out_is_same(const char *a, const char *b);

/* The first output that two options name, or that is also an input ("-" is two
 * streams); NULL: none. */
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
