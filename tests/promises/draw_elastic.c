/* Draws gangs over nodes that start with a part of their tasks, and such that are
 * worth nothing with fewer than start together. */
#include "world.h"

void world_draw_elastic(world *w, world_source *s)
{
    if (w->calm || !world_percent(s, 50)) return;
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (!(a->flags & SKED_ASK_SPREAD)) continue;
        if (world_percent(s, 50)) a->flags |= SKED_ASK_TOGETHER;
        if (a->count < 2 || !world_percent(s, 40)) continue;
        a->flags &= ~(uint32_t)SKED_ASK_EXACT;
        a->at_once = (uint32_t)world_from(s, 1, a->count - 1);
        if (world_percent(s, 50)) a->count += world_from(s, 1, 20);
    }
}
