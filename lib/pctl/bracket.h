#ifndef SKEDI_PCTL_BRACKET_H
#define SKEDI_PCTL_BRACKET_H

/* Thresholds of a large queue in one pass, by sampling. */

#include "pctl/select.h"

enum { SKEDI_BRACKETS = 16 /* thresholds guessed in one pass */ };

/* The amounts between which some answers should lie. */
typedef struct skedi_pctl_bracket {
    uint64_t low;
    uint64_t high;
    uint64_t below;  /* lengths of units in use below `low` */
    uint64_t inside; /* lengths of listed units */
} skedi_pctl_bracket;

typedef struct skedi_brackets {
    skedi_pctl_bracket of[SKEDI_BRACKETS]; /* rising and apart */
    size_t n;
    size_t listed; /* units of all, in the first list of the memory */
    int full;      /* the list was too small */
} skedi_brackets;

/* Guesses brackets for `n` thresholds, at most SKEDI_BRACKETS. 0: none worth
 * a try, for too many units have the same amounts. */
int skedi_brackets_guess(skedi_brackets *b, const skedi_units *units,
                         const sked_ratio *threshold, size_t n,
                         skedi_select_memory *memory);

/* Takes in the next block of units. */
void skedi_brackets_add(skedi_brackets *b, const skedi_units *block,
                        skedi_select_memory *memory);

/* After all blocks: fills in a spot. 0: the guess was wrong. */
int skedi_brackets_answer(const skedi_brackets *b, const skedi_units *units,
                          skedi_spot *spot, skedi_select_memory *memory);

#endif
