#ifndef TEST_PROMISES_CHECK_WHY_H
#define TEST_PROMISES_CHECK_WHY_H

/* Explanations: what check_why.c and, of nodes, check_why_nodes.c look at. */

#include "host.h"

/* One explanation as it is gone through. */
typedef struct why {
    host *h;
    int32_t job;
    int32_t ask; /* looked at now, or -1 */
    uint32_t part;
    int held;         /* the job as a whole is held */
    uint32_t weighed; /* queues of which a weight was told, a bit each */
    int bound;        /* something before holds this ask */
} why;

void why_untrue(const why *y, const sked_engine_bound *x, const char *what);

/* What is in the way is marked where nothing before it is. */
void why_judge(why *y, const sked_engine_bound *x, int in_the_way);

/* Where everything changes the books do not know what is kept. */
int why_kept_is_known(const why *y);

/* A line of a task that needs a node; of a gang over nodes; that the host refused;
 * of nodes that drain; of a rule. */
void why_node(why *y, const sked_engine_bound *x);
void why_gang(why *y, const sked_engine_bound *x);
void why_refused(why *y, const sked_engine_bound *x);
void why_elsewhere(why *y, const sked_engine_bound *x);
/* Returns the amounts of kind `k` of the empty nodes that an exclusive ask takes
 * whole. Each way picks other nodes: nodes from way / 4 on; of odd ways, only
 * nodes where the ask starts now; if bit 1 is set, only nodes of one zone.
 * why_ways() returns the number of ways, 0 for asks that are not exclusive. */
uint32_t why_ways(const why *y);
int64_t why_whole(const why *y, uint32_t k, uint32_t way);
void why_alone(why *y, const sked_engine_bound *x);
/* Of queues of limit trees: running jobs, and amounts. */
void why_tree_running(why *y, const sked_engine_bound *x);
void why_tree_limit(why *y, const sked_engine_bound *x);
void why_rule(why *y, const sked_engine_bound *x);

#endif
