/*
 * SVG: for each plan a Gantt chart (a bar a task, by start; the darker the more
 * cores) over the use of cores, on one axis of time, with the lower bound and
 * t-hat, which are named above it, clear of the bars; for a sweep a heat map of
 * times.
 */
#include <stdlib.h>

#include "batch.h"

enum {
    LEFT = 90,
    TOP = 40,
    WIDE = 640,
    BAR = 4, /* a task's height */
    USE = 80,
    GAP = 60,
    CELL = 90
};

static double seconds_of(int64_t ticks)
{
    return (double)ticks / TICKS;
}

static void print_open(FILE *file, double wide, double high)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            wide, high);
}

/* ---- Plans ---- */

/* The area and the scale of a plan's drawing. */
typedef struct panel {
    FILE *file;
    const answer *plan;
    const answers *all;
    uint32_t cores;
    double top;
    double high;     /* of the bars */
    double per_tick; /* across */
} panel;

static double across(const panel *p, int64_t ticks)
{
    return LEFT + p->per_tick * (double)ticks;
}

static int by_start(const void *a, const void *b)
{
    const sked_batch_span *x = a, *y = b;

    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static int print_bars(const panel *p)
{
    uint32_t n = p->all->in.n;
    sked_batch_span *spans = malloc(n * sizeof *spans);

    if (!spans) return 0;
    for (uint32_t j = 0; j < n; j++) spans[j] = p->plan->spans[j];
    qsort(spans, n, sizeof *spans, by_start);
    for (uint32_t i = 0; i < n; i++) {
        double x = across(p, spans[i].start), to = across(p, spans[i].end);
        double part = (double)spans[i].slots / p->cores;
        fprintf(p->file,
                "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" "
                "fill=\"rgb(%.0f,%.0f,220)\"/>\n",
                x, p->top + BAR * (double)i, to - x, BAR - 1, 190 - 190 * part,
                210 - 150 * part);
    }
    free(spans);
    return 1;
}

static int print_use(const panel *p)
{
    size_t n, cap = 2 * (size_t)p->all->in.n;
    sked_batch_step *step = malloc(cap * sizeof *step);
    double floor = p->top + p->high + USE + 10;
    int ok = step && sked_batch_utility(p->plan->spans, p->all->in.n, NULL,
                                        step, cap, &n, NULL) == SKED_OK;

    if (ok) {
        fprintf(p->file, "<path fill=\"#9ecae1\" d=\"M%d %.1f", LEFT, floor);
        for (size_t i = 0; i < n; i++) {
            fprintf(p->file, "H%.2fV%.2f", across(p, step[i].at),
                    floor - USE * (double)step[i].slots / p->cores);
        }
        fputs("Z\"/>\n", p->file);
        fprintf(
            p->file,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%u cores</text>\n"
            "<path d=\"M%d %.1fv%dh%d\" stroke=\"black\" fill=\"none\"/>\n",
            LEFT - 8, floor - USE + 8, p->cores, LEFT, floor - USE, USE, WIDE);
    }
    free(step);
    return ok;
}

/* A dashed line; its name stands in the line above the panel. */
static void print_mark(const panel *p, int64_t at, const char *colour)
{
    fprintf(p->file,
            "<path d=\"M%.2f %.1fv%.1f\" stroke=\"%s\" "
            "stroke-dasharray=\"4 2\"/>\n",
            across(p, at), p->top, p->high + USE + 10, colour);
}

/* Seconds below the axis: 1, 2 or 5 of a power of ten apart, six at most. */
static void print_times(const panel *p)
{
    double floor = p->top + p->high + USE + 10;
    double last = WIDE / p->per_tick / TICKS, step = 1e-6;

    for (int i = 0; last / step > 6; i++) step *= i % 3 == 1 ? 2.5 : 2;
    for (int i = 0; i * step <= last; i++) {
        fprintf(p->file,
                "<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\" "
                "font-size=\"10\">%g s</text>\n",
                LEFT + p->per_tick * TICKS * step * i, floor + 14, i * step);
    }
}

static int print_panel(const panel *p)
{
    static const char bound[] = "#d62728", t_hat[] = "#1b7837";
    const sked_batch_result *r = &p->plan->result;

    fprintf(p->file,
            "<text x=\"%d\" y=\"%.1f\">%s: %.1f s"
            "<tspan dx=\"16\" fill=\"%s\">bound %.1f s</tspan>"
            "<tspan dx=\"16\" fill=\"%s\">t-hat %.1f s</tspan></text>\n",
            LEFT, p->top - 10, method_name(p->plan->method),
            seconds_of(r->metrics.makespan), bound, seconds_of(r->bound), t_hat,
            seconds_of(r->metrics.t_hat));
    int ok = print_bars(p) && print_use(p);
    print_mark(p, r->bound, bound);
    print_mark(p, r->metrics.t_hat, t_hat);
    print_times(p);
    return ok;
}

static int print_panels(FILE *file, const answers *a, const batch_options *o)
{
    double high = BAR * (double)a->in.n, each = high + USE + GAP;
    int64_t last = 1;
    int ok = 1;

    for (uint32_t i = 0; i < a->n; i++) {
        int64_t end = a->all[i].result.metrics.makespan;
        if (end > last) last = end;
    }
    print_open(file, LEFT + WIDE + 90, TOP + each * a->n);
    for (uint32_t i = 0; i < a->n && ok; i++) {
        panel p = {file, &a->all[i],         a, o->cores, TOP + each * i,
                   high, WIDE / (double)last};
        ok = print_panel(&p);
    }
    return ok;
}

/* ---- A sweep ---- */

static void print_heat(FILE *file, const answers *a)
{
    int64_t least = INT64_MAX, most = 0;

    print_open(file, LEFT + CELL * TAUS + 40, TOP + CELL / 2 * SIGMAS + 60);
    for (int i = 0; i < SIGMAS * TAUS; i++) {
        int64_t end = a->cells[i].metrics.makespan;
        if (end < least) least = end;
        if (end > most) most = end;
    }
    for (int i = 0; i < SIGMAS * TAUS; i++) {
        int64_t end = a->cells[i].metrics.makespan;
        double part = most > least
                          ? (double)(end - least) / (double)(most - least)
                          : 0;
        int x = LEFT + CELL * (i % TAUS), y = TOP + CELL / 2 * (i / TAUS);
        fprintf(file,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                "fill=\"rgb(255,%.0f,%.0f)\" stroke=\"%s\"/>\n"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.1f</text>\n",
                x, y, CELL - 2, CELL / 2 - 2, 245 - 150 * part,
                225 - 180 * part, end == least ? "black" : "white",
                x + CELL / 2, y + CELL / 4 + 4, seconds_of(end));
    }
    for (int i = 0; i < SIGMAS; i++) {
        fprintf(
            file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">sigma %lld</text>\n",
            LEFT - 8, TOP + CELL / 2 * i + CELL / 4 + 4,
            (long long)(a->cells[i * TAUS].sigma_ppm / SKED_PPM));
    }
    for (int i = 0; i < TAUS; i++) {
        fprintf(file,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">tau "
                "%lld</text>\n",
                LEFT + CELL * i + CELL / 2, TOP + CELL / 2 * SIGMAS + 20,
                (long long)(a->cells[i].tau_ppm / SKED_PPM));
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\">seconds</text>\n", LEFT, TOP - 12);
}

int plot_print(FILE *file, const answers *a, const batch_options *o)
{
    int ok = 1;

    if (o->sweep) {
        print_heat(file, a);
    } else {
        ok = print_panels(file, a, o);
    }
    fputs("</svg>\n", file);
    return ok;
}
