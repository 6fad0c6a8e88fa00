/* The command line of daily_report. */
#include <stdio.h>
#include <string.h>

#include "../workload/decimal.h"
#include "daily_report.h"

static const char help[] =
    "usage: daily_report [FILE.csv | FILE.swf] [OPTIONS]\n"
    "\n"
    "Reads recorded jobs and prints the report of a day: usage over capacity "
    "by\n"
    "tier, workflows and whether they end in time, and what should change:\n"
    "weights, numbers of applications, the size of the cluster. Without a "
    "file,\n"
    "a bundled month.\n"
    "\n"
    "A CSV has the common columns; `tier` (1 to 3), `slo_s` and `workflow` "
    "are\n"
    "read where present. SWF: the requested time is the SLO. A workflow is "
    "what\n"
    "one user runs again and again: the column, or the executable, and where\n"
    "neither is said, jobs of the same user, size and SLO. Without tiers, the\n"
    "tenth of all workflows that runs most often is tier 1, the next quarter\n"
    "tier 2.\n"
    "\n"
    "  --tree FILE       the queues in force; default: a root and nothing "
    "else\n"
    "  --instance VEC    what an instance has (default cpu=16,memory=64GiB)\n"
    "  --instances N     that the cluster has (default: an SWF header's\n"
    "                    processors, or the most that was in use)\n"
    "  --days N          of the window, up to the last end (default 30)\n"
    "  --clock NAME      a run counts from `submit` (default) or `start`\n"
    "  --thresholds LIST bounds by tier (default 0.9-0.99,0.75-0.95,0.5-0.9)\n"
    "  --target R        part of the cluster that should be used (default "
    "0.7)\n"
    "  --worst N         workflows to name a tier (default 3)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 no thresholds keep the tiers in order, 2 bad "
    "usage\n"
    "or bad input (one line says where and what).\n";

static int bad(const char *name, const char *why)
{
    fprintf(stderr, "daily_report: %s %s (see --help)\n", name, why);
    return BAD_INPUT + 1;
}

/* A ratio up to 1 in parts per million. */
static int read_ratio(const char *name, const char *at, size_t length,
                      int64_t *ppm)
{
    int code = decimal_read(at, length, 6, DECIMAL_NEAREST, ppm);

    if (code != DECIMAL_OK) return bad(name, decimal_fault(code));
    if (*ppm < 1 || *ppm > SKED_PPM) return bad(name, "is above 0 and up to 1");
    return 0;
}

static int read_bounds(report_options *o, const char *at)
{
    const char *name = "--thresholds";

    for (int t = 0; t < TIERS; t++) {
        size_t low = strcspn(at, "-");
        if (!at[low]) return bad(name, "are LOW-HIGH for each of three tiers");
        size_t high = strcspn(at + low + 1, ",");
        int rc = read_ratio(name, at, low, &o->low[t]);
        if (!rc) rc = read_ratio(name, at + low + 1, high, &o->high[t]);
        if (rc) return rc;
        if (o->low[t] > o->high[t]) return bad(name, "rise from LOW to HIGH");
        at += low + 1 + high;
        if (t + 1 < TIERS && *at++ != ',') return bad(name, "are three");
    }
    return *at ? bad(name, "are three") : 0;
}

static int read_number(const char *name, const char *value, int64_t most,
                       int64_t *n)
{
    int code = decimal_read(value, strlen(value), 0, DECIMAL_UP, n);

    if (code != DECIMAL_OK) return bad(name, decimal_fault(code));
    if (*n < 1 || *n > most) return bad(name, "is out of range");
    return 0;
}

static int read_clock(report_options *o, const char *value)
{
    o->from_start = strcmp(value, "start") == 0;
    if (o->from_start || strcmp(value, "submit") == 0) return 0;
    return bad("--clock", "is submit or start");
}

static int read_option(report_options *o, const char *name, const char *value)
{
    int64_t worst = 0;
    int rc;

    if (!strcmp(name, "--tree")) return o->tree = value, 0;
    if (!strcmp(name, "--instance")) return o->instance = value, 0;
    if (!strcmp(name, "--clock")) return read_clock(o, value);
    if (!strcmp(name, "--thresholds")) return read_bounds(o, value);
    if (!strcmp(name, "--instances")) {
        return read_number(name, value, INT64_C(1) << 31, &o->instances);
    }
    if (!strcmp(name, "--days"))
        return read_number(name, value, 9999, &o->days);
    if (!strcmp(name, "--target")) {
        return read_ratio(name, value, strlen(value), &o->target_ppm);
    }
    if (strcmp(name, "--worst") != 0) return bad(name, "is no option");
    rc = read_number(name, value, MOST_WORST, &worst);
    o->worst = (uint32_t)worst;
    return rc;
}

static void print_version(void)
{
    printf("daily_report %d.%d.%d\n", SKED_VERSION_MAJOR, SKED_VERSION_MINOR,
           SKED_VERSION_PATCH);
}

int options_read(report_options *o, int argc, char **argv)
{
    *o = (report_options){.instance = "cpu=16,memory=64GiB",
                          .days = 30,
                          .low = {900000, 750000, 500000},
                          .high = {990000, 950000, 900000},
                          .worst = 3};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) return fputs(help, stdout), 1;
        if (!strcmp(argv[i], "--version")) {
            return print_version(), 1;
        }
        if (argv[i][0] == '-' && argv[i][1] != 0) {
            if (i + 1 == argc) return bad(argv[i], "needs a value");
            int rc = read_option(o, argv[i], argv[i + 1]);
            if (rc) return rc;
            i++;
        } else if (o->file) {
            return bad(argv[i], "is one file too many");
        } else {
            o->file = argv[i];
        }
    }
    return 0;
}
