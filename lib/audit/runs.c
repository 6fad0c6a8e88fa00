/*
 * Applies rows about running tasks: starts, ends, reserved starts.
 *
 * A run is a group of tasks with equal keys on one node. Invariant: the usage
 * of a node, of each queue on the path and of the user in each queue is the sum
 * over the runs. audit_charge() is the only function that changes the usage of
 * running tasks.
 */
#include "audit/rows.h"

#include <string.h>

sked_status skedi_audit_refuse(const skedi_audit_case *c, sked_status code,
                               const char *words, uint64_t got)
{
    return skedi_fail(c->err, code, words, (skedi_fault){.got = (int64_t)got});
}

/* Finds the number of a key. Refuses the row if the key is unknown. */
sked_status skedi_audit_known(const skedi_audit_case *c, const skedi_map *map,
                              uint64_t key, const char *words, uint32_t *i)
{
    *i = skedi_audit_find(map, key);
    if (*i != SKEDI_AUDIT_NONE) return SKED_OK;
    return skedi_audit_refuse(c, SKED_ERR_NOT_FOUND, words, key);
}

/* Updates two sums on the path of a queue: the usage within guarantees, and
 * the guaranteed amounts. A parent holds the larger of its own amount and the
 * sum over its children. */
void skedi_audit_protect(sked_audit *a, uint32_t queue)
{
    for (uint32_t q = queue;; q = a->queue.at[q].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        const int64_t *guarantee = skedi_audit_queue_vec(a, q, QUEUE_GUARANTEE);
        const int64_t *below = skedi_audit_queue_vec(a, q,
                                                     QUEUE_PROTECTED_BELOW);
        const int64_t *forces = skedi_audit_queue_vec(a, q, QUEUE_FORCE_BELOW);
        int64_t *is = skedi_audit_queue_vec(a, q, QUEUE_PROTECTED);
        int64_t *force = skedi_audit_queue_vec(a, q, QUEUE_FORCE);
        uint32_t parent = a->queue.at[q].parent;
        int64_t *above = skedi_audit_queue_vec(a, parent,
                                               QUEUE_PROTECTED_BELOW);
        int64_t *force_above = skedi_audit_queue_vec(a, parent,
                                                     QUEUE_FORCE_BELOW);
        for (uint32_t k = 0; k < a->kinds; k++) {
            int64_t now = skedi_i64_max(below[k],
                                        skedi_i64_min(used[k], guarantee[k]));
            int64_t due = skedi_i64_max(forces[k], guarantee[k]);
            if (q != 0) {
                above[k] += now - is[k];
                force_above[k] = skedi_amount_add(
                    skedi_amount_sub(force_above[k], force[k]), due);
            }
            is[k] = now;
            force[k] = due;
        }
        if (q == 0) break;
    }
}

/* Adds to the waiting tasks of each queue on the path. */
static void audit_count_waiting(sked_audit *a, uint32_t tasks, int64_t more)
{
    uint32_t q = skedi_audit_job_of(a, tasks)->queue;

    for (;; q = a->queue.at[q].parent) {
        a->queue.at[q].waiting += more;
        if (q == 0) break;
    }
}

/* Adds `more` waiting tasks; removes tasks if `more` is negative. */
void skedi_audit_waiting(sked_audit *a, uint32_t tasks, int64_t more)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];

    if (more == 0) return;
    t->waiting += more;
    audit_count_waiting(a, tasks, more);
    if (t->waiting > 0) {
        skedi_audit_wait(a, tasks);
    } else {
        skedi_audit_unwait(a, tasks);
    }
    skedi_audit_note_owed(a, skedi_audit_job_of(a, tasks)->queue, 0);
}

/* Charges `count` tasks to the node, the queues and the user. A negative
 * `count` releases tasks. */
