/* The states of a task. The resource manager's table moves a task edge by
 * edge; the job manager's table follows the moves that the resource manager
 * reports. */
#include "life/life.h"

#define TS(state) SKED_LIFE_BIT(SKED_LIFE_TASK_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_TASK_##to

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
    LIFE_QUEUED_STOP = SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS,
    LIFE_QUEUED_GIVE = SKED_LIFE_CAUSE_PLACEMENT | SKED_LIFE_CAUSE_QUEUES,
    LIFE_QUEUED_AGAIN = SKED_LIFE_EDGE_COUNTED
};

static const sked_life_edge life_queued_edges[] = {
    {TS(INITIALIZED), TO(ENQUEUE, PENDING), SKED_LIFE_CAUSE_JOBS, 0},
    /* Tasks that already ran when the manager restarted. */
    {TS(INITIALIZED), TO(RUN, RUNNING), SKED_LIFE_CAUSE_QUEUES, 0},
    {TS(INITIALIZED), TO(LAUNCH, LAUNCHING), SKED_LIFE_CAUSE_QUEUES, 0},
    {TS(INITIALIZED), TO(LAUNCHED, LAUNCHED), SKED_LIFE_CAUSE_QUEUES, 0},
    {TS(PENDING), TO(ADMIT, READY), SKED_LIFE_CAUSE_QUEUES, 0},
    {TS(READY), TO(DEQUEUE, PLACING), SKED_LIFE_CAUSE_PLACEMENT, 0},
    {TS(READY), TO(RESERVE, RESERVED), SKED_LIFE_CAUSE_PLACEMENT, 0},
    /* A task in PENDING or READY got its place after the time limit. */
    {TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED), TO(PLACE, PLACED),
     SKED_LIFE_CAUSE_PLACEMENT, 0},
    {TS(PLACING), TO(RETURN, READY), LIFE_QUEUED_GIVE, LIFE_QUEUED_AGAIN},
    {TS(READY) | TS(PLACING) | TS(RESERVED), TO(REQUEUE, PENDING),
     LIFE_QUEUED_GIVE, LIFE_QUEUED_AGAIN},
    {TS(PLACED), TO(LAUNCH, LAUNCHING), SKED_LIFE_CAUSE_JOBS, 0},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(LAUNCHED, LAUNCHED), SKED_LIFE_CAUSE_JOBS,
     0},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(RETURN, READY), SKED_LIFE_CAUSE_JOBS,
     LIFE_QUEUED_AGAIN},
    {TS(LAUNCHING) | TS(LAUNCHED), TO(RUN, RUNNING), SKED_LIFE_CAUSE_NODE, 0},
    {TS(RUNNING), TO(SUCCEED, SUCCEEDED), SKED_LIFE_CAUSE_NODE, 0},
    {TS(RUNNING), TO(FAIL, FAILED), SKED_LIFE_CAUSE_NODE, 0},
    {TS(RUNNING), TO(LOSE, LOST), SKED_LIFE_CAUSE_NODE, 0},
    {TS(RUNNING), TO(PREEMPT, PREEMPTING), SKED_LIFE_CAUSE_QUEUES, 0},
    {TS(RUNNING), TO(KILL, KILLING), LIFE_QUEUED_STOP, 0},
    {TS(RUNNING), TO(KILLED, KILLED), LIFE_QUEUED_STOP | SKED_LIFE_CAUSE_NODE,
     0},
    {TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED) | TS(PLACED) |
         TS(LAUNCHING) | TS(LAUNCHED),
     TO(KILLED, KILLED), LIFE_QUEUED_STOP, 0},
    {TS(FAILED), TO(RETURN, READY), SKED_LIFE_CAUSE_JOBS, LIFE_QUEUED_AGAIN},
    {TS(KILLED), TO(REQUEUE, PENDING), SKED_LIFE_CAUSE_JOBS, LIFE_QUEUED_AGAIN},
    {TS(PLACING), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER, LIFE_QUEUED_TURN},
    {TS(PLACING), TO(CYCLE_OVER, PENDING), SKED_LIFE_CAUSE_TIMER,
     LIFE_QUEUED_TURN},
    {TS(RESERVED), TO(TIMEOUT, PENDING), SKED_LIFE_CAUSE_TIMER,
     LIFE_QUEUED_TURN},
    {TS(LAUNCHING), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER,
     LIFE_QUEUED_TURN},
    /* The next round of preemption may choose the task again. */
    {TS(PREEMPTING), TO(TIMEOUT, RUNNING), SKED_LIFE_CAUSE_TIMER,
     LIFE_QUEUED_TURN},
    /* The end of a task in any state: the manager stops tracking the task. */
    {TS(INITIALIZED) | TS(PENDING) | TS(READY) | TS(PLACING) | TS(RESERVED) |
         TS(PLACED) | TS(LAUNCHING) | TS(LAUNCHED) | TS(RUNNING) |
         TS(PREEMPTING) | TS(KILLING) | TS(SUCCEEDED) | TS(FAILED) |
         TS(KILLED) | TS(LOST),
     TO(END, DELETED), SKED_LIFE_CAUSE_NODE, SKED_LIFE_EDGE_FORCED},
};

