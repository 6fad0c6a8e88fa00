/*
 * The workload that comes with the program: six hours of a small cluster,
 * made by a generator with a fixed seed. Three tiers, two partitions, and a
 * queue whose short tasks churn.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

enum { BUNDLED_HOURS = 6, BUNDLED_LINE = 160 };

/* One queue's habits. */
typedef struct habit {
    const char *queue;
    const char *partition;
    int tier;
    int users;
    int every; /* seconds between jobs, on average */
    int tasks; /* at most */
    int run;   /* seconds a task runs, on average */
    int cpu;   /* cores */
    int gib;   /* of memory */
    int gpu;
} habit;

static const habit habits[] = {
    {"critical", "", 1, 3, 60, 120, 240, 2, 8, 0},
    {"reports", "", 2, 6, 45, 80, 180, 1, 6, 0},
    {"adhoc", "", 3, 20, 20, 40, 300, 1, 4, 0},
    {"churn", "", 3, 4, 6, 60, 15, 1, 2, 0},
    {"train", "gpu", 2, 5, 120, 8, 1500, 4, 30, 1},
};

static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* From 1 to `most`; small ones are more frequent. */
static int draw_below(uint64_t *state, int most)
{
    uint64_t a = draw(state) % (uint64_t)most, b = draw(state) % (uint64_t)most;

    return (int)(a < b ? a : b) + 1;
}

typedef struct text_buffer {
    char *bytes;
    size_t length;
    size_t cap;
} text_buffer;

static int room_for_line(text_buffer *t)
{
    if (t->length + BUNDLED_LINE < t->cap) return 1;
    size_t cap = t->cap ? t->cap * 2 : 1 << 16;
    char *grown = realloc(t->bytes, cap);
    if (!grown) return 0;
    t->bytes = grown;
    t->cap = cap;
    return 1;
}

static int add_jobs(text_buffer *t, const habit *h, uint64_t *state)
{
    int id = 0;

    for (int at = draw_below(state, h->every); at < BUNDLED_HOURS * 3600;
         at += draw_below(state, h->every * 3)) {
        if (!room_for_line(t)) return 0;
        int tasks = draw_below(state, h->tasks);
        int run = h->run / 4 + draw_below(state, h->run * 2);
        int n = snprintf(t->bytes + t->length, BUNDLED_LINE,
                         "%d,%s-%d,%s,%d,%d,%d,%lld,%d,%s,%d,%s-%d\n", at,
                         h->queue, draw_below(state, h->users), h->queue, tasks,
                         run, h->cpu, (long long)h->gib << 30, h->gpu,
                         h->partition, h->tier, h->queue, ++id);
        t->length += (size_t)n;
    }
    return 1;
}

char *bundled_workload(size_t *length)
{
    static const char header[] = "submit_s,user,queue,tasks,run_s,cpu,"
                                 "mem_bytes,gpu,partition,tier,job_id\n";
    text_buffer t = {0};
    uint64_t state = 20;

    if (!room_for_line(&t)) return NULL;
    memcpy(t.bytes, header, sizeof header - 1);
    t.length = sizeof header - 1;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (add_jobs(&t, &habits[i], &state)) continue;
        free(t.bytes);
        return NULL;
    }
    t.bytes[t.length] = 0;
    *length = t.length;
    return t.bytes;
}

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
    char *text = bundled_workload(&length);
    const char *tree = bundled_tree();

    if (!text) return fault_memory(fault);
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
