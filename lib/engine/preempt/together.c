/*
 * Steps are planned one by one, and the victims of one may leave more than it
 * needs, so that another step, planned before, needs fewer. A victim is
 * needless, and stays, if it could start again beside all that is planned, and
 * its step without it.
 *
 * Victims without notice are asked first, of these what is not revocable before
 * what is; victims that are under notice already are asked last. Where steps
 * planned anew would make such victims needless, these steps wait instead: else
 * each round would withdraw the notices of the last one, and none would ever be
 * due.
 */
#include "engine/core/groups.h"
#include "engine/preempt/owners.h"

static round_victim *victims_of(const sked_engine *e,
                                const round_placement *placement)
{
    round_victim *all = e->preempt->victims.item;

    return all ? all + placement->first : NULL;
}

static const victim_class *class_of_victim(const sked_engine *e,
                                           const round_victim *v)
{
    const victim_classes *classes = &e->preempt->classes;

    return victim_class_at(classes, skedi_victim_class_of(classes, v->group));
}

static uint32_t unit_of_victim(const sked_engine *e, const round_victim *v)
{
    return skedi_victim_class_is_gang(e, class_of_victim(e, v)) ? v->count : 1;
}

/* The partition that a step is planned in. */
static round_part *part_at(const round_state *s,
                           const round_placement *placement)
{
    return s->part[node_at(s->e, placement->node)->partition];
}

/* So many tasks of a victim are gone after all, or (negative) stay. */
static void move_tasks(round_part *part, const round_victim *v, int64_t count)
{
    skedi_books_gone(part, v->group, count);
    skedi_least_take(part->s, v->group, count);
}

/* A task of a victim, a gang, or a gang over nodes with all its groups, is gone
 * after all (1), or stays (-1). */
static void move_victim(round_part *part, const round_victim *v, int by)
{
    for (uint32_t i = 0; i < v->span; i++) {
        move_tasks(part, &v[i], (int64_t)unit_of_victim(part->e, &v[i]) * by);
    }
}

/* Would so many tasks of a group start again, with what they hold? Its user's
 * bound is not asked, since what ran may be beyond it. */
static int tasks_start(round_part *part, const round_victim *v, uint32_t n)
{
    const sked_engine *e = part->e;
    uint32_t ask = group_at(e, v->group)->ask;
    const int64_t *task = skedi_group_task(e, group_at(e, v->group));
    plan_want want = skedi_plan_want(part, ask, SKEDI_NONE, PLAN_CLAIM);
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) amount[k] = task[k] * n;
    want.step = amount;
    want.charged = 1; /* it never went from the trees of limits */
    return skedi_plan_block(part, &want, group_at(e, v->group)->node).what ==
           BLOCK_NONE;
}

/* Has a victim start again where all of it would. */
static int starts_again(round_part *part, const round_victim *v)
{
    uint32_t i = 0;

    for (; i < v->span; i++) {
        uint32_t n = unit_of_victim(part->e, &v[i]);
        if (!tasks_start(part, &v[i], n)) break;
        move_tasks(part, &v[i], -(int64_t)n);
    }
    if (i == v->span) return 1;
    while (i-- > 0) {
        move_tasks(part, &v[i], unit_of_victim(part->e, &v[i]));
    }
    return 0;
}

/* Lets one task (or gang) of a victim stay if its step needs it no more. 1: it
 * stays. */
static int let_stay(const round_state *s, const round_placement *placement,
                    const round_victim *v)
{
    round_part *part = part_at(s, placement);
    plan_want step = skedi_placed_want(part, placement);

    if (v->span == 0 || !starts_again(part, v)) return 0;
    skedi_plan_move(part, &step, placement->node, -1);
    int starts = skedi_plan_block(part, &step, placement->node).what ==
                 BLOCK_NONE;
    skedi_plan_move(part, &step, placement->node, 1);
    if (!starts) move_victim(part, v, 1);
    return starts;
}

/* ---- Steps that wait ---- */

