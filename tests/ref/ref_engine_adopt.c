/* Tasks that run already, past every bound. */
#include "ref_engine.h"
#include "ref_engine_forms.h"
#include "ref_engine_sums.h"
#include "ref_engine_alone.h"

#include <string.h>

#include "base/arith.h"

int64_t ref_engine_word(const sked_events *batch, const sked_event *event,
                        const int64_t *column)
{
    return column ? column[event - batch->events] : SKED_UNSET;
}

/* What is used, and may come to be used, stays an amount with it. */
static int sums_fit(const ref_engine *r, size_t node, const int64_t *task,
                    int64_t count)
{
    int64_t used[REF_KINDS], free[REF_KINDS], more;

    ref_engine_held(r, used);
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (!skedi_i64_mul(task[k], count, &more) || more > SKED_AMOUNT_MAX) {
            return 0;
        }
        uint64_t most = (uint64_t)used[k] + (uint64_t)more;
        for (int p = 0; ref_engine_pooled(r, k) && p < REF_PARTS; p++) {
            most += (uint64_t)r->pool[p][k];
        }
        for (size_t i = 0; i < r->nodes; i++) {
            if (r->node[i].gone || ref_engine_pooled(r, k)) continue;
            ref_engine_free_on(r, i, free);
            if (i == node) free[k] -= more;
            most += (uint64_t)skedi_i64_max(free[k], 0);
        }
        if (most > (uint64_t)SKED_AMOUNT_MAX) return 0;
    }
    return 1;
}

