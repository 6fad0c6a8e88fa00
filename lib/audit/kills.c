/*
 * Matches kills with the starts that needed them.
 *
 * A kill is open until a start needs the freed resources. A start needs the
 * resources if, without the kill,
 *   - the start would not fit on the node of the kill, or
 *   - the start would exceed a limit of a common ancestor queue or of the user.
 * An open kill is in two linked lists: the kills of its node, and all kills by
 * age. A kill with no match after `kill_ns` was in vain. A kill is excused when
 * its node stops or the tasks to start are cancelled.
 *
 * A pair is two tasks, each killed in favour of the other. The pair counts
 * turns: a turn is a kill of the task that was not killed last.
 */
#include "audit/state.h"

/* Number of open kills compared with a start, besides the kills on its node. */
enum { KILLS_LOOKED_AT = 16 };

/* Adds `count` tasks of a kill to the freed resources of the node; subtracts if
 * negative. */
static void audit_freed(sked_audit *a, const skedi_audit_kill *kill,
                        int64_t count)
{
    int64_t *freed = skedi_audit_node_vec(a, kill->node, NODE_FREED);
    const int64_t *each = skedi_audit_amounts(a, kill->tasks);

    for (uint32_t k = 0; k < a->kinds; k++) {
        int64_t amount = each[k] * (count < 0 ? -count : count);
        freed[k] = count < 0 ? skedi_amount_sub(freed[k], amount)
                             : skedi_amount_add(freed[k], amount);
    }
}

static void audit_close_kill(sked_audit *a, uint32_t i)
{
    skedi_audit_kill *kill = &a->kill.at[i];
    skedi_audit_kill *at = a->kill.at;

    audit_freed(a, kill, -kill->count);
    if (kill->after != SKEDI_AUDIT_NONE) at[kill->after].before = kill->before;
    if (kill->before != SKEDI_AUDIT_NONE) {
        at[kill->before].after = kill->after;
    } else {
        a->node.at[kill->node].kill = kill->after;
    }
    if (kill->newer != SKEDI_AUDIT_NONE) {
        at[kill->newer].older = kill->older;
    } else {
        a->newest_kill = kill->older;
    }
    if (kill->older != SKEDI_AUDIT_NONE) {
        at[kill->older].newer = kill->newer;
    } else {
        a->oldest_kill = kill->newer;
    }
    kill->after = a->free_kill;
    a->free_kill = i;
}

/* ---- Turns ---- */

static void audit_report_turns(sked_audit *a, const skedi_audit_pair *p)
{
    sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_KILLS_IN_TURNS,
                            .from = p->from,
                            .at = a->now,
                            .subject = a->tasks.at[p->low].key,
                            .other = a->tasks.at[p->high].key,
                            .got = p->turns,
                            .limit = a->options.turns,
                            .kind = -1};

    for (uint32_t i = 0; i < p->turns && i < SKED_MAX_AUDIT_STORY; i++) {
        skedi_audit_tell(&x, p->row[i]);
    }
    skedi_audit_report(a, &x);
}

/* Counts a turn of the pair (`victim`, `by`), unless `victim` was also the last
 * victim. */
static void audit_turn(sked_audit *a, uint32_t victim, uint32_t by,
                       uint64_t row)
{
    uint32_t low = victim < by ? victim : by, high = victim < by ? by : victim;

    if (victim == by) return;
    uint32_t i = skedi_audit_find_pair(&a->pair_of, low, high);
    if (i == SKEDI_AUDIT_NONE) {
        if (a->pair.n >= a->pair.cap) return;
        i = a->pair.n++;
        a->pair.at[i] = (skedi_audit_pair){
            .low = low, .high = high, .last = SKEDI_AUDIT_NONE, .from = a->now};
        skedi_audit_add_pair(&a->pair_of, low, high, i);
    }
    skedi_audit_pair *p = &a->pair.at[i];
    if (p->last == victim) return;
    p->last = victim;
    if (p->turns < SKED_MAX_AUDIT_STORY) p->row[p->turns] = row;
    if (++p->turns == a->options.turns) audit_report_turns(a, p);
}

/* ---- Kills ---- */

