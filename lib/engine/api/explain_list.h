#ifndef SKEDI_ENGINE_API_EXPLAIN_LIST_H
#define SKEDI_ENGINE_API_EXPLAIN_LIST_H

/* The bounds that an explanation lists, and those of queues. */

#include "engine/state.h"

typedef struct explain_list {
    sked_engine_bound *at;
    size_t cap;
    size_t n;
    int bound; /* one that binds was written for this ask */
} explain_list;

/* One more; it binds unless another was said to before. */
void skedi_explain_add(explain_list *list, sked_engine_bound bound, int binds);

/* A bound of a queue, and what a step would make of it. */
typedef struct explain_line {
    int64_t need;
    int64_t bound;
} explain_line;

/* A bound of kind `k` that a row of its path sets an ask, its reason
 * SKED_REASON_QUEUE_LIMIT. */
sked_engine_bound skedi_explain_bound(const sked_engine *e, const engine_ask *a,
                                      uint32_t row, uint32_t partition,
                                      uint32_t k, explain_line line);

/* What so much more in an ask's leaf would change the books of a row on its
 * path by. */
void skedi_explain_delta(const sked_engine *e, const engine_ask *a,
                         uint32_t row, uint32_t partition, const int64_t *step,
                         int64_t *delta);

/* The tighter of what a queue may hold of a kind in all and in the partition.
 * There a step that takes what is kept for it counts as used alone. */
explain_line skedi_explain_limit(const sked_engine *e, uint32_t row,
                                 uint32_t partition, uint32_t k, int64_t step,
                                 int64_t delta);

/* The bound that keeps so much from starting, if one does: a queue's, or that of
 * masters. */
void skedi_explain_all_of(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *all,
                          explain_list *list);

/* What is charged of so much more in the trees of limits, from their roots down,
 * kind by kind; and the jobs that run there. */
void skedi_explain_trees(const sked_engine *e, const engine_ask *a,
                         const int64_t *step, uint32_t partition,
                         explain_list *list);
void skedi_explain_trees_running(const sked_engine *e, const engine_job *job,
                                 int waits, explain_list *list);

#endif
