/* Tasks: started, told of, undone. */
#include "ref_engine_forms.h"
#include "ref_engine_said.h"
#include "ref_engine_alone.h"

#include <string.h>

#include "base/arith.h"

void ref_engine_wait(ref_engine *r, ref_ask *ask)
{
    ask->since = r->now;
}

static int runs_of(const ref_engine *r, size_t ask)
{
    for (size_t i = 0; i < r->groups; i++) {
        if (r->group[i].state != REF_OVER && r->group[i].ask == ask) return 1;
    }
    return 0;
}

void ref_engine_settle(ref_engine *r, size_t ask)
{
    ref_ask *a = &r->ask[ask];

    if (ref_engine_open(a) > 0 || runs_of(r, ask)) return;
    if (a->closed || !(a->flags & SKED_ASK_KEEP)) a->forgotten = 1;
}

void ref_engine_close(ref_engine *r, size_t ask)
{
    ref_ask *a = &r->ask[ask];

    a->n_ranges = 0;
    a->closed = 1;
    ref_engine_settle(r, ask);
}

/* The first `count` open numbers, which follow each other. */
static int64_t pop_open(ref_ask *a, int64_t count)
{
    int64_t first = a->ranges[0].from;

    a->ranges[0].from += count;
    a->ranges[0].count -= count;
    if (a->ranges[0].count > 0) return first;
    memmove(a->ranges, a->ranges + 1, --a->n_ranges * sizeof *a->ranges);
    return first;
}

/* In front of those that are open. */
static void push_open(ref_ask *a, int64_t from, int64_t count)
{
    if (a->n_ranges > 0 && a->ranges[0].from == from + count) {
        a->ranges[0].from = from;
        a->ranges[0].count += count;
        return;
    }
    a->ranges = ref_engine_more(a->ranges, &a->n_ranges, sizeof *a->ranges);
    memmove(a->ranges + 1, a->ranges, (a->n_ranges - 1) * sizeof *a->ranges);
    a->ranges[0] = (ref_range){from, count};
}

static void make_group(ref_engine *r, size_t ask, size_t node, int64_t task,
                       int32_t reason)
{
    ref_group *g = MORE(r, group, groups);
    const ref_ask *a = &r->ask[ask];

    g->slot = r->slots > 0 ? r->slot[--r->slots] : r->most_slots++;
    g->name = (uint64_t)++r->made << 32 | (g->slot + 1);
    g->task = task;
    memcpy(g->amount, a->task, sizeof g->amount);
    g->ask = ask;
    g->node = node;
    ref_engine_holds_all(r, g);
    g->proposed = r->now;
    g->state = r->opts.confirm_within_ns > 0 ? REF_PROPOSED : REF_HELD;
    (void)ref_engine_decide(
        r, (sked_decision){.kind = SKED_DECISION_ALLOCATE,
                           .reason = reason,
                           .job = r->job[a->job].key,
                           .ask = a->key,
                           .node = r->node[node].key,
                           .group = g->name,
                           .task = task,
                           .queue = r->job[a->job].queue,
                           .detail = r->opts.confirm_within_ns > 0
                                         ? r->now + r->opts.confirm_within_ns
                                         : 0,
                           .kind_at = -1,
                           .partition = r->node[node].partition});
}

static void count_at(ref_places *places, uint64_t key, int64_t count)
{
    for (size_t i = 0; places->tasks && i < places->n; i++) {
        if (places->key[i] == key) places->started[i] += count;
    }
}

void ref_engine_at_place(const ref_engine *r, ref_ask *a, size_t node,
                         int64_t count)
{
    count_at(&a->nodes, r->node[node].key, count);
    if (r->node[node].rack) count_at(&a->racks, r->node[node].rack, count);
}

/* Tasks of the last group. */
static void begin_tasks(ref_engine *r, size_t ask, size_t node, int64_t count)
{
    ref_ask *a = &r->ask[ask];

    r->group[r->groups - 1].count += count;
    ref_engine_at_place(r, a, node, count);
    r->out[r->n_out - 1].count += count;
    r->started += (uint64_t)count;
    ref_engine_rate_count(r, r->job[a->job].queue, count);
    ref_engine_wait(r, a);
}

