/* The results for programs: JSON, and the queues as CSV. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static const char *kind_of(const replay_plan *plan, uint32_t k)
{
    return sked_schema_name(plan->schema, k);
}

static const char *unit_of(const replay_plan *plan, uint32_t k)
{
    return sked_schema_unit(plan->schema, k);
}

static void print_delay(FILE *file, const sked_sim_delay *d)
{
    const struct {
        const char *name;
        int64_t ns;
    } part[] = {{"p50", d->p50},
                {"p95", d->p95},
                {"p99", d->p99},
                {"max", d->max},
                {"mean", d->mean}};

    fputc('{', file);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        fprintf(file, "%s\"%s\":", i ? "," : "", part[i].name);
        print_seconds(file, part[i].ns);
    }
    fputc('}', file);
}

static void print_work(FILE *file, const replay_plan *plan,
                       const sked_wide *work)
{
    char text[WIDE_TEXT];

    fputc('{', file);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        wide sum = wide_of(work[k].low, work[k].high);
        fprintf(file, "%s\"%s\":\"%s\"", k ? "," : "", kind_of(plan, k),
                wide_text(sum, text));
    }
    fputc('}', file);
}

static void print_amounts(FILE *file, const replay_plan *plan,
                          const int64_t *amounts)
{
    fputc('{', file);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        fprintf(file, "%s\"%s\":", k ? "," : "", kind_of(plan, k));
        print_amount(file, unit_of(plan, k), amounts[k]);
    }
    fputc('}', file);
}

/* Millionths as a decimal number. */
static void print_ppm(FILE *file, int64_t ppm)
{
    print_seconds(file, ppm * 1000);
}

static void print_workload(FILE *file, const replay_plan *plan,
                           const replay_run *run)
{
    const char *comma = "";

    fprintf(file, "{\"workload\":{\"jobs\":%llu,\"tasks\":%llu,\"skipped\":{",
            (unsigned long long)run->result.jobs,
            (unsigned long long)run->result.tasks);
    for (int r = 0; r < SKIPPED_REASONS; r++) {
        if (!plan->work.skipped[r]) continue;
        fprintf(file, "%s\"%s\":%llu", comma, workload_skipped_name[r],
                (unsigned long long)plan->work.skipped[r]);
        comma = ",";
    }
    fputs("},\"span_s\":", file);
    print_seconds(file, run->result.last_submit - run->result.first_submit);
    if (plan->work.max_procs) {
        fprintf(file, ",\"max_procs\":%lld", (long long)plan->work.max_procs);
    }
    if (plan->work.max_nodes) {
        fprintf(file, ",\"max_nodes\":%lld", (long long)plan->work.max_nodes);
    }
    fputs(",\"multiplier\":", file);
    print_ppm(file, run->multiplier);
    fputs("},\n", file);
}

/* The attributes of a node, if any: "key=value" each. */
static void print_attributes(FILE *file, const char *text)
{
    const char *comma = ",\"attributes\":[";
    char word[1024];

    while (text && *(text += strspn(text, " \t"))) {
        size_t length = strcspn(text, " \t");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        fputs(comma, file);
        print_string(file, word);
        comma = ",";
        text += length;
    }
    if (comma[1]) return;
    fputc(']', file);
}

static void print_cluster(FILE *file, const replay_plan *plan)
{
    fprintf(file, " \"cluster\":{\"nodes\":%u,\"capacity\":", plan->n_nodes);
    print_amounts(file, plan, plan->capacity);
    fputs(",\"specs\":[", file);
    for (uint32_t s = 0; s < plan->n_specs; s++) {
        const node_spec *spec = &plan->specs[s];
        fprintf(file, "%s{\"count\":%u,\"partition\":", s ? "," : "",
                spec->count);
        print_string(file, spec->partition);
        fputs(",\"amount\":{", file);
        for (uint32_t k = 0; k < plan->kinds; k++) {
            char text[SKED_AMOUNT_TEXT_MAX];
            if (sked_amount_format(unit_of(plan, k), spec->amount[k],
                                   SKED_FORM_LOG, text) != SKED_OK) {
                text[0] = 0;
            }
            fprintf(file, "%s\"%s\":\"%s\"", k ? "," : "", kind_of(plan, k),
                    text);
        }
        fputc('}', file);
        print_attributes(file, spec->attributes);
        fputc('}', file);
    }
    fputs("]},\n", file);
}

static void print_result(FILE *file, const replay_plan *plan,
                         const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    sked_wide work[SKED_MAX_KINDS];
    sked_sim_queue root = {.struct_size = sizeof root};

    (void)!sked_sim_get_queue(run->sim, sked_tree_root(plan->tree), &root, NULL,
                              work, NULL);
    fprintf(file,
            " \"result\":{\"jobs_finished\":%llu,\"tasks_finished\":%llu,"
            "\"rejected\":%llu,\"makespan_s\":",
            (unsigned long long)r->jobs_finished,
            (unsigned long long)r->tasks_finished,
            (unsigned long long)r->rejected);
    print_seconds(file, r->tasks_finished ? r->end - r->first_submit : 0);
    fputs(",\"work\":", file);
    print_work(file, plan, work);
    fputs(",\"low_rate_s\":", file);
    print_seconds(file, r->low_rate);
    if (plan->place_first) {
        fprintf(file, ",\"local\":%llu,\"transfers\":%llu",
                (unsigned long long)r->local, (unsigned long long)r->transfers);
    }
    fprintf(file, ",\"digest\":\"%016llx\"},\n", (unsigned long long)r->digest);
    fputs(" \"delay_s\":", file);
    print_delay(file, &r->delay);
    fputs(",\n", file);
}

