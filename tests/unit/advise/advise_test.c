/*
 * Advice on a small company: what it says, that it is what the parts say one
 * by one, and that the important work is better off under it.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"
#include "advise_company.h"

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
    assert_i64((int64_t)sum.leaves, 3);
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

/* An instance may have far more of one kind than of the kind that decides how
 * many instances there are. */
static void guarantees_of_another_kind_do_not_overflow(void **state)
{
    company *c = *state;
    const int64_t amounts[2 * JOBS] = {
        INT64_C(1) << 31, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t instance[] = {1, INT64_C(1) << 33};
    sked_error err = {.code = SKED_OK};

    sked_tree_free(c->tree);
    sked_schema_free(c->schema);
    assert_ok(sked_schema_parse("cpu memory", 10, &c->hooks, &c->schema, NULL));
    assert_ok(sked_tree_new(c->schema, NULL, &c->hooks, &c->tree, NULL));
    c->in.kinds = 2;
    c->in.amounts = amounts;
    c->in.instance = instance;
    c->in.instances = INT64_C(1) << 40;
    c->in.guaranteed_tiers = 1;
    sked_status rc = sked_advice_new(c->tree, &c->in, &c->hooks, &c->advice,
                                     &err);
    assert_status(SKED_ERR_RANGE, rc);
    assert_string_equal(err.message, "guarantees are more than amounts can be");
    assert_i64(err.kind, 1);
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
    c->jobs.n += UINT64_C(1) << 32;
    refused(c, SKED_ERR_RANGE);
    c->jobs.n -= UINT64_C(1) << 32;
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
    const struct CMUnitTest tests[] = {
        advise_case(leaves_get_what_they_needed),
        advise_case(what_cannot_be_is_said),
        advise_case(guarantees_go_to_the_first_tiers),
        advise_case(guarantees_of_another_kind_do_not_overflow),
        advise_case(applying_leads_to_the_tree_that_was_shown),
        advise_case(bad_input_is_refused),
        advise_case(null_is_refused),
        advise_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
