#ifndef TEST_ENGINE_WORLD_H
#define TEST_ENGINE_WORLD_H

#include <sched/engine_preempt.h>
#include <sched/engine_limits.h>

#include "words.h"

/*
 * A random cluster and its random host: a tree of queues, and one event after
 * the other, most of them right, some not. Keys are small, so that they are
 * taken, unknown and used again; tasks are spoken of by groups that decisions
 * named.
 */
enum {
    WORLD_KINDS = 3,
    WORLD_GROUPS = 512,
    WORLD_QUEUES = 256,
    WORLD_TOLD = 64,
    WORLD_ATTRIBUTES = 4,
    WORLD_TERMS = 5,
    WORLD_VALUES = 3,
    WORLD_LIMITS = 12
};

typedef struct world_group {
    uint64_t name;
    int64_t count; /* not yet told to be over */
} world_group;

typedef struct engine_world {
    test_words words;
    sked_tree *tree;
    sked_queue_id queue[WORLD_QUEUES]; /* ever added */
    size_t queues;
    uint32_t nodes; /* keys are from 1 to this */
    uint64_t jobs;  /* keys given out so far */
    uint64_t asks;
    uint32_t begun; /* nodes that came at the start */
    uint32_t users;
    uint32_t partitions;
    int hosted;       /* 1: a host that tells of what runs already */
    int ruled;        /* 1: nodes have attributes, asks rules */
    int racked;       /* 1: nodes stand in racks, gangs in one */
    int spread;       /* 1: many asks are gangs over nodes */
    int forms;        /* 1: something is reserved for gangs that form */
    int exact;        /* 1: of many of these nodes take alike */
    int alone;        /* 1: many asks are to have nodes to themselves */
    int crowded;      /* 1: asks of all shapes, more than there are classes */
    uint64_t placing; /* asks are placed in so many of 100 steps, 2 at least */
    int classed;      /* 1: jobs are of classes, by which leaves admit */
    int rated;        /* 1: many queues have a rate */
    int weighed;      /* 1: the host says weights of queues */
    int preempts;     /* 1: rounds are held, and what they say is done */
    int64_t tick;     /* ns that time goes by */
    sked_time now;
    world_group group[WORLD_GROUPS];
    size_t groups;
    world_group told[WORLD_TOLD]; /* to end */
    size_t n_told;
    uint64_t started; /* ask that started something last */
    uint64_t formed;  /* gang over nodes that did */
    uint32_t pooled;  /* kinds that lie on no node */
    sked_tree *limits[SKED_MAX_LIMIT_TREES];                   /* NULL: none */
    sked_queue_id limited[SKED_MAX_LIMIT_TREES][WORLD_LIMITS]; /* ever added */
    size_t n_limited[SKED_MAX_LIMIT_TREES];
    sked_event_charge charge;

    /* How it preempts. */
    sked_engine_preempt_options preemption;
    sked_target_options targets;
    sked_round_options rounds;

    /* The last event, as a batch of one row. */
    sked_event event;
    sked_events batch;
    int64_t amounts[WORLD_KINDS];
    int32_t offsets[2];
    uint64_t places[4];
    uint32_t place_tasks[4];
    uint32_t more_flags; /* of asks */
    int32_t rows[2];
    sked_rule_attribute attributes[WORLD_ATTRIBUTES];
    sked_rule_term terms[WORLD_TERMS];
    int64_t values[WORLD_VALUES];
    sked_event_gang gang; /* beside the event */
    sked_time moment;
    int64_t task;
} engine_world;

/* A random number below `n`, a random queue. */
static inline uint64_t world_below(engine_world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static inline sked_queue_id world_queue(engine_world *w)
{
    return w->queue[world_below(w, w->queues)];
}

/* A tree of up to `queues` queues, committed, and sizes to match. */
void world_start(engine_world *w, uint64_t seed, size_t queues, uint32_t nodes);
void world_end(engine_world *w);

/* Asks are placed job by job, each as it says. */
void world_place(engine_world *w);

/* Makes it one of few jobs with many asks of all shapes, most of which wait. */
void world_crowd(engine_world *w);

/* Bounds users and applications in every queue: user limits, user weights
 * (which need names), running applications at every level. */
void world_bound_users(engine_world *w);

/* Makes it one in which rounds are held: queues with guarantees, full nodes. */
void world_contend(engine_world *w);

/* Makes it one in which leaves admit jobs by classes. */
void world_classes(engine_world *w);

/* Makes it one in which queues bound what starts in a second. */
void world_rate(engine_world *w);

/* Makes it one whose host tells of work that runs already. */
void world_host(engine_world *w);

/* Draws what only such a host says; 0: something else. */
int world_draw_host(engine_world *w);

/* Makes it one whose nodes stand in racks, most of them in one of two, and of
 * which most gangs over nodes are to stand in one. */
void world_rack(engine_world *w);

/* Makes it one whose nodes have attributes, and whose asks go by rules. */
void world_rule(engine_world *w);

/* Makes it one whose host says weights of queues. */
void world_weigh(engine_world *w);

/* Makes it one with trees of limits, which many jobs are charged in. */
void world_limit(engine_world *w);

/* Edits a copy of one, which has the world's queues of it, and commits it. */
void world_edit_limits(engine_world *w, int which, sked_tree *tree);

/* Draws where a job is charged. */
void world_draw_charge(engine_world *w);

/* Makes it one with many gangs over nodes. */
void world_spread(engine_world *w);

/* Makes it one that reserves for gangs over nodes that form. */
void world_form(engine_world *w);

/* Makes it one with many gangs of which nodes take alike. */
void world_exact(engine_world *w);

/* Makes it one with many asks that are to have nodes to themselves. */
void world_exclude_others(engine_world *w);

/* Draws what a node is that comes up. */
void world_draw_new_node(engine_world *w);

/* Draws the racks of a node. */
void world_draw_rack(engine_world *w);

/* Draws what only such a host says; 0: something else. */
int world_draw_rule(engine_world *w);

/* Draws how it preempts. */
const sked_engine_preempt_options *world_preemption(engine_world *w);

/* Options of any sort. */
sked_engine_options world_options(engine_world *w);

/* Edits `tree`, which has the world's queues, and commits it. */
void world_edit(engine_world *w, sked_tree *tree, size_t steps);

/* Makes the next event. */
void world_next(engine_world *w);

/* Tells of a decision, so that later events speak of it. */
void world_hear(engine_world *w, const sked_decision *decision);

#endif
