#ifndef SKEDI_AUDIT_ROWS_H
#define SKEDI_AUDIT_ROWS_H

/* Applying rows: declarations shared by apply.c and runs.c. */

#include "audit/state.h"

/* The current row, with the numbers of its tasks and its node. */
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

/* Finds the number of a key. Refuses the row if the key is unknown. */
sked_status skedi_audit_known(const skedi_audit_case *c, const skedi_map *map,
                              uint64_t key, const char *words, uint32_t *i);

/* Adds `more` waiting tasks; removes tasks if `more` is negative. */
void skedi_audit_waiting(sked_audit *a, uint32_t tasks, int64_t more);

/* Updates two sums on the path of a queue: the usage within guarantees, and
 * the guaranteed amounts. */
void skedi_audit_protect(sked_audit *a, uint32_t queue);

/* ---- runs.c ---- */

sked_status skedi_audit_row_start(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_end(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_cancel(sked_audit *a, const skedi_audit_case *c);
sked_status skedi_audit_row_reserve_start(sked_audit *a,
                                          const skedi_audit_case *c);
sked_status skedi_audit_row_job_end(sked_audit *a, const skedi_audit_case *c);

#endif
