/* replay: reads, runs, writes. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"

/* The output files of a run; all files appear together, or none. */
typedef struct outputs {
    out_file json;
    out_file csv;
    out_file decisions;
    out_file jobs;
} outputs;

/* Who looks at the records of a run. */
typedef struct watchers {
    decision_log log;
    ran_jobs ran;
    int is_full; /* memory ran out */
} watchers;

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A bar on the terminal, thirty steps long. */
static sked_status show_progress(void *user, uint64_t done, uint64_t total)
{
    int *shown = user;
    int step = total ? (int)(done * 30 / total) : 0;

    if (step == *shown) return SKED_OK;
    *shown = step;
    fprintf(stderr, "\r[%.*s%*s] %3d %%", step,
            "##############################", 30 - step, "",
            total ? (int)(done * 100 / total) : 0);
    return SKED_OK;
}

static int tell(const input_fault *fault)
{
    fputs("replay: ", stderr);
    input_report(fault, stderr);
    return REPLAY_BAD_INPUT;
}

/* ---- Runs ---- */

static int prepare_all(replay_run *runs, const replay_plan *plan,
                       const replay_options *o, const sked_host *host,
                       input_fault *fault)
{
    for (uint32_t i = 0; i < o->n_sweep; i++) {
        runs[i].multiplier = o->sweep[i];
        if (!plan_prepare(plan, o, &runs[i], host, fault)) return 0;
    }
    return 1;
}

static int finish(replay_run *run, sked_status said, input_fault *fault)
{
    run->result.struct_size = sizeof run->result;
    if (said == SKED_OK &&
        sked_sim_get_result(run->sim, &run->result, NULL) == SKED_OK) {
        return 1;
    }
    return input_fail(fault, 0, 0, "the run ended with %s",
                      sked_status_name(said));
}

static sked_status watch_all(void *user, const sked_sim_record *record,
                             size_t n)
{
    watchers *w = user;

    for (size_t i = 0; i < n && w->ran.plan; i++) {
        w->is_full = w->is_full || !ran_take(&w->ran, &record[i]);
    }
    if (w->is_full) return SKED_STOPPED;
    return w->log.file ? log_watch(&w->log, record, n) : SKED_OK;
}

/* A run that logs its decisions as they come. */
static int run_single(replay_run *run, const replay_plan *plan,
                      const outputs *out, input_fault *fault)
{
    FILE *log = out->decisions.file, *jobs = out->jobs.file;
    watchers w = {.log = {.plan = plan, .file = log},
                  .ran = {.plan = jobs ? plan : NULL}};
    sked_error err;

    if (log) log_header(log);
    double from = seconds_now();
    sked_status rc = sked_sim_run(run->sim, log || jobs ? watch_all : NULL, &w,
                                  &err);
    run->wall_s = seconds_now() - from;
    if (jobs && !w.is_full) ran_print(jobs, &w.ran);
    ran_free(&w.ran);
    if (w.is_full) return fault_memory(fault);
    if (log && ferror(log)) return 1; /* told when the file is finished */
    return rc < 0 ? fault_library(fault, &err) : finish(run, rc, fault);
}

static int run_sweep(replay_run *runs, const replay_options *o,
                     input_fault *fault)
{
    sked_sim *sims[REPLAY_SWEEP];
    sked_status said[REPLAY_SWEEP];
    sked_host host = {.struct_size = sizeof host, .threads = o->threads};
    sked_error err;

    for (uint32_t i = 0; i < o->n_sweep; i++) sims[i] = runs[i].sim;
    double from = seconds_now();
    sked_status rc = sked_sim_run_all(sims, o->n_sweep, &host, said, &err);
    double wall = seconds_now() - from;
    if (rc != SKED_OK) return fault_library(fault, &err);
    for (uint32_t i = 0; i < o->n_sweep; i++) {
        runs[i].wall_s = wall / o->n_sweep;
        if (!finish(&runs[i], said[i], fault)) return 0;
    }
    return 1;
}

/* ---- Files ---- */

