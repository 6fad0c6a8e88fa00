/*
 * Runs known answers through the public API and prints a table.
 *
 *     vectors CASES...
 *
 * CASES are files that compact.py wrote; lines of one case stand together.
 * Exit 1 on any failure.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { MOST_ROWS = 160, MOST_REASONS = 64, NAME = 40 };

/* One row of the table: a kind of a file. */
typedef struct tally {
    char file[NAME];
    char kind[NAME];
    unsigned long count[CASE_ENDS];
} tally;

/* A rule, or what is missing, and how many cases it is said of. */
typedef struct reason {
    char name[NAME];
    int outcome;
    unsigned long count;
} reason;

/* A case may be several lines: what is known of it so far. */
typedef struct report {
    tally row[MOST_ROWS];
    reason reason[MOST_REASONS];
    char file[NAME];
    char kind[NAME];
    char id[NAME];
    char rule[NAME];
    char lacks[NAME]; /* of a line that could not be run */
    int outcome;
} report;

static const vec_runner *const groups[] = {
    vec_run_fill,  vec_run_drf,  vec_run_res,    vec_run_order,
    vec_run_pctl,  vec_run_tree, vec_run_target, vec_run_victims,
    vec_run_admit, vec_run_life, vec_run_rule,   vec_run_host};

static const vec_runner *runner_of(const char *call)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (const vec_runner *r = groups[g]; r->call; r++) {
            if (strcmp(r->call, call) == 0) return r;
        }
    }
    return NULL;
}

static tally *tally_of(report *r)
{
    tally *row = r->row;

    while (row->kind[0] && (strcmp(row->kind, r->kind) != 0 ||
                            strcmp(row->file, r->file) != 0)) {
        if (++row == r->row + MOST_ROWS - 1) break;
    }
    memcpy(row->file, r->file, NAME);
    memcpy(row->kind, r->kind, NAME);
    return row;
}

static void count_reason(report *r, const char *name, int outcome)
{
    reason *at = r->reason;

    while (at->count &&
           (strcmp(at->name, name) != 0 || at->outcome != outcome)) {
        if (++at == r->reason + MOST_REASONS - 1) break;
    }
    memcpy(at->name, name, NAME);
    at->outcome = outcome;
    at->count++;
}

static void end_case(report *r)
{
    if (!r->id[0]) return;
    tally_of(r)->count[r->outcome]++;
    if (r->outcome == CASE_BY_RULE || r->outcome == CASE_UNSUPPORTED) {
        count_reason(r, r->rule, r->outcome);
    }
    if (r->outcome != CASE_UNSUPPORTED && r->lacks[0]) {
        count_reason(r, r->lacks, CASE_ENDS);
    }
    r->id[0] = 0;
}

static void begin_case(report *r, const vec_case *c)
{
    if (strcmp(r->id, c->id) == 0 && strcmp(r->file, c->file) == 0) return;
    end_case(r);
    snprintf(r->file, NAME, "%s", c->file);
    snprintf(r->kind, NAME, "%s", c->kind);
    snprintf(r->id, NAME, "%s", c->id);
    r->rule[0] = r->lacks[0] = 0;
    r->outcome = CASE_UNSUPPORTED;
}

/* Runs one line. Calls py_... are stories, which the runner of the Python
 * package tells. */
static void run_line(char *line, report *r)
{
    static char only_in_python[] = "only-in-python";
    vec_case c;

    if (!vec_case_cut(&c, line)) return;
    begin_case(r, &c);
    const vec_runner *runner = runner_of(c.call);
    int said = CASE_UNSUPPORTED;
    if (runner) {
        said = runner->run(&c);
    } else if (strncmp(c.call, "py_", 3) == 0) {
        c.rule = only_in_python;
    } else if (strcmp(c.call, "-") != 0) {
        said = vec_fail(&c, "no such call");
    }
    if (said == CASE_FAILED) {
        printf("FAILED %s %s: %s: %s\n", c.file, c.id, c.call, c.why);
    }
    if (said == CASE_UNSUPPORTED) snprintf(r->lacks, NAME, "%s", c.rule);
    if (said > r->outcome || !r->rule[0]) {
        snprintf(r->rule, NAME, "%s", c.rule);
        r->outcome = said;
    }
    vec_case_free(&c);
}

static int run_file(const char *path, report *r)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;

    if (!file) {
        perror(path);
        return 0;
    }
    while (getline(&line, &cap, file) > 0) run_line(line, r);
    end_case(r);
    free(line);
    fclose(file);
    return 1;
}

static void print_reasons(const report *r, int outcome, const char *title)
{
    printf("\n%s\n", title);
    for (const reason *at = r->reason; at->count; at++) {
        if (at->outcome == outcome)
            printf("  %-40s %8lu\n", at->name, at->count);
    }
}

int main(int argc, char **argv)
{
    static report r;
    unsigned long sum[CASE_ENDS] = {0};

    for (int i = 1; i < argc; i++) {
        if (!run_file(argv[i], &r)) return 2;
    }
    printf("%-18s %-26s %8s %8s %12s %8s\n", "file", "kind", "passed",
           "by rule", "unsupported", "failed");
    for (const tally *row = r.row; row->kind[0]; row++) {
        printf("%-18s %-26s %8lu %8lu %12lu %8lu\n", row->file, row->kind,
               row->count[CASE_PASSED], row->count[CASE_BY_RULE],
               row->count[CASE_UNSUPPORTED], row->count[CASE_FAILED]);
        for (int k = 0; k < CASE_ENDS; k++) sum[k] += row->count[k];
    }
    print_reasons(&r, CASE_BY_RULE, "by rule (differences.md)");
    print_reasons(&r, CASE_UNSUPPORTED, "unsupported, and why");
    print_reasons(&r, CASE_ENDS, "parts of other cases left out, and why");
    printf(
        "\nVECTORS: %lu known answers, %lu of them by rule; %lu unsupported\n",
        sum[CASE_PASSED] + sum[CASE_BY_RULE], sum[CASE_BY_RULE],
        sum[CASE_UNSUPPORTED]);
    printf("%lu passed, %lu failed\n", sum[CASE_PASSED] + sum[CASE_BY_RULE],
           sum[CASE_FAILED]);
    return sum[CASE_FAILED] != 0 || sum[CASE_PASSED] == 0;
}
