#ifndef SKEDI_BATCH_LIVE_H
#define SKEDI_BATCH_LIVE_H

/*
 * A running batch, by any method: the waiting tasks, the running tasks with
 * their starts, and their expected ends. After the creation, no function here
 * allocates memory.
 */

#include "batch/state.h"

typedef struct skedi_batch_live {
    skedi_batch *b;
    uint32_t method;
    uint32_t replan_tries;
    int64_t eta;
    skedi_random random;
    skedi_batch_plan plan; /* the first `waiting` of the order wait */
    uint32_t waiting;
    uint32_t *run; /* running tasks */
    uint32_t running;
    uint32_t free; /* slots */
    int64_t now;
    int64_t *start;  /* by task */
    int64_t *expect; /* by task: the expected end */
    uint32_t *begun; /* tasks that the last step started */
    uint32_t n_begun;
    uint32_t *mark;  /* by task: into the useful widths */
    uint32_t *trial; /* an order, scratch */
    skedi_batch_bench from;
    skedi_batch_bench bench;
    int64_t *end;  /* of a run in virtual time, the last first, */
    uint32_t *of;  /* and the task */
    int has_ended; /* something, since the last step */
} skedi_batch_live;

int skedi_batch_live_take(skedi_batch *b, skedi_batch_live *live);

/* Begins at 0. `plan` is copied; ADAPT needs none. */
void skedi_batch_live_begin(skedi_batch_live *live,
                            const sked_batch_options *options,
                            const skedi_batch_plan *plan);

/* Starts the tasks that can start now: live->begun. */
sked_status skedi_batch_live_step(skedi_batch_live *live);

/* Ends a running task. */
void skedi_batch_live_end(skedi_batch_live *live, uint32_t j);

/* Runs the whole batch. The times are the expected times multiplied by `factor`
 * (by task; NULL: SKED_PPM each). `spans` are by task. */
sked_status skedi_batch_live_run(skedi_batch_live *live, const int64_t *factor,
                                 sked_batch_span *spans);

/* Runs DYNAMIC by the expected times and writes the order of starts to the
 * plan. Reads only the result of ANNEALING from the plan. */
sked_status skedi_batch_live_order(skedi_batch *b,
                                   const sked_batch_options *options,
                                   skedi_batch_plan *plan);

/* Chooses eta: the options' value, or the best value for their noise. */
sked_status skedi_batch_choose_eta(skedi_batch_live *live,
                                   sked_batch_options *options);

/* Writes the best of nine eta values in these runs into the options, with the
 * mean makespan. */
sked_status skedi_batch_best_eta(skedi_batch_live *live,
                                 sked_batch_options *options,
                                 const skedi_batch_scenarios *scenarios,
                                 int64_t *mean);

/* Plans by the options' method (batch/plan.c). For ADAPT, only writes eta into
 * the options. For AUTO, also writes the chosen method. */
sked_status skedi_batch_make_plan(skedi_batch_live *live,
                                  sked_batch_options *options,
                                  skedi_batch_plan *plan);

/* Expects late tasks to run on for at least a 50th of their age. */
static inline void live_drift(skedi_batch_live *live)
{
    for (uint32_t i = 0; i < live->running; i++) {
        uint32_t j = live->run[i];
        int64_t later = skedi_i64_max((live->now - live->start[j]) / 50, 1);
        live->expect[j] = skedi_i64_max(live->expect[j], live->now + later);
    }
}

static inline void live_start(skedi_batch_live *live, uint32_t j)
{
    live->start[j] = live->now;
    live->expect[j] = live->now + live->plan.time[j];
    live->run[live->running++] = j;
    live->free -= live->plan.width[j];
    live->begun[live->n_begun++] = j;
}

#endif
