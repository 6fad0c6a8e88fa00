#ifndef PROMISES_BOOKS_H
#define PROMISES_BOOKS_H

/*
 * A host's own books, kept from the events it sends and the decisions it
 * takes, and from nothing else.
 */
#include "shares.h"

enum { BOOKS_GROUPS = 2048 };

/* Tasks that were started together; the last ones end first: those told to
 * end, before them those under notice. */
typedef struct books_group {
    uint64_t name;
    int32_t ask, node;
    int64_t count;   /* 0: no group */
    int64_t noticed; /* under notice */
    int64_t ending;  /* told to end */
    int64_t before;  /* of these, before the round that is looked at */
    int64_t noted;   /* likewise of those under notice */
    int confirmed;
    int together;              /* told to end with others of its gang */
    int silent;                /* the host says nothing of it */
    int64_t more[WORLD_KINDS]; /* that one holds than its ask says */
    sked_time until; /* when all end, as the host says; 0: it says nothing */
    sked_time over;  /* when they do */
    sked_time since; /* when they were started */
} books_group;

typedef struct books {
    const world *w;
    world_queue queue[WORLD_ROWS]; /* as committed last, with weights as said */
    int64_t tree_weight[WORLD_ROWS];
    int64_t said_weight[WORLD_ROWS]; /* 0: nothing is said */
    uint8_t node_up[WORLD_NODES];
    uint8_t node_open[WORLD_NODES]; /* takes work */
    uint32_t part[WORLD_NODES];     /* where it is now */
    uint32_t zone[WORLD_NODES];     /* a bit; 0: it is in none */
    int64_t capacity[WORLD_NODES][WORLD_KINDS];
    uint8_t admitted[WORLD_JOBS];
    uint8_t cancelled[WORLD_JOBS];
    uint8_t rejected[WORLD_ASKS];
    uint8_t added[WORLD_ASKS];
    uint8_t
        node_enough[WORLD_ASKS]; /* since it was added, some node once was */
    uint8_t limit_enough[WORLD_ASKS]; /* likewise every limit at once */
    int32_t job_queue[WORLD_JOBS];
    int32_t job_priority[WORLD_JOBS];
    sked_time now;
    uint32_t places[WORLD_ASKS]; /* what each would like, as said last */
    uint32_t racks[WORLD_ASKS];
    uint8_t strict[WORLD_ASKS];
    uint8_t indifferent[WORLD_ASKS]; /* its soft rules were dropped */
    int64_t open[WORLD_ASKS];
    int64_t run[WORLD_NODES][WORLD_ASKS];
    int64_t reserved[WORLD_NODES][WORLD_ASKS];
    uint8_t paid[WORLD_NODES][WORLD_ASKS]; /* others were told to end for it */
    uint8_t unsure[WORLD_ASKS]; /* on which nodes less is reserved for it */
    int64_t most[WORLD_ASKS];   /* reserved then on all nodes together */
    int64_t use[WORLD_PARTS][WORLD_ROWS][WORLD_KINDS];
    int64_t free[WORLD_NODES][WORLD_KINDS];
    /* What tasks hold there besides what their asks say; and what those hold
     * that are over for their queues. */
    int64_t extra[WORLD_NODES][WORLD_ASKS][WORLD_KINDS];
    int64_t remains[WORLD_NODES][WORLD_KINDS];
    uint8_t refused[WORLD_NODES][WORLD_ASKS]; /* by the host */
    /* Until when it refused whole asks, jobs and nodes. */
    sked_time ask_barred[WORLD_ASKS], job_barred[WORLD_JOBS],
        node_barred[WORLD_NODES];
    books_group group[BOOKS_GROUPS];
    uint32_t groups; /* of the array ever used */
    int full;        /* more groups than are followed */
    shares shares[WORLD_PARTS];
} books;

void books_open(books *b, const world *w);

/* So many tasks more of an ask on a node, or less. */
void books_add(books *b, int32_t ask, int32_t node, int64_t count);

books_group *books_find(books *b, uint64_t name);
void books_start(books *b, uint64_t name, int32_t ask, int32_t node,
                 int64_t count, sked_time now);
/* The last tasks of a group are over; `again`: and wanted again. */
void books_end(books *b, books_group *g, int64_t count, int again);

/* So many tasks hold so much more each, or less. */
void books_shift(books *b, int32_t ask, int32_t node, const int64_t *more,
                 int64_t count);
