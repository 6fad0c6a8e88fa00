/*
 * Whatever the columns hold: a call either refuses them, or gives every
 * eligible element one place, keys that do not fall, and equal keys by
 * position. Fair tree gives every leaf a rank, and better leaves better ones.
 */
#include <sched/fair_tree.h>
#include <sched/order.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { MOST = 24, KINDS = 3 };

#define MUST(cond) ((cond) ? (void)0 : abort())

static int64_t amount(fuzz_input *in)
{
    uint64_t shape = fuzz_u64(in, 1);

    if (shape < 192) return (int64_t)shape - 1;
    if (shape < 224) return SKED_AMOUNT_MAX - (int64_t)(shape - 192) + 1;
    return (int64_t)fuzz_u64(in, 8);
}

static void draw(int64_t *amounts, size_t n, fuzz_input *in)
{
    for (size_t i = 0; i < n; i++) amounts[i] = amount(in);
}

/* A permutation of the eligible, by keys that do not fall. */
static void must_be_order(const uint32_t *order, const sked_order_key *keys,
                          size_t n, const uint8_t *eligible, uint32_t all)
{
    uint8_t seen[MOST] = {0};
    size_t want = 0;

    for (uint32_t i = 0; i < all; i++) want += !eligible || eligible[i];
    MUST(n == want);
    for (size_t i = 0; i < n; i++) {
        MUST(order[i] < all && !seen[order[i]]);
        MUST(!eligible || eligible[order[i]]);
        seen[order[i]] = 1;
        if (i == 0) continue;
        const sked_order_key *a = &keys[i - 1], *b = &keys[i];
        int equal = a->high == b->high && a->low == b->low;
        MUST(equal ? order[i - 1] < order[i]
                   : a->high < b->high ||
                         (a->high == b->high && a->low < b->low));
    }
}

/* Columns for both orders of the same elements. */
typedef struct columns {
    int64_t usage[MOST * KINDS];
    int64_t other[MOST * KINDS];
    int64_t share[MOST * KINDS];
    int64_t capacity[KINDS];
    int64_t key[MOST];
    uint32_t weight[MOST];
    int32_t priority[MOST];
    uint32_t user[MOST];
    uint8_t eligible[MOST];
} columns;

static void draw_columns(columns *c, uint32_t n, fuzz_input *in)
{
    draw(c->usage, (size_t)n * KINDS, in);
    draw(c->other, (size_t)n * KINDS, in);
    draw(c->share, (size_t)n * KINDS, in);
    draw(c->capacity, KINDS, in);
    draw(c->key, n, in);
    for (uint32_t i = 0; i < n; i++) {
        c->weight[i] = (uint32_t)(amount(in) & UINT32_MAX);
        c->priority[i] = (int32_t)(fuzz_u64(in, 1) - 3);
        c->user[i] = (uint32_t)fuzz_u64(in, 1) % 4;
        c->eligible[i] = fuzz_u64(in, 1) % 4 > 0;
    }
}

static void children(const columns *c, uint32_t n, fuzz_input *in)
{
    uint32_t order[MOST];
    sked_order_key keys[MOST];
    size_t count;
    sked_order_children_input in_columns = {
        .struct_size = sizeof in_columns,
        .flags = (uint32_t)fuzz_u64(in, 1) % 4,
        .order = (int32_t)(fuzz_u64(in, 1) % 10),
        .kind = (uint32_t)(fuzz_u64(in, 1) % 4),
        .kinds = KINDS,
        .n = n,
        .seed = fuzz_u64(in, 1),
        .eligible = c->eligible,
        .weight = c->weight,
        .priority = c->priority,
        .usage = c->usage,
        .guarantee = c->other,
        .capacity = c->capacity,
        .key = c->key,
    };

    if (in_columns.order > SKED_ORDER_POLICY_SHARE) {
        in_columns.order = SKED_ORDER_POLICY_HOST;
    }
    if (fuzz_u64(in, 1) % 2) in_columns.share = c->share;
    if (sked_order_children(&in_columns, NULL, order, keys, &count, NULL) ==
        SKED_OK) {
        must_be_order(order, keys, count, c->eligible, n);
    }
}

static void applications(const columns *c, uint32_t n, fuzz_input *in)
{
    uint32_t order[MOST];
    sked_order_key keys[MOST];
    size_t count;
    sked_order_apps_input in_columns = {
        .struct_size = sizeof in_columns,
        .order = (int32_t)(fuzz_u64(in, 1) % 6),
        .kinds = KINDS,
        .n = n,
        .users = 4,
        .eligible = c->eligible,
        .submitted = c->key,
        .priority = c->priority,
        .weight = c->weight,
        .usage = c->usage,
        .pending = c->other,
        .user = c->user,
        .user_usage = c->capacity, /* one kind: rows of four users */
        .user_weight = c->weight,
        .capacity = c->capacity,
        .key = c->key,
    };

    if (in_columns.order == SKED_APPS_USER_FAIR) {
        in_columns.kinds = 1;
        in_columns.users = KINDS;
    }
    if (in_columns.order > SKED_APPS_USER_FAIR) {
        in_columns.order = SKED_APPS_HOST;
    }
    if (sked_order_apps(&in_columns, NULL, order, keys, &count, NULL) ==
        SKED_OK) {
        must_be_order(order, keys, count, c->eligible, n);
    }
}

static void ranks(const columns *c, uint32_t n, fuzz_input *in)
{
    uint32_t parent[MOST] = {0}, kids[MOST] = {0}, got[MOST], leaves = 0;
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++) {
        parent[i] = (uint32_t)fuzz_u64(in, 1) % i;
        kids[parent[i]]++;
    }
    for (uint32_t i = 0; i < n; i++) leaves += kids[i] == 0;
    if (sked_fair_tree_ranks(parent, c->weight, c->usage, n, NULL, got, NULL) !=
        SKED_OK) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        MUST(kids[i] ? got[i] == 0 : got[i] >= 1 && got[i] <= leaves);
        if (got[i] > best) best = got[i];
    }
    MUST(best == leaves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    columns c;
    uint32_t n = 1 + (uint32_t)fuzz_u64(&in, 1) % MOST;

    draw_columns(&c, n, &in);
    while (fuzz_more(&in)) {
        children(&c, n, &in);
        applications(&c, n, &in);
        ranks(&c, n, &in);
    }
    return 0;
}
