/* Plans: what is refused, where bounds lie, what is kept. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "tree_fixture.h"
#include "plan_fixture.h"

static sked_plan_change change_of(const plan_fixture *f, size_t i)
{
    sked_plan_change c = {.struct_size = sizeof c};

    assert_ok(sked_plan_get(f->plan, i, &c));
    return c;
}

static void every_change_has_its_numbers(void **state)
{
    plan_fixture *f = *state;

    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 7);
    sked_plan_change org = change_of(f, 0), leaf = change_of(f, 2);
    assert_string_equal(org.path, "root.ads");
    assert_i64(org.op, SKED_PLAN_OP_ADD);
    assert_true(org.queue == SKED_NO_QUEUE);
    assert_i64(org.jobs, 3);
    assert_i64(org.allocation, 120);
    assert_i64(org.weight_after, 120);
    assert_i64(org.leaf, SKED_PLAN_NO_LEAF);
    assert_string_equal(leaf.path, "root.ads.x.tier1");
    assert_i64(leaf.jobs, 2);
    assert_i64(leaf.leaf, 0);
    assert_i64(leaf.tier, 1);
    assert_i64(leaf.weight_before, 0);
    assert_i64(leaf.weight_after, 100);
    assert_i64(leaf.running_after, 5);
    assert_string_equal(change_of(f, 3).path, "root.ads.x.default");
    assert_string_equal(change_of(f, 6).path, "root.web.z.tier2");
}

/* The diff's own text is there to review. */
static void a_plan_can_be_printed(void **state)
{
    plan_fixture *f = *state;
    char text[4096];
    size_t n;

    assert_ok(make(f));
    assert_ok(sked_diff_format(sked_plan_diff(f->plan), text, sizeof text, &n));
    assert_non_null(strstr(text, "+ root.ads.x.tier1\n"));
    assert_non_null(strstr(text, "~ root.ads weight: default -> 120\n"));
    assert_non_null(
        strstr(text, "~ root.ads.x.tier1 preempt_from: default -> no"));
}

static void small_changes_are_held(void **state)
{
    plan_fixture *f = *state;

    adopt(f);
    f->allocation[0] = 104; /* 4 %, and of running 0 */
    f->allocation[2] = 33;  /* 10 % */
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_skipped(f->plan), 1);
    assert_i64((int64_t)sked_plan_count(f->plan), 3);
    assert_string_equal(change_of(f, 0).path, "root.web");
    assert_i64(change_of(f, 2).weight_before, 30);
    assert_i64(change_of(f, 2).changed, SKED_PLAN_CHANGED_WEIGHT);
    adopt(f);
    assert_i64(holds(f, "root.ads", SKED_QUEUE_WEIGHT), 120);
    f->allocation[0] = 105; /* at the band is not under it */
    adopt(f);
    assert_i64(holds(f, "root.ads.x.tier1", SKED_QUEUE_WEIGHT), 105);
    f->in.dead_band_ppm = 500000;
    f->running[0] = 7;
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 0);
    f->in.dead_band_ppm = -1;
    assert_ok(make(f));
    assert_i64(change_of(f, 0).changed,
               SKED_PLAN_CHANGED_WEIGHT); /* root.ads: 125 of its children */
}

/* A queue counts once, however many of its changes are too small. */
static void a_queue_that_is_held_counts_once(void **state)
{
    plan_fixture *f = *state;

    f->running[0] = 100;
    adopt(f);
    f->allocation[0] = 104;
    f->running[0] = 101;
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 0);
    assert_i64((int64_t)sked_plan_skipped(f->plan), 1);
}

static void idle_queues_go_with_their_parents(void **state)
{
    plan_fixture *f = *state;

    adopt(f);
    f->jobs.n = 3;
    f->in.leaves = 2;
    f->in.flags = SKED_PLAN_FLAG_KEEP_IDLE;
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 0);
    f->in.flags = 0;
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 1);
    sked_plan_change gone = change_of(f, 0);
    assert_i64(gone.op, SKED_PLAN_OP_REMOVE);
    assert_string_equal(gone.path, "root.web");
    assert_i64(gone.weight_before, 30);
    assert_i64(gone.weight_after, 0);
}

