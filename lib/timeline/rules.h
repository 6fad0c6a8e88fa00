#ifndef SKEDI_TIMELINE_RULES_H
#define SKEDI_TIMELINE_RULES_H

/* Which moments, amounts and spans a timeline takes. */

#include <sched/timeline.h>

#include "base/fail.h"

enum { SKEDI_TIMELINE_MOST = 1 << 30 /* spans */ };

/* `row`, in each fault: the element of a column + 1; 0: no column. */

sked_status skedi_timeline_moment_in(int64_t moment, int64_t row,
                                     sked_error *err);

/* The moments of a span or range; `until` may be SKED_UNLIMITED. */
sked_status skedi_timeline_range_in(int64_t from, int64_t until, int64_t row,
                                    sked_error *err);
sked_status skedi_timeline_duration_in(int64_t duration, int64_t row,
                                       sked_error *err);
sked_status skedi_timeline_kinds_in(uint32_t kinds, sked_error *err);
sked_status skedi_timeline_amounts_in(const int64_t *amounts, uint32_t kinds,
                                      int64_t row, sked_error *err);

#endif
