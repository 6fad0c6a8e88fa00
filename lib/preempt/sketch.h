#ifndef SKEDI_PREEMPT_SKETCH_H
#define SKEDI_PREEMPT_SKETCH_H

#include "preempt/cover.h"

/* A plan while it is made: lots in the order in which they were chosen. */
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

/* Notes copies of a lot, or tasks of a request on a node. 0: no memory. */
int skedi_sketch_choose(skedi_sketch *draft, skedi_chosen chosen);
int skedi_sketch_place(skedi_sketch *draft, sked_preempt_placement placement);

/* Writes the draft into a caller's plan. SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_sketch_write(skedi_sketch *draft, sked_preempt_result *plan,
                               sked_error *err);

/* Says why a plan came to nothing: no memory, or the host stopped it. */
sked_status skedi_plan_failed(sked_status rc, sked_error *err);

/* ---- preempt/need.c, preempt/place.c ---- */

/* Fill the draft: for the need, or for the requests. */
sked_status skedi_plan_need(skedi_sketch *draft, sked_error *err);
sked_status skedi_plan_requests(skedi_sketch *draft, sked_error *err);

#endif
