/*
 * Advice against its parts, called one by one, and its proof against plain
 * simulations and SLOs counted by hand: random companies.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "host.h"
#include "size.h"

enum { JOBS = 40, ORGS = 3, FLOWS = 9, TIERS = 3 };

#define SECOND INT64_C(1000000000)

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

typedef struct company {
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[2];
    uint32_t n;
    char text[JOBS + 1];
    int32_t offset[JOBS + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t amounts[JOBS];
    sked_plan_jobs jobs;
    int64_t instance;
    int64_t low[TIERS];
    int64_t high[TIERS];
    sked_advice_input in;

    int64_t run[JOBS];
    int64_t tasks[JOBS];
    int64_t task[JOBS];
    sked_queue_id queue[JOBS];
    uint32_t flow[JOBS];
    uint8_t flow_tier[FLOWS];
    int64_t slo[JOBS];
    int64_t node;
    sked_sim_jobs work;
    sked_plan_jobs named;
    sked_sim_nodes nodes;
    sked_sim_options options;
    sked_advice_prove_input check;
} company;

static void make_jobs(company *c)
{
    c->n = 5 + (uint32_t)below(JOBS - 5);
    for (uint32_t f = 0; f < FLOWS; f++) {
        c->flow_tier[f] = (uint8_t)(1 + below(TIERS));
    }
    for (uint32_t i = 0; i < c->n; i++) {
        c->text[i] = (char)('a' + below(ORGS));
        c->offset[i + 1] = (int32_t)i + 1;
        c->flow[i] = (uint32_t)below(FLOWS);
        c->tier[i] = c->flow_tier[c->flow[i]];
        c->start[i] = (sked_time)below(100) * SECOND;
        c->run[i] = (1 + (int64_t)below(20)) * SECOND;
        c->end[i] = c->start[i] + c->run[i];
        c->tasks[i] = 1 + (int64_t)below(8);
        c->task[i] = 1 + (int64_t)below(4);
        c->amounts[i] = c->tasks[i] * c->task[i];
        c->queue[i] = c->leaf[below(2)];
        c->slo[i] = c->run[i] + (int64_t)below(30) * SECOND;
    }
}

static void make_input(company *c)
{
    c->texts[0] = c->text;
    c->offsets[0] = c->offset;
    c->instance = 2 + (int64_t)below(5);
    for (int t = 0; t < TIERS; t++) {
        c->low[t] = 500000;
        c->high[t] = 1000000 - t * 100000;
    }
    c->jobs = (sked_plan_jobs){.struct_size = sizeof c->jobs,
                               .n = c->n,
                               .fields = 1,
                               .tiers = TIERS,
                               .text = c->texts,
                               .offset = c->offsets,
                               .tier = c->tier,
                               .start = c->start,
                               .end = c->end,
                               .from = 0,
                               .to = (60 + (int64_t)below(60)) * SECOND};
    c->in = (sked_advice_input){.struct_size = sizeof c->in,
                                .flags = below(2) ? SKED_ADVICE_FLAG_ANYWAY : 0,
                                .kinds = 1,
                                .guaranteed_tiers = (uint32_t)below(3),
                                .jobs = &c->jobs,
                                .amounts = c->amounts,
                                .instance = &c->instance,
                                .instances = 20 + (int64_t)below(60),
                                .low_ppm = c->low,
                                .high_ppm = c->high};
}

static void make_check(company *c)
{
    c->node = 8 + (int64_t)below(20);
    c->nodes = (sked_sim_nodes){.count = 1 + (uint32_t)below(2),
                                .amounts = &c->node};
    c->work = (sked_sim_jobs){.struct_size = sizeof c->work,
                              .n = c->n,
                              .submit = c->start,
                              .run_ns = c->run,
                              .tasks = c->tasks,
                              .amounts = c->task,
                              .queue = c->queue};
    c->named = c->jobs;
    c->options = (sked_sim_options){.struct_size = sizeof c->options,
                                    .heartbeat_ns = below(2) ? SECOND : 0};
    c->check = (sked_advice_prove_input){.struct_size = sizeof c->check,
                                         .workflows = FLOWS,
                                         .jobs = &c->work,
                                         .names = &c->named,
                                         .nodes = &c->nodes,
                                         .n_nodes = 1,
                                         .options = &c->options,
                                         .workflow = c->flow,
                                         .tier = c->flow_tier,
                                         .slo_ns = c->slo};
}

static void make(company *c)
{
    memset(c, 0, sizeof *c);
    assert_ok(sked_schema_parse("cpu", 3, NULL, &c->schema, NULL));
    assert_ok(sked_tree_new(c->schema, NULL, NULL, &c->tree, NULL));
    sked_queue_id root = sked_tree_root(c->tree);
    assert_ok(sked_tree_add(c->tree, root, "x", &c->leaf[0], NULL));
    assert_ok(sked_tree_add(c->tree, root, "y", &c->leaf[1], NULL));
    assert_ok(sked_tree_commit(c->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    make_jobs(c);
    make_input(c);
    make_check(c);
}

static void drop(company *c)
{
    sked_tree_free(c->tree);
    sked_schema_free(c->schema);
}

/* ---- Part by part ---- */

