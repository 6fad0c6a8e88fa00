#ifndef SKEDI_TREE_CHANGES_H
#define SKEDI_TREE_CHANGES_H

/*
 * The rows changed by recent commits, for readers that follow a tree step by
 * step. The rows are in a ring buffer, which overwrites its oldest entries. A
 * reader that comes too late learns this from the return value.
 */

#include "base/mem.h"

typedef struct skedi_change {
    uint64_t version; /* of the commit */
    uint64_t was;     /* the image's key before the commit */
    uint32_t row;
    uint32_t padding;
} skedi_change;

typedef struct skedi_changes {
    skedi_change *ring;
    size_t cap;    /* 0 or a power of two */
    uint64_t n;    /* changes added since the start */
    uint64_t from; /* complete for commits after `from` */
} skedi_changes;

/* Reserves memory for the last `n` changes, up to a fixed maximum. Returns 0
 * without memory; the ring is then unchanged. */
int skedi_changes_reserve(skedi_changes *changes, skedi_mem *mem, size_t n);

/* Forgets all changes up to and including the commit `version`. */
void skedi_changes_start(skedi_changes *changes, uint64_t version);

/* Adds a row that the commit `version` changed; `was` is the key before the
 * commit. SKEDI_CHANGES_NO_ROW records a commit that changed the key but no
 * row; readers can then follow past the commit. */
#define SKEDI_CHANGES_NO_ROW UINT32_MAX
void skedi_changes_add(skedi_changes *changes, uint64_t version, uint64_t was,
                       uint32_t row);

/* Did the image have `key` before the first change after `version`? */
int skedi_changes_follow(const skedi_changes *changes, uint64_t version,
                         uint64_t key);

/* The rows changed after `version`, oldest first. Returns 1, or 0 (see
 * image.h). */
int skedi_changes_since(const skedi_changes *changes, uint64_t version,
                        uint32_t *rows, size_t cap, size_t *n);

void skedi_changes_free(skedi_changes *changes, skedi_mem *mem);

#endif
