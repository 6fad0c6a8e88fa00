/* What the hosts of random worlds say. */
#include "engine_world.h"

#include "base/arith.h"
#include "tree/image.h"

/* A leaf of the last commit, as a rule. */
static sked_queue_id any_leaf(engine_world *w)
{
    const skedi_image *image = skedi_tree_image(w->tree);
    uint64_t at = world_below(w, image->n_leaves);

    return world_below(w, 30) ? image->id[image->leaf[at]] : world_queue(w);
}

/* One of the keys given out lately, or any, or none. */
static uint64_t recent_key(engine_world *w, uint64_t last, uint64_t window)
{
    uint64_t back = world_below(w, 20) ? world_below(w, window)
                                       : world_below(w, last + 2);

    return back < last ? last - back : 0;
}

/* The next key as a rule, or one that may be taken. */
static uint64_t fresh_key(engine_world *w, uint64_t *last)
{
    return world_below(w, 10) ? ++*last : recent_key(w, *last, 8);
}

static void draw_amounts(engine_world *w, uint64_t most)
{
    for (int k = 0; k < WORLD_KINDS; k++) {
        w->amounts[k] = world_below(w, 3) ? (int64_t)world_below(w, most + 1)
                                          : 0;
    }
    if (world_below(w, 300) == 0)
        w->amounts[world_below(w, WORLD_KINDS)] = INT64_MIN;
    if (world_below(w, 300) == 0)
        w->amounts[world_below(w, WORLD_KINDS)] = SKED_AMOUNT_MAX;
    w->event.amount = world_below(w, 300) ? 1 : (uint32_t)world_below(w, 4);
}

static void draw_places(engine_world *w)
{
    uint32_t n = (uint32_t)world_below(w, 4);
    uint64_t first = world_below(w, w->nodes + 1);

    if (n > w->nodes + 1) n = w->nodes + 1; /* each is named once */
    if (world_below(w, 3)) return;
    w->event.places = world_below(w, 100) ? 1 : 2;
    for (uint32_t i = 0; i < n; i++)
        w->places[i] = 1 + (first + i) % (w->nodes + 1);
    w->offsets[1] = (int32_t)n;
    if (world_below(w, 2)) return;
    w->batch.place_tasks = w->place_tasks;
    for (uint32_t i = 0; i < n; i++) {
        w->place_tasks[i] = (uint32_t)world_below(w, 6);
    }
    uint64_t odd = world_below(w, 200);
    if (odd < 2) w->place_tasks[0] = (uint32_t)INT32_MAX + (odd == 0);
}

static void draw_node(engine_world *w)
{
    static const int32_t kinds[] = {
        SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_UP,    SKED_EVENT_NODE_UP,
        SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_DOWN,  SKED_EVENT_NODE_CHANGE,
        SKED_EVENT_NODE_CHANGE, SKED_EVENT_NODE_DRAIN, SKED_EVENT_NODE_RESUME};

    w->event.kind = kinds[world_below(w, 9)];
    w->event.key = world_below(w, 40) ? 1 + world_below(w, w->nodes) : 0;
    w->event.owner = world_below(w, 4);
    w->event.partition = (uint32_t)world_below(w, w->partitions);
    draw_amounts(w, 60);
    for (int k = 0; w->preempts && k < WORLD_KINDS; k++) {
        if (w->amounts[k] >= 0 && w->amounts[k] < 20) w->amounts[k] += 20;
    }
    for (int k = 0; w->pooled && k < WORLD_KINDS; k++) {
        if (w->pooled >> k & 1 && world_below(w, 60)) w->amounts[k] = 0;
    }
}

/* What a partition has beside its nodes. */
static void draw_pool(engine_world *w)
{
    w->event.kind = SKED_EVENT_POOL;
    for (int k = 0; k < WORLD_KINDS; k++) {
        int mine = w->pooled >> k & 1;
        w->amounts[k] = mine ? (int64_t)world_below(w, 200) : 0;
        if (world_below(w, 60) == 0) w->amounts[k] = SKED_AMOUNT_MAX / 2;
    }
}

