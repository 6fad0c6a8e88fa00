#ifndef SKEDI_ENGINE_STATE_H
#define SKEDI_ENGINE_STATE_H

#include <sched/admit.h>
#include <sched/engine.h>
#include <sched/engine_limits.h>
#include <sched/event.h>

#include "base/assert.h"
#include "base/arith.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/hooks.h"
#include "base/random.h"
#include "engine/store.h"
#include "engine/tourney.h"
#include "order/key.h"
#include "share/joint.h"
#include "tree/image.h"

/* What few queues bound: tasks that start in a second, and jobs by class. */

/* What a queue counts of the tasks that start, by its rate. */
typedef struct engine_rate {
    int64_t most;  /* in a second, or SKED_UNLIMITED */
    int64_t count; /* since `begin`, which says nothing where there are none */
    sked_time begin; /* of the second */
} engine_rate;

/* Admission of a leaf by classes: bounds, and what its admitted jobs have. */
enum {
    GATE_ENTITLEMENT,
    GATE_SLACK,
    GATE_RESERVATION,
    GATE_CONTROLLERS,
    GATE_BOUNDS
};

typedef struct engine_gate {
    int64_t bound[GATE_BOUNDS * SKED_MAX_KINDS];
    sked_wide sum[SKED_ADMIT_HELD_SUMS * SKED_MAX_KINDS]; /* enum
                                                             sked_admit_held */
    uint32_t preempts; /* 1: the reservation bounds */
    uint32_t stale;    /* 1: its lines are to be looked at again */
    uint32_t next;     /* row of the next such one */
    uint32_t shown;    /* first of its jobs that asked for something */
} engine_gate;

/* The trees of limits beside an engine's own, and which jobs are charged there.
 */

/* A tree of limits: its queues by row. */
typedef struct engine_limits {
    sked_tree *tree; /* our copy; NULL: there is none */
    uint32_t n;      /* rows */
    uint32_t unused;
    int64_t *limit;       /* row x kinds */
    int64_t *used;        /* row x kinds */
    int64_t *reserved;    /* row x kinds */
    int64_t *max_running; /* or SKED_UNLIMITED */
    int64_t *running;     /* jobs */
    uint32_t *parent;     /* SKEDI_NONE: the root */
    uint32_t *charge;     /* the first that names it, or SKEDI_NONE */
    uint32_t *stop;       /* the first ask that it keeps out, or SKEDI_NONE */
} engine_limits;

/* A job that is charged in some tree of limits. */
typedef struct engine_charge {
    uint32_t job;
    uint32_t row[SKED_MAX_LIMIT_TREES];  /* or SKEDI_NONE */
    uint32_t next[SKED_MAX_LIMIT_TREES]; /* of those that name the same */
    uint32_t prev[SKED_MAX_LIMIT_TREES];
    uint32_t live; /* 1; 0: a free slot */
    uint32_t unused;
} engine_charge;

/* What keeps out an ask that is shown in no line. */
typedef struct engine_stop {
    uint32_t tree;
    uint32_t row;
    uint32_t next; /* of the asks that this row keeps out */
    uint32_t prev;
} engine_stop;

typedef struct engine_trees {
    engine_limits at[SKED_MAX_LIMIT_TREES];
    engine_pool charges; /* engine_charge */
    engine_stop *stop;   /* by ask */
    size_t stop_cap;
} engine_trees;

/*
 * What an engine knows of nodes beside their amounts: what they are, which
 * rules take them, which work there has which tags, how many tasks of a gang
 * fit.
 */

/* Classes of which every ask refuses a node (engine/exclusion.h). */
typedef struct engine_refusers {
    uint64_t classes;
    uint64_t joins;  /* asks that came into line later were not asked */
    uint64_t epoch;  /* of the node, with which some refusal lapses; or 0 */
    sked_time until; /* when the first of the refusals lapses */
} engine_refusers;

/* What a node is. */
typedef struct engine_traits {
    sked_rule_attribute *at;
    uint64_t n;
} engine_traits;

/* The nodes that a rule takes; asks with the same rule share it. */
typedef struct engine_rule_set {
    uint64_t name;         /* in the map of sets */
    sked_rule_term *terms; /* values packed in the order of terms */
    int64_t *values;
    uint32_t n_terms;
    uint32_t n_values;
    uint32_t uses;   /* shapes, soft rules and the rules beside these */
    uint32_t counts; /* 1: it says something of work */
} engine_rule_set;

/* A soft rule of an ask. */
typedef struct engine_preference {
    sked_time until; /* or SKED_UNSET */
    uint32_t set;
    uint32_t weight;
    uint32_t nodes; /* that meet it with all that is in force before it */
    uint32_t holds; /* 1: it is in force */
} engine_preference;

