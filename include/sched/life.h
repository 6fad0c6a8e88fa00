#ifndef SKED_LIFE_H
#define SKED_LIFE_H

/*
 * The lives of tasks, jobs, updates and nodes, for a manager to embed. [PEL-1]
 * [PEL-3] [PEL-5] [PEL-6] [PEL-15] [PEL-19]
 *
 *   tables     what may follow what, and who may cause it, as data; a host may
 *              bring its own, which is checked; diagrams from it
 *   instances  one instance of a job: may this be written, what is to be done
 *   jobs       the four types, the state of a job from those of its tasks
 *   SLA        how many instances may be stopped, for every part of the
 *              host that asks
 *   policies   restarts and their delay, retries of placement, quarantine
 *   secrets    references that come back at launch and go nowhere else
 *   updates    rolling, canary and blue/green, by a step without I/O
 *
 * Nothing here does anything to a task: states and counts come in, what is to
 * be done goes out. No call reads a clock. But for secrets and updates nothing
 * allocates. How an engine (engine.h) names the states of its groups:
 * sked_engine_task_state(). Diagrams and a worked example: docs/life.md.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tables ---- */

enum {
    SKED_MAX_LIFE_STATES = 64, /* of one table, at most */
    SKED_MAX_LIFE_EVENTS = 256,
    SKED_MAX_LIFE_EDGES = 1024,
    SKED_MAX_LIFE_ACTIONS = 64,
    SKED_MAX_LIFE_GOALS = 1024,
    SKED_MAX_LIFE_NAME = 24 /* bytes of a name with its NUL */
};

/* No state; as the next one of an edge: the state it was in before. */
#define SKED_LIFE_NONE UINT32_MAX
#define SKED_LIFE_BEFORE (UINT32_MAX - 1)

/* The set that holds this one state, for edges and goals. */
#define SKED_LIFE_BIT(state) (UINT64_C(1) << (state))

/* Who causes an event. Edges have a set of them. */
enum sked_life_cause {
    SKED_LIFE_CAUSE_USER = 1, /* a person, or a program for one */
    SKED_LIFE_CAUSE_JOBS = 2, /* the job manager */
    SKED_LIFE_CAUSE_QUEUES =
        4, /* the resource manager: admission, preemption */
    SKED_LIFE_CAUSE_PLACEMENT = 8,
    SKED_LIFE_CAUSE_NODE = 16, /* what a node reports */
    SKED_LIFE_CAUSE_TIMER = 32,
    SKED_LIFE_CAUSE_ALL = 63
};

/* What is said of a state. */
enum sked_life_mark {
    SKED_LIFE_MARK_START = 1, /* lives begin here */
    SKED_LIFE_MARK_END = 2,   /* and may end here */
    SKED_LIFE_MARK_MUTE = 4,  /* an event without an edge here is ignored */
    SKED_LIFE_MARK_UNUSED = 8 /* a number that this table does not use */
};

/* What is said of an edge. */
enum sked_life_edge_mark {
    /* Counted by who causes it, who gives up at a bound: a cycle with it in
     * makes progress. */
    SKED_LIFE_EDGE_COUNTED = 1,
    /* Taken by itself (a time-out, an end), never because a state is asked
     * for: sked_life_way() passes it over. */
    SKED_LIFE_EDGE_FORCED = 2
};

/* The name of a state, an event or an action: a-z, A-Z, 0-9 and _, ended by a
 * NUL. Frozen layout. */
typedef struct sked_life_name {
    char text[SKED_MAX_LIFE_NAME];
    uint32_t marks;    /* of states: enum sked_life_mark */
    uint32_t reserved; /* 0 */
} sked_life_name;

/* One row of what may follow what. Frozen layout. */
typedef struct sked_life_edge {
    uint64_t from; /* a set of states: SKED_LIFE_BIT(), joined by | */
    uint32_t event;
    uint32_t next;   /* a state, or SKED_LIFE_BEFORE */
    uint32_t causes; /* enum sked_life_cause, joined by | */
    uint32_t marks;  /* enum sked_life_edge_mark */
} sked_life_edge;

/* In these states, with one of these states as the goal, this is to be done.
 * What no row names needs nothing. Frozen layout. */
typedef struct sked_life_goal {
    uint64_t goals;
    uint64_t states;
    uint32_t action;
    uint32_t reserved; /* 0 */
} sked_life_goal;

/* A life, as data. States, events and actions are numbered by their rows. */
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

/* The tables that are here. */
enum sked_life_table_id {
    SKED_LIFE_TABLE_QUEUED = 1, /* a task as the resource manager sees it */
    SKED_LIFE_TABLE_TASK = 2,   /* a task as the job manager sees it */
    SKED_LIFE_TABLE_JOB = 3,
    SKED_LIFE_TABLE_UPDATE = 4,
    SKED_LIFE_TABLE_NODE = 5,  /* a node in maintenance */
    SKED_LIFE_TABLE_OFFER = 6, /* what a node has free */
    SKED_LIFE_TABLE_GROUP = 7  /* tasks that an engine (engine.h) started */
};

