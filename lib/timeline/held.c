/*
 * Each end of a span is a change in the tree. The end that lowers what is held
 * goes first, so no sum leaves the range of int64 in between (rules.c).
 */
#include "timeline/held.h"

#include "base/fail.h"
#include "timeline/walk.h"

/* The kind of which a moment in the range would have too much held; else
 * `kinds`. Most spans stay within the limit beside the peak of all moments. */
static uint32_t held_over(const skedi_steps *s, int64_t from, int64_t until,
                          const int64_t *amounts, int64_t *most)
{
    uint32_t k = 0;

    while (k < s->kinds && s->high[k] <= SKED_AMOUNT_MAX - amounts[k]) k++;
    if (k == s->kinds) return k;
    skedi_walk_most(s, from, until, most);
    for (k = 0; k < s->kinds; k++) {
        if (most[k] > SKED_AMOUNT_MAX - amounts[k]) return k;
    }
    return k;
}

sked_status skedi_held_add(skedi_steps *s, skedi_mem *mem, int64_t from,
                           int64_t until, const int64_t *amounts, int64_t row,
                           sked_error *err)
{
    int64_t most[SKED_MAX_KINDS];

    if (from == until) return SKED_OK;
    uint32_t over = held_over(s, from, until, amounts, most);
    if (over < s->kinds) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          "spans of one moment hold too much",
                          (skedi_fault){.row = row,
                                        .kind = (int32_t)over + 1,
                                        .got = amounts[over],
                                        .limit = SKED_AMOUNT_MAX - most[over]});
    }
    if (!skedi_steps_prepare(s, mem)) return skedi_fail_memory(err);
    if (until != SKED_UNLIMITED) skedi_steps_add(s, until, amounts, -1);
    skedi_steps_add(s, from, amounts, 1);
    return SKED_OK;
}

void skedi_held_remove(skedi_steps *s, int64_t from, int64_t until,
                       const int64_t *amounts)
{
    if (from == until) return;
    skedi_steps_forget(s, from, until);
    skedi_steps_subtract(s, from, amounts, 1);
    if (until != SKED_UNLIMITED) skedi_steps_subtract(s, until, amounts, -1);
}
