/*
 * Any input: what is refused gives no placement, what is placed is proved, and
 * what follows from it holds together: the curve falls, plans keep to their
 * load and cost what they say, little is moved, sums keep to their bound. And
 * any life of a placement in force, beside a fresh one.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { BLOCKS = 40, HOSTS = 8, REPLICAS = 4, POINTS = 256 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_locality.c:%d: %s does not hold\n", line, what);
    abort();
}

typedef struct columns {
    uint32_t replica[BLOCKS * REPLICAS];
    int64_t ticks[HOSTS];
    int64_t committed[HOSTS];
    uint32_t cores[HOSTS];
    uint32_t limit[HOSTS];
    uint32_t rack[HOSTS];
    uint32_t present[BLOCKS];
    int64_t size[BLOCKS];
} columns;

/* Small, or anything at all. */
static uint64_t any_number(fuzz_input *in, uint64_t small)
{
    uint64_t x = fuzz_u64(in, 1);

    return x < 253 ? x % small : fuzz_u64(in, 8) >> (x & 3);
}

static void any_columns(fuzz_input *in, columns *c)
{
    for (int i = 0; i < BLOCKS * REPLICAS; i++) {
        uint64_t x = fuzz_u64(in, 1);
        c->replica[i] = x == 255   ? (uint32_t)fuzz_u64(in, 4)
                        : x >= 240 ? SKED_LOCALITY_NO_HOST
                                   : (uint32_t)(x % HOSTS);
    }
    for (int h = 0; h < HOSTS; h++) {
        c->ticks[h] = (int64_t)any_number(in, 8) + 1;
        c->committed[h] = (int64_t)any_number(in, 20);
        c->cores[h] = (uint32_t)any_number(in, 4) + 1;
        c->limit[h] = (uint32_t)any_number(in, 30);
        c->rack[h] = (uint32_t)fuzz_u64(in, 1) % 4;
    }
    for (int b = 0; b < BLOCKS; b++) {
        c->present[b] = (uint32_t)any_number(in, HOSTS);
        c->size[b] = (int64_t)any_number(in, 200);
    }
}

static sked_locality_input any_input(fuzz_input *in, const columns *c)
{
    uint64_t flags = fuzz_u64(in, 1);

    return (sked_locality_input){
        .struct_size = sizeof(sked_locality_input),
        .blocks = (uint32_t)fuzz_u64(in, 1) % (BLOCKS + 1),
        .hosts = 1 + (uint32_t)fuzz_u64(in, 1) % HOSTS,
        .replicas = (uint32_t)fuzz_u64(in, 1) % (REPLICAS + 1),
        .replica = c->replica,
        .ticks = flags & 1 ? c->ticks : NULL,
        .committed = flags & 2 ? c->committed : NULL,
        .cores = flags & 4 ? c->cores : NULL,
        .limit = flags & 8 ? c->limit : NULL};
}

static void check_curve(const sked_locality *l)
{
    static sked_locality_point point[POINTS];
    sked_locality_search_options o = {
        .struct_size = sizeof o, .compute = 3, .transfer = 2};
    sked_locality_search_result r = {.struct_size = sizeof r};
    size_t n = 0;

    if (sked_locality_curve(l, point, POINTS, &n, NULL) != SKED_OK) return;
    MUST(point[0].load == sked_locality_floor(l));
    MUST(point[n - 1].transfers == sked_locality_unplaced(l));
    for (size_t i = 1; i < n; i++) {
        MUST(point[i].load > point[i - 1].load);
        MUST(point[i].transfers < point[i - 1].transfers);
        MUST(sked_locality_load(l, point[i].transfers) == point[i].load);
    }
    MUST(sked_locality_search(l, &o, &r, NULL) == SKED_OK);
    o.method = SKED_LOCALITY_SEARCH_FORWARD;
    sked_wide best = r.cost;
    MUST(sked_locality_search(l, &o, &r, NULL) == SKED_OK);
    MUST(r.cost.high > best.high ||
         (r.cost.high == best.high && r.cost.low >= best.low));
}

static void check_plan(const sked_locality_input *in, const columns *c,
                       const sked_locality *l)
{
    uint32_t where[BLOCKS], count[HOSTS] = {0};
    sked_locality_plan_options o = {.struct_size = sizeof o,
                                    .load = sked_locality_floor(l),
                                    .in_rack = 2,
                                    .beyond = 3};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};

    if (o.load == SKED_UNLIMITED) return;
    if (in->hosts >= 4) o.rack = c->rack;
    MUST(sked_locality_plan(l, in, &o, NULL, &r, NULL) == SKED_OK);
    for (uint32_t b = 0; b < in->blocks; b++) {
        MUST(where[b] < in->hosts);
        count[where[b]]++;
    }
    uint64_t m = sked_locality_transfers(l, o.load);
    MUST(r.in_rack + r.beyond >= m);
    MUST(r.local + r.in_rack + r.beyond == in->blocks);
    MUST(r.cost.low == 2 * r.in_rack + 3 * r.beyond);
    for (uint32_t h = 0; in->limit && h < in->hosts; h++) {
        MUST(count[h] <= in->limit[h]);
    }
}

