/*
 * A workload without a file: six hours of a small cluster, made by a generator
 * with a fixed seed. Three tiers, two partitions, and a queue whose short
 * tasks churn.
 */
#include <stdlib.h>
#include <string.h>

#include "workload.h"

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

char *workload_bundled(size_t *length)
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