const sked_life_table skedi_life_queued = LIFE_TABLE(
    "queued", life_queued_states, life_queued_edges, NULL, 0);

/* ---- At the job manager ---- */

static const sked_life_name life_task_states[] = LIFE_TASK_STATES(LIFE_UNUSED,
                                                                  0);

/* States at the resource manager; then states before the task runs. */
#define LIFE_TASK_QUEUED                                                       \
    (TS(PENDING) | TS(READY) | TS(PLACING) | TS(PLACED) | TS(LAUNCHING) |      \
     TS(PREEMPTING))
#define LIFE_TASK_AHEAD (TS(INITIALIZED) | LIFE_TASK_QUEUED)
#define LIFE_TASK_LIVE                                                         \
    (LIFE_TASK_AHEAD | TS(LAUNCHED) | TS(STARTING) | TS(RUNNING))
#define LIFE_TASK_ENDED (TS(SUCCEEDED) | TS(FAILED) | TS(KILLED) | TS(LOST))

static const sked_life_edge life_task_edges[] = {
    {LIFE_TASK_AHEAD, TO(ENQUEUE, PENDING), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(ADMIT, READY), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(DEQUEUE, PLACING), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(PLACE, PLACED), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(LAUNCH, LAUNCHING), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD, TO(PREEMPT, PREEMPTING), SKED_LIFE_CAUSE_QUEUES,
     LIFE_QUEUED_AGAIN},
    {LIFE_TASK_AHEAD | TS(LAUNCHED), TO(LAUNCHED, LAUNCHED),
     SKED_LIFE_CAUSE_JOBS, 0},
    {LIFE_TASK_LIVE, TO(START, STARTING), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_TASK_LIVE, TO(RUN, RUNNING), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(SUCCEED, SUCCEEDED), SKED_LIFE_CAUSE_NODE,
     0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(FAIL, FAILED), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(KILLED, KILLED), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(LOSE, LOST), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_TASK_LIVE | TS(KILLING), TO(KILL, KILLING), LIFE_QUEUED_STOP, 0},
    {LIFE_TASK_LIVE | TS(KILLING) | LIFE_TASK_ENDED, TO(NEW_RUN, INITIALIZED),
     SKED_LIFE_CAUSE_JOBS, LIFE_QUEUED_TURN},
    {LIFE_TASK_ENDED, TO(DELETE, DELETED), LIFE_QUEUED_STOP,
     SKED_LIFE_EDGE_FORCED},
};

#define DO(action) SKED_LIFE_ACTION_##action, 0

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

/* The states of jobs and updates. A job's state is computed from the job's
 * tasks (job.c); the table lists the moves that are legal. */

#define JS(state) SKED_LIFE_BIT(SKED_LIFE_JOB_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_JOB_##to
#define DO(action) SKED_LIFE_ACTION_##action, 0

enum {
    LIFE_JOB_STOP = SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS,
    LIFE_JOB_AGAIN = SKED_LIFE_EDGE_COUNTED
};

static const sked_life_name life_job_states[] = {
    LIFE_NAME("UNINITIALIZED", LIFE_START),
    LIFE_NAME("INITIALIZED", 0),
    LIFE_NAME("PENDING", 0),
    LIFE_NAME("RUNNING", 0),
    LIFE_NAME("KILLING", 0),
    LIFE_NAME("SUCCEEDED", LIFE_END),
    LIFE_NAME("FAILED", LIFE_END),
    LIFE_NAME("KILLED", LIFE_END),
    LIFE_NAME("DELETED", LIFE_END),
};