/* States of SKED_LIFE_TABLE_QUEUED and SKED_LIFE_TABLE_TASK. */
enum sked_life_task {
    SKED_LIFE_TASK_UNKNOWN = 0,
    SKED_LIFE_TASK_INITIALIZED = 1,
    SKED_LIFE_TASK_PENDING = 2,
    SKED_LIFE_TASK_READY = 3, /* admitted */
    SKED_LIFE_TASK_PLACING = 4,
    SKED_LIFE_TASK_RESERVED = 5, /* a node is reserved for it */
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
    SKED_LIFE_NODE_QUARANTINED = 4 /* things fail on it */
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
    SKED_LIFE_STARTED_KILLED = 3,  /* held, and told to end with its job */
    SKED_LIFE_STARTED_GONE = 4
};

/* Events of the tables that are here: one list for all of them. */
enum sked_life_event {
    SKED_LIFE_EVENT_ENQUEUE = 0,
    SKED_LIFE_EVENT_ADMIT = 1,
    SKED_LIFE_EVENT_DEQUEUE = 2, /* placement has taken it */
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
    SKED_LIFE_EVENT_KILL = 15,   /* it is to end */
    SKED_LIFE_EVENT_KILLED = 16, /* it has ended so */
    SKED_LIFE_EVENT_TIMEOUT = 17,
    SKED_LIFE_EVENT_CYCLE_OVER = 18, /* a time-out that ends a cycle of it */
    SKED_LIFE_EVENT_RECOVER = 19,
    SKED_LIFE_EVENT_NEW_RUN = 20, /* begins anew, as another run */
    SKED_LIFE_EVENT_DELETE = 21,
    SKED_LIFE_EVENT_CREATED = 22, /* all tasks of a job are there */
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
    SKED_LIFE_EVENT_END = 40, /* the last of it has ended */
    SKED_LIFE_EVENT_EVENTS = 41
};

/* What is to be done: actions of the tables that are here. */
enum sked_life_action {
    SKED_LIFE_ACTION_NOTHING = 0,
    SKED_LIFE_ACTION_START = 1,
    SKED_LIFE_ACTION_STOP = 2,
    SKED_LIFE_ACTION_CHECK_LAUNCH = 3, /* it should be running soon */
    SKED_LIFE_ACTION_RESTART = 4,      /* after a delay: sked_life_restart() */
    SKED_LIFE_ACTION_RETRY = 5,        /* if it has failed seldom enough */
    SKED_LIFE_ACTION_SHUT_DOWN = 6,    /* what runs it, for it does not end */
    SKED_LIFE_ACTION_INITIALIZE = 7,   /* as another run */
    SKED_LIFE_ACTION_DELETE = 8,
    SKED_LIFE_ACTION_RELOAD = 9,
    SKED_LIFE_ACTION_INVALID = 10, /* there is no way from here to this goal */
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
    SKED_LIFE_ACTION_NOTE = 21,  /* write down how far it came */
    SKED_LIFE_ACTION_ACTIONS = 22
};

/* A table that is here; NULL for a number without a table. Valid for ever. */
SKED_API const sked_life_table *sked_life_table_of(uint32_t which);

/* Where something is in its life. Frozen layout. */
typedef struct sked_life_at {
    uint32_t state;
    uint32_t before; /* the state before the last move, or SKED_LIFE_NONE */
} sked_life_at;

/* What became of an event. */
enum sked_life_outcome {
    SKED_LIFE_OUTCOME_MOVED = 1,
    SKED_LIFE_OUTCOME_STAYED = 2, /* legal, and already so */
    SKED_LIFE_OUTCOME_IGNORED = 3 /* over: nothing moves it any more */
};

/* Frozen layout. */
typedef struct sked_life_step {
    sked_life_at at;  /* from now on */
    uint32_t outcome; /* enum sked_life_outcome */
    uint32_t edge;    /* the row that was taken, or SKED_LIFE_NONE */
} sked_life_step;

/*
 * Where an event leads that `cause` (one of enum sked_life_cause) brings about.
 * An edge back (SKED_LIFE_BEFORE) needs at->before. Only what is read here is
 * checked: of a table of your own, check it once (sked_life_check()).
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a state, event or cause that
 * is not there, or an edge that leads nowhere: its row in `err`),
 * SKED_ERR_STATE (not legal: `err` says what would be, or who may) or
 * SKED_ERR_VERSION. On failure nothing is written. Cost: O(edges).
 */
SKED_TRY sked_status sked_life_next(const sked_life_table *table,
                                    const sked_life_at *at, uint32_t event,
                                    uint32_t cause, sked_life_step *step,
                                    sked_error *err);

/*
 * The edges that `causes` (a set) may take in a state: their rows, ascending.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, or `cap` is too
 * small: then only `*n` is written) or SKED_ERR_VERSION. Cost: O(edges).
 */
SKED_TRY sked_status sked_life_legal(const sked_life_table *table,
                                     uint32_t state, uint32_t causes,
                                     uint32_t *edges, size_t cap, size_t *n,
                                     sked_error *err);

