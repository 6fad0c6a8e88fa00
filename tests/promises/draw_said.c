/* Draws weights that the host says anew, and amounts that are reserved for gangs
 * over nodes while they form. */
#include "world.h"

/* Only of queues to which the tree gives a weight. */
static void draw_weights(world *w, world_source *s)
{
    while (w->says < WORLD_SAYS && world_percent(s, 40)) {
        world_say *say = &w->say[w->says];
        say->queue = (int32_t)world_from(s, 1, (int64_t)w->rows - 1);
        say->round = (uint32_t)world_from(s, 0, 6);
        say->weight = world_from(s, 0, 5);
        if (w->queue[say->queue].number[SKED_QUEUE_WEIGHT] != 0) w->says++;
    }
}

static int may_be_spread(const world_ask *a)
{
    return !(a->flags & (SKED_ASK_GANG | SKED_ASK_MASTER)) && !a->apart &&
           !a->tagged && !a->adopt_on && !a->resize;
}

/* Some ask is a gang over nodes. */
static int has_spread(world *w, world_source *s)
{
    for (uint32_t i = 0; i < w->asks; i++) {
        if (w->ask[i].flags & SKED_ASK_SPREAD) return 1;
    }
    world_ask *a = &w->ask[world_below(s, w->asks)];
    if (!may_be_spread(a)) return 0;
    a->flags |= SKED_ASK_GANG | SKED_ASK_SPREAD;
    a->count = world_from(s, 2, 3 + (int64_t)w->nodes);
    a->per_node = (uint32_t)world_from(s, 0, 3);
    return 1;
}

void world_draw_said(world *w, world_source *s)
{
    draw_weights(w, s);
    if (w->calm || !world_percent(s, 35) || !has_spread(w, s)) return;
    w->options.form_nodes = (uint32_t)world_from(s, 1, WORLD_NODES);
    if (world_percent(s, 50))
        w->options.form_for_ns = world_from(s, 1, 8) * WORLD_STEP;
}