#define LIFE_JOB_ENDED (JS(SUCCEEDED) | JS(FAILED) | JS(KILLED))
#define LIFE_JOB_LIVE (JS(INITIALIZED) | JS(PENDING) | JS(RUNNING))

static const sked_life_edge life_job_edges[] = {
    /* The settings were found: first for a batch job, then for a service. */
    {JS(UNINITIALIZED), TO(START, INITIALIZED), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(UNINITIALIZED), TO(ENQUEUE, PENDING), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(INITIALIZED), TO(CREATED, PENDING), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(PENDING), TO(RUN, RUNNING), SKED_LIFE_CAUSE_NODE, 0},
    {JS(RUNNING), TO(STOPPED, PENDING), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_JOB_LIVE, TO(KILL, KILLING), LIFE_JOB_STOP, 0},
    /* The job has no task to end first. */
    {JS(INITIALIZED) | JS(PENDING), TO(KILLED, KILLED), LIFE_JOB_STOP, 0},
    {JS(PENDING) | JS(RUNNING) | JS(KILLING), TO(KILLED, KILLED),
     SKED_LIFE_CAUSE_NODE, 0},
    {JS(PENDING) | JS(RUNNING) | JS(KILLING), TO(SUCCEED, SUCCEEDED),
     SKED_LIFE_CAUSE_NODE, 0},
    {JS(PENDING) | JS(RUNNING) | JS(KILLING), TO(FAIL, FAILED),
     SKED_LIFE_CAUSE_NODE, 0},
    /* Started again, or instances were added. */
    {LIFE_JOB_ENDED, TO(ENQUEUE, PENDING), LIFE_JOB_STOP, LIFE_JOB_AGAIN},
    {LIFE_JOB_ENDED, TO(RUN, RUNNING), SKED_LIFE_CAUSE_NODE, 0},
    {JS(UNINITIALIZED) | LIFE_JOB_LIVE | JS(KILLING) | LIFE_JOB_ENDED,
     TO(DELETE, DELETED), LIFE_JOB_STOP, 0},
};

static const sked_life_goal life_job_goals[] = {
    {JS(RUNNING) | JS(SUCCEEDED), JS(UNINITIALIZED), DO(RECOVER)},
    {JS(RUNNING) | JS(SUCCEEDED), JS(INITIALIZED), DO(CREATE)},
    {JS(RUNNING) | JS(SUCCEEDED), JS(KILLING), DO(INVALID)},
    {JS(SUCCEEDED), LIFE_JOB_ENDED, DO(UNTRACK)},
    {JS(KILLED), JS(UNINITIALIZED) | LIFE_JOB_ENDED, DO(KILL_UNTRACK)},
    {JS(KILLED), LIFE_JOB_LIVE, DO(KILL)},
    {JS(DELETED), JS(UNINITIALIZED), DO(DELETE)},
    {JS(DELETED), LIFE_JOB_LIVE | JS(KILLING), DO(KILL)},
    {JS(DELETED), LIFE_JOB_ENDED, DO(KILL_DELETE)},
    {JS(FAILED),
     JS(UNINITIALIZED) | LIFE_JOB_LIVE | JS(KILLING) | LIFE_JOB_ENDED |
         JS(DELETED),
     DO(INVALID)},
};

const sked_life_table skedi_life_job = LIFE_TABLE(
    "job", life_job_states, life_job_edges, life_job_goals,
    LIFE_COUNT(life_job_goals));

#undef JS
#undef TO

/* ---- Updates ---- */

#define US(state) SKED_LIFE_BIT(SKED_LIFE_UPDATE_STATE_##state)
#define TO(on, to)                                                             \
    .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_UPDATE_STATE_##to

static const sked_life_name life_update_states[] = {
    LIFE_NAME("INVALID", LIFE_UNUSED),   LIFE_NAME("INITIALIZED", LIFE_START),
    LIFE_NAME("ROLLING_FORWARD", 0),     LIFE_NAME("ROLLING_BACKWARD", 0),
    LIFE_NAME("PAUSED", LIFE_START),     LIFE_NAME("SUCCEEDED", LIFE_OVER),
    LIFE_NAME("FAILED", LIFE_OVER),      LIFE_NAME("ABORTED", LIFE_OVER),
    LIFE_NAME("ROLLED_BACK", LIFE_OVER),
};

