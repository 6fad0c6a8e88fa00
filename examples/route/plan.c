/* From what was read to what is run: jobs as columns, a leaf for each queue,
 * the clusters. */
#include <stdlib.h>
#include <string.h>

#include "route.h"

static const char kinds_text[] = "cpu=m memory=B gpu=m";

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

static int library_fault(input_fault *fault, const sked_error *err)
{
    return input_fail(fault, err->line, err->column, "%s", err->message);
}

/* ---- Clusters ---- */

static int add_cluster(route_plan *plan, const sked_schema *schema,
                       const char *text, input_fault *fault)
{
    route_cluster *c = &plan->cluster[plan->n_clusters++];
    char *rest;
    unsigned long nodes = strtoul(text, &rest, 10);
    sked_error err;

    snprintf(fault->file, sizeof fault->file, "--cluster");
    rest += strspn(rest, " ");
    if (nodes < 1 || nodes > 100000 || *rest != 'x') {
        return input_fail(fault, 0, 0, "is not \"N x amounts\"");
    }
    rest += 1 + strspn(rest + 1, " ");
    if (sked_vec_parse(schema, rest, strlen(rest), 0, c->node, &err) !=
        SKED_OK) {
        return library_fault(fault, &err);
    }
    c->nodes = (uint32_t)nodes;
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        if (c->node[k] > (SKED_AMOUNT_MAX / ROUTE_CLUSTERS) / (int64_t)nodes) {
            return input_fail(fault, 0, 0, "has more than 2^58 units");
        }
        c->capacity[k] = c->node[k] * (int64_t)nodes;
    }
    return 1;
}

static int make_clusters(route_plan *plan, const sked_schema *schema,
                         const route_options *o, input_fault *fault)
{
    static const char *const bundled[] = {"20 x cpu=32,memory=128GiB,gpu=2",
                                          "10 x cpu=32,memory=128GiB,gpu=2"};

    if (o->workload && !o->n_clusters) {
        return input_fail(fault, 0, 0, "needs --cluster, once for each");
    }
    uint32_t n = o->n_clusters ? o->n_clusters : 2;
    for (uint32_t i = 0; i < n; i++) {
        const char *text = o->n_clusters ? o->cluster[i] : bundled[i];
        if (!add_cluster(plan, schema, text, fault)) return 0;
    }
    return 1;
}

/* ---- Queues ---- */

