#ifndef SKED_TESTING_MANAGERS_H
#define SKED_TESTING_MANAGERS_H

/*
 * The property of a manager, included by <sched/sked_test.h>.
 *
 * The kit is the cluster. Each step tells the manager what happens, carries
 * decisions out until there are none, and writes rows of a history for the
 * judge of <sched/audit.h>. Steps are drawn as they run, so a step always finds
 * a node, a job or tasks of the kind that the step needs, or does nothing.
 */

#include <sched/sked_test.h>

/* How often a manager may go on deciding within one step. */
enum { SKED_TEST_ROUNDS = 50, SKED_TEST_MOST_STEPS = 200 };

/* The cluster of one run. Arrays are indexed by number; 0 is empty. */
typedef struct sked_test_host {
    const sked_test_manager_subject *subject;
    sked_test_choices *c;
    sked_test_story *story;
    uint32_t rules;
    sked_test_cluster cluster;
    int leaf[SKED_TEST_QUEUES];
    int leaves;
    int split; /* nodes are in two partitions */
    int many;  /* nodes that come at once */
    int busy;  /* few nodes, much work at once */
    int fifo;
    int size;      /* about what a node has */
    int64_t scale; /* of all amounts */
    void *manager;
    sked_audit *audit;
    sked_time now;
    int nodes, jobs;
    int refuse; /* the next start fails */
    int failed; /* entries of `fail` */
    sked_test_node node[SKED_TEST_NODES];
    sked_test_job job[SKED_TEST_JOBS];
    sked_test_decision fail[SKED_TEST_DECISIONS];
    sked_test_decision decision[SKED_TEST_DECISIONS];
    const char *error;
    char words[160];
    int lies; /* answers of `why` that are not true */
    char lie[80];
} sked_test_host;

/* ---- History ---- */

static sked_audit_row sked_test_row(const sked_test_host *h, int type, int key)
{
    sked_audit_row row;

    memset(&row, 0, sizeof row);
    row.time = h->now;
    row.type = type;
    row.key = (uint64_t)key;
    row.amounts = -1;
    return row;
}

/* Adds a row, with amounts or NULL. Each key is known and each number in range,
 * so only memory can be short, or the sum of what a wrong manager starts is too
 * large. */
static void sked_test_tell_row(sked_test_host *h, sked_audit_row row,
                               const int64_t *amounts)
{
    if (amounts) row.amounts = 0;
    sked_status rc = sked_audit_add(h->audit, &row, 1, amounts, amounts ? 1 : 0,
                                    NULL, NULL);
    if (rc == SKED_ERR_RANGE && !h->error) {
        h->error = "node_over"; /* no cluster holds such a sum */
        snprintf(h->words, sizeof h->words,
                 "more tasks run than can be counted");
    } else if (rc != SKED_OK && !h->error) {
        h->error = "kit_runs";
        snprintf(h->words, sizeof h->words, "the judge answers %s",
                 sked_status_name(rc));
    }
}

static void sked_test_run_row(sked_test_host *h, int type, int job, int node,
                              int count)
{
    sked_audit_row row = sked_test_row(h, type, job);

    row.on = (uint64_t)node;
    row.count = count;
    sked_test_tell_row(h, row, NULL);
}

static void sked_test_wrong(sked_test_host *h, const char *invariant,
                            const char *words)
{
    if (h->error) return;
    h->error = invariant;
    snprintf(h->words, sizeof h->words, "%s", words);
}

/* ---- Drawing the tree ---- */

static int sked_test_int(sked_test_choices *c, int low, int high)
{
    return low + (int)sked_test_choose(c, (uint64_t)(high - low));
}

static int sked_test_has_rule(const sked_test_host *h, uint32_t rule)
{
    return (h->rules & rule) != 0;
}

static int sked_test_depth(const sked_test_host *h, int queue)
{
    int depth = 0;

    for (; queue; queue = h->cluster.queue[queue].parent) depth++;
    return depth;
}

/* A limit from 1 to `most`, and 0 at times. */
static int64_t sked_test_limit(sked_test_host *h, int most)
{
    if (sked_test_choose(h->c, 15) == 15) return 0;
    return sked_test_int(h->c, 1, most) * h->scale;
}

