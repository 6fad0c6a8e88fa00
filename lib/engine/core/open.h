#ifndef SKEDI_ENGINE_CORE_OPEN_H
#define SKEDI_ENGINE_CORE_OPEN_H

/* Open tasks of asks: their numbers, the end of an ask, and of its job. */

#include "engine/reservation.h"

/* Opens new tasks of an ask, after those that are open (negative: takes those
 * with the highest numbers away) and keeps its job's books; entries follow.
 * Memory was reserved. O(1), or when some go O(ranges log numbers). */
void skedi_ask_open(sked_engine *e, uint32_t ask, int64_t by);

/* Would a gang have another step with so many open tasks in all? No of an ask
 * that is no gang. */
int skedi_ask_reshapes(const sked_engine *e, uint32_t ask, int64_t count);

/* Memory to open tasks of an ask again: a range, entries, the shape of what is
 * left of a gang. 0: no memory. */
int skedi_ask_reserve(sked_engine *e, uint32_t ask);

/* Closes an ask: nothing of it is open from now on. It is freed when nothing of
 * it runs. */
void skedi_ask_close(sked_engine *e, uint32_t ask);

/* The number of the first open task; there is one. How many open numbers follow
 * each other from there; into how many such runs all open numbers fall. */
static inline int64_t skedi_ask_first(const sked_engine *e, uint32_t ask)
{
    return ask_at(e, ask)->first;
}
int64_t skedi_ask_run(const sked_engine *e, uint32_t ask);
uint64_t skedi_ask_ranges(const sked_engine *e, uint32_t ask);

/* How many numbers a range has; `*range` becomes the next range. */
int64_t skedi_range_pass(const sked_engine *e, uint32_t *range);

/* The first `count` open tasks, whose numbers follow each other, start in a
 * partition and are open no more. The ask's wait for a place begins anew. */
void skedi_ask_take(sked_engine *e, uint32_t ask, int64_t count,
                    uint32_t partition);

/*
 * Finds numbers for tasks that run already: from `task` on where that is said;
 * else a run of open numbers that is long enough, or new numbers. `taken` of
 * the open tasks are then open no more: those that have these numbers, or with
 * new numbers as many open ones, if there are, those with the highest numbers.
 * 0: the numbers that were said are neither open nor all new.
 */
#define CLAIM_NEW SKEDI_NONE         /* numbers that no task had */
#define CLAIM_FIRST (SKEDI_NONE - 1) /* those that its first is one of */

typedef struct engine_claim {
    int64_t task;
    int64_t taken;
    uint32_t at; /* CLAIM_*, else the range they are in */
} engine_claim;

int skedi_ask_claims(const sked_engine *e, uint32_t ask, int64_t task,
                     int64_t count, engine_claim *claim);

/* Takes these numbers; the books of what is open follow (`but`: as of
 * skedi_wants_open()). Memory for a range was reserved. */
void skedi_ask_claim(sked_engine *e, uint32_t ask, const engine_claim *claim,
                     int64_t count, uint32_t but);

/* Opens tasks again, in front of all others. Of a gang, all that it lacks then
 * is its step from now on. Memory was reserved. */
void skedi_ask_give(sked_engine *e, uint32_t ask, int64_t from, int64_t count);

/* What a gang over nodes lacks by now is its step from now on. Memory for a
 * shape, entries, and a want in each partition, was reserved. */
void skedi_ask_reform(sked_engine *e, uint32_t ask);

/* How many groups an ask has. O(groups). */
uint32_t skedi_ask_groups(const sked_engine *e, uint32_t ask);

/* Frees an ask of which nothing is open, proposed or running, unless it has
 * SKED_ASK_KEEP and was not closed. */
void skedi_ask_settle(sked_engine *e, uint32_t ask);

/* Node events so far where the ask may run. */
static inline uint64_t skedi_ask_beats(const sked_engine *e,
                                       const engine_ask *ask)
{
    int any = ask->partition == SKED_ANY_PARTITION;

    return any ? e->stats.heartbeats : e->partition[ask->partition].beats;
}

/* Frees a job that has ended and of which no group is left. */
void skedi_job_settle(sked_engine *e, uint32_t job);

#endif
