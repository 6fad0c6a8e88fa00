/* daily_report: reads a month, computes the report, prints the report. */
#include <stdio.h>

#include "../workload/out.h"
#include "daily_report.h"

static void print_head(const day *d, const report_options *o)
{
    printf("%s: %u jobs of %u workflows", o->file ? o->file : "bundled month",
           d->n, d->flows.n);
    if (d->left_out) {
        printf(", %llu without times left out",
               (unsigned long long)d->left_out);
    }
    printf("; window of %.1f days\n%lld instances of %s\n",
           (double)(d->to - d->from) / (double)DAY_NS, (long long)d->instances,
           o->instance);
    if (d->ranked) {
        puts("no tiers are said: the tenth of the workflows that runs most "
             "often is tier 1,\nthe next quarter tier 2");
    }
}

int main(int argc, char **argv)
{
    report_options o;
    input_fault fault = {{0}, 0, 0, {0}};
    day d;
    int rc = options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = day_read(&d, &o, &fault) && tree_read(&d, o.tree, &fault) &&
             needs_find(&d, &o, &fault);
    if (ok) print_head(&d, &o);
    ok = ok && usage_print(&d, &o, &fault) && flows_print(&d, &fault) &&
         success_print(&d, &o, &fault) && change_print(&d, &fault);
    rc = ok && d.plan.tier ? 1 : 0;
    day_free(&d);
    if (ok && out_printed(&fault)) return rc;
    if (!fault.file[0]) {
        snprintf(fault.file, sizeof fault.file, "%s",
                 o.file ? o.file : "bundled month");
    }
    fputs("daily_report: ", stderr);
    input_report(&fault, stderr);
    return BAD_INPUT;
}
