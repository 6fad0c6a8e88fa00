#ifndef REF_ENGINE_H
#define REF_ENGINE_H

/*
 * The engine from its definitions (engine.h; books.h, accounts.h and admit.c
 * for orders, user limits and admission): plain lists that are gone through
 * from end to end at every step. No index, no tournament, no classes, nothing
 * remembered about what could not run. The twin of lib/engine.
 */

#include <sched/engine_admit.h>
#include <sched/engine_limits.h>
#include <sched/engine_place.h>
#include <sched/order.h>

#include "ref_joint.h"

enum { REF_KINDS = 4, REF_PARTS = 4, REF_NAME = 16 };

typedef struct ref_node {
    uint64_t key;
    uint64_t rack;
    uint64_t changes; /* what lets refusals lapse */
    int64_t capacity[REF_KINDS];
    uint32_t partition;
    int gone;
    int drains;
    int barred; /* refused by the host, for everything */
    sked_time until;
    sked_rule_attribute *attributes;
    size_t n_attributes;
    int64_t formed; /* tasks of the gang that forms, which are reserved for */
    uint32_t formed_in; /* the partition of that gang */
    int formed_given;   /* 1: given back for the time being */
} ref_node;

typedef struct ref_rule {
    sked_rule_term *terms;
    int64_t *values;
    size_t n_terms;
} ref_rule;

/* A soft rule. */
typedef struct ref_preference {
    ref_rule rule;
    int64_t weight;
    sked_time until;
} ref_preference;

/* Nodes, or racks, that an ask would like. */
typedef struct ref_places {
    uint64_t *key;
    int64_t *tasks; /* beside them; NULL: not counted */
    int64_t *started;
    size_t n;
} ref_places;

/* Nodes that are not taken. */
typedef struct ref_nodes {
    uint64_t key[4];
    size_t n;
} ref_nodes;

enum { REF_WAITS, REF_RUNS, REF_ENDED, REF_FORGOTTEN };

typedef struct ref_job {
    uint64_t key;
    uint64_t user;
    sked_time submitted;
    sked_queue_id queue;
    sked_queue_id charged[SKED_MAX_LIMIT_TREES];
    int64_t tasks; /* numbered so far */
    int32_t priority;
    uint32_t flags;
    int state;
    int barred; /* none of its asks stands in line */
    sked_time until;
    ref_nodes excluded;
    int line; /* enum sked_admit_line */
} ref_job;

typedef struct ref_range {
    int64_t from;
    int64_t count;
} ref_range;

typedef struct ref_ask {
    uint64_t key;
    uint64_t changes;
    int64_t task[REF_KINDS];
    int64_t step[REF_KINDS]; /* of a task, or of the whole gang */
    int64_t gang;            /* its size, or 0 */
    int64_t per_node;        /* of a gang over nodes: so many on one; or 0 */
    int64_t later;           /* of these: tasks that need not start with it */
    int64_t times;           /* tasks of its step */
    uint64_t same;           /* attribute that its nodes share, or 0 */
    int passed;    /* 1: its turn has come in this walk, and it did not start */
    int falls;     /* REF_FALLS: so many are left that the rest ends */
    uint64_t fell; /* which time that was */
    sked_time since;
    size_t job;
    ref_range *ranges;
    size_t n_ranges;
    ref_places nodes;
    ref_places racks;
    uint32_t partition;
    uint32_t flags;
    int32_t priority;
    int closed;
    int forgotten;
    int no_node;  /* it waits for a node that is large enough */
    int no_limit; /* for a limit that is high enough */
    int barred;   /* refused by the host, everywhere */
    sked_time until;
    ref_nodes excluded;
    ref_rule rule;
    ref_preference *soft; /* in the order in which they were said */
    size_t n_soft;
    uint64_t *tags;
    size_t n_tags;
} ref_ask;

/* The gang for which a partition reserves while it forms. */
typedef struct ref_forming {
    int on;
    size_t ask;
    int shared; /* 1: on nodes that have this value */
    int64_t value;
    sked_time since;
    size_t resting; /* number of the ask, and 1 */
    sked_time rests;
} ref_forming;

/* A gang that ends: the rest is not told yet; or it is. */
enum { REF_FALLS = 1, REF_ENDS };

/* Killed: with its job, while it ran. Revoked: with its job, while it was
 * proposed. */
enum { REF_PROPOSED, REF_HELD, REF_KILLED, REF_REVOKED, REF_OVER };

typedef struct ref_group {
    uint64_t name;
    int64_t task;
    int64_t amount[REF_KINDS]; /* of one of its tasks */
    int own;                   /* 1: not what the ask says */
    int64_t gang;              /* then: its size, or 0 */
    int64_t count;
    sked_time proposed;
    size_t ask;
    size_t node;
    uint32_t slot;
    int state;
} ref_group;

