/*
 * A manager that is simple and right, and wrong ones over it.
 *
 * Guarantees come first, then the queue with least for its weight, then higher
 * priority, then the earlier job. A task starts on the first node that fits.
 * With preemption, a queue below its guarantee takes a task from a queue beyond
 * its own. BUG(name) is true in the manager that has that bug.
 */
#include "manager.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 150, KINDS = SKED_TEST_KINDS };

typedef struct plain_node {
    int state, partition, seen;
    int64_t amounts[KINDS], used[KINDS];
    int64_t held[KINDS]; /* for reserved starts */
} plain_node;

typedef struct plain_job {
    sked_test_job job;
    int waiting, seq, known;
    int asked; /* a reservation was tried */
    int banned[SKED_TEST_NODES];
} plain_job;

typedef struct plain {
    enum planted_manager_bug bug;
    sked_test_cluster cluster;
    int nodes, jobs, seq;
    sked_time last;
    plain_node node[SKED_TEST_NODES];
    plain_job job[SKED_TEST_JOBS];
    int64_t used[SKED_TEST_QUEUES][KINDS];
    int64_t by_user[SKED_TEST_QUEUES][SKED_TEST_USERS][KINDS];
    int running[SKED_TEST_JOBS][SKED_TEST_NODES];
    int best[SKED_TEST_QUEUES];
    double stale[SKED_TEST_QUEUES];
    int woken, reserving;
    sked_test_decision *out;
    size_t n, cap;
} plain;

#define BUG(name) (p->bug == PLANTED_##name)

/* ---- Usage ---- */

static int plain_parent(const plain *p, int q)
{
    return p->cluster.queue[q].parent;
}

static int plain_is_leaf(const plain *p, int queue)
{
    for (int q = 1; q <= p->cluster.queues; q++) {
        if (plain_parent(p, q) == queue) return 0;
    }
    return 1;
}

static int plain_is_below(const plain *p, int q, int above)
{
    for (; q; q = plain_parent(p, q)) {
        if (q == above) return 1;
    }
    return 0;
}

static void plain_charge_queues(plain *p, const sked_test_job *j, int count)
{
    for (int q = j->queue; q; q = plain_parent(p, q)) {
        for (int k = 0; k < p->cluster.kinds; k++) {
            int64_t some = j->amounts[k] * count;
            p->used[q][k] += some;
            p->by_user[q][j->user][k] += some;
            for (int u = 1; u < SKED_TEST_USERS; u++) {
                if (BUG(users_share_one_limit) && u != j->user) {
                    p->by_user[q][u][k] += some;
                }
            }
        }
    }
}

static void plain_charge(plain *p, int job, int node, int count)
{
    const sked_test_job *j = &p->job[job].job;

    for (int k = 0; k < p->cluster.kinds; k++) {
        p->node[node].used[k] += j->amounts[k] * count;
    }
    plain_charge_queues(p, j, count);
    p->running[job][node] += count;
}

/* Holds room for a reserved start, or gives it back if `sign` is -1. */
static void plain_hold(plain *p, int job, int sign)
{
    sked_test_job *j = &p->job[job].job;

    for (int k = 0; k < p->cluster.kinds; k++) {
        p->node[j->reserved_node].held[k] += sign * j->amounts[k];
    }
    if (sign < 0) j->reserved_node = 0;
}

/* ---- Limits ---- */

static int plain_may_use(const plain *p, const sked_test_job *j, int node)
{
    const plain_node *n = &p->node[node];
    int matches = j->partition == 0 || j->partition == n->partition;

    if (BUG(any_partition_is_the_first) && j->partition == 0) {
        matches = n->partition <= 1;
    }
    if (BUG(uses_down_nodes)) return matches;
    if (BUG(uses_drained_nodes)) return n->state != SKED_TEST_DOWN && matches;
    if (BUG(no_partitions)) return n->state == SKED_TEST_UP;
    return n->state == SKED_TEST_UP && matches;
}

static int plain_has_room(const plain *p, const plain_node *n, int k,
                          int64_t want)
{
    int64_t used = n->used[k] + want;

    if (!BUG(reserved_room_is_lent) &&
        !(BUG(one_room_reserved_twice) && p->reserving)) {
        used += n->held[k];
    }
    if (BUG(amounts_of_32_bits)) {
        return (uint64_t)used % 4294967296u <=
               (uint64_t)n->amounts[k] % 4294967296u;
    }
    if (BUG(amounts_in_doubles)) return (double)used <= (double)n->amounts[k];
    return used <= n->amounts[k];
}