/* A guarantee from what is left of the cluster, a limit, limits of users. */
static void sked_test_draw_bounds(sked_test_host *h, sked_test_queue *q,
                                  int total, int *left)
{
    int kinds = h->cluster.kinds;

    if (sked_test_has_rule(h, SKED_TEST_GUARANTEES) && *left > 1 &&
        sked_test_choose(h->c, 9) >= 6) {
        int some = sked_test_int(h->c, 1, *left / 2);
        if (sked_test_choose(h->c, 2) == 2) some = *left / 2;
        *left -= some;
        int lead = (int)sked_test_choose(h->c, (uint64_t)kinds - 1);
        q->has_guarantee = 1;
        for (int k = 0; k < kinds; k++) {
            int has = k == lead || sked_test_choose(h->c, 1);
            q->guarantee[k] = has ? some * h->scale : 0;
        }
    }
    if (sked_test_has_rule(h, SKED_TEST_LIMITS) &&
        sked_test_choose(h->c, 9) >= 7) {
        q->has_limit = 1;
        for (int k = 0; k < kinds; k++) {
            q->limit[k] = sked_test_limit(h, total > 2 ? total : 2);
            if (q->limit[k] < q->guarantee[k]) q->limit[k] = q->guarantee[k];
        }
    }
    for (int u = 1; u <= 2; u++) {
        if (!sked_test_has_rule(h, SKED_TEST_USER_LIMITS)) continue;
        if (sked_test_choose(h->c, 7) < 7) continue;
        q->has_user_limit[u] = 1;
        for (int k = 0; k < kinds; k++) {
            q->user_limit[u][k] = sked_test_limit(h, total > 4 ? total / 2 : 2);
        }
    }
}

/* A tree of depth 1 to 4, with bounds that bind. */
static void sked_test_draw_queues(sked_test_host *h, int total)
{
    static const int64_t weights[] = {1, 1, 1, 100, 40000};
    int left = total, weighted = sked_test_choose(h->c, 9) >= 3;
    int64_t weight = weighted ? sked_test_pick(h->c, weights, 5) : 1;
    int deep = (int)sked_test_choose(h->c, 3);
    int is_parent[SKED_TEST_QUEUES] = {0};
    sked_test_cluster *cl = &h->cluster;

    if (!sked_test_has_rule(h, SKED_TEST_TREES)) deep = 0;
    while (cl->queues < SKED_TEST_QUEUES - 1 &&
           (sked_test_more(h->c, deep ? 5 : 3) || cl->queues == 0)) {
        sked_test_queue *q = &cl->queue[cl->queues + 1];
        if (deep) {
            int parent = sked_test_int(h->c, 0, 2 * cl->queues) - cl->queues;
            q->parent = parent < 0 ? 0 : parent;
            if (sked_test_depth(h, q->parent) >= 4) q->parent = 0;
        }
        q->weight = weighted ? sked_test_int(h->c, 1, 4) * weight : 1;
        sked_test_draw_bounds(h, q, total, &left);
        is_parent[q->parent] = 1;
        cl->queues++;
    }
    for (int i = 1; i <= cl->queues; i++) {
        if (!is_parent[i]) h->leaf[h->leaves++] = i;
    }
}

/* Tells the judge of the tree. */
static void sked_test_tell_tree(sked_test_host *h)
{
    for (int i = 1; i <= h->cluster.queues; i++) {
        const sked_test_queue *q = &h->cluster.queue[i];
        sked_audit_row row = sked_test_row(h, SKED_AUDIT_ROW_QUEUE, i);
        row.of = (uint64_t)q->parent;
        row.value = sked_test_has_rule(h, SKED_TEST_SHARES) ? q->weight : 0;
        if (h->fifo) row.flags = SKED_AUDIT_MARK_FIFO;
        sked_test_tell_row(h, row, NULL);
        if (q->has_guarantee) {
            row = sked_test_row(h, SKED_AUDIT_ROW_GUARANTEE, i);
            sked_test_tell_row(h, row, q->guarantee);
        }
        if (q->has_limit) {
            row = sked_test_row(h, SKED_AUDIT_ROW_LIMIT, i);
            sked_test_tell_row(h, row, q->limit);
        }
        for (int u = 1; u < SKED_TEST_USERS; u++) {
            if (!q->has_user_limit[u]) continue;
            row = sked_test_row(h, SKED_AUDIT_ROW_LIMIT, i);
            row.on = (uint64_t)u;
            sked_test_tell_row(h, row, q->user_limit[u]);
        }
    }
}

static void sked_test_begin_manager(sked_test_host *h)
{
    h->manager = h->subject->begin(h->subject->arg, &h->cluster);
    if (!h->manager) {
        sked_test_wrong(h, "manager_runs", "begin() returns NULL");
    }
}

static void sked_test_finish_manager(sked_test_host *h)
{
    if (h->manager && h->subject->finish) h->subject->finish(h->manager);
    h->manager = NULL;
}

/* ---- Ends and decisions ---- */

static void sked_test_tell_end(sked_test_host *h, int job, int node, int count,
                               int how)
{
    sked_test_end end;

    end.job = job;
    end.node = node;
    end.count = count;
    end.how = how;
    h->subject->end(h->manager, h->now, &end);
}

/* Tasks fail and wait again. A gang fails as a whole. */
static void sked_test_lose(sked_test_host *h, int job, int node, int count)
{
    sked_test_job *j = &h->job[job];

    for (int i = 1; i <= h->nodes; i++) {
        int some = i == node && j->gang <= 1 ? count : j->running[i];
        if ((i != node && j->gang <= 1) || some == 0) continue;
        sked_test_run_row(h, SKED_AUDIT_ROW_LOST, job, i, some);
        j->running[i] -= some;
        j->waiting += some;
        sked_test_tell_end(h, job, i, some, SKED_TEST_LOST);
    }
}

