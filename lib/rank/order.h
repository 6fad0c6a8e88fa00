#ifndef SKEDI_RANK_ORDER_H
#define SKEDI_RANK_ORDER_H

#include <sched/rank.h>

#include "base/hooks.h"
#include "base/sort.h"

enum {
    SKEDI_RANK_KEYS = 10,    /* there are so many */
    SKEDI_RANK_CHECK = 65536 /* rows between two looks at the host's cancel */
};

/* One key that tells candidates apart, in its place among the words. */
typedef struct skedi_rank_field {
    int32_t key;
    uint32_t word;
    unsigned bits; /* 1 to 64, that values need above the least */
    uint64_t low;  /* the least value */
} skedi_rank_field;

/*
 * An order of candidates as words of 64 bits, the first deciding: the least
 * goes first. Borrows the columns.
 */
typedef struct skedi_rank {
    sked_rank_input in;
    skedi_rank_field field[SKEDI_RANK_KEYS];
    uint32_t fields;
    uint32_t words;
} skedi_rank;

/*
 * Takes a caller's columns, checks them and measures the keys. SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_VERSION or what the host says. O(n
 * keys).
 */
sked_status skedi_rank_plan(skedi_rank *rank, const sked_rank_input *in,
                            const skedi_hooks *hooks, sked_error *err);

/* Gives items their key in one word; `index` is the candidate. */
sked_status skedi_rank_load(const skedi_rank *rank, uint32_t word,
                            skedi_keyed *items, size_t n,
                            const skedi_hooks *hooks);

/* The same, without a look at whether the host goes on. */
void skedi_rank_load_some(const skedi_rank *rank, uint32_t word,
                          skedi_keyed *items, size_t n);

/*
 * Of all candidates the `top` whose turn is first, by position: `taken` holds
 * so many, `items` one for each candidate, and is used up.
 */
sked_status skedi_rank_select(const skedi_rank *rank, skedi_keyed *items,
                              uint32_t *taken, uint32_t top,
                              const skedi_hooks *hooks);

#endif
