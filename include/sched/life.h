#ifndef SKED_LIFE_H
#define SKED_LIFE_H

/*
 * Life cycles of tasks, jobs, updates and nodes, as tables of state machines
 * for a manager. A table says, as data, which state may follow which, and which
 * part of the host may cause the change. [PEL-5] A host may add its own tables;
 * the library checks tables and draws them as diagrams. The smallest use:
 *
 *     const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_TASK);
 *     sked_life_next(t, &at, SKED_LIFE_EVENT_RUN, SKED_LIFE_CAUSE_NODE,
 *                    &step, &err);
 *
 * Four headers build on the tables:
 *
 *   life_job.h      instances, the four types of job, stops within an SLA
 *   life_policy.h   restarts and their delay, retries of placement, quarantine
 *   life_secrets.h  references that come back at launch and go nowhere else
 *   life_update.h   updates: rolling, canary and blue/green, by a step without
 *                   I/O
 *
 * No call acts on a task: states and counts go in, and the answer is the host's
 * next action. No call reads a clock. Only secrets and updates allocate.
 * sked_engine_task_state() has the states of groups of an engine (engine.h);
 * docs/life.md has diagrams and a worked example.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_LIFE_STATES = 64, /* of one table, at most */
    SKED_MAX_LIFE_EVENTS = 256,
    SKED_MAX_LIFE_EDGES = 1024,
    SKED_MAX_LIFE_ACTIONS = 64,
    SKED_MAX_LIFE_GOALS = 1024,
    SKED_MAX_LIFE_NAME = 24 /* bytes of a name with its NUL */
};

/* No state; and, as the next state of an edge, the one before the last move. */
#define SKED_LIFE_NONE UINT32_MAX
#define SKED_LIFE_BEFORE (UINT32_MAX - 1)

/* The set that holds this one state, for edges and goals. */
#define SKED_LIFE_BIT(state) (UINT64_C(1) << (state))

/* The part of the system that causes an event. Edges have a set of them. */
enum sked_life_cause {
    SKED_LIFE_CAUSE_USER = 1, /* a person, or a program for one */
    SKED_LIFE_CAUSE_JOBS = 2, /* the job manager */
    SKED_LIFE_CAUSE_QUEUES =
        4, /* the resource manager: admission, preemption */
    SKED_LIFE_CAUSE_PLACEMENT = 8,
    SKED_LIFE_CAUSE_NODE = 16, /* reports of a node */
    SKED_LIFE_CAUSE_TIMER = 32,
    SKED_LIFE_CAUSE_ALL = 63
};

/* Marks of a state. */
enum sked_life_mark {
    SKED_LIFE_MARK_START = 1, /* a life may begin here */
    SKED_LIFE_MARK_END = 2,   /* a life may end here */
    SKED_LIFE_MARK_MUTE = 4,  /* an event without an edge here is ignored */
    SKED_LIFE_MARK_UNUSED = 8 /* a number without use in this table */
};

/* Marks of an edge. */
enum sked_life_edge_mark {
    /* The cause counts its repetitions and gives up at a bound. A cycle with
     * such an edge therefore ends. */
    SKED_LIFE_EDGE_COUNTED = 1,
    /* Happens by itself (a time-out, an end), and never because a state was
     * asked for: sked_life_way() omits the edge. */
    SKED_LIFE_EDGE_FORCED = 2
};

/* The name of a state, an event or an action: a-z, A-Z, 0-9 and _, ended by a
 * NUL. Frozen layout. */
typedef struct sked_life_name {
    char text[SKED_MAX_LIFE_NAME];
    uint32_t marks;    /* of states: enum sked_life_mark */
    uint32_t reserved; /* 0 */
} sked_life_name;

/* One edge: from each of a set of states, an event leads to a state. Frozen
 * layout. */
typedef struct sked_life_edge {
    uint64_t from; /* a set of states: SKED_LIFE_BIT(), joined by | */
    uint32_t event;
    uint32_t next;   /* a state, or SKED_LIFE_BEFORE */
    uint32_t causes; /* enum sked_life_cause, joined by | */
    uint32_t marks;  /* enum sked_life_edge_mark */
} sked_life_edge;

/* The action in one of these states to reach one of these goals. A pair without
 * a row needs no action. Frozen layout. */
typedef struct sked_life_goal {
    uint64_t goals;
    uint64_t states;
    uint32_t action;
    uint32_t reserved; /* 0 */
} sked_life_goal;

/* A life cycle, as data. States, events and actions are numbered by their rows.
 */
typedef struct sked_life_table {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const char *name;  /* a-z, A-Z, 0-9 and _, not empty */
    const sked_life_name *states;
    uint64_t n_states; /* 1 and more */
    const sked_life_name *events;
    uint64_t n_events; /* 1 and more */
    const sked_life_edge *edges;
    uint64_t n_edges;
    const sked_life_name *actions;
    uint64_t n_actions;
    const sked_life_goal *goals;
    uint64_t n_goals;
} sked_life_table;

