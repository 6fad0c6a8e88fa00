/*
 * Any batch, any options: what is refused writes nothing; every plan starts
 * each task once, never takes more slots than there are and ends no sooner than
 * its bound; metrics of any spans are refused or add up; a host that ends tasks
 * in any order at any time gets every task.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { TASKS = 6, SLOTS = 5 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_batch.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct columns {
    uint64_t bytes[TASKS];
    uint64_t blocks[TASKS];
    uint64_t edges[SKED_MAX_BATCH_LABELS - 1];
    int64_t multiplier[TASKS];
    int64_t actual[TASKS];
    int64_t table[TASKS * SLOTS];
    uint8_t label[TASKS];
} columns;

/* Small, or anything at all. */
static uint64_t any(fuzz_input *in, uint64_t small)
{
    uint64_t x = fuzz_u64(in, 1);

    return x < 250 ? x % small : fuzz_u64(in, 8) >> (x & 31);
}

static void any_columns(fuzz_input *in, columns *c)
{
    for (int j = 0; j < TASKS; j++) {
        c->bytes[j] = any(in, 200);
        c->blocks[j] = 1 + any(in, 60);
        c->multiplier[j] = (int64_t)(1 + any(in, 250) * 20000);
        c->actual[j] = (int64_t)(1 + any(in, 250) * 20000);
        c->label[j] = (uint8_t)(fuzz_u64(in, 1) % SKED_MAX_BATCH_LABELS);
    }
    for (int i = 0; i < TASKS * SLOTS; i++) {
        c->table[i] = (int64_t)(1 + any(in, 100));
    }
    for (int i = 0; i < SKED_MAX_BATCH_LABELS - 1; i++)
        c->edges[i] = any(in, 200);
}

static sked_batch_input any_input(fuzz_input *in, const columns *c)
{
    uint64_t flags = fuzz_u64(in, 2);

    return (sked_batch_input){
        .struct_size = sizeof(sked_batch_input),
        .tasks = (uint32_t)(fuzz_u64(in, 1) % (TASKS + 1)),
        .slots = (uint32_t)(fuzz_u64(in, 1) % (SLOTS + 1)),
        .nodes = (uint32_t)(flags & 3),
        .block_bytes = any(in, 50),
        .start = (int64_t)any(in, 9),
        .block = (int64_t)any(in, 99),
        .slot = (int64_t)any(in, 5),
        .bytes = flags & 4 ? c->bytes : NULL,
        .blocks = flags & 8 ? c->blocks : NULL,
        .label = flags & 16 ? c->label : NULL,
        .edges = flags & 32 ? c->edges : NULL,
        .multiplier_ppm = flags & 64 ? c->multiplier : NULL,
        .actual_ppm = flags & 128 ? c->actual : NULL,
        .table = flags & 256 ? c->table : NULL,
    };
}

static sked_batch_options any_options(fuzz_input *in)
{
    return (sked_batch_options){
        .struct_size = sizeof(sked_batch_options),
        .method = (uint32_t)(fuzz_u64(in, 1) % 12),
        .seed = fuzz_u64(in, 1),
        .max_tries = 1 + fuzz_u64(in, 1) % 50,
        .replan_tries = 1 + (uint32_t)(fuzz_u64(in, 1) % 9),
        .clusters = (uint32_t)any(in, 8),
        .window = (uint32_t)any(in, 8),
        .tail = (uint32_t)(fuzz_u64(in, 1) & 3),
        .theta_ppm = (int64_t)(any(in, 250) * 4000),
        .sigma_ppm = (int64_t)(any(in, 250) * 50000),
        .tau_ppm = (int64_t)(any(in, 250) * 50000),
        .eta_ppm = (int64_t)(any(in, 250) * 4000),
        .noise_ppm = (int64_t)(any(in, 250) * 4000),
    };
}

static void check_spans(const sked_batch_input *in, const sked_batch_span *s)
{
    for (uint32_t j = 0; j < in->tasks; j++) {
        uint64_t used = 0;
        MUST(s[j].task == j && s[j].start >= 0 && s[j].end > s[j].start);
        for (uint32_t i = 0; i < in->tasks; i++) {
            if (s[i].start > s[j].start || s[i].end <= s[j].start) continue;
            used += s[i].slots;
        }
        MUST(used <= in->slots);
    }
}

