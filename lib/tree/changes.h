#ifndef SKEDI_TREE_CHANGES_H
#define SKEDI_TREE_CHANGES_H

/*
 * Which rows the latest commits changed, for readers that follow a tree step
 * by step. A ring: what is old is forgotten, and a reader that comes too late
 * is told so.
 */

#include "base/mem.h"

typedef struct skedi_change {
    uint64_t version; /* of the commit */
    uint64_t was;     /* the image's key before it */
    uint32_t row;
    uint32_t padding;
} skedi_change;

typedef struct skedi_changes {
    skedi_change *ring;
    size_t cap;    /* 0 or a power of two */
    uint64_t n;    /* ever added since the start */
    uint64_t from; /* complete for commits after this one */
} skedi_changes;

/* Memory for the last `n` changes, as far as they are worth keeping. 0: no
 * memory, nothing changed. */
int skedi_changes_reserve(skedi_changes *changes, skedi_mem *mem, size_t n);

/* Everything before the commit `version` and in it is forgotten. */
void skedi_changes_start(skedi_changes *changes, uint64_t version);

/* A row changed by the commit `version`, before which the key `was` so;
 * SKEDI_CHANGES_NO_ROW where nothing of any row did, and yet there is another
 * key, so that readers can follow past it. */
#define SKEDI_CHANGES_NO_ROW UINT32_MAX
void skedi_changes_add(skedi_changes *changes, uint64_t version, uint64_t was,
                       uint32_t row);

/* Had the image `key` before the first change after `version`? */
int skedi_changes_follow(const skedi_changes *changes, uint64_t version,
                         uint64_t key);

/* The rows of commits after `version`, oldest first: 1, or 0 (see image.h). */
int skedi_changes_since(const skedi_changes *changes, uint64_t version,
                        uint32_t *rows, size_t cap, size_t *n);

void skedi_changes_free(skedi_changes *changes, skedi_mem *mem);

#endif