static void draw_job(engine_world *w)
{
    uint64_t what = world_below(w, w->crowded && world_below(w, 8) ? 15 : 20);

    w->event.kind = what < 11   ? SKED_EVENT_JOB_SUBMIT
                    : what < 15 ? SKED_EVENT_JOB_UPDATE
                    : what < 17 ? SKED_EVENT_JOB_CANCEL
                                : SKED_EVENT_JOB_FINISH;
    w->event.key = what < 11 ? fresh_key(w, &w->jobs)
                             : recent_key(w, w->jobs, 16);
    w->event.owner = world_below(w, 200) ? world_below(w, w->users)
                                         : UINT64_MAX;
    w->event.flags = world_below(w, 100) ? (uint32_t)world_below(w, 2) : 64;
    if (w->hosted && w->more_flags && world_below(w, 3) == 0) {
        w->event.flags |= SKED_JOB_ADMITTED;
    }
    if (w->preempts) {
        w->event.flags |= world_below(w, 6) ? 0 : SKED_JOB_FIXED;
        w->event.flags |= world_below(w, 6) ? 0 : SKED_JOB_KEEPS;
        w->event.flags |= w->event.owner % 3 ? 0 : SKED_JOB_REVOCABLE;
    }
    if (w->classed && w->event.kind == SKED_EVENT_JOB_SUBMIT) {
        static const uint32_t class[] = {SKED_JOB_FIXED,
                                         SKED_JOB_CONTROLLER,
                                         SKED_JOB_REVOCABLE,
                                         SKED_JOB_FIXED | SKED_JOB_CONTROLLER,
                                         0,
                                         0};
        w->event.flags |= class[world_below(w, 6)];
    }
    w->event.priority = (int32_t)world_below(w, 4) - 2;
    int priority = w->event.kind == SKED_EVENT_JOB_UPDATE && world_below(w, 2);
    if (!priority) w->event.queue = any_leaf(w);
    if (w->limits[0]) world_draw_charge(w);
}

void world_classes(engine_world *w)
{
    w->classed = 1;
}

void world_spread(engine_world *w)
{
    w->spread = 1;
}

void world_form(engine_world *w)
{
    w->spread = w->forms = 1;
}

void world_weigh(engine_world *w)
{
    w->weighed = 1;
}

void world_exact(engine_world *w)
{
    w->spread = w->exact = 1;
}

void world_exclude_others(engine_world *w)
{
    w->alone = 1;
}

void world_place(engine_world *w)
{
    w->placing = 25;
}

static void draw_mode(engine_world *w)
{
    uint64_t mode = world_below(w, 9);

    if (mode < 5) w->event.flags |= (uint32_t)SKED_ASK_PLACE_FIRST << mode;
    if (world_below(w, 100) == 0) w->event.flags |= SKED_ASK_PLACE_PACK;
}

/* A gang over nodes, as a rule one that may be, and on several. */
static void draw_spread(engine_world *w)
{
    if (w->racked) /* or no rack holds it */
        w->event.count = skedi_i64_min(w->event.count,
                                       2 + (int64_t)world_below(w, 6));
    uint64_t most = (uint64_t)(w->event.count < 100 ? w->event.count : 100);

    w->event.flags |= SKED_ASK_SPREAD;
    if (world_below(w, 40)) w->event.flags |= SKED_ASK_GANG;
    if (world_below(w, 3) == 0) w->event.flags |= SKED_ASK_TOGETHER;
    if (world_below(w, 4) == 0) return;
    w->batch.gangs = &w->gang;
    w->gang = (sked_event_gang){.per_node = (uint32_t)world_below(w, 4)};
    if (world_below(w, 2)) {
        w->gang.at_once = (uint32_t)world_below(w, most + 1);
    }
    if (world_below(w, 20) < (w->ruled | w->racked ? 14 : 1)) w->gang.same = 1;
    if (w->gang.same && w->event.count % 2) {
        w->event.flags |= SKED_ASK_PREFER_SAME;
    }
    switch (world_below(w, 200)) {
    case 2: w->event.flags ^= SKED_ASK_PREFER_SAME; break;
    case 0: w->gang.at_once = (uint32_t)w->event.count + 1; break;
    case 1: w->gang.per_node = (uint32_t)INT32_MAX + 1; break;
    }
}

