/* Draws tasks that have nodes to themselves. */
#include "world.h"

/* A gang on one node is none, and nothing of what they hold is said. */
static int may_be_alone(const world_ask *a)
{
    return !world_is_gang(a) && !a->resize;
}

void world_draw_alone(world *w, world_source *s)
{
    if (w->calm || !world_percent(s, 30)) return;
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (!may_be_alone(a) || !world_percent(s, 25)) continue;
        a->flags |= SKED_ASK_EXCLUSIVE;
        if (!(a->flags & SKED_ASK_SPREAD)) continue;
        a->flags &= ~(uint32_t)SKED_ASK_EXACT;
        a->per_node = 1;
    }
}
