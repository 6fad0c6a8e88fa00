#ifndef WORKLOAD_NAMES_H
#define WORKLOAD_NAMES_H

/* Texts, each kept once and numbered in order of appearance. */

#include <stddef.h>
#include <stdint.h>

typedef struct names {
    char **text;
    uint32_t *slot; /* 1 + number of the name with this hash; 0: free */
    uint32_t n;
    uint32_t cap;   /* of text */
    uint32_t slots; /* of slot; a power of two */
} names;

#define NAMES_FULL UINT32_MAX

/* The number of a text; a new text is added. NAMES_FULL: no memory. */
uint32_t names_number(names *all, const char *text, size_t length);

/* The number of a text, or NAMES_FULL for an unknown text. */
uint32_t names_find(const names *all, const char *text, size_t length);

void names_free(names *all);

#endif
