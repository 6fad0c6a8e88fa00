#ifndef SKEDI_ENGINE_RECONCILE_H
#define SKEDI_ENGINE_RECONCILE_H

/* Differences between an engine and the state that its host reports. */

#include <sched/engine_reconcile.h>

#include "engine/state.h"

/*
 * The engine beside its host's truth. Rows of the truth are found by key; what
 * the engine has and how it fares stands in columns by its own numbers. The
 * differences are emitted phase by phase, so that each can be applied after
 * those before it.
 */

/* In the order in which differences are told. */
enum {
    RECON_WITHDRAW, /* asks that end */
    RECON_END,      /* their groups */
    RECON_DOWN,     /* nodes that go: what is there is open again */
    RECON_FINISH,   /* jobs that end */
    RECON_NODES,
    RECON_POOLS,
    RECON_ADMITTED, /* before others, which else would be admitted for them */
    RECON_JOBS,
    RECON_ASKS,
    RECON_DROPS,  /* soft rules that are others: first all go */
    RECON_TRAITS, /* attributes, rules and tags */
    RECON_SOFT,   /* soft rules */
    RECON_RUNNING,
    RECON_COUNTS, /* of asks that stay */
    RECON_EXTRA,  /* what runs beyond the truth, of asks that stay */
    RECON_PLACES, /* that asks prefer: tasks that start count there */
    RECON_SAID,   /* of tasks that run: when they end, what they cost */
    RECON_DRAINS,
    RECON_PHASES
};

/* What rows say of one thing, as bits. */
enum {
    RECON_SAYS_ATTRIBUTES = 1,
    RECON_SAYS_RULE = 2,
    RECON_SAYS_TAGS = 4,
    RECON_SAYS_SOFT = 8,
    RECON_SAYS_PLACES = 16,
    RECON_SAYS_RACKS = 32,
    RECON_SAYS_LEAST = 64
};

typedef struct engine_recon {
    sked_engine *e;
    const sked_events *in;
    sked_time now;
    int phase;
    sked_engine_difference *out; /* NULL: they are counted */
    size_t n;
    void *items; /* the rows of the truth, for the maps */
    skedi_keymap nodes, jobs, asks;
    /* By row. */
    uint8_t *drains;     /* of a node */
    uint8_t *withdrawn;  /* of an ask */
    uint8_t *says;       /* what other rows say of it: RECON_SAYS_* */
    uint32_t *first_run; /* of an ask: its first TASK_RUNNING */
    uint32_t *next_run;
    uint32_t *first_soft; /* of an ask: its first ASK_PREFER; and next_run */
    uint32_t *first_said; /* of an ask: its first TASK_ENDS or TASK_COST; and
                             next_run */
    uint32_t *seen;       /* of a node, by the ask that is looked at: what rows
                             say of it there */
    uint32_t *terms;      /* of an ask: of all its rules */
    uint32_t *values;     /* of an ask: that these name */
    uint8_t *soft;        /* of an ask: soft rules */
    uint8_t *pools;       /* by partition: a row says what it has */
    int64_t *runs;        /* of an ask: so many tasks in all */
    /* By number in the engine. */
    uint8_t *node_goes;
    uint8_t *job_ends;
    uint8_t *ask_ends;
    int64_t *want;  /* tasks that run on a node by the truth, of one ask */
    int64_t *cover; /* those of them that the engine knows of */
    uint32_t *said; /* the row that says something of them, from 1 */
    uint8_t *odd;   /* does the engine say something else of groups there? */
    void *block;
    size_t bytes;
} engine_recon;

/* Reads the truth. Every reference in it must be to a row that it has. */
sked_status skedi_recon_read(engine_recon *r, sked_error *err);

/* Appends one event about `key`, for a row of the truth or UINT64_MAX. */
sked_event *skedi_recon_say(engine_recon *r, int32_t kind, uint64_t key,
                            int32_t how, uint64_t row);

/* The ask of a row of the truth that stays, or SKEDI_NONE. */
uint32_t skedi_recon_ask(const engine_recon *r, uint64_t row);

/* Can an event make an existing ask equal to its row? Not always where the ask
 * is a gang, or was withdrawn. */
int skedi_recon_fits(engine_recon *r, uint32_t ask, uint64_t row);

/* The engine's node of a row of a node and an ask, as long as it stays. */
uint32_t skedi_recon_node(const engine_recon *r, uint32_t row);

/* Is it a row of attributes, a rule, tags or a job's least? Reads one. */
int skedi_recon_is_trait(const sked_event *event);

/* The row of the node, ask or job that such a row is of, or SKEDI_NONE; the
 * attributes that it has: how many. */
uint32_t skedi_recon_thing(const engine_recon *r, const sked_event *event);

/* Says what differs in one, but for places and soft rules. */
void skedi_recon_trait(engine_recon *r, uint64_t row);

/* Tags of asks that were withdrawn cannot be changed: where they differ, the ask
 * is told anew. O(rows). */
void skedi_recon_judge_tags(engine_recon *r);

/* Is the soft rule of a row there once the differences are applied: has it terms,
 * and time left? */
int skedi_recon_soft_counts(const engine_recon *r, uint64_t row,
                            sked_rule_input *rule);

/* Says what differs in the soft rules of an ask's row; in the nodes or racks that
 * a row says; in what a partition has. Reads a row of such. */

/* Do tasks of an ask that stays start by the differences, or are some open
 * again? */
int skedi_recon_moves(engine_recon *r, uint32_t ask, uint64_t row);

/* The count of an event that ends so many tasks of a group: those of it that were
 * released end first. */
int64_t skedi_recon_ends(const engine_recon *r, uint32_t group, int64_t count);

/* What differs in what is open and runs of an ask that stays, or is new. */
void skedi_recon_tasks(engine_recon *r, uint64_t row);

#endif
