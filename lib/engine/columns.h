#ifndef SKEDI_ENGINE_COLUMNS_H
#define SKEDI_ENGINE_COLUMNS_H

/* What stands beside an event of a batch. */

#include <sched/event.h>

#include <string.h>

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