void skedi_audit_killed(sked_audit *a, uint32_t tasks, uint32_t node,
                        int64_t count, uint32_t by)
{
    uint32_t i = a->free_kill;

    if (i == SKEDI_AUDIT_NONE) {
        i = a->kill.n++;
    } else {
        a->free_kill = a->kill.at[i].after;
    }
    skedi_audit_kill *kill = &a->kill.at[i];
    *kill = (skedi_audit_kill){.row = a->rows,
                               .time = a->now,
                               .count = count,
                               .node = node,
                               .tasks = tasks,
                               .by = by,
                               .before = SKEDI_AUDIT_NONE,
                               .after = a->node.at[node].kill,
                               .older = a->newest_kill,
                               .newer = SKEDI_AUDIT_NONE};
    if (kill->after != SKEDI_AUDIT_NONE) a->kill.at[kill->after].before = i;
    if (kill->older != SKEDI_AUDIT_NONE) {
        a->kill.at[kill->older].newer = i;
    } else {
        a->oldest_kill = i;
    }
    a->node.at[node].kill = i;
    a->newest_kill = i;
    audit_freed(a, kill, count);
    if (by != SKEDI_AUDIT_NONE) audit_turn(a, tasks, by, a->rows);
}

/* Returns how many killed tasks are needed to cover the shortage `is_short`,
 * at most all tasks of the kill. Subtracts the freed resources from the
 * shortage. */
static int64_t audit_makes_up(const sked_audit *a, const skedi_audit_kill *kill,
                              int64_t *is_short)
{
    const int64_t *each = skedi_audit_amounts(a, kill->tasks);
    int64_t n = 0;

    for (uint32_t k = 0; k < a->kinds; k++) {
        if (is_short[k] <= 0 || each[k] == 0) continue;
        int64_t want = (is_short[k] - 1) / each[k] + 1;
        n = skedi_i64_max(n, skedi_i64_min(want, kill->count));
    }
    for (uint32_t k = 0; k < a->kinds; k++) {
        is_short[k] -= skedi_i64_min(is_short[k], each[k] * n);
    }
    return n;
}

/* Returns the lowest common ancestor of two queues. */
static uint32_t audit_common(const sked_audit *a, uint32_t x, uint32_t y)
{
    while (x != y) {
        if (a->queue.at[x].depth >= a->queue.at[y].depth) {
            x = a->queue.at[x].parent;
        } else {
            y = a->queue.at[y].parent;
        }
    }
    return x;
}

/* Attributes `n` tasks of an open kill to a start of `tasks`. Closes the kill
 * when no task is left. */
static void audit_use_kill(sked_audit *a, uint32_t i, int64_t n, uint32_t tasks)
{
    skedi_audit_kill *kill = &a->kill.at[i];

    if (kill->by == SKEDI_AUDIT_NONE) {
        audit_turn(a, kill->tasks, tasks, kill->row);
    }
    if (audit_common(a, skedi_audit_job_of(a, kill->tasks)->queue,
                     skedi_audit_job_of(a, tasks)->queue) != 0) {
        a->replaced = 1;
    }
    if (n >= kill->count) {
        audit_close_kill(a, i);
        return;
    }
    audit_freed(a, kill, -n);
    kill->count -= n;
}

/* Returns what the open kills from `i` on gave back to queue `x`, or to a user
 * there (0: any). Kills of `tasks` give nothing to a start of `tasks`. */
static int64_t audit_given_back(const sked_audit *a, uint32_t i, uint32_t x,
                                uint64_t user, uint32_t kind, uint32_t tasks)
{
    uint32_t left = KILLS_LOOKED_AT;
    int64_t sum = 0;

    for (; i != SKEDI_AUDIT_NONE && left > 0; i = a->kill.at[i].newer, left--) {
        const skedi_audit_kill *kill = &a->kill.at[i];
        const skedi_audit_job *victim = skedi_audit_job_of(a, kill->tasks);
        if (kill->tasks == tasks || (user && victim->user != user) ||
            !skedi_audit_is_below(a, victim->queue, x)) {
            continue;
        }
        sum = skedi_amount_add(sum, skedi_audit_amounts(a, kill->tasks)[kind] *
                                        kill->count);
    }
    return sum;
}

/* True if the start would exceed a limit of a common ancestor or of the user
 * without kill `i` and the open kills after it. */
