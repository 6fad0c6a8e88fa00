/*
 * Applies rows to the state, one row at a time.
 *
 * A row is checked completely before the first change. The caller has reserved
 * memory for one more record of each type. After the check, a row therefore
 * cannot fail.
 *
 * An impossible row is reported and then applied as far as possible. Without
 * this step, one wrong start would cause an anomaly at every later row of the
 * same tasks.
 */
#include "audit/rows.h"

#include <string.h>

/* ---- Nodes ---- */

/* Adds the capacity of a node to the sum for its state, or subtracts it. */
static void audit_total(sked_audit *a, uint32_t node, int sign)
{
    const int64_t *vec = skedi_audit_node_vec(a, node, NODE_CAPACITY);
    int state = a->node.at[node].state;

    if (state == NODE_IS_DOWN) return;
    int64_t *sum = state == NODE_UP ? a->total : a->drained;
    for (uint32_t k = 0; k < a->kinds; k++) sum[k] += sign * vec[k];
}

static sked_status audit_node(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t i = skedi_audit_find(&a->node_of, c->row->key);

    if (i == SKEDI_AUDIT_NONE && !c->amounts) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE,
                                  "a new node has no amounts", c->row->key);
    }
    const int64_t *had = i == SKEDI_AUDIT_NONE
                             ? a->nothing
                             : skedi_audit_node_vec(a, i, NODE_CAPACITY);
    const int64_t *has = c->amounts ? c->amounts : had;
    for (uint32_t k = 0; k < a->kinds; k++) {
        if (has[k] > SKED_AMOUNT_MAX - (a->everything[k] - had[k])) {
            return skedi_fail(
                c->err, SKED_ERR_RANGE, "the sum of all nodes is out of range",
                (skedi_fault){.got = has[k], .kind = (int32_t)k + 1});
        }
    }
    if (i == SKEDI_AUDIT_NONE) {
        i = a->node.n++;
        a->node.at[i] = (skedi_audit_node){.key = c->row->key,
                                           .void_row = SKEDI_AUDIT_NO_ROW,
                                           .state = NODE_IS_DOWN,
                                           .run = SKEDI_AUDIT_NONE,
                                           .kill = SKEDI_AUDIT_NONE};
        memset(skedi_audit_node_vec(a, i, 0), 0,
               NODE_VECTORS * a->kinds * sizeof(int64_t));
        skedi_audit_add_key(&a->node_of, c->row->key, i);
    }
    skedi_audit_node *node = &a->node.at[i];
    int64_t *capacity = skedi_audit_node_vec(a, i, NODE_CAPACITY);
    audit_total(a, i, -1);
    for (uint32_t k = 0; k < a->kinds; k++) {
        if (has[k] < capacity[k]) {
            node->busy_at = a->now;
            node->void_row = c->number;
        }
        a->everything[k] += has[k] - capacity[k];
        capacity[k] = has[k];
    }
    if (node->state != NODE_UP) node->busy_at = a->now;
    node->state = NODE_UP;
    audit_total(a, i, 1);
    node->partition = c->row->of;
    node->row = c->number;
    return SKED_OK;
}

static sked_status audit_node_stops(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t i;
    sked_status rc = skedi_audit_known(c, &a->node_of, c->row->key,
                                       "there is no such node", &i);

    if (rc != SKED_OK) return rc;
    skedi_audit_node *node = &a->node.at[i];
    int down = c->row->type == SKED_AUDIT_ROW_NODE_DOWN;
    skedi_audit_excuse_node(a, i);
    if (node->state == NODE_IS_DOWN) return SKED_OK;
    audit_total(a, i, -1);
    node->row = node->void_row = c->number;
    if (!down) {
        node->state = NODE_DRAINED;
        audit_total(a, i, 1);
        return SKED_OK;
    }
    node->state = NODE_IS_DOWN;
    node->down_at = a->now;
    if (node->run != SKEDI_AUDIT_NONE) {
        a->loss.at[a->loss.n++] = (skedi_audit_loss){
            .time = a->now, .row = c->number, .node = i};
    }
    return SKED_OK;
}

/* ---- Queues and bounds ---- */