static int sked_test_is_known(const sked_test_host *h,
                              const sked_test_decision *d)
{
    return d->type >= SKED_TEST_START && d->type <= SKED_TEST_RESERVE &&
           d->job >= 1 && d->job <= h->jobs && d->node >= 1 &&
           d->node <= h->nodes && d->count >= 1 && d->count <= 1000000 &&
           d->by >= 0 && d->by <= h->jobs;
}

static void sked_test_reserve(sked_test_host *h, const sked_test_decision *d)
{
    sked_audit_row row = sked_test_row(h, SKED_AUDIT_ROW_RESERVE, d->job);

    sked_test_say(h->story, "       reserve n%d for j%d, at %d at the latest",
                  d->node, d->job, (int)d->at);
    row.on = (uint64_t)d->node;
    row.value = d->at;
    sked_test_tell_row(h, row, NULL);
    h->job[d->job].reserved_node = d->node;
    h->job[d->job].reserved_at = d->at;
}

/* Carries one decision out, as far as possible. The judge reports the rest. */
static void sked_test_take(sked_test_host *h, const sked_test_decision *d)
{
    sked_test_job *j = &h->job[d->job];

    if (d->type == SKED_TEST_RESERVE) {
        sked_test_reserve(h, d);
        return;
    }
    if (d->type == SKED_TEST_START) {
        if (h->now < j->begin) {
            sked_test_wrong(h, "starts_too_early",
                            "a task starts before its time");
        }
        j->reserved_node = 0;
        sked_test_say(h->story, "       start %d of j%d on n%d", d->count,
                      d->job, d->node);
        sked_test_run_row(h, SKED_AUDIT_ROW_START, d->job, d->node, d->count);
        j->waiting -= d->count < j->waiting ? d->count : j->waiting;
        j->running[d->node] += d->count;
        if (h->refuse) h->fail[h->failed++] = *d;
        h->refuse = 0;
        return;
    }
    sked_test_say(h->story, "       kill %d of j%d on n%d for j%d", d->count,
                  d->job, d->node, d->by);
    sked_audit_row row = sked_test_row(h, SKED_AUDIT_ROW_KILL, d->job);
    row.of = (uint64_t)d->by;
    row.on = (uint64_t)d->node;
    row.count = d->count;
    sked_test_tell_row(h, row, NULL);
    int some = d->count < j->running[d->node] ? d->count : j->running[d->node];
    j->running[d->node] -= some;
    j->waiting += some;
}

/* Carries out what a call decided; returns how much, or -1. */
static int sked_test_round(sked_test_host *h)
{
    char words[120];
    size_t n = h->subject->decide(h->manager, h->now, h->decision,
                                  SKED_TEST_DECISIONS);

    if (n == SKED_TEST_FAILED) {
        sked_test_wrong(h, "manager_runs", "the manager has failed");
        return -1;
    }
    if (n > SKED_TEST_DECISIONS) {
        sked_test_wrong(h, "decisions_are_known", "more decisions than fit");
        return -1;
    }
    h->failed = 0;
    for (size_t i = 0; i < n; i++) {
        const sked_test_decision *d = &h->decision[i];
        if (!sked_test_is_known(h, d)) {
            snprintf(words, sizeof words,
                     "type %d, job %d, node %d, count %d, for job %d", d->type,
                     d->job, d->node, d->count, d->by);
            sked_test_wrong(h, "decisions_are_known", words);
            return -1;
        }
        sked_test_take(h, d);
    }
    if (h->failed > 0) h->now++; /* the manager learns of failures later */
    for (int i = 0; i < h->failed; i++) {
        const sked_test_decision *d = &h->fail[i];
        int left = h->job[d->job].running[d->node];
        if (left > d->count) left = d->count;
        sked_test_say(h->story, "    %d. the start of j%d on n%d fails",
                      (int)h->now, d->job, d->node);
        if (left > 0) sked_test_lose(h, d->job, d->node, left);
    }
    return (int)n;
}

static void sked_test_decide(sked_test_host *h)
{
    int many = 0;

    for (int i = 0; i < SKED_TEST_ROUNDS; i++) {
        int n = sked_test_round(h);
        if (n <= 0) return;
        many += n;
        if (many > SKED_TEST_DECISIONS) break;
    }
    sked_test_wrong(h, "comes_to_rest", "decides without end in one step");
}

/* ---- Reasons ---- */

/* How many tasks of a job have to start at once. */
static int sked_test_need(const sked_test_job *j)
{
    int running = 0;

    for (int i = 1; i < SKED_TEST_NODES; i++) running += j->running[i];
    return j->gang > 1 && running == 0 ? j->gang : 1;
}