static int audit_bound_needs(const sked_audit *a, uint32_t tasks, int64_t count,
                             uint32_t i)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);
    const int64_t *freed = skedi_audit_amounts(a, a->kill.at[i].tasks);
    const skedi_audit_job *job = skedi_audit_job_of(a, tasks);
    const skedi_audit_job *victim = skedi_audit_job_of(a, a->kill.at[i].tasks);
    uint32_t x = audit_common(a, job->queue, victim->queue);

    for (;; x = a->queue.at[x].parent) {
        const int64_t *used = skedi_audit_queue_vec(a, x, QUEUE_USED);
        const int64_t *limit = skedi_audit_queue_vec(a, x, QUEUE_LIMIT);
        uint32_t u = job->user && job->user == victim->user
                         ? skedi_audit_find_pair(&a->user_of, x, job->user)
                         : SKEDI_AUDIT_NONE;
        for (uint32_t k = 0; k < a->kinds; k++) {
            int64_t more = each[k] * count;
            if (more == 0 || freed[k] == 0) continue;
            if (a->queue.at[x].has_limit &&
                skedi_amount_add(skedi_amount_add(used[k], more),
                                 audit_given_back(a, i, x, 0, k, tasks)) >
                    limit[k]) {
                return 1;
            }
            if (u != SKEDI_AUDIT_NONE &&
                skedi_amount_add(
                    skedi_amount_add(skedi_audit_user_vec(a, u, USER_USED)[k],
                                     more),
                    audit_given_back(a, i, x, job->user, k, tasks)) >
                    skedi_audit_user_vec(a, u, USER_LIMIT)[k]) {
                return 1;
            }
        }
        if (x == 0) return 0;
    }
}

void skedi_audit_needs(sked_audit *a, uint32_t tasks, uint32_t node,
                       int64_t count)
{
    const int64_t *each = skedi_audit_amounts(a, tasks);
    const int64_t *capacity = skedi_audit_node_vec(a, node, NODE_CAPACITY);
    const int64_t *used = skedi_audit_node_vec(a, node, NODE_USED);
    const int64_t *freed = skedi_audit_node_vec(a, node, NODE_FREED);

    a->replaced = 0;
    a->needs = (skedi_audit_start){.kill_row = SKEDI_AUDIT_NO_ROW};
    if (a->newest_kill == SKEDI_AUDIT_NONE) return;
    for (uint32_t k = 0; k < a->kinds; k++) {
        int64_t before = skedi_i64_max(capacity[k] - used[k] - freed[k], 0);
        a->scratch[k] = node == 0 ? 0 : each[k] * count - before;
        if (node == 0 || each[k] == 0) continue;
        a->needs.needed = skedi_i64_max(a->needs.needed,
                                        count - before / each[k]);
    }
    uint32_t next;
    for (uint32_t i = a->node.at[node].kill; i != SKEDI_AUDIT_NONE; i = next) {
        next = a->kill.at[i].after;
        if (a->kill.at[i].tasks == tasks) continue;
        int64_t n = node == 0 ? a->kill.at[i].count
                              : audit_makes_up(a, &a->kill.at[i], a->scratch);
        if (n <= 0) continue;
        if (a->kill.at[i].time == a->now &&
            a->needs.kill_row == SKEDI_AUDIT_NO_ROW &&
            !audit_bound_needs(a, tasks, count, i)) {
            a->needs.kill_row = a->kill.at[i].row;
            a->needs.victim = a->kill.at[i].tasks;
        }
        audit_use_kill(a, i, n, tasks);
    }
    uint32_t left = KILLS_LOOKED_AT;
    for (uint32_t i = a->oldest_kill; i != SKEDI_AUDIT_NONE && left > 0;
         i = next, left--) {
        next = a->kill.at[i].newer;
        if (a->kill.at[i].tasks == tasks) continue;
        if (audit_bound_needs(a, tasks, count, i)) {
            audit_use_kill(a, i, a->kill.at[i].count, tasks);
        }
    }
}

void skedi_audit_excuse_node(sked_audit *a, uint32_t node)
{
    while (a->node.at[node].kill != SKEDI_AUDIT_NONE) {
        audit_close_kill(a, a->node.at[node].kill);
    }
}

void skedi_audit_excuse_tasks(sked_audit *a, uint32_t tasks)
{
    uint32_t next, left = KILLS_LOOKED_AT * KILLS_LOOKED_AT;

    for (uint32_t i = a->oldest_kill; i != SKEDI_AUDIT_NONE && left > 0;
         i = next, left--) {
        next = a->kill.at[i].newer;
        if (a->kill.at[i].by == tasks) audit_close_kill(a, i);
    }
}

/* Returns how many tasks of the victim of a start have started on a node in this
 * instant. */