/* One that is to have nodes to itself, as a rule one that may be. */
static void draw_exclusive(engine_world *w)
{
    w->event.flags |= SKED_ASK_EXCLUSIVE;
    if (world_below(w, 40) == 0) return;
    if (!(w->event.flags & SKED_ASK_SPREAD)) {
        w->event.flags &= ~(uint32_t)SKED_ASK_GANG;
        return;
    }
    w->batch.gangs = &w->gang;
    if (world_below(w, 2)) { /* or as it was drawn, several on a node */
        w->gang.per_node = 1;
        w->event.count = skedi_i64_min(w->event.count, 3);
    } else {
        w->event.count = skedi_i64_min(w->event.count, 8);
        w->gang.at_once = 0;
    }
    w->gang.at_once = (uint32_t)skedi_i64_min(w->gang.at_once, w->event.count);
}

/* One of which nodes take alike, as a rule one that may be. */
static void draw_exact(engine_world *w)
{
    uint32_t each = 1 + (uint32_t)world_below(w, 3);
    int64_t most = 1 + (int64_t)world_below(w, 4);

    w->event.flags |= SKED_ASK_EXACT;
    if (world_below(w, 30) == 0) return;
    if (!w->batch.gangs) {
        w->event.flags ^= SKED_ASK_EXACT;
        return;
    }
    w->gang.per_node = each;
    w->event.count = skedi_i64_min(w->event.count, most) * each;
    w->gang.at_once = w->gang.at_once / each * each;
    w->gang.at_once = (uint32_t)skedi_i64_min(w->gang.at_once, w->event.count);
    if (w->alone && each > 1) w->gang.at_once = 0;
}

static void draw_ask(engine_world *w)
{
    uint64_t what = world_below(w, 20);

    w->event.kind = what < 14   ? SKED_EVENT_ASK_ADD
                    : what < 18 ? SKED_EVENT_ASK_CHANGE
                                : SKED_EVENT_ASK_WITHDRAW;
    w->event.key = what < 14 ? fresh_key(w, &w->asks)
                             : recent_key(w, w->asks, 24);
    w->event.owner = recent_key(w, w->jobs, 16);
    w->event.count = 1 + (int64_t)world_below(w, world_below(w, 4) ? 6 : 20);
    if (world_below(w, 200) == 0) {
        uint64_t power = world_below(
            w, 40);                  /* more than an ask may have, or few: */
        power += power > 8 ? 22 : 0; /* the twin starts them one by one */
        w->event.count = INT64_C(1) << power;
    }
    w->event.priority = (int32_t)world_below(w, 3);
    w->event.partition = (uint32_t)world_below(w, w->partitions);
    if (world_below(w, 4) == 0) w->event.partition = SKED_ANY_PARTITION;
    if (world_below(w, 400) == 0) w->event.partition = SKED_MAX_PARTITIONS;
    if (world_below(w, 5) == 0) w->event.flags |= SKED_ASK_GANG;
    if (w->spread && world_below(w, 2)) draw_spread(w);
    if (w->spread && world_below(w, 200) == 0) {
        w->event.flags ^= SKED_ASK_TOGETHER;
    }
    if (w->placing) draw_mode(w);
    if (world_below(w, 12) == 0) w->event.flags |= SKED_ASK_STRICT;
    if (world_below(w, 4) == 0) w->event.flags |= SKED_ASK_KEEP;
    if (world_below(w, 200) == 0) w->event.flags |= 256;
    if (world_below(w, 8) == 0) w->event.flags |= SKED_ASK_MASTER;
    w->event.flags |= w->more_flags;
    if (w->alone && world_below(w, 2)) draw_exclusive(w);
    if (w->exact && world_below(w, 3)) draw_exact(w);
    int small = w->event.flags & SKED_ASK_SPREAD && !w->placing &&
                world_below(w, 4);
    if (w->event.flags & SKED_ASK_KEEP && w->event.count == 1) {
        w->event.count = w->event.key & 1; /* of every other one nothing yet */
    }
    draw_amounts(w, small ? 3 : w->crowded ? 40 : world_below(w, 5) ? 6 : 30);
    draw_places(w);
}

