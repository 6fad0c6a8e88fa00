#ifndef SKEDI_ARENA_H
#define SKEDI_ARENA_H

#include "base/mem.h"

typedef struct skedi_chunk skedi_chunk;

/*
 * Many small pieces that are freed together. The arena cuts pieces from large
 * chunks, one after another, without a header per piece. An arena starts as all
 * zeros.
 */
typedef struct skedi_arena {
    skedi_chunk *first;
    skedi_chunk *now; /* the chunk of the next piece */
} skedi_arena;

/* A position in the arena. A rewind to a mark frees only the pieces after
 * it. */
typedef struct skedi_arena_mark {
    skedi_chunk *chunk;
    size_t used;
} skedi_arena_mark;

/*
 * Takes `bytes` of zeros, aligned to 8. The piece keeps its address until a
 * rewind or a free. Returns NULL without memory; the arena is then unchanged.
 */
void *skedi_arena_take(skedi_arena *arena, size_t bytes, skedi_mem *mem);

/*
 * Reserves memory for `bytes` more. Pieces with this sum, each rounded up to 8
 * bytes, then need no further memory. Returns 0 without memory.
 */
int skedi_arena_reserve(skedi_arena *arena, size_t bytes, skedi_mem *mem);

skedi_arena_mark skedi_arena_here(const skedi_arena *arena);

/* Frees the pieces taken since the mark and keeps the chunks. */
void skedi_arena_rewind(skedi_arena *arena, skedi_arena_mark mark);

void skedi_arena_free(skedi_arena *arena, skedi_mem *mem);

#endif