/* Released tasks that their node has not ended. */
typedef struct ref_remains {
    uint64_t name; /* of the group */
    int64_t amount[REF_KINDS];
    int64_t count;
    size_t node;
    size_t ask;
} ref_remains;

typedef struct ref_refusal {
    size_t ask;
    size_t node;
    uint64_t ask_changes;
    uint64_t node_changes;
    sked_time until;
    int lifted;
} ref_refusal;

typedef struct ref_user {
    uint64_t key;
    char name[REF_NAME];
} ref_user;

/* By what a leaf admits jobs. */
typedef struct ref_gate {
    sked_queue_id queue;
    int on;
    int preempts;
    int64_t bound[4][REF_KINDS];
} ref_gate;

typedef struct ref_rate {
    sked_queue_id queue;
    sked_time begin; /* of the second */
    int64_t count;   /* of tasks since then, and beyond the rate before */
} ref_rate;

/* What shares of a partition were when they were made last. */
typedef struct ref_shares {
    ref_joint made;  /* image NULL: never, or not of this tree */
    int changed;     /* the capacity did, since */
    int moved;       /* so did what is wanted */
    uint64_t demand; /* stands for what was wanted last */
    uint64_t events; /* applied by then */
} ref_shares;

/* A weight that the host said of a queue; 0: none. */
typedef struct ref_said {
    sked_queue_id queue;
    int64_t weight;
} ref_said;

typedef struct ref_engine {
    sked_tree *tree; /* with the weights that the host said */
    sked_tree *base; /* without */
    ref_said *said;
    ref_forming forming[REF_PARTS];
    size_t form_first;  /* the first that could not start; SIZE_MAX */
    int64_t form_value; /* on which it would */
    int form_came;
    uint64_t formings;
    sked_tree *limits[SKED_MAX_LIMIT_TREES]; /* NULL: none */
    sked_engine_options opts;
    int64_t pool[REF_PARTS][REF_KINDS]; /* of kinds that lie on no node */
    sked_time now;
    uint64_t started, taken; /* tasks; decisions, by the host */
    size_t resume;           /* node where the next pass over all begins */

    /* Everything there ever was, in order of arrival. */
    ref_node *node;
    ref_job *job;
    ref_ask *ask;
    ref_group *group;
    ref_remains *remain;
    ref_refusal *refusal;
    ref_user *user;
    ref_gate *gate;
    ref_rate *rate; /* of queues in which something started */
    uint32_t *slot; /* of groups, free again, the last one on top */
    sked_decision *out;
    size_t nodes, jobs, asks, groups, remains, refusals, users, rates, gates,
        slots, n_out, says;
    uint32_t kinds, made;       /* groups */
    uint32_t most_slots, parts; /* up to the highest that was ever named */
    ref_shares shares[REF_PARTS];
    uint64_t events, falls; /* applied; of gangs */
} ref_engine;

ref_engine *ref_engine_new(const sked_tree *tree,
                           const sked_engine_options *opts);
void ref_engine_free(ref_engine *r);

/* One row; the code that sked_engine_apply() must answer. */
sked_status ref_engine_event(ref_engine *r, const sked_events *batch,
                             const sked_event *event);
sked_status ref_engine_commit(ref_engine *r, const sked_tree *tree,
                              sked_time now);
/* Takes over a tree of limits, from 1. */
sked_status ref_engine_limits(ref_engine *r, uint32_t which,
                              const sked_tree *tree, sked_time now);

/* What is charged in a row of one; jobs that run. */
int64_t ref_engine_charged(const ref_engine *r, uint32_t which, uint32_t row,
                           int64_t *used);

/* Do the trees of limits let one job more run, or a step start? */
int ref_engine_trees_admit(const ref_engine *r, const ref_job *job);
int ref_engine_trees_hold(const ref_engine *r, const ref_ask *a,
                          const int64_t *step);

/* Where a batch charges a job: SKED_OK or SKED_ERR_STALE. */
sked_status ref_engine_charges(const ref_engine *r, const sked_events *batch,
                               sked_queue_id *charged);

sked_status ref_engine_pass(ref_engine *r, sked_time now, uint64_t budget);
sked_status ref_engine_place(ref_engine *r,
                             const sked_engine_place_options *options,
                             sked_time now, uint64_t budget);

/* Time goes on to `now`, with what is due by then. */
sked_status ref_engine_advance(ref_engine *r, sked_time now);

void ref_engine_name_user(ref_engine *r, uint64_t key, const char *name);

/* The host takes so many decisions. */
void ref_engine_take(ref_engine *r, uint64_t n);
uint64_t ref_engine_digest(const ref_engine *r);