static sked_status audit_queue_new(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t parent = 0, i = a->queue.n;

    if (c->row->of) {
        sked_status rc = skedi_audit_known(c, &a->queue_of, c->row->of,
                                           "there is no such parent", &parent);
        if (rc != SKED_OK) return rc;
    }
    if (a->queue.at[parent].depth + 1 >= SKED_MAX_DEPTH) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "the tree is too deep",
                                  c->row->of);
    }
    if (i >= SKED_MAX_QUEUES) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE,
                                  "there are too many queues", i);
    }
    a->queue.at[i] = (skedi_audit_queue){.key = c->row->key,
                                         .row = c->number,
                                         .limit_row = SKEDI_AUDIT_NO_ROW,
                                         .guarantee_row = SKEDI_AUDIT_NO_ROW,
                                         .start_row = SKEDI_AUDIT_NO_ROW,
                                         .parent = parent,
                                         .child = SKEDI_AUDIT_NONE,
                                         .sibling = a->queue.at[parent].child,
                                         .depth = a->queue.at[parent].depth +
                                                  1};
    memset(skedi_audit_queue_vec(a, i, 0), 0,
           QUEUE_VECTORS * a->kinds * sizeof(int64_t));
    a->queue.at[parent].child = i;
    a->queue.n++;
    skedi_audit_add_key(&a->queue_of, c->row->key, i);
    return SKED_OK;
}

static sked_status audit_queue(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t i = skedi_audit_find(&a->queue_of, c->row->key);

    if (c->row->value < 0 || c->row->value > UINT32_MAX) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "weight is out of range",
                                  (uint64_t)c->row->value);
    }
    if (i == SKEDI_AUDIT_NONE) {
        sked_status rc = audit_queue_new(a, c);
        if (rc != SKED_OK) return rc;
        i = a->queue.n - 1;
    }
    skedi_audit_queue *q = &a->queue.at[i];
    if (a->queue.at[q->parent].key != c->row->of) {
        return skedi_audit_refuse(c, SKED_ERR_EXISTS,
                                  "the queue stands below another parent",
                                  c->row->key);
    }
    q->weight = c->row->value;
    q->flags = c->row->flags;
    return SKED_OK;
}

static sked_status audit_guarantee(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t i;
    sked_status rc = skedi_audit_known(c, &a->queue_of, c->row->key,
                                       "there is no such queue", &i);

    if (rc != SKED_OK) return rc;
    if (!c->amounts) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE,
                                  "a guarantee has no amounts", c->row->key);
    }
    skedi_audit_queue *q = &a->queue.at[i];
    memcpy(skedi_audit_queue_vec(a, i, QUEUE_GUARANTEE), c->amounts,
           a->kinds * sizeof *c->amounts);
    q->has_guarantee = 1;
    q->guarantee_row = c->number;
    skedi_audit_protect(a, i);
    skedi_audit_note_owed(a, i, 1);
    return SKED_OK;
}

/* Counts the usage of a user in a queue and its descendants. The judge keeps
 * usage only for users with a limit, and the first limit of a user may come
 * after the first start. */
static void audit_count_user(sked_audit *a, uint32_t user)
{
    const skedi_audit_user *u = &a->user.at[user];
    int64_t *used = skedi_audit_user_vec(a, user, USER_USED);

    for (uint32_t t = 0; t < a->tasks.n; t++) {
        const skedi_audit_job *job = skedi_audit_job_of(a, t);
        uint32_t q = job->queue;
        if (job->user != u->key || a->tasks.at[t].running == 0) continue;
        while (q != 0 && q != u->queue) q = a->queue.at[q].parent;
        if (q != u->queue) continue;
        for (uint32_t k = 0; k < a->kinds; k++) {
            used[k] += skedi_audit_amounts(a, t)[k] * a->tasks.at[t].running;
        }
    }
}

