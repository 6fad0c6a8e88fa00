/* route: reads, runs every policy, prints the results side by side. */
#include "../workload/out.h"
#include "route.h"

static int tell(const input_fault *fault)
{
    fputs("route: ", stderr);
    input_report(fault, stderr);
    return ROUTE_BAD_INPUT;
}

int main(int argc, char **argv)
{
    static route_options o;
    static route_plan plan;
    static route_result results[ROUTE_POLICIES];
    input_fault fault = {{0}, 0, 0, {0}};
    int rc = route_options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = route_plan_make(&plan, &o, &fault);
    for (int32_t p = 0; ok && p < ROUTE_POLICIES; p++) {
        results[p].policy = p;
        ok = route_run(&plan, &o, &results[p], &fault);
    }
    if (ok) (o.csv ? route_csv : route_table)(stdout, &plan, results);
    ok = ok && out_printed(&fault);
    for (int p = 0; p < ROUTE_POLICIES; p++) route_result_free(&results[p]);
    route_plan_free(&plan);
    return ok ? 0 : tell(&fault);
}
