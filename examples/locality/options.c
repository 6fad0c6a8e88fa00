/* The command line. */
#include <string.h>

#include "../workload/command.h"
#include "../workload/decimal.h"
#include "locality.h"

static const char usage[] =
    "locality: which host reads which block of data\n"
    "\n"
    "  locality [OPTIONS] [FILE.csv]\n"
    "\n"
    "Reads where the replicas of blocks lie (CSV with the columns block,host, "
    "one\n"
    "row a replica; a block with an empty host has lost it; \"-\": standard "
    "input)\n"
    "and gives each block one host, so that the most loaded host has as little "
    "as\n"
    "can be; says for every load how many blocks must be transferred to hosts "
    "that\n"
    "do not hold them to get there; and which of these points costs least. "
    "Without\n"
    "a file it does so for a small example.\n"
    "\n"
    "  --hosts N            so many hosts in all; those not named hold "
    "nothing\n"
    "  --hosts-file FILE    CSV host,ticks,committed,cores,quota,rack (all but "
    "host\n"
    "                       optional): ticks a wave, ticks already taken, "
    "blocks at\n"
    "                       once, blocks at most, rack; every host is in it\n"
    "  --cost COMPUTE,TRANSFER\n"
    "                       of a tick of load and of a transfer (default 1,1)\n"
    "  --method NAME        exact (default), online, equilibrium, area, "
    "forward\n"
    "  --json               the answer as JSON\n"
    "  --assign FILE        CSV block,host,transfer at the cheapest point: the "
    "fewest\n"
    "                       transfers, of these the fewest beyond a rack\n"
    "  --plot FILE.svg      load against transfers, with the cheapest point\n"
    "                       (-: one of these on standard output, and no more)\n"
    "  --explain            why it takes so many transfers: which hosts hold "
    "what\n"
    "                       lies nowhere else\n"
    "  --help, --version\n"
    "\n"
    "Methods: exact and area find the cheapest point; forward goes in steps of "
    "50\n"
    "transfers and may miss it; online places block after block; equilibrium "
    "moves\n"
    "single blocks until none helps. With these two --assign says where each "
    "block was\n"
    "placed, without a host where no replica is left, and there is no "
    "--explain.\n"
    "\n"
    "Exit status: 0 done, 1 the quotas leave fewer places than blocks, 2 bad "
    "usage\n"
    "or bad input.\n";

static int bad_option(const char *name, const char *why)
{
    return command_fault("locality", name, why);
}

static int read_cost(const char *text, size_t length, int decimals,
                     int64_t *cost)
{
    int code = decimal_read(text, length, decimals, DECIMAL_NEAREST, cost);

    return code == DECIMAL_OK ? 0 : bad_option("--cost", decimal_fault(code));
}

/* Whole costs keep their unit; other costs are in billionths. */
static int read_costs(locality_options *o, const char *text)
{
    const char *comma = strchr(text, ',');

    if (!comma) return bad_option("--cost", "is not COMPUTE,TRANSFER");
    o->decimals = strpbrk(text, ".eE") ? 9 : 0;
    int rc = read_cost(text, (size_t)(comma - text), o->decimals, &o->compute);
    if (rc) return rc;
    return read_cost(comma + 1, strlen(comma + 1), o->decimals, &o->transfer);
}

static int read_method(locality_options *o, const char *text)
{
    static const char *const name[] = {"exact", "online", "equilibrium", "area",
                                       "forward"};

    for (int i = 0; i < 5; i++) {
        if (strcmp(text, name[i]) != 0) continue;
        o->method = i;
        return 0;
    }
    return bad_option("--method",
                      "is exact, online, equilibrium, area or forward");
}

static int read_hosts(locality_options *o, const char *text)
{
    int64_t n;
    int code = decimal_read(text, strlen(text), 0, DECIMAL_NEAREST, &n);

    if (code != DECIMAL_OK) return bad_option("--hosts", decimal_fault(code));
    if (strpbrk(text, ".eE") || n < 1 || n > SKED_MAX_LOCALITY_HOSTS) {
        return bad_option("--hosts", "is not 1 to 16777216");
    }
    o->hosts = (uint32_t)n;
    return 0;
}

static int read_valued(void *options, const char *name, const char *value)
{
    locality_options *o = options;

    if (!strcmp(name, "--cost")) return read_costs(o, value);
    if (!strcmp(name, "--method")) return read_method(o, value);
    if (!strcmp(name, "--hosts")) return read_hosts(o, value);
    if (!strcmp(name, "--hosts-file")) o->hosts_file = value;
    if (!strcmp(name, "--assign")) o->assign = value;
    if (!strcmp(name, "--plot")) o->plot = value;
    return 0;
}

static int has_value(const char *name)
{
    return !strcmp(name, "--cost") || !strcmp(name, "--method") ||
           !strcmp(name, "--hosts") || !strcmp(name, "--hosts-file") ||
           !strcmp(name, "--assign") || !strcmp(name, "--plot");
}

static int read_flag(void *options, const char *name)
{
    locality_options *o = options;

    if (!strcmp(name, "--json")) {
        o->json = 1;
    } else if (!strcmp(name, "--explain")) {
        o->explain = 1;
    } else {
        return -1;
    }
    return 0;
}

/* Refuses two outputs with the same path, an output over an input, and an
 * --explain that the method would ignore. */
static int check_options(const locality_options *o)
{
    const out_paths paths = {{o->file, o->hosts_file},
                             {o->assign, o->plot, o->json ? "-" : NULL}};
    const char *why, *at = out_clash(&paths, &why);

    if (o->explain && (o->method == BY_ONLINE || o->method == BY_EQUILIBRIUM)) {
        return bad_option("--explain", "needs a method that proves its answer");
    }
    return at ? bad_option(at, why) : 0;
}

int locality_options_read(locality_options *o, int argc, char **argv)
{
    static const command c = {
        .program = "locality",
        .usage = usage,
        .no_value = "lacks its value",
        .no_option = "is unknown",
        .second_file = "is a second file",
        .has_value = has_value,
        .read_valued = read_valued,
        .read_flag = read_flag,
    };

    *o = (locality_options){.compute = 1, .transfer = 1};
    int rc = command_read(&c, o, &o->file, argc, argv);
    return rc ? rc : check_options(o);
}
