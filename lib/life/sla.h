#ifndef SKEDI_LIFE_SLA_H
#define SKEDI_LIFE_SLA_H

/* Reads an SLA, and counts the instances that the SLA allows to stop. */

#include "life/life.h"

/* NULL is an SLA without promises. SKED_OK, _RANGE or _VERSION. */
sked_status skedi_life_sla_in(sked_life_sla *sla, const sked_life_sla *theirs,
                              sked_error *err);

/* How many of the available instances may stop. */
uint64_t skedi_life_spare(const sked_life_sla *sla, uint64_t available,
                          uint64_t unavailable);

#endif
