/*
 * Lengths in structs are 64 bits and rows are fewer than 2^31: what is longer is
 * refused before a column is looked at, and no length is cut to its low half.
 */
#include "lengths.h"

#include <sched/sked.h>

static sked_status admit_rows(uint64_t n, sked_error *err)
{
    sked_admit_input in = {OF(in), .kinds = 1, .n = n, .need = nowhere()};
    sked_admit_result result = {OF(result)};

    return sked_admit(&in, NULL, &result, err);
}

static sked_status balance_in(sked_balance_input in, sked_error *err)
{
    sked_balance_result result = {OF(result)};

    in.struct_size = sizeof in;
    in.capacity = in.usage = nowhere();
    in.home = nowhere();
    if (!in.clusters) in.clusters = 1;
    return sked_balance(&in, NULL, &result, NULL, 0, err);
}

static sked_status balance_workflows(uint64_t n, sked_error *err)
{
    return balance_in((sked_balance_input){.workflows = n}, err);
}

static sked_status balance_clusters(uint64_t n, sked_error *err)
{
    return balance_in((sked_balance_input){.clusters = n}, err);
}

static sked_status balance_buckets(uint64_t n, sked_error *err)
{
    return balance_in((sked_balance_input){.buckets = n}, err);
}

static sked_status sweep_of(uint64_t sigmas, uint64_t taus, sked_error *err)
{
    sked_batch_grid grid = {OF(grid), .n_sigma = sigmas, .n_tau = taus};
    sked_batch_input in = {OF(in)};

    grid.sigma_ppm = grid.tau_ppm = nowhere();
    return sked_batch_sweep(&in, &grid, NULL, NULL, (void *)somewhere, err);
}

static sked_status batch_sigmas(uint64_t n, sked_error *err)
{
    return sweep_of(n, 0, err);
}

static sked_status batch_taus(uint64_t n, sked_error *err)
{
    return sweep_of(0, n, err);
}

static sked_status drf_rows(uint64_t n, sked_error *err)
{
    sked_drf_input in = {OF(in), .kinds = 1, .n = n, .capacity = nowhere(),
                         .usage = nowhere()};

    return sked_drf_order(&in, NULL, (void *)somewhere, err);
}

static sked_status order_children(uint64_t n, sked_error *err)
{
    sked_order_children_input in = {OF(in), .order = SKED_ORDER_POLICY_FIFO,
                                    .kinds = 1, .n = n, .eligible = nowhere()};
    size_t written;

    return sked_order_children(&in, NULL, (void *)somewhere, NULL, &written,
                               err);
}

static sked_status apps_of(uint64_t n, uint64_t users, sked_error *err)
{
    sked_order_apps_input in = {OF(in),
                                .order = SKED_APPS_USER_FAIR,
                                .kinds = 1,
                                .n = n,
                                .users = users,
                                .user = nowhere(),
                                .user_usage = nowhere(),
                                .capacity = nowhere()};
    size_t written;

    return sked_order_apps(&in, NULL, (void *)somewhere, NULL, &written, err);
}

static sked_status order_apps(uint64_t n, sked_error *err)
{
    return apps_of(n, 1, err);
}

static sked_status order_users(uint64_t n, sked_error *err)
{
    return apps_of(0, n, err);
}

static sked_status plan_jobs(uint64_t n, sked_error *err)
{
    sked_plan_jobs jobs = {OF(jobs), .n = n, .tier = nowhere()};
    size_t leaves;

    return sked_plan_leaves(&jobs, NULL, (void *)somewhere, NULL, NULL, 0,
                            &leaves, err);
}

static sked_status running_of(uint64_t n, uint64_t queues, sked_error *err)
{
    sked_plan_running_input in = {OF(in), .queues = queues, .n = n,
                                  .start = nowhere(), .end = nowhere()};

    return sked_plan_running(&in, NULL, (void *)somewhere, err);
}

static sked_status plan_running(uint64_t n, sked_error *err)
{
    return running_of(n, 1, err);
}

static sked_status plan_queues(uint64_t n, sked_error *err)
{
    return running_of(0, n, err);
}

static sked_status preempt_in(sked_preempt_input in, sked_error *err)
{
    sked_preempt_result plan = {OF(plan)};

    in.struct_size = sizeof in;
    in.kinds = 1;
    in.usage = in.share = in.need = in.amount = nowhere();
    in.queue = in.node = in.request_queue = nowhere();
    in.request_amount = nowhere();
    return sked_preempt_select(&in, NULL, &plan, err);
}

static sked_status preempt_rows(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n = n}, err);
}

static sked_status preempt_queues(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n_queues = n}, err);
}

static sked_status preempt_users(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n_users = n}, err);
}

static sked_status preempt_jobs(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n_jobs = n}, err);
}

static sked_status preempt_nodes(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n_nodes = n}, err);
}

static sked_status preempt_requests(uint64_t n, sked_error *err)
{
    return preempt_in((sked_preempt_input){.n_requests = n}, err);
}

static sked_status rank_of(uint64_t n, uint64_t keys, sked_error *err)
{
    sked_rank_input in = {OF(in), .n = n, .n_keys = keys, .keys = nowhere(),
                          .state = nowhere()};

    return sked_rank_order(&in, 0, NULL, (void *)somewhere, err);
}

static sked_status rank_rows(uint64_t n, sked_error *err)
{
    return rank_of(n, 0, err);
}

static sked_status rank_keys(uint64_t n, sked_error *err)
{
    return rank_of(0, n, err);
}