/* Are these numbers open, one after the other? Which range they are in. */
static size_t range_with(const ref_ask *a, int64_t task, int64_t count)
{
    for (size_t i = 0; i < a->n_ranges; i++) {
        const ref_range *x = &a->ranges[i];
        if (task == SKED_UNSET
                ? x->count >= count
                : task >= x->from && task + count <= x->from + x->count) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Numbers go out of a range; what is behind them is one of its own. */
static void cut(ref_ask *a, size_t at, int64_t task, int64_t count)
{
    ref_range x = a->ranges[at];
    ref_range rest = {task + count, x.from + x.count - task - count};

    a->ranges = ref_engine_more(a->ranges, &a->n_ranges, sizeof *a->ranges);
    memmove(a->ranges + at + 2, a->ranges + at + 1,
            (a->n_ranges - at - 2) * sizeof *a->ranges);
    a->ranges[at].count = task - x.from;
    a->ranges[at + 1] = rest;
    for (size_t i = at + 2; i-- > at;) {
        if (a->ranges[i].count > 0) continue;
        memmove(a->ranges + i, a->ranges + i + 1,
                (--a->n_ranges - i) * sizeof *a->ranges);
    }
}

/* Takes the numbers of `count` running tasks; the first of them. */
static int64_t take_numbers(ref_engine *r, ref_ask *a, int64_t task,
                            int64_t count)
{
    size_t at = range_with(a, task, count);

    if (at != SIZE_MAX) {
        if (task == SKED_UNSET) task = a->ranges[at].from;
        cut(a, at, task, count);
        return task;
    }
    /* They are what the ask wanted, under numbers that nobody had. */
    if (task == SKED_UNSET) task = r->job[a->job].tasks;
    ref_engine_drop(a, skedi_i64_min(ref_engine_open(a), count));
    r->job[a->job].tasks = task + count;
    return task;
}

/* Does something of an ask run on a node? */
static int runs_on(const ref_engine *r, size_t ask, size_t node)
{
    size_t i = 0;

    while (i < r->groups &&
           (r->group[i].state == REF_OVER || r->group[i].ask != ask ||
            r->group[i].node != node)) {
        i++;
    }
    return i < r->groups;
}

/* Has a node ended all of an ask that was released? */
static int has_left(const ref_engine *r, size_t ask, size_t node)
{
    for (size_t i = 0; i < r->remains; i++) {
        const ref_remains *left = &r->remain[i];
        if (left->count > 0 && left->ask == ask && left->node == node) return 0;
    }
    return 1;
}

static sked_status check(const ref_engine *r, const sked_events *batch,
                         const sked_event *event, size_t node, size_t ask,
                         int64_t task, sked_time since, int64_t *all,
                         const int64_t **amounts)
{
    if (node == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (ask == SIZE_MAX || r->ask[ask].closed) return SKED_ERR_NOT_FOUND;
    const ref_ask *a = &r->ask[ask];
    int64_t taken = skedi_i64_min(ref_engine_open(a), event->count);
    int64_t times = event->count;
    if (since != SKED_UNSET &&
        (since > r->now || r->now - since > SKED_TIME_JUMP_MAX)) {
        return SKED_ERR_RANGE;
    }
    if (event->count < 1 || event->count > INT32_MAX) return SKED_ERR_RANGE;
    if (task != SKED_UNSET && (task < 0 || task > SKED_AMOUNT_MAX)) {
        return SKED_ERR_RANGE;
    }
    if (a->flags & SKED_ASK_GANG && !a->per_node &&
        event->count != ref_engine_open(a)) {
        return SKED_ERR_STATE;
    }
    if (task != SKED_UNSET && range_with(a, task, event->count) == SIZE_MAX) {
        if (task < r->job[a->job].tasks) return SKED_ERR_STATE;
    }
    *amounts = a->task;
    if (ref_engine_alone(a)) {
        if (event->amount > 0) return SKED_ERR_STATE;
        if (event->count > 1 && !ref_engine_bunched(a)) return SKED_ERR_RANGE;
        ref_engine_all_of(r, a, node, all);
        *amounts = all;
        if (ref_engine_bunched(a)) times = !runs_on(r, ask, node);
    } else if (event->amount > 0) {
        sked_status rc;
        *amounts = ref_engine_amounts(r, batch, event, &rc);
        if (rc != SKED_OK) return rc;
    }
    const ref_more more = {.asked = a->task,
                           .tasks = event->count,
                           .taken = taken,
                           .held = *amounts,
                           .times = times,
                           .job = a->job,
                           .but = SIZE_MAX};
    if (!ref_engine_sum_is_amount(r, &more)) return SKED_ERR_RANGE;
    /* What those of the same bunch hold that were released, it holds now. */
    if (ref_engine_bunched(a) && !has_left(r, ask, node)) times = 0;
    if (times > 0 && !sums_fit(r, node, *amounts, times)) return SKED_ERR_RANGE;
    return SKED_OK;
}

/* What is left of a gang over nodes may be held by nodes or limits that did not
 * hold all of it. */
static void see_rest(ref_engine *r, size_t ask)
{
    ref_ask *a = &r->ask[ask];

    if (!a->per_node || ref_engine_open(a) == 0) return;
    if (a->no_node) a->no_node = !ref_engine_could_form(r, ask, a->times);
    if (a->no_limit) a->no_limit = ref_engine_never_below(r, a) >= 0;
}

sked_status ref_engine_running(ref_engine *r, const sked_events *batch,
                               const sked_event *event)
{
    size_t node = ref_engine_node(r, event->key);
    size_t ask = ref_engine_ask(r, event->owner);
    sked_time since = ref_engine_word(batch, event, batch->moments);
    int64_t task = ref_engine_word(batch, event, batch->tasks);
    const int64_t *amounts;
    int64_t all[REF_KINDS];
    sked_status rc = check(r, batch, event, node, ask, task, since, all,
                           &amounts);

    if (rc != SKED_OK) return rc;
    ref_job *job = &r->job[r->ask[ask].job];
    if (job->state == REF_WAITS) {
        ref_engine_let_run(r, job, SKED_REASON_ADOPTED);
    }
    ref_group *g = MORE(r, group, groups);
    g->slot = r->slots > 0 ? r->slot[--r->slots] : r->most_slots++;
    g->name = (uint64_t)++r->made << 32 | (g->slot + 1);
    g->task = take_numbers(r, &r->ask[ask], task, event->count);
    g->count = event->count;
    ref_engine_at_place(r, &r->ask[ask], node, event->count);
    memcpy(g->amount, amounts, r->kinds * sizeof *amounts);
    g->own = event->amount > 0 || ref_engine_alone(&r->ask[ask]);
    g->gang = g->own && r->ask[ask].gang && !r->ask[ask].per_node ? g->count
                                                                  : 0;
    g->ask = ask;
    g->node = node;
    g->state = REF_HELD;
    ref_engine_holds_all(r, g);
    (void)ref_engine_decide(
        r, (sked_decision){.kind = SKED_DECISION_ALLOCATE,
                           .reason = SKED_REASON_ADOPTED,
                           .job = job->key,
                           .ask = r->ask[ask].key,
                           .node = r->node[node].key,
                           .group = g->name,
                           .task = g->task,
                           .count = g->count,
                           .queue = job->queue,
                           .kind_at = -1,
                           .partition = r->node[node].partition});
    ref_engine_reform(r, &r->ask[ask]);
    see_rest(r, ask);
    return SKED_OK;
}

sked_status ref_engine_resize(ref_engine *r, const sked_events *batch,
                              const sked_event *event, size_t group)
{
    ref_group *g = &r->group[group];
    int64_t more[REF_KINDS] = {0};
    sked_status rc;
    const int64_t *amounts = ref_engine_amounts(r, batch, event, &rc);

    if (ref_engine_alone(&r->ask[g->ask])) return SKED_ERR_STATE;
    if (rc != SKED_OK) return rc;
    int less = 0;
    for (uint32_t k = 0; k < r->kinds; k++) {
        more[k] = skedi_i64_max(amounts[k] - g->amount[k], 0);
        less |= amounts[k] < g->amount[k];
    }
    const ref_ask *a = &r->ask[g->ask];
    const ref_more all = {.asked = a->task,
                          .tasks = a->closed ? 0 : g->count,
                          .held = amounts,
                          .times = g->count,
                          .job = a->job,
                          .but = group};
    if (!ref_engine_sum_is_amount(r, &all) ||
        !sums_fit(r, g->node, more, g->count)) {
        return SKED_ERR_RANGE;
    }
    memcpy(g->amount, amounts, r->kinds * sizeof *amounts);
    if (less) r->node[g->node].changes++;
    r->shares[r->node[g->node].partition].moved = 1;
    g->own = 1;
    g->gang = r->ask[g->ask].gang && !r->ask[g->ask].per_node ? g->count : 0;
    return SKED_OK;
}
