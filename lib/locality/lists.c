/*
 * Blocks by host, as entries with the block's row beside the block. A list
 * inside a slab has some places more than blocks. A list that outgrows its
 * places moves to its own slab. The old places stay unused until the end.
 */
#include "locality/handle.h"

#include <string.h>

enum { ENTRIES_A_CHECK = 1 << 18 };

struct skedi_loc_slab {
    skedi_loc_slab *next;
    size_t words;
    uint32_t at[];
};

/* Numbers in an entry. */
static size_t entry_words(const skedi_loc *w)
{
    return (size_t)w->width + 1;
}

static uint32_t *new_slab(skedi_loc *w, uint64_t entries)
{
    uint64_t words = entries * entry_words(w);
    skedi_loc_slab *slab = NULL;

    if (words <= SIZE_MAX / 4 - sizeof *slab) {
        slab = skedi_new(&w->hooks->mem,
                         sizeof *slab + (size_t)words * sizeof(uint32_t), 1);
    }
    if (!slab) return NULL;
    slab->next = w->lists.slabs;
    slab->words = (size_t)words;
    w->lists.slabs = slab;
    return slab->at;
}

int skedi_loc_lists_reserve(skedi_loc *w)
{
    skedi_loc_lists *l = &w->lists;
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    return (l->entry = skedi_new(mem, n, sizeof(uint32_t *))) &&
           (l->cursor = skedi_new(mem, n, sizeof(uint32_t *))) &&
           (l->n = skedi_new(mem, n, sizeof *l->n)) &&
           (l->cap = skedi_new(mem, n, sizeof *l->cap)) &&
           (l->whole = skedi_new(mem, n, sizeof *l->whole));
}

void skedi_loc_lists_drop(skedi_loc *w)
{
    skedi_loc_lists *l = &w->lists;
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    while (l->slabs) {
        skedi_loc_slab *slab = l->slabs;
        l->slabs = slab->next;
        skedi_free(mem, slab, sizeof *slab + slab->words * sizeof(uint32_t), 1);
    }
    skedi_free(mem, l->entry, n, sizeof(uint32_t *));
    skedi_free(mem, l->cursor, n, sizeof(uint32_t *));
    skedi_free(mem, l->n, n, sizeof *l->n);
    skedi_free(mem, l->cap, n, sizeof *l->cap);
    skedi_free(mem, l->whole, n, sizeof *l->whole);
}

/* Writes the blocks of [from, to) whose host has a cursor. */
static void write_entries(skedi_loc *w, uint32_t from, uint32_t to)
{
    uint32_t **cursor = w->lists.cursor;
    const uint32_t width = w->width;
    const uint32_t *row = w->in->replica + (size_t)from * width;

    for (uint32_t b = from; b < to; b++, row += width) {
        uint8_t k = w->choice[b];
        uint32_t h = k == SKED_LOCALITY_NO_REPLICA ? w->hosts : row[k];
        uint32_t *out = cursor[h];
        if (!out) continue;
        out[0] = b;
        for (uint32_t j = 0; j < width; j++) out[1 + j] = row[j];
        cursor[h] = out + 1 + width;
    }
}

/* The same for three replicas, without lost replicas. */
static void write_plain_entries(skedi_loc *w, uint32_t from, uint32_t to)
{
    uint32_t **cursor = w->lists.cursor;
    const uint32_t *row = w->in->replica + (size_t)from * 3;

    for (uint32_t b = from; b < to; b++, row += 3) {
        uint32_t h = row[w->choice[b]];
        uint32_t *out = cursor[h];
        if (!out) continue;
        out[0] = b;
        memcpy(out + 1, row, 3 * sizeof *out);
        cursor[h] = out + 4;
    }
}

static sked_status write_all(skedi_loc *w, uint32_t blocks)
{
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK;) {
        uint32_t n = blocks - b < ENTRIES_A_CHECK ? blocks - b
                                                  : ENTRIES_A_CHECK;
        (w->plain ? write_plain_entries : write_entries)(w, b, b + n);
        b += n;
        rc = skedi_hooks_check(w->hooks, b, blocks);
    }
    return rc;
}

sked_status skedi_loc_list(skedi_loc *w, const uint32_t *hosts, uint32_t n)
{
    skedi_loc_lists *l = &w->lists;
    uint64_t entries = 0;

    for (uint32_t i = 0; i < n; i++) {
        entries += (uint64_t)w->count[hosts[i]] + 4 + w->count[hosts[i]] / 64;
    }
    uint32_t *at = new_slab(w, entries);
    if (!at) return SKED_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = hosts[i], count = w->count[h];
        l->entry[h] = l->cursor[h] = at;
        l->n[h] = count;
        l->cap[h] = count + 4 + count / 64;
        l->whole[h] = 1;
        at += entry_words(w) * l->cap[h];
    }
    sked_status rc = write_all(w, w->in->blocks);
    for (uint32_t i = 0; i < n; i++) l->cursor[hosts[i]] = NULL;
    l->passes++;
    return rc;
}

/* Allowed only before any host is listed. */
sked_status skedi_loc_list_window(skedi_loc *w, uint32_t blocks)
{
    skedi_loc_lists *l = &w->lists;
    uint64_t entries = 0;

    for (uint32_t b = 0; b < blocks; b++) l->n[skedi_loc_host_of(w, b)]++;
    for (uint32_t h = 0; h <= w->hosts; h++) {
        l->cap[h] = l->n[h] + 4 + l->n[h] / 4;
        entries += l->cap[h];
    }
    uint32_t *at = new_slab(w, entries);
    if (!at) return SKED_ERR_NOMEM;
    for (uint32_t h = 0; h <= w->hosts; h++) {
        l->entry[h] = l->cursor[h] = at;
        at += entry_words(w) * l->cap[h];
    }
    sked_status rc = write_all(w, blocks);
    for (uint32_t h = 0; h <= w->hosts; h++) l->cursor[h] = NULL;
    return rc;
}

static int grow_list(skedi_loc *w, uint32_t h)
{
    skedi_loc_lists *l = &w->lists;
    uint32_t cap = l->cap[h] + l->cap[h] / 2 + 8;
    uint32_t *at = new_slab(w, cap);

    if (!at) return 0;
    memcpy(at, l->entry[h], entry_words(w) * l->n[h] * sizeof *at);
    l->entry[h] = at;
    l->cap[h] = cap;
    return 1;
}

int skedi_loc_move_entry(skedi_loc *w, uint32_t from, uint32_t at, uint32_t to)
{
    skedi_loc_lists *l = &w->lists;
    const size_t words = entry_words(w), bytes = words * sizeof(uint32_t);
    uint32_t *hole = l->entry[from] + words * at;

    if (l->n[to] == l->cap[to] && !grow_list(w, to)) return 0;
    memcpy(l->entry[to] + words * l->n[to]++, hole, bytes);
    uint32_t last = --l->n[from];
    if (last != at) memcpy(hole, l->entry[from] + words * last, bytes);
    return 1;
}
