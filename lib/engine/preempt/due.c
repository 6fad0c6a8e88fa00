/*
 * Which victims get a kill order now. At the moment of its kill a step is asked
 * once more: would it start if only those victims were gone that are killed
 * now, and not those of steps that still wait? If not, its victims run on, as
 * theirs do.
 */
#include "engine/core/groups.h"
#include "engine/preempt/rounds.h"

/* The books of all partitions, and in them only what ends now is gone. */
typedef struct due_books {
    round_state s;
    round_part *part;
} due_books;

static int open_books(due_books *b, sked_engine *e)
{
    b->s = (round_state){.e = e};
    b->part = skedi_round_reserve(e, e->parts, sizeof *b->part);
    if (!b->part || !skedi_books_open(&b->s, 0)) return 0;
    for (uint32_t p = 0; p < e->parts; p++) {
        b->part[p] = (round_part){.s = &b->s, .e = e, .partition = p};
        if (!skedi_books_open_part(&b->part[p]) ||
            !skedi_books_open_plans(&b->part[p])) {
            return 0;
        }
    }
    return 1;
}

static round_part *books_at(const due_books *b,
                            const round_placement *placement)
{
    return &b->part[node_at(b->s.e, placement->node)->partition];
}

static void end_with_step(due_books *b, const round_placement *placement)
{
    const round_victim *v = b->s.e->preempt->victims.item;

    for (uint32_t i = 0; i < placement->victims; i++) {
        const round_victim *one = &v[placement->first + i];
        skedi_books_gone(books_at(b, placement), one->group, one->count);
    }
}

/* Starts a step (of a gang over nodes one task) if it would, or if its victims
 * got kill orders before. */
static int start(due_books *b, const round_placement *placement)
{
    round_part *part = books_at(b, placement);
    plan_want want = skedi_placed_want(part, placement);

    if (!placement->made &&
        skedi_plan_block(part, &want, placement->node).what != BLOCK_NONE) {
        return 0;
    }
    skedi_plan_move(part, &want, placement->node, 1);
    return 1;
}

/* A step is due no longer, nor is what would start with it. */
static void put_off(round_placement *placement)
{
    while (placement->span == 0) placement--;
    for (uint32_t i = 0; i < placement->span; i++) placement[i].due = 0;
}

static uint32_t leaf_of(const sked_engine *e, const round_placement *placement)
{
    return job_at(e, ask_at(e, placement->ask)->job)->row;
}

/* Does a step have a victim that is under notice already (1), or one that is
 * not (0)? */
static int has_victim(const sked_engine *e, const round_placement *placement,
                      uint32_t noticed)
{
    const round_victim *v = e->preempt->victims.item;
    int any = 0;

    for (uint32_t i = 0; i < placement->victims; i++) {
        any |= v[placement->first + i].noticed == noticed;
    }
    return any;
}

/* Steps of a leaf that are planned anew are due no longer. 0: there are none. */
static int put_off_new(sked_engine *e, uint32_t leaf)
{
    int any = 0;

    for (size_t i = 0; i < e->preempt->placements.n; i++) {
        round_placement *placement = placement_at(e, i);
        if (!placement->due || leaf_of(e, placement) != leaf) continue;
        if (!has_victim(e, placement, 0)) continue;
        put_off(placement);
        any = 1;
    }
    return any;
}

/*
 * Goes through all steps once: 1: all that are due would start; 0: not all, of
 * which some are due no longer; -1: no memory. Where all victims of a step were
 * told already, others of its leaf that are planned anew wait in its place,
 * since they may have moved the bound of its user: else each round would
 * withdraw the notices of the last one.
 */
static int try_all(sked_engine *e)
{
    due_books books;
    size_t n = e->preempt->placements.n;
    int all = 1;

    if (!open_books(&books, e)) return -1;
    for (size_t i = 0; i < n; i++) {
        if (placement_at(e, i)->due) end_with_step(&books, placement_at(e, i));
    }
    for (size_t i = 0; i < n; i++) {
        round_placement *placement = placement_at(e, i);
        if (!placement->due || start(&books, placement)) continue;
        int noticed = has_victim(e, placement, 1) &&
                      !has_victim(e, placement, 0);
        if (noticed && put_off_new(e, leaf_of(e, placement))) return 0;
        put_off(placement);
        all = 0;
    }
    return all;
}

/* Goes on until all that are due would start. 0: no memory. */
static int settle_due(sked_engine *e)
{
    struct engine_preempt *own = e->preempt;
    skedi_arena_mark here = skedi_arena_here(&own->arena);
    uint32_t any = 0;
    int all = 0;

    for (size_t i = 0; i < own->placements.n; i++) {
        const round_placement *placement = placement_at(e, i);
        any |= placement->due && placement->victims;
    }
    while (any && all == 0) {
        all = try_all(e);
        skedi_arena_rewind(&own->arena, here);
    }
    return all >= 0;
}

int skedi_round_due(sked_engine *e)
{
    return e->preempt->lazy || e->preempt->watches || settle_due(e);
}

int skedi_round_sift(sked_engine *e)
{
    size_t n = e->preempt->placements.n, left = 0;

    for (size_t i = 0; i < n; i++) placement_at(e, i)->due = 1;
    if (!settle_due(e)) return 0;
    for (size_t i = 0; i < n; i++) {
        const round_placement placement = *placement_at(e, i);
        if (placement.due) *placement_at(e, left++) = placement;
    }
    e->preempt->placements.n = left;
    return 1;
}