static sked_status audit_limit(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t i;
    sked_status rc = skedi_audit_known(c, &a->queue_of, c->row->key,
                                       "there is no such queue", &i);
    const size_t size = a->kinds * sizeof *c->amounts;

    if (rc != SKED_OK) return rc;
    if (!c->amounts) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "a limit has no amounts",
                                  c->row->key);
    }
    if (!c->row->on) {
        memcpy(skedi_audit_queue_vec(a, i, QUEUE_LIMIT), c->amounts, size);
        a->queue.at[i].has_limit = 1;
        a->queue.at[i].limit_row = c->number;
        return SKED_OK;
    }
    uint32_t u = skedi_audit_find_pair(&a->user_of, i, c->row->on);
    if (u == SKEDI_AUDIT_NONE) {
        u = a->user.n++;
        a->user.at[u] = (skedi_audit_user){.queue = i, .key = c->row->on};
        memset(skedi_audit_user_vec(a, u, USER_USED), 0, size);
        skedi_audit_add_pair(&a->user_of, i, c->row->on, u);
        audit_count_user(a, u);
    }
    memcpy(skedi_audit_user_vec(a, u, USER_LIMIT), c->amounts, size);
    a->user.at[u].row = c->number;
    return SKED_OK;
}

/* ---- Jobs and tasks ---- */

static sked_status audit_job(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t queue = 0;

    if (skedi_audit_find(&a->job_of, c->row->key) != SKEDI_AUDIT_NONE) {
        return skedi_audit_refuse(c, SKED_ERR_EXISTS,
                                  "the job is known already", c->row->key);
    }
    if (c->row->of) {
        sked_status rc = skedi_audit_known(c, &a->queue_of, c->row->of,
                                           "there is no such queue", &queue);
        if (rc != SKED_OK) return rc;
    }
    uint32_t i = a->job.n++;
    a->job.at[i] = (skedi_audit_job){.key = c->row->key,
                                     .user = c->row->on,
                                     .row = c->number,
                                     .gang = c->row->count,
                                     .queue = queue,
                                     .tasks = SKEDI_AUDIT_NONE,
                                     .flags = c->row->flags};
    skedi_audit_add_key(&a->job_of, c->row->key, i);
    return SKED_OK;
}

static void audit_tasks_new(sked_audit *a, const skedi_audit_case *c,
                            uint32_t job)
{
    uint32_t i = a->tasks.n++;

    a->tasks.at[i] = (skedi_audit_tasks){.key = c->row->key,
                                         .row = c->number,
                                         .start_row = SKEDI_AUDIT_NO_ROW,
                                         .stop_row = SKEDI_AUDIT_NO_ROW,
                                         .promise_row = SKEDI_AUDIT_NO_ROW,
                                         .partition = c->row->on,
                                         .priority = c->row->value,
                                         .job = job,
                                         .next = a->job.at[job].tasks,
                                         .idle_node = SKEDI_AUDIT_NONE,
                                         .run = SKEDI_AUDIT_NONE,
                                         .flags = c->row->flags};
    a->job.at[job].tasks = i;
    memcpy(skedi_audit_amounts(a, i), c->amounts,
           a->kinds * sizeof *c->amounts);
    skedi_audit_add_key(&a->tasks_of, c->row->key, i);
}

static sked_status audit_tasks(sked_audit *a, const skedi_audit_case *c)
{
    uint32_t job, i = skedi_audit_find(&a->tasks_of, c->row->key);
    sked_status rc = skedi_audit_known(c, &a->job_of, c->row->of,
                                       "there is no such job", &job);

    if (rc != SKED_OK) return rc;
    if (i == SKEDI_AUDIT_NONE ? !c->amounts
                              : a->tasks.at[i].job != job || c->amounts) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE,
                                  "tasks have one job and say amounts once",
                                  c->row->key);
    }
    if (i != SKEDI_AUDIT_NONE &&
        c->row->count > SKED_AMOUNT_MAX - a->tasks.at[i].waiting) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "count is out of range",
                                  (uint64_t)c->row->count);
    }
    if (c->row->count > SKED_AMOUNT_MAX - a->queue.at[0].waiting) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "count is out of range",
                                  (uint64_t)c->row->count);
    }
    if (!skedi_audit_reserve_heap(a, a->job.at[job].queue)) {
        return skedi_fail_memory(c->err);
    }
    if (i == SKEDI_AUDIT_NONE) {
        audit_tasks_new(a, c, job);
        i = a->tasks.n - 1;
    }
    skedi_audit_waiting(a, i, c->row->count);
    return SKED_OK;
}

