/*
 * The handle of a judge: create, add rows, end, free.
 *
 * Rows are applied one at a time. A row with a later time ends the current
 * instant, and the judge evaluates the rules before the row is applied.
 * Each row adds a fixed amount to the credit. The credit limits the comparisons
 * in waits.c and owed.c, and therefore the cost of a row on average.
 */
#include "audit/state.h"

#include <string.h>

#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_audit_options, idle_ns);
_Static_assert(sizeof(sked_audit_row) == 64, "sked_audit_row is frozen");

enum {
    AUDIT_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_audit_options, idle_ns),
    AUDIT_CREDIT_AT_FIRST = 1 << 20,
    AUDIT_CREDIT_PER_ROW = 24,
    AUDIT_CREDIT_AT_MOST = 1 << 22,
    AUDIT_ROWS_PER_CHECK = 4096,
    AUDIT_TURNS = 3,
    AUDIT_MOST_KEPT = 10000
};

static sked_status audit_options_in(sked_audit_options *o,
                                    const sked_audit_options *options,
                                    sked_error *err)
{
    sked_status rc = skedi_struct_in(o, sizeof *o, options, AUDIT_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (o->flags & ~(uint32_t)SKED_AUDIT_FLAG_PREEMPTS) {
        return skedi_fail_flags(err, "options");
    }
    if (o->kinds < 1 || o->kinds > SKED_MAX_KINDS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "kinds is out of range",
            (skedi_fault){.got = o->kinds, .limit = SKED_MAX_KINDS});
    }
    const int64_t times[] = {o->guarantee_ns, o->inversion_ns, o->share_ns,
                             o->kill_ns,      o->gang_ns,      o->reserve_ns,
                             o->lost_ns,      o->idle_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i] < 0) {
            return skedi_fail(err, SKED_ERR_RANGE, "a time is out of range",
                              (skedi_fault){.got = times[i]});
        }
    }
    if (o->turns == 1 || o->turns > SKED_MAX_AUDIT_STORY) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "turns is out of range",
            (skedi_fault){.got = o->turns, .limit = SKED_MAX_AUDIT_STORY});
    }
    if (!o->turns) o->turns = AUDIT_TURNS;
    if (!o->most) o->most = AUDIT_MOST_KEPT;
    return SKED_OK;
}

/* Allocates the sums and creates node 0 and the root queue. */
static int audit_begin(sked_audit *a)
{
    skedi_mem *mem = &a->hooks.mem;

    skedi_audit_maps(a);
    a->free_run = a->free_kill = SKEDI_AUDIT_NONE;
    a->oldest_kill = a->newest_kill = SKEDI_AUDIT_NONE;
    a->first_waiting = a->last_waiting = SKEDI_AUDIT_NONE;
    a->idle_cursor = SKEDI_AUDIT_NONE;
    a->credit = AUDIT_CREDIT_AT_FIRST;
    a->total = skedi_new(mem, SKEDI_AUDIT_SUMS * (size_t)a->kinds,
                         sizeof *a->total);
    if (!a->total || !skedi_audit_reserve(a)) return 0;
    a->drained = a->total + a->kinds;
    a->everything = a->drained + a->kinds;
    a->nothing = a->everything + a->kinds;
    a->scratch = a->nothing + a->kinds; /* two vectors long */
    a->node.at[a->node.n++] = (skedi_audit_node){.row = SKEDI_AUDIT_NO_ROW,
                                                 .void_row = SKEDI_AUDIT_NO_ROW,
                                                 .run = SKEDI_AUDIT_NONE,
                                                 .kill = SKEDI_AUDIT_NONE};
    a->queue.at[a->queue.n++] = (skedi_audit_queue){
        .row = SKEDI_AUDIT_NO_ROW,
        .limit_row = SKEDI_AUDIT_NO_ROW,
        .guarantee_row = SKEDI_AUDIT_NO_ROW,
        .start_row = SKEDI_AUDIT_NO_ROW,
        .child = SKEDI_AUDIT_NONE,
        .sibling = SKEDI_AUDIT_NONE};
    return 1;
}

static void audit_drop(sked_audit *a)
{
    skedi_mem mem;

    skedi_audit_release(a);
    mem = a->hooks.mem;
    skedi_free(&mem, a, 1, sizeof *a);
}

