/* When tasks end, and what they cost, as a host says it. */
#include "ref_engine_said.h"

/* Said of all that an ask runs on a node: it decides nothing without rounds. */
sked_status ref_engine_on_node(const ref_engine *r, const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->owner);
    size_t node = ref_engine_node(r, event->key);

    if (ask == SIZE_MAX || node == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    for (size_t i = 0; i < r->groups; i++) {
        int runs = r->group[i].state == REF_HELD ||
                   r->group[i].state == REF_KILLED;
        if (runs && r->group[i].ask == ask && r->group[i].node == node) {
            return SKED_OK;
        }
    }
    return SKED_ERR_STATE;
}

/* Is it a moment to come, or a cost that there may be? */
int ref_engine_may_say(const ref_engine *r, const sked_events *batch,
                       const sked_event *event)
{
    sked_time by = ref_engine_word(batch, event, batch->moments);

    if (event->kind == SKED_EVENT_TASK_ENDS) {
        return by == SKED_UNSET || by >= r->now;
    }
    return event->kind != SKED_EVENT_TASK_COST ||
           (event->count >= -1 && event->count <= INT32_MAX);
}
