/* Smaller worlds: one thing less at a time, as long as the promise breaks. */
#include "shrink.h"

#include <string.h>

typedef struct shrinking {
    world *w;
    host *h;
    int promise;
    uint32_t most_rounds, runs;
    int smaller; /* something went in this sweep */
} shrinking;

static int breaks(shrinking *s, const world *w)
{
    if (s->runs == 0) return 0;
    s->runs--;
    host_run(s->h, w, s->most_rounds, 0);
    return (int)(s->h->broken >> s->promise & 1);
}

static void try_one(shrinking *s, const world *next)
{
    if (memcmp(next, s->w, sizeof *next) == 0 || !breaks(s, next)) return;
    *s->w = *next;
    s->smaller = 1;
}

/* ---- Queues ---- */

/* Without a row that has no children; its work goes to its parent if that is a
 * leaf then, else away. */
static void without_queue(shrinking *s, int32_t row)
{
    world next = *s->w;

    if (row == 0 || !world_is_leaf(&next, (uint32_t)row)) return;
    int32_t up = next.queue[row].parent;
    memmove(&next.queue[row], &next.queue[row + 1],
            (next.rows - (uint32_t)row - 1) * sizeof *next.queue);
    next.rows--;
    for (uint32_t i = 0; i < next.rows; i++) {
        if (next.queue[i].parent > row) next.queue[i].parent--;
    }
    for (uint32_t j = 0; j < next.jobs; j++) {
        if (next.job[j].queue == row) next.job[j].queue = up;
        if (next.job[j].queue > row) next.job[j].queue--;
    }
    for (uint32_t a = 0; a < next.asks; a++) {
        int32_t leaf = next.job[next.ask[a].job].queue;
        if (!world_is_leaf(&next, (uint32_t)leaf)) next.ask[a].count = 0;
    }
    next.edits = next.says = 0;
    if (next.rows > 1) try_one(s, &next);
}

static void simpler_queue(shrinking *s, uint32_t row)
{
    for (int i = 1; i < WORLD_NUMBERS; i++) {
        world next = *s->w;
        int64_t *number = &next.queue[row].number[i];
        if (*number == SKED_UNSET) continue;
        *number = i == SKED_QUEUE_ORDER || i == SKED_QUEUE_APPS ? 0
                                                                : SKED_UNSET;
        try_one(s, &next);
    }
    for (int i = 0; i < WORLD_VECTORS; i++) {
        world next = *s->w;
        next.queue[row].has[i] = 0;
        try_one(s, &next);
    }
    for (int i = 0; i < WORLD_USERS; i++) {
        world next = *s->w;
        next.queue[row].user_weight[i] = SKED_UNSET;
        try_one(s, &next);
    }
}

/* ---- Nodes, kinds ---- */

static void without_node(shrinking *s)
{
    world next = *s->w;
    uint32_t gone;

    if (next.nodes == 1) return;
    gone = --next.nodes;
    for (uint32_t a = 0; a < next.asks; a++) {
        next.ask[a].places &= (1u << gone) - 1;
        next.ask[a].then_places &= (1u << gone) - 1;
    }
    if (next.parts > next.nodes) return;
    try_one(s, &next);
}

static void one_partition(shrinking *s)
{
    world next = *s->w;

    next.parts = 1;
    for (uint32_t n = 0; n < next.nodes; n++) next.node[n].partition = 0;
    for (uint32_t a = 0; a < next.asks; a++) next.ask[a].partition = 0;
    try_one(s, &next);
}

static void without_kind(shrinking *s)
{
    world next = *s->w;

    if (next.kinds == 1) return;
    next.kinds--;
    next.options.pooled = 0;
    for (uint32_t p = 0; p < WORLD_PARTS; p++) next.pool[p][next.kinds] = 0;
    for (uint32_t row = 0; row < next.rows; row++) {
        int64_t *kind = &next.queue[row].number[SKED_QUEUE_FAIR_KIND];
        if (*kind >= (int64_t)next.kinds) *kind = 0;
    }
    for (uint32_t a = 0; a < next.asks; a++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < next.kinds; k++) sum += next.ask[a].amount[k];
        if (sum == 0) next.ask[a].amount[0] = 1;
    }
    try_one(s, &next);
}

static void simpler_nodes(shrinking *s)
{
    for (uint32_t n = 0; n < s->w->nodes; n++) {
        world next = *s->w;
        next.node[n].then = NODE_STAYS;
        next.node[n].rack = 0;
        try_one(s, &next);
    }
    without_node(s);
    one_partition(s);
    without_kind(s);
}

/* ---- Work ---- */

static void no_same(world_ask *a)
{
    a->same = 0;
    a->flags &= ~(uint32_t)SKED_ASK_PREFER_SAME;
}