static void jobs_outside_the_window_name_no_queue(void **state)
{
    plan_fixture *f = *state;
    uint32_t leaf[JOBS];
    size_t n;

    f->jobs.from = 9;
    f->jobs.to = 20;
    f->start[1] = f->end[1] = 9;
    f->start[3] = 19, f->end[3] = 30;
    assert_ok(
        sked_plan_leaves(&f->jobs, &f->hooks, leaf, NULL, NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_i64(leaf[0], SKED_PLAN_NO_LEAF);
    assert_i64(leaf[1], 0);
    assert_i64(leaf[3], 1);
    f->in.leaves = 2;
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 6);
}

/* Only what lies below the plan's queue is its own. */
static void a_plan_keeps_to_its_part(void **state)
{
    plan_fixture *f = *state;
    sked_queue_id adhoc = tree_add(&f->tree, f->tree.root, "adhoc");
    sked_queue_id batch = tree_add(&f->tree, f->tree.root, "batch");

    (void)tree_add(&f->tree, batch, "old");
    tree_set(&f->tree, batch, SKED_QUEUE_WEIGHT, 9);
    tree_commit(&f->tree);
    f->in.below = batch;
    adopt(f);
    assert_non_null(sked_tree_name(f->tree.tree, adhoc));
    assert_i64(holds(f, "root.batch", SKED_QUEUE_WEIGHT), 9);
    assert_i64(holds(f, "root.batch.ads", SKED_QUEUE_WEIGHT), 120);
    assert_i64((int64_t)sked_tree_count(f->tree.tree), 10);
    f->in.below = 12345;
    must_refuse(f, SKED_ERR_STALE, -1);
}

/* A queue that only stays is weighed with its siblings. */
static void bystanders_count_in_their_parent(void **state)
{
    plan_fixture *f = *state;
    uint8_t used[16] = {0};
    size_t row;

    adopt(f);
    sked_queue_id other = tree_add(&f->tree, queue(f, "root.ads"), "other");
    tree_set(&f->tree, other, SKED_QUEUE_WEIGHT, 50);
    tree_commit(&f->tree);
    assert_ok(sked_tree_row(f->tree.tree, other, &row));
    used[row] = 1;
    f->in.used = used;
    adopt(f);
    assert_i64(holds(f, "root.ads", SKED_QUEUE_WEIGHT), 170);
}

static void an_ancestors_no_is_not_said_again(void **state)
{
    plan_fixture *f = *state;

    adopt(f);
    tree_set(&f->tree, queue(f, "root.web"), SKED_QUEUE_PREEMPT_FROM, 0);
    tree_commit(&f->tree);
    adopt(f); /* tier 2 says yes below a no: a warning, once */
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 0);
}

static void settings_may_be_left_to_the_tree(void **state)
{
    plan_fixture *f = *state;
    sked_plan_tier setting[TIERS];

    assert_ok(sked_plan_tiers(TIERS, setting, NULL));
    for (int t = 0; t < TIERS; t++) {
        setting[t].preempt_from = SKED_UNSET;
        setting[t].preempt_fair_timeout_ns = SKED_UNSET;
        setting[t].preempt_fair_threshold_ppm = SKED_UNSET;
    }
    f->jobs.setting = setting;
    f->in.max_running = NULL;
    adopt(f);
    assert_i64(holds(f, "root.ads.x.tier1", SKED_QUEUE_PREEMPT_FROM), 1);
    assert_i64(holds(f, "root.ads.x.tier1", SKED_QUEUE_MAX_RUNNING),
               SKED_UNLIMITED);
}

static void a_leaf_that_is_in_use_is_no_parent(void **state)
{
    plan_fixture *f = *state;
    const int64_t one = 1;
    sked_ledger *ledger;
    sked_queue_id leaf = tree_add(&f->tree, f->tree.root, "ads");

    tree_commit(&f->tree);
    assert_ok(sked_ledger_new(f->tree.tree, NULL, NULL, &ledger, NULL));
    assert_ok(
        sked_ledger_set(ledger, SKED_LEDGER_RUNNING, &leaf, &one, 1, NULL));
    f->in.ledger = ledger;
    must_refuse(f, SKED_ERR_STATE, -1);
    assert_true(f->err.queue == leaf);
    (void)tree_add(&f->tree, f->tree.root, "more");
    tree_commit(&f->tree);
    must_refuse(f, SKED_ERR_STATE, -1);
    sked_ledger_free(ledger);
}

static void a_parent_in_use_is_no_leaf(void **state)
{
    plan_fixture *f = *state;
    static const int32_t only_org[] = {0};
    uint8_t used[16];

    adopt(f);
    memset(used, 1, sizeof used);
    f->jobs.level = only_org;
    f->jobs.levels = 1;
    f->in.leaves = 2;
    f->in.used = used;
    must_refuse(f, SKED_ERR_STATE, -1);
    assert_true(f->err.queue == queue(f, "root.ads"));
    f->in.used = NULL;
    adopt(f);
    assert_i64((int64_t)sked_tree_count(f->tree.tree), 3);
    assert_i64(holds(f, "root.ads", SKED_QUEUE_TIER), 1);
}

