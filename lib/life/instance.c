/* One instance: may this be written, what is to be done, is it available? */
#include "life/life.h"

#include "base/versioned.h"

_Static_assert(sizeof(sked_life_instance) == 72, "frozen");
SKEDI_NO_TAIL_PADDING(sked_life_act_options, kill_ns);

enum { LIFE_ACT_V1 = SKEDI_SIZE_THROUGH(sked_life_act_options, kill_ns) };

/* A launch and a kill that take longer are lost: 180 minutes. */
static const int64_t life_patience = INT64_C(10800) * 1000000000;

sked_status skedi_life_instance_in(const sked_life_instance *instance,
                                   int64_t row, sked_error *err)
{
    const sked_life_instance *i = instance;

    if (i->state < SKED_LIFE_TASK_STATES && i->goal < SKED_LIFE_TASK_STATES &&
        i->health <= SKED_LIFE_HEALTH_UNHEALTHY &&
        i->ended <= SKED_LIFE_ENDED_OTHER &&
        i->beside <= SKED_LIFE_BESIDE_FAILED && i->told <= 1 && !i->reserved) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "no such instance can be",
                      (skedi_fault){.row = row});
}

/* ---- Writes ---- */

/* Why the runs or the goal forbid it; NULL: they do not. */
static const char *bad_write(const sked_life_instance *now,
                             const sked_life_instance *next)
{
    if (now->goal == SKED_LIFE_TASK_DELETED && next->goal != now->goal &&
        next->desired == now->desired) {
        return "the goal DELETED stays, but for another version";
    }
    if (next->run < now->run) return "the run falls";
    if (next->desired_run < now->desired_run) return "the desired run falls";
    if (next->run > now->run && next->state != SKED_LIFE_TASK_INITIALIZED) {
        return "another run begins INITIALIZED";
    }
    return NULL;
}

sked_status sked_life_may_replace(const sked_life_instance *now,
                                  const sked_life_instance *next,
                                  sked_error *err)
{
    uint32_t edge;

    const char *missing = !now ? "now" : !next ? "next" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_life_instance_in(now, 0, err);
    if (rc == SKED_OK) rc = skedi_life_instance_in(next, 0, err);
    if (rc != SKED_OK) return rc;
    const char *bad = bad_write(now, next);
    if (bad) return skedi_fail_plain(err, SKED_ERR_STATE, bad);
    if (next->run > now->run) return SKED_OK;
    return sked_life_way(&skedi_life_task, now->state, next->state, &edge, err);
}

/* ---- Actions ---- */

static sked_status act_options(sked_life_act_options *o,
                               const sked_life_act_options *theirs,
                               sked_error *err)
{
    if (skedi_struct_in(o, sizeof *o, theirs, LIFE_ACT_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (o->type > SKED_LIFE_TYPE_DAEMON || o->launch_ns < 0 || o->kill_ns < 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such type, or a time below 0");
    }
    if (!o->type) o->type = SKED_LIFE_TYPE_BATCH;
    if (!o->launch_ns) o->launch_ns = life_patience;
    if (!o->kill_ns) o->kill_ns = life_patience;
    return SKED_OK;
}

/* What is due of a launch or a kill by now. */
static uint32_t act_by_time(const sked_life_instance *i, uint32_t action,
                            const sked_life_act_options *o)
{
    if (action == SKED_LIFE_ACTION_CHECK_LAUNCH) {
        int counts = i->state == SKED_LIFE_TASK_LAUNCHED ||
                     o->type == SKED_LIFE_TYPE_BATCH;
        return counts && skedi_life_later(i->since, o->launch_ns) <= o->now
                   ? SKED_LIFE_ACTION_INITIALIZE
                   : SKED_LIFE_ACTION_NOTHING;
    }
    if (action == SKED_LIFE_ACTION_SHUT_DOWN &&
        skedi_life_later(i->since, o->kill_ns) > o->now) {
        return SKED_LIFE_ACTION_NOTHING;
    }
    return action;
}

/* Is another version or run to take its place? */
static int is_behind(const sked_life_instance *i)
{
    int over = i->goal == SKED_LIFE_TASK_PREEMPTING ||
               skedi_life_has_ended(i->goal);

    if (i->version != i->desired && !over) return 1;
    return i->run != i->desired_run &&
           (!over || i->goal == SKED_LIFE_TASK_SUCCEEDED);
}

sked_status sked_life_task_action(const sked_life_instance *instance,
                                  const sked_life_act_options *options,
                                  uint32_t *action, sked_error *err)
{
    sked_life_act_options o;

    const char *missing = !instance ? "instance" : !action ? "action" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_life_instance_in(instance, 0, err);
    if (rc == SKED_OK) rc = act_options(&o, options, err);
    if (rc != SKED_OK) return rc;
    if (!instance->state || !instance->goal) {
        *action = SKED_LIFE_ACTION_RELOAD;
    } else if (is_behind(instance)) {
        *action = skedi_life_has_ended(instance->state)
                      ? SKED_LIFE_ACTION_INITIALIZE
                      : SKED_LIFE_ACTION_STOP;
    } else {
        rc = sked_life_act(&skedi_life_task, instance->goal, instance->state,
                           action, err);
        if (options) *action = act_by_time(instance, *action, &o);
    }
    return rc;
}

/* ---- Availability ---- */

uint32_t sked_life_availability_of(const sked_life_instance *instance)
{
    const sked_life_instance *i = instance;

    if (!i || i->goal == SKED_LIFE_TASK_DELETED)
        return SKED_LIFE_AVAILABILITY_INVALID;
    if (i->goal == SKED_LIFE_TASK_KILLED) return SKED_LIFE_AVAILABILITY_KILLED;
    if (i->ended) {
        return i->ended < SKED_LIFE_ENDED_OTHER
                   ? SKED_LIFE_AVAILABILITY_UNAVAILABLE
                   : SKED_LIFE_AVAILABILITY_KILLED;
    }
    if (i->run != i->desired_run || i->version != i->desired) {
        return SKED_LIFE_AVAILABILITY_KILLED;
    }
    int healthy = i->health == SKED_LIFE_HEALTH_DISABLED ||
                  i->health == SKED_LIFE_HEALTH_HEALTHY;
    return healthy && i->state == SKED_LIFE_TASK_RUNNING &&
                   i->goal == SKED_LIFE_TASK_RUNNING
               ? SKED_LIFE_AVAILABILITY_AVAILABLE
               : SKED_LIFE_AVAILABILITY_UNAVAILABLE;
}