/* May one more run there, beside `extra` that are planned? */
static int plain_fits(const plain *p, int job, int node, int extra)
{
    const sked_test_job *j = &p->job[job].job;
    const plain_node *n = &p->node[node];
    int kinds = BUG(first_kind_only) ? 1 : p->cluster.kinds;
    int64_t most = 0;

    if (BUG(third_kind_is_ignored) && kinds > 2) kinds = 2;
    if (!plain_may_use(p, j, node)) return 0;
    if (BUG(only_sixteen_nodes) && node > 16) return 0;
    if (BUG(failed_start_bans_the_node) && p->job[job].banned[node]) return 0;
    if (BUG(no_capacity)) return 1;
    if (BUG(first_node_only) && node != 1) return 0;
    if (BUG(gang_counts_once)) extra = 0;
    for (int k = 0; k < kinds; k++) {
        int64_t want = j->amounts[k] * (1 + extra);
        if (n->amounts[k] > most) most = n->amounts[k];
        if (BUG(one_too_many_on_a_node)) {
            want = j->amounts[k] ? j->amounts[k] * extra + 1 : 0;
        }
        if (!plain_has_room(p, n, k, want)) return 0;
    }
    return !BUG(idle_small_nodes) || most > 2;
}

static int plain_below_limit(const plain *p, int q, const sked_test_job *j,
                             int count)
{
    const sked_test_queue *queue = &p->cluster.queue[q];

    if (!queue->has_limit || BUG(no_limits)) return 1;
    if (BUG(no_parent_limits) && q != j->queue) return 1;
    if (BUG(no_leaf_limits) && q == j->queue) return 1;
    if (BUG(limit_one_too_low)) count++;
    for (int k = 0; k < p->cluster.kinds; k++) {
        int64_t want = j->amounts[k] * count;
        if (BUG(limit_passed_by_one) && want) want = 1;
        if (BUG(limit_0_is_none) && queue->limit[k] == 0) continue;
        if (want && p->used[q][k] + want > queue->limit[k]) return 0;
    }
    return 1;
}

static int plain_below_user_limit(const plain *p, int q, const sked_test_job *j,
                                  int count)
{
    const sked_test_queue *queue = &p->cluster.queue[q];

    if (!queue->has_user_limit[j->user] || BUG(no_user_limits)) return 1;
    if (BUG(user_limit_of_the_leaf_only) && q != j->queue) return 1;
    for (int k = 0; k < p->cluster.kinds; k++) {
        int64_t want = j->amounts[k] * count;
        if (want &&
            p->by_user[q][j->user][k] + want > queue->user_limit[j->user][k]) {
            return 0;
        }
    }
    return 1;
}

static int plain_within(const plain *p, int job, int count)
{
    const sked_test_job *j = &p->job[job].job;

    if (BUG(fails_on_a_third_user) && j->user == 3 && p->jobs > 2) return 0;
    for (int q = j->queue; q; q = plain_parent(p, q)) {
        if (!plain_below_limit(p, q, j, count)) return 0;
        if (!plain_below_user_limit(p, q, j, count)) return 0;
    }
    return 1;
}

/* ---- Order ---- */

/* How many start at once. */
static int plain_need(const plain *p, int job)
{
    const sked_test_job *j = &p->job[job].job;
    int running = 0;

    for (int n = 1; n <= p->nodes; n++) running += p->running[job][n];
    int need = j->gang > 1 && running == 0 ? j->gang : 1;
    if (BUG(gangs_one_by_one)) return 1;
    if (BUG(gang_of_two) && need > 2) return 2;
    return BUG(half_a_gang) && need > 1 ? need / 2 : need;
}

/* Where tasks would start now: counts by node; 0: nowhere. */
static int plain_places(const plain *p, int job, int count[SKED_TEST_NODES])
{
    int need = plain_need(p, job), all = need;
    int counts = BUG(gang_passes_limits) ? 1 : need;

    if (p->job[job].waiting < need || !plain_within(p, job, counts)) return 0;
    for (int n = 1; n <= p->nodes; n++) {
        count[n] = 0;
        while (need > 0 && plain_fits(p, job, n, count[n])) {
            count[n]++;
            need--;
        }
        if (BUG(gang_on_one_node) && need > 0) {
            count[n] = 0;
            need = all;
        }
        if (BUG(last_node_is_forgotten) && n == p->nodes && n > 1 && count[n]) {
            return 0;
        }
    }
    return need == 0;
}

