#ifndef SKEDI_PREEMPT_PLACING_H
#define SKEDI_PREEMPT_PLACING_H

#include "preempt/nodes.h"
#include "preempt/sketch.h"

/* Floors of all busy places for claims that are alike. A floor is a lower bound
 * of what victims at the place cost; it stays one while lots are taken, until a
 * gang frees resources on other nodes, too. */
typedef struct skedi_floors {
    int64_t *at;      /* by place */
    uint32_t request; /* the last one like it */
    uint32_t fresh;   /* 1: they hold */
} skedi_floors;

enum { SKEDI_FLOORS = 32 /* sorts of claims known at once */ };

/* One request being served, and what is known of its places. */
typedef struct skedi_placing {
    skedi_sketch *draft;
    skedi_nodes nodes;
    uint32_t request;
    uint32_t claim;      /* 1: from other queues; 0: from its leaf */
    uint32_t user_may;   /* its user may have one more task */
    uint32_t *served;    /* by request: tasks so far */
    uint8_t *bound_user; /* by user: has had others of the leaf preempted, and
                            so stays within the user's share */

    skedi_floors floors[SKEDI_FLOORS]; /* the first: of all other requests */
    skedi_floors *own;                 /* of this request */
    uint32_t n_floors;
    uint32_t most_places; /* of any request; 1 at least */
    uint32_t oldest;      /* to be used again next */

    int64_t *picked;    /* by class of the queues: of the best choice */
    int64_t *added;     /* likewise: the task of the request */
    skedi_chosen *pick; /* the best choice so far: lots and copies */
    uint32_t n_pick;
    int found;
    uint32_t at; /* its place, and the node there */
    uint32_t node;
    int64_t best;  /* its cost */
    int64_t bound; /* no place costs less */

    size_t from;    /* of the request: its first placement */
    uint32_t *here; /* by node: tasks of the gang over nodes being served; NULL:
                       there are no such gangs */

    int all_proven;
    int missed; /* a claim was not served */
} skedi_placing;

/* What one task of the request asks for. */
static inline const int64_t *skedi_placing_asked(const skedi_placing *t)
{
    const sked_preempt_input *in = &t->draft->scene->in;

    return in->request_amount + (size_t)t->request * in->kinds;
}

/* How many of `most` tasks more of the request may be placed on a node, by how
 * many of a gang over nodes may be there. */
uint32_t skedi_placing_left(const skedi_placing *t, uint32_t node,
                            uint32_t most);

/* Places of the request: those it names, or all nodes (`busy`: on which
 * something may be taken). */
uint32_t skedi_placing_places(const skedi_placing *t, int busy);
uint32_t skedi_placing_place(const skedi_placing *t, uint32_t i, int busy);

/* Finds floors for the request: those of a request like it, or empty ones. 0:
 * no memory. */
int skedi_placing_recall(skedi_placing *t);

/* What is free, or may be taken, has changed on the node of the `at`-th busy
 * place, and with `elsewhere` on others, too. */
void skedi_placing_stir(skedi_placing *t, uint32_t at, int elsewhere);

/* Looks for the place where one more task costs least. */
sked_status skedi_placing_find(skedi_placing *t);

#endif
