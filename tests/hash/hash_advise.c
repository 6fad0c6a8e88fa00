/* Advice: trees, numbers and proofs of random companies. */
#include <sched/sked.h>

#include "hash.h"

enum { JOBS = 60 };

typedef struct sample {
    char text[JOBS];
    int32_t offset[JOBS + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t run[JOBS];
    int64_t amounts[JOBS];
    int64_t slo[JOBS];
    uint32_t flow[JOBS];
    sked_queue_id queue[JOBS];
} sample;

static void make(sample *s, uint64_t *state, sked_queue_id leaf)
{
    s->texts[0] = s->text;
    s->offsets[0] = s->offset;
    s->offset[0] = 0;
    for (int32_t i = 0; i < JOBS; i++) {
        s->text[i] = (char)('a' + hash_below(state, 4));
        s->offset[i + 1] = i + 1;
        s->tier[i] = (uint8_t)(1 + hash_below(state, 3));
        s->flow[i] = s->tier[i] - 1u;
        s->start[i] = (sked_time)hash_below(state, 100);
        s->run[i] = 1 + (int64_t)hash_below(state, 20);
        s->end[i] = s->start[i] + s->run[i];
        s->amounts[i] = 1 + (int64_t)hash_below(state, 20);
        s->slo[i] = s->run[i] + (int64_t)hash_below(state, 20);
        s->queue[i] = leaf;
    }
}

static uint64_t add_side(uint64_t h, const sked_advice_side *side)
{
    h = hash_add(h, side->digest);
    for (int t = 0; t < 3; t++) {
        h = hash_add(h, side->tier[t].successful);
        h = hash_add(h, side->tier[t].met);
        h = hash_add(h, (uint64_t)side->delay[t].p95);
    }
    return h;
}

static uint64_t add_text(uint64_t h, const sked_advice *advice)
{
    char text[16384];

    HASH_MUST(sked_diff_format(sked_advice_diff(advice), text, sizeof text,
                               NULL) == SKED_OK);
    return hash_add_text(h, text);
}

static uint64_t one_life(uint64_t h, const sample *s, const sked_tree *tree,
                         int64_t instances)
{
    const int64_t instance = 4, node = 20;
    const uint8_t tier[] = {1, 2, 3};
    const sked_plan_jobs jobs = {.struct_size = sizeof jobs,
                                 .n = JOBS,
                                 .fields = 1,
                                 .text = s->texts,
                                 .offset = s->offsets,
                                 .tier = s->tier,
                                 .start = s->start,
                                 .end = s->end,
                                 .to = 100};
    const sked_advice_input in = {.struct_size = sizeof in,
                                  .flags = SKED_ADVICE_FLAG_ANYWAY,
                                  .kinds = 1,
                                  .guaranteed_tiers = 1,
                                  .jobs = &jobs,
                                  .amounts = s->amounts,
                                  .instance = &instance,
                                  .instances = instances};
    const sked_sim_jobs work = {.struct_size = sizeof work,
                                .n = JOBS,
                                .submit = s->start,
                                .run_ns = s->run,
                                .amounts = s->amounts,
                                .queue = s->queue};
    const sked_sim_nodes nodes = {.count = 2, .amounts = &node};
    const sked_advice_prove_input check = {.struct_size = sizeof check,
                                           .workflows = 3,
                                           .jobs = &work,
                                           .names = &jobs,
                                           .nodes = &nodes,
                                           .n_nodes = 1,
                                           .workflow = s->flow,
                                           .tier = tier,
                                           .slo_ns = s->slo};
    sked_advice_side side[2];
    sked_advice *advice;

    HASH_MUST(sked_advice_new(tree, &in, NULL, &advice, NULL) == SKED_OK);
    HASH_MUST(sked_advice_prove(advice, tree, &check, side, NULL) == SKED_OK);
    h = add_side(add_side(add_text(h, advice), &side[0]), &side[1]);
    sked_advice_free(advice);
    return h;
}

uint64_t hash_advise(unsigned size);

uint64_t hash_advise(unsigned size)
{
    uint64_t state = 31, h = 0;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf;
    sample s;

    HASH_MUST(sked_schema_parse("cpu", 3, NULL, &schema, NULL) == SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    HASH_MUST(sked_tree_add(tree, sked_tree_root(tree), "all", &leaf, NULL) ==
              SKED_OK);
    HASH_MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
              SKED_OK);
    for (unsigned life = 0; life < 30 * size; life++) {
        make(&s, &state, leaf);
        h = one_life(h, &s, tree, life % 2 ? 1000 : 20);
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return h;
}
