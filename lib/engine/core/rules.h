#ifndef SKEDI_ENGINE_CORE_RULES_H
#define SKEDI_ENGINE_CORE_RULES_H

/* What hosts say of nodes' attributes, of the tags of asks, and by which rule
 * these go. */

#include "engine/state.h"

/* A copy of the attributes of an event's row, in order; `*at` NULL: none. */
sked_status skedi_event_attributes(sked_engine *e, const sked_events *batch,
                                   const sked_event *event,
                                   sked_rule_attribute **at, uint64_t *n,
                                   sked_error *err);

sked_status skedi_node_attributes(sked_engine *e, const sked_events *batch,
                                  const sked_event *event, sked_error *err);
sked_status skedi_ask_rule(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err);
sked_status skedi_ask_prefer(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err);
sked_status skedi_ask_tags(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err);

/* Asks whose soft rules may be in force or not go by them: SKED_OK or
 * SKED_ERR_NOMEM, after which it can be called again. */
sked_status skedi_soft_settle(sked_engine *e);

/* The rule of an event's row, checked. */
sked_status skedi_event_rule(const sked_events *batch, const sked_event *event,
                             sked_rule_input *rule, sked_error *err);

/* Why a rule cannot be that of an ask with these flags, in words that go with
 * SKED_ERR_STATE; NULL: it can. */
const char *skedi_rule_misfits(const sked_engine *e,
                               const sked_rule_input *rule, uint32_t flags);

#endif