/* The library's own tables. */
enum sked_life_table_id {
    SKED_LIFE_TABLE_QUEUED = 1, /* a task as the resource manager sees it */
    SKED_LIFE_TABLE_TASK = 2,   /* a task as the job manager sees it */
    SKED_LIFE_TABLE_JOB = 3,
    SKED_LIFE_TABLE_UPDATE = 4,
    SKED_LIFE_TABLE_NODE = 5,  /* a node in maintenance */
    SKED_LIFE_TABLE_OFFER = 6, /* free amounts of a node */
    SKED_LIFE_TABLE_GROUP = 7  /* tasks that an engine (engine.h) started */
};

/* States of SKED_LIFE_TABLE_QUEUED and SKED_LIFE_TABLE_TASK. */
enum sked_life_task {
    SKED_LIFE_TASK_UNKNOWN = 0,
    SKED_LIFE_TASK_INITIALIZED = 1,
    SKED_LIFE_TASK_PENDING = 2,
    SKED_LIFE_TASK_READY = 3, /* admitted */
    SKED_LIFE_TASK_PLACING = 4,
    SKED_LIFE_TASK_RESERVED = 5, /* a node is reserved for the task */
    SKED_LIFE_TASK_PLACED = 6,
    SKED_LIFE_TASK_LAUNCHING = 7,
    SKED_LIFE_TASK_LAUNCHED = 8,
    SKED_LIFE_TASK_STARTING = 9,
    SKED_LIFE_TASK_RUNNING = 10,
    SKED_LIFE_TASK_PREEMPTING = 11,
    SKED_LIFE_TASK_KILLING = 12,
    SKED_LIFE_TASK_SUCCEEDED = 13,
    SKED_LIFE_TASK_FAILED = 14,
    SKED_LIFE_TASK_KILLED = 15,
    SKED_LIFE_TASK_LOST = 16,
    SKED_LIFE_TASK_DELETED = 17, /* not tracked any more */
    SKED_LIFE_TASK_STATES = 18
};

enum sked_life_job {
    SKED_LIFE_JOB_UNINITIALIZED = 0,
    SKED_LIFE_JOB_INITIALIZED = 1,
    SKED_LIFE_JOB_PENDING = 2,
    SKED_LIFE_JOB_RUNNING = 3,
    SKED_LIFE_JOB_KILLING = 4,
    SKED_LIFE_JOB_SUCCEEDED = 5,
    SKED_LIFE_JOB_FAILED = 6,
    SKED_LIFE_JOB_KILLED = 7,
    SKED_LIFE_JOB_DELETED = 8
};

enum sked_life_update_state {
    SKED_LIFE_UPDATE_STATE_INVALID = 0, /* not read yet */
    SKED_LIFE_UPDATE_STATE_INITIALIZED = 1,
    SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD = 2,
    SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD = 3,
    SKED_LIFE_UPDATE_STATE_PAUSED = 4,
    SKED_LIFE_UPDATE_STATE_SUCCEEDED = 5,
    SKED_LIFE_UPDATE_STATE_FAILED = 6,
    SKED_LIFE_UPDATE_STATE_ABORTED = 7,
    SKED_LIFE_UPDATE_STATE_ROLLED_BACK = 8
};

enum sked_life_node {
    SKED_LIFE_NODE_UP = 0,
    SKED_LIFE_NODE_DRAINING = 1,
    SKED_LIFE_NODE_DRAINED = 2,
    SKED_LIFE_NODE_DOWN = 3,
    SKED_LIFE_NODE_QUARANTINED = 4 /* tasks fail on the node */
};

enum sked_life_offer {
    SKED_LIFE_OFFER_READY = 0,
    SKED_LIFE_OFFER_PLACING = 1,
    SKED_LIFE_OFFER_HELD = 2, /* for tasks that restart in place */
    SKED_LIFE_OFFER_RESERVED = 3
};

enum sked_life_started {
    SKED_LIFE_STARTED_PROPOSED = 0,
    SKED_LIFE_STARTED_HELD = 1,
    SKED_LIFE_STARTED_REVOKED = 2, /* a proposal whose job is over */
    SKED_LIFE_STARTED_KILLED = 3, /* held, with a kill order: the job is over */
    SKED_LIFE_STARTED_GONE = 4
};

