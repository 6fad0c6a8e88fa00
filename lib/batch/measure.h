#ifndef SKEDI_BATCH_MEASURE_H
#define SKEDI_BATCH_MEASURE_H

#include <sched/batch.h>

#include "base/mem.h"

/* Measures spans; spans and rule must be valid. SKED_ERR_NOMEM: no memory. */
sked_status skedi_batch_measure_spans(const sked_batch_span *spans, size_t n,
                                      const sked_batch_rule *rule,
                                      skedi_mem *mem,
                                      sked_batch_metrics *metrics);

#endif