/* The soft rules of one ask. */
typedef struct engine_preferred {
    uint64_t name; /* its number and 1 */
    uint32_t n;
    uint32_t own; /* the set of its rule, or SKEDI_NONE */
    engine_preference at[SKED_MAX_ASK_PREFERENCES]; /* the heaviest first */
    uint32_t stale; /* 1: it may be to go by another set */
    uint32_t unused;
} engine_preferred;

/* Nothing is kept here before the first soft rule. */
typedef struct engine_preferences {
    engine_pool lists; /* engine_preferred */
    skedi_keymap of;
    skedi_heap due; /* lists, by the moment at which something is dropped */
    uint32_t stale; /* lists */
} engine_preferences;

/* Tasks of gangs over nodes that are alike: nodes take as many of each. */
typedef struct engine_fit {
    uint64_t name; /* in the map of fits */
    uint32_t uses; /* shapes */
    uint32_t set;
    uint32_t per_node; /* at most so many on one node */
    uint32_t unused;
    uint64_t same; /* attribute of which its nodes share a value, or 0 */
} engine_fit;

/* Nothing is kept here before the first gang over nodes. */
typedef struct engine_fits {
    engine_pool pool;    /* engine_fit */
    engine_amounts task; /* what a task takes */
    skedi_keymap of;     /* by hash, as shapes */
    uint32_t *on;        /* node x width: so many tasks fit there */
    size_t cap;          /* nodes that there is memory for */
    size_t width;
    uint32_t moved; /* the first node to be counted on anew, or SKEDI_NONE */
} engine_fits;

/* What nodes are, and what rules take them. Nothing is kept here before the
 * first event that speaks of either. */
typedef struct engine_rules {
    engine_pool sets;      /* engine_rule_set */
    skedi_keymap set_of;   /* by hash, as shapes */
    engine_traits *traits; /* by node */
    uint64_t *takes;       /* node x words: a bit for each set */
    size_t cap;            /* nodes that there is memory for */
    uint32_t words;
    uint32_t counting; /* sets that say something of work */
    int used;          /* 1: something was said */
} engine_rules;

/* A tag that asks have. */
typedef struct engine_tag {
    uint64_t key;
    uint32_t uses; /* asks */
    uint32_t unused;
} engine_tag;

/* The tags of one ask. */
typedef struct engine_tag_list {
    uint64_t name; /* its number and 1 */
    uint32_t *tag; /* in the order of keys */
    uint32_t n;
    uint32_t unused;
} engine_tag_list;

/* Tasks with one tag somewhere, or more than none. */
typedef struct engine_tally {
    uint64_t name; /* tag and where */
    int64_t count;
    uint64_t unused;
} engine_tally;

typedef struct engine_tags {
    engine_pool known;   /* engine_tag */
    engine_pool lists;   /* engine_tag_list */
    engine_pool tallies; /* engine_tally */
    skedi_keymap tag_of;
    skedi_keymap list_of;
    skedi_keymap tally_of;
} engine_tags;

/* An attribute by which some rule counts tasks, or of which the nodes of a gang
 * share a value. */
typedef struct engine_domain_key {
    uint64_t key;
    uint32_t *at; /* its domains, by partition, then by value */
    size_t cap;
    uint32_t n;
    uint32_t uses; /* terms of sets, and fits */
    uint32_t unused[2];
} engine_domain_key;

/* Nodes of a partition that share a value of such an attribute. */
typedef struct engine_domain {
    int64_t value;
    uint32_t partition;
    uint32_t nodes; /* 0: a free slot */
    uint64_t tasks; /* scratch: of a gang, that its nodes take */
    uint64_t holds; /* scratch: that they hold when they are empty */
} engine_domain;

typedef struct engine_domains {
    engine_pool keys; /* engine_domain_key */
    engine_pool all;  /* engine_domain */
    skedi_keymap key_of;
} engine_domains;

/* Nodes in the orders in which placing takes them (engine/nodes.h). */

/* A node in a ranking. */
typedef struct engine_rank {
    int64_t value; /* less comes first, then who was added first */
    uint64_t arrival;
    uint32_t left;
    uint32_t right;
    uint32_t partition; /* SKEDI_NONE: it is in none */
    uint32_t unused;
} engine_rank;

/* The nodes of each partition that take work, by one value. */
typedef struct engine_ranking {
    uint32_t by;       /* enum engine_rank_by */
    uint32_t kind;     /* whose free amount that is */
    engine_rank *node; /* by node */
    int64_t *most;     /* node x kinds: that nodes of its subtree have free */
    uint32_t *root;    /* by partition */
    size_t cap;        /* nodes */
    size_t parts;
} engine_ranking;

/* Nothing is kept here before the first call of sked_engine_place(). */
typedef struct engine_rankings {
    engine_ranking *all;
    size_t n;
    size_t all_cap;
    uint32_t *moved;   /* by node: the next one that moved and 1; 0: not */
    int64_t *score;    /* by node: of the host, in this call */
    uint64_t *started; /* by node: in this call */
    size_t cap;        /* nodes */
    uint32_t first;    /* that moved, or SKEDI_NONE */
    uint32_t mode;     /* of asks without one of their own */
    int stale;         /* 1: all are to be made anew */
} engine_rankings;