static int sked_test_is_below(const sked_test_host *h, int queue, int above)
{
    for (; queue; queue = h->cluster.queue[queue].parent) {
        if (queue == above) return 1;
    }
    return 0;
}

/* What runs in a queue (0: any), of a user (0: any), on a node (0: any). */
static int64_t sked_test_used(const sked_test_host *h, int queue, int user,
                              int node, int k)
{
    int64_t sum = 0;

    for (int i = 1; i <= h->jobs; i++) {
        const sked_test_job *j = &h->job[i];
        if (queue && !sked_test_is_below(h, j->queue, queue)) continue;
        if (user && j->user != user) continue;
        for (int n = 1; n <= h->nodes; n++) {
            if (node && n != node) continue;
            sum += j->amounts[k] * j->running[n];
        }
    }
    return sum;
}

/* Tasks of a job that fit on a node now, at most 8. */
static int sked_test_fitting(const sked_test_host *h, const sked_test_job *j,
                             int node)
{
    const sked_test_node *n = &h->node[node];
    int fit = 8;

    if (n->state != SKED_TEST_UP) return 0;
    if (j->partition && j->partition != n->partition) return 0;
    for (int k = 0; k < h->cluster.kinds; k++) {
        int64_t left = n->amounts[k] - sked_test_used(h, 0, 0, node, k);
        for (int i = 1; i <= h->jobs; i++) {
            const sked_test_job *other = &h->job[i];
            if (other->reserved_node == node) left -= other->amounts[k];
        }
        while (fit > 0 && j->amounts[k] * fit > left) fit--;
    }
    return fit;
}

/* Is a limit of the path in the way: of queues, or of the job's user? */
static int sked_test_is_limited(const sked_test_host *h, const sked_test_job *j,
                                int of_user)
{
    int need = sked_test_need(j);

    for (int q = j->queue; q; q = h->cluster.queue[q].parent) {
        const sked_test_queue *queue = &h->cluster.queue[q];
        const int64_t *limit = of_user ? queue->user_limit[j->user]
                                       : queue->limit;
        int has = of_user ? queue->has_user_limit[j->user] : queue->has_limit;
        for (int k = 0; has && k < h->cluster.kinds; k++) {
            int64_t used = sked_test_used(h, q, of_user ? j->user : 0, 0, k);
            if (j->amounts[k] && used + j->amounts[k] * need > limit[k]) {
                return 1;
            }
        }
    }
    return 0;
}

static int sked_test_is_true(const sked_test_host *h, const sked_test_job *j,
                             int why)
{
    int fit = 0;

    if (why == SKED_TEST_WHY_LIMIT) return sked_test_is_limited(h, j, 0);
    if (why == SKED_TEST_WHY_USER_LIMIT) return sked_test_is_limited(h, j, 1);
    if (why != SKED_TEST_WHY_NO_NODE) return why == SKED_TEST_WHY_UNKNOWN;
    for (int n = 1; n <= h->nodes; n++) fit += sked_test_fitting(h, j, n);
    return fit < sked_test_need(j);
}

/* A wrong reason does not end the run, because a wrong decision explains more.
 * A gang that has lost its last members for ever may give any reason. */
static void sked_test_check_reasons(sked_test_host *h)
{
    if (!h->subject->why || !sked_test_has_rule(h, SKED_TEST_REASONS)) return;
    for (int i = 1; i <= h->jobs; i++) {
        const sked_test_job *j = &h->job[i];
        if (j->waiting == 0 || j->waiting < sked_test_need(j)) continue;
        if (j->begin > h->now) continue;
        int why = h->subject->why(h->manager, h->now, i);
        if (sked_test_is_true(h, j, why) || h->lies++ > 0) continue;
        snprintf(h->lie, sizeof h->lie, "why() answers %d for j%d at %d", why,
                 i, (int)h->now);
    }
}

/* ---- Steps ---- */

enum sked_test_op {
    SKED_TEST_OP_SUBMIT,
    SKED_TEST_OP_DONE,
    SKED_TEST_OP_CANCEL,
    SKED_TEST_OP_DOWN,
    SKED_TEST_OP_BACK,
    SKED_TEST_OP_DRAIN,
    SKED_TEST_OP_REFUSE,
    SKED_TEST_OP_RESIZE,
    SKED_TEST_OP_TICK,
    SKED_TEST_OP_RESTART,
    SKED_TEST_OP_NODE
};

/* Words about amounts, for the story. */
static const char *sked_test_vector(const sked_test_host *h, const int64_t *v,
                                    char *text, size_t cap)
{
    int n = 0;

    for (int k = 0; k < h->cluster.kinds && n < (int)cap; k++) {
        n += snprintf(text + n, cap - (size_t)n, k ? ",%lld" : "%lld",
                      (long long)v[k]);
    }
    return text;
}

