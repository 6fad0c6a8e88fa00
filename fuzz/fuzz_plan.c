/*
 * Any input to planning is answered or refused by the record that is wrong;
 * what is refused changes nothing, and what is answered keeps its promises:
 * tiers their orders and total, SLOs their sums, a plan that was applied leaves
 * nothing to plan.
 *
 * The bytes give sizes and columns, most of them small, some of them wild.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { TIERS = 3, ENTRIES = 64, FLOWS = 6, RUNS = 24, JOBS = 16, TEXT = 64 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_plan.c:%d: %s does not hold\n", line, what);
    abort();
}

static int64_t any_number(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 250 ? x : fuzz_u64(in, 8));
}

static sked_wide any_wide(fuzz_input *in)
{
    sked_wide x = {0, 0};
    uint64_t small = fuzz_u64(in, 1);

    x.low = small;
    if (small > 240) {
        x.high = fuzz_u64(in, 8);
        x.low = fuzz_u64(in, 8);
    }
    return x;
}

static void refused_by_row(sked_status rc, const sked_error *err, int64_t rows)
{
    if (rc == SKED_OK) return;
    MUST(rc == err->code);
    MUST(err->row >= -1 && err->row < rows);
}

/* ---- Tiers ---- */

static void check_tiers(const sked_tiers_input *in, const sked_tiers_result *r)
{
    int64_t sum = 0;

    if (r->tier) {
        MUST(r->smallest == -1);
        return;
    }
    for (uint32_t t = 0; t < in->tiers; t++) {
        MUST(r->threshold_ppm[t] >= in->low_ppm[t]);
        MUST(r->threshold_ppm[t] <= in->high_ppm[t]);
        if (t) MUST(r->threshold_ppm[t] <= r->threshold_ppm[t - 1]);
        sum += r->allocation[t];
    }
    MUST(sum == r->allocated);
    MUST(r->outcome != SKED_TIERS_TOTAL || r->smallest == sum);
    MUST(r->outcome != SKED_TIERS_OK || sum <= in->total);
}

static void op_tiers(fuzz_input *in)
{
    int64_t low[TIERS], high[TIERS], table[ENTRIES], threshold[TIERS],
        allocation[TIERS];
    sked_wide usage[TIERS];
    sked_tiers_input t = {.struct_size = sizeof t,
                          .tiers = (uint32_t)fuzz_u64(in, 1) % (TIERS + 1),
                          .step_ppm = any_number(in),
                          .total = any_number(in),
                          .low_ppm = low,
                          .high_ppm = high,
                          .usage = usage,
                          .allocation = table};
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = threshold,
                           .allocation = allocation};
    sked_error err;

    for (int i = 0; i < TIERS; i++) {
        low[i] = any_number(in);
        high[i] = any_number(in);
        usage[i] = any_wide(in);
    }
    t.n = fuzz_u64(in, 1) % (ENTRIES + 1);
    int64_t grown = 0;
    for (int i = 0; i < ENTRIES; i++) {
        uint64_t more = fuzz_u64(in, 1);
        grown = more < 250 ? grown + (int64_t)(more % 5) : any_number(in) / 8;
        if (grown < 0 || grown > SKED_AMOUNT_MAX / 32) grown = -1;
        table[i] = grown;
    }
    sked_status rc = sked_tiers_search(&t, NULL, &r, &err);
    refused_by_row(rc, &err, ENTRIES);
    if (rc == SKED_OK) check_tiers(&t, &r);
}

/* ---- SLOs ---- */