/*
 * The edge by which a state is left for another when that is asked for: the
 * first that is not forced. From a state to itself there is always a way, with
 * SKED_LIFE_NONE for its edge.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state), SKED_ERR_STATE
 * (no such edge: `err` says where the edges lead) or SKED_ERR_VERSION. Cost:
 * O(edges).
 */
SKED_TRY sked_status sked_life_way(const sked_life_table *table, uint32_t state,
                                   uint32_t to, uint32_t *edge,
                                   sked_error *err);

/* What is to be done in `state`, if `goal` is where it is to end. Returns
 * SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state or goal) or
 * SKED_ERR_VERSION. Cost: O(goals). */
SKED_TRY sked_status sked_life_act(const sked_life_table *table, uint32_t goal,
                                   uint32_t state, uint32_t *action,
                                   sked_error *err);

/* What a table that can be read does wrong. */
enum sked_life_fault_code {
    SKED_LIFE_FAULT_NO_START = 1,    /* no state is marked as a start */
    SKED_LIFE_FAULT_UNREACHABLE = 2, /* no way from a start to this state */
    SKED_LIFE_FAULT_DEAD_END = 3,    /* no edge leaves it, and it is no end */
    SKED_LIFE_FAULT_TRAP = 4,        /* no end can be reached from it, though
                                        there are ends */
    /* A cycle through this state that neither a user nor a node is needed for,
     * and of which no edge is counted: it can go round for ever. */
    SKED_LIFE_FAULT_CYCLE = 5,
    SKED_LIFE_FAULT_UNUSED = 6 /* marked as unused, and an edge touches it */
};

/* Frozen layout. */
typedef struct sked_life_fault {
    uint32_t code;  /* enum sked_life_fault_code */
    uint32_t state; /* or SKED_LIFE_NONE */
} sked_life_fault;

/*
 * Checks a table. First that it can be read: sizes, names (none twice), states,
 * events, causes and actions that there are, at most one edge for a state,
 * event and cause, one goal row for a goal and state; `err` names the list and
 * has the row of the first that is not. Then how it behaves: all faults are
 * written, by code, then by state, and `err` has the first. From a state that
 * an edge back leaves, every state is taken to follow that has an edge to it.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a pointer or a text), SKED_ERR_RANGE (a
 * number; or `cap` is too small: then only `*n` is written), SKED_ERR_EXISTS (a
 * name, an edge or a goal twice), SKED_ERR_INVALID (there are faults: they and
 * `*n` are written) or SKED_ERR_VERSION. Cost: O(edges^2 + names^2).
 */
SKED_TRY sked_status sked_life_check(const sked_life_table *table,
                                     sked_life_fault *faults, size_t cap,
                                     size_t *n, sked_error *err);

/*
 * A table that can be read as a diagram in Graphviz' language: a node a state,
 * ends with two rings, an arrow for each edge, what only a timer causes dashed.
 * `*n` is its length without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a number, or `cap` is too
 * small: then only `*n` is written), SKED_ERR_EXISTS or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_format(const sked_life_table *table, char *text,
                                      size_t cap, size_t *n, sked_error *err);

/* ---- Instances ---- */

enum sked_life_health {
    SKED_LIFE_HEALTH_UNKNOWN = 0,
    SKED_LIFE_HEALTH_DISABLED = 1, /* nothing is looked at: taken as healthy */
    SKED_LIFE_HEALTH_HEALTHY = 2,
    SKED_LIFE_HEALTH_UNHEALTHY = 3
};

/* Why an instance was ended. */
enum sked_life_ended {
    SKED_LIFE_ENDED_NOT = 0,
    SKED_LIFE_ENDED_MAINTENANCE = 1, /* of its node */
    SKED_LIFE_ENDED_UPDATE = 2,
    SKED_LIFE_ENDED_FAILURE = 3,
    SKED_LIFE_ENDED_OTHER = 4
};

/* A second one that an update started beside an instance. */
enum sked_life_beside {
    SKED_LIFE_BESIDE_NONE = 0,
    SKED_LIFE_BESIDE_COMING = 1,
    SKED_LIFE_BESIDE_UP = 2, /* runs and is healthy */
    SKED_LIFE_BESIDE_FAILED = 3
};

/* One instance of a job, as a manager knows it. A version is whatever tells two
 * settings of an instance apart; 0: none. Frozen layout. */
typedef struct sked_life_instance {
    uint64_t version; /* that it runs, or ran last */
    uint64_t desired; /* that it is to run */
    uint64_t run;     /* counts its runs */
    uint64_t desired_run;
    sked_time since;   /* it is in this state */
    uint32_t state;    /* enum sked_life_task */
    uint32_t goal;     /* enum sked_life_task; UNKNOWN: none */
    uint32_t health;   /* enum sked_life_health */
    uint32_t ended;    /* enum sked_life_ended */
    uint32_t failures; /* of the desired version */
    uint32_t beside;   /* enum sked_life_beside */
    uint32_t told;     /* 1: another part of the host told it to stop; it is
                          still there */
    uint32_t reserved; /* 0 */
} sked_life_instance;

