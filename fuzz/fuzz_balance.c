/*
 * Any problem: what is refused writes nothing, what is found is no worse than
 * before and no better than its bound, moves add up to what they gain, nobody
 * is where it may not be, and nothing passes the ceiling of a cluster that
 * takes in what left a zone.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { CLUSTERS = 4, WORKFLOWS = 6, BUCKETS = 4, KINDS = 2 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_balance.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct columns {
    int64_t length[BUCKETS];
    int64_t capacity[CLUSTERS * KINDS];
    int64_t instance[CLUSTERS * KINDS];
    int64_t fixed[CLUSTERS * BUCKETS * KINDS];
    int64_t usage[WORKFLOWS * BUCKETS * KINDS];
    int64_t cost[WORKFLOWS * CLUSTERS];
    uint32_t zone[CLUSTERS];
    uint32_t tier[WORKFLOWS];
    uint32_t home[WORKFLOWS];
    uint8_t allowed[WORKFLOWS * CLUSTERS];
} columns;

/* Small, or anything at all. */
static void any_column(fuzz_input *in, int64_t *column, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = fuzz_u64(in, 1);
        column[i] = (int64_t)(x < 252 ? x % 60 : fuzz_u64(in, 8) >> (x & 3));
    }
}

static void any_columns(fuzz_input *in, columns *c)
{
    any_column(in, c->length, BUCKETS);
    any_column(in, c->capacity, (size_t)CLUSTERS * KINDS);
    any_column(in, c->instance, (size_t)CLUSTERS * KINDS);
    any_column(in, c->fixed, (size_t)CLUSTERS * BUCKETS * KINDS);
    any_column(in, c->usage, (size_t)WORKFLOWS * BUCKETS * KINDS);
    any_column(in, c->cost, (size_t)WORKFLOWS * CLUSTERS);
    for (int i = 0; i < CLUSTERS; i++) c->zone[i] = fuzz_u64(in, 1) & 1;
    for (int i = 0; i < WORKFLOWS; i++) {
        c->tier[i] = 1 + (uint32_t)(fuzz_u64(in, 1) & 1);
        c->home[i] = (uint32_t)fuzz_u64(in, 1) % CLUSTERS;
    }
    for (int i = 0; i < WORKFLOWS * CLUSTERS; i++) {
        c->allowed[i] = (uint8_t)fuzz_u64(in, 1);
    }
}

static sked_balance_input any_input(fuzz_input *in, const columns *c)
{
    uint64_t flags = fuzz_u64(in, 2);

    return (sked_balance_input){
        .struct_size = sizeof(sked_balance_input),
        .kinds = KINDS,
        .buckets = 1 + (uint32_t)(flags & 3),
        .clusters = 1 + (uint32_t)(flags >> 2 & 3),
        .workflows = (uint32_t)fuzz_u64(in, 1) % (WORKFLOWS + 1),
        .percentile_ppm = (int64_t)(fuzz_u64(in, 1) * 4000),
        .ceiling_ppm = (int64_t)(fuzz_u64(in, 1) * 10000),
        .max_tries = flags & 16 ? fuzz_u64(in, 1) : 0,
        .max_moves = flags & 32 ? 2 : 0,
        .length = flags & 64 ? c->length : NULL,
        .capacity = c->capacity,
        .instance = flags & 128 ? c->instance : NULL,
        .zone = flags & 256 ? c->zone : NULL,
        .fixed = flags & 512 ? c->fixed : NULL,
        .usage = c->usage,
        .tier = flags & 1024 ? c->tier : NULL,
        .home = c->home,
        .allowed = flags & 2048 ? c->allowed : NULL,
        .cost = flags & 4096 ? c->cost : NULL,
    };
}

static void check_places(const sked_balance_input *in, const uint32_t *where)
{
    for (uint32_t w = 0; w < in->workflows; w++) {
        MUST(where[w] < in->clusters);
        if (where[w] == in->home[w] || !in->allowed) continue;
        MUST(in->allowed[w * in->clusters + where[w]]);
    }
}

static void check_result(const sked_balance_result *r)
{
    MUST(r->after.excess <= r->before.excess);
    MUST(r->after.excess < r->before.excess || r->after.sum <= r->before.sum);
    MUST(r->bound.excess <= r->after.excess);
    MUST(r->bound.sum <= r->after.sum);
}

static void balance(const sked_balance_input *in)
{
    uint32_t where[WORKFLOWS];
    sked_balance_move moves[WORKFLOWS];
    sked_balance_objective gain = {0, 0};
    sked_balance_result r = {
        .struct_size = sizeof r, .moves = 77, .cluster = where};

    if (sked_balance(in, NULL, &r, moves, WORKFLOWS, NULL) != SKED_OK) {
        MUST(r.moves == 77);
        return;
    }
    check_places(in, where);
    check_result(&r);
    for (uint32_t i = 0; i < r.moves; i++) {
        gain.excess += moves[i].gain.excess;
        gain.sum += moves[i].gain.sum;
    }
    MUST(r.before.excess - r.after.excess == gain.excess);
    MUST(r.before.sum - r.after.sum == gain.sum);
}

static void split(const sked_balance_input *in)
{
    uint32_t where[WORKFLOWS];
    int64_t instances[CLUSTERS], stranded[CLUSTERS * KINDS];
    sked_balance_result r = {.struct_size = sizeof r, .cluster = where};

    if (sked_balance_split(in, NULL, &r, instances, stranded, NULL) !=
        SKED_OK) {
        return;
    }
    check_places(in, where);
    check_result(&r);
    for (uint32_t i = 0; i < in->clusters * KINDS; i++) {
        MUST(stranded[i] >= 0 && stranded[i] <= SKED_AMOUNT_MAX);
    }
}

static void evacuate(const sked_balance_input *in)
{
    uint32_t where[WORKFLOWS];
    sked_balance_evacuation tiers[SKED_MAX_TIERS];

    if (sked_balance_evacuate(in, 1, NULL, where, tiers, NULL) != SKED_OK) {
        return;
    }
    for (uint32_t w = 0; w < in->workflows; w++) {
        uint32_t zone = in->zone ? in->zone[in->home[w]] : 0;
        if (zone != 1) MUST(where[w] == in->home[w]);
        if (zone != 1 || where[w] == SKED_BALANCE_NOWHERE) continue;
        MUST(in->zone[where[w]] != 1);
    }
    for (int t = 0; t < SKED_MAX_TIERS; t++) {
        MUST(tiers[t].placed <= tiers[t].most);
        MUST(tiers[t].most <= tiers[t].asked);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};

    while (fuzz_more(&in)) {
        columns c;
        memset(&c, 0, sizeof c);
        sked_balance_input problem = any_input(&in, &c);
        any_columns(&in, &c);
        balance(&problem);
        split(&problem);
        evacuate(&problem);
    }
    return 0;
}
