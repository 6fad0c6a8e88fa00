#ifndef SKEDI_PREEMPT_SCENE_H
#define SKEDI_PREEMPT_SCENE_H

#include <sched/preempt.h>

#include "base/arith.h"
#include "base/hooks.h"

/*
 * The common data of victim selection: the scene (a problem after reading and
 * checks), its lots, and the book. Lots are taken and given back in the book.
 */

/*
 * A lot is the smallest set of tasks that is taken together. A lot is one task
 * of a row of alike tasks, with as many copies as the row has tasks, or a gang
 * with all its rows. Lots stand in the order in which candidates go.
 */
typedef struct skedi_lot {
    const int64_t *amount; /* of one copy, one a kind */
    int64_t cost;          /* of one copy; a marked lot costs nothing */
    uint32_t first;        /* the row, or the first row of the gang */
    uint32_t rows;         /* 0: a row; else rows of the gang */
    uint32_t copies;
    uint32_t taken; /* copies */
    uint32_t tasks; /* tasks in one copy */
    uint32_t marked;
    uint32_t queue, user, job;
    int32_t priority;
    uint32_t class, user_class; /* in queue_surplus and user_surplus, or 0 */
} skedi_lot;

/* Classes of lots that are alike to their owner (a queue, or a user of a leaf),
 * with the number beyond the owner's keep. By priority, the tasks of requests
 * also have classes of their queues. */
typedef struct skedi_surplus {
    uint32_t *owner;      /* by class */
    int32_t *priority;    /* by class */
    int64_t *unit;        /* amounts of a copy, class x kinds: side by side,
                          because amounts of lots lie far apart */
    int64_t *units;       /* existing copies */
    int64_t *spare;       /* copies in surplus */
    uint32_t *order;      /* classes by owner, in the order of protection */
    uint32_t *of_request; /* by request: the class of its tasks; or NULL */
    uint32_t n;
    uint32_t kinds;
    size_t cap;
    size_t requests; /* capacity of `of_request` */
} skedi_surplus;

typedef struct skedi_scene {
    sked_preempt_input in;
    skedi_hooks hooks;
    uint32_t n_needed;
    uint32_t needed[SKED_MAX_KINDS]; /* kinds with a need */
    int by_kind; /* 1: keep is judged kind by kind; 0: tasks are protected */
    uint32_t n_judged;
    uint32_t judged[SKED_MAX_KINDS]; /* kinds in which keep counts */
    uint8_t *gives; /* by queue: may other queues preempt its tasks? */
    uint8_t *open;  /* by queue: may other queues or its own requests? */

    skedi_surplus queue_surplus; /* for requests; empty by need */
    skedi_surplus user_surplus;  /* with SKED_PREEMPT_FLAG_BY_USER */
    skedi_lot *lots;
    uint32_t n_lots;
    uint32_t n_rows;      /* in lots; memory for as many lots */
    uint32_t *lot_rows;   /* rows of lots, each gang's side by side */
    size_t rows_cap;      /* of lot_rows */
    int64_t *gang_amount; /* of whole gangs, one a kind */
    uint32_t n_gangs;
    uint32_t gang_cap; /* capacity of gang_amount, in gangs */
} skedi_scene;

/* ---- preempt/read.c ---- */

/* Reads and checks all of a problem except its candidates. */
sked_status skedi_scene_read(skedi_scene *scene,
                             const sked_preempt_input *problem,
                             const sked_host *host, sked_error *err);

/* Frees what reading and skedi_scene_lots() took. */
void skedi_scene_drop(skedi_scene *scene);

/* ---- preempt/surplus.c ---- */

/* Makes lots of the candidates that may be taken, in their order. */
sked_status skedi_scene_lots(skedi_scene *scene, sked_error *err);

/* Row `i` of a lot. */
static inline uint32_t skedi_lot_row(const skedi_scene *s, const skedi_lot *lot,
                                     uint32_t i)
{
    return lot->rows ? s->lot_rows[lot->first + i] : lot->first;
}

static inline uint32_t skedi_row_count(const sked_preempt_input *in,
                                       uint32_t row)
{
    return in->count ? in->count[row] : 1;
}

/* The number of tasks of a request that may be on one node, if the request is a
 * gang over nodes; otherwise 0. */
static inline uint32_t skedi_per_node(const sked_preempt_input *in,
                                      uint32_t request)
{
    return in->request_per_node ? in->request_per_node[request] : 0;
}

static inline int skedi_row_marked(const sked_preempt_input *in, uint32_t row)
{
    return in->state && (in->state[row] & SKED_PREEMPT_CANDIDATE_MARKED);
}

static inline int64_t skedi_row_cost(const sked_preempt_input *in, uint32_t row)
{
    if (skedi_row_marked(in, row)) return 0;
    return in->cost ? in->cost[row] : 1;
}

/* The most that a queue gives of a kind. */
static inline int64_t skedi_take_of(const sked_preempt_input *in, size_t at)
{
    if (in->take) return in->take[at];
    return skedi_i64_max(0, in->usage[at] - in->keep[at]);
}

/* ---- preempt/surplus.c ---- */

/* The taken copies, the served tasks, and the spent part of the budgets. */
typedef struct skedi_book {
    const sked_preempt_input *in;
    const skedi_scene *scene;
    int sparing;          /* 1: only surplus goes, even of lower priorities */
    int64_t *class_taken; /* by class of the queues */
    int64_t *user_class_taken;
    int64_t *class_served; /* by class of the queues: placed tasks; only if
                              requests have classes */
    int64_t *taken;        /* queues x kinds: by the rule between queues */
    int64_t *served;       /* queues x kinds: to claims */
    uint32_t *gave; /* by queue: copies taken by the rule between queues */
    int64_t *user_served; /* users x kinds */
    int64_t *queue_spent;
    int64_t *user_spent;
    int64_t *job_spent;
    int64_t spent[SKED_MAX_KINDS];
} skedi_book;

/* Returns 0 if memory is short. The caller closes the book in any case. */
int skedi_book_open(skedi_book *book, skedi_scene *scene);
void skedi_book_close(skedi_book *book, skedi_scene *scene);

/*
 * The number of further copies of a lot that may go: by the rule (enum
 * sked_preempt_reason) and by budgets. For a rule inside a leaf,
 * skedi_rule_inside() has already approved the lot.
 */
uint32_t skedi_book_most(const skedi_book *book, const skedi_lot *lot,
                         uint32_t rule);

/* Takes copies of a lot, up to the number from skedi_book_most(). */
void skedi_book_take(skedi_book *book, skedi_lot *lot, uint32_t rule,
                     uint32_t copies);
void skedi_book_give_back(skedi_book *book, skedi_lot *lot, uint32_t rule,
                          uint32_t copies);

/* The number of further tasks of the request, up to `most`, that would be
 * claims. */
uint32_t skedi_book_claims(const skedi_book *book, uint32_t request,
                           uint32_t most);

/* The same for the request's user, by the rule between users. */
uint32_t skedi_book_user_claims(const skedi_book *book, uint32_t request,
                                uint32_t most);

/* Checks that the request's user, with the served tasks, has more than the
 * user's share. */
int skedi_book_user_over(const skedi_book *book, uint32_t request);

/* The rule inside a leaf that lets the request take the lot, by users and
 * priorities; 0: none. */
uint32_t skedi_rule_inside(const sked_preempt_input *in, uint32_t request,
                           const skedi_lot *lot);

/* `count` more tasks of the request are served. */
void skedi_book_serve(skedi_book *book, uint32_t request, int claim,
                      uint32_t count);

#endif
