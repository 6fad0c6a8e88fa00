/* percentile: reads, answers, writes. */
#include <string.h>

#include "percentile.h"

static int tell(const input_fault *fault)
{
    fputs("percentile: ", stderr);
    input_report(fault, stderr);
    return BAD_INPUT;
}

static int write_plot(const result *r, const percentile_options *o,
                      out_file *out, input_fault *fault)
{
    if (!o->plot) return 1;
    if (!plot_print(out->file, r, o)) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    return out_finish(out, fault);
}

/* 0: see the fault; else 1 + the exit status. */
static int write_answers(result *r, const percentile_options *o,
                         input_fault *fault)
{
    int planned = 1;

    if (o->plot && !strcmp(o->plot, "-")) return out_printed(fault);
    if (o->form != FORM_TABLE && o->tiers) planned = proposal_make(r, fault);
    if (planned < 0) return 0;
    switch (o->form) {
    case FORM_CSV: csv_print(stdout, r, o); break;
    case FORM_JSON: json_print(stdout, r, o); break;
    default:
        if (!o->file) figure_print(stdout, r);
        table_print(stdout, r, o);
        if (!o->file || o->tiers) planned = proposal_print(stdout, r, fault);
    }
    if (planned < 0 || !out_printed(fault)) return 0;
    return planned ? 1 : 2;
}

int main(int argc, char **argv)
{
    static percentile_options o;
    static result r;
    input_fault fault = {{0}, 0, 0, {0}};
    out_file plot = {0};
    int rc = options_read(&o, argc, argv);

    if (rc) return rc - 1;
    rc = 0;
    int ok = result_make(&r, &o, &fault) && out_open(&plot, o.plot, &fault) &&
             write_plot(&r, &o, &plot, &fault);
    if (ok && r.in.left_out) {
        fprintf(stderr, "percentile: %llu rows without start or end left out\n",
                (unsigned long long)r.in.left_out);
    }
    if (ok) rc = write_answers(&r, &o, &fault);
    ok = out_close(&plot, ok && rc > 0, &fault) && ok && rc > 0;
    result_free(&r);
    return ok ? rc - 1 : tell(&fault);
}