/* Says it of all groups of an ask; what it knows of them is old then. */
static void draw_all_of_ask(engine_world *w)
{
    if (world_below(w, 5) == 0) w->event.kind = SKED_EVENT_TASK_KILLED;
    w->event.flags |= SKED_TASK_ALL;
    w->event.key = world_below(w, 2)   ? w->formed
                   : world_below(w, 2) ? w->started
                                       : recent_key(w, w->asks, 12);
    w->event.count = world_below(w, 40) == 0;
}

/* Does what a round said, or says more or less than that. */
static void draw_told(engine_world *w)
{
    size_t at = (size_t)world_below(w, w->n_told);
    world_group *g = &w->told[at];

    w->event.kind = SKED_EVENT_TASK_KILLED;
    w->event.key = g->name;
    w->event.count = world_below(w, 3) ? g->count : (int64_t)world_below(w, 4);
    g->count -= w->event.count;
    if (g->count <= 0) *g = w->told[--w->n_told];
}

static void draw_task(engine_world *w)
{
    uint64_t what = world_below(w, 20);
    world_group none = {world_below(w, 5), 1};
    world_group *g = w->groups ? &w->group[world_below(w, w->groups)] : &none;

    w->event.kind = what < 5    ? SKED_EVENT_TASK_CONFIRM
                    : what < 8  ? SKED_EVENT_TASK_REFUSE
                    : what < 16 ? SKED_EVENT_TASK_FINISH
                    : what < 18 ? SKED_EVENT_TASK_FAIL
                                : SKED_EVENT_TASK_LOST;
    if (w->spread && !w->placing && world_below(w, 5) == 0) {
        w->event.kind = SKED_EVENT_TASK_LOST;
        what = 19;
    }
    w->event.key = g->name;
    w->event.count = world_below(w, 3) ? g->count : (int64_t)world_below(w, 4);
    if (w->spread && world_below(w, 4) == 0) {
        draw_all_of_ask(w);
        return;
    }
    if (w->spread && world_below(w, 200) == 0) w->event.flags = 2;
    if (w->spread && w->n_told > 0 && world_below(w, 4) == 0) {
        draw_told(w);
        return;
    }
    if (what < 5) return;
    g->count -= w->event.count;
    if (g->count > 0 || world_below(w, 8) == 0) return;
    *g = w->group[w->groups ? w->groups - 1 : 0];
    if (w->groups) w->groups--;
}

/* What hosts say where there are rounds; 0: something else. */
static int draw_round(engine_world *w)
{
    uint64_t what = world_below(w, 100);

    if (what < 12) {
        w->event.kind = SKED_EVENT_ROUND;
    } else if (what < 22 && w->n_told > 0) {
        draw_told(w);
    } else if (what < 24 && w->groups > 0) {
        w->event.kind = SKED_EVENT_TASK_SAVED;
        w->event.key = w->group[world_below(w, w->groups)].name;
    } else if (what < 27 && w->groups > 0) {
        w->event.kind = what < 26 ? SKED_EVENT_TASK_COST : SKED_EVENT_TASK_ENDS;
        w->event.key = w->group[world_below(w, w->groups)].name;
        w->event.count = (int64_t)world_below(w, 8) - 1;
        w->moment = w->now + w->event.count * 5 * w->tick;
        w->batch.moments = &w->moment;
        if (world_below(w, 3) == 0) { /* of all that an ask runs on a node */
            w->event.flags = SKED_TASK_ON_NODE;
            w->event.owner = recent_key(w, w->asks, 12);
            w->event.key = 1 + world_below(w, w->nodes);
        }
    } else {
        return 0;
    }
    return 1;
}