/* Tasks of a group hold so much more each than its ask says. */
void books_resize(books *b, books_group *g, const int64_t *more);
/* They have their node to themselves, and hold all of it. */
void books_fill(books *b, books_group *g);
/* They are over for their queue, and on their node; they have left it. */
void books_release(books *b, books_group *g);
void books_leave(books *b, int32_t node, const int64_t *amount);
/* Does some task hold another amount than its ask says? One that has a node to
 * itself does: its leaf wants all of the node while it runs and what its ask says
 * while it is open, so shares are not followed as long as it runs. */
int books_are_odd(const books *b);
/* Does the host say that these end in the time that victims have? */
int books_ends_soon(const books *b, const books_group *g);
/* How many of a group were told to end, or end in that time. */
int64_t books_ending(const books *b, const books_group *g);
/* Something ends on its own, by what the host said, or is released. */
int books_await(const books *b);

/* What one step takes: a task, or a gang as a whole. */
int64_t books_step(const books *b, int32_t ask, uint32_t k);

/* What a step takes of a node when it starts there: all of it, where its tasks
 * have nodes to themselves. */
int64_t books_start_step(const books *b, int32_t ask, int32_t node, uint32_t k);

/* Nothing runs on a node, is reserved there, or was released and is left. */
int books_is_empty(const books *b, uint32_t node);

/* ---- books_trees.c: trees of limits ---- */

enum { BOOKS_NOTHING = -2 }; /* nothing that is reserved counts */
/* Is a job charged in a row of a tree, or below it? */
int books_charges(const books *b, int32_t job, uint32_t tree, int32_t row);
/* What its tasks hold that are; and what is reserved for such, but for one ask on
 * one node (-1: none is left out). */
int64_t books_charged(const books *b, uint32_t tree, int32_t row, uint32_t k);
int64_t books_charged_too(const books *b, uint32_t tree, int32_t row,
                          uint32_t k, int32_t but, int32_t but_node);
/* So many jobs run that are. */
int64_t books_charged_jobs(const books *b, uint32_t tree, int32_t row);
/* Are so many steps within every limit, with what is reserved, but for the ask on
 * the node that is named? What victims hold counts until they have ended. */
int books_trees_hold(const books *b, int32_t ask, int32_t node, int64_t steps,
                     int32_t reserved_but);

/* ---- books.c ---- */

/* So many queues stand above a row. */
int64_t books_depth(const books *b, int32_t row);

/* So many tasks of a gang over nodes are to start together now: of an elastic one
 * those that it lacks of these, and tasks that have ended are no lack. */
int64_t books_gang_lacks(const books *b, int32_t ask);
/* The same, or one where it lacks none: the others start one by one. */
int64_t books_gang_step(const books *b, int32_t ask);
/* Does it start so many at once, and not one by one? */
int books_is_wide(const books *b, int32_t ask);

/* The step of an ask, of a gang over nodes what starts together. */
int64_t books_lacks(const books *b, int32_t ask, uint32_t k);

/* A node goes into another partition with all that runs there. */
void books_move(books *b, uint32_t node, uint32_t part);

/* Tasks run in partitions that their asks do not name. */
int books_are_astray(const books *b);

/* ---- where.c ---- */

/* Do the ask's rule and its soft rules in force take the node? */
int books_takes(const books *b, int32_t ask, uint32_t node);
/* Does its rule alone, by which what others ended for goes? */
int books_takes_paid(const books *b, int32_t ask, uint32_t node);
/* Is there any rule that it goes by now? */
int books_is_ruled(const books *b, int32_t ask);
/* Is the node one of those that the ask would like? 1; 0: it may have to wait;
 * -1: it never takes it. */
int books_listed(const books *b, int32_t ask, uint32_t node);
/* Has it any that it would like? */
int books_is_picky(const books *b, int32_t ask);
/* Not even alone does a step fit below a limit over all partitions; or on any
 * node that is there. */
int books_never_fits_limit(const books *b, int32_t ask);
int books_never_fits_node(const books *b, int32_t ask);
/* An ask is added; nodes or limits are not what they were: which asks may stand
 * in line from now on, whatever becomes of these? */
void books_add_ask(books *b, int32_t ask);
void books_see(books *b);
/* The most of a kind that may be reserved on a node for a gang over nodes, but one,
 * while it forms. */
