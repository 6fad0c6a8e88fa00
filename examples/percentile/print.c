/* The answers as CSV, JSON, and a table for people. */
#include <string.h>

#include "percentile.h"

void print_wide(FILE *file, const result *r, sked_wide sum)
{
    char text[WIDE_TEXT];
    size_t places = *r->scale == 'm' ? 12 : 9, n;

    (void)wide_text(wide_of(sum.low, sum.high), text);
    n = strlen(text);
    if (n > places)
        fprintf(file, "%.*s", (int)(n - places), text);
    else
        fputc('0', file);
    size_t from = n > places ? n - places : 0, to = n;
    while (to > from && text[to - 1] == '0') to--;
    if (to == from) return;
    fputc('.', file);
    for (size_t i = n; i < places; i++) fputc('0', file);
    fprintf(file, "%.*s", (int)(to - from), text + from);
}

/* ---- CSV ---- */

/* A part of 1 from ppm: 0.95. */
static void print_part(FILE *file, int64_t ppm)
{
    fprintf(file, "%.10g", (double)ppm / 1000000);
}

/* The tier, and its threshold and weight in the proposal; empty: none. */
static void csv_proposed(FILE *file, const key_row *row)
{
    fputc(',', file);
    if (row->tier) fprintf(file, "%u", row->tier);
    fputc(',', file);
    if (row->proposed) print_part(file, row->proposed);
    fputc(',', file);
    if (row->proposed) fprintf(file, "%lld", (long long)row->weight);
}

void csv_print(FILE *file, const result *r, const percentile_options *o)
{
    char name[32];

    fputs("key,records,in_use_s,unit_seconds", file);
    for (uint32_t j = 0; j < o->n_thresholds; j++) {
        fprintf(file, ",%s", threshold_name(o->threshold[j], name));
    }
    fputs(o->tiers ? ",tier,threshold,weight\n" : "\n", file);
    for (uint32_t q = 0; q < r->n; q++) {
        const key_row *row = &r->row[q];
        print_field(file, row->name);
        fprintf(file, ",%llu,", (unsigned long long)row->records);
        print_seconds(file, row->total.in_use);
        fputc(',', file);
        print_wide(file, r, row->total.usage);
        for (uint32_t j = 0; j < o->n_thresholds; j++) {
            fputc(',', file);
            print_amount(file, r->scale, row->point[j].amount);
        }
        if (o->tiers) csv_proposed(file, row);
        fputc('\n', file);
    }
}

/* ---- JSON ---- */

static int64_t common_part(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void print_covered(FILE *file, const result *r, const sked_pctl_point *p)
{
    int64_t by = common_part(p->covered.num, p->covered.den);

    (void)r;
    fprintf(file, "\"%lld/%lld\"", (long long)(p->covered.num / by),
            (long long)(p->covered.den / by));
}

static void print_lower(FILE *file, const result *r, const sked_pctl_point *p)
{
    print_amount(file, r->scale, p->lower);
}

static void print_higher(FILE *file, const result *r, const sked_pctl_point *p)
{
    print_amount(file, r->scale, p->higher);
}

static void print_waste(FILE *file, const result *r, const sked_pctl_point *p)
{
    print_wide(file, r, p->waste);
}

typedef void (*point_printer)(FILE *file, const result *r,
                              const sked_pctl_point *p);

static void print_points(FILE *file, const result *r,
                         const percentile_options *o, const key_row *row,
                         const char *what, point_printer print)
{
    char name[32];

    fprintf(file, ", \"%s\": {", what);
    for (uint32_t j = 0; j < o->n_thresholds; j++) {
        fprintf(file, "%s\"%s\": ", j ? ", " : "",
                threshold_name(o->threshold[j], name));
        print(file, r, &row->point[j]);
    }
    fputc('}', file);
}

static void json_proposed(FILE *file, const key_row *row)
{
    fputs(row->tier ? ", \"tier\": " : ", \"tier\": null", file);
    if (row->tier) fprintf(file, "%u", row->tier);
    if (row->proposed) {
        fputs(", \"threshold\": ", file);
        print_part(file, row->proposed);
        fprintf(file, ", \"weight\": %lld", (long long)row->weight);
    } else {
        fputs(", \"threshold\": null, \"weight\": null", file);
    }
}

static void json_row(FILE *file, const result *r, const percentile_options *o,
                     const key_row *row)
{
    char name[32];

    fputs("{\"key\": ", file);
    print_string(file, row->name);
    fprintf(file, ", \"records\": %llu, \"in_use_s\": ",
            (unsigned long long)row->records);
    print_seconds(file, row->total.in_use);
    fputs(", \"unit_seconds\": ", file);
    print_wide(file, r, row->total.usage);
    for (uint32_t j = 0; j < o->n_thresholds; j++) {
        fprintf(file, ", \"%s\": ", threshold_name(o->threshold[j], name));
        print_amount(file, r->scale, row->point[j].amount);
    }
    fputs(", \"peak\": ", file);
    print_amount(file, r->scale, row->total.peak);
    print_points(file, r, o, row, "covered", print_covered);
    print_points(file, r, o, row, "next_lower", print_lower);
    print_points(file, r, o, row, "next_higher", print_higher);
    print_points(file, r, o, row, "waste", print_waste);
    if (o->tiers) json_proposed(file, row);
    fputc('}', file);
}

void json_print(FILE *file, const result *r, const percentile_options *o)
{
    fputc('[', file);
    for (uint32_t q = 0; q < r->n; q++) {
        if (q) fputs(",\n ", file);
        json_row(file, r, o, &r->row[q]);
    }
    fputs("]\n", file);
}

/* ---- For people ---- */

static int width_of_keys(const result *r)
{
    size_t most = 8;

    for (uint32_t q = 0; q < r->n; q++) {
        size_t n = strlen(r->row[q].name);
        if (n > most) most = n;
    }
    return (int)(most < 40 ? most : 40);
}

static double shown(const result *r, int64_t amount)
{
    return *r->scale == 'm' ? (double)amount / 1000 : (double)amount;
}

void table_print(FILE *file, const result *r, const percentile_options *o)
{
    int width = width_of_keys(r);
    char name[32];

    fprintf(file, "%s that are enough for a part of the time in use\n\n",
            r->unit);
    fprintf(file, "%-*s %9s %11s", width, "key", "records", "in use, h");
    for (uint32_t j = 0; j < o->n_thresholds; j++) {
        fprintf(file, " %10s", threshold_name(o->threshold[j], name));
    }
    fputc('\n', file);
    for (uint32_t q = 0; q < r->n; q++) {
        const key_row *row = &r->row[q];
        fprintf(file, "%-*.*s %9llu %11.1f", width, width, row->name,
                (unsigned long long)row->records,
                (double)row->total.in_use / 3.6e12);
        for (uint32_t j = 0; j < o->n_thresholds; j++) {
            fprintf(file, " %10.12g", shown(r, row->point[j].amount));
        }
        fputs(row->total.in_use ? "\n" : "  never used\n", file);
    }
    if (r->counts.empty || r->counts.outside) {
        fprintf(file, "\nwithout length: %llu; outside the window: %llu\n",
                (unsigned long long)r->counts.empty,
                (unsigned long long)r->counts.outside);
    }
}
