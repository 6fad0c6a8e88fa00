/*
 * On which node a step finds its place. A node where nothing has to make way
 * goes first. Then nodes are tried from the cheapest on: what the cheapest
 * victim on a node costs, a plan there costs at least, and what it cost for a
 * like step it costs again; so the search ends as soon as what it found is no
 * dearer than the next could be. Victim classes stand in lists from the
 * cheapest victim on (classes.h): what is dear is never looked at.
 */
#include "engine/core/asks.h"
#include "engine/core/groups.h"
#include "engine/core/reservations.h"
#include "engine/core/notices.h"
#include "engine/core/refusal.h"
#include "engine/core/same.h"
#include "engine/order/sets.h"
#include "engine/preempt/where.h"

int skedi_lets_in(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->places == SKEDI_NONE &&
        extra_of(e, a)->refusals == SKEDI_NONE) {
        return skedi_shape_takes(e, a->shape, node);
    }
    return e->preempt->lazy ? skedi_place_may(e, ask, node)
                            : skedi_place_allows(e, ask, node);
}

static int takes_work(const round_part *part, uint32_t node)
{
    const engine_node *n = node_at(part->e, node);

    return n->state == NODE_OPEN && n->partition == part->partition;
}

/* ---- What is decided already ---- */

static void fix_group(round_part *part, uint64_t name)
{
    uint32_t group = skedi_group_find(part->e, name);

    if (group != SKEDI_NONE) {
        skedi_node_fix(part, group_at(part->e, group)->node);
    }
}

/* What released tasks hold will be free. */
static void fix_remains(round_part *part)
{
    const engine_remains *remains = part->e->remains.item;

    for (uint32_t i = 0; i < part->e->remains.n; i++) {
        if (remains[i].group) skedi_node_fix(part, remains[i].node);
    }
}

int skedi_search_fixed(round_part *part)
{
    sked_engine *e = part->e;
    size_t n = skedi_round_marks(e);
    sked_round_mark *marks = skedi_round_reserve(e, n, sizeof *marks);
    const engine_notice *notice = e->notices.item;

    part->fixed = skedi_round_reserve(e, e->nodes.n, sizeof *part->fixed);
    part->marks = skedi_round_reserve(e, e->nodes.n, sizeof *part->marks);
    part->listed = skedi_round_reserve(e, e->nodes.n, 1);
    if (!marks || !part->listed || !part->fixed || !part->marks) return 0;
    (void)!sked_round_marks(e->preempt->round, marks, n, &n);
    for (size_t i = 0; i < n; i++) {
        uint32_t group = skedi_group_find(e, marks[i].key);
        fix_group(part, marks[i].key);
        if (group == SKEDI_NONE) continue;
        part->marks[group_at(e, group)->node] += marks[i].count;
    }
    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = skedi_group_find(e, notice[i].group);
        if (g == SKEDI_NONE || !skedi_round_going(e, g)) continue;
        fix_group(part, notice[i].group);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        skedi_node_fix(part, reservation_at(e, i)->node);
    }
    for (uint32_t g = skedi_group_next_doomed(e, SKEDI_NONE); g != SKEDI_NONE;
         g = skedi_group_next_doomed(e, g)) {
        skedi_node_fix(part, group_at(e, g)->node);
    }
    fix_remains(part);
    return 1;
}

/* ---- Beginning ---- */

/* Can victims of a queue help: is it below the bound that is in the way? */
static int is_inside(const sked_engine *e, const plan_want *want, uint32_t row)
{
    return want->inner == SKEDI_NONE || row_is_within(e, row, want->inner);
}

/* Has a class tasks left that may make way? */
static int has_more(const plan_search *s, uint32_t class)
{
    const round_part *part = s->part;

    return (s->want.rule == PLAN_PRIORITY ||
            skedi_spare_for(part, &s->want, class) > 0) &&
           skedi_times_in_round(part, class, 0) > 0;
}

/* Puts the classes that may make way into a heap, by what the next victim of
 * each costs. 0: no memory. */
static int heap_classes(plan_search *s)
{
    sked_engine *e = s->part->e;
    victim_classes *classes = &e->preempt->classes;
    skedi_heap *heap = &e->preempt->heap;

    if (!s->next_class) {
        s->next_class = skedi_round_reserve(e, classes->pool.n,
                                            sizeof *s->next_class);
        s->seen = skedi_round_reserve(e, e->nodes.n, sizeof *s->seen);
    }
    if (!s->next_class || !s->seen ||
        !skedi_heap_reserve(heap, classes->pool.n, &e->hooks.mem) ||
        !skedi_heap_reserve(&e->preempt->nodes, e->nodes.n, &e->hooks.mem)) {
        return 0;
    }
    skedi_heap_clear(heap);
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        victim_class *class = victim_class_at(classes, i);
        if (!class->name ||
            !skedi_victim_class_may_go(s->part, &s->want, class))
            continue;
        if (!is_inside(e, &s->want, class->cell / e->parts)) continue;
        if (!has_more(s, i)) continue;
        s->next_class[i] = class->last;
        skedi_heap_set(heap, i,
                       (uint64_t)skedi_next_cost(s->part, i, class->last));
    }
    return 1;
}

