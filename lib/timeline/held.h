#ifndef SKEDI_TIMELINE_HELD_H
#define SKEDI_TIMELINE_HELD_H

/* Spans in the tree of changes: what a span does to its two ends. */

#include "timeline/search.h"

/* Puts a span in. SKED_ERR_RANGE: a moment would have more than
 * SKED_AMOUNT_MAX held; SKED_ERR_NOMEM. Then nothing has changed. `row`: the
 * element of a column + 1, or 0. */
sked_status skedi_held_add(skedi_steps *steps, skedi_mem *mem, int64_t from,
                           int64_t until, const int64_t *amounts, int64_t row,
                           sked_error *err);

/* Takes out a span that is in. */
void skedi_held_remove(skedi_steps *steps, int64_t from, int64_t until,
                       const int64_t *amounts);

#endif
