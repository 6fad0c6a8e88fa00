/* balance: reads, computes, prints. */
#include "balance.h"

static int tell(const input_fault *fault)
{
    fputs("balance: ", stderr);
    input_report(fault, stderr);
    return BAD_INPUT;
}

static int run(const inputs *in, const balance_options *o, int *found,
               input_fault *fault)
{
    switch (o->what) {
    case DO_SPLIT: return split_run(in, o, fault);
    case DO_EVACUATE: return evacuate_run(in, o, found, fault);
    case DO_STRIPE: return stripe_run(in, o, fault);
    default: return balance_run(in, o, found, fault);
    }
}

int main(int argc, char **argv)
{
    static balance_options o;
    static inputs in;
    input_fault fault = {{0}, 0, 0, {0}};
    int found = 0, rc = balance_options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = inputs_read(&in, &o, &fault) && run(&in, &o, &found, &fault) &&
             out_printed(&fault);
    inputs_free(&in);
    if (!ok) return tell(&fault);
    return found ? FOUND_SOMETHING : 0;
}
