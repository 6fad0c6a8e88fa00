/*
 * Output files. A regular file is written beside its name and renamed at the
 * end; a device or a pipe is written directly.
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

/* The folder of a path; 0: no folder. */
static int folder_of(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *name = malloc(length + 2);

    if (!name) return 0;
    memcpy(name, path, length);
    memcpy(name + length, ".", 2);
    int there = stat(name, folder) == 0;
    free(name);
    return there;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int out_is_same(const char *a, const char *b)
{
    struct stat x, y;

    if (!a || !b || strcmp(a, b) == 0) return a && b;
    if (!strcmp(a, "-") || !strcmp(b, "-")) return 0;
    int there = stat(a, &x) == 0;
    if (there != (stat(b, &y) == 0)) return 0;
    if (there && !S_ISREG(x.st_mode)) return 0;
    if (!there && (strcmp(last_of(a), last_of(b)) != 0 || !folder_of(a, &x) ||
                   !folder_of(b, &y))) {
        return 0;
    }
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

const char *out_clash(const out_paths *paths, const char **why)
{
    for (int i = 0; i < 4; i++) {
        const char *out = paths->out[i];
        *why = "can be one output only";
        for (int j = 0; j < i; j++) {
            if (out_is_same(out, paths->out[j])) return out;
        }
        *why = "is read, too";
        for (int j = 0; j < 2; j++) {
            if (out && strcmp(out, "-") && out_is_same(out, paths->in[j])) {
                return out;
            }
        }
    }
    return NULL;
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

int out_printed(input_fault *fault)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 1;
    snprintf(fault->file, sizeof fault->file, "standard output");
    return input_fail(fault, 0, 0, "cannot be written");
}
