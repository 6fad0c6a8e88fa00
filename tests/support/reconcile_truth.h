#ifndef TEST_RECONCILE_TRUTH_H
#define TEST_RECONCILE_TRUTH_H

/* The truth, as the host of an engine has it: what the engine says of nodes, jobs,
 * asks and tasks, and what the host wrote down of the rest. */
#include "reconcile_world.h"

#include "engine/alloc.h"
#include "engine/pending.h"
#include "engine/budget.h"

static inline sked_event *row_of_truth(truth *w, int32_t kind, uint64_t key)
{
    assert_true(w->n < ROWS);
    w->moment[w->n] = w->task[w->n] = SKED_UNSET;
    w->gang[w->n] = (sked_event_gang){0};
    w->charge[w->n] = (sked_event_charge){0};
    w->event[w->n] = (sked_event){.kind = kind, .key = key};
    return &w->event[w->n++];
}

/* The row that was added last has these amounts. */
static inline void give_amounts(truth *w, const int64_t *amounts)
{
    memcpy(w->amounts[w->n - 1], amounts, sizeof w->amounts[0]);
    w->event[w->n - 1].amount = w->n;
}

/* Puts a key behind the lists so far. */
static inline void put_place(truth *w, uint32_t *at, uint64_t key,
                             uint32_t tasks)
{
    assert_true(*at < ROWS);
    w->place_tasks[*at] = tasks;
    w->places[(*at)++] = key;
}

/* A row that names a list, whose values were put behind the lists so far. */
static inline sked_event *add_list(truth *w, int32_t kind, uint64_t key,
                                   uint32_t end)
{
    sked_event *event = row_of_truth(w, kind, key);

    if (end == (uint32_t)w->offsets[w->lists]) return event;
    assert_true(w->lists < PLACES);
    w->offsets[++w->lists] = (int32_t)end;
    event->places = w->lists;
    return event;
}

/* ---- Asks ---- */

/* In the order in which they were added; some that have expired, too. */
static inline void add_soft(truth *w, const side *s, uint64_t key)
{
    (void)row_of_truth(w, SKED_EVENT_ASK_PREFER, key);
    for (uint32_t i = 0; i < s->n_soft[key]; i++) {
        sked_event *event = row_of_truth(w, SKED_EVENT_ASK_PREFER, key);
        event->places = s->soft[key][i].rule;
        event->count = s->soft[key][i].weight;
        w->moment[w->n - 1] = s->soft[key][i].until;
    }
}

/* The tags of an ask, from the last to the first. */
static inline void add_tags(truth *w, const side *s, uint64_t key)
{
    uint32_t at = (uint32_t)w->offsets[w->lists], tags = s->tags[key];

    for (int32_t i = tags ? known_list_offsets[tags] : 0;
         tags && i-- > known_list_offsets[tags - 1];) {
        put_place(w, &at, known_lists[i], INT32_MAX);
    }
    add_list(w, SKED_EVENT_ASK_TAGS, key, at);
}

static inline void add_rules(truth *w, const side *s, uint64_t key)
{
    add_soft(w, s, key);
    row_of_truth(w, SKED_EVENT_ASK_RULE, key)->places = s->rule[key];
}

/* The nodes and racks that it prefers, in rows of their own. */
static inline void add_preferred(truth *w, const side *s, const engine_ask *a)
{
    for (uint32_t rack = 0; rack < 2; rack++) {
        uint32_t at = (uint32_t)w->offsets[w->lists];
        for (uint32_t p = extra_of(s->engine, a)->places; p != SKEDI_NONE;
             p = place_at(s->engine, p)->next) {
            const engine_place *place = place_at(s->engine, p);
            uint32_t left = place->left > 0 ? (uint32_t)place->left : 0;
            if (place->rack == rack) put_place(w, &at, place->key, left);
        }
        sked_event *event = add_list(
            w, rack ? SKED_EVENT_ASK_RACKS : SKED_EVENT_ASK_PLACES, a->key, at);
        if (!rack) event->flags = a->flags & SKED_ASK_STRICT;
    }
}

/* ---- What runs ---- */

