/* What hosts say of jobs. Each call reserves first, then cannot fail. */
#include "engine/core/jobs.h"

#include "base/fail.h"
#include "engine/exclusion.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/core/open.h"
#include "engine/decision.h"
#include "engine/pending.h"
#include "engine/order/wants.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "engine/watch.h"

enum {
    JOB_FLAGS = SKED_JOB_RETRY | SKED_JOB_FIXED | SKED_JOB_KEEPS |
                SKED_JOB_ONCE | SKED_JOB_READMIT | SKED_JOB_CONTROLLER |
                SKED_JOB_REVOCABLE | SKED_JOB_YIELDS,
    JOB_TOLD = JOB_FLAGS | SKED_JOB_ADMITTED
};

static int job_reserve(sked_engine *e, uint32_t row)
{
    skedi_mem *mem = &e->hooks.mem;

    return skedi_pool_reserve(&e->jobs, mem, 1) &&
           skedi_amounts_reserve(e, &e->job_used, &e->jobs) &&
           skedi_amounts_reserve(e, &e->job_open, &e->jobs) &&
           skedi_user_reserve(e) &&
           skedi_keymap_reserve(&e->job_of, mem, e->job_of.n + 1) &&
           skedi_charge_reserve(e) && skedi_wait_reserve(e, row, 1) &&
           skedi_out_reserve(e, 1);
}

sked_status skedi_job_leaf(const sked_engine *e, sked_queue_id queue,
                           uint32_t *row, sked_error *err)
{
    *row = skedi_image_row(skedi_tree_image(e->tree), queue);
    skedi_fault fault = {.queue = queue};

    if (*row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue", fault);
    }
    if (row_is_leaf(e, *row)) return SKED_OK;
    return skedi_fail(err, SKED_ERR_ARG, "jobs live in leaves", fault);
}

/* When a job was first submitted. SKED_OK, or SKED_ERR_RANGE if that is later
 * than now. */
static sked_status first_submitted(const sked_engine *e,
                                   const sked_events *batch,
                                   const sked_event *event, sked_time *moment,
                                   sked_error *err)
{
    *moment = skedi_event_moment(batch, event);
    if (*moment == SKED_UNSET) *moment = e->now;
    if (*moment <= e->now) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "submitted later than now",
                      (skedi_fault){.got = *moment, .limit = e->now});
}

sked_status skedi_job_check(const sked_event *event, sked_error *err)
{
    if (!event->key) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a job needs a key");
    }
    if (event->owner == UINT64_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no user has this key");
    }
    if (event->flags & ~(uint32_t)JOB_TOLD) {
        return skedi_fail_flags(err, "event");
    }
    return SKED_OK;
}

sked_status skedi_job_submit(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    sked_time submitted;
    uint32_t row, charged[SKED_MAX_LIMIT_TREES];
    sked_status rc = skedi_job_check(event, err);

    if (rc != SKED_OK) return rc;
    if (skedi_keymap_get(&e->job_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "job key is taken");
    }
    rc = skedi_job_leaf(e, event->queue, &row, err);
    if (rc == SKED_OK) rc = first_submitted(e, batch, event, &submitted, err);
    if (rc == SKED_OK) rc = skedi_charge_in(e, batch, event, charged, err);
    if (rc != SKED_OK) return rc;
    if (!job_reserve(e, row)) {
        return skedi_fail_memory(err);
    }
    uint32_t job = skedi_pool_take(&e->jobs);
    *job_at(e, job) = (engine_job){
        .key = event->key,
        .arrival = ++e->arrivals,
        .submitted = submitted,
        .queue = event->queue,
        .row = row,
        .user = skedi_user_take(e, event->owner),
        .first_ask = SKEDI_NONE,
        .ban = SKEDI_NONE,
        .priority = event->priority,
        .flags = event->flags & JOB_FLAGS,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->job_used, job)[k] = 0;
        engine_row_of(e, &e->job_open, job)[k] = 0;
    }
    skedi_charge_take(e, job, charged);
    skedi_keymap_put(&e->job_of, event->key, job);
    e->stats.jobs++;
    skedi_wait_begin(e, job, (event->flags & SKED_JOB_ADMITTED) != 0);
    return SKED_OK;
}

static uint32_t find_job(const sked_engine *e, uint64_t key, sked_error *err)
{
    uint32_t job = skedi_keymap_get(&e->job_of, key);
    int gone = job == SKEDI_NONE || job_at(e, job)->state == JOB_ENDED;

    if (gone) (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job");
    return gone ? SKEDI_NONE : job;
}

/* Asks the host's hooks while all asks and groups of a job are counted, before
 * anything of it changes. SKED_OK, or why the host stopped it. */
static sked_status look_over(sked_engine *e, uint32_t job, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        if (rc == SKED_OK) rc = skedi_pace_look(e);
        for (uint32_t g = ask_at(e, a)->first_group;
             rc == SKED_OK && g != SKEDI_NONE; g = group_at(e, g)->ask_next) {
            rc = skedi_pace_look(e);
        }
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
    }
    return SKED_OK;
}