/* Tells the manager and the judge what a node is now. */
static void sked_test_tell_node(sked_test_host *h, int node, const char *what)
{
    static const int types[] = {SKED_AUDIT_ROW_NODE, SKED_AUDIT_ROW_NODE_DRAIN,
                                SKED_AUDIT_ROW_NODE_DOWN};
    const sked_test_node *n = &h->node[node];
    sked_audit_row row = sked_test_row(h, types[n->state], node);
    char v[80];

    if (n->state == SKED_TEST_UP) row.of = (uint64_t)n->partition;
    sked_test_tell_row(h, row, n->state == SKED_TEST_UP ? n->amounts : NULL);
    sked_test_say(h->story, "    %d. node n%d %s: %s, partition %d",
                  (int)h->now, node, what,
                  sked_test_vector(h, n->amounts, v, sizeof v), n->partition);
    h->subject->node(h->manager, h->now, n);
}

/* A reservation ends when its node stops or becomes smaller. */
static void sked_test_end_reservations(sked_test_host *h, int node)
{
    for (int i = 1; i <= h->jobs; i++) {
        if (h->job[i].reserved_node == node) h->job[i].reserved_node = 0;
    }
}

/* Draws the amounts of a node. Large amounts lack a unit at times. */
static void sked_test_draw_amounts(sked_test_host *h, sked_test_node *n,
                                   int low, int high)
{
    /* Drawn at every scale, so that the shrinker can choose another scale. */
    int lacks = sked_test_choose(h->c, 2) == 2 && h->scale > 1 &&
                !h->cluster.preempts;

    for (int k = 0; k < h->cluster.kinds; k++) {
        int64_t had = n->amounts[k];
        n->amounts[k] = sked_test_int(h->c, low, high) * h->scale - lacks;
        if (n->amounts[k] < had) sked_test_end_reservations(h, n->node);
    }
}

/* A node comes, or `count` nodes of one size at once. */
static void sked_test_do_node(sked_test_host *h, int count)
{
    int first = h->nodes + 1;
    /* The sum of all nodes stays below 2^62. */
    int most = h->scale > UINT32_MAX && h->size > 8 ? 12 : SKED_TEST_NODES - 1;

    if (h->nodes + count > most) return;
    for (int i = 0; i < count; i++) {
        sked_test_node *n = &h->node[++h->nodes];
        if (i > 0) *n = h->node[first];
        n->node = h->nodes;
        if (i == 0) {
            n->partition = h->split ? sked_test_int(h->c, 1, 2) : 0;
            sked_test_draw_amounts(h, n, 2, 1 + 2 * h->size);
        }
        sked_test_tell_node(h, h->nodes, "comes");
    }
}

/* The number of a node in one of the states (bits), or 0. */
static int sked_test_pick_node(sked_test_host *h, int states)
{
    int fit[SKED_TEST_NODES], n = 0;

    for (int i = 1; i <= h->nodes; i++) {
        if (states >> h->node[i].state & 1) fit[n++] = i;
    }
    return n ? fit[sked_test_choose(h->c, (uint64_t)n - 1)] : 0;
}

static void sked_test_do_state(sked_test_host *h, enum sked_test_op op)
{
    static const int from[] = {3, 6, 1};
    static const int to[] = {SKED_TEST_DOWN, SKED_TEST_UP, SKED_TEST_DRAINED};
    static const char *const words[] = {"is lost", "is back", "is drained"};
    int at = (int)op - SKED_TEST_OP_DOWN;
    int node = sked_test_pick_node(h, from[at]);

    if (!node) return;
    h->node[node].state = to[at];
    if (op != SKED_TEST_OP_BACK) sked_test_end_reservations(h, node);
    if (op == SKED_TEST_OP_BACK && !h->cluster.preempts &&
        sked_test_choose(h->c, 3) == 3) {
        sked_test_draw_amounts(h, &h->node[node], 1, 2 * h->size);
    }
    sked_test_tell_node(h, node, words[at]);
    for (int i = 1; op == SKED_TEST_OP_DOWN && i <= h->jobs; i++) {
        int count = h->job[i].running[node];
        if (count > 0) sked_test_lose(h, i, node, count);
    }
}

static void sked_test_do_resize(sked_test_host *h)
{
    int node = sked_test_pick_node(h, 1);

    if (!node) return;
    sked_test_draw_amounts(h, &h->node[node], 1, 2 * h->size);
    sked_test_tell_node(h, node, "has another size");
}

