/* Draws rules, racks, nodes that move, and gangs over nodes; then what came
 * last. */
#include "world.h"

static uint32_t some_zones(world_source *s)
{
    return 1 + (uint32_t)world_below(s, (1u << WORLD_ZONES) - 1);
}

static void draw_soft(world_ask *a, world_source *s)
{
    for (int i = 0; i < WORLD_SOFT; i++) {
        a->soft[i].zones = world_percent(s, 70) ? some_zones(s) : 0;
        a->soft[i].weight = world_from(s, 0, 2);
        a->soft[i].until = world_percent(s, 30) ? world_from(s, 1, 5) : 0;
    }
}

/* What it would like besides nodes, and what it says anew. */
static void draw_likes(const world *w, world_source *s, world_ask *a)
{
    uint32_t nodes = 1u << w->nodes;

    if (world_percent(s, 10)) a->racks = 1 + (uint32_t)world_below(s, 3);
    if (a->racks && a->places && world_percent(s, 40))
        a->flags |= SKED_ASK_STRICT;
    a->anew = (uint8_t)world_percent(s, 8);
    if (!a->anew) return;
    a->then_places = (uint32_t)world_below(s, nodes);
    a->then_racks = world_percent(s, 50) ? a->racks
                                         : (uint32_t)world_below(s, 4);
    if (!a->then_places && !a->then_racks) return;
    a->then_strict = (uint8_t)world_percent(s, 40);
}

static void draw_spread(const world *w, world_source *s, world_ask *a)
{
    if (a->flags & SKED_ASK_MASTER) return;
    a->flags |= SKED_ASK_GANG | SKED_ASK_SPREAD;
    a->count = world_from(s, 2, 3 + (int64_t)w->nodes);
    if (world_percent(s, 40)) a->per_node = (uint32_t)world_from(s, 1, 3);
}

void world_draw_more(world *w, world_source *s)
{
    w->more = 1;
    for (uint32_t n = 0; n < w->nodes; n++) {
        world_node *node = &w->node[n];
        node->zone = 1u << world_below(s, WORLD_ZONES);
        if (w->parts < 2 || !world_percent(s, 20)) continue;
        node->then = NODE_MOVES;
        node->to = world_percent(s, 90) ? 1 - node->partition : node->partition;
    }
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (world_percent(s, 8)) draw_soft(a, s);
        if (w->calm) continue; /* nothing else may be in the way there */
        if (world_percent(s, 7)) a->zones = some_zones(s);
        draw_likes(w, s, a);
        if (world_percent(s, 7)) draw_spread(w, s, a);
    }
}

void world_lead_to_shares(world *w)
{
    int64_t kind = 0;

    while (w->ask[0].amount[kind] == 0) kind++;
    for (uint32_t row = 0; w->calm && row < w->rows; row++) {
        if (world_is_leaf(w, row)) continue;
        w->queue[row].number[SKED_QUEUE_FAIR_KIND] = kind;
    }
}

void world_draw_gangs(world *w, world_source *s)
{
    w->gangs = (uint32_t)world_from(s, 1, 3);
    for (uint32_t i = 0; i < w->asks; i++) {
        if (world_percent(s, 35)) draw_spread(w, s, &w->ask[i]);
    }
}

void world_draw_exact(world *w, world_source *s)
{
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (a->per_node < 2 || !world_percent(s, 60)) continue;
        a->flags |= SKED_ASK_EXACT;
        a->count += a->count % 2 ? 1 : 0;
        if (a->per_node == 3) a->count = 3 * (a->count / 4 + 1);
    }
}

void world_draw_last(world *w, world_source *s)
{
    if (w->calm) return;
    for (uint32_t i = 0; i < w->asks; i++) {
        world_ask *a = &w->ask[i];
        if (world_percent(s, 8)) a->flags |= SKED_ASK_WAIT;
        if (a->flags & SKED_ASK_GANG) continue;
        a->tagged = (uint8_t)world_percent(s, 25);
        if (!w->preempts && world_percent(s, 12))
            a->apart = (uint8_t)world_from(s, 1, 3);
    }
    if (w->mode != WORLD_CHANGES || !world_percent(s, 70)) return;
    w->bars = 1;
    if (!w->options.confirm_within_ns) {
        w->options.confirm_within_ns = 5 * WORLD_STEP;
    }
}
