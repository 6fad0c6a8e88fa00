#ifndef SKEDI_ARENA_H
#define SKEDI_ARENA_H

#include "base/mem.h"

typedef struct skedi_chunk skedi_chunk;

/*
 * Many small pieces that go together: taken one after the other off large
 * chunks, without a header each, and given back all at once. Start from zeros.
 */
typedef struct skedi_arena {
    skedi_chunk *first;
    skedi_chunk *now; /* where the next piece is taken */
} skedi_arena;

/* Everything taken after a mark can be given back alone. */
typedef struct skedi_arena_mark {
    skedi_chunk *chunk;
    size_t used;
} skedi_arena_mark;

/*
 * `bytes` of zeros, aligned to 8, or NULL without memory; then nothing has
 * changed. They stay where they are until they are given back.
 */
void *skedi_arena_take(skedi_arena *arena, size_t bytes, skedi_mem *mem);

/*
 * Memory for `bytes` more in one go, so that pieces of that sum, each rounded
 * up to 8, need no memory. 0 when there is none.
 */
int skedi_arena_reserve(skedi_arena *arena, size_t bytes, skedi_mem *mem);

skedi_arena_mark skedi_arena_here(const skedi_arena *arena);

/* Gives back what was taken since the mark; the chunks are kept. */
void skedi_arena_rewind(skedi_arena *arena, skedi_arena_mark mark);

void skedi_arena_free(skedi_arena *arena, skedi_mem *mem);

#endif
