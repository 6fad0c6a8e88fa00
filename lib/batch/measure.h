#ifndef SKEDI_BATCH_MEASURE_H
#define SKEDI_BATCH_MEASURE_H

#include <sched/batch.h>

#include "base/mem.h"

/* The metrics of spans that are known to be sound, by a rule that is. Without
 * memory SKED_ERR_NOMEM. */
sked_status skedi_batch_measure_spans(const sked_batch_span *spans, size_t n,
                                      const sked_batch_rule *rule,
                                      skedi_mem *mem,
                                      sked_batch_metrics *metrics);

#endif