void ref_engine_group(ref_engine *r, size_t ask, size_t node, int64_t count,
                      int32_t reason)
{
    make_group(r, ask, node, pop_open(&r->ask[ask], count), reason);
    begin_tasks(r, ask, node, count);
}

void ref_engine_start(ref_engine *r, size_t ask, size_t node, size_t first)
{
    ref_ask *a = &r->ask[ask];

    if (ref_engine_lacks(a) > 0) {
        ref_engine_start_all(r, ask, r->node[node].partition);
        return;
    }
    int whole = a->flags & SKED_ASK_GANG && !a->per_node;
    int64_t count = whole ? ref_engine_open(a) : 1;
    int64_t task = pop_open(a, count);
    ref_group *last = r->groups > first ? &r->group[r->groups - 1] : NULL;

    if (!last || last->ask != ask || last->task + last->count != task) {
        make_group(r, ask, node, task, SKED_REASON_ORDER);
    }
    begin_tasks(r, ask, node, count);
}

/* Nothing of a group is left. */
static void forget(ref_engine *r, size_t group)
{
    ref_group *g = &r->group[group];
    size_t of = r->ask[g->ask].job;

    g->state = REF_OVER;
    *MORE(r, slot, slots) = g->slot;
    ref_engine_ended(r, g->ask);
    ref_engine_settle(r, g->ask);
    if (r->job[of].state == REF_ENDED && !ref_engine_job_runs(r, of)) {
        r->job[of].state = REF_FORGOTTEN;
    }
}

void ref_engine_end(ref_engine *r, size_t group, int64_t count, int again,
                    int changed)
{
    ref_group *g = &r->group[group];
    ref_ask *a = &r->ask[g->ask];

    g->count -= count;
    r->node[g->node].changes += (uint64_t)(changed != 0);
    if (again && !a->closed) ref_engine_moved(r, a);
    if (again && !a->closed) {
        int none = ref_engine_open(a) == 0;
        int whole = a->flags & SKED_ASK_GANG && !a->per_node;
        for (uint32_t k = 0; whole && k < r->kinds; k++) {
            a->step[k] = a->task[k] * count;
        }
        push_open(a, g->task + g->count, count);
        ref_engine_reform(r, a);
        ref_engine_at_place(r, a, g->node, -count);
        if (none) ref_engine_wait(r, a);
    }
    size_t ask = g->ask;
    if (g->count == 0) forget(r, group);
    if (again && !a->closed) ref_engine_lost(r, ask);
}
/* Undoes what is due by then, in order of their deadlines. */
static void expire_proposals(ref_engine *r, sked_time now)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        sked_time deadline = g->proposed + r->opts.confirm_within_ns;
        int waits = g->state == REF_PROPOSED || g->state == REF_REVOKED;
        if (!waits || deadline > now) continue;
        r->now = skedi_i64_max(r->now, deadline);
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECISION_EXPIRE,
                               .reason = SKED_REASON_UNCONFIRMED,
                               .job = r->job[a->job].key,
                               .ask = a->key,
                               .node = r->node[g->node].key,
                               .group = g->name,
                               .task = g->task,
                               .count = g->count,
                               .queue = r->job[a->job].queue,
                               .kind_at = -1,
                               .partition = r->node[g->node].partition});
        ref_engine_end(r, i, g->count, 1, 0);
    }
}

void ref_engine_expire(ref_engine *r, sked_time now)
{
    now = skedi_i64_max(now, r->now); /* a commit may have moved time on */
    expire_proposals(r, now);
    ref_engine_fall(r);
    ref_engine_lapse(r, now);
    ref_engine_lapse_soft(r, now);
}

static int comes_back(const ref_engine *r, const ref_group *g,
                      const sked_event *event)
{
    const ref_ask *a = &r->ask[g->ask];

    if (event->kind == SKED_EVENT_TASK_FINISH || a->closed) return 0;
    if (event->kind == SKED_EVENT_TASK_FAIL &&
        !(r->job[a->job].flags & SKED_JOB_RETRY)) {
        return 0;
    }
    return !(a->flags & SKED_ASK_GANG) || a->per_node > 0 ||
           event->count == g->count;
}

