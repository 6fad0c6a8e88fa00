/*
 * Two rules about waiting tasks: order within a queue, and shares among
 * siblings. owed.c has the rules about guarantees and idle nodes.
 *
 * Credit bounds the cost. Each comparison costs one unit of credit; each row
 * adds a fixed number of units. When the credit is used up, a rule stops and
 * continues at a later instant. A condition that the rule did not check at
 * every instant starts anew. The judge may therefore miss an anomaly, but never
 * reports a false anomaly.
 */
#include "audit/state.h"

/* Number of tasks and of children compared for one start. */
enum { TASKS_LOOKED_AT = 16, CHILDREN_LOOKED_AT = 64 };

int skedi_audit_pays(sked_audit *a)
{
    if (a->credit <= 0) return 0;
    a->credit--;
    return 1;
}

/* Returns how many times `each` fits into `left`. */
static int64_t audit_times(int64_t left, int64_t each)
{
    return left < 0 ? 0 : left / each;
}

/* True if `count` more tasks respect the limits of the queues and the user. */
static int audit_within_bounds(const sked_audit *a, uint32_t tasks,
                               int64_t count)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);
    const skedi_audit_job *job = skedi_audit_job_of(a, tasks);

    for (uint32_t q = job->queue;; q = a->queue.at[q].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, q, QUEUE_USED);
        const int64_t *limit = skedi_audit_queue_vec(a, q, QUEUE_LIMIT);
        for (uint32_t k = 0; a->queue.at[q].has_limit && k < a->kinds; k++) {
            if (each[k] > 0 && count > audit_times(limit[k] - used[k], each[k]))
                return 0;
        }
        uint32_t u = job->user && a->user.n > 0
                         ? skedi_audit_find_pair(&a->user_of, q, job->user)
                         : SKEDI_AUDIT_NONE;
        for (uint32_t k = 0; u != SKEDI_AUDIT_NONE && k < a->kinds; k++) {
            int64_t left = skedi_audit_user_vec(a, u, USER_LIMIT)[k] -
                           skedi_audit_user_vec(a, u, USER_USED)[k];
            if (each[k] > 0 && count > audit_times(left, each[k])) return 0;
        }
        if (q == 0) return 1;
    }
}

int skedi_audit_allowed(const sked_audit *a, uint32_t tasks)
{
    const skedi_audit_tasks *t = &a->tasks.at[tasks];
    const skedi_audit_job *job = &a->job.at[t->job];

    return !((t->flags | job->flags) & SKED_AUDIT_MARK_CONSTRAINED) &&
           job->gang <= 1 && audit_within_bounds(a, tasks, 1);
}

int skedi_audit_gang_allowed(const sked_audit *a, uint32_t tasks)
{
    const skedi_audit_tasks *t = &a->tasks.at[tasks];
    const skedi_audit_job *job = &a->job.at[t->job];

    return !((t->flags | job->flags) & SKED_AUDIT_MARK_CONSTRAINED) &&
           job->running == 0 && job->done == 0 && t->waiting >= job->gang &&
           audit_within_bounds(a, tasks, job->gang);
}

/* True if a task of `tasks` fits wherever a task of `model` fits. */
int skedi_audit_no_larger(const sked_audit *a, uint32_t tasks, uint32_t model)
{
    const int64_t *x = skedi_audit_amounts(a, tasks);
    const int64_t *y = skedi_audit_amounts(a, model);

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (x[k] > y[k]) return 0;
    }
    return 1;
}

int skedi_audit_fits(const sked_audit *a, uint32_t tasks, uint32_t node,
                     int64_t count)
{
    const skedi_audit_node *n = &a->node.at[node];
    const int64_t *has = skedi_audit_node_vec(a, node, NODE_CAPACITY);
    const int64_t *used = skedi_audit_node_vec(a, node, NODE_USED);
    const int64_t *each = skedi_audit_amounts(a, tasks);

    if (n->state != NODE_UP || n->reserved > 0) return 0;
    if (!skedi_audit_matches(a, tasks, node)) return 0;
    for (uint32_t k = 0; k < a->kinds; k++) {
        int64_t left = has[k] - used[k];
        if (left < 0 || (each[k] > 0 && count > left / each[k])) return 0;
    }
    return 1;
}