static sked_status report_workflows(uint64_t n, sked_error *err)
{
    sked_report_compare_input in = {OF(in), .n = n, .key = nowhere()};
    sked_report_compare_input none = {OF(none)};
    sked_report_tier tier[SKED_MAX_TIERS];
    sked_status rc = sked_report_compare(&in, &none, NULL, NULL, tier, err);
    sked_status before = sked_report_compare(&none, &in, NULL, NULL, tier, err);

    return rc == before ? rc : SKED_ERR_INTERNAL;
}

static sked_status round_rows(uint64_t n, sked_error *err)
{
    sked_round_options options = {OF(options), .kinds = 1};
    sked_round_input in = {OF(in), .n = n, .key = nowhere()};
    sked_round *round;

    assert_ok(sked_round_new(&options, NULL, &round, NULL));
    sked_status rc = sked_round_update(round, &in, 0, err);
    sked_round_free(round);
    return rc;
}

static sked_status route_clusters(uint64_t n, sked_error *err)
{
    sked_route_input in = {OF(in), .n = n, .capacity = nowhere(),
                           .available = nowhere()};
    sked_route_jobs jobs = {OF(jobs)};

    return sked_route_once(&in, &jobs, 0, NULL, NULL, (void *)somewhere, err);
}

static sked_status route_jobs(uint64_t n, sked_error *err)
{
    sked_route_input in = {OF(in)};
    sked_route_jobs jobs = {OF(jobs), .n = n, .request = nowhere()};

    return sked_route_once(&in, &jobs, 0, NULL, NULL, (void *)somewhere, err);
}

static sked_status rule_values(uint64_t n, sked_error *err)
{
    const int64_t value = 1;
    const sked_rule_term term = {.op = SKED_RULE_OP_IN, .n = n};
    sked_rule_input in = {OF(in), .terms = &term, .n_terms = 1,
                          .values = &value, .n_values = 1};
    int32_t answer;

    return sked_rule_judge(&in, &answer, err);
}

static sked_status share_rows(uint64_t n, sked_error *err)
{
    sked_share_input in = {OF(in), .kinds = 1, .n = n, .parent = nowhere(),
                           .capacity = nowhere()};

    return sked_share_once(&in, NULL, NULL, (void *)somewhere, err);
}

static sked_status target_rows(uint64_t n, sked_error *err)
{
    sked_share_input queues = {OF(queues), .kinds = 1, .n = n,
                               .parent = nowhere()};
    sked_target_once_input in = {OF(in), .queues = &queues};
    sked_target_result result = {OF(result)};

    queues.capacity = nowhere();
    return sked_target_once(&in, NULL, NULL, &result, err);
}

static sked_status target_users(uint64_t n, sked_error *err)
{
    sked_target_users_input in = {OF(in), .kinds = 1, .n = n,
                                  .total = nowhere(), .usage = nowhere()};

    return sked_target_share_users(&in, (void *)somewhere, (void *)somewhere,
                                   err);
}

static sked_status slo_of(uint64_t n, uint64_t workflows, sked_error *err)
{
    sked_slo_input in = {OF(in),
                         .workflows = workflows,
                         .n = n,
                         .slo_ns = nowhere(),
                         .workflow = nowhere(),
                         .start = nowhere(),
                         .end = nowhere()};
    sked_slo_result result = {OF(result)};

    return sked_slo_count(&in, NULL, &result, err);
}

static sked_status slo_runs(uint64_t n, sked_error *err)
{
    return slo_of(n, 1, err);
}

static sked_status slo_workflows(uint64_t n, sked_error *err)
{
    return slo_of(0, n, err);
}

static sked_status fold_of(uint64_t n, uint64_t runs, sked_error *err)
{
    sked_slo_runs_input in = {
        OF(in),           .runs = runs,        .n = n,
        .run = nowhere(), .submit = nowhere(), .end = nowhere()};

    return sked_slo_runs(&in, NULL, (void *)somewhere, (void *)somewhere, NULL,
                         NULL, err);
}

static sked_status slo_jobs(uint64_t n, sked_error *err)
{
    return fold_of(n, 1, err);
}

static sked_status slo_jobs_runs(uint64_t n, sked_error *err)
{
    return fold_of(0, n, err);
}

static sked_status simulate(const sked_sim_jobs *jobs, sked_error *err)
{
    sked_schema *schema;
    sked_tree *tree;
    sked_sim *sim = NULL;

    assert_ok(sked_schema_parse("cpu=m", 5, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    assert_ok(sked_tree_commit(tree, 0, NULL));
    sked_sim_input in = {OF(in), .tree = tree, .jobs = jobs};
    sked_status rc = sked_sim_new(&in, NULL, NULL, &sim, err);
    sked_sim_free(sim);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return rc;
}

static sked_status sim_jobs(uint64_t n, sked_error *err)
{
    sked_sim_jobs jobs = {OF(jobs),
                          .n = n,
                          .submit = nowhere(),
                          .run_ns = nowhere(),
                          .amounts = nowhere(),
                          .queue = nowhere()};

    return simulate(&jobs, err);
}

static void longer_than_rows_go_is_refused_unread(void **state)
{
    static length_call *const calls[] = {
        admit_rows,    balance_workflows, balance_clusters, balance_buckets,
        batch_sigmas,  batch_taus,        drf_rows,         order_children,
        order_apps,    order_users,       plan_jobs,        plan_running,
        plan_queues,   rank_rows,         rank_keys,        report_workflows,
        round_rows,    route_clusters,    route_jobs,       rule_values,
        share_rows,    target_rows,       target_users,     slo_runs,
        slo_workflows, slo_jobs,          slo_jobs_runs,    sim_jobs,
        preempt_rows,  preempt_queues,    preempt_users,    preempt_jobs,
        preempt_nodes, preempt_requests,
    };

    (void)state;
    must_refuse_lengths(calls, sizeof calls / sizeof *calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longer_than_rows_go_is_refused_unread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
