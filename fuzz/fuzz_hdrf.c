/*
 * Any tree under any sequence of changes stands as if computed anew, what is
 * refused changes nothing, and the next leaf is never a blocked one.
 *
 * The bytes give the tree first, then a program of calls.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

#include "input.h"

enum { KINDS = 2, NODES = 24 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_hdrf.c:%d: %s does not hold\n", line, what);
    abort();
}

static int64_t any_amount(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return (int64_t)(x < 250 ? x % 40 : fuzz_u64(in, 8));
}

static void any_row(fuzz_input *in, int64_t row[KINDS])
{
    for (int k = 0; k < KINDS; k++) row[k] = any_amount(in);
}

static sked_hdrf *make(fuzz_input *in, uint32_t *n)
{
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    uint32_t parent[NODES] = {0}, weight[NODES];
    sked_hdrf *tree;

    *n = 1 + (uint32_t)fuzz_u64(in, 1) % NODES;
    for (uint32_t i = 0; i < *n; i++) {
        if (i > 0) parent[i] = (uint32_t)fuzz_u64(in, 1) % i;
        weight[i] = (uint32_t)any_amount(in);
    }
    MUST(sked_hdrf_new(parent, weight, *n, &opts, NULL, &tree, NULL) ==
         SKED_OK);
    return tree;
}

static void run_some(sked_hdrf *tree)
{
    uint32_t leaf[64];
    size_t n;

    MUST(sked_hdrf_run(tree, leaf, 64, &n, NULL) == SKED_OK);
    MUST(n == 64 || sked_hdrf_next(tree) == SKED_HDRF_NONE);
}

static void step(sked_hdrf *tree, uint32_t n, fuzz_input *in)
{
    uint64_t op = fuzz_u64(in, 1), before = sked_hdrf_digest(tree);
    uint32_t node = (uint32_t)fuzz_u64(in, 1) % (n + 1);
    int64_t row[KINDS], other[KINDS], tasks = any_amount(in);
    sked_status rc = SKED_OK;

    any_row(in, row);
    any_row(in, other);
    switch (op % 8) {
    case 0: rc = sked_hdrf_set_capacity(tree, row, NULL); break;
    case 1: rc = sked_hdrf_set_full(tree, (uint32_t)row[0], NULL); break;
    case 2:
        rc = sked_hdrf_set_weight(tree, node, (uint32_t)row[0], NULL);
        break;
    case 3: rc = sked_hdrf_block(tree, node, row[0] & 1, NULL); break;
    case 4: rc = sked_hdrf_allocate(tree, node, tasks, NULL); break;
    case 5: rc = sked_hdrf_release(tree, node, row, NULL); break;
    case 6: run_some(tree); break;
    default:
        rc = sked_hdrf_set_leaves(tree, &node, row, other, &tasks, 1, NULL);
    }
    if (rc != SKED_OK) MUST(sked_hdrf_digest(tree) == before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    uint32_t n;
    sked_hdrf *tree = make(&in, &n);

    while (fuzz_more(&in)) {
        sked_hdrf_standing at;
        step(tree, n, &in);
        MUST(sked_hdrf_check(tree, NULL) == SKED_OK);
        uint32_t leaf = sked_hdrf_next(tree);
        if (leaf == SKED_HDRF_NONE) continue;
        MUST(sked_hdrf_share(tree, leaf, &at) == SKED_OK);
        MUST(!at.blocked);
    }
    sked_hdrf_free(tree);
    return 0;
}
