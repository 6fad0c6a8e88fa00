/* Plans a list of requests in one pool: backfill in one call. */
#include <string.h>

#include "base/hooks.h"
#include "base/versioned.h"
#include "timeline/held.h"
#include "timeline/rules.h"

SKEDI_NO_TAIL_PADDING(sked_timeline_input, amounts);

enum {
    TIMELINE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_timeline_input, amounts),
    TIMELINE_ROUND = 1024 /* rows between two looks at the cancel flag */
};

static sked_status timeline_plan_missing(const sked_timeline_input *in,
                                         sked_error *err)
{
    int spans = in->n_spans > 0, requests = in->n > 0;
    const char *missing = !in->total                   ? "input.total"
                          : spans && !in->from         ? "input.from"
                          : spans && !in->until        ? "input.until"
                          : spans && !in->held         ? "input.held"
                          : requests && !in->durations ? "input.durations"
                          : requests && !in->amounts   ? "input.amounts"
                                                       : NULL;

    return missing ? skedi_fail_null(err, missing) : SKED_OK;
}

static sked_status timeline_plan_rows(const sked_timeline_input *in,
                                      sked_error *err)
{
    sked_status rc = skedi_timeline_amounts_in(in->total, in->kinds, 0, err);

    for (uint64_t i = 0; i < in->n_spans && rc == SKED_OK; i++) {
        int64_t row = (int64_t)i + 1;
        rc = skedi_timeline_range_in(in->from[i], in->until[i], row, err);
        if (rc != SKED_OK) break;
        rc = skedi_timeline_amounts_in(in->held + i * in->kinds, in->kinds, row,
                                       err);
    }
    for (uint64_t i = 0; i < in->n && rc == SKED_OK; i++) {
        int64_t row = (int64_t)i + 1;
        if (in->ready) rc = skedi_timeline_moment_in(in->ready[i], row, err);
        if (rc == SKED_OK)
            rc = skedi_timeline_duration_in(in->durations[i], row, err);
        if (rc != SKED_OK) break;
        rc = skedi_timeline_amounts_in(in->amounts + i * in->kinds, in->kinds,
                                       row, err);
    }
    return rc;
}

static sked_status timeline_plan_input(sked_timeline_input *to,
                                       const sked_timeline_input *input,
                                       sked_error *err)
{
    if (skedi_struct_in(to, sizeof *to, input, TIMELINE_INPUT_V1) != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (to->flags) return skedi_fail_flags(err, "input");
    sked_status rc = skedi_timeline_kinds_in(to->kinds, err);
    if (rc == SKED_OK) rc = timeline_plan_missing(to, err);
    if (rc != SKED_OK) return rc;
    if (to->n > SKEDI_TIMELINE_MOST ||
        to->n_spans > SKEDI_TIMELINE_MOST - to->n) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    return timeline_plan_rows(to, err);
}

/* ---- The plan ---- */

typedef struct timeline_plan {
    const sked_timeline_input *in;
    skedi_hooks *hooks;
    skedi_steps steps;
    sked_time *starts;
    uint32_t later; /* requests with a later start */
} timeline_plan;

static sked_status timeline_plan_request(timeline_plan *p, uint64_t i,
                                         sked_error *err)
{
    const sked_timeline_input *in = p->in;
    const int64_t *amounts = in->amounts + i * in->kinds;
    sked_time ready = in->ready ? in->ready[i] : 0;
    int64_t duration = in->durations[i], row = (int64_t)i + 1;
    skedi_need need;

    skedi_need_set(&need, in->kinds, in->total, amounts, duration);
    sked_time start = skedi_steps_earliest(&p->steps, ready, &need);
    p->starts[i] = start;
    if (start == SKED_UNLIMITED) return SKED_OK;
    if (start > ready && in->depth > 0 && p->later == in->depth) {
        p->starts[i] = SKED_UNSET;
        return SKED_OK;
    }
    p->later += start > ready;
    sked_time until = SKED_UNLIMITED;
    if (need.duration != SKED_UNLIMITED) {
        int64_t rest = INT64_MAX - need.duration;
        until = start <= rest ? start + need.duration : INT64_MAX - 1;
        sked_status rc = skedi_timeline_moment_in(until, row, err);
        if (rc != SKED_OK) return rc;
    }
    return skedi_held_add(&p->steps, &p->hooks->mem, start, until, amounts, row,
                          err);
}

/* The host may stop the call every now and then. */
static sked_status timeline_plan_check(const timeline_plan *p, uint64_t done,
                                       sked_error *err)
{
    if (done % TIMELINE_ROUND) return SKED_OK;
    sked_status rc = skedi_hooks_check(p->hooks, done,
                                       p->in->n_spans + p->in->n);

    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}

static sked_status timeline_plan_run(timeline_plan *p, sked_error *err)
{
    const sked_timeline_input *in = p->in;
    sked_status rc = SKED_OK;

    for (uint64_t i = 0; i < in->n_spans && rc == SKED_OK; i++) {
        rc = timeline_plan_check(p, i, err);
        if (rc != SKED_OK) break;
        rc = skedi_held_add(&p->steps, &p->hooks->mem, in->from[i],
                            in->until[i], in->held + i * in->kinds,
                            (int64_t)i + 1, err);
    }
    for (uint64_t i = 0; i < in->n && rc == SKED_OK; i++) {
        rc = timeline_plan_check(p, in->n_spans + i, err);
        if (rc == SKED_OK) rc = timeline_plan_request(p, i, err);
    }
    return rc;
}

sked_status sked_timeline_once(const sked_timeline_input *input,
                               const sked_host *host, sked_time *starts,
                               sked_error *err)
{
    sked_timeline_input in;
    skedi_hooks hooks;

    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = timeline_plan_input(&in, input, err);
    if (rc == SKED_OK && in.n > 0 && !starts) {
        rc = skedi_fail_null(err, "starts");
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    timeline_plan p = {.in = &in, .hooks = &hooks};
    size_t n = in.n > 0 ? (size_t)in.n : 1;
    p.starts = skedi_new(&hooks.mem, n, sizeof *p.starts);
    if (!p.starts) return skedi_fail_memory(err);
    if (skedi_steps_make(&p.steps, &hooks.mem, in.kinds)) {
        rc = timeline_plan_run(&p, err);
        skedi_steps_drop(&p.steps, &hooks.mem);
    } else {
        rc = skedi_fail_memory(err);
    }
    if (rc == SKED_OK && in.n > 0) {
        memcpy(starts, p.starts, (size_t)in.n * sizeof *starts);
    }
    skedi_free(&hooks.mem, p.starts, n, sizeof *p.starts);
    return rc;
}
