#ifndef SKEDI_PREEMPT_ORDER_H
#define SKEDI_PREEMPT_ORDER_H

#include "preempt/scene.h"

/* Puts rows of candidates, which come by row, into the order of in.rank. */
sked_status skedi_preempt_rank(skedi_scene *scene, uint32_t *rows, uint32_t n,
                               sked_error *err);

#endif
