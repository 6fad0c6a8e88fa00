/*
 * Two rules about waiting tasks: an unserved guarantee, and an idle node.
 *
 * An owed queue has waiting tasks and uses less than its guarantee in some
 * kind. The judge keeps a list of the owed queues. The rule about idle nodes
 * visits the waiting tasks with a cursor.
 *
 * Each comparison costs credit; see waits.c. A cursor continues at the next
 * instant where the credit ended. A condition that was not checked at every
 * instant starts anew, because the judge cannot know that it held all along.
 */
#include "audit/state.h"

/* Number of children searched for waiting tasks, and of runs on a node searched
 * for surplus. */
enum { CHILDREN_OF_OWED = 64, VICTIMS_OF_CLAIM = 16 };

/* A share of a cluster below 2^50 units is exact to a unit in any number format
 * of 50 bits or more. */
enum { BITS_OF_SHARES = 50 };

/* ---- Guarantees ---- */

void skedi_audit_note_owed(sked_audit *a, uint32_t queue, int anew)
{
    for (uint32_t i = queue; i != 0; i = a->queue.at[i].parent) {
        skedi_audit_queue *q = &a->queue.at[i];
        if (!q->has_guarantee) continue;
        const int64_t *used = skedi_audit_queue_vec(a, i, QUEUE_USED);
        const int64_t *guarantee = skedi_audit_queue_vec(a, i, QUEUE_GUARANTEE);
        int below = 0;
        for (uint32_t k = 0; k < a->kinds; k++) below |= used[k] < guarantee[k];
        below &= q->waiting > 0;
        if (anew || (below && !q->owed)) q->since = a->now;
        if (below && !q->owed) {
            q->seen = 0;
            a->owed.at[a->owed.n++] = i;
            q->owed = a->owed.n;
        } else if (!below && q->owed) {
            uint32_t last = a->owed.at[--a->owed.n];
            a->owed.at[q->owed - 1] = last;
            a->queue.at[last].owed = q->owed;
            q->owed = 0;
        }
    }
}

/*
 * Returns the first tasks of a queue or of a descendant, if these tasks may
 * start now; else SKEDI_AUDIT_NONE. Tasks behind a blocked head prove nothing:
 * the head may have been startable earlier in the instant.
 */
static uint32_t audit_head_below(const sked_audit *a, uint32_t queue)
{
    uint32_t q = queue;

    while (q != SKEDI_AUDIT_NONE && a->queue.at[q].heap_n == 0) {
        uint32_t child = a->queue.at[q].child, left = CHILDREN_OF_OWED;
        while (child != SKEDI_AUDIT_NONE && left > 0 &&
               a->queue.at[child].waiting == 0) {
            child = a->queue.at[child].sibling;
            left--;
        }
        q = left > 0 ? child : SKEDI_AUDIT_NONE;
    }
    if (q == SKEDI_AUDIT_NONE) return SKEDI_AUDIT_NONE;
    uint32_t t = a->queue.at[q].heap[0];
    return skedi_audit_allowed(a, t) ? t : SKEDI_AUDIT_NONE;
}

/* True if the task has a guaranteed kind, and one more task keeps the queue
 * within its guarantee in all guaranteed kinds of the task. Sets `kind` to the
 * first guaranteed kind. */
static int audit_fits_guarantee(const sked_audit *a, uint32_t queue,
                                uint32_t tasks, uint32_t *kind)
{
    const int64_t *used = skedi_audit_queue_vec(a, queue, QUEUE_USED);
    const int64_t *guarantee = skedi_audit_queue_vec(a, queue, QUEUE_GUARANTEE);
    const int64_t *each = skedi_audit_amounts(a, tasks);
    int some = 0;

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] == 0 || guarantee[k] == 0) continue;
        if (each[k] > guarantee[k] - used[k]) return 0;
        if (!some) *kind = k;
        some = 1;
    }
    return some;
}

/*
 * True if the queue may insist on its guarantee against queue `other`.
 *
 * A guarantee is a claim on the siblings. Against a queue outside its parent,
 * the parent claims, with the larger of its own guarantee and the sum of its
 * children's, and so on up to the common ancestor. What a sibling uses of the
 * parent's guarantee is lacking inside the parent, and no stranger owes it.
 * Guarantees above a limit of an ancestor are cut by no common rule.
 */
