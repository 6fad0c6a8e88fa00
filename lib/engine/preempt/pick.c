/*
 * The possible victims of a step on a node: groups that its rule allows, the
 * cheapest first.
 */
#include "base/sort.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/preempt/owners.h"

/* Revocable work takes nothing of its own leaf that is not. */
static int is_no_less_revocable(const sked_engine *e, const victim_class *class,
                                uint32_t ask)
{
    uint32_t own = skedi_victim_terms(e, ask_at(e, ask));

    return !(own & CLASS_REVOCABLE & ~class->terms);
}

int skedi_victim_class_may_go(const round_part *part, const plan_want *want,
                              const victim_class *class)
{
    const sked_engine *e = part->e;
    uint32_t row = class->cell / e->parts;

    if (class->cell % e->parts != part->partition) return 0;
    switch (want->rule) {
    case PLAN_CLAIM:
        return row != want->leaf && part->by->reasons[row] & ROUND_GIVING;
    case PLAN_USER:
        return row == want->leaf && part->allowed[row] &&
               class->account != want->account;
    default:
        return row == want->leaf && part->allowed[row] &&
               class->priority < want->priority &&
               is_no_less_revocable(e, class, want->ask) &&
               (!part->account_keep || class->account == want->account);
    }
}

int64_t skedi_next_cost(const round_part *part, uint32_t class, uint32_t group)
{
    victim_class *of = victim_class_at(&part->e->preempt->classes, class);
    int last = !(of->terms & CLASS_REVOCABLE);

    return skedi_cost_beside(part->revocable, last,
                             skedi_victim_class_cost(part->e, of, group));
}

/* How many tasks of a group may be victims of a step. */
static uint32_t tasks_that_may(const round_part *part, const plan_want *want,
                               uint32_t group)
{
    const sked_engine *e = part->e;
    uint32_t gone = skedi_round_going(e, group) +
                    (part->lazy ? 0 : part->s->taken[group]);
    uint32_t count = group_at(e, group)->count;
    const round_pair *pairs = e->preempt->pairs.item;

    count -= gone < count ? gone : count;
    if (!part->lazy) return count;
    for (uint32_t i = want->only; i != SKEDI_NONE; i = pairs[i].next) {
        uint32_t offered, most;
        if (pairs[i].group != skedi_group_name(e, group) ||
            pairs[i].rule != want->rule) {
            continue;
        }
        offered = sked_round_offer_count(e->preempt->round, pairs[i].group);
        most = pairs[i].count < offered ? pairs[i].count : offered;
        return most < count ? most : count;
    }
    return 0;
}

static int add_pick(round_part *part, plan_pick pick)
{
    plan_pick *to = skedi_round_push(part->e, &part->e->preempt->picks,
                                     sizeof *to);

    if (to) *to = pick;
    return to != NULL;
}

/* A gang over nodes stands once, however many of its groups are on the node. */
static int add_unit(round_part *part, uint32_t class)
{
    const round_list *picks = &part->e->preempt->picks;
    const plan_pick *pick = picks->item;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].class == class) return 1;
    }
    return part->live[class] == 0 ||
           add_pick(part, skedi_unit_pick(part, class));
}

/* Tasks of a group that are under notice already cost nothing more. */
static int add_group(round_part *part, const plan_want *want, uint32_t group)
{
    sked_engine *e = part->e;
    victim_classes *classes = &e->preempt->classes;
    if (victim_class_at(classes, skedi_victim_class_of(classes, group))->gang) {
        return add_unit(part, skedi_victim_class_of(classes, group));
    }
    uint32_t most = tasks_that_may(part, want, group), marked = 0;

    if (most == 0) return 1;
    plan_pick pick = {.group = group,
                      .class = skedi_victim_class_of(classes, group)};
    victim_class *class = victim_class_at(classes, pick.class);
    pick.gang = skedi_victim_class_is_gang(e, class) != 0;
    pick.last = !(class->terms & CLASS_REVOCABLE);
    if (skedi_round_marks(e) > 0) {
        uint32_t said = sked_round_mark_count(e->preempt->round,
                                              skedi_group_name(e, group));
        uint32_t gone = part->lazy ? 0 : part->s->taken[group];
        uint32_t left = said - (said < gone ? said : gone);
        marked = left < most ? left : most;
        if (pick.gang && marked > 0) marked = most;
    }
    pick.most = marked;
    pick.marked = 1;
    if (marked > 0 && !add_pick(part, pick)) return 0;
    pick.most = most - marked;
    pick.marked = 0;
    pick.cost = skedi_victim_class_cost(e, class, group);
    return pick.most == 0 || add_pick(part, pick);
}

static int sort_reserve(sked_engine *e)
{
    struct engine_preempt *own = e->preempt;
    skedi_mem *mem = &e->hooks.mem;
    size_t n = own->picks.n;

    return skedi_ensure(mem, &own->keyed.item, &own->keyed.cap, 2 * n,
                        sizeof(skedi_keyed)) &&
           skedi_ensure(mem, &own->sorted.item, &own->sorted.cap, n,
                        sizeof(plan_pick)) &&
           skedi_ensure(mem, &own->ranks.item, &own->ranks.cap, n,
                        sizeof(uint64_t));
}

/* Those told already first, then what is revocable, then the cheapest, of equals
 * the newest group of the node; or by rank. */
static int sort_picks(round_part *part)
{
    struct engine_preempt *own = part->e->preempt;
    size_t n = own->picks.n;

    if (n == 0) return 1;
    if (!sort_reserve(part->e)) return 0;
    skedi_keyed *order = own->keyed.item;
    uint64_t *key = own->ranks.item;
    const plan_pick *pick = own->picks.item;
    plan_pick *to = own->sorted.item;
    for (size_t i = 0; i < n; i++) {
        int last = pick[i].last && !pick[i].marked;
        int64_t cost = skedi_cost_beside(part->revocable, last, pick[i].cost);
        key[i] = (uint64_t)cost << 1 | !pick[i].marked;
    }
    if (own->opts.flags & SKED_PREEMPT_FLAG_PLAIN &&
        !skedi_rank_picks(part, key)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = (skedi_keyed){key[i], (uint32_t)i, 0};
    }
    skedi_sort_keys(order, order + n, n);
    for (size_t i = 0; i < n; i++) to[i] = pick[order[i].index];
    round_list held = own->picks;
    own->picks = own->sorted;
    own->picks.n = n;
    own->sorted = held;
    return 1;
}

int skedi_list_picks(round_part *part, const plan_want *want, uint32_t node)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;

    e->preempt->picks.n = 0;
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (!classes->place[g].class) continue;
        if (!skedi_victim_class_may_go(
                part, want,
                victim_class_at(classes, skedi_victim_class_of(classes, g))))
            continue;
        if (!add_group(part, want, g)) return 0;
    }
    return sort_picks(part);
}
