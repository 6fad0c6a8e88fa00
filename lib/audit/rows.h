#ifndef SKEDI_AUDIT_ROWS_H
#define SKEDI_AUDIT_ROWS_H

/* What the two halves of taking rows in share: apply.c and runs.c. */

#include "audit/state.h"

/* The row in hand, with the numbers of what it names. */
typedef struct skedi_audit_case {
    const sked_audit_row *row;
    const int64_t *amounts; /* or NULL */
    uint64_t number;        /* of the row in the history */
    uint32_t tasks;
    uint32_t node;
    sked_error *err;
} skedi_audit_case;

sked_status skedi_audit_refuse(const skedi_audit_case *c, sked_status code,
                               const char *words, uint64_t got);

/* Finds a key, or says that there is none. */
sked_status skedi_audit_known(const skedi_audit_case *c, const skedi_map *map,
                              uint64_t key, const char *words, uint32_t *i);

/* `more` tasks (fewer, if negative) wait. */
void skedi_audit_waiting(sked_audit *a, uint32_t tasks, int64_t more);

/* Brings two sums over children up to date on the path: usage within
 * guarantees, and what is guaranteed. */
void skedi_audit_protect(sked_audit *a, uint32_t queue);

/* ---- runs.c ---- */

sked_status skedi_audit_row_start(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_end(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_cancel(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_reserve_start(sked_audit *a,
                                          const skedi_audit_case *c);
sked_status skedi_audit_row_job_end(sked_audit *a, const skedi_audit_case *c);

#endif
