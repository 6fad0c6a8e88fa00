#ifndef SKEDI_ENGINE_PREEMPT_H
#define SKEDI_ENGINE_PREEMPT_H

/* Rounds of preemption: data of a round, and what the engine calls. */

#include <sched/engine_preempt.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/recycle.h"
#include "engine/state.h"
#include "engine/watch.h"

/*
 * Victim classes: groups sorted by which would be preempted first, kept up by
 * every start and end, so that a round need not look at every task. Only an
 * engine that preempts has them.
 *
 * A victim class is all groups of one queue and partition (and, where users
 * preempt each other, of one user) whose tasks hold the same amounts, have the
 * same priority and lose work in the same way, and of which the host said the
 * same cost, if any. Groups of a class stand in the order of when their work was
 * last safe, so that the last is always the cheapest victim (victim_cost). Fixed
 * groups have no class. A gang over nodes has one of its own: it goes as a whole
 * (units.c).
 */

/* Terms of the tasks of a class: an end loses them no work; they are masters,
 * which cost a multiple; they are revocable and end before all others. */
enum { CLASS_KEEPS = 1, CLASS_MASTER = 2, CLASS_REVOCABLE = 4 };

typedef struct victim_class {
    uint64_t name; /* of all that its groups have in common; 0: a free slot */
    uint64_t measured; /* the state of the nodes that `part` is of */
    int64_t part;      /* ppm of the partition that a task holds at most */
    int64_t tasks;     /* of its groups; of bunches, nodes that they hold */
    uint32_t cell;
    uint32_t shape;
    uint32_t account; /* of the user, where users are owners; SKEDI_NONE */
    int32_t priority; /* of the jobs */
    uint32_t terms;   /* CLASS_* */
    uint32_t last;    /* of its groups */
    uint32_t groups;
    int32_t host_cost; /* of a task, as the host says; or -1 */
    uint32_t gang; /* and one: all groups are of this gang over nodes; or 0 */
    uint32_t unused;
} victim_class;

/* Where a group stands among the others of its class. */
typedef struct class_place {
    uint32_t class; /* and one; 0: with none */
    uint32_t before;
    uint32_t after;
} class_place;

typedef struct victim_classes {
    engine_pool pool;
    skedi_keymap of;
    class_place *place; /* by group */
    size_t places;
    int stale; /* 1: to be made anew before they are read */
} victim_classes;

void skedi_victim_classes_start(victim_classes *classes);
void skedi_victim_classes_free(victim_classes *classes, skedi_mem *mem);

/* A cost as it is compared in a round. Where revocable tasks run, whatever
 * other tasks cost (`last`) is above all that revocable ones cost together.
 * Where none run, costs are what they are. */
static inline int64_t skedi_cost_beside(int revocable, int last, int64_t cost)
{
    const int64_t above = INT64_C(1) << 62;

    if (!revocable) return cost;
    cost = skedi_i64_min(cost, above - 2);
    return last ? above + cost : cost;
}

static inline victim_class *victim_class_at(const victim_classes *classes,
                                            uint32_t class)
{
    return (victim_class *)classes->pool.item + class;
}

/* A group joins when it has started or its work has become safe, and leaves
 * when it is over. Both calls do nothing while the classes are stale. If memory
 * fails they mark the classes stale. */
void skedi_victim_class_join(sked_engine *e, uint32_t group);
void skedi_victim_class_leave(sked_engine *e, uint32_t group);

/* A group holds its shape `by` times more, or fewer where that is negative. */
void skedi_victim_class_move(sked_engine *e, uint32_t group, int64_t by);

/* The class of a group; SKEDI_NONE: it has none. They are not stale. */
static inline uint32_t skedi_victim_class_of(const victim_classes *classes,
                                             uint32_t group)
{
    return classes->place[group].class - 1;
}

/* Do rounds look at an ask that is a gang over nodes? */
int skedi_gang_in_rounds(const sked_engine *e, uint32_t ask);

/* Is a group proposed or running, and may its tasks be preempted at all? */
int skedi_may_be_victim(const sked_engine *e, uint32_t group);

/* CLASS_* of the tasks of an ask. */
uint32_t skedi_victim_terms(const sked_engine *e, const engine_ask *ask);

/* Rebuilds the classes where they are stale. 0: no memory. */
int skedi_victim_classes_ready(sked_engine *e);

/* What is lost with a task of a group of this class (engine.h); the class
 * remembers its part of the partition. */