sked_status sked_audit_new(const sked_audit_options *options,
                           const sked_host *host, sked_audit **audit,
                           sked_error *err)
{
    sked_audit_options o;
    skedi_hooks hooks;

    if (audit) *audit = NULL;
    if (!options || !audit) {
        return skedi_fail_null(err, !options ? "options" : "audit");
    }
    sked_status rc = audit_options_in(&o, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_audit *a = skedi_new(&hooks.mem, 1, sizeof *a);
    if (!a) return skedi_fail_memory(err);
    a->hooks = hooks;
    a->options = o;
    a->kinds = o.kinds;
    if (!audit_begin(a)) {
        audit_drop(a);
        return skedi_fail_memory(err);
    }
    *audit = a;
    return SKED_OK;
}

void sked_audit_free(sked_audit *audit)
{
    if (!audit) return;
    sked_host host = audit->hooks.host;
    audit_drop(audit);
    skedi_hooks_done(host);
}

/* Reports once if memory for an anomaly was missing since the last call. */
static sked_status audit_kept(sked_audit *a, sked_error *err)
{
    if (!a->starved) return SKED_OK;
    a->starved = 0;
    return skedi_fail_memory(err);
}

/* Judges the current instant if the row is later, then applies the row. */
static sked_status audit_take(sked_audit *a, const sked_audit_row *row,
                              const int64_t *amounts, size_t vectors,
                              sked_error *err)
{
    if (a->started && row->time < a->now) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                          (skedi_fault){.got = row->time, .limit = a->now});
    }
    if (row->time == SKED_NOW) {
        return skedi_fail(err, SKED_ERR_RANGE, "time is out of range",
                          (skedi_fault){.got = row->time});
    }
    if (row->amounts < -1 ||
        (row->amounts >= 0 && (size_t)row->amounts >= vectors)) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "amounts is out of range",
            (skedi_fault){.got = row->amounts, .limit = (int64_t)vectors});
    }
    if (!skedi_audit_reserve(a)) return skedi_fail_memory(err);
    if (a->started && row->time > a->now) skedi_audit_judge(a, row->time);
    a->started = 1;
    a->now = row->time;
    if (a->credit < AUDIT_CREDIT_AT_MOST) a->credit += AUDIT_CREDIT_PER_ROW;
    sked_status rc = skedi_audit_apply(
        a, row,
        row->amounts < 0 ? NULL : amounts + (size_t)row->amounts * a->kinds,
        err);
    if (rc == SKED_OK) a->rows++;
    return rc == SKED_OK ? audit_kept(a, err) : rc;
}

sked_status sked_audit_add(sked_audit *audit, const sked_audit_row *rows,
                           size_t n, const int64_t *amounts, size_t vectors,
                           size_t *done, sked_error *err)
{
    sked_status rc = SKED_OK;
    size_t i = 0;

    if (done) *done = 0;
    const char *missing = !audit                    ? "audit"
                          : !rows && n > 0          ? "rows"
                          : !amounts && vectors > 0 ? "amounts"
                                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (audit->ended) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "the history has ended");
    }
    if (n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "n is out of range",
                          (skedi_fault){.got = INT32_MAX, .limit = INT32_MAX});
    }
    const uint64_t before = audit->rows;
    for (; i < n; i++) {
        if (i % AUDIT_ROWS_PER_CHECK == 0) {
            rc = skedi_hooks_check(&audit->hooks, i, n);
            if (rc != SKED_OK) {
                rc = skedi_fail_stopped(err, rc);
                break;
            }
        }
        rc = audit_take(audit, &rows[i], amounts, vectors, err);
        if (rc != SKED_OK) break;
    }
    if (rc != SKED_OK && err) err->row = (int64_t)i;
    if (done) *done = (size_t)(audit->rows - before);
    return rc;
}

/* Checks the reserved starts of tasks still waiting at the end of the
 * history. */
static void audit_due_promises(sked_audit *a)
{
    for (uint32_t t = a->first_waiting; t != SKEDI_AUDIT_NONE;
         t = a->tasks.at[t].after) {
        skedi_audit_promise_kept(a, t, SKEDI_AUDIT_NO_ROW);
    }
}

sked_status sked_audit_end(sked_audit *audit, sked_time now, sked_error *err)
{
    if (!audit) return skedi_fail_null(err, "audit");
    if (audit->ended) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "the history has ended");
    }
    if (now == SKED_NOW || (audit->started && now < audit->now)) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                          (skedi_fault){.got = now, .limit = audit->now});
    }
    audit->credit = AUDIT_CREDIT_AT_MOST;
    skedi_audit_judge(audit, now);
    audit->now = now;
    audit_due_promises(audit);
    audit->ended = 1;
    return audit_kept(audit, err);
}
