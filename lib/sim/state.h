#ifndef SKEDI_SIM_STATE_H
#define SKEDI_SIM_STATE_H

/*
 * The state of a run: the workload in replay order, the nodes in the order of
 * their events, the running tasks with their ends, and the measurements.
 */

#include <sched/share.h>
#include <sched/sim.h>

#include "base/arith.h"
#include "base/hash.h"
#include "base/hooks.h"
#include "base/marks.h"
#include "base/sort.h"
#include "tree/image.h"

#define SIM_NONE UINT32_MAX /* no node, place or row */

/* One submission: a job as given, or a copy of it. */
typedef struct sim_job {
    sked_time submit;
    int64_t run;
    int64_t tasks;
    int64_t left;  /* tasks not ended */
    int64_t delay; /* -1: not started */
    sked_queue_id queue;
    uint64_t user;
    uint32_t given; /* row of the jobs as given */
    uint32_t copy;
    uint32_t row; /* row of the queue */
    uint32_t partition;
    int32_t priority;
    uint32_t state; /* SIM_* */
    int32_t never;  /* enum sked_reason of a job that can never run, or 0 */
    uint32_t unused;
    size_t first_place; /* in the column of what started */
} sim_job;

enum { SIM_AHEAD, SIM_WAITS, SIM_RUNS, SIM_DONE, SIM_REJECTED, SIM_WITHDRAWN };

/* Tasks that end together. */
typedef struct sim_end {
    sked_time at;
    uint64_t order; /* of starting */
    uint64_t group;
    int64_t task;
    uint32_t line; /* line of the job: see below */
    uint32_t count;
    uint32_t node;
    uint32_t next; /* next in the line, or next free slot */
} sim_end;

/* The line of a job's tasks: with or without an earlier data transfer. */
static inline uint32_t sim_line_of(uint32_t job, int away)
{
    return job * 2 + (away != 0);
}

static inline uint32_t sim_end_job(const sim_end *end)
{
    return end->line / 2;
}

static inline int sim_end_away(const sim_end *end)
{
    return (int)(end->line % 2);
}

/* A line, keyed by the first end in the line. */
typedef struct sim_first {
    sked_time at;
    uint64_t order;
    uint32_t line;
    uint32_t unused;
} sim_first;

/* The nodes of one partition in the order of their events, with a segment tree
 * of maxima: each knot has, kind by kind, the most that any node below has
 * free. */
typedef struct sim_lane {
    uint32_t *node; /* by place */
    uint32_t n;
    uint32_t width;  /* a power of two */
    int64_t *most;   /* 2 x width x kinds */
    uint32_t *quiet; /* places whose last event decided nothing: skipped until
                      * something changes there */
    uint8_t *rests;  /* 1: the place is quiet */
    uint32_t n_quiet;
    uint32_t known;    /* places before `known` can start nothing, */
    skedi_marks moved; /* except places noted since */
    uint64_t changes; /* the partition's change count for `known` and `quiet` */
} sim_lane;

/* A group of alike nodes: those from `first` on. */
typedef struct sim_group {
    uint32_t first;
    uint32_t count;
} sim_group;

/* A node goes down, or comes back. */
typedef struct sim_change {
    sked_time at;
    uint32_t node;
    int back;
} sim_change;

/* The changes of a leaf that are not in the ledger yet. */
typedef struct sim_moved {
    uint32_t row;
    uint32_t unused;
    sked_queue_id queue;
} sim_moved;

/* Measurements of a queue. */
typedef struct sim_queue {
    uint64_t jobs;
    uint64_t tasks;
    int64_t fair;
    int64_t starved;
    int64_t below;
    sked_time since; /* the three above count up to here */
    uint32_t answer; /* SIM_FAIR, SIM_STARVED, SIM_BELOW: from `since` on */
    uint32_t is_noted;
    sked_sim_delay delay;
} sim_queue;

enum { SIM_FAIR = 1, SIM_STARVED = 2, SIM_BELOW = 4 };

/* Tasks that got a kill order while events are applied. */
typedef struct sim_kill {
    uint64_t group;
    uint32_t count;
    uint32_t node;
} sim_kill;

struct sked_sim {
    skedi_hooks hooks;
    sked_sim_options opts;
    sked_engine *engine;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    uint32_t kinds;
    int state; /* 0 new, 1 running, 2 over */

    sim_job *jobs;
    skedi_keyed *ranked; /* as many, twice: to sort jobs, then delays */
    size_t jobs_cap;
    uint32_t n_jobs;
    uint32_t next_job; /* to be submitted */
    uint32_t n_withdrawn;
    int64_t *amounts; /* by row of the jobs as given */
    uint32_t n_given;

