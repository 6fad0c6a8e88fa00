/*
 * The lengths of tables, of lists of hosts, tiers, queues, thresholds and the
 * like, are 64 bits in structs too (rows_test.c has those of rows).
 */
#include "lengths.h"

#include <sched/sked.h>

static sked_status leaves_of(sked_plan_jobs jobs, sked_error *err)
{
    size_t leaves;

    jobs.struct_size = sizeof jobs;
    jobs.text = nowhere();
    jobs.offset = nowhere();
    jobs.level = nowhere();
    return sked_plan_leaves(&jobs, NULL, (void *)somewhere, NULL, NULL, 0,
                            &leaves, err);
}

static sked_status plan_fields(uint64_t n, sked_error *err)
{
    return leaves_of((sked_plan_jobs){.fields = n}, err);
}

static sked_status plan_levels(uint64_t n, sked_error *err)
{
    return leaves_of((sked_plan_jobs){.levels = n}, err);
}

static sked_status plan_tiers(uint64_t n, sked_error *err)
{
    return leaves_of((sked_plan_jobs){.tiers = n}, err);
}

static sked_status plan_settings(uint64_t n, sked_error *err)
{
    return n > SIZE_MAX ? sked_plan_tiers(SIZE_MAX, (void *)somewhere, err)
                        : sked_plan_tiers((size_t)n, (void *)somewhere, err);
}

static sked_status batch_tasks(uint64_t n, sked_error *err)
{
    sked_batch_input in = {OF(in), .tasks = n, .slots = 1, .block = 1};
    sked_batch_options options = {OF(options),
                                  .method = SKED_BATCH_METHOD_BEST};
    sked_batch_result result = {OF(result), .spans = (void *)somewhere};

    in.bytes = nowhere();
    return sked_batch_plan(&in, &options, NULL, &result, err);
}

static sked_status locality_of(sked_locality_input in, sked_error *err)
{
    sked_locality *made = NULL;

    in.struct_size = sizeof in;
    in.replica = nowhere();
    in.ticks = nowhere();
    if (!in.hosts) in.hosts = 1;
    return sked_locality_new(&in, NULL, NULL, &made, err);
}

static sked_status locality_blocks(uint64_t n, sked_error *err)
{
    return locality_of((sked_locality_input){.blocks = n}, err);
}

static sked_status locality_hosts(uint64_t n, sked_error *err)
{
    return locality_of((sked_locality_input){.hosts = n}, err);
}

static sked_status locality_replicas(uint64_t n, sked_error *err)
{
    return locality_of((sked_locality_input){.replicas = n}, err);
}

static sked_status fair_of(sked_locality_fair_input in, sked_error *err)
{
    sked_locality_fair_result result = {OF(result)};

    in.struct_size = sizeof in;
    in.replica = in.queue = in.share = nowhere();
    result.host = (void *)somewhere;
    if (!in.hosts) in.hosts = 1;
    if (!in.queues) in.queues = 1;
    return sked_locality_fair(&in, NULL, NULL, &result, err);
}

static sked_status fair_blocks(uint64_t n, sked_error *err)
{
    return fair_of((sked_locality_fair_input){.blocks = n}, err);
}

static sked_status fair_hosts(uint64_t n, sked_error *err)
{
    return fair_of((sked_locality_fair_input){.hosts = n}, err);
}

static sked_status fair_queues(uint64_t n, sked_error *err)
{
    return fair_of((sked_locality_fair_input){.queues = n}, err);
}

static sked_status fair_replicas(uint64_t n, sked_error *err)
{
    return fair_of((sked_locality_fair_input){.replicas = n}, err);
}

static sked_status pctl_of(uint64_t queues, uint64_t thresholds,
                           sked_error *err)
{
    sked_pctl_input in = {OF(in), .threshold = nowhere(), .queues = queues,
                          .thresholds = thresholds};

    in.first = nowhere();
    return sked_pctl(&in, NULL, (void *)somewhere, NULL, err);
}

static sked_status pctl_queues(uint64_t n, sked_error *err)
{
    return pctl_of(n, 1, err);
}

