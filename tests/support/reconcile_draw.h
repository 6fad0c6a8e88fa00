#ifndef TEST_RECONCILE_DRAW_H
#define TEST_RECONCILE_DRAW_H

/* What happens in the worlds of reconcile_world.h. */
#include "reconcile_world.h"

static inline uint64_t some_ask(twins *t)
{
    return 1 + below(t, t->asks + 1);
}

static inline uint64_t some_job(twins *t)
{
    return 1 + below(t, t->jobs + 1);
}

/* Does an event name a group? */
static inline int names_group(const sked_event *e)
{
    switch (e->kind) {
    case SKED_EVENT_TASK_ENDS:
    case SKED_EVENT_TASK_COST: return e->flags == 0;
    case SKED_EVENT_TASK_RESIZE:
    case SKED_EVENT_TASK_RELEASED: return 1;
    default:
        return e->kind >= SKED_EVENT_TASK_CONFIRM &&
               e->kind <= SKED_EVENT_TASK_LOST;
    }
}

static inline uint64_t name_of(const side *s, size_t at)
{
    return at < s->groups ? s->group[at] : 0;
}

static inline void draw_task(twins *t, const side *s, sked_event *e)
{
    static const int32_t kinds[] = {
        SKED_EVENT_TASK_FINISH,  SKED_EVENT_TASK_FAIL,
        SKED_EVENT_TASK_LOST,    SKED_EVENT_TASK_CONFIRM,
        SKED_EVENT_TASK_CONFIRM, SKED_EVENT_TASK_CONFIRM};

    e->kind = kinds[below(t, 6)];
    e->amount = 0;
    e->count = s->groups ? 1 + (int64_t)below(t, 3) : 1;
}

/* What a node is, or what an ask prefers. */
static inline void draw_trait(twins *t, said *w)
{
    static const int32_t traits[] = {
        SKED_EVENT_NODE_ATTRIBUTES, SKED_EVENT_NODE_ATTRIBUTES,
        SKED_EVENT_ASK_RULE,        SKED_EVENT_ASK_RULE,
        SKED_EVENT_ASK_TAGS,        SKED_EVENT_ASK_PREFER,
        SKED_EVENT_ASK_PREFER};
    sked_event *e = &w->event;

    e->kind = traits[below(t, 7)];
    if (e->kind != SKED_EVENT_NODE_ATTRIBUTES) e->key = some_ask(t);
    switch (e->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES:
        e->places = (uint32_t)below(t, ATTRIBUTE_ROWS + 1);
        break;
    case SKED_EVENT_ASK_TAGS:
        e->places = (uint32_t)below(t, LIST_ROWS + 1);
        break;
    default:
        e->places = (uint32_t)below(t, RULE_ROWS + 1);
        if (below(t, 3)) e->places = (uint32_t)below(t, 4);
    }
    if (e->kind != SKED_EVENT_ASK_PREFER) return;
    e->count = (int64_t)below(t, 3);
    if (below(t, 3) == 0) w->moment = t->now + 4 + (sked_time)below(t, 100);
}

static inline void draw_places(twins *t, said *w)
{
    int racks = below(t, 3) == 0;
    sked_event *e = &w->event;

    e->kind = racks ? SKED_EVENT_ASK_RACKS : SKED_EVENT_ASK_PLACES;
    e->key = some_ask(t);
    e->places = (uint32_t)below(t, LIST_ROWS + 1);
    e->flags = racks || below(t, 4) ? 0 : SKED_ASK_STRICT;
    w->counted = (int)below(t, 2);
}

/* When tasks end, or what they cost: of a group, or of an ask on a node. */
static inline void draw_said(twins *t, said *w)
{
    sked_event *e = &w->event;
    int ends = (int)below(t, 2);

    e->kind = ends ? SKED_EVENT_TASK_ENDS : SKED_EVENT_TASK_COST;
    e->flags = below(t, 4) ? SKED_TASK_ON_NODE : 0;
    e->owner = some_ask(t);
    e->count = (int64_t)below(t, 4) - 1;
    if (ends && below(t, 4)) w->moment = t->now + 4 + (sked_time)below(t, 300);
}

