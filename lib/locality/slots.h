#ifndef SKEDI_LOCALITY_SLOTS_H
#define SKEDI_LOCALITY_SLOTS_H

/*
 * When the blocks of a host end: its j-th slot ends at a time that grows with
 * j, and by a time a number of slots have ended. Everything else in here speaks
 * of hosts only through these two functions.
 */

#include <sched/locality.h>

#define SKEDI_NEVER INT64_MAX

/* A sked_locality_input whose numbers are known to be in their ranges. */
typedef struct skedi_blocks {
    uint32_t blocks;
    uint32_t hosts;
    uint32_t replicas;
    const uint32_t *replica;
    const int64_t *ticks;
    const int64_t *committed;
    const uint32_t *cores;
    const uint32_t *limit;
} skedi_blocks;

/* Columns of the input; `equal`: none is given. The host numbered `none` stands
 * for no place at all: its slots never end, and it has any number of them. */
typedef struct skedi_slots {
    const int64_t *ticks;
    const int64_t *committed;
    const uint32_t *cores;
    const uint32_t *limit;
    uint32_t none;
    int equal;
} skedi_slots;

static inline skedi_slots skedi_slots_of(const skedi_blocks *in)
{
    return (skedi_slots){
        in->ticks, in->committed,
        in->cores, in->limit,
        in->hosts, !in->ticks && !in->committed && !in->cores && !in->limit};
}

static inline uint32_t skedi_slots_limit(const skedi_slots *s, uint32_t h)
{
    return s->limit ? s->limit[h] : UINT32_MAX;
}

/* When the j-th slot ends, j from 1; SKEDI_NEVER beyond the limit. */
static inline int64_t skedi_slot_end(const skedi_slots *s, uint32_t h,
                                     uint32_t j)
{
    if (h == s->none) return SKEDI_NEVER;
    if (s->equal) return j;
    if (j > skedi_slots_limit(s, h)) return SKEDI_NEVER;
    uint32_t cores = s->cores ? s->cores[h] : 1;
    int64_t waves = j / cores + (j % cores > 0);
    return (s->committed ? s->committed[h] : 0) +
           waves * (s->ticks ? s->ticks[h] : 1);
}

/* How many slots have ended by a time. */
static inline uint32_t skedi_slots_by(const skedi_slots *s, uint32_t h,
                                      int64_t time)
{
    if (h == s->none) return time == SKEDI_NEVER ? UINT32_MAX : 0;
    if (s->equal) {
        if (time <= 0) return 0;
        return time >= UINT32_MAX ? UINT32_MAX : (uint32_t)time;
    }
    int64_t from = s->committed ? s->committed[h] : 0;
    uint32_t limit = skedi_slots_limit(s, h);
    if (time == SKEDI_NEVER) return limit;
    if (time <= from) return 0;
    uint32_t cores = s->cores ? s->cores[h] : 1;
    uint64_t waves = (uint64_t)((time - from) / (s->ticks ? s->ticks[h] : 1));
    return waves > limit / cores ? limit : (uint32_t)waves * cores;
}

#endif
