/* Open addressing over a power of two, never more than half full. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t h = UINT64_C(1469598103934665603);

    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    return h ^ h >> 29;
}

/* The slot that holds the text, or the free slot for the text. */
static uint32_t probe(const names *all, const char *text, size_t length)
{
    uint32_t mask = all->slots - 1, at = (uint32_t)hash_of(text, length) & mask;

    for (; all->slot[at]; at = (at + 1) & mask) {
        const char *known = all->text[all->slot[at] - 1];
        if (strlen(known) == length && !memcmp(known, text, length)) break;
    }
    return at;
}

static int grow_slots(names *all)
{
    names next = *all;

    if (all->slots > UINT32_MAX / 2) return 0;
    next.slots = all->slots ? all->slots * 2 : 64;
    next.slot = calloc(next.slots, sizeof *next.slot);
    if (!next.slot) return 0;
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t at = probe(&next, all->text[i], strlen(all->text[i]));
        next.slot[at] = i + 1;
    }
    free(all->slot);
    *all = next;
    return 1;
}

static int grow_text(names *all)
{
    uint32_t cap = all->cap ? all->cap * 2 : 32;
    char **text = realloc(all->text, cap * sizeof *text);

    if (!text) return 0;
    all->text = text;
    all->cap = cap;
    return 1;
}

uint32_t names_number(names *all, const char *text, size_t length)
{
    if (all->n * 2 >= all->slots && !grow_slots(all)) return NAMES_FULL;
    uint32_t at = probe(all, text, length);
    if (all->slot[at]) return all->slot[at] - 1;

    if (all->n == all->cap && !grow_text(all)) return NAMES_FULL;
    char *copy = malloc(length + 1);
    if (!copy) return NAMES_FULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    all->text[all->n] = copy;
    all->slot[at] = ++all->n;
    return all->n - 1;
}

uint32_t names_find(const names *all, const char *text, size_t length)
{
    if (!all->slots) return NAMES_FULL;
    uint32_t at = probe(all, text, length);
    return all->slot[at] ? all->slot[at] - 1 : NAMES_FULL;
}

void names_free(names *all)
{
    for (uint32_t i = 0; i < all->n; i++) free(all->text[i]);
    free(all->text);
    free(all->slot);
    *all = (names){0};
}