/* True if the partition of the node is right. Node 0 has no known partition. */
int skedi_audit_matches(const sked_audit *a, uint32_t tasks, uint32_t node)
{
    uint64_t wanted = a->tasks.at[tasks].partition;

    return node == 0 ? wanted == 0
                     : wanted == 0 || a->node.at[node].partition == wanted;
}

int skedi_audit_longer(sked_time since, sked_time at, int64_t bound)
{
    return bound != SKED_UNLIMITED && at > since &&
           (uint64_t)at - (uint64_t)since > (uint64_t)bound;
}

/* True if `x` precedes `y` in the queue. */
static int audit_precedes(const sked_audit *a, uint32_t x, uint32_t y)
{
    int64_t p = a->tasks.at[x].priority, q = a->tasks.at[y].priority;

    return p != q ? p > q : x < y;
}

/* Returns the first tasks in the order of a queue with all these properties, or
 * SKEDI_AUDIT_NONE: the tasks may start, are not larger than `model`, may run
 * on `node`, and have waited longer than `bound`. */
static uint32_t audit_first_waiting(sked_audit *a, uint32_t queue,
                                    uint32_t model, uint32_t node,
                                    int64_t bound)
{
    const skedi_audit_queue *q = &a->queue.at[queue];
    uint32_t best = SKEDI_AUDIT_NONE;

    for (uint32_t i = 0; i < q->heap_n && i < TASKS_LOOKED_AT; i++) {
        uint32_t t = q->heap[i];
        int fits = skedi_audit_no_larger(a, t, model) &&
                   skedi_audit_matches(a, t, node);
        if (!skedi_audit_pays(a)) return SKEDI_AUDIT_NONE;
        if (!fits ||
            (best != SKEDI_AUDIT_NONE && !audit_precedes(a, t, best))) {
            continue;
        }
        if (skedi_audit_longer(a->tasks.at[t].since, a->now, bound) &&
            skedi_audit_allowed(a, t)) {
            best = t;
        }
    }
    return best;
}

/* As audit_first_waiting(), for a queue and then a descendant. At each level
 * the search follows only the first child with waiting tasks. */
static uint32_t audit_waiting_below(sked_audit *a, uint32_t queue,
                                    uint32_t model, uint32_t node,
                                    int64_t bound)
{
    uint32_t q = queue;

    while (q != SKEDI_AUDIT_NONE) {
        uint32_t t = audit_first_waiting(a, q, model, node, bound);
        uint32_t child = a->queue.at[q].child, left = CHILDREN_LOOKED_AT;
        if (t != SKEDI_AUDIT_NONE) return t;
        while (child != SKEDI_AUDIT_NONE && left > 0 &&
               a->queue.at[child].waiting == 0) {
            child = a->queue.at[child].sibling;
            left--;
        }
        q = left > 0 ? child : SKEDI_AUDIT_NONE;
    }
    return SKEDI_AUDIT_NONE;
}

/* ---- Order within a queue ---- */

static void audit_report_order(sked_audit *a, uint32_t first,
                               const skedi_audit_start *start)
{
    const skedi_audit_tasks *t = &a->tasks.at[first];
    const skedi_audit_tasks *u = &a->tasks.at[start->tasks];
    sked_audit_anomaly x = {.code = t->priority > u->priority
                                        ? SKED_AUDIT_CODE_PRIORITY_INVERSION
                                        : SKED_AUDIT_CODE_ORDER_BROKEN,
                            .from = t->since,
                            .at = a->now,
                            .subject = t->key,
                            .other = u->key,
                            .tasks = t->key,
                            .got = u->priority,
                            .limit = t->priority,
                            .kind = -1};

    skedi_audit_tell(&x, t->row);
    skedi_audit_tell(&x, t->stop_row);
    skedi_audit_tell(&x, u->row);
    skedi_audit_tell(&x, start->row);
    skedi_audit_report(a, &x);
}