static sked_status pctl_thresholds(uint64_t n, sked_error *err)
{
    return pctl_of(1, n, err);
}

static sked_status report_of(uint64_t tiers, uint64_t queues, sked_error *err)
{
    sked_report_input in = {OF(in),           .kinds = 1,     .tiers = tiers,
                            .queues = queues, .window_ns = 1, .instances = 1};
    sked_report_result result = {OF(result)};

    in.instance = in.allocation = nowhere();
    in.tier = nowhere();
    in.used = in.usage = nowhere();
    return sked_report(&in, NULL, &result, err);
}

static sked_status report_tiers(uint64_t n, sked_error *err)
{
    return report_of(n, 0, err);
}

static sked_status report_queues(uint64_t n, sked_error *err)
{
    return report_of(1, n, err);
}

static sked_status search_tiers(uint64_t n, sked_error *err)
{
    sked_tiers_input in = {OF(in), .tiers = n, .low_ppm = nowhere(),
                           .high_ppm = nowhere()};
    sked_tiers_result result = {OF(result)};

    in.usage = nowhere();
    in.allocation = nowhere();
    result.threshold_ppm = result.allocation = (void *)somewhere;
    return sked_tiers_search(&in, NULL, &result, err);
}

static sked_status tiers_of(uint64_t tiers, uint64_t queues, sked_error *err)
{
    sked_tiers_plan_input in = {OF(in), .tiers = tiers, .queues = queues};
    sked_tiers_result result = {OF(result)};
    sked_history *history;

    in.low_ppm = in.high_ppm = nowhere();
    in.tier = nowhere();
    result.threshold_ppm = result.allocation = (void *)somewhere;
    assert_ok(sked_history_new(NULL, NULL, NULL, &history, NULL));
    sked_status rc = sked_tiers_plan(history, &in, NULL, &result, NULL, err);
    sked_history_free(history);
    return rc;
}

static sked_status tiers_tiers(uint64_t n, sked_error *err)
{
    return tiers_of(n, 0, err);
}

static sked_status tiers_queues(uint64_t n, sked_error *err)
{
    return tiers_of(1, n, err);
}

static sked_status route_queues(uint64_t n, sked_error *err)
{
    sked_route_input in = {OF(in), .queues = n, .in_queue = nowhere()};
    sked_route_jobs jobs = {OF(jobs)};

    return sked_route_once(&in, &jobs, 0, NULL, NULL, (void *)somewhere, err);
}

/* Leaves are counted before a column of them is read. */
static void leaves_that_no_job_has_are_refused(void **state)
{
    sked_schema *schema;
    sked_tree *tree;
    sked_plan *plan = NULL;
    sked_plan_jobs jobs = {OF(jobs)};
    sked_plan_input in = {OF(in), .jobs = &jobs, .allocation = nowhere()};
    const uint64_t lengths[] = {UINT64_C(1) << 31, (UINT64_C(1) << 32) + 1,
                                UINT64_C(1) << 32, UINT64_MAX};

    (void)state;
    assert_ok(sked_schema_parse("cpu=m", 5, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    assert_ok(sked_tree_commit(tree, 0, NULL));
    for (size_t i = 0; i < 4; i++) {
        in.leaves = lengths[i];
        assert_status(SKED_ERR_ARG,
                      sked_plan_new(tree, &in, NULL, &plan, NULL));
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
}

static void longer_than_tables_go_is_refused_unread(void **state)
{
    static length_call *const calls[] = {
        batch_tasks,   plan_fields,     plan_levels,    plan_tiers,
        plan_settings, locality_blocks, locality_hosts, locality_replicas,
        fair_blocks,   fair_hosts,      fair_queues,    fair_replicas,
        pctl_queues,   pctl_thresholds, report_tiers,   report_queues,
        route_queues,  search_tiers,    tiers_tiers,    tiers_queues,
    };

    (void)state;
    must_refuse_lengths(calls, sizeof calls / sizeof *calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longer_than_tables_go_is_refused_unread),
        cmocka_unit_test(leaves_that_no_job_has_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
