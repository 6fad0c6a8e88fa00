/* What ends or changes by chance while a world runs. */
#include "host.h"

#include <string.h>

static uint64_t below(host *h, uint64_t n)
{
    return world_below(&h->chance, n);
}

/* The ask, its job or the node is refused for some rounds. */
static void refuse_wide(host *h, uint64_t name, uint32_t node, uint32_t ask)
{
    static const uint32_t flags[] = {SKED_REFUSE_ASK, SKED_REFUSE_JOB,
                                     SKED_REFUSE_NODE};
    sked_time until = h->now + (1 + (int64_t)below(h, 4)) * WORLD_STEP;
    uint64_t what = below(h, 3);
    const sked_event event = {.kind = SKED_EVENT_TASK_REFUSE,
                              .time = h->now,
                              .key = name,
                              .flags = flags[what]};

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        for (uint32_t a = 0; a < h->w->asks; a++) { /* nothing waits for it */
            int its = h->w->ask[a].job == h->w->ask[ask].job;
            if (a == ask ? what < 2 : its && what == 1) {
                h->b.reserved[n][a] = h->b.paid[n][a] = 0;
            }
        }
    }
    if (what == 0) h->b.ask_barred[ask] = until;
    if (what == 1) h->b.job_barred[h->w->ask[ask].job] = until;
    if (what == 2) h->b.node_barred[node] = until;
    host_send(h, &(sked_events){.struct_size = sizeof(sked_events),
                                .events = &event,
                                .n = 1,
                                .moments = &until});
}

void host_refuse(host *h, books_group *g)
{
    uint64_t name = g->name;
    uint32_t node = (uint32_t)g->node, ask = (uint32_t)g->ask;

    g->silent = below(h, 2) == 0; /* it runs out by itself */
    if (g->silent) return;
    host_end(h, g, g->count, 1);
    h->b.refused[node][ask] = 1;
    if (h->w->bars && below(h, 2) == 0) {
        refuse_wide(h, name, node, ask);
    } else {
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_REFUSE, .key = name});
    }
}

static int is_gang(const host *h, const books_group *g)
{
    return world_is_gang(&h->w->ask[g->ask]);
}

/* Some tasks of each group end and are wanted again; of a gang all. */
void host_end_some(host *h)
{
    for (uint32_t i = 0; i < h->b.groups; i++) {
        books_group *g = &h->b.group[i];
        int64_t count = 0;
        for (int64_t t = 0; t < g->count; t++) {
            count += below(h, SKED_PPM) < h->w->ends;
        }
        if (is_gang(h, g) && count > 0) count = g->count;
        if (count == 0) continue;
        uint64_t name = g->name;
        host_end(h, g, count, 1);
        host_say(h, (sked_event){.kind = SKED_EVENT_TASK_LOST,
                                 .key = name,
                                 .count = count});
    }
}

/* ---- One change ---- */

static void end_group(host *h)
{
    static const int32_t kinds[] = {SKED_EVENT_TASK_FINISH,
                                    SKED_EVENT_TASK_FAIL, SKED_EVENT_TASK_LOST};
    books_group *g = &h->b.group[below(h, h->b.groups ? h->b.groups : 1)];
    int32_t kind = kinds[below(h, 3)];

    if (g->count == 0) return;
    int64_t count = is_gang(h, g) ? g->count
                                  : 1 + (int64_t)below(h, (uint64_t)g->count);
    int retry = (h->w->job[h->w->ask[g->ask].job].flags & SKED_JOB_RETRY) != 0;
    int again = kind == SKED_EVENT_TASK_LOST ||
                (kind == SKED_EVENT_TASK_FAIL && retry);
    uint64_t name = g->name;
    host_end(h, g, count, again);
    host_say(h, (sked_event){.kind = kind, .key = name, .count = count});
}

int host_is_known(const host *h, uint32_t ask)
{
    const world_ask *a = &h->w->ask[ask];
    int64_t lives = h->b.open[ask];

    for (uint32_t n = 0; n < h->w->nodes; n++) lives += h->b.run[n][ask];
    return lives > 0 && !h->b.cancelled[a->job] && !h->b.rejected[ask];
}

static void change_ask(host *h)
{
    uint32_t a = (uint32_t)below(h, h->w->asks);
    int withdraw = below(h, 4) == 0;
    int64_t count = (int64_t)below(h, 8);

    if (!host_is_known(h, a) || h->w->ask[a].flags & SKED_ASK_GANG) return;
    if (withdraw) count = 0;
    h->b.open[a] = count;
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        if (h->b.reserved[n][a] > count) h->b.reserved[n][a] = count;
    }
    host_say(h, (sked_event){.kind = SKED_EVENT_ASK_CHANGE,
                             .key = a + 1,
                             .count = count});
}

