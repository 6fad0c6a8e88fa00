#ifndef TEST_PREEMPT_CLUSTER_H
#define TEST_PREEMPT_CLUSTER_H

/* Clusters for rounds of preemption on plain arrays, drawn at random and filled unfairly. */
#include "test.h"

#include <sched/preempt.h>
#include <sched/share.h>

#include <string.h>

#include "size.h"
#include "words.h"

enum {
    ROWS = 14,
    TASKS = 36,
    KINDS = 3,
    NODES = 4,
    PENDING = -1,
    ROUNDS = 400
};

/* What a leaf gives up: what is beyond its keep; no task, for its own requests
 * neither; none for other queues. */
enum { GIVING, SPARED, WHOLE };

typedef struct cluster {
    uint32_t kinds, rows, leaves, nodes, tasks;
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int64_t guarantee[ROWS * KINDS];
    int64_t limit[ROWS * KINDS];
    int32_t leaf_row[ROWS]; /* row of each leaf */
    int64_t node[NODES * KINDS];
    int64_t capacity[KINDS];
    int32_t model;
    int dead_zone;             /* in percent of the guarantee */
    uint8_t untouchable[ROWS]; /* by leaf: GIVING, SPARED, WHOLE */
    uint32_t leaf[TASKS];
    int64_t amount[TASKS * KINDS];
    int32_t at[TASKS]; /* node, or PENDING */
    uint32_t gang[TASKS];
    int64_t cost[TASKS];
    int32_t priority[TASKS];
    uint8_t was_killed[TASKS];
    uint8_t gave[ROWS * KINDS]; /* by leaf and kind */
    int64_t share[ROWS * KINDS];
    int64_t usage[ROWS * KINDS]; /* by leaf */
    int64_t free[NODES * KINDS];
} cluster;

/* A round's problem, with room for its columns. */
typedef struct round_room {
    sked_preempt_input in;
    int64_t share[ROWS * KINDS], keep[ROWS * KINDS], take[ROWS * KINDS];
    int64_t need[KINDS];
    int64_t amount[TASKS * KINDS], request_amount[TASKS * KINDS];
    int64_t cost[TASKS];
    uint32_t queue[TASKS], node[TASKS], gang[TASKS], task[TASKS];
    int32_t priority[TASKS], request_priority[TASKS];
    uint32_t request_queue[TASKS], request_task[TASKS];
    sked_preempt_victim victims[TASKS];
    sked_preempt_placement placements[TASKS];
    sked_preempt_result plan;
} round_room;

static inline int64_t upto(test_words *w, uint64_t most)
{
    return (int64_t)test_below(w, most + 1);
}

/* ---- Clusters ---- */

static inline void draw_nodes(cluster *c, int units, test_words *w)
{
    memset(c->capacity, 0, sizeof c->capacity);
    for (uint32_t i = 0; i < c->nodes * c->kinds; i++) {
        c->node[i] = units ? 1 + upto(w, 10) : 3 + upto(w, 12);
        c->capacity[i % c->kinds] += c->node[i];
    }
}

/* Guarantees of children are parts of their parent's, and never more. */
static inline void draw_tree(cluster *c, test_words *w)
{
    int64_t left[ROWS * KINDS];

    memcpy(left, c->capacity, c->kinds * sizeof *left);
    memcpy(c->guarantee, c->capacity, c->kinds * sizeof *left);
    for (uint32_t i = 0; i < c->rows; i++) {
        c->parent[i] = i ? (int32_t)test_below(w, i) : -1;
        c->weight[i] = (uint32_t)(test_below(w, 8) ? 1 + test_below(w, 5) : 0);
        for (uint32_t k = 0; k < c->kinds; k++) {
            size_t at = i * c->kinds + k;
            c->limit[at] = test_below(w, 5) ? SKED_UNLIMITED
                                            : upto(w, (uint64_t)c->capacity[k]);
            if (i == 0) continue;
            int64_t *from = &left[(uint32_t)c->parent[i] * c->kinds + k];
            c->guarantee[at] = test_below(w, 3) ? upto(w, (uint64_t)*from) : 0;
            *from -= c->guarantee[at];
            if (c->limit[at] < c->guarantee[at]) {
                c->limit[at] = c->guarantee[at];
            }
            left[at] = c->guarantee[at];
        }
    }
    for (uint32_t k = 0; k < c->kinds; k++) c->limit[k] = SKED_UNLIMITED;
}

