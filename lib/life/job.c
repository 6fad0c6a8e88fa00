/* The nature of each job type, and the state of a job from the states of its
 * tasks. */
#include "life/life.h"

#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_life_nature, place_ns);
SKEDI_NO_TAIL_PADDING(sked_life_job_input, created);

enum {
    LIFE_NATURE_V1 = SKEDI_SIZE_THROUGH(sked_life_nature, place_ns),
    LIFE_JOB_V1 = SKEDI_SIZE_THROUGH(sked_life_job_input, created)
};

#define LIFE_SECONDS(n) (INT64_C(n) * 1000000000)

sked_status sked_life_nature_of(uint32_t type, sked_life_nature *nature,
                                sked_error *err)
{
    /* goal, preemptible, pinned, per-node limit, updates, again, rounds,
     * search */
    static const sked_life_nature natures[] = {
        {0, SKED_LIFE_TASK_SUCCEEDED, 1, 0, 0, 0, SKED_LIFE_AGAIN_FAILED, 1,
         LIFE_SECONDS(500)},
        {0, SKED_LIFE_TASK_RUNNING, 1, 0, 0, 1, SKED_LIFE_AGAIN_ALWAYS, 2,
         LIFE_SECONDS(60)},
        {0, SKED_LIFE_TASK_RUNNING, 0, 1, 0, 1, SKED_LIFE_AGAIN_ALWAYS, 2,
         LIFE_SECONDS(60)},
        {0, SKED_LIFE_TASK_RUNNING, 0, 1, 1, 1, SKED_LIFE_AGAIN_ALWAYS, 1,
         LIFE_SECONDS(60)},
    };

    if (!nature) return skedi_fail_null(err, "nature");
    if (type < SKED_LIFE_TYPE_BATCH || type > SKED_LIFE_TYPE_DAEMON) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such type of job");
    }
    if (skedi_struct_out(nature->struct_size, LIFE_NATURE_V1)) {
        return skedi_fail_version(err, "result");
    }
    uint32_t size = nature->struct_size;
    *nature = natures[type - SKED_LIFE_TYPE_BATCH];
    nature->struct_size = size;
    return SKED_OK;
}

/* ---- What comes in ---- */

static sked_status job_in(sked_life_job_input *in,
                          const sked_life_job_input *theirs, const void *out,
                          sked_error *err)
{
    const char *missing = !theirs ? "input" : !out ? "out" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (skedi_struct_in(in, sizeof *in, theirs, LIFE_JOB_V1)) {
        return skedi_fail_version(err, "input");
    }
    if (in->type < SKED_LIFE_TYPE_BATCH || in->type > SKED_LIFE_TYPE_DAEMON ||
        in->state > SKED_LIFE_JOB_DELETED || in->goal > SKED_LIFE_JOB_DELETED ||
        in->controller >= SKED_LIFE_TASK_STATES || in->created > 1) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such job can be");
    }
    for (uint32_t s = 0; s < SKED_LIFE_TASK_STATES; s++) {
        if (in->tasks[s] <= UINT32_MAX && in->instances <= UINT32_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "too many tasks",
                          (skedi_fault){.row = s + 1});
    }
    return SKED_OK;
}

/* ---- States from counts ---- */

static uint64_t task_sum(const sked_life_job_input *in, uint64_t states)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < SKED_LIFE_TASK_STATES; s++) {
        if (states & SKED_LIFE_BIT(s)) sum += in->tasks[s];
    }
    return sum;
}

#define LIFE_WELL SKED_LIFE_BIT(SKED_LIFE_TASK_SUCCEEDED)
#define LIFE_BADLY                                                             \
    (LIFE_WELL | SKED_LIFE_BIT(SKED_LIFE_TASK_FAILED) |                        \
     SKED_LIFE_BIT(SKED_LIFE_TASK_LOST))
#define LIFE_ANYHOW (LIFE_BADLY | SKED_LIFE_BIT(SKED_LIFE_TASK_KILLED))

