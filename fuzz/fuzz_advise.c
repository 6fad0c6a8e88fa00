/*
 * Any company: what is refused leaves nothing, advice leads to the tree that
 * it shows, and its proof counts every job on both sides.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { JOBS = 16, FLOWS = 4 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_advise.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct company {
    uint32_t n;
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
    int64_t instance;
    sked_plan_jobs jobs;
    sked_advice_input in;
} company;

/* Small, or anything at all. */
static int64_t any_number(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 253 ? x % 30 : fuzz_u64(in, 8) >> (x & 3));
}

static void any_job(fuzz_input *in, company *c, uint32_t i)
{
    c->text[i] = (char)('a' + fuzz_u64(in, 1) % 3);
    c->offset[i + 1] = (int32_t)i + 1;
    c->tier[i] = (uint8_t)(1 + fuzz_u64(in, 1) % 3);
    c->start[i] = any_number(in);
    c->run[i] = any_number(in);
    c->end[i] = c->start[i] + (c->run[i] & 0xffff);
    c->amounts[i] = any_number(in);
    c->slo[i] = any_number(in);
    c->flow[i] = (uint32_t)(fuzz_u64(in, 1) % FLOWS);
}

static void any_company(fuzz_input *in, company *c, sked_queue_id leaf)
{
    uint64_t flags = fuzz_u64(in, 1);

    memset(c, 0, sizeof *c);
    c->n = (uint32_t)(fuzz_u64(in, 1) % (JOBS + 1));
    for (uint32_t i = 0; i < c->n; i++) {
        any_job(in, c, i);
        c->queue[i] = leaf;
    }
    c->texts[0] = c->text;
    c->offsets[0] = c->offset;
    c->instance = any_number(in);
    c->jobs = (sked_plan_jobs){.struct_size = sizeof c->jobs,
                               .n = c->n,
                               .fields = 1,
                               .text = c->texts,
                               .offset = c->offsets,
                               .tier = c->tier,
                               .start = c->start,
                               .end = c->end,
                               .to = flags & 1 ? 40 : 0};
    c->in = (sked_advice_input){.struct_size = sizeof c->in,
                                .flags = (uint32_t)(flags >> 1 & 1),
                                .kinds = 1,
                                .guaranteed_tiers = (uint32_t)(flags >> 2 & 3),
                                .jobs = &c->jobs,
                                .amounts = c->amounts,
                                .instance = &c->instance,
                                .instances = any_number(in),
                                .other = flags & 16 ? "a" : NULL};
}

static void prove(const sked_advice *advice, const sked_tree *tree,
                  const company *c)
{
    const int64_t node = 40;
    const uint8_t tier[FLOWS] = {1, 2, 3, 1};
    sked_sim_jobs work = {.struct_size = sizeof work,
                          .n = c->n,
                          .submit = c->start,
                          .run_ns = c->run,
                          .amounts = c->amounts,
                          .queue = c->queue};
    sked_sim_nodes nodes = {.count = 1, .amounts = &node};
    sked_advice_prove_input check = {.struct_size = sizeof check,
                                     .workflows = FLOWS,
                                     .jobs = &work,
                                     .names = &c->jobs,
                                     .nodes = &nodes,
                                     .n_nodes = 1,
                                     .workflow = c->flow,
                                     .tier = tier,
                                     .slo_ns = c->slo};
    sked_advice_side side[2];

    if (sked_advice_prove(advice, tree, &check, side, NULL) != SKED_OK) return;
    for (int s = 0; s < 2; s++) {
        uint64_t runs = 0;
        for (int t = 0; t < SKED_MAX_TIERS; t++) runs += side[s].tier[t].runs;
        MUST(side[s].jobs == c->n);
        MUST(runs == c->n);
    }
}

static void advise(sked_tree *tree, const company *c)
{
    sked_advice *advice;
    sked_diff *diff;

    if (sked_advice_new(tree, &c->in, NULL, &advice, NULL) != SKED_OK) {
        MUST(advice == NULL);
        return;
    }
    prove(advice, tree, c);
    MUST(sked_advice_apply(advice, tree, NULL, NULL) == SKED_OK);
    MUST(sked_diff_new(tree, sked_advice_tree(advice), NULL, &diff, NULL) ==
         SKED_OK);
    MUST(sked_diff_count(diff) == 0);
    sked_diff_free(diff);
    sked_advice_free(advice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf;

    MUST(sked_schema_parse("cpu", 3, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    MUST(sked_tree_add(tree, sked_tree_root(tree), "all", &leaf, NULL) ==
         SKED_OK);
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    while (fuzz_more(&in)) {
        company c;
        any_company(&in, &c, leaf);
        advise(tree, &c);
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