static void plan(const sked_batch_input *in, const sked_batch_options *o)
{
    sked_batch_span spans[TASKS];
    uint32_t cluster[TASKS];
    sked_batch_result r = {.struct_size = sizeof r,
                           .tries = 77,
                           .spans = spans,
                           .cluster = cluster};

    if (sked_batch_plan(in, o, NULL, &r, NULL) != SKED_OK) {
        MUST(r.tries == 77);
        return;
    }
    check_spans(in, spans);
    MUST(r.bound <= r.metrics.makespan);
    MUST(r.metrics.t_hat + r.metrics.tail == r.metrics.makespan);
    MUST(in->actual_ppm || r.believed == r.metrics.makespan);
    if (r.method != SKED_BATCH_METHOD_MULTI) return;
    for (uint32_t j = 0; j < in->tasks; j++) MUST(cluster[j] < TASKS);
}

static void bounds(const sked_batch_input *in)
{
    sked_batch_bounds b = {.struct_size = sizeof b};

    if (sked_batch_bound(in, NULL, &b, NULL) != SKED_OK) return;
    MUST(b.path >= 1 && b.path <= b.best);
    MUST(b.area.num <= b.best * b.area.den);
    MUST(b.dual.num <= b.best * b.dual.den);
    MUST(b.functions <= b.best);
}

/* A host that ends what runs in an order of its own. */
static void drive(fuzz_input *in, const sked_batch_input *input,
                  const sked_batch_options *o)
{
    uint32_t running[TASKS], n = 0, ended = 0;
    sked_batch_run *run;
    int64_t now = 0;

    if (sked_batch_run_new(input, o, NULL, &run, NULL) != SKED_OK) return;
    for (;;) {
        sked_batch_start starts[TASKS];
        size_t cap = 1 + (size_t)(fuzz_u64(in, 1) % TASKS), more;
        MUST(sked_batch_run_next(run, now, starts, cap, &more, NULL) ==
             SKED_OK);
        for (size_t i = 0; i < more; i++) running[n++] = starts[i].task;
        MUST(n <= TASKS);
        if (n == 0) break;
        now += 1 + (int64_t)(fuzz_u64(in, 1) % 50);
        uint32_t at = (uint32_t)(fuzz_u64(in, 1) % n);
        MUST(sked_batch_run_finish(run, running[at], now, NULL) == SKED_OK);
        running[at] = running[--n];
        ended++;
    }
    MUST(ended == input->tasks);
    sked_batch_run_free(run);
}

static void measure(fuzz_input *in)
{
    sked_batch_span spans[TASKS];
    sked_batch_step steps[2 * TASKS];
    sked_batch_metrics m;
    size_t n;
    sked_batch_rule rule = {.struct_size = sizeof rule,
                            .slots = (uint32_t)any(in, 20),
                            .tail = (uint32_t)(fuzz_u64(in, 1) & 3),
                            .theta_ppm = (int64_t)(any(in, 250) * 4000)};

    for (uint32_t j = 0; j < TASKS; j++) {
        int64_t start = (int64_t)any(in, 50);
        spans[j] = (sked_batch_span){start, (int64_t)any(in, 100), j,
                                     (uint32_t)any(in, 4)};
    }
    if (sked_batch_measure(spans, TASKS, &rule, NULL, &m, NULL) != SKED_OK) {
        return;
    }
    MUST(m.t_hat >= 0 && m.tail >= 0 && m.t_hat + m.tail == m.makespan);
    MUST(m.pure_cpu.num <= m.pure_cpu.den && m.tail_cpu.num <= m.tail_cpu.den);
    MUST(sked_batch_utility(spans, TASKS, NULL, steps, 2 * TASKS, &n, NULL) ==
         SKED_OK);
    MUST(n >= 2 && steps[n - 1].at == m.makespan);
}

static void learn(const sked_batch_input *input, const columns *c)
{
    uint32_t task[2], slots[2];
    int64_t factor[TASKS], noise = 0;
    sked_batch_history past = {.struct_size = sizeof past,
                               .n = 2,
                               .task = task,
                               .slots = slots,
                               .ticks = c->table};

    for (int i = 0; i < 2; i++) {
        task[i] = c->label[i];
        slots[i] = c->label[i + 2];
    }
    if (sked_batch_learn(input, &past, NULL, factor, &noise, NULL) != SKED_OK) {
        return;
    }
    for (uint32_t j = 0; j < input->tasks; j++) {
        MUST(factor[j] >= 1 && factor[j] <= 1000000000);
    }
    MUST(noise >= 0 && noise <= SKED_PPM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};

    while (fuzz_more(&in)) {
        columns c;
        memset(&c, 0, sizeof c);
        sked_batch_input input = any_input(&in, &c);
        sked_batch_options o = any_options(&in);
        any_columns(&in, &c);
        plan(&input, &o);
        bounds(&input);
        drive(&in, &input, &o);
        learn(&input, &c);
        measure(&in);
    }
    return 0;
}