/*
 * Work: jobs, what they ask for, and the groups that are placed. Things are
 * named by their numbers in the pools of state.h; lists go by numbers too.
 */

enum { JOB_FREE_SLOT, JOB_WAITING, JOB_RUNNING, JOB_ENDED };

/*
 * Proposed: the host has not said yet whether it was carried out. Held: it
 * was. Killed: held, with a kill order for its job. Revoked: proposed, with a
 * kill order for its job before it began.
 */
enum {
    GROUP_FREE_SLOT,
    GROUP_PROPOSED,
    GROUP_HELD,
    GROUP_KILLED,
    GROUP_REVOKED
};

typedef struct engine_job {
    /* What each start of a task touches stands together. */
    uint64_t key;
    int64_t running; /* tasks */
    sked_queue_id queue;
    uint32_t row;
    uint32_t charge; /* where it is charged besides, or SKEDI_NONE */
    uint32_t state;  /* JOB_* */
    uint32_t groups;
    uint32_t held; /* of them that are no proposals */
    uint32_t user;
    uint64_t arrival; /* its place in the order of submission */
    sked_time submitted;
    int64_t tasks; /* numbered so far */
    int64_t least; /* of those that run, that rounds leave */
    uint32_t first_ask;
    uint32_t place;     /* in its leaf's waiting list */
    uint32_t user_next; /* of its user's waiting jobs */
    uint32_t user_prev;
    int32_t priority;
    uint32_t flags;
    uint32_t ban; /* what the host refused it, or SKEDI_NONE */
    /* Where its leaf admits by classes: the line in which it waits; 1: it is not
     * looked at, since nothing of it is open; 1: it is in the sums. */
    uint8_t line;
    uint8_t hidden;
    uint8_t counted;
    uint8_t unused;
    uint32_t shown_next;
} engine_job;

/* Task numbers that are open, behind the first: `count` from `from` on. */
typedef struct engine_range {
    int64_t from;
    int64_t count;
    uint32_t next;
    uint32_t unused;
} engine_range;

typedef struct engine_ask {
    uint64_t arrival;
    uint32_t next; /* of the job, newest first */
    uint32_t prev;
    uint32_t partition;
    uint32_t first_entry; /* one, or one in each partition */
    /* What each start of a task touches stands together. */
    uint64_t key;
    int64_t open;
    int64_t first; /* number of the first open task; others follow it, as many
                      as are not in the ranges of its extras */
    uint32_t job;
    uint32_t shape;
    uint32_t first_group; /* the newest */
    uint32_t extra;       /* what few asks have, or SKEDI_NONE: nothing of it */
    uint32_t flags : 24;
    uint32_t live : 1;     /* 0: a free slot */
    uint32_t closed : 1;   /* nothing more of it is wanted */
    uint32_t expected : 1; /* scratch: counted among those that come back */
    uint32_t shrinks : 1;  /* scratch: counted among gangs that do */
    uint32_t reserved : 1; /* some node is reserved for it */
    int32_t priority;
} engine_ask;

/* What few asks have; the others are as if all were 0 and SKEDI_NONE. */
typedef struct engine_extra {
    int64_t paid;      /* of the open tasks: others got kill orders for them */
    int64_t behind;    /* open tasks in the ranges */
    uint32_t ranges;   /* open numbers behind the first ones, in order */
    uint32_t last;     /* of these ranges, where there are any */
    uint32_t places;   /* first of its preferred nodes, or SKEDI_NONE */
    uint32_t refusals; /* its ban, or SKEDI_NONE: nothing is refused it */
    uint32_t epoch;    /* moves when refusals of this ask lapse */
    uint32_t spare;    /* of a gang over nodes: tasks that may start later, one
                          by one; it lacks what is open beyond these */
    uint32_t each;     /* likewise: tasks that a node takes, or none; 0: up to
                          so many as one may have */
    uint32_t shape;  /* where it refuses nodes: the one by which it is classed,
                        or SKEDI_NONE: as others */
    uint32_t sooner; /* among asks in lines that are classed alike */
    uint32_t later;
    uint64_t joined; /* its place in the order of coming into line */
} engine_extra;

/* Is it a gang on one node? */
static inline int skedi_ask_is_whole(const engine_ask *ask)
{
    return (ask->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) == SKED_ASK_GANG;
}

enum { PLACE_ANY = INT32_MAX };

/* A node, or a rack, that an ask would like. */
typedef struct engine_place {
    uint64_t key;
    int32_t left;  /* tasks with data there that did not start there; negative:
                      more did. PLACE_ANY: not counted */
    uint32_t rack; /* 1: it is a rack */
    uint32_t unused;
    uint32_t next; /* of the ask */
} engine_place;

