/* From what was read to what is run: the jobs as columns. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static const char *const kind_name[WORKLOAD_KINDS] = {"cpu", "memory", "gpu"};

int fault_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

int fault_library(input_fault *fault, const sked_error *err)
{
    return input_fail(fault, err->line, err->column, "%s", err->message);
}

int64_t plan_span(const replay_plan *plan)
{
    uint32_t n = plan->work.n;

    return n ? plan->submit[n - 1] - plan->submit[0] : 0;
}

/* ---- Jobs ---- */

static int columns_alloc(replay_plan *plan)
{
    size_t n = plan->work.n ? plan->work.n : 1;

    plan->submit = calloc(n, sizeof *plan->submit);
    plan->run = calloc(n, sizeof *plan->run);
    plan->tasks = calloc(n, sizeof *plan->tasks);
    plan->amounts = calloc(n * plan->kinds, sizeof *plan->amounts);
    plan->queue = calloc(n, sizeof *plan->queue);
    plan->row = calloc(n, sizeof *plan->row);
    plan->user = calloc(n, sizeof *plan->user);
    plan->priority = calloc(n, sizeof *plan->priority);
    plan->partition = calloc(n, sizeof *plan->partition);
    return plan->submit && plan->run && plan->tasks && plan->amounts &&
           plan->queue && plan->row && plan->user && plan->priority &&
           plan->partition;
}

static int map_amounts(replay_plan *plan, uint32_t i, input_fault *fault)
{
    const workload_job *job = &plan->work.jobs[i];

    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        int32_t to = plan->kind_of[k];
        if (to >= 0) {
            plan->amounts[(size_t)i * plan->kinds + (size_t)to] =
                job->amount[k];
        } else if (job->amount[k] > 0) {
            return input_fail(fault, job->line, 0, "the tree has no kind %s",
                              kind_name[k]);
        }
    }
    return 1;
}

/* Adds a job's work to the total; all its tasks together must be an amount. */
static int add_work(replay_plan *plan, uint32_t i, input_fault *fault)
{
    const workload_job *job = &plan->work.jobs[i];

    if (job->tasks > INT32_MAX) {
        return input_fail(fault, job->line, job->tasks_at,
                          "more than 2147483647 tasks");
    }
    for (uint32_t k = 0; k < plan->kinds; k++) {
        int64_t a = plan->amounts[(size_t)i * plan->kinds + k];
        if (a > SKED_AMOUNT_MAX / job->tasks) {
            return input_fail(fault, job->line, job->tasks_at,
                              "the tasks want more than 2^62 units of %s",
                              sked_schema_name(plan->schema, k));
        }
        wide work = wide_times(wide_of((uint64_t)(a * job->tasks), 0),
                               (uint64_t)job->run);
        plan->total_work[k] = wide_sum(plan->total_work[k], work);
    }
    return 1;
}

static int fill_columns(replay_plan *plan, input_fault *fault)
{
    for (uint32_t i = 0; i < plan->work.n; i++) {
        const workload_job *job = &plan->work.jobs[i];
        plan->submit[i] = job->submit;
        plan->run[i] = job->run;
        plan->tasks[i] = job->tasks;
        plan->user[i] = (uint64_t)job->user + 1;
        plan->priority[i] = job->priority;
        if (!map_amounts(plan, i, fault) || !add_work(plan, i, fault)) {
            return 0;
        }
    }
    return 1;
}

/* Checks that an exact gang has a multiple of the tasks per node. */
static int check_exact(const replay_plan *plan, const replay_options *o,
                       input_fault *fault)
{
    for (uint32_t i = 0; o->exact && i < plan->work.n; i++) {
        const workload_job *job = &plan->work.jobs[i];
        if (job->tasks % o->per_node == 0) continue;
        return input_fail(fault, job->line, job->tasks_at,
                          "the tasks are no multiple of %u",
                          (unsigned)o->per_node);
    }
    return 1;
}

static void find_kinds(replay_plan *plan)
{
    plan->kinds = (uint32_t)sked_schema_kinds(plan->schema);
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        uint32_t at;
        sked_status rc = sked_schema_find(plan->schema, kind_name[k],
                                          strlen(kind_name[k]), &at);
        plan->kind_of[k] = rc == SKED_OK ? (int32_t)at : -1;
    }
}

/* ---- Reading ---- */

/* --default-task, in the kinds of a workload. */
static int read_default_task(replay_options *o, input_fault *fault)
{
    const char *kinds = "cpu=m memory=B gpu=m";
    sked_schema *schema = NULL;
    sked_error err;

    if (!o->default_task) return 1;
    snprintf(fault->file, sizeof fault->file, "--default-task");
    sked_status rc = sked_schema_parse(kinds, strlen(kinds), NULL, &schema,
                                       &err);
    if (rc == SKED_OK) {
        rc = sked_vec_parse(schema, o->default_task, strlen(o->default_task), 0,
                            o->input.default_task, &err);
    }
    sked_schema_free(schema);
    return rc == SKED_OK ? 1 : fault_library(fault, &err);
}

