/* Lives of a task: as the resource manager sees it, which moves it one edge at
 * a time, and as the job manager does, which is told of most moves. */
#include "life/life.h"

#define TS(state) SKED_LIFE_BIT(SKED_LIFE_TASK_##state)
#define TO(on, to) .event = SKED_LIFE_ON_##on, .next = SKED_LIFE_TASK_##to

#define LIFE_TASK_STATES(reserved_marks, starting_marks)                       \
    {                                                                          \
        LIFE_NAME("UNKNOWN", LIFE_UNUSED),                                     \
            LIFE_NAME("INITIALIZED", LIFE_START), LIFE_NAME("PENDING", 0),     \
            LIFE_NAME("READY", 0), LIFE_NAME("PLACING", 0),                    \
            LIFE_NAME("RESERVED", reserved_marks), LIFE_NAME("PLACED", 0),     \
            LIFE_NAME("LAUNCHING", 0), LIFE_NAME("LAUNCHED", 0),               \
            LIFE_NAME("STARTING", starting_marks), LIFE_NAME("RUNNING", 0),    \
            LIFE_NAME("PREEMPTING", 0), LIFE_NAME("KILLING", 0),               \
            LIFE_NAME("SUCCEEDED", LIFE_END), LIFE_NAME("FAILED", LIFE_END),   \
            LIFE_NAME("KILLED", LIFE_END), LIFE_NAME("LOST", LIFE_END),        \
            LIFE_NAME("DELETED", LIFE_END)                                     \
    }

/* ---- At the resource manager ---- */

static const sked_life_name life_queued_states[] = LIFE_TASK_STATES(
    0, LIFE_UNUSED);

enum {
    LIFE_QUEUED_TURN = SKED_LIFE_EDGE_COUNTED | SKED_LIFE_EDGE_FORCED,
    LIFE_QUEUED_STOP = SKED_LIFE_BY_USER | SKED_LIFE_BY_JOBS,
    LIFE_QUEUED_GIVE = SKED_LIFE_BY_PLACEMENT | SKED_LIFE_BY_QUEUES,
    LIFE_QUEUED_AGAIN = SKED_LIFE_EDGE_COUNTED
};

static const sked_life_edge life_queued_edges[] = {
    {TS(INITIALIZED), TO(ENQUEUE, PENDING), SKED_LIFE_BY_JOBS, 0},
    /* What ran when the manager began anew. */
    {TS(INITIALIZED), TO(RUN, RUNNING), SKED_LIFE_BY_QUEUES, 0},
    {TS(INITIALIZED), TO(LAUNCH, LAUNCHING), SKED_LIFE_BY_QUEUES, 0},
    {TS(INITIALIZED), TO(LAUNCHED, LAUNCHED), SKED_LIFE_BY_QUEUES, 0},
    {TS(PENDING), TO(ADMIT, READY), SKED_LIFE_BY_QUEUES, 0},
    {TS(READY), TO(DEQUEUE, PLACING), SKED_LIFE_BY_PLACEMENT, 0},
    {TS(READY), TO(RESERVE, RESERVED), SKED_LIFE_BY_PLACEMENT, 0},
    /* Of PENDING and READY: found a place after the time for it was over. */
    {TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED), TO(PLACE, PLACED),
     SKED_LIFE_BY_PLACEMENT, 0},
    {TS(PLACING), TO(RETURN, READY), LIFE_QUEUED_GIVE, LIFE_QUEUED_AGAIN},
    {TS(READY) | TS(PLACING) | TS(RESERVED), TO(REQUEUE, PENDING),
     LIFE_QUEUED_GIVE, LIFE_QUEUED_AGAIN},
    {TS(PLACED), TO(LAUNCH, LAUNCHING), SKED_LIFE_BY_JOBS, 0},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(LAUNCHED, LAUNCHED), SKED_LIFE_BY_JOBS,
     0},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(RETURN, READY), SKED_LIFE_BY_JOBS,
     LIFE_QUEUED_AGAIN},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(RUN, RUNNING), SKED_LIFE_BY_NODE, 0},
    {TS(RUNNING), TO(SUCCEED, SUCCEEDED), SKED_LIFE_BY_NODE, 0},
    {TS(RUNNING), TO(FAIL, FAILED), SKED_LIFE_BY_NODE, 0},
    {TS(RUNNING), TO(LOSE, LOST), SKED_LIFE_BY_NODE, 0},
    {TS(RUNNING), TO(PREEMPT, PREEMPTING), SKED_LIFE_BY_QUEUES, 0},
    {TS(RUNNING), TO(KILL, KILLING), LIFE_QUEUED_STOP, 0},
    {TS(RUNNING), TO(KILLED, KILLED), LIFE_QUEUED_STOP | SKED_LIFE_BY_NODE, 0},
    {TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED) | TS(PLACED) |
         TS(LAUNCHING) | TS(LAUNCHED),
     TO(KILLED, KILLED), LIFE_QUEUED_STOP, 0},
    {TS(FAILED), TO(RETURN, READY), SKED_LIFE_BY_JOBS, LIFE_QUEUED_AGAIN},
    {TS(KILLED), TO(REQUEUE, PENDING), SKED_LIFE_BY_JOBS, LIFE_QUEUED_AGAIN},
    {TS(PLACING), TO(TIMEOUT, READY), SKED_LIFE_BY_TIMER, LIFE_QUEUED_TURN},
    {TS(PLACING), TO(CYCLE_OVER, PENDING), SKED_LIFE_BY_TIMER,
     LIFE_QUEUED_TURN},
    {TS(RESERVED), TO(TIMEOUT, PENDING), SKED_LIFE_BY_TIMER, LIFE_QUEUED_TURN},
    {TS(LAUNCHING), TO(TIMEOUT, READY), SKED_LIFE_BY_TIMER, LIFE_QUEUED_TURN},
    /* The next round of preemption may choose it again. */
    {TS(PREEMPTING), TO(TIMEOUT, RUNNING), SKED_LIFE_BY_TIMER,
     LIFE_QUEUED_TURN},
    /* Its end, in whatever state: it is not tracked any more. */
    {TS(INITIALIZED) | TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED) |
         TS(PLACED) | TS(LAUNCHING) | TS(LAUNCHED) | TS(RUNNING) |
         TS(PREEMPTING) | TS(KILLING) | TS(SUCCEEDED) | TS(FAILED) |
         TS(KILLED) | TS(LOST),
     TO(END, DELETED), SKED_LIFE_BY_NODE, SKED_LIFE_EDGE_FORCED},
};

