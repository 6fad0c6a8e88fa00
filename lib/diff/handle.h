#ifndef SKEDI_DIFF_HANDLE_H
#define SKEDI_DIFF_HANDLE_H

#include <sched/diff.h>

#include "base/text.h"
#include "tree/handle.h"
#include "tree/text/write.h"

/* A change; the texts are positions in the diff's bytes. */
typedef struct skedi_diff_record {
    size_t path;
    size_t key;
    size_t before;
    size_t after;
    int32_t op; /* enum sked_diff_op */
    int32_t padding;
} skedi_diff_record;

struct sked_diff {
    skedi_hooks hooks;
    struct sked_schema schema;
    skedi_diff_record *record;
    size_t cap;
    size_t n;
    char *bytes; /* texts, each with a NUL; the first text is empty */
    size_t bytes_cap;
    size_t bytes_used;
};

static inline const char *skedi_diff_text(const sked_diff *diff, size_t at)
{
    return diff->bytes + at;
}

/* Adds a record. 0: no memory. */
int skedi_diff_put(sked_diff *diff, skedi_diff_record record);

/*
 * The rows of two commits that are the same queue: twin_of_to[t] and
 * twin_of_from[f], or SKEDI_NO_ROW. Roots are twins.
 */
typedef struct skedi_twins {
    uint32_t *of_from;
    uint32_t *of_to;
} skedi_twins;

#endif