/* True if waiting tasks `t` go before `tasks` of the same queue. */
static int audit_goes_first(const sked_audit *a, uint32_t t, uint32_t tasks)
{
    const skedi_audit_queue *q = &a->queue
                                      .at[skedi_audit_job_of(a, tasks)->queue];
    int64_t x = a->tasks.at[t].priority, y = a->tasks.at[tasks].priority;

    return x > y || (x == y && t < tasks && (q->flags & SKED_AUDIT_MARK_FIFO));
}

/*
 * True if `t` fits on the node of a start into what tasks behind `t` in the
 * queue have started with in this instant. Where the bound of the rule is 0, the
 * free resources of the node count too. With a longer bound, times may be
 * rounded, and a task may have ended after the start.
 */
static int audit_fits_instead(sked_audit *a, uint32_t t,
                              const skedi_audit_start *start)
{
    const int64_t *has = skedi_audit_node_vec(a, start->node, NODE_CAPACITY);
    const int64_t *used = skedi_audit_node_vec(a, start->node, NODE_USED);
    const int64_t *each = skedi_audit_amounts(a, t);
    int exact = a->options.inversion_ns == 0 && start->node != 0 &&
                a->node.at[start->node].reserved == 0;
    int64_t *left = a->scratch;

    for (uint32_t k = 0; k < a->kinds; k++) {
        left[k] = exact ? skedi_i64_max(has[k] - used[k], 0) : 0;
    }
    for (uint32_t i = 0; i < a->start.n; i++) {
        const skedi_audit_start *s = &a->start.at[i];
        const int64_t *took = skedi_audit_amounts(a, s->tasks);
        if (!skedi_audit_pays(a)) return 0;
        if (s->node != start->node || !s->beyond ||
            skedi_audit_job_of(a, s->tasks)->queue !=
                skedi_audit_job_of(a, t)->queue ||
            !audit_goes_first(a, t, s->tasks)) {
            continue;
        }
        for (uint32_t k = 0; k < a->kinds; k++) {
            left[k] = skedi_amount_add(left[k], took[k] * s->count);
        }
    }
    for (uint32_t k = 0; k < a->kinds; k++) {
        if (each[k] > left[k]) return 0;
    }
    return 1;
}

void skedi_audit_judge_order(sked_audit *a, const skedi_audit_start *start)
{
    uint32_t queue = skedi_audit_job_of(a, start->tasks)->queue;
    const skedi_audit_queue *q = &a->queue.at[queue];

    if (start->reserved) return; /* the reservation has set the time */
    for (uint32_t i = 0; i < q->heap_n && i < TASKS_LOOKED_AT; i++) {
        uint32_t t = q->heap[i];
        sked_time since = a->tasks.at[t].since;
        if (!audit_goes_first(a, t, start->tasks) || !skedi_audit_pays(a)) {
            continue;
        }
        if (skedi_audit_longer(since, a->now, a->options.inversion_ns) &&
            skedi_audit_matches(a, t, start->node) &&
            skedi_audit_allowed(a, t) &&
            (skedi_audit_no_larger(a, t, start->tasks) ||
             (start->beyond && audit_fits_instead(a, t, start)))) {
            audit_report_order(a, t, start);
            return;
        }
    }
}

/* ---- Shares among siblings ---- */

/* Returns the dominant share of the usage plus one task: the largest fraction
 * of the cluster over all kinds. With one kind, returns the amount over 1. */