/*
 * How tasks hold the amounts of their shape: each of them does; or all of them
 * do together, once, until the last has left, since they share a node that
 * nothing else does (engine/exclusive.h); or others of the bunch do for them.
 */
enum { HOLD_EACH, HOLD_ONCE, HOLD_NOTHING };

/* Tasks of one ask on one node. */
typedef struct engine_group {
    int64_t task;            /* number of the first */
    sked_time deadline_from; /* when it was proposed */
    uint32_t count;
    uint32_t ask;
    uint32_t node;
    uint32_t next; /* on the node */
    uint32_t prev;
    uint32_t generation;
    uint32_t state;
    uint32_t later; /* among proposals, or those that were killed */
    uint32_t sooner;
    uint32_t ask_next; /* of the ask */
    uint32_t ask_prev;
    uint32_t account; /* of its user; SKEDI_NONE: its leaf counts none */
    uint32_t shape; /* what its tasks hold, and SKEDI_NONE: what the ask says */
    uint32_t hold;  /* HOLD_*: how */
} engine_group;

/* How often so many tasks, of all that a group has, hold its shape. */
static inline int64_t skedi_group_times(const engine_group *g, int64_t tasks)
{
    if (g->hold == HOLD_EACH) return tasks;
    return g->hold == HOLD_ONCE && tasks > 0 && tasks == g->count;
}

/* Tasks of a group that were released and that their node has not ended. */
typedef struct engine_remains {
    uint64_t group;   /* its name */
    uint64_t arrival; /* of its ask, which no other has */
    uint32_t node;
    uint32_t count;
    uint32_t next;      /* of the node */
    uint32_t hold : 2;  /* HOLD_*: how they hold the amounts beside them */
    uint32_t alone : 1; /* which are all that the node has */
} engine_remains;

/* The host refused this ask on this node: until a moment, or (SKED_UNSET) while
 * both are as they were. */
typedef struct engine_refusal {
    uint64_t name;       /* ask and node; 0: a free slot */
    uint64_t node_epoch; /* or, with a moment, which node it was: its arrival */
    sked_time until;
    uint32_t node;
    uint32_t ask_epoch;
    uint32_t unused;
    uint32_t next; /* of the ask */
} engine_refusal;

enum { BAN_FREE_SLOT, BAN_OF_ASK, BAN_OF_JOB, BAN_OF_NODE };

/*
 * Why an ask stands in no line though tasks of it are open: no node is large
 * enough, a limit is too low, the host refused the ask or its job everywhere.
 * Ready: nothing of that any more, but it was not put into line yet. A gang of
 * which too few tasks are left falls: the others are still to get kill orders;
 * and it ends, until all with kill orders have ended.
 */
enum {
    PARK_NODE = 1,
    PARK_LIMIT = 2,
    PARK_ASK = 4,
    PARK_JOB = 8,
    PARK_READY = 16,
    PARK_FALLS = 32,
    PARK_ENDS = 64
};

/* Refusals of an ask, a job or a node, and why an ask is parked. */
typedef struct engine_ban {
    sked_time until;    /* when what is barred lapses; SKED_UNSET: by change */
    uint64_t *excluded; /* keys of nodes, in order */
    uint64_t n_excluded;
    uint32_t what; /* BAN_* */
    uint32_t owner;
    uint32_t barred;   /* 1: of a job, a node: refused as a whole */
    uint32_t parked;   /* PARK_*, of an ask */
    uint32_t refusals; /* pairs of an ask, the first */
    uint32_t pairs;    /* how many */
    uint32_t purge_at; /* so many: those that hold no longer go */
    uint32_t listed;   /* 1: among those that wait to stand in line */
    uint64_t which; /* a sum over the nodes of its pairs and those excluded */
    uint32_t next;
    uint32_t prev;
} engine_ban;

/* On which nodes: those with this value of an attribute; `same` 0: any. */
typedef struct engine_forming_where {
    uint64_t same;
    int64_t value;
} engine_forming_where;

/* Gangs over nodes for which amounts are reserved while they form
 * (engine/reservation.h). */
typedef struct engine_forms {
    struct engine_forming *gang; /* by partition */
    size_t cap;
    struct engine_forming_part *part; /* what is reserved for these */
    size_t n, parts_cap;
    engine_forming_where where; /* of `first` */
    uint32_t first; /* of a walk: the first gang that could not start */
    int came;       /* 1: the turn of the one that forms has come */
    int all;        /* 1: it walks over a whole partition */
} engine_forms;

