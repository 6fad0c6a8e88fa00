/* The command line. */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "replay.h"

static const char usage[] =
    "replay: a day of a cluster in seconds\n"
    "\n"
    "  replay [OPTIONS] [WORKLOAD.csv | WORKLOAD.swf | -]\n"
    "\n"
    "Runs a recorded workload through the scheduler on a cluster that exists "
    "only\n"
    "here, and says who waited how long. Without a file it runs the bundled "
    "one.\n"
    "\n"
    "What runs\n"
    "  --tree FILE          queues as text; a job whose queue is not in it is "
    "an\n"
    "                       error. Default: a leaf for each queue of the "
    "workload\n"
    "  --queue-by FIELD     queue (default), group, user, tier, or up to 8 of "
    "them\n"
    "                       joined by '/', a level each: group/queue/tier. "
    "What "
    "a\n"
    "                       job says is a name, or a path: ads.etl.tier1,\n"
    "                       root.ads.etl.tier1. Tiers are called tier1, "
    "tier2;\n"
    "                       default where the tree has no such queue\n"
    "  --default-run S      seconds, for jobs without a run time (else left "
    "out)\n"
    "  --default-task V     \"cpu=1,memory=2GiB\", for jobs that say no "
    "resource\n"
    "  --transfer S         seconds that a task takes longer when its block "
    "is\n"
    "                       not on its node (default 0): jobs whose column "
    "blocks\n"
    "                       names a CSV of block,host have a task a block\n"
    "  --node-delay S       that their tasks wait for their nodes (default: "
    "as\n"
    "                       long as a transfer)\n"
    "  --multiplier M       submit each job M times; a part of one by chance\n"
    "  --sweep M1,M2,...    one run for each multiplier, side by side\n"
    "\n"
    "Where\n"
    "  --nodes SPEC         \"N x cpu=48,memory=187GiB [@partition] [key=value "
    "...]\",\n"
    "                       repeatable. Jobs go to the partition they name, "
    "where\n"
    "                       column needs allows: \"gpu=a100 & (zone!=b | !spot)"
    "\"\n"
    "  --load F             without --nodes: as many nodes as make this load\n"
    "                       (default 1.4: the work is 1.4 times what they can "
    "do)\n"
    "\n"
    "How\n"
    "  --policy NAME        order of the queues of a parent: drf (default) "
    "fair\n"
    "                       utilisation priority fifo random share\n"
    "  --apps NAME          order of the jobs of a queue: fifo (default) fair\n"
    "                       priority size user-fair\n"
    "  --gang               all tasks of a job at once on one node, or none\n"
    "  --gang-over N        all at once over nodes, at most N on one (0: any)\n"
    "  --gang-exact N       the same, just N on each, of multiples of N\n"
    "  --place NAME         first (default): nodes find tasks, in their "
    "order;\n"
    "                       pack spread fragment: at every instant each task "
    "finds\n"
    "                       the node with least left, most left, or where "
    "others\n"
    "                       lose least; nodes send no events then\n"
    "  --preempt NAME,...   off (default) imbalance starvation entitlement: "
    "in order\n"
    "  --heartbeat SECONDS  period of a node's events (default 1); 0: "
    "whenever\n"
    "                       something happens\n"
    "  --until T            stop T seconds after the first submission\n"
    "  --seed N             of everything that is drawn (default 0)\n"
    "  --threads N          for --sweep; answers do not depend on it\n"
    "\n";
