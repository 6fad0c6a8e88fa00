/* What all parts of rounds use: memory of a round, and marks. */
#include "engine/core/groups.h"
#include "engine/preempt/rounds.h"

void *skedi_round_reserve(sked_engine *e, uint64_t n, size_t size)
{
    if (n > SIZE_MAX / size / 2) return NULL;
    return skedi_arena_take(&e->preempt->arena, (size_t)n * size + 8,
                            &e->hooks.mem);
}

void *skedi_round_push(sked_engine *e, round_list *list, size_t size)
{
    if (list->n >= UINT32_MAX / 2 ||
        !skedi_ensure(&e->hooks.mem, &list->item, &list->cap, list->n + 1,
                      size)) {
        return NULL;
    }
    return (char *)list->item + list->n++ * size;
}

size_t skedi_round_marks(const sked_engine *e)
{
    size_t n = 0;

    if (e->preempt) (void)!sked_round_marks(e->preempt->round, NULL, 0, &n);
    return n;
}

int skedi_round_is_out(const sked_engine *e)
{
    return e->first_reservation != SKEDI_NONE || skedi_round_marks(e) > 0;
}

void skedi_round_unmark(sked_engine *e, uint32_t group, uint32_t count)
{
    uint64_t name = skedi_group_name(e, group);

    if (sked_round_mark_count(e->preempt->round, name) == 0) return;
    (void)!sked_round_end(e->preempt->round, &name, &count, 1, NULL);
}