/*
 * The state of an engine. Nodes, jobs, asks and groups are items of pools and
 * are named by their numbers; what there is for each queue stands in columns.
 *
 *   primary   nodes, jobs, asks, groups, the tree, time, tags: what happened
 *   derived   books, keys, tournaments, classes: computed from the primary,
 *             and kept up by every event
 *
 * A cell is a queue in a partition. An entry is an open ask in a cell of its
 * leaf (an ask for any partition has one in each). An account is a user
 * in a cell, where the leaf looks at users.
 *
 * Classes. What one step of an ask takes (a task, or a whole gang) is its
 * shape. In each partition up to 48 shapes with open asks have a bit of their
 * own, their class; the others share the last 16 bits, the mixed classes, each
 * with shapes that are near it. A node's free amounts, a queue's head room and
 * an open ask thus speak of the same bits; the shapes of a mixed class are
 * looked at one by one.
 */

#define SKEDI_NO_CLASS 255

/* Each class up to here has one shape; those from here on, and their bits, have
 * any number of shapes that are near each other. */
#define SKEDI_MIXED_CLASS 48
#define SKEDI_MIXED_CLASSES (UINT64_MAX << SKEDI_MIXED_CLASS)

/* Barred: refused by the host, for everything. */
enum { NODE_FREE_SLOT, NODE_OPEN, NODE_DRAINING, NODE_BARRED };

typedef struct engine_node {
    uint64_t key;
    uint64_t rack;
    uint64_t seen;  /* its partition's changes when a pass found nothing */
    uint64_t epoch; /* moves when refusals of this node lapse */
    /* That pass stays true until then, as far as waits for places go. */
    sked_time wake_time;
    uint32_t partition;
    uint32_t first_group;
    uint32_t state;
    uint32_t next; /* in the order of adding */
    uint32_t prev;
    uint32_t first_reservation; /* oldest of the reservations on it */
    uint32_t first_remains;     /* of released tasks, the newest */
    uint64_t arrival;           /* its place in the order of adding */
    uint32_t ban;               /* what the host refused it, or SKEDI_NONE */
    uint32_t moved; /* of the nodes on which fits are to be counted anew: the
                       next and 1, of the last one itself; 0: it is none */
    engine_refusers refusers;
} engine_node;

/* That a line may have, which its 30 bits hold. */
#define ENGINE_MOST_PLACES UINT32_C(0x3fffffff)

typedef struct engine_entry {
    uint64_t key; /* by the leaf's order; then submission decides */
    uint32_t ask;
    uint32_t cell;
    uint32_t place : 30;  /* in the cell's line */
    uint32_t live : 1;    /* 0: a free slot */
    uint32_t stopped : 1; /* a tree of limits keeps the ask out */
    uint32_t account;     /* or SKEDI_NONE */
    uint32_t account_next;
    uint32_t account_prev;
} engine_entry;

/* A user in a cell. */
typedef struct engine_account {
    uint64_t key;
    uint64_t name; /* in the map of accounts */
    uint32_t cell;
    uint32_t user;
    uint32_t weight;
    uint32_t entries; /* how many */
    uint32_t first;   /* of them */
    uint32_t blocked; /* at the user limit */
    uint32_t next;    /* of the cell's blocked */
    uint32_t groups;
    uint32_t user_next; /* of the user's */
    uint32_t user_prev;
} engine_account;

typedef struct engine_user {
    uint64_t key;
    uint64_t running;       /* jobs */
    char *name;             /* in the tree's weights, or NULL */
    uint32_t first_waiting; /* of its jobs, the newest */
    uint32_t first_account;
} engine_user;

/* A queue in a partition. */
typedef struct engine_cell {
    /* What each start on its path reads comes first. */
    uint64_t full;       /* classes that its head room does not hold */
    uint64_t open;       /* entries below */
    skedi_tourney turn;  /* its children by offset, or its line by place */
    uint8_t turned;      /* 1: one of a mixed class found no head room */
    uint8_t bounded;     /* 1: some kind has a limit here, or a ceiling */
    uint8_t under_bound; /* 1: it or a cell above it has a bound */
    uint8_t lead;        /* the kind it uses most of, where users count */
    uint8_t steady;      /* 1: a leaf's line, whose places stand in order */
    uint8_t promised;    /* 1: something is guaranteed to it in some kind */
    uint8_t stale;       /* 1: its partition lists it, since its wants moved */
    uint8_t unused[1];
    uint32_t *entry;  /* a leaf's, by place */
    uint32_t entries; /* places there are */
    uint32_t entry_cap;
    uint32_t free_place;     /* first place to use again, or SKEDI_NONE */
    uint32_t blocked;        /* first account at its limit */
    uint64_t account_weight; /* of users with entries */
    uint32_t expected;       /* scratch: entries that may come back at once */
    uint32_t there;          /* entries in a steady line */
    uint32_t first;          /* the first place taken in a steady line */
    uint32_t first_want;     /* of a leaf's records of what it wants */
    uint32_t contended;      /* of a parent: kinds its children want more of */
    uint32_t named;          /* kinds in which something is guaranteed to it */
    uint32_t ever;           /* contended and always: joint.h */
    uint32_t always;
    uint32_t next_stale; /* cell, and 1; 0: none */
} engine_cell;

