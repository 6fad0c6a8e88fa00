/* advise: learns, proves, prints. */
#include <stdio.h>

#include "../workload/out.h"
#include "advise.h"

int main(int argc, char **argv)
{
    static advise_options o;
    static advising a;
    input_fault fault = {{0}, 0, 0, {0}};
    int rc = advise_options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = advise_learn(&a, &o, &fault) && advise_prove(&a, &o, &fault);
    if (ok) rc = advise_print(&a, &o) ? 0 : 1;
    if (!ok || !out_printed(&fault)) {
        fputs("advise: ", stderr);
        input_report(&fault, stderr);
        rc = BAD_INPUT;
    }
    advise_free(&a);
    return rc;
}
