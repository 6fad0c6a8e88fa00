/* What a host says of tasks that run, besides that they end: what they hold, that
 * they are over for their queues, when they end, what is lost with them; and what
 * becomes of those that are killed. */
#include "host.h"

#include <string.h>

enum { ACTUAL_UNTIL = 3 }; /* the last round in which more is held than asked */

void host_drift(host *h)
{
    h->drifted = 1;
    h->sharp = 0;
}

/* Nodes are not what they were when something was told to end there. */
static void change_nodes(host *h)
{
    memset(h->watch, 0, sizeof h->watch);
    host_drift(h);
}

/* ---- What runs already ---- */

static void adopt(host *h, uint32_t a, uint32_t n, int64_t count)
{
    const world_ask *ask = &h->w->ask[a];
    books *b = &h->b;

    if (!host_is_known(h, a) || !b->node_up[n]) return;
    if (ask->flags & SKED_ASK_GANG) return;
    if (world_is_alone(ask)) count = 1;
    if (b->open[a] < count) b->open[a] = count;
    if (ask->partition != SKED_ANY_PARTITION && ask->partition != b->part[n]) {
        h->strayed = 1;
    }
    h->adopting = 1;
    host_say(h, (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                             .key = n + 1,
                             .owner = a + 1,
                             .count = count});
    h->adopting = 0;
    change_nodes(h);
}

/* ---- What tasks hold ---- */

static void resize(host *h, books_group *g, int32_t kind)
{
    const world_ask *a = &h->w->ask[g->ask];
    int64_t more[WORLD_KINDS] = {0};
    int confirms = kind == SKED_EVENT_TASK_CONFIRM;

    for (uint32_t k = 0; k < h->w->kinds; k++) {
        more[k] = a->actual[k] - a->amount[k];
    }
    books_resize(&h->b, g, more);
    change_nodes(h);
    host_say_with(h,
                  (sked_event){.kind = kind,
                               .key = g->name,
                               .flags = confirms ? SKED_CONFIRM_ACTUAL : 0},
                  a->actual, 0);
}

void host_confirm(host *h, books_group *g)
{
    const world_ask *a = &h->w->ask[g->ask];

    g->confirmed = 1;
    if (a->resize == RESIZE_CONFIRMED &&
        (h->w->mode == WORLD_CHANGES || h->rounds <= ACTUAL_UNTIL)) {
        resize(h, g, SKED_EVENT_TASK_CONFIRM);
        return;
    }
    host_say(h, (sked_event){.kind = SKED_EVENT_TASK_CONFIRM, .key = g->name});
}

/* ---- Their end ---- */

static int is_proposal(const host *h, const books_group *g)
{
    return h->w->options.confirm_within_ns > 0 && !g->confirmed;
}

static void release(host *h, books_group *g, int64_t steps)
{
    host_released *r = h->released;
    sked_event event = {
        .kind = SKED_EVENT_TASK_RELEASED, .key = g->name, .count = g->count};

    while (r < h->released + HOST_RELEASED && r->count > 0) r++;
    if (r == h->released + HOST_RELEASED || is_proposal(h, g)) return;
    if (g->noticed + g->ending > 0) return; /* nothing is said of these then */
    *r = (host_released){.name = g->name,
                         .count = g->count,
                         .node = g->node,
                         .over = h->now + steps * WORLD_STEP};
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        r->amount[k] = (h->w->ask[g->ask].amount[k] + g->more[k]) * g->count;
    }
    books_release(&h->b, g);
    host_drift(h);
    host_say(h, event);
}

void host_drop_released(host *h, uint32_t node)
{
    for (host_released *r = h->released; r < h->released + HOST_RELEASED; r++) {
        if (r->node == (int32_t)node) r->count = 0;
    }
    memset(h->b.remains[node], 0, sizeof *h->b.remains);
}

static void say_ends(host *h, books_group *g, int64_t steps, int late)
{
    sked_event event = {
        .kind = SKED_EVENT_TASK_ENDS, .time = h->now, .key = g->name};

    g->until = h->now + steps * WORLD_STEP;
    g->over = g->until + (late ? 2 * WORLD_STEP : 0);
    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .moments = &g->until});
}

