/*
 * Steps are planned one by one, and the victims of one may leave more than it
 * needs, so that another step, planned before, needs fewer. A victim is let go
 * if it could start again beside all that is planned, and its step without it.
 *
 * Victims that are under notice already are let go last. Where steps planned
 * anew would make such victims needless, these steps wait instead: else each
 * round would withdraw the notices of the last one, and none would ever be due.
 */
#include "engine/core/groups.h"
#include "engine/order/accounts.h"
#include "engine/preempt/rounds.h"

static round_victim *victims_of(const sked_engine *e,
                                const round_placement *placement)
{
    round_victim *all = e->preempt->victims.item;

    return all ? all + placement->first : NULL;
}

static uint32_t unit_of_victim(const sked_engine *e, const round_victim *v)
{
    const victim_classes *classes = &e->preempt->classes;
    const victim_class *class = victim_class_at(
        classes, skedi_victim_class_of(classes, v->group));

    return skedi_victim_class_is_gang(e, class) ? v->count : 1;
}

/* The partition that a step is planned in. */
static round_part *part_at(const round_state *s,
                           const round_placement *placement)
{
    return s->part[node_at(s->e, placement->node)->partition];
}

static plan_want want_of(const round_part *part,
                         const round_placement *placement)
{
    uint32_t user = skedi_account_of_ask(part->e, placement->ask,
                                         part->partition);

    return skedi_plan_want(part, placement->ask, user, PLAN_CLAIM);
}

/* So many tasks of a victim are gone after all, or (negative) stay. */
static void move_victim(round_part *part, const round_victim *v, int64_t count)
{
    skedi_books_gone(part, v->group, count);
    skedi_least_take(part->s, v->group, count);
}

/* Would so many tasks of a victim start again? Its user's bound is not asked,
 * since what ran may be beyond it. */
static int starts_again(round_part *part, uint32_t node, const round_victim *v,
                        uint32_t n)
{
    const sked_engine *e = part->e;
    uint32_t ask = group_at(e, v->group)->ask;
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);
    plan_want want = skedi_plan_want(part, ask, SKEDI_NONE, PLAN_CLAIM);
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) amount[k] = task[k] * n;
    want.step = amount;
    return skedi_plan_block(part, &want, node).what == BLOCK_NONE;
}

/* Lets one task (or gang) of a victim stay if that can be. */
static int let_stay(const round_state *s, const round_placement *placement,
                    const round_victim *v)
{
    round_part *part = part_at(s, placement);
    uint32_t n = unit_of_victim(part->e, v);
    plan_want step = want_of(part, placement);

    if (!starts_again(part, placement->node, v, n)) return 0;
    move_victim(part, v, -(int64_t)n);
    skedi_plan_move(part, &step, placement->node, -1);
    int starts = skedi_plan_block(part, &step, placement->node).what ==
                 BLOCK_NONE;
    skedi_plan_move(part, &step, placement->node, 1);
    if (!starts) move_victim(part, v, n);
    return starts;
}

/* ---- Steps that wait ---- */

/* A step and its victims are planned again, or (-1) no longer. */
static void plan_again(const round_state *s, const round_placement *placement,
                       int64_t by)
{
    round_part *part = part_at(s, placement);
    const round_victim *v = victims_of(s->e, placement);
    plan_want step = want_of(part, placement);

    for (uint32_t i = 0; i < placement->victims; i++) {
        move_victim(part, &v[i], by * v[i].count);
    }
    skedi_plan_move(part, &step, placement->node, by);
}

static int is_new(const sked_engine *e, const round_placement *placement)
{
    const round_victim *v = victims_of(e, placement);

    for (uint32_t i = 0; i < placement->victims; i++) {
        if (!v[i].told) return 1;
    }
    return 0;
}

/* The last step planned anew but for which a victim that was told would be
 * needed waits. */
static void make_wait(const round_state *s, round_placement *from, size_t n,
                      const round_placement *placement, const round_victim *v)
{
    for (size_t i = n; i-- > 0;) {
        if (&from[i] == placement || !is_new(s->e, &from[i])) continue;
        plan_again(s, &from[i], -1);
        if (!let_stay(s, placement, v)) {
            from[i].count = 0;
            return;
        }
        move_victim(part_at(s, placement), v, unit_of_victim(s->e, v));
        plan_again(s, &from[i], 1);
    }
}

static void wait_for_told(const round_state *s, round_placement *from, size_t n)
{
    for (size_t at = 0; at < n; at++) {
        round_placement *placement = &from[at];
        const round_victim *v = victims_of(s->e, placement);
        for (uint32_t i = 0; i < placement->victims && placement->count; i++) {
            if (!v[i].told || !let_stay(s, placement, &v[i])) continue;
            move_victim(part_at(s, placement), &v[i],
                        unit_of_victim(s->e, &v[i]));
            make_wait(s, from, n, placement, &v[i]);
        }
    }
}

/* ---- Victims that stay ---- */

static void spare_victims(const round_state *s, round_placement *placement,
                          uint32_t told)
{
    round_victim *v = victims_of(s->e, placement);
    uint32_t left = 0;

    for (uint32_t i = placement->victims; i-- > 0;) {
        if (v[i].told != told) continue;
        while (v[i].count > 0 && let_stay(s, placement, &v[i])) {
            v[i].count -= unit_of_victim(s->e, &v[i]);
        }
    }
    for (uint32_t i = 0; i < placement->victims; i++) {
        if (v[i].count > 0) v[left++] = v[i];
    }
    placement->victims = left;
}

void skedi_plan_together(const round_state *s)
{
    round_list *placements = &s->e->preempt->placements;
    size_t n = placements->n, left = 0;
    round_placement *from = placements->item;

    if (n < 2 || s->e->preempt->lazy) return;
    for (size_t i = 0; i < n; i++) spare_victims(s, &from[i], 0);
    wait_for_told(s, from, n);
    for (size_t i = 0; i < n; i++) {
        if (from[i].count == 0) continue;
        spare_victims(s, &from[i], 1);
        from[left++] = from[i];
    }
    placements->n = left;
}