static int audit_may_insist(const sked_audit *a, uint32_t queue, uint32_t tasks,
                            uint32_t other)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);

    for (uint32_t q = queue; q != 0; q = a->queue.at[q].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        const int64_t *force = skedi_audit_queue_vec(a, q, QUEUE_FORCE);
        const int64_t *limit = skedi_audit_queue_vec(a, q, QUEUE_LIMIT);
        int common = skedi_audit_is_below(a, other, q);
        for (uint32_t k = 0; k < a->kinds; k++) {
            if (each[k] == 0 || force[k] == 0) continue;
            if (a->queue.at[q].has_limit && force[k] > limit[k]) return 0;
            if (common) continue;
            if (each[k] > force[k] - used[k]) return 0;
        }
    }
    return 1;
}

/* True if the cluster can hold all guarantees together. Otherwise no queue can
 * insist on a guarantee. */
static int audit_guarantees_fit(const sked_audit *a)
{
    const int64_t *force = skedi_audit_queue_vec(a, 0, QUEUE_FORCE);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (force[k] > a->total[k]) return 0;
    }
    return 1;
}

/* Returns a start of this instant outside `queue` and beyond every guarantee,
 * on resources that `tasks` could have used; or NULL. */
static const skedi_audit_start *audit_passed_over(sked_audit *a, uint32_t queue,
                                                  uint32_t tasks)
{
    for (uint32_t i = 0; i < a->start.n; i++) {
        const skedi_audit_start *s = &a->start.at[i];
        if (!s->beyond) continue;
        if (!skedi_audit_pays(a)) return NULL;
        uint32_t other = skedi_audit_job_of(a, s->tasks)->queue;
        if (skedi_audit_no_larger(a, tasks, s->tasks) &&
            skedi_audit_matches(a, tasks, s->node) &&
            !skedi_audit_is_below(a, other, queue) &&
            audit_may_insist(a, queue, tasks, other)) {
            return s;
        }
    }
    return NULL;
}

/* ---- Surplus ---- */

/* Returns how many tasks of `victim`, at most `count`, no queue of its path
 * needs for its guarantee. Queues that the claim is in as well get the claim
 * in return. */
static int64_t audit_spare(const sked_audit *a, uint32_t victim, int64_t count,
                           uint32_t claim)
{
    const int64_t *each = skedi_audit_amounts(a, victim);
    uint32_t mine = skedi_audit_job_of(a, claim)->queue;
    uint32_t q = skedi_audit_job_of(a, victim)->queue;

    for (; q != 0 && !skedi_audit_is_below(a, mine, q);
         q = a->queue.at[q].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        const int64_t *due = skedi_audit_queue_vec(a, q, QUEUE_FORCE);
        for (uint32_t k = 0; k < a->kinds; k++) {
            if (each[k] == 0 || due[k] == 0) continue;
            count = used[k] <= due[k]
                        ? 0
                        : skedi_i64_min(count, (used[k] - due[k]) / each[k]);
        }
    }
    return count;
}

/* Takes `count` tasks out of the usage of their queues, or puts them back if
 * negative. */
static void audit_take_out(sked_audit *a, uint32_t tasks, int64_t count)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);

    for (uint32_t q = skedi_audit_job_of(a, tasks)->queue; q != 0;
         q = a->queue.at[q].parent) {
        int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        for (uint32_t k = 0; k < a->kinds; k++) used[k] -= each[k] * count;
    }
}

/* Takes surplus tasks of one run off the node as far as the node is short.
 * Returns how many. Gangs stay: a part of a gang is no victim. */
static int64_t audit_take_surplus(sked_audit *a, const skedi_audit_run *r,
                                  uint32_t queue, uint32_t claim,
                                  int64_t *is_short)
{
    const skedi_audit_job *job = skedi_audit_job_of(a, r->tasks);
    const int64_t *each = skedi_audit_amounts(a, r->tasks);
    int64_t want = 0;

    if (job->gang > 1 || skedi_audit_is_below(a, job->queue, queue) ||
        !audit_may_insist(a, queue, claim, job->queue)) {
        return 0;
    }
    for (uint32_t k = 0; k < a->kinds; k++) {
        if (is_short[k] <= 0 || each[k] == 0) continue;
        want = skedi_i64_max(want, (is_short[k] - 1) / each[k] + 1);
    }
    int64_t n = audit_spare(a, r->tasks, skedi_i64_min(want, r->count), claim);
    audit_take_out(a, r->tasks, n);
    for (uint32_t k = 0; k < a->kinds; k++) {
        is_short[k] -= skedi_i64_min(is_short[k], each[k] * n);
    }
    return n;
}

