/* Planning: thresholds of tiers, SLOs and repairs, reports, and weeks of plans
 * for one tree. */
#include "hash.h"

#include <sched/sked.h>

#include <stdio.h>
#include <string.h>

enum { TIERS = 3, ENTRIES = 40, RUNS = 50, FLOWS = 8, QUEUES = 12, KINDS = 2 };

/* ---- Tiers ---- */

static uint64_t draw_tiers(uint64_t *state)
{
    int64_t low[TIERS], high[TIERS], table[TIERS * ENTRIES];
    int64_t threshold[TIERS] = {0}, allocation[TIERS] = {0};
    sked_wide usage[TIERS];
    sked_tiers_input in = {.struct_size = sizeof in,
                           .tiers = TIERS,
                           .low_ppm = low,
                           .high_ppm = high,
                           .usage = usage,
                           .allocation = table};
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = threshold,
                           .allocation = allocation};

    for (int t = 0; t < TIERS; t++) {
        int64_t grown = 1 + (int64_t)hash_below(state, 20);
        size_t n = 0;
        low[t] = 700000 - 50000 * t + (int64_t)hash_below(state, 60000);
        high[t] = low[t] + (int64_t)hash_below(state, 200000);
        usage[t].high = hash_below(state, 3);
        usage[t].low = hash_random(state);
        HASH_MUST(sked_tiers_thresholds(low[t], high[t], 0, NULL, 0, &n,
                                        NULL) == SKED_ERR_RANGE);
        for (size_t i = 0; i < n; i++) {
            table[in.n++] = grown;
            grown += (int64_t)hash_below(state, 5);
        }
    }
    in.total = (int64_t)hash_below(state, 120);
    HASH_MUST(sked_tiers_search(&in, NULL, &r, NULL) == SKED_OK);
    uint64_t h = hash_add((uint64_t)r.outcome, r.tier);
    h = hash_add(h, (uint64_t)r.smallest);
    h = hash_add_column(h, threshold, TIERS);
    return hash_add_column(h, allocation, TIERS);
}

/* ---- SLOs ---- */

typedef struct hash_runs {
    sked_slo_input in;
    int64_t slo[FLOWS];
    uint8_t tier[FLOWS];
    uint32_t workflow[RUNS];
    sked_time start[RUNS];
    sked_time end[RUNS];
    sked_wide work[RUNS];
} hash_runs;

static void draw_runs(hash_runs *s, uint64_t *state)
{
    *s = (hash_runs){.in = {.struct_size = sizeof s->in,
                            .workflows = FLOWS,
                            .n = RUNS,
                            .slo_ns = s->slo,
                            .tier = s->tier,
                            .workflow = s->workflow,
                            .start = s->start,
                            .end = s->end,
                            .work = s->work,
                            .instance = 16000,
                            .success_ppm = 500000}};
    for (int w = 0; w < FLOWS; w++) {
        s->slo[w] = 1 + (int64_t)(hash_random(state) >> 20);
        s->tier[w] = (uint8_t)(1 + hash_below(state, 2));
    }
    for (int i = 0; i < RUNS; i++) {
        s->workflow[i] = (uint32_t)hash_below(state, FLOWS);
        s->start[i] = (sked_time)(hash_random(state) >> 22);
        s->end[i] = s->start[i] + (sked_time)(hash_random(state) >> 20);
        s->work[i].high = hash_below(state, 9);
        s->work[i].low = hash_random(state);
    }
}

static uint64_t draw_slo(uint64_t *state)
{
    static hash_runs s;
    uint32_t runs[FLOWS], met[FLOWS];
    sked_slo_tier tier[SKED_MAX_TIERS];
    sked_slo_repair repair[FLOWS];
    sked_slo_result out = {
        .struct_size = sizeof out, .runs = runs, .met = met, .tier = tier};
    size_t n;

    draw_runs(&s, state);
    HASH_MUST(sked_slo_count(&s.in, NULL, &out, NULL) == SKED_OK);
    uint64_t h = hash_add(tier[0].successful, tier[1].successful);
    for (int w = 0; w < FLOWS; w++) h = hash_add(hash_add(h, runs[w]), met[w]);
    for (uint32_t t = 1; t <= 2; t++) {
        HASH_MUST(sked_slo_repairs(&s.in, t, NULL, repair, FLOWS, &n, NULL) ==
                  SKED_OK);
        for (size_t i = 0; i < n; i++) {
            h = hash_add(h, repair[i].workflow);
            h = hash_add(h, repair[i].missing);
            h = hash_add(h, (uint64_t)repair[i].extra);
        }
    }
    return h;
}

/* ---- Reports ---- */

