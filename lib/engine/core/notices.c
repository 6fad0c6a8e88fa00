/* A map from groups to what only few of them have. */
#include "engine/core/notices.h"

#include "engine/core/groups.h"
#include "engine/store.h"

int skedi_notice_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->notices, &e->hooks.mem, more) &&
           skedi_keymap_reserve(&e->notice_of, &e->hooks.mem,
                                e->notice_of.n + (size_t)more);
}

engine_notice *skedi_notice_find(const sked_engine *e, uint32_t group)
{
    if (!e->notices.live) return NULL;
    uint32_t at = skedi_keymap_get(&e->notice_of, skedi_group_name(e, group));
    return at == SKEDI_NONE ? NULL : (engine_notice *)e->notices.item + at;
}

engine_notice *skedi_notice_take(sked_engine *e, uint32_t group)
{
    engine_notice *n = skedi_notice_find(e, group);

    if (n) return n;
    uint32_t at = skedi_pool_take(&e->notices);
    n = (engine_notice *)e->notices.item + at;
    *n = (engine_notice){.group = skedi_group_name(e, group),
                         .saved = group_at(e, group)->deadline_from,
                         .ends = SKED_UNSET,
                         .cost = -1};
    skedi_keymap_put(&e->notice_of, n->group, at);
    return n;
}

uint32_t skedi_notice_end(sked_engine *e, uint32_t group, uint32_t count)
{
    engine_notice *n = skedi_notice_find(e, group);

    if (!n) return count;
    uint32_t told = n->dying < count ? n->dying : count;
    n->dying -= told;
    if (group_at(e, group)->count > 0) return count - told;
    skedi_keymap_remove(&e->notice_of, n->group);
    skedi_pool_give(&e->notices,
                    (uint32_t)(n - (engine_notice *)e->notices.item));
    return count - told;
}

uint32_t skedi_group_dying(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->dying : 0;
}

int32_t skedi_group_cost(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->cost : -1;
}

sked_time skedi_group_saved(const sked_engine *e, uint32_t group)
{
    const engine_notice *n = skedi_notice_find(e, group);

    return n ? n->saved : group_at(e, group)->deadline_from;
}