/* What a cell is when something is guaranteed to it or to its children. */
typedef struct engine_standing {
    sked_order_key owed; /* its key among those below their guarantee */
    skedi_tourney below; /* of these among its children */
} engine_standing;

/* The shapes of a mixed class that have entries, as far as there was a place to
 * list them. */
#define SKEDI_LISTED_SHAPES 16
typedef struct engine_mixture {
    uint32_t shapes; /* all of them */
    uint32_t listed;
    uint32_t shape[SKEDI_LISTED_SHAPES];
} engine_mixture;

typedef struct engine_partition {
    uint64_t changes; /* moves when something may have become possible */
    uint64_t dirty;   /* 1: capacity changed, keys must be made anew */
    uint64_t struck;  /* classes that some queue's `full` may still name */
    uint32_t nodes;
    uint32_t moved;       /* 1: what leaves want is not what it was */
    uint32_t fresh;       /* 1: shares were made for this capacity */
    uint32_t filled;      /* 1: some kind was contended when they were made */
    uint32_t first_stale; /* a leaf whose wants moved: cell, and 1; 0: none */
    uint32_t unused;
    uint64_t classes;         /* bits in use */
    uint64_t apart;           /* of them, with asks that refuse nodes */
    uint32_t shape[64];       /* of each class of one shape */
    uint32_t class_count[64]; /* entries of each class */
    uint8_t *class_of;        /* by shape */
    uint32_t *shape_count;    /* entries, by shape */
    size_t class_cap;         /* of both */
    uint64_t *fit_sum;        /* by fit: tasks that its nodes take */
    uint64_t *fit_wanted;     /* the least of them that would do for some gang
                                 that was turned away, or UINT64_MAX */
    size_t fit_cap;           /* of both */
    engine_mixture mixed[64 - SKEDI_MIXED_CLASS];
} engine_partition;

typedef struct engine_shape {
    uint64_t name;   /* in the map of shapes */
    uint32_t uses;   /* asks */
    uint32_t set;    /* the nodes that these take, or SKEDI_NONE: all */
    uint32_t fit;    /* of a gang over nodes, else SKEDI_NONE */
    uint32_t times;  /* then: its tasks */
    uint32_t plain;  /* of asks that refuse nodes: the shape they ask for */
    uint32_t bucket; /* then: from 1, by which nodes these are; else 0 */
    uint32_t first;  /* then: of these asks in lines, the one that came last */
} engine_shape;

/* Queues by row. */
typedef struct engine_rows {
    uint32_t n;
    sked_queue_id *id;
    int32_t *parent;
    uint32_t *first_child;
    uint8_t *order;
    uint8_t *fair_kind;
    uint8_t *apps;
    uint8_t *closed;    /* it or an ancestor is draining */
    uint32_t *promised; /* kinds of which a guarantee is said, before guarantees
                           are cut; of the partition resolved last */
    uint8_t *by_user;   /* the leaf looks at users */
    uint8_t *tight;     /* 1: some cell of it has full classes or turned away */
    uint8_t *wide;      /* 1: a ceiling bounds it over all partitions */
    uint32_t *weight;   /* that counts */
    uint32_t *said;     /* by the host, in place of the tree's; 0: nothing */
    uint64_t *inverse;  /* of the weight, to divide by it */
    int32_t *priority;
    uint8_t *tier;
    uint8_t *promising;  /* 1: something is guaranteed to one of its children */
    int64_t *user_limit; /* ppm */
    int64_t *user_factor; /* ppm, or SKED_UNLIMITED */
    int64_t *am_share;    /* ppm, or SKED_UNLIMITED */
    int64_t *max_running; /* or SKED_UNLIMITED */
    uint64_t *weights;    /* sum over the children */
    int64_t *ceiling;     /* row x kinds: absolute, all partitions together */
    int64_t *used;        /* row x kinds, of wide rows only */
    int64_t *reserved;    /* likewise: what is reserved for asks */
    int64_t *running;     /* applications */
    engine_rate *rate;    /* where `rated` */
    engine_gate **gate;   /* of a leaf, or NULL */
    skedi_tourney *wait;  /* which job below is to be admitted next */
    uint32_t **waiter;    /* a leaf's waiting jobs, by place */
    uint32_t *waiters;
    size_t *waiter_cap;
    uint32_t *best; /* job to be admitted next below, or SKEDI_NONE */
} engine_rows;

struct sked_engine {
    skedi_hooks hooks;
    sked_engine_options opts;
    sked_tree *tree; /* our copy */
    uint32_t kinds;
    uint32_t parts; /* partitions that there is memory for */