static uint64_t draw_report(uint64_t *state)
{
    enum { CELLS = (TIERS + 1) * (KINDS + 1) };
    int64_t instance[KINDS], allocation[QUEUES], ratio[CELLS], stranded[KINDS];
    uint8_t tier[QUEUES];
    sked_wide used[QUEUES], usage[QUEUES * KINDS];
    sked_report_input in = {.struct_size = sizeof in,
                            .kinds = KINDS,
                            .tiers = TIERS,
                            .queues = QUEUES,
                            .instance = instance,
                            .tier = tier,
                            .allocation = allocation,
                            .used = used,
                            .usage = usage};
    sked_report_result r = {
        .struct_size = sizeof r, .ratio_ppm = ratio, .stranded = stranded};

    in.window_ns = 1 + (int64_t)(hash_random(state) >> 12);
    in.instances = 1 + (int64_t)hash_below(state, 200);
    for (int k = 0; k < KINDS; k++) {
        instance[k] = 1 + (int64_t)hash_below(state, 1u << 30);
    }
    for (int q = 0; q < QUEUES; q++) {
        tier[q] = (uint8_t)(1 + hash_below(state, TIERS));
        allocation[q] = (int64_t)hash_below(state, 30);
        used[q] = (sked_wide){0, hash_random(state)};
        for (int k = 0; k < KINDS; k++) {
            usage[q * KINDS + k].high = hash_below(state, 1u << 20);
            usage[q * KINDS + k].low = hash_random(state);
        }
    }
    HASH_MUST(sked_report(&in, NULL, &r, NULL) == SKED_OK);
    uint64_t h = hash_add((uint64_t)r.action, (uint64_t)r.reason);
    h = hash_add(hash_add(h, (uint64_t)r.by), (uint64_t)r.dominant);
    h = hash_add(h, r.disorder);
    h = hash_add_column(h, ratio, CELLS);
    return hash_add_column(h, stranded, KINDS);
}

/* ---- Plans ---- */

enum { JOBS = 30 };

typedef struct hash_jobs {
    sked_plan_jobs jobs;
    char bytes[2][JOBS * 4];
    int32_t offset[2][JOBS + 1];
    const char *text[2];
    const int32_t *at[2];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    uint32_t leaf[JOBS];
    int64_t allocation[JOBS];
    int64_t running[JOBS];
} hash_jobs;

static void draw_jobs(hash_jobs *s, uint64_t *state)
{
    s->jobs = (sked_plan_jobs){.struct_size = sizeof s->jobs,
                               .n = JOBS,
                               .fields = 2,
                               .text = s->text,
                               .offset = s->at,
                               .tier = s->tier};
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < JOBS; i++) {
            s->offset[f][i] = 2 * i;
            s->bytes[f][2 * i] = (char)('a' + f);
            s->bytes[f][2 * i + 1] = (char)('0' + hash_below(state, 4));
        }
        s->offset[f][JOBS] = 2 * JOBS;
        s->text[f] = s->bytes[f];
        s->at[f] = s->offset[f];
    }
    for (int i = 0; i < JOBS; i++) {
        s->tier[i] = (uint8_t)(1 + hash_below(state, 3));
        s->allocation[i] = (int64_t)hash_below(state, 40);
        s->start[i] = (sked_time)hash_below(state, 1000);
        s->end[i] = s->start[i] + (sked_time)hash_below(state, 300);
    }
}

/* One week: leaves, how many run at once, a plan, the tree after it. */
static uint64_t plan_week(sked_tree *tree, uint64_t *state)
{
    static hash_jobs s;
    static char text[16384];
    sked_plan_running_input apps = {.struct_size = sizeof apps,
                                    .n = JOBS,
                                    .queue = s.leaf,
                                    .start = s.start,
                                    .end = s.end};
    sked_plan_input in = {.struct_size = sizeof in,
                          .jobs = &s.jobs,
                          .allocation = s.allocation,
                          .max_running = s.running};
    sked_plan *plan;
    size_t n;

    draw_jobs(&s, state);
    HASH_MUST(sked_plan_leaves(&s.jobs, NULL, s.leaf, NULL, NULL, 0, &n,
                               NULL) == SKED_OK);
    in.leaves = (uint32_t)n;
    apps.queues = n;
    HASH_MUST(sked_plan_running(&apps, NULL, s.running, NULL) == SKED_OK);
    HASH_MUST(sked_plan_new(tree, &in, NULL, &plan, NULL) == SKED_OK);
    uint64_t h = hash_add(sked_plan_skipped(plan), sked_plan_count(plan));
    HASH_MUST(sked_diff_format(sked_plan_diff(plan), text, sizeof text, &n) ==
              SKED_OK);
    h = hash_add_text(h, text);
    HASH_MUST(sked_plan_apply(plan, tree, NULL, NULL) == SKED_OK);
    HASH_MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
              SKED_OK);
    sked_plan_free(plan);
    return hash_add(h, sked_tree_digest(tree));
}

uint64_t hash_plan(unsigned size);

uint64_t hash_plan(unsigned size)
{
    const char *const kinds[] = {"cpu"};
    uint64_t state = 19, h = 0;
    sked_schema *schema;
    sked_tree *tree;

    for (unsigned i = 0; i < 100 * size; i++) {
        h = hash_add(h, draw_tiers(&state));
        h = hash_add(h, draw_slo(&state));
        h = hash_add(h, draw_report(&state));
    }
    HASH_MUST(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL) == SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    for (unsigned i = 0; i < 20 * size; i++) {
        h = hash_add(h, plan_week(tree, &state));
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return h;
}
