/* Draws what hosts say of tasks that run, jobs that do not go on as they were
 * when tasks of them are killed, and kinds that lie on no node. */
#include "world.h"

/* The last kind is a part of no node: what nodes would have had of it partitions
 * have. */
static void draw_pool(world *w, world_source *s)
{
    uint32_t k = w->kinds - 1;

    if (w->kinds < 2 || !world_percent(s, 25)) return;
    w->options.pooled = 1u << k;
    for (uint32_t n = 0; n < w->nodes; n++) {
        w->pool[w->node[n].partition][k] += w->node[n].capacity[k];
        w->node[n].capacity[k] = 0;
    }
    for (uint32_t i = 0; i < w->asks; i++) {
        int64_t sum = 0;
        for (uint32_t j = 0; j < k; j++) sum += w->ask[i].amount[j];
        if (sum == 0) w->ask[i].amount[0] = 1 + w->node[0].capacity[0] / 9;
    }
}

/* Half of what the ask says to twice that, by kind. */
static void draw_actual(const world *w, world_source *s, world_ask *a)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < w->kinds; k++) {
        a->actual[k] = a->amount[k] * world_from(s, 1, 4) / 2;
        if (a->amount[k] == 0) a->actual[k] = world_percent(s, 20);
        sum += a->actual[k];
    }
    if (sum == 0) return;
    a->resize = world_percent(s, 60) ? RESIZE_RUNNING : RESIZE_CONFIRMED;
}

static void draw_tasks(const world *w, world_source *s, world_ask *a)
{
    if (world_percent(s, 8)) a->cost = world_from(s, 0, 20);
    if (world_percent(s, 6)) {
        a->ends = world_from(s, 1, 5);
        a->late = (uint8_t)world_percent(s, 30);
    }
    if (world_percent(s, 4)) a->leaves = world_from(s, 1, 4);
    if (a->flags & SKED_ASK_GANG) return;
    if (world_percent(s, 6)) draw_actual(w, s, a);
    if (world_percent(s, 4)) {
        a->adopt_on = (uint32_t)world_from(s, 1, (int64_t)w->nodes);
        a->adopt = world_from(s, 1, 4);
    }
}

void world_draw_told(world *w, world_source *s)
{
    int confirms = 0;

    for (uint32_t i = 0; i < w->asks; i++) w->ask[i].cost = -1;
    if (w->calm) return;
    w->tells = 1;
    draw_pool(w, s);
    for (uint32_t j = 0; j < w->jobs; j++) {
        if (world_percent(s, 6))
            w->job[j].flags |= SKED_JOB_ONCE;
        else if (world_percent(s, 6))
            w->job[j].flags |= SKED_JOB_READMIT;
    }
    for (uint32_t i = 0; i < w->asks; i++) {
        draw_tasks(w, s, &w->ask[i]);
        confirms |= w->ask[i].resize == RESIZE_CONFIRMED;
    }
    if (confirms && !w->options.confirm_within_ns) {
        w->options.confirm_within_ns = 5 * WORLD_STEP;
    }
}

void world_draw_revocable(world *w, world_source *s)
{
    uint64_t many = world_percent(s, 40) ? 50 : 15;

    for (uint32_t j = 0; j < w->jobs; j++) {
        if (world_percent(s, many)) w->job[j].flags |= SKED_JOB_REVOCABLE;
        if (world_percent(s, 10)) w->job[j].flags |= SKED_JOB_YIELDS;
    }
}