/* What the engine was told of a group: both sorts of rows. */
static inline int64_t told_of(const twins *t, const sked_engine *e,
                              uint32_t group, int32_t kind)
{
    const engine_notice *notice = skedi_notice_find(e, group);

    if (kind == SKED_EVENT_TASK_COST) return notice ? notice->cost : -1;
    return notice && notice->ends >= t->now ? notice->ends : SKED_UNSET;
}

/* The same of all that an ask runs on a node? */
static inline int told_alike(const twins *t, const sked_engine *e,
                             uint32_t group, int32_t kind)
{
    const engine_group *first = group_at(e, group);
    int alike = 1;

    for (uint32_t g = ask_at(e, first->ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        if (group_at(e, g)->node != first->node) continue;
        if (skedi_group_is_proposal(e, g)) continue;
        alike &= told_of(t, e, g, kind) == told_of(t, e, group, kind);
    }
    return alike;
}

static inline void add_said(twins *t, const sked_engine *e, uint32_t group)
{
    truth *w = &t->truth;
    const engine_group *g = group_at(e, group);

    for (int32_t kind = SKED_EVENT_TASK_ENDS; kind <= SKED_EVENT_TASK_COST;
         kind++) {
        if (!told_alike(t, e, group, kind)) continue;
        sked_event *event = row_of_truth(w, kind, node_at(e, g->node)->key);
        event->owner = ask_at(e, g->ask)->key;
        event->flags = SKED_TASK_ON_NODE;
        if (kind == SKED_EVENT_TASK_COST) {
            event->count = told_of(t, e, group, kind);
        } else {
            w->moment[w->n - 1] = told_of(t, e, group, kind);
        }
    }
}

/* Is it the first group of an ask on its node that runs? */
static inline int is_first_there(const sked_engine *e, uint32_t group)
{
    const engine_group *of = group_at(e, group);

    for (uint32_t g = ask_at(e, of->ask)->first_group; g != group;
         g = group_at(e, g)->ask_next) {
        if (group_at(e, g)->node == of->node &&
            !skedi_group_is_proposal(e, g)) {
            return 0;
        }
    }
    return 1;
}

static inline void add_run(twins *t, const sked_engine *e, uint32_t group)
{
    truth *w = &t->truth;
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    sked_event *runs = row_of_truth(w, SKED_EVENT_TASK_RUNNING,
                                    node_at(e, g->node)->key);

    runs->owner = a->key;
    runs->count = g->count;
    w->moment[w->n - 1] = g->deadline_from;
    int own = g->shape != SKEDI_NONE && !(a->flags & SKED_ASK_EXCLUSIVE);
    if (own) give_amounts(w, skedi_group_task(e, g));
    if (may(t, HAS_SAID) && is_first_there(e, group)) add_said(t, e, group);
}

/* What runs of it, which its count has too; a proposal counts as open. */
static inline void add_runs(twins *t, const sked_engine *e, const engine_ask *a,
                            sked_event *event)
{
    for (uint32_t g = a->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int proposal = skedi_group_is_proposal(e, g);
        if (!proposal || !a->closed) event->count += group_at(e, g)->count;
        if (!proposal) add_run(t, e, g);
    }
}

static inline void add_ask(twins *t, const side *s, const engine_ask *a)
{
    const sked_engine *e = s->engine;
    truth *w = &t->truth;
    uint32_t row = w->n;
    sked_event *event = row_of_truth(w, SKED_EVENT_ASK_ADD, a->key);
    uint32_t at = (uint32_t)w->offsets[w->lists], first = at;

    event->owner = job_at(e, a->job)->key;
    event->partition = a->partition;
    event->priority = a->priority;
    event->flags = a->flags;
    event->count = a->open;
    give_amounts(w, engine_row_of(e, &e->shape_task, a->shape));
    for (uint32_t p = extra_of(e, a)->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        if (place_at(e, p)->rack) continue;
        put_place(w, &at, place_at(e, p)->key, INT32_MAX);
    }
    if (at > first) {
        w->offsets[++w->lists] = (int32_t)at;
        event->places = w->lists;
    }
    if (a->flags & SKED_ASK_SPREAD) {
        w->gang[row].per_node = skedi_shape_per_node(e, a->shape);
        w->gang[row].same = skedi_shape_gang(e, a->shape).same;
    }
    add_runs(t, e, a, event);
    if (may(t, HAS_TRAITS)) add_tags(w, s, a->key);
    if (may(t, HAS_TRAITS) && !a->closed) add_rules(w, s, a->key);
    if (may(t, HAS_PLACES) && !a->closed) {
        add_preferred(w, s, a);
        if (below(t, 4) == 0) event->places = 0; /* these rows say it */
        if (below(t, 4) == 0) event->flags ^= SKED_ASK_STRICT;
    }
    if (!a->closed) return;
    event->count += event->count == 0;
    (void)row_of_truth(w, SKED_EVENT_ASK_WITHDRAW, a->key);
}

/* ---- The whole ---- */

static inline void add_nodes(twins *t, const side *s)
{
    const sked_engine *e = s->engine;
    truth *w = &t->truth;

    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        const engine_node *n = node_at(e, i);
        int64_t amounts[KINDS];
        memcpy(amounts, engine_row_of(e, &e->node_capacity, i), sizeof amounts);
        if (may(t, HAS_POOLS)) amounts[KINDS - 1] = 0;
        sked_event *event = row_of_truth(w, SKED_EVENT_NODE_UP, n->key);
        event->owner = n->rack;
        event->partition = n->partition;
        give_amounts(w, amounts);
        if (may(t, HAS_TRAITS)) {
            row_of_truth(w, SKED_EVENT_NODE_ATTRIBUTES, n->key)
                ->places = s->attributes[n->key];
        }
        if (n->state != NODE_DRAINING) continue;
        (void)row_of_truth(w, SKED_EVENT_NODE_DRAIN, n->key);
    }
    for (uint32_t p = 0; may(t, HAS_POOLS) && p < 2; p++) {
        const int64_t amounts[KINDS] = {0, 0, s->pool[p]};
        sked_event *event = row_of_truth(w, SKED_EVENT_POOL, 0);
        event->partition = p;
        give_amounts(w, amounts);
    }
}