typedef struct parts {
    uint32_t leaf[JOBS];
    uint8_t tier[JOBS];
    size_t leaves;
    int64_t threshold[TIERS];
    int64_t allocation[TIERS];
    sked_tiers_result tiers;
    sked_pctl_point point[JOBS];
    int64_t running[JOBS];
} parts;

static void measure(const company *c, parts *p)
{
    uint32_t queue[JOBS];
    sked_history *history;

    assert_ok(sked_plan_leaves(&c->jobs, NULL, p->leaf, NULL, p->tier, JOBS,
                               &p->leaves, NULL));
    for (uint32_t i = 0; i < c->n; i++) {
        queue[i] = p->leaf[i] == SKED_PLAN_NO_LEAF ? (uint32_t)p->leaves
                                                   : p->leaf[i];
    }
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_WINDOW,
                                 .queues = (uint32_t)p->leaves + 1,
                                 .to = c->jobs.to};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
                               .n = c->n,
                               .queue = queue,
                               .start = c->start,
                               .end = c->end,
                               .amount = c->amounts};
    assert_ok(sked_history_new(&c->instance, &opts, NULL, &history, NULL));
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    assert_ok(sked_history_settle(history, SKED_HISTORY_END, NULL));
    sked_tiers_plan_input request = {.struct_size = sizeof request,
                                     .tiers = TIERS,
                                     .queues = (uint32_t)p->leaves,
                                     .total = c->in.instances,
                                     .low_ppm = c->low,
                                     .high_ppm = c->high,
                                     .tier = p->tier};
    p->tiers = (sked_tiers_result){.struct_size = sizeof p->tiers,
                                   .threshold_ppm = p->threshold,
                                   .allocation = p->allocation};
    assert_ok(
        sked_tiers_plan(history, &request, NULL, &p->tiers, p->point, NULL));
    for (uint32_t i = 0; p->tiers.tier && i < p->leaves; i++) {
        sked_ratio part = {c->high[p->tier[i] - 1], SKED_PPM};
        assert_ok(sked_history_pctl(history, &i, 1, &part, 1, &p->point[i],
                                    NULL, NULL));
    }
    sked_history_free(history);
    sked_plan_running_input running = {.struct_size = sizeof running,
                                       .queues = (uint32_t)p->leaves,
                                       .n = c->n,
                                       .queue = p->leaf,
                                       .start = c->start,
                                       .end = c->end,
                                       .to = c->jobs.to};
    assert_ok(sked_plan_running(&running, NULL, p->running, NULL));
}

/* What the plan alone makes of the tree; the caller frees it. */
static sked_tree *planned(const company *c, const parts *p)
{
    int64_t allocation[JOBS];
    sked_plan_input in = {.struct_size = sizeof in,
                          .leaves = (uint32_t)p->leaves,
                          .jobs = &c->jobs,
                          .allocation = allocation,
                          .max_running = p->running};
    sked_plan *plan;
    sked_tree *copy;

    for (size_t i = 0; i < p->leaves; i++) allocation[i] = p->point[i].amount;
    assert_ok(sked_tree_copy(c->tree, NULL, &copy, NULL));
    assert_ok(sked_plan_new(c->tree, &in, NULL, &plan, NULL));
    assert_ok(sked_plan_apply(plan, copy, NULL, NULL));
    sked_plan_free(plan);
    return copy;
}

