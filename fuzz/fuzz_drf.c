/*
 * Any sequence of edits leaves a sound order, in which the first client is one
 * of those with the least share, and any pool is divided without a rest that
 * somebody could still use.
 *
 * The bytes are a program of calls. Clients are known by their slots; wrong
 * slots and amounts out of range are part of the game.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

#include "input.h"

enum { KINDS = 2, SLOTS = 40 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_drf.c:%d: %s does not hold\n", line, what);
    abort();
}

/* Mostly small, now and then anything at all. */
static int64_t any_amount(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 250 ? x : fuzz_u64(in, 8));
}

static void any_row(fuzz_input *in, int64_t row[KINDS])
{
    for (int k = 0; k < KINDS; k++) row[k] = any_amount(in);
}

static void check_first(const sked_drf *drf)
{
    uint32_t first = sked_drf_next(drf);
    sked_drf_standing best, other;

    MUST((first == SKED_DRF_NONE) == (sked_drf_active(drf) == 0));
    if (first == SKED_DRF_NONE) return;
    MUST(sked_drf_share(drf, first, &best) == SKED_OK);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!sked_drf_is_active(drf, slot)) continue;
        MUST(sked_drf_share(drf, slot, &other) == SKED_OK);
        MUST(best.key <= other.key);
    }
}

static void divide(fuzz_input *in)
{
    enum { N = 6 };
    int64_t capacity[KINDS], pool[KINDS], demand[N * KINDS], tasks[N];
    int64_t rest[KINDS];
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = KINDS,
                           .n = N,
                           .capacity = capacity,
                           .demand = demand};

    for (int k = 0; k < KINDS; k++) {
        capacity[k] = pool[k] = rest[k] = (int64_t)(fuzz_u64(in, 8) >> 2);
    }
    for (int i = 0; i < N; i++) any_row(in, demand + (size_t)i * KINDS);
    if (sked_drf_allocate(&rows, NULL, pool, tasks, NULL) != SKED_OK) return;
    for (int i = 0; i < N; i++) {
        const int64_t *task = demand + (size_t)i * KINDS;
        int fits = 0;
        for (int k = 0; k < KINDS; k++) {
            MUST(tasks[i] == 0 || task[k] <= rest[k] / tasks[i]);
            rest[k] -= tasks[i] * task[k];
            fits |= task[k] > 0;
        }
        for (int k = 0; k < KINDS; k++) fits &= task[k] <= pool[k];
        MUST(!fits);
    }
    for (int k = 0; k < KINDS; k++) MUST(rest[k] == pool[k]);
}

static void step(sked_drf *drf, fuzz_input *in)
{
    uint64_t op = fuzz_u64(in, 1);
    uint32_t slot = (uint32_t)fuzz_u64(in, 1) % SLOTS, made;
    uint64_t before = sked_drf_digest(drf);
    int64_t row[KINDS], rows[2 * KINDS];
    uint32_t slots[2] = {slot, (slot + 1) % 4};
    sked_status rc = SKED_OK;
    sked_error err = {.code = SKED_OK};

    any_row(in, row);
    any_row(in, rows);
    any_row(in, rows + KINDS);
    switch (op % 9) {
    case 0: rc = sked_drf_set_capacity(drf, row, &err); break;
    case 1: rc = sked_drf_remove(drf, slot, &err); break;
    case 2: rc = sked_drf_update(drf, slot, row, &err); break;
    case 3: rc = sked_drf_charge(drf, slot, row, &err); break;
    case 4: rc = sked_drf_set_weight(drf, slot, (uint32_t)row[0], &err); break;
    case 5: rc = sked_drf_activate(drf, slot, row[0] & 1, &err); break;
    case 6: rc = sked_drf_charge_rows(drf, slots, rows, 2, &err); break;
    case 7: rc = sked_drf_remove_rows(drf, slots, 2, &err); break;
    default:
        if (sked_drf_clients(drf) == SLOTS) return;
        rc = sked_drf_insert(drf, (uint64_t)row[0] % 64, (uint32_t)row[1], rows,
                             &made, &err);
    }
    MUST(rc == err.code); /* a failure always explains itself */
    if (rc != SKED_OK) MUST(sked_drf_digest(drf) == before);
    MUST(sked_drf_check(drf, NULL) == SKED_OK);
    check_first(drf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    sked_drf *drf;

    if (fuzz_u64(&in, 1) % 8 == 0) {
        divide(&in);
        return 0;
    }
    MUST(sked_drf_new(&opts, NULL, &drf, NULL) == SKED_OK);
    while (fuzz_more(&in)) step(drf, &in);
    sked_drf_free(drf);
    return 0;
}