#define LIFE_UPDATE_ROLLING (US(ROLLING_FORWARD) | US(ROLLING_BACKWARD))
#define LIFE_UPDATE_OVER                                                       \
    (US(SUCCEEDED) | US(FAILED) | US(ABORTED) | US(ROLLED_BACK))

static const sked_life_edge life_update_edges[] = {
    {US(INITIALIZED), TO(START, ROLLING_FORWARD), SKED_LIFE_CAUSE_JOBS, 0},
    {US(ROLLING_FORWARD), TO(DONE, SUCCEEDED), SKED_LIFE_CAUSE_JOBS, 0},
    {US(ROLLING_FORWARD), TO(TOO_MANY, FAILED), SKED_LIFE_CAUSE_JOBS, 0},
    {US(ROLLING_FORWARD), TO(ROLL_BACK, ROLLING_BACKWARD), SKED_LIFE_CAUSE_JOBS,
     0},
    {US(ROLLING_BACKWARD), TO(DONE, ROLLED_BACK), SKED_LIFE_CAUSE_JOBS, 0},
    /* Never back a second time. */
    {US(ROLLING_BACKWARD), TO(TOO_MANY, FAILED), SKED_LIFE_CAUSE_JOBS, 0},
    {US(INITIALIZED) | LIFE_UPDATE_ROLLING | US(PAUSED), TO(PAUSE, PAUSED),
     LIFE_JOB_STOP, 0},
    {US(PAUSED), SKED_LIFE_EVENT_RESUME, SKED_LIFE_BEFORE, SKED_LIFE_CAUSE_USER,
     0},
    {US(INITIALIZED), TO(RESUME, INITIALIZED), SKED_LIFE_CAUSE_USER, 0},
    {US(ROLLING_FORWARD), TO(RESUME, ROLLING_FORWARD), SKED_LIFE_CAUSE_USER, 0},
    {US(ROLLING_BACKWARD), TO(RESUME, ROLLING_BACKWARD), SKED_LIFE_CAUSE_USER,
     0},
    /* By a user, or because a newer update or the end of the job comes. */
    {US(INITIALIZED) | LIFE_UPDATE_ROLLING | US(PAUSED), TO(ABORT, ABORTED),
     LIFE_JOB_STOP, 0},
};

static const sked_life_goal life_update_goals[] = {
    {US(SUCCEEDED), US(INITIALIZED), DO(START)},
    {US(SUCCEEDED), LIFE_UPDATE_ROLLING, DO(RUN)},
    {US(SUCCEEDED), US(PAUSED), DO(NOTE)},
    {US(SUCCEEDED), LIFE_UPDATE_OVER, DO(CLEAR)},
};

const sked_life_table skedi_life_update_table = LIFE_TABLE(
    "update", life_update_states, life_update_edges, life_update_goals,
    LIFE_COUNT(life_update_goals));

#undef US
#undef TO
#undef DO

/* The states of nodes, offers and groups that an engine started; and all tables
 * by number. */

#define NS(state) SKED_LIFE_BIT(SKED_LIFE_NODE_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_NODE_##to

static const sked_life_name life_node_states[] = {
    LIFE_NAME("UP", LIFE_START), LIFE_NAME("DRAINING", 0),
    LIFE_NAME("DRAINED", 0),     LIFE_NAME("DOWN", 0),
    LIFE_NAME("QUARANTINED", 0),
};

static const sked_life_edge life_node_edges[] = {
    {NS(UP) | NS(QUARANTINED), TO(DRAIN, DRAINING), SKED_LIFE_CAUSE_USER, 0},
    {NS(DRAINING), TO(DRAINED, DRAINED), SKED_LIFE_CAUSE_NODE, 0},
    {NS(DRAINED), TO(DOWN, DOWN), SKED_LIFE_CAUSE_USER, 0},
    {NS(DOWN), TO(UP, UP), SKED_LIFE_CAUSE_USER, 0},
    {NS(UP), TO(QUARANTINE, QUARANTINED), SKED_LIFE_CAUSE_JOBS, 0},
    {NS(QUARANTINED), TO(TIMEOUT, UP), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_COUNTED | SKED_LIFE_EDGE_FORCED},
};

const sked_life_table skedi_life_node = LIFE_TABLE("node", life_node_states,
                                                   life_node_edges, NULL, 0);

#undef NS
#undef TO

/* ---- What is free ---- */

