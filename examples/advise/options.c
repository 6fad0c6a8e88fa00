/* The command line of advise. */
#include <stdio.h>
#include <string.h>

#include "../workload/decimal.h"
#include "advise.h"

static const char help[] =
    "usage: advise [FILE.csv | FILE.swf] [OPTIONS]\n"
    "\n"
    "Learns from the first part of a recorded workload which queues, weights\n"
    "and numbers of applications suit it, prints the changes with the numbers\n"
    "behind them, then replays the rest of the workload twice, with the tree "
    "in\n"
    "force (a leaf for each queue, all of one weight) and with the advice, "
    "and\n"
    "prints side by side which workflows met their SLO. Without a file, a\n"
    "bundled month.\n"
    "\n"
    "Columns, workflows and tiers are those of daily_report (see there).\n"
    "\n"
    "  --instance VEC    what a node has (default cpu=16,memory=64GiB)\n"
    "  --instances N     nodes of the cluster (default: an SWF header's\n"
    "                    processors, or the most that was in use)\n"
    "  --learn PART      of the time (default 0.5)\n"
    "  --slo F           SLO of jobs that have none: F times their run time\n"
    "                    (default 3)\n"
    "  --guarantee N     the first N tiers are guaranteed what they are\n"
    "                    allocated (default 0: weights only)\n"
    "  --head-room F     how many applications a queue may run: F times the "
    "most\n"
    "                    that ran at once (default 1.25)\n"
    "  --heartbeat S     period of a node's events (default 0: whenever\n"
    "                    something happens)\n"
    "  --diff            every attribute that changes\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 no thresholds keep the tiers in order, 2 bad "
    "usage\n"
    "or bad input (one line says where and what).\n";

static int bad_option(const char *name, const char *why)
{
    fprintf(stderr, "advise: %s %s (see --help)\n", name, why);
    return BAD_INPUT + 1;
}

static int read_scaled(const char *name, const char *text, int scale,
                       int64_t *out)
{
    int code = decimal_read(text, strlen(text), scale, DECIMAL_NEAREST, out);

    return code == DECIMAL_OK ? 0 : bad_option(name, decimal_fault(code));
}

/* Reads an option and the option's value; 0: unknown option. */
static int read_value(advise_options *o, const char *name, const char *value,
                      int *rc)
{
    int64_t count = 0;

    *rc = 0;
    if (!strcmp(name, "--instance")) {
        o->report.instance = value;
    } else if (!strcmp(name, "--instances")) {
        *rc = read_scaled(name, value, 0, &o->report.instances);
        if (!*rc && (o->report.instances < 1 || o->report.instances > 1000000))
            *rc = bad_option(name, "is out of range");
    } else if (!strcmp(name, "--learn")) {
        *rc = read_scaled(name, value, 6, &o->learn_ppm);
        if (!*rc && (o->learn_ppm < 1 || o->learn_ppm >= SKED_PPM))
            *rc = bad_option(name, "is between 0 and 1");
    } else if (!strcmp(name, "--slo")) {
        *rc = read_scaled(name, value, 6, &o->slo_ppm);
        if (!*rc && (o->slo_ppm < 1 || o->slo_ppm > 1000 * SKED_PPM))
            *rc = bad_option(name, "is out of range");
    } else if (!strcmp(name, "--guarantee")) {
        *rc = read_scaled(name, value, 0, &count);
        if (!*rc && count > TIERS) *rc = bad_option(name, "is out of range");
        o->guaranteed = (uint32_t)count;
    } else if (!strcmp(name, "--head-room")) {
        *rc = read_scaled(name, value, 6, &o->head_room);
        if (!*rc && (o->head_room < SKED_PPM || o->head_room > 1000 * SKED_PPM))
            *rc = bad_option(name, "is from 1 to 1000");
    } else if (!strcmp(name, "--heartbeat")) {
        *rc = read_scaled(name, value, 9, &o->heartbeat);
    } else {
        return 0;
    }
    return 1;
}

static int read_other(advise_options *o, const char *name)
{
    if (!strcmp(name, "--help")) {
        fputs(help, stdout);
        return 1;
    }
    if (!strcmp(name, "--version")) {
        printf("advise %d.%d.%d\n", SKED_VERSION_MAJOR, SKED_VERSION_MINOR,
               SKED_VERSION_PATCH);
        return 1;
    }
    if (!strcmp(name, "--diff")) {
        o->text = 1;
        return 0;
    }
    if (name[0] == '-' && name[1]) return bad_option(name, "is no option");
    if (o->report.file) return bad_option(name, "is a second file");
    o->report.file = name;
    return 0;
}

int advise_options_read(advise_options *o, int argc, char **argv)
{
    *o = (advise_options){
        .report = {.instance = "cpu=16,memory=64GiB",
                   .days = 100000,
                   .low = {500000, 500000, 500000},
                   .high = {SKED_PPM, SKED_PPM, SKED_PPM}},
        .learn_ppm = 500000,
        .slo_ppm = 3 * SKED_PPM,
    };
    for (int i = 1; i < argc; i++) {
        int rc = 0;
        if (i + 1 < argc && read_value(o, argv[i], argv[i + 1], &rc)) {
            i++;
        } else {
            rc = read_other(o, argv[i]);
        }
        if (rc) return rc;
    }
    return 0;
}