static sked_ratio audit_dominant(const sked_audit *a, const int64_t *used,
                                 const int64_t *each, int with_drained)
{
    sked_ratio best = {0, 1};

    for (uint32_t k = 0; k < a->kinds; k++) {
        int64_t whole = a->kinds == 1 ? 1 : a->total[k];
        if (a->kinds > 1 && with_drained) whole += a->drained[k];
        int64_t x = skedi_amount_add(used[k], each[k]);
        if (whole <= 0 || x <= 0) continue;
        if (skedi_cmp_mul((uint64_t)x, (uint64_t)best.den, (uint64_t)best.num,
                          (uint64_t)whole) > 0) {
            best = (sked_ratio){x, whole};
        }
    }
    return best;
}

/* True if `mine / my_weight` exceeds `theirs / their_weight`. */
static int audit_has_more(sked_ratio mine, int64_t my_weight, sked_ratio theirs,
                          int64_t their_weight)
{
    const uint64_t x[3] = {(uint64_t)mine.num, (uint64_t)theirs.den,
                           (uint64_t)their_weight};
    const uint64_t y[3] = {(uint64_t)theirs.num, (uint64_t)mine.den,
                           (uint64_t)my_weight};

    return skedi_cmp_mul3(x, y) > 0;
}

/* True if a queue that uses `more` has more for its weight `mine` than a queue
 * that uses `less` and `each` has for its weight `theirs`. A scheduler may count
 * drained nodes as capacity or not, and both must say so. */
static int audit_exceeds(const sked_audit *a, const int64_t *more, int64_t mine,
                         const int64_t *less, const int64_t *each,
                         int64_t theirs)
{
    for (int with_drained = 0; with_drained < 2; with_drained++) {
        sked_ratio x = audit_dominant(a, more, a->nothing, with_drained);
        sked_ratio y = audit_dominant(a, less, each, with_drained);
        if (!audit_has_more(x, mine, y, theirs)) return 0;
    }
    return 1;
}

int skedi_audit_is_below(const sked_audit *a, uint32_t queue, uint32_t above)
{
    while (a->queue.at[queue].depth > a->queue.at[above].depth) {
        queue = a->queue.at[queue].parent;
    }
    return queue == above;
}

/*
 * Computes the part of the usage of a queue that `t` may object to.
 *
 * The function subtracts the starts of this instant on whose resources `t`
 * could not have started. From the other starts, the function subtracts one
 * task, the largest in each kind: the order of the starts is unknown, and the
 * last start may have been fair.
 *
 * The result is in a->scratch. Returns 0 if the credit is used up.
 */
static int audit_usage_against(sked_audit *a, uint32_t queue, uint32_t t)
{
    const int64_t *used = skedi_audit_queue_vec(a, queue, QUEUE_USED);
    int64_t *left = a->scratch, *largest = a->scratch + a->kinds;

    for (uint32_t k = 0; k < a->kinds; k++) {
        left[k] = used[k];
        largest[k] = 0;
    }
    for (uint32_t i = 0; i < a->start.n; i++) {
        const skedi_audit_start *s = &a->start.at[i];
        const int64_t *each = skedi_audit_amounts(a, s->tasks);
        if (!skedi_audit_pays(a)) return 0;
        if (!skedi_audit_is_below(a, skedi_audit_job_of(a, s->tasks)->queue,
                                  queue)) {
            continue;
        }
        int large = s->beyond && skedi_audit_job_of(a, s->tasks)->gang <= 1 &&
                    skedi_audit_no_larger(a, t, s->tasks) &&
                    skedi_audit_matches(a, t, s->node);
        for (uint32_t k = 0; k < a->kinds; k++) {
            if (large) {
                largest[k] = skedi_i64_max(largest[k], each[k]);
            } else {
                left[k] -= skedi_i64_min(left[k], each[k] * s->count);
            }
        }
    }
    for (uint32_t k = 0; k < a->kinds; k++) {
        left[k] -= skedi_i64_min(left[k], largest[k]);
    }
    return 1;
}

