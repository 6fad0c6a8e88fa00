#ifndef SKEDI_ENGINE_ORDER_ENTRIES_H
#define SKEDI_ENGINE_ORDER_ENTRIES_H

/* Open asks in the lines of their leaves. */

#include "engine/state.h"

/* Memory for so many entries more, in no line yet. 0: no memory. */
int skedi_entry_rows_reserve(sked_engine *e, uint64_t more);

/* Memory for the entries of an ask, or of a new one in a leaf, in its partition
 * or in all. 0: no memory. */
int skedi_entries_reserve(sked_engine *e, uint32_t ask);
int skedi_entries_reserve_in(sked_engine *e, uint32_t row, uint32_t partition);

/* Memory in the lines of a leaf for all open asks of a job; adds to `entries`,
 * for which the caller reserves memory. 0: no memory. */
int skedi_entries_reserve_of(sked_engine *e, uint32_t job, uint32_t row,
                             uint64_t *entries);

/* Memory in the lines of its leaf for one ask more, beside those for which this
 * was called before; adds to `entries`, for which the caller reserves memory.
 * 0: no memory. In any case the second call follows for each of these asks. */
int skedi_entries_expect(sked_engine *e, uint32_t ask, uint64_t *entries);
void skedi_entries_expected(sked_engine *e, uint32_t ask);

/* Puts an ask that has open tasks, and whose job may run, into its line, or
 * into one in each partition; takes it out. Memory was reserved. */
void skedi_entries_add(sked_engine *e, uint32_t ask);
void skedi_entries_remove(sked_engine *e, uint32_t ask);

/*
 * Moves an ask into the class of asks of its shape that refuse nodes and have
 * the same bucket (from 1), as the last that came there; or (0) into the class
 * of its shape, also where there is no memory. To be called when what it
 * refuses, or its shape, has changed.
 */
void skedi_entries_bucket(sked_engine *e, uint32_t ask, uint32_t bucket);

/* Makes an ask in line that refuses nodes count as the last that came. */
void skedi_entries_recent(sked_engine *e, uint32_t ask);

/* Makes the keys of all entries of a job anew. O(open asks of the job). */
void skedi_entries_rekey(sked_engine *e, uint32_t job);

/* The same where the order of its leaf goes by what jobs have or want. */
static inline void skedi_entries_reshare(sked_engine *e, uint32_t job)
{
    uint8_t apps = e->rows.apps[job_at(e, job)->row];

    if (job_at(e, job)->state != JOB_RUNNING) return;
    if (apps != SKED_APPS_FAIR && apps != SKED_APPS_SIZE) return;
    skedi_entries_rekey(e, job);
}

#endif
