#ifndef SKEDI_PREEMPT_SCENE_H
#define SKEDI_PREEMPT_SCENE_H

#include <sched/preempt.h>

#include "base/arith.h"
#include "base/hooks.h"

/*
 * What the files of victim selection share: the scene (a problem as it was read
 * and checked), its lots, and the book in which lots are taken and given back.
 */

/*
 * A lot is what can only be taken together: one task of a row of alike tasks
 * (of such a lot there are as many copies as the row has tasks), or a gang with
 * all its rows. Lots stand in the order in which candidates go.
 */
typedef struct skedi_lot {
    const int64_t *amount; /* of one copy, one a kind */
    int64_t cost;          /* of one copy; what is marked costs nothing */
    uint32_t first;        /* its row, or where the gang's rows begin */
    uint32_t rows;         /* 0: a row; else rows of the gang */
    uint32_t copies;
    uint32_t taken; /* copies */
    uint32_t tasks; /* in one copy */
    uint32_t marked;
    uint32_t queue, user, job;
    int32_t priority;
    uint32_t class, user_class; /* in queue_surplus and user_surplus, or 0 */
} skedi_lot;

/* Classes of lots that are alike to their owner (a queue, or a user of a leaf),
 * and how many of them it has beyond what it keeps. By priority the tasks of
 * requests have classes of their queues, too. */
typedef struct skedi_surplus {
    uint32_t *owner;   /* by class */
    int32_t *priority; /* by class */
    int64_t *unit;     /* what a copy holds, class x kinds: side by side, since
                             amounts of lots lie far apart */
    int64_t *units;    /* copies that there are */
    int64_t *spare;    /* of these, surplus */
    uint32_t *order;   /* classes by owner, in the order of protection */
    uint32_t *of_request; /* by request: the class of its tasks; or NULL */
    uint32_t n;
    uint32_t kinds;
    size_t cap;
    size_t requests; /* that `of_request` has memory for */
} skedi_surplus;

typedef struct skedi_scene {
    sked_preempt_input in;
    skedi_hooks hooks;
    uint32_t n_needed;
    uint32_t needed[SKED_MAX_KINDS]; /* kinds of which there is need */
    int by_kind; /* 1: keep is judged kind by kind; 0: tasks are protected */
    uint32_t n_judged;
    uint32_t judged[SKED_MAX_KINDS]; /* kinds in which keep is looked at */
    uint8_t *gives; /* by queue: may others have tasks of it preempted? */
    uint8_t *open;  /* by queue: or its own requests? */

    skedi_surplus queue_surplus; /* of requests; by need there is none */
    skedi_surplus user_surplus;  /* with SKED_PREEMPT_FLAG_BY_USER */
    skedi_lot *lots;
    uint32_t n_lots;
    uint32_t n_rows;      /* in lots; memory for as many lots */
    uint32_t *lot_rows;   /* rows of lots, each gang's side by side */
    size_t rows_cap;      /* of lot_rows */
    int64_t *gang_amount; /* of whole gangs, one a kind */
    uint32_t n_gangs;
    uint32_t gang_cap; /* gangs that gang_amount has memory for */
} skedi_scene;

/* ---- preempt/read.c ---- */

/* Reads and checks all of a problem but its candidates. */
sked_status skedi_scene_read(skedi_scene *scene,
                             const sked_preempt_input *problem,
                             const sked_host *host, sked_error *err);

/* Frees what reading and skedi_scene_lots() took. */
void skedi_scene_drop(skedi_scene *scene);

/* ---- preempt/surplus.c ---- */

/* Makes lots of the candidates that may be taken at all, in their order. */
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

/* How many tasks of a request may be on one node, if it is a gang over nodes;
 * else 0. */
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

/* What a queue gives of a kind at most. */
static inline int64_t skedi_take_of(const sked_preempt_input *in, size_t at)
{
    if (in->take) return in->take[at];
    return skedi_i64_max(0, in->usage[at] - in->keep[at]);
}

/* ---- preempt/surplus.c ---- */

/* What was taken so far, what was served, and what of the budgets is spent. */
typedef struct skedi_book {
    const sked_preempt_input *in;
    const skedi_scene *scene;
    int sparing; /* 1: of lower priorities, too, only what is surplus goes */
    int64_t *class_taken; /* by class of the queues */
    int64_t *user_class_taken;
    int64_t *class_served; /* by class of the queues: tasks placed; only where
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

/* 0: no memory; close it all the same. */
int skedi_book_open(skedi_book *book, skedi_scene *scene);
void skedi_book_close(skedi_book *book, skedi_scene *scene);

/*
 * How many more copies of a lot may go: by the rule (enum sked_preempt_reason;
 * for what is inside a leaf skedi_rule_inside() has said that it holds), and by
 * budgets.
 */
uint32_t skedi_book_most(const skedi_book *book, const skedi_lot *lot,
                         uint32_t rule);

/* Takes copies of a lot, as many as skedi_book_most() says. */
void skedi_book_take(skedi_book *book, skedi_lot *lot, uint32_t rule,
                     uint32_t copies);
void skedi_book_give_back(skedi_book *book, skedi_lot *lot, uint32_t rule,
                          uint32_t copies);

/* How many more tasks of the request would be claims, up to `most`. */
uint32_t skedi_book_claims(const skedi_book *book, uint32_t request,
                           uint32_t most);

/* The same for its user, by the rule between users. */
uint32_t skedi_book_user_claims(const skedi_book *book, uint32_t request,
                                uint32_t most);

/* Has the request's user more than the user's share, with what is served? */
int skedi_book_user_over(const skedi_book *book, uint32_t request);

/* The rule inside a leaf by which the request may take the lot, as far as it
 * depends on their users and priorities; 0: there is none. */
uint32_t skedi_rule_inside(const sked_preempt_input *in, uint32_t request,
                           const skedi_lot *lot);

/* `count` more tasks of the request are served. */
void skedi_book_serve(skedi_book *book, uint32_t request, int claim,
                      uint32_t count);

#endif
