/* Lives of jobs and of updates. A job's state is worked out from its tasks
 * (job.c); the table says what may come of that. */
#include "life/life.h"

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
    /* Its settings were found: of a batch job, or of a service. */
    {JS(UNINITIALIZED), TO(START, INITIALIZED), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(UNINITIALIZED), TO(ENQUEUE, PENDING), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(INITIALIZED), TO(CREATED, PENDING), SKED_LIFE_CAUSE_JOBS, 0},
    {JS(PENDING), TO(RUN, RUNNING), SKED_LIFE_CAUSE_NODE, 0},
    {JS(RUNNING), TO(STOPPED, PENDING), SKED_LIFE_CAUSE_NODE, 0},
    {LIFE_JOB_LIVE, TO(KILL, KILLING), LIFE_JOB_STOP, 0},
    /* Nothing of it has to be ended first. */
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