static int read_workload(replay_plan *plan, replay_options *o,
                         input_fault *fault)
{
    input own = {0};

    if (o->workload) {
        return workload_read(&plan->work, o->workload, &o->input, fault);
    }
    snprintf(fault->file, sizeof fault->file, "bundled");
    own.bytes = workload_bundled(&own.length);
    if (!own.bytes) return fault_memory(fault);
    int ok = workload_parse(&plan->work, &own, 0, &o->input, fault);
    input_free(&own);
    if (ok && !o->n_specs) bundled_nodes(o);
    return ok;
}

int plan_make(replay_plan *plan, replay_options *o, input_fault *fault)
{
    char file[sizeof fault->file];

    *plan = (replay_plan){0};
    if (!read_default_task(o, fault) || !read_workload(plan, o, fault)) {
        return 0;
    }
    memcpy(file, fault->file, sizeof file);
    if (!queues_make(plan, o, fault)) return 0;
    if (!preempt_prepare(plan->tree, &o->preempt, fault)) return 0;
    memcpy(fault->file, file, sizeof file);
    find_kinds(plan);
    if (!columns_alloc(plan)) return fault_memory(fault);
    if (!data_read(plan, o, fault)) return 0;
    memcpy(fault->file, file, sizeof file);
    if (!queues_assign(plan, o, fault) || !fill_columns(plan, fault) ||
        !check_exact(plan, o, fault)) {
        return 0;
    }
    if (!cluster_make(plan, o, fault)) return 0;
    if (o->tree) queues_tell_capacity(plan);
    memcpy(fault->file, file, sizeof file);
    return rules_read(plan, fault) && data_place(plan, o, fault);
}

/* ---- Running ---- */

static sked_sim_jobs columns_of(const replay_plan *plan)
{
    return (sked_sim_jobs){
        .struct_size = sizeof(sked_sim_jobs),
        .n = plan->work.n,
        .submit = plan->submit,
        .run_ns = plan->run,
        .tasks = plan->tasks,
        .amounts = plan->amounts,
        .queue = plan->queue,
        .user = plan->user,
        .priority = plan->priority,
        .partition = plan->partition,
        .place_offsets = plan->place_first,
        .place = plan->place,
        .place_tasks = plan->place_tasks,
        .transfer_ns = plan->transfer,
        .rule = plan->rules.n_rules ? plan->rules.of_job : NULL,
        .rule_offsets = plan->rules.rule_offsets,
        .rule_terms = plan->rules.terms,
        .n_rules = plan->rules.n_rules,
    };
}

static uint32_t flags_of(const replay_options *o)
{
    uint32_t exact = o->exact ? SKED_SIM_FLAG_EXACT : 0;

    if (o->spread) return SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD | exact;
    return o->gang ? SKED_SIM_FLAG_GANG : 0;
}

int plan_prepare(const replay_plan *plan, const replay_options *o,
                 replay_run *run, const sked_host *host, input_fault *fault)
{
    sked_sim_jobs jobs = columns_of(plan);
    sked_error err;
    sked_sim_options opts = {
        .struct_size = sizeof opts,
        .flags = flags_of(o),
        .per_node = o->per_node,
        .place = o->place ? (uint32_t)o->place + 1 : 0,
        .seed = o->seed,
        .heartbeat_ns = o->heartbeat,
        .until_ns = o->until,
        .multiplier_ppm = run->multiplier,
        .sample_every_ns = o->quiet
                               ? 0
                               : plan_span(plan) / (2 * REPORT_SAMPLES) + 1,
        .max_samples = REPORT_SAMPLES,
        .preempt = o->preempt.policies ? &o->preempt.engine : NULL,
        .round_every_ns = o->preempt.every,
    };
    const sked_engine_options patient = {
        .struct_size = sizeof patient,
        .node_delay_ns = o->node_delay < 0 ? o->transfer : o->node_delay};
    if (plan->place_first) opts.engine = &patient;
    sked_status rc = sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = plan->tree,
                          .jobs = &jobs,
                          .nodes = plan->nodes,
                          .n_nodes = plan->n_specs,
                          .attribute_offsets = plan->rules.attribute_offsets,
                          .attributes = plan->rules.attributes},
        &opts, host, &run->sim, &err);

    if (rc == SKED_OK) return 1;
    uint64_t line = err.row >= 0 ? plan->work.jobs[err.row].line : 0;
    return input_fail(fault, line, 0, "%s", err.message);
}

void plan_free(replay_plan *plan)
{
    data_free(plan);
    rules_free(plan);
    workload_free(&plan->work);
    sked_tree_free(plan->tree);
    sked_schema_free(plan->schema);
    names_free(&plan->paths);
    for (size_t i = 0; plan->row_path && i < plan->n_rows; i++) {
        free(plan->row_path[i]);
    }
    free(plan->row_path);
    free(plan->row_id);
    free(plan->leaf_of);
    free(plan->submit);
    free(plan->run);
    free(plan->tasks);
    free(plan->amounts);
    free(plan->queue);
    free(plan->row);
    free(plan->user);
    free(plan->priority);
    free(plan->partition);
}