/* What no truth holds. */
static inline void draw_rest(twins *t, said *w)
{
    static const int32_t kinds[] = {
        SKED_EVENT_ASK_EXCLUDE,   SKED_EVENT_JOB_EXCLUDE,
        SKED_EVENT_TASK_REFUSE,   SKED_EVENT_TASK_REFUSE,
        SKED_EVENT_TASK_RELEASED, SKED_EVENT_TASK_RELEASED,
        SKED_EVENT_JOB_CANCEL,    SKED_EVENT_ALLOW};
    static const uint32_t scopes[] = {0, SKED_REFUSE_ASK, SKED_REFUSE_JOB,
                                      SKED_REFUSE_NODE};
    sked_event *e = &w->event;

    e->kind = kinds[below(t, 8)];
    e->amount = 0;
    switch (e->kind) {
    case SKED_EVENT_ASK_EXCLUDE: e->key = some_ask(t); break;
    case SKED_EVENT_JOB_EXCLUDE:
    case SKED_EVENT_JOB_CANCEL: e->key = some_job(t); break;
    case SKED_EVENT_ALLOW: e->key = 0; break;
    case SKED_EVENT_TASK_REFUSE:
        e->flags = scopes[below(t, 4)];
        if (below(t, 2)) w->moment = t->now + 4 + (sked_time)below(t, 50);
        break;
    default: e->count = 1 + (int64_t)below(t, 2);
    }
    if (e->kind <= SKED_EVENT_JOB_EXCLUDE &&
        e->kind >= SKED_EVENT_ASK_EXCLUDE) {
        e->places = (uint32_t)below(t, LIST_ROWS + 1);
    }
}

static inline void draw_size(twins *t, said *w)
{
    w->event.kind = SKED_EVENT_TASK_RESIZE;
    for (int k = 0; k < KINDS; k++) w->amounts[k] = (int64_t)below(t, 5);
}

/* What preemption leaves to a job, or what a partition has beside its nodes. */
static inline int draw_count(twins *t, said *w)
{
    int pool = (int)below(t, 2);

    if (!may(t, pool ? HAS_POOLS : HAS_LEAST)) return 0;
    w->event.kind = pool ? SKED_EVENT_POOL : SKED_EVENT_JOB_LEAST;
    w->event.key = some_job(t);
    w->event.count = (int64_t)below(t, 4);
    w->event.partition = pool ? (uint32_t)below(t, 2) : 0;
    w->amounts[0] = w->amounts[1] = 0;
    w->amounts[KINDS - 1] = (int64_t)below(t, 30);
    if (!may(t, HAS_REST)) w->amounts[KINDS - 1] += 8;
    return 1;
}

/* One of what only some worlds have; 0: it is something else. */
static inline int draw_more(twins *t, said *w)
{
    switch (below(t, 20)) {
    case 0:
    case 1:
    case 2:
        if (may(t, HAS_TRAITS)) draw_trait(t, w);
        return may(t, HAS_TRAITS);
    case 3:
        if (may(t, HAS_PLACES)) draw_places(t, w);
        return may(t, HAS_PLACES);
    case 4:
    case 5:
        if (may(t, HAS_SAID)) draw_said(t, w);
        return may(t, HAS_SAID);
    case 6: return draw_count(t, w);
    case 7:
        if (may(t, HAS_SIZES)) draw_size(t, w);
        return may(t, HAS_SIZES);
    case 8:
    case 9:
    case 10:
        if (may(t, HAS_REST)) draw_rest(t, w);
        return may(t, HAS_REST);
    default: return 0;
    }
}

static inline void draw_node(twins *t, said *w)
{
    static const int32_t kinds[] = {
        SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_UP,
        SKED_EVENT_NODE_DOWN,   SKED_EVENT_NODE_CHANGE, SKED_EVENT_NODE_DRAIN,
        SKED_EVENT_NODE_RESUME, SKED_EVENT_NODE_RESUME};

    w->event.kind = kinds[below(t, 8)];
    w->event.partition = (uint32_t)(w->event.key % 2);
    w->event.owner = w->event.key / 2;
    for (int k = 0; k < KINDS; k++) w->amounts[k] = 6 + (int64_t)below(t, 8);
    if (may(t, HAS_POOLS)) w->amounts[KINDS - 1] = 0;
}

static inline void draw_job(twins *t, said *w)
{
    static const uint32_t flags[] = {SKED_JOB_FIXED,      SKED_JOB_KEEPS,
                                     SKED_JOB_ONCE,       SKED_JOB_READMIT,
                                     SKED_JOB_REVOCABLE,  SKED_JOB_YIELDS,
                                     SKED_JOB_CONTROLLER, SKED_JOB_ADMITTED};
    sked_event *e = &w->event;

    e->kind = SKED_EVENT_JOB_SUBMIT;
    e->key = ++t->jobs;
    e->owner = below(t, 3);
    e->queue = t->leaf[below(t, LEAVES)];
    e->priority = (int32_t)below(t, 3);
    e->flags = below(t, 2) ? SKED_JOB_RETRY : 0;
    if (may(t, HAS_FLAGS) && below(t, 2)) e->flags |= flags[below(t, 8)];
    if (!may(t, HAS_CHARGES)) return;
    if (below(t, 3)) w->charge.first = t->limited[0][below(t, 2)];
    if (below(t, 3)) w->charge.second = t->limited[1][below(t, 2)];
}

/*
 * A gang over nodes. No truth holds kill orders, which one with _TOGETHER gets by
 * itself, nor whether an ask that no node holds stands in line (where one did when
 * it came) or waits apart.
 */