int64_t skedi_victim_class_cost(sked_engine *e, victim_class *class,
                                uint32_t group);

/*
 * Where so much is free: of each block of 64 nodes the most that any of them
 * has free, kind by kind. Only an engine that preempts has it. Blocks in which
 * that may have changed are noted, and counted anew before the next search.
 */

enum { VACANT_NODES = 64 };

typedef struct engine_vacant {
    int64_t *most;  /* blocks x kinds */
    uint8_t *moved; /* by block */
    size_t blocks;
} engine_vacant;

void skedi_vacant_free(engine_vacant *v, skedi_mem *mem, uint32_t kinds);

/* What a node has free has changed. */
static inline void skedi_vacant_note(engine_vacant *v, uint32_t node)
{
    if (node / VACANT_NODES < v->blocks) v->moved[node / VACANT_NODES] = 1;
}

/* Counts what has moved. 0: no memory. */
int skedi_vacant_ready(sked_engine *e);

/*
 * What is open of every leaf in every partition, in amounts. Only an engine
 * that preempts has it, from its first round on.
 */

typedef struct engine_wanted {
    int64_t *sum; /* cells x kinds, where queues have asks open */
    size_t cells;
    int ready; /* 0: to be added up anew before it is read */
} engine_wanted;

void skedi_wanted_free(engine_wanted *w, skedi_mem *mem, uint32_t kinds);

/* So many tasks more of an ask are open, where it has entries. */
void skedi_wanted_move(sked_engine *e, uint32_t ask, int64_t by);

/* Adds what is open for a partition to rows x kinds of amounts. 0: no memory.
 */
int skedi_wanted_add(sked_engine *e, uint32_t partition, int64_t *rows);

/*
 * Rounds of preemption. A round goes through the partitions: it recomputes
 * shares and what each queue may claim and keeps (owner.c), finds which tasks
 * are surplus (spare.c), and looks for each ask that may claim for the node
 * (where.c) on which the cheapest victims would let it start (plan.c). Then it
 * acts on all partitions at once (act.c).
 *
 * All of these read one set of books (books.c): the partition without the tasks
 * that have a kill order, and with what the round has planned so far.
 */

enum { ROUND_SEEN = 5 };

/* A queue with these reasons gives. A queue also gives where the budget leaves
 * nothing of its surplus, because one plan of a round may exceed the budget. */
enum { ROUND_GIVING = SKED_TARGET_REASON_GIVES | SKED_TARGET_REASON_CUT };

/* By which rule an ask takes victims. */
enum {
    PLAN_CLAIM,   /* surplus of other queues */
    PLAN_USER,    /* surplus of other users of its leaf */
    PLAN_PRIORITY /* what matters less in its leaf */
};

/* Tasks of a group that a round wants to end. */
typedef struct round_victim {
    uint32_t group;
    uint32_t count;
    int32_t reason;   /* enum sked_reason */
    uint32_t rule;    /* PLAN_* */
    uint32_t noticed; /* 1: they are under notice already */
    uint32_t span;    /* so many victims, from this one on, go together; 0: it
                       goes with one before it */
    int kept;         /* 1: the notice stays, though the victim is needless */
} round_victim;

/* A step (a task, or a whole gang) of an ask, and the place that a round found
 * for it, which is free once these victims are gone, or those of an earlier
 * round. */
typedef struct round_placement {
    uint32_t ask;
    uint32_t node;
    uint32_t count; /* tasks of the step */
    uint32_t first; /* of its victims */
    uint32_t victims;
    uint32_t due;   /* 1: its victims get a kill order now, or it has none */
    uint32_t made;  /* 1: victims got a kill order for it before */
    uint32_t span;  /* placements from this one on that start together: those of
                      a gang over nodes, one for each task; 0: it starts with
                      one before it */
    uint32_t waits; /* enum round_wait: may its kill orders wait for a round? */
} round_placement;

/* Tasks of a group that may be victims on the node that is looked at. */
typedef struct plan_pick {
    int64_t cost; /* of one; of a gang over nodes of all of it */
    uint32_t group;
    uint32_t class;
    uint32_t most;  /* tasks; of bunches, nodes that they hold */
    uint32_t count; /* taken */
    uint32_t tasks; /* of a gang over nodes */
    uint8_t gang;   /* 1: all or none */
    uint8_t marked; /* 1: under notice already */
    uint8_t wide;   /* 1: a gang over nodes, with its first group */
    uint8_t last;   /* 1: not revocable, so that it goes after what is */
} plan_pick;

