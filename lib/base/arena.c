/*
 * A bump arena: a list of chunks, filled in order. The chunks before `now` are
 * full, and the chunks after `now` are empty. A rewind changes `now` and its
 * fill only. Every piece is zeroed when it is taken, because a rewound chunk
 * holds old bytes.
 */
#include "base/arena.h"

#include <string.h>

struct skedi_chunk {
    skedi_chunk *next;
    size_t used;
    size_t cap;                   /* in bytes */
    _Alignas(8) uint64_t bytes[]; /* 32-bit x86 would use offset 12 */
};

enum { CHUNK_LEAST = 4096 };

/* `bytes` rounded up to whole words; 0 if the sum wraps. */
static size_t whole_words(size_t bytes)
{
    return bytes > SIZE_MAX - sizeof(skedi_chunk) - 7
               ? 0
               : (bytes + 7) & ~(size_t)7;
}

static int fits_chunk(const skedi_chunk *chunk, size_t bytes)
{
    return chunk && bytes <= chunk->cap - chunk->used;
}

/* Inserts a chunk of at least `bytes` after `now`, twice as large as `now`. */
static skedi_chunk *add_chunk(skedi_arena *arena, size_t bytes, skedi_mem *mem)
{
    size_t cap = arena->now ? arena->now->cap : CHUNK_LEAST / 2;

    cap *= 2; /* if this wraps, `bytes` decides */
    if (cap < bytes) cap = bytes;
    skedi_chunk *chunk = skedi_new(mem, sizeof *chunk + cap, 1);
    if (!chunk) return NULL;

    chunk->cap = cap;
    if (arena->now) {
        chunk->next = arena->now->next;
        arena->now->next = chunk;
    } else {
        chunk->next = arena->first;
        arena->first = chunk;
    }
    return chunk;
}

/* Finds an empty chunk of at least `bytes` and moves the chunk directly after
 * `now`. The list stays short, because a larger chunk is added only when no
 * empty chunk is large enough. */
static skedi_chunk *empty_chunk(skedi_arena *arena, size_t bytes)
{
    skedi_chunk **next = arena->now ? &arena->now->next : &arena->first;
    skedi_chunk **at = next;

    while (*at && !fits_chunk(*at, bytes)) at = &(*at)->next;
    skedi_chunk *found = *at;
    if (!found || at == next) return found;
    *at = found->next;
    found->next = *next;
    *next = found;
    return found;
}

/* The chunk for the next `bytes`; NULL without memory. */
static skedi_chunk *chunk_for(skedi_arena *arena, size_t bytes, skedi_mem *mem)
{
    if (fits_chunk(arena->now, bytes)) return arena->now;
    skedi_chunk *found = empty_chunk(arena, bytes);
    return found ? found : add_chunk(arena, bytes, mem);
}

void *skedi_arena_take(skedi_arena *arena, size_t bytes, skedi_mem *mem)
{
    size_t words = whole_words(bytes);

    if (words < bytes) return NULL;
    skedi_chunk *chunk = chunk_for(arena, words, mem);
    if (!chunk) return NULL;
    unsigned char *piece = (unsigned char *)chunk->bytes + chunk->used;
    memset(piece, 0, words);
    chunk->used += words;
    arena->now = chunk;
    return piece;
}

int skedi_arena_reserve(skedi_arena *arena, size_t bytes, skedi_mem *mem)
{
    size_t words = whole_words(bytes);

    return words >= bytes && chunk_for(arena, words, mem) != NULL;
}

skedi_arena_mark skedi_arena_here(const skedi_arena *arena)
{
    skedi_arena_mark mark = {arena->now, arena->now ? arena->now->used : 0};

    return mark;
}

void skedi_arena_rewind(skedi_arena *arena, skedi_arena_mark mark)
{
    skedi_chunk *chunk = mark.chunk ? mark.chunk->next : arena->first;

    for (; chunk; chunk = chunk->next) chunk->used = 0;
    if (mark.chunk) mark.chunk->used = mark.used;
    arena->now = mark.chunk;
}

void skedi_arena_free(skedi_arena *arena, skedi_mem *mem)
{
    while (arena->first) {
        skedi_chunk *chunk = arena->first;
        arena->first = chunk->next;
        skedi_free(mem, chunk, sizeof *chunk + chunk->cap, 1);
    }
    arena->now = NULL;
}
