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
/* What the first empty nodes have that take all that is open of a gang over nodes,
 * or a task of another ask that is to have a node to itself: from node way / 2 on,
 * of odd ways of those that it would like. */
int64_t why_whole(const why *y, uint32_t k, uint32_t way);
void why_alone(why *y, const sked_engine_bound *x);
/* Of queues of limit trees: running jobs, and amounts. */
void why_tree_running(why *y, const sked_engine_bound *x);
void why_tree_limit(why *y, const sked_engine_bound *x);
void why_rule(why *y, const sked_engine_bound *x);

#endif
