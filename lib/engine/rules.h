#ifndef SKEDI_ENGINE_RULES_H
#define SKEDI_ENGINE_RULES_H

/* Events of attributes, rules, lists of nodes and rejected proposals. */

#include "engine/state.h"

/* What hosts say of the attributes of nodes, and of the rules and tags of asks.
 * Each event returns SKED_OK, or why it is refused; then nothing changed. */

/* A copy of the attributes of an event's row, in order; `*at` NULL: none.
 * SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_NOMEM. */
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

/* Finds which soft rules are in force of asks where that may have changed, and
 * lets the asks go by them. SKED_OK, or SKED_ERR_NOMEM, after which it can be
 * called again. */
sked_status skedi_soft_settle(sked_engine *e);

/* The rule of an event's row, checked. SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE.
 */
sked_status skedi_event_rule(const sked_events *batch, const sked_event *event,
                             sked_rule_input *rule, sked_error *err);

/* Why a rule cannot be that of an ask with these flags, in words that go with
 * SKED_ERR_STATE; NULL: it can. */
const char *skedi_rule_misfits(const sked_rule_input *rule, uint32_t flags);

/* What hosts refuse, allow and exclude. Each call returns SKED_OK, or why the
 * event is refused; then nothing changed. */

sked_status skedi_task_refuse(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err);
sked_status skedi_allow(sked_engine *e, const sked_event *event,
                        sked_error *err);
sked_status skedi_exclude(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err);

#endif
