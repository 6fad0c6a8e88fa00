#ifndef PROMISES_HOST_H
#define PROMISES_HOST_H

/*
 * Runs a world: a host that sends what happens, takes what is decided, keeps
 * books of both and checks every promise from outside.
 */
#include "books.h"

/* What is promised (docs/design/promises.md). */
enum {
    PROMISE_CALLS,     /* no call fails, the engine's books agree */
    PROMISE_GUARANTEE, /* P1: what is guaranteed goes first */
    PROMISE_REST,      /* P2: orders come to the shares */
    PROMISE_NODE,      /* P3: within the node */
    PROMISE_LIMIT,     /* P3: within limits and what may be borrowed */
    PROMISE_KEPT,      /* P3: what is not lent stays free */
    PROMISE_MASTERS,   /* P3: within the masters' part */
    PROMISE_USER,      /* P3: users below their limit */
    PROMISE_RUNNING,   /* P3: applications that run */
    PROMISE_CLAIM,     /* P4: what is claimed for may start, within the claim */
    PROMISE_STARVES,   /* P4, P8: no claim that could be served waits */
    PROMISE_TIME,      /* P8: it is taken up in time */
    PROMISE_SPARE,     /* P5, P6: each victim is needed where it stands */
    PROMISE_PLAN,      /* P6: what is told is enough for what it is told for */
    PROMISE_VAIN,      /* P6: what it was for starts once it has ended */
    PROMISE_IDLE,      /* P6: nothing stays reserved that is never used */
    PROMISE_LOOP,      /* P7: no state comes back with kills between */
    PROMISE_ENDLESS,   /* P7: rounds come to an end */
    PROMISE_FIXED,     /* P9: fixed work stays */
    PROMISE_SPARED,    /* P9: so does that of queues with preempt_from=no */
    PROMISE_FIRST,     /* P9: revocable work goes before any other */
    PROMISE_REASON,    /* P9: what is decided has the reason that it names */
    PROMISE_WHY,       /* P9: and so has what waits */
    PROMISES
};

extern const char *const promise_name[PROMISES];

enum { HOST_STATES = 1024, HOST_QUIET = 16, HOST_LAST = 40 };
enum { HOST_ZONE = 1 }; /* the attribute that says the zone of a node */
enum { HOST_TOLD = 256, HOST_REASONS = 44, HOST_RELEASED = 32 };
enum { HOST_COMMITS = 6 }; /* the last round before which a tree is committed */

/* Tasks that were told something in this round, or this pass. */
typedef struct host_told {
    int32_t ask, node, leaf;
    int32_t kind;   /* enum sked_decision_kind */
    int32_t reason; /* enum sked_reason */
} host_told;

/* What was told to end on a node, and what for. */
typedef struct host_watch {
    uint8_t killed, served;
    uint32_t asks; /* that something was reserved for, a bit each */
    uint32_t with; /* nodes of gangs, the only ones that end there, likewise */
} host_watch;

/* A state in which nothing was on its way. */
typedef struct host_state {
    uint64_t hash;
    uint64_t kills;
} host_state;

/* Tasks that are over for their queue, and not yet for their node. */
typedef struct host_released {
    uint64_t name;
    int64_t count; /* 0: none */
    int64_t amount[WORLD_KINDS];
    int32_t node;
    sked_time over;
} host_released;

