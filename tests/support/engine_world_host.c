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

static void draw_running(engine_world *w)
{
    w->event.kind = SKED_EVENT_TASK_RUNNING;
    w->event.key = world_below(w, 40) ? 1 + world_below(w, w->nodes) : 0;
    w->event.owner = some_key(w, w->asks, 16);
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
}

/* A job that was submitted before, or an ask whose numbers go on higher. */
static void draw_earlier(engine_world *w)
{
    if (world_below(w, 2)) {
        w->moment = w->now - (sked_time)world_below(w, 100) * w->tick + 2;
    }
    if (world_below(w, 2)) w->task = (int64_t)world_below(w, 40);
}

int world_draw_host(engine_world *w)
{
    uint64_t what = world_below(w, 100);

    if (what < 12)
        draw_running(w);
    else if (what < 30)
        draw_earlier(w);
    return what < 12;
}