static void simpler_ask(shrinking *s, uint32_t a)
{
    for (int what = 0; what < 24; what++) {
        world next = *s->w;
        world_ask *x = &next.ask[a];
        world_job *job = &next.job[x->job];
        switch (what) {
        case 0: x->count = 0; break;
        case 1: x->flags = x->per_node = x->at_once = x->same = 0; break;
        case 23: no_same(x); break;
        case 21: x->at_once = 0; break;
        case 22: x->flags &= ~(uint32_t)SKED_ASK_TOGETHER; break;
        case 20: x->flags &= ~(uint32_t)SKED_ASK_EXCLUSIVE; break;
        case 2: x->places = 0; break;
        case 3: x->priority = 0; break;
        case 4: x->count = (x->count + 1) / 2; break;
        case 5: x->count = x->count > 1 ? x->count - 1 : x->count; break;
        case 6: job->flags = 0; break;
        case 7: job->priority = 0; break;
        case 8: x->racks = 0; break;
        case 9: x->zones = 0; break;
        case 10: x->soft[0] = (world_soft){0}; break;
        case 11: x->soft[1] = (world_soft){0}; break;
        case 12: x->anew = 0; break;
        case 13: x->tagged = 0; break;
        case 14: x->apart = 0; break;
        case 15: x->adopt_on = 0; break;
        case 16: x->resize = RESIZE_NEVER; break;
        case 17: x->cost = -1; break;
        case 18: x->ends = x->leaves = 0; break;
        default: job->user = 0; break;
        }
        if (x->per_node == 0 || x->count % x->per_node)
            x->flags &= ~(uint32_t)SKED_ASK_EXACT;
        if (x->at_once >= x->count) x->at_once = 0;
        try_one(s, &next);
    }
    for (uint32_t k = 0; k < s->w->kinds; k++) {
        world next = *s->w;
        int64_t sum = 0;
        next.ask[a].amount[k] = next.ask[a].amount[k] > 1 ? 1 : 0;
        for (uint32_t i = 0; i < next.kinds; i++) sum += next.ask[a].amount[i];
        if (sum > 0) try_one(s, &next);
    }
}

/* ---- Settings ---- */

/* The last row of trees that bounds anything bounds nothing; or no job is charged
 * in the first. */
static void bounds_less(world *w, int all)
{
    for (uint32_t j = 0; j < w->jobs && all && w->trees > 1; j++) {
        w->job[j].charged[0] = 0;
    }
    for (uint32_t t = w->trees; t-- > 0 && !all;) {
        for (uint32_t row = w->bounds[t]; row-- > 0;) {
            world_bound *b = &w->bound[t][row];
            if (!b->limited && b->max_running == SKED_UNSET) continue;
            if (b->limited)
                b->limited = 0;
            else
                b->max_running = SKED_UNSET;
            return;
        }
    }
}

static void simpler_settings(shrinking *s)
{
    for (int what = 0; what < 22; what++) {
        world next = *s->w;
        switch (what) {
        case 0: next.flags = 0; break;
        case 13:
            if (next.more_policies > 0) next.more_policies--;
            break;
        case 14: /* the second policy for the first */
            if (next.more_policies > 0) next.targets = next.more_targets[0];
            break;
        case 1: next.targets.flags = 0; break;
        case 2: next.targets.ignored_ppm = -1; break;
        case 3: next.targets.factor_ppm = SKED_PPM; break;
        case 4: next.targets.per_round_ppm = -1; break;
        case 5:
            if (next.targets.utilisation_ppm) next.targets.utilisation_ppm = -1;
            break;
        case 6: next.rounds.flags = 0; break;
        case 7: next.rounds.grace_ns = -1; break;
        case 8: next.slow = 0; break;
        case 9: next.edits = next.edits ? next.edits - 1 : 0; break;
        case 10: next.recommit = 0; break;
        case 15: next.says = next.says ? next.says - 1 : 0; break;
        case 16:
            next.options.form_nodes = 0;
            next.options.form_for_ns = 0;
            break;
        case 18: next.trees = next.trees ? next.trees - 1 : 0; break;
        case 19:
        case 20: bounds_less(&next, what == 20); break;
        case 12: next.beats = 0; break;
        default:
            next.options = (sked_engine_options){
                .struct_size = sizeof next.options,
                .pooled = next.options.pooled};
        }
        try_one(s, &next);
    }
}

void world_shrink(world *w, int promise, uint32_t most_rounds, uint32_t runs)
{
    static host h;
    shrinking s = {.w = w,
                   .h = &h,
                   .promise = promise,
                   .most_rounds = most_rounds,
                   .runs = runs,
                   .smaller = 1};

    while (s.smaller && s.runs > 0) {
        s.smaller = 0;
        for (uint32_t a = 0; a < w->asks; a++) {
            if (w->ask[a].count > 0) simpler_ask(&s, a);
        }
        for (uint32_t row = w->rows; row-- > 1;) {
            without_queue(&s, (int32_t)row);
        }
        for (uint32_t row = 0; row < w->rows; row++) simpler_queue(&s, row);
        simpler_nodes(&s);
        simpler_settings(&s);
    }
}