/* A list that grows and is used again. */
typedef struct round_list {
    void *item;
    size_t n, cap;
} round_list;

/* What an engine has in addition when it preempts. */
struct engine_preempt {
    sked_engine_preempt_options opts;
    sked_target *target[SKED_MAX_PREEMPT_POLICIES]; /* one a policy, in order */
    uint32_t policies;
    sked_round *round;
    skedi_arena arena; /* of a round */
    int64_t *units;    /* of a round: shapes x kinds, of exact gangs: what their
                          tasks on one node take */
    int64_t keep_for;  /* ns that a reservation stands, from now */
    int64_t grace;     /* ns of notice that victims get */
    int watches;       /* 1: it only observes */
    int untold;        /* 1: there is no grace, so no task gets notice */
    round_list placements; /* round_placement: what the last round planned */
    round_list victims;    /* round_victim, of these */
    round_list picks;      /* plan_pick, of the node looked at */
    round_list keyed;      /* skedi_keyed, to sort them by */
    round_list sorted;     /* plan_pick, likewise */
    round_list best;       /* plan_pick, of the best so far */
    round_list started; /* int64_t, partitions x rows x kinds: what leaves have
                           started since the last round; others are not
                           counted */
    sked_time last_round;
    int timed; /* 1: a step waits for time, or rounds, to pass */
    uint64_t seen[ROUND_SEEN]; /* what had happened before the last round */
    victim_classes classes;
    engine_vacant vacant;
    engine_wanted wanted;
    skedi_heap heap;  /* of groups, in a search */
    skedi_heap nodes; /* by the least that a plan there may cost, likewise */
    engine_watch watch;
    sked_engine *engine;
    skedi_recycle recycle; /* of the target and the round */
    sked_host host;        /* theirs: ours, with that memory */
};

/* What the last round planned first, and behind that. */
static inline round_placement *placement_at(const sked_engine *e, size_t i)
{
    return (round_placement *)e->preempt->placements.item + i;
}

/* Is a queue this one, or below it? Those below have larger rows. */
static inline int row_is_within(const sked_engine *e, uint32_t row,
                                uint32_t above)
{
    while (row > above) row = (uint32_t)e->rows.parent[row];
    return row == above;
}

/* All partitions together. */
typedef struct round_state {
    sked_engine *e;
    struct round_part **part; /* by partition; NULL: not looked at */
    int64_t *planned;         /* by ask: tasks that have a place so far */
    int64_t *wide;    /* rows x kinds, of wide rows: held in all partitions */
    int64_t *charged; /* rows of the trees of limits x kinds: planned; NULL: no
                         job is charged there */
    uint32_t *taken;  /* by group: tasks that are to end */
    int64_t *left;    /* by job: tasks that may be taken still, plus one; 0: not
                        counted yet. NULL: no job has a least */
    uint32_t *reserved; /* by ask: tasks that the last round reserved for */
    uint8_t *again;     /* by row: 1: the last round reserved for its asks; and
                           asks of these that found places, each once */
} round_state;

/* What a policy says of a partition. */
typedef struct round_policy {
    const uint32_t *reasons;        /* by row: enum sked_target_reason */
    const int64_t *claim;           /* how far leaves may claim now */
    uint32_t *named;                /* by row: kinds that make a step a claim */
    const int64_t *take;            /* what a round may take of leaves */
    int64_t budget[SKED_MAX_KINDS]; /* of a round */
    int64_t *account_claim;         /* accounts x kinds */
} round_policy;

