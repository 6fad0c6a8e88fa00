#ifndef TEST_PLAN_FIXTURE_H
#define TEST_PLAN_FIXTURE_H

/* A plan over one tree and one window. */
#include "test.h"

#include <sched/sked.h>

#include "tree_fixture.h"

enum { JOBS = 4, TIERS = 3 };

typedef struct plan_fixture {
    tree_fixture tree;
    sked_host hooks;
    sked_plan_jobs jobs;
    const char *text[2];
    const int32_t *offset[2];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t allocation[JOBS];
    int64_t running[JOBS];
    sked_plan_input in;
    sked_plan *plan;
    sked_error err;
} plan_fixture;

static const int32_t orgs[] = {0, 3, 6, 9, 12};
static const int32_t projects[] = {0, 1, 2, 3, 4};

/* ads.x tier 1 twice and tier 3, web.z tier 2: three leaves. */
static inline int setup(void **state)
{
    static plan_fixture f;
    void *tree = NULL;

    f = (plan_fixture){.text = {"adsadsadsweb", "xxxz"},
                       .offset = {orgs, projects},
                       .tier = {1, 3, 1, 2},
                       .start = {0, 0, 0, 0},
                       .end = {9, 9, 9, 9},
                       .allocation = {100, 20, 30},
                       .running = {5, 6, 7}};
    assert_int_equal(tree_setup(&tree), 0);
    f.tree = *(tree_fixture *)tree;
    f.hooks = test_host_hooks(&((tree_fixture *)tree)->host);
    f.jobs = (sked_plan_jobs){.struct_size = sizeof f.jobs,
                              .n = JOBS,
                              .fields = 2,
                              .text = f.text,
                              .offset = f.offset,
                              .tier = f.tier,
                              .start = f.start,
                              .end = f.end};
    f.in = (sked_plan_input){.struct_size = sizeof f.in,
                             .leaves = 3,
                             .jobs = &f.jobs,
                             .allocation = f.allocation,
                             .max_running = f.running};
    *state = &f;
    return 0;
}

static inline int teardown(void **state)
{
    plan_fixture *f = *state;

    sked_plan_free(f->plan);
    assert_ok(sked_tree_check(f->tree.tree, NULL));
    sked_tree_free(f->tree.tree);
    sked_schema_free(f->tree.schema);
    return 0;
}

static inline sked_status make(plan_fixture *f)
{
    sked_plan_free(f->plan);
    return sked_plan_new(f->tree.tree, &f->in, NULL, &f->plan, &f->err);
}

static inline void adopt(plan_fixture *f)
{
    assert_ok(make(f));
    assert_ok(sked_plan_apply(f->plan, f->tree.tree, NULL, &f->err));
    tree_commit(&f->tree);
}

static inline void must_refuse(plan_fixture *f, sked_status why, int64_t row)
{
    uint64_t before = sked_tree_digest(f->tree.tree);

    assert_status(why, make(f));
    assert_null(f->plan);
    assert_status(why, f->err.code);
    assert_i64(f->err.row, row);
    assert_true(sked_tree_digest(f->tree.tree) == before);
}

static inline sked_queue_id queue(plan_fixture *f, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(f->tree.tree, path, &id, NULL));
    return id;
}

static inline int64_t holds(plan_fixture *f, const char *path,
                            int32_t attribute)
{
    int64_t x;

    assert_ok(sked_tree_effective(f->tree.tree, queue(f, path), attribute, &x));
    return x;
}

#define plan_case(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
