#ifndef SKEDI_ENGINE_ORDER_RATES_H
#define SKEDI_ENGINE_ORDER_RATES_H

/*
 * Bounds on starts in a time (start_rate). A queue counts the tasks that start
 * in it and below within a second, which begins with the first of them. Once
 * there are as many as the rate says, none starts until the second is over.
 * What a gang started beyond the rate counts in the seconds that follow. All of
 * it is asked only where some queue has a rate (`rated`).
 */

#include "engine/state.h"

/* Does some queue of the tree have a rate? */
int skedi_rates_said(const skedi_image *image);

/* Reads the rates of a tree; takes over what queues of the old grid have
 * counted. */
void skedi_rates_fill(sked_engine *e, const skedi_image *image);
void skedi_rates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of);

/* The highest queue from a leaf up of which no task may start now, or
 * SKEDI_NONE. */
uint32_t skedi_rate_refusal(const sked_engine *e, uint32_t leaf);

/* How many tasks may start one by one before some queue from a leaf up refuses
 * the next; UINT64_MAX: any number. */
uint64_t skedi_rate_left(const sked_engine *e, uint32_t leaf);

/* The moment from which on a task may start by the rate of a queue, which has
 * one: now, where a task may. */
sked_time skedi_rate_lapse(const sked_engine *e, uint32_t row);

/* Counts tasks that start, where some queue has a rate. */
void skedi_rates_count(sked_engine *e, uint32_t leaf, uint32_t count);

/* A queue refuses for its rate: nothing of it is looked at until a task may
 * start by it again. Ends this where one may by `now`, which is `rate_due` or
 * later. */
void skedi_rates_strike(sked_engine *e, uint32_t row, uint32_t partition);
void skedi_rates_lift(sked_engine *e, sked_time now);

#endif
