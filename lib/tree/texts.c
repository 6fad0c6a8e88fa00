/*
 * A store of chunks of doubling size, filled in order. A text never spans
 * chunks. The last used chunk alone grows; its end is the mark to which a
 * discarded draft is cut back. Unused texts stay until the owner copies the
 * used texts into another store.
 *
 * Invariant: if chunk 0 exists, chunk 0 begins with the empty text.
 */
#include "tree/texts.h"

#include <string.h>

enum { FIRST_CHUNK = 256 };

static size_t chunk_spare(const skedi_text_chunk *chunk)
{
    return chunk->cap - chunk->used;
}

static int chunk_add(skedi_texts *texts, skedi_mem *mem, size_t bytes)
{
    size_t cap = FIRST_CHUNK;

    if (texts->n == SKEDI_TEXT_CHUNKS) return 0;
    if (texts->n > 0) cap = (size_t)texts->chunk[texts->n - 1].cap * 2;
    if (cap < bytes) cap = bytes;
    if (cap > SKEDI_TEXT_SPARE) cap = SKEDI_TEXT_SPARE;
    char *at = skedi_new(mem, cap, 1);
    if (!at) return 0;

    skedi_text_chunk *chunk = &texts->chunk[texts->n];
    *chunk = (skedi_text_chunk){.at = at, .cap = (uint32_t)cap};
    chunk->used = texts->n == 0;
    texts->n++;
    return 1;
}

int skedi_texts_ensure(skedi_texts *texts, skedi_mem *mem, size_t bytes)
{
    uint32_t at = texts->at;

    if (bytes >= SKEDI_TEXT_SPARE) return 0; /* the empty text needs a byte */
    while (at < texts->n && chunk_spare(&texts->chunk[at]) < bytes) at++;
    if (at == texts->n && !chunk_add(texts, mem, bytes + 1)) return 0;
    texts->at = at;
    return 1;
}

char *skedi_texts_claim(skedi_texts *texts, size_t bytes, skedi_text *text)
{
    skedi_text_chunk *chunk = &texts->chunk[texts->at];
    char *at = chunk->at + chunk->used;

    *text = texts->at * (uint32_t)SKEDI_TEXT_SPARE + chunk->used;
    chunk->used += (uint32_t)bytes;
    return at;
}

skedi_text skedi_texts_put(skedi_texts *texts, const void *from, size_t bytes)
{
    skedi_text text;

    memcpy(skedi_texts_claim(texts, bytes, &text), from, bytes);
    return text;
}

uint64_t skedi_texts_used(const skedi_texts *texts)
{
    uint64_t used = 0;

    for (uint32_t i = 0; i < texts->n; i++) used += texts->chunk[i].used;
    return used;
}

size_t skedi_texts_spare(const skedi_texts *texts)
{
    size_t spare = 0;

    for (uint32_t i = texts->at; i < texts->n; i++) {
        size_t there = chunk_spare(&texts->chunk[i]);
        if (there > spare) spare = there;
    }
    return spare;
}

skedi_text_mark skedi_texts_mark(const skedi_texts *texts)
{
    skedi_text_mark mark = {texts->at, texts->chunk[texts->at].used};

    return mark;
}

void skedi_texts_cut(skedi_texts *texts, skedi_text_mark mark)
{
    for (uint32_t i = mark.at + 1; i < texts->n; i++) texts->chunk[i].used = 0;
    texts->chunk[mark.at].used = mark.used;
    texts->at = mark.at;
}

int skedi_texts_after(skedi_text text, skedi_text_mark mark)
{
    return text >= mark.at * (uint32_t)SKEDI_TEXT_SPARE + mark.used;
}

void skedi_texts_clear(skedi_texts *texts)
{
    skedi_text_mark start = {0, texts->n > 0};

    skedi_texts_cut(texts, start);
}

int skedi_texts_copy(skedi_texts *into, skedi_mem *mem, const skedi_texts *from)
{
    for (uint32_t i = 0; i < from->n; i++) {
        const skedi_text_chunk *chunk = &from->chunk[i];
        char *at = skedi_new(mem, chunk->cap, 1);
        if (!at) return 0;
        memcpy(at, chunk->at, chunk->used);
        into->chunk[i] = *chunk;
        into->chunk[i].at = at;
        into->n = i + 1;
    }
    into->at = from->at;
    return 1;
}

void skedi_texts_free(skedi_texts *texts, skedi_mem *mem)
{
    for (uint32_t i = 0; i < texts->n; i++) {
        skedi_free(mem, texts->chunk[i].at, texts->chunk[i].cap, 1);
    }
    *texts = (skedi_texts){0};
}