static int plain_precedes(const plain *p, const plain_job *a,
                          const plain_job *b)
{
    int x = a->job.priority, y = b->job.priority;

    if (BUG(no_priority)) x = y;
    if (BUG(priority_of_16_bits)) x = (int16_t)x, y = (int16_t)y;
    if (BUG(priority_of_8_bits)) x = (int8_t)x, y = (int8_t)y;
    if (BUG(negative_priority_is_0)) x = x < 0 ? 0 : x, y = y < 0 ? 0 : y;
    if (BUG(priority_turned_round) && x != y) return x < y;
    if (x != y) return x > y;
    return BUG(last_come_first) ? a->seq > b->seq : a->seq < b->seq;
}

/* The first job of a queue with a task that can start, or 0. */
static int plain_best_of(const plain *p, int queue)
{
    int best = 0, seen = 0, count[SKED_TEST_NODES];

    if (BUG(starves_the_last_queue) && queue == p->cluster.queues) return 0;
    for (int i = 1; i <= p->jobs; i++) {
        const plain_job *j = &p->job[i];
        if (!j->known || j->job.queue != queue || j->waiting <= 0) continue;
        if (j->job.reserved_node) continue;
        if (j->job.begin > p->last && !BUG(starts_before_its_time)) continue;
        if (BUG(looks_at_four_jobs) && ++seen > 4) break;
        if (best && !plain_precedes(p, j, &p->job[best])) continue;
        if (BUG(head_of_line_blocks) || plain_places(p, i, count)) best = i;
    }
    return best && plain_places(p, best, count) ? best : 0;
}

/* How many tasks run in a queue. */
static int plain_tasks(const plain *p, int queue)
{
    int sum = 0;

    for (int i = 1; i <= p->jobs; i++) {
        if (!plain_is_below(p, p->job[i].job.queue, queue)) continue;
        for (int n = 1; n <= p->nodes; n++) sum += p->running[i][n];
    }
    return sum;
}

/* Bugs that give a queue another standing; -1: none. */
static double plain_wrong_standing(const plain *p, int queue)
{
    int parent = plain_parent(p, queue);

    if (BUG(stale_standing) && p->stale[queue] >= 0) return p->stale[queue];
    if (BUG(deep_queues_in_order) && parent && plain_parent(p, parent)) {
        return 0;
    }
    if (BUG(shares_by_tasks)) {
        return plain_tasks(p, queue) / (double)p->cluster.queue[queue].weight;
    }
    return -1;
}

/* What a queue has for its weight, as a part of the cluster. */
static double plain_standing(const plain *p, int queue)
{
    double most = 0, weight = (double)p->cluster.queue[queue].weight;
    double wrong = plain_wrong_standing(p, queue);

    if (wrong >= 0) return wrong;
    if (BUG(weight_of_16_bits)) weight = (uint16_t)weight + 1e-9;
    if (BUG(parents_weigh_one) && !plain_is_leaf(p, queue)) weight = 1;
    if (BUG(first_queue_first)) return 0;
    if (BUG(parents_in_order) && !plain_is_leaf(p, queue)) return 0;
    if (BUG(no_weights)) weight = 1;
    if (BUG(weights_turned_round)) weight = 1 / weight;
    if (BUG(weight_3_for_2) && weight == 2) weight = 3;
    for (int k = 0; k < p->cluster.kinds; k++) {
        int64_t total = 0;
        for (int n = 1; n <= p->nodes; n++) {
            if (p->node[n].state == SKED_TEST_UP)
                total += p->node[n].amounts[k];
        }
        if (total == 0 || (BUG(shares_by_first_kind) && k > 0)) continue;
        double part = (double)p->used[queue][k] / (double)total;
        if (part > most) most = part;
    }
    return most / weight;
}

/* Do tasks that start now stay within the guarantee of the queue? */
static int plain_fits_guarantee(const plain *p, int queue, int job)
{
    const sked_test_queue *q = &p->cluster.queue[queue];
    const sked_test_job *j = &p->job[job].job;
    int some = 0;

    if (BUG(guarantees_of_leaves_only) && !plain_is_leaf(p, queue)) return 0;
    int kinds = BUG(guarantee_of_first_kind) ? 1 : p->cluster.kinds;
    for (int k = 0; k < kinds; k++) {
        if (q->guarantee[k] == 0 || j->amounts[k] == 0) continue;
        int64_t want = j->amounts[k] * plain_need(p, job);
        some = 1;
        if (BUG(guarantee_one_too_low)) want++;
        if (p->used[queue][k] + want > q->guarantee[k]) return 0;
    }
    return some;
}

