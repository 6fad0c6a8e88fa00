#ifndef SKEDI_ENGINE_COLUMNS_H
#define SKEDI_ENGINE_COLUMNS_H

#include <sched/event.h>
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

/* What stands beside an event of a batch. */

SKEDI_NO_TAIL_PADDING(sked_events, charge_stride);

enum { ENGINE_EVENTS_V1 = SKEDI_SIZE_THROUGH(sked_events, n_places) };

static inline const sked_event *skedi_event_at(const sked_events *batch,
                                               uint64_t i)
{
    size_t stride = batch->stride ? batch->stride : sizeof(sked_event);

    return (const sked_event *)(const void *)((const char *)batch->events +
                                              (size_t)i * stride);
}

/* Which row of the batch is it? */
static inline size_t skedi_event_row(const sked_events *batch,
                                     const sked_event *event)
{
    size_t stride = batch->stride ? batch->stride : sizeof *event;

    return (size_t)((const char *)event - (const char *)batch->events) / stride;
}

/* The word of a column that belongs to an event of the batch. */
static inline int64_t skedi_event_word(const sked_events *batch,
                                       const sked_event *event,
                                       const void *column, size_t step)
{
    int64_t word;

    if (!column) return SKED_UNSET;
    memcpy(&word,
           (const char *)column +
               skedi_event_row(batch, event) * (step ? step : 8),
           sizeof word);
    return word;
}

/* How a gang over nodes starts, with numbers for what is 0; all 0: the ask is
 * no such gang. */
static inline sked_event_gang skedi_event_gang(const sked_events *batch,
                                               const sked_event *event)
{
    size_t step = batch->gang_stride ? batch->gang_stride
                                     : sizeof(sked_event_gang);
    sked_event_gang gang = {0};

    if (!(event->flags & SKED_ASK_SPREAD)) return gang;
    if (batch->gangs) {
        memcpy(&gang,
               (const char *)batch->gangs +
                   skedi_event_row(batch, event) * step,
               sizeof gang);
    }
    if (gang.per_node == 0) gang.per_node = INT32_MAX;
    if (gang.at_once == 0) gang.at_once = (uint32_t)event->count;
    return gang;
}

/* Where a job is charged beside its queue. */
static inline sked_event_charge skedi_event_charge(const sked_events *batch,
                                                   const sked_event *event)
{
    size_t step = batch->charge_stride ? batch->charge_stride
                                       : sizeof(sked_event_charge);
    sked_event_charge charge = {SKED_NO_QUEUE, SKED_NO_QUEUE};

    if (batch->charges) {
        memcpy(&charge,
               (const char *)batch->charges +
                   skedi_event_row(batch, event) * step,
               sizeof charge);
    }
    return charge;
}

/* Checks that the offsets of so many rows go up. SKED_OK or SKED_ERR_ARG. */
static inline sked_status skedi_offsets_in(const int32_t *offsets, uint64_t n,
                                           const char *what, sked_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        if (offsets[i] >= 0 && offsets[i] <= offsets[i + 1]) continue;
        return skedi_fail(err, SKED_ERR_ARG, what,
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* Checks the columns of attributes and rules. SKED_OK or SKED_ERR_ARG. */
static inline sked_status skedi_rules_in(const sked_events *batch,
                                         sked_error *err)
{
    const char *missing = batch->n_attributes && !batch->attribute_offsets
                              ? "events.attribute_offsets"
                          : batch->n_attributes && !batch->attributes &&
                                  batch->attribute_offsets[batch->n_attributes]
                              ? "events.attributes"
                          : batch->n_rules && !batch->rule_offsets
                              ? "events.rule_offsets"
                          : batch->n_rules && !batch->rule_terms &&
                                  batch->rule_offsets[batch->n_rules]
                              ? "events.rule_terms"
                          : batch->n_rule_values && !batch->rule_values
                              ? "events.rule_values"
                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_offsets_in(batch->attribute_offsets,
                                      batch->n_attributes,
                                      "attribute offsets go back", err);
    if (rc != SKED_OK) return rc;
    return skedi_offsets_in(batch->rule_offsets, batch->n_rules,
                            "rule offsets go back", err);
}

/* May rows of a column of so many bytes each be so far apart? 0: they follow
 * each other. */
static inline int skedi_stride_fits(uint32_t stride, size_t row)
{
    return stride == 0 || (stride % 8 == 0 && stride >= row);
}

/* Checks a caller's batch and copies it, without its rows. SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_VERSION. */
static inline sked_status skedi_events_in(const sked_events *in,
                                          sked_events *batch, sked_error *err)
{
    sked_status rc = SKED_OK;

    if (in->struct_size == sizeof *batch) /* nearly always */
        *batch = *in;
    else
        rc = skedi_struct_in(batch, sizeof *batch, in, ENGINE_EVENTS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "events");
    const char *missing = batch->n && !batch->events ? "events.events"
                          : batch->n_amounts && !batch->amounts
                              ? "events.amounts"
                          : batch->n_places && !batch->place_offsets
                              ? "events.place_offsets"
                          : batch->n_places && !batch->places ? "events.places"
                                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (batch->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    if (batch->reserved) {
        return skedi_fail_reserved(err, "events");
    }
    if (!skedi_stride_fits(batch->stride, sizeof(sked_event)) ||
        !skedi_stride_fits(batch->moment_stride, 8) ||
        !skedi_stride_fits(batch->task_stride, 8) ||
        !skedi_stride_fits(batch->gang_stride, sizeof(sked_event_gang)) ||
        !skedi_stride_fits(batch->charge_stride, sizeof(sked_event_charge))) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such stride");
    }
    if (batch->n_attributes | batch->n_rules | batch->n_rule_values) {
        rc = skedi_rules_in(batch, err);
        if (rc != SKED_OK) return rc;
    }
    return skedi_offsets_in(batch->place_offsets, batch->n_places,
                            "place offsets go back", err);
}

/* How many keys a row (from 1; 0: none) of the place lists has, and the first
 * of them in `*keys`, which stays as it was where there is no row. */
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