const sked_life_table skedi_life_queued = LIFE_TABLE(
    "queued", life_queued_states, life_queued_edges, NULL, 0);

/* ---- At the job manager ---- */

static const sked_life_name life_task_states[] = LIFE_TASK_STATES(LIFE_UNUSED,
                                                                  0);

/* The resource manager's; and those that may begin to run. */
#define LIFE_TASK_QUEUED                                                       \
    (TS(PENDING) | TS(READY) | TS(PLACING) | TS(PLACED) | TS(LAUNCHING) |      \
     TS(PREEMPTING))
#define LIFE_TASK_AHEAD (TS(INITIALIZED) | LIFE_TASK_QUEUED)
#define LIFE_TASK_LIVE                                                         \
    (LIFE_TASK_AHEAD | TS(LAUNCHED) | TS(STARTING) | TS(RUNNING))
#define LIFE_TASK_ENDED (TS(SUCCEEDED) | TS(FAILED) | TS(KILLED) | TS(LOST))

static const sked_life_edge life_task_edges[] = {
    {LIFE_TASK_AHEAD, TO(ENQUEUE, PENDING), SKED_LIFE_BY_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(ADMIT, READY), SKED_LIFE_BY_QUEUES, LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(DEQUEUE, PLACING), SKED_LIFE_BY_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(PLACE, PLACED), SKED_LIFE_BY_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(LAUNCH, LAUNCHING), SKED_LIFE_BY_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(PREEMPT, PREEMPTING), SKED_LIFE_BY_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD | TS(LAUNCHED), TO(LAUNCHED, LAUNCHED), SKED_LIFE_BY_JOBS,
     0},
    {LIFE_TASK_LIVE, TO(START, STARTING), SKED_LIFE_BY_NODE, 0},
    {LIFE_TASK_LIVE, TO(RUN, RUNNING), SKED_LIFE_BY_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(SUCCEED, SUCCEEDED), SKED_LIFE_BY_NODE,
     0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(FAIL, FAILED), SKED_LIFE_BY_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(KILLED, KILLED), SKED_LIFE_BY_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(LOSE, LOST), SKED_LIFE_BY_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(KILL, KILLING), LIFE_QUEUED_STOP, 0},
    {LIFE_TASK_LIVE | TS(KILLING) | LIFE_TASK_ENDED, TO(NEW_RUN, INITIALIZED),
     SKED_LIFE_BY_JOBS, LIFE_QUEUED_TURN},
    {LIFE_TASK_ENDED, TO(DELETE, DELETED), LIFE_QUEUED_STOP,
     SKED_LIFE_EDGE_FORCED},
};

#define DO(action) SKED_LIFE_DO_##action, 0

static const sked_life_goal life_task_goals[] = {
    {TS(RUNNING) | TS(SUCCEEDED), TS(INITIALIZED), DO(START)},
    {TS(RUNNING) | TS(SUCCEEDED), TS(LAUNCHED) | TS(STARTING),
     DO(CHECK_LAUNCH)},
    {TS(RUNNING), LIFE_TASK_ENDED, DO(RESTART)},
    {TS(RUNNING), TS(KILLING), DO(SHUT_DOWN)},
    {TS(SUCCEEDED), TS(FAILED) | TS(KILLED) | TS(LOST), DO(RETRY)},
    {TS(KILLED) | TS(DELETED) | TS(PREEMPTING),
     TS(INITIALIZED) | TS(PENDING) | TS(LAUNCHED) | TS(STARTING) | TS(RUNNING),
     DO(STOP)},
    {TS(KILLED) | TS(DELETED) | TS(PREEMPTING), TS(KILLING), DO(SHUT_DOWN)},
    {TS(PREEMPTING), TS(PREEMPTING), DO(INVALID)},
    {TS(DELETED), LIFE_TASK_ENDED, DO(DELETE)},
    {TS(FAILED), LIFE_TASK_LIVE | TS(KILLING) | LIFE_TASK_ENDED | TS(DELETED),
     DO(INVALID)},
};

const sked_life_table skedi_life_task = LIFE_TABLE(
    "task", life_task_states, life_task_edges, life_task_goals,
    LIFE_COUNT(life_task_goals));

#undef TS
#undef TO
#undef DO