static sked_status end_some(ref_engine *r, size_t group,
                            const sked_event *event)
{
    ref_group *g = &r->group[group];
    const ref_ask *a = &r->ask[g->ask];
    int killed = event->kind == SKED_EVENT_TASK_KILLED;

    int doomed = g->state == REF_KILLED || g->state == REF_REVOKED;
    int64_t most = killed && !doomed ? 0 : g->count;

    if (event->count < 1 || event->count > most) return SKED_ERR_RANGE;
    int again = comes_back(r, g, event);
    if (again) {
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECISION_REQUEUE,
                               .reason = killed ? SKED_REASON_GANG
                                                : SKED_REASON_NONE,
                               .job = r->job[a->job].key,
                               .ask = a->key,
                               .node = r->node[g->node].key,
                               .group = g->name,
                               .task = g->task + g->count - event->count,
                               .count = event->count,
                               .queue = r->job[a->job].queue,
                               .kind_at = -1,
                               .partition = r->node[g->node].partition});
    }
    ref_engine_end(r, group, event->count, again, 1);
    return SKED_OK;
}

/* How many released tasks of a group are on its node. */
static int64_t released_of(const ref_engine *r, uint64_t name)
{
    int64_t n = 0;

    for (size_t i = 0; i < r->remains; i++) {
        if (r->remain[i].name == name) n += r->remain[i].count;
    }
    return n;
}

/* The node ends so many of them, which are alike. */
static void end_released(ref_engine *r, uint64_t name, int64_t count)
{
    for (size_t i = 0; i < r->remains && count > 0; i++) {
        ref_remains *left = &r->remain[i];
        int64_t n = skedi_i64_min(left->count, count);
        if (left->name != name || n == 0) continue;
        left->count -= n;
        count -= n;
        r->node[left->node].changes++;
    }
}

static sked_status release_some(ref_engine *r, size_t group,
                                const sked_event *event)
{
    ref_group *g = &r->group[group];

    if (event->flags) return SKED_ERR_ARG;
    if (g->state == REF_PROPOSED || g->state == REF_REVOKED) {
        return SKED_ERR_STATE;
    }
    if (event->count < 1 || event->count > g->count) return SKED_ERR_RANGE;
    ref_remains *left = MORE(r, remain, remains);
    left->name = g->name;
    memcpy(left->amount, g->amount, sizeof left->amount);
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (ref_engine_pooled(r, k)) left->amount[k] = 0; /* is on no node */
    }
    left->count = event->count;
    left->node = g->node;
    left->ask = g->ask;
    ref_engine_end(r, group, event->count, 0, 0);
    return SKED_OK;
}

/* Released ones first, then what runs, if the group is there. */
static sked_status end_both(ref_engine *r, size_t group,
                            const sked_event *event)
{
    int64_t released = skedi_i64_min(released_of(r, event->key), event->count);
    sked_event rest = *event;
    sked_status rc = SKED_OK;

    if (event->count < 1) return SKED_ERR_RANGE;
    rest.count -= released;
    if (rest.count > 0) {
        rc = group == SIZE_MAX ? SKED_ERR_RANGE : end_some(r, group, &rest);
    }
    if (rc == SKED_OK) end_released(r, event->key, released);
    return rc;
}

/* Does an event to all groups of an ask mean this one? With which count? */
static int64_t means(const ref_group *g, const sked_event *event)
{
    int proposed = g->state == REF_PROPOSED || g->state == REF_REVOKED;
    int doomed = g->state == REF_KILLED || g->state == REF_REVOKED;

    switch (event->kind) {
    case SKED_EVENT_TASK_CONFIRM:
    case SKED_EVENT_TASK_REFUSE: return proposed ? g->count : 0;
    case SKED_EVENT_TASK_KILLED: return doomed ? g->count : 0;
    }
    return g->count;
}

