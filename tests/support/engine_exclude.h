#ifndef TEST_ENGINE_EXCLUDE_H
#define TEST_ENGINE_EXCLUDE_H

/* Nodes that an ask or a job does not take. */

#include "engine_fixture.h"

/* Says by SKED_EVENT_ASK_EXCLUDE or _JOB_EXCLUDE that it takes none of these. */
static inline sked_status exclude(engine_fixture *f, int32_t kind, uint64_t key,
                                  const uint64_t *nodes, int32_t n)
{
    const int32_t offsets[] = {0, n};
    sked_event event = {.kind = kind, .key = key, .places = n > 0};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .place_offsets = offsets,
                         .places = nodes,
                         .n_places = 1};

    event.time = f->now;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

#endif
