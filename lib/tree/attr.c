/* The table of attributes. Rows stand in the order of the public ids. */
#include "tree/attr.h"

#define UINT32_HIGH INT64_C(4294967295)

static const skedi_attr attr_table[SKEDI_ATTRS] = {
    {.id = SKED_QUEUE_WEIGHT,
     .name = "weight",
     .shape = SKEDI_SHAPE_NUMBER,
     .high = UINT32_HIGH,
     .fallback = 1},
    {.id = SKED_QUEUE_ORDER,
     .name = "order",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_WORD,
     .words = "drf fair utilisation priority fifo random share",
     .high = SKED_ORDER_POLICY_SHARE},
    {.id = SKED_QUEUE_FAIR_KIND,
     .name = "fair_kind",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_KIND,
     .high = SKED_MAX_KINDS - 1},
    {.id = SKED_QUEUE_APPS,
     .name = "apps",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_WORD,
     .words = "fifo fair priority size user-fair",
     .high = SKED_APPS_USER_FAIR},
    {.id = SKED_QUEUE_MAX_RUNNING,
     .name = "max_running",
     .shape = SKEDI_SHAPE_NUMBER,
     .unlimited = 1,
     .high = INT32_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_USER_LIMIT,
     .name = "user_limit",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .high = SKED_PPM,
     .fallback = SKED_PPM},
    {.id = SKED_QUEUE_PRIORITY,
     .name = "priority",
     .shape = SKEDI_SHAPE_NUMBER,
     .low = INT32_MIN,
     .high = INT32_MAX},
    {.id = SKED_QUEUE_TIER,
     .name = "tier",
     .shape = SKEDI_SHAPE_NUMBER,
     .high = UINT8_MAX},
    {.id = SKED_QUEUE_PREEMPT_FROM,
     .name = "preempt_from",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_WORD,
     .words = "no yes",
     .inherited = 1,
     .high = 1,
     .fallback = 1},
    {.id = SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
     .name = "preempt_min_timeout",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_DURATION,
     .inherited = 1,
     .unlimited = 1,
     .high = INT64_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_PREEMPT_FAIR_TIMEOUT,
     .name = "preempt_fair_timeout",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_DURATION,
     .inherited = 1,
     .unlimited = 1,
     .high = INT64_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_PREEMPT_FAIR_THRESHOLD,
     .name = "preempt_fair_threshold",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .inherited = 1,
     .high = SKED_PPM,
     .fallback = SKED_PPM / 2},
    {.id = SKED_QUEUE_AM_SHARE,
     .name = "am_share",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .unlimited = 1,
     .high = SKED_PPM,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_GUARANTEE_PPM,
     .name = "guarantee",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .high = SKED_PPM,
     .fallback = SKED_UNSET},
    {.id = SKED_QUEUE_LIMIT_PPM,
     .name = "limit",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .high = SKED_PPM,
     .fallback = SKED_UNSET},
    {.id = SKED_QUEUE_STATE,
     .name = "state",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_WORD,
     .words = "running draining",
     .high = SKED_STATE_DRAINING},
    {.id = SKED_QUEUE_USER_FACTOR,
     .name = "user_factor",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_RATIO,
     .unlimited = 1,
     .high = 1000 * SKED_PPM,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_START_RATE,
     .name = "start_rate",
     .shape = SKEDI_SHAPE_NUMBER,
     .said = SKEDI_SAID_COUNT,
     .unlimited = 1,
     .low = 1,
     .high = INT32_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_GUARANTEE,
     .name = "guarantee",
     .shape = SKEDI_SHAPE_AMOUNTS,
     .said = SKEDI_SAID_VECTOR,
     .high = SKED_AMOUNT_MAX},
    {.id = SKED_QUEUE_LIMIT,
     .name = "limit",
     .shape = SKEDI_SHAPE_AMOUNTS,
     .said = SKEDI_SAID_VECTOR,
     .unlimited = 1,
     .high = SKED_AMOUNT_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_BORROW,
     .name = "borrow",
     .shape = SKEDI_SHAPE_AMOUNTS,
     .said = SKEDI_SAID_VECTOR,
     .unlimited = 1,
     .high = SKED_AMOUNT_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_LEND,
     .name = "lend",
     .shape = SKEDI_SHAPE_AMOUNTS,
     .said = SKEDI_SAID_VECTOR,
     .unlimited = 1,
     .high = SKED_AMOUNT_MAX,
     .fallback = SKED_UNLIMITED},
    {.id = SKED_QUEUE_LABEL,
     .name = "label",
     .shape = SKEDI_SHAPE_TEXT,
     .said = SKEDI_SAID_TEXT},
};

const skedi_attr *skedi_attr_at(size_t i)
{
    return &attr_table[i];
}

const skedi_attr *skedi_attr_of(int32_t id, uint8_t shape)
{
    int64_t i = -1;

    switch (shape) {
    case SKEDI_SHAPE_NUMBER: i = (int64_t)id - SKED_QUEUE_WEIGHT; break;
    case SKEDI_SHAPE_AMOUNTS:
        i = (int64_t)id - SKED_QUEUE_GUARANTEE;
        if (i >= 0) i += SKEDI_NUMBERS;
        break;
    case SKEDI_SHAPE_TEXT:
        i = (int64_t)id - SKED_QUEUE_LABEL;
        if (i >= 0) i += SKEDI_NUMBERS + SKEDI_AMOUNTS;
        break;
    }
    if (i < 0 || i >= SKEDI_ATTRS || attr_table[i].shape != shape) return NULL;
    return &attr_table[i];
}

uint32_t skedi_attr_index(const skedi_attr *attr)
{
    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER: return (uint32_t)(attr->id - SKED_QUEUE_WEIGHT);
    case SKEDI_SHAPE_AMOUNTS:
        return (uint32_t)(attr->id - SKED_QUEUE_GUARANTEE);
    default: return (uint32_t)(attr->id - SKED_QUEUE_LABEL);
    }
}

int skedi_attr_takes(const skedi_attr *attr, uint32_t kinds, int64_t value)
{
    int64_t high = attr->high;

    if (value == SKED_UNLIMITED) return attr->unlimited;
    if (attr->said == SKEDI_SAID_KIND) high = (int64_t)kinds - 1;
    return value >= attr->low && value <= high;
}

int64_t skedi_attr_rest(const skedi_attr *attr)
{
    return attr->inherited ? SKED_UNSET : attr->fallback;
}
