/*
 * A made-up month of a small cluster: twelve workflows of two organisations,
 * each run once a day or every few hours. A few numbers describe the month. The
 * program writes the month as a file of the common form, and reads the file
 * like any other file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daily_report.h"

enum { DAYS = 31, LINE = 160 };

typedef struct routine {
    const char *group;
    const char *queue;
    const char *name;
    int tier;
    int slo;     /* minutes */
    int every;   /* hours */
    int at;      /* hour of the first run of a day */
    int minutes; /* that a run takes, and up to a fifth more */
    int late;    /* one run of so many takes twice as long; 0: none */
    int tasks;
    int cpu;
    int gib;
    int since; /* day of its first run */
} routine;

static const routine routines[] = {
    {"ads", "bidding", "prices", 1, 100, 6, 1, 70, 15, 6, 4, 32, 0},
    {"ads", "bidding", "budgets", 1, 150, 12, 3, 110, 0, 8, 4, 32, 0},
    {"ads", "bidding", "audit", 2, 300, 8, 0, 200, 24, 8, 4, 32, 0},
    {"ads", "bidding", "backfill", 3, 600, 12, 9, 420, 4, 12, 4, 32, 0},
    {"ads", "reports", "daily", 2, 200, 6, 1, 150, 30, 8, 4, 32, 0},
    {"ads", "reports", "trends", 3, 500, 12, 0, 400, 14, 12, 4, 16, 0},
    {"ads", "reports", "export", 3, 400, 24, 2, 240, 3, 8, 4, 32, 30},
    {"content", "search", "index", 1, 140, 8, 2, 100, 8, 10, 4, 32, 0},
    {"content", "search", "ranks", 2, 260, 8, 4, 190, 20, 8, 4, 32, 0},
    {"content", "search", "logs", 3, 700, 12, 7, 560, 30, 12, 4, 32, 0},
    {"content", "media", "encode", 3, 900, 24, 0, 640, 7, 16, 4, 16, 0},
    {"content", "media", "thumbs", 2, 180, 4, 3, 130, 7, 8, 4, 16, 0},
};

/* A number below n that looks drawn, of a state that only this file has. */
static unsigned drawn(uint32_t *state, unsigned n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % n;
}

static size_t write_run(char *to, const routine *r, int hour, uint32_t *state)
{
    int wait = (int)drawn(state, 300);
    int run = r->minutes * 60 + (int)drawn(state, (unsigned)r->minutes * 12);
    int submit = hour * 3600;

    if (r->late && drawn(state, (unsigned)r->late) == 0) run *= 2;
    return (size_t)snprintf(to, LINE, "%d,%d,%d,%s,%s,%s,%d,%d,%lld,%d,%d,%s\n",
                            submit, submit + wait, submit + wait + run, r->name,
                            r->group, r->queue, r->tasks, r->cpu,
                            (long long)r->gib << 30, r->tier, r->slo * 60,
                            r->name);
}

int bundled_read(workload *w, input_fault *fault)
{
    const size_t n = sizeof routines / sizeof *routines;
    static const workload_options plain;
    input in = {new_array(n * DAYS * 7 * LINE, 1), 0};
    uint32_t state = 6;

    in.length = (size_t)snprintf(
        in.bytes, LINE, "%s",
        "submit_s,start_s,end_s,user,group,queue,tasks,"
        "cpu,mem_bytes,tier,slo_s,workflow\n");
    for (size_t i = 0; i < n; i++) {
        const routine *r = &routines[i];
        for (int h = r->since * 24 + r->at; h < DAYS * 24; h += r->every) {
            in.length += write_run(in.bytes + in.length, r, h, &state);
        }
    }
    int ok = workload_parse(w, &in, 0, &plain, fault);
    input_free(&in);
    return ok;
}
