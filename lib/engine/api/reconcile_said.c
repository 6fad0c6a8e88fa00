/*
 * When tasks that run end, and what they cost, beside what the truth says. A row
 * is of all that an ask runs on a node, so it differs where a group that runs
 * there, or will, has something else.
 */
#include "engine/api/reconcile.h"

#include "engine/columns.h"
#include "engine/alloc.h"

/* A moment that has passed by the time of the differences says nothing. */
static int64_t moment_ahead(const engine_recon *r, sked_time moment)
{
    return moment < r->now ? SKED_UNSET : moment;
}

/* What a row says, or the engine of a group: a moment or a cost. */
static int64_t value_of_row(const engine_recon *r, const sked_event *event)
{
    if (event->kind == SKED_EVENT_TASK_COST) return event->count;
    return moment_ahead(r, skedi_event_moment(r->in, event));
}

static int64_t value_of_group(const engine_recon *r, uint32_t group,
                              int32_t kind)
{
    const engine_notice *notice = skedi_notice_find(r->e, group);

    if (kind == SKED_EVENT_TASK_COST) return notice ? notice->cost : -1;
    return notice ? moment_ahead(r, notice->ends) : SKED_UNSET;
}

enum { ODD_RUNS = 1, ODD_PROPOSED = 2 };

/* What the engine's groups have: of those that run how many tasks as rows say. */
static void see_groups(engine_recon *r, uint32_t ask, int32_t kind)
{
    for (uint32_t g = ask_at(r->e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(r->e, g)->ask_next) {
        const engine_group *group = group_at(r->e, g);
        int proposal = skedi_group_is_proposal(r->e, g);
        if (r->said[group->node] == 0) continue;
        const sked_event *row = skedi_event_at(r->in, r->said[group->node] - 1);
        if (value_of_group(r, g, kind) != value_of_row(r, row)) {
            r->odd[group->node] |= proposal ? ODD_PROPOSED : ODD_RUNS;
        } else if (!proposal) {
            r->cover[group->node] += group->count;
        }
    }
}

/* Has all that is to run there what the row says, without it? */
static int said_is_same(const engine_recon *r, uint32_t node,
                        const sked_event *event)
{
    int64_t none = event->kind == SKED_EVENT_TASK_COST ? -1 : SKED_UNSET;
    int is_none = value_of_row(r, event) == none;

    if (node == SKEDI_NONE) return is_none;
    if (r->odd[node] & ODD_RUNS) return 0;
    return r->want[node] <= r->cover[node] ||
           (is_none && !(r->odd[node] & ODD_PROPOSED));
}

/* Says one kind of rows of an ask, where they differ. */
static void say_kind(engine_recon *r, uint32_t ask, uint64_t row, int32_t kind)
{
    for (uint32_t i = r->first_said[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        const sked_event *event = skedi_event_at(r->in, i);
        uint32_t node = ask == SKEDI_NONE ? ask : skedi_recon_node(r, i);
        if (event->kind != kind || said_is_same(r, node, event)) continue;
        (void)skedi_recon_say(r, kind, event->key,
                              node == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                                 : SKED_ENGINE_DIFFERS_OTHER,
                              i);
        if (r->out && kind == SKED_EVENT_TASK_ENDS) {
            r->out[r->n - 1].moment = value_of_row(r, event);
        }
    }
}

static void compare_kind(engine_recon *r, uint32_t ask, uint64_t row,
                         int32_t kind)
{
    uint32_t node, i;

    for (i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node != SKEDI_NONE)
            r->want[node] += skedi_event_at(r->in, i)->count;
    }
    for (i = r->first_said[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        if (skedi_event_at(r->in, i)->kind == kind) r->said[node] = i + 1;
    }
    if (ask != SKEDI_NONE) see_groups(r, ask, kind);
    say_kind(r, ask, row, kind);
    for (i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        r->want[node] = r->cover[node] = 0;
        r->said[node] = r->odd[node] = 0;
    }
}

void skedi_recon_said(engine_recon *r, uint64_t row)
{
    uint32_t ask = skedi_recon_ask(r, row);

    if (r->first_said[row] == SKEDI_NONE) return;
    compare_kind(r, ask, row, SKED_EVENT_TASK_ENDS);
    compare_kind(r, ask, row, SKED_EVENT_TASK_COST);
}
