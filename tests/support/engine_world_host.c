/* What hosts say that find a cluster at work. */
#include "engine_world.h"

void world_host(engine_world *w)
{
    w->hosted = 1;
}

/* One of the keys given out lately, or none. */
static uint64_t some_key(engine_world *w, uint64_t last, uint64_t window)
{
    uint64_t back = world_below(w, window);

    return back < last ? last - back : world_below(w, 2);
}

/* A job that was submitted before, or an ask whose numbers go on higher. */
static void draw_earlier(engine_world *w)
{
    if (world_below(w, 2)) {
        w->moment = w->now - (sked_time)world_below(w, 100) * w->tick + 2;
    }
    if (world_below(w, 2)) w->task = (int64_t)world_below(w, 40);
}

/* A refusal with a scope, for a time, or of some tasks only. */
static void draw_refusal(engine_world *w)
{
    static const uint32_t scopes[] = {0,
                                      0,
                                      SKED_REFUSE_ASK,
                                      SKED_REFUSE_ASK,
                                      SKED_REFUSE_JOB,
                                      SKED_REFUSE_NODE};
    world_group none = {world_below(w, 5), 1};
    const world_group *g = w->groups ? &w->group[world_below(w, w->groups)]
                                     : &none;

    w->event.kind = SKED_EVENT_TASK_REFUSE;
    w->event.key = g->name;
    w->event.count = world_below(w, 3) ? 1 : g->count;
    w->event.flags = scopes[world_below(w, 6)];
    if (w->spread && world_below(w, 3) == 0) {
        w->event.flags |= SKED_TASK_ALL;
        w->event.key = w->started;
        w->event.count = 0;
    }
    if (world_below(w, 3) == 0) w->event.flags |= SKED_REFUSE_SOME;
    if (world_below(w, 40) == 0) w->event.flags = (uint32_t)world_below(w, 20);
    if (world_below(w, 2)) {
        w->moment = w->now + (sked_time)world_below(w, 60) * w->tick;
    }
}

static void draw_own_amounts(engine_world *w)
{
    for (int k = 0; k < WORLD_KINDS; k++) {
        w->amounts[k] = (int64_t)world_below(w, world_below(w, 5) ? 8 : 40);
    }
    if (world_below(w, 60) == 0) {
        w->amounts[world_below(w, WORLD_KINDS)] = SKED_AMOUNT_MAX;
    }
    w->event.amount = world_below(w, 40) ? 1 : 2;
}

static void draw_running(engine_world *w)
{
    w->event.kind = SKED_EVENT_TASK_RUNNING;
    w->event.key = world_below(w, 40) ? 1 + world_below(w, w->nodes) : 0;
    w->event.owner = some_key(w, w->asks, 16);
    if (w->alone && world_below(w, 2)) w->event.owner = w->formed;
    w->event.count = 1 + (int64_t)world_below(w, world_below(w, 4) ? 3 : 12);
    if (world_below(w, 40) == 0) w->event.count = (int64_t)world_below(w, 2);
    if (world_below(w, 100) == 0) w->event.count = INT64_C(1) << 31;
    if (world_below(w, 3) == 0) {
        w->moment = w->now - (sked_time)world_below(w, 40) * w->tick;
    }
    if (world_below(w, 60) == 0) w->moment = w->now + 1000;
    if (world_below(w, 60) == 0) w->moment = w->now - SKED_TIME_JUMP_MAX - 1;
    if (world_below(w, 3) == 0) w->task = (int64_t)world_below(w, 24);
    if (world_below(w, 60) == 0) w->task = (int64_t)world_below(w, 3) - 2;
    if (world_below(w, 60) == 0) w->task = SKED_AMOUNT_MAX;
    if (world_below(w, 4) == 0) draw_own_amounts(w);
}

/* Tasks that hold other amounts, also once they are confirmed. */
static void draw_resize(engine_world *w)
{
    world_group none = {world_below(w, 5), 1};
    const world_group *g = w->groups ? &w->group[world_below(w, w->groups)]
                                     : &none;

    w->event.kind = world_below(w, 3) ? SKED_EVENT_TASK_RESIZE
                                      : SKED_EVENT_TASK_CONFIRM;
    w->event.key = g->name;
    w->event.flags = SKED_CONFIRM_ACTUAL;
    draw_own_amounts(w);
}

/* Tasks that are over for all but their node, and later for that too. */
static void draw_release(engine_world *w)
{
    world_group none = {world_below(w, 5), 1};
    const world_group *g = w->groups ? &w->group[world_below(w, w->groups)]
                                     : &none;

    w->event.kind = world_below(w, 3) ? SKED_EVENT_TASK_RELEASED
                                      : SKED_EVENT_TASK_FINISH;
    w->event.key = g->name;
    w->event.count = world_below(w, 20) ? 1 + (int64_t)world_below(w, 3)
                                        : (int64_t)world_below(w, 40) - 2;
    if (world_below(w, 40) == 0) w->event.flags = SKED_TASK_ALL;
}

static void draw_allowance(engine_world *w)
{
    static const uint32_t scopes[] = {0, SKED_REFUSE_ASK, SKED_REFUSE_JOB,
                                      SKED_REFUSE_NODE, SKED_REFUSE_SOME};

    w->event.kind = SKED_EVENT_ALLOW;
    w->event.flags = scopes[world_below(w, 5)];
    if (w->event.flags == SKED_REFUSE_ASK)
        w->event.key = some_key(w, w->asks, 8);
    if (w->event.flags == SKED_REFUSE_JOB)
        w->event.key = some_key(w, w->jobs, 8);
    if (w->event.flags == SKED_REFUSE_NODE) {
        w->event.key = world_below(w, w->nodes + 1);
    }
    if (world_below(w, 20) == 0) w->event.key++;
}

static void draw_exclusion(engine_world *w)
{
    int whole = world_below(w, 2) == 0;
    int32_t n = (int32_t)world_below(w, 4);

    w->event.kind = whole ? SKED_EVENT_JOB_EXCLUDE : SKED_EVENT_ASK_EXCLUDE;
    w->event.key = some_key(w, whole ? w->jobs : w->asks, 12);
    w->event.places = world_below(w, 40) ? 1 : (uint32_t)world_below(w, 3);
    for (int32_t i = 0; i < n; i++) {
        w->places[i] = 1 + world_below(w, w->nodes + 1);
    }
    w->offsets[1] = n;
}

int world_draw_host(engine_world *w)
{
    uint64_t what = world_below(w, 100);

    w->more_flags = world_below(w, 3) == 0 ? SKED_ASK_WAIT : 0;
    if (what < 8)
        draw_running(w);
    else if (what < 16)
        draw_refusal(w);
    else if (what < 18)
        draw_allowance(w);
    else if (what < 21)
        draw_exclusion(w);
    else if (what < 26)
        draw_resize(w);
    else if (what < 30)
        draw_release(w);
    else if (what < 49)
        draw_earlier(w);
    return what < 30;
}
