/* The report for the manager of a cluster. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

enum { REPORT_QUEUES = 40, CHART_QUEUES = 12, NAME_WIDTH = 26 };

/* ns as a duration of three digits: "850 ms", "12.3 s", "4.2 h". */
static const char *duration(int64_t ns, char *text, size_t cap)
{
    double s = (double)ns / 1e9;

    if (ns < 0)
        snprintf(text, cap, "-");
    else if (ns == 0)
        snprintf(text, cap, "0");
    else if (s < 1)
        snprintf(text, cap, "%.0f ms", s * 1e3);
    else if (s < 120)
        snprintf(text, cap, "%.1f s", s);
    else if (s < 7200)
        snprintf(text, cap, "%.1f min", s / 60);
    else if (s < 172800)
        snprintf(text, cap, "%.1f h", s / 3600);
    else
        snprintf(text, cap, "%.1f d", s / 86400);
    return text;
}

/* ---- The workload, and the run ---- */

static void print_workload(FILE *file, const replay_plan *plan,
                           const replay_options *o, const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    char text[32];

    fprintf(file, "Workload   %s: %llu jobs, %llu tasks, submitted over %s",
            o->workload ? o->workload : "bundled", (unsigned long long)r->jobs,
            (unsigned long long)r->tasks,
            duration(r->last_submit - r->first_submit, text, sizeof text));
    if (run->multiplier != 1000000) {
        fprintf(file, " (times %.6g)", (double)run->multiplier / 1e6);
    }
    fputc('\n', file);
    for (int i = 0; i < SKIPPED_REASONS; i++) {
        if (!plan->work.skipped[i]) continue;
        fprintf(file, "           %llu skipped: %s\n",
                (unsigned long long)plan->work.skipped[i],
                workload_skipped_name[i]);
    }
}

static void print_cluster(FILE *file, const replay_plan *plan,
                          const replay_options *o)
{
    const char *comma = "";

    fprintf(file, "Cluster    %u node%s: ", plan->n_nodes,
            plan->n_nodes == 1 ? "" : "s");
    for (uint32_t k = 0; k < plan->kinds; k++) {
        char text[SKED_AMOUNT_TEXT_MAX];
        if (!plan->capacity[k] ||
            sked_amount_format(sked_schema_unit(plan->schema, k),
                               plan->capacity[k], SKED_FORM_SHORT, text)) {
            continue;
        }
        fprintf(file, "%s%s %s", comma, sked_schema_name(plan->schema, k),
                text);
        comma = ", ";
    }
    if (!*comma) fputs("nothing", file);
    if (!o->n_specs) {
        fprintf(file, " (made for a load of %.6g)", (double)o->load / 1e6);
    }
    fputc('\n', file);
    if (plan->work.max_procs && !o->n_specs) {
        fprintf(file,
                "           recorded on %lld processors: --nodes \"1 x "
                "cpu=%lld\" --gang imitates that\n",
                (long long)plan->work.max_procs,
                (long long)plan->work.max_procs);
    }
}

/* The fraction of the capacity in use until the last task ended. */
static void print_use(FILE *file, const replay_plan *plan,
                      const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    sked_sim_queue root = {.struct_size = sizeof root};
    sked_wide work[SKED_MAX_KINDS];
    double time = (double)(r->end - r->first_submit);
    const char *comma = "";

    (void)!sked_sim_get_queue(run->sim, plan->row_id[0], &root, NULL, work,
                              NULL);
    for (uint32_t k = 0; k < plan->kinds; k++) {
        double all = (double)plan->capacity[k] * time;
        double done = (double)work[k].low +
                      (double)work[k].high * 18446744073709551616.0;
        if (all <= 0) continue;
        fprintf(file, "%s%s %.1f %%", *comma ? comma : "Use        ",
                sked_schema_name(plan->schema, k), 100 * done / all);
        comma = ", ";
    }
    if (!*comma) return;
    fputs(" of what there was until the last task ended\n", file);
}

static void print_outcome(FILE *file, const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    char a[32], b[32];
    double seconds = (double)(r->end - r->first_submit) / 1e9;
    uint64_t open = r->jobs - r->jobs_finished - r->rejected;

    fprintf(file, "Outcome    %llu jobs finished in %s",
            (unsigned long long)r->jobs_finished,
            duration(r->tasks_finished ? r->end - r->first_submit : 0, a,
                     sizeof a));
    if (r->rejected) {
        fprintf(file, ", %llu rejected (they can never run)",
                (unsigned long long)r->rejected);
    }
    if (open) fprintf(file, ", %llu not done", (unsigned long long)open);
    if (r->local || r->transfers) {
        fprintf(file,
                "\nBlocks     %llu tasks read theirs where it lies, %llu had "
                "it transferred",
                (unsigned long long)r->local, (unsigned long long)r->transfers);
    }
    fprintf(file, "\nRate       %.3g tasks a second; ",
            seconds > 0 ? (double)r->tasks_finished / seconds : 0);
    if (r->low_rate == 0) {
        fputs("no minute in which work had room and waited\n", file);
        return;
    }
    fprintf(file, "%s in which work had room and waited\n",
            duration(r->low_rate, b, sizeof b));
}

