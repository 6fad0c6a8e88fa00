/* Draws gangs over nodes that are to share a value of an attribute, their zone. */
#include "world.h"

void world_draw_same(world *w, world_source *s)
{
    if (w->calm || !world_percent(s, 60)) return;
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (!(a->flags & SKED_ASK_SPREAD) || !world_percent(s, 50)) continue;
        a->same = 1;
        if (world_percent(s, 50)) a->flags |= SKED_ASK_PREFER_SAME;
    }
}
