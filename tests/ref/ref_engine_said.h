#ifndef TEST_REF_ENGINE_SAID_H
#define TEST_REF_ENGINE_SAID_H

#include "ref_engine.h"

/* Said of all that an ask runs on a node; may that moment or cost be said? */
sked_status ref_engine_on_node(const ref_engine *r, const sked_event *event);
int ref_engine_may_say(const ref_engine *r, const sked_events *batch,
                       const sked_event *event);

#endif