static void long_names_are_taken(void **state)
{
    plan_fixture *f = *state;
    static char text[1000];
    const int32_t offset[] = {0, 900, 903, 906, 909};
    char path[1024];
    size_t n;

    memset(text, 'q', sizeof text);
    f->text[0] = text;
    f->offset[0] = offset;
    f->in.leaves = 4;
    f->allocation[3] = 1, f->running[3] = SKED_UNLIMITED;
    adopt(f);
    sked_queue_id id[16];
    assert_ok(sked_tree_ids(f->tree.tree, id, 16, &n));
    assert_ok(sked_tree_path(f->tree.tree, id[1], path, sizeof path, &n));
    assert_i64((int64_t)n, 905);
}

/* [MON-11] Time-out and threshold rise with the tier, for any number. */
static void the_usual_settings_rise(void **state)
{
    sked_plan_tier s[SKED_MAX_TIERS];
    (void)state;

    for (uint32_t n = 1; n <= SKED_MAX_TIERS; n++) {
        assert_ok(sked_plan_tiers(n, s, NULL));
        assert_string_equal(s[n - 1].name, "default");
        assert_i64(s[0].preempt_from, 0);
        for (uint32_t t = 1; t < n; t++) {
            assert_i64(s[t].preempt_from, 1);
            assert_true(s[t].preempt_fair_timeout_ns >
                        s[t - 1].preempt_fair_timeout_ns);
            assert_true(s[t].preempt_fair_threshold_ppm >
                        s[t - 1].preempt_fair_threshold_ppm);
            assert_string_not_equal(s[t].name, s[t - 1].name);
        }
        assert_true(s[n - 1].preempt_fair_threshold_ppm <= SKED_PPM);
    }
    assert_status(SKED_ERR_RANGE, sked_plan_tiers(0, s, NULL));
    assert_status(SKED_ERR_RANGE, sked_plan_tiers(SKED_MAX_TIERS + 1, s, NULL));
    assert_status(SKED_ERR_ARG, sked_plan_tiers(3, NULL, NULL));
}

/* Edits that were not committed are not in the tree in force. */
static void a_plan_looks_at_the_last_commit(void **state)
{
    plan_fixture *f = *state;

    adopt(f);
    assert_ok(
        sked_tree_remove(f->tree.tree, queue(f, "root.ads"), NULL, 0, NULL));
    assert_ok(make(f));
    assert_i64((int64_t)sked_plan_count(f->plan), 0);
    assert_ok(sked_tree_discard(f->tree.tree, NULL));
}

static sked_status once(test_host *h, void *arg)
{
    plan_fixture *f = arg;
    const sked_host hooks = test_host_hooks(h);
    uint32_t leaf[JOBS], first[JOBS];
    uint8_t tier[JOBS];
    sked_plan *plan;
    size_t n;
    sked_status rc = sked_plan_leaves(&f->jobs, &hooks, leaf, first, tier, JOBS,
                                      &n, NULL);

    if (rc == SKED_OK) {
        rc = sked_plan_new(f->tree.tree, &f->in, &hooks, &plan, NULL);
        sked_plan_free(plan);
    }
    return rc;
}

/* The same with names that need memory of their own. */
static void memory_for_long_names_may_fail(void **state)
{
    plan_fixture *f = *state;
    static char text[1200];
    const int32_t offset[] = {0, 300, 600, 900, 1200};

    memset(text, 'q', 600);
    memset(text + 600, 'z', 600);
    f->text[0] = text;
    f->offset[0] = offset;
    f->in.leaves = 4;
    f->allocation[3] = f->running[3] = 1;
    test_sweep(once, f, 0);
}

static void every_allocation_may_fail(void **state)
{
    plan_fixture *f = *state;

    adopt(f);
    f->jobs.n = 3;
    f->in.leaves = 2;
    f->allocation[0] = 600;
    f->tier[2] = 2;
    f->in.leaves = 3;
    test_sweep(once, f, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        plan_case(every_change_has_its_numbers),
        plan_case(a_plan_can_be_printed),
        plan_case(small_changes_are_held),
        plan_case(a_queue_that_is_held_counts_once),
        plan_case(idle_queues_go_with_their_parents),
        plan_case(jobs_outside_the_window_name_no_queue),
        plan_case(a_plan_keeps_to_its_part),
        plan_case(bystanders_count_in_their_parent),
        plan_case(an_ancestors_no_is_not_said_again),
        plan_case(settings_may_be_left_to_the_tree),
        plan_case(a_leaf_that_is_in_use_is_no_parent),
        plan_case(a_parent_in_use_is_no_leaf),
        plan_case(long_names_are_taken),
        cmocka_unit_test(the_usual_settings_rise),
        plan_case(a_plan_looks_at_the_last_commit),
        plan_case(memory_for_long_names_may_fail),
        plan_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