static void op_slo(fuzz_input *in)
{
    int64_t slo[FLOWS];
    uint8_t tier[FLOWS];
    uint32_t workflow[RUNS], runs[FLOWS], met[FLOWS];
    sked_time start[RUNS], end[RUNS];
    sked_wide work[RUNS];
    sked_slo_tier counts[SKED_MAX_TIERS];
    sked_slo_repair repair[FLOWS];
    size_t n = 99;
    sked_error err;
    sked_slo_input s = {.struct_size = sizeof s,
                        .workflows = (uint32_t)fuzz_u64(in, 1) % (FLOWS + 1),
                        .n = (uint32_t)fuzz_u64(in, 1) % (RUNS + 1),
                        .slo_ns = slo,
                        .tier = tier,
                        .workflow = workflow,
                        .start = start,
                        .end = end,
                        .work = work,
                        .instance = any_number(in),
                        .success_ppm = any_number(in) % 2000000,
                        .from = any_number(in),
                        .to = any_number(in)};
    sked_slo_result out = {
        .struct_size = sizeof out, .runs = runs, .met = met, .tier = counts};

    for (int i = 0; i < FLOWS; i++) {
        slo[i] = any_number(in);
        tier[i] = (uint8_t)(fuzz_u64(in, 1) % 18);
    }
    for (int i = 0; i < RUNS; i++) {
        workflow[i] = (uint32_t)fuzz_u64(in, 1) % (FLOWS + 1);
        start[i] = any_number(in);
        end[i] = any_number(in);
        work[i] = any_wide(in);
    }
    sked_status rc = sked_slo_count(&s, NULL, &out, &err);
    refused_by_row(rc, &err, RUNS);
    uint32_t all = 0;
    for (uint32_t w = 0; rc == SKED_OK && w < s.workflows; w++) {
        MUST(met[w] <= runs[w]);
        all += runs[w];
    }
    if (rc == SKED_OK) MUST(all <= s.n);
    rc = sked_slo_repairs(&s, 1, NULL, repair, FLOWS, &n, &err);
    refused_by_row(rc, &err, RUNS);
    MUST((rc == SKED_OK) == (n <= FLOWS));
    for (size_t i = 0; rc == SKED_OK && i < n; i++) {
        MUST(repair[i].missing >= 1 && repair[i].extra >= 0);
        MUST(repair[i].met + repair[i].missing <= repair[i].runs);
    }
}

/* ---- Plans ---- */

static sked_tree *small_tree(fuzz_input *in)
{
    const char *const kinds[] = {"cpu"};
    sked_queue_id id[12] = {0};
    sked_schema *schema;
    sked_tree *tree;
    sked_tree_options opts = {.struct_size = sizeof opts, .max_queues = 40};
    size_t n = 1;

    MUST(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL) == SKED_OK);
    MUST(sked_tree_new(schema, &opts, NULL, &tree, NULL) == SKED_OK);
    sked_schema_free(schema);
    id[0] = sked_tree_root(tree);
    for (uint64_t more = fuzz_u64(in, 1) % 12; more > 0; more--) {
        char name[2] = {(char)('a' + fuzz_u64(in, 1) % 4), 0};
        uint64_t at = fuzz_u64(in, 1);
        if (n < 12 &&
            sked_tree_add(tree, id[at % n], name, &id[n], NULL) == SKED_OK) {
            (void)!sked_tree_set(tree, id[n], SKED_QUEUE_WEIGHT,
                                 (int64_t)(at / 8), NULL);
            n++;
        }
    }
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    return tree;
}

typedef struct fuzz_jobs {
    sked_plan_jobs jobs;
    char bytes[TEXT];
    int32_t offset[2][JOBS + 1];
    const char *text[2];
    const int32_t *at[2];
    int32_t level[4];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t allocation[JOBS];
    int64_t running[JOBS];
    uint8_t used[64];
} fuzz_jobs;