static void check_rest(const sked_locality_input *in, const columns *c,
                       const sked_locality *l)
{
    uint8_t choice[BLOCKS];
    uint64_t moved;
    sked_locality_sized_result r = {.struct_size = sizeof r, .choice = choice};

    MUST(sked_locality_restore(l, in, c->present, NULL, choice, &moved, NULL) ==
         SKED_OK);
    MUST(sked_locality_verify(in, choice, sked_locality_levels(l), NULL,
                              NULL) == SKED_OK);
    MUST(moved <= in->blocks);
    if (sked_locality_sized(l, in, c->size, NULL, &r, NULL) != SKED_OK) return;
    MUST(r.bound <= r.most);
}

static void place(const sked_locality_input *in, const columns *c)
{
    sked_locality *l = NULL;
    sked_locality_options o = {.struct_size = sizeof o};

    if (sked_locality_new(in, NULL, NULL, &l, NULL) != SKED_OK) {
        MUST(!l);
        return;
    }
    MUST(sked_locality_verify(in, sked_locality_choice(l),
                              sked_locality_levels(l), NULL, NULL) == SKED_OK);
    check_curve(l);
    check_plan(in, c, l);
    check_rest(in, c, l);
    for (o.method = 1; o.method < 3; o.method++) {
        sked_locality *other = NULL;
        MUST(sked_locality_new(in, &o, NULL, &other, NULL) == SKED_OK);
        for (int64_t load = 0; load < 50; load++) {
            MUST(sked_locality_transfers(l, load) <=
                 sked_locality_transfers(other, load));
        }
        sked_locality_free(other);
    }
    sked_locality_free(l);
}

/* ---- In force ---- */

static int by_count(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* A fresh placement of what is there has the same loads. */
static void check_live(const sked_locality_live *live, const uint32_t *row,
                       uint32_t blocks)
{
    uint32_t got[HOSTS], want[HOSTS];
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = blocks,
                              .hosts = HOSTS,
                              .replicas = REPLICAS,
                              .replica = row};
    sked_locality *l = NULL;

    MUST(sked_locality_new(&in, NULL, NULL, &l, NULL) == SKED_OK);
    memcpy(got, sked_locality_live_loads(live), sizeof got);
    memcpy(want, sked_locality_host_blocks(l), sizeof want);
    qsort(got, HOSTS, sizeof *got, by_count);
    qsort(want, HOSTS, sizeof *want, by_count);
    MUST(memcmp(got, want, sizeof got) == 0);
    sked_locality_free(l);
}

static void live(fuzz_input *in)
{
    uint32_t row[BLOCKS * REPLICAS], block;
    sked_locality_live *live = NULL;

    memset(row, 255, sizeof row);
    MUST(sked_locality_live_new(HOSTS, REPLICAS, NULL, &live, NULL) == SKED_OK);
    for (int i = 0; i < 60 && fuzz_more(in); i++) {
        uint64_t op = fuzz_u64(in, 1);
        uint32_t b = (uint32_t)(op >> 2) % BLOCKS, replica[REPLICAS];
        if (op % 16 == 15) {
            MUST(sked_locality_live_down(live, b % HOSTS, NULL) == SKED_OK);
            for (int j = 0; j < BLOCKS * REPLICAS; j++) {
                if (row[j] == b % HOSTS) row[j] = SKED_LOCALITY_NO_HOST;
            }
        } else if (op % 4 == 3) {
            if (sked_locality_live_remove(live, b, NULL) != SKED_OK) continue;
            memset(row + b * REPLICAS, 255, sizeof replica);
        } else {
            for (int k = 0; k < REPLICAS; k++) {
                uint64_t x = fuzz_u64(in, 1);
                replica[k] = x > 250 ? SKED_LOCALITY_NO_HOST
                                     : (uint32_t)x % HOSTS;
            }
            MUST(sked_locality_live_add(live, replica, REPLICAS, &block,
                                        NULL) == SKED_OK);
            if (block >= BLOCKS) break;
            memcpy(row + block * REPLICAS, replica, sizeof replica);
        }
        check_live(live, row, BLOCKS);
    }
    sked_locality_live_free(live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};

    while (fuzz_more(&in)) {
        columns c;
        sked_locality_input problem = any_input(&in, &c);
        any_columns(&in, &c);
        place(&problem, &c);
        live(&in);
    }
    return 0;
}