    engine_rows rows;
    engine_cell *cells;         /* row x parts */
    sked_order_key *cell_order; /* of each: its key among its siblings */
    int64_t *cell_used;         /* cell x kinds */
    int64_t *cell_limit;        /* cell x kinds, parts resolved */
    int64_t *cell_promised;     /* cell x kinds: guarantees, parts resolved */
    int shared;                 /* 1: shares are made, and these are there */
    int placed;                 /* 1: places go by them */
    int lends;                  /* 1: something is kept free for some queue */
    int keeps;                  /* 1: some queue says how much it lends */
    int mastered;               /* 1: what masters hold is bounded somewhere */
    uint32_t gates;             /* leaves that admit by classes */
    uint32_t first_gate; /* row of the first that is stale, or SKEDI_NONE */
    int rated;           /* 1: some queue has a start rate */
    sked_time rate_due;  /* when the first queue that is struck for its rate
                               is to be looked at again; INT64_MAX: none is */
    int64_t *cell_force; /* cell x kinds, all six: shares.h */
    int64_t *cell_kept;
    int64_t *cell_booked;
    int64_t *cell_share;
    int64_t *cell_part;
    int64_t *cell_claim;
    int64_t *cell_most; /* what it could use; of a parent before its own cap */
    int64_t *cell_peak; /* joint.h */
    engine_standing *cell_standing; /* by cell, where `shared` */
    int64_t *cell_reserved; /* cell x kinds, where `keeps`: what is reserved */
    int64_t *cell_masters;  /* cell x kinds, both where `mastered`: what masters
                              hold, and what they may hold a part of */
    int64_t *cell_base;
    skedi_joint joint; /* shares while they are made */
    engine_partition *partition;
    int64_t *capacity;      /* parts x kinds: of nodes that are there; of kinds
                               that lie on no node, as the host says */
    int64_t *least;         /* parts x 64 x kinds: of steps of each class */
    skedi_drf_scale *scale; /* the same, made ready to be divided by */

    engine_pool nodes; /* engine_node */
    engine_amounts node_capacity;
    engine_amounts node_free;
    uint32_t first_node, last_node;

    engine_pool jobs; /* engine_job */
    engine_amounts job_used;
    engine_amounts job_open; /* what its open asks want */

    engine_pool asks;   /* engine_ask */
    engine_pool extras; /* engine_extra */
    sked_time *waiting; /* by ask, with `delays`: when its wait began */
    size_t waiting_cap;
    engine_pool groups;   /* engine_group */
    engine_pool entries;  /* engine_entry */
    uint32_t *entry_next; /* of the ask, and 1; NULL: each has one at most */
    size_t entry_next_cap;
    int wide;                 /* 1: some ask was for any partition */
    engine_pool ranges;       /* engine_range */
    engine_pool places;       /* engine_place */
    engine_pool refusals;     /* engine_refusal */
    engine_pool bans;         /* engine_ban */
    engine_pool users;        /* engine_user */
    engine_pool accounts;     /* engine_account */
    engine_pool reservations; /* engine_reservation */
    engine_pool notices;      /* engine_notice */
    engine_amounts account_used;
    engine_amounts
        account_paid;    /* what is kept for users by what others lost */
    engine_pool remains; /* engine_remains */
    engine_amounts remains_task;      /* what one of their tasks holds */
    int64_t released[SKED_MAX_KINDS]; /* what all of them hold on nodes */
    engine_pool wants;                /* engine_want */
    engine_pool shapes;               /* engine_shape */
    engine_amounts shape_step;        /* what one step of an ask takes */
    engine_amounts shape_task;        /* what one task takes */
    engine_rules rules;
    engine_preferences soft;
    engine_tags tags;
    engine_domains domains;
    engine_fits fits;
    engine_rankings ranks;
    engine_trees trees;

    skedi_keymap node_of;
    skedi_keymap job_of;
    skedi_keymap ask_of;
    skedi_keymap user_of;
    skedi_keymap account_of;
    skedi_keymap want_of;
    skedi_keymap notice_of;  /* by the group's name */
    skedi_keymap remains_of; /* likewise */
    skedi_keymap refusal_of;
    skedi_keymap
        shape_of; /* by hash; equal hashes are told apart by asking on */

    sked_decision *out; /* a ring */
    uint64_t out_from;  /* sequence of the oldest kept, from 1 */
    uint64_t out_next;  /* sequence of the next */
    size_t out_cap;
    int out_open; /* the last may still grow */
    skedi_hash digest;