static void audit_charge(sked_audit *a, uint32_t tasks, uint32_t node,
                         int64_t count)
{
    const skedi_audit_job *job = skedi_audit_job_of(a, tasks);
    const int64_t *each = skedi_audit_amounts(a, tasks);
    int64_t *on = skedi_audit_node_vec(a, node, NODE_USED);

    for (uint32_t k = 0; k < a->kinds; k++) on[k] += each[k] * count;
    for (uint32_t q = job->queue;; q = a->queue.at[q].parent) {
        int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        for (uint32_t k = 0; k < a->kinds; k++) used[k] += each[k] * count;
        uint32_t u = job->user && a->user.n > 0
                         ? skedi_audit_find_pair(&a->user_of, q, job->user)
                         : SKEDI_AUDIT_NONE;
        if (u != SKEDI_AUDIT_NONE) {
            int64_t *by = skedi_audit_user_vec(a, u, USER_USED);
            for (uint32_t k = 0; k < a->kinds; k++) by[k] += each[k] * count;
        }
        if (q == 0) break;
    }
    skedi_audit_protect(a, job->queue);
}

static uint32_t audit_run_new(sked_audit *a, uint32_t tasks, uint32_t node)
{
    uint32_t i = a->free_run;

    if (i == SKEDI_AUDIT_NONE) {
        i = a->run.n++;
    } else {
        a->free_run = a->run.at[i].after;
    }
    skedi_audit_node *n = &a->node.at[node];
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    a->run.at[i] = (skedi_audit_run){.tasks = tasks,
                                     .node = node,
                                     .before = SKEDI_AUDIT_NONE,
                                     .after = n->run,
                                     .tasks_before = SKEDI_AUDIT_NONE,
                                     .tasks_after = t->run};
    if (n->run != SKEDI_AUDIT_NONE) a->run.at[n->run].before = i;
    if (t->run != SKEDI_AUDIT_NONE) a->run.at[t->run].tasks_before = i;
    n->run = t->run = i;
    skedi_audit_add_pair(&a->run_of, tasks, node, i);
    return i;
}

static void audit_run_over(sked_audit *a, uint32_t i)
{
    const skedi_audit_run r = a->run.at[i];

    skedi_audit_remove_pair(&a->run_of, r.tasks, r.node);
    if (r.after != SKEDI_AUDIT_NONE) a->run.at[r.after].before = r.before;
    if (r.before != SKEDI_AUDIT_NONE) {
        a->run.at[r.before].after = r.after;
    } else {
        a->node.at[r.node].run = r.after;
    }
    if (r.tasks_after != SKEDI_AUDIT_NONE) {
        a->run.at[r.tasks_after].tasks_before = r.tasks_before;
    }
    if (r.tasks_before != SKEDI_AUDIT_NONE) {
        a->run.at[r.tasks_before].tasks_after = r.tasks_after;
    } else {
        a->tasks.at[r.tasks].run = r.tasks_after;
    }
    a->run.at[i].after = a->free_run;
    a->free_run = i;
}

/* Ends up to `count` tasks on a node. Returns the number of ended tasks. */
static int64_t audit_stop(sked_audit *a, uint32_t tasks, uint32_t node,
                          int64_t count)
{
    uint32_t i = skedi_audit_find_pair(&a->run_of, tasks, node);

    if (i == SKEDI_AUDIT_NONE) return 0;
    skedi_audit_run *r = &a->run.at[i];
    int64_t n = skedi_i64_min(count, r->count);
    r->count -= n;
    a->tasks.at[tasks].running -= n;
    skedi_audit_job_of(a, tasks)->running -= n;
    audit_charge(a, tasks, node, -n);
    if (r->count == 0) audit_run_over(a, i);
    return n;
}

/* Ends up to `count` tasks on any node, for a row without a node. Returns the
 * number of ended tasks. */
static int64_t audit_stop_anywhere(sked_audit *a, uint32_t tasks, int64_t count)
{
    const skedi_audit_tasks *t = &a->tasks.at[tasks];
    int64_t n = 0;

    while (n < count && t->run != SKEDI_AUDIT_NONE) {
        n += audit_stop(a, tasks, a->run.at[t->run].node, count - n);
    }
    return n;
}

/* Ends tasks on down nodes until `wanted` tasks wait. A scheduler may restart
 * the tasks of a down node without a LOST row. */
static void audit_give_up(sked_audit *a, uint32_t tasks, int64_t wanted)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];

    for (uint32_t i = t->run; i != SKEDI_AUDIT_NONE && t->waiting < wanted;) {
        uint32_t next = a->run.at[i].tasks_after, node = a->run.at[i].node;
        if (a->node.at[node].state == NODE_IS_DOWN) {
            skedi_audit_waiting(
                a, tasks, audit_stop(a, tasks, node, wanted - t->waiting));
        }
        i = next;
    }
}