static void sked_test_draw_job(sked_test_host *h, sked_test_job *j)
{
    static const int64_t counts[] = {1, 2, 3, 5, 8, 1, 2, 3, 5, 8, 25},
                         sizes[] = {1, 1, 2, 3}, gangs[] = {2, 3, 2, 3, 5},
                         priorities[] = {0, 0, 0,  0,   1,    1,
                                         2, 2, -1, 200, 40000};
    sked_test_choices *c = h->c;
    int unit = h->cluster.preempts;

    j->queue = h->leaf[sked_test_choose(c, (uint64_t)h->leaves - 1)];
    j->user = sked_test_has_rule(h, SKED_TEST_USER_LIMITS)
                  ? sked_test_int(c, 1, 3)
                  : 1;
    j->waiting = (int)sked_test_pick(c, counts, 11);
    if (sked_test_has_rule(h, SKED_TEST_GANGS) && !unit &&
        sked_test_choose(c, 6) == 6) {
        j->gang = j->waiting = (int)sked_test_pick(c, gangs, 5);
    } else if (h->busy) {
        j->waiting *= 2;
    }
    for (int k = 0; k < h->cluster.kinds; k++) {
        j->amounts[k] = h->scale * (unit ? 1 : sked_test_pick(c, sizes, 4));
    }
    if (h->cluster.kinds > 1) {
        uint64_t zero = sked_test_choose(c, 6);
        if (zero >= 4 && (int)zero - 4 < h->cluster.kinds) {
            j->amounts[zero - 4] = 0;
        }
    }
    if (sked_test_has_rule(h, SKED_TEST_PRIORITIES)) {
        j->priority = (int)sked_test_pick(c, priorities, 11);
    }
    if (h->split) {
        j->partition = (int)sked_test_choose(c, 3);
        if (j->partition == 3) j->partition = 0;
    }
    if (sked_test_has_rule(h, SKED_TEST_RESERVATIONS) && !unit &&
        j->gang == 0 && sked_test_choose(c, 5) == 5) {
        j->waiting = 1;
        j->begin = h->now + 1 + (sked_time)sked_test_choose(c, 3);
    }
}

static void sked_test_do_submit(sked_test_host *h)
{
    char v[80];

    if (h->jobs + 1 >= SKED_TEST_JOBS) return;
    sked_test_job *j = &h->job[++h->jobs];
    j->job = h->jobs;
    sked_test_draw_job(h, j);
    sked_audit_row row = sked_test_row(h, SKED_AUDIT_ROW_JOB, j->job);
    row.of = (uint64_t)j->queue;
    row.on = (uint64_t)j->user;
    row.count = j->gang;
    sked_test_tell_row(h, row, NULL);
    row = sked_test_row(h, SKED_AUDIT_ROW_TASKS, j->job);
    row.of = (uint64_t)j->job;
    row.on = (uint64_t)j->partition;
    row.value = j->priority;
    row.count = j->waiting;
    /* No rule judges the wait of a job that has a time. */
    if (j->begin) row.flags = SKED_AUDIT_MARK_CONSTRAINED;
    sked_test_tell_row(h, row, j->amounts);
    sked_test_say(h->story,
                  "    %d. job j%d in q%d: %d tasks of %s, user u%d, priority "
                  "%d, gang %d, partition %d",
                  (int)h->now, j->job, j->queue, j->waiting,
                  sked_test_vector(h, j->amounts, v, sizeof v), j->user,
                  j->priority, j->gang, j->partition);
    if (j->begin) {
        sked_test_say(h->story, "        begins at %d", (int)j->begin);
    }
    h->subject->submit(h->manager, h->now, j);
}

static void sked_test_do_done(sked_test_host *h)
{
    int at[SKED_TEST_JOBS * SKED_TEST_NODES], n = 0;

    for (int i = 1; i <= h->jobs; i++) {
        for (int m = 1; m <= h->nodes; m++) {
            if (h->job[i].running[m]) at[n++] = i * SKED_TEST_NODES + m;
        }
    }
    if (n == 0) return;
    int pick = at[sked_test_choose(h->c, (uint64_t)n - 1)];
    int job = pick / SKED_TEST_NODES, node = pick % SKED_TEST_NODES;
    int count = sked_test_int(h->c, 1, 3);
    if (count > h->job[job].running[node]) {
        count = h->job[job].running[node];
    }
    h->job[job].running[node] -= count;
    sked_test_run_row(h, SKED_AUDIT_ROW_DONE, job, node, count);
    sked_test_say(h->story, "    %d. %d of j%d on n%d are done", (int)h->now,
                  count, job, node);
    sked_test_tell_end(h, job, node, count, SKED_TEST_DONE);
}

static void sked_test_do_cancel(sked_test_host *h)
{
    int at[SKED_TEST_JOBS], n = 0;

    for (int i = 1; i <= h->jobs; i++) {
        if (h->job[i].waiting) at[n++] = i;
    }
    if (n == 0) return;
    int job = at[sked_test_choose(h->c, (uint64_t)n - 1)];
    int count = h->job[job].waiting, some = sked_test_int(h->c, 0, 2);
    /* A part leaves, or all. A gang leaves as a whole. */
    if (some > 0 && some < count && h->job[job].gang <= 1) count = some;
    h->job[job].waiting -= count;
    if (h->job[job].waiting == 0) h->job[job].reserved_node = 0;
    sked_test_run_row(h, SKED_AUDIT_ROW_CANCEL, job, 0, count);
    sked_test_say(h->story, "    %d. %d waiting tasks of j%d are cancelled",
                  (int)h->now, count, job);
    sked_test_tell_end(h, job, 0, count, SKED_TEST_CANCEL);
}