/* One event after the other, for the newest group first. */
static sked_status tell_all(ref_engine *r, const sked_events *batch,
                            const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->key);
    uint32_t more = event->flags & ~(uint32_t)SKED_TASK_ALL;
    uint32_t allowed = 0;
    int said = 0;

    if (ask == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (event->count) return SKED_ERR_RANGE;
    if (event->kind == SKED_EVENT_TASK_REFUSE) allowed = 7;
    if (more & ~allowed || (more & (more - 1))) return SKED_ERR_ARG;
    for (size_t i = r->groups; i-- > 0;) {
        sked_events one = *batch;
        sked_event of = *event;
        if (r->group[i].state == REF_OVER || r->group[i].ask != ask) continue;
        of.flags = more;
        of.key = r->group[i].name;
        of.count = means(&r->group[i], event);
        if (of.count == 0) continue;
        one.events = &of;
        one.n = 1;
        sked_status rc = event->kind == SKED_EVENT_TASK_CONFIRM ||
                                 event->kind == SKED_EVENT_TASK_REFUSE
                             ? ref_engine_task(r, &one, &of)
                             : end_some(r, i, &of); /* not the released ones */
        if (rc != SKED_OK) return rc;
        said = 1;
    }
    return said ? SKED_OK : SKED_ERR_STATE;
}

sked_status ref_engine_task(ref_engine *r, const sked_events *batch,
                            const sked_event *event)
{
    int confirm = event->kind == SKED_EVENT_TASK_CONFIRM;
    int resize = event->kind == SKED_EVENT_TASK_RESIZE;
    int refuse = event->kind == SKED_EVENT_TASK_REFUSE;
    int saved = event->kind == SKED_EVENT_TASK_SAVED ||
                event->kind == SKED_EVENT_TASK_ENDS ||
                event->kind == SKED_EVENT_TASK_COST ||
                event->kind == SKED_EVENT_TASK_RELEASED;
    int ends = !confirm && !resize && !refuse && !saved;
    uint32_t known = confirm            ? SKED_CONFIRM_ACTUAL
                     : refuse || resize ? UINT32_MAX
                                        : 0;
    int said = event->kind == SKED_EVENT_TASK_ENDS ||
               event->kind == SKED_EVENT_TASK_COST;
    if (!saved) known |= SKED_TASK_ALL;
    if (said) known |= SKED_TASK_ON_NODE;
    if (event->flags & ~known) return SKED_ERR_ARG;
    if (said && event->flags) {
        return ref_engine_may_say(r, batch, event)
                   ? ref_engine_on_node(r, event)
                   : SKED_ERR_RANGE;
    }
    if (event->flags & SKED_TASK_ALL && !resize) {
        return tell_all(r, batch, event);
    }

    size_t at = 0;

    while (at < r->groups && (r->group[at].state == REF_OVER ||
                              r->group[at].name != event->key)) {
        at++;
    }
    if (ends && released_of(r, event->key) > 0) {
        return end_both(r, at == r->groups ? SIZE_MAX : at, event);
    }
    if (at == r->groups) return SKED_ERR_STALE;
    int revoked = r->group[at].state == REF_REVOKED;
    int proposed = revoked || r->group[at].state == REF_PROPOSED;
    if (refuse) return ref_engine_refuse(r, batch, event, at);
    if (confirm) {
        if (!proposed) return SKED_ERR_STATE;
        if (event->flags & SKED_CONFIRM_ACTUAL) {
            sked_status rc = ref_engine_resize(r, batch, event, at);
            if (rc != SKED_OK) return rc;
        }
        r->group[at].state = revoked ? REF_KILLED : REF_HELD;
        return SKED_OK;
    }
    if (event->kind == SKED_EVENT_TASK_RELEASED) {
        return release_some(r, at, event);
    }
    if (resize) {
        if (released_of(r, event->key) > 0) return SKED_ERR_STATE;
        return ref_engine_resize(r, batch, event, at);
    }
    if (saved) {
        return ref_engine_may_say(r, batch, event) ? SKED_OK : SKED_ERR_RANGE;
    }
    return end_some(r, at, event);
}