static void audit_unfit(sked_audit *a, const skedi_audit_case *c)
{
    const skedi_audit_node *node = &a->node.at[c->node];
    const skedi_audit_tasks *t = &a->tasks.at[c->tasks];
    sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_NODE_UNFIT,
                            .from = a->now,
                            .at = a->now,
                            .subject = node->key,
                            .tasks = t->key,
                            .kind = -1};

    skedi_audit_tell(&x, c->number);
    skedi_audit_tell(&x, node->row);
    skedi_audit_tell(&x, t->row);
    skedi_audit_report(a, &x);
}

/* Reports a start of more tasks than wait, or an end of more than run. */
static void audit_miscount(sked_audit *a, const skedi_audit_case *c,
                           int32_t code, int64_t there)
{
    const skedi_audit_tasks *t = &a->tasks.at[c->tasks];
    sked_audit_anomaly x = {.code = code,
                            .from = a->now,
                            .at = a->now,
                            .subject = t->key,
                            .other = c->row->on,
                            .tasks = t->key,
                            .got = c->row->count,
                            .limit = there,
                            .kind = -1};

    skedi_audit_tell(&x, c->number);
    skedi_audit_tell(&x, t->row);
    skedi_audit_tell(&x, t->stop_row);
    skedi_audit_tell(&x, t->start_row);
    skedi_audit_report(a, &x);
}

/* True if the node of a reserved start has stopped or has become smaller since
 * the reservation. No scheduler can keep the reservation then. */
static int audit_is_void(const sked_audit *a, const skedi_audit_tasks *t)
{
    uint64_t row = a->node.at[t->promise_node].void_row;

    return row != SKEDI_AUDIT_NO_ROW && row > t->promise_row;
}

/* Reports a reserved start that is late by more than `reserve_ns`. Removes the
 * reservation. */
void skedi_audit_promise_kept(sked_audit *a, uint32_t tasks, uint64_t number)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];

    if (t->promise_row == SKEDI_AUDIT_NO_ROW) return;
    uint64_t late = (uint64_t)a->now - (uint64_t)t->promised;
    if (a->now > t->promised && late > (uint64_t)a->options.reserve_ns &&
        a->options.reserve_ns != SKED_UNLIMITED && !audit_is_void(a, t)) {
        sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_RESERVED_LATE,
                                .from = t->promised,
                                .at = a->now,
                                .subject = t->key,
                                .tasks = t->key,
                                .got = (int64_t)late,
                                .limit = t->promised,
                                .kind = -1};
        skedi_audit_tell(&x, t->row);
        skedi_audit_tell(&x, t->promise_row);
        skedi_audit_tell(&x, number);
        skedi_audit_report(a, &x);
    }
    a->node.at[t->promise_node].reserved--;
    t->promise_row = SKEDI_AUDIT_NO_ROW;
}

static int audit_is_unfit(const sked_audit *a, const skedi_audit_case *c)
{
    const skedi_audit_node *node = &a->node.at[c->node];
    uint64_t wanted = a->tasks.at[c->tasks].partition;

    if (c->node == 0) return c->row->on != 0; /* unknown node */
    return node->state != NODE_UP || (wanted && node->partition != wanted);
}

/* True if a queue on the path is below its guarantee in a kind of the start. The
 * guarantees of its children count as guarantees of the queue. Sets `whole` if
 * the entire start stays within an own guarantee in some kind. */
static int audit_start_is_guaranteed(const sked_audit *a,
                                     const skedi_audit_case *c, int *whole)
{
    const int64_t *each = skedi_audit_amounts(a, c->tasks);
    int some = 0;

    for (uint32_t q = skedi_audit_job_of(a, c->tasks)->queue; q != 0;
         q = a->queue.at[q].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        const int64_t *own = skedi_audit_queue_vec(a, q, QUEUE_GUARANTEE);
        const int64_t *force = skedi_audit_queue_vec(a, q, QUEUE_FORCE);
        for (uint32_t k = 0; k < a->kinds; k++) {
            int64_t more = each[k] * c->row->count;
            if (more == 0) continue;
            some |= used[k] < force[k];
            *whole |= used[k] < own[k] && more <= own[k] - used[k];
        }
    }
    return some;
}