/* ---- Who waited how long ---- */

/* Prints at most `width` characters of a name, padded with blanks; characters
 * that a terminal may interpret become '?'. */
static void print_name(FILE *file, const char *name, int width)
{
    int n = 0;

    for (; *name && (n < width || (*name & 0xc0) == 0x80); name++) {
        unsigned char c = (unsigned char)*name;
        n += (c & 0xc0) != 0x80; /* not the first byte of a character */
        fputc(c < 32 || c == 127 ? '?' : c, file);
    }
    fprintf(file, "%*s", width - n, "");
}

static void print_delays(FILE *file, const sked_sim_delay *d)
{
    char text[3][32];

    fprintf(file, " %9s %9s %9s", duration(d->p50, text[0], 32),
            duration(d->p95, text[1], 32), duration(d->p99, text[2], 32));
}

static void print_queue_row(FILE *file, const char *name,
                            const sked_sim_queue *q)
{
    char text[32];

    print_name(file, name, NAME_WIDTH);
    fprintf(file, " %8llu %9llu", (unsigned long long)q->jobs,
            (unsigned long long)q->tasks);
    print_delays(file, &q->delay);
    fprintf(file, " %9s", duration(q->starved_ns, text, sizeof text));
    if (q->fair_ns + q->starved_ns > 0) {
        fprintf(file, " %6.1f %%",
                100.0 * (double)q->fair_ns /
                    (double)(q->fair_ns + q->starved_ns));
    }
    fputc('\n', file);
}

static void print_queues(FILE *file, const replay_plan *plan,
                         const replay_run *run)
{
    size_t more = 0, shown = 0;

    fprintf(file, "\n%-*s %8s %9s %9s %9s %9s %9s %8s\n", NAME_WIDTH, "queue",
            "jobs", "tasks", "wait p50", "p95", "p99", "below", "at share");
    for (size_t i = 0; i < plan->n_rows; i++) {
        sked_sim_queue q = {.struct_size = sizeof q};
        (void)!sked_sim_get_queue(run->sim, plan->row_id[i], &q, NULL, NULL,
                                  NULL);
        if (q.jobs == 0) continue;
        if (shown++ < REPORT_QUEUES)
            print_queue_row(file, plan->row_path[i], &q);
        else
            more++;
    }
    if (more) fprintf(file, "... and %zu more: see --csv\n", more);
    fputs(
        "  wait: from submission to the first task started; below: time with\n"
        "  demand and less than the fair share; at share: the other part\n",
        file);
}

