/* The second part, under both trees. */
#include <stdlib.h>
#include <string.h>

#include "advise.h"

/* The columns of the replayed jobs. */
typedef struct replayed {
    sked_time *submit;
    int64_t *run;
    int64_t *tasks;
    int64_t *amounts;
    sked_queue_id *queue;
    uint64_t *user;
    int64_t *slo;
} replayed;

static void replayed_free(replayed *r)
{
    free(r->submit);
    free(r->run);
    free(r->tasks);
    free(r->amounts);
    free(r->queue);
    free(r->user);
    free(r->slo);
}

/* Jobs are sorted by submission, so the jobs of the second part are
 * neighbours. */
static void find_range(advising *a)
{
    const day *d = &a->d;

    while (a->first < d->n && d->w.jobs[a->first].submit < a->middle) {
        a->first++;
    }
    a->n = d->n - a->first;
}

static void take_columns(const advising *a, const advise_options *o,
                         replayed *r)
{
    *r = (replayed){
        .submit = new_array(a->n, sizeof *r->submit),
        .run = new_array(a->n, sizeof *r->run),
        .tasks = new_array(a->n, sizeof *r->tasks),
        .amounts = new_array(a->n, WORKLOAD_KINDS * sizeof *r->amounts),
        .queue = new_array(a->n, sizeof *r->queue),
        .user = new_array(a->n, sizeof *r->user),
        .slo = new_array(a->n, sizeof *r->slo)};
    for (uint32_t i = 0; i < a->n; i++) {
        const workload_job *job = &a->d.w.jobs[a->first + i];
        double slo = (double)job->run * (double)o->slo_ppm / (double)SKED_PPM;
        r->submit[i] = job->submit;
        r->run[i] = job->run;
        r->tasks[i] = job->tasks;
        memcpy(r->amounts + (size_t)i * WORKLOAD_KINDS, job->amount,
               sizeof job->amount);
        r->queue[i] = a->leaf[job->queue];
        r->user[i] = (uint64_t)job->user + 1;
        r->slo[i] = job->slo > 0 ? job->slo : (int64_t)slo + 1;
    }
}

static sked_plan_jobs names_of(const advising *a, const int32_t *offset[2])
{
    sked_plan_jobs named = a->d.jobs;

    for (int f = 0; f < 2; f++) offset[f] = a->d.offset[f] + a->first;
    named.n = a->n;
    named.offset = offset;
    named.tier = a->d.tier + a->first;
    named.start = named.end = NULL;
    named.from = named.to = 0;
    return named;
}

int advise_prove(advising *a, const advise_options *o, input_fault *fault)
{
    const int32_t *offset[2];
    replayed r;
    sked_error err;

    find_range(a);
    if (!a->n) return input_fail(fault, 0, 0, "leaves nothing to replay");
    take_columns(a, o, &r);
    sked_plan_jobs named = names_of(a, offset);
    sked_sim_jobs jobs = {.struct_size = sizeof jobs,
                          .n = a->n,
                          .submit = r.submit,
                          .run_ns = r.run,
                          .tasks = r.tasks,
                          .amounts = r.amounts,
                          .queue = r.queue,
                          .user = r.user};
    sked_sim_nodes nodes = {.count = (uint32_t)a->d.instances,
                            .amounts = a->d.instance};
    sked_sim_options options = {.struct_size = sizeof options,
                                .flags = SKED_SIM_FLAG_NO_SHARES,
                                .heartbeat_ns = o->heartbeat};
    sked_advice_prove_input check = {.struct_size = sizeof check,
                                     .workflows = a->d.flows.n,
                                     .jobs = &jobs,
                                     .names = &named,
                                     .nodes = &nodes,
                                     .n_nodes = 1,
                                     .options = &options,
                                     .workflow = a->d.flow + a->first,
                                     .tier = a->d.flow_tier,
                                     .slo_ns = r.slo};
    sked_status rc = sked_advice_prove(a->advice, a->tree, &check, a->side,
                                       &err);
    replayed_free(&r);
    return rc == SKED_OK || input_fail(fault, 0, 0, "%s", err.message);
}
