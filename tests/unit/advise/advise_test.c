/*
 * Advice on a small company: what it says, that it is what the parts say one
 * by one, and that the important work is better off under it.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { JOBS = 12 };

#define SECOND INT64_C(1000000000)

/* A tree with one leaf for all; two organisations that share it. */
typedef struct company {
    test_host host;
    sked_host hooks;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id mix;
    sked_advice *advice;

    char text[256];
    int32_t offset[JOBS + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t amounts[JOBS];
    sked_plan_jobs jobs;
    int64_t instance[1];
    sked_advice_input in;
} company;

static sked_status make_tree(company *c)
{
    const char *kinds = "cpu";
    sked_status rc = sked_schema_parse(kinds, strlen(kinds), &c->hooks,
                                       &c->schema, NULL);

    if (rc == SKED_OK) {
        rc = sked_tree_new(c->schema, NULL, &c->hooks, &c->tree, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_add(c->tree, sked_tree_root(c->tree), "mix", &c->mix,
                           NULL);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(c->tree, SKED_TREE_COMMIT_LENIENT, NULL);
    return rc;
}

/* A job of an organisation that held so much from one second to another. */
static void held(company *c, const char *org, uint8_t tier, int64_t cpu,
                 int64_t from, int64_t to)
{
    uint32_t i = c->jobs.n++;
    size_t n = strlen(org);

    memcpy(c->text + c->offset[i], org, n);
    c->offset[i + 1] = c->offset[i] + (int32_t)n;
    c->tier[i] = tier;
    c->amounts[i] = cpu;
    c->start[i] = from * SECOND;
    c->end[i] = to * SECOND;
}

static sked_status make(company *c)
{
    c->hooks = test_host_hooks(&c->host);
    c->texts[0] = c->text;
    c->offsets[0] = c->offset;
    c->jobs = (sked_plan_jobs){.struct_size = sizeof c->jobs,
                               .fields = 1,
                               .text = c->texts,
                               .offset = c->offsets,
                               .tier = c->tier,
                               .start = c->start,
                               .end = c->end,
                               .from = 0,
                               .to = 100 * SECOND};
    c->instance[0] = 10;
    c->in = (sked_advice_input){.struct_size = sizeof c->in,
                                .kinds = 1,
                                .jobs = &c->jobs,
                                .amounts = c->amounts,
                                .instance = c->instance,
                                .instances = 20};
    held(c, "ads", 1, 25, 0, 20);
    held(c, "ads", 3, 50, 0, 50);
    held(c, "ml", 3, 40, 50, 100);
    held(c, "ml", 3, 20, 60, 90);
    held(c, "late", 3, 20, 100, 120); /* after the window */
    return make_tree(c);
}

static void drop(company *c)
{
    sked_advice_free(c->advice);
    sked_tree_free(c->tree);
    sked_schema_free(c->schema);
}

static int setup(void **state)
{
    static company c;

    memset(&c, 0, sizeof c);
    *state = &c;
    return make(&c);
}

static int teardown(void **state)
{
    company *c = *state;

    drop(c);
    return c->host.live == 0 ? 0 : -1;
}

static void advise(company *c)
{
    assert_ok(sked_advice_new(c->tree, &c->in, &c->hooks, &c->advice, NULL));
}

static sked_queue_id queue(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(tree, path, &id, NULL));
    return id;
}

static int64_t set_to(const sked_tree *tree, const char *path,
                      int32_t attribute)
{
    int64_t value = 0;

    assert_ok(sked_tree_get(tree, queue(tree, path), attribute, &value));
    return value;
}

/* [MON-3] [MON-5] [MON-6] [MON-11] */
static void leaves_get_what_they_needed(void **state)
{
    company *c = *state;
    sked_advice_result sum = {.struct_size = sizeof sum};
    sked_advice_finding leaf = {.struct_size = sizeof leaf};

    advise(c);
    assert_ok(sked_advice_get_result(c->advice, &sum));
    assert_i64(sum.outcome, SKED_TIERS_OK);
    assert_i64(sum.leaves, 3);
    assert_i64(sum.allocation[0], 3);
    assert_i64(sum.allocation[2], 5 + 6);
    assert_ok(sked_advice_leaf(c->advice, 2, &leaf));
    assert_i64(leaf.point.amount, 6);
    assert_i64(leaf.point.lower, 4);
    assert_i64(leaf.total.in_use, 50 * SECOND);
    assert_i64(leaf.max_running, 3); /* two at once, a quarter more */
    assert_i64(leaf.threshold_ppm, SKED_PPM);

    const sked_tree *tree = sked_advice_tree(c->advice);
    assert_true(leaf.queue == queue(tree, "root.ml.default"));
    assert_i64(set_to(tree, "root.ads.tier1", SKED_QUEUE_WEIGHT), 3);
    assert_i64(set_to(tree, "root.ads", SKED_QUEUE_WEIGHT), 8);
    assert_i64(set_to(tree, "root.ml.default", SKED_QUEUE_MAX_RUNNING), 3);
    assert_i64(set_to(tree, "root.ads.tier1", SKED_QUEUE_PREEMPT_FROM), 0);
    assert_i64(set_to(tree, "root.other", SKED_QUEUE_WEIGHT), SKED_UNSET);
    sked_queue_id none;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(tree, "root.mix", &none, NULL));
}

/* [MON-4] When usage rules the orders out, or nothing fits, it is said. */
static void what_cannot_be_is_said(void **state)
{
    company *c = *state;
    sked_advice_result sum = {.struct_size = sizeof sum};
    sked_advice_finding leaf = {.struct_size = sizeof leaf};

    c->in.instances = 5;
    c->in.guaranteed_tiers = 3;
    advise(c);
    assert_ok(sked_advice_get_result(c->advice, &sum));
    assert_i64(sum.outcome, SKED_TIERS_TOTAL);
    assert_true(sum.smallest > 5);
    assert_non_null(sked_advice_plan(c->advice));
    sked_advice_free(c->advice);

    c->end[0] = 100 * SECOND; /* tier 1 uses all it needs, all the time */
    advise(c);
    assert_ok(sked_advice_get_result(c->advice, &sum));
    assert_i64(sum.outcome, SKED_TIERS_RATIOS);
    assert_i64((int64_t)sum.changes, 0);
    assert_null(sked_advice_plan(c->advice));
    assert_status(SKED_ERR_RANGE, sked_advice_leaf(c->advice, 0, &leaf));
    assert_ok(sked_advice_apply(c->advice, c->tree, NULL, NULL));
    sked_advice_free(c->advice);

    c->in.flags = SKED_ADVICE_FLAG_ANYWAY;
    c->in.high_ppm = (const int64_t[]){SKED_PPM, SKED_PPM, 600000};
    advise(c);
    assert_ok(sked_advice_get_result(c->advice, &sum));
    assert_i64(sum.outcome, SKED_TIERS_RATIOS);
    assert_i64(sum.allocation[0], 3);
    assert_i64(sum.allocation[2], 5 + 6);
    assert_i64(sum.allocated, 3 + 5 + 6);
    assert_ok(sked_advice_leaf(c->advice, 2, &leaf));
    assert_i64(leaf.threshold_ppm, 600000);
    assert_i64(leaf.point.amount, 6);
    assert_true(sum.changes > 0);
}

static void guarantees_go_to_the_first_tiers(void **state)
{
    company *c = *state;
    int64_t amount;

    c->in.guaranteed_tiers = 1;
    advise(c);
    const sked_tree *tree = sked_advice_tree(c->advice);
    assert_ok(sked_tree_get_vec(tree, queue(tree, "root.ads.tier1"),
                                SKED_QUEUE_GUARANTEE, &amount));
    assert_i64(amount, 30);
    assert_ok(sked_tree_get_vec(tree, queue(tree, "root.ads"),
                                SKED_QUEUE_GUARANTEE, &amount));
    assert_i64(amount, 30);
    assert_ok(sked_tree_get_vec(tree, queue(tree, "root.ml"),
                                SKED_QUEUE_GUARANTEE, &amount));
    assert_i64(amount, 0);
    sked_advice_free(c->advice);
    c->advice = NULL;
    c->instance[0] = (int64_t)3 << 60; /* two of them are too much */
    c->amounts[0] = SKED_AMOUNT_MAX;
    sked_error err;
    sked_status rc = sked_advice_new(c->tree, &c->in, &c->hooks, &c->advice,
                                     &err);
    assert_status(SKED_ERR_RANGE, rc);
    assert_string_equal(err.message, "guarantees are more than amounts can be");
    assert_null(c->advice);
}

/* One edit, one commit; the second time there is nothing to do. */
static void applying_leads_to_the_tree_that_was_shown(void **state)
{
    company *c = *state;
    sked_advice_result sum = {.struct_size = sizeof sum};
    sked_diff *diff;

    c->in.guaranteed_tiers = 2;
    advise(c);
    assert_ok(sked_advice_apply(c->advice, c->tree, NULL, NULL));
    assert_ok(
        sked_diff_new(c->tree, sked_advice_tree(c->advice), NULL, &diff, NULL));
    assert_i64((int64_t)sked_diff_count(diff), 0);
    sked_diff_free(diff);
    assert_status(SKED_ERR_EXISTS,
                  sked_advice_apply(c->advice, c->tree, NULL, NULL));
    sked_advice_free(c->advice);
    advise(c);
    assert_ok(sked_advice_get_result(c->advice, &sum));
    assert_i64((int64_t)sum.changes, 0);
}

/* ---- Proofs ---- */

enum { WORK = 6 };

typedef struct work {
    sked_time submit[WORK];
    int64_t run[WORK];
    int64_t tasks[WORK];
    int64_t amounts[WORK];
    sked_queue_id queue[WORK];
    uint32_t workflow[WORK];
    uint8_t tier[WORK];
    int64_t slo[WORK];
    char text[64];
    int32_t offset[WORK + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t name_tier[WORK];
    int64_t node;
    sked_sim_jobs jobs;
    sked_plan_jobs names;
    sked_sim_nodes nodes;
    sked_sim_options options;
    sked_advice_prove_input check;
} work;

/* Job `i`: submitted at, so many tasks of one cpu, ends within. */
static void add_work(work *w, uint32_t i, const char *org, uint8_t tier,
                     int64_t at, int64_t tasks, int64_t run, int64_t slo)
{
    size_t n = strlen(org);

    memcpy(w->text + w->offset[i], org, n);
    w->offset[i + 1] = w->offset[i] + (int32_t)n;
    w->name_tier[i] = w->tier[i] = tier;
    w->submit[i] = at * SECOND;
    w->tasks[i] = tasks;
    w->run[i] = run * SECOND;
    w->amounts[i] = 1;
    w->slo[i] = slo * SECOND;
    w->workflow[i] = i;
}

/* Much unimportant work, then a little that matters. */
static void make_work(work *w, const company *c)
{
    memset(w, 0, sizeof *w);
    add_work(w, 0, "ads", 3, 0, 100, 10, 200);
    add_work(w, 1, "ads", 3, 0, 100, 10, 300);
    add_work(w, 2, "ml", 3, 0, 100, 10, 300);
    add_work(w, 3, "ads", 1, 5, 20, 10, 90);
    add_work(w, 4, "new", 3, 6, 1, 1, 500); /* nobody knew it */
    add_work(w, 5, "ads", 1, 7, 1, 10, 5);  /* can meet nothing */
    for (int i = 0; i < WORK; i++) w->queue[i] = c->mix;
    w->texts[0] = w->text;
    w->offsets[0] = w->offset;
    w->node = 20;
    w->nodes = (sked_sim_nodes){.count = 1, .amounts = &w->node};
    w->jobs = (sked_sim_jobs){.struct_size = sizeof w->jobs,
                              .n = WORK,
                              .submit = w->submit,
                              .run_ns = w->run,
                              .tasks = w->tasks,
                              .amounts = w->amounts,
                              .queue = w->queue};
    w->names = (sked_plan_jobs){.struct_size = sizeof w->names,
                                .n = WORK,
                                .fields = 1,
                                .text = w->texts,
                                .offset = w->offsets,
                                .tier = w->name_tier};
    w->options = (sked_sim_options){.struct_size = sizeof w->options,
                                    .heartbeat_ns = SECOND};
    w->check = (sked_advice_prove_input){.struct_size = sizeof w->check,
                                         .workflows = WORK,
                                         .jobs = &w->jobs,
                                         .names = &w->names,
                                         .nodes = &w->nodes,
                                         .n_nodes = 1,
                                         .options = &w->options,
                                         .workflow = w->workflow,
                                         .tier = w->tier,
                                         .slo_ns = w->slo};
}

/* [MON-7] First come, first served makes the important wait; weights do not. */
static void the_important_are_better_off(void **state)
{
    company *c = *state;
    sked_advice_side side[2];
    work w;

    advise(c);
    make_work(&w, c);
    assert_ok(sked_advice_prove(c->advice, c->tree, &w.check, side, NULL));
    for (int i = 0; i < 2; i++) {
        assert_i64((int64_t)side[i].jobs, WORK);
        assert_i64((int64_t)side[i].unfinished, 0);
        assert_i64((int64_t)side[i].tier[0].workflows, 2);
        assert_i64((int64_t)side[i].tier[2].workflows, 4);
    }
    assert_i64((int64_t)side[0].tier[0].successful, 0);
    assert_i64((int64_t)side[1].tier[0].successful, 1);
    assert_i64((int64_t)side[0].tier[2].successful, 4);
    assert_i64((int64_t)side[1].tier[2].successful, 4);
    assert_true(side[1].delay[0].max < side[0].delay[0].max);
    assert_i64(side[0].delay[1].n, 0);
    assert_true(side[0].digest != side[1].digest);

    sked_sim *sim; /* the first side is the plain simulation */
    sked_sim_result r = {.struct_size = sizeof r};
    assert_ok(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = c->tree,
                                       .jobs = &w.jobs,
                                       .nodes = &w.nodes,
                                       .n_nodes = 1},
                     &w.options, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, NULL, NULL, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    assert_true(r.digest == side[0].digest);
    assert_i64(r.end, side[0].end);
    sked_sim_free(sim);
}

static void what_does_not_end_meets_nothing(void **state)
{
    company *c = *state;
    sked_advice_side side[2];
    work w;

    advise(c);
    make_work(&w, c);
    w.options.until_ns = 4 * SECOND;
    assert_ok(sked_advice_prove(c->advice, c->tree, &w.check, side, NULL));
    assert_i64((int64_t)side[0].unfinished, WORK);
    assert_i64((int64_t)side[0].tier[2].met, 0);
    assert_i64((int64_t)side[1].tier[2].met, 0);
}

static void no_advice_proves_the_tree_against_itself(void **state)
{
    company *c = *state;
    sked_advice_side side[2];
    work w;

    c->end[0] = 100 * SECOND;
    advise(c);
    make_work(&w, c);
    assert_ok(sked_advice_prove(c->advice, c->tree, &w.check, side, NULL));
    assert_memory_equal(&side[0], &side[1], sizeof side[0]);
}

/* ---- Refusals ---- */

static void refused(company *c, sked_status why)
{
    sked_advice *advice;
    sked_error err = {.code = SKED_OK};

    assert_status(why, sked_advice_new(c->tree, &c->in, NULL, &advice, &err));
    assert_status(why, err.code);
    assert_null(advice);
}

static void bad_input_is_refused(void **state)
{
    company *c = *state;
    const sked_advice_input good = c->in;

    c->in.flags = 2;
    refused(c, SKED_ERR_ARG);
    c->in = good;
    c->in.guaranteed_tiers = SKED_MAX_TIERS + 1;
    refused(c, SKED_ERR_ARG);
    c->in = good;
    c->in.jobs = NULL;
    refused(c, SKED_ERR_ARG);
    c->in = good;
    c->in.instance = NULL;
    refused(c, SKED_ERR_ARG);
    c->in = good;
    c->in.amounts = NULL;
    refused(c, SKED_ERR_ARG);
    c->in = good;
    c->in.kinds = 2;
    refused(c, SKED_ERR_SCHEMA);
    c->in = good;
    c->in.struct_size = 12;
    refused(c, SKED_ERR_VERSION);
    c->in = good;
    c->in.below = 12345;
    refused(c, SKED_ERR_STALE);
    c->in = good;
    c->amounts[1] = -1;
    refused(c, SKED_ERR_RANGE);
    c->amounts[1] = 1;
    c->tier[1] = 9;
    refused(c, SKED_ERR_RANGE);
    c->tier[1] = 1;
    c->in.low_ppm = (const int64_t[]){0, 0, 0};
    refused(c, SKED_ERR_RANGE);
}

static void refused_check(company *c, const work *w, sked_status why)
{
    sked_advice_side side[2];
    sked_error err = {.code = SKED_OK};

    assert_status(why,
                  sked_advice_prove(c->advice, c->tree, &w->check, side, &err));
    assert_status(why, err.code);
}

static void bad_checks_are_refused(void **state)
{
    company *c = *state;
    work w;

    advise(c);
    make_work(&w, c);
    const sked_advice_prove_input good = w.check;
    w.slo[2] = 0;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.slo[2] = 1;
    w.workflow[1] = WORK;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.workflow[1] = 0;
    w.tier[3] = 0;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.tier[3] = SKED_MAX_TIERS + 1;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.tier[3] = 1;
    w.options.multiplier_ppm = 2 * SKED_PPM;
    refused_check(c, &w, SKED_ERR_ARG);
    w.options.multiplier_ppm = 0;
    w.names.n = 1;
    refused_check(c, &w, SKED_ERR_ARG);
    w.names.n = WORK;
    w.check.workflow = NULL;
    refused_check(c, &w, SKED_ERR_ARG);
    w.check = good;
    w.check.slo_ns = NULL;
    refused_check(c, &w, SKED_ERR_ARG);
    w.check = good;
    w.check.struct_size = 4;
    refused_check(c, &w, SKED_ERR_VERSION);
    w.check = good;
    w.name_tier[0] = 9;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.name_tier[0] = 1;
    w.queue[0] = 77;
    refused_check(c, &w, SKED_ERR_STALE);
}

static void null_is_refused(void **state)
{
    company *c = *state;
    sked_advice_result sum = {.struct_size = sizeof sum};
    sked_advice_finding leaf = {.struct_size = sizeof leaf};
    sked_advice_side side[2];
    sked_advice *advice;
    work w;

    advise(c);
    make_work(&w, c);
    assert_status(SKED_ERR_ARG,
                  sked_advice_new(NULL, &c->in, NULL, &advice, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_new(c->tree, NULL, NULL, &advice, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_new(c->tree, &c->in, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_advice_get_result(NULL, &sum));
    assert_status(SKED_ERR_ARG, sked_advice_get_result(c->advice, NULL));
    assert_status(SKED_ERR_ARG, sked_advice_leaf(NULL, 0, &leaf));
    assert_status(SKED_ERR_ARG, sked_advice_leaf(c->advice, 0, NULL));
    assert_status(SKED_ERR_RANGE, sked_advice_leaf(c->advice, 3, &leaf));
    sum.struct_size = leaf.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_advice_get_result(c->advice, &sum));
    assert_status(SKED_ERR_VERSION, sked_advice_leaf(c->advice, 0, &leaf));
    assert_status(SKED_ERR_ARG, sked_advice_apply(NULL, c->tree, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_advice_apply(c->advice, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_prove(NULL, c->tree, &w.check, side, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_prove(c->advice, NULL, &w.check, side, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_prove(c->advice, c->tree, NULL, side, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_advice_prove(c->advice, c->tree, &w.check, NULL, NULL));
    assert_null(sked_advice_tree(NULL));
    assert_null(sked_advice_diff(NULL));
    assert_null(sked_advice_plan(NULL));
    sked_advice_free(NULL);
}

/* A whole turn of the loop; the tree stays as it was where it fails. */
static sked_status life(test_host *host, void *arg)
{
    company c;
    sked_advice_side side[2];
    work w;

    (void)arg;
    memset(&c, 0, sizeof c);
    sked_status rc = make(&c);
    if (rc == SKED_OK) {
        c.in.guaranteed_tiers = 1;
        sked_host hooks = test_host_hooks(host);
        rc = sked_advice_new(c.tree, &c.in, &hooks, &c.advice, NULL);
    }
    make_work(&w, &c);
    if (rc == SKED_OK) {
        rc = sked_advice_prove(c.advice, c.tree, &w.check, side, NULL);
    }
    if (rc == SKED_OK) rc = sked_advice_apply(c.advice, c.tree, NULL, NULL);
    drop(&c);
    assert_i64((int64_t)c.host.live, 0);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(leaves_get_what_they_needed),
        CASE(what_cannot_be_is_said),
        CASE(guarantees_go_to_the_first_tiers),
        CASE(applying_leads_to_the_tree_that_was_shown),
        CASE(the_important_are_better_off),
        CASE(what_does_not_end_meets_nothing),
        CASE(no_advice_proves_the_tree_against_itself),
        CASE(bad_input_is_refused),
        CASE(bad_checks_are_refused),
        CASE(null_is_refused),
        CASE(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
