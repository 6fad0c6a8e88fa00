#ifndef SKEDI_REPORT_RATE_H
#define SKEDI_REPORT_RATE_H

#include <sched/report.h>

#include "base/arith.h"
#include "base/hooks.h"

enum {
    SKEDI_REPORT_ROWS = SKED_MAX_TIERS + 1,   /* the total, then the tiers */
    SKEDI_REPORT_COLUMNS = SKED_MAX_KINDS + 1 /* instances, then the kinds */
};

/* A report that is being made: sums by row and column. */
typedef struct skedi_report {
    sked_report_input in;
    skedi_hooks hooks;
    skedi_u128 used[SKEDI_REPORT_ROWS][SKEDI_REPORT_COLUMNS];
    int64_t has[SKEDI_REPORT_ROWS]; /* instances: capacity over the window */
} skedi_report;

/* What a row has of a column, times the window. */
skedi_u128 skedi_report_capacity(const skedi_report *r, uint32_t row,
                                 uint32_t column);

/* used / capacity in parts per million, to the nearest; -1, SKED_UNLIMITED. */
int64_t skedi_report_ratio(skedi_u128 used, skedi_u128 capacity);

/* The dominant kind, -1: nothing is used; and what is stranded of each kind
 * (may be NULL). */
int32_t skedi_report_strand(const skedi_report *r, int64_t *stranded);

/* The first tier above the next one in use, 0: none. */
uint32_t skedi_report_disorder(const skedi_report *r);

/* Fills in action, reason, streak, by and needed. SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_report_act(const skedi_report *r, sked_report_result *out);

#endif
