#ifndef SKEDI_ENGINE_CORE_NOTICES_H
#define SKEDI_ENGINE_CORE_NOTICES_H

/* What is known of few groups only, in a record for each: up to when their work
 * is safe, kill orders of rounds, when they end by themselves, what they cost
 * as victims. (Notices that tasks get before a kill order are sked_round's.) */

#include "engine/state.h"

typedef struct engine_notice {
    uint64_t group; /* its name */
    sked_time saved;
    sked_time ends; /* all of it, as the host says; SKED_UNSET: not known */
    uint32_t dying; /* of its last tasks, with kill orders of a round */
    int32_t cost;   /* of one task as a victim, by the host; -1: none said */
} engine_notice;

/* Memory for `more` further ones. 0: no memory. */
int skedi_notice_reserve(sked_engine *e, uint64_t more);

/* The record of a group; NULL: it has none. The same, made where there is none:
 * memory was reserved. */
engine_notice *skedi_notice_find(const sked_engine *e, uint32_t group);
engine_notice *skedi_notice_take(sked_engine *e, uint32_t group);

/* So many of a group's last tasks have ended; with the last task its record
 * goes. Returns how many of them had no kill order of a round. */
uint32_t skedi_notice_end(sked_engine *e, uint32_t group, uint32_t count);

/* How many of a group's last tasks got kill orders; what the host says that
 * one costs, or -1; the moment up to which its work is safe. */
uint32_t skedi_group_dying(const sked_engine *e, uint32_t group);
int32_t skedi_group_cost(const sked_engine *e, uint32_t group);
sked_time skedi_group_saved(const sked_engine *e, uint32_t group);

#endif