sked_status skedi_audit_row_start(sked_audit *a, const skedi_audit_case *c)
{
    skedi_audit_tasks *t = &a->tasks.at[c->tasks];
    const int64_t *each = skedi_audit_amounts(a, c->tasks);
    const int64_t *all = skedi_audit_queue_vec(a, 0, QUEUE_USED);
    uint32_t queue = skedi_audit_job_of(a, c->tasks)->queue;

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] > 0 &&
            c->row->count > (SKED_AMOUNT_MAX - all[k]) / each[k]) {
            return skedi_fail(
                c->err, SKED_ERR_RANGE, "the sum of all tasks is out of range",
                (skedi_fault){.got = each[k], .kind = (int32_t)k + 1});
        }
    }
    if (t->running > SKED_AMOUNT_MAX - c->row->count) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "count is out of range",
                                  (uint64_t)c->row->count);
    }
    if (!skedi_audit_reserve_heap(a, queue)) return skedi_fail_memory(c->err);
    if (audit_is_unfit(a, c)) audit_unfit(a, c);
    if (t->waiting < c->row->count) {
        audit_give_up(a, c->tasks, c->row->count);
    }
    if (t->waiting < c->row->count) {
        audit_miscount(a, c, SKED_AUDIT_CODE_WORK_DOUBLED, t->waiting);
    }
    skedi_audit_needs(a, c->tasks, c->node, c->row->count);
    int reserved = t->promise_row != SKEDI_AUDIT_NO_ROW &&
                   (t->promise_node == 0 || t->promise_node == c->node);
    skedi_audit_promise_kept(a, c->tasks, c->number);
    int whole = 0;
    int beyond = !audit_start_is_guaranteed(a, c, &whole) && !a->replaced &&
                 !reserved;
    uint32_t run = skedi_audit_find_pair(&a->run_of, c->tasks, c->node);
    if (run == SKEDI_AUDIT_NONE) run = audit_run_new(a, c->tasks, c->node);
    a->run.at[run].count += c->row->count;
    a->run.at[run].row = c->number;
    t->running += c->row->count;
    skedi_audit_job_of(a, c->tasks)->running += c->row->count;
    audit_charge(a, c->tasks, c->node, c->row->count);
    skedi_audit_waiting(a, c->tasks, -skedi_i64_min(t->waiting, c->row->count));
    /* A start restarts the waiting time of the owed queues on the path. If
     * `guarantee_ns` is 0, only a start not entirely within the guarantee
     * restarts the time. */
    skedi_audit_note_owed(a, queue, !whole || a->options.guarantee_ns > 0);
    for (uint32_t q = queue;; q = a->queue.at[q].parent) {
        a->queue.at[q].start_row = c->number;
        if (q == 0) break;
    }
    t->start_row = c->number;
    a->node.at[c->node].busy_at = a->now;
    skedi_audit_start *s = &a->start.at[a->start.n++];
    *s = a->needs;
    s->row = c->number;
    s->tasks = c->tasks;
    s->node = c->node;
    s->beyond = (uint32_t)beyond;
    s->reserved = (uint32_t)reserved;
    s->count = c->row->count;
    return SKED_OK;
}

/* Applies DONE, KILL and LOST. Killed and lost tasks wait again. */
sked_status skedi_audit_row_end(sked_audit *a, const skedi_audit_case *c)
{
    skedi_audit_tasks *t = &a->tasks.at[c->tasks];
    const skedi_audit_node *node = &a->node.at[c->node];
    int done = c->row->type == SKED_AUDIT_ROW_DONE;
    uint32_t by = SKEDI_AUDIT_NONE;

    if (c->row->type == SKED_AUDIT_ROW_KILL && c->row->of) {
        sked_status rc = skedi_audit_known(c, &a->tasks_of, c->row->of,
                                           "there are no such tasks", &by);
        if (rc != SKED_OK) return rc;
    }
    if (!done && (c->row->count > SKED_AMOUNT_MAX - a->queue.at[0].waiting)) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "count is out of range",
                                  (uint64_t)c->row->count);
    }
    if (!skedi_audit_reserve_heap(a, skedi_audit_job_of(a, c->tasks)->queue)) {
        return skedi_fail_memory(c->err);
    }
    int64_t n = c->row->on ? audit_stop(a, c->tasks, c->node, c->row->count)
                           : audit_stop_anywhere(a, c->tasks, c->row->count);
    if (done && n > 0 && c->node != 0 && node->state == NODE_IS_DOWN &&
        node->down_at < a->now) {
        audit_unfit(a, c);
    }
    if (n < c->row->count) {
        audit_miscount(a, c, SKED_AUDIT_CODE_WORK_UNKNOWN, n);
    }
    if (done) {
        skedi_audit_job_of(a, c->tasks)->done += n;
    } else {
        skedi_audit_waiting(a, c->tasks, n);
        t->stop_row = c->number;
        skedi_audit_note_gang(a, t->job);
    }
    if (c->row->type == SKED_AUDIT_ROW_KILL && n > 0) {
        skedi_audit_killed(a, c->tasks, c->node, n, by);
    }
    skedi_audit_note_owed(a, skedi_audit_job_of(a, c->tasks)->queue, 0);
    return SKED_OK;
}

