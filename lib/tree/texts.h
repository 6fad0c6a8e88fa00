#ifndef SKEDI_TREE_TEXTS_H
#define SKEDI_TREE_TEXTS_H

/*
 * A store of texts that never move: names, labels, lists of users. Draft and
 * commit share one, so committing copies no text and editing never disturbs
 * what a reader was given.
 */

#include "base/mem.h"

enum {
    SKEDI_TEXT_CHUNKS = 32,
    SKEDI_TEXT_SPARE = 1 << 27 /* bytes of a chunk, at most */
};

/* Names a text: chunk and position in it. 0 is the empty text. */
typedef uint32_t skedi_text;

typedef struct skedi_text_chunk {
    char *at;
    uint32_t cap;
    uint32_t used;
} skedi_text_chunk;

typedef struct skedi_texts {
    skedi_text_chunk chunk[SKEDI_TEXT_CHUNKS];
    uint32_t n;  /* chunks there are */
    uint32_t at; /* the one that is being filled; later ones are empty */
} skedi_texts;

/* Where a store ends, to cut it back to. */
typedef struct skedi_text_mark {
    uint32_t at;
    uint32_t used;
} skedi_text_mark;

/* Reserves memory to put `bytes` in one piece. 0: no memory, nothing
 * changed. */
int skedi_texts_ensure(skedi_texts *texts, skedi_mem *mem, size_t bytes);

/* Adds `bytes` for which there is memory; the last of them is the caller's. */
skedi_text skedi_texts_put(skedi_texts *texts, const void *from, size_t bytes);

/* Memory for `bytes` without saying yet what they are. */
char *skedi_texts_claim(skedi_texts *texts, size_t bytes, skedi_text *text);

/* Bytes from the start, those of texts that are no longer named included. */
uint64_t skedi_texts_used(const skedi_texts *texts);

/* How many bytes can still be put in one piece without asking for memory. */
size_t skedi_texts_spare(const skedi_texts *texts);

skedi_text_mark skedi_texts_mark(const skedi_texts *texts);
void skedi_texts_cut(skedi_texts *texts, skedi_text_mark mark);

/* Was it put after the mark? */
int skedi_texts_after(skedi_text text, skedi_text_mark mark);

/* Forgets every text, keeps the memory. */
void skedi_texts_clear(skedi_texts *texts);

/* An empty copy `into` becomes an equal store, names of texts included. */
int skedi_texts_copy(skedi_texts *into, skedi_mem *mem,
                     const skedi_texts *from);

void skedi_texts_free(skedi_texts *texts, skedi_mem *mem);

static inline const char *skedi_text_at(const skedi_texts *texts,
                                        skedi_text text)
{
    return texts->chunk[text / SKEDI_TEXT_SPARE].at + text % SKEDI_TEXT_SPARE;
}

#endif