/* Takes a job, its open asks and its books out of its leaf. */
static void lift_job(sked_engine *e, uint32_t job)
{
    if (job_at(e, job)->state == JOB_WAITING) {
        skedi_wait_leave(e, job);
        return;
    }
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        skedi_entries_remove(e, a);
    }
    skedi_groups_rebook(e, job, -1);
    skedi_job_count(e, job, -1);
}

/* Puts them into its leaf. */
static void lower_job(sked_engine *e, uint32_t job)
{
    if (job_at(e, job)->state == JOB_WAITING) {
        skedi_wait_join(e, job);
        return;
    }
    skedi_job_count(e, job, 1);
    skedi_groups_rebook(e, job, 1);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        if (skedi_ask_stands(e, ask_at(e, a))) skedi_entries_add(e, a);
    }
}

/* Memory for all of a job in another leaf, where it waits or runs. Its entries
 * go before they come, and its groups take at most one account in each
 * partition; what it wants there may be new, and still wanted by others where
 * it was. */
static int move_reserve(sked_engine *e, uint32_t job, uint32_t row)
{
    uint64_t entries = 0;
    uint32_t accounts = e->rows.by_user[row] ? e->parts : 0;

    if (job_at(e, job)->state == JOB_WAITING)
        return skedi_wait_reserve(e, row, 1);
    return skedi_account_reserve(e, accounts) &&
           skedi_entries_reserve_of(e, job, row, &entries) &&
           skedi_wants_reserve(e, entries + job_at(e, job)->groups);
}

static sked_status move_job(sked_engine *e, uint32_t job, sked_queue_id queue,
                            sked_error *err)
{
    uint32_t row;
    sked_status rc = skedi_job_leaf(e, queue, &row, err);

    if (rc != SKED_OK || row == job_at(e, job)->row) return rc;
    rc = look_over(e, job, err);
    if (rc != SKED_OK) return rc;
    if (!move_reserve(e, job, row)) {
        return skedi_fail_memory(err);
    }
    skedi_reservation_of_job(e, job, -1);
    lift_job(e, job);
    job_at(e, job)->row = row;
    job_at(e, job)->queue = queue;
    job_at(e, job)->line = SKED_ADMIT_LINE_ALL;
    lower_job(e, job);
    skedi_bans_see_limits(e, job);
    skedi_reservation_of_job(e, job, 1);
    return SKED_OK;
}

sked_status skedi_job_update(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = event->queue ? move_job(e, job, event->queue, err)
                                  : look_over(e, job, err);
    if (rc != SKED_OK) return rc;
    skedi_ban_changed(e, job_at(e, job)->ban);
    if (event->queue) return SKED_OK;
    job_at(e, job)->priority = event->priority;
    skedi_watch_groups(e);
    skedi_entries_rekey(e, job);
    if (job_at(e, job)->state == JOB_WAITING) skedi_wait_show(e, job);
    return SKED_OK;
}

/* Ends a job: nothing more of it is wanted. */
static void end_job(sked_engine *e, uint32_t job)
{
    engine_job *j = job_at(e, job);
    int waiting = j->state == JOB_WAITING;

    if (waiting) skedi_wait_leave(e, job);
    j->state = JOB_ENDED;
    j->groups++; /* keeps it until the end of this call */
    for (uint32_t a = j->first_ask, next; a != SKEDI_NONE; a = next) {
        next = ask_at(e, a)->next;
        skedi_pace_work(e);
        skedi_ask_close(e, a);
    }
    if (!waiting) skedi_job_count(e, job, -1);
    j->groups--;
    skedi_job_settle(e, job);
}

/* Ends a job: all its groups get kill orders. SKED_OK, SKED_ERR_NOMEM, or why
 * the host stopped it; then nothing changed. */
static sked_status kill_job(sked_engine *e, uint32_t job, sked_error *err)
{
    sked_status rc = look_over(e, job, err);

    if (rc != SKED_OK) return rc;
    if (!skedi_out_reserve(e, job_at(e, job)->groups)) {
        return skedi_fail_memory(err);
    }
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            skedi_pace_work(e);
            if (!skedi_group_is_doomed(e, g))
                skedi_group_kill(e, g, SKED_REASON_CANCELLED);
        }
    }
    end_job(e, job);
    return SKED_OK;
}

sked_status skedi_job_cancel(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    return kill_job(e, job, err);
}

sked_status skedi_job_finish(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (job_at(e, job)->held > 0) {
        return skedi_fail(err, SKED_ERR_STATE, "the job has tasks running",
                          (skedi_fault){.got = job_at(e, job)->running});
    }
    return kill_job(e, job, err);
}

sked_status skedi_job_least(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t job = find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->count < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "less than no task",
                          (skedi_fault){.got = event->count});
    }
    job_at(e, job)->least = event->count;
    if (event->count > 0) e->leasts = 1;
    skedi_watch_least(e);
    return SKED_OK;
}
