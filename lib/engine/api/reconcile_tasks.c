/*
 * What is open and what runs of an ask. Groups that run cover what runs by the
 * truth on their nodes, then proposals do, each as a whole; what is not covered
 * the engine is to adopt, and what is left of the groups is over.
 */
#include "engine/api/reconcile.h"

#include "engine/columns.h"
#include "engine/alloc.h"

/* What would become of an ask that stays. */
typedef struct recon_plan {
    int64_t before;   /* open once nodes are gone */
    int64_t open;     /* and once tasks are adopted */
    int64_t proposed; /* tasks of proposals that stay such */
    int64_t extra;    /* tasks that do not run by the truth */
    int64_t adopted;  /* tasks to be adopted, at one place after the other */
    uint32_t places;  /* so many of them */
} recon_plan;

uint32_t skedi_recon_node(const engine_recon *r, uint32_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t node = skedi_keymap_get(&r->e->node_of, event->key);

    return node == SKEDI_NONE || r->node_goes[node] ? SKEDI_NONE : node;
}

/* So many tasks of a group are wanted where they are. */
static int64_t cover_with(engine_recon *r, uint32_t group)
{
    const engine_group *g = group_at(r->e, group);
    int whole = skedi_group_is_proposal(r->e, group);
    int64_t covered = skedi_i64_min(r->want[g->node], g->count);

    if (whole && covered < g->count) covered = 0;
    r->want[g->node] -= covered;
    r->cover[g->node] += covered;
    return covered;
}

int64_t skedi_recon_ends(const engine_recon *r, uint32_t group, int64_t count)
{
    return count + skedi_remains_of(r->e, skedi_group_name(r->e, group));
}

static void end_group(engine_recon *r, uint32_t group, int64_t count)
{
    sked_event *event = skedi_recon_say(r, SKED_EVENT_TASK_FINISH,
                                        skedi_group_name(r->e, group),
                                        SKED_ENGINE_DIFFERS_EXTRA, UINT64_MAX);

    if (event) event->count = skedi_recon_ends(r, group, count);
}

/* Goes through the groups of an ask that are proposals, or that are not. */
static void cover_groups(engine_recon *r, uint32_t ask, int proposals,
                         recon_plan *plan)
{
    for (uint32_t g = ask_at(r->e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(r->e, g)->ask_next) {
        int64_t count = group_at(r->e, g)->count;
        if (skedi_group_is_proposal(r->e, g) != proposals) continue;
        if (r->node_goes[group_at(r->e, g)->node]) {
            plan->open += count;
            continue;
        }
        int64_t left = count - cover_with(r, g);
        if (proposals && left == 0 && r->phase == RECON_RUNNING) {
            (void)skedi_recon_say(r, SKED_EVENT_TASK_CONFIRM,
                                  skedi_group_name(r->e, g),
                                  SKED_ENGINE_DIFFERS_OTHER, UINT64_MAX);
        }
        if (proposals) {
            plan->proposed += left;
        } else if (left > 0) {
            plan->extra += left;
            if (r->phase == RECON_EXTRA) end_group(r, g, left);
        }
    }
}

/* Says what runs that the engine does not know of. */
static void adopt_run(engine_recon *r, uint32_t run, int64_t count, int fresh)
{
    const sked_event *row = skedi_event_at(r->in, run);
    sked_event *event = skedi_recon_say(r, SKED_EVENT_TASK_RUNNING, row->key,
                                        SKED_ENGINE_DIFFERS_LACKS, run);

    if (!event) return;
    sked_engine_difference *d = (sked_engine_difference *)(void *)event;
    event->count = count;
    /* The engine gave numbers of its own to what it knew. */
    if (!fresh) d->task = SKED_UNSET;
}

/* What is not covered of one row: it is adopted. */
static void adopt_rest(engine_recon *r, uint32_t run, int fresh,
                       recon_plan *plan)
{
    int64_t count = skedi_event_at(r->in, run)->count;
    uint32_t node = skedi_recon_node(r, run);

    if (node != SKEDI_NONE && !fresh) {
        int64_t covered = skedi_i64_min(r->cover[node], count);
        r->cover[node] -= covered;
        count -= covered;
    }
    if (count == 0) return;
    if (r->phase == RECON_RUNNING) adopt_run(r, run, count, fresh);
    plan->adopted += count;
    plan->places++;
    plan->open -= skedi_i64_min(plan->open, count);
}

/* The whole of one ask, of which what belongs to this phase is said. */
static recon_plan plan_ask(engine_recon *r, uint32_t ask, uint64_t row)
{
    recon_plan plan = {.open = ask_at(r->e, ask)->open};

    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        uint32_t node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        r->want[node] += skedi_event_at(r->in, i)->count;
    }
    cover_groups(r, ask, 0, &plan);
    cover_groups(r, ask, 1, &plan);
    plan.before = plan.open;
    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        adopt_rest(r, i, 0, &plan);
    }
    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        uint32_t node = skedi_recon_node(r, i);
        if (node != SKEDI_NONE) r->want[node] = r->cover[node] = 0;
    }
    return plan;
}

/* So many should be open by the truth, beside what is proposed. */
static int64_t open_by_truth(const engine_recon *r, uint64_t row,
                             const recon_plan *plan)
{
    int64_t open = skedi_event_at(r->in, row)->count - r->runs[row];

    return skedi_i64_max(open - plan->proposed, 0);
}

int skedi_recon_fits(engine_recon *r, uint32_t ask, uint64_t row)
{
    recon_plan plan = plan_ask(r, ask, row);

    if (ask_at(r->e, ask)->closed) return plan.adopted == 0;
    if (plan.extra > 0) return 0;
    if (!r->withdrawn[row] && plan.open != open_by_truth(r, row, &plan)) {
        return 0;
    }
    /* A node that goes would take the rest of such a gang with it. */
    int falls = ask_at(r->e, ask)->flags & SKED_ASK_TOGETHER &&
                plan.before != ask_at(r->e, ask)->open;
    return plan.places == 0 || (plan.adopted == plan.before && !falls);
}

int skedi_recon_moves(engine_recon *r, uint32_t ask, uint64_t row)
{
    recon_plan plan = plan_ask(r, ask, row);

    return plan.places > 0 || plan.before != ask_at(r->e, ask)->open;
}

/* Another number of tasks is open, or none are wanted any more. */
static void see_count(engine_recon *r, uint32_t ask, uint64_t row,
                      const recon_plan *plan)
{
    uint64_t key = skedi_event_at(r->in, row)->key;
    int closed = ask != SKEDI_NONE && ask_at(r->e, ask)->closed;

    if (r->withdrawn[row]) {
        if (closed) return;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_WITHDRAW, key,
                              SKED_ENGINE_DIFFERS_OTHER, row);
        return;
    }
    if (ask == SKEDI_NONE) return;
    int64_t open = open_by_truth(r, row, plan);
    if (plan->open == open) return;
    sked_event *event = skedi_recon_say(r, SKED_EVENT_ASK_CHANGE, key,
                                        SKED_ENGINE_DIFFERS_OTHER, row);
    if (event) event->count = open;
}

void skedi_recon_tasks(engine_recon *r, uint64_t row)
{
    uint32_t ask = skedi_recon_ask(r, row);
    recon_plan plan = {0};

    for (uint32_t i = r->first_run[row]; ask == SKEDI_NONE && i != SKEDI_NONE;
         i = r->next_run[i]) {
        adopt_rest(r, i, 1, &plan);
    }
    if (ask != SKEDI_NONE) plan = plan_ask(r, ask, row);
    if (r->phase == RECON_COUNTS) see_count(r, ask, row, &plan);
}
