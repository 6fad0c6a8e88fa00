#ifndef SKEDI_AMOUNT_H
#define SKEDI_AMOUNT_H

#include "base/text.h"
#include "res/schema.h"

/*
 * Passes one amount of a kind counted in `unit`. On failure, returns the
 * status, writes the reason to `*why`, and leaves the place at the refused
 * text.
 */
sked_status skedi_amount_read(skedi_reader *r, skedi_unit unit, int rounding,
                              int64_t *amount, const char **why);

/* Appends an amount, SKED_UNLIMITED included. */
void skedi_amount_write(skedi_writer *w, skedi_unit unit, int64_t amount,
                        int form);

/* 0 to SKED_AMOUNT_MAX, or SKED_UNLIMITED. */
static inline int skedi_is_amount(int64_t x)
{
    return x >= 0 && (x <= SKED_AMOUNT_MAX || x == SKED_UNLIMITED);
}

static inline int skedi_is_rounding(int32_t mode)
{
    return mode >= SKED_ROUNDING_REFUSE && mode <= SKED_ROUNDING_NEAREST;
}

#endif