static void any_jobs(fuzz_jobs *s, fuzz_input *in)
{
    *s = (fuzz_jobs){.jobs = {.struct_size = sizeof s->jobs,
                              .n = (uint32_t)fuzz_u64(in, 1) % (JOBS + 1),
                              .fields = (uint32_t)fuzz_u64(in, 1) % 3,
                              .levels = (uint32_t)fuzz_u64(in, 1) % 5,
                              .text = s->text,
                              .offset = s->at,
                              .level = s->level,
                              .tier = s->tier,
                              .start = s->start,
                              .end = s->end}};
    uint64_t window = fuzz_u64(in, 1);
    if (window > 99) s->jobs.from = 5, s->jobs.to = (sked_time)(window % 30);
    for (int i = 0; i < TEXT; i++) {
        uint64_t c = fuzz_u64(in, 1);
        s->bytes[i] = (char)(c < 240 ? 'a' + c % 4 : c % 97);
    }
    for (int f = 0; f < 2; f++) {
        int32_t at = 0;
        for (int i = 0; i <= JOBS; i++) {
            s->offset[f][i] = at;
            at += (int32_t)(fuzz_u64(in, 1) % 8 == 0 ? fuzz_u64(in, 1) % 3 : 1);
        }
        s->text[f] = s->bytes + f;
        s->at[f] = s->offset[f];
    }
    for (int i = 0; i < 4; i++)
        s->level[i] = (int32_t)(fuzz_u64(in, 1) % 4) - 1;
    for (int i = 0; i < JOBS; i++) {
        s->tier[i] = (uint8_t)(fuzz_u64(in, 1) % 5);
        if (s->tier[i] == 0) s->tier[i] = (uint8_t)(fuzz_u64(in, 1) % 4);
        s->start[i] = (sked_time)(fuzz_u64(in, 1) % 40);
        s->end[i] = s->start[i] + (sked_time)(fuzz_u64(in, 1) % 9);
        s->allocation[i] = any_number(in);
        s->running[i] = 1 + any_number(in) % 40;
    }
    for (int i = 0; i < 64; i++) s->used[i] = fuzz_u64(in, 1) > 230;
}

/* What was applied leaves nothing to do. */
static void plan_again(sked_tree *tree, sked_plan *plan, sked_plan_input in)
{
    uint64_t before = sked_tree_digest(tree);
    sked_error err;
    sked_plan *next;

    if (sked_plan_apply(plan, tree, NULL, &err) != SKED_OK) {
        MUST(sked_tree_digest(tree) == before);
        return;
    }
    MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK);
    MUST(sked_tree_check(tree, NULL) == SKED_OK);
    in.used = NULL; /* rows are others now */
    in.flags = SKED_PLAN_FLAG_KEEP_IDLE;
    if (sked_plan_new(tree, &in, NULL, &next, &err) != SKED_OK) return;
    MUST(sked_plan_count(next) == 0);
    sked_plan_free(next);
}

static void op_plan(fuzz_input *in)
{
    static fuzz_jobs s;
    sked_tree *tree = small_tree(in);
    sked_plan_input p = {.struct_size = sizeof p,
                         .jobs = &s.jobs,
                         .allocation = s.allocation,
                         .max_running = s.running,
                         .used = s.used,
                         .dead_band_ppm = any_number(in) % SKED_PPM};
    uint64_t before = sked_tree_digest(tree);
    sked_plan *plan;
    size_t n = 0;
    sked_error err;

    any_jobs(&s, in);
    sked_status rc = sked_plan_leaves(&s.jobs, NULL, NULL, NULL, NULL, 0, &n,
                                      &err);
    refused_by_row(rc, &err, JOBS);
    p.leaves = (uint32_t)n;
    rc = sked_plan_new(tree, &p, NULL, &plan, &err);
    refused_by_row(rc, &err, JOBS);
    MUST(sked_tree_digest(tree) == before);
    if (rc == SKED_OK) plan_again(tree, plan, p);
    sked_plan_free(plan);
    sked_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};

    while (fuzz_more(&in)) {
        switch (fuzz_u64(&in, 1) % 3) {
        case 0: op_tiers(&in); break;
        case 1: op_slo(&in); break;
        case 2: op_plan(&in); break;
        }
    }
    return 0;
}
