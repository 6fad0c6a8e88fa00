/* locality: reads, places, writes. */
#include <string.h>

#include "locality.h"

static int tell(const input_fault *fault)
{
    fputs("locality: ", stderr);
    input_report(fault, stderr);
    return BAD_INPUT;
}

/* Does a file go to standard output, and no report therefore? */
static int is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static int write_stdout(const answer *a, const blocks *b,
                        const locality_options *o, input_fault *fault)
{
    if (!is_stdout(o->assign) && !is_stdout(o->plot)) {
        (o->json ? answer_json : answer_print)(stdout, a, b, o);
    }
    return out_printed(fault);
}

static int write_files(const answer *a, const blocks *b,
                       const locality_options *o, out_file *assign,
                       out_file *plot, input_fault *fault)
{
    if (o->assign) {
        answer_assign(assign->file, a, b);
        if (!out_finish(assign, fault)) return 0;
    }
    if (!o->plot) return 1;
    answer_plot(plot->file, a, o);
    return out_finish(plot, fault);
}

int main(int argc, char **argv)
{
    static locality_options o;
    static blocks b;
    static answer a;
    input_fault fault = {{0}, 0, 0, {0}};
    out_file assign = {0}, plot = {0};
    int rc = locality_options_read(&o, argc, argv);

    if (rc) return rc - 1;
    int ok = blocks_read(&b, &o, &fault) && answer_make(&a, &b, &o, &fault) &&
             out_open(&assign, o.assign, &fault) &&
             out_open(&plot, o.plot, &fault) &&
             write_files(&a, &b, &o, &assign, &plot, &fault) &&
             write_stdout(&a, &b, &o, &fault);
    ok = out_close(&assign, ok, &fault) && ok;
    ok = out_close(&plot, ok, &fault) && ok;
    rc = a.is_possible ? 0 : FOUND_SOMETHING;
    answer_free(&a);
    blocks_free(&b);
    return ok ? rc : tell(&fault);
}