/* A job that fits what some queue is guaranteed, or 0. */
static int plain_guaranteed(const plain *p)
{
    if (BUG(no_guarantees)) return 0;
    for (int q = 1; q <= p->cluster.queues; q++) {
        int best = 0;
        if (!p->cluster.queue[q].has_guarantee) continue;
        for (int leaf = 1; leaf <= p->cluster.queues; leaf++) {
            int job = p->best[leaf];
            if (!job || !plain_is_below(p, leaf, q)) continue;
            if (!plain_fits_guarantee(p, q, job)) continue;
            if (!best || plain_standing(p, leaf) < plain_standing(p, best)) {
                best = leaf;
            }
        }
        if (best) return p->best[best];
    }
    return 0;
}

static int plain_has_waiting(const plain *p, int queue)
{
    for (int i = 1; i <= p->jobs; i++) {
        if (p->job[i].known && p->job[i].waiting > 0 &&
            plain_is_below(p, p->job[i].job.queue, queue)) {
            return 1;
        }
    }
    return 0;
}

static int plain_has_best(const plain *p, int queue)
{
    for (int q = 1; q <= p->cluster.queues; q++) {
        if (p->best[q] && plain_is_below(p, q, queue)) return 1;
    }
    return 0;
}

/* The next of the child that has least for its weight, level by level. */
static int plain_fair(const plain *p)
{
    int queue = 0;

    while (queue == 0 || !plain_is_leaf(p, queue)) {
        int best = 0;
        for (int q = 1; q <= p->cluster.queues; q++) {
            int child = BUG(shares_of_leaves_only)
                            ? plain_is_leaf(p, q)
                            : plain_parent(p, q) == queue;
            int may = BUG(blocked_queue_stops_all) ? plain_has_waiting(p, q)
                                                   : plain_has_best(p, q);
            if (!child || !may) continue;
            if (!best || plain_standing(p, q) < plain_standing(p, best)) {
                best = q;
            }
        }
        if (!best) return 0;
        queue = best;
    }
    return p->best[queue];
}

static int plain_next(plain *p)
{
    for (int q = 1; q <= p->cluster.queues; q++) {
        p->best[q] = plain_is_leaf(p, q) ? plain_best_of(p, q) : 0;
    }
    int job = plain_guaranteed(p);
    return job ? job : plain_fair(p);
}

/* ---- Decisions ---- */

static void plain_say(plain *p, int type, int job, int node, int count, int by)
{
    sked_test_decision d = {type, job, node, count, by, 0};

    if (p->n < p->cap) p->out[p->n++] = d;
}

static void plain_start(plain *p, int job)
{
    int count[SKED_TEST_NODES] = {0};

    if (!plain_places(p, job, count)) return;
    for (int n = 1; n <= p->nodes; n++) {
        if (count[n] == 0) continue;
        plain_charge(p, job, n, count[n]);
        p->job[job].waiting -= count[n];
        plain_say(p, SKED_TEST_START, job, n, count[n], 0);
    }
}

/* Does every queue of the path keep its guarantee without a task? */
static int plain_is_beyond(const plain *p, const sked_test_job *v)
{
    if (BUG(kills_the_guaranteed)) return 1;
    for (int q = v->queue; q; q = plain_parent(p, q)) {
        const sked_test_queue *queue = &p->cluster.queue[q];
        for (int k = 0; queue->has_guarantee && k < p->cluster.kinds; k++) {
            if (v->amounts[k] &&
                p->used[q][k] - v->amounts[k] < queue->guarantee[k]) {
                return 0;
            }
        }
    }
    return 1;
}

