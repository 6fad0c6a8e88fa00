/* Draws what wants to run in a world. */
#include "world.h"

static int32_t some_leaf(const world *w, world_source *s)
{
    uint32_t row = (uint32_t)world_below(s, w->rows);

    while (!world_is_leaf(w, row)) row = (row + 1) % w->rows;
    return (int32_t)row;
}

static int is_guaranteed(const world *w, int32_t row)
{
    const world_queue *q = &w->queue[row];

    return q->has[0] || q->number[SKED_QUEUE_GUARANTEE_PPM] > 0;
}

static void draw_job(world *w, world_source *s)
{
    world_job *job = &w->job[w->jobs++];

    job->late = (uint8_t)world_percent(s, 50);
    job->queue = some_leaf(w, s);
    for (int i = 0; i < 2; i++) { /* what is guaranteed comes late, as a rule */
        if (is_guaranteed(w, job->queue) == job->late) break;
        job->queue = some_leaf(w, s);
    }
    job->user = (uint32_t)world_below(s, WORLD_USERS);
    job->priority = world_percent(s, 30) ? (int32_t)world_from(s, -1, 2) : 0;
    if (world_percent(s, 8)) job->flags |= SKED_JOB_FIXED;
    if (world_percent(s, 10)) job->flags |= SKED_JOB_KEEPS;
    if (world_percent(s, 20)) job->flags |= SKED_JOB_RETRY;
}

int64_t world_tasks_held(const world *w, const world_ask *a)
{
    int64_t most = 1000;

    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t n = 0; n < w->nodes; n++) sum += w->node[n].capacity[k];
        if (a->amount[k] > 0 && sum / a->amount[k] < most) {
            most = sum / a->amount[k];
        }
    }
    return most;
}

static void draw_amount(world *w, world_source *s, world_ask *a)
{
    const int64_t *size = w->node[world_below(s, w->nodes)].capacity;
    int64_t parts = world_percent(s, 80) ? 8 : 2; /* of a node */
    int64_t sum = 0;
    uint32_t k;

    for (k = 0; k < w->kinds; k++) {
        int64_t most = (int32_t)k == w->plenty ? size[k] / 50 : size[k];
        most = most / parts > 0 ? most / parts : 1;
        a->amount[k] = world_percent(s, 80) ? world_from(s, 1 + most / 4, most)
                                            : 0;
        sum += (int32_t)k == w->plenty ? 0 : a->amount[k];
    }
    k = w->plenty == 0;
    if (sum == 0) a->amount[k] = 1 + size[k] / 9; /* few, not thousands */
}

static void draw_ask(world *w, world_source *s, int32_t job)
{
    static const int64_t times[] = {1, 10, 30, 100, 10000}; /* tenths */
    world_ask *a = &w->ask[w->asks++];

    a->job = job;
    draw_amount(w, s, a);
    a->count = world_tasks_held(w, a) * times[w->backlog] / 10;
    a->count = 1 + a->count / (world_percent(s, 50) ? 1 : 4);
    a->partition = world_percent(s, 12) ? SKED_ANY_PARTITION
                                        : (uint32_t)world_below(s, w->parts);
    if (world_percent(s, 15)) a->priority = (int32_t)world_from(s, -1, 1);
    if (world_percent(s, 8)) {
        a->flags |= SKED_ASK_GANG;
        a->count = world_from(s, 1, 4);
    }
    if (world_percent(s, 12)) {
        a->flags |= SKED_ASK_MASTER;
        if (a->count > 3) a->count = world_from(s, 1, 3);
    }
    if (world_percent(s, 8)) {
        a->places = 1 + (uint32_t)world_below(s, (1u << w->nodes) - 1);
        if (world_percent(s, 30)) a->flags |= SKED_ASK_STRICT;
    }
}

void world_draw_work(world *w, world_source *s)
{
    uint32_t jobs = 3 + (uint32_t)world_below(s, WORLD_JOBS - 2);

    w->backlog = (1 + (uint32_t)world_below(s, 8)) / 2; /* seldom 0 */
    while (w->jobs < jobs) {
        draw_job(w, s);
        draw_ask(w, s, (int32_t)w->jobs - 1);
        if (w->asks + jobs - w->jobs < WORLD_ASKS && world_percent(s, 25)) {
            draw_ask(w, s, (int32_t)w->jobs - 1);
        }
    }
}
