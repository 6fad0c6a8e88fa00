#ifndef SKEDI_TREE_TEXTS_H
#define SKEDI_TREE_TEXTS_H

/*
 * A store of texts that never move: names, labels, lists of users. Draft and
 * commit share a store. A commit therefore copies no text, and edits never
 * disturb a text that a reader holds.
 */

#include "base/mem.h"

enum {
    SKEDI_TEXT_CHUNKS = 32,
    SKEDI_TEXT_SPARE = 1 << 27 /* bytes of a chunk, at most */
};

/* Identifies a text: chunk and position. 0 is the empty text. */
typedef uint32_t skedi_text;

typedef struct skedi_text_chunk {
    char *at;
    uint32_t cap;
    uint32_t used;
} skedi_text_chunk;

typedef struct skedi_texts {
    skedi_text_chunk chunk[SKEDI_TEXT_CHUNKS];
    uint32_t n;  /* number of chunks */
    uint32_t at; /* the chunk in use; later chunks are empty */
} skedi_texts;

/* The end of a store, for a later cut. */
typedef struct skedi_text_mark {
    uint32_t at;
    uint32_t used;
} skedi_text_mark;

/* Reserves `bytes` of contiguous memory. Returns 0 without memory; the store is
 * then unchanged. */
int skedi_texts_ensure(skedi_texts *texts, skedi_mem *mem, size_t bytes);

/* Adds `bytes`, including any NUL. The caller has reserved the memory. */
skedi_text skedi_texts_put(skedi_texts *texts, const void *from, size_t bytes);

/* Claims memory for `bytes`, which the caller fills later. */
char *skedi_texts_claim(skedi_texts *texts, size_t bytes, skedi_text *text);

/* The bytes of all texts, including unused texts. */
uint64_t skedi_texts_used(const skedi_texts *texts);

/* The contiguous bytes that still fit without new memory. */
size_t skedi_texts_spare(const skedi_texts *texts);

skedi_text_mark skedi_texts_mark(const skedi_texts *texts);
void skedi_texts_cut(skedi_texts *texts, skedi_text_mark mark);

/* Was `text` added after the mark? */
int skedi_texts_after(skedi_text text, skedi_text_mark mark);

/* Removes every text and keeps the memory. */
void skedi_texts_clear(skedi_texts *texts);

/* Copies `from` to the empty store `into`. Text numbers stay the same. */
int skedi_texts_copy(skedi_texts *into, skedi_mem *mem,
                     const skedi_texts *from);

void skedi_texts_free(skedi_texts *texts, skedi_mem *mem);

static inline const char *skedi_text_at(const skedi_texts *texts,
                                        skedi_text text)
{
    return texts->chunk[text / SKEDI_TEXT_SPARE].at + text % SKEDI_TEXT_SPARE;
}

#endif
