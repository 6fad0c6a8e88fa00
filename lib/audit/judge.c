/*
 * Judges an instant when the instant ends.
 *
 * Rows within an instant may come in any order: a start may precede the end
 * that frees its resources. Limits are therefore checked only at the end.
 *   1. For each start: limits of the node, the queues and the user, then order
 *      and shares (waits.c).
 *   2. Rules with a duration: gangs, losses, guarantees, kills, idle nodes.
 */
#include "audit/state.h"

/* Adds the start rows of the tasks on a node, newest first. */
static void audit_tell_runs(const sked_audit *a, uint32_t node,
                            sked_audit_anomaly *x)
{
    for (uint32_t r = a->node.at[node].run; r != SKEDI_AUDIT_NONE;
         r = a->run.at[r].after) {
        if (x->rows == SKED_MAX_AUDIT_STORY) return;
        skedi_audit_tell(x, a->run.at[r].row);
    }
}

/* Returns the first kind in which `used` exceeds `limit` and which the start
 * takes, or -1. A limit may shrink below the usage: a later start that takes
 * another kind does not pass the limit. */
static int32_t audit_kind_over(const sked_audit *a, const skedi_audit_start *s,
                               const int64_t *used, const int64_t *limit)
{
    const int64_t *each = skedi_audit_amounts(a, s->tasks);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] > 0 && used[k] > limit[k]) return (int32_t)k;
    }
    return -1;
}

static sked_audit_anomaly audit_over(const sked_audit *a, int32_t code,
                                     const int64_t *used, const int64_t *limit,
                                     int32_t kind)
{
    sked_audit_anomaly x = {.code = code,
                            .from = a->now,
                            .at = a->now,
                            .got = used[kind],
                            .limit = limit[kind],
                            .kind = kind};

    return x;
}

static void audit_judge_node(sked_audit *a, const skedi_audit_start *s)
{
    skedi_audit_node *node = &a->node.at[s->node];
    const int64_t *used = skedi_audit_node_vec(a, s->node, NODE_USED);
    const int64_t *has = skedi_audit_node_vec(a, s->node, NODE_CAPACITY);

    if (s->node == 0) return;
    int32_t kind = audit_kind_over(a, s, used, has);
    if (kind >= 0 && !node->over) {
        sked_audit_anomaly x = audit_over(a, SKED_AUDIT_CODE_NODE_OVER, used,
                                          has, kind);
        x.subject = node->key;
        x.tasks = a->tasks.at[s->tasks].key;
        skedi_audit_tell(&x, node->row);
        skedi_audit_tell(&x, s->row);
        audit_tell_runs(a, s->node, &x);
        skedi_audit_report(a, &x);
    }
    node->over = kind >= 0;
}

static void audit_judge_queue(sked_audit *a, const skedi_audit_start *s,
                              uint32_t queue)
{
    skedi_audit_queue *q = &a->queue.at[queue];
    const int64_t *used = skedi_audit_queue_vec(a, queue, QUEUE_USED);
    const int64_t *limit = skedi_audit_queue_vec(a, queue, QUEUE_LIMIT);

    if (!q->has_limit) return;
    int32_t kind = audit_kind_over(a, s, used, limit);
    if (kind >= 0 && !q->over) {
        sked_audit_anomaly x = audit_over(a, SKED_AUDIT_CODE_QUEUE_OVER, used,
                                          limit, kind);
        x.subject = q->key;
        x.tasks = a->tasks.at[s->tasks].key;
        skedi_audit_tell(&x, q->limit_row);
        skedi_audit_tell(&x, s->row);
        skedi_audit_report(a, &x);
    }
    q->over = kind >= 0;
}

static void audit_judge_user(sked_audit *a, const skedi_audit_start *s,
                             uint32_t queue, uint64_t key)
{
    uint32_t i = key && a->user.n > 0
                     ? skedi_audit_find_pair(&a->user_of, queue, key)
                     : SKEDI_AUDIT_NONE;

    if (i == SKEDI_AUDIT_NONE) return;
    skedi_audit_user *u = &a->user.at[i];
    const int64_t *used = skedi_audit_user_vec(a, i, USER_USED);
    const int64_t *limit = skedi_audit_user_vec(a, i, USER_LIMIT);
    int32_t kind = audit_kind_over(a, s, used, limit);
    if (kind >= 0 && !u->over) {
        sked_audit_anomaly x = audit_over(a, SKED_AUDIT_CODE_USER_OVER, used,
                                          limit, kind);
        x.subject = key;
        x.other = a->queue.at[queue].key;
        x.tasks = a->tasks.at[s->tasks].key;
        skedi_audit_tell(&x, u->row);
        skedi_audit_tell(&x, s->row);
        skedi_audit_report(a, &x);
    }
    u->over = kind >= 0;
}