/* Sums over what runs in a row of the tree; SKED_ANY_PARTITION: everywhere. */
void ref_engine_usage(const ref_engine *r, uint32_t row, uint32_t partition,
                      int64_t *usage);
void ref_engine_free_on(const ref_engine *r, size_t node, int64_t *amounts);

/* ---- Between the parts of the twin ---- */

/* Room for `*n` items and one more, which is zero; `*n` counts it. */
void *ref_engine_more(void *items, size_t *n, size_t size);

/* The new last item of a list of `r`. */
#define MORE(r, items, n)                                                      \
    ((r)->items = ref_engine_more((r)->items, &(r)->n, sizeof *(r)->items),    \
     &(r)->items[(r)->n - 1])

int64_t ref_engine_open(const ref_ask *ask);

/* A weight is said; the tree is made anew with those that were. */
sked_status ref_engine_weight(ref_engine *r, const sked_event *event);
void ref_engine_weigh(ref_engine *r);

/* Something is in this partition, or is asked for there. */
void ref_engine_name_partition(ref_engine *r, uint32_t partition);
int ref_engine_runs_below(const ref_engine *r, const ref_job *job,
                          uint32_t row);
/* Admission by classes: bounds of a leaf; jobs that are kept out move; may this
 * job go next, as far as its leaf goes; a new tree is there. */
sked_status ref_engine_admit_by(ref_engine *r, sked_queue_id queue,
                                sked_time now,
                                const sked_engine_admit_options *options);
void ref_engine_gates_settle(ref_engine *r);
int ref_engine_gate_offers(ref_engine *r, const ref_job *job);
void ref_engine_gates_commit(ref_engine *r);
int ref_engine_user_may_run(const ref_engine *r, const ref_job *job);
int ref_engine_goes_before(const ref_engine *r, const ref_job *a,
                           const ref_job *b);

/* Tasks start; a new tree is there. */
void ref_engine_rate_count(ref_engine *r, sked_queue_id leaf, int64_t count);
void ref_engine_rates_commit(ref_engine *r);
int ref_engine_is_full(const ref_engine *r);
sked_decision *ref_engine_decide(ref_engine *r, sked_decision d);
/* Does a kind lie on no node? */
static inline int ref_engine_pooled(const ref_engine *r, uint32_t k)
{
    return r->opts.pooled >> k & 1;
}

void ref_engine_capacity(const ref_engine *r, uint32_t partition,
                         int64_t *capacity);

/* What a key names, SIZE_MAX when nothing does. */
size_t ref_engine_node(const ref_engine *r, uint64_t key);
size_t ref_engine_job(const ref_engine *r, uint64_t key);
size_t ref_engine_ask(const ref_engine *r, uint64_t key);

/* An event's row of amounts; NULL: `*rc` says why not. */
const int64_t *ref_engine_amounts(const ref_engine *r, const sked_events *batch,
                                  const sked_event *event, sked_status *rc);

int ref_engine_job_runs(const ref_engine *r, size_t job);

/* Admits the jobs that the numbers of applications allow. */
void ref_engine_admit(ref_engine *r);

/* Events, by what they are about. */
sked_status ref_engine_pool(ref_engine *r, const sked_events *batch,
                            const sked_event *event);
sked_status ref_engine_node_event(ref_engine *r, const sked_events *batch,
                                  const sked_event *event);
sked_status ref_engine_node_move(ref_engine *r, const sked_event *event);
sked_status ref_engine_node_down(ref_engine *r, const sked_event *event);
sked_status ref_engine_job_submit(ref_engine *r, const sked_events *batch,
                                  const sked_event *event);
sked_status ref_engine_job_update(ref_engine *r, const sked_event *event);
sked_status ref_engine_job_end(ref_engine *r, const sked_event *event);
sked_status ref_engine_ask_add(ref_engine *r, const sked_events *batch,
                               const sked_event *event);
sked_status ref_engine_places(ref_engine *r, const sked_events *batch,
                              const sked_event *event);
void ref_engine_forget_places(ref_places *places);
sked_status ref_engine_ask_change(ref_engine *r, const sked_event *event);

sked_status ref_engine_running(ref_engine *r, const sked_events *batch,
                               const sked_event *event);

sked_status ref_engine_resize(ref_engine *r, const sked_events *batch,
                              const sked_event *event, size_t group);
sked_status ref_engine_refuse(ref_engine *r, const sked_events *batch,
                              const sked_event *event, size_t group);
sked_status ref_engine_allow(ref_engine *r, const sked_event *event);
sked_status ref_engine_exclude(ref_engine *r, const sked_events *batch,
                               const sked_event *event);

