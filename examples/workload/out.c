/*
 * Output files. A regular file is written beside its name and renamed at the
 * end; a device or a pipe is written as it is.
 */
#define _POSIX_C_SOURCE 200809L
#include "out.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int cannot(const out_file *out, input_fault *fault)
{
    snprintf(fault->file, sizeof fault->file, "%s", out->path);
    return input_fail(fault, 0, 0, "cannot be written");
}

static char *name_beside(const char *path)
{
    size_t length = strlen(path);
    char *beside = malloc(length + sizeof ".part");

    if (!beside) return NULL;
    memcpy(beside, path, length);
    memcpy(beside + length, ".part", sizeof ".part");
    return beside;
}

int out_open(out_file *out, const char *path, input_fault *fault)
{
    struct stat is;

    *out = (out_file){.path = path};
    if (!path) return 1;
    if (!strcmp(path, "-")) {
        out->file = stdout;
        return 1;
    }
    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
        out->file = S_ISDIR(is.st_mode) ? NULL : fopen(path, "w");
        return out->file || cannot(out, fault);
    }
    out->beside = name_beside(path);
    if (!out->beside) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    out->file = fopen(out->beside, "w");
    if (out->file) return 1;
    free(out->beside);
    out->beside = NULL;
    return cannot(out, fault);
}

int out_finish(out_file *out, input_fault *fault)
{
    if (!out->file) return 1;
    int good = fflush(out->file) == 0 && !ferror(out->file);
    if (out->file != stdout) good &= fclose(out->file) == 0;
    out->file = NULL;
    return good || cannot(out, fault);
}

int out_close(out_file *out, int good, input_fault *fault)
{
    if (out->file && out->file != stdout) fclose(out->file);
    if (out->beside && good) {
        good = rename(out->beside, out->path) == 0 || cannot(out, fault);
    }
    if (out->beside && !good) remove(out->beside);
    free(out->beside);
    *out = (out_file){0};
    return good;
}
