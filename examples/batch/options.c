/* The command line. */
#include <string.h>

#include "../workload/decimal.h"
#include "batch.h"

static const char usage_text[] =
    "batch: how many cores each task of a batch gets, and in which order\n"
    "\n"
    "  batch [OPTIONS] [FILE.csv | -]\n"
    "\n"
    "FILE has tasks: columns task and bytes, and where there are any blocks,\n"
    "label (0 to 4) and multiplier (of the time of its blocks). Without a "
    "file,\n"
    "71 bundled tasks of 584 GiB on 72 cores.\n"
    "\n"
    "What is planned\n"
    "  --cores C            of the cluster; needed with a file\n"
    "  --nodes H            that they are on (default 6, or C where that is "
    "less)\n"
    "  --time T0,TAU_C,G    seconds: to start, for a wave of blocks, and for "
    "each\n"
    "                       further core (default 1,5.4,0.02): a task takes\n"
    "                       T0 + TAU_C * multiplier * ceil(blocks / cores)\n"
    "                       + G * (cores - 1)\n"
    "  --noise SD           what happens is off by log-normal factors of this\n"
    "                       deviation, 0 to 1 (default 0)\n"
    "\n"
    "How\n"
    "  --method NAME        data-driven, simple, annealing, dynamic, multi, "
    "greedy,\n"
    "                       best, adapt, robust, auto, or all (default: all "
    "but\n"
    "                       the last two)\n"
    "  --sigma S, --tau T   of data-driven and simple (default 3 and 15)\n"
    "  --t-hat RULE         drain (default), threshold or knee\n"
    "  --seed N             of annealing, best, and noise (default 0)\n"
    "  --sweep              simple (or data-driven) for sigma 1, 2, 3, 5, 10 "
    "and\n"
    "                       tau 5, 10, 15\n"
    "\n"
    "What is written\n"
    "  --json               for programs, on standard output\n"
    "  --plot FILE.svg      Gantt charts and use of cores with bound and "
    "t-hat;\n"
    "                       with --sweep a heat map\n"
    "  --help, --version\n"
    "\n"
    "Lower bounds are by what happens: no way to give cores ends sooner.\n"
    "Exit status: 0 done, 2 bad usage or bad input (one line says where and "
    "what,\n"
    "and nothing is written).\n";

static int bad(const char *name, const char *why)
{
    fprintf(stderr, "batch: %s %s (see --help)\n", name, why);
    return BAD_INPUT + 1;
}

const char *method_name(uint32_t method)
{
    static const char *const name[NAMED + 1] = {
        "all",    "multi", "greedy", "annealing", "dynamic", "data-driven",
        "simple", "best",  "adapt",  "robust",    "auto"};

    return name[method];
}

/* ---- Values ---- */

static int read_method(batch_options *o, const char *value)
{
    for (uint32_t m = 0; m <= NAMED; m++) {
        if (strcmp(value, method_name(m)) != 0) continue;
        o->method = m;
        return 0;
    }
    return bad("--method", "is not one of those in --help");
}

static int read_rule(batch_options *o, const char *value)
{
    static const char *const rule[] = {"drain", "threshold", "knee"};

    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(value, rule[i]) != 0) continue;
        o->plan.tail = i + 1;
        return 0;
    }
    return bad("--t-hat", "is drain, threshold or knee");
}

/* A whole number from `low` to `high`. */
static int read_whole(const char *name, const char *value, int64_t low,
                      int64_t high, int64_t *out)
{
    int64_t x = 0;
    int code = decimal_read(value, strlen(value), 3, DECIMAL_NEAREST, &x);

    if (code != DECIMAL_OK) return bad(name, decimal_fault(code));
    if (x % 1000) return bad(name, "is not a whole number");
    if (x / 1000 < low || x / 1000 > high) return bad(name, "is out of range");
    *out = x / 1000;
    return 0;
}

static int read_count(const char *name, const char *value, uint32_t *out)
{
    int64_t x = 0;
    int rc = read_whole(name, value, 1, SKED_MAX_BATCH_SLOTS, &x);

    *out = (uint32_t)x;
    return rc;
}

/* In millionths, up to `high`, and above 0 where 0 would mean a default. */
static int read_part(const char *name, const char *value, int64_t low,
                     int64_t high, int64_t *out)
{
    int code = decimal_read(value, strlen(value), 6, DECIMAL_NEAREST, out);

    if (code != DECIMAL_OK) return bad(name, decimal_fault(code));
    if (*out < low || *out > high) return bad(name, "is out of range");
    return 0;
}

