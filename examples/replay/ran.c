/*
 * Writes the workload with the times of a run: for each job, the start of its
 * first task and the end of its last task. The output is CSV with the common
 * columns. The other programs can therefore read a run as a recorded workload.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* Reserves times for the copies 0 to `copy` of each job. New times are unset.
 * Returns 0 without memory. */
static int ran_reserve(ran_jobs *ran, uint32_t copy)
{
    size_t n = ran->plan->work.n, had = ran->copies * n;
    size_t want = ((size_t)copy + 1) * n;
    ran_times *more;

    if (copy < ran->copies) return 1;
    if (want > SIZE_MAX / sizeof *more) return 0;
    more = realloc(ran->times, (want ? want : 1) * sizeof *more);
    if (!more) return 0;
    for (size_t i = had; i < want; i++) more[i] = (ran_times){-1, -1, 0};
    ran->times = more;
    ran->copies = copy + 1;
    return 1;
}

int ran_take(ran_jobs *ran, const sked_sim_record *record)
{
    const sked_decision *d = &record->decision;
    ran_times *t;

    if (d->kind != SKED_DECISION_ALLOCATE && d->kind != SKED_SIM_KIND_FINISH) {
        return 1;
    }
    if (!ran_reserve(ran, record->copy)) return 0;
    t = &ran->times[(size_t)record->copy * ran->plan->work.n + record->job];
    if (d->kind == SKED_DECISION_ALLOCATE) {
        if (t->start < 0) t->start = d->time;
    } else {
        t->ended += d->count;
        t->end = d->time;
    }
    return 1;
}

/* Prints `units` times 10^-scale as a decimal. A negative number is unknown and
 * prints an empty field. */
static void ran_decimal(FILE *file, int64_t units, int scale)
{
    int64_t whole = units, part = 0, one = 1;
    int digits = scale;

    if (units < 0) return;
    for (int i = 0; i < scale; i++) one *= 10;
    whole = units / one;
    part = units % one;
    fprintf(file, "%lld", (long long)whole);
    if (!part) return;
    for (; part % 10 == 0; part /= 10) digits--;
    fprintf(file, ".%0*lld", digits, (long long)part);
}

static void ran_seconds(FILE *file, int64_t ns)
{
    ran_decimal(file, ns, 9);
}

static void ran_amount(FILE *file, int64_t amount, int scale)
{
    ran_decimal(file, amount, scale);
}

/* Prints a copy of a job. The name of a copy has a suffix, as in the decision
 * log. */
static void print_ran(FILE *file, const replay_plan *plan, uint32_t i,
                      uint32_t copy, const ran_times *t)
{
    const workload *w = &plan->work;
    const workload_job *job = &w->jobs[i];
    int ended = t->ended >= job->tasks;

    ran_seconds(file, job->submit);
    fputc(',', file);
    ran_seconds(file, t->start);
    fputc(',', file);
    ran_seconds(file, ended ? t->end : -1);
    fputc(',', file);
    print_field(file, w->users.text[job->user]);
    fputc(',', file);
    print_field(file, w->groups.text[job->group]);
    fputc(',', file);
    print_field(file, w->queues.text[job->queue]);
    fprintf(file, ",%lld,", (long long)job->tasks);
    ran_amount(file, job->amount[WORKLOAD_CPU], 3);
    fputc(',', file);
    ran_amount(file, job->amount[WORKLOAD_MEMORY], 0);
    fputc(',', file);
    ran_amount(file, job->amount[WORKLOAD_GPU], 3);
    fputc(',', file);
    log_job(file, w->ids.text[job->id], copy);
    fputc(',', file);
    print_field(file, w->partitions.text[job->partition]);
    fprintf(file, ",%ld,", (long)job->priority);
    ran_seconds(file, job->run);
    fprintf(file, ",%lu,", (unsigned long)job->tier);
    ran_seconds(file, job->slo);
    fputc(',', file);
    print_field(file, w->apps.text[job->app]);
    fputc('\n', file);
}

void ran_print(FILE *file, const ran_jobs *ran)
{
    const replay_plan *plan = ran->plan;
    const ran_times unset = {-1, -1, 0};
    uint32_t copies = ran->copies ? ran->copies : 1;

    fputs("submit_s,start_s,end_s,user,group,queue,tasks,cpu,mem_bytes,gpu,"
          "job_id,partition,priority,run_s,tier,slo_s,workflow\n",
          file);
    for (uint32_t i = 0; i < plan->work.n; i++) {
        for (uint32_t copy = 0; copy < copies; copy++) {
            const ran_times
                *t = ran->copies ? &ran->times[(size_t)copy * plan->work.n + i]
                                 : &unset;
            if (copy && t->start < 0) continue;
            print_ran(file, plan, i, copy, t);
        }
    }
}

void ran_free(ran_jobs *ran)
{
    free(ran->times);
    *ran = (ran_jobs){0};
}