static const char usage_rest[] =
    "Preemption (with --preempt; parts as 0.1, times in seconds)\n"
    "  --preempt-every S    between two rounds (default 3)\n"
    "  --preempt-grace S    from notice to kill (default 15)\n"
    "  --preempt-keep S     what is freed is reserved so long after that "
    "(default 10)\n"
    "  --preempt-part P     of the cluster that one round may take\n"
    "  --preempt-ignored P  above its guarantee, that a queue may be\n"
    "  --preempt-factor P   of what a queue has too much, taken in one round\n"
    "  --preempt-cycles N   rounds above its share in a row (entitlement)\n"
    "  --preempt-used P     of the cluster must be in use (starvation)\n"
    "  --preempt-timeout S  of queues below their share, where the tree says "
    "none\n"
    "                       (starvation; default 30)\n"
    "  --preempt-inside W   a queue too: no (default) user priority both\n"
    "\n"
    "What is written (- is standard output, for one of them)\n"
    "  --json FILE          results; a list of them with --sweep\n"
    "  --csv FILE           a row for each queue\n"
    "  --decisions FILE     every decision\n"
    "  --jobs FILE          the workload as it ran, with start_s and end_s: "
    "input\n"
    "                       of percentile, advise, daily_report, report\n"
    "  --quiet              no report\n"
    "  --example FOLDER     only write the bundled workload and its tree "
    "there,\n"
    "                       and say how to run them\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done, 2 bad usage or bad input (one line says where and "
    "what,\n"
    "and nothing is written).\n";

int bad(const char *name, const char *why)
{
    fprintf(stderr, "replay: %s %s (see --help)\n", name, why);
    return REPLAY_BAD_INPUT + 1;
}

int read_scaled(const argument *a, int scale, int64_t *out)
{
    int code = decimal_read(a->value, strlen(a->value), scale, DECIMAL_NEAREST,
                            out);

    return code == DECIMAL_OK ? 0 : bad(a->name, decimal_fault(code));
}

int read_count(const argument *a, int64_t most, int64_t *out)
{
    int rc = read_scaled(a, 3, out);

    if (rc) return rc;
    if (*out % 1000 || *out / 1000 > most) {
        return bad(a->name, "is no whole number in range");
    }
    *out /= 1000;
    return 0;
}

/* Seconds, as ns: no more than a run can last. */
int read_span(const argument *a, int64_t *out)
{
    int rc = read_scaled(a, 9, out);

    if (rc || *out <= WORKLOAD_LONGEST) return rc;
    return bad(a->name, "is longer than 2^60 ns (36 years)");
}

/* Any 64 bits. */
static int read_seed(const argument *a, uint64_t *out)
{
    const char *at = a->value;
    uint64_t seed = 0;

    do {
        unsigned digit = (unsigned char)*at - (unsigned)'0';
        if (digit > 9) return bad(a->name, "is no whole number");
        if (seed > (UINT64_MAX - digit) / 10) {
            return bad(a->name, "has more than 64 bits");
        }
        seed = seed * 10 + digit;
    } while (*++at);
    *out = seed;
    return 0;
}