/* True if a task fits on the node when surplus tasks leave. */
static int audit_node_has_surplus(sked_audit *a, uint32_t node, uint32_t queue,
                                  uint32_t claim)
{
    const int64_t *has = skedi_audit_node_vec(a, node, NODE_CAPACITY);
    const int64_t *used = skedi_audit_node_vec(a, node, NODE_USED);
    const int64_t *each = skedi_audit_amounts(a, claim);
    uint32_t victim[VICTIMS_OF_CLAIM], n = 0;
    int64_t taken[VICTIMS_OF_CLAIM], *is_short = a->scratch;
    int fits = 1;

    if (a->node.at[node].state != NODE_UP || a->node.at[node].reserved > 0 ||
        !skedi_audit_matches(a, claim, node)) {
        return 0;
    }
    for (uint32_t k = 0; k < a->kinds; k++) {
        is_short[k] = skedi_i64_max(each[k] - (has[k] - used[k]), 0);
    }
    for (uint32_t r = a->node.at[node].run;
         r != SKEDI_AUDIT_NONE && n < VICTIMS_OF_CLAIM && skedi_audit_pays(a);
         r = a->run.at[r].after) {
        victim[n] = a->run.at[r].tasks;
        taken[n] = audit_take_surplus(a, &a->run.at[r], queue, claim, is_short);
        n++;
    }
    while (n-- > 0) audit_take_out(a, victim[n], -taken[n]);
    for (uint32_t k = 0; k < a->kinds; k++) fits &= is_short[k] == 0;
    return fits;
}

/* True if a task fits on some node when tasks outside all guarantees leave. */
static int audit_is_surplus(sked_audit *a, uint32_t queue, uint32_t tasks)
{
    const int64_t *within = skedi_audit_queue_vec(a, 0, QUEUE_PROTECTED);
    const int64_t *each = skedi_audit_amounts(a, tasks);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] > 0 && a->total[k] - within[k] < each[k]) return 0;
    }
    for (uint32_t i = 1; i < a->node.n && skedi_audit_pays(a); i++) {
        if (audit_node_has_surplus(a, i, queue, tasks)) return 1;
    }
    return 0;
}

/* True if drained nodes have a place for the task. A scheduler that counts
 * drained nodes as capacity may leave the surplus to its owner, because the
 * larger cluster has a place for both. */
static int audit_drained_holds(const sked_audit *a, uint32_t tasks)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] > a->drained[k]) return 0;
    }
    return 1;
}

/* True if the claim may lack a unit of the task because the scheduler rounds
 * shares of a large cluster. A second task behind the first makes up for the
 * unit. */
static int audit_is_rounded(const sked_audit *a, uint32_t queue, uint32_t tasks)
{
    const int64_t *used = skedi_audit_queue_vec(a, queue, QUEUE_USED);
    const int64_t *guarantee = skedi_audit_queue_vec(a, queue, QUEUE_GUARANTEE);
    const int64_t *each = skedi_audit_amounts(a, tasks);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] == 0 || a->everything[k] < INT64_C(1) << BITS_OF_SHARES) {
            continue;
        }
        if (a->tasks.at[tasks].waiting < 2) return 1;
        if (guarantee[k] > 0 && each[k] > guarantee[k] - used[k] - each[k]) {
            return 1;
        }
    }
    return 0;
}

/* True if the queue must get a task by a kill. */
static int audit_must_preempt(sked_audit *a, uint32_t queue, uint32_t tasks)
{
    return (a->options.flags & SKED_AUDIT_FLAG_PREEMPTS) &&
           !audit_drained_holds(a, tasks) &&
           !audit_is_rounded(a, queue, tasks) &&
           audit_is_surplus(a, queue, tasks);
}

