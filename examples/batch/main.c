/* batch: reads, plans, writes. */
#include "batch.h"

static int tell(const input_fault *fault)
{
    fputs("batch: ", stderr);
    input_report(fault, stderr);
    return BAD_INPUT;
}

static int write_plot(const answers *a, const batch_options *o, out_file *out,
                      input_fault *fault)
{
    if (!o->plot) return 1;
    if (!plot_print(out->file, a, o)) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    return out_finish(out, fault);
}

static int write_answers(const answers *a, const batch_options *o,
                         input_fault *fault)
{
    if (o->form == FORM_JSON) {
        json_print(stdout, a, o);
    } else {
        table_print(stdout, a, o);
    }
    return out_printed(fault);
}

int main(int argc, char **argv)
{
    static answers a;
    batch_options o;
    input_fault fault = {{0}, 0, 0, {0}};
    out_file plot = {0};
    int rc = options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = answers_make(&a, &o, &fault) && out_open(&plot, o.plot, &fault) &&
             write_plot(&a, &o, &plot, &fault) && write_answers(&a, &o, &fault);
    ok = out_close(&plot, ok, &fault) && ok;
    answers_free(&a);
    return ok ? 0 : tell(&fault);
}
