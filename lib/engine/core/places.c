/* Nodes and racks that asks would like: one list for each ask, nodes first as
 * they were said, then racks. */
#include "engine/core/places.h"

#include "base/fail.h"
#include "engine/columns.h"
#include "engine/reservation.h"
#include "engine/store.h"

sked_status skedi_ask_check_places(const sked_events *batch,
                                   const sked_event *event, uint32_t flags,
                                   sked_error *err)
{
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(batch, event->places, &keys);

    if (!batch->place_tasks || n == 0) return SKED_OK;
    const uint32_t *tasks = batch->place_tasks + (keys - batch->places);
    for (uint32_t i = 0; i < n; i++) {
        if (tasks[i] != PLACE_ANY && flags & SKED_ASK_GANG) {
            return skedi_fail_plain(err, SKED_ERR_ARG,
                                    "tasks of a gang are not counted by place");
        }
        if (tasks[i] <= PLACE_ANY) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "place_tasks is out of range",
                          (skedi_fault){.got = tasks[i], .limit = PLACE_ANY});
    }
    return SKED_OK;
}

/* The link before the first rack of an ask. */
static uint32_t *before_racks(sked_engine *e, uint32_t ask)
{
    uint32_t *at = &skedi_extra_take(e, ask)->places;

    while (*at != SKEDI_NONE && !place_at(e, *at)->rack) {
        at = &place_at(e, *at)->next;
    }
    return at;
}

void skedi_ask_list_places(sked_engine *e, uint32_t ask,
                           const sked_events *batch, uint32_t row,
                           uint32_t rack)
{
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(batch, row, &keys);
    uint32_t *at;

    if (n == 0) return;
    at = rack ? before_racks(e, ask) : &skedi_extra_take(e, ask)->places;
    while (n-- > 0) {
        size_t of = (size_t)(keys - batch->places) + n;
        uint32_t place = skedi_pool_take(&e->places);
        *place_at(e, place) = (engine_place){
            .key = keys[n],
            .left = batch->place_tasks ? (int32_t)batch->place_tasks[of]
                                       : PLACE_ANY,
            .rack = rack,
            .next = *at,
        };
        *at = place;
    }
}

void skedi_ask_drop_places(sked_engine *e, uint32_t ask, uint32_t rack)
{
    uint32_t *at;

    if (extra_of(e, ask_at(e, ask))->places == SKEDI_NONE) return;
    at = rack ? before_racks(e, ask) : &skedi_extra_take(e, ask)->places;
    while (*at != SKEDI_NONE && place_at(e, *at)->rack == rack) {
        uint32_t place = *at;
        *at = place_at(e, place)->next;
        skedi_pool_give(&e->places, place);
    }
}