static int make_tree(route_plan *plan, const sked_schema *schema,
                     input_fault *fault)
{
    const names *queues = &plan->work.queues;
    sked_error err;
    sked_status rc = sked_tree_new(schema, NULL, NULL, &plan->tree, &err);

    plan->n_queues = queues->n ? queues->n : 1;
    plan->leaf = calloc(plan->n_queues, sizeof *plan->leaf);
    if (!plan->leaf) return no_memory(fault);
    for (uint32_t q = 0; rc == SKED_OK && q < queues->n; q++) {
        rc = sked_tree_add(plan->tree, sked_tree_root(plan->tree),
                           queues->text[q], &plan->leaf[q], &err);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(plan->tree, SKED_TREE_COMMIT_LENIENT, &err);
    return rc == SKED_OK ? 1 : library_fault(fault, &err);
}

/* ---- Jobs ---- */

static int job_columns(route_plan *plan, uint32_t n)
{
    size_t rows = n ? n : 1;

    plan->submit = calloc(rows, sizeof *plan->submit);
    plan->run = calloc(rows, sizeof *plan->run);
    plan->tasks = calloc(rows, sizeof *plan->tasks);
    plan->amounts = calloc(rows * WORKLOAD_KINDS, sizeof *plan->amounts);
    plan->queue = calloc(rows, sizeof *plan->queue);
    plan->queue_number = calloc(rows, sizeof *plan->queue_number);
    plan->user = calloc(rows, sizeof *plan->user);
    plan->request = calloc(rows * WORKLOAD_KINDS, sizeof *plan->request);
    plan->instances = calloc(rows, sizeof *plan->instances);
    plan->missing = calloc(rows * plan->n_clusters, sizeof *plan->missing);
    return plan->submit && plan->run && plan->tasks && plan->amounts &&
           plan->queue && plan->queue_number && plan->user && plan->request &&
           plan->instances && plan->missing;
}

/* The cluster of a user's data: a fixed point of the clusters' nodes, laid
 * end to end. */
static uint32_t home_of_data(const route_plan *plan, uint64_t user)
{
    uint64_t nodes = 0, at;
    uint32_t c = 0;

    for (uint32_t i = 0; i < plan->n_clusters; i++) {
        nodes += plan->cluster[i].nodes;
    }
    at = user * UINT64_C(0x9e3779b97f4a7c15) >> 33;
    for (at %= nodes; at >= plan->cluster[c].nodes; c++) {
        at -= plan->cluster[c].nodes;
    }
    return c;
}

/* Row `i` of the columns. */
static int take_job(route_plan *plan, const route_options *o,
                    const workload_job *job, uint32_t i, input_fault *fault)
{
    size_t row = (size_t)i * WORKLOAD_KINDS;
    int64_t most = SKED_AMOUNT_MAX / ROUTE_CLUSTERS / job->tasks;

    plan->submit[i] = job->submit;
    plan->run[i] = job->run;
    plan->tasks[i] = job->tasks;
    plan->queue[i] = plan->leaf[job->queue];
    plan->queue_number[i] = job->queue;
    plan->user[i] = (uint64_t)job->user + 1;
    plan->instances[i] = o->gang ? 1 : job->tasks;
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        int64_t task = job->amount[k];
        if (job->tasks > INT32_MAX || task > most) {
            return input_fail(fault, job->line, job->tasks_at,
                              "wants more than there can be");
        }
        plan->amounts[row + (size_t)k] = task;
        plan->request[row + (size_t)k] = o->gang ? task * job->tasks : task;
    }
    uint32_t home = home_of_data(plan, plan->user[i]);
    for (uint32_t c = 0; c < plan->n_clusters; c++) {
        plan->missing[(size_t)i * plan->n_clusters + c] = c == home ? 0
                                                                    : 1000000;
    }
    return 1;
}

static int take_jobs(route_plan *plan, const route_options *o,
                     input_fault *fault)
{
    if (!job_columns(plan, plan->work.n)) return no_memory(fault);
    for (uint32_t i = 0; i < plan->work.n; i++) {
        const workload_job *job = &plan->work.jobs[i];
        if (job->submit < o->from || job->submit >= o->until) continue;
        if (!take_job(plan, o, job, plan->n++, fault)) return 0;
    }
    return plan->n > 0 || input_fail(fault, 0, 0, "has no job in the window");
}

static int read_work(route_plan *plan, const route_options *o,
                     input_fault *fault)
{
    workload_options options = {0};
    input own = {0};

    if (o->workload) {
        return workload_read(&plan->work, o->workload, &options, fault);
    }
    snprintf(fault->file, sizeof fault->file, "bundled");
    own.bytes = workload_bundled(&own.length);
    if (!own.bytes) return no_memory(fault);
    int ok = workload_parse(&plan->work, &own, 0, &options, fault);
    input_free(&own);
    return ok;
}

int route_plan_make(route_plan *plan, const route_options *o,
                    input_fault *fault)
{
    sked_schema *schema = NULL;
    char file[sizeof fault->file];
    sked_error err;

    *plan = (route_plan){0};
    if (!read_work(plan, o, fault)) return 0;
    memcpy(file, fault->file, sizeof file);
    if (sked_schema_parse(kinds_text, sizeof kinds_text - 1, NULL, &schema,
                          &err) != SKED_OK) {
        return library_fault(fault, &err);
    }
    int ok = make_clusters(plan, schema, o, fault);
    if (ok) memcpy(fault->file, file, sizeof file);
    ok = ok && make_tree(plan, schema, fault) && take_jobs(plan, o, fault);
    sked_schema_free(schema);
    return ok;
}

void route_plan_free(route_plan *plan)
{
    workload_free(&plan->work);
    sked_tree_free(plan->tree);
    free(plan->leaf);
    free(plan->submit);
    free(plan->run);
    free(plan->tasks);
    free(plan->amounts);
    free(plan->queue);
    free(plan->queue_number);
    free(plan->user);
    free(plan->request);
    free(plan->instances);
    free(plan->missing);
}