int read_word(const argument *a, const char *const *words, int32_t *out)
{
    for (int32_t i = 0; words[i]; i++) {
        if (strcmp(words[i], a->value) == 0) {
            *out = i;
            return 0;
        }
    }
    return bad(a->name, "has no such value");
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* The end of the amounts: before '@', or before the word "key=value". */
static size_t amounts_length(const char *text)
{
    size_t at = 0;

    while (text[at] && text[at] != '@') {
        at += strcspn(text + at, " \t@");
        size_t next = at + strspn(text + at, " \t");
        const char *word = text + next;
        size_t key = strcspn(word, " \t@=,");
        int goes_on = at == 0 || strchr(",=", text[at - 1]) != NULL;
        if (!goes_on && next > at && key && word[key] == '=') return at;
        at = next;
    }
    while (at && strchr(" \t", text[at - 1])) at--;
    return at;
}

/* Reads "@partition" and the text that follows. */
static int read_partition(const argument *a, const char *at, node_spec *spec)
{
    const char *name = skip_blanks(at + 1);
    size_t length = strcspn(name, " \t");

    if (!length || length >= sizeof spec->partition) {
        return bad(a->name, "has a bad partition");
    }
    memcpy(spec->partition, name, length);
    spec->attributes = name + length;
    return 0;
}

/* "N x AMOUNTS [@partition] [key=value ...]". */
static int read_spec(const argument *a, replay_options *o)
{
    const char *at = skip_blanks(a->value);
    node_spec *spec = &o->specs[o->n_specs];
    char *rest;

    if (o->n_specs == REPLAY_SPECS) return bad(a->name, "comes too often");
    unsigned long count = *at >= '0' && *at <= '9' ? strtoul(at, &rest, 10) : 0;
    if (count < 1 || count > 1000000) return bad(a->name, "has no count");
    at = skip_blanks(rest);
    if (*at != 'x') return bad(a->name, "is not \"N x amounts\"");
    at = skip_blanks(at + 1);
    *spec = (node_spec){.count = (uint32_t)count, .text = at};
    spec->length = amounts_length(at);
    if (!spec->length) return bad(a->name, "has no amounts");
    spec->attributes = skip_blanks(at + spec->length);
    o->n_specs++;
    if (*spec->attributes != '@') return 0;
    return read_partition(a, spec->attributes, spec);
}

/* "1,1.5,2", as ppm. */
static int read_sweep(const argument *a, replay_options *o)
{
    const char *at = a->value;

    o->n_sweep = 0;
    for (;;) {
        size_t length = strcspn(at, ",");
        int code;
        if (o->n_sweep == REPLAY_SWEEP) return bad(a->name, "is too long");
        code = decimal_read(at, length, 6, DECIMAL_NEAREST,
                            &o->sweep[o->n_sweep]);
        if (code != DECIMAL_OK) return bad(a->name, decimal_fault(code));
        if (o->sweep[o->n_sweep] == 0) return bad(a->name, "is zero");
        if (o->sweep[o->n_sweep] > INT64_C(1000) * 1000000) {
            return bad(a->name, "is more than 1000");
        }
        o->n_sweep++;
        if (!at[length]) return 0;
        at += length + 1;
    }
}

static const char *const policies[] = {
    "drf", "fair", "utilisation", "priority", "fifo", "random", "share", NULL};
static const char *const orders[] = {"fifo", "fair",      "priority",
                                     "size", "user-fair", NULL};

static const char *const places[] = {"first", "pack", "spread", "fragment",
                                     NULL};

static int read_number_option(const argument *a, replay_options *o)
{
    int64_t x = 0;
    int rc;

    if (!strcmp(a->name, "--load")) return read_scaled(a, 6, &o->load);
    if (!strcmp(a->name, "--heartbeat")) {
        o->is_beaten = 1;
        return read_span(a, &o->heartbeat);
    }
    if (!strcmp(a->name, "--seed")) return read_seed(a, &o->seed);
    if (!strcmp(a->name, "--until")) {
        rc = read_span(a, &o->until);
        return rc || o->until ? rc : bad(a->name, "is zero");
    }
    if (!strcmp(a->name, "--transfer")) return read_span(a, &o->transfer);
    if (!strcmp(a->name, "--node-delay")) return read_span(a, &o->node_delay);
    if (!strcmp(a->name, "--default-run")) {
        return read_span(a, &o->input.default_run);
    }
    if (!strcmp(a->name, "--multiplier")) {
        o->is_multiplied = 1;
        rc = read_sweep(a, o);
        return rc || o->n_sweep == 1 ? rc : bad(a->name, "is one number");
    }
    rc = read_count(a, 256, &x);
    o->threads = (uint32_t)x;
    return rc;
}

static int read_spread(const argument *a, replay_options *o)
{
    int64_t x = 0;
    int rc = read_count(a, INT32_MAX, &x);
    int exact = strcmp(a->name, "--gang-exact") == 0;

    if (rc == 0 && o->spread && o->exact != exact)
        return bad("--gang-exact", "is not --gang-over, too");
    if (rc == 0 && exact && x == 0) return bad(a->name, "is zero");
    o->spread = 1;
    o->exact = exact;
    o->per_node = (uint32_t)x;
    return rc;
}

/* Reads an option with a value. -1: unknown option. */
static int read_option(const argument *a, replay_options *o)
{
    static const char *const numbers[] = {
        "--load",       "--heartbeat", "--until",
        "--seed",       "--threads",   "--default-run",
        "--multiplier", "--transfer",  "--node-delay"};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!strcmp(a->name, numbers[i])) return read_number_option(a, o);
    }
    if (!strcmp(a->name, "--nodes")) return read_spec(a, o);
    if (!strcmp(a->name, "--gang-over")) return read_spread(a, o);
    if (!strcmp(a->name, "--gang-exact")) return read_spread(a, o);
    if (!strcmp(a->name, "--policy")) return read_word(a, policies, &o->policy);
    if (!strcmp(a->name, "--place")) return read_word(a, places, &o->place);
    if (!strcmp(a->name, "--apps")) return read_word(a, orders, &o->apps);
    if (!strcmp(a->name, "--sweep")) {
        o->is_sweep = 1;
        return read_sweep(a, o);
    }
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--tree", &o->tree},
                 {"--queue-by", &o->queue_by},
                 {"--default-task", &o->default_task},
                 {"--json", &o->json},
                 {"--csv", &o->csv},
                 {"--decisions", &o->decisions},
                 {"--jobs", &o->jobs},
                 {"--example", &o->example}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(a->name, texts[i].name)) continue;
        *texts[i].to = a->value;
        return 0;
    }
    return preempt_read(a, &o->preempt);
}