static void audit_report_unserved(sked_audit *a, uint32_t queue, uint32_t tasks,
                                  uint32_t kind, sked_time at,
                                  const skedi_audit_start *start)
{
    skedi_audit_queue *q = &a->queue.at[queue];
    const skedi_audit_tasks *t = &a->tasks.at[tasks];
    uint32_t other = start ? skedi_audit_job_of(a, start->tasks)->queue : 0;
    sked_audit_anomaly x = {
        .code = SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
        .from = q->since,
        .at = at,
        .subject = q->key,
        .other = a->queue.at[other].key,
        .tasks = t->key,
        .got = skedi_audit_queue_vec(a, queue, QUEUE_USED)[kind],
        .limit = skedi_audit_queue_vec(a, queue, QUEUE_GUARANTEE)[kind],
        .kind = (int32_t)kind};

    skedi_audit_tell(&x, q->guarantee_row);
    skedi_audit_tell(&x, t->row);
    skedi_audit_tell(&x, t->stop_row);
    skedi_audit_tell(&x, q->start_row);
    if (start) skedi_audit_tell(&x, start->row);
    skedi_audit_report(a, &x);
    q->since = at; /* reported; a new interval starts */
}

/* Judges one owed queue. */
static void audit_judge_owed(sked_audit *a, uint32_t queue, sked_time next)
{
    skedi_audit_queue *q = &a->queue.at[queue];
    int64_t bound = a->options.guarantee_ns;
    uint32_t kind = 0;

    if (q->seen + 1 != a->instant && q->seen != 0) q->since = a->now;
    q->seen = a->instant;
    if (!skedi_audit_longer(q->since, next, bound)) return;
    uint32_t t = audit_head_below(a, queue);
    if (t == SKEDI_AUDIT_NONE || !audit_fits_guarantee(a, queue, t, &kind)) {
        return;
    }
    sked_time since = skedi_i64_max(q->since, a->tasks.at[t].since);
    const skedi_audit_start *s = skedi_audit_longer(since, a->now, bound)
                                     ? audit_passed_over(a, queue, t)
                                     : NULL;
    if (s) {
        audit_report_unserved(a, queue, t, kind, a->now, s);
    } else if (skedi_audit_longer(since, next, bound) &&
               audit_must_preempt(a, queue, t)) {
        audit_report_unserved(a, queue, t, kind, next, NULL);
    }
}

void skedi_audit_judge_guarantees(sked_audit *a, sked_time next)
{
    if (a->options.guarantee_ns == SKED_UNLIMITED || a->owed.n == 0 ||
        !audit_guarantees_fit(a)) {
        return;
    }
    for (uint32_t n = a->owed.n; n > 0 && skedi_audit_pays(a); n--) {
        if (a->owed_cursor >= a->owed.n) a->owed_cursor = 0;
        audit_judge_owed(a, a->owed.at[a->owed_cursor++], next);
    }
}

/* ---- Idle nodes ---- */

static void audit_report_idle(sked_audit *a, uint32_t tasks, sked_time at)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    const skedi_audit_node *node = &a->node.at[t->idle_node];
    sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_NODE_IDLE,
                            .from = t->idle_since,
                            .at = at,
                            .subject = node->key,
                            .tasks = t->key,
                            .kind = -1};

    skedi_audit_tell(&x, node->row);
    skedi_audit_tell(&x, t->row);
    skedi_audit_tell(&x, t->stop_row);
    skedi_audit_tell(&x, t->start_row);
    for (uint32_t r = node->run; r != SKEDI_AUDIT_NONE && x.rows < 8;
         r = a->run.at[r].after) {
        skedi_audit_tell(&x, a->run.at[r].row);
    }
    skedi_audit_report(a, &x);
    t->idle_since = at; /* reported; a new interval starts */
}

/* Returns a node on which a task fits, or SKEDI_AUDIT_NONE. `all` is 0 if the
 * credit ended before the last node. */
static uint32_t audit_idle_node(sked_audit *a, uint32_t tasks, int *all)
{
    uint32_t nodes = a->node.n - 1;

    *all = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!skedi_audit_pays(a)) return SKEDI_AUDIT_NONE;
        if (++a->node_cursor >= a->node.n) a->node_cursor = 1;
        if (skedi_audit_fits(a, tasks, a->node_cursor, 1)) {
            return a->node_cursor;
        }
    }
    *all = 1;
    return SKEDI_AUDIT_NONE;
}