void host_end_due(host *h)
{
    for (host_released *r = h->released; r < h->released + HOST_RELEASED; r++) {
        int64_t count = r->count;
        if (count == 0 || h->now < r->over) continue;
        books_leave(&h->b, r->node, r->amount);
        r->count = 0;
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                 .key = r->name,
                                 .count = count});
    }
    for (uint32_t i = 0; i < h->b.groups; i++) {
        books_group *g = &h->b.group[i];
        int64_t count = g->count;
        uint64_t name = g->name;
        if (count == 0 || g->over == 0) continue;
        /* What others ended for, counting on it, may wait in vain. */
        if (h->now > g->until) memset(h->watch, 0, sizeof h->watch);
        if (h->now < g->over) continue;
        books_end(&h->b, g, count, 0);
        host_drift(h);
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                 .key = name,
                                 .count = count});
    }
}

/* ---- All of it ---- */

static void tell_group(host *h, books_group *g, const world_ask *a)
{
    if (a->cost >= 0) {
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_COST,
                                 .key = g->name,
                                 .count = a->cost});
    }
    if (a->ends > 0) say_ends(h, g, a->ends, a->late);
    if (a->resize == RESIZE_RUNNING) resize(h, g, SKED_EVENT_TASK_RESIZE);
    if (a->leaves > 0) release(h, g, a->leaves);
}

void host_tell_tasks(host *h)
{
    const world *w = h->w;

    for (uint32_t i = 0; w->tells && i < w->asks; i++) {
        const world_ask *a = &w->ask[i];
        if (a->adopt_on && !h->turned) adopt(h, i, a->adopt_on - 1, a->adopt);
    }
    for (uint32_t i = 0; w->tells && i < h->b.groups; i++) {
        books_group *g = &h->b.group[i];
        if (g->count > 0) tell_group(h, g, &w->ask[g->ask]);
    }
}

void host_change_tasks(host *h)
{
    const world *w = h->w;
    uint32_t a = (uint32_t)world_below(&h->chance, w->asks);
    uint32_t n = (uint32_t)world_below(&h->chance, w->nodes);
    uint64_t what = world_below(&h->chance, 5), some = h->b.groups;
    books_group *g = &h->b.group[world_below(&h->chance, some ? some : 1)];
    int64_t much = 1 + (int64_t)world_below(&h->chance, 3);

    if (what == 0) adopt(h, a, n, much);
    if (what == 0 || g->count == 0) return;
    switch (what) {
    case 1:
        if (w->ask[g->ask].resize) resize(h, g, SKED_EVENT_TASK_RESIZE);
        break;
    case 2: release(h, g, much); break;
    case 3: say_ends(h, g, much, much == 2); break;
    default:
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_COST,
                                 .key = g->name,
                                 .count = much - 2});
        break;
    }
}

/* ---- What ends and is wanted again ---- */

void host_end(host *h, books_group *g, int64_t count, int again)
{
    int gang = (h->w->ask[g->ask].flags & SKED_ASK_TOGETHER) != 0;
    int barred = gang && books_gang_ends(&h->b, g->ask);

    books_end(&h->b, g, count, again);
    if (barred || !books_in_line(&h->b, g->ask, h->b.part[g->node])) {
        host_drift(h);
    }
}

int host_wants_again(const host *h, const books_group *g)
{
    return g->together || /* no round of preemption killed these */
           !(h->w->job[h->w->ask[g->ask].job].flags & SKED_JOB_ONCE);
}

void host_readmit(host *h, uint32_t job)
{
    const world *w = h->w;
    int64_t runs = 0;

    if (w->job[job].flags & (SKED_JOB_ONCE | SKED_JOB_READMIT)) host_drift(h);
    if (!(w->job[job].flags & SKED_JOB_READMIT)) return;
    for (uint32_t a = 0; a < w->asks; a++) {
        if (w->ask[a].job != (int32_t)job) continue;
        for (uint32_t n = 0; n < w->nodes; n++) runs += h->b.run[n][a];
    }
    if (runs > 0) return;
    h->b.admitted[job] = 0;
    for (uint32_t a = 0; a < w->asks; a++) {
        if (w->ask[a].job != (int32_t)job) continue;
        for (uint32_t n = 0; n < w->nodes; n++) {
            if (h->b.paid[n][a]) h->watch[n] = (host_watch){0};
            h->b.reserved[n][a] = h->b.paid[n][a] = 0;
        }
    }
}
