#ifndef SKEDI_PREEMPT_SKETCH_H
#define SKEDI_PREEMPT_SKETCH_H

#include "preempt/cover.h"

/* A plan in progress: lots in the order of choice. */
typedef struct skedi_chosen {
    uint32_t lot;
    uint32_t copies;
    uint32_t request;
    uint32_t rule;
} skedi_chosen;

typedef struct skedi_sketch {
    skedi_scene *scene;
    skedi_book book;
    skedi_cover cover;
    skedi_chosen *list;
    size_t n;
    size_t cap;
    sked_preempt_placement *placements;
    size_t n_placements;
    size_t placements_cap;
    int64_t bound;
    uint32_t outcome;
} skedi_sketch;

/* Writes the draft into a caller's plan. SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_sketch_write(skedi_sketch *draft, sked_preempt_result *plan,
                               sked_error *err);

/* Reports why a plan failed: no memory, or a stop by the host. */
sked_status skedi_plan_failed(sked_status rc, sked_error *err);

/* ---- preempt/place.c ---- */

/* Fill the draft: for the need, or for the requests. */
sked_status skedi_plan_need(skedi_sketch *draft, sked_error *err);
sked_status skedi_plan_requests(skedi_sketch *draft, sked_error *err);

#endif