static void draw_next(engine_world *w)
{
    uint64_t what = world_below(w, 100);

    w->event = (sked_event){.kind = SKED_EVENT_TICK};
    w->offsets[0] = w->offsets[1] = 0;
    w->batch = (sked_events){
        .struct_size = sizeof w->batch,
        .events = &w->event,
        .n = 1,
        .amounts = w->amounts,
        .n_amounts = 1,
        .place_offsets = w->offsets,
        .places = w->places,
        .n_places = 1,
    };
    w->moment = w->task = SKED_UNSET;
    if (w->hosted | w->ruled) w->batch.moments = &w->moment;
    if (w->hosted) {
        w->batch.tasks = &w->task;
    }
    if (world_below(w, 3) == 0)
        w->now += (sked_time)world_below(w, 12) * w->tick;
    if (w->crowded && world_below(w, 3) > 0) what = 70;
    if (w->preempts && what >= 40 && what < 48 && world_below(w, 4)) what = 70;
    if (w->preempts && what >= 78 && what < 98 && world_below(w, 2)) what = 0;
    w->event.time = world_below(w, 20) ? w->now
                                       : w->now - (sked_time)world_below(w, 20);
    if (world_below(w, 500) == 0) w->event.time = INT64_MAX - w->now;
    if (w->preempts && w->begun == w->nodes && draw_round(w)) return;
    if (w->hosted && w->begun == w->nodes && world_draw_host(w)) return;
    if (w->ruled && w->begun == w->nodes && world_draw_rule(w)) return;
    if (w->racked && w->begun == w->nodes && world_below(w, 40) == 0) {
        w->event.kind = SKED_EVENT_NODE_ATTRIBUTES;
        w->event.key = 1 + world_below(w, w->nodes);
        world_draw_rack(w);
        return;
    }
    if (w->weighed && w->begun == w->nodes && world_below(w, 12) == 0) {
        w->event.kind = SKED_EVENT_QUEUE_WEIGHT;
        w->event.queue = world_queue(w);
        w->event.count = (int64_t)world_below(w, 12) - 1;
        if (world_below(w, 8) == 0) w->event.count += UINT32_MAX - 5;
        return;
    }
    if (w->begun < w->nodes) {
        draw_node(w);
        w->event.kind = SKED_EVENT_NODE_UP;
        w->event.key = ++w->begun;
        if (w->ruled) world_draw_new_node(w);
        if (w->racked) world_draw_rack(w);
    } else if (what < 40) {
        w->event.kind = SKED_EVENT_HEARTBEAT;
        w->event.key = 1 + world_below(w, w->nodes);
    } else if (what < 48) {
        draw_node(w);
        if (w->pooled && world_below(w, 3) == 0) draw_pool(w);
    } else if (what < 60) {
        draw_job(w);
    } else if (what < 78) {
        draw_ask(w);
    } else if (what < 98) {
        draw_task(w);
    } else if (what < 99) {
        w->event.kind = (int32_t)world_below(w, 40) - 10;
    }
}

void world_hear(engine_world *w, const sked_decision *decision)
{
    if (decision->kind == SKED_DECISION_KILL && w->n_told < WORLD_TOLD) {
        w->told[w->n_told++] = (world_group){decision->group, decision->count};
    }
    if (decision->kind != SKED_DECISION_ALLOCATE) return;
    w->started = decision->ask;
    if (decision->reason == SKED_REASON_GANG) w->formed = decision->ask;
    size_t at = w->groups < WORLD_GROUPS ? w->groups++
                                         : (size_t)world_below(w, WORLD_GROUPS);
    w->group[at] = (world_group){decision->group, decision->count};
}

void world_next(engine_world *w)
{
    draw_next(w);
}