    uint32_t n_nodes;
    int64_t *node_amounts; /* node x kinds */
    uint32_t *node_partition;
    uint32_t *node_rack;
    uint32_t *node_place; /* in its lane */
    uint8_t *node_up;
    sim_lane *lanes;
    uint32_t n_lanes;
    skedi_marks reserved; /* nodes with reservations of rounds */

    sim_change *changes; /* of nodes, by time */
    size_t changes_cap;
    uint32_t n_changes;
    uint32_t next_change;

    /* The places of data: by job as given, and by place of each copy. */
    size_t *place_first; /* n_given + 1 */
    uint64_t *place_key;
    uint32_t *place_tasks;
    int64_t *transfer;
    int64_t *place_started;
    size_t n_places, started_cap;
    sked_time wake_at; /* with no period: a wait for places is over */

    /* The allowed nodes of jobs, if a job has a rule or a node has an
     * attribute: columns of the batches that carry rules and attributes. */
    sim_group *groups;
    size_t n_groups;
    int32_t *attribute_offsets; /* n_groups + 1 */
    sked_rule_attribute *attributes;
    size_t n_attributes;
    uint32_t *rule;        /* by job as given, from 1; 0: every node */
    int32_t *rule_offsets; /* n_rules + 1 */
    sked_rule_term *rule_terms;
    int64_t *rule_values;
    size_t n_rules, n_rule_terms, n_rule_values;

    sim_end *ends; /* in lines */
    size_t n_ends, ends_cap;
    uint32_t ends_used; /* slots */
    uint32_t free_end;  /* the first free slot of `ends`, or SIM_NONE */
    uint32_t *last_end; /* by line; its next is the first end */
    sim_first *firsts;  /* a heap */
    size_t n_firsts, firsts_cap;
    uint64_t started; /* groups so far */

    sked_time now;      /* of the workload's clock */
    sked_time bound;    /* no change at this time or later happens yet */
    sked_time base;     /* first submission */
    sked_time beat_at;  /* cycle of the next node event */
    uint32_t beat_node; /* node of that event */
    sked_time busy;     /* the host works until then */
    sked_time changed;  /* when anything but time last changed */
    sked_time round_at; /* rounds are over up to here; base - 1 at first */
    sked_time formed; /* gangs whose time to form was over by then are known */
    int64_t form_for_ns; /* of the engine's options, as the next */
    uint32_t form_nodes;
    sim_kill *kills;
    size_t n_kills, kills_cap;

    sked_sim_record *records; /* not yet seen by the watcher */
    size_t n_records;
    skedi_hash digest;
    sked_sim_watch watch;
    void *watcher;

    sim_queue *queues; /* by row */
    int64_t *usage;    /* row x kinds */
    int64_t *peak;     /* row x kinds */
    sked_wide *work;   /* row x kinds */
    uint32_t n_rows;
    int32_t *parent;   /* of each row */
    int64_t *capacity; /* of all nodes, one a kind */
    int64_t *fair;     /* shares, kind by kind, by row */
    int64_t *open;     /* row x lane x kinds: where something is guaranteed */
    uint8_t *promises; /* by row: 1: something is */
    sked_wide *lost;   /* work of what was killed, by kind */
    int shares_due;    /* shares are older than the books */
    sim_moved *moved;  /* leaves the ledger is to hear of */
    uint32_t n_moved;
    uint8_t *has_moved; /* by row */
    uint32_t *noted;    /* rows to be judged anew, each once */
    uint32_t n_noted;
    int judge_all; /* or all of them */
    int64_t *move; /* row x kinds x 2: usage, then demand */
    sked_sim_result result;
    sked_time measured; /* up to when shares were compared */
    int64_t *samples;   /* sample x row x kinds x SIM_SAMPLED: usage, share,
                         pending */
    size_t n_samples, samples_cap;
};

enum { SIM_RECORDS = 4096, SIM_SAMPLED = 3 };

/* The time at which the host handles an instant's changes. */
static inline sked_time sim_service(const sked_sim *sim)
{
    return sim->now > sim->busy ? sim->now : sim->busy;
}

/* True if all tasks of a job start at once; and if a gang may use several
 * nodes. */
static inline int sim_is_gang(const sked_sim_options *opts)
{
    return (opts->flags & SKED_SIM_FLAG_GANG) != 0;
}

static inline int sim_is_spread(const sked_sim_options *opts)
{
    return (opts->flags & SKED_SIM_FLAG_SPREAD) != 0;
}

/* The exact number of a job's tasks that each node takes; 0: any number. */
static inline uint32_t sim_each(const sked_sim_options *opts)
{
    return opts->flags & SKED_SIM_FLAG_EXACT ? opts->per_node : 0;
}

/* Numbers of one sample. */
static inline size_t skedi_sample_row(const sked_sim *sim)
{
    return (size_t)sim->n_rows * sim->kinds * SIM_SAMPLED;
}

#endif