static int read_seed(batch_options *o, const char *value)
{
    int64_t x = 0;
    int rc = read_whole("--seed", value, 0, SKED_AMOUNT_MAX / 1000, &x);

    o->plan.seed = (uint64_t)x;
    return rc;
}

static int read_time(batch_options *o, const char *value)
{
    int64_t *to[3] = {&o->start, &o->block, &o->slot};

    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(value, ",");
        if ((value[length] == 0) != (i == 2)) {
            return bad("--time", "is not T0,TAU_C,G");
        }
        int code = decimal_read(value, length, 6, DECIMAL_NEAREST, to[i]);
        if (code != DECIMAL_OK) return bad("--time", decimal_fault(code));
        value += length + 1;
    }
    return o->block ? 0 : bad("--time", "has no time for a block");
}

/* ---- Options ---- */

/* Options that take a value. -1: no such option. */
static int read_valued(batch_options *o, const char *name, const char *value)
{
    const int64_t most = SKED_PPM * SKED_PPM;

    if (!strcmp(name, "--cores")) return read_count(name, value, &o->cores);
    if (!strcmp(name, "--nodes")) return read_count(name, value, &o->nodes);
    if (!strcmp(name, "--method")) return read_method(o, value);
    if (!strcmp(name, "--t-hat")) return read_rule(o, value);
    if (!strcmp(name, "--time")) return read_time(o, value);
    if (!strcmp(name, "--seed")) return read_seed(o, value);
    if (!strcmp(name, "--sigma")) {
        return read_part(name, value, 1, most, &o->plan.sigma_ppm);
    }
    if (!strcmp(name, "--tau")) {
        return read_part(name, value, 1, most, &o->plan.tau_ppm);
    }
    if (!strcmp(name, "--noise")) {
        return read_part(name, value, 0, SKED_PPM, &o->plan.noise_ppm);
    }
    if (strcmp(name, "--plot") != 0) return -1;
    o->plot = value;
    return 0;
}

static int read_flag(batch_options *o, const char *name)
{
    if (!strcmp(name, "--json")) {
        o->form = FORM_JSON;
    } else if (!strcmp(name, "--sweep")) {
        o->sweep = 1;
    } else {
        return 0;
    }
    return 1;
}

static int check_options(batch_options *o)
{
    int sweeps = o->method == SKED_BATCH_METHOD_SIMPLE ||
                 o->method == SKED_BATCH_METHOD_DATA_DRIVEN || o->method == 0;

    if (!o->cores && o->file) return bad("--cores", "is needed with a file");
    if (!o->cores) o->cores = 72;
    if (!o->nodes) o->nodes = o->cores < 6 ? o->cores : 6;
    if (o->nodes > o->cores) return bad("--nodes", "are more than cores");
    if (o->sweep && !sweeps) {
        return bad("--sweep", "goes with simple and data-driven");
    }
    if (o->plot && !strcmp(o->plot, "-")) {
        return bad("--plot", "is not standard output");
    }
    const out_paths paths = {{o->file}, {o->plot}};
    const char *why, *at = out_clash(&paths, &why);
    return at ? bad(at, why) : 0;
}

int options_read(batch_options *o, int argc, char **argv)
{
    int rc = 0;

    *o = (batch_options){.start = TICKS,
                         .block = TICKS * 54 / 10,
                         .slot = TICKS / 50,
                         .plan = {.struct_size = sizeof o->plan}};
    for (int i = 1; rc == 0 && i < argc; i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--help")) return fputs(usage_text, stdout), 1;
        if (!strcmp(name, "--version")) {
            printf("batch %d.%d.%d\n", SKED_VERSION_MAJOR, SKED_VERSION_MINOR,
                   SKED_VERSION_PATCH);
            return 1;
        }
        if (name[0] != '-' || !name[1]) {
            if (o->file) return bad(name, "is a second file");
            o->file = name;
            continue;
        }
        if (read_flag(o, name)) continue;
        if (i + 1 == argc) return bad(name, "lacks its value, or is unknown");
        rc = read_valued(o, name, argv[++i]);
        if (rc < 0) return bad(name, "is unknown");
    }
    return rc ? rc : check_options(o);
}
