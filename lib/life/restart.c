/* Decides what follows the end of an instance, and after how long. */
#include <sched/life_policy.h>

#include "life/life.h"

#include "base/arith.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_life_restart_options, most_ns);

enum {
    LIFE_RESTART_V1 = SKEDI_SIZE_THROUGH(sked_life_restart_options, most_ns)
};

static const int64_t life_first_delay = INT64_C(30) * 1000000000;
static const int64_t life_most_delay = INT64_C(3600) * 1000000000;

int64_t sked_life_backoff(uint32_t failures, int64_t first_ns, int64_t most_ns)
{
    int64_t delay = skedi_i64_max(first_ns, 0);

    if (!failures) return 0;
    while (--failures && delay && delay < most_ns) {
        delay = delay > INT64_MAX / 2 ? INT64_MAX : 2 * delay;
    }
    return skedi_i64_min(delay, skedi_i64_max(most_ns, 0));
}

static sked_status restart_in(sked_life_restart_options *o,
                              const sked_life_restart_options *theirs,
                              sked_error *err)
{
    sked_life_nature nature = {.struct_size = sizeof nature};

    if (skedi_struct_in(o, sizeof *o, theirs, LIFE_RESTART_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (!o->type) o->type = SKED_LIFE_TYPE_BATCH;
    if (o->again > SKED_LIFE_AGAIN_ALWAYS || o->end_preempted > 1 ||
        o->first_ns < 0 || o->most_ns < 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such policy can be");
    }
    sked_status rc = sked_life_nature_of(o->type, &nature, err);
    if (rc != SKED_OK) return rc;
    if (!o->again) o->again = nature.again;
    if (!o->max_system) o->max_system = 4;
    if (!o->first_ns) o->first_ns = life_first_delay;
    if (!o->most_ns) o->most_ns = life_most_delay;
    return SKED_OK;
}

static uint32_t failures_after(const sked_life_instance *i, uint32_t end)
{
    int one = 0;

    if (i->version != i->desired || i->failures == UINT32_MAX) {
        return i->failures;
    }
    if (i->state == SKED_LIFE_TASK_FAILED) one = 1;
    if (i->state == SKED_LIFE_TASK_SUCCEEDED) {
        one = i->goal == SKED_LIFE_TASK_RUNNING;
    }
    if (i->state == SKED_LIFE_TASK_KILLED) {
        one = i->goal != SKED_LIFE_TASK_KILLED &&
              end != SKED_LIFE_END_PREEMPTED;
    }
    return i->failures + (uint32_t)one;
}

static int goes_on(const sked_life_instance *i, uint32_t end,
                   const sked_life_restart_options *o)
{
    uint32_t most = o->max_failures;

    if (i->goal != SKED_LIFE_TASK_RUNNING &&
        i->goal != SKED_LIFE_TASK_SUCCEEDED) {
        return 0;
    }
    if (end == SKED_LIFE_END_PREEMPTED && o->end_preempted) return 0;
    if (o->again == SKED_LIFE_AGAIN_NEVER) return 0;
    if (i->state == SKED_LIFE_TASK_LOST && o->type == SKED_LIFE_TYPE_DAEMON) {
        return 0;
    }
    if (i->state == SKED_LIFE_TASK_SUCCEEDED &&
        (i->goal == SKED_LIFE_TASK_SUCCEEDED ||
         o->again != SKED_LIFE_AGAIN_ALWAYS)) {
        return 0;
    }
    if (i->goal == SKED_LIFE_TASK_RUNNING) return 1;
    if (end == SKED_LIFE_END_PREEMPTED) return 1;
    if (end == SKED_LIFE_END_SYSTEM && o->max_system > most) {
        most = o->max_system;
    }
    return i->failures < most;
}

sked_status sked_life_restart(const sked_life_instance *instance, uint32_t end,
                              const sked_life_restart_options *options,
                              sked_life_restart_result *result, sked_error *err)
{
    sked_life_restart_options o;

    const char *missing = !instance ? "instance" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_life_instance_in(instance, 0, err);
    if (rc == SKED_OK) rc = restart_in(&o, options, err);
    if (rc != SKED_OK) return rc;
    if (end > SKED_LIFE_END_PREEMPTED) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such end");
    }
    if (!skedi_life_has_ended(instance->state) ||
        instance->state == SKED_LIFE_TASK_DELETED) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "it has not ended");
    }
    uint32_t failures = failures_after(instance, end);
    int again = goes_on(instance, end, &o);
    *result = (sked_life_restart_result){
        .again = (uint32_t)again,
        .failures = failures,
        .delay_ns = again ? sked_life_backoff(failures, o.first_ns, o.most_ns)
                          : 0};
    return SKED_OK;
}