static int by_delay(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int64_t rank_of(const int64_t *sorted, size_t n, size_t percent)
{
    return sorted[(n * percent + 99) / 100 - 1];
}

/* The delays of the replayed jobs. */
typedef struct job_delays {
    int64_t *delay;
    uint32_t *given; /* row of the workload */
    int64_t *own;    /* room for the delays of some */
    size_t n;
} job_delays;

/* A tier: the delays of its jobs. */
static void print_tier(FILE *file, const replay_plan *plan, uint32_t tier,
                       const job_delays *d)
{
    size_t m = 0;
    char name[32];

    for (size_t i = 0; i < d->n; i++) {
        if (plan->work.jobs[d->given[i]].tier != tier) continue;
        if (d->delay[i] >= 0) d->own[m++] = d->delay[i];
    }
    if (!m) return;
    qsort(d->own, m, sizeof *d->own, by_delay);
    sked_sim_delay ranks = {.p50 = rank_of(d->own, m, 50),
                            .p95 = rank_of(d->own, m, 95),
                            .p99 = rank_of(d->own, m, 99)};
    snprintf(name, sizeof name, "tier %u", tier);
    fprintf(file, "%-*s %8zu %9s", NAME_WIDTH, name, m, "");
    print_delays(file, &ranks);
    fputc('\n', file);
}

/* Marks the tiers of the jobs; 0: no job has a tier. */
static int list_tiers(const replay_plan *plan, uint8_t *there)
{
    int any = 0;

    for (uint32_t i = 0; i < plan->work.n; i++) {
        uint32_t tier = plan->work.jobs[i].tier;
        there[tier] = 1;
        any |= tier > 0;
    }
    return any;
}

/* Delays by tier, if jobs have tiers. */
static void print_tiers(FILE *file, const replay_plan *plan,
                        const replay_run *run)
{
    size_t n = (size_t)run->result.jobs, got = 0;
    uint8_t there[256] = {0};
    job_delays d = {.n = n};

    if (!n || !list_tiers(plan, there)) return;
    d.delay = malloc(n * sizeof *d.delay);
    d.given = malloc(n * sizeof *d.given);
    d.own = malloc(n * sizeof *d.own);
    if (d.delay && d.given && d.own &&
        sked_sim_delays(run->sim, d.delay, n, &got, NULL) == SKED_OK &&
        sked_sim_rows(run->sim, d.given, n, &got, NULL) == SKED_OK) {
        fputc('\n', file);
        for (uint32_t tier = 1; tier < 256; tier++) {
            if (there[tier]) print_tier(file, plan, tier, &d);
        }
    }
    free(d.delay);
    free(d.given);
    free(d.own);
}

/* ---- Usage against fair share ---- */

/* The kind with the queue's largest fraction at its peak. */
static uint32_t leading_kind_of(const replay_plan *plan, const int64_t *peak)
{
    uint32_t lead = 0;
    double most = -1;

    for (uint32_t k = 0; k < plan->kinds; k++) {
        double whole = (double)plan->capacity[k];
        double part = whole > 0 ? (double)peak[k] / whole : 0;
        if (part <= most) continue;
        most = part;
        lead = k;
    }
    return lead;
}

static char sign_of(int64_t usage, int64_t share)
{
    if (usage == 0) return share > 0 ? '_' : ' ';
    double part = share > 0 ? (double)usage / (double)share : 9;
    return part < 0.5 ? '.' : part < 1 ? '-' : part < 1.5 ? '=' : '#';
}

static int print_line(FILE *file, const replay_plan *plan,
                      const replay_run *run, size_t at)
{
    int64_t usage[REPORT_SAMPLES], share[REPORT_SAMPLES];
    int64_t peak[SKED_MAX_KINDS];
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_queue_id id = plan->row_id[at];
    size_t n = 0;

    (void)!sked_sim_get_queue(run->sim, id, &q, peak, NULL, NULL);
    uint32_t kind = leading_kind_of(plan, peak);
    if (!q.jobs || sked_sim_samples(run->sim, id, (uint32_t)kind, usage, share,
                                    REPORT_SAMPLES, &n, NULL) != SKED_OK) {
        return 0;
    }
    fputs("  ", file);
    print_name(file, sked_tree_name(plan->tree, id), 16);
    fprintf(file, " %-6.6s |", sked_schema_name(plan->schema, kind));
    for (size_t i = 0; i < n; i++) {
        fputc(sign_of(usage[i], share[i]), file);
    }
    fputs("|\n", file);
    return 1;
}

static void print_chart(FILE *file, const replay_plan *plan,
                        const replay_run *run)
{
    char text[32];
    int lines = 0;

    fprintf(file,
            "\nUsed against the fair share, in the kind that the queue has "
            "most of;\na column for every %s:\n",
            duration(run->result.sample_every_ns, text, sizeof text));
    for (size_t at = 1; at < plan->n_rows && lines < CHART_QUEUES; at++) {
        lines += print_line(file, plan, run, at);
    }
    fputs("  blank: nothing wanted   _ wanted, nothing used   . below half\n"
          "  - below the share   = at it or up to half above   # more\n",
          file);
}

void report_print(FILE *file, const replay_plan *plan, const replay_options *o,
                  const replay_run *run)
{
    const sked_sim_result *r = &run->result;
    char text[32];

    print_workload(file, plan, o, run);
    print_cluster(file, plan, o);
    print_outcome(file, run);
    print_use(file, plan, run);
    print_queues(file, plan, run);
    print_tiers(file, plan, run);
    if (plan->work.n) print_chart(file, plan, run);
    fprintf(file, "\n%llu decisions in %s: %.0f a second; ",
            (unsigned long long)r->decisions,
            duration((int64_t)(run->wall_s * 1e9), text, sizeof text),
            run->wall_s > 0 ? (double)r->decisions / run->wall_s : 0);
    fprintf(file, "%llu node events, %llu more decided nothing\n",
            (unsigned long long)r->heartbeats,
            (unsigned long long)r->heartbeats_skipped);
    fprintf(file, "digest %016llx\n", (unsigned long long)r->digest);
}
