#ifndef SKEDI_ENGINE_DECISION_H
#define SKEDI_ENGINE_DECISION_H

#include "engine/state.h"

/* Decisions on their way to the host. */

int skedi_out_grow(sked_engine *e, size_t more);

/* Memory for `more` decisions. 0: no memory. */
static inline int skedi_out_reserve(sked_engine *e, size_t more)
{
    return (size_t)(e->out_next - e->out_from) + more <= e->out_cap ||
           skedi_out_grow(e, more);
}

/* Are as many kept as may be? */
static inline int skedi_out_full(const sked_engine *e)
{
    return e->out_next - e->out_from >= e->opts.max_untaken;
}

/*
 * Adds a decision, with its sequence number and time filled in, and returns
 * where it is. Memory was reserved. It may still grow until the next one, or
 * skedi_out_close().
 */
sked_decision *skedi_out_add(sked_engine *e, sked_decision decision);

/* A decision about an ask on a node, with their keys, and nothing else yet. */
sked_decision skedi_out_about(const sked_engine *e, uint32_t ask,
                              uint32_t node);

/* The last decision, while it may still grow; NULL otherwise. */
static inline sked_decision *skedi_out_last(sked_engine *e)
{
    return e->out_open ? &e->out[(e->out_next - 1) & (e->out_cap - 1)] : NULL;
}

/* The last decision grows no more; the digest takes it. */
void skedi_out_close(sked_engine *e);

/* What all decisions so far come to; the last may still grow. */
uint64_t skedi_out_digest(const sked_engine *e);

#endif
