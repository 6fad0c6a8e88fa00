/* Draws trees of limits, and where jobs are charged in them. */
#include "world.h"

/* A part of what all nodes have. */
static int64_t some_limit(const world *w, world_source *s, uint32_t k)
{
    int64_t sum = w->pool[0][k] + w->pool[1][k];

    for (uint32_t n = 0; n < w->nodes; n++) sum += w->node[n].capacity[k];
    return 1 + sum * world_from(s, 1, 10) / 10;
}

static void draw_bound(const world *w, world_source *s, world_bound *b)
{
    b->max_running = world_percent(s, 20) ? world_from(s, 1, 4) : SKED_UNSET;
    b->limited = (uint8_t)world_percent(s, 70);
    for (uint32_t k = 0; k < w->kinds; k++) {
        b->limit[k] = world_percent(s, 70) ? some_limit(w, s, k)
                                           : SKED_UNLIMITED;
    }
}

static void draw_tree(world *w, world_source *s, uint32_t t)
{
    w->bounds[t] = (uint32_t)world_from(s, 1, WORLD_BOUNDS);
    for (uint32_t i = 0; i < w->bounds[t]; i++) {
        world_bound *b = &w->bound[t][i];
        b->parent = (int32_t)i - 1;
        if (i > 1) b->parent = (int32_t)world_below(s, i);
        draw_bound(w, s, b);
    }
    for (uint32_t j = 0; j < w->jobs; j++) {
        if (!world_percent(s, 70)) continue;
        w->job[j].charged[t] = 1 + (uint32_t)world_below(s, w->bounds[t]);
    }
}

void world_draw_trees(world *w, world_source *s)
{
    if (w->calm || !world_percent(s, 25)) return;
    w->trees = (uint32_t)world_from(s, 1, WORLD_TREES);
    for (uint32_t t = 0; t < w->trees; t++) draw_tree(w, s, t);
}