/* The state of a job that still lacks some tasks; `total` tasks exist. */
static uint32_t state_in_part(const sked_life_job_input *in, uint64_t total)
{
    uint64_t killed = in->tasks[SKED_LIFE_TASK_KILLED];

    if (in->type == SKED_LIFE_TYPE_BATCH) return SKED_LIFE_JOB_INITIALIZED;
    if (in->goal < SKED_LIFE_JOB_SUCCEEDED) return SKED_LIFE_JOB_PENDING;
    if (total == 0) return SKED_LIFE_JOB_KILLED;
    if (killed && task_sum(in, LIFE_ANYHOW) == total) {
        return SKED_LIFE_JOB_KILLED;
    }
    return task_sum(in, LIFE_BADLY) == total ? SKED_LIFE_JOB_FAILED
                                             : SKED_LIFE_JOB_PENDING;
}

/* The end state by task counts; UNINITIALIZED: the job has not ended. */
static uint32_t state_at_end(const sked_life_job_input *in)
{
    uint64_t n = in->instances, killed = in->tasks[SKED_LIFE_TASK_KILLED];

    if (task_sum(in, LIFE_WELL) >= n) return SKED_LIFE_JOB_SUCCEEDED;
    if (task_sum(in, LIFE_BADLY) >= n) return SKED_LIFE_JOB_FAILED;
    if (killed && task_sum(in, LIFE_ANYHOW) >= n) return SKED_LIFE_JOB_KILLED;
    return SKED_LIFE_JOB_UNINITIALIZED;
}

/* The controller task decides how its job ended. */
static uint32_t state_by_controller(uint32_t controller)
{
    if (controller == SKED_LIFE_TASK_SUCCEEDED) return SKED_LIFE_JOB_SUCCEEDED;
    if (controller == SKED_LIFE_TASK_FAILED ||
        controller == SKED_LIFE_TASK_LOST) {
        return SKED_LIFE_JOB_FAILED;
    }
    return SKED_LIFE_JOB_KILLED;
}

sked_status sked_life_job_state(const sked_life_job_input *input,
                                uint32_t *state, sked_error *err)
{
    sked_life_job_input in;
    sked_status rc = job_in(&in, input, state, err);

    if (rc != SKED_OK) return rc;
    uint64_t total = task_sum(&in, ~UINT64_C(0));
    if (total < in.instances && !in.created) {
        *state = state_in_part(&in, total);
        return SKED_OK;
    }
    if (total > in.instances && (in.type == SKED_LIFE_TYPE_BATCH ||
                                 in.goal < SKED_LIFE_JOB_SUCCEEDED)) {
        *state = SKED_LIFE_JOB_PENDING;
        return SKED_OK;
    }
    uint32_t end = state_at_end(&in);
    if (end) {
        *state = in.controller ? state_by_controller(in.controller) : end;
    } else if (in.state == SKED_LIFE_JOB_KILLING) {
        *state = SKED_LIFE_JOB_KILLING;
    } else {
        *state = in.tasks[SKED_LIFE_TASK_RUNNING] ? SKED_LIFE_JOB_RUNNING
                                                  : SKED_LIFE_JOB_PENDING;
    }
    return SKED_OK;
}

sked_status sked_life_job_action(const sked_life_job_input *input,
                                 uint32_t *action, sked_error *err)
{
    sked_life_job_input in;
    sked_status rc = job_in(&in, input, action, err);

    if (rc != SKED_OK) return rc;
    if (in.version < in.goal_version && in.goal == SKED_LIFE_JOB_RUNNING) {
        *action = in.state == SKED_LIFE_JOB_INITIALIZED
                      ? SKED_LIFE_ACTION_CREATE
                      : SKED_LIFE_ACTION_START_TASKS;
        return SKED_OK;
    }
    return sked_life_act(&skedi_life_job, in.goal, in.state, action, err);
}
