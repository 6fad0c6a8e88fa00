/* The command line. */
#include <stdlib.h>
#include <string.h>

#include "../workload/command.h"
#include "../workload/decimal.h"
#include "route.h"

static const char usage[] =
    "route: one workload over several clusters, by each policy\n"
    "\n"
    "  route [OPTIONS] [WORKLOAD.csv | WORKLOAD.swf]\n"
    "\n"
    "Sends every job of a recorded workload to one of several clusters when it "
    "is\n"
    "submitted, by what a router knew of them at its last look, runs the "
    "clusters\n"
    "side by side in virtual time, and prints who waited how long under each\n"
    "policy. Without a file it runs the bundled workload.\n"
    "\n"
    "  --cluster SPEC       \"N x cpu=48,memory=187GiB[,gpu=2]\": one cluster "
    "each;\n"
    "                       default for the bundled workload: two, one of "
    "twice the\n"
    "                       size of the other\n"
    "  --window FROM,TO     seconds on the file's clock: jobs submitted in "
    "between\n"
    "  --poll SECONDS       how often the router looks (default 60); 0: at "
    "every\n"
    "                       submission\n"
    "  --no-charge          jobs are not taken off the figures between looks\n"
    "  --no-backlog         what waits is not taken off what is available\n"
    "  --gang               all tasks of a job at once on one node, or none\n"
    "  --heartbeat SECONDS  period of a node's events (default 1); 0: "
    "whenever\n"
    "                       something happens\n"
    "  --csv                the table as CSV\n"
    "  --help, --version\n"
    "\n"
    "Where a job's data is, no recorded workload says: each user's lies in "
    "one\n"
    "cluster, drawn by its number in proportion to capacity. The policy "
    "\"locality\"\n"
    "reads that; the column \"away\" counts the jobs sent where their data is "
    "not.\n"
    "\n"
    "Exit status: 0 done, 2 bad usage or bad input.\n";

static int bad_option(const char *name, const char *why)
{
    return command_fault("route", name, why);
}

static int read_ns(const char *name, const char *text, size_t length,
                   int64_t *ns)
{
    int code = decimal_read(text, length, 9, DECIMAL_NEAREST, ns);

    return code == DECIMAL_OK ? 0 : bad_option(name, decimal_fault(code));
}

static int read_window(route_options *o, const char *text)
{
    const char *comma = strchr(text, ',');

    if (!comma) return bad_option("--window", "is not FROM,TO");
    int rc = read_ns("--window", text, (size_t)(comma - text), &o->from);
    if (rc == 0) {
        rc = read_ns("--window", comma + 1, strlen(comma + 1), &o->until);
    }
    if (rc == 0 && o->until <= o->from) {
        rc = bad_option("--window", "ends before it begins");
    }
    return rc;
}

/* An option with a value. */
static int read_valued(void *options, const char *name, const char *value)
{
    route_options *o = options;

    if (!strcmp(name, "--window")) return read_window(o, value);
    if (!strcmp(name, "--cluster")) {
        if (o->n_clusters == ROUTE_CLUSTERS) {
            return bad_option(name, "comes too often");
        }
        o->cluster[o->n_clusters++] = value;
        return 0;
    }
    return read_ns(name, value, strlen(value),
                   !strcmp(name, "--poll") ? &o->poll : &o->heartbeat);
}

static int has_value(const char *name)
{
    return !strcmp(name, "--cluster") || !strcmp(name, "--window") ||
           !strcmp(name, "--poll") || !strcmp(name, "--heartbeat");
}

static int read_flag(void *options, const char *name)
{
    route_options *o = options;

    if (!strcmp(name, "--gang")) {
        o->gang = 1;
    } else if (!strcmp(name, "--no-charge")) {
        o->no_charge = 1;
    } else if (!strcmp(name, "--no-backlog")) {
        o->no_backlog = 1;
    } else if (!strcmp(name, "--csv")) {
        o->csv = 1;
    } else {
        return -1;
    }
    return 0;
}

int route_options_read(route_options *o, int argc, char **argv)
{
    static const command c = {
        .program = "route",
        .usage = usage,
        .no_value = "needs a value",
        .no_option = "is no option",
        .second_file = "is a second workload",
        .has_value = has_value,
        .read_valued = read_valued,
        .read_flag = read_flag,
    };

    *o = (route_options){.until = INT64_MAX,
                         .poll = INT64_C(60000000000),
                         .heartbeat = INT64_C(1000000000)};
    return command_read(&c, o, &o->workload, argc, argv);
}