/*
 * May what is known of an instance be replaced by `next`? Neither run nor
 * desired run may fall. Another run is accepted with state INITIALIZED alone;
 * in the same run the state must be one that SKED_LIFE_TABLE_TASK leads to. The
 * goal DELETED may change only along with the desired version.
 *
 * Returns SKED_OK (it may), SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration has no
 * such value) or SKED_ERR_STATE (it may not: why).
 */
SKED_TRY sked_status sked_life_may_replace(const sked_life_instance *now,
                                           const sked_life_instance *next,
                                           sked_error *err);

typedef struct sked_life_act_options {
    uint32_t struct_size;
    uint32_t type; /* enum sked_life_type; 0: BATCH */
    sked_time now;
    int64_t launch_ns; /* a launch that takes longer is lost; 0: 180 minutes */
    int64_t kill_ns;   /* and a kill; 0: 180 minutes */
} sked_life_act_options;

/*
 * What is to be done about an instance. While its version or run is not the one
 * desired, and its goal is not an end (for its run: SUCCEEDED is not one):
 * STOP, or INITIALIZE once it has ended. Else what SKED_LIFE_TABLE_TASK says.
 * With options, CHECK_LAUNCH becomes INITIALIZE where the launch is overdue (a
 * task that is starting only of BATCH), and it and SHUT_DOWN become NOTHING
 * until then. RELOAD without a state or a goal.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_task_action(const sked_life_instance *instance,
                                           const sked_life_act_options *options,
                                           uint32_t *action, sked_error *err);

/* ---- Jobs ---- */

enum sked_life_type {
    SKED_LIFE_TYPE_BATCH = 1,
    SKED_LIFE_TYPE_STATELESS = 2,
    SKED_LIFE_TYPE_STATEFUL = 3,
    SKED_LIFE_TYPE_DAEMON = 4
};

enum sked_life_again {
    SKED_LIFE_AGAIN_NEVER = 1,
    SKED_LIFE_AGAIN_FAILED = 2, /* failed, lost and killed ones */
    SKED_LIFE_AGAIN_ALWAYS = 3
};

/* What a type implies. */
typedef struct sked_life_nature {
    uint32_t struct_size;
    uint32_t goal;        /* enum sked_life_task: where an instance is to end */
    uint32_t preemptible; /* 1: by nature, 0: never, whatever its SLA says */
    uint32_t pinned;      /* 1: it goes back to the node where it was */
    uint32_t per_node;    /* 1: one on every node */
    uint32_t updates;     /* 1: may be updated */
    uint32_t again;       /* enum sked_life_again */
    uint32_t rounds;      /* of placement, looking for better nodes */
    int64_t place_ns;     /* placement looks for so long */
} sked_life_nature;

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such type) or
 * SKED_ERR_VERSION. [PEL-1] */
SKED_TRY sked_status sked_life_nature_of(uint32_t type,
                                         sked_life_nature *nature,
                                         sked_error *err);

typedef struct sked_life_job_input {
    uint32_t struct_size;
    uint32_t type;      /* enum sked_life_type */
    uint32_t state;     /* enum sked_life_job: so far */
    uint32_t goal;      /* enum sked_life_job; UNINITIALIZED: none */
    uint64_t instances; /* that there are to be */
    uint64_t version;   /* of the state, and of the goal: for actions */
    uint64_t goal_version;
    uint64_t tasks[18];  /* how many are in each state (enum sked_life_task) */
    uint32_t controller; /* the state of a task that drives the others, or
                            UNKNOWN */
    uint32_t created;    /* 1: all instances were made once, so that there
                            being fewer now does not mean they are to come */
} sked_life_job_input;

/*
 * The state of a job, from those of its tasks.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration, or more than
 * 2^32 tasks) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_job_state(const sked_life_job_input *input,
                                         uint32_t *state, sked_error *err);

/* What is to be done about a job: what SKED_LIFE_TABLE_JOB says, but that with
 * a version below that of a goal RUNNING its tasks are made or started. Returns
 * what sked_life_job_state() returns. */
SKED_TRY sked_status sked_life_job_action(const sked_life_job_input *input,
                                          uint32_t *action, sked_error *err);

/* ---- SLA ---- */

enum sked_life_availability {
    SKED_LIFE_AVAILABILITY_INVALID = 0, /* not there to be available: deleted */
    SKED_LIFE_AVAILABILITY_AVAILABLE = 1,
    SKED_LIFE_AVAILABILITY_UNAVAILABLE = 2,
    SKED_LIFE_AVAILABILITY_KILLED = 3 /* on purpose */
};

/* Returns enum sked_life_availability, INVALID for a pointer that is NULL. */
SKED_API uint32_t sked_life_availability_of(const sked_life_instance *instance);

/* What a job was promised. [PEL-3] */
typedef struct sked_life_sla {
    uint32_t struct_size;
    uint32_t type; /* enum sked_life_type; 0: BATCH */
    int32_t priority;
    uint32_t preemptible;      /* 1: its tasks may be preempted */
    uint32_t revocable;        /* 1: it runs on what others leave unused */
    uint32_t least_running;    /* available ones; 0: no such promise */
    uint32_t most_unavailable; /* of those there are to be; 0: no promise */
    uint32_t reserved;         /* 0 */
} sked_life_sla;