/* A new manager is told what there is. */
static void sked_test_do_restart(sked_test_host *h)
{
    sked_test_say(h->story, "    %d. the manager restarts", (int)h->now);
    sked_test_finish_manager(h);
    sked_test_begin_manager(h);
    if (!h->manager) return;
    for (int i = 1; i <= h->nodes; i++) {
        h->subject->node(h->manager, h->now, &h->node[i]);
    }
    for (int i = 1; i <= h->jobs; i++) {
        const sked_test_job *j = &h->job[i];
        int running = 0;
        for (int n = 1; n <= h->nodes; n++) running += j->running[n];
        if (running || j->waiting) h->subject->submit(h->manager, h->now, j);
    }
}

static enum sked_test_op sked_test_draw_op(sked_test_host *h)
{
    static const int64_t ops[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
                                  1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                         busy[] = {0, 0, 0, 10};
    int64_t drawn = h->busy ? sked_test_pick(h->c, busy, 4)
                            : sked_test_pick(h->c, ops, 20);
    enum sked_test_op op = (enum sked_test_op)drawn;

    if (h->jobs == 0) return SKED_TEST_OP_SUBMIT;
    if (sked_test_has_rule(h, SKED_TEST_RESERVATIONS) &&
        op == SKED_TEST_OP_TICK && sked_test_choose(h->c, 1)) {
        op = SKED_TEST_OP_RESTART; /* a reservation outlives a restart */
    }
    if (op == SKED_TEST_OP_RESTART &&
        !sked_test_has_rule(h, SKED_TEST_RESTARTS)) {
        return SKED_TEST_OP_TICK;
    }
    /* Work on a node that shrinks frees nothing: kills there are not judged. */
    if (op == SKED_TEST_OP_RESIZE && h->cluster.preempts) {
        return SKED_TEST_OP_TICK;
    }
    return op;
}

static void sked_test_step(sked_test_host *h)
{
    enum sked_test_op op = sked_test_draw_op(h);

    switch (op) {
    case SKED_TEST_OP_SUBMIT: sked_test_do_submit(h); break;
    case SKED_TEST_OP_DONE: sked_test_do_done(h); break;
    case SKED_TEST_OP_CANCEL: sked_test_do_cancel(h); break;
    case SKED_TEST_OP_RESIZE: sked_test_do_resize(h); break;
    case SKED_TEST_OP_RESTART: sked_test_do_restart(h); break;
    case SKED_TEST_OP_NODE: sked_test_do_node(h, 1); break;
    case SKED_TEST_OP_REFUSE:
        h->refuse = 1;
        sked_test_say(h->story, "    %d. the next start will fail",
                      (int)h->now);
        break;
    case SKED_TEST_OP_TICK:
        sked_test_say(h->story, "    %d. time passes", (int)h->now);
        break;
    case SKED_TEST_OP_DOWN:
    case SKED_TEST_OP_BACK:
    case SKED_TEST_OP_DRAIN: sked_test_do_state(h, op); break;
    }
}

/* ---- Runs ---- */

static void sked_test_tell_queues(sked_test_host *h)
{
    char v[80];

    for (int i = 1; i <= h->cluster.queues; i++) {
        const sked_test_queue *q = &h->cluster.queue[i];
        sked_test_say(h->story, "    queue q%d below q%d, weight %d", i,
                      q->parent, (int)q->weight);
        if (q->has_guarantee) {
            sked_test_say(h->story, "        guarantee %s",
                          sked_test_vector(h, q->guarantee, v, sizeof v));
        }
        if (q->has_limit) {
            sked_test_say(h->story, "        limit %s",
                          sked_test_vector(h, q->limit, v, sizeof v));
        }
        for (int u = 1; u < SKED_TEST_USERS; u++) {
            if (!q->has_user_limit[u]) continue;
            sked_test_say(h->story, "        user u%d at most %s", u,
                          sked_test_vector(h, q->user_limit[u], v, sizeof v));
        }
    }
}

/* Draws the cluster; returns how many nodes come. */
static int sked_test_draw_world(sked_test_host *h)
{
    sked_test_choices *c = h->c;
    /* 32 bits and doubles lose the large scales. */
    static const int64_t scales[] = {
        1, 1, 1, 1, 1, 1, 1, INT64_C(3000000019), (INT64_C(1) << 53) + 1};
    uint64_t how = sked_test_choose(c, 11);

    h->cluster.preempts = sked_test_has_rule(h, SKED_TEST_PREEMPTION) &&
                          sked_test_has_rule(h, SKED_TEST_GUARANTEES) &&
                          how >= 9;
    h->cluster.kinds = sked_test_has_rule(h, SKED_TEST_VECTORS) && how >= 4 &&
                               how <= 8
                           ? 2 + (how == 8)
                           : 1;
    h->fifo = sked_test_has_rule(h, SKED_TEST_FIFO) && sked_test_choose(c, 1);
    h->busy = sked_test_choose(c, 7) == 7;
    h->split = sked_test_has_rule(h, SKED_TEST_PARTITIONS) &&
               !h->cluster.preempts && sked_test_choose(c, 6) == 6;
    h->size = sked_test_int(c, 2, 5);
    h->scale = sked_test_pick(c, scales, 9);
    int nodes = h->busy ? (int)sked_test_choose(c, 1) : sked_test_int(c, 1, 4);
    if (h->busy) h->size *= sked_test_int(c, 2, 4);
    h->many = sked_test_choose(c, 11) == 11 ? sked_test_int(c, 1, 2) * 10 : 1;
    if (h->many > 1) h->size = nodes = 2; /* small, in one or two steps */
    if (h->many > 10) nodes = 1;
    sked_test_draw_queues(h, h->size * (nodes ? nodes : 1) * h->many);
    return nodes;
}

static void sked_test_steps(sked_test_host *h, int nodes)
{
    for (int i = 0; i < nodes && !h->error; i++) {
        h->now++;
        h->story->size++;
        sked_test_do_node(h, h->many);
        sked_test_decide(h);
    }
    for (int i = 0; i < SKED_TEST_MOST_STEPS && !h->error; i++) {
        if (!sked_test_more(h->c, (unsigned)h->c->length)) break;
        h->now++;
        h->story->size++;
        sked_test_step(h);
        if (!h->error) sked_test_decide(h);
        if (!h->error) sked_test_check_reasons(h);
    }
}

/* Anomalies of one instant: causes first. */
static int sked_test_rank(int32_t code)
{
    static const int32_t first[] = {
        SKED_AUDIT_CODE_WORK_UNKNOWN, SKED_AUDIT_CODE_NODE_UNFIT,
        SKED_AUDIT_CODE_WORK_DOUBLED, SKED_AUDIT_CODE_NODE_OVER,
        SKED_AUDIT_CODE_USER_OVER,    SKED_AUDIT_CODE_QUEUE_OVER,
        SKED_AUDIT_CODE_GANG_PART,    SKED_AUDIT_CODE_WORK_LOST};
    int i = 0;

    while (i < 8 && first[i] != code) i++;
    return i;
}

/* Names what is wrong: the first anomaly, or the error of the kit. */
static void sked_test_verdict(sked_test_host *h)
{
    sked_audit_anomaly x, best;
    size_t at = 0;

    best.code = 0;
    best.at = 0;
    (void)!sked_audit_end(h->audit, h->now, NULL);
    for (size_t i = 0;; i++) {
        memset(&x, 0, sizeof x);
        x.struct_size = sizeof x;
        if (sked_audit_get(h->audit, i, &x) != SKED_OK) break;
        if (best.code && (x.at > best.at ||
                          (x.at == best.at && sked_test_rank(x.code) >=
                                                  sked_test_rank(best.code)))) {
            continue;
        }
        best = x;
        at = i;
    }
    if (best.code && (!h->error || best.at < h->now)) {
        h->error = sked_audit_name(best.code);
        if (sked_audit_format(h->audit, at, h->words, sizeof h->words, NULL) !=
            SKED_OK) {
            snprintf(h->words, sizeof h->words, "%s", h->error);
        }
    }
    if (!h->error && h->lies > 0) {
        sked_test_wrong(h, "reasons_are_true", h->lie);
    }
    h->story->invariant = h->error;
    if (!h->error) return;
    sked_test_say(h->story, "broken invariant: %s", h->error);
    sked_test_say(h->story, "    %s", h->words);
}

static int sked_test_begin_audit(sked_test_host *h)
{
    sked_audit_options options;

    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.kinds = (uint32_t)h->cluster.kinds;
    options.most = 64;
    options.flags = h->cluster.preempts ? SKED_AUDIT_FLAG_PREEMPTS : 0;
    return sked_audit_new(&options, NULL, &h->audit, NULL) == SKED_OK;
}

void sked_test_manager(void *arg, sked_test_choices *c, sked_test_story *story)
{
    sked_test_host *h = (sked_test_host *)calloc(1, sizeof *h);

    if (!h) return;
    h->subject = (const sked_test_manager_subject *)arg;
    h->rules = h->subject->rules;
    if (h->rules == 0) h->rules = SKED_TEST_ALL_RULES;
    h->c = c;
    h->story = story;
    int nodes = sked_test_draw_world(h);
    if (sked_test_begin_audit(h)) {
        sked_test_tell_queues(h);
        sked_test_tell_tree(h);
        sked_test_begin_manager(h);
        if (!h->error) sked_test_steps(h, nodes);
        h->now++;
        sked_test_verdict(h);
        sked_test_finish_manager(h);
        sked_audit_free(h->audit);
    }
    free(h);
}

#endif
