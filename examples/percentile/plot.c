/* Curves as SVG: how much is enough for how much of the time in use. */
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

enum { LEFT = 90, TOP = 30, WIDE = 640, HIGH = 360, CURVES = 12 };

static const char *const colours[CURVES] = {
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b",
    "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#393b79", "#637939"};

static void print_xml(FILE *file, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", file);
        else if (c == '&')
            fputs("&amp;", file);
        else
            fputc(c < 32 ? ' ' : c, file);
    }
}

static double shown(const result *r, int64_t amount)
{
    return *r->scale == 'm' ? (double)amount / 1000 : (double)amount;
}

static void print_axes(FILE *file, const result *r, const percentile_options *o,
                       int64_t peak)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<path d=\"M%d %dv%dh%d\" stroke=\"black\" fill=\"none\"/>\n",
            LEFT + WIDE + 200, TOP + HIGH + 60, LEFT, TOP, HIGH, WIDE);
    for (int i = 0; i <= 4; i++) {
        double y = TOP + HIGH - HIGH * i / 4.0;
        fprintf(file,
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
                LEFT - 8, y + 4, shown(r, peak) * i / 4);
    }
    for (uint32_t j = 0; j < o->n_thresholds; j++) {
        char name[32];
        double x = LEFT + WIDE * ((double)o->threshold[j].num / 1e9);
        fprintf(file,
                "<path d=\"M%.2f %dv%d\" stroke=\"#ccc\"/>\n"
                "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\" "
                "transform=\"rotate(-60 %.2f %d)\">%s</text>\n",
                x, TOP, HIGH, x, TOP + HIGH + 24, x, TOP + HIGH + 24,
                threshold_name(o->threshold[j], name));
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%d\">part of the time in use</text>\n"
            "<text x=\"%d\" y=\"%d\">%s</text>\n",
            LEFT, TOP + HIGH + 54, LEFT, TOP - 12, r->unit);
}

static int print_curve(FILE *file, const result *r, const key_row *row, int at,
                       int64_t peak)
{
    size_t n = 0;
    double x = LEFT;

    (void)!sked_history_curve(r->history, row->queue, NULL, NULL, 0, &n);
    int64_t *amount = malloc((n + 1) * sizeof *amount);
    int64_t *covered = malloc((n + 1) * sizeof *covered);
    int ok = amount && covered &&
             sked_history_curve(r->history, row->queue, amount, covered, n,
                                &n) == SKED_OK;
    if (ok) {
        fprintf(file, "<path fill=\"none\" stroke=\"%s\" d=\"M%d %d",
                colours[at], LEFT, TOP + HIGH);
    }
    for (size_t i = 0; ok && i < n; i++) {
        double y = TOP + HIGH - HIGH * ((double)amount[i] / (double)peak);
        x = LEFT + WIDE * ((double)covered[i] / (double)row->total.in_use);
        fprintf(file, "V%.2fH%.2f", y, x);
    }
    if (ok) {
        fprintf(file, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">",
                LEFT + WIDE + 12, TOP + 16 * (at + 1), colours[at]);
        print_xml(file, row->name);
        fputs("</text>\n", file);
    }
    free(amount);
    free(covered);
    return ok;
}

int plot_print(FILE *file, const result *r, const percentile_options *o)
{
    int64_t peak = 1;
    int drawn = 0;

    for (uint32_t q = 0; q < r->n; q++) {
        if (r->row[q].total.peak > peak) peak = r->row[q].total.peak;
    }
    print_axes(file, r, o, peak);
    for (uint32_t q = 0; q < r->n && drawn < CURVES; q++) {
        if (r->row[q].total.in_use == 0) continue;
        if (!print_curve(file, r, &r->row[q], drawn++, peak)) return 0;
    }
    fputs("</svg>\n", file);
    return 1;
}