/* Puts a node into the heap of those to try, by the least that a plan there may
 * cost, unless this search has seen it already. */
static void see_node(plan_search *s, uint32_t node, int64_t least)
{
    if (s->seen[node] == s->turn || !takes_work(s->part, node)) return;
    s->seen[node] = s->turn;
    skedi_heap_set(&s->part->e->preempt->nodes, node, (uint64_t)least);
}

/* The nodes that an ask names, where it runs on no others. */
static void see_places(plan_search *s)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);

    for (uint32_t i = extra_of(e, a)->places; i != SKEDI_NONE;
         i = place_at(e, i)->next) {
        uint32_t node = skedi_keymap_get(&e->node_of, place_at(e, i)->key);
        if (node != SKEDI_NONE) see_node(s, node, 0);
    }
}

/* Does it run on these alone? One that names racks does not. */
static int is_strict(const plan_search *s)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);
    uint32_t p = extra_of(e, a)->places;

    while (p != SKEDI_NONE && !place_at(e, p)->rack) p = place_at(e, p)->next;
    return p == SKEDI_NONE && (a->flags & SKED_ASK_STRICT) != 0;
}

/* The nodes to try before any victim is looked at: all that a strict ask names;
 * all there are where the first that will do is taken; else those with tasks
 * under notice. */
static void see_first(plan_search *s)
{
    const sked_engine *e = s->part->e;

    if (is_strict(s)) {
        see_places(s);
        skedi_heap_clear(&e->preempt->heap);
        return;
    }
    if (e->preempt->opts.flags & SKED_PREEMPT_FLAG_PLAIN) {
        skedi_heap_clear(&e->preempt->heap);
        int64_t place = 0;
        for (uint32_t i = e->first_node; i != SKEDI_NONE;
             i = node_at(e, i)->next) {
            see_node(s, i, place++);
        }
        return;
    }
    for (uint32_t i = 0; i < s->part->n_fixed; i++) { /* they cost nothing */
        uint32_t node = s->part->fixed[i];
        if (s->part->marks[node] > 0) see_node(s, node, 0);
    }
}

static int begin_search(plan_search *s, const plan_want *want)
{
    s->want = *want;
    s->block = s->fixed = 0;
    s->freed = s->part->freed;
    s->live = 1;
    if (!heap_classes(s)) return 0;
    s->turn++;
    skedi_heap_clear(&s->part->e->preempt->nodes);
    see_first(s);
    return 1;
}

/* Of a gang over nodes: may a task more of it be planned on a node? */
static int takes_more(const plan_search *s, uint32_t node)
{
    const sked_engine *e = s->part->e;
    const engine_ask *a = ask_at(e, s->want.ask);
    const round_placement *placed = e->preempt->placements.item;
    int64_t more = 1;

    if (!(a->flags & SKED_ASK_SPREAD)) return 1;
    if (s->same && !skedi_node_has(e, node, s->same, s->value)) return 0;
    if (skedi_shape_per_node(e, a->shape) == INT32_MAX) return 1;
    for (size_t i = s->from; i < e->preempt->placements.n; i++) {
        more += placed[i].node == node;
    }
    if (extra_of(e, a)->each > 0 && !s->beside) {
        /* It has all of a node's, or none. */
        return more == 1 && skedi_gang_there(e, s->want.ask, node) == 0;
    }
    if (s->beside && skedi_gang_there(e, s->want.ask, node) == 0) return 0;
    return skedi_gang_allowed(e, s->want.ask, node, more) == more;
}

/* ---- Without victims ---- */

static int fits_on(plan_search *s, const plan_want *want, uint32_t node)
{
    const sked_engine *e = s->part->e;

    if (!takes_work(s->part, node) || !skedi_lets_in(e, want->ask, node) ||
        !takes_more(s, node)) {
        return 0;
    }
    const int64_t *free = skedi_books_free(s->part, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (want->step[k] > 0 && want->step[k] > free[k]) return 0;
    }
    return 1;
}

/* A node that has so much free as it is; SKEDI_NONE. What is free only becomes
 * less, so a like step goes on where the last one found it. Tasks of a gang over
 * nodes look at all in one order, whatever is reserved: where the first ones go
 * decides whether there is a node for the last, and the next round has to find
 * it again. */
