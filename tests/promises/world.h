#ifndef PROMISES_WORLD_H
#define PROMISES_WORLD_H

/*
 * A world: a small cluster, its queues, the work that wants to run there, and
 * how preemption is set, all as plain data, so that a world can be drawn, run,
 * told in words and made smaller.
 *
 * What comes early fills the cluster; then comes the turn: late work arrives,
 * some attributes are edited and committed, some nodes drain or are lost. From
 * then on demand is constant, unless the mode says otherwise.
 */
#include <sched/engine_limits.h>
#include <sched/engine_preempt.h>
#include <sched/tree.h>

#include <stdio.h>

enum {
    WORLD_KINDS = 4,
    WORLD_ROWS = 14,
    WORLD_NODES = 5,
    WORLD_PARTS = 2,
    WORLD_JOBS = 10,
    WORLD_ASKS = 14,
    WORLD_USERS = 3,
    WORLD_EDITS = 3,
    WORLD_SAYS = 3,
    WORLD_POLICIES = 3,
    WORLD_ZONES = 3,
    WORLD_TREES = 2,    /* of limits */
    WORLD_BOUNDS = 4,   /* queues of one of these */
    WORLD_SOFT = 2,     /* soft rules of an ask */
    WORLD_NUMBERS = 19, /* integer attributes, by their code */
    WORLD_VECTORS = 4   /* attributes with amounts, from SKED_QUEUE_GUARANTEE */
};

enum { WORLD_STEP = 1000 }; /* time from round to round */

/* The order by shares, where the library has it already. */
enum { WORLD_ORDER_SHARE = 6 };

enum {
    WORLD_STAYS = 0,  /* tasks never end */
    WORLD_ENDS = 1,   /* tasks end by chance and are wanted again */
    WORLD_CHANGES = 2 /* everything may change at any time */
};

/* At the turn. */
enum { NODE_STAYS = 0, NODE_DRAINS = 1, NODE_IS_LOST = 2, NODE_MOVES = 3 };

typedef struct world_queue {
    int32_t parent; /* a row before this one; -1: the root */
    uint8_t has[WORLD_VECTORS];
    int64_t number[WORLD_NUMBERS]; /* SKED_UNSET: not set */
    int64_t amount[WORLD_VECTORS][WORLD_KINDS];
    int64_t user_weight[WORLD_USERS]; /* SKED_UNSET: not set */
} world_queue;

typedef struct world_node {
    uint32_t partition;
    uint32_t to;   /* the partition that it moves to */
    uint32_t zone; /* what rules ask for */
    uint64_t rack; /* 0: none */
    int64_t capacity[WORLD_KINDS];
    int32_t then; /* NODE_* */
} world_node;

typedef struct world_job {
    int32_t queue;
    uint32_t user;
    int32_t priority;
    uint32_t flags;
    uint8_t late;
    uint32_t charged[WORLD_TREES]; /* in which row of a tree of limits, from 1;
                                      0: in none */
} world_job;

/* A queue of a tree of limits. */
typedef struct world_bound {
    int32_t parent;  /* a row before this one; -1: the root */
    uint8_t limited; /* it has limits */
    int64_t limit[WORLD_KINDS];
    int64_t max_running; /* SKED_UNSET: not set */
} world_bound;

/* A rule that takes nodes of some zones, a bit each, where there are any. */
typedef struct world_soft {
    uint32_t zones; /* 0: no rule */
    int64_t weight;
    int64_t until; /* the round by which it is dropped; 0: it stays */
} world_soft;

typedef struct world_ask {
    int32_t job;
    int64_t count; /* 0: left out */
    int64_t amount[WORLD_KINDS];
    uint32_t partition;
    int32_t priority;
    uint32_t flags;
    uint32_t places;   /* nodes, a bit each; 0: anywhere */
    uint32_t racks;    /* a bit each, from rack 1; 0: none said */
    uint32_t zones;    /* that its rule takes, a bit each; 0: no rule */
    uint32_t per_node; /* of a gang over nodes; 0: any number */
    uint32_t at_once;  /* of these start together; 0: all */
    uint8_t same;      /* of a gang over nodes: these share a zone */
    world_soft soft[WORLD_SOFT];
    uint8_t tagged; /* its tasks have the tag that is counted */
    uint8_t apart;  /* it takes nodes that run fewer of these; 0: any */
    uint8_t anew;   /* at the turn it is said anew what it would like: */
    uint8_t then_strict;
    uint32_t then_places, then_racks;
    /* What hosts say of its tasks, once they run. */
    uint32_t adopt_on; /* a node from 1, where so many run already; 0: none */
    int64_t adopt;
    int32_t resize; /* RESIZE_*: each of them holds other amounts */
    int64_t actual[WORLD_KINDS];
    int64_t cost;   /* of one when it is preempted; -1: nothing is said */
    int64_t ends;   /* steps from then until they end; 0: it is not known */
    uint8_t late;   /* then they do so two steps later */
    int64_t leaves; /* steps from their release to their end; 0: none is */
} world_ask;

/* When it is said that tasks hold other amounts. */
enum { RESIZE_NEVER = 0, RESIZE_RUNNING = 1, RESIZE_CONFIRMED = 2 };

typedef struct world_edit {
    int32_t queue;
    int32_t attribute; /* an integer one */
    int64_t value;
} world_edit;

/* The host says with which weight a queue counts. */
typedef struct world_say {
    int32_t queue;
    uint32_t round; /* 0: at the turn */
    int64_t weight; /* 0: the tree's */
} world_say;