    uint32_t first_proposed, last_proposed;
    skedi_heap lapses;     /* bans that end by themselves, by that moment */
    skedi_heap wakes;      /* nodes that a pass left, by `wake_time` */
    uint32_t first_parked; /* bans of asks that wait to stand in line */
    uint32_t ready;        /* of them those that may by now */
    uint32_t first_killed; /* groups that end with their jobs, but proposals */
    uint32_t revoked;      /* proposals that do */
    uint32_t first_reservation, last_reservation;
    engine_forms forms;
    struct engine_preempt *preempt;   /* NULL: it does not */
    const struct engine_watch *watch; /* its observers, likewise */
    uint32_t generations;             /* groups ever made */
    int delays;                       /* 1: places are waited for */
    int leasts;                       /* 1: a least was said of some job */
    int booking;       /* 1: the grid is being filled: tags stay */
    int keeping;       /* 1: what leaves its lines comes back: likewise */
    sked_status cut;   /* why what follows from a row was cut short */
    int busy;          /* 1: a call runs */
    uint64_t logged;   /* sequence of the next decision to be logged */
    uint64_t pace;     /* things that the event looked at and changed */
    uint64_t steps;    /* places of lines ever moved or counted */
    uint64_t epochs;   /* of nodes, ever given out; moves with pools and weights
                          of queues too, so that a round looks again */
    uint64_t joins;    /* of asks that refuse nodes, into lines */
    uint64_t comings;  /* of nodes */
    uint64_t recounts; /* changes of capacity */
    sked_time now;
    uint64_t arrivals;
    int64_t most_asked;  /* of any kind, by any task ever: engine/nodes.h */
    uint32_t *set_aside; /* entries out of their tournament for this pass */
    size_t n_aside, aside_cap;
    int aside_alone; /* 1: some are gangs that want nodes to themselves; 2: and
                        something has started on an empty node since */
    int64_t *resolved;    /* scratch: one number a row */
    uint32_t resume_node; /* where the last pass over all nodes stopped */
    sked_engine_stats stats;
};

/* What every node has of a kind that lies on none: no bound. */
#define SKEDI_NODE_HAS_ALL SKED_AMOUNT_MAX

/* Does it lie on no node? */
static inline int kind_is_pooled(const sked_engine *e, uint32_t kind)
{
    return e->opts.pooled >> kind & 1;
}

static inline int64_t *engine_row_of(const sked_engine *e,
                                     const engine_amounts *amounts, size_t row)
{
    SKEDI_ASSERT(row < amounts->cap);
    return amounts->at + row * e->kinds;
}

static inline engine_shape *shape_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->shapes.n);
    return (engine_shape *)e->shapes.item + i;
}

static inline engine_fit *fit_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->fits.pool.n);
    return (engine_fit *)e->fits.pool.item + i;
}

static inline engine_rule_set *set_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->rules.sets.n);
    return (engine_rule_set *)e->rules.sets.item + i;
}

static inline engine_preferred *preferred_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->soft.lists.n);
    return (engine_preferred *)e->soft.lists.item + i;
}

static inline engine_node *node_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->nodes.n);
    return (engine_node *)e->nodes.item + i;
}

static inline engine_job *job_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->jobs.n);
    return (engine_job *)e->jobs.item + i;
}

static inline engine_ask *ask_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->asks.n);
    return (engine_ask *)e->asks.item + i;
}

static inline engine_extra *extra_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->extras.n);
    return (engine_extra *)e->extras.item + i;
}

/* The extras of an ask; of one without any, extras that say nothing. */
static inline const engine_extra *extra_of(const sked_engine *e,
                                           const engine_ask *ask)
{
    static const engine_extra none = {.ranges = SKEDI_NONE,
                                      .places = SKEDI_NONE,
                                      .refusals = SKEDI_NONE,
                                      .shape = SKEDI_NONE};

    return ask->extra == SKEDI_NONE ? &none : extra_at(e, ask->extra);
}

static inline engine_group *group_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->groups.n);
    return (engine_group *)e->groups.item + i;
}

static inline engine_remains *remains_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->remains.n);
    return (engine_remains *)e->remains.item + i;
}

static inline engine_place *place_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->places.n);
    return (engine_place *)e->places.item + i;
}

static inline engine_entry *entry_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->entries.n);
    return (engine_entry *)e->entries.item + i;
}

/* The next entry of the same ask, or SKEDI_NONE. */
static inline uint32_t entry_next(const sked_engine *e, uint32_t entry)
{
    return e->entry_next ? e->entry_next[entry] - 1 : SKEDI_NONE;
}

static inline engine_account *account_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->accounts.n);
    return (engine_account *)e->accounts.item + i;
}

static inline engine_charge *charge_at(const sked_engine *e, uint32_t i)
{
    SKEDI_ASSERT(i < e->trees.charges.n);
    return (engine_charge *)e->trees.charges.item + i;
}

static inline size_t cell_of(const sked_engine *e, uint32_t row,
                             uint32_t partition)
{
    SKEDI_ASSERT(row < e->rows.n && partition < e->parts);
    return (size_t)row * e->parts + partition;
}

/* Is it a leaf? */
static inline int row_is_leaf(const sked_engine *e, uint32_t row)
{
    return e->rows.first_child[row] == e->rows.first_child[row + 1];
}

static inline int64_t *cell_row(const sked_engine *e, int64_t *column,
                                size_t cell)
{
    return column + cell * e->kinds;
}

#endif
