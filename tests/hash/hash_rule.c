/* Rules: what they say by themselves, and what an engine starts by them. */
#include <sched/sked.h>

#include "hash.h"

enum { NODES = 12, ASKS = 60, TERMS = 6, PAIRS = 3, VALUES = 4, STEPS = 200 };

typedef struct sample {
    sked_rule_term terms[TERMS];
    int64_t values[VALUES];
    sked_rule_attribute pairs[PAIRS];
    uint32_t n;
} sample;

static void draw_pairs(sample *s, uint64_t *state)
{
    for (int i = 0; i < PAIRS; i++) {
        s->pairs[i].key = hash_below(state, 3);
        s->pairs[i].value = (int64_t)hash_below(state, 5);
    }
}

static void draw_rule(sample *s, uint64_t *state)
{
    uint32_t answers = 0;

    s->n = 1 + (uint32_t)hash_below(state, TERMS);
    for (uint32_t i = 0; i < s->n; i++) {
        sked_rule_term t = {.op = 1 + (uint32_t)hash_below(state, 9)};
        if (t.op <= SKED_RULE_OP_OR && answers == 0) t.op = SKED_RULE_OP_NOT;
        if (t.op <= SKED_RULE_OP_OR) {
            t.n = 1 + (uint32_t)hash_below(state, answers);
            answers -= (uint32_t)t.n;
        } else {
            t.key = hash_below(state, 3);
            t.value = (int64_t)hash_below(state, 5);
        }
        if (t.op >= SKED_RULE_OP_EXISTS || t.op == SKED_RULE_OP_IN) t.value = 0;
        if (t.op == SKED_RULE_OP_IN) {
            t.first = (uint32_t)hash_below(state, VALUES);
            t.n = VALUES - t.first;
        }
        answers++;
        s->terms[i] = t;
    }
    for (int i = 0; i < VALUES; i++) {
        s->values[i] = (int64_t)hash_below(state, 5);
    }
}

static uint64_t judge_some(uint64_t h, uint64_t *state)
{
    sample s;
    int32_t answer;

    draw_rule(&s, state);
    draw_pairs(&s, state);
    const sked_rule_input in = {.struct_size = sizeof in,
                                .flags = (uint32_t)hash_below(state, 4),
                                .terms = s.terms,
                                .n_terms = s.n,
                                .values = s.values,
                                .n_values = VALUES,
                                .node = s.pairs,
                                .n_node = PAIRS};
    HASH_MUST(sked_rule_judge(&in, &answer, NULL) == SKED_OK);
    return hash_add(h, (uint64_t)answer);
}

static void tell(sked_engine *engine, const sample *s, sked_event event)
{
    static const int64_t amounts[] = {20, 3, 2, 1};
    const int32_t pairs[] = {0, PAIRS};
    const int32_t terms[] = {0, (int32_t)s->n};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 4,
                               .attribute_offsets = pairs,
                               .attributes = s->pairs,
                               .n_attributes = 1,
                               .rule_offsets = terms,
                               .rule_terms = s->terms,
                               .n_rules = 1,
                               .rule_values = s->values,
                               .n_rule_values = VALUES};

    HASH_MUST(sked_engine_apply(engine, &batch, NULL, NULL) == SKED_OK);
}

static void begin(sked_engine *engine, sample *s, uint64_t *state,
                  sked_queue_id leaf)
{
    for (uint64_t n = 1; n <= NODES; n++) {
        tell(engine, s,
             (sked_event){.kind = SKED_EVENT_NODE_UP, .key = n, .amount = 1});
    }
    tell(engine, s,
         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .queue = leaf});
    for (uint64_t a = 1; a <= ASKS; a++) {
        sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                          .key = a,
                          .owner = 1,
                          .count = 4,
                          .flags = SKED_ASK_KEEP};
        ask.amount = 2 + (uint32_t)hash_below(state, 3);
        tell(engine, s, ask);
    }
}

static uint64_t live(uint64_t h, uint64_t *state)
{
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    sample s = {.n = 0};

    HASH_MUST(sked_schema_parse("cpu=m", 5, NULL, &schema, NULL) == SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    HASH_MUST(sked_tree_add(tree, sked_tree_root(tree), "q", &leaf, NULL) ==
              SKED_OK);
    HASH_MUST(sked_tree_commit(tree, 0, NULL) == SKED_OK);
    HASH_MUST(sked_engine_new(tree, NULL, NULL, &engine, NULL) == SKED_OK);
    begin(engine, &s, state, leaf);
    for (int i = 0; i < STEPS; i++) {
        sked_event event = {.kind = SKED_EVENT_HEARTBEAT, .time = i};
        uint64_t what = hash_below(state, 4);
        event.key = 1 + hash_below(state, NODES);
        event.places = what < 2;
        if (what == 0) {
            event.kind = SKED_EVENT_NODE_ATTRIBUTES;
            draw_pairs(&s, state);
        } else if (what == 1) {
            event.kind = SKED_EVENT_ASK_RULE;
            event.key = 1 + hash_below(state, ASKS);
            draw_rule(&s, state);
        }
        tell(engine, &s, event);
    }
    h = hash_add(h, sked_engine_digest(engine));
    h = hash_add(h, sked_engine_state_digest(engine));
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return h;
}

uint64_t hash_rule(unsigned size);

uint64_t hash_rule(unsigned size)
{
    uint64_t state = 29, h = 0;

    for (unsigned i = 0; i < 2000 * size; i++) h = judge_some(h, &state);
    for (unsigned i = 0; i < 20 * size; i++) h = live(h, &state);
    return h;
}