static void change_job(host *h)
{
    uint32_t j = (uint32_t)below(h, h->w->jobs);
    int any = 0;

    for (uint32_t a = 0; a < h->w->asks; a++) {
        any |= h->w->ask[a].job == (int32_t)j && host_is_known(h, a);
    }
    if (!any) return;
    if (below(h, 4)) {
        h->b.job_priority[j] = (int32_t)below(h, 4) - 1;
        host_say(h, (sked_event){.kind = SKED_EVENT_JOB_UPDATE,
                                 .key = j + 1,
                                 .priority = h->b.job_priority[j]});
        return;
    }
    h->b.cancelled[j] = 1;
    for (uint32_t a = 0; a < h->w->asks; a++) {
        if (h->w->ask[a].job != (int32_t)j) continue;
        h->b.open[a] = 0;
        for (uint32_t n = 0; n < h->w->nodes; n++) h->b.reserved[n][a] = 0;
    }
    host_say(h, (sked_event){.kind = SKED_EVENT_JOB_CANCEL, .key = j + 1});
}

static void node_returns(host *h, uint32_t n)
{
    const world_node *node = &h->w->node[n];

    h->b.node_up[n] = h->b.node_open[n] = 1;
    h->b.node_barred[n] = 0;
    memcpy(h->b.free[n], node->capacity, sizeof *h->b.free);
    memset(h->b.reserved[n], 0, sizeof *h->b.reserved);
    books_resolve(&h->b);
    host_say_with(h,
                  (sked_event){.kind = SKED_EVENT_NODE_UP,
                               .key = n + 1,
                               .partition = h->b.part[n],
                               .owner = node->rack},
                  node->capacity, 0);
    host_zone(h, n);
}

static void change_node(host *h)
{
    uint32_t n = (uint32_t)below(h, h->w->nodes);
    uint64_t what = below(h, 3);

    if (!h->b.node_up[n]) {
        node_returns(h, n);
        return;
    }
    if (!h->b.node_open[n] && what == 1) {
        h->b.node_open[n] = 1;
        host_say(h, (sked_event){.kind = SKED_EVENT_NODE_RESUME, .key = n + 1});
        return;
    }
    /* Another capacity leaves what is kept there. */
    if (what != 1) memset(h->b.reserved[n], 0, sizeof *h->b.reserved);
    if (what == 0) {
        h->b.node_open[n] = 0;
        host_say(h, (sked_event){.kind = SKED_EVENT_NODE_DRAIN, .key = n + 1});
    } else if (what == 1) {
        host_say_with(
            h, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = n + 1},
            h->w->node[n].capacity, 0);
    } else {
        h->b.node_up[n] = h->b.node_open[n] = 0;
        host_drop_released(h, n);
        host_say(h, (sked_event){.kind = SKED_EVENT_NODE_DOWN, .key = n + 1});
        books_resolve(&h->b);
    }
}

/* What an ask would like is said anew, or it goes without; a node moves. */
static void change_likes(host *h)
{
    const world *w = h->w;
    uint32_t a = (uint32_t)below(h, w->asks);
    uint32_t places = (uint32_t)below(h, 1u << w->nodes);
    uint32_t racks = (uint32_t)below(h, 4), n = (uint32_t)below(h, w->nodes);

    switch (below(h, 6)) {
    case 0:
        if (h->b.node_up[n] && w->parts > 1) host_move(h, n, 1 - h->b.part[n]);
        break;
    case 1:
        if (host_is_known(h, a)) host_drop_soft(h, a);
        break;
    default:
        if (host_is_known(h, a)) {
            host_like(h, a, places, racks,
                      (places || racks) && below(h, 3) == 0);
        }
        break;
    }
}

void host_change(host *h)
{
    uint64_t changes = below(h, 4);

    while (changes-- > 0 && !h->failed) {
        switch (below(h, h->w->tells ? 12 : h->w->more ? 9 : 8)) {
        case 8: change_likes(h); break;
        case 9:
        case 10:
        case 11: host_change_tasks(h); break;
        case 0: change_ask(h); break;
        case 1: change_job(h); break;
        case 2:
            if (below(h, 3) == 0) change_node(h);
            break;
        case 3:
            if (!h->edited && h->w->edits > 0) host_edit(h);
            break;
        default: end_group(h); break;
        }
    }
}