/* One partition in a round; everything in the arena. */
typedef struct round_part {
    round_state *s;
    sked_engine *e;
    uint32_t partition;
    uint64_t work;          /* node tries that may still better a plan */
    round_policy *policy;   /* in order */
    const round_policy *by; /* the one that runs */
    const uint8_t *allowed; /* by row: may be preempted */
    const int64_t *share;   /* rows x kinds */
    const int64_t *keep;    /* what leaves keep, whether or not they give: the
                                most that any policy lets them */
    const int64_t *excess;  /* what they use beyond that */
    int64_t *held;          /* as cell_booked, with what is planned */
    int64_t *bare;          /* likewise, and nothing kept below */
    int64_t *took;          /* what was taken of leaves, by any policy */
    uint32_t *gave;         /* by row: times something was taken */
    uint32_t *gave_to;      /* by row: the plan that took something first */
    int64_t told[SKED_MAX_KINDS]; /* taken of tasks that had no notice */
    uint32_t spent;               /* times plans took tasks without notice */
    uint32_t spent_on;            /* the plan that took such tasks first */
    uint32_t plan;                /* number of the plan in work: one step, or
                                     all steps of a gang over nodes */
    uint32_t gangs;               /* over nodes that nodes are reserved for */
    uint64_t *coming; /* by row: weight of users that will ask again */
    uint32_t *comes;  /* by account: tasks that end and make its user do so */
    int64_t *account_used; /* accounts x kinds */
    int64_t *account_share;
    int64_t *account_keep;
    int64_t *leaf_new;    /* rows x kinds: of leaves, what steps planned hold */
    int64_t *account_new; /* accounts x kinds, likewise */
    int64_t *leaf_turn;   /* of leaf_new: of steps that start by their turn */
    int64_t *account_turn;
    int64_t *masters; /* rows x kinds: what masters of leaves hold */
    uint32_t *binds;  /* by row: kinds that bind what leaves keep */
    uint32_t *rank;   /* by class: the first of its rank */
    int64_t *spare;   /* by class: tasks (gangs) that are surplus */
    int64_t *above;   /* of them those that begin above what the owner keeps */
    int64_t *live;    /* by class: tasks that got no kill orders */
    int revocable;    /* 1: tasks of some class are */
    uint32_t *order;  /* classes by owner, in the order of protection */
    uint32_t *from;   /* by row: where its classes begin there; rows + 1 */
    int64_t *free;    /* nodes x kinds, of those that are known */
    uint8_t *known;
    uint32_t *marks; /* by node: tasks told already that nothing takes yet */
    uint32_t *fixed; /* nodes that are looked at first (skedi_node_fix) */
    uint32_t n_fixed;
    uint8_t *listed;  /* by node: 1: it is one of these */
    uint32_t freed;   /* times a plan freed more than the node it is for */
    uint32_t n_nodes; /* pool numbers when the part was opened */
} round_part;

/* `n` zeroed items that live as long as the round; NULL: no memory. */
void *skedi_round_reserve(sked_engine *e, uint64_t n, size_t size);

/* One item more of a list that persists; NULL: no memory. */
void *skedi_round_push(sked_engine *e, round_list *list, size_t size);

/* ---- Books ---- */

/* Opens the books over all partitions: what is held, without tasks that have a
 * kill order; where `paid` is set, with the reservations for which others got
 * theirs. 0: no memory. */
int skedi_books_open(round_state *s, int paid);

/* Opens those of a partition, without its reservations. 0: no memory. */
int skedi_books_open_part(round_part *part);

/* Opens the books of the partition in which plans are noted. 0: no memory. */
int skedi_books_open_plans(round_part *part);

/* The reservations of the partition for which others got kill orders no longer
 * count in the books over all partitions: the round decides anew. */
void skedi_books_forget_paid(round_part *part);

/* Adds `times` of an amount to a leaf's path, and to an account (or
 * SKEDI_NONE). */
void skedi_books_plan(round_part *part, uint32_t leaf, uint32_t account,
                      const int64_t *amount, int64_t times);

/* Plans of a job hold so many times more in the trees of limits. What makes way
 * counts there until it has ended. */
void skedi_books_plan_trees(const round_state *s, uint32_t job,
                            const int64_t *amount, int64_t times);

/* So many tasks of a group are gone, or (negative) stay after all. */
void skedi_books_gone(round_part *part, uint32_t group, int64_t count);

/* How many tasks of a group, or of a gang over nodes (INT64_MAX or 0), may still
 * be taken, so that the least of its job runs on; INT64_MAX: any number. And
 * counts so many as taken (negative: they stay after all), whatever plan takes
 * them. */
int64_t skedi_least_left(const round_state *s, uint32_t group);
int64_t skedi_least_of_gang(const round_state *s, uint32_t group);
void skedi_least_take(round_state *s, uint32_t group, int64_t count);

/* The free amounts of a node with all of this taken into account. */
int64_t *skedi_books_free(round_part *part, uint32_t node);

/* How many tasks of a group have a kill order, or end by themselves in the time
 * that victims have: no round takes them, and all count as gone. */
uint32_t skedi_round_going(const sked_engine *e, uint32_t group);

/* Does any group end by itself in that time? */
int skedi_round_awaits(const sked_engine *e);

