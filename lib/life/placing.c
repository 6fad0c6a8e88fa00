/* Retries of placement: attempts make cycles, cycles end in a reservation. */
#include <sched/life_policy.h>

#include "life/life.h"

#include "base/arith.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_life_placing_options, reserved_ns);

enum {
    LIFE_PLACING_V1 = SKEDI_SIZE_THROUGH(sked_life_placing_options, reserved_ns)
};

#define LIFE_MINUTES(n) (INT64_C(n) * 60 * 1000000000)

static sked_status placing_in(sked_life_placing_options *o,
                              const sked_life_placing_options *theirs,
                              sked_error *err)
{
    if (!theirs) {
        *o = (sked_life_placing_options){
            .attempts = 3,
            .cycles = 3,
            .placing_ns = LIFE_MINUTES(10),
            .backoff_ns = LIFE_MINUTES(5),
            .launching_ns = LIFE_MINUTES(20),
            .preempting_ns = LIFE_MINUTES(10),
            .reserved_ns = LIFE_MINUTES(30),
        };
        return SKED_OK;
    }
    if (skedi_struct_in(o, sizeof *o, theirs, LIFE_PLACING_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (o->reserved) return skedi_fail_reserved(err, "options");
    if (o->reserve > 1 || o->plain > 1 || o->placing_ns < 0 ||
        o->backoff_ns < 0 || o->launching_ns < 0 || o->preempting_ns < 0 ||
        o->reserved_ns < 0) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such retries can be");
    }
    return SKED_OK;
}

static int64_t add_times(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* More time for this attempt. */
static int64_t placing_backoff(const sked_life_placing_options *o,
                               const sked_life_tries *t)
{
    uint32_t times = o->attempts ? t->attempt % o->attempts : 0;

    if (times && o->backoff_ns > INT64_MAX / times) return INT64_MAX;
    return o->backoff_ns * times;
}

static void judge_tries(const sked_life_placing_options *o,
                        const sked_life_tries *t, sked_life_placing_result *r)
{
    uint64_t all = (uint64_t)t->cycle * o->attempts + t->attempt;
    uint64_t most = (uint64_t)o->cycles * o->attempts;

    r->cycle_over = o->attempts && t->attempt && t->attempt % o->attempts == 0;
    r->all_over = most && all && all % most == 0;
    r->backoff_ns = placing_backoff(o, t);
}

/* Checks the arguments of all three calls. A refused call writes nothing. */
static sked_status placing_start(const sked_life_placing_options *theirs,
                                 uint32_t state, const sked_life_tries *tries,
                                 const sked_life_placing_result *result,
                                 sked_life_placing_options *o, sked_error *err)
{
    const char *missing = !tries ? "tries" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = placing_in(o, theirs, err);
    if (rc != SKED_OK) return rc;
    if (state >= SKED_LIFE_TASK_STATES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such state");
    }
    return SKED_OK;
}

/* The task stays in `state` with the counters `tries`. */
static sked_life_placing_result placing_now(const sked_life_placing_options *o,
                                            const sked_life_tries *tries,
                                            uint32_t state)
{
    sked_life_placing_result now = {.to = state};

    judge_tries(o, tries, &now);
    return now;
}

sked_status sked_life_placing_begin(uint32_t state,
                                    const sked_life_placing_options *options,
                                    sked_life_tries *tries,
                                    sked_life_placing_result *result,
                                    sked_error *err)
{
    sked_life_placing_options o;
    sked_life_placing_result *r = result;
    sked_status rc = placing_start(options, state, tries, r, &o, err);

    if (rc != SKED_OK) return rc;
    *r = placing_now(&o, tries, state);
    if (state == SKED_LIFE_TASK_LAUNCHING) r->timeout_ns = o.launching_ns;
    if (state == SKED_LIFE_TASK_PREEMPTING) r->timeout_ns = o.preempting_ns;
    if (state == SKED_LIFE_TASK_RESERVED) r->timeout_ns = o.reserved_ns;
    if (state != SKED_LIFE_TASK_PLACING) return SKED_OK;
    if (o.placing_ns) {
        r->timeout_ns = add_times(o.placing_ns, o.plain ? 0 : r->backoff_ns);
    }
    if (!o.attempts || tries->attempt < o.attempts) {
        if (tries->attempt < UINT32_MAX) tries->attempt++;
    } else {
        tries->attempt = 1;
        if (tries->cycle < UINT32_MAX) tries->cycle++;
    }
    judge_tries(&o, tries, r);
    return SKED_OK;
}

sked_status sked_life_placing_timeout(uint32_t state,
                                      const sked_life_placing_options *options,
                                      sked_life_tries *tries,
                                      sked_life_placing_result *result,
                                      sked_error *err)
{
    sked_life_placing_options o;
    sked_status rc = placing_start(options, state, tries, result, &o, err);

    if (rc != SKED_OK) return rc;
    sked_life_placing_result r = placing_now(&o, tries, state);
    if (state == SKED_LIFE_TASK_PLACING) {
        r.reserve = !o.plain && o.reserve && r.all_over;
        r.to = !o.plain && !r.reserve && r.cycle_over ? SKED_LIFE_TASK_PENDING
                                                      : SKED_LIFE_TASK_READY;
    } else if (state == SKED_LIFE_TASK_LAUNCHING) {
        r.to = SKED_LIFE_TASK_READY;
    } else if (state == SKED_LIFE_TASK_PREEMPTING) {
        r.to = SKED_LIFE_TASK_RUNNING;
    } else if (state == SKED_LIFE_TASK_RESERVED) {
        *tries = (sked_life_tries){0};
        judge_tries(&o, tries, &r);
        r.to = SKED_LIFE_TASK_PENDING;
    } else {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the state has no time-out");
    }
    *result = r;
    return SKED_OK;
}

sked_status sked_life_placing_return(uint32_t state,
                                     const sked_life_placing_options *options,
                                     sked_life_tries *tries,
                                     sked_life_placing_result *result,
                                     sked_error *err)
{
    sked_life_placing_options o;
    sked_status rc = placing_start(options, state, tries, result, &o, err);

    if (rc != SKED_OK) return rc;
    sked_life_placing_result r = placing_now(&o, tries, state);
    if (state == SKED_LIFE_TASK_PLACING) {
        r.to = !o.plain && r.cycle_over ? SKED_LIFE_TASK_PENDING
                                        : SKED_LIFE_TASK_READY;
    } else if (state != SKED_LIFE_TASK_READY &&
               state != SKED_LIFE_TASK_PENDING) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "it is not being placed");
    }
    *result = r;
    return SKED_OK;
}