/* Events of the library's tables: one common list. */
enum sked_life_event {
    SKED_LIFE_EVENT_ENQUEUE = 0,
    SKED_LIFE_EVENT_ADMIT = 1,
    SKED_LIFE_EVENT_DEQUEUE = 2, /* taken by placement */
    SKED_LIFE_EVENT_RESERVE = 3,
    SKED_LIFE_EVENT_PLACE = 4,
    SKED_LIFE_EVENT_RETURN = 5,  /* not placed: again as admitted */
    SKED_LIFE_EVENT_REQUEUE = 6, /* again through admission */
    SKED_LIFE_EVENT_LAUNCH = 7,
    SKED_LIFE_EVENT_LAUNCHED = 8,
    SKED_LIFE_EVENT_START = 9,
    SKED_LIFE_EVENT_RUN = 10,
    SKED_LIFE_EVENT_SUCCEED = 11,
    SKED_LIFE_EVENT_FAIL = 12,
    SKED_LIFE_EVENT_LOSE = 13,
    SKED_LIFE_EVENT_PREEMPT = 14,
    SKED_LIFE_EVENT_KILL = 15,   /* gets a kill order */
    SKED_LIFE_EVENT_KILLED = 16, /* has ended by the order */
    SKED_LIFE_EVENT_TIMEOUT = 17,
    SKED_LIFE_EVENT_CYCLE_OVER = 18, /* a time-out that ends a cycle */
    SKED_LIFE_EVENT_RECOVER = 19,
    SKED_LIFE_EVENT_NEW_RUN = 20, /* begins anew, as another run */
    SKED_LIFE_EVENT_DELETE = 21,
    SKED_LIFE_EVENT_CREATED = 22, /* all tasks of a job exist */
    SKED_LIFE_EVENT_STOPPED = 23, /* nothing of a job runs at the moment */
    SKED_LIFE_EVENT_PAUSE = 24,
    SKED_LIFE_EVENT_RESUME = 25,
    SKED_LIFE_EVENT_ABORT = 26,
    SKED_LIFE_EVENT_DONE = 27,
    SKED_LIFE_EVENT_TOO_MANY = 28, /* failures */
    SKED_LIFE_EVENT_ROLL_BACK = 29,
    SKED_LIFE_EVENT_DRAIN = 30,
    SKED_LIFE_EVENT_DRAINED = 31,
    SKED_LIFE_EVENT_DOWN = 32,
    SKED_LIFE_EVENT_UP = 33,
    SKED_LIFE_EVENT_QUARANTINE = 34,
    SKED_LIFE_EVENT_MATCH = 35,
    SKED_LIFE_EVENT_HOLD = 36,
    SKED_LIFE_EVENT_RELEASE = 37,
    SKED_LIFE_EVENT_CONFIRM = 38,
    SKED_LIFE_EVENT_REFUSE = 39,
    SKED_LIFE_EVENT_END = 40, /* the last task has ended */
    SKED_LIFE_EVENT_EVENTS = 41
};

/* Actions of the library's tables. */
enum sked_life_action {
    SKED_LIFE_ACTION_NOTHING = 0,
    SKED_LIFE_ACTION_START = 1,
    SKED_LIFE_ACTION_STOP = 2,
    SKED_LIFE_ACTION_CHECK_LAUNCH = 3, /* the task should be running soon */
    SKED_LIFE_ACTION_RESTART = 4,      /* after a delay: sked_life_restart() */
    SKED_LIFE_ACTION_RETRY = 5,        /* if failures are seldom enough */
    SKED_LIFE_ACTION_SHUT_DOWN = 6,    /* shut down the runner of a task that
                                          does not end */
    SKED_LIFE_ACTION_INITIALIZE = 7,   /* as another run */
    SKED_LIFE_ACTION_DELETE = 8,
    SKED_LIFE_ACTION_RELOAD = 9,
    SKED_LIFE_ACTION_INVALID = 10, /* no way from here to this goal */
    SKED_LIFE_ACTION_CREATE = 11,  /* the tasks of a job */
    SKED_LIFE_ACTION_START_TASKS = 12,
    SKED_LIFE_ACTION_KILL = 13,
    SKED_LIFE_ACTION_KILL_UNTRACK = 14,
    SKED_LIFE_ACTION_KILL_DELETE = 15,
    SKED_LIFE_ACTION_UNTRACK = 16,
    SKED_LIFE_ACTION_RECOVER = 17,
    SKED_LIFE_ACTION_RUN = 18, /* a step of an update */
    SKED_LIFE_ACTION_COMPLETE = 19,
    SKED_LIFE_ACTION_CLEAR = 20, /* an update that is over */
    SKED_LIFE_ACTION_NOTE = 21,  /* store the progress */
    SKED_LIFE_ACTION_ACTIONS = 22
};

/* Gives one of the library's tables, which is never freed; NULL for a number
 * without a table. */
SKED_API const sked_life_table *sked_life_table_of(uint32_t which);

/* The present state of an object, and the state before. Frozen layout. */
typedef struct sked_life_at {
    uint32_t state;
    uint32_t before; /* the state before the last move, or SKED_LIFE_NONE */
} sked_life_at;

