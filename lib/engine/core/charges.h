#ifndef SKEDI_ENGINE_CORE_CHARGES_H
#define SKEDI_ENGINE_CORE_CHARGES_H

/* Jobs that are charged in trees of limits. */

#include "engine/state.h"

/* The rows that a new job is to be charged in, one for each tree of limits
 * (SKEDI_NONE: in none). SKED_OK or SKED_ERR_STALE. */
sked_status skedi_charge_in(const sked_engine *e, const sked_events *batch,
                            const sked_event *event, uint32_t *rows,
                            sked_error *err);

/* Memory for one more. 0: no memory. */
int skedi_charge_reserve(sked_engine *e);

/* Charges a new job in these rows; memory was reserved. Ends what a job is
 * charged. */
void skedi_charge_take(sked_engine *e, uint32_t job, const uint32_t *rows);
void skedi_charge_drop(sked_engine *e, uint32_t job);

/* Puts a charge on the list of its row in a tree. */
void skedi_charge_link(sked_engine *e, uint32_t charge, uint32_t tree);

/* May one more run, by max_running on its paths? */
int skedi_charge_may_run(const sked_engine *e, uint32_t job);

#endif