static void print_queue(FILE *file, const replay_plan *plan,
                        const replay_run *run, size_t row)
{
    sked_sim_queue q = {.struct_size = sizeof q};
    int64_t peak[SKED_MAX_KINDS];
    sked_wide work[SKED_MAX_KINDS];

    (void)!sked_sim_get_queue(run->sim, plan->row_id[row], &q, peak, work,
                              NULL);
    fputs("  {\"path\":", file);
    print_string(file, plan->row_path[row]);
    fprintf(file, ",\"jobs\":%llu,\"tasks\":%llu,\"delay_s\":",
            (unsigned long long)q.jobs, (unsigned long long)q.tasks);
    print_delay(file, &q.delay);
    fputs(",\"work\":", file);
    print_work(file, plan, work);
    fputs(",\"peak\":", file);
    print_amounts(file, plan, peak);
    fputs(",\"fair_s\":", file);
    print_seconds(file, q.fair_ns);
    fputs(",\"starved_s\":", file);
    print_seconds(file, q.starved_ns);
    fputc('}', file);
}

static void print_preemption(FILE *file, const replay_plan *plan,
                             const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    sked_wide lost[SKED_MAX_KINDS] = {{0}};

    (void)!sked_sim_lost_work(run->sim, lost, NULL);
    fprintf(file,
            " \"preemption\":{\"rounds\":%llu,\"notified\":%llu,"
            "\"killed\":%llu,\"withdrawn\":%llu,\"lost_work\":",
            (unsigned long long)r->rounds, (unsigned long long)r->notified,
            (unsigned long long)r->killed, (unsigned long long)r->withdrawn);
    print_work(file, plan, lost);
    fputs(",\n  \"below_guarantee_s\":{", file);
    for (size_t row = 0; row < plan->n_rows; row++) {
        sked_sim_queue q = {.struct_size = sizeof q};
        (void)!sked_sim_get_queue(run->sim, plan->row_id[row], &q, NULL, NULL,
                                  NULL);
        if (row) fputc(',', file);
        print_string(file, plan->row_path[row]);
        fputc(':', file);
        print_seconds(file, q.below_guarantee_ns);
    }
    fputs("}},\n", file);
}

static void print_speed(FILE *file, const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    double per_s = run->wall_s > 0 ? (double)r->decisions / run->wall_s : 0;

    fprintf(file, " \"speed\":{\"wall_s\":%.6f,\"virtual_s\":", run->wall_s);
    print_seconds(file, r->tasks_finished ? r->end - r->first_submit : 0);
    fprintf(file,
            ",\"events\":%llu,\"heartbeats_skipped\":%llu,"
            "\"decisions\":%llu,\"decisions_per_s\":%.0f}}",
            (unsigned long long)r->events,
            (unsigned long long)r->heartbeats_skipped,
            (unsigned long long)r->decisions, per_s);
}

void json_print(FILE *file, const replay_plan *plan, const replay_run *run)
{
    print_workload(file, plan, run);
    print_cluster(file, plan);
    print_result(file, plan, run);
    fputs(" \"queues\":[\n", file);
    for (size_t row = 0; row < plan->n_rows; row++) {
        if (row) fputs(",\n", file);
        print_queue(file, plan, run, row);
    }
    fputs("],\n", file);
    print_preemption(file, plan, run);
    print_speed(file, run);
}

static void csv_header(FILE *file, const replay_plan *plan)
{
    fputs("path,jobs,tasks,p50_s,p95_s,p99_s,max_s,mean_s", file);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        fprintf(file, ",work_%s", kind_of(plan, k));
    }
    for (uint32_t k = 0; k < plan->kinds; k++) {
        fprintf(file, ",peak_%s", kind_of(plan, k));
    }
    fputs(",fair_s,starved_s\n", file);
}

static void csv_seconds(FILE *file, int64_t ns)
{
    fputc(',', file);
    if (ns >= 0) print_seconds(file, ns);
}

static void csv_row(FILE *file, const replay_plan *plan, const replay_run *run,
                    size_t row)
{
    sked_sim_queue q = {.struct_size = sizeof q};
    int64_t peak[SKED_MAX_KINDS];
    sked_wide work[SKED_MAX_KINDS];
    char text[WIDE_TEXT];

    (void)!sked_sim_get_queue(run->sim, plan->row_id[row], &q, peak, work,
                              NULL);
    print_field(file, plan->row_path[row]);
    fprintf(file, ",%llu,%llu", (unsigned long long)q.jobs,
            (unsigned long long)q.tasks);
    csv_seconds(file, q.delay.p50);
    csv_seconds(file, q.delay.p95);
    csv_seconds(file, q.delay.p99);
    csv_seconds(file, q.delay.max);
    csv_seconds(file, q.delay.mean);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        wide sum = wide_of(work[k].low, work[k].high);
        fprintf(file, ",%s", wide_text(sum, text));
    }
    for (uint32_t k = 0; k < plan->kinds; k++) {
        fputc(',', file);
        print_amount(file, unit_of(plan, k), peak[k]);
    }
    csv_seconds(file, q.fair_ns);
    csv_seconds(file, q.starved_ns);
    fputc('\n', file);
}

void csv_print(FILE *file, const replay_plan *plan, const replay_run *run)
{
    csv_header(file, plan);
    for (size_t row = 0; row < plan->n_rows; row++) {
        csv_row(file, plan, run, row);
    }
}