/* Is the row of attributes that an event names one that a node may have? */
sked_status ref_engine_check_attributes(const sked_events *batch,
                                        const sked_event *event);
sked_status ref_engine_attributes(ref_engine *r, const sked_events *batch,
                                  const sked_event *event);
sked_status ref_engine_rule(ref_engine *r, const sked_events *batch,
                            const sked_event *event);
sked_status ref_engine_prefer(ref_engine *r, const sked_events *batch,
                              const sked_event *event);
void ref_engine_forget_soft(ref_ask *a);
void ref_engine_lapse_soft(ref_engine *r, sked_time now);
sked_status ref_engine_tags(ref_engine *r, const sked_events *batch,
                            const sked_event *event);
void ref_engine_forget_rule(ref_rule *rule);

/* Does the rule of an ask take a node? */
int ref_engine_takes(const ref_engine *r, size_t ask, size_t node);

/* What the host refused until then, or what waits for a node, or a limit. */
void ref_engine_lapse(ref_engine *r, sked_time now);
void ref_engine_see_node(ref_engine *r, size_t node);
void ref_engine_see_limits(ref_engine *r, size_t job);

/* Did the host refuse an ask on a node? */
int ref_engine_refused(const ref_engine *r, size_t ask, size_t node);

/* Could it run some day: the lowest queue that never lets it, or -1; a node. */
int32_t ref_engine_never_below(const ref_engine *r, const ref_ask *a);
int ref_engine_fits_node(const ref_engine *r, const ref_ask *a, size_t node);

/* What a column of a batch says of its row; SKED_UNSET: nothing. */
int64_t ref_engine_word(const sked_events *batch, const sked_event *event,
                        const int64_t *column);

/* Is all that a job has and wants an amount, with `more` tasks of this? */
int ref_engine_is_amount(const ref_engine *r, size_t job, const int64_t *task,
                         int64_t more);

/* The last so many open tasks of an ask are wanted no more. */
void ref_engine_drop(ref_ask *a, int64_t count);

/* Lets a job run that waits. */
void ref_engine_let_run(ref_engine *r, ref_job *job, int32_t reason);

/* Makes the shares of a partition anew, where it is time. */
void ref_engine_shares(ref_engine *r, uint32_t partition);
void ref_engine_forget_shares(ref_engine *r);

/* Something is wanted again where an ask may run. */
void ref_engine_moved(ref_engine *r, const ref_ask *ask);

/* Looks whether something else is wanted now: after everything that happens. */
void ref_engine_look_at_wants(ref_engine *r);

/* The ask that starts next on one of these nodes, which are of one partition;
 * SIZE_MAX when none may. */
size_t ref_engine_pick(ref_engine *r, const size_t *nodes, size_t n);

/* All groups of an ask get a kill order. */
void ref_engine_kill(ref_engine *r, size_t ask, int32_t reason);

/* What it lacks is a gang of its own. */
void ref_engine_reform(ref_engine *r, ref_ask *a);

/* Starts tasks as a group of their own. */
void ref_engine_group(ref_engine *r, size_t ask, size_t node, int64_t count,
                      int32_t reason);

/* One task, or gang, starts: in the last group where that is of this pass
 * (not before `first`) and of this ask, and the numbers go on. */
void ref_engine_start(ref_engine *r, size_t ask, size_t node, size_t first);

/* Would it start on this node by the nodes and racks that it prefers, or has it
 * waited for them long enough? */
int ref_engine_place_is_right(const ref_engine *r, const ref_ask *a,
                              const ref_node *node);

/* So many tasks are on a node that were not, or (negative) are open again. */
void ref_engine_at_place(const ref_engine *r, ref_ask *a, size_t node,
                         int64_t count);

/* From what an ask would like: 0, listed; 1, in a rack; 2. */
int ref_engine_distance(const ref_engine *r, const ref_ask *a,
                        const ref_node *node);

/* Fills a node; at most `budget` decisions. 1: it was cut short. */
int ref_engine_fill(ref_engine *r, size_t node, uint64_t budget);

/* Is a pass over on a node where it has started so many tasks (or gangs)? */
int ref_engine_turn_over(const ref_engine *r, uint64_t started);

/* The last `count` tasks of a group are over; `changed`: refusals lapse. */
void ref_engine_end(ref_engine *r, size_t group, int64_t count, int again,
                    int changed);
sked_status ref_engine_task(ref_engine *r, const sked_events *batch,
                            const sked_event *event);
void ref_engine_expire(ref_engine *r, sked_time now);
void ref_engine_close(ref_engine *r, size_t ask);
void ref_engine_settle(ref_engine *r, size_t ask); /* forgets what is over */
void ref_engine_wait(ref_engine *r, ref_ask *ask);
#endif
