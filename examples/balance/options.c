/* The command line. */
#include <string.h>

#include "../workload/command.h"
#include "../workload/decimal.h"
#include "balance.h"

static const char usage[] =
    "balance: which workflow belongs in which cluster\n"
    "\n"
    "  balance [OPTIONS] [--clusters CLUSTERS.csv WORKFLOWS.csv]\n"
    "  balance --stripe PARTS HOSTS.csv\n"
    "\n"
    "Moves workflows between clusters so that no cluster is used above the\n"
    "ceiling, and then so that clusters are used least. The answer lists the\n"
    "moves, each with what it gains, and a bound that no answer can beat.\n"
    "Without files the program reads a small example.\n"
    "\n"
    "  --split              the clusters are parts of one: which workflow "
    "goes\n"
    "                       to which type of instance, so that least is\n"
    "                       stranded (needs instance_ columns)\n"
    "  --evacuate ZONE      where the workflows of a zone that is lost go, "
    "the\n"
    "                       most important tier first\n"
    "  --stripe PARTS       splits the hosts of racks (CSV host,rack) into "
    "parts\n"
    "                       that have hosts of each rack alike\n"
    "  --percentile P       a cluster is as full as in P % of the time it is "
    "not\n"
    "                       exceeded (default 100: the peak)\n"
    "  --ceiling P          of the capacity, in % (default 100)\n"
    "  --max-moves N        workflows that may leave home (default: any)\n"
    "  --csv                the answer as CSV\n"
    "  --help, --version\n"
    "\n"
    "CLUSTERS.csv: cluster, zone, cpu (cores), mem_bytes, gpu, and the same "
    "of\n"
    "an instance: instance_cpu, instance_mem_bytes, instance_gpu.\n"
    "WORKFLOWS.csv: workflow, home (a cluster), bucket (of time, from 0), "
    "cpu,\n"
    "mem_bytes, gpu, tier (1 is the most important), allowed (clusters joined\n"
    "by '|'). A workflow has a row for each bucket in which it uses "
    "something.\n"
    "\n"
    "Exit status: 0 done, 1 a workflow has no place or a cluster stays above "
    "the\n"
    "ceiling, 2 bad usage or bad input.\n";

static int bad_option(const char *name, const char *why)
{
    return command_fault("balance", name, why);
}

/* A percentage in parts per million, from 1 to `most`. */
static int read_percent(const char *name, const char *text, int64_t most,
                        int64_t *ppm)
{
    int code = decimal_read(text, strlen(text), 4, DECIMAL_NEAREST, ppm);

    if (code != DECIMAL_OK) return bad_option(name, decimal_fault(code));
    if (*ppm < 1 || *ppm > most) return bad_option(name, "is out of range");
    return 0;
}

static int read_number(const char *name, const char *text, int64_t most,
                       uint32_t *out)
{
    int64_t n;
    int code = decimal_read(text, strlen(text), 0, DECIMAL_NEAREST, &n);

    if (code != DECIMAL_OK) return bad_option(name, decimal_fault(code));
    if (strpbrk(text, ".eE") || n < 1 || n > most) {
        return bad_option(name, "is out of range");
    }
    *out = (uint32_t)n;
    return 0;
}

static int choose(balance_options *o, const char *name, int what)
{
    if (o->what != DO_BALANCE && o->what != what) {
        return bad_option(name, "does not go with another way");
    }
    o->what = what;
    return 0;
}

static int has_value(const char *name)
{
    return !strcmp(name, "--clusters") || !strcmp(name, "--evacuate") ||
           !strcmp(name, "--stripe") || !strcmp(name, "--percentile") ||
           !strcmp(name, "--ceiling") || !strcmp(name, "--max-moves");
}

static int read_valued(void *options, const char *name, const char *value)
{
    balance_options *o = options;

    if (!strcmp(name, "--percentile")) {
        return read_percent(name, value, SKED_PPM, &o->percentile_ppm);
    }
    if (!strcmp(name, "--ceiling")) {
        return read_percent(name, value, 1000000000, &o->ceiling_ppm);
    }
    if (!strcmp(name, "--max-moves")) {
        return read_number(name, value, 1 << 20, &o->max_moves);
    }
    if (!strcmp(name, "--stripe")) {
        int rc = choose(o, name, DO_STRIPE);
        return rc ? rc : read_number(name, value, 1 << 16, &o->parts);
    }
    if (!strcmp(name, "--evacuate")) {
        o->zone = value;
        return choose(o, name, DO_EVACUATE);
    }
    o->clusters = value;
    return 0;
}

static int read_flag(void *options, const char *name)
{
    balance_options *o = options;

    if (!strcmp(name, "--csv")) {
        o->csv = 1;
    } else if (!strcmp(name, "--split")) {
        return choose(o, name, DO_SPLIT);
    } else {
        return -1;
    }
    return 0;
}

/* Files go together, and nothing is ignored. */
static int check_options(const balance_options *o)
{
    if (o->what == DO_STRIPE) {
        if (o->clusters) return bad_option("--clusters", "is of no use here");
        if (o->max_moves || o->percentile_ppm || o->ceiling_ppm) {
            return bad_option("--stripe", "goes with --csv alone");
        }
        return 0;
    }
    if (!o->clusters != !o->file) {
        return bad_option("--clusters",
                          "and the file of workflows go together");
    }
    if (o->clusters && !strcmp(o->clusters, "-") && !strcmp(o->file, "-")) {
        return bad_option("-", "is read once");
    }
    return 0;
}

int balance_options_read(balance_options *o, int argc, char **argv)
{
    static const command c = {
        .program = "balance",
        .usage = usage,
        .no_value = "lacks its value",
        .no_option = "is unknown",
        .second_file = "is a second file",
        .has_value = has_value,
        .read_valued = read_valued,
        .read_flag = read_flag,
    };

    *o = (balance_options){0};
    int rc = command_read(&c, o, &o->file, argc, argv);
    return rc ? rc : check_options(o);
}
