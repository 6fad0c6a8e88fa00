#ifndef SKEDI_PCTL_INSTANCE_H
#define SKEDI_PCTL_INSTANCE_H

/* The amount that stands for a vector: the amount of a kind, or instances. */

#include <sched/pctl.h>

#include "base/arith.h"

typedef struct skedi_measure {
    int64_t instance[SKED_MAX_KINDS];
    uint32_t kinds;
    uint32_t kind;  /* the measured kind, without instances */
    uint32_t parts; /* parts of an instance; 0: no instances */
} skedi_measure;

/* Takes an instance (NULL: none) in. SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE. */
sked_status skedi_measure_in(skedi_measure *m, const int64_t *instance,
                             uint32_t kinds, uint32_t kind, uint32_t parts,
                             sked_error *err);

/* The kind of which a vector takes the largest part of an instance, the first
 * among equals. The vector must not use a kind that the instance lacks. */
uint32_t skedi_measure_leader(const skedi_measure *m, const int64_t *vec);

/* The parts of an instance that a vector takes of kind `leader`, rounded up;
 * without instances, the amount of the measured kind. */
uint64_t skedi_measure_of(const skedi_measure *m, const int64_t *vec,
                          uint32_t leader);

/* The kind that a vector uses and the instance lacks, or -1. */
int32_t skedi_measure_lacks(const skedi_measure *m, const int64_t *vec);

#endif
