/* What engines beside their twins came to, so that tests know that it was met. */
#include "engine_pair.h"

#include "engine/budget.h"
#include "engine/exclusive.h"
#include "engine/gang.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/state.h"
#include "engine/ask.h"

/* Does some rule take some nodes and others not? */
static int rules_differ(const sked_engine *e)
{
    const engine_rules *r = &e->rules;
    uint64_t any = 0, all = UINT64_MAX;

    for (uint32_t n = e->first_node; r->used && n != SKEDI_NONE;
         n = node_at(e, n)->next) {
        any |= r->takes[(size_t)n * r->words];
        all &= r->takes[(size_t)n * r->words];
    }
    return (any & ~all) != 0;
}

/* Does what runs keep some rule from a node that it would take empty, or the
 * other way round? */
static int work_counts(const sked_engine *e)
{
    const engine_rules *r = &e->rules;
    int differs = 0;

    for (uint32_t s = 0; r->counting && s < r->sets.n; s++) {
        if (!set_at(e, s)->uses || !set_at(e, s)->counts) continue;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            int bit = r->takes[(size_t)n * r->words + s / 64] >> s % 64 & 1;
            differs |= bit != skedi_set_takes_now(e, s, n);
        }
    }
    return differs;
}

/* Has some ask a soft rule in force, and one that is not? */
static int soft_rules_yield(const sked_engine *e)
{
    for (uint32_t l = 0; l < e->soft.lists.n; l++) {
        const engine_preferred *list = preferred_at(e, l);
        uint32_t holds = 0;
        for (uint32_t i = 0; list->name && i < list->n; i++) {
            holds += list->at[i].holds;
        }
        if (holds > 0 && holds < list->n) return 1;
    }
    return 0;
}

/* What an exact gang does by now. */
static void see_exact(const sked_engine *e, uint32_t ask, pair_seen *seen)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t each = extra_of(e, a)->each, lacking = 0;

    seen->exact += skedi_ask_groups(e, ask) > 1;
    if (a->open == 0 || a->first_entry == SKEDI_NONE) return;
    int64_t over = skedi_gang_step(e, a, a->open) % each;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t there = skedi_gang_there(e, ask, n);
        if (there > 0) lacking += skedi_i64_max(each - there, 0);
    }
    seen->made_whole += over > 0;
    seen->left_over += over > lacking;
}

/* Do nodes take all that an exact gang lacks, but not so many each? */
static int is_uneven(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t step = skedi_gang_step(e, a, a->open), sum = 0;

    if (a->open == 0 || a->partition == SKED_ANY_PARTITION) return 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        sum += skedi_gang_on(e, ask, n, a->partition);
    }
    return sum >= step &&
           skedi_gang_space(e, ask, a->partition) < (uint64_t)step;
}

/* What gangs over nodes do by now. */
static void see_gangs(const sked_engine *e, pair_seen *seen)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (a->live && extra_of(e, a)->each > 0) {
            see_exact(e, i, seen);
            seen->exact_waits += is_uneven(e, i);
        }
        if (!a->live || a->first_group == SKEDI_NONE) continue;
        seen->grew += skedi_gang_grows(e, a);
        seen->shared_value += skedi_ask_groups(e, i) > 1 &&
                              skedi_shape_gang(e, a->shape).same != 0;
    }
}

/* Is an ask kept from an empty node by what bounds hold? */
static int bound_on(const sked_engine *e, uint32_t ask)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t row;
        if (!skedi_node_is_empty(e, n)) continue;
        if (skedi_ask_refusal(e, ask, n, &row) == SKED_REASON_EXCLUSIVE) {
            return 1;
        }
    }
    return 0;
}

/* Do several tasks of an ask share a node that nothing else does? */
static int bunch_of(const sked_engine *e, uint32_t ask)
{
    const engine_group *g = group_at(e, ask_at(e, ask)->first_group);

    return g->hold == HOLD_ONCE && g->count > 1;
}

/* Does a group of an ask hold nothing, since another one does; or were tasks on
 * one of its nodes released, which leave it with others? */
static int leaves(const sked_engine *e, uint32_t ask)
{
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        if (group_at(e, g)->hold == HOLD_NOTHING) return 1;
        for (uint32_t i = node_at(e, group_at(e, g)->node)->first_remains;
             i != SKEDI_NONE; i = remains_at(e, i)->next) {
            if (remains_at(e, i)->hold == HOLD_NOTHING) return 1;
        }
    }
    return 0;
}

/* What becomes of asks that are to have nodes to themselves. */
static void see_alone(const sked_engine *e, pair_seen *seen)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || !skedi_ask_is_exclusive(a)) continue;
        if (a->first_group != SKEDI_NONE) {
            uint32_t shape = group_at(e, a->first_group)->shape;
            seen->alone += shape != a->shape;
            seen->alone_gang += skedi_ask_groups(e, i) > 1 &&
                                a->flags & SKED_ASK_SPREAD;
            seen->alone_bunch += bunch_of(e, i);
            seen->alone_left += leaves(e, i);
        }
        if (a->open > 0 && a->first_entry != SKEDI_NONE) {
            seen->alone_bound += bound_on(e, i);
        }
    }
}

/* Does a gang over nodes wait for more of them? */
static int gang_waits(const sked_engine *e)
{
    for (uint32_t p = 0; p < e->parts; p++) {
        for (uint32_t f = 0; f < e->fits.pool.n; f++) {
            if (!fit_at(e, f)->uses) continue;
            if (e->partition[p].fit_wanted[f] < UINT64_MAX) return 1;
        }
    }
    return 0;
}

/* What trees of limits keep out by now. */
static void see_limits(const sked_engine *e, pair_seen *seen)
{
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        for (uint32_t row = 0; row < e->trees.at[i].n; row++) {
            seen->stopped += e->trees.at[i].stop[row] != SKEDI_NONE;
        }
    }
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        seen->uncharged += job->state == JOB_WAITING &&
                           !skedi_charge_may_run(e, i);
    }
}

void pair_look(const sked_engine *e, pair_seen *seen)
{
    int blocked = 0, parked = 0, barred = 0;

    for (size_t c = 0; c < (size_t)e->rows.n * e->parts; c++) {
        blocked |= e->cells[c].blocked != SKEDI_NONE;
    }
    seen->shared += e->partition[0].classes >> SKEDI_MIXED_CLASS != 0;
    seen->blocked += blocked;
    for (uint32_t i = 0; i < e->bans.n; i++) {
        const engine_ban *b = (const engine_ban *)e->bans.item + i;
        parked |= b->parked != 0;
        barred |= b->what == BAN_OF_NODE && b->barred;
    }
    seen->parked += parked;
    seen->ruled += rules_differ(e);
    seen->counted += work_counts(e);
    seen->yields += soft_rules_yield(e);
    seen->forming += e->forms.n > 0;
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming *f = &e->forms.gang[e->forms.part[i].partition];
        seen->forming_all += f->alone;
        seen->forming_at += f->where.same != 0;
    }
    seen->formed = e->stats.formings;
    seen->turned += gang_waits(e);
    see_gangs(e, seen);
    seen->rated += e->rated && e->rate_due != INT64_MAX;
    see_alone(e, seen);
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state != JOB_WAITING || !job->line) continue;
        seen->lines[job->line]++;
    }
    see_limits(e, seen);
    seen->barred += barred;
    seen->adopted = e->stats.adopted;
    seen->waiting += e->stats.jobs_waiting > 0;
}