static uint32_t find_vacant(plan_search *s, const plan_want *want)
{
    const sked_engine *e = s->part->e;

    for (; !want->follows && s->fixed < s->part->n_fixed; s->fixed++) {
        uint32_t node = s->part->fixed[s->fixed];
        if (fits_on(s, want, node)) return node;
    }
    for (; (size_t)s->block * VACANT_NODES < s->part->n_nodes; s->block++) {
        int may = want->follows || skedi_vacant_may(e, s->block, want->step);
        if (!may) continue;
        for (uint32_t i = 0; i < VACANT_NODES; i++) {
            uint32_t node = s->block * VACANT_NODES + i;
            if (node >= s->part->n_nodes) break;
            if (fits_on(s, want, node)) return node;
        }
    }
    return SKEDI_NONE;
}

/* ---- With victims ---- */

/* Sees the node of the cheapest victim that is left. */
static void see_next(plan_search *s)
{
    sked_engine *e = s->part->e;
    victim_classes *classes = &e->preempt->classes;
    skedi_heap *heap = &e->preempt->heap;
    uint32_t class = skedi_heap_top(heap)->id, group = s->next_class[class];
    int64_t cost = (int64_t)skedi_heap_top(heap)->key;
    uint32_t before = classes->place[group].before;
    int more = has_more(s, class);

    s->next_class[class] = before;
    if (before == SKEDI_NONE || !more) {
        skedi_heap_remove(heap, class);
    } else {
        skedi_heap_set(heap, class,
                       (uint64_t)skedi_next_cost(s->part, class, before));
    }
    if (more) see_node(s, group_at(e, group)->node, cost);
}

static int64_t least_in_heap(const skedi_heap *heap)
{
    return heap->n > 0 ? (int64_t)heap->item[0].key : INT64_MAX;
}

/* Tries the node that may be cheapest; the best so far goes to `*best`, its
 * cost to `*least`. 0: no memory. */
static int try_next(plan_search *s, const plan_want *want, uint32_t *best,
                    int64_t *least)
{
    skedi_heap *nodes = &s->part->e->preempt->nodes;
    uint32_t node = skedi_heap_top(nodes)->id;
    int plain = (s->part->e->preempt->opts.flags & SKED_PREEMPT_FLAG_PLAIN) !=
                0;
    int64_t bound = least_in_heap(nodes), cost = -1;

    skedi_heap_remove(nodes, node);
    if (skedi_lets_in(s->part->e, want->ask, node) && takes_more(s, node)) {
        cost = skedi_plan_on(s->part, want, node, *least);
    }
    if (s->part->work > 0) s->part->work--;
    if (cost == -3) return 0;
    if (cost == -2) skedi_heap_set(nodes, node, (uint64_t)*least);
    if (cost < 0) return 1;
    if (*best != SKEDI_NONE) skedi_heap_set(nodes, *best, (uint64_t)*least);
    *best = node;
    *least = plain ? bound : cost;
    return 1;
}

/* Tries nodes until none that is left can be cheaper than the best. 0: no
 * memory. */
static int search_cheapest(plan_search *s, const plan_want *want,
                           uint32_t *best)
{
    const sked_engine *e = s->part->e;
    int64_t least = INT64_MAX;

    for (;;) {
        int64_t node = least_in_heap(&e->preempt->nodes);
        int64_t class = least_in_heap(&e->preempt->heap);
        int found = *best != SKEDI_NONE;
        if (node == INT64_MAX && class == INT64_MAX) break;
        if (found && (least <= skedi_i64_min(node, class) || !s->part->work)) {
            break;
        }
        if (node > class) {
            see_next(s);
        } else if (!try_next(s, want, best, &least)) {
            return 0;
        }
    }
    /* What it costs there another time is not known. */
    if (*best != SKEDI_NONE) {
        int plain = (e->preempt->opts.flags & SKED_PREEMPT_FLAG_PLAIN) != 0;
        skedi_heap_set(&s->part->e->preempt->nodes, *best,
                       plain ? (uint64_t)least : 0);
    }
    return 1;
}

int skedi_search(plan_search *s, plan_want *want, uint32_t *node, int *costs)
{
    plan_block block = skedi_plan_block(s->part, want, SKEDI_NONE);

    *node = SKEDI_NONE;
    *costs = 0;
    want->inner = block.what == BLOCK_ROW ? block.row : SKEDI_NONE;
    /* Users and masters of a leaf are in their own way alone. */
    if (block.what > BLOCK_ROW && want->rule != PLAN_PRIORITY) return 1;
    if (!s->live || want->inner != s->want.inner ||
        s->freed != s->part->freed) {
        if (!begin_search(s, want)) return 0;
    }
    if (block.what == BLOCK_NONE) *node = find_vacant(s, want);
    if (*node != SKEDI_NONE) return 1;
    *costs = 1;
    return search_cheapest(s, want, node);
}
