/* What a plan refuses, and which row it names. */
#include "test.h"

#include <sched/sked.h>

#include "tree_fixture.h"
#include "plan_fixture.h"

static void bad_jobs_are_named(void **state)
{
    plan_fixture *f = *state;
    int32_t offset[] = {0, 3, 3, 9, 12};

    f->offset[0] = offset;
    must_refuse(f, SKED_ERR_RANGE, 1);
    offset[1] = -2;
    must_refuse(f, SKED_ERR_RANGE, 0);
    f->offset[0] = orgs;
    f->text[1] = "xx\0z";
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->text[1] = "xxxz";
    f->tier[3] = 4;
    must_refuse(f, SKED_ERR_RANGE, 3);
    f->tier[3] = 0;
    must_refuse(f, SKED_ERR_RANGE, 3);
    f->tier[3] = 2;
    f->jobs.to = 1;
    f->end[1] = -1;
    must_refuse(f, SKED_ERR_RANGE, 1);
}

static void bad_leaves_are_named(void **state)
{
    plan_fixture *f = *state;

    f->allocation[1] = -1;
    must_refuse(f, SKED_ERR_RANGE, 1);
    f->allocation[1] = INT64_C(1) << 32;
    must_refuse(f, SKED_ERR_RANGE, 1);
    f->allocation[1] = UINT32_MAX; /* with the other of its project too much */
    must_refuse(f, SKED_ERR_RANGE, 0);
    f->allocation[1] = 0;
    f->running[2] = 0;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->running[2] = INT64_C(1) << 31;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->running[2] = SKED_UNLIMITED;
    adopt(f);
    assert_i64(holds(f, "root.ads.x.default", SKED_QUEUE_WEIGHT), 1);
    f->in.leaves = 4;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in.leaves = 3;
    f->in.allocation = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
}

static void bad_settings_are_refused(void **state)
{
    plan_fixture *f = *state;
    const sked_plan_jobs good = f->jobs;
    sked_plan_tier setting[TIERS];
    int32_t level[] = {0, 2}, below[] = {0, -2};

    f->jobs.struct_size = 1;
    must_refuse(f, SKED_ERR_VERSION, -1);
    f->jobs = good, f->jobs.flags = 1;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->jobs = good, f->jobs.n = UINT32_MAX;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.fields = 32;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.text = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->jobs = good, f->jobs.offset = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->jobs = good, f->jobs.fields = 33;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.levels = 33;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.tiers = SKED_MAX_TIERS + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.to = 1, f->jobs.start = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->jobs = good, f->jobs.levels = 2;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->jobs.level = level;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs.level = below;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.from = 2, f->jobs.to = 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->jobs.to = 1, f->jobs.end = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    assert_ok(sked_plan_tiers(TIERS, setting, NULL));
    setting[1].name = "";
    f->jobs = good, f->jobs.setting = setting;
    must_refuse(f, SKED_ERR_ARG, 1);
    setting[1].name = NULL;
    must_refuse(f, SKED_ERR_ARG, 1);
    setting[1].name = "two";
    setting[1].preempt_from = 2;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->jobs = good, f->in.flags = 2;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in.flags = 0, f->in.struct_size = 5;
    must_refuse(f, SKED_ERR_VERSION, -1);
}

static void what_is_missing_is_refused(void **state)
{
    plan_fixture *f = *state;
    sked_plan_change c = {.struct_size = sizeof c};
    sked_host old = {.struct_size = 1};
    uint32_t first[JOBS];
    size_t n = 0;

    assert_status(SKED_ERR_ARG,
                  sked_plan_new(NULL, &f->in, NULL, &f->plan, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_plan_new(f->tree.tree, NULL, NULL, &f->plan, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_plan_new(f->tree.tree, &f->in, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_plan_new(f->tree.tree, &f->in, &old, &f->plan, NULL));
    f->in.jobs = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    assert_status(SKED_ERR_ARG, sked_plan_get(NULL, 0, &c));
    assert_status(SKED_ERR_ARG,
                  sked_plan_apply(NULL, f->tree.tree, NULL, NULL));
    assert_null(sked_plan_diff(NULL));
    assert_i64((int64_t)(sked_plan_count(NULL) + sked_plan_skipped(NULL)), 0);
    f->in.jobs = &f->jobs;
    assert_ok(make(f));
    assert_status(SKED_ERR_RANGE, sked_plan_get(f->plan, 7, &c));
    assert_status(SKED_ERR_ARG, sked_plan_get(f->plan, 0, NULL));
    c.struct_size = 3;
    assert_status(SKED_ERR_VERSION, sked_plan_get(f->plan, 0, &c));
    assert_status(SKED_ERR_ARG, sked_plan_leaves(&f->jobs, NULL, NULL, NULL,
                                                 NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_plan_leaves(&f->jobs, NULL, NULL, first,
                                                   NULL, 2, &n, NULL));
    assert_i64((int64_t)n, 3);
}

/* A plan keeps nothing of what it was made from, and goes stale with the tree:
 * then nothing is applied. */
static void a_plan_for_another_tree_changes_nothing(void **state)
{
    plan_fixture *f = *state;
    sked_plan *plan;

    adopt(f);
    f->allocation[0] = 500;
    assert_ok(make(f));
    plan = f->plan;
    f->plan = NULL;
    tree_set(&f->tree, queue(f, "root.ads"), SKED_QUEUE_WEIGHT, 77);
    uint64_t before = sked_tree_digest(f->tree.tree);
    assert_status(SKED_ERR_STATE,
                  sked_plan_apply(plan, f->tree.tree, NULL, NULL));
    assert_true(sked_tree_digest(f->tree.tree) == before);
    sked_plan_free(plan);
    sked_plan_free(NULL);
}

/* One job more than there may be queues, each naming its own. */
static void too_many_queues_are_refused(void **state)
{
    enum { MANY = SKED_MAX_QUEUES + 1, EACH = 3 };
    plan_fixture *f = *state;
    char *bytes = test_malloc((size_t)MANY * EACH);
    int32_t *at = test_malloc((MANY + (size_t)1) * sizeof *at);
    const int32_t level[] = {0};
    size_t n = 77;

    for (int32_t i = 0; i < MANY; i++) {
        at[i] = i * EACH;
        bytes[i * EACH] = (char)(1 + i % 127);
        bytes[i * EACH + 1] = (char)(1 + i / 127 % 127);
        bytes[i * EACH + 2] = (char)(1 + i / 127 / 127);
    }
    at[MANY] = MANY * EACH;
    f->text[0] = bytes;
    f->offset[0] = at;
    f->jobs.n = MANY;
    f->jobs.tier = NULL;
    f->jobs.level = level;
    f->jobs.levels = 1;
    assert_status(SKED_ERR_RANGE, sked_plan_leaves(&f->jobs, NULL, NULL, NULL,
                                                   NULL, 0, &n, &f->err));
    assert_i64(f->err.row, SKED_MAX_QUEUES);
    assert_i64((int64_t)n, 77);
    test_free(bytes);
    test_free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        plan_case(bad_jobs_are_named),
        plan_case(bad_leaves_are_named),
        plan_case(bad_settings_are_refused),
        plan_case(what_is_missing_is_refused),
        plan_case(a_plan_for_another_tree_changes_nothing),
        plan_case(too_many_queues_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
