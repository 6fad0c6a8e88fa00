/* An advised tree is proved by a replay of recorded work. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "advise_company.h"

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
    assert_i64((int64_t)side[0].delay[1].n, 0);
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
    w.jobs.queue = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_advice_prove(c->advice, c->tree, &w.check, side, NULL));
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
    w.jobs.queue = NULL;
    refused_check(c, &w, SKED_ERR_ARG);
    w.jobs.queue = w.queue;
    w.check.struct_size = 4;
    refused_check(c, &w, SKED_ERR_VERSION);
    w.check = good;
    w.jobs.struct_size = 4;
    refused_check(c, &w, SKED_ERR_VERSION);
    w.jobs.struct_size = sizeof w.jobs;
    w.check.workflows = UINT64_C(1) << 32;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.check = good;
    w.jobs.n = w.names.n = (UINT64_C(1) << 32) + WORK;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.jobs.n = w.names.n = WORK;
    w.check = good;
    w.name_tier[0] = 9;
    refused_check(c, &w, SKED_ERR_RANGE);
    w.name_tier[0] = 1;
    w.queue[0] = 77;
    refused_check(c, &w, SKED_ERR_STALE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        advise_case(the_important_are_better_off),
        advise_case(what_does_not_end_meets_nothing),
        advise_case(no_advice_proves_the_tree_against_itself),
        advise_case(bad_checks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
