/* The bundled workload with tree and nodes, for a run without a named file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "replay.h"

const char *bundled_tree(void)
{
    return "kinds cpu=m memory=B gpu=m\n"
           "root order=utilisation\n"
           "root.critical weight=4 tier=1 guarantee=40% preempt_from=no\n"
           "root.reports weight=2 tier=2 guarantee=20% apps=fair\n"
           "root.adhoc weight=1 tier=3 guarantee=15% limit=50% "
           "apps=user-fair user_limit=10%\n"
           "root.churn weight=1 tier=3 guarantee=15%\n"
           "root.train weight=2 tier=2 guarantee=10%\n";
}

static const struct {
    uint32_t count;
    const char *amounts;
    const char *partition;
} bundled_specs[] = {{24, "cpu=32,memory=128GiB", ""},
                     {6, "cpu=32,memory=256GiB,gpu=8", "gpu"}};

enum { BUNDLED_SPECS = sizeof bundled_specs / sizeof *bundled_specs };

void bundled_nodes(replay_options *o)
{
    for (uint32_t s = 0; s < BUNDLED_SPECS; s++) {
        node_spec *spec = &o->specs[s];
        *spec = (node_spec){.count = bundled_specs[s].count,
                            .text = bundled_specs[s].amounts,
                            .length = strlen(bundled_specs[s].amounts)};
        snprintf(spec->partition, sizeof spec->partition, "%s",
                 bundled_specs[s].partition);
    }
    o->n_specs = BUNDLED_SPECS;
}

static int write_text(const char *folder, const char *name, const char *text,
                      size_t length, input_fault *fault)
{
    char path[sizeof fault->file];
    out_file out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!out_open(&out, path, fault)) return 0;
    fwrite(text, 1, length, out.file);
    int ok = out_finish(&out, fault);
    return out_close(&out, ok, fault) && ok;
}

int bundled_write(const char *folder, input_fault *fault)
{
    size_t length;
    char *text = workload_bundled(&length);
    const char *tree = bundled_tree();

    if (!text) return fault_memory(fault);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        free(text);
        snprintf(fault->file, sizeof fault->file, "%s", folder);
        return input_fail(fault, 0, 0, "cannot be made");
    }
    int ok = write_text(folder, "workload.csv", text, length, fault) &&
             write_text(folder, "tree.txt", tree, strlen(tree), fault);
    free(text);
    if (!ok) return 0;
    printf("replay %s/workload.csv --tree %s/tree.txt", folder, folder);
    for (uint32_t s = 0; s < BUNDLED_SPECS; s++) {
        const char *name = bundled_specs[s].partition;
        printf(" --nodes \"%u x %s%s%s\"", bundled_specs[s].count,
               bundled_specs[s].amounts, *name ? " @" : "", name);
    }
    putchar('\n');
    return 1;
}