static inline void add_job(twins *t, const side *s, const engine_job *j)
{
    truth *w = &t->truth;
    const engine_user *user = (engine_user *)s->engine->users.item + j->user;
    sked_event *event = row_of_truth(w, SKED_EVENT_JOB_SUBMIT, j->key);

    event->owner = user->key;
    event->queue = j->queue;
    event->priority = j->priority;
    event->flags = j->flags;
    if (j->state == JOB_RUNNING) event->flags |= SKED_JOB_ADMITTED;
    w->moment[w->n - 1] = j->submitted;
    if (may(t, HAS_CHARGES)) w->charge[w->n - 1] = s->charge[j->key];
    if (may(t, HAS_LEAST)) {
        row_of_truth(w, SKED_EVENT_JOB_LEAST, j->key)->count = j->least;
    }
}

/* Jobs, then asks, each in the order in which they arrived. */
static inline void add_work(twins *t, const side *s, int asks)
{
    const sked_engine *e = s->engine;

    for (uint64_t at = 0; at <= e->arrivals; at++) {
        for (uint32_t i = 0; !asks && i < e->jobs.n; i++) {
            const engine_job *j = job_at(e, i);
            if (j->state == JOB_FREE_SLOT || j->state == JOB_ENDED) continue;
            if (j->arrival == at) add_job(t, s, j);
        }
        for (uint32_t i = 0; asks && i < e->asks.n; i++) {
            const engine_ask *a = ask_at(e, i);
            if (!a->live || a->arrival != at) continue;
            if (job_at(e, a->job)->state != JOB_ENDED) add_ask(t, s, a);
        }
    }
}

static inline void tell_truth(twins *t, const side *s)
{
    truth *w = &t->truth;

    w->n = w->lists = 0;
    w->offsets[0] = 0;
    add_nodes(t, s);
    add_work(t, s, 0);
    add_work(t, s, 1);
    for (uint32_t i = 0; i < w->n; i++) w->event[i].time = t->now;
    w->batch = (sked_events){.struct_size = sizeof w->batch,
                             .events = w->event,
                             .n = w->n,
                             .amounts = w->amounts[0],
                             .n_amounts = ROWS,
                             .place_offsets = w->offsets,
                             .places = w->places,
                             .n_places = w->lists,
                             .place_tasks = w->place_tasks,
                             .moments = w->moment,
                             .tasks = w->task,
                             .gangs = w->gang,
                             .charges = w->charge};
    know_rules(&w->batch);
}

#endif
