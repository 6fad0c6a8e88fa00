#ifndef TEST_ENGINE_RULES_H
#define TEST_ENGINE_RULES_H

/* Words for attributes of nodes, rules and tags of asks. */
#include "engine_fixture.h"

enum { ZONE = 1, MODEL = 2 };

#define EQUAL_TO(key_, value_)                                                 \
    ((sked_rule_term){                                                         \
        .op = SKED_RULE_OP_EQUAL, .key = (key_), .value = (value_)})

/* A node is in a zone (0: it is nothing). */
static inline sked_status in_zone(engine_fixture *f, uint64_t node,
                                  int64_t zone)
{
    const sked_rule_attribute pair = {ZONE, zone};
    const int32_t offsets[] = {0, 1};
    sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                        .time = f->now,
                        .key = node,
                        .places = zone != 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = &pair,
                               .n_attributes = 1};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static const int64_t some_zones[] = {9, 2, 3, 2};

/* An ask goes by so many terms; 0: it takes every node. */
static inline sked_status go_by(engine_fixture *f, uint64_t ask,
                                const sked_rule_term *terms, int32_t n)
{
    const int32_t offsets[] = {0, n};
    sked_event event = {.kind = SKED_EVENT_ASK_RULE,
                        .time = f->now,
                        .key = ask,
                        .places = n > 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .rule_offsets = offsets,
                               .rule_terms = terms,
                               .n_rules = n > 0,
                               .rule_values = some_zones,
                               .n_rule_values = 4};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

/* An ask has a soft rule more; of no terms: all are dropped. */
static inline sked_status prefer(engine_fixture *f, uint64_t ask,
                                 const sked_rule_term *terms, int32_t n,
                                 int64_t weight, sked_time until)
{
    const int32_t offsets[] = {0, n};
    sked_event event = {.kind = SKED_EVENT_ASK_PREFER,
                        .time = f->now,
                        .key = ask,
                        .count = weight,
                        .places = n > 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .rule_offsets = offsets,
                               .rule_terms = terms,
                               .n_rules = n > 0,
                               .rule_values = some_zones,
                               .n_rule_values = 4,
                               .moments = &until};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static inline sked_status prefer_zone(engine_fixture *f, uint64_t ask,
                                      int64_t zone, int64_t weight,
                                      sked_time until)
{
    return prefer(f, ask, &EQUAL_TO(ZONE, zone), 1, weight, until);
}

static inline sked_status only_zone(engine_fixture *f, uint64_t ask,
                                    int64_t zone)
{
    return go_by(f, ask, &EQUAL_TO(ZONE, zone), 1);
}

/* What a heartbeat of a node starts: how many, of the first ask. */
static inline int64_t beat(engine_fixture *f, uint64_t node, uint64_t *ask)
{
    int64_t count = 0;

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    size_t n = engine_taken(f);
    *ask = f->last[0].ask;
    for (size_t i = 0; i < n && i < 64; i++) {
        if (f->last[i].kind == SKED_DECISION_ALLOCATE) {
            count += f->last[i].count;
        }
    }
    return count;
}

static inline void starts(engine_fixture *f, uint64_t node, int64_t count)
{
    uint64_t ask;

    assert_i64(beat(f, node, &ask), count);
}

/* Three nodes of 4 cpu: 1 in zone 1, 2 in zone 2, 3 in none; one job. */
static inline void three_nodes(engine_fixture *f,
                               const sked_engine_options *opts)
{
    (void)engine_alone(f, opts, 4, 4, 1);
    engine_add_node(f, 2, 0, 4, 4);
    engine_add_node(f, 3, 0, 4, 4);
    assert_ok(in_zone(f, 1, 1));
    assert_ok(in_zone(f, 2, 2));
    (void)engine_taken(f);
}

/* An ask has so many tags. */
static inline sked_status tagged(engine_fixture *f, uint64_t ask,
                                 const uint64_t *tags, int32_t n)
{
    const int32_t offsets[] = {0, n};
    sked_event event = {.kind = SKED_EVENT_ASK_TAGS,
                        .time = f->now,
                        .key = ask,
                        .places = n > 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = tags,
                               .n_places = n > 0};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

#endif