/* How many instances, from the first one on, are to be placed together or not
 * at all: the least that are to run, of a BATCH job that is not revocable; else
 * 1. At most `instances`. NULL: 1 at most. */
SKED_API uint64_t sked_life_gang_of(const sked_life_sla *sla,
                                    uint64_t instances);

/* Frozen layout. */
typedef struct sked_life_stats {
    uint64_t available;   /* without those told to stop */
    uint64_t unavailable; /* with them */
    uint64_t killed;
} sked_life_stats;

/* Counts instances. Returns SKED_OK or SKED_ERR_ARG. Cost: O(n). */
SKED_TRY sked_status sked_life_count(const sked_life_instance *instances,
                                     size_t n, sked_life_stats *counts,
                                     sked_error *err);

/* Who wants to stop something. */
enum sked_life_stopper {
    SKED_LIFE_STOPPER_UPDATE = 1,
    SKED_LIFE_STOPPER_PREEMPTION = 2, /* nothing of what is not preemptible */
    SKED_LIFE_STOPPER_MAINTENANCE = 3
};

/*
 * How many available instances may be stopped now. One that is not available
 * may be stopped at any time. Each part of the host that stops some counts them
 * as unavailable from that moment (sked_life_stop()), so that all parts
 * together never break the SLA. NULL `sla`: all that are available.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such stopper or type) or
 * SKED_ERR_VERSION. [PEL-3]
 */
SKED_TRY sked_status sked_life_may_stop(const sked_life_sla *sla,
                                        const sked_life_stats *counts,
                                        uint32_t stopper, uint64_t *n,
                                        sked_error *err);

/* Counts `n` available instances as unavailable, or none of them: returns what
 * sked_life_may_stop() returns, or SKED_ERR_STATE (the SLA does not let so many
 * go; err->limit of err->got). */
SKED_TRY sked_status sked_life_stop(const sked_life_sla *sla, uint32_t stopper,
                                    uint64_t n, sked_life_stats *counts,
                                    sked_error *err);

/* ---- Policies ---- */

/* min(most_ns, first_ns * 2^(failures - 1)), and 0 without failures. Negative
 * times count as 0. */
SKED_API int64_t sked_life_backoff(uint32_t failures, int64_t first_ns,
                                   int64_t most_ns);

typedef struct sked_life_restart_options {
    uint32_t struct_size;
    uint32_t type;          /* enum sked_life_type; 0: BATCH */
    uint32_t again;         /* enum sked_life_again; 0: as the type implies */
    uint32_t max_failures;  /* of an instance with a goal to end */
    uint32_t max_system;    /* at least so many where the system fails; 0: 4 */
    uint32_t end_preempted; /* 1: what is preempted is not started again */
    int64_t first_ns;       /* the delay after one failure; 0: 30 s */
    int64_t most_ns;        /* at most; 0: 60 minutes */
} sked_life_restart_options;

/* How an instance ended, beside its own record. */
enum sked_life_end {
    SKED_LIFE_END_PLAIN = 0,
    SKED_LIFE_END_SYSTEM = 1, /* could not be launched: no fault of its own */
    SKED_LIFE_END_PREEMPTED = 2
};

/* What follows. Frozen layout. */
typedef struct sked_life_restart_result {
    uint32_t again;    /* 1: once more, through admission; 0: that was it */
    uint32_t failures; /* to be remembered */
    int64_t delay_ns;  /* before that */
} sked_life_restart_result;

/*
 * What follows the end of an instance: state SUCCEEDED, FAILED, KILLED or LOST.
 * Failures rise by one with FAILED, with SUCCEEDED where the goal is RUNNING,
 * and with KILLED where the goal is not KILLED and it was not preempted; not
 * while another version is desired. LOST is no failure. With a goal to end, it
 * goes on below the larger of max_failures and, where the system failed,
 * max_system; a goal RUNNING goes on for ever. What never goes on again: goals
 * KILLED, DELETED, FAILED and PREEMPTING; what has succeeded, where that was
 * the goal; one of a DAEMON that is lost with its node.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_STATE (it has not
 * ended) or SKED_ERR_VERSION. [PEL-15]
 */
SKED_TRY sked_status sked_life_restart(const sked_life_instance *instance,
                                       uint32_t end,
                                       const sked_life_restart_options *options,
                                       sked_life_restart_result *result,
                                       sked_error *err);

/* Where NULL is handed over: 10 minutes and 5 more, 3 attempts, 3 cycles, 20,
 * 10 and 30 minutes. In a struct, 0 is 0. */