/* The effect of an event. */
enum sked_life_outcome {
    SKED_LIFE_OUTCOME_MOVED = 1,
    SKED_LIFE_OUTCOME_STAYED = 2, /* legal, and leads to the same state */
    SKED_LIFE_OUTCOME_IGNORED = 3 /* the state is mute: no edge, and no error */
};

/* The answer to an event. Frozen layout. */
typedef struct sked_life_step {
    sked_life_at at;  /* from now on */
    uint32_t outcome; /* enum sked_life_outcome */
    uint32_t edge;    /* the row of the edge, or SKED_LIFE_NONE */
} sked_life_step;

/*
 * Finds the next state after an event by `cause` (one of enum sked_life_cause).
 * An edge back (SKED_LIFE_BEFORE) needs at->before. The call checks only what
 * it reads; check your own table once by sked_life_check().
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, event or cause,
 * or an edge to no state: its row in `err`), SKED_ERR_STATE (the event is not
 * legal: `err` lists the legal events, or the causes that may bring the event
 * about) or SKED_ERR_VERSION. On failure nothing is written. Cost: O(edges).
 */
SKED_TRY sked_status sked_life_next(const sked_life_table *table,
                                    const sked_life_at *at, uint32_t event,
                                    uint32_t cause, sked_life_step *step,
                                    sked_error *err);

/*
 * Lists the edges that `causes` (a set) may take in a state: their rows,
 * ascending.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, or `cap` is too
 * small: only `*n` is written) or SKED_ERR_VERSION. Cost: O(edges).
 */
SKED_TRY sked_status sked_life_legal(const sked_life_table *table,
                                     uint32_t state, uint32_t causes,
                                     uint32_t *edges, size_t cap, size_t *n,
                                     sked_error *err);

/*
 * Finds the edge by which one state leads to another on request: the first edge
 * without the mark FORCED. A state always leads to itself, with SKED_LIFE_NONE
 * as the edge.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state), SKED_ERR_STATE
 * (no such edge: `err` says where the edges lead) or SKED_ERR_VERSION. Cost:
 * O(edges).
 */
SKED_TRY sked_status sked_life_way(const sked_life_table *table, uint32_t state,
                                   uint32_t to, uint32_t *edge,
                                   sked_error *err);

/* Finds the action in `state` to reach `goal`. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_RANGE (no such state or goal) or SKED_ERR_VERSION. Cost: O(goals).
 */
SKED_TRY sked_status sked_life_act(const sked_life_table *table, uint32_t goal,
                                   uint32_t state, uint32_t *action,
                                   sked_error *err);

/* Faults in the behaviour of a readable table. */
enum sked_life_fault_code {
    SKED_LIFE_FAULT_NO_START = 1,    /* no state is marked as a start */
    SKED_LIFE_FAULT_UNREACHABLE = 2, /* no way from a start to this state */
    SKED_LIFE_FAULT_DEAD_END = 3,    /* no edge leaves the state, and the state
                                        is no end */
    SKED_LIFE_FAULT_TRAP = 4,        /* no end can be reached from the state,
                                        though ends exist */
    /* A cycle through this state needs neither a user nor a node, and has no
     * counted edge: the cycle can go on for ever. */
    SKED_LIFE_FAULT_CYCLE = 5,
    SKED_LIFE_FAULT_UNUSED = 6 /* marked as unused, and an edge touches it */
};

/* Frozen layout. */
typedef struct sked_life_fault {
    uint32_t code;  /* enum sked_life_fault_code */
    uint32_t state; /* or SKED_LIFE_NONE */
} sked_life_fault;

/*
 * Checks a table. The first check is the form: sizes, names (none twice), valid
 * states, events, causes and actions, at most one edge for a state, event and
 * cause, one goal row for a goal and state. `err` names the list and has the
 * row of the first fault. The second check is the behaviour: all faults are
 * written, by code, then by state, and `err` has the first. A state that an
 * edge back leaves counts as followed by every state with an edge to it.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a pointer or a text), SKED_ERR_RANGE (a
 * number; or `cap` is too small: only `*n` is written), SKED_ERR_EXISTS (a
 * name, an edge or a goal twice), SKED_ERR_INVALID (faults: they and `*n` are
 * written) or SKED_ERR_VERSION. Cost: O(edges^2 + names^2 + goals^2).
 */
SKED_TRY sked_status sked_life_check(const sked_life_table *table,
                                     sked_life_fault *faults, size_t cap,
                                     size_t *n, sked_error *err);

/*
 * Writes a readable table as a diagram in Graphviz' language: a node a state,
 * two rings for an end, an arrow for each edge, dashed if only a timer causes
 * the edge. `*n` is the length without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a number, or `cap` is too
 * small: only `*n` is written), SKED_ERR_EXISTS or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_format(const sked_life_table *table, char *text,
                                      size_t cap, size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