/* ---- Gangs over nodes as victims ---- */

/* The pick that stands for the whole gang. O(its groups). */
plan_pick skedi_unit_pick(const round_part *part, uint32_t class);

/* All of the gang goes (1), or stays after all (-1). */
void skedi_unit_move(round_part *part, const plan_pick *pick, int by);

/* Something is decided on a node, or freed there: it is looked at first. */
void skedi_node_fix(round_part *part, uint32_t node);

/* ---- Plans ---- */

/* A step that asks. */
typedef struct plan_want {
    uint32_t ask;
    uint32_t leaf;
    uint32_t account; /* of its user, or SKEDI_NONE */
    uint32_t rule;    /* PLAN_* */
    uint32_t tasks;
    uint32_t inner; /* the lowest row whose bound is in the way; SKEDI_NONE */
    int32_t priority;
    int master;
    const int64_t *step;
    int follows; /* 1: a task of a gang over nodes, whose user was asked */
    int charged; /* 1: it runs, and counts in the trees of limits */
} plan_want;

/* A step of an ask that goes by a rule. */
plan_want skedi_plan_want(const round_part *part, uint32_t ask,
                          uint32_t account, uint32_t rule);

/* One task of an exact gang, where the step is all that a node takes. */
void skedi_plan_one(const round_part *part, plan_want *want);

/* The step of a placement. Of a gang over nodes only the first asks for its
 * user. */
plan_want skedi_placed_want(const round_part *part,
                            const round_placement *placement);

/* How many of a class may make way for a step. A share is an amount and lies
 * between tasks, so a claim beyond the guarantee takes only tasks that begin
 * above it: else a task would end that the order starts again. */
int64_t skedi_spare_for(const round_part *part, const plan_want *want,
                        uint32_t class);

/* What is in the way of a step. */
enum {
    BLOCK_NONE,
    BLOCK_ROW, /* a bound of a queue on its path */
    BLOCK_USER,
    BLOCK_MASTERS,
    BLOCK_NODE,
    BLOCK_TREE /* a limit of another tree; what is lacking is not said, so that
                  no victim helps */
};

typedef struct plan_block {
    int what;
    uint32_t row;
    int64_t lack[SKED_MAX_KINDS]; /* how much of each kind */
} plan_block;

/* The first thing that is in the way of a step: a limit of another tree, bounds
 * of queues from the lowest up, of its user, of masters, and the node
 * (SKEDI_NONE: none is asked). */
plan_block skedi_plan_block(round_part *part, const plan_want *want,
                            uint32_t node);

/* Plans a step on a node at least cost, as costs are compared in the round. A
 * plan that costs less than `below` goes to `best`. Returns its cost; -1: there
 * is no plan; -2: it costs `below` or more; -3: no memory, or the host stopped
 * it. */
int64_t skedi_plan_on(round_part *part, const plan_want *want, uint32_t node,
                      int64_t below);

/* Goes by the plan in `best`. 0: no memory. */
int skedi_plan_take(round_part *part, const plan_want *want, uint32_t node);

/* All plans of a round together may free more than its steps need: victims that
 * no step needs stay. */
void skedi_plan_together(const round_state *s);

/* The victims in `best` are gone. */
void skedi_plan_gone(round_part *part, uint32_t node);

/* So many steps more (negative: fewer) are planned there; or somewhere, where
 * only queues, users, masters and limits of other trees count. */
void skedi_plan_move(round_part *part, const plan_want *want, uint32_t node,
                     int64_t by);
void skedi_plan_book(round_part *part, const plan_want *want, int64_t by);

/* The victims of a placement stay after all; its step stays planned. */
void skedi_plan_undo(round_part *part, const round_placement *placed);

/* Counts a step that is planned as one that starts by its turn. */
void skedi_plan_turned(round_part *part, const plan_want *want);

/* Plans a step that starts by its turn, as things are. */
void skedi_plan_turn(round_part *part, const plan_want *want, uint32_t node);

/* With the picks gone and the step started, is the tuple of protected tasks of
 * the step's owner no smaller than it was (docs/preemption.md)? */
int skedi_protects(round_part *part, const plan_want *want,
                   const round_list *picks);

/* ---- All of it ---- */

/* Finds places for all that asks in a partition. SKED_OK or _NOMEM. */
sked_status skedi_round_asks(round_part *part);

/* Notices, kills, reservations, of all partitions: decides. */
sked_status skedi_round_act(round_state *s, sked_error *err);