static void audit_report_shares(sked_audit *a, uint32_t rich, uint32_t poor,
                                uint32_t tasks, const skedi_audit_start *start)
{
    const skedi_audit_tasks *t = &a->tasks.at[tasks];
    const int64_t *more = skedi_audit_queue_vec(a, rich, QUEUE_USED);
    const int64_t *less = skedi_audit_queue_vec(a, poor, QUEUE_USED);
    const int64_t *each = skedi_audit_amounts(a, start->tasks);
    uint32_t kind = 0;

    while (kind + 1 < a->kinds && each[kind] == 0) kind++;
    sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_SHARES_OFF,
                            .from = t->since,
                            .at = a->now,
                            .subject = a->queue.at[poor].key,
                            .other = a->queue.at[rich].key,
                            .tasks = t->key,
                            .got = less[kind],
                            .limit = more[kind],
                            .kind = (int32_t)kind};
    skedi_audit_tell(&x, a->queue.at[rich].row);
    skedi_audit_tell(&x, a->queue.at[poor].row);
    skedi_audit_tell(&x, t->row);
    skedi_audit_tell(&x, t->stop_row);
    skedi_audit_tell(&x, start->row);
    skedi_audit_report(a, &x);
}

/* True if the queue has a guarantee and its usage stays within the guarantee.
 * Guarantees of descendants count. */
static int audit_is_guaranteed(const sked_audit *a, uint32_t queue)
{
    const int64_t *used = skedi_audit_queue_vec(a, queue, QUEUE_USED);
    const int64_t *force = skedi_audit_queue_vec(a, queue, QUEUE_FORCE);
    int some = 0;

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (force[k] > 0 && used[k] > force[k]) return 0;
        some |= force[k] > 0;
    }
    return some;
}

/* Returns waiting tasks of `poor` if `rich` has more for its weight, even if
 * `poor` had one more task as large as the start; else SKEDI_AUDIT_NONE. */
static uint32_t audit_poorer(sked_audit *a, uint32_t rich, uint32_t poor,
                             const skedi_audit_start *start)
{
    const int64_t *each = skedi_audit_amounts(a, start->tasks);
    int64_t mine = a->queue.at[rich].weight, theirs = a->queue.at[poor].weight;

    if (theirs == 0) return SKEDI_AUDIT_NONE;
    const int64_t *less = skedi_audit_queue_vec(a, poor, QUEUE_USED);
    if (!audit_exceeds(a, skedi_audit_queue_vec(a, rich, QUEUE_USED), mine,
                       less, each, theirs)) {
        return SKEDI_AUDIT_NONE;
    }
    uint32_t t = audit_waiting_below(a, poor, start->tasks, start->node,
                                     a->options.share_ns);
    if (t == SKEDI_AUDIT_NONE || !audit_usage_against(a, rich, t)) {
        return SKEDI_AUDIT_NONE;
    }
    return audit_exceeds(a, a->scratch, mine, less, each, theirs)
               ? t
               : SKEDI_AUDIT_NONE;
}

void skedi_audit_judge_shares(sked_audit *a, const skedi_audit_start *start)
{
    uint32_t q = skedi_audit_job_of(a, start->tasks)->queue;

    if (a->options.share_ns == SKED_UNLIMITED || !start->beyond ||
        skedi_audit_job_of(a, start->tasks)->gang > 1) {
        return; /* a gang may exceed its share by more than one task */
    }
    for (; q != 0; q = a->queue.at[q].parent) {
        uint32_t parent = a->queue.at[q].parent;
        if (a->queue.at[parent].waiting == a->queue.at[q].waiting) continue;
        if (a->queue.at[q].weight == 0 || audit_is_guaranteed(a, q)) continue;
        uint32_t poor = a->queue.at[parent].child;
        for (; poor != SKEDI_AUDIT_NONE; poor = a->queue.at[poor].sibling) {
            if (!skedi_audit_pays(a)) return;
            if (poor == q || a->queue.at[poor].waiting == 0) continue;
            uint32_t t = audit_poorer(a, q, poor, start);
            if (t == SKEDI_AUDIT_NONE) continue;
            audit_report_shares(a, q, poor, t, start);
            return;
        }
    }
}