typedef struct world {
    uint64_t seed; /* of what happens by chance while it runs */
    int32_t mode;  /* WORLD_* */
    uint32_t kinds, rows, nodes, parts, jobs, asks, edits, says;
    int32_t plenty;   /* the kind that is plentiful, or -1 */
    uint32_t backlog; /* 0: far below capacity ... 4: 1,000 times it */
    uint32_t ends;    /* ppm of tasks that end from round to round */
    uint8_t beats;    /* nodes send heartbeats, instead of one pass */
    uint8_t slow;     /* what was told to end takes its time */
    uint8_t recommit; /* the same tree is committed again in the middle */
    uint8_t preempts;
    uint8_t calm;  /* drawn so that orders alone decide */
    uint8_t alike; /* all tasks are */
    uint8_t more;  /* it has what came later */
    uint8_t bars;  /* asks, jobs and nodes are refused for a time */
    uint8_t tells; /* hosts say more of tasks that run */
    int64_t pool[WORLD_PARTS][WORLD_KINDS]; /* of kinds that lie on no node */
    world_queue queue[WORLD_ROWS];
    world_node node[WORLD_NODES];
    world_job job[WORLD_JOBS];
    world_ask ask[WORLD_ASKS];
    world_edit edit[WORLD_EDITS];
    world_say say[WORLD_SAYS];
    uint32_t trees, bounds[WORLD_TREES]; /* of limits, and their rows */
    world_bound bound[WORLD_TREES][WORLD_BOUNDS];
    sked_engine_options options;
    sked_target_options targets;
    uint32_t more_policies; /* that run after it, in order */
    sked_target_options more_targets[WORLD_POLICIES - 1];
    sked_round_options rounds;
    uint32_t flags; /* SKED_PREEMPT_* */
    uint32_t gangs; /* over nodes that a round reserves for; 0: none, nor does
                       it end any */
} world;

/* Where choices come from: bytes of a fuzzer, or where there are none a
 * generator of random words. */
typedef struct world_source {
    uint64_t state;
    const uint8_t *at;
    const uint8_t *end;
} world_source;

/* 0 to n - 1. */
uint64_t world_below(world_source *source, uint64_t n);

/* Does it hit a chance of so many in a hundred? And one of `least` to `most`. */
int world_percent(world_source *source, uint64_t chance);
int64_t world_from(world_source *source, int64_t least, int64_t most);

/* Does the library have the order by shares? */
int world_has_share(void);

/* Draws a world. `share` says whether the library has that order. */
void world_draw(world *w, world_source *source, int share);
void world_draw_tree(world *w, world_source *source, int share);
void world_draw_work(world *w, world_source *source);

/* Draws what came later, into a world that has all the rest: rules, racks, nodes
 * that move, gangs over nodes. */
void world_draw_more(world *w, world_source *source);
/* And what came last: asks that wait to be possible, tags that are counted,
 * refusals of whole asks, jobs and nodes. */
void world_draw_last(world *w, world_source *source);
/* And what came after that: what hosts say of tasks that run, jobs of which
 * killed tasks are over or admitted anew, kinds that lie on no node. */
void world_draw_told(world *w, world_source *source);
/* And after that: revocable jobs, and jobs that never preempt. */
void world_draw_revocable(world *w, world_source *source);
/* And after that: lists of policies. */
void world_draw_policies(world *w, world_source *source);
/* And after that: weights that the host says, and amounts that are reserved for
 * gangs over nodes while they form. */
void world_draw_said(world *w, world_source *source);
/* And after that: tasks that have nodes to themselves. */
void world_draw_alone(world *w, world_source *source);
/* And after that: trees of limits. */
void world_draw_trees(world *w, world_source *source);
/* And after that: gangs over nodes that are elastic, or run together or not. */
void world_draw_elastic(world *w, world_source *source);
/* And after that: gangs of which all nodes share a zone. */
void world_draw_same(world *w, world_source *source);
/* And after that: trees of unlike width, with equal weights and small backlogs. */
void world_draw_wide(world *w, world_source *source, int share);

/* How many tasks of an ask the whole cluster holds, at most 1,000. */
int64_t world_tasks_held(const world *w, const world_ask *ask);

/* In a calm world orders that go by one kind go by one that tasks need. */
void world_lead_to_shares(world *w);

/* Draws gangs over nodes that rounds look at, into a world that has all else. */
void world_draw_gangs(world *w, world_source *source);

/* Makes some gangs over nodes exact. */
void world_draw_exact(world *w, world_source *source);

/* The policies of a world, in order: one, or more. */
uint32_t world_policies(const world *w);
const sked_target_options *world_policy(const world *w, uint32_t i);

/* A gang over nodes that starts with a part of its tasks. */
int world_is_elastic(const world_ask *ask);

/* Its nodes share a zone, whatever it waits for. */
int world_is_bound(const world_ask *ask);

/* A gang that starts on one node. */
int world_is_gang(const world_ask *ask);

/* Do its tasks have nodes to themselves? */
int world_is_alone(const world_ask *ask);

/* Does a kind lie on no node? */
int world_is_pooled(const world *w, uint32_t kind);

int world_is_leaf(const world *w, uint32_t row);

/* Does anything of an ask's want belong to the early part? */
int world_is_late(const world *w, uint32_t ask);

/* What a world has, 0 or 1 each; their names. */
enum { WORLD_FEATURES = 104 };
void world_features(const world *w, uint8_t is[WORLD_FEATURES]);
const char *world_feature_name(uint32_t feature);
/* Can one world have both? */
int world_may_have_both(uint32_t a, uint32_t b);

/* A readable account. */
void world_tell(const world *w, FILE *out);

#endif