typedef struct host {
    const world *w;
    books b;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id id[WORLD_ROWS];
    sked_tree *limits[WORLD_TREES];
    sked_queue_id bound_id[WORLD_TREES][WORLD_BOUNDS];
    world_source chance;
    sked_time now;
    uint32_t rounds, most_rounds;
    int turned;   /* late work is there: demand is constant from now on */
    int edited;   /* edits have been committed */
    int strayed;  /* a node took what runs there into another partition */
    int drifted;  /* demand is another than when shares were made */
    int adopting; /* what starts now runs already */
    int sharp;    /* shares are as the checker's are */
    int32_t last; /* node that something started on last in this pass; -1 */
    int moved;    /* something was decided in this round */
    int in_round; /* what is told is told by a round, not by a pass */
    int killed;   /* what ends now was told to */
    int together; /* and so since others of its gang are gone */
    int at_rest;  /* nothing moves any more */
    host_told told[HOST_TOLD];
    uint32_t n_told;
    host_released released[HOST_RELEASED];
    uint32_t
        spread[WORLD_ASKS];     /* nodes on which a gang over nodes has begun */
    uint8_t enough[WORLD_ASKS]; /* nodes of one zone were enough for it */
    uint32_t whole[WORLD_ASKS]; /* those on which it did together */
    uint32_t owed[WORLD_ASKS];  /* rounds for which it could have been served */
    uint32_t stuck[WORLD_ASKS]; /* the same, whatever was on its way, since
                                   anything started */
    uint64_t started;           /* by the round before */
    int unsure; /* some task was to end by itself, had been released or held another
                   amount than its ask says, or the tree was edited while
                   victims were to end */
    /* Since demand is constant: tasks killed, started in what was kept; the most
     * killed for one ask on one node in one round. */
    uint64_t ended_now, served_now, plan_most;
    uint64_t plan[WORLD_NODES][WORLD_ASKS];
    uint32_t plan_round;
    int failed; /* a call failed: the run ends */
    host_watch watch[WORLD_NODES];
    host_state state[HOST_STATES];
    uint64_t starts, kills, notices, held;
    uint64_t wide_kills, wide_held; /* of gangs over nodes */
    uint64_t digest; /* of all that was decided, and of what is in the end */
    uint64_t decided[HOST_REASONS];   /* how often each reason was given */
    uint64_t explained[HOST_REASONS]; /* and was what something waits for */
    uint32_t checked; /* promises that were put to the proof, a bit each */
    uint32_t broken;  /* promises that were broken, a bit each */
    char text[PROMISES][200]; /* the first time each was */
    int trace;                /* tell every decision */
    double worst;             /* P2: how far in the end, in largest tasks */
} host;

/* Runs a world to its end; `most_rounds` at most. */
void host_run(host *h, const world *w, uint32_t most_rounds, int trace);

/* Notes that a promise is broken. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void host_broken(host *h, int promise, const char *format, ...);

/* ---- check_fits.c ---- */
/* Would a step of `ask` on `node` keep every bound, if the tasks in `gone` (a
 * number for each node and ask; NULL: none) had ended? `reserved`: what is
 * reserved for others counts. */
typedef struct fits_gone {
    int64_t tasks[WORLD_NODES][WORLD_ASKS];
    int64_t extra[WORLD_NODES][WORLD_ASKS][WORLD_KINDS];
} fits_gone;
/* So many of a group are gone, too. */
void fits_go(fits_gone *gone, const books_group *g, int64_t count);
int fits(const books *b, int32_t ask, int32_t node, int64_t steps,
         const fits_gone *gone, int reserved);
/* The same with what is reserved for others, gangs that form included. */
int fits_surely(const books *b, int32_t ask, int32_t node,
                const fits_gone *gone);
int fits_node(const books *b, int32_t ask, int32_t node, int64_t steps,
              const fits_gone *gone, int reserved);
/* Bounds from the ask's leaf up to a queue of its path. */
int fits_up_to(const books *b, int32_t ask, int32_t node, int64_t steps,
               const fits_gone *gone, int reserved, int32_t top);
int fits_bounds(const books *b, int32_t ask, int32_t node, int64_t steps,
                const fits_gone *gone, int reserved);

/* ---- host_events.c ---- */
void host_say(host *h, sked_event event);
void host_say_with(host *h, sked_event event, const int64_t *amounts,
                   uint32_t places);
void host_hear(host *h);
/* ---- host_likes.c ---- */
/* The rules of an ask that has just been added, and its racks. */
void host_say_rules(host *h, uint32_t ask);
/* Attributes of a node that has come up; what an ask would like from now on; it
 * has no soft rules any more. */
void host_zone(host *h, uint32_t node);
void host_like(host *h, uint32_t ask, uint32_t places, uint32_t racks,
               int strict);
void host_drop_soft(host *h, uint32_t ask);
void host_move(host *h, uint32_t node, uint32_t part);
/* Nothing runs, or may run, but in the partition that is named, nor holds what
 * its ask does not say: shares do not move by themselves, and are known. */
int host_is_still(const host *h);
void host_send(host *h, const sked_events *batch);
void host_submit(host *h, uint32_t job);
void host_commit(host *h);
void host_edit(host *h);
/* Weights that are said in this round. How many. */
uint32_t host_weigh(host *h);

