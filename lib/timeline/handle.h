#ifndef SKEDI_TIMELINE_HANDLE_H
#define SKEDI_TIMELINE_HANDLE_H

/*
 * A timeline: the tree of changes (steps.h) and a table of spans.
 *
 * The table has a row of words for each slot: from, until, generation, and the
 * amounts. The generation is odd while the slot has a span. An id is the slot
 * and the generation, so a slot gives out each id once. A slot whose generations
 * are used up is never taken again.
 */

#include <sched/timeline.h>

#include "base/hooks.h"
#include "timeline/steps.h"

/* Words of a row. */
enum {
    SKEDI_SPAN_FROM,
    SKEDI_SPAN_UNTIL,
    SKEDI_SPAN_GENERATION,
    SKEDI_SPAN_AMOUNTS
};

#define SKEDI_SPAN_NO_SLOT UINT32_MAX

struct sked_timeline {
    skedi_hooks hooks;
    uint32_t kinds;
    uint32_t n_slots; /* that were ever taken */
    uint32_t n;       /* spans */
    uint32_t free;    /* a chain of slots by SKEDI_SPAN_FROM */
    size_t cap;
    int64_t *rows;
    skedi_steps steps;
    int64_t total[SKED_MAX_KINDS];
};

#endif