/* The leaf for others, and guarantees, on top of the plan. */
static void finish(const company *c, const parts *p, sked_tree *tree)
{
    sked_queue_id other;

    assert_ok(sked_tree_add(tree, sked_tree_root(tree), "other", &other, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    for (char org = 'a'; org < 'a' + ORGS; org++) {
        int64_t sum = 0;
        sked_queue_id id;
        char path[32];
        for (size_t i = 0; i < p->leaves; i++) {
            sked_plan_tier names[TIERS];
            assert_ok(sked_plan_tiers(TIERS, names, NULL));
            uint32_t job = 0;
            while (p->leaf[job] != i) job++;
            if (c->text[job] != org) continue;
            if (p->tier[i] > c->in.guaranteed_tiers) continue;
            int64_t own = p->point[i].amount * c->instance;
            snprintf(path, sizeof path, "root.%c.%s", org,
                     names[p->tier[i] - 1].name);
            assert_ok(sked_tree_find(tree, path, &id, NULL));
            assert_ok(
                sked_tree_set_vec(tree, id, SKED_QUEUE_GUARANTEE, &own, NULL));
            sum += own;
        }
        snprintf(path, sizeof path, "root.%c", org);
        if (!sum || sked_tree_find(tree, path, &id, NULL) != SKED_OK) continue;
        assert_ok(
            sked_tree_set_vec(tree, id, SKED_QUEUE_GUARANTEE, &sum, NULL));
    }
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void compare_parts(const company *c, const sked_advice *a,
                          const parts *p)
{
    sked_advice_result sum = {.struct_size = sizeof sum};
    sked_diff *diff;
    int chosen = p->tiers.tier == 0 || c->in.flags;

    assert_ok(sked_advice_get_result(a, &sum));
    assert_i64(sum.outcome, p->tiers.outcome);
    assert_i64(sum.tier, p->tiers.tier);
    assert_i64((int64_t)sum.leaves, (int64_t)p->leaves);
    assert_i64(sked_advice_plan(a) != NULL, chosen);
    if (!chosen) {
        assert_i64((int64_t)sum.changes, 0);
        return;
    }
    for (size_t i = 0; i < p->leaves; i++) {
        sked_advice_finding leaf = {.struct_size = sizeof leaf};
        assert_ok(sked_advice_leaf(a, i, &leaf));
        assert_i64(leaf.point.amount, p->point[i].amount);
        assert_i64(leaf.max_running, p->running[i]);
        assert_i64(leaf.tier, p->tier[i]);
    }
    sked_tree *tree = planned(c, p);
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    company bare = *c;
    if (p->tiers.outcome != SKED_TIERS_OK) bare.in.guaranteed_tiers = 0;
    finish(&bare, p, tree);
    assert_ok(sked_diff_new(tree, sked_advice_tree(a), NULL, &diff, NULL));
    assert_i64((int64_t)sked_diff_count(diff), 0);
    sked_diff_free(diff);
    sked_tree_free(tree);
}

/* ---- Proofs by hand ---- */

static sked_status last_end(void *user, const sked_sim_record *record, size_t n)
{
    sked_time *end = user;

    for (size_t i = 0; i < n; i++) {
        if (record[i].decision.kind != SKED_SIM_KIND_FINISH) continue;
        end[record[i].job] = record[i].decision.time;
    }
    return SKED_OK;
}

static void compare_side(const company *c, const sked_tree *tree,
                         const sked_queue_id *queue,
                         const sked_advice_side *side)
{
    uint32_t runs[FLOWS] = {0}, met[FLOWS] = {0};
    sked_time end[JOBS] = {0};
    sked_sim_jobs jobs = c->work;
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim *sim;

    jobs.queue = queue;
    assert_ok(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = tree,
                                       .jobs = &jobs,
                                       .nodes = &c->nodes,
                                       .n_nodes = 1},
                     &c->options, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, last_end, end, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    sked_sim_free(sim);
    assert_true(r.digest == side->digest);
    for (uint32_t i = 0; i < c->n; i++) {
        runs[c->flow[i]]++;
        met[c->flow[i]] += end[i] && end[i] - c->start[i] <= c->slo[i];
    }
    for (uint32_t t = 0; t < TIERS; t++) {
        sked_slo_tier want = {0, 0, 0, 0, 0};
        for (uint32_t f = 0; f < FLOWS; f++) {
            if (c->flow_tier[f] != t + 1) continue;
            want.workflows += runs[f] > 0;
            want.idle += runs[f] == 0;
            want.runs += runs[f];
            want.met += met[f];
            want.successful += runs[f] > 0 && met[f] * 10 >= runs[f] * 9;
        }
        assert_memory_equal(&side->tier[t], &want, sizeof want);
    }
}

/* Each job's leaf, by its path. */
static void find_queues(const company *c, const sked_advice *a,
                        sked_queue_id *queue)
{
    const sked_tree *tree = sked_advice_tree(a);
    sked_plan_tier names[TIERS];

    assert_ok(sked_plan_tiers(TIERS, names, NULL));
    for (uint32_t i = 0; i < c->n; i++) {
        char path[32];
        snprintf(path, sizeof path, "root.%c.%s", c->text[i],
                 names[c->tier[i] - 1].name);
        if (sked_tree_find(tree, path, &queue[i], NULL) == SKED_OK) continue;
        assert_ok(sked_tree_find(tree, "root.other", &queue[i], NULL));
    }
}

/* [MON-4] [MON-5] [MON-6] [MON-7] */
static void advice_is_its_parts(void **state)
{
    size_t proved = 0;

    (void)state;
    skedi_random_seed(&rng, 1, NULL);
    for (size_t life = 0; life < test_size(150, 1500); life++) {
        sked_advice_side side[2];
        sked_queue_id queue[JOBS];
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        sked_advice *advice;
        company c;
        parts p;
        make(&c);
        measure(&c, &p);
        assert_ok(sked_advice_new(c.tree, &c.in, &hooks, &advice, NULL));
        compare_parts(&c, advice, &p);
        assert_ok(sked_advice_prove(advice, c.tree, &c.check, side, NULL));
        compare_side(&c, c.tree, c.queue, &side[0]);
        if (sked_advice_plan(advice)) {
            find_queues(&c, advice, queue);
            compare_side(&c, sked_advice_tree(advice), queue, &side[1]);
            proved++;
        }
        assert_ok(sked_advice_apply(advice, c.tree, NULL, NULL));
        sked_advice_free(advice);
        assert_i64((int64_t)host.live, 0);
        drop(&c);
    }
    assert_true(proved > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice_is_its_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