#define OS(state) SKED_LIFE_BIT(SKED_LIFE_OFFER_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_OFFER_##to

static const sked_life_name life_offer_states[] = {
    LIFE_NAME("READY", LIFE_START),
    LIFE_NAME("PLACING", 0),
    LIFE_NAME("HELD", 0),
    LIFE_NAME("RESERVED", 0),
};

enum { LIFE_OFFER_GIVE = SKED_LIFE_CAUSE_PLACEMENT | SKED_LIFE_CAUSE_JOBS };

static const sked_life_edge life_offer_edges[] = {
    /* Each match is a new offer with a new number. */
    {OS(READY) | OS(HELD) | OS(RESERVED), TO(MATCH, PLACING),
     SKED_LIFE_CAUSE_PLACEMENT, SKED_LIFE_EDGE_COUNTED},
    {OS(READY), TO(HOLD, HELD), SKED_LIFE_CAUSE_JOBS, SKED_LIFE_EDGE_COUNTED},
    {OS(READY), TO(RESERVE, RESERVED), SKED_LIFE_CAUSE_PLACEMENT,
     SKED_LIFE_EDGE_COUNTED},
    /* An offer is launched, returned or expired. HELD: still held by others. */
    {OS(PLACING), TO(RELEASE, READY), LIFE_OFFER_GIVE, 0},
    {OS(PLACING), TO(HOLD, HELD), LIFE_OFFER_GIVE, 0},
    {OS(PLACING), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {OS(HELD), TO(RELEASE, READY), SKED_LIFE_CAUSE_JOBS, 0},
    {OS(HELD), TO(TIMEOUT, READY), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {OS(RESERVED), TO(RELEASE, READY), SKED_LIFE_CAUSE_PLACEMENT, 0},
};

const sked_life_table skedi_life_offer = LIFE_TABLE("offer", life_offer_states,
                                                    life_offer_edges, NULL, 0);

#undef OS
#undef TO

/* ---- Groups of an engine ---- */

#define GS(state) SKED_LIFE_BIT(SKED_LIFE_STARTED_##state)
#define TO(on, to) .event = SKED_LIFE_EVENT_##on, .next = SKED_LIFE_STARTED_##to

static const sked_life_name life_group_states[] = {
    LIFE_NAME("PROPOSED", LIFE_START), LIFE_NAME("HELD", LIFE_START),
    LIFE_NAME("REVOKED", 0),           LIFE_NAME("KILLED", 0),
    LIFE_NAME("GONE", LIFE_END),
};

#define LIFE_GROUP_ASKED (GS(PROPOSED) | GS(REVOKED))
#define LIFE_GROUP_THERE (LIFE_GROUP_ASKED | GS(HELD) | GS(KILLED))

static const sked_life_edge life_group_edges[] = {
    {GS(PROPOSED), TO(CONFIRM, HELD), SKED_LIFE_CAUSE_JOBS, 0},
    /* The group started in spite of the revocation, and must end. */
    {GS(REVOKED), TO(CONFIRM, KILLED), SKED_LIFE_CAUSE_JOBS, 0},
    {LIFE_GROUP_ASKED, TO(REFUSE, GONE), SKED_LIFE_CAUSE_JOBS, 0},
    {LIFE_GROUP_ASKED, TO(TIMEOUT, GONE), SKED_LIFE_CAUSE_TIMER,
     SKED_LIFE_EDGE_FORCED},
    {GS(PROPOSED), TO(KILL, REVOKED),
     SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS, 0},
    {GS(HELD), TO(KILL, KILLED), SKED_LIFE_CAUSE_USER | SKED_LIFE_CAUSE_JOBS,
     0},
    {LIFE_GROUP_THERE, TO(END, GONE), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_GROUP_THERE, TO(LOSE, GONE), SKED_LIFE_CAUSE_NODE, 0},
};

const sked_life_table skedi_life_group = LIFE_TABLE("group", life_group_states,
                                                    life_group_edges, NULL, 0);

#undef GS
#undef TO

const sked_life_table *sked_life_table_of(uint32_t which)
{
    static const sked_life_table *const tables[] = {
        NULL,
        &skedi_life_queued,
        &skedi_life_task,
        &skedi_life_job,
        &skedi_life_update_table,
        &skedi_life_node,
        &skedi_life_offer,
        &skedi_life_group,
    };

    return which < LIFE_COUNT(tables) ? tables[which] : NULL;
}
