/* What the order and the core tell during events: the lists of groups, sums
 * of what is open and free, and marks follow. */
#include "engine/watch.h"

#include "engine/preempt/rounds.h"
#include "engine/preempt/started.h"

static void node_moved(sked_engine *e, uint32_t node)
{
    skedi_vacant_note(&e->preempt->vacant, node);
}

static void groups_changed(sked_engine *e)
{
    e->preempt->classes.stale = 1;
}

static void least_changed(sked_engine *e)
{
    e->preempt->timed = 1;
}

static void queues_changed(sked_engine *e)
{
    e->preempt->classes.stale = 1;
    e->preempt->wanted.ready = 0;
}

static const engine_watch preempt_observers = {
    .node_moved = node_moved,
    .group_began = skedi_victim_class_join,
    .group_ended = skedi_victim_class_leave,
    .group_moved = skedi_victim_class_move,
    .tasks_began = skedi_started_note,
    .tasks_ended = skedi_round_unmark,
    .groups_changed = groups_changed,
    .ask_moved = skedi_wanted_move,
    .least_changed = least_changed,
    .queues_changed = queues_changed,
    .reservation_waits = skedi_lazy_serve,
};

void skedi_preempt_watch(sked_engine *e, struct engine_preempt *preempt)
{
    e->preempt = preempt;
    e->watch = preempt ? &preempt->watch : NULL;
    if (!preempt) return;
    preempt->watch = preempt_observers;
    if (!preempt->lazy) preempt->watch.reservation_waits = NULL;
}