static int read_flag(const char *name, replay_options *o)
{
    if (!strcmp(name, "--gang"))
        o->gang = 1;
    else if (!strcmp(name, "--quiet"))
        o->quiet = 1;
    else
        return 0;
    return 1;
}

/* Refuses two outputs with one path, and an output over an input. */
static int check_paths(const replay_options *o)
{
    const out_paths paths = {{o->workload, o->tree},
                             {o->json, o->csv, o->decisions, o->jobs}};
    const char *why, *at = out_clash(&paths, &why);

    if (o->workload && o->tree && !strcmp(o->workload, o->tree)) {
        return bad(o->tree, "is read twice");
    }
    return at ? bad(at, why) : 0;
}

static int check_options(const replay_options *o)
{
    int rc = check_paths(o);

    if (rc) return rc;
    if (o->load == 0) return bad("--load", "is zero");
    if (o->gang && o->spread) {
        return bad(o->exact ? "--gang-exact" : "--gang-over",
                   "is not --gang, too");
    }
    if (o->place && o->is_beaten && o->heartbeat) {
        return bad("--place", "goes with --heartbeat 0 only");
    }
    if (o->is_sweep && o->is_multiplied) {
        return bad("--multiplier", "does not go with --sweep");
    }
    if (o->is_sweep && (o->csv || o->decisions || o->jobs)) {
        return bad("--sweep", "goes with --json only");
    }
    return 0;
}

int options_read(replay_options *o, int argc, char **argv)
{
    *o = (replay_options){
        .queue_by = "queue",
        .load = 1400000,
        .policy = -1,
        .apps = -1,
        .heartbeat = 1000000000,
        .node_delay = -1,
        .sweep = {1000000},
        .n_sweep = 1,
    };
    preempt_defaults(&o->preempt);
    for (int i = 1; i < argc; i++) {
        argument a = {argv[i], i + 1 < argc ? argv[i + 1] : NULL};
        if (!strcmp(a.name, "--help")) {
            return fputs(usage, stdout), fputs(usage_rest, stdout), 1;
        }
        if (!strcmp(a.name, "--version")) {
            printf("replay %d.%d.%d\n", SKED_VERSION_MAJOR, SKED_VERSION_MINOR,
                   SKED_VERSION_PATCH);
            return 1;
        }
        if (a.name[0] != '-' || !a.name[1]) {
            if (o->workload) return bad(a.name, "is a second workload");
            o->workload = a.name;
            continue;
        }
        if (read_flag(a.name, o)) continue;
        if (!a.value) return bad(a.name, "lacks its value, or is unknown");
        int rc = read_option(&a, o);
        if (rc < 0) return bad(a.name, "is unknown");
        if (rc > 0) return rc;
        i++;
    }
    if (o->place && !o->is_beaten) o->heartbeat = 0;
    return check_options(o);
}
