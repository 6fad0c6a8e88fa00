#ifndef TEST_ENGINE_PAIR_H
#define TEST_ENGINE_PAIR_H

/*
 * The engine beside its slow twin: a random cluster, its queues and its host;
 * after every event the same answer, the same decisions field by field, the
 * same digest, the same books, and every invariant holds.
 */

#include "engine_world.h"

/* Steps after which something was so. */
typedef struct pair_seen {
    int shared;       /* shapes had a class in common */
    int blocked;      /* a user had all that its limit allows */
    int waiting;      /* a job was not admitted */
    uint64_t adopted; /* tasks that ran already */
    int parked;       /* an ask stood in no line */
    int barred;       /* the host refused a node for everything */
    int ruled;        /* rules took some nodes and others not */
    int counted;      /* of them some for what runs there */
    int yields;       /* a soft rule was out of force beside one in force */
    int turned;       /* a gang over nodes waited for them */
    uint64_t wide;    /* decisions of gangs on a further node */
    uint64_t placed;  /* decisions of sked_engine_place() */
    int together;     /* events that ended or confirmed several groups */
    int fell;         /* gangs of which too little was left: groups told */
    int grew;         /* an elastic gang had enough, and more to start */
    int lines[4];     /* jobs that wait in a line of their class */
    int rated;        /* a queue refused what came first for its rate */
    int shared_value; /* a gang ran on nodes that share a value */
    int stopped;      /* a tree of limits kept an ask out */
    int uncharged;    /* or a job from running */
    int alone;        /* a task had a node to itself, larger than it asked */
    int alone_gang;   /* several of a gang had */
    int alone_bound;  /* an empty node was more than bounds hold */
    int alone_bunch;  /* several tasks of a gang shared one */
    int alone_left;   /* a part of these did no more, or by another group */
    int forming;      /* something was reserved for a gang that forms */
    uint64_t forming_all; /* of whole nodes */
    uint64_t forming_at;  /* of nodes that share a value */
    uint64_t formed;      /* times that one began to have that */
    int exact;            /* an exact gang ran on several nodes */
    int exact_waits; /* nodes took enough tasks of one, but not so many each */
    int made_whole;  /* one lacked fewer than a node is to have */
    int left_over;   /* and no node where it ran lacked as many */
} pair_seen;

/* Adds what is so in an engine now. */
void pair_look(const sked_engine *e, pair_seen *seen);

/* Runs one world; `change` (NULL: none) makes it a special one. */
pair_seen pair_run(uint64_t seed, size_t queues, uint32_t nodes, size_t steps,
                   void (*change)(engine_world *));

#endif