static inline void draw_spread(twins *t, said *w)
{
    sked_event *e = &w->event;
    int rest = may(t, HAS_REST);

    e->flags |= SKED_ASK_GANG | SKED_ASK_SPREAD;
    w->gang.per_node = (uint32_t)below(t, 3);
    if (!rest) e->count = 1 + e->count % 2;
    if (!rest && w->gang.per_node == 1) w->gang.per_node = 2;
    if (rest && below(t, 4) == 0) e->flags |= SKED_ASK_TOGETHER;
    if (below(t, 3)) return;
    w->gang.same = 1;
    if (!rest || below(t, 2)) e->flags |= SKED_ASK_PREFER_SAME;
}

static inline void draw_ask(twins *t, said *w)
{
    static const uint32_t flags[] = {SKED_ASK_MASTER, SKED_ASK_PLACE_PACK,
                                     SKED_ASK_PLACE_SCORE, SKED_ASK_WAIT};
    sked_event *e = &w->event;

    e->kind = SKED_EVENT_ASK_ADD;
    e->key = ++t->asks;
    e->owner = some_job(t);
    e->partition = (uint32_t)below(t, 2);
    if (below(t, 3) == 0) e->partition = SKED_ANY_PARTITION;
    e->priority = (int32_t)below(t, 2);
    if (may(t, HAS_GANGS) && below(t, 3) == 0) {
        draw_spread(t, w);
    } else if (below(t, 5) == 0) { /* every step fits every node */
        e->flags |= SKED_ASK_GANG;
        e->count = 1 + e->count % 2;
    }
    if (may(t, HAS_GANGS) && !(e->flags & SKED_ASK_GANG && !w->gang.per_node) &&
        below(t, 4) == 0) {
        e->flags |= SKED_ASK_EXCLUSIVE;
    }
    if (below(t, 2) == 0) e->flags |= SKED_ASK_WAIT;
    if (may(t, HAS_FLAGS) && below(t, 2)) e->flags |= flags[below(t, 4)];
    if (below(t, 6) == 0) e->places = 1 + (uint32_t)below(t, LIST_ROWS);
    if (!(e->flags & SKED_ASK_GANG) && below(t, 4) == 0) {
        e->flags |= SKED_ASK_KEEP; /* also while nothing of it is open */
        e->count = (int64_t)below(t, 3);
    }
    if (e->places && may(t, HAS_PLACES)) {
        w->counted = (int)below(t, 2);
        if (below(t, 3) == 0) e->flags |= SKED_ASK_STRICT;
    }
}

static inline said draw_event(twins *t)
{
    said w = {.event = {.amount = 1, .count = 1 + (int64_t)below(t, 5)},
              .moment = SKED_UNSET};
    sked_event *e = &w.event;
    uint64_t what = below(t, 20);

    for (int k = 0; k < KINDS; k++) w.amounts[k] = (int64_t)below(t, 4);
    e->key = 1 + below(t, 5);
    if (draw_more(t, &w)) return w;
    if (what < 8) {
        e->kind = SKED_EVENT_HEARTBEAT;
    } else if (what < 10) {
        draw_node(t, &w);
    } else if (what < 12) {
        draw_job(t, &w);
    } else if (what < 16) {
        draw_ask(t, &w);
    } else if (what < 18) {
        e->kind = below(t, 3) ? SKED_EVENT_ASK_CHANGE : SKED_EVENT_ASK_WITHDRAW;
        e->key = some_ask(t);
    } else {
        e->kind = below(t, 5) ? SKED_EVENT_JOB_UPDATE : SKED_EVENT_JOB_FINISH;
        e->key = some_job(t);
        e->priority = (int32_t)below(t, 3);
        if (below(t, 3) == 0) e->queue = t->leaf[below(t, LEAVES)];
    }
    return w;
}

/* One that was started: as a rule one that is there still. */
static inline size_t some_group(twins *t, const side *s)
{
    size_t at = 0;

    for (int i = 0; i < 8 && s->groups; i++) {
        at = (size_t)below(t, s->groups);
        if (skedi_group_find(s->engine, s->group[at]) != SKEDI_NONE) break;
    }
    return at;
}

/* Or one about tasks; `*at` is the group that it may name. */
static inline said draw_any(twins *t, const side *s, size_t *at)
{
    said w = draw_event(t);

    *at = some_group(t, s);
    if (below(t, 5) == 0) {
        w = (said){.moment = SKED_UNSET};
        draw_task(t, s, &w.event);
    }
    return w;
}

/* One event to one engine alone. */
static inline void live(twins *t, side *s)
{
    size_t at;
    said w = draw_any(t, s, &at);

    if (names_group(&w.event)) w.event.key = name_of(s, at);
    t->now += 1 + (sked_time)below(t, 3); /* no two jobs at one moment */
    w.event.time = t->now;
    (void)!tell(s, &w);
    (void)hear(s, NULL, 0);
}

#endif