/* ---- host_tasks.c: what it says of tasks that run ---- */
/* Demand is another than it was. */
void host_drift(host *h);
/* Tasks end; `again`: and are wanted again, where their ask does not wait. */
void host_end(host *h, books_group *g, int64_t count, int again);
/* Of all that run; of some, by chance. */
void host_tell_tasks(host *h);
void host_change_tasks(host *h);
/* What is to end by now does so. */
void host_end_due(host *h);
/* A node is gone with all that is there. */
void host_drop_released(host *h, uint32_t node);
/* The host has started a group, and says what its tasks hold. */
void host_confirm(host *h, books_group *g);
/* What is killed of a job is over, or it is admitted anew. */
int host_wants_again(const host *h, const books_group *g);
void host_readmit(host *h, uint32_t job);

/* ---- host_trees.c: trees of limits ---- */
void host_plant_limits(host *h);
void host_fell_limits(host *h);
sked_event_charge host_charge(const host *h, uint32_t job);
/* Do the engine's books of these agree? Does a start, or a job that runs, keep
 * their bounds? */
void check_charged(host *h);
void check_trees(host *h, int32_t ask, int32_t node);
void check_trees_admit(host *h, uint32_t job);

/* ---- host_change.c: what changes by chance ---- */
void host_end_some(host *h);
void host_change(host *h);
void host_refuse(host *h, books_group *g);
/* An ask is forgotten once nothing of it is open and nothing runs. */
int host_is_known(const host *h, uint32_t ask);

/* ---- check_place.c: at each start ---- */
void check_start(host *h, int32_t ask, int32_t node, int held, int paid);
void check_admit(host *h, uint32_t job);
void check_spread(host *h, int32_t ask);
/* What masters of a leaf may hold of a kind; one may always run. */
int64_t masters_bound(const books *b, uint32_t part, int32_t leaf, uint32_t k);

/* ---- check_first.c: P1 ---- */
void check_guarantee(host *h, int32_t ask, int32_t node);

/* ---- check_round.c: after each round, each pass ---- */
void check_told(host *h, const books_group *g, const sked_decision *d);
void check_plans(host *h);
void check_served(host *h);
void check_loop(host *h);
void check_usage(host *h);

/* ---- check_revocable.c: P9, of a task told; `gone` is what was told but for
 * it, `holds` says whether all that is reserved fits with so much gone ---- */
void check_first_to_go(host *h, const books_group *g, fits_gone *gone,
                       int (*holds)(const books *b, const fits_gone *gone));

/* ---- check_claim.c: P4 ---- */
enum { CLAIM_OFF = 2 }; /* units that the checker's claims may be off */
/* C, up to which a leaf claims by a policy by itself, and K, what it keeps by all
 * of them. */
int64_t claims_bound(const host *h, const sked_target_options *t, uint32_t part,
                     int32_t leaf, uint32_t k);
/* Is that C of a leaf in a kind, by some policy? */
int claims_reach(const host *h, uint32_t part, int32_t leaf, uint32_t k,
                 int64_t bound);
/* Does a policy surely let the leaf of an ask claim all that it lacks? */
int claims_hold(const host *h, uint32_t part, int32_t ask);
/* Units that what the checker has for K may be off: the dead zone widens what
 * the share is off by. */
int64_t claims_keep_off(const host *h);
int64_t claims_keep(const host *h, uint32_t part, int32_t leaf, uint32_t k);
int64_t claims_due(const books *b, int32_t leaf);
int claims_whole_share(const host *h, const sked_target_options *t,
                       int32_t leaf);
/* Does the checker know them now? */
int claims_are_known(const host *h);
void check_claimed(host *h, int32_t node);
void check_enough(host *h, const fits_gone *gone);

/* ---- check_reason.c, check_why.c: P9 ---- */
void check_decision(host *h, const sked_decision *d);
void check_causes(host *h);
void check_why(host *h);

/* ---- check_rest.c: when nothing moves ---- */
void check_rest(host *h);
void check_time(host *h);
/* How many tasks of each ask, by leaf, are surely beyond what their leaf of the
 * partition keeps. */
typedef int64_t rest_surplus[WORLD_ROWS][WORLD_ASKS];
void rest_surplus_of(const host *h, uint32_t part, rest_surplus surplus);
void check_shares(host *h);

#endif