sked_status skedi_audit_row_cancel(sked_audit *a, const skedi_audit_case *c)
{
    skedi_audit_tasks *t = &a->tasks.at[c->tasks];
    int64_t n = c->row->count ? c->row->count : t->waiting;

    if (n > t->waiting) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "not so many tasks wait",
                                  c->row->key);
    }
    skedi_audit_waiting(a, c->tasks, -n);
    t->stop_row = c->number;
    if (t->waiting == 0) {
        skedi_audit_excuse_tasks(a, c->tasks);
        if (t->promise_row != SKEDI_AUDIT_NO_ROW) {
            a->node.at[t->promise_node].reserved--;
            t->promise_row = SKEDI_AUDIT_NO_ROW;
        }
    }
    return SKED_OK;
}

sked_status skedi_audit_row_reserve_start(sked_audit *a,
                                          const skedi_audit_case *c)
{
    skedi_audit_tasks *t = &a->tasks.at[c->tasks];

    if (c->row->on && c->node == 0) {
        return skedi_audit_refuse(c, SKED_ERR_NOT_FOUND,
                                  "there is no such node", c->row->on);
    }
    int late = t->promise_row != SKEDI_AUDIT_NO_ROW &&
               c->row->value > t->promised && !audit_is_void(a, t) &&
               a->options.reserve_ns != SKED_UNLIMITED &&
               (uint64_t)c->row->value - (uint64_t)t->promised >
                   (uint64_t)a->options.reserve_ns;
    if (late) {
        sked_audit_anomaly x = {
            .code = SKED_AUDIT_CODE_RESERVED_LATE,
            .from = a->now,
            .at = a->now,
            .subject = t->key,
            .tasks = t->key,
            .got = skedi_i64_max(c->row->value - t->promised, 0),
            .limit = t->promised,
            .kind = -1};
        skedi_audit_tell(&x, t->row);
        skedi_audit_tell(&x, t->promise_row);
        skedi_audit_tell(&x, c->number);
        skedi_audit_report(a, &x);
    }
    if (t->promise_row != SKEDI_AUDIT_NO_ROW) {
        a->node.at[t->promise_node].reserved--;
    }
    t->promise_row = c->number;
    t->promised = c->row->value;
    t->promise_node = c->node;
    a->node.at[c->node].reserved++;
    return SKED_OK;
}

/* Applies JOB_END. Each waiting or running task of the job is lost work. */
sked_status skedi_audit_row_job_end(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t job;
    sked_status rc = skedi_audit_known(c, &a->job_of, c->row->key,
                                       "there is no such job", &job);

    if (rc != SKED_OK) return rc;
    for (uint32_t i = a->job.at[job].tasks; i != SKEDI_AUDIT_NONE;
         i = a->tasks.at[i].next) {
        const skedi_audit_tasks *t = &a->tasks.at[i];
        if (t->waiting + t->running == 0) continue;
        sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_WORK_LOST,
                                .from = a->now,
                                .at = a->now,
                                .subject = t->key,
                                .other = c->row->key,
                                .tasks = t->key,
                                .got = t->waiting + t->running,
                                .kind = -1};
        skedi_audit_tell(&x, t->row);
        skedi_audit_tell(&x, t->start_row);
        skedi_audit_tell(&x, t->stop_row);
        skedi_audit_tell(&x, c->number);
        skedi_audit_report(a, &x);
        skedi_audit_waiting(a, i, -t->waiting);
        skedi_audit_excuse_tasks(a, i);
    }
    return SKED_OK;
}
