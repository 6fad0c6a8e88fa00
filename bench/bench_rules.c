/*
 * Rules over nodes: a pass over all of them for asks with rules, beside the same
 * pass for the same asks without. Rules are a part of shapes, so the cost goes
 * by rules and not by asks.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    RULES_KINDS = 20,
    RULES_NODES = 10000,
    RULES_ZONES = 40,
    RULES_ZONE = 1
};

typedef struct rules_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    size_t asks;
    int ruled;
    uint64_t started;
    sked_error err;
} rules_world;

static void rules_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_rules: %s\n", err->message);
    abort();
}

/* One event; nodes are in zones, and rule r takes every zone but two. */
static void rules_tell(rules_world *w, sked_event event)
{
    static const int64_t amounts[] = {16, 1};
    static const int32_t one[] = {0, 1}, two[] = {0, 2};
    const sked_rule_attribute zone = {RULES_ZONE,
                                      (int64_t)(event.key % RULES_ZONES)};
    const int64_t r = 2 * (int64_t)(event.key % RULES_KINDS);
    const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_NOT, .key = RULES_ZONE, .value = r},
        {.op = SKED_RULE_OP_NOT, .key = RULES_ZONE, .value = r + 1}};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 2,
                               .attribute_offsets = one,
                               .attributes = &zone,
                               .n_attributes = 1,
                               .rule_offsets = two,
                               .rule_terms = terms,
                               .n_rules = 1};

    rules_ok(sked_engine_apply(w->engine, &batch, NULL, &w->err), &w->err);
}

/* An engine with empty nodes and open asks, anew. */
static void rules_begin(void *arg)
{
    rules_world *w = arg;

    sked_engine_free(w->engine);
    rules_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err),
             &w->err);
    for (uint64_t n = 1; n <= RULES_NODES; n++) {
        rules_tell(
            w, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = n, .amount = 1});
        rules_tell(w, (sked_event){.kind = SKED_EVENT_NODE_ATTRIBUTES,
                                   .key = n,
                                   .places = 1});
    }
    rules_tell(w, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                               .key = 1,
                               .queue = w->leaf});
    for (uint64_t a = 1; a <= w->asks; a++) {
        rules_tell(w, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = a,
                                   .owner = 1,
                                   .count = 100,
                                   .amount = 2});
        if (!w->ruled) continue;
        rules_tell(w, (sked_event){
                          .kind = SKED_EVENT_ASK_RULE, .key = a, .places = 1});
    }
}

static void rules_pass(void *arg)
{
    rules_world *w = arg;
    sked_engine_stats stats = {.struct_size = sizeof stats};

    rules_ok(sked_engine_pass(w->engine, 1, 0, &w->err), &w->err);
    rules_ok(sked_engine_get_stats(w->engine, &stats), &w->err);
    w->started = stats.allocated;
}

static rules_world *rules_make(size_t asks, int ruled)
{
    rules_world *w = bench_new(1, sizeof *w);

    w->asks = asks;
    w->ruled = ruled;
    rules_ok(sked_schema_parse("cpu=1", 5, NULL, &w->schema, &w->err), &w->err);
    rules_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err), &w->err);
    rules_ok(
        sked_tree_add(w->tree, sked_tree_root(w->tree), "q", &w->leaf, &w->err),
        &w->err);
    rules_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
    return w;
}

static void rules_drop(rules_world *w)
{
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w);
}

static void pass_by_rules(bench *b, size_t n)
{
    rules_world *with = rules_make(n, 1), *without = rules_make(n, 0);

    bench_compare(
        b,
        &(bench_row){.n = n,
                     .unit = BENCH_MS,
                     .metric = "ms a pass over 10,000 nodes, 20 rules",
                     .reference = "the same asks without rules"},
        &(bench_job){
            .run = rules_pass, .before = rules_begin, .arg = with, .ops = 1},
        &(bench_job){.run = rules_pass,
                     .before = rules_begin,
                     .arg = without,
                     .ops = 1});
    bench_must(b, with->started == without->started && with->started > 0,
               "as many tasks start");
    rules_drop(with);
    rules_drop(without);
}

const bench_entry bench_rules[] = {{"engine.rules",
                                    "a pass for asks that go by rules",
                                    pass_by_rules, 1000, 0, 0},
                                   {0}};
