/* Figure 4 of the Monarch document: queues by organisation, project and tier,
 * made from jobs, "default" standing for tier 3. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

enum { JOBS = 7 };

/* Two organisations with a project each, then one more project; instances as
 * allocated. */
static const char org_text[] = "org1org1org1org2org2org2org2";
static const char project_text[] = "p1p1p1p2p2p3p3";
static const int32_t org_at[JOBS + 1] = {0, 4, 8, 12, 16, 20, 24, 28};
static const int32_t project_at[JOBS + 1] = {0, 2, 4, 6, 8, 10, 12, 14};
static const uint8_t tier[JOBS] = {1, 2, 3, 1, 3, 2, 3};
static const int64_t allocation[JOBS] = {30, 20, 10, 15, 5, 12, 8};
static const int64_t running[JOBS] = {3, 5, 10, 2, 4, 6, 8};

static const char *const text[] = {org_text, project_text};
static const int32_t *const offset[] = {org_at, project_at};

static const sked_plan_jobs jobs = {.struct_size = sizeof jobs,
                                    .n = JOBS,
                                    .fields = 2,
                                    .text = text,
                                    .offset = offset,
                                    .tier = tier};

/* [MON-6] [MON-10] [MON-11] */
static const char expected[] =
    "kinds cpu=1\n"
    "root\n"
    "root.org1 weight=60\n"
    "root.org1.p1 weight=60\n"
    "root.org1.p1.tier1 weight=30 max_running=3 tier=1 preempt_from=no "
    "preempt_fair_timeout=1m preempt_fair_threshold=30%\n"
    "root.org1.p1.tier2 weight=20 max_running=5 tier=2 preempt_from=yes "
    "preempt_fair_timeout=5m preempt_fair_threshold=50%\n"
    "root.org1.p1.default weight=10 max_running=10 tier=3 preempt_from=yes "
    "preempt_fair_timeout=15m preempt_fair_threshold=80%\n"
    "root.org2 weight=40\n"
    "root.org2.p2 weight=20\n"
    "root.org2.p2.tier1 weight=15 max_running=2 tier=1 preempt_from=no "
    "preempt_fair_timeout=1m preempt_fair_threshold=30%\n"
    "root.org2.p2.default weight=5 max_running=4 tier=3 preempt_from=yes "
    "preempt_fair_timeout=15m preempt_fair_threshold=80%\n"
    "root.org2.p3 weight=20\n"
    "root.org2.p3.tier2 weight=12 max_running=6 tier=2 preempt_from=yes "
    "preempt_fair_timeout=5m preempt_fair_threshold=50%\n"
    "root.org2.p3.default weight=8 max_running=8 tier=3 preempt_from=yes "
    "preempt_fair_timeout=15m preempt_fair_threshold=80%\n";

static sked_tree *empty_tree(void)
{
    const char *const kinds[] = {"cpu"};
    sked_schema *schema;
    sked_tree *tree;

    assert_ok(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    sked_schema_free(schema);
    return tree;
}

static void plan_into(sked_tree *tree)
{
    const sked_plan_input in = {.struct_size = sizeof in,
                                .leaves = JOBS,
                                .jobs = &jobs,
                                .allocation = allocation,
                                .max_running = running};
    sked_plan *plan;

    assert_ok(sked_plan_new(tree, &in, NULL, &plan, NULL));
    assert_ok(sked_plan_apply(plan, tree, NULL, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    sked_plan_free(plan);
}

static void jobs_make_organisation_project_and_tier(void **state)
{
    sked_tree *tree = empty_tree();
    char written[4096];
    size_t n;
    (void)state;

    plan_into(tree);
    assert_ok(sked_tree_format(tree, written, sizeof written, &n));
    assert_string_equal(written, expected);
    sked_tree_free(tree);
}

/* [MON-10] Siblings share by weight over the sum: with as many instances as
 * were allocated, each leaf's share is its allocation. */
static void each_leaf_gets_what_it_was_allocated(void **state)
{
    static const char *const leaves[JOBS] = {
        "root.org1.p1.tier1",  "root.org1.p1.tier2",   "root.org1.p1.default",
        "root.org2.p2.tier1",  "root.org2.p2.default", "root.org2.p3.tier2",
        "root.org2.p3.default"};
    const sked_share_options steady = {.struct_size = sizeof steady,
                                       .model = SKED_SHARE_MODEL_STEADY};
    const int64_t capacity[] = {100};
    sked_tree *tree = empty_tree();
    sked_ledger *ledger;
    sked_share *share;
    (void)state;

    plan_into(tree);
    assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
    assert_ok(sked_share_new(&steady, NULL, &share, NULL));
    assert_ok(sked_share_compute(share, tree, ledger, capacity, NULL));
    for (int i = 0; i < JOBS; i++) {
        sked_queue_id id;
        int64_t gets;
        assert_ok(sked_tree_find(tree, leaves[i], &id, NULL));
        assert_ok(sked_share_get(share, id, &gets, NULL));
        assert_i64(gets, allocation[i]);
    }
    sked_share_free(share);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_make_organisation_project_and_tier),
        cmocka_unit_test(each_leaf_gets_what_it_was_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
