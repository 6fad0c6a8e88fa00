#ifndef SKEDI_ENGINE_COLUMNS_H
#define SKEDI_ENGINE_COLUMNS_H

/* What stands beside an event of a batch. */

#include <sched/event.h>

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_events, task_stride);

enum { ENGINE_EVENTS_V1 = SKEDI_SIZE_THROUGH(sked_events, n_places) };

static inline const sked_event *skedi_event_at(const sked_events *batch,
                                               uint64_t i)
{
    size_t stride = batch->stride ? batch->stride : sizeof(sked_event);

    return (const sked_event *)(const void *)((const char *)batch->events +
                                              (size_t)i * stride);
}

/* The word of a column that belongs to an event of the batch. */
static inline int64_t skedi_event_word(const sked_events *batch,
                                       const sked_event *event,
                                       const void *column, uint32_t step)
{
    size_t stride = batch->stride ? batch->stride : sizeof *event;
    int64_t word;

    if (!column) return SKED_UNSET;
    size_t from = (size_t)((const char *)event - (const char *)batch->events);
    memcpy(&word, (const char *)column + from / stride * (step ? step : 8),
           sizeof word);
    return word;
}

/* Checks a caller's batch and copies it, without its rows. */
static inline sked_status skedi_events_in(const sked_events *in,
                                          sked_events *batch, sked_error *err)
{
    sked_status rc = SKED_OK;

    if (in->struct_size == sizeof *batch) /* nearly always */
        *batch = *in;
    else
        rc = skedi_struct_in(batch, sizeof *batch, in, ENGINE_EVENTS_V1);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "unknown batch");
    if ((batch->n && !batch->events) || (batch->n_amounts && !batch->amounts) ||
        (batch->n_places && (!batch->place_offsets || !batch->places))) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a column is missing");
    }
    if (batch->reserved) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "reserved is not NULL");
    }
    if (batch->stride % 8 ||
        (batch->stride && batch->stride < sizeof(sked_event)) ||
        batch->moment_stride % 8 || batch->task_stride % 8) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such stride");
    }
    for (uint64_t i = 0; i < batch->n_places; i++) {
        int32_t from = batch->place_offsets[i],
                to = batch->place_offsets[i + 1];
        if (from >= 0 && from <= to) continue;
        return skedi_fail(err, SKED_ERR_ARG, "place offsets go back",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* The nodes of a row of the place lists, from 1; 0: none. */
static inline uint32_t skedi_event_places(const sked_events *batch,
                                          uint32_t row, const uint64_t **keys)
{
    if (row == 0) return 0;
    int32_t from = batch->place_offsets[row - 1];
    *keys = batch->places + from;
    return (uint32_t)(batch->place_offsets[row] - from);
}

static inline sked_time skedi_event_moment(const sked_events *batch,
                                           const sked_event *event)
{
    return skedi_event_word(batch, event, batch->moments, batch->moment_stride);
}

static inline int64_t skedi_event_task(const sked_events *batch,
                                       const sked_event *event)
{
    return skedi_event_word(batch, event, batch->tasks, batch->task_stride);
}

#endif
