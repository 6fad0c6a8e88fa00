/*
 * Rows: one line of a table for people, or one JSON object per line. The keys
 * and their meaning are a contract; more may be added.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double in_unit(double ns, bench_unit unit)
{
    switch (unit) {
    case BENCH_US: return ns / 1e3;
    case BENCH_MS: return ns / 1e6;
    case BENCH_PER_SECOND: return 1e9 / ns;
    default: return ns;
    }
}

/* How many times better than the reference; 0 when there is none. */
static double row_ratio(const bench_row *row)
{
    if (row->reference_value <= 0 || row->value <= 0) return 0;
    if (row->unit == BENCH_PER_SECOND) return row->value / row->reference_value;
    return row->reference_value / row->value;
}

static int row_met(const bench_row *row)
{
    if (row->unit == BENCH_PER_SECOND) return row->value >= row->budget;
    return row->value <= row->budget;
}

/* The power of n the cost of one operation grows with since the first size. */
static int row_slope(bench *b, const bench_row *row, double *slope)
{
    const char *variant = row->variant ? row->variant : "";

    for (int i = 0; i < b->n_first; i++) {
        if (strcmp(b->first[i].variant, variant) != 0) continue;
        double growth = row->value / b->first[i].value;
        if (row->unit == BENCH_PER_SECOND) growth = 1 / growth;
        if (row->n <= b->first[i].n || growth <= 0) return 0;
        *slope = log(growth) / log((double)row->n / (double)b->first[i].n);
        return 1;
    }
    if (b->scaling == 1 && b->n_first < 32) {
        snprintf(b->first[b->n_first].variant, 48, "%s", variant);
        b->first[b->n_first].value = row->value;
        b->first[b->n_first++].n = row->n;
    }
    return 0;
}

static void json_text(const char *key, const char *text)
{
    if (!text) {
        printf(",\"%s\":null", key);
        return;
    }
    printf(",\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* `known` 0: null, never a number that was not measured. */
static void json_number(const char *key, int known, double value)
{
    if (known) printf(",\"%s\":%.6g", key, value);
    if (!known) printf(",\"%s\":null", key);
}

static void print_json(const bench *b, const bench_row *row,
                       const double *slope)
{
    printf("{\"name\":\"%s\"", b->name);
    json_text("variant", row->variant ? row->variant : "");
    printf(",\"n\":%zu", row->n);
    json_text("metric", row->metric);
    json_number("value", 1, row->value);
    json_number("instructions", row->instructions >= 0, row->instructions);
    json_text("reference", row->reference);
    json_number("reference_value", row->reference_value > 0,
                row->reference_value);
    json_number("ratio", row_ratio(row) > 0, row_ratio(row));
    json_number("budget", row->budget > 0, row->budget);
    printf(",\"met\":%s", row->budget <= 0 ? "null"
                          : row_met(row)   ? "true"
                                           : "false");
    if (row->note) json_text("note", row->note);
    if (slope) json_number("slope", 1, *slope);
    puts("}");
}

/* A number in at most eight places, for reading: 0.123, 12.3, 1.2M. */
static const char *shown(double value, char text[16])
{
    const char *unit[] = {"", "k", "M", "G"};
    int power = 0;

    while (value >= 99999 && power < 3) {
        value /= 1000;
        power++;
    }
    snprintf(text, 16, "%.*f%s",
             value < 1     ? 4
             : value < 100 ? 2
                           : 0,
             value, unit[power]);
    return text;
}

static void print_header(void)
{
    printf("%-14s %-18s %9s %10s %10s %8s %10s %4s  %s\n", "name", "variant",
           "n", "value", "reference", "ratio", "budget", "met", "metric");
}

static void print_line(const bench *b, const bench_row *row,
                       const double *slope)
{
    char value[16], theirs[16] = "-", ratio[16] = "-", budget[16] = "-";
    const char *met = row->budget <= 0 ? "-" : row_met(row) ? "yes" : "no";

    if (row->reference_value > 0) shown(row->reference_value, theirs);
    if (row_ratio(row) > 0) shown(row_ratio(row), ratio);
    if (row->budget > 0) shown(row->budget, budget);
    printf("%-14s %-18s %9zu %10s %10s %8s %10s %4s  %s", b->name,
           row->variant ? row->variant : "", row->n, shown(row->value, value),
           theirs, ratio, budget, met, row->metric);
    if (row->instructions >= 0)
        printf("; %.1f instructions", row->instructions);
    if (slope) printf("; grows with n^%.2f", *slope);
    putchar('\n');
    if (row->reference_value > 0)
        printf("%15sreference: %s\n", "", row->reference);
    if (row->note) printf("%15s%s\n", "", row->note);
}

void bench_report(bench *b, const bench_row *row)
{
    double slope = 0;
    const double *known = row_slope(b, row, &slope) ? &slope : NULL;

    if (!b->json && b->n_rows == 0) print_header();
    b->n_rows++;
    if (b->json) print_json(b, row, known);
    if (!b->json) print_line(b, row, known);
    fflush(stdout);
}

void bench_compare(bench *b, const bench_row *row, const bench_job *ours,
                   const bench_job *theirs)
{
    bench_row filled = *row;
    bench_time time[2] = {{0, -1}, {0, -1}};
    int both = theirs != NULL && !b->alone;

    bench_time_pair(b, ours, both ? theirs : NULL, time);
    filled.value = in_unit(time[0].ns, row->unit);
    filled.instructions = time[0].instructions;
    filled.reference_value = both ? in_unit(time[1].ns, row->unit) : 0;
    bench_report(b, &filled);
}
