/* The command line. */
#include <string.h>

#include "../workload/decimal.h"
#include "percentile.h"

static const char usage_text[] =
    "percentile: how much a queue needs for most of the time\n"
    "\n"
    "  percentile [OPTIONS] [FILE.csv | -]\n"
    "\n"
    "For each key: the smallest amount that is enough for 50, 80, 90, ... per "
    "cent\n"
    "of the time in which the key used anything. FILE has jobs or tasks with "
    "start\n"
    "and end (columns start_s, end_s, tasks, cpu, mem_bytes, gpu), or time "
    "units:\n"
    "key,length_s,amount. Without a file it explains itself on bundled units.\n"
    "\n"
    "What is counted\n"
    "  --by COLUMNS         the key: a column, or some joined by '|' (default "
    "queue)\n"
    "  --kind NAME          cpu, gpu or memory (default: the first that is "
    "used)\n"
    "  --instance VECTOR    \"cpu=16,memory=61GiB\": count instances by "
    "dominant\n"
    "                       resource, rounded up\n"
    "  --thresholds LIST    above 0 and up to 1 (default "
    "0.5,0.8,0.9,0.95,0.99,1)\n"
    "  --window START,END   seconds on the file's clock; what is outside does "
    "not\n"
    "                       count\n"
    "\n"
    "What is written\n"
    "  --csv, --json        for programs, on standard output\n"
    "  --tiers FILE         \"key,tier\" (1 is the most important): propose "
    "thresholds\n"
    "                       and weights, with reasons (with --csv and --json:\n"
    "                       tier, threshold, weight of each key)\n"
    "  --plot FILE.svg      how much is enough for how much of the time\n"
    "                       (-: on standard output, and no more)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 the tiers cannot be planned, 2 bad usage or bad "
    "input\n"
    "(one line says where and what, and nothing is written).\n";

static int bad(const char *name, const char *why)
{
    fprintf(stderr, "percentile: %s %s (see --help)\n", name, why);
    return BAD_INPUT + 1;
}

const char *threshold_name(sked_ratio threshold, char *name)
{
    unsigned long long x = (unsigned long long)threshold.num;
    int n = snprintf(name, 32, "p%llu.%07llu", x / 10000000, x % 10000000);

    while (name[n - 1] == '0') n--;
    if (name[n - 1] == '.') n--;
    name[n] = 0;
    return name;
}

static int read_thresholds(percentile_options *o, const char *at)
{
    const int64_t one = 1000000000;

    o->n_thresholds = 0;
    for (;;) {
        size_t length = strcspn(at, ",");
        int64_t x = 0;
        int code = decimal_read(at, length, 9, DECIMAL_NEAREST, &x);
        if (code != DECIMAL_OK) return bad("--thresholds", decimal_fault(code));
        if (x == 0 || x > one) {
            return bad("--thresholds", "are above 0 and up to 1");
        }
        if (o->n_thresholds == MOST_THRESHOLDS) {
            return bad("--thresholds", "are too many");
        }
        o->threshold[o->n_thresholds++] = (sked_ratio){x, one};
        if (!at[length]) return 0;
        at += length + 1;
    }
}

static int read_window(percentile_options *o, const char *at)
{
    size_t length = strcspn(at, ",");

    if (!at[length]) return bad("--window", "is not START,END");
    int code = decimal_read(at, length, 9, DECIMAL_NEAREST, &o->from);
    if (code == DECIMAL_OK) {
        at += length + 1;
        code = decimal_read(at, strlen(at), 9, DECIMAL_NEAREST, &o->to);
    }
    if (code != DECIMAL_OK) return bad("--window", decimal_fault(code));
    if (o->from >= o->to) return bad("--window", "is empty");
    o->has_window = 1;
    return 0;
}

static int read_kind(percentile_options *o, const char *value)
{
    static const char *const kinds[] = {"cpu", "memory", "gpu"};

    for (int k = 0; k < KINDS; k++) {
        if (strcmp(value, kinds[k]) != 0) continue;
        o->kind = k;
        return 0;
    }
    return bad("--kind", "is gpu, cpu or memory");
}

/* Reads an option with a value. -1: unknown option. */
static int read_valued(percentile_options *o, const char *name,
                       const char *value)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--by", &o->by},
                 {"--instance", &o->instance},
                 {"--tiers", &o->tiers},
                 {"--plot", &o->plot}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(name, texts[i].name) != 0) continue;
        *texts[i].to = value;
        return 0;
    }
    if (!strcmp(name, "--kind")) return read_kind(o, value);
    if (!strcmp(name, "--thresholds")) return read_thresholds(o, value);
    if (!strcmp(name, "--window")) return read_window(o, value);
    return -1;
}

static int read_form(percentile_options *o, const char *name)
{
    int form = !strcmp(name, "--csv")    ? FORM_CSV
               : !strcmp(name, "--json") ? FORM_JSON
                                         : FORM_TABLE;

    if (form == FORM_TABLE) return 0;
    o->form = form;
    return 1;
}

static int check_options(const percentile_options *o)
{
    if (o->instance && o->kind != KIND_ANY) {
        return bad("--instance", "does not go with --kind");
    }
    int says = o->form != FORM_TABLE || o->tiers;
    const out_paths paths = {{o->file, o->tiers}, {o->plot, says ? "-" : NULL}};
    const char *why, *at = out_clash(&paths, &why);
    return at ? bad(at, why) : 0;
}

int options_read(percentile_options *o, int argc, char **argv)
{
    *o = (percentile_options){.kind = KIND_ANY};
    int rc = read_thresholds(o, "0.5,0.8,0.9,0.95,0.99,1");

    for (int i = 1; rc == 0 && i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--help")) return fputs(usage_text, stdout), 1;
        if (!strcmp(name, "--version")) {
            printf("percentile %d.%d.%d\n", SKED_VERSION_MAJOR,
                   SKED_VERSION_MINOR, SKED_VERSION_PATCH);
            return 1;
        }
        if (name[0] != '-' || !name[1]) {
            if (o->file) return bad(name, "is a second file");
            o->file = name;
            continue;
        }
        if (read_form(o, name)) continue;
        if (i + 1 == argc) {
            return bad(name, "lacks its value, or is unknown");
        }
        rc = read_valued(o, name, argv[++i]);
        if (rc < 0) return bad(name, "is unknown");
    }
    return rc ? rc : check_options(o);
}
