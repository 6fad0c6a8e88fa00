/*
 * Gangs over nodes as victims. One goes as a whole, all its groups on all their
 * nodes, and costs what all its tasks cost. Only one that runs in one partition,
 * with tasks that all hold alike, and of which nothing got a kill order yet or
 * ends in time, is such a unit; any other stays. An elastic gang, which grows
 * task by task, is none: with one task more it could be surplus that was
 * protected before.
 */
#include "engine/core/groups.h"
#include "engine/preempt/rounds.h"

int skedi_unit_is_whole(const sked_engine *e, uint32_t class)
{
    const victim_classes *classes = &e->preempt->classes;
    uint32_t ask = victim_class_at(classes, class)->gang - 1;
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE && classes->place[g].class == class + 1 &&
           skedi_round_going(e, g) == 0) {
        g = group_at(e, g)->ask_next;
    }
    return g == SKEDI_NONE;
}

uint32_t skedi_unit_first(const sked_engine *e, uint32_t class)
{
    const victim_classes *classes = &e->preempt->classes;

    return ask_at(e, victim_class_at(classes, class)->gang - 1)->first_group;
}

/* Tasks of a group that are under notice. */
static uint32_t marked_tasks(const sked_engine *e, uint32_t group)
{
    uint32_t n = sked_round_mark_count(e->preempt->round,
                                       skedi_group_name(e, group));

    return n < group_at(e, group)->count ? n : group_at(e, group)->count;
}

plan_pick skedi_unit_pick(const round_part *part, uint32_t class)
{
    sked_engine *e = part->e;
    victim_class *of = victim_class_at(&e->preempt->classes, class);
    plan_pick pick = {.group = skedi_unit_first(e, class),
                      .class = class,
                      .most = (uint32_t)part->live[class],
                      .gang = 1,
                      .wide = 1,
                      .last = !(of->terms & CLASS_REVOCABLE)};

    for (uint32_t g = pick.group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int64_t count = group_at(e, g)->count;
        pick.marked |= marked_tasks(e, g) > 0;
        pick.tasks += (uint32_t)count;
        /* What the host says is of a task, what is worked out of a shape. */
        if (of->host_cost < 0) count = skedi_group_times(group_at(e, g), count);
        pick.cost += skedi_victim_class_cost(e, of, g) * count;
    }
    if (pick.marked) pick.cost = 0;
    return pick;
}

void skedi_unit_move(round_part *part, const plan_pick *pick, int by)
{
    const sked_engine *e = part->e;

    for (uint32_t g = pick->group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int64_t count = (int64_t)group_at(e, g)->count * by;
        uint32_t *marks = &part->marks[group_at(e, g)->node];
        skedi_least_take(part->s, g, count);
        skedi_books_gone(part, g, count);
        if (pick->marked) {
            *marks = (uint32_t)(*marks - (int64_t)marked_tasks(e, g) * by);
        }
    }
}

void skedi_node_fix(round_part *part, uint32_t node)
{
    const engine_node *n = node_at(part->e, node);

    if (part->listed[node] || n->state != NODE_OPEN) return;
    if (n->partition != part->partition) return;
    part->listed[node] = 1;
    part->fixed[part->n_fixed++] = node;
}