typedef struct sked_life_placing_options {
    uint32_t struct_size;
    uint32_t attempts;  /* in a cycle; 0: all alike, and no cycle ends */
    uint32_t cycles;    /* before a node is reserved; 0: never */
    uint32_t reserve;   /* 1: reserve a node then */
    uint32_t plain;     /* 1: no back-off: always back to READY */
    uint32_t reserved;  /* 0 */
    int64_t placing_ns; /* time-outs, by state; 0: none */
    int64_t backoff_ns; /* more with each attempt of a cycle */
    int64_t launching_ns;
    int64_t preempting_ns;
    int64_t reserved_ns;
} sked_life_placing_options;

/* How often placement was tried. Start from zeros. Frozen layout. */
typedef struct sked_life_tries {
    uint32_t attempt; /* of this cycle */
    uint32_t cycle;   /* cycles before it */
} sked_life_tries;

/* Frozen layout. */
typedef struct sked_life_placing_result {
    uint32_t to;         /* enum sked_life_task */
    uint32_t reserve;    /* 1: reserve a node for it */
    uint32_t cycle_over; /* 1: of these tries */
    uint32_t all_over;   /* 1: all cycles are over */
    int64_t timeout_ns;  /* in this state, 0: none */
    int64_t backoff_ns;  /* of it, by the attempt */
} sked_life_placing_result;

/*
 * A task comes into `state`: how long it may stay. In PLACING this is an
 * attempt and counts as one: placing_ns + (attempt modulo attempts) *
 * backoff_ns; result and `tries` are those after it.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, a negative
 * time) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_placing_begin(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/*
 * The time in `state` is over. PLACING goes to READY, with `reserve` when all
 * cycles are over and a node is to be reserved, to PENDING (again through
 * admission) when the cycle is over; LAUNCHING to READY, PREEMPTING to RUNNING,
 * RESERVED to PENDING with `tries` at zero.
 *
 * Returns what sked_life_placing_begin() returns, or SKED_ERR_STATE (the state
 * has no time-out).
 */