/* Holds a round; does nothing without preemption. */
sked_status skedi_round_hold(sked_engine *e, sked_error *err);

/* The rows of queues are others: what rounds remember by row is dropped. */
void skedi_round_forget(sked_engine *e);

/* Can a round decide anything that the last one did not? */
int skedi_round_is_due(const sked_engine *e);

/* How many marks the rounds keep (sked_round_marks()); 0 without preemption. */
size_t skedi_round_marks(const sked_engine *e);

/* So many tasks under notice of a group have ended, the first told first. */
void skedi_round_unmark(sked_engine *e, uint32_t group, uint32_t count);

/* Are notices out, or are there reservations? */
int skedi_round_is_out(const sked_engine *e);

void skedi_preempt_free(sked_engine *e);

/* Turns preemption on, in place of what was on before, or off (NULL). */
sked_status skedi_preempt_set(sked_engine *engine,
                              const sked_engine_preempt_options *opts,
                              sked_error *err);

/*
 * What owners of tasks (queues, or their users) may claim, keep and have to
 * spare in a round.
 */

/* Which queues are due, which give, and how much each may claim and keeps. */
sked_status skedi_round_owners(round_part *part, sked_error *err);

/* A kind in which so much of a leaf (0: that kind is not needed) would be more
 * than it may claim once it is due, by the shares as last made; and how far it
 * may. -1: some policy lets it claim all of that. */
int32_t skedi_claim_lacks(const sked_engine *e, uint32_t row,
                          uint32_t partition, const int64_t *need,
                          int64_t *claim);

/* How much users of leaves claim and keep, where they are owners. 0: no
 * memory. */
int skedi_round_users(round_part *part);

/* Which classes have surplus. 0: no memory. */
int skedi_round_spare(round_part *part);

/* A class's unit is a gang. */
int skedi_victim_class_is_gang(const sked_engine *e, const victim_class *class);

/* What leaves have started by their turn since the last round, and which kill
 * orders wait for it. */

/* How far kill orders for steps of a leaf wait for a round (started.c). */
enum round_wait {
    ROUND_WAIT_NOT,
    ROUND_WAIT_PART, /* of as many steps as it has started by their turn */
    ROUND_WAIT_WHOLE /* of all its steps, if it has started so much, or none */
};

/* Tasks of an ask have started on a node by their turn. */
void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count);

/* Memory to count by, before a round. 0: there is none. */
int skedi_started_ready(sked_engine *e);

/* A hash of what is counted, by queue and partition. */
uint64_t skedi_started_digest(const sked_engine *e);

/* The round is over: counts anew. */
void skedi_started_restart(sked_engine *e);

/* How far may the kill orders of a step wait? It is not planned yet. */
enum round_wait skedi_started_waits(const round_part *part,
                                    const plan_want *want);

/* Steps that have become due since the last round wait for one more, as far as
 * their leaves have started by their turn since. 0: no memory. */
int skedi_started_hold(sked_engine *e);

/* On which node a step of a round finds a place, with the fewest victims. */

/* A search, which steps that are alike go on with. */
typedef struct plan_search {
    round_part *part;
    plan_want want; /* of the steps that are alike */
    uint32_t *next_class;
    uint32_t *seen; /* by node: the search that saw it last */
    uint32_t turn;  /* number of this search */
    uint32_t fixed; /* so many of part->fixed were tried without victims */
    uint32_t block; /* likewise: nodes before this block (vacant.h) */
    int live;       /* 1: it goes on for a step like the last one */
    uint32_t freed; /* of the part, when it began */
    size_t from;    /* of a gang over nodes: its first placement */
    uint64_t same;  /* likewise: the attribute that its nodes share; 0: none */
    int64_t value;  /* of this attribute, on all of them */
    int64_t cost;   /* likewise: of all its victims */
    int beside;     /* likewise: 1: only nodes that have some of it are looked
                       at */
} plan_search;

/* Finds a place for a step. `*node` is SKEDI_NONE where there is none; with
 * victims their plan stands in `best`, and `*costs` is 1. `want->inner` is
 * filled in. 0: no memory. */
int skedi_search(plan_search *search, plan_want *want, uint32_t *node,
                 int *costs);

/* Lists the nodes to look at first: those with tasks that are marked or end, or
 * with reservations. 0: no memory. */
int skedi_search_fixed(round_part *part);

/* ---- Gangs over nodes that claim ---- */

#endif