/* ---- All rows ---- */

static sked_status audit_check_row(const skedi_audit_case *c,
                                   const sked_audit *a)
{
    const sked_audit_row *row = c->row;
    int flags = row->type == SKED_AUDIT_ROW_QUEUE ? SKED_AUDIT_MARK_FIFO
                : row->type == SKED_AUDIT_ROW_JOB ||
                        row->type == SKED_AUDIT_ROW_TASKS
                    ? SKED_AUDIT_MARK_CONSTRAINED
                    : 0;

    if (row->type < SKED_AUDIT_ROW_NODE || row->type > SKED_AUDIT_ROW_JOB_END) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "type is out of range",
                                  (uint64_t)row->type);
    }
    if (row->key == 0 || row->reserved != 0 ||
        (row->flags & ~(uint32_t)flags) != 0) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE,
                                  "key or flags are out of range", row->key);
    }
    int counts = row->type == SKED_AUDIT_ROW_TASKS ||
                 (row->type >= SKED_AUDIT_ROW_START &&
                  row->type <= SKED_AUDIT_ROW_LOST);
    if (row->count < counts || row->count > SKED_AMOUNT_MAX) {
        return skedi_audit_refuse(c, SKED_ERR_RANGE, "count is out of range",
                                  (uint64_t)row->count);
    }
    int bound = row->type == SKED_AUDIT_ROW_LIMIT;
    for (uint32_t k = 0; c->amounts && k < a->kinds; k++) {
        int64_t x = c->amounts[k];
        if (x < 0 || (x > SKED_AMOUNT_MAX && !(bound && x == SKED_UNLIMITED))) {
            return skedi_fail(c->err, SKED_ERR_RANGE,
                              "an amount is out of range",
                              (skedi_fault){.got = x, .kind = (int32_t)k + 1});
        }
    }
    return SKED_OK;
}

/* Applies a row about known tasks. A row with an unknown node goes to node 0;
 * the start is reported as unfit. */
static sked_status audit_about_tasks(sked_audit *a, skedi_audit_case *c)
{
    sked_status rc = skedi_audit_known(c, &a->tasks_of, c->row->key,
                                       "there are no such tasks", &c->tasks);

    if (rc != SKED_OK) return rc;
    uint32_t node = c->row->on ? skedi_audit_find(&a->node_of, c->row->on) : 0;
    c->node = node == SKEDI_AUDIT_NONE ? 0 : node;
    switch (c->row->type) {
    case SKED_AUDIT_ROW_START: return skedi_audit_row_start(a, c);
    case SKED_AUDIT_ROW_CANCEL: return skedi_audit_row_cancel(a, c);
    case SKED_AUDIT_ROW_RESERVE: return skedi_audit_row_reserve_start(a, c);
    default: return skedi_audit_row_end(a, c);
    }
}

sked_status skedi_audit_apply(sked_audit *a, const sked_audit_row *row,
                              const int64_t *amounts, sked_error *err)
{
    skedi_audit_case c = {
        .row = row, .amounts = amounts, .number = a->rows, .err = err};
    sked_status rc = audit_check_row(&c, a);

    if (rc != SKED_OK) return rc;
    switch (row->type) {
    case SKED_AUDIT_ROW_NODE: return audit_node(a, &c);
    case SKED_AUDIT_ROW_NODE_DOWN:
    case SKED_AUDIT_ROW_NODE_DRAIN: return audit_node_stops(a, &c);
    case SKED_AUDIT_ROW_QUEUE: return audit_queue(a, &c);
    case SKED_AUDIT_ROW_GUARANTEE: return audit_guarantee(a, &c);
    case SKED_AUDIT_ROW_LIMIT: return audit_limit(a, &c);
    case SKED_AUDIT_ROW_JOB: return audit_job(a, &c);
    case SKED_AUDIT_ROW_TASKS: return audit_tasks(a, &c);
    case SKED_AUDIT_ROW_JOB_END: return skedi_audit_row_job_end(a, &c);
    default: return audit_about_tasks(a, &c);
    }
}