static inline void find_leaves(cluster *c, test_words *w)
{
    c->leaves = 0;
    for (uint32_t i = 0; i < c->rows; i++) {
        int has_child = 0;
        for (uint32_t j = i + 1; j < c->rows; j++) {
            has_child |= c->parent[j] == (int32_t)i;
        }
        if (has_child) continue;
        c->untouchable[c->leaves] = test_below(w, 8) ? GIVING : SPARED;
        c->leaf_row[c->leaves++] = (int32_t)i;
    }
}

static inline int fits(const cluster *c, uint32_t task, uint32_t node)
{
    for (uint32_t k = 0; k < c->kinds; k++) {
        if (c->amount[task * c->kinds + k] > c->free[node * c->kinds + k]) {
            return 0;
        }
    }
    return 1;
}

static inline void move(cluster *c, uint32_t task, int32_t to)
{
    int32_t from = c->at[task];

    for (uint32_t k = 0; k < c->kinds; k++) {
        int64_t amount = c->amount[task * c->kinds + k];
        size_t queue = c->leaf[task] * c->kinds + k;
        if (from != PENDING) {
            c->free[(uint32_t)from * c->kinds + k] += amount;
            c->usage[queue] -= amount;
        }
        if (to != PENDING) {
            c->free[(uint32_t)to * c->kinds + k] -= amount;
            c->usage[queue] += amount;
        }
    }
    c->at[task] = to;
}

static inline void draw_tasks(cluster *c, int units, test_words *w)
{
    for (uint32_t i = 0; i < c->tasks; i++) {
        int alike = i > 0 && test_below(w, 2);
        c->leaf[i] = alike ? c->leaf[i - 1]
                           : (uint32_t)test_below(w, c->leaves);
        for (uint32_t k = 0; k < c->kinds; k++) {
            c->amount[i * c->kinds + k] =
                alike && test_below(w, 4) ? c->amount[(i - 1) * c->kinds + k]
                : units                   ? upto(w, 1)
                                          : upto(w, 4);
        }
        uint32_t any = (uint32_t)test_below(w, c->kinds);
        if (!alike) c->amount[i * c->kinds + any] += 1;
        c->gang[i] = alike && test_below(w, 6) == 0 ? i : 0;
        if (c->gang[i] && c->gang[i - 1]) c->gang[i] = c->gang[i - 1];
        if (c->gang[i]) c->gang[i - 1] = c->gang[i];
        c->cost[i] = upto(w, 9);
        c->priority[i] = (int32_t)test_below(w, 4);
        c->at[i] = PENDING;
        c->was_killed[i] = 0;
    }
    for (uint32_t i = 0; i < c->tasks; i++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < c->kinds; k++) {
            sum += c->amount[i * c->kinds + k];
        }
        if (sum == 0) c->amount[i * c->kinds] = 1;
    }
}

/* Some queues come late: the others have taken what they could get. */
static inline void fill_unfairly(cluster *c, test_words *w)
{
    uint64_t late = test_word(w);

    for (uint32_t i = 0; i < c->tasks; i++) {
        uint32_t node = (uint32_t)test_below(w, c->nodes);
        if (late >> c->leaf[i] & 1 && test_below(w, 8)) continue;
        for (uint32_t n = 0; n < c->nodes && c->at[i] == PENDING; n++) {
            uint32_t on = (node + n) % c->nodes;
            if (fits(c, i, on)) move(c, i, (int32_t)on);
        }
    }
}

#endif