/* A step and its victims are planned again, or (-1) no longer. */
static void plan_again(const round_state *s, const round_placement *placement,
                       int64_t by)
{
    round_part *part = part_at(s, placement);
    const round_victim *v = victims_of(s->e, placement);
    plan_want step = skedi_placed_want(part, placement);

    for (uint32_t i = 0; i < placement->victims; i++) {
        move_tasks(part, &v[i], by * v[i].count);
    }
    skedi_plan_move(part, &step, placement->node, by);
}

/* The same of all that starts with a step. */
static void plan_span(const round_state *s, const round_placement *first,
                      int64_t by)
{
    for (uint32_t i = 0; i < first->span; i++) plan_again(s, &first[i], by);
}

static int is_new(const sked_engine *e, const round_placement *first)
{
    for (uint32_t p = 0; p < first->span; p++) {
        const round_victim *v = victims_of(e, &first[p]);
        for (uint32_t i = 0; i < first[p].victims; i++) {
            if (!v[i].noticed) return 1;
        }
    }
    return 0;
}

/* Does a step start with the one that stands first? */
static int starts_within(const round_placement *first,
                         const round_placement *placement)
{
    return placement >= first && placement < first + first->span;
}

/* A victim under notice is needless: of the steps planned anew, the last one
 * without which the victim is needed waits. */
static void make_wait(const round_state *s, round_placement *from, size_t n,
                      const round_placement *placement, const round_victim *v)
{
    for (size_t i = n; i-- > 0;) {
        if (from[i].count == 0 || starts_within(&from[i], placement) ||
            !is_new(s->e, &from[i])) {
            continue;
        }
        plan_span(s, &from[i], -1);
        if (!let_stay(s, placement, v)) {
            for (uint32_t at = 0; at < from[i].span; at++) {
                from[i + at].count = 0;
            }
            return;
        }
        move_victim(part_at(s, placement), v, 1);
        plan_span(s, &from[i], 1);
    }
}

static void wait_for_noticed(const round_state *s, round_placement *from,
                             size_t n)
{
    for (size_t at = 0; at < n; at++) {
        round_placement *placement = &from[at];
        const round_victim *v = victims_of(s->e, placement);
        for (uint32_t i = 0; i < placement->victims && placement->count; i++) {
            if (!v[i].noticed || !let_stay(s, placement, &v[i])) continue;
            move_victim(part_at(s, placement), &v[i], 1);
            make_wait(s, from, n, placement, &v[i]);
        }
    }
}

/* ---- Victims that stay ---- */

/* Victims of a step that are under notice, or are not, stay where they are
 * needless, the last first. `last`: only what is not revocable. */
static void spare_victims(const round_state *s, round_placement *placement,
                          uint32_t noticed, int last)
{
    round_victim *v = victims_of(s->e, placement);
    uint32_t left = 0;

    for (uint32_t i = placement->victims; i-- > 0;) {
        if (v[i].noticed != noticed) continue;
        if (last && class_of_victim(s->e, &v[i])->terms & CLASS_REVOCABLE) {
            continue;
        }
        while (v[i].count > 0 && let_stay(s, placement, &v[i])) {
            for (uint32_t at = v[i].span; at-- > 0;) {
                v[i + at].count -= unit_of_victim(s->e, &v[i + at]);
            }
        }
    }
    for (uint32_t i = 0; i < placement->victims; i++) {
        if (v[i].count > 0) v[left++] = v[i];
    }
    placement->victims = left;
}

static int any_is_revocable(const round_state *s)
{
    int any = 0;

    for (uint32_t p = 0; p < s->e->parts; p++) {
        any |= s->part[p] && s->part[p]->revocable;
    }
    return any;
}

void skedi_plan_together(const round_state *s)
{
    round_list *placements = &s->e->preempt->placements;
    size_t n = placements->n, left = 0;
    round_placement *from = placements->item;

    if (n < 2 || s->e->preempt->lazy) return;
    for (int last = any_is_revocable(s); last >= 0; last--) {
        for (size_t i = 0; i < n; i++) spare_victims(s, &from[i], 0, last);
    }
    wait_for_noticed(s, from, n);
    for (size_t i = 0; i < n; i++) {
        if (from[i].count == 0) continue;
        spare_victims(s, &from[i], 1, 0);
        from[left++] = from[i];
    }
    placements->n = left;
}
