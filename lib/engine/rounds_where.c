/*
 * Which nodes a round looks at: those on which something is fixed already (room
 * kept, tasks under notice, tasks told to end), those on which a request may
 * fit as it is, and those of the cheapest victims, some at first and more until
 * the selection proves that the rest would change nothing.
 */
#include "engine/rounds.h"

#include "base/sort.h"
#include "engine/asks.h"
#include "engine/groups.h"
#include "engine/kept.h"
#include "engine/notices.h"

enum { ROUND_FIRST_NODES = 32 };

/* ---- One by one ---- */

/* 1: it was not looked at before. */
static int look_at_node(const sked_engine *e, round_part *part, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    if (part->place[node] != SKEDI_NONE || n->state != NODE_OPEN ||
        n->partition != part->partition) {
        return 0;
    }
    part->place[node] = part->in.n_nodes; /* for now */
    part->node[part->in.n_nodes++] = node;
    return 1;
}

/* Nodes are a number's place in the pool; they come in the order of adding. */
static int put_in_order(sked_engine *e, round_part *part)
{
    uint32_t n = part->in.n_nodes;
    skedi_keyed *items = skedi_round_room(e, (uint64_t)n * 2, sizeof *items);

    if (!items) return 0;
    for (uint32_t i = 0; i < n; i++) {
        items[i] = (skedi_keyed){node_at(e, part->node[i])->arrival, i,
                                 part->node[i]};
    }
    skedi_sort_keys(items, items + n, n);
    for (uint32_t i = 0; i < n; i++) {
        part->node[i] = items[i].tag;
        part->place[part->node[i]] = i;
    }
    return 1;
}

static int where_room(sked_engine *e, round_part *part)
{
    uint32_t most = e->nodes.n;

    part->in.n_nodes = 0;
    part->place = skedi_round_room(e, most, sizeof *part->place);
    part->node = skedi_round_room(e, most, sizeof *part->node);
    if (!part->place || !part->node) return 0;
    for (uint32_t i = 0; i < most; i++) part->place[i] = SKEDI_NONE;
    return 1;
}

int skedi_round_everywhere(sked_engine *e, round_part *part)
{
    if (!where_room(e, part)) return 0;
    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        (void)look_at_node(e, part, i);
    }
    return 1;
}

/* ---- Some ---- */

static void look_at_group(const sked_engine *e, round_part *part, uint64_t name)
{
    uint32_t group = skedi_group_find(e, name);

    if (group != SKEDI_NONE) {
        (void)look_at_node(e, part, group_at(e, group)->node);
    }
}

/* Where room is kept, and where tasks are marked or end. */
static int look_at_fixed(sked_engine *e, round_part *part)
{
    size_t n = skedi_round_marks(e);
    sked_round_mark *marks = skedi_round_room(e, n, sizeof *marks);
    const engine_notice *notice = e->notices.item;

    if (!marks) return 0;
    (void)!sked_round_marks(e->preempt->round, marks, n, &n);
    for (size_t i = 0; i < n; i++) look_at_group(e, part, marks[i].key);
    for (uint32_t i = 0; i < e->notices.n; i++) {
        if (notice[i].dying) look_at_group(e, part, notice[i].group);
    }
    for (uint32_t i = e->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        (void)look_at_node(e, part, kept_at(e, i)->node);
    }
    for (uint32_t g = e->first_killed; g != SKEDI_NONE;
         g = group_at(e, g)->kill_next) {
        (void)look_at_node(e, part, group_at(e, g)->node);
    }
    return 1;
}

/* Where the least that is asked for of every kind is free. */
static int look_at_vacant(sked_engine *e, round_part *part)
{
    int64_t least[SKED_MAX_KINDS];

    if (!skedi_vacant_ready(e)) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        least[k] = INT64_MAX;
        for (uint32_t r = 0; r < part->in.n_requests; r++) {
            least[k] = skedi_i64_min(
                least[k], part->in.request_amount[(size_t)r * e->kinds + k]);
        }
    }
    for (size_t b = 0; b * VACANT_NODES < e->nodes.n; b++) {
        if (!skedi_vacant_may(e, b, least)) continue;
        for (size_t i = 0; i < VACANT_NODES; i++) {
            uint32_t node = (uint32_t)(b * VACANT_NODES + i);
            if (node >= e->nodes.n) break;
            const int64_t *free = engine_row_of(e, &e->node_free, node);
            if (skedi_amounts_fit(e, least, free)) {
                (void)look_at_node(e, part, node);
            }
        }
    }
    return 1;
}

/* The kin of queues that give, by what the next of each costs. */
static int line_up_kin(sked_engine *e, round_part *part)
{
    engine_kins *kins = &e->preempt->kins;
    skedi_heap *heap = &e->preempt->heap;

    if (!skedi_kins_ready(e) ||
        !skedi_heap_reserve(heap, kins->pool.n, &e->hooks.mem)) {
        return 0;
    }
    skedi_heap_clear(heap);
    part->next_kin = skedi_round_room(e, kins->pool.n, sizeof *part->next_kin);
    if (!part->next_kin) return 0;
    for (uint32_t i = 0; i < kins->pool.n; i++) {
        engine_kin *kin = kin_at(kins, i);
        if (!kin->name || kin->cell % e->parts != part->partition) continue;
        if (!(part->reasons[kin->cell / e->parts] & SKED_TARGET_GIVES)) {
            continue;
        }
        part->next_kin[i] = kin->last;
        skedi_heap_set(heap, i, (uint64_t)skedi_kin_cost(e, kin, kin->last));
    }
    return 1;
}

int skedi_round_somewhere(sked_engine *e, round_part *part)
{
    part->more = ROUND_FIRST_NODES;
    return where_room(e, part) && look_at_fixed(e, part) &&
           look_at_vacant(e, part) && line_up_kin(e, part);
}

/* The node of the cheapest that is left of all kin, who then is no more. */
static uint32_t next_cheapest(sked_engine *e, round_part *part)
{
    engine_kins *kins = &e->preempt->kins;
    skedi_heap *heap = &e->preempt->heap;
    uint32_t kin = skedi_heap_top(heap)->id;
    uint32_t group = part->next_kin[kin];
    uint32_t before = kins->place[group].before;

    part->next_kin[kin] = before;
    if (before == SKEDI_NONE) {
        skedi_heap_remove(heap, kin);
    } else {
        int64_t cost = skedi_kin_cost(e, kin_at(kins, kin), before);
        skedi_heap_set(heap, kin, (uint64_t)cost);
    }
    return group_at(e, group)->node;
}

int skedi_round_wider(sked_engine *e, round_part *part, skedi_absents *absent)
{
    const skedi_heap *heap = &e->preempt->heap;
    uint32_t fresh = 0;

    while (fresh < part->more && heap->n > 0) {
        uint32_t node = next_cheapest(e, part);
        fresh += (uint32_t)look_at_node(e, part, node);
    }
    part->more *= 4;
    skedi_absent *left = skedi_round_room(e, heap->n, sizeof *left);
    if (!left || !put_in_order(e, part)) return 0;
    for (size_t i = 0; i < heap->n; i++) {
        const engine_kin *kin = kin_at(&e->preempt->kins, heap->item[i].id);
        left[i] = (skedi_absent){
            .amount = engine_row_of(e, &e->shape_task, kin->shape),
            .cost = (int64_t)heap->item[i].key,
            .queue = kin->cell / e->parts,
        };
    }
    *absent = (skedi_absents){.at = left, .n = heap->n};
    return 1;
}