static int64_t audit_restarted(sked_audit *a, const skedi_audit_start *s,
                               uint32_t node)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < a->start.n && skedi_audit_pays(a); i++) {
        const skedi_audit_start *other = &a->start.at[i];
        if (other->node == node && other->tasks == s->victim) n += other->count;
    }
    return n;
}

/* True if the tasks of a start that needed a kill fit on another node at the end
 * of the instant, instead of the victims if these have started there. Resources
 * freed by other kills do not count. */
static int audit_fits_elsewhere(sked_audit *a, const skedi_audit_start *s)
{
    const int64_t *each = skedi_audit_amounts(a, s->tasks);
    const int64_t *gave = skedi_audit_amounts(a, s->victim);
    uint32_t flags = a->tasks.at[s->tasks].flags |
                     skedi_audit_job_of(a, s->tasks)->flags;

    if (flags & SKED_AUDIT_MARK_CONSTRAINED) return 0;
    for (uint32_t i = 1; i < a->node.n && skedi_audit_pays(a); i++) {
        const int64_t *has = skedi_audit_node_vec(a, i, NODE_CAPACITY);
        const int64_t *used = skedi_audit_node_vec(a, i, NODE_USED);
        const int64_t *freed = skedi_audit_node_vec(a, i, NODE_FREED);
        uint32_t k = 0;
        if (i == s->node || a->node.at[i].state != NODE_UP ||
            a->node.at[i].reserved > 0 ||
            !skedi_audit_matches(a, s->tasks, i)) {
            continue;
        }
        int64_t back = audit_restarted(a, s, i);
        while (k < a->kinds && each[k] * s->needed <= has[k] - used[k] -
                                                          freed[k] +
                                                          gave[k] * back) {
            k++;
        }
        if (k == a->kinds) return 1;
    }
    return 0;
}

/*
 * A start that needed a kill on its node needed no kill if the tasks fit on
 * another node at the end of the instant. The rule is for hosts that stop tasks
 * at once: with a longer bound, the kill may be older than the free resources.
 * One report an instant, since two starts may fit into the same resources.
 */
void skedi_audit_judge_kills(sked_audit *a)
{
    if (a->options.kill_ns != 0) return;
    for (uint32_t i = 0; i < a->start.n; i++) {
        const skedi_audit_start *s = &a->start.at[i];
        if (s->kill_row == SKEDI_AUDIT_NO_ROW || !audit_fits_elsewhere(a, s)) {
            continue;
        }
        const skedi_audit_tasks *t = &a->tasks.at[s->victim];
        sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_KILL_IN_VAIN,
                                .from = a->now,
                                .at = a->now,
                                .subject = t->key,
                                .other = a->node.at[s->node].key,
                                .tasks = t->key,
                                .got = s->needed,
                                .kind = -1};
        skedi_audit_tell(&x, s->kill_row);
        skedi_audit_tell(&x, t->row);
        skedi_audit_tell(&x, a->tasks.at[s->tasks].row);
        skedi_audit_tell(&x, s->row);
        skedi_audit_report(a, &x);
        return;
    }
}

void skedi_audit_expire_kills(sked_audit *a, sked_time next)
{
    uint32_t i = a->oldest_kill;

    while (i != SKEDI_AUDIT_NONE) {
        const skedi_audit_kill *kill = &a->kill.at[i];
        uint64_t age = (uint64_t)next - (uint64_t)kill->time;
        if (a->options.kill_ns == SKED_UNLIMITED ||
            age <= (uint64_t)a->options.kill_ns) {
            return;
        }
        sked_audit_anomaly x = {.code = SKED_AUDIT_CODE_KILL_IN_VAIN,
                                .from = kill->time,
                                .at = next,
                                .subject = a->tasks.at[kill->tasks].key,
                                .other = a->node.at[kill->node].key,
                                .tasks = a->tasks.at[kill->tasks].key,
                                .got = kill->count,
                                .kind = -1};
        skedi_audit_tell(&x, kill->row);
        skedi_audit_tell(&x, a->tasks.at[kill->tasks].row);
        if (kill->by != SKEDI_AUDIT_NONE) {
            skedi_audit_tell(&x, a->tasks.at[kill->by].row);
            skedi_audit_tell(&x, a->tasks.at[kill->by].start_row);
        }
        skedi_audit_report(a, &x);
        audit_close_kill(a, i);
        i = a->oldest_kill;
    }
}