static int open_all(outputs *out, const replay_options *o, input_fault *fault)
{
    return out_open(&out->json, o->json, fault) &&
           out_open(&out->csv, o->csv, fault) &&
           out_open(&out->decisions, o->decisions, fault) &&
           out_open(&out->jobs, o->jobs, fault);
}

static void print_json(FILE *file, const replay_plan *plan,
                       const replay_options *o, const replay_run *runs)
{
    if (o->is_sweep) fputs("[", file);
    for (uint32_t i = 0; i < o->n_sweep; i++) {
        if (i) fputs(",\n", file);
        json_print(file, plan, &runs[i]);
    }
    fputs(o->is_sweep ? "]\n" : "\n", file);
}

static int finish_all(outputs *out, input_fault *fault)
{
    return out_finish(&out->json, fault) && out_finish(&out->csv, fault) &&
           out_finish(&out->decisions, fault) && out_finish(&out->jobs, fault);
}

static int close_all(outputs *out, int good, input_fault *fault)
{
    good = out_close(&out->json, good, fault) && good;
    good = out_close(&out->csv, good, fault) && good;
    good = out_close(&out->decisions, good, fault) && good;
    return out_close(&out->jobs, good, fault) && good;
}

/* ---- Together ---- */

static void tell_ignored(const replay_plan *plan, const replay_options *o)
{
    for (uint32_t i = 0; !o->quiet && i < plan->work.ignored.n; i++) {
        input_fault note = {{0}, 0, 0, {0}};
        snprintf(note.file, sizeof note.file, "%s", o->workload);
        (void)input_fail(&note, 0, 0, "column %.200s is not used",
                         plan->work.ignored.text[i]);
        (void)tell(&note);
    }
}

static int run_all(const replay_plan *plan, const replay_options *o,
                   replay_run *runs, outputs *out, input_fault *fault)
{
    int shown = -1, bar = isatty(2) && !o->quiet && !o->is_sweep;
    sked_host host = {.struct_size = sizeof host, .user = &shown};

    if (bar) host.progress = show_progress;
    if (!prepare_all(runs, plan, o, &host, fault)) return 0;
    tell_ignored(plan, o);
    int ok = o->is_sweep ? run_sweep(runs, o, fault)
                         : run_single(runs, plan, out, fault);
    if (bar) fprintf(stderr, "\r%40s\r", "");
    if (ok && out->json.file) print_json(out->json.file, plan, o, runs);
    if (ok && out->csv.file) csv_print(out->csv.file, plan, runs);
    return ok && finish_all(out, fault);
}

static int uses_stdout(const replay_options *o)
{
    return (o->json && !strcmp(o->json, "-")) ||
           (o->csv && !strcmp(o->csv, "-")) ||
           (o->decisions && !strcmp(o->decisions, "-")) ||
           (o->jobs && !strcmp(o->jobs, "-"));
}

static int report_all(const replay_plan *plan, const replay_options *o,
                      const replay_run *runs, input_fault *fault)
{
    if (o->quiet || uses_stdout(o)) return 1;
    for (uint32_t i = 0; i < o->n_sweep; i++) {
        if (i) putchar('\n');
        report_print(stdout, plan, o, &runs[i]);
    }
    return out_printed(fault);
}

int main(int argc, char **argv)
{
    static replay_options o;
    static replay_plan plan;
    static replay_run runs[REPLAY_SWEEP];
    input_fault fault = {{0}, 0, 0, {0}};
    outputs out = {{0}, {0}, {0}, {0}};
    int rc = options_read(&o, argc, argv);

    if (rc) return rc - 1;
    if (o.example) return bundled_write(o.example, &fault) ? 0 : tell(&fault);
    int ok = plan_make(&plan, &o, &fault) && open_all(&out, &o, &fault) &&
             run_all(&plan, &o, runs, &out, &fault);
    ok = close_all(&out, ok, &fault);
    if (ok) ok = report_all(&plan, &o, runs, &fault);
    for (uint32_t i = 0; i < o.n_sweep; i++) sked_sim_free(runs[i].sim);
    plan_free(&plan);
    return ok ? 0 : tell(&fault);
}