int64_t books_formed(const books *b, uint32_t n, uint32_t k, int32_t but);
/* How many tasks of an ask a node would hold when it is empty, at most `most`; of a
 * gang on one node, how often all of it. */
int64_t books_node_holds(const books *b, int32_t ask, uint32_t n, int64_t most);
/* Is some of it told to end? */
int books_gang_ends(const books *b, int32_t ask);
/* How many tasks of a gang nodes hold together at most; of one partition. */
int64_t books_gang_space(const books *b, int32_t ask, uint32_t part);

/* Has a node the zone that what runs of a gang asks for? */
int books_may_join(const books *b, int32_t ask, uint32_t node);
/* The most of it that nodes of one zone surely take now. */
int64_t books_gang_in_zone(const books *b, int32_t ask, uint32_t part);

/* How many tasks a node takes at the least that takes some of a gang. */
int64_t books_gang_least(const books *b, int32_t ask);

/* What is wrong with an explanation of how many tasks of a gang nodes take now;
 * NULL: nothing. */
const char *books_gang_untrue(const books *b, int32_t ask,
                              const sked_engine_bound *x);

/* ---- books.c ---- */

/* The weight of a queue by the tree, or as the host says it (0: as the tree
 * does). */
void books_weigh(books *b, int32_t row, int64_t tree, int64_t said);

/* Tree and capacity as they are now. */
void books_resolve(books *b);
/* Demand as it is now. */
void books_renew(books *b);

int32_t books_leaf(const books *b, int32_t ask);

/* Is this queue on the way from `leaf` to the root? */
int books_above(const books *b, int32_t queue, int32_t leaf);

/* What is reserved for asks below a queue in a partition, but for one ask on
 * one node (-1: none is left out). */
int64_t books_reserved(const books *b, uint32_t part, int32_t row, uint32_t k,
                       int32_t but, int32_t but_node);
/* What is reserved on a node, but for one ask. */
int64_t books_held_on(const books *b, uint32_t node, uint32_t k, int32_t but);

/* So many are reserved for an ask on a node, which leaves the rest of what is
 * open to others. */
void books_reserve(books *b, int32_t ask, int32_t node, int64_t count);
/* No more is reserved for an ask than it has open. Where several nodes are, it
 * is not known which of them are given up. */
void books_trim(books *b, int32_t ask);
/* So many that were reserved for an ask on a node are no longer: there it was
 * all that was left, and so it says how much may be left elsewhere. */
void books_give_up(books *b, int32_t ask, int32_t node, int64_t count);
/* Is it known how much is reserved on each node? */
int books_are_sure(const books *b);

/* An ask in the line of a partition. */
int books_in_line(const books *b, int32_t ask, uint32_t part);

/* What counts as held by each queue in a partition: of a leaf what it uses and
 * what is reserved for it; by a parent what is kept for a child that holds less
 * of it too. */
void books_held(const books *b, uint32_t part, uint32_t k,
                int64_t held[WORLD_ROWS]);

/* The most that a queue may hold in all partitions together. */
int64_t books_ceiling(const books *b, int32_t row, uint32_t k);

/* What tasks that were told to end before this round hold in a leaf. */
int64_t books_going(const books *b, uint32_t part, int32_t leaf, uint32_t k);

/* What tasks hold there that are under notice or were told to end. */
int64_t books_leaving(const books *b, uint32_t part, int32_t leaf, uint32_t k);

/* ---- users.c ---- */

/* Are users of a leaf told apart? Where it limits them or goes by them. */
int books_looks_at_users(const books *b, int32_t leaf);
int64_t books_user_weight(const books *b, int32_t leaf, uint32_t user);
uint32_t books_user(const books *b, int32_t ask);
int64_t books_user_holds(const books *b, uint32_t part, int32_t leaf,
                         uint32_t user, uint32_t k);
/* The kind that users of a leaf are measured by: of which it uses most. */
uint32_t books_dominant(const books *b, uint32_t part, int32_t leaf);
/* What a user may hold of a kind before it starts a task; SKED_UNLIMITED. */
int64_t books_user_limit(const books *b, uint32_t part, int32_t leaf,
                         uint32_t user, uint32_t k);
/* A user's part of an amount that a leaf has: by weight, as far as it wants. */
double books_user_part(const books *b, uint32_t part, int32_t leaf,
                       uint32_t user, uint32_t k, int64_t total);

#endif