/* Kills a task beyond its guarantee for one of `job`. */
static int plain_replace(plain *p, int queue, int job)
{
    const sked_test_job *j = &p->job[job].job;

    for (int v = 1; v <= p->jobs; v++) {
        const sked_test_job *victim = &p->job[v].job;
        if (victim->gang > 1 || plain_is_below(p, victim->queue, queue)) {
            continue;
        }
        for (int n = 1; n <= p->nodes; n++) {
            if (p->running[v][n] == 0 || !plain_may_use(p, j, n)) continue;
            if (!plain_is_beyond(p, victim)) continue;
            if (victim->amounts[0] < j->amounts[0]) continue;
            plain_charge(p, v, n, -1);
            if (!BUG(victims_are_forgotten)) p->job[v].waiting++;
            plain_say(p, SKED_TEST_KILL, v, n, 1, job);
            int at = n;
            for (int o = 1; BUG(starts_elsewhere) && o <= p->nodes; o++) {
                if (o != n && p->node[o].state == SKED_TEST_UP) at = o;
            }
            plain_charge(p, job, at, 1);
            p->job[job].waiting--;
            plain_say(p, SKED_TEST_START, job, at, 1, 0);
            return 1;
        }
    }
    return 0;
}

/* The first claim of a queue below its guarantee, by the order of jobs. */
static int plain_claim(plain *p)
{
    if (BUG(never_preempts) || !p->cluster.preempts) return 0;
    for (int q = 1; q <= p->cluster.queues; q++) {
        int tried[SKED_TEST_JOBS] = {0};
        while (p->cluster.queue[q].has_guarantee) {
            int best = 0;
            for (int i = 1; i <= p->jobs; i++) {
                const plain_job *j = &p->job[i];
                if (tried[i] || !j->known || j->waiting <= 0) continue;
                if (j->job.gang > 1 || !plain_is_below(p, j->job.queue, q)) {
                    continue;
                }
                if (!best || plain_precedes(p, j, &p->job[best])) best = i;
            }
            if (!best) break;
            tried[best] = 1;
            if ((BUG(claims_beyond_the_guarantee) ||
                 plain_fits_guarantee(p, q, best)) &&
                plain_within(p, best, 1) && plain_replace(p, q, best)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Bugs that add to what was decided. */
static void plain_add_wrong(plain *p, sked_time now)
{
    size_t n = p->n;

    for (size_t i = 0; BUG(starts_twice) && i < n; i++) {
        sked_test_decision d = p->out[i];
        if (d.type == SKED_TEST_START && d.count == 1 && now % 5 == 0) {
            plain_say(p, d.type, d.job, d.node, 1, 0);
        }
    }
    for (size_t i = 0; i < n; i++) {
        sked_test_decision d = p->out[i];
        if (BUG(names_the_wrong_node) && now > 6) p->out[i].node = 99;
        if (BUG(kills_one_too_many) && d.type == SKED_TEST_KILL &&
            p->running[d.job][d.node] > 0) {
            plain_charge(p, d.job, d.node, -1);
            p->job[d.job].waiting++;
            plain_say(p, d.type, d.job, d.node, 1, d.by);
            return;
        }
    }
    for (int j = 1; j <= p->jobs && n == 0; j++) {
        for (int m = 1; m <= p->nodes; m++) {
            if (p->running[j][m] == 0 || p->n > 0) continue;
            if (BUG(decides_for_ever)) {
                plain_say(p, SKED_TEST_KILL, j, m, 1, 0);
                plain_say(p, SKED_TEST_START, j, m, 1, 0);
            }
            if (BUG(kills_for_nothing) && p->cluster.preempts && now % 4 == 0) {
                plain_charge(p, j, m, -1);
                p->job[j].waiting++;
                plain_say(p, SKED_TEST_KILL, j, m, 1, 0);
            }
        }
    }
}

/* ---- Reservations ---- */

static int plain_has_limit(const plain *p, const sked_test_job *j)
{
    for (int q = j->queue; q; q = plain_parent(p, q)) {
        if (p->cluster.queue[q].has_limit) return 1;
        if (p->cluster.queue[q].has_user_limit[j->user]) return 1;
    }
    return 0;
}

static void plain_say_reserve(plain *p, int job, sked_time at)
{
    sked_test_decision d = {SKED_TEST_RESERVE, job, 0, 1, 0, at};

    d.node = p->job[job].job.reserved_node;
    if (p->n < p->cap) p->out[p->n++] = d;
}

/* Reserves the start of jobs that begin later, where a node has room now and no
 * limit can be in the way. */
static void plain_reserve(plain *p, sked_time now)
{
    p->reserving = 1;
    for (int i = 1; i <= p->jobs; i++) {
        plain_job *j = &p->job[i];
        if (j->asked || j->waiting <= 0 || j->job.begin <= now) continue;
        j->asked = 1;
        for (int n = 1; n <= p->nodes && !plain_has_limit(p, &j->job); n++) {
            if (!plain_fits(p, i, n, 0)) continue;
            j->job.reserved_node = n;
            plain_hold(p, i, 1);
            plain_say_reserve(p, i, j->job.begin);
            break;
        }
    }
    p->reserving = 0;
}

/* Starts what is reserved for now. */
static void plain_start_reserved(plain *p, sked_time now)
{
    for (int i = 1; i <= p->jobs; i++) {
        plain_job *j = &p->job[i];
        int node = j->job.reserved_node;
        if (!node || j->waiting <= 0 || j->job.begin > now) continue;
        if (BUG(reservation_is_forgotten)) continue;
        if (BUG(reservation_is_put_off) && j->asked < 2) {
            j->asked = 2;
            j->job.begin = now + 2;
            plain_say_reserve(p, i, now + 2);
            continue;
        }
        plain_hold(p, i, -1);
        if (BUG(reserved_room_is_lent) && !plain_fits(p, i, node, 0)) continue;
        plain_charge(p, i, node, 1);
        j->waiting--;
        plain_say(p, SKED_TEST_START, i, node, 1, 0);
    }
}

static void plain_drop_reservations(plain *p, int node)
{
    for (int i = 1; i <= p->jobs; i++) {
        if (p->job[i].job.reserved_node == node) plain_hold(p, i, -1);
    }
}

static size_t plain_decide(void *manager, sked_time now,
                           sked_test_decision *out, size_t cap)
{
    plain *p = (plain *)manager;

    p->out = out;
    p->n = 0;
    p->cap = cap;
    if (BUG(never_places)) return 0;
    if (BUG(one_decision_a_step) && p->last == now) return 0;
    if (BUG(wakes_for_nodes_only) && !p->woken) return 0;
    p->last = now;
    plain_start_reserved(p, now);
    for (int q = 1; q <= p->cluster.queues; q++) {
        p->stale[q] = -1;
        p->stale[q] = plain_standing(p, q);
    }
    while (p->n < MOST) {
        int job = plain_next(p);
        if (job) {
            plain_start(p, job);
            if (BUG(one_decision_a_step)) break;
        } else if (!plain_claim(p)) {
            break;
        }
    }
    plain_reserve(p, now);
    plain_add_wrong(p, now);
    return p->n;
}

/* ---- Events ---- */

static void *plain_begin(void *arg, const sked_test_cluster *cluster)
{
    plain *p = (plain *)calloc(1, sizeof *p);

    if (!p) return NULL;
    p->bug = *(const enum planted_manager_bug *)arg;
    p->cluster = *cluster;
    p->last = -1;
    return p;
}

static void plain_finish(void *manager)
{
    free(manager);
}

static void plain_set_node(void *manager, sked_time now,
                           const sked_test_node *node)
{
    plain *p = (plain *)manager;
    plain_node *n = &p->node[node->node];
    int came_back = n->seen && n->state == SKED_TEST_DOWN;
    int smaller = 0, changed = 0;

    (void)now;
    p->woken = 1;
    if (node->node > p->nodes) p->nodes = node->node;
    for (int k = 0; k < p->cluster.kinds; k++) {
        smaller |= node->amounts[k] < n->amounts[k];
        changed |= n->seen && node->amounts[k] != n->amounts[k];
    }
    if (smaller || node->state != SKED_TEST_UP) {
        plain_drop_reservations(p, node->node);
    }
    if ((BUG(drain_forgets_usage) && node->state == SKED_TEST_DRAINED) ||
        (BUG(resize_forgets_usage) && changed)) {
        memset(n->used, 0, sizeof n->used);
    }
    n->state = node->state;
    if (BUG(forgets_that_nodes_come_back) && came_back) {
        n->state = SKED_TEST_DOWN;
    }
    n->partition = node->partition;
    if (!BUG(never_sees_a_new_size) || !n->seen) {
        memcpy(n->amounts, node->amounts, sizeof n->amounts);
    }
    n->seen = 1;
}

static void plain_submit(void *manager, sked_time now, const sked_test_job *job)
{
    plain *p = (plain *)manager;
    plain_job *j = &p->job[job->job];

    (void)now;
    if (job->job > p->jobs) p->jobs = job->job;
    j->job = *job;
    j->known = 1;
    j->waiting = job->waiting;
    j->seq = ++p->seq;
    p->woken = 0;
    if (job->reserved_node && BUG(restart_forgets_reservations)) {
        j->asked = 1;
        j->job.reserved_node = 0;
    }
    if (j->job.reserved_node) {
        j->asked = 1;
        plain_hold(p, job->job, 1);
    }
    for (int n = 1; n < SKED_TEST_NODES; n++) {
        if (job->running[n] == 0 || BUG(restart_forgets_running)) continue;
        plain_charge(p, job->job, n, job->running[n]);
        if (BUG(restart_queues_running_again)) j->waiting += job->running[n];
    }
}

static void plain_end(void *manager, sked_time now, const sked_test_end *end)
{
    plain *p = (plain *)manager;
    plain_job *j = &p->job[end->job];
    int lost = end->how == SKED_TEST_LOST, done = end->how == SKED_TEST_DONE;
    int n = end->count;

    (void)now;
    p->woken = 1;
    if (end->how == SKED_TEST_CANCEL) {
        if (!BUG(ignores_cancel)) j->waiting -= n;
        if (BUG(cancel_takes_all)) j->waiting = 0;
        if (j->job.reserved_node) plain_hold(p, end->job, -1);
        return;
    }
    plain_charge(p, end->job, end->node, BUG(done_frees_one) && done ? -1 : -n);
    if (lost && !BUG(loses_lost_tasks)) j->waiting += n;
    if (lost && BUG(lost_tasks_twice)) j->waiting += n;
    if (lost && BUG(lost_goes_last)) j->seq = ++p->seq;
    if (lost && BUG(leaks_lost)) plain_charge_queues(p, &j->job, n);
    if (lost && BUG(failed_start_bans_the_node)) j->banned[end->node] = 1;
    for (int k = 0; lost && k < p->cluster.kinds; k++) {
        int64_t some = j->job.amounts[k] * n;
        if (BUG(lost_keeps_the_node)) p->node[end->node].used[k] += some;
        if (BUG(leaks_users)) p->by_user[j->job.queue][j->job.user][k] += some;
    }
    for (int q = plain_parent(p, j->job.queue); q; q = plain_parent(p, q)) {
        for (int k = 0; done && BUG(leaks_parents) && k < p->cluster.kinds; k++)
            p->used[q][k] += j->job.amounts[k] * n;
    }
    if (done && BUG(done_tasks_again) && n > 1) j->waiting++;
    if (done && BUG(leaks_queues)) {
        for (int k = 0; k < p->cluster.kinds; k++) {
            p->used[j->job.queue][k] += j->job.amounts[k] * n;
        }
    }
    for (int k = 0; done && k < p->cluster.kinds; k++) {
        int64_t *used = &p->node[end->node].used[k];
        if (BUG(leaks_nodes)) *used += j->job.amounts[k] * n;
        if (BUG(frees_twice) && n > 1) *used -= j->job.amounts[k];
    }
}

static int plain_why(void *manager, sked_time now, int job)
{
    const plain *p = (const plain *)manager;
    const sked_test_job *j = &p->job[job].job;
    int need = plain_need(p, job), why = SKED_TEST_WHY_NO_NODE;

    (void)now;
    for (int q = j->queue; q; q = plain_parent(p, q)) {
        if (!plain_below_user_limit(p, q, j, need)) {
            why = SKED_TEST_WHY_USER_LIMIT;
        }
    }
    for (int q = j->queue; q; q = plain_parent(p, q)) {
        if (!plain_below_limit(p, q, j, need)) why = SKED_TEST_WHY_LIMIT;
    }
    if (BUG(says_no_node_for_limits)) return SKED_TEST_WHY_NO_NODE;
    if (BUG(says_limit_for_nodes) && why == SKED_TEST_WHY_NO_NODE) {
        return SKED_TEST_WHY_LIMIT;
    }
    return why;
}

void planted_manager(sked_test_manager_subject *subject,
                     enum planted_manager_bug *bug)
{
    sked_test_manager_subject s = {
        .begin = plain_begin,
        .node = plain_set_node,
        .submit = plain_submit,
        .end = plain_end,
        .decide = plain_decide,
        .why = plain_why,
        .finish = plain_finish,
        .arg = bug,
        .rules = SKED_TEST_ALL_RULES | SKED_TEST_REASONS |
                 SKED_TEST_RESERVATIONS,
    };
    *subject = s;
}