/* Returns how many tasks a node can take now, at most `most`. */
static int64_t audit_number_on(const sked_audit *a, uint32_t tasks,
                               uint32_t node, int64_t most)
{
    const int64_t *has = skedi_audit_node_vec(a, node, NODE_CAPACITY);
    const int64_t *used = skedi_audit_node_vec(a, node, NODE_USED);
    const int64_t *each = skedi_audit_amounts(a, tasks);

    if (!skedi_audit_fits(a, tasks, node, 1)) return 0;
    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] == 0) continue;
        most = skedi_i64_min(most, (has[k] - used[k]) / each[k]);
    }
    return most;
}

/* Returns the first node for a gang, all of whose tasks have one key and fit
 * together on nodes now; or SKEDI_AUDIT_NONE. */
static uint32_t audit_gang_node(sked_audit *a, uint32_t tasks)
{
    int64_t left = skedi_audit_job_of(a, tasks)->gang;
    uint32_t first = SKEDI_AUDIT_NONE;

    for (uint32_t i = 1; i < a->node.n; i++) {
        if (!skedi_audit_pays(a)) return SKEDI_AUDIT_NONE;
        int64_t n = audit_number_on(a, tasks, i, left);
        if (n > 0 && first == SKEDI_AUDIT_NONE) first = i;
        left -= n;
        if (left == 0) return first;
    }
    return SKEDI_AUDIT_NONE;
}

/* Judges a waiting gang. */
static void audit_judge_gang(sked_audit *a, uint32_t tasks, sked_time next)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    uint32_t node = skedi_audit_gang_allowed(a, tasks)
                        ? audit_gang_node(a, tasks)
                        : SKEDI_AUDIT_NONE;

    if (t->idle_node == SKEDI_AUDIT_NONE || t->idle_seen + 1 != a->instant) {
        t->idle_since = a->now;
    }
    t->idle_seen = a->instant;
    t->idle_node = node;
    if (node != SKEDI_AUDIT_NONE &&
        skedi_audit_longer(t->idle_since, next, a->options.idle_ns)) {
        audit_report_idle(a, tasks, next);
    }
}

/* Judges waiting tasks. `failed` are tasks known to fit on no node now: larger
 * tasks need no search. */
static void audit_judge_waiting(sked_audit *a, uint32_t tasks, sked_time next,
                                uint32_t *failed)
{
    skedi_audit_tasks *t = &a->tasks.at[tasks];
    int all;

    if (skedi_audit_job_of(a, tasks)->gang > 1) {
        audit_judge_gang(a, tasks, next);
        return;
    }
    if (t->idle_node != SKEDI_AUDIT_NONE &&
        (t->idle_seen + 1 != a->instant ||
         a->node.at[t->idle_node].busy_at > t->idle_since ||
         !skedi_audit_fits(a, tasks, t->idle_node, 1))) {
        t->idle_node = SKEDI_AUDIT_NONE;
    }
    t->idle_seen = a->instant;
    if (!skedi_audit_allowed(a, tasks)) {
        t->idle_node = SKEDI_AUDIT_NONE;
        return;
    }
    if (t->idle_node == SKEDI_AUDIT_NONE) {
        if (*failed != SKEDI_AUDIT_NONE &&
            skedi_audit_no_larger(a, *failed, tasks) &&
            (a->tasks.at[*failed].partition == 0 ||
             a->tasks.at[*failed].partition == t->partition)) {
            return;
        }
        t->idle_node = audit_idle_node(a, tasks, &all);
        t->idle_since = a->now;
        if (all) *failed = tasks;
        if (t->idle_node == SKEDI_AUDIT_NONE) return;
    }
    if (skedi_audit_longer(t->idle_since, next, a->options.idle_ns)) {
        audit_report_idle(a, tasks, next);
    }
}

void skedi_audit_judge_idle(sked_audit *a, sked_time next)
{
    uint32_t failed = SKEDI_AUDIT_NONE;

    if (a->options.idle_ns == SKED_UNLIMITED || a->node.n < 2 ||
        a->first_waiting == SKEDI_AUDIT_NONE) {
        return;
    }
    uint32_t first = a->idle_cursor;
    if (first == SKEDI_AUDIT_NONE) first = a->first_waiting;
    uint32_t at = first;
    while (skedi_audit_pays(a)) {
        uint32_t after = a->tasks.at[at].after;
        audit_judge_waiting(a, at, next, &failed);
        at = after == SKEDI_AUDIT_NONE ? a->first_waiting : after;
        if (at == first) break;
    }
    a->idle_cursor = at;
}