SKED_TRY sked_status sked_life_placing_timeout(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/* Placement gave it back. PLACING goes to PENDING when the cycle is over, else
 * to READY; READY and PENDING stay. Returns what sked_life_placing_timeout()
 * returns. */
SKED_TRY sked_status sked_life_placing_return(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

typedef struct sked_life_node_options {
    uint32_t struct_size;
    uint32_t failures; /* so many ... 0: 5 */
    int64_t within_ns; /* ... within so long; 0: 10 minutes */
    int64_t first_ns;  /* out for so long, 0: 10 minutes; twice that with */
    int64_t most_ns;   /* each time in a row, up to this; 0: 24 hours */
    int64_t nodes_ppm; /* of all nodes at most, 1 to SKED_PPM; 0: a tenth */
} sked_life_node_options;

/* What is remembered of a node. Start from zeros. Frozen layout. */
typedef struct sked_life_record {
    sked_time from;  /* failures are counted since */
    sked_time until; /* it is out, or was last */
    uint32_t failures;
    uint32_t times;    /* it was out in a row */
    uint32_t out;      /* 1: it is out */
    uint32_t reserved; /* 0 */
} sked_life_record;

/* Of all nodes, so many are out. Frozen layout. */
typedef struct sked_life_nodes {
    uint64_t n;
    uint64_t out;
} sked_life_nodes;

/*
 * Something failed on a node, not by its own fault alone; or went well. After
 * so many failures the node is out of use, unless so many are out that the
 * cause must be another. Its first failure after it came back puts it out
 * again, for longer; what goes well there lets it begin anew. nodes->out
 * follows.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a setting) or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_node_fail(sked_life_record *node, sked_time now,
                                         const sked_life_node_options *options,
                                         sked_life_nodes *nodes,
                                         sked_error *err);
SKED_API void sked_life_node_succeed(sked_life_record *node);

/* 1: the node is out of use. Its time may be over: then it is back, and
 * nodes->out follows. NULL: 0. */
SKED_API int sked_life_node_is_out(sked_life_record *node, sked_time now,
                                   sked_life_nodes *nodes);

/* ---- Secrets ---- */

/*
 * References to what a task may see and we may not: any numbers but 0 that the
 * host can turn into secrets. They come back at launch and go nowhere else: no
 * log, trace, error, digest, snapshot or diagram has them, and memory that held
 * one is overwritten before it is given back. [PEL-19]
 */
typedef struct sked_life_secrets sked_life_secrets;

/* The secret of every task of a job that has none of its own. */
#define SKED_LIFE_EVERY_TASK UINT64_MAX

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_secrets_new(const sked_host *host,
                                           sked_life_secrets **secrets,
                                           sked_error *err);

/* Overwrites and frees. NULL is allowed. */
SKED_API void sked_life_secrets_free(sked_life_secrets *secrets);

/*
 * The secret of a task of a job, in place of the one it had; 0 takes it back.
 * The numbers of tasks are those of decisions (decision.h).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOMEM. Cost: O(1) expected.
 */
SKED_TRY sked_status sked_life_secrets_set(sked_life_secrets *secrets,
                                           uint64_t job, uint64_t task,
                                           uint64_t reference, sked_error *err);

/*
 * At launch: the secrets of `count` tasks from `task` on, as a decision to
 * allocate says them; 0 for those without one.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (task + count). Cost:
 * O(count) expected.
 */
SKED_TRY sked_status sked_life_secrets_launch(const sked_life_secrets *secrets,
                                              uint64_t job, uint64_t task,
                                              size_t count,
                                              uint64_t *references,
                                              sked_error *err);

/* The job is over: takes back all its secrets. Cost: O(secrets). */
SKED_API void sked_life_secrets_forget(sked_life_secrets *secrets,
                                       uint64_t job);

/* ---- Updates ---- */

/*
 * An update brings instances of a job from one version to another, at most so
 * many at a time, and back again if too many fail. [PEL-6] It is told how the
 * instances are and says what to do next; its states and events are those of
 * SKED_LIFE_TABLE_UPDATE, and docs/life.md proves what it promises:
 *
 *   it never stops an available instance that the SLA needs;
 *   it ends, if whatever it was told to start comes up or fails in the end;
 *   rolled back, every instance has the version it had.
 *
 * To restart instances, give them a new version with the old contents; to stop
 * or start all of a job, take them away or add them.
 */
typedef struct sked_life_update sked_life_update;

enum { SKED_MAX_LIFE_INSTANCES = 1048576 }; /* instances of one update */

/* Columns of `n` rows, one for each instance. */
typedef struct sked_life_update_input {
    uint32_t struct_size;
    uint32_t reserved;    /* 0 */
    const uint64_t *from; /* the version it has; 0: it is to be added */
    const uint64_t *to;   /* it is to have; 0: it is to be removed */
    const uint32_t *zone; /* or rack, by number; NULL: all in one */
    uint64_t n;           /* up to SKED_MAX_LIFE_INSTANCES */
} sked_life_update_input;

enum sked_life_update_flag {
    SKED_LIFE_UPDATE_FLAG_ROLLBACK = 1, /* too many failed: back to what was */
    SKED_LIFE_UPDATE_FLAG_PAUSE = 2,    /* starts paused */
    SKED_LIFE_UPDATE_FLAG_ZONES = 4, /* one zone after the other, by number */
    SKED_LIFE_UPDATE_FLAG_TOGETHER =
        8 /* those started beside take over when all of
                                    them (of the zone) are up: blue and green */
};

typedef struct sked_life_update_options {
    uint32_t struct_size;
    uint32_t flags;        /* enum sked_life_update_flag */
    uint32_t batch;        /* instances in progress at once; 0: all */
    uint32_t max_failures; /* so many failed instances are too many; 0: never */
    uint32_t max_attempts; /* failures after which an instance has failed; 0:
                              it is never given up for that */
    uint32_t overlap;      /* instances started beside those that they replace,
                              at once; 0: stopped first. UINT32_MAX and
                              SKED_LIFE_UPDATE_FLAG_TOGETHER: blue and green */
    uint32_t canary;       /* so many first; 0: none */
    uint32_t reserved;     /* 0 */
    const sked_life_sla *sla; /* NULL: none */
    int64_t canary_ns; /* they are watched for so long; 0: paused until it
                              is resumed */
    int64_t within_ns; /* an instance in progress for longer has failed; 0:
                              no bound */
} sked_life_update_options;

/*
 * Makes an update; nothing is done yet. Columns and options are copied.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a row, a
 * setting, or an SLA that leaves no way: fewer instances afterwards than are to
 * run, or none that may be stopped, and no overlap) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_update_new(
    const sked_life_update_input *input,
    const sked_life_update_options *options, const sked_host *host,
    sked_life_update **update, sked_error *err);

/* NULL is allowed. */
SKED_API void sked_life_update_free(sked_life_update *update);

/* What an instance is to be told. It says what is to be: one that runs the
 * version of a CHANGE or ADD, since an earlier order was not carried out yet,
 * goes on. */
enum sked_life_order_kind {
    SKED_LIFE_ORDER_ADD = 1,    /* start it at this version */
    SKED_LIFE_ORDER_CHANGE = 2, /* stop it, start it at this version */
    SKED_LIFE_ORDER_REMOVE = 3, /* stop it for good */
    SKED_LIFE_ORDER_BESIDE = 4, /* start another one at it, beside it */
    SKED_LIFE_ORDER_SWITCH = 5, /* stop it: the one beside takes its place */
    SKED_LIFE_ORDER_DROP = 6    /* stop the one beside it */
};

/* Frozen layout. */
typedef struct sked_life_order {
    uint32_t kind; /* enum sked_life_order_kind */
    uint32_t row;  /* of the input */
    uint64_t version;
} sked_life_order;

/*
 * The next step, by how all instances are now: rows as in the input. Orders are
 * handed out once, at most `cap`; what does not fit comes with the next call.
 * An instance that was told has come to its end when
 *
 *   it runs the version and run that is desired, healthy or without checks, or
 *   it has ended as its goal says; one that is removed: when it has ended, is
 *   deleted or unknown. It has failed after max_attempts failures at that
 *   version, or after within_ns.
 *
 * First new instances are added, then others changed (unavailable ones, killed
 * ones, then those that are available), then some removed. Instances that are
 * available are stopped only as the SLA allows: available ones are counted over
 * all rows, unavailable ones over those that are neither added nor removed.
 * Where failed instances alone keep the SLA from letting any other go, the
 * update has failed as if there were too many. One that ends badly drops what
 * it started beside others.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`n` is not that of the
 * input, or the row of an instance that cannot be). Never allocates. Cost:
 * O(n).
 */
SKED_TRY sked_status sked_life_update_step(sked_life_update *update,
                                           const sked_life_instance *instances,
                                           size_t n, sked_time now,
                                           sked_life_order *orders, size_t cap,
                                           size_t *n_orders, sked_error *err);

/*
 * A user says SKED_LIFE_EVENT_PAUSE, RESUME or ABORT. To pause what is paused,
 * to resume what is not and to abort what is over changes nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (another event).
 */
SKED_TRY sked_status sked_life_update_tell(sked_life_update *update,
                                           uint32_t event, sked_error *err);

/* Why an update is as it is. */
enum sked_life_why {
    SKED_LIFE_WHY_NONE = 0,
    SKED_LIFE_WHY_FAILURES = 1, /* too many */
    SKED_LIFE_WHY_STUCK = 2,    /* the SLA lets no other go while so many are
                                   down that failed */
    SKED_LIFE_WHY_CANARY = 3,   /* paused, or watched: the first are done */
    SKED_LIFE_WHY_TOLD = 4,
    SKED_LIFE_WHY_SLA = 5 /* waits for instances that are down by others */
};

typedef struct sked_life_update_stats {
    uint32_t struct_size;
    uint32_t why;    /* enum sked_life_why */
    sked_life_at at; /* enum sked_life_update_state */
    uint64_t total;  /* instances to be told, in this direction */
    uint64_t done;
    uint64_t failed;
    uint64_t progress; /* told, and neither */
    uint64_t waiting;  /* not told yet */
    uint32_t zone;     /* in turn, with SKED_LIFE_UPDATE_FLAG_ZONES */
    uint32_t reserved;
} sked_life_update_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost: O(n). */
SKED_TRY sked_status sked_life_update_get_stats(const sked_life_update *update,
                                                sked_life_update_stats *result,
                                                sked_error *err);

/* How far an instance is. */
enum sked_life_phase {
    SKED_LIFE_PHASE_UNTOUCHED = 0,
    SKED_LIFE_PHASE_WAITING = 1,
    SKED_LIFE_PHASE_TOLD = 2,
    SKED_LIFE_PHASE_BESIDE = 3,   /* one was started beside it */
    SKED_LIFE_PHASE_SWITCHED = 4, /* which is to take over */
    SKED_LIFE_PHASE_DROPPING = 5, /* or to go */
    SKED_LIFE_PHASE_DONE = 6,
    SKED_LIFE_PHASE_FAILED = 7
};

/* The phase of each row. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap`
 * too small: only `*n` is written). */
SKED_TRY sked_status sked_life_update_phases(const sked_life_update *update,
                                             uint8_t *phases, size_t cap,
                                             size_t *n, sked_error *err);

/*
 * The whole update as bytes, the same on every machine; and an update that goes
 * on from there. Bytes that were changed are refused.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written).
 */
SKED_TRY sked_status sked_life_update_save(const sked_life_update *update,
                                           uint8_t *bytes, size_t cap,
                                           size_t *n, sked_error *err);

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_CORRUPT or
 * SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_update_load(const uint8_t *bytes, size_t n,
                                           const sked_host *host,
                                           sked_life_update **update,
                                           sked_error *err);

/* What is to be done about an update in a state (enum sked_life_update_state),
 * of which `processed` of `total` instances are done or failed: what
 * SKED_LIFE_TABLE_UPDATE says, and COMPLETE in place of RUN once there are no
 * more. SKED_LIFE_ACTION_RELOAD for a number that is not a state. */
SKED_API uint32_t sked_life_update_action(uint32_t state, uint64_t processed,
                                          uint64_t total);

/* How one instance is in an update to version `target`: DONE, FAILED or TOLD
 * (in progress) of enum sked_life_phase, as sked_life_update_step() judges it
 * by its state and failures. UNTOUCHED for a pointer that is NULL. */
SKED_API uint32_t sked_life_update_judge(const sked_life_instance *instance,
                                         uint64_t target,
                                         uint32_t max_attempts);

enum sked_life_workflow {
    SKED_LIFE_WORKFLOW_UPDATE = 1,
    SKED_LIFE_WORKFLOW_START = 2,
    SKED_LIFE_WORKFLOW_STOP = 3,
    SKED_LIFE_WORKFLOW_RESTART = 4
};

/*
 * A new workflow, where one of kind `live` is in `state`: OK when it may begin,
 * the live one (if it is not over) being aborted; `*same` 1 when it is `equal`
 * to the live one, which simply goes on.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such kind or state) or
 * SKED_ERR_STATE (only an update may take the place of one, and only of an
 * update).
 */
SKED_TRY sked_status sked_life_overwrite(uint32_t live, uint32_t state,
                                         uint32_t wanted, int equal, int *same,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