/* ---- Gangs ---- */

/* Returns how many tasks of a gang must run now: 0 if no task runs. Finished
 * tasks no longer count. */
static int64_t audit_gang_needs(const skedi_audit_job *job)
{
    return job->gang > 1 && job->running > 0 ? job->gang - job->done : 0;
}

void skedi_audit_note_gang(sked_audit *a, uint32_t job)
{
    skedi_audit_job *j = &a->job.at[job];

    if (j->open || audit_gang_needs(j) <= j->running) return;
    j->part_since = a->now;
    a->part.at[a->part.n++] = job;
    j->open = a->part.n;
}

static void audit_report_part(sked_audit *a, const skedi_audit_job *j,
                              sked_time at)
{
    sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_GANG_PART,
                            .from = j->part_since,
                            .at = at,
                            .subject = j->key,
                            .got = j->running,
                            .limit = audit_gang_needs(j),
                            .kind = -1};

    skedi_audit_tell(&x, j->row);
    for (uint32_t t = j->tasks; t != SKEDI_AUDIT_NONE;
         t = a->tasks.at[t].next) {
        skedi_audit_tell(&x, a->tasks.at[t].start_row);
        skedi_audit_tell(&x, a->tasks.at[t].stop_row);
        if (x.rows == SKED_MAX_AUDIT_STORY) break;
    }
    skedi_audit_report(a, &x);
}

/* Reports each gang that was incomplete for too long. Drops reported gangs and
 * complete gangs from the list. The loop runs backwards because a dropped entry
 * is replaced by the last entry. */
static void audit_judge_gangs(sked_audit *a, sked_time next)
{
    int64_t bound = a->options.gang_ns;

    for (uint32_t i = a->part.n; i > 0; i--) {
        skedi_audit_job *j = &a->job.at[a->part.at[i - 1]];
        int in_part = audit_gang_needs(j) > j->running;
        int longer = bound != SKED_UNLIMITED &&
                     (uint64_t)next - (uint64_t)j->part_since > (uint64_t)bound;
        if (in_part && !longer) continue;
        if (in_part && bound != SKED_UNLIMITED) audit_report_part(a, j, next);
        uint32_t last = a->part.at[--a->part.n];
        a->part.at[i - 1] = last;
        a->job.at[last].open = i;
        j->open = 0;
    }
}

/* ---- Losses ---- */

static void audit_report_loss(sked_audit *a, const skedi_audit_loss *loss,
                              sked_time at)
{
    const skedi_audit_node *node = &a->node.at[loss->node];

    if (node->state != NODE_IS_DOWN || node->down_at != loss->time) return;
    for (uint32_t r = node->run; r != SKEDI_AUDIT_NONE;
         r = a->run.at[r].after) {
        const skedi_audit_tasks *t = &a->tasks.at[a->run.at[r].tasks];
        sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_WORK_LOST,
                                .from = loss->time,
                                .at = at,
                                .subject = t->key,
                                .other = node->key,
                                .tasks = t->key,
                                .got = a->run.at[r].count,
                                .kind = -1};
        skedi_audit_tell(&x, t->row);
        skedi_audit_tell(&x, a->run.at[r].row);
        skedi_audit_tell(&x, loss->row);
        skedi_audit_report(a, &x);
    }
}

static void audit_judge_losses(sked_audit *a, sked_time next)
{
    int64_t bound = a->options.lost_ns;

    while (bound != SKED_UNLIMITED && a->losses_seen < a->loss.n) {
        const skedi_audit_loss *loss = &a->loss.at[a->losses_seen];
        if ((uint64_t)next - (uint64_t)loss->time <= (uint64_t)bound) return;
        audit_report_loss(a, loss, next);
        a->losses_seen++;
    }
}

/* ---- The instant ---- */

void skedi_audit_judge(sked_audit *a, sked_time next)
{
    a->instant++;
    for (uint32_t i = 0; i < a->start.n; i++) {
        const skedi_audit_start *s = &a->start.at[i];
        const skedi_audit_job *job = skedi_audit_job_of(a, s->tasks);
        audit_judge_node(a, s);
        for (uint32_t q = job->queue;; q = a->queue.at[q].parent) {
            audit_judge_queue(a, s, q);
            audit_judge_user(a, s, q, job->user);
            if (q == 0) break;
        }
        skedi_audit_note_gang(a, a->tasks.at[s->tasks].job);
        skedi_audit_judge_order(a, s);
        skedi_audit_judge_shares(a, s);
    }
    audit_judge_gangs(a, next);
    audit_judge_losses(a, next);
    skedi_audit_judge_guarantees(a, next);
    skedi_audit_judge_kills(a);
    skedi_audit_expire_kills(a, next);
    skedi_audit_judge_idle(a, next);
    a->start.n = 0;
}
